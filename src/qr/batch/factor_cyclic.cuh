// factor_cyclic.cuh: batched QR of small matrices in registers, one or more per warp.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "core/cluster.cuh"
#include "cyclic_matrix.cuh"
#include "packed_arguments.cuh"
#include "resident_scaled.cuh"
#include "tile_kind.cuh"

namespace xbatch::qr {

// Where matrices lie in shared memory. Those that are contiguous in global memory are there, too, so that whole lines
// of 16 bytes are copied whatever the number of rows; if columns are a power of two of at least 128 bytes, a line is
// left out after each. The distances of others are odd, which spreads them over the banks.
struct CyclicPlaces {
    int ld, matrix;  // distances
    int behind;      // elements after an address that is a multiple of 16 bytes
    int log_lines;   // of a column, after which one is left out
    bool is_contiguous;

    template <class T>
    __device__ CyclicPlaces(const PackedArguments<T> &p, const T *first) : behind(0), log_lines(31) {
        constexpr int chunk = Sixteen<T>::size;
        const MatrixPlacement &at = p.a.at;
        is_contiguous = !p.a.each && at.layout == XBATCH_LAYOUT_FLAT && at.row == 1 && at.column == p.m &&
                        at.stride == int64_t(p.m) * p.n;
        if (is_contiguous) behind = int(reinterpret_cast<uintptr_t>(first) / sizeof(T) % chunk);
        const bool has_gaps = is_contiguous && behind == 0 && has_cyclic_gaps<T>(p.m);
        if (has_gaps) log_lines = 31 - __clz(p.m / chunk);
        ld = has_gaps ? p.m + chunk : is_contiguous ? p.m : p.m | 1;
        matrix = is_contiguous ? p.n * ld : p.n * ld | 1;
    }
};

// A block's matrices, from the first one on: `count` of them, and tau. Whole lines of contiguous matrices without gaps
// are copied by TMA where there is one.
template <class T, class K>
class CyclicMemory {
public:
    __device__ CyclicMemory(const PackedArguments<T> &p, int64_t batch, unsigned char *memory)
        : p_(p),
          matrices_(int(blockDim.x) / K::lanes),
          first_(int64_t(blockIdx.x) * matrices_),
          count_(int(min(int64_t(matrices_), batch - first_))),
          places_(p, p.a.data + first_ * p.a.at.stride),
          barrier_{reinterpret_cast<uint64_t *>(memory)},
          data_(reinterpret_cast<T *>(memory + cyclic_head_bytes) + places_.behind) {}

    __device__ int64_t first() const { return first_; }
    __device__ int count() const { return count_; }
    __device__ int ld() const { return places_.ld; }
    __device__ T *matrix(int q) const { return data_ + q * places_.matrix; }
    __device__ T *taus(int q) const { return matrix(matrices_) + q * min(p_.m, p_.n); }
    __device__ __forceinline__ void load() const {
        if (has_bulk_copies()) {
            if (threadIdx.x == 0) barrier_.begin();
            sync();
        }
        if (places_.is_contiguous)
            move_lines<false>();
        else
            move_elements<false>();
        wait_for_copies();
        sync();
        if (has_bulk_copies()) barrier_.wait(0);
    }
    __device__ __forceinline__ void store() const {
        if (has_bulk_copies()) async_fence();
        sync();
        if (places_.is_contiguous)
            move_lines<true>();
        else
            move_elements<true>();
    }
    // Until the last copies have read shared memory
    __device__ void wait() const {
        if (has_bulk_copies() && threadIdx.x == 0) wait_for_puts();
    }
    // One matrix anew, by a warp
    __device__ __forceinline__ void reload(int q) const {
        const MatrixView<T> a = p_.a.of(first_ + q);
#pragma unroll 1
        for (int c = 0; c < p_.n; ++c)
#pragma unroll 1
            for (int i = int(threadIdx.x) % 32; i < p_.m; i += 32) matrix(q)[c * places_.ld + i] = *a.at(i, c);
        __syncwarp();
    }

private:
    static constexpr int chunk = Sixteen<T>::size;

