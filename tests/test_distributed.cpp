// test_distributed.cpp: systems whose rows are distributed over ranks, which are threads of this process.
//
// The normwise backward error ||Ax - b|| / (||A|| ||x|| + ||b||) must be at most 32 eps for every matrix, wherever it
// is cut. On chunks, solutions must have the same bits for any number of ranks. Messages must have exactly the bytes of
// the contract. What is not part of a share must neither be read for meaning nor written.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/fixtures/distributed.hpp"
#include "support/fixtures/gtsv_cases.hpp"
#include "support/generators/patterns.hpp"
#include "support/residuals/info.hpp"

namespace xbatch_test {
namespace {

constexpr int64_t mp_sizes[] = {1, 2, 3, 7, 31, 64, 129, 513};

constexpr int mp_exchanges[] = {XBATCH_MP_ALLTOALL, XBATCH_MP_ALLGATHER, XBATCH_MP_ALLTOALL | XBATCH_MP_ANY_CUT};

std::string name_of_case(const testing::TestParamInfo<MpCase> &info) {
    return letter(info.param.type) + std::string("gtsvMp") + layout_name(info.param.layout);
}

class Distributed : public testing::TestWithParam<MpCase> {
protected:
    void SetUp() override {
        const Handle handle(GetParam().backend);
        XBATCH_NEEDS(handle);
    }
    // A solve on the backend of the case
    template <class T>
    MpAnswer<T> solve(const Systems<T> &s, Division division, int64_t k = 0) const {
        division.backend = GetParam().backend;
        division.is_in_stream = division.backend == XBATCH_BACKEND_CUDA && (k + division.ranks) % 2 == 0;
        return solve_mp(s, GetParam().layout, division, k);
    }
    // The info that all ranks agree on, except for values n + 1, which are of one rank's rows
    template <class T>
    std::vector<int32_t> info_of(const Systems<T> &s, const MpAnswer<T> &answer) {
        std::vector<int32_t> info = answer.info[0];
        for (const std::vector<int32_t> &other : answer.info)
            for (size_t j = 0; j < info.size(); ++j) {
                if (info[j] == 0 && other[j] == s.n + 1) info[j] = other[j];
                if (other[j] != 0 || info[j] != s.n + 1) {
                    EXPECT_EQ(info[j], other[j]) << "system " << j;
                }
            }
        return info;
    }
    template <class T>
    void expect_solved(const Systems<T> &s, const Division &division, int64_t k) {
        SCOPED_TRACE(testing::Message() << "n " << s.n << ", nrhs " << s.nrhs << ", batch " << s.batch << ", ranks "
                                        << division.ranks << ", flags " << division.flags << ", cuts "
                                        << testing::PrintToString(division.offsets) << ", placing " << k
                                        << (division.is_periodic ? ", periodic" : ""));
        const MpAnswer<T> answer = solve(s, division, k);
        const Errors errors = errors_of(s, answer.x);
        EXPECT_LE(errors.backward, 32);
        EXPECT_LT(errors.ratio, 30);
        worst_.absorb(errors);
        if (k % 4 != 3) {
            EXPECT_EQ(info_of(s, answer), std::vector<int32_t>(size_t(s.batch), 0));
        }
    }
    template <class F>
    void with(F f) {
        with_type(GetParam().type, f);
    }
    ~Distributed() override {
        if (worst_.backward > 0) std::printf("worst backward error %.2f eps\n", double(worst_.backward));
    }

