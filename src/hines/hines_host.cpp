// hines_host.cpp: Hines systems on the host: elimination from the tips, SIMD lanes over systems, threads over tiles.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <algorithm>
#include <vector>

#include "core/host_tile.hpp"
#include "core/workspace.hpp"
#include "hines.hpp"

namespace xbatch {
namespace {

constexpr int64_t state_bytes = 1 << 19;  // of a tile, that should stay in the second-level cache

// Some systems of one morphology side by side. Lanes fill whole SIMD vectors: those after the first `systems` repeat
// the last of them, so that every lane sees the same arithmetic wherever it is.
template <class T>
struct HinesTile {
    int64_t n;
    const int32_t *parent;
    int systems, lanes;
    const T *upper, *lower, *d;
    Lanes<T> ul_lanes, d_lanes;
    bool is_conjugated;
    // Scratch, [n][lanes]: pivots, then c_i = l_i / pivot_i; right-hand sides that are not used where they lie; and
    // 1 / pivot_i if several right-hand sides are solved for, else NULL
    T *c, *g, *inverse;
    RowNumber<T> *last_bad;  // [lanes], the number of the largest node whose pivot is zero or not finite, 0 for none
};

// Coefficients of a tile from the last node to the first
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

// One lane of one node: c_i = l_i / p_i, g_i = b_i / p_i, and what its parent loses by it.
// A function of its own, for a compiler keeps objects declared inside a SIMD loop in memory.
template <class T>
inline T eliminate(const T &upper, const T &lower, T &c, T &g, T &parent_pivot, T &parent_b, RowNumber<T> number,
                   RowNumber<T> &last_bad) {
    const T pivot = c, inverse = lane_reciprocal(pivot);
    const RowNumber<T> noted = is_good_pivot(pivot, inverse) ? 0 : number;
    last_bad = noted > last_bad ? noted : last_bad;
    c = lower * inverse;
    g = g * inverse;
    parent_pivot = fnma(upper, c, parent_pivot);
    parent_b = fnma(upper, g, parent_b);
    return inverse;
}

template <class T>
inline void eliminate_row(int lanes, const T *upper, const T *lower, T *c, T *g, T *parent_pivot, T *parent_b,
                          T *inverse, RowNumber<T> number, RowNumber<T> *last_bad) {
    if (inverse) {
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            inverse[l] = eliminate(upper[l], lower[l], c[l], g[l], parent_pivot[l], parent_b[l], number, last_bad[l]);
    } else {
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            eliminate(upper[l], lower[l], c[l], g[l], parent_pivot[l], parent_b[l], number, last_bad[l]);
    }
}

template <class T>
inline void eliminate_root(int lanes, const T *pivot, T *g, T *inverse, RowNumber<T> number, RowNumber<T> *last_bad) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
        const T inverted = lane_reciprocal(pivot[l]);
        const RowNumber<T> noted = is_good_pivot(pivot[l], inverted) ? 0 : number;
        last_bad[l] = noted > last_bad[l] ? noted : last_bad[l];
        g[l] = g[l] * inverted;
        if (inverse) inverse[l] = inverted;
    }
}

// x_i = g_i - c_i x_p(i)
template <class T>
inline void substitute_row(int lanes, const T *c, const T *parent_x, T *x) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) x[l] = fnma(c[l], parent_x[l], x[l]);
}

// g_i = b_i / p_i and what the parent loses, with the inverse pivots known
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
inline void conjugate_rows(const HinesTile<T> &tile, const Rows<T> &rows, int64_t begin, int64_t end) {
    if constexpr (!std::is_same_v<T, Real<T>>)
        for (int64_t i = begin; i < end; ++i) {
            T *row = rows.row(i);
#pragma omp simd
            for (int l = 0; l < tile.lanes; ++l) row[l] = conjugate(row[l]);
        }
}

