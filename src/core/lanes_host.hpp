// lanes_host.hpp: how the host backend works on many sequences in SIMD lanes, and copies them to and from rows of
// lanes. A lane group, in identifiers a tile, is the sequences that a thread processes together.
//
// Compilers leave objects declared inside a SIMD loop in memory, not in registers: so row functions take scalars.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "instruction_set.hpp"
#include "scalar.hpp"
#include "team.hpp"

// For a function with SIMD loops: the compiler builds it, and all that it calls, for each instruction set; the loader
// selects the clone for the machine.
#ifdef XBATCH_HAS_CLONES
#define XBATCH_SIMD_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), flatten))
#else
#define XBATCH_SIMD_CLONES
#endif

namespace xbatch {

// Bytes of a row of a lane group. Long where rows are used in place, since every row lies on other pages; short where
// sequences are gathered, so that each is read in long stretches.
constexpr int adjacent_row_bytes = 2048, gathered_row_bytes = 128;
constexpr int stage_bytes = 8192;                       // of one array of a lane group at a time
constexpr int prefetch_bytes = 2 * adjacent_row_bytes;  // how far ahead of the arithmetic rows in memory are prefetched

// Largest number of lanes of a group, and of a group whose sequences are gathered
template <class T>
constexpr int max_lanes = adjacent_row_bytes / int(sizeof(T));
template <class T>
constexpr int gathered_lanes = gathered_row_bytes / int(sizeof(T));

// Number of lanes that suits an array with this layout
template <class T>
int64_t lanes_for(const Placement &at) {
    switch (at.layout) {
        case XBATCH_LAYOUT_FLAT: return gathered_lanes<T>;
        case XBATCH_LAYOUT_INTERLEAVED: return max_lanes<T>;
        default: return std::clamp<int64_t>(at.ld, gathered_lanes<T>, max_lanes<T>);
    }
}

// Number of rows that are gathered from memory at a time
template <class T>
int64_t stage_rows(int lanes) {
    return stage_bytes / int64_t(sizeof(T)) / lanes;
}

// Where the sequences of a lane group begin: element i of lane l is data[at[l] + i*step]. Lanes from number max_lanes
// on have no entry; then all are adjacent.
template <class T>
struct Lanes {
    int count;
    int64_t step;
    int64_t at[max_lanes<T>];

    // Whether rows can be used in place: the lanes are adjacent in memory.
    bool adjacent() const {
        for (int l = 1; l < std::min(count, max_lanes<T>); ++l)
            if (at[l] != at[0] + l) return false;
        return true;
    }
    // Whether all lanes are one sequence, as coefficients that systems share.
    bool same() const {
        for (int l = 1; l < std::min(count, max_lanes<T>); ++l)
            if (at[l] != at[0]) return false;
        return true;
    }
};

// Rows of adjacent lanes: element (k, l) is first[k*pitch + l].
template <class T>
struct Rows {
    T *first;
    int64_t pitch;
    T *row(int64_t k) const { return first + k * pitch; }
};

// Lanes that SIMD loops process at a time. Groups begin at multiples of it, so which lanes fall into a loop's remainder
// does not depend on the number of threads, and neither does any bit of a result.
template <class T>
constexpr int64_t simd_lanes = 64 / int64_t(sizeof(Real<T>));
template <class T>
constexpr int64_t whole_simd_lanes(int64_t lanes) {
    return (lanes + simd_lanes<T> - 1) / simd_lanes<T> * simd_lanes<T>;
}

// Divides a batch into lane groups of at most `lanes` systems; `lanes` is the batch or a result of whole_simd_lanes.
// Where adjacent systems are blocks that can fill a group, no group crosses a block boundary.
template <class T>
class Tiles {
public:
    Tiles(const Placement &at, int64_t batch, int64_t lanes)
        : batch_(batch),
          block_(has_blocks(at) && at.ld >= lanes ? at.ld : batch),
          per_block_((block_ + lanes - 1) / lanes),
          width_(whole_simd_lanes<T>((block_ + per_block_ - 1) / per_block_)) {}

