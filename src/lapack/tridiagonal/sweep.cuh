// sweep.cuh: recurrences along the rows of one matrix by the threads of a GPU, to the bits of one row after the other.
//
// Each thread has a piece of the rows and begins, as the lanes of sweep.hpp do, with the state that the rows before it
// lead to from a guess. A piece that began otherwise than the one before it ended is done again from there, all such
// pieces at once, until there is none: then the states are, from the first piece on, those of the plain loop. Every
// round adds a piece to what was forgotten.
//
// Rows says what a row is, and in which arrays it is found; outside of an array there are zeros:
//   State                        what is held between rows
//   initial(), guess(k)          before row 0; after row k, which is only read
//   Row, load(k)                 what row k is made of
//   row<is_kept>(k, in, state)   row k; its results are written where they are kept
//   finish(state)                after the last
//   of(column)                   the same for another right-hand side
// It works on the host too: there rows_to_forget() asks whether the state is forgotten at all.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "core/scalar.hpp"
#include "lapack/interpose/device.hpp"

namespace xbatch::lapack {

// A warp a block: neither the loads nor the stores of a warp are side by side, and they keep a multiprocessor busy.
constexpr int sweep_piece = 128, sweep_threads = 32, most_rows_to_forget = 512, most_rounds = 8;

template <class V, int count>
struct Held {
    V x[count];
};
template <class V, int count>
XBATCH_HD bool same_bits(const Held<V, count> &a, const Held<V, count> &b) {
    constexpr int words = int(sizeof(a) / sizeof(uint32_t));
    uint32_t x[words], y[words];
    memcpy(x, &a, sizeof a), memcpy(y, &b, sizeof b);
    bool same = true;
    for (int i = 0; i < words; ++i) same &= x[i] == y[i];
    return same;
}

// How many rows, and some more to be sure, it takes from the first on until a guess has come to the true state; throws
// where most_rows_to_forget do not do, or there are no more.
template <class Rows>
int rows_to_forget(const Rows &rows, int64_t count) {
    auto truth = rows.initial(), guessed = truth;
    for (int64_t k = 0; k < count && k < most_rows_to_forget; ++k) {
        const auto own = rows.load(k);
        rows.template row<false>(k, own, truth);
        if (k == 0)
            guessed = rows.guess(k);
        else
            rows.template row<false>(k, own, guessed);
        if (same_bits(truth, guessed)) return int(k + k / 4 + 8);
    }
    throw std::domain_error("rows do not forget where they began");
}

template <class State>
struct Pieces {
    int64_t rows, count, columns;  // pieces of a column of right-hand sides, and such columns
    int warm;
    State *begun, *ended[2];      // those of this round in ended[round % 2]
    unsigned long long *changed;  // pieces of this round that were done again
};
// Rows k … end-1. The next ones are asked for while some are computed: no row can be sooner than the one before.
template <bool is_kept, class Rows>
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
            if (k + j < end) rows.template row<is_kept>(k + j, now[j], state);
    }
}
template <class Rows>
__global__ void __launch_bounds__(sweep_threads) sweep_pieces(Rows all, Pieces<typename Rows::State> p, int round) {
    const int64_t own = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, piece = own % p.count;
    if (own >= p.count * p.columns) return;
    const Rows rows = all.of(own / p.count);
    const int64_t first = piece * sweep_piece, end = min(first + sweep_piece, p.rows);
    typename Rows::State *const ended = p.ended[round % 2], *const before = p.ended[(round + 1) % 2], state;
    if (round == 0) {
        const int64_t k = max(first - p.warm, int64_t(0));
        state = k > 0 ? rows.guess(k - 1) : rows.initial();
        advance<false>(rows, k, first, state);
    } else {
        state = piece > 0 ? before[own - 1] : p.begun[own];
        if (same_bits(state, p.begun[own])) {
            ended[own] = before[own];
            return;
        }
        atomicAdd(p.changed, 1ull);
    }
    p.begun[own] = state;
    advance<true>(rows, first, end, state);
    ended[own] = state;
    if (end == p.rows) rows.finish(state);
}

// The smallest i < n for which is_wrong(d[i])
template <class V, class IsWrong>
__global__ void find_first(int64_t n, const V *d, IsWrong is_wrong, unsigned long long *first) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n && is_wrong(d[i])) atomicMin(first, (unsigned long long)(i));
}

// The largest |x[i]|, NaN if there is one, by the bits of the number as a double
template <class R>
__global__ void find_largest(int64_t n, const R *x, unsigned long long *largest) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned long long own = i < n ? word_of(fabs(double(x[i]))) : 0;
    for (int distance = 16; distance > 0; distance /= 2) own = max(own, __shfl_xor_sync(~0u, own, distance));
    if (threadIdx.x % 32 == 0) atomicMax(largest, own);
}

// What the sweeps of a call need on the GPU
class SweepRoom {
public:
    explicit SweepRoom(cudaStream_t stream) : stream_(stream) {}
    // For states of so many bytes
    void take_from(Carver &carver, int64_t rows, int64_t columns, size_t state_bytes) {
        for (char *&states : states_) states = carver.take<char>(int64_t(state_bytes) * pieces_of(rows) * columns);
        counter_ = carver.take<unsigned long long>(1);
    }
    // Rows 0 … count-1 of so many right-hand sides, begun so many rows before each piece. Throws where pieces do not
    // come together.
    template <class Rows>
    void run(const Rows &rows, int64_t count, int64_t columns, int warm) const {
        using State = typename Rows::State;
        const auto states = [&](int i) { return reinterpret_cast<State *>(states_[i]); };
        const Pieces<State> pieces{count, pieces_of(count), columns, warm, states(0), {states(1), states(2)}, counter_};
        const int64_t blocks = (pieces.count * columns + sweep_threads - 1) / sweep_threads;
        for (int round = 0; round < most_rounds; ++round) {
            require(cudaMemsetAsync(counter_, 0, sizeof *counter_, stream_));
            sweep_pieces<<<unsigned(blocks), sweep_threads, 0, stream_>>>(rows, pieces, round);
            require(cudaGetLastError());
            if (round > 0 && counted() == 0) return;
        }
        throw std::domain_error("rows do not forget where they began");
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
    static int64_t pieces_of(int64_t rows) { return (rows + sweep_piece - 1) / sweep_piece; }
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

// What stays on the GPU between calls is given back there; where there is no thread to do it, it is not.
template <class Kept>
void give_back(std::unique_ptr<Kept> &kept) {
    try {
        on_device([&](Device &) { kept.reset(); });
    } catch (const std::exception &) {
        static_cast<void>(kept.release());
    }
}
// Each column there, or where that throws here
template <class T, class There, class Here>
void each_on_device(T *b, int64_t ldb, int64_t nrhs, There there, Here here) {
    for (; nrhs > 0; --nrhs, b += ldb) {
        try {
            there(b);
        } catch (const std::exception &) {
            here(b);
        }
    }
}

// Right-hand sides, which sweeps take from one array to the other and back
template <class T>
struct RightHandSides {
    Matrix<T> b, between;

    RightHandSides(int64_t n, int64_t nrhs) : b(n, nrhs), between(n, nrhs) {}
    void take_from(Carver &carver) { b.take_from(carver), between.take_from(carver); }
};

}  // namespace xbatch::lapack
