// device_copy.cpp: C entries that copy a final graph to a device and fetch the result of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "device_copy.hpp"

#include <algorithm>
#include <cstring>

#include "task_graph_call.hpp"

namespace xbatch::task_graph {

static_assert(offsetof(TaskImage, state) + sizeof(TicketState) == sizeof(TaskImage),
              "the counters must lie behind the state, so that one call clears both");

TaskImage image_head(const TaskGraph &graph) {
    TaskImage head{};
    head.magic = TaskImage::mark;
    head.version = TaskImage::this_version;
    head.has_trace = graph.trace != nullptr;
    head.tasks = int64_t(graph.order->task.size());
    head.edges = int64_t(graph.order->successors.size());
    return head;
}

std::vector<unsigned char> make_image(const TaskGraph &graph) {
    const TaskImage head = image_head(graph);
    const TaskOrder &order = *graph.order;
    std::vector<unsigned char> bytes(size_t(head.trace_at()), 0);  // the device writes the trace and never reads it
    std::memcpy(bytes.data(), &head, sizeof head);
    for (int64_t place = 0; place < head.tasks; ++place) {
        const size_t k = size_t(place);
        const Task &task = graph.tasks[size_t(order.task[k])];
        TaskRecord record{};
        std::memcpy(record.args, task.args, sizeof record.args);
        record.first = order.first[k];
        record.successors = int32_t(order.first[k + 1] - order.first[k]);
        record.waits = order.waits[k];
        record.type = task.type;
        record.task = order.task[k];
        for (int32_t near = 0; near < std::min(2, record.successors); ++near)
            record.near[near] = order.successors[size_t(record.first + near)];
        std::memcpy(bytes.data() + head.records_at() + place * int64_t(sizeof record), &record, sizeof record);
    }
    if (head.edges > 0)
        std::memcpy(bytes.data() + head.successors_at(), order.successors.data(), size_t(head.edges) * sizeof(int32_t));
    return bytes;
}

void keep_run(TaskGraph &graph, const TaskImage &head, const std::vector<TicketTrace> &trace) {
    const TaskOrder &order = *graph.order;
    const int64_t ticket = failed_ticket(head.state.failure);
    graph.failed_task = ticket < 0 ? -1 : order.task[size_t(ticket)];
    graph.failure_code = failure_code(head.state.failure);
    graph.was_traced = !trace.empty() && graph.trace;
    if (!graph.was_traced) return;
    unsigned long long start = ~0ull;
    for (const TicketTrace &t : trace)
        if (t.end != 0) start = std::min(start, t.begin);
    graph.trace->assign(size_t(head.tasks), {-1, -1, 0});
    for (size_t k = 0; k < trace.size(); ++k)
        if (trace[k].end != 0)
            (*graph.trace)[size_t(order.task[k])] = {int64_t(trace[k].begin - start), int64_t(trace[k].end - start),
                                                     int(trace[k].worker)};
}

namespace {

xbatchStatus_t check_types(Context &context, const TaskGraph &graph, const int *types, int count) {
    for (const TypeInUse &used : graph.order->types)
        if (std::find(types, types + count, used.type) == types + count)
            return fail(context, XBATCH_STATUS_INVALID_VALUE,
                        "xbatchTaskGraphPrepare: argument 3, types, lacks that of task %d, %d", used.task, used.type);
    return XBATCH_STATUS_SUCCESS;
}

// The header of a device copy, read from memory whose content is not trusted
xbatchStatus_t fetch_head(Context &context, TaskGraph &graph, const void *image, TaskImage &head) {
    const xbatchStatus_t status = from_device(context, &head, image, sizeof head);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    const TaskImage expected = image_head(graph);
    if (head.magic == expected.magic && head.version == expected.version && head.tasks == expected.tasks &&
        head.edges == expected.edges && failed_ticket(head.state.failure) < head.tasks)
        return XBATCH_STATUS_SUCCESS;
    graph.failed_task = -1;
    graph.failure_code = XBATCH_TASK_NO_IMAGE;
    return fail(context, XBATCH_STATUS_EXECUTION_FAILED,
                "xbatchTaskGraphSynchronize: argument 2, image = %p, is no device copy of this graph", image);
}

xbatchStatus_t synchronize(Context &context, TaskGraph &graph, const void *image) {
    TaskImage head;
    xbatchStatus_t status = fetch_head(context, graph, image, head);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    const int64_t taken = std::min<int64_t>(head.tasks, int64_t(head.state.next));
    std::vector<TicketTrace> trace(head.has_trace ? size_t(taken) : 0);
    if (!trace.empty())
        status = from_device(context, trace.data(), static_cast<const char *>(image) + head.trace_at(),
                             trace.size() * sizeof(TicketTrace));
    if (status != XBATCH_STATUS_SUCCESS) return status;
    keep_run(graph, head, trace);
    if (graph.failed_task < 0) return XBATCH_STATUS_SUCCESS;
    const char *why = graph.failure_code == XBATCH_TASK_NEVER_READY    ? ": the image is wrong"
                      : graph.failure_code == XBATCH_TASK_UNKNOWN_TYPE ? ": the kernel has no body of that type"
                                                                       : "";
    return fail(context, XBATCH_STATUS_EXECUTION_FAILED,
                "xbatchTaskGraphSynchronize: task %lld of type %d failed with code %d%s", (long long)graph.failed_task,
                graph.tasks[size_t(graph.failed_task)].type, graph.failure_code, why);
}

}  // namespace
}  // namespace xbatch::task_graph

