// tune_ways.cpp: the times of a routine computed in several ways, each measured in a separate process.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <filesystem>

#include "tune.hpp"

namespace tune {
namespace {

double time_at(const Ways::Times &times, const std::string &name, int n) {
    const auto found = times.find({name, n});
    return found != times.end() ? found->second : HUGE_VAL;
}

}  // namespace

void print_time(const std::string &name, int n, double time) {
    std::printf("time %s %d %.3f\n", name.c_str(), n, time);
}

Ways::Ways(const char *what, std::vector<int> sizes, const char *real_file)
    : sizes_(std::move(sizes)),
      real_(times_of(what, real_file, "never")),
      host_(times_of(what, XBATCH_LAPACK_FILE, "never")),
      device_(times_of(what, XBATCH_LAPACK_FILE, "0")) {}

Ways::Times Ways::times_of(const char *what, const char *file, const char *cuda) {
    static const std::string own = std::filesystem::read_symlink("/proc/self/exe");
    const std::string command = std::string("XBATCH_LAPACK_ALL=0 XBATCH_LAPACK_COUNTS=1 XBATCH_LAPACK_CUDA=") + cuda +
                                " '" + own + "' " + what + " '" + file + "' 2>&1";
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

// Of the sizes that were measured
int Ways::smallest_where_faster(const std::string &name, const Times &ours, const Times &theirs) const {
    int smallest = 0;
    for (const int n : sizes_) {
        const double mine = time_at(ours, name, n), other = time_at(theirs, name, n);
        if (mine > 1.05 * other)
            smallest = 0;
        else if (smallest == 0 && mine < HUGE_VAL)
            smallest = n;
    }
    return smallest;
}

void Ways::print_row(const char *who, const std::string &name, const Times &times) const {
    std::printf("#");
    for (const int n : sizes_) {
        const double time = time_at(times, name, n);
        std::printf(time < HUGE_VAL ? " %8.2f" : "        -", time / 1000);
    }
    std::printf("  d%s %s\n", name.c_str(), who);
}

void Ways::print_sizes() const {
    std::printf("#");
    for (const int n : sizes_) std::printf(" %8d", n);
    std::printf("\n");
}

void Ways::print(const std::string &name) const {
    print_row("by LAPACK", name, real_);
    print_row("here, on the host", name, host_);
    if (on_device) print_row("here, on the GPU", name, device_);
}

int Ways::smallest_on_host(const std::string &name) const { return smallest_where_faster(name, host_, real_); }

int Ways::smallest_on_device(const std::string &name) const {
    Times others = host_;
    for (const auto &[key, time] : real_) others[key] = std::min(time, time_at(host_, key.first, key.second));
    return smallest_where_faster(name, device_, others);
}

}  // namespace tune
