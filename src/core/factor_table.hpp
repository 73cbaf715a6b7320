// factor_table.hpp: the tables of routines whose results are stored factors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dispatch.hpp"

namespace xbatch {

// A routine that writes factors, and the functions that give their size; an empty entry is 0.
template <class Problem>
struct FactorTable {
    Table<Problem> routine;
    size_t (*bytes[2][4])(const Context &, const Problem &);

    size_t factor_bytes(const Context &context, xbatchDataType_t type, const Problem &problem) const {
        const auto size = bytes[context.backend == XBATCH_BACKEND_CUDA][type];
        return size ? size(context, problem) : 0;
    }
};

constexpr size_t factor_alignment = 16;

}  // namespace xbatch

// One backend's sizes: f<T> returns the bytes of factors.
#define XBATCH_SIZE_ROW(f) \
    { f<float>, f<double>, f<::xbatch::Complex<float>>, f<::xbatch::Complex<double>> }
#ifdef XBATCH_HAVE_CUDA
#define XBATCH_CUDA_SIZE_ROW(f) XBATCH_SIZE_ROW(f)
#else
#define XBATCH_CUDA_SIZE_ROW(f) \
    {}
#endif
