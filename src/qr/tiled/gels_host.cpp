// gels_host.cpp: least squares on the host: the right-hand sides are further columns of the factorisation; for least
// norm, Q is applied to the solution of the triangular system.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "qr/common/gels_scaling.hpp"
#include "run_host.hpp"

namespace xbatch::qr {
namespace {

constexpr int64_t solve_columns = 8;  // right-hand sides of a ticket

template <class T>
struct LeastSquares {
    T *g;  // m x k, k <= m
    int64_t ldg;
    T *triangles;
    QrRun<T> factor, apply;

    LeastSquares(Carver &carver, const LeastSquaresProblem &p, int threads)
        : g(p.copies_adjoint ? carver.take<T>(p.tiling.m, p.tiling.k) : static_cast<T *>(p.a)),
          ldg(p.copies_adjoint ? p.tiling.m : p.lda),
          triangles(carver.take<T>(p.tiling.triangles(), p.tiling.triangle_elements())),
          factor(carver, p.factor_job(), threads),
          apply(carver, p.apply_job(), threads) {}
};

float quotient(float a, float b) { return a / b; }
double quotient(double a, double b) { return a / b; }
template <class R>
Complex<R> quotient(Complex<R> a, Complex<R> b) {
    return a * reciprocal(b);
}

// Number of unknowns computed together, so that the rest of B is read once for all of them
constexpr int64_t solve_rows = 4;

// R x = b for a few columns of B, R [k x k]
template <class T>
void solve_upper(const T *r, int64_t ldr, int64_t k, T *b, int64_t ldb, int64_t columns) {
    for (int64_t end = k; end > 0;) {
        const int64_t first = std::max<int64_t>(end - solve_rows, 0), rows = end - first;
        for (int64_t j = 0; j < columns; ++j) {
            T *const own = b + j * ldb;
            T x[solve_rows] = {};
            const T *column[solve_rows];
            for (int64_t s = solve_rows; s-- > 0;) {
                column[s] = r + (first + std::min(s, rows - 1)) * ldr;
                if (s >= rows) continue;
                T sum = own[first + s];
                for (int64_t t = s + 1; t < rows; ++t) sum = fnma(column[t][first + s], x[t], sum);
                own[first + s] = x[s] = quotient(sum, column[s][first + s]);
            }
            for (int64_t i = 0; i < first; ++i) {
                T sum = own[i];
                for (int64_t s = 0; s < solve_rows; ++s) sum = fnma(column[s][i], x[s], sum);
                own[i] = sum;
            }
        }
        end = first;
    }
}
// R^H x = b
template <class T>
void solve_adjoint(const T *r, int64_t ldr, int64_t k, T *b, int64_t ldb, int64_t columns) {
    for (int64_t first = 0; first < k; first += solve_rows) {
        const int64_t rows = std::min(solve_rows, k - first);
        for (int64_t j = 0; j < columns; ++j) {
            T *const own = b + j * ldb;
            T sum[solve_rows] = {};
            const T *column[solve_rows];
            for (int64_t s = 0; s < solve_rows; ++s) column[s] = r + (first + std::min(s, rows - 1)) * ldr;
            for (int64_t i = 0; i < first; ++i)
                for (int64_t s = 0; s < solve_rows; ++s) sum[s] = fma_(conjugate(column[s][i]), own[i], sum[s]);
            for (int64_t s = 0; s < rows; ++s) {
                T rest = own[first + s] - sum[s];
                for (int64_t t = 0; t < s; ++t) rest = fnma(conjugate(column[s][first + t]), own[first + t], rest);
                own[first + s] = quotient(rest, conjugate(column[s][first + s]));
            }
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
    task_graph::run_tickets(threads, (nrhs + solve_columns - 1) / solve_columns, ready, run);
}

// The first column whose diagonal element has no reciprocal, or k
template <class T>
int64_t first_bad(const T *g, int64_t ldg, int64_t k) {
    int64_t c = 0;
    while (c < k && has_reciprocal(g[c * ldg + c])) ++c;
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
    const int64_t bad = s.factor({s.g, s.ldg, s.triangles, right, factored, true});
    const int64_t wrong = std::min(bad, first_bad(s.g, s.ldg, k));
    if (p.info) *p.info = wrong < k ? int32_t(std::min<int64_t>(wrong + 1, INT32_MAX)) : 0;
    if (wrong < k) return XBATCH_STATUS_SUCCESS;
    solve_all<T>(threads, p.nrhs, [&](int64_t first, int64_t columns) {
        T *x = b + first * p.ldb;
        (p.is_least_norm ? solve_adjoint<T> : solve_upper<T>)(s.g, s.ldg, k, x, p.ldb, columns);
        if (p.is_least_norm)
            for (int64_t j = 0; j < columns; ++j) std::fill(x + j * p.ldb + k, x + j * p.ldb + m, T(0));
    });
    if (p.is_least_norm) s.apply({s.g, s.ldg, s.triangles, right, p.nrhs, false});
    scale_matrix(scaling.of_solution(), b, p.ldb, found, p.nrhs);
    scale_matrix(scaling.of_residual(), b + found, p.ldb, m - found, p.nrhs);
    if (p.info && !is_finite_matrix(b, p.ldb, found, p.nrhs)) *p.info = int32_t(std::min<int64_t>(k + 1, INT32_MAX));
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t gels_host_workspace(const Context &context, const LeastSquaresProblem &p) {
    Carver carver(nullptr);
    LeastSquares<T>(carver, p, thread_count(context));
    return carver.bytes();
}

XBATCH_INSTANTIATE_BACKEND(gels_host);

}  // namespace xbatch::qr
