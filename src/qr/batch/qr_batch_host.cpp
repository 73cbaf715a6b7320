// qr_batch_host.cpp: batched QR on the host: matrices of few rows in groups that fill a vector, others each by block
// reflectors; threads over the batch.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <tuple>

#include "blocked_host.hpp"
#include "small_matrices_host.hpp"

namespace xbatch::qr {
namespace {

template <class T>
bool is_small(const Extent &e) {
    return e.rows <= most_tile_rows<T> && e.elements() <= most_tile_elements<T>;
}

// Memory of each thread: a lane group, or one matrix with its other columns; room for either where sizes vary.
template <class T>
struct HostPlan {
    int64_t batch, threads;
    bool all_small;
    int64_t at_once;  // lane groups, or matrices alone, that a thread takes
    int64_t each;     // bytes of a thread
    char *memory;
    size_t bytes;

    template <class One>
    HostPlan(const Context &context, void *workspace, int64_t matrices, const One &largest, bool sizes_vary)
        : batch(matrices), all_small(is_small<T>(largest.extent(true))) {
        const bool has_tiles = all_small || sizes_vary;
        const int64_t lanes = all_small ? tile_lanes<T> : 1, jobs = (batch + lanes - 1) / lanes;
        const int64_t elements = largest.extent(false).elements();
        threads = elements * batch >= serial_elements ? std::min<int64_t>(thread_count(context), jobs) : 1;
        at_once = std::clamp<int64_t>(serial_elements / std::max<int64_t>(elements * lanes, 1), 1,
                                      std::max<int64_t>(jobs / (8 * threads), 1));
        Carver tile(nullptr), blocked(nullptr);
        const Extent e = largest.extent(true);
        const int64_t gaps = e.columns + e.others;  // LaneTile::ld
        if (has_tiles) tile.take<T>(std::min(e.elements(), most_tile_elements<T>) + gaps + e.k + 1, tile_lanes<T>);
        if (!all_small) BlockedMatrix<T>(blocked, largest.extent(false));
        each = whole_lines(int64_t(std::max(tile.bytes(), blocked.bytes())));
        Carver all(workspace);
        memory = all.take_lines<char>(each, threads);
        bytes = all.bytes();
    }
    char *own() const { return memory + omp_get_thread_num() * each; }
    Real<T> *reals() const { return reinterpret_cast<Real<T> *>(own()); }
    BlockedMatrix<T> blocked(const Extent &e) const {
        Carver carver(own());
        return BlockedMatrix<T>(carver, e);
    }
};

template <class One, class T>
using TileJob = void (*)(const One *, int, Real<T> *);
template <class One, class T>
using BlockedJob = void (*)(const One &, const BlockedMatrix<T> &);

// Matrices of one size, by lane groups or one by one
template <class T, class Problem, class One>
xbatchStatus_t run(const HostPlan<T> &plan, const Problem &p, TileJob<One, T> tile, BlockedJob<One, T> blocked) {
    constexpr int L = tile_lanes<T>;
    const int64_t step = plan.all_small ? L : 1;
#pragma omp parallel for schedule(dynamic, plan.at_once) num_threads(team_size(plan.threads))
    for (int64_t j = 0; j < p.batch; j += step) {
        One each[L];
        const int count = int(std::min(step, p.batch - j));
        for (int l = 0; l < count; ++l) each[l] = one_of<T>(p, j + l);
        if (plan.all_small)
            tile(each, count, plan.reals());
        else
            blocked(each[0], plan.blocked(each[0].extent(false)));
    }
    return XBATCH_STATUS_SUCCESS;
}

// Small matrices of several sizes: similar ones share a lane group, while it holds less than two groups would.
template <class T, class One>
void run_tiles(One *some, int count, TileJob<One, T> tile, Real<T> *reals) {
    const auto key = [](const One &one) {
        const Extent e = one.extent(true);
        return std::make_tuple(one.kind(), e.rows, e.columns, e.others);
    };
    std::sort(some, some + count, [&](const One &a, const One &b) { return key(a) < key(b); });
    for (int first = 0, end = 0; first < count; first = end) {
        Extent e = some[first].extent(true);
        for (end = first + 1; end < std::min(first + tile_lanes<T>, count); ++end) {
            const Extent own = some[end].extent(true), both = joined(e, own);
            if (some[end].kind() != some[first].kind() || !is_small<T>(both)) break;
            if (both.elements() > e.elements() + own.elements()) break;
            e = both;
        }
        tile(some + first, end - first, reals);
    }
}
// Matrices of several sizes: for each stretch of the batch first the small ones, by lane groups, then each large one
template <class T, class Problem, class One>
xbatchStatus_t run_each(const HostPlan<T> &plan, const Problem &p, TileJob<One, T> tile, BlockedJob<One, T> blocked) {
    constexpr int64_t L = tile_lanes<T>, most = 16 * L;
    // Chosen by the batch alone: which matrices share a lane group must not depend on the number of threads, since
    // lanes may round differently.
    const int64_t stretch = std::clamp(p.batch / 64, L, most);
#pragma omp parallel num_threads(team_size(plan.threads))
    {
#pragma omp for schedule(dynamic) nowait
        for (int64_t first = 0; first < p.batch; first += stretch) {
            One some[most];
            int count = 0;
            for (int64_t j = first; j < std::min(first + stretch, p.batch); ++j) {
                const int32_t wrong = p.wrong(j);
                const bool has_work = wrong == 0 && p.has_work(j);
                if (has_work) {
                    some[count] = one_of<T>(p, j);
                    count += is_small<T>(some[count].extent(true));
                } else if (p.info) {
                    p.info[j] = wrong;
                }
            }
            run_tiles<T>(some, count, tile, plan.reals());
        }
        if (!plan.all_small) {
#pragma omp for schedule(dynamic)
            for (int64_t j = 0; j < p.batch; ++j) {
                if (p.wrong(j) != 0 || !p.has_work(j)) continue;
                const One one = one_of<T>(p, j);
                if (!is_small<T>(one.extent(true))) blocked(one, plan.blocked(one.extent(false)));
            }
        }
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T, class Problem>
HostPlan<T> plan_for(const Context &context, const Problem &p, void *workspace) {
    return {context, workspace, p.batch, one_of<T>(p, 0), false};
}
template <class T, class Problem>
HostPlan<T> plan_for_each(const Context &context, const Problem &p, void *workspace) {
    return {context, workspace, p.batch, one_of<T>(p.of_largest(), 0), true};
}

}  // namespace

template <class T>
xbatchStatus_t geqrf_batch_host(Context &context, const GeqrfBatch &p, void *workspace) {
    return run<T>(plan_for<T>(context, p, workspace), p, factor_tile<T>, factor_blocked<T>);
}
template <class T>
size_t geqrf_batch_host_workspace(const Context &context, const GeqrfBatch &p) {
    return plan_for<T>(context, p, nullptr).bytes;
}

template <class T>
xbatchStatus_t unmqr_batch_host(Context &context, const UnmqrBatch &p, void *workspace) {
    return run<T>(plan_for<T>(context, p, workspace), p, apply_tile<T>, apply_blocked<T>);
}
template <class T>
size_t unmqr_batch_host_workspace(const Context &context, const UnmqrBatch &p) {
    return plan_for<T>(context, p, nullptr).bytes;
}

template <class T>
xbatchStatus_t gels_batch_host(Context &context, const GelsBatch &p, void *workspace) {
    return run<T>(plan_for<T>(context, p, workspace), p, solve_tile<T>, solve_blocked<T>);
}
template <class T>
size_t gels_batch_host_workspace(const Context &context, const GelsBatch &p) {
    return plan_for<T>(context, p, nullptr).bytes;
}

template <class T>
xbatchStatus_t qless_batch_host(Context &context, const QlessBatch &p, void *workspace) {
    return run<T>(plan_for<T>(context, p, workspace), p, qless_tile<T>, qless_blocked<T>);
}
template <class T>
size_t qless_batch_host_workspace(const Context &context, const QlessBatch &p) {
    return plan_for<T>(context, p, nullptr).bytes;
}

template <class T>
xbatchStatus_t geqrf_vbatch_host(Context &context, const GeqrfVBatch &p, void *workspace) {
    return run_each<T>(plan_for_each<T>(context, p, workspace), p, factor_tile<T>, factor_blocked<T>);
}
template <class T>
size_t geqrf_vbatch_host_workspace(const Context &context, const GeqrfVBatch &p) {
    return plan_for_each<T>(context, p, nullptr).bytes;
}

template <class T>
xbatchStatus_t unmqr_vbatch_host(Context &context, const UnmqrVBatch &p, void *workspace) {
    return run_each<T>(plan_for_each<T>(context, p, workspace), p, apply_tile<T>, apply_blocked<T>);
}
template <class T>
size_t unmqr_vbatch_host_workspace(const Context &context, const UnmqrVBatch &p) {
    return plan_for_each<T>(context, p, nullptr).bytes;
}

template <class T>
xbatchStatus_t gels_vbatch_host(Context &context, const GelsVBatch &p, void *workspace) {
    return run_each<T>(plan_for_each<T>(context, p, workspace), p, solve_tile<T>, solve_blocked<T>);
}
template <class T>
size_t gels_vbatch_host_workspace(const Context &context, const GelsVBatch &p) {
    return plan_for_each<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(geqrf_batch_host);
XBATCH_INSTANTIATE_BACKEND(unmqr_batch_host);
XBATCH_INSTANTIATE_BACKEND(gels_batch_host);
XBATCH_INSTANTIATE_BACKEND(qless_batch_host);
XBATCH_INSTANTIATE_BACKEND(geqrf_vbatch_host);
XBATCH_INSTANTIATE_BACKEND(unmqr_vbatch_host);
XBATCH_INSTANTIATE_BACKEND(gels_vbatch_host);

}  // namespace xbatch::qr
