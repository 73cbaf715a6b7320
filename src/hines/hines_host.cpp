// hines_host.cpp: Hines systems on the host: elimination from the tips, SIMD lanes over systems.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <algorithm>
#include <vector>

#include "core/lanes_host.hpp"
#include "core/workspace.hpp"
#include "hines.hpp"

namespace xbatch::hines {
namespace {

// Bytes of a lane group's state, which should fit in the second-level cache. Where rows are used in place, half of it
// is the caller's array, and long rows save accesses to other pages. And the limit for the next group's arrays to be
// prefetched.
constexpr int64_t flat_state_bytes = 1 << 19, adjacent_state_bytes = 1 << 20, ahead_bytes = 1 << 20;
constexpr int flat_row_bytes = 2 * gathered_row_bytes;
// Up to this number of systems of a morphology, systems are solved one by one. Only for reals does a compiler contract
// the arithmetic of a single lane as that of a lane in a vector.
template <class T>
constexpr int64_t few_systems = std::is_same_v<T, Real<T>> ? 3 : 0;

// Several systems of one morphology side by side, or a single one. Several fill whole SIMD vectors: lanes after the
// first `systems` repeat the last of them, so the arithmetic of a lane does not depend on its position.
template <class T>
struct HinesTile {
    int64_t number = -1, group, first;  // its number among all, its group, and its first system there
    int64_t n;
    const int32_t *parent, *last_child;
    int systems, lanes;
    const T *upper, *lower, *d;
    T *b;
    Lanes<T> ul_lanes, d_lanes, b_lanes;  // of the first right-hand side
    bool is_conjugated, has_info;
    // Scratch, [n][lanes]: pivots, then c_i = l_i / pivot_i; right-hand sides that cannot be used in place; and 1 /
    // pivot_i for several right-hand sides, else NULL
    T *c, *g, *inverse;
};

// Forced inline: GCC drops calls of a function that only prefetches, as it has no effects.
#define XBATCH_PREFETCHES __attribute__((always_inline)) inline

// Prefetches row i of an array. Where rows are adjacent elements of a lane, it prefetches whole cache lines in turn.
template <class T>
XBATCH_PREFETCHES void prefetch_row(const T *data, const Lanes<T> &lanes, int64_t i) {
    constexpr int64_t line = 64 / sizeof(T);
    const int64_t each = lanes.step == 1 ? std::max<int64_t>(lanes.count / line, 1) : lanes.count;
    const int64_t first = lanes.step == 1 ? i % line * each : 0, stride = lanes.step == 1 ? 1 : line;
    for (int64_t l = first; l < std::min<int64_t>(first + each, lanes.count); l += stride)
        __builtin_prefetch(data + lanes.at[l] + i * lanes.step, 0, 2);
}

// Prefetches row i of a later lane group.
template <class T>
XBATCH_PREFETCHES void prefetch_row(const HinesTile<T> &later, int64_t i) {
    prefetch_row(later.upper, later.ul_lanes, i);
    if (later.lower != later.upper) prefetch_row(later.lower, later.ul_lanes, i);
    prefetch_row(later.d, later.d_lanes, i);
    prefetch_row<T>(later.b, later.b_lanes, i);
}

// Coefficients of a lane group from the last node to the first
template <class T>
class Coefficients {
public:
    Coefficients(const T *data, const Lanes<T> &lanes) : data_(data), lanes_(lanes), is_adjacent_(lanes.adjacent()) {}

