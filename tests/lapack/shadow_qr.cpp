// shadow_qr.cpp: the shadow checker's geqrf, ormqr (unmqr), orgqr (ungqr), geqr and gemqr. Factors are checked by their
// product and by the unitarity of their reflectors, because vectors of cancelling columns differ by more than rounding.
// Q and products with Q are compared entry by entry.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "shadow.hpp"

using namespace shadow;

namespace {

bool is_one_of(const char *letters, char given) { return given != '\0' && std::strchr(letters, given); }

// The largest |A - Q R| / |A| of a column, and the reflectors' deviation from unitary, in eps; 0 if A is not finite.
template <class T>
long double factor_error(const std::vector<T> &a, int m, int n, const T *qr, int64_t ld, const std::vector<T> &tau) {
    const auto is_finite = [](T v) { return std::isfinite(std::real(v)) && std::isfinite(std::imag(v)); };
    if (!std::all_of(a.begin(), a.end(), is_finite)) return 0;
    long double worst = 0;
    const auto judge = [&](long double error) {
        error /= std::numeric_limits<Real<T>>::epsilon();
        if (std::isfinite(error)) worst = std::max(worst, error);
    };
    const int k = std::min(m, n);
    std::vector<Long> v(m), column(m);
    for (int j = 0; j < k; ++j) {
        long double size = 1;
        for (int i = j + 1; i < m; ++i) size += std::norm(wide(qr[j * ld + i]));
        const Long t = wide(tau[j]);
        judge(std::abs(std::norm(t) * size - 2 * t.real()));
    }
    for (int c = 0; c < n; ++c) {
        long double largest = 0, size = 0, error = 0;
        for (int i = 0; i < m; ++i) {
            column[i] = i <= c ? wide(qr[c * ld + i]) : Long(0);
            largest = std::max(largest, std::abs(wide(a[size_t(c) * m + i])));
        }
        for (int j = std::min(c, k - 1); j >= 0; --j) {
            Long sum = column[j];
            for (int i = j + 1; i < m; ++i) sum += std::conj(wide(qr[j * ld + i])) * column[i];
            sum *= wide(tau[j]);
            column[j] -= sum;
            for (int i = j + 1; i < m; ++i) column[i] -= wide(qr[j * ld + i]) * sum;
        }
        for (int i = 0; i < m; ++i) {
            const Long given = wide(a[size_t(c) * m + i]);
            size += largest > 0 ? std::norm(given / largest) : 0,
                error += std::norm((column[i] - given) / std::max(largest, 1e-4930L));
        }
        judge(size > 0 ? std::sqrt(error / size) : std::sqrt(error));
    }
    return worst;
}

template <class T>
std::vector<T> packed(int m, int n, const T *a, int lda) {
    std::vector<T> values;
    for (int c = 0; c < n; ++c) values.insert(values.end(), a + int64_t(c) * lda, a + int64_t(c) * lda + m);
    return values;
}

template <class T>
void geqrf(const char *name, const int *m, const int *n, T *a, const int *lda, T *tau, T *work, const int *lwork,
           int *info) {
    using F = typename Lapack<T>::Geqrf;
    if (inside) return reinterpret_cast<F *>(reference_of(name))(m, n, a, lda, tau, work, lwork, info);
    if (*m < 1 || *n < 1 || *lda < *m || *lwork < *n)
        return reinterpret_cast<F *>(subject_of(name))(m, n, a, lda, tau, work, lwork, info);
    const std::vector<T> given = packed(*m, *n, a, *lda);
    const int k = std::min(*m, *n);
    check(
        name,
        {array("a", a, *m, Role::solution, *n, *lda), array("tau", tau, k, Role::solution),
         array("work", work, *lwork, Role::workspace)},
        info,
        [&](void *f, Copies &c) {
            const int ld = int(c.arrays[0].wide());
            reinterpret_cast<F *>(f)(m, n, c.at<T>(0), &ld, c.at<T>(1), c.at<T>(2), lwork, &c.info);
        },
        [&](const Copies &c) {
            const T *factors = reinterpret_cast<const T *>(c.first(1));
            return factor_error(given, *m, *n, reinterpret_cast<const T *>(c.first(0)), c.arrays[0].wide(),
                                std::vector<T>(factors, factors + k));
        });
}

template <class T>
void geqr(const char *name, const int *m, const int *n, T *a, const int *lda, T *t, const int *tsize, T *work,
          const int *lwork, int *info) {
    using F = typename Lapack<T>::Geqr;
    if (inside) return reinterpret_cast<F *>(reference_of(name))(m, n, a, lda, t, tsize, work, lwork, info);
    if (*m < 1 || *n < 1 || *lda < *m || *lwork < *n || *tsize < *n + 5)
        return reinterpret_cast<F *>(subject_of(name))(m, n, a, lda, t, tsize, work, lwork, info);
    const std::vector<T> given = packed(*m, *n, a, *lda);
    check(
        name,
        {array("a", a, *m, Role::solution, *n, *lda), array("t", t, 3, Role::output),
         array("t from 6", t + 5, *tsize - 5, Role::solution), array("work", work, *lwork, Role::workspace)},
        info,
        [&](void *f, Copies &c) {
            const int ld = int(c.arrays[0].wide());
            std::vector<T> whole(*tsize);
            reinterpret_cast<F *>(f)(m, n, c.at<T>(0), &ld, whole.data(), tsize, c.at<T>(3), lwork, &c.info);
            std::copy_n(whole.data(), 3, c.at<T>(1));
            std::copy_n(whole.data() + 5, *tsize - 5, c.at<T>(2));
        },
        [&](const Copies &c) {  // tau is on the diagonals of the triangles, whose width is in T
            const int width = int(std::real(reinterpret_cast<const T *>(c.first(1))[2]));
            std::vector<T> tau(std::min(*m, *n));
            for (size_t j = 0; j < tau.size(); ++j)
                tau[j] = reinterpret_cast<const T *>(c.first(2))[int64_t(j) * width + int64_t(j) % width];
            return factor_error(given, *m, *n, reinterpret_cast<const T *>(c.first(0)), c.arrays[0].wide(), tau);
        });
}

bool is_right_call(char side, char trans, int m, int n, int k, int lda, int ldc) {
    const int order = is_one_of("Ll", side) ? m : n;
    return is_one_of("LlRr", side) && is_one_of("NnTtCc", trans) && m > 0 && n > 0 && k > 0 && k <= order &&
           lda >= order && ldc >= m;
}

template <class T>
void unmqr(const char *name, const char *side, const char *trans, const int *m, const int *n, const int *k, const T *a,
           const int *lda, const T *tau, T *c, const int *ldc, T *work, const int *lwork, int *info, size_t length,
           size_t other) {
    using F = typename Lapack<T>::Unmqr;
    const auto call = [&](void *f) {
        reinterpret_cast<F *>(f)(side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info, length, other);
    };
    if (inside) return call(reference_of(name));
    const bool left = is_one_of("Ll", *side);
    if (!is_right_call(*side, *trans, *m, *n, *k, *lda, *ldc) || *lwork < (left ? *n : *m))
        return call(subject_of(name));
    check(
        name,
        {array("a", a, left ? *m : *n, Role::input, *k, *lda), array("tau", tau, *k, Role::input),
         array("c", c, *m, Role::output, *n, *ldc), array("work", work, *lwork, Role::workspace)},
        info,
        [&](void *f, Copies &copies) {
            const int wide_a = int(copies.arrays[0].wide()), wide_c = int(copies.arrays[2].wide());
            reinterpret_cast<F *>(f)(side, trans, m, n, k, copies.at<T>(0), &wide_a, copies.at<T>(1), copies.at<T>(2),
                                     &wide_c, copies.at<T>(3), lwork, &copies.info, length, other);
        },
        no_solution);
}

template <class T>
void gemqr(const char *name, const char *side, const char *trans, const int *m, const int *n, const int *k, const T *a,
           const int *lda, const T *t, const int *tsize, T *c, const int *ldc, T *work, const int *lwork, int *info,
           size_t length, size_t other) {
    using F = typename Lapack<T>::Gemqr;
    const auto call = [&](void *f) {
        reinterpret_cast<F *>(f)(side, trans, m, n, k, a, lda, t, tsize, c, ldc, work, lwork, info, length, other);
    };
    if (inside) return call(reference_of(name));
    const bool left = is_one_of("Ll", *side);
    if (!is_right_call(*side, *trans, *m, *n, *k, *lda, *ldc) || *tsize < 5 || *lwork < (left ? *n : *m))
        return call(subject_of(name));
    check(
        name,
        {array("a", a, left ? *m : *n, Role::input, *k, *lda), array("t", t, *tsize, Role::input),
         array("c", c, *m, Role::output, *n, *ldc), array("work", work, *lwork, Role::workspace)},
        info,
        [&](void *f, Copies &copies) {
            const int wide_a = int(copies.arrays[0].wide()), wide_c = int(copies.arrays[2].wide());
            reinterpret_cast<F *>(f)(side, trans, m, n, k, copies.at<T>(0), &wide_a, copies.at<T>(1), tsize,
                                     copies.at<T>(2), &wide_c, copies.at<T>(3), lwork, &copies.info, length, other);
        },
        no_solution);
}

template <class T>
void ungqr(const char *name, const int *m, const int *n, const int *k, T *a, const int *lda, const T *tau, T *work,
           const int *lwork, int *info) {
    using F = typename Lapack<T>::Ungqr;
    if (inside) return reinterpret_cast<F *>(reference_of(name))(m, n, k, a, lda, tau, work, lwork, info);
    if (*n < 1 || *n > *m || *k < 0 || *k > *n || *lda < *m || *lwork < *n)
        return reinterpret_cast<F *>(subject_of(name))(m, n, k, a, lda, tau, work, lwork, info);
    check(
        name,
        {array("a", a, *m, Role::output, *n, *lda), array("tau", tau, *k, Role::input),
         array("work", work, *lwork, Role::workspace)},
        info,
        [&](void *f, Copies &c) {
            const int ld = int(c.arrays[0].wide());
            reinterpret_cast<F *>(f)(m, n, k, c.at<T>(0), &ld, c.at<T>(1), c.at<T>(2), lwork, &c.info);
        },
        no_solution);
}

}  // namespace

