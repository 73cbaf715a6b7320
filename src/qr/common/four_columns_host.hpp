// four_columns_host.hpp: panels of four columns in a thread's buffer, which are factored or are vectors already.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "four_reflectors_host.hpp"
#include "householder_host.hpp"
#include "vector_shape.hpp"

namespace xbatch::qr {

// The rows [first, end) of four columns in which their vectors are not zero. A trapezoid's vectors also have a part
// below the diagonal in the rows before `first`, as many as there are columns; above others is the identity. Of a
// triangle each column ends one row after the one before it.
struct FourRows {
    Shape shape;
    int64_t first, end;

    bool has_head() const { return shape == Shape::trapezoid; }
    int64_t end_of(int c, int width) const { return shape == Shape::triangle ? end - (width - 1 - c) : end; }
};
// Number of columns of a panel that begins at column c, of columns up to `end`
inline int four_width(int64_t c, int64_t end) { return int(std::min<int64_t>(4, end - c)); }
// Of columns c … c+width-1 of a tile
inline FourRows four_rows(Shape shape, int64_t rows, int64_t c, int width) {
    if (shape == Shape::trapezoid) return {shape, c + width, rows};
    return {shape, 0, shape == Shape::full ? rows : c + width};
}

template <class T, class I>
class FourColumns {
    using R = Real<T>;
    using S = Simd<R, I>;
    using Vector = typename S::Vector;
    static constexpr int P = parts<T>, lanes = S::lanes;

public:
    static int64_t reals(int64_t rows) { return 4 * column_reals<T>(rows + spare_rows); }
    FourColumns(R *memory, int64_t most_rows) : v_(columns_at<T>(memory, most_rows + spare_rows)) {}

    // Factors columns 0 … width-1 of `below`; `head` is at the first one's diagonal entry of R. Vectors and R replace
    // them. Returns the first one whose norm is not finite, or width.
    int factor(const Columns<R> &head, const Columns<R> &below, const FourRows &at, int width, T *tau) {
        load(below, at, width);
        const auto rows_of_head = [&](int c) { return at.has_head() ? width : c + 1; };
        for (int c = 0; c < width; ++c)
            for (int r = 0; r < rows_of_head(c); ++r) head_[r][c] = get<T>(head, r, c);
        find_extremes();
        int bad = width;
        if (width > 0) step<0>(bad);
        if (width > 1) step<1>(bad);
        if (width > 2) step<2>(bad);
        if (width > 3) step<3>(bad);
        for (int c = 0; c < width; ++c) {
            for (int p = 0; p < P; ++p)
                std::copy_n(vector(c, p) + at.first - begin_, at.end - at.first,
                            below.at + c * below.ld + p * below.im + at.first);
            for (int r = 0; r < rows_of_head(c); ++r) put<T>(head, r, c, head_[r][c]);
        }
        join_head();
        std::copy_n(tau_, width, tau);
        return bad;
    }
    // Takes columns 0 … width-1 of v, in a buffer or in the caller's memory. Other entries are not read: another thread
    // may be writing them.
    template <class Source>
    void take(const Source &v, const FourRows &at, int width, const T *tau) {
        load(v, at, width);
        for (int c = 0; at.has_head() && c < width; ++c)
            for (int r = c + 1; r < width; ++r) head_[r][c] = entry<T>(v, at.first - width + r, c);
        join_head();
        std::copy_n(tau, width, tau_);
        for (int c = 1; c < width; ++c) {
            T sums[4];
            sum_products(c, sums);
            for (int k = 0; k < c; ++k) product_[k][c] = conjugate(sums[k]);
        }
    }
    // The product of the reflectors of these columns, H = H_0 H_1 …, or its adjoint
    FourReflectors<T, I> reflectors(bool is_adjoint) const {
        T t[4][4] = {};
        for (int c = 0; c < width_; ++c) {
            t[c][c] = tau_[c];
            for (int r = 0; r < c; ++r) {
                T sum = T(0);
                for (int k = r; k < c; ++k) sum = fma_(t[r][k], product_[k][c], sum);
                t[r][c] = -(tau_[c] * sum);
            }
        }
        FourReflectors<T, I> all{v_, begin_, rows_, width_, {}};
        for (int r = 0; r < 4; ++r)
            for (int c = 0; c < 4; ++c) {
                const T x = is_adjoint ? conjugate(t[c][r]) : t[r][c];
                all.m[c][0][r] = real_part(x);
                if constexpr (P == 2) all.m[c][1][r] = x.im;
            }
        return all;
    }
    // v_k^H v_c, k < c
    T product(int k, int c) const { return product_[k][c]; }

private:
    R *vector(int k, int part) const { return v_.at + k * v_.ld + part * v_.im; }

