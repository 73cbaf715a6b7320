// gtcon_kernels.cuh: the steps of condition estimates between solves: initial vectors, their sums, their largest
// entries, the estimates.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include "core/condition.hpp"
#include "tridiagonal/nopivot/row_info.cuh"

namespace xbatch::tridiagonal {

// One vector per matrix, in pieces of rows. A block processes a piece of 2^systems_log vectors, with its threads
// divided evenly among them; the threads of a vector access its rows cyclically. Adjacent lanes access adjacent memory.
template <class T>
struct ConditionVectors {
    static constexpr int threads_log = 8, threads = 1 << threads_log;
    using R = Real<T>;

    T *x;
    Placement at;
    int64_t n, batch, pieces;
    int systems_log;
    Estimate<R> *estimates;  // [batch]
    R *sizes;                // [batch][pieces]: sums, or largest entries,
    int64_t *places;         // [batch][pieces]: the rows of the largest entries
    const R *norms;          // [batch]
    R *rcond;                // [batch]
};

// The vector of a thread, and its rows of the piece, `step` apart; system within the block, thread k within the system
struct ConditionThread {
    int64_t j, piece, begin, end;
    int step, system, k;
    bool exists;
};
template <class T>
__device__ inline ConditionThread thread_of(const ConditionVectors<T> &v) {
    const int systems = 1 << v.systems_log, t = threadIdx.x;
    const int64_t group = blockIdx.x / v.pieces;
    ConditionThread thread;
    thread.step = ConditionVectors<T>::threads >> v.systems_log;
    const bool flat = v.at.layout == XBATCH_LAYOUT_FLAT;
    thread.system = flat ? t / thread.step : t % systems, thread.k = flat ? t % thread.step : t / systems;
    thread.piece = blockIdx.x - group * v.pieces;
    thread.j = (group << v.systems_log) + thread.system;
    thread.exists = thread.j < v.batch;
    thread.begin = v.n * thread.piece / v.pieces + thread.k;
    thread.end = thread.exists ? v.n * (thread.piece + 1) / v.pieces : 0;
    return thread;
}

enum class Start { EVEN, UNIT, GUARD };

// The right-hand side of a solve with A
template <class T, Start START>
__global__ void __launch_bounds__(ConditionVectors<T>::threads) gtcon_fill(ConditionVectors<T> v) {
    using R = Real<T>;
    const ConditionThread thread = thread_of(v);
    if (!thread.exists) return;
    T *const x = v.x + v.at.base(thread.j, 0);
    const int64_t at = START == Start::UNIT ? max(v.estimates[thread.j].at, int64_t(0)) : 0;
    for (int64_t i = thread.begin; i < thread.end; i += thread.step) {
        if (START == Start::EVEN) x[i * v.at.step] = T(first_entry<R>(v.n));
        if (START == Start::UNIT) x[i * v.at.step] = T(i == at ? R(1) : R(0));
        if (START == Start::GUARD) x[i * v.at.step] = T(guard_entry<R>(i, v.n));
    }
}

// Reduces the results of the threads of each vector, in a fixed order, by join(thread, other thread).
template <class T, class Join>
__device__ inline void join_threads(const ConditionVectors<T> &v, const ConditionThread &thread, Join join) {
    const int stride = v.at.layout == XBATCH_LAYOUT_FLAT ? 1 : 1 << v.systems_log, t = threadIdx.x;
    __syncthreads();
    for (int half = thread.step / 2; half > 0; half /= 2) {
        if (thread.k < half) join(t, t + half * stride);
        __syncthreads();
    }
}

// ||x||_1 of each piece; replaces x by its signs.
template <class T>
__global__ void __launch_bounds__(ConditionVectors<T>::threads) gtcon_sum(ConditionVectors<T> v) {
    __shared__ Real<T> sums[ConditionVectors<T>::threads];
    const ConditionThread thread = thread_of(v);
    Real<T> sum = 0;
    if (thread.exists) {
        T *const x = v.x + v.at.base(thread.j, 0);
        for (int64_t i = thread.begin; i < thread.end; i += thread.step) {
            const T entry = x[i * v.at.step];
            sum += size_of(entry);
            x[i * v.at.step] = sign_of(entry);
        }
    }
    sums[threadIdx.x] = sum;
    join_threads(v, thread, [&](int one, int other) { sums[one] += sums[other]; });
    if (thread.exists && thread.k == 0) v.sizes[thread.j * v.pieces + thread.piece] = sums[threadIdx.x];
}

// The largest entry, and the first row with it
template <class R>
struct Largest {
    R size = -1;
    int64_t at = 0;

    __device__ void update(R other, int64_t other_at) {
        if (other > size || (other == size && other_at < at)) size = other, at = other_at;
    }
};
template <class T>
__global__ void __launch_bounds__(ConditionVectors<T>::threads) gtcon_largest(ConditionVectors<T> v) {
    __shared__ Real<T> sizes[ConditionVectors<T>::threads];
    __shared__ int64_t places[ConditionVectors<T>::threads];
    const ConditionThread thread = thread_of(v);
    Largest<Real<T>> largest;
    if (thread.exists) {
        const T *const x = v.x + v.at.base(thread.j, 0);
        for (int64_t i = thread.begin; i < thread.end; i += thread.step) largest.update(size_of(x[i * v.at.step]), i);
    }
    sizes[threadIdx.x] = largest.size, places[threadIdx.x] = largest.at;
    join_threads(v, thread, [&](int one, int other) {
        largest.update(sizes[other], places[other]);
        sizes[one] = largest.size, places[one] = largest.at;
    });
    if (thread.exists && thread.k == 0) {
        v.sizes[thread.j * v.pieces + thread.piece] = largest.size;
        v.places[thread.j * v.pieces + thread.piece] = largest.at;
    }
}

enum class Step { FIRST, TURN, RAISE, LAST };

// One matrix per thread: updates its estimate by the results of all pieces.
template <class T, Step STEP>
__global__ void __launch_bounds__(ConditionVectors<T>::threads) gtcon_step(ConditionVectors<T> v) {
    using R = Real<T>;
    const int64_t j = int64_t(blockIdx.x) * ConditionVectors<T>::threads + threadIdx.x;
    if (j >= v.batch) return;
    const R *const sizes = v.sizes + j * v.pieces;
    Estimate<R> &estimate = v.estimates[j];
    if (STEP == Step::TURN) {
        Largest<R> largest;
        for (int64_t q = 0; q < v.pieces; ++q) largest.update(sizes[q], v.places[j * v.pieces + q]);
        const int64_t at = max(estimate.at, int64_t(0));
        turn_to(estimate, largest.size, largest.at, size_of(v.x[v.at.offset(at, j, 0)]));
        return;
    }
    R sum = 0;
    for (int64_t q = 0; q < v.pieces; ++q) sum += sizes[q];
    if (STEP == Step::FIRST) estimate = first_estimate(sum);
    if (STEP == Step::RAISE) raise(estimate, sum);
    if (STEP == Step::LAST) v.rcond[j] = reciprocal_condition(v.norms[j], final_estimate(estimate, sum, v.n));
}

}  // namespace xbatch::tridiagonal
