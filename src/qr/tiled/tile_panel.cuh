// tile_panel.cuh: Householder vectors of up to 32 columns of a tile, two at a time, in a block's registers.
//
// Warp w has rows w*R ..., lane 8q + p of it rows q*R/4 ... of these, of columns p, p + 8, p + 16, p + 24. Column k
// publishes its tail x; each lane forms its rows' part of G = x^H a of its columns, four lanes exchange theirs, so that
// lane l has that of column l, and one exchange between the warps gives the norm of x, the products by which the
// columns to the right change, and those with the vectors to the left, of which T is made. The vectors stay
// unnormalised until the block ends: v = sigma x, sigma = 1 / (alpha - beta).
//
// Two columns share an exchange. With x1 and x2 as they are before it, below both pivots, and c the change of the
// second column by the first one's reflector, x2' = x2 - c x1 has the products x2'^H a' = x2^H a - conj(c) x1^H a -
// change x2'^H x1. They are as good as those of an exchange of its own unless x2' is much shorter than x2 or c x1; then
// the columns are processed in sequence, as they are where norms are near the ends of the range, and complex ones
// always.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "core/lanes.cuh"
#include "qr/common/householder.cuh"
#include "qr/common/tile_memory.cuh"

namespace xbatch::qr {

// One block of vectors: columns s … s+width-1 of the tile in shared memory, alone or below rows of R, [32 x width] at
// top
template <class T, int B, bool HAS_TOP>
class TilePanel {
public:
    using R = Real<T>;

    __device__ TilePanel(TileShared<T, B> &shared, T *top, int s, int width, int *bad, int bad_column)
        : shared_(shared),
          top_(top),
          s_(s),
          width_(width),
          lane_(thread_of_task() % 32),
          warp_(thread_of_task() / 32),
          bad_(bad),
          bad_column_(bad_column) {}

    // Leaves R in top, or, with the vectors below it, in tile; the vectors with explicit zeros and ones in
    // shared.vectors; tau, and V^H V in products, for form_triangle.
    __device__ __forceinline__ void factor() {
        load();
        may_overflow_ = __syncthreads_or(has_huge_entry());
        factor_columns(std::make_integer_sequence<int, groups>{});
        finish();
    }

private:
    static constexpr int groups = 4, lanes = 32 / groups;  // of columns of a lane, or of rows of a warp
    static constexpr int rows = B / tile_warps, each = rows / groups, ld = TileShared<T, B>::ld;
    static constexpr int chunk = each * int(sizeof(T)) <= 16 ? each : 16 / int(sizeof(T));
    using Part = Packed<T, chunk>;
    using Bits = typename BitsOf<R>::type;
    // Exponents of squared norms for which products with other columns lose nothing to underflow
    static constexpr int range = sizeof(R) == 8 ? 100 : 40;
    static constexpr int most_lost = 4;  // bound on the squares in a difference, relative to it
    // The products of complex numbers take longer than the exchange that is saved.
    static constexpr bool has_pairs = sizeof(T) == sizeof(R);

    __device__ int part() const { return lane_ / lanes; }
    __device__ int column(int group) const { return group * lanes + lane_ % lanes; }
    __device__ int first_row() const { return warp_ * rows + part() * each; }
    __device__ int pivot(int k) const { return HAS_TOP ? -1 : s_ + k; }
    // Whether this warp has rows below the pivot of column k
    __device__ bool has_rows_below(int k) const { return HAS_TOP || (warp_ + 1) * rows > pivot(k) + 1; }

