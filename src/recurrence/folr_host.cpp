// folr_host.cpp: recurrences on the host: SIMD lanes over sequences, or over chunks of sequences where there are few;
// threads over lane groups.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include "folr_chunks_host.hpp"
#include "recurrence.hpp"

namespace xbatch::recurrence {
namespace {

constexpr int64_t chunk_rows = 256;     // a chunk's three arrays, all lanes of a group, fit in the second-level cache
constexpr int64_t normalise_rows = 32;  // a product of this number of mantissas is far from the ends of float's range

// product *= a, with the exponent of a accumulated separately (operands one by one: lanes_host.hpp)
template <class T>
inline void multiply(T &product, Exponent<Real<T>> &exponent, const T &a) {
    Exponent<Real<T>> of_a;
    product = product * normalised(a, of_a);
    exponent += of_a;
}

// Pre-computation, one row: S = s S, T = s T + t
template <class T>
inline void condense_row(int lanes, const T *s, const T *t, Pairs<T> &pairs) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
        multiply(pairs.product[l], pairs.exponent[l], s[l]);
        pairs.sum[l] = fma_(s[l], pairs.sum[l], t[l]);
    }
}

template <class T>
inline void normalise(T &product, Exponent<Real<T>> &exponent) {
    Exponent<Real<T>> of_product;
    product = normalised(product, of_product);
    exponent += of_product;
}

template <class T>
inline void normalise_pairs(int lanes, Pairs<T> &pairs) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) normalise(pairs.product[l], pairs.exponent[l]);
}

template <class T>
inline void condense_tile(const FolrTile<T> &tile, Pairs<T> &pairs) {
    const int lanes = tile.w_lanes.count;
    std::fill_n(pairs.product, lanes, T(1));
    std::fill_n(pairs.exponent, lanes, Exponent<Real<T>>(0));
    std::fill_n(pairs.sum, lanes, T(0));
    Input<T> s(tile.s, tile.s_lanes, tile.rows), t(tile.t, tile.t_lanes, tile.rows);
    const int64_t block = stage_rows<T>(lanes);
    for (int64_t i = 0; i < tile.rows; i += block) {
        const int64_t rows = std::min(tile.rows - i, block);
        const Rows<const T> s_rows = s.fetch(i, rows), t_rows = t.fetch(i, rows);
        for (int64_t k = 0; k < rows; ++k) {
            s.prefetch_from(i + k), t.prefetch_from(i + k);
            condense_row(lanes, s_rows.row(k), t_rows.row(k), pairs);
            if ((i + k) % normalise_rows == normalise_rows - 1) normalise_pairs(lanes, pairs);
        }
    }
}

// Determination, one row: w_i = s_i w_{i-1} + t_i
template <class T>
inline void evaluate_row(int lanes, const T *s, const T *t, const T *before, T *w) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) w[l] = fma_(s[l], before[l], t[l]);
}

// `state` is w before the first row on entry and w of the last row on return.
template <class T>
inline void evaluate_tile(const FolrTile<T> &tile, T *state) {
    const int lanes = tile.w_lanes.count;
    const bool adjacent = tile.w_lanes.adjacent();
    alignas(64) T stage[stage_bytes / sizeof(T)];
    Input<T> s(tile.s, tile.s_lanes, tile.rows), t(tile.t, tile.t_lanes, tile.rows);
    const T *before = state;
    const int64_t block = stage_rows<T>(lanes);
    for (int64_t i = 0; i < tile.rows; i += block) {
        const int64_t rows = std::min(tile.rows - i, block);
        const Rows<const T> s_rows = s.fetch(i, rows), t_rows = t.fetch(i, rows);
        const Rows<T> w = adjacent ? Rows<T>{tile.w + tile.w_lanes.at[0] + i * tile.w_lanes.step, tile.w_lanes.step}
                                   : Rows<T>{stage, lanes};
        for (int64_t k = 0; k < rows; ++k) {
            s.prefetch_from(i + k), t.prefetch_from(i + k);
            evaluate_row(lanes, s_rows.row(k), t_rows.row(k), before, w.row(k));
            before = w.row(k);
        }
        std::copy_n(before, lanes, state);
        before = state;
        if (!adjacent) scatter(Rows<const T>{stage, lanes}, tile.w, tile.w_lanes, i, rows);
    }
}

}  // namespace

XBATCH_SIMD_CLONES void condense(const FolrTile<float> &tile, Pairs<float> &pairs) { condense_tile(tile, pairs); }
XBATCH_SIMD_CLONES void condense(const FolrTile<double> &tile, Pairs<double> &pairs) { condense_tile(tile, pairs); }
XBATCH_SIMD_CLONES void condense(const FolrTile<Complex<float>> &tile, Pairs<Complex<float>> &pairs) {
    condense_tile(tile, pairs);
}
XBATCH_SIMD_CLONES void condense(const FolrTile<Complex<double>> &tile, Pairs<Complex<double>> &pairs) {
    condense_tile(tile, pairs);
}
XBATCH_SIMD_CLONES void evaluate(const FolrTile<float> &tile, float *state) { evaluate_tile(tile, state); }
XBATCH_SIMD_CLONES void evaluate(const FolrTile<double> &tile, double *state) { evaluate_tile(tile, state); }
XBATCH_SIMD_CLONES void evaluate(const FolrTile<Complex<float>> &tile, Complex<float> *state) {
    evaluate_tile(tile, state);
}
XBATCH_SIMD_CLONES void evaluate(const FolrTile<Complex<double>> &tile, Complex<double> *state) {
    evaluate_tile(tile, state);
}

