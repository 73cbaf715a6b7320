// baselines_qr.cpp: see baselines_qr.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "baselines_qr.hpp"

#include <complex>
#include <cstring>
#include <stdexcept>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

namespace bench {
namespace {

template <class T, class Routine>
int call(Routine routine, int64_t m, int64_t n, void *a, void *tau, void *work, int64_t elements) {
    return routine(LAPACK_COL_MAJOR, lapack_int(m), lapack_int(n), static_cast<T *>(a), lapack_int(m),
                   static_cast<T *>(tau), static_cast<T *>(work), lapack_int(elements));
}

}  // namespace

LapackGeqrf::LapackGeqrf(xbatchDataType_t type, int64_t m, int64_t n)
    : type_(type), m_(m), n_(n), tau_(size_t(std::min(m, n)) * element_size(type)) {
    std::complex<double> wanted = 0;  // the size of the workspace, a real number of either precision
    if (factor(nullptr, &wanted, -1) != 0) throw std::runtime_error("geqrf refused");
    float narrow = 0;
    std::memcpy(&narrow, &wanted, sizeof narrow);
    work_.resize(size_t(is_double(type) ? wanted.real() : double(narrow)) * element_size(type));
}

void LapackGeqrf::operator()(void *a) {
    if (factor(a, work_.data(), int64_t(work_.size() / element_size(type_))) != 0)
        throw std::runtime_error("geqrf failed");
}

int LapackGeqrf::factor(void *a, void *work, int64_t elements) {
    switch (type_) {
        case XBATCH_R_32F: return call<float>(LAPACKE_sgeqrf_work, m_, n_, a, tau_.data(), work, elements);
        case XBATCH_R_64F: return call<double>(LAPACKE_dgeqrf_work, m_, n_, a, tau_.data(), work, elements);
        case XBATCH_C_32F:
            return call<std::complex<float>>(LAPACKE_cgeqrf_work, m_, n_, a, tau_.data(), work, elements);
        default: return call<std::complex<double>>(LAPACKE_zgeqrf_work, m_, n_, a, tau_.data(), work, elements);
    }
}

LapackGels::LapackGels(int64_t m, int64_t n) : m_(m), n_(n) {
    double wanted = 0;
    if (LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', lapack_int(m), lapack_int(n), 1, nullptr, lapack_int(m), nullptr,
                           lapack_int(m), &wanted, -1) != 0)
        throw std::runtime_error("gels refused");
    work_.resize(size_t(wanted));
}

void LapackGels::operator()(void *a, void *b) {
    if (LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', lapack_int(m_), lapack_int(n_), 1, static_cast<double *>(a),
                           lapack_int(m_), static_cast<double *>(b), lapack_int(m_), work_.data(),
                           lapack_int(work_.size())) != 0)
        throw std::runtime_error("gels failed");
}

}  // namespace bench
