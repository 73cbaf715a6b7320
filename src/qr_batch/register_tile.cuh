// register_tile.cuh: up to G*C columns of a matrix in the registers of G*groups threads, factored or reflected there.
//
// Lane l of each group has columns l, l+G, …; group w has rows w, w+groups, …, R of each column, so that all groups
// have work until the last reflector. Column k publishes what is below its head, x, in shared memory; each lane forms
// g = x^H a of its own columns, so that one exchange between the groups gives the norm of x and the products by which
// the columns to the right change. x stays as it is until it is stored: v = sigma x. Rows that are done are stored and
// the others move up in the registers, so that the pivot is always among the first and the code stays short.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "reflector.cuh"

namespace xbatch {

// Elements that are moved as one
template <class T>
struct alignas(16) Sixteen {
    static constexpr int size = 16 / int(sizeof(T));
    T x[size];
};

// ALONE: there is one group, and at least as many columns as rows.
template <int LANES, int COLUMNS, int ROWS, bool IS_ALONE>
struct TileKind {
    static constexpr int G = LANES, C = COLUMNS, R = ROWS;
    static constexpr bool ALONE = IS_ALONE;
    static constexpr int columns = G * C;
};

// What the threads of a block have: groups is a power of two.
struct TileLayout {
    int groups, per_block;  // matrices of a block; one where its threads are more than a warp
    int log_groups;
};

// A matrix's place in shared memory: the rows of each group behind each other, so padded that lanes beside each other
// meet different banks
template <class T, class K>
struct TileArea {
    static constexpr int chunk = Sixteen<T>::size, pitch = K::R + chunk;

    __host__ __device__ static int ld(TileLayout at) { return at.groups * pitch + (K::ALONE ? 0 : chunk); }
    // Matrices beside each other begin one unit of 16 bytes apart, counted by banks: their columns are read at once.
    __host__ __device__ static int size(TileLayout at) {
        const int units = K::columns * ld(at) / chunk;
        return (units + (9 - units % 8) % 8) * chunk;
    }
    __device__ static int place(TileLayout at, int row, int column) {
        if constexpr (K::ALONE) return column * ld(at) + row;
        return column * ld(at) + (row & (at.groups - 1)) * pitch + (row >> at.log_groups);
    }
};

template <class T, class K>
class RegisterTile {
public:
    using R = Real<T>;
    using Area = TileArea<T, K>;
    static constexpr int G = K::G, C = K::C, rows = K::R, chunk = Area::chunk;
    static constexpr bool ALONE = K::ALONE;

    // exchange: where there are several groups, what they tell each other
    __device__ RegisterTile(TileLayout at, T *area, T *exchange)
        : at_(at),
          area_(area),
          exchange_(exchange),
          ld_(Area::ld(at)),
          lane_(int(threadIdx.x) % G),
          group_(ALONE ? 0 : int(threadIdx.x) / G & (at.groups - 1)) {}

