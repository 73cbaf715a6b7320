// distributed.cpp: random systems distributed over simulated ranks: small residuals, the same bits as on one rank, and
// no effect of a NaN in one system on the others; and QR of tall matrices. The fixtures compare all bytes that a rank
// may not write.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/fixtures/distributed.hpp"
#include "support/fixtures/factor.hpp"
#include "support/fixtures/positive.hpp"
#include "support/fixtures/tall.hpp"

#include "draws.hpp"

namespace xbatch_test {
namespace {

struct DrawnSystems {
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    uint64_t seed;
    bool is_shared;
    Division division;

    explicit DrawnSystems(Dice &dice) {
        layout = dice.choose<xbatchLayout_t>(2);
        n = std::max<int64_t>(dice.size(600), 1), nrhs = dice.between(1, 3),
        batch = dice.between(1, dice.one_in(4) ? 70 : 9);
        while (n * nrhs * batch > 20000) n = (n + 1) / 2;
        seed = dice.seed(), is_shared = dice.one_in(3);
        division.method = dice.choose<MpMethod>(3);
        if (division.method == MpMethod::factored) division.op = dice.choose<xbatchOperation_t>(2);
        division.is_periodic =
            division.method == MpMethod::pivoted && n > 2 && dice.one_in(2);  // else it may be singular
        division.ranks = int(dice.between(1, 6)), division.threads = int(dice.between(1, 3));
        division.halo = dice.below(4), division.flags = dice.of<int>({0, XBATCH_MP_ALLTOALL, XBATCH_MP_ALLGATHER});
        if (dice.one_in(2)) division.flags += XBATCH_MP_ANY_CUT;
        if (dice.one_in(2)) division.offsets = random_cuts(n, division.ranks, division.flags & XBATCH_MP_ANY_CUT, seed);
    }
    template <class T>
    Systems<T> make() const {
        if (division.method == MpMethod::positive) return make_positive<T>(n, nrhs, batch, is_shared, seed);
        return make_systems<T>(n, nrhs, batch, {6, 2, 3, 7, 17, 18, 19, 20, 21}, is_shared, seed, division.is_periodic);
    }
};

template <class T>
std::string solve_drawn(const DrawnSystems &drawn, Dice &dice) {
    Systems<T> s = drawn.make<T>();
    const int64_t k = 4 * dice.below(9);  // a placing with info
    const MpAnswer<T> answer = solve_mp(s, drawn.layout, drawn.division, k);
    if (errors_of(turned(s, drawn.division.op), answer.x).backward > 32) return "a large backward error";
    for (const std::vector<int32_t> &info : answer.info)
        if (info != std::vector<int32_t>(size_t(s.batch), 0)) return "info of a system that can be solved";
    if (!(drawn.division.flags & XBATCH_MP_ANY_CUT)) {
        Division alone = drawn.division;
        alone.ranks = 1, alone.offsets.clear();
        if (!same_values(solve_mp(s, drawn.layout, alone, k).x, answer.x)) return "bits depend on the number of ranks";
    }
    if (s.batch > 1 && s.sets == s.batch) {
        const int64_t bad = dice.below(s.batch);
        s.d[size_t(s.row(bad, dice.below(s.n)))] = scalar<T>(NAN);
        const MpAnswer<T> other = solve_mp(s, drawn.layout, drawn.division, k);
        for (int64_t j = 0; j < s.batch; ++j) {
            const size_t first = size_t(s.entry(j, 0, 0)), count = size_t(s.nrhs * s.n);
            if (j != bad && std::memcmp(&answer.x[first], &other.x[first], count * sizeof(T)) != 0)
                return "a NaN in one system affects another";
            if ((other.info[0][size_t(j)] > 0) != (j == bad)) return "info of a system with a NaN, or of another";
        }
    }
    return testing::Test::HasFailure() ? "a check of the fixtures failed" : "";
}

template <class T>
std::string factor_drawn(int64_t m, int64_t n, int64_t k, const TallCall &call, bool has_full_rank) {
    TallMatrix<T> p = make_tall<T>(m, n, k);
    if (!has_full_rank) std::copy_n(p.a.begin(), m, p.a.begin() + (n - 1) * m);
    const std::vector<FactoredTall<T>> answers = factor(p, call);
    for (const FactoredTall<T> &answer : answers) {
        if (answer.status != XBATCH_STATUS_SUCCESS || answer.info != 0) return "a status or info";
        if (!same_values(answer.r, answers[0].r) || !same_values(answer.adjoint, answers[0].adjoint))
            return "ranks have different results";
    }
    const std::vector<T> q = gathered(answers, &FactoredTall<T>::q, m, n);
    if (!(error_of(p, answers, q) <= 16)) return "a large error of Q or R";
    if (!(call.flags & XBATCH_MP_ANY_CUT)) {
        const std::vector<FactoredTall<T>> alone = factor(p, {1, call.flags});
        if (!same_values(alone[0].q, q) || !same_values(alone[0].r, answers[0].r))
            return "bits depend on the number of ranks";
    }
    return testing::Test::HasFailure() ? "a check of the fixtures failed" : "";
}

}  // namespace

std::string fuzz_tall(xbatchHandle_t, Dice &dice) {
    const int64_t n = dice.between(1, 20), m = n + dice.size(400), k = dice.between(0, 3);
    TallCall call{int(dice.between(1, 6)), dice.one_in(2) ? XBATCH_MP_ANY_CUT : XBATCH_MP_DEFAULT};
    const bool has_full_rank = n == 1 || dice.one_in(2);
    if (call.flags) call.offsets = random_cuts(m, call.ranks, true, dice.seed());
    std::string error;
    with_type(dice.choose<xbatchDataType_t>(3),
              [&](auto zero) { error = factor_drawn<decltype(zero)>(m, n, k, call, has_full_rank); });
    if (error.empty()) return "";
    return error + ": m " + std::to_string(m) + ", n " + std::to_string(n) + ", k " + std::to_string(k) + ", ranks " +
           std::to_string(call.ranks) + ", flags " + std::to_string(call.flags);
}

std::string fuzz_distributed(xbatchHandle_t, Dice &dice) {
    const DrawnSystems drawn(dice);
    std::string error;
    with_type(dice.choose<xbatchDataType_t>(3), [&](auto zero) { error = solve_drawn<decltype(zero)>(drawn, dice); });
    if (error.empty()) return "";
    return error + ": method " + std::to_string(int(drawn.division.method)) + ", layout " +
           std::to_string(int(drawn.layout)) + ", n " + std::to_string(drawn.n) + ", nrhs " +
           std::to_string(drawn.nrhs) + ", batch " + std::to_string(drawn.batch) + ", ranks " +
           std::to_string(drawn.division.ranks) + ", flags " + std::to_string(drawn.division.flags);
}

}  // namespace xbatch_test
