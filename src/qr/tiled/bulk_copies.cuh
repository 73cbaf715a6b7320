// bulk_copies.cuh: fences between bulk asynchronous copies (TMA) and what tasks have done before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace xbatch::qr {

// Orders bulk copies after earlier accesses of this thread, and after what it waited for.
__device__ inline void bulk_copy_fence() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async;" ::: "memory");
#endif
}
// Also after it has begun the barriers that count the copies
__device__ inline void begin_bulk_copies() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    bulk_copy_fence();
}

}  // namespace xbatch::qr
