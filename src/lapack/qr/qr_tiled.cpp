// qr_tiled.cpp: tiled QR with tiles as high as the matrix, which has the same vectors as LAPACK's QR.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_tiled.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "core/dispatch.hpp"
#include "core/lanes_host.hpp"
#include "lapack/interpose/solver.hpp"
#include "qr/tiled/qr.hpp"

namespace xbatch::lapack {
namespace {

using qr::Tiling;
using qr::TriangleHeader;
using qr::triangles_in;

class Buffer {
public:
    explicit Buffer(size_t bytes) : data_(::operator new(bytes, line)) {}
    Buffer(const Buffer &) = delete;
    ~Buffer() { ::operator delete(data_, line); }
    void *data() const { return data_; }

private:
    static constexpr std::align_val_t line{64};
    void *data_;
};

Tiling one_tile_high(int64_t m, int64_t k) {
    xbatchTiledConfig_t config;
    config.nb = std::min<int64_t>(k, 128);
    config.ib = std::min<int64_t>(k, 32);
    config.mb = (m + config.nb - 1) / config.nb * config.nb;
    config.domain = 1;
    config.tree = XBATCH_TREE_FLAT;
    return {m, k, config};
}

// The block factors of vector j: its column in the triangle of its block of ib vectors
template <class T>
T *column_of(const Tiling &tiling, T *triangles, int64_t j) {
    const xbatchTiledConfig_t &config = tiling.config;
    return triangles + j / config.nb * tiling.triangle_elements() + j % config.nb * config.ib;
}
int64_t place_in_block(const Tiling &tiling, int64_t j) { return j % tiling.config.nb % tiling.config.ib; }

// LAPACK propagates NaN and Inf; tiled QR stops at them.
template <class T>
void require_finite(int64_t m, int64_t n, const T *a, int64_t lda) {
    for (int64_t c = 0; c < n; ++c) {
        bool finite = true;
        for (int64_t r = 0; r < m; ++r) finite &= is_finite(a[c * lda + r]);
        if (!finite) throw std::domain_error("not finite");
    }
}

// x^H y
template <class R>
R dot(int64_t n, const R *x, const R *y) {
    R sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}
template <class R>
Complex<R> dot(int64_t n, const Complex<R> *x, const Complex<R> *y) {
    R re = 0, im = 0;
#pragma omp simd reduction(+ : re, im)
    for (int64_t i = 0; i < n; ++i) {
        re += x[i].re * y[i].re + x[i].im * y[i].im;
        im += x[i].re * y[i].im - x[i].im * y[i].re;
    }
    return {re, im};
}

// The block factors of LAPACK's vectors: column j of a triangle is -tau_j T V^H v_j above tau_j.
template <class T>
XBATCH_SIMD_CLONES void fill_triangles(const Tiling &tiling, const T *a, int64_t lda, const T *tau, T *triangles) {
    std::fill_n(triangles, tiling.triangles() * tiling.triangle_elements(), T(0));
    const int64_t ib = tiling.config.ib;
    for (int64_t j = 0; j < tiling.k; ++j) {
        const int64_t place = place_in_block(tiling, j), first = j - place, rest = tiling.m - j - 1;
        T *const column = column_of(tiling, triangles, j);
        const T *const block = column - place * ib;
        for (int64_t s = 0; s < place; ++s) {
            const T *const other = a + (first + s) * lda + j;
            column[s] = -(tau[j] * (conjugate(other[0]) + dot(rest, other + 1, a + j * lda + j + 1)));
        }
        for (int64_t r = 0; r < place; ++r) {
            T sum(0);
            for (int64_t s = r; s < place; ++s) sum = sum + block[s * ib + r] * column[s];
            column[r] = sum;
        }
        column[place] = tau[j];
    }
}

// T as xgeqrtTiled computes it
template <class T>
struct Triangles {
    Tiling tiling;
    Buffer buffer;

