// header_cxx.cpp: the umbrella header in C++11, with the library's own complex types: two reals, C linkage.
// SPDX-License-Identifier: BSD-3-Clause
#include <xbatch.h>

#include <cstdio>

static_assert(sizeof(xbatchStatus_t) == 4, "the ABI's status has 32 bits");
static_assert(sizeof(xbatchComplexFloat_t) == 2 * sizeof(float), "real and imaginary part, nothing else");
static_assert(sizeof(xbatchComplexDouble_t) == 2 * sizeof(double), "real and imaginary part, nothing else");

int main() {
    const xbatchComplexFloat_t source[2] = {{1, 2}, {3, 4}};
    xbatchComplexFloat_t moved[2] = {{0, 0}, {0, 0}};
    xbatchHandle_t handle = nullptr;
    const bool is_right = xbatchCreate(&handle, XBATCH_BACKEND_HOST) == XBATCH_STATUS_SUCCESS &&
                          crearrange(handle, 1, 2, XBATCH_LAYOUT_FLAT, source, 1, XBATCH_LAYOUT_INTERLEAVED, moved,
                                     2) == XBATCH_STATUS_SUCCESS &&
                          moved[1].re == 3 && moved[1].im == 4;
    xbatchDestroy(handle);
    if (!is_right) std::fprintf(stderr, "crearrange through the C++ view of the header failed\n");
    return is_right ? 0 : 1;
}
