// interface_host.cpp: long or periodic systems with pivoting on the host (partition method): every chunk is reduced to
// two interface equations in the unknowns at its ends, the interface equations of all chunks are solved as a tree, and
// the interior of every chunk follows from its ends.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "interface_chunks_host.hpp"

#include <omp.h>

#include "tridiagonal/nopivot/factor_once_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// One lane of one row, without the pivot row
template <class T>
inline void reduce(T dl, T d, T du, T b, T &a_l0, T &a_l1, T &a_p, T &a_q, T &a_g, T &b_l0, T &b_l1, T &b_p, T &b_q,
                   T &b_g, Exponent<Real<T>> before, Exponent<Real<T>> first, RowNumber<T> number,
                   RowNumber<T> &first_bad) {
    T l0, l1, q, c, g, f_s, f_o, inverse;
    RowNumber<T> choice;
    absorb(dl, d, du, b, a_l0, a_l1, a_p, a_q, a_g, b_l0, b_l1, b_p, b_q, b_g, before, first, l0, l1, q, c, g, f_s, f_o,
           inverse, choice, number, first_bad);
}

template <class T>
inline void reduce_row(int lanes, RowNumber<T> number, const T *dl, const T *d, const T *du, const T *b,
                       HeldRows<T> &w) {
    HeldRow<T> &x = w.a, &y = w.b;
#pragma omp simd
    for (int l = 0; l < lanes; ++l)
        reduce(dl[l], d[l], du[l], b[l], x.l0[l], x.l1[l], x.p[l], x.q[l], x.g[l], y.l0[l], y.l1[l], y.p[l], y.q[l],
               y.g[l], w.before[l], w.first[l], number, w.first_bad[l]);
}

// Reduces every chunk to its interface equations.
template <class T>
inline void reduce_tile(const ChunkTile<T> &tile, const T *b, HeldRows<T> &w) {
    const int lanes = tile.a_lanes.count;
    Input<T> right_hand_side(b, tile.b_lanes, tile.rows);
    for_each_row(tile, right_hand_side, [&](int64_t i, const T *dl, const T *d, const T *du, const T *g) {
        if (i > 1)
            reduce_row<T>(lanes, number_of_row<T>(i - 1), dl, d, du, g, w);
        else
            first_rows(lanes, i == 1, dl, d, du, g, w);
    });
}

// The same elimination again, with known ends: x_i = y - q x_{i+1} - c x_{i+2}
template <class T>
inline void eliminate(T dl, T d, T du, T b, T &a_l0, T &a_l1, T &a_p, T &a_q, T &a_g, T &b_l0, T &b_l1, T &b_p, T &b_q,
                      T &b_g, Exponent<Real<T>> before, Exponent<Real<T>> first, T x_before, T x_first, T &q, T &c,
                      T &y, RowNumber<T> number, RowNumber<T> &first_bad) {
    T l0, l1, g, f_s, f_o, inverse;
    RowNumber<T> choice;
    absorb(dl, d, du, b, a_l0, a_l1, a_p, a_q, a_g, b_l0, b_l1, b_p, b_q, b_g, before, first, l0, l1, q, c, g, f_s, f_o,
           inverse, choice, number, first_bad);
    y = fnma(l0, x_before, fnma(l1, x_first, g));
}

template <class T>
inline void eliminate_row(int lanes, RowNumber<T> number, const T *dl, const T *d, const T *du, const T *b,
                          const KnownEnds<T> &ends, HeldRows<T> &w, T *first, T *second, T *unknown) {
    HeldRow<T> &x = w.a, &y = w.b;
#pragma omp simd
    for (int l = 0; l < lanes; ++l)
        eliminate(dl[l], d[l], du[l], b[l], x.l0[l], x.l1[l], x.p[l], x.q[l], x.g[l], y.l0[l], y.l1[l], y.p[l], y.q[l],
                  y.g[l], w.before[l], w.first[l], ends.before[l], ends.first[l], first[l], second[l], unknown[l],
                  number, w.first_bad[l]);
}

// Computes the interior of every chunk from its ends.
template <class T>
inline void determine_tile(const ChunkTile<T> &tile, T *b, const KnownEnds<T> &ends, const PivotRows<T> &pivots,
                           T *scratch, bool *are_finite) {
    const int lanes = tile.a_lanes.count;
    const Unknowns<T> unknowns(b, tile.b_lanes, scratch, tile.rows);
    HeldRows<T> w;
    for_each_row(tile, unknowns, [&](int64_t i, const T *dl, const T *d, const T *du, const T *g) {
        const int64_t row = i - 1;  // row 0 of the unknowns is unused, since x_L is known
        if (i > 1)
            eliminate_row<T>(lanes, number_of_row<T>(row), dl, d, du, g, ends, w, pivots.first + row * lanes,
                             pivots.second + row * lanes, unknowns.row(row));
        else
            first_rows(lanes, i == 1, dl, d, du, g, w);
    });
    std::copy_n(ends.first, lanes, unknowns.row(0));
    std::copy_n(ends.last, lanes, unknowns.row(tile.rows - 1));
    back_substitute<T>(pivots, unknowns, lanes, tile.rows, 1, tile.rows - 1, ends.last, ends.after);
    // A product with a non-finite unknown is not finite, so it suffices to test x_{L+1}, the last one computed.
    for (int l = 0; l < lanes; ++l) are_finite[l] = is_finite(unknowns.row(0)[l]) && is_finite(unknowns.row(1)[l]);
}

}  // namespace

