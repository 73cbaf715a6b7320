// test_huge.cpp: arrays of more than 2^31 elements on the device, where an offset of 32 bits would meet the wrong row.
//
// Every system has the same matrix (ldt = 0) and the same right-hand side, so every solution must be, bit by bit, the
// one that a batch of one group of systems has. Looked at: the first and last systems, and those around element 2^31.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/layout.hpp"

namespace xbatch_test {
namespace {

constexpr int64_t n = 64, batch = (int64_t(1) << 25) + 1024, piece = int64_t(1) << 24;

struct DeviceArray {
    explicit DeviceArray(int64_t count) : data(static_cast<float *>(device_allocate(size_t(count) * sizeof(float)))) {}
    ~DeviceArray() { device_free(data); }
    float *const data;
};

class Huge : public testing::TestWithParam<xbatchLayout_t> {
protected:
    Huge() : handle_(XBATCH_BACKEND_CUDA) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    int64_t ld(int64_t systems) const {
        return GetParam() == XBATCH_LAYOUT_FLAT ? n : GetParam() == XBATCH_LAYOUT_INTERLEAVED ? systems : 1024;
    }
    void solve(DeviceArray &matrix, DeviceArray &b, int64_t systems) {
        ASSERT_EQ(sgtsvPscheme(handle_, GetParam(), n, 1, systems, matrix.data, matrix.data + n, matrix.data + 2 * n, 0,
                               b.data, ld(systems), nullptr, nullptr, 0),
                  XBATCH_STATUS_SUCCESS)
            << handle_.message();
    }
    std::vector<float> system(const DeviceArray &b, int64_t systems, int64_t j) const {
        std::vector<float> x(n);
        for (int64_t i = 0; i < n; ++i)
            to_host(&x[i], b.data + element<int64_t>(GetParam(), n, 1, ld(systems), i, j, 0), sizeof(float));
        return x;
    }

    Handle handle_;
};

TEST_P(Huge, FullGtsvPscheme) {
    std::vector<float> rows(3 * n, -1.0f), ones(piece, 1.0f);
    for (int64_t i = 0; i < n; ++i) rows[n + i] = 4.0f + float(i % 3);
    DeviceArray matrix(3 * n), few(n * 1024), many(n * batch);
    to_device(matrix.data, rows.data(), rows.size() * sizeof(float));
    to_device(few.data, ones.data(), n * 1024 * sizeof(float));
    for (int64_t at = 0; at < n * batch; at += piece)
        to_device(many.data + at, ones.data(), size_t(std::min(piece, n * batch - at)) * sizeof(float));
    solve(matrix, few, 1024);
    solve(matrix, many, batch);
    const std::vector<float> expected = system(few, 1024, 5);
    for (int64_t j : {int64_t(0), int64_t(1), (int64_t(1) << 25) - 1, int64_t(1) << 25, batch - 1})
        EXPECT_EQ(system(many, batch, j), expected) << "system " << j;
}

INSTANTIATE_TEST_SUITE_P(Cuda, Huge, testing::ValuesIn(all_layouts),
                         [](const auto &info) { return std::string(layout_name(info.param)); });

}  // namespace
}  // namespace xbatch_test
