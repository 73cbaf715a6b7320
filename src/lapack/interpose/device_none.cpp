// device_none.cpp: a build without CUDA has no GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "on_device.hpp"

namespace xbatch::lapack {

bool has_device() { return false; }

}  // namespace xbatch::lapack
