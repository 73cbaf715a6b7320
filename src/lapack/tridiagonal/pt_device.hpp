// pt_device.hpp: pt.hpp on a GPU, as gt_device.hpp is gt.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "pt.hpp"

namespace xbatch::lapack {

// Both return 0, and throw where a pivot is not positive, for the host eliminates up to there.
template <class T>
int64_t pt_factor_and_solve_device(int64_t n, int64_t nrhs, Real<T> *d, T *e, T *b, int64_t ldb);
template <class T>
int64_t pt_factor_device(int64_t n, Real<T> *d, T *e);

template <class T>
void pt_solve_device(bool upper, int64_t n, const Real<T> *d, const T *e, T *b, int64_t ldb, int64_t nrhs);

// Factors that stay on the GPU for several calls; what it cannot do is done on the host.
template <class T>
class PtFactorsOnDevice {
public:
    PtFactorsOnDevice(int64_t n, const Real<T> *d, const T *e);
    PtFactorsOnDevice(const PtFactorsOnDevice &) = delete;
    ~PtFactorsOnDevice();
    void solve(bool upper, T *b, int64_t ldb = 0, int64_t nrhs = 1) const;
    Real<T> inverse_norm(Real<T> *work) const;

private:
    struct Kept;
    int64_t n_;
    const Real<T> *d_;
    const T *e_;
    std::unique_ptr<Kept> kept_;
};

}  // namespace xbatch::lapack
