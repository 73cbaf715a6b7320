// team.hpp: the number of threads of a parallel region.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace xbatch {

constexpr int most_threads = 4096;            // never requested more of the system, whatever a handle says
constexpr int64_t serial_elements = 1 << 14;  // below it a team of threads is slower than one thread

// For `omp parallel num_threads(team_size(threads))`: the number wanted, limited to what the system grants, and 1 in a
// child of fork() whose parent had threads. OpenMP itself would end the process where it cannot start a thread, and
// would wait for ever for threads that only the parent has.
int team_size(int64_t threads);

// The same for work on `systems` systems of `rows` rows: one thread below serial_elements.
inline int team_size(int64_t threads, int64_t rows, int64_t systems) {
    return rows * systems < serial_elements ? 1 : team_size(threads);
}

}  // namespace xbatch
