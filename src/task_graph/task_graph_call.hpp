// task_graph_call.hpp: the checks that the C entries with a graph share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/call.hpp"
#include "task_graph.hpp"

namespace xbatch::task_graph {

// Runs body(Context &, Call &) of a routine without a type.
template <class Body>
xbatchStatus_t guarded_graph(xbatchHandle_t handle, const char *name, Body body) noexcept {
    return guarded(handle, {name, 0}, body);
}

// The graph of a handle; must not be used where the call has failed
inline TaskGraph *check_graph(Call &call, xbatchTaskGraph_t handle) {
    call.not_null(1, "graph", handle);
    TaskGraph *const graph = live_graphs.find(handle);
    call.require(1, "graph", graph, "must not have been destroyed");
    return graph;
}
inline TaskGraph *check_open(Call &call, xbatchTaskGraph_t handle) {
    TaskGraph *const graph = check_graph(call, handle);
    if (!call.failed()) call.require(1, "graph", !graph->is_final(), "must not be final yet");
    return graph;
}
inline TaskGraph *check_final(Call &call, xbatchTaskGraph_t handle) {
    TaskGraph *const graph = check_graph(call, handle);
    if (!call.failed()) call.require(1, "graph", graph->is_final(), "must be final: xbatchTaskGraphFinalize");
    if (!call.failed()) call.require(1, "graph", !graph->is_running, "must not be running");
    return graph;
}
// Checks the number of a task: it must have been added.
inline void check_task(Call &call, int position, const char *name, const TaskGraph &graph, int64_t task) {
    call.at_least(position, name, task, nullptr, 0);
    call.at_most(position, name, task, int64_t(graph.tasks.size()) - 1, "as many tasks were added");
}

// Only where graphs run on a device; the memory content is not checked.
inline void check_image(Call &call, const Context &context, const void *image) {
    if (context.backend == XBATCH_BACKEND_HOST) return;
    call.not_null(2, "image", image);
    call.aligned(2, "image", image, 128);
}

template <class Value>
void set(Value *out, Value value) {
    if (out) *out = value;
}

}  // namespace xbatch::task_graph
