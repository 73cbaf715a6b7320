// tune.hpp: the parts of xbatch_lapack_tune: calls of LAPACK's routines by address, and their times.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

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

// The time of the fastest run
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

// Prints the setting for a shell; `smallest` is 0 for never.
inline void print_setting(const char *name, int smallest) {
    std::string upper = name;
    for (char &letter : upper)
        if (letter >= 'a') letter = char(letter & ~0x20);
    std::printf("export XBATCH_LAPACK_%s=", upper.c_str());
    std::printf(smallest == 0 ? "never\n" : "%d\n", smallest);
    std::fflush(stdout);
}

// Prints a time in us, in the form that Ways reads from a process.
void print_time(const std::string &name, int n, double time);

// The times of routines computed by LAPACK, by the interposer on the host, and by the interposer on a GPU. This program
// measures each in a separate process, because the interposer reads its settings once.
class Ways {
public:
    using Times = std::map<std::pair<std::string, int>, double>;
    bool on_device = false;  // whether a GPU computed any call

    // what: the first argument of the process, which measures these sizes
    Ways(const char *what, std::vector<int> sizes, const char *real_file);
    void print_sizes() const;
    void print(const std::string &name) const;
    // The size from which on the host is not slower than LAPACK, or the GPU than both, within noise; 0 for none
    int smallest_on_host(const std::string &name) const;
    int smallest_on_device(const std::string &name) const;

private:
    Times times_of(const char *what, const char *file, const char *cuda);
    int smallest_where_faster(const std::string &name, const Times &ours, const Times &theirs) const;
    void print_row(const char *who, const std::string &name, const Times &times) const;

    std::vector<int> sizes_;
    Times real_, host_, device_;
};

// QR, and tridiagonal routines on a GPU: the comparison, and the measurement in its processes
void compare_qr(const char *real_file);
void time_qr(const char *file);
void compare_rows(const char *real_file);
void time_rows(const char *file);

// Tridiagonal routines on the host, by the interposer and by the real library in turn
void time_tridiagonal(void *here, void *real);

}  // namespace tune
