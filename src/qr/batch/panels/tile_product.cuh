// tile_product.cuh: 64 x 64 sums of products, by a block of 256 threads: in its registers, operands in shared memory.
//
// sum(f, s) += fast(f, k) slow(s, k) for 16 k at a time. Adjacent threads have adjacent f, so f should be contiguous in
// memory. Matrix instructions if available, otherwise a thread has four f and four s.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "qr/batch/tile_kind.cuh"
#include "qr/common/tile_copy.cuh"
#include "qr/common/tile_mma.cuh"

namespace xbatch::qr {

constexpr int product_side = 64, product_depth = 16, product_threads = 256;
template <class T>
constexpr int product_blocks = sizeof(T) == 16 ? 1 : 2;  // per multiprocessor

// The thread's number, hidden from the compiler, which would keep addresses in registers that the sums need.
__device__ __forceinline__ int hidden_thread() {
    int thread = int(threadIdx.x);
    asm volatile("" : "+r"(thread));
    return thread;
}

template <class T>
class TileProduct {
public:
    // Of an operand in shared memory
    static constexpr int ld = product_side + Sixteen<T>::size, elements = product_depth * ld;
    static __device__ int at(int i, int k) { return k * ld + i; }

    // f(fast, slow, the sum there)
    template <class F>
    __device__ __forceinline__ void each(F f) {
        const int thread = hidden_thread();
#pragma unroll
        for (int s = 0; s < 4; ++s)
#pragma unroll
            for (int q = 0; q < 4; ++q) f(thread % 16 + 16 * q, thread / 16 * 4 + s, sums_[s][q]);
    }
    __device__ __forceinline__ void add(const T *fast, const T *slow) {
        constexpr int chunk = Sixteen<T>::size;
        fast += threadIdx.x % 16, slow += threadIdx.x / 16 * 4;
#pragma unroll 4
        for (int k = 0; k < product_depth; ++k) {
            T x[4];
#pragma unroll
            for (int q = 0; q < 4; ++q) x[q] = fast[k * ld + 16 * q];
#pragma unroll
            for (int s = 0; s < 4; s += chunk) {
                const Sixteen<T> y = *reinterpret_cast<const Sixteen<T> *>(slow + k * ld + s);
#pragma unroll
                for (int e = 0; e < chunk; ++e)
#pragma unroll
                    for (int q = 0; q < 4; ++q) sums_[s + e][q] = fma_(x[q], y.x[e], sums_[s + e][q]);
            }
        }
    }

private:
    T sums_[4][4];
};

// Each warp has 32 f and 16 s. The k of a matrix instruction may be in any order that is the same for both operands:
// here one by which a lane reads two at once. Its rows and columns may be permuted too: here so that four lanes access
// adjacent elements.
template <>
class TileProduct<double> {
public:
    static constexpr int ld = product_depth + 2, elements = product_side * ld;
    static __device__ int at(int i, int k) { return i * ld + k; }

    template <class F>
    __device__ __forceinline__ void each(F f) {
        const int thread = hidden_thread();
        const MmaLane lane(thread);
#pragma unroll
        for (int n = 0; n < 4; ++n)
#pragma unroll
            for (int e = 0; e < 4; ++e)
                f(first_fast(thread) + 8 * n + lane.t + e % 2 * 4, first_slow(thread) + place(lane.g) + e / 2 * 8,
                  sums_[n][e]);
    }
    __device__ __forceinline__ void add(const double *fast, const double *slow) {
        const int thread = int(threadIdx.x);
        const MmaLane lane(thread);
        const int own = at(place(lane.g), 2 * lane.t);
        fast += at(first_fast(thread), 0) + own, slow += at(first_slow(thread), 0) + own;
        const auto pair = [](const double *from) { return *reinterpret_cast<const double2 *>(from); };
#pragma unroll
        for (int k = 0; k < product_depth; k += 8) {
            const double2 near = pair(slow + at(0, k)), far = pair(slow + at(8, k));
            const double a[4] = {near.x, far.x, near.y, far.y};
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                const double2 b = pair(fast + at(8 * n, k));
                mma(sums_[n], a, b.x, b.y);
            }
        }
    }

private:
    static __device__ int place(int g) { return g / 2 + g % 2 * 4; }  // of row or column g of an instruction
    static __device__ int first_fast(int thread) { return thread / 32 % 2 * 32; }
    static __device__ int first_slow(int thread) { return thread / 64 * 16; }
    double sums_[4][4];
};

