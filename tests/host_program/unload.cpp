// unload.cpp: a program that loads the library, uses it and closes it again, a thousand times. Memory must not grow. It
// does not use OpenMP itself: the runtime would then remain loaded.
//
// unload LIBRARY THREADS
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include "loading.hpp"

using namespace host_program;

namespace {

int64_t resident_kilobytes() {
    long pages = 0;
    std::FILE *file = std::fopen("/proc/self/statm", "r");
    expect(file && std::fscanf(file, "%*d %ld", &pages) == 1, "/proc/self/statm");
    std::fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

void load_again_and_again(const char *path, int threads) {
    const Bits expected = use(path, threads);
    int64_t before = 0;
    for (int round = 0; round < 1000; ++round) {
        if (round == 100) before = resident_kilobytes();
        expect(use(path, threads) == expected, "the same bits");
    }
    const int64_t grown = resident_kilobytes() - before;
    std::printf("%lld kB more after 900 rounds\n", (long long)grown);
    expect(grown < 4000, "memory that does not grow");
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    load_again_and_again(argv[1], std::atoi(argv[2]));
    return 0;
}
