// float_parts.cuh: a block reflector of floats applied by matrix instructions with float's accuracy, m16n8k16.
//
// x = x0 + x1 + x2 exactly, bfloat16 numbers with float's range, x0 of 7 significant bits, the others of 8. Of the nine
// products of parts of two numbers six are formed; the others are below 2^-24 of the product. The matrix unit
// truncates, all terms of a sum as the largest, which would shrink all results alike. Products x0 y0 have 14 bits of
// 24, so that few are truncated in sums of 8, which are added outside, with rounding. The others are so small that it
// does not matter.
//
// A warp holds C2^T as accumulators, 16 rows: columns of C2, or the real and the imaginary parts of 8 columns. W = C1^T
// + C2^T conj(V), X = W conj(T) (W T^T if Q itself is applied), C2^T -= X V^T, C1^T -= X. Lane 4g + t has rows g, g +
// 8; of n-tile u of C2 rows 8u + 2t, + 1; of n-tile u of W and X the vectors 8u + 2t, + 1. Pairs of such tiles are left
// operands.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "qr/common/householder.cuh"
#include "qr/common/tile_copy.cuh"

namespace xbatch::qr {

constexpr int float_parts = 3;

// Whether products are by matrix instructions on parts of numbers
#if __CUDA_ARCH__ >= 900
template <class T>
constexpr bool has_parts = !std::is_same_v<T, double>;
#else
template <class T>
constexpr bool has_parts = false;
#endif

__device__ __forceinline__ unsigned packed_bfloats(float low, float high) {
    unsigned y = 0;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
#endif
    return y;
}
// The parts of x and y, packed
__device__ __forceinline__ void split(float x, float y, unsigned (&part)[float_parts]) {
#ifdef __CUDA_ARCH__
    constexpr unsigned ignored = 0x1ffff;
    const unsigned a = (__float_as_uint(x) + (ignored + 1) / 2) & ~ignored;
    const unsigned b = (__float_as_uint(y) + (ignored + 1) / 2) & ~ignored;
    part[0] = __byte_perm(a, b, 0x7632), x -= __uint_as_float(a), y -= __uint_as_float(b);
    part[1] = packed_bfloats(x, y);
    part[2] = packed_bfloats(x - __uint_as_float(part[1] << 16), y - __uint_as_float(part[1] & 0xffff0000u));
#endif
}

// A left operand: two n-tiles of an accumulator
struct PartsOperand {
    unsigned part[float_parts][4];

    __device__ __forceinline__ PartsOperand(const float (&c0)[4], const float (&c1)[4]) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const float(&c)[4] = e < 2 ? c0 : c1;
            unsigned own[float_parts];
            split(c[e % 2 * 2], c[e % 2 * 2 + 1], own);
#pragma unroll
            for (int p = 0; p < float_parts; ++p) part[p][e] = own[p];
        }
    }
    // Its product with imaginary parts, of conj(b) or b: rows [re; im] become [im; -re] or [-im; re]
    __device__ __forceinline__ PartsOperand turned(bool is_conjugate) const {
        constexpr unsigned signs = 0x80008000;
        const unsigned upper = is_conjugate ? 0 : signs, lower = signs ^ upper;
        PartsOperand y = *this;
#pragma unroll
        for (int p = 0; p < float_parts; ++p)
#pragma unroll
            for (int e = 0; e < 4; e += 2) y.part[p][e] = part[p][e + 1] ^ upper, y.part[p][e + 1] = part[p][e] ^ lower;
        return y;
    }
};

// c += a b for one part of each
__device__ __forceinline__ void mma_parts(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
        "%2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}
// The same for 8 of the 16 terms
__device__ __forceinline__ void mma_half(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2], int half) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
#endif
}
// Four 8 x 8 matrices, each lane with the address of one of their rows in shared memory
template <bool IS_TRANSPOSED>
__device__ __forceinline__ void load_matrices(unsigned (&b)[4], unsigned at) {
#if __CUDA_ARCH__ >= 800
    if constexpr (IS_TRANSPOSED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                     : "r"(at)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                     : "r"(at)
                     : "memory");
#endif
}

// The vectors of a block, column by column, with explicit zeros and ones, and T, in parts; of complex numbers the real
// ones, then the imaginary ones. Rows of eight adjacent columns are in different banks. Each thread loads a share, and
// divides it into parts once for all warps.
template <class T, int B>
struct PartsBlock {
    struct alignas(16) Four {
        T x[4];
    };
    struct Share {  // four rows in each 32 of a column, and of one of T
        Four vectors[B / 32], triangle;
    };
    static constexpr int planes = sizeof(T) / sizeof(float), ld = B + 8, triangle_ld = block_columns + 8;
    alignas(16) uint16_t vectors[planes][float_parts][block_columns * ld];
    alignas(16) uint16_t triangle[planes][float_parts][block_columns * triangle_ld];

