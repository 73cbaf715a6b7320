// qr_batch.hpp: batches of dense matrices in guarded memory, in every layout; what xgeqrfBatch leaves, as Q and R.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout.hpp"
#include "qr.hpp"

namespace xbatch_test {

// Where a batch lies: its layout, padding of columns, of matrices, of the base address, and matrices of a block
struct BatchLying {
    xbatchLayout_t layout = XBATCH_LAYOUT_FLAT;
    int64_t ld_padding = 0, stride_padding = 0, shift = 0, block = 3;
};

// The table of qr_batch.h, written a second time
inline int64_t matrix_element(xbatchLayout_t layout, int64_t columns, int64_t ld, int64_t stride, int64_t i, int64_t c,
                              int64_t j) {
    switch (layout) {
        case XBATCH_LAYOUT_FLAT: return j * stride + c * ld + i;
        case XBATCH_LAYOUT_INTERLEAVED: return (c * ld + i) * stride + j;
        default: return ((j / stride * columns + c) * ld + i) * stride + j % stride;
    }
}

template <class T>
using Matrices = std::vector<Dense<T>>;

// Matrices of one size
template <class T>
class PlacedBatch {
public:
    PlacedBatch(xbatchBackend_t where, int64_t m, int64_t n, const Matrices<T> &a, BatchLying lying,
                bool may_change = true)
        : m_(m),
          n_(n),
          batch_(int64_t(a.size())),
          layout_(lying.layout),
          ld_(std::max<int64_t>(m, 1) + lying.ld_padding),
          stride_(least_stride(lying.block) + (layout_ == XBATCH_LAYOUT_BLOCK_INTERLEAVED ? 0 : lying.stride_padding)),
          array_(where, extent(), lying.shift) {
        for (int64_t j = 0; j < batch_; ++j)
            for (int64_t c = 0; c < n_; ++c)
                for (int64_t i = 0; i < m_; ++i) {
                    array_.set(at(i, c, j), a[size_t(j)](i, c));
                    if (may_change) array_.may_change(at(i, c, j));
                }
        array_.upload();
    }
    T *data() { return array_.data(); }
    int64_t ld() const { return ld_; }
    int64_t stride() const { return stride_; }
    // All of it; what surrounds them is as it was.
    Matrices<T> read() {
        array_.download();
        EXPECT_TRUE(array_.intact());
        Matrices<T> a(size_t(batch_), Dense<T>(m_, n_));
        for (int64_t j = 0; j < batch_; ++j)
            for (int64_t c = 0; c < n_; ++c)
                for (int64_t i = 0; i < m_; ++i) a[size_t(j)](i, c) = array_[at(i, c, j)];
        return a;
    }

private:
    int64_t at(int64_t i, int64_t c, int64_t j) const { return matrix_element(layout_, n_, ld_, stride_, i, c, j); }
    int64_t least_stride(int64_t block) const {
        return layout_ == XBATCH_LAYOUT_FLAT ? ld_ * n_ : layout_ == XBATCH_LAYOUT_INTERLEAVED ? batch_ : block;
    }
    int64_t extent() const {
        switch (layout_) {
            case XBATCH_LAYOUT_FLAT: return stride_ * batch_;
            case XBATCH_LAYOUT_INTERLEAVED: return stride_ * ld_ * n_;
            default: return (batch_ + stride_ - 1) / stride_ * stride_ * ld_ * n_;
        }
    }

