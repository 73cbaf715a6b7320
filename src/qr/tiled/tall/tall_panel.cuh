// tall_panel.cuh: a panel of a tall matrix of doubles: a block factors a whole domain, its triangle on chip.
//
// The block holds a tile of 128 x 32 in registers, as the matrix instructions have it: warp w has rows 64w …, lane 4g +
// t of them rows 8q + 2t, + 1, and columns g + 8i. Column k publishes its tail x, each lane forms x^T a of its own rows
// and columns; four lanes sum theirs so that lane 4g + t has column g + 8t, and the warps by one exchange, as in
// tile_panel.cuh. Four blocks share a multiprocessor and hide one another's latency.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/householder.cuh"
#include "qr/common/tile_copy.cuh"
#include "tall_triangle.cuh"

namespace xbatch::qr {

constexpr int panel_rows = 64, panel_warps = tall_rows / panel_rows, panel_threads = 32 * panel_warps;
constexpr int panel_resident = 4;

struct TallPanelShared {
    static constexpr int ld = block_columns + 1;
    double top[block_columns * ld];  // R by rows
    TallVectors vectors[2];          // of a tile and of the next
    alignas(16) double triangle[block_columns * block_ld];
    alignas(16) double x[panel_warps][panel_rows];
    double partial[2][panel_warps][32], row[2][32];
    int32_t ticket;
};

// The zeros that T's forming needs; by all threads
__device__ __forceinline__ void clear_panel(TallPanelShared &shared) {
    for (int e = int(threadIdx.x); e < block_columns * block_ld; e += panel_threads)
        shared.vectors[0].products[e] = shared.vectors[1].products[e] = shared.triangle[e] = 0;
    __syncthreads();
}

class TallPanelBlock {
public:
    __device__ TallPanelBlock(TallPanelShared &shared, const TallPanel &panel)
        : s_(shared),
          p_(panel),
          order_(panel.tiling, panel.panel),
          width_(int(panel.tiling.columns(panel.panel))),
          warp_(int(threadIdx.x) / 32),
          g_(int(threadIdx.x) % 32 / 4),
          t_(int(threadIdx.x) % 4) {
        asm volatile("" : "+r"(warp_), "+r"(g_), "+r"(t_));  // held in registers, not recomputed
    }

    // Factors the tiles of domain n, then the triangles that are joined to its own: those of later domains, which are
    // done before. The first warp alone factors such a triangle, while the second forms T of the step before.
    __device__ __forceinline__ void run(int n) {
        const int head = order_.head(n), last = head + order_.size(n) - 1, joined = order_.joined(n);
        const bool has_head = p_.refused;  // which run_head has factored and stored
        if (has_head)
            load_top(head);
        else
            factor_head(head);
        for (int tile = head; tile < last; ++tile) {
            const bool is_stored = has_head && tile == head;
            __syncthreads();
            if (!is_stored) store(shape_of(tile, head), tile);
            load(Shape::full, tile + 1);
            may_overflow_ |= __syncthreads_or(has_huge_entry()) != 0;
            if (!is_stored) make_triangle<panel_threads>(0, shape_of(tile, head), tile);
            factor<Shape::full>(s_.vectors[0]);
        }
        Shape shape = shape_of(last, head);
        int tile = last;
        int32_t *made = p_.made + n;
        const bool is_stored = has_head && last == head;
        if (!is_stored) store(shape, tile);
        for (int rank = 0; rank < joined; ++rank) {
            const int other = n + (1 << rank);
            __syncthreads();
            if (warp_ == 0) {
                wait_for_flag<32>(p_.done + other);
                load(Shape::triangle, order_.head(other));
                may_overflow_ |= __any_sync(~0u, has_huge_entry()) != 0;
                factor<Shape::triangle>(s_.vectors[(rank + 1) % 2]);
                store(Shape::triangle, order_.head(other));
            } else if (warp_ == 1) {
                if (rank > 0 || !is_stored) make_triangle<32>(rank % 2, shape, tile);
                set_flag<32>(made);
            }
            shape = Shape::triangle, tile = order_.head(other), made = p_.made + order_.heads + other;
        }
        __syncthreads();
        store_top(head);
        if (n > 0) set_flag<panel_threads>(p_.done + n);
        if (warp_ != 1) return;
        if (joined > 0 || !is_stored) make_triangle<32>(joined % 2, shape, tile);
        set_flag<32>(made);
    }
    // Factors the head of domain n only. R is stored by rows, too, with a one for each column that there is not.
    __device__ __forceinline__ void run_head(int n, double *rows_of_r) {
        const int head = order_.head(n), c = int(threadIdx.x) % 32;
        factor_head(head);
        __syncthreads();
        store(Shape::trapezoid, head);
        store_top(head);
        for (int r = warp_; r < block_columns; r += panel_warps)
            if (r <= c) rows_of_r[r * block_columns + c] = c < width_ ? s_.top[r * ld + c] : double(r == c);
        make_triangle<panel_threads>(0, Shape::trapezoid, head);
    }

private:
    static constexpr int ld = TallPanelShared::ld;
    __device__ __forceinline__ void factor_head(int head) {
        load(Shape::trapezoid, head);
        may_overflow_ = __syncthreads_or(has_huge_entry());
        factor<Shape::trapezoid>(s_.vectors[0]);
    }
    // R of a head that is factored; an entry of the head is at most as large as its column's norm.
    __device__ __forceinline__ void load_top(int head) {
        const double *const from = at(head);
        bool is_huge = false;
        for (int c = warp_, r = int(threadIdx.x) % 32; c < width_; c += panel_warps)
            if (r <= c) {
                const double x = s_.top[r * ld + c] = from[c * p_.lda + r];
                is_huge = is_huge || !(fabs(x) < 0x1p500);
            }
        may_overflow_ = __syncthreads_or(is_huge);
    }
    static constexpr int quads = panel_rows / 8;
    template <Shape SHAPE>
    static constexpr int used = SHAPE == Shape::triangle ? block_columns / 8 : quads;  // of a triangle's rows
    static constexpr int range = 100;                                                  // as TilePanel's

