// tridiagonal_device.hpp: gt.hpp and pt.hpp on a GPU, bit for bit, for matrices in host memory. n is 3 or more.
//
// All functions throw before they write: if there is no GPU or no memory on it, or if the recurrences of the matrix do
// not converge (sweep.cuh).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "gt.hpp"
#include "pt.hpp"

namespace xbatch::lapack {

// As gtsv, du2 overwrites dl except for its last element. Returns 0; throws at a zero pivot, because only the host
// stops there as LAPACK does.
template <class T>
int64_t gt_factor_and_solve_device(int64_t n, int64_t nrhs, T *dl, T *d, T *du, T *b, int64_t ldb);
// Returns the first zero pivot, counted from 1, or 0.
template <class T, class Int>
int64_t gt_factor_device(int64_t n, T *dl, T *d, T *du, T *du2, Int *ipiv);

// Both return 0, and throw at a pivot that is not positive, because only the host stops there as LAPACK does.
template <class T>
int64_t pt_factor_and_solve_device(int64_t n, int64_t nrhs, Real<T> *d, T *e, T *b, int64_t ldb);
template <class T>
int64_t pt_factor_device(int64_t n, Real<T> *d, T *e);

// Factors is LuFactors or LdlFactors.
template <class Factors>
void solve_on_device(typename Factors::Op op, const Factors &factors, typename Factors::Element *b, int64_t ldb,
                     int64_t nrhs);

// Factors stored on the GPU for several solves. The host computes what the GPU cannot.
template <class Factors>
class FactorsOnDevice {
    using T = typename Factors::Element;

public:
    explicit FactorsOnDevice(const Factors &factors);
    FactorsOnDevice(const FactorsOnDevice &) = delete;
    ~FactorsOnDevice();
    void solve(typename Factors::Op op, T *b, int64_t ldb = 0, int64_t nrhs = 1) const;
    Real<T> inverse_norm(Real<T> *work) const;  // of LdlFactors only

private:
    struct Stored;
    Factors factors_;
    std::unique_ptr<Stored> stored_;
};

// Instantiations for one type, in the file that defines the functions
#define XBATCH_LAPACK_FACTORS_DEVICE(...)                                                                          \
    template void solve_on_device(__VA_ARGS__::Op, const __VA_ARGS__ &, __VA_ARGS__::Element *, int64_t, int64_t); \
    template class FactorsOnDevice<__VA_ARGS__>;
#define XBATCH_LAPACK_GT_DEVICE(T)                                                                 \
    template int64_t gt_factor_and_solve_device<T>(int64_t, int64_t, T *, T *, T *, T *, int64_t); \
    template int64_t gt_factor_device<T, int32_t>(int64_t, T *, T *, T *, T *, int32_t *);         \
    template int64_t gt_factor_device<T, int64_t>(int64_t, T *, T *, T *, T *, int64_t *);         \
    XBATCH_LAPACK_FACTORS_DEVICE(LuFactors<T, int32_t>) XBATCH_LAPACK_FACTORS_DEVICE(LuFactors<T, int64_t>)
#define XBATCH_LAPACK_PT_DEVICE(T)                                                                  \
    template int64_t pt_factor_and_solve_device<T>(int64_t, int64_t, Real<T> *, T *, T *, int64_t); \
    template int64_t pt_factor_device<T>(int64_t, Real<T> *, T *);                                  \
    XBATCH_LAPACK_FACTORS_DEVICE(LdlFactors<T>)

}  // namespace xbatch::lapack
