// cluster_kernel.cuh: systems that fit a thread-block cluster: loaded once, solved on chip, stored once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "core/cluster.cuh"
#include "cyclic_reduction.cuh"

namespace xbatch::tridiagonal {

// FLAT: the rows of a block's part in shared memory, where they are loaded and stored: four arrays, and a fifth for x,
// each at the same distance from 16-byte lines as in memory. Threads read their R rows each without bank conflicts, as
// R is odd.
template <class T, int R, int THREADS>
struct PartRows {
    static constexpr int together = sizeof(T) < 16 ? 16 / int(sizeof(T)) : 1;  // elements of 16 bytes
    static constexpr int array = (THREADS * R + 2 * (together - 1)) / together * together;

    T *rows;
    TransferBarrier barrier;

    XBATCH_HD static constexpr size_t bytes() { return size_t(5) * array * sizeof(T); }

    // Elements from a 16-byte line to p
    __device__ static int aside_of(const T *p) { return int(uint64_t(p) / sizeof(T)) & together - 1; }
    __device__ static int rows_before_lines(const T *p, int count) { return min(count, -aside_of(p) & together - 1); }
    __device__ static int rows_of_lines(const T *p, int count) {
        return (count - rows_before_lines(p, count)) / together * together;
    }
    // Of `count` elements from p on: act(first, elements) by one lane of each warp for the warp's share of those in
    // whole lines, and edge(element) by a thread for each of the others.
    template <class Act, class Edge>
    __device__ static void each_piece(const T *p, int count, Act act, Edge edge) {
        const int before = rows_before_lines(p, count), whole = rows_of_lines(p, count);
        const int t = threadIdx.x, i = t * R;
        if (t % 32 == 0 && i < whole) act(before + i, min(whole - i, 32 * R));
        if (t < count - whole) edge(t < before ? t : t + whole);
    }
    // The first rows of a part in dl, d, du and b, from their offsets
    struct Arrays {
        const T *of[4];
    };
    __device__ static Arrays arrays(const GtsvProblem &p, int64_t a, int64_t b) {
        return {{static_cast<const T *>(p.dl) + a, static_cast<const T *>(p.d) + a, static_cast<const T *>(p.du) + a,
                 static_cast<const T *>(p.b) + b}};
    }
    __device__ T *place(int q, const T *from) const { return rows + q * array + aside_of(from); }

    // Begins to load `count` rows from row0 of system j on, right-hand side r. By all threads, while none reads rows.
    __device__ void request(const GtsvProblem &p, int64_t j, int64_t r, int64_t row0, int count) const {
        const Arrays at = arrays(p, p.a_at.offset(row0, j, 0), p.b_at.offset(row0, j, r));
        int moved = 0;
#pragma unroll
        for (int q = 0; q < 4; ++q) moved += rows_of_lines(at.of[q], count);
        if (threadIdx.x == 0) barrier.expect(unsigned(sizeof(T)) * moved);
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const T *const from = at.of[q];
            T *const to = place(q, from);
            each_piece(
                from, count,
                [&](int i, int elements) { fetch_bytes(to + i, from + i, elements * unsigned(sizeof(T)), barrier); },
                [&](int i) { copy_async<T, 1, 0>(true, shared_address(to + i), from + i); });
        }
    }
    // Waits for the rows, and returns the thread's chunk; rows that do not exist become x = 0.
    __device__ void take(unsigned parity, const Arrays &at, ThreadChunk chunk, int own, RowChunk<T, R> &v) const {
        wait_for_copies();
        barrier.wait(parity);
        __syncthreads();
        const int first = chunk.k * R;
        const auto read = [&](int q, T otherwise, T(&to)[R]) {
            const T *const from = place(q, at.of[q]) + first;
#pragma unroll
            for (int i = 0; i < R; ++i) to[i] = i < own ? from[i] : otherwise;
        };
        read(0, T(0), v.a), read(1, T(1), v.b), read(2, T(0), v.c), read(3, T(0), v.d);
        async_fence();
        __syncthreads();
    }
    // Begins to store x. By all threads; again only after wait_for_puts().
    __device__ void put(const GtsvProblem &p, ThreadChunk chunk, int64_t j, int64_t r, int64_t row0, int count,
                        const T (&x)[R]) const {
        T *const b = static_cast<T *>(p.b) + p.b_at.offset(row0, j, r), *const stage = place(4, b);
        if (chunk.is_used) {
#pragma unroll
            for (int i = 0; i < R; ++i) stage[chunk.k * R + i] = x[i];
        }
        async_fence();
        __syncthreads();
        each_piece(
            b, count, [&](int i, int elements) { put_bytes(b + i, stage + i, elements * unsigned(sizeof(T))); },
            [&](int i) { b[i] = stage[i]; });
    }
};

