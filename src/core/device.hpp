// device.hpp: the device operations that core needs; in a build without CUDA they do nothing or return an error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "context.hpp"

namespace xbatch {

struct DeviceAnswer {
    xbatchStatus_t status;
    std::string reason;  // why no device works, for a user
};

// Sets the device members of a context from the current device. NO_DEVICE if no device works, NOT_SUPPORTED in a build
// without CUDA. Throws std::bad_alloc.
DeviceAnswer open_device(Context &context);

// SUCCESS, or EXECUTION_FAILED with a message if the device is lost.
xbatchStatus_t pending_device_error(Context &context);

// Makes the handle's device current; restores the caller's device at the end.
class DeviceScope {
public:
    explicit DeviceScope(const Context &context);
    ~DeviceScope();
    DeviceScope(const DeviceScope &) = delete;
    DeviceScope &operator=(const DeviceScope &) = delete;

private:
    int previous_ = -1;
};

// A named range in a profiler's timeline.
class ProfilerRange {
public:
    explicit ProfilerRange(const char *name);
    ~ProfilerRange();
    ProfilerRange(const ProfilerRange &) = delete;
    ProfilerRange &operator=(const ProfilerRange &) = delete;
};

}  // namespace xbatch
