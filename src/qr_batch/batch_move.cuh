// batch_move.cuh: how matrices of a batch go between memory and the areas of a block's tiles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/cluster.cuh"
#include "register_tile.cuh"

namespace xbatch {

// A batched matrix as a kernel gets it
template <class T>
struct DeviceMatrices {
    T *data;
    MatrixPlacement at;
    bool conjugates;     // what is met is the conjugate of what lies in memory
    bool moves_sixteen;  // columns begin at multiples of 16 bytes, and so do matrices
};

template <class T>
DeviceMatrices<T> device_matrices(const void *data, const MatrixPlacement &at, bool conjugates) {
    const auto even = [](int64_t elements) { return elements * int64_t(sizeof(T)) % 16 == 0; };
    const bool sixteen = at.layout == XBATCH_LAYOUT_FLAT && at.row == 1 && even(at.column) && even(at.stride) &&
                         reinterpret_cast<uintptr_t>(data) % 16 == 0;
    const bool is_complex = sizeof(T) > sizeof(Real<T>);
    return {const_cast<T *>(static_cast<const T *>(data)), at, conjugates && is_complex, sixteen};
}

// Quotients of numbers below 2^21 by d < 2^11
class Divisor {
public:
    __device__ explicit Divisor(unsigned d) : d_(d), inverse_(0xffffffffu / d + 1) {}
    __device__ unsigned quotient(unsigned x) const { return d_ == 1 ? x : __umulhi(x, inverse_); }

private:
    unsigned d_, inverse_;
};

// Some threads, and which one this is
struct Team {
    int rank, size;
};

// f(row, column, matrix, offset in memory) for rows x columns of each of `count` matrices from j0 on, threads beside
// each other where elements are. Rows go in steps of `together`.
template <class T, class F>
__device__ void each_element(Team team, const DeviceMatrices<T> &m, int rows, int first_column, int columns, int64_t j0,
                             int count, int together, F f) {
    const bool by_matrix = m.at.layout != XBATCH_LAYOUT_FLAT, by_row = !by_matrix && m.at.row == 1;
    const int runs = rows / together;
    const int fast = by_matrix ? count : by_row ? runs : columns;
    const int middle = by_matrix || !by_row ? runs : columns;
    const int slow = by_matrix ? columns : count;
    if (fast == 0 || middle == 0) return;
    const Divisor by_fast{unsigned(fast)}, by_middle{unsigned(middle)};
    const bool by_block = m.at.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED;
    const int64_t origin = m.at.base(j0) + first_column * m.at.column, step = by_matrix ? 1 : m.at.stride;
    for (int k = team.rank; k < fast * middle * slow; k += team.size) {
        const int rest = int(by_fast.quotient(unsigned(k))), x = k - rest * fast;
        const int z = int(by_middle.quotient(unsigned(rest))), y = rest - z * middle;
        const int i = (by_matrix || !by_row ? y : x) * together,
                  c = by_matrix ? z
                      : by_row  ? y
                                : x,
                  q = by_matrix ? x : z;
        const int64_t begin = by_block ? m.at.base(j0 + q) + first_column * m.at.column : origin + q * step;
        f(i, c, q, begin + i * m.at.row + c * m.at.column);
    }
}

// Areas of matrices beside each other: `count` of them exist, from j0 on. `team` moves them.
template <class T, class K>
struct BlockArea {
    using Area = TileArea<T, K>;
    TileLayout layout;
    T *first;
    int64_t j0;
    int count;
    Team team;

    __device__ T *at(int row, int column, int matrix) const {
        return first + matrix * Area::size(layout) + Area::place(layout, row, column);
    }

    // Queued or done; wait_for_copies and a barrier behind it. `to` is a column of the area.
    __device__ void bring(const DeviceMatrices<T> &m, int rows, int first_column, int columns, int to) const {
        const bool sixteen = K::ALONE && m.moves_sixteen && rows % Area::chunk == 0 && !m.conjugates;
        if (sixteen) {
            each_element(team, m, rows, first_column, columns, j0, count, Area::chunk,
                         [&](int i, int c, int q, int64_t from) {
                             copy_async<T, Area::chunk, 0>(true, shared_address(at(i, to + c, q)), m.data + from);
                         });
        } else {
            each_element(team, m, rows, first_column, columns, j0, count, 1, [&](int i, int c, int q, int64_t from) {
                if (m.conjugates)
                    *at(i, to + c, q) = conjugate(m.data[from]);
                else
                    copy_async<T, 1, 0>(true, shared_address(at(i, to + c, q)), m.data + from);
            });
        }
    }
    __device__ void take(const DeviceMatrices<T> &m, int rows, int first_column, int columns, int from) const {
        const bool sixteen = K::ALONE && m.moves_sixteen && rows % Area::chunk == 0 && !m.conjugates;
        if (sixteen) {
            each_element(team, m, rows, first_column, columns, j0, count, Area::chunk,
                         [&](int i, int c, int q, int64_t to) {
                             *reinterpret_cast<Sixteen<T> *>(m.data + to) =
                                 *reinterpret_cast<const Sixteen<T> *>(at(i, from + c, q));
                         });
        } else {
            each_element(team, m, rows, first_column, columns, j0, count, 1, [&](int i, int c, int q, int64_t to) {
                const T x = *at(i, from + c, q);
                m.data[to] = m.conjugates ? conjugate(x) : x;
            });
        }
    }
    // Vectors first … first+columns-1 to the area's first columns, with their ones, and zeros down to its last row; a
    // barrier behind it.
    __device__ void bring_vectors(const DeviceMatrices<T> &m, int rows, int first_column, int columns) const {
        const int all_rows = K::R * layout.groups;
        each_element(team, m, all_rows, first_column, columns, j0, count, 1, [&](int i, int c, int q, int64_t from) {
            const int pivot = first_column + c;
            *at(i, c, q) = i > pivot && i < rows ? m.data[from] : T(Real<T>(i == pivot ? 1 : 0));
        });
    }
};

}  // namespace xbatch
