// draw_factor.cpp: factorisations of and solves with tridiagonal matrices, and positive definite ones.
// SPDX-License-Identifier: BSD-3-Clause
#include "draws.hpp"
#include "support/fixtures/positive.hpp"

namespace xbatch_test {
namespace {

using Bytes = std::vector<unsigned char>;

// Bytes at an address valid for factors
class Aligned {
public:
    explicit Aligned(size_t bytes) : memory_(bytes / 16 + 1), bytes_(bytes) {}
    void *data() { return memory_.data(); }
    Bytes bytes() const {
        const auto *const first = reinterpret_cast<const unsigned char *>(memory_.data());
        return {first, first + bytes_};
    }

private:
    struct alignas(16) Sixteen {
        unsigned char bytes[16] = {};
    };
    std::vector<Sixteen> memory_;
    size_t bytes_;
};

template <class T>
std::vector<Real<T>> diagonal_of(const Systems<T> &s) {
    std::vector<Real<T>> d;
    for (const T &x : s.d) d.push_back(std::real(x));
    return d;
}
// e_i is below row i.
template <class T>
std::vector<T> subdiagonal_of(const Systems<T> &s) {
    std::vector<T> e = s.dl;
    if (!e.empty()) e.erase(e.begin()), e.push_back(T(0));
    return e;
}

// The size of factors of this shape; on the host they need no workspace.
template <class T>
size_t factor_bytes(Call &call, bool is_positive, xbatchLayout_t layout, int64_t n, int64_t sets) {
    size_t bytes = 0, none = 0;
    (is_positive ? xpttrfBatch_bufferSize : xgttrfBatch_bufferSize)(call.handle, Traits<T>::type, layout, n, sets,
                                                                    &bytes, &none);
    return bytes;
}

// Matrices that the library reads in a Systems (FLAT), or rearranged from there
template <class T>
Bytes factors_of(Call &call, bool is_positive, xbatchLayout_t layout, const Systems<T> &s) {
    const int64_t ld = layout == XBATCH_LAYOUT_FLAT ? std::max<int64_t>(s.n, 1) : std::max<int64_t>(s.sets, 1);
    const Spread spread = in_layout(layout, s.n, 1, s.sets, ld);
    const auto placed = [&](const auto &values) {
        auto memory = values;
        memory.assign(size_t(spread.extent), {});
        for (size_t k = 0; k < spread.places.size(); ++k) memory[size_t(spread.places[k])] = values[k];
        return memory;
    };
    Aligned factors(factor_bytes<T>(call, is_positive, layout, s.n, s.sets));
    const auto type = Traits<T>::type;
    if (is_positive)
        xpttrfBatch(call.handle, type, layout, s.n, s.sets, placed(diagonal_of(s)).data(),
                    placed(subdiagonal_of(s)).data(), ld, factors.data(), nullptr, nullptr, nullptr, 0);
    else
        xgttrfBatch(call.handle, type, layout, s.n, s.sets, placed(s.dl).data(), placed(s.d).data(),
                    placed(s.du).data(), ld, factors.data(), nullptr, nullptr, nullptr, nullptr, 0);
    return factors.bytes();
}

// The solutions of all systems by given factors
template <class T>
std::vector<T> solve_by(xbatchHandle_t handle, bool is_positive, xbatchLayout_t layout, const Bytes &bytes,
                        const Systems<T> &s) {
    const int64_t ld = layout == XBATCH_LAYOUT_FLAT ? s.n : s.batch;
    const Spread spread = in_layout(layout, s.n, s.nrhs, s.batch, ld);
    std::vector<T> b(static_cast<size_t>(spread.extent)), x;
    for (size_t k = 0; k < s.b.size(); ++k) b[size_t(spread.places[k])] = s.b[k];
    Aligned factors(bytes.size());
    std::memcpy(factors.data(), bytes.data(), bytes.size());
    size_t needed = 0;
    const auto type = Traits<T>::type;
    if (is_positive) {
        xpttrsBatch_bufferSize(handle, type, layout, s.n, s.nrhs, s.batch, s.sets, &needed);
        Aligned workspace(needed);
        xpttrsBatch(handle, type, layout, s.n, s.nrhs, s.batch, s.sets, factors.data(), b.data(), ld, workspace.data(),
                    needed);
    } else {
        xgttrsBatch_bufferSize(handle, type, layout, XBATCH_OP_N, s.n, s.nrhs, s.batch, s.sets, &needed);
        Aligned workspace(needed);
        xgttrsBatch(handle, type, layout, XBATCH_OP_N, s.n, s.nrhs, s.batch, s.sets, factors.data(), b.data(), ld,
                    workspace.data(), needed);
    }
    for (int64_t place : spread.places) x.push_back(b[size_t(place)]);
    return x;
}

template <class T>
Systems<T> draw_systems(Call &call, bool is_positive, const FuzzShape &s, bool is_shared) {
    if (is_positive)
        return make_positive<T>(s.n, s.nrhs, s.batch, is_shared, call.dice.seed(),
                                int(call.dice.below(positive_families)));
    std::vector<Family> of;
    for (Family family : regular)
        if (is_solvable<T>(family, s.n, false)) of.push_back(family);
    return make_systems<T>(s.n, s.nrhs, s.batch, {call.dice.of(of), call.dice.of(of)}, is_shared, call.dice.seed());
}

// dl, d and du, or d and e
template <class T>
void place_matrices(Call &call, bool is_positive, const Systems<T> &s, const Spread &spread) {
    const auto n = size_t(s.n);
    const auto is_first = [=](size_t k) { return k % n == 0; };
    const auto is_last = [=](size_t k) { return k % n == n - 1; };
    if (is_positive) {
        call.in("d", diagonal_of(s), spread);
        call.in("e", subdiagonal_of(s), Spread(spread).without(is_last));
    } else {
        call.in("dl", s.dl, Spread(spread).without(is_first));
        call.in("d", s.d, spread);
        call.in("du", s.du, Spread(spread).without(is_last));
    }
}

template <class T>
std::string expect_solved(const Systems<T> &s, const std::vector<T> &x) {
    return expect_within("the backward error", errors_of(s, x).backward, 32);
}

void draw_factorisation(Call &call, bool is_positive) {
    const FuzzShape s = draw_shape(call, false);
    const DrawnLd drawn = draw_ld(call.dice, s.layout, s.n, s.batch);
    const int64_t ldt = s.batch == 1 && call.dice.one_in(3) ? 0 : drawn.ld;
    call.ld("ldt", ldt, drawn.least, true);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const Systems<T> systems = draw_systems<T>(call, is_positive, s, false);
        Spread spread = in_layout(s.layout, s.n, 1, s.batch, ldt);
        if (ldt == 0) std::fill(spread.owners.begin(), spread.owners.end(), 0);
        place_matrices(call, is_positive, systems, spread);
        call.opaque("factors", Role::Out, Bytes(factor_bytes<T>(call, is_positive, s.layout, s.n, s.batch)));
        call.out_or_null<Real<T>>("logdet", s.batch);
        if (!is_positive) call.out_or_null<T>("sign", s.batch);
        call.info(s.batch, s.n, false);
        if (call.routine.has("bytes")) call.out<size_t>("factorBytes", side_by_side(1, 0));
        const auto handle = call.handle;
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            const Bytes factors = outcome.get<unsigned char>("factors");
            return expect_solved(systems, solve_by(handle, is_positive, s.layout, factors, systems));
        };
    });
}

