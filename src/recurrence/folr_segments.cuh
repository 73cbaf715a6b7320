// folr_segments.cuh: few long sequences, each shared by several blocks.
//
// Every worker condenses a segment to its affine map, from its last tile to its first, so that the tiles it loads again
// first are still in the cache. Blocks exchange their maps through global memory; after a grid barrier every worker
// computes the state before its segment and walks it: 40 bytes per element of doubles instead of 24.
//
// FLAT: a worker stops condensing where the influence of earlier elements has decayed. If w = P w_q + v is the map of
// the tiles it has condensed, and |P| is far below eps, then v is used for the state w behind the segment, and the map
// is said to be cut. The worker computes w_q when it walks its segment, and checks that |P w_q| <= eps/64 |v|. The
// omitted term is then a rounding error of one more operation, of at most eps/64 m, where m is the same recurrence over
// absolute values, m >= |v|: later elements w_i have at most eps/64 m_i of it. As there are fewer than 2^13 segments,
// all omitted terms together are at most 128 eps m_i, within the bound of the contract, as chunk + log2(chunks) > 16.
//
// If any worker of the grid finds a larger term (the elements before were larger, or not finite), its sequence is
// corrected after a second grid barrier. The errors d_i of w_i satisfy d_i = s_i d_{i-1}, and a jump P w_q is added to
// d behind each such segment. This is the same recurrence with t = 0, which is evaluated in the same way without cuts
// and added to w. It needs s and w only, as w may have replaced t.
//
// What is cut, and what is corrected, depends on the sequence and on the shape alone: other sequences have no
// influence, and bits are the same in every run.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cooperative_groups.h>

#include "folr_kernels.cuh"

namespace xbatch::recurrence {

// A map {0, cut_exponent, t} does not depend on the state before, be it Inf or NaN.
constexpr int cut_exponent = INT_MIN;

template <class T>
__device__ inline AffineMap<T> cut_map(T t) {
    return {T(0), cut_exponent, t};
}
template <class T>
__device__ inline bool is_cut(const AffineMap<T> &map) {
    return map.e == cut_exponent;
}
// The composition of maps of which any may be cut: first `a`, then `b`
template <class T>
__device__ inline AffineMap<T> composed_after_cuts(const AffineMap<T> &a, const AffineMap<T> &b) {
    if (is_cut(b)) return b;
    return is_cut(a) ? cut_map(pass(b, a.t)) : composed(a, b);
}
template <class T>
__device__ inline T pass_after_cuts(const AffineMap<T> &map, T before) {
    return is_cut(map) ? map.t : pass(map, before);
}

// Whether a map may be cut: |P| <= 2^-26 eps, so that |w_q| up to 2^20 |v| passes the check. A P of 0 is exact.
template <class T>
__device__ inline bool has_decayed(const AffineMap<T> &map) {
    constexpr int enough = std::numeric_limits<Real<T>>::digits + 26;
    return magnitude(map.m) == 0 || (map.e < -enough && !(magnitude(map.t) == 0));
}
// The term P w_q that a cut omits, or 0 if it is negligible
template <class T>
__device__ inline T omitted(const AffineMap<T> &map, T state) {
    constexpr Real<T> negligible = std::numeric_limits<Real<T>>::epsilon() / 128;  // eps/64
    const T term = times_power_of_two(map.m * state, map.e);
    return magnitude(term) <= negligible * magnitude(map.t) ? T(0) : term;
}

// Copies maps that other blocks wrote, bypassing the first-level cache, by `threads` threads together.
template <class T>
__device__ inline void fetch_maps(const AffineMap<T> *from, int64_t count, AffineMap<T> *to, int thread, int threads) {
    for (int64_t i = thread; i < count * int64_t(sizeof(AffineMap<T>) / 4); i += threads)
        reinterpret_cast<int *>(to)[i] = __ldcg(reinterpret_cast<const int *>(from) + i);
}

// The maps of all blocks of a unit temporarily share the memory of the stages.
template <class T, int R, bool FLAT>
XBATCH_HD constexpr size_t segments_bytes(int threads, int64_t maps) {
    const size_t stages = stages_bytes<T, R, FLAT>(threads),
                 fetched = FLAT ? (size_t(maps) * sizeof(AffineMap<T>) + 15) / 16 * 16 : 0;
    return walk_bytes<T, R, FLAT>(threads) - stages + (stages > fetched ? stages : fetched);
}

// `places` blocks share each of `units` units: a sequence, FLAT, otherwise `systems` sequences. Block `place` of unit u
// writes the maps of its segments to maps[u*places + place], one for each sequence, and block b of the grid to
// missed[b] whether it omitted more than it may.
template <class T>
struct Places {
    int64_t units, tiles;
    int count;  // of a unit
    AffineMap<T> *maps;
    int *missed;
};

// The segments of a block and its threads, in tiles of Walker's
template <class T, int R, bool FLAT, int THREADS, bool CORRECTS = false>
struct SegmentWorker {
    static constexpr int workers = FLAT ? THREADS / 32 : 1;

