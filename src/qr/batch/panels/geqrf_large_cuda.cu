// geqrf_large_cuda.cu: large matrices by panels: factor a panel, then apply its block reflector to the trailing matrix.
// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "block_reflector.cuh"
#include "core/dispatch.hpp"
#include "core/launch.cuh"
#include "core/workspace.hpp"
#include "geqrf_tall.hpp"
#include "gram_panel.cuh"
#include "qr_panel.cuh"

namespace xbatch::qr {
namespace {

// A step: two panels of columns, of which the first is applied to the second, and both to the trailing matrix
struct LargeStep {
    int64_t first, left, both;  // columns of the first panel, and of both

    LargeStep(const GeqrfBatch &p, int64_t begin)
        : first(begin),
          left(std::min<int64_t>(panel_columns, std::min(p.m, p.n) - begin)),
          both(std::min<int64_t>(most_vectors, std::min(p.m, p.n) - begin)) {}
    int64_t behind() const { return first + both; }
};
template <class F>
void each_step(const GeqrfBatch &p, F f) {
    for (int64_t first = 0; first < std::min(p.m, p.n); first += most_vectors) f(LargeStep(p, first));
}
template <class T>
PanelSplit split_of(const Context &context, const GeqrfBatch &p, int64_t first) {
    return split_panel<T>(context, p.m - first, p.batch);
}
// By their sizes; only matrices of the flat layout do.
template <class T>
bool has_tree(const Context &context, const GeqrfBatch &p, const LargeStep &s) {
    return p.layout == XBATCH_LAYOUT_FLAT && uses_tree<T>(context, p.m - s.first, s.both);
}
// The blocks of a matrix whose two panels are factored together by the products of their columns (gram_panel.cuh), or
// 0. With more rows each block has too many of them, with fewer the exchanges take less time (H100).
// A matrix alone takes a cluster larger than the portable size, if the device has it and there are rows for it.
constexpr int64_t least_gram_rows = 128, most_gram_rows = 12288, rows_of_large_cluster = 1024;
constexpr int large_cluster = 2 * most_cluster;
template <class T>
int gram_blocks(const Context &context, const GeqrfBatch &p, const LargeStep &s) {
    const int64_t rows = p.m - s.first, all = context.multiprocessors;
    if (sizeof(T) > sizeof(Real<T>) || s.both == s.left || rows < least_gram_rows || rows > most_gram_rows) return 0;
    if (!context.has_clusters || size_t(context.shared_per_block) < sizeof(GramShared)) return 0;
    if (has_tree<T>(context, p, s)) return 0;
    int blocks = 1;
    while (2 * blocks <= most_cluster && 2 * blocks * p.batch <= all) blocks *= 2;
    return blocks;
}
// Whether the device can run a panel by a cluster larger than the portable size
template <class T>
bool has_large_clusters(Context &context) {
    if constexpr (sizeof(T) == sizeof(Real<T>))
        return Launch(context, large_cluster, product_threads, sizeof(GramShared))
            .cluster(large_cluster)
            .fits_device(factor_gram_panel<T>);
    return false;
}
// Look-ahead: the columns of the trailing matrix that are updated before the next panels, and those that are updated
// while these are factored by a part of the multiprocessors. Otherwise, or if they have fewer elements than pay for the
// additional launches (H100), all are updated before.
constexpr int64_t least_look_ahead = 3 << 19;
struct Trailing {
    int64_t near, far;
};
template <class T>
Trailing trailing_of(const Context &context, const GeqrfBatch &p, const LargeStep &s) {
    const int64_t columns = p.n - s.behind(), next = LargeStep(p, s.behind()).both;
    if (next <= 0 || columns <= next || !context.has_clusters || has_tree<T>(context, p, LargeStep(p, s.behind())))
        return {columns, 0};
    const PanelSplit split = split_of<T>(context, p, s.behind());
    const bool leaves_room = int64_t(split.blocks) * split.groups * 4 <= context.multiprocessors;
    const int64_t far = columns - next;
    if (!leaves_room || (p.m - s.first) * far * p.batch < least_look_ahead) return {columns, 0};
    return {next, far};
}

template <class T>
struct ReflectorSpace {
    T *products, *changes;