    // Rows of nodes i … i+rows-1, at most stage_rows of them, valid until the next call
    Rows<const T> fetch(int64_t i, int64_t rows) {
        if (is_adjacent_) return {data_ + lanes_.at[0] + i * lanes_.step, lanes_.step};
        gather(data_, lanes_, i, rows, 0, {stage_, lanes_.count});
        return {stage_, lanes_.count};
    }

private:
    const T *data_;
    const Lanes<T> &lanes_;
    bool is_adjacent_;
    alignas(64) T stage_[stage_bytes / sizeof(T)];
};

// The larger of the last bad row so far and this row, if its pivot is bad
template <class T>
inline RowNumber<T> note_pivot(RowNumber<T> last_bad, RowNumber<T> number, T pivot, T inverse) {
    const RowNumber<T> noted = lane_has_reciprocal(pivot, inverse) ? 0 : number;
    return noted > last_bad ? noted : last_bad;
}

// One lane of one node: c_i = l_i / p_i, g_i = b_i / p_i, and the update of the parent's pivot, which was parent_d, and
// right-hand side (operands one by one: lanes_host.hpp).
template <class T>
inline T eliminate(const T &upper, const T &lower, const T &pivot, const T &parent_d, T &c, T &g, T &parent_pivot,
                   T &parent_b, RowNumber<T> number, RowNumber<T> &last_bad) {
    const T inverse = lane_reciprocal(pivot);
    last_bad = note_pivot(last_bad, number, pivot, inverse);
    c = lower * inverse;
    g = g * inverse;
    parent_pivot = fnma(upper, c, parent_d);
    parent_b = fnma(upper, g, parent_b);
    return inverse;
}

template <class T>
inline void eliminate_row(int lanes, const T *upper, const T *lower, const T *pivot, const T *parent_d, T *c, T *g,
                          T *parent_pivot, T *parent_b, T *inverse, RowNumber<T> number, RowNumber<T> *last_bad) {
    if (inverse) {
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            inverse[l] = eliminate(upper[l], lower[l], pivot[l], parent_d[l], c[l], g[l], parent_pivot[l], parent_b[l],
                                   number, last_bad[l]);
    } else {
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            eliminate(upper[l], lower[l], pivot[l], parent_d[l], c[l], g[l], parent_pivot[l], parent_b[l], number,
                      last_bad[l]);
    }
}

// The same for a root
template <class T>
inline T eliminate_root(const T &pivot, T &g, RowNumber<T> number, RowNumber<T> &last_bad) {
    const T inverse = lane_reciprocal(pivot);
    last_bad = note_pivot(last_bad, number, pivot, inverse);
    g = g * inverse;
    return inverse;
}

template <class T>
inline void eliminate_root_row(int lanes, const T *pivot, T *g, T *inverse, RowNumber<T> number,
                               RowNumber<T> *last_bad) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
        const T inverted = eliminate_root(pivot[l], g[l], number, last_bad[l]);
        if (inverse) inverse[l] = inverted;
    }
}

// x_i = g_i - c_i x_p(i)
template <class T>
inline void substitute_row(int lanes, const T *c, const T *parent_x, T *x) {
    if (lanes == 1) {
        *x = fnma(*c, *parent_x, *x);
        return;
    }
#pragma omp simd
    for (int l = 0; l < lanes; ++l) x[l] = fnma(c[l], parent_x[l], x[l]);
}

// The number after the last node's, where x_i is not finite and no pivot was bad
template <class T>
inline void note_finite_row(int lanes, RowNumber<T> after_last, const T *x, RowNumber<T> *last_bad) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
        const RowNumber<T> noted = is_finite(x[l]) ? 0 : after_last;
        last_bad[l] = last_bad[l] > 0 ? last_bad[l] : noted;
    }
}

// g_i = b_i / p_i and the update of the parent, from the stored inverse pivots
template <class T>
inline void forward_row(int lanes, const T *upper, const T *inverse, T *g, T *parent_b) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
        g[l] = g[l] * inverse[l];
        parent_b[l] = fnma(upper[l], g[l], parent_b[l]);
    }
}
template <class T>
inline void forward_root(int lanes, const T *inverse, T *g) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) g[l] = g[l] * inverse[l];
}

template <class T>
inline void conjugate_rows(const HinesTile<T> &tile, const Rows<T> &rows) {
    if constexpr (!std::is_same_v<T, Real<T>>)
        for (int64_t i = 0; i < tile.n; ++i) {
            T *row = rows.row(i);
#pragma omp simd
            for (int l = 0; l < tile.lanes; ++l) row[l] = conjugate(row[l]);
        }
}

