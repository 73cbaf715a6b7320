// hines_host.cpp: Hines systems on the host: elimination from the tips, SIMD lanes over systems.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <algorithm>
#include <vector>

#include "core/workspace.hpp"
#include "hines_rows_host.hpp"
#include "hines_stream_host.hpp"

namespace xbatch::hines {
namespace {

// Bytes of a lane group's state, which should fit in the second-level cache. Where rows are used in place, half of it
// is the caller's array, and long rows save accesses to other pages. If rows would be short, long ones are streamed
// instead, with at most that state. And the limit for the next group's arrays to be prefetched.
constexpr int64_t flat_state_bytes = 1 << 19, adjacent_state_bytes = 1 << 20, streamed_state_bytes = 1 << 25;
constexpr int64_t ahead_bytes = 1 << 20;
constexpr int flat_row_bytes = 2 * gathered_row_bytes;
// Largest number of lanes of a group that is streamed: the hardware prefetches long rows best.
template <class T>
constexpr int most_lanes = 8192 / int(sizeof(T));
// Up to this number of systems of a morphology, systems are solved one by one. Only for reals does a compiler contract
// the arithmetic of a single lane as that of a lane in a vector.
template <class T>
constexpr int64_t few_systems = std::is_same_v<T, Real<T>> ? 3 : 0;

// Several systems of one morphology side by side, or a single one. The arithmetic of a lane must not depend on its
// position. So several complex systems fill whole SIMD vectors: lanes after the first `systems` repeat the last of
// them. Reals do so only if they are gathered.
template <class T>
struct HinesTile {
    int64_t number = -1, group, first;  // its number among all, its group, and its first system there
    int64_t n;
    const int32_t *parent, *last_child, *slot;
    int systems, lanes, pitch;  // pitch: of rows of scratch
    const T *upper, *lower, *d;
    T *b;
    Lanes<T> ul_lanes, d_lanes, b_lanes;  // of the first right-hand side
    bool is_conjugated, has_info;
    bool is_streamed;  // c is stored past the caches
    // Scratch, [n][pitch]: c_i = l_i / pivot_i, before which it may hold d; right-hand sides that cannot be used in
    // place; and 1 / pivot_i for several right-hand sides, else NULL. [slots][pitch]: pivots of nodes with children.
    T *c, *g, *inverse, *pivots;
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

// One lane of one node: c_i = l_i / p_i, g_i = b_i / p_i, and the update of the parent's pivot, which was parent_d, and
// right-hand side (operands one by one: lanes_host.hpp).
template <class T>
inline T eliminate(const T &upper, const T &lower, const T &pivot, const T &parent_d, T &c, T &g, T &parent_pivot,
                   T &parent_b) {
    const T inverse = lane_reciprocal(pivot);
    c = lower * inverse;
    g = g * inverse;
    parent_pivot = fnma(upper, c, parent_d);
    parent_b = fnma(upper, g, parent_b);
    return inverse;
}

template <class T>
inline void eliminate_row(int lanes, const T *upper, const T *lower, const T *pivot, const T *parent_d, T *c, T *g,
                          T *parent_pivot, T *parent_b, T *inverse) {
    if (inverse) {
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            inverse[l] = eliminate(upper[l], lower[l], pivot[l], parent_d[l], c[l], g[l], parent_pivot[l], parent_b[l]);
    } else {
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            eliminate(upper[l], lower[l], pivot[l], parent_d[l], c[l], g[l], parent_pivot[l], parent_b[l]);
    }
}

// The same for a root
template <class T>
inline void eliminate_root_row(int lanes, const T *pivot, T *g, T *inverse) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
        const T inverted = lane_reciprocal(pivot[l]);
        g[l] = g[l] * inverted;
        if (inverse) inverse[l] = inverted;
    }
}

template <class T>
inline void note_pivot_row(int lanes, const T *pivot, RowNumber<T> number, RowNumber<T> *last_bad) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) last_bad[l] = note_pivot(last_bad[l], number, pivot[l]);
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

