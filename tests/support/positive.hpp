// positive.hpp: positive definite systems, solved at once and by factors, all around their arrays watched.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "factor.hpp"

namespace xbatch_test {

// Number of a positive definite test matrix: -1, 4, -1; Poisson's -1, 2, -1; random and dominant; random and nearly
// dominant; diagonal; random with pivots from 1 on; near the largest and the smallest normal number.
constexpr int positive_families = 8;

// Row i: the diagonal and e_i below it
template <class T>
std::pair<Real<T>, T> positive_row(int family, Random &random, T &before) {
    using R = Real<T>;
    const R huge = std::ldexp(R(1), std::numeric_limits<R>::max_exponent - 12);
    const T last = before, e = random.unit<T>();
    const auto row = [&](R d, T below) {
        before = below;
        return std::pair<R, T>{d, below};
    };
    switch (family) {
        case 0: return row(4, T(-1));
        case 1: return row(2, T(-1));
        case 2: return row(R(2), e);
        case 3: return row(std::abs(last) + std::abs(e) + R(1e-3), e);
        case 4: return row(R(1.5 + random.uniform()), T(0));
        case 5: {
            const R pivot = R(1.5 + random.uniform() / 2);
            const T below = e * pivot;
            return row(pivot + std::norm(last), below);  // each pivot is at least 1
        }
        case 6: return row(4 * huge, T(-huge));
        default: return row(4 / huge, T(-1 / huge));
    }
}

// A batch whose system j is of family (first + j) % positive_families, as the general systems that they are
template <class T>
Systems<T> make_positive(int64_t n, int64_t nrhs, int64_t batch, bool shared = false, uint64_t seed = 1,
                         int first = 0) {
    Systems<T> s = make_systems<T>(n, nrhs, batch, {21}, shared, seed);
    for (int64_t j = 0; j < s.sets; ++j) {
        Random random(seed * 5000011 + uint64_t(j));
        T before(0);
        for (int64_t i = 0; i < n; ++i) {
            const auto [d, e] = positive_row<T>(int((first + j) % positive_families), random, before);
            s.d[j * n + i] = T(d);
            if (i + 1 == n) break;
            s.dl[j * n + i + 1] = e;
            s.du[j * n + i] = T(std::real(e));
            if constexpr (is_complex<T>) s.du[j * n + i] = std::conj(e);
        }
    }
    return with_operation(s, XBATCH_OP_N, seed);
}

// d and e of a batch as the routines take them
template <class T>
class PositiveCoefficients {
public:
    PositiveCoefficients(xbatchBackend_t backend, const Systems<T> &s, Placing p)
        : d_(backend, coefficient_extent(s, p), p.shift), e_(backend, coefficient_extent(s, p), p.shift) {
        place_coefficients(d_, s, p, 0, s.n, [&](int64_t k) { return std::real(s.d[k]); });
        place_coefficients(e_, s, p, 0, s.n - 1, [&](int64_t k) { return s.dl[k + 1]; });
    }
    Real<T> *d() { return d_.data(); }
    T *e() { return e_.data(); }
    void expect_intact() {
        d_.download(), e_.download();
        EXPECT_TRUE(d_.intact() && e_.intact()) << "coefficients or their surroundings were written";
    }

private:
    Array<Real<T>> d_;
    Array<T> e_;
};

// The arrays of one call of xptsvBatch
template <class T>
class PositiveCall {
public:
    PositiveCall(xbatchHandle_t handle, const Systems<T> &s, Placing p)
        : handle_(handle),
          s_(s),
          p_(with_shared(s, p)),
          a_(backend_of(handle), s, p_),
          b_(backend_of(handle), s, p_),
          info_(backend_of(handle), p.with_info ? s.batch : 0),
          workspace_(backend_of(handle), workspace_bytes()) {
        info_.may_change_all();
        info_.upload();
    }
    void restore() { b_.restore(); }
    xbatchStatus_t run() {
        return xptsvBatch(handle_, Traits<T>::type, p_.layout, s_.n, s_.nrhs, s_.batch, a_.d(), a_.e(), p_.ldt,
                          b_.data(), p_.ldb, p_.with_info ? info_.data() : nullptr, workspace_.data(),
                          workspace_.bytes());
    }
    Answer<T> answer(xbatchStatus_t status) {
        a_.expect_intact();
        EXPECT_TRUE(workspace_.intact()) << "surroundings of the workspace were written";
        return {status, b_.solutions(), entries(info_)};
    }

private:
    static Placing with_shared(const Systems<T> &s, Placing p) {
        if (s.sets == 1 && s.batch != 1) p.ldt = 0;
        return p;
    }
    size_t workspace_bytes() const {
        size_t bytes = 0;
        EXPECT_EQ(xptsvBatch_bufferSize(handle_, Traits<T>::type, p_.layout, s_.n, s_.nrhs, s_.batch, &bytes),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        return bytes;
    }

    xbatchHandle_t handle_;
    const Systems<T> &s_;
    Placing p_;
    PositiveCoefficients<T> a_;
    RightHandSides<T> b_;
    Array<int32_t> info_;
    Workspace workspace_;
};

template <class T>
Answer<T> solve_positive(xbatchHandle_t handle, const Systems<T> &s, Placing p) {
    PositiveCall<T> call(handle, s, p);
    const xbatchStatus_t status = call.run();
    EXPECT_EQ(status, XBATCH_STATUS_SUCCESS) << xbatchGetLastErrorMessage(handle);
    return call.answer(status);
}

// The arrays of one call of xpttrsBatch
template <class T>
class FactoredCall {
public:
    FactoredCall(xbatchHandle_t handle, const Systems<T> &s, Placing p, const void *factors)
        : handle_(handle),
          s_(s),
          p_(p),
          factors_(factors),
          b_(backend_of(handle), s, p),
          workspace_(backend_of(handle), workspace_bytes()) {}
    void restore() { b_.restore(); }
    xbatchStatus_t run() {
        return xpttrsBatch(handle_, Traits<T>::type, p_.layout, s_.n, s_.nrhs, s_.batch, s_.sets, factors_, b_.data(),
                           p_.ldb, workspace_.data(), workspace_.bytes());
    }
    std::vector<T> solutions() {
        EXPECT_TRUE(workspace_.intact()) << "surroundings of the workspace were written";
        return b_.solutions();
    }

private:
    size_t workspace_bytes() const {
        size_t bytes = 0;
        EXPECT_EQ(xpttrsBatch_bufferSize(handle_, Traits<T>::type, p_.layout, s_.n, s_.nrhs, s_.batch, s_.sets, &bytes),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        return bytes;
    }

    xbatchHandle_t handle_;
    const Systems<T> &s_;
    Placing p_;
    const void *factors_;
    RightHandSides<T> b_;
    Workspace workspace_;
};

// A batch factored by xpttrfBatch; where the base address is shifted the entries of a shared matrix lie side by side.
template <class T>
class FactoredPositive {
public:
    FactoredPositive(xbatchHandle_t handle, const Systems<T> &s, Placing p)
        : handle_(handle),
          s_(s),
          p_(with_shared(s, p)),
          a_(backend_of(handle), s, p_),
          logdet_(backend_of(handle), p.with_info ? s.sets : 0),
          info_(backend_of(handle), p.with_info ? s.sets : 0),
          factors_(backend_of(handle), factor_bytes()),
          workspace_(backend_of(handle), workspace_bytes_) {
        logdet_.may_change_all(), info_.may_change_all();
        logdet_.upload(), info_.upload();
        EXPECT_EQ(factor(), XBATCH_STATUS_SUCCESS) << xbatchGetLastErrorMessage(handle);
        a_.expect_intact();
        EXPECT_TRUE(workspace_.intact()) << "surroundings of the workspace were written";
    }
    xbatchStatus_t factor() {
        return xpttrfBatch(handle_, Traits<T>::type, p_.layout, s_.n, s_.sets, a_.d(), a_.e(), p_.ldt, factors_.data(),
                           p_.with_info ? logdet_.data() : nullptr, p_.with_info ? info_.data() : nullptr,
                           workspace_.data(), workspace_.bytes());
    }
    std::vector<int32_t> info() { return entries(info_); }
    std::vector<Real<T>> logdet() { return entries(logdet_); }
    Opaque &factors() { return factors_; }

    std::vector<T> solve() {
        const std::vector<unsigned char> before = factors_.bytes();
        FactoredCall<T> call(handle_, s_, p_, factors_.data());
        EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS) << xbatchGetLastErrorMessage(handle_);
        EXPECT_TRUE(same_bits(factors_.bytes(), before)) << "a solve has changed the factors";
        return call.solutions();
    }

private:
    static Placing with_shared(const Systems<T> &s, Placing p) {
        if (s.sets == 1 && p.shift % 2 == 1) p.ldt = 0;
        return p;
    }
    size_t factor_bytes() {
        size_t bytes = 0;
        EXPECT_EQ(xpttrfBatch_bufferSize(handle_, Traits<T>::type, p_.layout, s_.n, s_.sets, &bytes, &workspace_bytes_),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        return bytes;
    }

    xbatchHandle_t handle_;
    const Systems<T> &s_;
    Placing p_;
    size_t workspace_bytes_ = 0;
    PositiveCoefficients<T> a_;
    Array<Real<T>> logdet_;
    Array<int32_t> info_;
    Opaque factors_;
    Workspace workspace_;
};

}  // namespace xbatch_test
