// gels_scaling.hpp: least squares near the ends of a type's range: A and B are scaled by powers of two where LAPACK's
// gels scales them, and X is scaled back.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/scalar.hpp"

namespace xbatch::qr {

// Bits of |x|, for a complex number of the larger part: ordered as these values; NaN is greater than all of them.
template <class R>
using SizeBits = typename BitsOf<R>::type::Word;
template <class R>
XBATCH_HD SizeBits<R> size_bits(R x) {
    return word_of(magnitude(x));
}
template <class R>
XBATCH_HD SizeBits<R> size_bits(Complex<R> x) {
    const SizeBits<R> re = size_bits(x.re), im = size_bits(x.im);
    return re > im ? re : im;
}

// The exponent of the power of two that scales a matrix whose largest entry has this size
template <class R>
XBATCH_HD int scaling_exponent(SizeBits<R> bits) {
    using L = std::numeric_limits<R>;
    constexpr int limit = 2 - L::min_exponent - L::digits;  // eps / min is 2^limit
    const R largest = real_of(bits);
    if (largest == 0 || !(largest <= L::max())) return 0;
    const int e = ilogb(largest);
    return e < -limit ? -limit - e : e > limit ? limit - e : 0;
}

// A' = 2^a A, B' = 2^b B; the exponents that scale the rows of the result back to those of A and B
struct LeastSquaresScaling {
    int a, b;

    XBATCH_HD int of_solution() const { return a - b; }
    XBATCH_HD int of_residual() const { return -b; }
};

// |e| may be up to twice the exponents above
template <class T>
XBATCH_HD T times_power_of_two(T x, int e) {
    const int half = e / 2;
    return x * power_of_two<Real<T>>(half) * power_of_two<Real<T>>(e - half);
}

// The exponent for a matrix on the host, and the scaling of that matrix
template <class T>
int scaling_exponent_of(const T *a, int64_t lda, int64_t rows, int64_t columns) {
    SizeBits<Real<T>> most = 0;
    for (int64_t c = 0; c < columns; ++c)
        for (int64_t r = 0; r < rows; ++r) most = std::max(most, size_bits(a[c * lda + r]));
    return scaling_exponent<Real<T>>(most);
}
template <class T>
void scale_matrix(int exponent, T *a, int64_t lda, int64_t rows, int64_t columns) {
    if (exponent == 0) return;
    for (int64_t c = 0; c < columns; ++c)
        for (int64_t r = 0; r < rows; ++r) a[c * lda + r] = times_power_of_two(a[c * lda + r], exponent);
}

// Whether a matrix on the host holds no Inf or NaN
template <class T>
bool is_finite_matrix(const T *a, int64_t lda, int64_t rows, int64_t columns) {
    for (int64_t c = 0; c < columns; ++c)
        for (int64_t r = 0; r < rows; ++r)
            if (!is_finite(a[c * lda + r])) return false;
    return true;
}

}  // namespace xbatch::qr
