// tune.cpp: the program xbatch_lapack_tune: measures from which size on the interposer is faster than LAPACK on this
// machine, and prints the sizes as settings for a shell.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tune.hpp"

#include <getopt.h>

#include <cstring>

#include "xbatch/version.h"

namespace {

using namespace tune;

const char usage[] =
    "Usage: xbatch_lapack_tune [--help | --version]\n"
    "Measures from which size on libxbatch_lapack is faster than LAPACK on this machine, and prints the sizes as\n"
    "settings for a shell. On two cores it takes two to three minutes.\n"
    "\n"
    "The LAPACK that it compares with is liblapack.so.3, or the file that XBATCH_LAPACK_FALLBACK names.\n";

// Answers --help and --version, and refuses all else, with status 2. Ends the program, unless there are no arguments.
void read_options(int argc, char **argv) {
    static const option known[] = {
        {"help", no_argument, nullptr, 'h'}, {"version", no_argument, nullptr, 'v'}, {nullptr, 0, nullptr, 0}};
    const int key = getopt_long(argc, argv, "h", known, nullptr);
    if (key == 'h') std::fputs(usage, stdout), std::exit(0);
    if (key == 'v') {
        std::printf("xbatch_lapack_tune (xbatch) %d.%d.%d\n", XBATCH_VERSION_MAJOR, XBATCH_VERSION_MINOR,
                    XBATCH_VERSION_PATCH);
        std::exit(0);
    }
    if (key == -1 && optind == argc) return;
    if (key == -1) std::fprintf(stderr, "xbatch_lapack_tune: %s: no argument is taken\n", argv[optind]);
    std::fputs(usage, stderr), std::exit(2);
}

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
    if (argc == 3 && std::strcmp(argv[1], "qr") == 0) return time_qr(argv[2]), 0;
    if (argc == 3 && std::strcmp(argv[1], "rows") == 0) return time_rows(argv[2]), 0;
    read_options(argc, argv);
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
