// tile_mma.cuh: applies a block reflector to columns of doubles by matrix instructions, m16n8k8.
//
// A warp holds 16 columns of C2 as accumulators, transposed: C2^T [16 x B], so that no warp needs another's results. W
// = C1^T + C2^T V, X = W T (T^H if Q itself is applied), C2^T -= X V^T, C1^T -= X. An accumulator becomes an operand
// without a move between lanes: a step of the product takes its rows in the order in which the lanes have them, and the
// columns of V and T are read in an order by which the same holds for W and X. Lane 4g + t has columns g and g + 8, of
// n-tile u of C2 rows 8u + 2t, + 1; of n-tile u of W and X the vectors 8u + even(), odd().
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tile_memory.cuh"

namespace xbatch::qr {

constexpr int mma_columns = 16;  // of a warp

struct MmaLane {
    int g, t;

    __device__ MmaLane() : MmaLane(thread_of_task()) {}
    __device__ explicit MmaLane(int thread) : g(thread % 32 / 4), t(thread % 4) {}
    __device__ int even() const { return t < 2 ? t : t + 4; }
    __device__ int odd() const { return t + 2; }
    // The vector that is column g of an n-tile: that order in which column 2t is even(), 2t + 1 is odd()
    __device__ int vector() const { return int(0x57463120u >> (4 * g)) & 7; }
};

// c += a b
__device__ __forceinline__ void mma(double (&c)[4], const double (&a)[4], double b0, double b1) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b0), "d"(b1));
#elif __CUDA_ARCH__ >= 800
#pragma unroll
    for (int p = 0; p < 4; ++p)  // halves of the rows, and of the products
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(c[p % 2 * 2]), "+d"(c[p % 2 * 2 + 1])
                     : "d"(a[p]), "d"(p < 2 ? b0 : b1));
#endif
}
// An accumulator's tile as left operand, and its negative. Bits are XORed with a zero that is unknown to the compiler,
// which would otherwise repeat the copy for each instruction. Signs are changed by XOR too: a multiplication would wait
// for the matrix unit.
__device__ __forceinline__ int unknown_zero() {
    int y = 0;
#ifdef __CUDA_ARCH__
    asm volatile("mov.u32 %0, %%tid.y;" : "=r"(y));
#endif
    return y;
}
__device__ __forceinline__ double changed(double x, int high, int low) {
    return __hiloint2double(__double2hiint(x) ^ high, __double2loint(x) ^ low);
}
__device__ __forceinline__ void as_operand(const double (&c)[4], double (&a)[4], int zero) {
    const double middle = changed(c[1], zero, zero);
    a[0] = changed(c[0], zero, zero), a[1] = changed(c[2], zero, zero), a[2] = middle, a[3] = changed(c[3], zero, zero);
}
__device__ __forceinline__ void as_negative_operand(const double (&c)[4], double (&a)[4], int zero) {
    as_operand(c, a, zero);
#pragma unroll
    for (int e = 0; e < 4; ++e) a[e] = changed(a[e], zero ^ int(0x80000000), 0);
}

// w = C1^T and c = C2^T become -X, as operands, and C2^T - X V^T. v [32 columns of B rows], triangle [32 x 32] in
// shared memory. between() is called between the two products, behind(part) after each of the B / 8 parts of the
// second; every other part completes two more n-tiles of c.
template <int B, class Between, class Behind>
__device__ __forceinline__ void apply_mma(double (&c)[B / 8][4], double (&w)[4][4], const double *v,
                                          const double *triangle, bool is_adjoint, Between between, Behind behind) {
    constexpr int ld = TileShared<double, B>::ld, tiles = B / 8;
    const MmaLane lane;
    const double *const v1 = v + lane.vector() * ld + 2 * lane.t;
    // The operands of two matrix instructions are loaded while two others run: that hides the latency, and there are no
    // registers for more.
    const int zero = unknown_zero();
    double2 f[2][2];
    const auto fetch_rows = [&](int part) {
#pragma unroll
        for (int n = 0; n < 2; ++n)
            f[part % 2][n] = *reinterpret_cast<const double2 *>(v1 + 8 * (part % 2 * 2 + n) * ld + 8 * (part / 2));
    };
    double a[4];
    fetch_rows(0);
#pragma unroll
    for (int part = 0; part < 2 * tiles; ++part) {
        if (part + 1 < 2 * tiles) fetch_rows(part + 1);
        if (part % 2 == 0) as_operand(c[part / 2], a, zero);
#pragma unroll
        for (int n = 0; n < 2; ++n) mma(w[part % 2 * 2 + n], a, f[part % 2][n].x, f[part % 2][n].y);
    }
    double x[4][4] = {};
    const int across = is_adjoint ? block_ld : 1, down = is_adjoint ? 1 : block_ld;
    const double *const even_t = triangle + lane.vector() * across + lane.even() * down;
    const double *const odd_t = triangle + lane.vector() * across + lane.odd() * down;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        as_operand(w[k], a, zero);
#pragma unroll
        for (int n = 0; n < 4; ++n)
            if (n == k || (n > k) == is_adjoint)
                mma(x[n], a, even_t[8 * (n * across + k * down)], odd_t[8 * (n * across + k * down)]);
    }
    between();
