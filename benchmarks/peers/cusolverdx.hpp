// cusolverdx.hpp: cuSolverDx's QR and least squares of many small matrices, in kernels made by `cusolverdx_kernels`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "machine.hpp"

namespace bench {

// geqrf, or where nrhs > 0 gels, on the default stream by the fastest of the kernels for this shape, in place
class CusolverdxQr {
public:
    // Whether the folder $XBATCH_CUSOLVERDX has a kernel for these flat matrices
    static bool exists(xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs, int64_t batch);

    CusolverdxQr(const Machine &machine, xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs, int64_t batch,
                 void *a, void *tau, void *b, const Action &restore);
    ~CusolverdxQr();
    CusolverdxQr(const CusolverdxQr &) = delete;
    CusolverdxQr &operator=(const CusolverdxQr &) = delete;
    void operator()();

private:
    struct Kernel {
        std::string path;
        int matrices, threads, bytes;               // of a block; shared memory
        void *library = nullptr, *entry = nullptr;  // cudaLibrary_t, cudaKernel_t
    };
    static std::vector<Kernel> found(xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs, int64_t batch);

    std::vector<Kernel> kernels_;
    const Kernel *fastest_ = nullptr;
    int64_t batch_;
    void *first_, *second_;  // A, and tau or B
};

}  // namespace bench
