// flat_block.cuh: the work of a block of the pivoting solver on systems with contiguous rows.
//
// Shared memory has the rows in the order of memory, at the same distance from 16-byte lines, so that whole lines are
// copied by bulk copies whatever n, the leading dimension and the first element. Warps do not wait for each other
// unless they share a system.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flat_plan.hpp"
#include "lanes_work.cuh"
#include "whole_lines.cuh"

namespace xbatch::tridiagonal {

// K: most right-hand sides of a thread
template <class ELEMENT, InterfaceJob JOB, int K>
struct FlatBlock : RowsInTile<FlatBlock<ELEMENT, JOB, K>, ELEMENT, SidesOf<ELEMENT, K>> {
    using T = ELEMENT;
    using G = SidesOf<T, K>;
    static constexpr InterfaceJob job = JOB;
    static constexpr bool is_even = false, may_be_definite = true;
    static constexpr int line = FlatTile<T>::line;
    static constexpr bool is_real = sizeof(T) == sizeof(Real<T>);

    const GtsvProblem &p;
    const FlatPlan &plan;
    int lane, warp, rank;  // block within the cluster
    int sub, k;            // system within the block, thread within the system or part; a spare lane has k = lanes
    int number, count;     // of the lanes of the warp that share a system: the thread's, and how many
    int64_t j0, r, part0;  // first system, first right-hand side, first row of the part
    int part_rows;
    int begin, own;   // the thread's rows: the first, counted from the part's, and their number
    T *tile, *first;  // the block's; row 0 of the thread's system in the first array
    int aside[4];     // of each array: elements from a 16-byte line to row 0 of the first system
    int at[3];        // distance from row 0 of the thread's system in the first array to that in each of the others
    SidesInTile<T, K> sides;
    uint64_t *barrier;

    __device__ FlatBlock(const GtsvProblem &problem, const FlatPlan &division, T *shared, uint64_t *barriers,
                         unsigned block)
        : p(problem), plan(division), tile(shared) {
        unsigned unit = block;
        rank = 0;
        if (JOB == InterfaceJob::CLUSTER) unit = block >> plan.parts_log, rank = int(block) & plan.parts - 1;
        const unsigned group = plan.side_groups == 1 ? unit : unit / unsigned(plan.side_groups);
        lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        j0 = int64_t(group) * plan.systems();
        r = (unit - group * unsigned(plan.side_groups)) * (K > 1 ? plan.sides : 1);
        part0 = int64_t(rank) * plan.part_rows, part_rows = int(min(plan.n - part0, int64_t(plan.part_rows)));
        sub = 0, k = threadIdx.x;
        if (plan.per_warp > 0) {
            const int here = plan.by_lanes.quotient(lane);
            k = lane - here * plan.lanes, sub = warp * plan.per_warp + here;
            if (here == plan.per_warp) k = plan.lanes, sub = 0;
        }
        sides.count = sides_of(sub);
        number = plan.per_warp > 0 ? k : lane;
        count = plan.per_warp == 0 ? min(32, used_lanes() - 32 * warp) : exists() ? plan.lanes : 0;
        begin = k * plan.rows, own = exists() ? max(0, min(part_rows - begin, plan.rows)) : 0;
        aside[0] = aside_of(p.dl, a_offset()), aside[1] = aside_of(p.d, a_offset());
        aside[2] = aside_of(p.du, a_offset()), aside[3] = aside_of(p.b, b_offset());
        first = tile + sub * plan.a_stride + aside[0];
        for (int q = 0; q < 3; ++q) at[q] = q * plan.array + aside[q] - aside[0];
        for (int k = 0; k < K; ++k)
            sides.at[k] = (3 + k) * plan.array + aside_of_side(k) - aside[0] + sub * (plan.b_stride - plan.a_stride);
        for (int k = 1; k < K; ++k)
            if (k >= sides.count) sides.at[k] = sides.at[0];
        barrier = barriers + warp;
    }
    // Threads of the block's part that have rows; the last part of a cluster may have fewer.
    __device__ int used_lanes() const {
        return JOB == InterfaceJob::CLUSTER ? (part_rows + plan.rows - 1) / plan.rows : plan.lanes;
    }
    __device__ int sides_at_once() const { return K > 1 ? plan.sides : 1; }
    // Right-hand sides of a system of the block. Those of a shared matrix need not fill the last system.
    __device__ int sides_of(int system) const {
        if (K == 1) return 1;
        return int(min(min(int64_t(plan.sides), p.nrhs - r), plan.all_sides - (j0 + system) * p.nrhs - r));
    }
    // The number of infos to which the right-hand sides of the thread's system belong, and that of number k
    __device__ int infos() const { return K > 1 && plan.of_info > 0 ? sides.count : 1; }
    __device__ int32_t *info_at(int k) const {
        const int64_t j = j0 + sub;
        return K > 1 && plan.of_info > 0 ? p.info + divided(j * p.nrhs + r + k, plan.of_info) : info_of_plane(p) + j;
    }
    __device__ int rows() const { return own; }
    __device__ bool exists() const { return k < plan.lanes && j0 + sub < p.batch; }
    __device__ bool is_conjugated() const { return p.is_conjugated; }

