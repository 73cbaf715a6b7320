// machine_host.cpp: memory, data and time on this machine's cores; and functions that do not depend on the machine.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>

#include "machine.hpp"

namespace bench {
namespace {

constexpr int warm_ups = 1, repetitions = 5;

void *allocate(size_t bytes) {
    constexpr size_t page = 4096;
    void *data = std::aligned_alloc(page, (bytes / page + 1) * page);
    if (!data) throw std::bad_alloc();
    return data;
}

void copy(void *to, const void *from, size_t bytes) {
#pragma omp parallel
    {
        const size_t threads = size_t(omp_get_num_threads()), mine = size_t(omp_get_thread_num());
        const size_t begin = bytes / threads * mine, end = mine + 1 == threads ? bytes : begin + bytes / threads;
        std::memcpy(static_cast<char *>(to) + begin, static_cast<const char *>(from) + begin, end - begin);
    }
}

template <class R>
void fill(R *data, int64_t count, double low, double high, uint32_t seed) {
#pragma omp parallel for
    for (int64_t i = 0; i < count; ++i) data[i] = R(low + (high - low) * random_number(uint64_t(i), seed));
}

void gather(void *to_host, const void *data, size_t size, int64_t base, int64_t step, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
        std::memcpy(static_cast<char *>(to_host) + i * int64_t(size),
                    static_cast<const char *>(data) + (base + i * step) * int64_t(size), size);
}

Milliseconds time_call(const Action &restore, const Action &call, Timing timing) {
    const auto measure = [&] {
        restore();
        return host_ms(call);
    };
    return repeated(measure, warm_ups, repetitions, timing.once);
}

std::string processor() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "CPU";
}

template <class Wide, class Narrow>
std::vector<Wide> widened(const Machine &machine, const void *data, int64_t base, int64_t step, int64_t count) {
    std::vector<Narrow> narrow(static_cast<size_t>(count));
    machine.gather(narrow.data(), data, sizeof(Narrow), base, step, count);
    std::vector<Wide> wide(static_cast<size_t>(count));
    constexpr int64_t worth_threads = 1 << 16;
#pragma omp parallel for if (count >= worth_threads)
    for (int64_t i = 0; i < count; ++i) wide[size_t(i)] = Wide(narrow[size_t(i)]);
    return wide;
}

}  // namespace

Machine host_machine() {
    const std::string name = processor() + " x " + std::to_string(omp_get_max_threads()) + " threads";
    return {XBATCH_BACKEND_HOST, name, allocate, std::free, copy, fill<float>, fill<double>, gather, time_call};
}

#ifndef BENCH_HAVE_CUDA
std::optional<Machine> cuda_machine() { return std::nullopt; }
#endif

Memory random_array(const Machine &machine, xbatchDataType_t type, int64_t count, double low, double high,
                    uint32_t seed) {
    Memory memory(machine, size_t(count) * element_size(type));
    const int64_t reals = is_complex(type) ? 2 * count : count;
    if (is_double(type))
        machine.fill_double(static_cast<double *>(memory.get()), reals, low, high, seed);
    else
        machine.fill_float(static_cast<float *>(memory.get()), reals, low, high, seed);
    return memory;
}

void overwrite(const Machine &machine, const Memory &memory, size_t bytes) {
    machine.fill_float(static_cast<float *>(memory.get()), int64_t(bytes / sizeof(float)), 0, 0, 0);
}

template <>
std::vector<long double> gathered(const Machine &machine, xbatchDataType_t type, const void *data, int64_t base,
                                  int64_t step, int64_t count) {
    if (is_double(type)) return widened<long double, double>(machine, data, base, step, count);
    return widened<long double, float>(machine, data, base, step, count);
}

template <>
std::vector<std::complex<long double>> gathered(const Machine &machine, xbatchDataType_t type, const void *data,
                                                int64_t base, int64_t step, int64_t count) {
    using Wide = std::complex<long double>;
    if (is_double(type)) return widened<Wide, std::complex<double>>(machine, data, base, step, count);
    return widened<Wide, std::complex<float>>(machine, data, base, step, count);
}

}  // namespace bench
