// map_tree.cuh: the joins of distributed recurrences on CUDA, of affine maps, and back to the states before them. As in
// tree_kernel.cuh one kernel does all of these.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "recurrence/affine_map.hpp"
#include "tree_kernel.cuh"

namespace xbatch::distributed {

using recurrence::AffineMap;

template <class T>
struct MapWork {
    static constexpr int threads = 128, values = 3;  // of a map: its product, exponent and sum

    TreeJob job;
    Tree tree;
    int64_t units, batch;  // right-hand sides of systems, number r*batch + s of system s
    int32_t units_log;     // of a block
    bool is_backward;
    T *maps;  // [units][tree.slots][values], later the state before each in place of the product
    TreeMessages in, out;
    TreeHeaders heard, own;
    TreeVerdict verdict;
};

// A message has the product and the exponent once, 8 bytes for the latter, then the sums; an answer the states.
template <class T>
struct MapBlock {
    static constexpr int values = MapWork<T>::values;
    static constexpr size_t exponent_at = sizeof(T), sums_at = exponent_at + sizeof(int64_t);
    using R = Real<T>;

    const MapWork<T> &w;

    __device__ int64_t unit_at(int number) const { return (int64_t(blockIdx.x) << w.units_log) + number; }
    __device__ T *slot(int64_t unit, int k) const { return w.maps + (unit * w.tree.slots + k) * values; }
    __device__ AffineMap<T> map(int64_t unit, int k) const {
        const T *const at = slot(unit, k);
        return {at[0], int(real_part(at[1])), at[2]};
    }
    __device__ void put(int64_t unit, int k, const AffineMap<T> &map) const {
        T *const at = slot(unit, k);
        at[0] = map.m, at[1] = T(R(map.e)), at[2] = map.t;
    }

    // act(number, unit) for `count` things of each of the block's units
    template <class Act>
    __device__ void each(int count, Act act) const {
        for (int e = threadIdx.x; e < count << w.units_log; e += MapWork<T>::threads) {
            const int64_t unit = unit_at(e & ((1 << w.units_log) - 1));
            if (unit < w.units) act(e >> w.units_log, unit);
        }
        __syncthreads();
    }
    // act(place in the message, slot, right-hand side, unit) for all places of messages
    template <class Act>
    __device__ void each_place(const TreeMessages &m, Act act) const {
        each(m.places,
             [&](int k, int64_t unit) { act(m.at(k, unit % w.batch), m.place[k].slot, unit / w.batch, unit); });
    }

    __device__ void receive_nodes() const {
        each_place(w.in, [&](const char *at, int k, int64_t side, int64_t unit) {
            const R exponent = *reinterpret_cast<const R *>(at + exponent_at);
            put(unit, k, {TreeBlock<T>::load(at, 0), int(exponent), TreeBlock<T>::load(at + sums_at, side)});
        });
    }
    __device__ void send_nodes() const {
        each_place(w.out, [&](char *at, int k, int64_t side, int64_t unit) {
            const AffineMap<T> own = map(unit, k);
            TreeBlock<T>::store(at + sums_at, side, own.t);
            if (side > 0) return;
            TreeBlock<T>::store(at, 0, own.m);
            *reinterpret_cast<R *>(at + exponent_at) = R(own.e);
        });
    }
    // `begin` becomes both; `middle` gets the map from the state before both to the state between them.
    __device__ void join_all() const {
        for (int round = 0; round < w.tree.rounds; ++round) {
            const int from = w.tree.round[round];
            each(w.tree.round[round + 1] - from, [&](int number, int64_t unit) {
                const TreeJoin j = w.tree.joins[from + number];
                const AffineMap<T> begin = map(unit, j.begin), middle = map(unit, j.middle);
                const AffineMap<T> first = w.is_backward ? middle : begin, second = w.is_backward ? begin : middle;
                put(unit, j.begin, composed(first, second)), put(unit, j.middle, first);
            });
        }
    }
    __device__ void resolve_all() const {
        for (int round = w.tree.rounds - 1; round >= 0; --round) {
            const int from = w.tree.round[round];
            each(w.tree.round[round + 1] - from, [&](int number, int64_t unit) {
                const TreeJoin j = w.tree.joins[from + number];
                const T before = slot(unit, j.begin)[0], between = pass(map(unit, j.middle), before);
                slot(unit, j.begin)[0] = w.is_backward ? between : before;
                slot(unit, j.middle)[0] = w.is_backward ? before : between;
            });
        }
    }
    // The first run needs no state.
    __device__ void close() const {
        each(1, [&](int, int64_t unit) { slot(unit, 0)[0] = T(0); });
    }
    __device__ void send_states() const {
        each_place(w.out, [&](char *at, int k, int64_t side, int64_t unit) {
            TreeBlock<T>::store(at, side, k >= 0 ? slot(unit, k)[0] : T(0));
        });
    }
    __device__ void receive_states() const {
        each_place(w.in, [&](const char *at, int k, int64_t side, int64_t unit) {
            if (k >= 0) slot(unit, k)[0] = TreeBlock<T>::load(at, side);
        });
    }
};

template <class T>
__global__ void __launch_bounds__(MapWork<T>::threads) join_maps(MapWork<T> w) {
    if (!agrees(w) || w.units == 0) return;
    const MapBlock<T> b{w};
    if (w.job == TreeJob::CLOSE) b.receive_nodes();
    if (w.job == TreeJob::EXPAND)
        b.receive_states();
    else
        b.join_all();
    if (w.job == TreeJob::REDUCE) return b.send_nodes();
    if (w.job == TreeJob::CLOSE) b.close();
    b.resolve_all();
    if (w.job == TreeJob::CLOSE) b.send_states();
}

}  // namespace xbatch::distributed