    __device__ __forceinline__ void load() {
#pragma unroll
        for (int group = 0; group < groups; ++group) {
            const T *const from = shared_.tile + (s_ + column(group)) * ld + first_row();
#pragma unroll
            for (int i = 0; i < each; i += chunk) {
                const Part c = column(group) < width_ ? *reinterpret_cast<const Part *>(from + i) : Part{};
#pragma unroll
                for (int e = 0; e < chunk; ++e) a_[group][i + e] = c.x[e];
            }
        }
    }
    template <int... GROUP>
    __device__ __forceinline__ void factor_columns(std::integer_sequence<int, GROUP...>) {
        (factor_group<GROUP>(), ...);
    }
    template <int GROUP>
    __device__ __forceinline__ void factor_group() {
        const int first = GROUP * lanes, end = min(first + lanes, width_);
        publish_pair<GROUP>(first, end);
#pragma unroll 1
        for (int k = first; k < end;) {
            if constexpr (has_pairs) {
                if (k + 1 < end && !may_overflow_ && pair<GROUP>(k, end)) {
                    k += 2;
                    continue;
                }
            }
            step<GROUP>(k);
            publish_pair<GROUP>(++k, end);
        }
    }
    // Columns k and k + 1, if they are before the end
    template <int GROUP>
    __device__ __forceinline__ void publish_pair(int k, int end) {
        if (k < end) publish<GROUP>(k);
        if (k + 1 < end) publish<GROUP>(k + 1);
    }

    // x of column k, zero from the pivot up
    template <int GROUP>
    __device__ __forceinline__ void publish(int k) {
        if (column(GROUP) != k) return;
        T *const x = shared_.vectors + k * ld + first_row();
#pragma unroll
        for (int i = 0; i < each; i += chunk) {
            Part c;
#pragma unroll
            for (int e = 0; e < chunk; ++e) c.x[e] = first_row() + i + e > pivot(k) ? a_[GROUP][i + e] : T(0);
            *reinterpret_cast<Part *>(x + i) = c;
        }
    }
    // This lane's rows v of x, and x^H a of column lane_ in the rows of this warp
    __device__ __forceinline__ T products(int k, T (&v)[each]) {
        const T *const x = shared_.vectors + k * ld + first_row();
#pragma unroll
        for (int i = 0; i < each; i += chunk) {
            const Part c = *reinterpret_cast<const Part *>(x + i);
#pragma unroll
            for (int e = 0; e < chunk; ++e) v[i + e] = c.x[e];
        }
        T sum[groups];
#pragma unroll
        for (int group = 0; group < groups; ++group) {
            sum[group] = conjugate(v[0]) * a_[group][0];
#pragma unroll
            for (int i = 1; i < each; ++i) sum[group] = fma_(conjugate(v[i]), a_[group][i], sum[group]);
        }
        // Of two groups this lane keeps its own and sends the other one.
        const bool is_upper = part() / 2 != 0, is_odd = part() % 2 != 0;
        T two[2];
#pragma unroll
        for (int e = 0; e < 2; ++e)
            two[e] = (is_upper ? sum[e + 2] : sum[e]) + xbatch::exchanged(is_upper ? sum[e] : sum[e + 2], 2 * lanes);
        return (is_odd ? two[1] : two[0]) + xbatch::exchanged(is_odd ? two[0] : two[1], lanes);
    }
    // Over all warps, always in the same order
    __device__ __forceinline__ T sum_of_warps(int turn, int which = 0) const {
        T q[tile_warps];
#pragma unroll
        for (int w = 0; w < tile_warps; ++w) q[w] = shared_.partial[turn][which][w][lane_];
#pragma unroll
        for (int half = tile_warps / 2; half > 0; half /= 2)
#pragma unroll
            for (int w = 0; w < half; ++w) q[w] = q[w] + q[w + half];
        return q[0];
    }
    // a -= x change, in the columns of a group
    __device__ __forceinline__ void update(int group, const T (&v)[each], T change) {
        const T own = from_lane(change, column(group));
#pragma unroll
        for (int i = 0; i < each; ++i) a_[group][i] = fnma(v[i], own, a_[group][i]);
    }

