// once_solve.cuh: right-hand sides follow the elimination of their common matrix: b is read once, x stored once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "core/chunk.cuh"
#include "once_factor.cuh"
#include "planes.cuh"

namespace xbatch::tridiagonal {

// A thread's chunk, and its right-hand sides
struct OncePlace {
    int lane, k, rows;  // number of its first right-hand side in the block; chunk; its rows, 0 if it does not exist

    __device__ explicit OncePlace(const OncePlan &plan) {
        lane = int(threadIdx.x) & plan.lanes() - 1, k = int(threadIdx.x) >> plan.lanes_log;
        rows = k < plan.chunks ? min(plan.rows, int(plan.n) - k * plan.rows) : 0;
    }
    // Of the block, among all
    __device__ static int64_t first_side(const OncePlan &plan) { return int64_t(blockIdx.x) * plan.block_sides(); }
};

// The v-th of them: its system, and number among the system's, in the order of memory
struct OnceSide {
    int64_t j, r;
    bool exists;  // and the chunk

    __device__ OnceSide(const GtsvProblem &p, const OncePlan &plan, const OncePlace &place, int v, bool flat) {
        const int64_t at = OncePlace::first_side(plan) + place.lane + v * plan.lanes();
        exists = at < plan.sides && place.rows > 0;
        j = at, r = 0;
        if (p.nrhs == 1) return;
        const int64_t inner = flat ? p.nrhs : p.batch, outer = divided(at, inner);
        j = flat ? outer : at - outer * inner, r = flat ? at - outer * inner : outer;
    }
};

// A thread's rows in shared memory: of a right-hand side, then of g of the pivot rows.
template <class T>
struct OnceStage {
    T *first;  // of the first right-hand side
    int step;  // between rows
    int next;  // between right-hand sides

    __device__ OnceStage(const OncePlan &plan, T *stages, bool flat) {
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        next = int(blockDim.x) / 32 * plan.warp_stage(), step = flat ? 1 : int(blockDim.x);
        first = stages;
        first += flat ? warp * plan.warp_stage() + (lane & plan.warp_sides() - 1) * plan.stride +
                            (lane >> min(plan.lanes_log, 5)) * plan.rows
                      : int(threadIdx.x);
    }
};

// How rows are loaded and stored. FLAT: a warp accesses its threads' rows in the order of memory, row e % count of its
// right-hand side e / count in step e / 32. So unknowns are stored by way of shared memory. `steps` is the number of
// rows of every chunk but the last.
template <class T, bool FLAT>
struct OnceRows;

template <class T>
struct OnceRows<T, false> {
    T *first, *staged;
    int64_t step;
    int rows, staged_step;
    bool exists, is_wide;

    __device__ OnceRows(const GtsvProblem &p, const OncePlan &plan, const OnceStage<T> &stage, const OncePlace &place,
                        int v) {
        const OnceSide side(p, plan, place, v, false);
        staged = stage.first + v * stage.next, staged_step = stage.step, step = p.b_at.step, exists = side.exists;
        rows = exists ? place.rows : 0;
        constexpr int line = 16 / int(sizeof(T));
        const int64_t last_of_line = OncePlace::first_side(plan) + v * plan.lanes() + (place.lane | (line - 1));
        is_wide = plan.is_wide && last_of_line < plan.sides;
        first = static_cast<T *>(p.b) + (exists ? p.b_at.offset(int64_t(place.k) * plan.rows, side.j, side.r) : 0);
    }
    __device__ void load(int) const {
        constexpr int line = 16 / int(sizeof(T));
        if (line > 1 && is_wide) {  // each lane of 16 bytes copies some rows of all
            const int own = int(threadIdx.x) & line - 1;
            copy_rows<line>(own, first - own + own * step, staged - own + own * staged_step);
        } else
            copy_rows<1>(0, first, staged);
    }
    // The unknowns, the last one first
    struct Sink {
        T *at;
        int64_t step;
        bool exists;

        __device__ void put(T x) {
            if (exists) store_once(at, x);
            at -= step;
        }
    };
    __device__ Sink sink() const { return {first + (rows - 1) * step, step, exists}; }
    __device__ void finish(int) const {}

private:
    template <int COUNT>
    __device__ void copy_rows(int i, const T *from, T *staging) const {
        const unsigned further = unsigned(COUNT * staged_step) * unsigned(sizeof(T));
        unsigned to = shared_address(staging);
#pragma unroll 4
        for (; i < rows; i += COUNT, from += COUNT * step, to += further) copy_async<T, COUNT, 0>(true, to, from);
    }
};

template <class T>
struct OnceRows<T, true> {
    T *warp_first, *warp_stage, *last;  // of the thread's rows in the stage
    unsigned beyond;  // bytes from the last of the warp's rows of one right-hand side to the first of the next
    unsigned aside;   // the same in the stage
    int lane, total;  // the warp's rows, of all its right-hand sides
    SmallDivisor by_count;

