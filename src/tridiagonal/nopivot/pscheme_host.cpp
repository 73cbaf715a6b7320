// pscheme_host.cpp: the P-scheme on the host: SIMD lanes over chunks of systems, threads over lane groups.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include "core/workspace.hpp"
#include "pscheme_chunks_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// Interface equations of the rows of each lane read so far: x_i = y - a x_p - c x_{i+1}, and x_first likewise
template <class T>
struct Sweep {
    alignas(64) T y[max_lanes<T>], a[max_lanes<T>], c[max_lanes<T>];
    alignas(64) T g_first[max_lanes<T>], a_first[max_lanes<T>], c_first[max_lanes<T>];
    alignas(64) RowNumber<T> first_bad[max_lanes<T>];
};

template <class T>
inline RowNumber<T> note_sign(RowNumber<T> first_bad, RowNumber<T> number, T pivot) {
    const RowNumber<T> noted = real_part(pivot) > Real<T>(0) ? no_row<T> : number;
    return noted < first_bad ? noted : first_bad;
}

// One lane of one row, row i in and x_{i-1} out: p_i = d_i - dl_i c_{i-1}, c_i = du_i / p_i, a_i = -dl_i a_{i-1} / p_i,
// y_i = (b_i - dl_i y_{i-1}) / p_i. In x_first = g - a x_p - c x_i, x_i is eliminated (operands one by one:
// lanes_host.hpp).
template <bool is_positive, class T>
inline void absorb(const T &dl, const T &d, const T &du, const T &b, T &y, T &a, T &c, T &g_first, T &a_first,
                   T &c_first, RowNumber<T> number, RowNumber<T> &first_bad) {
    const T pivot = fnma(dl, c, d), inverse = lane_reciprocal(pivot);
    first_bad = note_unscaled_pivot(first_bad, number, pivot, inverse);
    if (is_positive) first_bad = note_sign(first_bad, number, pivot);
    c = du * inverse;
    a = -(dl * a) * inverse;
    y = fnma(dl, y, b) * inverse;
    g_first = fnma(c_first, y, g_first);
    a_first = fnma(c_first, a, a_first);
    c_first = -(c_first * c);
}

template <bool is_positive, class T>
inline void absorb_row(int lanes, RowNumber<T> number, const T *dl, const T *d, const T *du, const T *b, Sweep<T> &s) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l)
        absorb<is_positive>(dl[l], d[l], du[l], b[l], s.y[l], s.a[l], s.c[l], s.g_first[l], s.a_first[l], s.c_first[l],
                            number, s.first_bad[l]);
}

// step(i, dl, d, du) for all rows, with 0 for the entries that lead out of a system; load(i, rows) comes before the
// steps of rows i … i+rows-1.
template <class T, class Load, class Step>
inline void for_each_row(const PschemeTile<T> &tile, Load load, Step step) {
    const int lanes = tile.a_lanes.count;
    Input<T> dl(tile.dl, tile.a_lanes, tile.rows), d(tile.d, tile.a_lanes, tile.rows),
        du(tile.du, tile.a_lanes, tile.rows);
    T du_last[max_lanes<T>], dl_first[max_lanes<T>];
    const int64_t block = stage_rows<T>(lanes);
    for (int64_t begin = 0; begin < tile.rows; begin += block) {
        const int64_t rows = std::min(tile.rows - begin, block);
        const Rows<const T> l = dl.fetch(begin, rows), p = d.fetch(begin, rows), u = du.fetch(begin, rows);
        load(begin, rows);
        for (int64_t k = 0; k < rows; ++k) {
            const int64_t i = begin + k;
            const T *below = l.row(k), *above = u.row(k);
            if (i == 0) {
                for (int m = 0; m < lanes; ++m) dl_first[m] = tile.begins[m] ? T(0) : below[m];
                below = dl_first;
            }
            if (i + 1 == tile.rows) {
                for (int m = 0; m < lanes; ++m) du_last[m] = tile.ends[m] ? T(0) : above[m];
                above = du_last;
            }
            dl.prefetch_from(i), d.prefetch_from(i), du.prefetch_from(i);
            step(i, below, p.row(k), above);
        }
    }
}

