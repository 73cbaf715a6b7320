// test_distributed_methods.cpp: distributed systems without pivoting, positive definite ones, and recurrences.
//
// As test_distributed.cpp: a small backward error wherever systems are cut, the same bits for any number of ranks on
// chunks, bad systems that do not affect others, the bytes of the contract. Recurrences are compared with the plain
// loop in wider arithmetic.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/fixtures/distributed.hpp"
#include "support/fixtures/distributed_recurrence.hpp"
#include "support/fixtures/gtsv_cases.hpp"
#include "support/fixtures/positive.hpp"

namespace xbatch_test {
namespace {

struct MethodCase {
    MpMethod method;
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchBackend_t backend;
};
std::vector<MethodCase> method_cases(const std::vector<MpMethod> &methods, xbatchBackend_t backend) {
    std::vector<MethodCase> cases;
    for (const MpMethod method : methods)
        for (const MpCase &c : mp_cases(backend)) cases.push_back({method, c.type, c.layout, backend});
    return cases;
}
std::string name_of_method(const testing::TestParamInfo<MethodCase> &info) {
    const char *const stem = info.param.method == MpMethod::pscheme ? "gtsvPschemeMp" : "ptsvMp";
    return letter(info.param.type) + std::string(stem) + layout_name(info.param.layout);
}

class Methods : public testing::TestWithParam<MethodCase> {
protected:
    void SetUp() override {
        const Handle handle(GetParam().backend);
        XBATCH_NEEDS(handle);
    }
    template <class T>
    Systems<T> systems(int64_t n, int64_t nrhs, int64_t batch, bool is_shared = false) {
        if (GetParam().method == MpMethod::positive) return make_positive<T>(n, nrhs, batch, is_shared);
        return make_systems<T>(n, nrhs, batch, {6, 2, 3, 7, 17, 18, 19, 20, 21}, is_shared);
    }
    template <class T>
    MpAnswer<T> solve(const Systems<T> &s, Division division, int64_t k = 0) {
        division.method = GetParam().method, division.backend = GetParam().backend;
        division.is_in_stream = division.backend == XBATCH_BACKEND_CUDA && (k + division.ranks) % 2 == 0;
        return solve_mp(s, GetParam().layout, division, k);
    }
};

TEST_P(Methods, AllCuts) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const int64_t n : {1, 2, 31, 129, 513}) {
            const bool is_shared = n % 8 == 1;
            const Systems<T> s = systems<T>(n, 1 + n % 3, 19, is_shared);
            std::optional<MpAnswer<T>> first;
            for (Division division : divisions(n, uint64_t(n), GetParam().backend)) {
                SCOPED_TRACE(testing::Message() << "n " << n << ", ranks " << division.ranks << ", flags "
                                                << division.flags << ", shared " << is_shared);
                division.halo = k % 2 * 5, division.threads = 1 + int(k % 3);
                const MpAnswer<T> answer = solve(s, division, 4 * k++);
                EXPECT_LE(errors_of(s, answer.x).backward, 32);
                for (const std::vector<int32_t> &info : answer.info)
                    EXPECT_EQ(info, std::vector<int32_t>(size_t(s.batch), 0));
                if (division.flags & XBATCH_MP_ANY_CUT) continue;
                if (!first) first = answer;
                EXPECT_TRUE(same_values(first->x, answer.x)) << "bits depend on the number of ranks";
            }
        }
    });
}

