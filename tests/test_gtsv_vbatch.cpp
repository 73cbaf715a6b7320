// test_gtsv_vbatch.cpp: tridiagonal systems of different lengths, with pivoting.
//
// Each system is checked by its residual, as in test_gtsv_batch.cpp: ||Ax - b|| / (||A|| ||x|| + ||b||) is at most 32
// eps. A system whose offsets are wrong, or that is singular or contains NaN, sets info, and every byte outside the
// solutions of the others is unchanged. The number of threads and the order of systems change no bit.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "support/fixtures/vbatch.hpp"

namespace xbatch_test {
namespace {

struct Case {
    xbatchDataType_t type;
    xbatchBackend_t backend;
};

class GtsvVBatch : public testing::TestWithParam<Case> {
protected:
    GtsvVBatch() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }
    // System j has lengths[j] rows and is of family j of a cycle.
    template <class T>
    static std::vector<Systems<T>> make(const std::vector<int64_t> &lengths, int64_t nrhs) {
        constexpr Family of[] = {1, 14, 16, 20, 26, 28};
        std::vector<Systems<T>> systems;
        for (size_t j = 0; j < lengths.size(); ++j)
            systems.push_back(make_systems<T>(lengths[j], nrhs, 1, {of[j % 6]}, false, j));
        return systems;
    }

    Handle handle_;
};

const std::vector<int64_t> lengths = {0, 1, 2, 3, 17, 64, 0, 513, 5000, 1, 33, 100, 7, 1000, 0, 2047, 2049, 15, 16, 32};

TEST_P(GtsvVBatch, Lengths) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t nrhs : {1, 3})
            for (const Room &room : {Room{}, Room{5, 1, {1, 1, 1, 1}}, Room{2, 3, {0, 0, 0, 1}, 10000}}) {
                const bool with_info = room.padding != 5;
                VBatchCall<T> call(handle_, GetParam().backend, make<T>(lengths, nrhs), room);
                call.may_write_all();
                call.run(with_info);
                call.expect_solved(with_info);
            }
    });
}

// Every number of threads per system, and of tiles, with one row more and one less
TEST_P(GtsvVBatch, EveryLength) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<int64_t> all;
        for (int64_t n = 0; n < 140; ++n) all.push_back(n);
        for (int64_t n = 256; n <= 8192; n *= 2) all.insert(all.end(), {n - 1, n, n + 1});
        for (int64_t before : {0, 1}) {
            VBatchCall<T> call(handle_, GetParam().backend, make<T>(all, 1), Room{0, before});
            call.may_write_all();
            call.run();
            call.expect_solved();
        }
    });
}

// Lengths around those at which more threads share a system on a GPU with clusters: multiples of the most rows of a
// thread. Bases that are all aligned, all misaligned alike, and each otherwise.
TEST_P(GtsvVBatch, AroundTheRowsOfThreads) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        constexpr int64_t most_rows = sizeof(T) == 4 ? 41 : sizeof(T) == 8 ? 25 : 13;
        std::vector<int64_t> ascending;
        for (int64_t threads : {1, 2, 3, 4, 5, 6, 8, 10, 16, 32, 64, 128})
            for (int64_t rows : {threads * most_rows - 1, threads * most_rows, threads * most_rows + 1})
                ascending.insert(ascending.end(), {rows, 0, rows});
        const std::vector<int64_t> descending(ascending.rbegin(), ascending.rend());
        for (const auto &all : {ascending, descending})
            for (const Room &room : {Room{}, Room{1, 1, {1, 1, 1, 1}}, Room{0, 3, {0, 1, 2, 3}}}) {
                VBatchCall<T> call(handle_, GetParam().backend, make<T>(all, 1), room);
                call.may_write_all();
                call.run();
                call.expect_solved();
            }
    });
}

// Systems of equal length, short ones by groups that are full, nearly full and of one system; a long one among them
TEST_P(GtsvVBatch, EqualLengths) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {std::array<int64_t, 2>{1, 2049},
                                       {2, 2047},
                                       {5, 2048},
                                       {17, 4097},
                                       {30, 300},
                                       {137, 100},
                                       {251, 60},
                                       {600, 20},
                                       {1025, 9},
                                       {2001, 5}})
            for (int64_t longest : {n, int64_t(3333)}) {
                std::vector<int64_t> all(static_cast<size_t>(batch), n);
                all[size_t(batch / 3)] = longest;
                VBatchCall<T> call(handle_, GetParam().backend, make<T>(all, n < 100 ? 1 : 2), Room{0, n % 3});
                call.may_write_all();
                call.run();
                call.expect_solved();
            }
    });
}

