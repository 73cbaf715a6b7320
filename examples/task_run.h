/* task_run.h: what the programs that run a graph of tasks share: options, timed runs on one thread and on several, a
 * trace.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_TASK_RUN_H
#define EXAMPLES_TASK_RUN_H

#include <xbatch.h>

#include "error.h"

typedef struct {
    int64_t size, tile, threads; /* threads 0: all cores */
    const char *trace;           /* a file, or NULL */
    const char *const *rest;     /* arguments that are no options */
    int rest_count;
} TaskOptions;

/* --size, --tile, --threads, --trace; an absent option leaves its value unchanged. */
void task_options(int argc, char **argv, TaskOptions *options);

/* A graph, and the bodies of its tasks by type */
typedef struct {
    xbatchHandle_t handle;
    xbatchTaskGraph_t graph;
    const xbatchTaskBody_t *bodies;
    const char *const *names;
    int types;
} TaskWork;

/* Fills *error with the handle's message, unless the status is SUCCESS. */
bool task_check(const TaskWork *work, xbatchStatus_t status, Error *error);

/* Prints the size of the graph, and the largest possible speedup. */
bool task_describe(const TaskWork *work, Error *error);

/* Runs the graph with this many threads, 0 for all cores, and measures the seconds. */
bool task_time(const TaskWork *work, int64_t threads, void *user, double *seconds, Error *error);

/* Says that a task reads or writes a resource. */
bool task_access(const TaskWork *work, int64_t task, int64_t resource, xbatchTaskAccess_t access, Error *error);

#endif
