// tridiagonal_factored.cpp: factorisation of tridiagonal matrices, also positive definite ones, and solutions with
// them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory>

#include "data/residual.hpp"
#include "tridiagonal.hpp"

namespace bench {
namespace {

constexpr auto D = XBATCH_R_64F;
constexpr int64_t block_width = 32;
constexpr double condition_bound = 2;  // an estimate may differ from LAPACK's by a factor of three

using Shape = FactoredShape;

// The fewest elements a row: a matrix has three, a positive definite one two. Factors have as many as they are stored
// with, but at most LAPACK's: four (one of L, three of U), or two. A row of B is read and written.
Case describe(const Shape &s, double stored_bytes = HUGE_VAL) {
    constexpr const char *names[] = {"gttrfBatch", "gttrsBatch", "gtconBatch", "ptsvBatch", "pttrfBatch", "pttrsBatch"};
    constexpr double matrix_elements[] = {3, 0, 0, 2, 2, 0}, matrix_flops[] = {3, 0, 0, 3, 3, 0};
    const double rows = double(s.n) * double(s.batch), matrix_rows = double(s.n) * double(s.sets());
    const double solved = s.solves() ? double(s.nrhs) * rows : 0;
    const double factors = std::min((s.positive() ? 2 : 4) * matrix_rows, stored_bytes / sizeof(double));
    const double elements = matrix_elements[int(s.job)] * matrix_rows + (s.job == Job::ptsv ? 0 : factors) + 2 * solved;
    std::string variant = s.job == Job::gttrs ? (s.op == XBATCH_OP_N ? "op=N" : "op=T") : "";
    const auto add = [&](const std::string &word) { variant += (variant.empty() ? "" : " ") + word; };
    if (s.shared) add("shared matrix");
    if (s.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED) add("BS=" + std::to_string(block_width));
    return {s.family,
            names[int(s.job)],
            D,
            layout_name(s.layout),
            s.n,
            s.nrhs,
            s.batch,
            variant,
            elements * sizeof(double),
            matrix_flops[int(s.job)] * matrix_rows + 5 * solved};
}

// A call and its memory.
struct Step {
    Action call;
    size_t workspace = 0;
    std::shared_ptr<Memory> result;  // factors or condition numbers, if it computes any
};

std::shared_ptr<Memory> memory(const Session &session, size_t bytes) {
    return std::make_shared<Memory>(session.machine(), bytes);
}

// info or another array of `count` four-byte numbers
std::shared_ptr<Memory> info_for(const Session &session, int64_t count) {
    return memory(session, size_t(count) * sizeof(int32_t));
}

struct FactorSizes {
    size_t stored = 0, workspace = 0;
};

FactorSizes factor_sizes(const Session &session, const Shape &s) {
    const auto size = s.positive() ? xpttrfBatch_bufferSize : xgttrfBatch_bufferSize;
    FactorSizes bytes;
    session.check(size(session.handle(), D, s.layout, s.n, s.sets(), &bytes.stored, &bytes.workspace));
    return bytes;
}

Step factoring(const Session &session, const Shape &s, const Gtsv &p) {
    const xbatchHandle_t handle = session.handle();
    const auto [factor_bytes, bytes] = factor_sizes(session, s);
    const auto factors = memory(session, factor_bytes), space = memory(session, bytes);
    const auto info = info_for(session, s.sets());
    const auto call = [=, &session, bytes = bytes] {
        int32_t *const infos = static_cast<int32_t *>(info->get());
        session.check(s.positive() ? xpttrfBatch(handle, p.type, p.layout, p.n, s.sets(), p.d, p.du, p.ldt,
                                                 factors->get(), nullptr, infos, space->get(), bytes)
                                   : xgttrfBatch(handle, p.type, p.layout, p.n, s.sets(), p.dl, p.d, p.du, p.ldt,
                                                 factors->get(), nullptr, nullptr, infos, space->get(), bytes));
    };
    return {call, bytes, factors};
}

Step solving(const Session &session, const Shape &s, const Gtsv &p, const std::shared_ptr<Memory> &factors) {
    const xbatchHandle_t handle = session.handle();
    size_t bytes = 0;
    session.check(s.positive()
                      ? xpttrsBatch_bufferSize(handle, p.type, p.layout, p.n, p.nrhs, p.batch, s.sets(), &bytes)
                      : xgttrsBatch_bufferSize(handle, p.type, p.layout, p.op, p.n, p.nrhs, p.batch, s.sets(), &bytes));
    const auto space = memory(session, bytes);
    const auto call = [=, &session] {
        session.check(s.positive() ? xpttrsBatch(handle, p.type, p.layout, p.n, p.nrhs, p.batch, s.sets(),
                                                 factors->get(), p.b, p.ldb, space->get(), bytes)
                                   : xgttrsBatch(handle, p.type, p.layout, p.op, p.n, p.nrhs, p.batch, s.sets(),
                                                 factors->get(), p.b, p.ldb, space->get(), bytes));
    };
    return {call, bytes, nullptr};
}

Step factoring_and_solving(const Session &session, const Gtsv &p) {
    const xbatchHandle_t handle = session.handle();
    size_t bytes = 0;
    session.check(xptsvBatch_bufferSize(handle, p.type, p.layout, p.n, p.nrhs, p.batch, &bytes));
    const auto space = memory(session, bytes), info = info_for(session, p.batch);
    const auto call = [=, &session] {
        session.check(xptsvBatch(handle, p.type, p.layout, p.n, p.nrhs, p.batch, p.d, p.du, p.ldt, p.b, p.ldb,
                                 static_cast<int32_t *>(info->get()), space->get(), bytes));
    };
    return {call, bytes, nullptr};
}

Step estimating(const Session &session, const Gtsv &p, const std::shared_ptr<Memory> &factors) {
    const xbatchHandle_t handle = session.handle();
    size_t bytes = 0;
    session.check(xgtconBatch_bufferSize(handle, p.type, p.layout, XBATCH_NORM_ONE, p.n, p.batch, &bytes));
    const auto space = memory(session, bytes), rcond = memory(session, size_t(p.batch) * sizeof(double));
    const auto call = [=, &session] {
        session.check(xgtconBatch(handle, p.type, p.layout, XBATCH_NORM_ONE, p.n, p.batch, factors->get(), rcond->get(),
                                  space->get(), bytes));
    };
    return {call, bytes, rcond};
}

// |rcond / LAPACK's - 1|, the worst of systems spread over the batch
double condition_error(const Machine &machine, const Gtsv &p, const void *rcond) {
    constexpr int64_t systems = 16;
    const auto column = [&](const void *array, Line a) {
        const auto wide = gathered<long double>(machine, p.type, array, a.base, a.step, p.n);
        return std::vector<double>(wide.begin(), wide.end());
    };
    double worst = 0;
    for (int64_t k = 0; k < std::min(systems, p.batch); ++k) {
        const int64_t j = k * (p.batch - 1) / (systems - 1);
        const Line a = line(p.layout, p.n, 1, p.ldt, j, 0);
        const double expected = lapack_rcond(column(p.dl, a), column(p.d, a), column(p.du, a));
        const double found = double(gathered<long double>(machine, p.type, rcond, j, 1, 1)[0]);
        worst = std::max(worst, std::abs(found / expected - 1));
    }
    return worst;
}

// The run of a case. The accuracy of factors is that of a solution with them.
Run our_run(const Session &session, const Shape &s, const Gtsv &p, const GtsvData &data) {
    const Machine &machine = session.machine();
    const Action restore = restored(machine, data);
    const auto error = [&machine, &data, p] { return error_of(machine, p, data.b0.get()); };
    if (s.job == Job::ptsv) {
        const Step step = factoring_and_solving(session, p);
        return {restore, step.call, error, step.workspace};
    }
    const Step factors = factoring(session, s, p);
    if (s.job == Job::gtcon) {
        factors.call();
        const Step step = estimating(session, p, factors.result);
        return {[] {}, step.call, [&machine, p, step] { return condition_error(machine, p, step.result->get()); },
                step.workspace};
    }
    const Step solve = solving(session, s, p, factors.result);
    if (s.solves()) {
        factors.call();
        return {restore, solve.call, error, solve.workspace};
    }
    const auto error_of_factors = [=] {
        restore();
        solve.call();
        return error();
    };
    return {[] {}, factors.call, error_of_factors, factors.workspace};
}

// Solving without the factors of an earlier call.
Run run_anew(const Session &session, const Shape &s, const Gtsv &p, const GtsvData &data) {
    if (!s.positive()) return gtsv_run(session, gtsv_routines::pivoted, p, data);
    const Step step = factoring_and_solving(session, p);
    return {restored(session.machine(), data), step.call,
            [&session, &data, p] { return error_of(session.machine(), p, data.b0.get()); }, step.workspace};
}

// LAPACK on the host. On CUDA cuSPARSE, which stores no factors and eliminates again; with one matrix it solves column
// by column, which the cases of gtsvBatch measure.
std::vector<Peer> peers_for(const Session &session, const Shape &s, const Gtsv &p, const GtsvData &data) {
    if (!session.on_cuda()) return lapack_peers(session, s.job, p, s.sets(), data);
    std::vector<Peer> peers;
    if (!s.solves() || s.op != XBATCH_OP_N) return peers;
    for (const Peer &peer : gtsv_peers(session, p, data))
        if (s.sets() > 1 || peer.name.rfind("cuSPARSE", 0) != 0) peers.push_back(peer);
    return peers;
}

void run(Session &session, const Shape &s) {
    const Machine &machine = session.machine();
    const int64_t rows = s.n * s.nrhs * s.batch, ld = tight(s.layout, s.n, s.batch, block_width);
    const GtsvData data = gtsv_data(machine, D, s.sets() == 1 ? s.n : rows, rows);
    Gtsv p = {
        D, s.layout, s.n, s.nrhs, s.batch, data.dl.get(), data.d.get(), data.du.get(), s.shared ? 0 : ld, data.b.get(),
        ld};
    p.op = s.op;
    std::vector<Peer> peers = peers_for(session, s, p, data);
    // Of a positive definite matrix du is e, and for the check dl is e a row later. Peers without symmetry read any dl.
    const Memory below(machine, s.positive() ? data.coefficient_bytes : 0);
    if (s.positive()) {
        const int64_t row = s.shared || s.layout == XBATCH_LAYOUT_FLAT ? 1 : ld;
        machine.copy(advanced(below.get(), row, D), p.du, data.coefficient_bytes - size_t(row) * sizeof(double));
        p.dl = below.get();
    }
    if (s.solves() && s.job != Job::ptsv && s.op == XBATCH_OP_N)
        peers.push_back({"solving anew", [&] { return run_anew(session, s, p, data); }});
    const double stored = s.job == Job::ptsv ? 0 : double(factor_sizes(session, s).stored);
    session.measure(describe(s, stored), our_run(session, s, p, data), peers,
                    s.job == Job::gtcon ? condition_bound : solve_bound * roundoff(D));
}

constexpr auto flat = XBATCH_LAYOUT_FLAT, interleaved = XBATCH_LAYOUT_INTERLEAVED,
               block = XBATCH_LAYOUT_BLOCK_INTERLEAVED;

std::vector<Shape> shapes(const Session &session) {
    std::vector<Shape> all;
    const auto add = [&](Job job, xbatchLayout_t layout, int64_t n, int64_t nrhs = 1) -> Shape & {
        const int64_t fit = session.elements(D) / (n * nrhs);
        all.push_back({job, layout, n, nrhs, std::max(fit / block_width, int64_t(1)) * block_width});
        return all.back();
    };
    const auto sizes = session.on_cuda() ? std::vector<int64_t>{128, 512, 2048} : std::vector<int64_t>{256};
    for (const Job job : {Job::gttrf, Job::gtcon, Job::pttrf, Job::ptsv})
        for (const auto layout : {flat, interleaved})
            for (const int64_t n : sizes) add(job, layout, n);
    for (const Job job : {Job::gttrs, Job::pttrs})
        for (const auto layout : {flat, interleaved})
            for (const int64_t n : sizes) {
                add(job, layout, n);
                add(job, layout, n).shared = true;
                add(job, layout, n, 16);
            }
    for (const auto layout : {flat, interleaved})
        for (const int64_t n : sizes) {
            add(Job::gttrs, layout, n).op = XBATCH_OP_T;
            Shape &transposed = add(Job::gttrs, layout, n);
            transposed.op = XBATCH_OP_T;
            transposed.shared = true;
        }
    for (const Job job : {Job::gttrf, Job::gttrs, Job::ptsv, Job::pttrs}) add(job, block, 256);
    return all;
}

}  // namespace

void measure(Session &session, const FactoredShape &s) {
    session.attempt(describe(s), [&] { run(session, s); });
}

void factored(Session &session) {
    for (const Shape &s : shapes(session)) measure(session, s);
}

}  // namespace bench
