// piece_systems.cuh: the systems of the ports of trees in pieces, between the kernels that condense the pieces, those
// that solve the ports, and those that substitute in the pieces.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "condensed_block.cuh"

namespace xbatch::hines {

// The systems of the ports of a window, interleaved, `wide` of them, and the contributions in slots; b becomes the
// solution. Streamed: c, g and e by row, of all systems of all tiles, `columns` of them. Resident: c and e of all
// pieces of all systems, `piece_bytes` each; g is in the array of the right-hand sides.
template <class T>
struct PortSystems {
    T *u, *l, *d, *b, *slot_d, *slot_b;
    int64_t wide;
    int32_t *info;
    char *c, *g, *e;
    int64_t columns, piece_bytes;
};

// Systems first … end - 1, `group` of them for each of `groups` blocks of a piece.
template <class T>
struct PieceRun {
    int32_t tree, groups;
    int64_t first, end, group, r;
    PortSystems<T> ports;

    __device__ int piece() const { return int(blockIdx.x) / groups; }
    __device__ HinesRange range(int systems) const {
        const int64_t begin = first + int(blockIdx.x) % groups * group;
        return {tree, begin, min(begin + group, end), systems};
    }
    // Of a system in the window, or -1
    __device__ int64_t in_window(int64_t k, const HinesRange &range) const { return k < range.end ? k - first : -1; }
};

// By all threads of a block: each has the rows of one system in shared memory.
template <class F>
__device__ inline void for_each_row(int count, int systems, F f) {
    const int workers = int(blockDim.x) / systems, worker = int(threadIdx.x) / systems;
    if (worker >= workers) return;
#pragma unroll 2
    for (int i = worker; i < count; i += workers) f(i);
}

// The ports and the slots of a piece. row_of: of a port; slot0: row of the first slot
template <class T, class Rows, class RowOf>
__device__ inline void put_ports(const DevicePiece &piece, const DeviceCondensed &condensed, const PortSystems<T> &to,
                                 const Rows &rows, int64_t system, int systems, int slot0, RowOf row_of) {
    for_each_row(condensed.ports, systems, [&](int p) {
        const auto at = rows.at(row_of(p));
        const int64_t i = (piece.port + p) * to.wide + system;
        to.u[i] = rows.u(at), to.l[i] = rows.l(at), to.d[i] = rows.d(at), to.b[i] = rows.b(at);
    });
    for_each_row(condensed.slots, systems, [&](int s) {
        const auto at = rows.at(uint32_t(slot0 + s));
        const int64_t i = (piece.slot + s) * to.wide + system;
        to.slot_d[i] = rows.d(at), to.slot_b[i] = rows.b(at);
    });
}

// Reports bad pivots if the ports are not known yet, otherwise unknowns that are not finite. Clears the reports.
template <class T, class SystemOf>
__device__ inline void put_piece_reports(const CondensedBlock<T> &block, int *reports, SystemOf system_of) {
    for (int c = int(threadIdx.x); c < block.systems; c += int(blockDim.x)) {
        const int64_t k = system_of(c);
        const int bad = reports[c];
        const bool is_lost = reports[block.systems + c] > 0;
        reports[c] = reports[block.systems + c] = 0;
        if (!block.p.info || k >= block.range.end) continue;
        int32_t *const info = block.p.info + block.p.system(block.tree, k);
        if (bad > 0) atomicMax(info, block.condensed.first + bad);
        if (is_lost) report(info, block.tree.n);
    }
}

// Adds the contributions of the subtrees below to d and b of each port. A thread is one port of one system.
template <class T>
__global__ void __launch_bounds__(256) hines_join_pieces(DevicePieces pieces, PortSystems<T> ports) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, port = i / ports.wide, q = i - port * ports.wide;
    if (port >= pieces.ports) return;
    const int end = pieces.begin[port + 1];
    int k = pieces.begin[port];
    if (k == end) return;
    T d = ports.d[i], b = ports.b[i];
    for (; k < end; ++k) {
        const int64_t from = pieces.slots_below[k] * ports.wide + q;
        d = d + ports.slot_d[from], b = b + ports.slot_b[from];
    }
    ports.d[i] = d, ports.b[i] = b;
}

// Reports of the ports' systems become those of nodes. A thread is one system.
template <class T>
__global__ void __launch_bounds__(256) hines_report_ports(HinesCall<T> p, PieceRun<T> run) {
    const int64_t k = run.first + int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k >= run.end) return;
    const DeviceTree &tree = p.plan.trees[run.tree];
    const int found = run.ports.info[k - run.first];
    int32_t *const info = p.info + p.system(tree, k);
    if (found > tree.pieces.ports)
        report(info, tree.n);
    else if (found > 0)
        atomicMax(info, tree.pieces.nodes_of_ports[found - 1] + 1);
}

}  // namespace xbatch::hines
