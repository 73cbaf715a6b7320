// context.hpp: the state of a handle.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "registry.hpp"
#include "xbatch/types.h"

namespace xbatch {

struct Context {
    xbatchBackend_t backend = XBATCH_BACKEND_HOST;
    void *stream = nullptr;     // a cudaStream_t
    int threads = 0;            // host threads requested; 0 is OpenMP's default
    int device = -1;            // CUDA device
    int multiprocessors = 0;    // of that device
    int shared_per_block = 0;   // most bytes of a block
    bool has_clusters = false;  // whether it has thread-block clusters
    bool device_lost = false;   // after a CUDA error that every further call would return
    int run_rows = 0;           // rows of a chunk in xgtsvBatch, which tests set by XBATCH_RUN_ROWS; 0: by the shape
    char message[256] = "";
};

inline Registry<Context, xbatchHandle_t> live_contexts;

// Most host threads to use: the handle's number, or OpenMP's; never more than most_threads.
int thread_count(const Context &context);

}  // namespace xbatch
