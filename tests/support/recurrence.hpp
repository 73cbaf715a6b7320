// recurrence.hpp: first-order recurrences for the tests: data, one call with everything around its arrays watched, and
// the plain loop in wider arithmetic with the bound that the contract gives.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "array.hpp"
#include "layout.hpp"
#include "random.hpp"

namespace xbatch_test {

// How s or t is given: an array, one sequence for all systems (ld = 0), a constant a system, or one constant for all.
enum class Operand { Array, SharedArray, Constant, SharedConstant };
constexpr Operand all_operands[] = {Operand::Array, Operand::SharedArray, Operand::Constant, Operand::SharedConstant};

constexpr bool is_constant(Operand o) { return o == Operand::Constant || o == Operand::SharedConstant; }
constexpr bool is_shared(Operand o) { return o == Operand::SharedArray || o == Operand::SharedConstant; }

// w_i = s_i w_{i-1} + t_i, or from the last to the first. s of system j at row i is at [j*n + i], t and w of right-hand
// side r at [(j*nrhs + r)*n + i], w0 at [j*nrhs + r] or empty for 0. Shared and constant operands are repeated here.
template <class T>
struct Recurrence {
    int64_t n, nrhs, batch;
    xbatchDirection_t direction;
    Operand s_is, t_is;
    std::vector<T> s, t, w0;

    int64_t entry(int64_t j, int64_t r, int64_t i) const { return (j * nrhs + r) * n + i; }
};

struct RecurrenceShape {
    int64_t n, nrhs, batch;
    xbatchDirection_t direction = XBATCH_FORWARD;
    Operand s_is = Operand::Array, t_is = Operand::Array;
    bool has_w0 = true;
};

// Moduli of s up to `growth`
template <class T>
Recurrence<T> make_recurrence(RecurrenceShape shape, double growth = 0.99, uint64_t seed = 1) {
    Recurrence<T> p{shape.n, shape.nrhs, shape.batch, shape.direction, shape.s_is, shape.t_is, {}, {}, {}};
    const auto fill = [&](Operand is, int64_t sequences, double size, uint64_t salt) {
        std::vector<T> values(sequences * p.n);
        for (int64_t q = 0; q < sequences; ++q) {
            Random random(seed * 1000003 + salt * 7919 + uint64_t(is_shared(is) ? 0 : q));
            const T constant = random.unit<T>() * Real<T>(size);
            for (int64_t i = 0; i < p.n; ++i)
                values[q * p.n + i] = is_constant(is) ? constant : random.unit<T>() * Real<T>(size);
        }
        return values;
    };
    p.s = fill(p.s_is, p.batch, growth, 1);
    p.t = fill(p.t_is, p.batch * p.nrhs, 1, 2);
    Random random(seed + 77);
    for (int64_t k = 0; shape.has_w0 && k < p.batch * p.nrhs; ++k) p.w0.push_back(random.unit<T>());
    return p;
}

struct FolrPlacing {
    xbatchLayout_t layout;
    int64_t lds, ldt, ldw;
    int64_t shift = 0;
    bool in_place = false;  // w is t
};

inline FolrPlacing folr_placing(xbatchLayout_t layout, int64_t n, int64_t batch, int64_t k = 0) {
    return {layout, leading_dimension(layout, n, batch, k), leading_dimension(layout, n, batch, k + 1),
            leading_dimension(layout, n, batch, k + 2), k % 2};
}

// The arrays of one call of xfolrPscheme
template <class T>
class FolrCall {
public:
    FolrCall(xbatchHandle_t handle, xbatchBackend_t backend, const Recurrence<T> &p, FolrPlacing at)
        : handle_(handle),
          p_(p),
          layout_(at.layout),
          in_place_(at.in_place),
          lds_(ld(p.s_is, at.lds)),
          ldt_(ld(p.t_is, at.ldt)),
          ldw_(at.in_place ? at.ldt : at.ldw),
          s_(backend, size(p.s_is, 1, lds_), at.shift),
          t_(backend, size(p.t_is, p.nrhs, ldt_), at.shift),
          w_(backend, extent(layout_, p.n, p.nrhs, p.batch, ldw_), at.shift),
          w0_(backend, int64_t(p.w0.size()), at.shift),
          workspace_(backend, workspace_bytes()) {
        for (int64_t j = 0; j < p.batch; ++j)
            for (int64_t i = 0; i < p.n; ++i) s_.set(place(p.s_is, 1, lds_, i, j, 0), p.s[j * p.n + i]);
        for (size_t k = 0; k < p.w0.size(); ++k) w0_.set(int64_t(k), p.w0[k]);
        restore();
        s_.upload(), w0_.upload(), w_.upload();
    }

    // t again, where w overwrote it
    void restore() {
        for (int64_t j = 0; j < p_.batch; ++j)
            for (int64_t r = 0; r < p_.nrhs; ++r)
                for (int64_t i = 0; i < p_.n; ++i) {
                    const int64_t to = place(p_.t_is, p_.nrhs, ldt_, i, j, r);
                    t_.set(to, p_.t[p_.entry(j, r, i)]);
                    if (in_place_) t_.may_change(to);
                    w_.may_change(element(layout_, p_.n, p_.nrhs, ldw_, i, j, r));
                }
        t_.upload();
    }

