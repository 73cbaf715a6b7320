// resident_arguments.cuh: arguments of the kernels for matrices in shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device_batch.cuh"

namespace xbatch::qr {

// A = Q R in place. If there are right-hand sides B, least squares or least norm with G = A instead, as in
// SolveArguments, and A remains. If r is given: R, with zeros below its diagonal, and B := Q^H B, while A remains;
// neither least squares nor tau. m and n: the most rows and columns of A.
template <class T>
struct ResidentArguments {
    DeviceMatrices<T> a, b;
    DeviceTau<T> tau;
    int m, n, nrhs;
    bool is_least_norm;
    int64_t batch;
    int32_t *info;
    DeviceSizes sizes;
    DeviceMatrices<T> r = {};

    __host__ __device__ bool is_qless() const { return r.data != nullptr; }
};

}  // namespace xbatch::qr
