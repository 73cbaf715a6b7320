// gttrf_host.cpp: stored LU factors, norms, determinants on the host: SIMD lanes over matrices, threads over panels.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include "factor_lanes_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// One lane of one row of 1 / det A
template <class T>
inline void multiply_pivot(const T &inverse, int16_t word, T &mantissa, Exponent<Real<T>> &exponent) {
    multiply(inverse, mantissa, exponent);
    mantissa = select(word & 1, -mantissa, mantissa);
    exponent -= Exponent<Real<T>>(word >> 1);
}

template <class T>
XBATCH_SIMD_CLONES void invert_determinants(int lanes, const LuTile<T> &tile, Products<T> &products) {
    constexpr int64_t block = 1 << 10;
    for (int64_t begin = 0; begin < tile.rows; begin += block) {
        for (int64_t i = begin; i < std::min(begin + block, tile.rows); ++i) {
            const T *inverse = tile.inverse + i * tile.pitch;
            const int16_t *words = tile.words + i * tile.pitch;
#pragma omp simd
            for (int k = 0; k < lanes; ++k)
                multiply_pivot(inverse[k], words[k], products.mantissa[k], products.recent[k]);
        }
        products.fold(lanes);
    }
}

inline float unit_of(float a) { return std::copysign(1.0f, a); }
inline double unit_of(double a) { return std::copysign(1.0, a); }
template <class R>
inline Complex<R> unit_of(Complex<R> a) {  // of 1 / a
    const R size = modulus(a);
    return {a.re / size, -a.im / size};
}

// Determinants of the matrices from j on
template <class T>
void report_determinants(const GttrfProblem &p, int64_t j, int lanes, const LuTile<T> &tile, const BadPivots<T> &bad) {
    using R = Real<T>;
    constexpr R nan = std::numeric_limits<R>::quiet_NaN(), infinity = std::numeric_limits<R>::infinity();
    Products<T> products(lanes);
    invert_determinants(lanes, tile, products);
    for (int k = 0; k < lanes; ++k) {
        const bool is_bad = bad.first_bad[k] != no_row<T>, is_finite = bad.first_infinite[k] > bad.first_bad[k];
        const T mantissa = products.mantissa[k];
        const R log = -log_of(modulus(mantissa), products.exponent[k]);
        if (p.logdet) static_cast<R *>(p.logdet)[j + k] = !is_bad ? log : is_finite ? -infinity : nan;
        if (p.sign) static_cast<T *>(p.sign)[j + k] = !is_bad ? unit_of(mantissa) : T(is_finite ? R(0) : nan);
    }
}

template <class T>
void factor_part(const GttrfProblem &p, const LuFactors<T> &factors, const Panels<T> &panels, int64_t panel, int64_t j,
                 int lanes) {
    const Coefficients<T> a{p.n, static_cast<const T *>(p.dl), static_cast<const T *>(p.d),
                            static_cast<const T *>(p.du), system_lanes<T>(p.a_at, j, lanes, 0)};
    const LuTile<T> tile = factors.tile(panels.offset(panel, j), panels.pitch(panel), false);
    BadPivots<T> bad;
    Norms<T> norms;
    factor_lu(a, tile, bad, &norms);
    for (int k = 0; k < lanes; ++k) {
        const bool is_bad = bad.first_bad[k] != no_row<T>;
        const Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
        factors.norms[XBATCH_NORM_ONE][j + k] = is_bad ? nan : norms.one[k];
        factors.norms[XBATCH_NORM_INF][j + k] = is_bad ? nan : norms.inf[k];
        if (p.info) p.info[j + k] = info_of<T>(bad.first_bad[k]);
    }
    if (p.logdet || p.sign) report_determinants(p, j, lanes, tile, bad);
}

}  // namespace

template <class T>
xbatchStatus_t gttrf_host(Context &context, const GttrfProblem &p, void *) {
    const LuFactors<T> factors(p.n, p.batch, p.factors);
    const Panels<T> panels(p.layout, p.n, p.batch);
    *factors.header = {FactorHeader::lu, type_of<T>, p.layout, p.n, p.batch};
    const int threads = int(std::min<int64_t>(thread_count(context), panels.count()));
#pragma omp parallel for schedule(static) num_threads(team_size(threads, p.n, p.batch))
    for (int64_t panel = 0; panel < panels.count(); ++panel)
        panels.for_each_part(panel, p.a_at,
                             [&](int64_t j, int lanes) { factor_part(p, factors, panels, panel, j, lanes); });
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t gttrf_host_workspace(const Context &, const GttrfProblem &) {
    return 0;
}

template <class T>
size_t gttrf_host_factors(const Context &, const GttrfProblem &p) {
    return LuFactors<T>(p.n, p.batch, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(gttrf_host);
XBATCH_INSTANTIATE_TYPES(gttrf_host_factors);

}  // namespace xbatch::tridiagonal
