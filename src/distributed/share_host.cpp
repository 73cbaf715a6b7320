// share_host.cpp: into which chunks the host cuts the leaves of a share, and where their elements are.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "share_lanes_host.hpp"
#include "tridiagonal/pivoted/interface_lanes_host.hpp"

namespace xbatch::distributed {
namespace {

void add_chunk(Share &share, int64_t row, int64_t rows) {
    const auto has_rows = [&](const Share::Chunks &chunks) { return chunks.rows == rows; };
    auto of = std::find_if(share.chunks.begin(), share.chunks.end(), has_rows);
    if (of == share.chunks.end()) of = share.chunks.insert(of, {rows, {}});
    of->slots.push_back(int64_t(share.slot_row.size()));
    share.slot_row.push_back(row);
}

}  // namespace

// A leaf is cut into chunks as if it were a system of its own.
Share host_share(const Context &context, const MpPlan &plan) {
    using tridiagonal::Cut;
    const Partition &p = plan.partition;
    const int rank = plan.rank();
    Share share;
    share.first_row = p.offsets[rank], share.rows = p.rows(rank);
    share.begins = share.rows > 0 && share.first_row == 0, share.ends = share.rows > 0 && p.offsets[rank + 1] == p.n;
    const int64_t first_leaf = p.rank_leaf[rank];
    std::vector<int64_t> leaf_slot;
    for (int64_t k = first_leaf; k < p.rank_leaf[rank + 1]; ++k) {
        const int64_t row = p.leaf_row[k] - share.first_row, rows = p.leaf_row[k + 1] - p.leaf_row[k];
        const Cut cut = tridiagonal::cut_rows(context, rows);
        leaf_slot.push_back(int64_t(share.slot_row.size()));
        for (int64_t c = 0; c < cut.chunks; ++c)
            add_chunk(share, row + c * cut.chunk_rows, c + 1 < cut.chunks ? cut.chunk_rows : cut.last_rows);
    }
    leaf_slot.push_back(int64_t(share.slot_row.size()));
    share.slot_row.push_back(share.rows);
    const auto slot_of = [&](int64_t leaf) { return leaf_slot[size_t(leaf - first_leaf)]; };
    const auto join_chunks_of = [&](int64_t begin, int64_t end) {
        if (end - begin > 1) return false;
        append_joins(
            share.joins, slot_of(begin), slot_of(end), [](int64_t k, int64_t l) { return l - k == 1; },
            [&](int64_t k) { return k; }, [&](int64_t k) { return share.first_row + share.slot_row[size_t(k)]; });
        return true;
    };
    for (int64_t q = p.rank_node[rank]; q < p.rank_node[rank + 1]; ++q) {
        share.node_slot.push_back(slot_of(p.nodes[q].first));
        append_joins(share.joins, p.nodes[q].first, p.nodes[q].end, join_chunks_of, slot_of,
                     [&](int64_t k) { return p.leaf_row[k]; });
    }
    share.node_slot.push_back(leaf_slot.back());
    return share;
}

Placement placement_of(const MpPlan &plan, int64_t nrhs, int64_t ld, int64_t r) {
    const int64_t rows = plan.share.rows;
    if (plan.block_stride > 0 && ld > 0) {
        const BatchStrides batch{{ld, (plan.batch - 1) / ld + 1}, {1, plan.block_stride * nrhs, 0}};
        return {strided_layout, rows, 1, ld, ld, r * plan.block_stride, batch};
    }
    Placement at =
        ld == 0 ? coefficients(plan.layout, rows, plan.batch, 0) : placement(plan.layout, rows, nrhs, plan.batch, ld);
    at.origin += r * at.side_step();
    return at;
}

}  // namespace xbatch::distributed
