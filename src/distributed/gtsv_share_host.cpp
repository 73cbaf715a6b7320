// gtsv_share_host.cpp: distributed tridiagonal systems with pivoting on the host (partition method).
// SPDX-License-Identifier: BSD-3-Clause
#include "gtsv_mp.hpp"
#include "share_host.hpp"
#include "tridiagonal/pivoted/interface_chunks_host.hpp"

namespace xbatch::distributed {
namespace {

using namespace tridiagonal;
using distributed::Chosen;

// The two interface equations of chunks, a and b: l0 x_{L-1} + l1 x_L + p x_R + q x_{R+1} = g. Joined to the chunks
// before it, a slot has the pair u = x_m, v = x_{m+1} between both, in terms of the pairs outside both, x_{L-1} and x_L
// (left), x_R and x_{R+1} (right):
//     v = h - f0 left_0 - f1 left_1 - k0 right_0 - k1 right_1,   u = g - q v - e0 y_0 - e1 y_1,   y = left or right.
// Later g and h are replaced by u and v themselves.
enum { a_l0, a_l1, a_p, a_q, b_l0, b_l1, b_p, b_q, a_g, b_g, numbers };
enum { pair_e0, pair_e1, pair_q, pair_f0, pair_f1, pair_k0, pair_k1, pair_is_right, pair_u, pair_v };

template <class T>
struct PivotedSlot {
    T number[numbers][slot_lanes<T>];
    int32_t first_bad[slot_lanes<T>];  // row of the chunk, from 1, with the first bad pivot, 0 if there is none
    bool is_finite[slot_lanes<T>];     // all unknowns of the chunk
};

// One lane of a join. u is eliminated by the row of largest weight of four, v of the remaining three (operands one by
// one: lanes_host.hpp): rows a, b of the left chunks, and c, d of the right ones.
template <class T>
inline void join_lane(T &a0, T &a1, T &a2, T &a3, T &ag, T &b0, T &b1, T &b2, T &b3, T &bg, T &c0, T &c1, T &c2, T &c3,
                      T &cg, T &d0, T &d1, T &d2, T &d3, T &dg, RowNumber<T> &bad) {
    const bool s = lane_size(b2) > lane_size(a2), w = lane_size(d0) > lane_size(c0);
    const T l0 = select(s, b0, a0), l1 = select(s, b1, a1), lp = select(s, b2, a2), lq = select(s, b3, a3);
    const T m0 = select(s, a0, b0), m1 = select(s, a1, b1), mp = select(s, a2, b2), mq = select(s, a3, b3);
    const T r0 = select(w, d0, c0), r1 = select(w, d1, c1), rp = select(w, d2, c2), rq = select(w, d3, c3);
    const T t0 = select(w, c0, d0), t1 = select(w, c1, d1), tp = select(w, c2, d2), tq = select(w, c3, d3);
    const T lg = select(s, bg, ag), mg = select(s, ag, bg), rg = select(w, dg, cg), tg = select(w, cg, dg);
    const bool is_right = lane_size(r0) > lane_size(lp);
    const T pivot = select(is_right, r0, lp), other = select(is_right, lp, r0);
    const T q = select(is_right, r1, lq), other_q = select(is_right, lq, r1);
    const T g = select(is_right, rg, lg), other_g = select(is_right, lg, rg);
    const T inverse = lane_reciprocal(pivot), fl = mp * inverse, fr = t0 * inverse, fo = other * inverse, none = T(0);
    // The three remaining rows in left_0, left_1, v, right_0, right_1: m (x), t (y) and the other of l and r (z)
    const T x0 = select(is_right, m0, fnma(fl, l0, m0)), x1 = select(is_right, m1, fnma(fl, l1, m1));
    const T x2 = select(is_right, -(fl * rp), none), x3 = select(is_right, -(fl * rq), none);
    const T xv = fnma(fl, q, mq), xg = fnma(fl, g, mg);
    const T y0 = select(is_right, none, -(fr * l0)), y1 = select(is_right, none, -(fr * l1));
    const T y2 = select(is_right, fnma(fr, rp, tp), tp), y3 = select(is_right, fnma(fr, rq, tq), tq);
    const T yv = fnma(fr, q, t1), yg = fnma(fr, g, tg);
    const T z0 = select(is_right, l0, -(fo * l0)), z1 = select(is_right, l1, -(fo * l1));
    const T z2 = select(is_right, -(fo * rp), rp), z3 = select(is_right, -(fo * rq), rq);
    const T zv = fnma(fo, q, other_q), zg = fnma(fo, g, other_g);
    const bool y_is_larger = lane_size(yv) > lane_size(xv),
               is_z = lane_size(zv) > lane_size(select(y_is_larger, yv, xv));
    const bool is_y = bool(int(y_is_larger) & int(!is_z)), is_x = bool(int(!y_is_larger) & int(!is_z));
    const T s0 = select(is_z, z0, select(is_y, y0, x0)), s1 = select(is_z, z1, select(is_y, y1, x1));
    const T s2 = select(is_z, z2, select(is_y, y2, x2)), s3 = select(is_z, z3, select(is_y, y3, x3));
    const T sv = select(is_z, zv, select(is_y, yv, xv)), sg = select(is_z, zg, select(is_y, yg, xg));
    const T inverse_v = lane_reciprocal(sv);
    const T fa = select(is_x, zv, xv) * inverse_v, fb = select(is_y, zv, yv) * inverse_v;
    a0 = fnma(fa, s0, select(is_x, z0, x0)), a1 = fnma(fa, s1, select(is_x, z1, x1));
    a2 = fnma(fa, s2, select(is_x, z2, x2)), a3 = fnma(fa, s3, select(is_x, z3, x3));
    ag = fnma(fa, sg, select(is_x, zg, xg));
    b0 = fnma(fb, s0, select(is_y, z0, y0)), b1 = fnma(fb, s1, select(is_y, z1, y1));
    b2 = fnma(fb, s2, select(is_y, z2, y2)), b3 = fnma(fb, s3, select(is_y, z3, y3));
    bg = fnma(fb, sg, select(is_y, zg, yg));
    // Into the places of the pair
    c0 = select(is_right, rp, l0) * inverse, c1 = select(is_right, rq, l1) * inverse, c2 = q * inverse;
    c3 = s0 * inverse_v, d0 = s1 * inverse_v, d1 = s2 * inverse_v, d2 = s3 * inverse_v;
    d3 = select(is_right, T(1), none), cg = g * inverse, dg = sg * inverse_v;
    const RowNumber<T> second = is_good_pivot(sv, inverse_v) ? RowNumber<T>(0) : RowNumber<T>(2);
    bad = is_good_pivot(pivot, inverse) ? second : RowNumber<T>(1);
}

template <class T>
inline void resolve_lane(T left_0, T left_1, T right_0, T right_1, T e0, T e1, T q, T f0, T f1, T k0, T k1, T is_right,
                         T &u, T &v) {
    const bool right = real_part(is_right) > Real<T>(0);
    v = fnma(f0, left_0, fnma(f1, left_1, fnma(k0, right_0, fnma(k1, right_1, v))));
    u = fnma(q, v, fnma(e0, select(right, right_0, left_0), fnma(e1, select(right, right_1, left_1), u)));
}

// Periodic systems, x_{-1} = x_{n-1} and x_n = x_0; and open ones, whose coefficients of both are 0
template <class T>
inline void close_lane(T a_first, T a_last, T ag, T b_first, T b_last, T bg, T &x_first, T &x_last, RowNumber<T> &bad) {
    const bool s = lane_size(b_first) > lane_size(a_first);
    const T pivot = select(s, b_first, a_first), other = select(s, a_first, b_first);
    const T last = select(s, b_last, a_last), g = select(s, bg, ag), inverse = lane_reciprocal(pivot),
            f = other * inverse;
    const T rest = fnma(f, last, select(s, a_last, b_last)), inverse_rest = lane_reciprocal(rest);
    x_last = fnma(f, g, select(s, ag, bg)) * inverse_rest;
    x_first = fnma(last, x_last, g) * inverse;
    const RowNumber<T> second = is_good_pivot(rest, inverse_rest) ? RowNumber<T>(0) : RowNumber<T>(2);
    bad = is_good_pivot(pivot, inverse) ? second : RowNumber<T>(1);
}

template <class T>
class Pivoted {
public:
    using Element = T;
    using Arrays = GtsvArrays;
    using Slot = PivotedSlot<T>;
    static constexpr int64_t scratch_arrays = 3;

