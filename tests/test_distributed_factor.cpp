// test_distributed_factor.cpp: factors of systems whose rows are distributed over ranks.
//
// Solutions must have the bits of xgtsvMp, whatever the cuts and however often factors are used, and info must be that
// of xgtsvMp. The matrix is overwritten after it has been factored.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "support/fixtures/distributed.hpp"
#include "support/fixtures/factor.hpp"
#include "support/fixtures/gtsv_cases.hpp"

namespace xbatch_test {
namespace {

std::string name_of_case(const testing::TestParamInfo<MpCase> &info) {
    return letter(info.param.type) + std::string("gttrfMp") + layout_name(info.param.layout);
}

class DistributedFactor : public testing::TestWithParam<MpCase> {
protected:
    void SetUp() override {
        const Handle handle(GetParam().backend);
        XBATCH_NEEDS(handle);
    }
    template <class T>
    MpAnswer<T> solve(const Systems<T> &s, Division division, MpMethod method, int64_t k = 0) const {
        division.method = method, division.backend = GetParam().backend;
        division.is_in_stream = division.backend == XBATCH_BACKEND_CUDA && (k + division.ranks) % 2 == 0;
        return solve_mp(s, GetParam().layout, division, k);
    }
    template <class T>
    void expect_bits_of_one_call(const Systems<T> &s, const Division &division, int64_t k) const {
        SCOPED_TRACE(testing::Message() << "n " << s.n << ", nrhs " << s.nrhs << ", batch " << s.batch << ", sets "
                                        << s.sets << ", ranks " << division.ranks << ", flags " << division.flags
                                        << ", cuts " << testing::PrintToString(division.offsets) << ", placing " << k);
        const MpAnswer<T> expected = solve(s, division, MpMethod::pivoted, k);
        const MpAnswer<T> answer = solve(s, division, MpMethod::factored, k);
        EXPECT_TRUE(same_values(expected.x, answer.x));
        EXPECT_EQ(expected.info, answer.info);
    }
};

TEST_P(DistributedFactor, HasTheBitsOfOneCall) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const int64_t n : {1, 2, 31, 129, 513, 5003})
            for (const int64_t batch : {1, 19}) {
                if (n * batch > 20000) continue;
                // On CUDA a single system with contiguous rows has other bits than one with a distance between rows.
                if (batch == 1 && GetParam().backend == XBATCH_BACKEND_CUDA && GetParam().layout != XBATCH_LAYOUT_FLAT)
                    continue;
                const bool is_shared = ++k % 3 == 0;
                const Systems<T> s = make_systems<T>(n, 1 + k % 3, batch, {6, 1, 16, 24, 7}, is_shared, 9);
                for (Division division : divisions(n, uint64_t(k), GetParam().backend)) {
                    division.halo = k % 2 * 5, division.threads = 1 + int(k % 2);
                    expect_bits_of_one_call(s, division, k);
                }
            }
    });
}

TEST_P(DistributedFactor, SolvesWithTheTransposedMatrix) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const int64_t n : {1, 2, 31, 300})
            for (const xbatchOperation_t op : {XBATCH_OP_T, XBATCH_OP_C}) {
                const int64_t nrhs = 1 + ++k % 3, batch = k % 4 == 0 ? 1 : 19;
                const Systems<T> s = make_systems<T>(n, nrhs, batch, {6, 1, 18, 20}, k % 3 == 0, 9);
                const Systems<T> expected = turned(s, op);
                for (Division division : divisions(n, uint64_t(k), GetParam().backend)) {
                    SCOPED_TRACE(testing::Message() << "n " << n << ", op " << op << ", ranks " << division.ranks
                                                    << ", cuts " << testing::PrintToString(division.offsets));
                    division.op = op, division.halo = k % 2 * 5;
                    const MpAnswer<T> answer = solve(s, division, MpMethod::factored, 4 * k);
                    EXPECT_LE(errors_of(expected, answer.x).backward, 32);
                    if (op == XBATCH_OP_C || batch == 1) continue;
                    EXPECT_TRUE(same_values(solve(expected, division, MpMethod::pivoted, 4 * k).x, answer.x));
                }
            }
    });
}

// Matrices that cannot be factored have the info of a solve, and no effect on others.
TEST_P(DistributedFactor, IsolatesBadMatrices) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const int64_t n : {1, 5, 65, 301})
            for (const int flags : {XBATCH_MP_ALLTOALL, XBATCH_MP_ALLGATHER, XBATCH_MP_ANY_CUT}) {
                Systems<T> s = make_systems<T>(n, 2, 9, {18, 6});
                s.d[size_t(s.row(1, n / 2))] = scalar<T>(NAN), s.d[size_t(s.row(8, n - 1))] = scalar<T>(INFINITY);
                const int64_t row = n / 3;  // a column of zeros
                s.d[size_t(s.row(4, row))] = T(0);
                if (row > 0) s.du[size_t(s.row(4, row - 1))] = T(0);
                if (row + 1 < n) s.dl[size_t(s.row(4, row + 1))] = T(0);
                expect_bits_of_one_call(s, {5, flags}, 0);
            }
    });
}

