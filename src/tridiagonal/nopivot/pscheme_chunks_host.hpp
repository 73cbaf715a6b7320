// pscheme_chunks_host.hpp: the elimination without pivoting of a lane group of chunks to their interface equations, and
// the substitution, which are also phases of systems whose rows are distributed.
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
template <class T>
void condense(const PschemeTile<T> &tile, ChunkEquations<T> *const *ends);
// The unknowns of the chunk of each lane, which replace the right-hand sides in b, from the ones before and behind it,
// by the elimination of condense(). scratch [3][rows][lanes].
template <class T>
void determine(const PschemeTile<T> &tile, T *b, const T *before, const T *behind, T *scratch);

}  // namespace xbatch::tridiagonal
