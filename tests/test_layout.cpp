// test_layout.cpp: the library's offset function compared with the header's formulas in 128-bit arithmetic, for arrays
// far beyond 2^31 and 2^40 elements, which cannot be allocated.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "core/layout.hpp"
#include "support/generators/random.hpp"
#include "support/residuals/layout.hpp"

namespace xbatch_test {
namespace {

using Wide128 = __int128;

struct Shape {
    int64_t n, nrhs, batch, ld;
};

std::vector<int64_t> ends(int64_t size) {
    std::vector<int64_t> picks{0, size - 1};
    for (int64_t k : {int64_t(1), size / 2, size / 3 + 1, int64_t(1) << 31, (int64_t(1) << 32) + 1})
        if (k < size) picks.push_back(k);
    return picks;
}

void expect_formula(xbatchLayout_t layout, const Shape &shape) {
    const auto &[n, nrhs, batch, ld] = shape;
    const xbatch::Placement forward = xbatch::placement(layout, n, nrhs, batch, ld);
    const xbatch::Placement backward = xbatch::reversed(forward);
    for (int64_t j : ends(batch))
        for (int64_t r : ends(nrhs))
            for (int64_t i : ends(n)) {
                const Wide128 expected = element<Wide128>(layout, n, nrhs, ld, i, j, r);
                ASSERT_EQ(Wide128(forward.offset(i, j, r)), expected)
                    << layout_name(layout) << " n " << n << " nrhs " << nrhs << " batch " << batch << " ld " << ld
                    << ": (" << i << ", " << j << ", " << r << ")";
                ASSERT_EQ(Wide128(backward.offset(n - 1 - i, j, r)), expected) << "reversed";
            }
}

TEST(Layout, SmallShapes) {
    for (xbatchLayout_t layout : all_layouts)
        for (int64_t n : {1, 2, 5})
            for (int64_t nrhs : {1, 3})
                for (int64_t batch : {1, 2, 7, 16})
                    for (int64_t k = 0; k < 5; ++k)
                        expect_formula(layout, {n, nrhs, batch, leading_dimension(layout, n, batch, k)});
}

TEST(Layout, HugeShapes) {
    const int64_t k31 = int64_t(1) << 31, k20 = 1 << 20;
    for (const Shape &shape : {Shape{k20, 1, 1 << 12, k20},
                               {k31 + 3, 1, 5, k31 + 9},
                               {k20 + 1, 7, k20 + 3, k20 + 5},
                               {1 << 10, 1, k31 + 3, 1 << 10},
                               {3 * k20, 2, 5 * k20, 3 * k20 + 1}})
        expect_formula(XBATCH_LAYOUT_FLAT, shape);
    for (const Shape &shape : {Shape{1 << 12, 1, k20, k20},
                               {5, 1, k31 + 3, k31 + 9},
                               {k20 + 1, 7, k20 + 3, k20 + 5},
                               {k31 + 3, 1, 1 << 10, 1 << 10}})
        expect_formula(XBATCH_LAYOUT_INTERLEAVED, shape);
    for (int64_t block : {int64_t(1), int64_t(2), int64_t(32), int64_t(1000), k20, k31 - 1, k31, k31 + 7})
        for (const Shape &shape : {Shape{1 << 9, 1, k20, block},
                                   {5, 3, k31 + 3, block},
                                   {513, 2, 2 * k31 + 5, block},
                                   {k20 + 1, 1, k20 + 3, block}})
            expect_formula(XBATCH_LAYOUT_BLOCK_INTERLEAVED, shape);
}

// The strides of three batch dimensions, also beyond 2^32 systems
TEST(Layout, Strides) {
    const int64_t k31 = int64_t(1) << 31, k20 = 1 << 20;
    using Extents = std::array<int64_t, 3>;
    for (const auto &[extent, stride, step] : {std::tuple(Extents{3, 4, 5}, Extents{1, 100, 1000}, int64_t(7)),
                                               {Extents{7, 1, 2}, Extents{0, 3, 50}, int64_t(1)},
                                               {Extents{k20 + 1, 3, 5 * k20}, Extents{1, k31, 7 * k31}, 5 * k20},
                                               {Extents{k31 + 3, 9, 4}, Extents{3, 7 * k31, 70 * k31}, k20}}) {
        xbatch::Placement at = xbatch::placement(XBATCH_LAYOUT_FLAT, 10, 1, 1, 10);
        at.layout = xbatch::strided_layout, at.step = step, at.origin = 11;
        for (int k = 0; k < 3; ++k) at.batch.stride[k] = stride[size_t(k)];
        for (int k = 0; k < 2; ++k) at.batch.extent[k] = extent[size_t(k)];
        for (int64_t j0 : ends(extent[0]))
            for (int64_t j1 : ends(extent[1]))
                for (int64_t j2 : ends(extent[2]))
                    ASSERT_EQ(at.offset(9, j0 + extent[0] * (j1 + extent[1] * j2), 0),
                              11 + 9 * step + j0 * stride[0] + j1 * stride[1] + j2 * stride[2])
                        << j0 << " " << j1 << " " << j2;
    }
}

TEST(Layout, SharedCoefficients) {
    for (xbatchLayout_t layout : all_layouts) {
        const xbatch::Placement shared = xbatch::coefficients(layout, 100, 50, 0);
        EXPECT_EQ(shared.offset(7, 0, 0), 7);
        EXPECT_EQ(shared.offset(7, 49, 0), 7);
        const int64_t ld = leading_dimension(layout, 100, 50, 1);
        const xbatch::Placement own = xbatch::coefficients(layout, 100, 50, ld);
        EXPECT_EQ(own.offset(7, 49, 0), element<int64_t>(layout, 100, 1, ld, 7, 49, 0));
    }
}

}  // namespace
}  // namespace xbatch_test