TEST_P(DistributedFactor, SolvesManyTimes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Systems<T> s = make_systems<T>(300, 2, 7, {6, 1});
        Division division{3, XBATCH_MP_ALLTOALL};
        const MpAnswer<T> expected = solve(s, division, MpMethod::pivoted);
        division.method = MpMethod::factored, division.backend = GetParam().backend;
        World world(3, {}, division.backend == XBATCH_BACKEND_CUDA);
        const MpAnswer<T> answer = solve_mp(
            world, s, GetParam().layout, division, 0, [](int, xbatchMpPlan_t, MpCall<T> &call, xbatchHandle_t handle) {
                EXPECT_EQ(call.factor(), XBATCH_STATUS_SUCCESS) << xbatchGetLastErrorMessage(handle);
                EXPECT_EQ(call.solve_factored(), XBATCH_STATUS_SUCCESS);
                EXPECT_EQ(xbatchCommSynchronize(call.comm), XBATCH_STATUS_SUCCESS);
                call.restore_sides();
                return call.solve_factored();
            });
        EXPECT_EQ(answer.status, std::vector<xbatchStatus_t>(3, XBATCH_STATUS_SUCCESS));
        EXPECT_TRUE(same_values(expected.x, answer.x));
    });
}

INSTANTIATE_TEST_SUITE_P(Host, DistributedFactor, testing::ValuesIn(mp_cases(XBATCH_BACKEND_HOST)), name_of_case);
INSTANTIATE_TEST_SUITE_P(Cuda, DistributedFactor, testing::ValuesIn(mp_cases(XBATCH_BACKEND_CUDA)), name_of_case);

TEST(DistributedFactorMessages, HaveTheBytesOfTheContract) {
    for (const int64_t nrhs : {1, 3}) {
        const Systems<double> s = make_systems<double>(64, nrhs, 8, {6});
        Division division{2, XBATCH_MP_ALLTOALL};
        division.method = MpMethod::factored;
        const int64_t edge = 8 + 8 * 8, factor = edge + 16 + 4 * 80 + 4 * 32,
                      solve = 16 + 4 * 16 * nrhs + 4 * 32 * nrhs;
        EXPECT_EQ(solve_mp(s, XBATCH_LAYOUT_FLAT, division).bytes[0], factor + solve);
        division.flags = XBATCH_MP_ALLGATHER;
        EXPECT_EQ(solve_mp(s, XBATCH_LAYOUT_FLAT, division).bytes[1], edge + 8 + 8 * 80 + 8 + 8 * 16 * nrhs);
    }
}

// One rank's arguments for a plan of 5 flat systems of double, whose arrays are valid
struct GoodCall {
    GoodCall(xbatchMpPlan_t of, int rank, int ranks, int64_t sets_of_factors = 5) : plan(of), sets(sets_of_factors) {
        std::vector<int64_t> offsets(size_t(ranks) + 1);
        EXPECT_EQ(xbatchMpGetOffsets(plan, offsets.data()), XBATCH_STATUS_SUCCESS);
        m = offsets[size_t(rank) + 1] - offsets[size_t(rank)];
        side_.assign(size_t(m) * 5, 0.25), on_.assign(size_t(m) * 5, 4), x = x_before = side_;
        size_t factor_bytes = 0;
        EXPECT_EQ(xgttrfMp_bufferSize(plan, sets, &factor_bytes, &bytes), XBATCH_STATUS_SUCCESS);
        factors_.resize(factor_bytes / sizeof(std::max_align_t) + 1);
        space_.resize(bytes / sizeof(std::max_align_t) + 1);
        dl = side_.data(), d = on_.data(), B = x.data(), workspace = space_.data(), factors = factors_.data();
        ldb = m, ldt = sets == 1 ? 0 : m;
    }
    xbatchStatus_t factor() {
        return dgttrfMp(plan, sets, dl, d, side_.data(), ldt, factors, nullptr, workspace, bytes);
    }
    xbatchStatus_t solve() { return dgttrsMp(plan, op, sets, factors, B, ldb, workspace, bytes); }

    xbatchMpPlan_t plan;
    int64_t m, sets, ldt, ldb;
    xbatchOperation_t op = XBATCH_OP_N;
    const double *dl, *d;
    double *B;
    void *workspace, *factors;
    size_t bytes = 0;
    std::vector<double> x, x_before;

private:
    std::vector<double> side_, on_;
    std::vector<std::max_align_t> factors_, space_;
};

xbatchStatus_t make_plan(xbatchComm_t comm, xbatchMpPlan_t *plan) {
    return xgtsvMpCreatePlan(comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, 96, 1, 5, nullptr, 0, XBATCH_MP_ALLTOALL, plan);
}