    // The first entries of the area's columns; zero elsewhere
    __device__ __forceinline__ void load(int m, int width) {
#pragma unroll
        for (int c = 0; c < C; ++c) {
            const T *from = area_ + column(c) * ld_ + group_ * Area::pitch;
#pragma unroll
            for (int i = 0; i < rows; i += chunk) {
                const Sixteen<T> x = *reinterpret_cast<const Sixteen<T> *>(from + i);
#pragma unroll
                for (int e = 0; e < chunk; ++e) a_[c][i + e] = row(i + e) < m && column(c) < width ? x.x[e] : T(0);
            }
        }
    }
    // All of the identity's columns from `first` on
    __device__ __forceinline__ void set_identity(int first) {
#pragma unroll
        for (int c = 0; c < C; ++c)
#pragma unroll
            for (int i = 0; i < rows; ++i) a_[c][i] = T(R(row(i) == first + column(c) ? 1 : 0));
    }
    // Columns from `least` on, back to the area
    __device__ __forceinline__ void store(int least) const {
#pragma unroll
        for (int c = 0; c < C; ++c) {
            T *to = area_ + column(c) * ld_ + group_ * Area::pitch;
            if (column(c) < least) continue;
#pragma unroll
            for (int i = 0; i < rows; i += chunk) {
                Sixteen<T> x;
#pragma unroll
                for (int e = 0; e < chunk; ++e) x.x[e] = a_[c][i + e];
                *reinterpret_cast<Sixteen<T> *>(to + i) = x;
            }
        }
    }
    // Columns first … first+count-1 of the matrix, the tile's first, become reflectors; R and the vectors go to the
    // area. False where that is no answer: a norm is near the ends of the range, or there is nothing to eliminate.
    __device__ __forceinline__ bool factor(int m, int first, int count) {
        m_ = m, first_ = first, end_ = first + count;
        is_unusual_ = false;
#pragma unroll
        for (int c = 0; c < C; ++c) tau_[c] = sigma_[c] = T(0);
        int retired = 0;
        for (;; retired += together) {
            const int k = retired << at_.log_groups, end = min(end_ - k, at_.groups);
            if constexpr (ALONE)
                steps(k, std::make_integer_sequence<int, together>{});
            else
                for (int r = max(first_ - k, 0); r < end; ++r) step<0>(k + r - first_, r, rows - retired);
            if ((retired + together) << at_.log_groups >= end_) break;
            retire(retired, count);
        }
        finish(retired, count);
        return !is_unusual_;
    }
    // Of this thread's columns
    template <class F>
    __device__ __forceinline__ void each_tau(F f) const {
        if (group_ != 0) return;
#pragma unroll
        for (int c = 0; c < C; ++c) f(column(c), tau_[c]);
    }
    // All columns lose v factor v^H a, v the vector at `slot` of the area, whole, which begins at row `pivot`.
    __device__ __forceinline__ void reflect(int slot, int pivot, T factor) {
        const T *v = area_ + slot * ld_ + group_ * Area::pitch;
        const int begin = pivot >> at_.log_groups;
        T g[C];
#pragma unroll
        for (int c = 0; c < C; ++c) g[c] = T(0);
#pragma unroll
        for (int i = 0; i < rows; i += chunk) {
            if (i + chunk <= begin) continue;
            const Sixteen<T> x = *reinterpret_cast<const Sixteen<T> *>(v + i);
#pragma unroll
            for (int e = 0; e < chunk; ++e)
#pragma unroll
                for (int c = 0; c < C; ++c) g[c] = fma_(conjugate(x.x[e]), a_[c][i + e], g[c]);
        }
        sum_of_groups(g);
#pragma unroll
        for (int c = 0; c < C; ++c) g[c] = factor * g[c];
#pragma unroll
        for (int i = 0; i < rows; i += chunk) {
            if (i + chunk <= begin) continue;
            const Sixteen<T> x = *reinterpret_cast<const Sixteen<T> *>(v + i);
#pragma unroll
            for (int e = 0; e < chunk; ++e)
#pragma unroll
                for (int c = 0; c < C; ++c) a_[c][i + e] = fnma(x.x[e], g[c], a_[c][i + e]);
        }
    }

private:
    static constexpr int together = ALONE ? 8 : 1;  // elements of a column after which the others move up
    // Squares of norms in which no product with another column's entries loses more than it has
    static constexpr int range = sizeof(R) == 8 ? 100 : 40;

    __device__ int column(int c) const { return lane_ + c * G; }
    __device__ int row(int i) const { return ALONE ? i : (i << at_.log_groups) + group_; }
    static __device__ bool is_wide(TileLayout at) { return !ALONE && at.groups * G > 32; }
    __device__ bool is_block() const { return is_wide(at_); }
    __device__ int first_lane() const { return int(threadIdx.x) % 32 & ~(ALONE ? G - 1 : at_.groups * G - 1); }
    // Behind the two columns that are published in turn: two pivot rows, and two sums of each warp
    __device__ T *heads() const { return exchange_ + 2 * at_.groups * Area::pitch; }
    // From the lane of column k of the tile
    template <class V>
    static __device__ V shuffled(V x, int lane) {
        if constexpr (sizeof(V) > sizeof(R))
            return V(__shfl_sync(~0u, x.re, lane), __shfl_sync(~0u, x.im, lane));
        else
            return __shfl_sync(~0u, x, lane);
    }
    static __device__ T exchanged(T x, int distance) {
        if constexpr (sizeof(T) > sizeof(R))
            return T(__shfl_xor_sync(~0u, x.re, distance), __shfl_xor_sync(~0u, x.im, distance));
        else
            return __shfl_xor_sync(~0u, x, distance);
    }
    static __device__ T picked(const T x[C], int c) {
        T found = x[0];
#pragma unroll
        for (int k = 1; k < C; ++k)
            if (c == k) found = x[k];
        return found;
    }

