// test_gtsv_strided.cpp: tridiagonal systems along the directions of arrays with halos, and at any other strides.
//
// The residual first: the normwise backward error is at most 32 eps. Then the solution of the same systems, copied to
// FLAT arrays. Strides that describe a layout must give the bits of that layout's routine. Then what must not happen: a
// write outside of the systems, as in halos, a read of elements that belong to no system (NaN), an influence of one
// system on another, or of the number of threads; and info must be in the order of the batch dimensions.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support/fixtures/gtsv_cases.hpp"
#include "support/fixtures/strided.hpp"
#include "support/residuals/info.hpp"

namespace xbatch_test {
namespace {

struct StridedCase {
    int entry;  // of strided_entries()
    xbatchDataType_t type;
    xbatchBackend_t backend;
};
std::string case_name(const testing::TestParamInfo<StridedCase> &info) {
    const Algorithm algorithm = strided_entries()[size_t(info.param.entry)].algorithm;
    return std::string(1, letter(info.param.type)) + entry(algorithm).name;
}
std::vector<StridedCase> all_cases(xbatchBackend_t backend) {
    std::vector<StridedCase> cases;
    for (int entry = 0; entry < 3; ++entry)
        for (xbatchDataType_t type : all_types) cases.push_back({entry, type, backend});
    return cases;
}

// The inner part of an array of three dimensions with halos on both sides, x first
struct Grid {
    std::array<int64_t, 3> inner, halo;  // halo: of both sides together

    int64_t stride(int d) const {
        int64_t s = 1;
        for (int k = 0; k < d; ++k) s *= inner[size_t(k)] + halo[size_t(k)];
        return s;
    }
};
// Which coefficients there are
enum class Sets { Grid, Dense, OneForAll, OneForFirst, OneForSecond, Constant, Records };
constexpr Sets all_sets[] = {Sets::Grid,         Sets::Dense,    Sets::OneForAll, Sets::OneForFirst,
                             Sets::OneForSecond, Sets::Constant, Sets::Records};

// Lines along `direction`; the batch dimensions are the other two, in order
StridedShape lines_of(const Grid &grid, int direction, Sets sets) {
    const int first = direction == 0 ? 1 : 0, second = direction == 2 ? 1 : 2;
    const auto strides = [&](const Grid &g) {
        return xbatchStrides_t{g.stride(direction), {g.stride(first), g.stride(second), 0}};
    };
    StridedShape shape{grid.inner[size_t(direction)],
                       {grid.inner[size_t(first)], grid.inner[size_t(second)], 1},
                       strides(grid),
                       strides(grid)};
    if (sets == Sets::Dense) shape.t = strides({grid.inner, {0, 0, 0}});
    if (sets == Sets::OneForAll) shape.t = {1, {0, 0, 0}};
    if (sets == Sets::OneForFirst) shape.t = {1, {0, shape.n + 1, 0}};
    if (sets == Sets::OneForSecond) shape.t = {shape.batch[0] + 1, {1, 0, 0}};
    if (sets == Sets::Constant) shape.t = {0, {1, shape.batch[0], 0}};
    if (sets == Sets::Records)  // three numbers for each point
        for (xbatchStrides_t *s : {&shape.t, &shape.b}) s->row *= 3, s->batch[0] *= 3, s->batch[1] *= 3;
    return shape;
}

const std::vector<Grid> grids = {{{5, 3, 4}, {2, 2, 2}},    {{17, 33, 2}, {3, 0, 1}},  {{1, 7, 3}, {4, 1, 0}},
                                 {{33, 1, 5}, {0, 2, 3}},   {{64, 18, 3}, {2, 2, 2}},  {{3, 130, 2}, {1, 4, 0}},
                                 {{20, 18, 17}, {0, 3, 0}}, {{32, 16, 16}, {0, 0, 0}}, {{2, 2, 600}, {1, 1, 1}}};

class StridedOn : public testing::TestWithParam<StridedCase> {
protected:
    StridedOn() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    const StridedEntry &routine() const { return strided_entries()[size_t(GetParam().entry)]; }
    bool is_periodic() const { return entry(routine().algorithm).is_periodic; }
    template <class T>
    Systems<T> make(const StridedShape &shape, uint64_t seed = 1) const {
        return make_strided_systems<T>(shape, {6, 18, 19, 20}, is_periodic(), seed);
    }
    // Solves by strides, and copied to FLAT arrays
    template <class T>
    void judge(const StridedShape &shape, int64_t k) {
        SCOPED_TRACE(testing::Message() << "n " << shape.n << ", batch " << shape.batch[0] << " " << shape.batch[1]
                                        << " " << shape.batch[2] << ", T " << shape.t.row << " " << shape.t.batch[0]
                                        << " " << shape.t.batch[1] << ", B " << shape.b.row << " " << shape.b.batch[0]
                                        << " " << shape.b.batch[1]);
        const Systems<T> s = make<T>(shape, uint64_t(k + 1));
        const Answer<T> answer = solve_strided(handle_, routine(), shape, s, k % 2, k % 4 != 3);
        EXPECT_EQ(answer.info, std::vector<int32_t>(size_t(s.batch), k % 4 == 3 ? -1 : 0));
        EXPECT_LE(errors_of(s, answer.x).backward, 32);
        const Answer<T> flat = solve(handle_, routine().algorithm, s, {XBATCH_LAYOUT_FLAT, s.n, s.n});
        EXPECT_LE(distance(s, answer.x, flat.x), 100);
    }
    template <class T>
    void judge_grids(const std::vector<Grid> &of) {
        int64_t k = 0;
        for (const Grid &grid : of)
            for (int direction = 0; direction < 3; ++direction)
                for (Sets sets : all_sets) {
                    judge<T>(lines_of(grid, direction, sets), k++);
                    if (HasFatalFailure()) return;
                }
    }

