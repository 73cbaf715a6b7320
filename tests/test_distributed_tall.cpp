// test_distributed_tall.cpp: QR and least squares of tall matrices whose rows are distributed over simulated ranks.
//
// R^H R = A^H A, and the residual of X is orthogonal to the columns of A, both relative to eps, whatever the cuts; on
// chunks the bits do not depend on the number of ranks. Every rank has the same results. Wrong arguments of one rank,
// and ranks that differ, end in the same status on all.
//
// A = Q R, Q^H Q = I, Q C and Q^H B as from Q that was formed, all relative to eps; the same bits as above.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/fixtures/tall.hpp"

namespace xbatch_test {
namespace {

// Errors in units of eps
template <class T>
void expect_right(const TallMatrix<T> &p, const TallAnswer<T> &answer) {
    EXPECT_EQ(answer.info, 0);
    const long double scale = (long double)(p.m) * unit_roundoff<T>;
    for (int64_t j = 0; j < p.n; ++j)
        for (int64_t k = 0; k <= j; ++k) {
            const Wide<T> gram = product(&p.a[size_t(k * p.m)], &p.a[size_t(j * p.m)], p.m),
                          factored = product(&answer.r[size_t(k * p.n)], &answer.r[size_t(j * p.n)], k + 1);
            EXPECT_LE(modulus(gram - factored), 8 * scale);
            if (k < j) {
                EXPECT_EQ(answer.r[size_t(k * p.n + j)], T(0)) << "below the diagonal";
            }
        }
    for (int64_t r = 0; r < p.nrhs; ++r) {
        std::vector<T> residual(size_t(p.m));
        Wide<T> squares(0);
        for (int64_t i = 0; i < p.m; ++i) {
            Wide<T> sum(p.b[size_t(r * p.m + i)]);
            for (int64_t j = 0; j < p.n; ++j)
                sum -= Wide<T>(p.a[size_t(j * p.m + i)]) * Wide<T>(answer.x[size_t(r * p.n + j)]);
            residual[size_t(i)] = T(sum), squares += modulus(sum) * modulus(sum);
        }
        for (int64_t j = 0; j < p.n; ++j)
            EXPECT_LE(modulus(product(&p.a[size_t(j * p.m)], residual.data(), p.m)), 32 * scale);
        EXPECT_NEAR(double(answer.norms[size_t(r)]), double(std::sqrt(std::real(squares))), double(32 * scale));
    }
}

class TallMp : public testing::TestWithParam<xbatchDataType_t> {};

TEST_P(TallMp, AllCuts) {
    with_type(GetParam(), [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[m, n, nrhs] :
             {std::array<int64_t, 3>{1, 1, 1}, {7, 7, 1}, {300, 5, 2}, {1000, 12, 3}, {64, 3, 0}}) {
            const TallMatrix<T> p = make_tall<T>(m, n, nrhs);
            std::optional<TallAnswer<T>> first;
            for (const int ranks : {1, 2, 3, 4, 7})
                for (const int flags : {XBATCH_MP_DEFAULT, XBATCH_MP_ANY_CUT}) {
                    SCOPED_TRACE(testing::Message() << m << " x " << n << ", " << ranks << " ranks, flags " << flags);
                    TallCall call{ranks, flags};
                    if (flags) {  // with empty shares, and some of fewer rows than columns
                        call.offsets.assign(size_t(ranks) + 1, m);
                        for (int q = 0; q < ranks; ++q) call.offsets[size_t(q)] = q < 2 ? 0 : m * q * q / ranks / ranks;
                    }
                    const std::vector<TallAnswer<T>> answers = solve(p, call);
                    for (const TallAnswer<T> &answer : answers) {
                        ASSERT_EQ(answer.status, XBATCH_STATUS_SUCCESS);
                        EXPECT_TRUE(same_bits(answer.r, answers[0].r) && same_bits(answer.x, answers[0].x));
                    }
                    expect_right(p, answers[0]);
                    if (flags) continue;
                    if (!first) first = answers[0];
                    EXPECT_TRUE(same_bits(first->r, answers[0].r) && same_bits(first->x, answers[0].x) &&
                                same_bits(first->norms, answers[0].norms))
                        << "bits depend on the number of ranks";
                }
        }
    });
}

TEST_P(TallMp, RankDeficientAndNotFinite) {
    with_type(GetParam(), [&](auto zero) {
        using T = decltype(zero);
        TallMatrix<T> p = make_tall<T>(500, 4, 1);
        std::fill_n(p.a.begin() + 2 * p.m, p.m, T(0));
        for (const TallAnswer<T> &answer : solve(p, {3, XBATCH_MP_DEFAULT})) {
            EXPECT_EQ(answer.status, XBATCH_STATUS_SUCCESS);
            EXPECT_EQ(answer.info, 3);
            EXPECT_FALSE(is_finite(answer.x[0]));
        }
        p = make_tall<T>(500, 4, 1);
        p.a[size_t(p.m + 400)] = scalar<T>(NAN);
        for (const TallAnswer<T> &answer : solve(p, {3, XBATCH_MP_DEFAULT})) {
            EXPECT_EQ(answer.info, 2);
            EXPECT_FALSE(is_finite(answer.x[3]));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, TallMp, testing::ValuesIn(all_types),
                         [](const auto &info) { return std::string(1, letter(info.param)) + "gelsTsMp"; });

TEST(TallMpArguments, AreRefusedByAllRanks) {
    const TallMatrix<double> p = make_tall<double>(300, 5, 1);
    TallCall call{3, XBATCH_MP_DEFAULT};
    call.bad_rank = 1;
    for (const TallAnswer<double> &answer : solve(p, call)) {
        EXPECT_EQ(answer.status, XBATCH_STATUS_INVALID_VALUE);
        EXPECT_EQ(answer.info, -1);
        EXPECT_EQ(answer.x, std::vector<double>(5));
    }
    call.bad_rank = -1, call.other_rank = 2;
    for (const TallAnswer<double> &answer : solve(p, call)) EXPECT_EQ(answer.status, XBATCH_STATUS_INVALID_VALUE);
}

TEST(TallMpArguments, OneRank) {
    World world(1);
    on_ranks(world, [](int, xbatchComm_t comm, xbatchHandle_t handle) {
        double a[12] = {}, r[9], x[3];
        int64_t offsets[2];
        size_t bytes = 0;
        const auto refused = [&](xbatchStatus_t status, const std::string &words) {
            EXPECT_EQ(status, XBATCH_STATUS_INVALID_VALUE);
            EXPECT_EQ(std::string(xbatchGetLastErrorMessage(handle)).substr(0, words.size()), words);
        };
        const auto call = [&](int64_t m, int64_t n, int64_t nrhs, int flags, int64_t lda, int64_t ldr, int64_t ldx,
                              const double *from) {
            return dgelsTsMp(comm, m, n, nrhs, nullptr, flags, from, lda, a, 4, r, ldr, x, ldx, nullptr, nullptr,
                             nullptr, 0);
        };
        refused(call(2, 3, 1, 0, 4, 3, 3, a), "dgelsTsMp: argument 1, m = 2");
        refused(call(4, -1, 1, 0, 4, 3, 3, a), "dgelsTsMp: argument 2, n = -1");
        refused(call(4, 3, -1, 0, 4, 3, 3, a), "dgelsTsMp: argument 3, nrhs = -1");
        refused(call(4, 3, 1, 2, 4, 3, 3, a), "dgelsTsMp: argument 5, flags");
        refused(call(4, 3, 1, 0, 3, 3, 3, a), "dgelsTsMp: argument 7, lda = 3");
        refused(call(4, 3, 1, 0, 4, 2, 3, a), "dgelsTsMp: argument 11, ldr = 2");
        refused(call(4, 3, 1, 0, 4, 3, 2, a), "dgelsTsMp: argument 13, ldx = 2");
        refused(call(4, 3, 1, 0, 4, 3, 3, nullptr), "dgelsTsMp: argument 6, A = NULL");
        EXPECT_EQ(call(4, 3, 1, 0, 4, 3, 3, a), XBATCH_STATUS_INSUFFICIENT_WORKSPACE);
        refused(xgelsTsMp_bufferSize(comm, XBATCH_R_64F, 4, 3, 1, nullptr, 0, nullptr),
                "xgelsTsMp_bufferSize: argument");
        refused(xgelsTsMpGetOffsets(comm, 2, 3, 1, offsets), "xgelsTsMpGetOffsets: argument 1, m = 2");
        EXPECT_EQ(xgelsTsMp_bufferSize(nullptr, XBATCH_R_64F, 4, 3, 1, nullptr, 0, &bytes),
                  XBATCH_STATUS_INVALID_HANDLE);
    });
}

// Exchange 0 compares the arguments, exchange 1 has the triangles.
TEST(TallMpFaults, EndOnEveryRank) {
    const TallMatrix<double> p = make_tall<double>(300, 5, 1);
    const TallCall call{3, XBATCH_MP_DEFAULT};
    for (const int64_t exchange : {0, 1})
        for (const Fault &fault : {Fault{Fault::silent, 2, exchange},
                                   {Fault::error_at_start, 0, exchange},
                                   {Fault::drop, 1, exchange, 0},
                                   {Fault::flip, 1, exchange, 2, 4}}) {
            SCOPED_TRACE(testing::Message() << "fault " << fault.kind << " of exchange " << exchange);
            World world(3, {fault});
            on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t handle) {
                EXPECT_EQ(xbatchCommSetTimeout(comm, 60), XBATCH_STATUS_SUCCESS);
                TallAnswer<double> answer = on_rank(p, call, rank, comm, handle);
                if (answer.status == XBATCH_STATUS_SUCCESS) answer = on_rank(p, call, rank, comm, handle);
                EXPECT_EQ(answer.status, XBATCH_STATUS_COMM_FAILED) << "rank " << rank;
                EXPECT_EQ(answer.info, -1);
                EXPECT_EQ(answer.x, std::vector<double>(5));
            });
        }
}

// As AllCuts; the last matrix has two columns that depend on others: Q is orthonormal all the same.
TEST_P(TallMp, QOfAllCuts) {
    with_type(GetParam(), [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[m, n, k] :
             {std::array<int64_t, 3>{1, 1, 1}, {7, 7, 1}, {300, 5, 2}, {700, 12, 3}, {64, 3, 0}, {90, 8, 2}}) {
            TallMatrix<T> p = make_tall<T>(m, n, k);
            if (m == 90) {
                std::copy_n(p.a.begin(), m, p.a.begin() + 2 * m);
                std::fill_n(p.a.begin() + 5 * m, m, T(0));
            }
            std::optional<std::vector<T>> bits;
            for (const int ranks : {1, 2, 3, 4, 7})
                for (const int flags : {XBATCH_MP_DEFAULT, XBATCH_MP_ANY_CUT}) {
                    SCOPED_TRACE(testing::Message() << m << " x " << n << ", " << ranks << " ranks, flags " << flags);
                    TallCall call{ranks, flags};
                    if (flags) {
                        call.offsets.assign(size_t(ranks) + 1, m);
                        for (int q = 0; q < ranks; ++q) call.offsets[size_t(q)] = q < 2 ? 0 : m * q * q / ranks / ranks;
                    }
                    const std::vector<FactoredTall<T>> answers = factor(p, call);
                    std::vector<T> all = gathered(answers, &FactoredTall<T>::q, m, n);
                    for (const FactoredTall<T> &answer : answers) {
                        ASSERT_EQ(answer.status, XBATCH_STATUS_SUCCESS);
                        EXPECT_EQ(answer.info, 0);
                        EXPECT_TRUE(same_bits(answer.r, answers[0].r) && same_bits(answer.adjoint, answers[0].adjoint));
                    }
                    EXPECT_LE(error_of(p, answers, all), 16);
                    if (flags) continue;
                    TallMatrix<T> alone = p;
                    alone.nrhs = 0;
                    EXPECT_TRUE(same_bits(solve(alone, call)[0].r, answers[0].r)) << "R of xgelsTsMp";
                    const std::vector<T> product = gathered(answers, &FactoredTall<T>::product, m, k);
                    for (const std::vector<T> *part : {&product, &answers[0].r, &answers[0].adjoint})
                        all.insert(all.end(), part->begin(), part->end());
                    if (!bits) bits = all;
                    EXPECT_TRUE(same_bits(*bits, all)) << "bits depend on the number of ranks";
                }
        }
    });
}

TEST_P(TallMp, QOfColumnsThatAreNotFinite) {
    with_type(GetParam(), [&](auto zero) {
        using T = decltype(zero);
        TallMatrix<T> p = make_tall<T>(500, 4, 1);
        p.a[size_t(p.m + 400)] = scalar<T>(NAN);
        for (const FactoredTall<T> &answer : factor(p, {3, XBATCH_MP_DEFAULT})) {
            EXPECT_EQ(answer.status, XBATCH_STATUS_SUCCESS);
            EXPECT_EQ(answer.info, 2);
        }
    });
}

TEST(TallMpArguments, OfQAreRefusedByAllRanks) {
    const TallMatrix<double> p = make_tall<double>(300, 5, 1);
    TallCall call{3, XBATCH_MP_DEFAULT};
    call.bad_rank = 1;
    for (const FactoredTall<double> &answer : factor(p, call)) {
        EXPECT_EQ(answer.status, XBATCH_STATUS_INVALID_VALUE);
        EXPECT_EQ(answer.info, -1);
    }
    call.bad_rank = -1, call.other_rank = 2;
    for (const FactoredTall<double> &answer : factor(p, call)) EXPECT_EQ(answer.status, XBATCH_STATUS_INVALID_VALUE);
}

// Calls on one rank, for a matrix of 4 x 3
struct SmallQ {
    xbatchComm_t comm;
    xbatchHandle_t handle;
    alignas(16) double a[12] = {1, 2, 3, 4, 4, 3, 2, 2, 1, 0, 0, 5}, r[9] = {}, q[12] = {}, c[3] = {}, b[4] = {};
    std::vector<double> factors = std::vector<double>(1000), workspace = std::vector<double>(1 << 16);
    size_t bytes = workspace.size() * sizeof(double);

