// baselines_hines.cpp: the paper's multicore program: a loop over flat systems, divided among threads.
// SPDX-License-Identifier: BSD-3-Clause
#include "baselines_hines.hpp"

#include <omp.h>

#include <complex>

namespace bench {
namespace {

template <class T>
void algorithm_1(int64_t n, const int32_t *p, const T *u, const T *l, T *d, T *rhs) {
    for (int64_t i = n - 1; i > 0; --i) {
        const T factor = u[i] / d[i];
        d[p[i]] -= factor * l[i];
        rhs[p[i]] -= factor * rhs[i];
    }
    rhs[0] /= d[0];
    for (int64_t i = 1; i < n; ++i) {
        rhs[i] -= l[i] * rhs[p[i]];
        rhs[i] /= d[i];
    }
}

template <class T>
void loop(const Hines &p, int threads) {
    const T *u = static_cast<const T *>(p.u), *l = static_cast<const T *>(p.l);
    T *d = static_cast<T *>(p.d), *b = static_cast<T *>(p.b);
#pragma omp parallel for num_threads(threads)
    for (int64_t j = 0; j < p.batch; ++j) {
        const int64_t here = p.elements(j).base, coupling = p.coupling_elements(j).base;
        const int32_t *parent = p.parent + p.first_node(size_t(j) % p.trees->size());
        algorithm_1(p.tree(j).n(), parent, u + coupling, l + coupling, d + here, b + here);
    }
}

Baseline<Hines> baseline(const char *name, const Hines &view, int threads) {
    const auto start = [threads](const Hines &p) -> Call {
        switch (p.type) {
            case XBATCH_R_32F: return {[=] { loop<float>(p, threads); }};
            case XBATCH_R_64F: return {[=] { loop<double>(p, threads); }};
            case XBATCH_C_32F: return {[=] { loop<std::complex<float>>(p, threads); }};
            default: return {[=] { loop<std::complex<double>>(p, threads); }};
        }
    };
    return {name, view, true, start};
}

}  // namespace

std::vector<Baseline<Hines>> host_baselines(const Hines &p) {
    Hines flat = p;
    flat.layout = XBATCH_LAYOUT_FLAT;
    std::vector<Baseline<Hines>> all = {baseline("Algorithm 1 (1 thread)", flat, 1)};
    if (p.batch > 1) all.push_back(baseline("Algorithm 1 OpenMP loop (all threads)", flat, omp_get_max_threads()));
    return all;
}

}  // namespace bench
