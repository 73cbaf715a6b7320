/** @file task_tickets.cuh
 * Tickets on a GPU: tasks that are defined by formulas, with run and wait code of the user. Header-only, for nvcc and
 * devices of compute capability 7.0 or later. task_graph.cuh builds on it for graphs that are stored task by task.
 *
 * **One kernel.** Each thread block is a worker: it takes the next ticket, waits until that ticket is ready, runs it,
 * and signals its successors. Tickets are numbered in an order in which each follows its predecessors. So the smallest
 * unfinished ticket waits for none, and a resident block holds it: a run always ends, with any number of workers,
 * whatever else occupies the device. No cooperative launch is needed.
 *
 * **Memory.** Writes of a task are visible to its successors through ordinary loads. Data of tasks must not be read
 * through the non-coherent path (__ldg, const __restrict__ pointers, textures), nor before the task has begun. Bulk
 * asynchronous copies (cp.async.bulk) need fence.proxy.async after the task has begun, and before it ends.
 *
 * **Failing.** A body that calls TaskContext::fail fails its task. Later tickets no longer begin; earlier ones still
 * run. So the reported failure is that of the smallest ticket, as in a serial run.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_TASK_TICKETS_CUH
#define XBATCH_TASK_TICKETS_CUH

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#include <cuda_runtime.h>
#define XBATCH_TASK_HD __host__ __device__
#else
#define XBATCH_TASK_HD
#endif

namespace xbatch {

/** Execution context of a body. On a GPU all threads of a block call the body; on the host one thread does. */
class TaskContext {
public:
    /** @param scratch, scratch_bytes the worker's own memory @param worker its number @param code receives the code of
     * a failure; all in shared memory on a GPU */
    XBATCH_TASK_HD TaskContext(void *scratch, size_t scratch_bytes, int worker, unsigned *code)
        : scratch_(scratch), scratch_bytes_(scratch_bytes), worker_(worker), code_(code) {}

    /** Number of the calling thread within the task, 0 … size()-1. */
    XBATCH_TASK_HD int rank() const {
#ifdef __CUDA_ARCH__
        return int(threadIdx.x);
#else
        return 0;
#endif
    }
    /** Number of threads of the task. */
    XBATCH_TASK_HD int size() const {
#ifdef __CUDA_ARCH__
        return int(blockDim.x);
#else
        return 1;
#endif
    }
    /** A barrier of all threads of the task. */
    XBATCH_TASK_HD void sync() const {
#ifdef __CUDA_ARCH__
        __syncthreads();
#endif
    }
    /** The worker's own memory, shared by the threads of the task; its initial contents are undefined. */
    XBATCH_TASK_HD void *scratch() const { return scratch_; }
    /** Its size. */
    XBATCH_TASK_HD size_t scratch_bytes() const { return scratch_bytes_; }
    /** Number of the block on a GPU, of the thread on the host. */
    XBATCH_TASK_HD int worker() const { return worker_; }

    /** Fails the task with a nonzero code. Any thread may call it; the largest code, as unsigned, is reported. The task
     * continues to its end. */
    XBATCH_TASK_HD void fail(int code) const {
#ifdef __CUDA_ARCH__
        atomicMax(code_, unsigned(code));
#else
        if (unsigned(code) > *code_) *code_ = unsigned(code);
#endif
    }
    /** Whether the task has failed; the same for all threads after a sync. */
    XBATCH_TASK_HD bool has_failed() const { return *static_cast<volatile unsigned *>(code_) != 0; }

private:
    void *scratch_;
    size_t scratch_bytes_;
    int worker_;
    unsigned *code_;
};

/** State shared by the workers of a run, in device memory. It must be zero before each run: cudaMemsetAsync. */
struct TicketState {
    alignas(128) unsigned long long next;    /**< the first ticket that no worker has taken */
    alignas(128) unsigned long long failure; /**< of the smallest failed ticket; 0 if none failed */
};

/** When a ticket ran, in nanoseconds of the device's clock, and on which worker. end is 0 if the ticket was taken but
 * not begun. For tickets that no worker took (TicketState::next and above) nothing is written. */
struct TicketTrace {
    unsigned long long begin; /**< before the body */
    unsigned long long end;   /**< after the body */
    long long worker;         /**< TaskContext::worker */
};

/** Upper bound of the number of tickets. */
constexpr int64_t max_tickets = 0xffffffff;

/** A failure as one number, larger for smaller tickets; never 0. */
XBATCH_TASK_HD inline unsigned long long pack_failure(int64_t ticket, int code) {
    return static_cast<unsigned long long>(max_tickets - ticket) << 32 | unsigned(code);
}
/** The ticket of a failure; -1 for 0. */
XBATCH_TASK_HD inline int64_t failed_ticket(unsigned long long failure) {
    return failure == 0 ? -1 : max_tickets - int64_t(failure >> 32);
}
/** The code of a failure; 0 for 0. */
XBATCH_TASK_HD inline int failure_code(unsigned long long failure) { return int(unsigned(failure)); }

