/** @file handle.hpp
 * What all routines of the C++ interface use: errors, element types, sizes by name, workspace, the handle.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_HANDLE_HPP
#define XBATCH_HANDLE_HPP

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "types.h"

namespace xbatch {

/** A call failed; what() is the library's text, as in "xgtsvBatch: argument 9, ldt = 3, must be at least n = 5". */
class Error : public std::runtime_error {
public:
    /** The error of a status and its text. */
    Error(xbatchStatus_t status, const std::string &text) : std::runtime_error(text), status_(status) {}
    /** The status that the C function returned. */
    xbatchStatus_t status() const noexcept { return status_; }

private:
    xbatchStatus_t status_;
};

/** Throws an Error unless the status is SUCCESS. For any function of the C interface:
 * `check(handle, xhinesCreatePlan(handle, …))`. */
inline void check(xbatchHandle_t handle, xbatchStatus_t status) {
    if (status == XBATCH_STATUS_SUCCESS) return;
    const char *text = status == XBATCH_STATUS_INVALID_HANDLE ? "" : xbatchGetLastErrorMessage(handle);
    throw Error(status, *text ? text : xbatchGetStatusString(status));
}

/** The element types: float, double, std::complex of them, and structures of two of them named x and y, such as
 * cuComplex and cuDoubleComplex. Specialise it for a complex type of your own. */
template <class Element, class = void>
struct Scalar;
/** s */
template <>
struct Scalar<float> {
    using Real = float;                                    /**< the type of its real part */
    static constexpr xbatchDataType_t type = XBATCH_R_32F; /**< in the C interface */
};
/** d */
template <>
struct Scalar<double> {
    using Real = double;                                   /**< the type of its real part */
    static constexpr xbatchDataType_t type = XBATCH_R_64F; /**< in the C interface */
};
/** c and z */
template <class RealPart>
struct Scalar<std::complex<RealPart>> {
    using Real = RealPart; /**< the type of its real part */
    static constexpr xbatchDataType_t type =
        Scalar<Real>::type == XBATCH_R_32F ? XBATCH_C_32F : XBATCH_C_64F; /**< in the C interface */
};
/** c and z of CUDA */
template <class Pair>
struct Scalar<Pair, std::enable_if_t<std::is_same<decltype(Pair::x), decltype(Pair::y)>::value &&
                                     sizeof(Pair) == 2 * sizeof(Pair::x)>> : Scalar<std::complex<decltype(Pair::x)>> {};

/** The real numbers of an element's precision. */
template <class Element>
using Real = typename Scalar<Element>::Real;

/** Element, in arguments that may be nullptr: the others determine the type. */
template <class Element>
using Same = std::enable_if_t<true, Element>;

/** The sizes of a call, each set by its name: `Sizes().n(100).nrhs(1).batch(512)`. The order is free, so that no two
 * can be exchanged. nrhs, nrhsMax, batch1 and batch2 are 1 if they are not set. A routine refuses a call that lacks
 * any other of its sizes, and ignores sizes that it does not have. */
class Sizes {
public:
    Sizes m(int64_t value) const { return with(&Sizes::m_, value); }             /**< rows */
    Sizes n(int64_t value) const { return with(&Sizes::n_, value); }             /**< unknowns, or columns */
    Sizes k(int64_t value) const { return with(&Sizes::k_, value); }             /**< reflectors */
    Sizes nrhs(int64_t value) const { return with(&Sizes::nrhs_, value); }       /**< right-hand sides */
    Sizes batch(int64_t value) const { return with(&Sizes::batch_, value); }     /**< systems */
    Sizes batch0(int64_t value) const { return with(&Sizes::batch0_, value); }   /**< systems along dimension 0 */
    Sizes batch1(int64_t value) const { return with(&Sizes::batch1_, value); }   /**< systems along dimension 1 */
    Sizes batch2(int64_t value) const { return with(&Sizes::batch2_, value); }   /**< systems along dimension 2 */
    Sizes sets(int64_t value) const { return with(&Sizes::sets_, value); }       /**< stored factors */
    Sizes maxn(int64_t value) const { return with(&Sizes::maxn_, value); }       /**< largest n */
    Sizes mMax(int64_t value) const { return with(&Sizes::mMax_, value); }       /**< largest m */
    Sizes nMax(int64_t value) const { return with(&Sizes::nMax_, value); }       /**< largest n */
    Sizes kMax(int64_t value) const { return with(&Sizes::kMax_, value); }       /**< largest k */
    Sizes nrhsMax(int64_t value) const { return with(&Sizes::nrhsMax_, value); } /**< largest nrhs */

