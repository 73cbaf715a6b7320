// qr_device.cpp: a QR routine on a GPU: upload, computation by libxbatch, download.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_device.hpp"

#include "core/dispatch.hpp"
#include "lapack/interpose/device.hpp"
#include "lapack/interpose/solver.hpp"

namespace xbatch::lapack {
namespace {

// Only for the thread that has locked the device. Throws if there is no libxbatch.
const Handle &handle_of(const Device &device) {
    struct OnStream : Handle {
        explicit OnStream(cudaStream_t stream) : Handle(XBATCH_BACKEND_CUDA) {
            require(solver.set_stream(handle, stream));
        }
    };
    static const Handle &handle = *new OnStream(device.stream);  // never destroyed, like the device
    return handle;
}

constexpr auto flat = XBATCH_LAYOUT_FLAT;

}  // namespace

template <class T>
void geqrf_device(int64_t m, int64_t n, T *a, int64_t lda, T *tau) {
    on_device([=](Device &device) {
        const Handle &h = handle_of(device);
        Matrix<T> matrix(m, n), factors(std::min(m, n));
        int32_t *info;
        char *work;
        size_t bytes;
        h.require(h.solver.factor_batch_size(h.handle, type_of<T>, flat, m, n, 1, &bytes));
        const Call call(device, [&](Carver &carver) {
            matrix.take_from(carver), factors.take_from(carver);
            info = carver.take<int32_t>(1), work = carver.take<char>(int64_t(bytes));
        });
        device.staging.upload({matrix.with(a, lda)});
        h.require(h.solver.factor_batch(h.handle, type_of<T>, flat, m, n, 1, matrix.data, matrix.ld, matrix.ld * n,
                                        factors.data, factors.ld, info, work, bytes));
        int32_t bad_column;
        require(cudaMemcpyAsync(&bad_column, info, sizeof bad_column, cudaMemcpyDeviceToHost, device.stream));
        call.wait();
        if (bad_column != 0) throw std::domain_error("a norm is not finite");
        device.staging.download({matrix.with(a, lda), factors.with(tau)});
    });
}

template <class T>
void unmqr_device(bool is_right, bool is_adjoint, int64_t m, int64_t n, int64_t k, const T *a, int64_t lda,
                  const T *tau, T *c, int64_t ldc) {
    on_device([=](Device &device) {
        const Handle &h = handle_of(device);
        const auto side = is_right ? XBATCH_SIDE_RIGHT : XBATCH_SIDE_LEFT;
        const auto op = is_adjoint ? XBATCH_OP_C : XBATCH_OP_N;
        Matrix<T> vectors(is_right ? n : m, k), factors(k), matrix(m, n);
        char *work;
        size_t bytes;
        h.require(h.solver.apply_batch_size(h.handle, type_of<T>, flat, side, op, m, n, k, 1, &bytes));
        const Call call(device, [&](Carver &carver) {
            vectors.take_from(carver), factors.take_from(carver), matrix.take_from(carver);
            work = carver.take<char>(int64_t(bytes));
        });
        device.staging.upload({vectors.with(a, lda), factors.with(tau), matrix.with(c, ldc)});
        h.require(h.solver.apply_batch(h.handle, type_of<T>, flat, side, op, m, n, k, 1, vectors.data, vectors.ld,
                                       vectors.ld * k, factors.data, factors.ld, matrix.data, matrix.ld, matrix.ld * n,
                                       work, bytes));
        call.wait();
        device.staging.download({matrix.with(c, ldc)});
    });
}

template <class T>
void ungqr_device(int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau) {
    on_device([=](Device &device) {
        const Handle &h = handle_of(device);
        Matrix<T> columns(m, n), factors(k);
        char *work;
        size_t bytes;
        h.require(h.solver.form_batch_size(h.handle, type_of<T>, flat, m, n, k, 1, &bytes));
        const Call call(device, [&](Carver &carver) {
            columns.take_from(carver), factors.take_from(carver);
            work = carver.take<char>(int64_t(bytes));
        });
        Matrix<T> vectors(m, k);
        vectors.data = columns.data;
        device.staging.upload({vectors.with(a, lda), factors.with(tau)});
        h.require(h.solver.form_batch(h.handle, type_of<T>, flat, m, n, k, 1, columns.data, columns.ld, columns.ld * n,
                                      factors.data, factors.ld, work, bytes));
        call.wait();
        device.staging.download({columns.with(a, lda)});
    });
}

XBATCH_LAPACK_QR_DEVICE(float)
XBATCH_LAPACK_QR_DEVICE(double)
XBATCH_LAPACK_QR_DEVICE(Complex<float>)
XBATCH_LAPACK_QR_DEVICE(Complex<double>)

}  // namespace xbatch::lapack
