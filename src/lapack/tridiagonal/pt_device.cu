// pt_device.cu: LAPACK's L D L^H factorisation of one tridiagonal matrix on a GPU, by the rows of pt.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/condition.hpp"
#include "row_arithmetic.hpp"
#include "stored_factors.cuh"

namespace xbatch::lapack {
namespace {

// Rows 0 … n-2 of A = L D L^H
template <class T>
struct FactorRows {
    using R = Real<T>;
    using State = SweepState<R, 1>;
    int64_t n;
    const R *d;
    const T *e;
    R *pivot;
    T *f;

    XBATCH_HD FactorRows of(int64_t) const { return *this; }
    XBATCH_HD State initial() const { return {{d[0]}}; }
    XBATCH_HD State guess(int64_t k) const { return {{d[k + 1]}}; }
    struct Row {
        T e;
        R d;
    };
    XBATCH_HD Row load(int64_t k) const { return {e[k], d[k + 1]}; }
    template <bool is_stored>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        R own;
        T factor;
        eliminate_positive(s.x[0], in.e, in.d, factor, own);
        if (is_stored) pivot[k] = own, f[k] = factor;
    }
    XBATCH_HD void finish(const State &s) const { pivot[n - 1] = s.x[0]; }
};

// Rows 0 … n-1 of L y = b, or n-1 … 0 of D L^H x = y; if is_upper, of U^H y = b and D U x = y
template <class T>
struct SolveRows {
    using State = SweepState<T, 1>;  // the last unknown
    int64_t n, ld;
    bool is_upper, is_back;
    const Real<T> *pivot;
    const T *f, *b;
    T *x;

    XBATCH_HD SolveRows of(int64_t column) const {
        return {n, ld, is_upper, is_back, pivot, f, b + column * ld, x + column * ld};
    }
    XBATCH_HD State initial() const { return {{T(0)}}; }
    XBATCH_HD State guess(int64_t k) const { return {{is_back ? T(0) : b[k]}}; }
    struct Row {
        T b, factor;
        Real<T> pivot;
    };
    XBATCH_HD Row load(int64_t k) const {
        const int64_t i = row_of(k), coupling = is_back ? i : i - 1;
        const T own = coupling >= 0 && coupling < n - 1 ? f[coupling] : T(0);
        return {b[i], is_upper != is_back ? conjugate(own) : own, is_back ? pivot[i] : Real<T>(1)};
    }
    template <bool is_stored>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        T unknown;
        if (is_back)
            substitute_back_positive(s.x[0], in.b, in.pivot, in.factor, unknown);
        else
            substitute_positive(s.x[0], in.b, in.factor, unknown);
        if (is_stored) x[row_of(k)] = unknown;
    }
    XBATCH_HD void finish(const State &) const {}

private:
    XBATCH_HD int64_t row_of(int64_t k) const { return is_back ? n - 1 - k : k; }
};

// Rows 0 … n-1 of M(L) b = (1 … 1), and n-1 … 0 of D M(L)^H x = b, for LdlFactors::inverse_norm
template <class T>
struct ComparisonRows {
    using R = Real<T>;
    using State = SweepState<R, 1>;
    int64_t n;
    bool is_back;
    const R *pivot;
    const T *f;
    const R *b;
    R *x;

    XBATCH_HD ComparisonRows of(int64_t) const { return *this; }
    XBATCH_HD State initial() const { return {{R(0)}}; }
    XBATCH_HD State guess(int64_t) const { return {{R(is_back ? 0 : 1)}}; }
    struct Row {
        R size, own;
    };
    XBATCH_HD Row load(int64_t k) const {
        const int64_t i = row_of(k), coupling = is_back ? i : i - 1;
        const R size = coupling >= 0 && coupling < n - 1 ? size_of(f[coupling]) : R(0);
        return {size, is_back ? b[i] / pivot[i] : R(1)};
    }
    template <bool is_stored>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        s.x[0] = in.own + s.x[0] * in.size;
        if (is_stored) x[row_of(k)] = s.x[0];
    }
    XBATCH_HD void finish(const State &) const {}

private:
    XBATCH_HD int64_t row_of(int64_t k) const { return is_back ? n - 1 - k : k; }
};

template <class R>
struct IsNotPositive {
    __device__ bool operator()(R pivot) const { return pivot <= 0; }
};

template <class T>
int rows_to_converge_factoring(int64_t n, const Real<T> *d, const T *e) {
    return rows_to_converge(FactorRows<T>{n, d, e, nullptr, nullptr}, n - 1);
}

}  // namespace

// A matrix, or its factors
template <class T>
struct DeviceFactors<LdlFactors<T>> {
    using State = SweepState<T, 1>;
    using R = Real<T>;
    int64_t n;
    Matrix<R> d{n};
    Matrix<T> e{n - 1};