    Errors worst_;
};

TEST_P(Distributed, AllFamiliesAllCuts) {
    with([&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const bool is_periodic : {false, true})
            for (const int64_t n : mp_sizes) {
                std::vector<Family> of = solvable_families<T>(n, is_periodic);
                of.erase(std::remove(of.begin(), of.end(), 13), of.end());  // singular to working precision
                const Systems<T> s = make_systems<T>(n, 1, int64_t(of.size()), of, false, 1, is_periodic);
                for (Division division : divisions(n, uint64_t(n), GetParam().backend)) {
                    division.is_periodic = is_periodic, division.halo = k % 2 * 5;
                    expect_solved(s, division, k++);
                }
            }
    });
}

// Several right-hand sides, one matrix for all systems, few and many systems
TEST_P(Distributed, Shapes) {
    with([&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const int64_t n : {3, 64, 301})
            for (const int64_t nrhs : {1, 2, 7})
                for (const int64_t batch : {1, 2, 19, 130})
                    for (const bool is_shared : {false, true}) {
                        const std::vector<Family> of = {6, 1, 7, 20};
                        const bool is_periodic = k % 2;
                        const Systems<T> s = make_systems<T>(n, nrhs, batch, of, is_shared, 3, is_periodic);
                        const std::vector<Division> all = divisions(n, uint64_t(k), GetParam().backend);
                        for (Division division : {all[size_t(k) % all.size()], all[size_t(k + 7) % all.size()]}) {
                            division.is_periodic = is_periodic, division.halo = k % 3;
                            expect_solved(s, division, k);
                        }
                        ++k;
                    }
    });
}

TEST_P(Distributed, LapacksSolution) {
    with([&](auto zero) {
        using T = decltype(zero);
        for (const bool is_periodic : {false, true})
            for (const int64_t n : {1, 2, 33, 100}) {
                const Systems<T> s = make_systems<T>(n, 2, 5, {6, 18, 19, 21}, false, 5, is_periodic);
                const MpAnswer<T> answer = solve(s, {3, XBATCH_MP_DEFAULT, {}, is_periodic});
                for (int64_t j = 0; j < s.batch; ++j)
                    for (int64_t r = 0; r < s.nrhs; ++r)
                        EXPECT_LE(distance(&answer.x[size_t(s.entry(j, r, 0))],
                                           lapack_solution(s, j, r, is_periodic).data(), n),
                                  200);
            }
    });
}

// On chunks the bits depend neither on the number of ranks, nor on the cuts, the exchange or the number of threads.
TEST_P(Distributed, SameBitsForAnyNumberOfRanks) {
    with([&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const bool is_periodic : {false, true})
            for (const int64_t n : {2, 67, 513, 5003})
                for (const int64_t batch : {1, 37}) {
                    if (n * batch > 30000) continue;
                    Systems<T> s = make_systems<T>(n, 1 + k % 2, batch, {1, 6, 16, 24, 7}, false, 9, is_periodic);
                    if (batch > 1) s.d[size_t(s.row(1, n * 2 / 5))] = scalar<T>(NAN);
                    std::optional<MpAnswer<T>> first;
                    for (Division division : divisions(n, uint64_t(++k), GetParam().backend)) {
                        if (division.flags & XBATCH_MP_ANY_CUT) continue;
                        division.is_periodic = is_periodic, division.threads = 1 + division.ranks % 2 * 2;
                        const MpAnswer<T> answer = solve(s, division);
                        if (!first) first = answer;
                        EXPECT_TRUE(same_values(first->x, answer.x)) << division.ranks << " ranks, n " << n;
                        const std::vector<int32_t> info = info_of(s, answer);
                        EXPECT_EQ(info_of(s, *first), info) << division.ranks << " ranks, n " << n;
                        if (batch > 1) {
                            // On CUDA up to the rows of a chunk before
                            const int64_t off = GetParam().backend == XBATCH_BACKEND_CUDA ? n / mp_chunks(n) + 1 : 1;
                            EXPECT_NEAR(info[1], n * 2 / 5 + 1, off) << "the row of the NaN, which is inside a chunk";
                        }
                    }
                }
    });
}

