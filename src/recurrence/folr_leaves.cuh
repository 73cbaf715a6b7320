// folr_leaves.cuh: the leaves of distributed recurrences on CUDA: stretches of rows that become one affine map each,
// and are evaluated once the states before them are known.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "affine_map.hpp"
#include "core/context.hpp"
#include "recurrence.hpp"

namespace xbatch::recurrence {

// The leaves of a rank, for one right-hand side. Backward recurrences step from the last leaf to the first one.
template <class T>
struct LeafMaps {
    static constexpr int values = 3;  // of a map: its product, exponent and sum

    int64_t leaves, longest;  // rows of the longest leaf of all ranks
    bool are_even;            // all leaves of all ranks have as many rows
    bool is_flat, is_backward;
    bool has_start;  // the sequence's first step is in the first leaf
    const T *w0;     // the state before it, of system j at w0[j*w0_step]; may be NULL
    int64_t w0_step;
    const int64_t *leaf_row;  // device [leaves + 1], rows of whole systems
    const int32_t *stop;      // unless it is 0, w remains as it is
    T *maps;                  // [systems][leaves][values], later the state before the leaf in place of the product

    // The leaf with the first step of this rank
    XBATCH_HD int64_t first() const { return is_backward ? leaves - 1 : 0; }
};

// p is the problem of one right-hand side of the rank's rows.
template <class T>
xbatchStatus_t condense_leaves(Context &context, const FolrProblem &p, const LeafMaps<T> &leaves);
template <class T>
xbatchStatus_t evaluate_leaves(Context &context, const FolrProblem &p, const LeafMaps<T> &leaves);

}  // namespace xbatch::recurrence
