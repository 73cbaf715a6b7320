// hines.hpp: batches of Hines systems, one call of the solver with everything around its arrays watched, and the
// errors of what it returned.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "hines_trees.hpp"
#include "tridiagonal.hpp"

namespace xbatch_test {

// Off-diagonal entries are spread over four decades, with random signs or phases. A row's, or a column's, diagonal is
// the sum of their moduli and a tenth more, or 1e-10 (in single precision a few eps) more.
enum class Entries { rows, nearly_rows, columns, nearly_columns, symmetric, wild };
constexpr Entries dominant_entries[] = {Entries::rows, Entries::nearly_rows, Entries::columns, Entries::nearly_columns};

template <class T>
struct HinesMatrix {
    std::vector<T> u, l, d;
};

template <class T>
T of_size(double size, Random &random) {
    const double angle = 3.14159265358979323846 * random.uniform();
    if constexpr (is_complex<T>) return scalar<T>(size * std::cos(angle), size * std::sin(angle));
    return scalar<T>(angle < 0 ? -size : size);
}

template <class T>
HinesMatrix<T> make_hines_matrix(const Parents &tree, Entries entries, Random &random) {
    const bool by_columns = entries == Entries::columns || entries == Entries::nearly_columns;
    const double margin = entries == Entries::nearly_rows || entries == Entries::nearly_columns
                              ? std::max(1e-10, 8 * unit_roundoff<T>)
                              : 0.1;
    HinesMatrix<T> a{std::vector<T>(tree.size()), std::vector<T>(tree.size()), std::vector<T>(tree.size())};
    std::vector<double> sums(tree.size());
    for (size_t i = 0; i < tree.size(); ++i) {
        if (tree[i] < 0) continue;
        const size_t p = size_t(tree[i]);
        a.l[i] = of_size<T>(std::pow(10, 2 * random.uniform() - 2), random);
        a.u[i] = entries == Entries::symmetric ? a.l[i] : of_size<T>(std::pow(10, 2 * random.uniform() - 2), random);
        sums[i] += std::abs(by_columns ? a.u[i] : a.l[i]);
        sums[p] += std::abs(by_columns ? a.l[i] : a.u[i]);
    }
    for (size_t i = 0; i < tree.size(); ++i) {
        const double sum = sums[i] > 0 ? sums[i] : 1;
        a.d[i] = of_size<T>(entries == Entries::wild ? sum * random.uniform() : sum * (1 + margin), random);
    }
    return a;
}

// System j has the tree morph[j] and the right-hand sides b[j]: row i of right-hand side r at [r*n + i].
template <class T>
struct HinesSystems {
    std::vector<Parents> trees;
    std::vector<int32_t> morph;
    bool is_mixed;  // morph is a part of the plan; otherwise there is one tree
    int64_t nrhs;
    bool shares_ul = false, shares_d = false, is_symmetric = false;
    std::vector<HinesMatrix<T>> a;
    std::vector<std::vector<T>> b;

    int64_t batch() const { return int64_t(morph.size()); }
    const Parents &tree(int64_t j) const { return trees[size_t(morph[size_t(j)])]; }
    int64_t n(int64_t j) const { return int64_t(tree(j).size()); }
};

struct Sharing {
    bool ul = false, d = false;
};

template <class T>
void fill_hines(HinesSystems<T> &s, const std::vector<Entries> &of, uint64_t seed) {
    s.is_symmetric = of[0] == Entries::symmetric;
    for (int64_t j = 0; j < s.batch(); ++j) {
        const bool shares = s.shares_ul || s.shares_d;
        const size_t set = size_t(shares ? s.morph[size_t(j)] : j);
        Random base(seed * 1000003 + set), own(seed * 7000003 + uint64_t(j));
        HinesMatrix<T> a = make_hines_matrix<T>(s.tree(j), of[set % of.size()], base);
        for (size_t i = 0; shares && i < a.d.size(); ++i) {  // what a system has for itself leaves it dominant
            const double factor = std::fabs(own.uniform());
            if (!s.shares_ul) a.u[i] *= Real<T>(factor), a.l[i] *= Real<T>(factor);
            if (!s.shares_d) a.d[i] *= Real<T>(1 + factor);
        }
        std::vector<T> b(static_cast<size_t>(s.nrhs * s.n(j)));
        for (T &value : b) value = scalar<T>(own.normal(), is_complex<T> ? own.normal() : 0);
        s.a.push_back(std::move(a)), s.b.push_back(std::move(b));
    }
}

template <class T>
HinesSystems<T> make_hines(const Parents &tree, int64_t nrhs, int64_t batch,
                           const std::vector<Entries> &of = {Entries::rows}, Sharing sharing = {}, uint64_t seed = 1) {
    HinesSystems<T> s{
        {tree}, std::vector<int32_t>(static_cast<size_t>(batch), 0), false, nrhs, sharing.ul, sharing.d, false, {}, {}};
    fill_hines(s, of, seed);
    return s;
}
template <class T>
HinesSystems<T> make_mixed_hines(const std::vector<Parents> &trees, const std::vector<int32_t> &morph, int64_t nrhs,
                                 const std::vector<Entries> &of = {Entries::rows}, Sharing sharing = {},
                                 uint64_t seed = 1) {
    HinesSystems<T> s{trees, morph, true, nrhs, sharing.ul, sharing.d, false, {}, {}};
    fill_hines(s, of, seed);
    return s;
}

// Where elements lie, as the tables of types.h and hines.h say: (i, j, r) at first[j] + r*stride[j] + i*step[j].
struct HinesPlaces {
    std::vector<int64_t> first, stride, step;
    int64_t extent = 0;

