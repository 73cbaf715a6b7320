// reflector_lanes_host.hpp: Householder reflectors of small matrices, as many at once as fill a 64-byte vector.
//
// A lane group (LaneTile) interleaves its matrices: element (i, c) is a vector of real parts, followed by one of
// imaginary parts for complex types. All earlier reflectors are applied to four columns at a time, so that these
// columns are read from the first-level cache.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/lanes_host.hpp"
#include "matrix_view_host.hpp"
#include "qr/common/gels_scaling.hpp"

namespace xbatch::qr {

template <class T>
constexpr int parts_of = sizeof(T) / sizeof(Real<T>);  // reals of an element
template <class T>
constexpr int tile_lanes = 64 / int(sizeof(Real<T>));
template <class T>
constexpr int64_t tile_reals = int64_t(tile_lanes<T>) * parts_of<T>;  // of an element in a lane group

template <class R>
using LaneVector __attribute__((vector_size(64), aligned(sizeof(R)), may_alias)) = R;

template <class T>
struct LaneTile {
    Real<T> *at;
    int64_t rows;

    // One more than `rows` where columns would begin in few sets of the first-level cache
    int64_t ld() const { return rows + (rows * parts_of<T> % 16 == 0); }
    Real<T> *element(int64_t i, int64_t c) const { return at + (c * ld() + i) * tile_reals<T>; }
};

// sum += conj(v) x and x -= v w, by parts
template <class R, int P>
inline void add_inner(LaneVector<R> *sum, const LaneVector<R> *v, const LaneVector<R> *x) {
    sum[0] += v[0] * x[0];
    if constexpr (P == 2) {
        sum[0] += v[1] * x[1];
        sum[1] += v[0] * x[1];
        sum[1] -= v[1] * x[0];
    }
}
template <class R, int P>
inline void subtract_product(LaneVector<R> *x, const LaneVector<R> *v, const LaneVector<R> *w) {
    x[0] -= v[0] * w[0];
    if constexpr (P == 2) {
        x[0] += v[1] * w[1];
        x[1] -= v[0] * w[1];
        x[1] -= v[1] * w[0];
    }
}

// x -= v tau (v^H x) for N columns, or with conj(tau); v is 1 in the first row, the other rows are at `tail`.
template <class T, int N>
inline void reflect_columns(const Real<T> *tail, const Real<T> *tau, bool is_adjoint, int64_t rows_below,
                            Real<T> *const columns[]) {
    using R = Real<T>;
    using V = LaneVector<R>;
    constexpr int P = parts_of<T>;
    V *x[N];
    V sum[N][P], w[N][P];
    for (int c = 0; c < N; ++c) {
        x[c] = reinterpret_cast<V *>(columns[c]);
        for (int p = 0; p < P; ++p) sum[c][p] = x[c][p];
    }
    const V *v = reinterpret_cast<const V *>(tail);
    for (int64_t i = 0; i < rows_below; ++i)
#pragma GCC unroll 4
        for (int c = 0; c < N; ++c) add_inner<R, P>(sum[c], v + i * P, x[c] + (i + 1) * P);
    const V *t = reinterpret_cast<const V *>(tau);
    for (int c = 0; c < N; ++c) {
        w[c][0] = t[0] * sum[c][0];
        if constexpr (P == 2) {
            const V im = is_adjoint ? -t[1] : t[1];
            w[c][0] -= im * sum[c][1];
            w[c][1] = t[0] * sum[c][1] + im * sum[c][0];
        }
        for (int p = 0; p < P; ++p) x[c][p] -= w[c][p];
    }
    for (int64_t i = 0; i < rows_below; ++i)
#pragma GCC unroll 4
        for (int c = 0; c < N; ++c) subtract_product<R, P>(x[c] + (i + 1) * P, v + i * P, w[c]);
}

// Applies reflector k of `v` to columns first … end-1 of `t`.
template <class T>
inline void reflect(const LaneTile<T> &v, int64_t k, const Real<T> *tau, bool is_adjoint, const LaneTile<T> &t,
                    int64_t first, int64_t end) {
    const Real<T> *tail = v.element(k + 1, k), *factor = tau + k * tile_reals<T>;
    const int64_t below = v.rows - k - 1;
    Real<T> *columns[columns_at_once];
    while (first < end) {
        const int64_t count = end - first >= 4 ? 4 : end - first >= 2 ? 2 : 1;
        for (int64_t c = 0; c < count; ++c) columns[c] = t.element(k, first + c);
        if (count == 4)
            reflect_columns<T, 4>(tail, factor, is_adjoint, below, columns);
        else if (count == 2)
            reflect_columns<T, 2>(tail, factor, is_adjoint, below, columns);
        else
            reflect_columns<T, 1>(tail, factor, is_adjoint, below, columns);
        first += count;
    }
}

// H = I - tau [1; sigma x] [1; sigma x]^H with H^H [alpha; x] = [beta; 0], from each lane's alpha and |x|^2. Imaginary
// parts of real types are zero.
template <class T>
struct LaneScalars {
    using R = Real<T>;
    using V = LaneVector<R>;
    static constexpr int L = tile_lanes<T>;
    V squares, alpha[2], beta, tau[2], sigma[2];

