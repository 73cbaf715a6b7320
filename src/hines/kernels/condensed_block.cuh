// condensed_block.cuh: the systems of a block whose trees are condensed on chip, its tables, and its reports.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "condensed_worker.cuh"
#include "core/async_copy.cuh"

namespace xbatch::hines {

// What all threads of a block share
template <class T>
struct CondensedBlock {
    static constexpr int arrays = HinesCall<T>::arrays, b_array = HinesCall<T>::b_array;

    const HinesCall<T> &p;
    const HinesRange &range;
    const DeviceTree &tree;
    const DeviceCondensed &condensed;
    int systems;
    int64_t r;
    char *memory;

    __device__ const CondensedStep *steps() const { return reinterpret_cast<const CondensedStep *>(memory); }
    __device__ DeviceSubtrees tables() const { return condensed.at(memory + CondensedFront::tables(condensed)); }
    // Copies the tables to shared memory and clears the reports.
    __device__ void begin() const {
        const auto copy = [&](int to, const void *from, int bytes) {
            for (int i = int(threadIdx.x); i < (bytes + 15) / 16; i += int(blockDim.x))
                copy_async<float4, 1, 0>(true, shared_address(memory + to) + unsigned(i) * 16,
                                         static_cast<const float4 *>(from) + i);
        };
        copy(0, condensed.table, condensed.workers * condensed.steps * int(sizeof(CondensedStep)));
        copy(CondensedFront::tables(condensed), condensed.tables, condensed.table_bytes);
        for (int i = int(threadIdx.x); i < 4 * systems; i += int(blockDim.x)) reports(false)[i] = 0;
        wait_for_copies();
        __syncthreads();
    }

    // Of node 0 of the tables. Not inlined: its divisions are long, and most systems are found from the first of their
    // tile.
    __device__ __noinline__ int64_t origin(int a, int64_t k) const {
        return p.place(a).base(tree, range.tree, p.plan, min(k, range.end - 1), a == b_array ? r : 0) +
               condensed.first * p.place(a).step(tree);
    }
    __device__ bool is_shared(int a) const { return p.place(a).kind == HinesArray::shared; }
    __device__ int64_t step(int a) const { return p.place(a).step(tree) * int64_t(sizeof(T)); }

    // Of the systems of a tile by column: the largest node with a bad pivot, counted from 1, and whether an unknown is
    // lost. Those of a tile are cleared when they are read, and used again two tiles later.
    __device__ int *reports(bool is_odd) const {
        return reinterpret_cast<int *>(memory + CondensedFront::reports(condensed)) + (is_odd ? 2 * systems : 0);
    }
    template <class SystemOf>
    __device__ void put_reports(int *reports, SystemOf system_of) const {
        for (int c = int(threadIdx.x); c < systems; c += int(blockDim.x)) {
            const int64_t k = system_of(c);
            const int bad = reports[c] > 0 ? reports[c] : reports[systems + c] > 0 ? tree.n + 1 : 0;
            reports[c] = reports[systems + c] = 0;
            if (p.info && k < range.end) put_info(p.info + p.system(tree, k), p.nrhs, bad > 0, bad - 1);
        }
    }

    // One tile, by all threads. column0: the first of the thread in the first level; column: its own in the others. Few
    // threads have work in the upper levels; the last warp calls meanwhile() before. node_of: of a port's row
    template <class Store, class Rows, class NodeOf, class Meanwhile>
    __device__ void solve(CondensedWorker<Store> &worker, const UpperLevels<Rows> &upper, int *reports, int column0,
                          int column, NodeOf node_of, Meanwhile meanwhile) const {
        const auto bad = [&](int where, int node) { atomicMax(reports + where, node); };
        upper.clear();
        worker.condense([&](int i, int node) { bad(column0 + i, node); });
        __syncthreads();
        if (threadIdx.x / 32 == blockDim.x / 32 - 1) meanwhile();
        upper.solve([&](int row) { bad(column, node_of(row - 1) + 1); }, [&] { reports[systems + column] = 1; });
        worker.substitute([&](int i, bool is_found) {
            if (!is_found) reports[systems + column0 + i] = 1;
        });
    }
};

}  // namespace xbatch::hines
