// test_distributed_nccl.cpp: systems whose rows are distributed over processes with a device each, through NCCL.
//
// This process itself makes no CUDA call, so that it can be forked. Solutions must have the bits of one device, also
// when they are replayed from a graph. A process that is missing must end the others' waiting. Skipped on machines with
// one device or without NCCL.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "support/fixtures/distributed_recurrence.hpp"
#include "support/fixtures/gtsv_cases.hpp"

namespace xbatch_test {
namespace {

constexpr int skipped = 77;

// An identification for NCCL's ranks; false if there is no NCCL
bool make_id(xbatchNcclId_t &id) {
    const char *const file = getenv("XBATCH_NCCL_LIBRARY");
    void *const library = dlopen(file ? file : "libnccl.so.2", RTLD_NOW | RTLD_GLOBAL);
    if (!library) return false;
    const auto get = reinterpret_cast<int (*)(xbatchNcclId_t *)>(dlsym(library, "ncclGetUniqueId"));
    return get && get(&id) == 0;  // which writes id.id only
}

// act(rank, ranks, communicator, handle) in a process for each rank
template <class Act>
void on_devices(int ranks, Act act) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    std::vector<pid_t> children;
    for (int rank = 0; rank < ranks; ++rank) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child > 0) {
            children.push_back(child);
            continue;
        }
        if (device_count() < ranks) _exit(skipped);
        use_device(rank);
        xbatchNcclId_t id = {};
        char is_there = 0;
        if (rank == 0) {
            is_there = make_id(id);
            for (int k = 1; k < ranks; ++k)
                if (write(ends[1], &is_there, 1) != 1 || write(ends[1], id.id, sizeof id.id) != sizeof id.id) _exit(3);
        } else if (read(ends[0], &is_there, 1) != 1 || read(ends[0], id.id, sizeof id.id) != sizeof id.id) {
            _exit(3);
        }
        if (!is_there) _exit(skipped);
        id.rank = rank, id.ranks = ranks;
        {
            const DeviceStream stream;
            const Handle handle(XBATCH_BACKEND_CUDA);
            xbatchSetStream(handle, stream.stream);
            xbatchComm_t comm = nullptr;
            const xbatchStatus_t status = xbatchCommCreate(handle, "nccl_id", &id, &comm);
            EXPECT_EQ(status, XBATCH_STATUS_SUCCESS) << handle.message();
            if (status == XBATCH_STATUS_SUCCESS) act(rank, ranks, comm, xbatchHandle_t(handle));
            EXPECT_EQ(xbatchCommDestroy(comm), XBATCH_STATUS_SUCCESS);
        }
        fflush(nullptr);
        _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int failed = 0, skips = 0;
    for (const pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 2;
        skips += code == skipped, failed += code != 0 && code != skipped;
    }
    close(ends[0]), close(ends[1]);
    EXPECT_EQ(failed, 0);
    if (skips > 0) GTEST_SKIP() << "there are fewer devices, or no NCCL";
}

// This rank's rows of a solution on one device, and of one of all ranks
template <class T>
void expect_bits_of_one(int rank, int ranks, xbatchComm_t comm, xbatchHandle_t handle, const Systems<T> &s,
                        xbatchLayout_t layout, Division division, bool is_captured) {
    division.backend = XBATCH_BACKEND_CUDA;
    MpAnswer<T> answer = empty_answer(s, size_t(ranks));
    void *stream = nullptr;
    xbatchGetStream(handle, &stream);
    const std::vector<int64_t> cuts = solve_on_rank(
        answer, rank, comm, handle, s, layout, division, 0, [&](int, xbatchMpPlan_t, MpCall<T> &call, xbatchHandle_t) {
            const auto run = [&] { EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS); };
            if (is_captured)
                capture_and_replay(handle, run, 3, [&] { call.upload(); });
            else
                run();
            xbatchSetStream(handle, stream);
            EXPECT_EQ(xbatchCommSynchronize(comm), XBATCH_STATUS_SUCCESS);
            return XBATCH_STATUS_SUCCESS;
        });
    World world(1);
    Division one{1};
    one.is_periodic = division.is_periodic, one.backend = XBATCH_BACKEND_CUDA;
    MpAnswer<T> expected = empty_answer(s, 1);
    xbatchComm_t alone = nullptr;
    const xbatchCommLayer_t layer = world.layer(0);
    EXPECT_EQ(xbatchCommCreateCustom(handle, &layer, world.context(0), &alone), XBATCH_STATUS_SUCCESS);
    solve_on_rank(expected, 0, alone, handle, s, layout, one, 0,
                  [&](int, xbatchMpPlan_t, MpCall<T> &call, xbatchHandle_t) { return call.run(); });
    EXPECT_EQ(xbatchCommDestroy(alone), XBATCH_STATUS_SUCCESS);
    int64_t different = 0;
    const auto own = [&](int64_t i) { return cuts[size_t(rank)] <= i && i < cuts[size_t(rank) + 1]; };
    for (int64_t j = 0; j < s.batch; ++j)
        for (int64_t r = 0; r < s.nrhs; ++r)
            for (int64_t i = 0; i < s.n; ++i) {
                const size_t at = size_t(s.entry(j, r, i));
                different += own(i) && std::memcmp(&answer.x[at], &expected.x[at], sizeof(T)) != 0;
            }
    EXPECT_EQ(different, 0) << "rank " << rank << ", n " << s.n;
    EXPECT_EQ(answer.info[size_t(rank)], expected.info[0]);
}

