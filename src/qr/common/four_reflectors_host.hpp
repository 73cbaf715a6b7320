// four_reflectors_host.hpp: block reflectors of four vectors in a thread's buffer, applied to a few columns at a time.
// Sums and products stay in vector registers.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "columns_host.hpp"

namespace xbatch::qr {

// An instruction set: bytes of a vector, and the number of columns of reals for which there are registers
template <int bytes, int reals>
struct Isa {
    static constexpr int vector_bytes = bytes;
    template <class T>
    static constexpr int lanes = bytes / int(sizeof(Real<T>));
    template <class T>
    static constexpr int columns = std::max(1, reals / parts<T>);
};

// Vectors of an instruction set
template <class R, class I>
struct Simd {
    static constexpr int lanes = I::vector_bytes / int(sizeof(R));
    typedef R Vector __attribute__((vector_size(I::vector_bytes), aligned(sizeof(R)), may_alias));
    typedef R Four __attribute__((vector_size(4 * sizeof(R)), aligned(sizeof(R)), may_alias));

    static Vector &at(R *x) { return *reinterpret_cast<Vector *>(x); }
    static const Vector &at(const R *x) { return *reinterpret_cast<const Vector *>(x); }
    static Four &four_at(R *x) { return *reinterpret_cast<Four *>(x); }
    static int64_t whole(int64_t rows) { return (rows + lanes - 1) / lanes * lanes; }

    // The sum of the elements of each of `count` vectors, a power of two: parts of two sums are joined in a vector
    // while there are several vectors, then within it. The order of a sum does not depend on the others.
    template <int count>
    static void totals(Vector *x, R *to) {
        join<1, count>(x);
        constexpr int sums = std::min(count, lanes);  // in a vector
        if constexpr (sums < lanes) {
            R all[lanes];
            at(all) = x[0];
            for (int left = lanes / 2; left >= sums; left /= 2)
                for (int i = 0; i < left; ++i) {
                    const int part = i / sums, sum = i % sums;
                    all[i] = all[2 * part * sums + sum] + all[(2 * part + 1) * sums + sum];
                }
            std::copy_n(all, sums, to);
        } else {
            for (int k = 0; k < count; k += lanes) at(to + k) = x[k / lanes];
        }
    }
    static R total(Vector x) {
        R sum;
        totals<1>(&x, &sum);
        return sum;
    }

private:
    // Element i of a vector has a part of sum i % s. In the result it has one of sum i % (2 s), from `odd` parts.
    template <int s, int odd>
    static constexpr int place(int i) {
        const int sum = i % (2 * s), part = i / (2 * s) * 2 + odd;
        return part * s + sum % s + (sum < s ? 0 : lanes);
    }
    template <int s, int... i>
    static void join_two(Vector &to, const Vector &a, const Vector &b, std::integer_sequence<int, i...>) {
        to = __builtin_shufflevector(a, b, place<s, 0>(i)...) + __builtin_shufflevector(a, b, place<s, 1>(i)...);
    }
    template <int s, int count>
    static void join(Vector *x) {
        if constexpr (count > 1 && s < lanes) {
            for (int k = 0; k < count / 2; ++k)
                join_two<s>(x[k], x[2 * k], x[2 * k + 1], std::make_integer_sequence<int, lanes>());
            join<2 * s, count / 2>(x);
        }
    }
};

// I - V M V^H: columns 0 … 3 of v, of which those from `width` on are zero, in rows [begin, begin + rows) of the
// columns to which it is applied, by parts
template <class T, class I>
struct FourReflectors {
    using R = Real<T>;
    using S = Simd<R, I>;
    using Vector = typename S::Vector;
    using Four = typename S::Four;
    static constexpr int P = parts<T>, at_once = I::template columns<T>;

    Columns<R> v;
    int64_t begin, rows;  // rows: whole vectors
    int width;
    Four m[4][P];  // by columns

    // To columns of `below`, and of `top`, which has the rows of the identity above V, if it is given; four of them are
    // loaded and stored.
    void apply(const Columns<R> *top, const Columns<R> &below, int64_t columns) const {
        int64_t c = 0;
        for (; c + at_once <= columns; c += at_once) apply_to<at_once>(top, below, c);
        for (; at_once > 1 && c < columns; ++c) apply_to<1>(top, below, c);
    }
    // u_c^H v_k for columns u of `below`, to to[k*ld + c]
    void products_with(const Columns<R> &below, int64_t columns, T *to, int64_t ld) const {
        int64_t c = 0;
        for (; c + at_once <= columns; c += at_once) products_with<at_once>(below, c, to, ld);
        for (; at_once > 1 && c < columns; ++c) products_with<1>(below, c, to, ld);
    }

private:
    static constexpr int lanes = S::lanes;

