// baselines_qr_batch_cuda.cu: cuBLAS's QR, least squares and triangular systems of many matrices, by arrays of
// pointers; cuSOLVER's QR in a loop, and the calls of torch.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cuComplex.h>
#include <cublas_v2.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "baselines_qr_batch.hpp"
#include "cuda_check.hpp"
#include "cusolver.hpp"

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

// The addresses of matrices of that many bytes, in the machine's memory
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
      second_(nrhs > 0 ? addresses(machine, b, size_t(m * nrhs) * element_size(type), batch)
                       : addresses(machine, tau, size_t(std::min(m, n)) * element_size(type), batch)),
      info_(machine, size_t(batch) * sizeof(int)) {}

void CublasQr::operator()() {
    int info = 0;
    const auto run = [&](auto zero, auto geqrf, auto gels) {
        using T = decltype(zero);
        T **a = static_cast<T **>(a_.get()), **second = static_cast<T **>(second_.get());
        check(nrhs_ > 0 ? gels(cublas(), CUBLAS_OP_N, m_, n_, nrhs_, a, m_, second, m_, &info,
                               static_cast<int *>(info_.get()), batch_)
                        : geqrf(cublas(), m_, n_, a, m_, second, &info, batch_));
    };
    switch (type_) {
        case XBATCH_R_32F: return run(0.0f, cublasSgeqrfBatched, cublasSgelsBatched);
        case XBATCH_R_64F: return run(0.0, cublasDgeqrfBatched, cublasDgelsBatched);
        case XBATCH_C_32F: return run(cuComplex(), cublasCgeqrfBatched, cublasCgelsBatched);
        default: return run(cuDoubleComplex(), cublasZgeqrfBatched, cublasZgelsBatched);
    }
}

CublasTriangles::CublasTriangles(const Machine &machine, xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs,
                                 int64_t batch, void *a, void *b)
    : type_(type),
      m_(int(m)),
      n_(int(n)),
      nrhs_(int(nrhs)),
      batch_(int(batch)),
      a_(addresses(machine, a, size_t(m * n) * element_size(type), batch)),
      b_(addresses(machine, b, size_t(m * nrhs) * element_size(type), batch)) {}

