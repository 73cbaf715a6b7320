// mp_plan.hpp: the plan of distributed systems: shares, messages, and what a solve does with them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "communicator.hpp"
#include "core/context.hpp"
#include "core/layout.hpp"
#include "device_share.hpp"
#include "tree_share.hpp"

namespace xbatch::distributed {

// This rank's rows of every system, in chunks, which SIMD lanes process side by side. A slot holds the equations of a
// chunk; joins of the slots lead to the rank's nodes.
struct Share {
    // Chunks with the same number of rows
    struct Chunks {
        int64_t rows;
        std::vector<int64_t> slots;
    };

    int64_t first_row = 0, rows = 0;
    bool begins = false, ends = false;  // the first or last row of a system is in it
    std::vector<int64_t> slot_row;      // [slots + 1] first row of each chunk, in the share
    std::vector<Chunks> chunks;
    std::vector<Join> joins;
    std::vector<int64_t> node_slot;  // [nodes + 1]

    int64_t slots() const { return node_slot.back(); }
    int64_t nodes() const { return int64_t(node_slot.size()) - 1; }
    int64_t most_rows() const {  // of a chunk
        int64_t most = 0;
        for (const Chunks &each : chunks) most = std::max(most, each.rows);
        return most;
    }
};

// The equations of a node go to the rank that closes the system; it returns the unknowns at the node's ends.
struct MpPlan {
    xbatchComm_t comm_handle;
    Communicator *comm;   // valid while comm_handle is live
    uint32_t number = 0;  // among the plans of the communicator
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch, block_stride;
    Partition partition;
    Share share;
    bool is_gathered = false;               // every rank closes all systems; nothing is returned
    std::vector<int64_t> closer;            // [ranks + 1] first system that each rank closes
    Messages forward, back, edges;          // the latter to and from the ranks with the rows next to the share
    int64_t sides;                          // right-hand sides of the call
    int rank_before = -1, rank_after = -1;  // with the rows next to the share; -1: none
    int64_t forward_bytes, back_bytes;      // of a node's equations, and of its ends
    std::unique_ptr<DeviceShare> device;    // of a CUDA handle
    bool is_tree = false;                   // of Hines systems …
    std::unique_ptr<TreeShare> tree;        // … which has any rows

    int rank() const { return comm->rank(); }
    bool is_empty() const { return n == 0 || nrhs == 0 || batch == 0; }
    int64_t systems_closed_by(int p) const { return closer[p + 1] - closer[p]; }
    // Ranks without rows learn info too.
    int64_t nodes_back(int p) const { return std::max<int64_t>(partition.nodes_of(p), 1); }
    // For a call with as many right-hand sides, whose nodes' equations and ends have these sizes
    void arrange(int64_t sides_of_call, int64_t bytes_of_equations, int64_t bytes_of_ends);

    // Where this rank's first node of system j is sent from, and its ends received
    char *sent(int64_t j) {
        const int p = message_of(j);
        const int64_t first = is_gathered ? 0 : closer[p];
        return forward.sent.get() + forward.send_at[p] + header_bytes + (j - first) * share.nodes() * forward_bytes;
    }
    char *returned(int64_t j) {
        const int p = message_of(j);
        const int64_t first = is_gathered ? 0 : closer[p];
        return back.received.get() + back.recv_at[p] + header_bytes + (j - first) * nodes_back(rank()) * back_bytes;
    }
    // Where node k of rank p of system j, which this rank closes, is received, and its ends sent from
    const char *received(int64_t j, int p, int64_t k) const {
        const int64_t place = (j - first_closed()) * partition.nodes_of(p) + k;
        return forward.received.get() + forward.recv_at[p] + header_bytes + place * forward_bytes;
    }
    char *returning(int64_t j, int p, int64_t k) {
        const int64_t place = (j - first_closed()) * nodes_back(p) + k;
        return back.sent.get() + back.send_at[p] + header_bytes + place * back_bytes;
    }
    // f(rank, k, place) for the ends of all nodes of a system that this rank closes; with allgather of its own nodes
    template <class F>
    void for_each_returned(int64_t j, F f) {
        const int first = is_gathered ? rank() : 0, last = is_gathered ? first : partition.ranks() - 1;
        for (int p = first; p <= last; ++p)
            for (int64_t k = 0; k < nodes_back(p); ++k)
                f(p, k, is_gathered ? returned(j) + k * back_bytes : returning(j, p, k));
    }
    int64_t first_closed() const { return is_gathered ? 0 : closer[rank()]; }
    int64_t closed() const { return is_gathered ? batch : systems_closed_by(rank()); }

private:
    int message_of(int64_t j) const {
        return is_gathered ? 0 : int(std::upper_bound(closer.begin(), closer.end(), j) - closer.begin()) - 1;
    }
};

inline Registry<MpPlan, xbatchMpPlan_t> live_plans;

// The phases of a solve: rows to nodes; nodes of all ranks to their ends; ends to unknowns and info
template <class Arrays>
struct PhasesOf {
    int64_t (*forward_bytes)(const Arrays &arrays, int64_t sides);  // of a node's equations
    int64_t (*back_bytes)(int64_t sides);                           // of its ends
    size_t (*workspace)(const Context &context, const MpPlan &plan);
    void (*condense)(const Context &context, MpPlan &plan, const Arrays &arrays, void *workspace);
    void (*close)(const Context &context, MpPlan &plan, const Arrays &arrays, void *workspace);
    void (*substitute)(const Context &context, MpPlan &plan, const Arrays &arrays, void *workspace);
};

// Right-hand side r in an array of this rank with leading dimension ld: row i of system j is at base(j, 0) + i*step.
Placement placement_of(const MpPlan &plan, int64_t nrhs, int64_t ld, int64_t r);

// This rank's share, for the host's phases
Share host_share(const Context &context, const MpPlan &plan);

}  // namespace xbatch::distributed
