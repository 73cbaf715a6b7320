// baselines_factored.hpp: LAPACK's factorisations in a loop over systems, on the host, in double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "data/gtsv_data.hpp"

namespace bench {

enum class Job { gttrf, gttrs, gtcon, ptsv, pttrf, pttrs };

// One peer with one thread and one with all, on flat arrays; `sets` matrices, batch or 1. `p.du` is the e of the
// positive definite ones.
std::vector<Peer> lapack_peers(const Session &session, Job job, const Gtsv &p, int64_t sets, const GtsvData &data);

// dgtcon of one matrix in the one-norm; LAPACK counts the entries of dl from the second row, here from the first.
double lapack_rcond(std::vector<double> dl, std::vector<double> d, std::vector<double> du);

}  // namespace bench
