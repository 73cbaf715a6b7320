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

// A matrix of a batch of different sizes, its right-hand sides or tau, and its number
template <class T>
struct ResidentPlace {
    T *data, *sides;
    int64_t row, column, sides_column;  // distances
    int m, n, k, number;
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
        if (is_varying()) find_places();
        if (!is_contiguous())
            each_element<false>(true, Fetch{prefetches()});
        else if (is_by_sixteen())
            each_contiguous<K::chunk, Fetch>();
        else
            each_contiguous<1, Fetch>();
        if (p_.nrhs > 0) each_element<true>(true, Fetch{});
        set_rest();
    }
    // Ends it for this thread.
    __device__ __forceinline__ void wait() const {
        wait_for_copies();
        if constexpr (sizeof(T) > sizeof(Real<T>))
            if (p_.a.conjugates) each_element<false>(true, Conjugate{});
    }
    // The same for one matrix, by a warp, after it has been changed
    __device__ __forceinline__ void reload(int q) const {
        reload(view<false>(q), matrix(q), size(q).m, size(q).m, size(q).n);
        if (p_.nrhs > 0) reload(view<true>(q), sides(q), size(q).m, given(q), size(q).k);
        __syncwarp();
    }
    // Stores the matrices and tau, or R, or the right-hand sides, and info.
    __device__ __forceinline__ void store() const {
        if (p_.nrhs > 0)
            each_element<true>(false, Store{});
        else if (!p_.is_qless())
            store_factors();
        const bool is_flat = p_.a.at.layout == XBATCH_LAYOUT_FLAT;
        const int q = matrix_of_thread(is_flat), own = lane_of_thread(is_flat);
        if (q >= count_) return;
        if (p_.is_qless()) {
            const DeviceMatrices<T> &r = p_.r;
            T *const data = r.data + base_of(r.at, number(q));
            store_triangle(matrix(q), data, r.at.row, r.at.column, min(p_.m, p_.n), p_.n, own);
        } else if (p_.nrhs == 0) {
            const MatrixView<T> tau =
                is_varying() ? MatrixView<T>{place(q).sides, 1, 0, false, false} : p_.tau.of(number(q));
            const int k = min(size(q).m, size(q).n);
#pragma unroll 1
            for (int i = own; i < k; i += lanes) *tau.at(i, 0) = taus(q)[i];
        }
        if (p_.info && own == 0) p_.info[number(q)] = info(q);
    }

