// hines_factor.hpp: the problems of factored Hines systems that a backend solves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hines/hines.hpp"

namespace xbatch::hines {

// Whether factors have one matrix for each morphology, shared by its systems, otherwise one for each system
inline bool is_shared(const HinesPlan &plan, int64_t sets) {
    return plan.is_mixed ? sets != int64_t(plan.morph.size()) : sets == 1;
}

// The factors of each matrix. Without morph they are those of `sets` systems.
struct HinesFactorProblem {
    const HinesPlan *plan;
    xbatchLayout_t layout;
    int64_t sets;
    const void *u, *l, *d;
    int64_t ldul, ldd;
    void *factors;
    int32_t *info;  // [sets], may be NULL

    bool shared() const { return is_shared(*plan, sets); }
};

// op(A) X = B
struct HinesSolveProblem {
    const HinesPlan *plan;
    xbatchLayout_t layout;
    int64_t nrhs, batch, sets;
    bool is_transposed, is_conjugated;  // op(A), of A
    const void *factors;
    void *b;
    int64_t ldb;

    bool shared() const { return is_shared(*plan, sets); }
};

// The header of factors of the host backend, by which a solve recognises them
struct HinesFactorHeader {
    static constexpr uint64_t kind_of_all = 0x316673656e696878;

    uint64_t kind;
    int32_t type, layout;
    int64_t nodes, sets;
};
inline int64_t all_nodes(const HinesPlan &plan) { return plan.trees.back().first + plan.trees.back().n(); }

XBATCH_DECLARE_BACKEND(hines_factor_host, HinesFactorProblem);
template <class T>
Sizer<HinesFactorProblem> hines_factor_host_factors;
XBATCH_DECLARE_BACKEND(hines_factor_cuda, HinesFactorProblem);
template <class T>
Sizer<HinesFactorProblem> hines_factor_cuda_factors;

XBATCH_DECLARE_BACKEND(hines_solve_host, HinesSolveProblem);
XBATCH_DECLARE_BACKEND(hines_solve_cuda, HinesSolveProblem);

}  // namespace xbatch::hines
