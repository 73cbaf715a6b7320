// cusolverdx.cpp: see cusolverdx.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "cusolverdx.hpp"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "cuda_check.hpp"

namespace bench {

std::vector<CusolverdxQr::Kernel> CusolverdxQr::found(xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs,
                                                      int64_t batch) {
    const char *const folder = std::getenv("XBATCH_CUSOLVERDX");
    std::vector<Kernel> kernels;
    if (!folder || nrhs > 1) return kernels;
    const std::string begin = std::string(nrhs > 0 ? "gels" : "geqrf") + "_" + letter(type) + "_" + std::to_string(m) +
                              "x" + std::to_string(n) + "_";
    for (const auto &file : std::filesystem::directory_iterator(folder)) {
        const std::string name = file.path().filename().string();
        Kernel kernel = {file.path().string(), 0, 0, 0};
        if (name.compare(0, begin.size(), begin) == 0 &&
            std::sscanf(name.c_str() + begin.size(), "matrices%d_ld%*d_threads%d_bytes%d", &kernel.matrices,
                        &kernel.threads, &kernel.bytes) == 3 &&
            batch % kernel.matrices == 0)
            kernels.push_back(kernel);
    }
    return kernels;
}

bool CusolverdxQr::exists(xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs, int64_t batch) {
    return !found(type, m, n, nrhs, batch).empty();
}

CusolverdxQr::CusolverdxQr(const Machine &machine, xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs,
                           int64_t batch, void *a, void *tau, void *b, const Action &restore)
    : kernels_(found(type, m, n, nrhs, batch)), batch_(batch), first_(a), second_(nrhs > 0 ? b : tau) {
    double least = HUGE_VAL;
    const Kernel *best = nullptr;
    for (Kernel &kernel : kernels_) {
        cudaLibrary_t library = nullptr;
        cudaKernel_t entry = nullptr;
        BENCH_CUDA(cudaLibraryLoadFromFile(&library, kernel.path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
        kernel.library = library;
        BENCH_CUDA(cudaLibraryGetKernel(&entry, library, "factor"));
        kernel.entry = entry;
        BENCH_CUDA(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, kernel.bytes));
        fastest_ = &kernel;
        const double ms = machine.time(restore, [this] { (*this)(); }, {}).median;
        std::printf("    %10.4f ms  cuSolverDx, %d matrices and %d threads a block\n", ms, kernel.matrices,
                    kernel.threads);
        if (ms < least) least = ms, best = &kernel;
    }
    fastest_ = best;
}
CusolverdxQr::~CusolverdxQr() {
    for (const Kernel &kernel : kernels_) cudaLibraryUnload(static_cast<cudaLibrary_t>(kernel.library));
}

void CusolverdxQr::operator()() {
    void *arguments[] = {&first_, &second_};
    BENCH_CUDA(cudaLaunchKernel(fastest_->entry, dim3(unsigned(batch_ / fastest_->matrices)),
                                dim3(unsigned(fastest_->threads)), arguments, size_t(fastest_->bytes), nullptr));
}

}  // namespace bench
