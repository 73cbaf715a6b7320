// packed_arguments.cuh: matrices that are factored by panels which go through registers (factor_packed.cuh).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/context.hpp"
#include "device_batch.cuh"

namespace xbatch::qr {

// A = Q R in place
template <class T>
struct PackedArguments {
    DeviceMatrices<T> a;
    DeviceTau<T> tau;
    int m, n;
    int32_t *info;
};

template <class T>
xbatchStatus_t factor_packed_cuda(Context &context, const PackedArguments<T> &p, int64_t batch);
// Whether it takes matrices of this size
template <class T>
bool is_packed(const Context &context, int64_t m, int64_t n, bool is_flat);
// The flat ones that a multiprocessor factors at once; one if it takes none
template <class T>
int packed_at_once(const Context &context, int64_t m, int64_t n);

// The same for interleaved matrices whose panels are copied as boxes (factor_boxed.cuh)
template <class T>
xbatchStatus_t factor_boxed_cuda(Context &context, const PackedArguments<T> &p, int64_t batch);
template <class T>
bool has_boxes(const Context &context, const DeviceMatrices<T> &a, int64_t m, int64_t n, int64_t batch);

// The same for interleaved matrices, of which a block copies panels of several together (factor_adjacent.cuh)
template <class T>
xbatchStatus_t factor_adjacent_cuda(Context &context, const PackedArguments<T> &p, int64_t batch);
template <class T>
bool is_adjacent(const Context &context, int64_t m, int64_t n);

// The same for small matrices that registers hold (factor_cyclic.cuh)
template <class T>
xbatchStatus_t factor_cyclic_cuda(Context &context, const PackedArguments<T> &p, int64_t batch);
// Whether it takes matrices of this size; may_persist: whether persistent blocks do, too
template <class T>
bool is_cyclic(const Context &context, const DeviceMatrices<T> &a, int64_t m, int64_t n, int64_t batch,
               bool may_persist);

// The same for tall matrices of doubles whose rows a few warps share (factor_split.cuh)
xbatchStatus_t factor_split_cuda(Context &context, const PackedArguments<double> &p, int64_t batch);
bool is_split(const Context &context, int64_t m, int64_t n);

}  // namespace xbatch::qr
