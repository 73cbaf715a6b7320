// twoport_kernels.cuh: systems that fit a block, or a cluster of blocks: read once, eliminated with pivoting on the
// chip, written once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "info.cuh"
#include "tridiagonal.hpp"
#include "twoport_columns.cuh"
#include "twoport_plan.hpp"

namespace xbatch {

// First of the rows of piece k, of n rows in 2^pieces_log pieces.
__device__ inline int piece_begin(int n, int k, int pieces_log) { return n * k >> pieces_log; }

// `count` elements, to `offset` bytes behind an address in shared memory; together where they are 16 bytes at most, and
// then not through the first-level cache, which would cost a quarter of the bandwidth.
template <class T, int count, int offset>
__device__ inline void copy_async(bool wanted, unsigned shared, const T *global) {
    constexpr int all = count * int(sizeof(T)), bytes = all < 16 ? all : 16;
    const char *const from = reinterpret_cast<const char *>(global);
#pragma unroll
    for (int k = 0; k < all; k += bytes)
        if constexpr (bytes == 16)
            asm volatile(
                "{\n .reg .pred p;\n setp.ne.b32 p, %4, 0;\n @p cp.async.cg.shared.global [%0 + %1], [%2], %3;\n}" ::
                    "r"(shared + k),
                "n"(offset), "l"(from + k), "n"(bytes), "r"(int(wanted))
                : "memory");
        else
            asm volatile(
                "{\n .reg .pred p;\n setp.ne.b32 p, %4, 0;\n @p cp.async.ca.shared.global [%0 + %1], [%2], %3;\n}" ::
                    "r"(shared + k),
                "n"(offset), "l"(from + k), "n"(bytes), "r"(int(wanted))
                : "memory");
}
__device__ inline void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Blocks of a cluster: barrier in two halves, and a store to a block's shared memory.
__device__ inline void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ inline void cluster_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}
template <class T>
__device__ inline T *of_block(T *shared, int rank) {
#if __CUDA_ARCH__ >= 900
    uint64_t there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(shared), "r"(rank));
    return reinterpret_cast<T *>(there);
#else
    return shared;
#endif
}

// Two neighbouring rows of an array.
template <class T>
struct alignas(2 * sizeof(T) < 16 ? 2 * sizeof(T) : 16) Pair {
    T x, y;
};
// Two rows a x_{i-1} + b x_i + c x_{i+1} = d, or two pivot rows in their place.
template <class T>
struct Rows {
    Pair<T> a, b, c, d;
};
template <int n>
using Count = std::integral_constant<int, n>;

// `bytes` of neighbours, met once.
template <int bytes>
__device__ inline void store_bytes(void *to, const void *from) {
    if constexpr (bytes == 4)
        __stcs(static_cast<float *>(to), *static_cast<const float *>(from));
    else if constexpr (bytes == 8)
        __stcs(static_cast<float2 *>(to), *static_cast<const float2 *>(from));
    else
#pragma unroll
        for (int k = 0; k < bytes / 16; ++k)
            __stcs(static_cast<float4 *>(to) + k, static_cast<const float4 *>(from)[k]);
}

// What a block does: solve whole systems; share systems with the cluster's other blocks; or, where systems are longer,
// find the relation of a tile of rows, and solve a tile whose ends are known.
enum class TwoPortJob { BLOCK, CLUSTER, CONDENSE, SOLVE };

// The tiles of long systems: relation m of system j and right-hand side r is number (j*nrhs + r)*tiles + m, of ten
// values; what is known of the tile's ends takes its place.
template <class T>
struct TwoPortTiles {
    static constexpr int values = 10;
    unsigned tiles;
    T *relations;
};

// What a block works on, and where.
template <class T, bool FLAT, TwoPortJob JOB>
struct TwoPortBlock {
    static constexpr int array = TwoPortTile<T, FLAT>::array;

