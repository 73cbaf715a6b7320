// baselines_qr_batch.hpp: other libraries' QR of many small dense matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "machine.hpp"

namespace bench {

// LAPACK's geqrf, or where nrhs > 0 gels, in a loop over flat matrices, by `threads` threads; if sizes are
// given, of the first rows and columns of each
struct LapackQrLoop {
    xbatchDataType_t type;
    int64_t m, n, nrhs;
    int threads;

    LapackQrLoop(xbatchDataType_t t, int64_t rows, int64_t columns, int64_t right, int count)
        : type(t), m(rows), n(columns), nrhs(right), threads(count) {}
    void operator()(int64_t batch, void *a, void *tau, void *b, const int64_t *ms, const int64_t *ns) const;
};

#ifdef BENCH_HAVE_CUDA
// cuBLAS's geqrfBatched, or where nrhs > 0 gelsBatched, on the default stream
class CublasQr {
public:
    CublasQr(const Machine &machine, xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs, int64_t batch, void *a,
             void *tau, void *b);
    void operator()();

private:
    xbatchDataType_t type_;
    int m_, n_, nrhs_, batch_;
    Memory a_, second_, info_;  // addresses of matrices, and of tau or right-hand sides
};

// cuBLAS's trsmBatched with the upper triangles of the first n rows
class CublasTriangles {
public:
    CublasTriangles(const Machine &machine, xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs, int64_t batch,
                    void *a, void *b);
    void operator()();

private:
    xbatchDataType_t type_;
    int m_, n_, nrhs_, batch_;
    Memory a_, b_;
};

// cuSOLVER's geqrf in a loop over matrices, on the default stream or on several that it forks and joins
class CusolverLoop {
public:
    CusolverLoop(const Machine &machine, xbatchDataType_t type, int64_t m, int64_t n, int64_t batch, void *a, void *tau,
                 int streams);
    ~CusolverLoop();
    CusolverLoop(const CusolverLoop &) = delete;
    CusolverLoop &operator=(const CusolverLoop &) = delete;
    void operator()();

private:
    struct Lane;  // a stream with a handle and a workspace of its own
    xbatchDataType_t type_;
    int64_t m_, n_, batch_;
    char *a_, *tau_;
    Memory info_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    void *begun_ = nullptr;  // cudaEvent_t
};

// QR as torch.linalg.qr calls it, to Q: geqrf by cuBLAS where a matrix has at most 256 rows and the batch is not tiny,
// else by cuSOLVER in a loop; then cuSOLVER's orgqr in a loop; on the default stream
class TorchQr {
public:
    TorchQr(const Machine &machine, xbatchDataType_t type, int64_t m, int64_t n, int64_t batch, void *a, void *tau);
    void operator()();

private:
    xbatchDataType_t type_;
    int m_, n_;
    int64_t batch_;
    char *a_, *tau_;
    std::unique_ptr<CublasQr> together_;
    std::unique_ptr<CusolverLoop> one_by_one_;
    int work_elements_ = 0;
    std::unique_ptr<Memory> work_;
    Memory info_;
};
#endif

}  // namespace bench
