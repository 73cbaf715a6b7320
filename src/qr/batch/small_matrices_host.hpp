// small_matrices_host.hpp: small matrices of a batch on the host, in lane groups that fill a vector. Where matrices of
// a group have fewer rows or columns than others, they are padded with zeros, which change no bit of the result.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reflector_lanes_host.hpp"

namespace xbatch::qr {

constexpr int64_t most_tile_bytes = 512 * 1024;  // share of a core's second-level cache

// Largest number of elements of each matrix of a lane group, and of rows: beyond, vectors hold enough of a column for
// blocked_host.hpp to be faster (Zen 4).
template <class T>
constexpr int64_t most_tile_elements = most_tile_bytes / (tile_lanes<T> * int64_t(sizeof(T)));
template <class T>
constexpr int64_t most_tile_rows = 0;
template <>
inline constexpr int64_t most_tile_rows<float> = 110;
template <>
inline constexpr int64_t most_tile_rows<double> = 60;
template <>
inline constexpr int64_t most_tile_rows<Complex<float>> = 72;
template <>
inline constexpr int64_t most_tile_rows<Complex<double>> = 44;

// Copies matrices between memory and a lane group
template <class T>
class LaneCopy {
public:
    static constexpr int L = tile_lanes<T>;

    // of(one): the matrix to copy; lanes without a matrix repeat the first.
    template <class One, class Of>
    LaneCopy(const One *each, int count, Of of) : count_(count) {
        for (int l = 0; l < L; ++l) {
            view_[l] = of(each[l < count ? l : 0]);
            is_even_ = is_even_ && view_[l].rows == view_[0].rows && view_[l].columns == view_[0].columns;
        }
    }
    // Columns first … first+columns-1, to those of the lane group from `to` on
    void load(int64_t first, int64_t columns, bool conjugates, const LaneTile<T> &t, int64_t to) const {
        for (int64_t c = 0; c < columns; ++c) {
            Real<T> *x = t.element(0, to + c);
            if (!is_even_ || view_[0].rows < t.rows) std::fill_n(x, t.rows * tile_reals<T>, Real<T>(0));
            if (turn_column<false>(first + c, x)) continue;
            each_entry(first + c, L, [=](int l, int64_t i, T entry) {
                put(x + i * tile_reals<T>, l, conjugates ? conjugate(entry) : entry);
            });
        }
    }
    void store(const LaneTile<T> &t, int64_t from, int64_t columns, bool conjugates, int64_t first) const {
        for (int64_t c = 0; c < columns; ++c) {
            const Real<T> *x = t.element(0, from + c);
            if (count_ == L && turn_column<true>(first + c, const_cast<Real<T> *>(x))) continue;
            each_entry(first + c, count_, [=](int l, int64_t i, T &entry) {
                const T found = get(x + i * tile_reals<T>, l);
                entry = conjugates ? conjugate(found) : found;
            });
        }
    }

private:
    // Loads column c by squares, or stores it, if the matrices are real and their columns have no gaps. Returns
    // whether.
    template <bool STORES>
    bool turn_column(int64_t c, Real<T> *x) const {
        if constexpr (parts_of<T> == 1) {
            constexpr int side = square_side<T>;
            const int64_t rows = view_[0].rows;
            if (!is_even_ || view_[0].row != 1) return false;
            for (int l = 0; l < L; l += side) {
                T *own[side], *row[side];
                for (int m = 0; m < side; ++m) own[m] = &view_[l + m](0, c), row[m] = x + m * L + l;
                int64_t i = 0;
                for (; i + side <= rows; i += side) {
                    turn_square<T>(STORES ? row : own, STORES ? own : row);
                    for (int m = 0; m < side; ++m) own[m] += side, row[m] += side * L;
                }
                for (; i < rows; ++i)
                    for (int m = 0; m < side; ++m, ++own[m - 1]) {
                        T &of_lane = x[i * L + l + m];
                        if (STORES)
                            *own[m] = of_lane;
                        else
                            of_lane = *own[m];
                    }
            }
            return true;
        }
        return false;
    }
    // f(lane, row, entry) for column c; lanes innermost where they are adjacent in memory
    template <class F>
    void each_entry(int64_t c, int lanes, F f) const {
        if (is_even_ && view_[0].row != 1) {
            for (int64_t i = 0; i < view_[0].rows; ++i)
                for (int l = 0; l < lanes; ++l) f(l, i, view_[l](i, c));
            return;
        }
        for (int l = 0; l < lanes; ++l)
            for (int64_t i = 0; c < view_[l].columns && i < view_[l].rows; ++i) f(l, i, view_[l](i, c));
    }
    static void put(Real<T> *x, int l, T value) {
        if constexpr (parts_of<T> == 2)
            x[l] = value.re, x[L + l] = value.im;
        else
            x[l] = value;
    }
    static T get(const Real<T> *x, int l) {
        if constexpr (parts_of<T> == 2)
            return T(x[l], x[L + l]);
        else
            return x[l];
    }