    const GtsvProblem &p;
    const TwoPortPlan &plan;
    const TwoPortTiles<T> &tiles;
    int lane, warp, sub, k, rank;  // system within the block, thread within the system, block within the cluster
    unsigned index;                // of the tile
    int64_t j0, r, part0;          // first system, right-hand side, first row of the part
    int part_rows, begin, own;     // rows of the part; of the thread's own: first, counted from the part's, and number
    bool exists;                   // the thread's system
    T *tile;                       // FLAT: the warp's
    int first;  // FLAT: the thread's first pair of rows among its warp's; otherwise its place in the tile

    // Row 2v of the thread's in the first array of the tile; the others follow `array` elements apart.
    __device__ T *pair(int v) const {
        return tile + (FLAT ? 2 * swizzled(first + v) : first + (2 * v << plan.systems_log));
    }
    __device__ int swizzled(int u) const { return u ^ (u >> TwoPortTile<T, FLAT>::line_log - 1 & plan.swizzle); }
    // Otherwise: what moves the systems of a row aside, by the thread that owns it.
    __device__ int aside(int owner) const {
        return owner << max(0, TwoPortTile<T, FLAT>::line_log - plan.lanes_log) & plan.swizzle;
    }
    __device__ Pair<T> read(const T *row) const {
        if (FLAT) return *reinterpret_cast<const Pair<T> *>(row);
        return {row[0], row[plan.systems()]};
    }
    __device__ void write(T *row, const Pair<T> &pair) const {
        if (FLAT)
            *reinterpret_cast<Pair<T> *>(row) = pair;
        else
            row[0] = pair.x, row[plan.systems()] = pair.y;
    }
    __device__ Rows<T> read_rows(const T *row) const {
        return {read(row), read(row + array), read(row + 2 * array), read(row + 3 * array)};
    }
    __device__ void write_rows(T *row, const Rows<T> &rows) const {
        write(row, rows.a), write(row + array, rows.b), write(row + 2 * array, rows.c), write(row + 3 * array, rows.d);
    }

