// baselines_host.cpp: LAPACK in a loop, OpenMP over systems, and plain loops: what a host program uses without xbatch.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <complex>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>
#include <omp.h>

#include "baselines.hpp"

namespace bench {
namespace {

lapack_int gtsv(lapack_int n, lapack_int nrhs, float *dl, float *d, float *du, float *b, lapack_int ldb) {
    return LAPACKE_sgtsv_work(LAPACK_COL_MAJOR, n, nrhs, dl, d, du, b, ldb);
}
lapack_int gtsv(lapack_int n, lapack_int nrhs, double *dl, double *d, double *du, double *b, lapack_int ldb) {
    return LAPACKE_dgtsv_work(LAPACK_COL_MAJOR, n, nrhs, dl, d, du, b, ldb);
}
lapack_int gtsv(lapack_int n, lapack_int nrhs, std::complex<float> *dl, std::complex<float> *d, std::complex<float> *du,
                std::complex<float> *b, lapack_int ldb) {
    return LAPACKE_cgtsv_work(LAPACK_COL_MAJOR, n, nrhs, dl, d, du, b, ldb);
}
lapack_int gtsv(lapack_int n, lapack_int nrhs, std::complex<double> *dl, std::complex<double> *d,
                std::complex<double> *du, std::complex<double> *b, lapack_int ldb) {
    return LAPACKE_zgtsv_work(LAPACK_COL_MAJOR, n, nrhs, dl, d, du, b, ldb);
}

// LAPACK counts the entries of dl from the second row.
template <class T>
void lapack_loop(const Gtsv &p, int threads) {
    T *dl = static_cast<T *>(p.dl), *d = static_cast<T *>(p.d), *du = static_cast<T *>(p.du),
      *b = static_cast<T *>(p.b);
#pragma omp parallel for num_threads(threads)
    for (int64_t j = 0; j < p.batch; ++j)
        gtsv(lapack_int(p.n), lapack_int(p.nrhs), dl + j * p.n + 1, d + j * p.n, du + j * p.n, b + j * p.nrhs * p.n,
             lapack_int(p.n));
}

// One matrix and many right-hand sides: each thread takes its share of columns and a copy of the matrix.
template <class T>
void lapack_columns(const Gtsv &p, int threads) {
    const T *dl = static_cast<T *>(p.dl), *d = static_cast<T *>(p.d), *du = static_cast<T *>(p.du);
#pragma omp parallel for num_threads(threads)
    for (int share = 0; share < threads; ++share) {
        const int64_t begin = p.nrhs * share / threads, end = p.nrhs * (share + 1) / threads;
        std::vector<T> my_dl(dl, dl + p.n), my_d(d, d + p.n), my_du(du, du + p.n);
        gtsv(lapack_int(p.n), lapack_int(end - begin), my_dl.data() + 1, my_d.data(), my_du.data(),
             static_cast<T *>(p.b) + begin * p.n, lapack_int(p.n));
    }
}

// Systems j … j+width-1, contiguous in memory, side by side; c holds the quotients, width a row. A shared matrix is
// eliminated for each of them.
template <bool shared, class T>
void thomas_strip(const Gtsv &p, int64_t j, int64_t r, int64_t width, T *c) {
    const Line a = shared ? Line{0, 1} : line(p.layout, p.n, 1, p.ldt, j, 0);
    const Line x = line(p.layout, p.n, p.nrhs, p.ldb, j, r);
    const T *dl = static_cast<T *>(p.dl) + a.base, *d = static_cast<T *>(p.d) + a.base;
    const T *du = static_cast<T *>(p.du) + a.base;
    T *b = static_cast<T *>(p.b) + x.base;
    for (int64_t i = 0; i < p.n; ++i) {
        const int64_t ai = i * a.step, xi = i * x.step;
#pragma omp simd
        for (int64_t w = 0; w < width; ++w) {
            const int64_t aw = shared ? ai : ai + w;
            const T l = i > 0 ? dl[aw] : T(0), quotient = i > 0 ? c[(i - 1) * width + w] : T(0);
            const T before = i > 0 ? b[xi - x.step + w] : T(0), inverse = T(1) / (d[aw] - l * quotient);
            c[i * width + w] = du[aw] * inverse;
            b[xi + w] = (b[xi + w] - l * before) * inverse;
        }
    }
    for (int64_t i = p.n - 1; i-- > 0;)
#pragma omp simd
        for (int64_t w = 0; w < width; ++w) b[i * x.step + w] -= c[i * width + w] * b[(i + 1) * x.step + w];
}

template <class T>
void thomas_threads(const Gtsv &p, int threads) {
    const int64_t widest = p.layout == XBATCH_LAYOUT_FLAT          ? 1
                           : p.layout == XBATCH_LAYOUT_INTERLEAVED ? std::min<int64_t>(64, p.batch)
                                                                   : p.ldb;
    const int64_t strips = (p.batch + widest - 1) / widest;
#pragma omp parallel num_threads(threads)
    {
        std::vector<T> c(static_cast<size_t>(p.n * widest));
        const auto solve = p.ldt == 0 ? thomas_strip<true, T> : thomas_strip<false, T>;
#pragma omp for
        for (int64_t strip = 0; strip < strips; ++strip)
            for (int64_t r = 0; r < p.nrhs; ++r)
                solve(p, strip * widest, r, std::min(widest, p.batch - strip * widest), c.data());
    }
}

template <class T>
void recurrence_threads(const Folr &p, int threads) {
    const T *s = static_cast<const T *>(p.s), *t = static_cast<const T *>(p.t);
    T *w = static_cast<T *>(p.w);
    const int64_t widest = p.layout == XBATCH_LAYOUT_INTERLEAVED ? std::min<int64_t>(64, p.batch) : 1;
    const int64_t strips = (p.batch + widest - 1) / widest;
#pragma omp parallel for num_threads(threads)
    for (int64_t strip = 0; strip < strips; ++strip) {
        const int64_t j = strip * widest, width = std::min(widest, p.batch - j);
        const Line at = line(p.layout, p.n, 1, p.ld, j, 0);
        for (int64_t i = 0; i < p.n; ++i)
#pragma omp simd
            for (int64_t k = 0; k < width; ++k) {
                const int64_t here = at.base + i * at.step + k;
                const T before = i > 0 ? w[here - at.step] : T(0);
                w[here] = (p.incs ? s[here] : s[j + k]) * before + t[here];
            }
    }
}

template <class T>
void rearrange_threads(const Rearrangement &p, int threads) {
    const T *source = static_cast<const T *>(p.source);
    T *target = static_cast<T *>(p.target);
#pragma omp parallel for num_threads(threads)
    for (int64_t j = 0; j < p.batch; ++j) {
        const Line from = line(p.from, p.n, 1, p.ldsource, j, 0), to = line(p.to, p.n, 1, p.ldtarget, j, 0);
        for (int64_t i = 0; i < p.n; ++i) target[to.base + i * to.step] = source[from.base + i * from.step];
    }
}

// A baseline from a function object that takes a value of the element type, the problem and the number of threads.
template <class Problem, class Function>
Baseline<Problem> baseline(std::string name, const Problem &view, bool overwrites, int threads, Function function) {
    const auto start = [function, threads](const Problem &p) -> Call {
        switch (p.type) {
            case XBATCH_R_32F: return {[=] { function(float(), p, threads); }};
            case XBATCH_R_64F: return {[=] { function(double(), p, threads); }};
            case XBATCH_C_32F: return {[=] { function(std::complex<float>(), p, threads); }};
            default: return {[=] { function(std::complex<double>(), p, threads); }};
        }
    };
    return {std::move(name), view, overwrites, start};
}

const auto loop = [](auto zero, const Gtsv &p, int threads) { lapack_loop<decltype(zero)>(p, threads); };
const auto columns = [](auto zero, const Gtsv &p, int threads) { lapack_columns<decltype(zero)>(p, threads); };
const auto thomas = [](auto zero, const Gtsv &p, int threads) { thomas_threads<decltype(zero)>(p, threads); };

}  // namespace

void lapack_loop(const std::vector<int64_t> &offsets, const Gtsv &joined, int threads) {
    double *dl = static_cast<double *>(joined.dl), *d = static_cast<double *>(joined.d);
    double *du = static_cast<double *>(joined.du), *b = static_cast<double *>(joined.b);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256)
    for (size_t j = 0; j < offsets.size() - 1; ++j) {
        const int64_t at = offsets[j], n = offsets[j + 1] - at;
        gtsv(lapack_int(n), lapack_int(joined.nrhs), dl + at + 1, d + at, du + at, b + at, lapack_int(joined.ldb));
    }
}

