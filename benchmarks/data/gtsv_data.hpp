// gtsv_data.hpp: the arrays of a tridiagonal case, and the peers that solve it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problems.hpp"
#include "session.hpp"

namespace bench {

// b0: the right-hand sides before the solve.
struct GtsvData {
    Memory dl, d, du, b0, b;
    size_t coefficient_bytes, b_bytes;
};

// Diagonally dominant by a factor of two, so that the influence of a row decays within a hundred rows; slow decay: -1,
// 2 + 1e-6, -1, where this takes ten thousands; random: all three diagonals alike, which needs pivoting.
enum class Entries { dominant, slow_decay, random };

GtsvData gtsv_data(const Machine &machine, xbatchDataType_t type, int64_t coefficients, int64_t rows,
                   Entries entries = Entries::dominant);

// Restores b.
Action restored(const Machine &machine, const GtsvData &data);

// All peers of a backend for this problem.
std::vector<Peer> gtsv_peers(const Session &session, const Gtsv &p, const GtsvData &data);

}  // namespace bench