    // act(Count<n>, is there, place in the tile, offset in the coefficients, offset in B) for n elements at a time of
    // the thread's share of the rows, which is not that of its own.
    template <class Act>
    __device__ void each(Act act) const {
        if (FLAT)
            each_of_warp(act);
        else
            each_of_system(act);
    }
    // FLAT: lanes along the rows of the warp's systems, or of its part of one.
    template <class Act>
    __device__ void each_of_warp(Act act) const {
        constexpr int at_once = 4;
        const bool whole = plan.lanes_log < 5;  // systems
        const int in_warp = whole ? 32 >> plan.lanes_log : 1, pairs = (part_rows + 1) / 2;
        const int sub0 = warp * 32 >> plan.lanes_log, k0 = warp * 32 & plan.lanes() - 1;
        const int row0 = 2 * piece_begin(pairs, k0, plan.lanes_log);
        const int there = int(max(int64_t(0), min(int64_t(in_warp), p.batch - j0 - sub0)));
        const int rows = whole ? part_rows : min(2 * piece_begin(pairs, k0 + 32, plan.lanes_log), part_rows) - row0;
        const int64_t a_stride = p.a_at.ld, b_stride = p.b_at.ld * p.nrhs, row = part0 + row0;
        int64_t a = p.a_at.origin + (j0 + sub0) * a_stride + row;
        int64_t b = p.b_at.origin + (j0 + sub0) * b_stride + r * p.b_at.ld + row;
        const bool is_run = in_warp == 1 || (a_stride == part_rows && b_stride == part_rows);
        const auto is_even = [&](const void *array, int64_t offset) {
            return (reinterpret_cast<uintptr_t>(array) + uintptr_t(offset) * sizeof(T)) % alignof(Pair<T>) == 0;
        };
        if (is_run && rows % 2 == 0 && is_even(p.dl, a) && is_even(p.d, a) && is_even(p.du, a) && is_even(p.b, b)) {
            const int count = there * rows / 2;
            a += 2 * lane, b += 2 * lane;
            for (int u = lane; u < count; u += 32 * at_once, a += 64 * at_once, b += 64 * at_once) {
#pragma unroll
                for (int q = 0; q < at_once; ++q)
                    act(Count<2>(), u + 32 * q < count, 2 * swizzled(u + 32 * q), a + 64 * q, b + 64 * q);
            }
        } else {
            const int count = there * rows;
            for (int e = lane; e < count; e += 32) {
                const int system = in_warp == 1 ? 0 : e / rows, i = e - system * rows;
                act(Count<1>(), true, 2 * swizzled(system * pairs + i / 2) + i % 2, a + system * a_stride + i,
                    b + system * b_stride + i);
            }
        }
    }
    // Otherwise: lanes along the systems, as many of them together as a copy takes where all lie side by side.
    template <class Act>
    __device__ void each_of_system(Act act) const {
        constexpr int together = TwoPortTile<T, FLAT>::together;
        const bool all_there = plan.systems() >= together && j0 + plan.systems() <= p.batch;
        if (all_there && is_wide(p.a_at, p.dl, 0) && is_wide(p.a_at, p.d, 0) && is_wide(p.a_at, p.du, 0) &&
            is_wide(p.b_at, p.b, r))
            each_of_systems<together>(act);
        else
            each_of_systems<1>(act);
    }
    __device__ bool is_wide(const Placement &at, const void *array, int64_t right_side) const {
        if (at.layout == XBATCH_LAYOUT_FLAT) return false;
        if (at.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED && at.ld % plan.systems() != 0) return false;
        const uint64_t begin = uint64_t(array) + uint64_t(at.base(j0, right_side)) * sizeof(T);
        return (begin | uint64_t(at.ld) * sizeof(T)) % 16 == 0;
    }
    template <int together, class Act>
    __device__ void each_of_systems(Act act) const {
        const int t = int(threadIdx.x) * together, s = t & plan.systems() - 1;
        if (j0 + s >= p.batch) return;
        int row = t >> plan.systems_log;
        int64_t a = p.a_at.offset(part0 + row, j0 + s, 0), b = p.b_at.offset(part0 + row, j0 + s, r);
        const int step = plan.lanes() * together;
        const int64_t a_step = p.a_at.step * step, b_step = p.b_at.step * step;
        const unsigned inverse = 0xffffffffu / unsigned((part_rows + 1) / 2) + 1;
#pragma unroll 4
        for (; row < part_rows; row += step, a += a_step, b += b_step) {
            const int owner = int(__umulhi((unsigned(row / 2 + 1) << plan.lanes_log) - 1, inverse));
            act(Count<together>(), true, (row << plan.systems_log) + (s ^ aside(owner)), a, b);
        }
    }
    __device__ T *relation(int system) const {
        return tiles.relations + (((j0 + system) * p.nrhs + r) * tiles.tiles + index) * TwoPortTiles<T>::values;
    }
    __device__ void sync() const {
        if (FLAT)
            __syncwarp();
        else
            __syncthreads();
    }
};

