// pt_device.cu: LAPACK's factors of one positive definite tridiagonal matrix on a GPU. Rows are those of pt.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "pt_device.hpp"

#include "rows.hpp"
#include "sweep.cuh"

namespace xbatch::lapack {
namespace {

// Rows 0 … n-2 of A = L D L^H
template <class T>
struct FactorRows {
    using R = Real<T>;
    using State = Held<R, 1>;
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
    template <bool is_kept>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        R own;
        T factor;
        eliminate_positive(s.x[0], in.e, in.d, factor, own);
        if (is_kept) pivot[k] = own, f[k] = factor;
    }
    XBATCH_HD void finish(const State &s) const { pivot[n - 1] = s.x[0]; }
};

// Rows 0 … n-1 of L y = b, or n-1 … 0 of D L^H x = y; where is_upper of U^H y = b and D U x = y
template <class T>
struct SolveRows {
    using State = Held<T, 1>;  // the last unknown
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
    template <bool is_kept>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        T unknown;
        if (is_back)
            substitute_back_positive(s.x[0], in.b, in.pivot, in.factor, unknown);
        else
            substitute_positive(s.x[0], in.b, in.factor, unknown);
        if (is_kept) x[row_of(k)] = unknown;
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
int rows_to_forget_factoring(int64_t n, const Real<T> *d, const T *e) {
    return rows_to_forget(FactorRows<T>{n, d, e, nullptr, nullptr}, n - 1);
}

// A matrix, or its factors
template <class T>
struct Diagonals {
    Matrix<Real<T>> d;
    Matrix<T> e;

    explicit Diagonals(int64_t n) : d(n), e(n - 1) {}
    void take_from(Carver &carver) { d.take_from(carver), e.take_from(carver); }
};

// Returns the first pivot that is not positive.
template <class T>
int64_t factor(const Diagonals<T> &a, const Diagonals<T> &ldl, const SweepRoom &room, int warm) {
    const int64_t n = a.d.rows;
    room.run(FactorRows<T>{n, a.d.data, a.e.data, ldl.d.data, ldl.e.data}, n - 1, 1, warm);
    return room.first_where(n, ldl.d.data, IsNotPositive<Real<T>>{});
}

template <class T>
void solve(bool upper, const Diagonals<T> &ldl, const RightHandSides<T> &sides, const SweepRoom &room, int warm) {
    const int64_t n = ldl.d.rows, ld = sides.b.ld, nrhs = sides.b.columns;
    T *const b = sides.b.data, *const between = sides.between.data;
    room.run(SolveRows<T>{n, ld, upper, false, ldl.d.data, ldl.e.data, b, between}, n, nrhs, warm);
    room.run(SolveRows<T>{n, ld, upper, true, ldl.d.data, ldl.e.data, between, b}, n, nrhs, warm);
}

}  // namespace

template <class T>
int64_t pt_factor_and_solve_device(int64_t n, int64_t nrhs, Real<T> *d, T *e, T *b, int64_t ldb) {
    const int warm = rows_to_forget_factoring(n, d, e);
    return on_device([=](Device &device) {
        Diagonals<T> a(n), ldl(n);
        RightHandSides<T> sides(n, nrhs);
        SweepRoom room(device.stream);
        const Call call(device, [&](Carver &carver) {
            a.take_from(carver), ldl.take_from(carver), sides.take_from(carver);
            room.take_from(carver, n, nrhs, sizeof(Held<T, 1>));
        });
        device.staging.upload({a.d.with(d), a.e.with(e), sides.b.with(b, ldb)});
        const int64_t wrong = factor(a, ldl, room, warm);
        std::vector<Staged> results{ldl.d.with(d), ldl.e.with(e)};
        if (wrong == 0) {
            solve(false, ldl, sides, room, warm);
            results.push_back(sides.b.with(b, ldb));
        }
        device.staging.download(results);
        return wrong;
    });
}

template <class T>
int64_t pt_factor_device(int64_t n, Real<T> *d, T *e) {
    const int warm = rows_to_forget_factoring(n, d, e);
    return on_device([=](Device &device) {
        Diagonals<T> a(n), ldl(n);
        SweepRoom room(device.stream);
        const Call call(device, [&](Carver &carver) {
            a.take_from(carver), ldl.take_from(carver);
            room.take_from(carver, n, 1, sizeof(Held<T, 1>));
        });
        device.staging.upload({a.d.with(d), a.e.with(e)});
        const int64_t wrong = factor(a, ldl, room, warm);
        device.staging.download({ldl.d.with(d), ldl.e.with(e)});
        return wrong;
    });
}

template <class T>
void pt_solve_device(bool upper, int64_t n, const Real<T> *d, const T *e, T *b, int64_t ldb, int64_t nrhs) {
    const int warm = rows_to_forget(SolveRows<T>{n, 0, upper, false, d, e, b, nullptr}, n);
    on_device([=](Device &device) {
        Diagonals<T> ldl(n);
        RightHandSides<T> sides(n, nrhs);
        SweepRoom room(device.stream);
        const Call call(device, [&](Carver &carver) {
            ldl.take_from(carver), sides.take_from(carver);
            room.take_from(carver, n, nrhs, sizeof(Held<T, 1>));
        });
        device.staging.upload({ldl.d.with(d), ldl.e.with(e), sides.b.with(b, ldb)});
        solve(upper, ldl, sides, room, warm);
        const std::vector<Staged> results{sides.b.with(b, ldb)};
        device.staging.download(results);
    });
}

#define XBATCH_INSTANTIATE(T)                                                                       \
    template int64_t pt_factor_and_solve_device<T>(int64_t, int64_t, Real<T> *, T *, T *, int64_t); \
    template int64_t pt_factor_device<T>(int64_t, Real<T> *, T *);                                  \
    template void pt_solve_device<T>(bool, int64_t, const Real<T> *, const T *, T *, int64_t, int64_t);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)

}  // namespace xbatch::lapack
