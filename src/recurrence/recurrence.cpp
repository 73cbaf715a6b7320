// recurrence.cpp: the routines of recurrence.h: checks of their arguments, and the table of backends.
// SPDX-License-Identifier: BSD-3-Clause
#include "recurrence.hpp"

#include "api/entries.hpp"
#include "core/entry.hpp"

namespace xbatch::recurrence {
namespace {

constexpr Table<FolrProblem> table{{XBATCH_ROW(folr_host), XBATCH_CUDA_ROW(folr_cuda)}};

struct FolrShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchDirection_t direction;
    int64_t n, nrhs, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.one_of(2, "direction", direction, XBATCH_BACKWARD);
        call.systems(3, n, nrhs, batch, element_size(type));
    }
    bool is_empty() const { return n == 0 || nrhs == 0 || batch == 0; }
    FolrProblem problem(const Context &) const {
        return {layout, n, nrhs, batch, nullptr, nullptr, nullptr, nullptr, {}, {}, {}};
    }
    Placement placed(const Placement &at) const { return direction == XBATCH_BACKWARD ? reversed(at) : at; }
};

// s or t, of `sides` right-hand sides: an array (increment 1, ld as the layout requires or 0), or constants (increment
// 0, any ld >= 0)
struct Operand {
    int64_t sides, increment, ld;

    void check(Call &call, int position, const char *increment_name, const char *ld_name, const FolrShape &s) const {
        const int64_t size = element_size(s.type);
        call.one_of(position, increment_name, increment, 1);
        if (increment == 1) {
            call.array(position + 1, ld_name, s.layout, s.n, sides, s.batch, ld, size, true);
        } else {
            call.count(position + 1, ld_name, ld);
            call.extent(position + 1, ld_name, ld, sides, s.batch, size);
        }
    }
    Placement at(const FolrShape &s) const {
        if (increment == 0) return s.placed({XBATCH_LAYOUT_FLAT, s.n, sides, ld, 0, 0});
        if (ld == 0) return s.placed({XBATCH_LAYOUT_FLAT, s.n, sides, 0, 1, 0});
        return s.placed(placement(s.layout, s.n, sides, s.batch, ld));
    }
};

}  // namespace

xbatchStatus_t folr_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                                xbatchDirection_t direction, int64_t n, int64_t nrhs, int64_t batch,
                                size_t *workspaceBytes) {
    return query(handle, caller, table, FolrShape{type, layout, direction, n, nrhs, batch}, 6, workspaceBytes);
}

xbatchStatus_t folr(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                    xbatchDirection_t direction, int64_t n, int64_t nrhs, int64_t batch, const void *s, int64_t incs,
                    int64_t lds, const void *t, int64_t inct, int64_t ldt, const void *w0, void *w, int64_t ldw,
                    void *workspace, size_t workspaceBytes) {
    const FolrShape shape{type, layout, direction, n, nrhs, batch};
    const Operand factors{1, incs, lds}, terms{nrhs, inct, ldt};
    const auto sizes = [&](Call &call) {
        factors.check(call, 7, "incs", "lds", shape);
        terms.check(call, 10, "inct", "ldt", shape);
        call.array(14, "ldw", layout, n, nrhs, batch, ldw, element_size(type));
    };
    const auto data = [&](Call &call, const Context &, FolrProblem &p) {
        call.not_null(6, "s", s);
        call.not_null(9, "t", t);
        call.not_null(13, "w", w);
        p.s = s, p.t = t, p.w0 = w0, p.w = w;
        p.s_at = factors.at(shape), p.t_at = terms.at(shape);
        p.w_at = shape.placed(placement(layout, n, nrhs, batch, ldw));
    };
    return solve(handle, caller, table, shape, {15, workspace, workspaceBytes}, sizes, data);
}

}  // namespace xbatch::recurrence