template <class T, bool FLAT, TwoPortJob JOB>
__device__ inline TwoPortBlock<T, FLAT, JOB> twoport_block_of(const GtsvProblem &p, const TwoPortPlan &plan,
                                                              const TwoPortTiles<T> &tiles, T *tile) {
    // The second pass meets the tiles in the opposite order: the last ones are still in the cache.
    const unsigned block = JOB == TwoPortJob::SOLVE ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    unsigned unit = block;
    int64_t piece = 0, pieces = 1;  // of the system
    TwoPortBlock<T, FLAT, JOB> w{p, plan, tiles};
    w.rank = 0, w.index = 0;
    if (JOB == TwoPortJob::CLUSTER) {
        unit = block >> plan.parts_log, pieces = plan.parts;
        piece = w.rank = int(block) & plan.parts - 1;
    } else if (JOB != TwoPortJob::BLOCK) {
        unit = block / tiles.tiles, pieces = tiles.tiles;
        piece = w.index = block - unit * tiles.tiles;
    }
    const unsigned group = p.nrhs == 1 ? unit : unit / unsigned(p.nrhs);
    w.lane = threadIdx.x % 32, w.warp = threadIdx.x / 32;
    w.sub = int(threadIdx.x) >> plan.lanes_log, w.k = int(threadIdx.x) & plan.lanes() - 1;
    w.j0 = int64_t(group) << plan.systems_log, w.r = unit - group * unsigned(p.nrhs);
    const int64_t all_pairs = (plan.n + 1) / 2;  // pieces begin at even rows
    w.part0 = pieces == 1 ? 0 : 2 * (all_pairs * piece / pieces);
    const int pairs = int(pieces == 1 ? all_pairs : all_pairs * (piece + 1) / pieces - w.part0 / 2);
    w.part_rows = int(min(plan.n - w.part0, int64_t(2) * pairs));
    w.exists = w.j0 + w.sub < p.batch;
    const int pair0 = piece_begin(pairs, w.k, plan.lanes_log), pair1 = piece_begin(pairs, w.k + 1, plan.lanes_log);
    w.begin = 2 * pair0;
    w.own = w.exists ? min(2 * pair1, w.part_rows) - w.begin : 0;
    w.tile = tile + (FLAT ? w.warp * 4 * TwoPortTile<T, FLAT>::array : 0);
    if (FLAT) {
        const bool whole = plan.lanes_log < 5;
        const int before = whole ? (w.lane >> plan.lanes_log) * pairs : 0;
        w.first = before + pair0 - (whole ? 0 : piece_begin(pairs, w.k & ~31, plan.lanes_log));
    } else {
        w.first = (2 * pair0 << plan.systems_log) + (w.sub ^ w.aside(w.k));
    }
    return w;
}

// Rows beyond an open system's ends are not there, and neither are the entries that lead to them.
template <class T, bool FLAT, TwoPortJob JOB>
__device__ inline void load(const TwoPortBlock<T, FLAT, JOB> &w) {
    const GtsvProblem &p = w.p;
    const T *const dl = static_cast<const T *>(p.dl), *const d = static_cast<const T *>(p.d);
    const T *const du = static_cast<const T *>(p.du), *const b = static_cast<const T *>(p.b);
    constexpr int bytes = TwoPortTile<T, FLAT>::array * int(sizeof(T));
    const unsigned tile = unsigned(__cvta_generic_to_shared(w.tile));
    w.each([&](auto count, bool is_there, int place, int64_t a_offset, int64_t b_offset) {
        constexpr int n = decltype(count)::value;
        const unsigned to = tile + place * unsigned(sizeof(T));
        copy_async<T, n, 0>(is_there, to, dl + a_offset);
        copy_async<T, n, bytes>(is_there, to, d + a_offset);
        copy_async<T, n, 2 * bytes>(is_there, to, du + a_offset);
        copy_async<T, n, 3 * bytes>(is_there, to, b + b_offset);
    });
    wait_for_copies();
    w.sync();
    if (w.plan.is_ring || w.own == 0) return;
    if (w.part0 + w.begin == 0) *w.pair(0) = T(0);
    if (w.part0 + w.begin + w.own == p.n) {
        T *const c = w.pair((w.own - 1) / 2) + 2 * w.array;
        c[w.own % 2 == 1 ? 0 : FLAT ? 1 : w.plan.systems()] = T(0);
    }
}

template <class T>
__device__ inline void equilibrate(Rows<T> &rows) {
    equilibrate(rows.a.x, rows.b.x, rows.c.x, rows.d.x);
    equilibrate(rows.a.y, rows.b.y, rows.c.y, rows.d.y);
}