    int64_t operator()(int64_t i, int64_t j, int64_t r) const {
        return first[size_t(j)] + r * stride[size_t(j)] + i * step[size_t(j)];
    }
    void add(int64_t at, int64_t per_rhs, int64_t per_row) {
        first.push_back(at), stride.push_back(per_rhs), step.push_back(per_row);
    }
};

template <class T>
HinesPlaces hines_places(const HinesSystems<T> &s, xbatchLayout_t layout, int64_t nrhs, int64_t ld) {
    HinesPlaces places;
    std::vector<int64_t> counts(s.trees.size()), begins, passed(s.trees.size());
    for (int32_t m : s.morph) ++counts[size_t(m)];
    const bool in_blocks = layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED;
    for (size_t m = 0; m < s.trees.size(); ++m) {
        const int64_t n = int64_t(s.trees[m].size()), systems = in_blocks ? (counts[m] + ld - 1) / ld * ld : counts[m];
        begins.push_back(places.extent);
        places.extent += nrhs * n * systems;
    }
    if (!s.is_mixed) places.extent = extent(layout, int64_t(s.trees[0].size()), nrhs, s.batch(), ld);
    int64_t nodes = 0;
    for (int64_t j = 0; j < s.batch(); ++j) {
        const size_t m = size_t(s.morph[size_t(j)]);
        const int64_t n = s.n(j), k = passed[m]++;
        if (layout == XBATCH_LAYOUT_FLAT && s.is_mixed)
            places.add(nrhs * nodes, n, 1);
        else if (layout == XBATCH_LAYOUT_FLAT)
            places.add(j * nrhs * ld, ld, 1);
        else if (in_blocks)
            places.add(begins[m] + k / ld * nrhs * n * ld + k % ld, n * ld, ld);
        else
            places.add(begins[m] + k, n * (s.is_mixed ? counts[m] : ld), s.is_mixed ? counts[m] : ld);
        nodes += n;
    }
    return places;
}

// One set for each morphology
template <class T>
HinesPlaces shared_places(const HinesSystems<T> &s) {
    HinesPlaces places;
    std::vector<int64_t> begins;
    for (const Parents &tree : s.trees) begins.push_back(places.extent), places.extent += int64_t(tree.size());
    for (int32_t m : s.morph) places.add(begins[size_t(m)], 0, 1);
    return places;
}

// A plan of these trees. What no plan may read is garbage: entries before the first tree's, parents of node 0.
class HinesPlan {
public:
    HinesPlan(xbatchHandle_t handle, const std::vector<Parents> &trees, const std::vector<int32_t> *morph = nullptr,
              int base = 0, int64_t before = 3) {
        std::vector<int64_t> offsets = {before};
        std::vector<int32_t> parent(size_t(before), 0x7fffffff);
        bool is_forest = false;
        for (const Parents &tree : trees) {
            offsets.push_back(offsets.back() + int64_t(tree.size()));
            for (size_t i = 0; i < tree.size(); ++i) {
                const int32_t roots[] = {-1, base - 1, int32_t(i) + base};
                parent.push_back(i == 0 ? 0x7ffffff0 : tree[i] < 0 ? roots[i % 3] : tree[i] + base);
                is_forest = is_forest || (i > 0 && tree[i] < 0);
            }
        }
        EXPECT_EQ(xhinesCreatePlan(handle, int64_t(trees.size()), offsets.data(), parent.data(), base,
                                   is_forest ? XBATCH_HINES_FOREST : XBATCH_HINES_TREE,
                                   morph ? int64_t(morph->size()) : 0, morph ? morph->data() : nullptr, &plan_),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle);
    }
    ~HinesPlan() { EXPECT_EQ(xhinesDestroyPlan(plan_), XBATCH_STATUS_SUCCESS); }
    HinesPlan(const HinesPlan &) = delete;
    HinesPlan &operator=(const HinesPlan &) = delete;
    operator xbatchHinesPlan_t() const { return plan_; }

private:
    xbatchHinesPlan_t plan_ = nullptr;
};

template <class T>
std::unique_ptr<HinesPlan> plan_of(xbatchHandle_t handle, const HinesSystems<T> &s, int base = 0) {
    return std::make_unique<HinesPlan>(handle, s.trees, s.is_mixed ? &s.morph : nullptr, base);
}

struct HinesPlacing {
    xbatchLayout_t layout;
    int64_t ldul, ldd, ldb;
    int64_t shift = 0;  // of all base addresses, in elements
    bool with_info = true;
    xbatchOperation_t op = XBATCH_OP_N;
};

// x[j] lies as b[j]
template <class T>
struct HinesAnswer {
    std::vector<std::vector<T>> x;
    std::vector<int32_t> info;  // -1 where not asked for
};

// The arrays of one call
template <class T>
class HinesCall {
public:
    HinesCall(xbatchHandle_t handle, xbatchBackend_t backend, xbatchHinesPlan_t plan, const HinesSystems<T> &s,
              HinesPlacing p)
        : handle_(handle),
          plan_(plan),
          s_(s),
          p_(p),
          in_ul_(s.shares_ul ? shared_places(s) : hines_places(s, p.layout, 1, p.ldul)),
          in_d_(s.shares_d ? shared_places(s) : hines_places(s, p.layout, 1, p.ldd)),
          in_b_(hines_places(s, p.layout, s.nrhs, p.ldb)),
          u_(backend, in_ul_.extent, p.shift),
          l_(backend, s.is_symmetric ? 0 : in_ul_.extent, p.shift),
          d_(backend, in_d_.extent, p.shift),
          b_(backend, in_b_.extent, p.shift),
          info_(backend, p.with_info ? s.batch() : 0),
          workspace_(backend, workspace_bytes()) {
        for (int64_t j = 0; j < s.batch(); ++j) {
            const HinesMatrix<T> &a = s.a[size_t(j)];
            for (int64_t i = 0; i < s.n(j); ++i) {
                d_.set(in_d_(i, j, 0), a.d[size_t(i)]);
                if (is_root(s.tree(j), i)) continue;  // poison, which nothing may read
                u_.set(in_ul_(i, j, 0), a.u[size_t(i)]);
                if (!s.is_symmetric) l_.set(in_ul_(i, j, 0), a.l[size_t(i)]);
            }
        }
        info_.may_change_all();
        restore();
        for (Array<T> *array : {&u_, &l_, &d_}) array->upload();
        info_.upload();
    }

