// pivot.cuh: which pivots an elimination without interchanges accepts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "core/chunk.cuh"
#include "tridiagonal/factored/tridiagonal_factor.hpp"

namespace xbatch::tridiagonal {

// General matrices: pivots with a reciprocal
struct AnyPivot {
    static constexpr bool is_definite = false;
    template <class T>
    __device__ static T part(T pivot) {
        return pivot;
    }
    template <class T>
    __device__ static bool is_good(T pivot) {
        return has_reciprocal(pivot);
    }
    // Of an equation x + before x_before + behind x_behind = value
    template <class T>
    __device__ static bool is_stable(T, T) {
        return true;
    }
};

// Positive definite matrices. Every phase of a partitioned elimination, reductions and joins included, is a Cholesky
// elimination in another order, with rows divided by their diagonal: its pivots are real, Schur complements divided by
// a positive diagonal, and all of them are positive if and only if the matrix is positive definite.
struct PositivePivot {
    static constexpr bool is_definite = true;
    template <class T>
    __device__ static Real<T> part(T pivot) {
        return real_part(pivot);
    }
    template <class R>
    __device__ static bool is_good(R pivot) {
        return pivot > 0 && has_reciprocal(pivot);
    }
    template <class T>
    __device__ static bool is_stable(T, T) {
        return true;
    }
};

template <class Problem>
using PivotOf = std::conditional_t<std::is_same_v<Problem, PtsvProblem>, PositivePivot, AnyPivot>;

}  // namespace xbatch::tridiagonal