// Copies an array of a lane group, all rows, into the scratch
template <class T>
inline void load_rows(const T *data, const Lanes<T> &lanes, int64_t n, Rows<T> to) {
    const int64_t block = stage_rows<T>(lanes.count);
    const bool is_adjacent = lanes.count > 1 && lanes.adjacent();
    for (int64_t i = 0; i < n; i += block) {
        const int64_t rows = std::min(n - i, block);
        if (is_adjacent)
            for (int64_t k = i; k < i + rows; ++k)
                std::copy_n(data + lanes.at[0] + k * lanes.step, lanes.count, to.row(k));
        else
            gather(data, lanes, i, rows, std::min(rows, n - i - rows), {to.row(i), to.pitch});
    }
}

// Calls row(i, u_i, l_i) for all nodes from the last to the first.
template <class T, class Row>
inline void for_each_node(const HinesTile<T> &tile, Row row) {
    Coefficients<T> upper(tile.upper, tile.ul_lanes), lower(tile.lower, tile.ul_lanes);
    const int64_t block = stage_rows<T>(tile.lanes);
    for (int64_t end = tile.n; end > 0;) {
        const int64_t begin = (end - 1) / block * block;
        const Rows<const T> u = upper.fetch(begin, end - begin),
                            l = tile.lower == tile.upper ? u : lower.fetch(begin, end - begin);
        for (int64_t i = end; i-- > begin;) row(i, u.row(i - begin), l.row(i - begin));
        end = begin;
    }
}

// Pivots are in the array of c where a child has been eliminated, else in that of d.
template <class T>
inline void eliminate_tile(const HinesTile<T> &tile, const HinesTile<T> *next, const Rows<const T> &d, const Rows<T> &g,
                           RowNumber<T> *last_bad) {
    const int lanes = tile.lanes;
    const Rows<T> c{tile.c, lanes};
    std::fill_n(last_bad, lanes, RowNumber<T>(0));
    for_each_node(tile, [&](int64_t i, const T *u, const T *l) {
        const int64_t p = tile.parent[i];
        const RowNumber<T> number = RowNumber<T>(i + 1);
        if (next && i < next->n) prefetch_row(*next, i);
        T *inverse = tile.inverse ? tile.inverse + i * lanes : nullptr;
        const T *const pivot = tile.last_child[i] < 0 ? d.row(i) : c.row(i);
        if (p < 0)
            eliminate_root_row(lanes, pivot, g.row(i), inverse, number, last_bad);
        else
            eliminate_row(lanes, u, l, pivot, tile.last_child[p] == i ? d.row(p) : c.row(p), c.row(i), g.row(i),
                          c.row(p), g.row(p), inverse, number, last_bad);
    });
}

// A single system. The updated row i-1 is in registers where node i-1 is the parent of node i.
template <class T>
inline void eliminate_single(const HinesTile<T> &tile, const Rows<T> &g, RowNumber<T> *last_bad) {
    const int64_t step = tile.ul_lanes.step;
    const T *u = tile.upper + tile.ul_lanes.at[0], *l = tile.lower + tile.ul_lanes.at[0];
    T *c = tile.c, pivot = c[tile.n - 1], y = *g.row(tile.n - 1);
    RowNumber<T> bad = 0;
    for (int64_t i = tile.n; i-- > 0;) {
        const int64_t p = tile.parent[i];
        T c_i = pivot, g_i = y, inverse;
        if (p < 0) {
            inverse = eliminate_root(c_i, g_i, RowNumber<T>(i + 1), bad);
        } else {
            pivot = c[p], y = *g.row(p);
            inverse = eliminate(u[i * step], l[i * step], c_i, pivot, c_i, g_i, pivot, y, RowNumber<T>(i + 1), bad);
        }
        c[i] = c_i, *g.row(i) = g_i;
        if (tile.inverse) tile.inverse[i] = inverse;
        if (p == i - 1) continue;
        if (p >= 0) c[p] = pivot, *g.row(p) = y;
        pivot = c[i - 1], y = *g.row(i - 1);
    }
    *last_bad = bad;
}