    // Copies columns; they are zero in the rows of the head, and up to whole vectors.
    template <class Source>
    void load(const Source &from, const FourRows &at, int width) {
        const int64_t head = at.has_head() ? at.first - width : 0;
        begin_ = head / lanes * lanes, rows_ = S::whole(at.end - begin_), width_ = width;
        head_row_ = at.has_head() ? head - begin_ : -1;
        for (int c = 0; c < 4; ++c) {
            const int64_t first = c < width ? at.first - begin_ : 0, end = c < width ? at.end_of(c, width) - begin_ : 0;
            if (c < width)
                copy_rows<T>(from, at.first, end + begin_, c, vector(c, 0) + first, vector(c, P - 1) + first);
            for (int p = 0; p < P; ++p) {
                std::fill_n(vector(c, p), first, R(0));
                std::fill(vector(c, p) + end, vector(c, p) + rows_, R(0));
            }
            for (int r = 0; r < 4; ++r) head_[r][c] = T(0);
        }
    }
    void join_head() {
        for (int c = 0; head_row_ >= 0 && c < width_; ++c)
            for (int r = c; r < width_; ++r) put<T>(v_, head_row_ + r, c, r == c ? T(1) : head_[r][c]);
    }
    // Products of a column with one whose norm is extreme may overflow, or underflow next to that norm.
    void find_extremes() {
        constexpr int range = std::is_same_v<R, double> ? 800 : 104;  // of exponents of squared norms
        const R least = power_of_two<R>(-range), most = power_of_two<R>(range);
        for (int c = 0; c < width_; ++c) {
            Vector sum = {};
            for (int p = 0; p < P; ++p)
                for (int64_t i = 0; i < rows_; i += lanes) sum += S::at(vector(c, p) + i) * S::at(vector(c, p) + i);
            R squares = S::total(sum);
            for (int r = 0; r < width_; ++r) squares += inner(head_[r][c], head_[r][c]);
            is_extreme_[c] = !(squares >= least && squares <= most);
        }
    }

