// tall_update.cuh: applies a panel's block reflectors of a tall matrix to further columns by matrix instructions.
//
// A block updates 64 columns C by a whole domain, then by the tree. The rows C1 next to the domain's triangle are
// resident in shared memory; tiles C2 pass through the registers, transposed, a warp for 16 columns, as in
// tile_mma.cuh: W = C1^T + C2^T V, X = W T, C1^T -= X, C2^T -= X V^T. Stores of a tile overlap loads of the next one
// into the same registers; vectors and T are loaded one tile ahead.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/tile_copy.cuh"
#include "qr/common/tile_mma.cuh"
#include "tall.cuh"

namespace xbatch::qr {

constexpr int update_threads = update_columns / mma_columns * 32, update_resident = 2;

struct TallUpdateShared {
    static constexpr int ld = TileShared<double, tall_rows>::ld, top_ld = block_columns + 4;
    struct Stage {
        double vectors[block_columns * ld], triangle[block_columns * block_ld];
    };
    Stage stages[2];
    double top[update_columns * top_ld];  // C1
    int32_t ticket;
};

class TallUpdateBlock {
public:
    __device__ TallUpdateBlock(TallUpdateShared &shared, const TallUpdate &u, int group)
        : s_(shared),
          u_(u),
          order_(u.tiling, u.panel),
          width_(int(u.tiling.columns(u.panel))),
          first_(int(threadIdx.x) / 32 * mma_columns),
          columns_(int(min(u.columns - int64_t(group) * update_columns, int64_t(update_columns)))),
          c_at_(u.c + int64_t(group) * update_columns * u.ldc),
          from_{u.from.at + int64_t(group) * update_columns * u.from.ld, u.from.ld},
          done_(u.done + int64_t(group) * order_.heads),
          is_zero_(int64_t(group) * update_columns + first_ < u.zeros),
          is_aligned_(is_aligned(c_at_, u.ldc)),
          source_is_aligned_(is_aligned(from_.at, from_.ld)) {}

    // Q^H: domain n, then those that the tree joins to it; Q: the reverse
    __device__ __forceinline__ void run(int n) {
        if (u_.is_adjoint) {
            pass_domain(n);
            for (int rank = 0; rank < order_.joined(n); ++rank) join(n + (1 << rank));
            move_top(order_.head(n));
            if (n > 0) set_flag<update_threads>(done_ + n);
        } else {
            if (n > 0) wait_for_flag<update_threads>(done_ + n);
            move_top(order_.head(n));
            for (int rank = order_.joined(n) - 1; rank >= 0; --rank) join(n + (1 << rank));
            pass_domain(n);
        }
    }

private:
    using Stage = TallUpdateShared::Stage;
    static constexpr int ld = TallUpdateShared::ld, top_ld = TallUpdateShared::top_ld, tiles = tall_rows / 8;

