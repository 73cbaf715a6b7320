/** @file task_graph.h
 * Graphs of tasks with dependencies, built once and run any number of times.
 *
 * **Building.** A task has a type, an argument block of up to XBATCH_TASK_MAX_ARGS bytes, which is copied, and a cost.
 * Tasks are numbered from 0 in program order, the order in which they are added. Dependencies are given by
 * xbatchTaskGraphAddDependency, or inferred from what tasks read and write (xbatchTaskGraphAddAccess): a reader waits
 * for the last writer before it in program order; a writer waits for the last writer and all readers since. Both may be
 * used in one graph. xbatchTaskGraphFinalize removes duplicates, refuses cycles and orders the tasks. A final graph can
 * be run, but not changed.
 *
 * **Running.** A body is a C function, one for each type of task. With one thread (xbatchSetThreadCount) the tasks run
 * sequentially in task order, computed by xbatchTaskGraphFinalize. With several threads, each thread takes the next
 * task in that order, waits for its predecessors, and runs it. No task waits for one that no thread has taken, so every
 * run ends. Writes of a task are visible to all tasks that wait for it. If the graph orders every two conflicting
 * accesses to a datum, its bits are the same after every run, for any number of threads.
 *
 * **Failing.** A body that returns a nonzero value fails its task. Later tasks in task order no longer begin; earlier
 * ones still run. So the reported failure is the first one of a serial run.
 *
 * **On a GPU.** xbatchTaskGraphUpload writes a device copy of a final graph, its image, once. Then one kernel per run
 * executes it: with the tile operations of task_tiles.h, from C and Fortran, or with CUDA bodies of the user through
 * the template of task_graph.cuh. xbatchTaskGraphSynchronize waits and reports failures. With a handle of the host
 * backend the same calls have the same effect on host threads.
 *
 * A graph is in host memory and belongs to no handle. Only one thread may use it at a time.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_TASK_GRAPH_H
#define XBATCH_TASK_GRAPH_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque: tasks and their dependencies. */
typedef struct xbatchTaskGraph *xbatchTaskGraph_t;

/** Limits of a task. */
typedef enum {
    XBATCH_TASK_MAX_ARGS = 64,         /**< largest argument block, in bytes */
    XBATCH_TASK_MAX_TYPE = 0x3fffffff, /**< larger types are the library's (task_tiles.h) */
    XBATCH_TASK_LIMITS_FORCE_INT32 = INT32_MIN
} xbatchTaskLimits_t;

/** Access of a task to a resource. */
typedef enum {
    XBATCH_TASK_READ = 0,  /**< reads it */
    XBATCH_TASK_WRITE = 1, /**< writes it, and may also read it */
    XBATCH_TASK_ACCESS_FORCE_INT32 = INT32_MIN
} xbatchTaskAccess_t;

/** Codes of failures that the library detects on a GPU; bodies should use smaller codes. */
typedef enum {
    XBATCH_TASK_NO_IMAGE = 0x7fff0001,     /**< the memory is not a device copy of the graph */
    XBATCH_TASK_UNKNOWN_TYPE = 0x7fff0002, /**< no body has the task's type */
    XBATCH_TASK_NEVER_READY = 0x7fff0003,  /**< a predecessor is not in the device copy */
    XBATCH_TASK_CODE_FORCE_INT32 = INT32_MIN
} xbatchTaskCode_t;

/** The body of all tasks of one type. @param args the task's argument block, aligned to 16
 * @param user argument of xbatchTaskGraphRun @param worker the thread, 0 … threads-1; 0 is the caller's
 * @return 0, or another number to fail the task. It must return, and must not run the same graph. */
typedef int (*xbatchTaskBody_t)(const void *args, void *user, int worker);