    __device__ static void sync() { blockDim.x > 32 ? __syncthreads() : __syncwarp(); }
    __device__ bool has_bulk_copies() const {
#if __CUDA_ARCH__ >= 900
        return places_.is_contiguous && places_.log_lines == 31;
#else
        return false;
#endif
    }
    template <bool STORES, int U>
    static __device__ __forceinline__ void move(T *global, T *shared) {
        using Unit = std::conditional_t<U == 1, T, Sixteen<T>>;
        if constexpr (STORES)
            *reinterpret_cast<Unit *>(global) = *reinterpret_cast<const Unit *>(shared);
        else
            copy_async<T, U, 0>(true, shared_address(shared), global);
    }
    template <bool STORES>
    __device__ __forceinline__ void move_lines() const {
        const int all = count_ * p_.m * p_.n, head = min((chunk - places_.behind) % chunk, all);
        const int lines = (all - head) / chunk, thread = int(threadIdx.x), threads = int(blockDim.x);
        T *global = p_.a.data + first_ * p_.a.at.stride;
        const int tail = head + lines * chunk + thread;
        if (thread < head) move<STORES, 1>(global + thread, data_ + thread);
        if (tail < all) move<STORES, 1>(global + tail, data_ + tail);
        if (has_bulk_copies()) {
            const unsigned bytes = 16 * unsigned(lines);
            if (!STORES && thread == 0) barrier_.expect(bytes);
            if (thread > 0 || lines == 0) return;
            STORES ? put_bytes(global + head, data_ + head, bytes)
                   : fetch_bytes(data_ + head, global + head, bytes, barrier_);
            return;
        }
        global += head + thread * chunk;
#pragma unroll 4
        for (int t = thread; t < lines; t += threads, global += threads * chunk)
            move<STORES, chunk>(global, data_ + head + (t + (t >> places_.log_lines)) * chunk);
    }
    // Adjacent threads have adjacent rows of a flat matrix, or else adjacent matrices.
    template <bool STORES>
    __device__ __forceinline__ void move_elements() const {
        const bool is_flat = p_.a.at.layout == XBATCH_LAYOUT_FLAT;
        const int thread = int(threadIdx.x), q = is_flat ? thread / K::lanes : thread & (matrices_ - 1);
        const int own = is_flat ? thread % K::lanes : thread >> (31 - __clz(matrices_));
        if (q >= count_) return;
        const MatrixView<T> a = p_.a.of(first_ + q);
        T *global = a.at(own, 0), *shared = matrix(q) + own;
        const int64_t further = K::lanes * a.row;
#pragma unroll 1
        for (int c = 0; c < p_.n; ++c, global += a.column, shared += places_.ld) {
            T *from = global, *to = shared;
#pragma unroll 2
            for (int i = own; i < p_.m; i += K::lanes, from += further, to += K::lanes) move<STORES, 1>(from, to);
        }
    }

    const PackedArguments<T> &p_;
    int matrices_;  // of the block, a power of two
    int64_t first_;
    int count_;
    CyclicPlaces places_;
    TransferBarrier barrier_;
    T *data_;
};

// Blocks of one warp, or of more for matrices that are not flat: adjacent entries are of adjacent ones.
template <class T, int SHAPE>
__global__ void __launch_bounds__(32 * most_cyclic_warps, (CyclicKind<T, SHAPE>::warps / most_cyclic_warps))
    factor_cyclic(const __grid_constant__ PackedArguments<T> p, int64_t batch) {
    extern __shared__ __align__(16) unsigned char shared[];
    using K = CyclicKind<T, SHAPE>;
    using Matrix = CyclicMatrix<T, K>;
    const CyclicMemory<T, K> memory(p, batch, shared);
    const int of_warp = int(threadIdx.x) / 32 * K::of_warp;  // its first one
    const int q = of_warp + Matrix::matrix_of_lane(p.m, p.n), own = Matrix::lane_of_matrix(p.m, p.n), k = min(p.m, p.n);
    const bool is_there = q < memory.count();
    memory.load();
    bool needs_scaling;
    {
        Matrix a(p.m, p.n, memory.taus(q));
        a.read(memory.matrix(q), memory.ld(), is_there);
        needs_scaling = a.factor() && is_there;
        __syncwarp();
        if (is_there) a.write(memory.matrix(q), memory.ld());
    }
    if (p.m <= p.n && own == 0) memory.taus(q)[k - 1] = T(0);  // a real matrix's last row needs no reflector
    __syncwarp();
    int info = 0;
    const bool any_scaled = __any_sync(~0u, needs_scaling);
#pragma unroll 1
    for (int which = of_warp; any_scaled && which < of_warp + K::of_warp; ++which) {
        if (!__any_sync(~0u, needs_scaling && q == which)) continue;
        memory.reload(which);
        const int wrong = factor_scaled(memory.matrix(which), memory.ld(), p.m, p.n, k, memory.taus(which));
        if (q == which) info = wrong;
        __syncwarp();
    }
    memory.store();
    if (is_there) {
        const MatrixView<T> tau = p.tau.of(memory.first() + q);
#pragma unroll 1
        for (int i = own; i < k; i += K::lanes) *tau.at(i, 0) = memory.taus(q)[i];
        if (p.info && own == 0) p.info[memory.first() + q] = info;
    }
    memory.wait();
}

}  // namespace xbatch::qr