    int64_t m_, n_, batch_;
    xbatchLayout_t layout_;
    int64_t ld_, stride_;
    Array<T> array_;
};

// An info for each, -1 until it is written
class Infos {
public:
    Infos(xbatchBackend_t where, int64_t batch) : array_(where, batch) {
        array_.may_change_all();
        array_.upload();
    }
    int32_t *data() { return array_.data(); }
    std::vector<int32_t> read() {
        array_.download();
        EXPECT_TRUE(array_.intact());
        std::vector<int32_t> all;
        for (int64_t j = 0; j < array_.size(); ++j) all.push_back(array_[j]);
        return all;
    }

private:
    Array<int32_t> array_;
};

// R of what geqrf left
template <class T>
Dense<T> upper_of(const Dense<T> &packed) {
    Dense<T> r(std::min(packed.m, packed.n), packed.n);
    for (int64_t c = 0; c < r.n; ++c)
        for (int64_t i = 0; i <= std::min(c, r.m - 1); ++i) r(i, c) = packed(i, c);
    return r;
}
// The first columns of H_0 … H_{k-1}, in x87 arithmetic
template <class T>
Dense<Wide<T>> product_of_reflectors(const Dense<T> &packed, const Dense<T> &tau, int64_t columns) {
    const Dense<Wide<T>> v = widened(packed), t = widened(tau);
    Dense<Wide<T>> q(v.m, columns);
    for (int64_t c = 0; c < columns; ++c) q(c, c) = Wide<T>(1);
    for (int64_t l = t.m; l-- > 0;)
        for (int64_t c = 0; c < columns; ++c) {
            Wide<T> sum = q(l, c);
            for (int64_t i = l + 1; i < v.m; ++i) sum += adjoint_of(v(i, l)) * q(i, c);
            sum *= t(l, 0);
            q(l, c) -= sum;
            for (int64_t i = l + 1; i < v.m; ++i) q(i, c) -= v(i, l) * sum;
        }
    return q;
}
// The ratios of a matrix's factors, and how far the Q that was formed, of as many columns, is from what they say
template <class T>
void expect_factors(const Dense<T> &a, const Dense<T> &packed, const Dense<T> &tau, const Dense<T> &formed) {
    constexpr long double bound = 10;
    const int64_t m = a.m, n = a.n, k = std::min(m, n), columns = formed.n;
    const Dense<Wide<T>> q = product_of_reflectors(packed, tau, columns);
    Dense<Wide<T>> thin(m, k), residual = widened(a);
    std::copy_n(q.data.begin(), thin.data.size(), thin.data.begin());
    subtract_product(residual, thin, widened(upper_of(packed)));
    EXPECT_LE(ratio<T>(one_norm(residual), std::max(m, n), one_norm(widened(a))), bound);
    Dense<Wide<T>> identity(columns, columns), difference = widened(formed);
    for (int64_t i = 0; i < columns; ++i) identity(i, i) = Wide<T>(1);
    subtract_product(identity, adjoint(q), q);
    EXPECT_LE(ratio<T>(one_norm(identity), m, 1), bound);
    for (size_t x = 0; x < q.data.size(); ++x) difference.data[x] -= q.data[x];
    EXPECT_LE(ratio<T>(one_norm(difference), m, 1), bound);
}

// A factored batch, as xgeqrfBatch left it
template <class T>
class FactoredBatch {
public:
    static constexpr xbatchDataType_t type = Traits<T>::type;

    FactoredBatch(xbatchHandle_t handle, const Matrices<T> &a, BatchLying lying)
        : handle_(handle),
          lying_(lying),
          m_(a[0].m),
          n_(a[0].n),
          batch_(int64_t(a.size())),
          where_(backend_of(handle)),
          a_(where_, m_, n_, a, lying),
          tau_(where_, k(), 1, Matrices<T>(a.size(), Dense<T>(k(), 1)), tau_lying()) {
        size_t bytes = 0;
        EXPECT_EQ(xgeqrfBatch_bufferSize(handle, type, lying.layout, m_, n_, batch_, &bytes), XBATCH_STATUS_SUCCESS);
        Workspace workspace(where_, bytes);
        Infos info(where_, batch_);
        EXPECT_EQ(xgeqrfBatch(handle, type, lying.layout, m_, n_, batch_, a_.data(), a_.ld(), a_.stride(), tau_.data(),
                              ldtau(), info.data(), workspace.data(), bytes),
                  XBATCH_STATUS_SUCCESS)
            << message();
        EXPECT_TRUE(workspace.intact());
        packed = a_.read(), tau = tau_.read(), infos = info.read();
    }
    int64_t k() const { return std::min(m_, n_); }
    const char *message() const { return xbatchGetLastErrorMessage(handle_); }

