// test_rearrange.cpp: dst(i, j) = src(i, j), bit by bit, for all nine pairs of layouts.
//
// Every element contains its own indices, so that a misplaced one is identified. Padding, guard zones and src are
// unchanged; a rearrangement and its inverse give the identity; several right-hand sides are one system of n*nrhs rows.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "support/fixtures/array.hpp"
#include "support/residuals/layout.hpp"

namespace xbatch_test {
namespace {

struct Case {
    xbatchDataType_t type;
    xbatchLayout_t from, to;
    xbatchBackend_t backend;
};

std::vector<Case> cases_of(xbatchBackend_t backend) {
    std::vector<Case> cases;
    for (xbatchDataType_t type : all_types)
        for (xbatchLayout_t from : all_layouts)
            for (xbatchLayout_t to : all_layouts) cases.push_back({type, from, to, backend});
    return cases;
}

std::string name_of(const testing::TestParamInfo<Case> &info) {
    const Case &c = info.param;
    return letter(c.type) + std::string(layout_name(c.from)) + "To" + layout_name(c.to);
}

// A unique value for each element: NaN with a payload among them, which a copy must preserve.
template <class T>
T label(int64_t i, int64_t j) {
    T value;
    unsigned char bytes[sizeof(T)];
    for (size_t k = 0; k < sizeof(T); ++k)
        bytes[k] = static_cast<unsigned char>(i * 2654435761u >> (4 * k) ^ j * 40503u >> (3 * k));
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

class Rearrange : public testing::TestWithParam<Case> {
protected:
    Rearrange() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    xbatchStatus_t run(xbatchDataType_t type, int64_t n, int64_t batch, const void *src, int64_t ldsrc, void *dst,
                       int64_t lddst) {
        return xrearrange(handle_, type, n, batch, GetParam().from, src, ldsrc, GetParam().to, dst, lddst);
    }

    template <class T>
    void expect_moved(int64_t n, int64_t batch, int64_t ldsrc, int64_t lddst, int64_t shift) {
        SCOPED_TRACE(testing::Message() << "n " << n << ", batch " << batch << ", ldsrc " << ldsrc << ", lddst "
                                        << lddst << ", shift " << shift);
        const Case &c = GetParam();
        Array<T> src(c.backend, extent(c.from, n, 1, batch, ldsrc), shift);
        Array<T> dst(c.backend, extent(c.to, n, 1, batch, lddst), shift);
        for (int64_t j = 0; j < batch; ++j)
            for (int64_t i = 0; i < n; ++i) {
                src.set(element<int64_t>(c.from, n, 1, ldsrc, i, j, 0), label<T>(i, j));
                dst.may_change(element<int64_t>(c.to, n, 1, lddst, i, j, 0));
            }
        src.upload(), dst.upload();
        ASSERT_EQ(run(c.type, n, batch, src.data(), ldsrc, dst.data(), lddst), XBATCH_STATUS_SUCCESS)
            << handle_.message();
        src.download(), dst.download();
        EXPECT_TRUE(src.intact()) << "src was written";
        EXPECT_TRUE(dst.intact()) << "padding or surroundings of dst were written";
        for (int64_t j = 0; j < batch; ++j)
            for (int64_t i = 0; i < n; ++i) {
                const T moved = dst[element<int64_t>(c.to, n, 1, lddst, i, j, 0)], expected = label<T>(i, j);
                ASSERT_EQ(std::memcmp(&moved, &expected, sizeof(T)), 0) << "element (" << i << ", " << j << ")";
            }
    }
    template <class T>
    void expect_moved(int64_t n, int64_t batch, int64_t k) {
        expect_moved<T>(n, batch, leading_dimension(GetParam().from, n, batch, k),
                        leading_dimension(GetParam().to, n, batch, 3 * k + k % 2), k % 2);
    }

    Handle handle_;
};
using RearrangeGraph = Rearrange;

TEST_P(Rearrange, Shapes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 513})
            for (int64_t batch : {1, 2, 3, 16, 31, 32, 33, 65, 257}) expect_moved<T>(n, batch, k++);
        expect_moved<T>(1, 4099, 1);
        expect_moved<T>(4099, 1, 2);
        expect_moved<T>(2048, 129, 0);
        expect_moved<T>(129, 2049, 4);
    });
}

// All block sizes of interest on both sides at once
TEST_P(Rearrange, LeadingDimensions) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t k = 0; k < 5; ++k)
            for (int64_t l = 0; l < 5; ++l)
                expect_moved<T>(33, 50, leading_dimension(GetParam().from, 33, 50, k),
                                leading_dimension(GetParam().to, 33, 50, l), (k + l) % 2);
    });
}

