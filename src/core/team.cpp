// team.cpp: determines whether the system can provide the threads that OpenMP is about to start.
// SPDX-License-Identifier: BSD-3-Clause
#include "team.hpp"

#include <omp.h>
#include <pthread.h>
#include <sys/single_threaded.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

namespace xbatch {
namespace {

// Whether the kernel's flags of this process say that it was forked and has not called exec() since
bool was_forked() {
    constexpr unsigned forked_without_exec = 0x40;  // PF_FORKNOEXEC, the ninth field of proc(5)'s stat
    char line[512] = "";
    std::FILE *file = std::fopen("/proc/self/stat", "r");
    if (!file) return false;
    const size_t read = std::fread(line, 1, sizeof line - 1, file);
    std::fclose(file);
    line[read] = 0;
    const char *behind_name = std::strrchr(line, ')');
    unsigned flags = 0;
    return behind_name && std::sscanf(behind_name, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
           (flags & forked_without_exec);
}

// Whether OpenMP may rely on threads that only the parent has. Set in children of fork(), and where such a child loads
// the library, since its parent's threads are then unknown.
std::atomic<bool> is_child_of_threads{was_forked() && !__libc_single_threaded};
std::atomic<bool> had_threads{false};
const int on_fork = pthread_atfork([] { had_threads = !__libc_single_threaded; }, nullptr,
                                   [] { is_child_of_threads = is_child_of_threads || had_threads; });

void *pass(void *gate) {
    const std::lock_guard<std::mutex> passed(*static_cast<std::mutex *>(gate));
    return nullptr;
}

// The number of threads, of those wanted, that can be started at once. They wait at a gate until all are there. They
// neither allocate nor free memory: malloc would create a permanent arena for each.
int64_t threads_to_be_had(int64_t wanted) {
    std::mutex gate;
    std::vector<pthread_t> threads(static_cast<size_t>(wanted));
    int64_t had = 0;
    {
        const std::lock_guard<std::mutex> closed(gate);
        while (had < wanted && pthread_create(&threads[size_t(had)], nullptr, pass, &gate) == 0) ++had;
    }
    for (int64_t k = 0; k < had; ++k) pthread_join(threads[size_t(k)], nullptr);
    return had;
}

// Each calling thread has a team of its own, whose threads OpenMP retains until a smaller team is requested. Before a
// larger team the difference is tried out, plus one thread, so that memory is left for the team itself. Where the
// system refuses, its limit is near: half of what it granted is used, and never more later.
int64_t granted(int64_t wanted) {
    static thread_local int64_t held = 1, most = most_threads;
    wanted = std::min(wanted, most);
    if (wanted > held) {
        const int64_t further = wanted - held, had = threads_to_be_had(further + 1);
        if (had <= further) most = wanted = held + had / 2;
    }
    if (wanted > 1) held = wanted;  // OpenMP keeps its threads where it needs none
    return wanted;
}

}  // namespace

int team_size(int64_t threads) {
    if (threads <= 1 || is_child_of_threads) return 1;
    if (omp_get_active_level() >= omp_get_max_active_levels()) return 1;
    return int(granted(std::min<int64_t>(threads, omp_get_thread_limit())));
}

}  // namespace xbatch
