// context.hpp: what a handle holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "xbatch/types.h"

struct xbatchContext {
    static constexpr uint64_t alive = 0x7862617463683031;  // overwritten on destroy, so that a dead handle is seen

    uint64_t magic = alive;
    xbatchBackend_t backend = XBATCH_BACKEND_HOST;
    void *stream = nullptr;     // a cudaStream_t
    int threads = 0;            // host threads asked for; 0 is OpenMP's default
    int device = -1;            // CUDA device
    int multiprocessors = 0;    // of that device
    int shared_per_block = 0;   // bytes a block may have at most
    bool has_clusters = false;  // of blocks that reach each other's shared memory
    bool device_lost = false;   // a CUDA error that no further call can outlive
    int run_rows = 0;           // rows that xgtsvBatch eliminates in one run, forced by tests; 0: as the shape asks
    char message[256] = "";
};

namespace xbatch {

using Context = ::xbatchContext;

// Host threads to use: the handle's, or OpenMP's.
int thread_count(const Context &context);

}  // namespace xbatch
