// hines_factor_cuda.cu: factors of Hines systems on the GPU, and which kernels solve with them.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/launch.cuh"
#include "core/workspace.hpp"
#include "hines/kernels/path_kernels.cuh"
#include "hines_factor.hpp"

namespace xbatch::hines {
namespace {

struct PathTuning {
    static constexpr int sector_bytes = 32;       // of memory: the shortest row of a block's systems
    static constexpr int most_log_systems = 5;    // of a block
    static constexpr int block_reserve = 1024;    // of a block's shared memory, by CUDA
    static constexpr int blocks = 3;              // that share a multiprocessor
    static constexpr int64_t most_launches = 64;  // one a morphology
};

// Whether all trees fit shared memory. It depends on plan and type alone, since other kernels round differently.
template <class T>
bool fits_paths(const Context &context, const HinesPlan &plan) {
    constexpr int64_t least = std::max<int64_t>(PathTuning::sector_bytes / int64_t(sizeof(T)), 1);
    if (plan.groups() > PathTuning::most_launches) return false;
    for (const Tree &tree : plan.trees)
        if (tree.n() * (least + PathSolve<T>::factors) * int64_t(sizeof(T)) > context.shared_per_block) return false;
    return true;
}

// The number of systems of a block: several blocks share a multiprocessor, unless rows would be shorter than sectors of
// memory, and all multiprocessors have a block.
template <class T>
void choose_systems(const Context &context, PathSolve<T> &p, int64_t nrhs) {
    const bool is_flat = p.b_at.step() == 1;
    const auto fits = [&](int log_systems, int64_t bytes) {
        p.log_systems = log_systems, p.pitch = (1 << log_systems) + (is_flat && log_systems > 0);
        return int64_t(p.bytes()) <= bytes;
    };
    const int64_t all = context.shared_per_block, reserved = PathTuning::block_reserve;
    const int64_t each = (all + reserved) / PathTuning::blocks - reserved;
    int log_systems = PathTuning::most_log_systems;
    const auto is_sector = [&] { return int64_t(sizeof(T)) << log_systems <= PathTuning::sector_bytes; };
    while (log_systems > 0 && !fits(log_systems, is_sector() ? all : each)) --log_systems;
    while (log_systems > 0 && ((p.count - 1) >> log_systems) + 1 < context.multiprocessors / nrhs) --log_systems;
    fits(log_systems, all);
    p.blocks = ((p.count - 1) >> log_systems) + 1;
}

// The arrays of factors: of matrices that are shared, r, f and c of each row, and the matrices themselves unless
// fits_paths(); otherwise the matrices, in an own layout.
template <class T>
struct CudaFactors {
    T *r = nullptr, *f = nullptr, *c = nullptr, *u = nullptr, *l = nullptr, *d = nullptr;
    int64_t ld;  // of u, l and d
    size_t bytes;

