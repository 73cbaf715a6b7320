// tile_parts_update.cuh: a tile of floats or complex numbers updated by the reflectors of another by matrix
// instructions.
//
// The columns of C2 are held in registers from the first block to the last (float_parts.cuh). While a block is applied,
// each thread loads its share of the next one's vectors and T, and divides it into parts once for all warps. The rows
// of C1 are loaded while C2^T V is formed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/block_barrier.cuh"
#include "qr/common/complex_parts.cuh"
#include "qr/common/float_parts.cuh"

namespace xbatch::qr {

// Entries of a matrix of the caller's, plain or transposed, as the parts of n-tiles that a lane has: two rows of column
// `near`, then of column `near` + 8, or the real and the imaginary parts of two rows of `near`.
template <class T>
class AccumulatorView {
public:
    using R = Real<T>;
    // first: the warp's first column; has_all: all rows and columns exist
    __device__ AccumulatorView(const View<T> &v, int first, int columns, bool has_all)
        : v_(v), first_(first), columns_(columns), is_whole_(has_all && !v.is_transposed && is_aligned(v.at, v.ld)) {}

    // Rows rows(u, 0) and rows(u, 1) of n-tile u, zero from `end` on. Those of floats are adjacent, the first one even.
    template <int TILES, class Rows>
    __device__ __forceinline__ void read(R (&x)[TILES][4], int end, Rows rows) const {
        if (is_whole_) {
            const T *const at = v_.at + near() * v_.ld, *const far = at + 8 * v_.ld;
#pragma unroll
            for (int u = 0; u < TILES; ++u) {
                const int r = rows(u, 0), q = rows(u, 1);
                if constexpr (sizeof(T) == 16)
                    set(x[u], as<double2>(at + r), as<double2>(at + q));
                else if constexpr (is_complex)
                    set(x[u], as<float4>(at + r));
                else
                    set(x[u], as<float2>(at + r), as<float2>(far + r));
            }
            return;
        }
        // Where there is no entry, another one is read, so that loads need not wait for each other.
        const int64_t down = v_.is_transposed ? v_.ld : 1, across = v_.is_transposed ? 1 : v_.ld;
#pragma unroll
        for (int u = 0; u < TILES; ++u)
#pragma unroll
            for (int e = 0; e < entries; ++e) {
                const int row = rows(u, e % 2), column = near() + e / 2 * 8;
                const bool has = row < end && column < columns_;
                const T y = v_.at[(row < end ? row : end - 1) * down + (column < columns_ ? column : first_) * across];
                x[u][e] = has ? real_part(y) : 0;
                if (is_complex) x[u][2 + e] = has ? v_.is_transposed ? -imaginary(y) : imaginary(y) : 0;
            }
    }
    template <int TILES, class Rows>
    __device__ __forceinline__ void write(const R (&x)[TILES][4], int end, Rows rows) const {
        if (is_whole_) {
            T *const at = v_.at + near() * v_.ld, *const far = at + 8 * v_.ld;
#pragma unroll
            for (int u = 0; u < TILES; ++u) {
                const int r = rows(u, 0), q = rows(u, 1);
                if constexpr (sizeof(T) == 16) {
                    __stcg(reinterpret_cast<double2 *>(at + r), make_double2(x[u][0], x[u][2]));
                    __stcg(reinterpret_cast<double2 *>(at + q), make_double2(x[u][1], x[u][3]));
                } else if constexpr (is_complex) {
                    __stcg(reinterpret_cast<float4 *>(at + r), make_float4(x[u][0], x[u][2], x[u][1], x[u][3]));
                } else {
                    __stcg(reinterpret_cast<float2 *>(at + r), make_float2(x[u][0], x[u][1]));
                    __stcg(reinterpret_cast<float2 *>(far + r), make_float2(x[u][2], x[u][3]));
                }
            }
            return;
        }
#pragma unroll
        for (int u = 0; u < TILES; ++u)
#pragma unroll
            for (int e = 0; e < entries; ++e) {
                const int row = rows(u, e % 2), column = near() + e / 2 * 8;
                if (row < end && column < columns_)
                    v_.put(row, column, from_parts<T>(x[u][e], x[u][is_complex ? 2 + e : e]));
            }
    }

private:
    static constexpr bool is_complex = sizeof(T) > sizeof(R);
    static constexpr int entries = is_complex ? 2 : 4;

