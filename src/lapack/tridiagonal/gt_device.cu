// gt_device.cu: LAPACK's LU factorisation of one tridiagonal matrix on a GPU, by the rows of gt.cpp's sweeps.
// SPDX-License-Identifier: BSD-3-Clause
#include "row_arithmetic.hpp"
#include "stored_factors.cuh"

namespace xbatch::lapack {
namespace {

// Rows 0 … n-2 of A = P L U
template <class T, class Int>
struct FactorRows {
    using State = SweepState<T, 2>;  // p, q
    int64_t n;
    const T *dl, *d, *du;
    T *f, *pivot, *u, *u2;
    Int *ipiv;
    bool in_gtsv;

    XBATCH_HD FactorRows of(int64_t) const { return *this; }
    XBATCH_HD State initial() const { return {{d[0], du[0]}}; }
    XBATCH_HD State guess(int64_t k) const { return {{d[k + 1], k + 2 < n ? du[k + 1] : T(0)}}; }
    struct Row {
        T a, b, c;
    };
    XBATCH_HD Row load(int64_t k) const { return {dl[k], d[k + 1], k + 2 < n ? du[k + 1] : T(0)}; }
    template <bool is_stored>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        T factor, diagonal, above, second;
        Real<T> exchanged;
        if (in_gtsv)
            eliminate<true>(s.x[0], s.x[1], in.a, in.b, in.c, factor, diagonal, above, second, exchanged);
        else
            eliminate<false>(s.x[0], s.x[1], in.a, in.b, in.c, factor, diagonal, above, second, exchanged);
        if (!is_stored) return;
        f[k] = factor, pivot[k] = diagonal, u[k] = above;
        if (k + 2 < n) u2[k] = second;
        ipiv[k] = Int(k + 1) + Int(exchanged);
    }
    XBATCH_HD void finish(const State &s) const { pivot[n - 1] = s.x[0], ipiv[n - 1] = Int(n); }
};

// Rows 0 … n-2 of L y = P^T b
template <class T, class Int>
struct ForwardRows {
    using State = SweepState<T, 1>;
    int64_t n, ld;
    const T *f;
    const Int *ipiv;
    const T *b;
    T *y;

    XBATCH_HD ForwardRows of(int64_t column) const { return {n, ld, f, ipiv, b + column * ld, y + column * ld}; }
    XBATCH_HD State initial() const { return {{b[0]}}; }
    XBATCH_HD State guess(int64_t k) const { return {{b[k + 1]}}; }
    struct Row {
        T b, f;
        Real<T> exchanged;
    };
    XBATCH_HD Row load(int64_t k) const { return {b[k + 1], f[k], Real<T>(ipiv[k] - (k + 1))}; }
    template <bool is_stored>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        T reduced;
        substitute(s.x[0], in.b, in.f, in.exchanged, reduced);
        if (is_stored) y[k] = reduced;
    }
    XBATCH_HD void finish(const State &s) const { y[n - 1] = s.x[0]; }
};

// Rows n-1 … 0 of U x = y, or 0 … n-1 of U^T x = b or U^H x = b
template <class T>
struct UpperRows {
    using State = SweepState<T, 2>;  // the last two unknowns
    int64_t n, ld;
    Transpose op;
    const T *pivot, *u, *u2, *b;
    T *x;

    XBATCH_HD UpperRows of(int64_t column) const { return with(b + column * ld, x + column * ld); }
    XBATCH_HD UpperRows with(const T *from, T *to) const { return {n, ld, op, pivot, u, u2, from, to}; }
    XBATCH_HD State initial() const { return {{T(0), T(0)}}; }
    XBATCH_HD State guess(int64_t) const { return initial(); }
    struct Row {
        T b, pivot, u, u2;
    };
    XBATCH_HD Row load(int64_t k) const {
        const int64_t i = row_of(k);
        return {b[i], pivot[i], at(u, is_down() ? i - 1 : i, n - 1), at(u2, is_down() ? i - 2 : i, n - 2)};
    }
    template <bool is_stored>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        T unknown;
        if (op == Transpose::adjoint)
            solve_pivot<true>(s.x[0], s.x[1], in.b, in.pivot, in.u, in.u2, unknown);
        else
            solve_pivot<false>(s.x[0], s.x[1], in.b, in.pivot, in.u, in.u2, unknown);
        if (is_stored) x[row_of(k)] = unknown;
    }
    XBATCH_HD void finish(const State &) const {}