// A NaN in one system, and a zero or negative pivot in another
TEST_P(Methods, IsolateBadSystems) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const bool is_positive = GetParam().method == MpMethod::positive;
        for (const int64_t n : {1, 5, 64, 301})
            for (const int ranks : {1, 3, 4}) {
                const Division division{ranks, ranks % 2 ? XBATCH_MP_ALLTOALL : XBATCH_MP_ALLGATHER};
                const Systems<T> good = systems<T>(n, 1, 11);
                const MpAnswer<T> expected = solve(good, division);
                Systems<T> s = good;
                const int64_t row = n * 2 / 3;
                s.d[size_t(s.row(3, row))] = scalar<T>(NAN);
                s.d[size_t(s.row(6, row))] = is_positive ? T(-1) : T(0);
                if (!is_positive) {  // a column of zeros
                    if (row > 0) s.du[size_t(s.row(6, row - 1))] = T(0);
                    if (row + 1 < n) s.dl[size_t(s.row(6, row + 1))] = T(0);
                }
                s.b[size_t(s.entry(8, 0, row))] = scalar<T>(INFINITY);
                const MpAnswer<T> answer = solve(s, division);
                SCOPED_TRACE(testing::Message() << "n " << n << ", ranks " << ranks);
                for (int64_t j = 0; j < s.batch; ++j) {
                    const bool is_bad = j == 3 || j == 6 || j == 8;
                    bool is_reported = false;
                    for (const std::vector<int32_t> &info : answer.info) {
                        is_reported = is_reported || info[size_t(j)] > 0;
                        if (j == 3 || j == 6) {
                            EXPECT_EQ(info[size_t(j)], answer.info[0][size_t(j)]) << "ranks differ";
                            EXPECT_GT(info[size_t(j)], 0);
                            EXPECT_LE(info[size_t(j)], n);
                        }
                    }
                    EXPECT_EQ(is_reported, is_bad) << "system " << j;
                    if (!is_bad) {
                        EXPECT_TRUE(same_system(s, j, expected.x, answer.x)) << "system " << j;
                    }
                }
            }
    });
}

TEST_P(Methods, HaveTheBytesOfTheContract) {
    if (GetParam().layout != XBATCH_LAYOUT_FLAT) return;
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const bool pivots = GetParam().backend == XBATCH_BACKEND_CUDA;
        for (const int64_t nrhs : {1, 3}) {
            const Systems<T> s = systems<T>(64, nrhs, 8);
            const int64_t e = sizeof(T), forward = ((pivots ? 8 : 5) + 2 * nrhs) * e,
                          back = pivots ? 4 * nrhs * e : std::max<int64_t>(2 * nrhs * e, 16);
            EXPECT_EQ(solve(s, {2, XBATCH_MP_ALLTOALL}).bytes[0], 16 + 4 * forward + 4 * back);
            EXPECT_EQ(solve(s, {2, XBATCH_MP_ALLGATHER}).bytes[1], 8 + 8 * forward);
        }
    });
}

const auto host_methods = method_cases({MpMethod::pscheme, MpMethod::positive}, XBATCH_BACKEND_HOST);
const auto device_methods = method_cases({MpMethod::pscheme}, XBATCH_BACKEND_CUDA);
INSTANTIATE_TEST_SUITE_P(Host, Methods, testing::ValuesIn(host_methods), name_of_method);
INSTANTIATE_TEST_SUITE_P(Cuda, Methods, testing::ValuesIn(device_methods), name_of_method);

std::string name_of_recurrence(const testing::TestParamInfo<MpCase> &info) {
    return letter(info.param.type) + std::string("folrMp") + layout_name(info.param.layout);
}
class FolrMp : public testing::TestWithParam<MpCase> {
protected:
    void SetUp() override {
        const Handle handle(GetParam().backend);
        XBATCH_NEEDS(handle);
    }
    template <class T>
    std::vector<T> evaluate(const Recurrence<T> &p, Division division, bool in_place) const {
        division.backend = GetParam().backend;
        division.is_in_stream = division.backend == XBATCH_BACKEND_CUDA && (p.nrhs + division.ranks) % 2 == 0;
        return DistributedRecurrence<T>(p, GetParam().layout, division, in_place).evaluate();
    }
};

