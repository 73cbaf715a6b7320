// factor_once_host.hpp: how the right-hand sides of matrices that are factored once become lanes.
//
// Lanes are systems, each with the factors of its own matrix, if there are enough of them. If all systems share one
// matrix, or a few matrices have many right-hand sides, lanes are right-hand sides of one matrix, which share its
// factors. The operations on a right-hand side and their order are the same in both; how the compiler fuses them may
// differ.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <omp.h>

#include "elimination_lanes_host.hpp"

namespace xbatch::tridiagonal {

// The number of matrices whose factors are shared by lanes, each with batch*nrhs/sets right-hand sides; 0 if lanes are
// systems.
template <class T, class Problem>
int64_t shared_sets(const Problem &p, bool is_one_matrix) {
    constexpr int64_t lanes = gathered_lanes<T>;
    if (!has_matrices(p)) return 0;
    if (is_one_matrix) return p.batch >= lanes || p.nrhs >= lanes || p.batch * p.nrhs >= lanes ? 1 : 0;
    return p.batch < lanes && p.nrhs >= lanes ? p.batch : 0;
}

// Largest number of lanes of a group of systems whose right-hand sides are adjacent or, if flat, gathered. Each array
// of a group should fit in `cache_bytes`.
template <class T>
int64_t widest_group(xbatchLayout_t layout, int64_t n, int64_t batch, int64_t threads, int64_t cache_bytes) {
    const int64_t most = layout == XBATCH_LAYOUT_FLAT ? gathered_lanes<T> : max_lanes<T>;
    const int64_t cached = cache_bytes / int64_t(sizeof(T)) / n / simd_lanes<T> * simd_lanes<T>;
    return std::min({most, std::max<int64_t>(cached, gathered_lanes<T>),
                     whole_simd_lanes<T>((batch + threads - 1) / threads), batch});
}

// Lanes are systems: the scratch of a thread has `elements` for each row of a lane, and one more for unknowns that are
// not adjacent in B.
template <class T>
struct SystemsPlan {
    int64_t elements;
    int64_t widest;  // largest number of lanes of a group
    int64_t threads;
    T *scratch;
    int64_t scratch_of_thread;
    size_t bytes;

    template <class Problem>
    SystemsPlan(const Context &context, const Problem &p, int64_t elements_of_row, void *workspace)
        : elements(elements_of_row) {
        const int64_t most = thread_count(context);
        widest = widest_group<T>(p.layout, p.n, p.batch, most, int64_t(8) << 20);  // in the last-level cache
        threads = std::min(most, (p.batch + widest - 1) / widest);
        const int64_t all = elements + (p.layout != XBATCH_LAYOUT_INTERLEAVED);
        scratch_of_thread = whole_lines(counted_product(all, p.n, widest));
        Carver carver(workspace);
        scratch = carver.take<T>(threads, scratch_of_thread);
        bytes = carver.bytes();
    }
};
template <class Problem>
bool keeps_factors(const Problem &p) {
    return p.nrhs > 1 && has_matrices(p);
}
template <class Method, class Problem>
int64_t elements_of(const Problem &p) {
    return keeps_factors(p) ? Method::elements : Method::elements_at_once;
}

// Lanes are right-hand sides: those of adjacent systems, or else any of one matrix.
template <class T>
class Columns {
public:
    template <class Problem>
    Columns(const Context &context, const Problem &p, int64_t sets)
        : at_(p.b_at),
          sets_(sets),
          nrhs_(p.nrhs),
          of_set_(p.batch / sets * p.nrhs),
          are_adjacent_(p.layout != XBATCH_LAYOUT_FLAT && p.batch >= gathered_lanes<T>),
          widest_(are_adjacent_
                      ? widest_group<T>(p.layout, p.n, p.batch, thread_count(context), int64_t(1) << 20)  // in a core's
                      : std::min<int64_t>(of_set_, gathered_lanes<T>)),
          systems_(at_, p.batch, std::min(widest_, lanes_for<T>(at_))),
          groups_of_set_(are_adjacent_ ? systems_.count() * nrhs_ : (of_set_ + widest_ - 1) / widest_) {}