// A value that no solver can solve for, at any place of one system: its info, and no effect on the others
TEST_P(Distributed, IsolatesBadSystems) {
    with([&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const int64_t n : {1, 3, 40, 400}) {
            const Systems<T> good = make_systems<T>(n, 2, 21, {6, 1});
            const Division division{4, k % 2 ? XBATCH_MP_ALLGATHER : XBATCH_MP_ALLTOALL, {}, k % 4 > 1};
            const MpAnswer<T> expected = solve(good, division);
            for (const T value : numbers_not_finite<T>())
                for (int place = 0; place < 4; ++place, ++k) {
                    Systems<T> s = good;
                    const int64_t j = k % s.batch, i = k * 7 % n;
                    (place == 0 ? s.dl : place == 1 ? s.d : s.du)[size_t(s.row(j, i))] = value;
                    if (place == 3) s = good, s.b[size_t(s.entry(j, 1, i))] = value;
                    const bool is_unused =
                        !division.is_periodic && ((place == 0 && i == 0) || (place == 2 && i == n - 1));
                    const MpAnswer<T> answer = solve(s, division);
                    const std::vector<int32_t> info = info_of(s, answer);
                    for (int64_t other = 0; other < s.batch; ++other)
                        if (other != j || is_unused) {
                            EXPECT_TRUE(same_system(s, other, expected.x, answer.x)) << "system " << other;
                            EXPECT_EQ(info[size_t(other)], 0);
                        }
                    EXPECT_EQ(info[size_t(j)] > 0, !is_unused) << "row " << i << " of " << n << ", place " << place;
                    expect_true_info(
                        info[size_t(j)], n,
                        std::vector<T>(answer.x.begin() + s.entry(j, 0, 0), answer.x.begin() + s.entry(j, s.nrhs, 0)));
                }
        }
    });
}

TEST_P(Distributed, SingularSystems) {
    with([&](auto zero) {
        using T = decltype(zero);
        for (const int64_t n : {1, 5, 65, 301})
            for (const int flags : mp_exchanges) {
                Systems<T> s = make_systems<T>(n, 1, 6, {18});
                for (int64_t i = 0; i < n; ++i) s.d[size_t(s.row(2, i))] = T(0);  // of odd order
                const int64_t row = n / 3;                                        // a column of zeros
                s.d[size_t(s.row(4, row))] = T(0);
                if (row > 0) s.du[size_t(s.row(4, row - 1))] = T(0);
                if (row + 1 < n) s.dl[size_t(s.row(4, row + 1))] = T(0);
                const MpAnswer<T> answer = solve(s, {7, flags});
                const std::vector<int32_t> info = info_of(s, answer);
                for (int64_t j = 0; j < s.batch; ++j) {
                    const bool is_singular = j == 2 || j == 4;
                    EXPECT_EQ(info[size_t(j)] > 0, is_singular) << "system " << j << " of " << n << " rows";
                    EXPECT_LE(info[size_t(j)], n);
                    for (int64_t i = 0; i < n; ++i)
                        EXPECT_EQ(is_finite(answer.x[size_t(s.entry(j, 0, i))]), !is_singular);
                }
            }
    });
}

// Singular to working precision: refused, or solved with a small residual
TEST_P(Distributed, NearlySingular) {
    with([&](auto zero) {
        using T = decltype(zero);
        for (const int64_t n : {64, 129, 1000})
            for (const Division &division : divisions(n, 5, GetParam().backend)) {
                const Systems<T> s = make_systems<T>(n, 1, 2, {13, 22}, false, 1, division.ranks % 2);
                Division periodic = division;
                periodic.is_periodic = division.ranks % 2;
                const MpAnswer<T> answer = solve(s, periodic);
                for (int64_t j = 0; j < s.batch; ++j)
                    if (answer.info[0][size_t(j)] == 0) {
                        EXPECT_LE(errors_of(s, answer.x, j, 0).backward, 32);
                    }
            }
    });
}

