// subtree_step.cuh: one worker eliminates and substitutes its subtrees of a level.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.cuh"
#include "hines/plan/device_plan.hpp"

namespace xbatch::hines {

// Products that no compiler may contract with an addition, so that all kernels round alike.
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

// The rows of a system: l x_parent + d x_v + sum over children k of u_k x_k = b, where u and l of a root are 0. The
// elimination overwrites d by c, b by g and, on the path from a port to the top of its subtree, u by e: x_v = g - c
// x_parent - e x_port. The substitution overwrites g by x. A port keeps its row for the next level. u and l have a row
// for each node, d and b one more for each slot. Offsets are in bytes, 32 bits wide in shared memory.
template <class T, class Offset>
struct TreeRows {
    using Element = T;

    char *u_, *l_, *d_, *b_;
    Offset step;  // from row to row

    __device__ Offset at(uint32_t row) const { return Offset(row) * step; }
    __device__ T &u(Offset at) const { return *reinterpret_cast<T *>(u_ + at); }
    __device__ T &l(Offset at) const { return *reinterpret_cast<T *>(l_ + at); }
    __device__ T &d(Offset at) const { return *reinterpret_cast<T *>(d_ + at); }
    __device__ T &b(Offset at) const { return *reinterpret_cast<T *>(b_ + at); }
};

// Sets to 0 what no array contains: u and l of root w, d and b of slot w.
template <class Rows>
__device__ inline void clear_rows(const DeviceTree &tree, int w, const Rows &rows) {
    const typename Rows::Element zero(0);
    if (w < tree.root_count) {
        const auto root = rows.at(uint32_t(tree.roots[w]));
        rows.u(root) = rows.l(root) = zero;
    }
    if (w < tree.slots) {
        const auto slot = rows.at(uint32_t(tree.n + w));
        rows.d(slot) = rows.b(slot) = zero;
    }
}

// Adds to a row the contributions of the subtrees below its node.
template <class Rows>
__device__ inline void join(const DeviceSubtrees &tables, SubtreeJoint joint, const Rows &rows) {
    const auto at = rows.at(uint32_t(joint.row));
    auto d = rows.d(at), b = rows.b(at);
    for (int32_t c = joint.begin; c < joint.end; ++c) {
        const auto slot = rows.at(uint32_t(tables.contributors[c]));
        d = d + rows.d(slot), b = b + rows.b(slot);
    }
    rows.d(at) = d, rows.b(at) = b;
}

// A port while the nodes above it are eliminated: d and b of its row; f, the next node's entry in the port's column; h,
// the port's entry in the next node's column.
template <class T>
struct OpenPort {
    T f, h, d, b;
    int32_t row;  // or -1
};

template <class Rows>
__device__ inline void leave_port(const Rows &rows, const OpenPort<typename Rows::Element> &port) {
    if (port.row < 0) return;
    const auto at = rows.at(uint32_t(port.row));
    rows.u(at) = port.f, rows.l(at) = port.h, rows.d(at) = port.d, rows.b(at) = port.b;
}

// The subtrees of worker w of a level. When a node's children are eliminated, d and b contain their contributions:
//     c = l / d,  g = b / d,  and the parent's  d -= u c,  b -= u g.
// Above the port q each row also has an entry f in column q, and row q an entry h in column v:
//     e = f / d,  d_q -= h e,  b_q -= h g,  then for the parent f = -u e, h = -h c.
// Returns the largest node, counted from 1, whose pivot is bad, if that is above `bad`.
template <class Rows>
__device__ inline int eliminate_level(const DeviceSubtrees &tables, const SubtreeLevel &level, int w, const Rows &rows,
                                      int bad) {
    using T = typename Rows::Element;
    const SubtreeStep *at = tables.steps + level.first_step + w;
    OpenPort<T> port{T(0), T(0), T(0), T(0), -1};
    SubtreeStep step = *at;
    for (int k = 0; k < level.steps; ++k) {
        const uint32_t flags = step.flags(), row = step.row();
        const auto v = rows.at(row), parent = rows.at(step.parent);
        at += level.workers;
        if (k + 1 < level.steps) step = *at;
        if (flags & STEP_IS_IDLE) continue;
        const T d = rows.d(v), b = rows.b(v), u = rows.u(v), l = rows.l(v);
        if (flags & STEP_IS_PORT) {
            port = {u, l, d, b, int32_t(row)};
        } else {
            const T parent_d = rows.d(parent), parent_b = rows.b(parent);
            const T inverse = fast_reciprocal(d), ui = product(u, inverse);
            const T c = product(l, inverse), g = product(b, inverse);
            rows.d(v) = c, rows.b(v) = g;
            rows.d(parent) = less_product(parent_d, ui, l), rows.b(parent) = less_product(parent_b, ui, b);
            if (!has_reciprocal(d)) bad = max(bad, int(row) + 1);
            if (flags & STEP_ON_PATH) {
                const T e = product(port.f, inverse);
                rows.u(v) = e;
                port.d = less_product(port.d, port.h, e), port.b = less_product(port.b, port.h, g);
                port.f = -product(ui, port.f), port.h = -product(port.h, c);  // equal, if A is symmetric
            }
        }
        if (flags & STEP_ENDS) {
            leave_port(rows, port);
            port.row = -1;
        }
    }
    leave_port(rows, port);
    return bad;
}

// The same subtrees from their tops to their tips. Returns whether all unknowns are finite.
template <class Rows>
__device__ inline bool substitute_level(const DeviceSubtrees &tables, const SubtreeLevel &level, int w,
                                        const Rows &rows) {
    using T = typename Rows::Element;
    const SubtreeStep *at = tables.steps + level.first_step + w + (level.steps - 1) * level.workers;
    int32_t other = tables.worker_slots[level.first_worker + w + 1];
    T at_port(0);
    bool is_solved = true;
    // The tops read the unknown above them from the slot's row.
    const auto begin_subtree = [&](int32_t slot) {
        const SubtreeEnds ends = tables.ends[slot];
        if (ends.port >= 0) at_port = rows.b(rows.at(uint32_t(ends.port)));
        rows.b(rows.at(uint32_t(tables.nodes + slot))) = ends.above >= 0 ? rows.b(rows.at(uint32_t(ends.above))) : T(0);
    };
    begin_subtree(level.first_slot + w);
    SubtreeStep step = *at;
    for (int k = level.steps - 1; k >= 0; --k) {
        const uint32_t flags = step.flags();
        const auto v = rows.at(step.row()), parent = rows.at(step.parent);
        at -= level.workers;
        if (k > 0) step = *at;
        if (flags & STEP_IS_IDLE) continue;
        if (flags & STEP_ENDS) begin_subtree(--other);
        if (flags & STEP_IS_PORT) continue;
        T x = less_product(rows.b(v), rows.d(v), rows.b(parent));
        if (flags & STEP_ON_PATH) x = less_product(x, rows.u(v), at_port);
        rows.b(v) = x;
        is_solved = is_solved && is_finite(x);
    }
    return is_solved;
}

}  // namespace xbatch::hines
