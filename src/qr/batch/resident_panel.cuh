// resident_panel.cuh: a panel of columns in registers, to which a warp applies the panels before it and which it
// factors.
//
// Left-looking: a matrix stays in shared memory, and each of its panels is loaded and stored once. Stage P of a panel
// is panel P: its reflectors are applied or, if it is the panel itself, found. Rows above the stage's first have no
// part, so that all indices of registers are constants. A lane's rows are chunks of 16 bytes: chunk u is the
// (u D + r)-th of the column. Its columns are every A-th: column t A + a of the panel is its t-th. All of them use an
// entry of a reflector that is read once.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/lanes.cuh"
#include "panel_mma.cuh"
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
            each_column(p, [&](int c, T(&a)[K::R]) { read<0>(column(max(min(c, n_ - 1), 0)), a); });
            __syncwarp();
            apply_panels<0>(p);
            eliminate_panel<0>(p);
            // If a product with a column overflowed, the entries below it are not finite.
            each_column(p, [&](int c, T(&a)[K::R]) { needs_scaling_ |= c < n_ && is_nonfinite(a[K::R - 1]); });
            __syncwarp();
            each_column(p, [&](int c, T(&a)[K::R]) {
                if (c < n_) write<0>(column(c), a);
            });
            finish(p);
        }
        return needs_scaling_;
    }