    // This thread's rows of a tile, 8u + 2t and the next, in its two columns, near and far; rows first … end-1 exist,
    // counted from row 2t. is_whole: all of 8 TILES rows exist, in aligned pairs of 16 bytes; groups of 8 before
    // `first` are not stored.
    template <class T>
    struct Rows {
        T *near, *far;
        int first, end_near, end_far;
        bool is_whole;
    };
    template <int TILES, class T>
    __device__ Rows<T> rows_of(T *from, int64_t ld, bool is_aligned, Shape shape, int tile, int first) const {
        const MmaLane lane;
        if (tile < 0) return {from, from, 0, 0, 0, false};
        const int end = rows(shape, tile), column = first_ + lane.g, row = 2 * lane.t;
        T *const near = from + u_.tiling.first_row(tile, u_.panel) + column * ld + row;
        const bool is_whole = is_aligned && end == 8 * TILES && first % 8 == 0 && first_ + mma_columns <= columns_;
        return {near,
                near + 8 * ld,
                first - row,
                column < columns_ ? end - row : 0,
                column + 8 < columns_ ? end - row : 0,
                is_whole};
    }
    // Rows of a tile to be loaded first, none of columns that are zero; and rows to be stored, or loaded again
    template <int TILES>
    __device__ Rows<const double> new_rows(int tile) const {
        return rows_of<TILES>(from_.at, from_.ld, source_is_aligned_, Shape::full, is_zero_ ? -1 : tile, 0);
    }
    template <int TILES>
    __device__ Rows<double> stored_rows(Shape shape, int tile, int first) const {
        return rows_of<TILES>(c_at_, u_.ldc, is_aligned_, shape, tile, first);
    }
    template <class T>
    __device__ __forceinline__ void load(int u, const Rows<T> &rows) {
        if (rows.is_whole) {
            const double2 x = reinterpret_cast<const double2 *>(rows.near)[4 * u];
            const double2 y = reinterpret_cast<const double2 *>(rows.far)[4 * u];
            c_[u][0] = x.x, c_[u][1] = x.y, c_[u][2] = y.x, c_[u][3] = y.y;
        } else {
#pragma unroll
            for (int e = 0; e < 4; ++e)
                c_[u][e] = is_there(rows, u, e) ? (e < 2 ? rows.near : rows.far)[8 * u + e % 2] : 0;
        }
    }
    __device__ __forceinline__ void store(int u, const Rows<double> &rows) const {
        if (rows.is_whole) {
            if (8 * u < rows.first) return;
            reinterpret_cast<double2 *>(rows.near)[4 * u] = make_double2(c_[u][0], c_[u][1]);
            reinterpret_cast<double2 *>(rows.far)[4 * u] = make_double2(c_[u][2], c_[u][3]);
        } else {
#pragma unroll
            for (int e = 0; e < 4; ++e)
                if (is_there(rows, u, e)) (e < 2 ? rows.near : rows.far)[8 * u + e % 2] = c_[u][e];
        }
    }
    template <class T>
    static __device__ bool is_there(const Rows<T> &rows, int u, int e) {
        const int r = 8 * u + e % 2;
        return r >= rows.first && r < (e < 2 ? rows.end_near : rows.end_far);
    }

    __device__ int rows(Shape shape, int tile) const {
        return shape == Shape::triangle ? width_ : int(u_.tiling.rows(tile, u_.panel));
    }
    __device__ bool is_mine() const { return first_ < columns_; }  // whether this warp has columns

    // Rows first … R-1 of 32 columns in units of 16 bytes, of which bytes(row, column) come from memory
    template <int R, class Bytes>
    static __device__ __forceinline__ void copy_pairs(double *to, int ld, const double *from, int64_t ld_from,
                                                      int first, Bytes bytes) {
        constexpr int pairs = R / 2, columns = update_threads / pairs;
        const int r = int(threadIdx.x) % pairs * 2, column = int(threadIdx.x) / pairs;
        if (r < first) return;
        to += column * ld + r, from += column * ld_from + r;
#pragma unroll
        for (int c = 0; c < block_columns; c += columns)
            copy_async<16>(to + c * ld, from + c * ld_from, bytes(r, column + c));
    }

