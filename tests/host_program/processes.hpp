// processes.hpp: runs parts of a test in processes of their own, with a time limit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "solves.hpp"

namespace host_program {

// Runs body() in a child; an alarm ends it if it hangs.
template <class Body>
void expect_in_child(const char *what, unsigned seconds, Body body) {
    std::fflush(nullptr);
    const pid_t child = fork();
    expect(child >= 0, "a child");
    if (child == 0) {
        alarm(seconds);
        body();
        std::_Exit(0);
    }
    int status = 0;
    expect(waitpid(child, &status, 0) == child, "a child that ends");
    if (WIFSIGNALED(status)) std::fprintf(stderr, "%s: ended by signal %d\n", what, WTERMSIG(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        std::fprintf(stderr, "%s: ended with %d\n", what, WEXITSTATUS(status));
    expect(status == 0, what);
}

// Number of threads of this process
inline int count_threads() {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    expect(tasks != nullptr, "/proc/self/task");
    while (const dirent *entry = readdir(tasks)) count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

}  // namespace host_program
