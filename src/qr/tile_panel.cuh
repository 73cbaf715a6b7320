// tile_panel.cuh: Householder vectors of up to 32 columns of a tile, one column after the other, in a block's
// registers.
//
// Lane l of every warp has column l, warp w rows w*R … of it. Column k publishes its tail x; each lane forms
// G = x^H a of its own column, so that one exchange between the warps gives the norm of x, the products by which the
// columns to the right change, and those with the vectors to the left, of which T is made. The vectors stay
// unnormalised until the block ends: v = sigma x, sigma = 1 / (alpha - beta).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "tile_memory.cuh"

namespace xbatch {

template <class T>
struct HouseholderScalars {
    Real<T> beta, ratio;  // R_kk, and -1 / beta = conj(tau sigma)
    T tau, sigma;
};

__device__ inline float imaginary(float) { return 0; }
__device__ inline double imaginary(double) { return 0; }
template <class R>
__device__ R imaginary(Complex<R> a) {
    return a.im;
}
template <class T>
__device__ T from_parts(Real<T> re, Real<T> im) {
    if constexpr (sizeof(T) > sizeof(re))
        return T(re, im);
    else
        return re;
}

// 1 / sqrt(x) and 1 / x of numbers well within the range, from the hardware's approximations by one cubic step
__device__ inline double inverse_root(double x) {
    double r;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    const double e = fma(-x * r, r, 1.0);
    return fma(fma(e, 0.375, 0.5) * e, r, r);
}
__device__ inline float inverse_root(float x) { return rsqrt(x); }
__device__ inline double inverse(double x) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    const double e = fma(-x, r, 1.0);
    return fma(fma(e, e, e), r, r);
}
__device__ inline float inverse(float x) { return 1 / x; }

// H = I - tau [1; v] [1; v]^H with H^H [alpha; x] = [beta; 0], from alpha and |x|^2, where squares neither over- nor
// underflow
template <class T>
__device__ HouseholderScalars<T> householder(T alpha, Real<T> squares) {
    using R = Real<T>;
    const R x = inner(alpha, alpha) + squares, root = inverse_root(x), norm = x * root;
    const R size = fabs(real_part(alpha)), d = size + norm, im = imaginary(alpha);
    const R sign = copysign(R(1), real_part(alpha));
    T sigma;
    if constexpr (sizeof(T) > sizeof(R)) {
        const R over = inverse(d * d + im * im);
        sigma = T(sign * d * over, -im * over);
    } else {
        sigma = sign * inverse(d);
    }
    return {-sign * norm, sign * root, from_parts<T>(R(1) + size * root, sign * root * im), sigma};
}

// Elements that are moved as one
template <class T>
struct alignas(16) Chunk {
    static constexpr int size = 16 / int(sizeof(T));
    T x[size];
};

// One block of vectors: columns s … s+width-1 of the tile in shared memory, alone or below rows of R, [32 x width] at
// top
template <class T, int B, bool HAS_TOP>
class PanelBlock {
public:
    using R = Real<T>;

    __device__ PanelBlock(TileShared<T, B> &shared, T *top, int s, int width, int *bad, int bad_column)
        : shared_(shared),
          top_(top),
          s_(s),
          width_(width),
          lane_(thread_of_task() % 32),
          warp_(thread_of_task() / 32),
          bad_(bad),
          bad_column_(bad_column) {}

    // Leaves R and the vectors in tile and top, the vectors also in shared.vectors; tau, and V^H V in products, for
    // form_triangle.
    __device__ __forceinline__ void factor() {
        load();
        if constexpr (HAS_TOP) {
#pragma unroll 1
            for (int k = 0; k < width_; ++k) step<0>(k, -1);
        } else {
#pragma unroll 1
            for (int own = s_ / rows; own <= (s_ + width_ - 1) / rows; ++own)
                each_row(own, std::make_integer_sequence<int, rows>{});
        }
        finish();
    }

    // T from tau and U, the products above the diagonal of V^H V: T^-1 = U + diag(1 / tau). First the triangles of
    // eight vectors, T(0:k, k) = -tau T(0:k, 0:k) U(0:k, k), then pairs of triangles joined: T12 = -T11 U12 T22. By all
    // threads, between barriers.
    static __device__ void form_triangle(TileShared<T, B> &shared, int width) {
        constexpr int least = 8;
        const int tid = thread_of_task();
        T *const t = shared.triangle, *const u = shared.products;
        if (tid < block_columns) {
            const int first = tid / least * least, r = tid;
            for (int k = first; k < first + least; ++k) {
                T sum = T(0);
                for (int l = first; l < k; ++l)
                    if (k < width) sum = fma_(t[l * block_ld + r], u[k * block_ld + l], sum);
                const T tau = k < width ? shared.tau[k] : T(0);
                t[k * block_ld + r] = r < k ? -(tau * sum) : r == k ? tau : T(0);
            }
        }
#pragma unroll
        for (int size = least; size < block_columns; size *= 2) {
            const int pair = tid / (size * size), r = 2 * size * pair + tid % size, column = 2 * size * pair + size;
            const int c = column + tid / size % size;
            const bool has_entry = column < block_columns;
            __syncthreads();
            T sum = T(0);  // of U12 T22
            if (has_entry)
                for (int l = column; l <= min(c, width - 1); ++l)
                    sum = fma_(u[l * block_ld + r], t[c * block_ld + l], sum);
            __syncthreads();
            if (has_entry) u[c * block_ld + r] = sum;
            __syncthreads();
            sum = T(0);
            if (has_entry) {
                for (int l = r; l < column; ++l) sum = fma_(t[l * block_ld + r], u[c * block_ld + l], sum);
                t[c * block_ld + r] = -sum;
                t[r * block_ld + c] = T(0);
            }
        }
    }

private:
    static constexpr int rows = B / tile_warps, ld = TileShared<T, B>::ld, chunk = Chunk<T>::size;
    // Squares of norms in which no product with another column's entries loses more than it has
    static constexpr int range = sizeof(R) == 8 ? 100 : 40;

