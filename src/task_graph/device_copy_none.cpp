// device_copy_none.cpp: device_copy.hpp and tile_bodies.hpp without CUDA, where no handle gets here.
// SPDX-License-Identifier: BSD-3-Clause
#include "device_copy.hpp"
#include "tile_bodies.hpp"

namespace xbatch::task_graph {

xbatchStatus_t to_device(Context &, void *, const std::vector<unsigned char> &) { return XBATCH_STATUS_NOT_SUPPORTED; }
xbatchStatus_t clear_state(Context &, void *, int64_t) { return XBATCH_STATUS_NOT_SUPPORTED; }
xbatchStatus_t from_device(Context &, void *, const void *, size_t) { return XBATCH_STATUS_NOT_SUPPORTED; }
xbatchStatus_t tile::launch_tiles(Context &, xbatchDataType_t, void *, int64_t, int64_t) {
    return XBATCH_STATUS_NOT_SUPPORTED;
}

}  // namespace xbatch::task_graph
