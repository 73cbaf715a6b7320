// pscheme_chunks_host.hpp: the elimination without pivoting of a lane group of chunks to their interface equations,
// which is also a phase of systems whose rows are distributed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "chunk_lanes_host.hpp"
#include "elimination_lanes_host.hpp"

namespace xbatch::tridiagonal {

// The interface equations of a chunk, with x_p the unknown before its first row and x_n the one after its last:
// x_first = g_first - a_first x_p - c_first x_n, x_last = g_last - a_last x_p - c_last x_n.
// After propagation, g_first and g_last are x_first and x_last themselves.
template <class T>
struct ChunkEquations {
    T g_first, a_first, c_first, g_last, a_last, c_last;
    int32_t first_bad;  // row of the chunk (1-based) with the first bad pivot, 0 if there is none
};

// Chunks to be reduced to their interface equations: as GtsvTile, and which lanes begin or end a system
template <class T>
struct PschemeTile {
    int64_t rows;
    const T *dl, *d, *du, *b;
    Lanes<T> a_lanes, b_lanes;
    bool begins[max_lanes<T>], ends[max_lanes<T>];  // the lane's first dl, last du is not used
    bool is_positive = false;                       // a pivot that is not positive is bad, too
};

// Reduces the chunk of each lane to *ends[lane].
void condense(const PschemeTile<float> &tile, ChunkEquations<float> *const *ends);
void condense(const PschemeTile<double> &tile, ChunkEquations<double> *const *ends);
void condense(const PschemeTile<Complex<float>> &tile, ChunkEquations<Complex<float>> *const *ends);
void condense(const PschemeTile<Complex<double>> &tile, ChunkEquations<Complex<double>> *const *ends);

}  // namespace xbatch::tridiagonal
