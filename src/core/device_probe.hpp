// device_probe.hpp: whether the current device has code in this library.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

namespace xbatch {

// cudaSuccess if it has.
cudaError_t probe_code();

}  // namespace xbatch