// An array of a tile, all rows, from where it lies into the scratch
template <class T>
inline void bring(const T *data, const Lanes<T> &lanes, int64_t n, Rows<T> to) {
    const int64_t block = stage_rows<T>(lanes.count);
    const bool is_adjacent = lanes.adjacent();
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

template <class T>
inline void eliminate_tile(const HinesTile<T> &tile, const Rows<T> &g) {
    const int lanes = tile.lanes;
    const Rows<T> c{tile.c, lanes};
    std::fill_n(tile.last_bad, lanes, RowNumber<T>(0));
    for_each_node(tile, [&](int64_t i, const T *u, const T *l) {
        const int64_t p = tile.parent[i];
        const RowNumber<T> number = RowNumber<T>(i + 1);
        T *inverse = tile.inverse ? tile.inverse + i * lanes : nullptr;
        if (p < 0)
            eliminate_root(lanes, c.row(i), g.row(i), inverse, number, tile.last_bad);
        else
            eliminate_row(lanes, u, l, c.row(i), g.row(i), c.row(p), g.row(p), inverse, number, tile.last_bad);
    });
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

// One right-hand side; with the first of a tile its pivots are found.
template <class T>
inline void solve_tile(const HinesTile<T> &tile, T *b, const Lanes<T> &b_lanes, bool is_first) {
    const bool in_place = b_lanes.adjacent();
    const Rows<T> g = in_place ? Rows<T>{b + b_lanes.at[0], b_lanes.step} : Rows<T>{tile.g, tile.lanes};
    if (!in_place) bring(b, b_lanes, tile.n, g);
    if (tile.is_conjugated) conjugate_rows(tile, g, 0, tile.n);
    if (is_first) {
        bring(tile.d, tile.d_lanes, tile.n, {tile.c, tile.lanes});
        eliminate_tile(tile, g);
    } else {
        forward_tile(tile, g);
    }
    Lanes<T> solved = b_lanes;
    solved.count = tile.systems;
    const int64_t block = stage_rows<T>(tile.lanes);
    for (int64_t begin = 0; begin < tile.n; begin += block) {
        const int64_t end = std::min(begin + block, tile.n);
        for (int64_t i = begin; i < end; ++i)
            if (tile.parent[i] >= 0)
                substitute_row(tile.lanes, tile.c + i * tile.lanes, g.row(tile.parent[i]), g.row(i));
    }
    if (tile.is_conjugated) conjugate_rows(tile, g, 0, tile.n);
    if (!in_place)
        for (int64_t begin = 0; begin < tile.n; begin += block)
            scatter(Rows<const T>{g.row(begin), g.pitch}, b, solved, begin, std::min(block, tile.n - begin));
}

XBATCH_SIMD_CLONES void solve(const HinesTile<float> &tile, float *b, const Lanes<float> &lanes, bool is_first) {
    solve_tile(tile, b, lanes, is_first);
}
XBATCH_SIMD_CLONES void solve(const HinesTile<double> &tile, double *b, const Lanes<double> &lanes, bool is_first) {
    solve_tile(tile, b, lanes, is_first);
}
XBATCH_SIMD_CLONES void solve(const HinesTile<Complex<float>> &tile, Complex<float> *b,
                              const Lanes<Complex<float>> &lanes, bool is_first) {
    solve_tile(tile, b, lanes, is_first);
}
XBATCH_SIMD_CLONES void solve(const HinesTile<Complex<double>> &tile, Complex<double> *b,
                              const Lanes<Complex<double>> &lanes, bool is_first) {
    solve_tile(tile, b, lanes, is_first);
}

// Systems k … k+count-1 of a group, the last of them repeated to `lanes`
template <class T>
Lanes<T> member_lanes(const Group &group, const GroupPlacement &at, int64_t k, int count, int lanes, int64_t r) {
    Lanes<T> result;
    result.count = lanes, result.step = at.step();
    for (int l = 0; l < count; ++l) result.at[l] = at.base(k + l, group.members ? group.members[k + l] : k + l, r);
    std::fill(result.at + count, result.at + lanes, result.at[count - 1]);
    return result;
}

// How a batch is shared out, and what scratch a thread needs
template <class T>
struct HostPlan {
    const HinesProblem &p;
    int64_t threads;
    T *scratch;
    int64_t scratch_of_thread;
    size_t bytes;

    HostPlan(const Context &context, const HinesProblem &problem, void *workspace) : p(problem) {
        threads = std::min<int64_t>(thread_count(context), p.batch);
        scratch_of_thread = 0;
        for (int64_t m = 0; m < p.plan->groups(); ++m)
            scratch_of_thread = std::max(scratch_of_thread, arrays() * rows(m) * widest(m));
        scratch_of_thread = (scratch_of_thread + 63) / 64 * 64;
        Carver carver(workspace);
        scratch = carver.take<T>(threads * scratch_of_thread);
        bytes = carver.bytes();
    }

    int64_t arrays() const { return p.nrhs > 1 ? 3 : 2; }
    int64_t rows(int64_t m) const { return p.plan->trees[size_t(m)].n(); }
    // Lanes of a tile of group m at most
    int64_t widest(int64_t m) const {
        const int64_t count = p.plan->group(m, p.batch).count;
        const int64_t fitting = state_bytes / int64_t(2 * sizeof(T)) / rows(m) / simd_lanes<T> * simd_lanes<T>;
        const int64_t most = p.layout == XBATCH_LAYOUT_FLAT ? gathered_lanes<T> : max_lanes<T>;
        return std::min({most, std::max(fitting, simd_lanes<T>), whole_simd_lanes<T>(count),
                         whole_simd_lanes<T>((p.batch + threads - 1) / threads)});
    }
};

// The tiles of all groups one after the other
template <class T>
class GroupTiles {
public:
    GroupTiles(const HostPlan<T> &plan, const std::vector<GroupPlacement> &b_at) {
        first_.push_back(0);
        for (int64_t m = 0; m < int64_t(b_at.size()); ++m) {
            const int64_t count = plan.p.plan->group(m, plan.p.batch).count;
            tiles_.emplace_back(b_at[size_t(m)].at, count, std::max<int64_t>(plan.widest(m), 1));
            first_.push_back(first_.back() + (count > 0 ? tiles_.back().count() : 0));
        }
    }
    int64_t count() const { return first_.back(); }
    int64_t group_of(int64_t tile) const {
        return std::upper_bound(first_.begin(), first_.end(), tile) - first_.begin() - 1;
    }
    int64_t begin(int64_t m, int64_t tile) const { return tiles_[size_t(m)].begin(tile - first_[size_t(m)]); }
    int lanes(int64_t m, int64_t tile) const { return tiles_[size_t(m)].lanes(tile - first_[size_t(m)]); }

private:
    std::vector<Tiles<T>> tiles_;
    std::vector<int64_t> first_;
};

}  // namespace

template <class T>
xbatchStatus_t hines_host(Context &context, const HinesProblem &p, void *workspace) {
    const HostPlan<T> plan(context, p, workspace);
    const auto ul_at = hines_placement(*p.plan, p.layout, 1, p.batch, p.ldul),
               d_at = hines_placement(*p.plan, p.layout, 1, p.batch, p.ldd),
               b_at = hines_placement(*p.plan, p.layout, p.nrhs, p.batch, p.ldb);
    const GroupTiles<T> tiles(plan, b_at);
#pragma omp parallel num_threads(int(plan.threads)) if (plan.threads > 1)
    {
        RowNumber<T> last_bad[max_lanes<T>];
        HinesTile<T> tile;
        tile.upper = static_cast<const T *>(p.upper), tile.lower = static_cast<const T *>(p.lower);
        tile.d = static_cast<const T *>(p.d);
        tile.is_conjugated = p.is_conjugated;
        tile.last_bad = last_bad;
        tile.c = plan.scratch + omp_get_thread_num() * plan.scratch_of_thread;
#pragma omp for schedule(dynamic)
        for (int64_t t = 0; t < tiles.count(); ++t) {
            const int64_t m = tiles.group_of(t), k = tiles.begin(m, t);
            const Group group = p.plan->group(m, p.batch);
            const std::vector<int32_t> &parent = p.plan->trees[size_t(group.tree)].parent;
            tile.systems = tiles.lanes(m, t);
            if (tile.systems == 0) continue;
            tile.lanes = int(whole_simd_lanes<T>(tile.systems));
            tile.n = int64_t(parent.size()), tile.parent = parent.data();
            tile.g = tile.c + tile.n * tile.lanes;
            tile.inverse = p.nrhs > 1 ? tile.g + tile.n * tile.lanes : nullptr;
            tile.ul_lanes = member_lanes<T>(group, ul_at[size_t(m)], k, tile.systems, tile.lanes, 0);
            tile.d_lanes = member_lanes<T>(group, d_at[size_t(m)], k, tile.systems, tile.lanes, 0);
            for (int64_t r = 0; r < p.nrhs; ++r)
                solve(tile, static_cast<T *>(p.b),
                      member_lanes<T>(group, b_at[size_t(m)], k, tile.systems, tile.lanes, r), r == 0);
            if (!p.info) continue;
            for (int l = 0; l < tile.systems; ++l)
                p.info[group.members ? group.members[k + l] : k + l] = int32_t(last_bad[l]);
        }
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t hines_host_workspace(const Context &context, const HinesProblem &p) {
    return HostPlan<T>(context, p, nullptr).bytes;
}

template xbatchStatus_t hines_host<float>(Context &, const HinesProblem &, void *);
template xbatchStatus_t hines_host<double>(Context &, const HinesProblem &, void *);
template xbatchStatus_t hines_host<Complex<float>>(Context &, const HinesProblem &, void *);
template xbatchStatus_t hines_host<Complex<double>>(Context &, const HinesProblem &, void *);
template size_t hines_host_workspace<float>(const Context &, const HinesProblem &);
template size_t hines_host_workspace<double>(const Context &, const HinesProblem &);
template size_t hines_host_workspace<Complex<float>>(const Context &, const HinesProblem &);
template size_t hines_host_workspace<Complex<double>>(const Context &, const HinesProblem &);

}  // namespace xbatch
