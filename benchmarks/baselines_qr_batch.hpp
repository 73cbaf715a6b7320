// baselines_qr_batch.hpp: what a program factors many small dense matrices with today.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine.hpp"

namespace bench {

// LAPACK's geqrf, or where nrhs > 0 gels, for one flat matrix after the other, by so many threads
struct LapackQrLoop {
    xbatchDataType_t type;
    int64_t m, n, nrhs;
    int threads;

    LapackQrLoop(xbatchDataType_t t, int64_t rows, int64_t columns, int64_t right, int count)
        : type(t), m(rows), n(columns), nrhs(right), threads(count) {}
    void operator()(int64_t batch, void *a, void *tau, void *b) const;
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
    Memory a_, beside_, info_;  // addresses of matrices, and of tau or right-hand sides
};
#endif

}  // namespace bench
