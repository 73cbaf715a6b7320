// shadow.cpp: a library to preload before the interposer. It makes each call of gtsv, gttrf, gttrs, ptsv, pttrf and
// pttrs three times, on copies with larger leading dimensions between canaries: twice by the next library in line and
// once by LAPACK itself. Info, what is finite, documented outputs, backward errors, inputs, padding and repeated bits
// must agree; SHADOW_REPORT names the file that says whether they did. SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "prototypes.hpp"

namespace {

using Long = std::complex<long double>;

int calls = 0, complaints = 0;
bool inside = false;  // LAPACK's own calls to itself come here too

std::FILE *report() {
    static std::FILE *const file = [] {
        const char *path = std::getenv("SHADOW_REPORT");
        return path ? std::fopen(path, "a") : stderr;
    }();
    return file;
}
void complain(const std::string &what) {
    if (++complaints <= 20) std::fprintf(report(), "shadow: %s\n", what.c_str());
}
__attribute__((destructor)) void close_report() {
    if (calls > 0)
        std::fprintf(report(), "shadow: %d calls, %d complaints\n", calls, complaints), std::fflush(report());
}

void *subject_of(const char *name) { return dlsym(RTLD_NEXT, name); }
void *reference_of(const char *name) {
    static void *const library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    return dlsym(library, name);
}

constexpr unsigned char canary = 0xA5;
constexpr int64_t guard = 64, wider = 3;

enum class Role { input, output, solution };

// rows x columns numbers of a caller, `unit` bytes each, of which `parts` are real numbers
struct Array {
    const char *label;
    char *data;
    int64_t rows, columns, ld, unit;
    char kind;  // f, d: of these reals; i: integers
    Role role;

    int64_t wide() const { return ld + wider; }
    char *column(char *first, int64_t c) const { return first + c * wide() * unit; }
};

template <class T>
Array array(const char *label, const T *data, int64_t rows, Role role, int64_t columns = 1, int64_t ld = 0) {
    const char kind = std::is_same_v<T, int> ? 'i' : sizeof(Real<T>) == 4 ? 'f' : 'd';
    return {label,
            reinterpret_cast<char *>(const_cast<T *>(data)),
            std::max<int64_t>(rows, 0),
            columns,
            std::max(ld, rows),
            sizeof(T),
            kind,
            role};
}

// What one run worked on
struct Copies {
    const std::vector<Array> &arrays;
    std::vector<std::vector<char>> bytes;
    int info = -999;