    __device__ OnceRows(const GtsvProblem &p, const OncePlan &plan, const OnceStage<T> &stage, const OncePlace &place,
                        int v) {
        const int thread = threadIdx.x, warp = thread / 32, sides = plan.warp_sides();
        const int row0 = (warp * 32 >> plan.lanes_log) * plan.rows;
        const int64_t at = OncePlace::first_side(plan) + (warp * 32 & plan.lanes() - 1) + v * plan.lanes();
        lane = thread % 32;
        warp_stage = stage.first + v * stage.next - (lane & sides - 1) * plan.stride -
                     (lane >> min(plan.lanes_log, 5)) * plan.rows;
        last = stage.first + v * stage.next + place.rows - 1;
        const bool is_last = row0 + plan.warp_rows() > plan.n;
        by_count = is_last ? plan.by_last : plan.by_warp;
        const int count = is_last ? int(plan.n) - row0 : plan.warp_rows();
        total = count * int(max(int64_t(0), min(int64_t(sides), plan.sides - at)));
        warp_first = static_cast<T *>(p.b) + p.b_at.origin + at * p.b_at.ld + row0;
        beyond = unsigned(p.b_at.ld - count) * unsigned(sizeof(T));
        aside = unsigned(plan.stride - count) * unsigned(sizeof(T));
    }
    __device__ void load(int steps) const {
        if (total == 32 * steps)
            load_by<true>(steps);
        else if (total > 0)
            load_by<false>(steps);
    }
    struct Sink {
        T *at;

        __device__ void put(T x) { *at-- = x; }
    };
    __device__ Sink sink() const { return {last}; }
    __device__ void finish(int steps) const {
        if (total == 32 * steps)
            store_by<true>(steps);
        else if (total > 0)
            store_by<false>(steps);
    }

private:
    // act(t, whether it exists, address, place in the stage) for `left` steps t from t0 on. Instead of rows that do not
    // exist, which is only if not IS_FULL, the last one is given.
    template <bool IS_FULL, class Act>
    __device__ void each(int t0, int left, Act act) const {
        const int first = t0 * 32 + lane;
        const char *const from = reinterpret_cast<const char *>(warp_first + (IS_FULL ? first : 0));
        char *const staged = reinterpret_cast<char *>(warp_stage + (IS_FULL ? first : 0));
#pragma unroll
        for (int t = 0; t < once_rows<T>; ++t)
            if (t < left) {
                const int e = IS_FULL ? first + t * 32 : min(first + t * 32, total - 1);
                const unsigned side = by_count.quotient(e);
                const int constant = (IS_FULL ? t * 32 : e) * int(sizeof(T));
                act(t, IS_FULL || first + t * 32 < total, product_after(from, side, beyond) + constant,
                    staged + side * aside + constant);
            }
    }
    // at + a b, by one instruction
    __device__ static const char *product_after(const char *at, unsigned a, unsigned b) {
        uint64_t sum;
        asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(sum) : "r"(a), "r"(b), "l"(reinterpret_cast<uint64_t>(at)));
        return reinterpret_cast<const char *>(sum);
    }
    template <bool IS_FULL>
    __device__ void load_by(int steps) const {
        for (int t0 = 0; t0 < steps; t0 += once_rows<T>)
            each<IS_FULL>(t0, steps - t0, [&](int, bool exists, const char *from, char *to) {
                copy_async<T, 1, 0>(exists, shared_address(to), reinterpret_cast<const T *>(from));
            });
    }
    template <bool IS_FULL>
    __device__ void store_by(int steps) const {
        for (int t0 = 0; t0 < steps; t0 += once_rows<T>)
            each<IS_FULL>(t0, steps - t0, [&](int, bool exists, const char *to, char *from) {
                const T x = *reinterpret_cast<const T *>(from);
                if (exists) store_once(reinterpret_cast<T *>(const_cast<char *>(to)), x);
            });
    }
};

