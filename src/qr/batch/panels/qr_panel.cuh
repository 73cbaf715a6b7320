// qr_panel.cuh: several blocks together factor a panel of columns of a matrix.
//
// Each block has rows of the panel, a tile of them in registers: lane (r, l) of a warp, D lanes down and A across, has
// R rows of C columns. Of column k, x below its head is published to the warp. x^H a of all columns and x^H x are
// summed over lanes, warps and blocks, which exchange them once. A block with more tiles loads all for each column.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/block_barrier.cuh"
#include "core/cluster.cuh"
#include "core/dependent_launch.cuh"
#include "core/lanes.cuh"
#include "mailbox.cuh"
#include "qr/batch/tile_kind.cuh"
#include "qr/common/householder.cuh"
#include "qr_large.hpp"

namespace xbatch::qr {

template <class T>
struct PanelShared {
    T published[panel_warps][PanelShape<T>::warp_rows];
    T heads[2][panel_columns];                  // of the top block's row k, in turn
    T sums[2][panel_warps][panel_columns];      // in turn
    T from_blocks[panel_warps][panel_columns];  // sums of blocks
    T top[panel_columns];                       // row k, from the top block
    T sigmas[panel_columns], r[panel_columns][panel_columns];
    T from_cluster[2][most_cluster + 1][panel_columns];  // sums of a cluster's blocks, in turn, and row k
    uint64_t arrived[2];
};

template <class T>
struct PanelArguments {
    DeviceMatrices<T> a;  // from the panel's head on
    DeviceTau<T> tau;
    int64_t first, rows, batch;  // columns before the panel
    int columns;
    int32_t *info;
    const int32_t *done;  // nonzero for matrices whose panel is factored; may be NULL
    PanelSplit split;
    Mailbox<T> *mailboxes;  // if the blocks form no cluster
    unsigned number;        // of exchanges before
};

// HELD: all rows of a block are one tile, resident in registers.
template <class T, bool HELD>
class MultiBlockPanel {
public:
    using R = Real<T>;
    static constexpr int D = PanelShape<T>::down, A = 32 / D, C = panel_columns / A, rows = PanelShape<T>::lane_rows;
    static constexpr int chunk = Sixteen<T>::size, chunks = rows / chunk;

    __device__ MultiBlockPanel(PanelShared<T> &shared, const PanelArguments<T> &p)
        : s_(shared),
          p_(p),
          group_(int(blockIdx.x) / p.split.blocks),
          rank_(int(blockIdx.x) % p.split.blocks),
          lane_(int(threadIdx.x) % 32),
          warp_(__shfl_sync(~0u, int(threadIdx.x) / 32, 0)),  // known to be uniform
          warps_(int(blockDim.x) / 32),
          number_(p.split.in_cluster ? 0 : p.number) {}

