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

}  // namespace bench