    ReflectorSpace(Carver &carver, const ReflectorRoom &room)
        : products(carver.take<T>(room.products)), changes(carver.take<T>(room.changes)) {}
};
template <class T>
struct GeqrfPlan {
    int64_t places = 0;
    size_t tree_bytes = 0;
    ReflectorRoom room, far_room;
    Carver carver;
    Mailbox<T> *mailboxes;
    int32_t *info, *done;
    char *of_tree;
    T *triangle;  // T of a step's block reflector
    ReflectorSpace<T> near, far;
    size_t bytes;

    GeqrfPlan(const Context &context, const GeqrfBatch &p, void *workspace)
        : carver((count(context, p), workspace)),
          mailboxes(carver.take<Mailbox<T>>(places)),
          info(carver.take<int32_t>(p.batch)),
          done(carver.take<int32_t>(p.batch)),
          of_tree(carver.take<char>(int64_t(tree_bytes))),
          triangle(carver.take<T>(far_room.changes > 0 ? p.batch * most_vectors * most_vectors : 0)),
          near(carver, room),
          far(carver, far_room),
          bytes(carver.bytes()) {}

private:
    void count(const Context &context, const GeqrfBatch &p) {
        each_step(p, [&](const LargeStep &s) {
            if (has_tree<T>(context, p, s))
                tree_bytes = std::max(tree_bytes, tree_panel_workspace<T>(context, p, s.first, int(s.both)));
            for (int64_t first = s.first; first < s.behind(); first += panel_columns) {
                const PanelSplit split = split_of<T>(context, p, first);
                if (!split.in_cluster)
                    places = std::max(places, int64_t(split.groups) * 2 * (split.blocks + 1) * panel_columns);
            }
            const Trailing trailing = trailing_of<T>(context, p, s);
            room.count_in(context, p.m - s.first, s.both - s.left, p.batch);
            room.count_in(context, p.m - s.first, trailing.near, p.batch);
            far_room.count_in(context, p.m - s.first, trailing.far, p.batch);
        });
    }
};

template <class T>
class LargeFactorisation {
public:
    LargeFactorisation(Context &context, const GeqrfBatch &p, void *workspace)
        : context_(context),
          p_(p),
          plan_(context, p, workspace),
          info_(p.info ? p.info : plan_.info),
          has_large_clusters_(p.batch == 1 && p.m > rows_of_large_cluster && has_large_clusters<T>(context)) {}

    xbatchStatus_t run() {
        XBATCH_TRY(clear_info(context_, info_, p_.batch));
        if (plan_.places > 0)
            XBATCH_CUDA(context_, cudaMemsetAsync(plan_.mailboxes, 0, size_t(plan_.places) * sizeof(Mailbox<T>),
                                                  stream_of(context_)));
        xbatchStatus_t status = XBATCH_STATUS_SUCCESS;
        each_step(p_, [&](const LargeStep &s) {
            if (status == XBATCH_STATUS_SUCCESS) status = step(s);
        });
        return status;
    }

private:
    using Update = ReflectorArguments<T>;