TEST_P(FolrMp, AllCuts) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const int64_t n : {1, 2, 31, 129, 1024, 1025})
            for (const xbatchDirection_t direction : {XBATCH_FORWARD, XBATCH_BACKWARD}) {
                const Operand s_is = all_operands[++k % 4], t_is = all_operands[k / 4 % 4];
                const Recurrence<T> p = make_recurrence<T>({n, 1 + k % 2, 18, direction, s_is, t_is, k % 3 != 0}, 1.1);
                std::optional<std::vector<T>> first;
                for (Division division : divisions(n, uint64_t(k), GetParam().backend)) {
                    SCOPED_TRACE(testing::Message() << "n " << n << ", ranks " << division.ranks << ", flags "
                                                    << division.flags << ", direction " << direction << ", cuts "
                                                    << testing::PrintToString(division.offsets));
                    division.threads = 1 + division.ranks % 2;
                    const bool in_place = t_is == Operand::Array && division.ranks % 2;
                    const std::vector<T> w = evaluate(p, division, in_place);
                    EXPECT_LE(folr_error(p, w), 8 * (120 + 12));
                    if (division.flags & XBATCH_MP_ANY_CUT) continue;
                    if (!first) first = w;
                    EXPECT_TRUE(same_bits(*first, w)) << "bits depend on the number of ranks";
                }
            }
    });
}

// Products of many s that overflow or underflow, where w does not; and values that are not finite, in their sequence
TEST_P(FolrMp, ExtremesAndNonFinite) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const xbatchDirection_t direction : {XBATCH_FORWARD, XBATCH_BACKWARD}) {
            Recurrence<T> p = make_recurrence<T>({700, 1, 9, direction});
            for (int64_t i = 0; i < p.n; ++i) {  // w between 2^-120 and 2^120, products of s up to 2^240
                const int64_t step = direction == XBATCH_FORWARD ? i : p.n - 1 - i;
                p.s[size_t(i)] = (step + 60) % 480 < 240 ? T(Real<T>(0.5)) : T(2);
                p.t[size_t(i)] = T(0);
            }
            p.w0[0] = T(std::ldexp(Real<T>(1), 60));
            const std::vector<T> expected = evaluate(p, {3, XBATCH_MP_ALLTOALL}, false);
            EXPECT_LE(folr_error(p, expected), 8 * (120 + 12));
            p.s[size_t(2 * p.n + 300)] = scalar<T>(NAN), p.t[size_t(p.entry(4, 0, 500))] = scalar<T>(INFINITY);
            const std::vector<T> w = evaluate(p, {4, XBATCH_MP_ALLGATHER}, false);
            for (int64_t j = 0; j < p.batch; ++j)
                for (int64_t i = 0; i < p.n; ++i) {
                    const size_t at = size_t(p.entry(j, 0, i));
                    const int64_t bad = j == 2 ? 300 : j == 4 ? 500 : -1;
                    const bool is_before = bad < 0 || (direction == XBATCH_FORWARD ? i < bad : i > bad);
                    if (is_before) {
                        EXPECT_EQ(std::memcmp(&w[at], &expected[at], sizeof(T)), 0)
                            << "sequence " << j << ", row " << i;
                    } else if (i == bad || j == 2) {
                        EXPECT_FALSE(is_finite(w[at])) << "sequence " << j << ", row " << i;
                    }
                }
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, FolrMp, testing::ValuesIn(mp_cases()), name_of_recurrence);
INSTANTIATE_TEST_SUITE_P(Cuda, FolrMp, testing::ValuesIn(mp_cases(XBATCH_BACKEND_CUDA)), name_of_recurrence);

