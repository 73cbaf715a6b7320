// tridiagonal_factor.hpp: the problems of factorisations and positive definite systems that a backend solves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "core/dispatch.hpp"
#include "core/layout.hpp"

namespace xbatch::tridiagonal {

// P S A = L U of each matrix
struct GttrfProblem {
    xbatchLayout_t layout;
    int64_t n, batch;
    const void *dl, *d, *du;  // at a_at.base(j, 0)
    void *factors;
    void *logdet, *sign;  // [batch], may be NULL
    int32_t *info;        // [batch], may be NULL
    Placement a_at;
};

// op(A) X = B
struct GttrsProblem {
    xbatchLayout_t layout;
    xbatchOperation_t op;
    int64_t n, nrhs, batch, sets;  // sets = 1 or batch: matrices in the factors
    const void *factors;
    void *b;  // at b_at.base(j, r)
    Placement b_at;
};

// 1 / (||A|| ||A^-1||)
struct GtconProblem {
    xbatchLayout_t layout;
    xbatchNorm_t norm;
    int64_t n, batch;
    const void *factors;
    void *rcond;  // [batch]
};

// A X = B with the positive definite A of diagonal d, real, and e below it
struct PtsvProblem {
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    const void *d, *e;  // at a_at.base(j, 0)
    void *b;            // at b_at.base(j, r)
    int32_t *info;      // [batch], may be NULL
    Placement a_at, b_at;
};

// A = L D L^H of each matrix
struct PttrfProblem {
    xbatchLayout_t layout;
    int64_t n, batch;
    const void *d, *e;  // at a_at.base(j, 0)
    void *factors;
    void *logdet;   // [batch], may be NULL
    int32_t *info;  // [batch], may be NULL
    Placement a_at;
};

// A X = B by these factors
struct PttrsProblem {
    xbatchLayout_t layout;
    int64_t n, nrhs, batch, sets;  // sets = 1 or batch: matrices in the factors
    const void *factors;
    void *b;  // at b_at.base(j, r)
    Placement b_at;
};

// The header of factors of the host backend, by which a solve recognises them
struct FactorHeader {
    enum Kind : uint64_t { lu = 0x3166727474676278, ldl = 0x3166727474706278 };

    uint64_t kind;
    int32_t type, layout;
    int64_t n, sets;
};

XBATCH_DECLARE_BACKEND(gttrf_host, GttrfProblem);
template <class T>
Sizer<GttrfProblem> gttrf_host_factors;
XBATCH_DECLARE_BACKEND(gttrf_cuda, GttrfProblem);
template <class T>
Sizer<GttrfProblem> gttrf_cuda_factors;

XBATCH_DECLARE_BACKEND(gttrs_host, GttrsProblem);
XBATCH_DECLARE_BACKEND(gttrs_cuda, GttrsProblem);

XBATCH_DECLARE_BACKEND(gtcon_host, GtconProblem);
XBATCH_DECLARE_BACKEND(gtcon_cuda, GtconProblem);

XBATCH_DECLARE_BACKEND(ptsv_host, PtsvProblem);
XBATCH_DECLARE_BACKEND(ptsv_cuda, PtsvProblem);

XBATCH_DECLARE_BACKEND(pttrf_host, PttrfProblem);
template <class T>
Sizer<PttrfProblem> pttrf_host_factors;
XBATCH_DECLARE_BACKEND(pttrf_cuda, PttrfProblem);
template <class T>
Sizer<PttrfProblem> pttrf_cuda_factors;

XBATCH_DECLARE_BACKEND(pttrs_host, PttrsProblem);
XBATCH_DECLARE_BACKEND(pttrs_cuda, PttrsProblem);

}  // namespace xbatch::tridiagonal
