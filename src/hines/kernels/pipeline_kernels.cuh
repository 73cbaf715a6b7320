// pipeline_kernels.cuh: systems that are adjacent in memory. Producer warps load their coefficients in the order of the
// steps, consumer warps eliminate and hold c and g in shared memory: so each array is accessed once.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "block_systems.cuh"
#include "core/async_copy.cuh"
#include "core/block_barrier.cuh"
#include "hines/hines_tuning.hpp"
#include "warp_step.cuh"

namespace xbatch::hines {

// State of a block, for all its warps.
template <class S>
struct PipelineBlock : BlockSystems<S> {
    using Table = StepTable<S::workers>;

    const Table &table;
    int depth;
    bool has_shared;  // u and l of all rows replace their ring
    char *ring;
    BlockBarriers full, empty;  // of the slots: 32 lanes fill one, all consumer lanes release it
};

// A producer warp, for every fourth step. `origins`: one element per array and system
template <class Block>
class PipelineProducer {
public:
    using Shape = typename Block::Shape;
    using T = typename Shape::Element;

    __device__ PipelineProducer(const Block &block, int64_t *origins)
        : block_(block),
          step_(int(threadIdx.x) / 32 - Shape::warps),
          place_{step_, 0},
          origins_(origins + step_ * arrays * Shape::systems),
          lane_(int(threadIdx.x) % 32) {}

    __device__ void run() {
        const HinesRange &range = block_.range;
        for (int64_t k = range.first; k < range.end; k += range.stride) {
            const Rows rows = block_.find_rows(k, block_.has_shared);
            if (rows.are_in_line && rows.are_packed)
                pass_rows<float4>(rows);
            else if (rows.are_in_line)
                pass_rows<T>(rows);
            else
                pass_any(k);
        }
    }

private:
    using Rows = typename Block::Rows;
    static constexpr int arrays = Block::arrays;

    // load(step, to) for this warp's steps of a tile. An idle one follows the last, since steps are read ahead.
    template <class Load>
    __device__ void pass(Load load) {
        for (; step_ <= block_.table.count(); step_ += Shape::producers) {
            block_.empty.wait(place_.slot, place_.parity ^ 1);
            load(step_, shared_address(block_.ring) + unsigned(place_.slot) * Shape::array_bytes);
            block_.full.arrive_after_copies(place_.slot);
            place_.move(Shape::producers, block_.depth);
        }
        step_ -= block_.table.count() + 1;
    }

    // Rows in line, one Word per lane
    template <class Word>
    __device__ void pass_rows(const Rows &rows) {
        constexpr int words = Shape::systems * int(sizeof(T)) / int(sizeof(Word)), lanes = words < 32 ? words : 32;
        constexpr int at_once = 32 / lanes;  // rows
        const int worker = lane_ / lanes;
        const bool no_u = block_.has_shared, no_l = no_u || block_.p.u == block_.p.l;
        const unsigned ring_bytes = unsigned(block_.depth * Shape::array_bytes);
        uint32_t step[arrays];
        for (int a = 0; a < arrays; ++a) step[a] = uint32_t(block_.step(a));
        pass([&](int t, unsigned to) {
#pragma unroll
            for (int w = 0; w < Shape::workers; w += at_once) {
                const uint32_t node = block_.table.of(t, w + worker).node();
#pragma unroll
                for (int word = lane_ % lanes; word < words; word += lanes) {
                    const int system = word * int(sizeof(Word)) / int(sizeof(T));
#pragma unroll
                    for (int a = 0; a < arrays; ++a)
                        copy_async<Word, 1, 0>(
                            node != HinesStep::nowhere && !(a == 0 && no_u) && !(a == 1 && no_l),
                            to + unsigned(Shape::place(w + worker, system)) + a * ring_bytes,
                            reinterpret_cast<const Word *>(rows.from[a] + uint64_t(node) * step[a]) + word);
                }
            }
        });
    }

    __device__ void pass_any(int64_t k) {
        block_.find_origins(k, origins_);
        pass([&](int t, unsigned to) {
            for (int q = lane_; q < Shape::workers * Shape::systems; q += 32) {
                const int w = q / Shape::systems, s = q % Shape::systems;
                const uint32_t node = block_.table.of(t, w).node();
                for (int a = 0; a < arrays; ++a)
                    if (node != HinesStep::nowhere && !(a < 2 && block_.has_shared) &&
                        !(a == 1 && block_.p.u == block_.p.l))
                        copy_async<T, 1, 0>(
                            true, to + Shape::place(w, s) + a * block_.depth * Shape::array_bytes,
                            reinterpret_cast<const T *>(block_.row_zero(a, origins_[a * Shape::systems + s]) +
                                                        node * block_.step(a)));
            }
        });
    }