// What the blocks of a cluster exchange. There are two buffers, used in alternate turns.
template <class T>
struct ClusterShared {
    using Word = std::conditional_t<sizeof(T) == 4, float, double>;

    Edges<T> *mine, *received;  // [systems], [2][parts][systems]: the equations of a part's ends
    T *known;                   // [2][systems]: the last unknowns of the part before and of the part
    uint64_t *barriers;         // [3]: of the rows, and of both buffers

    __device__ ClusterShared(unsigned char *bytes, int parts, int systems)
        : mine(reinterpret_cast<Edges<T> *>(bytes)),
          received(mine + systems),
          known(reinterpret_cast<T *>(received + 2 * parts * systems)),
          barriers(reinterpret_cast<uint64_t *>(known + 2 * systems)) {}
    static constexpr size_t bytes(int parts, int systems) {
        return size_t(2 * parts + 1) * systems * sizeof(Edges<T>) + 2 * systems * sizeof(T) + 3 * sizeof(uint64_t);
    }
    __device__ __forceinline__ ChunkEnds<T> ends_of(int system, int systems) const {
        return {known[system], known[systems + system]};
    }
    __device__ __forceinline__ void put_ends(int system, int systems, const ChunkEnds<T> &ends) const {
        known[system] = ends.z_before, known[systems + system] = ends.z;
    }
    // `mine` of this block to all blocks of the cluster, by all threads
    __device__ void broadcast(Edges<T> *parts_received, TransferBarrier barrier, int systems, int parts,
                              int rank) const {
        const int words = systems * int(sizeof(Edges<T>) / sizeof(Word));
        if (threadIdx.x == 0) barrier.expect(unsigned(parts * words * sizeof(Word)));
        Word *const to = reinterpret_cast<Word *>(parts_received + rank * systems);
        for (int w = threadIdx.x; w < words; w += blockDim.x)
            for (int q = 0; q < parts; ++q) store_to_block(to + w, reinterpret_cast<const Word *>(mine)[w], barrier, q);
    }
};

// Whether a cluster loads the rows of its next unit while it solves one
template <int R, bool FLAT>
constexpr bool loads_ahead = FLAT && (R % 2 == 1);

template <class T, int R, bool FLAT, int THREADS>
XBATCH_HD constexpr size_t part_bytes() {
    return loads_ahead<R, FLAT> ? PartRows<T, R, THREADS>::bytes() : stages_bytes<T, R, FLAT>(THREADS);
}

// The shared memory of a block
template <class T, int R, bool FLAT, int THREADS>
struct ClusterMemory {
    T *tile, *stage;  // rows of the block; FLAT: stage of the thread's warp
    ChunkRows<T> chunk_rows;
    ClusterShared<T> shared;

    __device__ ClusterMemory(unsigned char *bytes, int parts, int systems)
        : tile(reinterpret_cast<T *>(bytes)),
          stage(tile + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0)),
          chunk_rows{reinterpret_cast<T *>(bytes + part_bytes<T, R, FLAT, THREADS>())},
          shared(reinterpret_cast<unsigned char *>(chunk_rows.shared) + ChunkRows<T>::bytes(THREADS), parts, systems) {}
    static constexpr size_t bytes(int parts, int systems) {
        return part_bytes<T, R, FLAT, THREADS>() + ChunkRows<T>::bytes(THREADS) +
               ClusterShared<T>::bytes(parts, systems);
    }
};