namespace {

template <class T>
FolrTile<T> tile_of(const FolrProblem &p) {
    FolrTile<T> tile;
    tile.rows = p.n;
    tile.s = static_cast<const T *>(p.s), tile.t = static_cast<const T *>(p.t), tile.w = static_cast<T *>(p.w);
    return tile;
}

template <class T>
T initial_state(const FolrProblem &p, int64_t j, int64_t r) {
    return p.w0 ? static_cast<const T *>(p.w0)[j * p.nrhs + r] : T(0);
}

// Enough sequences to fill the lanes of all threads: each lane is a whole sequence.
template <class T>
void run_batch(const FolrProblem &p, int threads) {
    const int64_t widest = std::min(lanes_for<T>(p.w_at), whole_simd_lanes<T>((p.batch + threads - 1) / threads));
    const Tiles<T> tiles(p.w_at, p.batch, widest);
    const int64_t team = std::min<int64_t>(threads, tiles.count() * p.nrhs);
#pragma omp parallel for collapse(2) schedule(static) num_threads(team_size(team, p.n, p.batch))
    for (int64_t k = 0; k < tiles.count(); ++k)
        for (int64_t r = 0; r < p.nrhs; ++r) {
            const int64_t j = tiles.begin(k);
            const int lanes = tiles.lanes(k);
            if (lanes == 0) continue;
            FolrTile<T> tile = tile_of<T>(p);
            tile.s_lanes = system_lanes<T>(p.s_at, j, lanes, 0);
            tile.t_lanes = system_lanes<T>(p.t_at, j, lanes, r);
            tile.w_lanes = system_lanes<T>(p.w_at, j, lanes, r);
            T state[max_lanes<T>];
            for (int l = 0; l < lanes; ++l) state[l] = initial_state<T>(p, j + l, r);
            evaluate(tile, state);
        }
}

// Lane l is chunk l / sequences of sequence first + l % sequences, counted from row `begin`; s is the same for all
// right-hand sides.
template <class T>
Lanes<T> chunk_lanes(const Placement &at, int64_t first, int sequences, int64_t batch, int lanes, int64_t begin) {
    Lanes<T> result;
    result.count = lanes, result.step = at.step;
    for (int l = 0; l < lanes; ++l) {
        const int64_t q = first + l % sequences;
        result.at[l] =
            at.base(q % batch, at.nrhs == 1 ? 0 : q / batch) + (begin + l / sequences * chunk_rows) * at.step;
    }
    return result;
}

// Propagation: from the state before the lane group to the states before each of its chunks and after its last
template <class T>
void propagate(const Pairs<T> &pairs, int lanes, int sequences, T *chain, T *state) {
    for (int l = 0; l < lanes; ++l) {
        state[l] = chain[l % sequences];
        chain[l % sequences] = apply(pairs.product[l], pairs.exponent[l], pairs.sum[l], state[l]);
    }
}

// Few sequences: each lane is a chunk of one. Lane groups follow each other along the sequences. While one thread
// propagates the state, the others compute the affine maps of the groups after it; each evaluates its group from the
// cache.
template <class T>
void run_chunks(const FolrProblem &p, int threads, int64_t first, int sequences) {
    const int chunks = gathered_lanes<T> / sequences;
    const int64_t whole = p.n / chunk_rows, rest = p.n % chunk_rows, tiles = (whole + chunks - 1) / chunks;
    T chain[max_lanes<T>];
    for (int q = 0; q < sequences; ++q) chain[q] = initial_state<T>(p, (first + q) % p.batch, (first + q) / p.batch);
    const auto tile_at = [&](int64_t begin, int lanes) {
        FolrTile<T> tile = tile_of<T>(p);
        tile.s_lanes = chunk_lanes<T>(p.s_at, first, sequences, p.batch, lanes, begin);
        tile.t_lanes = chunk_lanes<T>(p.t_at, first, sequences, p.batch, lanes, begin);
        tile.w_lanes = chunk_lanes<T>(p.w_at, first, sequences, p.batch, lanes, begin);
        return tile;
    };
    const int64_t team = std::min<int64_t>(threads, tiles);
#pragma omp parallel for ordered schedule(static, 1) num_threads(team_size(team, p.n, sequences))
    for (int64_t k = 0; k < tiles; ++k) {
        const int lanes = int(std::min<int64_t>(whole - k * chunks, chunks)) * sequences;
        FolrTile<T> tile = tile_at(k * chunks * chunk_rows, lanes);
        tile.rows = chunk_rows;
        Pairs<T> pairs;
        T state[max_lanes<T>];
        condense(tile, pairs);
#pragma omp ordered
        propagate(pairs, lanes, sequences, chain, state);
        evaluate(tile, state);
    }
    if (rest == 0) return;
    FolrTile<T> tile = tile_at(p.n - rest, sequences);
    tile.rows = rest;
    evaluate(tile, chain);
}

}  // namespace

template <class T>
xbatchStatus_t folr_host(Context &context, const FolrProblem &p, void *) {
    const int threads = thread_count(context);
    const int64_t sequences = p.nrhs * p.batch;
    constexpr int64_t lanes = gathered_lanes<T>;
    if (p.n < 2 * chunk_rows || (p.batch >= lanes && sequences >= threads * lanes)) {
        run_batch<T>(p, threads);
    } else {
        for (int64_t first = 0; first < sequences; first += lanes)
            run_chunks<T>(p, threads, first, int(std::min(sequences - first, lanes)));
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t folr_host_workspace(const Context &, const FolrProblem &) {
    return 0;
}

XBATCH_INSTANTIATE_BACKEND(folr_host);

}  // namespace xbatch::recurrence
