// device_copy.hpp: the image of a final graph, made on the host; and what moves it to a device and back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/context.hpp"
#include "task_graph.hpp"
#include "xbatch/task_graph.cuh"

namespace xbatch::task_graph {

// Sizes and version as they stand at the beginning of a graph's image; traced as the graph's runs are now.
TaskImage image_head(const TaskGraph &graph);

// The whole image, as it is uploaded: what a run counts in is zero.
std::vector<unsigned char> make_image(const TaskGraph &graph);

// Keeps what became of a run: `head` and `trace` as they came back from the device.
void keep_run(TaskGraph &graph, const TaskImage &head, const std::vector<TicketTrace> &trace);

// device_copy_cuda.cpp; without CUDA in the build, device_copy_none.cpp: on the stream of the context
xbatchStatus_t to_device(Context &context, void *device, const std::vector<unsigned char> &bytes);
xbatchStatus_t clear_state(Context &context, void *image, int64_t tasks);
// Behind all that is queued: what has come has come.
xbatchStatus_t from_device(Context &context, void *host, const void *device, size_t bytes);

}  // namespace xbatch::task_graph
