// qr_panel.cuh: a panel of columns of a matrix becomes reflectors, by several blocks together.
//
// Each block has rows of the panel, a tile of them in registers: lane (r, l) of a warp, D below and A beside each
// other, has R rows of C columns. Column k, below its head x, is told to the warp; x^H a of all columns and x^H x are
// added up over lanes, warps and blocks, so that a column takes one exchange, and all blocks come to the same
// reflector. A block that has more rows than a tile brings one tile after the other from memory, once a column.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/cluster.cuh"
#include "qr/tile_householder.cuh"
#include "qr_large.hpp"
#include "qr_mail.cuh"
#include "tile_kind.cuh"

namespace xbatch {

template <class T>
struct PanelShared {
    T told[panel_warps][PanelShape<T>::warp_rows];
    T heads[2][panel_columns];                   // of the top block's row k, in turn
    T sums[2][panel_warps][panel_columns];       // in turn
    T others[panel_warps][panel_columns];        // sums of blocks
    T top[panel_columns];                        // what the top block told of row k
    T near[2][most_cluster + 1][panel_columns];  // what blocks of a cluster told, in turn, the top one's row k last
};

template <class T>
struct PanelArguments {
    DeviceMatrices<T> a;  // from the panel's head on
    DeviceTau<T> tau;
    int64_t first, rows, batch;  // columns before the panel
    int columns;
    int32_t *info;
    PanelSplit split;
    Mail<T> *mail;    // where blocks are not those of a cluster
    unsigned number;  // of exchanges before
};

template <class T>
class PanelBlock {
public:
    using R = Real<T>;
    static constexpr int D = PanelShape<T>::down, A = 32 / D, C = panel_columns / A, rows = PanelShape<T>::lane_rows;
    static constexpr int chunk = Sixteen<T>::size, chunks = rows / chunk;

    __device__ PanelBlock(PanelShared<T> &shared, const PanelArguments<T> &p)
        : s_(shared),
          p_(p),
          group_(int(blockIdx.x) / p.split.blocks),
          rank_(int(blockIdx.x) % p.split.blocks),
          lane_(int(threadIdx.x) % 32),
          warp_(int(threadIdx.x) / 32),
          warps_(int(blockDim.x) / 32),
          number_(p.split.in_cluster ? 0 : p.number) {}

    __device__ __forceinline__ void run() {
        if (p_.split.in_cluster) {  // its memory may be written to when all have begun
            cluster_arrive();
            cluster_wait();
        }
        for (int64_t j = group_; j < p_.batch; j += p_.split.groups) {
            if (p_.info[j] != 0) continue;
            matrix_ = j;
            const int wrong = factor();
            if (wrong > 0 && rank_ == 0 && threadIdx.x == 0) p_.info[j] = int32_t(p_.first + wrong);
        }
        if (p_.split.in_cluster) {  // its memory may be written to until all have come here
            cluster_arrive();
            cluster_wait();
        }
    }

private:
    __device__ bool is_held() const { return p_.split.tiles == 1; }
    __device__ int column(int c) const { return lane_ / D + c * A; }
    __device__ int first_row() const { return warp_ * PanelShape<T>::warp_rows + lane_ % D * chunk; }
    // Counted from the panel's head where that is near
    __device__ int row(int i) const { return top_row_ + i / chunk * (D * chunk) + i % chunk; }
    __device__ bool is_over(int c, int k) const { return (c + 1) * A <= k; }  // for all lanes
    static __device__ T chosen(bool is_first, T x, T y) {
        if constexpr (sizeof(T) > sizeof(R))
            return T(is_first ? x.re : y.re, is_first ? x.im : y.im);
        else
            return is_first ? x : y;
    }
    static __device__ T from_lane(T x, int lane) {
        if constexpr (sizeof(T) > sizeof(R))
            return T(__shfl_sync(~0u, x.re, lane), __shfl_sync(~0u, x.im, lane));
        else
            return __shfl_sync(~0u, x, lane);
    }
    static __device__ T exchanged(T x, int distance) {
        if constexpr (sizeof(T) > sizeof(R))
            return T(__shfl_xor_sync(~0u, x.re, distance), __shfl_xor_sync(~0u, x.im, distance));
        else
            return __shfl_xor_sync(~0u, x, distance);
    }
    static __device__ T sum(T x, T y) { return x + y; }
    // The larger of what is real, NaN where one is
    static __device__ T largest(T x, T y) {
        return real_part(x) > real_part(y) || real_part(x) != real_part(x) ? x : y;
    }