// Matrices whose rows repeat: bad pivots would make errors grow with the rows of a chunk or the levels of the tree.
void judge_patterns(const MpCase &of, const std::vector<Pattern> &patterns,
                    const std::vector<std::array<int64_t, 2>> &shapes) {
    with_type(of.type, [&](auto zero) {
        using T = decltype(zero);
        long double worst = 0;
        int64_t k = 0, refused = 0;
        for (const Pattern &pattern : patterns)
            for (const auto &[n, ranks] : shapes) {
                const bool is_periodic = ++k % 3 == 0, any_cut = k % 2;
                const Systems<T> s = make_systems<T>(pattern, n, 2, is_periodic);
                Division division{int(ranks), any_cut ? XBATCH_MP_ANY_CUT : XBATCH_MP_DEFAULT};
                if (k % 5 < 3) division.offsets = random_cuts(n, int(ranks), any_cut, uint64_t(k));
                division.is_periodic = is_periodic, division.backend = of.backend,
                division.is_in_stream = of.backend == XBATCH_BACKEND_CUDA && k % 4 < 2;
                SCOPED_TRACE(testing::Message() << pattern.family << " (" << pattern.rows[0].l << ", "
                                                << pattern.rows[0].d << ", " << pattern.rows[0].u << ") of period "
                                                << pattern.rows.size() << ", n " << n << ", ranks " << ranks);
                const MpAnswer<T> answer = solve_mp(s, of.layout, division);
                for (int64_t j = 0; j < s.batch; ++j) {
                    const auto is_refused = [&](const std::vector<int32_t> &info) { return info[size_t(j)] > 0; };
                    if (std::any_of(answer.info.begin(), answer.info.end(), is_refused)) {
                        ++refused;
                        ASSERT_LE(ReciprocalCondition::of(pattern, n, is_periodic), 100 * double(n) * unit_roundoff<T>);
                        continue;
                    }
                    const long double error = errors_of(s, answer.x, j, 0).backward;
                    worst = worse(worst, error);
                    ASSERT_LE(error, 32);
                }
            }
        std::printf("worst backward error %.2f eps, %lld refused\n", double(worst), (long long)refused);
    });
}
TEST_P(Distributed, Patterns) {
    if (GetParam().layout != XBATCH_LAYOUT_FLAT && GetParam().type != XBATCH_R_64F) return;
    judge_patterns(GetParam(), all_patterns(50), {{33, 3}, {137, 7}});
}
TEST_P(Distributed, PatternsFull) {
    if (GetParam().layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED) return;
    judge_patterns(GetParam(), all_patterns(400), {{5, 2}, {64, 4}, {257, 3}, {1000, 7}, {4099, 5}, {20001, 4}});
}

INSTANTIATE_TEST_SUITE_P(Host, Distributed, testing::ValuesIn(mp_cases(XBATCH_BACKEND_HOST)), name_of_case);
INSTANTIATE_TEST_SUITE_P(Cuda, Distributed, testing::ValuesIn(mp_cases(XBATCH_BACKEND_CUDA)), name_of_case);

// Nodes of chunks [begin, end): aligned stretches of powers of two, as long as possible
int64_t nodes_between(int64_t begin, int64_t end) {
    int64_t nodes = 0;
    for (; begin < end; ++nodes) {
        int64_t length = 1;
        while (begin % (2 * length) == 0 && begin + 2 * length <= end) length *= 2;
        begin += length;
    }
    return nodes;
}

struct Counts {
    int64_t messages, bytes;
};
// What rank p sends in a solve of systems of n rows, by the contract
Counts counts_of(int64_t n, int64_t nrhs, int64_t batch, const std::vector<int64_t> &offsets, int flags, int64_t p) {
    const int64_t ranks = int64_t(offsets.size()) - 1, chunks = mp_chunks(n);
    std::vector<int64_t> nodes;
    int64_t others = 0;
    for (int64_t q = 0; q < ranks; ++q) {
        const auto chunk_of = [&](int64_t row) { return (row * chunks + n - 1) / n; };
        const int64_t begin = offsets[size_t(q)], end = offsets[size_t(q) + 1];
        nodes.push_back(flags & XBATCH_MP_ANY_CUT ? end > begin : nodes_between(chunk_of(begin), chunk_of(end)));
        others += q == p ? 0 : std::max<int64_t>(nodes.back(), 1);
    }
    const int64_t forward = 8 * (8 + 2 * nrhs), back = 8 * 4 * nrhs, own = nodes[size_t(p)];
    const int64_t closed = batch * (p + 1) / ranks - batch * p / ranks;
    if (!(flags & XBATCH_MP_ALLTOALL)) return {ranks - 1, (ranks - 1) * (8 + batch * own * forward)};
    return {2 * (ranks - 1), 16 * (ranks - 1) + (batch - closed) * own * forward + closed * others * back};
}