// One rank's arguments of each routine for a plan of 5 flat systems of double, whose arrays are valid. xfolrMp takes
// `below` for s, `on` for t, and B for w.
struct GoodCalls {
    GoodCalls(xbatchMpPlan_t of, int rank, int ranks) : plan(of) {
        std::vector<int64_t> offsets(size_t(ranks) + 1);
        EXPECT_EQ(xbatchMpGetOffsets(plan, offsets.data()), XBATCH_STATUS_SUCCESS);
        m = offsets[size_t(rank) + 1] - offsets[size_t(rank)];
        side_.assign(size_t(m) * 5, 0.25), on_.assign(size_t(m) * 5, 4), x = x_before = side_;
        for (const auto size : {xgtsvPschemeMp_bufferSize, xptsvMp_bufferSize, xfolrMp_bufferSize}) {
            size_t each = 0;
            EXPECT_EQ(size(plan, &each), XBATCH_STATUS_SUCCESS);
            bytes = std::max(bytes, each);
        }
        space_.resize(bytes / sizeof(std::max_align_t) + 1);
        below = side_.data(), on = on_.data(), B = x.data(), workspace = space_.data();
        lds = ldt = ldb = m;
    }
    xbatchStatus_t run(int routine) {
        switch (routine) {
            case 0: return dgtsvPschemeMp(plan, below, on, side_.data(), ldt, B, ldb, nullptr, workspace, bytes);
            case 1: return dptsvMp(plan, on, below, ldt, B, ldb, nullptr, workspace, bytes);
            case 2: return dfolrMp(plan, direction, below, incs, lds, on, inct, ldt, nullptr, B, ldb, workspace, bytes);
            case 3:
                return dfolrMp(plan, XBATCH_BACKWARD, below, incs, lds, on, inct, ldt, nullptr, B, ldb, workspace,
                               bytes);
            default: return sptsvMp(plan, nullptr, nullptr, ldt, nullptr, ldb, nullptr, nullptr, 0);
        }
    }

    xbatchMpPlan_t plan;
    int64_t m, lds, ldt, ldb, incs = 1, inct = 1;
    xbatchDirection_t direction = XBATCH_FORWARD;
    const double *below, *on;
    double *B;
    void *workspace;
    size_t bytes = 0;
    std::vector<double> x, x_before;

private:
    std::vector<double> side_, on_;
    std::vector<std::max_align_t> space_;
};

xbatchStatus_t make_plan(xbatchComm_t comm, xbatchMpPlan_t *plan) {
    return xgtsvMpCreatePlan(comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, 96, 1, 5, nullptr, 0, XBATCH_MP_ALLTOALL, plan);
}

// Every rank ends with COMM_FAILED, at the latest in the next call, and the results are as before.
TEST(MethodFaults, EndOnEveryRank) {
    for (int routine = 0; routine < 4; ++routine)
        for (const Fault &fault : {Fault{Fault::silent, 2, 1},
                                   {Fault::error_at_end, 0, 2},
                                   {Fault::drop, 1, 2, 0},
                                   {Fault::flip, 1, 1, 0, 3}}) {
            SCOPED_TRACE(testing::Message() << "routine " << routine << ", fault " << fault.kind);
            World world(3, {fault});
            on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t) {
                EXPECT_EQ(xbatchCommSetTimeout(comm, 60), XBATCH_STATUS_SUCCESS);
                xbatchMpPlan_t plan = nullptr;
                ASSERT_EQ(make_plan(comm, &plan), XBATCH_STATUS_SUCCESS);
                xbatchStatus_t status = XBATCH_STATUS_SUCCESS;
                for (int k = 0; k < 2 && status == XBATCH_STATUS_SUCCESS; ++k) {
                    GoodCalls call(plan, rank, 3);
                    status = call.run(routine);
                    EXPECT_EQ(call.x == call.x_before, status != XBATCH_STATUS_SUCCESS);
                }
                EXPECT_EQ(status, XBATCH_STATUS_COMM_FAILED) << "rank " << rank;
                EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
            });
        }
}

