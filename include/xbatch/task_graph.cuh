/** @file task_graph.cuh
 * Graphs of task_graph.h with C++ or CUDA bodies of the user, one source for host and GPU: header-only, for nvcc and,
 * for the host alone, any C++17 compiler.
 *
 *     xbatchTaskGraphUpload(handle, graph, image, bytes);                // once, when the graph is final
 *     xbatch::run_tasks<Scale, Add>(handle, graph, image, user);         // any number of times
 *     xbatchTaskGraphSynchronize(handle, graph, image);                  // whether a task failed
 *
 * A body is a class without data:
 *
 *     struct Scale {
 *         static constexpr int type = 0;            // of its tasks
 *         static constexpr int threads = 256;       // per block; default 128
 *         static constexpr size_t scratch = 4096;   // bytes; default 0
 *         struct Args { double *x; int n; double factor; };  // the argument block
 *         __host__ __device__ void operator()(const xbatch::TaskContext &context, const Args &args, User user) const {
 *             for (int i = context.rank(); i < args.n; i += context.size()) args.x[i] *= args.factor;
 *         }
 *     };
 *
 * User is the type of the `user` argument of run_tasks, which every body receives. A run uses the largest number of
 * threads and the largest scratch memory of its bodies. With 32 threads each worker is one warp.
 *
 * task_tickets.cuh describes how tasks run on a GPU and how a body may access shared data.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_TASK_GRAPH_CUH
#define XBATCH_TASK_GRAPH_CUH

#include <initializer_list>
#include <type_traits>

#include "task_graph.h"
#include "task_tickets.cuh"

namespace xbatch {

/** A task of a final graph in device memory; an image stores its records in ticket order. */
struct alignas(16) TaskRecord {
    unsigned char args[XBATCH_TASK_MAX_ARGS]; /**< its argument block */
    int64_t first;                            /**< index of its successors in the image's list */
    int32_t successors;                       /**< number of tasks that wait for it */
    int32_t waits;                            /**< number of tasks that it waits for */
    int32_t type;                             /**< selects the body */
    int32_t task;                             /**< its number in the graph */
    int32_t near[2]; /**< copies of its first two successors, so that most tasks need not read the list */
};

/** The head of an image, which xbatchTaskGraphUpload writes. It is followed by counters [tasks], records [tasks],
 * successors [edges] and, if enabled, a trace [tasks], each aligned to 128 bytes. */
struct TaskImage {
    static constexpr uint64_t mark = 0x7862617463683034; /**< value of magic */
    static constexpr int32_t this_version = 1;           /**< of the format */

    uint64_t magic;    /**< marks an image */
    int32_t version;   /**< of its format */
    int32_t has_trace; /**< 1 if runs are traced, else 0 */
    int64_t tasks;     /**< number of tasks */
    int64_t edges;     /**< number of successors of all tasks */
    TicketState state; /**< zero before each run, like the counters */

    /** Rounds up to the alignment of the parts. */
    static constexpr XBATCH_TASK_HD int64_t aligned(int64_t bytes) { return (bytes + 127) / 128 * 128; }
    /** Offset of the records in bytes. */
    XBATCH_TASK_HD int64_t records_at() const {
        return int64_t(sizeof(TaskImage)) + aligned(tasks * int64_t(sizeof(int)));
    }
    /** Offset of the successors. */
    XBATCH_TASK_HD int64_t successors_at() const { return records_at() + aligned(tasks * int64_t(sizeof(TaskRecord))); }
    /** Offset of the trace. */
    XBATCH_TASK_HD int64_t trace_at() const { return successors_at() + aligned(edges * int64_t(sizeof(int32_t))); }
    /** Size of the whole image. */
    XBATCH_TASK_HD int64_t bytes() const { return trace_at() + (has_trace ? tasks * int64_t(sizeof(TicketTrace)) : 0); }
    /** Address at `offset` bytes from the beginning. */
    template <class T>
    XBATCH_TASK_HD T *at(int64_t offset) {
        return reinterpret_cast<T *>(reinterpret_cast<char *>(this) + offset);
    }
};

