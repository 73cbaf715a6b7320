// gt_device.hpp: gt.hpp on a GPU, for matrices in the program's memory, to the same bits. All throw, before they write,
// where the GPU or its memory is not to be had, or the rows of a matrix do not forget where elimination began. n is 3
// or more.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "gt.hpp"

namespace xbatch::lapack {

// gtsv leaves du2 in place of dl, whose last element stays; throws where a pivot is zero, for the host eliminates up to
// there. Returns 0.
template <class T>
int64_t gt_factor_and_solve_device(int64_t n, int64_t nrhs, T *dl, T *d, T *du, T *b, int64_t ldb);
// Returns the first zero pivot, counted from 1, or 0.
template <class T, class Int>
int64_t gt_factor_device(int64_t n, T *dl, T *d, T *du, T *du2, Int *ipiv);

template <class T, class Int>
void gt_solve_device(Transpose op, const LuFactors<T, Int> &factors, T *b, int64_t ldb, int64_t nrhs);

// Factors that stay on the GPU for several solves; those that it cannot do are done on the host.
template <class T, class Int>
class SolvesOnDevice {
public:
    explicit SolvesOnDevice(const LuFactors<T, Int> &factors);
    SolvesOnDevice(const SolvesOnDevice &) = delete;
    ~SolvesOnDevice();
    void operator()(Transpose op, T *b, int64_t ldb = 0, int64_t nrhs = 1) const;

private:
    struct Kept;
    LuFactors<T, Int> factors_;
    std::unique_ptr<Kept> kept_;
};

}  // namespace xbatch::lapack