    __device__ __forceinline__ void load() {
        const T *from = shared_.tile + (s_ + lane_) * ld + warp_ * rows;
#pragma unroll
        for (int i = 0; i < rows; i += chunk) {
            const Chunk<T> c = lane_ < width_ ? *reinterpret_cast<const Chunk<T> *>(from + i) : Chunk<T>{};
#pragma unroll
            for (int e = 0; e < chunk; ++e) a_[i + e] = c.x[e];
        }
    }
    template <int... K>
    __device__ __forceinline__ void each_row(int own, std::integer_sequence<int, K...>) {
        (row_step<K>(own), ...);
    }
    template <int K>
    __device__ __forceinline__ void row_step(int own) {
        const int k = own * rows + K - s_;
        if (k >= 0 && k < width_) step<K>(k, own);
    }

    // Whether row i of this warp, from its first, is below the pivot, row K of warp `own`
    template <int K>
    __device__ bool is_below(int i, int own) const {
        return HAS_TOP || warp_ > own || (warp_ == own && i > K);
    }

    // x of column k, and x^H a of this lane's column, in the rows of this warp
    template <int K>
    __device__ __forceinline__ T publish(int k, int own, T v[rows]) {
        if (!HAS_TOP && warp_ < own) return T(0);
        T *x = shared_.vectors + k * ld + warp_ * rows;
        if (lane_ == k) {
#pragma unroll
            for (int i = 0; i < rows; i += chunk) {
                Chunk<T> c;
#pragma unroll
                for (int e = 0; e < chunk; ++e) c.x[e] = is_below<K>(i + e, own) ? a_[i + e] : T(0);
                *reinterpret_cast<Chunk<T> *>(x + i) = c;
            }
        }
        __syncwarp();
        T sum[4] = {T(0), T(0), T(0), T(0)};
#pragma unroll
        for (int i = 0; i < rows; i += chunk) {
            const Chunk<T> c = *reinterpret_cast<const Chunk<T> *>(x + i);
#pragma unroll
            for (int e = 0; e < chunk; ++e) {
                v[i + e] = c.x[e];
                sum[(i + e) % 4] = fma_(conjugate(c.x[e]), a_[i + e], sum[(i + e) % 4]);
            }
        }
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    // Over all warps, always in the same order
    __device__ __forceinline__ T sum_of_warps(int turn) const {
        T q[tile_warps];
#pragma unroll
        for (int w = 0; w < tile_warps; ++w) q[w] = shared_.partial[turn][w][lane_];
#pragma unroll
        for (int half = tile_warps / 2; half > 0; half /= 2)
#pragma unroll
            for (int w = 0; w < half; ++w) q[w] = q[w] + q[w + half];
        return q[0];
    }

    template <int K>
    __device__ __forceinline__ void step(int k, int own) {
        const int turn = k & 1;
        T *const at_top = top_ + lane_ * block_ld + k;
        const bool is_inside = lane_ < width_;
        T head = T(0), alpha = T(0), v[rows];
        if constexpr (HAS_TOP) {  // before the barrier, behind which they change
            if (is_inside) head = *at_top;
            alpha = top_[k * block_ld + k];
        } else {
            if (warp_ == own) shared_.row[turn][lane_] = a_[K];
        }
        T g;
        HouseholderScalars<T> h;
        Scaling scaling;
        for (;;) {
            shared_.partial[turn][warp_][lane_] = publish<K>(k, own, v);
            __syncthreads();
            if constexpr (!HAS_TOP)
                if (!scaling.is_done) head = shared_.row[turn][lane_], alpha = shared_.row[turn][k];
            g = sum_of_warps(turn);
            const R squares = __shfl_sync(~0u, real_part(g), k);
            h = householder(alpha, squares);
            if (scaling.is_done || is_usual(k, alpha, squares, g)) break;
            scaling = scaling_of(shared_.vectors + k * ld, HAS_TOP ? 0 : own * rows, alpha);
            __syncthreads();  // all have read x
            alpha = alpha * scaling.first * scaling.second;
            if (lane_ == k) {
#pragma unroll
                for (int i = 0; i < rows; ++i)
                    if (is_below<K>(i, own)) a_[i] = a_[i] * scaling.first * scaling.second;
            }
        }
        if (scaling.is_done) h.beta = h.beta * scaling.undo_second * scaling.undo_first;
        if (scaling.is_nothing) g = T(0), h = {real_part(alpha), R(0), T(0), T(0)};
        const T w = fma_(conjugate(h.tau), head, g * h.ratio), change = h.sigma * w;
        if (lane_ > k && (HAS_TOP || warp_ >= own)) {  // columns to the left stay, even where x is no number
#pragma unroll
            for (int i = 0; i < rows; ++i)
                if (is_below<K>(i, own)) a_[i] = fnma(v[i], change, a_[i]);
        }
        if (lane_ == k) sigma_ = h.sigma;
        const T row = lane_ > k ? head - w : T(h.beta);
        if constexpr (HAS_TOP) {
            if (warp_ == 0 && lane_ >= k && is_inside) *at_top = row;
        } else {
            if (warp_ == own && lane_ >= k) a_[K] = row;
        }
        if (warp_ == tile_warps - 1) {
            if (lane_ < k) {
                const T below = h.sigma * conjugate(g), all = HAS_TOP ? below : below + conjugate(head);
                shared_.products[k * block_ld + lane_] = conjugate(sigma_) * all;
            }
            if (lane_ == k) {
                shared_.tau[k] = h.tau;
                if (!is_finite(h.beta)) atomicMax(bad_, INT32_MAX - (bad_column_ + k));
            }
        }
    }

    // Whether the squares are far from the ends of the range, and nothing overflowed: by exponents, which cost no time
    // of the unit that multiplies
    __device__ __forceinline__ bool is_usual(int k, T alpha, R squares, T g) const {
        using Bits = BitsOf<R>;
        constexpr int bias = Bits::type::bias;
        const int size = exponent_field(squares), head = exponent_field(magnitude(alpha));
        const bool overflows = lane_ > k && lane_ < width_ && exponent_field(magnitude(g)) > 2 * bias;
        return size >= bias - range && size <= bias + range && head <= bias + range / 2 && !__any_sync(~0u, overflows);
    }
    // Where they are not, x and alpha are scaled by a power of two, in two steps since one may leave the range too.
    // is_nothing: x is zero and alpha real, so that H = I, as LAPACK's larfg. By whole warps; x has zeros above its
    // first entry, from row `first` on.
    struct Scaling {
        R first = 1, second = 1, undo_first = 1, undo_second = 1;
        bool is_done = false, is_nothing = false;
    };
    static __device__ __noinline__ Scaling scaling_of(const T *x, int first, T alpha) {
        R most = 0;
        bool has_nan = false;
        for (int i = first + thread_of_task() % 32; i < B; i += 32) {
            const R size = magnitude(x[i]);
            has_nan = has_nan || !(size == size);
            most = size > most ? size : most;
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            const R other = __shfl_xor_sync(~0u, most, distance);
            most = other > most ? other : most;
        }
        has_nan = __any_sync(~0u, has_nan);
        Scaling s;
        s.is_done = true;
        s.is_nothing = most == 0 && !has_nan && imaginary(alpha) == 0;
        const R head = magnitude(alpha), largest = head > most ? head : most;
        if (s.is_nothing || has_nan || !(head == head) || !is_finite(largest)) return s;
        const int exponent = ilogb(largest), half = exponent / 2;
        s.first = power_of_two<R>(-half), s.second = power_of_two<R>(half - exponent);
        s.undo_first = power_of_two<R>(half), s.undo_second = power_of_two<R>(exponent - half);
        return s;
    }

    __device__ __forceinline__ void finish() {
        T *const vector = shared_.vectors + lane_ * ld + warp_ * rows, *const column = shared_.tile +
                                                                                       (s_ + lane_) * ld + warp_ * rows;
        const int diagonal = HAS_TOP ? -1 : s_ + lane_ - warp_ * rows;
#pragma unroll
        for (int i = 0; i < rows; i += chunk) {
            Chunk<T> c, left;
#pragma unroll
            for (int e = 0; e < chunk; ++e) {
                const bool is_below = i + e > diagonal;
                const T x = is_below ? a_[i + e] * sigma_ : a_[i + e];
                left.x[e] = x;
                c.x[e] = lane_ >= width_ ? T(0) : is_below ? x : T(R(i + e == diagonal ? 1 : 0));
            }
            *reinterpret_cast<Chunk<T> *>(vector + i) = c;
            if (lane_ < width_) *reinterpret_cast<Chunk<T> *>(column + i) = left;
        }
    }

    TileShared<T, B> &shared_;
    T *top_;
    int s_, width_, lane_, warp_;
    int *bad_, bad_column_;
    T a_[rows], sigma_ = T(0);
};

}  // namespace xbatch
