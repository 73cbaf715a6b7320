// qr.hpp: dense matrices of many kinds, tiled QR in guarded memory, and LAPACK's measures of what comes out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "array.hpp"
#include "random.hpp"

namespace xbatch_test {

// Column-major, m rows
template <class T>
struct Dense {
    int64_t m, n;
    std::vector<T> data;

    Dense(int64_t rows, int64_t columns) : m(rows), n(columns), data(size_t(rows * columns), T(0)) {}
    T &operator()(int64_t i, int64_t j) { return data[size_t(j * m + i)]; }
    T operator()(int64_t i, int64_t j) const { return data[size_t(j * m + i)]; }
};

template <class T>
void lapack_geqrf(Dense<T> &a);
// b [max(m, n) x nrhs]
template <class T>
void lapack_gels(bool is_adjoint, Dense<T> a, Dense<T> &b);

template <class T>
T adjoint_of(T x) {
    if constexpr (std::is_floating_point_v<T>)
        return x;
    else
        return std::conj(x);
}
template <class T>
Dense<T> adjoint(const Dense<T> &a) {
    Dense<T> result(a.n, a.m);
    for (int64_t j = 0; j < a.n; ++j)
        for (int64_t i = 0; i < a.m; ++i) result(j, i) = adjoint_of(a(i, j));
    return result;
}
template <class T>
Dense<Wide<T>> widened(const Dense<T> &a) {
    Dense<Wide<T>> result(a.m, a.n);
    for (size_t k = 0; k < a.data.size(); ++k) result.data[k] = Wide<T>(a.data[k]);
    return result;
}

// A matrix with the singular values s: diag(s) between two reflections
template <class T>
Dense<T> with_singular_values(int64_t m, int64_t n, const std::vector<double> &s) {
    Random random(static_cast<uint64_t>(m + n));
    Dense<T> a(m, n);
    for (int64_t i = 0; i < std::min(m, n); ++i) a(i, i) = scalar<T>(s[size_t(i)]);
    const auto reflect_columns = [&](Dense<T> &b) {  // b -= 2 u (u^H b) / (u^H u)
        std::vector<T> u(static_cast<size_t>(b.m));
        double size = 0;
        for (T &x : u) x = random.unit<T>(), size += std::norm(x);
        for (int64_t j = 0; j < b.n; ++j) {
            T sum(0);
            for (int64_t i = 0; i < b.m; ++i) sum += adjoint_of(u[size_t(i)]) * b(i, j);
            sum *= scalar<T>(2 / size);
            for (int64_t i = 0; i < b.m; ++i) b(i, j) -= u[size_t(i)] * sum;
        }
    };
    reflect_columns(a);
    Dense<T> b = adjoint(a);
    reflect_columns(b);
    return adjoint(b);
}

// c -= a b, in x87 arithmetic: a product of our own, not the library's
template <class W>
void subtract_product(Dense<W> &c, const Dense<W> &a, const Dense<W> &b) {
    for (int64_t j = 0; j < b.n; ++j)
        for (int64_t k = 0; k < b.m; ++k) {
            const W x = b(k, j);
            if (x == W(0)) continue;
            for (int64_t i = 0; i < a.m; ++i) c(i, j) -= a(i, k) * x;
        }
}
template <class W>
long double one_norm(const Dense<W> &a) {
    long double norm = 0;
    for (int64_t j = 0; j < a.n; ++j) {
        long double sum = 0;
        for (int64_t i = 0; i < a.m; ++i) sum += modulus(a(i, j));
        norm = worse(norm, sum);
    }
    return norm;
}

// |a| / (size |b| eps), 0 where there is nothing
template <class T>
long double ratio(long double a, int64_t size, long double b) {
    return a == 0 ? 0 : a / (std::max<long double>(1, size) * b * unit_roundoff<T>);
}

template <class T>
Dense<T> random_matrix(int64_t m, int64_t n, uint64_t seed) {
    Random random(seed);
    Dense<T> a(m, n);
    for (T &x : a.data) x = random.unit<T>();
    return a;
}

// Multiples of 1/8, that are exact as subnormal numbers too
template <class T>
Dense<T> random_eighths(int64_t m, int64_t n, uint64_t seed) {
    Dense<T> a = random_matrix<T>(m, n, seed);
    for (T &x : a.data) {
        if constexpr (is_complex<T>)
            x = T(std::round(x.real() * 8) / 8, std::round(x.imag() * 8) / 8);
        else
            x = std::round(x * 8) / 8;
    }
    return a;
}
template <class T>
Dense<T> times_power_of_two(Dense<T> a, int e) {
    for (T &x : a.data) x = x * std::ldexp(Real<T>(1), e / 2) * std::ldexp(Real<T>(1), e - e / 2);
    return a;
}

// All types on a backend, as parameters of tests, and their names
struct Case {
    xbatchDataType_t type;
    xbatchBackend_t backend;
};
inline std::vector<Case> cases_of(xbatchBackend_t backend) {
    std::vector<Case> cases;
    for (xbatchDataType_t type : all_types) cases.push_back({type, backend});
    return cases;
}

// A handle of the case's backend; on the host with two threads
class QrOn : public testing::TestWithParam<Case> {
protected:
    QrOn() : handle_(GetParam().backend) {}
    void SetUp() override {
        XBATCH_NEEDS(handle_);
        if (!is_cuda()) xbatchSetThreadCount(handle_, 2);
    }
    bool is_cuda() const { return GetParam().backend == XBATCH_BACKEND_CUDA; }

