// cluster_kernel.cuh: systems that a cluster of blocks holds: read once, solved on the chip, written once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/cluster.cuh"
#include "pscheme_interface.cuh"

namespace xbatch::tridiagonal {

// FLAT: the rows of a block's part in shared memory, as they come and go: four arrays, and a fifth for x. Threads that
// read their R rows each, an odd number, meet different banks.
template <class T, int R, int THREADS>
struct PartRows {
    static constexpr int together = sizeof(T) < 16 ? 16 / int(sizeof(T)) : 1;  // elements of 16 bytes
    static constexpr int array = THREADS * R;

    T *rows;
    TransferBarrier barrier;

    XBATCH_HD static constexpr size_t bytes() { return size_t(5) * array * sizeof(T); }

    __device__ static bool is_even(const T *p) { return uint64_t(p) % 16 == 0; }
    // act(first element, elements) for the warps' shares of `count`.
    template <class Act>
    __device__ static void each_piece(int count, Act act) {
        const int i = int(threadIdx.x) * R;
        if (threadIdx.x % 32 == 0 && i < count) act(i, min(count - i, 32 * R));
    }

    // Asks for `count` rows from row0 of system j on, right-hand side r. By all threads, when nobody reads rows.
    __device__ void request(const GtsvProblem &p, int64_t j, int64_t r, int64_t row0, int count) const {
        const int64_t a = p.a_at.offset(row0, j, 0);
        const T *const dl = static_cast<const T *>(p.dl) + a, *const d = static_cast<const T *>(p.d) + a;
        const T *const du = static_cast<const T *>(p.du) + a;
        const T *const b = static_cast<const T *>(p.b) + p.b_at.offset(row0, j, r);
        const int moved = is_even(dl) && is_even(d) && is_even(du) && is_even(b) ? count / together * together : 0;
        if (threadIdx.x == 0) barrier.expect(unsigned(4 * sizeof(T)) * moved);
        each_piece(moved, [&](int i, int elements) {
            const unsigned bytes = elements * unsigned(sizeof(T));
            fetch_bytes(rows + i, dl + i, bytes, barrier);
            fetch_bytes(rows + array + i, d + i, bytes, barrier);
            fetch_bytes(rows + 2 * array + i, du + i, bytes, barrier);
            fetch_bytes(rows + 3 * array + i, b + i, bytes, barrier);
        });
        constexpr int bytes = array * int(sizeof(T));
        for (int i = moved + int(threadIdx.x); i < count; i += THREADS) {
            const unsigned to = shared_address(rows + i);
            copy_async<T, 1, 0>(true, to, dl + i);
            copy_async<T, 1, bytes>(true, to, d + i);
            copy_async<T, 1, 2 * bytes>(true, to, du + i);
            copy_async<T, 1, 3 * bytes>(true, to, b + i);
        }
    }
    // The thread's own chunk, once all rows are there; rows that do not exist become x = 0.
    __device__ void take(unsigned parity, Seat seat, int own, RowChunk<T, R> &v) const {
        wait_for_copies();
        barrier.wait(parity);
        __syncthreads();
        const T *const from = rows + seat.k * R;
#pragma unroll
        for (int i = 0; i < R; ++i) v.a[i] = i < own ? from[i] : T(0);
#pragma unroll
        for (int i = 0; i < R; ++i) v.b[i] = i < own ? from[array + i] : T(1);
#pragma unroll
        for (int i = 0; i < R; ++i) v.c[i] = i < own ? from[2 * array + i] : T(0);
#pragma unroll
        for (int i = 0; i < R; ++i) v.d[i] = i < own ? from[3 * array + i] : T(0);
        async_fence();
        __syncthreads();
    }
    // x goes to memory. By all threads; the next time only after wait_for_puts().
    __device__ void put(const GtsvProblem &p, Seat seat, int64_t j, int64_t r, int64_t row0, int count,
                        const T (&x)[R]) const {
        T *const stage = rows + 4 * array, *const b = static_cast<T *>(p.b) + p.b_at.offset(row0, j, r);
        if (seat.is_used) {
#pragma unroll
            for (int i = 0; i < R; ++i) stage[seat.k * R + i] = x[i];
        }
        async_fence();
        __syncthreads();
        const int moved = is_even(b) ? count / together * together : 0;
        each_piece(moved, [&](int i, int elements) { put_bytes(b + i, stage + i, elements * unsigned(sizeof(T))); });
        for (int i = moved + int(threadIdx.x); i < count; i += THREADS) b[i] = stage[i];
    }
};

// What the blocks of a cluster tell each other, in two sets that turns take one after the other.
template <class T>
struct ClusterShared {
    using Word = std::conditional_t<sizeof(T) == 4, float, double>;

