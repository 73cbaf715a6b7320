// pttrf_host.cpp: positive definite systems on the host, solved at once or by factors that are kept.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include "ldl_lanes_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// Factors that are kept
template <class T>
struct LdlFactors {
    FactorHeader *header;
    int64_t n;
    T *l;
    Real<T> *inverse;
    size_t bytes;

    LdlFactors(int64_t rows, int64_t sets, void *buffer) : n(rows) {
        Carver carver(buffer);
        header = carver.take<FactorHeader>(1);
        l = carver.take<T>(n, sets);
        inverse = carver.take<Real<T>>(n, sets);
        bytes = carver.bytes();
    }
    LdlTile<T> tile(int64_t offset, int64_t pitch, bool shared) const {
        return {n, pitch, shared, l + offset, inverse + offset};
    }
};

// 1 / det A of all lanes
template <class R>
XBATCH_SIMD_CLONES void invert_determinants(int lanes, int64_t rows, int64_t pitch, const R *inverse,
                                            Products<R> &products) {
    constexpr int64_t block = 1 << 10;
    for (int64_t begin = 0; begin < rows; begin += block) {
        for (int64_t i = begin; i < std::min(begin + block, rows); ++i) {
            const R *row = inverse + i * pitch;
#pragma omp simd
            for (int k = 0; k < lanes; ++k) multiply(row[k], products.mantissa[k], products.recent[k]);
        }
        products.fold(lanes);
    }
}

template <class T>
void factor_part(const PttrfProblem &p, const LdlTile<T> &tile, int64_t j, int lanes) {
    using R = Real<T>;
    RowNumber<T> first_bad[max_lanes<T>];
    factor_ldl(ldl_coefficients<T>(p.d, p.e, p.a_at, j, lanes), tile, first_bad);
    if (p.info)
        for (int k = 0; k < lanes; ++k) p.info[j + k] = info_of<T>(first_bad[k]);
    if (!p.logdet) return;
    Products<R> products(lanes);
    invert_determinants(lanes, tile.rows, tile.pitch, tile.inverse, products);
    for (int k = 0; k < lanes; ++k) {
        const R log = -log_of(products.mantissa[k], products.exponent[k]);
        static_cast<R *>(p.logdet)[j + k] = first_bad[k] == no_row<T> ? log : std::numeric_limits<R>::quiet_NaN();
    }
}

template <class T>
FactorScratch<T> scratch_for(const Context &context, const PttrsProblem &p, const Panels<T> &panels, void *workspace) {
    return {context, panels, p.layout == XBATCH_LAYOUT_INTERLEAVED ? 0 : p.n, workspace};
}

// Factors and right-hand sides, the factors as large as three arrays of reals
template <class T>
FactorScratch<T> scratch_for(const Context &context, const PtsvProblem &p, const Panels<T> &panels, void *workspace) {
    return {context, panels, (p.layout == XBATCH_LAYOUT_INTERLEAVED ? 2 : 3) * p.n, workspace};
}

}  // namespace

template <class T>
xbatchStatus_t pttrf_host(Context &context, const PttrfProblem &p, void *) {
    const LdlFactors<T> factors(p.n, p.batch, p.factors);
    const Panels<T> panels(p.layout, p.n, p.batch);
    *factors.header = {FactorHeader::ldl, type_of<T>, p.layout, p.n, p.batch};
    const int threads = int(std::min<int64_t>(thread_count(context), panels.count()));
#pragma omp parallel for schedule(static) num_threads(team_size(threads, p.n, p.batch))
    for (int64_t panel = 0; panel < panels.count(); ++panel)
        panels.for_each_part(panel, p.a_at, [&](int64_t j, int lanes) {
            factor_part(p, factors.tile(panels.offset(panel, j), panels.pitch(panel), false), j, lanes);
        });
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t pttrf_host_workspace(const Context &, const PttrfProblem &) {
    return 0;
}

template <class T>
size_t pttrf_host_factors(const Context &, const PttrfProblem &p) {
    return LdlFactors<T>(p.n, p.batch, nullptr).bytes;
}

template <class T>
xbatchStatus_t pttrs_host(Context &context, const PttrsProblem &p, void *workspace) {
    const Panels<T> panels(p.layout, p.n, p.batch);
    const FactorScratch<T> scratch = scratch_for(context, p, panels, workspace);
    const LdlFactors<T> factors(p.n, p.sets, const_cast<void *>(p.factors));  // which are only read
    const bool shared = p.sets == 1;
    T *b = static_cast<T *>(p.b);
#pragma omp parallel for schedule(static) num_threads(team_size(scratch.threads, p.n, p.batch))
    for (int64_t panel = 0; panel < panels.count(); ++panel)
        panels.for_each_part(panel, p.b_at, [&](int64_t j, int lanes) {
            const LdlTile<T> tile =
                factors.tile(shared ? 0 : panels.offset(panel, j), shared ? 1 : panels.pitch(panel), shared);
            for (int64_t r = 0; r < p.nrhs; ++r)
                solve_ldl(tile, b, system_lanes<T>(p.b_at, j, lanes, r), scratch.of(omp_get_thread_num()));
        });
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t pttrs_host_workspace(const Context &context, const PttrsProblem &p) {
    return scratch_for(context, p, Panels<T>(p.layout, p.n, p.batch), nullptr).bytes;
}

template <class T>
xbatchStatus_t ptsv_host(Context &context, const PtsvProblem &p, void *workspace) {
    const Panels<T> panels(p.layout, p.n, p.batch);
    const FactorScratch<T> scratch = scratch_for(context, p, panels, workspace);
    const int64_t array = p.n * panels.width();
    T *b = static_cast<T *>(p.b);
#pragma omp parallel for schedule(static) num_threads(team_size(scratch.threads, p.n, p.batch))
    for (int64_t panel = 0; panel < panels.count(); ++panel)
        panels.for_each_part(panel, p.b_at, [&](int64_t j, int lanes) {
            T *l = scratch.of(omp_get_thread_num());
            const LdlTile<T> tile{p.n, lanes, false, l, reinterpret_cast<Real<T> *>(l + array)};
            RowNumber<T> first_bad[max_lanes<T>];
            factor_ldl(ldl_coefficients<T>(p.d, p.e, p.a_at, j, lanes), tile, first_bad);
            for (int64_t r = 0; r < p.nrhs; ++r) {
                const Lanes<T> b_lanes = system_lanes<T>(p.b_at, j, lanes, r);
                solve_ldl(tile, b, b_lanes, l + 2 * array);
                if (p.info) note_solved(b, b_lanes, p.n, first_bad);
            }
            if (p.info)
                for (int k = 0; k < lanes; ++k) p.info[j + k] = info_of<T>(first_bad[k]);
        });
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t ptsv_host_workspace(const Context &context, const PtsvProblem &p) {
    return scratch_for(context, p, Panels<T>(p.layout, p.n, p.batch), nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(ptsv_host);
XBATCH_INSTANTIATE_BACKEND(pttrf_host);
XBATCH_INSTANTIATE_TYPES(pttrf_host_factors);
XBATCH_INSTANTIATE_BACKEND(pttrs_host);

}  // namespace xbatch::tridiagonal