    Walker<T, R, FLAT, CORRECTS> w;
    const Places<T> &places;
    int64_t unit, place;
    AffineMap<T> *of_warps;              // [THREADS / 32]
    AffineMap<T> *fetched;               // [places.count], FLAT
    int S = FLAT ? 1 : w.shape.systems;  // systems of the block that have maps of their own

    __device__ int worker() const { return FLAT ? int(threadIdx.x / 32) : 0; }
    __device__ int system() const { return FLAT ? 0 : w.chunk.system; }  // of these
    // The first tile of the segment, in tiles of which the sequence has places.tiles; after = 1: of the next segment
    __device__ int64_t begin(int after = 0) const {
        return places.tiles * (place * workers + worker() + after) / (int64_t(places.count) * workers);
    }

    // The map of tiles cut … end-1, in the thread of the last chunk; `cut` is `begin` unless the map is to be cut.
    __device__ AffineMap<T> condense(int64_t begin, int64_t end, int64_t &cut) {
        AffineMap<T> segment = identity_map<T>();
        for (cut = end; cut > begin;) {
            segment = composed(w.enter(--cut * w.shape.chunks * R), segment);
            // Cuts pay if they save two tiles.
            if (FLAT && !CORRECTS && cut > begin + 1 && from_lane(int(has_decayed(segment)), 31)) break;
        }
        return segment;
    }
    __device__ void publish(const AffineMap<T> &segment) const {
        AffineMap<T> *const published = places.maps + (unit * places.count + place) * S;
        if (FLAT) {
            if (w.is_last()) of_warps[worker()] = segment;
            __syncthreads();
            if (threadIdx.x > 0) return;
            AffineMap<T> of_block = of_warps[0];
            for (int q = 1; q < workers; ++q) of_block = composed_after_cuts(of_block, of_warps[q]);
            *published = of_block;
        } else if (w.is_last()) {
            published[system()] = segment;
        }
    }
    // The state before the segment, when all maps have been published
    __device__ T state_before(T at_start) {
        // The maps of one sequence are copied to shared memory, as all warps use them; those of many are read in place.
        const AffineMap<T> *const published = places.maps + unit * places.count * S;
        if (FLAT) fetch_maps(published, place, fetched, threadIdx.x, THREADS);
        __syncthreads();
        AffineMap<T> before = identity_map<T>(), ignored;
        const int count = int(place);
        if (w.chunk.is_used)
            for (int q = count * w.chunk.k / w.shape.chunks; q < count * (w.chunk.k + 1) / w.shape.chunks; ++q) {
                AffineMap<T> map;
                if (FLAT)
                    map = fetched[q];
                else
                    fetch_maps(published + int64_t(q) * S + system(), 1, &map, 0, 1);
                before = composed_after_cuts(before, map);
            }
        if (FLAT)
            before = compose_lanes(before, w.chunk.k, w.shape.chunks, composed_after_cuts<T>);
        else
            before = propagate<T, FLAT>(before, w.chunk, w.shape, w.exchange, ignored);
        __syncthreads();  // the stages are free again
        for (int q = 0; q < worker(); ++q) before = composed_after_cuts(before, of_warps[q]);
        return w.spread(pass_after_cuts(before, at_start));
    }
};

// Whether any map of the grid is cut; none is if all segments are too short. FLAT.
template <class T>
__device__ inline bool any_is_cut(const Places<T> &places, int workers) {
    if (places.tiles <= 2 * int64_t(places.count) * workers) return false;
    bool any = false;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) any |= __ldcg(&places.maps[b].e) == cut_exponent;
    return __syncthreads_or(any);
}

