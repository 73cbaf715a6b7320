// pscheme_share_host.cpp: distributed tridiagonal systems without pivoting on the host: the P-scheme, and positive
// definite systems.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "gtsv_mp.hpp"
#include "share_host.hpp"
#include "tridiagonal/nopivot/pscheme_chunks_host.hpp"

namespace xbatch::distributed {
namespace {

using namespace tridiagonal;
using distributed::Chosen;

// The interface equations of a run of rows, y the unknown before it and x_n the one after it:
//     x_first = g_f - a_f y - c_f x_n,   x_last = g_l - a_l y - c_l x_n.
// A rank does not have the entry e of a positive definite matrix that couples its first row to the row before. There,
// and at the first row of every chunk, y is the unknown times this entry, which the run before has: e.
//
// Joined to the run before it, a slot has the pair between both, u = y of this run and v = its x_first, in terms of y
// of the run before and x_n of this one:   u = g_u - u_y y - u_n x_n,   v = g_v - v_y y - v_n x_n.
// Later g_u and g_v are replaced by u and v.
enum { a_f, c_f, a_l, c_l, e_l, g_f, g_l, numbers };
enum { u_y, u_n, v_y, v_n, pair_u = g_f, pair_v = g_l };

template <class T>
struct UnpivotedSlot {
    T number[numbers][slot_lanes<T>];
    int32_t first_bad[slot_lanes<T>];  // row of the chunk, from 1, with the first bad pivot, 0 if there is none
    bool is_finite[slot_lanes<T>];     // all unknowns of the chunk
};

// One lane of a join; the right run's numbers have a name that begins with r (operands one by one: lanes_host.hpp).
template <class T>
inline void join_lane(bool is_positive, T &af, T &cf, T &al, T &cl, T &e, T &gf, T &gl, T &raf, T &rcf, T &ral, T &rcl,
                      T re, T &rgf, T &rgl, RowNumber<T> &bad) {
    const T factor = is_positive ? e : T(1);
    const T a = factor * al, c = factor * cl, g = factor * gl;  // u = g - a y - c v
    const T pivot = fnma(raf, c, T(1)), inverse = lane_reciprocal(pivot);
    const T gu = fnma(c, rgf, g) * inverse, uy = a * inverse, un = -((c * rcf) * inverse);
    const T gv = fnma(raf, gu, rgf), vy = -(raf * uy), vn = fnma(raf, un, rcf);
    gf = fnma(cf, gv, gf), af = fnma(cf, vy, af), cf = -(cf * vn);
    gl = fnma(ral, gu, rgl), al = -(ral * uy), cl = fnma(ral, un, rcl);
    e = re, rgf = gu, rgl = gv, raf = uy, rcf = un, ral = vy, rcl = vn;
    const bool is_good =
        bool(int(lane_has_reciprocal(pivot, inverse)) & (int(!is_positive) | int(real_part(pivot) > Real<T>(0))));
    bad = is_good ? RowNumber<T>(0) : RowNumber<T>(2);
}
template <class T>
inline void resolve_lane(T y, T x_n, T uy, T un, T vy, T vn, T &u, T &v) {
    u = fnma(uy, y, fnma(un, x_n, u)), v = fnma(vy, y, fnma(vn, x_n, v));
}

template <class T>
class Unpivoted : public WholeNodes<GtsvArrays> {
public:
    using Element = T;
    using Arrays = GtsvArrays;
    using Slot = UnpivotedSlot<T>;
    static constexpr int64_t scratch_arrays = 6;

    // The 5 coefficients, then both right-hand sides for each r; y and x_n
    static int64_t forward_bytes(const Arrays &, int64_t sides) { return (g_f + 2 * sides) * int64_t(sizeof(T)); }
    static int64_t back_bytes(int64_t sides) {
        return std::max<int64_t>(2 * sides * int64_t(sizeof(T)), least_node_bytes);
    }