    Dense<T> r(int64_t j) const { return upper_of(packed[size_t(j)]); }
    Dense<Wide<T>> q(int64_t j, int64_t columns) const {
        return product_of_reflectors(packed[size_t(j)], tau[size_t(j)], columns);
    }
    // op(Q) C or C op(Q)
    Matrices<T> times(xbatchSide_t side, xbatchOperation_t op, const Matrices<T> &c) {
        const int64_t m = c[0].m, n = c[0].n;
        BatchLying lying = lying_;
        lying.ld_padding = 1, lying.shift = 1 - lying_.shift;
        PlacedBatch<T> product(where_, m, n, c, lying);
        size_t bytes = 0;
        EXPECT_EQ(xunmqrBatch_bufferSize(handle_, type, lying.layout, side, op, m, n, k(), batch_, &bytes),
                  XBATCH_STATUS_SUCCESS);
        Workspace workspace(where_, bytes);
        // of the matrix as geqrf left it: its first k columns
        EXPECT_EQ(xunmqrBatch(handle_, type, lying.layout, side, op, m, n, k(), batch_, reflectors().data(),
                              reflectors().ld(), reflectors().stride(), tau_.data(), ldtau(), product.data(),
                              product.ld(), product.stride(), workspace.data(), bytes),
                  XBATCH_STATUS_SUCCESS)
            << message();
        EXPECT_TRUE(workspace.intact());
        return product.read();
    }
    // The first columns of each Q
    Matrices<T> formed(int64_t columns) {
        Matrices<T> v;
        for (const Dense<T> &a : packed) {
            v.emplace_back(m_, columns);
            for (int64_t c = 0; c < columns; ++c)
                for (int64_t i = 0; i < m_; ++i) v.back()(i, c) = c < k() ? a(i, c) : T(7);
        }
        PlacedBatch<T> q(where_, m_, columns, v, lying_);
        size_t bytes = 0;
        EXPECT_EQ(xungqrBatch_bufferSize(handle_, type, lying_.layout, m_, columns, k(), batch_, &bytes),
                  XBATCH_STATUS_SUCCESS);
        Workspace workspace(where_, bytes);
        EXPECT_EQ(xungqrBatch(handle_, type, lying_.layout, m_, columns, k(), batch_, q.data(), q.ld(), q.stride(),
                              tau_.data(), ldtau(), workspace.data(), bytes),
                  XBATCH_STATUS_SUCCESS)
            << message();
        EXPECT_TRUE(workspace.intact());
        return q.read();
    }

    Matrices<T> packed, tau;
    std::vector<int32_t> infos;

private:
    // A leading dimension of an array of vectors is a stride between matrices of one column, but where rows lie apart.
    BatchLying tau_lying() const { return {lying_.layout, 0, lying_.stride_padding, lying_.shift, lying_.block}; }
    int64_t ldtau() const { return tau_.stride(); }
    // Only the first k columns, where blocks would count the others
    PlacedBatch<T> &reflectors() {
        if (lying_.layout != XBATCH_LAYOUT_BLOCK_INTERLEAVED || n_ == k()) return a_;
        if (!thin_) {
            Matrices<T> v;
            for (const Dense<T> &a : packed) {
                v.emplace_back(m_, k());
                std::copy_n(a.data.begin(), m_ * k(), v.back().data.begin());
            }
            thin_ = std::make_unique<PlacedBatch<T>>(where_, m_, k(), v, lying_, false);
        }
        return *thin_;
    }

