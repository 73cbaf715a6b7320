// tall_cuda.cu: tiled QR of tall matrices of doubles on the GPU, panel by panel.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/launch.cuh"
#include "qr/tiled/run_cuda.hpp"
#include "tall_panel.cuh"
#include "tall_steps.cuh"
#include "tall_update.cuh"

namespace xbatch::qr {
namespace {

// From this number of domains on, the steps of a panel take less time all at once (tall_gram.cuh) than in their order.
constexpr int64_t least_gram_heads = 4;

// Launches for each panel: its factorisation, and updates of further panels and of other columns. Each has a counter of
// tickets and a flag for each domain of each group of columns.
class TallLaunches {
public:
    TallLaunches(Context &context, const DeviceRun &run, const TileOperands<double> &operands, const TallStart &start,
                 const int32_t *is_refused)
        : context_(context),
          run_(run),
          o_(operands),
          start_(start),
          tiling_(run.job.tiling),
          is_refused_(is_refused),
          next_(run.tall_counters) {}

    xbatchStatus_t run() {
        const QrJob &job = run_.job;
        const int64_t panels = tiling_.panels(), nb = tiling_.config.nb;
        for (int64_t n = 0; n < panels; ++n) {
            const int64_t panel = job.is_forward ? n : panels - 1 - n;
            const int64_t behind = std::min((panel + 1) * nb, tiling_.k),
                          first_row = job.from_diagonal ? panel * nb : 0;
            const TallSource a = n == 0 && start_.a.at ? start_.a : TallSource{o_.a, o_.lda};
            if (job.factors) {
                XBATCH_TRY(factor(panel, a));
                XBATCH_TRY(
                    update(panel, {a.at + behind * a.ld, a.ld}, o_.a + behind * o_.lda, o_.lda, tiling_.k - behind, 0));
            }
            double *const others = o_.others.from(0, first_row).at;
            XBATCH_TRY(update(panel, {others, o_.others.ld}, others, o_.others.ld, o_.other_columns - first_row,
                              start_.is_identity ? behind - first_row : 0));
        }
        return XBATCH_STATUS_SUCCESS;
    }

private:
    int32_t *take(int64_t count) {
        int32_t *const taken = next_;
        next_ += count;
        return taken;
    }
    xbatchStatus_t factor(int64_t panel, const TallSource &from) {
        const int64_t heads = tiling_.heads(panel);
        int32_t *const counters = take(1 + 3 * heads);
        made_ = counters + 1 + heads;
        const TallPanel p = {tiling_,      int32_t(panel), from,         o_.a,  o_.lda,
                             o_.triangles, counters,       counters + 1, made_, run_.bad};
        if (!context_.has_clusters || heads < least_gram_heads)
            return Launch(context_, heads, panel_threads)(factor_tall_panel, "factor_tall_panel", p);
        made_ = nullptr;
        return factor_by_grams(p, heads);
    }
    xbatchStatus_t factor_by_grams(TallPanel p, int64_t heads) {
        int32_t *const counters = take(1 + heads);
        const TallGram g = {p, {run_.tall_slots, counters + 1, counters}, PanelOrder(tiling_, p.panel)};
        const int64_t tiles = tiling_.tiles() - tiling_.first_tile(p.panel), per_block = cholesky_threads / 32;
        XBATCH_TRY(Launch(context_, heads + tiles, panel_threads)(begin_tall_panel, "begin_tall_panel", g));
        XBATCH_TRY(Launch(context_, heads, sum_threads_of_tall).dependent()(sum_tall_grams, "sum_tall_grams", g));
        XBATCH_TRY(Launch(context_, parts_of(tiles + heads - 1, per_block), cholesky_threads)
                       .dependent()(factor_tall_grams, "factor_tall_grams", g));
        XBATCH_TRY(Launch(context_, tiles + heads, step_threads).dependent()(take_tall_steps, "take_tall_steps", g));
        p.refused = counters;
        return Launch(context_, heads, panel_threads).dependent()(factor_tall_panel, "factor_tall_panel", p);
    }
    xbatchStatus_t update(int64_t panel, const TallSource &from, double *c, int64_t ldc, int64_t columns,
                          int64_t zeros) {
        if (columns <= 0) return XBATCH_STATUS_SUCCESS;
        const int64_t blocks = tiling_.heads(panel) * groups_of(columns);
        int32_t *const counters = take(1 + blocks);
        // The first update after a factorisation overlaps it, if the device can do that.
        const int32_t *const made = context_.has_clusters ? made_ : nullptr;
        made_ = nullptr;
        const TallUpdate u = {tiling_, int32_t(panel), o_.is_adjoint, o_.a,     o_.lda,       o_.triangles, from, c,
                              ldc,     columns,        zeros,         counters, counters + 1, made};
        Launch launch(context_, blocks, update_threads, sizeof(TallUpdateShared));
        if (made) launch.dependent();
        return launch(update_tall, "update_tall", u, is_refused_);
    }

    Context &context_;
    const DeviceRun &run_;
    const TileOperands<double> &o_;
    const TallStart &start_;
    const Tiling &tiling_;
    const int32_t *is_refused_;
    int32_t *next_;
    int32_t *made_ = nullptr;  // of the last launch, if that was a factorisation
};

}  // namespace

bool is_tall_form(const xbatchTiledConfig_t &config) {
    return config.tree == XBATCH_TREE_DOMAINS && config.nb <= block_columns && config.ib == config.nb;
}

int64_t tall_counters(const QrJob &job) {
    const Tiling &t = job.tiling;
    if (!is_tall_form(t.config)) return 0;
    const int64_t nb = t.config.nb;
    int64_t count = 0;
    for (int64_t panel = 0; panel < t.panels(); ++panel) {
        const int64_t heads = t.heads(panel);
        if (job.factors)
            count += 1 + 3 * heads + 1 + heads + 1 + heads * groups_of(t.k - std::min((panel + 1) * nb, t.k));
        count += 1 + heads * groups_of(job.others * nb);
    }
    return count;
}

int64_t tall_slots(const QrJob &job) {
    const Tiling &t = job.tiling;
    if (!is_tall_form(t.config) || !job.factors) return 0;
    int64_t heads = 0;  // a last tile of a few rows is a head of narrow panels only
    for (int64_t panel = 0; panel < t.panels(); ++panel) heads = std::max(heads, t.heads(panel));
    return heads < least_gram_heads ? 0 : TallSlots::elements(t.tiles(), heads);
}

xbatchStatus_t run_tall(Context &context, const DeviceRun &run, const TileOperands<double> &operands,
                        const int32_t *is_refused, const TallStart &start) {
    const size_t bytes = size_t(reinterpret_cast<char *>(run.tall_counters + tall_counters(run.job)) -
                                reinterpret_cast<char *>(run.bad));
    XBATCH_CUDA(context, cudaMemsetAsync(run.bad, 0, bytes, stream_of(context)));
    return TallLaunches(context, run, operands, start, is_refused).run();
}

}  // namespace xbatch::qr
