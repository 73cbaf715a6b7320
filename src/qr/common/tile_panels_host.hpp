// tile_panels_host.hpp: Householder vectors, column by column, in a thread's buffers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "tile_products_host.hpp"

namespace xbatch::qr {

template <class R>
R square_sum(const R *x, int64_t n) {
    R sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; ++i) sum += x[i] * x[i];
    return sum;
}
template <class R>
R largest(const R *x, int64_t n) {
    R most = 0;
    for (int64_t i = 0; i < n; ++i) {
        const R a = std::fabs(x[i]);
        if (!(a <= most)) most = a;  // also for NaN, which then remains
        if (most != most) break;
    }
    return most;
}
template <class R>
void scale(R *x, int64_t n, R factor) {
    for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}

// x of a column's reals: element parts at x and x + im
template <class T>
struct Tail {
    Real<T> *x;
    int64_t im, n;

    Real<T> squares() const {
        Real<T> sum = square_sum(x, n);
        if constexpr (is_complex<T>) sum += square_sum(x + im, n);
        return sum;
    }
    Real<T> most() const {
        Real<T> m = largest(x, n);
        if constexpr (is_complex<T>) {
            const Real<T> other = largest(x + im, n);
            if (!(other <= m)) m = other;
        }
        return m;
    }
    void times(Real<T> factor) const {
        scale(x, n, factor);
        if constexpr (is_complex<T>) scale(x + im, n, factor);
    }
    void times(Complex<Real<T>> factor) const {
        for (int64_t i = 0; i < n; ++i) {
            const Complex<Real<T>> product = Complex<Real<T>>(x[i], x[im + i]) * factor;
            x[i] = product.re, x[im + i] = product.im;
        }
    }
};

template <class R>
R imaginary_part(Complex<R> a) {
    return a.im;
}
inline float imaginary_part(float) { return 0; }
inline double imaginary_part(double) { return 0; }

template <class T>
struct Reflector {
    Real<T> beta;
    T tau;
};

// H = I - tau [1; v] [1; v]^H with H^H [alpha; x] = [beta; 0], beta real; x <- v. For norms that neither overflow nor
// underflow.
template <class T>
Reflector<T> reflect_in_range(T alpha, Real<T> squares, const Tail<T> &tail) {
    using R = Real<T>;
    const R norm = std::sqrt(inner(alpha, alpha) + squares);
    const R beta = real_part(alpha) >= 0 ? -norm : norm;
    tail.times(reciprocal(alpha - T(beta)));
    if constexpr (is_complex<T>)
        return {beta, T((beta - alpha.re) / beta, -alpha.im / beta)};
    else
        return {beta, (beta - alpha) / beta};
}

// The same for any [alpha; x], as LAPACK's larfg: H = I if x is zero and alpha real.
template <class T>
Reflector<T> reflect(T alpha, const Tail<T> &tail) {
    using R = Real<T>;
    using B = typename BitsOf<R>::type;
    constexpr int range = B::bias * 7 / 8;  // exponents at which squares are accurate
    const R squares = tail.squares(), head = inner(alpha, alpha);
    const R least = power_of_two<R>(-range), most = power_of_two<R>(range);
    if (squares >= least && squares <= most && head <= most) return reflect_in_range(alpha, squares, tail);
    const R tail_most = tail.most();
    if (tail_most == 0 && imaginary_part(alpha) == 0) return {real_part(alpha), T(0)};
    const R largest_part = std::max(magnitude(alpha), tail_most);
    if (!is_finite(largest_part) || tail_most != tail_most) {
        const R nan = std::numeric_limits<R>::quiet_NaN();
        tail.times(nan);
        return {nan, T(nan)};
    }
    // Scaled by a power of two so that the largest part is in [1, 2), in two steps since one factor may be out of range
    const int exponent = std::ilogb(largest_part), half = exponent / 2;
    const R first = power_of_two<R>(-half), second = power_of_two<R>(half - exponent);
    tail.times(first), tail.times(second);
    Reflector<T> scaled = reflect_in_range(alpha * first * second, tail.squares(), tail);
    scaled.beta = scaled.beta / second / first;
    return scaled;
}

// d_j = sum_i conj(v_i) x_ij for four columns
template <class R>
inline void dots(const R *v, const R *const x[4], int64_t n, R d[4]) {
    R d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    const R *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
#pragma omp simd reduction(+ : d0, d1, d2, d3)
    for (int64_t i = 0; i < n; ++i) d0 += v[i] * x0[i], d1 += v[i] * x1[i], d2 += v[i] * x2[i], d3 += v[i] * x3[i];
    d[0] = d0, d[1] = d1, d[2] = d2, d[3] = d3;
}
// x_ij -= v_i w_j
template <class R>
inline void subtract(const R *v, R *const x[4], int64_t n, const R w[4]) {
    R *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
    const R w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) x0[i] -= v[i] * w0, x1[i] -= v[i] * w1, x2[i] -= v[i] * w2, x3[i] -= v[i] * w3;
}

// conj(v)^T x for up to four columns of a buffer from j on, the last repeated
template <class T>
struct FourColumns {
    using R = Real<T>;
    R *x[4];
    int64_t im;

