// tune.cpp: the program xbatch_lapack_tune: from which size on this machine each routine is computed sooner by the
// interposer than by LAPACK, printed as settings for a shell.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tune.hpp"

#include <cstring>

namespace {

using namespace tune;

void report_forwarding(void *ours, void *theirs) {
    const int zero = 0, one = 1;
    const size_t length = 1;
    int info;
    double a = 0, times[2];
    void *const functions[] = {ours, theirs};
    for (int k = 0; k < 2; ++k)
        times[k] = microseconds([] {},
                                [&] {
                                    for (int i = 0; i < 1000; ++i)
                                        call(functions[k], "N", &zero, &zero, &zero, &a, &one, &a, &one, &a, &one,
                                             &info, length);
                                },
                                100);
    std::printf("# a forwarded call costs %.0f ns more\n", times[0] - times[1]);  // us of 1000 calls are ns of one
}

}  // namespace

int main(int argc, char **argv) {
    if (argc == 3) return std::strcmp(argv[1], "qr") == 0 ? time_qr(argv[2]) : time_rows(argv[2]), 0;
    setenv("XBATCH_LAPACK_ALL", "0", 1);
    setenv("XBATCH_LAPACK_CUDA", "never", 1);
    const char *const path = std::getenv("XBATCH_LAPACK_FALLBACK"), *const file =
                                                                        path && *path ? path : "liblapack.so.3";
    void *const here = open(XBATCH_LAPACK_FILE), *const real = open(file);
    compare_qr(file);
    time_tridiagonal(here, real);
    compare_rows(file);
    report_forwarding(symbol(here, "dgels_"), symbol(real, "dgels_"));
    return 0;
}