class DistributedNcclCuda : public testing::TestWithParam<int> {};

TEST_P(DistributedNcclCuda, HasTheBitsOfOneDevice) {
    on_devices(GetParam(), [](int rank, int ranks, xbatchComm_t comm, xbatchHandle_t handle) {
        int64_t k = 0;
        for (const xbatchDataType_t type : all_types)
            for (const xbatchLayout_t layout : all_layouts)
                for (const int flags : {XBATCH_MP_ALLTOALL, XBATCH_MP_ALLGATHER})
                    with_type(type, [&](auto zero) {
                        using T = decltype(zero);
                        Division division{ranks, flags};
                        division.is_periodic = ++k % 2;
                        // With factors, not captured: the same bits
                        if (k % 6 == 5) division.is_periodic = false, division.method = MpMethod::factored;
                        const int64_t n = k % 3 == 0 ? 5003 : 300;
                        if (k % 4 == 0) division.offsets.assign(size_t(ranks) + 1, n), division.offsets[0] = 0;
                        const Systems<T> s =
                            make_systems<T>(n, 1 + k % 2, 9, {6, 1, 16, 20}, false, 3, division.is_periodic);
                        expect_bits_of_one(rank, ranks, comm, handle, s, layout, division, k % 2 == 0);
                    });
    });
}

TEST_P(DistributedNcclCuda, RecurrencesHaveTheBitsOfOneDevice) {
    on_devices(GetParam(), [](int rank, int ranks, xbatchComm_t comm, xbatchHandle_t handle) {
        int64_t k = 0;
        for (const xbatchDataType_t type : all_types)
            for (const xbatchLayout_t layout : all_layouts)
                with_type(type, [&](auto zero) {
                    using T = decltype(zero);
                    const xbatchDirection_t direction = ++k % 2 ? XBATCH_FORWARD : XBATCH_BACKWARD;
                    const Recurrence<T> p = make_recurrence<T>({k % 3 == 0 ? 5003 : 300, 1 + k % 2, 9, direction}, 1.1);
                    Division division{ranks, k % 4 < 2 ? XBATCH_MP_ALLTOALL : XBATCH_MP_ALLGATHER}, one{1};
                    division.backend = one.backend = XBATCH_BACKEND_CUDA;
                    std::vector<T> w(p.t.size());
                    const std::vector<int64_t> cuts =
                        DistributedRecurrence<T>(p, layout, division, false).on_rank(rank, comm, handle, w);
                    const std::vector<T> expected = DistributedRecurrence<T>(p, layout, one, false).evaluate();
                    int64_t different = 0;
                    for (int64_t j = 0; j < p.batch; ++j)
                        for (int64_t r = 0; r < p.nrhs; ++r)
                            for (int64_t i = cuts[size_t(rank)]; i < cuts[size_t(rank) + 1]; ++i) {
                                const size_t at = size_t(p.entry(j, r, i));
                                different += std::memcmp(&w[at], &expected[at], sizeof(T)) != 0;
                            }
                    EXPECT_EQ(different, 0) << "rank " << rank << ", n " << p.n;
                });
    });
}

// A process that does not take part: the others return after the time-out, and everything can be destroyed.
TEST_P(DistributedNcclCuda, EndsAfterTheTimeout) {
    on_devices(GetParam(), [](int rank, int ranks, xbatchComm_t comm, xbatchHandle_t handle) {
        const Systems<double> s = make_systems<double>(300, 1, 5, {6});
        Division division{ranks, XBATCH_MP_ALLTOALL};
        division.backend = XBATCH_BACKEND_CUDA;
        MpAnswer<double> answer = empty_answer(s, size_t(ranks));
        solve_on_rank(answer, rank, comm, handle, s, XBATCH_LAYOUT_FLAT, division, 0,
                      [&](int, xbatchMpPlan_t, MpCall<double> &call, xbatchHandle_t) {
                          if (rank == 1) {
                              sleep(3);
                              return XBATCH_STATUS_SUCCESS;
                          }
                          EXPECT_EQ(xbatchCommSetTimeout(comm, 1000), XBATCH_STATUS_SUCCESS);
                          EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS);
                          EXPECT_EQ(xbatchCommSynchronize(comm), XBATCH_STATUS_COMM_FAILED);
                          EXPECT_EQ(call.run(), XBATCH_STATUS_COMM_FAILED);
                          return XBATCH_STATUS_SUCCESS;
                      });
        if (rank == 1) xbatchCommAbort(comm);
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, DistributedNcclCuda, testing::Values(2, 3, 4),
                         [](const auto &info) { return std::to_string(info.param); });

}  // namespace
}  // namespace xbatch_test