    // The 8 coefficients of both equations, unless factors have them, then their right-hand sides for each r; the 4
    // unknowns at a node's ends
    static int64_t forward_bytes(const Arrays &a, int64_t sides) {
        return ((a.factors == Factors::used ? 0 : a_g) + 2 * sides) * int64_t(sizeof(T));
    }
    static int64_t back_bytes(int64_t sides) { return 4 * sides * int64_t(sizeof(T)); }

    static void store(char *place, int64_t r, const Arrays &a, const Slot &slot, int lane) {
        if (a.factors == Factors::used)
            store_numbers<a_g, 2, T>(place + 2 * size_t(r) * sizeof(T), slot, lane);
        else
            store_equations<a_g, T>(place, r, slot, lane);
    }
    static void load(const char *place, int64_t r, const Arrays &a, int64_t node, Slot &slot, int lane) {
        if (a.factors == Factors::used) {
            load_numbers<0, a_g, T>(stored(a, node), slot, lane);
            load_numbers<a_g, 2, T>(place + 2 * size_t(r) * sizeof(T), slot, lane);
        } else {
            load_equations<a_g, T>(place, r, slot, lane);
            if (a.factors == Factors::made) std::memcpy(stored(a, node), place, a_g * sizeof(T));
        }
    }
    // Factors have the coefficients, or in their place the bad row, which depends on the matrix alone.
    static void note_bad(char *place, const Arrays &a, int64_t row) {
        if (a.factors != Factors::used) mark(place, row);
    }
    static int64_t bad_row(const char *place, const Arrays &a, int64_t node) {
        return marked_row(a.factors == Factors::used ? stored(a, node) : place);
    }
    static bool has_unknowns(const Arrays &a) { return a.factors != Factors::made; }
    static void store_ends(char *place, int64_t r, const Arrays &, const Slot &begin, const Slot &end, int lane) {
        const T ends[] = {begin.number[pair_u][lane], begin.number[pair_v][lane], end.number[pair_u][lane],
                          end.number[pair_v][lane]};
        std::memcpy(place + size_t(r) * sizeof ends, ends, sizeof ends);
    }
    static void load_ends(const char *place, int64_t r, const Arrays &, Slot &begin, Slot &end, int lane) {
        T x[4];
        std::memcpy(x, place + size_t(r) * sizeof x, sizeof x);
        begin.number[pair_u][lane] = x[0], begin.number[pair_v][lane] = x[1];
        end.number[pair_u][lane] = x[2], end.number[pair_v][lane] = x[3];
    }

