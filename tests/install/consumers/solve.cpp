// solve.cpp: a program of a user in C++: three systems, solved on the host, checked.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>
#include <vector>
#include <xbatch.hpp>

int main() {
    const int64_t n = 4, batch = 3, shared = 0;
    // x_i = 1 solves rows -1 4 -1, whose right-hand side is 2 inside and 3 at both ends.
    const std::vector<double> off(n, -1), diagonal(n, 4);
    std::vector<double> b = {3, 2, 2, 3, 3, 2, 2, 3, 3, 2, 2, 3};
    try {
        xbatch::Handle handle(XBATCH_BACKEND_HOST);
        xbatch::gtsvBatch(handle, XBATCH_LAYOUT_FLAT, xbatch::Sizes().n(n).batch(batch), off.data(), diagonal.data(),
                          off.data(), shared, b.data(), n);
    } catch (const xbatch::Error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    for (const double x : b)
        if (!(std::abs(x - 1) < 1e-14)) return 1;
    std::puts("solved");
}