    const Block &block_;
    int step_;  // the next that this warp loads
    RingPlace place_;
    int64_t *origins_;
    int lane_;
};

// A consumer warp, which eliminates and substitutes: of node v with parent p
//
//     c = l / d,  g = b / d,  d_p -= u c,  b_p -= u g;  then x_v = g - c x_p
template <class Block>
class PipelineConsumer {
public:
    using Shape = typename Block::Shape;
    using T = typename Shape::Element;

    __device__ PipelineConsumer(const Block &block, char *rows)
        : block_(block),
          p_(block.p),
          table_(block.table),
          lane_(int(threadIdx.x) % 32),
          first_(int(threadIdx.x) / 32 * Shape::warp_systems + lane_ % LANES * V),
          ring_(block.ring + Shape::place(lane_ / LANES, first_)),
          rows_(rows + lane_ % LANES * pair_bytes) {}

    __device__ void run() {
        const HinesRange &range = block_.range;
        const int64_t step = block_.step(b_array);
        for (int64_t k = range.first; k < range.end; k += range.stride) {
            if (block_.has_shared)
                eliminate<true>(k);
            else
                eliminate<false>(k);
            char *to[V];
            bool is_there[V];
            for (int v = 0; v < V; ++v) {
                to[v] = const_cast<char *>(block_.row_zero(b_array, block_.origin(b_array, k + first_ + v)));
                is_there[v] = k + first_ + v < range.end;
            }
            substitute(k, [&](uint32_t node, const Pack &x) {
                const int64_t at = int64_t(node) * step;
                for (int v = 0; v < V; ++v)
                    if (is_there[v] && node != HinesStep::nowhere)
                        store_once(reinterpret_cast<T *>(to[v] + at), x.of[v]);
            });
        }
    }

private:
    static constexpr int V = Shape::across, LANES = Shape::lanes;
    static constexpr int b_array = Block::b_array, pair_bytes = int(sizeof(NodePair<T>));

    struct alignas(V * sizeof(T)) Pack {
        T of[V];
    };
    // A node's values from memory
    struct Operands {
        Pack u, l;
        NodePair<T> db[V];
    };

    __device__ NodePair<T> &pair(uint32_t row, int v) const {
        return *reinterpret_cast<NodePair<T> *>(rows_ + row * Shape::row_bytes + v * LANES * pair_bytes);
    }

    template <bool SHARED>
    __device__ Operands read(PackedStep step) const {
        if (!is_there_) block_.full.wait(place_.slot, place_.parity);
        const char *const from = ring_ + place_.slot * Shape::array_bytes;
        const int ring_bytes = block_.depth * Shape::array_bytes;
        const auto pack = [&](int a) { return *reinterpret_cast<const Pack *>(from + a * ring_bytes); };
        Operands o;
        if (SHARED) {
            const NodePair<T> ul = reinterpret_cast<const NodePair<T> *>(block_.ring)[step.row()];
            for (int v = 0; v < V; ++v) o.u.of[v] = ul.first, o.l.of[v] = ul.second;
        } else {
            o.u = pack(0), o.l = pack(is_symmetric_ ? 0 : 1);
        }
        const Pack d = pack(2), b = pack(b_array);
#pragma unroll
        for (int v = 0; v < V; ++v) {
            o.db[v] = {d.of[v], b.of[v]};
            if (p_.is_conjugated)
                o.u.of[v] = conjugate(o.u.of[v]), o.l.of[v] = conjugate(o.l.of[v]),
                o.db[v].first = conjugate(o.db[v].first);
        }
        return o;
    }

    // Releases the slot that was read last.
    __device__ void leave() {
        __syncwarp();
        block_.empty.arrive(place_.slot);
        place_.move(1, block_.depth);
        is_there_ = block_.full.is_over(place_.slot, place_.parity);
    }

    template <bool SHARED>
    __device__ void eliminate(int64_t k) {
        for (int v = 0; v < V; ++v) pair(HinesStep::zeros, v) = {T(0), T(0)};
        PackedStep now = table_.at(0), next = table_.at(1);
        Operands o = read<SHARED>(now);
        leave();
        NodePair<T> carried[V] = {};
        int bad[V] = {};
        table_.forwards([&](int t, int begin, int end) {
            const PackedStep after = table_.at(t + 2);
            NodePair<T> first[V], second[V];
#pragma unroll
            for (int v = 0; v < V; ++v) {
                first[v] = pair(next.has_own() ? next.row() : HinesStep::zeros, v);
                second[v] = pair(next.second(), v);
            }
            Operands ahead = read<SHARED>(next);
#pragma unroll
            for (int v = 0; v < V; ++v) {
                NodePair<T> db = o.db[v];
                for (int i = begin; i < end; ++i) db = less(db, pair(table_.more(i), v));
                db = less_if(now.is(HinesStep::is_carried), db, carried[v]);
                const Eliminated<T> node = eliminate_node(o.u.of[v], o.l.of[v], db);
                carried[v] = node.part;
                if (now.row() != HinesStep::nowhere) pair(now.row(), v) = node.kept;
                if (now.target() != HinesStep::nowhere) pair(now.target(), v) = node.part;
                if (!node.is_regular) bad[v] = max(bad[v], int(now.node()));
            }
            leave();
#pragma unroll
            for (int v = 0; v < V; ++v) ahead.db[v] = less(less(ahead.db[v], first[v]), second[v]);
            o = ahead, now = next, next = after;
        });
        for (int v = 0; v < V; ++v) block_.template report_pivots<LANES>(k + first_ + v, bad[v]);
    }

