// spill_kernels.cuh: trees too large for a warp's shared memory. It keeps the parts alone; c and g go to global memory
// and come back: 72 bytes of a double's node where 40 are the least.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hines_shapes.hpp"
#include "spill_producer.cuh"
#include "warp_solve.cuh"

namespace xbatch::hines {

// A warp that eliminates and substitutes. A lane is a worker.
template <class Block>
class SpillSolver {
public:
    using Shape = typename Block::Shape;
    using T = typename Shape::Element;
    static constexpr int V = Shape::across;

    // Rows of parts, and of c and g behind those that are spilled
    __device__ SpillSolver(const Block &block, char *parts, char *kept)
        : block_(block),
          order_(block.schedule, int(threadIdx.x) % 32),
          lane_(int(threadIdx.x) % 32),
          first_(int(threadIdx.x) / 32 * V),
          parts_(parts),
          kept_(reinterpret_cast<Row *>(kept) - block.spilled),
          spilled_(reinterpret_cast<Row *>(block.kept) + int(threadIdx.x) / 32 * int64_t(block.spilled)) {}

    __device__ void run() {
        const HinesRange &range = block_.range;
        for (int64_t k = range.first; k < range.end; k += range.stride) {
            int bad[V] = {}, lost[V] = {};
            part(HinesStep::zeros) = Row{};
            eliminate<T>(order_, *this, bad);
            block_.turned.tell(0);
            for (int v = 0; v < V; ++v) block_.template report_pivots<1>(k + first_ + v, bad[v]);
            substitute<T>(order_, *this, lost);
            leave();
            for (int v = 0; v < V; ++v) block_.template report_unknowns<1>(k + first_ + v, lost[v]);
        }
    }

    // The storage of eliminate() and substitute()
    struct Node : NodeRows<T, SpilledStep, V> {
        int row;  // of c and g, or -1
    };
    using Solved = EliminatedRows<T, SpilledStep, V>;

    static __device__ uint32_t node_of(SpilledStep step) { return step.node(); }
    __device__ Node read_first() {
        const Node node = read();
        leave();
        return node;
    }
    __device__ Node read_next(int, NodePair<T> (&first)[V], NodePair<T> (&second)[V]) const {
        const Node node = read();
        const Row one = part(node.step.first()), two = part(node.step.second());
#pragma unroll
        for (int v = 0; v < V; ++v) first[v] = one.of[v], second[v] = two.of[v];
        return node;
    }
    __device__ NodePair<T> part(uint32_t row, int v) const { return part(row).of[v]; }
    __device__ void keep(const Node &node, int v, const NodePair<T> (&kept)[V], const NodePair<T> (&parts)[V]) const {
        if (v < V - 1) return;  // a row has all systems
        if (node.step.target() != HinesStep::nowhere) part(node.step.target()) = row_of_pairs(parts);
        if (node.row < 0) return;
        if (node.row < block_.spilled)
            spilled_[node.row] = row_of_pairs(kept);
        else
            kept_[node.row] = row_of_pairs(kept);
    }
    // The lane is done with a slot, and the others see its part of this step.
    __device__ void leave() {
        leave(place_);
        place_.move(1, block_.depth);
    }

    __device__ Solved read_last() const {
        const SpilledSteps &steps = wait_for_slot();
        Solved node{steps.of[lane_], {}, {}};
        set_kept(node, steps);
        return node;
    }
    __device__ Solved read_before(int) {
        last_ = place_;
        place_.move(1, block_.depth);
        const SpilledSteps &steps = wait_for_slot();
        Solved node{steps.of[lane_], {}, {}};
        set_kept(node, steps);
        const Row above = part(node.step.target());
#pragma unroll
        for (int v = 0; v < V; ++v) node.above[v] = above.of[v].second;
        return node;
    }
    __device__ void put(SpilledStep step, int v, const T (&x)[V], int begin, int end) const {
        if (v < V - 1) return;
        Pack<T, V> unknowns;
#pragma unroll
        for (int s = 0; s < V; ++s) unknowns.of[s] = x[s];
        *reinterpret_cast<Pack<T, V> *>(block_.slot(last_) + Shape::unknowns_at + Shape::place(lane_, first_)) =
            unknowns;
        const auto hand_down = [&](uint32_t row) {
            if (row == HinesStep::zeros) return;
            for (int s = 0; s < V; ++s) part(row).of[s].second = x[s];
        };
        hand_down(step.first()), hand_down(step.second());
        for (int i = begin; i < end; ++i) hand_down(order_.more(i));
    }
    __device__ void leave_back() const { leave(last_); }

private:
    struct alignas(16) Row {
        NodePair<T> of[V];
    };