    __device__ int near() const { return first_ + thread_of_task() % 32 / 4; }
    template <class Pack>
    static __device__ Pack as(const T *at) {
        return __ldcg(reinterpret_cast<const Pack *>(at));
    }
    static __device__ void set(double (&x)[4], double2 r, double2 q) { x[0] = r.x, x[1] = q.x, x[2] = r.y, x[3] = q.y; }
    static __device__ void set(float (&x)[4], float4 y) { x[0] = y.x, x[1] = y.z, x[2] = y.y, x[3] = y.w; }
    static __device__ void set(float (&x)[4], float2 near, float2 far) {
        x[0] = near.x, x[1] = near.y, x[2] = far.x, x[3] = far.y;
    }

    View<T> v_;
    int first_, columns_;
    bool is_whole_;
};

// Powers of two by which a lane's accumulators of rows g and g + 8 are multiplied, so that the low parts of small
// numbers do not underflow and sums of large ones do not overflow.
struct FloatScale {
    static constexpr float most = 0x1p100f, power = 0x1p60f;
    float up[2] = {1, 1};

    __device__ __forceinline__ float down(int e) const {
        return __uint_as_float(0x7f000000u - __float_as_uint(up[e / 2]));
    }
    // The largest entries of the rows, of which four lanes have a part
    template <bool IS_COMPLEX, int TILES>
    static __device__ __forceinline__ void sizes(const float (&x)[TILES][4], float (&size)[2]) {
        size[0] = size[1] = 0;
#pragma unroll
        for (int u = 0; u < TILES; ++u)
#pragma unroll
            for (int e = 0; e < 4; ++e) size[e / 2] = fmaxf(size[e / 2], fabsf(x[u][e]));
        if (IS_COMPLEX) size[0] = size[1] = fmaxf(size[0], size[1]);
#pragma unroll
        for (int e = 0; e < 2; ++e)
#pragma unroll
            for (int step = 1; step < 4; step *= 2) size[e] = fmaxf(size[e], __shfl_xor_sync(~0u, size[e], step));
    }
    static __device__ __forceinline__ float for_size(float size) {
        return size < 1 / power ? power : size > most ? 1 / power : 1;
    }
};

// A block is stored while warps may still apply the one before it: where there is room, a third one's memory spares
// them to wait for each other.
template <class T, int B, int SPLIT>
struct PartsUpdateShared {
    static constexpr int stages =
        SPLIT == 1 && sizeof(TileShared<T, B>) >= 3 * sizeof(PartsBlock<T, B>) + sizeof(uint64_t) ? 3 : 2;
    PartsBlock<T, B> blocks[stages];
    uint64_t full;  // all threads have stored their shares of a block
    Real<T> exchange[SPLIT == 1 ? 1 : tile_warps][16][32];
};

// SPLIT: warps that share columns, of which each has a part of the rows; for tiles of few columns
template <class T, int B, int SPLIT>
class PartsUpdate {
public:
    __device__ PartsUpdate(PartsUpdateShared<T, B, SPLIT> &shared, const DeviceReflectors<T> &t, const View<T> &top,
                           const View<T> &below, int columns, bool is_adjoint)
        : shared_(shared),
          t_(t),
          top_(top),
          below_(below),
          columns_(columns),
          blocks_((t.columns + t.ib - 1) / t.ib),
          is_adjoint_(is_adjoint),
          has_top_(t.shape != Shape::trapezoid),
          is_whole_(t.shape == Shape::full && t.rows == B && has_whole_blocks() && is_aligned(t.v, t.ldv) &&
                    is_aligned(t.triangles, t.ib)) {}

