// tiles_cuda.cu: the kernels that run graphs of the library's own tasks, one for each element type.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/cuda.hpp"
#include "core/device.hpp"
#include "tile_bodies.hpp"

namespace xbatch::task_graph::tile {
namespace {

template <class... Bodies>
struct Launch {
    static cudaError_t of(void *image, int64_t tasks, int64_t edges, cudaStream_t stream) {
        return launch_tasks<Bodies...>(image, tasks, edges, Nothing{}, stream);
    }
};

constexpr cudaError_t (*launches[])(void *, int64_t, int64_t, cudaStream_t) = {
    WithBodies<Launch, float, XBATCH_R_32F>::of, WithBodies<Launch, double, XBATCH_R_64F>::of,
    WithBodies<Launch, Complex<float>, XBATCH_C_32F>::of, WithBodies<Launch, Complex<double>, XBATCH_C_64F>::of};

}  // namespace

xbatchStatus_t launch_tiles(Context &context, xbatchDataType_t type, void *image, int64_t tasks, int64_t edges) {
    const DeviceScope scope(context);
    XBATCH_CUDA(context, launches[type](image, tasks, edges, stream_of(context)));
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace xbatch::task_graph::tile