using namespace xbatch;
using namespace xbatch::task_graph;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xbatchTaskGraphUpload_bufferSize(xbatchHandle_t handle, xbatchTaskGraph_t graph, size_t *imageBytes) {
    return guarded_graph(handle, "xbatchTaskGraphUpload_bufferSize", [&](Context &context, Call &call) {
        TaskGraph *const live = check_final(call, graph);
        call.not_null(2, "imageBytes", imageBytes);
        if (call.failed()) return call.status();
        *imageBytes = context.backend == XBATCH_BACKEND_HOST ? 0 : size_t(image_head(*live).bytes());
        return XBATCH_STATUS_SUCCESS;
    });
}

xbatchStatus_t xbatchTaskGraphUpload(xbatchHandle_t handle, xbatchTaskGraph_t graph, void *image, size_t imageBytes) {
    return guarded_graph(handle, "xbatchTaskGraphUpload", [&](Context &context, Call &call) {
        TaskGraph *const live = check_final(call, graph);
        check_image(call, context, image);
        if (call.failed() || context.backend == XBATCH_BACKEND_HOST) return call.status();
        call.at_least(3, "imageBytes", int64_t(std::min<size_t>(imageBytes, INT64_MAX)),
                      "that of xbatchTaskGraphUpload_bufferSize", image_head(*live).bytes());
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "xbatchTaskGraphUpload: tasks = %zu, bytes = %lld", live->tasks.size(),
                 (long long)image_head(*live).bytes());
        return to_device(context, image, make_image(*live));
    });
}

xbatchStatus_t xbatchTaskGraphPrepare(xbatchHandle_t handle, xbatchTaskGraph_t graph, void *image, const int *types,
                                      int count) {
    return guarded_graph(handle, "xbatchTaskGraphPrepare", [&](Context &context, Call &call) {
        TaskGraph *const live = check_final(call, graph);
        check_image(call, context, image);
        call.at_least(4, "count", count, nullptr, 0);
        if (count > 0) call.not_null(3, "types", types);
        if (call.failed()) return call.status();
        const xbatchStatus_t status = check_types(context, *live, types, count);
        if (status != XBATCH_STATUS_SUCCESS || context.backend == XBATCH_BACKEND_HOST) return status;
        return clear_state(context, image, int64_t(live->tasks.size()));
    });
}

xbatchStatus_t xbatchTaskGraphSynchronize(xbatchHandle_t handle, xbatchTaskGraph_t graph, const void *image) {
    return guarded_graph(handle, "xbatchTaskGraphSynchronize", [&](Context &context, Call &call) {
        TaskGraph *const live = check_final(call, graph);
        check_image(call, context, image);
        if (call.failed() || context.backend == XBATCH_BACKEND_HOST) return call.status();
        return synchronize(context, *live, image);
    });
}

}  // extern "C"
#pragma GCC visibility pop
