// geqrf_large_cuda.cu: factors large matrices by panels: a panel becomes reflectors, what is beside it meets them.
// SPDX-License-Identifier: BSD-3-Clause
#include "block_reflector.cuh"
#include "core/dispatch.hpp"
#include "core/workspace.hpp"
#include "qr_panel.cuh"

namespace xbatch {
namespace {

// A panel, and the columns beside it
template <class T>
struct Step {
    PanelArguments<T> panel;
    ReflectorArguments<T> beside;

    Step(const Context &context, const GeqrfBatch &p, int64_t first) : panel{}, beside{} {
        const int64_t rows = p.m - first, columns = std::min<int64_t>(panel_columns, std::min(p.m, p.n) - first);
        MatrixPlacement at = p.a_at;
        T *const head = static_cast<T *>(p.a) + first * (at.row + at.column);
        const DeviceMatrices<T> a = device_matrices<T>(head, at, false);
        const DeviceTau<T> tau{static_cast<T *>(p.tau) + first * p.tau_at.step, p.tau_at, nullptr};
        panel.a = beside.v = a, panel.tau = beside.tau = tau;
        panel.rows = beside.rows = rows, panel.batch = beside.batch = p.batch;
        panel.columns = beside.vectors = int(columns);
        panel.first = first, panel.split = split_panel(context, PanelShape<T>::warp_rows, rows, p.batch);
        beside.c = device_matrices<T>(head + columns * at.column, at, false);
        beside.columns = p.n - first - columns, beside.is_adjoint = true;
        if (beside.columns > 0) beside.cut(context);
    }
    int64_t mail_places() const {
        const PanelSplit &s = panel.split;
        return s.in_cluster ? 0 : int64_t(s.groups) * 2 * (s.blocks + 1) * panel_columns;
    }
};

template <class T>
struct GeqrfPlan {
    Mail<T> *mail;
    int64_t places = 0;
    int32_t *info;
    T *products, *changes;
    size_t bytes;

    GeqrfPlan(const Context &context, const GeqrfBatch &p, void *workspace) {
        int64_t most_products = 0, most_changes = 0;
        for (int64_t first = 0; first < std::min(p.m, p.n); first += panel_columns) {
            const Step<T> step(context, p, first);
            places = std::max(places, step.mail_places());
            if (step.beside.columns == 0) continue;
            most_products = std::max(most_products, step.beside.product_elements());
            most_changes = std::max(most_changes, step.beside.change_elements());
        }
        Carver carver(workspace);
        mail = carver.take<Mail<T>>(places);
        info = carver.take<int32_t>(p.batch);
        products = carver.take<T>(most_products), changes = carver.take<T>(most_changes);
        bytes = carver.bytes();
    }
};

template <class T>
xbatchStatus_t factor(Context &context, const PanelArguments<T> &p) {
    const PanelSplit &s = p.split;
    cudaLaunchAttribute together{};
    if (s.in_cluster) {
        together.id = cudaLaunchAttributeClusterDimension;
        together.val.clusterDim.x = unsigned(s.blocks), together.val.clusterDim.y = together.val.clusterDim.z = 1;
    } else {  // blocks wait for each other: the launch must promise that all of them run
        together.id = cudaLaunchAttributeCooperative;
        together.val.cooperative = 1;
    }
    cudaLaunchConfig_t launch{};
    launch.gridDim = dim3(unsigned(s.blocks * s.groups)), launch.blockDim = dim3(unsigned(s.warps * 32));
    launch.stream = stream_of(context), launch.attrs = &together, launch.numAttrs = s.blocks > 1 ? 1 : 0;
    XBATCH_CUDA(context, cudaLaunchKernelEx(&launch, factor_panel<T>, p));
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace

template <class T>
xbatchStatus_t geqrf_large_cuda(Context &context, const GeqrfBatch &p, void *workspace) {
    const GeqrfPlan<T> plan(context, p, workspace);
    int32_t *const info = p.info ? p.info : plan.info;
    XBATCH_CUDA(context, cudaMemsetAsync(info, 0, size_t(p.batch) * sizeof *info, stream_of(context)));
    if (plan.places > 0)
        XBATCH_CUDA(context, cudaMemsetAsync(plan.mail, 0, size_t(plan.places) * sizeof(Mail<T>), stream_of(context)));
    unsigned number = 0;
    for (int64_t first = 0; first < std::min(p.m, p.n); first += panel_columns) {
        Step<T> step(context, p, first);
        step.panel.info = info, step.panel.mail = plan.mail, step.panel.number = number;
        number += unsigned(((p.batch - 1) / step.panel.split.groups + 1) * 3 * panel_columns);
        xbatchStatus_t status = factor(context, step.panel);
        if (status != XBATCH_STATUS_SUCCESS) return status;
        if (step.beside.columns == 0) continue;
        step.beside.wrong = info, step.beside.products = plan.products, step.beside.changes = plan.changes;
        status = apply_reflectors(context, step.beside);
        if (status != XBATCH_STATUS_SUCCESS) return status;
    }
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t geqrf_large_cuda_workspace(const Context &context, const GeqrfBatch &p) {
    return GeqrfPlan<T>(context, p, nullptr).bytes;
}

#define XBATCH_INSTANTIATE(T)                                                           \
    template xbatchStatus_t geqrf_large_cuda<T>(Context &, const GeqrfBatch &, void *); \
    template size_t geqrf_large_cuda_workspace<T>(const Context &, const GeqrfBatch &);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)
#undef XBATCH_INSTANTIATE

}  // namespace xbatch
