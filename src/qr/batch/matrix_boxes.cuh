// matrix_boxes.cuh: copies boxes of interleaved matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/cluster.cuh"
#include "matrix_boxes.hpp"

namespace xbatch::qr {

// From matrix `first` and column `column` on; shared memory begins at a multiple of 128 bytes.
__device__ inline void fetch_box(void *shared, const MatrixBoxes &boxes, int64_t first, int column,
                                 TransferBarrier barrier) {
#if __CUDA_ARCH__ >= 900
    const int block = int(divided(first, boxes.width)), within = int(first - block * boxes.width) * boxes.units;
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], "
        "[%6];" ::"r"(shared_address(shared)),
        "l"(&boxes.map), "r"(within), "r"(0), "r"(column), "r"(block), "r"(shared_address(barrier.word))
        : "memory");
#endif
}
// The same to global memory, after async_fence() of all threads that wrote the box
__device__ inline void put_box(const void *shared, const MatrixBoxes &boxes, int64_t first, int column) {
#if __CUDA_ARCH__ >= 900
    const int block = int(divided(first, boxes.width)), within = int(first - block * boxes.width) * boxes.units;
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(&boxes.map),
        "r"(within), "r"(0), "r"(column), "r"(block), "r"(shared_address(shared))
        : "memory");
#endif
}

}  // namespace xbatch::qr