    // Where squares neither overflow nor underflow
    void reflect() {
        R norm[L];
        V head;
        square_head(head);
        *reinterpret_cast<V *>(norm) = head + squares;
#pragma omp simd
        for (int l = 0; l < L; ++l) norm[l] = std::sqrt(norm[l]);
        const V positive = *reinterpret_cast<const V *>(norm);
        beta = alpha[0] >= 0 ? -positive : positive;
        const V d = alpha[0] - beta;
        tau[0] = -d / beta, tau[1] = V{};
        sigma[0] = R(1) / d, sigma[1] = V{};
        if constexpr (parts_of<T> == 2) {
            const V over = R(1) / (d * d + alpha[1] * alpha[1]);
            tau[1] = -alpha[1] / beta;
            sigma[0] = d * over, sigma[1] = -alpha[1] * over;
        }
    }
    bool all_in_range() const {
        V head;
        square_head(head);
        return all((squares >= least) & (squares <= most) & (head <= most));
    }
    bool is_in_range(int l) const {
        V head;
        square_head(head);
        return squares[l] >= least && squares[l] <= most && head[l] <= most;
    }
    bool all_finite() const { return all(beta - beta == 0); }
    void set(int l, R head, R factor) {
        beta[l] = head;
        for (int p = 0; p < 2; ++p) tau[p][l] = sigma[p][l] = factor;
    }

private:
    static constexpr int range = BitsOf<R>::type::bias * 7 / 8;  // exponents at which squares are accurate
    static inline const R least = power_of_two<R>(-range), most = power_of_two<R>(range);

