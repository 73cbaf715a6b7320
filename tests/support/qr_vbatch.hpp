// qr_vbatch.hpp: matrices of several sizes, each somewhere in guarded memory, and one call of each routine of
// qr_vbatch.h. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr_batch.hpp"

namespace xbatch_test {

// How a call tells sizes: an array for each, or, of matrices of one size, none; and where matrices lie
struct Telling {
    bool has_sizes = true, has_lds = true;
    int64_t shift = 0;
};

// An array that the library reads, or NULL
template <class V>
class Told {
public:
    Told(xbatchBackend_t where, const std::vector<V> &values, bool is_told = true)
        : array_(where, int64_t(values.size())), is_told_(is_told) {
        for (size_t j = 0; j < values.size(); ++j) array_.set(int64_t(j), values[j]);
        array_.upload();
    }
    const V *data() { return is_told_ ? array_.data() : nullptr; }
    bool intact() {
        array_.download();
        return array_.intact();
    }

private:
    Array<V> array_;
    bool is_told_;
};

// Column-major matrices with gaps between them, the last one first. Where leading dimensions are told they differ.
template <class T>
class Scattered {
public:
    Scattered(xbatchBackend_t where, const Matrices<T> &a, Telling telling, bool may_change = true)
        : a_(a),
          lds_(leading_dimensions(a, telling.has_lds)),
          begins_(begins(a, lds_)),
          array_(where, begins_.back(), telling.shift),
          addresses_(where, addresses()),
          told_lds_(where, lds_, telling.has_lds) {
        for (size_t j = 0; j < a.size(); ++j)
            for (int64_t c = 0; c < a[j].n; ++c)
                for (int64_t i = 0; i < a[j].m; ++i) {
                    array_.set(begins_[j] + c * lds_[j] + i, a[j](i, c));
                    if (may_change) array_.may_change(begins_[j] + c * lds_[j] + i);
                }
        array_.upload();
    }
    void *const *data() { return const_cast<void *const *>(reinterpret_cast<const void *const *>(addresses_.data())); }
    const void *const *constant() { return const_cast<const void *const *>(data()); }
    const int64_t *lds() { return told_lds_.data(); }
    int64_t largest_ld() const { return *std::max_element(lds_.begin(), lds_.end()); }
    void restore() { array_.upload(); }
    // All of it; what surrounds them is as it was.
    Matrices<T> read() {
        array_.download();
        EXPECT_TRUE(array_.intact() && addresses_.intact() && told_lds_.intact());
        Matrices<T> found = a_;
        for (size_t j = 0; j < a_.size(); ++j)
            for (int64_t c = 0; c < a_[j].n; ++c)
                for (int64_t i = 0; i < a_[j].m; ++i) found[j](i, c) = array_[begins_[j] + c * lds_[j] + i];
        return found;
    }

private:
    static std::vector<int64_t> leading_dimensions(const Matrices<T> &a, bool differ) {
        std::vector<int64_t> lds;
        for (const Dense<T> &x : a) lds.push_back(std::max<int64_t>(x.m, 1) + (differ ? int64_t(lds.size()) % 3 : 2));
        return lds;
    }
    static std::vector<int64_t> begins(const Matrices<T> &a, const std::vector<int64_t> &lds) {
        std::vector<int64_t> found(a.size() + 1);
        int64_t at = 0;
        for (size_t j = a.size(); j-- > 0;) found[j] = at, at += lds[j] * a[j].n + int64_t(j) % 2;
        found.back() = at;
        return found;
    }
    std::vector<T *> addresses() {
        std::vector<T *> found;
        for (size_t j = 0; j < a_.size(); ++j)
            found.push_back(a_[j].data.empty() ? nullptr : array_.data() + begins_[j]);
        return found;
    }

