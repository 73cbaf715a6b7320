// qr_vbatch_sort.cuh: sorts the matrices of a varying batch by the kernel that processes them. Each kernel gets a list,
// whose length only the device knows. In the lists for shared memory, matrices with about as many columns and
// reflectors follow each other, since those of a warp take the time of the largest.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cub/block/block_scan.cuh>

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

// A list has buckets: in the lists of a class, by the quarters of its order in which the numbers of columns and of
// reflectors lie
constexpr int buckets_of_list = 16, buckets = buckets_of_list * lists;
inline __device__ int bucket_of(int list) { return list * buckets_of_list; }
inline __device__ int bucket_of(int which, int64_t m, int64_t n) {
    const int quarter = resident_order(which) / 4, k = int(min(m, n));
    return bucket_of(which) + (int(n) - 1) / quarter * 4 + (k - 1) / quarter;
}

inline __device__ int bucket_of(const GeqrfVBatch &p, int64_t j, ListRule rule) {
    const int64_t m = p.m.at(j), n = p.n.at(j);
    const int which = rule.class_of(m, n);
    return which < rule.classes ? bucket_of(which, m, n) : bucket_of(list_of(block_kind_for(m, n), false, false));
}
// Products: by the kind
inline __device__ int bucket_of(const UnmqrVBatch &p, int64_t j, ListRule) {
    const int64_t other = p.is_right ? p.m.at(j) : p.n.at(j);
    return bucket_of(int(kind_for(p.order(j), other)));
}
// The kernel for tall matrices is launched for the largest number of rows. Right-hand sides follow the columns of the
// widest matrix of a warp, so there must be room for the largest number of them.
inline __device__ int bucket_of(const GelsVBatch &p, int64_t j, ListRule rule) {
    const bool is_wide = p.is_wide(j);
    const int64_t rows = is_wide ? p.n.at(j) : p.m.at(j), columns = is_wide ? p.m.at(j) : p.n.at(j);
    const int which = rule.class_of(rows, columns);
    if (which < rule.classes) return bucket_of(which, rows, columns) + (is_wide ? bucket_of(oriented_lists) : 0);
    QrKind kind = kind_that_holds(rows, columns, p.nrhs.largest, rule.is_z);
    if (kind == QrKind::tall) kind = kind_that_holds(p.rows(), columns, p.nrhs.largest, rule.is_z);
    return bucket_of(kind != QrKind::none ? list_of(kind, false, is_wide)
                                          : list_of(block_kind_for(rows, columns), true, is_wide));
}

// Counts of all buckets, places assigned in each, and the range of each list
struct SortedPlan {
    int32_t *which;           // [batch]
    int32_t *counts, *given;  // [buckets]
    ListRange *ranges;        // [lists]

    SortedPlan(Carver &carver, int64_t batch)
        : which(carver.take<int32_t>(batch)),
          counts(carver.take<int32_t>(2 * buckets)),
          given(counts + buckets),
          ranges(carver.take<ListRange>(lists)) {}
};

constexpr int sort_threads = 256;

// Where each bucket begins: exclusive sums of the counts. Returns the sum of all.
__device__ inline int32_t sum_counts(const int32_t *counts, int32_t *begin) {
    constexpr int of_thread = (buckets - 1) / sort_threads + 1;
    using Scan = cub::BlockScan<int32_t, sort_threads>;
    __shared__ typename Scan::TempStorage memory;
    int32_t own[of_thread], all;
    for (int t = 0; t < of_thread; ++t) {
        const int b = int(threadIdx.x) * of_thread + t;
        own[t] = b < buckets ? counts[b] : 0;
    }
    Scan(memory).ExclusiveSum(own, own, all);
    for (int t = 0; t < of_thread; ++t) {
        const int b = int(threadIdx.x) * of_thread + t;
        if (b < buckets) begin[b] = own[t];
    }
    return all;
}

// Counts the matrices of each bucket and reports wrong sizes in info (COUNTS), or gives each matrix its place
template <class Problem, bool COUNTS>
__global__ void __launch_bounds__(sort_threads) sort_matrices(Problem p, ListRule rule, SortedPlan plan) {
    __shared__ int32_t own[buckets], begin[buckets];
    const int thread = int(threadIdx.x);
    for (int b = thread; b < buckets; b += sort_threads) own[b] = 0;
    const int32_t all = COUNTS ? 0 : sum_counts(plan.counts, begin);
    __syncthreads();
    const int64_t j = int64_t(blockIdx.x) * sort_threads + thread;
    const int32_t wrong = j < p.batch ? p.wrong(j) : 0;
    const bool has_work = j < p.batch && wrong == 0 && p.has_work(j);
    const int bucket = has_work ? bucket_of(p, j, rule) : 0;
    const int place = has_work ? atomicAdd(own + bucket, 1) : 0;
    if (COUNTS && p.info && j < p.batch) p.info[j] = wrong;
    if (!COUNTS && blockIdx.x == 0)
        for (int l = thread; l < lists; l += sort_threads) {
            const int first = bucket_of(l), last = bucket_of(l + 1);
            plan.ranges[l] = {begin[first], (last < buckets ? begin[last] : all) - begin[first]};
        }
    __syncthreads();
    for (int b = thread; b < buckets; b += sort_threads) {
        if (own[b] == 0) continue;
        const int32_t before = atomicAdd((COUNTS ? plan.counts : plan.given) + b, own[b]);
        if (!COUNTS) begin[b] += before;
    }
    __syncthreads();
    if (!COUNTS && has_work) plan.which[begin[bucket] + place] = int32_t(j);
}

template <class Problem>
xbatchStatus_t sort_by_kernel(Context &context, const Problem &p, ListRule rule, const SortedPlan &plan) {
    XBATCH_TRY(check_blocks(context, p.batch));
    XBATCH_CUDA(context, cudaMemsetAsync(plan.counts, 0, 2 * buckets * sizeof(int32_t), stream_of(context)));
    Launch launch(context, (p.batch - 1) / sort_threads + 1, sort_threads);
    XBATCH_TRY(launch(sort_matrices<Problem, true>, "sort_matrices", p, rule, plan));
    return launch(sort_matrices<Problem, false>, "sort_matrices", p, rule, plan);
}

}  // namespace xbatch::qr
