// spill_producer.cuh: producer warps for trees too large for shared memory: they load coefficients, c and g, and store
// unknowns.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "block_systems.cuh"
#include "core/async_copy.cuh"
#include "core/block_barrier.cuh"
#include "hines_shapes.hpp"
#include "warp_step.cuh"

namespace xbatch::hines {

// A worker's row of c and g in a step, or -1
__device__ inline int row_of(const SpilledSteps &steps, int worker) {
    const int row = steps.first_row + __popc(steps.busy & ((1u << worker) - 1));
    return (steps.busy >> worker & 1) != 0 ? row : -1;
}

// State of a block, for all its warps. Each step has a slot in the elimination and another one in the substitution,
// from which its unknowns are stored. An idle slot follows the last of either, since steps are read ahead. The workers'
// instructions of a step (SpilledSteps) are apart from its slot, since the producers need them first: they are loaded
// when the slot is filled the time before.
template <class S>
struct SpillBlock : BlockSystems<S> {
    const SpillSchedule &schedule;
    int depth;
    char *ring;
    char *kept;  // c and g: [warp][row], the first `spilled` rows
    int spilled;
    // Of the slots: 32 lanes load the workers' instructions, then the data; all consumer lanes release the slot.
    BlockBarriers known, full, empty;
    BlockBarriers turned;  // one: all consumer lanes have finished the elimination

    __device__ bool has_shared() const { return this->p.ul_at.kind == HinesArray::shared; }
    __device__ char *slot(RingPlace at) const { return ring + at.slot * S::slot_bytes; }
    // Those of the slot's next use are in the other half.
    __device__ SpilledSteps &steps(int slot, unsigned parity) const {
        return reinterpret_cast<SpilledSteps *>(ring + S::steps(depth))[parity * depth + slot];
    }
};

// A producer warp: it fills every fourth slot and stores the unknowns from it. A lane serves one worker.
template <class Block>
class SpillProducer {
public:
    using Shape = typename Block::Shape;
    using T = typename Shape::Element;

    __device__ SpillProducer(const Block &block, int64_t *origins)
        : block_(block),
          count_(block.schedule.steps),
          at_(int(threadIdx.x) / 32 - Shape::warps),
          place_{at_, 0},
          origins_(origins + at_ * arrays * Shape::systems),
          lane_(int(threadIdx.x) % 32),
          has_shared_(block.has_shared()) {
        for (int a = 0; a < arrays; ++a) {
            step_[a] = block.step(a);
            is_needed_[a] = !(a == 1 && block_.p.u == block_.p.l) && !(a < 2 && has_shared_);
        }
    }

    __device__ void run() {
        const HinesRange &range = block_.range;
        unsigned parity = 0;
        for (int64_t k = range.first; k < range.end; k += range.stride, parity ^= 1) {
            const Rows rows = block_.find_rows(k, has_shared_);
            if (rows.are_in_line && rows.are_packed)
                pass<float4>(rows, k, parity);
            else if (rows.are_in_line)
                pass<T>(rows, k, parity);
            else
                pass<void>(rows, k, parity);
        }
    }

private:
    using Rows = typename Block::Rows;
    static constexpr int arrays = Block::arrays, b_array = Block::b_array;

    // One tile. Its rows are in line, in Words, or of any placement if Word is void.
    template <class Word>
    __device__ void pass(const Rows &rows, int64_t k, unsigned parity) {
        constexpr bool is_in_line = !std::is_void<Word>::value;
        if (!is_in_line) block_.find_origins(k, origins_);
        RingPlace place = place_;
        for (int at = at_; at < at_ + block_.depth; at += Shape::producers, place.move(Shape::producers, block_.depth))
            copy_steps(at, place);
        for (; at_ <= count_; at_ += Shape::producers) {
            fill([&](const SpilledSteps &steps, unsigned to) {
                const uint32_t node = steps.of[lane_].node();
                if (has_shared_) load_shared(node, to);
                if constexpr (is_in_line)
                    load_rows<Word>(rows, node, to);
                else
                    load_any(node, to);
            });
        }
        block_.turned.wait(0, parity);
        const auto store = [&](RingPlace from) {
            if constexpr (is_in_line)
                store_rows<Word>(rows, from);
            else
                store_any(k, from);
        };
        for (; at_ < slots(); at_ += Shape::producers) {
            block_.empty.wait(place_.slot, place_.parity ^ 1);
            if (at_ - block_.depth > count_) store(place_);
            fill([&](const SpilledSteps &steps, unsigned to) { load_stored(steps, to); });
        }
        place = place_;
        for (int at = at_; at < slots() + block_.depth; at += Shape::producers) {
            block_.empty.wait(place.slot, place.parity ^ 1);
            if (at - block_.depth > count_) store(place);
            place.move(Shape::producers, block_.depth);
        }
        at_ -= slots();
    }

    // Of a tile: steps 0 … count in the elimination, count-1 … -1 in the substitution
    __device__ int slots() const { return 2 * (count_ + 1); }
    __device__ void copy_steps(int at, RingPlace to) const {
        if (at >= slots()) return;
        const int step = StepTableShape::front + (at <= count_ ? at : 2 * count_ - at);
        constexpr int words = int(sizeof(SpilledSteps)) / 16;
        copy_async<float4, 1, 0>(lane_ < words,
                                 shared_address(&block_.steps(to.slot, to.parity)) + unsigned(lane_) * 16,
                                 reinterpret_cast<const float4 *>(block_.schedule.table + step) + lane_);
        block_.known.arrive_after_copies(to.slot);
    }

