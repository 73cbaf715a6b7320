// resident_tree_kernels.cuh: flat systems, resident in shared memory and solved in place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "condensed_block.cuh"
#include "core/block_barrier.cuh"
#include "resident_kernels.cuh"

namespace xbatch::hines {

// One system a thread. The nodes' rows are those of the arrays; e overwrites u. Contributions are added up in u and l
// of the first child, which is eliminated and not above a port. `pending` lists such children, the last first, 16 bits
// each.
template <class T>
class ResidentStore : public CondensedColumns<T, 1> {
public:
    using Columns = CondensedColumns<T, 1>;
    using Pack = typename Columns::Pack;
    using Sum = typename Columns::Sum;

    __device__ ResidentStore(const Columns &columns, int32_t nodes, bool is_conjugated)
        : Columns(columns), nodes_(uint32_t(nodes)), is_conjugated_(is_conjugated) {}

    __device__ void begin() {}
    template <class Operands>
    __device__ Operands operands(CondensedStep step) const {
        if (step.is(CondensedStep::is_idle)) return {};
        const uint32_t v = step.node();
        Operands o{this->u(v), this->l(v), this->d(v), this->b(v)};
        if (step.is(CondensedStep::is_root)) o.u = o.l = Pack{};
        if (is_conjugated_)
            o.u.of[0] = conjugate(o.u.of[0]), o.l.of[0] = conjugate(o.l.of[0]), o.d.of[0] = conjugate(o.d.of[0]);
        return o;
    }
    __device__ uint32_t row(CondensedStep step, uint32_t) const { return step.node(); }
    using Columns::keep;
    __device__ void keep(uint32_t row, const Pack &e) const { this->u(row) = e; }
    __device__ Sum sum(CondensedStep step, uint32_t row) {
        if (step.target >= nodes_) return {&this->d(step.target), &this->b(step.target)};
        if (step.is(CondensedStep::is_first)) more_ = more_ << 16 | pending_ >> 48, pending_ = pending_ << 16 | row;
        return at_pending();
    }
    __device__ Sum take_sum(uint32_t) {
        const Sum sum = at_pending();
        pending_ = pending_ >> 16 | more_ << 48, more_ >>= 16;
        return sum;
    }
    __device__ void end() const {}
    __device__ uint32_t row_back(CondensedStep step) const { return step.node(); }
    __device__ uint32_t row_ahead(CondensedStep step, CondensedStep next) const {
        return next.is(CondensedStep::is_idle) ? step.node() : next.node();
    }
    __device__ Pack e_back(uint32_t row) const { return this->u(row); }
    __device__ void unknown(uint32_t, const Pack &) const {}

private:
    __device__ Sum at_pending() const {
        const uint32_t row = uint32_t(pending_) & 0xffff;
        return {&this->u(row), &this->l(row)};
    }

    uint32_t nodes_;
    bool is_conjugated_;
    uint64_t pending_ = 0, more_ = 0;
};

// The transfers of a block's systems, by its first warp
template <class T>
struct ResidentTransfers {
    static constexpr int arrays = HinesCall<T>::arrays, b_array = HinesCall<T>::b_array;
    const CondensedBlock<T> &block;
    ResidentTreeShape<T> shape;
    TransferBarrier barrier;
    int *offsets;  // of a tile's arrays from multiples of 16 bytes

    __device__ ResidentTransfers(const CondensedBlock<T> &block, ResidentTreeShape<T> shape)
        : block(block),
          shape(shape),
          barrier{reinterpret_cast<uint64_t *>(block.memory + shape.barrier(block.condensed))},
          offsets(reinterpret_cast<int *>(block.memory + shape.offsets(block.condensed))) {}

    __device__ void begin() const {
        if (threadIdx.x == 0) barrier.begin();
        for (int q = int(threadIdx.x); q < arrays * shape.systems; q += int(blockDim.x)) offsets[q] = 0;
        __syncthreads();
    }
    __device__ void wait(bool is_odd) const {
#if __CUDA_ARCH__ >= 900
        BlockBarriers(barrier.word).wait(0, is_odd);
#endif
        __syncthreads();
    }
    __device__ CondensedColumns<T, 1> columns(int s) const {
        return {array(0, s), array(1, s), array(2, s), array(3, s), unsigned(sizeof(T))};
    }