// Eliminates the thread's rows to a relation. The pivot row of x_{i-1} takes the place of row i-2; `bits` says which of
// them look behind. Two rows are read while the two before are worked on. Returns the first row with a bad pivot, or
// no_row.
template <class T, bool FLAT, TwoPortJob JOB>
__device__ inline int eliminate(const TwoPortBlock<T, FLAT, JOB> &w, TwoPort<T> &run, unsigned &bits) {
    bits = 0;
    if (w.own == 0) return no_row;
    const int whole = w.own / 2, last = (w.own - 1) / 2;  // pairs, the last one perhaps a single row
    T *before = w.pair(0), *place = w.pair(min(1, last));
    Rows<T> rows = w.read_rows(before), next = w.read_rows(place);
    if (w.own == 1)
        rows.a.y = T(-1), rows.b.y = T(1), rows.c.y = rows.d.y = T(0);  // a lone row is followed by its copy
    equilibrate(rows);
    run = two_rows(rows.a.x, rows.b.x, rows.c.x, rows.d.x, rows.a.y, rows.b.y, rows.c.y, rows.d.y);
    int bad = no_row;
#pragma unroll 1
    for (int v = 1; v < whole; ++v) {
        rows = next;
        T *const then = w.pair(min(v + 1, last));
        next = w.read_rows(then);
        equilibrate(rows);
        const Pivot<T> one = absorb(run, rows.a.x, rows.b.x, rows.c.x, rows.d.x);
        const Pivot<T> two = absorb(run, rows.a.y, rows.b.y, rows.c.y, rows.d.y);
        w.write_rows(before, {{one.s, two.s}, {one.l1, two.l1}, {one.q, two.q}, {one.g, two.g}});
        before = place, place = then;
        bits |= (unsigned(one.from_behind) | unsigned(two.from_behind) << 1) << 2 * (v - 1);
        if (!one.is_fine || !two.is_fine) bad = min(bad, one.is_fine ? 2 * v : 2 * v - 1);
    }
    if (whole < last + 1 && whole > 0) {
        equilibrate(next.a.x, next.b.x, next.c.x, next.d.x);
        const Pivot<T> one = absorb(run, next.a.x, next.b.x, next.c.x, next.d.x);
        w.write_rows(before, {{one.s, T(0)}, {one.l1, T(0)}, {one.q, T(0)}, {one.g, T(0)}});
        bits |= unsigned(one.from_behind) << 2 * (whole - 1);
        if (!one.is_fine) bad = min(bad, 2 * whole - 1);
    }
    return bad;
}

// All unknowns of the thread's rows from those at its ends, into the place of d.
template <class T, bool FLAT, TwoPortJob JOB>
__device__ inline void substitute(const TwoPortBlock<T, FLAT, JOB> &w, const Known<T> &known, unsigned bits) {
    constexpr int array = TwoPortTile<T, FLAT>::array;
    if (w.own == 0) return;
    T behind = known.right0, further = known.right1;  // x_{i+1}, x_{i+2}, x_i being next
    const auto unknown = [&](const T &s, const T &l1, const T &q, const T &g, unsigned from_behind) {
        const T other = pick(from_behind & 1, further, known.left0);
        const T x = fnma(q, behind, fnma(s, other, fnma(l1, known.left1, g)));
        further = behind, behind = x;
    };
    int v = (w.own - 1) / 2;
    T *place = w.pair(v), *before = w.pair(max(v - 1, 0));
    Rows<T> pivots = w.read_rows(before);
    if (w.own % 2 == 1 && v > 0) {
        place[3 * array] = behind;
        unknown(pivots.a.x, pivots.b.x, pivots.c.x, pivots.d.x, bits >> 2 * (v - 1));
        --v;
        place = before, before = w.pair(max(v - 1, 0));
        pivots = w.read_rows(before);
    }
#pragma unroll 1
    for (; v > 0; --v) {
        T *const then = w.pair(max(v - 2, 0));
        const Rows<T> next = w.read_rows(then);
        const T y = behind;
        unknown(pivots.a.y, pivots.b.y, pivots.c.y, pivots.d.y, bits >> (2 * v - 1));
        w.write(place + 3 * array, {behind, y});
        unknown(pivots.a.x, pivots.b.x, pivots.c.x, pivots.d.x, bits >> (2 * v - 2));
        place = before, before = then, pivots = next;
    }
    w.write(place + 3 * array, {known.left1, behind});
}

