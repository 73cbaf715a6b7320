// thomas_cuda.cu: launches the Thomas algorithm on CUDA, with intermediate results in shared memory where they fit.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/launch.cuh"
#include "nopivot_tuning.hpp"
#include "thomas_kernels.cuh"

namespace xbatch::tridiagonal {
namespace {

template <class T>
constexpr int rows_at_once = sizeof(T) == 16 ? 4 : 8;

// Bytes of q and y of 32 systems
template <class T>
size_t sweeps_bytes(int64_t n) {
    return size_t(n) * 64 * sizeof(T);
}

// At least two such warps must fit a multiprocessor: a single one would leave it idle while it waits for memory.
template <class T>
bool is_in_shared(const Context &context, int64_t n) {
    return 2 * (sweeps_bytes<T>(n) + stages_bytes<T, rows_at_once<T>, true>(32)) <= size_t(context.shared_per_block);
}

template <class T, bool FLAT, bool IN_SHARED>
xbatchStatus_t launch(Context &context, const GtsvProblem &p, void *workspace) {
    constexpr int R = rows_at_once<T>;
    const int64_t blocks = ((p.batch - 1) / 32 + 1) * p.nrhs;
    XBATCH_TRY(check_blocks(context, blocks));
    const size_t bytes = stages_bytes<T, R, FLAT>(32) + (IN_SHARED ? sweeps_bytes<T>(p.n) : 0);
    XBATCH_TRY(clear_info(context, p.info, p.batch, p.nrhs > 1));
    return Launch(context, blocks, 32, bytes)(thomas_warp<T, R, FLAT, IN_SHARED>, "thomas_warp", p,
                                              static_cast<T *>(workspace));
}

template <class T, bool FLAT>
xbatchStatus_t launch(Context &context, const GtsvProblem &p, void *workspace) {
    return is_in_shared<T>(context, p.n) ? launch<T, FLAT, true>(context, p, workspace)
                                         : launch<T, FLAT, false>(context, p, workspace);
}

}  // namespace

template <class T>
xbatchStatus_t thomas_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    return is_flat(p) ? launch<T, true>(context, p, workspace) : launch<T, false>(context, p, workspace);
}

template <class T>
size_t thomas_cuda_workspace(const Context &context, const GtsvProblem &p) {
    if (is_in_shared<T>(context, p.n)) return 0;
    return size_t((p.batch - 1) / 32 + 1) * 32 * size_t(p.nrhs) * size_t(p.n) * sizeof(T);
}

XBATCH_INSTANTIATE_BACKEND(thomas_cuda);

}  // namespace xbatch::tridiagonal
