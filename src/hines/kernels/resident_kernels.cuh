// resident_kernels.cuh: a warp solves a few flat systems, resident in shared memory, in place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "core/block_barrier.cuh"
#include "core/cluster.cuh"
#include "hines/hines_tuning.hpp"
#include "warp_step.cuh"

namespace xbatch::hines {

// Copies a flat array by TMA (cp.async.bulk), except for fewer than 16 bytes at either end. Returns the bytes that TMA
// copies.
template <bool IS_BACK, class T>
__device__ inline unsigned move_flat(T *shared, T *global, unsigned n, TransferBarrier barrier) {
#if __CUDA_ARCH__ >= 900
    constexpr unsigned in_16 = 16 / sizeof(T);
    const unsigned behind = unsigned(reinterpret_cast<uintptr_t>(global) % 16 / sizeof(T));
    const unsigned head = min((in_16 - behind) % in_16, n), whole = (n - head) / in_16 * in_16;
    constexpr int unrolled = 1;
#else
    const unsigned head = n, whole = 0;
    constexpr int unrolled = 4;
#endif
    const unsigned bytes = whole * unsigned(sizeof(T));
    const auto one = [&](unsigned i) {
        if (IS_BACK)
            global[i] = shared[i];
        else
            shared[i] = global[i];
    };
#pragma unroll unrolled
    for (unsigned i = 0; i < head; ++i) one(i);
#pragma unroll 1
    for (unsigned i = head + whole; i < n; ++i) one(i);
    if (bytes == 0) return 0;
    if (IS_BACK)
        put_bytes(global + head, shared + head, bytes);
    else
        fetch_bytes(shared + head, global + head, bytes, barrier);
    return bytes;
}

// A worker has one lane for each of the warp's systems. c overwrites d; g, then x, overwrite b; a contribution is
// stored in the place of u and l of its node.
template <class T>
class HinesResident {
public:
    using Shape = ResidentShape<T>;
    using Table = StepTable<0>;

    __device__ HinesResident(Shape shape, const HinesCall<T> &p, const HinesRange &range, const DeviceTree &tree,
                             char *memory, const NodePair<T> *shared, int64_t r)
        : shape_(shape),
          p_(p),
          range_(range),
          tree_(tree),
          r_(r),
          lane_(int(threadIdx.x) % 32),
          memory_(memory),
          shared_(shared),
          barrier_{reinterpret_cast<uint64_t *>(memory + shape.barrier(tree.n))} {}

    // Starts loading the first systems.
    __device__ void begin() {
        if (lane_ == 0) barrier_.begin();
        __syncwarp();
        if (first() < range_.end) bytes_ = fetch(first(), 0, arrays);
    }
    __device__ void run(const Table &table) {
        int64_t k = first();
        if (k >= range_.end) return;
        for (unsigned round = 0;; ++round) {
            expect(bytes_);
            wait(round % 2);
            __syncwarp();
            find(k);
            eliminate(table, k);
            const int64_t next = k + range_.stride;
            async_fence();
            __syncwarp();
            bytes_ = next < range_.end ? fetch(next, 0, 2) : 0;
            substitute(table, k);
            async_fence();
            __syncwarp();
            if (has_system(k)) {
                move_flat<true>(&at(b_array, HinesStep::first_row), global(b_array, k + lane_), unsigned(tree_.n),
                                barrier_);
                wait_for_puts();
            }
            __syncwarp();
            if (next >= range_.end) break;
            k = next;
            bytes_ += fetch(k, 2, arrays);
        }
    }

private:
    static constexpr int arrays = HinesCall<T>::arrays, b_array = HinesCall<T>::b_array;

    __device__ int64_t first() const { return range_.first + int(threadIdx.x) / 32 * shape_.systems(); }
    // Whether this lane is the first of system k + lane_
    __device__ bool has_system(int64_t k) const { return lane_ < shape_.systems() && k + lane_ < range_.end; }
    __device__ T *global(int a, int64_t k) const {
        return const_cast<T *>(p_.data(a)) + p_.place(a).base(tree_, range_.tree, p_.plan, k, a == b_array ? r_ : 0);
    }
    // Of a system of the warp, with the same offset from a multiple of 16 bytes as in global memory
    __device__ char *array(int a, int s, const T *global) const {
        return memory_ + s * shape_.system_bytes(tree_.n) + a * Shape::array_bytes(tree_.n) + Shape::before +
               reinterpret_cast<uintptr_t>(global) % 16;
    }
    // Loads arrays first … end - 1 except shared u and l, one array of a system per lane. Returns this lane's bytes.
    __device__ unsigned fetch(int64_t k, int first, int end) const {
        unsigned bytes = 0;
        if (shared_) first = max(first, 2);
        for (int q = (first << shape_.log_lanes) + lane_; q < end << shape_.log_lanes; q += 32) {
            const int a = q >> shape_.log_lanes, s = q & (shape_.systems() - 1);
            if (k + s >= range_.end) continue;
            T *const from = global(a, k + s);
            bytes += move_flat<false>(reinterpret_cast<T *>(array(a, s, from)), from, unsigned(tree_.n), barrier_);
        }
        return bytes;
    }
    __device__ void expect(unsigned bytes) const {
        bytes = __reduce_add_sync(~0u, bytes);
        if (lane_ == 0) barrier_.expect(bytes);
    }
    // Not barrier_.wait(), which has cluster scope and invalidates the first-level cache.
    __device__ void wait(unsigned parity) const {
#if __CUDA_ARCH__ >= 900
        BlockBarriers(barrier_.word).wait(0, parity);
#endif
    }
    // Finds the lane's system; a lane without one computes on whatever is in that memory.
    __device__ void find(int64_t k) {
        const int s = lane_ & (shape_.systems() - 1);
        const int64_t own = min(k + s, range_.end - 1);
        for (int a = 0; a < arrays; ++a) rows_[a] = array(a, s, global(a, own)) - HinesStep::first_row * sizeof(T);
    }
    __device__ T &at(int a, uint32_t row) const { return *reinterpret_cast<T *>(rows_[a] + row * uint32_t(sizeof(T))); }
    __device__ NodePair<T> part(uint32_t row) const { return {at(0, row), at(1, row)}; }

