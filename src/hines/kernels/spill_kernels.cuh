// spill_kernels.cuh: trees too large for a warp's shared memory, which holds contributions only; c and g are spilled to
// global memory: 72 bytes are moved for a node in double, where 40 are the least.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hines_shapes.hpp"
#include "spill_producer.cuh"
#include "warp_step.cuh"

namespace xbatch::hines {

// A consumer warp, which eliminates and substitutes as in pipeline_kernels.cuh. A lane is a worker.
template <class Block>
class SpillConsumer {
public:
    using Shape = typename Block::Shape;
    using T = typename Shape::Element;

    // Rows of contributions, and of c and g after those that are spilled
    __device__ SpillConsumer(const Block &block, char *parts, char *kept)
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
            eliminate(k);
            substitute(k);
        }
    }

private:
    static constexpr int V = Shape::across;

    struct alignas(V * sizeof(T)) Pack {
        T of[V];
    };
    struct alignas(16) Row {
        NodePair<T> of[V];
    };
    struct Operands {
        SpilledStep step;
        int row;  // of c and g, or -1
        Pack u, l;
        Row db;
    };

    __device__ Row &part(uint32_t row) const { return reinterpret_cast<Row *>(parts_)[row]; }

    // Waits for the next slot, and returns its steps
    __device__ const SpilledSteps &wait_for_steps() const {
        block_.full.wait(place_.slot, place_.parity);
        return block_.steps(place_.slot, place_.parity);
    }
    __device__ void keep(int row, const Row &kept) const {
        if (row < 0) return;
        if (row < block_.spilled)
            spilled_[row] = kept;
        else
            kept_[row] = kept;
    }
    // Releases a slot, and publishes the lane's contribution of this step to the warp.
    __device__ void leave(RingPlace place) const {
        __syncwarp();
        block_.empty.arrive(place.slot);
    }
    __device__ void leave() {
        leave(place_);
        place_.move(1, block_.depth);
    }

    __device__ Operands read() const {
        Operands o;
        const SpilledSteps &steps = wait_for_steps();
        o.step = steps.of[lane_], o.row = row_of(steps, lane_);
        const char *const from = block_.slot(place_);
        const auto pack = [&](int a, int system) {
            return *reinterpret_cast<const Pack *>(from + a * Shape::array_bytes + Shape::place(lane_, system));
        };
        const int of_shared = block_.has_shared() ? 0 : first_;
        o.u = pack(0, of_shared), o.l = pack(block_.p.u == block_.p.l ? 0 : 1, of_shared);
        if (block_.has_shared())
            for (int v = 1; v < V; ++v) o.u.of[v] = o.u.of[0], o.l.of[v] = o.l.of[0];
        const Pack d = pack(2, first_), b = pack(Block::b_array, first_);
#pragma unroll
        for (int v = 0; v < V; ++v) {
            o.db.of[v] = {d.of[v], b.of[v]};
            if (block_.p.is_conjugated)
                o.u.of[v] = conjugate(o.u.of[v]), o.l.of[v] = conjugate(o.l.of[v]),
                o.db.of[v].first = conjugate(o.db.of[v].first);
        }
        return o;
    }

    __device__ void eliminate(int64_t k) {
        part(HinesStep::zeros) = Row{};
        Operands now = read();
        leave();
        Row carried{};
        int bad[V] = {};
        order_.forwards([&](int, int begin, int end) {
            Operands ahead = read();
            const Row first = part(ahead.step.first()), second = part(ahead.step.second());
            Row kept;
#pragma unroll
            for (int v = 0; v < V; ++v) {
                NodePair<T> db = now.db.of[v];
                for (int i = begin; i < end; ++i) db = less(db, part(order_.more(i)).of[v]);
                db = less_if(now.step.is(HinesStep::is_carried), db, carried.of[v]);
                const Eliminated<T> node = eliminate_node(now.u.of[v], now.l.of[v], db);
                kept.of[v] = node.kept, carried.of[v] = node.part;
                if (!node.is_regular) bad[v] = max(bad[v], int(now.step.node()));
            }
            if (now.step.target() != HinesStep::nowhere) part(now.step.target()) = carried;
            keep(now.row, kept);
            leave();
#pragma unroll
            for (int v = 0; v < V; ++v) ahead.db.of[v] = less(less(ahead.db.of[v], first.of[v]), second.of[v]);
            now = ahead;
        });
        block_.turned.arrive(0);
        for (int v = 0; v < V; ++v) block_.template report_pivots<1>(k + first_ + v, bad[v]);
    }

    __device__ void substitute(int64_t k) {
        const auto kept = [&](const SpilledSteps &steps) {
            const int row = row_of(steps, lane_);
            const char *const in_slot = block_.slot(place_) + Shape::kept_at(first_ / V, lane_);
            return row < block_.spilled ? *reinterpret_cast<const Row *>(in_slot) : kept_[row];
        };
        const SpilledSteps &last = wait_for_steps();
        SpilledStep now = last.of[lane_];
        Row own = kept(last), above{};
        T x[V] = {};
        int lost[V] = {};
        order_.backwards([&](int, int begin, int end) {
            const RingPlace place = place_;
            place_.move(1, block_.depth);
            const SpilledSteps &steps = wait_for_steps();
            const SpilledStep next = steps.of[lane_];
            const Row next_own = kept(steps), next_above = part(next.target());
            const auto publish = [&](uint32_t row) {
                if (row == HinesStep::zeros) return;
                for (int v = 0; v < V; ++v) part(row).of[v].second = x[v];
            };
            Pack unknowns;
#pragma unroll
            for (int v = 0; v < V; ++v) {
                const T parent = now.target() != HinesStep::nowhere ? above.of[v].second : x[v];
                x[v] = less_product(own.of[v].second, own.of[v].first, parent);
                if (now.is(HinesStep::is_root)) x[v] = own.of[v].second;
                unknowns.of[v] = x[v];
                if (!is_finite(x[v])) lost[v] = max(lost[v], int(now.node()));
            }
            *reinterpret_cast<Pack *>(block_.slot(place) + Shape::unknowns_at + Shape::place(lane_, first_)) = unknowns;
            publish(now.first()), publish(now.second());
            for (int i = begin; i < end; ++i) publish(order_.more(i));
            leave(place);
            own = next_own, above = next_above, now = next;
        });
        leave();
        for (int v = 0; v < V; ++v) block_.template report_unknowns<1>(k + first_ + v, lost[v]);
    }

    const Block &block_;
    StepOrder<SpilledSteps> order_;
    int lane_, first_;  // the warp's first system among those of the block
    char *parts_;
    Row *kept_, *spilled_;
    RingPlace place_{0, 0};
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
    const int spilled = tree.stored_rows - rows;
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
        SpillProducer<Block>(own, reinterpret_cast<int64_t *>(shared + Shape::origins(depth))).run();
    else
        SpillConsumer<Block>(own, shared + Shape::parts(depth) + warp * schedule.rows * Shape::row_bytes,
                             shared + Shape::kept(schedule, depth) + warp * rows * Shape::row_bytes)
            .run();
}

}  // namespace xbatch::hines