// At the root of a system's tree, in the one lane that is it: what the job does with the relation of all rows here.
// Returns false where a pivot is bad.
template <class T, bool FLAT, TwoPortJob JOB>
__device__ inline bool at_root(const TwoPortBlock<T, FLAT, JOB> &w, const TwoPort<T> &run, int system,
                               Known<T> &known) {
    if (JOB == TwoPortJob::BLOCK || JOB == TwoPortJob::CLUSTER) return close(run, w.plan.is_ring, known);
    if (w.j0 + system >= w.p.batch || system >= w.plan.systems()) return true;
    T *const there = w.relation(system);
    if (JOB == TwoPortJob::CONDENSE)
        put<1>(there, 0, run);
    else
        known = get_known<1>(there, 0);
    return true;
}

// The last levels of the tree, by one warp of the block: `run` is what a column's four threads found, `known` what they
// need. Clusters exchange the relations of their parts on the way. A bad pivot here is told of the last row.
template <class T, bool FLAT, TwoPortJob JOB>
__device__ inline void finish_tree(const TwoPortBlock<T, FLAT, JOB> &w, T *table, Known<T> &known) {
    const TwoPortPlan &plan = w.plan;
    const int lane = w.lane, levels = plan.lanes_log - 2;
    const auto check = [&](bool is_fine, int system) {
        if (is_fine || JOB == TwoPortJob::CONDENSE || system >= plan.systems() || w.j0 + system >= w.p.batch ||
            !w.p.info || w.r != 0)
            return;
        report(w.p.info + w.j0 + system, w.p.n - 1);
    };
    TwoPort<T> run = get_run(table, lane);
    unsigned bits, part_bits;
    check(compose_columns(run, table, levels, bits), lane >> levels);
    if (JOB != TwoPortJob::CLUSTER) {
        if ((lane & (1 << levels) - 1) == 0) check(at_root(w, run, lane >> levels, known), lane >> levels);
        known = from_lane(known, lane >> levels << levels);
    } else {
        constexpr int columns = TwoPortPlan::columns;
        T *const parts = table + 10 * columns, *const told = parts + 10 * columns;
        const bool everyone = plan.everyone_solves();
        const int system = lane >> levels, parts_log = plan.parts_log;
        const bool speaks = (lane & (1 << levels) - 1) == 0 && system < plan.systems();
        cluster_wait();  // all blocks have begun
        if (speaks) {
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
            if (theirs < plan.systems()) put(of_block(told, lane & plan.parts - 1), theirs, known);
            __syncwarp();
            cluster_arrive();
            cluster_wait();
            known = get_known(told, system & columns - 1);
        }
    }
    narrow_columns(known, table, levels, bits);
}

// The tree's first two levels again, from their columns' ends to the threads' own.
template <class T, bool FLAT, TwoPortJob JOB>
__device__ inline void descend(const TwoPortBlock<T, FLAT, JOB> &w, Known<T> &known, int levels, int spare,
                               unsigned right_bits, const T *strip) {
    const int lane = w.lane;
#pragma unroll 1
    for (int l = levels - 1; l >= 0; --l) {
        const int s = 1 << l, from = (lane & ~(2 * s - 1)) + s;
        const int at = from_lane(spare, from);
        const bool from_right = from_lane(right_bits, from - s) >> l & 1;
        if (!w.exists) continue;
        const Rows<T> kept = w.read_rows(w.tile + at);
        const Middle<T> m = {
            kept.a.x,   kept.a.y, kept.b.x, kept.b.y, kept.c.x, kept.c.y, kept.d.x, kept.d.y, strip[w.warp * 32 + from],
            from_right, true};
        narrow(known, m, lane & s);
    }
    __syncwarp();
}