#pragma unroll
    for (int n = 0; n < 4; ++n) as_negative_operand(x[n], w[n], zero);
    // Two n-tiles in turn, four steps
    const double *const even = v + lane.even() * ld + lane.g, *const odd = v + lane.odd() * ld + lane.g;
    double b[2][2][2];
    const auto fetch_columns = [&](int step) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
            const int at = 8 * (step % 4) * ld + 8 * (step / 4 * 2 + e);
            b[step % 2][e][0] = even[at], b[step % 2][e][1] = odd[at];
        }
    };
    fetch_columns(0);
#pragma unroll
    for (int part = 0; part < tiles; ++part) {
#pragma unroll
        for (int step = 2 * part; step < 2 * part + 2; ++step) {
            if (step + 1 < 2 * tiles) fetch_columns(step + 1);
#pragma unroll
            for (int e = 0; e < 2; ++e) mma(c[step / 4 * 2 + e], w[step % 4], b[step % 2][e][0], b[step % 2][e][1]);
        }
        behind(part);
    }
}
template <int B>
__device__ __forceinline__ void apply_mma(double (&c)[B / 8][4], double (&w)[4][4], const double *v,
                                          const double *triangle, bool is_adjoint) {
    apply_mma<B>(
        c, w, v, triangle, is_adjoint, [] {}, [](int) {});
}

// apply_block of tile_update.cuh for doubles, a warp's 16 columns from `first` on
template <int B>
__device__ void apply_block_mma(TileShared<double, B> &shared, int width, double *c, double *top, int first,
                                int columns) {
    constexpr int ld = TileShared<double, B>::ld;
    const MmaLane lane;
    double tile[B / 8][4], w[4][4];
    // Lanes after the last column read that column too, and store nothing.
    const int near = min(first + lane.g, columns - 1), far = min(first + lane.g + 8, columns - 1);
    double2 *const c0 = reinterpret_cast<double2 *>(c + near * ld + 2 * lane.t);
    double2 *const c1 = reinterpret_cast<double2 *>(c + far * ld + 2 * lane.t);
#pragma unroll
    for (int u = 0; u < B / 8; ++u) {
        const double2 x = c0[4 * u], y = c1[4 * u];
        tile[u][0] = x.x, tile[u][1] = x.y, tile[u][2] = y.x, tile[u][3] = y.y;
    }
    double *const top0 = top + near * block_ld, *const top1 = top + far * block_ld;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
        const int even = 8 * n + lane.even(), odd = 8 * n + lane.odd();
        w[n][0] = top && even < width ? top0[even] : 0, w[n][1] = top && odd < width ? top0[odd] : 0;
        w[n][2] = top && even < width ? top1[even] : 0, w[n][3] = top && odd < width ? top1[odd] : 0;
    }
    __syncwarp();  // a column may have been read twice
    apply_mma<B>(tile, w, shared.vectors, shared.triangle, true);
    const bool has_near = first + lane.g < columns, has_far = first + lane.g + 8 < columns;
#pragma unroll
    for (int u = 0; u < B / 8; ++u) {
        if (has_near) c0[4 * u] = make_double2(tile[u][0], tile[u][1]);
        if (has_far) c1[4 * u] = make_double2(tile[u][2], tile[u][3]);
    }
#pragma unroll
    for (int n = 0; n < 4; ++n) {
        const int even = 8 * n + lane.even(), odd = 8 * n + lane.odd();
        if (top && has_near && even < width) top0[even] += w[n][0];
        if (top && has_near && odd < width) top0[odd] += w[n][2];
        if (top && has_far && even < width) top1[even] += w[n][1];
        if (top && has_far && odd < width) top1[odd] += w[n][3];
    }
}

}  // namespace xbatch::qr
