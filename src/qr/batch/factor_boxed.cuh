// factor_boxed.cuh: factor_packed.cuh of adjacent interleaved matrices, whose panels are copied by TMA.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "factor_packed.cuh"
#include "matrix_boxes.cuh"

namespace xbatch::qr {

template <class T, int SHAPE>
struct ShapeOfBoxed {
    static constexpr PackedShape value = boxed_shape(std::get<SHAPE>(packed_shapes<T>));
};
// A panel is one box or two, of half of its columns each. If it is one, the last panel's vectors have the place of the
// first one's, so that a multiprocessor holds more matrices.
template <class T, int SHAPE>
struct BoxedKind : PanelKind<T, ShapeOfBoxed<T, SHAPE>> {
    using Base = PanelKind<T, ShapeOfBoxed<T, SHAPE>>;
    static constexpr int columns = boxed_columns(Base::shape), threads = 32 * Base::warps;  // of a box, of a matrix
    static constexpr bool is_one_box = columns == Base::B, ends_at_first = is_one_box;
    static_assert(Base::C == 1);
};

// For each warp of a matrix, a box in shared memory: columns of its panel of all matrices of the block
template <class T, class K>
class BoxedColumns {
public:
    static constexpr bool is_exchanged = false;

    __device__ BoxedColumns(const PackedArguments<T> &p, const MatrixBoxes &boxes, int64_t batch, unsigned char *memory)
        : p_(p),
          boxes_(boxes),
          batch_(batch),
          barrier_{reinterpret_cast<uint64_t *>(memory) + warp()},
          data_(reinterpret_cast<T *>(memory + box_head_bytes + warp() * box_bytes<T>(K::shape, p.m))) {
        if (!is_leader()) return;
        barrier_.begin();
        if (warp() * K::B < p.n) fetch(warp() * K::B);
    }

    static __device__ int warp() { return int(threadIdx.x) / 32 % K::warps; }
    __device__ void begin() { is_loaded_ = false; }
    // Stores the panel's last box when all matrices' warps have changed it, and loads the first one of their next
    // panel.
    __device__ void end(int panel, int panels) const {
        async_fence();
        sync();
        if (!is_leader()) return;
        put_box(data_, boxes_, first(), (panel + 1) * K::B - K::columns);
        if (panel + K::warps >= panels) return wait_until_put();
        wait_for_puts();
        fetch((panel + K::warps) * K::B);
    }
    // As PackedColumns::move; columns from n on are zero, and not stored. The first time by all matrices' warps.
    template <bool STORES>
    __device__ __forceinline__ void move(int c, int part, int m, int n, T (&a)[K::R]) {
        if (!STORES && is_loaded_ && !K::is_one_box) return load_again(c, part, m, n, a);
        const int own = c % K::B;
#pragma unroll 1
        for (int begin = 0; begin < K::B; begin += K::columns) {
            if (!STORES && !is_loaded_) {
                barrier_.wait(phase_);
                phase_ ^= 1;
            }
            if (K::is_one_box || own / K::columns * K::columns == begin) move_column<STORES>(own - begin, part, m, a);
            if (begin + K::columns < K::B) change_box<STORES>(c - own + begin);
        }
        if (!STORES) is_loaded_ = true;
    }

private:
    static __device__ int matrix() { return int(threadIdx.x) / K::threads; }
    static __device__ int64_t first() { return int64_t(blockIdx.x) * boxed_matrices; }
    static __device__ bool is_leader() { return int(threadIdx.x) < K::threads && threadIdx.x % 32 == 0; }
    // Of the warps for this one's panels of all matrices
    static __device__ void sync() {
        asm volatile("bar.sync %0, %1;" ::"r"(1 + warp()), "n"(32 * boxed_matrices) : "memory");
    }
    __device__ void fetch(int column) const {
        barrier_.expect(unsigned(K::columns * p_.m * boxed_matrices * int(sizeof(T))));
        fetch_box(data_, boxes_, first(), column, barrier_);
    }
    // Of the box. Entries below row m are zero.
    template <bool STORES>
    __device__ __forceinline__ void move_column(int column, int part, int m, T (&a)[K::R]) const {
        int offset = (column * m + part * K::chunk) * boxed_matrices + matrix(), left = m - part * K::chunk;
        asm volatile("" : "+r"(offset), "+r"(left));  // hidden: places are not to be held in registers
        T *const at = data_ + offset;
#pragma unroll
        for (int r = 0; r < K::R; ++r) {
            const int i = r / K::chunk * K::D * K::chunk + r % K::chunk;
            if (!STORES) a[r] = T(Real<T>(0));
            if (i < left) (STORES ? at[i * boxed_matrices] : a[r]) = STORES ? a[r] : at[i * boxed_matrices];
        }
    }
    // Stores the panel's box at a column, or loads the next one.
    template <bool STORES>
    __device__ void change_box(int column) const {
        if (STORES) async_fence();
        sync();
        if (is_leader() && STORES) {
            put_box(data_, boxes_, first(), column);
            wait_for_puts();
        }
        if (is_leader() && !STORES) fetch(column + K::columns);
        if (STORES) sync();
    }
    // A column of one matrix, which is not stored yet
    __device__ __forceinline__ void load_again(int c, int part, int m, int n, T (&a)[K::R]) const {
        const int64_t j = first() + matrix();
        if (j < batch_ && c < n) return PackedColumns<T, K>(p_.a.of(j)).template move<false>(c, part, m, n, a);
#pragma unroll
        for (int r = 0; r < K::R; ++r) a[r] = T(Real<T>(0));
    }

    const PackedArguments<T> &p_;
    const MatrixBoxes &boxes_;
    int64_t batch_;
    TransferBarrier barrier_;
    T *data_;
    unsigned phase_ = 0;
    bool is_loaded_ = false;  // this panel
};

// apart: bytes of shared memory from a matrix to the next
template <class T, int SHAPE>
__global__ void __launch_bounds__(BoxedKind<T, SHAPE>::threads *boxed_matrices,
                                  boxed_blocks(BoxedKind<T, SHAPE>::shape))
    factor_boxed(const __grid_constant__ PackedArguments<T> p, const __grid_constant__ MatrixBoxes boxes, int64_t batch,
                 int apart) {
    extern __shared__ __align__(128) unsigned char shared[];
    using K = BoxedKind<T, SHAPE>;
    using Panel = PackedPanel<T, K>;
    const int q = int(threadIdx.x) / K::threads, own = int(threadIdx.x) % K::threads;
    const PackedMemory<T, K> memory(p, shared + q * apart);
    const int k = min(p.m, p.n), steps = memory.steps(0);
    const int64_t j = int64_t(blockIdx.x) * boxed_matrices + q;
    Panel::begin(memory);
    BoxedColumns<T, K> columns(p, boxes, batch, shared + boxed_matrices * apart);
    if (own == 0) memory.wrong() = INT_MAX;
    if (own == 0 && steps < k) memory.taus(0)[k - 1] = T(Real<T>(0));
    __syncthreads();
    Panel(memory).factor(columns, memory.wrong());
    __syncthreads();
    if (j < batch) finish_packed<T, K>(p, memory, j, own, K::threads);
}

}  // namespace xbatch::qr