    __device__ Row &part(uint32_t row) const { return reinterpret_cast<Row *>(parts_)[row]; }
    static __device__ Row row_of_pairs(const NodePair<T> (&pairs)[V]) {
        Row row;
#pragma unroll
        for (int v = 0; v < V; ++v) row.of[v] = pairs[v];
        return row;
    }
    // The next slot, when it is there, and what the lane does with it
    __device__ const SpilledSteps &wait_for_slot() const {
        block_.full.wait(place_.slot, place_.parity);
        return block_.steps(place_.slot, place_.parity);
    }
    __device__ void leave(RingPlace place) const {
        __syncwarp();
        block_.empty.tell(place.slot);
    }
    __device__ Node read() const {
        const SpilledSteps &steps = wait_for_slot();
        Node node;
        node.step = steps.of[lane_], node.row = row_of(steps, lane_);
        const char *const from = block_.slot(place_);
        const auto pack = [&](int a, int system) {
            return *reinterpret_cast<const Pack<T, V> *>(from + a * Shape::array_bytes + Shape::place(lane_, system));
        };
        const int of_shared = block_.has_shared() ? 0 : first_;
        node.u = pack(0, of_shared), node.l = pack(block_.p.u == block_.p.l ? 0 : 1, of_shared);
        if (block_.has_shared())
            for (int v = 1; v < V; ++v) node.u.of[v] = node.u.of[0], node.l.of[v] = node.l.of[0];
        node.set(pack(2, first_), pack(Block::b_array, first_), block_.p.is_conjugated);
        return node;
    }
    __device__ void set_kept(Solved &node, const SpilledSteps &steps) const {
        const int row = row_of(steps, lane_);
        const char *const in_slot = block_.slot(place_) + Shape::kept_at(first_ / V, lane_);
        const Row *const from = row < block_.spilled ? reinterpret_cast<const Row *>(in_slot) : kept_ + row;
        const Row kept = *from;
#pragma unroll
        for (int v = 0; v < V; ++v) node.kept[v] = kept.of[v];
    }

    const Block &block_;
    StepOrder<SpilledSteps> order_;
    int lane_, first_;  // the warp's first system among those of the block
    char *parts_;
    Row *kept_, *spilled_;
    RingPlace place_{0, 0}, last_{0, 0};  // the next slot, and of the substitution the one before
};

// The systems of one tree, for `sides` right-hand sides from the first on.
template <class T, int WARPS>
__global__ void __launch_bounds__(SpillShape<T, WARPS>::threads, 1)
    hines_spill(HinesCall<T> p, int32_t tree_number, int64_t count, int64_t first_side, int sides, int depth, int rows,
                char *kept) {
    using Shape = SpillShape<T, WARPS>;
    using Block = SpillBlock<Shape>;
    extern __shared__ uint4 shared_memory[];
    char *const shared = reinterpret_cast<char *>(shared_memory);
    const int warp = int(threadIdx.x) / 32;
    const DeviceTree &tree = p.plan.trees[tree_number];
    const SpillSchedule schedule = tree.spilled;
    const int spilled = tree.kept_rows - rows;
    const int64_t block = int64_t(blockIdx.x) / sides, blocks = int64_t(gridDim.x) / sides;
    const HinesRange range{tree_number, block * Shape::systems, count, blocks * Shape::systems};
    char *const barriers = shared + Shape::barriers(depth);
    const BlockBarriers known(barriers), full(barriers + depth * 8), empty(barriers + 2 * depth * 8);
    const BlockBarriers turned(barriers + 3 * depth * 8);
    if (int(threadIdx.x) < depth)
        known.begin(int(threadIdx.x), 32), full.begin(int(threadIdx.x), 32), empty.begin(int(threadIdx.x), 32 * WARPS);
    if (int(threadIdx.x) == depth) turned.begin(0, 32 * WARPS);
    __syncthreads();
    const Block own{{p, range, tree, first_side + int64_t(blockIdx.x) % sides},
                    schedule,
                    depth,
                    shared,
                    kept + int64_t(blockIdx.x) * spilled * WARPS * Shape::row_bytes,
                    spilled,
                    known,
                    full,
                    empty,
                    turned};
    if (warp >= WARPS)
        SpillSource<Block>(own, reinterpret_cast<int64_t *>(shared + Shape::origins(depth))).run();
    else
        SpillSolver<Block>(own, shared + Shape::parts(depth) + warp * schedule.rows * Shape::row_bytes,
                           shared + Shape::kept(schedule, depth) + warp * rows * Shape::row_bytes)
            .run();
}

}  // namespace xbatch::hines