    explicit Copies(const std::vector<Array> &all) : arrays(all) {
        for (const Array &a : arrays) {
            bytes.emplace_back(2 * guard + a.wide() * a.columns * a.unit, char(canary));
            for (int64_t c = 0; c < a.columns && a.rows > 0; ++c)
                std::memcpy(a.column(first(bytes.size() - 1), c), a.data + c * a.ld * a.unit, a.rows * a.unit);
        }
    }
    char *first(size_t k) { return bytes[k].data() + guard; }
    const char *first(size_t k) const { return bytes[k].data() + guard; }
    template <class T>
    T *at(size_t k) {
        return reinterpret_cast<T *>(first(k));
    }
    // Nothing but the numbers themselves was written, and of inputs not even they.
    void check_untouched(const std::string &name) const {
        for (size_t k = 0; k < arrays.size(); ++k) {
            const Array &a = arrays[k];
            std::vector<bool> own(bytes[k].size());
            for (int64_t c = 0; c < a.columns; ++c)
                std::fill_n(own.begin() + guard + c * a.wide() * a.unit, a.rows * a.unit, true);
            bool padding = true;
            for (size_t i = 0; i < bytes[k].size(); ++i) padding &= own[i] || bytes[k][i] == char(canary);
            if (!padding) complain(name + ": padding of " + a.label + " written");
            for (int64_t c = 0; a.role == Role::input && c < a.columns && a.rows > 0; ++c)
                if (std::memcmp(first(k) + c * a.wide() * a.unit, a.data + c * a.ld * a.unit, a.rows * a.unit) != 0)
                    complain(name + ": input " + a.label + " written");
        }
    }
    void give_back() {
        for (size_t k = 0; k < arrays.size(); ++k)
            for (int64_t c = 0; arrays[k].role != Role::input && c < arrays[k].columns && arrays[k].rows > 0; ++c)
                std::memcpy(arrays[k].data + c * arrays[k].ld * arrays[k].unit, arrays[k].column(first(k), c),
                            arrays[k].rows * arrays[k].unit);
    }
};

// Reals of an array, column after column
std::vector<double> reals(const Copies &copies, size_t k) {
    const Array &a = copies.arrays[k];
    const int64_t size = a.kind == 'd' ? 8 : 4;
    std::vector<double> values;
    for (int64_t c = 0; c < a.columns; ++c)
        for (int64_t i = 0; i < a.rows * a.unit / size; ++i) {
            const char *at = copies.first(k) + c * a.wide() * a.unit + i * size;
            float f;
            double d;
            int n;
            if (a.kind == 'd')
                std::memcpy(&d, at, 8), values.push_back(d);
            else if (a.kind == 'f')
                std::memcpy(&f, at, 4), values.push_back(f);
            else
                std::memcpy(&n, at, 4), values.push_back(n);
        }
    return values;
}

// Factors of the same elimination differ by rounding alone; solutions are judged by what solves(copies) says of them.
template <class Judge>
void compare(const std::string &name, const Copies &ours, const Copies &theirs, Judge backward_error) {
    if (ours.info != theirs.info) {
        complain(name + ": info is " + std::to_string(ours.info) + ", not " + std::to_string(theirs.info));
        return;
    }
    if (theirs.info != 0) return;  // what is left then is documented in part only
    for (size_t k = 0; k < ours.arrays.size(); ++k) {
        const Array &a = ours.arrays[k];
        if (a.role == Role::input) continue;
        const std::vector<double> x = reals(ours, k), y = reals(theirs, k);
        const double eps = a.kind == 'd' ? 0x1p-52 : a.kind == 'f' ? 0x1p-23 : 0;
        double scale = 0;
        for (const double v : y)
            if (std::isfinite(v)) scale = std::max(scale, std::fabs(v));
        for (size_t i = 0; i < x.size(); ++i) {
            if (std::isfinite(x[i]) != std::isfinite(y[i])) {
                complain(name + ": " + a.label + " is finite in only one library");
                break;
            }
            if (a.role == Role::output && std::isfinite(x[i]) && std::fabs(x[i] - y[i]) > 1e3 * eps * scale) {
                complain(name + ": " + a.label + " differs, entry " + std::to_string(i));
                break;
            }
        }
    }
    const long double mine = backward_error(ours), allowed = std::max(30.0L, 10 * backward_error(theirs));
    if (mine > allowed) complain(name + ": backward error " + std::to_string(double(mine)) + " eps");
}

template <class Invoke, class Judge>
void check(const char *name, const std::vector<Array> &arrays, int *info, Invoke invoke, Judge backward_error) {
    inside = true;
    Copies first(arrays), second(arrays), reference(arrays);
    invoke(subject_of(name), first);
    invoke(subject_of(name), second);
    invoke(reference_of(name), reference);
    first.check_untouched(name);
    if (first.bytes != second.bytes || first.info != second.info) complain(std::string(name) + ": not repeatable");
    compare(name, first, reference, backward_error);
    first.give_back();
    *info = first.info;
    ++calls;
    inside = false;
}

template <class T>
Long wide(T v) {
    return Long(v);
}

// |b - A x| / (|A| |x| + |b|) in eps, largest norms, of the worst column; finite entries only
template <class T>
long double residual(int64_t n, const T *dl, const T *d, const T *du, bool hermitian, const Array &b_given,
                     const Copies &copies, size_t k) {
    const Array &a = copies.arrays[k];
    long double worst = 0;
    for (int64_t c = 0; c < a.columns; ++c) {
        const T *b = reinterpret_cast<const T *>(b_given.data + c * b_given.ld * b_given.unit);
        const T *x = reinterpret_cast<const T *>(copies.first(k) + c * a.wide() * a.unit);
        long double r = 0, size_a = 0, size_x = 0, size_b = 0;
        for (int64_t i = 0; i < n; ++i) {
            const Long left = i > 0 ? wide(dl[i - 1]) : Long(0), up = i + 1 < n ? wide(du[i]) : Long(0);
            const Long right = hermitian ? std::conj(up) : up;
            Long sum = wide(b[i]) - wide(d[i]) * wide(x[i]);
            if (i > 0) sum -= left * wide(x[i - 1]);
            if (i + 1 < n) sum -= right * wide(x[i + 1]);
            r = std::max(r, std::abs(sum));
            size_a = std::max(size_a, std::abs(left) + std::abs(wide(d[i])) + std::abs(right));
            size_x = std::max(size_x, std::abs(wide(x[i])));
            size_b = std::max(size_b, std::abs(wide(b[i])));
        }
        const long double error = r / (size_a * size_x + size_b) / std::numeric_limits<Real<T>>::epsilon();
        if (std::isfinite(error)) worst = std::max(worst, error);
    }
    return worst;
}

const auto no_solution = [](const Copies &) { return 0.0L; };

template <class T>
void gtsv(const char *name, const int *n, const int *nrhs, T *dl, T *d, T *du, T *b, const int *ldb, int *info) {
    using F = typename Lapack<T>::Gtsv;
    if (inside) return reinterpret_cast<F *>(reference_of(name))(n, nrhs, dl, d, du, b, ldb, info);
    // LAPACK's own gtsv works on the first column of b where there is none.
    if (*n < 0 || *nrhs < 1 || *ldb < std::max(1, *n))
        return reinterpret_cast<F *>(subject_of(name))(n, nrhs, dl, d, du, b, ldb, info);
    const std::vector<T> lower(dl, dl + std::max(*n - 1, 0)), on(d, d + *n), upper(du, du + std::max(*n - 1, 0));
    std::vector<T> right(int64_t(*ldb) * std::max(*nrhs, 1));
    for (int64_t r = 0; r < *nrhs; ++r) std::copy_n(b + r * *ldb, *n, right.data() + r * *ldb);
    const Array given = array("b", right.data(), *n, Role::input, *nrhs, *ldb);
    check(
        name,
        {array("dl", dl, *n - 2, Role::output), array("d", d, *n, Role::output), array("du", du, *n - 1, Role::output),
         array("b", b, *n, Role::solution, *nrhs, *ldb),
         array("dl's last", dl + std::max(*n - 2, 0), *n > 1, Role::input)},
        info,
        [&](void *f, Copies &c) {
            std::vector<T> whole(c.at<T>(0), c.at<T>(0) + std::max(*n - 2, 0));
            if (*n > 1) whole.push_back(*c.at<T>(4));
            const int ld = int(c.arrays[3].wide());
            reinterpret_cast<F *>(f)(n, nrhs, whole.data(), c.at<T>(1), c.at<T>(2), c.at<T>(3), &ld, &c.info);
            if (*n > 2) std::copy_n(whole.data(), *n - 2, c.at<T>(0));
        },
        [&](const Copies &c) { return residual(*n, lower.data(), on.data(), upper.data(), false, given, c, 3); });
}

template <class T>
void gttrf(const char *name, const int *n, T *dl, T *d, T *du, T *du2, int *ipiv, int *info) {
    using F = typename Lapack<T>::Gttrf;
    if (inside) return reinterpret_cast<F *>(reference_of(name))(n, dl, d, du, du2, ipiv, info);
    if (*n < 0) return reinterpret_cast<F *>(subject_of(name))(n, dl, d, du, du2, ipiv, info);
    check(
        name,
        {array("dl", dl, *n - 1, Role::output), array("d", d, *n, Role::output), array("du", du, *n - 1, Role::output),
         array("du2", du2, *n - 2, Role::output), array("ipiv", ipiv, *n, Role::output)},
        info,
        [&](void *f, Copies &c) {
            reinterpret_cast<F *>(f)(n, c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<int>(4), &c.info);
        },
        no_solution);
}

template <class T>
void gttrs(const char *name, const char *trans, const int *n, const int *nrhs, const T *dl, const T *d, const T *du,
           const T *du2, const int *ipiv, T *b, const int *ldb, int *info, size_t length) {
    using F = typename Lapack<T>::Gttrs;
    if (inside)
        return reinterpret_cast<F *>(reference_of(name))(trans, n, nrhs, dl, d, du, du2, ipiv, b, ldb, info, length);
    if (*n < 0 || *nrhs < 0 || *ldb < std::max(1, *n) || !std::strchr("NTCntc", *trans))
        return reinterpret_cast<F *>(subject_of(name))(trans, n, nrhs, dl, d, du, du2, ipiv, b, ldb, info, length);
    check(
        name,
        {array("dl", dl, *n - 1, Role::input), array("d", d, *n, Role::input), array("du", du, *n - 1, Role::input),
         array("du2", du2, *n - 2, Role::input), array("ipiv", ipiv, *n, Role::input),
         array("b", b, *n, Role::output, *nrhs, *ldb)},
        info,
        [&](void *f, Copies &c) {
            const int ld = int(c.arrays[5].wide());
            reinterpret_cast<F *>(f)(trans, n, nrhs, c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<int>(4),
                                     c.at<T>(5), &ld, &c.info, length);
        },
        no_solution);
}

template <class T>
void ptsv(const char *name, const int *n, const int *nrhs, Real<T> *d, T *e, T *b, const int *ldb, int *info) {
    using F = typename Lapack<T>::Ptsv;
    if (inside) return reinterpret_cast<F *>(reference_of(name))(n, nrhs, d, e, b, ldb, info);
    if (*n < 0 || *nrhs < 0 || *ldb < std::max(1, *n))
        return reinterpret_cast<F *>(subject_of(name))(n, nrhs, d, e, b, ldb, info);
    const std::vector<T> on(d, d + *n), below(e, e + std::max(*n - 1, 0));
    std::vector<T> right(int64_t(*ldb) * std::max(*nrhs, 1));
    for (int64_t r = 0; r < *nrhs; ++r) std::copy_n(b + r * *ldb, *n, right.data() + r * *ldb);
    const Array given = array("b", right.data(), *n, Role::input, *nrhs, *ldb);
    check(
        name,
        {array("d", d, *n, Role::output), array("e", e, *n - 1, Role::output),
         array("b", b, *n, Role::solution, *nrhs, *ldb)},
        info,
        [&](void *f, Copies &c) {
            const int ld = int(c.arrays[2].wide());
            reinterpret_cast<F *>(f)(n, nrhs, c.at<Real<T>>(0), c.at<T>(1), c.at<T>(2), &ld, &c.info);
        },
        [&](const Copies &c) { return residual(*n, below.data(), on.data(), below.data(), true, given, c, 2); });
}

template <class T>
void pttrf(const char *name, const int *n, Real<T> *d, T *e, int *info) {
    using F = typename Lapack<T>::Pttrf;
    if (inside) return reinterpret_cast<F *>(reference_of(name))(n, d, e, info);
    if (*n < 0) return reinterpret_cast<F *>(subject_of(name))(n, d, e, info);
    check(
        name, {array("d", d, *n, Role::output), array("e", e, *n - 1, Role::output)}, info,
        [&](void *f, Copies &c) { reinterpret_cast<F *>(f)(n, c.at<Real<T>>(0), c.at<T>(1), &c.info); }, no_solution);
}

// `call(function, d, e, b, ldb, info)` adds UPLO where there is one.
template <class T, class Invoke>
void pttrs(const char *name, bool is_right, const int *n, const int *nrhs, const Real<T> *d, const T *e, T *b,
           const int *ldb, int *info, Invoke call) {
    if (inside) return call(reference_of(name), d, e, b, ldb, info);
    if (!is_right || *n < 0 || *nrhs < 0 || *ldb < std::max(1, *n)) return call(subject_of(name), d, e, b, ldb, info);
    check(
        name,
        {array("d", d, *n, Role::input), array("e", e, *n - 1, Role::input),
         array("b", b, *n, Role::output, *nrhs, *ldb)},
        info,
        [&](void *f, Copies &c) {
            const int ld = int(c.arrays[2].wide());
            call(f, c.at<Real<T>>(0), c.at<T>(1), c.at<T>(2), &ld, &c.info);
        },
        no_solution);
}
template <class T>
void pttrs_real(const char *name, const int *n, const int *nrhs, const T *d, const T *e, T *b, const int *ldb,
                int *info) {
    pttrs<T>(name, true, n, nrhs, d, e, b, ldb, info,
             [&](void *f, const T *on, const T *off, T *x, const int *ld, int *i) {
                 reinterpret_cast<typename Lapack<T>::PttrsReal *>(f)(n, nrhs, on, off, x, ld, i);
             });
}
template <class T>
void pttrs_complex(const char *name, const char *uplo, const int *n, const int *nrhs, const Real<T> *d, const T *e,
                   T *b, const int *ldb, int *info, size_t length) {
    pttrs<T>(name, std::strchr("ULul", *uplo) != nullptr, n, nrhs, d, e, b, ldb, info,
             [&](void *f, const Real<T> *on, const T *off, T *x, const int *ld, int *i) {
                 reinterpret_cast<typename Lapack<T>::PttrsComplex *>(f)(uplo, n, nrhs, on, off, x, ld, i, length);
             });
}

}  // namespace

