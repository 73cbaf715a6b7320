// tune_qr.cpp: the order from which on the QR of a square double matrix is faster by the interposer than by LAPACK, on
// the host and on a GPU.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tune.hpp"

namespace tune {
namespace {

constexpr int sizes[] = {32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr double too_long = 1e6;  // us; larger matrices are then skipped

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
            const int repeats = n <= 256 ? 20 : n <= 512 ? 5 : 2;
            const auto run_once = [&, run = run] { run(s, function); };
            const double time = microseconds(prepare, run_once, repeats);
            if (name == "geqrf") s.factored = s.a;
            print_time(name, n, time);
            longest = std::max(longest, time);
        }
    }
}

void compare_qr(const char *real_file) {
    const Ways ways("qr", {std::begin(sizes), std::end(sizes)}, real_file);
    std::printf("# ms, double, square matrices; n:\n");
    ways.print_sizes();
    for (const auto &[name, run] : routines) {
        ways.print(name);
        print_setting(name.c_str(), ways.smallest_on_host(name));
        if (ways.on_device) print_setting((name + "_cuda").c_str(), ways.smallest_on_device(name));
    }
}

}  // namespace tune
