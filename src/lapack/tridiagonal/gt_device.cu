// gt_device.cu: LAPACK's LU factors of one tridiagonal matrix on a GPU. Rows are those of gt.cpp's sweeps.
// SPDX-License-Identifier: BSD-3-Clause
#include "gt_device.hpp"

#include "row_arithmetic.hpp"
#include "sweep.cuh"

namespace xbatch::lapack {
namespace {

// Rows 0 … n-2 of A = P L U
template <class T, class Int>
struct FactorRows {
    using State = Held<T, 2>;  // p, q
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
    template <bool is_kept>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        T factor, diagonal, above, second;
        Real<T> exchanged;
        if (in_gtsv)
            eliminate<true>(s.x[0], s.x[1], in.a, in.b, in.c, factor, diagonal, above, second, exchanged);
        else
            eliminate<false>(s.x[0], s.x[1], in.a, in.b, in.c, factor, diagonal, above, second, exchanged);
        if (!is_kept) return;
        f[k] = factor, pivot[k] = diagonal, u[k] = above;
        if (k + 2 < n) u2[k] = second;
        ipiv[k] = Int(k + 1) + Int(exchanged);
    }
    XBATCH_HD void finish(const State &s) const { pivot[n - 1] = s.x[0], ipiv[n - 1] = Int(n); }
};

// Rows 0 … n-2 of L y = P^T b
template <class T, class Int>
struct ForwardRows {
    using State = Held<T, 1>;
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
    template <bool is_kept>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        T reduced;
        substitute(s.x[0], in.b, in.f, in.exchanged, reduced);
        if (is_kept) y[k] = reduced;
    }
    XBATCH_HD void finish(const State &s) const { y[n - 1] = s.x[0]; }
};

// Rows n-1 … 0 of U x = y, or 0 … n-1 of U^T x = b or U^H x = b
template <class T>
struct UpperRows {
    using State = Held<T, 2>;  // the last unknown and the one before
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
    template <bool is_kept>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        T unknown;
        if (op == Transpose::adjoint)
            solve_pivot<true>(s.x[0], s.x[1], in.b, in.pivot, in.u, in.u2, unknown);
        else
            solve_pivot<false>(s.x[0], s.x[1], in.b, in.pivot, in.u, in.u2, unknown);
        if (is_kept) x[row_of(k)] = unknown;
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
    using State = Held<T, 1>;
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
    template <bool is_kept>
    XBATCH_HD void row(int64_t k, const Row &in, State &s) const {
        T unknown;
        if (is_adjoint)
            substitute_back<true>(s.x[0], in.b, in.f, in.exchanged, unknown);
        else
            substitute_back<false>(s.x[0], in.b, in.f, in.exchanged, unknown);
        if (is_kept) x[n - 1 - k] = unknown;
    }
    XBATCH_HD void finish(const State &s) const { x[0] = s.x[0]; }
};

template <class T>
struct IsZero {
    __device__ bool operator()(T a) const { return size_1(a) == Real<T>(0); }
};

template <class T>
int rows_to_forget_factoring(int64_t n, const T *dl, const T *d, const T *du, bool in_gtsv) {
    return rows_to_forget(FactorRows<T, int64_t>{n, dl, d, du, nullptr, nullptr, nullptr, nullptr, nullptr, in_gtsv},
                          n - 1);
}
template <class T, class Int>
int rows_to_forget_solving(Transpose op, const LuFactors<T, Int> &a, const T *b) {
    const UpperRows<T> upper{a.n, 0, op, a.d, a.du, a.du2, b, nullptr};
    const bool is_plain = op == Transpose::none;
    const int of_u = rows_to_forget(upper, a.n),
              of_l = is_plain ? rows_to_forget(ForwardRows<T, Int>{a.n, 0, a.dl, a.ipiv, b, nullptr}, a.n - 1)
                              : rows_to_forget(
                                    BackwardRows<T, Int>{a.n, 0, op == Transpose::adjoint, a.dl, a.ipiv, b, nullptr},
                                    a.n - 1);
    return std::max(of_u, of_l);
}