extern "C" {
#define SHADOW(T, x)                                                                                       \
    void x##gtsv_(const int *n, const int *nrhs, T *dl, T *d, T *du, T *b, const int *ldb, int *info) {    \
        gtsv<T>(#x "gtsv_", n, nrhs, dl, d, du, b, ldb, info);                                             \
    }                                                                                                      \
    void x##gttrf_(const int *n, T *dl, T *d, T *du, T *du2, int *ipiv, int *info) {                       \
        gttrf<T>(#x "gttrf_", n, dl, d, du, du2, ipiv, info);                                              \
    }                                                                                                      \
    void x##gttrs_(const char *trans, const int *n, const int *nrhs, const T *dl, const T *d, const T *du, \
                   const T *du2, const int *ipiv, T *b, const int *ldb, int *info, size_t length) {        \
        gttrs<T>(#x "gttrs_", trans, n, nrhs, dl, d, du, du2, ipiv, b, ldb, info, length);                 \
    }                                                                                                      \
    void x##ptsv_(const int *n, const int *nrhs, Real<T> *d, T *e, T *b, const int *ldb, int *info) {      \
        ptsv<T>(#x "ptsv_", n, nrhs, d, e, b, ldb, info);                                                  \
    }                                                                                                      \
    void x##pttrf_(const int *n, Real<T> *d, T *e, int *info) { pttrf<T>(#x "pttrf_", n, d, e, info); }
LAPACK_TYPES(SHADOW)

#define SHADOW_REAL(T, x)                                                                                    \
    void x##pttrs_(const int *n, const int *nrhs, const T *d, const T *e, T *b, const int *ldb, int *info) { \
        pttrs_real<T>(#x "pttrs_", n, nrhs, d, e, b, ldb, info);                                             \
    }
SHADOW_REAL(float, s)
SHADOW_REAL(double, d)

#define SHADOW_COMPLEX(T, x)                                                                            \
    void x##pttrs_(const char *uplo, const int *n, const int *nrhs, const Real<T> *d, const T *e, T *b, \
                   const int *ldb, int *info, size_t length) {                                          \
        pttrs_complex<T>(#x "pttrs_", uplo, n, nrhs, d, e, b, ldb, info, length);                       \
    }
SHADOW_COMPLEX(std::complex<float>, c)
SHADOW_COMPLEX(std::complex<double>, z)
}
