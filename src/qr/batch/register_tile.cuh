// register_tile.cuh: a matrix, or some of its columns, in the registers of a few lanes, a warp or several warps.
//
// D*warps_down lanes share a column, A*warps_across lanes a row. Lane (r, l) has C columns, l, l + A*warps_across, …,
// and of each R rows in chunks of 16 bytes: chunk u is the (u*D*warps_down + r)-th of the column. Column k is published
// in shared memory. With x its entries below the head, each lane forms x^H a for its rows and columns, and x^H x. So
// there is one reduction per column. Vectors stay unscaled, v = sigma x, until finish().
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "core/lanes.cuh"
#include "qr/common/householder.cuh"
#include "qr_batch_tuning.hpp"
#include "tile_kind.cuh"

namespace xbatch::qr {

template <class T, class K>
class RegisterTile {
public:
    using R = Real<T>;
    static constexpr int D = K::D, A = K::A, C = K::C, rows = K::R;
    static constexpr int chunk = Sixteen<T>::size, chunks = rows / chunk;
    static constexpr bool ROW_LOCAL = K::ONE_WARP && A == 1;  // a lane has all columns of its rows
    static_assert(rows % chunk == 0);
    static constexpr __host__ __device__ int min_of(int a, int b) { return a < b ? a : b; }
    static constexpr bool EXACT = K::WARPS_ACROSS > 0;  // the slots of columns are known to the compiler
    static constexpr bool is_complex = sizeof(T) > sizeof(R);
    // Several warps publish the next column before they update those after it. That is slower for complex double.
    static constexpr bool AHEAD = K::WARPS_ACROSS > 1 && chunk > 1;
    // Columns in the same slot of their lanes, with heads in the same chunk
    static constexpr int most_across = A * (EXACT ? K::WARPS_ACROSS : 1), together = min_of(most_across, D *chunk);
    // Of all columns, which are no more than the rows: those with heads in the same chunk. A tall tile has fewer
    // columns than chunk 0 has rows.
    static constexpr int most_columns = min_of(D * rows, A *C *most_warps);
    static constexpr int most_stages = EXACT     ? min_of(D * rows, most_across *C) / together
                                       : K::TALL ? 1
                                                 : (most_columns - 1) / (D * chunk) + 1;

    // Shared memory of a matrix: two columns, published in turn; tau and sigma; sums of the warps that share columns.
    // The matrices of a warp begin in different banks.
    static constexpr __host__ __device__ int exchange_elements(TileLayout at) {
        const int columns = C * A * at.warps_across;
        const int all =
            2 * rows * D * at.warps_down + 2 * columns + (K::TALL ? (2 * at.warps_down + 1) * (columns + 1) : 0);
        const int chunks = (all + chunk - 1) / chunk;
        return (chunks + (8 + D - chunks % 8) % 8) * chunk;
    }

    // exchange: this matrix's shared memory
    __device__ RegisterTile(TileLayout at, T *exchange)
        : exchange_(exchange),
          warps_across_(EXACT ? K::WARPS_ACROSS : at.warps_across),
          warps_down_(K::TALL ? at.warps_down : 1),
          lane_row_(int(threadIdx.x) % D),
          lane_column_(int(threadIdx.x) % 32 / D % A) {
        if (K::ONE_WARP) return;
        const int warp = int(threadIdx.x) / 32;
        lane_column_ += warp % warps_across_ * A;
        if (!EXACT) lane_row_ += warp / warps_across_ * D;
    }
    __device__ int columns() const { return C * across(); }
    // Synchronises the lanes of one matrix; by a named barrier if a block has several.
    __device__ void sync() const {
        if (K::ONE_WARP || warps_across_ * warps_down_ == 1)
            __syncwarp();
        else if (EXACT)
            asm volatile("bar.sync %0, %1;" ::"r"(barrier()), "n"(K::lanes) : "memory");
        else
            __syncthreads();
    }

