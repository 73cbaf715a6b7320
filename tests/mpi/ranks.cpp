// ranks.cpp: distributed systems through the MPI layer. Each rank compares its rows with the solution of the whole
// systems on MPI_COMM_SELF, bit by bit, and their residuals; and fails in the ways that the argument names.
//
// Prints nothing and exits with 0 if all is as it should be.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "support/fixtures/tridiagonal.hpp"

namespace xbatch_test {
namespace {

int rank = 0, ranks = 1, failures = 0;

void check(bool is_true, const char *what, xbatchHandle_t handle = nullptr) {
    if (is_true) return;
    ++failures;
    std::fprintf(stderr, "rank %d of %d: %s%s%s\n", rank, ranks, what, handle ? ": " : "",
                 handle ? xbatchGetLastErrorMessage(handle) : "");
}

struct Session {
    Handle handle{XBATCH_BACKEND_HOST};
    xbatchComm_t comm = nullptr;

    explicit Session(const char *layer, const void *native) {
        xbatchSetThreadCount(handle, 1);
        check(xbatchCommCreate(handle, layer, native, &comm) == XBATCH_STATUS_SUCCESS, "xbatchCommCreate", handle);
    }
    ~Session() { check(xbatchCommDestroy(comm) == XBATCH_STATUS_SUCCESS, "xbatchCommDestroy"); }
};

// The rows of this rank, FLAT, in the arrays of one solve
struct Rows {
    std::vector<double> dl, d, du, x;
    std::vector<int32_t> info;
    std::vector<int64_t> offsets;
    xbatchStatus_t status = XBATCH_STATUS_INTERNAL_ERROR;
};

Rows solve_rows(const Session &session, const Systems<double> &s, bool is_periodic, const int64_t *cuts, int flags) {
    Rows a;
    xbatchMpPlan_t plan = nullptr;
    a.status =
        xgtsvMpCreatePlan(session.comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, s.n, s.nrhs, s.batch, cuts, 0, flags, &plan);
    if (a.status != XBATCH_STATUS_SUCCESS) return a;
    int size = 0, me = 0;
    size_t bytes = 0;
    xbatchCommGetSize(session.comm, &size), xbatchCommGetRank(session.comm, &me);
    a.offsets.resize(size_t(size) + 1);
    xbatchMpGetOffsets(plan, a.offsets.data());
    xgtsvMp_bufferSize(plan, &bytes);
    const int64_t first = a.offsets[size_t(me)], m = a.offsets[size_t(me) + 1] - first;
    const auto own = [&](const std::vector<double> &all, int64_t systems) {
        std::vector<double> part;
        for (int64_t k = 0; k < systems; ++k)
            part.insert(part.end(), all.begin() + k * s.n + first, all.begin() + k * s.n + first + m);
        return part;
    };
    a.dl = own(s.dl, s.batch), a.d = own(s.d, s.batch), a.du = own(s.du, s.batch), a.x = own(s.b, s.batch * s.nrhs);
    a.info.assign(size_t(s.batch), -1);
    std::vector<std::max_align_t> workspace(bytes / sizeof(std::max_align_t) + 1);
    a.status = (is_periodic ? dgtsvPeriodicMp : dgtsvMp)(plan, a.dl.data(), a.d.data(), a.du.data(), m, a.x.data(), m,
                                                         a.info.data(), workspace.data(), bytes);
    check(xbatchMpDestroyPlan(plan) == XBATCH_STATUS_SUCCESS, "xbatchMpDestroyPlan");
    return a;
}

void compare(const Session &all, const Session &self, int64_t n, bool is_periodic, const int64_t *cuts, int flags) {
    const Systems<double> s = make_systems<double>(n, 2, 11, {1, 6, 7, 16, 20}, false, 4, is_periodic);
    const Rows part = solve_rows(all, s, is_periodic, cuts, flags),
               whole = solve_rows(self, s, is_periodic, nullptr, 0);
    check(part.status == XBATCH_STATUS_SUCCESS, "the solve", all.handle);
    check(whole.status == XBATCH_STATUS_SUCCESS, "the solve on one rank", self.handle);
    if (part.status || whole.status) return;
    check(errors_of(s, whole.x).backward <= 32, "the backward error");
    check(part.info == whole.info && part.info == std::vector<int32_t>(11, 0), "info");
    const int64_t first = part.offsets[size_t(rank)], m = part.offsets[size_t(rank) + 1] - first;
    for (int64_t k = 0; k < s.batch * s.nrhs && m > 0; ++k) {
        const double *const x = &part.x[size_t(k * m)], *const y = &whole.x[size_t(k * n + first)];
        if (!(flags & XBATCH_MP_ANY_CUT)) check(std::memcmp(x, y, size_t(m) * sizeof *x) == 0, "bits of the solution");
    }
}

// This rank's rows of the results of one routine of each other kind
struct Others {
    std::vector<std::vector<double>> rows;  // [pscheme, ptsv, folr][rows of both systems]
    std::vector<double> x;                  // of least squares, R and Q^H B
    int64_t first = 0, m = 0;
    std::vector<double> nodes;  // of a Hines system, whose first one is first_node
    int64_t first_node = 0;
};

constexpr int64_t others_n = 1000;

Others solve_others(const Session &session) {
    Others o;
    const auto succeeds = [&](xbatchStatus_t status, const char *what) {
        check(status == XBATCH_STATUS_SUCCESS, what, session.handle);
    };
    xbatchMpPlan_t plan = nullptr;
    succeeds(xgtsvMpCreatePlan(session.comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, others_n, 1, 2, nullptr, 0, 0, &plan),
             "xgtsvMpCreatePlan");
    int size = 0, me = 0;
    xbatchCommGetSize(session.comm, &size), xbatchCommGetRank(session.comm, &me);
    std::vector<int64_t> offsets(size_t(size) + 1);
    xbatchMpGetOffsets(plan, offsets.data());
    o.first = offsets[size_t(me)], o.m = offsets[size_t(me) + 1] - o.first;
    const auto values = [&](double from, double step) {
        std::vector<double> part;
        for (int j = 0; j < 2; ++j)
            for (int64_t i = o.first; i < o.first + o.m; ++i) part.push_back(from + step * double((i * 37 + j) % 100));
        return part;
    };
    const std::vector<double> below = values(-1, 0.01), on = values(3, 0.01), above = values(0.5, 0.005);
    std::vector<double> workspace(200000);
    const size_t bytes = workspace.size() * sizeof(double);
    o.rows.assign(3, values(1, 0.1));
    succeeds(dgtsvPschemeMp(plan, below.data(), on.data(), above.data(), o.m, o.rows[0].data(), o.m, nullptr,
                            workspace.data(), bytes),
             "dgtsvPschemeMp");
    succeeds(dptsvMp(plan, on.data(), below.data(), o.m, o.rows[1].data(), o.m, nullptr, workspace.data(), bytes),
             "dptsvMp");
    succeeds(dfolrMp(plan, XBATCH_BACKWARD, above.data(), 1, o.m, below.data(), 1, o.m, nullptr, o.rows[2].data(), o.m,
                     workspace.data(), bytes),
             "dfolrMp");
    succeeds(xbatchMpDestroyPlan(plan), "xbatchMpDestroyPlan");
    // (n + nrhs) * 4 = 12 < 16, so that its chunks are those of the plan above
    o.x.resize(2);
    succeeds(dgelsTsMp(session.comm, others_n, 2, 1, nullptr, 0, on.data(), o.m, below.data(), o.m, nullptr, 0,
                       o.x.data(), 2, nullptr, nullptr, workspace.data(), bytes),
             "dgelsTsMp");
    size_t factor_bytes = 0, other_bytes = 0;
    succeeds(xgeqrtTsMp_bufferSize(session.comm, XBATCH_R_64F, others_n, 2, nullptr, 0, &factor_bytes, &other_bytes),
             "xgeqrtTsMp_bufferSize");
    std::vector<std::max_align_t> factors(factor_bytes / sizeof(std::max_align_t) + 1);
    std::vector<double> a = on, b = below;
    o.x.resize(8);
    succeeds(dgeqrtTsMp(session.comm, others_n, 2, nullptr, 0, a.data(), o.m, factors.data(), &o.x[2], 2, nullptr,
                        workspace.data(), bytes),
             "dgeqrtTsMp");
    succeeds(dgemqrtTsMp(session.comm, XBATCH_OP_T, others_n, 2, 1, nullptr, 0, a.data(), o.m, factors.data(), b.data(),
                         o.m, &o.x[6], 2, workspace.data(), bytes),
             "dgemqrtTsMp");
    return o;
}

// The nodes of a chain with branches of seven nodes
void solve_tree(const Session &session, Others &o) {
    std::vector<int32_t> parent(others_n, -1);
    for (int64_t i = 1; i < others_n; ++i) parent[size_t(i)] = int32_t(i % 8 == 0 ? i - 8 : i - 1);
    xbatchMpPlan_t plan = nullptr;
    check(xhinesMpCreatePlan(session.comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, others_n, parent.data(), 0,
                             XBATCH_HINES_TREE, 1, 1, nullptr, 0, &plan) == XBATCH_STATUS_SUCCESS,
          "xhinesMpCreatePlan", session.handle);
    int size = 0, me = 0;
    size_t bytes = 0;
    xbatchCommGetSize(session.comm, &size), xbatchCommGetRank(session.comm, &me);
    std::vector<int64_t> offsets(size_t(size) + 1);
    xbatchMpGetOffsets(plan, offsets.data());
    xhinesMp_bufferSize(plan, &bytes);
    o.first_node = offsets[size_t(me)];
    const int64_t m = offsets[size_t(me) + 1] - o.first_node;
    std::vector<double> u, d;
    for (int64_t i = o.first_node; i < o.first_node + m; ++i)
        u.push_back(-1 - double(i % 7)), d.push_back(30), o.nodes.push_back(double(i % 11));
    std::vector<std::max_align_t> workspace(bytes / sizeof(std::max_align_t) + 1);
    check(dhinesMp(plan, XBATCH_OP_N, u.data(), u.data(), m, d.data(), m, o.nodes.data(), m, nullptr, workspace.data(),
                   bytes) == XBATCH_STATUS_SUCCESS,
          "dhinesMp", session.handle);
    check(xbatchMpDestroyPlan(plan) == XBATCH_STATUS_SUCCESS, "xbatchMpDestroyPlan");
}

void compare_others(const Session &all, const Session &self) {
    Others part = solve_others(all), whole = solve_others(self);
    solve_tree(all, part), solve_tree(self, whole);
    check(std::equal(part.nodes.begin(), part.nodes.end(), whole.nodes.begin() + part.first_node),
          "bits of a Hines system");
    for (size_t k = 0; k < 3; ++k)
        for (int64_t j = 0; j < 2 && part.m > 0; ++j)
            check(std::memcmp(&part.rows[k][size_t(j * part.m)], &whole.rows[k][size_t(j * others_n + part.first)],
                              size_t(part.m) * sizeof(double)) == 0,
                  "bits of other routines");
    check(part.x == whole.x && part.x[0] != 0, "bits of the least squares solution and of QR");
}

void solve() {
    const MPI_Comm self_comm = MPI_COMM_SELF;
    const MPI_Fint world_f = MPI_Comm_c2f(MPI_COMM_WORLD);
    const Session self("mpi", &self_comm);
    for (const bool in_fortran : {false, true}) {
        const Session all(in_fortran ? "mpi_f" : "mpi", in_fortran ? &world_f : nullptr);
        int number = -1;
        xbatchCommGetRank(all.comm, &number);
        check(number == rank, "xbatchCommGetRank");
        xbatchCommGetSize(all.comm, &number);
        check(number == ranks, "xbatchCommGetSize");
        for (const int64_t n : {1, 5, 64, 1000, 20000})
            for (const int flags :
                 {int(XBATCH_MP_ALLTOALL), int(XBATCH_MP_ALLGATHER), int(XBATCH_MP_ALLTOALL) | int(XBATCH_MP_ANY_CUT)})
                compare(all, self, n, n % 3 == 0, nullptr, flags);
        std::vector<int64_t> cuts(size_t(ranks) + 1,
                                  640);  // on chunks of 20 rows; the first and last shares are empty
        cuts[0] = 0;
        for (int p = 1; p < ranks - 1; ++p) cuts[size_t(p)] = (p * p * 70) % 640 / 20 * 20;
        std::sort(cuts.begin(), cuts.end());
        compare(all, self, 640, in_fortran, cuts.data(), XBATCH_MP_DEFAULT);
        compare_others(all, self);
    }
}

void differ(const Session &all) {
    const Systems<double> s = make_systems<double>(100, 1, rank == 2 ? 4 : 3, {6});
    check(solve_rows(all, s, false, nullptr, 0).status == XBATCH_STATUS_INVALID_VALUE, "plans that differ", all.handle);
    const std::string text = xbatchGetLastErrorMessage(all.handle);
    check(text.find("rank 2 differs from rank 0 in batch") != std::string::npos, text.c_str());
    check(xbatchCommSynchronize(all.comm) == XBATCH_STATUS_SUCCESS, "the communicator is alive");
}

void refuse(const Session &all) {
    xbatchMpPlan_t plan = nullptr;
    check(!xgtsvMpCreatePlan(all.comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, 90, 1, 1, nullptr, 0, 0, &plan), "the plan");
    std::vector<double> ones(90, 1), workspace(20000);
    const int64_t ld = rank == 1 ? -1 : 90;
    check(dgtsvMp(plan, ones.data(), ones.data(), ones.data(), ld, workspace.data(), 90, nullptr, workspace.data(),
                  workspace.size() * sizeof(double)) == XBATCH_STATUS_INVALID_VALUE,
          "a refused argument", all.handle);
    check(xbatchMpDestroyPlan(plan) == XBATCH_STATUS_SUCCESS, "xbatchMpDestroyPlan");
}

// One rank calls later than the time-out of the others.
void late(const Session &all) {
    const Systems<double> s = make_systems<double>(3000, 1, 40, {6});
    check(solve_rows(all, s, false, nullptr, XBATCH_MP_ALLTOALL).status == XBATCH_STATUS_SUCCESS, "in time",
          all.handle);
    xbatchCommSetTimeout(all.comm, 500);
    if (rank == 1) sleep(3);
    check(solve_rows(all, s, false, nullptr, XBATCH_MP_ALLTOALL).status == XBATCH_STATUS_COMM_FAILED, "late",
          all.handle);
    check(xbatchCommSynchronize(all.comm) == XBATCH_STATUS_COMM_FAILED, "the communicator is dead");
}

// One rank makes a plan in place of a solve.
void other(const Session &all) {
    xbatchCommSetTimeout(all.comm, 2000);
    xbatchMpPlan_t plan = nullptr, another = nullptr;
    const auto make = [&](xbatchMpPlan_t *out) {
        return xgtsvMpCreatePlan(all.comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, 90, 1, 1, nullptr, 0, 0, out);
    };
    check(make(&plan) == XBATCH_STATUS_SUCCESS, "the plan", all.handle);
    std::vector<double> ones(90, 1), x(90, 1), workspace(20000);
    const xbatchStatus_t status = rank == 2 ? make(&another)
                                            : dgtsvMp(plan, ones.data(), ones.data(), ones.data(), 90, x.data(), 90,
                                                      nullptr, workspace.data(), workspace.size() * sizeof(double));
    check(status == XBATCH_STATUS_COMM_FAILED, "different calls", all.handle);
    check(x == ones, "B after a failure");
    check(xbatchMpDestroyPlan(plan) == XBATCH_STATUS_SUCCESS, "xbatchMpDestroyPlan");
}

// One rank creates its communicator later than the time-out of the others, which is that of the environment.
void absent() {
    Handle handle(XBATCH_BACKEND_HOST);
    xbatchComm_t comm = nullptr;
    if (rank == 1) sleep(2);
    const xbatchStatus_t status = xbatchCommCreate(handle, "mpi", nullptr, &comm);
    check(status == XBATCH_STATUS_COMM_FAILED || rank == 1, "xbatchCommCreate without a rank", handle);
    if (rank == 1 && comm) {  // it may have received all messages of the others
        xbatchMpPlan_t plan = nullptr;
        check(xgtsvMpCreatePlan(comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, 9, 1, 1, nullptr, 0, 0, &plan) ==
                  XBATCH_STATUS_COMM_FAILED,
              "a plan without the others", handle);
    }
    check(xbatchCommDestroy(comm) == XBATCH_STATUS_SUCCESS, "xbatchCommDestroy");
}

void killed(const Session &all) {
    const Systems<double> s = make_systems<double>(3000, 1, 40, {6});
    solve_rows(all, s, false, nullptr, XBATCH_MP_ALLTOALL);
    if (rank == 1) std::raise(SIGKILL);
    solve_rows(all, s, false, nullptr, XBATCH_MP_ALLTOALL);
}

}  // namespace
}  // namespace xbatch_test

int main(int argc, char **argv) {
    using namespace xbatch_test;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::string what = argc > 1 ? argv[1] : "solve";
    if (what == "solve") {
        solve();
    } else if (what == "absent") {
        absent();
        if (rank != 1 && failures == 0) sleep(6);      // until rank 1 has ended its part
        MPI_Abort(MPI_COMM_WORLD, failures ? 1 : 42);  // MPI's own duplicate is not complete on every rank
    } else {
        const Session all("mpi", nullptr);
        (what == "differ"   ? differ
         : what == "refuse" ? refuse
         : what == "late"   ? late
         : what == "other"  ? other
                            : killed)(all);
    }
    MPI_Finalize();
    return failures > 0;
}