// Typical mixes of lengths
TEST_P(GtsvVBatch, Mixes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        Random random(11);
        const auto between = [&](int64_t count, int64_t least, int64_t most) {
            std::vector<int64_t> mix(static_cast<size_t>(count));
            for (int64_t &n : mix) n = least + int64_t(random.bits() % uint64_t(most - least + 1));
            return mix;
        };
        std::vector<int64_t> one_giant = between(300, 50, 50), one_after_another = between(40, 3000, 12000);
        one_giant[177] = 100003;
        for (const auto &[mix, beyond] : {std::pair<std::vector<int64_t>, int64_t>{between(5000, 1, 20), 0},
                                          {between(400, 32, 512), 0},
                                          {between(40, 500, 2000), 500},
                                          {between(5000, 1, 1), 0},
                                          {between(300, 0, 50), 1000000},
                                          {between(1, 70001, 70001), 0},
                                          {between(3, 0, 0), 7},
                                          {one_after_another, 0},
                                          {one_giant, 0}}) {
            VBatchCall<T> call(handle_, GetParam().backend, make<T>(mix, 1), Room{0, 0, {}, beyond});
            call.may_write_all();
            call.run();
            call.expect_solved();
        }
    });
}

// A wrong offset in turn: the systems on both sides of it must be refused, all others solved.
TEST_P(GtsvVBatch, WrongOffsets) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<Systems<T>> systems = make<T>({40, 50, 60, 5000, 80}, 2);
        for (int64_t wrong : {int64_t(-1), INT64_MIN, int64_t(20000), INT64_MAX}) {
            VBatchCall<T> call(handle_, GetParam().backend, systems, Room{1});
            for (int64_t j : {0, 1, 4}) call.may_write(j);
            call.set_offset(3, wrong);  // where system 2 ends and system 3 begins
            call.run();
            for (int64_t j = 0; j < 5; ++j) {
                EXPECT_EQ(call.info(j), j == 2 || j == 3 ? -1 : 0) << "system " << j << ", offset " << wrong;
                if (j == 2 || j == 3) continue;
                EXPECT_LE(errors_of(systems[j], call.solution(j)).backward, 32);
            }
        }
    });
}

TEST_P(GtsvVBatch, Isolation) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<Systems<T>> good = make<T>(lengths, 2);
        std::vector<Systems<T>> bad = good;
        for (int64_t i = 0; i < bad[5].n; ++i) bad[5].d[i] = T(std::numeric_limits<Real<T>>::quiet_NaN());
        bad[7].dl[100] = bad[7].d[100] = bad[7].du[100] = T(0);
        bad[9].d[0] = T(0);
        bad[16].d[1000] = T(std::numeric_limits<Real<T>>::quiet_NaN());
        VBatchCall<T> first(handle_, GetParam().backend, good, Room{2});
        VBatchCall<T> second(handle_, GetParam().backend, bad, Room{2});
        for (VBatchCall<T> *call : {&first, &second}) call->may_write_all(), call->run();
        for (int64_t j = 0; j < int64_t(good.size()); ++j) {
            const bool is_bad = j == 5 || j == 7 || j == 9 || j == 16;
            EXPECT_EQ(second.info(j) > 0, is_bad) << "system " << j;
            EXPECT_LE(second.info(j), good[size_t(j)].n) << "system " << j;
            if (!is_bad) {
                EXPECT_TRUE(same_bits(first.solution(j), second.solution(j))) << "system " << j;
            }
        }
    });
}

