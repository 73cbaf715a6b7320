// factor.hpp: factorisations and what is solved with them, everything around their arrays watched; LAPACK's answers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <string>

#include "tridiagonal.hpp"

namespace xbatch_test {

// What each test of these routines is run for
struct FactorCase {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchBackend_t backend;
};

inline std::vector<FactorCase> factor_cases_of(xbatchBackend_t backend) {
    std::vector<FactorCase> cases;
    for (xbatchDataType_t type : all_types)
        for (xbatchLayout_t layout : all_layouts) cases.push_back({type, layout, backend});
    return cases;
}

inline std::string name_of(const testing::TestParamInfo<FactorCase> &info) {
    return std::string(1, letter(info.param.type)) + layout_name(info.param.layout);
}

constexpr xbatchOperation_t all_operations[] = {XBATCH_OP_N, XBATCH_OP_T, XBATCH_OP_C};
constexpr xbatchNorm_t all_norms[] = {XBATCH_NORM_ONE, XBATCH_NORM_INF};

// With solutions for every n, type and op(A)
inline const std::vector<Family> regular = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 14,
                                            16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30};

// Bytes that a routine writes and others read: guarded, compared, never interpreted
class Opaque {
public:
    Opaque(xbatchBackend_t where, size_t bytes) : array_(where, int64_t(bytes), 16) {
        array_.may_change_all();
        array_.upload();
    }
    void *data() { return array_.size() == 0 ? nullptr : array_.data(); }
    std::vector<unsigned char> bytes() {
        array_.download();
        EXPECT_TRUE(array_.intact()) << "surroundings of the factors were written";
        std::vector<unsigned char> all(array_.size());
        for (int64_t k = 0; k < array_.size(); ++k) all[k] = array_[k];
        return all;
    }
    void set(const std::vector<unsigned char> &all) {
        for (int64_t k = 0; k < array_.size(); ++k) array_.set(k, all[k]);
        array_.upload();
    }

private:
    Array<unsigned char> array_;
};

// Elements (i, j, r) of B in `layout`, in and out
template <class T>
class RightHandSides {
public:
    RightHandSides(xbatchBackend_t backend, const Systems<T> &s, Placing p)
        : s_(s), p_(p), array_(backend, extent(p.layout, s.n, s.nrhs, s.batch, p.ldb), p.shift) {
        restore();
    }
    void restore() {
        for_each([&](int64_t at, int64_t entry) {
            array_.set(at, s_.b[entry]);
            array_.may_change(at);
        });
        array_.upload();
    }
    T *data() { return array_.data(); }
    std::vector<T> solutions() {
        array_.download();
        EXPECT_TRUE(array_.intact()) << "padding or surroundings of B were written";
        std::vector<T> x(s_.b.size());
        for_each([&](int64_t at, int64_t entry) { x[entry] = array_[at]; });
        return x;
    }

private:
    template <class F>
    void for_each(F f) {
        for (int64_t j = 0; j < s_.batch; ++j)
            for (int64_t r = 0; r < s_.nrhs; ++r)
                for (int64_t i = 0; i < s_.n; ++i)
                    f(element(p_.layout, s_.n, s_.nrhs, p_.ldb, i, j, r), s_.entry(j, r, i));
    }

    const Systems<T> &s_;
    Placing p_;
    Array<T> array_;
};

// One entry a matrix
template <class U>
std::vector<U> entries(Array<U> &array) {
    array.download();
    EXPECT_TRUE(array.intact()) << "surroundings of a result were written";
    std::vector<U> all(array.size());
    for (int64_t k = 0; k < array.size(); ++k) all[k] = array[k];
    return all;
}

// What the coefficients of all matrices look like in memory: value(row of Systems) at each used place
template <class U, class T, class Value>
void place_coefficients(Array<U> &array, const Systems<T> &s, Placing p, int64_t first, int64_t last, Value value) {
    for (int64_t j = 0; j < s.sets; ++j)
        for (int64_t i = first; i < last; ++i)
            array.set(p.ldt == 0 ? i : element<int64_t>(p.layout, s.n, 1, p.ldt, i, j, 0), value(j * s.n + i));
    array.upload();
}
template <class T>
int64_t coefficient_extent(const Systems<T> &s, Placing p) {
    return p.ldt == 0 ? s.n : extent(p.layout, s.n, 1, s.sets, p.ldt);
}