extern "C" {
#define SHADOW(T, x, apply, form)                                                                                      \
    void x##geqrf_(const int *m, const int *n, T *a, const int *lda, T *tau, T *work, const int *lwork, int *info) {   \
        geqrf<T>(#x "geqrf_", m, n, a, lda, tau, work, lwork, info);                                                   \
    }                                                                                                                  \
    void x##geqr_(const int *m, const int *n, T *a, const int *lda, T *t, const int *tsize, T *work, const int *lwork, \
                  int *info) {                                                                                         \
        geqr<T>(#x "geqr_", m, n, a, lda, t, tsize, work, lwork, info);                                                \
    }                                                                                                                  \
    void apply(const char *side, const char *trans, const int *m, const int *n, const int *k, const T *a,              \
               const int *lda, const T *tau, T *c, const int *ldc, T *work, const int *lwork, int *info,               \
               size_t length, size_t other) {                                                                          \
        unmqr<T>(#apply, side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info, length, other);                 \
    }                                                                                                                  \
    void x##gemqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const T *a,          \
                   const int *lda, const T *t, const int *tsize, T *c, const int *ldc, T *work, const int *lwork,      \
                   int *info, size_t length, size_t other) {                                                           \
        gemqr<T>(#x "gemqr_", side, trans, m, n, k, a, lda, t, tsize, c, ldc, work, lwork, info, length, other);       \
    }                                                                                                                  \
    void form(const int *m, const int *n, const int *k, T *a, const int *lda, const T *tau, T *work, const int *lwork, \
              int *info) {                                                                                             \
        ungqr<T>(#form, m, n, k, a, lda, tau, work, lwork, info);                                                      \
    }
LAPACK_UNITARY_TYPES(SHADOW)
}