    // Over the groups of the matrix, always in the same order
    __device__ __forceinline__ void sum_of_groups(T g[C]) {
        if constexpr (!ALONE) {
#pragma unroll
            for (int distance = G; distance < 32; distance *= 2) {
                if (distance >= at_.groups * G) break;
#pragma unroll
                for (int c = 0; c < C; ++c) g[c] = g[c] + exchanged(g[c], distance);
            }
            if (!is_block()) return;
            const int warps = at_.groups * G / 32, warp = int(threadIdx.x) / 32;
            T *const sums = heads() + (2 + turn_ * warps) * K::columns;
            turn_ ^= 1;
            if (int(threadIdx.x) % 32 < G) {
#pragma unroll
                for (int c = 0; c < C; ++c) sums[warp * K::columns + column(c)] = g[c];
            }
            __syncthreads();
#pragma unroll
            for (int c = 0; c < C; ++c) {
                T sum[2] = {sums[column(c)], T(0)};
#pragma unroll 4
                for (int w = 1; w < warps; ++w) sum[w & 1] = sum[w & 1] + sums[w * K::columns + column(c)];
                g[c] = sum[0] + sum[1];
            }
        }
    }

    template <int... Q>
    __device__ __forceinline__ void steps(int k, std::integer_sequence<int, Q...>) {
        (step_if<Q>(k + Q, rows - k), ...);
    }
    template <int Q>
    __device__ __forceinline__ void step_if(int k, int left) {
        if (k < end_) step<Q>(k, 0, left);
    }
    // Whether element i of this thread's columns is below the pivot, element Q of group r
    template <int Q>
    __device__ bool is_below(int i, int r) const {
        return i > Q || (!ALONE && i == Q && group_ > r);
    }
    // Whether columns of index c are all to the left of column k
    static __device__ bool is_over(int c, int k) { return c * G + G - 1 < k; }

    // Column k of the tile, whose pivot is element Q of group r; `left` elements of a column are left.
    template <int Q>
    __device__ __forceinline__ void step(int k, int r, int left) {
        constexpr int begin = Q / chunk * chunk;
        const int k_lane = first_lane() + k % G, k_index = k / G;
        T *const x = ALONE ? area_ + k * ld_ + rows - left : exchange_ + ((k & 1) * at_.groups + group_) * Area::pitch;
#pragma unroll
        for (int c = 0; c < C; ++c) {
            if (k_index != c || k % G != lane_) continue;
#pragma unroll
            for (int i = begin; i < rows; i += chunk) {
                if (i >= left) break;
                Sixteen<T> y;
#pragma unroll
                for (int e = 0; e < chunk; ++e) y.x[e] = is_below<Q>(i + e, r) ? a_[c][i + e] : T(0);
                *reinterpret_cast<Sixteen<T> *>(x + i) = y;
            }
        }
        T head[C], g[C];
#pragma unroll
        for (int c = 0; c < C; ++c) {
            head[c] = a_[c][Q];
            if (ALONE) continue;
            if (!is_block())
                head[c] = shuffled(head[c], first_lane() + r * G + lane_);
            else if (group_ == r)
                heads()[(k & 1) * K::columns + column(c)] = head[c];
        }
        __syncwarp();
        products<Q>(x, k, left, g);
        sum_of_groups(g);
        if (is_block()) {
#pragma unroll
            for (int c = 0; c < C; ++c) head[c] = heads()[(k & 1) * K::columns + column(c)];
        }
        const T alpha = shuffled(picked(head, k_index), k_lane);
        const R squares = shuffled(real_part(picked(g, k_index)), k_lane);
        DeviceReflector<T> h = device_reflector(alpha, squares);
        const bool is_last = first_ + k == m_ - 1;  // of a complex column, whose head may still be turned
        if (is_last && imaginary_of(alpha) == 0) h = {real_part(alpha), R(0), T(0), T(0)};
        is_unusual_ |= !is_usual(k, alpha, is_last ? R(1) : squares, g);
#pragma unroll
        for (int c = 0; c < C; ++c) {
            if (is_over(c, k)) continue;
            if (column(c) > k) {  // columns to the left stay, even where x is no number
                const T w = fma_(conjugate(h.tau), head[c], g[c] * h.ratio), change = h.sigma * w;
#pragma unroll
                for (int i = begin; i < rows; i += chunk) {
                    if (i >= left) break;
                    const Sixteen<T> y = again(x + i);
#pragma unroll
                    for (int e = 0; e < chunk; ++e)
                        if (i + e > Q || (!ALONE && i + e == Q)) a_[c][i + e] = fnma(y.x[e], change, a_[c][i + e]);
                }
                if (ALONE || group_ == r) a_[c][Q] = head[c] - w;
            } else if (column(c) == k) {
                tau_[c] = h.tau, sigma_[c] = h.sigma;
                if (ALONE || group_ == r) a_[c][Q] = T(h.beta);
            }
        }
    }
    template <int Q>
    __device__ __forceinline__ void products(const T *x, int k, int left, T g[C]) const {
        constexpr int begin = Q / chunk * chunk;
        T sum[C][2];
#pragma unroll
        for (int c = 0; c < C; ++c) sum[c][0] = sum[c][1] = T(0);
#pragma unroll
        for (int i = begin; i < rows; i += chunk) {
            if (i >= left) break;
            const Sixteen<T> y = *reinterpret_cast<const Sixteen<T> *>(x + i);
#pragma unroll
            for (int e = 0; e < chunk; ++e) {
                if (i + e < Q || (ALONE && i + e == Q)) continue;
#pragma unroll
                for (int c = 0; c < C; ++c)
                    if (!is_over(c, k))
                        sum[c][(i + e) & 1] = fma_(conjugate(y.x[e]), a_[c][i + e], sum[c][(i + e) & 1]);
            }
        }
#pragma unroll
        for (int c = 0; c < C; ++c) g[c] = sum[c][0] + sum[c][1];
    }
    // What lies in shared memory, read once more: kept, a long vector would take the registers of the columns.
    static __device__ Sixteen<T> again(const T *x) {
        if constexpr (rows * int(sizeof(T)) <= 128) return *reinterpret_cast<const Sixteen<T> *>(x);
        union {
            uint4 words;
            Sixteen<T> elements;
        } y;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(y.words.x), "=r"(y.words.y), "=r"(y.words.z), "=r"(y.words.w)
                     : "r"(unsigned(__cvta_generic_to_shared(x)))
                     : "memory");
        return y.elements;
    }

