// gtsv_vbatch_host.cpp: systems of different lengths on the host, by elimination with pivoting: SIMD lanes over systems
// of similar lengths, a long system by itself.
//
// Shorter systems of a lane group have rows x = 0 in front, which change no bit of a solution: so it does not matter
// which systems share a group.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "gtsv_vbatch.hpp"

#include <omp.h>

#include "core/workspace.hpp"
#include "tridiagonal/pivoted/interface_host.hpp"

namespace xbatch::tridiagonal {
namespace {

constexpr int64_t most_rows = 2048;  // of a system that shares a lane group, whose rows are copied to the cache
template <class T>
constexpr int group_lanes = gathered_lanes<T>;
// Adjacent systems among which a thread looks for similar lengths, at most
template <class T>
constexpr int64_t most_adjacent = 16 * group_lanes<T>;

struct System {
    int64_t number, begin, rows;
};

template <class T>
struct Plan {
    int64_t threads, adjacent, scratch_of_thread;
    T *scratch;
    size_t bytes;

    Plan(const Context &context, const VBatchProblem &p, void *workspace) {
        constexpr int64_t lanes = group_lanes<T>;
        threads = std::min<int64_t>(thread_count(context), (p.batch - 1) / lanes + 1);
        adjacent = std::clamp((p.batch - 1) / (4 * threads) + 1, lanes, most_adjacent<T>);
        const int64_t of_group = 6 * lanes * std::min(p.maxn, most_rows);
        scratch_of_thread = whole_lines(p.maxn > most_rows ? std::max(of_group, counted_product(2, p.maxn)) : of_group);
        Carver carver(workspace);
        scratch = carver.take<T>(threads, scratch_of_thread);
        bytes = carver.bytes();
    }
};

template <class T>
void set_info(const VBatchProblem &p, const System &system, RowNumber<T> first_bad) {
    if (p.info) p.info[system.number] = info_of<T>(first_bad);
}

// A long system, all right-hand sides
template <class T>
void solve_alone(const VBatchProblem &p, const System &system, T *scratch) {
    PivotedTile<T> tile;
    tile.rows = system.rows;
    tile.dl = static_cast<const T *>(p.dl), tile.d = static_cast<const T *>(p.d);
    tile.du = static_cast<const T *>(p.du);
    tile.a_lanes.count = 1, tile.a_lanes.step = 1, tile.a_lanes.at[0] = system.begin;
    tile.pivots = {scratch, scratch + p.maxn};
    tile.y = nullptr;  // a single lane is adjacent to itself
    Lanes<T> b_lanes = tile.a_lanes;
    RowNumber<T> first_bad = no_row<T>, pivots;
    for (int64_t r = 0; r < p.nrhs; ++r) {
        b_lanes.at[0] = r * p.ldb + system.begin;
        solve_pivoted(tile, static_cast<T *>(p.b), b_lanes, &pivots);
        first_bad = std::min(first_bad, pivots);
        if (p.info) note_solved(static_cast<const T *>(p.b), b_lanes, tile.rows, &first_bad);
    }
    set_info<T>(p, system, first_bad);
}

// Systems that share a lane group, the longest first. Row i of a copied array is row i - in_front(l) of lane l.
template <class T>
class Group {
public:
    static constexpr int lanes = group_lanes<T>;

    Group(const System *systems, int count) : systems_(systems), rows_(systems[0].rows), most_in_front_(0) {
        lanes_.count = count, lanes_.step = 1;
        for (int l = 0; l < count; ++l) most_in_front_ = std::max(most_in_front_, in_front(l));
        for (int l = 0; l < count; ++l) lanes_.at[l] = systems[l].begin + most_in_front_ - in_front(l);
    }