private:
    XBATCH_HD bool is_down() const { return op != Transpose::none; }
    XBATCH_HD int64_t row_of(int64_t k) const { return is_down() ? k : n - 1 - k; }
    static XBATCH_HD T at(const T *array, int64_t i, int64_t length) { return i >= 0 && i < length ? array[i] : T(0); }
};

// Rows n-2 … 0 of L^T x = y, or L^H
template <class T, class Int>
struct BackwardRows {
    using State = SweepState<T, 1>;
    int64_t n, ld;
    bool is_adjoint;
    const T *f;
    const Int *ipiv;
    const T *b;
    T *x;

    XBATCH_HD BackwardRows of(int64_t column) const {
        return {n, ld, is_adjoint, f, ipiv, b + column * ld, x + column * ld};
    }
    XBATCH_HD State initial() const { return {{b[n - 1]}}; }
    XBATCH_HD State guess(int64_t k) const { return {{b[n - 2 - k]}}; }
    struct Row {
        T b, f;
        Real<T> exchanged;
    };
    XBATCH_HD Row load(int64_t k) const {
        const int64_t i = n - 2 - k;
        return {b[i], f[i], Real<T>(ipiv[i] != i + 1)};
    }
    template <bool is_stored>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        T unknown;
        if (is_adjoint)
            substitute_back<true>(s.x[0], in.b, in.f, in.exchanged, unknown);
        else
            substitute_back<false>(s.x[0], in.b, in.f, in.exchanged, unknown);
        if (is_stored) x[n - 1 - k] = unknown;
    }
    XBATCH_HD void finish(const State &s) const { x[0] = s.x[0]; }
};

template <class T>
struct IsZero {
    __device__ bool operator()(T a) const { return size_1(a) == Real<T>(0); }
};

template <class T>
int rows_to_converge_factoring(int64_t n, const T *dl, const T *d, const T *du, bool in_gtsv) {
    return rows_to_converge(FactorRows<T, int64_t>{n, dl, d, du, nullptr, nullptr, nullptr, nullptr, nullptr, in_gtsv},
                            n - 1);
}

// The matrix that a call factors, on the GPU
template <class T>
struct Tridiagonal {
    Matrix<T> dl, d, du;

    explicit Tridiagonal(int64_t n) : dl(n - 1), d(n), du(n - 1) {}
    void take_from(Carver &carver) { dl.take_from(carver), d.take_from(carver), du.take_from(carver); }
};

}  // namespace

template <class T, class Int>
struct DeviceFactors<LuFactors<T, Int>> {
    using State = SweepState<T, 2>;
    int64_t n;
    Matrix<T> dl{n - 1}, d{n}, du{n - 1}, du2{n - 2};
    Matrix<Int> ipiv{n};

