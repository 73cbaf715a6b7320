/* device_memory.h: an array in host and device memory. The program works on `host`, the library on `device`; on the
 * host backend both are the same memory, and push, pull and wait do nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_DEVICE_MEMORY_H
#define EXAMPLES_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <xbatch.h>

typedef struct {
    void *host;
    void *device;
    size_t bytes;
} DeviceArray;

/* False if memory is short; then nothing is left to free. 0 bytes are two NULL pointers. */
bool device_array_create(DeviceArray *array, xbatchBackend_t backend, size_t bytes);

void device_array_destroy(DeviceArray *array);

/* Copy host to device, or device to host, after all work queued on the default stream. False if CUDA failed. */
bool device_array_push(const DeviceArray *array);
bool device_array_pull(const DeviceArray *array);

/* Wait until the default stream's work is done. False if it failed. */
bool device_wait(xbatchBackend_t backend);

#endif
