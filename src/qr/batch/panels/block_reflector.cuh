// block_reflector.cuh: applies a block reflector, C := H C or H^H C with H = H_0 H_1 ..., by three or four kernels.
//
// G = V^H C and Z = V^H V, in parts over rows; their sums, if there are several; W = T G by substitution, as w_i =
// tau_i (g_i - sum_l Z_il w_l), over the reflectors l applied before i, or, of one part and many columns, T by
// substitution and W by a product; C -= V W. A call may also leave T for another one, which then needs no Z, and sums
// the parts of G where it multiplies them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dependent_launch.cuh"
#include "core/lanes.cuh"
#include "qr_large.hpp"
#include "tile_product.cuh"

namespace xbatch::qr {

constexpr int substitution_threads = 256, least_part_rows = 64;
static_assert(product_stages * product_depth == most_vectors && product_side == most_vectors);

// Parts of the rows: enough for all multiprocessors unless they would be too short
struct ReflectorParts {
    int64_t count, rows;

    ReflectorParts(const Context &context, int64_t all_rows, int64_t columns, int64_t batch) {
        const int64_t tiles = (parts_of(columns, product_side) + 1) * batch;
        // not more blocks than multiprocessors have in two turns
        const int64_t wanted =
            std::min(std::max<int64_t>(4 * context.multiprocessors / tiles, 1), parts_of(all_rows, least_part_rows));
        rows = parts_of(parts_of(all_rows, wanted), product_depth) * product_depth;
        count = parts_of(all_rows, rows);
    }
};
// Elements of workspace for the largest of the updates that are counted in
struct ReflectorRoom {
    int64_t products = 0, changes = 0;

    void count_in(const Context &context, int64_t rows, int64_t columns, int64_t batch) {
        if (columns == 0) return;
        const int64_t parts = ReflectorParts(context, rows, columns, batch).count * batch;
        products = std::max(products, parts * (columns + most_vectors) * most_vectors);
        changes = std::max(changes, batch * (columns + most_vectors) * most_vectors);
    }
};

template <class T>
struct ReflectorArguments {
    DeviceMatrices<T> v, c;  // from V's first row on
    DeviceTau<T> tau;
    int64_t rows, columns, batch;
    int vectors;
    bool is_adjoint;
    const int32_t *wrong;  // nonzero for matrices that are not changed; may be NULL
    ReflectorParts parts;
    T *products, *changes;  // of each matrix: parts x all_columns() and columns times most_vectors
    T *triangle;            // -T of each matrix
    bool is_first = false;  // kernel of a call
    bool overlaps = false;  // form_products and change_columns overlap the launch before, which they do not need
    bool leaves_triangle = false, has_triangle = false;  // T, for another call, or of another one