/** Create an empty graph. graph out: set on success, NULL otherwise. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE,
 * ALLOC_FAILED. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphCreate(xbatchHandle_t handle, xbatchTaskGraph_t *graph);

/** Free a graph; NULL is allowed. Status: SUCCESS, INVALID_VALUE if it is not a graph. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphDestroy(xbatchTaskGraph_t graph);

/** Add a task.
 *
 * - type: selects the body; 0 <= type <= XBATCH_TASK_MAX_TYPE. args [argBytes] in, host memory, copied; argBytes <=
 *   XBATCH_TASK_MAX_ARGS; args may be NULL if argBytes is 0. The body receives the block padded with zeros.
 * - cost >= 0, finite, in any unit: the time of the task. It affects the order of tasks, never results.
 * - task out, may be NULL: its number, counted from 0. At most 2147483647.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (also for a final graph), ALLOC_FAILED. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphAddTask(xbatchHandle_t handle, xbatchTaskGraph_t graph, int type, const void *args,
                                      size_t argBytes, double cost, int64_t *task);

/** Make task `after` wait for task `before`; both must have been added, and differ. A repeated call has no effect.
 * Status as xbatchTaskGraphAddTask. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphAddDependency(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t before,
                                            int64_t after);

/** Declare that a task reads or writes a resource; dependencies are inferred from these accesses.
 *
 * - resource: any number that identifies a piece of data: the index of a tile, an address. Resources with different
 *   numbers are independent.
 * - Program order is the order of the tasks' numbers, in whatever order accesses are declared. A task that reads and
 *   writes a resource counts as a writer.
 * - Status as xbatchTaskGraphAddTask. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphAddAccess(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t task, int64_t resource,
                                        xbatchTaskAccess_t access);

/** Make a graph ready to run: remove duplicate dependencies and order the tasks. Tasks are ordered by their longest
 * path (in cost) to an end of the graph, longest first, and each after those it waits for.
 *
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (a cycle: the message names two of its tasks, one of which waits for
 *   the other directly; or the graph is already final), ALLOC_FAILED. On an error the graph is unchanged.
 * - Memory: about 100 bytes per task and 4 per dependency. Time: O(n log n). Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphFinalize(xbatchHandle_t handle, xbatchTaskGraph_t graph);

/** Bounds on the parallelism of a final graph: for any number of threads, the time of a run is at least criticalPath
 * and the speedup over one thread at most totalCost/criticalPath.
 *
 * - tasks, edges out: the number of tasks, and of different dependencies. levels out: tasks of the longest chain. width
 *   out: the most tasks at one level; the level of a task is the length of the longest chain that ends with it.
 * - totalCost, criticalPath out: the sum of all costs, and the largest sum along a chain.
 * - Each may be NULL. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final). Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphGetStatistics(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t *tasks,
                                            int64_t *edges, int64_t *levels, int64_t *width, double *totalCost,
                                            double *criticalPath);

/** Run all tasks of a final graph on the host by C functions.
 *
 * - types >= 0, bodies [types]: the body of each type; NULL if no task has that type. user: passed to each body.
 * - Threads: those of the handle. With one thread the order is that of xbatchTaskGraphFinalize.
 * - May be called any number of times; nothing is rebuilt. For a graph without tasks it returns at once.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final, already running, or a task whose type has no body; no
 *   task has run), NOT_SUPPORTED (a handle of the CUDA backend, which cannot call C functions), EXECUTION_FAILED (a
 *   task failed: xbatchTaskGraphGetFailure), ALLOC_FAILED.
 * - Synchronous: returns when all tasks have ended. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphRun(xbatchHandle_t handle, xbatchTaskGraph_t graph, const xbatchTaskBody_t *bodies,
                                  int types, void *user);

/** The task that failed in the last run and the value that its body returned; -1 and 0 if no task failed or ran. For
 * runs on a GPU the last run is the one of the last xbatchTaskGraphSynchronize. Either pointer may be NULL. Status:
 * SUCCESS, INVALID_HANDLE, INVALID_VALUE. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphGetFailure(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t *task, int *code);

/** Enable (1) or disable (0, the default) a trace of the runs of a final graph: when each task began and ended, and on
 * which thread. It costs two clock readings and 24 bytes per task. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE,
 * ALLOC_FAILED. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphSetTrace(xbatchHandle_t handle, xbatchTaskGraph_t graph, int enabled);

/** Write the last traced run to a JSON file for chrome://tracing and ui.perfetto.dev. For runs on a GPU it is the one
 * of the last xbatchTaskGraphSynchronize. Each task that ran gives one complete event with its number, its thread, and
 * times in microseconds since the run began.
 *
 * - path: of the file, overwritten. types >= 0, names [types], may be NULL: the name of each type of task; without a
 *   name (NULL, or type >= types) "type 3", or "dgemm" for tasks of task_tiles.h.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (no traced run, or the file cannot be written). Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphWriteTrace(xbatchHandle_t handle, xbatchTaskGraph_t graph, const char *path,
                                         const char *const *names, int types);

/** Bytes of the device copy of a final graph: about 100 per task and 4 per dependency. On the host backend 0. Status:
 * SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final). Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphUpload_bufferSize(xbatchHandle_t handle, xbatchTaskGraph_t graph, size_t *imageBytes);

/** Write the device copy of a final graph, from which it can be run any number of times.
 *
 * - image [imageBytes] out, device memory aligned to 128, of at least the size from xbatchTaskGraphUpload_bufferSize.
 *   The caller must keep and not modify it until its last run has ended. Several device copies of a graph may run at
 *   once; each runs once at a time. On the host backend image may be NULL, and nothing is done.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final, too few bytes, misaligned), EXECUTION_FAILED,
 *   ALLOC_FAILED.
 * - Queued on the handle's stream after a copy in host memory; cannot be captured. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphUpload(xbatchHandle_t handle, xbatchTaskGraph_t graph, void *image, size_t imageBytes);

/** Prepare an image for the next run that is queued, and check that each task has a body. The launch function of
 * task_graph.cuh calls this itself.
 *
 * - image in/out: from xbatchTaskGraphUpload. types [count] in, host memory, count >= 0: the types that have a body.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final; a task whose type has no body), EXECUTION_FAILED.
 * - Asynchronous on the handle's stream; can be captured into a CUDA graph. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphPrepare(xbatchHandle_t handle, xbatchTaskGraph_t graph, void *image, const int *types,
                                      int count);

/** Wait for all work queued on the handle's stream, and return the result of the last run of an image. Then
 * xbatchTaskGraphGetFailure and xbatchTaskGraphWriteTrace give details.
 *
 * - image in: from xbatchTaskGraphUpload. On the host backend nothing is done.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final), EXECUTION_FAILED (a task failed; the memory is not a
 *   device copy of the graph: the failure then has no task, and the code XBATCH_TASK_NO_IMAGE; CUDA failed),
 *   ALLOC_FAILED.
 * - Synchronous. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphSynchronize(xbatchHandle_t handle, xbatchTaskGraph_t graph, const void *image);

#ifdef __cplusplus
}
#endif

#endif