    // Entries of the rows of two pivots in a column, as they are exchanged
    __device__ Packed<T, 2> &pivots(int turn, int column) const {
        return reinterpret_cast<Packed<T, 2> *>(shared_.row[turn])[column];
    }
    __device__ bool owns_pivot(int k) const { return warp_ == pivot(k) / rows && part() == pivot(k) % rows / each; }
    // The pivot row of column k, by the lanes that have it. Registers have no index: the row is selected.
    __device__ __forceinline__ void broadcast_pivot(int k, int turn, int which) const {
        if (!owns_pivot(k)) return;
#pragma unroll
        for (int group = 0; group < groups; ++group) {
            T x[each];
#pragma unroll
            for (int i = 0; i < each; ++i) x[i] = a_[group][i];
#pragma unroll
            for (int half = each / 2; half > 0; half /= 2)
#pragma unroll
                for (int i = 0; i < half; ++i) x[i] = pivot(k) & half ? x[i + half] : x[i];
            pivots(turn, column(group)).x[which] = x[0];
        }
    }
    // Those of columns k and k + 1, if they are even and odd together
    __device__ __forceinline__ void broadcast_pivots(int k, int turn) const {
        if (pivot(k) % 2 != 0) {
            broadcast_pivot(k, turn, 0), broadcast_pivot(k + 1, turn, 1);
            return;
        }
        if (!owns_pivot(k)) return;
#pragma unroll
        for (int group = 0; group < groups; ++group) {
            Packed<T, 2> x{a_[group][0], a_[group][1]};
            if (each > 2 && pivot(k) & 2) x = {a_[group][each - 2], a_[group][each - 1]};
            pivots(turn, column(group)) = x;
        }
    }
    // One warp stores row k of R, not the one that broadcasts it.
    __device__ bool stores_row(int k) const { return warp_ == (HAS_TOP ? 0 : pivot(k) / rows ^ 1); }
    __device__ T *row_of(int k) const {
        return HAS_TOP ? top_ + lane_ * block_ld + k : shared_.tile + (s_ + lane_) * ld + pivot(k);
    }
    // Stores sigma, tau, row k of R and the products for T, when the reflector of column k is known; a lane per column
    __device__ __forceinline__ void finish_column(int k, const HouseholderScalars<T> &h, T g, T head, T w) {
        if (lane_ == k) sigma_ = h.sigma;
        if (stores_row(k) && lane_ >= k && lane_ < width_) *row_of(k) = lane_ > k ? head - w : T(h.beta);
        if (warp_ != tile_warps - 1) return;
        if (lane_ < k) {
            const T below = h.sigma * conjugate(g), all = HAS_TOP ? below : below + conjugate(head);
            shared_.products[k * block_ld + lane_] = conjugate(sigma_) * all;
        }
        if (lane_ == k) shared_.tau[k] = h.tau;
    }

