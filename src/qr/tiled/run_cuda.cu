// run_cuda.cu: the kernel of tiled QR, its tasks made and ordered before it on the device.
// SPDX-License-Identifier: BSD-3-Clause
#include "run_cuda.hpp"

#include "core/cuda.hpp"
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
    // The writers' work is acquired behind their versions.
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
template <class T, int B>
constexpr int most_resident = sizeof(TileShared<T, B>) <= 113 * 1024 ? 2 : 1;

template <class T, int B, int RESIDENT>
__global__ void __launch_bounds__(tile_threads, RESIDENT)
    run_tiles(const __grid_constant__ DeviceRun run, const __grid_constant__ TileOperands<T> operands,
              const int32_t *is_refused) {
    if (is_refused && *is_refused != 0) return;
    run_tickets(run.state, run.tasks, QrTasks<T, B>(run, operands), nullptr, 0);
}

xbatchStatus_t order_tasks(Context &context, const DeviceRun &run) {
    const TiledTaskOrder order(run.job);
    const cudaStream_t stream = stream_of(context);
    XBATCH_CUDA(context, cudaMemsetAsync(run.state, 0, run.zero_bytes, stream));
    const auto blocks = [](int64_t count, int64_t most) {
        return unsigned(std::clamp<int64_t>((count + order_threads - 1) / order_threads, 1, most));
    };
    count_changes<<<blocks(order.tiles, INT32_MAX), order_threads, 0, stream>>>(order, run.changes);
    XBATCH_CUDA_LAUNCHED(context, "count_changes");
    const dim3 grid(unsigned(order.panels), blocks(order.tasks_of_largest_panel(), 64));
    count_tasks<<<grid, order_threads, 0, stream>>>(order, run.levels);
    XBATCH_CUDA_LAUNCHED(context, "count_tasks");
    sum_levels<<<1, sum_threads, 0, stream>>>(run.levels, int32_t(order.levels()));
    XBATCH_CUDA_LAUNCHED(context, "sum_levels");
    place_tasks<<<grid, order_threads, 0, stream>>>(order, run.levels, run.changes, run.order);
    XBATCH_CUDA_LAUNCHED(context, "place_tasks");
    return XBATCH_STATUS_SUCCESS;
}

template <class T, int B, int RESIDENT>
xbatchStatus_t launch_resident(Context &context, const DeviceRun &run, const TileOperands<T> &operands,
                               const int32_t *is_refused) {
    const auto kernel = run_tiles<T, B, RESIDENT>;
    constexpr size_t bytes = sizeof(TileShared<T, B>);
    XBATCH_ALLOW_SHARED(context, kernel, bytes);
    const int64_t workers = int64_t(context.multiprocessors) * RESIDENT;
    const unsigned blocks = unsigned(std::min(run.tasks, workers));
    kernel<<<blocks, tile_threads, bytes, stream_of(context)>>>(run, operands, is_refused);
    XBATCH_CUDA_LAUNCHED(context, "run_tiles");
    return XBATCH_STATUS_SUCCESS;
}
// Panels of tall matrices are many at a time, those of others follow one another.
template <class T, int B>
xbatchStatus_t launch_tiles(Context &context, const DeviceRun &run, const TileOperands<T> &operands,
                            const int32_t *is_refused) {
    if (run.job.tiling.config.tree == XBATCH_TREE_FLAT)
        return launch_resident<T, B, 1>(context, run, operands, is_refused);
    return launch_resident<T, B, most_resident<T, B>>(context, run, operands, is_refused);
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
    const xbatchStatus_t status = order_tasks(context, run);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    if constexpr (device_tile < T >> 64)
        if (run.job.tiling.config.mb > 64) return launch_tiles<T, 128>(context, run, operands, is_refused);
    return launch_tiles<T, 64>(context, run, operands, is_refused);
}

#define XBATCH_INSTANTIATE(T) \
    template xbatchStatus_t run_on_device<T>(Context &, const DeviceRun &, const TileOperands<T> &, const int32_t *);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)
#undef XBATCH_INSTANTIATE

}  // namespace xbatch::qr