    void solve(const VBatchProblem &p, T *scratch) const {
        T *const dl = scratch, *const d = array(dl, 1), *const du = array(dl, 2), *const x = array(dl, 3);
        load(p.dl, T(0), dl), load(p.d, T(1), d), load(p.du, T(0), du);
        for (int l = 0; l < lanes_.count; ++l) dl[in_front(l) * lanes + l] = T(0);  // may be anything in memory
        PivotedTile<T> tile{rows_, dl, d, du, {}, {array(dl, 4), array(dl, 5)}, nullptr};
        tile.a_lanes.count = lanes, tile.a_lanes.step = lanes;
        for (int l = 0; l < lanes; ++l) tile.a_lanes.at[l] = l;
        RowNumber<T> first_bad[max_lanes<T>], found[max_lanes<T>];
        std::fill_n(found, lanes, no_row<T>);
        for (int64_t r = 0; r < p.nrhs; ++r) {
            T *const b = static_cast<T *>(p.b) + r * p.ldb;
            load(b, T(0), x);
            solve_pivoted(tile, x, tile.a_lanes, first_bad);
            store(x, b);
            for (int l = 0; l < lanes_.count; ++l) {
                if (first_bad[l] != no_row<T>) found[l] = std::min<RowNumber<T>>(found[l], first_bad[l] - in_front(l));
                found[l] = note_finite(found[l], number_of_row<T>(systems_[l].rows), x[in_front(l) * lanes + l]);
            }
        }
        for (int l = 0; l < lanes_.count; ++l) set_info<T>(p, systems_[l], found[l]);
    }

private:
    int64_t in_front(int l) const { return rows_ - systems_[l].rows; }
    T *array(T *first, int number) const { return first + number * rows_ * lanes; }
    // f(row of the group, lane, offset in memory) for the rows that not all systems have
    template <class F>
    void each_uncommon(F f) const {
        for (int l = 0; l < lanes_.count; ++l)
            for (int64_t i = in_front(l); i < most_in_front_; ++i) f(i, l, systems_[l].begin + i - in_front(l));
    }
    void load(const void *memory, T otherwise, T *to) const {
        const T *const from = static_cast<const T *>(memory);
        std::fill_n(to, (lanes_.count == lanes ? most_in_front_ : rows_) * lanes, otherwise);
        each_uncommon([&](int64_t i, int l, int64_t at) { to[i * lanes + l] = from[at]; });
        gather(from, lanes_, 0, rows_ - most_in_front_, 0, {to + most_in_front_ * lanes, lanes});
    }
    void store(const T *from, T *to) const {
        each_uncommon([&](int64_t i, int l, int64_t at) { to[at] = from[i * lanes + l]; });
        scatter({from + most_in_front_ * lanes, lanes}, to, lanes_, 0, rows_ - most_in_front_);
    }

    const System *systems_;
    int64_t rows_, most_in_front_;  // of the longest system, and in front of the shortest one
    Lanes<T> lanes_;                // the common rows in memory
};

// Systems j … end-1, at most most_adjacent of them
template <class T>
void solve_adjacent(const VBatchProblem &p, int64_t j, int64_t end, T *scratch) {
    System systems[most_adjacent<T>];
    int64_t count = 0;
    for (; j < end; ++j) {
        const int64_t begin = p.offsets[j], next = p.offsets[j + 1];
        const bool is_wrong = begin < 0 || next < begin || next - begin > p.maxn;
        const int64_t rows = is_wrong ? 0 : next - begin;
        if (p.info) p.info[j] = is_wrong ? -1 : 0;
        if (rows > most_rows) solve_alone(p, {j, begin, rows}, scratch);
        if (rows > 0 && rows <= most_rows) systems[count++] = {j, begin, rows};
    }
    std::sort(systems, systems + count, [](const System &a, const System &b) {
        return a.rows != b.rows ? a.rows > b.rows : a.number < b.number;
    });
    for (int64_t first = 0; first < count; first += group_lanes<T>)
        Group<T>(systems + first, int(std::min<int64_t>(group_lanes<T>, count - first))).solve(p, scratch);
}

}  // namespace

template <class T>
xbatchStatus_t gtsv_vbatch_host(Context &context, const VBatchProblem &p, void *workspace) {
    const Plan<T> plan(context, p, workspace);
#pragma omp parallel for schedule(dynamic) num_threads(team_size(plan.threads, p.maxn, p.batch))
    for (int64_t j = 0; j < p.batch; j += plan.adjacent)
        solve_adjacent(p, j, std::min(j + plan.adjacent, p.batch),
                       plan.scratch + omp_get_thread_num() * plan.scratch_of_thread);
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t gtsv_vbatch_host_workspace(const Context &context, const VBatchProblem &p) {
    return Plan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(gtsv_vbatch_host);

}  // namespace xbatch::tridiagonal
