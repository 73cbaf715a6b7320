// threads.cpp: the system refuses threads: a call continues with fewer, and its bits are the same.
//
// threads LIMIT: refused, where this program's own pthread_create grants a few threads at a time; memory, where the
// address space is limited; or processes, where the user's processes are limited. 77 if the limit cannot be set.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <new>

#include "processes.hpp"

using namespace host_program;

namespace {

std::atomic<int> granted{INT_MAX}, running{0}, most_running{0};

struct Start {
    void *(*body)(void *);
    void *argument;
};
void *run(void *argument) {
    const std::unique_ptr<Start> start(static_cast<Start *>(argument));
    void *result = start->body(start->argument);
    --running;
    return result;
}

}  // namespace

// Replaces the system's function, also for the OpenMP runtime
extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                              void *argument) noexcept {
    static const auto real = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
    if (++running > granted) {
        --running;
        return EAGAIN;
    }
    for (int most = most_running; most < running && !most_running.compare_exchange_weak(most, running);) {
    }
    auto start = std::make_unique<Start>(Start{body, argument});
    const int status = real(thread, attributes, run, start.get());
    if (status == 0)
        start.release();
    else
        --running;
    return status;
}

namespace {

constexpr unsigned seconds = 100;

void grant_few(const Bits &expected) {
    for (const int few : {0, 1, 2, 3, 5, 20})
        expect_in_child("few threads", seconds, [&] {
            granted = few;
            for (const int threads : {2, 7, 64, 40000}) expect(everything_on(threads) == expected, "the bits");
            expect(most_running <= few, "no more threads than granted");
            expect(few == 0 || most_running > 0, "some threads");
            granted = INT_MAX;  // after a refusal no more threads are requested, but the bits are the same
            expect(everything_on(8) == expected, "the bits after that");
        });
}

void limit(int resource, rlim_t value) {
    const rlimit both{value, value};
    expect(setrlimit(decltype(RLIMIT_AS)(resource), &both) == 0, "a limit");
}

size_t bytes_of_address_space() {
    size_t pages = 0;
    std::FILE *file = std::fopen("/proc/self/statm", "r");
    expect(file && std::fscanf(file, "%zu", &pages) == 1, "/proc/self/statm");
    std::fclose(file);
    return pages * size_t(sysconf(_SC_PAGESIZE));
}

// Stacks of threads take address space; the limit is raised in steps beyond what the data needs. If the program's own
// allocation fails, nothing is checked; with the largest limit, all calls must succeed.
void limit_memory(const Bits &expected) {
    constexpr size_t least = 120, step = 16, most = 280;
    for (size_t megabytes = least; megabytes <= most; megabytes += step)
        for (const int threads : {2, 40000})
            expect_in_child("little memory", seconds, [&] {
                mallopt(M_ARENA_MAX, 1);  // other arenas take address space of their own
                limit(RLIMIT_AS, bytes_of_address_space() + (megabytes << 20));
                try {
                    expect(everything_on(threads) == expected, "the bits");
                } catch (const std::bad_alloc &) {
                    expect(megabytes < most, "enough memory for the data");
                }
            });
}

// Threads count as a user's processes, except for the superuser.
void limit_processes(const Bits &expected) {
    for (const int few : {1, 4, 30})
        expect_in_child("few processes", seconds, [&] {
            if (geteuid() == 0) expect(setgid(65534) == 0 && setuid(65534) == 0, "another user");
            limit(RLIMIT_NPROC, rlim_t(few));
            expect(everything_on(40000) == expected, "the bits");
        });
}

// The time is that of a few threads, not of the requested number.
void expect_work_for_threads() {
    size_t some = 0, many = 0, least = 0;
    const Handle one(1), all(64), beyond(INT_MAX);
    int threads = 0;
    expect(xbatchGetThreadCount(beyond, &threads) == XBATCH_STATUS_SUCCESS && threads == 4096, "4096 threads at most");
    dgtsvBatch_bufferSize(one, XBATCH_LAYOUT_FLAT, 20000, 1, 40, &least);
    dgtsvBatch_bufferSize(all, XBATCH_LAYOUT_FLAT, 20000, 1, 40, &some);
    dgtsvBatch_bufferSize(beyond, XBATCH_LAYOUT_FLAT, 20000, 1, 40, &many);
    expect(least < some && many < 4 * some, "no workspace for threads without work");
}

}  // namespace

int main(int argc, char **argv) {
    const std::string kind = argc > 1 ? argv[1] : "refused";
    expect_work_for_threads();
    const Bits expected = everything_on(1);
    if (kind == "refused") grant_few(expected);
    if (kind == "memory") limit_memory(expected);
    if (kind == "processes") limit_processes(expected);
    return 0;
}
