// hines_stream_host.hpp: elimination of rows whose state does not fit a cache, on machines with 64-byte vectors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/instruction_set.hpp"
#include "core/lanes_host.hpp"

#ifdef XBATCH_HAS_CLONES
#include <immintrin.h>
#endif

namespace xbatch::hines {

#ifdef XBATCH_HAS_CLONES
#define XBATCH_WIDE_VECTORS __attribute__((target("arch=x86-64-v4")))

template <class T>
constexpr bool can_stream = std::is_same_v<T, Real<T>>;

XBATCH_WIDE_VECTORS inline __m512 load_vector(const float *p) { return _mm512_loadu_ps(p); }
XBATCH_WIDE_VECTORS inline __m512d load_vector(const double *p) { return _mm512_loadu_pd(p); }
XBATCH_WIDE_VECTORS inline void store_vector(float *p, __m512 v) { _mm512_storeu_ps(p, v); }
XBATCH_WIDE_VECTORS inline void store_vector(double *p, __m512d v) { _mm512_storeu_pd(p, v); }
XBATCH_WIDE_VECTORS inline void stream_vector(float *p, __m512 v) { _mm512_stream_ps(p, v); }
XBATCH_WIDE_VECTORS inline void stream_vector(double *p, __m512d v) { _mm512_stream_pd(p, v); }
XBATCH_WIDE_VECTORS inline __m512 reciprocals(__m512 v) { return _mm512_set1_ps(1) / v; }
XBATCH_WIDE_VECTORS inline __m512d reciprocals(__m512d v) { return _mm512_set1_pd(1) / v; }

// The whole vectors of a row as by eliminate_row() of hines_host.cpp, but c, at a multiple of 64 bytes, is stored past
// the caches: a normal store of a line that is in no cache loads it first.
template <class T>
__attribute__((noinline)) XBATCH_WIDE_VECTORS void eliminate_vectors(int lanes, const T *upper, const T *lower,
                                                                     const T *pivot, const T *parent_d, T *c, T *g,
                                                                     T *parent_pivot, T *parent_b) {
    for (int l = 0; l < lanes; l += int(simd_lanes<T>)) {
        const auto u = load_vector(upper + l), inverse = reciprocals(load_vector(pivot + l));
        const auto c_i = load_vector(lower + l) * inverse, g_i = load_vector(g + l) * inverse;
        const auto d_p = load_vector(parent_d + l) - u * c_i, b_p = load_vector(parent_b + l) - u * g_i;
        stream_vector(c + l, c_i);
        store_vector(g + l, g_i);
        store_vector(parent_pivot + l, d_p);
        store_vector(parent_b + l, b_p);
    }
}

inline bool machine_streams() {
    static const bool is_wide = x86_64_generation() == 4;
    return is_wide;
}
// To be called before another thread may use the memory
inline void end_streams() { _mm_sfence(); }
#else
template <class T>
constexpr bool can_stream = false;
inline bool machine_streams() { return false; }
inline void end_streams() {}
#endif

}  // namespace xbatch::hines
