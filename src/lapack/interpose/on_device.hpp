// on_device.hpp: the sizes from which on a call is computed on a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "symbol.hpp"

namespace xbatch::lapack {

// Whether there is a GPU for this process. The first call starts CUDA, which does not work in the child of a process
// that has started it.
bool has_device();

inline double cube(int64_t order) { return double(order) * double(order) * double(order); }

// CUDA takes a quarter of a second to start. It is started once the work of all large calls, including this one, equals
// that of the QR of a square matrix of this order: the host has then spent the same time on it.
inline bool is_worth_starting(double work) {
    constexpr double unit = 1e3;
    static Threshold start{"CUDA_START", "CUDA", 3000, 3000};
    static std::atomic<int64_t> before{0};
    const int64_t own = int64_t(work / unit);
    return double(before.fetch_add(own, std::memory_order_relaxed) + own) * unit >= cube(start.smallest());
}

// The order of a square matrix from which on a GPU is faster, transfers included
struct QrOnDevice : Threshold {
    constexpr QrOnDevice(const char *name, int64_t smallest) : Threshold(name, "CUDA", smallest, smallest) {}
    // For a number of operations proportional to rows * columns * k
    bool operator()(double rows, double columns, double k) {
        const double work = rows * columns * k;
        return rows >= double(smallest()) && work >= cube(smallest()) && is_worth_starting(work) && has_device();
    }
};

// The same for the rows of a tridiagonal matrix. Each right-hand side after the first counts half, because the host
// solves several together. Whether there is a GPU is tested later, once the recurrences are known to converge.
struct RowsOnDevice : Threshold {
    constexpr RowsOnDevice(const char *name, int64_t smallest) : Threshold(name, "CUDA", smallest, smallest) {}
    bool operator()(int64_t rows, int64_t columns = 1) {
        constexpr double work_of_row = 1000;  // operations in the time that the host needs for a row
        const double all = double(rows) * (1 + double(columns - 1) / 2);
        return rows >= fewest && columns > 0 && all >= double(smallest()) && is_worth_starting(work_of_row * all);
    }

private:
    static constexpr int64_t fewest = 3;  // that the GPU routines accept
};

}  // namespace xbatch::lapack
