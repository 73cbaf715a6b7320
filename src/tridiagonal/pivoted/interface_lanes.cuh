// interface_lanes.cuh: tables of interface equations with one column per lane of a warp, and the tree over the lanes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interface.cuh"
#include "interface_plan.hpp"

namespace xbatch::tridiagonal {

// A table of values with one column per lane: value v of a column is v*n elements after its first. Values of several
// right-hand sides, SIDES if they are not of one, are consecutive.
template <class SIDES, class T>
using ValuesOf = std::conditional_t<std::is_void_v<SIDES>, T, SIDES>;
template <int n = InterfacePlan::columns, class T, class G>
__device__ inline void put(T *table, int column, const InterfaceEquations<T, G> &run) {
    constexpr int values = sizeof(G) / sizeof(T);
    T *const to = table + column;
    to[0] = run.a.l0, to[n] = run.a.l1, to[2 * n] = run.a.p, to[3 * n] = run.a.q;
    to[4 * n] = run.b.l0, to[5 * n] = run.b.l1, to[6 * n] = run.b.p, to[7 * n] = run.b.q;
    put_value(to + 8 * n, n, run.a.g), put_value(to + (8 + values) * n, n, run.b.g);
}
template <int n = InterfacePlan::columns, class SIDES = void, class T>
__device__ inline InterfaceEquations<T, ValuesOf<SIDES, T>> get_run(const T *table, int column) {
    using G = ValuesOf<SIDES, T>;
    constexpr int values = sizeof(G) / sizeof(T);
    const T *const at = table + column;
    return {{at[0], at[n], at[2 * n], at[3 * n], get_value<G>(at + 8 * n, n)},
            {at[4 * n], at[5 * n], at[6 * n], at[7 * n], get_value<G>(at + (8 + values) * n, n)}};
}
template <int n = InterfacePlan::columns, class T, class G>
__device__ inline void put(T *table, int column, const Middle<T, G> &m) {
    constexpr int values = sizeof(G) / sizeof(T);
    T *const to = table + column;
    to[0] = m.e0, to[n] = m.e1, to[2 * n] = m.q, to[3 * n] = m.f0, to[4 * n] = m.f1, to[5 * n] = m.k0;
    to[6 * n] = m.k1, put_value(to + 7 * n, n, m.g), put_value(to + (7 + values) * n, n, m.h);
}
template <int n = InterfacePlan::columns, class SIDES = void, class T>
__device__ inline Middle<T, ValuesOf<SIDES, T>> get_middle(const T *table, int column, bool from_right) {
    using G = ValuesOf<SIDES, T>;
    constexpr int values = sizeof(G) / sizeof(T);
    const T *const at = table + column;
    return {at[0],
            at[n],
            at[2 * n],
            at[3 * n],
            at[4 * n],
            at[5 * n],
            at[6 * n],
            get_value<G>(at + 7 * n, n),
            get_value<G>(at + (7 + values) * n, n),
            from_right,
            true};
}
template <int n = InterfacePlan::columns, class T, class G>
__device__ inline void put(T *table, int column, const Known<G> &k) {
    constexpr int values = sizeof(G) / sizeof(T) * n;
    T *const to = table + column;
    put_value(to, n, k.left0), put_value(to + values, n, k.left1);
    put_value(to + 2 * values, n, k.right0), put_value(to + 3 * values, n, k.right1);
}
template <int n = InterfacePlan::columns, class SIDES = void, class T>
__device__ inline Known<ValuesOf<SIDES, T>> get_known(const T *table, int column) {
    using G = ValuesOf<SIDES, T>;
    constexpr int values = sizeof(G) / sizeof(T) * n;
    const T *const at = table + column;
    return {get_value<G>(at, n), get_value<G>(at + values, n), get_value<G>(at + 2 * values, n),
            get_value<G>(at + 3 * values, n)};
}

// Composes the equations of adjacent columns, one per lane, 2^levels per system; the first lane of a system gets those
// of all. Middles replace the columns of the right halves; their bits from_right are in `bits`.
template <class T>
__device__ inline bool compose_columns(InterfaceEquations<T> &run, T *table, int levels, unsigned &bits) {
    const int lane = threadIdx.x % 32;
    bool is_fine = true;
    bits = 0;
    __syncwarp();
#pragma unroll 1
    for (int l = 0; l < levels; ++l) {
        const int s = 1 << l;
        const InterfaceEquations<T> right = from_lane(run, lane + s & 31);
        const Middle<T> middle = compose(run, right);
        if (lane % (2 * s) == 0) {
            put(table, lane + s, middle);
            bits |= unsigned(middle.from_right) << l;
            is_fine = is_fine && middle.is_fine;
        }
    }
    __syncwarp();
    return is_fine;
}
template <class T>
__device__ inline void narrow_columns(Known<T> &known, const T *table, int levels, unsigned bits) {
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (int l = levels - 1; l >= 0; --l) {
        const int s = 1 << l, first = lane & ~(2 * s - 1);
        const unsigned from_right = from_lane(bits, first) >> l & 1;
        narrow(known, get_middle(table, first + s, from_right), lane & s);
    }
    __syncwarp();
}

}  // namespace xbatch::tridiagonal