    Matrices<T> a_;
    std::vector<int64_t> lds_, begins_;
    Array<T> array_;
    Told<T *> addresses_;
    Told<int64_t> told_lds_;
};

// Numbers of all matrices, told or not, and the largest
class Sizes {
public:
    Sizes(xbatchBackend_t where, const std::vector<int64_t> &values, bool is_told)
        : largest_(*std::max_element(values.begin(), values.end())), told_(where, values, is_told) {}
    const int64_t *data() { return told_.data(); }
    int64_t largest() const { return largest_; }
    bool intact() { return told_.intact(); }

private:
    int64_t largest_;
    Told<int64_t> told_;
};
template <class T, class F>
std::vector<int64_t> numbers_of(const Matrices<T> &a, F f) {
    std::vector<int64_t> found;
    for (const Dense<T> &x : a) found.push_back(f(x));
    return found;
}
template <class T>
std::vector<int64_t> rows_of(const Matrices<T> &a) {
    return numbers_of(a, [](const Dense<T> &x) { return x.m; });
}
template <class T>
std::vector<int64_t> columns_of(const Matrices<T> &a) {
    return numbers_of(a, [](const Dense<T> &x) { return x.n; });
}

// Matrices as xgeqrfVBatch left them, with what is done with their Q
template <class T>
class FactoredEach {
public:
    static constexpr xbatchDataType_t type = Traits<T>::type;

    // With the sizes m and n, or those that the matrices have
    FactoredEach(xbatchHandle_t handle, const Matrices<T> &a, Telling telling = {}, std::vector<int64_t> m = {},
                 std::vector<int64_t> n = {})
        : handle_(handle), where_(backend_of(handle)), telling_(telling), batch_(int64_t(a.size())) {
        Matrices<T> tau0;
        for (const Dense<T> &x : a) tau0.emplace_back(std::min(x.m, x.n), 1), ks_.push_back(tau0.back().m);
        Scattered<T> placed(where_, a, telling), taus(where_, tau0, telling);
        const std::vector<int64_t> own_m = rows_of(a), own_n = columns_of(a);
        Sizes limits_m(where_, own_m, false), limits_n(where_, own_n, false);
        Told<int64_t> ms(where_, m.empty() ? own_m : m, telling.has_sizes);
        Told<int64_t> ns(where_, n.empty() ? own_n : n, telling.has_sizes);
        const int64_t largest_m = limits_m.largest(), largest_n = limits_n.largest();
        size_t bytes = 0;
        EXPECT_EQ(xgeqrfVBatch_bufferSize(handle, type, largest_m, largest_n, batch_, &bytes), XBATCH_STATUS_SUCCESS);
        Workspace workspace(where_, bytes);
        Infos info(where_, batch_);
        EXPECT_EQ(xgeqrfVBatch(handle, type, largest_m, largest_n, batch_, ms.data(), ns.data(), placed.data(),
                               placed.largest_ld(), placed.lds(), taus.data(), info.data(), workspace.data(), bytes),
                  XBATCH_STATUS_SUCCESS)
            << message();
        EXPECT_TRUE(workspace.intact() && ms.intact() && ns.intact());
        packed = placed.read(), tau = taus.read(), infos = info.read();
    }
    const char *message() const { return xbatchGetLastErrorMessage(handle_); }

