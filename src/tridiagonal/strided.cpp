// strided.cpp: the routines of tridiagonal_strided.h: checks of their arguments, and the placements of layout.hpp that
// describe the same elements as the strides, those with the fastest kernels first.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "api/entries.hpp"
#include "core/entry.hpp"

namespace xbatch::tridiagonal {
namespace {

// A batch dimension, and the distances along it in the coefficients and in B
struct Dimension {
    int64_t extent, a, b;
};
struct Dimensions {
    int count = 0;
    Dimension of[3] = {};

    // Dimensions of one system do not count, and one that continues the dimension before it in both arrays is part of
    // it.
    void add(const Dimension &next) {
        if (next.extent == 1) return;
        if (count > 0) {
            Dimension &last = of[count - 1];
            if (next.a == last.a * last.extent && next.b == last.b * last.extent) {
                last.extent *= next.extent;
                return;
            }
        }
        of[count++] = next;
    }
    int64_t extent(int k) const { return k < count ? of[k].extent : 1; }
};

// Of one array: rows `row` apart, dimension k `Stride` apart
Placement placed(const Dimensions &dimensions, int64_t n, int64_t row, int64_t Dimension::*stride) {
    const auto along = [&](int k) { return k < dimensions.count ? dimensions.of[k].*stride : 0; };
    const int64_t first = dimensions.extent(0);
    Placement at = {strided_layout,
                    n,
                    1,
                    along(0) == 1 ? first : 1,
                    row,
                    0,
                    {{first, dimensions.extent(1)}, {along(0), along(1), along(2)}}};
    const bool is_one_set = along(0) == 0 && along(1) == 0 && along(2) == 0;
    if (dimensions.count == 0)
        at.layout = row == 1 ? XBATCH_LAYOUT_FLAT : XBATCH_LAYOUT_INTERLEAVED, at.ld = row == 1 ? n : row;
    else if (is_one_set)
        at.layout = row == 1 ? XBATCH_LAYOUT_FLAT : strided_layout, at.ld = 0;
    else if (dimensions.count == 1 && row == 1)
        at.layout = XBATCH_LAYOUT_FLAT, at.ld = along(0);
    else if (dimensions.count == 1 && along(0) == 1 && row > 0)
        at.layout = XBATCH_LAYOUT_INTERLEAVED, at.ld = row;
    else if (dimensions.count == 2 && along(0) == 1 && row == first && along(1) == first * n)
        at.layout = XBATCH_LAYOUT_BLOCK_INTERLEAVED, at.ld = first;
    return at;
}

// Contiguous rows by strides are FLAT in their first batch dimension, in several planes.
void divide_into_planes(GtsvProblem &p) {
    constexpr int64_t most_planes = 65535;  // in the second and third dimensions of a grid
    const BatchStrides &batch = p.b_at.batch;
    const int64_t planes[2] = {batch.extent[1], p.batch / (batch.extent[0] * batch.extent[1])};
    const bool has_contiguous_rows = p.a_at.step == 1 && p.b_at.step == 1;
    if (!has_contiguous_rows || planes[0] > most_planes || planes[1] > most_planes) return;
    p.batch = batch.extent[0];
    p.planes[0] = planes[0], p.planes[1] = planes[1];
    for (Placement *at : {&p.a_at, &p.b_at}) at->layout = XBATCH_LAYOUT_FLAT, at->ld = at->batch.stride[0];
}

struct StridedShape {
    xbatchDataType_t type;
    int64_t n, batch[3];
    const xbatchStrides_t *of_t, *of_b;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.count(1, "n", n);
        call.count(2, "batch0", batch[0]);
        call.count(3, "batch1", batch[1]);
        call.count(4, "batch2", batch[2]);
        if (call.failed()) return;
        call.extent(1, "n", n, counted_product(batch[0], batch[1]), batch[2], element_size(type));
        check_strides(call, 5, "stridesT", of_t);
        check_strides(call, 6, "stridesB", of_b);
        if (!call.failed() && !is_empty()) check_places_of_b(call);
    }
    bool is_empty() const { return n == 0 || batch[0] == 0 || batch[1] == 0 || batch[2] == 0; }

