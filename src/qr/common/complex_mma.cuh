// complex_mma.cuh: applies a block reflector to columns of complex doubles by matrix instructions on real parts,
// m16n8k8.
//
// As in tile_mma.cuh, a warp holds columns of C2 as accumulators, transposed, from the first block to the last: 16 rows
// are the real and the imaginary parts of 8 columns. A product with a complex number is two: with its real part, and,
// the rows exchanged and one of them negated, with its imaginary part. Numbers in shared memory are whole, so that one
// load gives both. Lane 4g + t has column g, of n-tile u of C2 rows 8u + 2t, + 1, of n-tile u of W and X the vectors 8u
// + 2t, + 1. Columns of an odd number of complex numbers are read without bank conflicts.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/complex_parts.cuh"

namespace xbatch::qr {

// Both parts by one load of 16 bytes
__device__ __forceinline__ double2 parts_at(const Complex<double> *at) {
    return *reinterpret_cast<const double2 *>(at);
}

// Right operands of two n-tiles: two adjacent terms of column g of each, `down` apart, the columns `across` apart
__device__ __forceinline__ void fetch_parts(double2 (&b)[2][2], const Complex<double> *at, int across, int down) {
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e) b[n][e] = parts_at(at + n * across + e * down);
}

// w += c conj(V), c = C2^T, V [32 columns of B rows]
template <int B>
__device__ __forceinline__ void add_product_with_vectors(const double (&c)[B / 8][4], double (&w)[4][4],
                                                         const Complex<double> *v, int ld, int zero) {
    constexpr int tiles = B / 8;
    const MmaLane lane;
    // Right operands: rows 2t, 2t + 1 of column g of an n-tile. Those of two are loaded while two others are used.
    const Complex<double> *const rows = v + lane.g * ld + 2 * lane.t;
    double2 b[2][2][2];
    const auto fetch_rows = [&](int part) {
        fetch_parts(b[part % 2], rows + 16 * (part % 2) * ld + 8 * (part / 2), 8 * ld, 1);
    };
    fetch_rows(0);
#pragma unroll
    for (int u = 0; u < tiles; ++u) {
        const ComplexOperand a(c[u], true, zero);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int part = 2 * u + half;
            if (part + 1 < 2 * tiles) fetch_rows(part + 1);
#pragma unroll
            for (int n = 0; n < 2; ++n) mma(w[2 * half + n], a.re, b[half][n][0].x, b[half][n][1].x);
#pragma unroll
            for (int n = 0; n < 2; ++n) mma(w[2 * half + n], a.im, b[half][n][0].y, b[half][n][1].y);
        }
    }
}

// w = C1^T and c = C2^T become -X and C2^T - X V^T, X = (C1^T + C2^T conj(V)) conj(T). v [32 columns of B rows], T [32
// x 32], zero below its diagonal. between() is called between the two products, behind(part) after each of the B / 16
// parts of the second, which completes two more n-tiles of c.
template <int B, class Between, class Behind>
__device__ __forceinline__ void apply_complex(double (&c)[B / 8][4], double (&w)[4][4], const Complex<double> *v,
                                              int ld, const Complex<double> *triangle, int triangle_ld, Between between,
                                              Behind behind) {
    constexpr int tiles = B / 8;
    const MmaLane lane;
    const int zero = unknown_zero();
    const auto add = [&](double(&to)[4], const ComplexOperand &a, double2 x, double2 y) {
        mma(to, a.re, x.x, y.x);
        mma(to, a.im, x.y, y.y);
    };
    add_product_with_vectors<B>(c, w, v, ld, zero);
    double x[4][4] = {};
    const Complex<double> *const of_triangle = triangle + lane.g * triangle_ld + 2 * lane.t;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const ComplexOperand a(w[k], true, zero);
#pragma unroll
        for (int n = k; n < 4; ++n) {
            const Complex<double> *const at = of_triangle + 8 * n * triangle_ld + 8 * k;
            add(x[n], a, parts_at(at), parts_at(at + 1));
        }
    }
    between();
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) w[n][e] = changed(x[n][e], zero ^ int(0x80000000), zero);
    const Complex<double> *const columns = v + 2 * lane.t * ld + lane.g;
    double2 b[2][2][2];
    const auto fetch_columns = [&](int step) {
        fetch_parts(b[step % 2], columns + 8 * (step % 4) * ld + 16 * (step / 4), 8, ld);
    };
    fetch_columns(0);
#pragma unroll
    for (int part = 0; part < tiles / 2; ++part) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int step = 4 * part + k;
            if (step + 1 < 2 * tiles) fetch_columns(step + 1);
            const ComplexOperand a(w[k], false, zero);
#pragma unroll
            for (int n = 0; n < 2; ++n) mma(c[2 * part + n], a.re, b[k % 2][n][0].x, b[k % 2][n][1].x);
#pragma unroll
            for (int n = 0; n < 2; ++n) mma(c[2 * part + n], a.im, b[k % 2][n][0].y, b[k % 2][n][1].y);
        }
        behind(part);
    }
}

}  // namespace xbatch::qr
