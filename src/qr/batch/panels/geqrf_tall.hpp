// geqrf_tall.hpp: panels of tall flat matrices by a tree of domains, in LAPACK's form.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr_large.hpp"

namespace xbatch::qr {

// From these sizes of a panel on a tree, the forming of its Q and the reconstruction together are faster than an
// exchange between blocks for each column (H100).
constexpr int64_t least_tree_columns = 24, least_tree_entries = int64_t(1) << 22;

template <class T>
bool uses_tree(const Context &context, int64_t rows, int64_t columns);

// Columns first … first+columns-1 of a flat matrix, its rows from `first` on updated by the
// columns before. *done says whether they are factored; otherwise they are unchanged.
struct TreePanel {
    int64_t matrix, first;
    int columns;
    const int32_t *info;
    int32_t *done;
};
template <class T>
size_t tree_panel_workspace(const Context &context, const GeqrfBatch &p, int64_t first, int columns);
template <class T>
xbatchStatus_t factor_by_tree(Context &context, const GeqrfBatch &p, const TreePanel &panel, void *workspace);

}  // namespace xbatch::qr