// g of the pivot row that is eliminated when row i is absorbed replaces row i-1; `run` becomes the right-hand sides of
// the interface equations.
template <class T, int SIDES>
__device__ inline void follow_down(const OncePlan &plan, const OnceFactors<T> &factors, int k, int rows,
                                   const OnceStage<T> &stage, RightSides<T> (&run)[SIDES]) {
    const int chunks = plan.chunks;
    const unsigned second = factors.order[k], is_new = factors.order[chunks + k];
    const T *records = factors.down + 4 * k;
    T *at = stage.first;
#pragma unroll
    for (int v = 0; v < SIDES; ++v) {
        run[v] = {T(0), T(0)};
        if (rows > 0) run[v].a = scaled(at[v * stage.next], real_part(get(records, 0).x));
        if (rows > 1) run[v].b = scaled(at[v * stage.next + stage.step], real_part(get(records, chunks).x));
    }
    unsigned bit = 1 << 2;
#pragma unroll(SIDES == 1 ? 4 : 2)
    for (int i = 2; i < rows; ++i, bit <<= 1) {
        at += stage.step;
        const Record<T> of = get(records, 2 * chunks);
        records += 4 * chunks;
        const PivotStep<T> step = {of.y, of.z, of.w, (second & bit) != 0, (is_new & bit) != 0};
#pragma unroll
        for (int v = 0; v < SIDES; ++v) {
            T *const here = at + v * stage.next;
            here[0] = follow(step, run[v].a, run[v].b, scaled(here[stage.step], real_part(of.x)));
        }
    }
}
// Puts all unknowns, from those at the chunk's ends. `solved` becomes whether they are finite (as substitute() in
// interface_kernels.cuh).
template <class T, int SIDES, class Sink>
__device__ inline void follow_up(const OncePlan &plan, const OnceFactors<T> &factors, int k, int rows,
                                 const OnceStage<T> &stage, const Known<T> (&known)[SIDES], Sink (&sink)[SIDES],
                                 bool (&solved)[SIDES]) {
    const int chunks = plan.chunks;
    const unsigned is_new = factors.order[chunks + k];
    const T *records = factors.up + 4 * (k + int64_t(rows - 1) * chunks), *at = stage.first + (rows - 2) * stage.step;
    T behind[SIDES], further[SIDES];
#pragma unroll
    for (int v = 0; v < SIDES; ++v) behind[v] = known[v].right0, further[v] = known[v].right1;
    unsigned bit = 1u << rows - 1;
#pragma unroll(SIDES == 1 ? 4 : 2)
    for (int i = rows - 1; i > 1; --i, bit >>= 1) {
        const Record<T> of = get(records, 0);
        records -= 4 * chunks;
#pragma unroll
        for (int v = 0; v < SIDES; ++v) {
            const T here = behind[v], other = pick((is_new & bit) != 0, further[v], known[v].left0);
            behind[v] = fnma(of.z, here, fnma(of.x, other, fnma(of.y, known[v].left1, at[v * stage.next])));
            further[v] = here;
            sink[v].put(here);
        }
        at -= stage.step;
    }
#pragma unroll
    for (int v = 0; v < SIDES; ++v) {
        if (rows > 1) sink[v].put(behind[v]);
        sink[v].put(known[v].left1);
        solved[v] = is_finite(known[v].left1) && is_finite(behind[v]);
    }
}