template <class T>
inline void condense_tile(const PschemeTile<T> &tile, ChunkEquations<T> *const *ends) {
    const int lanes = tile.a_lanes.count;
    Input<T> b(tile.b, tile.b_lanes, tile.rows);
    Sweep<T> sweep;
    // before the first row: x_before = 0 - (-1) x_p - 0 x_first, x_first = 0 - 0 x_p - (-1) x_first
    for (int l = 0; l < lanes; ++l) {
        sweep.y[l] = sweep.c[l] = sweep.g_first[l] = sweep.a_first[l] = T(0);
        sweep.a[l] = sweep.c_first[l] = T(-1);
        sweep.first_bad[l] = no_row<T>;
    }
    Rows<const T> y{};
    int64_t fetched = 0;
    for_each_row(
        tile, [&](int64_t begin, int64_t rows) { y = b.fetch(begin, rows), fetched = begin; },
        [&](int64_t i, const T *dl, const T *d, const T *du) {
            const T *const b_row = y.row(i - fetched);
            b.prefetch_from(i);
            if (tile.is_positive)
                absorb_row<true>(lanes, number_of_row<T>(i), dl, d, du, b_row, sweep);
            else
                absorb_row<false>(lanes, number_of_row<T>(i), dl, d, du, b_row, sweep);
        });
    for (int l = 0; l < lanes; ++l)
        *ends[l] = {sweep.g_first[l],
                    sweep.a_first[l],
                    sweep.c_first[l],
                    sweep.y[l],
                    sweep.a[l],
                    sweep.c[l],
                    info_of<T>(sweep.first_bad[l])};
}

// y, a and c of a row as in absorb()
template <class T>
inline void eliminate(const T &dl, const T &d, const T &du, const T &y_before, const T &a_before, const T &c_before,
                      T &y, T &a, T &c) {
    const T inverse = lane_reciprocal(fnma(dl, c_before, d));
    c = du * inverse;
    a = -(dl * a_before) * inverse;
    y = fnma(dl, y_before, y) * inverse;
}
template <class T>
inline void eliminate_row(int lanes, const T *dl, const T *d, const T *du, const T *y_before, const T *a_before,
                          const T *c_before, T *y, T *a, T *c) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l)
        eliminate(dl[l], d[l], du[l], y_before[l], a_before[l], c_before[l], y[l], a[l], c[l]);
}
template <class T>
inline void substitute_row(int lanes, const T *a, const T *c, const T *before, const T *after, T *x) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) x[l] = fnma(c[l], after[l], fnma(a[l], before[l], x[l]));
}

template <class T>
inline void determine_tile(const PschemeTile<T> &tile, T *b, const T *before, const T *behind, T *scratch) {
    const int lanes = tile.a_lanes.count;
    const int64_t elements = tile.rows * lanes;
    T *const a = scratch, *const c = a + elements;
    const Unknowns<T> unknowns(b, tile.b_lanes, c + elements, tile.rows);
    T minus_one[max_lanes<T>];
    std::fill_n(minus_one, lanes, T(-1));
    const T *y_before = zeros<T>, *a_before = minus_one, *c_before = zeros<T>;
    for_each_row(
        tile, [&](int64_t begin, int64_t rows) { unknowns.fetch(begin, rows); },
        [&](int64_t i, const T *dl, const T *d, const T *du) {
            T *const y_here = unknowns.row(i), *const a_here = a + i * lanes, *const c_here = c + i * lanes;
            unknowns.prefetch_from(i);
            eliminate_row(lanes, dl, d, du, y_before, a_before, c_before, y_here, a_here, c_here);
            y_before = y_here, a_before = a_here, c_before = c_here;
        });
    const T *after = behind;
    for_rows_back(unknowns, lanes, tile.rows, [&](int64_t i) {
        T *const x = unknowns.row(i);
        substitute_row(lanes, a + i * lanes, c + i * lanes, before, after, x);
        after = x;
    });
}

template <class T>
XBATCH_SIMD_CLONES void condense_lanes(const PschemeTile<T> &tile, ChunkEquations<T> *const *ends) {
    condense_tile(tile, ends);
}
template <class T>
XBATCH_SIMD_CLONES void determine_lanes(const PschemeTile<T> &tile, T *b, const T *before, const T *behind,
                                        T *scratch) {
    determine_tile(tile, b, before, behind, scratch);
}

}  // namespace

template <class T>
void condense(const PschemeTile<T> &tile, ChunkEquations<T> *const *ends) {
    condense_lanes(tile, ends);
}
template <class T>
void determine(const PschemeTile<T> &tile, T *b, const T *before, const T *behind, T *scratch) {
    determine_lanes(tile, b, before, behind, scratch);
}
XBATCH_INSTANTIATE_TYPES(condense);
XBATCH_INSTANTIATE_TYPES(determine);