// Requirements of bodies
namespace bodies {

template <class Body, class = void>
struct Threads {
    static constexpr int value = 128;
};
template <class Body>
struct Threads<Body, std::void_t<decltype(Body::threads)>> {
    static constexpr int value = Body::threads;
};
template <class Body, class = void>
struct Scratch {
    static constexpr size_t value = 0;
};
template <class Body>
struct Scratch<Body, std::void_t<decltype(Body::scratch)>> {
    static constexpr size_t value = Body::scratch;
};

template <class Value>
constexpr Value largest(std::initializer_list<Value> values) {
    Value result = 0;
    for (const Value value : values) result = value > result ? value : result;
    return result;
}
template <class... Bodies>
constexpr int threads = largest<int>({Threads<Bodies>::value...});
template <class... Bodies>
constexpr size_t scratch = largest<size_t>({Scratch<Bodies>::value...});

template <class Body, class User>
XBATCH_TASK_HD void call(const TaskContext &context, const void *args, const User &user) {
    static_assert(sizeof(typename Body::Args) <= XBATCH_TASK_MAX_ARGS, "the argument block is too large");
    static_assert(std::is_trivially_copyable_v<typename Body::Args>, "the argument block is copied as bytes");
    Body()(context, *static_cast<const typename Body::Args *>(args), user);
}

/** A body with the signature that xbatchTaskGraphRun requires. */
template <class Body, class User>
int on_host(const void *args, void *user, int worker) {
    alignas(128) unsigned char memory[Scratch<Body>::value + 1];
    unsigned code = 0;
    call<Body>(TaskContext(memory, Scratch<Body>::value, worker, &code), args, *static_cast<const User *>(user));
    return int(code);
}

}  // namespace bodies

#ifdef __CUDACC__

/** The tasks of an image, for run_tickets. */
template <class User, class... Bodies>
class GraphTasks {
public:
    struct Task {
        TaskRecord record;
        int64_t ticket;
    };

    __device__ GraphTasks(TaskImage *image, const User &user)
        : counters_(image->at<int>(sizeof(TaskImage))),
          records_(image->at<const TaskRecord>(image->records_at())),
          successors_(image->at<const int32_t>(image->successors_at())),
          tasks_(image->tasks),
          edges_(image->edges),
          user_(user) {}

    __device__ void decode(int64_t ticket, Task &task) const {
        task.record = records_[ticket];
        task.ticket = ticket;
    }
    __device__ bool ready(const TaskContext &context, const Task &task) {
        if (load_acquire(counters_ + task.ticket) >= task.record.waits) {
            polls_ = 0;
            was_stuck_ = false;
            return true;
        }
        if (++polls_ == patience) {
            polls_ = 0;
            const bool is_stuck = have_finished(task.ticket);
            if (is_stuck && was_stuck_) context.fail(XBATCH_TASK_NEVER_READY);
            was_stuck_ = is_stuck;
        }
        return false;
    }
    __device__ void run(const TaskContext &context, const Task &task) const {
        const bool is_known = (try_body<Bodies>(context, task) || ...);
        if (!is_known) context.fail(XBATCH_TASK_UNKNOWN_TYPE);
    }
    __device__ void finish(const TaskContext &context, const Task &task) const {
        const TaskRecord &record = task.record;
        if (context.rank() < record.successors) asm volatile("fence.acq_rel.gpu;" ::: "memory");
        for (int64_t k = context.rank(); k < record.successors; k += context.size()) {
            if (uint64_t(record.first + k) >= uint64_t(edges_)) break;  // the image is corrupt
            const int32_t after = k < 2 ? record.near[k] : successors_[record.first + k];
            if (after > task.ticket && after < tasks_)
                asm volatile("red.relaxed.gpu.global.add.s32 [%0], 1;" ::"l"(counters_ + after) : "memory");
        }
        if (record.successors > context.size()) context.sync();  // all successors have been signalled
        if (context.rank() == 0) *static_cast<volatile int *>(counters_ + task.ticket) = has_finished;
    }

private:
    // If all earlier tasks have finished, a task that still waits never becomes ready: the image is corrupt. This is
    // checked after `patience` polls, some milliseconds, and reported if it still holds after as many more.
    static constexpr int patience = 1 << 14;
    static constexpr int has_finished = INT32_MIN;

    __device__ bool have_finished(int64_t before) {
        while (finished_ < before && load_acquire(counters_ + finished_) < 0) ++finished_;
        return finished_ == before;
    }
    template <class Body>
    __device__ bool try_body(const TaskContext &context, const Task &task) const {
        if (task.record.type != Body::type) return false;
        bodies::call<Body>(context, task.record.args, user_);
        return true;
    }

    int *counters_;  // of each task: finished predecessors
    const TaskRecord *records_;
    const int32_t *successors_;
    int64_t tasks_, edges_;
    const User &user_;
    int64_t finished_ = 0;  // the first finished_ tasks are known to have finished
    int polls_ = 0;
    bool was_stuck_ = false;
};

