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
    struct Task : TileTask {
        mutable int32_t stored;  // blocks of the reflectors that were stored when the task began
    };

    __device__ QrTasks(const DeviceRun &run, const TileOperands<T> &operands) : run_(run), o_(operands) {}

    __device__ void decode(int64_t ticket, Task &task) const { task = {run_.order[ticket], 0}; }
    // The writers' results are acquired after their versions.
    __device__ bool ready(const TaskContext &, const Task &task) const {
        const auto version_of = [&](int32_t column, int32_t which) { return load_counter(version(column, which)); };
        const bool is_ready = run_.blocks > 0 ? is_first_block_ready(task) : task.is_ready(version_of);
        if (is_ready) counter_fence();
        return is_ready;
    }
    __device__ __forceinline__ void run(const TaskContext &context, const Task &task) const {
        if constexpr (has_chains<T, B>)
            if (runs_chain(task)) return;
        for (int n = 0; n < task.length; ++n) {
            if (n > 0) {
                __syncthreads();
                finish(context, {task.part(n - 1), 0});
                if (threadIdx.x == 0) {
                    const Task next = {task.part(n), 0};
                    while (!ready(context, next)) __nanosleep(20);
                }
                __syncthreads();
            }
            run_one({task.part(n), n == 0 ? task.stored : 0});
        }
    }
    __device__ void finish(const TaskContext &, const Task &task) const {
        if (threadIdx.x != 0) return;
        counter_fence();
        if (run_.blocks > 0 && task.column < 0) {
            const int ib = int(run_.job.tiling.config.ib), columns = int(run_.job.tiling.columns(task.panel));
            counters(task).publish((columns + ib - 1) / ib - 1);
        }
        task.publish(
            [&](int32_t column, int32_t which, int32_t value) { store_counter(version(column, which), value); });
    }

private:
    __device__ BlockCounters counters(const TileTask &task) const {
        if (run_.blocks == 0) return {};
        const int32_t before = task.panel * run_.blocks;
        return {run_.rows + before, run_.stored + task.tile, task.top_version, before};
    }
    __device__ bool is_first_block_ready(const Task &task) const {
        const BlockCounters counters = this->counters(task);
        const int32_t of_tile = load_counter(version(task.changed_column(), task.tile));
        const int32_t of_top = load_counter(task.column < 0 ? counters.rows : version(task.column, task.top));
        task.stored = load_counter(counters.stored) - counters.before;
        return of_tile >= task.tile_version && of_top >= task.top_version && (task.column < 0 || task.stored > 0);
    }
    __device__ __forceinline__ void run_one(const Task &task) const {
        const TaskView<T> view{run_.job, run_.tiles, run_.panels, o_};
        const int64_t row = view.row(task), top = view.top_row(task);
        DeviceReflectors<T> tile = view.template reflectors<DeviceReflectors<T>>(task);
        const BlockCounters counters = this->counters(task);
        if (task.stored < run_.blocks) tile.stored = counters.stored, tile.before = counters.before;
        if (task.column < 0) {
            const int64_t first = task.panel * run_.job.tiling.config.nb;
            factor_tile<T, B>({tile, view.panel(task, top), o_.lda, run_.bad, int(first), counters});
        } else {
            int columns = 0;
            const View<T> c = view.column_tile(task.column, columns);
            update_tile<T, B>({tile, o_.is_adjoint, c.from(top, 0), c.from(row, 0), columns});
        }
    }
    // Updates the tiles of a chain together, if they are suited.
    __device__ __forceinline__ bool runs_chain(const Task &task) const {
        const TaskView<T> view{run_.job, run_.tiles, run_.panels, o_};
        const DeviceReflectors<T> t = view.template reflectors<DeviceReflectors<T>>(task);
        int columns = 0;
        const View<T> c = view.column_tile(task.column, columns);
        const bool is_full = run_.job.tiling.rows(task.tile + task.length - 1, task.panel) == B && columns == B &&
                             t.columns == B && t.ib == block_columns && t.shape == Shape::full && o_.is_adjoint;
        if (task.column < 0 || !is_full || c.is_transposed || !is_aligned(c.at, c.ld) || !is_aligned(t.v, t.ldv))
            return false;
        const BlockCounters counters = this->counters(task);
        update_chain<T, B>({t.v, t.triangles, c.from(view.top_row(task), 0).at, c.from(view.row(task), 0).at, t.ldv,
                            c.ld, version(task.column, task.tile), counters.stored, task.tile_version, counters.before,
                            run_.blocks > 0 ? task.stored : 0, task.length});
        return true;
    }
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

// Tiles of a chain of updates. Chains save accesses to memory, but delay the tasks after them: in the middle of smaller
// matrices these would wait.
template <class T>
int32_t tiles_of_chain(const Context &context, const QrJob &job, const TileOperands<T> &o) {
    constexpr int64_t large = 48, largest = 96;  // tiles of a panel
    const xbatchTiledConfig_t &c = job.tiling.config;
    const auto is_aligned = [](const T *at, int64_t ld) {
        return reinterpret_cast<uintptr_t>(at) % 16 == 0 && ld * int64_t(sizeof(T)) % 16 == 0;
    };
    const bool has_chains = (std::is_same_v<T, double> || sizeof(T) == 16) && context.has_clusters && job.is_forward &&
                            c.tree == XBATCH_TREE_FLAT && c.mb == device_tile<T> && c.nb == c.mb &&
                            c.ib == block_columns && is_aligned(o.a, o.lda) && is_aligned(o.others.at, o.others.ld) &&
                            !o.others.is_transposed;
    const int64_t tiles = job.tiling.tiles();
    return !has_chains || tiles < large ? 1 : tiles < largest ? 4 : 8;
}

xbatchStatus_t order_tasks(Context &context, const DeviceRun &run, const TiledTaskOrder &order) {
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
    blocks = j.factors && j.tiling.config.tree == XBATCH_TREE_FLAT
                 ? int32_t(parts_of(j.tiling.config.nb, j.tiling.config.ib))
                 : 0;
    rows = carver.take<int32_t>(panels * blocks), stored = carver.take<int32_t>(blocks ? tiles : 0);
    zero_bytes = size_t(reinterpret_cast<char *>(stored + (blocks ? tiles : 0)) - reinterpret_cast<char *>(state));
    changes = carver.take<int32_t>(order.changes());
    this->order = carver.take<TileTask>(tasks);
    tall_slots = carver.take<double>(qr::tall_slots(j));
}

template <class T>
xbatchStatus_t run_on_device(Context &context, const DeviceRun &any_run, const TileOperands<T> &operands,
                             const int32_t *is_refused) {
    if (any_run.tasks == 0) return XBATCH_STATUS_SUCCESS;
    if constexpr (std::is_same_v<T, double>)
        if (is_tall_form(any_run.job.tiling.config) && !operands.others.is_transposed)
            return run_tall(context, any_run, operands, is_refused);
    const TiledTaskOrder order(any_run.job, tiles_of_chain(context, any_run.job, operands));
    DeviceRun run = any_run;
    run.tasks = order.tasks();
    XBATCH_TRY(order_tasks(context, run, order));
    if constexpr (device_tile < T >> 64)
        if (run.job.tiling.config.mb > 64) return launch_tiles<T, 128>(context, run, operands, is_refused);
    return launch_tiles<T, 64>(context, run, operands, is_refused);
}

XBATCH_INSTANTIATE_TYPES(run_on_device);

}  // namespace xbatch::qr
