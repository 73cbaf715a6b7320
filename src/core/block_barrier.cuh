// block_barrier.cuh: barriers in shared memory (mbarrier) by which producer and consumer warps of a block synchronise.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "async_copy.cuh"

namespace xbatch {

// An array of barriers. A phase of one ends after as many arrivals as its count, each by a thread or by the completion
// of the thread's asynchronous copies.
class BlockBarriers {
public:
    __device__ explicit BlockBarriers(void *words) : words_(shared_address(words)) {}
    // By one thread, before any other uses the barrier.
    __device__ void begin(int which, int count) const {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(words_ + which * 8), "r"(count) : "memory");
    }
    // By one thread, after the last use by any other; the words may then hold other data.
    __device__ void end(int which) const {
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(words_ + which * 8) : "memory");
    }
    // Arrive now, and when the thread's earlier cp.async copies are complete.
    __device__ void arrive(int which) const {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(words_ + which * 8) : "memory");
    }
    __device__ void arrive_after_copies(int which) const {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(words_ + which * 8) : "memory");
    }
    // `parity` of the phase's number, counted from 0
    __device__ bool is_over(int which, unsigned parity) const {
        int over;
        asm volatile(
            "{\n .reg .pred p;\n mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.s32 %0, 1, 0, p;\n}"
            : "=r"(over)
            : "r"(words_ + which * 8), "r"(parity)
            : "memory");
        return over != 0;
    }
    __device__ void wait(int which, unsigned parity) const {
#if __CUDA_ARCH__ >= 900
        asm volatile(
            "{\n .reg .pred p;\n again:\n mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n @!p bra again;\n}" ::
                "r"(words_ + which * 8),
            "r"(parity)
            : "memory");
#else
        while (!is_over(which, parity)) continue;
#endif
    }

private:
    unsigned words_;
};

}  // namespace xbatch
