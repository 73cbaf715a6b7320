// task_graph.cpp: C entries of task_graph.h: checks, then task_order.cpp and run.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstring>

#include "task_graph_call.hpp"

namespace xbatch::task_graph {
namespace {

xbatchStatus_t finalize(Context &context, TaskGraph &graph) {
    std::vector<Dependency> dependencies = graph.dependencies;
    infer_dependencies(graph.accesses, dependencies);
    auto order = std::make_unique<TaskOrder>();
    const TaskCycle cycle = order_tasks(graph.tasks, std::move(dependencies), *order);
    if (cycle.before >= 0)
        return fail(context, XBATCH_STATUS_INVALID_VALUE,
                    "xbatchTaskGraphFinalize: argument 1, graph, has a cycle: task %d waits for task %d, which waits "
                    "for task %d in turn",
                    cycle.after, cycle.before, cycle.after);
    graph.waiting = std::make_unique<std::atomic<int32_t>[]>(graph.tasks.size());
    log_line(LOG_CALLS, "xbatchTaskGraphFinalize: tasks = %zu, dependencies = %zu, levels = %lld", graph.tasks.size(),
             order->successors.size(), (long long)order->levels);
    graph.order = std::move(order);
    std::vector<Dependency>().swap(graph.dependencies);
    std::vector<TaskAccess>().swap(graph.accesses);
    return XBATCH_STATUS_SUCCESS;
}

xbatchStatus_t check_bodies(Context &context, const TaskGraph &graph, const xbatchTaskBody_t *bodies, int types) {
    for (const TypeInUse &used : graph.order->types) {
        if (used.type >= types)
            return fail(context, XBATCH_STATUS_INVALID_VALUE,
                        "xbatchTaskGraphRun: argument 3, types = %d, must be more than the type of task %d, %d", types,
                        used.task, used.type);
        if (!bodies[used.type])
            return fail(context, XBATCH_STATUS_INVALID_VALUE,
                        "xbatchTaskGraphRun: argument 2, bodies[%d] = NULL, must be the body of task %d", used.type,
                        used.task);
    }
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace

xbatchStatus_t run_on_host(Context &context, const char *name, TaskGraph &graph, const HostBodies &bodies) {
    const int threads = thread_count(context);
    log_line(LOG_CALLS, "%s: tasks = %zu, threads = %d", name, graph.tasks.size(), threads);
    graph.is_running = true;
    run_task_graph(graph, bodies, threads);
    graph.is_running = false;
    if (graph.failure_code == 0) return XBATCH_STATUS_SUCCESS;
    return fail(context, XBATCH_STATUS_EXECUTION_FAILED, "%s: task %lld of type %d failed with code %d", name,
                (long long)graph.failed_task, graph.tasks[size_t(graph.failed_task)].type, graph.failure_code);
}

}  // namespace xbatch::task_graph

using namespace xbatch;
using namespace xbatch::task_graph;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xbatchTaskGraphCreate(xbatchHandle_t handle, xbatchTaskGraph_t *graph) {
    if (graph) *graph = nullptr;
    return guarded_graph(handle, "xbatchTaskGraphCreate", [&](Context &, Call &call) {
        call.not_null(1, "graph", graph);
        if (!call.failed()) *graph = live_graphs.add(std::make_unique<TaskGraph>());
        return call.status();
    });
}

xbatchStatus_t xbatchTaskGraphDestroy(xbatchTaskGraph_t graph) {
    if (!graph) return XBATCH_STATUS_SUCCESS;
    const TaskGraph *const live = live_graphs.find(graph);
    const bool is_destroyed = live && !live->is_running && live_graphs.remove(graph);
    return is_destroyed ? XBATCH_STATUS_SUCCESS : XBATCH_STATUS_INVALID_VALUE;
}

xbatchStatus_t xbatchTaskGraphAddTask(xbatchHandle_t handle, xbatchTaskGraph_t graph, int type, const void *args,
                                      size_t argBytes, double cost, int64_t *task) {
    return guarded_graph(handle, "xbatchTaskGraphAddTask", [&](Context &, Call &call) {
        TaskGraph *const live = check_open(call, graph);
        call.at_least(2, "type", type, nullptr, 0);
        call.at_most(2, "type", type, XBATCH_TASK_MAX_TYPE, "= XBATCH_TASK_MAX_TYPE");
        call.require(4, "argBytes", argBytes <= XBATCH_TASK_MAX_ARGS, "must be at most XBATCH_TASK_MAX_ARGS = 64");
        if (argBytes > 0) call.not_null(3, "args", args);
        call.require(5, "cost", cost >= 0 && std::isfinite(cost), "must be at least 0 and finite");
        if (call.failed()) return call.status();
        call.at_most(1, "tasks of graph", int64_t(live->tasks.size()), INT32_MAX - 1, "to add one");
        if (call.failed()) return call.status();
        Task added{};
        added.type = type, added.cost = cost;
        if (argBytes > 0) std::memcpy(added.args, args, argBytes);
        live->tasks.push_back(added);
        set(task, int64_t(live->tasks.size()) - 1);
        return XBATCH_STATUS_SUCCESS;
    });
}

xbatchStatus_t xbatchTaskGraphAddDependency(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t before,
                                            int64_t after) {
    return guarded_graph(handle, "xbatchTaskGraphAddDependency", [&](Context &, Call &call) {
        TaskGraph *const live = check_open(call, graph);
        if (call.failed()) return call.status();
        check_task(call, 2, "before", *live, before);
        check_task(call, 3, "after", *live, after);
        call.require(3, "after", before != after, "must not be the task before: no task can wait for itself");
        if (!call.failed()) live->dependencies.push_back({int32_t(before), int32_t(after)});
        return call.status();
    });
}

xbatchStatus_t xbatchTaskGraphAddAccess(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t task, int64_t resource,
                                        xbatchTaskAccess_t access) {
    return guarded_graph(handle, "xbatchTaskGraphAddAccess", [&](Context &, Call &call) {
        TaskGraph *const live = check_open(call, graph);
        if (call.failed()) return call.status();
        check_task(call, 2, "task", *live, task);
        call.one_of(4, "access", access, XBATCH_TASK_WRITE);
        if (!call.failed()) live->accesses.push_back({resource, int32_t(task), access == XBATCH_TASK_WRITE});
        return call.status();
    });
}

xbatchStatus_t xbatchTaskGraphFinalize(xbatchHandle_t handle, xbatchTaskGraph_t graph) {
    return guarded_graph(handle, "xbatchTaskGraphFinalize", [&](Context &context, Call &call) {
        TaskGraph *const live = check_open(call, graph);
        return call.failed() ? call.status() : finalize(context, *live);
    });
}

xbatchStatus_t xbatchTaskGraphGetStatistics(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t *tasks,
                                            int64_t *edges, int64_t *levels, int64_t *width, double *totalCost,
                                            double *criticalPath) {
    return guarded_graph(handle, "xbatchTaskGraphGetStatistics", [&](Context &, Call &call) {
        TaskGraph *const live = check_final(call, graph);
        if (call.failed()) return call.status();
        const TaskOrder &order = *live->order;
        set(tasks, int64_t(order.task.size()));
        set(edges, int64_t(order.successors.size()));
        set(levels, order.levels);
        set(width, order.width);
        set(totalCost, order.total_cost);
        set(criticalPath, order.critical_path);
        return XBATCH_STATUS_SUCCESS;
    });
}

xbatchStatus_t xbatchTaskGraphRun(xbatchHandle_t handle, xbatchTaskGraph_t graph, const xbatchTaskBody_t *bodies,
                                  int types, void *user) {
    return guarded_graph(handle, "xbatchTaskGraphRun", [&](Context &context, Call &call) {
        TaskGraph *const live = check_final(call, graph);
        if (!call.failed() && context.backend == XBATCH_BACKEND_CUDA)
            return fail(context, XBATCH_STATUS_NOT_SUPPORTED,
                        "xbatchTaskGraphRun: C functions run on the host: a handle of its backend is needed");
        call.at_least(3, "types", types, nullptr, 0);
        if (types > 0) call.not_null(2, "bodies", bodies);
        if (call.failed()) return call.status();
        const xbatchStatus_t status = check_bodies(context, *live, bodies, types);
        return status == XBATCH_STATUS_SUCCESS ? run_on_host(context, "xbatchTaskGraphRun", *live, {bodies, 0, user})
                                               : status;
    });
}

xbatchStatus_t xbatchTaskGraphGetFailure(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t *task, int *code) {
    return guarded_graph(handle, "xbatchTaskGraphGetFailure", [&](Context &, Call &call) {
        TaskGraph *const live = check_graph(call, graph);
        if (call.failed()) return call.status();
        set(task, live->failed_task);
        set(code, live->failure_code);
        return XBATCH_STATUS_SUCCESS;
    });
}

xbatchStatus_t xbatchTaskGraphSetTrace(xbatchHandle_t handle, xbatchTaskGraph_t graph, int enabled) {
    return guarded_graph(handle, "xbatchTaskGraphSetTrace", [&](Context &, Call &call) {
        TaskGraph *const live = check_final(call, graph);
        call.one_of(2, "enabled", enabled, 1);
        if (call.failed()) return call.status();
        live->was_traced = false;
        live->trace.reset();
        if (enabled) live->trace = std::make_unique<std::vector<TaskTrace>>(live->tasks.size());
        return XBATCH_STATUS_SUCCESS;
    });
}

xbatchStatus_t xbatchTaskGraphWriteTrace(xbatchHandle_t handle, xbatchTaskGraph_t graph, const char *path,
                                         const char *const *names, int types) {
    return guarded_graph(handle, "xbatchTaskGraphWriteTrace", [&](Context &, Call &call) {
        TaskGraph *const live = check_final(call, graph);
        if (!call.failed())
            call.require(1, "graph", live->was_traced, "must have been run with xbatchTaskGraphSetTrace");
        call.not_null(2, "path", path);
        call.at_least(4, "types", types, nullptr, 0);
        if (!call.failed())
            call.require(2, "path", write_trace(*live, path, names, types), "must be a file that can be written");
        return call.status();
    });
}

}  // extern "C"
#pragma GCC visibility pop
