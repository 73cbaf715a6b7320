// resident_panel.cuh: a panel of columns in registers, to which a warp applies the panels before it and which it
// factors.
//
// Left-looking: a matrix stays in shared memory, and each of its panels is loaded and stored once. Stage P of a panel
// is panel P: its reflectors are applied or, if it is the panel itself, found. Rows above the stage's first have no
// part, so that all indices of registers are constants. A lane's rows are chunks of 16 bytes: chunk u is the
// (u D + r)-th of the column.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/lanes.cuh"
#include "qr/common/householder.cuh"
#include "resident_memory.cuh"
#include "resident_scaled.cuh"

namespace xbatch::qr {

template <class T, class K, class Memory = ResidentMemory<T, K>>
class ResidentPanel {
public:
    using R = Real<T>;

    __device__ explicit ResidentPanel(const Memory &memory)
        : lane_(int(threadIdx.x) % 32),
          own_column_(lane_ % K::lanes / D),
          part_(lane_ % D),
          m_(memory.size(matrix_of_thread()).m),
          n_(memory.columns(matrix_of_thread())),
          own_steps_(memory.steps(matrix_of_thread())),
          steps_(memory.is_varying() ? __reduce_max_sync(~0u, own_steps_) : own_steps_),
          columns_(memory.is_varying() ? __reduce_max_sync(~0u, n_) : n_),
          data_(memory.matrix(matrix_of_thread())),
          taus_(memory.taus(matrix_of_thread())),
          panels_(memory.panels(int(threadIdx.x) / 32 / K::warps)) {}

    // Before any warp waits
    __device__ static void begin(const Memory &memory) {
        constexpr int threads = 32 * K::warps;  // of a group
        if constexpr (K::warps > 1)
            for (int p = int(threadIdx.x) % threads; p < K::stages; p += threads)
                memory.panels(int(threadIdx.x) / threads).begin(p, 32);
    }
    // Number of this thread's matrix in the block
    static __device__ int matrix_of_thread() {
        const int thread = int(threadIdx.x);
        return thread / 32 / K::warps * K::of_warp + thread % 32 / K::lanes;
    }

    // Returns whether a norm of this lane's matrix is near the ends of the range, or some result is not finite.
    __device__ __forceinline__ bool factor() {
        const int panels = (columns_ - 1) / B + 1;
#pragma unroll 1
        for (int p = int(threadIdx.x) / 32 % K::warps; p < panels; p += K::warps) {
            const int c = p * B + own_column_;
            read<0>(column(max(min(c, n_ - 1), 0)), a_);
            __syncwarp();
            stage<0>(p);
            // If a product with a column overflowed, the entries below it are not finite.
            needs_scaling_ |= c < n_ && is_nonfinite(a_[K::R - 1]);
            __syncwarp();
            if (c < n_) write<0>(column(c));
            finish(p);
        }
        return needs_scaling_;
    }

protected:
    static constexpr bool is_complex = sizeof(T) > sizeof(R);
    static constexpr int D = K::D, B = K::B, chunk = K::chunk;
    static constexpr int sums = is_complex || D > 2 ? 2 : 4;  // of a product, independent of each other

    // The first register of a stage, and the first one beyond the rows of its heads
    template <int P>
    static constexpr __host__ __device__ int first() {
        return P * B / (D * chunk) * chunk;
    }
    template <int P>
    static constexpr __host__ __device__ int below_heads() {
        const int end = first<P>() + (B / D > chunk ? B / D : chunk);
        return end < K::R ? end : K::R;
    }
    // Row of a register, counted from the stage's first row
    template <int P>
    __device__ int row(int i) const {
        return (i / chunk * D + part_) * chunk + i % chunk - P * B;
    }
    __device__ T *column(int c) const { return data_ + c * K::ld; }
    template <class X>
    __device__ X *own_chunk(X *column, int u) const {
        return column + (u * D + part_) * chunk;
    }
    template <int P>
    __device__ __forceinline__ void read(const T *column, T (&x)[K::R]) const {
#pragma unroll
        for (int u = first<P>() / chunk; u < K::chunks; ++u) {
            const Sixteen<T> y = *reinterpret_cast<const Sixteen<T> *>(own_chunk(column, u));
#pragma unroll
            for (int e = 0; e < chunk; ++e) x[u * chunk + e] = y.x[e];
        }
    }
    template <int P>
    __device__ __forceinline__ void write(T *column) const {
#pragma unroll
        for (int u = first<P>() / chunk; u < K::chunks; ++u) {
            Sixteen<T> y;
#pragma unroll
            for (int e = 0; e < chunk; ++e) y.x[e] = a_[u * chunk + e];
            *reinterpret_cast<Sixteen<T> *>(own_chunk(column, u)) = y;
        }
    }

