// device_copy_cuda.cpp: copies of graphs to a device, and results of runs from it.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/cuda.hpp"
#include "core/device.hpp"
#include "device_copy.hpp"

namespace xbatch::task_graph {

// The driver copies pageable memory before the call returns, so `bytes` may be freed.
xbatchStatus_t to_device(Context &context, void *device, const std::vector<unsigned char> &bytes) {
    const DeviceScope scope(context);
    XBATCH_CUDA(context,
                cudaMemcpyAsync(device, bytes.data(), bytes.size(), cudaMemcpyHostToDevice, stream_of(context)));
    return XBATCH_STATUS_SUCCESS;
}

xbatchStatus_t clear_state(Context &context, void *image, int64_t tasks) {
    const DeviceScope scope(context);
    XBATCH_CUDA(context, cudaMemsetAsync(&static_cast<TaskImage *>(image)->state, 0,
                                         sizeof(TicketState) + size_t(tasks) * sizeof(int), stream_of(context)));
    return XBATCH_STATUS_SUCCESS;
}

xbatchStatus_t from_device(Context &context, void *host, const void *device, size_t bytes) {
    const DeviceScope scope(context);
    XBATCH_CUDA(context, cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_of(context)));
    XBATCH_CUDA(context, cudaStreamSynchronize(stream_of(context)));
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace xbatch::task_graph