    void square_head(V &to) const {
        to = alpha[0] * alpha[0];
        if constexpr (parts_of<T> == 2) to += alpha[1] * alpha[1];
    }
    template <class Mask>
    static bool all(const Mask &mask) {
        int64_t words[8], both = -1;
        static_assert(sizeof words == sizeof mask);
        std::memcpy(words, &mask, sizeof words);
        for (int64_t word : words) both &= word;
        return both == -1;
    }
};

// For a lane whose squares are near the ends of the range, or zero, as LAPACK's larfg: scaling by a power of two so
// that the largest part is in [1, 2), in two steps since one factor may be out of range.
template <class R>
struct LaneScaling {
    enum { in_range, scaled, nothing, not_a_number } what = in_range;
    R first = 1, second = 1;
};
template <class T>
inline LaneScaling<Real<T>> scaling_of(const LaneScalars<T> &s, int l, const Real<T> *x, int64_t n) {
    using R = Real<T>;
    using Scaling = LaneScaling<R>;
    if (s.is_in_range(l)) return {};
    R most = 0;
    bool has_nan = s.alpha[0][l] != s.alpha[0][l] || s.alpha[1][l] != s.alpha[1][l];
    for (int64_t i = 0; i < n * parts_of<T>; ++i) {
        const R part = x[i * tile_lanes<T> + l];
        has_nan = has_nan || part != part;
        most = std::max(most, std::fabs(part));
    }
    if (!has_nan && most == 0 && s.alpha[1][l] == 0) return {Scaling::nothing};
    most = std::max({most, std::fabs(s.alpha[0][l]), std::fabs(s.alpha[1][l])});
    if (has_nan || !is_finite(most)) return {Scaling::not_a_number};
    const int exponent = std::ilogb(most), half = exponent / 2;
    return {Scaling::scaled, power_of_two<R>(-half), power_of_two<R>(half - exponent)};
}

template <class T>
inline void sum_squares(const LaneVector<Real<T>> *x, int64_t n, LaneScalars<T> &s) {
    LaneVector<Real<T>> squares[2] = {};
    for (int64_t i = 0; i < n; ++i) squares[i % 2] += x[i] * x[i];
    squares[0] += squares[1];
    s.squares = squares[0];
}

// Some lanes are scaled, the others multiplied by one, so that a lane's bits do not depend on other lanes.
template <class T>
inline void scale_column(LaneScalars<T> &s, LaneScaling<Real<T>> *lanes, Real<T> *x, int64_t n) {
    using R = Real<T>;
    using V = LaneVector<R>;
    constexpr int P = parts_of<T>, L = tile_lanes<T>;
    V by[2], *const rows = reinterpret_cast<V *>(x);
    for (int l = 0; l < L; ++l) {
        lanes[l] = scaling_of(s, l, x, n);
        by[0][l] = lanes[l].first, by[1][l] = lanes[l].second;
    }
    for (int p = 0; p < P; ++p) s.alpha[p] = s.alpha[p] * by[0] * by[1];
    for (int64_t i = 0; i < n * P; ++i) rows[i] = rows[i] * by[0] * by[1];
    sum_squares(rows, n * P, s);
}
template <class T>
inline void undo_scaling(LaneScalars<T> &s, const LaneScaling<Real<T>> *lanes) {
    using Scaling = LaneScaling<Real<T>>;
    constexpr Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
    for (int l = 0; l < tile_lanes<T>; ++l) {
        s.beta[l] = s.beta[l] / lanes[l].second / lanes[l].first;
        if (lanes[l].what == Scaling::nothing) s.set(l, s.alpha[0][l], 0);
        if (lanes[l].what == Scaling::not_a_number) s.set(l, nan, nan);
    }
}

// Column k of the lane group becomes a vector; bad[l] is the first column from 1 whose norm is not finite.
template <class T>
inline void make_reflector(const LaneTile<T> &t, int64_t k, Real<T> *tau, int32_t *bad) {
    using R = Real<T>;
    using V = LaneVector<R>;
    constexpr int P = parts_of<T>, L = tile_lanes<T>;
    const int64_t n = t.rows - k - 1;
    R *head = t.element(k, k);
    V *x = reinterpret_cast<V *>(head) + P;
    LaneScalars<T> s;
    sum_squares(x, n * P, s);
    for (int p = 0; p < 2; ++p) s.alpha[p] = p < P ? x[p - P] : V{};
    if (n == 0 && P == 1) {  // as `nothing`, or not_a_number
        s.beta = s.alpha[0], s.tau[0] = s.alpha[0] == s.alpha[0] ? V{} : s.alpha[0];
    } else {
        const bool all_in_range = s.all_in_range();
        LaneScaling<R> lanes[L];
        if (!all_in_range) scale_column(s, lanes, head + tile_reals<T>, n);
        asm volatile("" : "+m"(s));  // else the compiler may round differently where it has computed a part of it
        s.reflect();
        if (!all_in_range) undo_scaling(s, lanes);
    }
    for (int l = 0; l < L && !s.all_finite(); ++l)
        if (bad[l] == 0 && !is_finite(s.beta[l])) bad[l] = int32_t(k + 1);
    V *const to = reinterpret_cast<V *>(tau + k * tile_reals<T>);
    for (int p = 0; p < P; ++p) to[p] = s.tau[p], x[p - P] = p == 0 ? s.beta : V{};
    for (int64_t i = 0; i < n; ++i, x += P) {
        const V re = x[0];
        x[0] = re * s.sigma[0];
        if constexpr (P == 2) {
            const V im = x[1];
            x[0] -= im * s.sigma[1];
            x[1] = im * s.sigma[0] + re * s.sigma[1];
        }
    }
}

// Factors columns 0 … k-1 and applies their reflectors to all columns.
template <class T>
XBATCH_SIMD_CLONES void factor_lanes(const LaneTile<T> &t, int64_t k, int64_t columns, Real<T> *tau, int32_t *bad) {
    std::fill_n(bad, tile_lanes<T>, 0);
    for (int64_t first = 0; first < columns; first += columns_at_once) {
        const int64_t end = std::min(first + columns_at_once, columns);
        for (int64_t j = 0; j < std::min(end, k); ++j) {
            if (j >= first) make_reflector(t, j, tau, bad);
            reflect(t, j, tau, true, t, std::max(first, j + 1), end);
        }
    }
}

// Applies reflectors k-1 … 0, or for the adjoint 0 … k-1, to columns first … end-1 of t.
template <class T>
XBATCH_SIMD_CLONES void apply_lanes(const LaneTile<T> &v, int64_t k, const Real<T> *tau, bool is_adjoint,
                                    const LaneTile<T> &t, int64_t first, int64_t end) {
    for (; first < end; first += columns_at_once)
        for (int64_t j = 0; j < k; ++j)
            reflect(v, is_adjoint ? j : k - 1 - j, tau, is_adjoint, t, first, std::min(first + columns_at_once, end));
}

// The first bad diagonal element of R [k x k], if it is before `bad`
template <class T>
inline int32_t first_bad(const LaneTile<T> &t, int l, int64_t k, int32_t bad) {
    for (int64_t i = 0; i < k && (bad == 0 || i < bad); ++i)
        if (!has_reciprocal(t.element(i, i)[l])) return int32_t(i + 1);
    return bad;
}

// The largest modulus of real and imaginary parts of each lane in these columns, NaN ignored
template <class T>
XBATCH_SIMD_CLONES void largest_of_lanes(const LaneTile<T> &t, int64_t first, int64_t columns, Real<T> *largest) {
    using V = LaneVector<Real<T>>;
    V most = {};
    for (int64_t c = first; c < first + columns; ++c) {
        const V *x = reinterpret_cast<const V *>(t.element(0, c));
        for (int64_t i = 0; i < t.rows * parts_of<T>; ++i) {
            const V size = x[i] < 0 ? -x[i] : x[i];
            most = size > most ? size : most;
        }
    }
    std::memcpy(largest, &most, sizeof most);
}
template <class T>
inline void scale_lane(const LaneTile<T> &t, int l, int64_t row, int64_t rows, int64_t first, int64_t columns, int e) {
    if (e == 0) return;
    for (int64_t c = first; c < first + columns; ++c)
        for (int64_t i = row; i < row + rows; ++i)
            for (int p = 0; p < parts_of<T>; ++p) {
                Real<T> &x = t.element(i, c)[p * tile_lanes<T> + l];
                x = times_power_of_two(x, e);
            }
}

// Lanes in which an element of these columns is not finite: the sum of elements times 0 is then NaN.
template <class T>
XBATCH_SIMD_CLONES void find_infinite_lanes(const LaneTile<T> &t, int64_t first, int64_t columns, bool *is_infinite) {
    using V = LaneVector<Real<T>>;
    const V zero = {};
    V sum = {};
    for (int64_t c = first; c < first + columns; ++c) {
        const V *x = reinterpret_cast<const V *>(t.element(0, c));
        for (int64_t i = 0; i < t.rows * parts_of<T>; ++i) sum += x[i] * zero;
    }
    for (int l = 0; l < tile_lanes<T>; ++l) is_infinite[l] = sum[l] != 0;
}
template <class T>
inline bool is_finite_lane(const LaneTile<T> &t, int l, int64_t rows, int64_t first, int64_t columns) {
    bool all = true;
    for (int64_t c = first; c < first + columns; ++c)
        for (int64_t i = 0; i < rows; ++i)
            for (int p = 0; p < parts_of<T>; ++p) all = all && is_finite(t.element(i, c)[p * tile_lanes<T> + l]);
    return all;
}

// Solves R x = y in column c, or R^H x = y; the diagonal of R is real.
template <class T>
XBATCH_SIMD_CLONES void solve_lanes(const LaneTile<T> &t, int64_t k, bool is_adjoint, int64_t c) {
    using R = Real<T>;
    using V = LaneVector<R>;
    constexpr int P = parts_of<T>;
    V *x = reinterpret_cast<V *>(t.element(0, c));
    for (int64_t n = 0; n < k; ++n) {
        const int64_t i = is_adjoint ? n : k - 1 - n;
        const V *r = reinterpret_cast<const V *>(t.element(0, i));
        if (is_adjoint) {
            V sum[P] = {};
            for (int64_t j = 0; j < i; ++j) add_inner<R, P>(sum, r + j * P, x + j * P);
            for (int p = 0; p < P; ++p) x[i * P + p] -= sum[p];
        }
        for (int p = 0; p < P; ++p) x[i * P + p] /= r[i * P];
        if (!is_adjoint)
            for (int64_t j = 0; j < i; ++j) subtract_product<R, P>(x + j * P, r + j * P, x + i * P);
    }
}

}  // namespace xbatch::qr
