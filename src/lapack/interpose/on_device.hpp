// on_device.hpp: which calls are for a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "symbol.hpp"

namespace xbatch::lapack {

// Whether there is a GPU for this process. CUDA is started by the first question; it does not work in the child of a
// process that had started it.
bool has_device();

inline double cube(int64_t order) { return double(order) * double(order) * double(order); }

// CUDA takes a quarter of a second to start. It does when what large calls have had to do, this one too, is as much as
// for the QR of a square matrix of this order: then the host has needed as long for it.
inline bool is_worth_starting(double work) {
    constexpr double unit = 1e3;
    static Threshold start{"CUDA_START", "CUDA", 3000, 3000};
    static std::atomic<int64_t> before{0};
    const int64_t own = int64_t(work / unit);
    return double(before.fetch_add(own, std::memory_order_relaxed) + own) * unit >= cube(start.smallest());
}

// The order of a square matrix from which on a GPU is faster, the way there and back included
struct QrOnDevice : Threshold {
    constexpr QrOnDevice(const char *name, int64_t smallest) : Threshold(name, "CUDA", smallest, smallest) {}
    // A problem of some times rows * columns * k operations
    bool operator()(double rows, double columns, double k) {
        const double work = rows * columns * k;
        return rows >= double(smallest()) && work >= cube(smallest()) && is_worth_starting(work) && has_device();
    }
};

// The same for the rows of a tridiagonal matrix. Right-hand sides but the first count an eighth: the host takes them
// side by side. Whether there is a GPU is asked only of matrices that it could solve.
struct RowsOnDevice : Threshold {
    constexpr RowsOnDevice(const char *name, int64_t smallest) : Threshold(name, "CUDA", smallest, smallest) {}
    bool operator()(int64_t rows, int64_t columns = 1) {
        constexpr double work_of_row = 1000;  // operations that the host does in the time of a row
        const double all = double(rows) * (1 + double(columns - 1) / 2);
        return rows >= fewest && columns > 0 && all >= double(smallest()) && is_worth_starting(work_of_row * all);
    }

private:
    static constexpr int64_t fewest = 3;  // that a GPU solves
};

}  // namespace xbatch::lapack
