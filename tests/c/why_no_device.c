/* why_no_device.c: prints why xbatchCreate finds no CUDA device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <xbatch.h>

int main(void) {
    xbatchHandle_t handle = NULL;
    const xbatchStatus_t status = xbatchCreate(&handle, XBATCH_BACKEND_CUDA);
    if (status != XBATCH_STATUS_SUCCESS) printf("%s\n", xbatchGetLastErrorMessage(NULL));
    xbatchDestroy(handle);
    return status == XBATCH_STATUS_SUCCESS;
}
