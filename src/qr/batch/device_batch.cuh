// device_batch.cuh: addresses and sizes of the matrices of a batch, for kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/layout.hpp"
#include "core/scalar.hpp"

namespace xbatch::qr {

// The value at a global address, or zero if not wanted, without a branch.
template <class V>
__device__ __forceinline__ V read_if(bool wanted, const V *at) {
    static_assert(sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16);
    union {
        unsigned words[4];
        V value;
    } x;
    if constexpr (sizeof(V) == 4)
        asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %2, 0;\n mov.b32 %0, 0;\n @p ld.global.b32 %0, [%1];\n}"
                     : "=&r"(x.words[0])
                     : "l"(at), "r"(int(wanted))
                     : "memory");
    else if constexpr (sizeof(V) == 8)
        asm volatile(
            "{\n .reg .pred p;\n setp.ne.b32 p, %3, 0;\n mov.b32 %0, 0;\n mov.b32 %1, 0;\n"
            " @p ld.global.v2.b32 {%0, %1}, [%2];\n}"
            : "=&r"(x.words[0]), "=&r"(x.words[1])
            : "l"(at), "r"(int(wanted))
            : "memory");
    else
        asm volatile(
            "{\n .reg .pred p;\n setp.ne.b32 p, %5, 0;\n mov.b32 %0, 0;\n mov.b32 %1, 0;\n mov.b32 %2, 0;\n"
            " mov.b32 %3, 0;\n @p ld.global.v4.b32 {%0, %1, %2, %3}, [%4];\n}"
            : "=&r"(x.words[0]), "=&r"(x.words[1]), "=&r"(x.words[2]), "=&r"(x.words[3])
            : "l"(at), "r"(int(wanted))
            : "memory");
    return x.value;
}

// One matrix: element (i, c) lies at data[i*row + c*column]
template <class T>
struct MatrixView {
    T *data;
    int64_t row, column;
    bool conjugates;  // memory holds the conjugates
    bool by_sixteen;  // columns are contiguous, and begin at multiples of 16 bytes

    __device__ T *at(int i, int c) const { return data + i * row + c * column; }
    // Without its first rows
    __device__ MatrixView below(int rows) const {
        MatrixView v = *this;
        v.data += rows * row;
        v.by_sixteen = by_sixteen && rows * int(sizeof(T)) % 16 == 0;
        return v;
    }
};

// Batched matrices. If `each` is given, a device array, matrix j lies at each[j]; if `ld` is too, with its own leading
// dimension.
template <class T>
struct DeviceMatrices {
    T *data;
    MatrixPlacement at;
    bool conjugates;
    T *const *each;
    const int64_t *ld;

    __device__ MatrixView<T> of(int64_t j) const {
        MatrixView<T> v{each ? each[j] : data + at.base(j), at.row, at.column, conjugates, false};
        if (ld) (at.row == 1 ? v.column : v.row) = ld[j];
        constexpr int64_t chunk = 16 / sizeof(T);
        v.by_sixteen = v.row == 1 && v.column % chunk == 0 && reinterpret_cast<uintptr_t>(v.data) % 16 == 0;
        return v;
    }
};
template <class T>
DeviceMatrices<T> device_matrices(const void *data, const MatrixPlacement &at, bool conjugates,
                                  T *const *each = nullptr, const int64_t *ld = nullptr) {
    const bool is_complex = sizeof(T) > sizeof(Real<T>);
    return {const_cast<T *>(static_cast<const T *>(data)), at, conjugates && is_complex, each, ld};
}

template <class T>
struct DeviceTau {
    T *data;
    Placement at;
    T *const *each;  // as above

    __device__ MatrixView<T> of(int64_t j) const {
        return {each ? each[j] : data + at.base(j, 0), each ? 1 : at.step, 0, false, false};
    }
};

// A part of a list
struct ListRange {
    int32_t begin, count;
};
// Device arrays of sizes, NULL where all matrices have the call's size, which is the largest. If a list is given, only
// the matrices in its range are processed, whose sizes have been checked.
struct DeviceSizes {
    const int64_t *m, *n, *k;
    const int32_t *which;
    const ListRange *range;

    // Matrix g of a launch, and whether there is one
    __device__ int64_t matrix(int64_t g) const { return which ? which[range->begin + g] : g; }
    __device__ bool has(int64_t g, int64_t batch) const { return g < (which ? int64_t(range->count) : batch); }
};
struct MatrixSize {
    int m, n, k;
};
__device__ inline MatrixSize size_of(const DeviceSizes &sizes, int64_t j, int m, int n, int k) {
    const auto own = [&](const int64_t *all, int most) { return all ? int(all[j]) : most; };
    return {own(sizes.m, m), own(sizes.n, n), own(sizes.k, k)};
}

}  // namespace xbatch::qr
