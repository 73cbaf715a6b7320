// factor_boxed.cuh: factor_packed.cuh of adjacent interleaved matrices, whose panels are copied by TMA.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "factor_packed.cuh"
#include "matrix_boxes.cuh"

namespace xbatch::qr {

// For each warp of a matrix, a box in shared memory: its panel of all matrices of the block
template <class T, class K>
class BoxedColumns {
public:
    __device__ BoxedColumns(const MatrixBoxes &boxes, int m, int n, unsigned char *memory)
        : boxes_(boxes),
          matrices_(int(blockDim.x) / threads),
          m_(m),
          first_(int64_t(blockIdx.x) * matrices_),
          barrier_{reinterpret_cast<uint64_t *>(memory) + warp()},
          data_(reinterpret_cast<T *>(memory + box_head_bytes) + warp() * elements(K::B)) {
        if (!is_leader()) return;
        barrier_.begin();
        if (warp() * K::B < n) fetch(warp());
    }

    static __device__ int warp() { return int(threadIdx.x) / 32 % K::warps; }
    __device__ void begin() {
        barrier_.wait(phase_);
        phase_ ^= 1;
    }
    // Stores the panel when all matrices' warps have changed it, and loads their next one.
    __device__ void end(int panel, int panels) const {
        async_fence();
        asm volatile("bar.sync %0, %1;" ::"r"(1 + warp()), "r"(32 * matrices_) : "memory");
        if (!is_leader()) return;
        put_box(data_, boxes_, first_, panel * K::B);
        if (panel + K::warps >= panels) return wait_until_put();
        wait_for_puts();
        fetch(panel + K::warps);
    }
    // As PackedColumns::move; columns from n on are zero, and not stored.
    template <bool STORES>
    __device__ __forceinline__ void move(int c, int part, int m, int, T (&a)[K::R]) const {
        T *const at = data_ + elements(c % K::B) + matrix();
#pragma unroll
        for (int u = 0; u < K::chunks; ++u)
#pragma unroll
            for (int e = 0; e < K::chunk; ++e) {
                const int i = (u * K::D + part) * K::chunk + e;
                T &own = a[u * K::chunk + e];
                if constexpr (!STORES) own = T(Real<T>(0));
                if (i < m) (STORES ? at[i * matrices_] : own) = STORES ? own : at[i * matrices_];
            }
    }

private:
    static constexpr int threads = 32 * K::warps;  // of a matrix

    static __device__ int matrix() { return int(threadIdx.x) / threads; }
    static __device__ bool is_leader() { return int(threadIdx.x) < threads && threadIdx.x % 32 == 0; }
    __device__ int elements(int columns) const { return columns * m_ * matrices_; }
    __device__ void fetch(int panel) const {
        barrier_.expect(unsigned(elements(K::B) * int(sizeof(T))));
        fetch_box(data_, boxes_, first_, panel * K::B, barrier_);
    }

    const MatrixBoxes &boxes_;
    int matrices_, m_;
    int64_t first_;
    TransferBarrier barrier_;
    T *data_;
    unsigned phase_ = 0;
};

// apart: bytes of shared memory from a matrix to the next
template <class T, int SHAPE>
__global__ void __launch_bounds__(32 * PackedKind<T, SHAPE>::warps * PackedKind<T, SHAPE>::shape.blocks, 1)
    factor_boxed(const __grid_constant__ PackedArguments<T> p, const __grid_constant__ MatrixBoxes boxes, int64_t batch,
                 int apart) {
    extern __shared__ __align__(128) unsigned char shared[];
    using K = PackedKind<T, SHAPE>;
    using Panel = PackedPanel<T, K>;
    constexpr int threads = 32 * K::warps;
    const int q = int(threadIdx.x) / threads, own = int(threadIdx.x) % threads, matrices = int(blockDim.x) / threads;
    const PackedMemory<T, K> memory(p, shared + q * apart);
    const int k = min(p.m, p.n), steps = memory.steps(0);
    const int64_t j = int64_t(blockIdx.x) * matrices + q;
    Panel::begin(memory);
    BoxedColumns<T, K> columns(boxes, p.m, p.n, shared + matrices * apart);
    if (own == 0) memory.wrong() = INT_MAX;
    if (own == 0 && steps < k) memory.taus(0)[k - 1] = T(Real<T>(0));
    __syncthreads();
    Panel(memory).factor(columns, memory.wrong());
    __syncthreads();
    if (j < batch) finish_packed<T, K>(p, memory, j, own, threads);
}

}  // namespace xbatch::qr