    GtsvProblem problem(const Context &context) const {
        Dimensions dimensions;
        for (int k = 0; k < 3; ++k) dimensions.add({batch[k], of_t->batch[k], of_b->batch[k]});
        const int64_t systems = batch[0] * batch[1] * batch[2];
        GtsvProblem p = {{}, n, 1, systems, nullptr, nullptr, nullptr, nullptr, nullptr, {}, {}, false, {}};
        p.a_at = placed(dimensions, n, n > 1 ? of_t->row : 1, &Dimension::a);
        p.b_at = placed(dimensions, n, n > 1 ? of_b->row : 1, &Dimension::b);
        if (context.backend == XBATCH_BACKEND_CUDA) {
            if (p.b_at.layout == strided_layout) divide_into_planes(p);
            p.layout = is_flat(p) ? XBATCH_LAYOUT_FLAT : XBATCH_LAYOUT_BLOCK_INTERLEAVED;
        } else if (p.b_at.layout != strided_layout) {
            p.layout = p.b_at.layout;
        } else {  // the host gathers systems that are not adjacent, as if they were FLAT
            p.layout = p.b_at.batch.stride[0] == 1 ? XBATCH_LAYOUT_BLOCK_INTERLEAVED : XBATCH_LAYOUT_FLAT;
        }
        return p;
    }

private:
    struct Extent {
        const char *name;
        int64_t count, stride;
    };
    std::array<Extent, 4> extents(const char *const (&names)[4], const xbatchStrides_t &strides) const {
        return {{{names[0], n, strides.row},
                 {names[1], batch[0], strides.batch[0]},
                 {names[2], batch[1], strides.batch[1]},
                 {names[3], batch[2], strides.batch[2]}}};
    }
    // No stride is negative, and the bytes of the array are countable.
    void check_strides(Call &call, int position, const char *name, const xbatchStrides_t *strides) const {
        call.not_null(position, name, strides);
        if (call.failed()) return;
        int64_t elements = 1;
        for (const Extent &e : extents(position == 5 ? names_of_t : names_of_b, *strides)) {
            call.at_least(position, e.name, e.stride, nullptr, 0);
            if (!call.failed())
                elements = counted_sum(elements, counted_product(std::max<int64_t>(e.count - 1, 0), e.stride));
        }
        if (call.failed() || is_empty()) return;
        call.require(position, name, counted_product(elements, element_size(type)) < uncountable,
                     "must give an array of less than 2^63 bytes");
    }
    // Each stride of B leads beyond the elements that all smaller ones reach, so that no two elements coincide.
    void check_places_of_b(Call &call) const {
        std::array<Extent, 4> sorted = extents(names_of_b, *of_b);
        std::sort(sorted.begin(), sorted.end(), [](const Extent &x, const Extent &y) { return x.stride < y.stride; });
        int64_t reached = 1;
        for (const Extent &e : sorted) {
            if (e.count == 1) continue;
            call.at_least(6, e.name, e.stride, nullptr, reached);
            reached += (e.count - 1) * e.stride;
        }
    }

    static constexpr const char *names_of_t[4] = {"stridesT->row", "stridesT->batch[0]", "stridesT->batch[1]",
                                                  "stridesT->batch[2]"};
    static constexpr const char *names_of_b[4] = {"stridesB->row", "stridesB->batch[0]", "stridesB->batch[1]",
                                                  "stridesB->batch[2]"};
};

}  // namespace

xbatchStatus_t gtsv_strided_buffer_size(xbatchHandle_t handle, Caller caller, GtsvMethod method, xbatchDataType_t type,
                                        int64_t n, int64_t batch0, int64_t batch1, int64_t batch2,
                                        const xbatchStrides_t *stridesT, const xbatchStrides_t *stridesB,
                                        size_t *workspaceBytes) {
    return query(handle, caller, table_of(method), StridedShape{type, n, {batch0, batch1, batch2}, stridesT, stridesB},
                 7, workspaceBytes);
}

xbatchStatus_t gtsv_strided(xbatchHandle_t handle, Caller caller, GtsvMethod method, xbatchDataType_t type, int64_t n,
                            int64_t batch0, int64_t batch1, int64_t batch2, const xbatchStrides_t *stridesT,
                            const xbatchStrides_t *stridesB, const void *dl, const void *d, const void *du, void *B,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    const auto data = [&](Call &call, const Context &, GtsvProblem &p) {
        call.not_null(7, "dl", dl);
        call.not_null(8, "d", d);
        call.not_null(9, "du", du);
        call.not_null(10, "B", B);
        p.dl = dl, p.d = d, p.du = du, p.b = B, p.info = info;
    };
    return solve(handle, caller, table_of(method), StridedShape{type, n, {batch0, batch1, batch2}, stridesT, stridesB},
                 {12, workspace, workspaceBytes}, no_sizes, data);
}

}  // namespace xbatch::tridiagonal
