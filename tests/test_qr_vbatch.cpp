// test_qr_vbatch.cpp: many small QRs of different sizes by arrays of pointers.
//
// Factors, products and least squares are checked by LAPACK's ratios and compared with LAPACK's, as in
// test_qr_batch.cpp; on the host they equal those of each matrix alone, bit by bit. Wrong sizes set info, and nothing
// of that matrix is accessed. Neither other matrices nor their order affect a matrix.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/fixtures/qr_vbatch.hpp"
#include "support/residuals/info.hpp"

namespace xbatch_test {
namespace {

constexpr long double bound = 10;

struct Size {
    int64_t m, n;
};

class QrVBatch : public QrOn {
protected:
    // Small and medium matrices mixed, some of them empty
    static std::vector<Size> mixed(int64_t count, int64_t most) {
        Random random(uint64_t(count + most));
        std::vector<Size> sizes = {{0, 5}, {5, 0}, {1, 1}, {most, most}, {most, 1}, {1, most}, {0, 0}};
        while (int64_t(sizes.size()) < count)
            sizes.push_back({int64_t(random.bits() % uint64_t(most)) + 1, int64_t(random.bits() % uint64_t(most)) + 1});
        return sizes;
    }
    template <class T>
    static Matrices<T> random_of(const std::vector<Size> &sizes, uint64_t seed, double diagonal = 0) {
        Matrices<T> a;
        for (const Size &s : sizes) {
            a.push_back(random_matrix<T>(s.m, s.n, seed += 77));
            for (int64_t i = 0; i < std::min(s.m, s.n); ++i) a.back()(i, i) += scalar<T>(diagonal);
        }
        return a;
    }
    template <class T>
    void expect_factored(const Matrices<T> &a, SizeForm form) {
        FactoredEach<T> f(handle_, a, form);
        std::vector<int64_t> columns;
        for (const Dense<T> &x : a) columns.push_back(x.m <= 40 && form.has_sizes ? x.m : std::min(x.m, x.n));
        const Matrices<T> formed = f.formed(columns);
        EXPECT_EQ(f.infos, std::vector<int32_t>(a.size(), 0));
        for (size_t j = 0; j < a.size(); ++j) {
            SCOPED_TRACE(testing::Message() << a[j].m << " x " << a[j].n << ", matrix " << j);
            if (!a[j].data.empty()) expect_factors(a[j], f.packed[j], f.tau[j], formed[j]);
        }
    }
    template <class T>
    void expect_solved(xbatchOperation_t op, const Matrices<T> &a, const Matrices<T> &b, SizeForm form) {
        const SolvedBatch<T> solved = solve_gels_each(handle_, op, a, b, form);
        for (size_t j = 0; j < a.size(); ++j) {
            SCOPED_TRACE(testing::Message() << a[j].m << " x " << a[j].n << ", op " << op);
            EXPECT_EQ(solved.infos[j], 0);
            if (a[j].data.empty() || b[j].data.empty()) {
                EXPECT_TRUE(same_bits(solved.b[j].data, b[j].data));
                continue;
            }
            Dense<T> expected = b[j];
            lapack_gels(op != XBATCH_OP_N, a[j], expected);
            long double worst = 0;
            for (int64_t r = 0; r < b[j].n; ++r)
                for (int64_t i = 0; i < (op == XBATCH_OP_N ? a[j].n : a[j].m); ++i)
                    worst = worse(worst, std::abs(solved.b[j](i, r) - expected(i, r)));
            EXPECT_LE(ratio<T>(worst, b[j].m, 1), 4 * bound);
        }
    }
};

TEST_P(QrVBatch, Factors) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const auto &[count, most] : {std::pair<int64_t, int64_t>{300, 12}, {120, 33}, {20, 100}})
            for (const SizeForm &form : {SizeForm{}, SizeForm{true, true, 1}})
                expect_factored(random_of<T>(mixed(count, most), 5), form);
        expect_factored(random_of<T>({{300, 20}, {3, 3}, {20, 200}, {260, 40}, {8, 8}}, 6), {});
    });
}

