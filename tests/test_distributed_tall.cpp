// test_distributed_tall.cpp: QR and least squares of tall matrices whose rows are distributed over simulated ranks.
//
// R^H R = A^H A, and the residual of X is orthogonal to the columns of A, both relative to eps, whatever the cuts; on
// chunks the bits do not depend on the number of ranks. Every rank has the same results. Wrong arguments of one rank,
// and ranks that differ, end in the same status on all.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/fixtures/array.hpp"
#include "support/fixtures/simulated_layer.hpp"
#include "support/generators/random.hpp"
#include "support/residuals/layout.hpp"

namespace xbatch_test {
namespace {

template <class T>
struct TallMatrix {
    int64_t m, n, nrhs;
    std::vector<T> a, b;  // column-major
};
template <class T>
TallMatrix<T> make_tall(int64_t m, int64_t n, int64_t nrhs) {
    TallMatrix<T> p{m, n, nrhs, {}, {}};
    Random random(uint64_t(m * 31 + n));
    for (int64_t k = 0; k < m * n; ++k) p.a.push_back(random.unit<T>());
    for (int64_t k = 0; k < m * nrhs; ++k) p.b.push_back(random.unit<T>());
    return p;
}

template <class T>
struct TallAnswer {
    xbatchStatus_t status;
    std::vector<T> r, x;
    std::vector<Real<T>> norms;
    int32_t info;
};

struct TallCall {
    int ranks, flags;
    std::vector<int64_t> offsets = {};
    int bad_rank = -1;    // passes a wrong lda
    int other_rank = -1;  // has another n
};

template <class T>
TallAnswer<T> on_rank(const TallMatrix<T> &p, const TallCall &call, int rank, xbatchComm_t comm,
                      xbatchHandle_t handle) {
    std::vector<int64_t> offsets = call.offsets;
    if (offsets.empty()) {
        offsets.resize(size_t(call.ranks) + 1);
        EXPECT_EQ(xgelsTsMpGetOffsets(comm, p.m, p.n, p.nrhs, offsets.data()), XBATCH_STATUS_SUCCESS);
    }
    const int64_t first = offsets[size_t(rank)], rows = offsets[size_t(rank) + 1] - first, ld = rows + 3;
    Array<T> a(XBATCH_BACKEND_HOST, ld * p.n), b(XBATCH_BACKEND_HOST, ld * p.nrhs);
    for (int64_t j = 0; j < p.n; ++j)
        for (int64_t i = 0; i < rows; ++i) a.set(j * ld + i, p.a[size_t(j * p.m + first + i)]);
    for (int64_t j = 0; j < p.nrhs; ++j)
        for (int64_t i = 0; i < rows; ++i) b.set(j * ld + i, p.b[size_t(j * p.m + first + i)]);
    a.upload(), b.upload();
    size_t bytes = 0;
    EXPECT_EQ(xgelsTsMp_bufferSize(comm, Traits<T>::type, p.m, p.n, p.nrhs, offsets.data(), call.flags, &bytes),
              XBATCH_STATUS_SUCCESS)
        << xbatchGetLastErrorMessage(handle);
    Workspace workspace(XBATCH_BACKEND_HOST, bytes);
    TallAnswer<T> answer{XBATCH_STATUS_SUCCESS, std::vector<T>(size_t(p.n * p.n)), std::vector<T>(size_t(p.n * p.nrhs)),
                         std::vector<Real<T>>(size_t(p.nrhs)), -1};
    const bool has_bad_ld = rank == call.bad_rank;
    answer.status = xgelsTsMp(comm, Traits<T>::type, p.m, p.n - (rank == call.other_rank), p.nrhs, offsets.data(),
                              call.flags, a.data(), has_bad_ld ? rows - 1 : ld, b.data(), ld, answer.r.data(), p.n,
                              answer.x.data(), p.n, answer.norms.data(), &answer.info, workspace.data(), bytes);
    EXPECT_TRUE(a.intact() && b.intact() && workspace.intact());
    return answer;
}
template <class T>
std::vector<TallAnswer<T>> solve(const TallMatrix<T> &p, const TallCall &call) {
    World world(call.ranks);
    std::vector<TallAnswer<T>> answers(size_t(call.ranks));
    on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t handle) {
        answers[size_t(rank)] = on_rank(p, call, rank, comm, handle);
        EXPECT_EQ(xbatchCommSynchronize(comm), XBATCH_STATUS_SUCCESS);
    });
    return answers;
}

template <class T>
Wide<T> product(const T *x, const T *y, int64_t count) {  // x^H y
    Wide<T> sum(0);
    for (int64_t i = 0; i < count; ++i) {
        if constexpr (is_complex<T>)
            sum += std::conj(Wide<T>(x[i])) * Wide<T>(y[i]);
        else
            sum += Wide<T>(x[i]) * Wide<T>(y[i]);
    }
    return sum;
}

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
