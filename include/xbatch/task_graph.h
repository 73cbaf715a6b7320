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
 * A graph lives in host memory, belongs to no handle, and is used by one thread at a time.
 * The CUDA backend runs no graphs yet: with its handles every routine here returns NOT_SUPPORTED.
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
    XBATCH_TASK_MAX_ARGS = 64, /**< bytes of a task's argument block at most */
    XBATCH_TASK_LIMITS_FORCE_INT32 = 0x7fffffff
} xbatchTaskLimits_t;

/** What a task does with a resource. */
typedef enum {
    XBATCH_TASK_READ = 0,  /**< reads it */
    XBATCH_TASK_WRITE = 1, /**< writes it, and may read it too */
    XBATCH_TASK_ACCESS_FORCE_INT32 = 0x7fffffff
} xbatchTaskAccess_t;

/** The work of all tasks of one type. @param args the task's argument block, aligned to 16
 * @param user what xbatchTaskGraphRun was given @param worker the thread, 0 … threads-1; 0 is the caller's
 * @return 0, or another number to fail the task. It must return, and must not run the same graph. */
typedef int (*xbatchTaskBody_t)(const void *args, void *user, int worker);

/** Make an empty graph. graph out: set on success, NULL otherwise. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE,
 * NOT_SUPPORTED (CUDA), ALLOC_FAILED. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphCreate(xbatchHandle_t handle, xbatchTaskGraph_t *graph);

/** Free a graph; NULL is allowed. Status: SUCCESS, INVALID_VALUE for what is no graph. */
xbatchStatus_t xbatchTaskGraphDestroy(xbatchTaskGraph_t graph);

/** Add a task.
 *
 * - type >= 0: which body runs it. args [argBytes] in, host memory, copied; argBytes <= XBATCH_TASK_MAX_ARGS; args may
 *   be NULL if argBytes is 0. The rest of the block that the body sees is zero.
 * - cost >= 0, finite, in any unit: the task's time. It decides about the order of tasks, never about results.
 * - task out, may be NULL: its number; tasks are counted from 0. At most 2147483647.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (also for a graph that is final), NOT_SUPPORTED (CUDA),
 *   ALLOC_FAILED. Since 0.1.0. */
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
 *   the other directly; or final before), NOT_SUPPORTED (CUDA), ALLOC_FAILED. Where it fails the graph is as before.
 * - Memory: about 100 bytes a task and 4 a dependency. Time: n log n. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphFinalize(xbatchHandle_t handle, xbatchTaskGraph_t graph);

/** What a final graph can give, before it is run: no number of threads makes a run shorter than its critical path, nor
 * faster than one thread by more than totalCost/criticalPath.
 *
 * - tasks, edges out: tasks, and different dependencies. levels out: tasks of the longest chain. width out: the most
 *   tasks at one level, a task's level being the longest chain of tasks that ends with it.
 * - totalCost, criticalPath out: the sum of all costs, and the largest sum along a chain.
 * - Each may be NULL. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final), NOT_SUPPORTED (CUDA). Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphGetStatistics(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t *tasks,
                                            int64_t *edges, int64_t *levels, int64_t *width, double *totalCost,
                                            double *criticalPath);

/** Run all tasks of a final graph.
 *
 * - types >= 0, bodies [types]: the body of each type; NULL where no task has that type. user: handed to each of them.
 * - Threads: those of the handle. With one the order is that of xbatchTaskGraphFinalize.
 * - May be called any number of times; nothing is rebuilt. A graph without tasks is run at once.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final, running already, a task whose type has no body; nothing
 *   has run), NOT_SUPPORTED (CUDA), EXECUTION_FAILED (a task failed: xbatchTaskGraphGetFailure), ALLOC_FAILED.
 * - Synchronous: returns when no task runs any more. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphRun(xbatchHandle_t handle, xbatchTaskGraph_t graph, const xbatchTaskBody_t *bodies,
                                  int types, void *user);

/** The task that failed in the last run and what its body returned; -1 and 0 if none did, or none ran. Either pointer
 * may be NULL. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED (CUDA). Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphGetFailure(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t *task, int *code);

/** Have runs of a final graph keep when each task began and ended and on which thread (enabled = 1), or not (0, as at
 * the beginning). Costs two readings of the clock and 24 bytes a task. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE,
 * NOT_SUPPORTED (CUDA), ALLOC_FAILED. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphSetTrace(xbatchHandle_t handle, xbatchTaskGraph_t graph, int enabled);

/** Write the last run that was traced to a file that chrome://tracing and ui.perfetto.dev show: JSON, one complete
 * event a task that ran, with its number, its thread, and times in microseconds since the run began.
 *
 * - path: of the file, overwritten. types >= 0, names [types], may be NULL: what tasks of each type are called; without
 *   a name (NULL, or type >= types) "type 3".
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (no traced run; a file that cannot be written), NOT_SUPPORTED
 * (CUDA). Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphWriteTrace(xbatchHandle_t handle, xbatchTaskGraph_t graph, const char *path,
                                         const char *const *names, int types);

#ifdef __cplusplus
}
#endif

#endif