    int64_t widest() const { return widest_; }
    bool are_adjacent() const { return are_adjacent_; }
    int64_t count() const { return sets_ * groups_of_set_; }
    // At most this many threads have work, by the shape alone
    int64_t jobs(int64_t batch) const { return are_adjacent_ ? (batch + widest_ - 1) / widest_ * nrhs_ : count(); }
    int64_t set(int64_t group) const { return group / groups_of_set_; }
    Lanes<T> lanes(int64_t group) const {
        if (are_adjacent_)
            return system_lanes<T>(at_, systems_.begin(group / nrhs_), systems_.lanes(group / nrhs_), group % nrhs_);
        Lanes<T> lanes;
        const int64_t first = column(group, 0);
        lanes.count = int(std::min(widest_, of_set_ - first)), lanes.step = at_.step;
        for (int l = 0; l < lanes.count; ++l) lanes.at[l] = at_.base(system(group, l), (first + l) % nrhs_);
        return lanes;
    }
    int64_t system(int64_t group, int lane) const {
        return are_adjacent_ ? systems_.begin(group / nrhs_) + lane
                             : (sets_ == 1 ? 0 : set(group)) + column(group, lane) / nrhs_;
    }

private:
    int64_t column(int64_t group, int lane) const { return group % groups_of_set_ * widest_ + lane; }

    Placement at_;
    int64_t sets_, nrhs_, of_set_;
    bool are_adjacent_;
    int64_t widest_;
    Tiles<T> systems_;
    int64_t groups_of_set_;
};

// The scratch of Columns: `elements` of each row of each matrix for its factors, and an array for each thread unless
// right-hand sides are adjacent in B.
template <class T>
struct ColumnsPlan {
    Columns<T> columns;
    int64_t threads;
    T *factors, *y;
    int64_t y_of_thread;
    size_t bytes;