// Each third system has a NaN, or a row of zeros: no other system in the same warp or block changes.
TEST_P(GtsvVBatch, IsolationAmongSimilarLengths) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        Random random(3);
        for (int64_t most : {4, 24, 60, 300, 1300}) {
            std::vector<int64_t> all(static_cast<size_t>(6000 / most + 40));
            for (int64_t &n : all) n = most - int64_t(random.bits() % uint64_t(most / 2));
            const std::vector<Systems<T>> good = make<T>(all, 1);
            std::vector<Systems<T>> bad = good;
            for (size_t j = 0; j < bad.size(); j += 3) {
                const size_t i = size_t(bad[j].n) / 2;
                bad[j].dl[i] = bad[j].du[i] = T(0);
                bad[j].d[i] = j % 2 == 0 ? T(0) : T(std::numeric_limits<Real<T>>::quiet_NaN());
            }
            VBatchCall<T> first(handle_, GetParam().backend, good), second(handle_, GetParam().backend, bad);
            for (VBatchCall<T> *call : {&first, &second}) call->may_write_all(), call->run();
            for (int64_t j = 0; j < int64_t(all.size()); ++j) {
                EXPECT_EQ(second.info(j) > 0, j % 3 == 0) << "system " << j << ", n " << all[size_t(j)];
                if (j % 3 == 0) continue;
                EXPECT_TRUE(same_bits(first.solution(j), second.solution(j))) << "system " << j;
            }
        }
    });
}

TEST_P(GtsvVBatch, OrderOfSystemsChangesNoBit) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<int64_t> many;
        for (int64_t j = 0; j < 500; ++j) many.push_back(j * 74 % 202);
        for (int64_t n : {1000, 2048, 6000, 4098, 512}) many.push_back(n);
        const std::vector<Systems<T>> systems = make<T>(many, 2);
        const std::vector<Systems<T>> reversed(systems.rbegin(), systems.rend());
        VBatchCall<T> first(handle_, GetParam().backend, systems), second(handle_, GetParam().backend, reversed);
        for (VBatchCall<T> *call : {&first, &second}) call->may_write_all(), call->run();
        const int64_t last = int64_t(many.size()) - 1;
        for (int64_t j = 0; j <= last; ++j)
            EXPECT_TRUE(same_bits(first.solution(j), second.solution(last - j))) << "system " << j;
    });
}

TEST_P(GtsvVBatch, GraphReplaysGiveTheSameBits) {
    if (GetParam().backend != XBATCH_BACKEND_CUDA) GTEST_SKIP() << "the host has no graphs";
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<Systems<T>> systems = make<T>(lengths, 2);
        VBatchCall<T> direct(handle_, GetParam().backend, systems), replayed(handle_, GetParam().backend, systems);
        direct.may_write_all(), direct.run();
        replayed.may_write_all();
        capture_and_replay(
            handle_, [&] { replayed.call(); }, 3, [&] { replayed.upload(); });
        replayed.download();
        for (int64_t j = 0; j < int64_t(systems.size()); ++j) {
            EXPECT_EQ(replayed.info(j), 0) << "system " << j;
            EXPECT_TRUE(same_bits(direct.solution(j), replayed.solution(j))) << "system " << j;
        }
    });
}

TEST_P(GtsvVBatch, AnyNumberOfThreadsGivesTheSameBits) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<int64_t> many;
        for (int64_t j = 0; j < 500; ++j) many.push_back(j * 37 % 101);
        const std::vector<Systems<T>> systems = make<T>(many, 1);
        std::vector<std::vector<T>> expected;
        for (int threads : {1, 2, 5}) {
            ASSERT_EQ(xbatchSetThreadCount(handle_, threads), XBATCH_STATUS_SUCCESS);
            VBatchCall<T> call(handle_, GetParam().backend, systems);
            call.may_write_all();
            call.run();
            for (int64_t j = 0; j < 500; ++j) {
                if (threads == 1) expected.push_back(call.solution(j));
                EXPECT_TRUE(same_bits(call.solution(j), expected[size_t(j)])) << "system " << j;
            }
        }
    });
}

std::vector<Case> cases_of(xbatchBackend_t backend) {
    std::vector<Case> cases;
    for (xbatchDataType_t type : all_types) cases.push_back({type, backend});
    return cases;
}
std::string name_of(const testing::TestParamInfo<Case> &info) { return std::string(1, letter(info.param.type)); }

INSTANTIATE_TEST_SUITE_P(Host, GtsvVBatch, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, GtsvVBatch, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);

}  // namespace
}  // namespace xbatch_test
