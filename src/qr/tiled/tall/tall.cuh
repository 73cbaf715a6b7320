// tall.cuh: arguments of the kernels for tall matrices of doubles, and the flags by which blocks wait for one another.
//
// For each panel one kernel factors its domains, and one applies the block reflectors to further columns, beginning
// with finished domains while the tree still joins their triangles: a kernel waits by flags for what it reads, and for
// its prerequisites (dependent_launch.cuh) only at its end, so that kernels end in their order. A block has a domain,
// whose triangle is resident on chip until the tree has joined all others to it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dependent_launch.cuh"
#include "qr/tiled/run_cuda.hpp"
#include "xbatch/task_tickets.cuh"

namespace xbatch::qr {

constexpr int tall_rows = 128;      // of a tile at most
constexpr int update_columns = 64;  // of a block that applies a panel
XBATCH_HD constexpr int64_t groups_of(int64_t columns) { return (columns + update_columns - 1) / update_columns; }

struct TallPanel {
    Tiling tiling;
    int32_t panel;
    TallSource from;
    double *a;
    int64_t lda;
    double *triangles;
    int32_t *next;  // the next ticket
    int32_t *done;  // whether a domain's triangle is ready to be joined to another's
    int32_t *made;  // whether the vectors and T of a domain's tiles are stored, then those of triangles
    int32_t *bad;   // as DeviceRun's
    const int32_t *refused = nullptr;  // if not NULL: heads are factored, and the rest is only if *refused != 0
};

// Applies Q or Q^H of a panel to the columns C
struct TallUpdate {
    Tiling tiling;
    int32_t panel;
    bool is_adjoint;
    double *a;
    int64_t lda;
    double *triangles;
    TallSource from;
    double *c;  // from its first row on
    int64_t ldc, columns;
    int64_t zeros;  // columns, the first ones, that are zero below the rows of the panel's triangle: these entries are
                    // not read
    int32_t *next, *done;  // as TallPanel's, the latter for each group of columns
    const int32_t *made;   // as TallPanel's if that kernel may still run; else NULL
};

// A barrier of the threads of a block, or of a warp.
template <int THREADS>
__device__ void sync() {
    if constexpr (THREADS == 32)
        __syncwarp();
    else
        __syncthreads();
}
// Waits until another block has set a flag; by all threads, or by a warp.
template <int THREADS>
__device__ void wait_for_flag(const int32_t *flag) {
    if (threadIdx.x % THREADS == 0)
        while (load_acquire(flag) == 0) __nanosleep(20);
    sync<THREADS>();
}
// Publishes all that the threads of a block, or of a warp, have written or observed.
template <int THREADS>
__device__ void set_flag(int32_t *flag) {
    sync<THREADS>();
    if (threadIdx.x % THREADS != 0) return;
    __threadfence();
    store_release(flag, 1);
}

}  // namespace xbatch::qr