struct Wrong {
    bool is_solve;
    const char *words;
    xbatchStatus_t status;
    void (*change)(GoodCall &);
};
const Wrong wrong_arguments[] = {
    {false, "dgttrfMp: argument 1, sets", XBATCH_STATUS_INVALID_VALUE, [](GoodCall &c) { c.sets = 2; }},
    {false, "dgttrfMp: argument 2, dl = NULL", XBATCH_STATUS_INVALID_VALUE, [](GoodCall &c) { c.dl = nullptr; }},
    {false, "dgttrfMp: argument 3, d = NULL", XBATCH_STATUS_INVALID_VALUE, [](GoodCall &c) { c.d = nullptr; }},
    {false, "dgttrfMp: argument 5, ldt, must be 0", XBATCH_STATUS_INVALID_VALUE, [](GoodCall &c) { c.ldt = 0; }},
    {false, "dgttrfMp: argument 5, ldt, must be 0", XBATCH_STATUS_INVALID_VALUE, [](GoodCall &c) { c.sets = 1; }},
    {false, "dgttrfMp: argument 6, factors = NULL", XBATCH_STATUS_INVALID_VALUE,
     [](GoodCall &c) { c.factors = nullptr; }},
    {false, "dgttrfMp: argument 8, workspace", XBATCH_STATUS_INSUFFICIENT_WORKSPACE,
     [](GoodCall &c) { c.workspace = nullptr; }},
    {true, "dgttrsMp: argument 1, op", XBATCH_STATUS_INVALID_VALUE, [](GoodCall &c) { c.op = xbatchOperation_t(3); }},
    {true, "dgttrsMp: argument 2, sets", XBATCH_STATUS_INVALID_VALUE, [](GoodCall &c) { c.sets = 0; }},
    {true, "dgttrsMp: argument 3, factors", XBATCH_STATUS_INVALID_VALUE, [](GoodCall &c) { c.sets = 1; }},
    {true, "dgttrsMp: argument 4, B = NULL", XBATCH_STATUS_INVALID_VALUE, [](GoodCall &c) { c.B = nullptr; }},
    {true, "dgttrsMp: argument 5, ldb", XBATCH_STATUS_INVALID_VALUE, [](GoodCall &c) { c.ldb = 0; }},
    {true, "dgttrsMp: argument 6, workspace", XBATCH_STATUS_INSUFFICIENT_WORKSPACE, [](GoodCall &c) { c.bytes = 15; }},
};

// One rank with a wrong argument; both refuse the call, and the next one works.
TEST(DistributedFactorArguments, AreRefusedByAllRanks) {
    World world(2);
    on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t handle) {
        xbatchMpPlan_t plan = nullptr;
        ASSERT_EQ(make_plan(comm, &plan), XBATCH_STATUS_SUCCESS);
        for (const auto &[is_solve, words, expected, change] : wrong_arguments) {
            GoodCall call(plan, rank, 2);
            if (is_solve) {
                EXPECT_EQ(call.factor(), XBATCH_STATUS_SUCCESS);
            }
            if (rank == 1) change(call);
            EXPECT_EQ(is_solve ? call.solve() : call.factor(), expected) << words;
            EXPECT_EQ(call.x, call.x_before) << words;
            if (rank == 1) {
                EXPECT_EQ(std::string(xbatchGetLastErrorMessage(handle)).substr(0, std::strlen(words)), words);
            }
        }
        GoodCall call(plan, rank, 2, 1);
        EXPECT_EQ(call.factor(), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(call.solve(), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
    });
}

// Every rank ends with COMM_FAILED, at the latest in the next call.
TEST(DistributedFactorFaults, EndOnEveryRank) {
    for (const Fault &fault : {Fault{Fault::silent, 2, 1},
                               {Fault::flip, 0, 1, 1, 3},
                               {Fault::silent, 2, 2},
                               {Fault::error_at_end, 0, 5},
                               {Fault::drop, 1, 4, 0},
                               {Fault::flip, 1, 4, 0, 3}}) {
        SCOPED_TRACE(testing::Message() << "fault " << fault.kind);
        World world(3, {fault});
        on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t) {
            EXPECT_EQ(xbatchCommSetTimeout(comm, 60), XBATCH_STATUS_SUCCESS);
            xbatchMpPlan_t plan = nullptr;
            ASSERT_EQ(make_plan(comm, &plan), XBATCH_STATUS_SUCCESS);
            GoodCall call(plan, rank, 3);
            xbatchStatus_t status = call.factor();
            for (int k = 0; k < 2 && status == XBATCH_STATUS_SUCCESS; ++k) {
                call.x = call.x_before;
                status = call.solve();
                EXPECT_EQ(call.x == call.x_before, status != XBATCH_STATUS_SUCCESS);
            }
            EXPECT_EQ(status, XBATCH_STATUS_COMM_FAILED) << "rank " << rank;
            EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
        });
    }
}

}  // namespace
}  // namespace xbatch_test