    void refused(xbatchStatus_t status, const std::string &words) const {
        EXPECT_EQ(status, XBATCH_STATUS_INVALID_VALUE);
        EXPECT_EQ(std::string(xbatchGetLastErrorMessage(handle)).substr(0, words.size()), words)
            << xbatchGetLastErrorMessage(handle);
    }
    xbatchStatus_t geqrt(int64_t m, int64_t n, int flags, double *from, int64_t lda, void *to, int64_t ldr) {
        return dgeqrtTsMp(comm, m, n, nullptr, flags, from, lda, to, r, ldr, nullptr, workspace.data(), bytes);
    }
    xbatchStatus_t apply(xbatchOperation_t op, int64_t m, int64_t n, int64_t k, int64_t lda, const void *from,
                         double *to, int64_t ldb, double *with, int64_t ldc) {
        return dgemqrtTsMp(comm, op, m, n, k, nullptr, 0, a, lda, from, to, ldb, with, ldc, workspace.data(), bytes);
    }
    xbatchStatus_t form(int64_t n, int64_t lda, const void *from, double *to, int64_t ldq) {
        return dungqrtTsMp(comm, 4, n, nullptr, 0, a, lda, from, to, ldq, workspace.data(), bytes);
    }
};
// body(calls, factors)
template <class Body>
void with_small_q(Body body) {
    World world(1);
    on_ranks(world, [&](int, xbatchComm_t comm, xbatchHandle_t handle) {
        SmallQ small{comm, handle};
        body(small, small.factors.data());
    });
}

TEST(TallMpArguments, OfFactorsOnOneRank) {
    with_small_q([](SmallQ &s, double *f) {
        s.refused(s.geqrt(2, 3, 0, s.a, 4, f, 3), "dgeqrtTsMp: argument 1, m = 2");
        s.refused(s.geqrt(4, -1, 0, s.a, 4, f, 3), "dgeqrtTsMp: argument 2, n = -1");
        s.refused(s.geqrt(4, 3, 2, s.a, 4, f, 3), "dgeqrtTsMp: argument 4, flags");
        s.refused(s.geqrt(4, 3, 0, nullptr, 4, f, 3), "dgeqrtTsMp: argument 5, A = NULL");
        s.refused(s.geqrt(4, 3, 0, s.a, 3, f, 3), "dgeqrtTsMp: argument 6, lda = 3");
        s.refused(s.geqrt(4, 3, 0, s.a, 4, nullptr, 3), "dgeqrtTsMp: argument 7, factors = NULL");
        s.refused(s.geqrt(4, 3, 0, s.a, 4, f + 1, 3), "dgeqrtTsMp: argument 7, factors");
        s.refused(s.geqrt(4, 3, 0, s.a, 4, f, 2), "dgeqrtTsMp: argument 9, ldr = 2");
        s.bytes = 0;
        EXPECT_EQ(s.geqrt(4, 3, 0, s.a, 4, f, 3), XBATCH_STATUS_INSUFFICIENT_WORKSPACE);
        size_t sizes[2];
        s.refused(xgeqrtTsMp_bufferSize(s.comm, XBATCH_R_64F, 4, 3, nullptr, 0, nullptr, sizes),
                  "xgeqrtTsMp_bufferSize: argument 5, factorBytes = NULL");
        s.refused(xgemqrtTsMp_bufferSize(s.comm, XBATCH_R_64F, XBATCH_OP_N, 4, 3, 1, nullptr, 0, nullptr),
                  "xgemqrtTsMp_bufferSize: argument 7, workspaceBytes = NULL");
        s.refused(xungqrtTsMp_bufferSize(s.comm, XBATCH_R_64F, 4, 3, nullptr, 0, nullptr),
                  "xungqrtTsMp_bufferSize: argument 5, workspaceBytes = NULL");
        EXPECT_EQ(xungqrtTsMp_bufferSize(nullptr, XBATCH_R_64F, 4, 3, nullptr, 0, sizes), XBATCH_STATUS_INVALID_HANDLE);
    });
}

TEST(TallMpArguments, OfProductsOnOneRank) {
    with_small_q([](SmallQ &s, double *f) {
        s.refused(s.apply(XBATCH_OP_N, 4, 3, 1, 4, f, s.b, 4, s.c, 3), "dgemqrtTsMp: argument 9, factors, must be");
        EXPECT_EQ(s.geqrt(4, 3, 0, s.a, 4, f, 3), XBATCH_STATUS_SUCCESS);
        s.refused(s.apply(xbatchOperation_t(3), 4, 3, 1, 4, f, s.b, 4, s.c, 3), "dgemqrtTsMp: argument 1, op = 3");
        for (const xbatchOperation_t op : {XBATCH_OP_N, XBATCH_OP_T, XBATCH_OP_C}) {
            s.refused(s.apply(op, 2, 3, 1, 4, f, s.b, 4, s.c, 3), "dgemqrtTsMp: argument 2, m = 2");
            s.refused(s.apply(op, 4, -3, 1, 4, f, s.b, 4, s.c, 3), "dgemqrtTsMp: argument 3, n = -3");
            s.refused(s.apply(op, 4, 3, -1, 4, f, s.b, 4, s.c, 3), "dgemqrtTsMp: argument 4, k = -1");
            s.refused(s.apply(op, 4, 3, 1, 3, f, s.b, 4, s.c, 3), "dgemqrtTsMp: argument 8, lda = 3");
            s.refused(s.apply(op, 4, 3, 1, 4, nullptr, s.b, 4, s.c, 3), "dgemqrtTsMp: argument 9, factors = NULL");
            s.refused(s.apply(op, 4, 2, 1, 4, f, s.b, 4, s.c, 3), "dgemqrtTsMp: argument 9, factors, must be");
            s.refused(s.apply(op, 4, 3, 1, 4, f, nullptr, 4, s.c, 3), "dgemqrtTsMp: argument 10, B = NULL");
            s.refused(s.apply(op, 4, 3, 1, 4, f, s.b, 3, s.c, 3), "dgemqrtTsMp: argument 11, ldb = 3");
            s.refused(s.apply(op, 4, 3, 1, 4, f, s.b, 4, nullptr, 3), "dgemqrtTsMp: argument 12, C = NULL");
            s.refused(s.apply(op, 4, 3, 1, 4, f, s.b, 4, s.c, 2), "dgemqrtTsMp: argument 13, ldc = 2");
            EXPECT_EQ(s.apply(op, 4, 3, 0, 4, nullptr, nullptr, 4, nullptr, 3), XBATCH_STATUS_SUCCESS);
            EXPECT_EQ(s.apply(op, 4, 3, 1, 4, f, s.b, 4, s.c, 3), XBATCH_STATUS_SUCCESS);
        }
        s.refused(zgemqrtTsMp(s.comm, XBATCH_OP_T, 4, 3, 0, nullptr, 0, nullptr, 4, nullptr, nullptr, 4, nullptr, 3,
                              nullptr, 0),
                  "zgemqrtTsMp: argument 1, op, must be N or C");
        s.refused(s.form(3, 3, f, s.q, 4), "dungqrtTsMp: argument 6, lda = 3");
        s.refused(s.form(3, 4, f + 1, s.q, 4), "dungqrtTsMp: argument 7, factors");
        s.refused(s.form(3, 4, f, nullptr, 4), "dungqrtTsMp: argument 8, Q = NULL");
        s.refused(s.form(3, 4, f, s.q, 3), "dungqrtTsMp: argument 9, ldq = 3");
        EXPECT_EQ(s.form(3, 4, f, s.q, 4), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(s.form(0, 4, nullptr, nullptr, 4), XBATCH_STATUS_SUCCESS);
        s.bytes = 0;
        EXPECT_EQ(s.form(3, 4, f, s.q, 4), XBATCH_STATUS_INSUFFICIENT_WORKSPACE);
        EXPECT_EQ(s.apply(XBATCH_OP_C, 4, 3, 1, 4, f, s.b, 4, s.c, 3), XBATCH_STATUS_INSUFFICIENT_WORKSPACE);
    });
}

// Exchanges 0 and 1 are those of xgeqrtTsMp, 2 and 3 those of xgemqrtTsMp.
TEST(TallMpFaults, OfQEndOnEveryRank) {
    const TallMatrix<double> p = make_tall<double>(300, 5, 1);
    const TallCall call{3, XBATCH_MP_DEFAULT};
    for (const int64_t exchange : {0, 1, 2, 3})
        for (const Fault &fault : {Fault{Fault::silent, 2, exchange}, {Fault::flip, 1, exchange, 2, 4}}) {
            SCOPED_TRACE(testing::Message() << "fault " << fault.kind << " of exchange " << exchange);
            World world(3, {fault});
            on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t handle) {
                EXPECT_EQ(xbatchCommSetTimeout(comm, 60), XBATCH_STATUS_SUCCESS);
                FactoredTall<double> answer = factor_on_rank(p, call, rank, comm, handle);
                if (answer.status == XBATCH_STATUS_SUCCESS) answer = factor_on_rank(p, call, rank, comm, handle);
                EXPECT_EQ(answer.status, XBATCH_STATUS_COMM_FAILED) << "rank " << rank;
                EXPECT_EQ(answer.adjoint, std::vector<double>(5));
            });
        }
}

