// qr_cuda.cu: tiled QR on the GPU: the factorisation, and products with Q.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "core/launch.cuh"
#include "run_cuda.hpp"

namespace xbatch::qr {
namespace {

constexpr int threads = 256;

struct FactorPlan {
    DeviceRun run;
    size_t bytes;

    FactorPlan(const FactorProblem &p, void *workspace) : FactorPlan(p, Carver(workspace)) {}

private:
    FactorPlan(const FactorProblem &p, Carver carver) : run(carver, p.job()), bytes(carver.bytes()) {}
};
struct ApplyPlan {
    int32_t *is_refused;
    DeviceRun run;
    size_t bytes;

    ApplyPlan(const ApplyProblem &p, void *workspace) : ApplyPlan(p, Carver(workspace)) {}

private:
    ApplyPlan(const ApplyProblem &p, Carver carver)
        : is_refused(carver.take<int32_t>(1)), run(carver, p.job()), bytes(carver.bytes()) {}
};

__global__ void finish_factor(TriangleHeader header, TriangleHeader *to, const int32_t *bad, int32_t *info) {
    *to = header;
    if (info) *info = *bad == 0 ? 0 : INT32_MAX - *bad + 1;
}

// T is read on the device only: info reports T of another matrix.
__global__ void check_header(TriangleHeader expected, const TriangleHeader *found, int32_t *is_refused, int32_t *info) {
    bool same = true;
    for (unsigned k = 0; found && k < sizeof expected / sizeof(int64_t); ++k)
        same = same && reinterpret_cast<const int64_t *>(&expected)[k] == reinterpret_cast<const int64_t *>(found)[k];
    *is_refused = !same;
    if (info) *info = same ? 0 : -1;
}

template <class T>
__global__ void __launch_bounds__(threads)
    set_identity(T *q, int64_t ldq, int64_t rows, int64_t columns, const int32_t *is_refused) {
    if (*is_refused) return;
    const int64_t blocks = (rows + threads - 1) / threads;
    const int64_t column = blockIdx.x / blocks, row = blockIdx.x % blocks * threads + threadIdx.x;
    if (row < rows) q[column * ldq + row] = T(Real<T>(row == column ? 1 : 0));
}

}  // namespace

template <class T>
xbatchStatus_t geqrt_cuda(Context &context, const FactorProblem &p, void *workspace) {
    const FactorPlan plan(p, workspace);
    T *a = static_cast<T *>(p.a);
    const int64_t k = p.tiling.k;
    const TileOperands<T> operands{a, p.lda, triangles_in<T>(p.t), {a + k * p.lda, p.lda}, p.n - k, true};
    XBATCH_TRY(run_on_device<T>(context, plan.run, operands, nullptr));
    return Launch(context, 1, 1)(finish_factor, "finish_factor", TriangleHeader::of(type_of<T>, p.tiling),
                                 static_cast<TriangleHeader *>(p.t), plan.run.bad, p.info);
}
template <class T>
size_t geqrt_cuda_workspace(const Context &, const FactorProblem &p) {
    return FactorPlan(p, nullptr).bytes;
}

template <class T>
xbatchStatus_t gemqrt_cuda(Context &context, const ApplyProblem &p, void *workspace) {
    const ApplyPlan plan(p, workspace);
    // Neither is written: a job that applies reflectors has no panels.
    T *a = const_cast<T *>(static_cast<const T *>(p.a)), *c = static_cast<T *>(p.c);
    void *t = const_cast<void *>(p.t);
    XBATCH_TRY(Launch(context, 1, 1)(check_header, "check_header", TriangleHeader::of(type_of<T>, p.tiling),
                                     p.tiling.k == 0 ? nullptr : static_cast<TriangleHeader *>(t), plan.is_refused,
                                     p.info));
    if (p.forms_q) {
        const int64_t blocks = (p.tiling.m + threads - 1) / threads * p.columns;
        XBATCH_TRY(Launch(context, blocks, threads)(set_identity<T>, "set_identity", c, p.ldc, p.tiling.m, p.columns,
                                                    plan.is_refused));
    }
    const TileOperands<T> operands{a, p.lda, triangles_in<T>(t), {c, p.ldc, p.is_right}, p.columns, p.is_adjoint};
    return run_on_device<T>(context, plan.run, operands, plan.is_refused);
}
template <class T>
size_t gemqrt_cuda_workspace(const Context &, const ApplyProblem &p) {
    return ApplyPlan(p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(geqrt_cuda);
XBATCH_INSTANTIATE_BACKEND(gemqrt_cuda);

}  // namespace xbatch::qr
