// tile_copy.cuh: asynchronous copies of parts of matrices to shared memory, filled up with zeros.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tile_memory.cuh"

namespace xbatch::qr {

// SIZE bytes, of which `bytes` come from memory; the rest are zero. Visible to the thread after wait_copies, to others
// after a barrier that follows.
template <int SIZE>
__device__ void copy_async(void *to, const void *from, int bytes) {
    const unsigned shared = unsigned(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(from), "n"(SIZE), "r"(bytes)
                 : "memory");
}
__device__ inline void queue_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most LEFT of the queued groups are in flight
template <int LEFT>
__device__ void wait_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

// R rows of columns in shared memory: entry (r, c) is the one at from(r, c), or zero if that is NULL. any: a valid
// address.
template <int R, int THREADS = tile_threads, class T, class From>
__device__ void copy_entries(T *to, int ld, int columns, const T *any, From from) {
#pragma unroll 4
    for (int e = thread_of_task(); e < columns * R; e += THREADS) {
        const int c = e / R, r = e % R;
        const T *const at = from(r, c);
        copy_async<int(sizeof(T))>(to + c * ld + r, at ? at : any, at ? int(sizeof(T)) : 0);
    }
}
template <class T>
__device__ bool is_aligned(const T *from, int64_t ld) {
    return reinterpret_cast<uintptr_t>(from) % 16 == 0 && ld * int64_t(sizeof(T)) % 16 == 0;
}
// The same for `rows` rows and `there` columns of a matrix, in units of 16 bytes if it is aligned
template <int R, int THREADS = tile_threads, class T>
__device__ void copy_columns(T *to, int ld, int columns, const T *from, int64_t ld_from, int rows, int there) {
    if (!is_aligned(from, ld_from)) {
        copy_entries<R, THREADS>(to, ld, columns, from, [=](int r, int c) {
            return r < rows && c < there ? from + c * ld_from + r : nullptr;
        });
        return;
    }
    constexpr int each = 16 / int(sizeof(T)), pieces = R / each;
#pragma unroll 4
    for (int e = thread_of_task(); e < columns * pieces; e += THREADS) {
        const int c = e / pieces, r = e % pieces * each;
        const int left = c < there ? min(max(rows - r, 0), each) : 0;
        copy_async<16>(to + c * ld + r, left > 0 ? from + c * ld_from + r : from, left * int(sizeof(T)));
    }
}

// Block s … s+width-1 of a tile's vectors, 32 columns of B rows, and its triangle
template <int B, int THREADS = tile_threads, class T>
__device__ void copy_block(T *vectors, int ld, T *triangle, const DeviceReflectors<T> &t, int s, int width) {
    if (t.shape == Shape::full) {
        copy_columns<B, THREADS>(vectors, ld, block_columns, t.v + s * t.ldv, t.ldv, t.rows, width);
    } else {
        copy_entries<B, THREADS>(vectors, ld, block_columns, t.v, [&](int r, int c) {
            return c < width && r < t.rows && t.has(r, s + c) ? t.v + (s + c) * t.ldv + r : nullptr;
        });
    }
    copy_entries<block_columns, THREADS>(triangle, block_ld, block_columns, t.triangles, [&](int r, int c) {
        return r <= c && c < width ? t.triangles + (s + c) * t.ib + r : nullptr;
    });
}
// The unit diagonal that copy_block leaves out of a trapezoid: by all threads, after its copies and before a barrier
template <class T>
__device__ void set_diagonal(T *vectors, int ld, const DeviceReflectors<T> &t, int s, int width) {
    const int c = thread_of_task();
    if (t.shape == Shape::trapezoid && c < width) vectors[c * ld + s + c] = T(Real<T>(1));
}

}  // namespace xbatch::qr