    template <class Store>
    __device__ void substitute(int64_t k, Store store) const {
        PackedStep now = table_.at(table_.count() - 1), next = table_.at(table_.count() - 2);
        NodePair<T> kept[V];
        T above[V], carried[V] = {};
        int lost[V] = {};
        for (int v = 0; v < V; ++v) kept[v] = pair(now.row(), v), above[v] = T(0);
        table_.backwards([&](int t, int begin, int end) {
            const PackedStep after = table_.at(t - 2);
            NodePair<T> next_kept[V];
            T next_above[V];
#pragma unroll
            for (int v = 0; v < V; ++v)
                next_kept[v] = pair(next.row(), v), next_above[v] = pair(next.target(), v).second;
            Pack x;
#pragma unroll
            for (int v = 0; v < V; ++v) {
                x.of[v] = less_product(kept[v].second, kept[v].first, now.target() ? above[v] : carried[v]);
                if (now.is(HinesStep::is_root)) x.of[v] = kept[v].second;
                carried[v] = x.of[v];
                if (!is_finite(x.of[v])) lost[v] = max(lost[v], int(now.node()));
                if (now.row() != HinesStep::nowhere) pair(now.row(), v).second = x.of[v];
                if (now.second() != HinesStep::zeros) pair(now.second(), v).second = x.of[v];
                for (int i = begin; i < end; ++i) pair(table_.more(i), v).second = x.of[v];
            }
            store(now.node(), x);
            __syncwarp();
#pragma unroll
            for (int v = 0; v < V; ++v) kept[v] = next_kept[v], above[v] = next_above[v];
            now = next, next = after;
        });
        for (int v = 0; v < V; ++v) block_.template report_unknowns<LANES>(k + first_ + v, lost[v]);
    }

    const Block &block_;
    const HinesCall<T> &p_;
    const typename Block::Table &table_;
    int lane_, first_;  // the lane's first system among those of the block
    const char *ring_;
    char *rows_;
    RingPlace place_{0, 0};
    bool is_there_ = false;  // whether the next slot is filled
    bool is_symmetric_ = p_.u == p_.l;
};

template <class T, int LANES, int WARPS>
__global__ void __launch_bounds__(PipelineShape<T, LANES, WARPS>::threads, HinesTuning::most_pipeline_blocks)
    hines_pipelined(HinesCall<T> p, int64_t first_range, int depth) {
    using Shape = PipelineShape<T, LANES, WARPS>;
    using Block = PipelineBlock<Shape>;
    extern __shared__ uint4 shared_memory[];
    char *const shared = reinterpret_cast<char *>(shared_memory);
    const int warp = int(threadIdx.x) / 32, worker = int(threadIdx.x) % 32 / LANES;
    const HinesBlock<T> own(p, first_range, Shape::systems);
    const DeviceTree &tree = p.plan.trees[own.range.tree];
    const DeviceSchedule schedule = tree.schedule(PartPlace::rows, Shape::workers);
    const BlockBarriers full(shared + Shape::barriers(depth)), empty(shared + Shape::barriers(depth) + depth * 8);
    if (int(threadIdx.x) < depth) full.begin(int(threadIdx.x), 32), empty.begin(int(threadIdx.x), 32 * WARPS);
    const typename Block::Table table(schedule, worker, shared + Shape::steps(depth));
    wait_for_copies();
    __syncthreads();
    const bool has_shared = p.ul_at.kind == HinesArray::shared && Shape::has_room_for_shared(schedule, depth);
    if (has_shared)
        table.for_all([&](PackedStep step) {
            const int64_t at = tree.first + step.node() - HinesStep::first_row;
            if (step.node() != HinesStep::nowhere)
                reinterpret_cast<NodePair<T> *>(shared)[step.row()] = {p.u[at], p.l[at]};
        });
    __syncthreads();
    const Block block{{p, own.range, tree, own.r}, table, depth, has_shared, shared, full, empty};
    if (warp >= WARPS)
        PipelineProducer<Block>(block, reinterpret_cast<int64_t *>(shared + Shape::origins(depth))).run();
    else
        PipelineConsumer<Block>(block, shared + Shape::rows(schedule, depth) + warp * schedule.rows * Shape::row_bytes)
            .run();
}

}  // namespace xbatch::hines
