/** @file task_tickets.cuh
 * Tickets on a GPU: tasks whose meaning and whose waiting are the user's own code, for graphs that a formula describes.
 * Header-only, for nvcc, devices of compute capability 7.0 and later. Graphs that are listed task by task are in
 * task_graph.cuh, which stands on this.
 *
 * **One kernel.** Each block of threads is a worker: it takes the next ticket, waits until that ticket is ready, runs
 * it, and tells those that wait for it. Tickets are numbered in an order in which each stands behind those it waits
 * for. So the smallest unfinished ticket waits for none, and a block that runs has it: a run always ends, with any
 * number of workers, whatever else occupies the device. Nothing needs a cooperative launch.
 *
 * **Memory.** What a task wrote is seen by those that wait for it if they read it by ordinary loads: data of tasks must
 * never come through the non-coherent path (__ldg, a pointer that is const __restrict__, textures), nor be loaded
 * before the task has begun. Bulk copies (cp.async.bulk) need fence.proxy.async after the task has begun, and before it
 * ends.
 *
 * **Failing.** A body that calls TaskContext::fail fails its task. No ticket behind it is begun any more, those before
 * it still run; so the failure that is told is that of the smallest ticket, as in a serial run.
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

/** What a body knows of where it runs. On a GPU all threads of a block call the body; on the host one thread does. */
class TaskContext {
public:
    /** @param scratch, scratch_bytes the worker's own memory @param worker its number @param code where a failure is
     * kept; all in shared memory on a GPU */
    XBATCH_TASK_HD TaskContext(void *scratch, size_t scratch_bytes, int worker, unsigned *code)
        : scratch_(scratch), scratch_bytes_(scratch_bytes), worker_(worker), code_(code) {}

    /** Of the calling thread within the task, 0 … size()-1. */
    XBATCH_TASK_HD int rank() const {
#ifdef __CUDA_ARCH__
        return int(threadIdx.x);
#else
        return 0;
#endif
    }
    /** Threads of the task. */
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
    /** The worker's own memory, shared by the threads of the task; what was in it before is undefined. */
    XBATCH_TASK_HD void *scratch() const { return scratch_; }
    /** Its size. */
    XBATCH_TASK_HD size_t scratch_bytes() const { return scratch_bytes_; }
    /** On a GPU the block's number, on the host the thread's. */
    XBATCH_TASK_HD int worker() const { return worker_; }

    /** Fails the task with a code that is not 0. Any thread may; of several codes the largest counts, as unsigned. The
     * task goes on to its end. */
    XBATCH_TASK_HD void fail(int code) const {
#ifdef __CUDA_ARCH__
        atomicMax(code_, unsigned(code));
#else
        if (unsigned(code) > *code_) *code_ = unsigned(code);
#endif
    }
    /** Whether the task has failed; for all threads after a sync. */
    XBATCH_TASK_HD bool has_failed() const { return *static_cast<volatile unsigned *>(code_) != 0; }

private:
    void *scratch_;
    size_t scratch_bytes_;
    int worker_;
    unsigned *code_;
};

/** What the workers of a run share, in device memory. All zero before each run: cudaMemsetAsync. */
struct TicketState {
    alignas(128) unsigned long long next;    /**< the first ticket that nobody has taken */
    alignas(128) unsigned long long failure; /**< of the smallest ticket that failed; 0 if none did */
};

/** When a ticket ran, in nanoseconds of the device's clock, and on which worker. end is 0 where it was taken and not
 * begun; of tickets that nobody took (TicketState::next) nothing is written. */
struct TicketTrace {
    unsigned long long begin; /**< before the body */
    unsigned long long end;   /**< behind it */
    long long worker;         /**< TaskContext::worker */
};

/** Tickets are less than this. */
constexpr int64_t max_tickets = 0xffffffff;

/** A failure as one number: the smaller the ticket, the larger; never 0. */
XBATCH_TASK_HD inline unsigned long long pack_failure(int64_t ticket, int code) {
    return static_cast<unsigned long long>(max_tickets - ticket) << 32 | unsigned(code);
}
/** The ticket of a failure; -1 of 0. */
XBATCH_TASK_HD inline int64_t failed_ticket(unsigned long long failure) {
    return failure == 0 ? -1 : max_tickets - int64_t(failure >> 32);
}
/** The code of a failure; 0 of 0. */
XBATCH_TASK_HD inline int failure_code(unsigned long long failure) { return int(unsigned(failure)); }

#ifdef __CUDACC__

/** Reads a counter; what its writers wrote before they released it is seen by what follows. */
__device__ inline int load_acquire(const int *counter) {
    int value;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
}
/** Sets a counter that has one writer, behind all that its thread wrote, or saw at a barrier, before. */
__device__ inline void store_release(int *counter, int value) {
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
}
/** Adds to a counter, behind all that its thread wrote, or saw at a barrier, before. */
__device__ inline void add_release(int *counter, int value) {
    asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
}

namespace tickets {

/** A ticket in a worker's hands, in shared memory. */
template <class Task>
struct Slot {
    Task task;
    int64_t ticket;  // -1: there is none any more
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

/** Waits for a ticket, by one thread; false if it is not to be begun. All that wait read the same word for a failure:
 * only now and then, and before the rest, so that its latency hides behind that of what the ticket waits for. */
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

/** Runs tickets 0 … count-1, count <= max_tickets: to be called by all threads of all blocks of a kernel, each block a
 * worker, with any number of blocks >= 1 of one dimension.
 *
 * Tasks is a class of the user's; each thread has its own copy. All its members run on the device:
 *
 * | member | by | what it does |
 * |---|---|---|
 * | `Task` | | what a worker keeps of a ticket, in shared memory; trivial to construct and to copy |
 * | `void decode(int64_t ticket, Task &)` | thread 0 | makes the task of a ticket, from what no task writes |
 * | `bool ready(const TaskContext &, const Task &)` | thread 0 | whether all that it waits for has come (load_acquire);
 * asked until it is true, or until it fails the task |
 * | `void run(const TaskContext &, const Task &)` | all threads | the work; a barrier stands before and behind it |
 * | `void finish(const TaskContext &, const Task &)` | all threads | tells those that wait (store_release, add_release
 * by one thread each); not called if the task failed |
 *
 * @param state zeroed before the run @param scratch, scratch_bytes the block's shared memory for TaskContext::scratch
 * @param trace [count] or nullptr: filled for each ticket that ran */
template <class Tasks>
__device__ __forceinline__ void run_tickets(TicketState *state, int64_t count, Tasks tasks, void *scratch,
                                            size_t scratch_bytes, TicketTrace *trace = nullptr) {
    using Slot = tickets::Slot<typename Tasks::Task>;
    __shared__ Slot slots[2];  // in turn: what is read of one task stays while the next is fetched
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
        return;  // whatever it has taken stands behind a ticket that failed, or there is none any more
    }
}

#endif

}  // namespace xbatch

#endif