    // The far update of the step before overlaps the panels.
    xbatchStatus_t step(const LargeStep &s) {
        const int32_t *done = nullptr;
        if (has_tree<T>(context_, p_, s)) {
            done = plan_.done;
            for (int64_t j = 0; j < p_.batch; ++j)
                XBATCH_TRY(factor_by_tree<T>(context_, p_, {j, s.first, int(s.both), info_ + j, plan_.done + j},
                                             plan_.of_tree));
        }
        if (const int blocks = gram_blocks<T>(context_, p_, s); blocks > 0) {
            const bool is_large = has_large_clusters_ && p_.m - s.first > rows_of_large_cluster;
            done = plan_.done;
            XBATCH_TRY(factor_by_products(s, is_large ? large_cluster : blocks));
            if (far_) XBATCH_TRY(launch_changes(context_, *far_));
            far_.reset();
        }
        XBATCH_TRY(factor(s.first, s.left, done));
        if (far_) XBATCH_TRY(launch_products(context_, *far_));
        if (s.both > s.left)
            XBATCH_TRY(apply_reflectors(
                context_, update(s.first, s.left, s.first + s.left, s.both - s.left, done ? done : info_, plan_.near)));
        if (far_) XBATCH_TRY(launch_substitution(context_, *far_));
        if (s.both > s.left) XBATCH_TRY(factor(s.first + s.left, s.both - s.left, done));
        if (far_) {
            far_->overlaps = s.both > s.left;
            XBATCH_TRY(launch_changes(context_, *far_));
        }
        const Trailing trailing = trailing_of<T>(context_, p_, s);
        far_.reset();
        if (trailing.near > 0) {
            Update near = update(s.first, s.both, s.behind(), trailing.near, info_, plan_.near);
            if (trailing.far > 0) near.leaves_triangle = true, near.triangle = plan_.triangle;
            XBATCH_TRY(apply_reflectors(context_, near));
        }
        if (trailing.far == 0) return XBATCH_STATUS_SUCCESS;
        // For any info, which the next panels may change meanwhile
        far_ = update(s.first, s.both, s.behind() + trailing.near, trailing.far, nullptr, plan_.far);
        far_->has_triangle = true, far_->triangle = plan_.triangle;
        if (gram_blocks<T>(context_, p_, LargeStep(p_, s.behind())) > 0) {  // which take less time than the changes
            XBATCH_TRY(launch_products(context_, *far_));
            XBATCH_TRY(launch_substitution(context_, *far_));
        }
        far_->overlaps = true;
        return XBATCH_STATUS_SUCCESS;
    }
    xbatchStatus_t factor_by_products(const LargeStep &s, int blocks) {
        if constexpr (sizeof(T) > sizeof(Real<T>)) {
            return XBATCH_STATUS_NOT_SUPPORTED;
        } else {
            const GramPanelArguments<T> panel = {
                from(s.first, s.first), tau(s.first), p_.m - s.first, int(s.both), blocks, info_, plan_.done};
            Launch launch(context_, blocks * p_.batch, product_threads, sizeof(GramShared));
            if (blocks > 1) launch.cluster(blocks);
            return launch.dependent()(factor_gram_panel<T>, "factor_gram_panel", panel);
        }
    }
    xbatchStatus_t factor(int64_t first, int64_t columns, const int32_t *done) {
        const PanelSplit s = split_of<T>(context_, p_, first);
        const PanelArguments<T> panel = {
            from(first, first), tau(first), first, p_.m - first, p_.batch, int(columns), info_, done, s,
            plan_.mailboxes,    number_};
        number_ += unsigned(((p_.batch - 1) / s.groups + 1) * 3 * panel_columns);
        Launch launch(context_, s.blocks * s.groups, s.warps * 32);
        if (s.blocks > 1 && s.in_cluster) launch.cluster(s.blocks);
        if (s.blocks > 1 && !s.in_cluster)
            launch.cooperative();
        else
            launch.dependent();
        return launch(s.tiles == 1 ? factor_panel<T, true> : factor_panel<T, false>, "factor_panel", panel);
    }
    Update update(int64_t first, int64_t vectors, int64_t column, int64_t columns, const int32_t *wrong,
                  const ReflectorSpace<T> &space) const {
        const int64_t rows = p_.m - first;
        return {from(first, first),
                from(first, column),
                tau(first),
                rows,
                columns,
                p_.batch,
                int(vectors),
                true,
                wrong,
                ReflectorParts(context_, rows, columns, p_.batch),
                space.products,
                space.changes,
                space.changes + p_.batch * columns * most_vectors};
    }
    DeviceMatrices<T> from(int64_t row, int64_t column) const {
        return device_matrices<T>(static_cast<T *>(p_.a) + row * p_.a_at.row + column * p_.a_at.column, p_.a_at, false);
    }
    DeviceTau<T> tau(int64_t first) const {
        return {static_cast<T *>(p_.tau) + first * p_.tau_at.step, p_.tau_at, nullptr};
    }

    Context &context_;
    const GeqrfBatch &p_;
    const GeqrfPlan<T> plan_;
    int32_t *const info_;
    const bool has_large_clusters_;
    unsigned number_ = 0;
    std::optional<Update> far_;  // of the step before
};

}  // namespace

template <class T>
xbatchStatus_t geqrf_large_cuda(Context &context, const GeqrfBatch &p, void *workspace) {
    return LargeFactorisation<T>(context, p, workspace).run();
}
template <class T>
size_t geqrf_large_cuda_workspace(const Context &context, const GeqrfBatch &p) {
    return GeqrfPlan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(geqrf_large_cuda);

}  // namespace xbatch::qr
