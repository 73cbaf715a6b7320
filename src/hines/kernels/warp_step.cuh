// warp_step.cuh: a lane's operations on a node, in any storage, and the order of its steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "core/chunk.cuh"
#include "hines_shapes.hpp"
#include "subtree_step.cuh"

namespace xbatch::hines {

template <class T>
__device__ inline NodePair<T> less(NodePair<T> a, NodePair<T> b) {
    return {a.first - b.first, a.second - b.second};
}

template <class T>
__device__ inline NodePair<T> less_if(bool wanted, NodePair<T> a, NodePair<T> b) {
    const NodePair<T> difference = less(a, b);
    return {wanted ? difference.first : a.first, wanted ? difference.second : a.second};
}

template <class T>
struct Eliminated {
    NodePair<T> kept, part;
    bool is_regular;
};

// has_reciprocal() with fewer instructions
template <class T>
__device__ inline bool is_regular(T a) {
    return has_reciprocal(a);
}
__device__ inline bool is_regular(double a) {
    constexpr unsigned one = 1u << 20, exponents = 2 * Bits64::bias - 2;  // in the upper half
    return (unsigned(__double2hiint(a)) & 0x7fffffffu) - one < exponents * one;
}

// c = l / d, g = b / d; the parent's d -= u c, b -= u g. Products and differences are rounded one by one, so that the
// place of a contribution does not affect the result.
template <class T>
__device__ inline Eliminated<T> eliminate_node(T u, T l, NodePair<T> db) {
    const T inverse = fast_reciprocal(db.first), ui = product(u, inverse);
    return {{product(l, inverse), product(db.second, inverse)},
            {product(ui, l), product(ui, db.second)},
            is_regular(db.first)};
}

// The largest node, counted from 1, of those that the lanes of a system found, each v + 2 of node v or less than 2; 0
// for none. Each of `lanes` has a system.
__device__ inline int last_of_lanes(int found, int lanes) {
    int last = max(found - int(HinesStep::first_row) + 1, 0);
    for (int distance = lanes; distance < 32; distance *= 2) last = max(last, __shfl_xor_sync(~0u, last, distance));
    return last;
}

// A schedule as one worker executes it
template <class Step>
class StepOrder {
public:
    __device__ StepOrder(const DeviceScheduleOf<Step> &from, int worker) : from_(from), worker_(worker) {}
    __device__ int count() const { return from_.steps; }

    // f(step, begin, end) for all steps, the worker's further contributions at list[begin] … list[end - 1]
    template <class F>
    __device__ void forwards(F f) const {
        for (int t = 0, i = 0;; ++t) {
            const int stop = i < from_.more_count ? from_.more[i].step : from_.steps;
#pragma unroll 2
            for (; t < stop; ++t) f(t, 0, 0);
            if (t == from_.steps) return;
            int begin = 0, end = 0;
            for (; i < from_.more_count && from_.more[i].step == t; ++i)
                if (from_.more[i].worker == worker_) begin = from_.more[i].begin, end = from_.more[i].end;
            f(t, begin, end);
        }
    }
    template <class F>
    __device__ void backwards(F f) const {
        for (int t = from_.steps - 1, i = from_.more_count - 1;; --t) {
            const int stop = i >= 0 ? from_.more[i].step : -1;
#pragma unroll 2
            for (; t > stop; --t) f(t, 0, 0);
            if (t < 0) return;
            int begin = 0, end = 0;
            for (; i >= 0 && from_.more[i].step == t; --i)
                if (from_.more[i].worker == worker_) begin = from_.more[i].begin, end = from_.more[i].end;
            f(t, begin, end);
        }
    }
    __device__ uint32_t more(int i) const { return from_.list[i]; }

protected:
    const DeviceScheduleOf<Step> &from_;
    int worker_;
};

// The same with its steps in shared memory. Those around them are idle. WORKERS: their number, or 0 if the launch
// decides.
template <int WORKERS>
class StepTable : public StepOrder<PackedStep> {
public:
    // By all threads of the block; the steps are visible after wait_for_copies() and __syncthreads().
    __device__ StepTable(const DeviceSchedule &from, int worker, char *shared, int workers = WORKERS)
        : StepOrder<PackedStep>(from, worker),
          workers_(WORKERS > 0 ? WORKERS : workers),
          first_(reinterpret_cast<const PackedStep *>(shared) + Shape::front * workers_ + worker) {
        const float4 *const steps = reinterpret_cast<const float4 *>(from.table);
        for (int i = int(threadIdx.x); i < Shape::bytes(from, workers_) / 16; i += int(blockDim.x))
            copy_async<float4, 1, 0>(true, shared_address(shared) + unsigned(i) * 16, steps + i);
    }
    // f(step) for the steps of all workers, by all threads of the block
    template <class F>
    __device__ void for_all(F f) const {
        for (int i = int(threadIdx.x); i < from_.steps * workers_; i += int(blockDim.x)) f(first_[i - worker_]);
    }
    __device__ PackedStep of(int step, int worker) const { return first_[step * workers_ + worker - worker_]; }
    __device__ PackedStep at(int step) const { return first_[step * workers_]; }

private:
    using Shape = StepTableShape;

    int workers_;
    const PackedStep *first_;
};

// Blocks of a launch: one for each right-hand side of a range.
template <class T>
struct HinesBlock {
    HinesRange range;
    int64_t r;

    // If the batch has no ranges, blocks process `systems` at a time, round-robin.
    __device__ HinesBlock(const HinesCall<T> &p, int64_t first_range, int systems) {
        const unsigned sides = unsigned(p.nrhs), block = blockIdx.x / sides;
        r = int64_t(blockIdx.x - block * sides);
        range = p.ranges ? p.ranges[first_range + block]
                         : HinesRange{0, int64_t(block) * systems, p.batch, int64_t(gridDim.x / sides) * systems};
    }
};

}  // namespace xbatch::hines
