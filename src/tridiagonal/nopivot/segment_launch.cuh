// segment_launch.cuh: plans the levels of long systems that are solved without pivoting, and launches them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/launch.cuh"
#include "core/level_tree.hpp"
#include "nopivot_tuning.hpp"
#include "segment_windows.cuh"

namespace xbatch::tridiagonal {

// The kernels for contiguous rows (FLAT) and for interleaved systems
template <class T, bool FLAT>
struct SegmentSizes {
    using Tuning = SegmentTuning<T>;
    static constexpr int rows = FLAT ? Tuning::flat_rows : Tuning::lanes_rows;
    static constexpr int threads = FLAT ? Tuning::flat_threads : Tuning::lanes_threads;
    static constexpr int resident = (FLAT ? Tuning::flat_resident : Tuning::lanes_resident) / threads;
};
template <class Method, class T, bool FLAT>
struct SegmentKernels : SegmentSizes<T, FLAT> {
    using Sizes = SegmentSizes<T, FLAT>;
    static constexpr auto reduce = segment_reduce<Method, T, Sizes::rows, FLAT, Sizes::threads, Sizes::resident>;
    static constexpr auto substitute =
        segment_substitute<Method, T, Sizes::rows, FLAT, Sizes::threads, Sizes::resident, false>;
    static constexpr auto solve =
        segment_substitute<Method, T, Sizes::rows, FLAT, Sizes::threads, Sizes::resident, FLAT>;
};

// The levels: long systems are cut into segments, the segments' last rows into segments again, until a system is one
// segment; and the memory of the rows of levels 1, 2, ….
template <class T, bool FLAT>
struct SegmentPlan {
    using Sizes = SegmentSizes<T, FLAT>;
    static constexpr int most_levels = 12;  // 2^63 rows, a hundred per segment
    static constexpr int most_small_blocks = 1024;

    int count = 0;  // of levels, including that of a single segment
    SegmentLevel<T> levels[most_levels];
    ReducedRows<T> rows[most_levels];  // of each level but the first
    int64_t blocks;                    // of level 0
    int32_t *unresolved;
    size_t bytes;

    SegmentPlan(const GtsvProblem &p, void *workspace) {
        Carver carver(workspace);
        unresolved = carver.take<int32_t>(FLAT ? p.batch : 0);
        GtsvProblem level = p;
        int64_t span = 1;
        each_level(p.n, [&](int64_t n) {
            const BlockShape shape = segment_shape(level);
            const int64_t segment_rows = int64_t(shape.chunks) * Sizes::rows, segments = (n - 1) / segment_rows + 1;
            const int64_t all = ((level.batch - 1) / shape.systems + 1) * level.nrhs * segments;
            if (count == 0) blocks = all;
            levels[count] = {level,         nullptr, nullptr, shape, unsigned(segments),
                             unsigned(all), p.batch, span,    p.n,   nullptr};
            if (count > 0) levels[count].fc = rows[count].fc, levels[count].fd = rows[count].fd;
            ++count;
            if (segments > 1) {
                span *= segment_rows;
                level = carve(carver, rows[count], segments, p.batch * p.nrhs);
                level.info = p.info;
            }
            return segments;
        });
        bytes = carver.bytes();
    }

    // Restricts the levels to the systems for which windows do not suffice.
    void have_windows() {
        for (int k = 0; k < count; ++k) levels[k].unresolved = unresolved;
    }
    SegmentEnds<T> ends_of(int k) const {
        if (k + 1 == count) return {};
        return {rows[k + 1].b, rows[k + 1].at, levels[k + 1]};
    }
    // Whether it is faster that each block solves the level above itself than to launch one more kernel
    bool is_small() const {
        return FLAT && count == 2 && levels[0].segments <= Sizes::threads * above_rows && blocks <= most_small_blocks;
    }

private:
    static BlockShape segment_shape(const GtsvProblem &level) {
        const int systems = FLAT ? 1 : systems_of_line<T>(level.batch);
        return block_shape(systems, Sizes::threads / systems, FLAT);
    }
    static GtsvProblem carve(Carver &carver, ReducedRows<T> &rows, int64_t n, int64_t batch) {
        for (T **array : {&rows.a, &rows.c, &rows.b, &rows.fa, &rows.fc, &rows.fd}) *array = carver.take<T>(n * batch);
        const xbatchLayout_t layout = FLAT ? XBATCH_LAYOUT_FLAT : XBATCH_LAYOUT_INTERLEAVED;
        rows.at = {layout, n, 1, FLAT ? n : batch, FLAT ? 1 : batch, 0};
        return {layout, n, 1, batch, rows.a, rows.fa, rows.c, rows.b, nullptr, rows.at, rows.at};
    }
};

// Cuts behind all segments
template <class T>
struct SegmentCuts {
    unsigned of_system;
    int64_t segment_rows, batch;
    T *known;
    Placement known_at;