    // Loads columns from … from+count-1 of a matrix as those of the tile from `to` on. All others become zero or, if
    // AUGMENTED, remain. BY_SIXTEEN: with code for columns of whole chunks, which is faster.
    template <bool AUGMENTED = false, bool BY_SIXTEEN = true>
    __device__ __forceinline__ void load(const MatrixView<T> &m, int height, int from, int count, int to = 0) {
        const bool is_whole = BY_SIXTEEN && m.by_sixteen && height == chunks * chunk_rows();
        const auto take = [&](int u, int c, int e, T x) {
            T &a = a_[c][u * chunk + e];
            if (m.conjugates) x = conjugate(x);
            a = AUGMENTED ? chosen(is_in(c, to, count), x, a) : x;
        };
        if (is_whole)
            each_place(m, height, from - to, [&](int u, int c, int, const T *at, int64_t) {
                const auto x = read_if(is_in(c, to, count), reinterpret_cast<const Sixteen<T> *>(at));
#pragma unroll
                for (int e = 0; e < chunk; ++e) take(u, c, e, x.x[e]);
            });
        else
            each_place(m, height, from - to, [&](int u, int c, int left, const T *at, int64_t step) {
#pragma unroll
                for (int e = 0; e < chunk; ++e) take(u, c, e, read_if(is_in(c, to, count) && e < left, at + e * step));
            });
    }
    // Stores columns from … from+count-1 of the tile as those of a matrix from `to` on.
    __device__ __forceinline__ void store(const MatrixView<T> &m, int height, int to, int count, int from = 0) {
        const bool is_whole = m.by_sixteen && height == chunks * chunk_rows();
        const auto given = [&](int u, int c, int e) {
            const T a = a_[c][u * chunk + e];
            return m.conjugates ? conjugate(a) : a;
        };
        if (is_whole)
            each_place(m, height, to - from, [&](int u, int c, int, T *at, int64_t) {
                Sixteen<T> x;
#pragma unroll
                for (int e = 0; e < chunk; ++e) x.x[e] = given(u, c, e);
                if (is_in(c, from, count)) *reinterpret_cast<Sixteen<T> *>(at) = x;
            });
        else
            each_place(m, height, to - from, [&](int u, int c, int left, T *at, int64_t step) {
#pragma unroll
                for (int e = 0; e < chunk; ++e)
                    if (is_in(c, from, count) && e < left) at[e * step] = given(u, c, e);
            });
    }
    // f(row, column, entry) for this lane's entries in columns from `first` on
    template <class F>
    __device__ __forceinline__ void each_entry(int first, F f) {
        each_augmented(first, [&](int c) {
#pragma unroll
            for (int i = 0; i < rows; ++i) f(row(i), column(c), a_[c][i]);
        });
    }
    // The identity's columns from `first` on
    __device__ __forceinline__ void set_identity(int first) {
        each_element([&](int i, int c) { a_[c][i] = T(R(row(i) == first + column(c) ? 1 : 0)); });
    }

    // Exchanges the chunks with those at slot(chunk).
    template <class F>
    __device__ __forceinline__ void swap(F slot) {
#pragma unroll
        for (int c = 0; c < C; ++c) {
            Sixteen<T> x[chunks];
#pragma unroll
            for (int u = 0; u < chunks; ++u) x[u] = *slot(c * chunks + u);
#pragma unroll
            for (int u = 0; u < chunks; ++u) {
#pragma unroll
                for (int e = 0; e < chunk; ++e) {
                    const T y = a_[c][u * chunk + e];
                    a_[c][u * chunk + e] = x[u].x[e], x[u].x[e] = y;
                }
                *slot(c * chunks + u) = x[u];
            }
        }
    }

    // Factors columns 0 … count-1, of which the first `own` become reflectors. Returns false if the result is not
    // valid: a norm is near the ends of the range, or a column is zero below its head. A tile of several warps has no
    // more columns than rows. between(stage) is called before each stage.
    template <class F>
    __device__ __forceinline__ bool factor(int height, int count, int own, F between) {
        begin(height, own);
        stages(K::UNIFORM_SIZE ? own_ : count, between, std::make_integer_sequence<int, most_stages>{});
        finish();
        return !needs_scaling_;
    }
    __device__ __forceinline__ bool factor(int height, int count, int own) {
        return factor(height, count, own, [](int) {});
    }
    // The same for any norms, which are scaled. Returns the first column whose norm is not finite, from 1, or 0.
    __device__ __forceinline__ int factor_scaled(int height, int count, int own);
    // Whether is_so holds in any lane of the matrix
    __device__ bool any(bool is_so) const {
        if constexpr (K::ONE_WARP) {
            constexpr unsigned all = ~0u >> (32 - K::lanes);
            return (__ballot_sync(~0u, is_so) & all << (threadIdx.x % 32 & ~(K::lanes - 1))) != 0;
        } else if constexpr (EXACT) {
            int found;
            asm volatile(
                "{\n .reg .pred p;\n setp.ne.s32 p, %1, 0;\n bar.red.or.pred p, %2, %3, p;\n"
                " selp.s32 %0, 1, 0, p;\n}"
                : "=r"(found)
                : "r"(int(is_so)), "r"(barrier()), "n"(K::lanes)
                : "memory");
            return found != 0;
        } else {
            return __syncthreads_or(is_so) != 0;
        }
    }
    // f(column, tau), by one thread for each column of the tile
    template <class F>
    __device__ __forceinline__ void each_tau(F f) const {
        if (lane_row_ != 0) return;
#pragma unroll
        for (int c = 0; c < C; ++c) f(column(c), taus()[column(c)]);
    }

