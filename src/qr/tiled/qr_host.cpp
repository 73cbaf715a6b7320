// qr_host.cpp: tiled QR on the host: factor, apply Q, form Q.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "core/dispatch.hpp"
#include "run_host.hpp"

namespace xbatch::qr {
namespace {

template <class T>
void set_identity(T *q, int64_t ldq, int64_t rows, int64_t columns) {
    for (int64_t c = 0; c < columns; ++c) {
        std::fill_n(q + c * ldq, rows, T(0));
        q[c * ldq + c] = T(1);
    }
}

}  // namespace

template <class T>
xbatchStatus_t geqrt_host(Context &context, const FactorProblem &p, void *workspace) {
    Carver carver(workspace);
    QrRun<T> run(carver, p.job(), thread_count(context));
    T *a = static_cast<T *>(p.a);
    const View<T> rest{a + p.tiling.k * p.lda, p.lda};
    const TriangleHeader header = TriangleHeader::of(type_of<T>, p.tiling);
    std::memcpy(p.t, &header, sizeof header);
    const int64_t bad = run({a, p.lda, triangles_in<T>(p.t), rest, p.n - p.tiling.k, true});
    if (p.info) *p.info = bad < p.tiling.k ? int32_t(std::min<int64_t>(bad + 1, INT32_MAX)) : 0;
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t geqrt_host_workspace(const Context &context, const FactorProblem &p) {
    Carver carver(nullptr);
    QrRun<T>(carver, p.job(), thread_count(context));
    return carver.bytes();
}

template <class T>
xbatchStatus_t gemqrt_host(Context &context, const ApplyProblem &p, void *workspace) {
    Carver carver(workspace);
    QrRun<T> run(carver, p.job(), thread_count(context));
    // Neither is written: a job that only applies reflectors has no panels.
    T *a = const_cast<T *>(static_cast<const T *>(p.a)), *t = triangles_in<T>(const_cast<void *>(p.t));
    const View<T> c{static_cast<T *>(p.c), p.ldc, p.is_right};
    if (p.forms_q) set_identity(c.at, c.ld, p.tiling.m, p.columns);
    run({a, p.lda, t, c, p.columns, p.is_adjoint});
    if (p.info) *p.info = 0;
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t gemqrt_host_workspace(const Context &context, const ApplyProblem &p) {
    Carver carver(nullptr);
    QrRun<T>(carver, p.job(), thread_count(context));
    return carver.bytes();
}

XBATCH_INSTANTIATE_BACKEND(geqrt_host);
XBATCH_INSTANTIATE_BACKEND(gemqrt_host);

}  // namespace xbatch::qr