    EndEquation<T> *ends;      // [threads]: of the last unknowns of the chunks, over those outside the part
    Relation<T> *mine, *told;  // [systems], [2][parts][systems]: what a part says of its ends
    T *known;                  // [2][systems]: the unknowns before and behind the part
    uint64_t *barriers;        // [3]: of the rows, and of both sets

    __device__ ClusterShared(unsigned char *bytes, int threads, int parts, int systems)
        : ends(reinterpret_cast<EndEquation<T> *>(bytes)),
          mine(reinterpret_cast<Relation<T> *>(ends + threads)),
          told(mine + systems),
          known(reinterpret_cast<T *>(told + 2 * parts * systems)),
          barriers(reinterpret_cast<uint64_t *>(known + 2 * systems)) {}
    static constexpr size_t bytes(int threads, int parts, int systems) {
        return threads * sizeof(EndEquation<T>) + size_t(2 * parts + 1) * systems * sizeof(Relation<T>) +
               (2 * systems + 6) * sizeof(T) + 24;
    }
    // What a part says of its ends, from the chunks' ends and from z of the thread's own chunk. By all threads.
    __device__ __forceinline__ void put_ends(Seat seat, BlockShape shape, const Edges<T> &edges,
                                             const EndEquation<T> &z) const {
        ends[threadIdx.x] = z;
        if (seat.k == 0 && seat.is_used)
            mine[seat.sub].f = {fnma(edges.fc, z.value, edges.fd), fnma(edges.fc, z.before, edges.fa),
                                -(edges.fc * z.behind)};
        if (seat.k == shape.chunks - 1 && seat.is_used) mine[seat.sub].l = z;
    }
    // The unknowns before and behind the part, and others from them, once `known` is there.
    struct Known {
        T before, behind;
        __device__ __forceinline__ T operator()(const EndEquation<T> &e) const {
            return fnma(e.behind, behind, fnma(e.before, before, e.value));
        }
    };
    __device__ __forceinline__ Known known_of(int sub, int systems) const { return {known[sub], known[systems + sub]}; }
    // `mine` of this block to all, by all threads.
    __device__ void tell(Relation<T> *parts_told, TransferBarrier barrier, int systems, int parts, int rank) const {
        const int words = systems * int(sizeof(Relation<T>) / sizeof(Word));
        if (threadIdx.x == 0) barrier.expect(unsigned(parts * words * sizeof(Word)));
        Word *const to = reinterpret_cast<Word *>(parts_told + rank * systems);
        for (int w = threadIdx.x; w < words; w += blockDim.x)
            for (int q = 0; q < parts; ++q) tell_block(to + w, reinterpret_cast<const Word *>(mine)[w], barrier, q);
    }
};

// Whether a cluster asks for the rows of its next unit while it solves one.
template <int R, bool FLAT>
constexpr bool asks_ahead = FLAT && (R % 2 == 1);

template <class T, int R, bool FLAT, int THREADS>
XBATCH_HD constexpr size_t part_bytes() {
    return asks_ahead<R, FLAT> ? PartRows<T, R, THREADS>::bytes() : stages_bytes<T, R, FLAT>(THREADS);
}

// The shared memory of a block
template <class T, int R, bool FLAT, int THREADS>
struct ClusterMemory {
    T *tile, *stage;  // rows of the block; FLAT: of the thread's warp
    T *exchange;      // for propagate()
    ClusterShared<T> shared;