    xbatchStatus_t run() {
        return xfolrPscheme(handle_, Traits<T>::type, layout_, p_.direction, p_.n, p_.nrhs, p_.batch, s_.data(),
                            is_constant(p_.s_is) ? 0 : 1, lds_, t_.data(), is_constant(p_.t_is) ? 0 : 1, ldt_,
                            p_.w0.empty() ? nullptr : w0_.data(), in_place_ ? t_.data() : w_.data(), ldw_,
                            workspace_.data(), workspace_.bytes());
    }

    std::vector<T> answer() {
        s_.download(), t_.download(), w_.download(), w0_.download();
        EXPECT_TRUE(s_.intact() && w0_.intact()) << "s, w0 or their surroundings were written";
        EXPECT_TRUE(t_.intact()) << "t or its surroundings were written";
        EXPECT_TRUE(w_.intact()) << "padding or surroundings of w were written";
        EXPECT_TRUE(workspace_.intact()) << "surroundings of the workspace were written";
        std::vector<T> w(p_.batch * p_.nrhs * p_.n);
        const Array<T> &from = in_place_ ? t_ : w_;
        for (int64_t j = 0; j < p_.batch; ++j)
            for (int64_t r = 0; r < p_.nrhs; ++r)
                for (int64_t i = 0; i < p_.n; ++i)
                    w[p_.entry(j, r, i)] = from[element(layout_, p_.n, p_.nrhs, ldw_, i, j, r)];
        return w;
    }

private:
    // A constant of each system lies 3 elements from the next, to see that the distance is read.
    static int64_t ld(Operand is, int64_t of_array) { return is_shared(is) ? 0 : is_constant(is) ? 3 : of_array; }
    int64_t size(Operand is, int64_t nrhs, int64_t ld) const {
        if (is_constant(is)) return p_.batch * nrhs * std::max<int64_t>(ld, 1);
        return is_shared(is) ? p_.n : extent(layout_, p_.n, nrhs, p_.batch, ld);
    }
    int64_t place(Operand is, int64_t nrhs, int64_t ld, int64_t i, int64_t j, int64_t r) const {
        if (is_constant(is)) return (j * nrhs + r) * ld;
        return is_shared(is) ? i : element(layout_, p_.n, nrhs, ld, i, j, r);
    }
    size_t workspace_bytes() const {
        size_t bytes = 0;
        EXPECT_EQ(
            xfolrPscheme_bufferSize(handle_, Traits<T>::type, layout_, p_.direction, p_.n, p_.nrhs, p_.batch, &bytes),
            XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        return bytes;
    }

    xbatchHandle_t handle_;
    const Recurrence<T> &p_;
    xbatchLayout_t layout_;
    bool in_place_;
    int64_t lds_, ldt_, ldw_;
    Array<T> s_, t_, w_, w0_;
    Workspace workspace_;
};

template <class T>
std::vector<T> evaluate(xbatchHandle_t handle, xbatchBackend_t backend, const Recurrence<T> &p, FolrPlacing at) {
    FolrCall<T> call(handle, backend, p, at);
    EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS) << xbatchGetLastErrorMessage(handle);
    return call.answer();
}

// The plain loop over one sequence in wider arithmetic: visit(i, w_i, m_i), where m is the same recurrence over
// absolute values, m_i = |s_i| m_{i-1} + |t_i|.
template <class T, class Visit>
void plain_loop(const Recurrence<T> &p, int64_t j, int64_t r, Visit visit) {
    using W = Wide<T>;
    W w = p.w0.empty() ? W(0) : W(p.w0[j * p.nrhs + r]);
    long double m = modulus(w);
    for (int64_t step = 0; step < p.n; ++step) {
        const int64_t i = p.direction == XBATCH_FORWARD ? step : p.n - 1 - step;
        const W s = W(p.s[j * p.n + i]), t = W(p.t[p.entry(j, r, i)]);
        w = s * w + t;
        m = modulus(s) * m + modulus(t);
        visit(i, w, m);
    }
}

// The worst |w_i - exact_i| / m_i over a batch, in units of eps. The smallest normal number stands in for a smaller m.
template <class T>
long double folr_error(const Recurrence<T> &p, const std::vector<T> &w) {
    long double worst = 0;
    const long double least = std::numeric_limits<Real<T>>::min();
    for (int64_t j = 0; j < p.batch; ++j)
        for (int64_t r = 0; r < p.nrhs; ++r)
            plain_loop(p, j, r, [&](int64_t i, Wide<T> exact, long double m) {
                const long double error = modulus(Wide<T>(w[p.entry(j, r, i)]) - exact) / std::max(m, least);
                worst = worse(worst, error);
            });
    return worst / unit_roundoff<T>;
}

// 8 (chunk + log2(chunks)), the contract's bound in units of eps. How long a chunk is, each backend decides; rounding
// errors add up far slower than one a step, so that a bound for chunks of 512 holds for longer ones as well.
inline double folr_bound(int64_t n) {
    const double chunk = double(std::min<int64_t>(n, 512));
    return 8 * (chunk + std::log2(std::max(1.0, double(n) / chunk)));
}

}  // namespace xbatch_test