    // Queues the copies of a step's vectors and T.
    __device__ void issue(Stage &stage, Shape shape, int tile) {
        const Tiling &t = u_.tiling;
        const int64_t second = u_.panel + (shape == Shape::triangle ? t.panels() : 0);  // as Tiling::triangle
        double *const v = u_.a + u_.panel * t.config.nb * u_.lda + t.first_row(tile, u_.panel);
        double *const triangle = u_.triangles + (second * t.tiles() + tile) * t.triangle_elements();
        const int rows = this->rows(shape, tile), lasts = shape == Shape::triangle ? block_columns : tall_rows;
        const DeviceReflectors<double> part = {shape, rows, width_, int(t.config.ib), v, u_.lda, triangle};
        if (width_ < block_columns || rows < lasts || !is_aligned(v, u_.lda)) {
            copy_block<tall_rows, update_threads>(stage.vectors, ld, stage.triangle, part, 0, width_);
            return queue_copies();
        }
        // Pairs, except for the rows that a diagonal cuts
        const int cut = shape == Shape::full ? 0 : block_columns;
        if (cut > 0)
            copy_entries<block_columns, update_threads>(stage.vectors, ld, block_columns, v, [&](int r, int c) {
                return part.has(r, c) ? v + c * u_.lda + r : nullptr;
            });
        if (cut < lasts) copy_pairs<tall_rows>(stage.vectors, ld, v, u_.lda, cut, [](int, int) { return 16; });
        copy_pairs<block_columns>(stage.triangle, block_ld, triangle, block_columns, 0, [](int r, int c) {
            return r < c ? 16 : r == c ? 8 : 0;
        });
        queue_copies();
    }

    // This warp's columns of a whole tile come to the second-level cache, while another one is in the registers.
    __device__ void prefetch(int tile) const {
#if __CUDA_ARCH__ >= 900
        const int column = first_ + int(threadIdx.x) % 32;
        if (tile < 0 || is_zero_ || !source_is_aligned_ || column >= min(first_ + mma_columns, columns_)) return;
        if (rows(Shape::full, tile) < tall_rows) return;
        const double *const at = from_.at + u_.tiling.first_row(tile, u_.panel) + column * from_.ld;
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(at), "n"(tall_rows * 8) : "memory");
#endif
    }
    // Tiles of a domain from the first to the last, or the reverse. In the first one C1 is part of the tile.
    __device__ __forceinline__ void pass_domain(int n) {
        const int head = order_.head(n), size = order_.size(n);
        const bool is_adjoint = u_.is_adjoint;
        const auto tile_of = [=](int i) { return i >= size ? -1 : head + (is_adjoint ? i : size - 1 - i); };
        const auto shape_of = [=](int tile) { return tile == head ? Shape::trapezoid : Shape::full; };
        int tile = tile_of(0);
        if (u_.made) wait_for_flag<update_threads>(u_.made + n);
        __syncthreads();
        issue(s_.stages[0], shape_of(tile), tile);
        if (is_mine()) {
            const auto own = new_rows<tiles>(tile);
#pragma unroll
            for (int u = 0; u < tiles; ++u) load(u, own);
        }
        for (int i = 0; i < size; ++i) {
            Stage &stage = s_.stages[i % 2];
            const int next = tile_of(i + 1);
            const bool is_head = tile == head;
            wait_copies<0>();
            if (is_head) {
                __syncthreads();
                if (int(threadIdx.x) < width_) stage.vectors[threadIdx.x * (ld + 1)] = 1;
            }
            __syncthreads();
            if (next >= 0) issue(s_.stages[(i + 1) % 2], shape_of(next), next);
            prefetch(next);
            if (is_mine()) {
                const auto own = stored_rows<tiles>(Shape::full, tile, is_head && is_adjoint ? width_ : 0);
                const auto following = new_rows<tiles>(next);
                double w[4][4] = {};
                if (!is_head)
                    load_top(w);
                else if (!is_adjoint)
                    top_to_tile();
                apply<tiles>(w, stage, [&](int u) {
                    if (is_head && is_adjoint && u < 4) tile_to_top(u);
                    store(u, own);
                    load(u, following);
                });
                if (!is_head) change_top(w);
                __syncwarp();
            }
            tile = next;
        }
    }
    // Applies the reflectors that join another domain's triangle to this one's
    __device__ __forceinline__ void join(int other) {
        const int tile = order_.head(other);
        if (u_.made) wait_for_flag<update_threads>(u_.made + order_.heads + other);
        __syncthreads();
        issue(s_.stages[0], Shape::triangle, tile);
        if (u_.is_adjoint) wait_for_flag<update_threads>(done_ + other);
        const auto own = stored_rows<4>(Shape::triangle, tile, 0);
        const auto before = is_zero_ ? stored_rows<4>(Shape::triangle, -1, 0) : own;
        if (is_mine()) {
#pragma unroll
            for (int u = 0; u < 4; ++u) load(u, before);
        }
        wait_copies<0>();
        __syncthreads();
        if (is_mine()) {
            double w[4][4];
            load_top(w);
            apply<4>(w, s_.stages[0], [&](int u) { store(u, own); });
            change_top(w);
            __syncwarp();
        }
        if (!u_.is_adjoint) set_flag<update_threads>(done_ + other);
    }

