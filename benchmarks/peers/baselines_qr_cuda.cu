// baselines_qr_cuda.cu: cuSOLVER's QR of a dense matrix.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "baselines_qr.hpp"
#include "cusolver.hpp"

namespace bench {
CusolverGeqrf::CusolverGeqrf(const Machine &machine, xbatchDataType_t type, int64_t m, int64_t n)
    : type_(type),
      m_(m),
      n_(n),
      tau_(machine, size_t(std::min(m, n)) * element_size(type)),
      info_(machine, sizeof(int)) {
    size_t on_device = 0, on_host = 0;
    const cudaDataType t = cuda_type(type);
    check(
        cusolverDnXgeqrf_bufferSize(cusolver(), nullptr, m, n, t, nullptr, m, t, tau_.get(), t, &on_device, &on_host));
    work_.emplace(machine, on_device);
    host_work_.resize(on_host);
    bytes_ = on_device;
}

void CusolverGeqrf::operator()(void *a) {
    const cudaDataType t = cuda_type(type_);
    check(cusolverDnXgeqrf(cusolver(), nullptr, m_, n_, t, a, m_, t, tau_.get(), t, work_->get(), bytes_,
                           host_work_.data(), host_work_.size(), static_cast<int *>(info_.get())));
}

CusolverGels::CusolverGels(const Machine &machine, int64_t m, int64_t n)
    : machine_(machine), m_(m), n_(n), x_(machine, size_t(n) * sizeof(double)), info_(machine, sizeof(int)) {
    check(cusolverDnDDgels_bufferSize(cusolver(), int(m), int(n), 1, nullptr, int(m), nullptr, int(m), nullptr, int(n),
                                      nullptr, &bytes_));
    work_.emplace(machine, bytes_);
}

void CusolverGels::operator()(void *a, void *b) {
    const auto x = static_cast<double *>(x_.get());
    int iterations = 0;
    check(cusolverDnDDgels(cusolver(), int(m_), int(n_), 1, static_cast<double *>(a), int(m_), static_cast<double *>(b),
                           int(m_), x, int(n_), work_->get(), bytes_, &iterations, static_cast<int *>(info_.get())));
    machine_.copy(b, x, size_t(n_) * sizeof(double));
}

}  // namespace bench