    template <class F>
    void for_type(F f) {
        with_type(GetParam().type, f);
    }

    Handle handle_;
};
inline std::string name_of(const testing::TestParamInfo<Case> &info) { return std::string(1, letter(info.param.type)); }

// How a matrix lies in memory
struct Lying {
    int64_t padding = 0, shift = 0;  // of columns, of the base address, in elements
};

// The backend of a handle
inline xbatchBackend_t backend_of(xbatchHandle_t handle) {
    xbatchBackend_t backend = XBATCH_BACKEND_HOST;
    xbatchGetBackend(handle, &backend);
    return backend;
}

// A matrix in guarded memory; padding between columns stays what it was.
template <class T>
class Placed {
public:
    Placed(xbatchBackend_t where, const Dense<T> &a, Lying lying, bool may_change = true)
        : m_(a.m), n_(a.n), ld_(std::max<int64_t>(a.m, 1) + lying.padding), array_(where, ld_ * a.n, lying.shift) {
        for (int64_t j = 0; j < n_; ++j)
            for (int64_t i = 0; i < m_; ++i) {
                array_.set(j * ld_ + i, a(i, j));
                if (may_change) array_.may_change(j * ld_ + i);
            }
        array_.upload();
    }
    T *data() { return array_.data(); }
    int64_t ld() const { return ld_; }
    bool intact() {
        array_.download();
        return array_.intact();
    }
    // After intact()
    Dense<T> read() const {
        Dense<T> a(m_, n_);
        for (int64_t j = 0; j < n_; ++j)
            for (int64_t i = 0; i < m_; ++i) a(i, j) = array_[j * ld_ + i];
        return a;
    }

private:
    int64_t m_, n_, ld_;
    Array<T> array_;
};

// The word for info, -1 until it is written
class Info {
public:
    explicit Info(xbatchBackend_t where) : array_(where, 1) {
        array_.may_change_all();
        array_.upload();
    }
    int32_t *data() { return array_.data(); }
    int32_t read() {
        array_.download();
        EXPECT_TRUE(array_.intact());
        return array_[0];
    }

private:
    Array<int32_t> array_;
};

// A factored matrix, as xgeqrtTiled left it
template <class T>
class Factored {
public:
    static constexpr xbatchDataType_t type = Traits<T>::type;

    Factored(xbatchHandle_t handle, const Dense<T> &a, const xbatchTiledConfig_t *config, Lying lying = {})
        : handle_(handle),
          config_(config),
          m_(a.m),
          n_(a.n),
          lying_(lying),
          where_(backend_of(handle)),
          a_(where_, a, lying) {
        size_t bytes = 0;
        EXPECT_EQ(xgeqrtTiled_bufferSize(handle, type, m_, n_, config, &t_bytes_, &bytes), XBATCH_STATUS_SUCCESS)
            << message();
        t_ = std::make_unique<Workspace>(where_, t_bytes_);
        Workspace workspace(where_, bytes);
        Info info(where_);
        EXPECT_EQ(
            xgeqrtTiled(handle, type, m_, n_, config, a_.data(), a_.ld(), t(), info.data(), workspace.data(), bytes),
            XBATCH_STATUS_SUCCESS)
            << message();
        info_ = info.read();
        EXPECT_TRUE(a_.intact() && t_->intact() && workspace.intact());
    }
    int64_t k() const { return std::min(m_, n_); }
    int32_t info() const { return info_; }
    void *t() { return t_->data(); }
    size_t t_bytes() const { return t_bytes_; }
    Placed<T> &placed() { return a_; }
    Dense<T> packed() const { return a_.read(); }
    const char *message() const { return xbatchGetLastErrorMessage(handle_); }