// Right-hand sides: n*nrhs instead of n; a flat side has ldb = n, so its ld is n*nrhs.
TEST_P(Rearrange, RightHandSides) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Case &c = GetParam();
        const int64_t n = 13, nrhs = 3, batch = 37, rows = n * nrhs;
        const auto ldb = [&](xbatchLayout_t layout, int64_t k) {
            return layout == XBATCH_LAYOUT_FLAT ? n : leading_dimension(layout, n, batch, k);
        };
        const auto ld = [&](xbatchLayout_t layout, int64_t k) {
            return layout == XBATCH_LAYOUT_FLAT ? rows : ldb(layout, k);
        };
        for (int64_t k = 0; k < 5; ++k) {
            Array<T> src(c.backend, extent(c.from, n, nrhs, batch, ldb(c.from, k)));
            Array<T> dst(c.backend, extent(c.to, n, nrhs, batch, ldb(c.to, k + 1)));
            dst.may_change_all();
            for (int64_t j = 0; j < batch; ++j)
                for (int64_t r = 0; r < nrhs; ++r)
                    for (int64_t i = 0; i < n; ++i)
                        src.set(element(c.from, n, nrhs, ldb(c.from, k), i, j, r), label<T>(r * n + i, j));
            src.upload(), dst.upload();
            ASSERT_EQ(run(c.type, rows, batch, src.data(), ld(c.from, k), dst.data(), ld(c.to, k + 1)),
                      XBATCH_STATUS_SUCCESS);
            dst.download();
            for (int64_t j = 0; j < batch; ++j)
                for (int64_t r = 0; r < nrhs; ++r)
                    for (int64_t i = 0; i < n; ++i) {
                        const T moved = dst[element(c.to, n, nrhs, ldb(c.to, k + 1), i, j, r)];
                        const T expected = label<T>(r * n + i, j);
                        ASSERT_EQ(std::memcmp(&moved, &expected, sizeof(T)), 0)
                            << "element (" << i << ", " << j << ", " << r << ")";
                    }
        }
    });
}

TEST_P(Rearrange, ThereAndBack) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Case &c = GetParam();
        const int64_t n = 70, batch = 45, ldsrc = leading_dimension(c.from, n, batch, 1);
        const int64_t lddst = leading_dimension(c.to, n, batch, 2);
        Array<T> src(c.backend, extent(c.from, n, 1, batch, ldsrc)), dst(c.backend, extent(c.to, n, 1, batch, lddst));
        Array<T> back(c.backend, src.size());
        for (int64_t j = 0; j < batch; ++j)
            for (int64_t i = 0; i < n; ++i) src.set(element<int64_t>(c.from, n, 1, ldsrc, i, j, 0), label<T>(i, j));
        src.upload(), dst.upload(), back.upload();
        ASSERT_EQ(run(c.type, n, batch, src.data(), ldsrc, dst.data(), lddst), XBATCH_STATUS_SUCCESS);
        ASSERT_EQ(xrearrange(handle_, c.type, n, batch, c.to, dst.data(), lddst, c.from, back.data(), ldsrc),
                  XBATCH_STATUS_SUCCESS);
        back.download();
        for (int64_t k = 0; k < src.size(); ++k) {
            const T a = src[k], b = back[k];
            ASSERT_EQ(std::memcmp(&a, &b, sizeof(T)), 0) << "at " << k;
        }
    });
}

TEST_P(Rearrange, NothingToDo) {
    const Case &c = GetParam();
    EXPECT_EQ(run(c.type, 0, 3, nullptr, 3, nullptr, 3), XBATCH_STATUS_SUCCESS) << handle_.message();
    EXPECT_EQ(run(c.type, 3, 0, nullptr, 3, nullptr, 3), XBATCH_STATUS_SUCCESS) << handle_.message();
}

TEST_P(Rearrange, ShapesFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {100, 1021, 4095})
            for (int64_t batch : {100, 1025}) expect_moved<T>(n, batch, k++);
        expect_moved<T>(5, 65537, 1);
        expect_moved<T>(65537, 5, 2);
        expect_moved<T>((1 << 20) + 1, 1, 3);
    });
}

TEST_P(RearrangeGraph, CapturedAndReplayed) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Case &c = GetParam();
        const int64_t n = 100, batch = 300, ldsrc = leading_dimension(c.from, n, batch, 0);
        const int64_t lddst = leading_dimension(c.to, n, batch, 0);
        Array<T> src(c.backend, extent(c.from, n, 1, batch, ldsrc)), dst(c.backend, extent(c.to, n, 1, batch, lddst));
        for (int64_t j = 0; j < batch; ++j)
            for (int64_t i = 0; i < n; ++i) src.set(element<int64_t>(c.from, n, 1, ldsrc, i, j, 0), label<T>(i, j));
        src.upload();
        xbatchStatus_t status = XBATCH_STATUS_INTERNAL_ERROR;
        capture_and_replay(
            handle_, [&] { status = run(c.type, n, batch, src.data(), ldsrc, dst.data(), lddst); }, 2,
            [&] { dst.upload(); });
        ASSERT_EQ(status, XBATCH_STATUS_SUCCESS) << handle_.message();
        dst.download();
        for (int64_t j = 0; j < batch; ++j)
            for (int64_t i = 0; i < n; ++i) {
                const T moved = dst[element<int64_t>(c.to, n, 1, lddst, i, j, 0)], expected = label<T>(i, j);
                ASSERT_EQ(std::memcmp(&moved, &expected, sizeof(T)), 0) << "element (" << i << ", " << j << ")";
            }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, Rearrange, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, Rearrange, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, RearrangeGraph, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);

}  // namespace
}  // namespace xbatch_test