    static __device__ Shape shape_of(int tile, int head) { return tile == head ? Shape::trapezoid : Shape::full; }
    __device__ int column() const { return g_ + 8 * t_; }  // whose sum this lane has
    __device__ int64_t place(int tile, int64_t ld) const {
        return p_.panel * p_.tiling.config.nb * ld + p_.tiling.first_row(tile, p_.panel);
    }
    __device__ double *at(int tile) const { return p_.a + place(tile, p_.lda); }
    __device__ int rows(Shape shape, int tile) const {
        return shape == Shape::triangle ? width_ : int(p_.tiling.rows(tile, p_.panel));
    }
    // f(column, row of the tile, two entries of this thread there, how many of them there are)
    template <class F>
    __device__ __forceinline__ void each_pair(Shape shape, int rows, F f) {
        const int tid = thread_of_task(), first = tid / 32 * panel_rows + 2 * (tid % 4), g = tid % 32 / 4;
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int q = 0; q < quads; ++q) {
                const int r = first + 8 * q, c = g + 8 * i;
                const int end = c >= width_ ? 0 : shape == Shape::triangle ? min(rows, c + 1) : rows;
                f(c, r, a_[2 * q][i], a_[2 * q + 1][i], end - r);
            }
    }
    __device__ bool is_whole(Shape shape, int rows, const double *at, int64_t ld) const {
        return shape != Shape::triangle && rows == tall_rows && width_ == block_columns && is_aligned(at, ld);
    }

