// cuda_check.hpp: a failed CUDA, cuSPARSE or cuBLAS call ends its case with a message.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace bench {

inline void check_cuda(cudaError_t error, const char *call) {
    if (error != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(error));
}

}  // namespace bench

#define BENCH_CUDA(call) ::bench::check_cuda(call, #call)
