// device_copy.hpp: the device copy ("image") of a final graph: built on the host, copied to a device and back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/context.hpp"
#include "task_graph.hpp"
#include "xbatch/task_graph.cuh"

namespace xbatch::task_graph {

// The header of a graph's device copy: sizes and version; traced if runs of the graph are traced now.
TaskImage image_head(const TaskGraph &graph);

// The whole device copy, as it is uploaded; the counters of a run are zero.
std::vector<unsigned char> make_image(const TaskGraph &graph);

// Stores the result of a run: `head` and `trace` as fetched from the device.
void keep_run(TaskGraph &graph, const TaskImage &head, const std::vector<TicketTrace> &trace);

// Both in device_copy_cuda.cpp, or device_copy_none.cpp without CUDA in the build; on the stream of the context.
xbatchStatus_t to_device(Context &context, void *device, const std::vector<unsigned char> &bytes);
xbatchStatus_t clear_state(Context &context, void *image, int64_t tasks);
// Returns when all work queued before is done and the bytes have arrived.
xbatchStatus_t from_device(Context &context, void *host, const void *device, size_t bytes);

}  // namespace xbatch::task_graph
