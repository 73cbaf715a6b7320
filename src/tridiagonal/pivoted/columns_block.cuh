// columns_block.cuh: the work of a block of the pivoting solver on interleaved systems.
//
// Shared memory has the rows of the block's systems in the order of memory, where possible at the same distance from
// 16-byte lines. Any number of lanes of a warp share a system.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lanes_work.cuh"

namespace xbatch::tridiagonal {

// K: most right-hand sides of a thread. S: systems of a block, if their matrices are general, and their rows are copied
// by 16 bytes and have no gaps in shared memory; 0 if not, or any number
template <class ELEMENT, InterfaceJob JOB, int K, int S>
struct ColumnsBlock : RowsInTile<ColumnsBlock<ELEMENT, JOB, K, S>, ELEMENT, SidesOf<ELEMENT, K>> {
    using T = ELEMENT;
    using G = SidesOf<T, K>;
    static constexpr InterfaceJob job = JOB;
    static constexpr bool is_even = false, may_be_definite = S == 0;
    static constexpr int line = FlatTile<T>::line;
    static constexpr bool is_real = sizeof(T) == sizeof(Real<T>), in_cluster = JOB == InterfaceJob::CLUSTER;

    const GtsvProblem &p;
    const ColumnsPlan &plan;
    int lane, warp, rank;  // block within the cluster
    int sub, k;            // system within the block, thread within the system; a spare lane has k = lanes
    int number, count;     // k, and the lanes of the system, 0 of a spare lane
    int64_t j0, r, part0;  // first system, first right-hand side, first row of the part
    int64_t a0, b0;        // offsets of the part's first row in the coefficients and in B, of the first system
    int part_rows;
    int begin, own;   // the thread's rows: the first, counted from the part's, and their number
    T *tile, *first;  // the block's; the thread's first row in the first array
    int aside[4];     // of each array: elements from a 16-byte line to the block's first row, if it is copied by lines
    SidesInTile<T, K> sides;

    __device__ ColumnsBlock(const GtsvProblem &problem, const ColumnsPlan &division, T *shared, unsigned block)
        : p(problem), plan(division), tile(shared) {
        unsigned unit = block;
        rank = 0;
        if (JOB == InterfaceJob::CLUSTER) unit = block >> plan.parts_log, rank = int(block) & plan.parts - 1;
        const unsigned group = plan.side_groups == 1 ? unit : unit / unsigned(plan.side_groups);
        lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        j0 = int64_t(group) << plan.systems_log;
        r = (unit - group * unsigned(plan.side_groups)) * (K > 1 ? plan.sides : 1);
        sides.count = K > 1 ? int(min(int64_t(plan.sides), p.nrhs - r)) : 1;
        part0 = int64_t(rank) * plan.part_rows, part_rows = int(min(plan.n - part0, int64_t(plan.part_rows)));
        const int here = plan.by_lanes.quotient(lane);
        k = lane - here * plan.lanes, sub = warp * plan.per_warp + here;
        if (here == plan.per_warp || sub >= systems()) k = plan.lanes, sub = 0;
        const int used = in_cluster ? (part_rows + plan.rows - 1) / plan.rows : plan.lanes;  // lanes that have rows
        number = k, count = exists() ? used : 0;
        begin = k * plan.rows, own = exists() ? max(0, min(part_rows - begin, plan.rows)) : 0;
        a0 = p.a_at.offset(part0, j0, 0), b0 = p.b_at.offset(part0, j0, r);
        aside[0] = a_by_lines() ? aside_at(p.dl, a0) : 0, aside[1] = a_by_lines() ? aside_at(p.d, a0) : 0;
        aside[2] = a_by_lines() ? aside_at(p.du, a0) : 0, aside[3] = b_by_lines() ? aside_at(p.b, b0) : 0;
        first = tile + aside[0] + begin * pitch() + (sub ^ swizzle(k));
        for (int s = 0; s < K; ++s)
            sides.at[s] = s == 0 || s < sides.count ? (3 + s) * plan.array + aside_of_side(s) - aside[0] : sides.at[0];
    }
    __device__ int aside_of_side(int s) const {
        return K == 1 || !b_by_lines() ? aside[3] : aside_at(p.b, p.b_at.offset(part0, j0, r + s));
    }
    __device__ static int aside_at(const void *array, int64_t offset) {
        return int(reinterpret_cast<uintptr_t>(array) / sizeof(T) + uintptr_t(offset)) & line - 1;
    }
    __device__ int64_t side_offset(int s) const { return K == 1 ? 0 : s * p.b_at.side_step(); }
    // The only info of the right-hand sides of the thread
    __device__ static constexpr int infos() { return 1; }
    __device__ int32_t *info_at(int) const { return info_of_plane(p) + j0 + sub; }
    __device__ int rows() const { return own; }
    __device__ int systems() const { return S > 0 ? S : plan.systems(); }
    __device__ int pitch() const { return S > 0 ? S : plan.pitch; }
    __device__ bool a_by_lines() const { return S == 0 && plan.a_by_lines; }
    __device__ bool b_by_lines() const { return S == 0 && plan.b_by_lines; }
    __device__ bool exists() const { return k < plan.lanes && j0 + sub < p.batch; }
    __device__ bool reports(int system) const { return j0 + system < p.batch; }
    __device__ bool is_conjugated() const { return p.is_conjugated; }