template <class T>
inline void forward_tile(const HinesTile<T> &tile, const Rows<T> &g) {
    for_each_node(tile, [&](int64_t i, const T *u, const T *) {
        const int64_t p = tile.parent[i];
        const T *inverse = tile.inverse + i * tile.lanes;
        if (p < 0)
            forward_root(tile.lanes, inverse, g.row(i));
        else
            forward_row(tile.lanes, u, inverse, g.row(i), g.row(p));
    });
}

// Back substitution; solutions are copied to b unless it is NULL. A product with a non-finite unknown is not finite
// either, even by 0, so it suffices to test the tips. A node whose successor is its child is no tip.
template <class T>
inline void substitute_tile(const HinesTile<T> &tile, const Rows<T> &g, T *b, const Lanes<T> &b_lanes,
                            RowNumber<T> *last_bad) {
    const int64_t block = stage_rows<T>(tile.lanes);
    for (int64_t begin = 0; begin < tile.n; begin += block) {
        const int64_t end = std::min(begin + block, tile.n);
        for (int64_t i = begin; i < end; ++i) {
            if (tile.parent[i] >= 0)
                substitute_row(tile.lanes, tile.c + i * tile.lanes, g.row(tile.parent[i]), g.row(i));
            const bool may_be_tip = i + 1 == tile.n || tile.parent[i + 1] != i;
            if (tile.has_info && may_be_tip) note_finite_row(tile.lanes, RowNumber<T>(tile.n + 1), g.row(i), last_bad);
        }
        if (b) scatter(Rows<const T>{g.row(begin), g.pitch}, b, b_lanes, begin, end - begin);
    }
}

// One right-hand side. For the first one of a lane group, computes the pivots and prefetches the next group, if any.
// last_bad [lanes] is the largest node number whose pivot is bad; if none is, the number after the last node's if an
// unknown is not finite; else 0.
template <class T>
XBATCH_SIMD_CLONES void solve(const HinesTile<T> &tile, const HinesTile<T> *next, const Lanes<T> &b_lanes,
                              bool is_first, RowNumber<T> *last_bad) {
    const bool is_in_place = b_lanes.adjacent();
    const Rows<T> g = is_in_place ? Rows<T>{tile.b + b_lanes.at[0], b_lanes.step} : Rows<T>{tile.g, tile.lanes};
    if (!is_in_place) load_rows<T>(tile.b, b_lanes, tile.n, g);
    if (tile.is_conjugated) conjugate_rows(tile, g);
    if (is_first) {
        const bool d_in_place = tile.lanes > 1 && tile.d_lanes.adjacent();
        const Rows<T> c{tile.c, tile.lanes};
        if (!d_in_place) load_rows(tile.d, tile.d_lanes, tile.n, c);
        const Rows<const T> d = d_in_place ? Rows<const T>{tile.d + tile.d_lanes.at[0], tile.d_lanes.step}
                                           : Rows<const T>{c.first, c.pitch};
        if (tile.lanes == 1)
            eliminate_single(tile, g, last_bad);
        else
            eliminate_tile(tile, next, d, g, last_bad);
    } else {
        forward_tile(tile, g);
    }
    Lanes<T> solved = b_lanes;
    solved.count = tile.systems;
    const bool at_once = !is_in_place && !tile.is_conjugated;
    substitute_tile(tile, g, at_once ? tile.b : nullptr, solved, last_bad);
    if (!tile.is_conjugated) return;
    conjugate_rows(tile, g);
    if (!is_in_place) scatter(Rows<const T>{g.first, g.pitch}, tile.b, solved, 0, tile.n);
}

// How a batch is distributed, and the scratch of a thread
template <class T>
struct HostPlan {
    const HinesProblem &p;
    int64_t threads;
    T *scratch;
    int64_t scratch_of_thread;
    size_t bytes;

