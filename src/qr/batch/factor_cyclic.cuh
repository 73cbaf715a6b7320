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

// Matrices of a block in shared memory, and in the batch
template <class T>
struct CyclicBlock {
    T *data;
    int64_t first;
    int count, matrices, lanes;  // matrices is a power of two; lanes of a matrix

    __device__ T *matrix(const CyclicPlaces &at, int q) const { return data + q * at.matrix; }
};

// By `lanes` threads, of which this one has the own-th unit of each column, and so on
template <bool STORES, int U, class T>
__device__ __forceinline__ void move_matrix(const CyclicPlaces &at, const MatrixView<T> &a, T *matrix, int own,
                                            int lanes) {
#pragma unroll 1
    for (int i = own * U; i < at.m; i += lanes * U) {
        T *global = a.at(i, 0), *shared = matrix + i;
#pragma unroll 4
        for (int c = 0; c < at.n; ++c, global += a.column, shared += at.ld) copy_unit<STORES, U>(global, shared);
    }
}
// Adjacent threads have adjacent rows of a flat matrix, or else adjacent matrices.
template <bool STORES, class T>
__device__ __forceinline__ void move_columns(const CyclicArguments<T> &p, CyclicBlock<T> block) {
    const int thread = int(threadIdx.x);
    const bool is_flat = p.a.at.layout == XBATCH_LAYOUT_FLAT;
    const int lanes = is_flat ? p.at.copy_lanes : block.lanes, step = int(blockDim.x) / lanes;
    const int own = is_flat ? thread % lanes : thread / block.matrices;
#pragma unroll 1
    for (int q = is_flat ? thread / lanes : thread % block.matrices; q < block.count; q += step) {
        const MatrixView<T> a = p.a.of(block.first + q);
        if (p.at.has_chunks && a.by_sixteen)
            move_matrix<STORES, Sixteen<T>::size>(p.at, a, block.matrix(p.at, q), own, lanes);
        else
            move_matrix<STORES, 1>(p.at, a, block.matrix(p.at, q), own, lanes);
    }
}
// Contiguous matrices with gaps in shared memory that begin `behind` elements after a multiple of 16 bytes: the first
// and last elements of each one by one
template <bool STORES, class T>
__device__ __forceinline__ void move_shifted(const CyclicArguments<T> &p, CyclicBlock<T> block, T *global, int behind) {
    constexpr int chunk = Sixteen<T>::size;
    const int all = p.m * p.n, head = chunk - behind, thread = int(threadIdx.x);
#pragma unroll 1
    for (int t = thread; t < block.count * chunk; t += 32) {
        const int q = t / chunk, e = t % chunk < head ? t % chunk : all - chunk + t % chunk;
        copy_unit<STORES, 1>(global + q * all + e, block.matrix(p.at, q) + e);
    }
    const int chunks = block.count * (all / chunk - 1);
    global += head + thread * chunk;
    T *shared = block.data + head + thread * chunk;
#pragma unroll 4
    for (int t = thread; t < chunks; t += 32, global += 32 * chunk, shared += 32 * chunk) {
        const int q = chunk_quotient(t, p.at.of_each);
        copy_unit<STORES, chunk>(global + q * chunk, shared + q * (chunk + p.at.gap));
    }
}
// Matrices at addresses of their own, without gaps: a lane copies one by TMA if it begins at a multiple of 16 bytes.
template <bool STORES, class T>
__device__ __forceinline__ void move_each(const CyclicArguments<T> &p, CyclicBlock<T> block, TransferBarrier barrier) {
    const int thread = int(threadIdx.x), all = p.m * p.n;
    const auto is_whole = [](const T *at) { return reinterpret_cast<uintptr_t>(at) % 16 == 0; };
    const unsigned bytes = unsigned(all) * unsigned(sizeof(T));
    const bool is_there = thread < block.count;
    T *const own = is_there ? p.a.each[block.first + thread] : nullptr, *const shared = block.matrix(p.at, thread);
    const unsigned whole = __ballot_sync(~0u, is_there && is_whole(own));
    if (!STORES && thread == 0) barrier.expect(bytes * __popc(whole));
    if (is_there && is_whole(own)) STORES ? put_bytes(own, shared, bytes) : fetch_bytes(shared, own, bytes, barrier);
#pragma unroll 1
    for (int q = 0; q < block.count; ++q) {
        if (whole >> q & 1) continue;
        T *const at = p.a.each[block.first + q];
#pragma unroll 1
        for (int i = thread; i < all; i += 32) copy_unit<STORES, 1>(at + i, block.matrix(p.at, q) + i);
    }
    const int64_t next = block.first + p.ahead + thread;
    if (STORES || thread >= block.matrices || next >= p.batch) return;
    const T *const at = p.a.each[next];
    if (is_whole(at)) prefetch_bytes(at, bytes);
}
template <class T>
__device__ __forceinline__ void store_taus(const CyclicArguments<T> &p, CyclicBlock<T> block, const T *taus) {
    const int q = int(threadIdx.x) % block.matrices, k = min(p.m, p.n);
    if (q >= block.count) return;
    const MatrixView<T> tau = p.tau.of(block.first + q);
#pragma unroll 1
    for (int i = int(threadIdx.x) / block.matrices; i < k; i += block.lanes) *tau.at(i, 0) = taus[q * k + i];
}