XBATCH_SIMD_CLONES void reduce(const ChunkTile<float> &tile, const float *b, HeldRows<float> &held) {
    reduce_tile(tile, b, held);
}
XBATCH_SIMD_CLONES void reduce(const ChunkTile<double> &tile, const double *b, HeldRows<double> &held) {
    reduce_tile(tile, b, held);
}
XBATCH_SIMD_CLONES void reduce(const ChunkTile<Complex<float>> &tile, const Complex<float> *b,
                               HeldRows<Complex<float>> &held) {
    reduce_tile(tile, b, held);
}
XBATCH_SIMD_CLONES void reduce(const ChunkTile<Complex<double>> &tile, const Complex<double> *b,
                               HeldRows<Complex<double>> &held) {
    reduce_tile(tile, b, held);
}
XBATCH_SIMD_CLONES void determine(const ChunkTile<float> &tile, float *b, const KnownEnds<float> &ends,
                                  const PivotRows<float> &pivots, float *scratch, bool *are_finite) {
    determine_tile(tile, b, ends, pivots, scratch, are_finite);
}
XBATCH_SIMD_CLONES void determine(const ChunkTile<double> &tile, double *b, const KnownEnds<double> &ends,
                                  const PivotRows<double> &pivots, double *scratch, bool *are_finite) {
    determine_tile(tile, b, ends, pivots, scratch, are_finite);
}
XBATCH_SIMD_CLONES void determine(const ChunkTile<Complex<float>> &tile, Complex<float> *b,
                                  const KnownEnds<Complex<float>> &ends, const PivotRows<Complex<float>> &pivots,
                                  Complex<float> *scratch, bool *are_finite) {
    determine_tile(tile, b, ends, pivots, scratch, are_finite);
}
XBATCH_SIMD_CLONES void determine(const ChunkTile<Complex<double>> &tile, Complex<double> *b,
                                  const KnownEnds<Complex<double>> &ends, const PivotRows<Complex<double>> &pivots,
                                  Complex<double> *scratch, bool *are_finite) {
    determine_tile(tile, b, ends, pivots, scratch, are_finite);
}

namespace {

// One right-hand side of a group of systems. The calling threads share the work of each phase, which ends with a
// barrier.
template <class T, class GroupTiles>
class Group {
public:
    Group(const GtsvProblem &problem, const ChunkPlan<T> &plan, Boundary boundary, const GroupTiles &tiles, int64_t r)
        : p_(problem), plan_(plan), boundary_(boundary), tiles_(tiles), r_(r), shifts_(shifts_from<T>(problem, 0)) {}

    void pin_last_unknowns() const {
        if (!shifts_.pins_zero) return;
#pragma omp for schedule(static)
        for (int64_t j = 0; j < tiles_.systems(); ++j)
            if (shifts_.pins(tiles_.first() + j))
                static_cast<T *>(p_.b)[p_.b_at.offset(p_.n - 1, tiles_.first() + j, r_)] = T(0);
    }

    void reduce_chunks() const {
#pragma omp for schedule(static)
        for (int64_t t = 0; t < tiles_.count(); ++t) {
            const Chosen<T> chosen = tiles_.choose(t);
            if (chosen.count == 0) continue;
            HeldRows<T> held;
            reduce(tile_of(chosen), static_cast<const T *>(p_.b), held);
            for (int l = 0; l < chosen.count; ++l) {
                Slot<Joined<T>> &slot = *slot_of(chosen, l);
                slot.equations = equations_of(held, l), slot.first_bad = info_of<T>(held.first_bad[l]);
            }
        }
    }

    void solve_for_ends() const {
#pragma omp for schedule(static)
        for (int64_t j = 0; j < tiles_.systems(); ++j) {
            const int64_t chunks = plan_.cut.chunks;
            Slot<Joined<T>> *const slots = plan_.slots + j * (chunks + 1);
            const int64_t bad_row = join_chunks(slots, plan_.cut, p_.n);
            resolve_all(slots, chunks);
            if (p_.info && r_ == 0) p_.info[tiles_.first() + j] = int32_t(std::min<int64_t>(bad_row, INT32_MAX));
        }
    }

