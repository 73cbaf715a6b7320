// tile_products_host.hpp: products of small matrices in a thread's buffers, and the block reflectors built from them.
//
// Buffers hold columns of reals: column j begins at at[j*ld]; for complex types the imaginary parts follow, im elements
// after the real ones. The left factor of a product is packed in blocks of 32 rows, column by column within a block.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstring>

#include "core/scalar.hpp"
#include "tile_view.hpp"
#include "vector_shape.hpp"

namespace xbatch::qr {

constexpr int64_t packed_rows = 32;
constexpr int64_t group_columns = 48;  // of the right factor at a time; a multiple of every Isa::columns
constexpr int64_t whole_blocks(int64_t rows) { return (rows + packed_rows - 1) / packed_rows * packed_rows; }

template <class T>
constexpr bool is_complex = !std::is_same_v<T, Real<T>>;
template <class T>
constexpr int64_t parts = is_complex<T> ? 2 : 1;  // reals of an element

// An instruction set: the bytes of a vector, and the number of vector registers used for sums
template <int bytes, int sums>
struct Isa {
    static constexpr int vector_bytes = bytes;
    template <class T>
    static constexpr int lanes = bytes / int(sizeof(Real<T>));
    // the size of a block of sums: vectors of rows, and columns
    template <class T>
    static constexpr int vectors = std::min<int>((sums >= 24 ? 4 : 2) / int(parts<T>), int(packed_rows) / lanes<T>);
    template <class T>
    static constexpr int columns = sums / (vectors<T> * int(parts<T>));
};

template <class R>
struct Columns {
    R *at;
    int64_t ld, im;

    Columns from(int64_t row, int64_t column) const { return {at + column * ld + row, ld, im}; }
};

// Columns of a buffer for `rows` rows, with room for whole blocks starting at any row
template <class T>
int64_t column_reals(int64_t rows) {
    return (whole_blocks(rows) + packed_rows + 8) * parts<T>;
}
template <class T>
Columns<Real<T>> columns_at(Real<T> *at, int64_t rows) {
    return {at, column_reals<T>(rows), column_reals<T>(rows) / parts<T>};
}
template <class T>
T get(const Columns<Real<T>> &c, int64_t row, int64_t column) {
    const Real<T> *x = c.at + column * c.ld + row;
    if constexpr (is_complex<T>)
        return T(x[0], x[c.im]);
    else
        return *x;
}
template <class T>
void put(const Columns<Real<T>> &c, int64_t row, int64_t column, T value) {
    Real<T> *x = c.at + column * c.ld + row;
    if constexpr (is_complex<T>)
        x[0] = value.re, x[c.im] = value.im;
    else
        *x = value;
}

template <class T>
void load(const View<T> &from, int64_t rows, int64_t columns, const Columns<Real<T>> &to) {
    if (from.is_transposed) {
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t c = 0; c < columns; ++c) put<T>(to, r, c, conjugate(from.at[r * from.ld + c]));
    } else {
        for (int64_t c = 0; c < columns; ++c)
            for (int64_t r = 0; r < rows; ++r) put<T>(to, r, c, from.at[c * from.ld + r]);
    }
}
template <class T>
void store(const Columns<Real<T>> &from, int64_t rows, int64_t columns, const View<T> &to) {
    if (to.is_transposed) {
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t c = 0; c < columns; ++c) to.at[r * to.ld + c] = conjugate(get<T>(from, r, c));
    } else {
        for (int64_t c = 0; c < columns; ++c)
            for (int64_t r = 0; r < rows; ++r) to.at[c * to.ld + r] = get<T>(from, r, c);
    }
}