    __device__ __forceinline__ void run() {
        for (int first = 0; first < columns_; first += warps * warp_columns) {
            if (thread_of_task() == 0) full().begin(0, tile_threads);
            __syncthreads();
            run(first + thread_of_task() / 32 % warps * warp_columns);
            __syncthreads();
            if (thread_of_task() == 0) full().end(0);
        }
    }

private:
    using R = Real<T>;
    using Block = PartsBlock<T, B>;
    static constexpr bool is_complex = sizeof(T) > sizeof(R), is_scaled = sizeof(R) == sizeof(float);
    static constexpr int warp_columns = is_complex ? 8 : 16, tiles = B / 8 / SPLIT, warps = tile_warps / SPLIT;
    static constexpr int stages = PartsUpdateShared<T, B, SPLIT>::stages;

    __device__ __forceinline__ void run(int first) {
        const bool is_mine = first < columns_, is_full = first + warp_columns <= columns_;
        const AccumulatorView<T> below(below_, first, columns_, is_full && t_.rows == B);
        const AccumulatorView<T> top(top_, first, columns_, is_full && has_whole_blocks());
        const int t = thread_of_task() % 4, first_row = part() * tiles * 8;
        const auto rows = [=](int u, int e) { return first_row + 8 * u + 2 * t + e; };
        typename Block::Share share;
        load(0, share);
        R c[tiles][4] = {};  // always set: otherwise registers hold it between tasks
        FloatScale scale;
        if (is_mine) {
            below.read(c, t_.rows, rows);
            if constexpr (is_scaled) begin_scale(c, scale);
        }
        store(0, share);
        for (int n = 0; n < blocks_; ++n) {
            full().wait(0, n % 2);
            if (stages == 2) __syncthreads();
            const bool has_next = n + 1 < blocks_;
            if (has_next) load(n + 1, share);
            const int s = first_vector(n), end = s + width_of(s);
            const auto top_rows = [=](int k, int e) { return s + 8 * k + Block::vector(e); };
            R c1[4][4] = {};
            PartsSums<R> sums;
            if (is_mine) {
                if (has_top_) top.read(c1, end, top_rows);
                add_vector_products(sums, c, shared_.blocks[n % stages], first_row);
            }
            if (has_next) store(n + 1, share);
            if (!is_mine) continue;
            if constexpr (SPLIT > 1) add_other_part(sums);
            if constexpr (is_scaled)
                if (has_top_) rescale(c, sums, c1, scale);
            R y[4][4];
#pragma unroll
            for (int k = 0; k < 4; ++k)
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    y[k][e] = is_scaled ? fma_(c1[k][e], scale.up[e / 2], sums.sum(k, e)) : c1[k][e] + sums.sum(k, e);
            multiply_by_triangle<T, B>(y, shared_.blocks[n % stages], is_adjoint_);
            if (has_top_) {
#pragma unroll
                for (int k = 0; k < 4; ++k)
#pragma unroll
                    for (int e = 0; e < 4; ++e)
                        c1[k][e] = is_scaled ? fma_(y[k][e], scale.down(e), c1[k][e]) : c1[k][e] + y[k][e];
                if (part() == 0) top.write(c1, end, top_rows);
            }
            add_changes(c, y, shared_.blocks[n % stages], first_row);
        }
        if (!is_mine) return;
        if constexpr (is_scaled) {
#pragma unroll
            for (int u = 0; u < tiles; ++u)
#pragma unroll
                for (int e = 0; e < 4; ++e) c[u][e] *= scale.down(e);
        }
        below.write(c, t_.rows, rows);
    }