template <class T>
__device__ inline EndEquation<T> from_lane(const EndEquation<T> &e, int lane) {
    return {from_lane(e.value, lane), from_lane(e.before, lane), from_lane(e.behind, lane)};
}

// put(system, place, ends) with the ends of the rank's part of every system: cyclic reduction as of the chunks of a
// block, by a lane for each part, which has this place. All blocks compute the same numbers. A single system is solved
// by all groups of lanes. Calls report(system) where a pivot of the rank's row is bad.
template <class Pivot, class T, class Put, class Report>
__device__ inline void close_parts(const Edges<T> *received, int systems, int parts, int rank, Put put, Report report) {
    const int lanes = 1 << (32 - __clz(parts - 1)), lane = threadIdx.x % 32, place = lane % lanes;  // of a system
    const int q = parts - 1 - place, group = systems > 1 ? int(threadIdx.x) / lanes : 0;
    for (int first = 0; first < systems; first += blockDim.x / lanes) {
        const int system = first + group;
        Edges<T> mine{};
        if (system < systems && q >= 0) mine = received[place * systems + system];
        EndEquation<T> row{mine.ld, mine.la, mine.lc};
        bool is_fine = true;
        const EndEquation<T> behind = from_lane(EndEquation<T>{mine.fd, mine.fa, mine.fc}, lane + 1);
        if (q > 0) is_fine = eliminate_first<Pivot>(row, behind);
#pragma unroll 1
        for (int s = 1; s < parts; s *= 2) {
            EndEquation<T> left = from_lane(row, lane - s), right = from_lane(row, lane + s);
            if ((q & (2 * s - 1)) != 0) continue;
            if (q + s >= parts) left = outside_left<T, T>();
            if (q <= 0) right = outside_right<T, T>();
            is_fine = eliminate_sides<Pivot>(row, left, right) && is_fine;
        }
        const auto row_at = [&](int of) { return from_lane(row, lane - place + parts - 1 - of); };
        ChunkEnds<T> ends{T(0), row_at(0).value};
        descend(parts - 1 - rank, parts, ends, row_at);
        if (system >= systems) continue;
        put(system, place, ends);
        if (place == rank && !is_fine) report(system);
    }
}

// Every block of the cluster receives the equations of all parts and computes the ends of its own. Consecutive turns
// use different buffers. meanwhile() overlaps with the exchange.
template <class Pivot, class T, class Do, class Put, class Report>
__device__ __forceinline__ void exchange_parts(const ClusterShared<T> &shared, unsigned turn, int systems, int parts,
                                               int rank, Do meanwhile, Put put, Report report) {
    const TransferBarrier all_received{shared.barriers + 1 + turn % 2};
    Edges<T> *const received = shared.received + turn % 2 * parts * systems;
    shared.broadcast(received, all_received, systems, parts, rank);
    meanwhile();
    all_received.wait(turn / 2 & 1);
    close_parts<Pivot>(received, systems, parts, rank, put, report);
}

// The ends of the part of a thread's system, whose equations its first thread has put into `mine`. FLAT: of the only
// system, so that the first warp has its equations and sends them, and every lane has its ends.
template <bool FLAT, class T, class Do, class Report>
__device__ __forceinline__ ChunkEnds<T> find_part_ends(const ClusterShared<T> &shared, unsigned turn, ThreadChunk chunk,
                                                       int systems, int parts, int rank, Do meanwhile, Report report) {
    if (FLAT)
        __syncwarp();
    else
        __syncthreads();
    if (turn == 0) cluster_wait();  // all blocks have begun
    ChunkEnds<T> ends{};
    const auto put = [&](int system, int place, const ChunkEnds<T> &found) {
        if (FLAT)
            ends = found;
        else if (place == 0)
            shared.put_ends(system, systems, found);
    };
    exchange_parts<AnyPivot>(shared, turn, systems, parts, rank, meanwhile, put, report);
    if (FLAT) return ends;
    __syncthreads();
    return chunk.is_used ? shared.ends_of(chunk.system, systems) : ends;
}

