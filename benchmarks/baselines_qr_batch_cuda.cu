// baselines_qr_batch_cuda.cu: cuBLAS's QR and least squares of many matrices, by arrays of pointers.
// SPDX-License-Identifier: BSD-3-Clause
#include <cuComplex.h>
#include <cublas_v2.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "baselines_qr_batch.hpp"

namespace bench {
namespace {

void check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error("cuBLAS: status " + std::to_string(status));
}
cublasHandle_t cublas() {
    static const cublasHandle_t handle = [] {
        cublasHandle_t made;
        check(cublasCreate(&made));
        return made;
    }();
    return handle;
}

// The addresses of matrices of so many bytes, in the machine's memory
Memory addresses(const Machine &machine, void *first, size_t bytes, int64_t batch) {
    std::vector<void *> all;
    for (int64_t j = 0; j < batch; ++j) all.push_back(static_cast<char *>(first) + size_t(j) * bytes);
    Memory memory(machine, all.size() * sizeof(void *));
    machine.copy(memory.get(), all.data(), all.size() * sizeof(void *));
    return memory;
}

}  // namespace

CublasQr::CublasQr(const Machine &machine, xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs, int64_t batch,
                   void *a, void *tau, void *b)
    : type_(type),
      m_(int(m)),
      n_(int(n)),
      nrhs_(int(nrhs)),
      batch_(int(batch)),
      a_(addresses(machine, a, size_t(m * n) * element_size(type), batch)),
      beside_(nrhs > 0 ? addresses(machine, b, size_t(m * nrhs) * element_size(type), batch)
                       : addresses(machine, tau, size_t(std::min(m, n)) * element_size(type), batch)),
      info_(machine, size_t(batch) * sizeof(int)) {}

void CublasQr::operator()() {
    int info = 0;
    const auto run = [&](auto zero, auto geqrf, auto gels) {
        using T = decltype(zero);
        T **a = static_cast<T **>(a_.get()), **beside = static_cast<T **>(beside_.get());
        check(nrhs_ > 0 ? gels(cublas(), CUBLAS_OP_N, m_, n_, nrhs_, a, m_, beside, m_, &info,
                               static_cast<int *>(info_.get()), batch_)
                        : geqrf(cublas(), m_, n_, a, m_, beside, &info, batch_));
    };
    switch (type_) {
        case XBATCH_R_32F: return run(0.0f, cublasSgeqrfBatched, cublasSgelsBatched);
        case XBATCH_R_64F: return run(0.0, cublasDgeqrfBatched, cublasDgelsBatched);
        case XBATCH_C_32F: return run(cuComplex(), cublasCgeqrfBatched, cublasCgelsBatched);
        default: return run(cuDoubleComplex(), cublasZgeqrfBatched, cublasZgelsBatched);
    }
}

}  // namespace bench