    // A -= v factor v^H A for the vector v in column `column` of a matrix, its unit entry in row `pivot`.
    __device__ __forceinline__ void apply_reflector(const MatrixView<T> &m, int height, int column, int pivot,
                                                    T factor);

    // Solves R x = y for columns n … of the tile. Returns the first row, from 1, whose diagonal entry is zero or not
    // finite, or 0.
    __device__ __forceinline__ int solve(int n, int own);
    // R^H x = y
    __device__ __forceinline__ int solve_adjoint(int n, int own);
    // Multiplies columns n … by Q, the vectors in columns 0 … n-1. Their rows from `own` on are set to zero first.
    __device__ __forceinline__ void multiply(int n, int own);

private:
    static __device__ int barrier() { return 1 + int(threadIdx.x) / K::lanes; }
    __device__ int across() const { return EXACT ? most_across : A * warps_across_; }
    __device__ int down() const { return K::TALL ? D * warps_down_ : D; }
    __device__ int chunk_rows() const { return chunk * down(); }
    __device__ bool is_in(int c, int first, int count) const { return column(c) >= first && column(c) < first + count; }
    __device__ int column(int c) const { return lane_column_ + c * across(); }
    __device__ int first_row(int u) const { return u * chunk_rows() + chunk * lane_row_; }
    __device__ int row(int i) const { return first_row(i / chunk) + i % chunk; }
    // Where column k is published: two columns in turn
    __device__ T *published(int k) const { return exchange_ + (k & 1) * rows * down(); }
    template <class X>
    __device__ X *own_chunk(X *x, int u) const {
        return x + (u * down() + lane_row_) * chunk;
    }
    static __device__ T as_vector(T x, int row, int pivot) { return row > pivot ? x : T(R(row == pivot ? 1 : 0)); }
    // f(chunk, slot, number of rows from its first on, its address, distance between rows)
    template <class F>
    __device__ __forceinline__ void each_place(const MatrixView<T> &m, int height, int shift, F f) const {
        int64_t row_step = m.row, column_step = m.column;
        // Hidden from the compiler, which would keep these addresses in registers until the tile is stored.
        asm volatile("" : "+l"(row_step), "+l"(column_step), "+r"(height));
        T *of_column = m.data + first_row(0) * row_step + (column(0) + shift) * column_step;
#pragma unroll
        for (int c = 0; c < C; ++c) {
            T *at = of_column;
            int left = height - first_row(0);
#pragma unroll
            for (int u = 0; u < chunks; ++u) {
                f(u, c, left, at, row_step);
                at += chunk_rows() * row_step, left -= chunk_rows();
            }
            of_column += across() * column_step;
        }
    }
    template <class F>
    __device__ __forceinline__ void each_element(F f) {
#pragma unroll
        for (int c = 0; c < C; ++c)
#pragma unroll
            for (int i = 0; i < rows; ++i) f(i, c);
    }
    // f(slot) for this lane's columns from n on
    template <class F>
    __device__ __forceinline__ void each_augmented(int n, F f) {
#pragma unroll
        for (int c = 0; c < C; ++c)
            if ((c + 1) * across() > n) {
                if (column(c) >= n) f(c);
            }
    }
    template <class F>
    __device__ __forceinline__ void each_row(const T *x, F f) const {
        each_row_to(INT32_MAX, x, f);
    }
    // For the chunks with rows up to `last`
    template <class F>
    __device__ __forceinline__ void each_row_to(int last, const T *x, F f) const {
#pragma unroll
        for (int u = 0; u < chunks; ++u) {
            if (u * chunk_rows() > last) break;
            const Sixteen<T> y = *reinterpret_cast<const Sixteen<T> *>(own_chunk(x, u));
#pragma unroll
            for (int e = 0; e < chunk; ++e) f(u * chunk + e, y.x[e]);
        }
    }

