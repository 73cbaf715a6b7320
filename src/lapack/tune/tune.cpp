// tune.cpp: the program xbatch_lapack_tune: measures from which size on the interposer is faster than LAPACK on this
// machine, and prints the sizes as settings for a shell.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tune.hpp"

#include <cstring>

namespace {

using namespace tune;

double microseconds_of_1000_calls(void *gels) {
    const int zero = 0, one = 1;
    const size_t length = 1;
    int info;
    double a = 0;
    const auto run = [&] {
        for (int i = 0; i < 1000; ++i)
            call(gels, "N", &zero, &zero, &zero, &a, &one, &a, &one, &a, &one, &info, length);
    };
    return microseconds([] {}, run, 100);
}

void report_forwarding(void *ours, void *theirs) {
    const double time = microseconds_of_1000_calls(ours), direct = microseconds_of_1000_calls(theirs);
    std::printf("# a forwarded call costs %.0f ns more\n", time - direct);  // us of 1000 calls are ns of one
}

}  // namespace

int main(int argc, char **argv) {
    if (argc == 3) return std::strcmp(argv[1], "qr") == 0 ? time_qr(argv[2]) : time_rows(argv[2]), 0;
    setenv("XBATCH_LAPACK_ALL", "0", 1);
    setenv("XBATCH_LAPACK_CUDA", "never", 1);
    const char *const path = std::getenv("XBATCH_LAPACK_FALLBACK");
    const char *const file = path && *path ? path : "liblapack.so.3";
    void *const here = open(XBATCH_LAPACK_FILE), *const real = open(file);
    compare_qr(file);
    time_tridiagonal(here, real);
    compare_rows(file);
    report_forwarding(symbol(here, "dgels_"), symbol(real, "dgels_"));
    return 0;
}
