// loading.hpp: loads the library, uses it, and closes it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

#include "solves.hpp"

namespace host_program {

template <class Function>
Function *find(void *library, const char *name) {
    Function *function = reinterpret_cast<Function *>(dlsym(library, name));
    expect(function != nullptr, name);
    return function;
}

inline Bits use(const char *path, int threads) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) std::fprintf(stderr, "%s\n", dlerror());
    expect(library != nullptr, "a library that can be loaded");
    const auto create = find<decltype(xbatchCreate)>(library, "xbatchCreate");
    const auto destroy = find<decltype(xbatchDestroy)>(library, "xbatchDestroy");
    const auto set_threads = find<decltype(xbatchSetThreadCount)>(library, "xbatchSetThreadCount");
    const auto size = find<decltype(dgtsvBatch_bufferSize)>(library, "dgtsvBatch_bufferSize");
    const auto solve = find<decltype(dgtsvBatch)>(library, "dgtsvBatch");
    xbatchHandle_t handle = nullptr;
    expect(create(&handle, XBATCH_BACKEND_HOST) == XBATCH_STATUS_SUCCESS, "a handle");
    expect(set_threads(handle, threads) == XBATCH_STATUS_SUCCESS, "a number of threads");
    Systems s(2000, 10);
    size_t bytes = 0;
    expect(size(handle, XBATCH_LAYOUT_FLAT, s.n, 1, s.batch, &bytes) == XBATCH_STATUS_SUCCESS, "a size");
    Workspace workspace(bytes);
    expect(solve(handle, XBATCH_LAYOUT_FLAT, s.n, 1, s.batch, s.dl.data(), s.d.data(), s.du.data(), s.n, s.b.data(),
                 s.n, nullptr, workspace.data(), bytes) == XBATCH_STATUS_SUCCESS,
           "a solve");
    expect(destroy(handle) == XBATCH_STATUS_SUCCESS, "a handle that can be destroyed");
    expect(dlclose(library) == 0, "a library that can be closed");
    return s.b;
}

}  // namespace host_program
