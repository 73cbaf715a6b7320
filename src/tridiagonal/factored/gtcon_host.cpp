// gtcon_host.cpp: condition estimates from LU factors on the host; the vectors of a panel are in a thread's scratch.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include "core/condition.hpp"
#include "factor_lanes_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// One vector for each lane of a panel
template <class T>
struct Vectors {
    T *x;  // [rows][lanes]
    int64_t rows;
    Lanes<T> lanes;

    T *row(int64_t i) const { return x + i * lanes.count; }
};

template <class T>
struct Sizes {
    alignas(64) Real<T> sum[max_lanes<T>];  // ||x||_1
    alignas(64) Real<T> largest[max_lanes<T>];
    alignas(64) int64_t largest_at[max_lanes<T>];  // the first row with it
};

template <class T>
inline void add_size(T &x, Real<T> &sum) {
    sum += size_of(x);
    x = sign_of(x);
}

// ||x||_1 of each lane; replaces x by its signs.
template <class T>
XBATCH_SIMD_CLONES void sum_and_take_signs(const Vectors<T> &v, Sizes<T> &sizes) {
    const int lanes = v.lanes.count;
    std::fill_n(sizes.sum, lanes, Real<T>(0));
    for (int64_t i = 0; i < v.rows; ++i) {
        T *x = v.row(i);
#pragma omp simd
        for (int k = 0; k < lanes; ++k) add_size(x[k], sizes.sum[k]);
    }
}

template <class T>
inline void find_largest(const T &x, int64_t i, Real<T> &largest, int64_t &largest_at) {
    const Real<T> size = size_of(x);
    const bool is_larger = size > largest;
    largest = is_larger ? size : largest;
    largest_at = is_larger ? i : largest_at;
}

template <class T>
XBATCH_SIMD_CLONES void find_largest_rows(const Vectors<T> &v, Sizes<T> &sizes) {
    const int lanes = v.lanes.count;
    std::fill_n(sizes.largest, lanes, Real<T>(-1)), std::fill_n(sizes.largest_at, lanes, int64_t(0));
    for (int64_t i = 0; i < v.rows; ++i) {
        const T *x = v.row(i);
#pragma omp simd
        for (int k = 0; k < lanes; ++k) find_largest(x[k], i, sizes.largest[k], sizes.largest_at[k]);
    }
}

// Sets every entry of row i to entry(i).
template <class T, class Entry>
void fill(const Vectors<T> &v, Entry entry) {
    for (int64_t i = 0; i < v.rows; ++i) std::fill_n(v.row(i), v.lanes.count, T(entry(i)));
}

// ||A^-1||_1 of each lane, or of A^H where `adjoint`
template <class T>
void estimate_inverses(const LuTile<T> &tile, bool adjoint, const Vectors<T> &v, Real<T> *norms) {
    using R = Real<T>;
    const int lanes = v.lanes.count;
    const auto solve = [&](bool other) {
        solve_lu<T>(tile, other != adjoint ? XBATCH_OP_C : XBATCH_OP_N, v.x, v.lanes, nullptr);
    };
    Sizes<T> sizes;
    Estimate<R> estimates[max_lanes<T>];
    const auto all_frozen = [&] {
        return std::all_of(estimates, estimates + lanes, [](const Estimate<R> &e) { return e.frozen; });
    };

    fill(v, [&](int64_t) { return first_entry<R>(v.rows); });
    solve(false);
    sum_and_take_signs(v, sizes);
    for (int k = 0; k < lanes; ++k) estimates[k] = first_estimate(sizes.sum[k]);
    for (int turn = 1; turn < estimate_turns && !all_frozen(); ++turn) {
        solve(true);
        find_largest_rows(v, sizes);
        for (int k = 0; k < lanes; ++k) {
            const int64_t at = std::max<int64_t>(estimates[k].at, 0);
            turn_to(estimates[k], sizes.largest[k], sizes.largest_at[k], size_of(v.row(at)[k]));
        }
        fill(v, [](int64_t) { return R(0); });
        for (int k = 0; k < lanes; ++k) v.row(std::max<int64_t>(estimates[k].at, 0))[k] = T(1);
        solve(false);
        sum_and_take_signs(v, sizes);
        for (int k = 0; k < lanes; ++k) raise(estimates[k], sizes.sum[k]);
    }
    fill(v, [&](int64_t i) { return guard_entry<R>(i, v.rows); });
    solve(false);
    sum_and_take_signs(v, sizes);
    for (int k = 0; k < lanes; ++k) norms[k] = final_estimate(estimates[k], sizes.sum[k], v.rows);
}

}  // namespace

template <class T>
xbatchStatus_t gtcon_host(Context &context, const GtconProblem &p, void *workspace) {
    const Panels<T> panels(p.layout, p.n, p.batch);
    const FactorScratch<T> scratch(context, panels, p.n, workspace);
    const LuFactors<T> factors(p.n, p.batch, const_cast<void *>(p.factors));  // read only
    Real<T> *rcond = static_cast<Real<T> *>(p.rcond);
#pragma omp parallel for schedule(static) num_threads(team_size(scratch.threads, p.n, p.batch))
    for (int64_t panel = 0; panel < panels.count(); ++panel) {
        const int64_t j = panels.begin(panel);
        const int lanes = int(panels.pitch(panel));
        Real<T> inverse_norms[max_lanes<T>];
        estimate_inverses(factors.tile(panels.offset(panel, j), lanes, false), p.norm == XBATCH_NORM_INF,
                          {scratch.of(omp_get_thread_num()), p.n, scratch_lanes<T>(lanes)}, inverse_norms);
        for (int k = 0; k < lanes; ++k)
            rcond[j + k] = reciprocal_condition(factors.norms[p.norm][j + k], inverse_norms[k]);
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t gtcon_host_workspace(const Context &context, const GtconProblem &p) {
    return FactorScratch<T>(context, Panels<T>(p.layout, p.n, p.batch), p.n, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(gtcon_host);

}  // namespace xbatch::tridiagonal
