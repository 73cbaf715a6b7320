/** @file task_graph.h
 * Graphs of tasks: work cut into tasks that wait for one another, built once and run any number of times.
 *
 * **Building.** A task is a type, an argument block of up to XBATCH_TASK_MAX_ARGS bytes, which is copied, and a cost.
 * Tasks are numbered from 0 in the order in which they are added, the program order. Which waits for which is said by
 * xbatchTaskGraphAddDependency, or inferred from what tasks read and write (xbatchTaskGraphAddAccess): a reader waits
 * for the last writer before it in program order, a writer for the last writer and for all readers since. Both may be
 * mixed. xbatchTaskGraphFinalize removes duplicates, refuses cycles and orders the tasks; after it a graph can be run,
 * and no longer be changed.
 *
 * **Running.** A body is a C function, one for each type of task. With one thread (xbatchSetThreadCount) the tasks run
 * one after the other in the order of xbatchTaskGraphFinalize. With several each thread takes the next task of that
 * order, waits until those it depends on have finished, and runs it: no task waits for one that nobody has taken, so a
 * run always ends. What a task wrote is seen by all that wait for it. A datum that every two conflicting tasks touch in
 * an order given by the graph has the same bits after every run, however many threads there are.
 *
 * **Failing.** A body that returns another value than 0 fails its task. No task behind it in the order is begun any
 * more, those before it still run; so the failed task that is named is the one a serial run meets first.
 *
 * **On a GPU.** xbatchTaskGraphUpload writes a final graph into device memory, once. Then one kernel runs it, as often
 * as wanted: by the tile operations of task_tiles.h, from C and Fortran; or by bodies of the user's own in CUDA, by the
 * template of task_graph.cuh. xbatchTaskGraphSynchronize waits, and tells what failed. On a handle of the host backend
 * the same calls do the same, on threads.
 *
 * A graph lives in host memory, belongs to no handle, and is used by one thread at a time.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_TASK_GRAPH_H
#define XBATCH_TASK_GRAPH_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque: tasks and what each waits for. */
typedef struct xbatchTaskGraph *xbatchTaskGraph_t;

/** Sizes of a graph's parts. */
typedef enum {
    XBATCH_TASK_MAX_ARGS = 64,         /**< bytes of a task's argument block at most */
    XBATCH_TASK_MAX_TYPE = 0x3fffffff, /**< the types above are the library's (task_tiles.h) */
    XBATCH_TASK_LIMITS_FORCE_INT32 = INT32_MIN
} xbatchTaskLimits_t;

/** What a task does with a resource. */
typedef enum {
    XBATCH_TASK_READ = 0,  /**< reads it */
    XBATCH_TASK_WRITE = 1, /**< writes it, and may read it too */
    XBATCH_TASK_ACCESS_FORCE_INT32 = INT32_MIN
} xbatchTaskAccess_t;

/** With what a task fails by itself on a GPU; codes of bodies are best below these. */
typedef enum {
    XBATCH_TASK_NO_IMAGE = 0x7fff0001,     /**< the memory is no image of this graph */
    XBATCH_TASK_UNKNOWN_TYPE = 0x7fff0002, /**< no body has the task's type */
    XBATCH_TASK_NEVER_READY = 0x7fff0003,  /**< what it waits for is not in the image */
    XBATCH_TASK_CODE_FORCE_INT32 = INT32_MIN
} xbatchTaskCode_t;

/** The work of all tasks of one type. @param args the task's argument block, aligned to 16
 * @param user what xbatchTaskGraphRun was given @param worker the thread, 0 … threads-1; 0 is the caller's
 * @return 0, or another number to fail the task. It must return, and must not run the same graph. */
typedef int (*xbatchTaskBody_t)(const void *args, void *user, int worker);

/** Make an empty graph. graph out: set on success, NULL otherwise. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE,
 * ALLOC_FAILED. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphCreate(xbatchHandle_t handle, xbatchTaskGraph_t *graph);

/** Free a graph; NULL is allowed. Status: SUCCESS, INVALID_VALUE for what is no graph. */
xbatchStatus_t xbatchTaskGraphDestroy(xbatchTaskGraph_t graph);

