// tridiagonal.hpp: one call of a tridiagonal solver with everything around its arrays watched, the errors of what it
// returned, and LAPACK's answer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "array.hpp"
#include "layout.hpp"
#include "matrices.hpp"

namespace xbatch_test {

enum class Algorithm { Pscheme, Thomas, OddEven, Batch, PeriodicBatch };
constexpr Algorithm all_algorithms[] = {Algorithm::Pscheme, Algorithm::Thomas, Algorithm::OddEven, Algorithm::Batch,
                                        Algorithm::PeriodicBatch};

struct Entry {
    const char *name;
    decltype(&xgtsvPscheme) solve;
    decltype(&xgtsvPscheme_bufferSize) size;
    bool is_pivoted, is_periodic;
};
inline const Entry &entry(Algorithm algorithm) {
    static const Entry entries[] = {{"Pscheme", xgtsvPscheme, xgtsvPscheme_bufferSize, false, false},
                                    {"Thomas", xgtsvThomas, xgtsvThomas_bufferSize, false, false},
                                    {"OddEven", xgtsvOddEven, xgtsvOddEven_bufferSize, false, false},
                                    {"Batch", xgtsvBatch, xgtsvBatch_bufferSize, true, false},
                                    {"PeriodicBatch", xgtsvPeriodicBatch, xgtsvPeriodicBatch_bufferSize, true, true}};
    return entries[int(algorithm)];
}

// How the arrays of one call lie
struct Placing {
    xbatchLayout_t layout;
    int64_t ldt, ldb;
    int64_t shift = 0;  // of all base addresses, in elements
    bool with_info = true;
};

// The k-th of a cycle through leading dimensions, block sizes, base addresses, with and without info
inline Placing placing(xbatchLayout_t layout, int64_t n, int64_t batch, int64_t k = 0) {
    return {layout, leading_dimension(layout, n, batch, k), leading_dimension(layout, n, batch, 2 * k + k % 3), k % 2,
            k % 4 != 3};
}

template <class T>
struct Answer {
    xbatchStatus_t status;
    std::vector<T> x;           // as Systems::b
    std::vector<int32_t> info;  // -1 where not asked for
};

// The unknowns of system j, of all right-hand sides
template <class T>
std::vector<T> unknowns(const Systems<T> &s, const Answer<T> &answer, int64_t j) {
    return std::vector<T>(answer.x.begin() + s.entry(j, 0, 0), answer.x.begin() + s.entry(j, s.nrhs, 0));
}

// The arrays of one call of a solver
template <class T>
class GtsvCall {
public:
    GtsvCall(xbatchHandle_t handle, xbatchBackend_t backend, Algorithm algorithm, const Systems<T> &s, Placing p)
        : handle_(handle),
          algorithm_(algorithm),
          s_(s),
          p_(p),
          dl_(backend, coefficient_extent(), p.shift),
          d_(backend, coefficient_extent(), p.shift),
          du_(backend, coefficient_extent(), p.shift),
          b_(backend, extent(p.layout, s.n, s.nrhs, s.batch, p.ldb), p.shift),
          info_(backend, p.with_info ? s.batch : 0),
          workspace_(backend, workspace_bytes()) {
        for (int64_t j = 0; j < s.sets; ++j)
            for (int64_t i = 0; i < s.n; ++i) {
                const int64_t to = p.ldt == 0 ? i : at(p.ldt, 1, i, j, 0), from = j * s.n + i;
                const bool has_corners = entry(algorithm).is_periodic;
                if (has_corners || i > 0) dl_.set(to, s.dl[from]);
                d_.set(to, s.d[from]);
                if (has_corners || i + 1 < s.n) du_.set(to, s.du[from]);
            }
        info_.may_change_all();
        restore();
        dl_.upload(), d_.upload(), du_.upload(), info_.upload();
    }

    // The right-hand sides again, in place of the solutions
    void restore() {
        for (int64_t j = 0; j < s_.batch; ++j)
            for (int64_t r = 0; r < s_.nrhs; ++r)
                for (int64_t i = 0; i < s_.n; ++i) {
                    const int64_t to = at(p_.ldb, s_.nrhs, i, j, r);
                    b_.set(to, s_.b[s_.entry(j, r, i)]);
                    b_.may_change(to);
                }
        b_.upload();
    }

