// run_cuda.cu: runs tiled QR: the device generates and orders the tasks, which one persistent kernel then runs.
// SPDX-License-Identifier: BSD-3-Clause
#include "run_cuda.hpp"

#include "core/launch.cuh"
#include "task_order_kernels.cuh"
#include "tile_tasks.cuh"

namespace xbatch::qr {
namespace {

static_assert(sizeof(TileShared<double, 128>) <= least_shared_of_large_tiles &&
              sizeof(TileShared<Complex<double>, 64>) <= least_shared_of_wide_types);

// The tasks of a job for run_tickets
template <class T, int B>
class QrTasks {
public:
    using Task = TileTask;

    __device__ QrTasks(const DeviceRun &run, const TileOperands<T> &operands) : run_(run), o_(operands) {}

    __device__ void decode(int64_t ticket, Task &task) const { task = run_.order[ticket]; }
    // The writers' results are acquired after their versions.
    __device__ bool ready(const TaskContext &, const Task &task) const {
        const bool is_ready = task.is_ready([&](int32_t column, int32_t which) {
            int32_t value;
            asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(version(column, which)) : "memory");
            return value;
        });
        if (is_ready) fence();
        return is_ready;
    }
    __device__ __forceinline__ void run(const TaskContext &, const Task &task) const {
        const TaskView<T> view{run_.job, run_.tiles, run_.panels, o_};
        const int64_t row = view.row(task), top = view.top_row(task);
        const DeviceReflectors<T> tile = view.template reflectors<DeviceReflectors<T>>(task);
        if (task.column < 0) {
            const int64_t first = task.panel * run_.job.tiling.config.nb;
            factor_tile<T, B>({tile, view.panel(task, top), o_.lda, run_.bad, int(first)});
        } else {
            int columns = 0;
            const View<T> c = view.column_tile(task.column, columns);
            update_tile<T, B>({tile, o_.is_adjoint, c.from(top, 0), c.from(row, 0), columns});
        }
    }
    __device__ void finish(const TaskContext &, const Task &task) const {
        if (threadIdx.x != 0) return;
        fence();
        task.publish([&](int32_t column, int32_t which, int32_t value) {
            asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(version(column, which)), "r"(value) : "memory");
        });
    }

private:
    __device__ static void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
    __device__ int32_t *version(int32_t column, int32_t which) const {
        return run_.versions + column * (run_.tiles + run_.panels) + which;
    }

    const DeviceRun &run_;
    const TileOperands<T> &o_;
};

// Small tiles leave room for a second block, which runs while the first one waits; each has half of the registers.
// Where one block is resident, the kernel takes more registers.
template <class T, int B>
constexpr int most_resident = B == 64 && task_shared<T, B> <= 113 * 1024 ? 2 : 1;

template <class T, int B, int RESIDENT>
__global__ void __launch_bounds__(tile_threads, RESIDENT)
    run_tiles(const __grid_constant__ DeviceRun run, const __grid_constant__ TileOperands<T> operands,
              const int32_t *is_refused) {
    if (is_refused && *is_refused != 0) return;
    run_tickets(run.state, run.tasks, QrTasks<T, B>(run, operands), nullptr, 0);
}

xbatchStatus_t order_tasks(Context &context, const DeviceRun &run) {
    const TiledTaskOrder order(run.job);
    XBATCH_CUDA(context, cudaMemsetAsync(run.state, 0, run.zero_bytes, stream_of(context)));
    const auto blocks = [](int64_t count, int64_t most) {
        return std::clamp<int64_t>((count + order_threads - 1) / order_threads, 1, most);
    };
    Launch of_tiles(context, blocks(order.tiles, INT32_MAX), order_threads);
    XBATCH_TRY(of_tiles(count_changes, "count_changes", order, run.changes));
    Launch of_tasks(context, order.panels, order_threads);
    of_tasks.rows(blocks(order.tasks_of_largest_panel(), 64));
    XBATCH_TRY(of_tasks(count_tasks, "count_tasks", order, run.levels));
    XBATCH_TRY(Launch(context, 1, sum_threads)(sum_levels, "sum_levels", run.levels, int32_t(order.levels())));
    return of_tasks(place_tasks, "place_tasks", order, run.levels, run.changes, run.order);
}

// Domains of a tall matrix run in parallel; panels of others run in sequence.
template <class T, int B>
xbatchStatus_t launch_tiles(Context &context, const DeviceRun &run, const TileOperands<T> &operands,
                            const int32_t *is_refused) {
    constexpr int most = most_resident<T, B>;
    const int resident = run.job.tiling.config.tree == XBATCH_TREE_FLAT ? 1 : most;
    auto kernel = run_tiles<T, B, most>;
    if (resident == 1) kernel = run_tiles<T, B, 1>;
    const int64_t blocks = std::min(run.tasks, int64_t(context.multiprocessors) * resident);
    return Launch(context, blocks, tile_threads, task_shared<T, B>)(kernel, "run_tiles", run, operands, is_refused);
}

}  // namespace

DeviceRun::DeviceRun(Carver &carver, const QrJob &j)
    : job(j), tasks(j.tasks()), tiles(j.tiling.tiles()), panels(j.tiling.panels()) {
    const TiledTaskOrder order(j);
    const uintptr_t any = reinterpret_cast<uintptr_t>(carver.take<char>(sizeof(TicketState) + alignof(TicketState)));
    state =
        reinterpret_cast<TicketState *>((any + alignof(TicketState) - 1) / alignof(TicketState) * alignof(TicketState));
    bad = carver.take<int32_t>(1);
    tall_counters = carver.take<int32_t>(qr::tall_counters(j));
    versions = carver.take<int32_t>(order.versions());
    levels = carver.take<int32_t>(order.levels());
    zero_bytes = size_t(reinterpret_cast<char *>(levels + order.levels()) - reinterpret_cast<char *>(state));
    changes = carver.take<int32_t>(order.changes());
    this->order = carver.take<TileTask>(tasks);
}

template <class T>
xbatchStatus_t run_on_device(Context &context, const DeviceRun &run, const TileOperands<T> &operands,
                             const int32_t *is_refused) {
    if (run.tasks == 0) return XBATCH_STATUS_SUCCESS;
    if constexpr (std::is_same_v<T, double>)
        if (is_tall_form(run.job.tiling.config) && !operands.others.is_transposed)
            return run_tall(context, run, operands, is_refused);
    XBATCH_TRY(order_tasks(context, run));
    if constexpr (device_tile < T >> 64)
        if (run.job.tiling.config.mb > 64) return launch_tiles<T, 128>(context, run, operands, is_refused);
    return launch_tiles<T, 64>(context, run, operands, is_refused);
}

XBATCH_INSTANTIATE_TYPES(run_on_device);

}  // namespace xbatch::qr