    __device__ __forceinline__ void run() {
        // Sums that nobody publishes are zero.
        for (int e = int(threadIdx.x); e < panel_warps * panel_columns; e += int(blockDim.x))
            s_.sums[0][0][e] = s_.sums[1][0][e] = s_.from_blocks[0][e] = T(R(0));
        for (int e = int(threadIdx.x); e < 2 * (most_cluster + 1) * panel_columns; e += int(blockDim.x))
            s_.from_cluster[0][0][e] = T(R(0));
        if (threadIdx.x == 0) arrival(0).begin(), arrival(1).begin();
        sync_cluster();  // all have begun before any writes to another's memory
        __syncthreads();
        for (matrix_ = group_; matrix_ < p_.batch; matrix_ += p_.split.groups) {
            if (p_.info[matrix_] != 0 || (p_.done && p_.done[matrix_] != 0)) continue;
            const int wrong = factor();
            if (wrong > 0 && rank_ == 0 && threadIdx.x == 0) p_.info[matrix_] = int32_t(p_.first + wrong);
        }
        sync_cluster();  // and none ends before all such writes
    }

private:
    __device__ int tiles() const { return HELD ? 1 : p_.split.tiles; }
    __device__ TransferBarrier arrival(int turn) const { return {s_.arrived + turn}; }
    __device__ void sync_cluster() const {
        if (p_.split.in_cluster) cluster_arrive(), cluster_wait();
    }
    __device__ int column(int c) const { return lane_ / D + c * A; }
    __device__ int first_row() const { return warp_ * PanelShape<T>::warp_rows + lane_ % D * chunk; }
    __device__ int row(int i) const { return first_row() + i / chunk * (D * chunk) + i % chunk; }  // in the top warp
    __device__ bool is_over(int c, int k) const { return (c + 1) * A <= k; }                       // for all lanes
    // The one with the larger real part, NaN if one is NaN
    static __device__ T largest(T x, T y) {
        return real_part(x) > real_part(y) || real_part(x) != real_part(x) ? x : y;
    }
    // Selects the rows that are in registers
    __device__ __forceinline__ void select_tile(int tile) {
        tile_ = tile;
        is_top_ = tile == 0 && rank_ == 0 && warp_ == 0;
    }
    // Loads columns from k on, or STORES them.
    template <bool STORES>
    __device__ __forceinline__ void move(int k) {
        int64_t j = matrix_;
        asm volatile("" : "+l"(j));  // hidden: addresses are not to be held in registers
        const MatrixView<T> m = p_.a.of(j);
        const int64_t begin = (int64_t(tile_) * p_.split.blocks + rank_) * p_.split.tile_rows + first_row();
        const int height = int(min(p_.rows - begin, int64_t(PanelShape<T>::warp_rows)));
        const bool is_whole = m.by_sixteen && height >= (chunks - 1) * D * chunk + chunk;
        T *of_column = m.data + begin * m.row + column(0) * m.column;
#pragma unroll
        for (int c = 0; c < C; ++c) {
            const bool is_there = column(c) >= k && column(c) < p_.columns;
            T *at = of_column;
#pragma unroll
            for (int u = 0; u < chunks; ++u) {
                if (is_whole) {
                    Sixteen<T> x;
                    if constexpr (!STORES) x = read_if(is_there, reinterpret_cast<const Sixteen<T> *>(at));
#pragma unroll
                    for (int e = 0; e < chunk; ++e) {
                        T &a = a_[c][u * chunk + e];
                        (STORES ? x.x[e] : a) = STORES ? a : x.x[e];
                    }
                    if (STORES && is_there) *reinterpret_cast<Sixteen<T> *>(at) = x;
                } else {
#pragma unroll
                    for (int e = 0; e < chunk; ++e) {
                        const bool is_in = is_there && u * D * chunk + e < height;
                        if constexpr (!STORES) a_[c][u * chunk + e] = read_if(is_in, at + e * m.row);
                        if (STORES && is_in) at[e * m.row] = a_[c][u * chunk + e];
                    }
                }
                at += D * chunk * m.row;
            }
            of_column += A * m.column;
        }
    }
    __device__ __forceinline__ bool owns(int c, int k) const { return k / A == c && lane_ / D == k % A; }