    xbatchStatus_t run() {
        return entry(algorithm_)
            .solve(handle_, Traits<T>::type, p_.layout, s_.n, s_.nrhs, s_.batch, dl_.data(), d_.data(), du_.data(),
                   p_.ldt, b_.data(), p_.ldb, p_.with_info ? info_.data() : nullptr, workspace_.data(),
                   workspace_.bytes());
    }

    Answer<T> answer(xbatchStatus_t status) {
        dl_.download(), d_.download(), du_.download(), b_.download(), info_.download();
        EXPECT_TRUE(dl_.intact() && d_.intact() && du_.intact()) << "coefficients or their surroundings were written";
        EXPECT_TRUE(b_.intact()) << "padding or surroundings of B were written";
        EXPECT_TRUE(info_.intact()) << "surroundings of info were written";
        EXPECT_TRUE(workspace_.intact()) << "surroundings of the workspace were written";
        Answer<T> answer{status, std::vector<T>(s_.b.size()), std::vector<int32_t>(s_.batch, -1)};
        for (int64_t j = 0; j < s_.batch; ++j) {
            if (p_.with_info) answer.info[j] = info_[j];
            for (int64_t r = 0; r < s_.nrhs; ++r)
                for (int64_t i = 0; i < s_.n; ++i) answer.x[s_.entry(j, r, i)] = b_[at(p_.ldb, s_.nrhs, i, j, r)];
        }
        return answer;
    }

private:
    int64_t at(int64_t ld, int64_t nrhs, int64_t i, int64_t j, int64_t r) const {
        return element(p_.layout, s_.n, nrhs, ld, i, j, r);
    }
    int64_t coefficient_extent() const { return p_.ldt == 0 ? s_.n : extent(p_.layout, s_.n, 1, s_.batch, p_.ldt); }
    size_t workspace_bytes() const {
        size_t bytes = 0;
        EXPECT_EQ(entry(algorithm_).size(handle_, Traits<T>::type, p_.layout, s_.n, s_.nrhs, s_.batch, &bytes),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        return bytes;
    }

    xbatchHandle_t handle_;
    Algorithm algorithm_;
    const Systems<T> &s_;
    Placing p_;
    Array<T> dl_, d_, du_, b_;
    Array<int32_t> info_;
    Workspace workspace_;
};

inline xbatchBackend_t backend_of(xbatchHandle_t handle) {
    xbatchBackend_t backend = XBATCH_BACKEND_AUTO;
    EXPECT_EQ(xbatchGetBackend(handle, &backend), XBATCH_STATUS_SUCCESS);
    return backend;
}

template <class T>
Answer<T> solve(xbatchHandle_t handle, Algorithm algorithm, const Systems<T> &s, Placing p) {
    if (s.sets == 1 && s.batch != 1) p.ldt = 0;
    GtsvCall<T> call(handle, backend_of(handle), algorithm, s, p);
    const xbatchStatus_t status = call.run();
    EXPECT_EQ(status, XBATCH_STATUS_SUCCESS) << xbatchGetLastErrorMessage(handle);
    return call.answer(status);
}

// x_r of system j by LAPACK's Gaussian elimination with partial pivoting, overwriting copies
int lapack_gtsv(int64_t n, float *dl, float *d, float *du, float *b);
int lapack_gtsv(int64_t n, double *dl, double *d, double *du, double *b);
int lapack_gtsv(int64_t n, std::complex<float> *dl, std::complex<float> *d, std::complex<float> *du,
                std::complex<float> *b);
int lapack_gtsv(int64_t n, std::complex<double> *dl, std::complex<double> *d, std::complex<double> *du,
                std::complex<double> *b);

// The same of a dense matrix
int lapack_gesv(int64_t n, float *a, float *b);
int lapack_gesv(int64_t n, double *a, double *b);
int lapack_gesv(int64_t n, std::complex<float> *a, std::complex<float> *b);
int lapack_gesv(int64_t n, std::complex<double> *a, std::complex<double> *b);
constexpr int64_t most_dense_rows = 129;  // that tests ask for

template <class T>
std::vector<T> lapack_solution(const Systems<T> &s, int64_t j, int64_t r, bool is_periodic = false) {
    const auto copy = [&](const std::vector<T> &from, int64_t first) {
        return std::vector<T>(from.begin() + first, from.begin() + first + s.n);
    };
    std::vector<T> dl = copy(s.dl, s.row(j, 0)), d = copy(s.d, s.row(j, 0)), du = copy(s.du, s.row(j, 0));
    std::vector<T> x = copy(s.b, s.entry(j, r, 0));
    if (is_periodic) {
        std::vector<T> a(s.n * s.n);
        for (int64_t i = 0; i < s.n; ++i) {
            a[s.around(i - 1) * s.n + i] += dl[i];
            a[i * s.n + i] += d[i];
            a[s.around(i + 1) * s.n + i] += du[i];
        }
        EXPECT_EQ(lapack_gesv(s.n, a.data(), x.data()), 0) << "LAPACK's gesv";
    } else {
        EXPECT_EQ(lapack_gtsv(s.n, dl.data() + 1, d.data(), du.data(), x.data()), 0) << "LAPACK's gtsv";
    }
    return x;
}

// The errors of one solution in units of the unit roundoff eps
struct Errors {
    long double backward = 0;  // ||Ax - b|| / (||A|| ||x|| + ||b||), infinity norms
    long double ratio = 0;     // ||Ax - b|| / (||A|| ||x||), 1-norms: LAPACK's dgtt02, whose threshold is 30