    struct Operands {
        T u, l;
        NodePair<T> db;
    };
    __device__ Operands read(PackedStep step) const {
        const uint32_t row = step.row();
        const NodePair<T> ul = shared_ ? shared_[row] : NodePair<T>{at(0, row), at(1, row)};
        Operands o{ul.first, ul.second, {at(2, row), at(b_array, row)}};
        if (p_.is_conjugated) o.u = conjugate(o.u), o.l = conjugate(o.l), o.db.first = conjugate(o.db.first);
        return o;
    }

    __device__ void eliminate(const Table &table, int64_t k) {
        PackedStep now = table.at(0), next = table.at(1);
        Operands o = read(now);
        NodePair<T> carried{T(0), T(0)};
        int bad = 0;
        at(0, HinesStep::zeros) = at(1, HinesStep::zeros) = T(0);
        __syncwarp();
        table.forwards([&](int t, int begin, int end) {
            const PackedStep after = table.at(t + 2);
            Operands ahead = read(next);
            const NodePair<T> first = part(next.first()), second = part(next.second());
            NodePair<T> db = o.db;
            for (int i = begin; i < end; ++i) db = less(db, part(table.more(i)));
            db = less_if(now.is(HinesStep::is_carried), db, carried);
            const Eliminated<T> node = eliminate_node(o.u, o.l, db);
            carried = node.part;
            if (now.row() != HinesStep::nowhere) {
                at(2, now.row()) = node.kept.first, at(b_array, now.row()) = node.kept.second;
                at(0, now.row()) = node.part.first, at(1, now.row()) = node.part.second;
            }
            if (!node.is_regular) bad = max(bad, int(now.row()));
            __syncwarp();
            ahead.db = less(less(ahead.db, first), second);
            o = ahead, now = next, next = after;
        });
        if (!p_.info || r_ > 0) return;
        const int last = last_of_lanes(bad, shape_.systems());
        if (has_system(k)) put_info(p_.info + p_.system(tree_, k + lane_), p_.nrhs, last > 0, last - 1);
    }

    __device__ void substitute(const Table &table, int64_t k) const {
        PackedStep now = table.at(table.count() - 1), next = table.at(table.count() - 2);
        const auto kept_of = [&](PackedStep step) { return NodePair<T>{at(2, step.row()), at(b_array, step.row())}; };
        NodePair<T> kept = kept_of(now);
        T above(0), carried(0);
        int lost = 0;
        table.backwards([&](int t, int, int) {
            const PackedStep after = table.at(t - 2);
            const NodePair<T> next_kept = kept_of(next);
            const T next_above = at(b_array, next.target());
            carried = less_product(kept.second, kept.first, now.target() ? above : carried);
            if (now.is(HinesStep::is_root)) carried = kept.second;
            if (now.row() != HinesStep::nowhere) at(b_array, now.row()) = carried;
            if (!is_finite(carried)) lost = max(lost, int(now.row()));
            __syncwarp();
            kept = next_kept, above = next_above, now = next, next = after;
        });
        if (p_.info && last_of_lanes(lost, shape_.systems()) > 0 && has_system(k))
            report(p_.info + p_.system(tree_, k + lane_), tree_.n);
    }

    Shape shape_;
    const HinesCall<T> &p_;
    const HinesRange &range_;
    const DeviceTree &tree_;
    int64_t r_;
    int lane_;
    char *memory_;
    const NodePair<T> *shared_;  // u and l of all systems by row, or NULL
    TransferBarrier barrier_;
    unsigned bytes_ = 0;  // in flight
    char *rows_[arrays];
};

template <class T>
__global__ void __launch_bounds__(HinesTuning::most_resident_warps * 32, 1)
    hines_resident(HinesCall<T> p, int64_t first_range, int log_lanes) {
    const ResidentShape<T> shape{log_lanes};
    extern __shared__ uint4 shared_memory[];
    char *const shared = reinterpret_cast<char *>(shared_memory);
    const int warp = int(threadIdx.x) / 32, worker = int(threadIdx.x) % 32 >> log_lanes;
    const HinesBlock<T> own(p, first_range, int(blockDim.x) / 32 * shape.systems());
    const DeviceTree &tree = p.plan.trees[own.range.tree];
    const DeviceSchedule schedule = tree.schedule(PartPlace::children, shape.workers());
    const bool has_shared = p.ul_at.kind == HinesArray::shared;
    const int before = shape.table_bytes(schedule, tree.n, has_shared);
    NodePair<T> *const ul =
        has_shared ? reinterpret_cast<NodePair<T> *>(shared + StepTableShape::bytes(schedule, shape.workers()))
                   : nullptr;
    HinesResident<T> solver(shape, p, own.range, tree, shared + before + warp * shape.warp_bytes(tree.n), ul, own.r);
    solver.begin();
    const StepTable<0> table(schedule, worker, shared, shape.workers());
    for (int v = int(threadIdx.x); has_shared && v < tree.n; v += int(blockDim.x))
        ul[v + HinesStep::first_row] = {p.u[tree.first + v], p.l[tree.first + v]};
    wait_for_copies();
    __syncthreads();
    solver.run(table);
}

}  // namespace xbatch::hines
