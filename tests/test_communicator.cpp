// test_communicator.cpp: communicators, agreement of ranks, and failures.
//
// Whatever goes wrong on one rank, every rank must return: the same status where arguments are refused, COMM_FAILED
// where messages are late, lost or damaged. Then B is as before, further calls are refused, and everything can be
// destroyed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "support/fixtures/distributed.hpp"

namespace xbatch_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t rows = 96;

xbatchStatus_t make_plan(xbatchComm_t comm, xbatchMpPlan_t *plan, int flags = XBATCH_MP_ALLTOALL) {
    return xgtsvMpCreatePlan(comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, rows, 1, 5, nullptr, 0, flags, plan);
}

// One rank's arguments of xgtsvMp for the plan above, whose arrays are valid
struct Good {
    Good(xbatchMpPlan_t of, int rank, int ranks) : plan(of) {
        std::vector<int64_t> offsets(size_t(ranks) + 1);
        EXPECT_EQ(xbatchMpGetOffsets(plan, offsets.data()), XBATCH_STATUS_SUCCESS);
        m = offsets[size_t(rank) + 1] - offsets[size_t(rank)];
        ldt = ldb = m;
        for (std::vector<double> *array : {&dl_, &d_, &du_, &b_}) array->assign(size_t(m) * 5, array == &d_ ? 4. : 1.);
        info_.assign(5, -1);
        EXPECT_EQ(xgtsvMp_bufferSize(plan, &bytes), XBATCH_STATUS_SUCCESS);
        workspace_.resize(bytes / sizeof(std::max_align_t) + 1);
        dl = dl_.data(), d = d_.data(), du = du_.data(), B = b_.data(), info = info_.data();
        workspace = workspace_.data();
    }
    xbatchStatus_t run() { return xgtsvMp(plan, dl, d, du, ldt, B, ldb, info, workspace, bytes); }
    xbatchStatus_t run_periodic() { return xgtsvPeriodicMp(plan, dl, d, du, ldt, B, ldb, info, workspace, bytes); }
    bool wrote_nothing() const {
        return b_ == std::vector<double>(size_t(m) * 5, 1.) && info_ == std::vector<int32_t>(5, -1);
    }
    bool is_solved() const {
        return info_ == std::vector<int32_t>(5, 0) &&
               std::none_of(b_.begin(), b_.end(), [](double x) { return !(std::fabs(x) > 1e-3 && std::fabs(x) < 1); });
    }

    xbatchMpPlan_t plan;
    int64_t m, ldt, ldb;
    const double *dl, *d, *du;
    double *B;
    int32_t *info;
    void *workspace;
    size_t bytes;

private:
    std::vector<double> dl_, d_, du_, b_;
    std::vector<int32_t> info_;
    std::vector<std::max_align_t> workspace_;
};