#ifdef __CUDACC__

/** Reads a counter. Writes that precede the release of its value are visible to subsequent accesses. */
__device__ inline int load_acquire(const int *counter) {
    int value;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
}
/** Sets a counter that has one writer, after all earlier writes of its thread and those ordered before by a barrier. */
__device__ inline void store_release(int *counter, int value) {
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
}
/** Adds to a counter, after all earlier writes of its thread and those ordered before by a barrier. */
__device__ inline void add_release(int *counter, int value) {
    asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
}

namespace tickets {

/** The current ticket of a worker, in shared memory. */
template <class Task>
struct Slot {
    Task task;
    int64_t ticket;  // -1: none is left
    unsigned code;
};

__device__ inline unsigned long long load_relaxed(const unsigned long long *word) {
    unsigned long long value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}
__device__ inline unsigned long long nanoseconds() {
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

/** Waits for a ticket, by one thread; false if the ticket must not begin. All waiting threads poll the same word for a
 * failure: only every 16th time, and before the counters, so that the latencies of both loads overlap. */
template <class Tasks>
__device__ bool await(const TicketState &state, const TaskContext &context, Tasks &tasks, int64_t ticket,
                      const typename Tasks::Task &task) {
    for (unsigned poll = 0;; ++poll) {
        const unsigned long long failure = poll % 16 == 0 ? load_relaxed(&state.failure) : 0;
        const bool is_ready = tasks.ready(context, task);
        if (context.has_failed() || (failure != 0 && failed_ticket(failure) < ticket)) return false;
        if (is_ready) return true;
        __nanosleep(20);
    }
}

}  // namespace tickets

/** Runs tickets 0 … count-1, count <= max_tickets. All threads of all blocks of a kernel must call it, with any number
 * of blocks >= 1 in one dimension; each block is a worker.
 *
 * Tasks is a class of the user; each thread has its own copy. All its members run on the device:
 *
 * | member | called by | purpose |
 * |---|---|---|
 * | `Task` | | a worker's data of a ticket, in shared memory; trivial to construct and to copy |
 * | `void decode(int64_t ticket, Task &)` | thread 0 | computes the task of a ticket, from data that no task writes |
 * | `bool ready(const TaskContext &, const Task &)` | thread 0 | whether all predecessors have signalled |
 * | `void run(const TaskContext &, const Task &)` | all threads | the body, between two barriers |
 * | `void finish(const TaskContext &, const Task &)` | all threads | signals the successors |
 *
 * ready reads signals by load_acquire and is polled until it returns true or fails the task. finish signals by
 * store_release or add_release, each by one thread; it is not called if the task failed.
 *
 * @param state zeroed before the run @param scratch, scratch_bytes the block's shared memory for TaskContext::scratch
 * @param trace [count] or nullptr: filled for each ticket that ran */
template <class Tasks>
__device__ __forceinline__ void run_tickets(TicketState *state, int64_t count, Tasks tasks, void *scratch,
                                            size_t scratch_bytes, TicketTrace *trace = nullptr) {
    using Slot = tickets::Slot<typename Tasks::Task>;
    __shared__ Slot slots[2];  // alternate: threads may still read one task while the next is fetched
    const bool leads = threadIdx.x == 0;
    unsigned long long next = leads ? atomicAdd(&state->next, 1ull) : 0, begin = 0;
    if (leads) slots[0].code = slots[1].code = 0;
    for (int turn = 0;; turn ^= 1) {
        Slot &slot = slots[turn];
        const TaskContext context(scratch, scratch_bytes, int(blockIdx.x), &slot.code);
        const int64_t ticket = int64_t(next);
        if (leads) {
            bool begins = ticket < count;
            if (begins) {
                if (trace) trace[ticket].end = 0;
                tasks.decode(ticket, slot.task);
                begins = tickets::await(*state, context, tasks, ticket, slot.task);
            }
            slot.ticket = begins ? ticket : -1;
        }
        __syncthreads();
        if (slot.ticket >= 0) {
            if (leads) {
                if (trace) begin = tickets::nanoseconds();
                next = atomicAdd(&state->next, 1ull);  // early: its latency hides behind the body
            }
            tasks.run(context, slot.task);
            __syncthreads();
            if (leads && trace) trace[ticket] = {begin, tickets::nanoseconds(), int64_t(blockIdx.x)};
            if (slot.code == 0) {
                tasks.finish(context, slot.task);
                continue;
            }
        }
        if (leads && slot.code != 0) {
            atomicMax(&state->failure, pack_failure(ticket, int(slot.code)));
            if (trace && int64_t(next) < count && int64_t(next) > ticket) trace[next].end = 0;
        }
        return;  // the ticket taken follows a failed ticket, or none is left
    }
}

#endif

}  // namespace xbatch

#endif