    int64_t count() const { return (batch_ + block_ - 1) / block_ * per_block_; }
    int64_t begin(int64_t tile) const { return tile / per_block_ * block_ + tile % per_block_ * width_; }
    int lanes(int64_t tile) const {  // 0 for a group in the padding of the last block
        const int64_t end = std::min({begin(tile) + width_, (tile / per_block_ + 1) * block_, batch_});
        return int(std::max<int64_t>(end - begin(tile), 0));
    }

private:
    // Not by the number of lanes alone: it depends on that of threads.
    static bool has_blocks(const Placement &at) {
        const bool is_divided = at.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED || at.layout == strided_layout;
        return is_divided && at.ld >= gathered_lanes<T>;
    }

    int64_t batch_, block_, per_block_, width_;
};

// Systems j … j+count-1
template <class T>
Lanes<T> system_lanes(const Placement &p, int64_t j, int count, int64_t r) {
    Lanes<T> lanes;
    lanes.count = count, lanes.step = p.step;
    for (int l = 0; l < count; ++l) lanes.at[l] = p.base(j + l, r);
    return lanes;
}

inline void prefetch(const void *address, int64_t bytes) {
    for (int64_t offset = 0; offset < bytes; offset += 64)
        __builtin_prefetch(static_cast<const char *>(address) + offset);
}

// 16-byte vectors exist on every machine of interest. They may be at the address of any element; a complex float is
// aligned as a float.
template <int size>
struct Vector16;
template <>
struct Vector16<4> {
    typedef uint32_t type __attribute__((vector_size(16), aligned(4), may_alias));
};
template <>
struct Vector16<8> {
    typedef uint64_t type __attribute__((vector_size(16), aligned(4), may_alias));
};

// Transposes a square 16 bytes wide: element m of to[k] = element k of from[m]
template <class T>
constexpr int square_side = 16 / int(sizeof(T));
template <class T>
inline void turn_square(const T *const *from, T *const *to) {
    if constexpr (sizeof(T) == 16) {
        *to[0] = *from[0];
    } else {
        using V = typename Vector16<sizeof(T)>::type;
        const auto load = [&](int m) { return *reinterpret_cast<const V *>(from[m]); };
        const auto store = [&](int k, V v) { *reinterpret_cast<V *>(to[k]) = v; };
        if constexpr (sizeof(T) == 8) {
            const V a = load(0), b = load(1);
            store(0, __builtin_shufflevector(a, b, 0, 2));
            store(1, __builtin_shufflevector(a, b, 1, 3));
        } else {
            const V a = load(0), b = load(1), c = load(2), d = load(3);
            const V ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), AB = __builtin_shufflevector(a, b, 2, 6, 3, 7);
            const V cd = __builtin_shufflevector(c, d, 0, 4, 1, 5), CD = __builtin_shufflevector(c, d, 2, 6, 3, 7);
            store(0, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
            store(1, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
            store(2, __builtin_shufflevector(AB, CD, 0, 1, 4, 5));
            store(3, __builtin_shufflevector(AB, CD, 2, 3, 6, 7));
        }
    }
}

// Copies rows i … i+rows-1 of all lanes from memory into `out`, and prefetches the `ahead` rows after them. Pointers
// are copied before a loop: the compiler must assume that the store of an element changes anything in memory.
template <class T>
inline void gather(const T *data, const Lanes<T> &lanes, int64_t i, int64_t rows, int64_t ahead, Rows<T> out) {
    constexpr int side = square_side<T>;
    const int count = lanes.count;
    const int64_t step = lanes.step;
    if (step != 1 && step != -1) {
        for (int64_t k = 0; k < rows; ++k)
            for (int l = 0; l < count; ++l) out.row(k)[l] = data[lanes.at[l] + (i + k) * step];
        return;
    }
    if (step == -1) i = -i - rows + 1, out = {out.row(rows - 1), -out.pitch};  // the same elements, read forward
    const int64_t next = step == 1 ? i + rows : i - ahead, pitch = out.pitch;
    for (int l = 0; l < count; ++l) prefetch(data + lanes.at[l] + next, ahead * int64_t(sizeof(T)));
    int l = 0;
    for (; l + side <= count; l += side) {
        const T *from[side];
        T *to[side];
        for (int m = 0; m < side; ++m) from[m] = data + lanes.at[l + m] + i, to[m] = out.row(m) + l;
        int64_t k = 0;
        for (; k + side <= rows; k += side) {
            turn_square<T>(from, to);
            for (int m = 0; m < side; ++m) from[m] += side, to[m] += side * pitch;
        }
        for (; k < rows; ++k)
            for (int m = 0; m < side; ++m) out.row(k)[l + m] = *from[m]++;
    }
    for (; l < count; ++l) {
        const T *from = data + lanes.at[l] + i;
        for (int64_t k = 0; k < rows; ++k) out.row(k)[l] = from[k];
    }
}

// Copies rows i … i+rows-1 of all lanes from `in` into memory
template <class T>
inline void scatter(Rows<const T> in, T *data, const Lanes<T> &lanes, int64_t i, int64_t rows) {
    constexpr int side = square_side<T>;
    const int count = lanes.count;
    const int64_t step = lanes.step;
    if (step != 1 && step != -1) {
        for (int64_t k = 0; k < rows; ++k)
            for (int l = 0; l < count; ++l) data[lanes.at[l] + (i + k) * step] = in.row(k)[l];
        return;
    }
    if (step == -1) i = -i - rows + 1, in = {in.row(rows - 1), -in.pitch};
    const int64_t pitch = in.pitch;
    int l = 0;
    for (; l + side <= count; l += side) {
        const T *from[side];
        T *to[side];
        for (int m = 0; m < side; ++m) from[m] = in.row(m) + l, to[m] = data + lanes.at[l + m] + i;
        int64_t k = 0;
        for (; k + side <= rows; k += side) {
            turn_square<T>(from, to);
            for (int m = 0; m < side; ++m) from[m] += side * pitch, to[m] += side;
        }
        for (; k < rows; ++k)
            for (int m = 0; m < side; ++m) *to[m]++ = in.row(k)[l + m];
    }
    for (; l < count; ++l) {
        T *to = data + lanes.at[l] + i;
        for (int64_t k = 0; k < rows; ++k) to[k] = in.row(k)[l];
    }
}

// One array of a lane group: rows are used in place if its lanes are adjacent in memory, otherwise copied.
template <class T>
class Strip {
public:
    Strip(T *data, const Lanes<std::remove_const_t<T>> &lanes, int64_t rows)
        : data_(data),
          lanes_(lanes),
          rows_(rows),
          adjacent_(lanes.adjacent()),
          prefetch_rows_(prefetch_bytes / (lanes.count * int64_t(sizeof(T)))) {}

    bool adjacent() const { return adjacent_; }
    Rows<T> in_place(int64_t i) const { return {data_ + lanes_.at[0] + i * lanes_.step, lanes_.step}; }

    // To be called before row i is used: prefetches a later one.
    void prefetch_from(int64_t i) const {
        if (adjacent_ && i + prefetch_rows_ < rows_)
            prefetch(in_place(i + prefetch_rows_).first, lanes_.count * int64_t(sizeof(T)));
    }

protected:
    T *data_;
    const Lanes<std::remove_const_t<T>> &lanes_;
    int64_t rows_;
    bool adjacent_;
    int64_t prefetch_rows_;
};

// An input array, gathered into a small buffer unless it can be used in place
template <class T>
class Input : public Strip<const T> {
    using Strip<const T>::data_, Strip<const T>::lanes_, Strip<const T>::rows_, Strip<const T>::adjacent_;

public:
    Input(const T *data, const Lanes<T> &lanes, int64_t rows) : Strip<const T>(data, lanes, rows), same_(lanes.same()) {
        if (!adjacent_ && lanes.step == 0) gather(data, lanes, 0, 1, 0, {stage_, 0});
    }

    // Rows i … i+rows-1, at most stage_rows of them, valid until the next call
    Rows<const T> fetch(int64_t i, int64_t rows) {
        if (adjacent_) return this->in_place(i);
        if (lanes_.step == 0) return {stage_, 0};
        const int count = lanes_.count;
        if (!same_) gather(data_, lanes_, i, rows, std::min(rows, rows_ - i - rows), {stage_, count});
        const T *from = data_ + lanes_.at[0] + i * lanes_.step;
        for (int64_t k = 0; same_ && k < rows; ++k) std::fill_n(stage_ + k * count, count, from[k * lanes_.step]);
        return {stage_, count};
    }

private:
    bool same_;
    alignas(64) T stage_[stage_bytes / sizeof(T)];
};

// 2^-e for the exponent e of |a|, limited to normal numbers: a times it is near 1; 0, Inf and NaN are unchanged by it.
// `exponent` is e in an integer as wide as a real, so that lanes of both fill the same vectors.
template <class R>
using Exponent = std::conditional_t<sizeof(R) == 8, int64_t, int32_t>;
template <class R>
inline R normaliser(R a, Exponent<R> &exponent) {
    using B = typename BitsOf<R>::type;
    using Word = typename B::Word;
    constexpr R smallest = std::numeric_limits<R>::min(), largest = R(1) / smallest;
    const R size = magnitude(a), above = size > smallest ? size : smallest, normal = above < largest ? above : largest;
    const Word field = word_of(normal) >> B::mantissa;
    exponent = Exponent<R>(field) - B::bias;
    return real_of(Word((Word(2 * B::bias) - field) << B::mantissa));
}
template <class R>
inline R normaliser(Complex<R> a, Exponent<R> &exponent) {
    const R x = magnitude(a.re), y = magnitude(a.im);
    return normaliser(x > y ? x : y, exponent);
}

// A row number, from 1, in an integer as wide as a real, so that lanes of both fill the same vectors
template <class T>
using RowNumber = std::conditional_t<sizeof(Real<T>) == 8, int64_t, int32_t>;

// 1 / a as scalar.hpp's reciprocal(), without branches
template <class R>
inline R lane_reciprocal(R a) {
    return R(1) / a;
}
template <class R>
inline Complex<R> lane_reciprocal(Complex<R> a) {
    const bool is_swapped = magnitude(a.im) > magnitude(a.re);
    const R larger = is_swapped ? a.im : a.re, smaller = is_swapped ? a.re : a.im;
    const R ratio = smaller / larger, inverse = R(1) / (larger + smaller * ratio), rest = ratio * inverse;
    return {is_swapped ? rest : inverse, is_swapped ? -inverse : -rest};
}

// For rows scaled to a largest coefficient of about 1: p * (1 / p) is near 1, but NaN or Inf where p is zero, not
// finite, or too small to have an inverse.
template <class R>
inline bool is_good_pivot(R pivot, R inverse) {
    return pivot * inverse < R(2);
}
template <class R>
inline bool is_good_pivot(Complex<R> pivot, Complex<R> inverse) {
    return pivot.re * inverse.re - pivot.im * inverse.im < R(2);
}

// For unscaled rows: has_reciprocal() without branches
template <class R>
inline bool lane_has_reciprocal(R pivot, R inverse) {
    constexpr R least = std::numeric_limits<R>::min();
    return (magnitude(pivot) >= least) & (magnitude(inverse) > least);
}
template <class R>
inline bool lane_has_reciprocal(Complex<R> pivot, Complex<R>) {
    constexpr R least = std::numeric_limits<R>::min(), most = R(1) / least;
    const R x = magnitude(pivot.re), y = magnitude(pivot.im);
    return (x < most) & (y < most) & ((x >= least) | (y >= least));
}

}  // namespace xbatch
