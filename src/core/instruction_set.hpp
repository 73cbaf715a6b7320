// instruction_set.hpp: for which instruction sets host kernels are compiled, and which of them this machine has.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Kernels are compiled for three generations of x86-64. The sanitizers' run-time crashes in the loader's selection of a
// clone (ifunc); clang has no `flatten`.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define XBATCH_HAS_CLONES
#endif

namespace xbatch {

// The generation of x86-64 whose clones run here: 4, 3, or 1 for what every machine has.
inline int x86_64_generation() {
#ifdef XBATCH_HAS_CLONES
    if (__builtin_cpu_supports("x86-64-v4")) return 4;
    if (__builtin_cpu_supports("x86-64-v3")) return 3;
#endif
    return 1;
}

}  // namespace xbatch