    // The vectors in W and X that a lane has of an n-tile
    static __device__ int vector(int e) { return thread_of_task() % 4 * 2 + e; }
    // Of vectors s … s+width-1; is_whole: all B rows and 32 columns exist, aligned
    static __device__ __forceinline__ void load(Share &share, const DeviceReflectors<T> &t, int s, int width,
                                                bool is_whole) {
        const T *const v = t.v + (s + column()) * t.ldv, *const triangle = t.triangles + (s + column()) * t.ib;
        if (is_whole) {
#pragma unroll
            for (int k = 0; k < B / 32; ++k) share.vectors[k] = load_four(v + 32 * k + row());
            share.triangle = load_four(triangle + row());
            return;
        }
        const bool has_column = column() < width;
        const auto entry = [&](bool has, const T *at, int otherwise) {  // not read there if it is not of this block
            const T x = *(has ? at : t.triangles);
            return has ? x : T(Real<T>(otherwise));
        };
#pragma unroll
        for (int k = 0; k < B / 32; ++k)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int r = 32 * k + row() + e;
                const bool is_one = has_column && t.shape == Shape::trapezoid && r == s + column();
                share.vectors[k].x[e] = entry(has_column && r < t.rows && t.has(r, s + column()), v + r, is_one);
            }
#pragma unroll
        for (int e = 0; e < 4; ++e)
            share.triangle.x[e] = entry(has_column && row() + e <= column(), triangle + row() + e, 0);
    }
    __device__ __forceinline__ void store(const Share &share) {
#pragma unroll
        for (int k = 0; k < B / 32; ++k) store(vectors, column() * ld + 32 * k + row(), share.vectors[k]);
        store(triangle, column() * triangle_ld + row(), share.triangle);
    }

private:
    static __device__ int column() { return thread_of_task() / 8; }
    static __device__ int row() { return thread_of_task() % 8 * 4; }

    static __device__ __forceinline__ Four load_four(const T *from) {
        Four y;
#pragma unroll
        for (int k = 0; k < int(sizeof y / sizeof(float4)); ++k)
            reinterpret_cast<float4 *>(&y)[k] = __ldcg(reinterpret_cast<const float4 *>(from) + k);
        return y;
    }
    template <int SIZE>
    static __device__ __forceinline__ void store(uint16_t (&to)[planes][float_parts][SIZE], int at, const Four &from) {
#pragma unroll
        for (int plane = 0; plane < planes; ++plane) {
            float x[4];
#pragma unroll
            for (int e = 0; e < 4; ++e) x[e] = plane == 0 ? real_part(from.x[e]) : imaginary(from.x[e]);
            unsigned first[float_parts], second[float_parts];
            split(x[0], x[1], first), split(x[2], x[3], second);
#pragma unroll
            for (int p = 0; p < float_parts; ++p)
                *reinterpret_cast<uint2 *>(&to[plane][p][at]) = make_uint2(first[p], second[p]);
        }
    }
};

// Sums of products for four n-tiles
template <class R>
struct PartsSums {
    float large[4][4] = {}, small[4][4] = {};

    __device__ __forceinline__ float sum(int n, int e) const { return large[n][e] + small[n][e]; }
    __device__ __forceinline__ void set(int n, int e, float x) { large[n][e] = x, small[n][e] = 0; }
    // load(part, b): of four right operands; STEPS of them, of 16 terms each, at once
    template <int STEPS, class Load>
    __device__ __forceinline__ void add(const PartsOperand *a, Load load) {
#pragma unroll
        for (int j = 0; j < float_parts; ++j) {
            unsigned b[STEPS][4][2];
            load(j, b);
#pragma unroll
            for (int i = float_parts - 1 - j; i >= 0; --i)
#pragma unroll
                for (int s = 0; s < STEPS; ++s) {
                    if (i + j == 0)
                        add_large(a[s].part[0], b[s]);
                    else
#pragma unroll
                        for (int n = 0; n < 4; ++n) mma_parts(small[n], a[s].part[i], b[s][n]);
                }
        }
    }

private:
    __device__ __forceinline__ void add_large(const unsigned (&a)[4], const unsigned (&b)[4][2]) {
        float own[4][2][4] = {};
#pragma unroll
        for (int half = 0; half < 2; ++half)
#pragma unroll
            for (int n = 0; n < 4; ++n) mma_half(own[n][half], a, b[n], half);
#pragma unroll
        for (int n = 0; n < 4; ++n)
#pragma unroll
            for (int e = 0; e < 4; ++e) large[n][e] += own[n][0][e] + own[n][1][e];
    }
};