    __device__ int64_t row(unsigned m) const { return (int64_t(m) + 1) * segment_rows; }
    __device__ void store(int64_t j, int64_t r, unsigned m, const AtCut<T> &found) const {
        known[known_at.offset(m, r * batch + j, 0)] = found.last;
    }
};

// The first pass: reduces every level except the last. After windows, level 0 has few blocks, as most systems may need
// no reduction.
template <class Method, class T, bool FLAT>
xbatchStatus_t launch_reduce(Context &context, const SegmentPlan<T, FLAT> &plan, bool has_windows) {
    using Kernels = SegmentKernels<Method, T, FLAT>;
    constexpr int rounds = 8;  // for load balance between multiprocessors
    const unsigned few = unsigned(context.multiprocessors * Kernels::resident * rounds);
    const size_t bytes = segment_bytes<T, Kernels::rows, FLAT>(Kernels::threads);
    for (int k = 0; k + 1 < plan.count; ++k) {
        const SegmentLevel<T> &level = plan.levels[k];
        const bool is_first = k == 0 && !has_windows;
        const unsigned blocks = k == 0 && has_windows ? std::min(level.blocks, few) : level.blocks;
        Launch launch(context, blocks, Kernels::threads, bytes);
        if (!is_first) launch.dependent();
        XBATCH_TRY(launch(Kernels::reduce, "segment_reduce", level, plan.rows[k + 1]));
    }
    return XBATCH_STATUS_SUCCESS;
}

// Two passes over the rows, 72 bytes per row of doubles instead of 40; where windows suffice they replace the first.
template <class Method, class T, bool FLAT>
xbatchStatus_t launch_segments(Context &context, const GtsvProblem &p, void *workspace) {
    using Kernels = SegmentKernels<Method, T, FLAT>;
    SegmentPlan<T, FLAT> plan(p, workspace);
    XBATCH_TRY(check_blocks(context, plan.blocks));
    if (plan.count == 1) return fail(context, XBATCH_STATUS_INTERNAL_ERROR, "a system of one segment");
    const bool tries_windows = FLAT && has_windows(p);
    if (tries_windows) {
        const SegmentCuts<T> cuts = {plan.levels[0].segments, plan.levels[1].span, p.batch, plan.rows[1].b,
                                     plan.rows[1].at};
        XBATCH_TRY(launch_windows<T>(context, p, cuts, plan.unresolved));
        plan.have_windows();
    }
    XBATCH_TRY(launch_reduce<Method>(context, plan, tries_windows));
    const size_t bytes = segment_bytes<T, Kernels::rows, FLAT>(Kernels::threads);
    const bool solves_above = plan.is_small();
    const auto substitute = solves_above ? Kernels::solve : Kernels::substitute;
    for (int k = solves_above ? 0 : plan.count - 1; k >= 0; --k)
        XBATCH_TRY(
            Launch(context, plan.levels[k].blocks, Kernels::threads, bytes)
                .dependent()(substitute, "segment_substitute", plan.levels[k], k + 1 == plan.count, plan.ends_of(k)));
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t segments_workspace(const GtsvProblem &p, bool flat) {
    return flat ? SegmentPlan<T, true>(p, nullptr).bytes : SegmentPlan<T, false>(p, nullptr).bytes;
}

}  // namespace xbatch::tridiagonal