    Triangles(int64_t m, int64_t k, const T *a, int64_t lda, const T *tau)
        : tiling(one_tile_high(m, k)),
          buffer(sizeof(TriangleHeader) + tiling.triangles() * tiling.triangle_elements() * sizeof(T)) {
        Tiling acting = tiling;
        acting.config.mb = m;
        *static_cast<TriangleHeader *>(buffer.data()) = TriangleHeader::of(type_of<T>, acting);
        fill_triangles(tiling, a, lda, tau, triangles_in<T>(buffer.data()));
    }
};

}  // namespace

template <class T>
void geqrf_tiled(int64_t m, int64_t n, T *a, int64_t lda, T *tau) {
    const Handle h(XBATCH_BACKEND_HOST);
    const int64_t k = std::min(m, n);
    const Tiling tiling = one_tile_high(m, k);
    size_t t_bytes, work_bytes;
    h.require(h.solver.factor_size(h.handle, type_of<T>, m, n, &tiling.config, &t_bytes, &work_bytes));
    const Buffer t(t_bytes), work(work_bytes);
    require_finite(m, n, a, lda);
    int32_t info = 0;
    h.require(
        h.solver.factor(h.handle, type_of<T>, m, n, &tiling.config, a, lda, t.data(), &info, work.data(), work_bytes));
    for (int64_t j = 0; j < k; ++j) tau[j] = column_of(tiling, triangles_in<T>(t.data()), j)[place_in_block(tiling, j)];
    if (info == 0) return;
    const T nan(std::numeric_limits<Real<T>>::quiet_NaN());  // a norm overflowed
    for (int64_t j = info - 1; j < n; ++j) std::fill_n(a + j * lda, m, nan);
    std::fill(tau + info - 1, tau + k, nan);
}

template <class T>
void unmqr_tiled(bool is_right, bool is_adjoint, int64_t m, int64_t n, int64_t k, const T *a, int64_t lda, const T *tau,
                 T *c, int64_t ldc) {
    const Handle h(XBATCH_BACKEND_HOST);
    const auto side = is_right ? XBATCH_SIDE_RIGHT : XBATCH_SIDE_LEFT;
    const auto op = is_adjoint ? XBATCH_OP_C : XBATCH_OP_N;
    const Triangles<T> t(is_right ? n : m, k, a, lda, tau);
    const xbatchTiledConfig_t *const config = &t.tiling.config;
    size_t bytes;
    h.require(h.solver.apply_size(h.handle, type_of<T>, side, op, m, n, k, config, &bytes));
    const Buffer work(bytes);
    h.require(h.solver.apply(h.handle, type_of<T>, side, op, m, n, k, config, a, lda, t.buffer.data(), c, ldc, nullptr,
                             work.data(), bytes));
}

template <class T>
void ungqr_tiled(int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau) {
    const Handle h(XBATCH_BACKEND_HOST);
    const Triangles<T> t(m, k, a, lda, tau);
    const xbatchTiledConfig_t *const config = &t.tiling.config;
    size_t bytes;
    h.require(h.solver.form_size(h.handle, type_of<T>, m, n, k, config, &bytes));
    const Buffer work(bytes), q(m * n * sizeof(T));
    T *const columns = static_cast<T *>(q.data());
    h.require(h.solver.form(h.handle, type_of<T>, m, n, k, config, a, lda, t.buffer.data(), columns, m, nullptr,
                            work.data(), bytes));
    for (int64_t c = 0; c < n; ++c) std::copy_n(columns + c * m, m, a + c * lda);
}

#define XBATCH_INSTANTIATE(T)                                                                                         \
    template void geqrf_tiled<T>(int64_t, int64_t, T *, int64_t, T *);                                                \
    template void unmqr_tiled<T>(bool, bool, int64_t, int64_t, int64_t, const T *, int64_t, const T *, T *, int64_t); \
    template void ungqr_tiled<T>(int64_t, int64_t, int64_t, T *, int64_t, const T *);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)

}  // namespace xbatch::lapack