    // Eliminates columns k and k + 1, both of GROUP and published. Returns false, with nothing changed, if each needs
    // its own exchange.
    template <int GROUP>
    __device__ __forceinline__ bool pair(int k, int end) {
        const int turn = k / 2 & 1;
        T head1 = T(0), head2 = T(0), alpha1, alpha2, v1[each], v2[each];
        if constexpr (HAS_TOP) {  // read before the barrier, after which they change
            if (lane_ < width_) head1 = *row_of(k), head2 = *row_of(k + 1);
            alpha1 = top_[k * block_ld + k], alpha2 = top_[(k + 1) * block_ld + k + 1];
        } else {
            broadcast_pivots(k, turn);
        }
        const bool has_rows_below = this->has_rows_below(k);
        __syncwarp();
        shared_.partial[turn][0][warp_][lane_] = has_rows_below ? products(k, v1) : T(0);
        shared_.partial[turn][1][warp_][lane_] = has_rows_below ? products(k + 1, v2) : T(0);
        __syncthreads();
        const T g1 = sum_of_warps(turn, 0), both = sum_of_warps(turn, 1);
        const R squares1 = from_lane(real_part(g1), k), squares2 = from_lane(real_part(both), k + 1);
        T first = g1, entry = T(0);  // x1^H a below the second pivot, and x1 in its row
        R left = squares1;
        if constexpr (!HAS_TOP) {
            const Packed<T, 2> heads = pivots(turn, lane_), of_first = pivots(turn, k);
            head1 = heads.x[0], head2 = heads.x[1], alpha1 = of_first.x[0], entry = of_first.x[1];
            alpha2 = pivots(turn, k + 1).x[1];
            first = fnma(conjugate(entry), head2, g1), left = squares1 - inner(entry, entry);
        }
        const T across = from_lane(first, k + 1), back = from_lane(both, k);  // x1^H x2 and x2^H x1

        const HouseholderScalars<T> h1 = householder(alpha1, squares1);
        const T w1 = fma_(conjugate(h1.tau), head1, g1 * h1.ratio);
        const T change1 = lane_ > k ? change_of(h1, head1, g1, w1) : T(0), c = from_lane(change1, k + 1);
        const T product = fnma(conjugate(c), T(left), back);  // x2'^H x1
        const R rest = real_part(fnma(c, product, fnma(conjugate(c), across, T(squares2))));
        if constexpr (!HAS_TOP) alpha2 = fnma(entry, c, alpha2), head2 = fnma(entry, change1, head2);
        const R most = most_lost * rest;
        const T g2 = fnma(change1, product, fnma(conjugate(c), first, both));
        const HouseholderScalars<T> h2 = householder(alpha2, rest);
        const T w2 = fma_(conjugate(h2.tau), head2, g2 * h2.ratio);
        const T change2 = lane_ > k + 1 ? change_of(h2, head2, g2, w2) : T(0), change = fnma(c, change2, change1);
        if (!(in_safe_range(alpha1, squares1) && in_safe_range(alpha2, rest) && squares2 <= most &&
              inner(c, c) * squares1 <= most)) {
            __syncthreads();  // all have read what is exchanged again
            return false;
        }
        if (has_rows_below) {
            update(GROUP, v1, change), update(GROUP, v2, change2);
            publish_pair<GROUP>(k + 2, end);
#pragma unroll
            for (int group = GROUP + 1; group < groups; ++group) update(group, v1, change), update(group, v2, change2);
        }
        finish_column(k, h1, g1, head1, w1);
        finish_column(k + 1, h2, g2, head2, w2);
        return true;
    }

