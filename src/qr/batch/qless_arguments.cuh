// qless_arguments.cuh: arguments of the kernels for matrices in shared memory, with R as a result of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/context.hpp"
#include "resident_arguments.cuh"

namespace xbatch::qr {

// If r is given: R, with zeros below its diagonal, and B := Q^H B, while A remains; neither least squares nor tau.
template <class T>
struct QlessArguments : ResidentArguments<T> {
    DeviceMatrices<T> r;

    __host__ __device__ bool is_qless() const { return r.data != nullptr; }
};

template <class T>
xbatchStatus_t factor_qless_resident_cuda(Context &context, const QlessArguments<T> &p);

}  // namespace xbatch::qr