// Matrices of one size: without arrays of sizes, with and without an array of leading dimensions
TEST_P(QrVBatch, PointersToMatricesOfOneSize) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const Size &s : {Size{8, 8},
                              {5, 8},
                              {12, 12},
                              {24, 8},
                              {16, 11},
                              {9, 30},
                              {17, 17},
                              {40, 24},
                              {64, 20},
                              {104, 100},
                              {150, 90}}) {
            Matrices<T> a;
            for (int64_t j = 0; j < (s.m > 60 ? 3 : batch_kinds + 3); ++j)
                a.push_back(matrix_of_kind<T>(j, s.m, s.n, uint64_t(j)));
            for (const SizeForm &form :
                 {SizeForm{false, false, 0}, SizeForm{false, false, 1}, SizeForm{false, true, 1}})
                expect_factored(a, form);
        }
    });
}

// More than a GPU holds, so that its blocks factor several in sequence, of which every second one begins at no multiple
// of 16 bytes: equal ones get the same bits, and finite results are near those of a small batch.
TEST_P(QrVBatch, MoreOfOneSizeThanAreHeldAtOnce) {
    if (!is_cuda()) GTEST_SKIP() << "of CUDA";
    for_type([&](auto zero) {
        using T = decltype(zero);
        constexpr size_t period = 61;
        constexpr SizeForm form{false, false, 0};
        for (const auto &[s, batch] : {std::pair<Size, size_t>{{16, 13}, 9001}, {{32, 26}, 2503}}) {
            SCOPED_TRACE(testing::Message() << s.m << " x " << s.n);
            Matrices<T> few, many;
            for (size_t j = 0; j < period; ++j)
                few.push_back(matrix_of_kind<T>(j % 3 ? 0 : int64_t(j) / 3, s.m, s.n, j));
            few[7](s.m - 1, 2) = scalar<T>(std::numeric_limits<Real<T>>::quiet_NaN());
            for (size_t j = 0; j < batch; ++j) many.push_back(few[j % period]);
            const FactoredEach<T> expected(handle_, few, form), f(handle_, many, form);
            for (size_t j = 0; j < period; ++j)
                for (size_t x = 0; j % 3 != 0 && j != 7 && x < few[j].data.size(); ++x)
                    ASSERT_LE(std::abs(f.packed[j].data[x] - expected.packed[j].data[x]),
                              1e4 * double(s.m) * unit_roundoff<T>)
                        << "matrix " << j;
            for (size_t j = 0; j < batch; ++j) {
                const size_t first = j % period;
                ASSERT_TRUE(f.infos[j] == expected.infos[first] && same_bits(f.packed[j].data, f.packed[first].data) &&
                            same_bits(f.tau[j].data, f.tau[first].data))
                    << "matrix " << j;
            }
        }
    });
}

TEST_P(QrVBatch, LargeAmongSmallFull) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        std::vector<Size> sizes = mixed(200, 9);
        for (size_t j = 3; j < sizes.size(); j += 50) sizes[j] = {int64_t(150 + j), 130};
        expect_factored(random_of<T>(sizes, 8), {});
    });
}

// On the host the bits of a matrix do not depend on the others in its lane group.
TEST_P(QrVBatch, TheBitsOfEachAlone) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        if (is_cuda()) GTEST_SKIP() << "whose kernels are those of the largest of a class";
        std::vector<Size> sizes = mixed(150, 40);
        sizes.push_back({200, 60});
        Matrices<T> a = random_of<T>(sizes, 9);
        for (size_t j = 20; j < 20 + 2 * batch_kinds; ++j)
            a[j] = matrix_of_kind<T>(int64_t(j), sizes[j].m, sizes[j].n, uint64_t(j));
        const FactoredEach<T> f(handle_, a);
        Matrices<T> b;
        for (const Size &s : sizes) b.push_back(random_matrix<T>(std::max(s.m, s.n), 2, uint64_t(s.m)));
        const SolvedBatch<T> solved = solve_gels_each(handle_, XBATCH_OP_N, a, b);
        for (size_t j = 0; j < a.size(); ++j) {
            if (a[j].data.empty()) continue;
            SCOPED_TRACE(testing::Message() << sizes[j].m << " x " << sizes[j].n << ", matrix " << j);
            const FactoredBatch<T> one(handle_, {a[j]}, {});
            EXPECT_TRUE(same_bits(f.packed[j].data, one.packed[0].data) && same_bits(f.tau[j].data, one.tau[0].data));
            const SolvedBatch<T> alone = solve_gels_batch<T>(handle_, XBATCH_OP_N, {a[j]}, {b[j]}, {});
            EXPECT_EQ(solved.infos[j], alone.infos[0]);
            EXPECT_TRUE(solved.infos[j] != 0 || same_bits(solved.b[j].data, alone.b[0].data));
        }
    });
}