void expect_counted(const Systems<double> &s, const Division &division) {
    const MpAnswer<double> answer = solve_mp(s, XBATCH_LAYOUT_FLAT, division);
    for (int64_t p = 0; p < division.ranks; ++p) {
        const Counts counts = counts_of(s.n, s.nrhs, s.batch, answer.offsets, division.flags, p);
        EXPECT_EQ(answer.messages[size_t(p)], counts.messages);
        EXPECT_EQ(answer.bytes[size_t(p)], counts.bytes) << "rank " << p << " of " << division.ranks;
    }
}

TEST(DistributedMessages, HaveTheBytesOfTheContract) {
    uint64_t k = 0;
    for (const int64_t n : {1, 64, 129, 5000})
        for (const int ranks : {1, 2, 3, 4, 7, 13, 64})
            for (const int flags : mp_exchanges) {
                const bool any_cut = flags & XBATCH_MP_ANY_CUT;
                Division division{ranks, flags};
                if (++k % 2) division.offsets = random_cuts(n, ranks, any_cut, k);
                expect_counted(make_systems<double>(n, 1 + int64_t(k % 3), int64_t(k % 5) * 9 + 1, {6}), division);
            }
}

TEST(DistributedMessages, OfManyRanks) {
    for (const int flags : {XBATCH_MP_ALLTOALL | XBATCH_MP_ANY_CUT, XBATCH_MP_ALLGATHER | XBATCH_MP_ANY_CUT})
        expect_counted(make_systems<double>(1003, 1, 3, {6}), {256, flags});
}

// A layer of one of many ranks, the others of which send its own arguments, and equations of zeros
xbatchCommLayer_t lonely_layer(int rank, int *ranks) {
    xbatchCommLayer_t layer = {};
    layer.bytes = sizeof layer, layer.version = XBATCH_COMM_LAYER_VERSION;
    layer.rank = rank, layer.ranks = *ranks, layer.hostRanks = 1;
    layer.alltoallv = [](void *count, void *, const void *send, const int64_t *, const int64_t *, void *recv,
                         const int64_t *recv_bytes, const int64_t *recv_at) {
        for (int q = 0; q < *static_cast<int *>(count); ++q) {
            std::memset(static_cast<char *>(recv) + recv_at[q], 0, size_t(recv_bytes[q]));
            std::memcpy(static_cast<char *>(recv) + recv_at[q], send, 8);
        }
        return 0;
    };
    layer.allgatherv = [](void *count, void *, const void *send, int64_t bytes, void *recv, const int64_t *recv_bytes,
                          const int64_t *recv_at) {
        for (int q = 0; q < *static_cast<int *>(count); ++q) {
            std::memset(static_cast<char *>(recv) + recv_at[q], 0, size_t(recv_bytes[q]));
            std::memcpy(static_cast<char *>(recv) + recv_at[q], send, size_t(bytes == recv_bytes[q] ? bytes : 8));
        }
        return 0;
    };
    layer.wait = [](void *, int64_t) { return 0; };
    return layer;
}

