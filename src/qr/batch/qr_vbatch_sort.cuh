// qr_vbatch_sort.cuh: sorts the matrices of a varying batch by the kernel that processes them. Each kernel gets a list,
// whose length only the device knows.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/launch.cuh"
#include "core/workspace.hpp"
#include "device_batch.cuh"
#include "qr_batch_tuning.hpp"
#include "qr_vbatch.hpp"

namespace xbatch::qr {

// The lists of matrices to be factored or solved: by the class that shared memory holds; by the kind of kernel; for
// least squares that none holds, by the kind that factors; and all of these again for wide matrices
constexpr int block_kinds = int(QrKind::none) - int(QrKind::rows_64);
constexpr int oriented_lists = resident_classes + 2 * block_kinds, lists = 2 * oriented_lists;
inline XBATCH_HD int list_of(QrKind kind, bool is_factored, bool is_wide) {
    return resident_classes + int(kind) - int(QrKind::rows_64) + (is_factored ? block_kinds : 0) +
           (is_wide ? oriented_lists : 0);
}
// What the lists depend on: complex double; how many classes shared memory holds, with their right-hand sides; the
// first class of them, which is the last in batches that fill no device
struct ListRule {
    bool is_z = false;
    int classes = 0, first = 0;

    XBATCH_HD int class_of(int64_t m, int64_t n) const {
        const int which = resident_class(m, n);
        return which < first ? first : which;
    }
};
inline ListRule list_rule(const Context &context, int64_t batch, bool is_z, int classes, int largest_class) {
    constexpr int held = 16;  // matrices by a multiprocessor, about
    const bool is_small = batch <= int64_t(held) * context.multiprocessors && classes > 0;
    return {is_z, classes, is_small ? std::min(largest_class, classes - 1) : 0};
}

// To be factored: by the kind, which is faster for up to 32 x 32, or the class of those a little larger
constexpr int factored_class = resident_classes - 1;
inline XBATCH_HD int factored_list(int64_t m, int64_t n) {
    const QrKind kind = kind_for(m, n);
    if (kind < QrKind::rows_64) return int(kind);
    return resident_class(m, n) == factored_class ? factored_class : list_of(kind, false, false);
}
inline __device__ int list_of(const GeqrfVBatch &p, int64_t j, ListRule) { return factored_list(p.m.at(j), p.n.at(j)); }
// Products: by the kind
inline __device__ int list_of(const UnmqrVBatch &p, int64_t j, ListRule) {
    const int64_t other = p.is_right ? p.m.at(j) : p.n.at(j);
    return int(kind_for(p.order(j), other));
}
// The kernel for tall matrices is launched for the largest number of rows. Right-hand sides follow the columns of the
// widest matrix of a warp, so there must be room for the largest number of them.
inline __device__ int list_of(const GelsVBatch &p, int64_t j, ListRule rule) {
    const bool is_wide = p.is_wide(j);
    const int64_t rows = is_wide ? p.n.at(j) : p.m.at(j), columns = is_wide ? p.m.at(j) : p.n.at(j);
    const int which = rule.class_of(rows, columns);
    if (which < rule.classes) return which + (is_wide ? oriented_lists : 0);
    QrKind kind = kind_that_holds(rows, columns, p.nrhs.largest, rule.is_z);
    if (kind == QrKind::tall) kind = kind_that_holds(p.rows(), columns, p.nrhs.largest, rule.is_z);
    return kind != QrKind::none ? list_of(kind, false, is_wide) : list_of(block_kind_for(rows, columns), true, is_wide);
}

// Counts of all lists, places assigned in each, and the range of each
struct SortedPlan {
    int32_t *which;           // [batch]
    int32_t *counts, *given;  // [lists]
    ListRange *ranges;        // [lists]

    SortedPlan(Carver &carver, int64_t batch)
        : which(carver.take<int32_t>(batch)),
          counts(carver.take<int32_t>(2 * lists)),
          given(counts + lists),
          ranges(carver.take<ListRange>(lists)) {}
};

constexpr int sort_threads = 256;

// Counts the matrices of each list and reports wrong sizes in info (COUNTS), or gives each matrix its place
template <class Problem, bool COUNTS>
__global__ void __launch_bounds__(sort_threads) sort_matrices(Problem p, ListRule rule, SortedPlan plan) {
    __shared__ int32_t own[lists], begin[lists];
    const int thread = int(threadIdx.x);
    for (int l = thread; l < lists; l += sort_threads) own[l] = 0;
    __syncthreads();
    const int64_t j = int64_t(blockIdx.x) * sort_threads + thread;
    const int32_t wrong = j < p.batch ? p.wrong(j) : 0;
    const bool has_work = j < p.batch && wrong == 0 && p.has_work(j);
    const int list = has_work ? list_of(p, j, rule) : 0;
    const int place = has_work ? atomicAdd(own + list, 1) : 0;
    if (COUNTS && p.info && j < p.batch) p.info[j] = wrong;
    __syncthreads();
    for (int l = thread; l < lists; l += sort_threads) {
        if (own[l] > 0) begin[l] = atomicAdd((COUNTS ? plan.counts : plan.given) + l, own[l]);
        if (COUNTS) continue;
        int32_t before = 0;
        for (int k = 0; k < l; ++k) before += plan.counts[k];
        begin[l] += before;
        if (blockIdx.x == 0) plan.ranges[l] = {before, plan.counts[l]};
    }
    __syncthreads();
    if (!COUNTS && has_work) plan.which[begin[list] + place] = int32_t(j);
}

template <class Problem>
xbatchStatus_t sort_by_kernel(Context &context, const Problem &p, ListRule rule, const SortedPlan &plan) {
    XBATCH_TRY(check_blocks(context, p.batch));
    XBATCH_CUDA(context, cudaMemsetAsync(plan.counts, 0, 2 * lists * sizeof(int32_t), stream_of(context)));
    Launch launch(context, (p.batch - 1) / sort_threads + 1, sort_threads);
    XBATCH_TRY(launch(sort_matrices<Problem, true>, "sort_matrices", p, rule, plan));
    return launch(sort_matrices<Problem, false>, "sort_matrices", p, rule, plan);
}

}  // namespace xbatch::qr
