// factor_call.hpp: the checks and tables that the routines with factors share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/entry.hpp"
#include "core/factor_table.hpp"
#include "tridiagonal_factor.hpp"

namespace xbatch::tridiagonal {

// An upper bound of the bytes per element of a batch of all that is stored or computed
inline int64_t bytes_for_element(xbatchDataType_t type) { return 8 * element_size(type); }

// The shape of a routine that factors matrices
template <class Problem>
struct FactorShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.count(2, "n", n);
        call.count(3, "batch", batch);
        call.extent(2, "n", n, batch, 1, bytes_for_element(type));
    }
    void check_ldt(Call &call, int position, int64_t ldt) const {
        call.array(position, "ldt", layout, n, 1, batch, ldt, element_size(type), true);
        if (ldt == 0) call.at_most(3, "batch", batch, 1, "where ldt = 0");
    }
    bool is_empty() const { return n == 0 || batch == 0; }
    Problem problem(const Context &) const {
        Problem p{};
        p.layout = layout, p.n = n, p.batch = batch;
        return p;
    }
};

// The size query of a routine that factors
template <class Problem>
xbatchStatus_t query_factors(xbatchHandle_t handle, Caller caller, const FactorTable<Problem> &table,
                             const FactorShape<Problem> &shape, size_t *factorBytes, size_t *workspaceBytes) {
    const auto bytes_of = [&](const Context &context, const Problem &p) {
        return table.factor_bytes(context, shape.type, p);
    };
    return query(handle, caller, table.routine, shape, 4, "factorBytes", factorBytes, bytes_of, workspaceBytes);
}

// The positions of the arguments of a routine that reads factors
struct FactorPositions {
    const char *maker;  // the routine that writes such factors
    FactorHeader::Kind kind;
    int layout, n, sets, factors;
    const char *sets_name;
};

// To be called before anything is written. Factors in device memory cannot be checked.
inline void check_factors(Call &call, const Context &context, const FactorPositions &at, xbatchDataType_t type,
                          xbatchLayout_t layout, int64_t n, int64_t sets, const void *factors) {
    call.aligned(at.factors, "factors", factors, factor_alignment);
    if (call.failed() || context.backend == XBATCH_BACKEND_CUDA) return;
    const FactorHeader &header = *static_cast<const FactorHeader *>(factors);
    call.made_by(at.factors, "factors", at.maker, header.kind == at.kind && header.type == type);
    call.same_as(at.layout, "layout", layout, at.maker, header.layout);
    call.same_as(at.n, "n", n, at.maker, header.n);
    call.same_as(at.sets, at.sets_name, sets, at.maker, header.sets);
}

}  // namespace xbatch::tridiagonal
