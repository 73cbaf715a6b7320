// pttrf_host.cpp: positive definite systems on the host, solved at once or by stored factors.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include "ldl_lanes_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// Stored factors
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

// For factor_once_host.hpp
template <class T>
struct Ldl {
    static constexpr int64_t elements = 2, elements_at_once = 2;
    struct Tile : LdlTile<T> {
        Tile(T *buffer, int64_t rows, int64_t lanes)
            : LdlTile<T>{rows, lanes, false, buffer, reinterpret_cast<Real<T> *>(buffer + rows * lanes)} {}
        Tile shared_by(int64_t lane) const {
            Tile tile = *this;
            tile.l += lane, tile.inverse += lane, tile.shared = true;
            return tile;
        }
    };
    static void factor(const PtsvProblem &p, int64_t j, int lanes, const Tile &tile, RowNumber<T> *first_bad) {
        factor_ldl<T>(ldl_coefficients<T>(p.d, p.e, p.a_at, j, lanes), tile, first_bad);
    }
    static void solve(const PtsvProblem &p, const Tile &tile, const Lanes<T> &lanes, T *y) {
        solve_ldl<T>(tile, static_cast<T *>(p.b), lanes, y);
    }
    static void solve_at_once(const PtsvProblem &p, int64_t j, const Lanes<T> &lanes, T *scratch, T *y,
                              RowNumber<T> *first_bad) {
        const Tile tile(scratch, p.n, lanes.count);
        factor(p, j, lanes.count, tile, first_bad);
        solve(p, tile, lanes, y);
    }
};

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
    const LdlFactors<T> factors(p.n, p.sets, const_cast<void *>(p.factors));  // read only
    T *b = static_cast<T *>(p.b);
    solve_stored<T>(context, p, 1, workspace,
                    [&](int64_t offset, int64_t pitch, bool shared, const Lanes<T> &lanes, T *y, int64_t, int64_t) {
                        solve_ldl(factors.tile(offset, pitch, shared), b, lanes, y);
                    });
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t pttrs_host_workspace(const Context &context, const PttrsProblem &p) {
    return stored_bytes<T>(context, p, 1);
}

template <class T>
xbatchStatus_t ptsv_host(Context &context, const PtsvProblem &p, void *workspace) {
    solve_batch<Ldl<T>, T>(context, p, workspace);
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t ptsv_host_workspace(const Context &context, const PtsvProblem &p) {
    return batch_bytes<Ldl<T>, T>(context, p);
}

XBATCH_INSTANTIATE_BACKEND(ptsv_host);
XBATCH_INSTANTIATE_BACKEND(pttrf_host);
XBATCH_INSTANTIATE_TYPES(pttrf_host_factors);
XBATCH_INSTANTIATE_BACKEND(pttrs_host);

}  // namespace xbatch::tridiagonal