// A batch factored by xgttrfBatch. Systems that share one matrix are one set; where the base address is shifted its
// entries lie side by side.
template <class T>
class Factored {
public:
    using R = Real<T>;

    Factored(xbatchHandle_t handle, const Systems<T> &s, Placing p)
        : handle_(handle),
          backend_(backend_of(handle)),
          s_(s),
          p_(with_shared(s, p)),
          dl_(backend_, coefficient_extent(s, p_), p.shift),
          d_(backend_, coefficient_extent(s, p_), p.shift),
          du_(backend_, coefficient_extent(s, p_), p.shift),
          logdet_(backend_, p.with_info ? s.sets : 0),
          sign_(backend_, p.with_info ? s.sets : 0),
          info_(backend_, p.with_info ? s.sets : 0),
          factors_(backend_, factor_bytes()),
          workspace_(backend_, workspace_bytes_) {
        place_coefficients(dl_, s, p_, 1, s.n, [&](int64_t k) { return s.dl[k]; });
        place_coefficients(d_, s, p_, 0, s.n, [&](int64_t k) { return s.d[k]; });
        place_coefficients(du_, s, p_, 0, s.n - 1, [&](int64_t k) { return s.du[k]; });
        logdet_.may_change_all(), sign_.may_change_all(), info_.may_change_all();
        logdet_.upload(), sign_.upload(), info_.upload();
        EXPECT_EQ(factor(), XBATCH_STATUS_SUCCESS) << xbatchGetLastErrorMessage(handle);
        dl_.download(), d_.download(), du_.download();
        EXPECT_TRUE(dl_.intact() && d_.intact() && du_.intact()) << "coefficients or their surroundings were written";
        EXPECT_TRUE(workspace_.intact()) << "surroundings of the workspace were written";
    }

    xbatchStatus_t factor() {
        return xgttrfBatch(handle_, Traits<T>::type, p_.layout, s_.n, s_.sets, dl_.data(), d_.data(), du_.data(),
                           p_.ldt, factors_.data(), or_null(logdet_), or_null(sign_), or_null(info_), workspace_.data(),
                           workspace_.bytes());
    }
    std::vector<int32_t> info() { return entries(info_); }
    std::vector<R> logdet() { return entries(logdet_); }
    std::vector<T> sign() { return entries(sign_); }
    Opaque &factors() { return factors_; }

