// sweep.cuh: the recurrences of elimination and substitution along the rows of one matrix, by the threads of a GPU,
// with the bits of a loop over the rows.
//
// Each thread has a segment of the rows and starts it speculatively, as the lanes of sweep.hpp do: from a guess some
// rows before the segment. A segment whose start state differs from the end state of the one before it is computed
// again from that state, all such segments at once, until there is none. Then all states are, by induction from the
// first segment, those of the loop. Each round allows one segment more for the convergence.
//
// Rows defines the arithmetic of a row and its arrays; elements outside an array are zero:
//   State                         the state between rows
//   initial(), guess(k)           the state before row 0; a guess for the state after row k
//   Row, load(k)                  the input of row k
//   row<is_stored>(k, in, state)  computes row k, and stores its results if is_stored
//   finish(state)                 after the last row
//   of(column)                    the same for another right-hand side
// It runs on the host too, where rows_to_converge() tests whether the recurrence converges.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stdexcept>

#include "core/scalar.hpp"
#include "lapack/interpose/device.hpp"

namespace xbatch::lapack {

// One warp per block, because the uncoalesced accesses of one warp keep a multiprocessor busy.
constexpr int sweep_segment_rows = 128, sweep_threads = 32, max_rows_to_converge = 512, max_rounds = 8;

template <class V, int count>
struct SweepState {
    V x[count];
};
template <class V, int count>
XBATCH_HD bool same_bits(const SweepState<V, count> &a, const SweepState<V, count> &b) {
    constexpr int words = int(sizeof(a) / sizeof(uint32_t));
    uint32_t x[words], y[words];
    memcpy(x, &a, sizeof a), memcpy(y, &b, sizeof b);
    bool same = true;
    for (int i = 0; i < words; ++i) same &= x[i] == y[i];
    return same;
}

// The number of rows after which a sequence that starts from a guess equals the true one, with a safety margin. Throws
// if max_rows_to_converge rows are not enough, or there are fewer rows.
template <class Rows>
int rows_to_converge(const Rows &rows, int64_t count) {
    auto truth = rows.initial(), guessed = truth;
    for (int64_t k = 0; k < count && k < max_rows_to_converge; ++k) {
        const auto own = rows.load(k);
        rows.template row<false>(k, own, truth);
        if (k == 0)
            guessed = rows.guess(k);
        else
            rows.template row<false>(k, own, guessed);
        if (same_bits(truth, guessed)) return int(k + k / 4 + 8);
    }
    throw std::domain_error("the recurrence does not converge");
}

template <class State>
struct Segments {
    int64_t rows, count, columns;  // count: segments per right-hand side; columns: right-hand sides
    int warm_up;
    State *start, *end[2];        // end[round % 2]: end states of this round
    unsigned long long *changed;  // the number of segments that this round computed again
};
// Rows k … end-1. Loads the next rows while it computes the current ones, because rows depend on each other.
template <bool is_stored, class Rows>
__device__ __forceinline__ void advance(const Rows &rows, int64_t k, int64_t end, typename Rows::State &state) {
    constexpr int ahead = 4;
    typename Rows::Row now[ahead], next[ahead];
    const auto fetch = [&](int64_t from) {
#pragma unroll
        for (int j = 0; j < ahead; ++j)
            if (from + j < end) next[j] = rows.load(from + j);
    };
    fetch(k);
    for (; k < end; k += ahead) {
#pragma unroll
        for (int j = 0; j < ahead; ++j) now[j] = next[j];
        fetch(k + ahead);
#pragma unroll
        for (int j = 0; j < ahead; ++j)
            if (k + j < end) rows.template row<is_stored>(k + j, now[j], state);
    }
}
template <class Rows>
__global__ void __launch_bounds__(sweep_threads) sweep_segments(Rows all, Segments<typename Rows::State> p, int round) {
    const int64_t own = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, segment = own % p.count;
    if (own >= p.count * p.columns) return;
    const Rows rows = all.of(own / p.count);
    const int64_t first = segment * sweep_segment_rows, end = min(first + sweep_segment_rows, p.rows);
    typename Rows::State *const end_states = p.end[round % 2], *const previous = p.end[(round + 1) % 2], state;
    if (round == 0) {
        const int64_t k = max(first - p.warm_up, int64_t(0));
        state = k > 0 ? rows.guess(k - 1) : rows.initial();
        advance<false>(rows, k, first, state);
    } else {
        state = segment > 0 ? previous[own - 1] : p.start[own];
        if (same_bits(state, p.start[own])) {
            end_states[own] = previous[own];
            return;
        }
        atomicAdd(p.changed, 1ull);
    }
    p.start[own] = state;
    advance<true>(rows, first, end, state);
    end_states[own] = state;
    if (end == p.rows) rows.finish(state);
}

// The smallest i < n for which is_wrong(d[i])
template <class V, class IsWrong>
__global__ void find_first(int64_t n, const V *d, IsWrong is_wrong, unsigned long long *first) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n && is_wrong(d[i])) atomicMin(first, (unsigned long long)(i));
}

