// resident_memory.cuh: a block's matrices in shared memory, and their right-hand sides.
//
// All matrices of the block follow each other, each with K::ld rows a column, and its right-hand sides follow its own
// columns. What lies below their last row, and columns after the last in a batch of different sizes, are zero.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/block_barrier.cuh"
#include "qr/common/gels_scaling.hpp"
#include "resident_arguments.cuh"
#include "resident_kind.cuh"

namespace xbatch::qr {

// A matrix of a batch of different sizes, and its right-hand sides
template <class T>
struct ResidentPlace {
    T *data, *sides;
    int64_t row, column, sides_column;  // distances
    int m, n, k;
};

template <class T, class K>
class ResidentMemory {
public:
    // block: blockIdx.x
    __device__ ResidentMemory(const ResidentArguments<T> &p, unsigned char *memory, unsigned block)
        : p_(p),
          matrices_(int(blockDim.x) / (32 * K::warps) * K::of_warp),
          first_(int64_t(block) * matrices_),
          count_(int(min(int64_t(matrices_), (is_varying() ? p.sizes.range->count : p.batch) - first_))),
          at_(K::shape, K::chunk, p.n, p.nrhs),
          data_(reinterpret_cast<T *>(memory)) {}

    __device__ int count() const { return count_; }
    __device__ bool is_varying() const { return p_.sizes.which != nullptr; }
    // m, n, nrhs; all 0 if there is no such matrix in a batch of different sizes
    __device__ MatrixSize size(int q) const {
        return is_varying() ? MatrixSize{place(q).m, place(q).n, place(q).k} : MatrixSize{p_.m, p_.n, p_.nrhs};
    }
    // Columns that the factorisation changes, and columns that it eliminates: a real matrix's last row needs none
    __device__ int columns(int q) const { return size(q).n + (p_.is_least_norm ? 0 : size(q).k); }
    __device__ int steps(int q) const {
        return min(sizeof(T) > sizeof(Real<T>) ? size(q).m : size(q).m - 1, size(q).n);
    }
    // Rows of right-hand sides that are given
    __device__ int given(int q) const { return p_.is_least_norm ? size(q).n : size(q).m; }
    __device__ T *matrix(int q) const { return data_ + q * at_.matrix; }
    __device__ T *sides(int q) const { return matrix(q) + size(q).n * K::ld; }
    __device__ T *taus(int q) const { return matrix(matrices_) + q * at_.taus; }
    // Whether the norms of a matrix need scaling; then the scaling of least squares; info
    __device__ int &flag(int q) const { return reinterpret_cast<int *>(taus(matrices_))[q]; }
    __device__ int &info(int q) const { return flag(matrices_ + q); }
    __device__ LeastSquaresScaling &scaling(int q) const {
        return reinterpret_cast<LeastSquaresScaling *>(&flag(2 * matrices_))[q];
    }
    // For each panel of a group's matrices: whether it is finished. Only if warps share them.
    __device__ BlockBarriers panels(int group) const {
        return BlockBarriers(&flag(4 * matrices_) + 2 * K::stages * group);
    }

