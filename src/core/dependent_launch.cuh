// dependent_launch.cuh: programmatic dependent launch: a kernel of a call starts before its predecessor has ended.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef XBATCH_FOR_ANY_ARCHITECTURE
#error "The code of a source for any architecture cannot depend on it (src/cmake/cuda_sources.cmake)."
#endif

#include <cuda_runtime.h>

namespace xbatch {

// A kernel may start while its predecessor still runs. Before wait_for_prerequisites it must not access data that an
// earlier kernel of the call writes, nor write data that one reads. Every block waits, so that the wait is transitive.
// The first kernel of a call is launched without the attribute, and the last one does not trigger.
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
