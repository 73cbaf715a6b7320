// factor_cyclic.cuh: batched QR of small matrices in registers, one or more per warp.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "core/cluster.cuh"
#include "cyclic_matrix.cuh"
#include "matrix_boxes.cuh"
#include "packed_arguments.cuh"
#include "resident_scaled.cuh"
#include "tile_kind.cuh"

namespace xbatch::qr {

template <class T>
struct CyclicArguments : PackedArguments<T> {
    int64_t batch;
    CyclicPlaces at;
    bool tau_is_contiguous;
    int64_t ahead;  // matrices from one that is loaded to one that is loaded to the second-level cache
    MatrixBoxes boxes;
};

template <bool STORES, int U, class T>
__device__ __forceinline__ void copy_unit(T *global, T *shared) {
    using Unit = std::conditional_t<U == 1, T, Sixteen<T>>;
    if constexpr (STORES)
        *reinterpret_cast<Unit *>(global) = *reinterpret_cast<const Unit *>(shared);
    else
        copy_async<T, U, 0>(true, shared_address(shared), global);
}

// A block's matrices, from the first one on: `count` of them, and tau
template <class T, class K>
class CyclicMemory {
public:
    __device__ CyclicMemory(const CyclicArguments<T> &p, unsigned char *memory)
        : p_(p),
          matrices_(int(blockDim.x) / K::lanes),
          first_(int64_t(blockIdx.x) * matrices_),
          count_(int(min(int64_t(matrices_), p.batch - first_))),
          global_(p.a.data + first_ * p.a.at.stride),
          behind_(p.at.is_contiguous ? int(reinterpret_cast<uintptr_t>(global_) / sizeof(T) % chunk) : 0),
          barrier_{reinterpret_cast<uint64_t *>(memory)},
          data_(reinterpret_cast<T *>(memory + p.at.head) + behind_) {}

    __device__ int64_t first() const { return first_; }
    __device__ int count() const { return count_; }
    __device__ T *matrix(int q) const { return data_ + q * p_.at.matrix; }
    __device__ T *taus(int q) const { return data_ + matrices_ * p_.at.each + q * min(p_.m, p_.n); }
    __device__ __forceinline__ void load() const {
        if (has_bulk_copies()) {
            if (threadIdx.x == 0) barrier_.begin();
            sync();
        }
        if (p_.at.by_boxes)
            move_box<false>();
        else if (p_.at.is_contiguous)
            move_chunks<false>();
        else
            move_columns<false>();
        prefetch();
        wait_for_copies();
        sync();
        if (has_bulk_copies()) barrier_.wait(0);
    }
    __device__ __forceinline__ void store() const {
        if (has_bulk_copies()) async_fence();
        sync();
        if (p_.at.by_boxes)
            move_box<true>();
        else if (p_.at.is_contiguous)
            move_chunks<true>();
        else
            move_columns<true>();
        if (p_.tau_is_contiguous) {
            T *const tau = p_.tau.data + first_ * min(p_.m, p_.n);
#pragma unroll 1
            for (int i = int(threadIdx.x); i < count_ * min(p_.m, p_.n); i += int(blockDim.x)) tau[i] = taus(0)[i];
        } else {
            store_taus();
        }
        if (has_bulk_copies()) wait_for_puts();
    }
    // One matrix anew, by a warp; row: distance between rows
    __device__ __forceinline__ void reload(int q, int row) const {
        const MatrixView<T> a = p_.a.of(first_ + q);
#pragma unroll 1
        for (int c = 0; c < p_.n; ++c)
#pragma unroll 1
            for (int i = int(threadIdx.x) % 32; i < p_.m; i += 32) matrix(q)[c * p_.at.ld + i * row] = *a.at(i, c);
        __syncwarp();
    }

private:
    static constexpr int chunk = Sixteen<T>::size;