/** Add a task.
 *
 * - 0 <= type <= XBATCH_TASK_MAX_TYPE: which body runs it. args [argBytes] in, host memory, copied; argBytes <=
 * XBATCH_TASK_MAX_ARGS; args may be NULL if argBytes is 0. The rest of the block that the body sees is zero.
 * - cost >= 0, finite, in any unit: the task's time. It decides about the order of tasks, never about results.
 * - task out, may be NULL: its number; tasks are counted from 0. At most 2147483647.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (also for a graph that is final), ALLOC_FAILED. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphAddTask(xbatchHandle_t handle, xbatchTaskGraph_t graph, int type, const void *args,
                                      size_t argBytes, double cost, int64_t *task);

/** Make task `after` wait for task `before`; both must have been added, and differ. Saying so twice means the same as
 * saying it once. Status as xbatchTaskGraphAddTask. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphAddDependency(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t before,
                                            int64_t after);

/** Say that a task reads or writes a resource, from which dependencies are inferred.
 *
 * - resource: any number that stands for a piece of data: the index of a tile, an address. Resources with different
 *   numbers have nothing to do with each other.
 * - Program order is that of the tasks' numbers, in whatever order accesses are told. A task that reads and writes a
 *   resource writes it.
 * - Status as xbatchTaskGraphAddTask. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphAddAccess(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t task, int64_t resource,
                                        xbatchTaskAccess_t access);

/** Make a graph ready to run: duplicate dependencies removed, tasks ordered by the longest path (in cost) from each to
 * an end, longest first, and none before one it waits for.
 *
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (a cycle: the message names two of its tasks, one of which waits for
 *   the other directly; or final before), ALLOC_FAILED. Where it fails the graph is as before.
 * - Memory: about 100 bytes a task and 4 a dependency. Time: n log n. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphFinalize(xbatchHandle_t handle, xbatchTaskGraph_t graph);

/** What a final graph can give, before it is run: no number of threads makes a run shorter than its critical path, nor
 * faster than one thread by more than totalCost/criticalPath.
 *
 * - tasks, edges out: tasks, and different dependencies. levels out: tasks of the longest chain. width out: the most
 *   tasks at one level, a task's level being the longest chain of tasks that ends with it.
 * - totalCost, criticalPath out: the sum of all costs, and the largest sum along a chain.
 * - Each may be NULL. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final). Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphGetStatistics(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t *tasks,
                                            int64_t *edges, int64_t *levels, int64_t *width, double *totalCost,
                                            double *criticalPath);

/** Run all tasks of a final graph on the host by C functions.
 *
 * - types >= 0, bodies [types]: the body of each type; NULL where no task has that type. user: handed to each of them.
 * - Threads: those of the handle. With one the order is that of xbatchTaskGraphFinalize.
 * - May be called any number of times; nothing is rebuilt. A graph without tasks is run at once.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final, running already, a task whose type has no body; nothing
 *   has run), NOT_SUPPORTED (a handle of the CUDA backend, which calls no C functions), EXECUTION_FAILED (a task
 *   failed: xbatchTaskGraphGetFailure), ALLOC_FAILED.
 * - Synchronous: returns when no task runs any more. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphRun(xbatchHandle_t handle, xbatchTaskGraph_t graph, const xbatchTaskBody_t *bodies,
                                  int types, void *user);

/** The task that failed in the last run and what its body returned; -1 and 0 if none did, or none ran. Of runs on a
 * GPU, in that which xbatchTaskGraphSynchronize saw last. Either pointer may be NULL. Status: SUCCESS, INVALID_HANDLE,
 * INVALID_VALUE. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphGetFailure(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t *task, int *code);

/** Have runs of a final graph keep when each task began and ended and on which thread (enabled = 1), or not (0, as at
 * the beginning). Costs two readings of the clock and 24 bytes a task. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE,
 * ALLOC_FAILED. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphSetTrace(xbatchHandle_t handle, xbatchTaskGraph_t graph, int enabled);

/** Write the last run that was traced, on a GPU the last that xbatchTaskGraphSynchronize saw, to a file that
 * chrome://tracing and ui.perfetto.dev show: JSON, one complete event a task that ran, with its number, its thread, and
 * times in microseconds since the run began.
 *
 * - path: of the file, overwritten. types >= 0, names [types], may be NULL: what tasks of each type are called; without
 *   a name (NULL, or type >= types) "type 3", or "dgemm" of tasks of task_tiles.h.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (no traced run; a file that cannot be written).
 * Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphWriteTrace(xbatchHandle_t handle, xbatchTaskGraph_t graph, const char *path,
                                         const char *const *names, int types);

/** Bytes of the image of a final graph in device memory: about 100 a task and 4 a dependency. On the host backend 0.
 * Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final). Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphUpload_bufferSize(xbatchHandle_t handle, xbatchTaskGraph_t graph, size_t *imageBytes);

/** Write the image of a final graph into device memory, from which it can be run any number of times.
 *
 * - image [imageBytes] out, device memory aligned to 128: at least as many bytes as xbatchTaskGraphUpload_bufferSize
 *   said. The caller keeps it until its last run has ended, and does not write to it. Several images of one graph may
 *   run at once; one image runs once at a time. On the host backend it may be NULL, and nothing is done.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final, too few bytes, misaligned), EXECUTION_FAILED,
 *   ALLOC_FAILED.
 * - Queued on the handle's stream behind a copy in host memory; not to be captured. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphUpload(xbatchHandle_t handle, xbatchTaskGraph_t graph, void *image, size_t imageBytes);

/** Make an image ready for a run that is queued behind, by the kernel of task_graph.cuh, which calls this itself; and
 * check that each task has a body.
 *
 * - image in/out: as xbatchTaskGraphUpload left it. types [count] in, host memory, count >= 0: those that have a body.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final; a task whose type has no body), EXECUTION_FAILED.
 * - Asynchronous on the handle's stream; can be captured into a CUDA graph. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphPrepare(xbatchHandle_t handle, xbatchTaskGraph_t graph, void *image, const int *types,
                                      int count);

/** Wait for all that is queued on the handle's stream, and tell what became of the last run of an image; after it
 * xbatchTaskGraphGetFailure and xbatchTaskGraphWriteTrace tell more.
 *
 * - image in: as xbatchTaskGraphUpload left it. On the host backend nothing is done.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final), EXECUTION_FAILED (a task failed; the memory is no image
 *   of this graph: then the failure has no task, and the code XBATCH_TASK_NO_IMAGE; CUDA failed), ALLOC_FAILED.
 * - Synchronous. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphSynchronize(xbatchHandle_t handle, xbatchTaskGraph_t graph, const void *image);

#ifdef __cplusplus
}
#endif

#endif
