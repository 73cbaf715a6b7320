/* solve.c: a program of a user: three systems, solved on the host, checked. The build gives the version it found.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <xbatch.h>

enum { n = 4, nrhs = 1, batch = 3, shared = 0 };

/* x_i = 1 solves rows -1 4 -1, whose right-hand side is 2 inside and 3 at both ends. */
static int solve(xbatchHandle_t handle) {
    const double off[n] = {-1, -1, -1, -1}, diagonal[n] = {4, 4, 4, 4};
    double b[batch * n];
    int32_t info[batch];
    double workspace[4096];
    for (int k = 0; k < batch * n; ++k) b[k] = k % n == 0 || k % n == n - 1 ? 3 : 2;
    if (dgtsvThomas(handle, XBATCH_LAYOUT_FLAT, n, nrhs, batch, off, diagonal, off, shared, b, n, info, workspace,
                    sizeof workspace) != XBATCH_STATUS_SUCCESS) {
        fprintf(stderr, "%s\n", xbatchGetLastErrorMessage(handle));
        return 1;
    }
    for (int k = 0; k < batch * n; ++k)
        if (!(b[k] > 1 - 1e-14 && b[k] < 1 + 1e-14)) return 1;
    return 0;
}

int main(void) {
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", XBATCH_VERSION_MAJOR, XBATCH_VERSION_MINOR, XBATCH_VERSION_PATCH);
    if (strcmp(version, PACKAGE_VERSION) != 0) {
        fprintf(stderr, "the headers are of version %s, the package says %s\n", version, PACKAGE_VERSION);
        return 1;
    }
    xbatchHandle_t handle;
    if (xbatchCreate(&handle, XBATCH_BACKEND_HOST) != XBATCH_STATUS_SUCCESS) return 1;
    const int failed = solve(handle);
    xbatchDestroy(handle);
    puts(failed ? "wrong" : "solved");
    return failed;
}