// One block of sums: C = A B, or C += A B; A is packed, its rows from `a` on.
template <class T, class I>
inline void multiply_block(int64_t depth, const Real<T> *a, const Columns<Real<T>> &b, const Columns<Real<T>> &c,
                           bool is_added) {
    using R = Real<T>;
    typedef R Vector __attribute__((vector_size(I::vector_bytes), aligned(sizeof(R)), may_alias));
    constexpr int vectors = I::template vectors<T>, columns = I::template columns<T>, lanes = I::template lanes<T>;
    constexpr int P = int(parts<T>);
    Vector sum[columns][vectors][P];
    for (int j = 0; j < columns; ++j)
        for (int v = 0; v < vectors; ++v)
            for (int p = 0; p < P; ++p) {
                const R *at = c.at + j * c.ld + p * c.im + v * lanes;
                sum[j][v][p] = is_added ? *reinterpret_cast<const Vector *>(at) : Vector{};
            }
    for (int64_t k = 0; k < depth; ++k, a += packed_rows * P) {
        Vector left[vectors][P];
        for (int v = 0; v < vectors; ++v)
            for (int p = 0; p < P; ++p) left[v][p] = *reinterpret_cast<const Vector *>(a + p * packed_rows + v * lanes);
#pragma GCC unroll 12
        for (int j = 0; j < columns; ++j) {
            const R re = b.at[j * b.ld + k];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                sum[j][v][0] += left[v][0] * re;
                if constexpr (P == 2) {
                    const R im = b.at[j * b.ld + b.im + k];
                    sum[j][v][1] += left[v][1] * re;
                    sum[j][v][0] -= left[v][1] * im;
                    sum[j][v][1] += left[v][0] * im;
                }
            }
        }
    }
    for (int j = 0; j < columns; ++j)
        for (int v = 0; v < vectors; ++v)
            for (int p = 0; p < P; ++p)
                *reinterpret_cast<Vector *>(c.at + j * c.ld + p * c.im + v * lanes) = sum[j][v][p];
}

// C = A B or C += A B, C in whole blocks of rows and of sums
template <class T, class I>
inline void multiply(int64_t rows, int64_t columns, int64_t depth, const Real<T> *a, const Columns<Real<T>> &b,
                     const Columns<Real<T>> &c, bool is_added) {
    constexpr int64_t step = I::template vectors<T> * I::template lanes<T>, width = I::template columns<T>;
    for (int64_t block = 0; block < rows; block += packed_rows, a += packed_rows * depth * parts<T>)
        for (int64_t j = 0; j < columns; j += width)
            for (int64_t r = 0; r < packed_rows; r += step)
                multiply_block<T, I>(depth, a + r, b.from(0, j), c.from(block + r, j), is_added);
}

// A block reflector I - V T V^H, packed for both products: V^H and V as left factors, and -op(T).
template <class T>
struct PackedBlock {
    Real<T> *adjoint, *vectors, *triangle;
    VectorRows at;
    int64_t s, width;
};
template <class T>
PackedBlock<T> packed_block(Real<T> *buffer, Shape shape, int64_t rows, int64_t s, int64_t width) {
    const VectorRows at = vector_rows(shape, rows, s, width);
    Real<T> *vectors = buffer + parts<T> * whole_blocks(width) * at.rows;
    return {buffer, vectors, vectors + parts<T> * whole_blocks(at.rows) * width, at, s, width};
}
template <class T>
int64_t packed_block_reals(int64_t rows, int64_t width) {
    const int64_t w = whole_blocks(width);
    return parts<T> * (w * rows + whole_blocks(rows) * width + w * width);
}

// Where the vectors of a tile are packed from: the user's memory, or a thread's buffer
template <class T>
struct TileVectors {
    const T *at;
    int64_t ld;

    void copy(int64_t row, int64_t count, int64_t column, Real<T> *to) const {
        const T *from = at + column * ld + row;
        for (int64_t r = 0; r < count; ++r) {
            if constexpr (is_complex<T>)
                to[r] = from[r].re, to[packed_rows + r] = from[r].im;
            else
                to[r] = from[r];
        }
    }
};
template <class T>
struct BufferVectors {
    Columns<Real<T>> at;

    void copy(int64_t row, int64_t count, int64_t column, Real<T> *to) const {
        const Real<T> *from = at.at + column * at.ld + row;
        for (int64_t p = 0; p < parts<T>; ++p)
            for (int64_t r = 0; r < count; ++r) to[p * packed_rows + r] = from[p * at.im + r];
    }
};

// Rows [row, row + 32) of vector `column`, including the zeros and the one of its shape. Elements outside the vector
// are not read: another thread may be writing them.
template <class T, class Vectors>
void pack_rows(const Vectors &vectors, Shape shape, VectorRows at, int64_t row, int64_t column, Real<T> *to) {
    const int64_t diagonal = column - at.first - row, count = std::min(packed_rows, at.rows - row);
    int64_t from = 0, end = count;
    if (shape == Shape::trapezoid) from = std::clamp<int64_t>(diagonal + 1, 0, count);
    if (shape == Shape::triangle) end = std::clamp<int64_t>(diagonal + 1, 0, count);
    for (int64_t p = 0; p < parts<T>; ++p) {
        std::fill_n(to + p * packed_rows, from, Real<T>(0));
        std::fill(to + p * packed_rows + end, to + (p + 1) * packed_rows, Real<T>(0));
    }
    vectors.copy(at.first + row + from, end - from, column, to + from);
    if (shape == Shape::trapezoid && diagonal >= 0 && diagonal < count) to[diagonal] = 1;
}