    void absorb(Errors other) {
        backward = worse(backward, other.backward);
        ratio = worse(ratio, other.ratio);
    }
};

template <class T>
Errors errors_of(const Systems<T> &s, const std::vector<T> &solution, int64_t j, int64_t r) {
    using W = Wide<T>;
    const auto x = [&](int64_t i) { return W(solution[s.entry(j, r, s.around(i))]); };
    long double rows = 0, columns = 0, x_max = 0, x_sum = 0, b_max = 0, residual_max = 0, residual_sum = 0;
    for (int64_t i = 0; i < s.n; ++i) {
        const int64_t k = s.row(j, i);
        const W l = W(s.dl[k]), d = W(s.d[k]), u = W(s.du[k]), b = W(s.b[s.entry(j, r, i)]);
        const long double residual = modulus(b - l * x(i - 1) - d * x(i) - u * x(i + 1)), size = modulus(x(i));
        rows = worse(rows, modulus(l) + modulus(d) + modulus(u));
        columns = worse(columns, modulus(d) + modulus(W(s.dl[s.row(j, s.around(i + 1))])) +
                                     modulus(W(s.du[s.row(j, s.around(i - 1))])));
        x_max = worse(x_max, size), x_sum += size;
        b_max = worse(b_max, modulus(b));
        residual_max = worse(residual_max, residual), residual_sum += residual;
    }
    const long double eps = unit_roundoff<T>;
    return {residual_max / (rows * x_max + b_max) / eps, residual_sum / (columns * x_sum) / eps};
}

// The worst over a whole batch
template <class T>
Errors errors_of(const Systems<T> &s, const std::vector<T> &solution) {
    Errors worst;
    for (int64_t j = 0; j < s.batch; ++j)
        for (int64_t r = 0; r < s.nrhs; ++r) worst.absorb(errors_of(s, solution, j, r));
    return worst;
}

// max |x - y| / max |y| of one solution, in units of eps
template <class T>
long double distance(const T *x, const T *y, int64_t n) {
    long double difference = 0, size = 0;
    for (int64_t i = 0; i < n; ++i) {
        const long double d = modulus(Wide<T>(x[i]) - Wide<T>(y[i]));
        difference = worse(difference, d);
        size = std::max(size, modulus(Wide<T>(y[i])));
    }
    return size == 0 ? difference : difference / size / unit_roundoff<T>;
}

// The same for a batch of solutions, the worst
template <class T>
long double distance(const Systems<T> &s, const std::vector<T> &x, const std::vector<T> &y) {
    long double worst = 0;
    for (int64_t k = 0; k < s.batch * s.nrhs; ++k) {
        const long double d = distance(&x[k * s.n], &y[k * s.n], s.n);
        worst = worse(worst, d);
    }
    return worst;
}

}  // namespace xbatch_test
