// tune.hpp: what the parts of xbatch_lapack_tune share: calls of LAPACK's routines by address, and their times.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

namespace tune {

template <class... Args>
void call(void *function, Args... args) {
    reinterpret_cast<void (*)(Args...)>(function)(args...);
}

inline void *open(const char *file) {
    void *const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) std::fprintf(stderr, "%s\n", dlerror()), std::exit(1);
    return library;
}
inline void *symbol(void *library, const std::string &name) {
    void *const found = dlsym(library, name.c_str());
    if (!found) std::fprintf(stderr, "no %s: %s\n", name.c_str(), dlerror()), std::exit(1);
    return found;
}

// Of the fastest run
inline double microseconds(const std::function<void()> &prepare, const std::function<void()> &run, int repeats) {
    double best = 1e300;
    for (int i = 0; i < repeats; ++i) {
        prepare();
        const auto begin = std::chrono::steady_clock::now();
        run();
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
        best = std::min(best, time.count());
    }
    return best;
}

// The setting for a shell; `smallest` is 0 for never.
inline void print_setting(const char *name, int smallest) {
    std::string upper = name;
    for (char &letter : upper)
        if (letter >= 'a') letter = char(letter & ~0x20);
    std::printf("export XBATCH_LAPACK_%s=", upper.c_str());
    std::printf(smallest == 0 ? "never\n" : "%d\n", smallest);
    std::fflush(stdout);
}

// The interposer and the real library, one paired with the other
void time_tridiagonal(void *here, void *real);

// LAPACK, the interposer on the host, and on a GPU, each in a process of its own: it reads its settings once.
void compare_qr(const char *real_file);
// What such a process does: prints a line for each routine and size.
void time_qr(const char *file);

}  // namespace tune
