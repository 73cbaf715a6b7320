// baselines.hpp: the peers that xbatch is compared with, on the same arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/problems.hpp"
#include "machine.hpp"

namespace bench {

// A peer's call and the bytes of its workspace, which lives as long as the call. A peer with an order of its own copies
// its inputs before, and its results to b behind; neither is timed.
struct Call {
    Action run;
    size_t workspace = 0;
    Action prepare = {}, finish = {};
};

// A peer's call for a problem; `start` makes it ready.
template <class Problem>
struct Baseline {
    std::string name;
    Problem view;  // the same arrays as this peer reads them; its result is checked by this
    bool overwrites_coefficients;
    std::function<Call(const Problem &)> start;
};

// Peers without several right-hand sides read dl, d, du as nrhs*batch systems, which must exist. A peer for
// another layout reads the arrays in its own: the same numbers of systems and rows.
std::vector<Baseline<Gtsv>> host_baselines(const Gtsv &problem);
std::vector<Baseline<Folr>> host_baselines(const Folr &problem);
std::vector<Baseline<Rearrangement>> host_baselines(const Rearrangement &problem);

// LAPACK's gtsv for systems of rows offsets[j] … offsets[j + 1] - 1 of `joined`, in double; overwrites all arrays.
void lapack_loop(const std::vector<int64_t> &offsets, const Gtsv &joined, int threads);

#ifdef BENCH_HAVE_CUDA
std::vector<Baseline<Gtsv>> cuda_baselines(const Gtsv &problem);
std::vector<Baseline<Folr>> cuda_baselines(const Folr &problem);
std::vector<Baseline<Rearrangement>> cuda_baselines(const Rearrangement &problem);

// Interleaved systems that share a matrix, to whose diagonal each adds a number: a thread a column, as
// the Gauss solver of CaNS for GPUs. Its shifts, and all other arrays, are on the device; real types.
Call shifted_columns(const Gtsv &problem, const void *shifts);

// The CUDA stream of the calls of tridiagonal peers from now on; null is the default stream.
void use_stream_for_peers(void *stream);
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