    int count_;
    bool is_even_ = true;
    HostView<T> view_[L];
};

// Size of a lane group of `count` matrices
template <class One>
Extent tile_extent(const One *each, int count) {
    Extent e = each[0].extent(true);
    for (int l = 1; l < count; ++l) e = joined(e, each[l].extent(true));
    return e;
}

template <class T>
void factor_tile(const FactorOne<T> *each, int count, Real<T> *reals) {
    const Extent e = tile_extent(each, count);
    const LaneTile<T> t{reals, e.rows}, tau{t.element(0, e.columns), e.k};
    int32_t bad[tile_lanes<T>];
    const LaneCopy<T> copy(each, count, [](const auto &one) { return one.a; });
    copy.load(0, e.columns, false, t, 0);
    factor_lanes(t, e.k, e.columns, tau.at, bad);
    copy.store(t, 0, e.columns, false, 0);
    LaneCopy<T>(each, count, [](const auto &one) { return one.tau; }).store(tau, 0, 1, false, 0);
    for (int l = 0; l < count; ++l)  // columns after the lane's own k have reflectors of others in the group
        if (each[l].info) *each[l].info = bad[l] <= each[l].tau.rows ? bad[l] : 0;
}

template <class T>
void qless_tile(const QlessOne<T> *each, int count, Real<T> *reals) {
    const Extent e = tile_extent(each, count);
    const int64_t all = e.columns + e.others;
    const LaneTile<T> t{reals, e.rows};
    int32_t bad[tile_lanes<T>];
    const LaneCopy<T> sides(each, count, [](const auto &one) { return one.b; });
    LaneCopy<T>(each, count, [](const auto &one) { return one.a; }).load(0, e.columns, false, t, 0);
    sides.load(0, e.others, false, t, e.columns);
    factor_lanes(t, e.k, all, t.element(0, all), bad);
    for (int64_t c = 0; c < e.k; ++c)
        std::fill_n(t.element(c, c) + tile_reals<T>, (e.rows - c - 1) * tile_reals<T>, Real<T>(0));
    LaneCopy<T>(each, count, [](const auto &one) { return one.r; }).store(t, 0, e.columns, false, 0);
    sides.store(t, e.columns, e.others, false, 0);
    for (int l = 0; l < count; ++l)
        if (each[l].info) *each[l].info = bad[l];
}

template <class T>
void apply_tile(const ApplyOne<T> *each, int count, Real<T> *reals) {
    const Extent e = tile_extent(each, count);
    const LaneTile<T> v{reals, e.rows}, c{v.element(0, e.columns), e.rows}, tau{c.element(0, e.others), e.k};
    const bool is_turned = each[0].is_turned;
    int64_t columns = 0;
    for (int l = 0; l < count; ++l) columns = std::max(columns, each[l].c.columns);
    LaneCopy<T>(each, count, [](const auto &one) { return one.v; }).load(0, e.k, false, v, 0);
    LaneCopy<T>(each, count, [](const auto &one) { return one.tau; }).load(0, 1, false, tau, 0);
    const LaneCopy<T> copy(each, count, [](const auto &one) { return one.c; });
    for (int64_t first = 0; first < columns; first += columns_at_once) {
        const int64_t width = std::min(columns_at_once, columns - first);
        if (each[0].forms_q) {
            std::fill_n(c.at, c.ld() * width * tile_reals<T>, Real<T>(0));
            for (int64_t i = 0; i < width; ++i) std::fill_n(c.element(first + i, i), tile_lanes<T>, Real<T>(1));
        } else {
            copy.load(first, width, is_turned, c, 0);
        }
        apply_lanes(v, e.k, tau.at, each[0].is_adjoint, c, 0, width);
        copy.store(c, 0, width, is_turned, first);
    }
    for (int l = 0; l < count; ++l)
        if (each[l].info) *each[l].info = 0;
}

// Scales A and B of each lane where LAPACK's gels would
template <class T>
void scale_systems(const LaneTile<T> &t, const Extent &e, LeastSquaresScaling *scaling) {
    Real<T> of_a[tile_lanes<T>], of_b[tile_lanes<T>];
    largest_of_lanes(t, 0, e.columns, of_a);
    largest_of_lanes(t, e.columns, e.others, of_b);
    for (int l = 0; l < tile_lanes<T>; ++l) {
        scaling[l] = {scaling_exponent<Real<T>>(size_bits(of_a[l])), scaling_exponent<Real<T>>(size_bits(of_b[l]))};
        scale_lane(t, l, 0, e.rows, 0, e.columns, scaling[l].a);
        scale_lane(t, l, 0, e.rows, e.columns, e.others, scaling[l].b);
    }
}

// Sets info of each lane; X is in the columns after the first k. Rows below X need not be finite.
template <class T>
void report_solved(const SolveOne<T> *each, int count, const LaneTile<T> &t, const Extent &e, const int32_t *bad) {
    bool is_infinite[tile_lanes<T>];
    if (each[0].info) find_infinite_lanes(t, e.k, e.others, is_infinite);
    for (int l = 0; l < count; ++l) {
        const SolveOne<T> &one = each[l];
        if (!one.info) continue;
        const bool is_solved = !is_infinite[l] || is_finite_lane(t, l, one.found(), e.k, one.b.columns);
        *one.info = bad[l] != 0 || is_solved ? bad[l] : int32_t(one.g.columns + 1);
    }
}

template <class T>
void solve_tile(const SolveOne<T> *each, int count, Real<T> *reals) {
    constexpr int L = tile_lanes<T>;
    const Extent e = tile_extent(each, count);
    const int64_t k = e.k, all = k + e.others;
    const bool is_least_norm = each[0].is_least_norm;
    const LaneTile<T> t{reals, e.rows};
    Real<T> *tau = t.element(0, all);
    int32_t bad[L];
    LeastSquaresScaling scaling[L];
    LaneCopy<T>(each, count, [](const auto &one) { return one.g; }).load(0, k, each[0].is_turned, t, 0);
    LaneCopy<T>(each, count, [](const auto &one) {
        HostView<T> given = one.b;
        given.rows = one.given();
        return given;
    }).load(0, e.others, false, t, k);
    scale_systems(t, e, scaling);
    factor_lanes(t, k, is_least_norm ? k : all, tau, bad);
    for (int l = 0; l < L; ++l) {
        const int64_t own = each[l < count ? l : 0].g.columns;
        bad[l] = first_bad(t, l, own, bad[l]);
        for (int64_t i = own; i < k; ++i) t.element(i, i)[l] = 1;  // not an equation of this lane
    }
    for (int64_t c = k; c < all; ++c) solve_lanes(t, k, is_least_norm, c);
    if (is_least_norm) apply_lanes(t, k, tau, false, t, k, all);
    for (int l = 0; l < count; ++l) {
        const int64_t found = each[l].found();
        scale_lane(t, l, 0, found, k, e.others, scaling[l].of_solution());
        scale_lane(t, l, found, e.rows - found, k, e.others, scaling[l].of_residual());
    }
    report_solved(each, count, t, e, bad);
    LaneCopy<T>(each, count, [](const auto &one) { return one.b; }).store(t, k, e.others, false, 0);
}

}  // namespace xbatch::qr