std::vector<Baseline<Gtsv>> host_baselines(const Gtsv &p) {
    const int threads = omp_get_max_threads();
    Gtsv flat = p;  // LAPACK supports no other layout
    flat.layout = XBATCH_LAYOUT_FLAT;
    flat.ldt = flat.ldb = p.n;
    if (p.ldt == 0 || (p.batch == 1 && p.nrhs > 1)) {
        flat.nrhs = p.nrhs * p.batch;
        flat.batch = 1;
        Gtsv columns_of_one = p;
        columns_of_one.ldt = 0;
        if (p.layout == XBATCH_LAYOUT_FLAT) columns_of_one.batch = flat.nrhs, columns_of_one.nrhs = 1;
        return {baseline("LAPACK gtsv with all right-hand sides (1 thread)", flat, false, 1, columns),
                baseline("LAPACK gtsv with all right-hand sides (all threads)", flat, false, threads, columns),
                baseline("OpenMP Thomas", columns_of_one, false, threads, thomas)};
    }
    if (p.batch == 1) return {baseline("LAPACK gtsv", flat, true, 1, loop), baseline("Thomas", p, false, 1, thomas)};
    return {baseline("LAPACK gtsv loop (1 thread)", flat, true, 1, loop),
            baseline("LAPACK gtsv loop (all threads)", flat, true, threads, loop),
            baseline("OpenMP Thomas", p, false, threads, thomas)};
}

std::vector<Baseline<Folr>> host_baselines(const Folr &p) {
    const auto plain = [](auto zero, const Folr &q, int threads) { recurrence_threads<decltype(zero)>(q, threads); };
    if (p.batch == 1) return {baseline("plain loop", p, false, 1, plain)};
    return {baseline("plain loop (1 thread)", p, false, 1, plain),
            baseline("OpenMP loop", p, false, omp_get_max_threads(), plain)};
}

std::vector<Baseline<Rearrangement>> host_baselines(const Rearrangement &p) {
    const auto plain = [](auto zero, const Rearrangement &q, int threads) {
        rearrange_threads<decltype(zero)>(q, threads);
    };
    return {baseline("OpenMP loop", p, false, omp_get_max_threads(), plain)};
}

}  // namespace bench