    __device__ ClusterMemory(unsigned char *bytes, int parts, int systems)
        : tile(reinterpret_cast<T *>(bytes)),
          stage(tile + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0)),
          exchange(reinterpret_cast<T *>(bytes + part_bytes<T, R, FLAT, THREADS>())),
          shared(reinterpret_cast<unsigned char *>(exchange) + propagate_bytes<T>(THREADS), THREADS, parts, systems) {}
    static constexpr size_t bytes(int parts, int systems) {
        return part_bytes<T, R, FLAT, THREADS>() + propagate_bytes<T>(THREADS) +
               ClusterShared<T>::bytes(THREADS, parts, systems);
    }
};

// The unknowns before and behind the part of a rank, of every system: what stands left of it, and what stands right,
// are chained by as many lanes as there are other parts. Calls report(system) where a pivot is bad.
template <class T, class Report>
__device__ inline void close_parts(const Relation<T> *told, T *known, int systems, int parts, int rank, Report report) {
    const int others = parts - 1, lanes = others > 1 ? 1 << 32 - __clz(others - 1) : 1;  // a system
    const int place = threadIdx.x % lanes;
    const bool is_right = place >= rank;
    const int at = is_right ? place - rank : place, count = is_right ? others - rank : rank;
    for (int first = 0; first < systems; first += blockDim.x / lanes) {
        const int sub = first + int(threadIdx.x) / lanes;
        const bool exists = sub < systems && place < max(others, 1);
        Relation<T> mine{};
        if (exists && place < others) mine = told[(place + is_right) * systems + sub];
        bool is_fine = true;
#pragma unroll 1
        for (int s = 1; s < others; s *= 2) {
            const Relation<T> next{shuffled_down(mine.f, s), shuffled_down(mine.l, s)};
            if (at % (2 * s) != 0 || at + s >= count) continue;
            const Relation<T> left = mine;
            EndEquation<T> between;
            is_fine = chain(left, next, mine, between) && is_fine;
        }
        Relation<T> left{}, right{};
        if (rank > 0) left.l = mine.l;
        const EndEquation<T> next = shuffled_down(mine.f, rank);  // to lane 0
        if (rank < others) right.f = next;
        if (exists && place == 0)
            is_fine = close_run(left, told[rank * systems + sub], right, known[sub], known[systems + sub]) && is_fine;
        if (exists && !is_fine) report(sub);
    }
}

// Every block of the cluster gets the relations of all parts, and finds the unknowns next to its own. Two turns that
// follow each other use different sets of shared memory. meanwhile(): what can be done until the relations are there
template <class T, class Do, class Report>
__device__ __forceinline__ void exchange_parts(const ClusterShared<T> &shared, unsigned turn, int systems, int parts,
                                               int rank, Do meanwhile, Report report) {
    const TransferBarrier all_told{shared.barriers + 1 + turn % 2};
    Relation<T> *const told = shared.told + turn % 2 * parts * systems;
    shared.tell(told, all_told, systems, parts, rank);
    meanwhile();
    all_told.wait(turn / 2 & 1);
    close_parts(told, shared.known, systems, parts, rank, report);
    __syncthreads();
}

// The rows of a thread: those that were asked for ahead, or from memory
template <class T, int R, bool FLAT, int THREADS>
__device__ __forceinline__ void read_rows(const GtsvProblem &p, const PartRows<T, R, THREADS> &rows, unsigned parity,
                                          const Reach<R, FLAT> &reach, const Tracks &at, Seat seat, int64_t row0,
                                          T *stage, RowChunk<T, R> &v) {
    if constexpr (asks_ahead<R, FLAT>) {
        rows.take(parity, seat, reach.own, v);
        cut_ends(p, row0 + seat.k * R, v);
    } else {
        load(p, reach, at, seat, row0, stage, v);
    }
}