void draw_solve(Call &call, bool is_positive) {
    const FuzzShape s = draw_shape(call);
    const bool is_shared = call.dice.one_in(3);
    const int64_t sets = is_shared ? 1 : s.batch;
    const DrawnLd ldb = draw_ld(call.dice, s.layout, s.n, s.batch);
    const auto op = is_positive ? XBATCH_OP_N : call.dice.choose<xbatchOperation_t>(2);
    call.choice("op", op, 2);
    call.ld("ldb", ldb.ld, ldb.least);
    call.set("sets", sets, {-1, INT64_MIN, s.batch + 2});
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        Systems<T> systems = draw_systems<T>(call, is_positive, s, is_shared);
        if (!call.is_empty) call.opaque("factors", Role::In, factors_of(call, is_positive, s.layout, systems));
        systems = with_operation(systems, op, call.dice.seed());
        call.inout("B", systems.b, in_layout(s.layout, s.n, s.nrhs, s.batch, ldb.ld));
        call.check = [=](const Outcome &outcome) { return expect_solved(systems, outcome.get<T>("B")); };
    });
}

}  // namespace

void draw_gttrf(Call &call) { draw_factorisation(call, false); }
void draw_pttrf(Call &call) { draw_factorisation(call, true); }
void draw_gttrs(Call &call) { draw_solve(call, false); }
void draw_pttrs(Call &call) { draw_solve(call, true); }

void draw_gtcon(Call &call) {
    const FuzzShape s = draw_shape(call, false);
    const auto norm = call.dice.choose<xbatchNorm_t>(1);
    call.choice("norm", norm, 1);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const Systems<T> systems = draw_systems<T>(call, false, s, false);
        if (!call.is_empty) call.opaque("factors", Role::In, factors_of(call, false, s.layout, systems));
        call.out<Real<T>>("rcond", side_by_side(s.batch));
        call.check = [=](const Outcome &outcome) {
            long double worst = 0;  // between the library's estimate and LAPACK's
            const std::vector<Real<T>> rcond = outcome.get<Real<T>>("rcond");
            for (int64_t j = 0; j < s.batch; ++j) {
                const long double found = rcond[size_t(j)];
                const long double lapack =
                    lapack_gtcon(lapack_gttrf(systems, j), norm, Real<T>(norm_of(systems, j, norm)));
                worst = worse(worst, std::max(found / lapack, lapack / found));
            }
            // Both are estimates, rarely below the true value by more than a small factor.
            return expect_within("the factor between condition numbers", worst, 10);
        };
    });
}

void draw_ptsv(Call &call) {
    const FuzzShape s = draw_shape(call);
    const bool is_shared = call.dice.one_in(4);
    const DrawnLd ldt = draw_ld(call.dice, s.layout, s.n, s.batch), ldb = draw_ld(call.dice, s.layout, s.n, s.batch);
    const int64_t used_ldt = is_shared ? 0 : ldt.ld;
    call.ld("ldt", used_ldt, ldt.least, true), call.ld("ldb", ldb.ld, ldb.least);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const Systems<T> systems = draw_systems<T>(call, true, s, is_shared);
        place_matrices(call, true, systems, in_layout(s.layout, s.n, 1, s.batch, used_ldt));
        call.inout("B", systems.b, in_layout(s.layout, s.n, s.nrhs, s.batch, ldb.ld));
        call.info(s.batch, s.n);
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            return expect_solved(systems, outcome.get<T>("B"));
        };
    });
}

}  // namespace xbatch_test