void CublasTriangles::operator()() {
    const auto run = [&](auto one, auto trsm) {
        using T = decltype(one);
        check(trsm(cublas(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n_, nrhs_,
                   &one, static_cast<T **>(a_.get()), m_, static_cast<T **>(b_.get()), m_, batch_));
    };
    switch (type_) {
        case XBATCH_R_32F: return run(1.0f, cublasStrsmBatched);
        case XBATCH_R_64F: return run(1.0, cublasDtrsmBatched);
        case XBATCH_C_32F: return run(make_cuComplex(1, 0), cublasCtrsmBatched);
        default: return run(make_cuDoubleComplex(1, 0), cublasZtrsmBatched);
    }
}

struct CusolverLoop::Lane {
    cusolverDnHandle_t handle = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t done = nullptr;
    std::optional<Memory> work;
    size_t work_bytes = 0;
    std::vector<char> host_work;

    ~Lane() {
        if (handle) cusolverDnDestroy(handle);
        if (done) cudaEventDestroy(done);
        if (stream) cudaStreamDestroy(stream);
    }
};

CusolverLoop::CusolverLoop(const Machine &machine, xbatchDataType_t type, int64_t m, int64_t n, int64_t batch, void *a,
                           void *tau, int streams)
    : type_(type),
      m_(m),
      n_(n),
      batch_(batch),
      a_(static_cast<char *>(a)),
      tau_(static_cast<char *>(tau)),
      info_(machine, size_t(streams) * sizeof(int)) {
    cudaEvent_t begun = nullptr;
    BENCH_CUDA(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming));
    begun_ = begun;
    const cudaDataType t = cuda_type(type);
    for (int k = 0; k < streams; ++k) {
        lanes_.push_back(std::make_unique<Lane>());
        Lane &lane = *lanes_.back();
        size_t on_device = 0, on_host = 0;
        check(cusolverDnCreate(&lane.handle));
        if (streams > 1) {
            BENCH_CUDA(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
            BENCH_CUDA(cudaEventCreateWithFlags(&lane.done, cudaEventDisableTiming));
            check(cusolverDnSetStream(lane.handle, lane.stream));
        }
        check(cusolverDnXgeqrf_bufferSize(lane.handle, nullptr, m, n, t, a, m, t, tau, t, &on_device, &on_host));
        lane.work.emplace(machine, on_device);
        lane.work_bytes = on_device;
        lane.host_work.resize(on_host);
    }
}
CusolverLoop::~CusolverLoop() { cudaEventDestroy(static_cast<cudaEvent_t>(begun_)); }

void CusolverLoop::operator()() {
    const cudaDataType t = cuda_type(type_);
    const cudaEvent_t begun = static_cast<cudaEvent_t>(begun_);
    const size_t a_bytes = size_t(m_ * n_) * element_size(type_);
    const size_t tau_bytes = size_t(std::min(m_, n_)) * element_size(type_);
    BENCH_CUDA(cudaEventRecord(begun));
    for (auto &lane : lanes_)
        if (lane->stream) BENCH_CUDA(cudaStreamWaitEvent(lane->stream, begun));
    for (int64_t j = 0; j < batch_; ++j) {
        const size_t k = size_t(j) % lanes_.size();
        Lane &lane = *lanes_[k];
        check(cusolverDnXgeqrf(lane.handle, nullptr, m_, n_, t, a_ + size_t(j) * a_bytes, m_, t,
                               tau_ + size_t(j) * tau_bytes, t, lane.work->get(), lane.work_bytes,
                               lane.host_work.data(), lane.host_work.size(), static_cast<int *>(info_.get()) + k));
    }
    for (auto &lane : lanes_)
        if (lane->stream) {
            BENCH_CUDA(cudaEventRecord(lane->done, lane->stream));
            BENCH_CUDA(cudaStreamWaitEvent(nullptr, lane->done));
        }
}

namespace {

// f(zero, orgqr_bufferSize, orgqr) for the type
template <class F>
void with_orgqr(xbatchDataType_t type, F f) {
    switch (type) {
        case XBATCH_R_32F: return f(0.0f, cusolverDnSorgqr_bufferSize, cusolverDnSorgqr);
        case XBATCH_R_64F: return f(0.0, cusolverDnDorgqr_bufferSize, cusolverDnDorgqr);
        case XBATCH_C_32F: return f(cuComplex(), cusolverDnCungqr_bufferSize, cusolverDnCungqr);
        default: return f(cuDoubleComplex(), cusolverDnZungqr_bufferSize, cusolverDnZungqr);
    }
}

}  // namespace

TorchQr::TorchQr(const Machine &machine, xbatchDataType_t type, int64_t m, int64_t n, int64_t batch, void *a, void *tau)
    : type_(type),
      m_(int(m)),
      n_(int(n)),
      batch_(batch),
      a_(static_cast<char *>(a)),
      tau_(static_cast<char *>(tau)),
      info_(machine, sizeof(int)) {
    if (m <= 256 && batch >= std::max<int64_t>(2, m / 16))
        together_ = std::make_unique<CublasQr>(machine, type, m, n, 0, batch, a, tau, nullptr);
    else
        one_by_one_ = std::make_unique<CusolverLoop>(machine, type, m, n, batch, a, tau, 1);
    with_orgqr(type, [&](auto zero, auto size, auto) {
        using T = decltype(zero);
        check(size(cusolver(), m_, n_, n_, static_cast<T *>(a), m_, static_cast<T *>(tau), &work_elements_));
        work_ = std::make_unique<Memory>(machine, size_t(work_elements_) * sizeof(T));
    });
}

void TorchQr::operator()() {
    together_ ? (*together_)() : (*one_by_one_)();
    with_orgqr(type_, [&](auto zero, auto, auto orgqr) {
        using T = decltype(zero);
        T *a = reinterpret_cast<T *>(a_), *tau = reinterpret_cast<T *>(tau_);
        for (int64_t j = 0; j < batch_; ++j, a += int64_t(m_) * n_, tau += n_)
            check(orgqr(cusolver(), m_, n_, n_, a, m_, tau, static_cast<T *>(work_->get()), work_elements_,
                        static_cast<int *>(info_.get())));
    });
}

}  // namespace bench