    // Offsets of row 0 of the block's first system, and from one system to the next
    __device__ int64_t a_offset() const { return origin_of_plane(p.a_at) + j0 * p.a_at.ld + part0; }
    __device__ int64_t b_offset() const { return origin_of_plane(p.b_at) + (j0 * p.b_at.nrhs + r) * p.b_at.ld + part0; }
    __device__ int64_t a_step() const { return p.a_at.ld; }
    __device__ int64_t b_step() const { return p.b_at.nrhs * p.b_at.ld; }
    __device__ static int aside_of(const void *array, int64_t offset) {
        return int(reinterpret_cast<uintptr_t>(array) / sizeof(T) + uintptr_t(offset)) & line - 1;
    }

    __device__ int aside_of_side(int k) const {
        return K == 1 ? aside[3] : int(unsigned(aside[3]) + unsigned(k) * unsigned(p.b_at.ld)) & line - 1;
    }

    // Distance from the first array of the tile to array q
    __device__ int array_at(int q) const { return q < 3 ? at[q] : sides.at[0]; }
    __device__ T *pair(int v) const { return first + begin + 2 * v; }
    // Two rows of the thread in lane `owner` of the warp, of the same system, which are free after elimination
    __device__ T *spare_of(int owner) const {
        return first + min(begin + (owner - lane + 1) * plan.rows, plan.is_run ? part_rows : INT_MAX) - 2;
    }
    __device__ Pair<T> read(const T *row) const { return {row[0], row[1]}; }
    __device__ void write(T *row, const Pair<T> &pair) const { row[0] = pair.x, row[1] = pair.y; }
    __device__ T *row_of(T *pair, bool second) const { return pair + second; }
    __device__ Pair<G> read_side(const T *row) const { return sides.read(row, 1); }
    __device__ void write_side(T *row, const Pair<G> &pair) const { sides.write(row, 1, pair); }

