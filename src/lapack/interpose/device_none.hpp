// device_none.hpp: what a function for a GPU does in a build without CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace xbatch::lapack {

[[noreturn]] inline void refuse() { throw std::runtime_error("built without CUDA"); }

}  // namespace xbatch::lapack
