// hines_solve_host.cpp: solves Hines systems with stored factors on the host, SIMD lanes over systems.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include "stored_factors_host.hpp"

namespace xbatch::hines {
namespace {

// Factors of some lanes: of node i and lane l at [i*pitch + l], or, of a matrix that they share, at [i]
template <class T>
struct LaneFactors {
    const T *r, *f, *c;
    int64_t pitch;
};

// Right-hand sides of adjacent lanes, both sweeps: y_i = b_i - sum of f_k y_k, x_i = r_i y_i - c_i x_p(i)
template <class T, bool IS_SHARED>
inline void sweep(const std::vector<int32_t> &parent, int lanes, const LaneFactors<T> &a, const Rows<T> &b) {
    const int64_t n = int64_t(parent.size());
    for (int64_t i = n; i-- > 1;) {
        if (parent[size_t(i)] < 0) continue;
        const T *f = a.f + i * a.pitch, *from = b.row(i);
        T *to = b.row(parent[size_t(i)]);
#pragma omp simd
        for (int l = 0; l < lanes; ++l) to[l] = fnma(f[IS_SHARED ? 0 : l], from[l], to[l]);
    }
    for (int64_t i = 0; i < n; ++i) {
        const T *r = a.r + i * a.pitch, *c = a.c + i * a.pitch;
        const bool is_root = parent[size_t(i)] < 0;
        const T *above = is_root ? nullptr : b.row(parent[size_t(i)]);
        T *x = b.row(i);
        if (is_root) {
#pragma omp simd
            for (int l = 0; l < lanes; ++l) x[l] = r[IS_SHARED ? 0 : l] * x[l];
        } else {
#pragma omp simd
            for (int l = 0; l < lanes; ++l) x[l] = fnma(c[IS_SHARED ? 0 : l], above[l], r[IS_SHARED ? 0 : l] * x[l]);
        }
    }
}

// `systems` of the lanes are solved; the others only fill vectors. y: scratch for rows that cannot be used in place.
template <class T>
XBATCH_SIMD_CLONES void solve(const std::vector<int32_t> &parent, bool is_shared, bool is_conjugated,
                              const LaneFactors<T> &a, const Lanes<T> &b_lanes, int systems, T *b, T *y) {
    const int64_t n = int64_t(parent.size());
    const bool is_in_place = b_lanes.adjacent();
    const Rows<T> rows = is_in_place ? Rows<T>{b + b_lanes.at[0], b_lanes.step} : Rows<T>{y, b_lanes.count};
    if (!is_in_place) load_rows<T>(b, b_lanes, n, rows);
    if (is_conjugated) conjugate_rows(n, b_lanes.count, rows);
    if (is_shared)
        sweep<T, true>(parent, b_lanes.count, a, rows);
    else
        sweep<T, false>(parent, b_lanes.count, a, rows);
    if (is_conjugated) conjugate_rows(n, b_lanes.count, rows);
    if (is_in_place) return;
    Lanes<T> solved = b_lanes;
    solved.count = systems;
    scatter(Rows<const T>{rows.first, rows.pitch}, b, solved, 0, n);
}

// How a solve is distributed, and the scratch of a thread
template <class T>
struct SolvePlan {
    StoredFactors<T> factors;
    HinesPanels<T> panels;
    int64_t threads, of_thread;
    T *scratch;
    size_t bytes;

    SolvePlan(const Context &context, const HinesSolveProblem &p, void *workspace)
        : factors(*p.plan, p.layout, p.sets, const_cast<void *>(p.factors)),
          panels(*p.plan, factors, p.batch),
          threads(std::min<int64_t>(thread_count(context), counted_product(panels.count(), p.nrhs))),
          of_thread(whole_lines(panels.elements())) {
        Carver carver(workspace);
        scratch = carver.take<T>(threads, of_thread);
        bytes = carver.bytes();
    }
};

// Whether the lanes of a panel are divided where blocks of B end
template <class T>
int64_t block_of(const Placement &b_at) {
    return b_at.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED && b_at.ld % simd_lanes<T> == 0 ? b_at.ld : INT64_MAX;
}

// One right-hand side of the systems of a panel
template <class T>
void solve_panel(const HinesSolveProblem &p, const SolvePlan<T> &plan, const typename HinesPanels<T>::Panel &panel,
                 const GroupPlacement &b_at, int64_t r, T *scratch) {
    const Tree &tree = p.plan->trees[size_t(panel.group)];
    const Group group = p.plan->group(panel.group, p.batch);
    const bool shared = p.shared();
    const int64_t block = block_of<T>(b_at.at), end = panel.first + panel.systems;
    const T *f = plan.factors.f, *c = plan.factors.c;
    if (p.is_transposed) std::swap(f, c);
    for (int64_t k = panel.first, last; k < end; k = last) {
        last = std::min(end, block == INT64_MAX ? end : (k / block + 1) * block);
        const int systems = int(last - k);
        const int64_t at = shared ? plan.factors.offset(panel.group, 0)
                                  : plan.factors.offset(panel.group, panel.first) + k - panel.first;
        const LaneFactors<T> a{plan.factors.r + at, f + at, c + at, shared ? 1 : panel.lanes};
        const Lanes<T> lanes = group_lanes<T>(b_at, group, k, systems, int(whole_simd_lanes<T>(systems)), r);
        solve(tree.parent, shared, p.is_conjugated, a, lanes, systems, static_cast<T *>(p.b), scratch);
    }
}

}  // namespace

template <class T>
xbatchStatus_t hines_solve_host(Context &context, const HinesSolveProblem &p, void *workspace) {
    const SolvePlan<T> plan(context, p, workspace);
    const std::vector<GroupPlacement> b_at = hines_placement(*p.plan, p.layout, p.nrhs, p.batch, p.ldb);
    const int64_t tasks = plan.panels.count() * p.nrhs;  // the right-hand sides of a panel are adjacent
#pragma omp parallel for schedule(static) num_threads(team_size(plan.threads))
    for (int64_t task = 0; task < tasks; ++task) {
        const auto panel = plan.panels.panel(task / p.nrhs);
        solve_panel<T>(p, plan, panel, b_at[size_t(panel.group)], task % p.nrhs,
                       plan.scratch + omp_get_thread_num() * plan.of_thread);
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t hines_solve_host_workspace(const Context &context, const HinesSolveProblem &p) {
    return SolvePlan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(hines_solve_host);

}  // namespace xbatch::hines
