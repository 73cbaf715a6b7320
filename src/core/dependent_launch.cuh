// dependent_launch.cuh: kernels of one call that follow each other on a stream without a gap between them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

namespace xbatch {

// A kernel may be launched while the one before it still runs; until wait_for_prerequisites it must touch nothing that
// an earlier kernel of the call writes, and write nothing that one reads. Every block waits, so that what a kernel
// waits for has itself waited. The first kernel of a call is launched as usual, and the last lets no other begin.
__device__ inline void trigger_dependents() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ inline void wait_for_prerequisites() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace xbatch
