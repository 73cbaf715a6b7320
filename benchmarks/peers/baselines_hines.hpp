// baselines_hines.hpp: Algorithm 1 of the cuHinesBatch paper, corrected, as the paper runs it: d and rhs overwritten.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "baselines.hpp"
#include "data/hines_data.hpp"

namespace bench {

std::vector<Baseline<Hines>> host_baselines(const Hines &problem);
#ifdef BENCH_HAVE_CUDA
std::vector<Baseline<Hines>> cuda_baselines(const Hines &problem);
#endif

}  // namespace bench
