// tall_share.cpp: the leaves and joins of a tall matrix on a rank, and what the ranks agree on.
// SPDX-License-Identifier: BSD-3-Clause
#include "tall_share.hpp"

#include "xbatch/version.h"

namespace xbatch::distributed {
namespace {

// `height` of each slot, which joins change
std::vector<TallJoin> with_rows(const std::vector<Join> &joins, std::vector<int64_t> height, int64_t columns) {
    std::vector<TallJoin> result;
    for (const Join &join : joins) {
        int64_t &above = height[size_t(join.begin)];
        result.push_back({join.begin, join.middle, above, height[size_t(join.middle)]});
        above = std::min(result.back().rows(), columns);
    }
    return result;
}

void find_joins(TallShare &share, int rank, int64_t columns) {
    const Partition &of = share.partition;
    const auto slot_of = [&](int64_t leaf) { return leaf - share.first_leaf; };
    std::vector<Join> joins;
    for (int64_t q = of.rank_node[size_t(rank)]; q < of.rank_node[size_t(rank) + 1]; ++q) {
        share.node_slot.push_back(slot_of(of.nodes[size_t(q)].first));
        append_joins(
            joins, of.nodes[size_t(q)].first, of.nodes[size_t(q)].end,
            [](int64_t begin, int64_t end) { return end - begin == 1; }, slot_of, [](int64_t leaf) { return leaf; });
    }
    std::vector<int64_t> leaf_height, node_height;
    for (int64_t k = 0; k < share.leaves; ++k) leaf_height.push_back(std::min(share.rows_of(k), columns));
    for (const Partition::Node &node : of.nodes)
        node_height.push_back(std::min(of.leaf_row[size_t(node.end)] - of.leaf_row[size_t(node.first)], columns));
    share.joins = with_rows(joins, leaf_height, columns);
    share.top_joins = with_rows(of.joins, node_height, columns);
}

}  // namespace

// A leaf has at least four times as many rows as columns, so that factoring leaves takes longer than joining them.
WrongCut make_tall_share(TallShare &share, const TallShape &shape, const Communicator &comm) {
    const int64_t least_rows = std::max<int64_t>(4 * shape.columns(), 16);
    Partition &of = share.partition;
    const WrongCut wrong =
        make_partition(of, shape.m, comm.ranks(), shape.offsets, shape.flags & XBATCH_MP_ANY_CUT, least_rows);
    if (wrong.rank >= 0 || shape.is_empty()) return wrong;
    share.first_leaf = of.rank_leaf[size_t(comm.rank())];
    share.leaves = of.rank_leaf[size_t(comm.rank()) + 1] - share.first_leaf;
    share.most_rows = 2 * shape.columns();
    for (int64_t k = 0; k < share.leaves; ++k) share.most_rows = std::max(share.most_rows, share.rows_of(k));
    find_joins(share, comm.rank(), shape.columns());
    return {};
}

void check_tall(Call &call, const Context &context, const TallShape &s, const TallPositions &at, int ranks) {
    const int64_t size = element_size(s.type);
    call.type(s.type);
    call.count(at.n, "n", s.n);
    call.at_least(at.m, "m", s.m, "n", s.n);
    if (at.nrhs > 0) call.count(at.nrhs, "nrhs", s.nrhs);
    call.extent(at.m, "m", s.m, counted_sum(s.n, s.nrhs), 2, size);
    check_offsets(call, at.offsets, "m", s.m, s.offsets, ranks);
    call.require(at.flags, "flags", s.flags == XBATCH_MP_DEFAULT || s.flags == XBATCH_MP_ANY_CUT,
                 "must be XBATCH_MP_DEFAULT or XBATCH_MP_ANY_CUT");
    call.on_backend(context.backend == XBATCH_BACKEND_HOST);
}

void check_rows(Call &call, int position, const char *name, const void *array, const char *ld_name, int64_t ld,
                int64_t rows, int64_t columns, xbatchDataType_t type) {
    call.at_least(position + 1, ld_name, ld, "the rows of the share", std::max<int64_t>(rows, 1));
    call.extent(position + 1, ld_name, ld, columns, 1, element_size(type));
    if (rows > 0 && columns > 0) call.not_null(position, name, array);
}

xbatchStatus_t agree_on_tall(Context &context, const char *name, Communicator &comm, Routine routine,
                             xbatchStatus_t own, const TallShape &shape, const TallShare &share, const char *other_name,
                             int64_t other) {
    const std::vector<int64_t> &cuts = share.partition.offsets;
    const Shared shared{{"type", "m", "n", "nrhs", "offsets", "flags", "the version of the library", other_name},
                        {shape.type, shape.m, shape.n, shape.nrhs, hash_of(cuts.data(), int64_t(cuts.size())),
                         shape.flags, XBATCH_VERSION, other},
                        8};
    return agree(context, name, comm, routine, own, shared);
}

}  // namespace xbatch::distributed
