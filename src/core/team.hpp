// team.hpp: how many threads a parallel region has.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace xbatch {

constexpr int most_threads = 4096;            // more are not asked of the system, whatever a handle says
constexpr int64_t serial_elements = 1 << 14;  // fewer are not worth a team of threads

// For `omp parallel num_threads(team_size(threads))`: as many threads as wanted, but one in a child of fork() whose
// parent had threads, and no more than the system grants. The runtime itself would end the process where it cannot
// start a thread, and would wait for ever for threads that the parent alone has.
int team_size(int64_t threads);

// The same for work on `systems` systems of `rows` rows: one thread where that is little.
inline int team_size(int64_t threads, int64_t rows, int64_t systems) {
    return rows * systems < serial_elements ? 1 : team_size(threads);
}

}  // namespace xbatch
