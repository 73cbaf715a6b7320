// geqrf_tall_cuda.cu: a panel of a tall matrix of doubles: its tree, Q, and the reconstruction of LAPACK's form.
//
// The tree works on a copy, so that a panel that is not suited is left as it was.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "core/launch.cuh"
#include "core/workspace.hpp"
#include "geqrf_tall.hpp"
#include "qr/tiled/run_cuda.hpp"
#include "reconstruction.cuh"

namespace xbatch::qr {
namespace {

Tiling tiling_for(const Context &context, int64_t rows, int columns) {
    return tiling_of(rows, columns, default_config(context, XBATCH_R_64F, rows, columns));
}

struct TreePlan {
    Tiling tiling;
    int64_t ld;
    double *copy, *triangles, *inverse;
    int32_t *is_refused, *has_tail;
    DeviceRun factors, forms_q;
    size_t bytes;

    TreePlan(const Context &context, int64_t rows, int columns, void *workspace)
        : TreePlan(tiling_for(context, rows, columns), Carver(workspace)) {}

private:
    TreePlan(const Tiling &t, Carver carver)
        : tiling(t),
          ld((t.m + 1) / 2 * 2),
          copy(carver.take<double>(ld, t.k)),
          triangles(carver.take<double>(t.triangles(), t.triangle_elements())),
          inverse(carver.take<double>(most_vectors * most_vectors)),
          is_refused(carver.take<int32_t>(1)),
          has_tail(carver.take<int32_t>(most_vectors)),
          factors(carver, {t, 0, true, true, false}),
          forms_q(carver, {t, t.column_tiles(t.k), false, false, true}),
          bytes(carver.bytes()) {}
};

}  // namespace

bool uses_tree(const Context &context, int64_t rows, int64_t columns) {
    return columns >= least_tree_columns && rows * columns >= least_tree_entries &&
           is_tall_form(tiling_for(context, rows, int(columns)).config);
}

size_t tree_panel_workspace(const Context &context, const GeqrfBatch &p, int64_t first, int columns) {
    return TreePlan(context, p.m - first, columns, nullptr).bytes;
}

xbatchStatus_t factor_by_tree(Context &context, const GeqrfBatch &p, const TreePanel &panel, void *workspace) {
    const int64_t rows = p.m - panel.first, columns = panel.columns, lda = p.a_at.column;
    const TreePlan plan(context, rows, panel.columns, workspace);
    double *const a = static_cast<double *>(p.a) + p.a_at.base(panel.matrix) + panel.first * (lda + 1);
    double *const tau = static_cast<double *>(p.tau) + p.tau_at.base(panel.matrix, 0) + panel.first * p.tau_at.step;
    const Reconstruction r{rows,          panel.columns,  a, lda, plan.copy, plan.ld, tau, p.tau_at.step, plan.inverse,
                           plan.has_tail, plan.is_refused};
    XBATCH_TRY(copy_matrix<double>(context, rows, columns, {a, 1, lda}, {plan.copy, 1, plan.ld}));
    const TileOperands<double> of_copy{plan.copy, plan.ld, plan.triangles, {}, 0, true};
    XBATCH_TRY(run_on_device<double>(context, plan.factors, of_copy, nullptr));
    XBATCH_TRY(Launch(context, 1, 32)(check_panel, "check_panel", r, plan.factors.bad, panel.info, plan.is_refused,
                                      panel.done));
    const int64_t blocks = std::min<int64_t>(parts_of(rows, identity_threads), 16 * context.multiprocessors);
    XBATCH_TRY(Launch(context, blocks, identity_threads)(set_identity_panel, "set_identity_panel", r));
    const TileOperands<double> of_q{plan.copy, plan.ld, plan.triangles, {a, lda}, columns, false};
    XBATCH_TRY(run_on_device<double>(context, plan.forms_q, of_q, plan.is_refused));
    XBATCH_TRY(Launch(context, 1, top_threads)(reconstruct_top, "reconstruct_top", r));
    const int64_t rows_blocks =
        std::min<int64_t>(parts_of(rows - columns, product_side), rows_resident * context.multiprocessors);
    XBATCH_TRY(
        Launch(context, rows_blocks, product_threads, sizeof(RowsShared))(reconstruct_rows, "reconstruct_rows", r));
    return Launch(context, 1, most_vectors)(drop_empty_reflectors, "drop_empty_reflectors", r);
}

}  // namespace xbatch::qr