    // load(steps, slot) for the next slot, when it is empty
    template <class Load>
    __device__ void fill(Load load) {
        block_.empty.wait(place_.slot, place_.parity ^ 1);
        block_.known.wait(place_.slot, place_.parity);
        copy_steps(at_ + block_.depth, {place_.slot, place_.parity ^ 1});
        load(block_.steps(place_.slot, place_.parity), shared_address(block_.slot(place_)));
        block_.full.arrive_after_copies(place_.slot);
        place_.move(Shape::producers, block_.depth);
    }
    // Shared u and l, in the place of the first system's
    __device__ void load_shared(uint32_t node, unsigned to) const {
        for (int a = 0; a < 2; ++a)
            if (node != HinesStep::nowhere && !(a == 1 && block_.p.u == block_.p.l))
                copy_async<T, 1, 0>(true, to + unsigned(a * Shape::array_bytes + Shape::place(lane_, 0)),
                                    block_.p.data(a) + block_.tree.first + node - HinesStep::first_row);
    }
    // f(worker, system, word) for rows in line, one word per lane
    template <class Word, class F>
    __device__ void for_words(F f) const {
        constexpr int words = Shape::operand_bytes / int(sizeof(Word)), lanes = words < 32 ? words : 32;
#pragma unroll
        for (int w = 0; w < Shape::workers; w += 32 / lanes)
#pragma unroll
            for (int word = 0; word < words; word += lanes)
                f(w + lane_ / lanes, (word + lane_ % lanes) * int(sizeof(Word)) / int(sizeof(T)), word + lane_ % lanes);
    }
    template <class Word>
    __device__ void load_rows(const Rows &rows, uint32_t own_node, unsigned to) const {
        for_words<Word>([&](int worker, int system, int word) {
            const uint32_t node = __shfl_sync(~0u, own_node, worker);
#pragma unroll
            for (int a = 0; a < arrays; ++a)
                copy_async<Word, 1, 0>(
                    node != HinesStep::nowhere && is_needed_[a],
                    to + unsigned(a * Shape::array_bytes + Shape::place(worker, system)),
                    reinterpret_cast<const Word *>(rows.from[a] + uint64_t(node) * uint32_t(step_[a])) + word);
        });
    }
    __device__ void load_any(uint32_t node, unsigned to) const {
        for (int a = 0; a < arrays; ++a) {
            if (node == HinesStep::nowhere || !is_needed_[a]) continue;
            const char *const row = block_.row_zero(a, 0) + node * step_[a];
#pragma unroll 4
            for (int s = 0; s < Shape::systems; ++s)
                copy_async<T, 1, 0>(true, to + unsigned(a * Shape::array_bytes + Shape::place(lane_, s)),
                                    reinterpret_cast<const T *>(row) + origins_[a * Shape::systems + s]);
        }
    }
    __device__ void load_stored(const SpilledSteps &steps, unsigned to) const {
        if (steps.first_row >= block_.spilled) return;
        const int64_t row = row_of(steps, lane_);
#pragma unroll
        for (int w = 0; w < Shape::warps; ++w)
            copy_async<float4, Shape::row_bytes / 16, 0>(
                row >= 0 && row < block_.spilled, to + unsigned(Shape::kept_at(w, lane_)),
                reinterpret_cast<const float4 *>(block_.kept + (w * int64_t(block_.spilled) + row) * Shape::row_bytes));
    }

    // Stores the unknowns of a slot, whose parity has changed since
    template <class Word>
    __device__ void store_rows(const Rows &rows, RingPlace from) const {
        const SpilledSteps &steps = block_.steps(from.slot, from.parity ^ 1);
        const char *const slot = block_.slot(from) + Shape::unknowns_at;
        for_words<Word>([&](int worker, int system, int word) {
            const uint32_t node = steps.of[worker].node();
            char *const row = const_cast<char *>(rows.from[b_array]) + uint64_t(node) * uint32_t(step_[b_array]);
            if (node != HinesStep::nowhere)
                store_once(reinterpret_cast<Word *>(row) + word,
                           *reinterpret_cast<const Word *>(slot + Shape::place(worker, system)));
        });
        __syncwarp();
    }
    __device__ void store_any(int64_t k, RingPlace from) const {
        const uint32_t node = block_.steps(from.slot, from.parity ^ 1).of[lane_].node();
        const char *const slot = block_.slot(from) + Shape::unknowns_at;
        T *const row = reinterpret_cast<T *>(const_cast<char *>(block_.row_zero(b_array, 0)) + node * step_[b_array]);
        for (int s = 0; s < Shape::systems && k + s < block_.range.end; ++s)
            if (node != HinesStep::nowhere)
                store_once(row + origins_[b_array * Shape::systems + s],
                           *reinterpret_cast<const T *>(slot + Shape::place(lane_, s)));
        __syncwarp();
    }

    const Block &block_;
    int count_;
    int at_;  // of the slots of a tile, the next that this warp fills
    RingPlace place_;
    int64_t *origins_;
    int lane_;
    bool has_shared_, is_needed_[arrays];
    int64_t step_[arrays];
};

}  // namespace xbatch::hines