    // The swizzle of the systems of a row, by the thread that owns the row: lanes access theirs with few bank
    // conflicts.
    __device__ int swizzle(int owner) const {
        return owner >> plan.swizzle_shift << plan.swizzle_log & (S > 0 ? S - 1 : plan.swizzle);
    }
    // Distance from the first array of the tile to array q
    __device__ int array_at(int q) const { return q < 3 ? q * plan.array + aside[q] - aside[0] : sides.at[0]; }
    __device__ T *pair(int v) const { return first + 2 * v * pitch(); }
    // Two rows of the thread in lane `owner` of the warp, of the same system, which are free after elimination
    __device__ T *spare_of(int owner) const {
        const int thread = k + owner - lane;
        const int end = min((thread + 1) * plan.rows, plan.tile_rows);
        return tile + aside[0] + (end - 2) * pitch() + (sub ^ swizzle(thread));
    }
    __device__ Pair<T> read(const T *row) const { return {row[0], row[pitch()]}; }
    __device__ void write(T *row, const Pair<T> &pair) const { row[0] = pair.x, row[pitch()] = pair.y; }
    __device__ T *row_of(T *pair, bool second) const { return pair + (second ? pitch() : 0); }
    __device__ Pair<G> read_side(const T *row) const { return sides.read(row, pitch()); }
    __device__ void write_side(T *row, const Pair<G> &pair) const { sides.write(row, pitch(), pair); }