    __device__ static void sync() { blockDim.x > 32 ? __syncthreads() : __syncwarp(); }
    __device__ bool has_bulk_copies() const {
#if __CUDA_ARCH__ >= 900
        return p_.at.by_bulk || p_.at.by_boxes;
#else
        return false;
#endif
    }
    // What a block long after this one loads, to the second-level cache
    __device__ void prefetch() const {
#if __CUDA_ARCH__ >= 900
        if (threadIdx.x == 0 && first_ + p_.ahead < p_.batch - matrices_)
            asm volatile(
                "cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(global_ - behind_ + p_.ahead * p_.a.at.stride),
                "r"(unsigned(matrices_ * p_.m * p_.n) / chunk * 16)
                : "memory");
#endif
    }
    template <bool STORES>
    __device__ __forceinline__ void move_box() const {
        if (threadIdx.x > 0) return;
        if (!STORES) barrier_.expect(unsigned(K::of_box * p_.at.each * int(sizeof(T))));
        STORES ? put_box(data_, p_.boxes, first_, 0) : fetch_box(data_, p_.boxes, first_, 0, barrier_);
    }
    // By TMA all at once, or a matrix by each thread, or by a warp; the elements before and after whole chunks one by
    // one
    template <bool STORES>
    __device__ __forceinline__ void move_chunks() const {
        const int of_each = p_.m * p_.n, all = count_ * of_each, head = min((chunk - behind_) % chunk, all);
        const int chunks = (all - head) / chunk, thread = int(threadIdx.x), tail = head + chunks * chunk + thread;
        if (thread < head) copy_unit<STORES, 1>(global_ + thread, data_ + thread);
        if (tail < all) copy_unit<STORES, 1>(global_ + tail, data_ + tail);
        if (has_bulk_copies()) {
            if (!STORES && thread == 0) barrier_.expect(16 * unsigned(chunks));
            const bool is_one = p_.at.gap == 0;
            if (chunks == 0 || thread >= (is_one ? 1 : count_)) return;
            T *const global = global_ + head + thread * of_each, *const shared = matrix(thread) + head;
            const unsigned bytes = is_one ? 16 * unsigned(chunks) : of_each * unsigned(sizeof(T));
            STORES ? put_bytes(global, shared, bytes) : fetch_bytes(shared, global, bytes, barrier_);
            return;
        }
        T *global = global_ + head + thread * chunk, *shared = data_ + head + thread * chunk;
#pragma unroll 4
        for (int t = thread; t < chunks; t += 32, global += 32 * chunk, shared += 32 * chunk)
            copy_unit<STORES, chunk>(global, shared + chunk_quotient(t, p_.at.of_each) * p_.at.gap);
    }
    // Adjacent threads have adjacent rows of a flat matrix, or else adjacent matrices.
    template <bool STORES>
    __device__ __forceinline__ void move_columns() const {
        const int thread = int(threadIdx.x);
        const bool is_flat = p_.a.at.layout == XBATCH_LAYOUT_FLAT;
        const int lanes = is_flat ? p_.at.copy_lanes : K::lanes, step = int(blockDim.x) / lanes;
        const int own = is_flat ? thread % lanes : thread >> log_matrices();
#pragma unroll 1
        for (int q = is_flat ? thread / lanes : thread & (matrices_ - 1); q < count_; q += step) {
            const MatrixView<T> a = p_.a.of(first_ + q);
            if (p_.at.has_chunks && a.by_sixteen)
                move_matrix<STORES, chunk>(a, matrix(q), own, lanes);
            else
                move_matrix<STORES, 1>(a, matrix(q), own, lanes);
        }
    }
    // By `lanes` threads, of which this one has the own-th unit of each column, and so on
    template <bool STORES, int U>
    __device__ __forceinline__ void move_matrix(const MatrixView<T> &a, T *matrix, int own, int lanes) const {
#pragma unroll 1
        for (int i = own * U; i < p_.m; i += lanes * U) {
            T *global = a.at(i, 0), *shared = matrix + i;
#pragma unroll 4
            for (int c = 0; c < p_.n; ++c, global += a.column, shared += p_.at.ld) copy_unit<STORES, U>(global, shared);
        }
    }
    __device__ int log_matrices() const { return 31 - __clz(matrices_); }
    __device__ __forceinline__ void store_taus() const {
        const int q = int(threadIdx.x) & (matrices_ - 1), own = int(threadIdx.x) >> log_matrices();
        if (q >= count_) return;
        const MatrixView<T> tau = p_.tau.of(first_ + q);
#pragma unroll 1
        for (int i = own; i < min(p_.m, p_.n); i += K::lanes) *tau.at(i, 0) = taus(q)[i];
    }

    const CyclicArguments<T> &p_;
    int matrices_;  // of the block, a power of two
    int64_t first_;
    int count_;
    T *global_;   // flat matrices
    int behind_;  // elements after an address that is a multiple of 16 bytes
    TransferBarrier barrier_;
    T *data_;
};

// Blocks of one warp, or of more for matrices that are not flat: adjacent entries are of adjacent ones.
template <class T, int SHAPE>
__global__ void __launch_bounds__(32 * CyclicKind<T, SHAPE>::most_warps,
                                  (CyclicKind<T, SHAPE>::warps / CyclicKind<T, SHAPE>::most_warps))
    factor_cyclic(const __grid_constant__ CyclicArguments<T> p) {
    extern __shared__ __align__(128) unsigned char shared[];
    using K = CyclicKind<T, SHAPE>;
    using Matrix = CyclicMatrix<T, K>;
    const CyclicMemory<T, K> memory(p, shared);
    memory.load();
    const int lane = int(threadIdx.x) % 32, of_warp = int(threadIdx.x) / 32 * K::of_warp;  // its first one
    const int q = of_warp + matrix_of_lane(lane, K::lanes, K::apart), own = lane_of_matrix(lane, K::lanes, K::apart);
    const int k = min(p.m, p.n);
    const bool is_there = q < memory.count();
    bool needs_scaling;
    {
        Matrix a(p.at, own, memory.taus(q));
        if (p.at.by_boxes)
            a.template read<K::of_box>(memory.matrix(q), is_there);
        else
            a.template read<1>(memory.matrix(q), is_there);
        needs_scaling = a.factor() && is_there;
        __syncwarp();
        if (is_there && p.at.by_boxes)
            a.template write<K::of_box>(memory.matrix(q));
        else if (is_there)
            a.template write<1>(memory.matrix(q));
    }
    if (sizeof(T) == sizeof(Real<T>) && p.m <= p.n && own == 0)
        memory.taus(q)[k - 1] = T(0);  // a real matrix's last row needs no reflector
    __syncwarp();
    int info = 0;
    const bool any_scaled = __any_sync(~0u, needs_scaling);
#pragma unroll 1
    for (int which = of_warp; any_scaled && which < of_warp + K::of_warp; ++which) {
        if (!__any_sync(~0u, needs_scaling && q == which)) continue;
        const int row = p.at.by_boxes ? K::of_box : 1;
        memory.reload(which, row);
        const int wrong = factor_scaled(memory.matrix(which), p.at.ld, p.m, p.n, k, memory.taus(which), row);
        if (q == which) info = wrong;
        __syncwarp();
    }
    if (p.info && own == 0 && is_there) p.info[memory.first() + q] = info;
    memory.store();
}

}  // namespace xbatch::qr
