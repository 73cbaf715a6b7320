/* header_c99.c: the umbrella header in strict C99: included twice, complex types of our own size and order, a status of
 * 32 bits, and the caller's own complex type in the prototypes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#define XBATCH_COMPLEX_FLOAT float complex
#define XBATCH_COMPLEX_DOUBLE double complex
#include <xbatch.h>

#include <stdio.h>

typedef char status_has_32_bits[sizeof(xbatchStatus_t) == 4 ? 1 : -1];
typedef char complex_is_two_doubles[sizeof(xbatchComplexDouble_t) == 2 * sizeof(double) ? 1 : -1];

int main(void) {
    const double complex one_system[2] = {1.0 + 2.0 * I, 3.0 - 4.0 * I};
    double complex moved[2] = {0.0, 0.0};
    xbatchHandle_t handle = NULL;
    int version = 0, failures = 0;
    failures += xbatchGetVersion(&version) != XBATCH_STATUS_SUCCESS || version != XBATCH_VERSION;
    failures += xbatchCreate(&handle, XBATCH_BACKEND_HOST) != XBATCH_STATUS_SUCCESS;
    failures += zrearrange(handle, 2, 1, XBATCH_LAYOUT_FLAT, one_system, 2, XBATCH_LAYOUT_INTERLEAVED, moved, 1) !=
                XBATCH_STATUS_SUCCESS;
    failures += moved[0] != one_system[0] || moved[1] != one_system[1];
    xbatchDestroy(handle);
    if (failures) fprintf(stderr, "%d checks failed\n", failures);
    return failures != 0;
}
