// folr_chunks_host.hpp: the affine maps of a lane group of chunks, and the evaluation of chunks; these are also phases
// of recurrences whose rows are distributed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/lanes_host.hpp"
#include "core/scalar.hpp"

namespace xbatch::recurrence {

template <class T>
struct FolrTile {
    int64_t rows;
    const T *s, *t;
    T *w;
    Lanes<T> s_lanes, t_lanes, w_lanes;
};

// Affine map of one chunk of each lane: w_last = S w_before + T, S = product * 2^exponent
template <class T>
struct Pairs {
    alignas(64) T product[max_lanes<T>];
    alignas(64) Exponent<Real<T>> exponent[max_lanes<T>];
    alignas(64) T sum[max_lanes<T>];
};

template <class R>
inline R times(R a, R factor) {
    return a * factor;
}
template <class R>
inline Complex<R> times(Complex<R> a, R factor) {
    return {a.re * factor, a.im * factor};
}

template <class T>
inline T normalised(T a, Exponent<Real<T>> &exponent) {
    return times(a, normaliser(a, exponent));
}

// a * 2^exponent, rounded once
template <class R>
inline R scaled(R a, int64_t exponent) {
    return std::scalbn(a, int(std::clamp<int64_t>(exponent, -8192, 8192)));
}
template <class R>
inline Complex<R> scaled(Complex<R> a, int64_t exponent) {
    return {scaled(a.re, exponent), scaled(a.im, exponent)};
}

// S w + T, S = product * 2^exponent, without intermediate overflow or underflow of S w
template <class T>
inline T apply(T product, int64_t exponent, T sum, T w) {
    Exponent<Real<T>> of_product, of_w;
    const T p = normalised(product, of_product), state = normalised(w, of_w);
    return scaled(p * state, exponent + of_product + of_w) + sum;
}

void condense(const FolrTile<float> &tile, Pairs<float> &pairs);
void condense(const FolrTile<double> &tile, Pairs<double> &pairs);
void condense(const FolrTile<Complex<float>> &tile, Pairs<Complex<float>> &pairs);
void condense(const FolrTile<Complex<double>> &tile, Pairs<Complex<double>> &pairs);

// `state` is w before the first row on entry and w of the last row on return.
void evaluate(const FolrTile<float> &tile, float *state);
void evaluate(const FolrTile<double> &tile, double *state);
void evaluate(const FolrTile<Complex<float>> &tile, Complex<float> *state);
void evaluate(const FolrTile<Complex<double>> &tile, Complex<double> *state);

}  // namespace xbatch::recurrence