    // The right-hand sides again, in place of the solutions
    void restore() {
        for (int64_t j = 0; j < s_.batch(); ++j)
            for (int64_t k = 0; k < s_.nrhs * s_.n(j); ++k) {
                const int64_t to = in_b_(k % s_.n(j), j, k / s_.n(j));
                b_.set(to, s_.b[size_t(j)][size_t(k)]);
                b_.may_change(to);
            }
        b_.upload();
    }
    const void *u() { return u_.data(); }
    const void *l() { return s_.is_symmetric ? u_.data() : l_.data(); }
    const void *d() { return d_.data(); }
    void *b() { return b_.data(); }
    int32_t *info() { return p_.with_info ? info_.data() : nullptr; }
    int64_t ldul() const { return s_.shares_ul ? 0 : p_.ldul; }
    int64_t ldd() const { return s_.shares_d ? 0 : p_.ldd; }
    Workspace &workspace() { return workspace_; }

    xbatchStatus_t run() {
        return xhinesBatch(handle_, Traits<T>::type, p_.layout, p_.op, plan_, s_.nrhs, s_.batch(), u(), l(), ldul(),
                           d(), ldd(), b(), p_.ldb, info(), workspace_.data(), workspace_.bytes());
    }
    HinesAnswer<T> answer() {
        for (Array<T> *array : {&u_, &l_, &d_}) {
            array->download();
            EXPECT_TRUE(array->intact()) << "coefficients or their surroundings were written";
        }
        b_.download(), info_.download();
        EXPECT_TRUE(b_.intact()) << "padding or surroundings of B were written";
        EXPECT_TRUE(info_.intact()) << "surroundings of info were written";
        EXPECT_TRUE(workspace_.intact()) << "surroundings of the workspace were written";
        HinesAnswer<T> answer;
        for (int64_t j = 0; j < s_.batch(); ++j) {
            answer.info.push_back(p_.with_info ? info_[j] : -1);
            answer.x.emplace_back(static_cast<size_t>(s_.nrhs * s_.n(j)));
            for (int64_t k = 0; k < s_.nrhs * s_.n(j); ++k)
                answer.x.back()[size_t(k)] = b_[in_b_(k % s_.n(j), j, k / s_.n(j))];
        }
        return answer;
    }

private:
    size_t workspace_bytes() const {
        size_t bytes = 0;
        EXPECT_EQ(
            xhinesBatch_bufferSize(handle_, Traits<T>::type, p_.layout, p_.op, plan_, s_.nrhs, s_.batch(), &bytes),
            XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        return bytes;
    }

    xbatchHandle_t handle_;
    xbatchHinesPlan_t plan_;
    const HinesSystems<T> &s_;
    HinesPlacing p_;
    HinesPlaces in_ul_, in_d_, in_b_;
    Array<T> u_, l_, d_, b_;
    Array<int32_t> info_;
    Workspace workspace_;
};

// The k-th of a cycle through leading dimensions, block sizes, base addresses, with and without info
template <class T>
HinesPlacing hines_placing(xbatchLayout_t layout, const HinesSystems<T> &s, int64_t k = 0,
                           xbatchOperation_t op = XBATCH_OP_N) {
    const int64_t n = s.is_mixed ? 0 : int64_t(s.trees[0].size()), batch = s.is_mixed ? 0 : s.batch();
    const auto ld = [&](int64_t which) { return leading_dimension(layout, n, batch, which); };
    return {layout, ld(k), ld(k + 1), ld(2 * k + k % 3), k % 2, k % 4 != 3, op};
}

template <class T>
HinesAnswer<T> solve(xbatchHandle_t handle, xbatchHinesPlan_t plan, const HinesSystems<T> &s, HinesPlacing p) {
    HinesCall<T> call(handle, backend_of(handle), plan, s, p);
    EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS) << xbatchGetLastErrorMessage(handle);
    return call.answer();
}

// op(A): A(p, i), A(i, p), A(i, i)
template <class T>
HinesMatrix<T> applied(const HinesMatrix<T> &a, xbatchOperation_t op) {
    HinesMatrix<T> result = a;
    if (op == XBATCH_OP_N) return result;
    std::swap(result.u, result.l);
    if constexpr (is_complex<T>)
        for (std::vector<T> *entries : {&result.u, &result.l, &result.d})
            for (T &value : *entries) value = op == XBATCH_OP_C ? std::conj(value) : value;
    return result;
}

// max_i |b - A x|_i / (|A||x| + |b|)_i of a solution, in units of the unit roundoff eps
template <class T>
long double hines_error(const Parents &tree, const HinesMatrix<T> &a, const T *b, const T *solution) {
    using W = Wide<T>;
    std::vector<W> residual(tree.size());
    std::vector<long double> size(tree.size());
    const auto subtract = [&](size_t row, T entry, size_t column) {
        residual[row] -= W(entry) * W(solution[column]);
        size[row] += modulus(W(entry)) * modulus(W(solution[column]));
    };
    for (size_t i = 0; i < tree.size(); ++i) {
        residual[i] += W(b[i]), size[i] += modulus(W(b[i]));
        subtract(i, a.d[i], i);
        if (tree[i] < 0) continue;
        subtract(i, a.l[i], size_t(tree[i]));
        subtract(size_t(tree[i]), a.u[i], i);
    }
    long double worst = 0;
    for (size_t i = 0; i < tree.size(); ++i)
        worst = worse(worst, modulus(residual[i]) == 0 ? 0 : modulus(residual[i]) / size[i]);
    return worst / unit_roundoff<T>;
}

// The worst right-hand side of system j
template <class T>
long double hines_error(const HinesSystems<T> &s, int64_t j, const std::vector<T> &x, xbatchOperation_t op) {
    const HinesMatrix<T> a = applied(s.a[size_t(j)], op);
    long double worst = 0;
    for (int64_t r = 0; r < s.nrhs; ++r)
        worst = worse(worst, hines_error(s.tree(j), a, &s.b[size_t(j)][size_t(r * s.n(j))], &x[size_t(r * s.n(j))]));
    return worst;
}

// By LAPACK's gesv of the dense matrix
template <class T>
std::vector<T> dense_solution(const HinesSystems<T> &s, int64_t j, int64_t r, xbatchOperation_t op) {
    const HinesMatrix<T> a = applied(s.a[size_t(j)], op);
    const size_t n = size_t(s.n(j));
    std::vector<T> dense(n * n), x(s.b[size_t(j)].begin() + r * s.n(j), s.b[size_t(j)].begin() + (r + 1) * s.n(j));
    for (size_t i = 0; i < n; ++i) {
        dense[i * n + i] = a.d[i];
        if (is_root(s.tree(j), int64_t(i))) continue;
        const size_t p = size_t(s.tree(j)[i]);
        dense[i * n + p] = a.u[i], dense[p * n + i] = a.l[i];  // column after column
    }
    EXPECT_EQ(lapack_gesv(int64_t(n), dense.data(), x.data()), 0) << "LAPACK's gesv";
    return x;
}

}  // namespace xbatch_test
