// gtsv_cuda.cu: launches the pivoting solver for open and periodic systems on CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#include "columns_block.cuh"
#include "columns_tuning.hpp"
#include "core/launch.cuh"
#include "core/level_tree.hpp"
#include "flat_block.cuh"
#include "gtsv_definite.hpp"
#include "gtsv_leaves.cuh"
#include "gtsv_once.hpp"
#include "gtsv_shifted.hpp"
#include "gtsv_unpivoted.hpp"
#include "once_sweep.hpp"
#include "short_systems.cuh"
#include "tridiagonal/nopivot/segment_windows.cuh"

namespace xbatch::tridiagonal {
namespace {

template <class T, bool FLAT, InterfaceJob JOB>
xbatchStatus_t launch_blocks(Context &context, const GtsvProblem &p, InterfacePlan plan,
                             const InterfaceSegments<T> &segments) {
    plan.is_wide = segments.leaves.is_wide && is_wide<T>(p, plan, FLAT);
    // Prefetch only where many threads of a system wait for each other
    if (p.nrhs == 1 && plan.lanes_log > 5) plan.ahead = context.multiprocessors / plan.parts;
    const int64_t groups = ((p.batch - 1) >> plan.systems_log) + 1;
    const int64_t blocks = groups * p.nrhs * plan.parts * segments.segments;
    Launch launch(context, blocks, InterfacePlan::threads, interface_bytes<T>(plan));
    launch.rows(p.planes[0], p.planes[1]);
    if (JOB == InterfaceJob::CLUSTER) launch.cluster(plan.parts);
    if (JOB == InterfaceJob::SOLVE || (JOB == InterfaceJob::CONDENSE && segments.unresolved)) launch.dependent();
    return launch(interface_block<T, FLAT, JOB>, "interface_block", p, plan, segments);
}

// Clusters of more blocks than all devices with clusters have solve whole memory lines of systems, instead of half
// lines. Changes the plan if the device has them, the systems are real, and there are enough of them.
template <class T>
void enlarge_clusters(Context &context, const GtsvProblem &p, bool is_periodic, InterfacePlan &plan) {
    constexpr bool is_real = sizeof(T) == sizeof(Real<T>);
    const auto kernel = interface_block<T, false, InterfaceJob::CLUSTER>;
    InterfacePlan large;
    plan_interface<T>(p.n, p.batch, false, large_parts_log, most_rows_of_thread<T>(context), is_periodic, large);
    const int64_t blocks = ((p.batch - 1) >> large.systems_log) + 1 << large.parts_log;
    if (!is_real || large.parts <= plan.parts || plan.parts == 1 || blocks < 2 * context.multiprocessors) return;
    Launch launch(context, large.parts, InterfacePlan::threads, interface_bytes<T>(large));
    if (launch.cluster(large.parts).fits_device(kernel)) plan = large;
}

template <class T, InterfaceJob JOB, int K>
xbatchStatus_t launch_flat(Context &context, const GtsvProblem &p, const FlatPlan &plan) {
    const int64_t groups = (p.batch - 1) / plan.systems() + 1;
    Launch launch(context, groups * plan.side_groups * plan.parts, plan.threads(), flat_bytes<T>(plan));
    launch.rows(p.planes[0], p.planes[1]);
    if (JOB == InterfaceJob::CLUSTER) launch.cluster(plan.parts);
    return launch(flat_block<T, JOB, K>, "flat_block", p, plan);
}

template <class T, InterfaceJob JOB, int K>
xbatchStatus_t launch_columns(Context &context, const GtsvProblem &p, const ColumnsPlan &plan) {
    constexpr int line = FlatTile<T>::banks;  // systems of a memory line
    const int64_t groups = ((p.batch - 1) >> plan.systems_log) + 1;
    Launch launch(context, groups * plan.side_groups * plan.parts, plan.threads(), columns_bytes<T>(plan));
    if (JOB == InterfaceJob::CLUSTER) launch.cluster(plan.parts);
    if constexpr (K == 1 && sizeof(T) == sizeof(Real<T>)) {
        const bool is_general = !p.is_definite && !p.shift.is_given && !plan.is_unpivoted;
        const int whole = is_general && plan.a_is_wide && plan.b_is_wide ? plan.systems() : 0;
        if (whole == line) return launch(columns_block<T, JOB, K, line>, "columns_block", p, plan);
        if constexpr (JOB == InterfaceJob::CLUSTER)
            if (whole == line / 2) return launch(columns_block<T, JOB, K, line / 2>, "columns_block", p, plan);
    }
    return launch(columns_block<T, JOB, K, 0>, "columns_block", p, plan);
}

// The memory of a long system's interface equations: of its segments, and of the levels above them.
template <class T>
struct LongPlan {
    int32_t *unresolved;  // as InterfaceSegments has it
    LevelTree<InterfaceLevel<T>> tree;

