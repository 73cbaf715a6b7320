// piece_resident_kernels.cuh: pieces of trees of flat systems, which are contiguous. c and e go through global memory,
// g through the array of the right-hand sides: 88 bytes are moved for a node in double.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "piece_systems.cuh"
#include "resident_tree_kernels.cuh"

namespace xbatch::hines {

// c, e and g of a piece, in the places of d, u and b
template <class T>
struct PieceTransfers : ResidentTransfers<T> {
    using Base = ResidentTransfers<T>;
    static constexpr int b_array = Base::b_array;
    const PieceRun<T> &run;

    __device__ PieceTransfers(const CondensedBlock<T> &block, ResidentTreeShape<T> shape, const PieceRun<T> &run)
        : Base(block, shape), run(run) {}

    // With the same offset from a multiple of 16 bytes as the array of the matrix
    __device__ T *kept(int a, int64_t k) const {
        char *const all = a == 0 ? run.ports.e : run.ports.c;
        const int64_t number = (k - run.first) * this->block.tree.pieces.count + run.piece();
        return reinterpret_cast<T *>(all + number * run.ports.piece_bytes +
                                     int64_t(reinterpret_cast<uintptr_t>(this->global(a, k)) % 16));
    }
    __device__ T *place(int a, int64_t k) const { return a == b_array ? this->global(a, k) : kept(a, k); }
    // Of a tile, in pairs of an array and a system
    template <class F>
    __device__ void for_each(int64_t k, F f) const {
        for (int q = int(threadIdx.x); q < 3 * this->shape.systems; q += 32) {
            const int a = q / this->shape.systems, s = q % this->shape.systems;
            if (k + s < this->block.range.end) f(a == 2 ? b_array : a == 1 ? 2 : 0, s);
        }
    }
    __device__ void fetch(int64_t k) const {
        unsigned bytes = 0;
        for_each(k, [&](int a, int s) {
            T *const from = place(a, k + s);
            this->offsets[a * this->shape.systems + s] = int(reinterpret_cast<uintptr_t>(from) % 16);
            bytes += move_flat<false>(reinterpret_cast<T *>(this->array(a, s)), from,
                                      unsigned(this->block.condensed.nodes), this->barrier);
        });
        this->expect(bytes);
    }
    __device__ void put(int64_t k) const {
        for_each(k, [&](int a, int s) {
            move_flat<true>(reinterpret_cast<T *>(this->array(a, s)), place(a, k + s),
                            unsigned(this->block.condensed.nodes), this->barrier);
        });
        wait_for_puts();
        __syncwarp();
    }
};

template <class T>
__global__ void __launch_bounds__(384) hines_condense_resident(const __grid_constant__ HinesCall<T> p,
                                                               const __grid_constant__ PieceRun<T> run, int systems) {
    extern __shared__ uint4 shared_memory[];
    char *const memory = reinterpret_cast<char *>(shared_memory);
    const DeviceTree &tree = p.plan.trees[run.tree];
    const DevicePiece &piece = tree.pieces.piece[run.piece()];
    const DeviceCondensed &condensed = piece.resident;
    const HinesRange range = run.range(systems);
    const CondensedBlock<T> block{p, range, tree, condensed, systems, run.r, memory};
    const PieceTransfers<T> transfers(block, ResidentTreeShape<T>{systems}, run);
    const int worker = int(threadIdx.x) / systems, s = int(threadIdx.x) % systems;
    transfers.begin();
    if (threadIdx.x < 32) transfers.expect(transfers.Base::fetch(range.first, 0, HinesCall<T>::arrays));
    block.begin();
    const DeviceSubtrees tables = block.tables();
    bool is_odd = false;
    for (int64_t k = range.first; k < range.end; is_odd = !is_odd) {
        int *const reports = block.reports(is_odd);
        transfers.wait(is_odd);
        const auto columns = transfers.columns(s);
        ResidentStore<T> store(columns, condensed.nodes, p.is_conjugated);
        CondensedWorker<ResidentStore<T>> solver(condensed, tables, block.steps(), worker, store);
        solver.condense([&](int i, int node) { atomicMax(reports + s + i, node); });
        async_fence();
        __syncthreads();
        const TreeRows<T, unsigned> rows{columns.u_, columns.l_, columns.d_, columns.b_, columns.step};
        const int64_t next = k + range.stride, system = run.in_window(k + s, range);
        if (system >= 0)
            put_ports(piece, condensed, run.ports, rows, system, systems, condensed.nodes,
                      [&](int port) { return uint32_t(condensed.nodes_of_ports[port]); });
        put_piece_reports(block, reports, [&](int column) { return k + column; });
        if (threadIdx.x < 32) transfers.put(k);
        __syncthreads();
        if (threadIdx.x < 32 && next < range.end)
            transfers.expect(transfers.Base::fetch(next, 0, HinesCall<T>::arrays));
        k = next;
    }
}

template <class T>
__global__ void __launch_bounds__(384) hines_expand_resident(const __grid_constant__ HinesCall<T> p,
                                                             const __grid_constant__ PieceRun<T> run, int systems) {
    extern __shared__ uint4 shared_memory[];
    char *const memory = reinterpret_cast<char *>(shared_memory);
    const DeviceTree &tree = p.plan.trees[run.tree];
    const DevicePiece &piece = tree.pieces.piece[run.piece()];
    const DeviceCondensed &condensed = piece.resident;
    const HinesRange range = run.range(systems);
    const CondensedBlock<T> block{p, range, tree, condensed, systems, run.r, memory};
    const PieceTransfers<T> transfers(block, ResidentTreeShape<T>{systems}, run);
    const int worker = int(threadIdx.x) / systems, s = int(threadIdx.x) % systems;
    transfers.begin();
    if (threadIdx.x < 32) transfers.fetch(range.first);
    block.begin();
    const DeviceSubtrees tables = block.tables();
    bool is_odd = false;
    for (int64_t k = range.first; k < range.end; is_odd = !is_odd) {
        int *const reports = block.reports(is_odd);
        transfers.wait(is_odd);
        const auto columns = transfers.columns(s);
        const TreeRows<T, unsigned> rows{columns.u_, columns.l_, columns.d_, columns.b_, columns.step};
        const int64_t next = k + range.stride, system = run.in_window(k + s, range);
        const PortSystems<T> &ports = run.ports;
        if (system >= 0) {
            for_each_row(condensed.ports, systems, [&](int port) {
                rows.b(rows.at(uint32_t(condensed.nodes_of_ports[port]))) =
                    ports.b[(piece.port + port) * ports.wide + system];
            });
            for_each_row(condensed.slots, systems, [&](int slot) {
                const int32_t above = tree.pieces.ports_above[piece.slot + slot];
                rows.b(rows.at(uint32_t(condensed.nodes + slot))) =
                    above >= 0 ? ports.b[above * ports.wide + system] : T(0);
            });
        }
        __syncthreads();
        ResidentStore<T> store(columns, condensed.nodes, p.is_conjugated);
        CondensedWorker<ResidentStore<T>> solver(condensed, tables, block.steps(), worker, store);
        solver.substitute([&](int i, bool is_found) {
            if (!is_found) reports[systems + s + i] = 1;
        });
        async_fence();
        __syncthreads();
        put_piece_reports(block, reports, [&](int column) { return k + column; });
        if (threadIdx.x < 32) {
            transfers.Base::put(k);
            if (next < range.end) transfers.fetch(next);
        }
        k = next;
    }
}

}  // namespace xbatch::hines
