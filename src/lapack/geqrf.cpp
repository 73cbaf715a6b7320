// geqrf.cpp: a matrix of one tile's height leaves LAPACK's vectors; libxbatch is loaded when first needed.
// SPDX-License-Identifier: BSD-3-Clause
#include "geqrf.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>

#include "core/dispatch.hpp"
#include "qr/qr.hpp"
#include "xbatch/qr.h"

namespace xbatch::lapack {
namespace {

// The functions of libxbatch: a program that factors nothing large never loads it.
struct Solver {
    decltype(&xbatchCreate) create;
    decltype(&xbatchDestroy) destroy;
    decltype(&xgeqrtTiled) factor;
    decltype(&xgeqrtTiled_bufferSize) size;

    static const Solver &loaded() {
        static const Solver solver;
        if (!solver.size) throw std::runtime_error("no libxbatch");
        return solver;
    }

private:
    Solver() {
        void *const library = dlopen(XBATCH_FILE, RTLD_LAZY | RTLD_LOCAL);
        find(library, "xbatchCreate", create);
        find(library, "xbatchDestroy", destroy);
        find(library, "xgeqrtTiled", factor);
        find(library, "xgeqrtTiled_bufferSize", size);
    }
    template <class F>
    static void find(void *library, const char *name, F &function) {
        function = library ? reinterpret_cast<F>(dlsym(library, name)) : nullptr;
    }
};

struct Handle {
    const Solver &solver = Solver::loaded();
    xbatchHandle_t handle;

    Handle() {
        if (solver.create(&handle, XBATCH_BACKEND_HOST) != XBATCH_STATUS_SUCCESS) throw std::bad_alloc();
    }
    Handle(const Handle &) = delete;
    ~Handle() { solver.destroy(handle); }
};

// LAPACK goes on with NaN and Inf; tiled QR stops.
template <class T>
void require_finite(int64_t m, int64_t n, const T *a, int64_t lda) {
    for (int64_t c = 0; c < n; ++c) {
        bool finite = true;
        for (int64_t r = 0; r < m; ++r) finite &= is_finite(a[c * lda + r]);
        if (!finite) throw std::domain_error("not finite");
    }
}

}  // namespace

template <class T>
void geqrf_tiled(int64_t m, int64_t n, T *a, int64_t lda, T *tau) {
    const Handle solver;
    const int64_t k = std::min(m, n);
    xbatchTiledConfig_t config;
    config.nb = std::min<int64_t>(k, 128);
    config.ib = std::min<int64_t>(k, 32);
    config.mb = (m + config.nb - 1) / config.nb * config.nb;
    config.domain = 1;
    config.tree = XBATCH_TREE_FLAT;
    size_t t_bytes, work_bytes;
    if (solver.solver.size(solver.handle, type_of<T>, m, n, &config, &t_bytes, &work_bytes) != XBATCH_STATUS_SUCCESS)
        throw std::bad_alloc();
    const std::align_val_t line{64};
    const auto release = [&](void *p) { ::operator delete(p, line); };
    const std::unique_ptr<void, decltype(release)> t(::operator new(t_bytes, line), release);
    const std::unique_ptr<void, decltype(release)> work(::operator new(work_bytes, line), release);
    require_finite(m, n, a, lda);
    int32_t info = 0;
    solver.solver.factor(solver.handle, type_of<T>, m, n, &config, a, lda, t.get(), &info, work.get(), work_bytes);
    // The diagonal of the triangle that belongs to each block of ib vectors
    const T *const triangles = triangles_in<T>(t.get());
    for (int64_t j = 0; j < k; ++j)
        tau[j] =
            triangles[j / config.nb * config.nb * config.ib + j % config.nb * config.ib + j % config.nb % config.ib];
    if (info == 0) return;
    // A norm beyond the range
    const T nan(std::numeric_limits<Real<T>>::quiet_NaN());
    for (int64_t j = info - 1; j < n; ++j) std::fill_n(a + j * lda, m, nan);
    std::fill(tau + info - 1, tau + k, nan);
}

template void geqrf_tiled<float>(int64_t, int64_t, float *, int64_t, float *);
template void geqrf_tiled<double>(int64_t, int64_t, double *, int64_t, double *);
template void geqrf_tiled<Complex<float>>(int64_t, int64_t, Complex<float> *, int64_t, Complex<float> *);
template void geqrf_tiled<Complex<double>>(int64_t, int64_t, Complex<double> *, int64_t, Complex<double> *);

}  // namespace xbatch::lapack