// What a call has on the GPU besides the matrix that it factors
template <class T, class Int>
struct Factors {
    int64_t n;
    Matrix<T> dl{n - 1}, d{n}, du{n - 1}, du2{n - 2};
    Matrix<Int> ipiv{n};

    explicit Factors(int64_t n) : n(n) {}
    void take_from(Carver &carver) {
        dl.take_from(carver), d.take_from(carver), du.take_from(carver), du2.take_from(carver);
        ipiv.take_from(carver);
    }
};
template <class T>
struct Given {
    Matrix<T> dl, d, du;

    explicit Given(int64_t n) : dl(n - 1), d(n), du(n - 1) {}
    void take_from(Carver &carver) { dl.take_from(carver), d.take_from(carver), du.take_from(carver); }
};
// Returns the first zero pivot.
template <class T, class Int>
int64_t factor(const Given<T> &a, const Factors<T, Int> &lu, const SweepRoom &room, int warm, bool in_gtsv) {
    const int64_t n = lu.n;
    room.run(FactorRows<T, Int>{n, a.dl.data, a.d.data, a.du.data, lu.dl.data, lu.d.data, lu.du.data, lu.du2.data,
                                lu.ipiv.data, in_gtsv},
             n - 1, 1, warm);
    return room.first_where(n, lu.d.data, IsZero<T>{});
}

template <class T, class Int>
void solve(Transpose op, const Factors<T, Int> &lu, const RightHandSides<T> &sides, const SweepRoom &room, int warm) {
    const int64_t n = lu.n, ld = sides.b.ld, nrhs = sides.b.columns;
    T *const b = sides.b.data, *const between = sides.between.data;
    const UpperRows<T> upper{n, ld, op, lu.d.data, lu.du.data, lu.du2.data, nullptr, nullptr};
    if (op == Transpose::none) {
        room.run(ForwardRows<T, Int>{n, ld, lu.dl.data, lu.ipiv.data, b, between}, n - 1, nrhs, warm);
        room.run(upper.with(between, b), n, nrhs, warm);
    } else {
        const bool is_adjoint = op == Transpose::adjoint;
        room.run(upper.with(b, between), n, nrhs, warm);
        room.run(BackwardRows<T, Int>{n, ld, is_adjoint, lu.dl.data, lu.ipiv.data, between, b}, n - 1, nrhs, warm);
    }
}

// Factors and right-hand sides on the GPU, as long as this lives
template <class T, class Int>
class Solving {
public:
    Solving(Device &device, const LuFactors<T, Int> &factors, int64_t nrhs)
        : device_(device),
          lu_(factors.n),
          sides_(factors.n, nrhs),
          room_(device.stream),
          call_(device, [&](Carver &carver) {
              lu_.take_from(carver), sides_.take_from(carver);
              room_.take_from(carver, factors.n, nrhs, sizeof(Held<T, 2>));
          }) {
        device.staging.upload({lu_.dl.with(factors.dl), lu_.d.with(factors.d), lu_.du.with(factors.du),
                               lu_.du2.with(factors.du2), lu_.ipiv.with(factors.ipiv)});
    }
    void run(Transpose op, T *b, int64_t ldb, int warm) {
        const std::vector<Staged> sides{sides_.b.with(b, ldb)};
        device_.staging.upload(sides);
        solve(op, lu_, sides_, room_, warm);
        device_.staging.download(sides);
    }

private:
    Device &device_;
    Factors<T, Int> lu_;
    RightHandSides<T> sides_;
    SweepRoom room_;
    Call call_;
};

}  // namespace