// Parts whose largest sum is as small as possible
TEST(TallMpArguments, SplitWeights) {
    World world(3);
    on_ranks(world, [](int, xbatchComm_t comm, xbatchHandle_t) {
        int64_t offsets[4];
        const std::vector<int64_t> nodes = {100, 1, 1, 1, 50, 50, 97};
        EXPECT_EQ(xbatchCommSplitWeights(comm, 7, nodes.data(), offsets), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(std::vector<int64_t>(offsets, offsets + 4), (std::vector<int64_t>{0, 3, 6, 7}));
        EXPECT_EQ(xbatchCommSplitWeights(comm, 0, nullptr, offsets), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(std::vector<int64_t>(offsets, offsets + 4), (std::vector<int64_t>{0, 0, 0, 0}));
        const int64_t huge[] = {INT64_MAX, INT64_MAX, 1};
        EXPECT_EQ(xbatchCommSplitWeights(comm, 3, huge, offsets), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(std::vector<int64_t>(offsets, offsets + 4), (std::vector<int64_t>{0, 1, 2, 3}));
        const int64_t negative = -1;
        EXPECT_EQ(xbatchCommSplitWeights(comm, 1, &negative, offsets), XBATCH_STATUS_INVALID_VALUE);
        EXPECT_EQ(xbatchCommSplitWeights(comm, 1, nullptr, offsets), XBATCH_STATUS_INVALID_VALUE);
        EXPECT_EQ(xbatchCommSplitWeights(comm, -1, nullptr, offsets), XBATCH_STATUS_INVALID_VALUE);
    });
}

}  // namespace
}  // namespace xbatch_test