    // Each panel that others read has a barrier of its own, at which all lanes of its warp arrive.
    __device__ __forceinline__ void wait_for(int panel) {
        if (K::warps == 1 || panel < done_) return;
        panels_.wait(panel, 0);
        done_ = panel + 1;
    }
    __device__ __forceinline__ void finish(int panel) {
        if (K::warps > 1 && panel < K::stages) panels_.arrive(panel);
        __syncwarp();
    }

    template <int P>
    __device__ __forceinline__ void stage(int p) {
        if (P * B >= steps_) return;
        if (P == p) return eliminate<P>();
        wait_for(P);
        apply<P>();
        if constexpr (P + 1 < K::stages) stage<P + 1>(p);
    }
    template <int P>
    __device__ __forceinline__ void apply();
    template <int P>
    __device__ __forceinline__ void eliminate();
    template <int P>
    __device__ __forceinline__ void eliminate_scaled();
    template <int P>
    __device__ __forceinline__ bool step(int j, T &tau, T &sigma);

    // x^H a from the stage's first row on, of this lane
    template <int P>
    __device__ __forceinline__ T product(const T (&x)[K::R]) const {
        T g[sums] = {};
#pragma unroll
        for (int i = first<P>(); i < K::R; ++i) g[i % sums] = fma_(conjugate(x[i]), a_[i], g[i % sums]);
#pragma unroll
        for (int s = 1; s < sums; ++s) g[0] = g[0] + g[s];
        return g[0];
    }
    template <int P>
    __device__ __forceinline__ R squares_of(const T (&x)[K::R]) const {
        R g[2] = {};
#pragma unroll
        for (int i = first<P>(); i < K::R; ++i) g[i % 2] += inner(x[i], x[i]);
        return g[0] + g[1];
    }
    // Over the lanes that share a column
    template <class X>
    static __device__ __forceinline__ X sum(X x) {
#pragma unroll
        for (int distance = 1; distance < D; distance *= 2) x = x + exchanged(x, distance);
        return x;
    }

