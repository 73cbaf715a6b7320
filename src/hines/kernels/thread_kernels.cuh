// thread_kernels.cuh: Hines systems on the GPU, one thread per system; both sweeps access all arrays in global memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.cuh"
#include "hines/hines.hpp"

namespace xbatch::hines {

// One launch: the systems of one morphology.
template <class T>
struct HinesThreads {
    const T *upper, *lower, *d;
    T *b, *pivots;
    GroupPlacement upper_at, d_at, b_at, pivots_at;  // upper_at: also of `lower`
    const int32_t *parent;                           // -1 for roots
    const int64_t *members;                          // system j of number k; NULL if j = k
    int64_t n, count, nrhs;
    bool is_conjugated;
    int32_t *info;
};

// The elements of one system.
template <class T>
struct HinesColumn {
    T *first;
    int64_t step;
    __device__ T &operator[](int64_t i) const { return first[i * step]; }
};

template <class T>
__device__ inline HinesColumn<T> hines_column(T *array, const GroupPlacement &at, int64_t k, int64_t j, int64_t r) {
    return {array + at.base(k, j, r), at.step()};
}

// Loads of what no thread writes may be moved before stores.
__device__ inline float read_only(const float *p) { return __ldg(p); }
__device__ inline double read_only(const double *p) { return __ldg(p); }
__device__ inline Complex<float> read_only(const Complex<float> *p) {
    const float2 v = __ldg(reinterpret_cast<const float2 *>(p));
    return {v.x, v.y};
}
__device__ inline Complex<double> read_only(const Complex<double> *p) {
    const double2 v = __ldg(reinterpret_cast<const double2 *>(p));
    return {v.x, v.y};
}

template <class T>
struct HinesCoefficients {
    HinesColumn<const T> column;
    bool is_conjugated;
    __device__ T operator[](int64_t i) const {
        const T value = read_only(&column[i]);
        return is_conjugated ? conjugate(value) : value;
    }
};

// Algorithm 1 of the cuHinesBatch paper (hines.h), corrected; in its "backward sweep", children before parents,
//   f = u_i / d_i,  d_p(i) -= f l_i,  b_p(i) -= f b_i
// and then, parents before children, x_i = (b_i - l_i x_p(i)) / d_i. It works on a copy of d, since d must survive.
// IN_SHARED: b is resident in shared memory between the sweeps, by rows; each thread accesses its own column only.
template <class T, bool IN_SHARED>
__global__ void hines_thread(HinesThreads<T> p) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    const int64_t k = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (k >= p.count) return;
    const int64_t j = p.members ? p.members[k] : k;
    const HinesCoefficients<T> upper{hines_column(p.upper, p.upper_at, k, j, 0), p.is_conjugated};
    const HinesCoefficients<T> lower{hines_column(p.lower, p.upper_at, k, j, 0), p.is_conjugated};
    const HinesCoefficients<T> d{hines_column(p.d, p.d_at, k, j, 0), p.is_conjugated};
    const auto pivots = hines_column(p.pivots, p.pivots_at, k, j, 0);

#pragma unroll 8
    for (int64_t i = 0; i < p.n; ++i) pivots[i] = d[i];
    int64_t bad = 0;
    bool is_solved = true;
    for (int64_t r = 0; r < p.nrhs; ++r) {
        const auto in_b = hines_column(p.b, p.b_at, k, j, r);
        const auto b = IN_SHARED ? HinesColumn<T>{reinterpret_cast<T *>(shared_bytes) + threadIdx.x, blockDim.x} : in_b;
        if (IN_SHARED) {
#pragma unroll 8
            for (int64_t i = 0; i < p.n; ++i) b[i] = in_b[i];
        }
        for (int64_t i = p.n - 1; i >= 0; --i) {
            const T pivot = pivots[i];
            if (r == 0 && bad == 0 && !has_reciprocal(pivot)) bad = i + 1;
            const int32_t parent = __ldg(p.parent + i);
            if (parent < 0) continue;
            const T factor = upper[i] * fast_reciprocal(pivot);
            if (r == 0) pivots[parent] = fnma(factor, lower[i], pivots[parent]);
            b[parent] = fnma(factor, b[i], b[parent]);
        }
        for (int64_t i = 0; i < p.n; ++i) {
            const int32_t parent = __ldg(p.parent + i);
            const T right = parent < 0 ? b[i] : fnma(lower[i], b[parent], b[i]), x = right * fast_reciprocal(pivots[i]);
            b[i] = x;
            if (IN_SHARED) in_b[i] = x;
            is_solved = is_solved && is_finite(x);
        }
    }
    if (p.info) p.info[j] = int32_t(bad > 0 || is_solved ? bad : p.n + 1);
}

}  // namespace xbatch::hines
