// ptsv_cuda.cu: launches the positive definite solvers, with the caller's coefficients or with stored ones.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/launch.cuh"
#include "core/level_tree.hpp"
#include "definite.hpp"
#include "spd_factors.cuh"
#include "spd_segments.cuh"
#include "spd_sweep.cuh"
#include "tridiagonal/nopivot/pscheme_kernels.cuh"
#include "tridiagonal/pivoted/gtsv_definite.hpp"

namespace xbatch::tridiagonal {
namespace {

// A segment of a long system. Threads have the most rows, as the tree above them takes as long as many rows.
template <class T>
constexpr int segment_rows = PschemeTuning<T>::most_rows;  // per thread
constexpr int segment_threads = 128;                       // per block
constexpr int segment_blocks = 3;                          // of them on a multiprocessor

// The segments of long systems, and the levels of the tree of their interface equations
template <class T>
struct LongPlan {
    SpdSegments<T> segments{};
    LevelTree<SpdLevel<T>> tree;
    int64_t blocks;  // of segments
    size_t bytes = 0;

    template <class Problem>
    LongPlan(const Problem &p, bool flat, void *workspace) {
        int systems = flat ? 1 : systems_of_line<T>(p.batch), chunks = segment_threads / systems;
        if (const int64_t fewest = (p.n - 1) / segment_rows<T> + 1; flat && fewest < chunks) {
            chunks = int(fewest);
            systems = chunks <= 32 ? 32 / chunks * (segment_threads / 32) : segment_threads / chunks;
        }
        segments.shape = block_shape(systems, chunks, flat);
        segments.segments = (p.n - 1) / (int64_t(segment_rows<T>) * chunks) + 1;
        blocks = ((p.batch - 1) / systems + 1) * segments.segments * p.nrhs;
        if (segments.segments == 1) return;
        Carver carver(workspace);
        tree.carve(carver, p.batch * p.nrhs, segments.segments);
        segments.equations = tree.level[0].equations;
        bytes = carver.bytes();
    }
};

template <class T, bool SPLITS>
xbatchStatus_t launch_level(Context &context, const PtsvProblem &p, const SpdLevel<T> &level) {
    const int threads = int(std::min<int64_t>(SpdLevel<T>::threads, (level.count + 31) / 32 * 32));
    return Launch(context, level.units * level.groups, threads)(spd_level<T, SPLITS>, "spd_level", p, level);
}

template <class T, bool FLAT, bool SOLVES>
xbatchStatus_t launch_segments(Context &context, const PtsvProblem &p, const LongPlan<T> &plan) {
    return Launch(context, plan.blocks, segment_threads)(
        spd_segment<T, segment_rows<T>, FLAT, segment_threads, segment_blocks, SOLVES>, "spd_segment", p,
        plan.segments);
}

template <class T, bool FLAT>
xbatchStatus_t solve_long(Context &context, const PtsvProblem &p, void *workspace) {
    const LongPlan<T> plan(p, FLAT, workspace);
    const LevelTree<SpdLevel<T>> &tree = plan.tree;
    if (plan.segments.segments == 1) {
        XBATCH_TRY(check_blocks(context, plan.blocks));
        XBATCH_TRY(clear_info(context, p.info, p.batch));
        return launch_segments<T, FLAT, true>(context, p, plan);
    }
    XBATCH_TRY(check_blocks(context, std::max(plan.blocks, tree.level[0].units * tree.level[0].groups)));
    XBATCH_TRY(clear_info(context, p.info, p.batch));
    XBATCH_TRY(launch_segments<T, FLAT, false>(context, p, plan));
    const int top = tree.count - 1;
    for (int l = 0; l < top; ++l) XBATCH_TRY(launch_level<T, false>(context, p, tree.level[l]));
    for (int l = top; l >= 0; --l) XBATCH_TRY(launch_level<T, true>(context, p, tree.level[l]));
    if (p.info) {  // so far it has bad pivots only
        constexpr int threads = 128;
        XBATCH_TRY(Launch(context, p.batch, threads)(correct_info<T, threads>, "correct_info", p));
    }
    return launch_segments<T, FLAT, true>(context, p, plan);
}

// As a problem of the pivoting solver
GtsvProblem as_general(const PtsvProblem &p) {
    GtsvProblem general{};
    general.layout = p.layout, general.n = p.n, general.nrhs = p.nrhs, general.batch = p.batch;
    general.dl = p.e, general.d = p.d, general.du = p.e, general.b = p.b, general.info = p.info;
    general.a_at = p.a_at, general.b_at = p.b_at, general.is_definite = true;
    return general;
}
// Factors of a shared matrix, and the first bad row
template <class T>
struct SweepStore {
    SweepFactors<T> *factors;
    int32_t *bad;
    size_t bytes;

