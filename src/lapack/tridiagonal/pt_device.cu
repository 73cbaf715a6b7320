// pt_device.cu: LAPACK's factors of one positive definite tridiagonal matrix on a GPU. Rows are those of pt.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "pt_device.hpp"

#include "core/condition.hpp"
#include "row_arithmetic.hpp"
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

// Rows 0 … n-1 of M(L) b = (1 … 1), and n-1 … 0 of D M(L)^H x = b, of pt_inverse_norm
template <class T>
struct ComparisonRows {
    using R = Real<T>;
    using State = Held<R, 1>;
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
    template <bool is_kept>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        s.x[0] = in.own + s.x[0] * in.size;
        if (is_kept) x[row_of(k)] = s.x[0];
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

template <class T>
int rows_to_forget_solving(bool upper, int64_t n, const Real<T> *d, const T *e, const T *b) {
    return rows_to_forget(SolveRows<T>{n, 0, upper, false, d, e, b, nullptr}, n);
}

// A matrix, or its factors
template <class T>
struct Diagonals {
    Matrix<Real<T>> d;
    Matrix<T> e;

    explicit Diagonals(int64_t n) : d(n), e(n - 1) {}
    void take_from(Carver &carver) { d.take_from(carver), e.take_from(carver); }
};

// Throws where a pivot is not positive.
template <class T>
void factor(const Diagonals<T> &a, const Diagonals<T> &ldl, const SweepRoom &room, int warm) {
    const int64_t n = a.d.rows;
    room.run(FactorRows<T>{n, a.d.data, a.e.data, ldl.d.data, ldl.e.data}, n - 1, 1, warm);
    if (room.first_where(n, ldl.d.data, IsNotPositive<Real<T>>{}) != 0)
        throw std::domain_error("a pivot is not positive");
}

template <class T>
void solve(bool upper, const Diagonals<T> &ldl, const RightHandSides<T> &sides, const SweepRoom &room, int warm) {
    const int64_t n = ldl.d.rows, ld = sides.b.ld, nrhs = sides.b.columns;
    T *const b = sides.b.data, *const between = sides.between.data;
    room.run(SolveRows<T>{n, ld, upper, false, ldl.d.data, ldl.e.data, b, between}, n, nrhs, warm);
    room.run(SolveRows<T>{n, ld, upper, true, ldl.d.data, ldl.e.data, between, b}, n, nrhs, warm);
}

// Factors and right-hand sides on the GPU, as long as this lives
template <class T>
class Solving {
public:
    Solving(Device &device, int64_t n, const Real<T> *d, const T *e, int64_t nrhs)
        : device_(device), ldl_(n), sides_(n, nrhs), room_(device.stream), call_(device, [&](Carver &carver) {
              ldl_.take_from(carver), sides_.take_from(carver);
              room_.take_from(carver, n, nrhs, sizeof(Held<T, 1>));
          }) {
        device.staging.upload({ldl_.d.with(d), ldl_.e.with(e)});
    }
    void run(bool upper, T *b, int64_t ldb, int warm) {
        const std::vector<Staged> sides{sides_.b.with(b, ldb)};
        device_.staging.upload(sides);
        solve(upper, ldl_, sides_, room_, warm);
        device_.staging.download(sides);
    }
    Real<T> inverse_norm(int warm) {
        using R = Real<T>;
        const int64_t n = ldl_.d.rows;
        R *const b = reinterpret_cast<R *>(sides_.b.data), *const x = reinterpret_cast<R *>(sides_.between.data);
        room_.run(ComparisonRows<T>{n, false, ldl_.d.data, ldl_.e.data, nullptr, b}, n, 1, warm);
        room_.run(ComparisonRows<T>{n, true, ldl_.d.data, ldl_.e.data, b, x}, n, 1, warm);
        const R largest = room_.largest(n, x);
        if (largest != largest) throw std::domain_error("which entry is the largest is not defined");
        return largest;
    }

private:
    Device &device_;
    Diagonals<T> ldl_;
    RightHandSides<T> sides_;
    SweepRoom room_;
    Call call_;
};

}  // namespace

