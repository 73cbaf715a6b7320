// shadow.hpp: the shadow checker makes each call three times on copies between canaries, and compares the results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "prototypes.hpp"

namespace shadow {

using Long = std::complex<long double>;

inline int calls = 0, complaints = 0;
inline bool inside = false;  // LAPACK's calls of its own routines are intercepted too

inline std::FILE *report() {
    static std::FILE *const file = [] {
        const char *path = std::getenv("SHADOW_REPORT");
        return path ? std::fopen(path, "a") : stderr;
    }();
    return file;
}
inline void complain(const std::string &what) {
    if (++complaints <= 20) std::fprintf(report(), "shadow: %s\n", what.c_str());
}
inline void *subject_of(const char *name) { return dlsym(RTLD_NEXT, name); }
inline void *reference_of(const char *name) {
    static void *const library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    return dlsym(library, name);
}

constexpr unsigned char canary = 0xA5;
constexpr int64_t guard = 64, wider = 3;

// Outputs are compared entry by entry, solutions by their backward error. Estimates may differ by a factor of ten.
// Workspace is not compared.
enum class Role { input, output, solution, estimate, workspace };

// A caller's array of rows x columns numbers of `unit` bytes each
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

// The arrays of one run
struct Copies {
    const std::vector<Array> &arrays;
    std::vector<std::vector<char>> bytes;
    int info = -999;

    // INFO = n + 1 of an expert driver: all outputs are computed, but the matrix is singular to working precision.
    bool is_complete(int value) const { return value == arrays[0].rows + 1 && arrays[0].role == Role::input; }

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
    // Padding and inputs must not be written.
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
    void write_back() {
        for (size_t k = 0; k < arrays.size(); ++k)
            for (int64_t c = 0; arrays[k].role != Role::input && c < arrays[k].columns && arrays[k].rows > 0; ++c)
                std::memcpy(arrays[k].data + c * arrays[k].ld * arrays[k].unit, arrays[k].column(first(k), c),
                            arrays[k].rows * arrays[k].unit);
    }
};

// Reals of an array, column after column
inline std::vector<double> reals(const Copies &copies, size_t k) {
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

// Factors differ by rounding only; solutions are compared by backward_error(copies).
template <class Judge>
void compare(const std::string &name, const Copies &ours, const Copies &theirs, Judge backward_error) {
    if (ours.info != theirs.info) {
        complain(name + ": info is " + std::to_string(ours.info) + ", not " + std::to_string(theirs.info));
        return;
    }
    const bool is_solved = theirs.info == 0 || ours.is_complete(theirs.info);
    for (size_t k = 0; k < ours.arrays.size(); ++k) {
        const Array &a = ours.arrays[k];
        if (a.role == Role::input || a.role == Role::workspace) continue;
        const bool is_output = a.role == Role::output || (!is_solved && a.role == Role::solution);
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
            if (is_output && std::isfinite(x[i]) && std::fabs(x[i] - y[i]) > 1e3 * eps * scale) {
                complain(name + ": " + a.label + " differs, entry " + std::to_string(i));
                break;
            }
            if (a.role == Role::estimate && std::max(x[i], 2 * eps) > 10 * std::max(y[i], 2 * eps)) {
                complain(name + ": " + a.label + " is too large");
                break;
            }
            if (a.role == Role::estimate && std::max(y[i], 2 * eps) > 10 * std::max(x[i], 2 * eps)) {
                complain(name + ": " + a.label + " is too small");
                break;
            }
        }
    }
    if (!is_solved) return;  // all outputs have been compared entry by entry
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
    first.write_back();
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

inline const auto no_solution = [](const Copies &) { return 0.0L; };

}  // namespace shadow