    // op(Q) C or C op(Q)
    Matrices<T> times(xbatchSide_t side, xbatchOperation_t op, const Matrices<T> &c) {
        Scattered<T> v(where_, packed, telling_, false), taus(where_, tau, telling_, false),
            product(where_, c, telling_);
        Sizes m(where_, rows_of(c), telling_.has_sizes), n(where_, columns_of(c), telling_.has_sizes),
            k(where_, ks_, telling_.has_sizes);
        size_t bytes = 0;
        EXPECT_EQ(
            xunmqrVBatch_bufferSize(handle_, type, side, op, m.largest(), n.largest(), k.largest(), batch_, &bytes),
            XBATCH_STATUS_SUCCESS);
        Workspace workspace(where_, bytes);
        Infos info(where_, batch_);
        EXPECT_EQ(
            xunmqrVBatch(handle_, type, side, op, m.largest(), n.largest(), k.largest(), batch_, m.data(), n.data(),
                         k.data(), v.constant(), v.largest_ld(), v.lds(), taus.constant(), product.data(),
                         product.largest_ld(), product.lds(), info.data(), workspace.data(), bytes),
            XBATCH_STATUS_SUCCESS)
            << message();
        EXPECT_TRUE(workspace.intact() && m.intact() && n.intact() && k.intact());
        v.read(), taus.read();
        EXPECT_EQ(info.read(), std::vector<int32_t>(packed.size(), 0));
        return product.read();
    }
    // The first columns[j] columns of each Q
    Matrices<T> formed(const std::vector<int64_t> &columns) {
        Matrices<T> start;
        for (size_t j = 0; j < packed.size(); ++j) {
            start.emplace_back(packed[j].m, columns[j]);
            for (int64_t c = 0; c < columns[j]; ++c)
                for (int64_t i = 0; i < packed[j].m; ++i) start[j](i, c) = c < ks_[j] ? packed[j](i, c) : T(7);
        }
        Scattered<T> q(where_, start, telling_), taus(where_, tau, telling_, false);
        Sizes m(where_, rows_of(start), telling_.has_sizes), n(where_, columns, telling_.has_sizes),
            k(where_, ks_, telling_.has_sizes);
        size_t bytes = 0;
        EXPECT_EQ(xungqrVBatch_bufferSize(handle_, type, m.largest(), n.largest(), k.largest(), batch_, &bytes),
                  XBATCH_STATUS_SUCCESS);
        Workspace workspace(where_, bytes);
        Infos info(where_, batch_);
        EXPECT_EQ(
            xungqrVBatch(handle_, type, m.largest(), n.largest(), k.largest(), batch_, m.data(), n.data(), k.data(),
                         q.data(), q.largest_ld(), q.lds(), taus.constant(), info.data(), workspace.data(), bytes),
            XBATCH_STATUS_SUCCESS)
            << message();
        EXPECT_TRUE(workspace.intact() && m.intact() && n.intact() && k.intact());
        taus.read();
        EXPECT_EQ(info.read(), std::vector<int32_t>(packed.size(), 0));
        return q.read();
    }

    Matrices<T> packed, tau;
    std::vector<int32_t> infos;

private:
    xbatchHandle_t handle_;
    xbatchBackend_t where_;
    Telling telling_;
    int64_t batch_;
    std::vector<int64_t> ks_;
};

template <class T>
SolvedBatch<T> solve_gels_each(xbatchHandle_t handle, xbatchOperation_t op, const Matrices<T> &a, const Matrices<T> &b,
                               Telling telling = {}) {
    const xbatchBackend_t where = backend_of(handle);
    const int64_t batch = int64_t(a.size());
    const auto type = Traits<T>::type;
    Scattered<T> matrices(where, a, telling, false), right(where, b, telling);
    Sizes m(where, rows_of(a), telling.has_sizes), n(where, columns_of(a), telling.has_sizes),
        nrhs(where, columns_of(b), telling.has_sizes);
    size_t bytes = 0;
    EXPECT_EQ(xgelsVBatch_bufferSize(handle, type, op, m.largest(), n.largest(), nrhs.largest(), batch, &bytes),
              XBATCH_STATUS_SUCCESS);
    Workspace workspace(where, bytes);
    Infos info(where, batch);
    EXPECT_EQ(xgelsVBatch(handle, type, op, m.largest(), n.largest(), nrhs.largest(), batch, m.data(), n.data(),
                          nrhs.data(), matrices.constant(), matrices.largest_ld(), matrices.lds(), right.data(),
                          right.largest_ld(), right.lds(), info.data(), workspace.data(), bytes),
              XBATCH_STATUS_SUCCESS)
        << xbatchGetLastErrorMessage(handle);
    EXPECT_TRUE(workspace.intact() && m.intact() && n.intact() && nrhs.intact());
    matrices.read();
    return {right.read(), info.read()};
}

}  // namespace xbatch_test
