// rearrange.cpp: the call of rearrange.h: its checks, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "rearrange.hpp"

#include "core/entry.hpp"
#include "xbatch/rearrange.h"

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

}  // namespace
}  // namespace xbatch::rearrange

using xbatch::rearrange::rearrange;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xrearrange(xbatchHandle_t handle, xbatchDataType_t type, int64_t n, int64_t batch,
                          xbatchLayout_t srcLayout, const void *src, int64_t ldsrc, xbatchLayout_t dstLayout, void *dst,
                          int64_t lddst) {
    return rearrange(handle, {"xrearrange", 1}, type, n, batch, srcLayout, src, ldsrc, dstLayout, dst, lddst);
}
xbatchStatus_t srearrange(xbatchHandle_t handle, int64_t n, int64_t batch, xbatchLayout_t srcLayout, const float *src,
                          int64_t ldsrc, xbatchLayout_t dstLayout, float *dst, int64_t lddst) {
    return rearrange(handle, {"srearrange", 0}, XBATCH_R_32F, n, batch, srcLayout, src, ldsrc, dstLayout, dst, lddst);
}
xbatchStatus_t drearrange(xbatchHandle_t handle, int64_t n, int64_t batch, xbatchLayout_t srcLayout, const double *src,
                          int64_t ldsrc, xbatchLayout_t dstLayout, double *dst, int64_t lddst) {
    return rearrange(handle, {"drearrange", 0}, XBATCH_R_64F, n, batch, srcLayout, src, ldsrc, dstLayout, dst, lddst);
}
xbatchStatus_t crearrange(xbatchHandle_t handle, int64_t n, int64_t batch, xbatchLayout_t srcLayout,
                          const xbatchComplexFloat_t *src, int64_t ldsrc, xbatchLayout_t dstLayout,
                          xbatchComplexFloat_t *dst, int64_t lddst) {
    return rearrange(handle, {"crearrange", 0}, XBATCH_C_32F, n, batch, srcLayout, src, ldsrc, dstLayout, dst, lddst);
}
xbatchStatus_t zrearrange(xbatchHandle_t handle, int64_t n, int64_t batch, xbatchLayout_t srcLayout,
                          const xbatchComplexDouble_t *src, int64_t ldsrc, xbatchLayout_t dstLayout,
                          xbatchComplexDouble_t *dst, int64_t lddst) {
    return rearrange(handle, {"zrearrange", 0}, XBATCH_C_64F, n, batch, srcLayout, src, ldsrc, dstLayout, dst, lddst);
}

}  // extern "C"
#pragma GCC visibility pop