    xbatchHandle_t handle_;
    BatchLying lying_;
    int64_t m_, n_, batch_;
    xbatchBackend_t where_;
    PlacedBatch<T> a_, tau_;
    std::unique_ptr<PlacedBatch<T>> thin_;
};

template <class T>
struct SolvedBatch {
    Matrices<T> b;
    std::vector<int32_t> infos;
};
template <class T>
SolvedBatch<T> solve_gels_batch(xbatchHandle_t handle, xbatchOperation_t op, const Matrices<T> &a, const Matrices<T> &b,
                                BatchLying lying) {
    const xbatchBackend_t where = backend_of(handle);
    const int64_t m = a[0].m, n = a[0].n, nrhs = b[0].n, batch = int64_t(a.size());
    const auto type = Traits<T>::type;
    PlacedBatch<T> matrices(where, m, n, a, lying, false), right(where, std::max(m, n), nrhs, b, lying);
    size_t bytes = 0;
    EXPECT_EQ(xgelsBatch_bufferSize(handle, type, lying.layout, op, m, n, nrhs, batch, &bytes), XBATCH_STATUS_SUCCESS);
    Workspace workspace(where, bytes);
    Infos info(where, batch);
    EXPECT_EQ(
        xgelsBatch(handle, type, lying.layout, op, m, n, nrhs, batch, matrices.data(), matrices.ld(), matrices.stride(),
                   right.data(), right.ld(), right.stride(), info.data(), workspace.data(), bytes),
        XBATCH_STATUS_SUCCESS)
        << xbatchGetLastErrorMessage(handle);
    EXPECT_TRUE(workspace.intact());
    matrices.read();
    return {right.read(), info.read()};
}

// A few bits in each entry, and not near a singular matrix: to be scaled without loss
template <class T>
Dense<T> scalable_matrix(int64_t m, int64_t n, uint64_t seed) {
    Dense<T> a = random_eighths<T>(m, n, seed);
    for (int64_t i = 0; i < std::min(m, n); ++i) a(i, i) += scalar<T>(4);
    return a;
}
// X of matrices near the ends of the range is that of those of usual size, times a power of two. solve(a, b)
template <class T, class Solve>
void expect_scaled_as_wholes(xbatchOperation_t op, const Matrices<T> &a, const Matrices<T> &b, Solve solve) {
    using L = std::numeric_limits<Real<T>>;
    constexpr int low = L::min_exponent - L::digits + 4, high = L::max_exponent - 1;
    constexpr std::pair<int, int> exponents[] = {{0, 0},
                                                 {low, low},
                                                 {high - 3, high - 4},
                                                 {0, high - 4},
                                                 {low, low + L::max_exponent - 20},
                                                 {0, low + L::digits + 10}};
    Matrices<T> scaled_a, scaled_b;
    for (size_t j = 0; j < a.size(); ++j) {
        scaled_a.push_back(times_power_of_two(a[j], exponents[j % std::size(exponents)].first));
        scaled_b.push_back(times_power_of_two(b[j], exponents[j % std::size(exponents)].second));
    }
    const SolvedBatch<T> usual = solve(a, b), solved = solve(scaled_a, scaled_b);
    for (size_t j = 0; j < a.size(); ++j) {
        const auto [ea, eb] = exponents[j % std::size(exponents)];
        SCOPED_TRACE(testing::Message() << a[j].m << " x " << a[j].n << ", op " << op << ", 2^" << ea << ", 2^" << eb);
        EXPECT_EQ(solved.infos[j], 0);
        const Dense<T> x = times_power_of_two(solved.b[j], ea - eb), rest = times_power_of_two(solved.b[j], -eb);
        const int64_t unknowns = op == XBATCH_OP_N ? a[j].n : a[j].m;
        const int64_t exact = eb == low ? unknowns : b[j].m;  // below X is no exact number there
        long double worst = 0;
        for (int64_t r = 0; r < b[j].n; ++r)
            for (int64_t i = 0; i < exact; ++i)
                worst = worse(worst, std::abs((i < unknowns ? x : rest)(i, r) - usual.b[j](i, r)));
        EXPECT_LE(ratio<T>(worst, b[j].m, 1), 40);
    }
}

// Matrix `kind` of the tests: those of LAPACK's, and worse. An entry near the end of the range is followed in the batch
// by others that are not.
constexpr int64_t batch_kinds = 16;
template <class T>
Dense<T> matrix_of_kind(int64_t kind, int64_t m, int64_t n, uint64_t seed) {
    using R = Real<T>;
    using L = std::numeric_limits<R>;
    Dense<T> a = random_matrix<T>(m, n, seed + uint64_t(kind));
    const auto scale = [&](auto factor) {
        for (int64_t c = 0; c < n; ++c)
            for (int64_t i = 0; i < m; ++i) a(i, c) *= R(factor(i, c));
    };
    switch (kind % batch_kinds) {
        case 1: scale([](int64_t i, int64_t c) { return i == c; }); break;
        case 2: scale([](int64_t i, int64_t c) { return i <= c; }); break;
        case 3: scale([](int64_t, int64_t) { return L::min() / L::epsilon() / 4; }); break;
        case 4: scale([](int64_t, int64_t) { return L::max() / 1024; }); break;
        case 5: scale([](int64_t, int64_t) { return std::sqrt(L::min()) * R(1e-3); }); break;
        case 6: scale([](int64_t, int64_t) { return std::sqrt(L::max()) * R(1e3); }); break;
        case 7: scale([&](int64_t, int64_t c) { return c != 0 && c != n / 2 && c != n - 1; }); break;
        case 8: scale([](int64_t i, int64_t) { return std::pow(10.0, double(-i) / 3); }); break;
        case 9: scale([](int64_t i, int64_t) { return std::pow(10.0, double(i % 60) / 3); }); break;
        case 10: scale([](int64_t, int64_t c) { return std::pow(10.0, double(c % 60) / (c % 2 ? 3 : -3)); }); break;
        case 11:
            scale([](int64_t, int64_t c) { return c % 3 == 0 ? L::min() * 16 : c % 3 == 1 ? R(1) : L::max() / 1024; });
            break;
        case 12:  // rank one half
            for (int64_t c = n / 2; c < n; ++c)
                for (int64_t i = 0; i < m; ++i) a(i, c) = a(i, c - n / 2);
            break;
        case 13: scale([](int64_t, int64_t) { return 0; }); break;
        case 14: scale([](int64_t, int64_t) { return L::min(); }); break;
        case 15:
            for (int64_t i = 0; i < std::min(m, n); ++i) a(i, i) = scalar<T>(is_complex<T> ? 0 : 1, 1);
            break;
    }
    return a;
}

struct BatchShape {
    int64_t m, n, batch;
};
// Tests of batches on a backend
class QrBatchOn : public QrOn {
protected:
    template <class T>
    static Matrices<T> random_batch(const BatchShape &s, uint64_t seed, double diagonal = 0) {
        Matrices<T> a;
        for (int64_t j = 0; j < s.batch; ++j) {
            a.push_back(random_matrix<T>(s.m, s.n, seed + uint64_t(j) * 77));
            for (int64_t i = 0; i < std::min(s.m, s.n); ++i) a.back()(i, i) += scalar<T>(diagonal);
        }
        return a;
    }
    // The ratios of factors, and how far so many columns that are formed are from what they say
    template <class T>
    void expect_factored(const Matrices<T> &a, BatchLying lying, int64_t columns) {
        FactoredBatch<T> f(handle_, a, lying);
        const Matrices<T> formed = f.formed(columns);
        for (size_t j = 0; j < a.size(); ++j) {
            SCOPED_TRACE(testing::Message() << a[0].m << " x " << a[0].n << ", matrix " << j);
            EXPECT_EQ(f.infos[j], 0);
            expect_factors(a[j], f.packed[j], f.tau[j], formed[j]);
        }
    }
};

}  // namespace xbatch_test