    // Columns of C, then of V
    XBATCH_HD int64_t all_columns() const { return columns + most_vectors; }
    XBATCH_HD int64_t tiles_of_products() const { return parts_of(columns, product_side) + !has_triangle; }
    __device__ T *changes_of(int64_t j, int64_t column) const {
        return changes + (j * columns + column) * most_vectors;
    }
    __device__ T *triangle_of(int64_t j) const { return triangle + j * most_vectors * most_vectors; }
    // Column of -W, or behind them of -T
    __device__ T *result_of(int64_t j, int64_t column) const {
        return column < columns ? changes_of(j, column) : triangle_of(j) + (column - columns) * most_vectors;
    }
};
// Launches all kernels, or: the first, those from the sums to W, the last. C must have columns.
template <class T>
xbatchStatus_t apply_reflectors(Context &context, const ReflectorArguments<T> &p);
template <class T>
xbatchStatus_t launch_products(Context &context, const ReflectorArguments<T> &p);
template <class T>
xbatchStatus_t launch_substitution(Context &context, const ReflectorArguments<T> &p);
template <class T>
xbatchStatus_t launch_changes(Context &context, const ReflectorArguments<T> &p);

template <class T>
__device__ bool is_wrong(const ReflectorArguments<T> &p, int64_t j) {
    return p.wrong && p.wrong[j] != 0;
}
// At the end of a kernel that overlaps its predecessor: one block waits for that, so that no later kernel starts
// before.
template <class T>
__device__ void end_after_predecessor(const ReflectorArguments<T> &p) {
    if (p.overlaps && blockIdx.x == gridDim.x - 1) wait_for_prerequisites();
}
// G and Z: a block has 64 columns of C, or V itself, in one part of the rows.
template <class T>
__global__ void __launch_bounds__(product_threads, product_blocks<T>)
    form_products(const __grid_constant__ ReflectorArguments<T> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    const int64_t tiles = p.tiles_of_products();
    const int64_t unit = divided(blockIdx.x, tiles), tile = blockIdx.x - unit * tiles;
    const int64_t j = divided(unit, p.parts.count), part = unit - j * p.parts.count;
    const int64_t begin = part * p.parts.rows, end = min(begin + p.parts.rows, p.rows);
    const bool is_squared = !p.has_triangle && tile == tiles - 1;
    const int64_t first = is_squared ? p.columns : tile * product_side, last = is_squared ? p.all_columns() : p.columns;
    const MatrixView<T> v = p.v.of(j), c = p.c.of(j);
    if (!p.overlaps) wait_for_prerequisites();
    trigger_dependents();
    if (is_wrong(p, j)) return end_after_predecessor(p);

    const ProductOperand<T> vectors{v.data, v.column, v.row, p.vectors, true, 1};
    ProductOperand<T> columns{c.data + first * c.column, c.column, c.row,
                              int(min(p.columns - first, int64_t(product_side))), c.conjugates};
    if (is_squared) columns = {v.data, v.column, v.row, p.vectors, false, 1};
    TileProduct<T> product;
    product.each([](int, int, T &x) { x = T(Real<T>(0)); });
    add_products(product, reinterpret_cast<T *>(memory), begin, end, vectors, columns);
    T *const to = p.products + unit * p.all_columns() * most_vectors;
    product.each([&](int vector, int column, T x) {
        if (first + column < last) to[(first + column) * most_vectors + vector] = x;
    });
    end_after_predecessor(p);
}

// The sums of all parts take the place of the first one: four groups of threads each add a quarter of the parts.
constexpr int sum_groups = 4, sum_elements = 64;
template <class T>
__global__ void __launch_bounds__(sum_groups *sum_elements) sum_parts(const __grid_constant__ ReflectorArguments<T> p) {
    __shared__ T sums[sum_groups][sum_elements];
    const int64_t step = p.all_columns() * most_vectors, blocks = step / sum_elements;
    const int64_t j = divided(blockIdx.x, blocks), first = (blockIdx.x - j * blocks) * sum_elements;
    const int e = int(threadIdx.x) % sum_elements, group = int(threadIdx.x) / sum_elements;
    T *const at = p.products + j * p.parts.count * step + first + e;
    wait_for_prerequisites();
    trigger_dependents();
    if (is_wrong(p, j)) return;
    const int64_t own = parts_of(p.parts.count, sum_groups), end = min((group + 1) * own, p.parts.count);
    T sum = T(Real<T>(0));
#pragma unroll 8
    for (int64_t part = group * own; part < end; ++part) sum = sum + at[part * step];
    sums[group][e] = sum;
    __syncthreads();
    if (group == 0) *at = (sums[0][e] + sums[1][e]) + (sums[2][e] + sums[3][e]);
}

// Columns first … end-1 of W and, behind them, of T, as W of the identity: each warp has COLUMNS, each lane reflectors
// l and l + 32. The results are stored negated, -W, so that the update accumulates.
template <class T, int COLUMNS>
__global__ void __launch_bounds__(substitution_threads)
    substitute(const __grid_constant__ ReflectorArguments<T> p, int64_t begin, int64_t end) {
    constexpr int ld = most_vectors + 1, own = most_vectors * most_vectors / substitution_threads;
    constexpr int of_block = COLUMNS * substitution_threads / 32;
    extern __shared__ __align__(16) unsigned char memory[];
    T *const z = reinterpret_cast<T *>(memory);
    const int64_t tiles = parts_of(end - begin, of_block);
    const int64_t j = divided(blockIdx.x, tiles), first = begin + (blockIdx.x - j * tiles) * of_block;
    const int lane = int(threadIdx.x) % 32;
    const int64_t column = first + int(threadIdx.x) / 32 * COLUMNS;
    const int there = int(min(end - column, int64_t(COLUMNS)));
    wait_for_prerequisites();
    trigger_dependents();
    if (is_wrong(p, j)) {  // another call reads T
        for (int c = 0; c < there; ++c)
            if (column + c >= p.columns)
                p.result_of(j, column + c)[lane] = p.result_of(j, column + c)[lane + 32] = T(Real<T>(0));
        return;
    }
    const T *const from = p.products + j * p.parts.count * p.all_columns() * most_vectors;
    T g[COLUMNS][2], tau[2], all[own];
#pragma unroll
    for (int e = 0; e < own; ++e) all[e] = from[p.columns * most_vectors + int(threadIdx.x) + e * substitution_threads];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            g[c][h] = read_if(c < there && column + c < p.columns, from + (column + c) * most_vectors + lane + 32 * h);
            if (column + c == p.columns + lane + 32 * h) g[c][h] = T(Real<T>(1));
        }
        tau[h] = read_if(lane + 32 * h < p.vectors, p.tau.of(j).at(lane + 32 * h, 0));
        if (p.is_adjoint) tau[h] = conjugate(tau[h]);
    }