    HostPlan(const Context &context, const HinesProblem &problem, void *workspace) : p(problem) {
        threads = std::min<int64_t>(thread_count(context), std::max<int64_t>(most_tiles(), 1));
        scratch_of_thread = 0;
        for (int64_t m = 0; m < p.plan->groups(); ++m)
            scratch_of_thread =
                std::max(scratch_of_thread, counted_product(arrays(), p.plan->trees[size_t(m)].n(), widest(m)));
        scratch_of_thread = whole_lines(scratch_of_thread);
        Carver carver(workspace);
        scratch = carver.take<T>(counted_sum(counted_product(threads, scratch_of_thread), line));
        scratch = reinterpret_cast<T *>((reinterpret_cast<uintptr_t>(scratch) + 63) / 64 * 64);
        bytes = carver.bytes();
    }

    int64_t arrays() const { return p.nrhs > 1 ? 3 : 2; }

    // Largest number of lanes of a lane group of group m
    int64_t widest(int64_t m) const {
        const int64_t systems = p.plan->group(m, p.batch).count;
        if (systems <= few_systems<T>) return 1;
        const bool is_flat = p.layout == XBATCH_LAYOUT_FLAT;
        const int64_t state_bytes = is_flat ? flat_state_bytes : adjacent_state_bytes;
        const int64_t fitting = state_bytes / int64_t(2 * sizeof(T)) / p.plan->trees[size_t(m)].n();
        const int64_t most = is_flat ? flat_row_bytes / int64_t(sizeof(T)) : max_lanes<T>;
        return std::min({most, whole_simd_lanes<T>(std::max<int64_t>(fitting, 1)), whole_simd_lanes<T>(systems),
                         whole_simd_lanes<T>((p.batch + threads - 1) / threads)});
    }

private:
    int64_t most_tiles() const {
        int64_t tiles = 0;
        for (int64_t m = 0; m < p.plan->groups(); ++m) {
            const int64_t systems = p.plan->group(m, p.batch).count;
            tiles += systems <= few_systems<T> ? systems : whole_simd_lanes<T>(systems) / simd_lanes<T>;
        }
        return tiles;
    }
    static constexpr int64_t line = 64 / sizeof(T);
};

// Whole blocks of systems where they are not larger than a lane group
template <class T>
int64_t tile_width(const Placement &b_at, int64_t widest) {
    if (b_at.layout != XBATCH_LAYOUT_BLOCK_INTERLEAVED || b_at.ld >= widest) return widest;
    return b_at.ld % simd_lanes<T> == 0 ? b_at.ld : std::min<int64_t>(widest, gathered_lanes<T>);
}

// The lane groups of all morphologies in sequence
template <class T>
class GroupTiles {
public:
    explicit GroupTiles(const HostPlan<T> &plan)
        : p_(plan.p),
          ul_at_(hines_placement(*p_.plan, p_.layout, 1, p_.batch, p_.ldul)),
          d_at_(hines_placement(*p_.plan, p_.layout, 1, p_.batch, p_.ldd)),
          b_at_(hines_placement(*p_.plan, p_.layout, p_.nrhs, p_.batch, p_.ldb)),
          first_{0} {
        for (int64_t m = 0; m < p_.plan->groups(); ++m) {
            const int64_t systems = p_.plan->group(m, p_.batch).count;
            const Placement &at = b_at_[size_t(m)].at;
            tiles_.emplace_back(at, std::max<int64_t>(systems, 1), tile_width<T>(at, plan.widest(m)));
            first_.push_back(first_.back() + (systems <= few_systems<T> ? systems : tiles_.back().count()));
        }
    }

    int64_t count() const { return first_.back(); }

