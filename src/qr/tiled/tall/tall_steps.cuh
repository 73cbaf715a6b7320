// tall_steps.cuh: the reflectors of all steps of a tall panel, whose R^ are known (tall_gram.cuh).
//
// A step takes rows R = S R^ and A to R' = -S R'^, with signs S that change in each step: [R; A] = H [R'; 0], H = I - Y
// T Y^T, Y = [I; V]. Then R - R' = S W with W = R^ + R'^, V = A W^-1 S and T = S W R'^^-1 S: no sign is lost, since
// both diagonals are nonnegative, and no elimination is needed, since W is triangular.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tall_gram.cuh"

namespace xbatch::qr {

constexpr int step_warps = tall_rows / 32, step_threads = 32 * step_warps;
constexpr int step_resident = 4;

// What a step reads and where it stores its results
struct TallStep {
    int domain, tile, rows;
    Shape shape;
    const double *before, *after;  // slots of R^ and R'^
    bool before_is_head, changes;  // whether `before` is R_0; whether S has changed in an odd number of steps before

    // Of a tile that is no head
    __device__ TallStep(const TallGram &p, int tile)
        : domain(p.order.domain_of(tile)), tile(tile), rows(p.rows(tile)), shape(Shape::full) {
        const int behind = tile - p.order.head(domain);
        before = p.tile(tile - 1), after = p.tile(tile);
        before_is_head = behind == 1, changes = behind % 2 == 0;
    }
    // Joins the triangle of domain `other`, not the first one
    static __device__ TallStep join(const TallGram &p, int other) {
        const PanelOrder &o = p.order;
        TallStep s;
        const int rank = __ffs(other) - 1;
        s.domain = other - (1 << rank), s.tile = o.head(other), s.rows = p.width(), s.shape = Shape::triangle;
        s.before = p.triangle(s.domain, rank), s.after = p.node(other);
        s.before_is_head = rank == 0 && o.size(s.domain) == 1, s.changes = changes_of(o, s.domain, rank);
        return s;
    }
    // Whether S has changed an odd number of times after a domain's tiles and `joined` steps of the tree
    static __device__ bool changes_of(const PanelOrder &o, int n, int joined) { return (o.size(n) - 1 + joined) % 2; }

private:
    __device__ TallStep() {}
};

// By columns: W, with the inverses of its diagonal as tau, whose inverse is formed as T of reflectors is; R'^^-1
struct TallStepShared {
    TallVectors w;
    alignas(16) double inverse[block_columns * block_ld], of_after[block_columns * block_ld];
    double signs[block_columns];
};

class TallStepBlock {
public:
    __device__ TallStepBlock(TallStepShared &shared, const TallGram &p)
        : s_(shared),
          p_(p),
          order_(p.order),
          width_(p.width()),
          warp_(int(threadIdx.x) / 32),
          lane_(int(threadIdx.x) % 32) {}

    __device__ __forceinline__ void run(int n) {
        const int tiles = order_.tiles - order_.first, other = n - tiles + 1;
        if (n < tiles) {
            const int tile = order_.first + n;
            if (!p_.is_head(tile)) take(TallStep(p_, tile));
        } else if (other < order_.heads) {
            take(TallStep::join(p_, other));
        } else {
            store_root();
        }
    }

private:
    static constexpr int steps = block_columns / 8;

    __device__ double sign_of(int domain, int row) const {
        return copysign(1.0, p_.tile(order_.head(domain))[row * (block_columns + 1)]);
    }
    __device__ __forceinline__ void take(const TallStep &step) {
        load_rows(step);
        load_triangles(step);
        __syncthreads();
        const int c = lane_, on_diagonal = c * (block_ld + 1);
        if (warp_ == 0) s_.w.tau[c] = 1 / s_.w.products[on_diagonal];
        if (warp_ == 1) s_.of_after[on_diagonal] = 1 / s_.of_after[on_diagonal];
        __syncthreads();
        store_triangle(step);
        form_triangle<panel_threads>(s_.inverse, s_.w, block_columns);  // twice, with the same results
        if (32 * warp_ < step.rows) multiply(step, step.changes ? -1 : 1);
    }
    __device__ __forceinline__ void load_triangles(const TallStep &step) {
        const int c = lane_;
        const double own = sign_of(step.domain, c);  // of row c
        if (warp_ == 0) s_.signs[c] = own;
        for (int e = int(threadIdx.x); e < block_columns * block_ld; e += step_threads) s_.inverse[e] = 0;
#pragma unroll
        for (int n = 0; n < block_columns / step_warps; ++n) {
            const int r = warp_ + n * step_warps, e = r * block_columns + c;
            const double sign = __shfl_sync(~0u, own, r), after = step.after[e], before = r <= c ? step.before[e] : 0;
            s_.w.products[c * block_ld + r] = r <= c ? (step.before_is_head ? sign * before : before) + after : 0;
            s_.of_after[r * block_ld + c] = r >= c ? after : 0;
        }
    }
    // T = S W R'^^-1 S: a warp has 16 of its rows and columns
    __device__ __forceinline__ void store_triangle(const TallStep &step) const {
        const Tiling &t = p_.panel.tiling;
        const int64_t second = p_.panel.panel + (step.shape == Shape::triangle ? t.panels() : 0);  // Tiling::triangle
        double *const to = p_.panel.triangles + (second * t.tiles() + step.tile) * t.triangle_elements();
        const int ib = int(t.config.ib), row = warp_ % 2 * 16 + lane_ / 4, column = warp_ / 2 * 16, k = lane_ % 4;
        double sum[2][4] = {};
#pragma unroll
        for (int n = 0; n < block_columns; n += 8) {
            const double *const w = s_.w.products + (n + k) * block_ld + row;
            const double a[4] = {w[0], w[8], w[4 * block_ld], w[4 * block_ld + 8]};
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                const double *const r = s_.of_after + (column + 8 * j + lane_ / 4) * block_ld + n + k;
                mma(sum[j], a, r[0], r[4]);
            }
        }
#pragma unroll
        for (int j = 0; j < 2; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int r = row + e / 2 * 8, c = column + 8 * j + 2 * k + e % 2;
                if (r < ib && c < width_) to[c * ib + r] = s_.signs[r] * s_.signs[c] * sum[j][e];
            }
    }