TEST_P(QrVBatch, Products) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        std::vector<Size> sizes = mixed(60, 35);
        sizes.push_back({170, 60}), sizes.push_back({60, 170});
        FactoredEach<T> f(handle_, random_of<T>(sizes, 5));
        Matrices<T> c, turned;
        for (size_t j = 0; j < sizes.size(); ++j) {
            c.push_back(random_matrix<T>(sizes[j].m, int64_t(j * 7 % 19), j));
            turned.push_back(adjoint(c[j]));
        }
        for (auto op : {XBATCH_OP_N, XBATCH_OP_C}) {
            const Matrices<T> of_left = f.times(XBATCH_SIDE_LEFT, op, c),
                              of_right = f.times(XBATCH_SIDE_RIGHT, op, turned);
            for (size_t j = 0; j < c.size(); ++j) {
                SCOPED_TRACE(testing::Message() << sizes[j].m << " x " << sizes[j].n << ", op " << op);
                const auto q = product_of_reflectors(f.packed[j], f.tau[j], sizes[j].m),
                           opq = op == XBATCH_OP_N ? q : adjoint(q);
                auto error = widened(of_left[j]);
                subtract_product(error, opq, widened(c[j]));
                EXPECT_LE(ratio<T>(one_norm(error), sizes[j].m, one_norm(widened(c[j]))), bound);
                error = widened(of_right[j]);
                subtract_product(error, widened(turned[j]), opq);
                EXPECT_LE(ratio<T>(one_norm(error), sizes[j].m, one_norm(widened(turned[j]))), bound);
            }
        }
    });
}

// Tall and wide matrices mixed, each with its own number of right-hand sides
TEST_P(QrVBatch, LeastSquaresAndLeastNorm) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        std::vector<Size> sizes = mixed(150, 34);
        sizes.insert(sizes.end(), {{160, 60}, {70, 160}, {300, 10}});
        const Matrices<T> a = random_of<T>(sizes, 5, 8);
        Matrices<T> b;
        for (size_t j = 0; j < sizes.size(); ++j)
            b.push_back(random_matrix<T>(std::max(sizes[j].m, sizes[j].n), int64_t(j % 5), j));
        for (auto op : {XBATCH_OP_N, is_complex<T> ? XBATCH_OP_C : XBATCH_OP_T})
            expect_solved(op, a, b, {true, true, 1});
    });
}

// Without arrays of sizes and of leading dimensions; matrices begin anywhere
TEST_P(QrVBatch, LeastSquaresAndLeastNormOfOneSize) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const Size &s :
             {Size{1, 1}, {8, 8}, {17, 12}, {12, 20}, {24, 24}, {40, 33}, {64, 16}, {30, 150}, {160, 60}})
            for (int64_t nrhs : {1, 3}) {
                const size_t batch = s.m * s.n > 1000 ? 3 : 19;
                const Matrices<T> a = random_of<T>(std::vector<Size>(batch, s), 5, 8);
                Matrices<T> b;
                for (size_t j = 0; j < batch; ++j) b.push_back(random_matrix<T>(std::max(s.m, s.n), nrhs, j));
                for (auto op : {XBATCH_OP_N, is_complex<T> ? XBATCH_OP_C : XBATCH_OP_T})
                    expect_solved(op, a, b, {false, false, nrhs % 2});
            }
    });
}