    // Publishes x of column k to the warp and, if it is here, row k to the block
    __device__ __forceinline__ void publish(int k) {
        __syncwarp();
#pragma unroll
        for (int c = 0; c < C; ++c) {
            if (!owns(c, k)) continue;
#pragma unroll
            for (int u = 0; u < chunks; ++u) {
                Sixteen<T> y;
#pragma unroll
                for (int e = 0; e < chunk; ++e)
                    y.x[e] = chosen(is_top_ && row(u * chunk + e) <= k, T(R(0)), a_[c][u * chunk + e]);
                *reinterpret_cast<Sixteen<T> *>(own_published(u)) = y;
            }
        }
        if (is_top_) {
#pragma unroll
            for (int i = 0; i < panel_columns / D; ++i)
                if (row(i) == k) {
#pragma unroll
                    for (int c = 0; c < C; ++c) s_.heads[k & 1][column(c)] = a_[c][i];
                }
        }
        __syncwarp();
    }
    __device__ T *own_published(int u) const { return s_.published[warp_] + (u * D + lane_ % D) * chunk; }
    // x in the rows of this lane
    __device__ __forceinline__ void read_published(bool is_scaled, T (&x)[rows]) const {
#pragma unroll
        for (int u = 0; u < chunks; ++u) {
            const Sixteen<T> y = *reinterpret_cast<const Sixteen<T> *>(own_published(u));
#pragma unroll
            for (int e = 0; e < chunk; ++e) x[u * chunk + e] = y.x[e];
        }
        if (is_scaled)
#pragma unroll
            for (int i = 0; i < rows; ++i) x[i] = x[i] * scale_[0] * scale_[1];
    }
    // g += x^H a, squares += x^H x
    __device__ __forceinline__ void add_products(int k, bool is_scaled, T (&g)[C], R &squares) const {
        T x[rows];
        read_published(is_scaled, x);
#pragma unroll
        for (int i = 0; i < rows; ++i) squares += inner(x[i], x[i]);
#pragma unroll
        for (int c = 0; c < C; ++c)
            if (!is_over(c, k))
#pragma unroll
                for (int i = 0; i < rows; ++i) g[c] = fma_(conjugate(x[i]), a_[c][i], g[c]);
    }
    // A -= x w in all columns after k, except in row k; column k becomes v, if not in finish().
    __device__ __forceinline__ void subtract_outer(int k) {
        T x[rows];
        read_published(is_scaled_, x);
#pragma unroll
        for (int c = 0; c < C; ++c)
            if (!is_over(c, k))
#pragma unroll
                for (int i = 0; i < rows; ++i) a_[c][i] = fnma(x[i], w_[c], a_[c][i]);
        if (HELD && !is_scaled_) return;
#pragma unroll
        for (int c = 0; c < C; ++c)
#pragma unroll
            for (int i = 0; i < rows; ++i)
                if (owns(c, k) && (!is_top_ || row(i) > k)) a_[c][i] = sigma_ * x[i];
    }
    // Scales columns that are still x; stores the vectors, then the first `count` rows of R
    __device__ __forceinline__ void finish(int count) {
        __syncthreads();
        if (HELD) {
#pragma unroll
            for (int c = 0; c < C; ++c) {
                const T sigma = s_.sigmas[column(c)];
#pragma unroll
                for (int i = 0; i < rows; ++i)
                    if (column(c) < count) a_[c][i] = sigma * a_[c][i];
            }
            move<true>(0);
        }
        __syncthreads();
        if (rank_ > 0) return;
        const MatrixView<T> m = p_.a.of(matrix_);
        for (int e = int(threadIdx.x); e < count * panel_columns; e += int(blockDim.x)) {
            const int k = e % panel_columns, c = e / panel_columns;
            if (k <= c && k < count && c < p_.columns) *m.at(k, c) = s_.r[k][c];
        }
    }
    // The sum over all rows of the matrix, or the largest, for column `lane`
    __device__ __forceinline__ T reduce(int k, T (&g)[C], bool is_largest) {
        const auto op = [&](T x, T y) { return is_largest ? largest(x, y) : x + y; };
        const int turn = int(++number_ & 1);
        static_assert(D == 4 && C == D);  // the last sum of lane (r, l) is that of column(r)
        const bool is_high = lane_ & 2, is_odd = lane_ & 1;
        const auto halve = [&](bool is_upper, T lower, T upper, int distance) {
            return op(chosen(is_upper, upper, lower), exchanged(chosen(is_upper, lower, upper), distance));
        };
        const T even = halve(is_high, g[0], g[2], 2), odd = halve(is_high, g[1], g[3], 2);
        s_.sums[turn][warp_][column(lane_ % D)] = halve(is_odd, even, odd, 1);
        __syncthreads();
        head_ = s_.heads[k & 1][lane_];
        const int blocks = p_.split.blocks;
        if (blocks == 1) return reduce_rows<panel_warps>(s_.sums[turn], op);
        if (p_.split.in_cluster) {
            const T own = reduce_rows<panel_warps>(s_.sums[turn], op);
            for (int b = warp_; b < blocks; b += warps_) {
                send(s_.from_cluster[turn][rank_] + lane_, own, turn, b);
                if (rank_ == 0) send(s_.from_cluster[turn][most_cluster] + lane_, head_, turn, b);
            }
            if (threadIdx.x == 0) arrival(turn).expect(unsigned((blocks + 1) * panel_columns * int(sizeof(T))));
            BlockBarriers(s_.arrived).wait(turn, (number_ - 1) / 2 & 1);
            head_ = s_.from_cluster[turn][most_cluster][lane_];
            return reduce_rows<most_cluster>(s_.from_cluster[turn], op);
        }
        Mailbox<T> *const box = p_.mailboxes + (int64_t(group_) * 2 + turn) * (blocks + 1) * panel_columns + lane_;
        if (warp_ == 0) {
            box[rank_ * panel_columns].send(reduce_rows<panel_warps>(s_.sums[turn], op), number_);
            if (rank_ == 0) box[blocks * panel_columns].send(head_, number_);
        }
        T y = T(R(0));
        for (int b = warp_; b <= blocks; b += warps_) {
            const T x = box[b * panel_columns].receive(number_);
            if (b < blocks)
                y = b == warp_ ? x : op(y, x);
            else
                s_.top[lane_] = x;
        }
        s_.from_blocks[warp_][lane_] = y;
        __syncthreads();
        head_ = s_.top[lane_];
        return reduce_rows<panel_warps>(s_.from_blocks, op);
    }
    // Pairwise; rows that nobody published are zero
    template <int COUNT, class Op>
    __device__ __forceinline__ T reduce_rows(const T (*x)[panel_columns], Op op) const {
        T y[COUNT];
#pragma unroll
        for (int w = 0; w < COUNT; ++w) y[w] = x[w][lane_];
#pragma unroll
        for (int step = 1; step < COUNT; step *= 2)
#pragma unroll
            for (int w = 0; w + step < COUNT; w += 2 * step) y[w] = op(y[w], y[w + step]);
        return y[0];
    }
    __device__ __forceinline__ void send(T *to, T x, int turn, int block) const {
        if constexpr (sizeof(T) > sizeof(R)) {
            store_to_block(&to->re, x.re, arrival(turn), block);
            store_to_block(&to->im, x.im, arrival(turn), block);
        } else {
            store_to_block(to, x, arrival(turn), block);
        }
    }
    // As in register_tile.cuh, and no change of a column, up to 2^range g or 2^(range / 2) times its head, overflows
    __device__ __forceinline__ bool in_safe_range(int k, T alpha, R squares, T g) const {
        constexpr int bias = BitsOf<R>::type::bias, range = sizeof(R) == 8 ? 100 : 40;
        const R most = power_of_two<R>(bias - range - 4);
        return __all_sync(~0u, lane_ <= k || (magnitude(g) < most && magnitude(head_) < most)) &&
               magnitude(alpha) <= power_of_two<R>(range / 2) &&
               unsigned(exponent_field(squares) - (bias - range)) <= 2 * range;
    }
    __device__ __forceinline__ void set_squares(int k, T (&g)[C], R squares) const {
#pragma unroll
        for (int c = 0; c < C; ++c) g[c] = chosen(column(c) == k, T(squares), g[c]);
    }
    // Applies reflector k-1 to all columns and publishes column k. Returns x^H a for column `lane`, x^H x for column k.
    __device__ __forceinline__ T sweep(int k) {
        T g[C] = {};
        R squares = 0;
        for (int tile = 0; tile < tiles(); ++tile) {
            select_tile(tile);
            if (!HELD || k == 0) move<false>(max(k - 1, 0));
            if (k > 0) {
                if (!HELD) publish(k - 1);
                subtract_outer(k - 1);
            }
            if (!HELD && k > 0) move<true>(k - 1);
            if (k < p_.columns) publish(k), add_products(k, false, g, squares);
        }
        set_squares(k, g, squares);
        return k < p_.columns ? reduce(k, g, false) : T(R(0));
    }
    // The reflector of column k by a scaled norm: the largest of x, then the sums with x scaled
    __device__ __forceinline__ HouseholderScalars<T> reflect_scaled(int k, T &all) {
        T alpha = T(R(0));
        ColumnScaling<R> scaling;
#pragma unroll 1
        for (int turn = 0; turn < 2; ++turn) {
            T g[C] = {};
            R squares = 0, most = 0;
            for (int tile = 0; tile < tiles(); ++tile) {
                select_tile(tile);
                if (!HELD) move<false>(k), publish(k);
                if (turn == 0) {
                    T x[rows];
                    read_published(false, x);
#pragma unroll
                    for (int i = 0; i < rows; ++i) most = real_part(largest(T(magnitude(x[i])), T(most)));
                } else {
                    add_products(k, true, g, squares);
                }
            }
            set_squares(k, g, turn == 0 ? most : squares);
            all = reduce(k, g, turn == 0);
            if (turn > 0) break;
            const R size = real_part(from_lane(all, k));
            alpha = from_lane(head_, k);
            scaling = scaling_for(size == size ? size : R(0), !(size == size), alpha);
            scale_[0] = scaling.first, scale_[1] = scaling.second;
        }
        if (scaling.is_nothing) return {real_part(alpha), R(0), T(R(0)), T(R(0))};
        auto h = householder(scaling.scaled(alpha), real_part(from_lane(all, k)));
        h.beta = scaling.unscaled(h.beta);
        return h;
    }