    // This warp's 32 rows of A: lane 4g + t has rows 16i + 2g, + 1 of columns 8k + t, + 4
    __device__ __forceinline__ void load_rows(const TallStep &step) {
        const int g = lane_ / 4, t = lane_ % 4;
        if (step.shape == Shape::triangle) {
            const int other = order_.domain_of(step.tile), joined = order_.joined(other);
            const double *const from = p_.triangle(other, joined);
            const bool is_head = joined == 0 && order_.size(other) == 1;
            const double sign = TallStep::changes_of(order_, other, joined) ? -1 : 1;
            each_operand([&](int i, int k, double2 &x) {
                const int r = 16 * i + 2 * g, c = 8 * (k / 2) + t + k % 2 * 4;
                const auto entry = [&](int row) {
                    if (warp_ > 0 || row > c) return 0.0;
                    const double r_hat = from[row * block_columns + c];
                    return is_head ? r_hat : sign * sign_of(other, row) * r_hat;
                };
                x = make_double2(entry(r), entry(r + 1));
            });
        } else {
            const TallSource from = p_.panel.from;
            TilePairs(from.at + p_.place(step.tile, from.ld), from.ld, step.rows, width_).with_pairs([&](auto pair) {
                each_operand([&](int i, int k, double2 &x) {
                    x = pair(8 * (k / 2) + t + k % 2 * 4, 32 * warp_ + 16 * i + 2 * g);
                });
            });
        }
    }
    template <class F>
    __device__ __forceinline__ void each_operand(F f) {
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int k = 0; k < 2 * steps; ++k) f(i, k, a_[i][k]);
    }
    // V = A W^-1 S
    __device__ __forceinline__ void multiply(const TallStep &step, double sign) const {
        const int g = lane_ / 4, t = lane_ % 4;
        const int64_t ld = p_.panel.lda;
        double *const to = p_.panel.a + p_.place(step.tile, ld);
        const bool is_triangle = step.shape == Shape::triangle;
        const bool is_whole = is_aligned(to, ld) && !is_triangle && step.rows == tall_rows && width_ == block_columns;
#pragma unroll
        for (int j = 0; j < steps; ++j) {
            double sum[2][4] = {};
#pragma unroll
            for (int k = 0; k <= j; ++k) {
                const double *const b = s_.inverse + (8 * j + g) * block_ld + 8 * k + t;
                const double b0 = b[0], b1 = b[4];
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    const double2 x = a_[i][2 * k], y = a_[i][2 * k + 1];
                    const double a[4] = {x.x, x.y, y.x, y.y};
                    mma(sum[i], a, b0, b1);
                }
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    const int r = 32 * warp_ + 16 * i + 2 * g, c = 8 * j + 2 * t + e;
                    const double factor = sign * s_.signs[c];
                    const int end = c >= width_ ? 0 : is_triangle ? c + 1 : step.rows;
                    store_pair(to + c * ld + r, factor * sum[i][e], factor * sum[i][2 + e], is_whole ? 2 : end - r,
                               is_whole);
                }
        }
    }
    static __device__ __forceinline__ void store_pair(double *to, double x, double y, int count, bool is_whole) {
        if (is_whole) {
            *reinterpret_cast<double2 *>(to) = make_double2(x, y);
        } else {
            if (count > 0) to[0] = x;
            if (count > 1) to[1] = y;
        }
    }
    // R of the panel
    __device__ __forceinline__ void store_root() const {
        const int joined = order_.joined(0), c = lane_;
        const double *const from = p_.triangle(0, joined);
        double *const to = p_.panel.a + p_.place(order_.head(0), p_.panel.lda);
        const double sign = TallStep::changes_of(order_, 0, joined) ? -1 : 1;
        for (int r = warp_; r < width_; r += step_warps)
            if (r <= c && c < width_) to[c * p_.panel.lda + r] = sign * sign_of(0, r) * from[r * block_columns + c];
    }

    TallStepShared &s_;
    const TallGram &p_;
    const PanelOrder &order_;
    int width_, warp_, lane_;
    double2 a_[2][2 * steps];
};

__global__ void __launch_bounds__(step_threads, step_resident) take_tall_steps(const __grid_constant__ TallGram p) {
    __shared__ TallStepShared shared;
    wait_for_prerequisites();
    trigger_dependents();
    if (*p.slots.refused != 0) return;
    TallStepBlock(shared, p).run(int(blockIdx.x));
}

}  // namespace xbatch::qr
