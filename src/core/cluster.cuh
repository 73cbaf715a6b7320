// cluster.cuh: barriers and distributed shared memory of a thread-block cluster, and bulk asynchronous copies (TMA),
// whose bytes a barrier in shared memory counts.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef XBATCH_FOR_ANY_ARCHITECTURE
#error "The code of a source for any architecture cannot depend on it (src/cmake/cuda_sources.cmake)."
#endif

#include <cuda_runtime.h>

#include <cstdint>

#include "async_copy.cuh"
#include "scalar.hpp"

namespace xbatch {

// Whether the architecture that is compiled for has clusters. Kernels that need them are empty for one without.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
constexpr bool architecture_has_clusters = false;
#else
constexpr bool architecture_has_clusters = true;
#endif

// The barrier of a cluster in two halves, and the address of a block's shared memory
__device__ inline void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ inline void cluster_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}
template <class T>
__device__ inline T *of_block(T *shared, int rank) {
#if __CUDA_ARCH__ >= 900
    uint64_t there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(shared), "r"(rank));
    return reinterpret_cast<T *>(there);
#else
    return shared;
#endif
}

// Counts the bytes of transfers into shared memory: a phase ends when one thread has announced their number and all of
// them have arrived, in either order.
struct TransferBarrier {
    uint64_t *word;

    // By one thread, before any other block or bulk copy uses the barrier.
    __device__ void begin() const {
#if __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(word)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    }
    __device__ void expect(unsigned bytes) const {
#if __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(word)), "r"(bytes)
                     : "memory");
#endif
    }
    // `parity` of the phase's number, counted from 0
    __device__ void wait(unsigned parity) const {
#if __CUDA_ARCH__ >= 900
        unsigned done;
        do {
            asm volatile(
                "{\n .reg .pred p;\n mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
                " selp.u32 %0, 1, 0, p;\n}"
                : "=r"(done)
                : "r"(shared_address(word)), "r"(parity)
                : "memory");
        } while (!done);
#endif
    }
};

// Bulk asynchronous copy from global to shared memory; both addresses and `bytes` are multiples of 16.
__device__ inline void fetch_bytes(void *shared, const void *global, unsigned bytes, TransferBarrier barrier) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(shared)),
                 "l"(global), "r"(bytes), "r"(shared_address(barrier.word))
                 : "memory");
#endif
}
// The same to global memory, after async_fence() of all threads that wrote the bytes
__device__ inline void put_bytes(void *global, const void *shared, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
                 "r"(shared_address(shared)), "r"(bytes)
                 : "memory");
#endif
}
// Waits until the thread's own put_bytes have read shared memory.
__device__ inline void wait_for_puts() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}
// The same until they are in global memory
__device__ inline void wait_until_put() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
#endif
}
// Loads bytes to the second-level cache; address and `bytes` as above.
__device__ inline void prefetch_bytes(const void *global, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(global), "r"(bytes) : "memory");
#endif
}
// Makes the thread's writes to shared memory visible to bulk copies (the async proxy).
__device__ inline void async_fence() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

// Stores a word in another block's shared memory, counted by that block's barrier.
template <class T>
__device__ inline void store_to_block(T *shared, T value, TransferBarrier barrier, int rank) {
#if __CUDA_ARCH__ >= 900
    unsigned to, counter;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(shared_address(shared)), "r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(counter) : "r"(shared_address(barrier.word)), "r"(rank));
    if constexpr (sizeof(T) == 4)
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
                     "r"(__float_as_uint(value)), "r"(counter)
                     : "memory");
    else
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(to),
                     "l"(__double_as_longlong(value)), "r"(counter)
                     : "memory");
#endif
}

}  // namespace xbatch
