/* use_from_c.c: a whole use of the library from C: handle, workspace, dgtsvPscheme on two systems, info, residual.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xbatch.h>

enum { N = 5, BATCH = 2 };

/* -x_{i-1} + 4 x_i - x_{i+1} = b_i for x_i = i + 1 + 10 j */
static double exact(int i, int j) { return i + 1 + 10.0 * j; }

static double right_hand_side(int i, int j) {
    return 4 * exact(i, j) - (i > 0 ? exact(i - 1, j) : 0) - (i + 1 < N ? exact(i + 1, j) : 0);
}

int main(void) {
    double dl[N * BATCH], d[N * BATCH], du[N * BATCH], b[N * BATCH];
    int32_t info[BATCH] = {-1, -1};
    xbatchHandle_t handle = NULL;
    void *workspace = NULL;
    size_t bytes = 0;
    int i, j, failures = 0;
    xbatchStatus_t status;
    for (j = 0; j < BATCH; ++j)
        for (i = 0; i < N; ++i) {
            dl[j * N + i] = du[j * N + i] = -1;
            d[j * N + i] = 4;
            b[j * N + i] = right_hand_side(i, j);
        }
    status = xbatchCreate(&handle, XBATCH_BACKEND_HOST);
    if (!status) status = dgtsvPscheme_bufferSize(handle, XBATCH_LAYOUT_FLAT, N, 1, BATCH, &bytes);
    if (!status && bytes > 0) workspace = malloc(bytes);
    if (!status)
        status = dgtsvPscheme(handle, XBATCH_LAYOUT_FLAT, N, 1, BATCH, dl, d, du, N, b, N, info, workspace, bytes);
    if (status) fprintf(stderr, "%s: %s\n", xbatchGetStatusString(status), xbatchGetLastErrorMessage(handle));
    for (j = 0; j < BATCH; ++j) {
        failures += info[j] != 0;
        for (i = 0; i < N; ++i) failures += !(fabs(b[j * N + i] - exact(i, j)) <= 1e-13);
    }
    free(workspace);
    xbatchDestroy(handle);
    if (failures) fprintf(stderr, "%d values are wrong\n", failures);
    return status != XBATCH_STATUS_SUCCESS || failures != 0;
}