    Dense<T> r() const {
        const Dense<T> a = packed();
        Dense<T> r(k(), n_);
        for (int64_t j = 0; j < n_; ++j)
            for (int64_t i = 0; i <= std::min(j, k() - 1); ++i) r(i, j) = a(i, j);
        return r;
    }
    // Its first columns
    Dense<T> q(int64_t columns) {
        Placed<T> q(where_, Dense<T>(m_, columns), {lying_.padding + 1, lying_.shift});
        size_t bytes = 0;
        Info info(where_);
        EXPECT_EQ(xungqrtTiled_bufferSize(handle_, type, m_, columns, k(), config_, &bytes), XBATCH_STATUS_SUCCESS);
        Workspace workspace(where_, bytes);
        EXPECT_EQ(xungqrtTiled(handle_, type, m_, columns, k(), config_, a_.data(), a_.ld(), t(), q.data(), q.ld(),
                               info.data(), workspace.data(), bytes),
                  XBATCH_STATUS_SUCCESS)
            << message();
        EXPECT_EQ(info.read(), m_ == 0 || columns == 0 ? -1 : 0);
        EXPECT_TRUE(q.intact() && workspace.intact());
        return q.read();
    }
    // op(Q) C or C op(Q)
    Dense<T> times(xbatchSide_t side, xbatchOperation_t op, const Dense<T> &c) {
        Placed<T> product(where_, c, {2, 1 - lying_.shift});
        size_t bytes = 0;
        EXPECT_EQ(xgemqrtTiled_bufferSize(handle_, type, side, op, c.m, c.n, k(), config_, &bytes),
                  XBATCH_STATUS_SUCCESS);
        Workspace workspace(where_, bytes);
        EXPECT_EQ(xgemqrtTiled(handle_, type, side, op, c.m, c.n, k(), config_, a_.data(), a_.ld(), t(), product.data(),
                               product.ld(), nullptr, workspace.data(), bytes),
                  XBATCH_STATUS_SUCCESS)
            << message();
        EXPECT_TRUE(product.intact() && workspace.intact());
        return product.read();
    }

private:
    xbatchHandle_t handle_;
    const xbatchTiledConfig_t *config_;
    int64_t m_, n_;
    Lying lying_;
    xbatchBackend_t where_;
    Placed<T> a_;
    size_t t_bytes_ = 0;
    std::unique_ptr<Workspace> t_;
    int32_t info_ = -1;
};

// X of least squares, in guarded memory
template <class T>
struct Solved {
    Dense<T> b;  // all of it
    int32_t info;
};
template <class T>
Solved<T> solve_gels(xbatchHandle_t handle, xbatchOperation_t op, const Dense<T> &a, const Dense<T> &b,
                     const xbatchTiledConfig_t *config) {
    const xbatchBackend_t where = backend_of(handle);
    Placed<T> matrix(where, a, {3, 1}, a.m >= a.n), right(where, b, {1, 0});
    size_t bytes = 0;
    Info info(where);
    const auto type = Traits<T>::type;
    EXPECT_EQ(xgelsTiled_bufferSize(handle, type, op, a.m, a.n, b.n, config, &bytes), XBATCH_STATUS_SUCCESS);
    Workspace workspace(where, bytes);
    EXPECT_EQ(xgelsTiled(handle, type, op, a.m, a.n, b.n, config, matrix.data(), matrix.ld(), right.data(), right.ld(),
                         info.data(), workspace.data(), bytes),
              XBATCH_STATUS_SUCCESS)
        << xbatchGetLastErrorMessage(handle);
    EXPECT_TRUE(matrix.intact() && right.intact() && workspace.intact());
    return {right.read(), info.read()};
}

}  // namespace xbatch_test