    static void store(char *place, int64_t r, const Arrays &, const Slot &slot, int lane) {
        store_equations<g_f, T>(place, r, slot, lane);
    }
    static void load(const char *place, int64_t r, const Arrays &, int64_t, Slot &slot, int lane) {
        load_equations<g_f, T>(place, r, slot, lane);
    }
    static void store_ends(char *place, int64_t r, const Arrays &, const Slot &begin, const Slot &end, int lane) {
        const T ends[] = {begin.number[pair_u][lane], end.number[pair_v][lane]};
        std::memcpy(place + size_t(r) * sizeof ends, ends, sizeof ends);
    }
    static void load_ends(const char *place, int64_t r, const Arrays &, Slot &begin, Slot &end, int lane) {
        T x[2];
        std::memcpy(x, place + size_t(r) * sizeof x, sizeof x);
        begin.number[pair_u][lane] = x[0], end.number[pair_v][lane] = x[1];
    }

    static void join(int64_t lanes, const Arrays &arrays, Slot &begin, Slot &middle, RowNumber<T> *bad) {
        auto &x = begin.number, &y = middle.number;
        const bool is_positive = arrays.is_positive;
        for_slot_lanes<T>(lanes, [&](int64_t l) {
            join_lane(is_positive, x[a_f][l], x[c_f][l], x[a_l][l], x[c_l][l], x[e_l][l], x[g_f][l], x[g_l][l],
                      y[a_f][l], y[c_f][l], y[a_l][l], y[c_l][l], y[e_l][l], y[g_f][l], y[g_l][l], bad[l]);
        });
    }
    static void resolve(int64_t lanes, const Arrays &, const Slot &begin, Slot &middle, const Slot &end) {
        const auto &left = begin.number, &right = end.number;
        auto &m = middle.number;
        for_slot_lanes<T>(lanes, [&](int64_t l) {
            resolve_lane(left[pair_u][l], right[pair_v][l], m[u_y][l], m[u_n][l], m[v_y][l], m[v_n][l], m[pair_u][l],
                         m[pair_v][l]);
        });
    }
    // There are no unknowns outside: their coefficients are 0.
    static void close(int64_t lanes, const Arrays &, Slot &begin, Slot &end, RowNumber<T> *bad) {
        for (int64_t l = 0; l < lanes; ++l) begin.number[pair_u][l] = end.number[pair_v][l] = T(0), bad[l] = 0;
    }
    static void spoil(Slot &slot, int lane) {
        slot.number[pair_u][lane] = slot.number[pair_v][lane] = T(std::numeric_limits<Real<T>>::quiet_NaN());
    }

    Unpivoted(const MpPlan &plan, const Arrays &arrays) : plan_(plan), a_(arrays) {}

    Placement b_at(int64_t r) const { return placement_of(plan_, plan_.nrhs, a_.ldb, r); }
    void reduce(const Chosen<T> &chosen, int64_t r, const LaneSlots<Slot, T> &to, T *scratch, int64_t of_array) const {
        const PschemeTile<T> tile = tile_of(chosen, r, scratch, of_array);
        ChunkEquations<T> ends[max_lanes<T>], *ends_of[max_lanes<T>];
        for (int l = 0; l < chosen.count; ++l) ends_of[l] = ends + l;
        condense(tile, ends_of);
        const int64_t end = (chosen.rows - 1) * tile.a_lanes.step;
        for (int l = 0; l < chosen.count; ++l) {
            const bool has_e = a_.is_positive && !tile.ends[l];
            const T e = has_e ? conjugate(tile.du[tile.a_lanes.at[l] + end]) : T(0);
            const T all[] = {ends[l].a_first, ends[l].c_first, ends[l].a_last, ends[l].c_last, e,
                             ends[l].g_first, ends[l].g_last};
            for (int k = 0; k < numbers; ++k) to.slot[l]->number[k][to.lane[l]] = all[k];
            to.slot[l]->first_bad[to.lane[l]] = ends[l].first_bad;
        }
    }
    void determine(const Chosen<T> &chosen, int64_t r, const LaneSlots<Slot, T> &of, T *scratch,
                   int64_t of_array) const {
        T *const b = static_cast<T *>(a_.B);
        const PschemeTile<T> tile = tile_of(chosen, r, scratch, of_array);
        T before[max_lanes<T>], behind[max_lanes<T>];
        for (int l = 0; l < chosen.count; ++l) {
            before[l] = of.slot[l][0].number[pair_u][of.lane[l]];
            behind[l] = of.slot[l][1].number[pair_v][of.lane[l]];
        }
        tridiagonal::determine(tile, b, before, behind, scratch);
        for (int l = 0; l < chosen.count; ++l)  // It suffices to test the first unknown of a chunk: note_solved().
            of.slot[l]->is_finite[of.lane[l]] = xbatch::is_finite(b[tile.b_lanes.at[l]]);
    }

private:
    bool is_first(const Chosen<T> &chosen, int l) const { return plan_.share.begins && chosen.slot[l] == 0; }
    bool is_last(const Chosen<T> &chosen, int l) const {
        return plan_.share.ends && chosen.slot[l] + 1 == plan_.share.slots();
    }