template <class T>
int64_t gt_factor_and_solve_device(int64_t n, int64_t nrhs, T *dl, T *d, T *du, T *b, int64_t ldb) {
    const int warm = rows_to_forget_factoring(n, dl, d, du, true);
    on_device([=](Device &device) {
        Given<T> a(n);
        Factors<T, int32_t> lu(n);
        RightHandSides<T> sides(n, nrhs);
        SweepRoom room(device.stream);
        const Call call(device, [&](Carver &carver) {
            a.take_from(carver), lu.take_from(carver), sides.take_from(carver);
            room.take_from(carver, n, nrhs, sizeof(Held<T, 2>));
        });
        device.staging.upload({a.dl.with(dl), a.d.with(d), a.du.with(du), sides.b.with(b, ldb)});
        if (factor(a, lu, room, warm, true) != 0) throw std::domain_error("a pivot is zero");
        solve(Transpose::none, lu, sides, room, warm);
        device.staging.download({lu.du2.with(dl), lu.d.with(d), lu.du.with(du), sides.b.with(b, ldb)});
    });
    return 0;
}

template <class T, class Int>
int64_t gt_factor_device(int64_t n, T *dl, T *d, T *du, T *du2, Int *ipiv) {
    const int warm = rows_to_forget_factoring(n, dl, d, du, false);
    return on_device([=](Device &device) {
        Given<T> a(n);
        Factors<T, Int> lu(n);
        SweepRoom room(device.stream);
        const Call call(device, [&](Carver &carver) {
            a.take_from(carver), lu.take_from(carver);
            room.take_from(carver, n, 1, sizeof(Held<T, 2>));
        });
        device.staging.upload({a.dl.with(dl), a.d.with(d), a.du.with(du)});
        const int64_t zero = factor(a, lu, room, warm, false);
        device.staging.download({lu.dl.with(dl), lu.d.with(d), lu.du.with(du), lu.du2.with(du2), lu.ipiv.with(ipiv)});
        return zero;
    });
}

template <class T, class Int>
void gt_solve_device(Transpose op, const LuFactors<T, Int> &factors, T *b, int64_t ldb, int64_t nrhs) {
    const int warm = rows_to_forget_solving(op, factors, b);
    on_device([=](Device &device) { Solving<T, Int>(device, factors, nrhs).run(op, b, ldb, warm); });
}

template <class T, class Int>
struct SolvesOnDevice<T, Int>::Kept : Solving<T, Int> {
    using Solving<T, Int>::Solving;
};
template <class T, class Int>
SolvesOnDevice<T, Int>::SolvesOnDevice(const LuFactors<T, Int> &factors) : factors_(factors) {
    rows_to_forget_solving(Transpose::none, factors, factors.d);  // throws where none will be done here
    kept_ = on_device([&](Device &device) { return std::make_unique<Kept>(device, factors, 1); });
}
template <class T, class Int>
SolvesOnDevice<T, Int>::~SolvesOnDevice() {
    give_back(kept_);
}
template <class T, class Int>
void SolvesOnDevice<T, Int>::operator()(Transpose op, T *b, int64_t ldb, int64_t nrhs) const {
    each_on_device(
        b, ldb, nrhs,
        [&](T *column) {
            const int warm = rows_to_forget_solving(op, factors_, column);
            on_device([&](Device &) { kept_->run(op, column, 0, warm); });
        },
        [&](T *column) { gt_solve(op, factors_, column); });
}

#define XBATCH_INSTANTIATE(T, Int)                                                                      \
    template int64_t gt_factor_device<T, Int>(int64_t, T *, T *, T *, T *, Int *);                      \
    template void gt_solve_device<T, Int>(Transpose, const LuFactors<T, Int> &, T *, int64_t, int64_t); \
    template class SolvesOnDevice<T, Int>;
#define XBATCH_INSTANTIATE_TYPE(T) \
    XBATCH_INSTANTIATE(T, int32_t) \
    XBATCH_INSTANTIATE(T, int64_t) \
    template int64_t gt_factor_and_solve_device<T>(int64_t, int64_t, T *, T *, T *, T *, int64_t);
XBATCH_INSTANTIATE_TYPE(float)
XBATCH_INSTANTIATE_TYPE(double)
XBATCH_INSTANTIATE_TYPE(Complex<float>)
XBATCH_INSTANTIATE_TYPE(Complex<double>)

}  // namespace xbatch::lapack