    __device__ T *global(int a, int64_t k) const { return const_cast<T *>(block.p.data(a)) + block.origin(a, k); }
    // With the same offset from a multiple of 16 bytes as in global memory
    __device__ char *array(int a, int s) const {
        return block.memory + shape.arrays(block.condensed) + s * shape.system_bytes(block.condensed) +
               shape.array(block.condensed, a) + offsets[a * shape.systems + s];
    }
    // Loads arrays first … end - 1 of a tile; returns the lane's bytes.
    __device__ unsigned fetch(int64_t k, int first, int end) const {
        unsigned bytes = 0;
        for (int q = first * shape.systems + int(threadIdx.x); q < end * shape.systems; q += 32) {
            const int a = q / shape.systems, s = q % shape.systems;
            if (k + s >= block.range.end) continue;
            T *const from = global(a, k + s);
            offsets[q] = int(reinterpret_cast<uintptr_t>(from) % 16);
            bytes +=
                move_flat<false>(reinterpret_cast<T *>(array(a, s)), from, unsigned(block.condensed.nodes), barrier);
        }
        return bytes;
    }
    __device__ void expect(unsigned bytes) const {
        bytes = __reduce_add_sync(~0u, bytes);
        if (threadIdx.x == 0) barrier.expect(bytes);
    }
    // Stores the unknowns.
    __device__ void put(int64_t k) const {
        for (int s = int(threadIdx.x); s < shape.systems && k + s < block.range.end; s += 32) {
            T *const to = global(b_array, k + s);
            move_flat<true>(reinterpret_cast<T *>(array(b_array, s)), to, unsigned(block.condensed.nodes), barrier);
        }
        wait_for_puts();
        __syncwarp();
    }
};

template <class T>
__global__ void __launch_bounds__(384)
    hines_resident_trees(const __grid_constant__ HinesCall<T> p, int64_t first_range, int systems) {
    extern __shared__ uint4 shared_memory[];
    char *const memory = reinterpret_cast<char *>(shared_memory);
    const HinesBlock<T> own(p, first_range, systems);
    const DeviceTree &tree = p.plan.trees[own.range.tree];
    const CondensedBlock<T> block{p, own.range, tree, tree.resident, systems, own.r, memory};
    const ResidentTransfers<T> transfers(block, ResidentTreeShape<T>{systems});
    const int worker = int(threadIdx.x) / systems, s = int(threadIdx.x) % systems;
    const bool is_first_warp = threadIdx.x < 32;
    transfers.begin();
    if (is_first_warp && own.range.first < own.range.end)
        transfers.expect(transfers.fetch(own.range.first, 0, HinesCall<T>::arrays));
    block.begin();
    const DeviceSubtrees tables = block.tables();
    bool is_odd = false;
    for (int64_t k = own.range.first; k < own.range.end; is_odd = !is_odd) {
        int *const reports = block.reports(is_odd);
        transfers.wait(is_odd);
        const auto columns = transfers.columns(s);
        ResidentStore<T> store(columns, tree.n, p.is_conjugated);
        CondensedWorker<ResidentStore<T>> solver(tree.resident, tables, block.steps(), worker, store);
        const UpperLevels<TreeRows<T, unsigned>> upper(tree.resident, tables, systems,
                                                       {columns.u_, columns.l_, columns.d_, columns.b_, columns.step});
        block.solve(
            solver, upper, reports, s, s, [](int row) { return row; }, [] {});
        async_fence();
        __syncthreads();
        block.put_reports(reports, [&](int column) { return k + column; });
        const int64_t next = k + own.range.stride;
        if (is_first_warp) {
            constexpr int arrays = HinesCall<T>::arrays, b_array = HinesCall<T>::b_array;
            unsigned bytes = next < own.range.end ? transfers.fetch(next, 0, b_array) : 0;
            transfers.put(k);
            if (next < own.range.end) bytes += transfers.fetch(next, b_array, arrays), transfers.expect(bytes);
        }
        k = next;
    }
}

}  // namespace xbatch::hines
