// baselines.hpp: the peers that xbatch is measured beside, on the same arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "machine.hpp"
#include "problems.hpp"

namespace bench {

// A peer's call for a problem; `start` takes the peer's workspace, which lives as long as the call.
template <class Problem>
struct Baseline {
    std::string name;
    Problem view;  // the same arrays as this peer reads them; what it solves is checked by this
    bool overwrites_coefficients;
    std::function<Action(const Problem &)> start;
};

// Peers without several right-hand sides read dl, d, du as nrhs*batch systems; so many must be there. A peer for
// another layout reads the arrays in its own: the same numbers of systems and rows.
std::vector<Baseline<Gtsv>> host_baselines(const Gtsv &problem);
std::vector<Baseline<Folr>> host_baselines(const Folr &problem);
std::vector<Baseline<Rearrangement>> host_baselines(const Rearrangement &problem);

#ifdef BENCH_HAVE_CUDA
std::vector<Baseline<Gtsv>> cuda_baselines(const Gtsv &problem);
std::vector<Baseline<Folr>> cuda_baselines(const Folr &problem);
std::vector<Baseline<Rearrangement>> cuda_baselines(const Rearrangement &problem);
#endif

template <class Problem>
std::vector<Baseline<Problem>> baselines(xbatchBackend_t backend, const Problem &problem) {
#ifdef BENCH_HAVE_CUDA
    if (backend == XBATCH_BACKEND_CUDA) return cuda_baselines(problem);
#else
    (void)backend;
#endif
    return host_baselines(problem);
}

}  // namespace bench
