// pt.cpp: LAPACK's L D L^H factorisation of one positive definite tridiagonal matrix on the host: by sweeps if it is
// real, by loops if it is complex.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "pt.hpp"

#include "core/condition.hpp"
#include "rhs_groups.hpp"
#include "row_rules.hpp"

namespace xbatch::lapack {
namespace {

// Returns the last row, or the row at which LAPACK stops.
template <class R>
int64_t factor_rows(int64_t n, R *d, R *e) {
    R state[1] = {d[0]};
    Sweep<FactorPositive<R>, int> sweep({{e, e}, {d + 1, d}}, {});
    sweep.run(n - 1, state);
    d[sweep.done()] = state[0];
    return sweep.done();
}
template <class R>
int64_t factor_rows(int64_t n, R *d, Complex<R> *e) {
    R pivot = d[0];
    int64_t i = 0;
    for (; i < n - 1 && !(pivot <= 0); ++i) eliminate_positive(pivot, e[i], d[i + 1], e[i], d[i]);
    d[i] = pivot;
    return i;
}

template <class R>
void solve_rows(bool, int64_t n, const R *d, const R *e, R *b, int64_t ldb, int64_t nrhs) {
    each_group(b, ldb, nrhs, 8, [&](const auto &columns) {
        alignas(64) R unknown[1][columns.most] = {};
        R *const x = columns.first;
        const int64_t i = n - 2;
        for (int l = 0; l < columns.count; ++l) unknown[0][l] = columns.column(l)[0];
        sweep_rows<ForwardPositive<R>, int>(columns, {{x + 1, x + 1}, {e, nullptr}}, {}, n - 1, unknown);
        for (int l = 0; l < columns.count; ++l) unknown[0][l] = columns.column(l)[n - 1] /= d[n - 1];
        sweep_rows<BackwardPositive<R>, int>(columns, {{x + i, x + i}, {d + i, nullptr}, {e + i, nullptr}}, {}, n - 1,
                                             unknown);
    });
}
template <class R>
void solve_rows(bool upper, int64_t n, const R *d, const Complex<R> *e, Complex<R> *b, int64_t ldb, int64_t nrhs) {
    const auto below = [&](int64_t i) { return upper ? conjugate(e[i]) : e[i]; };
    for (; nrhs > 0; --nrhs, b += ldb) {
        Complex<R> unknown = b[0];
        for (int64_t i = 1; i < n; ++i) substitute_positive(unknown, b[i], below(i - 1), b[i]);
        unknown = b[n - 1] = quotient(b[n - 1], d[n - 1]);
        for (int64_t i = n - 2; i >= 0; --i) substitute_back_positive(unknown, b[i], d[i], conjugate(below(i)), b[i]);
    }
}

}  // namespace

template <class T>
int64_t pt_factor(int64_t n, Real<T> *d, T *e) {
    if (n == 0) return 0;
    const int64_t row = factor_rows(n, d, e);
    return d[row] <= 0 ? row + 1 : 0;
}

template <class T>
void LdlFactors<T>::solve(bool is_upper, T *b, int64_t ldb, int64_t nrhs) const {
    if (n > 1) solve_rows(is_upper, n, d, e, b, ldb, nrhs);
    for (int64_t r = 0; n == 1 && r < nrhs; ++r) b[r * ldb] = b[r * ldb] * (1 / d[0]);
}

template <class T>
Real<T> LdlFactors<T>::inverse_norm(Real<T> *work) const {
    work[0] = 1;
    for (int64_t i = 1; i < n; ++i) work[i] = 1 + work[i - 1] * size_of(e[i - 1]);
    Real<T> entry = work[n - 1] / d[n - 1], largest = std::fabs(entry);
    for (int64_t i = n - 2; i >= 0; --i) {
        entry = work[i] / d[i] + entry * size_of(e[i]);
        largest = largest > std::fabs(entry) ? largest : std::fabs(entry);
    }
    return largest;
}

#define XBATCH_INSTANTIATE(T)                               \
    template int64_t pt_factor<T>(int64_t, Real<T> *, T *); \
    template struct LdlFactors<T>;
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)

}  // namespace xbatch::lapack