TEST(Communicator, Properties) {
    World world(3);
    on_ranks(world, [](int rank, xbatchComm_t comm, xbatchHandle_t) {
        int number = -1;
        EXPECT_EQ(xbatchCommGetRank(comm, &number), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(number, rank);
        EXPECT_EQ(xbatchCommGetSize(comm, &number), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(number, 3);
        int64_t offsets[4];
        EXPECT_EQ(xbatchCommSplitBatch(comm, 10, offsets), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(std::vector<int64_t>(offsets, offsets + 4), (std::vector<int64_t>{0, 3, 6, 10}));
        int64_t messages = -1, bytes = -1;
        EXPECT_EQ(xbatchCommGetCounts(comm, &messages, nullptr), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(xbatchCommGetCounts(comm, nullptr, &bytes), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(messages, 0);
        EXPECT_EQ(bytes, 0);
        EXPECT_EQ(xbatchCommSynchronize(comm), XBATCH_STATUS_SUCCESS);
    });
}

TEST(Communicator, WrongArguments) {
    World world(1);
    on_ranks(world, [&](int, xbatchComm_t comm, xbatchHandle_t handle) {
        const auto refused = [&](xbatchStatus_t status, const char *words) {
            EXPECT_EQ(status, XBATCH_STATUS_INVALID_VALUE);
            EXPECT_EQ(std::string(xbatchGetLastErrorMessage(handle)).substr(0, std::strlen(words)), words);
        };
        refused(xbatchCommGetRank(comm, nullptr), "xbatchCommGetRank: argument 1, rank = NULL");
        refused(xbatchCommGetSize(comm, nullptr), "xbatchCommGetSize: argument 1, size = NULL");
        refused(xbatchCommSetTimeout(comm, 0), "xbatchCommSetTimeout: argument 1, milliseconds = 0");
        int64_t offsets[2] = {7, 7};
        refused(xbatchCommSplitBatch(comm, -1, offsets), "xbatchCommSplitBatch: argument 1, batch = -1");
        refused(xbatchCommSplitBatch(comm, 1, nullptr), "xbatchCommSplitBatch: argument 2, offsets = NULL");
        EXPECT_EQ(offsets[0], 7);

        xbatchComm_t other = comm;
        xbatchCommLayer_t layer = world.layer(0);
        refused(xbatchCommCreateCustom(handle, nullptr, nullptr, &other), "xbatchCommCreateCustom: argument 1, layer");
        EXPECT_EQ(other, nullptr);
        refused(xbatchCommCreateCustom(handle, &layer, nullptr, nullptr), "xbatchCommCreateCustom: argument 3, comm");
        layer.rank = 1;
        refused(xbatchCommCreateCustom(handle, &layer, nullptr, &other), "xbatchCommCreateCustom: argument 1, layer");
        layer = world.layer(0), layer.wait = nullptr;
        refused(xbatchCommCreateCustom(handle, &layer, nullptr, &other), "xbatchCommCreateCustom: argument 1, layer");
        layer = world.layer(0), layer.version = 0;
        EXPECT_EQ(xbatchCommCreateCustom(handle, &layer, nullptr, &other), XBATCH_STATUS_NOT_SUPPORTED);
        EXPECT_EQ(xbatchCommCreateCustom(nullptr, &layer, nullptr, &other), XBATCH_STATUS_INVALID_HANDLE);

        unsetenv("XBATCH_COMM_LAYER");
        refused(xbatchCommCreate(handle, nullptr, nullptr, &other), "xbatchCommCreate: argument 1, layer");
        refused(xbatchCommCreate(handle, "", nullptr, &other), "xbatchCommCreate: argument 1, layer");
        refused(xbatchCommCreate(handle, "smoke", nullptr, &other), "xbatchCommCreate: argument 1, layer = smoke: no");
        refused(xbatchCommCreate(handle, "smoke", nullptr, nullptr), "xbatchCommCreate: argument 3, comm");
        EXPECT_EQ(xbatchCommCreate(handle, "./none.so", nullptr, &other), XBATCH_STATUS_NOT_SUPPORTED);
        EXPECT_EQ(other, nullptr);
    });
}

TEST(Communicator, NullAndDestroyed) {
    xbatchComm_t gone = nullptr;
    xbatchMpPlan_t plan = nullptr, orphan = nullptr;
    World world(1);
    Handle handle(XBATCH_BACKEND_HOST);
    const xbatchCommLayer_t layer = world.layer(0);
    ASSERT_EQ(xbatchCommCreateCustom(handle, &layer, world.context(0), &gone), XBATCH_STATUS_SUCCESS);
    ASSERT_EQ(make_plan(gone, &orphan), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(xbatchCommDestroy(nullptr), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(xbatchCommDestroy(gone), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(xbatchCommDestroy(gone), XBATCH_STATUS_INVALID_HANDLE);
    int number = 0;
    int64_t offsets[2];
    size_t bytes = 0;
    for (const xbatchComm_t comm : {gone, xbatchComm_t(nullptr)}) {
        EXPECT_EQ(xbatchCommGetRank(comm, &number), XBATCH_STATUS_INVALID_HANDLE);
        EXPECT_EQ(xbatchCommGetSize(comm, &number), XBATCH_STATUS_INVALID_HANDLE);
        EXPECT_EQ(xbatchCommAbort(comm), XBATCH_STATUS_INVALID_HANDLE);
        EXPECT_EQ(xbatchCommSynchronize(comm), XBATCH_STATUS_INVALID_HANDLE);
        EXPECT_EQ(xbatchCommSetTimeout(comm, 5), XBATCH_STATUS_INVALID_HANDLE);
        EXPECT_EQ(xbatchCommGetCounts(comm, nullptr, nullptr), XBATCH_STATUS_INVALID_HANDLE);
        EXPECT_EQ(xbatchCommSplitBatch(comm, 1, offsets), XBATCH_STATUS_INVALID_HANDLE);
        EXPECT_EQ(make_plan(comm, &plan), XBATCH_STATUS_INVALID_HANDLE);
    }
    for (const xbatchMpPlan_t of : {orphan, xbatchMpPlan_t(nullptr)}) {
        EXPECT_EQ(xbatchMpGetOffsets(of, offsets), XBATCH_STATUS_INVALID_HANDLE);
        EXPECT_EQ(xgtsvMp_bufferSize(of, &bytes), XBATCH_STATUS_INVALID_HANDLE);
        EXPECT_EQ(xgtsvMp(of, nullptr, nullptr, nullptr, 0, nullptr, 0, nullptr, nullptr, 0),
                  XBATCH_STATUS_INVALID_HANDLE);
    }
    EXPECT_EQ(xbatchMpDestroyPlan(orphan), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(xbatchMpDestroyPlan(orphan), XBATCH_STATUS_INVALID_HANDLE);
    EXPECT_EQ(xbatchMpDestroyPlan(nullptr), XBATCH_STATUS_SUCCESS);
}

// Arguments of a plan
struct PlanArguments {
    xbatchDataType_t type = XBATCH_R_64F;
    xbatchLayout_t layout = XBATCH_LAYOUT_BLOCK_INTERLEAVED;
    int64_t n = 100, nrhs = 2, batch = 3;
    std::vector<int64_t> offsets = {};
    int64_t block_stride = 0;
    int flags = 0;
    bool has_plan = true;
};

// Creates a plan with arguments of each rank; all ranks must refuse it with this status, and the one that is blamed, or
// all, with these words.
void expect_refused_plan(int ranks, const std::function<PlanArguments(int)> &arguments, xbatchStatus_t expected,
                         const std::string &words, int blamed) {
    SCOPED_TRACE(words);
    World world(ranks);
    on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t handle) {
        const PlanArguments a = arguments(rank);
        xbatchMpPlan_t plan = reinterpret_cast<xbatchMpPlan_t>(1);
        EXPECT_EQ(xgtsvMpCreatePlan(comm, a.type, a.layout, a.n, a.nrhs, a.batch,
                                    a.offsets.empty() ? nullptr : a.offsets.data(), a.block_stride, a.flags,
                                    a.has_plan ? &plan : nullptr),
                  expected)
            << "rank " << rank << ": " << xbatchGetLastErrorMessage(handle);
        if (a.has_plan) {
            EXPECT_EQ(plan, nullptr);
        }
        const std::string text = xbatchGetLastErrorMessage(handle);
        const std::string other = "xgtsvMpCreatePlan: rank " + std::to_string(blamed) + " refused its arguments";
        const std::string &should = blamed < 0 || rank == blamed ? words : other;
        EXPECT_EQ(text.substr(0, should.size()), should) << "rank " << rank;
        EXPECT_EQ(xbatchCommSynchronize(comm), XBATCH_STATUS_SUCCESS) << "the communicator is alive";
        EXPECT_EQ(make_plan(comm, &plan), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
    });
}

TEST(Plan, OneRankWithAWrongArgument) {
    const std::string begin = "xgtsvMpCreatePlan: argument ";
    const std::vector<std::pair<std::string, std::function<void(PlanArguments &)>>> wrong = {
        {"1, type", [](PlanArguments &a) { a.type = xbatchDataType_t(4); }},
        {"2, layout", [](PlanArguments &a) { a.layout = xbatchLayout_t(3); }},
        {"3, n = -1", [](PlanArguments &a) { a.n = -1; }},
        {"4, nrhs = -1", [](PlanArguments &a) { a.nrhs = -1; }},
        {"5, batch = -1", [](PlanArguments &a) { a.batch = -1; }},
        {"3, n: its extent", [](PlanArguments &a) { a.batch = INT64_MAX; }},
        {"6, offsets",
         [](PlanArguments &a) {
             a.offsets = {1, 50, 50, 100};
         }},
        {"6, offsets",
         [](PlanArguments &a) {
             a.offsets = {0, 50, 50, 99};
         }},
        {"6, offsets",
         [](PlanArguments &a) {
             a.offsets = {0, 50, 25, 100};
         }},
        {"6, offsets[1], must be on a chunk, of which the nearest begins at row 50",
         [](PlanArguments &a) {
             a.offsets = {0, 51, 100, 100};
         }},
        {"7, blockStride = -1", [](PlanArguments &a) { a.block_stride = -1; }},
        {"7, blockStride", [](PlanArguments &a) { a.layout = XBATCH_LAYOUT_FLAT, a.block_stride = 400; }},
        {"8, flags", [](PlanArguments &a) { a.flags = 8; }},
        {"8, flags", [](PlanArguments &a) { a.flags = XBATCH_MP_ALLTOALL | XBATCH_MP_ALLGATHER; }},
        {"9, plan", [](PlanArguments &a) { a.has_plan = false; }},
    };
    for (const auto &[words, change] : wrong)
        for (const int blamed : {0, 2})
            expect_refused_plan(
                3,
                [&, &change = change](int rank) {
                    PlanArguments a;
                    if (rank == blamed) change(a);
                    return a;
                },
                XBATCH_STATUS_INVALID_VALUE, begin + words, blamed);
}

TEST(Plan, RanksThatDiffer) {
    const std::vector<std::pair<std::string, std::function<void(PlanArguments &)>>> changes = {
        {"type", [](PlanArguments &a) { a.type = XBATCH_R_32F; }},
        {"layout", [](PlanArguments &a) { a.layout = XBATCH_LAYOUT_FLAT; }},
        {"n", [](PlanArguments &a) { a.n = 101; }},
        {"nrhs", [](PlanArguments &a) { a.nrhs = 3; }},
        {"batch", [](PlanArguments &a) { a.batch = 4; }},
        {"offsets",
         [](PlanArguments &a) {
             a.offsets = {0, 25, 100, 100};
         }},
        {"flags", [](PlanArguments &a) { a.flags = XBATCH_MP_ALLGATHER; }},
    };
    for (const auto &[name, change] : changes)
        expect_refused_plan(
            3,
            [&change = change](int rank) {
                PlanArguments a;
                if (rank == 1) change(a);
                return a;
            },
            XBATCH_STATUS_INVALID_VALUE, "xgtsvMpCreatePlan: rank 1 differs from rank 0 in " + name + ":", -1);
}

TEST(Plan, EvenSharesMayBeGivenOrNot) {
    World world(2);
    on_ranks(world, [](int rank, xbatchComm_t comm, xbatchHandle_t) {
        const int64_t offsets[] = {0, 50, 100};
        xbatchMpPlan_t plan = nullptr;
        EXPECT_EQ(
            xgtsvMpCreatePlan(comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, 100, 1, 1, rank ? offsets : nullptr, 0, 0, &plan),
            XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
    });
}

// A rank whose arguments are refused: every rank returns that status, nothing is written, and the next solve works.
TEST(Solve, OneRankWithAWrongArgument) {
    struct Wrong {
        std::string words;
        std::function<void(Good &)> change;
        xbatchStatus_t status = XBATCH_STATUS_INVALID_VALUE;
    };
    const std::vector<Wrong> wrong = {
        {"argument 1, dl = NULL", [](Good &a) { a.dl = nullptr; }},
        {"argument 2, d = NULL", [](Good &a) { a.d = nullptr; }},
        {"argument 3, du = NULL", [](Good &a) { a.du = nullptr; }},
        {"argument 4, ldt = ", [](Good &a) { a.ldt = a.m - 1; }},
        {"argument 4, ldt = -1", [](Good &a) { a.ldt = -1; }},
        {"argument 4, ldt: its extent", [](Good &a) { a.ldt = INT64_MAX; }},
        {"argument 5, B = NULL", [](Good &a) { a.B = nullptr; }},
        {"argument 6, ldb = ", [](Good &a) { a.ldb = a.m - 1; }},
        {"argument 8, workspace", [](Good &a) { --a.bytes; }, XBATCH_STATUS_INSUFFICIENT_WORKSPACE},
        {"argument 8, workspace", [](Good &a) { a.workspace = nullptr; }, XBATCH_STATUS_INSUFFICIENT_WORKSPACE},
    };
    for (const int flags : {XBATCH_MP_ALLTOALL, XBATCH_MP_ALLGATHER})
        for (const int blamed : {0, 2}) {
            World world(3);
            on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t handle) {
                xbatchMpPlan_t plan = nullptr;
                ASSERT_EQ(make_plan(comm, &plan, flags), XBATCH_STATUS_SUCCESS);
                for (const Wrong &each : wrong) {
                    Good call(plan, rank, 3);
                    if (rank == blamed) each.change(call);
                    EXPECT_EQ(call.run(), each.status) << each.words << ", rank " << rank;
                    EXPECT_TRUE(call.wrote_nothing());
                    const std::string text = xbatchGetLastErrorMessage(handle);
                    const std::string should =
                        rank == blamed ? each.words : "rank " + std::to_string(blamed) + " refused its arguments";
                    EXPECT_NE(text.find("xgtsvMp: " + should), std::string::npos) << text;
                    Good next(plan, rank, 3);
                    EXPECT_EQ(next.run(), XBATCH_STATUS_SUCCESS);
                    EXPECT_TRUE(next.is_solved());
                }
                EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
            });
        }
}

TEST(Solve, OfAnotherType) {
    World world(2);
    on_ranks(world, [](int rank, xbatchComm_t comm, xbatchHandle_t) {
        xbatchMpPlan_t plan = nullptr;
        ASSERT_EQ(make_plan(comm, &plan), XBATCH_STATUS_SUCCESS);
        Good call(plan, rank, 2);
        float b = 0;
        EXPECT_EQ(sgtsvMp(plan, &b, &b, &b, call.ldt, &b, call.ldb, nullptr, call.workspace, call.bytes),
                  XBATCH_STATUS_INVALID_VALUE);
        EXPECT_EQ(
            dgtsvMp(plan, call.dl, call.d, call.du, call.ldt, call.B, call.ldb, call.info, call.workspace, call.bytes),
            XBATCH_STATUS_SUCCESS);
        EXPECT_TRUE(call.is_solved());
        EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
    });
}

// The blocks of a share must fit blockStride.
TEST(Solve, SmallBlockStride) {
    World world(2);
    on_ranks(world, [](int, xbatchComm_t comm, xbatchHandle_t handle) {
        xbatchMpPlan_t plan = nullptr;
        ASSERT_EQ(
            xgtsvMpCreatePlan(comm, XBATCH_R_64F, XBATCH_LAYOUT_BLOCK_INTERLEAVED, 64, 1, 6, nullptr, 11, 0, &plan),
            XBATCH_STATUS_SUCCESS);
        double x[64] = {};
        EXPECT_EQ(xgtsvMp(plan, x, x, x, 3, x, 2, nullptr, x, sizeof x), XBATCH_STATUS_INVALID_VALUE);
        EXPECT_NE(std::string(xbatchGetLastErrorMessage(handle)).find("argument 4, ldt"), std::string::npos);
        EXPECT_EQ(xgtsvMp(plan, x, x, x, 0, x, 3, nullptr, x, sizeof x), XBATCH_STATUS_INVALID_VALUE);
        EXPECT_NE(std::string(xbatchGetLastErrorMessage(handle)).find("argument 6, ldb"), std::string::npos);
        EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
    });
}

// Solves with a fault on one rank, or on what it sends. Every rank must end with COMM_FAILED, at the latest in the call
// after the last one for which it has all messages. B is then as before.
void expect_ended(Fault fault, int flags) {
    SCOPED_TRACE(testing::Message() << "fault " << fault.kind << " of exchange " << fault.exchange << " of rank "
                                    << fault.rank << ", byte " << fault.byte << ", flags " << flags);
    constexpr int64_t milliseconds = 60;
    World world(3, {fault});
    std::vector<xbatchStatus_t> statuses(3);
    on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t handle) {
        EXPECT_EQ(xbatchCommSetTimeout(comm, milliseconds), XBATCH_STATUS_SUCCESS);
        const auto begin = Clock::now();
        xbatchMpPlan_t plan = nullptr;
        xbatchStatus_t status = make_plan(comm, &plan, flags);
        if (plan) {
            for (int solve = 0; solve < 3 && status == XBATCH_STATUS_SUCCESS; ++solve) {
                Good call(plan, rank, 3);
                status = call.run();
                EXPECT_TRUE(status == XBATCH_STATUS_SUCCESS ? call.is_solved() : call.wrote_nothing());
            }
        }
        statuses[size_t(rank)] = status;
        const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
        EXPECT_LE(spent, 20 * milliseconds) << "it may wait for a few time-outs of others";
        if (status == XBATCH_STATUS_COMM_FAILED) {
            EXPECT_TRUE(world.is_aborted(rank));
            EXPECT_EQ(xbatchCommSynchronize(comm), XBATCH_STATUS_COMM_FAILED);
            const auto again = Clock::now();
            xbatchMpPlan_t other = nullptr;
            EXPECT_EQ(make_plan(comm, &other), XBATCH_STATUS_COMM_FAILED);
            if (plan) {
                Good call(plan, rank, 3);
                EXPECT_EQ(call.run(), XBATCH_STATUS_COMM_FAILED);
                EXPECT_TRUE(call.wrote_nothing());
            }
            EXPECT_LT(Clock::now() - again, std::chrono::milliseconds(100)) << "at once";
            EXPECT_NE(std::string(xbatchGetLastErrorMessage(handle)), "");
        }
        EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
    });
    for (int rank = 0; rank < 3; ++rank)
        EXPECT_EQ(statuses[size_t(rank)], XBATCH_STATUS_COMM_FAILED) << "rank " << rank;
}

// Exchange 0 makes the plan. Exchanges 1 and 2 are those of the first solve; with allgather 2 is of the second solve.
TEST(Faults, EndOnEveryRank) {
    for (const int flags : {XBATCH_MP_ALLTOALL, XBATCH_MP_ALLGATHER})
        for (const int64_t exchange : {0, 1, 2})
            for (const int rank : {0, 2}) {
                for (const Fault::Kind kind : {Fault::error_at_start, Fault::error_at_end, Fault::silent})
                    expect_ended({kind, rank, exchange}, flags);
                expect_ended({Fault::delay, rank, exchange, 0, 0, 300}, flags);
            }
}
TEST(Faults, LostAndDamagedMessages) {
    for (const int64_t exchange : {0, 1}) {
        expect_ended({Fault::drop, 1, exchange, 2}, XBATCH_MP_ALLTOALL);
        expect_ended({Fault::drop, 1, exchange, 2}, XBATCH_MP_ALLGATHER);
        for (int64_t byte = 0; byte < 8; ++byte) expect_ended({Fault::flip, 1, exchange, 0, byte}, XBATCH_MP_ALLTOALL);
    }
    for (int64_t byte = 0; byte < 8; ++byte) expect_ended({Fault::flip, 0, 2, 2, byte}, XBATCH_MP_ALLTOALL);
}
// A late rank is no failure before the time-out.
TEST(Faults, ShortDelays) {
    World world(4, {{Fault::delay, 1, 1, 0, 0, 40}, {Fault::delay, 3, 2, 0, 0, 40}, {Fault::delay, 0, 0, 0, 0, 40}});
    on_ranks(world, [](int rank, xbatchComm_t comm, xbatchHandle_t) {
        xbatchMpPlan_t plan = nullptr;
        ASSERT_EQ(make_plan(comm, &plan), XBATCH_STATUS_SUCCESS);
        Good call(plan, rank, 4);
        EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS);
        EXPECT_TRUE(call.is_solved());
        EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
    });
}

// Ranks that call different functions, or one function on different plans
TEST(Faults, DifferentCalls) {
    for (const int flags : {XBATCH_MP_ALLTOALL, XBATCH_MP_ALLGATHER})
        for (int what = 0; what < 4; ++what) {
            SCOPED_TRACE(testing::Message() << "case " << what << ", flags " << flags);
            World world(3);
            on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t) {
                EXPECT_EQ(xbatchCommSetTimeout(comm, 200), XBATCH_STATUS_SUCCESS);
                xbatchMpPlan_t plan = nullptr, other = nullptr;
                ASSERT_EQ(make_plan(comm, &plan, flags), XBATCH_STATUS_SUCCESS);
                ASSERT_EQ(make_plan(comm, &other, flags), XBATCH_STATUS_SUCCESS);
                Good call(rank == 1 && what == 0 ? other : plan, rank, 3);
                xbatchStatus_t status = XBATCH_STATUS_SUCCESS;
                xbatchMpPlan_t third = nullptr;
                if (rank == 1 && what == 1)
                    status = call.run_periodic();
                else if (rank == 1 && what == 2)
                    status = make_plan(comm, &third, flags);
                else if (rank == 1 && what == 3)
                    status = xbatchCommAbort(comm), status = call.run();
                else
                    status = call.run();
                EXPECT_EQ(status, XBATCH_STATUS_COMM_FAILED) << "rank " << rank;
                EXPECT_TRUE(call.wrote_nothing());
                EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
                EXPECT_EQ(xbatchMpDestroyPlan(other), XBATCH_STATUS_SUCCESS);
            });
        }
}

TEST(Faults, TimeoutOfTheEnvironment) {
    setenv("XBATCH_COMM_TIMEOUT", "60", 1);
    World world(2, {{Fault::silent, 1, 0}});
    on_ranks(world, [](int, xbatchComm_t comm, xbatchHandle_t) {
        xbatchMpPlan_t plan = nullptr;
        const auto begin = Clock::now();
        EXPECT_EQ(make_plan(comm, &plan), XBATCH_STATUS_COMM_FAILED);
        EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
    });
    unsetenv("XBATCH_COMM_TIMEOUT");
}

}  // namespace
}  // namespace xbatch_test