// One of the two operands in memory: element (i, k) at data[i*across + k*along], for i < most. For vectors, row -
// column of a trapezoid's element is `sign (k - i) + shift`: ones where that is 0, zeros where it is negative.
template <class T>
struct ProductOperand {
    const T *data;
    int64_t across, along;
    int most;
    bool conjugates;
    int sign = 0, shift = 0;
};

// A thread's share of an operand, 16 k at a time: adjacent threads have adjacent elements.
template <class T>
class OperandShare {
public:
    __device__ __forceinline__ OperandShare(const ProductOperand<T> &o, int64_t begin)
        : stage_(product_depth * o.along),
          most_(o.most),
          sign_(o.sign),
          shift_(o.shift),
          conjugates_(sizeof(T) > sizeof(Real<T>) && o.conjugates) {
        const int thread = int(threadIdx.x);
        const bool by_k = o.along <= o.across;
        i_ = by_k ? thread / 16 : thread % 8 + thread / 32 * 8, k_ = by_k ? thread % 16 : thread / 8 % 4;
        step_i_ = by_k ? product_threads / 16 : 0, step_k_ = by_k ? 0 : 4;
        step_ = step_i_ * o.across + step_k_ * o.along;
        at_ = o.data + i_ * o.across + (begin + k_) * o.along;
    }
    // Queues the copies of k … k+15, of which those from `end` on are zero.
    __device__ __forceinline__ void fetch(int64_t k, int64_t end, T *shared) {
        const int left = left_of(k, end);
        const T *at = at_;
#pragma unroll
        for (int n = 0; n < count; ++n) {
            copy_async<sizeof(T)>(place(n, shared), at, is_in(n, left) ? int(sizeof(T)) : 0);
            at += step_;
        }
        at_ += stage_;
    }
    // Conjugates the copies, and sets the ones and zeros of a trapezoid.
    __device__ __forceinline__ void mend(int64_t k, int64_t end, T *shared) const {
        if (conjugates_)
#pragma unroll
            for (int n = 0; n < count; ++n) *place(n, shared) = conjugate(*place(n, shared));
        if (sign_ == 0 || (sign_ > 0 && k >= product_side) || shift_ >= product_side) return;
#pragma unroll
        for (int n = 0; n < count; ++n) {
            const int below = sign_ * (int(k) + k_ + n * step_k_ - i_ - n * step_i_) + shift_;
            if (below <= 0) *place(n, shared) = T(Real<T>(below == 0 && is_in(n, left_of(k, end)) ? 1 : 0));
        }
    }

private:
    static constexpr int count = product_side * product_depth / product_threads;

    static __device__ int left_of(int64_t k, int64_t end) { return int(min(end - k, int64_t(product_depth))); }
    __device__ bool is_in(int n, int left) const { return i_ + n * step_i_ < most_ && k_ + n * step_k_ < left; }
    __device__ T *place(int n, T *shared) const {
        return shared + TileProduct<T>::at(i_ + n * step_i_, k_ + n * step_k_);
    }

    const T *at_;
    int64_t step_, stage_;
    int most_, sign_, shift_;
    bool conjugates_;
    int i_, k_, step_i_, step_k_;
};

// Adds the products for k from `begin` to `end`. memory: stages of both operands, shared; all but one are loaded while
// that one is multiplied.
constexpr int product_stages = 4;
template <class T>
constexpr size_t product_bytes = product_stages * 2 * TileProduct<T>::elements * sizeof(T);
template <class T>
__device__ __forceinline__ void add_products(TileProduct<T> &product, T *memory, int64_t begin, int64_t end,
                                             const ProductOperand<T> &fast, const ProductOperand<T> &slow) {
    constexpr int elements = TileProduct<T>::elements, ahead = product_stages - 1;
    OperandShare<T> f(fast, begin), s(slow, begin);
    const auto fetch = [&](int64_t k, int stage) {
        T *const to = memory + stage % product_stages * 2 * elements;
        if (k < end) f.fetch(k, end, to), s.fetch(k, end, to + elements);
        queue_copies();
    };
#pragma unroll
    for (int stage = 0; stage < ahead; ++stage) fetch(begin + stage * product_depth, stage);
    int stage = 0;
    for (int64_t k = begin; k < end; k += product_depth, ++stage) {
        T *const here = memory + stage % product_stages * 2 * elements;
        wait_copies<ahead - 1>();
        f.mend(k, end, here), s.mend(k, end, here + elements);
        __syncthreads();
        fetch(k + ahead * product_depth, stage + ahead);
        product.add(here, here + elements);
    }
}

}  // namespace xbatch::qr