    void determine_chunks() const {
        T *const scratch = plan_.scratch + omp_get_thread_num() * plan_.scratch_of_thread;
        const PivotRows<T> pivots{scratch + plan_.scratch_of_array, scratch + 2 * plan_.scratch_of_array};
#pragma omp for schedule(static)
        for (int64_t t = 0; t < tiles_.count(); ++t) {
            const Chosen<T> chosen = tiles_.choose(t);
            if (chosen.count == 0) continue;
            KnownEnds<T> ends;
            bool are_finite[max_lanes<T>];
            for (int l = 0; l < chosen.count; ++l) {
                const Slot<Joined<T>> *s = slot_of(chosen, l);
                ends.before[l] = converted<T>(s[0].x_m), ends.first[l] = converted<T>(s[0].x_m1);
                ends.last[l] = converted<T>(s[1].x_m), ends.after[l] = converted<T>(s[1].x_m1);
            }
            determine(tile_of(chosen), static_cast<T *>(p_.b), ends, pivots, scratch, are_finite);
            for (int l = 0; l < chosen.count; ++l) slot_of(chosen, l)->is_finite = are_finite[l];
        }
    }

    void report_not_finite() const {
        if (!p_.info) return;
#pragma omp for schedule(static)
        for (int64_t j = 0; j < tiles_.systems(); ++j) {
            const Slot<Joined<T>> *const slots = plan_.slots + j * (plan_.cut.chunks + 1);
            int32_t &info = p_.info[tiles_.first() + j];
            const bool solved = std::all_of(slots, slots + plan_.cut.chunks, [](const auto &s) { return s.is_finite; });
            if (info == 0 && !solved) info = int32_t(std::min<int64_t>(p_.n + 1, INT32_MAX));
        }
    }

private:
    ChunkTile<T> tile_of(const Chosen<T> &chosen) const {
        ChunkTile<T> tile;
        tile.rows = chosen.rows;
        tile.dl = static_cast<const T *>(p_.dl), tile.d = static_cast<const T *>(p_.d);
        tile.du = static_cast<const T *>(p_.du);
        tile.a_lanes = chunk_lanes(chosen, plan_.cut, tiles_.first(), p_.a_at, 0);
        tile.b_lanes = chunk_lanes(chosen, plan_.cut, tiles_.first(), p_.b_at, r_);
        for (int l = 0; l < chosen.count; ++l) {
            const bool is_last = chosen.chunk[l] == plan_.cut.chunks - 1;
            tile.begins[l] = boundary_ == Boundary::open && chosen.chunk[l] == 0;
            tile.ends[l] = boundary_ == Boundary::open && is_last;
            const int64_t j = tiles_.first() + chosen.system[l];
            tile.pinned[l] = is_last && shifts_.pins(j);
            if (shifts_.sigma) tile.sigma[l] = shifts_.sigma[j];
        }
        tile.is_shifted = shifts_.sigma, tile.w = shifts_.w;
        return tile;
    }
    Slot<Joined<T>> *slot_of(const Chosen<T> &chosen, int l) const {
        return plan_.slots + chosen.system[l] * (plan_.cut.chunks + 1) + chosen.chunk[l];
    }

    const GtsvProblem &p_;
    const ChunkPlan<T> &plan_;
    Boundary boundary_;
    const GroupTiles &tiles_;
    int64_t r_;
    LaneShifts<T> shifts_;  // of the whole batch
};

// Longer systems are cut among the threads even where their matrix could be eliminated once: lanes that are right-hand
// sides need a scratch as long as the systems.
template <class T>
int64_t interface_sets(const GtsvProblem &p, bool is_one_matrix) {
    constexpr int64_t once_rows = 32768;
    return p.n <= once_rows ? shared_sets<T>(p, is_one_matrix) : 0;
}

}  // namespace

template <class T>
xbatchStatus_t interface_host(Context &context, const GtsvProblem &p, Boundary boundary, void *workspace) {
    if (const int64_t sets = interface_sets<T>(p, p.a_at.ld == 0)) {
        interface_once<T>(context, p, boundary, sets, workspace);
        return XBATCH_STATUS_SUCCESS;
    }
    const ChunkPlan<T> plan(context, p, workspace);
    for_each_group<T>(p, plan.cut, plan.widest, [&](const auto &tiles) {
        for (int64_t r = 0; r < p.nrhs; ++r) {
            const Group<T, std::decay_t<decltype(tiles)>> group(p, plan, boundary, tiles, r);
#pragma omp parallel num_threads(team_size(plan.threads, p.n, tiles.systems()))
            {
                group.pin_last_unknowns();
                group.reduce_chunks();
                group.solve_for_ends();
                group.determine_chunks();
                group.report_not_finite();
            }
        }
    });
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t interface_host_workspace(const Context &context, const GtsvProblem &p) {
    size_t bytes = 0;
    for (const bool is_one_matrix : {false, true}) {
        const int64_t sets = interface_sets<T>(p, is_one_matrix);
        bytes = std::max(
            bytes, sets > 0 ? interface_once_bytes<T>(context, p, sets) : ChunkPlan<T>(context, p, nullptr).bytes);
    }
    return bytes;
}

XBATCH_INSTANTIATE_BACKEND(interface_host);

}  // namespace xbatch::tridiagonal