    // f(column, part)
    template <int N, class F>
    static void each(F f) {
#pragma GCC unroll 4
        for (int n = 0; n < N; ++n)
#pragma GCC unroll 2
            for (int p = 0; p < P; ++p) f(n, p);
    }
    // g_k = conj(v_k) . c for N columns c
    template <int N>
    void products(const R *c, int64_t ld, int64_t im, Four (&g)[N][P]) const {
        Vector sum[N][P][4] = {};
        const R *u = v.at;
        const int64_t ld_v = v.ld, im_v = v.im;
        for (const R *const end = c + rows; c < end; c += lanes, u += lanes) {
            Vector x[N][P];
            each<N>([&](int n, int p) { x[n][p] = S::at(c + n * ld + p * im); });
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k) {
                const Vector re = S::at(u + k * ld_v);
                each<N>([&](int n, int p) { sum[n][p][k] += re * x[n][p]; });
                if constexpr (P == 2) {
                    const Vector of_i = S::at(u + k * ld_v + im_v);
#pragma GCC unroll 4
                    for (int n = 0; n < N; ++n) sum[n][0][k] += of_i * x[n][1], sum[n][1][k] -= of_i * x[n][0];
                }
            }
        }
        S::template totals<4 * P * N>(&sum[0][0][0], reinterpret_cast<R *>(g));
    }
    // c -= V w for N columns c
    template <int N>
    void subtract(const Four (&w)[N][P], R *c, int64_t ld, int64_t im) const {
        const R *u = v.at;
        const int64_t ld_v = v.ld, im_v = v.im;
        Vector by[N][P][4];
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) each<N>([&](int n, int p) { by[n][p][k] = Vector{} + w[n][p][k]; });
        for (R *const end = c + rows; c < end; c += lanes, u += lanes) {
            Vector x[N][P];
            each<N>([&](int n, int p) { x[n][p] = S::at(c + n * ld + p * im); });
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k) {
                const Vector re = S::at(u + k * ld_v);
                each<N>([&](int n, int p) { x[n][p] -= re * by[n][p][k]; });
                if constexpr (P == 2) {
                    const Vector of_i = S::at(u + k * ld_v + im_v);
#pragma GCC unroll 4
                    for (int n = 0; n < N; ++n) x[n][0] += of_i * by[n][1][k], x[n][1] -= of_i * by[n][0][k];
                }
            }
            each<N>([&](int n, int p) { S::at(c + n * ld + p * im) = x[n][p]; });
        }
    }
    template <int N>
    void apply_to(const Columns<R> *top, const Columns<R> &below, int64_t column) const {
        R *const c = below.at + column * below.ld + begin, *const t = top ? top->at + column * top->ld : nullptr;
        Four g[N][P], w[N][P];
        products<N>(c, below.ld, below.im, g);
        if (t) each<N>([&](int n, int p) { g[n][p] += S::four_at(t + n * top->ld + p * top->im); });
        each<N>([&](int n, int p) {
            w[n][p] = Four{};
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k) {
                w[n][p] += m[k][0] * g[n][p][k];
                if (P == 2 && p == 0) w[n][p] -= m[k][P - 1] * g[n][P - 1][k];
                if (P == 2 && p == 1) w[n][p] += m[k][P - 1] * g[n][0][k];
            }
        });
        if (t) each<N>([&](int n, int p) { S::four_at(t + n * top->ld + p * top->im) -= w[n][p]; });
        subtract<N>(w, c, below.ld, below.im);
    }
    template <int N>
    void products_with(const Columns<R> &below, int64_t column, T *to, int64_t ld) const {
        Four g[N][P];
        products<N>(below.at + column * below.ld + begin, below.ld, below.im, g);
        for (int k = 0; k < width; ++k)
            for (int n = 0; n < N; ++n)
                if constexpr (P == 2)
                    to[k * ld + column + n] = T(g[n][0][k], -g[n][1][k]);
                else
                    to[k * ld + column + n] = g[n][0][k];
    }
};

}  // namespace xbatch::qr