    // C1 between global and shared memory
    __device__ void move_top(int head) const {
        const int row = int(threadIdx.x) % 32;
        double *const at = c_at_ + u_.tiling.first_row(head, u_.panel) + row;
        for (int c = first_; c < min(first_ + mma_columns, columns_); ++c) {
            double &entry = s_.top[c * top_ld + row];
            if (row < width_ && u_.is_adjoint)
                at[c * u_.ldc] = entry;
            else if (!u_.is_adjoint)
                entry = row < width_ ? at[c * u_.ldc] : 0;
        }
        __syncwarp();
    }
    // C1 from and to the rows of a tile
    __device__ __forceinline__ void top_to_tile() {
        const MmaLane lane;
        const double *const top = s_.top + (first_ + lane.g) * top_ld + 2 * lane.t;
#pragma unroll
        for (int u = 0; u < 4; ++u)
#pragma unroll
            for (int e = 0; e < 4; ++e)
                if (8 * u + 2 * lane.t + e % 2 < width_) c_[u][e] = top[e / 2 * 8 * top_ld + 8 * u + e % 2];
    }
    __device__ __forceinline__ void tile_to_top(int u) const {
        const MmaLane lane;
        double *const top = s_.top + (first_ + lane.g) * top_ld + 8 * u + 2 * lane.t;
        *reinterpret_cast<double2 *>(top) = make_double2(c_[u][0], c_[u][1]);
        *reinterpret_cast<double2 *>(top + 8 * top_ld) = make_double2(c_[u][2], c_[u][3]);
    }
    // C1 as an accumulator, and its update
    __device__ __forceinline__ void load_top(double (&w)[4][4]) const {
        each_of_top([&](int n, int e, double &entry, bool is_there) { w[n][e] = is_there ? entry : 0; });
    }
    __device__ __forceinline__ void change_top(const double (&w)[4][4]) const {
        // an operand's middle pair is swapped
        each_of_top([&](int n, int e, double &entry, bool is_there) {
            if (is_there) entry += w[n][e == 1 ? 2 : e == 2 ? 1 : e];
        });
    }
    template <class F>
    __device__ __forceinline__ void each_of_top(F f) const {
        const MmaLane lane;
        double *const top = s_.top + (first_ + lane.g) * top_ld;
#pragma unroll
        for (int n = 0; n < 4; ++n)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int r = 8 * n + (e % 2 ? lane.odd() : lane.even());
                f(n, e, top[e / 2 * 8 * top_ld + r], r < width_);
            }
    }

    // An accumulator as left operand, XORed. With a zero unknown to the compiler that is a copy that it makes once, not
    // for each product.
    static __device__ __forceinline__ void as_left(const double (&c)[4], double (&a)[4], int high, int low) {
        const auto changed = [=](double x) {
            return __hiloint2double(__double2hiint(x) ^ high, __double2loint(x) ^ low);
        };
        a[0] = changed(c[0]), a[1] = changed(c[2]), a[2] = changed(c[1]), a[3] = changed(c[3]);
    }

    // As apply_mma, for 8 TILES rows; done(u) is called when n-tile u is complete.
    template <int TILES, class Done>
    __device__ __forceinline__ void apply(double (&w)[4][4], const Stage &stage, Done done) {
        const MmaLane lane;
        const double *const v = stage.vectors, *const v1 = v + lane.vector() * ld + 2 * lane.t;
        double2 f[2][4];
        double a[4];
        const int zero = int(u_.ldc >> 62);
#pragma unroll
        for (int n = 0; n < 4; ++n) f[0][n] = *reinterpret_cast<const double2 *>(v1 + 8 * n * ld);
#pragma unroll
        for (int u = 0; u < TILES; ++u) {
            if (u + 1 < TILES) {
#pragma unroll
                for (int n = 0; n < 4; ++n)
                    f[(u + 1) % 2][n] = *reinterpret_cast<const double2 *>(v1 + 8 * n * ld + 8 * (u + 1));
            }
            as_left(c_[u], a, zero, zero);
#pragma unroll
            for (int n = 0; n < 4; ++n) mma(w[n], a, f[u % 2][n].x, f[u % 2][n].y);
        }
        double x[4][4] = {};
        const bool is_adjoint = u_.is_adjoint;
        const int across = is_adjoint ? block_ld : 1, down = is_adjoint ? 1 : block_ld;
        const double *const even_t = stage.triangle + lane.vector() * across + lane.even() * down;
        const double *const odd_t = stage.triangle + lane.vector() * across + lane.odd() * down;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            as_left(w[k], a, zero, zero);
#pragma unroll
            for (int n = 0; n < 4; ++n)
                if (n == k || (n > k) == is_adjoint)
                    mma(x[n], a, even_t[8 * (n * across + k * down)], odd_t[8 * (n * across + k * down)]);
        }
