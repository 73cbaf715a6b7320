// interface_chunks_host.hpp: the elimination of a lane group of chunks, and their solution from known ends; these are
// also the phases of systems whose rows are distributed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interface_lanes_host.hpp"

namespace xbatch::tridiagonal {

// Reduces every chunk to its interface equations, which are the rows that are held last, and notes its first bad pivot.
// Chunks need two rows.
void reduce(const ChunkTile<float> &tile, const float *b, HeldRows<float> &held);
void reduce(const ChunkTile<double> &tile, const double *b, HeldRows<double> &held);
void reduce(const ChunkTile<Complex<float>> &tile, const Complex<float> *b, HeldRows<Complex<float>> &held);
void reduce(const ChunkTile<Complex<double>> &tile, const Complex<double> *b, HeldRows<Complex<double>> &held);

// The unknowns at the ends of each lane: x_{L-1}, x_L, x_R, x_{R+1}
template <class T>
struct KnownEnds {
    alignas(64) T before[max_lanes<T>], first[max_lanes<T>], last[max_lanes<T>], after[max_lanes<T>];
};

// Computes all unknowns of every chunk from its ends, by the same elimination again, and whether they are finite.
// The scratch has as many elements as the tile, and so has each array of pivot rows.
void determine(const ChunkTile<float> &tile, float *b, const KnownEnds<float> &ends, const PivotRows<float> &pivots,
               float *scratch, bool *are_finite);
void determine(const ChunkTile<double> &tile, double *b, const KnownEnds<double> &ends, const PivotRows<double> &pivots,
               double *scratch, bool *are_finite);
void determine(const ChunkTile<Complex<float>> &tile, Complex<float> *b, const KnownEnds<Complex<float>> &ends,
               const PivotRows<Complex<float>> &pivots, Complex<float> *scratch, bool *are_finite);
void determine(const ChunkTile<Complex<double>> &tile, Complex<double> *b, const KnownEnds<Complex<double>> &ends,
               const PivotRows<Complex<double>> &pivots, Complex<double> *scratch, bool *are_finite);

}  // namespace xbatch::tridiagonal