    LongPlan(Carver &carver, const GtsvProblem &p, int64_t segments) : unresolved(carver.take<int32_t>(p.batch)) {
        tree.carve(carver, p.batch * p.nrhs, segments);
        for (InterfaceLevel<T> &level : tree.level) level.nrhs = p.nrhs;
    }
    // Restricts the levels to the systems for which windows do not suffice.
    void have_windows() {
        for (InterfaceLevel<T> &level : tree.level) level.unresolved = unresolved;
    }
};

// A cut before every segment, and one behind the last. The unknowns outside a segment are stored where Known has them.
template <class T>
struct InterfaceCuts {
    unsigned of_system;
    int64_t n, nrhs, segment_rows;
    InterfaceSegments<T> segments;

    __device__ int64_t row(unsigned m) const { return min(n, m * segment_rows); }
    __device__ void store(int64_t j, int64_t r, unsigned m, const AtCut<T> &found) const {
        T *const behind = segments.equations + ((j * nrhs + r) * segments.segments + m) * InterfaceSegments<T>::values;
        T *const before = behind - InterfaceSegments<T>::values;
        if (m < segments.segments) behind[0] = found.last;
        if (m > 0) before[3] = found.first;
    }
};

// Two passes over the rows; where windows suffice they replace the first.
template <class T, bool FLAT>
xbatchStatus_t solve_long(Context &context, const GtsvProblem &p, bool is_periodic, void *workspace) {
    InterfacePlan plan;
    const int64_t segments = plan_interface_segments<T>(context, p.n, p.nrhs, p.batch, FLAT, is_periodic, plan);
    Carver carver(workspace);
    LongPlan<T> levels(carver, p, segments);
    const LevelTree<InterfaceLevel<T>> &tree = levels.tree;
    InterfaceSegments<T> rows = {unsigned(segments), tree.level[0].equations, nullptr};
    XBATCH_TRY(check_blocks(context, p.batch * p.nrhs * tree.level[0].groups));
    if (FLAT && !is_periodic && plan.systems_log == 0 && has_windows(p)) {
        const InterfaceCuts<T> cuts{unsigned(segments) + 1, p.n, p.nrhs, plan.part_rows, rows};
        XBATCH_TRY(launch_windows<T>(context, p, cuts, levels.unresolved));
        rows.unresolved = levels.unresolved;
        levels.have_windows();
    }
    XBATCH_TRY(launch_blocks<T, FLAT, InterfaceJob::CONDENSE>(context, p, plan, rows));
    const auto warps = [&](const InterfaceLevel<T> &level) {
        return Launch(context, level.units * level.groups, 32).dependent();
    };
    const int top = tree.count - 1;
    for (int l = 0; l < top; ++l)
        XBATCH_TRY(warps(tree.level[l])(interface_condense<T>, "interface_condense", tree.level[l]));
    for (int l = top; l >= 0; --l) {
        const auto expand = l == top ? interface_expand<T, true> : interface_expand<T, false>;
        XBATCH_TRY(warps(tree.level[l])(expand, "interface_expand", tree.level[l], is_periodic, p.n, p.info));
    }
    return launch_blocks<T, FLAT, InterfaceJob::SOLVE>(context, p, plan, rows);
}

// Launches the job for the leaves of each right-hand side.
template <class T, bool FLAT, InterfaceJob JOB>
xbatchStatus_t launch_leaves(Context &context, GtsvProblem p, int64_t side_step, const LeafWork<T> &work) {
    const int64_t segments = work.leaves * work.division.segments;
    InterfacePlan plan = work.division.plan;
    plan.n = p.n;
    for (int64_t r = 0; r < work.nrhs; ++r, p.b_at.origin += side_step) {
        const int64_t first = r * work.batch;
        InterfaceSegments<T> of_leaves = {
            unsigned(segments), work.tree.level[0].equations + first * segments * InterfaceSegments<T>::values,
            nullptr};
        of_leaves.leaves = {work.leaf_row, unsigned(work.division.segments), work.is_wide,
                            work.bad + first * work.leaves, work.stop};
        XBATCH_TRY(launch_blocks<T, FLAT, JOB>(context, p, plan, of_leaves));
    }
    return XBATCH_STATUS_SUCCESS;
}

// Whether systems with contiguous rows are solved faster by pairs of rows (interface_block.cuh): short ones, and those
// whose threads have the most rows, of long ones in complex float all of them, but not complex double
template <class T>
bool has_fast_pairs(const Context &context, const GtsvProblem &p, const InterfacePlan &plan, const FlatPlan &flat) {
    constexpr bool is_real = sizeof(T) == sizeof(Real<T>);
    constexpr int short_rows = is_real ? 24 : 128 / int(sizeof(T));
    constexpr int quad_rows = is_real || sizeof(T) == 16 ? short_rows : 28;  // of systems of whole pairs in two lanes
    if (p.n < 5 || (p.n <= short_rows && !flat.is_run)) return true;
    const int full = plan.lanes() * InterfaceTile<T>::most_rows;
    // Few short systems are waited for, not their bytes. Pairs of float have the most rows in a thread.
    const int64_t few_rows = sizeof(T) > 4 ? 80'000 : plan.lanes() <= 16 ? 400'000 : 150'000;
    const bool are_few = plan.lanes() <= 32 && plan.lanes() >= (sizeof(T) == 4 ? 1 : 8) &&
                         (is_real ? p.batch * p.n <= few_rows : p.batch <= context.multiprocessors);
    const int least = is_real || p.n <= 128 ? full * 9 : full * 10;  // tenths of rows
    const bool is_full = sizeof(T) < 16 && !are_few && plan.part_rows * 10 >= least && plan.part_rows <= full;
    const bool is_short = p.n <= short_rows || (p.n % 4 == 0 && p.n <= quad_rows);
    return p.n % 2 == 0 && is_wide<T>(p, plan, true) && (is_short || is_full);
}

// The same for interleaved systems: those of one thread, and most of those that would need a cluster of many parts,
// whose blocks wait for each other; complex ones, and real ones that are not copied by 16 bytes, also if all threads
// have the most rows; in clusters not complex double, and double that is not copied by 16 bytes only if both hold
template <class T>
bool has_fast_pairs(const Context &, const GtsvProblem &p, const InterfacePlan &plan, const ColumnsPlan &columns) {
    constexpr int most_rows = InterfaceTile<T>::most_rows;
    constexpr bool is_real = sizeof(T) == sizeof(Real<T>);
    const bool is_full = 2 * plan.pairs == most_rows, has_lines = plan.systems() >= InterfaceTile<T>::line;
    if (p.n <= most_rows) return !columns.a_by_lines || p.n <= most_rows / 2;
    if (columns.systems() < InterfaceTile<T>::line) return false;
    if (is_real && columns.b_is_wide && (columns.parts <= (sizeof(T) == 4 ? 2 : 4) || !has_lines)) return false;
    if (sizeof(T) == 8 && is_real && columns.b_is_wide) return true;
    if (columns.parts == 1) return is_full && plan.part_rows == plan.lanes() * most_rows && is_wide<T>(p, plan, false);
    if (sizeof(T) == 4) return 32 * plan.pairs > 9 * most_rows && columns.parts > 2;
    if (!has_lines || sizeof(T) == 16) return false;
    const bool has_many_parts = columns.parts > 4, is_by_elements = is_real && !is_wide<T>(p, plan, false);
    return is_by_elements ? is_full && has_many_parts : is_full || has_many_parts;
}

// Several right-hand sides of a matrix each, as many as fit a block with it; they follow one elimination. False if only
// one fits.
template <class T>
bool solve_flat_sides(Context &context, const GtsvProblem &p, bool is_periodic, xbatchStatus_t &status) {
    FlatPlan plan;
    for (int sides = most_sides<T>; sides > 1 && context.has_clusters; --sides) {
        if (!plan_flat<T>(context, p, is_periodic, sides, plan)) continue;
        status = launch_flat<T, InterfaceJob::BLOCK, most_sides<T>>(context, p, plan);
        return true;
    }
    return false;
}
// The same for interleaved systems: all for a memory line of systems in a block, or as many as possible for half a line
// in a block or a cluster, or, of long systems, for a quarter.
template <class T>
bool solve_column_sides(Context &context, const GtsvProblem &p, bool is_periodic, xbatchStatus_t &status) {
    constexpr int K = most_sides<T>;
    const int part_log = p.n < (sizeof(T) < 16 ? 896 : 384) ? 1 : 2;
    ColumnsPlan plan;
    bool fits = plan_columns<T>(context, p, is_periodic, K, 0, plan);
    for (int sides = K; !fits && sides > 1; --sides)
        fits = plan_columns<T>(context, p, is_periodic, sides, part_log, plan);
    if (fits)
        status = plan.parts > 1 ? launch_columns<T, InterfaceJob::CLUSTER, K>(context, p, plan)
                                : launch_columns<T, InterfaceJob::BLOCK, K>(context, p, plan);
    return fits;
}
template <class T, bool FLAT>
bool solve_sides(Context &context, const GtsvProblem &p, bool is_periodic, xbatchStatus_t &status) {
    if (p.nrhs == 1) return false;
    return FLAT ? solve_flat_sides<T>(context, p, is_periodic, status)
                : solve_column_sides<T>(context, p, is_periodic, status);
}

// Contiguous right-hand sides of one matrix, too long for sweeps over its factors: they are those of systems that have
// as many as follow one elimination. False if this is not so.
template <class T>
bool solve_shared_flat(Context &context, GtsvProblem p, bool is_periodic, xbatchStatus_t &status) {
    constexpr int sweep_bytes = 3200;  // of a right-hand side
    if (!is_flat(p) || !context.has_clusters || all_systems(p) != p.batch || p.n * int64_t(sizeof(T)) < sweep_bytes)
        return false;
    const int64_t infos = p.batch, of_info = p.nrhs, all = infos * of_info;
    p.a_at.ld = 0;
    for (int sides = most_sides<T>; sides > 1; --sides) {
        FlatPlan plan;
        p.batch = (all - 1) / sides + 1, p.nrhs = p.b_at.nrhs = sides;
        if (!plan_flat<T>(context, p, is_periodic, sides, plan)) continue;
        plan.all_sides = all, plan.of_info = of_info;
        status = clear_info(context, p.info, infos);
        if (status == XBATCH_STATUS_SUCCESS)
            status = launch_flat<T, InterfaceJob::BLOCK, most_sides<T>>(context, p, plan);
        return true;
    }
    return false;
}

// Whether these kernels are faster than those of the P-scheme, which needs more instructions to load a row, but no
// shared memory: not in clusters of FLAT systems, nor where rows are copied by elements
template <class T>
bool is_fast_unpivoted(const FlatPlan &plan) {
    return plan.parts == 1;
}
template <class T>
bool is_fast_unpivoted(const ColumnsPlan &plan) {
    return plan.a_is_wide && plan.b_is_wide && plan.parts <= (sizeof(T) == 4 ? 2 : 1);
}

// Each right-hand side by any number of lanes
template <class T>
xbatchStatus_t launch_lanes(Context &context, const GtsvProblem &p, const FlatPlan &plan) {
    return plan.parts > 1 ? launch_flat<T, InterfaceJob::CLUSTER, 1>(context, p, plan)
                          : launch_flat<T, InterfaceJob::BLOCK, 1>(context, p, plan);
}
template <class T>
xbatchStatus_t launch_lanes(Context &context, const GtsvProblem &p, const ColumnsPlan &plan) {
    return plan.parts > 1 ? launch_columns<T, InterfaceJob::CLUSTER, 1>(context, p, plan)
                          : launch_columns<T, InterfaceJob::BLOCK, 1>(context, p, plan);
}

// Open systems of few rows, by two lanes each, unless arrays are large. FLAT ones, of which each lane reads memory
// lines of its own, and the shortest ones only where latency decides.
template <class T>
bool are_short(const GtsvProblem &p) {
    constexpr int64_t bytes = sizeof(T);
    const int64_t most = is_flat(p) ? 800'000 : p.n * bytes < 32 ? 500'000 : 12'000'000;  // bytes of an array
    const auto is_even = [](const Placement &at) { return at.layout <= XBATCH_LAYOUT_INTERLEAVED && at.nrhs == 1; };
    return p.n <= ShortSystems<T>::most_rows && is_even(p.a_at) && is_even(p.b_at) && all_systems(p) == p.batch &&
           p.batch * p.n * bytes <= most;
}
template <class T>
xbatchStatus_t launch_short(Context &context, const GtsvProblem &p) {
    using Systems = ShortSystems<T>;
    const auto first = [](const void *array, const Placement &at) { return static_cast<const T *>(array) + at.origin; };
    const auto distance = [](const Placement &at) { return at.layout == XBATCH_LAYOUT_FLAT ? at.ld : 1; };
    const Systems systems = {first(p.dl, p.a_at),
                             first(p.d, p.a_at),
                             first(p.du, p.a_at),
                             static_cast<T *>(p.b) + p.b_at.origin,
                             p.info,
                             distance(p.a_at),
                             p.a_at.step,
                             distance(p.b_at),
                             p.b_at.step,
                             int(p.n),
                             int(p.batch),
                             p.is_conjugated};
    constexpr int half = Systems::most_rows / 2;
    Launch launch(context, (p.batch - 1) / Systems::systems + 1, Systems::threads);
    return launch(p.n <= half ? short_systems<T, half / 2> : short_systems<T, half>, "short_systems", systems);
}

template <class T, bool FLAT>
xbatchStatus_t solve_each(Context &context, const GtsvProblem &p, bool is_periodic, void *workspace) {
    InterfacePlan plan;
    XBATCH_TRY(clear_info(context, p.info, all_systems(p), p.nrhs > 1));
    if (xbatchStatus_t status; solve_sides<T, FLAT>(context, p, is_periodic, status)) return status;
    const int parts_log = context.has_clusters ? most_parts_log : 0;
    const bool fits =
        plan_interface<T>(p.n, p.batch, FLAT, parts_log, most_rows_of_thread<T>(context), is_periodic, plan);
    LanesPlan<FLAT> by_lanes;
    // Half a memory line of systems at a time is faster than reading all rows twice, and so is a quarter, if a
    // multiprocessor has three blocks of a cluster.
    constexpr int quarter_rows = sizeof(T) == sizeof(Real<T>) ? 4500 : 0;
    const int long_log = p.n <= quarter_rows ? 2 : 1;
    if (plan_lanes<T>(context, p, is_periodic, by_lanes, fits ? 0 : long_log) &&
        !(fits && has_fast_pairs<T>(context, p, plan, by_lanes))) {
        prefer_half_lines<T>(context, p, is_periodic, by_lanes);
        return launch_lanes<T>(context, p, by_lanes);
    }
    if (!fits)
        return for_each_plane(
            p, [&](const GtsvProblem &plane) { return solve_long<T, FLAT>(context, plane, is_periodic, workspace); });
    if (!FLAT) enlarge_clusters<T>(context, p, is_periodic, plan);
    const InterfaceSegments<T> none = {1, nullptr, nullptr};
    return plan.parts > 1 ? launch_blocks<T, FLAT, InterfaceJob::CLUSTER>(context, p, plan, none)
                          : launch_blocks<T, FLAT, InterfaceJob::BLOCK>(context, p, plan, none);
}

template <class T>
xbatchStatus_t solve(Context &context, const GtsvProblem &p, bool is_periodic, void *workspace) {
    if (is_solved_once<T>(context, p)) {
        SweepPlan sweep;
        xbatchStatus_t status;
        if (is_swept<T>(context, p, is_periodic, sweep))
            return gtsv_once<T>(context, p, is_periodic, &sweep, workspace);
        return solve_shared_flat<T>(context, p, is_periodic, status)
                   ? status
                   : gtsv_once<T>(context, p, is_periodic, nullptr, workspace);
    }
    if (!is_periodic && are_short<T>(p)) return launch_short<T>(context, p);
    return is_flat(p) ? solve_each<T, true>(context, p, is_periodic, workspace)
                      : solve_each<T, false>(context, p, is_periodic, workspace);
}

template <class T>
size_t workspace_for(const Context &context, const GtsvProblem &p, bool flat) {
    InterfacePlan plan;
    const int parts_log = context.has_clusters ? most_parts_log : 0;
    if (plan_interface<T>(p.n, p.batch, flat, parts_log, most_rows_of_thread<T>(context), false, plan)) return 0;
    Carver carver(nullptr);
    LongPlan<T>(carver, p, plan_interface_segments<T>(context, p.n, p.nrhs, p.batch, flat, false, plan));
    return carver.bytes();
}

}  // namespace

template <class T>
xbatchStatus_t gtsv_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    return solve<T>(context, p, false, workspace);
}
// The leading dimensions may turn another layout into FLAT (layout.hpp), and 0 means one matrix: the workspace must
// suffice for all of these.
template <class T>
size_t gtsv_cuda_workspace(const Context &context, const GtsvProblem &p) {
    const size_t least = std::max(gtsv_once_workspace<T>(context, p), workspace_for<T>(context, p, true));
    return p.layout == XBATCH_LAYOUT_FLAT ? least : std::max(least, workspace_for<T>(context, p, false));
}
// Several right-hand sides that follow one elimination, or each by any number of lanes; false if systems are longer
template <class T, bool FLAT>
bool solve_by_lanes(Context &context, const GtsvProblem &p, bool is_periodic, xbatchStatus_t &status) {
    status = clear_info(context, p.info, p.batch, p.nrhs > 1);
    if (status != XBATCH_STATUS_SUCCESS || solve_sides<T, FLAT>(context, p, is_periodic, status)) return true;
    LanesPlan<FLAT> plan;
    if (!plan_lanes<T>(context, p, is_periodic, plan, least_part_log)) return false;
    status = launch_lanes<T>(context, p, plan);
    return true;
}
template <class T>
bool solve_by_lanes(Context &context, const GtsvProblem &p, bool is_periodic, xbatchStatus_t &status) {
    return is_flat(p) ? solve_by_lanes<T, true>(context, p, is_periodic, status)
                      : solve_by_lanes<T, false>(context, p, is_periodic, status);
}
template <class T, bool FLAT>
bool solve_unpivoted(Context &context, const GtsvProblem &p, xbatchStatus_t &status) {
    LanesPlan<FLAT> plan;
    if (p.nrhs > 1 || !plan_lanes<T>(context, p, false, plan) || !is_fast_unpivoted<T>(plan)) return false;
    plan.is_unpivoted = true;
    status = launch_lanes<T>(context, p, plan);
    return true;
}
template <class T>
bool gtsv_unpivoted(Context &context, const GtsvProblem &p, xbatchStatus_t &status) {
    return is_flat(p) ? solve_unpivoted<T, true>(context, p, status) : solve_unpivoted<T, false>(context, p, status);
}
template <class T>
bool gtsv_definite(Context &context, const GtsvProblem &p, xbatchStatus_t &status) {
    constexpr int64_t flat_rows = 131072 / sizeof(T), rows = 32768 / sizeof(T);
    if (p.a_at.ld == 0 && solve_shared_flat<T>(context, p, false, status)) return true;
    // Longer ones are faster in two passes.
    return p.n <= (is_flat(p) ? flat_rows : rows) && solve_by_lanes<T>(context, p, false, status);
}
template <class T>
bool fits_gtsv_definite(const Context &context, int64_t n, bool flat) {
    if (flat && !context.has_clusters) return false;
    constexpr int64_t flat_rows = 16384 / sizeof(T), rows = 1024 / sizeof(T);  // of a block
    const int most_threads = flat ? FlatPlan::most_threads() : 32;
    const int64_t most = std::min<int64_t>(flat ? flat_rows : rows, most_threads * most_rows_of_lane<T>(context));
    return n <= (context.has_clusters ? most << most_parts_log : most);
}
template <class T>
bool gtsv_definite_once(Context &context, const GtsvProblem &p, void *workspace, xbatchStatus_t &status,
                        bool &finds_info) {
    if (!is_solved_once<T>(context, p)) return false;
    finds_info = solve_shared_flat<T>(context, p, false, status);
    if (!finds_info) status = gtsv_once<T>(context, p, false, nullptr, workspace);
    return true;
}
template <class T>
size_t gtsv_definite_workspace(const Context &context, const GtsvProblem &p) {
    return gtsv_once_workspace<T>(context, p);
}
template <class T>
bool gtsv_shifted(Context &context, const GtsvProblem &p, bool is_periodic, xbatchStatus_t &status) {
    return solve_by_lanes<T>(context, p, is_periodic, status);
}
template <class T>
xbatchStatus_t periodic_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    return solve<T>(context, p, true, workspace);
}
template <class T>
size_t periodic_cuda_workspace(const Context &context, const GtsvProblem &p) {
    return gtsv_cuda_workspace<T>(context, p);
}