    explicit DeviceFactors(int64_t n) : n(n) {}
    void take_from(Carver &carver) {
        dl.take_from(carver), d.take_from(carver), du.take_from(carver), du2.take_from(carver);
        ipiv.take_from(carver);
    }
    std::vector<Staged> with(const LuFactors<T, Int> &a) const {
        return {dl.with(a.dl), d.with(a.d), du.with(a.du), du2.with(a.du2), ipiv.with(a.ipiv)};
    }
    // Returns the first zero pivot, counted from 1, or 0.
    int64_t factor(const Tridiagonal<T> &a, const SweepWorkspace &sweeps, int warm_up, bool in_gtsv) const {
        sweeps.run(FactorRows<T, Int>{n, a.dl.data, a.d.data, a.du.data, dl.data, d.data, du.data, du2.data, ipiv.data,
                                      in_gtsv},
                   n - 1, 1, warm_up);
        return sweeps.first_where(n, d.data, IsZero<T>{});
    }
    void solve(Transpose op, const RightHandSides<T> &sides, const SweepWorkspace &sweeps, int warm_up) const {
        const int64_t ld = sides.b.ld, nrhs = sides.b.columns;
        T *const b = sides.b.data, *const between = sides.between.data;
        const UpperRows<T> upper{n, ld, op, d.data, du.data, du2.data, nullptr, nullptr};
        if (op == Transpose::none) {
            sweeps.run(ForwardRows<T, Int>{n, ld, dl.data, ipiv.data, b, between}, n - 1, nrhs, warm_up);
            sweeps.run(upper.with(between, b), n, nrhs, warm_up);
        } else {
            const bool is_adjoint = op == Transpose::adjoint;
            sweeps.run(upper.with(b, between), n, nrhs, warm_up);
            sweeps.run(BackwardRows<T, Int>{n, ld, is_adjoint, dl.data, ipiv.data, between, b}, n - 1, nrhs, warm_up);
        }
    }
    static int rows_to_converge(Transpose op, const LuFactors<T, Int> &a, const T *b) {
        const auto rows_of = [](const auto &rows, int64_t count) { return lapack::rows_to_converge(rows, count); };
        const bool is_adjoint = op == Transpose::adjoint;
        const int of_u = rows_of(UpperRows<T>{a.n, 0, op, a.d, a.du, a.du2, b, nullptr}, a.n);
        const int of_l = op == Transpose::none
                             ? rows_of(ForwardRows<T, Int>{a.n, 0, a.dl, a.ipiv, b, nullptr}, a.n - 1)
                             : rows_of(BackwardRows<T, Int>{a.n, 0, is_adjoint, a.dl, a.ipiv, b, nullptr}, a.n - 1);
        return std::max(of_u, of_l);
    }
    static int rows_to_converge(const LuFactors<T, Int> &a) { return rows_to_converge(Transpose::none, a, a.d); }
};

template <class T>
int64_t gt_factor_and_solve_device(int64_t n, int64_t nrhs, T *dl, T *d, T *du, T *b, int64_t ldb) {
    const int warm_up = rows_to_converge_factoring(n, dl, d, du, true);
    on_device([=](Device &device) {
        Tridiagonal<T> a(n);
        DeviceFactors<LuFactors<T, int32_t>> lu(n);
        RightHandSides<T> sides(n, nrhs);
        SweepWorkspace sweeps(device.stream);
        const Call call(device, [&](Carver &carver) {
            a.take_from(carver), lu.take_from(carver), sides.take_from(carver);
            sweeps.take_from(carver, n, nrhs, sizeof(SweepState<T, 2>));
        });
        device.staging.upload({a.dl.with(dl), a.d.with(d), a.du.with(du), sides.b.with(b, ldb)});
        if (lu.factor(a, sweeps, warm_up, true) != 0) throw std::domain_error("a pivot is zero");
        lu.solve(Transpose::none, sides, sweeps, warm_up);
        device.staging.download({lu.du2.with(dl), lu.d.with(d), lu.du.with(du), sides.b.with(b, ldb)});
    });
    return 0;
}

template <class T, class Int>
int64_t gt_factor_device(int64_t n, T *dl, T *d, T *du, T *du2, Int *ipiv) {
    const int warm_up = rows_to_converge_factoring(n, dl, d, du, false);
    return on_device([=](Device &device) {
        Tridiagonal<T> a(n);
        DeviceFactors<LuFactors<T, Int>> lu(n);
        SweepWorkspace sweeps(device.stream);
        const Call call(device, [&](Carver &carver) {
            a.take_from(carver), lu.take_from(carver);
            sweeps.take_from(carver, n, 1, sizeof(SweepState<T, 2>));
        });
        device.staging.upload({a.dl.with(dl), a.d.with(d), a.du.with(du)});
        const int64_t zero = lu.factor(a, sweeps, warm_up, false);
        device.staging.download(lu.with({n, dl, d, du, du2, ipiv}));
        return zero;
    });
}

XBATCH_LAPACK_GT_DEVICE(float)
XBATCH_LAPACK_GT_DEVICE(double)
XBATCH_LAPACK_GT_DEVICE(Complex<float>)
XBATCH_LAPACK_GT_DEVICE(Complex<double>)

}  // namespace xbatch::lapack