// A block holds a part of `shape.systems` systems, the `parts` blocks of a cluster all of their rows. Every part is
// eliminated to the relation of its ends, which all blocks of the cluster are told; each then finds the unknowns next
// to its part. A cluster takes one unit, (group of systems, right-hand side), after the other. The caller has cleared
// info.
template <class Scheme, class T, int R, bool FLAT, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    gtsv_cluster(GtsvProblem p, BlockShape shape, int parts, unsigned units) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    constexpr bool ahead = asks_ahead<R, FLAT>;
    const ClusterMemory<T, R, FLAT, THREADS> memory(shared_bytes, parts, shape.systems);
    const ClusterShared<T> &shared = memory.shared;
    const PartRows<T, R, THREADS> rows{memory.tile, {shared.barriers}};
    const Seat seat = seat_of<FLAT>(shape);
    const unsigned clusters = gridDim.x / unsigned(parts), first = blockIdx.x / unsigned(parts);
    const int rank = int(blockIdx.x - first * parts), S = shape.systems;
    const int64_t row0 = int64_t(rank) * shape.chunks * R;
    const int count = int(min(int64_t(shape.chunks) * R, p.n - row0));
    const auto group_of = [&](unsigned unit) { return p.nrhs == 1 ? unit : unit / unsigned(p.nrhs); };
    const auto request = [&](unsigned unit) {
        const unsigned group = group_of(unit);
        if (ahead && unit < units) rows.request(p, group, unit - group * unsigned(p.nrhs), row0, count);
    };
    if (threadIdx.x == 0)
        for (int k = 0; k < 3; ++k) TransferBarrier{shared.barriers + k}.begin();
    __syncthreads();
    cluster_arrive();
    request(first);

    unsigned unit = first, turn = 0;
    do {
        const unsigned group = group_of(unit);
        const int64_t r = unit - group * unsigned(p.nrhs), j0 = int64_t(group) * S;
        const Reach<R, FLAT> reach(shape, seat, j0, p.batch, row0, p.n);
        const Tracks at = tracks_of<R, FLAT>(p, seat, j0, r, row0);
        const auto inform = [&](int sub, int64_t row) {
            if (p.info && r == 0 && j0 + sub < p.batch) report(p.info + j0 + sub, min(row, p.n - 1));
        };
        RowChunk<T, R> v;
        read_rows(p, rows, turn & 1, reach, at, seat, row0, memory.stage, v);
        int bad = Scheme::eliminate(v);
        const Edges<T> edges = Scheme::edges(v);
        EndEquation<T> z;
        if (!propagate(edges, seat, shape, memory.exchange, z)) bad = min(bad, R - 1);
        shared.put_ends(seat, shape, edges, z);
        if (ahead) wait_for_puts();  // of the turn before
        __syncthreads();
        if (turn == 0) cluster_wait();  // all blocks have begun
        exchange_parts(
            shared, turn, S, parts, rank, [&] { request(unit + clusters); },
            [&](int sub) { inform(sub, row0 + int64_t(shape.chunks) * R - 1); });
        if (seat.is_used) {
            const auto found = shared.known_of(seat.sub, S);
            Scheme::solve(v, seat.k > 0 ? found(shared.ends[threadIdx.x - seat.beside]) : found.before, found(z));
        }
        if (bad != no_row && reach.own > 0) inform(seat.sub, row0 + seat.k * R + bad);
        if (p.info && reach.own > 0 && !are_finite(v.d)) report(p.info + j0 + seat.sub, p.n);
        if constexpr (ahead)
            rows.put(p, seat, j0, r, row0, count, v.d);
        else
            store(p, reach, at, memory.stage, v);
        unit += clusters, ++turn;
    } while (ahead && unit < units);
    if (ahead) wait_for_puts();
}

}  // namespace xbatch::tridiagonal
