// warp_solve.cuh: the elimination and the substitution of a warp. Each step is read while the one before it is
// computed; where steps, rows and parts lie, and when others see them, is up to a Storage.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "warp_step.cuh"

namespace xbatch::hines {

// A number of each of a lane's systems, side by side in memory
template <class T, int V>
struct alignas(V * sizeof(T)) Pack {
    T of[V];
};
// A node before its elimination
template <class T, class S, int V>
struct NodeRows {
    S step;
    Pack<T, V> u, l;
    NodePair<T> db[V];

    // What memory has besides u and l
    __device__ void set(const Pack<T, V> &d, const Pack<T, V> &b, bool is_conjugated) {
#pragma unroll
        for (int v = 0; v < V; ++v) {
            db[v] = {d.of[v], b.of[v]};
            if (is_conjugated)
                u.of[v] = conjugate(u.of[v]), l.of[v] = conjugate(l.of[v]), db[v].first = conjugate(db[v].first);
        }
    }
};
// And after it. above: the parent's unknown, unless the lane itself found it in the step before
template <class T, class S, int V>
struct EliminatedRows {
    S step;
    NodePair<T> kept[V];
    T above[V];
};

// All steps from the first on. bad: of each system the last node whose pivot is bad, as last_of_lanes takes it.
// Storage:
//     node_of(step)                    the node that `bad` names
//     read_first()                     the rows of step 0
//     read_next(t, first, second)      those of step t + 1, and the two parts that wait for it
//     part(row, v)                     a further part
//     keep(rows, v, kept, parts)       c and g, and the part, if the parent is not the next step: of systems 0 ... v
//     leave()                          the lane is done with the step that was read last
template <class T, class Order, class Storage, int V>
__device__ __forceinline__ void eliminate(const Order &order, Storage &storage, int (&bad)[V]) {
    auto now = storage.read_first();
    NodePair<T> parts[V] = {};
    order.forwards([&](int t, int begin, int end) {
        NodePair<T> first[V], second[V], kept[V];
        auto next = storage.read_next(t, first, second);
#pragma unroll
        for (int v = 0; v < V; ++v) {
            NodePair<T> db = now.db[v];
            for (int i = begin; i < end; ++i) db = less(db, storage.part(order.more(i), v));
            db = less_if(now.step.is(HinesStep::is_carried), db, parts[v]);
            const Eliminated<T> node = eliminate_node(now.u.of[v], now.l.of[v], db);
            kept[v] = node.kept, parts[v] = node.part;
            storage.keep(now, v, kept, parts);
            if (!node.is_regular) bad[v] = max(bad[v], int(storage.node_of(now.step)));
        }
        storage.leave();
#pragma unroll
        for (int v = 0; v < V; ++v) next.db[v] = less(less(next.db[v], first[v]), second[v]);
        now = next;
    });
}

// All steps from the last on. lost: of each system the last node whose unknown is not finite. Storage:
//     read_last(), read_before(t)      c and g of the last step and of step t - 1, and the unknowns above
//     put(step, v, x, begin, end)      the unknowns of systems 0 ... v, also where children wait for them: two, and
//                                      those of rows order.more(begin) ... order.more(end - 1)
//     leave_back()                     the lane is done with that step
template <class T, class Order, class Storage, int V>
__device__ __forceinline__ void substitute(const Order &order, Storage &storage, int (&lost)[V]) {
    auto now = storage.read_last();
    T x[V] = {};
    order.backwards([&](int t, int begin, int end) {
        const auto next = storage.read_before(t);
#pragma unroll
        for (int v = 0; v < V; ++v) {
            const T parent = now.step.target() != HinesStep::nowhere ? now.above[v] : x[v];
            x[v] = less_product(now.kept[v].second, now.kept[v].first, parent);
            if (now.step.is(HinesStep::is_root)) x[v] = now.kept[v].second;
            if (!is_finite(x[v])) lost[v] = max(lost[v], int(storage.node_of(now.step)));
            storage.put(now.step, v, x, begin, end);
        }
        storage.leave_back();
        now = next;
    });
}

}  // namespace xbatch::hines
