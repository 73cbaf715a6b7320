// baselines_factored.cpp: see baselines_factored.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "baselines_factored.hpp"

#include <lapacke.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "data/residual.hpp"

namespace bench {
namespace {

// LAPACK's arrays for `sets` matrices of n rows; they start as copies of the coefficients.
struct Matrices {
    lapack_int n;
    std::vector<double> dl, d, du, du2;
    std::vector<lapack_int> pivots;

    Matrices(int64_t rows, int64_t sets)
        : n(lapack_int(rows)), dl(size_t(rows * sets)), d(dl), du(dl), du2(dl), pivots(dl.size()) {}
    void copy(const Gtsv &p) {
        const auto from = [&](const void *array, std::vector<double> &to) {
            const double *data = static_cast<const double *>(array);
            std::copy(data, data + to.size(), to.begin());
        };
        from(p.dl, dl), from(p.d, d), from(p.du, du);
    }
    double norm(int64_t j) const {  // the largest sum of a column; LAPACKE has no langt
        double worst = 0;
        for (int64_t i = 0; i < n; ++i) {
            const size_t at = size_t(j * n + i);
            worst = std::max(
                worst, std::abs(d[at]) + (i > 0 ? std::abs(du[at - 1]) : 0) + (i + 1 < n ? std::abs(dl[at + 1]) : 0));
        }
        return worst;
    }
    void factor(int64_t j) {
        const size_t at = size_t(j * n);
        LAPACKE_dgttrf_work(n, &dl[at + 1], &d[at], &du[at], &du2[at], &pivots[at]);
    }
    void solve(int64_t j, char op, lapack_int nrhs, double *b) const {
        const size_t at = size_t(j * n);
        LAPACKE_dgttrs_work(LAPACK_COL_MAJOR, op, n, nrhs, &dl[at + 1], &d[at], &du[at], &du2[at], &pivots[at], b, n);
    }
    double rcond(int64_t j, double norm) const {
        const size_t at = size_t(j * n);
        std::vector<double> work(size_t(2 * n));
        std::vector<lapack_int> iwork(static_cast<size_t>(n));
        double result = 0;
        LAPACKE_dgtcon_work('1', n, &dl[at + 1], &d[at], &du[at], &du2[at], &pivots[at], norm, &result, work.data(),
                            iwork.data());
        return result;
    }
    void factor_positive(int64_t j) { LAPACKE_dpttrf_work(n, &d[size_t(j * n)], &du[size_t(j * n)]); }
    void solve_positive(int64_t j, lapack_int nrhs, double *b) const {
        LAPACKE_dpttrs_work(LAPACK_COL_MAJOR, n, nrhs, &d[size_t(j * n)], &du[size_t(j * n)], b, n);
    }
    void factor_and_solve_positive(int64_t j, lapack_int nrhs, double *b) {
        LAPACKE_dptsv_work(LAPACK_COL_MAJOR, n, nrhs, &d[size_t(j * n)], &du[size_t(j * n)], b, n);
    }
};

// System j's part of a job.
void work_on(Job job, Matrices &m, const Gtsv &p, int64_t j, int64_t set) {
    const lapack_int nrhs = lapack_int(p.nrhs);
    double *b = static_cast<double *>(p.b) + j * p.nrhs * p.n;
    switch (job) {
        case Job::gttrf: return m.factor(j);
        case Job::gttrs: return m.solve(set, p.op == XBATCH_OP_N ? 'N' : 'T', nrhs, b);
        case Job::gtcon: return void(m.rcond(j, 1));
        case Job::ptsv: return m.factor_and_solve_positive(j, nrhs, b);
        case Job::pttrf: return m.factor_positive(j);
        case Job::pttrs: return m.solve_positive(set, nrhs, b);
    }
}

void work_on_all(Job job, Matrices &m, const Gtsv &p, int64_t sets, int threads) {
#pragma omp parallel for num_threads(threads)
    for (int64_t j = 0; j < p.batch; ++j) work_on(job, m, p, j, sets == 1 ? 0 : j);
}

// The problem with the matrix that LAPACK solved with: a positive definite one has dl = du, a row later, in `below`.
Gtsv judged(const Gtsv &p, int64_t sets, bool positive, std::vector<double> &below) {
    if (!positive) return p;
    const double *const e = static_cast<const double *>(p.du);
    below.assign(size_t(p.n * sets), 0);
    std::copy(e, e + p.n * sets - 1, below.begin() + 1);
    Gtsv symmetric = p;
    symmetric.dl = below.data();
    return symmetric;
}

Run lapack_run(const Session &session, Job job, const Gtsv &p, int64_t sets, const GtsvData &data, int threads) {
    const auto matrices = std::make_shared<Matrices>(p.n, sets);
    const bool positive = job == Job::ptsv || job == Job::pttrf || job == Job::pttrs;
    const bool factors = job == Job::gttrf || job == Job::pttrf, overwrites = factors || job == Job::ptsv;
    matrices->copy(p);
    for (int64_t j = 0; !overwrites && j < sets; ++j) positive ? matrices->factor_positive(j) : matrices->factor(j);
    const auto again = restored(session.machine(), data);
    const auto restore = [=] {
        again();
        if (overwrites) matrices->copy(p);
    };
    const auto error = [=, &session, &data] {
        if (job == Job::gtcon) return 0.0;  // the same measure as for xbatch
        if (factors) work_on_all(positive ? Job::pttrs : Job::gttrs, *matrices, p, sets, threads);
        std::vector<double> below;
        return error_of(session.machine(), judged(p, sets, positive, below), data.b0.get());
    };
    return {restore, [=] { work_on_all(job, *matrices, p, sets, threads); }, error};
}

const char *name_of(Job job) {
    constexpr const char *names[] = {"gttrf", "gttrs", "gtcon", "ptsv", "pttrf", "pttrs"};
    return names[int(job)];
}

}  // namespace

std::vector<Peer> lapack_peers(const Session &session, Job job, const Gtsv &p, int64_t sets, const GtsvData &data) {
    Gtsv view = p;  // LAPACK supports no other layout
    view.layout = XBATCH_LAYOUT_FLAT;
    view.ldb = p.n;
    view.ldt = sets == 1 ? 0 : p.n;
    const std::string name = std::string("LAPACK ") + name_of(job);
    const bool is_solve = job == Job::gttrs || job == Job::pttrs, at_once = job == Job::ptsv && sets == 1;
    if (sets == 1 && is_solve) view.batch = p.nrhs * p.batch, view.nrhs = 1;
    if (at_once) view.nrhs = p.nrhs * p.batch, view.batch = 1;  // ptsv overwrites the matrix
    const auto run = [=, &session, &data](int threads) { return lapack_run(session, job, view, sets, data, threads); };
    if (at_once) return {{name + " with all right-hand sides", [=] { return run(1); }}};
    return {{name + " loop (1 thread)", [=] { return run(1); }},
            {name + " loop (all threads)", [=] { return run(omp_get_max_threads()); }}};
}

double lapack_rcond(std::vector<double> dl, std::vector<double> d, std::vector<double> du) {
    Matrices m(int64_t(d.size()), 1);
    m.dl = std::move(dl), m.d = std::move(d), m.du = std::move(du);
    const double norm = m.norm(0);
    m.factor(0);
    return m.rcond(0, norm);
}

}  // namespace bench