#pragma unroll
    for (int e = 0; e < own; ++e) {
        const int at = int(threadIdx.x) + e * substitution_threads;
        z[at / most_vectors * ld + at % most_vectors] = all[e];
    }
    __syncthreads();
    // w_k overwrites g_k
#pragma unroll 2
    for (int s = 0; s < p.vectors; ++s) {
        const int k = p.is_adjoint ? s : p.vectors - 1 - s;
        const T near = z[k * ld + lane], far = z[k * ld + lane + 32];
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            const T w = from_lane(k < 32 ? tau[0] * g[c][0] : tau[1] * g[c][1], k % 32);
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const int own_k = lane + 32 * h;
                if (own_k == k) g[c][h] = w;
                if (p.is_adjoint ? own_k > k : own_k < k) g[c][h] = fnma(h == 0 ? near : far, w, g[c][h]);
            }
        }
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c)
#pragma unroll
        for (int h = 0; h < 2; ++h)
            if (c < there) p.result_of(j, column + c)[lane + 32 * h] = T(Real<T>(0)) - g[c][h];
}

// -W = -T G of 64 columns a block, which sums the parts of G
template <class T>
__global__ void __launch_bounds__(product_threads, product_blocks<T>)
    multiply_triangle(const __grid_constant__ ReflectorArguments<T> p) {
    constexpr int elements = TileProduct<T>::elements, own = most_vectors * product_side / product_threads;
    extern __shared__ __align__(16) unsigned char memory[];
    T *const left = reinterpret_cast<T *>(memory), *const right = left + product_stages * elements;
    const int64_t tiles = parts_of(p.columns, product_side), step = p.all_columns() * most_vectors;
    const int64_t j = divided(blockIdx.x, tiles), first = (blockIdx.x - j * tiles) * product_side;
    const int columns = int(min(p.columns - first, int64_t(product_side))), thread = int(threadIdx.x);
    wait_for_prerequisites();
    trigger_dependents();
    if (is_wrong(p, j)) return;
    OperandShare<T> triangle({p.triangle_of(j), 1, most_vectors, most_vectors, false}, 0);
#pragma unroll
    for (int d = 0; d < product_stages; ++d) triangle.fetch(d * product_depth, most_vectors, left + d * elements);
    queue_copies();
    const T *const g = p.products + j * p.parts.count * step + first * most_vectors + thread;
    T sums[own];
#pragma unroll
    for (T &x : sums) x = T(Real<T>(0));
    const int there = columns * most_vectors - thread;
#pragma unroll 2
    for (int64_t part = 0; part < p.parts.count; ++part)
#pragma unroll
        for (int e = 0; e < own; ++e)
            sums[e] = sums[e] + read_if(e * product_threads < there, g + part * step + e * product_threads);
#pragma unroll
    for (int e = 0; e < own; ++e) {
        const int at = thread + e * product_threads, k = at % most_vectors;
        right[k / product_depth * elements + TileProduct<T>::at(at / most_vectors, k % product_depth)] = sums[e];
    }
    wait_copies<0>();
    __syncthreads();
    TileProduct<T> product;
    product.each([](int, int, T &x) { x = T(Real<T>(0)); });
#pragma unroll 1
    for (int d = 0; d < product_stages; ++d) product.add(left + d * elements, right + d * elements);
    product.each([&](int vector, int column, T x) {
        if (column < columns) p.changes_of(j, first + column)[vector] = x;
    });
}

