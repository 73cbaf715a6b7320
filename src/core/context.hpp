// context.hpp: what a handle holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "registry.hpp"
#include "xbatch/types.h"

namespace xbatch {

struct Context {
    xbatchBackend_t backend = XBATCH_BACKEND_HOST;
    void *stream = nullptr;     // a cudaStream_t
    int threads = 0;            // host threads asked for; 0 is OpenMP's default
    int device = -1;            // CUDA device
    int multiprocessors = 0;    // of that device
    int shared_per_block = 0;   // bytes a block may have at most
    bool has_clusters = false;  // of blocks that reach each other's shared memory
    bool device_lost = false;   // a CUDA error that no further call can outlive
    int run_rows = 0;           // rows of a run in xgtsvBatch, as tests force by XBATCH_RUN_ROWS; 0: by the shape
    char message[256] = "";
};

inline Registry<Context, xbatchHandle_t> live_contexts;

// Host threads to use, if there is work for them: the handle's, or OpenMP's; at most most_threads.
int thread_count(const Context &context);

}  // namespace xbatch
