// device_none.cpp: device.hpp in a build without CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#include "device.hpp"

#include "device_reason.hpp"

namespace xbatch {

DeviceAnswer open_device(Context &) { return {XBATCH_STATUS_NOT_SUPPORTED, not_built_text()}; }
xbatchStatus_t pending_device_error(Context &) { return XBATCH_STATUS_SUCCESS; }
DeviceScope::DeviceScope(const Context &) {}
DeviceScope::~DeviceScope() = default;
ProfilerRange::ProfilerRange(const char *) {}
ProfilerRange::~ProfilerRange() = default;

}  // namespace xbatch
