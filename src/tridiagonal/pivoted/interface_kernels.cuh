// interface_kernels.cuh: systems, or segments, that fit a block or a thread-block cluster: loaded once, eliminated with
// pivoting on chip, stored once.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "core/cluster.cuh"
#include "core/dependent_launch.cuh"
#include "dominant_rows.cuh"
#include "interface_block.cuh"
#include "interface_lanes.cuh"
#include "tridiagonal/nopivot/row_info.cuh"

namespace xbatch::tridiagonal {

// Coefficients that lead beyond an open system's ends become 0 (finish_load).
template <class W>
__device__ inline void begin_load(const W &w) {
    using T = typename W::T;
    const GtsvProblem &p = w.p;
    const T *const dl = static_cast<const T *>(p.dl), *const d = static_cast<const T *>(p.d);
    const T *const du = static_cast<const T *>(p.du), *const b = static_cast<const T *>(p.b);
    const unsigned tile = shared_address(w.tile);
    w.each([&](auto count, bool exists, int place, int64_t a_offset, int64_t b_offset) {
        constexpr int n = decltype(count)::value;
        const unsigned to = tile + place * unsigned(sizeof(T));
        w.template copy<n, 0>(exists, to, dl + a_offset);
        w.template copy<n, 1>(exists, to, d + a_offset);
        w.template copy<n, 2>(exists, to, du + a_offset);
        w.template copy<n, 3>(exists, to, b + b_offset);
    });
    if constexpr (W::reads_ahead) w.read_ahead();
}
template <class W>
__device__ inline void finish_load(const W &w) {
    using T = typename W::T;
    wait_for_copies();
    w.sync();
    if constexpr (W::is_even)
        for (int v = w.own / 2; 2 * v < w.rows(); ++v)
            w.write_rows(w.pair(v), {{T(0), T(0)}, {T(1), T(1)}, {T(0), T(0)}, {T(0), T(0)}});
    if (w.plan.is_periodic || w.own == 0) return;
    if (w.part0 + w.begin == 0) *w.pair(0) = T(0);
    if (w.part0 + w.begin + w.own == w.p.n) *w.row_of(w.pair((w.own - 1) / 2) + w.array_at(2), w.own % 2 == 0) = T(0);
}

// Eliminates the thread's rows to their interface equations. The pivot row of x_{i-1} replaces row i-2; `bits` has
// from_behind of each. Returns the first row with a bad pivot, or no_row.
template <class W, class T, class G, class Bits>
__device__ inline int eliminate(const W &w, InterfaceEquations<T, G> &run, Bits &bits) {
    constexpr bool stores_pivots = W::job != InterfaceJob::CONDENSE;  // for the substitution
    bits = 0;
    const int count = w.rows();
    if (count == 0) {  // x_last is x_before, x_first is x_behind
        run = {{T(1), T(0), T(-1), T(0), G(T(0))}, {T(0), T(1), T(0), T(-1), G(T(0))}};
        return no_row;
    }
    const int whole = count / 2;  // pairs
    T *before = w.pair(0);
    Rows<T, G> rows = w.rows_at(0);
    equilibrate(rows, w.is_conjugated());
    if (count == 1)  // x_first is x_last
        run = {{rows.a.x, rows.b.x, T(0), rows.c.x, rows.d.x}, {T(0), T(1), T(-1), T(0), G(T(0))}};
    else
        run = two_rows(rows.a.x, rows.b.x, rows.c.x, rows.d.x, rows.a.y, rows.b.y, rows.c.y, rows.d.y);
    const LeftSizes left = left_sizes(run);
    int bad = no_row;
#pragma unroll 1
    for (int v = 1; v < whole; ++v) {
        T *const place = w.pair(v);
        rows = w.rows_at(v);
        equilibrate(rows, w.is_conjugated());
        const Pivot<T, G> one = absorb(run, left, rows.a.x, rows.b.x, rows.c.x, rows.d.x);
        const Pivot<T, G> two = absorb(run, left, rows.a.y, rows.b.y, rows.c.y, rows.d.y);
        if (stores_pivots) w.write_rows(before, {{one.s, two.s}, {one.l1, two.l1}, {one.q, two.q}, {one.g, two.g}});
        before = place;
        bits |= (Bits(one.from_behind) | Bits(two.from_behind) << 1) << 2 * (v - 1);
        if (!one.is_fine || !two.is_fine) bad = min(bad, one.is_fine ? 2 * v : 2 * v - 1);
    }
    if (count % 2 == 1 && whole > 0) {
        rows = w.rows_at(whole);
        equilibrate(rows.a.x, rows.b.x, rows.c.x, rows.d.x, w.is_conjugated());
        const Pivot<T, G> one = absorb(run, left, rows.a.x, rows.b.x, rows.c.x, rows.d.x);
        if (stores_pivots) w.write_rows(before, {{one.s, T(0)}, {one.l1, T(0)}, {one.q, T(0)}, {one.g, G(T(0))}});
        bits |= Bits(one.from_behind) << 2 * (whole - 1);
        if (!one.is_fine) bad = min(bad, 2 * whole - 1);
    }
    return bad;
}

// Stores unknowns in place of the right-hand sides of a pair of rows, or of its first row.
template <class W, class T>
__device__ inline void put_unknowns(const W &w, T *place, const Pair<T> &x) {
    w.write(place + w.array_at(3), x);
}
template <class W, class T>
__device__ inline void put_unknown(const W &w, T *place, const T &x) {
    place[w.array_at(3)] = x;
}
template <class W, class T, int K>
__device__ inline void put_unknowns(const W &w, T *place, const Pair<SideValues<T, K>> &x) {
    w.sides.each([&](int k, int distance) { w.write(place + distance, {x.x.of[k], x.y.of[k]}); });
}
template <class W, class T, int K>
__device__ inline void put_unknown(const W &w, T *place, const SideValues<T, K> &x) {
    w.sides.each([&](int k, int distance) { place[distance] = x.of[k]; });
}

// Computes all unknowns of the thread's rows from those at its ends, and stores them in place of d. Returns whether
// they are finite, as finite_sides() does: each is computed from a product with the next one, which is not finite if
// that is not, so it suffices to check the last one computed and that of the first row, which was known. unknown(rows,
// second, bit, x_{i+1}, x_{i+2}) is x_i; its pivot row is the first or second one of `rows`, its from_behind a bit of
// `bits`.
template <class W, class G, class Unknown>
__device__ inline unsigned substitute_by(const W &w, const Known<G> &known, Unknown unknown) {
    const int count = w.rows();
    if (count == 0) return ~0u;
    G behind = known.right0, further = known.right1;  // x_{i+1}, x_{i+2}, x_i being next
    int v = (count - 1) / 2;
    auto *place = w.pair(v);
    if (count == 1) {
        put_unknown(w, place, behind);
        return finite_sides(behind);
    }
    if (count % 2 == 1) {
        put_unknown(w, place, behind);
        place = w.pair(--v);
        const G x = unknown(w.read_rows(place), false, 2 * v, behind, further);
        further = behind, behind = x;
    }
#pragma unroll 1
    for (; v > 0; --v) {
        auto *const before = w.pair(v - 1);
        const auto pivots = w.read_rows(before);
        const G y = behind;
        const G x = unknown(pivots, true, 2 * v - 1, y, further);
        put_unknowns(w, place, Pair<G>{x, y});
        behind = unknown(pivots, false, 2 * v - 2, x, y), further = x;
        place = before;
    }
    put_unknowns(w, place, Pair<G>{known.left1, behind});
    return finite_sides(known.left1) & finite_sides(behind);
}
template <class W, class G, class Bits>
__device__ inline unsigned substitute(const W &w, const Known<G> &known, Bits bits) {
    using T = typename W::T;
    return substitute_by(
        w, known, [&](const Rows<T, G> &rows, bool second, int bit, const G &behind, const G &further) {
            const T s = second ? rows.a.y : rows.a.x, l1 = second ? rows.b.y : rows.b.x;
            const T q = second ? rows.c.y : rows.c.x;
            const G g = second ? rows.d.y : rows.d.x, other = pick(bits >> bit & 1, further, known.left0);
            return fnma(q, behind, fnma(s, other, fnma(l1, known.left1, g)));
        });
}
template <class W, class G>
__device__ inline unsigned substitute_dominant(const W &w, const Known<G> &known) {
    using T = typename W::T;
    return substitute_by(w, known, [&](const Rows<T, G> &rows, bool second, int, const G &behind, const G &) {
        const T s = second ? rows.a.y : rows.a.x, q = second ? rows.c.y : rows.c.x;
        const G g = second ? rows.d.y : rows.d.x;
        return fnma(q, behind, fnma(s, known.left0, g));
    });
}

// By the lane at the root of a system's tree: solves or stores the interface equations of all rows of the block, by
// job. Returns false where a pivot is bad.
template <class W, class T>
__device__ inline bool at_root(const W &w, const InterfaceEquations<T> &run, int system, Known<T> &known) {
    constexpr InterfaceJob JOB = W::job;
    if constexpr (JOB == InterfaceJob::BLOCK || JOB == InterfaceJob::CLUSTER) {
        return close(run, w.plan.is_periodic, known);
    } else {
        if (w.j0 + system >= w.p.batch || system >= w.plan.systems()) return true;
        T *const there = w.equations(system);
        if (JOB == InterfaceJob::CONDENSE) {
            put<1>(there, 0, run);
            return true;
        }
        known = get_known<1>(there, 0);
        return w.segments.is_unresolved(w.j0 + system) || close_between(run, known);
    }
}

// The last levels of the tree, by one warp of the block, one lane per column of four threads. `table` has the columns'
// equations, `known` becomes their ends. Between, the blocks of a cluster exchange the equations of their parts. A bad
// pivot here is reported for the last row.
template <class W, class T>
__device__ inline void finish_tree(const W &w, T *table, Known<T> &known) {
    constexpr InterfaceJob JOB = W::job;
    const InterfacePlan &plan = w.plan;
    const int lane = w.lane, levels = plan.lanes_log - InterfacePlan::shuffled_levels;
    const auto check = [&](bool is_fine, int system) {
        if (is_fine || system >= plan.systems() || w.j0 + system >= w.p.batch) return;
        if constexpr (JOB == InterfaceJob::CONDENSE)
            w.report_of_leaf(system, w.part_rows - 1);
        else if (w.p.info)
            report(info_of_plane(w.p) + w.j0 + system, w.p.n - 1);
    };
    InterfaceEquations<T> run = get_run(table, lane);
    unsigned bits, part_bits;
    const bool is_fine_here = compose_columns(run, table, levels, bits);
    if (JOB == InterfaceJob::CLUSTER) cluster_wait();  // all blocks have begun, and info is 0
    check(is_fine_here, lane >> levels);
    if (JOB != InterfaceJob::CLUSTER) {
        if ((lane & (1 << levels) - 1) == 0) check(at_root(w, run, lane >> levels, known), lane >> levels);
        known = from_lane(known, lane >> levels << levels);
    } else {
        constexpr int columns = InterfacePlan::columns;
        T *const parts = table + 10 * columns, *const received = parts + 10 * columns;
        const bool everyone = plan.everyone_solves();
        const int system = lane >> levels, parts_log = plan.parts_log;
        const bool sends = (lane & (1 << levels) - 1) == 0 && system < plan.systems();
        if (sends) {
            const int share = everyone ? system : system >> parts_log;
            for (int q = everyone ? 0 : system & plan.parts - 1; q < plan.parts; ++q) {
                put(of_block(parts, q), (share << parts_log) + w.rank, run);
                if (!everyone) break;
            }
        }
        __syncwarp();
        cluster_arrive();
        cluster_wait();
        run = get_run(parts, lane);
        const int share = lane >> parts_log, theirs = everyone ? share : (share << parts_log) + w.rank;
        bool is_fine = compose_columns(run, parts, parts_log, part_bits);
        is_fine = ((lane & plan.parts - 1) != 0 || at_root(w, run, theirs, known)) && is_fine;
        check(is_fine, theirs);
        known = from_lane(known, share << parts_log);
        narrow_columns(known, parts, parts_log, part_bits);
        if (everyone) {
            known = from_lane(known, (system << parts_log) + w.rank & 31);
        } else {
            if (theirs < plan.systems()) put(of_block(received, lane & plan.parts - 1), theirs, known);
            __syncwarp();
            cluster_arrive();
            cluster_wait();
            known = get_known(received, system & columns - 1);
        }
    }
    if (JOB != InterfaceJob::CONDENSE) narrow_columns(known, table, levels, bits);
}

// A middle is stored in two rows that are no longer needed, and one value in the strip.
template <class W, class T, class G>
__device__ inline void put_middle(const W &w, T *rows, T *strip, const Middle<T, G> &m) {
    w.write_rows(rows, {{m.e0, m.e1}, {m.q, m.f0}, {m.f1, m.k0}, {m.g, m.h}});
    *strip = m.k1;
}
template <class T, class G>
__device__ inline Middle<T, G> middle_of(const Rows<T, G> &m, T k1, bool from_right) {
    return {m.a.x, m.a.y, m.b.x, m.b.y, m.c.x, m.c.y, k1, m.d.x, m.d.y, from_right, true};
}

// The first levels of the tree, by shuffles; `run` of the first lane of a column becomes that of the column. Middles
// are stored in rows of the right half's first lane that are no longer needed, and in the strip; `right_lanes` has
// their bits from_right. Returns whether the pivots of this lane's joins are good.
template <class W, class T>
__device__ inline bool ascend(const W &w, InterfaceEquations<T> &run, T *strip,
                              unsigned (&right_lanes)[InterfacePlan::shuffled_levels]) {
    const int lane = w.lane;
    bool is_fine = true;
    __syncwarp();
#pragma unroll
    for (int l = 0; l < InterfacePlan::shuffled_levels; ++l) {
        if (l >= w.depth()) break;
        const int s = 1 << l, next = lane + s & 31;
        const InterfaceEquations<T> right = from_lane(run, next);
        const Middle<T> m = compose(run, right);
        right_lanes[l] = __ballot_sync(0xffffffffu, m.from_right);
        if (lane % (2 * s) == 0 && w.exists()) {
            if (W::job != InterfaceJob::CONDENSE) put_middle(w, w.spare_of(next), strip + threadIdx.x + s, m);
            is_fine = is_fine && m.is_fine;
        }
    }
    return is_fine;
}

// The way down: from the known unknowns at a column's ends to those at each thread's ends.
template <class W, class T>
__device__ inline void descend(const W &w, Known<T> &known, const T *strip,
                               const unsigned (&right_lanes)[InterfacePlan::shuffled_levels]) {
    const int lane = w.lane;
#pragma unroll
    for (int l = InterfacePlan::shuffled_levels - 1; l >= 0; --l) {
        if (l >= w.depth()) continue;
        const int s = 1 << l, first = lane & ~(2 * s - 1);
        const bool from_right = right_lanes[l] >> first & 1;
        narrow(known, middle_of(w.read_rows(w.spare_of(first + s)), strip[w.warp * 32 + first + s], from_right),
               lane & s);
    }
    __syncwarp();
}

// The further levels of the tree, by one warp of the block, one lane per column of four threads
template <class W, class T>
__device__ __forceinline__ void finish_block(const W &w, const InterfaceEquations<T> &run, T *table, Known<T> &known) {
    constexpr bool in_cluster = W::job == InterfaceJob::CLUSTER, condenses = W::job == InterfaceJob::CONDENSE;
    const int lane = w.lane;
    const int leader = int(blockIdx.x * 0x9E3779B9u >> 30);  // spread over the quarters of a multiprocessor
    if (lane % 4 == 0) put(table, int(threadIdx.x) / 4, run);
    __syncthreads();
    if (w.warp == leader) {
        finish_tree(w, table, known);
        if (!condenses) put(table, lane, known);
    } else if (in_cluster) {
        cluster_wait();
        cluster_arrive();
        if (!w.plan.everyone_solves()) {
            cluster_wait();
            cluster_arrive();
        }
        cluster_wait();
    }
    __syncthreads();
    if (!condenses) known = get_known(table, int(threadIdx.x) / 4);
}

// Stores the unknowns from shared memory to b.
template <class W>
__device__ __forceinline__ void store_solution(const W &w) {
    using T = typename W::T;
    T *const x = static_cast<T *>(w.p.b);
    const T *const solution = w.tile + w.array_at(3);
    w.each([&](auto count, bool exists, int place, int64_t, int64_t b_offset) {
        if (!exists) return;
        store_bytes<decltype(count)::value *int(sizeof(T))>(x + b_offset, solution + place);
    });
}

// Each thread eliminates its rows to interface equations. The threads of a system compose them in a tree, two levels by
// shuffles, the others by finish_block; then each thread knows the unknowns at its ends and substitutes.
template <class W, class T>
__device__ inline void work(const W &w, T *strip) {
    constexpr InterfaceJob JOB = W::job;
    constexpr bool in_cluster = JOB == InterfaceJob::CLUSTER, condenses = JOB == InterfaceJob::CONDENSE;
    const InterfacePlan &plan = w.plan;
    T *const table = strip + InterfacePlan::threads;
    const int lane = w.lane;
    int32_t *const info = w.p.info && w.exists() ? info_of_plane(w.p) + w.j0 + w.sub : nullptr;
    const bool clears = JOB != InterfaceJob::SOLVE && info && w.p.nrhs == 1 && w.k == 0 && w.rank == 0 && w.index == 0;
    if (condenses) {
        trigger_dependents();
        wait_for_prerequisites();
        if (!w.segments.is_unresolved(w.j0)) {
            if (clears) *info = 0;
            return;
        }
    }
    begin_load(w);
    if (clears) *info = 0;
    if (in_cluster) cluster_arrive();
    finish_load(w);

    InterfaceEquations<T> run;
    unsigned bits, right_lanes[InterfacePlan::shuffled_levels];
    const bool dominant = is_dominant(w);
    int bad = dominant ? eliminate_dominant(w, run) : eliminate(w, run, bits);
    if (!ascend(w, run, strip, right_lanes)) bad = min(bad, w.rows() - 1);

    if constexpr (condenses)
        if (bad != no_row) w.report_of_leaf(w.sub, w.begin + bad);
    if constexpr (JOB == InterfaceJob::SOLVE)
        if (wait_for_prerequisites(), w.is_stopped()) return;
    Known<T> known;
    if (!in_cluster && plan.lanes_log <= InterfacePlan::shuffled_levels) {
        if (w.k == 0 && !at_root(w, run, w.sub, known)) bad = min(bad, w.part_rows - 1 - w.begin);
        known = from_lane(known, lane >> plan.lanes_log << plan.lanes_log);
        __syncwarp();
    } else {
        finish_block(w, run, table, known);
    }
    if constexpr (!condenses) {
        descend(w, known, strip, right_lanes);
        const bool solved = dominant ? substitute_dominant(w, known) : substitute(w, known, bits);
        w.sync();
        store_solution(w);
        if (info && bad != no_row)
            report(info, min(w.part0 + w.begin + bad, w.p.n - 1));
        else if (info && !solved)
            report(info, w.p.n);
    }
}

template <class T, bool FLAT, InterfaceJob JOB>
__global__ void __launch_bounds__(InterfacePlan::threads, InterfaceTile<T>::resident)
    interface_block(GtsvProblem p, InterfacePlan plan, InterfaceSegments<T> segments) {
    if constexpr (JOB == InterfaceJob::CLUSTER && !architecture_has_clusters) return;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const tile = reinterpret_cast<T *>(shared_bytes), *const strip = tile + 4 * plan.tile_rows();
    const InterfacePlace<T> place = interface_place<T, JOB>(p, plan, segments);
    if (place.can_be_even(FLAT))
        work(InterfaceBlock<T, FLAT, JOB, true>(place, tile), strip);
    else
        work(InterfaceBlock<T, FLAT, JOB, false>(place, tile), strip);
}

}  // namespace xbatch::tridiagonal
