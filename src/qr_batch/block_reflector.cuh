// block_reflector.cuh: C := H C or H^H C for the product H of a panel's reflectors, H_0 H_1 ..., by three kernels.
//
// G = V^H C and Z = V^H V, in parts over rows; W = T G by substitution, as w_i = tau_i (g_i - sum_l Z_il w_l), l those
// reflectors that meet C before i; C -= V W.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/overlap.cuh"
#include "qr_large.hpp"
#include "tile_kind.cuh"

namespace xbatch {

constexpr int reflector_tile = 64, product_rows = 16, product_threads = 128, substitution_columns = 8,
              change_threads = 256, least_part_rows = 128;

template <class T>
struct ReflectorArguments {
    DeviceMatrices<T> v, c;  // from V's head on
    DeviceTau<T> tau;
    int64_t rows, columns, batch;
    int vectors;
    bool is_adjoint;
    const int32_t *wrong;  // matrices that are left as they are; may be null
    int parts;
    int64_t part_rows;
    T *products, *changes;  // of each matrix: parts x (columns + panel_columns) and columns times panel_columns

    // Columns of C, and of V behind them
    XBATCH_HD int64_t all_columns() const { return columns + panel_columns; }
    XBATCH_HD static int64_t over(int64_t a, int64_t b) { return (a - 1) / b + 1; }
    int64_t product_elements() const { return batch * parts * all_columns() * panel_columns; }
    int64_t change_elements() const { return batch * columns * panel_columns; }
    // Parts enough for all multiprocessors, as far as they are not too short
    void cut(const Context &context) {
        const int64_t tiles = over(all_columns(), reflector_tile) * batch,
                      wanted = over(4 * context.multiprocessors, tiles);
        part_rows = over(over(rows, std::min(wanted, over(rows, least_part_rows))), product_rows) * product_rows;
        parts = int(over(rows, part_rows));
    }
};
// Runs the three kernels; parts are cut, and memory is given.
template <class T>
xbatchStatus_t apply_reflectors(Context &context, const ReflectorArguments<T> &p);

template <class T>
__device__ bool is_wrong(const ReflectorArguments<T> &p, int64_t j) {
    return p.wrong && p.wrong[j] != 0;
}
template <class T>
__device__ T element(const MatrixView<T> &m, int64_t i, int64_t c) {
    const T x = m.data[i * m.row + c * m.column];
    return m.conjugates ? conjugate(x) : x;
}
// V's element, its unit diagonal and what is above it unread
template <class T>
__device__ T vector_element(const MatrixView<T> &v, const ReflectorArguments<T> &p, int64_t i, int64_t end, int64_t c) {
    return i == c && c < p.vectors             ? T(Real<T>(1))
           : i > c && i < end && c < p.vectors ? element(v, i, c)
                                               : T(Real<T>(0));
}
// Element e of a tile of ROWS x COLUMNS, neighbours in memory beside each other
template <int ROWS, int COLUMNS, class T>
__device__ int2 place_in_tile(const MatrixView<T> &m, int e) {
    return m.row <= m.column ? make_int2(e % ROWS, e / ROWS) : make_int2(e / COLUMNS, e % COLUMNS);
}
// Consecutive elements in shared memory, as wide as they can be moved
template <int N, class T>
__device__ __forceinline__ void read_row(T (&to)[N], const T *from) {
    constexpr int chunk = Sixteen<T>::size;
#pragma unroll
    for (int k = 0; k < N; k += chunk) {
        const Sixteen<T> x = *reinterpret_cast<const Sixteen<T> *>(from + k);
#pragma unroll
        for (int e = 0; e < chunk; ++e) to[k + e] = x.x[e];
    }
}

// A block: 64 columns of [C V], a part of the rows. A thread: four vectors and, 16 apart, four columns.
template <class T>
__global__ void __launch_bounds__(product_threads) form_products(const __grid_constant__ ReflectorArguments<T> p) {
    constexpr int ld = panel_columns + Sixteen<T>::size, wide = reflector_tile + 1;
    constexpr int own_c = product_rows * reflector_tile / product_threads;
    constexpr int own_v = product_rows * panel_columns / product_threads;
    __shared__ __align__(16) unsigned char memory[product_rows * (ld + wide) * sizeof(T)];
    T *const vs = reinterpret_cast<T *>(memory), *const cs = vs + product_rows * ld;
    const int64_t tiles = p.over(p.all_columns(), reflector_tile);
    const int64_t unit = divided(blockIdx.x, tiles), tile = blockIdx.x - unit * tiles;
    const int64_t j = divided(unit, p.parts), part = unit - j * p.parts;
    const int64_t begin = part * p.part_rows, end = min(begin + p.part_rows, p.rows), first = tile * reflector_tile;
    const MatrixView<T> v = p.v.of(j), c = p.c.of(j);
    const int tx = int(threadIdx.x) % 16, ty = int(threadIdx.x) / 16;
    let_next_begin();
    if (is_wrong(p, j)) return;

    T next_c[own_c], next_v[own_v];
    const auto fetch = [&](int64_t row) {
#pragma unroll
        for (int n = 0; n < own_c; ++n) {
            const int2 at = place_in_tile<product_rows, reflector_tile>(c, int(threadIdx.x) + n * product_threads);
            const int64_t i = row + at.x, q = first + at.y;
            next_c[n] = q >= p.columns ? vector_element(v, p, i, end, q - p.columns)
                        : i < end      ? element(c, i, q)
                                       : T(Real<T>(0));
        }
#pragma unroll
        for (int n = 0; n < own_v; ++n) {
            const int2 at = place_in_tile<product_rows, panel_columns>(v, int(threadIdx.x) + n * product_threads);
            next_v[n] = vector_element(v, p, row + at.x, end, at.y);
        }
    };
    T g[4][4] = {};
    fetch(begin);
    for (int64_t row = begin; row < end; row += product_rows) {
        __syncthreads();
#pragma unroll
        for (int n = 0; n < own_c; ++n) {
            const int2 at = place_in_tile<product_rows, reflector_tile>(c, int(threadIdx.x) + n * product_threads);
            cs[at.x * wide + at.y] = next_c[n];
        }
#pragma unroll
        for (int n = 0; n < own_v; ++n) {
            const int2 at = place_in_tile<product_rows, panel_columns>(v, int(threadIdx.x) + n * product_threads);
            vs[at.x * ld + at.y] = conjugate(next_v[n]);
        }
        __syncthreads();
        if (row + product_rows < end) fetch(row + product_rows);
#pragma unroll
        for (int i = 0; i < product_rows; ++i) {
            T x[4];
            read_row(x, vs + i * ld + 4 * ty);
#pragma unroll
            for (int b = 0; b < 4; ++b) {
                const T y = cs[i * wide + tx + 16 * b];
#pragma unroll
                for (int a = 0; a < 4; ++a) g[b][a] = fma_(x[a], y, g[b][a]);
            }
        }
    }
    T *const to = p.products + unit * p.all_columns() * panel_columns + 4 * ty;
#pragma unroll
    for (int b = 0; b < 4; ++b)
        if (const int64_t q = first + tx + 16 * b; q < p.all_columns())
#pragma unroll
            for (int a = 0; a < 4; ++a) to[q * panel_columns + a] = g[b][a];
}

// A warp a column of C, a lane a vector.
template <class T>
__global__ void __launch_bounds__(substitution_columns * 32)
    substitute(const __grid_constant__ ReflectorArguments<T> p) {
    constexpr int ld = panel_columns + 1, threads = substitution_columns * 32;
    __shared__ __align__(16) unsigned char memory[panel_columns * ld * sizeof(T)];
    T *const z = reinterpret_cast<T *>(memory);
    const int64_t tiles = p.over(p.columns, substitution_columns);
    const int64_t j = divided(blockIdx.x, tiles), first = (blockIdx.x - j * tiles) * substitution_columns;
    const int lane = int(threadIdx.x) % 32;
    const int64_t column = first + int(threadIdx.x) / 32, step = p.all_columns() * panel_columns;
    const T *const products = p.products + j * p.parts * step;
    wait_for_previous();
    let_next_begin();
    if (is_wrong(p, j)) return;
    const auto over_parts = [&](const T *at) {
        T sum = T(Real<T>(0));
#pragma unroll 8
        for (int part = 0; part < p.parts; ++part) sum = sum + at[part * step];
        return sum;
    };
    for (int e = int(threadIdx.x); e < panel_columns * panel_columns; e += threads)
        z[e / panel_columns * ld + e % panel_columns] = over_parts(products + p.columns * panel_columns + e);
    T g = column < p.columns ? over_parts(products + column * panel_columns + lane) : T(Real<T>(0)), w = g;
    __syncthreads();
    if (column >= p.columns) return;
    const MatrixView<T> taus = p.tau.of(j);
    T tau = lane < p.vectors ? *taus.at(lane, 0) : T(Real<T>(0));
    if (p.is_adjoint) tau = conjugate(tau);
    const auto from_lane = [](T x, int from) {
        if constexpr (sizeof(T) > sizeof(Real<T>))
            return T(__shfl_sync(~0u, x.re, from), __shfl_sync(~0u, x.im, from));
        else
            return __shfl_sync(~0u, x, from);
    };
    for (int s = 0; s < p.vectors; ++s) {
        const int k = p.is_adjoint ? s : p.vectors - 1 - s;
        w = lane == k ? tau * g : w;
        const T met = from_lane(w, k);
        if (p.is_adjoint ? lane > k : lane < k) g = fnma(z[k * ld + lane], met, g);
    }
    p.changes[(j * p.columns + column) * panel_columns + lane] = lane < p.vectors ? w : T(Real<T>(0));
}

// A block: 64 x 64 of C. A thread: four of what lies side by side in memory, 16 apart, by four.
template <class T>
__global__ void __launch_bounds__(change_threads) change_columns(const __grid_constant__ ReflectorArguments<T> p) {
    constexpr int ld = reflector_tile + Sixteen<T>::size;
    extern __shared__ __align__(16) unsigned char memory[];
    T *const vs = reinterpret_cast<T *>(memory), *const ws = vs + panel_columns * ld;
    const int64_t below = p.over(p.rows, reflector_tile), beside = p.over(p.columns, reflector_tile);
    const int64_t unit = divided(blockIdx.x, below), first_row = (blockIdx.x - unit * below) * reflector_tile;
    const int64_t j = divided(unit, beside), first = (unit - j * beside) * reflector_tile;
    const MatrixView<T> v = p.v.of(j), c = p.c.of(j);
    const int tx = int(threadIdx.x) % 16, ty = int(threadIdx.x) / 16;
    const bool by_rows = c.row <= c.column;
    const auto place = [&](int a, int b) {
        const int x = tx + 16 * a, y = 4 * ty + b;
        return by_rows ? make_int2(x, y) : make_int2(y, x);
    };
    const auto is_there = [&](int2 at) { return first_row + at.x < p.rows && first + at.y < p.columns; };
    T *const own = c.data + first_row * c.row + first * c.column;
    wait_for_previous();
    if (is_wrong(p, j)) return;
    T x[4][4];
#pragma unroll
    for (int a = 0; a < 4; ++a)
#pragma unroll
        for (int b = 0; b < 4; ++b) {
            const int2 at = place(a, b);
            x[a][b] = is_there(at) ? own[at.x * c.row + at.y * c.column] : T(Real<T>(0));
            if (c.conjugates) x[a][b] = conjugate(x[a][b]);
        }
    for (int e = int(threadIdx.x); e < reflector_tile * panel_columns; e += change_threads) {
        const int2 at = place_in_tile<reflector_tile, panel_columns>(v, e);
        vs[at.y * ld + at.x] = vector_element(v, p, first_row + at.x, p.rows, at.y);
        const int k = e % panel_columns, column = e / panel_columns;
        const T *const w = p.changes + (j * p.columns + first + column) * panel_columns + k;
        ws[k * ld + column] = first + column < p.columns ? *w : T(Real<T>(0));
    }
    __syncthreads();
    const T *const wide = (by_rows ? vs : ws) + tx, *const narrow = (by_rows ? ws : vs) + 4 * ty;
#pragma unroll 8
    for (int k = 0; k < panel_columns; ++k) {
        T y[4];
        read_row(y, narrow + k * ld);
#pragma unroll
        for (int a = 0; a < 4; ++a) {
            const T z = wide[k * ld + 16 * a];
#pragma unroll
            for (int b = 0; b < 4; ++b) x[a][b] = fnma(z, y[b], x[a][b]);
        }
    }
#pragma unroll
    for (int a = 0; a < 4; ++a)
#pragma unroll
        for (int b = 0; b < 4; ++b) {
            const int2 at = place(a, b);
            if (is_there(at)) own[at.x * c.row + at.y * c.column] = c.conjugates ? conjugate(x[a][b]) : x[a][b];
        }
}

}  // namespace xbatch
