// folr_leaves_cuda.cu: the kernel for the leaves of distributed recurrences.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/launch.cuh"
#include "folr_kernels.cuh"
#include "folr_leaves.cuh"
#include "recurrence_tuning.hpp"

namespace xbatch::recurrence {
namespace {

// Rows begin … end-1 of a leaf, counted in steps
struct LeafRows {
    int64_t begin, end;

    __device__ LeafRows(int64_t first, int64_t last) : begin(first), end(last) {}
    template <class T>
    __device__ LeafRows(const LeafMaps<T> &of, int64_t leaf) {
        const int64_t *const row = of.leaf_row + leaf;
        begin = of.is_backward ? of.leaf_row[of.leaves] - row[1] : row[0] - of.leaf_row[0];
        end = begin + row[1] - row[0];
    }
};

// The leaves of system j as systems of their own, where all are as long. FLAT
template <class T>
__device__ inline void divide(FolrProblem &p, const LeafMaps<T> &of, int64_t j) {
    for (Placement *const at : {&p.s_at, &p.t_at, &p.w_at}) {
        const int64_t next = of.is_backward ? -of.longest * at->step : of.longest * at->step;
        at->origin += j * at->ld - of.first() * next;
        at->ld = next;
    }
    p.batch = of.leaves, p.n = of.longest;
}

// The map of each leaf, or its states. FLAT: a block has leaves of one system, `per_warp` a warp if they are even,
// otherwise one a warp. Otherwise a block has a leaf of shape.systems systems.
template <class T, int R, bool FLAT, int THREADS, bool EVALUATES>
__global__ void __launch_bounds__(THREADS, 2) folr_leaves(FolrProblem p, BlockShape shape, LeafMaps<T> of) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    if (EVALUATES && *of.stop != 0) return;
    const int64_t at_once = FLAT ? shape.systems : 1, places = (of.leaves - 1) / at_once + 1;
    const int64_t unit = blockIdx.x / places, first = (blockIdx.x - unit * places) * at_once, systems = p.batch;
    const int warp = FLAT ? int(threadIdx.x / 32) : 0;
    const bool are_even = FLAT && of.are_even;
    if (FLAT && !are_even && first + warp >= of.leaves) return;
    LeafRows rows(of, first + (are_even ? 0 : warp));
    if (are_even) divide(p, of, unit), rows = LeafRows(int64_t(0), of.longest);
    p.n = rows.end;
    Walker<T, R, FLAT> w = walker<T, R, FLAT>(p, shape, shared_bytes, stages_bytes<T, R, FLAT>(THREADS), unit);
    if (FLAT) w.j0 = are_even ? first : unit - warp;  // else all warps have the same system
    const int64_t j = FLAT ? unit : w.j0 + w.chunk.system, leaf = first + (FLAT ? w.chunk.system : 0);
    const bool exists = w.chunk.is_used && j < systems && leaf < of.leaves, starts = of.has_start && leaf == of.first();
    T *const map_at = of.maps + (j * of.leaves + leaf) * LeafMaps<T>::values;
    const int64_t tile = int64_t(shape.chunks) * R;
    T state = T(0);
    if (exists && starts && of.w0) state = of.w0[j * of.w0_step];
    if constexpr (EVALUATES) {
        if (exists && !starts) state = map_at[0];
        for (int64_t row0 = rows.begin; row0 < rows.end; row0 += tile) {
            w.enter(row0);
            const T last = w.leave(row0, state);
            if (row0 + tile < rows.end) state = w.spread(last);
        }
    } else {
        AffineMap<T> map = identity_map<T>();
        for (int64_t row0 = rows.begin; row0 < rows.end; row0 += tile) map = composed(map, w.enter(row0));
        if (!exists || !w.is_last()) return;
        if (starts) map = {T(0), 0, pass(map, state)};
        map_at[0] = map.m, map_at[1] = T(Real<T>(map.e)), map_at[2] = map.t;
    }
}

template <class T, bool FLAT, bool EVALUATES>
xbatchStatus_t launch(Context &context, const FolrProblem &p, const LeafMaps<T> &of) {
    using Tuning = FolrTuning<T>;
    constexpr int threads = Tuning::threads, R = 8;
    int systems = threads / 32, chunks = 32;
    if (FLAT && of.are_even) {
        chunks = int(std::min<int64_t>((of.longest - 1) / R + 1, 32));
        systems *= 32 / chunks;
    }
    if (!FLAT) {
        systems = 1;
        while (systems < Tuning::line_systems && systems < p.batch) systems *= 2;
        chunks = int(std::min<int64_t>((of.longest - 1) / R + 1, threads / systems));
        while (2 * systems * chunks <= threads && systems < p.batch) systems *= 2;
    }
    const int64_t units = FLAT ? p.batch : (p.batch - 1) / systems + 1;
    const int64_t places = FLAT ? (of.leaves - 1) / systems + 1 : of.leaves;
    return Launch(context, units * places, threads, walk_bytes<T, R, FLAT>(threads))(
        folr_leaves<T, R, FLAT, threads, EVALUATES>, "folr_leaves", p, block_shape(systems, chunks, FLAT), of);
}

}  // namespace

template <class T>
xbatchStatus_t condense_leaves(Context &context, const FolrProblem &p, const LeafMaps<T> &leaves) {
    return leaves.is_flat ? launch<T, true, false>(context, p, leaves) : launch<T, false, false>(context, p, leaves);
}
template <class T>
xbatchStatus_t evaluate_leaves(Context &context, const FolrProblem &p, const LeafMaps<T> &leaves) {
    return leaves.is_flat ? launch<T, true, true>(context, p, leaves) : launch<T, false, true>(context, p, leaves);
}

XBATCH_INSTANTIATE_TYPES(condense_leaves);
XBATCH_INSTANTIATE_TYPES(evaluate_leaves);

}  // namespace xbatch::recurrence