TEST(DistributedMessages, OfOneOfThousandsOfRanks) {
    for (int ranks : {1000, 4096})
        for (const int64_t n : {int64_t(9001), int64_t(1) << 24})
            for (const int flags : mp_exchanges)
                for (const int rank : {0, 1, ranks / 2 - 1, ranks - 1}) {
                    Handle handle(XBATCH_BACKEND_HOST);
                    const xbatchCommLayer_t layer = lonely_layer(rank, &ranks);
                    xbatchComm_t comm = nullptr;
                    xbatchMpPlan_t plan = nullptr;
                    ASSERT_EQ(xbatchCommCreateCustom(handle, &layer, &ranks, &comm), XBATCH_STATUS_SUCCESS);
                    ASSERT_EQ(
                        xgtsvMpCreatePlan(comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, n, 1, 3, nullptr, 0, flags, &plan),
                        XBATCH_STATUS_SUCCESS)
                        << handle.message();
                    std::vector<int64_t> offsets(size_t(ranks) + 1);
                    xbatchMpGetOffsets(plan, offsets.data());
                    const int64_t rows = offsets[size_t(rank) + 1] - offsets[size_t(rank)];
                    std::vector<double> a(size_t(3 * rows) + 1, 1), b = a;
                    Counts before = {}, after = {};
                    size_t bytes = 0;
                    xgtsvMp_bufferSize(plan, &bytes);
                    Workspace workspace(XBATCH_BACKEND_HOST, bytes);
                    const int64_t ld = std::max<int64_t>(rows, 1);
                    xbatchCommGetCounts(comm, &before.messages, &before.bytes);
                    EXPECT_EQ(dgtsvMp(plan, a.data(), a.data(), a.data(), ld, b.data(), ld, nullptr, workspace.data(),
                                      workspace.bytes()),
                              XBATCH_STATUS_SUCCESS);
                    xbatchCommGetCounts(comm, &after.messages, &after.bytes);
                    const Counts counts = counts_of(n, 1, 3, offsets, flags, rank);
                    EXPECT_EQ(after.messages - before.messages, counts.messages);
                    EXPECT_EQ(after.bytes - before.bytes, counts.bytes) << "rank " << rank << " of " << ranks;
                    EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
                    EXPECT_EQ(xbatchCommDestroy(comm), XBATCH_STATUS_SUCCESS);
                }
}

// The exchange by the size, as the contract says
TEST(DistributedMessages, SmallOnesAreGathered) {
    for (const auto &[batch, is_gathered] : {std::pair<int64_t, bool>{6553, true}, {6554, false}}) {
        const MpAnswer<double> answer =
            solve_mp(make_systems<double>(64, 1, batch, {18}), XBATCH_LAYOUT_INTERLEAVED, {2});
        EXPECT_EQ(answer.messages[0], is_gathered ? 1 : 2) << "batch " << batch;
    }
}

// Ranks whose exchanges are in a stream: a refused argument is known to the others after xbatchCommSynchronize.
TEST(DistributedStreamCuda, RefusedArguments) {
    const Handle probe(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(probe);
    for (const int flags : {XBATCH_MP_ALLTOALL, XBATCH_MP_ALLGATHER}) {
        const Systems<double> s = make_systems<double>(200, 2, 9, {6, 1});
        World world(3, {}, true);
        Division division{3, flags};
        division.backend = XBATCH_BACKEND_CUDA;
        solve_mp(world, s, XBATCH_LAYOUT_FLAT, division, 0,
                 [&](int rank, xbatchMpPlan_t plan, MpCall<double> &call, xbatchHandle_t handle) {
                     const xbatchStatus_t refused = XBATCH_STATUS_INVALID_VALUE;
                     const xbatchStatus_t status =
                         rank == 1 ? dgtsvMp(plan, nullptr, nullptr, nullptr, 200, nullptr, 200, nullptr, nullptr, 0)
                                   : call.run();
                     EXPECT_EQ(status, rank == 1 ? refused : XBATCH_STATUS_SUCCESS);
                     EXPECT_EQ(xbatchCommSynchronize(call.comm), refused);
                     EXPECT_NE(std::string(xbatchGetLastErrorMessage(handle)).find("rank 1"), std::string::npos);
                     EXPECT_TRUE(call.wrote_nothing());
                     EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS);
                     EXPECT_EQ(xbatchCommSynchronize(call.comm), XBATCH_STATUS_SUCCESS);
                     return XBATCH_STATUS_SUCCESS;
                 });
    }
}

