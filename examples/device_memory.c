/* device_memory.c: see device_memory.h. The only file of the examples that knows CUDA.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "device_memory.h"

#include <stdlib.h>
#include <string.h>
#ifdef EXAMPLES_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

bool device_array_create(DeviceArray *array, xbatchBackend_t backend, size_t bytes) {
    memset(array, 0, sizeof *array);
    array->bytes = bytes;
    if (bytes == 0) return true;
#ifdef EXAMPLES_HAVE_CUDA
    if (backend == XBATCH_BACKEND_CUDA) {
        if (cudaMallocHost(&array->host, bytes) != cudaSuccess) return false;
        if (cudaMalloc(&array->device, bytes) == cudaSuccess) return true;
        cudaFreeHost(array->host);
        array->host = NULL;
        return false;
    }
#endif
    (void)backend;
    array->host = array->device = malloc(bytes);
    return array->host != NULL;
}

void device_array_destroy(DeviceArray *array) {
#ifdef EXAMPLES_HAVE_CUDA
    if (array->device != array->host) {
        cudaFree(array->device);
        cudaFreeHost(array->host);
        array->host = NULL;
    }
#endif
    free(array->host);
    array->host = array->device = NULL;
}

bool device_array_push(const DeviceArray *array) {
#ifdef EXAMPLES_HAVE_CUDA
    if (array->device != array->host)
        return cudaMemcpy(array->device, array->host, array->bytes, cudaMemcpyHostToDevice) == cudaSuccess;
#endif
    return array->device == array->host;
}

bool device_array_pull(const DeviceArray *array) {
#ifdef EXAMPLES_HAVE_CUDA
    if (array->device != array->host)
        return cudaMemcpy(array->host, array->device, array->bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
#endif
    return array->device == array->host;
}

bool device_wait(xbatchBackend_t backend) {
#ifdef EXAMPLES_HAVE_CUDA
    if (backend == XBATCH_BACKEND_CUDA) return cudaStreamSynchronize(NULL) == cudaSuccess;
#endif
    return backend == XBATCH_BACKEND_HOST;
}