/** The kernel of run_tasks. Memory that is not a device copy of the graph is reported as a failure of ticket 0. */
template <class User, class... Bodies>
__global__ void __launch_bounds__(bodies::threads<Bodies...>)
    run_tasks_kernel(TaskImage *image, int64_t tasks, int64_t edges, const User user) {
    extern __shared__ __align__(128) unsigned char scratch[];
    if (image->magic != TaskImage::mark || image->version != TaskImage::this_version || image->tasks != tasks ||
        image->edges != edges) {
        if (threadIdx.x == 0) atomicMax(&image->state.failure, pack_failure(0, XBATCH_TASK_NO_IMAGE));
        return;
    }
    TicketTrace *trace = image->has_trace ? image->at<TicketTrace>(image->trace_at()) : nullptr;
    run_tickets(&image->state, tasks, GraphTasks<User, Bodies...>(image, user), scratch, bodies::scratch<Bodies...>,
                trace);
}

/** The number of blocks of a kernel that the current device holds at once, at most `count`. */
inline cudaError_t count_workers(const void *kernel, int threads, size_t scratch, int64_t count, int *workers) {
    int device = 0, multiprocessors = 0, blocks = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && scratch > 48 * 1024)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(scratch));
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, scratch);
    const int64_t most = int64_t(multiprocessors) * blocks;
    *workers = int(most < count ? most : count);
    return error;
}

/** Queues the kernel that runs an image prepared by xbatchTaskGraphPrepare. @param workers number of blocks; 0: as many
 * as the device holds */
template <class... Bodies, class User>
cudaError_t launch_tasks(void *image, int64_t tasks, int64_t edges, const User &user, cudaStream_t stream,
                         int workers = 0) {
    if (tasks == 0) return cudaSuccess;
    constexpr int threads = bodies::threads<Bodies...>;
    constexpr size_t scratch = bodies::scratch<Bodies...>;
    const auto kernel = run_tasks_kernel<User, Bodies...>;
    int most = 0;
    const cudaError_t error = count_workers(reinterpret_cast<const void *>(kernel), threads, scratch, tasks, &most);
    if (error != cudaSuccess) return error;
    kernel<<<unsigned(workers > 0 ? workers : most), threads, scratch, stream>>>(static_cast<TaskImage *>(image), tasks,
                                                                                 edges, user);
    return cudaGetLastError();
}

#endif

/** Runs a final graph with bodies of the user on the backend of the handle.
 *
 * - CUDA: image was written by xbatchTaskGraphUpload; the handle's device must be current. Asynchronous on the handle's
 *   stream; can be captured into a CUDA graph. xbatchTaskGraphSynchronize reports failed tasks. workers >= 1: the
 *   number of blocks; 0: as many as the device holds at once.
 * - Host: as xbatchTaskGraphRun, on the threads of the handle; image and workers are not used.
 * - user: passed to each body by value; trivially copyable. Bodies must have different types.
 * - Status: as xbatchTaskGraphPrepare and xbatchTaskGraphRun; EXECUTION_FAILED if the launch failed. */
template <class... Bodies, class User>
xbatchStatus_t run_tasks(xbatchHandle_t handle, xbatchTaskGraph_t graph, void *image, const User &user,
                         int workers = 0) {
    static_assert(std::is_trivially_copyable_v<User>, "user is handed to a kernel");
    xbatchBackend_t backend;
    xbatchStatus_t status = xbatchGetBackend(handle, &backend);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    if (backend == XBATCH_BACKEND_HOST) {
        constexpr int types = bodies::largest<int>({Bodies::type...}) + 1;
        xbatchTaskBody_t table[types] = {};
        ((table[Bodies::type] = bodies::on_host<Bodies, User>), ...);
        return xbatchTaskGraphRun(handle, graph, table, types, const_cast<User *>(&user));
    }
#ifdef __CUDACC__
    const int types[] = {Bodies::type...};
    int64_t tasks = 0, edges = 0;
    void *stream = nullptr;
    status = xbatchTaskGraphPrepare(handle, graph, image, types, int(sizeof...(Bodies)));
    if (status == XBATCH_STATUS_SUCCESS)
        status = xbatchTaskGraphGetStatistics(handle, graph, &tasks, &edges, nullptr, nullptr, nullptr, nullptr);
    if (status == XBATCH_STATUS_SUCCESS) status = xbatchGetStream(handle, &stream);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    const cudaError_t error =
        launch_tasks<Bodies...>(image, tasks, edges, user, static_cast<cudaStream_t>(stream), workers);
    return error == cudaSuccess ? XBATCH_STATUS_SUCCESS : XBATCH_STATUS_EXECUTION_FAILED;
#else
    (void)image, (void)workers;
    return XBATCH_STATUS_NOT_SUPPORTED;
#endif
}

}  // namespace xbatch

#endif