    PschemeTile<T> tile_of(const Chosen<T> &chosen, int64_t r, T *scratch, int64_t of_array) const {
        PschemeTile<T> tile;
        tile.rows = chosen.rows, tile.is_positive = a_.is_positive;
        const Coefficients<T> a = coefficients(chosen, scratch, of_array);
        tile.dl = a.dl, tile.d = a.d, tile.du = a.du, tile.a_lanes = a.lanes;
        tile.b = static_cast<const T *>(a_.B), tile.b_lanes = lanes_of(plan_.share, chosen, b_at(r));
        for (int l = 0; l < chosen.count; ++l) tile.begins[l] = is_first(chosen, l), tile.ends[l] = is_last(chosen, l);
        return tile;
    }
    // In the caller's arrays or, of a positive definite matrix, in the fourth to sixth array of the scratch
    Coefficients<T> coefficients(const Chosen<T> &chosen, T *scratch, int64_t of_array) const {
        const Lanes<T> lanes = lanes_of(plan_.share, chosen, placement_of(plan_, 1, a_.ldt, 0));
        if (!a_.is_positive)
            return {chosen.rows, static_cast<const T *>(a_.dl), static_cast<const T *>(a_.d),
                    static_cast<const T *>(a_.du), lanes};
        T *const dl = scratch + 3 * of_array, *const d = dl + of_array, *const du = d + of_array;
        copy_rows(chosen.rows, lanes, dl, d, du);
        Coefficients<T> copy{chosen.rows, dl, d, du, {lanes.count, lanes.count, {}}};
        for (int l = 0; l < lanes.count; ++l) copy.lanes.at[l] = l;
        return copy;
    }
    // dl_i = e_{i-1}, du_i = conj(e_i), and 1 for dl of the first row
    void copy_rows(int64_t rows, const Lanes<T> &lanes, T *dl, T *d, T *du) const {
        const int count = lanes.count;
        Lanes<Real<T>> d_lanes;
        d_lanes.count = count, d_lanes.step = lanes.step;
        std::copy_n(lanes.at, count, d_lanes.at);
        Input<Real<T>> on(static_cast<const Real<T> *>(a_.d), d_lanes, rows);
        Input<T> below(static_cast<const T *>(a_.du), lanes, rows);
        std::fill_n(dl, count, T(1));
        const int64_t block = stage_rows<T>(count);
        for (int64_t begin = 0; begin < rows; begin += block) {
            const int64_t here = std::min(rows - begin, block);
            const Rows<const Real<T>> d_rows = on.fetch(begin, here);
            const Rows<const T> e_rows = below.fetch(begin, here);
            for (int64_t k = 0; k < here; ++k) {
                const int64_t at = (begin + k) * count;
                const bool is_last = begin + k + 1 == rows;
                for (int l = 0; l < count; ++l) {
                    const T e = e_rows.row(k)[l];
                    d[at + l] = T(d_rows.row(k)[l]), du[at + l] = conjugate(e);
                    if (!is_last) dl[at + count + l] = e;
                }
            }
        }
    }

    const MpPlan &plan_;
    const Arrays &a_;
};

template <class T>
using UnpivotedSolve = Solve<Unpivoted<T>>;

}  // namespace

const GtsvPhases &host_pscheme_phases(xbatchDataType_t type) { return phases_of<UnpivotedSolve>(type); }

}  // namespace xbatch::distributed
