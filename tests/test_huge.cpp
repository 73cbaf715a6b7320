// test_huge.cpp: arrays of more than 2^31 elements on the device, where a 32-bit offset would access the wrong row.
//
// Every system has the same matrix (ldt = 0) and the same right-hand side, so every solution must equal, bit by bit,
// that of a small batch. Only the first and last systems, and those around element 2^31, are compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/fixtures/hines.hpp"

namespace xbatch_test {
namespace {

constexpr int64_t piece = int64_t(1) << 24;

// Batches of `few` and of `batch` systems of n rows, the second of more than 2^31 elements
struct Case {
    Algorithm algorithm;
    int64_t n, few, batch;
    enum { gtsv, positive, hines } routine = gtsv;  // xptsvBatch or xhinesBatch instead of the algorithm
};
constexpr Case pscheme = {Algorithm::Pscheme, 64, 1024, (int64_t(1) << 25) + 1024};
constexpr Case positive = {Algorithm::Pscheme, 64, 1024, (int64_t(1) << 25) + 1024, Case::positive};
constexpr Case hines = {Algorithm::Pscheme, 64, 1024, (int64_t(1) << 25) + 1024, Case::hines};
constexpr Case hines_tall = {Algorithm::Pscheme, 8192, 64, (int64_t(1) << 18) + 64, Case::hines};
constexpr Case oddeven = {Algorithm::OddEven, 64, 1024, (int64_t(1) << 25) + 1024};
constexpr Case oddeven_tiled = {Algorithm::OddEven, 8192, 64, (int64_t(1) << 18) + 64};

class Huge : public testing::TestWithParam<xbatchLayout_t> {
protected:
    Huge() : handle_(XBATCH_BACKEND_CUDA) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    int64_t ld(const Case &c, int64_t systems) const {
        return GetParam() == XBATCH_LAYOUT_FLAT ? c.n : GetParam() == XBATCH_LAYOUT_INTERLEAVED ? systems : c.few;
    }
    void solve(const Case &c, DeviceArray &matrix, DeviceArray &b, int64_t systems) {
        const Entry &routine = entry(c.algorithm);
        size_t bytes = 0;
        if (c.routine == Case::positive) return solve_positive(c, matrix, b, systems);
        if (c.routine == Case::hines) return solve_hines(c, matrix, b, systems);
        ASSERT_EQ(routine.size(handle_, XBATCH_R_32F, GetParam(), c.n, 1, systems, &bytes), XBATCH_STATUS_SUCCESS);
        DeviceArray workspace(int64_t(bytes / sizeof(float)) + 1);
        ASSERT_EQ(routine.solve(handle_, XBATCH_R_32F, GetParam(), c.n, 1, systems, matrix.data, matrix.data + c.n,
                                matrix.data + 2 * c.n, 0, b.data, ld(c, systems), nullptr, workspace.data, bytes),
                  XBATCH_STATUS_SUCCESS)
            << handle_.message();
    }
    void solve_positive(const Case &c, DeviceArray &matrix, DeviceArray &b, int64_t systems) {
        size_t bytes = 1;
        ASSERT_EQ(sptsvBatch_bufferSize(handle_, GetParam(), c.n, 1, systems, &bytes), XBATCH_STATUS_SUCCESS);
        ASSERT_EQ(bytes, 0u);
        ASSERT_EQ(sptsvBatch(handle_, GetParam(), c.n, 1, systems, matrix.data + c.n, matrix.data, 0, b.data,
                             ld(c, systems), nullptr, nullptr, 0),
                  XBATCH_STATUS_SUCCESS)
            << handle_.message();
    }
    void solve_hines(const Case &c, DeviceArray &matrix, DeviceArray &b, int64_t systems) {
        const HinesPlan plan(handle_, {random_tree(c.n, 0.2)});
        const float *u = matrix.data, *l = matrix.data + 2 * c.n;
        size_t bytes = 0;
        ASSERT_EQ(shinesBatch_bufferSize(handle_, GetParam(), XBATCH_OP_N, plan, 1, systems, &bytes),
                  XBATCH_STATUS_SUCCESS);
        DeviceArray workspace(int64_t(bytes / sizeof(float)) + 1);
        ASSERT_EQ(shinesBatch(handle_, GetParam(), XBATCH_OP_N, plan, 1, systems, u, l, 0, matrix.data + c.n, 0, b.data,
                              ld(c, systems), nullptr, workspace.data, bytes),
                  XBATCH_STATUS_SUCCESS)
            << handle_.message();
        float first = 0;
        to_host(&first, b.data, sizeof first);  // waits: the plan must not be destroyed before the solve ends
    }
    std::vector<float> system(const Case &c, const DeviceArray &b, int64_t systems, int64_t j) const {
        std::vector<float> x(c.n);
        for (int64_t i = 0; i < c.n; ++i)
            to_host(&x[i], b.data + element<int64_t>(GetParam(), c.n, 1, ld(c, systems), i, j, 0), sizeof(float));
        return x;
    }
    void expect_same(const Case &c) {
        std::vector<float> rows(3 * c.n, -1.0f), ones(piece, 1.0f);
        for (int64_t i = 0; i < c.n; ++i) rows[c.n + i] = 4.0f + float(i % 3);
        DeviceArray matrix(3 * c.n), few(c.n * c.few), many(c.n * c.batch);
        to_device(matrix.data, rows.data(), rows.size() * sizeof(float));
        to_device(few.data, ones.data(), size_t(c.n * c.few) * sizeof(float));
        for (int64_t at = 0; at < c.n * c.batch; at += piece)
            to_device(many.data + at, ones.data(), size_t(std::min(piece, c.n * c.batch - at)) * sizeof(float));
        solve(c, matrix, few, c.few);
        solve(c, matrix, many, c.batch);
        const std::vector<float> expected = system(c, few, c.few, 5);
        const int64_t at_limit = (int64_t(1) << 31) / c.n;
        for (int64_t j : {int64_t(0), int64_t(1), at_limit - 1, at_limit, c.batch - 1})
            EXPECT_EQ(system(c, many, c.batch, j), expected) << "system " << j;
    }

    Handle handle_;
};

TEST_P(Huge, GtsvPschemeFull) { expect_same(pscheme); }
TEST_P(Huge, PtsvFull) { expect_same(positive); }
TEST_P(Huge, HinesFull) { expect_same(hines); }
TEST_P(Huge, HinesOfTallTreesFull) { expect_same(hines_tall); }
TEST_P(Huge, GtsvOddEvenFull) { expect_same(oddeven); }
TEST_P(Huge, GtsvOddEvenInTilesFull) { expect_same(oddeven_tiled); }

INSTANTIATE_TEST_SUITE_P(Cuda, Huge, testing::ValuesIn(all_layouts),
                         [](const auto &info) { return std::string(layout_name(info.param)); });

}  // namespace
}  // namespace xbatch_test