// The largest |x[i]|, NaN if there is one: compares the bits of the values as doubles
template <class R>
__global__ void find_largest(int64_t n, const R *x, unsigned long long *largest) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned long long own = i < n ? word_of(fabs(double(x[i]))) : 0;
    for (int distance = 16; distance > 0; distance /= 2) own = max(own, __shfl_xor_sync(~0u, own, distance));
    if (threadIdx.x % 32 == 0) atomicMax(largest, own);
}

// The workspace of a call's sweeps on the GPU
class SweepWorkspace {
public:
    explicit SweepWorkspace(cudaStream_t stream) : stream_(stream) {}
    void take_from(Carver &carver, int64_t rows, int64_t columns, size_t state_bytes) {
        for (char *&states : states_) states = carver.take<char>(int64_t(state_bytes) * segments_of(rows) * columns);
        counter_ = carver.take<unsigned long long>(1);
    }
    // Rows 0 … count-1 of `columns` right-hand sides, with `warm_up` rows before each segment. Throws if max_rounds
    // rounds are not enough.
    template <class Rows>
    void run(const Rows &rows, int64_t count, int64_t columns, int warm_up) const {
        using State = typename Rows::State;
        const auto states = [&](int i) { return reinterpret_cast<State *>(states_[i]); };
        const Segments<State> segments{count,     segments_of(count),     columns, warm_up,
                                       states(0), {states(1), states(2)}, counter_};
        const int64_t blocks = (segments.count * columns + sweep_threads - 1) / sweep_threads;
        for (int round = 0; round < max_rounds; ++round) {
            require(cudaMemsetAsync(counter_, 0, sizeof *counter_, stream_));
            sweep_segments<<<unsigned(blocks), sweep_threads, 0, stream_>>>(rows, segments, round);
            require(cudaGetLastError());
            if (round > 0 && counted() == 0) return;
        }
        throw std::domain_error("the recurrence does not converge");
    }
    template <class R>
    R largest(int64_t n, const R *x) const {
        constexpr int threads = 256;
        require(cudaMemsetAsync(counter_, 0, sizeof *counter_, stream_));
        find_largest<<<unsigned((n + threads - 1) / threads), threads, 0, stream_>>>(n, x, counter_);
        require(cudaGetLastError());
        return R(real_of(Bits64::Word(counted())));
    }
    // The smallest i < n for which is_wrong(d[i]), counted from 1, or 0
    template <class V, class IsWrong>
    int64_t first_where(int64_t n, const V *d, IsWrong is_wrong) const {
        constexpr int threads = 256;
        require(cudaMemsetAsync(counter_, 0xff, sizeof *counter_, stream_));
        find_first<<<unsigned((n + threads - 1) / threads), threads, 0, stream_>>>(n, d, is_wrong, counter_);
        require(cudaGetLastError());
        return int64_t(counted() + 1);
    }

private:
    static int64_t segments_of(int64_t rows) { return (rows + sweep_segment_rows - 1) / sweep_segment_rows; }
    unsigned long long counted() const {
        unsigned long long count;
        require(cudaMemcpyAsync(&count, counter_, sizeof count, cudaMemcpyDeviceToHost, stream_));
        require(cudaStreamSynchronize(stream_));
        return count;
    }

    cudaStream_t stream_;
    char *states_[3] = {};
    unsigned long long *counter_ = nullptr;
};

}  // namespace xbatch::lapack
