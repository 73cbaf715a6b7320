// geqrf_tall_cuda.cu: a panel of a tall matrix: R by its tree, then LAPACK's form from A or, if that is not accurate,
// from Q.
//
// The tree leaves the panel as it was, in case it is not suited. Trees of doubles do not even need a copy.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "core/launch.cuh"
#include "core/workspace.hpp"
#include "geqrf_tall.hpp"
#include "qr/tiled/run_cuda.hpp"
#include "reconstruction.cuh"

namespace xbatch::qr {
namespace {

template <class S>
Tiling tiling_for(const Context &context, int64_t rows, int columns) {
    return tiling_of(rows, columns, default_config(context, type_of<TreeType<S>>, rows, columns));
}

template <class S>
struct TreePlan {
    using T = TreeType<S>;
    static constexpr bool has_q = !std::is_same_v<S, T>;  // Q does not overwrite the panel

    Tiling tiling;
    int64_t ld;
    T *factors, *triangles, *inverse, *q;
    int32_t *skips, *has_tail;
    DeviceRun factor, form_q;
    size_t bytes;

    TreePlan(const Context &context, int64_t rows, int columns, void *workspace)
        : TreePlan(tiling_for<S>(context, rows, columns), Carver(workspace)) {}

private:
    TreePlan(const Tiling &t, Carver carver)
        : tiling(t),
          ld((t.m + 1) / 2 * 2),
          factors(carver.take<T>(ld, t.k)),
          triangles(carver.take<T>(t.triangles(), t.triangle_elements())),
          inverse(carver.take<T>(most_vectors * most_vectors)),
          q(has_q ? carver.take<T>(ld, t.k) : nullptr),
          skips(carver.take<int32_t>(2)),
          has_tail(carver.take<int32_t>(most_vectors)),
          factor(carver, {t, 0, true, true, false}),
          form_q(carver, {t, t.column_tiles(t.k), false, false, true}),
          bytes(carver.bytes()) {}
};

constexpr int widen_threads = 256;
__global__ void __launch_bounds__(widen_threads)
    widen_panel(int64_t rows, int columns, const float *from, int64_t ld_from, double *to, int64_t ld) {
    const int64_t step = int64_t(gridDim.x) * widen_threads;
    for (int64_t i = int64_t(blockIdx.x) * widen_threads + threadIdx.x; i < rows; i += step)
        for (int c = 0; c < columns; ++c) to[c * ld + i] = from[c * ld_from + i];
}

template <class S>
class TreeFactorisation {
public:
    using T = TreeType<S>;

    TreeFactorisation(Context &context, const GeqrfBatch &p, const TreePanel &panel, void *workspace)
        : context_(context), panel_(panel), plan_(context, p.m - panel.first, panel.columns, workspace) {
        const int64_t lda = p.a_at.column;
        r_.rows = p.m - panel.first, r_.columns = panel.columns;
        r_.a = static_cast<S *>(p.a) + p.a_at.base(panel.matrix) + panel.first * (lda + 1), r_.lda = lda;
        r_.r = plan_.factors, r_.ldr = plan_.ld;
        r_.q = plan_.q, r_.ldq = plan_.ld;
        if constexpr (!TreePlan<S>::has_q) r_.q = r_.a, r_.ldq = lda;
        r_.tau = static_cast<S *>(p.tau) + p.tau_at.base(panel.matrix, 0) + panel.first * p.tau_at.step;
        r_.tau_step = p.tau_at.step;
        r_.inverse = plan_.inverse, r_.has_tail = plan_.has_tail;
        r_.skips_a = plan_.skips, r_.skips_q = plan_.skips + 1, r_.done = panel.done;
    }