private:
    // Of U elements. prefetches: the 256 bytes around a single one come to the second-level cache.
    struct Fetch {
        bool prefetches = false;

        template <int U>
        __device__ void copy(T *global, T *shared) const {
            constexpr int bytes = U * int(sizeof(T));
            const unsigned to = shared_address(shared);
            if (bytes < 16 && prefetches)
                asm volatile("cp.async.ca.shared.global.L2::256B [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(bytes)
                             : "memory");
            else
                copy_async<T, U, 0>(true, to, global);
        }
    };
    struct Store {
        template <int U>
        static __device__ void copy(T *global, T *shared) {
            if constexpr (U == 1)
                *global = *shared;
            else
                *reinterpret_cast<Sixteen<T> *>(global) = *reinterpret_cast<Sixteen<T> *>(shared);
        }
    };
    struct Conjugate {
        template <int U>
        static __device__ void copy(T *, T *shared) {
#pragma unroll
            for (int e = 0; e < U; ++e) shared[e] = conjugate(shared[e]);
        }
    };
    // Whether blocks that run at the same time have parts of a memory line or two of each row
    __device__ bool prefetches() const {
        return p_.a.at.layout != XBATCH_LAYOUT_FLAT && matrices_ * int(sizeof(T)) <= 64;
    }
    __device__ int64_t number(int q) const { return is_varying() ? place(q).number : first_ + q; }
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
    // By one thread a matrix, so that the addresses of all are read at once. Meanwhile all matrices become zero.
    __device__ __forceinline__ void find_places() const {
        const int q = int(threadIdx.x);
        const bool is_there = q < count_;
        const int64_t j = is_there ? p_.sizes.matrix(first_ + q) : 0;
        const int chunks = matrices_ * at_.matrix / K::chunk;
        for (int u = q; u < chunks; u += int(blockDim.x)) reinterpret_cast<Sixteen<T> *>(data_)[u] = Sixteen<T>{};
        ResidentPlace<T> own{};
        if (is_there) {
            const MatrixSize s = size_of(p_.sizes, j, p_.m, p_.n, p_.nrhs);
            const MatrixView<T> a = p_.a.of(j), sides = p_.nrhs > 0 ? p_.b.of(j) : p_.tau.of(j);
            own = {a.data, sides.data, a.row, a.column, sides.column, s.m, s.n, p_.nrhs > 0 ? s.k : 0, int(j)};
        }
        if (q < matrices_) place(q) = own;
        __syncthreads();
    }
    template <bool OF_SIDES>
    __device__ const DeviceMatrices<T> &source() const {
        return OF_SIDES ? p_.b : p_.a;
    }
    template <bool OF_SIDES>
    __device__ MatrixView<T> view(int q) const {
        const DeviceMatrices<T> &from = source<OF_SIDES>();
        if (!is_varying()) {
            T *const data = from.each ? from.each[number(q)] : from.data + base_of(from.at, number(q));
            return {data, from.at.row, from.at.column, from.conjugates, false};
        }
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
        const int q = matrix_of_thread(true), own = lane_of_thread(true);
        const MatrixSize s = size(q);
#pragma unroll 1
        for (int c = own; c < s.n + s.k && !is_varying(); c += lanes)
#pragma unroll 1
            for (int i = c < s.n ? s.m : given(q); i < K::height; ++i) matrix(q)[c * K::ld + i] = T(Real<T>(0));
        if (own == 0) {
            flag(q) = info(q) = 0;
            const int all = min(s.m, s.n);
            if (steps(q) < all) taus(q)[all - 1] = T(Real<T>(0));
        }
    }
    // R [k x n], with zeros below its diagonal, by the lanes of a matrix. Element (i, c) to to[i*row + c*column].
    static __device__ __noinline__ void store_triangle(const T *r, T *to, int64_t row, int64_t column, int k, int n,
                                                       int own) {
        const int row_step = lanes % k, column_step = lanes / k;
        int i = own % k, c = own / k;
#pragma unroll 1
        while (c < n) {
            to[i * row + c * column] = i <= c ? r[c * K::ld + i] : T(Real<T>(0));
            i += row_step, c += column_step;
            if (i >= k) i -= k, ++c;
        }
    }
    __device__ __forceinline__ void store_factors() const {
        if (!is_contiguous())
            each_element<false>(false, Store{});
        else if (is_by_sixteen())
            each_contiguous<K::chunk, Store>();
        else
            each_contiguous<1, Store>();
    }
    __device__ bool is_contiguous() const {
        const MatrixPlacement &at = p_.a.at;
        return !is_varying() && !p_.a.each && at.layout == XBATCH_LAYOUT_FLAT && at.row == 1 && at.column == p_.m &&
               at.stride == int64_t(p_.m) * p_.n && !p_.a.conjugates;
    }
    __device__ bool is_by_sixteen() const {
        return p_.m % K::chunk == 0 && reinterpret_cast<uintptr_t>(p_.a.data) % 16 == 0;
    }
    // For all elements of the matrices or of their right-hand sides, of these the given ones or all. Contiguous rows
    // are copied by chunks if columns begin at multiples of 16 bytes.
    template <bool OF_SIDES, class Copy>
    __device__ __forceinline__ void each_element(bool is_given, Copy copier) const {
        const bool is_flat = source<OF_SIDES>().at.layout == XBATCH_LAYOUT_FLAT;
        const int q = matrix_of_thread(is_flat), begin = lane_of_thread(is_flat);
        if (q >= count_) return;
        const MatrixView<T> v = view<OF_SIDES>(q);
        T *const shared = OF_SIDES ? sides(q) : matrix(q);
        const int m = OF_SIDES && is_given ? given(q) : size(q).m, n = OF_SIDES ? size(q).k : size(q).n;
        const auto copy = [&](T *a, T *s, int) { copier.template copy<1>(a, s); };
        if (!OF_SIDES && v.row > v.column)  // rows are contiguous
            each_row(v.data, v.column, v.row, shared, K::ld, 1, n, m, begin, copy);
        else if (K::chunk == 1 || v.row > 1 || v.column % K::chunk != 0 ||
                 reinterpret_cast<uintptr_t>(v.data) % 16 != 0)
            each_row(v.data, v.row, v.column, shared, 1, K::ld, m, n, begin, copy);
        else
            each_row(v.data, K::chunk, v.column, shared, K::chunk, K::ld, (m - 1) / K::chunk + 1, n, begin,
                     [&](T *a, T *s, int u) {
                         if ((u + 1) * K::chunk <= m) return copier.template copy<K::chunk>(a, s);
#pragma unroll
                         for (int e = 0; e < K::chunk - 1; ++e)
                             if (u * K::chunk + e < m) copier.template copy<1>(a + e, s + e);
                     });
    }
    // f(address, address in shared memory, i) for n units in each of m rows, in steps down and across: a thread has the
    // rows begin, begin + lanes, …, and the lanes share the last ones.
    template <class F>
    static __device__ __forceinline__ void each_row(T *data, int64_t row, int64_t column, T *shared, int down,
                                                    int across, int m, int n, int begin, F f) {
#pragma unroll 1
        for (int first = 0; first < m; first += lanes) {
            const int rows = min(lanes, m - first);
            int i = first + begin, c = 0, step = 1;
            if (rows < lanes) step = lanes / rows, c = begin / rows, i -= c * rows;
            if (c >= step) return;
            T *global = data + i * row + c * column, *own = shared + i * down + c * across;
            const int64_t along = step * column;
            const int further = step * across;
#pragma unroll 4
            for (; c < n; c += step) f(global, own, i), global += along, own += further;
        }
    }
    // For units of U elements of contiguous matrices
    template <int U, class Copy>
    __device__ __forceinline__ void each_contiguous() const {
        const int high = p_.m / U, units = high * p_.n * count_;
        const int thread = int(threadIdx.x), threads = int(blockDim.x);
        const int row_step = threads % high, column_step = threads / high;
        const int next_column = K::ld - p_.m, next_matrix = at_.matrix - p_.n * K::ld;
        int row = thread % high, left = p_.n - thread / high;  // columns of the matrix from this one on
        T *shared = data_ + thread / high * K::ld + row * U, *global = p_.a.data + first_ * p_.a.at.stride + thread * U;
#pragma unroll 2
        for (int t = thread; t < units; t += threads) {
            while (left <= 0) left += p_.n, shared += next_matrix;
            Copy{}.template copy<U>(global, shared);
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
