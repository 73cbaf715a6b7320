// device.hpp: the little that core asks of CUDA; without CUDA in the build nothing of it is there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "context.hpp"

namespace xbatch {

// Fill the device part of a context from the current device. NO_DEVICE where none works.
xbatchStatus_t open_device(Context &context);

// SUCCESS, or EXECUTION_FAILED with a message where a CUDA error is pending or the device is lost.
xbatchStatus_t pending_device_error(Context &context);

// Makes the handle's device current and gives back the caller's at the end.
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