protected:
    static constexpr bool is_complex = sizeof(T) > sizeof(R);
    static constexpr int D = K::D, A = K::A, C = K::C, B = K::B, chunk = K::chunk;
    // Sums of a product, independent of each other
    static constexpr int sums = K::is_long ? 4 : is_complex || D > 2 || C > 1 ? 2 : 4;

    // f(column, its rows) for this lane's columns of panel p
    template <class F>
    __device__ __forceinline__ void each_column(int p, F f) {
#pragma unroll
        for (int t = 0; t < C; ++t) f(p * B + t * A + own_column_, a_[t]);
    }
    // The first register of a stage from the lanes' column S on, and the first one beyond the rows of the heads of
    // `columns` columns
    template <int P, int S = 0>
    static constexpr __host__ __device__ int first() {
        return (P * B + S * A) / (D * chunk) * chunk;
    }
    template <int P, int S = 0>
    static constexpr __host__ __device__ int below_heads(int columns = B) {
        const int end = (P * B + S * A + columns - 1) / (D * chunk) * chunk + chunk;
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
    template <int P, int S = 0>
    __device__ __forceinline__ void read(const T *column, T (&x)[K::R]) const {
#pragma unroll
        for (int u = first<P, S>() / chunk; u < K::chunks; ++u) {
            const Sixteen<T> y = *reinterpret_cast<const Sixteen<T> *>(own_chunk(column, u));
#pragma unroll
            for (int e = 0; e < chunk; ++e) x[u * chunk + e] = y.x[e];
        }
    }
    template <int P, int S = 0>
    __device__ __forceinline__ void write(T *column, const T (&x)[K::R]) const {
#pragma unroll
        for (int u = first<P, S>() / chunk; u < K::chunks; ++u) {
            Sixteen<T> y;
#pragma unroll
            for (int e = 0; e < chunk; ++e) y.x[e] = x[u * chunk + e];
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

    // The panels before panel p, from the P-th on
    template <int P>
    __device__ __forceinline__ void apply_panels(int p) {
        if (P == p || P * B >= steps_) return;
        wait_for(P);
        apply<P>();
        if constexpr (P + 1 < K::stages) apply_panels<P + 1>(p);
    }
    template <int P>
    __device__ __forceinline__ void eliminate_panel(int p) {
        if (P * B >= steps_) return;
        if (P == p) return eliminate<P>();
        if constexpr (P + 1 < K::stages) eliminate_panel<P + 1>(p);
    }
    template <int P>
    __device__ __forceinline__ void apply();
    template <int P>
    __device__ __forceinline__ void eliminate();
    template <int P>
    __device__ __forceinline__ void store_vectors(int count);
    template <int P>
    __device__ __forceinline__ void eliminate_scaled();
    template <int P, int S>
    __device__ __forceinline__ void eliminate_columns(int count);
    template <int P, int S>
    __device__ __forceinline__ bool step(int j, T &tau, T &sigma);

    // Whether nobody reads a panel's vectors, so that it can have the place of the first one's
    __device__ bool is_last(int panel) const { return panel >= K::warps && (panel + 1) * B >= columns_; }
    // Where column j of panel P is exchanged
    template <int P>
    __device__ T *place(int j) const {
        T *const at = data_ + K::template offset<P>(j);
        if constexpr (K::ends_at_first)
            if (is_last(P)) return at - K::template begin<P>();
        return at;
    }
    // Of panel P, as panel_mma.cuh has it
    template <int P>
    __device__ T *block() const {
        return data_ + K::template offset<P>(0) + first<P>() * D;
    }
    // The vector of panel P's j-th reflector: 1 in row j, and 0 above it, where its column has entries of R
    template <int P>
    __device__ __forceinline__ void set_head(T (&v)[K::R], int j) const {
#pragma unroll
        for (int i = first<P>(); i < below_heads<P>(); ++i)
            v[i] = chosen(row<P>(i) > j, v[i], T(R(row<P>(i) == j ? 1 : 0)));
    }
    // x^H a from the stage's first row on, for this lane's columns from S on; summed over the lanes that share a column
    template <int P, int S>
    __device__ __forceinline__ void products(const T (&x)[K::R], T (&g)[C]) const {
#pragma unroll
        for (int t = S; t < C; ++t) {
            T part[sums] = {};
#pragma unroll
            for (int i = first<P, S>(); i < K::R; ++i) part[i % sums] = fma_(conjugate(x[i]), a_[t][i], part[i % sums]);
#pragma unroll
            for (int s = 1; s < sums; ++s) part[0] = part[0] + part[s];
            g[t] = part[0];
        }
#pragma unroll
        for (int distance = 1; distance < D; distance *= 2)
#pragma unroll
            for (int t = S; t < C; ++t) g[t] = g[t] + exchanged(g[t], distance);
    }

    const int lane_, own_column_, part_, m_, n_, own_steps_;  // n_: with right-hand sides
    const int steps_, columns_;                               // the most of this warp's matrices
    T *const data_, *const taus_;
    const BlockBarriers panels_;
    int done_ = 0;  // panels known to be finished
    bool needs_scaling_ = false;
    bool is_scaled_ = false;  // of a packed panel that is factored again
    int wrong_ = 0;           // its first column whose norm is not finite
    T a_[C][K::R];
};

// a -= v conj(tau) v^H a for the reflectors of panel P
template <class T, class K, class Memory>
template <int P>
__device__ __forceinline__ void ResidentPanel<T, K, Memory>::apply() {
    if constexpr (K::is_by_mma) {
        apply_block<first<P>()>(a_[0], block<P>(), K::template ld<P>());
        return;
    }
    const int count = min(B, steps_ - P * B);
#pragma unroll 1
    for (int j = 0; j < count; ++j) {
        T v[K::R], g[C];
        read<P>(data_ + K::template offset<P>(j), v);
        if constexpr (!K::is_packed) set_head<P>(v, j);
        products<P, 0>(v, g);
        const T tau = conjugate(taus_[P * B + j]);
        if (K::may_vary && P * B + j >= own_steps_) continue;  // tau is zero, but zeros would get other signs
#pragma unroll
        for (int t = 0; t < C; ++t) {
            const T change = tau * g[t];
#pragma unroll
            for (int i = first<P>(); i < K::R; ++i) a_[t][i] = fnma(v[i], change, a_[t][i]);
        }
    }
}

// Factors panel P. Vectors stay unscaled, v = sigma x, until the A columns that the lanes hold as the S-th are
// eliminated. Those of a packed matrix are stored here, for later panels.
template <class T, class K, class Memory>
template <int P>
__device__ __forceinline__ void ResidentPanel<T, K, Memory>::eliminate() {
    const int count = min(B, steps_ - P * B);
    if constexpr (K::is_packed) {
        if (is_scaled_)
            eliminate_scaled<P>();
        else
            eliminate_columns<P, 0>(count);
        if (K::stages == 1 || (P + 1) * B >= columns_) return;  // nobody reads the vectors
        __syncwarp();
        store_vectors<P>(count);
    } else {
        eliminate_columns<P, 0>(count);
    }
}
// Those of panel P in registers, of which `count` are reflectors
template <class T, class K, class Memory>
template <int P>
__device__ __forceinline__ void ResidentPanel<T, K, Memory>::store_vectors(int count) {
#pragma unroll
    for (int t = 0; t < C; ++t) {
        const int own = t * A + own_column_;
        T v[K::R];
#pragma unroll
        for (int i = first<P>(); i < K::R; ++i) v[i] = a_[t][i];
        set_head<P>(v, own);
        if constexpr (K::is_by_mma) {
#pragma unroll
            for (int i = first<P>(); i < K::R && !K::is_long; ++i) v[i] = chosen(own < count, v[i], T(R(0)));
            store_block<first<P>()>(v, taus_ + P * B, count, block<P>(), K::template ld<P>());
        } else {
            write<P>(data_ + K::template offset<P>(own), v);
        }
    }
}
template <class T, class K, class Memory>
template <int P, int S>
__device__ __forceinline__ void ResidentPanel<T, K, Memory>::eliminate_columns(int count) {
    constexpr int begin = S * A;
    const int own = begin + own_column_;
    T tau = T(R(0)), sigma = T(R(1));
#pragma unroll 1
    for (int j = begin; j < min(begin + A, count); ++j) needs_scaling_ |= step<P, S>(j, tau, sigma);
#pragma unroll
    for (int i = first<P, S>(); i < K::R; ++i)
        if (i >= below_heads<P, S>(A))
            a_[S][i] = sigma * a_[S][i];
        else
            a_[S][i] = chosen(row<P>(i) > own, sigma * a_[S][i], a_[S][i]);
    if (own < count && part_ == 0) taus_[P * B + own] = tau;
    if constexpr (S + 1 < C) eliminate_columns<P, S + 1>(count);
}

// Factors panel P of a packed matrix in shared memory with scaled norms.
template <class T, class K, class Memory>
template <int P>
__device__ __forceinline__ void ResidentPanel<T, K, Memory>::eliminate_scaled() {
    T *const own = place<P>(own_column_);
    constexpr int apart = A * K::template ld<P>();
    __syncwarp();
#pragma unroll
    for (int t = 0; t < C; ++t) write<P>(own + t * apart, a_[t]);
    __syncwarp();
    const int diagonals = own_steps_ + (own_steps_ == m_ - 1 && n_ >= m_);  // with that of the last row
    const int wrong = factor_scaled(place<P>(0) + P * B, K::template ld<P>(), m_ - P * B, min(B, n_ - P * B),
                                    min(B, diagonals - P * B), taus_ + P * B);
    if (wrong > 0) wrong_ = P * B + wrong;
#pragma unroll
    for (int t = 0; t < C; ++t) read<P>(own + t * apart, a_[t]);
    __syncwarp();
}

// Eliminates column j of panel P, one of those which the lanes hold as the S-th; notation and steps as in
// register_factor.cuh. Returns whether its norm needs scaling.
template <class T, class K, class Memory>
template <int P, int S>
__device__ __forceinline__ bool ResidentPanel<T, K, Memory>::step(int j, T &tau, T &sigma) {
    constexpr int begin = first<P, S>(), end = below_heads<P, S>(A);
    const int k = P * B + j, owner = j - S * A;
    T *const shared = place<P>(j);
    const bool acts_on = K::is_by_mma || k < own_steps_, is_owner = own_column_ == owner && acts_on;
    if (is_owner) write<P, S>(shared, a_[S]);
    __syncwarp();
    T x[K::R], g[C], head[C];
    read<P, S>(shared, x);
    const T alpha = shared[k];
#pragma unroll
    for (int i = begin; i < end; ++i) x[i] = chosen(row<P>(i) > j, x[i], T(R(0)));
    products<P, S>(x, g);
#pragma unroll
    for (int t = S; t < C; ++t) {
        head[t] = a_[t][begin];
#pragma unroll
        for (int i = begin + 1; i < end; ++i)
            head[t] = chosen(i == k / (chunk * D) * chunk + k % chunk, a_[t][i], head[t]);
        if constexpr (D > 1) head[t] = from_lane(head[t], lane_ - part_ + k / chunk % D);
    }
    const R squares = __shfl_sync(~0u, real_part(g[S]), lane_ + (owner - own_column_) * D);
    HouseholderScalars<T> h = householder(alpha, squares);
    const bool is_last = is_complex && k == m_ - 1, acts = !(is_last && imaginary(alpha) == 0);
    const R of_head = inner(alpha, alpha);
    if (!acts || !acts_on) h = {real_part(alpha), R(0), T(R(0)), T(R(0))};
    const T top = alpha - T(h.beta);
    if constexpr (K::is_long) {  // again, since registers have no room for it
        __syncwarp();
        read<P, S>(shared, x);
#pragma unroll
        for (int i = begin; i < end; ++i) x[i] = chosen(row<P>(i) > j, x[i], T(R(0)));
    }
#pragma unroll
    for (int i = begin; i < end; ++i) x[i] = chosen(row<P>(i) == j, top, x[i]);
#pragma unroll
    for (int t = S; t < C; ++t) {
        const T w = fma_(conjugate(h.tau), head[t], g[t] * h.ratio);
        T change = change_of(h, head[t], g[t], w);
        if (t == S) change = chosen(own_column_ > owner, change, T(R(0)));
        if (!K::may_vary || acts_on) {
#pragma unroll
            for (int i = begin; i < K::R; ++i) a_[t][i] = fnma(x[i], change, a_[t][i]);
        }
    }
#pragma unroll
    for (int i = begin; i < end; ++i) a_[S][i] = chosen(row<P>(i) == j && is_owner, T(h.beta), a_[S][i]);
    tau = chosen(is_owner, h.tau, tau), sigma = chosen(is_owner, h.sigma, sigma);
    return acts_on & acts & !in_safe_range(is_last ? of_head : squares, of_head + squares);
}

}  // namespace xbatch::qr