    Handle handle_;
};

TEST_P(StridedOn, DirectionsOfAGrid) {
    with_type(GetParam().type, [&](auto zero) { judge_grids<decltype(zero)>(grids); });
}
// Systems that are cut, and such that need a cluster on a GPU
TEST_P(StridedOn, LongLines) {
    with_type(GetParam().type, [&](auto zero) {
        judge_grids<decltype(zero)>({{{3, 2500, 2}, {1, 1, 1}}, {{5001, 2, 3}, {3, 1, 0}}});
    });
}
TEST_P(StridedOn, LongLinesFull) {
    with_type(GetParam().type, [&](auto zero) {
        judge_grids<decltype(zero)>({{{40001, 3, 2}, {1, 1, 1}}, {{2, 33, 20000}, {2, 1, 0}}});
    });
}

// All three batch dimensions; none can be part of the one before
TEST_P(StridedOn, ThreeBatchDimensions) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const auto &[n, e0, e1, e2] :
             {std::array<int64_t, 4>{7, 3, 5, 2}, {40, 17, 2, 3}, {2, 1, 9, 33}, {130, 2, 1, 4}, {3, 2, 3, 500}}) {
            const int64_t c = n + 1, r = e0 + 2;
            const StridedShape rows_first{
                n, {e0, e1, e2}, {1, {c, c * (e0 + 1), 0}}, {1, {c, c * (e0 + 1), c * (e0 + 1) * (e1 + 2)}}};
            const StridedShape systems_first{
                n, {e0, e1, e2}, {r, {1, 0, r * n}}, {r, {1, r * (n + 1), r * (n + 1) * e1 + 3}}};
            judge<T>(rows_first, k++);
            judge<T>(systems_first, k++);
            StridedShape reversed = systems_first;  // the largest stride first
            std::swap(reversed.batch[0], reversed.batch[2]);
            for (xbatchStrides_t *s : {&reversed.t, &reversed.b}) std::swap(s->batch[0], s->batch[2]);
            judge<T>(reversed, k++);
        }
    });
}

TEST_P(StridedOn, StridesOfALayoutGiveItsBits) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, e0, e1] : {std::array<int64_t, 3>{1, 5, 1},
                                        {9, 4, 3},
                                        {40, 33, 2},
                                        {33, 16, 9},
                                        {64, 1, 7},
                                        {1030, 3, 2},
                                        {100, 70, 1}}) {
            const int64_t batch = e0 * e1;
            SCOPED_TRACE(testing::Message() << "n " << n << ", batch " << e0 << " " << e1);
            const xbatchStrides_t flat = {1, {n + 1, (n + 1) * e0, 0}}, lanes = {batch + 3, {1, e0, 0}},
                                  blocks = {e0, {1, e0 * n, 0}}, one = {1, {0, 0, 0}};
            for (const auto &[t, b, layout, ldt, ldb] :
                 {std::tuple(flat, flat, XBATCH_LAYOUT_FLAT, n + 1, n + 1),
                  std::tuple(one, flat, XBATCH_LAYOUT_FLAT, int64_t(0), n + 1),
                  std::tuple(lanes, lanes, XBATCH_LAYOUT_INTERLEAVED, batch + 3, batch + 3),
                  std::tuple(one, lanes, XBATCH_LAYOUT_INTERLEAVED, int64_t(0), batch + 3),
                  std::tuple(blocks, blocks, XBATCH_LAYOUT_BLOCK_INTERLEAVED, e0, e0),
                  std::tuple(one, blocks, XBATCH_LAYOUT_BLOCK_INTERLEAVED, int64_t(0), e0)}) {
                const StridedShape shape{n, {e0, e1, 1}, t, b};
                Systems<T> s = make<T>(shape);
                const Answer<T> answer = solve_strided(handle_, routine(), shape, s);
                const Answer<T> expected = solve(handle_, routine().algorithm, s, {layout, ldt, ldb});
                EXPECT_TRUE(same_bits(answer.x, expected.x)) << layout_name(layout) << ", ldt " << ldt;
                EXPECT_EQ(answer.info, expected.info);
            }
        }
    });
}

