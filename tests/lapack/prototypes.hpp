// prototypes.hpp: the prototypes of LAPACK's tridiagonal and QR routines as function types, templated on the scalar.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>

template <class T>
struct RealOf {
    using type = T;
};
template <class R>
struct RealOf<std::complex<R>> {
    using type = R;
};
template <class T>
using Real = typename RealOf<T>::type;
template <class T>
constexpr bool is_complex = sizeof(T) != sizeof(Real<T>);

// void * is IWORK of real routines and RWORK of complex ones. Routines whose arguments differ have two types.
template <class T>
struct Lapack {
    using R = Real<T>;
    using Gtsv = void(const int *, const int *, T *, T *, T *, T *, const int *, int *);
    using Gttrf = void(const int *, T *, T *, T *, T *, int *, int *);
    using Gttrs = void(const char *, const int *, const int *, const T *, const T *, const T *, const T *, const int *,
                       T *, const int *, int *, size_t);
    using GtconReal = void(const char *, const int *, const T *, const T *, const T *, const T *, const int *,
                           const R *, R *, T *, int *, int *, size_t);
    using GtconComplex = void(const char *, const int *, const T *, const T *, const T *, const T *, const int *,
                              const R *, R *, T *, int *, size_t);
    using Gtrfs = void(const char *, const int *, const int *, const T *, const T *, const T *, const T *, const T *,
                       const T *, const T *, const int *, const T *, const int *, T *, const int *, R *, R *, T *,
                       void *, int *, size_t);
    using Gtsvx = void(const char *, const char *, const int *, const int *, const T *, const T *, const T *, T *, T *,
                       T *, T *, int *, const T *, const int *, T *, const int *, R *, R *, R *, T *, void *, int *,
                       size_t, size_t);
    using Ptsv = void(const int *, const int *, R *, T *, T *, const int *, int *);
    using Ptcon = void(const int *, const R *, const T *, const R *, R *, R *, int *);
    using Pttrf = void(const int *, R *, T *, int *);
    using PttrsReal = void(const int *, const int *, const R *, const T *, T *, const int *, int *);
    using PtrfsReal = void(const int *, const int *, const R *, const T *, const R *, const T *, const T *, const int *,
                           T *, const int *, R *, R *, T *, int *);
    using PtrfsComplex = void(const char *, const int *, const int *, const R *, const T *, const R *, const T *,
                              const T *, const int *, T *, const int *, R *, R *, T *, R *, int *, size_t);
    using PtsvxReal = void(const char *, const int *, const int *, const R *, const T *, R *, T *, const T *,
                           const int *, T *, const int *, R *, R *, R *, T *, int *, size_t);
    using PtsvxComplex = void(const char *, const int *, const int *, const R *, const T *, R *, T *, const T *,
                              const int *, T *, const int *, R *, R *, R *, T *, R *, int *, size_t);
    using PttrsComplex = void(const char *, const int *, const int *, const R *, const T *, T *, const int *, int *,
                              size_t);
    using Geqrf = void(const int *, const int *, T *, const int *, T *, T *, const int *, int *);
    using Unmqr = void(const char *, const char *, const int *, const int *, const int *, const T *, const int *,
                       const T *, T *, const int *, T *, const int *, int *, size_t, size_t);
    using Ungqr = void(const int *, const int *, const int *, T *, const int *, const T *, T *, const int *, int *);
    using Geqr = void(const int *, const int *, T *, const int *, T *, const int *, T *, const int *, int *);
    using Gemqr = void(const char *, const char *, const int *, const int *, const int *, const T *, const int *,
                       const T *, const int *, T *, const int *, T *, const int *, int *, size_t, size_t);
};

#define LAPACK_TYPES(entry) \
    entry(float, s) entry(double, d) entry(std::complex<float>, c) entry(std::complex<double>, z)

// With the names of the routines that apply and form Q
#define LAPACK_UNITARY_TYPES(entry)                                      \
    entry(float, s, sormqr_, sorgqr_) entry(double, d, dormqr_, dorgqr_) \
        entry(std::complex<float>, c, cunmqr_, cungqr_) entry(std::complex<double>, z, zunmqr_, zungqr_)
