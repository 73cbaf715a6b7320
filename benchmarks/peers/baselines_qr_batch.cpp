// baselines_qr_batch.cpp: see baselines_qr_batch.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "baselines_qr_batch.hpp"

#include <complex>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

namespace bench {
namespace {

template <class T, class Geqrf, class Gels>
void loop(const LapackQrLoop &l, int64_t batch, T *a, T *tau, T *b, const int64_t *ms, const int64_t *ns, Geqrf geqrf,
          Gels gels) {
    const lapack_int ld = lapack_int(l.m), nrhs = lapack_int(l.nrhs);
    const int64_t k = std::min(l.m, l.n);
    constexpr lapack_int block = 32;
#pragma omp parallel num_threads(l.threads)
    {
        std::vector<T> work(size_t(block * (l.m + l.n + l.nrhs)));
        const auto size = lapack_int(work.size());
#pragma omp for schedule(static)
        for (int64_t j = 0; j < batch; ++j) {
            const lapack_int m = ms ? lapack_int(ms[j]) : ld, n = lapack_int(ns ? ns[j] : l.n);
            if (l.nrhs > 0)
                gels(LAPACK_COL_MAJOR, 'N', m, n, nrhs, a + j * l.m * l.n, ld, b + j * l.m * l.nrhs, ld, work.data(),
                     size);
            else
                geqrf(LAPACK_COL_MAJOR, m, n, a + j * l.m * l.n, ld, tau + j * k, work.data(), size);
        }
    }
}

}  // namespace

void LapackQrLoop::operator()(int64_t batch, void *a, void *tau, void *b, const int64_t *ms, const int64_t *ns) const {
    const auto run = [&](auto zero, auto geqrf, auto gels) {
        using T = decltype(zero);
        loop<T>(*this, batch, static_cast<T *>(a), static_cast<T *>(tau), static_cast<T *>(b), ms, ns, geqrf, gels);
    };
    switch (type) {
        case XBATCH_R_32F: return run(0.0f, LAPACKE_sgeqrf_work, LAPACKE_sgels_work);
        case XBATCH_R_64F: return run(0.0, LAPACKE_dgeqrf_work, LAPACKE_dgels_work);
        case XBATCH_C_32F: return run(std::complex<float>(), LAPACKE_cgeqrf_work, LAPACKE_cgels_work);
        default: return run(std::complex<double>(), LAPACKE_zgeqrf_work, LAPACKE_zgels_work);
    }
}

}  // namespace bench