    static void join(int64_t lanes, const Arrays &, Slot &begin, Slot &middle, RowNumber<T> *bad) {
        auto &x = begin.number, &y = middle.number;
        for_slot_lanes<T>(lanes, [&](int64_t l) {
            join_lane(x[a_l0][l], x[a_l1][l], x[a_p][l], x[a_q][l], x[a_g][l], x[b_l0][l], x[b_l1][l], x[b_p][l],
                      x[b_q][l], x[b_g][l], y[a_l0][l], y[a_l1][l], y[a_p][l], y[a_q][l], y[a_g][l], y[b_l0][l],
                      y[b_l1][l], y[b_p][l], y[b_q][l], y[b_g][l], bad[l]);
        });
    }
    static void resolve(int64_t lanes, const Arrays &, const Slot &begin, Slot &middle, const Slot &end) {
        const auto &left = begin.number, &right = end.number;
        auto &m = middle.number;
        for_slot_lanes<T>(lanes, [&](int64_t l) {
            resolve_lane(left[pair_u][l], left[pair_v][l], right[pair_u][l], right[pair_v][l], m[pair_e0][l],
                         m[pair_e1][l], m[pair_q][l], m[pair_f0][l], m[pair_f1][l], m[pair_k0][l], m[pair_k1][l],
                         m[pair_is_right][l], m[pair_u][l], m[pair_v][l]);
        });
    }
    static void close(int64_t lanes, const Arrays &, Slot &begin, Slot &end, RowNumber<T> *bad) {
        auto &x = begin.number, &y = end.number;
        for_slot_lanes<T>(lanes, [&](int64_t l) {
            T first, last;
            close_lane(x[a_l1][l] + x[a_q][l], x[a_l0][l] + x[a_p][l], x[a_g][l], x[b_l1][l] + x[b_q][l],
                       x[b_l0][l] + x[b_p][l], x[b_g][l], first, last, bad[l]);
            x[pair_u][l] = y[pair_u][l] = last, x[pair_v][l] = y[pair_v][l] = first;
        });
    }
    static void spoil(Slot &slot, int lane) {
        slot.number[pair_u][lane] = slot.number[pair_v][lane] = T(std::numeric_limits<Real<T>>::quiet_NaN());
    }

    Pivoted(const MpPlan &plan, const Arrays &arrays) : plan_(plan), a_(arrays) {}

