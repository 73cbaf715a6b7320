// tune_qr.cpp: from which order on QR of a square matrix of double is faster here than by LAPACK, and on a GPU than by
// either. SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tune.hpp"

namespace tune {
namespace {

constexpr int sizes[] = {32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr double too_long = 1e6;  // us; larger matrices are left out then

struct Square {
    int n, lwork, info = 0;
    size_t length = 1;
    std::vector<double> given, a, factored, tau, work;

    explicit Square(int size)
        : n(size), lwork(64 * n), given(size_t(n) * n), a(given), factored(given), tau(n), work(lwork) {
        for (size_t i = 0; i < given.size(); ++i) given[i] = std::sin(double(i % 100003));
    }
};

const std::map<std::string, void (*)(Square &, void *)> routines = {
    {"geqrf",
     [](Square &s, void *f) { call(f, &s.n, &s.n, s.a.data(), &s.n, s.tau.data(), s.work.data(), &s.lwork, &s.info); }},
    {"ormqr",
     [](Square &s, void *f) {
         call(f, "L", "T", &s.n, &s.n, &s.n, s.factored.data(), &s.n, s.tau.data(), s.a.data(), &s.n, s.work.data(),
              &s.lwork, &s.info, s.length, s.length);
     }},
    {"orgqr", [](Square &s, void *f) {
         call(f, &s.n, &s.n, &s.n, s.a.data(), &s.n, s.tau.data(), s.work.data(), &s.lwork, &s.info);
     }}};

using Times = std::map<std::pair<std::string, int>, double>;  // us

// By the library, in a process with this setting for the GPU; and whether one computed
Times times_of(const char *file, const char *cuda, bool &on_device) {
    static const std::string own = std::filesystem::read_symlink("/proc/self/exe");
    const std::string command = std::string("XBATCH_LAPACK_ALL=0 XBATCH_LAPACK_COUNTS=1 XBATCH_LAPACK_CUDA=") + cuda +
                                " '" + own + "' qr '" + file + "' 2>&1";
    Times times;
    std::FILE *const output = popen(command.c_str(), "r");
    char line[256], name[32];
    int n;
    long long handled, calls;
    double time;
    while (output && std::fgets(line, sizeof line, output))
        if (std::sscanf(line, "time %31s %d %lf", name, &n, &time) == 3)
            times[{name, n}] = time;
        else if (std::sscanf(line, "xbatch_lapack: %31s handled %lld on a GPU %lld", name, &handled, &calls) == 3)
            on_device |= calls > 0;
    if (output) pclose(output);
    return times;
}

double time_at(const Times &times, const std::string &name, int n) {
    const auto found = times.find({name, n});
    return found != times.end() ? found->second : HUGE_VAL;
}

// The size from which on `ours` is no slower but for noise, as far as they were measured; 0 for none
int smallest_where_faster(const std::string &name, const Times &ours, const Times &theirs) {
    int smallest = 0;
    for (const int n : sizes) {
        const double mine = time_at(ours, name, n), other = time_at(theirs, name, n);
        if (mine > 1.05 * other)
            smallest = 0;
        else if (smallest == 0 && mine < HUGE_VAL)
            smallest = n;
    }
    return smallest;
}

void print_row(const char *who, const std::string &name, const Times &times) {
    std::printf("#");
    for (const int n : sizes) {
        const double time = time_at(times, name, n);
        std::printf(time < HUGE_VAL ? " %8.2f" : "        -", time / 1000);
    }
    std::printf("  d%s %s\n", name.c_str(), who);
}

}  // namespace

void time_qr(const char *file) {
    void *const library = open(file);
    double longest = 0;
    for (const int n : sizes) {
        if (longest > too_long) break;
        Square s(n);
        for (const auto &[name, run] : routines) {  // geqrf comes first
            void *const function = symbol(library, "d" + name + "_");
            const auto prepare = [&] { s.a = name == "orgqr" ? s.factored : s.given; };
            const double time = microseconds(
                prepare, [&, run = run] { run(s, function); },
                n <= 256   ? 20
                : n <= 512 ? 5
                           : 2);
            if (name == "geqrf") s.factored = s.a;
            std::printf("time %s %d %.3f\n", name.c_str(), n, time);
            longest = std::max(longest, time);
        }
    }
}

void compare_qr(const char *real_file) {
    bool on_device = false;
    const Times real = times_of(real_file, "never", on_device), host = times_of(XBATCH_LAPACK_FILE, "never", on_device),
                device = times_of(XBATCH_LAPACK_FILE, "0", on_device);
    std::printf("# ms, double, square matrices; n:\n#");
    for (const int n : sizes) std::printf(" %8d", n);
    std::printf("\n");
    for (const auto &[name, run] : routines) {
        print_row("by LAPACK", name, real);
        print_row("here, on the host", name, host);
        if (on_device) print_row("here, on the GPU", name, device);
        print_setting(name.c_str(), smallest_where_faster(name, host, real));
        if (!on_device) continue;
        Times others = host;
        for (const auto &[key, time] : real) others[key] = std::min(time, time_at(host, key.first, key.second));
        print_setting((name + "_cuda").c_str(), smallest_where_faster(name, device, others));
    }
}

}  // namespace tune