// Systems of a block, or of a cluster. Threads of a system compose their relations in a tree: two levels by shuffles,
// the others by one warp of the block, whose lanes take a column of four threads each.
template <class T, bool FLAT, TwoPortJob JOB>
__global__ void __launch_bounds__(TwoPortPlan::threads, 3)
    twoport_block(GtsvProblem p, TwoPortPlan plan, TwoPortTiles<T> tiles) {
    constexpr bool in_cluster = JOB == TwoPortJob::CLUSTER;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const tile = reinterpret_cast<T *>(shared_bytes), *const strip = tile + TwoPortTile<T, FLAT>::elements;
    T *const table = strip + TwoPortPlan::threads;
    const TwoPortBlock<T, FLAT, JOB> w = twoport_block_of<T, FLAT, JOB>(p, plan, tiles, tile);
    const int lane = w.lane, levels = min(plan.lanes_log, 2);
    int32_t *const info = p.info && w.r == 0 && w.exists ? p.info + w.j0 + w.sub : nullptr;
    if (JOB != TwoPortJob::SOLVE && info && w.k == 0 && w.rank == 0 && w.index == 0) *info = 0;
    if (in_cluster) cluster_arrive();
    load(w);

    TwoPort<T> run;
    unsigned bits, right_bits = 0;
    int bad = eliminate(w, run, bits);
    const int spare = int(w.pair((w.own - 1) / 2) - w.tile);  // the rows of the last pair are no longer needed
    __syncwarp();
#pragma unroll 1
    for (int l = 0; l < levels; ++l) {
        const int s = 1 << l, next = lane + s & 31;
        const TwoPort<T> right = from_lane(run, next);
        const int to = from_lane(spare, next);
        const Middle<T> m = compose(run, right);
        if (lane % (2 * s) == 0 && w.exists) {
            w.write_rows(w.tile + to, {{m.e0, m.e1}, {m.q, m.g}, {m.f0, m.f1}, {m.k0, m.k1}});
            strip[threadIdx.x + s] = m.h;
            right_bits |= unsigned(m.from_right) << l;
            if (!m.is_fine) bad = min(bad, w.own - 1);
        }
    }

    Known<T> known;
    if (!in_cluster && plan.lanes_log <= 2) {
        if (w.k == 0 && !at_root(w, run, w.sub, known)) bad = min(bad, w.part_rows - 1 - w.begin);
        known = from_lane(known, lane >> levels << levels);
        __syncwarp();
    } else {
        const int leader = int(blockIdx.x * 0x9E3779B9u >> 30);  // spread over the quarters of a multiprocessor
        if (lane % 4 == 0) put(table, int(threadIdx.x) / 4, run);
        __syncthreads();
        if (w.warp == leader) {
            finish_tree(w, table, known);
            put(table, lane, known);
        } else if (in_cluster) {
            cluster_wait();
            cluster_arrive();
            if (!plan.everyone_solves()) {
                cluster_wait();
                cluster_arrive();
            }
            cluster_wait();
        }
        __syncthreads();
        known = get_known(table, int(threadIdx.x) / 4);
    }
    if constexpr (JOB != TwoPortJob::CONDENSE) {
        descend(w, known, levels, spare, right_bits, strip);
        substitute(w, known, bits);
        w.sync();
        T *const x = static_cast<T *>(p.b);
        const T *const solution = w.tile + 3 * w.array;
        w.each([&](auto count, bool is_there, int place, int64_t, int64_t b_offset) {
            if (!is_there) return;
            store_bytes<decltype(count)::value *int(sizeof(T))>(x + b_offset, solution + place);
        });
        if (info && bad != no_row) report(info, w.part0 + w.begin + bad);
    }
}

}  // namespace xbatch
