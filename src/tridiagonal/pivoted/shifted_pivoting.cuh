// shifted_pivoting.cuh: shifted systems that are left open, solved with pivoting.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interface_kernels.cuh"
#include "shifted_image.cuh"

namespace xbatch::tridiagonal {

// Blocks on a multiprocessor: they need more registers than those of interface_block.
template <class T>
constexpr int shifted_resident = sizeof(T) == 16  ? 2
                                 : sizeof(T) == 8 ? 4
                                                  : 5;

// The work of a block whose tile has right-hand sides alone, until pivot rows replace the rows: coefficients are those
// of the image, shifted.
template <class T, bool FLAT>
struct ShiftedBlock : InterfaceBlock<T, FLAT, InterfaceJob::BLOCK, false> {
    using Base = InterfaceBlock<T, FLAT, InterfaceJob::BLOCK, false>;
    using Image = ShiftedImage<T>;
    const T *column;
    T sigma;
    bool has_w, is_pinned, is_open, all_open;  // the thread has row n-1, which is pinned; its system, all of the block

    __device__ ShiftedBlock(const InterfacePlace<T> &place, T *shared, const ShiftsOf<T> &shifts,
                            const ShiftedMemory<T> &memory)
        : Base(place, shared), has_w(shifts.has_w) {
        const int64_t j = this->j0 + this->sub;
        sigma = this->exists() ? shifts.of(j) : T(0);
        is_pinned = this->own > 0 && this->begin + this->own == this->part_rows && shifts.pins(sigma);
        column = memory.pivoting.first + (is_pinned ? memory.pivoting.chunks : this->k);
        is_open = this->exists() && memory.open[j + this->r * this->p.batch] != 0;
        all_open = __syncthreads_and(is_open || !this->exists()) != 0;
    }
    __device__ T d(int i) const {
        return fma_(sigma, has_w ? column[Image::at(i, Image::w)] : T(1), column[Image::at(i, Image::d)]);
    }
    // Rows 2v and 2v+1 of the thread. If there is no second one, what is returned is not used.
    __device__ Rows<T> rows_at(int v) const {
        const int i = 2 * v;
        const auto at = [&](int plane) {
            return Pair<T>{column[Image::at(i, plane)], column[Image::at(i + 1, plane)]};
        };
        return {at(Image::dl), {d(i), d(i + 1)}, at(Image::du), this->read(this->pair(v) + 3 * this->array())};
    }
};

template <class T, bool FLAT>
__device__ inline void begin_load(const ShiftedBlock<T, FLAT> &w) {
    const T *const b = static_cast<const T *>(w.p.b);
    const unsigned tile = shared_address(w.tile);
    w.each([&](auto count, bool exists, int place, int64_t, int64_t b_offset) {
        w.template copy<decltype(count)::value, 3>(exists, tile + place * unsigned(sizeof(T)), b + b_offset);
    });
}
template <class T, bool FLAT>
__device__ inline void finish_load(const ShiftedBlock<T, FLAT> &w) {
    wait_for_copies();
    w.sync();
    if (w.is_pinned) *w.row_of(w.pair((w.own - 1) / 2) + 3 * w.array(), w.own % 2 == 0) = T(0);
}
// Where not all systems are open, each thread stores its own rows.
template <class T, bool FLAT>
__device__ inline void store_solution(const ShiftedBlock<T, FLAT> &w) {
    if (w.all_open) {
        store_solution<typename ShiftedBlock<T, FLAT>::Base>(w);
        return;
    }
    if (!w.is_open) return;
    for (int i = 0; i < w.own; ++i)
        static_cast<T *>(w.p.b)[w.p.b_at.offset(w.begin + i, w.j0 + w.sub, w.r)] =
            *w.row_of(w.pair(i / 2) + 3 * w.array(), i % 2 == 1);
}

// A unit is a group of systems and a right-hand side. `p.info` is that of the unit's right-hand side in the workspace:
// systems of a unit that are not open are solved again, for no result.
template <class T, bool FLAT>
__device__ inline void solve_unit(GtsvProblem p, const InterfacePlan &plan, const ShiftsOf<T> &shifts,
                                  const ShiftedMemory<T> &memory, int64_t unit, T *tile) {
    int32_t *const info = p.info;
    const InterfaceSegments<T> none = {1, nullptr, nullptr};
    InterfacePlace<T> place{p, plan, none};
    const int64_t group = p.nrhs == 1 ? unit : unit / p.nrhs;
    const int t = threadIdx.x;
    place.lane = t % 32, place.warp = t / 32;
    place.sub = t >> plan.lanes_log, place.k = t & plan.lanes() - 1;
    place.rank = 0, place.index = 0, place.part0 = 0, place.part_rows = int(plan.n);
    place.j0 = group << plan.systems_log, place.r = unit - group * p.nrhs;
    const int64_t j = place.j0 + t;
    const bool reports = t < plan.systems() && j < p.batch;
    int32_t *const found = memory.found + place.r * p.batch;
    p.info = found;
    if (reports) found[j] = 0;
    const ShiftedBlock<T, FLAT> w(place, tile, shifts, memory);
    work(w, tile + 4 * plan.tile_rows());
    __syncthreads();
    if (!reports || !info || !memory.open[j + place.r * p.batch]) return;
    const int32_t row = *const_cast<volatile const int32_t *>(found + j);
    if (shifts.sides == 1 && p.nrhs == 1)
        info[j] = row;
    else if (row > 0)
        report(info + divided(j, shifts.sides), row - 1);
}

// Blocks look for units with open systems, of which there may be none.
template <class T, bool FLAT>
__global__ void __launch_bounds__(InterfacePlan::threads, shifted_resident<T>)
    shifted_pivoting(GtsvProblem p, InterfacePlan plan, ShiftsOf<T> shifts, ShiftedMemory<T> memory, int64_t units) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    __shared__ unsigned open[InterfacePlan::warps];
    const int t = threadIdx.x, warp = t / 32;
    const int64_t step = gridDim.x;
    wait_for_prerequisites();
    for (int64_t first = blockIdx.x; first < units; first += step * InterfacePlan::threads) {
        const int64_t unit = first + t * step;
        const unsigned mine = __ballot_sync(~0u, unit < units && memory.open_units[unit] != 0);
        __syncthreads();
        if (t % 32 == 0) open[warp] = mine;
        __syncthreads();
#pragma unroll 1
        for (int q = 0; q < InterfacePlan::threads; ++q)
            if (open[q / 32] >> q % 32 & 1) {
                solve_unit<T, FLAT>(p, plan, shifts, memory, first + q * step, reinterpret_cast<T *>(shared_bytes));
                __syncthreads();
            }
    }
}

}  // namespace xbatch::tridiagonal
