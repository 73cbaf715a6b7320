/* task_run.c: see task_run.h.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "task_run.h"

#include <stdio.h>
#include <time.h>

#include "options.h"

void task_options(int argc, char **argv, TaskOptions *options) {
    static const struct option known[] = {{"size", required_argument, NULL, 's'},
                                          {"tile", required_argument, NULL, 't'},
                                          {"threads", required_argument, NULL, 'n'},
                                          {"trace", required_argument, NULL, 'r'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'v'},
                                          {NULL, 0, NULL, 0}};
    for (int key; (key = next_option(argc, argv, known)) != -1;) {
        switch (key) {
            case 's': options->size = integer_value(1); break;
            case 't': options->tile = integer_value(1); break;
            case 'n': options->threads = integer_value(1); break;
            case 'r': options->trace = optarg; break;
        }
    }
    options->rest = (const char *const *)argv + optind;
    options->rest_count = argc - optind;
}

bool task_check(const TaskWork *work, xbatchStatus_t status, Error *error) {
    return status == XBATCH_STATUS_SUCCESS || fail(error, "%s", xbatchGetLastErrorMessage(work->handle));
}

bool task_access(const TaskWork *work, int64_t task, int64_t resource, xbatchTaskAccess_t access, Error *error) {
    return task_check(work, xbatchTaskGraphAddAccess(work->handle, work->graph, task, resource, access), error);
}

bool task_describe(const TaskWork *work, Error *error) {
    int64_t tasks, edges, levels, width;
    double total, path;
    if (!task_check(
            work,
            xbatchTaskGraphGetStatistics(work->handle, work->graph, &tasks, &edges, &levels, &width, &total, &path),
            error))
        return false;
    printf("graph: %lld tasks, %lld dependencies, %lld levels, up to %lld tasks at a time, at most %.1f times faster\n",
           (long long)tasks, (long long)edges, (long long)levels, (long long)width, total / path);
    return true;
}

bool task_time(const TaskWork *work, int64_t threads, void *user, double *seconds, Error *error) {
    struct timespec begin, end;
    if (!task_check(work, xbatchSetThreadCount(work->handle, (int)threads), error)) return false;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const xbatchStatus_t status = xbatchTaskGraphRun(work->handle, work->graph, work->bodies, work->types, user);
    clock_gettime(CLOCK_MONOTONIC, &end);
    *seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    return task_check(work, status, error);
}