#pragma unroll
        for (int n = 0; n < 4; ++n) as_left(x[n], w[n], zero ^ INT32_MIN, zero);
        // Two n-tiles in turn, four steps, one half loaded while the other is multiplied
        const double *const even = v + lane.even() * ld + lane.g, *const odd = v + lane.odd() * ld + lane.g;
        double b[2][4][2];
        const auto fetch = [&](int part) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int at = 8 * (2 * (part % 2) + e / 2) * ld + 8 * (part / 2 * 2 + e % 2);
                b[part % 2][e][0] = even[at], b[part % 2][e][1] = odd[at];
            }
        };
        fetch(0);
#pragma unroll
        for (int part = 0; part < TILES; ++part) {
            if (part + 1 < TILES) fetch(part + 1);
#pragma unroll
            for (int e = 0; e < 4; ++e)
                mma(c_[part / 2 * 2 + e % 2], w[2 * (part % 2) + e / 2], b[part % 2][e][0], b[part % 2][e][1]);
            if (part % 2 == 1) done(part - 1), done(part);
        }
    }

    TallUpdateShared &s_;
    const TallUpdate &u_;
    PanelOrder order_;
    int width_, first_, columns_;
    double *c_at_;
    TallSource from_;
    int32_t *done_;
    bool is_zero_, is_aligned_, source_is_aligned_;
    double c_[tiles][4];
};

// By tickets a block waits only for blocks that run: Q^H from the last domain on, Q from the first
__global__ void __launch_bounds__(update_threads, update_resident)
    update_tall(const __grid_constant__ TallUpdate update, const int32_t *is_refused) {
    extern __shared__ __align__(128) unsigned char memory[];
    if (is_refused && *is_refused != 0) return;
    auto &shared = *reinterpret_cast<TallUpdateShared *>(memory);
    if (threadIdx.x == 0) shared.ticket = atomicAdd(update.next, 1);
    __syncthreads();
    const int groups = int(groups_of(update.columns)), heads = int(gridDim.x) / groups;
    const int nth = shared.ticket / groups;
    TallUpdateBlock(shared, update, shared.ticket % groups).run(update.is_adjoint ? heads - 1 - nth : nth);
    if (update.made) wait_for_prerequisites();
}

}  // namespace xbatch::qr