namespace {

// How systems are cut into chunks, and the workspace for it
template <class T>
struct Plan {
    Cut cut;         // a single chunk means no P-scheme
    int64_t widest;  // largest number of lanes of a group
    int64_t threads;
    ChunkEquations<T> *ends;  // [group][chunks]
    T *scratch;
    int64_t scratch_of_thread;
    size_t bytes;

    Plan(const Context &context, const GtsvProblem &p, void *workspace) {
        // Up to 4096 rows, systems are whole if they, or their right-hand sides, fill the lanes. The rounding errors of
        // a chunk's equations, which x does not share, grow with its rows where influence does not decay.
        constexpr int64_t rows = 40, whole_rows = 4096, lanes = gathered_lanes<T>;
        const bool is_whole = p.n < 2 * rows || (p.n <= whole_rows && std::max(p.batch, p.nrhs) >= lanes);
        cut.chunk_rows = is_whole ? p.n : rows;
        cut.chunks = (p.n + cut.chunk_rows - 1) / cut.chunk_rows;
        cut.last_rows = p.n - (cut.chunks - 1) * cut.chunk_rows;
        widest = p.layout == XBATCH_LAYOUT_FLAT ? lanes : std::clamp<int64_t>(p.batch, lanes, max_lanes<T>);
        // enough chunks for many threads, and whole lane groups where systems are adjacent
        cut.group = std::max(64 * lanes / cut.chunks, p.layout == XBATCH_LAYOUT_FLAT ? 1 : widest);
        cut.group = std::min(cut.group, p.batch);
        threads = std::min(int64_t(thread_count(context)), most_tiles<T>(p, cut, widest));
        scratch_of_thread = whole_lines(3 * cut.chunk_rows * widest);
        Carver carver(workspace);
        ends = carver.take<ChunkEquations<T>>(cut.group * cut.chunks);
        scratch = carver.take<T>(threads, scratch_of_thread);
        bytes = carver.bytes();
    }
};

// One right-hand side of a group of systems. The calling threads share the work of each phase, which ends with a
// barrier.
template <class T, class GroupTiles>
class Group {
public:
    Group(const GtsvProblem &problem, const Plan<T> &plan, const GroupTiles &tiles, int64_t r)
        : p_(problem), plan_(plan), tiles_(tiles), r_(r) {}

    // Reduces every chunk to its interface equations.
    void precompute() const {
#pragma omp for schedule(static)
        for (int64_t t = 0; t < tiles_.count(); ++t) {
            const Chosen<T> chosen = tiles_.choose(t);
            if (chosen.count == 0) continue;
            ChunkEquations<T> *ends[max_lanes<T>];
            for (int l = 0; l < chosen.count; ++l) ends[l] = ends_of(chosen, l);
            condense(tile_of(chosen), ends);
        }
    }

    // Solves the interface equations of each system: x_last of a chunk and x_first of the next are eliminated together,
    // x_last = g - c x_first and x_first = p - q x_n, then computed from the last chunk to the first.
    void propagate() const {
#pragma omp for schedule(static)
        for (int64_t j = 0; j < tiles_.systems(); ++j) {
            ChunkEquations<T> *const e = plan_.ends + j * plan_.cut.chunks;
            int64_t first_bad = e[0].first_bad;
            for (int64_t k = 1; k < plan_.cut.chunks; ++k) {
                const T g = e[k - 1].g_last, c = e[k - 1].c_last;
                const T pivot = fnma(e[k].a_first, c, T(1)), inverse = reciprocal(pivot);
                const int64_t row = k * plan_.cut.chunk_rows;
                if (!first_bad && !lane_has_reciprocal(pivot, inverse)) first_bad = row + 1;
                if (!first_bad && e[k].first_bad) first_bad = row + e[k].first_bad;
                const T p = fnma(e[k].a_first, g, e[k].g_first) * inverse, q = e[k].c_first * inverse;
                e[k].g_first = p, e[k].c_first = q;
                e[k].g_last = fnma(e[k].a_last, fnma(c, p, g), e[k].g_last);
                e[k].c_last = fma_(e[k].a_last * c, q, e[k].c_last);
            }
            for (int64_t k = plan_.cut.chunks - 1; k-- > 0;) {
                e[k + 1].g_first = k + 2 < plan_.cut.chunks ? fnma(e[k + 1].c_first, e[k + 2].g_first, e[k + 1].g_first)
                                                            : e[k + 1].g_first;
                e[k].g_last = fnma(e[k].c_last, e[k + 1].g_first, e[k].g_last);
            }
            if (p_.info && r_ == 0) p_.info[tiles_.first() + j] = int32_t(std::min<int64_t>(first_bad, INT32_MAX));
        }
    }

