// register_factor.cuh: Householder elimination of a register tile by columns; near the ends of the range by scaled
// norms.
//
// Column k has the head alpha and x below it; another column has the head a_k, `head`, and g = x^H a. From alpha and
// x^H x householder.cuh finds beta, tau, sigma and ratio. Then w = conj(tau) a_k + ratio g, a_k -= w, a -= x sigma w.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "register_tile.cuh"

namespace xbatch::qr {

template <class T, class K>
__device__ __forceinline__ int RegisterTile<T, K>::factor_scaled(int height, int count, int own) {
    begin(height, own);
    int wrong = 0;
#pragma unroll 1
    for (int k = 0; k < count; ++k)
        if (!step_scaled(k) && wrong == 0 && k < own) wrong = k + 1;
    return wrong;
}

template <class T, class K>
__device__ void RegisterTile<T, K>::begin(int height, int own) {
    height_ = height, own_ = is_complex ? own : min(own, height - 1);  // a real matrix's last row needs none
    needs_scaling_ = false;
    sync();  // all lanes have read what was published before
    if (lane_row_ != 0) return;
#pragma unroll
    for (int c = 0; c < C; ++c) taus()[column(c)] = T(0), sigmas()[column(c)] = T(1);
}

// If several warps share a matrix, a lane's columns may end before its rows do.
template <class T, class K>
template <int S>
__device__ __forceinline__ void RegisterTile<T, K>::stage(int count) {
    if constexpr (EXACT) {
        constexpr int begin = S * together, slot = begin / most_across, head = begin / (D * chunk);
        if (AHEAD && begin == slot * most_across && column(slot) == begin && begin < count) publish<head>(begin, slot);
        columns_of<slot, head, true>(begin, min(count, begin + together));
    } else if constexpr (S == 0) {
        slots(min(count, chunk_rows()), std::make_integer_sequence<int, C>{});
    } else {
        columns_of<S * C / chunks, S, false>(S * chunk_rows(), min(count, (S + 1) * chunk_rows()));
    }
}
// UNIFORM_SIZE: separate code for each element of a chunk that may be the head
template <class T, class K>
template <int S, int P, bool SINGLE>
__device__ __forceinline__ void RegisterTile<T, K>::columns_of(int begin, int end) {
    constexpr int group = K::UNIFORM_SIZE && together > chunk ? chunk : 1;
#pragma unroll 1
    for (int k = begin; k < end; k += group)
        columns_from<S, P, SINGLE>(k, end, std::make_integer_sequence<int, group>{});
}
template <class T, class K>
template <int S, int P, bool SINGLE, int... N>
__device__ __forceinline__ void RegisterTile<T, K>::columns_from(int k, int end, std::integer_sequence<int, N...>) {
    constexpr int first = EXACT && (together == 1 || sizeof...(N) == chunk) ? S * most_across % chunk : -1;
    ((k + N < end ? step<S, P, first + N, SINGLE>(k + N) : void()), ...);
}

// Eliminates column k, in slot S of its lanes or, unless SINGLE, in S or a later one. Its head is in chunk P, element E
// if that is known.
template <class T, class K>
template <int S, int P, int E, bool SINGLE>
__device__ __forceinline__ void RegisterTile<T, K>::step(int k) {
    constexpr int at = P * chunk;
    const unsigned in_chunk = unsigned(k - P * chunk_rows());  // row of the head
    const int element = E < 0 ? int(in_chunk % chunk) : E;     // its element
    const int beyond = lane_row_ - int(in_chunk / chunk);      // 0: in this lane
    const T *const x = published(k);
    T g[C + 1], heads[C], v[rows];
    if constexpr (!ROW_LOCAL) {
#pragma unroll
        for (int c = S; c < (SINGLE ? S + 1 : C); ++c)
            if (!AHEAD && column(c) == k) publish<P>(k, c);
        if constexpr (K::TALL) publish_heads<S, at>(in_chunk);
        sync();
    }
    multiply_tail<S, P>(x, element, beyond, v, g);
#pragma unroll
    for (int c = S; c < C; ++c) heads[c] = head_of<at, E>(c, in_chunk);
    const T alpha = ROW_LOCAL ? heads[S] : x[k];
    sum_below<S>(g);
    const HouseholderScalars<T> found = householder(alpha, real_part(g[C]));
    const bool acts = is_reflected(k, alpha, real_part(g[C]));
    HouseholderScalars<T> h = found;
    if (!acts) h.ratio = R(0), h.tau = h.sigma = T(0);
#pragma unroll
    for (int e = 0; e < chunk; ++e)  // 1 / sigma at the head: v = sigma x
        v[at + e] = chosen(e == element && beyond == 0 && acts, alpha - T(found.beta), v[at + e]);
    const auto subtract_part = [&](int c) {
        const T w = fma_(conjugate(h.tau), heads[c], g[c] * h.ratio);
        T change = change_of(h, heads[c], g[c], w);
        if (c == S || !SINGLE) change = chosen(column(c) > k, change, T(0));
#pragma unroll
        for (int i = at; i < rows; ++i) a_[c][i] = fnma(v[i], change, a_[c][i]);
    };
#pragma unroll
    for (int c = S; c < (SINGLE ? S + 1 : C); ++c) {
        subtract_part(c);
        const bool is_owner = column(c) == k && acts;
        if (is_owner && lane_row_ == 0) taus()[k] = found.tau, sigmas()[k] = found.sigma;
#pragma unroll
        for (int e = 0; e < chunk; ++e)
            a_[c][at + e] = chosen(is_owner && e == element && beyond == 0, T(found.beta), a_[c][at + e]);
        if (AHEAD && column(c) == k + 1) publish<P>(k + 1, c);
    }
#pragma unroll
    for (int c = SINGLE ? S + 1 : C; c < C; ++c) subtract_part(c);
}
// v: the entries of column x below its head; g: their products with the lane's columns from slot S on, and in g[C] with
// themselves
template <class T, class K>
template <int S, int P>
__device__ __forceinline__ void RegisterTile<T, K>::multiply_tail(const T *x, int element, int beyond, T (&v)[rows],
                                                                  T (&g)[C + 1]) const {
#pragma unroll
    for (int c = S; c <= C; ++c) g[c] = T(0);
#pragma unroll
    for (int u = P; u < chunks; ++u) {
        Sixteen<T> y;
        if constexpr (!ROW_LOCAL) y = *reinterpret_cast<const Sixteen<T> *>(own_chunk(x, u));
#pragma unroll
        for (int e = 0; e < chunk; ++e) {
            const int i = u * chunk + e;
            v[i] = ROW_LOCAL ? a_[S][i] : y.x[e];
            if (u == P) v[i] = chosen(e <= element ? beyond > 0 : beyond >= 0, v[i], T(0));
            g[C] = T(real_part(g[C]) + inner(v[i], v[i]));
#pragma unroll
            for (int c = S; c < C; ++c) g[c] = fma_(conjugate(v[i]), a_[c][i], g[c]);
        }
    }
}
// Whether column k becomes a reflector: one of the first own_, and not a last row that is real already. Also records
// whether its norm is near the ends of the range.
template <class T, class K>
__device__ __forceinline__ bool RegisterTile<T, K>::is_reflected(int k, T alpha, R squares) {
    const bool is_last = is_complex && k == height_ - 1, is_kept = is_last && imaginary(alpha) == 0;
    const bool acts = (K::UNIFORM_SIZE || k < own_) && !is_kept;
    const R of_head = inner(alpha, alpha);
    needs_scaling_ |= acts & !in_safe_range(is_last ? of_head : squares, of_head + squares);
    return acts;
}

// The pivot row's element of slot c: in this lane, and from the lane that has it
template <class T, class K>
template <int AT, int E>
__device__ __forceinline__ T RegisterTile<T, K>::own_head(int c, unsigned in_chunk) const {
    if constexpr (E >= 0) return a_[c][AT + E];
    T x = a_[c][AT];
#pragma unroll
    for (int e = 1; e < chunk; ++e) x = chosen(in_chunk % chunk == e, a_[c][AT + e], x);
    return x;
}
template <class T, class K>
template <int AT, int E>
__device__ __forceinline__ T RegisterTile<T, K>::head_of(int c, unsigned in_chunk) const {
    if constexpr (K::TALL) return row_of_heads()[column(c)];
    const T x = own_head<AT, E>(c, in_chunk);
    return D > 1 ? from_lane(x, int(threadIdx.x) % 32 - lane_row_ % D + int(in_chunk / chunk % D)) : x;
}
template <class T, class K>
template <int S, int AT>
__device__ __forceinline__ void RegisterTile<T, K>::publish_heads(unsigned in_chunk) {
    if (lane_row_ != int(in_chunk / chunk)) return;
#pragma unroll
    for (int c = S; c < C; ++c) row_of_heads()[column(c)] = own_head<AT, -1>(c, in_chunk);
}

// Scales the vectors, v = sigma x. If a product with a column overflowed, its last row is not finite; the last diagonal
// entry, which was no head, is tested too.
template <class T, class K>
__device__ __forceinline__ void RegisterTile<T, K>::finish() {
    sync();
    if (K::matrices > 1 || height_ <= columns()) {
        const int last = max(height_ - 1, 0);
        needs_scaling_ |= is_nonfinite(broadcast(last)[last]);
    }
#pragma unroll
    for (int c = 0; c < C; ++c) needs_scaling_ |= is_nonfinite(a_[c][rows - 1]);
#pragma unroll
    for (int c = 0; c < C; ++c) {
        const T sigma = sigmas()[column(c)];
#pragma unroll
        for (int i = 0; i < rows; ++i) {
            T &a = a_[c][i];
            if (!EXACT || (i / chunk + 1) * D * chunk > c * most_across) a = chosen(row(i) > column(c), sigma * a, a);
        }
    }
}

// Eliminates column k by a scaled norm. Returns false if that is not finite.
template <class T, class K>
__device__ __forceinline__ bool RegisterTile<T, K>::step_scaled(int k) {
    const T *const x = broadcast(k);
    const T alpha = x[k];
    R most = 0, squares = 0;
    bool has_nan = false;
    for (int i = k + 1 + lane_row_ % D; i < height_; i += D) {
        const R size = magnitude(x[i]);
        has_nan = has_nan || !(size == size);
        most = size > most ? size : most;
    }
    for (int distance = 1; distance < D; distance *= 2) {
        const R other = __shfl_xor_sync(~0u, most, distance);
        most = other > most ? other : most;
        has_nan |= __shfl_xor_sync(~0u, int(has_nan), distance) != 0;
    }
    const ColumnScaling<R> scaling = scaling_for(most, has_nan, alpha);
    for (int i = k + 1 + lane_row_ % D; i < height_; i += D) {
        const T y = scaling.scaled(x[i]);
        squares += inner(y, y);
    }
    for (int distance = 1; distance < D; distance *= 2) squares += __shfl_xor_sync(~0u, squares, distance);
    HouseholderScalars<T> h = householder(scaling.scaled(alpha), squares);
    h.beta = scaling.unscaled(h.beta);
    if (k >= own_ || scaling.is_nothing) h = {real_part(alpha), R(0), T(0), T(0)};
    T v[rows];
    each_row(x, [&](int i, T y) { v[i] = as_vector(h.sigma * scaling.scaled(y), row(i), k); });
    subtract_outer(v, conjugate(h.tau), scaling.is_nothing || k >= own_ ? INT32_MAX : k + 1);
    each_element([&](int i, int c) {
        const T y = chosen(row(i) == k, T(h.beta), v[i]);
        a_[c][i] = chosen(column(c) == k && k < own_ && row(i) >= k, y, a_[c][i]);
    });
    if (lane_row_ == 0 && lane_column_ == k % across()) taus()[k] = h.tau;
    return is_finite(h.beta);
}

}  // namespace xbatch::qr