TEST_P(QrVBatch, NearTheEndsOfTheRange) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        Matrices<T> a, b;
        for (const Size &s :
             {Size{8, 8}, {20, 12}, {12, 20}, {300, 70}, {70, 300}, {1, 1}, {200, 90}, {5, 3}, {60, 9}}) {
            a.push_back(scalable_matrix<T>(s.m, s.n, a.size()));
            b.push_back(random_eighths<T>(std::max(s.m, s.n), 3, 9 + a.size()));
        }
        for (auto op : {XBATCH_OP_N, is_complex<T> ? XBATCH_OP_C : XBATCH_OP_T})
            expect_scaled_as_wholes(op, a, b, [&](const Matrices<T> &g, const Matrices<T> &right) {
                return solve_gels_each(handle_, op, g, right);
            });
    });
}

// A matrix with wrong sizes is refused in its info; all others have the bits they have without it.
TEST_P(QrVBatch, WrongSizes) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const Matrices<T> a = random_of<T>(mixed(40, 21), 3);
        const FactoredEach<T> good(handle_, a);
        const auto expect = [&](std::vector<int64_t> m, std::vector<int64_t> n, size_t wrong, int32_t expected) {
            const FactoredEach<T> found(handle_, a, {}, m, n);
            for (size_t j = 0; j < a.size(); ++j) {
                EXPECT_EQ(found.infos[j], j == wrong ? expected : 0);
                EXPECT_TRUE(same_bits(found.packed[j].data, j == wrong ? a[j].data : good.packed[j].data));
            }
        };
        const std::vector<int64_t> m = rows_of(a), n = columns_of(a);
        for (size_t j : {size_t(4), size_t(13)})
            for (int64_t value : {int64_t(-1), INT64_MIN, int64_t(22), INT64_MAX}) {
                std::vector<int64_t> wrong = m;
                wrong[j] = value;
                expect(wrong, n, j, -1);
                wrong = n, wrong[j] = value;
                expect(m, wrong, j, -2);
            }
        std::vector<int64_t> higher = m;  // greater than the leading dimension
        higher[12] = 21;
        if (a[12].m + 2 < 21) expect(higher, n, 12, -4);
    });
}

TEST_P(QrVBatch, NumbersThatAreNotFinite) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        std::vector<Size> sizes = mixed(80, 24);
        sizes[20] = {17, 9}, sizes[21] = {1, 3}, sizes[22] = {3, 9}, sizes.push_back({180, 70});
        const Matrices<T> good = random_of<T>(sizes, 4);
        const FactoredEach<T> expected(handle_, good);
        // The last column has no reflector, though those of matrices next to it in a lane group may have one.
        struct Place {
            size_t matrix;
            int64_t row, column, info;
        };
        for (const Place &nan : {Place{20, 5, 3, 4}, {21, 0, 0, 1}, {22, 1, 6, 0}, {sizes.size() - 1, 5, 3, 4}}) {
            const size_t wrong = nan.matrix;
            Matrices<T> a = good;
            a[wrong](nan.row, nan.column) = scalar<T>(std::numeric_limits<Real<T>>::quiet_NaN());
            const FactoredEach<T> f(handle_, a);
            for (size_t j = 0; j < a.size(); ++j) {
                EXPECT_EQ(f.infos[j], j == wrong ? nan.info : 0);
                EXPECT_TRUE(j == wrong || same_bits(f.packed[j].data, expected.packed[j].data));
            }
        }
    });
}