    int64_t m() const { return m_; }             /**< as set */
    int64_t n() const { return n_; }             /**< as set */
    int64_t k() const { return k_; }             /**< as set */
    int64_t nrhs() const { return nrhs_; }       /**< as set, else 1 */
    int64_t batch() const { return batch_; }     /**< as set */
    int64_t batch0() const { return batch0_; }   /**< as set */
    int64_t batch1() const { return batch1_; }   /**< as set, else 1 */
    int64_t batch2() const { return batch2_; }   /**< as set, else 1 */
    int64_t sets() const { return sets_; }       /**< as set */
    int64_t maxn() const { return maxn_; }       /**< as set */
    int64_t mMax() const { return mMax_; }       /**< as set */
    int64_t nMax() const { return nMax_; }       /**< as set */
    int64_t kMax() const { return kMax_; }       /**< as set */
    int64_t nrhsMax() const { return nrhsMax_; } /**< as set, else 1 */

private:
    Sizes with(int64_t Sizes::*size, int64_t value) const {
        Sizes sizes = *this;
        sizes.*size = value;
        return sizes;
    }
    int64_t m_ = -1, n_ = -1, k_ = -1, nrhs_ = 1, batch_ = -1, sets_ = -1, maxn_ = -1;
    int64_t batch0_ = -1, batch1_ = 1, batch2_ = 1;
    int64_t mMax_ = -1, nMax_ = -1, kMax_ = -1, nrhsMax_ = 1;
};

/** Memory that a routine works in, aligned to 16; device memory on the CUDA backend. A default one stands for the
 * handle's own, which only a handle of the host backend has. */
struct Workspace {
    void *data = nullptr;  /**< its address */
    std::size_t bytes = 0; /**< its size, at least what R_bufferSize returns */
};

/** A handle, destroyed at the end of its scope. It can be moved, not copied. The C functions take it too. */
class Handle {
public:
    /** Creates a handle. Throws an Error, which says what is missing. */
    explicit Handle(xbatchBackend_t backend = XBATCH_BACKEND_AUTO) {
        xbatchHandle_t created = nullptr;
        check(nullptr, xbatchCreate(&created, backend));
        handle_.reset(created);
    }
    /** The handle of the C interface. */
    operator xbatchHandle_t() const noexcept { return handle_.get(); }

    /** HOST or CUDA. */
    xbatchBackend_t backend() const {
        xbatchBackend_t backend = XBATCH_BACKEND_AUTO;
        check(*this, xbatchGetBackend(*this, &backend));
        return backend;
    }
    /** Sets the cudaStream_t of further work. */
    void set_stream(void *stream) { check(*this, xbatchSetStream(*this, stream)); }
    /** The cudaStream_t in use. */
    void *stream() const {
        void *stream = nullptr;
        check(*this, xbatchGetStream(*this, &stream));
        return stream;
    }
    /** Sets the number of host threads; 0: OpenMP's. */
    void set_thread_count(int threads) { check(*this, xbatchSetThreadCount(*this, threads)); }
    /** The number of host threads in use. */
    int thread_count() const {
        int threads = 0;
        check(*this, xbatchGetThreadCount(*this, &threads));
        return threads;
    }
    /** The handle's own workspace, grown to this size and freed with the handle; an empty one on the CUDA backend. */
    Workspace own_workspace(std::size_t bytes) {
        if (backend() != XBATCH_BACKEND_HOST) return {};
        if (bytes > own_bytes_) {
            own_.reset();
            own_bytes_ = 0;
            own_.reset(new Sixteen[(bytes + 15) / 16]);
            own_bytes_ = bytes;
        }
        return {own_.get(), own_bytes_};
    }

private:
    struct alignas(16) Sixteen {
        unsigned char bytes[16];
    };
    struct Destroy {
        void operator()(xbatchHandle_t handle) const noexcept { xbatchDestroy(handle); }
    };
    std::unique_ptr<std::remove_pointer_t<xbatchHandle_t>, Destroy> handle_;
    std::unique_ptr<Sixteen[]> own_;
    std::size_t own_bytes_ = 0;
};

}  // namespace xbatch

#endif