// C -= V W: a block has 64 x 64 of C at a time.
template <class T>
__device__ __forceinline__ void change_tile(const ReflectorArguments<T> &p, int64_t number, T *memory) {
    const int64_t tiles_down = parts_of(p.rows, product_side), tiles_across = parts_of(p.columns, product_side);
    const int64_t unit = divided(number, tiles_down), first_row = (number - unit * tiles_down) * product_side;
    const int64_t j = divided(unit, tiles_across), first = (unit - j * tiles_across) * product_side;
    const MatrixView<T> v = p.v.of(j), c = p.c.of(j);
    const bool by_rows = c.row <= c.column;
    const int rows = int(min(p.rows - first_row, int64_t(product_side)));
    const int columns = int(min(p.columns - first, int64_t(product_side)));
    T *const own = c.data + first_row * c.row + first * c.column;
    const T *const changes = p.changes_of(j, first);
    const auto each = [&](TileProduct<T> &product, auto f) {
        const int64_t along_fast = by_rows ? c.row : c.column, along_slow = by_rows ? c.column : c.row;
        const int most_fast = by_rows ? rows : columns, most_slow = by_rows ? columns : rows;
        product.each([&](int fast, int slow, T &x) {
            f(fast < most_fast && slow < most_slow, own + fast * along_fast + slow * along_slow, x);
        });
    };
    const int shift = int(min(first_row, int64_t(product_side)));
    const auto operand = [&](bool is_vectors) {
        return ProductOperand<T>{is_vectors ? v.data + first_row * v.row : changes,
                                 is_vectors ? v.row : int64_t(most_vectors),
                                 is_vectors ? v.column : int64_t(1),
                                 is_vectors ? rows : columns,
                                 false,
                                 is_vectors ? -1 : 0,
                                 shift};
    };
    const auto seen = [&](T x) { return c.conjugates ? conjugate(x) : x; };
    if (is_wrong(p, j)) return;
    TileProduct<T> product;
    each(product, [&](bool is_there, const T *at, T &x) { x = seen(read_if(is_there, at)); });
    add_products(product, memory, 0, p.vectors, operand(by_rows), operand(!by_rows));
    each(product, [&](bool is_there, T *at, T x) {
        if (is_there) *at = seen(x);
    });
}
template <class T>
__global__ void __launch_bounds__(product_threads, product_blocks<T>)
    change_columns(const __grid_constant__ ReflectorArguments<T> p, int64_t tiles) {
    extern __shared__ __align__(16) unsigned char memory[];
    if (!p.overlaps) wait_for_prerequisites();
    for (int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
        change_tile(p, number, reinterpret_cast<T *>(memory));
        __syncthreads();  // the operands have been read
    }
    end_after_predecessor(p);
}

}  // namespace xbatch::qr