// Good pivots, and unknowns that are not finite in one matrix
TEST_P(QrVBatch, SolutionsThatAreNotFinite) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        std::vector<Size> sizes = mixed(60, 21);
        sizes.insert(sizes.end(), {{160, 60}, {70, 160}, {300, 10}});
        const Matrices<T> a = random_of<T>(sizes, 5, 8);
        Matrices<T> b;
        for (size_t j = 0; j < sizes.size(); ++j)
            b.push_back(random_matrix<T>(std::max(sizes[j].m, sizes[j].n), 1 + int64_t(j % 3), j));
        const SolvedBatch<T> good = solve_gels_each(handle_, XBATCH_OP_N, a, b);
        for (size_t victim : {size_t(3), size_t(8), sizes.size() - 3, sizes.size() - 2, sizes.size() - 1}) {
            if (a[victim].data.empty()) continue;
            Matrices<T> bad = b;
            bad[victim](sizes[victim].m - 1, b[victim].n - 1) = numbers_not_finite<T>()[0];
            const SolvedBatch<T> found = solve_gels_each(handle_, XBATCH_OP_N, a, bad);
            const int64_t k = std::min(sizes[victim].m, sizes[victim].n);
            for (size_t j = 0; j < sizes.size(); ++j) {
                EXPECT_EQ(found.infos[j], j == victim ? k + 1 : 0)
                    << "matrix " << j << " of " << sizes[j].m << " x " << sizes[j].n;
                EXPECT_TRUE(j == victim || same_bits(found.b[j].data, good.b[j].data));
            }
        }
    });
}

TEST_P(QrVBatch, OrderAndThreadsChangeNoBit) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        std::vector<Size> sizes = mixed(400, 19);
        sizes.push_back({190, 50});
        const Matrices<T> a = random_of<T>(sizes, 4), reversed(a.rbegin(), a.rend());
        const FactoredEach<T> expected(handle_, a);
        for (int threads : {1, 3}) {
            if (!is_cuda()) {
                ASSERT_EQ(xbatchSetThreadCount(handle_, threads), XBATCH_STATUS_SUCCESS);
            }
            const FactoredEach<T> f(handle_, reversed);
            for (size_t j = 0; j < a.size(); ++j)
                EXPECT_TRUE(same_bits(f.packed[j].data, expected.packed[a.size() - 1 - j].data));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, QrVBatch, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, QrVBatch, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);

// A graph of least squares, captured once and replayed, gives the bits of a plain call: the host makes no decisions in
// it.
TEST(QrVBatchCuda, CapturedAndReplayed) {
    Handle device(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(device);
    constexpr auto where = XBATCH_BACKEND_CUDA;
    Matrices<double> a, b;
    for (int64_t j = 0; j < 90; ++j) {
        a.push_back(random_matrix<double>(1 + j * 7 % 50, 1 + j * 11 % 40, uint64_t(j)));
        b.push_back(random_matrix<double>(std::max(a.back().m, a.back().n), j % 3, uint64_t(j) + 99));
    }
    Scattered<double> matrices(where, a, {}, false), right(where, b, {});
    Sizes m(where, rows_of(a), true), n(where, columns_of(a), true), nrhs(where, columns_of(b), true);
    size_t bytes = 0;
    EXPECT_EQ(dgelsVBatch_bufferSize(device, XBATCH_OP_N, m.largest(), n.largest(), nrhs.largest(), 90, &bytes),
              XBATCH_STATUS_SUCCESS);
    Workspace workspace(where, bytes);
    const auto work = [&] {
        EXPECT_EQ(dgelsVBatch(device, XBATCH_OP_N, m.largest(), n.largest(), nrhs.largest(), 90, m.data(), n.data(),
                              nrhs.data(), reinterpret_cast<const double *const *>(matrices.constant()),
                              matrices.largest_ld(), matrices.lds(), reinterpret_cast<double *const *>(right.data()),
                              right.largest_ld(), right.lds(), nullptr, workspace.data(), bytes),
                  XBATCH_STATUS_SUCCESS)
            << device.message();
    };
    capture_and_replay(device, work, 3, [&] { right.restore(); });
    const SolvedBatch<double> expected = solve_gels_each(device, XBATCH_OP_N, a, b);
    const Matrices<double> found = right.read();
    for (size_t j = 0; j < a.size(); ++j) EXPECT_TRUE(same_bits(found[j].data, expected.b[j].data)) << "matrix " << j;
}

}  // namespace
}  // namespace xbatch_test
