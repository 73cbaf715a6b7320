// machine.hpp: a host or device as the benchmark program uses it: memory, data, time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <xbatch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#ifdef __CUDACC__
#define BENCH_HD __host__ __device__
#else
#define BENCH_HD
#endif

namespace bench {

using Action = std::function<void()>;

struct Timing {
    bool waited = false;  // by the host's clock until the result is available, not by the device's
    bool once = false;    // a single call, to check that it runs
};

// Of the repetitions of a call; all three are the same if it ran once.
struct Milliseconds {
    double median = NAN, least = NAN, most = NAN;
};

// One table of functions a backend. `data` is memory of that machine, `to_host` always host memory.
struct Machine {
    xbatchBackend_t backend;
    std::string name;  // of the processor
    void *(*allocate)(size_t bytes);
    void (*release)(void *data);
    // At full speed: by all threads, or by cudaMemcpy; also from and to host memory.
    void (*copy)(void *to, const void *from, size_t bytes);
    // Real number i of `count` becomes random_number(i, seed) scaled to low … high.
    void (*fill_float)(float *data, int64_t count, double low, double high, uint32_t seed);
    void (*fill_double)(double *data, int64_t count, double low, double high, uint32_t seed);
    // to_host[i] = data[base + i*step], elements of `size` bytes, a multiple of 4
    void (*gather)(void *to_host, const void *data, size_t size, int64_t base, int64_t step, int64_t count);
    // Time of `call` over several repetitions; `restore` runs before each and is not timed.
    Milliseconds (*time)(const Action &restore, const Action &call, Timing timing);
};

Machine host_machine();
std::optional<Machine> cuda_machine();  // nothing if the build has no CUDA or no device works

inline size_t element_size(xbatchDataType_t type) {
    return (type == XBATCH_R_32F || type == XBATCH_C_32F ? sizeof(float) : sizeof(double)) *
           (type == XBATCH_C_32F || type == XBATCH_C_64F ? 2 : 1);
}
inline bool is_complex(xbatchDataType_t type) { return type == XBATCH_C_32F || type == XBATCH_C_64F; }
inline bool is_double(xbatchDataType_t type) { return type == XBATCH_R_64F || type == XBATCH_C_64F; }
inline char letter(xbatchDataType_t type) { return "sdcz"[type]; }

#ifdef BENCH_HAVE_CUDA
// For several devices: their number, which one the following calls use, and waiting until that one is done.
int device_count();
void use_device(int device);
void wait_for_device();

// A CUDA graph of what `record` queues on the stream that it is given; the action replays it on the default stream.
Action recorded(const std::function<void(void *stream)> &record);
#endif

// The same number in [0, 1) for the same index and seed on every machine (SplitMix64).
BENCH_HD inline double random_number(uint64_t index, uint32_t seed) {
    uint64_t z = (index + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1342543DE82EF95ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return double((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Memory of a machine, freed with its owner.
class Memory {
public:
    Memory(const Machine &machine, size_t bytes) : release_(machine.release), data_(machine.allocate(bytes)) {}
    Memory(Memory &&other) noexcept : release_(other.release_), data_(std::exchange(other.data_, nullptr)) {}
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    ~Memory() {
        if (data_) release_(data_);
    }
    void *get() const { return data_; }

private:
    void (*release_)(void *);
    void *data_;
};

// `count` random elements, real and imaginary parts alike in low … high.
Memory random_array(const Machine &machine, xbatchDataType_t type, int64_t count, double low, double high,
                    uint32_t seed);

// Fill with zeros, so that an earlier result cannot pass as a new one.
void overwrite(const Machine &machine, const Memory &memory, size_t bytes);

// Elements of any type as Wide, which is long double or std::complex<long double>.
template <class Wide>
std::vector<Wide> gathered(const Machine &machine, xbatchDataType_t type, const void *data, int64_t base, int64_t step,
                           int64_t count);

// The milliseconds that `measure` returns, after warming up. Calls of half a second or more run twice.
template <class Measure>
Milliseconds repeated(const Measure &measure, int warm_ups, int repetitions, bool once) {
    constexpr double slow = 500;
    const double first = measure();
    if (once) return {first, first, first};
    const bool is_slow = first > slow;
    for (int k = 1; k < warm_ups && !is_slow; ++k) measure();
    std::vector<double> times(is_slow ? 1 : size_t(repetitions));
    for (double &time : times) time = measure();
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times.front(), times.back()};
}

// The time of one call by the host's clock.
template <class Call>
double host_ms(const Call &call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace bench