template <class T>
xbatchStatus_t condense_leaves(Context &context, const GtsvProblem &p, int64_t side_step, const LeafWork<T> &work) {
    const auto launch =
        work.is_flat ? launch_leaves<T, true, InterfaceJob::CONDENSE> : launch_leaves<T, false, InterfaceJob::CONDENSE>;
    XBATCH_TRY(clear_info(context, work.bad, work.nrhs * work.batch * work.leaves));
    XBATCH_TRY(launch(context, p, side_step, work));
    for (int l = 0; l < work.tree.count && work.division.segments > 1; ++l) {
        const InterfaceLevel<T> &level = work.tree.level[l];
        Launch warps(context, level.units * level.groups, 32);
        XBATCH_TRY(warps.dependent()(interface_condense<T>, "interface_condense", level));
    }
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
xbatchStatus_t solve_leaves(Context &context, const GtsvProblem &p, int64_t side_step, const LeafWork<T> &work) {
    for (int l = work.tree.count - 1; l >= 0 && work.division.segments > 1; --l) {
        const InterfaceLevel<T> &level = work.tree.level[l];
        Launch warps(context, level.units * level.groups, 32);
        XBATCH_TRY(warps.dependent()(interface_expand<T, false>, "interface_expand", level, false, p.n, nullptr));
    }
    const auto launch =
        work.is_flat ? launch_leaves<T, true, InterfaceJob::SOLVE> : launch_leaves<T, false, InterfaceJob::SOLVE>;
    return launch(context, p, side_step, work);
}

XBATCH_INSTANTIATE_TYPES(condense_leaves);
XBATCH_INSTANTIATE_TYPES(solve_leaves);
XBATCH_INSTANTIATE_BACKEND(gtsv_cuda);
XBATCH_INSTANTIATE_TYPES(gtsv_unpivoted);
XBATCH_INSTANTIATE_TYPES(gtsv_definite);
XBATCH_INSTANTIATE_TYPES(fits_gtsv_definite);
XBATCH_INSTANTIATE_TYPES(gtsv_definite_once);
XBATCH_INSTANTIATE_TYPES(gtsv_definite_workspace);
XBATCH_INSTANTIATE_BACKEND(periodic_cuda);
XBATCH_INSTANTIATE_TYPES(gtsv_shifted);

}  // namespace xbatch::tridiagonal