    // Eliminates column k, which is one of GROUP and published, for any norm
    template <int GROUP>
    __device__ __forceinline__ void step(int k) {
        const int turn = k / 2 & 1;  // not that of the pair before, which others may still read
        T head = T(0), alpha = T(0), v[each];
        if constexpr (HAS_TOP) {  // read before the barrier, after which they change
            if (lane_ < width_) head = *row_of(k);
            alpha = top_[k * block_ld + k];
        } else {
            broadcast_pivot(k, turn, 0);
        }
        T g = exchanged<GROUP>(k, turn, v);
        if constexpr (!HAS_TOP) head = pivots(turn, lane_).x[0], alpha = pivots(turn, k).x[0];
        const R squares = from_lane(real_part(g), k);
        HouseholderScalars<T> h = householder(alpha, squares);
        if (!in_safe_range(alpha, squares) || may_overflow_) {
            const ColumnScaling<R> scaling = scaling_of(shared_.vectors + k * ld, pivot(k) + 1, B, alpha);
            __syncthreads();  // all have read x
            alpha = scaling.scaled(alpha);
            if (column(GROUP) == k) {
#pragma unroll
                for (int i = 0; i < each; ++i)  // R's entries above may be so large that they would leave the range
                    if (first_row() + i > pivot(k)) a_[GROUP][i] = scaling.scaled(a_[GROUP][i]);
            }
            publish<GROUP>(k);
            g = exchanged<GROUP>(k, turn, v);
            h = householder(alpha, from_lane(real_part(g), k));
            h.beta = scaling.unscaled(h.beta);
            if (scaling.is_nothing) g = T(0), h = {real_part(alpha), R(0), T(0), T(0)};
        }
        const T w = fma_(conjugate(h.tau), head, g * h.ratio), change = change_of(h, head, g, w);
        if (has_rows_below(k)) {
            const T own = from_lane(change, column(GROUP));
            if (column(GROUP) > k) {  // columns to the left do not change, even if x is NaN
#pragma unroll
                for (int i = 0; i < each; ++i) a_[GROUP][i] = fnma(v[i], own, a_[GROUP][i]);
            }
#pragma unroll
            for (int group = GROUP + 1; group < groups; ++group) update(group, v, change);
        }
        finish_column(k, h, g, head, w);
        if (warp_ == 0 && lane_ == k && !is_finite(h.beta)) atomicMax(bad_, INT32_MAX - (bad_column_ + k));
        __syncthreads();  // the next exchange may be of two columns, and use the same memory
    }
    template <int GROUP>
    __device__ __forceinline__ T exchanged(int k, int turn, T (&v)[each]) {
        __syncwarp();
        shared_.partial[turn][0][warp_][lane_] = has_rows_below(k) ? products(k, v) : T(0);
        __syncthreads();
        return sum_of_warps(turn, 0);
    }

    // Whether one of this thread's entries, of the block or of R above it, is so large that its product with an x in
    // the safe range, or with 1 / |x|, may overflow: rotations keep the norms of columns, so that none becomes so large
    // later.
    __device__ bool has_huge_entry() const {
        bool has = false;
        const auto test = [&](T x) {  // NaN affects its own column only
            const int size = exponent_field(magnitude(x));
            has = has || (size > Bits::bias + Bits::bias / 2 && size <= 2 * Bits::bias);
        };
#pragma unroll
        for (int group = 0; group < groups; ++group)
#pragma unroll
            for (int i = 0; i < each; ++i) test(a_[group][i]);
        if (HAS_TOP && lane_ < width_)
            for (int r = warp_; r < width_; r += tile_warps) test(top_[lane_ * block_ld + r]);
        return has;
    }
    // Whether the squares are far from the ends of the range: by exponents, which leave the floating-point unit free
    static __device__ __forceinline__ bool in_safe_range(T alpha, R squares) {
        const int size = exponent_field(squares), head = exponent_field(magnitude(alpha));
        return size >= Bits::bias - range && size <= Bits::bias + range && head <= Bits::bias + range / 2;
    }
    __device__ __forceinline__ void finish() {
#pragma unroll
        for (int group = 0; group < groups; ++group) {
            const int c = column(group), at = c * ld + first_row(), diagonal = pivot(c) - first_row();
            const T sigma = from_lane(sigma_, c);
#pragma unroll
            for (int i = 0; i < each; i += chunk) {
                Part vector, left;
#pragma unroll
                for (int e = 0; e < chunk; ++e) {
                    left.x[e] = a_[group][i + e] * sigma;
                    const bool is_one = !HAS_TOP && i + e == diagonal;
                    vector.x[e] = c < width_ && (HAS_TOP || i + e > diagonal) ? left.x[e] : T(R(is_one && c < width_));
                    if (!HAS_TOP && c < width_ && i + e > diagonal) shared_.tile[s_ * ld + at + i + e] = left.x[e];
                }
                *reinterpret_cast<Part *>(shared_.vectors + at + i) = vector;
            }
        }
    }

    TileShared<T, B> &shared_;
    T *top_;
    int s_, width_, lane_, warp_;
    int *bad_, bad_column_;
    bool may_overflow_ = false;
    T a_[groups][each], sigma_ = T(0);
};

}  // namespace xbatch::qr