    // The first column whose norm is not finite, counted from 1, or 0
    __device__ __forceinline__ int factor() {
        int wrong = 0, k = 0;
#pragma unroll 1
        for (;; ++k) {
            T all = sweep(k);
            if (k == p_.columns) break;
            const T alpha = from_lane(head_, k);
            const R squares = real_part(from_lane(all, k));
            HouseholderScalars<T> h = householder(alpha, squares);
            is_scaled_ = !in_safe_range(k, alpha, squares, all);
            if (is_scaled_) h = reflect_scaled(k, all);
            wrong = is_finite(h.beta) ? 0 : k + 1;
            if (wrong > 0) break;
            sigma_ = h.sigma;
            const T w = lane_ > k ? fma_(conjugate(h.tau), head_, all * h.ratio) : T(R(0));
#pragma unroll
            for (int c = 0; c < C; ++c) w_[c] = sigma_ * from_lane(w, column(c));
            if (warp_ > 0) continue;
            s_.r[k][lane_] = lane_ == k ? T(h.beta) : head_ - w;
            if (lane_ == k) s_.sigmas[k] = is_scaled_ ? T(R(1)) : sigma_;
            if (lane_ == k && rank_ == 0) *p_.tau.of(matrix_).at(k, 0) = h.tau;
        }
        finish(k);
        return wrong;
    }

    PanelShared<T> &s_;
    const PanelArguments<T> &p_;
    int group_, rank_, lane_, warp_, warps_;
    unsigned number_;
    int64_t matrix_ = 0;
    int tile_ = 0;
    bool is_top_ = false, is_scaled_ = false;  // the warp has the pivot rows; x is scaled
    T a_[C][rows], w_[C], head_, sigma_;
    R scale_[2] = {};
};

template <class T, bool HELD>
__global__ void __launch_bounds__(panel_warps * 32, 1) factor_panel(const __grid_constant__ PanelArguments<T> p) {
    __shared__ __align__(16) unsigned char memory[sizeof(PanelShared<T>)];
    wait_for_prerequisites();
    trigger_dependents();
    MultiBlockPanel<T, HELD>(*reinterpret_cast<PanelShared<T> *>(memory), p).run();
}

}  // namespace xbatch::qr