    __device__ static int part() { return thread_of_task() / 32 / warps; }
    // Exchanges sums with the warp that has the other rows.
    __device__ __forceinline__ void add_other_part(PartsSums<R> &sums) const {
        const int warp = thread_of_task() / 32, lane = thread_of_task() % 32;
        auto &own = shared_.exchange[warp], &other = shared_.exchange[warp ^ warps];
#pragma unroll
        for (int k = 0; k < 4; ++k)
#pragma unroll
            for (int e = 0; e < 4; ++e) own[4 * k + e][lane] = sums.sum(k, e);
        wait_for_other_part();
#pragma unroll
        for (int k = 0; k < 4; ++k)
#pragma unroll
            for (int e = 0; e < 4; ++e) sums.set(k, e, sums.sum(k, e) + other[4 * k + e][lane]);
    }
    __device__ static void wait_for_other_part() {
        static_assert(SPLIT <= 2);
        asm volatile("bar.sync %0, 64;" ::"r"(1 + thread_of_task() / 32 % warps) : "memory");
    }

    __device__ bool has_whole_blocks() const { return t_.ib == block_columns && t_.columns == blocks_ * block_columns; }
    __device__ int first_vector(int n) const { return (is_adjoint_ ? n : blocks_ - 1 - n) * t_.ib; }
    __device__ int width_of(int s) const { return min(t_.ib, t_.columns - s); }

    // This thread's share of the n-th block that is applied
    __device__ __forceinline__ void load(int n, typename Block::Share &share) const {
        const int s = first_vector(n);
        t_.await_block(n);
        shared_.blocks[n % stages].load(share, t_, s, width_of(s), is_whole_);
    }
    __device__ __forceinline__ void store(int n, const typename Block::Share &share) const {
        shared_.blocks[n % stages].store(share);
        full().arrive(0);
    }
    __device__ BlockBarriers full() const { return BlockBarriers(&shared_.full); }

    __device__ __forceinline__ void begin_scale(R (&c)[tiles][4], FloatScale &scale) const {
        float size[2];
        FloatScale::sizes<is_complex>(c, size);
        if constexpr (SPLIT > 1) {
            const int warp = thread_of_task() / 32, lane = thread_of_task() % 32;
#pragma unroll
            for (int e = 0; e < 2; ++e) shared_.exchange[warp][e][lane] = size[e];
            wait_for_other_part();
#pragma unroll
            for (int e = 0; e < 2; ++e) size[e] = fmaxf(size[e], shared_.exchange[warp ^ warps][e][lane]);
        }
        scale.up[0] = FloatScale::for_size(size[0]), scale.up[1] = FloatScale::for_size(size[1]);
        if (!__any_sync(~0u, scale.up[0] != 1 || scale.up[1] != 1)) return;
#pragma unroll
        for (int u = 0; u < tiles; ++u)
#pragma unroll
            for (int e = 0; e < 4; ++e) c[u][e] *= scale.up[e / 2];
    }
    // Rows of C1 may be much larger than the tile.
    static __device__ __forceinline__ void rescale(R (&c)[tiles][4], PartsSums<R> &sums, const R (&c1)[4][4],
                                                   FloatScale &scale) {
        float size[2], change[2];
        FloatScale::sizes<is_complex>(c1, size);
#pragma unroll
        for (int e = 0; e < 2; ++e) change[e] = fminf(FloatScale::for_size(size[e]) / scale.up[e], 1);
        if (!__any_sync(~0u, change[0] != 1 || change[1] != 1)) return;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
#pragma unroll
            for (int u = 0; u < tiles; ++u) c[u][e] *= change[e / 2];
#pragma unroll
            for (int k = 0; k < 4; ++k) sums.set(k, e, sums.sum(k, e) * change[e / 2]);
        }
        scale.up[0] *= change[0], scale.up[1] *= change[1];
    }

    PartsUpdateShared<T, B, SPLIT> &shared_;
    DeviceReflectors<T> t_;
    View<T> top_, below_;
    int columns_, blocks_;
    bool is_adjoint_, has_top_, is_whole_;
};

}  // namespace xbatch::qr