// The rows of a thread: those loaded ahead, or from memory
template <class T, int R, bool FLAT, int THREADS>
__device__ __forceinline__ void read_rows(const GtsvProblem &p, const PartRows<T, R, THREADS> &rows, unsigned parity,
                                          const TileAccess<R, FLAT> &access, const TileArrays &at, ThreadChunk chunk,
                                          int64_t row0, T *stage, RowChunk<T, R> &v) {
    if constexpr (loads_ahead<R, FLAT>) {
        rows.take(parity, rows.arrays(p, at.a.at, at.b.at), chunk, access.own, v);
        cut_ends(p, row0 + chunk.k * R, v);
    } else {
        load(p, access, at, chunk, row0, stage, v);
    }
}

// A block holds a part of `shape.systems` systems, the `parts` blocks of a cluster all of their rows. Every part is
// eliminated to the equations of its ends, which are broadcast to all blocks of the cluster; each then computes the
// last unknowns of its part and of the one before. A cluster solves its units, (group of systems, right-hand side), in
// sequence. The caller has set info to 0.
template <class Scheme, class T, int R, bool FLAT, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    gtsv_cluster(GtsvProblem p, BlockShape shape, int parts, unsigned units) {
    if constexpr (!architecture_has_clusters) return;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    constexpr bool ahead = loads_ahead<R, FLAT>;
    const ClusterMemory<T, R, FLAT, THREADS> memory(shared_bytes, parts, shape.systems);
    const ClusterShared<T> &shared = memory.shared;
    const PartRows<T, R, THREADS> rows{memory.tile, {shared.barriers}};
    const ThreadChunk chunk = chunk_of_thread<FLAT>(shape);
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
        const TileAccess<R, FLAT> access(shape, chunk, j0, p.batch, row0, p.n);
        const TileArrays at = tile_arrays<R, FLAT>(p, chunk, j0, r, row0);
        const auto inform = [&](int system, int64_t row) {
            if (p.info && r == 0 && j0 + system < p.batch) report(p.info + j0 + system, min(row, p.n - 1));
        };
        RowChunk<T, R> v;
        read_rows(p, rows, turn & 1, access, at, chunk, row0, memory.stage, v);
        int bad = Scheme::eliminate(v);
        const Edges<T> edges = Scheme::edges(v);
        if (ahead) wait_for_puts();  // of the previous turn
        EndEquation<T> last;
        if (!reduce_chunks<AnyPivot>(edges, chunk, shape, memory.chunk_rows, last)) bad = min(bad, R - 1);
        if (chunk.k == 0 && chunk.is_used)
            shared.mine[chunk.system] = edges_of_run(edges, last, chunk, shape, memory.chunk_rows);
        ChunkEnds<T> ends = find_part_ends<FLAT>(
            shared, turn, chunk, S, parts, rank, [&] { request(unit + clusters); },
            [&](int system) { inform(system, row0 + int64_t(shape.chunks) * R - 1); });
        descend(chunk, shape, memory.chunk_rows, ends);
        if (chunk.is_used) Scheme::solve(v, ends.z_before, ends.z);
        if (bad != no_row && access.own > 0) inform(chunk.system, row0 + chunk.k * R + bad);
        if (p.info && access.own > 0 && !are_finite(v.d)) report(p.info + j0 + chunk.system, p.n);
        if constexpr (ahead)
            rows.put(p, chunk, j0, r, row0, count, v.d);
        else
            store(p, access, at, memory.stage, v);
        unit += clusters, ++turn;
    } while (ahead && unit < units);
    if (ahead) wait_for_puts();
}

}  // namespace xbatch::tridiagonal