    // conj(v_j) . v_k for all k, the rows of the buffer
    void sum_products(int j, T (&to)[4]) const {
        Vector sum[P][4] = {};
        const R *u = v_.at;
        const int64_t ld = v_.ld, im = v_.im;
        for (const R *const end = u + rows_; u < end; u += lanes) {
            const Vector re = S::at(u + j * ld);
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k) sum[0][k] += re * S::at(u + k * ld);
            if constexpr (P == 2) {
                const Vector of_i = S::at(u + j * ld + im);
#pragma GCC unroll 4
                for (int k = 0; k < 4; ++k) {
                    sum[0][k] += of_i * S::at(u + k * ld + im);
                    sum[1][k] += re * S::at(u + k * ld + im);
                    sum[1][k] -= of_i * S::at(u + k * ld);
                }
            }
        }
        R s[P][4];
        S::template totals<4 * P>(&sum[0][0], &s[0][0]);
        for (int k = 0; k < 4; ++k)
            if constexpr (P == 2)
                to[k] = T(s[0][k], s[1][k]);
            else
                to[k] = s[0][k];
    }
    // v_j <- sigma v_j, then v_k -= v_j w_k for k > j
    template <int J>
    void update_columns(T sigma, const T (&w)[4]) {
        R *x = v_.at;
        const int64_t ld = v_.ld, im = v_.im;
        for (R *const end = x + rows_; x < end; x += lanes) {
            if constexpr (P == 1) {
                const Vector v = S::at(x + J * ld) * sigma;
                S::at(x + J * ld) = v;
#pragma GCC unroll 4
                for (int k = J + 1; k < 4; ++k) S::at(x + k * ld) -= v * w[k];
            } else {
                const Vector a = S::at(x + J * ld), b = S::at(x + J * ld + im), re = a * sigma.re - b * sigma.im,
                             of_i = a * sigma.im + b * sigma.re;
                S::at(x + J * ld) = re, S::at(x + J * ld + im) = of_i;
#pragma GCC unroll 4
                for (int k = J + 1; k < 4; ++k) {
                    S::at(x + k * ld) -= re * w[k].re - of_i * w[k].im;
                    S::at(x + k * ld + im) -= re * w[k].im + of_i * w[k].re;
                }
            }
        }
    }
    // Eliminates column J.
    template <int J>
    void step(int &bad) {
        T sums[4], sigma = T(1), w[4];
        const T alpha = head_[J][J];
        const auto sum_column = [&] {
            sum_products(J, sums);
            for (int r = J + 1; r < 4; ++r)
                for (int k = 0; k < 4; ++k) sums[k] = fma_(conjugate(head_[r][J]), head_[r][k], sums[k]);
        };
        sum_column();
        Reflector<T> h;
        if (!is_extreme_[J] && is_in_safe_range(alpha, real_part(sums[J]))) {
            const ReflectorScalars<T> found(alpha, real_part(sums[J]));
            h = found.h, sigma = found.sigma;
            for (int k = 0; k < 4; ++k) {
                const bool is_extreme = k > J && k < width_ && is_extreme_[k];
                sums[k] = is_extreme ? scaled_product(J, sigma, k) : conjugate(sigma) * sums[k];
            }
        } else {
            h = reflect_scaled(J);
            sum_column();
        }
        if (!is_finite(h.beta)) bad = std::min(bad, J);
        tau_[J] = h.tau;
        for (int k = 0; k < 4; ++k) {
            const T whole = head_[J][k] + sums[k];  // for k < J that is v_J^H v_k, since row J of v_k is in the head
            product_[k][J] = conjugate(whole);
            w[k] = conjugate(h.tau) * whole;
        }
        for (int r = J + 1; r < 4; ++r) {
            head_[r][J] = head_[r][J] * sigma;
            for (int k = J + 1; k < 4; ++k) head_[r][k] = fnma(head_[r][J], w[k], head_[r][k]);
        }
        for (int k = J + 1; k < 4; ++k) head_[J][k] = head_[J][k] - w[k];
        head_[J][J] = T(h.beta);
        update_columns<J>(sigma, w);
    }
    // (sigma v_j)^H v_k. What few columns need is not to be inlined.
    __attribute__((noinline)) T scaled_product(int j, T sigma, int k) const {
        T sum = T(0);
        for (int r = j + 1; r < width_; ++r) sum = fma_(conjugate(sigma * head_[r][j]), head_[r][k], sum);
        for (int64_t i = 0; i < rows_; ++i) sum = fma_(conjugate(sigma * get<T>(v_, i, j)), get<T>(v_, i, k), sum);
        return sum;
    }
    // For any norm; the column becomes the vector.
    __attribute__((noinline)) Reflector<T> reflect_scaled(int j) {
        const auto each_of_head = [&](auto f) {
            for (int r = 0; r < 4; ++r)
                if (head_row_ >= 0 && r > j && r < width_) f(r);
        };
        each_of_head([&](int r) { put<T>(v_, head_row_ + r, j, head_[r][j]); });
        const Reflector<T> h = reflect(head_[j][j], Tail<T>{vector(j, 0), v_.im, rows_});
        each_of_head([&](int r) {
            head_[r][j] = get<T>(v_, head_row_ + r, j);
            put<T>(v_, head_row_ + r, j, T(0));
        });
        return h;
    }

    Columns<R> v_;
    int64_t begin_ = 0, rows_ = 0;  // the rows of the buffer; rows_: whole vectors
    int64_t head_row_ = -1;         // in the buffer, or -1 if the head is elsewhere
    int width_ = 0;
    bool is_extreme_[4];
    T head_[4][4], tau_[4], product_[4][4];  // product_: v_k^H v_c, k < c
};

}  // namespace xbatch::qr