// Ranks that call different functions: B is as before, and the communicator is dead on all of them.
TEST(DistributedStreamCuda, DifferentFunctions) {
    const Handle probe(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(probe);
    for (const int flags : {XBATCH_MP_ALLTOALL, XBATCH_MP_ALLGATHER}) {
        const Systems<double> s = make_systems<double>(200, 1, 9, {6, 1});
        World world(2, {}, true);
        Division division{2, flags};
        division.backend = XBATCH_BACKEND_CUDA;
        solve_mp(world, s, XBATCH_LAYOUT_FLAT, division, 0,
                 [&](int rank, xbatchMpPlan_t, MpCall<double> &call, xbatchHandle_t) {
                     EXPECT_EQ(call.run(rank == 1), XBATCH_STATUS_SUCCESS);
                     EXPECT_EQ(xbatchCommSynchronize(call.comm), XBATCH_STATUS_COMM_FAILED);
                     EXPECT_TRUE(call.wrote_nothing());
                     EXPECT_EQ(call.run(), XBATCH_STATUS_COMM_FAILED);
                     return XBATCH_STATUS_SUCCESS;
                 });
    }
}

// More chunks than a block joins in shared memory
TEST(DistributedStreamCuda, ManyChunks) {
    const Handle probe(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(probe);
    using T = std::complex<double>;
    const Systems<T> s = make_systems<T>(2100000, 1, 1, {6});
    std::optional<MpAnswer<T>> first;
    for (const int ranks : {1, 3}) {
        Division division{ranks};
        division.backend = XBATCH_BACKEND_CUDA, division.is_in_stream = true;
        const MpAnswer<T> answer = solve_mp(s, XBATCH_LAYOUT_FLAT, division);
        if (!first) first = answer;
        EXPECT_LE(errors_of(s, answer.x).backward, 32);
        EXPECT_TRUE(same_values(first->x, answer.x));
        for (const std::vector<int32_t> &info : answer.info) EXPECT_EQ(info[0], 0);
    }
}

// One rank needs no layer, and its solve can be captured.
TEST(DistributedStreamCuda, CapturedOnOneRank) {
    const Handle probe(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(probe);
    const Systems<double> s = make_systems<double>(5000, 1, 3, {6, 1, 16});
    World world(1);
    Division division{1};
    division.backend = XBATCH_BACKEND_CUDA;
    const MpAnswer<double> expected = solve_mp(s, XBATCH_LAYOUT_FLAT, division);
    const MpAnswer<double> answer =
        solve_mp(world, s, XBATCH_LAYOUT_FLAT, division, 0,
                 [&](int, xbatchMpPlan_t, MpCall<double> &call, xbatchHandle_t handle) {
                     capture_and_replay(
                         handle, [&] { EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS); }, 3, [&] { call.upload(); });
                     return XBATCH_STATUS_SUCCESS;
                 });
    EXPECT_TRUE(same_values(expected.x, answer.x));
}

TEST(DistributedNothing, ToDo) {
    for (const auto &[n, nrhs, batch] : {std::array<int64_t, 3>{0, 1, 1}, {3, 0, 1}, {3, 1, 0}}) {
        World world(3);
        on_ranks(world, [&, n = n, nrhs = nrhs, batch = batch](int, xbatchComm_t comm, xbatchHandle_t) {
            xbatchMpPlan_t plan = nullptr;
            ASSERT_EQ(xgtsvMpCreatePlan(comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, n, nrhs, batch, nullptr, 0, 0, &plan),
                      XBATCH_STATUS_SUCCESS);
            size_t bytes = 1;
            EXPECT_EQ(xgtsvMp_bufferSize(plan, &bytes), XBATCH_STATUS_SUCCESS);
            EXPECT_EQ(bytes, 0);
            EXPECT_EQ(dgtsvMp(plan, nullptr, nullptr, nullptr, 5, nullptr, 5, nullptr, nullptr, 0),
                      XBATCH_STATUS_SUCCESS);
            EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
        });
    }
}

}  // namespace
}  // namespace xbatch_test
