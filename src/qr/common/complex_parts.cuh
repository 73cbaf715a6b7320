// complex_parts.cuh: a block reflector of complex doubles applied by matrix instructions on real parts, m16n8k8.
//
// As in float_parts.cuh, a warp holds the real and the imaginary parts of 8 columns of C2^T as 16 rows of accumulators.
// A product with a complex number is two: with its real part, and, the rows exchanged and one of them negated, with its
// imaginary part. The order of vectors in W and X is that of tile_mma.cuh.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/float_parts.cuh"
#include "qr/common/tile_copy.cuh"
#include "qr/common/tile_mma.cuh"

namespace xbatch::qr {

// The vectors of a block and T, real parts, then imaginary parts. Each thread copies its share asynchronously.
template <int B>
struct PartsBlock<Complex<double>, B> {
    using T = Complex<double>;
    struct Share {};
    static constexpr int ld = TileShared<T, B>::ld;
    double vectors[2][block_columns * ld], triangle[2][block_columns * block_ld];

    static __device__ int vector(int e) {
        const MmaLane lane;
        return e == 0 ? lane.even() : lane.odd();
    }
    __device__ __forceinline__ void load(Share &, const DeviceReflectors<T> &t, int s, int width, bool) {
        for (int e = thread_of_task(); e < block_columns * B; e += tile_threads) {
            const int c = e / B, r = e % B, at = c * ld + r;
            const bool has = c < width && r < t.rows && t.has(r, s + c);
            if (t.shape == Shape::trapezoid && c < width && r == s + c)
                vectors[0][at] = 1, vectors[1][at] = 0;
            else
                copy(vectors, at, has ? t.v + (s + c) * t.ldv + r : t.triangles, has);
        }
        for (int e = thread_of_task(); e < block_columns * block_columns; e += tile_threads) {
            const int c = e / block_columns, r = e % block_columns;
            const bool has = c < width && r <= c;
            copy(triangle, c * block_ld + r, has ? t.triangles + (s + c) * t.ib + r : t.triangles, has);
        }
        queue_copies();
    }
    __device__ __forceinline__ void store(const Share &) { wait_copies<0>(); }

private:
    template <int SIZE>
    static __device__ __forceinline__ void copy(double (&to)[2][SIZE], int at, const T *from, bool has) {
        constexpr int bytes = sizeof(double);
        copy_async<bytes>(&to[0][at], &from->re, has ? bytes : 0);
        copy_async<bytes>(&to[1][at], &from->im, has ? bytes : 0);
    }
};

template <>
struct PartsSums<double> {
    double all[4][4] = {};
    __device__ __forceinline__ double sum(int n, int e) const { return all[n][e]; }
};

// c += a b for two n-tiles; of complex numbers, b's imaginary parts too. Rows of a: [re; im] become [im; -re], or [-im;
// re], for products with these.
struct ComplexOperand {
    double re[4], im[4];
    __device__ __forceinline__ ComplexOperand(const double (&c)[4], bool is_conjugate, int zero) {
        as_operand(c, re, zero);
        const int upper = is_conjugate ? 0 : int(0x80000000), lower = int(0x80000000) ^ upper;
#pragma unroll
        for (int e = 0; e < 4; e += 2)
            im[e] = changed(re[e + 1], upper ^ zero, zero), im[e + 1] = changed(re[e], lower ^ zero, zero);
    }
};

// sums = C2^T conj(V)
template <int TILES, class T, int B>
__device__ __forceinline__ void add_vector_products(PartsSums<double> &sums, const double (&c)[TILES][4],
                                                    const PartsBlock<T, B> &block, int first_row) {
    constexpr int ld = PartsBlock<T, B>::ld;
    const MmaLane lane;
    const int zero = unknown_zero(), at = lane.vector() * ld + 2 * lane.t + first_row;
#pragma unroll
    for (int u = 0; u < TILES; ++u) {
        const ComplexOperand a(c[u], true, zero);
#pragma unroll
        for (int plane = 0; plane < 2; ++plane) {
            double2 b[4];
#pragma unroll
            for (int n = 0; n < 4; ++n)
                b[n] = *reinterpret_cast<const double2 *>(block.vectors[plane] + at + 8 * n * ld + 8 * u);
#pragma unroll
            for (int n = 0; n < 4; ++n) mma(sums.all[n], plane == 0 ? a.re : a.im, b[n].x, b[n].y);
        }
    }
}
// -W conj(T), or -W T^T
template <class T, int B>
__device__ __forceinline__ void multiply_by_triangle(double (&w)[4][4], const PartsBlock<T, B> &block,
                                                     bool is_adjoint) {
    const MmaLane lane;
    const int zero = unknown_zero(), across = is_adjoint ? block_ld : 1, down = is_adjoint ? 1 : block_ld;
    const int even = lane.vector() * across + lane.even() * down, odd = lane.vector() * across + lane.odd() * down;
    double x[4][4] = {};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const ComplexOperand a(w[k], is_adjoint, zero);
#pragma unroll
        for (int plane = 0; plane < 2; ++plane)
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                if (n != k && (n > k) != is_adjoint) continue;
                const double *const b = block.triangle[plane] + 8 * (n * across + k * down);
                mma(x[n], plane == 0 ? a.re : a.im, b[even], b[odd]);
            }
    }
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) w[n][e] = changed(x[n][e], zero ^ int(0x80000000), 0);
}
// C2^T += Y V^T
template <int TILES, class T, int B>
__device__ __forceinline__ void add_changes(double (&c)[TILES][4], const double (&y)[4][4],
                                            const PartsBlock<T, B> &block, int first_row) {
    constexpr int ld = PartsBlock<T, B>::ld;
    const MmaLane lane;
    const int zero = unknown_zero(), even = lane.even() * ld + lane.g + first_row;
    const int odd = lane.odd() * ld + lane.g + first_row;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const ComplexOperand a(y[k], false, zero);
#pragma unroll
        for (int plane = 0; plane < 2; ++plane)
#pragma unroll
            for (int u = 0; u < TILES; ++u) {
                const double *const b = block.vectors[plane] + 8 * (k * ld + u);
                mma(c[u], plane == 0 ? a.re : a.im, b[even], b[odd]);
            }
    }
}

}  // namespace xbatch::qr