// The conjugate transpose of a block of 32 rows and `width` columns of packed vectors
template <class T>
void pack_adjoint(const Real<T> *vectors, int64_t rows, int64_t width, int64_t depth, Real<T> *adjoint) {
    constexpr int64_t P = parts<T>;
    for (int64_t first = 0; first < width; first += packed_rows, adjoint += depth * packed_rows * P)
        for (int64_t r = 0; r < rows; ++r) {
            Real<T> *to = adjoint + r * packed_rows * P;
            const int64_t count = std::min(packed_rows, width - first);
            for (int64_t p = 0; p < P; ++p) {
                const Real<T> *from = vectors + (first * P + p) * packed_rows + r;
                const Real<T> sign = p == 1 ? -1 : 1;
                for (int64_t c = 0; c < count; ++c) to[p * packed_rows + c] = sign * from[c * packed_rows * P];
                for (int64_t c = count; c < packed_rows; ++c) to[p * packed_rows + c] = 0;
            }
        }
}

// Vectors s … s+width-1 of a tile, and their T, a matrix with `ld` rows
template <class T, class Vectors>
void pack_block(const PackedBlock<T> &block, const Vectors &vectors, Shape shape, const T *triangle, int64_t ld,
                bool is_adjoint) {
    constexpr int64_t P = parts<T>;
    const VectorRows at = block.at;
    const int64_t s = block.s, width = block.width, whole_width = whole_blocks(width);
    for (int64_t row = 0; row < at.rows; row += packed_rows) {
        Real<T> *panel = block.vectors + row * width * P;
        for (int64_t c = 0; c < width; ++c) pack_rows<T>(vectors, shape, at, row, s + c, panel + c * packed_rows * P);
        pack_adjoint<T>(panel, std::min(packed_rows, at.rows - row), width, at.rows,
                        block.adjoint + row * packed_rows * P);
    }
    for (int64_t c = 0; c < width; ++c)
        for (int64_t r = 0; r < whole_width; ++r) {
            const bool is_inside = r < width && (is_adjoint ? c <= r : r <= c);
            const T x = !is_inside ? T(0) : is_adjoint ? -conjugate(triangle[r * ld + c]) : -triangle[c * ld + r];
            Real<T> *to = block.triangle + (r / packed_rows * width + c) * packed_rows * P + r % packed_rows;
            if constexpr (is_complex<T>)
                to[0] = x.re, to[packed_rows] = x.im;
            else
                to[0] = x;
        }
}

// [C1; C2] -= V op(T) V^H [C1; C2]. C1 multiplies the identity above V; it is absent for a trapezoid.
// W = C1 + V^H C2, W <- -op(T) W, C1 += W, C2 += V W.
template <class T, class I>
inline void apply_block(const PackedBlock<T> &block, const Columns<Real<T>> *top, const Columns<Real<T>> &below,
                        int64_t columns, const Columns<Real<T>> &w, const Columns<Real<T>> &product) {
    using R = Real<T>;
    const int64_t width = whole_blocks(block.width);
    if (top)
        for (int64_t j = 0; j < columns; ++j)
            for (int64_t p = 0; p < parts<T>; ++p)
                std::memcpy(w.at + j * w.ld + p * w.im, top->at + j * top->ld + p * top->im + block.s,
                            size_t(width) * sizeof(R));
    multiply<T, I>(width, columns, block.at.rows, block.adjoint, below.from(block.at.first, 0), w, top != nullptr);
    multiply<T, I>(width, columns, block.width, block.triangle, w, product, false);
    if (top)
        for (int64_t j = 0; j < columns; ++j)
            for (int64_t p = 0; p < parts<T>; ++p) {
                R *to = top->at + j * top->ld + p * top->im + block.s;
                const R *from = product.at + j * product.ld + p * product.im;
                for (int64_t r = 0; r < block.width; ++r) to[r] += from[r];
            }
    multiply<T, I>(block.at.rows, columns, block.width, block.vectors, product, below.from(block.at.first, 0), true);
}

}  // namespace xbatch::qr
