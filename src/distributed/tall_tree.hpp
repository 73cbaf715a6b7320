// tall_tree.hpp: the triangles of a tall matrix's leaves and nodes, joined in pairs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

#include "tall_share.hpp"
#include "xbatch/qr.h"

namespace xbatch::distributed {

// Slots hold triangles [c][c], 0 below the diagonal and where a triangle has fewer rows than columns, c, and the first
// column that is not finite, from 1, or 0.
template <class T>
class TallTree {
public:
    TallTree(xbatchHandle_t handle, int64_t columns, T *slots, int64_t *bad, void *scratch, size_t scratch_bytes)
        : handle_(handle), c_(columns), slots_(slots), bad_(bad), scratch_(scratch), scratch_bytes_(scratch_bytes) {}

    T *triangle(int64_t slot) const { return slots_ + slot * c_ * c_; }
    int64_t bad(int64_t slot) const { return bad_[slot]; }

    // Of a matrix of these rows, in place; `factors` receives what xgeqrtTiled stores next to it.
    xbatchStatus_t factor(int64_t rows, T *matrix, int64_t ld, void *factors, int64_t slot) const {
        int32_t info = 0;
        const xbatchStatus_t status =
            xgeqrtTiled(handle_, type_of<T>, rows, c_, nullptr, matrix, ld, factors, &info, scratch_, scratch_bytes_);
        bad_[slot] = info;
        for (int64_t j = 0; j < c_; ++j)
            for (int64_t i = 0; i < c_; ++i)
                triangle(slot)[j * c_ + i] = i <= j && i < rows ? matrix[j * ld + i] : T(0);
        return status;
    }
    // stacked [columns][rows of both]
    xbatchStatus_t join(const TallJoin &join, T *stacked, void *factors) const {
        const int64_t before = bad_[join.begin], behind = bad_[join.middle];
        for (int64_t j = 0; j < c_; ++j) {
            std::copy_n(triangle(join.begin) + j * c_, join.above, stacked + j * join.rows());
            std::copy_n(triangle(join.middle) + j * c_, join.below, stacked + j * join.rows() + join.above);
        }
        const xbatchStatus_t status = factor(join.rows(), stacked, join.rows(), factors, join.begin);
        for (const int64_t other : {before, behind})
            if (other && (!bad_[join.begin] || other < bad_[join.begin])) bad_[join.begin] = other;
        return status;
    }

    static int64_t node_bytes(int64_t columns) {
        return counted_sum(sizeof(int64_t), counted_product(columns * (columns + 1) / 2, int64_t(sizeof(T))));
    }
    void store_nodes(const TallShare &share, char *message) const {
        for (const int64_t slot : share.node_slot) {
            std::memcpy(message, bad_ + slot, sizeof(int64_t));
            message += sizeof(int64_t);
            for (int64_t j = 0; j < c_; ++j, message += j * int64_t(sizeof(T)))
                std::memcpy(message, triangle(slot) + j * c_, size_t(j + 1) * sizeof(T));
        }
    }
    void load_nodes(const TallShare &share, const Messages &messages) const {
        const Partition &of = share.partition;
        for (int q = 0; q < of.ranks(); ++q) {
            const char *message = messages.received.get() + messages.recv_at[size_t(q)] + header_bytes;
            for (int64_t slot = of.rank_node[size_t(q)]; slot < of.rank_node[size_t(q) + 1]; ++slot) {
                std::memcpy(bad_ + slot, message, sizeof(int64_t));
                message += sizeof(int64_t);
                std::fill_n(triangle(slot), c_ * c_, T(0));
                for (int64_t j = 0; j < c_; ++j, message += j * int64_t(sizeof(T)))
                    std::memcpy(triangle(slot) + j * c_, message, size_t(j + 1) * sizeof(T));
            }
        }
    }

private:
    xbatchHandle_t handle_;
    int64_t c_;
    T *slots_;
    int64_t *bad_;
    void *scratch_;
    size_t scratch_bytes_;
};

// Every rank receives the nodes of all: bytes_of_node for each.
inline void lay_out_nodes(Messages &messages, const TallShare &share, int rank, int64_t bytes_of_node) {
    const Partition &of = share.partition;
    const auto bytes_of = [&](int q) { return counted_product(of.nodes_of(q), bytes_of_node); };
    messages.lay_out(
        of.ranks(), true, [&](int) { return bytes_of(rank); }, bytes_of);
    messages.allocate();
}

// The sizes of what xgeqrtTiled needs and stores for a matrix of these rows
struct TiledBytes {
    size_t factors = 0, workspace = 0;
};
inline TiledBytes tiled_bytes(xbatchHandle_t handle, xbatchDataType_t type, int64_t rows, int64_t columns) {
    TiledBytes bytes;
    xgeqrtTiled_bufferSize(handle, type, rows, columns, nullptr, &bytes.factors, &bytes.workspace);
    return bytes;
}

}  // namespace xbatch::distributed