    // Begins to load the matrices.
    __device__ __forceinline__ void load() const {
        find_places();
        if (!is_contiguous())
            each_element<false>(true, [&](T *a, T *s) { fetch<1>(a, s); });
        else if (is_by_sixteen())
            each_contiguous<K::chunk>([&](T *a, T *s) { fetch<K::chunk>(a, s); });
        else
            each_contiguous<1>([&](T *a, T *s) { fetch<1>(a, s); });
        if (p_.nrhs > 0) each_element<true>(true, [&](T *b, T *s) { fetch<1>(b, s); });
        set_rest();
    }
    // Ends it for this thread.
    __device__ __forceinline__ void wait() const {
        wait_for_copies();
        if constexpr (sizeof(T) > sizeof(Real<T>))
            if (p_.a.conjugates) each_element<false>(true, [&](T *, T *s) { *s = conjugate(*s); });
    }
    // The same for one matrix, by a warp, after it has been changed
    __device__ __forceinline__ void reload(int q) const {
        reload(view<false>(q), matrix(q), size(q).m, size(q).m, size(q).n);
        if (p_.nrhs > 0) reload(view<true>(q), sides(q), size(q).m, given(q), size(q).k);
        __syncwarp();
    }
    // Stores the matrices and tau or the right-hand sides, and info.
    __device__ __forceinline__ void store() const {
        if (p_.nrhs > 0)
            each_element<true>(false, [&](T *b, T *s) { *b = *s; });
        else if (!is_contiguous())
            each_element<false>(false, [&](T *a, T *s) { *a = *s; });
        else if (is_by_sixteen())
            each_contiguous<K::chunk>(
                [&](T *a, T *s) { *reinterpret_cast<Sixteen<T> *>(a) = *reinterpret_cast<Sixteen<T> *>(s); });
        else
            each_contiguous<1>([&](T *a, T *s) { *a = *s; });
        const bool is_flat = p_.a.at.layout == XBATCH_LAYOUT_FLAT;
        const int q = matrix_of_thread(is_flat), own = lane_of_thread(is_flat);
        if (q >= count_) return;
        if (p_.nrhs == 0) {
            const MatrixView<T> tau = p_.tau.of(number(q));
            const int k = min(size(q).m, size(q).n);
#pragma unroll 1
            for (int i = own; i < k; i += lanes) *tau.at(i, 0) = taus(q)[i];
        }
        if (p_.info && own == 0) p_.info[number(q)] = info(q);
    }

private:
    template <int COUNT>
    static __device__ void fetch(const T *from, T *to) {
        copy_async<T, COUNT, 0>(true, shared_address(to), from);
    }
    __device__ int64_t number(int q) const { return p_.sizes.matrix(first_ + q); }
    __device__ ResidentPlace<T> &place(int q) const {
        static_assert(sizeof(ResidentPlace<T>) == resident_place_bytes);
        constexpr int barriers = K::warps > 1 ? 2 * K::stages : 0;  // words of a group
        return reinterpret_cast<ResidentPlace<T> *>(&flag(4 * matrices_) + matrices_ / K::of_warp * barriers)[q];
    }
    // Each thread copies a part of one matrix: adjacent threads of the same one, or else of adjacent ones.
    static constexpr int lanes = K::lanes * K::warps;  // of a matrix
    __device__ int matrix_of_thread(bool is_flat) const {
        return is_flat ? int(threadIdx.x) / lanes : int(threadIdx.x) & (matrices_ - 1);
    }
    __device__ int lane_of_thread(bool is_flat) const {
        return is_flat ? int(threadIdx.x) % lanes : int(threadIdx.x) >> (31 - __clz(matrices_));
    }
    // By one thread a matrix, so that the addresses of all are read at once
    __device__ __forceinline__ void find_places() const {
        if (!is_varying()) return;
        for (int q = int(threadIdx.x); q < matrices_; q += int(blockDim.x)) {
            ResidentPlace<T> own{};
            if (q < count_) {
                const MatrixSize s = size_of(p_.sizes, number(q), p_.m, p_.n, p_.nrhs);
                const MatrixView<T> a = p_.a.of(number(q));
                own = {a.data, nullptr, a.row, a.column, 0, s.m, s.n, p_.nrhs > 0 ? s.k : 0};
                if (p_.nrhs > 0) own.sides = p_.b.of(number(q)).data, own.sides_column = p_.b.of(number(q)).column;
            }
            place(q) = own;
        }
        __syncthreads();
    }
    template <bool OF_SIDES>
    __device__ const DeviceMatrices<T> &source() const {
        return OF_SIDES ? p_.b : p_.a;
    }
    template <bool OF_SIDES>
    __device__ MatrixView<T> view(int q) const {
        const DeviceMatrices<T> &from = source<OF_SIDES>();
        if (!is_varying())
            return {from.data + base_of(from.at, number(q)), from.at.row, from.at.column, from.conjugates, false};
        const ResidentPlace<T> &own = place(q);
        if (OF_SIDES) return {own.sides, 1, own.sides_column, false, false};
        return {own.data, own.row, own.column, from.conjugates, false};
    }
    // Once, because its divisions are long
    static __device__ __noinline__ int64_t base_of(const MatrixPlacement &at, int64_t j) { return at.base(j); }
    // Rows from `given` on become zero.
    static __device__ __noinline__ void reload(const MatrixView<T> a, T *to, int m, int given, int n) {
#pragma unroll 1
        for (int e = int(threadIdx.x) % 32; e < m * n; e += 32) {
            const int c = e / m, i = e - c * m;
            const T x = i < given ? *a.at(i, c) : T(Real<T>(0));
            to[c * K::ld + i] = a.conjugates ? conjugate(x) : x;
        }
    }
    // What is not loaded, flags, info and tau without a step
    __device__ __forceinline__ void set_rest() const {
        const int q = matrix_of_thread(true);
        const MatrixSize s = size(q);
#pragma unroll 1
        for (int c = lane_of_thread(true); c < p_.n + p_.nrhs; c += lanes) {
            T *const column = matrix(q) + c * K::ld;
#pragma unroll 1
            for (int i = c < s.n ? s.m : c < s.n + s.k ? given(q) : 0; i < K::height; ++i) column[i] = T(Real<T>(0));
        }
        if (lane_of_thread(true) == 0) {
            flag(q) = info(q) = 0;
            const int all = min(s.m, s.n);
            if (steps(q) < all) taus(q)[all - 1] = T(Real<T>(0));
        }
    }
    __device__ bool is_contiguous() const {
        const MatrixPlacement &at = p_.a.at;
        return !is_varying() && at.layout == XBATCH_LAYOUT_FLAT && at.row == 1 && at.column == p_.m &&
               at.stride == int64_t(p_.m) * p_.n && !p_.a.conjugates;
    }
    __device__ bool is_by_sixteen() const {
        return p_.m % K::chunk == 0 && reinterpret_cast<uintptr_t>(p_.a.data) % 16 == 0;
    }
    // f(address, address in shared memory) for all elements of the matrices or of their right-hand sides, of these the
    // given ones or all
    template <bool OF_SIDES, class F>
    __device__ __forceinline__ void each_element(bool is_given, F f) const {
        const bool is_flat = source<OF_SIDES>().at.layout == XBATCH_LAYOUT_FLAT;
        const int q = matrix_of_thread(is_flat), begin = lane_of_thread(is_flat);
        if (q >= count_) return;
        MatrixView<T> v = view<OF_SIDES>(q);
        int m = OF_SIDES && is_given ? given(q) : size(q).m, n = OF_SIDES ? size(q).k : size(q).n;
        const bool is_turned = !OF_SIDES && v.row > v.column;  // rows are contiguous
        const int down = is_turned ? K::ld : 1, across = is_turned ? 1 : K::ld;
        if (is_turned) v = {v.data, v.column, v.row, false, false}, m = size(q).n, n = size(q).m;
        const int row_step = lanes % m, column_step = lanes / m;
        const int64_t along = row_step * v.row + column_step * v.column, next_column = v.column - m * v.row;
        int row = begin % m;
        T *global = v.at(row, begin / m);
        T *shared = (OF_SIDES ? sides(q) : matrix(q)) + begin / m * across + row * down;
#pragma unroll 4
        for (int left = m * n - begin; left > 0; left -= lanes) {
            f(global, shared);
            global += along, shared += column_step * across + row_step * down, row += row_step;
            if (row >= m) row -= m, global += next_column, shared += across - m * down;
        }
    }
    // f(address, address in shared memory) for units of U elements of contiguous matrices
    template <int U, class F>
    __device__ __forceinline__ void each_contiguous(F f) const {
        const int high = p_.m / U, units = high * p_.n * count_;
        const int thread = int(threadIdx.x), threads = int(blockDim.x);
        const int row_step = threads % high, column_step = threads / high;
        const int next_column = K::ld - p_.m, next_matrix = at_.matrix - p_.n * K::ld;
        int row = thread % high, left = p_.n - thread / high;  // columns of the matrix from this one on
        T *shared = data_ + thread / high * K::ld + row * U, *global = p_.a.data + first_ * p_.a.at.stride + thread * U;
#pragma unroll 2
        for (int t = thread; t < units; t += threads) {
            while (left <= 0) left += p_.n, shared += next_matrix;
            f(global, shared);
            global += threads * U, shared += column_step * K::ld + row_step * U;
            row += row_step, left -= column_step;
            if (row >= high) row -= high, shared += next_column, --left;
        }
    }

    const ResidentArguments<T> &p_;
    int matrices_;  // of the block, a power of two
    int64_t first_;
    int count_;
    ResidentLayout at_;
    T *data_;
};

}  // namespace xbatch::qr