    const int lane_, own_column_, part_, m_, n_, own_steps_;  // n_: with right-hand sides
    const int steps_, columns_;                               // the most of this warp's matrices
    T *const data_, *const taus_;
    const BlockBarriers panels_;
    int done_ = 0;  // panels known to be finished
    bool needs_scaling_ = false;
    bool is_scaled_ = false;  // of a packed panel that is factored again
    int wrong_ = 0;           // its first column whose norm is not finite
    T a_[K::R];
};

// a -= v conj(tau) v^H a for the reflectors of panel P
template <class T, class K, class Memory>
template <int P>
__device__ __forceinline__ void ResidentPanel<T, K, Memory>::apply() {
    const int count = min(B, steps_ - P * B);
#pragma unroll 1
    for (int j = 0; j < count; ++j) {
        T v[K::R];
        read<P>(data_ + K::template offset<P>(j), v);
#pragma unroll
        for (int i = first<P>(); i < below_heads<P>(); ++i)
            v[i] = chosen(row<P>(i) > j, v[i], T(R(row<P>(i) == j ? 1 : 0)));
        const T change = conjugate(taus_[P * B + j]) * sum(product<P>(v));
        if (K::may_vary && P * B + j >= own_steps_) continue;  // tau is zero, but zeros would get other signs
#pragma unroll
        for (int i = first<P>(); i < K::R; ++i) a_[i] = fnma(v[i], change, a_[i]);
    }
}

// Factors panel P. Vectors stay unscaled, v = sigma x, until the panel's end. Those of a packed matrix are stored
// here.
template <class T, class K, class Memory>
template <int P>
__device__ __forceinline__ void ResidentPanel<T, K, Memory>::eliminate() {
    const int count = min(B, steps_ - P * B);
    if constexpr (K::is_packed)
        if (is_scaled_) return eliminate_scaled<P>();
    T tau = T(R(0)), sigma = T(R(1));
#pragma unroll 1
    for (int j = 0; j < count; ++j) needs_scaling_ |= step<P>(j, tau, sigma);
#pragma unroll
    for (int i = first<P>(); i < K::R; ++i)
        if (i >= below_heads<P>())
            a_[i] = sigma * a_[i];
        else
            a_[i] = chosen(row<P>(i) > own_column_, sigma * a_[i], a_[i]);
    if (own_column_ < count && part_ == 0) taus_[P * B + own_column_] = tau;
    if constexpr (K::is_packed) {
        __syncwarp();
        write<P>(data_ + K::template offset<P>(own_column_));
    }
}

// Factors panel P of a packed matrix in shared memory with scaled norms.
template <class T, class K, class Memory>
template <int P>
__device__ __forceinline__ void ResidentPanel<T, K, Memory>::eliminate_scaled() {
    T *const own = data_ + K::template offset<P>(own_column_);
    __syncwarp();
    write<P>(own);
    __syncwarp();
    const int wrong = factor_scaled(data_ + K::template offset<P>(0) + P * B, K::template ld<P>(), m_ - P * B,
                                    min(B, n_ - P * B), min(B, min(m_, n_) - P * B), taus_ + P * B);
    if (wrong > 0) wrong_ = P * B + wrong;
    read<P>(own, a_);
    __syncwarp();
}

// Eliminates column j of panel P; notation and steps as in register_factor.cuh. Returns whether its norm needs scaling.
template <class T, class K, class Memory>
template <int P>
__device__ __forceinline__ bool ResidentPanel<T, K, Memory>::step(int j, T &tau, T &sigma) {
    constexpr int begin = first<P>(), end = below_heads<P>();
    const int k = P * B + j;
    T *const shared = data_ + K::template offset<P>(j);
    const bool is_owner = own_column_ == j && k < own_steps_;
    if (is_owner) write<P>(shared);
    __syncwarp();
    T x[K::R];
    read<P>(shared, x);
    const T alpha = shared[k];
    T head = a_[begin];
#pragma unroll
    for (int i = begin; i < end; ++i) {
        x[i] = chosen(row<P>(i) > j, x[i], T(R(0)));
        head = chosen(i == k / (chunk * D) * chunk + k % chunk, a_[i], head);
    }
    const T g = sum(product<P>(x));
    R squares;
    if constexpr (D == 1) {
        squares = __shfl_sync(~0u, real_part(g), lane_ - own_column_ + j);
    } else {
        squares = sum(squares_of<P>(x));
        head = from_lane(head, lane_ - part_ + k / chunk % D);
    }
    HouseholderScalars<T> h = householder(alpha, squares);
    const bool is_last = is_complex && k == m_ - 1, acts = !(is_last && imaginary(alpha) == 0);
    const R of_head = inner(alpha, alpha);
    if (!acts) h = {real_part(alpha), R(0), T(R(0)), T(R(0))};
    const T w = fma_(conjugate(h.tau), head, g * h.ratio);
    const bool is_later = own_column_ > j && k < own_steps_;
    const T change = chosen(is_later, change_of(h, head, g, w), T(R(0)));
    const T new_head = chosen(is_owner, T(h.beta), chosen(is_later, head - w, head));
    if (!K::may_vary || k < own_steps_) {
#pragma unroll
        for (int i = begin; i < K::R; ++i) a_[i] = fnma(x[i], change, a_[i]);
    }
#pragma unroll
    for (int i = begin; i < end; ++i) a_[i] = chosen(row<P>(i) == j, new_head, a_[i]);
    tau = chosen(is_owner, h.tau, tau), sigma = chosen(is_owner, h.sigma, sigma);
    return (k < own_steps_) & acts & !in_safe_range(is_last ? of_head : squares, of_head + squares);
}

}  // namespace xbatch::qr
