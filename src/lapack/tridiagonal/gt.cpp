// gt.cpp: LAPACK's LU factorisation of one tridiagonal matrix on the host: the first and last row of each sweep.
// SPDX-License-Identifier: BSD-3-Clause
#include "gt.hpp"

#include "rhs_groups.hpp"
#include "row_rules.hpp"

namespace xbatch::lapack {

template <class T, class Int>
int64_t gt_factor(int64_t n, T *dl, T *d, T *du, T *du2, Int *ipiv) {
    if (n == 0) return 0;
    T state[2] = {d[0], n > 1 ? du[0] : T(0)};
    int64_t in_lanes = 0;
    if (n > 1) {
        Sweep<Factor<T, false>, Int> sweep({{dl, dl}, {d + 1, d}, {du + 1, du}, {nullptr, du2}}, {nullptr, ipiv, 0});
        in_lanes = sweep.run(n - 2, state);
        Real<T> exchanged;  // the last row has no entry in column n
        T none;
        eliminate<false>(state[0], state[1], dl[n - 2], d[n - 1], T(0), dl[n - 2], d[n - 2], du[n - 2], none,
                         exchanged);
        ipiv[n - 2] = Int(n - 1) + Int(exchanged);
    }
    d[n - 1] = state[0];
    ipiv[n - 1] = Int(n);
    return in_lanes;
}

namespace {

// U x = y in place
template <class T, int lanes>
void solve_u(int64_t n, const T *d, const T *du, const T *du2, const RhsGroup<T, lanes> &b) {
    alignas(64) T unknowns[2][lanes] = {};
    for (int l = 0; l < b.count; ++l) {
        T *const x = b.column(l);
        x[n - 1] = quotient(x[n - 1], d[n - 1]);
        if (n > 1) x[n - 2] = quotient(x[n - 2] - du[n - 2] * x[n - 1], d[n - 2]);
        if (n > 2) unknowns[0][l] = x[n - 2], unknowns[1][l] = x[n - 1];
    }
    if (n <= 2) return;
    const int64_t i = n - 3;
    sweep_rows<SolveU<T, -1, false>, int>(
        b, {{b.first + i, b.first + i}, {d + i, nullptr}, {du + i, nullptr}, {du2 + i, nullptr}}, {}, n - 2, unknowns);
}

// Rows 0 … rows-1 of L y = P^T b in place; row `rows` becomes the carried value.
template <class T, class Int, int lanes>
void solve_l(int64_t rows, const T *f, const Int *ipiv, const RhsGroup<T, lanes> &b) {
    alignas(64) T carried[1][lanes] = {};
    for (int l = 0; l < b.count; ++l) carried[0][l] = b.column(l)[0];
    sweep_rows<ForwardL<T>, Int>(b, {{b.first + 1, b.first}, {f, nullptr}}, {ipiv, nullptr, 0}, rows, carried);
    for (int l = 0; l < b.count; ++l) b.column(l)[rows] = carried[0][l];
}

template <class T, class Int, int lanes>
void solve_plain(const LuFactors<T, Int> &a, const RhsGroup<T, lanes> &b) {
    solve_l(a.n - 1, a.dl, a.ipiv, b);
    solve_u(a.n, a.d, a.du, a.du2, b);
}

template <bool conjugated, class T, class Int, int lanes>
void solve_transposed(const LuFactors<T, Int> &a, const RhsGroup<T, lanes> &b) {
    const int64_t n = a.n;
    const auto element = [](T value) { return conjugated ? conjugate(value) : value; };
    alignas(64) T unknowns[2][lanes] = {}, carried[1][lanes] = {};
    for (int l = 0; l < b.count; ++l) {
        T *const x = b.column(l);
        x[0] = quotient(x[0], element(a.d[0]));
        if (n > 1) x[1] = quotient(x[1] - element(a.du[0]) * x[0], element(a.d[1]));
        if (n > 1) unknowns[0][l] = x[1], unknowns[1][l] = x[0];
    }
    if (n == 1) return;
    T *const x = b.first;
    sweep_rows<SolveU<T, 1, conjugated>, Int>(
        b, {{x + 2, x + 2}, {a.d + 2, nullptr}, {a.du + 1, nullptr}, {a.du2, nullptr}}, {}, n - 2, unknowns);
    for (int l = 0; l < b.count; ++l) carried[0][l] = b.column(l)[n - 1];
    sweep_rows<BackwardL<T, conjugated>, Int>(b, {{x + n - 2, x + n - 1}, {a.dl + n - 2, nullptr}},
                                              {a.ipiv, nullptr, n - 2}, n - 1, carried);
    for (int l = 0; l < b.count; ++l) b.column(l)[0] = carried[0][l];
}

}  // namespace

template <class T, class Int>
void LuFactors<T, Int>::solve(Transpose op, T *b, int64_t ldb, int64_t nrhs) const {
    if (n == 0) return;
    each_group(b, ldb, nrhs, 4, [&](const auto &columns) {
        switch (op) {
            case Transpose::none: return solve_plain(*this, columns);
            case Transpose::transposed: return solve_transposed<false>(*this, columns);
            case Transpose::adjoint: return solve_transposed<true>(*this, columns);
        }
    });
}

namespace {

// Eliminates the rows of gtsv by `sweep`, and the last one by last(state). Returns the row that is then carried: the
// last one, or the row before which LAPACK stops.
template <class T, class Rule, class Last>
int64_t eliminate_all(int64_t n, T *dl, T *d, T *du, Sweep<Rule, int64_t> sweep, T (&state)[Rule::states], Last last) {
    if (n > 1) sweep.run(n - 2, state);
    int64_t row = sweep.done();
    if (row == n - 2 && !GtsvStop<T>::stops(state[0], dl[row])) {
        last(state);
        ++row;
    }
    d[row] = state[0];
    if (row + 1 < n) du[row] = state[1];
    return row;
}

template <class T>
int64_t factor_and_solve_one(int64_t n, T *dl, T *d, T *du, T *b) {
    T state[3] = {d[0], n > 1 ? du[0] : T(0), b[0]};
    const int64_t row = eliminate_all<T, FactorForward<T>>(
        n, dl, d, du, {{{dl, dl}, {d + 1, d}, {du + (n > 1), du}, {b + 1, b}}, {}}, state, [&](T(&carried)[3]) {
            T none;
            eliminate_both(carried[0], carried[1], carried[2], dl[n - 2], d[n - 1], T(0), b[n - 1], none, d[n - 2],
                           du[n - 2], b[n - 2]);
        });
    b[row] = state[2];
    if (size_1(d[row]) == Real<T>(0)) return row + 1;
    solve_u(n, d, du, dl, RhsGroup<T, 1>{b, 0, 1});
    return 0;
}

}  // namespace

template <class T>
int64_t gt_factor_and_solve(int64_t n, int64_t nrhs, T *dl, T *d, T *du, T *b, int64_t ldb) {
    if (nrhs == 1) return factor_and_solve_one(n, dl, d, du, b);
    const std::unique_ptr<T[]> f(new T[n]);
    const std::unique_ptr<int64_t[]> ipiv(new int64_t[n]);
    T state[2] = {d[0], n > 1 ? du[0] : T(0)};
    const int64_t row = eliminate_all<T, Factor<T, true>>(
        n, dl, d, du, {{{dl, f.get()}, {d + 1, d}, {du + (n > 1), du}, {nullptr, dl}}, {nullptr, ipiv.get(), 0}}, state,
        [&](T(&carried)[2]) {
            T none;
            Real<T> exchanged;
            eliminate<true>(carried[0], carried[1], dl[n - 2], d[n - 1], T(0), f[n - 2], d[n - 2], du[n - 2], none,
                            exchanged);
            ipiv[n - 2] = n - 1 + int64_t(exchanged);
        });
    const bool is_singular = size_1(d[row]) == Real<T>(0);
    each_group(b, ldb, nrhs, 4, [&](const auto &columns) {
        solve_l(row, f.get(), ipiv.get(), columns);
        if (!is_singular) solve_u(n, d, du, dl, columns);
    });
    return is_singular ? row + 1 : 0;
}

template <class T>
int64_t first_zero(int64_t n, const T *d) {
    for (int64_t i = 0; i < n; ++i)
        if (size_1(d[i]) == Real<T>(0)) return i + 1;
    return 0;
}

#define XBATCH_INSTANTIATE(T, Int)                                          \
    template int64_t gt_factor<T, Int>(int64_t, T *, T *, T *, T *, Int *); \
    template struct LuFactors<T, Int>;
#define XBATCH_INSTANTIATE_TYPE(T)                                                          \
    XBATCH_INSTANTIATE(T, int32_t)                                                          \
    XBATCH_INSTANTIATE(T, int64_t)                                                          \
    template int64_t gt_factor_and_solve<T>(int64_t, int64_t, T *, T *, T *, T *, int64_t); \
    template int64_t first_zero<T>(int64_t, const T *);
XBATCH_INSTANTIATE_TYPE(float)
XBATCH_INSTANTIATE_TYPE(double)
XBATCH_INSTANTIATE_TYPE(Complex<float>)
XBATCH_INSTANTIATE_TYPE(Complex<double>)

}  // namespace xbatch::lapack
