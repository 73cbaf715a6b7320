// nopivot_tuning.hpp: shapes of blocks, clusters and segments by which a GPU solves a batch without pivoting.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/layout.hpp"
#include "core/scalar.hpp"

namespace xbatch::tridiagonal {

// Rows in a thread's registers, four values each. More rows mean less exchange between threads; the registers of 128
// threads are the limit.
template <class T>
struct PschemeTuning {
    static constexpr bool is_wide = sizeof(T) == 16;
    static constexpr int most_rows = is_wide ? 8 : 16;    // of a thread
    static constexpr int block_threads = 128;             // where systems are shorter than a block
    static constexpr double exchange_rows = 1.5;          // cost of propagation for a thread, in rows
    static constexpr int line_systems = 128 / sizeof(T);  // interleaved systems that fill a memory line
    static constexpr int lane_rows = 64 / sizeof(T);      // of a thread, if not FLAT

    // Most threads of a block: with more, registers would not suffice for the rows of each.
    XBATCH_HD static constexpr int most_threads(int rows) { return rows * int(sizeof(T)) <= 64 ? 512 : 384; }
    // Of a thread: as many as those threads have, but of positive definite systems fewer, so that two blocks of up to
    // 320 threads fit a multiprocessor
    XBATCH_HD static constexpr int most_registers(int rows, bool is_definite) {
        return most_threads(rows) == 384 ? 168 : is_definite ? 96 : 128;
    }
};

// Segments of longer systems, one per block
template <class T>
struct SegmentTuning {
    static constexpr bool is_wide = sizeof(T) == 16;
    static constexpr int flat_threads = 128;                                  // of a block with one system
    static constexpr int lanes_threads = 256;                                 // of a block with interleaved systems
    static constexpr int flat_rows = is_wide ? 8 : 16;                        // of a thread
    static constexpr int lanes_rows = sizeof(T) == 4 ? 16 : is_wide ? 4 : 8;  // of a thread
    // Resident threads of a multiprocessor, which limit their registers
    static constexpr int flat_resident = is_wide || sizeof(T) * flat_rows > 64 ? 384 : 512;
    static constexpr int lanes_resident = is_wide ? 256 : 512;
};

// Fewest interleaved systems of a block: a memory line of them, or the batch, rounded up to a power of two.
template <class T>
int systems_of_line(int64_t batch) {
    int systems = 1;
    while (systems < PschemeTuning<T>::line_systems && systems < batch) systems *= 2;
    return systems;
}

// Thread-block clusters. FLAT, with an odd number of rows per thread, they load the rows of the next unit ahead.
template <class T>
struct ClusterTuning {
    static constexpr bool is_wide = sizeof(T) == 16;
    static constexpr int threads = sizeof(T) == 4 ? 256 : 128;  // of a block
    static constexpr int blocks = sizeof(T) == 4 ? 2 : 3;       // of them on a multiprocessor
    static constexpr int ahead_blocks = 2;                      // the same where rows are loaded ahead
    static constexpr int most_lanes_threads = 256;              // of a block that needs no cluster, if not FLAT
    static constexpr int flat_rows = is_wide ? 9 : 17;          // of a thread
    static constexpr int lane_rows = is_wide ? 8 : 16;          // of a thread, if not FLAT
    static constexpr int most_parts = 8;                        // supported by every device with clusters
};

struct BlockChoice {
    int rows;             // per thread
    int chunks;           // threads per system
    int systems;          // per block
    int threads;          // per block
    bool fits;            // false: a system needs several blocks
    bool is_fast = true;  // interleaved: no cluster is faster
};

inline int ceil_div(int64_t a, int64_t b) { return int((a + b - 1) / b); }
inline int round_up(int a, int b) { return (a + b - 1) / b * b; }

// Rows per thread of a FLAT block. The odd numbers are for systems with which powers of two would leave lanes idle.
constexpr int flat_rows[] = {16, 15, 13, 11, 9, 8, 4};

// Contiguous rows: the number per thread that leaves the fewest lanes idle at a small cost of exchange; a power of two
// if the method halves rows.
template <class T>
BlockChoice choose_flat(int64_t n, bool halves = false) {
    using Tuning = PschemeTuning<T>;
    BlockChoice best{};
    double best_worth = 0;
    for (const int rows : flat_rows) {
        if (rows > Tuning::most_rows || n > int64_t(rows) * Tuning::most_threads(rows)) continue;
        const int chunks = ceil_div(n, rows);
        const bool in_warp = chunks <= 32;
        const int threads = in_warp ? Tuning::block_threads : std::max(Tuning::block_threads, round_up(chunks, 32));
        if (rows % 2 == 1 && (halves || threads > Tuning::block_threads || rows > Tuning::most_rows)) continue;
        const int systems = in_warp ? 32 / chunks * (threads / 32) : threads / chunks;
        const double worth = double(n * systems) / (threads * (rows + Tuning::exchange_rows));
        if (worth <= best_worth) continue;
        best_worth = worth;
        best = {rows, chunks, systems, threads, true};
    }
    return best;
}

// Whether the kernels of gtsv_unpivoted.hpp are faster; not measured in complex float. FLAT, they copy whole 16-byte
// lines where a warp has several systems that do not follow each other, leave fewer lanes idle, and have more blocks
// where a system needs all warps of one. Interleaved, they are faster where blocks below would be alone on a
// multiprocessor.
template <class T>
bool is_faster_by_lanes(int64_t n, bool flat, bool is_run) {
    constexpr bool is_real = sizeof(T) == sizeof(Real<T>);
    constexpr int fewest_rows = 5, long_rows = is_real ? 1100 : 300;
    if (!is_real && sizeof(T) == 8) return false;
    if (!flat) return sizeof(T) == 4 ? n > 160 : sizeof(T) == 16 && n > 192;
    if (n < fewest_rows || n > long_rows) return is_real && n > long_rows;
    const BlockChoice block = choose_flat<T>(n);
    const bool shares_warps = block.systems > (block.chunks <= 32 ? block.threads / 32 : 1);
    const bool is_idle = n * block.systems * 5 < int64_t(block.rows) * block.threads * 3;
    return is_idle || (shares_warps && !is_run);
}

// Interleaved systems: at least a memory line of them in a block, if the batch has as many.
template <class T>
BlockChoice choose_lanes(int64_t n, int64_t batch) {
    using Tuning = PschemeTuning<T>;
    using Cluster = ClusterTuning<T>;
    int systems = systems_of_line<T>(batch);
    int rows = Tuning::lane_rows;
    while (rows > 4 && n <= rows / 2) rows /= 2;
    if (n <= int64_t(rows) * (Tuning::most_threads(rows) / systems)) {
        const bool is_one_part = n <= int64_t(Cluster::lane_rows) * (Cluster::threads / systems);
        const int chunks = ceil_div(n, rows);
        while (chunks * systems < 2 * Tuning::block_threads && systems < batch) systems *= 2;
        const int threads = round_up(chunks * systems, 32);
        return {rows, chunks, systems, threads, true, threads <= Cluster::most_lanes_threads || is_one_part};
    }
    // Half a line of systems with the most rows per thread is still faster than reading all rows twice.
    rows = Tuning::most_rows, systems = std::max(1, systems / 2);
    if (n > int64_t(rows) * (Tuning::most_threads(rows) / systems)) return {};
    const int chunks = ceil_div(n, rows);
    return {rows, chunks, systems, round_up(chunks * systems, 32), true, false};
}

// Blocks that are faster than those and than clusters, for the P-scheme of at least two lines of systems: rows per
// thread, halves of a memory line of systems, and the number of threads that they may need. In the order of preference,
// measured on an H100: two lines are faster where systems do not begin at lines, and one block a multiprocessor where
// it has nearly all registers.
struct LaneShape {
    int rows, half_lines, fewest_threads, most_threads;
};
constexpr LaneShape shapes_of_4_bytes[] = {{16, 4, 0, 320}, {16, 2, 0, 512}, {16, 1, 0, 320}, {16, 1, 400, 480}};
constexpr LaneShape shapes_of_8_bytes[] = {{8, 8, 0, 448}, {8, 4, 0, 480}, {16, 4, 0, 384}, {8, 2, 0, 512}};
constexpr LaneShape shapes_of_16_bytes[] = {{4, 4, 0, 144}, {8, 4, 0, 192}, {8, 2, 0, 192}};

template <class T>
BlockChoice choose_lane_shape(int64_t n, int64_t batch) {
    constexpr int short_rows = 16, line = PschemeTuning<T>::line_systems;
    const auto choose_among = [&](const auto &shapes) {
        for (const LaneShape &shape : shapes) {
            const int64_t chunks = (n - 1) / shape.rows + 1;
            int systems = line * shape.half_lines / 2;
            while (systems > 2 * line && systems > batch) systems /= 2;
            const int64_t threads = chunks * systems;
            if (threads >= shape.fewest_threads && threads <= shape.most_threads)
                return BlockChoice{shape.rows, int(chunks), systems, round_up(int(threads), 32), true};
        }
        return choose_lanes<T>(n, batch);
    };
    constexpr bool is_measured = sizeof(T) == sizeof(Real<T>) || sizeof(T) == 16;  // not in complex float
    if (n <= short_rows || batch < 2 * line || !is_measured) return choose_lanes<T>(n, batch);
    if constexpr (sizeof(T) == 4) return choose_among(shapes_of_4_bytes);
    if constexpr (sizeof(T) == 8) return choose_among(shapes_of_8_bytes);
    return choose_among(shapes_of_16_bytes);
}

struct ClusterChoice {
    int parts;    // blocks of a cluster
    int chunks;   // threads per system and block
    int systems;  // per cluster
    bool fits;    // false: a system is too long
};

// Threads of each block of a cluster. If not FLAT, those without rows are left out: more blocks have registers.
template <class T>
int cluster_threads(const ClusterChoice &c, bool flat) {
    return flat ? ClusterTuning<T>::threads : round_up(c.chunks * c.systems, 32);
}

// The share of a cluster's threads and registers that rows use, reduced by what was measured on an H200: the exchange
// among many parts, memory lines that are read by halves, and blocks that are too small or too large take time.
template <class T>
double worth_of_cluster(const ClusterChoice &c, int64_t n, int rows, bool flat, int line) {
    const int threads = cluster_threads<T>(c, flat);
    double worth = double(n * c.systems) / (double(rows) * threads * c.parts) / (1 + 0.045 * c.parts);
    if (c.parts > 5) worth *= c.parts == 8 ? 0.9 : 0.85;
    if (c.systems < line) worth *= 0.75;
    if (threads < 64) worth *= 0.65;
    if (threads > 160) worth *= 0.9;
    return worth;
}

// For systems that do not fit a block, or need a multiprocessor for one block, or of which only half a memory line
// fits. Threads have `rows` rows; a cluster has two lines of systems, one, or half of one, and at least two blocks.
template <class T>
ClusterChoice choose_cluster(const BlockChoice &block, int64_t n, int64_t batch, bool flat, int rows) {
    using Tuning = ClusterTuning<T>;
    constexpr int alignment = sizeof(T) < 16 ? 16 / int(sizeof(T)) : 1;  // of the first row of a part, for bulk copies
    const int line = flat ? 1 : systems_of_line<T>(batch);
    const bool is_small = block.threads <= Tuning::threads || n <= int64_t(rows) * Tuning::threads;
    if (block.fits && (flat ? is_small : block.is_fast)) return {};
    ClusterChoice best{};
    double best_worth = 0;
    for (int systems = flat || 2 * line > batch ? line : 2 * line; systems > 0 && systems >= line / 2; systems /= 2)
        for (int pieces = 2; pieces <= Tuning::most_parts; ++pieces) {
            const int chunks = round_up(ceil_div(n, int64_t(rows) * pieces), flat ? alignment : 1);
            if (chunks * systems > Tuning::threads) continue;
            const ClusterChoice choice = {ceil_div(n, int64_t(rows) * chunks), chunks, systems, true};
            const double worth = worth_of_cluster<T>(choice, n, rows, flat, line);
            if (worth > best_worth) best = choice, best_worth = worth;
        }
    return best;
}

}  // namespace xbatch::tridiagonal