    // Sums over all rows, in the same order in all lanes: slots from S on, and real values after these
    template <int S, int N>
    __device__ __forceinline__ void sum_below(T (&g)[N]) {
#pragma unroll
        for (int distance = 1; distance < D; distance *= 2)
#pragma unroll
            for (int c = S; c < N; ++c)
                if (c < C)
                    g[c] = g[c] + exchanged(g[c], distance);
                else
                    g[c] = T(real_part(g[c]) + __shfl_xor_sync(~0u, real_part(g[c]), distance));
        if constexpr (K::TALL) {
            const int width = C * across() + 1;
            T *const sums = row_of_heads() + (1 + warps_down_ * summed_) * width;
            summed_ ^= 1;
            const auto at = [&](int c) { return c < C ? column(c) : width - 1; };
            if (lane_row_ % D == 0) {
#pragma unroll
                for (int c = S; c < N; ++c)
                    if (c < C || lane_column_ == 0) sums[lane_row_ / D * width + at(c)] = g[c];
            }
            sync();
#pragma unroll
            for (int c = S; c < N; ++c) g[c] = sums[at(c)];
#pragma unroll 1
            for (int w = 1; w < warps_down_; ++w)
#pragma unroll
                for (int c = S; c < N; ++c) g[c] = g[c] + sums[w * width + at(c)];
        }
    }
    // A -= v factor v^H A in columns from `least` on
    __device__ __forceinline__ void subtract_outer(const T (&v)[rows], T factor, int least) {
        T g[C] = {};
        each_element([&](int i, int c) { g[c] = fma_(conjugate(v[i]), a_[c][i], g[c]); });
        sum_below<0>(g);
#pragma unroll
        for (int c = 0; c < C; ++c) {
            if (column(c) < least) continue;
            const T change = factor * g[c];
#pragma unroll
            for (int i = 0; i < rows; ++i) a_[c][i] = fnma(v[i], change, a_[c][i]);
        }
    }
    // Publishes column k down to row `last`, and waits for it
    __device__ __forceinline__ const T *broadcast(int k, int last = INT32_MAX) {
#pragma unroll
        for (int c = 0; c < C; ++c)
            if (column(c) == k) publish<0>(k, c, last / chunk_rows() + 1);
        sync();
        return published(k);
    }

    // The elimination: register_factor.cuh
    __device__ void begin(int height, int own);
    template <class F, int... S>
    __device__ __forceinline__ void stages(int count, F between, std::integer_sequence<int, S...>) {
        ((between(S), stage<S>(count)), ...);
    }
    template <int S>
    __device__ __forceinline__ void stage(int count);
    template <int... S>
    __device__ __forceinline__ void slots(int end, std::integer_sequence<int, S...>) {
        (columns_of<S, 0, true>(S * across(), min(end, (S + 1) * across())), ...);
    }
    template <int S, int P, bool SINGLE>
    __device__ __forceinline__ void columns_of(int begin, int end);
    template <int S, int P, bool SINGLE, int... N>
    __device__ __forceinline__ void columns_from(int k, int end, std::integer_sequence<int, N...>);
    template <int S, int P, int E, bool SINGLE>
    __device__ __forceinline__ void step(int k);
    template <int S, int P>
    __device__ __forceinline__ void multiply_tail(const T *x, int element, int beyond, T (&v)[rows],
                                                  T (&g)[C + 1]) const;
    __device__ __forceinline__ bool is_reflected(int k, T alpha, R squares);
    template <int AT, int E>
    __device__ __forceinline__ T own_head(int c, unsigned in_chunk) const;
    template <int AT, int E>
    __device__ __forceinline__ T head_of(int c, unsigned in_chunk) const;
    template <int S, int AT>
    __device__ __forceinline__ void publish_heads(unsigned in_chunk);
    __device__ __forceinline__ void finish();
    __device__ __forceinline__ bool step_scaled(int k);

    // Publishes column k, in slot c: chunks P … end-1
    template <int P>
    __device__ __forceinline__ void publish(int k, int c, int end = chunks) const {
#pragma unroll
        for (int u = P; u < chunks && u < end; ++u) {
            Sixteen<T> y;
#pragma unroll
            for (int e = 0; e < chunk; ++e) y.x[e] = a_[c][u * chunk + e];
            *reinterpret_cast<Sixteen<T> *>(own_chunk(published(k), u)) = y;
        }
    }
    __device__ T *taus() const { return exchange_ + 2 * rows * down(); }
    __device__ T *sigmas() const { return taus() + columns(); }
    __device__ T *row_of_heads() const { return sigmas() + columns(); }
    T *exchange_;
    int warps_across_, warps_down_, lane_row_, lane_column_;
    int summed_ = 0, height_ = 0, own_ = 0;
    bool needs_scaling_ = false;
    T a_[C][rows];
};

}  // namespace xbatch::qr
