// rearrange.cpp: the routine of rearrange.h: checks of its arguments, and the table of backends.
// SPDX-License-Identifier: BSD-3-Clause
#include "rearrange.hpp"

#include "api/entries.hpp"
#include "core/entry.hpp"

namespace xbatch::rearrange {
namespace {

constexpr Table<RearrangeProblem> table{{XBATCH_ROW(rearrange_host), XBATCH_CUDA_ROW(rearrange_cuda)}};

struct RearrangeShape {
    xbatchDataType_t type;
    int64_t n, batch;
    xbatchLayout_t srcLayout;
    int64_t ldsrc;
    xbatchLayout_t dstLayout;
    int64_t lddst;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.count(1, "n", n);
        call.count(2, "batch", batch);
        call.one_of(3, "srcLayout", srcLayout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.leading_dimension(5, "ldsrc", srcLayout, ldsrc, n, batch, false);
        call.one_of(6, "dstLayout", dstLayout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.leading_dimension(8, "lddst", dstLayout, lddst, n, batch, false);
        call.batched_extent(5, "ldsrc", srcLayout, n, 1, batch, ldsrc, element_size(type));
        call.batched_extent(8, "lddst", dstLayout, n, 1, batch, lddst, element_size(type));
    }
    bool is_empty() const { return n == 0 || batch == 0; }
    RearrangeProblem problem(const Context &) const {
        return {n,       batch,  placement(srcLayout, n, 1, batch, ldsrc), placement(dstLayout, n, 1, batch, lddst),
                nullptr, nullptr};
    }
};

}  // namespace

xbatchStatus_t rearrange(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, int64_t n, int64_t batch,
                         xbatchLayout_t srcLayout, const void *src, int64_t ldsrc, xbatchLayout_t dstLayout, void *dst,
                         int64_t lddst) {
    const auto data = [&](Call &call, const Context &, RearrangeProblem &p) {
        call.not_null(4, "src", src);
        call.not_null(7, "dst", dst);
        p.src = src, p.dst = dst;
    };
    return solve(
        handle, caller, table, RearrangeShape{type, n, batch, srcLayout, ldsrc, dstLayout, lddst}, {}, [](Call &) {},
        data);
}

}  // namespace xbatch::rearrange