    template <class Problem>
    ColumnsPlan(const Context &context, const Problem &p, int64_t sets, int64_t elements, void *workspace)
        : columns(context, p, sets),
          threads(std::min<int64_t>(thread_count(context), columns.jobs(p.batch))),
          y_of_thread(p.layout == XBATCH_LAYOUT_INTERLEAVED && columns.are_adjacent()
                          ? 0
                          : whole_lines(counted_product(p.n, columns.widest()))) {
        Carver carver(workspace);
        factors = carver.take<T>(elements, sets, p.n);
        y = carver.take<T>(threads, y_of_thread);
        bytes = carver.bytes();
    }
    T *y_of(int64_t thread) const { return y + thread * y_of_thread; }
};

// solve(group, set, lanes, y) for all groups, by a team of threads
template <class T, class Problem, class Solve>
void for_each_group_of(const ColumnsPlan<T> &plan, const Problem &p, Solve solve) {
#pragma omp parallel for schedule(static) num_threads(team_size(plan.threads, p.n, p.batch *p.nrhs))
    for (int64_t group = 0; group < plan.columns.count(); ++group) {
        const Lanes<T> lanes = plan.columns.lanes(group);
        if (lanes.count > 0) solve(group, plan.columns.set(group), lanes, plan.y_of(omp_get_thread_num()));
    }
}

// An unknown of system j is not finite though its pivots are good; several threads may solve for one system.
template <class Problem>
void note_lost(const Problem &p, int64_t j) {
    const int32_t lost = int32_t(std::min<int64_t>(p.n + 1, INT32_MAX));
    int32_t &info = p.info[j];
#pragma omp atomic write
    info = lost;
}

// A Method factors the matrices of a lane group into a Tile, and solves with it in place, for some lanes of B:
//     Tile(T *buffer, rows, lanes)                factors of `lanes` matrices, `elements` of T in a row of each
//     tile.shared_by(lane)                        the factors of that lane, for all lanes of a group
//     factor(problem, j, lanes, tile, first_bad)
//     solve(problem, tile, b_lanes, y)            y is scratch where the lanes are not adjacent
// or both at once for a single right-hand side, with a scratch of `elements_at_once` of T in a row of each lane:
//     solve_at_once(problem, j, b_lanes, scratch, y, first_bad)
template <class Method, class T, class Problem>
void solve_systems(const Problem &p, const SystemsPlan<T> &plan) {
    const Tiles<T> tiles(p.b_at, p.batch, std::min(plan.widest, lanes_for<T>(p.b_at)));
    const T *b = static_cast<const T *>(p.b);
#pragma omp parallel for schedule(static) num_threads(team_size(plan.threads, p.n, p.batch))
    for (int64_t t = 0; t < tiles.count(); ++t) {
        const int64_t j = tiles.begin(t);
        const int lanes = tiles.lanes(t);
        if (lanes == 0) continue;
        T *scratch = plan.scratch + omp_get_thread_num() * plan.scratch_of_thread,
          *y = scratch + plan.elements * p.n * lanes;
        const typename Method::Tile tile(scratch, p.n, lanes);
        RowNumber<T> first_bad[max_lanes<T>], found[max_lanes<T>];
        std::fill_n(first_bad, lanes, no_row<T>);
        if (keeps_factors(p)) Method::factor(p, j, lanes, tile, first_bad);
        for (int64_t r = 0; r < p.nrhs; ++r) {
            const Lanes<T> b_lanes = system_lanes<T>(p.b_at, j, lanes, r);
            if (keeps_factors(p)) {
                Method::solve(p, tile, b_lanes, y);
            } else {
                Method::solve_at_once(p, j, b_lanes, scratch, y, found);
                for (int l = 0; l < lanes; ++l) first_bad[l] = std::min(first_bad[l], found[l]);
            }
            if (p.info) note_solved(b, b_lanes, p.n, first_bad);
        }
        for (int l = 0; p.info && l < lanes; ++l) p.info[j + l] = info_of<T>(first_bad[l]);
    }
}

template <class Method, class T, class Problem>
void solve_columns(const Problem &p, const ColumnsPlan<T> &plan, int64_t sets) {
    const typename Method::Tile tile(plan.factors, p.n, int(sets));
    RowNumber<T> first_bad[max_lanes<T>];
    Method::factor(p, 0, int(sets), tile, first_bad);
    for (int64_t j = 0; p.info && j < p.batch; ++j) p.info[j] = info_of<T>(first_bad[sets == 1 ? 0 : j]);
    const T *b = static_cast<const T *>(p.b);
    for_each_group_of(plan, p, [&](int64_t group, int64_t set, const Lanes<T> &lanes, T *y) {
        Method::solve(p, tile.shared_by(set), lanes, y);
        if (!p.info || first_bad[set] != no_row<T>) return;
        for (int l = 0; l < lanes.count; ++l)
            if (!is_finite(b[lanes.at[l]])) note_lost(p, plan.columns.system(group, l));  // as note_solved()
    });
}

template <class Method, class T, class Problem>
void solve_batch(const Context &context, const Problem &p, void *workspace) {
    if (const int64_t sets = shared_sets<T>(p, p.a_at.ld == 0))
        solve_columns<Method>(p, ColumnsPlan<T>(context, p, sets, Method::elements, workspace), sets);
    else
        solve_systems<Method>(p, SystemsPlan<T>(context, p, elements_of<Method>(p), workspace));
}

// The bytes for this shape, whether the systems share one matrix or not
template <class Method, class T, class Problem>
size_t batch_bytes(const Context &context, const Problem &p) {
    size_t bytes = 0;
    for (const bool is_one_matrix : {false, true}) {
        const int64_t sets = shared_sets<T>(p, is_one_matrix);
        bytes = std::max(bytes, sets > 0 ? ColumnsPlan<T>(context, p, sets, Method::elements, nullptr).bytes
                                         : SystemsPlan<T>(context, p, elements_of<Method>(p), nullptr).bytes);
    }
    return bytes;
}

}  // namespace xbatch::tridiagonal