// The tree over the chunks of the block's right-hand sides. The table has two elements per cut: the right-hand sides of
// the interface equations of chunk k at number k, in whose place come g and h, and then the unknowns on both sides of
// the cut before chunk k.
template <class T>
__device__ inline void follow_joins(const OncePlan &plan, const OnceFactors<T> &factors, RightSides<T> *table) {
    const int lane = threadIdx.x % 32, chunks = plan.chunks, lanes = 1 << plan.tree_log, at_once = 32 / lanes;
    const int number = lane & lanes - 1;
    const auto each_join = [&](bool exists, int s, auto act) {
        for (int m = s * (2 * number + 1); exists && m < chunks; m += 2 * s * lanes) act(m);
        __syncwarp();
    };
    for (int side0 = int(threadIdx.x) / 32 * at_once; side0 < plan.block_sides();
         side0 += int(blockDim.x) / 32 * at_once) {
        const int side = side0 + (lane >> plan.tree_log);
        const bool exists = side < plan.block_sides();
        RightSides<T> *const mine = table + side * plan.slots;
        int s = 1;
        for (; s < chunks; s *= 2)
            each_join(exists, s, [&](int m) {
                const Record<T> x = get(factors.join_down, 2 * m), y = get(factors.join_down, 2 * m + 1);
                const unsigned order = factors.join_order[m];
                const auto bit = [&](int q) { return (order >> q & 1) != 0; };
                const JoinStep<T> step = {x.x, x.y, x.z, x.w, y.x, y.y, y.z, bit(0), bit(1), bit(2), bit(3), bit(4)};
                RightSides<T> left = mine[m - s];
                mine[m] = follow(step, left, mine[m]);
                mine[m - s] = left;
            });
        if (exists && number == 0) {
            const Known<T> ends = follow_end(plan, factors, mine[0]);
            mine[0] = {ends.left0, ends.left1}, mine[chunks] = {ends.right0, ends.right1};
        }
        __syncwarp();
        for (s /= 2; s > 0; s /= 2)
            each_join(exists, s, [&](int m) {
                const Record<T> x = get(factors.join_up, 2 * m), y = get(factors.join_up, 2 * m + 1);
                const RightSides<T> left = mine[m - s], right = mine[min(m + s, chunks)], gh = mine[m];
                const bool from_right = (factors.join_order[m] >> 2 & 1) != 0;
                Known<T> known = {left.a, left.b, right.a, right.b};
                const Middle<T> middle = {x.x, x.y, x.z, y.x, y.y, y.z, y.w, gh.a, gh.b, from_right, true};
                narrow(known, middle, true);
                mine[m] = {known.left0, known.left1};
            });
    }
}
template <class T>
__device__ inline Known<T> follow_end(const OncePlan &plan, const OnceFactors<T> &factors, const RightSides<T> &all) {
    const Record<T> at = get(factors.join_down, 0);
    return follow(ClosingStep<T>{at.x, at.y, at.z, at.w, factors.join_order[0] != 0, true}, all, plan.is_periodic);
}

template <class T, bool FLAT>
__global__ void __launch_bounds__(OncePlan::most_threads, 2)
    once_solve(GtsvProblem p, OncePlan plan, OnceFactors<T> factors) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    RightSides<T> *const table = reinterpret_cast<RightSides<T> *>(shared_bytes);
    constexpr int sides = once_sides<T>;
    if (FLAT) enter_plane(p);
    const OncePlace place(plan);
    const OnceStage<T> stage(
        plan, reinterpret_cast<T *>(table + (plan.chunks > 1 ? plan.slots * plan.block_sides() : 0)), FLAT);
    const auto rows_of = [&](int v) { return OnceRows<T, FLAT>(p, plan, stage, place, v); };
#pragma unroll
    for (int v = 0; v < sides; ++v) rows_of(v).load(plan.rows);
    wait_for_prerequisites();
    const int bad = *factors.bad, k = min(place.k, plan.chunks - 1);
    const auto info_of_side = [&](int v) {
        const OnceSide side(p, plan, place, v, FLAT);
        return p.info && side.exists ? p.info + side.j : nullptr;
    };
    if (place.k == 0)
        for (int v = 0; v < sides; ++v)
            if (int32_t *const info = info_of_side(v)) put_info(info, p.nrhs, bad > 0, bad - 1);
    wait_for_copies();
    __syncwarp();
    RightSides<T> run[sides];
    follow_down(plan, factors, k, place.rows, stage, run);
    Known<T> known[sides];
    RightSides<T> *const cut = table + place.lane * plan.slots + k;
    const int next = plan.lanes() * plan.slots;
    if (plan.chunks > 1) {
#pragma unroll
        for (int v = 0; v < sides; ++v)
            if (place.rows > 0) cut[v * next] = run[v];
        __syncthreads();
        follow_joins(plan, factors, table);
        __syncthreads();
    }
#pragma unroll
    for (int v = 0; v < sides; ++v) {
        const RightSides<T> *const ends = cut + v * next;
        known[v] =
            plan.chunks == 1 ? follow_end(plan, factors, run[v]) : Known<T>{ends[0].a, ends[0].b, ends[1].a, ends[1].b};
    }
    if (place.rows > 0) {
        typename OnceRows<T, FLAT>::Sink sink[sides];
        bool solved[sides];
#pragma unroll
        for (int v = 0; v < sides; ++v) sink[v] = rows_of(v).sink();
        follow_up(plan, factors, k, place.rows, stage, known, sink, solved);
        for (int v = 0; v < sides; ++v)
            if (!solved[v] && bad == 0)
                if (int32_t *const info = info_of_side(v)) report(info, p.n);
    }
    if (FLAT) __syncwarp();
#pragma unroll
    for (int v = 0; v < sides; ++v) rows_of(v).finish(plan.rows);
}

}  // namespace xbatch::tridiagonal