    SweepStore(int64_t n, void *workspace) {
        Carver carver(workspace);
        factors = reinterpret_cast<SweepFactors<T> *>(carver.take<T>(5, n)), bad = carver.take<int32_t>(1);
        bytes = carver.bytes();
    }
};
template <class T>
xbatchStatus_t solve_shared(Context &context, const PtsvProblem &p, const SweepPlan &plan, void *workspace) {
    const SweepStore<T> store(p.n, workspace);
    XBATCH_TRY(clear_info(context, p.info, p.batch, p.nrhs > 1));
    Launch factor(context, 1, 128, size_t(p.n) * (sizeof(T) + sizeof(Real<T>)));
    XBATCH_TRY(factor(sweep_factor_spd<T>, "sweep_factor_spd", p, store.factors, store.bad));
    return solve_sweep<T>(context, as_general(p), plan, store.factors, store.bad);
}

// Whether one matrix, which all systems share, is eliminated with pivoting, by kernels that do so once. To find out
// whether it is definite takes another launch. Tests that set the rows of a chunk solve small batches, too.
template <class T, class Problem>
bool may_pivot(const Context &context, const Problem &p) {
    constexpr int64_t enough = (int64_t(1) << 23) / int64_t(sizeof(T)), most_rows = 2048;  // of all right-hand sides
    return p.n <= most_rows && (context.run_rows > 0 || counted_product(p.batch, p.nrhs, p.n) >= enough);
}

// f(rows, threads) for the rows of a thread and the threads of a system by which short FLAT systems are solved
template <class T, class F>
void for_short_shapes(F f) {
    f(std::integral_constant<int, 4>{}, 1), f(std::integral_constant<int, 8>{}, 1);
    if constexpr (sizeof(T) < 16) {
        f(std::integral_constant<int, 11>{}, 1), f(std::integral_constant<int, 16>{}, 1);
        f(std::integral_constant<int, 11>{}, 2);
    } else {
        f(std::integral_constant<int, 8>{}, 2);
    }
}
// False for systems that are longer, or of more than 8 rows and do not follow each other without gaps
template <class T>
bool solve_short(Context &context, const PtsvProblem &p, xbatchStatus_t &status) {
    constexpr int threads = PschemeTuning<T>::block_threads, with_gaps = 8;
    const bool is_run = p.nrhs == 1 && p.b_at.ld == p.n && (p.a_at.ld == p.n || p.a_at.ld == 0);
    void (*kernel)(PtsvProblem, BlockShape) = nullptr;
    BlockShape shape;
    int systems = 0;
    size_t bytes = 0;
    for_short_shapes<T>([&](auto rows, int of_system) {
        constexpr int R = decltype(rows)::value;
        if (kernel || p.n > R * of_system || (p.n > with_gaps && !is_run)) return;
        systems = threads / of_system, shape = block_shape(systems, of_system, true);
        kernel = pscheme_block<T, R, true, PtsvProblem>, bytes = block_kernel_bytes<T, R, true>(threads);
    });
    if (!kernel) return false;
    status = clear_info(context, p.info, p.batch, p.nrhs > 1);
    const int64_t blocks = ((p.batch - 1) / systems + 1) * p.nrhs;
    if (status == XBATCH_STATUS_SUCCESS)
        status = Launch(context, blocks, threads, bytes)(kernel, "pscheme_block", p, shape);
    return true;
}

template <class T>
xbatchStatus_t solve(Context &context, const PtsvProblem &p, void *workspace) {
    const GtsvProblem general = as_general(p);
    if (p.a_at.ld == 0 || p.batch == 1) {
        SweepPlan sweep;
        if (is_swept<T>(context, general, false, sweep)) return solve_shared<T>(context, p, sweep, workspace);
        xbatchStatus_t status;
        bool finds_info = true;
        if (may_pivot<T>(context, p) && gtsv_definite_once<T>(context, general, workspace, status, finds_info))
            return finds_info || status != XBATCH_STATUS_SUCCESS ? status : report_indefinite<T>(context, p, workspace);
    }
    xbatchStatus_t status;
    if ((is_flat(p) && solve_short<T>(context, p, status)) || gtsv_definite<T>(context, general, status)) return status;
    return is_flat(p) ? solve_long<T, true>(context, p, workspace) : solve_long<T, false>(context, p, workspace);
}

// The leading dimension may turn another layout into FLAT (layout.hpp), so the workspace must suffice for both.
template <class T, class Problem>
size_t ptsv_workspace(const Context &context, const Problem &p) {
    const auto bytes = [&](bool flat) {
        return fits_gtsv_definite<T>(context, p.n, flat) ? 0 : LongPlan<T>(p, flat, nullptr).bytes;
    };
    const bool may_sweep =
        context.has_clusters && p.n <= SweepPlan::longest && counted_product(p.batch, p.nrhs) >= SweepPlan::enough;
    size_t shared = may_sweep ? SweepStore<T>(p.n, nullptr).bytes : 0;
    if (may_pivot<T>(context, p)) {
        const PtsvProblem shape = {p.layout, p.n, p.nrhs, p.batch, nullptr, nullptr, nullptr, nullptr, {}, {}};
        shared = std::max({shared, gtsv_definite_workspace<T>(context, as_general(shape)),
                           report_indefinite_workspace<T>(context, shape)});
    }
    return std::max(shared, p.layout == XBATCH_LAYOUT_FLAT ? bytes(true) : std::max(bytes(true), bytes(false)));
}

}  // namespace

template <class T>
xbatchStatus_t ptsv_cuda(Context &context, const PtsvProblem &p, void *workspace) {
    return solve<T>(context, p, workspace);
}
template <class T>
size_t ptsv_cuda_workspace(const Context &context, const PtsvProblem &p) {
    return ptsv_workspace<T>(context, p);
}

template <class T>
xbatchStatus_t pttrs_cuda(Context &context, const PttrsProblem &p, void *workspace) {
    const SpdFactors<T> stored(p.layout, p.n, p.sets, const_cast<void *>(p.factors));  // read only
    const Placement a_at = p.sets == 1 ? coefficients(p.layout, p.n, p.batch, 0) : stored.at;
    return solve<T>(context,
                    PtsvProblem{p.layout, p.n, p.nrhs, p.batch, stored.d, stored.e, p.b, nullptr, a_at, p.b_at},
                    workspace);
}
template <class T>
size_t pttrs_cuda_workspace(const Context &context, const PttrsProblem &p) {
    return ptsv_workspace<T>(context, p);
}

XBATCH_INSTANTIATE_BACKEND(ptsv_cuda);
XBATCH_INSTANTIATE_BACKEND(pttrs_cuda);

}  // namespace xbatch::tridiagonal