    // Computes the unknowns of every chunk from those on both sides of it.
    void determine() const {
        T *const b = static_cast<T *>(p_.b);
        T *const scratch = plan_.scratch + omp_get_thread_num() * plan_.scratch_of_thread;
#pragma omp for schedule(static)
        for (int64_t t = 0; t < tiles_.count(); ++t) {
            const Chosen<T> chosen = tiles_.choose(t);
            if (chosen.count == 0) continue;
            const PschemeTile<T> tile = tile_of(chosen);
            T before[max_lanes<T>], behind[max_lanes<T>];
            for (int l = 0; l < chosen.count; ++l) {
                const ChunkEquations<T> *ends = ends_of(chosen, l);
                before[l] = tile.begins[l] ? T(0) : ends[-1].g_last, behind[l] = tile.ends[l] ? T(0) : ends[1].g_first;
            }
            tridiagonal::determine(tile, b, before, behind, scratch);
            if (!p_.info) continue;
            // It suffices to test the first unknown of a chunk: note_solved().
            for (int l = 0; l < chosen.count; ++l)
                if (!is_finite(b[tile.b_lanes.at[l]])) report_infinite(chosen.system[l]);
        }
    }

private:
    // Several threads may process chunks of one system.
    void report_infinite(int64_t j) const {
        int32_t &info = p_.info[tiles_.first() + j];
#pragma omp critical(xbatch_pscheme)
        if (info == 0) info = info_of<T>(number_of_row<T>(p_.n));
    }
    Lanes<T> lanes_of(const Chosen<T> &chosen, const Placement &at, int64_t r) const {
        return chunk_lanes(chosen, plan_.cut, tiles_.first(), at, r);
    }
    PschemeTile<T> tile_of(const Chosen<T> &chosen) const {
        PschemeTile<T> tile;
        tile.rows = chosen.rows;
        tile.dl = static_cast<const T *>(p_.dl), tile.d = static_cast<const T *>(p_.d);
        tile.du = static_cast<const T *>(p_.du), tile.b = static_cast<const T *>(p_.b);
        tile.a_lanes = lanes_of(chosen, p_.a_at, 0), tile.b_lanes = lanes_of(chosen, p_.b_at, r_);
        for (int l = 0; l < chosen.count; ++l)
            tile.begins[l] = chosen.chunk[l] == 0, tile.ends[l] = chosen.chunk[l] == plan_.cut.chunks - 1;
        return tile;
    }
    ChunkEquations<T> *ends_of(const Chosen<T> &chosen, int l) const {
        return plan_.ends + chosen.system[l] * plan_.cut.chunks + chosen.chunk[l];
    }

    const GtsvProblem &p_;
    const Plan<T> &plan_;
    const GroupTiles &tiles_;
    int64_t r_;
};

template <class T, class GroupTiles>
void solve_group(const GtsvProblem &p, const Plan<T> &plan, const GroupTiles &tiles) {
    for (int64_t r = 0; r < p.nrhs; ++r) {
        const Group<T, GroupTiles> group(p, plan, tiles, r);
#pragma omp parallel num_threads(team_size(plan.threads, p.n, tiles.systems()))
        {
            group.precompute();
            group.propagate();
            group.determine();
        }
    }
}

}  // namespace

template <class T>
xbatchStatus_t pscheme_host(Context &context, const GtsvProblem &p, void *workspace) {
    const Plan<T> plan(context, p, workspace);
    if (plan.cut.chunks == 1) return thomas_host<T>(context, p, workspace);
    for_each_group<T>(p, plan.cut, plan.widest, [&](const auto &tiles) { solve_group(p, plan, tiles); });
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t pscheme_host_workspace(const Context &context, const GtsvProblem &p) {
    const Plan<T> plan(context, p, nullptr);
    return plan.cut.chunks == 1 ? thomas_host_workspace<T>(context, p) : plan.bytes;
}

XBATCH_INSTANTIATE_BACKEND(pscheme_host);

}  // namespace xbatch::tridiagonal