// A block's matrices, from the first one on: `count` of them, and tau
template <class T, class K, CyclicCopies COPIES>
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
    __device__ bool by_boxes() const {
        return COPIES == CyclicCopies::boxes || (COPIES == CyclicCopies::any && p_.at.by_boxes);
    }
    __device__ __forceinline__ void load() const {
        if (has_bulk_copies()) {
            if (threadIdx.x == 0) barrier_.begin();
            sync();
        }
        move<false>();
        wait_for_copies();
        sync();
        if (has_bulk_copies()) barrier_.wait(0);
    }
    __device__ __forceinline__ void store() const {
        if (has_bulk_copies()) async_fence();
        sync();
        move<true>();
        if (p_.tau_is_contiguous) {
            T *const tau = p_.tau.data + first_ * min(p_.m, p_.n);
#pragma unroll 1
            for (int i = int(threadIdx.x); i < count_ * min(p_.m, p_.n); i += int(blockDim.x)) tau[i] = taus(0)[i];
        } else {
            store_taus(p_, block(), taus(0));
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
        return by_boxes() || p_.at.by_bulk;
#else
        return false;
#endif
    }
    __device__ CyclicBlock<T> block() const { return {data_, first_, count_, matrices_, K::lanes}; }
    template <bool STORES>
    __device__ __forceinline__ void move() const {
        if (by_boxes()) return move_box<STORES>();
        if constexpr (COPIES != CyclicCopies::boxes) {
            if (p_.at.is_contiguous) {
                p_.at.is_shifted ? move_shifted<STORES>(p_, block(), global_, behind_) : move_chunks<STORES>();
                // What a block long after this one loads, to the second-level cache
                if (!STORES && threadIdx.x == 0 && first_ + p_.ahead < p_.batch - matrices_)
                    prefetch_bytes(global_ - behind_ + p_.ahead * p_.a.at.stride,
                                   unsigned(matrices_ * p_.m * p_.n) / chunk * 16);
            } else if (p_.at.by_bulk && has_bulk_copies()) {
                move_each<STORES>(p_, block(), barrier_);
            } else {
                move_columns<STORES>(p_, block());
            }
        }
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
template <class T, int SHAPE, CyclicCopies COPIES>
__global__ void __launch_bounds__(32 * CyclicKind<T, SHAPE>::most_warps,
                                  (CyclicKind<T, SHAPE>::warps / CyclicKind<T, SHAPE>::most_warps))
    factor_cyclic(const __grid_constant__ CyclicArguments<T> p) {
    extern __shared__ __align__(128) unsigned char shared[];
    using K = CyclicKind<T, SHAPE>;
    using Matrix = CyclicMatrix<T, K>;
    const CyclicMemory<T, K, COPIES> memory(p, shared);
    memory.load();
    const int lane = int(threadIdx.x) % 32, of_warp = int(threadIdx.x) / 32 * K::of_warp;  // its first one
    const int q = of_warp + matrix_of_lane(lane, K::lanes, K::apart), own = lane_of_matrix(lane, K::lanes, K::apart);
    const int k = min(p.m, p.n);
    const bool is_there = q < memory.count();
    bool needs_scaling;
    {
        Matrix a(p.at, own, memory.taus(q));
        if (memory.by_boxes())
            a.template read<K::of_box>(memory.matrix(q), is_there);
        else
            a.template read<1>(memory.matrix(q), is_there);
        needs_scaling = a.factor() && is_there;
        __syncwarp();
        if (is_there && memory.by_boxes())
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
        const int row = memory.by_boxes() ? K::of_box : 1;
        memory.reload(which, row);
        const int wrong = factor_scaled(memory.matrix(which), p.at.ld, p.m, p.n, k, memory.taus(which), row);
        if (q == which) info = wrong;
        __syncwarp();
    }
    if (p.info && own == 0 && is_there) p.info[memory.first() + q] = info;
    memory.store();
}

}  // namespace xbatch::qr
