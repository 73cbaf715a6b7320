// geqrf_large_cuda.cu: large matrices by panels: factor a panel, then apply its block reflector to the trailing matrix.
// SPDX-License-Identifier: BSD-3-Clause
#include "block_reflector.cuh"
#include "core/dispatch.hpp"
#include "core/launch.cuh"
#include "core/workspace.hpp"
#include "geqrf_tall.hpp"
#include "qr_panel.cuh"

namespace xbatch::qr {
namespace {

// panel(first, count) factors columns; trailing(first, vectors, columns) applies their block reflector to the columns
// that follow. Of two panels the first is applied to the second, and then both to the trailing matrix: `inner` and
// trailing. Before, tree(first, columns) may factor both.
template <class Tree, class Panel, class Inner, class Trailing>
void each_step(const GeqrfBatch &p, Tree tree, Panel panel, Inner inner, Trailing trailing) {
    const int64_t k = std::min(p.m, p.n);
    for (int64_t first = 0; first < k; first += most_vectors) {
        const int64_t left = std::min<int64_t>(panel_columns, k - first),
                      both = std::min<int64_t>(most_vectors, k - first);
        tree(first, both);
        panel(first, left);
        if (both > left) inner(first, left, both - left), panel(first + left, both - left);
        if (p.n > first + both) trailing(first, both, p.n - first - both);
    }
}
// By their sizes; only flat matrices are.
template <class T>
bool has_tree(const Context &context, const GeqrfBatch &p, int64_t first, int64_t columns) {
    return std::is_same_v<T, double> && uses_tree(context, p.m - first, columns);
}

template <class T>
struct GeqrfPlan {
    Mailbox<T> *mailboxes;
    int64_t places = 0;
    int32_t *info, *done;
    T *products, *changes;
    char *of_tree;
    size_t bytes;

    GeqrfPlan(const Context &context, const GeqrfBatch &p, void *workspace) {
        ReflectorRoom room;
        size_t tree_bytes = 0;
        const auto update = [&](int64_t first, int64_t, int64_t columns) {
            room.count_in(context, p.m - first, columns, p.batch);
        };
        each_step(
            p,
            [&](int64_t first, int64_t columns) {
                if (has_tree<T>(context, p, first, columns))
                    tree_bytes = std::max(tree_bytes, tree_panel_workspace(context, p, first, int(columns)));
            },
            [&](int64_t first, int64_t) {
                const PanelSplit s = split_panel(context, PanelShape<T>::warp_rows, p.m - first, p.batch);
                if (!s.in_cluster) places = std::max(places, int64_t(s.groups) * 2 * (s.blocks + 1) * panel_columns);
            },
            update, update);
        Carver carver(workspace);
        mailboxes = carver.take<Mailbox<T>>(places);
        info = carver.take<int32_t>(p.batch), done = carver.take<int32_t>(tree_bytes > 0 ? p.batch : 0);
        of_tree = carver.take<char>(int64_t(tree_bytes));
        products = carver.take<T>(room.products), changes = carver.take<T>(room.changes);
        bytes = carver.bytes();
    }
};

template <class T>
xbatchStatus_t factor(Context &context, const PanelArguments<T> &p) {
    const PanelSplit &s = p.split;
    Launch launch(context, s.blocks * s.groups, s.warps * 32);
    if (s.blocks > 1 && s.in_cluster) launch.cluster(s.blocks);
    if (s.blocks > 1 && !s.in_cluster) launch.cooperative();
    return launch(s.tiles == 1 ? factor_panel<T, true> : factor_panel<T, false>, "factor_panel", p);
}

}  // namespace

template <class T>
xbatchStatus_t geqrf_large_cuda(Context &context, const GeqrfBatch &p, void *workspace) {
    const GeqrfPlan<T> plan(context, p, workspace);
    int32_t *const info = p.info ? p.info : plan.info;
    XBATCH_TRY(clear_info(context, info, p.batch));
    if (plan.places > 0)
        XBATCH_CUDA(context,
                    cudaMemsetAsync(plan.mailboxes, 0, size_t(plan.places) * sizeof(Mailbox<T>), stream_of(context)));
    const auto from = [&](int64_t row, int64_t column) {
        return device_matrices<T>(static_cast<T *>(p.a) + row * p.a_at.row + column * p.a_at.column, p.a_at, false);
    };
    const auto tau = [&](int64_t first) {
        return DeviceTau<T>{static_cast<T *>(p.tau) + first * p.tau_at.step, p.tau_at, nullptr};
    };
    xbatchStatus_t status = XBATCH_STATUS_SUCCESS;
    unsigned number = 0;
    const int32_t *done = nullptr;  // of the step's panels
    const auto apply = [&](int64_t first, int64_t vectors, int64_t columns, const int32_t *wrong) {
        if (status != XBATCH_STATUS_SUCCESS) return;
        const int64_t rows = p.m - first;
        status = apply_reflectors<T>(
            context,
            {from(first, first), from(first, first + vectors), tau(first), rows, columns, p.batch, int(vectors), true,
             wrong, ReflectorParts(context, rows, columns, p.batch), plan.products, plan.changes});
    };
    each_step(
        p,
        [&](int64_t first, int64_t columns) {
            done = nullptr;
            if (p.a_at.layout != XBATCH_LAYOUT_FLAT || !has_tree<T>(context, p, first, columns)) return;
            done = plan.done;
            for (int64_t j = 0; j < p.batch && status == XBATCH_STATUS_SUCCESS; ++j)
                status = factor_by_tree(context, p, {j, first, int(columns), info + j, plan.done + j}, plan.of_tree);
        },
        [&](int64_t first, int64_t columns) {
            if (status != XBATCH_STATUS_SUCCESS) return;
            const PanelSplit split = split_panel(context, PanelShape<T>::warp_rows, p.m - first, p.batch);
            status = factor<T>(context, {from(first, first), tau(first), first, p.m - first, p.batch, int(columns),
                                         info, done, split, plan.mailboxes, number});
            number += unsigned(((p.batch - 1) / split.groups + 1) * 3 * panel_columns);
        },
        [&](int64_t first, int64_t vectors, int64_t columns) { apply(first, vectors, columns, done ? done : info); },
        [&](int64_t first, int64_t vectors, int64_t columns) { apply(first, vectors, columns, info); });
    return status;
}
template <class T>
size_t geqrf_large_cuda_workspace(const Context &context, const GeqrfBatch &p) {
    return GeqrfPlan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(geqrf_large_cuda);

}  // namespace xbatch::qr
