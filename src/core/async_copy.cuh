// async_copy.cuh: asynchronous copies from global to shared memory, by each thread for itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace xbatch {

__device__ inline unsigned shared_address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

// Asynchronous copy of `count` elements to `offset` bytes after an address in shared memory, in copies of at most 16
// bytes. Those of 16 bypass the first-level cache, which would cost a quarter of the bandwidth.
template <class T, int count, int offset>
__device__ inline void copy_async(bool wanted, unsigned shared, const T *global) {
    constexpr int all = count * int(sizeof(T)), bytes = all < 16 ? all : 16;
    const char *const from = reinterpret_cast<const char *>(global);
#pragma unroll
    for (int k = 0; k < all; k += bytes)
        if constexpr (bytes == 16)
            asm volatile(
                "{\n .reg .pred p;\n setp.ne.b32 p, %4, 0;\n @p cp.async.cg.shared.global [%0 + %1], [%2], %3;\n}" ::
                    "r"(shared + k),
                "n"(offset), "l"(from + k), "n"(bytes), "r"(int(wanted))
                : "memory");
        else
            asm volatile(
                "{\n .reg .pred p;\n setp.ne.b32 p, %4, 0;\n @p cp.async.ca.shared.global [%0 + %1], [%2], %3;\n}" ::
                    "r"(shared + k),
                "n"(offset), "l"(from + k), "n"(bytes), "r"(int(wanted))
                : "memory");
}
__device__ inline void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

}  // namespace xbatch
