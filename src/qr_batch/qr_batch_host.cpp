// qr_batch_host.cpp: batched QR on the host: small matrices a vector of them at a time, larger ones each by blocks of
// reflectors; threads over the batch.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include "small_host.hpp"
#include "whole_host.hpp"

namespace xbatch {
namespace {

template <class T>
bool is_small(const Extent &e) {
    return e.elements() <= most_tile_elements<T>;
}

// What each thread has: a tile, or a matrix of its own, with all that is beside it
template <class T>
struct HostPlan {
    int64_t batch, threads;
    bool by_tiles;
    int64_t each;  // bytes of a thread
    char *memory;

    template <class One>
    HostPlan(const Context &context, void *workspace, int64_t matrices, const One &largest)
        : batch(matrices), by_tiles(is_small<T>(largest.extent(true))) {
        const int64_t jobs = by_tiles ? (batch + tile_lanes<T> - 1) / tile_lanes<T> : batch;
        threads = std::min<int64_t>(thread_count(context), jobs);
        Carver thread(nullptr);
        const Extent e = largest.extent(by_tiles);
        if (by_tiles)
            thread.take<T>((e.elements() + e.k) * tile_lanes<T>);
        else
            WholeMatrix<T>(thread, e);
        each = int64_t(thread.bytes() + 63) / 64 * 64;
        Carver carver(workspace);
        memory = carver.take<char>(each * threads);
    }
    size_t bytes() const { return size_t(each * threads); }
};

// A problem, tile by tile or matrix by matrix
template <class T, class Problem, class One>
xbatchStatus_t run(const HostPlan<T> &plan, const Problem &p, void (*tile)(const One *, int, Real<T> *),
                   void (*whole)(const One &, const WholeMatrix<T> &)) {
    constexpr int L = tile_lanes<T>;
    const int64_t step = plan.by_tiles ? L : 1;
    const bool is_long = one_of<T>(p, 0).extent(false).elements() * p.batch >= serial_elements;
#pragma omp parallel for schedule(dynamic) num_threads(int(plan.threads)) if (plan.threads > 1 && is_long)
    for (int64_t j = 0; j < p.batch; j += step) {
        char *const memory = plan.memory + omp_get_thread_num() * plan.each;
        if (plan.by_tiles) {
            One each[L];
            const int count = int(std::min<int64_t>(L, p.batch - j));
            for (int l = 0; l < count; ++l) each[l] = one_of<T>(p, j + l);
            tile(each, count, reinterpret_cast<Real<T> *>(memory));
        } else {
            const One one = one_of<T>(p, j);
            Carver carver(memory);
            whole(one, WholeMatrix<T>(carver, one.extent(false)));
        }
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T, class Problem>
HostPlan<T> plan_for(const Context &context, const Problem &p, void *workspace) {
    return {context, workspace, p.batch, one_of<T>(p, 0)};
}

}  // namespace

template <class T>
xbatchStatus_t geqrf_batch_host(Context &context, const GeqrfBatch &p, void *workspace) {
    return run<T>(plan_for<T>(context, p, workspace), p, factor_tile<T>, factor_whole<T>);
}
template <class T>
size_t geqrf_batch_host_workspace(const Context &context, const GeqrfBatch &p) {
    return plan_for<T>(context, p, nullptr).bytes();
}

template <class T>
xbatchStatus_t unmqr_batch_host(Context &context, const UnmqrBatch &p, void *workspace) {
    return run<T>(plan_for<T>(context, p, workspace), p, apply_tile<T>, apply_whole<T>);
}
template <class T>
size_t unmqr_batch_host_workspace(const Context &context, const UnmqrBatch &p) {
    return plan_for<T>(context, p, nullptr).bytes();
}

template <class T>
xbatchStatus_t gels_batch_host(Context &context, const GelsBatch &p, void *workspace) {
    return run<T>(plan_for<T>(context, p, workspace), p, solve_tile<T>, solve_whole<T>);
}
template <class T>
size_t gels_batch_host_workspace(const Context &context, const GelsBatch &p) {
    return plan_for<T>(context, p, nullptr).bytes();
}

#define XBATCH_INSTANTIATE(T)                                                           \
    template xbatchStatus_t geqrf_batch_host<T>(Context &, const GeqrfBatch &, void *); \
    template size_t geqrf_batch_host_workspace<T>(const Context &, const GeqrfBatch &); \
    template xbatchStatus_t unmqr_batch_host<T>(Context &, const UnmqrBatch &, void *); \
    template size_t unmqr_batch_host_workspace<T>(const Context &, const UnmqrBatch &); \
    template xbatchStatus_t gels_batch_host<T>(Context &, const GelsBatch &, void *);   \
    template size_t gels_batch_host_workspace<T>(const Context &, const GelsBatch &);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)
#undef XBATCH_INSTANTIATE

}  // namespace xbatch
