// cusolver.hpp: cuSOLVER as a peer: one handle, and errors as exceptions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cusolverDn.h>
#include <xbatch.h>

#include <stdexcept>
#include <string>

namespace bench {

inline void check(cusolverStatus_t status) {
    if (status != CUSOLVER_STATUS_SUCCESS) throw std::runtime_error("cuSOLVER: status " + std::to_string(status));
}

inline cusolverDnHandle_t cusolver() {
    static const cusolverDnHandle_t handle = [] {
        cusolverDnHandle_t made;
        check(cusolverDnCreate(&made));
        return made;
    }();
    return handle;
}

inline cudaDataType cuda_type(xbatchDataType_t type) {
    constexpr cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    return types[type];
}

}  // namespace bench