// A zero matrix, a NaN, and all others as without them: in every direction info is that of system j0 + batch0 (j1 + …).
TEST_P(StridedOn, InfoAndIsolation) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Grid &grid : {Grid{{6, 5, 4}, {2, 2, 2}}, Grid{{70, 3, 18}, {1, 0, 2}}})
            for (int direction = 0; direction < 3; ++direction) {
                const StridedShape shape = lines_of(grid, direction, Sets::Grid);
                const Systems<T> good = make<T>(shape);
                const Answer<T> expected = solve_strided(handle_, routine(), shape, good);
                Systems<T> s = good;
                const int64_t first = shape.batch[0] + 1, second = s.batch - 2;
                for (int64_t i = 0; i < s.n; ++i) {
                    const auto k = size_t(s.row(first, i));
                    s.dl[k] = s.d[k] = s.du[k] = T(0);
                }
                s.b[size_t(s.entry(second, 0, s.n / 2))] = numbers_not_finite<T>()[0];
                const Answer<T> answer = solve_strided(handle_, routine(), shape, s);
                for (int64_t j = 0; j < s.batch; ++j) {
                    SCOPED_TRACE(testing::Message() << "direction " << direction << ", system " << j);
                    if (j == first) {
                        EXPECT_GE(answer.info[size_t(j)], 1);
                        EXPECT_LE(answer.info[size_t(j)], s.n);
                    } else if (j == second) {
                        EXPECT_EQ(answer.info[size_t(j)], s.n + 1);
                    } else {
                        EXPECT_EQ(answer.info[size_t(j)], 0);
                        EXPECT_TRUE(same_system(s, j, answer.x, expected.x));
                    }
                }
            }
    });
}

TEST_P(StridedOn, RunsTwiceAndOnAnyThreadsWithTheSameBits) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Grid &grid :
             {Grid{{40, 19, 6}, {2, 3, 1}}, Grid{{3, 700, 2}, {1, 1, 1}}, Grid{{11, 63, 3}, {22, 0, 0}}})
            for (int direction = 0; direction < 3; ++direction) {
                const StridedShape shape = lines_of(grid, direction, Sets::Grid);
                const Systems<T> s = make<T>(shape);
                std::vector<T> first;
                for (int threads : {1, 2, 5}) {
                    ASSERT_EQ(xbatchSetThreadCount(handle_, threads), XBATCH_STATUS_SUCCESS);
                    const std::vector<T> x = solve_strided(handle_, routine(), shape, s).x;
                    if (first.empty()) first = x;
                    EXPECT_TRUE(same_bits(x, first)) << "direction " << direction << ", " << threads << " threads";
                }
            }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, StridedOn, testing::ValuesIn(all_cases(XBATCH_BACKEND_HOST)), case_name);
INSTANTIATE_TEST_SUITE_P(Cuda, StridedOn, testing::ValuesIn(all_cases(XBATCH_BACKEND_CUDA)), case_name);

class StridedCuda : public testing::TestWithParam<StridedCase> {};

TEST_P(StridedCuda, CapturedAndReplayed) {
    Handle handle(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(handle);
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const StridedEntry &routine = strided_entries()[size_t(GetParam().entry)];
        for (int direction = 0; direction < 3; ++direction) {
            const StridedShape shape = lines_of({{20, 9, 5}, {2, 2, 2}}, direction, Sets::Grid);
            const Systems<T> s = make_strided_systems<T>(shape, {6, 18}, entry(routine.algorithm).is_periodic);
            const Answer<T> expected = solve_strided(handle, routine, shape, s);
            StridedCall<T> call(handle, routine, shape, s);
            capture_and_replay(
                handle, [&] { EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS); }, 2, [&] { call.restore(); });
            const Answer<T> answer = call.answer(XBATCH_STATUS_SUCCESS);
            EXPECT_TRUE(same_bits(answer.x, expected.x));
            EXPECT_EQ(answer.info, expected.info);
        }
    });
}
INSTANTIATE_TEST_SUITE_P(Cuda, StridedCuda, testing::ValuesIn(all_cases(XBATCH_BACKEND_CUDA)), case_name);

}  // namespace
}  // namespace xbatch_test
