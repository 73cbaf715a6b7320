// task_graph.hpp: a graph of tasks, while it is built and when it is final.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/context.hpp"
#include "xbatch/task_graph.h"

namespace xbatch::task_graph {

struct Task {
    alignas(16) unsigned char args[XBATCH_TASK_MAX_ARGS];
    double cost;
    int type;
};

struct Dependency {
    int32_t before, after;  // tasks
};

struct TaskAccess {
    int64_t resource;
    int32_t task;
    bool writes;
};

// A type that tasks have, and the first such task
struct TypeInUse {
    int type;
    int32_t task;
};

// A final graph, its tasks numbered by their places in task order: each task comes after all it depends on.
struct TaskOrder {
    std::vector<int32_t> task;        // [tasks] the task at each place
    std::vector<int32_t> waits;       // [tasks] number of tasks that each waits for
    std::vector<int64_t> first;       // [tasks + 1] into successors
    std::vector<int32_t> successors;  // places that wait for each
    std::vector<TypeInUse> types;
    int64_t levels = 0, width = 0;
    double total_cost = 0, critical_path = 0;
};

// Two tasks of a cycle: `after` waits for `before` directly; -1 where there is no cycle.
struct TaskCycle {
    int32_t before = -1, after = -1;
};

// When a task ran, in nanoseconds since the run began; begin = -1 where it did not start.
struct TaskTrace {
    int64_t begin, end;
    int worker;
};

// Adds the dependencies that follow from accesses, in the order of tasks' numbers, to `dependencies`.
void infer_dependencies(std::vector<TaskAccess> accesses, std::vector<Dependency> &dependencies);

// Computes the task order. Where there is a cycle, `order` must not be used.
TaskCycle order_tasks(const std::vector<Task> &tasks, std::vector<Dependency> dependencies, TaskOrder &order);

struct TaskGraph {
    std::vector<Task> tasks;
    std::vector<Dependency> dependencies;  // the explicit ones, until the graph is final
    std::vector<TaskAccess> accesses;      // until the graph is final

    std::unique_ptr<const TaskOrder> order;           // of a final graph
    std::unique_ptr<std::atomic<int32_t>[]> waiting;  // [tasks] by places: number of tasks still waited for
    std::unique_ptr<std::vector<TaskTrace>> trace;    // [tasks], where runs are traced
    bool was_traced = false;
    std::atomic<bool> is_running{false};
    int64_t failed_task = -1;
    int failure_code = 0;

    bool is_final() const { return order != nullptr; }
};

inline Registry<TaskGraph, xbatchTaskGraph_t> live_graphs;

// Task bodies by type, from the first type on, and the argument of each
struct HostBodies {
    const xbatchTaskBody_t *bodies;
    int first_type;
    void *user;
};

// Runs a final graph, every type of which has a body, and stores the failure, if any.
void run_task_graph(TaskGraph &graph, const HostBodies &bodies, int threads);

// The same as the routine of this name: on the threads of the context, returning a status.
xbatchStatus_t run_on_host(Context &context, const char *name, TaskGraph &graph, const HostBodies &bodies);

// The name of a type without a user's name: "type 3", or "dgemm" for the library's own.
std::string type_name(int type);

// False where the file cannot be written.
bool write_trace(const TaskGraph &graph, const char *path, const char *const *names, int types);

}  // namespace xbatch::task_graph
