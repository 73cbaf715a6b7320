// test_qr_huge.cpp: tiled QR of a matrix of more than 2^31 elements on the device, where a 32-bit offset would access
// the wrong row. The matrix repeats a small one p times, so its R is sqrt(p) times the small one's, except for signs.
// And of matrices of many tiles.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/fixtures/qr.hpp"

namespace xbatch_test {
namespace {

TEST(QrHugeCuda, TallMatrixFull) {
    constexpr int64_t piece = int64_t(1) << 24;
    constexpr int64_t rows = 1 << 12, n = 17, copies = (int64_t(1) << 15) + 3, m = rows * copies;
    const Handle handle(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(handle);
    const Dense<float> g = random_matrix<float>(rows, n, 1);
    DeviceArray a(m * n), c(m);
    std::vector<float> columns(piece);
    for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < piece; ++i) columns[i] = g(i % rows, j);
        for (int64_t i = 0; i < m; i += piece)
            to_device(a.data + j * m + i, columns.data(), size_t(std::min(piece, m - i)) * sizeof(float));
        for (int64_t i = 0; j == n - 1 && i < m; i += piece)
            to_device(c.data + i, columns.data(), size_t(std::min(piece, m - i)) * sizeof(float));
    }
    size_t t_bytes = 0, factor_bytes = 0, apply_bytes = 0;
    ASSERT_EQ(xgeqrtTiled_bufferSize(handle, XBATCH_R_32F, m, n, nullptr, &t_bytes, &factor_bytes),
              XBATCH_STATUS_SUCCESS);
    ASSERT_EQ(
        xgemqrtTiled_bufferSize(handle, XBATCH_R_32F, XBATCH_SIDE_LEFT, XBATCH_OP_T, m, 1, n, nullptr, &apply_bytes),
        XBATCH_STATUS_SUCCESS);
    const auto words = [](size_t bytes) { return int64_t(bytes / sizeof(float)) + 1; };
    DeviceArray t(words(t_bytes)), workspace(words(std::max(factor_bytes, apply_bytes)));
    ASSERT_EQ(
        xgeqrtTiled(handle, XBATCH_R_32F, m, n, nullptr, a.data, m, t.data, nullptr, workspace.data, factor_bytes),
        XBATCH_STATUS_SUCCESS)
        << handle.message();
    ASSERT_EQ(xgemqrtTiled(handle, XBATCH_R_32F, XBATCH_SIDE_LEFT, XBATCH_OP_T, m, 1, n, nullptr, a.data, m, t.data,
                           c.data, m, nullptr, workspace.data, apply_bytes),
              XBATCH_STATUS_SUCCESS)
        << handle.message();
    Dense<double> r(rows, n);
    for (size_t k = 0; k < g.data.size(); ++k) r.data[k] = double(g.data[k]);
    lapack_geqrf(r);
    const double scale = std::sqrt(double(copies)), bound = 1e-4 * scale * std::abs(r(0, 0));
    std::vector<float> found(n), image(n);
    to_host(image.data(), c.data, n * sizeof(float));
    for (int64_t j = 0; j < n; ++j) {
        to_host(found.data(), a.data + j * m, n * sizeof(float));
        for (int64_t i = 0; i <= j; ++i)
            EXPECT_NEAR(std::abs(found[size_t(i)]), scale * std::abs(r(i, j)), bound) << i << ", " << j;
    }
    // Q^H times the last column is the last column of R.
    for (int64_t i = 0; i < n; ++i) EXPECT_NEAR(image[size_t(i)], found[size_t(i)], bound) << i;
}

// Enough tiles for tasks that update several of them, except at the edges: Q R and Q^H A in some columns
template <class T>
void expect_chains(MatrixPlacing placing) {
    const Handle handle(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(handle);
    const int64_t b = sizeof(T) == 16 ? 64 : 128, m = 49 * b + 6, n = 9 * b + 7;
    const xbatchTiledConfig_t config = {b, b, 32, 1, XBATCH_TREE_FLAT};
    const Dense<T> a = random_matrix<T>(m, n, 3);
    Factored<T> f(handle, a, &config, placing);
    EXPECT_EQ(f.info(), 0);
    const Dense<T> r = f.r();
    const auto expect_close = [&](const Dense<T> &x, const Dense<T> &expected) {
        Dense<Wide<T>> error = widened(x);
        for (size_t k = 0; k < error.data.size(); ++k) error.data[k] -= Wide<T>(expected.data[k]);
        EXPECT_LE(ratio<T>(one_norm(error), m, one_norm(widened(expected))), 10);
    };
    Dense<T> some_r(m, 13), some_a(m, 13), first_a(m, b), first_r(m, b);
    for (int64_t k = 0; k < 13; ++k) {
        const int64_t j = k * (n - 1) / 12;
        std::copy_n(&r.data[size_t(j * n)], n, &some_r.data[size_t(k * m)]);
        std::copy_n(&a.data[size_t(j * m)], m, &some_a.data[size_t(k * m)]);
    }
    for (int64_t j = 0; j < b; ++j) std::copy_n(&r.data[size_t(j * n)], n, &first_r.data[size_t(j * m)]);
    std::copy_n(a.data.begin(), first_a.data.size(), first_a.data.begin());
    expect_close(f.times(XBATCH_SIDE_LEFT, XBATCH_OP_N, some_r), some_a);
    expect_close(f.times(XBATCH_SIDE_LEFT, XBATCH_OP_C, first_a), first_r);
}
TEST(QrHugeCuda, ChainsOfUpdates) {
    expect_chains<double>({0, 0});
    expect_chains<std::complex<double>>({0, 0});
    expect_chains<std::complex<double>>({3, 1});
}

}  // namespace
}  // namespace xbatch_test
