// resident_memory.cuh: a block's matrices in shared memory.
//
// All matrices of the block follow each other, each with K::ld rows a column; those below a matrix's last row are zero.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "qr_batch_kernels.cuh"
#include "resident_kind.cuh"

namespace xbatch::qr {

template <class T, class K>
class ResidentMemory {
public:
    __device__ ResidentMemory(const FactorBatchArguments<T> &p, unsigned char *memory)
        : p_(p),
          first_(int64_t(blockIdx.x) * K::matrices),
          count_(int(min(int64_t(K::matrices), p.batch - first_))),
          at_(K::shape, K::chunk, p.n),
          data_(reinterpret_cast<T *>(memory)) {}

    __device__ int count() const { return count_; }
    __device__ T *matrix(int q) const { return data_ + q * at_.matrix; }
    __device__ T *taus(int q) const { return matrix(K::matrices) + q * at_.taus; }
    __device__ int &flag(int q) const { return reinterpret_cast<int *>(taus(K::matrices))[q]; }
    __device__ int &panels_done() const { return flag(K::matrices); }
    __device__ int64_t number(int q) const { return first_ + q; }

    // Begins to load the matrices.
    __device__ __forceinline__ void load() const {
        if (!is_contiguous())
            each_element([&](T *a, T *s) { fetch<1>(a, s); });
        else if (is_by_sixteen())
            each_contiguous<K::chunk>([&](T *a, T *s) { fetch<K::chunk>(a, s); });
        else
            each_contiguous<1>([&](T *a, T *s) { fetch<1>(a, s); });
        set_rest();
    }
    // The same for one matrix, by a warp, after it has been changed
    __device__ __forceinline__ void reload(int q) const {
        const T *const a = p_.a.data + base_of(p_.a.at, number(q));
#pragma unroll 1
        for (int e = int(threadIdx.x) % 32; e < p_.m * p_.n; e += 32) {
            const int c = e / p_.m, i = e - c * p_.m;
            matrix(q)[c * K::ld + i] = a[i * p_.a.at.row + c * p_.a.at.column];
        }
    }
    // Stores the matrices, tau and info.
    __device__ __forceinline__ void store() const {
        if (!is_contiguous())
            each_element([&](T *a, T *s) { *a = *s; });
        else if (is_by_sixteen())
            each_contiguous<K::chunk>(
                [&](T *a, T *s) { *reinterpret_cast<Sixteen<T> *>(a) = *reinterpret_cast<Sixteen<T> *>(s); });
        else
            each_contiguous<1>([&](T *a, T *s) { *a = *s; });
        const int thread = int(threadIdx.x), k = min(p_.m, p_.n);
#pragma unroll 1
        for (int q = thread % K::matrices; q < count_; q += K::matrices) {
            const MatrixView<T> tau = p_.tau.of(number(q));
#pragma unroll 1
            for (int i = thread / K::matrices; i < k; i += K::threads / K::matrices) *tau.at(i, 0) = taus(q)[i];
            if (p_.info && thread < K::matrices) p_.info[number(q)] = flag(q);
        }
    }

private:
    template <int COUNT>
    static __device__ void fetch(const T *from, T *to) {
        copy_async<T, COUNT, 0>(true, shared_address(to), from);
    }
    // Once, because its divisions are long
    static __device__ __noinline__ int64_t base_of(const MatrixPlacement &at, int64_t j) { return at.base(j); }
    // Rows below the matrices' last, and flags
    __device__ __forceinline__ void set_rest() const {
#pragma unroll 1
        for (int c = int(threadIdx.x); c < K::matrices * p_.n; c += K::threads) {
            T *const column = matrix(c / p_.n) + c % p_.n * K::ld;
#pragma unroll 1
            for (int i = p_.m; i < K::height; ++i) column[i] = T(Real<T>(0));
        }
        if (int(threadIdx.x) < K::matrices) flag(int(threadIdx.x)) = 0;
        if (threadIdx.x == 0) panels_done() = 0;
    }
    __device__ bool is_contiguous() const {
        const MatrixPlacement &at = p_.a.at;
        return at.layout == XBATCH_LAYOUT_FLAT && at.column == p_.m && at.stride == int64_t(p_.m) * p_.n;
    }
    __device__ bool is_by_sixteen() const {
        return p_.m % K::chunk == 0 && reinterpret_cast<uintptr_t>(p_.a.data) % 16 == 0;
    }
    // f(address, address in shared memory) for all elements, adjacent threads along contiguous memory
    template <class F>
    __device__ __forceinline__ void each_element(F f) const {
        const MatrixPlacement &at = p_.a.at;
        const int adjacent = at.layout == XBATCH_LAYOUT_FLAT ? 1 : K::matrices;
        const int m = p_.m, step = K::threads / adjacent, begin = int(threadIdx.x) / adjacent;
        const int row_step = step % m, column_step = step / m, first_row = begin % m, first_column = begin / m;
        const int64_t along = row_step * at.row + column_step * at.column, next_column = at.column - m * at.row;
#pragma unroll 1
        for (int q = int(threadIdx.x) % adjacent; q < count_; q += adjacent) {
            T *global = p_.a.data + base_of(at, number(q)) + first_row * at.row + first_column * at.column;
            T *shared = matrix(q) + first_column * K::ld + first_row;
            int row = first_row;
#pragma unroll 4
            for (int left = m * p_.n - begin; left > 0; left -= step) {
                f(global, shared);
                global += along, shared += column_step * K::ld + row_step, row += row_step;
                if (row >= m) row -= m, global += next_column, shared += K::ld - m;
            }
        }
    }
    // f(address, address in shared memory) for units of U elements of contiguous matrices
    template <int U, class F>
    __device__ __forceinline__ void each_contiguous(F f) const {
        const int high = p_.m / U, units = high * p_.n * count_, thread = int(threadIdx.x);
        const int row_step = K::threads % high, column_step = K::threads / high;
        const int next_column = K::ld - p_.m, next_matrix = at_.matrix - p_.n * K::ld;
        int row = thread % high, left = p_.n - thread / high;  // columns of the matrix from this one on
        T *shared = data_ + thread / high * K::ld + row * U, *global = p_.a.data + first_ * p_.a.at.stride + thread * U;
#pragma unroll 2
        for (int t = thread; t < units; t += K::threads) {
            while (left <= 0) left += p_.n, shared += next_matrix;
            f(global, shared);
            global += K::threads * U, shared += column_step * K::ld + row_step * U;
            row += row_step, left -= column_step;
            if (row >= high) row -= high, shared += next_column, --left;
        }
    }

    const FactorBatchArguments<T> &p_;
    int64_t first_;
    int count_;
    ResidentLayout at_;
    T *data_;
};

}  // namespace xbatch::qr