    void prepare(HinesTile<T> &tile, int64_t number, T *scratch) const {
        if (tile.number == number) return;
        const size_t m = size_t(std::upper_bound(first_.begin(), first_.end(), number) - first_.begin() - 1);
        const std::vector<int32_t> &parent = p_.plan->trees[m].parent;
        tile.number = number, tile.group = int64_t(m);
        if (p_.plan->group(tile.group, p_.batch).count <= few_systems<T>) {
            tile.first = number - first_[m];
            tile.systems = tile.lanes = 1;
        } else {
            tile.first = tiles_[m].begin(number - first_[m]);
            tile.systems = tiles_[m].lanes(number - first_[m]);
            tile.lanes = int(whole_simd_lanes<T>(tile.systems));
        }
        tile.n = int64_t(parent.size()), tile.parent = parent.data();
        tile.last_child = p_.plan->trees[m].last_child.data();
        tile.upper = static_cast<const T *>(p_.upper), tile.lower = static_cast<const T *>(p_.lower);
        tile.d = static_cast<const T *>(p_.d), tile.b = static_cast<T *>(p_.b);
        tile.is_conjugated = p_.is_conjugated, tile.has_info = p_.info != nullptr;
        tile.c = scratch, tile.g = tile.c + tile.n * tile.lanes;
        tile.inverse = p_.nrhs > 1 ? tile.g + tile.n * tile.lanes : nullptr;
        if (tile.systems == 0) return;
        tile.ul_lanes = lanes(tile, ul_at_, 0);
        tile.d_lanes = lanes(tile, d_at_, 0);
        tile.b_lanes = lanes(tile, b_at_, 0);
    }

    // All right-hand sides, and info
    void solve_all(const HinesTile<T> &tile, const HinesTile<T> *next) const {
        alignas(64) RowNumber<T> last_bad[max_lanes<T>];
        solve(tile, next, tile.b_lanes, true, last_bad);
        for (int64_t r = 1; r < p_.nrhs; ++r) solve<T>(tile, nullptr, lanes(tile, b_at_, r), false, last_bad);
        if (!p_.info) return;
        const Group group = p_.plan->group(tile.group, p_.batch);
        for (int l = 0; l < tile.systems; ++l) p_.info[group.system(tile.first + l)] = int32_t(last_bad[l]);
    }

private:
    // The lanes of a lane group in an array; surplus lanes repeat the last system.
    Lanes<T> lanes(const HinesTile<T> &tile, const std::vector<GroupPlacement> &places, int64_t r) const {
        const Group group = p_.plan->group(tile.group, p_.batch);
        const GroupPlacement &at = places[size_t(tile.group)];
        Lanes<T> result;
        result.count = tile.lanes, result.step = at.step();
        for (int l = 0; l < tile.lanes; ++l) {
            const int64_t k = tile.first + std::min(l, tile.systems - 1);
            result.at[l] = at.base(k, group.system(k), r);
        }
        return result;
    }

    const HinesProblem &p_;
    std::vector<GroupPlacement> ul_at_, d_at_, b_at_;
    std::vector<Tiles<T>> tiles_;
    std::vector<int64_t> first_;
};

}  // namespace

template <class T>
xbatchStatus_t hines_host(Context &context, const HinesProblem &p, void *workspace) {
    const HostPlan<T> plan(context, p, workspace);
    const GroupTiles<T> tiles(plan);
    // A thread takes a few adjacent lane groups at a time, so that it knows the next one.
    const int64_t run = std::clamp<int64_t>(tiles.count() / (8 * plan.threads), 1, 16);
#pragma omp parallel num_threads(team_size(plan.threads))
    {
        HinesTile<T> pair[2];
        T *scratch = plan.scratch + omp_get_thread_num() * plan.scratch_of_thread;
#pragma omp for schedule(dynamic, run)
        for (int64_t t = 0; t < tiles.count(); ++t) {
            HinesTile<T> &tile = pair[t % 2], &next = pair[(t + 1) % 2];
            tiles.prepare(tile, t, scratch);
            if (tile.systems == 0) continue;
            if (t + 1 < tiles.count()) tiles.prepare(next, t + 1, scratch);
            const bool is_next_known = t + 1 < tiles.count() && next.systems > 0 &&
                                       4 * next.n * next.lanes * int64_t(sizeof(T)) <= ahead_bytes;
            tiles.solve_all(tile, is_next_known ? &next : nullptr);
        }
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t hines_host_workspace(const Context &context, const HinesProblem &p) {
    return HostPlan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(hines_host);

}  // namespace xbatch::hines
