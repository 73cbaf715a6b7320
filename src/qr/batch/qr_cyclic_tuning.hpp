// qr_cyclic_tuning.hpp: how lanes factor small matrices that registers hold (factor_cyclic.cuh), by their size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "core/layout.hpp"
#include "core/scalar.hpp"

namespace xbatch::qr {

// Lanes that share a column, lanes that share a row, rows and columns of a lane, and warps for which a multiprocessor
// has registers
struct CyclicShape {
    int down, across, rows, columns, warps;

    XBATCH_HD constexpr int lanes() const { return down * across; }   // of a matrix
    XBATCH_HD constexpr int of_warp() const { return 32 / lanes(); }  // matrices
    // Lanes from one of a matrix to the next: adjacent ones have adjacent matrices if these are many, which spreads
    // accesses over the banks.
    XBATCH_HD constexpr int apart() const { return of_warp() > 4 ? of_warp() : 1; }
    XBATCH_HD constexpr int most_rows() const { return down * rows; }
    XBATCH_HD constexpr int most_columns() const { return across * columns; }
    XBATCH_HD constexpr bool holds(int64_t m, int64_t n) const { return m <= most_rows() && n <= most_columns(); }
    // The number of finished rows that lanes do not pass over, so that a matrix with as many columns less skips the
    // first stages whatever its rows are. Those of 24 x 8 and 40 x 10, which are tried first, pass over more.
    XBATCH_HD constexpr int slack() const {
        if (most_rows() < 2 * most_columns()) return 0;
        return down == 4 && across == 2 && (rows == 6 || rows == 10) ? 0 : most_columns();
    }
    // The places of the first column and row of an m x n matrix in the lanes
    constexpr int first_column(int m, int n) const { return std::min(most_rows() - m + slack(), most_columns() - n); }
    constexpr int first_row(int m, int n) const { return std::max(first_column(m, n) - slack(), 0); }
};

// Copies that a kernel has code for
enum class CyclicCopies { any, boxes, others };
// Whether boxes have kernels of their own, where code for both costs 2 to 6 %. Others gain 1 or 2 % by that code, or
// nothing.
template <class T>
constexpr bool has_kernel_for_boxes(CyclicShape s) {
    constexpr bool is_real = sizeof(T) == sizeof(Real<T>), is_float = sizeof(T) == 4;
    return is_real && s.most_rows() * s.most_columns() <= (is_float ? 24 * 24 : 28 * 28) &&
           (is_float || s.lanes() >= 8);
}

// The number of a lane's matrix in the warp, and of the lane in the matrix
XBATCH_HD constexpr int matrix_of_lane(int lane, int lanes, int apart) {
    return apart > 1 ? lane % apart : lane / lanes;
}
XBATCH_HD constexpr int lane_of_matrix(int lane, int lanes, int apart) {
    return apart > 1 ? lane / apart : lane % lanes;
}

// Shapes in the order in which they are tried, from measurements on an H200
template <class T>
constexpr std::array<CyclicShape, 0> cyclic_shapes = {};
template <>
inline constexpr std::array cyclic_shapes<float> = {
    CyclicShape{1, 1, 4, 4, 32},   CyclicShape{1, 1, 8, 8, 20},   CyclicShape{2, 1, 6, 12, 16},
    CyclicShape{2, 2, 9, 9, 16},   CyclicShape{4, 2, 6, 4, 28},   CyclicShape{4, 2, 8, 4, 24},
    CyclicShape{4, 2, 6, 6, 20},   CyclicShape{4, 2, 10, 5, 20},  CyclicShape{8, 2, 8, 4, 20},
    CyclicShape{8, 2, 10, 4, 20},  CyclicShape{8, 4, 16, 2, 24},  CyclicShape{8, 2, 6, 6, 20},
    CyclicShape{4, 4, 6, 4, 28},   CyclicShape{8, 2, 6, 8, 16},   CyclicShape{4, 4, 16, 4, 16},
    CyclicShape{8, 4, 10, 3, 24},  CyclicShape{8, 4, 16, 3, 20},  CyclicShape{16, 2, 10, 5, 20},
    CyclicShape{16, 2, 14, 6, 16}, CyclicShape{8, 4, 10, 4, 20},  CyclicShape{2, 4, 10, 5, 20},
    CyclicShape{2, 4, 12, 6, 16},  CyclicShape{2, 4, 14, 7, 12},  CyclicShape{2, 4, 16, 8, 12},
    CyclicShape{4, 4, 10, 6, 16},  CyclicShape{4, 4, 10, 10, 12}, CyclicShape{8, 4, 10, 6, 16},
    CyclicShape{8, 4, 13, 6, 16},  CyclicShape{8, 4, 16, 5, 16},
};
template <>
inline constexpr std::array cyclic_shapes<double> = {
    CyclicShape{1, 1, 4, 4, 24},   CyclicShape{1, 1, 8, 8, 12},  CyclicShape{2, 2, 6, 6, 16},
    CyclicShape{2, 2, 7, 7, 12},   CyclicShape{2, 2, 8, 8, 8},   CyclicShape{2, 2, 9, 9, 8},
    CyclicShape{4, 2, 6, 4, 16},   CyclicShape{4, 2, 8, 4, 16},  CyclicShape{4, 2, 6, 6, 12},
    CyclicShape{4, 2, 10, 5, 12},  CyclicShape{8, 2, 6, 4, 16},  CyclicShape{8, 2, 8, 4, 16},
    CyclicShape{8, 2, 10, 4, 12},  CyclicShape{8, 4, 16, 2, 16}, CyclicShape{8, 2, 5, 6, 16},
    CyclicShape{8, 2, 6, 6, 12},   CyclicShape{4, 4, 6, 4, 16},  CyclicShape{8, 2, 5, 8, 12},
    CyclicShape{8, 4, 8, 4, 16},   CyclicShape{8, 4, 10, 3, 16}, CyclicShape{8, 4, 16, 3, 12},
    CyclicShape{16, 2, 10, 5, 12}, CyclicShape{16, 2, 13, 6, 8}, CyclicShape{8, 4, 10, 4, 12},
    CyclicShape{8, 4, 16, 4, 8},   CyclicShape{2, 4, 10, 5, 12}, CyclicShape{4, 2, 6, 12, 8},
    CyclicShape{4, 4, 7, 7, 12},   CyclicShape{4, 4, 8, 8, 12},  CyclicShape{4, 4, 10, 6, 8},
    CyclicShape{4, 4, 9, 9, 8},    CyclicShape{4, 8, 10, 5, 12},
};

template <>
inline constexpr std::array cyclic_shapes<Complex<float>> = {
    CyclicShape{2, 2, 4, 4, 16},  CyclicShape{2, 2, 6, 6, 12}, CyclicShape{2, 4, 8, 4, 16},
    CyclicShape{2, 2, 9, 9, 8},   CyclicShape{4, 2, 6, 4, 16}, CyclicShape{2, 4, 10, 5, 12},
    CyclicShape{4, 2, 10, 5, 12}, CyclicShape{4, 4, 6, 6, 16}, CyclicShape{4, 4, 7, 7, 12},
    CyclicShape{8, 4, 8, 4, 16},  CyclicShape{4, 4, 9, 9, 8},  CyclicShape{4, 8, 10, 5, 12},
    CyclicShape{16, 2, 13, 5, 8}, CyclicShape{8, 4, 13, 5, 8},
};
template <>
inline constexpr std::array cyclic_shapes<Complex<double>> = {
    CyclicShape{2, 2, 4, 4, 12}, CyclicShape{2, 2, 6, 6, 8},  CyclicShape{2, 4, 8, 4, 8}, CyclicShape{4, 2, 6, 4, 12},
    CyclicShape{4, 4, 5, 5, 12}, CyclicShape{8, 2, 5, 5, 12}, CyclicShape{4, 4, 6, 6, 8}, CyclicShape{4, 8, 8, 4, 8},
    CyclicShape{8, 4, 8, 4, 8},  CyclicShape{4, 8, 9, 5, 8},
};

// How m x n matrices lie in registers and, in elements, in shared memory, and how they are copied: those without gaps
// in global memory as one range; flat ones with columns of whole chunks of 16 bytes by chunks. The distances of others
// are odd, which spreads them over the banks.
struct CyclicPlaces {
    int m, n;
    int down, across, end;  // places of the first row and column in the lanes, and of the end of the last step
    int ld, matrix;         // distances between columns, between matrices
    int each, head;         // elements of a matrix; bytes before the first one
    bool by_boxes = false;  // in shared memory, too, matrices are interleaved
    bool is_contiguous = false, by_bulk = false, has_chunks = false;
    bool is_shifted = false;  // contiguous, and begin within a chunk, but have gaps
    int gap = 0;              // after each matrix, or column, of contiguous matrices that are whole chunks
    unsigned of_each = 0;     // 2^22 / the number of its chunks, rounded up
    int copy_lanes = 1;       // that share a column, if others are copied
};
// The number of the matrix or column that has a chunk, of those of a warp
XBATCH_HD constexpr int chunk_quotient(int number, unsigned of_each) { return int(unsigned(number) * of_each >> 22); }
// Lanes that access one bank at once, at most
template <class T>
int bank_conflicts(CyclicShape s, int ld, int matrix) {
    constexpr int banks = 128 / int(sizeof(T)), at_once = banks;
    int lanes[banks] = {}, most = 0;
    for (int lane = 0; lane < at_once; ++lane) {
        const int q = matrix_of_lane(lane, s.lanes(), s.apart()), own = lane_of_matrix(lane, s.lanes(), s.apart());
        most = std::max(most, ++lanes[(q * matrix + own % s.down + own / s.down * ld) % banks]);
    }
    return most;
}
// Lanes that copy a column of some units together: of which the fewest have none, at least eight if there are as many
constexpr int cyclic_copy_lanes(CyclicShape s, int units) {
    int best = 32;
    for (int lanes = 16; lanes >= s.lanes() && (lanes >= 8 || 2 * lanes > units); lanes /= 2)
        if ((units + lanes - 1) / lanes * lanes < (units + best - 1) / best * best) best = lanes;
    return best;
}
// Gap between matrices of whole chunks for the fewest conflicts; 0 unless more than `least` lanes access one bank
template <class T>
int cyclic_gap(CyclicShape s, int m, int all, int least) {
    constexpr int chunk = 16 / int(sizeof(T)), most_gap = 4 * chunk;
    int best = 0;
    if (bank_conflicts<T>(s, m, all) <= least) return best;
    for (int gap = chunk; gap <= most_gap; gap += chunk)
        if (bank_conflicts<T>(s, m, all + gap) < bank_conflicts<T>(s, m, all + best)) best = gap;
    return best;
}
// Flat matrices, which follow each other, have gaps between matrices or columns, or addresses of their own
enum class FlatPlaces { none, contiguous, with_gaps, apart };
// is_aligned: whether the first one begins at a multiple of 16 bytes
template <class T>
CyclicPlaces cyclic_places(CyclicShape s, int m, int n, FlatPlaces flat, bool is_aligned) {
    constexpr int chunk = 16 / int(sizeof(T));
    const int all = m * n, across = s.first_column(m, n), down = s.first_row(m, n);
    const int most_steps = sizeof(T) > sizeof(Real<T>) ? m : m - 1;
    const bool is_contiguous = flat == FlatPlaces::contiguous, are_whole = all % chunk == 0;
    const bool is_each = flat == FlatPlaces::apart && are_whole;
    // Whether all columns of a matrix would begin in the same banks. All but doubles are faster by TMA nevertheless.
    const bool is_aliased =
        std::is_same_v<T, double> && s.of_warp() <= 2 && s.down < 8 && m * int(sizeof(T)) % 128 == 0;
    CyclicPlaces at{m, n, down, across, across + std::min(most_steps, n), m, all, all, 16};
    const auto inverse = [](int chunks) { return unsigned(((1 << 22) - 1) / chunks + 1); };
    at.is_contiguous = is_contiguous;
    at.has_chunks = is_contiguous ? are_whole : flat != FlatPlaces::none && m % chunk == 0;
    at.by_bulk = is_contiguous && (s.of_warp() <= 2 || std::min(m, n) > 18);
    if (is_aliased && at.has_chunks && (is_aligned || !is_contiguous)) {
        at.by_bulk = false;
        at.gap = chunk, at.ld = m + chunk, at.matrix = n * at.ld, at.of_each = inverse(m / chunk);
    } else if (is_contiguous && are_whole && !is_aligned) {
        // With gaps the elements of each matrix that are in no whole chunk are copied one by one. From five lanes a
        // bank on that is faster, by threads.
        at.gap = cyclic_gap<T>(s, m, all, 4), at.matrix = all + at.gap, at.is_shifted = at.gap > 0;
        if (at.is_shifted) at.by_bulk = false, at.of_each = inverse(std::max(all / chunk - 1, 1));
    } else if (at.has_chunks || is_each) {
        at.gap = cyclic_gap<T>(s, m, all, 1), at.matrix = all + at.gap, at.of_each = inverse(all / chunk);
        if (is_each) at.by_bulk = true;
    } else if (!is_contiguous) {
        at.ld = m | 1, at.matrix = n * at.ld | 1;
    }
    at.copy_lanes = cyclic_copy_lanes(s, at.has_chunks ? m / chunk : m);
    at.each = at.matrix;
    return at;
}
// Those of `matrices` interleaved ones that are copied as a box
template <class T>
CyclicPlaces boxed_places(CyclicShape s, int m, int n, int matrices) {
    CyclicPlaces at = cyclic_places<T>(s, m, n, FlatPlaces::none, false);
    at.by_boxes = true, at.ld = m * matrices, at.matrix = 1, at.each = m * n, at.head = 128;
    return at;
}
// Bytes of shared memory of a block of some warps: a barrier, matrices and tau. The first may begin within a chunk.
template <class T>
size_t cyclic_bytes(CyclicShape s, const CyclicPlaces &at, int warps) {
    const int all = at.each + std::min(at.m, at.n);
    return at.head + size_t(warps * s.of_warp() * all) * sizeof(T) + 16;
}
// Warps of a block whose interleaved matrices are copied as a box: they leave 128, 64 or 32 contiguous bytes of each
// row.
template <class T>
XBATCH_HD constexpr int cyclic_box_warps(CyclicShape s) {
    const int size = s.most_rows() * s.most_columns(), bytes = size <= 144 ? 128 : size <= 450 ? 64 : 32;
    const int own = s.of_warp() * int(sizeof(T));
    return own < bytes ? bytes / own : 1;
}
// Others have as many as they can, up to this number, where that makes more of interleaved memory contiguous.
constexpr int interleaved_cyclic_warps = 4;
template <class T>
XBATCH_HD constexpr int most_cyclic_warps(CyclicShape s) {
    return cyclic_box_warps<T>(s) > interleaved_cyclic_warps ? cyclic_box_warps<T>(s) : interleaved_cyclic_warps;
}
template <class T>
int cyclic_warps(CyclicShape s, const CyclicPlaces &at, bool is_flat, int shared_per_block) {
    int warps = is_flat ? 1 : interleaved_cyclic_warps;
    while (warps > 1 && cyclic_bytes<T>(s, at, warps) > size_t(shared_per_block)) warps /= 2;
    return warps;
}
// How matrices lie in memory: those that are boxes may be copied as such.
enum class CyclicOrder { flat, boxes, interleaved };
// Whether matrices of m rows are factored faster than by persistent blocks (H200), which keep doubles of more than 16
// rows, of interleaved ones only boxes of more than 28, and complex matrices that are flat of 8 rows or, of floats,
// interleaved without boxes.
template <class T>
XBATCH_HD constexpr bool outruns_persistent_blocks(CyclicOrder order, int64_t m) {
    constexpr bool is_complex = sizeof(T) > sizeof(Real<T>), is_double = !is_complex && sizeof(T) == 8;
    if (order == CyclicOrder::flat) return is_complex ? m > 8 : m <= 16 || !is_double;
    return order == CyclicOrder::boxes ? m <= 28 || !is_double : sizeof(T) != 8;
}

}  // namespace xbatch::qr