// The right operands of n-tiles 0 … 3 of a matrix in shared memory, stored by columns, k adjacent, or by rows, n
// adjacent; by the address that a lane has of its first element.
constexpr unsigned element_bytes = sizeof(uint16_t);
__device__ __forceinline__ unsigned lane_by_columns(const uint16_t *matrix, int ld) {
    const int lane = thread_of_task() % 32;
    return shared_address(matrix + (lane / 16 * 8 + lane % 8) * ld + lane / 8 % 2 * 8);
}
__device__ __forceinline__ void load_by_columns(unsigned (&b)[1][4][2], unsigned from, int ld) {
#pragma unroll
    for (int n = 0; n < 4; n += 2) {
        unsigned x[4];
        load_matrices<false>(x, from + 8 * n * ld * element_bytes);
        b[0][n][0] = x[0], b[0][n][1] = x[1], b[0][n + 1][0] = x[2], b[0][n + 1][1] = x[3];
    }
}
template <int STEPS>
__device__ __forceinline__ unsigned lane_by_rows(const uint16_t *matrix, int ld) {
    const int lane = thread_of_task() % 32;
    return shared_address(STEPS == 2 ? matrix + lane * ld : matrix + lane % 16 * ld + lane / 16 * 8);
}
template <int STEPS>
__device__ __forceinline__ void load_by_rows(unsigned (&b)[STEPS][4][2], unsigned from) {
#pragma unroll
    for (int n = 0; n < 4; n += 3 - STEPS) {
        unsigned x[4];
        load_matrices<true>(x, from + 8 * n * element_bytes);
        b[0][n][0] = x[0], b[0][n][1] = x[1];
        if constexpr (STEPS == 2)
            b[1][n][0] = x[2], b[1][n][1] = x[3];
        else
            b[0][n + 1][0] = x[2], b[0][n + 1][1] = x[3];
    }
}

// sums = C2^T conj(V), the rows from first_row on
template <int TILES, class T, int B>
__device__ __forceinline__ void add_vector_products(PartsSums<float> &sums, const float (&c)[TILES][4],
                                                    const PartsBlock<T, B> &block, int first_row) {
    using Block = PartsBlock<T, B>;
    const unsigned vectors = lane_by_columns(block.vectors[0][0] + first_row, Block::ld);
#pragma unroll
    for (int s = 0; s < TILES / 2; ++s) {
        const PartsOperand a(c[2 * s], c[2 * s + 1]);
#pragma unroll
        for (int plane = 0; plane < Block::planes; ++plane) {
            const PartsOperand own = plane == 0 ? a : a.turned(true);
            sums.add<1>(&own, [&](int part, unsigned(&b)[1][4][2]) {
                const int matrix = plane * float_parts + part;
                load_by_columns(b, vectors + matrix * sizeof block.vectors[0][0] + 16 * s * element_bytes, Block::ld);
            });
        }
    }
}
// -W conj(T), or -W T^T, as n-tiles of an accumulator
template <class T, int B>
__device__ __forceinline__ void multiply_by_triangle(float (&w)[4][4], const PartsBlock<T, B> &block, bool is_adjoint) {
    using Block = PartsBlock<T, B>;
    constexpr int ld = Block::triangle_ld;
    const unsigned triangle =
        is_adjoint ? lane_by_columns(block.triangle[0][0], ld) : lane_by_rows<1>(block.triangle[0][0], ld);
    PartsSums<float> sums;
#pragma unroll
    for (int s = 0; s < 2; ++s) {
        const PartsOperand a(w[2 * s], w[2 * s + 1]);
#pragma unroll
        for (int plane = 0; plane < Block::planes; ++plane) {
            const PartsOperand own = plane == 0 ? a : a.turned(is_adjoint);
            sums.add<1>(&own, [&](int part, unsigned(&b)[1][4][2]) {
                const unsigned from = triangle + (plane * float_parts + part) * sizeof block.triangle[0][0];
                if (is_adjoint)
                    load_by_columns(b, from + 16 * s * element_bytes, ld);
                else
                    load_by_rows<1>(b, from + 16 * s * ld * element_bytes);
            });
        }
    }
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) w[n][e] = -sums.sum(n, e);
}
// C2^T += Y V^T, the rows from first_row on
template <int TILES, class T, int B>
__device__ __forceinline__ void add_changes(float (&c)[TILES][4], const float (&y)[4][4], const PartsBlock<T, B> &block,
                                            int first_row) {
    using Block = PartsBlock<T, B>;
    const unsigned vectors = lane_by_rows<2>(block.vectors[0][0] + first_row, Block::ld);
    const PartsOperand a[2] = {PartsOperand(y[0], y[1]), PartsOperand(y[2], y[3])};
#pragma unroll
    for (int u = 0; u < TILES; u += 4) {
        PartsSums<float> sums;
#pragma unroll
        for (int plane = 0; plane < Block::planes; ++plane) {
            const PartsOperand own[2] = {plane == 0 ? a[0] : a[0].turned(false),
                                         plane == 0 ? a[1] : a[1].turned(false)};
            sums.add<2>(own, [&](int part, unsigned(&b)[2][4][2]) {
                const int matrix = plane * float_parts + part;
                load_by_rows<2>(b, vectors + matrix * sizeof block.vectors[0][0] + 8 * u * element_bytes);
            });
        }
#pragma unroll
        for (int n = 0; n < 4; ++n)
#pragma unroll
            for (int e = 0; e < 4; ++e) c[u + n][e] += sums.sum(n, e);
    }
}

}  // namespace xbatch::qr
