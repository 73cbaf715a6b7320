// mp_device.hpp: distributed solves on CUDA devices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/call.hpp"
#include "folr_mp.hpp"
#include "gtsv_mp.hpp"

namespace xbatch::distributed {

// The order of phases and exchanges. A layer that moves host memory only is given copies; then the call is synchronous.
xbatchStatus_t solve_on_device(Context &context, Call &call, const char *name, MpPlan &plan, Routine routine,
                               const GtsvArrays &arrays, int64_t sides, void *workspace);
xbatchStatus_t solve_on_device(Context &context, Call &call, const char *name, MpPlan &plan, Routine routine,
                               const FolrArrays &arrays, void *workspace);
// Whether the stream of the handle is being captured into a graph
bool is_captured(const Context &context);
// Copies in the handle's stream, for which the first one waits; the second one also copies device memory.
xbatchStatus_t to_host(Context &context, void *host, const void *device, int64_t bytes);
xbatchStatus_t to_device(Context &context, void *device, const void *from, int64_t bytes);
// Once in the life of a plan on all its ranks: exchanges in the stream, so that the layer has connections.
xbatchStatus_t connect(Context &context, MpPlan &plan);
// Until all work in the handle's stream is complete. Reports a rank that refused to go on, and kills the communicator
// after the time-out.
xbatchStatus_t wait_for_stream(Context &context, Communicator &comm, const char *name);

}  // namespace xbatch::distributed