    explicit DeviceFactors(int64_t n) : n(n) {}
    void take_from(Carver &carver) { d.take_from(carver), e.take_from(carver); }
    std::vector<Staged> with(const LdlFactors<T> &a) const { return {d.with(a.d), e.with(a.e)}; }
    // Throws at a pivot that is not positive.
    void factor(const DeviceFactors &a, const SweepWorkspace &sweeps, int warm_up) const {
        sweeps.run(FactorRows<T>{n, a.d.data, a.e.data, d.data, e.data}, n - 1, 1, warm_up);
        if (sweeps.first_where(n, d.data, IsNotPositive<R>{}) != 0) throw std::domain_error("a pivot is not positive");
    }
    void solve(bool is_upper, const RightHandSides<T> &sides, const SweepWorkspace &sweeps, int warm_up) const {
        const int64_t ld = sides.b.ld, nrhs = sides.b.columns;
        T *const b = sides.b.data, *const between = sides.between.data;
        sweeps.run(SolveRows<T>{n, ld, is_upper, false, d.data, e.data, b, between}, n, nrhs, warm_up);
        sweeps.run(SolveRows<T>{n, ld, is_upper, true, d.data, e.data, between, b}, n, nrhs, warm_up);
    }
    R inverse_norm(const RightHandSides<T> &sides, const SweepWorkspace &sweeps, int warm_up) const {
        R *const b = reinterpret_cast<R *>(sides.b.data), *const x = reinterpret_cast<R *>(sides.between.data);
        sweeps.run(ComparisonRows<T>{n, false, d.data, e.data, nullptr, b}, n, 1, warm_up);
        sweeps.run(ComparisonRows<T>{n, true, d.data, e.data, b, x}, n, 1, warm_up);
        const R largest = sweeps.largest(n, x);
        if (largest != largest) throw std::domain_error("the largest entry is not defined");
        return largest;
    }
    static int rows_to_converge(bool is_upper, const LdlFactors<T> &a, const T *b) {
        return lapack::rows_to_converge(SolveRows<T>{a.n, 0, is_upper, false, a.d, a.e, b, nullptr}, a.n);
    }
    // e serves as the right-hand side; it has n-1 entries.
    static int rows_to_converge(const LdlFactors<T> &a) { return rows_to_converge(false, {a.n - 1, a.d, a.e}, a.e); }
};

template <class T>
int64_t pt_factor_and_solve_device(int64_t n, int64_t nrhs, Real<T> *d, T *e, T *b, int64_t ldb) {
    const int warm_up = rows_to_converge_factoring(n, d, e);
    on_device([=](Device &device) {
        DeviceFactors<LdlFactors<T>> a(n), ldl(n);
        RightHandSides<T> sides(n, nrhs);
        SweepWorkspace sweeps(device.stream);
        const Call call(device, [&](Carver &carver) {
            a.take_from(carver), ldl.take_from(carver), sides.take_from(carver);
            sweeps.take_from(carver, n, nrhs, sizeof(SweepState<T, 1>));
        });
        device.staging.upload({a.d.with(d), a.e.with(e), sides.b.with(b, ldb)});
        ldl.factor(a, sweeps, warm_up);
        ldl.solve(false, sides, sweeps, warm_up);
        device.staging.download({ldl.d.with(d), ldl.e.with(e), sides.b.with(b, ldb)});
    });
    return 0;
}

template <class T>
int64_t pt_factor_device(int64_t n, Real<T> *d, T *e) {
    const int warm_up = rows_to_converge_factoring(n, d, e);
    on_device([=](Device &device) {
        DeviceFactors<LdlFactors<T>> a(n), ldl(n);
        SweepWorkspace sweeps(device.stream);
        const Call call(device, [&](Carver &carver) {
            a.take_from(carver), ldl.take_from(carver);
            sweeps.take_from(carver, n, 1, sizeof(SweepState<T, 1>));
        });
        device.staging.upload(a.with({n, d, e}));
        ldl.factor(a, sweeps, warm_up);
        device.staging.download(ldl.with({n, d, e}));
    });
    return 0;
}

template <class Factors>
Real<typename Factors::Element> FactorsOnDevice<Factors>::inverse_norm(Real<T> *work) const {
    try {
        const ComparisonRows<T> rows{factors_.n, false, factors_.d, factors_.e, nullptr, nullptr};
        const int warm_up = rows_to_converge(rows, factors_.n);
        return on_device([&](Device &) { return stored_->inverse_norm(warm_up); });
    } catch (const std::exception &) {
        return factors_.inverse_norm(work);
    }
}

XBATCH_LAPACK_PT_DEVICE(float)
XBATCH_LAPACK_PT_DEVICE(double)
XBATCH_LAPACK_PT_DEVICE(Complex<float>)
XBATCH_LAPACK_PT_DEVICE(Complex<double>)

}  // namespace xbatch::lapack