    FourColumns(const Columns<R> &c, int64_t row, int64_t j, int64_t end) : im(c.im) {
        for (int64_t k = 0; k < 4; ++k) x[k] = c.at + std::min(j + k, end - 1) * c.ld + row;
    }
    void products(const R *v, int64_t n, T d[4]) const {
        R re[4];
        dots(v, x, n, re);
        if constexpr (is_complex<T>) {
            R *y[4], more[4], ahead[4], behind[4];
            for (int k = 0; k < 4; ++k) y[k] = x[k] + im;
            dots(v + im, y, n, more);
            dots(v, y, n, ahead);
            dots(v + im, x, n, behind);
            for (int k = 0; k < 4; ++k) d[k] = T(re[k] + more[k], ahead[k] - behind[k]);
        } else {
            for (int k = 0; k < 4; ++k) d[k] = re[k];
        }
    }
    // For `count` columns; w is 0 for the others, which may be repeated
    void subtract_product(const R *v, int64_t n, const T w[4], int64_t count) const {
        for (int64_t k = 0; k < count; ++k) {
            R *c = x[k];
            if constexpr (is_complex<T>) {
#pragma omp simd
                for (int64_t i = 0; i < n; ++i) {
                    c[i] -= v[i] * w[k].re - v[im + i] * w[k].im;
                    c[im + i] -= v[i] * w[k].im + v[im + i] * w[k].re;
                }
            } else if (count < 4) {
#pragma omp simd
                for (int64_t i = 0; i < n; ++i) c[i] -= v[i] * w[k];
            }
        }
        if constexpr (!is_complex<T>)
            if (count == 4) subtract(v, x, n, w);
    }
};

// A column of an inner panel: row `pivot` of `top` holds its R, rows [first, first + n) of `below` become its vector.
template <class T>
struct PanelColumn {
    Columns<Real<T>> top, below;
    int64_t pivot, first, n;
};
template <class T>
PanelColumn<T> panel_column(Shape shape, const Columns<Real<T>> &top, const Columns<Real<T>> &below, int64_t rows,
                            int64_t column, int64_t block_end) {
    if (shape == Shape::trapezoid) return {below, below, column, column + 1, rows - column - 1};
    return {top, below, column, 0, shape == Shape::full ? rows : std::min(rows, block_end)};
}

// Column c of T from tau and g, g_j = v_j^H v_c: T(0:c, c) = -tau T(0:c, 0:c) g
template <class T>
void extend_triangle(const View<T> &triangle, int64_t c, T tau, const T *g) {
    for (int64_t r = 0; r < c; ++r) {
        T sum = T(0);
        for (int64_t j = r; j < c; ++j) sum = fma_(triangle.at[j * triangle.ld + r], g[j], sum);
        triangle.at[c * triangle.ld + r] = -(tau * sum);
    }
    triangle.at[c * triangle.ld + c] = tau;
}

// Factors columns s … s+width-1 of a tile, and forms T [width x width], zeros below its diagonal. Returns the first
// column, relative to s, whose norm is not finite, or width.
template <class T>
int64_t factor_panel(Shape shape, const Columns<Real<T>> &top, const Columns<Real<T>> &below, int64_t rows, int64_t s,
                     int64_t width, const View<T> &triangle, T *g) {
    int64_t bad = width;
    for (int64_t c = 0; c < width; ++c) {
        const PanelColumn<T> p = panel_column<T>(shape, top, below, rows, s + c, s + width);
        Real<T> *v = p.below.at + (s + c) * p.below.ld + p.first;
        const Reflector<T> h = reflect(get<T>(p.top, p.pivot, s + c), Tail<T>{v, p.below.im, p.n});
        if (!is_finite(h.beta)) bad = std::min(bad, c);
        put<T>(p.top, p.pivot, s + c, T(h.beta));
        for (int64_t j = 0; j < width; j += 4) {
            const FourColumns<T> four(p.below, p.first, s + j, s + width);
            T d[4];
            four.products(v, p.n, d);
            for (int64_t k = j; k < std::min(j + 4, width); ++k) {
                const bool has_row = shape == Shape::trapezoid || k > c;  // the identity is zero in other rows
                const T whole = has_row ? get<T>(p.top, p.pivot, s + k) + d[k - j] : d[k - j];
                g[k] = k < c ? conjugate(whole) : k > c ? conjugate(h.tau) * whole : T(0);
            }
            if (j + 3 <= c) continue;
            const int64_t from = std::max(j, c + 1), end = std::min(j + 4, width);
            const FourColumns<T> changed(p.below, p.first, s + from, s + width);
            changed.subtract_product(v, p.n, g + from, end - from);
            for (int64_t k = from; k < end; ++k) put<T>(p.top, p.pivot, s + k, get<T>(p.top, p.pivot, s + k) - g[k]);
        }
        extend_triangle(triangle, c, h.tau, g);
        for (int64_t r = c + 1; r < triangle.ld; ++r) triangle.at[c * triangle.ld + r] = T(0);
    }
    return bad;
}

}  // namespace xbatch::qr
