// layer.cpp: finds the library of a communication layer by name. Only these libraries depend on MPI and the like.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "communicator.hpp"

namespace xbatch::distributed {
namespace {

struct Named {
    const char *layer, *library;
};
constexpr Named libraries[] = {{"mpi", "libxbatch_mpi.so"},
                               {"mpi_f", "libxbatch_mpi.so"},
                               {"nccl", "libxbatch_nccl.so"},
                               {"nccl_id", "libxbatch_nccl.so"}};

// The folder of this library, with a slash at its end
std::string own_folder() {
    static const char here = 0;
    Dl_info info;
    if (!dladdr(&here, &info) || !info.dli_fname) return "";
    const std::string file = info.dli_fname;
    return file.substr(0, file.rfind('/') + 1);
}

// The file, or NULL; never closed, since MPI cannot be loaded twice.
void *open_library(const std::string &file, char *message, size_t message_bytes) {
    void *const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) std::snprintf(message, message_bytes, "%s", dlerror());
    return library;
}

}  // namespace

xbatchStatus_t open_layer(const char *name, const void *native, xbatchCommLayer_t &layer, void *&context, char *message,
                          size_t message_bytes) {
    void *library = nullptr;
    if (std::strchr(name, '/')) {
        library = open_library(name, message, message_bytes);
    } else {
        const Named *found = nullptr;
        for (const Named &each : libraries)
            if (!std::strcmp(each.layer, name)) found = &each;
        if (!found) {
            std::snprintf(message, message_bytes, "no layer has this name");
            return XBATCH_STATUS_INVALID_VALUE;
        }
        library = open_library(own_folder() + found->library, message, message_bytes);
        if (!library) library = open_library(found->library, message, message_bytes);
    }
    if (!library) return XBATCH_STATUS_NOT_SUPPORTED;
    const auto open = reinterpret_cast<xbatchCommLayerOpen_t>(dlsym(library, XBATCH_COMM_LAYER_SYMBOL));
    if (!open) {
        std::snprintf(message, message_bytes, "the library does not export %s", XBATCH_COMM_LAYER_SYMBOL);
        return XBATCH_STATUS_NOT_SUPPORTED;
    }
    message[0] = 0;
    return open(name, native, &layer, &context, message, message_bytes) ? XBATCH_STATUS_COMM_FAILED
                                                                        : XBATCH_STATUS_SUCCESS;
}

}  // namespace xbatch::distributed