// Ranks that call different routines, though the messages of some have the same length
TEST(MethodFaults, DifferentRoutines) {
    for (int routine = 0; routine < 4; ++routine) {
        World world(2);
        on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t) {
            EXPECT_EQ(xbatchCommSetTimeout(comm, 60), XBATCH_STATUS_SUCCESS);
            xbatchMpPlan_t plan = nullptr;
            ASSERT_EQ(make_plan(comm, &plan), XBATCH_STATUS_SUCCESS);
            GoodCalls call(plan, rank, 2);
            EXPECT_EQ(call.run((routine + rank) % 4), XBATCH_STATUS_COMM_FAILED) << "routine " << routine;
            EXPECT_EQ(call.x, call.x_before);
            EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
        });
    }
}

struct Wrong {
    int routine;
    const char *words;
    void (*change)(GoodCalls &);
};
const Wrong wrong_arguments[] = {
    {0, "dgtsvPschemeMp: argument 4, ldt", [](GoodCalls &c) { c.ldt = -1; }},
    {1, "dptsvMp: argument 1, d = NULL", [](GoodCalls &c) { c.on = nullptr; }},
    {1, "dptsvMp: argument 2, e = NULL", [](GoodCalls &c) { c.below = nullptr; }},
    {1, "dptsvMp: argument 3, ldt", [](GoodCalls &c) { c.ldt = 1; }},
    {1, "dptsvMp: argument 4, B = NULL", [](GoodCalls &c) { c.B = nullptr; }},
    {1, "dptsvMp: argument 5, ldb", [](GoodCalls &c) { c.ldb = 0; }},
    {1, "dptsvMp: argument 7, workspace", [](GoodCalls &c) { c.bytes = 15; }},
    {4, "sptsvMp: argument 0, plan", [](GoodCalls &) {}},
    {2, "dfolrMp: argument 1, direction", [](GoodCalls &c) { c.direction = xbatchDirection_t(2); }},
    {2, "dfolrMp: argument 2, s = NULL", [](GoodCalls &c) { c.below = nullptr; }},
    {2, "dfolrMp: argument 3, incs", [](GoodCalls &c) { c.incs = 2; }},
    {2, "dfolrMp: argument 4, lds", [](GoodCalls &c) { c.incs = 0, c.lds = -1; }},
    {2, "dfolrMp: argument 5, t = NULL", [](GoodCalls &c) { c.on = nullptr; }},
    {2, "dfolrMp: argument 6, inct", [](GoodCalls &c) { c.inct = -1; }},
    {2, "dfolrMp: argument 7, ldt", [](GoodCalls &c) { c.ldt = 1; }},
    {2, "dfolrMp: argument 9, w = NULL", [](GoodCalls &c) { c.B = nullptr; }},
    {2, "dfolrMp: argument 10, ldw", [](GoodCalls &c) { c.ldb = 0; }},
    {2, "dfolrMp: argument 11, workspace", [](GoodCalls &c) { c.workspace = nullptr; }},
};

// One rank with a wrong argument; both refuse the call, and the next one works.
TEST(MethodArguments, AreRefusedByAllRanks) {
    World world(2);
    on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t handle) {
        xbatchMpPlan_t plan = nullptr;
        ASSERT_EQ(make_plan(comm, &plan), XBATCH_STATUS_SUCCESS);
        for (const auto &[routine, words, change] : wrong_arguments) {
            GoodCalls call(plan, rank, 2);
            if (rank == 1) change(call);
            const xbatchStatus_t status = call.run(rank == 0 && routine == 4 ? 1 : routine);
            const bool has_workspace = std::strstr(words, "workspace") == nullptr;
            EXPECT_EQ(status, has_workspace ? XBATCH_STATUS_INVALID_VALUE : XBATCH_STATUS_INSUFFICIENT_WORKSPACE)
                << words;
            EXPECT_EQ(call.x, call.x_before) << words;
            if (rank == 1) {
                EXPECT_EQ(std::string(xbatchGetLastErrorMessage(handle)).substr(0, std::strlen(words)), words);
            }
        }
        GoodCalls call(plan, rank, 2);
        EXPECT_EQ(call.run(1), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
    });
}

}  // namespace
}  // namespace xbatch_test