    // act(place in an array of the tile, offset in the coefficients, offset in B) for `together` elements at a time
    template <int together, class Act>
    __device__ void each(Act act) const {
        const int t = int(threadIdx.x) * together, s = t & systems() - 1;
        if (j0 + s >= p.batch) return;
        int row = t >> plan.systems_log;
        int64_t a = S > 0 ? a0 + row * p.a_at.step + s : p.a_at.offset(part0 + row, j0 + s, 0);
        int64_t b = S > 0 ? b0 + row * p.b_at.step + s : p.b_at.offset(part0 + row, j0 + s, r);
        const int step = plan.threads() * together >> plan.systems_log;
        const int64_t a_step = p.a_at.step * step, b_step = p.b_at.step * step;
#pragma unroll 4
        for (; row < part_rows; row += step, a += a_step, b += b_step)
            act(row * pitch() + (s ^ swizzle(plan.by_rows.quotient(row))), a, b);
    }
    template <int together>
    __device__ void load(bool a_too, bool b_too) const {
        const T *const dl = static_cast<const T *>(p.dl), *const d = static_cast<const T *>(p.d);
        const T *const du = static_cast<const T *>(p.du), *const b = static_cast<const T *>(p.b);
        const unsigned to = shared_address(tile), array = unsigned(plan.array) * unsigned(sizeof(T));
        const bool definite = is_definite(*this), dl_too = a_too && !definite, d_too = a_too && (is_real || !definite);
        each<together>([&](int place, int64_t a_offset, int64_t b_offset) {
            const unsigned at = to + unsigned(place) * unsigned(sizeof(T));
            copy_async<T, together, 0>(dl_too, at, dl + a_offset);
            copy_async<T, together, 0>(d_too, at + array, d + a_offset);
            copy_async<T, together, 0>(a_too, at + 2 * array, du + a_offset);
#pragma unroll
            for (int s = 0; s < K; ++s)
                copy_async<T, together, 0>(b_too && (s == 0 || s < sides.count), at + (3 + s) * array,
                                           b + b_offset + side_offset(s));
        });
    }
    // Of a positive definite matrix, dl is that of du, one row further, and not loaded; nor, if it is complex, are
    // whole lines of d, which is real.
    __device__ void load_real_diagonal() const {
        const unsigned to = shared_address(tile + plan.array + aside[1]);
        each<1>([&](int place, int64_t a_offset, int64_t) {
            copy_async<Real<T>, 1, 0>(true, to + unsigned(place) * unsigned(sizeof(T)),
                                      static_cast<const Real<T> *>(p.d) + a_offset);
        });
    }
    // Loads systems of the block, of array q, by all 16-byte lines that their rows have a part of. The first and the
    // last row, before and behind which there may be no memory, are loaded by elements. Adjacent lanes of one warp load
    // the lines of a row: two warps would each ask for the sector that they share. Every `line` rows begin at the same
    // distance from a line, so that a thread's copies do.
    __device__ void load_lines(const void *array, const Placement &at, int64_t right_side, int q) const {
        const int there = int(min(int64_t(systems()), p.batch - j0)), t = threadIdx.x;
        const int lines = systems() / line + 1, of_warp = plan.by_lines_of_row.quotient(32);
        const int rows = plan.warps * of_warp, at_once = max(line, rows & ~(line - 1));
        const int begin = part0 == 0, end = part_rows - (part0 + part_rows == p.n);
        const T *const element = static_cast<const T *>(array) + at.offset(part0, j0, right_side);
        const int place0 = q * plan.array + (q < 3 ? aside[q] : aside_of_side(q - 3));
        for (int row = 0; row < part_rows && t < there; row += max(1, part_rows - 1))
            copy_async<T, 1, 0>(row < begin || row >= end, shared_address(tile + place0 + row * pitch() + t),
                                element + row * at.step + t);
        const int64_t step = at.step * at_once;
        const int here = plan.by_lines_of_row.quotient(lane), first = (lane - here * lines) * line;
        for (int u = warp * of_warp + here; here < of_warp && u < at_once; u += rows) {
            int row = begin + u;
            const int place = place0 + row * pitch() + first, before = place & line - 1;
            if (first - before >= there) continue;
            const T *from = element + row * at.step + (first - before);
            unsigned to = shared_address(tile + (place - before));
#pragma unroll 4
            for (; row < end; row += at_once, from += step, to += pitch() * at_once * unsigned(sizeof(T)))
                copy_async<T, line, 0>(true, to, from);
        }
    }
    template <int together>
    __device__ void store() const {
        T *const x = static_cast<T *>(p.b), *const first_row = tile + aside[0];
        each<together>([&](int place, int64_t, int64_t b_offset) {
            sides.each([&](int s, int distance) {
                store_bytes<together *int(sizeof(T))>(x + b_offset + side_offset(s), first_row + distance + place);
            });
        });
    }
    // The 16 bytes of rows that each thread copies, the same of rows at equal distances: act(place, …) for four rows at
    // a time, then for one. Places are bytes from the first row of an array in shared memory.
    template <class Act>
    __device__ void each_whole(Act act) const {
        constexpr int chunks = S / line, product_bits = 20;  // of by_rows
        constexpr unsigned row_bytes = S * unsigned(sizeof(T));
        const unsigned unit = unsigned(sizeof(T)) << plan.swizzle_log, swizzled = row_bytes - unit;
        const int shift = product_bits + plan.swizzle_shift - (__ffs(unit) - 1), step = plan.threads() / chunks;
        int row = int(threadIdx.x) / chunks;
        unsigned place = row * row_bytes + threadIdx.x % chunks * 16, product = row * plan.by_rows.inverse;
        const auto next = [&] {
            const unsigned here = place ^ (product >> shift & swizzled);
            row += step, place += step * row_bytes, product += step * plan.by_rows.inverse;
            return here;
        };
        while (row + 3 * step < part_rows) {
            const unsigned first = next(), second = next(), third = next();
            act(first, second, third, next());
        }
        while (row < part_rows) act(next());
    }
    // Offsets, from a0 or b0, of the first 16 bytes that the thread copies, and to the next ones
    struct Path {
        int64_t first, step;
    };
    __device__ Path path_of(const Placement &at) const {
        constexpr int chunks = S / line;
        return {int(threadIdx.x) / chunks * at.step + int(threadIdx.x) % chunks * line,
                plan.threads() / chunks * at.step};
    }
    __device__ void load_whole() const {
        const Path a = path_of(p.a_at), b = path_of(p.b_at);
        const T *dl = static_cast<const T *>(p.dl) + a0 + a.first, *d = static_cast<const T *>(p.d) + a0 + a.first;
        const T *du = static_cast<const T *>(p.du) + a0 + a.first, *x = static_cast<const T *>(p.b) + b0 + b.first;
        const unsigned to = shared_address(tile), array = unsigned(plan.array) * unsigned(sizeof(T));
        const auto one = [&](unsigned place) {
            copy_async<T, line, 0>(true, to + place, dl), copy_async<T, line, 0>(true, to + array + place, d);
            copy_async<T, line, 0>(true, to + 2 * array + place, du);
            copy_async<T, line, 0>(true, to + 3 * array + place, x);
            dl += a.step, d += a.step, du += a.step, x += b.step;
        };
        each_whole([&](auto... places) { (one(places), ...); });
    }
    __device__ void store_whole() const {
        const Path b = path_of(p.b_at);
        float4 *x = reinterpret_cast<float4 *>(static_cast<T *>(p.b) + b0 + b.first);
        const char *const from = reinterpret_cast<const char *>(tile + 3 * plan.array);
        each_whole([&](auto... places) {
            const float4 values[] = {*reinterpret_cast<const float4 *>(from + places)...};
#pragma unroll
            for (const float4 &value : values)
                __stcs(x, value), x = reinterpret_cast<float4 *>(reinterpret_cast<T *>(x) + b.step);
        });
    }
    __device__ bool all_there() const { return j0 + systems() <= p.batch; }
    __device__ void sync() const { __syncthreads(); }
};

template <class T, InterfaceJob JOB, int K, int S>
__device__ inline void begin_load(const ColumnsBlock<T, JOB, K, S> &w) {
    if constexpr (S > 0) return w.all_there() ? w.load_whole() : w.template load<1>(true, true);
    const bool a_is_wide = w.plan.a_is_wide && w.all_there(), b_is_wide = w.plan.b_is_wide && w.all_there();
    if (is_definite(w) && !w.is_real) w.load_real_diagonal();
    if (a_is_wide || b_is_wide) w.template load<FlatTile<T>::line>(a_is_wide, b_is_wide);
    if (a_is_wide && b_is_wide) return;
    if constexpr (FlatTile<T>::line > 1) {
        if (w.a_by_lines()) {
            if (!is_definite(w)) w.load_lines(w.p.dl, w.p.a_at, 0, 0);
            if (w.is_real || !is_definite(w)) w.load_lines(w.p.d, w.p.a_at, 0, 1);
            w.load_lines(w.p.du, w.p.a_at, 0, 2);
        }
        for (int s = 0; w.b_by_lines() && s < w.sides.count; ++s) w.load_lines(w.p.b, w.p.b_at, w.r + s, 3 + s);
        if (w.a_by_lines() && w.b_by_lines()) return;
    }
    w.template load<1>(!a_is_wide && !w.a_by_lines(), !b_is_wide && !w.b_by_lines());
}
template <class T, InterfaceJob JOB, int K, int S>
__device__ inline void store_solution(const ColumnsBlock<T, JOB, K, S> &w) {
    if constexpr (S > 0) return w.all_there() ? w.store_whole() : w.template store<1>();
    if (w.plan.b_is_wide && w.all_there()) return w.template store<FlatTile<T>::line>();
    w.template store<1>();
}

// Joins the parts that the blocks of a cluster have of each system, by every block: adjacent lanes have the parts of a
// system. `table` has room for the equations of all, and behind them for what is known of the block's.
template <class W, class T, class G>
__device__ inline bool join_parts(const W &w, const InterfaceEquations<T, G> &run, T *table, Known<G> &known) {
    const auto &plan = w.plan;
    constexpr int sides = sizeof(G) / sizeof(T), values = 8 + 2 * sides, ends_values = 4 * sides;
    const int parts = plan.parts, parts_log = plan.parts_log, all = w.systems() << parts_log;
    T *const ends = table + values * all;
    cluster_wait();  // all blocks have begun, and info is 0
    if (w.number == 0)
        for (int q = 0; q < parts; ++q) put<1>(of_block(table, q), ((w.sub << parts_log) + w.rank) * values, run);
    cluster_arrive();
    cluster_wait();
    for (int t0 = w.warp * 32; t0 < all; t0 += plan.threads()) {
        const int t = t0 + w.lane, part = t & parts - 1, system = t >> parts_log;
        const bool exists = t < all;
        const int count = exists ? parts : 0;
        unsigned bits;
        InterfaceEquations<T, G> each = get_run<1, G>(table, min(t, all - 1) * values);
        __syncwarp();
        const bool definite = is_definite(w);
        bool is_fine = join_lanes(
            each, definite, definite, part, count, parts, bits,
            [&](int right, const Middle<T, G> &m) { put<1>(table, ((system << parts_log) + right) * values, m); });
        Known<G> mine;
        if (exists && part == 0) is_fine = close(each, plan.is_periodic, mine) && is_fine;
        if (exists && !is_fine && w.p.info && w.reports(system)) {
            const int64_t j = w.j0 + system, last = w.p.n - 1;
            report(info_of_plane(w.p) + j, definite ? first_bad_row<T>(w.p.d, w.p.du, w.p.a_at, w.p.n, j, last) : last);
        }
        mine = from_lane(mine, w.lane - part);
        __syncwarp();
        part_lanes(mine, part, count, parts, bits, [&](int right, bool from_right) {
            return get_middle<1, G>(table, ((system << parts_log) + right) * values, from_right);
        });
        if (exists && part == w.rank) put<1>(ends, system * ends_values, mine);
    }
    __syncthreads();
    known = get_known<1, G>(ends, w.sub * ends_values);
    return true;
}

template <class T, InterfaceJob JOB, int K, int S>
__global__ void __launch_bounds__(32 * ColumnsPlan::most_warps) __maxnreg__(FlatTile<T>::registers(K))
    columns_block(GtsvProblem p, ColumnsPlan plan) {
    constexpr bool in_cluster = JOB == InterfaceJob::CLUSTER;
    if constexpr (in_cluster && !architecture_has_clusters) return;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const tile = reinterpret_cast<T *>(shared_bytes);
    T *const strip = tile + (K > 1 ? 3 + plan.sides : 4) * plan.array;
    const ColumnsBlock<T, JOB, K, S> w(p, plan, tile, blockIdx.x);
    begin_load(w);
    clear_info(w);
    if (in_cluster) cluster_arrive();
    const T sigma = S == 0 ? shift_of(w) : T(0);
    const T before = e_before(w);
    finish_load(w);
    if (S == 0) add_shift(w, sigma);
    solve_in_lanes(w, strip, before, [&](const auto &run, auto &known) {
        if constexpr (in_cluster)
            return join_parts(w, run, strip + plan.threads(), known);
        else
            return close_in_lanes(w, run, known);
    });
}

}  // namespace xbatch::tridiagonal