    Placement b_at(int64_t r) const { return placement_of(plan_, plan_.sides, a_.ldb, r); }
    void reduce(const Chosen<T> &chosen, int64_t r, const LaneSlots<Slot, T> &to, T *, int64_t) const {
        const ChunkTile<T> tile = tile_of(chosen, r);
        HeldRows<T> held;
        if (chosen.rows == 1)
            hold_row(tile, held);
        else
            tridiagonal::reduce(tile, static_cast<const T *>(a_.B), held);
        for (int l = 0; l < chosen.count; ++l) {
            Slot &slot = *to.slot[l];
            const T equations[] = {held.a.l0[l], held.a.l1[l], held.a.p[l], held.a.q[l], held.b.l0[l],
                                   held.b.l1[l], held.b.p[l],  held.b.q[l], held.a.g[l], held.b.g[l]};
            for (int k = 0; k < numbers; ++k) slot.number[k][to.lane[l]] = equations[k];
            slot.first_bad[to.lane[l]] = info_of<T>(held.first_bad[l]);
        }
    }
    void determine(const Chosen<T> &chosen, int64_t r, const LaneSlots<Slot, T> &of, T *scratch,
                   int64_t scratch_of_array) const {
        const PivotRows<T> pivots{scratch + scratch_of_array, scratch + 2 * scratch_of_array};
        KnownEnds<T> ends;
        bool are_finite[max_lanes<T>];
        for (int l = 0; l < chosen.count; ++l) {
            const auto &begin = of.slot[l][0].number, &end = of.slot[l][1].number;
            const int lane = of.lane[l];
            ends.before[l] = begin[pair_u][lane], ends.first[l] = begin[pair_v][lane];
            ends.last[l] = end[pair_u][lane], ends.after[l] = end[pair_v][lane];
        }
        const ChunkTile<T> tile = tile_of(chosen, r);
        T *const b = static_cast<T *>(a_.B);
        if (chosen.rows > 1) tridiagonal::determine(tile, b, ends, pivots, scratch, are_finite);
        for (int l = 0; l < chosen.count; ++l) {
            if (chosen.rows == 1)
                b[tile.b_lanes.at[l]] = ends.first[l], are_finite[l] = xbatch::is_finite(ends.first[l]);
            of.slot[l]->is_finite[of.lane[l]] = are_finite[l];
        }
    }

private:
    static char *stored(const Arrays &a, int64_t node) { return a.nodes + node * int64_t(a_g * sizeof(T)); }

    ChunkTile<T> tile_of(const Chosen<T> &chosen, int64_t r) const {
        ChunkTile<T> tile;
        tile.rows = chosen.rows;
        tile.dl = static_cast<const T *>(a_.dl), tile.d = static_cast<const T *>(a_.d);
        tile.du = static_cast<const T *>(a_.du);
        tile.a_lanes = lanes_of(plan_.share, chosen, placement_of(plan_, 1, a_.ldt, 0)),
        tile.b_lanes = lanes_of(plan_.share, chosen, b_at(r));
        for (int l = 0; l < chosen.count; ++l) {
            tile.begins[l] = !a_.is_periodic && plan_.share.begins && chosen.slot[l] == 0;
            tile.ends[l] = !a_.is_periodic && plan_.share.ends && chosen.slot[l] + 1 == plan_.share.slots();
        }
        return tile;
    }
    // The equations of a chunk of one row: its own, and x_L = x_R
    void hold_row(const ChunkTile<T> &tile, HeldRows<T> &held) const {
        for (int l = 0; l < tile.a_lanes.count; ++l) {
            const int64_t at = tile.a_lanes.at[l];
            T dl = tile.begins[l] ? T(0) : tile.dl[at], d = tile.d[at], du = tile.ends[l] ? T(0) : tile.du[at];
            T b = static_cast<const T *>(a_.B)[tile.b_lanes.at[l]];
            equilibrate(dl, d, du, b);
            held.a.l0[l] = dl, held.a.l1[l] = d, held.a.p[l] = T(0), held.a.q[l] = du, held.a.g[l] = b;
            held.b.l0[l] = T(0), held.b.l1[l] = T(1), held.b.p[l] = T(-1), held.b.q[l] = T(0), held.b.g[l] = T(0);
            held.first_bad[l] = no_row<T>;
        }
    }

    const MpPlan &plan_;
    const Arrays &a_;
};

template <class T>
using PivotedSolve = Solve<Pivoted<T>>;

}  // namespace

const GtsvPhases &host_gtsv_phases(xbatchDataType_t type) { return phases_of<PivotedSolve>(type); }

}  // namespace xbatch::distributed