    // Whether the squares are far from the ends of the range, and nothing overflowed: by exponents, which cost no time
    // of the unit that multiplies
    __device__ __forceinline__ bool is_usual(int k, T alpha, R squares, const T g[C]) const {
        constexpr int bias = BitsOf<R>::type::bias;
        bool overflows = false;
#pragma unroll
        for (int c = 0; c < C; ++c)
            overflows = overflows || (column(c) > k && exponent_field(magnitude(g[c])) > 2 * bias);
        return unsigned(exponent_field(squares) - (bias - range)) <= 2 * range &&
               exponent_field(magnitude(alpha)) <= bias + range / 2 && !overflows;
    }

    // R above the diagonal, v below it
    __device__ T finished(int c, T x, int i, int count) const {
        return column(c) < count && row(i) > first_ + column(c) ? sigma_[c] * x : x;
    }
    // Elements from `which` on of each column, now the first, are done: `together` of them.
    __device__ __forceinline__ void retire(int which, int count) {
        if (ALONE) __syncwarp();  // what is published lies there
#pragma unroll
        for (int c = 0; c < C; ++c) {
            T *const to = area_ + column(c) * ld_ + group_ * Area::pitch + which;
#pragma unroll
            for (int i = 0; i < together; ++i) to[i] = finished(c, a_[c][i], which + i, count);
#pragma unroll
            for (int i = 0; i < rows; ++i)
                a_[c][i] = i + together < rows ? a_[c][i + together < rows ? i + together : 0] : T(0);
        }
    }
    // So are all that are left, where `retired` are done.
    __device__ __forceinline__ void finish(int retired, int count) {
        if (ALONE) __syncwarp();
#pragma unroll
        for (int c = 0; c < C; ++c) {
            T *const to = area_ + column(c) * ld_ + group_ * Area::pitch + retired;
#pragma unroll
            for (int i = 0; i < rows; ++i)
                if (i < rows - retired) to[i] = finished(c, a_[c][i], retired + i, count);
        }
    }

    TileLayout at_;
    T *area_, *exchange_;
    int ld_, lane_, group_, m_ = 0, first_ = 0, end_ = 0, turn_ = 0;
    bool is_unusual_ = false;
    T a_[C][rows], tau_[C], sigma_[C];
};

}  // namespace xbatch
