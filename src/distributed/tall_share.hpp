// tall_share.hpp: how the rows of a tall matrix are divided: leaves, each factored by itself, and joins of triangles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "agreement.hpp"
#include "core/dispatch.hpp"

namespace xbatch::distributed {

struct TallShape {
    xbatchDataType_t type;
    int64_t m, n, nrhs;  // right-hand sides are columns after those of A
    const int64_t *offsets;
    int flags;

    int64_t columns() const { return n + nrhs; }
    bool is_empty() const { return columns() == 0 || m == 0; }
};

// A join of two triangles in slots. They have as many rows as their rows of the matrix, at most its columns.
struct TallJoin {
    int64_t begin, middle;  // slots
    int64_t above, below;   // rows

    int64_t rows() const { return above + below; }
};

// This rank's leaves and their joins, then those of all ranks' nodes. Slots are the leaf's or the node's number.
struct TallShare {
    Partition partition;
    int64_t first_leaf = 0, leaves = 0, most_rows = 0;  // of a leaf, or of two triangles
    std::vector<int64_t> node_slot;                     // of this rank's nodes
    std::vector<TallJoin> joins, top_joins;

    int64_t rows_of(int64_t leaf) const { return row_of(leaf + 1) - row_of(leaf); }
    int64_t row_of(int64_t leaf) const {  // in the share
        return partition.leaf_row[size_t(first_leaf + leaf)] - partition.leaf_row[size_t(first_leaf)];
    }
    int64_t slots() const { return std::max(leaves, int64_t(partition.nodes.size())); }
};

WrongCut make_tall_share(TallShare &share, const TallShape &shape, const Communicator &comm);

// Positions among the arguments
struct TallPositions {
    int m, n, nrhs, offsets, flags;
};
void check_tall(Call &call, const Context &context, const TallShape &shape, const TallPositions &at, int ranks);

// Of columns of the share, which has these rows
void check_rows(Call &call, int position, const char *name, const void *array, const char *ld_name, int64_t ld,
                int64_t rows, int64_t columns, xbatchDataType_t type);

// The ranks compare the shape, and what is `other` in it.
xbatchStatus_t agree_on_tall(Context &context, const char *name, Communicator &comm, Routine routine,
                             xbatchStatus_t own, const TallShape &shape, const TallShare &share, const char *other_name,
                             int64_t other);

}  // namespace xbatch::distributed
