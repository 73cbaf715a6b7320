// gels_host.cpp: least squares on the host: the right-hand sides are further columns of the factorisation, or Q is
// applied to what the triangle gives.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "gels_scaling.hpp"
#include "run_host.hpp"

namespace xbatch {
namespace {

constexpr int64_t solve_columns = 8;  // right-hand sides of a ticket

template <class T>
struct LeastSquares {
    T *g;  // m x k, k <= m
    int64_t ldg;
    T *triangles;
    QrRun<T> factor, apply;

    LeastSquares(Carver &carver, const LeastSquaresProblem &p, int threads)
        : g(p.copies_adjoint ? carver.take<T>(p.tiling.m * p.tiling.k) : static_cast<T *>(p.a)),
          ldg(p.copies_adjoint ? p.tiling.m : p.lda),
          triangles(carver.take<T>(p.tiling.triangles() * p.tiling.triangle_elements())),
          factor(carver, p.factor_job(), threads),
          apply(carver, p.apply_job(), threads) {}
};

float quotient(float a, float b) { return a / b; }
double quotient(double a, double b) { return a / b; }
template <class R>
Complex<R> quotient(Complex<R> a, Complex<R> b) {
    return a * reciprocal(b);
}

// R x = b for a few columns of B, R [k x k]
template <class T>
void solve_upper(const T *r, int64_t ldr, int64_t k, T *b, int64_t ldb, int64_t columns) {
    for (int64_t c = k; c-- > 0;) {
        for (int64_t j = 0; j < columns; ++j) {
            const T x = quotient(b[j * ldb + c], r[c * ldr + c]);
            b[j * ldb + c] = x;
            for (int64_t i = 0; i < c; ++i) b[j * ldb + i] = fnma(r[c * ldr + i], x, b[j * ldb + i]);
        }
    }
}
// R^H x = b
template <class T>
void solve_adjoint(const T *r, int64_t ldr, int64_t k, T *b, int64_t ldb, int64_t columns) {
    for (int64_t c = 0; c < k; ++c) {
        for (int64_t j = 0; j < columns; ++j) {
            T sum = b[j * ldb + c];
            for (int64_t i = 0; i < c; ++i) sum = fnma(conjugate(r[c * ldr + i]), b[j * ldb + i], sum);
            b[j * ldb + c] = quotient(sum, conjugate(r[c * ldr + c]));
        }
    }
}

template <class T, class Solve>
void solve_all(int threads, int64_t nrhs, const Solve &solve) {
    const auto ready = [](int64_t) { return true; };
    const auto run = [&](int64_t ticket, int) {
        const int64_t first = ticket * solve_columns;
        solve(first, std::min(solve_columns, nrhs - first));
        return 0;
    };
    run_tickets(threads, (nrhs + solve_columns - 1) / solve_columns, ready, run);
}

// The first column that has no answer, or k
template <class T>
int64_t first_zero(const T *g, int64_t ldg, int64_t k) {
    int64_t c = 0;
    while (c < k && magnitude(g[c * ldg + c]) != 0) ++c;
    return c;
}

}  // namespace

template <class T>
xbatchStatus_t gels_host(Context &context, const LeastSquaresProblem &p, void *workspace) {
    const int threads = thread_count(context);
    const int64_t m = p.tiling.m, k = p.tiling.k;
    T *b = static_cast<T *>(p.b);
    Carver carver(workspace);
    LeastSquares<T> s(carver, p, threads);
    if (p.copies_adjoint) {
        const T *a = static_cast<const T *>(p.a);
        for (int64_t c = 0; c < k; ++c)
            for (int64_t r = 0; r < m; ++r) s.g[c * m + r] = conjugate(a[r * p.lda + c]);
    }
    const int64_t given = p.is_least_norm ? k : m, found = p.is_least_norm ? m : k;  // rows of B and X
    const LeastSquaresScaling scaling{scaling_exponent_of(s.g, s.ldg, m, k),
                                      scaling_exponent_of(b, p.ldb, given, p.nrhs)};
    scale_matrix(scaling.a, s.g, s.ldg, m, k);
    scale_matrix(scaling.b, b, p.ldb, given, p.nrhs);
    const View<T> right{b, p.ldb};
    const int64_t factored = p.is_least_norm ? 0 : p.nrhs;
    const int64_t bad = s.factor({s.g, s.ldg, s.triangles, {{right, factored}, {right, 0}}, true});
    const int64_t wrong = std::min(bad, first_zero(s.g, s.ldg, k));
    if (p.info) *p.info = wrong < k ? int32_t(std::min<int64_t>(wrong + 1, INT32_MAX)) : 0;
    if (wrong < k) return XBATCH_STATUS_SUCCESS;
    solve_all<T>(threads, p.nrhs, [&](int64_t first, int64_t columns) {
        T *x = b + first * p.ldb;
        (p.is_least_norm ? solve_adjoint<T> : solve_upper<T>)(s.g, s.ldg, k, x, p.ldb, columns);
        if (p.is_least_norm)
            for (int64_t j = 0; j < columns; ++j) std::fill(x + j * p.ldb + k, x + j * p.ldb + m, T(0));
    });
    if (p.is_least_norm) s.apply({s.g, s.ldg, s.triangles, {{right, p.nrhs}, {right, 0}}, false});
    scale_matrix(scaling.of_solution(), b, p.ldb, found, p.nrhs);
    scale_matrix(scaling.of_residual(), b + found, p.ldb, m - found, p.nrhs);
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t gels_host_workspace(const Context &context, const LeastSquaresProblem &p) {
    Carver carver(nullptr);
    LeastSquares<T>(carver, p, thread_count(context));
    return carver.bytes();
}

#define XBATCH_INSTANTIATE(T)                                                             \
    template xbatchStatus_t gels_host<T>(Context &, const LeastSquaresProblem &, void *); \
    template size_t gels_host_workspace<T>(const Context &, const LeastSquaresProblem &);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)
#undef XBATCH_INSTANTIATE

}  // namespace xbatch