    // Rows that the warp copies: begin … end-1 of `systems` systems from `sub` on. Where adjacent systems are one run,
    // that is one system whose rows are the others' too, and what is between them.
    struct Share {
        int sub, systems, begin, end;
    };
    __device__ Share share(bool as_run, int stride) const {
        if (plan.per_warp == 0) {
            const int from = warp * 32 * plan.rows;
            return {0, 1, from, min(part_rows, from + 32 * plan.rows)};
        }
        const int s = warp * plan.per_warp;
        const int there = int(max(int64_t(0), min(int64_t(plan.per_warp), p.batch - j0 - s)));
        if (as_run) return {s, 1, 0, there > 0 ? (there - 1) * stride + part_rows : 0};
        return {s, there, 0, part_rows};
    }
    // act(place in shared memory, element, elements from a line, rows) for a system of the share in array q, which is
    // right-hand side q-3 if q > 2
    template <class Act>
    __device__ void each_run(const Share &s, int q, int number, Act act) const {
        const bool is_b = q > 2;
        const int side = K > 1 ? q - 3 : 0, system = s.sub + number;
        if (K > 1 && is_b && side >= sides_of(system)) return;
        const int rows = s.end - s.begin;
        const int from_line = q == 0 ? aside[0] : q == 1 ? aside[1] : q == 2 ? aside[2] : aside_of_side(side);
        const int row0 = from_line + system * (is_b ? plan.b_stride : plan.a_stride) + s.begin;
        const void *const array = q == 0 ? p.dl : q == 1 ? p.d : q == 2 ? p.du : p.b;
        T *const element = const_cast<T *>(static_cast<const T *>(array)) +
                           (is_b ? b_offset() + side * p.b_at.ld : a_offset()) + system * (is_b ? b_step() : a_step()) +
                           s.begin;
        act(tile + q * plan.array + row0, element, row0, rows);
    }
    // Of a positive definite matrix, dl is that of du, one row further, and not loaded; nor, if it is complex, are
    // whole lines of d, which is real.
    __device__ void load_real_diagonal() const {
        const Share s = share(plan.is_run, plan.a_stride);
        for (int number = 0; number < s.systems; ++number) {
            const int system = s.sub + number;
            T *const place = tile + plan.array + aside[1] + system * plan.a_stride;
            const Real<T> *const d = static_cast<const Real<T> *>(p.d) + a_offset() + system * a_step();
            for (int i = s.begin + lane; i < s.end; i += 32)
                copy_async<Real<T>, 1, 0>(true, shared_address(place + i), d + i);
        }
    }
    __device__ void load() const {
        const TransferBarrier arrival{barrier};
        if (lane == 0) arrival.begin();
        __syncwarp();
        constexpr int arrays_log = K > 1 ? 3 : 2;  // of lanes, of which each copies one array of some systems
        unsigned bytes = 0;
        const int skipped = !p.is_definite ? 0 : is_real ? 1 : 2, arrays = 3 + sides_at_once();
        if (p.is_definite && !is_real) load_real_diagonal();
        const int q = lane & (1 << arrays_log) - 1;
        const Share s = share(plan.is_run, q > 2 ? plan.b_stride : plan.a_stride);
        for (int number = lane >> arrays_log; number < s.systems; number += 32 >> arrays_log) {
            if (q < skipped || q >= arrays) continue;
            each_run(s, q, number, [&](T *place, const T *element, int from_line, int rows) {
                bytes += fetch_lines<line>(place, element, from_line, rows, arrival);
            });
        }
        bytes = __reduce_add_sync(~0u, bytes);
        if (lane == 0) arrival.expect(bytes);
    }
    __device__ void sync() const {
        TransferBarrier{barrier}.wait(0);  // of load()
        __syncwarp();
    }
    __device__ void store() const {
        async_fence();
        __syncwarp();
        const Share s = share(plan.is_run && plan.b_stride == part_rows, plan.b_stride);
        const int side = lane & K - 1;  // K is a power of two
        for (int number = lane / K; number < s.systems && side < sides_at_once(); number += 32 / K)
            each_run(s, 3 + side, number, put_lines<line, T>);
        wait_for_puts();
    }
};

template <class T, InterfaceJob JOB, int K>
__device__ inline void begin_load(const FlatBlock<T, JOB, K> &w) {
    w.load();
}
template <class T, InterfaceJob JOB, int K>
__device__ inline void store_solution(const FlatBlock<T, JOB, K> &w) {
    w.store();
}

// By each warp of a block whose warps share a system: joins the runs of all of them.
template <class W, class T, class G>
__device__ inline bool join_warps(const W &w, const InterfaceEquations<T, G> &run, T *table, Known<G> &known) {
    constexpr int columns = FlatPlan::most_warps;
    constexpr bool in_cluster = W::job == InterfaceJob::CLUSTER;
    const int warps = (w.used_lanes() + 31) / 32, parts = w.plan.parts, lane = w.lane;
    const bool definite = is_definite(w);
    const int leader = int((blockIdx.x * 0x9E3779B9u >> 16) * unsigned(w.plan.warps) >> 16);  // any
    const auto keep_in = [&](T *in) { return [=](int right, const Middle<T, G> &m) { put<columns>(in, right, m); }; };
    const auto kept_in = [&](T *in) {
        return [=](int right, bool from_right) { return get_middle<columns, G>(in, right, from_right); };
    };
    bool is_fine = true;
    if (lane == 0) put<columns>(table, w.warp, run);
    __syncthreads();
    if (w.warp == leader) {
        unsigned bits, part_bits;
        InterfaceEquations<T, G> all = get_run<columns, G>(table, min(lane, warps - 1));
        __syncwarp();
        is_fine = join_lanes(all, definite, definite, lane, warps, warps, bits, keep_in(table));
        if (in_cluster) {
            T *const received = table + (8 + 2 * int(sizeof(G) / sizeof(T))) * columns;
            cluster_wait();  // all blocks have begun, and info is 0
            const InterfaceEquations<T, G> mine = from_lane(all, 0);
            if (lane < parts) put<columns>(of_block(received, lane), w.rank, mine);
            __syncwarp();
            cluster_arrive();
            cluster_wait();
            all = get_run<columns, G>(received, min(lane, parts - 1));
            __syncwarp();
            is_fine = join_lanes(all, definite, definite, lane, parts, parts, part_bits, keep_in(received)) && is_fine;
            if (lane == 0) is_fine = close(all, w.plan.is_periodic, known) && is_fine;
            known = from_lane(known, 0);
            __syncwarp();
            part_lanes(known, lane, parts, parts, part_bits, kept_in(received));
            known = from_lane(known, w.rank);
        } else {
            if (lane == 0) is_fine = close(all, w.plan.is_periodic, known) && is_fine;
            known = from_lane(known, 0);
        }
        __syncwarp();
        part_lanes(known, lane, warps, warps, bits, kept_in(table));
        __syncwarp();
        if (lane < warps) put<columns>(table, lane, known);
    } else if (in_cluster) {
        cluster_wait();
        cluster_arrive();
        cluster_wait();
    }
    __syncthreads();
    known = get_known<columns, G>(table, w.warp);
    return is_fine;
}

template <class T, InterfaceJob JOB, int K>
__global__ void __launch_bounds__(32 * FlatPlan::most_warps) __maxnreg__(FlatTile<T>::registers(K))
    flat_block(GtsvProblem p, FlatPlan plan) {
    constexpr bool in_cluster = JOB == InterfaceJob::CLUSTER;
    if constexpr (in_cluster && !architecture_has_clusters) return;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    __shared__ uint64_t barriers[FlatPlan::most_warps];
    T *const tile = reinterpret_cast<T *>(shared_bytes);
    T *const strip = tile + (K > 1 ? 3 + plan.sides : 4) * plan.array;
    T *const table = strip + plan.threads();
    const FlatBlock<T, JOB, K> w(p, plan, tile, barriers, blockIdx.x);
    begin_load(w);
    clear_info(w);
    if (in_cluster) cluster_arrive();
    const T sigma = shift_of(w);
    const T before = e_before(w);
    finish_load(w);
    add_shift(w, sigma);
    solve_in_lanes(w, strip, before, [&](const auto &run, auto &known) {
        return plan.per_warp > 0 ? close_in_lanes(w, run, known) : join_warps(w, run, table, known);
    });
}

}  // namespace xbatch::tridiagonal