enum class Missed { none, by_others, by_own };

// Exchanges whether the cuts of a block, and those of the blocks with the same sequence, have omitted more than they
// may.
template <class T>
__device__ inline Missed exchange_missed(const Places<T> &places, int64_t unit, T term) {
    const int has_missed = __syncthreads_or(!(magnitude(term) == 0));
    if (threadIdx.x == 0) places.missed[blockIdx.x] = has_missed;
    cooperative_groups::this_grid().sync();
    int any = 0, own = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
        const int missed = __ldcg(places.missed + b);
        any |= missed, own |= missed && b % places.units == unit;
    }
    any = __syncthreads_or(any), own = __syncthreads_or(own);
    return own ? Missed::by_own : any ? Missed::by_others : Missed::none;
}

// FLAT: adds to w what cuts have omitted, `term` behind this segment.
template <class Worker, class T>
__device__ inline void correct(Worker my, int64_t begin, int64_t end, T term) {
    int64_t cut;
    AffineMap<T> segment = my.condense(begin, end, cut);
    segment.t = term;
    my.publish(segment);
    cooperative_groups::this_grid().sync();
    const T state = my.state_before(T(0));
    my.w.walk(begin, end, state);
}

template <class T, int R, bool FLAT, int THREADS>
__global__ void __launch_bounds__(THREADS, 2) folr_segments(FolrProblem p, BlockShape shape, Places<T> places) {
    constexpr int fine = 4;  // rows of a thread in corrections, so that they need no more registers
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    __shared__ AffineMap<T> of_warps[THREADS / 32], windows[THREADS / 32];
    const int64_t unit = blockIdx.x % places.units, place = blockIdx.x / places.units;
    const size_t stages = segments_bytes<T, R, FLAT>(THREADS, places.count) -
                          (walk_bytes<T, R, FLAT>(THREADS) - stages_bytes<T, R, FLAT>(THREADS));
    AffineMap<T> *const fetched = reinterpret_cast<AffineMap<T> *>(shared_bytes);
    SegmentWorker<T, R, FLAT, THREADS> my{
        walker<T, R, FLAT>(p, shape, shared_bytes, stages, unit), places, unit, place, of_warps, fetched};
    if (FLAT) my.w.j0 = unit / p.nrhs - my.worker();  // all warps of the block have the same sequence

    int64_t cut;
    const AffineMap<T> segment = my.condense(my.begin(), my.begin(1), cut);
    const bool is_cut = FLAT && cut > my.begin();
    if (FLAT && my.w.is_last()) windows[my.worker()] = segment;
    my.publish(is_cut ? cut_map(segment.t) : segment);
    cooperative_groups::this_grid().sync();
    T state = my.state_before(state_at_start<T>(p, my.w.chunk.is_used, my.w.j0 + my.w.chunk.system, my.w.r));
    T term = T(0);
#pragma unroll 1
    for (int part = is_cut ? 0 : 1; part < 2; ++part) {
        state = my.w.walk(part == 0 ? my.begin() : cut, part == 0 ? cut : my.begin(1), state);
        if (FLAT && part == 0) term = omitted(windows[my.worker()], state);
    }
    if constexpr (FLAT) {
        if (!any_is_cut(places, my.workers)) return;
        const Missed missed = exchange_missed(places, unit, term);
        if (missed == Missed::none) return;
        SegmentWorker<T, fine, true, THREADS, true> corrector{
            walker<T, fine, true, true>(p, shape, shared_bytes, stages, unit), places, unit, place, of_warps, fetched};
        corrector.w.j0 = my.w.j0;
        const int64_t most = missed == Missed::by_own ? (p.n - 1) / (32 * fine) + 1 : 0;
        correct(corrector, min(my.begin() * (R / fine), most), min(my.begin(1) * (R / fine), most), term);
    }
}

}  // namespace xbatch::recurrence