    CudaFactors(const Context &context, const HinesPlan &plan, xbatchLayout_t layout, int64_t sets, void *buffer) {
        const bool shared = is_shared(plan, sets);
        Carver carver(buffer);
        if (shared)
            for (T **array : {&r, &f, &c}) *array = carver.take<T>(all_nodes(plan));
        ld = shared ? 0 : own_ld(plan, layout, sets);
        if (!shared || !fits_paths<T>(context, plan)) {
            const int64_t elements = shared ? all_nodes(plan) : hines_extent(plan, layout, 1, sets, ld);
            for (T **array : {&u, &l, &d}) *array = carver.take<T>(elements);
        }
        bytes = carver.bytes();
    }

private:
    // Rows of whole 16 bytes, and blocks of whole memory lines
    static int64_t own_ld(const HinesPlan &plan, xbatchLayout_t layout, int64_t sets) {
        switch (layout) {
            case XBATCH_LAYOUT_FLAT: return plan.trees[0].n();
            case XBATCH_LAYOUT_INTERLEAVED: return counted_sum(sets, 3) / 4 * 4;
            default: return 32;
        }
    }
};

GroupPlacement on_device(GroupPlacement at, const DevicePaths &paths) {
    if (at.first_node) at.first_node = paths.first_node;
    return at;
}

// Copies u, l and d of all systems, or of all morphologies, into factors.
template <class T>
xbatchStatus_t store_matrices(Context &context, const HinesFactorProblem &p, const CudaFactors<T> &to) {
    const HinesPlan &plan = *p.plan;
    const auto places = [&](int64_t ld) { return hines_placement(plan, p.layout, 1, p.sets, ld); };
    const std::vector<GroupPlacement> ul_at = places(p.ldul), d_at = places(p.ldd), to_at = places(to.ld);
    for (int64_t m = 0; m < plan.groups(); ++m) {
        const size_t g = size_t(m);
        PathCopy<T> copy{
            {static_cast<const T *>(p.u), static_cast<const T *>(p.l), static_cast<const T *>(p.d)},
            {to.u, to.l, to.d},
            {on_device(ul_at[g], *plan.paths), on_device(ul_at[g], *plan.paths), on_device(d_at[g], *plan.paths)},
            on_device(to_at[g], *plan.paths),
            plan.is_mixed ? plan.paths->members + plan.first_member[g] : nullptr,
            plan.trees[g].n(),
            p.shared() ? 1 : plan.group(m, p.sets).count};
        if (copy.count == 0) continue;
        XBATCH_TRY(Launch(context, (copy.n * copy.count - 1) / path_threads + 1, path_threads)
                       .rows(3)(hines_store<T>, "hines_store", copy));
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
xbatchStatus_t factor_shared(Context &context, const HinesFactorProblem &p, const CudaFactors<T> &to) {
    const HinesPlan &plan = *p.plan;
    const auto step = [&](int64_t ld) { return hines_placement(plan, p.layout, 1, p.sets, ld)[0].step(); };
    const PathFactor<T> factor{plan.paths->on_device,
                               static_cast<const T *>(p.u),
                               static_cast<const T *>(p.l),
                               static_cast<const T *>(p.d),
                               step(p.ldul),
                               step(p.ldd),
                               to.r,
                               to.f,
                               to.c,
                               p.info};
    XBATCH_TRY(Launch(context, plan.groups(), path_threads)(hines_factor_paths<T>, "hines_factor_paths", factor));
    return to.u ? store_matrices(context, p, to) : XBATCH_STATUS_SUCCESS;
}

// What xhinesBatch is called with, of stored matrices
template <class T>
HinesProblem with_stored(const HinesPlan &plan, xbatchLayout_t layout, const CudaFactors<T> &a) {
    HinesProblem p{};
    p.plan = &plan, p.layout = layout;
    p.upper = a.u, p.lower = a.l, p.d = a.d, p.ldul = p.ldd = a.ld;
    return p;
}

// Solves of zeros, for their info
template <class T>
struct ZeroSolve {
    HinesProblem problem;
    T *zeros;
    int64_t elements;
    size_t bytes;
    void *workspace;

    ZeroSolve(const Context &context, const HinesFactorProblem &p, void *memory) {
        const CudaFactors<T> a(context, *p.plan, p.layout, p.sets, p.factors);
        problem = with_stored(*p.plan, p.layout, a);
        problem.nrhs = 1, problem.batch = p.sets, problem.ldb = a.ld, problem.info = p.info;
        Carver carver(memory);
        elements = hines_extent(*p.plan, p.layout, 1, p.sets, a.ld);
        zeros = carver.take<T>(elements);
        problem.b = zeros;
        workspace = carver.take<char>(hines_cuda_workspace<T>(context, problem));
        bytes = carver.bytes();
    }
};

}  // namespace

template <class T>
xbatchStatus_t hines_factor_cuda(Context &context, const HinesFactorProblem &p, void *workspace) {
    const CudaFactors<T> to(context, *p.plan, p.layout, p.sets, p.factors);
    if (p.shared()) return factor_shared(context, p, to);
    XBATCH_TRY(store_matrices(context, p, to));
    if (!p.info) return XBATCH_STATUS_SUCCESS;
    const ZeroSolve<T> solve(context, p, workspace);
    XBATCH_CUDA(context, cudaMemsetAsync(solve.zeros, 0, size_t(solve.elements) * sizeof(T), stream_of(context)));
    return hines_cuda<T>(context, solve.problem, solve.workspace);
}

template <class T>
size_t hines_factor_cuda_workspace(const Context &context, const HinesFactorProblem &p) {
    return p.shared() ? 0 : ZeroSolve<T>(context, p, nullptr).bytes;
}

template <class T>
size_t hines_factor_cuda_factors(const Context &context, const HinesFactorProblem &p) {
    return CudaFactors<T>(context, *p.plan, p.layout, p.sets, nullptr).bytes;
}

template <class T>
xbatchStatus_t hines_solve_cuda(Context &context, const HinesSolveProblem &p, void *workspace) {
    const HinesPlan &plan = *p.plan;
    const CudaFactors<T> a(context, plan, p.layout, p.sets, const_cast<void *>(p.factors));
    if (a.u) {
        HinesProblem problem = with_stored(plan, p.layout, a);
        if (p.is_transposed) std::swap(problem.upper, problem.lower);
        problem.is_conjugated = p.is_conjugated, problem.nrhs = p.nrhs, problem.batch = p.batch;
        problem.b = p.b, problem.ldb = p.ldb;
        return hines_cuda<T>(context, problem, workspace);
    }
    const std::vector<GroupPlacement> b_at = hines_placement(plan, p.layout, p.nrhs, p.batch, p.ldb);
    for (int64_t m = 0; m < plan.groups(); ++m) {
        const size_t g = size_t(m);
        const PathTree &tree = plan.paths->trees[g];
        PathSolve<T> solve{tree,
                           a.r + tree.first,
                           (p.is_transposed ? a.c : a.f) + tree.first,
                           (p.is_transposed ? a.f : a.c) + tree.first,
                           static_cast<T *>(p.b),
                           on_device(b_at[g], *plan.paths),
                           plan.is_mixed ? plan.paths->members + plan.first_member[g] : nullptr,
                           plan.group(m, p.batch).count,
                           0,
                           p.is_conjugated,
                           0,
                           0};
        if (solve.count == 0) continue;
        choose_systems(context, solve, p.nrhs);
        XBATCH_TRY(
            Launch(context, solve.blocks * p.nrhs, path_threads, solve.bytes())(hines_paths<T>, "hines_paths", solve));
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t hines_solve_cuda_workspace(const Context &context, const HinesSolveProblem &p) {
    if (p.shared() && fits_paths<T>(context, *p.plan)) return 0;
    const CudaFactors<T> a(context, *p.plan, p.layout, p.sets, nullptr);
    HinesProblem problem = with_stored(*p.plan, p.layout, a);
    problem.nrhs = p.nrhs, problem.batch = p.batch;
    return hines_cuda_workspace<T>(context, problem);
}

XBATCH_INSTANTIATE_BACKEND(hines_factor_cuda);
XBATCH_INSTANTIATE_TYPES(hines_factor_cuda_factors);
XBATCH_INSTANTIATE_BACKEND(hines_solve_cuda);

}  // namespace xbatch::hines