    // op(A) X = B for all right-hand sides of the batch that was factored, or of one with the same matrices
    std::vector<T> solve(xbatchOperation_t op, const Systems<T> &s) {
        RightHandSides<T> b(backend_, s, p_);
        const std::vector<unsigned char> before = factors_.bytes();
        size_t bytes = 0;
        EXPECT_EQ(xgttrsBatch_bufferSize(handle_, Traits<T>::type, p_.layout, op, s.n, s.nrhs, s.batch, s.sets, &bytes),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        Workspace workspace(backend_, bytes);
        EXPECT_EQ(xgttrsBatch(handle_, Traits<T>::type, p_.layout, op, s.n, s.nrhs, s.batch, s.sets, factors_.data(),
                              b.data(), p_.ldb, workspace.data(), workspace.bytes()),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        EXPECT_TRUE(workspace.intact()) << "surroundings of the workspace were written";
        EXPECT_TRUE(same_bits(factors_.bytes(), before)) << "a solve has changed the factors";
        return b.solutions();
    }
    std::vector<T> solve(xbatchOperation_t op = XBATCH_OP_N) { return solve(op, s_); }

    std::vector<R> rcond(xbatchNorm_t norm) {
        Array<R> rcond(backend_, s_.sets, p_.shift);
        rcond.may_change_all();
        rcond.upload();
        size_t bytes = 0;
        EXPECT_EQ(xgtconBatch_bufferSize(handle_, Traits<T>::type, p_.layout, norm, s_.n, s_.sets, &bytes),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        Workspace workspace(backend_, bytes);
        EXPECT_EQ(xgtconBatch(handle_, Traits<T>::type, p_.layout, norm, s_.n, s_.sets, factors_.data(), rcond.data(),
                              workspace.data(), workspace.bytes()),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        EXPECT_TRUE(workspace.intact()) << "surroundings of the workspace were written";
        return entries(rcond);
    }

private:
    static Placing with_shared(const Systems<T> &s, Placing p) {
        if (s.sets == 1 && p.shift % 2 == 1) p.ldt = 0;
        return p;
    }
    template <class U>
    static U *or_null(Array<U> &array) {
        return array.size() ? array.data() : nullptr;
    }
    size_t factor_bytes() {
        size_t bytes = 0;
        EXPECT_EQ(xgttrfBatch_bufferSize(handle_, Traits<T>::type, p_.layout, s_.n, s_.sets, &bytes, &workspace_bytes_),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        return bytes;
    }

    xbatchHandle_t handle_;
    xbatchBackend_t backend_;
    const Systems<T> &s_;
    Placing p_;
    size_t workspace_bytes_ = 0;
    Array<T> dl_, d_, du_;
    Array<R> logdet_;
    Array<T> sign_;
    Array<int32_t> info_;
    Opaque factors_;
    Workspace workspace_;
};

// The systems op(A) x = b as systems of their own, with new right-hand sides
template <class T>
Systems<T> with_operation(const Systems<T> &s, xbatchOperation_t op, uint64_t seed = 1) {
    const auto act = [&](T a) {
        if constexpr (is_complex<T>) return op == XBATCH_OP_C ? std::conj(a) : a;
        return a;
    };
    Systems<T> turned = s;
    if (op != XBATCH_OP_N)
        for (int64_t j = 0; j < s.sets; ++j)
            for (int64_t i = 0; i < s.n; ++i) {
                const int64_t k = j * s.n + i;
                turned.dl[k] = i > 0 ? act(s.du[k - 1]) : T(0);
                turned.d[k] = act(s.d[k]);
                turned.du[k] = i + 1 < s.n ? act(s.dl[k + 1]) : T(0);
            }
    for (int64_t j = 0; j < s.batch; ++j)
        for (int64_t r = 0; r < s.nrhs; ++r) {
            Random random(seed * 9000011 + uint64_t(j * s.nrhs + r));
            fill_right_hand_side(turned, j, r, random);
        }
    return turned;
}

// The sum of moduli of the largest row or column
template <class T>
long double norm_of(const Systems<T> &s, int64_t j, xbatchNorm_t norm) {
    long double largest = 0;
    for (int64_t i = 0; i < s.n; ++i) {
        const int64_t k = s.row(j, i);
        const T above = i > 0 ? s.du[k - 1] : T(0), below = i + 1 < s.n ? s.dl[k + 1] : T(0);
        const long double on = modulus(Wide<T>(s.d[k]));
        const long double sum = norm == XBATCH_NORM_INF ? modulus(Wide<T>(s.dl[k])) + on + modulus(Wide<T>(s.du[k]))
                                                        : modulus(Wide<T>(above)) + on + modulus(Wide<T>(below));
        largest = std::max(largest, sum);
    }
    return largest;
}

// One matrix factored by LAPACK
template <class T>
struct LapackFactors {
    int info;
    std::vector<T> dl, d, du, du2;
    std::vector<int> pivots;
};
template <class T>
LapackFactors<T> lapack_gttrf(const Systems<T> &s, int64_t j);
// x of right-hand side r
template <class T>
std::vector<T> lapack_gttrs(const LapackFactors<T> &factors, xbatchOperation_t op, const Systems<T> &s, int64_t j,
                            int64_t r);
template <class T>
Real<T> lapack_gtcon(const LapackFactors<T> &factors, xbatchNorm_t norm, Real<T> size);

// Positive definite systems as LAPACK solves them, at once and by factors; x of right-hand side r
template <class T>
struct LapackPositive {
    int info;
    std::vector<T> x, x_by_factors;
};
template <class T>
LapackPositive<T> lapack_ptsv(const Systems<T> &s, int64_t j, int64_t r);

}  // namespace xbatch_test