    xbatchStatus_t run() {
        constexpr size_t bytes = sizeof(TopShared<T>);
        XBATCH_TRY(factor());
        XBATCH_TRY(Launch(context_, 1, top_threads, bytes)(reconstruct_from_a<S>, "reconstruct_from_a", r_,
                                                           plan_.factor.bad, panel_.info));
        XBATCH_TRY(form_rows(static_cast<const S *>(r_.a), r_.lda, r_.skips_a));
        XBATCH_TRY(form_q());
        XBATCH_TRY(Launch(context_, 1, top_threads, bytes)(reconstruct_from_q<S>, "reconstruct_from_q", r_));
        XBATCH_TRY(form_rows(static_cast<const T *>(r_.q), r_.ldq, r_.skips_q));
        return Launch(context_, 1, most_vectors)(drop_empty_reflectors<S>, "drop_empty_reflectors", r_);
    }

private:
    static constexpr bool is_tall = std::is_same_v<T, double>;

    Launch on_rows(int64_t rows, int threads) const {
        return Launch(context_, std::min<int64_t>(parts_of(rows, threads), 16 * context_.multiprocessors), threads);
    }
    xbatchStatus_t factor() {
        const TileOperands<T> operands{plan_.factors, plan_.ld, plan_.triangles, {}, 0, true};
        if constexpr (std::is_same_v<S, double>) {
            return run_tall(context_, plan_.factor, operands, nullptr, {{r_.a, r_.lda}, false});
        } else if constexpr (is_tall) {
            XBATCH_TRY(on_rows(r_.rows, widen_threads)(widen_panel, "widen_panel", r_.rows, r_.columns, r_.a, r_.lda,
                                                       plan_.factors, plan_.ld));
            return run_tall(context_, plan_.factor, operands, nullptr);
        } else {
            XBATCH_TRY(copy_matrix<T>(context_, r_.rows, r_.columns, {r_.a, 1, r_.lda}, {plan_.factors, 1, plan_.ld}));
            return run_on_device<T>(context_, plan_.factor, operands, nullptr);
        }
    }
    xbatchStatus_t form_q() {
        const int64_t rows = is_tall ? r_.columns : r_.rows;
        XBATCH_TRY(on_rows(rows, identity_threads)(set_identity_panel<S>, "set_identity_panel", r_, rows));
        const TileOperands<T> operands{plan_.factors, plan_.ld, plan_.triangles, {r_.q, r_.ldq}, r_.columns, false};
        if constexpr (is_tall)
            return run_tall(context_, plan_.form_q, operands, r_.skips_q, {{}, true});
        else
            return run_on_device<T>(context_, plan_.form_q, operands, r_.skips_q);
    }
    template <class From>
    xbatchStatus_t form_rows(const From *from, int64_t ld, const int32_t *skips) {
        const int64_t tiles = parts_of(r_.rows - r_.columns, product_side);
        const int64_t blocks = std::min<int64_t>(tiles, RowsShared<T>::resident * context_.multiprocessors);
        return Launch(context_, blocks, product_threads, sizeof(RowsShared<T>))(
            reconstruct_rows<From, S>, "reconstruct_rows", r_, from, ld, skips);
    }

    Context &context_;
    const TreePanel &panel_;
    const TreePlan<S> plan_;
    Reconstruction<S> r_{};
};

}  // namespace

template <class S>
bool uses_tree(const Context &context, int64_t rows, int64_t columns) {
    if (columns < least_tree_columns || rows * columns < least_tree_entries) return false;
    const xbatchTiledConfig_t config = tiling_for<S>(context, rows, int(columns)).config;
    return config.tree == XBATCH_TREE_DOMAINS && (sizeof(S) > sizeof(Real<S>) || is_tall_form(config));
}
template <class S>
size_t tree_panel_workspace(const Context &context, const GeqrfBatch &p, int64_t first, int columns) {
    return TreePlan<S>(context, p.m - first, columns, nullptr).bytes;
}
template <class S>
xbatchStatus_t factor_by_tree(Context &context, const GeqrfBatch &p, const TreePanel &panel, void *workspace) {
    return TreeFactorisation<S>(context, p, panel, workspace).run();
}

XBATCH_INSTANTIATE_TYPES(uses_tree);
XBATCH_INSTANTIATE_TYPES(tree_panel_workspace);
XBATCH_INSTANTIATE_TYPES(factor_by_tree);

}  // namespace xbatch::qr