template <class T>
int64_t pt_factor_and_solve_device(int64_t n, int64_t nrhs, Real<T> *d, T *e, T *b, int64_t ldb) {
    const int warm = rows_to_forget_factoring(n, d, e);
    on_device([=](Device &device) {
        Diagonals<T> a(n), ldl(n);
        RightHandSides<T> sides(n, nrhs);
        SweepRoom room(device.stream);
        const Call call(device, [&](Carver &carver) {
            a.take_from(carver), ldl.take_from(carver), sides.take_from(carver);
            room.take_from(carver, n, nrhs, sizeof(Held<T, 1>));
        });
        device.staging.upload({a.d.with(d), a.e.with(e), sides.b.with(b, ldb)});
        factor(a, ldl, room, warm);
        solve(false, ldl, sides, room, warm);
        device.staging.download({ldl.d.with(d), ldl.e.with(e), sides.b.with(b, ldb)});
    });
    return 0;
}

template <class T>
int64_t pt_factor_device(int64_t n, Real<T> *d, T *e) {
    const int warm = rows_to_forget_factoring(n, d, e);
    on_device([=](Device &device) {
        Diagonals<T> a(n), ldl(n);
        SweepRoom room(device.stream);
        const Call call(device, [&](Carver &carver) {
            a.take_from(carver), ldl.take_from(carver);
            room.take_from(carver, n, 1, sizeof(Held<T, 1>));
        });
        device.staging.upload({a.d.with(d), a.e.with(e)});
        factor(a, ldl, room, warm);
        device.staging.download({ldl.d.with(d), ldl.e.with(e)});
    });
    return 0;
}

template <class T>
void pt_solve_device(bool upper, int64_t n, const Real<T> *d, const T *e, T *b, int64_t ldb, int64_t nrhs) {
    const int warm = rows_to_forget_solving(upper, n, d, e, b);
    on_device([=](Device &device) { Solving<T>(device, n, d, e, nrhs).run(upper, b, ldb, warm); });
}

template <class T>
struct PtFactorsOnDevice<T>::Kept : Solving<T> {
    using Solving<T>::Solving;
};
template <class T>
PtFactorsOnDevice<T>::PtFactorsOnDevice(int64_t n, const Real<T> *d, const T *e) : n_(n), d_(d), e_(e) {
    rows_to_forget_solving(false, n - 1, d, e, e);  // throws where nothing will be done here
    kept_ = on_device([&](Device &device) { return std::make_unique<Kept>(device, n, d, e, 1); });
}
template <class T>
PtFactorsOnDevice<T>::~PtFactorsOnDevice() {
    give_back(kept_);
}
template <class T>
void PtFactorsOnDevice<T>::solve(bool upper, T *b, int64_t ldb, int64_t nrhs) const {
    each_on_device(
        b, ldb, nrhs,
        [&](T *column) {
            const int warm = rows_to_forget_solving(upper, n_, d_, e_, column);
            on_device([&](Device &) { kept_->run(upper, column, 0, warm); });
        },
        [&](T *column) { pt_solve(upper, n_, d_, e_, column); });
}
template <class T>
Real<T> PtFactorsOnDevice<T>::inverse_norm(Real<T> *work) const {
    try {
        const int warm = rows_to_forget(ComparisonRows<T>{n_, false, d_, e_, nullptr, nullptr}, n_);
        return on_device([&](Device &) { return kept_->inverse_norm(warm); });
    } catch (const std::exception &) {
        return pt_inverse_norm(n_, d_, e_, work);
    }
}

#define XBATCH_INSTANTIATE(T)                                                                           \
    template int64_t pt_factor_and_solve_device<T>(int64_t, int64_t, Real<T> *, T *, T *, int64_t);     \
    template int64_t pt_factor_device<T>(int64_t, Real<T> *, T *);                                      \
    template void pt_solve_device<T>(bool, int64_t, const Real<T> *, const T *, T *, int64_t, int64_t); \
    template class PtFactorsOnDevice<T>;
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)

}  // namespace xbatch::lapack