// The pivot of a node with children is in its slot, that of a tip is its d.
template <class T>
inline void eliminate_tile(const HinesTile<T> &tile, const HinesTile<T> *next, const Rows<const T> &d, const Rows<T> &g,
                           RowNumber<T> *last_bad) {
    const int lanes = tile.lanes;
    const Rows<T> c{tile.c, tile.pitch}, pivots{tile.pivots, tile.pitch};
    std::fill_n(last_bad, lanes, RowNumber<T>(0));
    for_each_node(tile, [&](int64_t i, const T *u, const T *l) {
        const int64_t p = tile.parent[i];
        if (next && i < next->n) prefetch_row(*next, i);
        T *inverse = tile.inverse ? tile.inverse + i * tile.pitch : nullptr;
        const T *const pivot = tile.last_child[i] < 0 ? d.row(i) : pivots.row(tile.slot[i]);
        if (tile.has_info) note_pivot_row(lanes, pivot, RowNumber<T>(i + 1), last_bad);
        if (p < 0) return eliminate_root_row(lanes, pivot, g.row(i), inverse);
        T *const parent_pivot = pivots.row(tile.slot[p]);
        const T *const parent_d = tile.last_child[p] == i ? d.row(p) : parent_pivot;
        T *const c_i = c.row(i), *const g_i = g.row(i), *const parent_b = g.row(p);
        int k = 0;  // lanes after those that are streamed
        if constexpr (can_stream<T>)
            if (tile.is_streamed) {
                k = lanes / int(simd_lanes<T>) * int(simd_lanes<T>);
                eliminate_vectors(k, u, l, pivot, parent_d, c_i, g_i, parent_pivot, parent_b);
            }
        eliminate_row(lanes - k, u + k, l + k, pivot + k, parent_d + k, c_i + k, g_i + k, parent_pivot + k,
                      parent_b + k, inverse);
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
        bad = note_pivot(bad, RowNumber<T>(i + 1), pivot);
        if (p < 0) {
            inverse = lane_reciprocal(c_i);
            g_i = g_i * inverse;
        } else {
            pivot = c[p], y = *g.row(p);
            inverse = eliminate(u[i * step], l[i * step], T(c_i), pivot, c_i, g_i, pivot, y);
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
        const T *inverse = tile.inverse + i * tile.pitch;
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
                substitute_row(tile.lanes, tile.c + i * tile.pitch, g.row(tile.parent[i]), g.row(i));
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
    const Rows<T> g = is_in_place ? Rows<T>{tile.b + b_lanes.at[0], b_lanes.step} : Rows<T>{tile.g, tile.pitch};
    if (!is_in_place) load_rows<T>(tile.b, b_lanes, tile.n, g);
    if (tile.is_conjugated) conjugate_rows(tile.n, tile.lanes, g);
    if (is_first) {
        const bool d_in_place = tile.lanes > 1 && tile.d_lanes.adjacent();
        const Rows<T> c{tile.c, tile.pitch};
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
    conjugate_rows(tile.n, tile.lanes, g);
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
            scratch_of_thread = std::max(scratch_of_thread, counted_product(rows(p.plan->trees[size_t(m)]), widest(m)));
        scratch_of_thread = whole_lines(scratch_of_thread);
        Carver carver(workspace);
        scratch = carver.take<T>(counted_sum(counted_product(threads, scratch_of_thread), line));
        scratch = reinterpret_cast<T *>((reinterpret_cast<uintptr_t>(scratch) + 63) / 64 * 64);
        bytes = carver.bytes();
    }

    // Of scratch for each lane
    int64_t rows(const Tree &tree) const { return (p.nrhs > 1 ? 3 : 2) * tree.n() + tree.slots; }

    // Whether c of a lane group is streamed. Shared coefficients are little traffic, so that state in a cache is
    // faster.
    bool streams(int64_t n, int64_t lanes) const { return may_stream(n, lanes) && p.ldul > 0 && p.ldd > 0; }

    // Number of lanes of a lane group of group m, and its maximum for all leading dimensions, which the size query
    // lacks
    int64_t width(int64_t m) const { return width(m, streams(p.plan->trees[size_t(m)].n(), max_lanes<T>)); }
    int64_t widest(int64_t m) const { return width(m, may_stream(p.plan->trees[size_t(m)].n(), max_lanes<T>)); }

private:
    static int64_t state_bytes(int64_t n, int64_t lanes) { return counted_product(2 * sizeof(T), n, lanes); }
    bool may_stream(int64_t n, int64_t lanes) const {
        return can_stream<T> && machine_streams() && p.layout == XBATCH_LAYOUT_INTERLEAVED && p.nrhs == 1 &&
               state_bytes(n, lanes) > adjacent_state_bytes;
    }
    int64_t width(int64_t m, bool is_streamed) const {
        const int64_t systems = p.plan->group(m, p.batch).count, n = p.plan->trees[size_t(m)].n();
        if (systems <= few_systems<T>) return 1;
        const auto fitting = [&](int64_t bytes, int64_t most) {
            return std::min(most, whole_simd_lanes<T>(std::max<int64_t>(bytes / state_bytes(n, 1), 1)));
        };
        const int64_t most = p.layout == XBATCH_LAYOUT_FLAT ? fitting(flat_state_bytes, flat_row_bytes / sizeof(T))
                             : is_streamed                  ? fitting(streamed_state_bytes, most_lanes<T>)
                                                            : fitting(adjacent_state_bytes, max_lanes<T>);
        return std::min({most, whole_simd_lanes<T>(systems), whole_simd_lanes<T>((p.batch + threads - 1) / threads)});
    }
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

// The complex systems of a group that are divided into lane groups of whole vectors with rows in place; a last lane
// group has the others, if any.
template <class T>
int64_t whole_vectors(const Placement &b_at, int64_t systems) {
    const bool are_adjacent = b_at.layout == XBATCH_LAYOUT_INTERLEAVED ||
                              (b_at.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED && b_at.ld % simd_lanes<T> == 0);
    const int64_t whole = systems / simd_lanes<T> * simd_lanes<T>;
    return are_adjacent && whole > 0 && !std::is_same_v<T, Real<T>> ? whole : systems;
}

// The lane groups of all morphologies in sequence
template <class T>
class GroupTiles {
public:
    explicit GroupTiles(const HostPlan<T> &plan)
        : plan_(plan),
          p_(plan.p),
          ul_at_(hines_placement(*p_.plan, p_.layout, 1, p_.batch, p_.ldul)),
          d_at_(hines_placement(*p_.plan, p_.layout, 1, p_.batch, p_.ldd)),
          b_at_(hines_placement(*p_.plan, p_.layout, p_.nrhs, p_.batch, p_.ldb)),
          first_{0} {
        for (int64_t m = 0; m < p_.plan->groups(); ++m) {
            const int64_t systems = p_.plan->group(m, p_.batch).count;
            const Placement &at = b_at_[size_t(m)].at;
            const int64_t whole = whole_vectors<T>(at, systems);
            tiles_.emplace_back(at, std::max<int64_t>(whole, 1), tile_width<T>(at, plan.width(m)));
            first_.push_back(first_.back() +
                             (systems <= few_systems<T> ? systems : tiles_.back().count() + (whole < systems)));
        }
    }

    int64_t count() const { return first_.back(); }

    void prepare(HinesTile<T> &tile, int64_t number, T *scratch) const {
        if (tile.number == number) return;
        const size_t m = size_t(std::upper_bound(first_.begin(), first_.end(), number) - first_.begin() - 1);
        const std::vector<int32_t> &parent = p_.plan->trees[m].parent;
        tile.number = number, tile.group = int64_t(m);
        const int64_t systems = p_.plan->group(tile.group, p_.batch).count, t = number - first_[m];
        if (systems <= few_systems<T>) {
            tile.first = t;
            tile.systems = tile.lanes = tile.pitch = 1;
        } else {
            const bool is_last = t == tiles_[m].count();
            tile.first = is_last ? whole_vectors<T>(b_at_[m].at, systems) : tiles_[m].begin(t);
            tile.systems = is_last ? int(systems - tile.first) : tiles_[m].lanes(t);
            tile.pitch = int(whole_simd_lanes<T>(tile.systems));
            const bool is_gathered = p_.layout == XBATCH_LAYOUT_FLAT || !std::is_same_v<T, Real<T>>;
            tile.lanes = is_gathered ? tile.pitch : tile.systems;
            if (tile.lanes == 1) tile.pitch = 1;
        }
        tile.n = int64_t(parent.size()), tile.parent = parent.data();
        tile.last_child = p_.plan->trees[m].last_child.data(), tile.slot = p_.plan->trees[m].slot.data();
        tile.upper = static_cast<const T *>(p_.upper), tile.lower = static_cast<const T *>(p_.lower);
        tile.d = static_cast<const T *>(p_.d), tile.b = static_cast<T *>(p_.b);
        tile.is_conjugated = p_.is_conjugated, tile.has_info = p_.info != nullptr;
        tile.is_streamed = plan_.streams(tile.n, tile.lanes);
        tile.c = scratch, tile.g = tile.c + tile.n * tile.pitch, tile.pivots = tile.g + tile.n * tile.pitch;
        tile.inverse = p_.nrhs > 1 ? tile.pivots + p_.plan->trees[m].slots * tile.pitch : nullptr;
        if (tile.systems == 0) return;
        tile.ul_lanes = lanes_of(tile, ul_at_, 0);
        tile.d_lanes = lanes_of(tile, d_at_, 0);
        tile.b_lanes = lanes_of(tile, b_at_, 0);
    }

    // All right-hand sides, and info
    void solve_all(const HinesTile<T> &tile, const HinesTile<T> *next) const {
        alignas(64) RowNumber<T> last_bad[most_lanes<T>];
        solve(tile, next, tile.b_lanes, true, last_bad);
        for (int64_t r = 1; r < p_.nrhs; ++r) solve<T>(tile, nullptr, lanes_of(tile, b_at_, r), false, last_bad);
        if (!p_.info) return;
        const Group group = p_.plan->group(tile.group, p_.batch);
        for (int l = 0; l < tile.systems; ++l) p_.info[group.system(tile.first + l)] = int32_t(last_bad[l]);
    }

private:
    Lanes<T> lanes_of(const HinesTile<T> &tile, const std::vector<GroupPlacement> &places, int64_t r) const {
        const Group group = p_.plan->group(tile.group, p_.batch);
        return group_lanes<T>(places[size_t(tile.group)], group, tile.first, tile.systems, tile.lanes, r);
    }

    const HostPlan<T> &plan_;
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
            const bool is_prefetched = t + 1 < tiles.count() && next.systems > 0 &&
                                       p.layout != XBATCH_LAYOUT_INTERLEAVED &&  // which the hardware does better
                                       4 * next.n * next.lanes * int64_t(sizeof(T)) <= ahead_bytes;
            tiles.solve_all(tile, is_prefetched ? &next : nullptr);
        }
        end_streams();
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t hines_host_workspace(const Context &context, const HinesProblem &p) {
    return HostPlan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(hines_host);

}  // namespace xbatch::hines
