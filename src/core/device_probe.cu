// device_probe.cu: a kernel that does nothing, compiled for the architectures of all kernels: a device that has code
// for it has code for the library.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_probe.hpp"

namespace xbatch {
namespace {

__global__ void nothing() {}

}  // namespace

cudaError_t probe_code() {
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, nothing);
}

}  // namespace xbatch
