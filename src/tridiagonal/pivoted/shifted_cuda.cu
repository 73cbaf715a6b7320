// shifted_cuda.cu: launches the solvers of shifted systems T + sigma_j W on CUDA.
//
// Short open systems are eliminated from both ends, with pivoting. Longer ones, and periodic ones, that fit a block of
// each kernel are solved without pivoting where they are dominant, and the others then with pivoting. Still longer ones
// are solved by the kernels of xgtsvBatch, or, if they do not fit a cluster of blocks, with their matrices written out.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "core/launch.cuh"
#include "gtsv_shifted.hpp"
#include "shifted_dominant.cuh"
#include "shifted_ends.cuh"
#include "shifted_lanes.cuh"
#include "shifted_pivoting.cuh"

namespace xbatch::tridiagonal {
namespace {

template <class T>
ShiftedMatrix<T> matrix_of(const GtsvProblem &p, bool is_periodic) {
    return {static_cast<const T *>(p.dl),
            static_cast<const T *>(p.d),
            static_cast<const T *>(p.du),
            static_cast<const T *>(p.shift.w),
            p.n,
            is_periodic};
}
template <class T>
ShiftsOf<T> shifts_of(const GtsvProblem &p, int64_t sides) {
    return {static_cast<const T *>(p.shift.sigma), sides, p.shift.w != nullptr, p.shift.pins_zero};
}

// Right-hand sides without coefficients, which the kernels have elsewhere. The right-hand sides of FLAT systems are
// contiguous, and become systems.
GtsvProblem right_sides_of(GtsvProblem p, bool flat) {
    if (flat) p.batch *= p.nrhs, p.nrhs = p.b_at.nrhs = 1;
    p.dl = p.d = p.du = p.b, p.a_at = p.b_at, p.shift = {};
    return p;
}

template <class T, bool FLAT>
xbatchStatus_t launch_ends(Context &context, const GtsvProblem &p, const EndsPlan &plan, const ShiftedMatrix<T> &matrix,
                           const ShiftsOf<T> &shifts, const uint8_t *open) {
    Launch launch(context, plan.blocks, 32 * plan.warps, plan.row_bytes + plan.warps * plan.tile_bytes);
    if (open) launch.dependent();
    return launch(shifted_ends<T, FLAT>, "shifted_ends", p, plan, matrix, shifts, open);
}

template <class T, bool FLAT, bool PERIODIC>
xbatchStatus_t launch_dominant(Context &context, const GtsvProblem &p, const ShiftedPlan &plan,
                               const ShiftsOf<T> &shifts, const ShiftedMemory<T> &memory, int pivoting_systems_log) {
    const int64_t blocks = ((p.batch - 1) / plan.shape.systems + 1) * p.nrhs;
    Launch launch(context, blocks, plan.threads, ShiftedShared<T, FLAT, PERIODIC>::bytes(plan));
    return launch.dependent()(shifted_dominant<T, FLAT, PERIODIC>, "shifted_dominant", p, plan, shifts, memory,
                              pivoting_systems_log);
}

// Whether the right-hand sides that are left open are solved faster by any number of lanes, which share no loads of T
template <class T, bool FLAT>
constexpr bool may_have_lanes = FLAT || sizeof(T) == sizeof(Real<T>);
template <class T>
bool has_fast_lanes(const Context &context, int64_t n) {
    return context.has_clusters && n >= (sizeof(T) == sizeof(Real<T>) ? 400 : 256);
}
// By these; `given` has the shared matrix.
template <class T, bool FLAT>
xbatchStatus_t launch_lanes(Context &context, const GtsvProblem &given, const LanesPlan<FLAT> &plan,
                            const uint8_t *open) {
    const auto kernel = shifted_lanes<T, FLAT>;
    const int64_t units = ((given.batch - 1) / plan.systems() + 1) * plan.side_groups;
    size_t bytes;
    if constexpr (FLAT)
        bytes = flat_bytes<T>(plan);
    else
        bytes = columns_bytes<T>(plan);
    XBATCH_TRY(check_blocks(context, units * plan.parts));
    Launch launch(context, units * plan.parts, plan.threads(), bytes);
    launch.cluster(plan.parts).limit_to_resident(kernel);
    return launch.dependent()(kernel, "shifted_lanes", given, plan, open, units);
}
template <class T, bool FLAT>
xbatchStatus_t launch_pairs(Context &context, const GtsvProblem &p, const InterfacePlan &plan,
                            const ShiftsOf<T> &shifts, const ShiftedMemory<T> &memory, int64_t units) {
    Launch launch(context, std::min(units, int64_t(context.multiprocessors) * shifted_resident<T>),
                  InterfacePlan::threads, interface_bytes<T>(plan));
    return launch.dependent()(shifted_pivoting<T, FLAT>, "shifted_pivoting", p, plan, shifts, memory, units);
}

template <class T, bool FLAT>
xbatchStatus_t solve_short(Context &context, const GtsvProblem &given, bool is_periodic, InterfacePlan pivoting,
                           void *workspace) {
    const GtsvProblem p = right_sides_of(given, FLAT);
    const ShiftsOf<T> shifts = shifts_of<T>(given, FLAT ? given.nrhs : 1);
    const ShiftedMatrix<T> matrix = matrix_of<T>(given, is_periodic);
    EndsPlan ends;
    const bool has_ends =
        !is_periodic && p.n <= most_open_rows_from_ends<T>(FLAT) && plan_ends<T>(context, p, FLAT, ends);
    if (has_ends && p.n <= most_rows_from_ends<T>) {
        XBATCH_TRY(clear_info(context, given.info, given.batch, given.nrhs > 1));
        return launch_ends<T, FLAT>(context, p, ends, matrix, shifts, nullptr);
    }
    const ShiftedPlan plan = plan_shifted<T>(p.n, p.batch, FLAT);
    Carver carver(workspace);
    ShiftedMemory<T> memory(carver, p.batch * p.nrhs);
    memory.dominant.rows = plan.rows, memory.dominant.chunks = plan.chunks;
    memory.pivoting.rows = 2 * pivoting.pairs, memory.pivoting.chunks = pivoting.lanes();
    pivoting.is_wide = is_wide<T>(p, pivoting, FLAT);
    const int64_t units = (((p.batch - 1) >> pivoting.systems_log) + 1) * p.nrhs;
    constexpr int prepare_threads = 256;
    const int64_t entries = std::max(units, int64_t(ShiftedImage<T>::most_chunks) * ShiftedImage<T>::most_rows);
    const int64_t most_blocks = 8 * int64_t(context.multiprocessors);

    XBATCH_TRY(clear_info(context, given.info, given.batch, given.nrhs > 1));
    Launch prepare(context, std::min((entries - 1) / prepare_threads + 1, most_blocks), prepare_threads);
    XBATCH_TRY(prepare(shifted_prepare<T>, "shifted_prepare", matrix, memory, p.batch * p.nrhs, units));
    const auto dominant = is_periodic ? launch_dominant<T, FLAT, true> : launch_dominant<T, FLAT, false>;
    XBATCH_TRY(dominant(context, p, plan, shifts, memory, pivoting.systems_log));
    if (has_ends) return launch_ends<T, FLAT>(context, p, ends, matrix, shifts, memory.open);
    if constexpr (may_have_lanes<T, FLAT>) {
        LanesPlan<FLAT> lanes;
        if (has_fast_lanes<T>(context, p.n) && plan_lanes<T>(context, given, is_periodic, lanes, least_part_log) &&
            !(FLAT && lanes.parts > 1))
            return launch_lanes<T, FLAT>(context, given, lanes, memory.open);
    }
    return launch_pairs<T, FLAT>(context, p, pivoting, shifts, memory, units);
}

// The three diagonals of all matrices
template <class T>
struct WrittenOut {
    Placement at;
    T *dl, *d, *du;