    // Which rows are in the registers now
    __device__ __forceinline__ void turn_to(int tile) {
        tile_ = tile;
        top_row_ = tile == 0 && rank_ == 0 ? first_row() : INT32_MAX / 2;
    }
    // f(chunk, slot, whether it is wanted, how many of its rows there are, where it begins, distance between rows) for
    // columns from k on; whole(...) where all are there and chunks can be moved as one
    template <class Whole, class F>
    __device__ __forceinline__ void each_place(int k, Whole whole, F f) const {
        int64_t j = matrix_;
        asm volatile("" : "+l"(j));  // what is computed here is not kept while columns are worked on
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
                if (is_whole)
                    whole(u, c, is_there, at);
                else
                    f(u, c, is_there, height - u * D * chunk, at, m.row);
                at += D * chunk * m.row;
            }
            of_column += A * m.column;
        }
    }
    __device__ __forceinline__ void load(int k) {
        each_place(
            k,
            [&](int u, int c, bool is_there, const T *at) {
                const auto x = read_if(is_there, reinterpret_cast<const Sixteen<T> *>(at));
#pragma unroll
                for (int e = 0; e < chunk; ++e) a_[c][u * chunk + e] = x.x[e];
            },
            [&](int u, int c, bool is_there, int left, const T *at, int64_t step) {
#pragma unroll
                for (int e = 0; e < chunk; ++e) a_[c][u * chunk + e] = read_if(is_there && e < left, at + e * step);
            });
    }
    __device__ __forceinline__ void store(int k) const {
        each_place(
            k,
            [&](int u, int c, bool is_there, T *at) {
                Sixteen<T> x;
#pragma unroll
                for (int e = 0; e < chunk; ++e) x.x[e] = a_[c][u * chunk + e];
                if (is_there) *reinterpret_cast<Sixteen<T> *>(at) = x;
            },
            [&](int u, int c, bool is_there, int left, T *at, int64_t step) {
#pragma unroll
                for (int e = 0; e < chunk; ++e)
                    if (is_there && e < left) at[e * step] = a_[c][u * chunk + e];
            });
    }

    // x of column k to the warp, and row k to the block where it is here
    __device__ __forceinline__ void tell(int k) {
        __syncwarp();
#pragma unroll
        for (int c = 0; c < C; ++c) {
            if (column(c) != k) continue;
#pragma unroll
            for (int u = 0; u < chunks; ++u) {
                Sixteen<T> y;
#pragma unroll
                for (int e = 0; e < chunk; ++e) y.x[e] = chosen(row(u * chunk + e) > k, a_[c][u * chunk + e], T(R(0)));
                *reinterpret_cast<Sixteen<T> *>(own_told(u)) = y;
            }
        }
        if (top_row_ <= k) {
#pragma unroll
            for (int i = 0; i < rows; ++i)
                if (row(i) == k) {
#pragma unroll
                    for (int c = 0; c < C; ++c) s_.heads[k & 1][column(c)] = a_[c][i];
                }
        }
        __syncwarp();
    }
    __device__ T *own_told(int u) const { return s_.told[warp_] + (u * D + lane_ % D) * chunk; }
    // x in the rows of this lane, scaled where that is wanted
    __device__ __forceinline__ void hear(bool is_scaled, T (&x)[rows]) const {
#pragma unroll
        for (int u = 0; u < chunks; ++u) {
            const Sixteen<T> y = *reinterpret_cast<const Sixteen<T> *>(own_told(u));
#pragma unroll
            for (int e = 0; e < chunk; ++e) x[u * chunk + e] = y.x[e];
        }
        if (is_scaled)
#pragma unroll
            for (int i = 0; i < rows; ++i) x[i] = x[i] * scale_[0] * scale_[1];
    }
    // g += x^H a, and beside that x^H x
    __device__ __forceinline__ void add_products(int k, bool is_scaled, T (&g)[C], R &squares) const {
        T x[rows];
        hear(is_scaled, x);
#pragma unroll
        for (int i = 0; i < rows; ++i) squares += inner(x[i], x[i]);
#pragma unroll
        for (int c = 0; c < C; ++c)
            if (!is_over(c, k))
#pragma unroll
                for (int i = 0; i < rows; ++i) g[c] = fma_(conjugate(x[i]), a_[c][i], g[c]);
    }
    // All columns behind k lose v w, and column k becomes beta and v.
    __device__ __forceinline__ void change(int k) {
        T v[rows];
        hear(is_careful_, v);
#pragma unroll
        for (int i = 0; i < rows; ++i) v[i] = sigma_ * v[i];
        if (top_row_ <= k)
#pragma unroll
            for (int i = 0; i < rows; ++i) v[i] = chosen(row(i) == k, T(R(1)), v[i]);
#pragma unroll
        for (int c = 0; c < C; ++c)
            if (!is_over(c, k)) {
#pragma unroll
                for (int i = 0; i < rows; ++i) a_[c][i] = fnma(v[i], w_[c], a_[c][i]);
                if (column(c) == k)
#pragma unroll
                    for (int i = 0; i < rows; ++i)
                        if (row(i) >= k) a_[c][i] = row(i) == k ? T(beta_) : v[i];
            }
    }

    // Over all rows of the matrix; of column `lane`
    template <class Op>
    __device__ __forceinline__ T over_all(int k, T (&g)[C], Op op) {
        const int turn = int(++number_ & 1);
#pragma unroll
        for (int distance = 1; distance < D; distance *= 2)
#pragma unroll
            for (int c = 0; c < C; ++c) g[c] = op(g[c], exchanged(g[c], distance));
        if (lane_ % D == 0) {
#pragma unroll
            for (int c = 0; c < C; ++c) s_.sums[turn][warp_][column(c)] = g[c];
        }
        __syncthreads();
        const auto over_rows = [&](const T(*x)[panel_columns], int count) {
            T y = x[0][lane_];
            for (int w = 1; w < count; ++w) y = op(y, x[w][lane_]);
            return y;
        };
        head_ = s_.heads[k & 1][lane_];
        if (p_.split.blocks == 1) return over_rows(s_.sums[turn], warps_);

        const int blocks = p_.split.blocks;
        if (p_.split.in_cluster) {
            for (int b = warp_; b < blocks; b += warps_) {
                T(*to)[panel_columns] = of_block(s_.near[turn], b);
                to[rank_][lane_] = over_rows(s_.sums[turn], warps_);
                if (rank_ == 0) to[blocks][lane_] = head_;
            }
            cluster_arrive();
            cluster_wait();
            head_ = s_.near[turn][blocks][lane_];
            return over_rows(s_.near[turn], blocks);
        }
        Mail<T> *const box = p_.mail + (int64_t(group_) * 2 + turn) * (blocks + 1) * panel_columns + lane_;
        if (warp_ == 0) {
            box[rank_ * panel_columns].send(over_rows(s_.sums[turn], warps_), number_);
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
        s_.others[warp_][lane_] = y;
        __syncthreads();
        head_ = s_.top[lane_];
        return over_rows(s_.others, min(warps_, blocks));
    }
    // Far from the ends of the range, as register_tile.cuh has it, and nothing overflowed
    __device__ __forceinline__ bool is_usual(int k, T alpha, R squares, T g) const {
        constexpr int bias = BitsOf<R>::type::bias, range = sizeof(R) == 8 ? 100 : 40;
        return __all_sync(~0u, lane_ <= k || is_finite(g)) && magnitude(alpha) <= power_of_two<R>(range / 2) &&
               unsigned(exponent_field(squares) - (bias - range)) <= 2 * range;
    }
    // What a column needs from all rows, by turns: the sums; and where these are no answer the largest of x, then the
    // sums with x scaled
    enum Turn { plain, largest_only, scaled };

    // Turn `turn` of column k, behind the change by the column before it. Of column `lane`; x^H x that of column k.
    __device__ __forceinline__ T pass(int k, Turn turn) {
        T g[C] = {};
        R squares = 0, most = 0;
        for (int tile = 0; tile < p_.split.tiles; ++tile) {
            turn_to(tile);
            if (!is_held() || (k == 0 && turn == plain)) load(turn == plain ? max(k - 1, 0) : k);
            if (turn == plain && k > 0) {
                if (!is_held()) tell(k - 1);
                change(k - 1);
                if (!is_held()) store(k - 1);
            }
            if (k == p_.columns) continue;
            if (turn == plain || !is_held()) tell(k);
            if (turn == largest_only) {
                T x[rows];
                hear(false, x);
#pragma unroll
                for (int i = 0; i < rows; ++i) most = real_part(largest(T(magnitude(x[i])), T(most)));
            } else {
                add_products(k, turn == scaled, g, squares);
            }
        }
        if (k == p_.columns) return T(R(0));
#pragma unroll
        for (int c = 0; c < C; ++c)
            if (turn == largest_only)
                g[c] = T(most);
            else
                g[c] = chosen(column(c) == k, T(squares), g[c]);
        return turn == largest_only ? over_all(k, g, largest) : over_all(k, g, sum);
    }

    // The first column whose norm is not finite, counted from 1, or 0
    __device__ __forceinline__ int factor() {
        int wrong = 0;
#pragma unroll 1
        for (int k = 0; k <= p_.columns && wrong == 0; ++k) {
            HouseholderScalars<T> h;
            T all;
            ColumnScaling<R> scaling;
#pragma unroll 1
            for (int turn = plain;; ++turn) {
                all = pass(k, Turn(turn));
                const T alpha = from_lane(head_, k % 32);
                const R own = real_part(from_lane(all, k % 32));
                if (turn == largest_only) {
                    const bool has_nan = !(own == own);
                    scaling = scaling_for(has_nan ? R(0) : own, has_nan, alpha);
                    scale_[0] = scaling.first, scale_[1] = scaling.second;
                    continue;
                }
                is_careful_ = turn == scaled;
                h = householder(is_careful_ ? alpha * scaling.first * scaling.second : alpha, own);
                if (is_careful_) {
                    h.beta = h.beta * scaling.undo_second * scaling.undo_first;
                    if (scaling.is_nothing) h = {real_part(alpha), R(0), T(R(0)), T(R(0))};
                }
                if (is_careful_ || k == p_.columns || is_usual(k, alpha, own, all)) break;
            }
            if (k == p_.columns) break;
            if (!is_finite(h.beta)) wrong = k + 1;
            beta_ = h.beta, sigma_ = h.sigma;
            const T w = lane_ > k ? fma_(conjugate(h.tau), head_, all * h.ratio) : T(R(0));
#pragma unroll
            for (int c = 0; c < C; ++c) w_[c] = from_lane(w, column(c));
            if (wrong == 0 && rank_ == 0 && int(threadIdx.x) == k) *p_.tau.of(matrix_).at(k, 0) = h.tau;
        }
        if (is_held()) store(0);
        return wrong;
    }

    PanelShared<T> &s_;
    const PanelArguments<T> &p_;
    int group_, rank_, lane_, warp_, warps_;
    unsigned number_;
    int64_t matrix_ = 0;
    int tile_ = 0, top_row_ = 0;
    T a_[C][rows], w_[C], head_, sigma_;
    R beta_ = 0;
    bool is_careful_ = false;
    R scale_[2] = {};
};

template <class T>
__global__ void __launch_bounds__(panel_warps * 32, 1) factor_panel(const __grid_constant__ PanelArguments<T> p) {
    __shared__ __align__(16) unsigned char memory[sizeof(PanelShared<T>)];
    PanelBlock<T>(*reinterpret_cast<PanelShared<T> *>(memory), p).run();
}

}  // namespace xbatch