    __device__ __forceinline__ void load(Shape shape, int tile) {
        const bool is_new = shape != Shape::triangle;
        const int64_t ld = is_new ? p_.from.ld : p_.lda;
        const double *const from = (is_new ? p_.from.at : p_.a) + place(tile, ld);
        rows_ = rows(shape, tile);
        if (is_whole(shape, rows_, from, ld)) {
            each_pair(Shape::full, rows_, [&](int c, int r, double &x, double &y, int) {
                const double2 pair = *reinterpret_cast<const double2 *>(from + c * ld + r);
                x = pair.x, y = pair.y;
            });
        } else {
            each_pair(shape, rows_, [&](int c, int r, double &x, double &y, int count) {
                const double *const pair = from + c * ld + r;
                x = count > 0 ? pair[0] : 0, y = count > 1 ? pair[1] : 0;
            });
        }
    }
    // The vectors, normalised; of a trapezoid what lies below its diagonal
    __device__ __forceinline__ void store(Shape shape, int tile) {
        double *const to = at(tile);
        const int rows = this->rows(shape, tile);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const double sigma = __shfl_sync(~0u, sigma_, i, 4);
#pragma unroll
            for (int r = 0; r < 2 * quads; ++r) a_[r][i] *= sigma;
        }
        if (is_whole(shape, rows, to, p_.lda) && (shape == Shape::full || warp_ > 0)) {
            each_pair(Shape::full, rows, [&](int c, int r, double x, double y, int) {
                *reinterpret_cast<double2 *>(to + c * p_.lda + r) = make_double2(x, y);
            });
        } else {
            each_pair(shape, rows, [&](int c, int r, double x, double y, int count) {
                const int above = shape == Shape::trapezoid ? c : -1;
                double *const pair = to + c * p_.lda + r;
                if (count > 0 && r > above) pair[0] = x;
                if (count > 1 && r + 1 > above) pair[1] = y;
            });
        }
    }
    __device__ void store_top(int head) const {
        double *const to = at(head);
        for (int c = warp_, r = int(threadIdx.x) % 32; c < width_; c += panel_warps)
            if (r <= c) to[c * p_.lda + r] = s_.top[r * ld + c];
    }

    template <Shape SHAPE>
    __device__ __forceinline__ void factor(TallVectors &vectors) {
        steps<SHAPE, 0>(vectors);
        steps<SHAPE, 1>(vectors);
        steps<SHAPE, 2>(vectors);
        steps<SHAPE, 3>(vectors);
    }
    template <Shape SHAPE, int I>
    __device__ __forceinline__ void steps(TallVectors &vectors) {
#pragma unroll 1
        for (int kk = 0; kk < 8; ++kk)
            if (8 * I + kk < width_) step<SHAPE, I>(kk, vectors);
    }

    // x of column k, and x^T a of column() in this warp's rows
    template <Shape SHAPE, int I>
    __device__ __forceinline__ double publish(int kk, double (&v)[2 * quads]) {
        constexpr bool has_top = SHAPE != Shape::trapezoid;
        if (panel_rows * warp_ >= rows_) {
#pragma unroll
            for (double &x : v) x = 0;
            return 0;
        }
        double *const x = s_.x[warp_];
        if (g_ == kk) {
#pragma unroll
            for (int q = 0; q < used<SHAPE>; ++q) {
                double2 pair = make_double2(a_[2 * q][I], a_[2 * q + 1][I]);
                if (!has_top && q <= I && warp_ == 0) {
                    if (q < I || 2 * t_ <= kk) pair.x = 0;
                    if (q < I || 2 * t_ + 1 <= kk) pair.y = 0;
                }
                *reinterpret_cast<double2 *>(x + 8 * q + 2 * t_) = pair;
            }
        }
        __syncwarp();
        double sum[4] = {};
#pragma unroll
        for (int q = 0; q < used<SHAPE>; ++q) {
            const double2 pair = *reinterpret_cast<const double2 *>(x + 8 * q + 2 * t_);
            v[2 * q] = pair.x, v[2 * q + 1] = pair.y;
#pragma unroll
            for (int i = 0; i < 4; ++i) sum[i] = fma(pair.y, a_[2 * q + 1][i], fma(pair.x, a_[2 * q][i], sum[i]));
        }
        const bool is_high = t_ & 2, is_odd = t_ & 1;
        const double low = (is_high ? sum[2] : sum[0]) + __shfl_xor_sync(~0u, is_high ? sum[0] : sum[2], 2);
        const double high = (is_high ? sum[3] : sum[1]) + __shfl_xor_sync(~0u, is_high ? sum[1] : sum[3], 2);
        return (is_odd ? high : low) + __shfl_xor_sync(~0u, is_odd ? low : high, 1);
    }

    __device__ __forceinline__ double sum_of_warps(int turn, double own) {
        const int c = column();
        const auto &partial = s_.partial[turn];
        s_.partial[turn][warp_][c] = own;
        __syncthreads();
        return partial[0][c] + partial[1][c];
    }

    // Only the first warp has rows of a triangle, and then needs no other warp.
    template <Shape SHAPE, int I>
    __device__ __forceinline__ void step(int kk, TallVectors &vectors) {
        constexpr bool has_top = SHAPE != Shape::trapezoid, is_alone = SHAPE == Shape::triangle;
        const int k = 8 * I + kk, turn = k & 1, c = column();
        double head = 0, alpha = 0, v[2 * quads], g;
        if constexpr (has_top) {  // read before the barrier, after which they change
            head = s_.top[k * ld + c], alpha = s_.top[k * ld + k];
        } else if (warp_ == 0 && t_ == kk / 2) {
#pragma unroll
            for (int i = 0; i < 4; ++i) s_.row[turn][g_ + 8 * i] = kk % 2 ? a_[2 * I + 1][i] : a_[2 * I][i];
        }
        g = publish<SHAPE, I>(kk, v);
        if constexpr (is_alone)
            __syncwarp();
        else
            g = sum_of_warps(turn, g);
        if constexpr (!has_top) head = s_.row[turn][c], alpha = s_.row[turn][k];
        double squares = __shfl_sync(~0u, g, 4 * kk + I);
        HouseholderScalars<double> h = householder(alpha, squares);
        if (!in_safe_range(alpha, squares) || may_overflow_) {
            const ColumnScaling<double> scaling = scaling_of(s_.x[0], 0, rows_, alpha);
            if constexpr (is_alone)
                __syncwarp();
            else
                __syncthreads();  // all have read x
            alpha = scaling.scaled(alpha);
            if (g_ == kk) {
#pragma unroll
                for (int r = 0; r < 2 * used<SHAPE>; ++r)
                    if (has_top || is_below(r, k)) a_[r][I] = scaling.scaled(a_[r][I]);
            }
            g = publish<SHAPE, I>(kk, v);
            if constexpr (!is_alone) g = sum_of_warps(turn, g);
            squares = __shfl_sync(~0u, g, 4 * kk + I);
            h = householder(alpha, squares);
            h.beta = scaling.unscaled(h.beta);
            if (scaling.is_nothing) g = 0, h = {alpha, 0, 0, 0};
            if (!is_finite(h.beta)) {  // columns to the left must not change
#pragma unroll
                for (double &x : v) x = 0;
                const int first = int(p_.panel * p_.tiling.config.nb);
                if (threadIdx.x == 0) atomicMax(p_.bad, INT32_MAX - (first + k));
            }
        }
        const double w = fma(h.tau, head, g * h.ratio);
        const double change = c > k && c < width_ ? h.sigma * w : 0;
#pragma unroll
        for (int i = I; i < 4; ++i) {
            const double x = __shfl_sync(~0u, change, i, 4);
#pragma unroll
            for (int r = 0; r < 2 * used<SHAPE>; ++r) a_[r][i] = fma(-v[r], x, a_[r][i]);
        }
        if (c == k) sigma_ = h.sigma;
        if (warp_ == 0 && c >= k) s_.top[k * ld + c] = c > k ? head - w : h.beta;
        if (is_alone || warp_ == panel_warps - 1) {
            if (c < k) vectors.products[k * block_ld + c] = sigma_ * (has_top ? h.sigma * g : fma(h.sigma, g, head));
            if (c == k) vectors.tau[k] = h.tau;
        }
    }
    // Whether this thread's row r is below row k of a trapezoid
    __device__ bool is_below(int r, int k) const { return panel_rows * warp_ + r / 2 * 8 + 2 * t_ + r % 2 > k; }

    // As TilePanel's, by the upper halves of the numbers. Those of R above are of tiles that were loaded before.
    static constexpr int one = 0x3ff00000, power = 0x00100000;
    __device__ __forceinline__ bool has_huge_entry() const {
        int most = 0;
#pragma unroll
        for (int r = 0; r < 2 * quads; ++r)
#pragma unroll
            for (int i = 0; i < 4; ++i) most = max(most, __double2hiint(a_[r][i]) & INT32_MAX);
        return most > one + 512 * power;
    }
    static __device__ __forceinline__ bool in_safe_range(double alpha, double squares) {
        const int size = __double2hiint(squares);
        return unsigned(size - (one - range * power)) <= unsigned(2 * range * power) &&
               (__double2hiint(alpha) & INT32_MAX) <= one + range / 2 * power;
    }
    // Forms T of the vectors in s_.vectors[n], and stores it
    template <int THREADS>
    __device__ __forceinline__ void make_triangle(int n, Shape shape, int tile) {
        form_triangle<THREADS>(s_.triangle, s_.vectors[n], width_);
        const Tiling &tiling = p_.tiling;
        const int64_t second = p_.panel + (shape == Shape::triangle ? tiling.panels() : 0);  // as Tiling::triangle
        double *const to = p_.triangles + (second * tiling.tiles() + tile) * tiling.triangle_elements();
        const int tid = thread_of_task() % THREADS, ib = int(tiling.config.ib), r = tid % 32;
        if (r < ib)
            for (int c = tid / 32; c < width_; c += THREADS / 32) to[c * ib + r] = s_.triangle[c * block_ld + r];
        sync<THREADS>();
    }

    TallPanelShared &s_;
    const TallPanel &p_;
    PanelOrder order_;
    int width_, warp_, g_, t_, rows_ = 0;
    bool may_overflow_ = false;
    double a_[2 * quads][4], sigma_ = 0;
};

// By tickets a block waits only for blocks that run: the last domain first
__global__ void __launch_bounds__(panel_threads, panel_resident)
    factor_tall_panel(const __grid_constant__ TallPanel panel) {
    __shared__ TallPanelShared shared;
    if (panel.refused) {
        wait_for_prerequisites();
        if (*panel.refused == 0) return;
    }
    trigger_dependents();
    if (threadIdx.x == 0) shared.ticket = atomicAdd(panel.next, 1);
    clear_panel(shared);
    TallPanelBlock(shared, panel).run(int(gridDim.x) - 1 - shared.ticket);
}

}  // namespace xbatch::qr
