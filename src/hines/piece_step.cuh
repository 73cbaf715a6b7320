// piece_step.cuh: a level of a tree's pieces, eliminated and substituted by one worker: the P-scheme's pre-computation
// and determination, on trees. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.cuh"
#include "device_plan.hpp"

namespace xbatch {

// Products that no compiler may join with an addition elsewhere, so that all kernels round alike.
__device__ inline float product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double product(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
template <class R>
__device__ inline Complex<R> product(Complex<R> a, Complex<R> b) {
    return {fused(-a.im, b.im, product(a.re, b.re)), fused(a.im, b.re, product(a.re, b.im))};
}
// c - a*b
template <class R>
__device__ inline R less_product(R c, R a, R b) {
    return fused(-a, b, c);
}
template <class R>
__device__ inline Complex<R> less_product(Complex<R> c, Complex<R> a, Complex<R> b) {
    return {fused(a.im, b.im, fused(-a.re, b.re, c.re)), fused(-a.im, b.re, fused(-a.re, b.im, c.im))};
}

// The rows of one system: l x_parent + d x_v + sum over children k of u_k x_k = b, where u and l of a root are 0. The
// elimination puts c in the place of d, g in that of b and, on the way from a port to the top of its piece, e in that
// of u: x_v = g - c x_parent - e x_port. The substitution puts x in the place of g. A port keeps its row for the next
// level. Offsets are in bytes; Offset is 32 bits wide in shared memory.
template <class T, class Offset, class Step>
struct TreeRows {
    char *rows;               // u of node 0
    Offset l_at, d_at, b_at;  // from u to l, d, b
    Step step;                // from node to node
    char *shares;             // what the piece of a slot takes off the d, and then the b, that it hangs on
    Offset share_step;        // from one to the next

    using Element = T;
    __device__ Offset at(uint32_t v) const { return Offset(v) * Offset(step); }
    __device__ T &element(Offset at) const { return *reinterpret_cast<T *>(rows + at); }
    __device__ T &u(Offset at) const { return element(at); }
    __device__ T &l(Offset at) const { return element(at + l_at); }
    __device__ T &d(Offset at) const { return element(at + d_at); }
    __device__ T &b(Offset at) const { return element(at + b_at); }
    __device__ T &share_d(int32_t slot) const { return *reinterpret_cast<T *>(shares + Offset(2 * slot) * share_step); }
    __device__ T &share_b(int32_t slot) const {
        return *reinterpret_cast<T *>(shares + Offset(2 * slot + 1) * share_step);
    }
};

// A step that is known to the compiler
template <int bytes>
struct ConstantStep {
    __device__ constexpr operator int() const { return bytes; }
};

// Joins to the row of a port what the pieces that hang on it take off.
template <class Rows>
__device__ inline void join(const PieceTables &tables, PieceJoint joint, const Rows &rows) {
    const auto at = rows.at(uint32_t(joint.node));
    auto d = rows.d(at), b = rows.b(at);
    for (int32_t c = joint.begin; c < joint.end; ++c) {
        const int32_t slot = tables.contributors[c];
        d = d + rows.share_d(slot), b = b + rows.share_b(slot);
    }
    rows.d(at) = d, rows.b(at) = b;
}

// The pieces of worker w of a level. For a node with children k already gone, d and b are what these have left of them:
//     c = l / d,  g = b / d,  and the parent's  d -= u c,  b -= u g.
// Above the port q each row also has an entry f in column q, and row q an entry h in column v:
//     e = f / d,  d_q -= h e,  b_q -= h g,  then for the parent f = -u e, h = -h c.
// Workers of a warp are at nodes of all kinds at once, so every lane does all of the arithmetic, and keeps what it
// needs. Gives back the largest node, counted from 1, whose pivot is bad, if that is above `bad`.
template <class Rows>
__device__ inline int eliminate_level(const PieceTables &tables, const PieceLevel &level, int w, const Rows &rows,
                                      int bad) {
    using T = typename Rows::Element;
    const PieceStep *at = tables.steps + level.first_step + w;
    int32_t other = tables.worker_slots[level.first_worker + w];
    T shares_d(0), shares_b(0), left_d(0), left_b(0);  // less what the piece takes; of the parent that comes next
    T f(0), h(0), port_d(0), port_b(0);
    int32_t port = -1;
    const auto end_piece = [&](int32_t slot) {
        rows.share_d(slot) = shares_d, rows.share_b(slot) = shares_b;
        if (port >= 0) {
            const auto v = rows.at(uint32_t(port));
            rows.u(v) = f, rows.l(v) = h, rows.d(v) = port_d, rows.b(v) = port_b;
        }
    };
    for (int k = 0; k < level.steps; ++k, at += level.workers) {
        const PieceStep step = *at;
        const uint32_t flags = step.flags();
        if (flags & STEP_IS_IDLE) continue;
        const bool is_after = flags & STEP_AFTER_CHILD, is_port = flags & STEP_IS_PORT, is_top = flags & STEP_IS_TOP;
        const auto v = rows.at(step.node()), parent = rows.at(is_top ? step.node() : step.parent());
        const T u = rows.u(v), l = rows.l(v), parent_d = rows.d(parent), parent_b = rows.b(parent);
        const T own_d = rows.d(v), own_b = rows.b(v);
        const T d = is_after ? left_d : own_d, b = is_after ? left_b : own_b;
        const T inverse = fast_reciprocal(d), ui = product(u, inverse);
        const T c = product(l, inverse), g = product(b, inverse);
        if (!is_port && !has_reciprocal(d)) bad = max(bad, int(step.node()) + 1);
        left_d = less_product(is_top ? shares_d : parent_d, ui, l);
        left_b = less_product(is_top ? shares_b : parent_b, ui, b);
        const bool is_path = flags & STEP_ON_PATH;
        if (is_path) {
            const T e = product(f, inverse);
            rows.u(v) = e;
            port_d = less_product(port_d, h, e), port_b = less_product(port_b, h, g);
            f = -product(ui, f), h = -product(h, c);
        }
        if (is_port) f = u, h = l, port_d = d, port_b = b, port = int32_t(step.node());
        if (!is_port) {
            rows.d(v) = c, rows.b(v) = g;
            if (is_top) shares_d = left_d, shares_b = left_b;
            if (!(flags & (STEP_IS_TOP | STEP_BEFORE_PARENT))) rows.d(parent) = left_d, rows.b(parent) = left_b;
        }
        if (flags & STEP_ENDS && !(flags & STEP_IS_LAST)) {
            end_piece(other++);
            shares_d = shares_b = T(0), port = -1;
        }
    }
    end_piece(level.first_slot + w);
    return bad;
}

// The same pieces from their tops to their tips.
template <class Rows>
__device__ inline void substitute_level(const PieceTables &tables, const PieceLevel &level, int w, const Rows &rows) {
    using T = typename Rows::Element;
    const PieceStep *at = tables.steps + level.first_step + w + (level.steps - 1) * level.workers;
    int32_t other = tables.worker_slots[level.first_worker + w + 1];
    const auto x_of_port = [&](int32_t slot) {
        const int32_t port = tables.ports[slot];
        return port >= 0 ? rows.b(rows.at(uint32_t(port))) : T(0);
    };
    T above(0), at_port = x_of_port(level.first_slot + w);
    for (int k = level.steps - 1; k >= 0; --k, at -= level.workers) {
        const PieceStep step = *at;
        const uint32_t flags = step.flags();
        if (flags & STEP_IS_IDLE) continue;
        if (flags & STEP_ENDS && !(flags & STEP_IS_LAST)) at_port = x_of_port(--other);
        const auto v = rows.at(step.node());
        const T g = rows.b(v), c = rows.d(v), e = rows.u(v), other_x = rows.b(rows.at(step.parent()));
        above = flags & STEP_IS_ROOT ? T(0) : flags & STEP_BEFORE_PARENT ? above : other_x;
        T x = less_product(g, c, above);
        if (flags & STEP_ON_PATH) x = less_product(x, e, at_port);
        if (flags & STEP_IS_PORT)
            x = g;
        else
            rows.b(v) = x;
        above = x;
    }
}

}  // namespace xbatch