    WrittenOut(Carver &carver, const GtsvProblem &p, bool flat) {
        constexpr int64_t together = 16 / int64_t(sizeof(T));  // elements of 16 bytes, or 1
        const auto whole = [](int64_t count) { return counted_sum(count, together - 1) / together * together; };
        const int64_t ld = whole(flat ? p.n : p.batch), elements = counted_product(ld, flat ? p.batch : p.n);
        at = placement(flat ? XBATCH_LAYOUT_FLAT : XBATCH_LAYOUT_INTERLEAVED, p.n, 1, p.batch, ld);
        dl = carver.take<T>(elements), d = carver.take<T>(elements), du = carver.take<T>(elements);
    }
};

template <class T>
xbatchStatus_t solve_long(Context &context, GtsvProblem p, bool is_periodic, void *workspace) {
    const ShiftedMatrix<T> matrix = matrix_of<T>(p, is_periodic);
    const ShiftsOf<T> shifts = shifts_of<T>(p, 1);
    Carver carver(workspace);
    const WrittenOut<T> all(carver, p, p.b_at.layout == XBATCH_LAYOUT_FLAT);
    p.dl = all.dl, p.d = all.d, p.du = all.du, p.a_at = all.at, p.shift = {};
    constexpr int threads = 256;
    Launch write(context, std::min((p.n * p.batch - 1) / threads + 1, 16 * int64_t(context.multiprocessors)), threads);
    XBATCH_TRY(write(shifted_write_out<T>, "shifted_write_out", matrix, shifts, p, all.dl, all.d, all.du));
    void *const rest = carver.take<T>();
    return is_periodic ? periodic_cuda<T>(context, p, rest) : gtsv_cuda<T>(context, p, rest);
}

template <class T>
xbatchStatus_t solve(Context &context, const GtsvProblem &p, bool is_periodic, void *workspace) {
    const bool flat = p.b_at.layout == XBATCH_LAYOUT_FLAT;
    InterfacePlan pivoting;
    if (!plan_shifted_pivoting<T>(context, p.n, p.batch * (flat ? p.nrhs : 1), flat, is_periodic, pivoting)) {
        xbatchStatus_t status;
        return gtsv_shifted<T>(context, p, is_periodic, status) ? status
                                                                : solve_long<T>(context, p, is_periodic, workspace);
    }
    return flat ? solve_short<T, true>(context, p, is_periodic, pivoting, workspace)
                : solve_short<T, false>(context, p, is_periodic, pivoting, workspace);
}

template <class T>
size_t workspace_for(const Context &context, const GtsvProblem &p, bool flat) {
    InterfacePlan pivoting;
    Carver carver(nullptr);
    if (plan_shifted_pivoting<T>(context, p.n, flat ? counted_product(p.batch, p.nrhs) : p.batch, flat, false,
                                 pivoting)) {
        ShiftedMemory<T>(carver, counted_product(p.batch, p.nrhs));
    } else {
        WrittenOut<T>(carver, p, flat);
        carver.take<char>(int64_t(gtsv_cuda_workspace<T>(context, p)));
    }
    return carver.bytes();
}

}  // namespace

template <class T>
xbatchStatus_t shifted_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    return solve<T>(context, p, false, workspace);
}
// The leading dimension may turn another layout into FLAT (layout.hpp).
template <class T>
size_t shifted_cuda_workspace(const Context &context, const GtsvProblem &p) {
    const size_t flat = workspace_for<T>(context, p, true);
    return p.layout == XBATCH_LAYOUT_FLAT ? flat : std::max(flat, workspace_for<T>(context, p, false));
}
template <class T>
xbatchStatus_t shifted_periodic_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    return solve<T>(context, p, true, workspace);
}
template <class T>
size_t shifted_periodic_cuda_workspace(const Context &context, const GtsvProblem &p) {
    return shifted_cuda_workspace<T>(context, p);
}

XBATCH_INSTANTIATE_BACKEND(shifted_cuda);
XBATCH_INSTANTIATE_BACKEND(shifted_periodic_cuda);

}  // namespace xbatch::tridiagonal
