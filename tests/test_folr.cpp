// test_folr.cpp: first-order linear recurrences.
//
// Compared with the plain loop w_i = s_i w_{i-1} + t_i in wider arithmetic: |w_i - exact_i| is at most 8 eps (chunk +
// log2(chunks)) m_i with m_i = |s_i| m_{i-1} + |t_i|. Overflow or underflow of products of many s_i must have no effect
// where the loop has none. Inf and NaN propagate as in the loop, and only within their sequence. Only w is written.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>

#include "support/fixtures/recurrence.hpp"

namespace xbatch_test {
namespace {

struct Case {
    xbatchDirection_t direction;
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchBackend_t backend;
};

std::vector<Case> cases_of(xbatchBackend_t backend) {
    std::vector<Case> cases;
    for (xbatchDirection_t direction : {XBATCH_FORWARD, XBATCH_BACKWARD})
        for (xbatchDataType_t type : all_types)
            for (xbatchLayout_t layout : all_layouts) cases.push_back({direction, type, layout, backend});
    return cases;
}

std::vector<Case> flat_cases_of(xbatchBackend_t backend) {
    std::vector<Case> cases = cases_of(backend);
    cases.erase(std::remove_if(cases.begin(), cases.end(), [](Case c) { return c.layout != XBATCH_LAYOUT_FLAT; }),
                cases.end());
    return cases;
}

std::string name_of(const testing::TestParamInfo<Case> &info) {
    const Case &c = info.param;
    return letter(c.type) + std::string(c.direction == XBATCH_FORWARD ? "Forward" : "Backward") + layout_name(c.layout);
}

class Folr : public testing::TestWithParam<Case> {
protected:
    Folr() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    FolrPlacing placing(int64_t n, int64_t batch, int64_t k = 0) {
        return folr_placing(GetParam().layout, n, batch, k);
    }
    template <class T>
    std::vector<T> evaluate(const Recurrence<T> &p, FolrPlacing at) {
        return xbatch_test::evaluate(handle_, GetParam().backend, p, at);
    }
    template <class T>
    void expect_right(const Recurrence<T> &p, FolrPlacing at) {
        SCOPED_TRACE(testing::Message() << "n " << p.n << ", nrhs " << p.nrhs << ", batch " << p.batch << ", s "
                                        << int(p.s_is) << ", t " << int(p.t_is) << ", w0 " << !p.w0.empty() << ", ldw "
                                        << at.ldw << ", shift " << at.shift << ", in place " << at.in_place);
        EXPECT_LE(folr_error(p, evaluate(p, at)), folr_bound(p.n));
    }

    Handle handle_;
};
using FolrGraph = Folr;
using FolrDecay = Folr;

TEST_P(Folr, Sizes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n :
             {1,   2,   3,   5,   7,   8,   15,   16,   17,   31,   32,   33,   63,   64,   65,   127,  128, 129,
              255, 256, 257, 511, 512, 513, 1000, 1021, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193}) {
            const int64_t batch = n <= 64 ? 35 : 3;
            expect_right(make_recurrence<T>({n, 1 + k % 2, batch, GetParam().direction}, 0.99, k),
                         placing(n, batch, k));
            ++k;
        }
    });
}

TEST_P(Folr, BatchesAndRightHandSides) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t batch : {1, 2, 31, 32, 33, 1023, 1024, 1025})
            for (int64_t n : {1, 5, 17}) {
                expect_right(make_recurrence<T>({n, 1, batch, GetParam().direction}), placing(n, batch, k));
                ++k;
            }
        for (int64_t nrhs : {2, 3, 7, 33})
            for (int64_t n : {1, 64, 513}) {
                expect_right(make_recurrence<T>({n, nrhs, 5, GetParam().direction}), placing(n, 5, k));
                ++k;
            }
    });
}

// Arrays and constants, for each system and shared, with w0 and without
TEST_P(Folr, Operands) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (Operand s_is : all_operands)
            for (Operand t_is : all_operands)
                for (bool has_w0 : {false, true})
                    for (int64_t n : {1, 33, 700, k % 12 == 8 ? 5000 : 1500}) {
                        const RecurrenceShape shape{n, 2, 9, GetParam().direction, s_is, t_is, has_w0};
                        expect_right(make_recurrence<T>(shape, 0.99, k), placing(n, 9, k));
                        ++k;
                    }
    });
}

TEST_P(Folr, InPlace) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {1, 32, 100, 1000, 9000, 300007}) {
            const int64_t batch = n > 10000 ? 1 : 6;
            FolrPlacing at = placing(n, batch, k);
            at.in_place = true;
            expect_right(make_recurrence<T>({n, 2, batch, GetParam().direction}, 0.99, k), at);
            ++k;
        }
    });
}

// |s| up to 1.4: sequences grow and decay again.
TEST_P(Folr, Growth) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {100, 5000})
            expect_right(make_recurrence<T>({n, 1, 4, GetParam().direction}, 1.4), placing(n, 4));
        // a running sum: with s = 1 nothing decays
        Recurrence<T> sum = make_recurrence<T>({100003, 1, 1, GetParam().direction});
        std::fill(sum.s.begin(), sum.s.end(), T(1));
        expect_right(sum, placing(100003, 1));
    });
}

TEST_P(Folr, OneLongSequence) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const int64_t around_a_power_of_two = (1 << 20) + GetParam().layout - 1;
        for (int64_t n : {int64_t(100003), around_a_power_of_two})
            expect_right(make_recurrence<T>({n, 1, 1, GetParam().direction}, 1, n), placing(n, 1, n));
    });
}

// Patterns of s whose products overflow although the loop does not
TEST_P(Folr, ProductsThatOverflow) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        using R = Real<T>;
        const R huge = std::ldexp(R(1), std::numeric_limits<R>::max_exponent * 2 / 3), large = std::cbrt(huge);
        const double unit = is_complex<T> ? 0 : 1;  // ±1, or in complex arithmetic ±1 and ±i: products stay exact
        const T turns[] = {T(1), T(-1), scalar<T>(unit, 1), scalar<T>(-unit, -1)};
        for (int64_t n : {40, 1000, 20000, 300007}) {
            if (n > 100000 && GetParam().layout != XBATCH_LAYOUT_FLAT) continue;
            const int64_t batch = n > 100000 ? 1 : 3;
            const auto expect_right_with = [&](const char *what, auto s_of, double t_size, R start) {
                SCOPED_TRACE(what);
                Random random(5);
                Recurrence<T> p = make_recurrence<T>({n, 1, batch, GetParam().direction});
                for (int64_t j = 0; j < batch; ++j)
                    for (int64_t i = 0; i < n; ++i) {
                        const int64_t step = p.direction == XBATCH_FORWARD ? i : n - 1 - i;
                        p.s[j * n + i] = T(s_of(step)) * turns[random.bits() % 4];
                        p.t[j * n + i] *= R(t_size);
                    }
                for (T &w0 : p.w0) w0 *= start / std::abs(w0);
                expect_right(p, placing(n, batch));
            };
            const auto period = [&](int64_t i) { return i % 4 < 2 ? huge : 1 / huge; };
            expect_right_with("huge, huge, small, small from zero", period, 0, 0);
            expect_right_with("huge, huge, small, small from a small state", period, 0, 1 / huge / large);
            expect_right_with(
                "a run of large, the state zero", [&](int64_t) { return large; }, 0, 0);
            expect_right_with(
                "a run of small", [&](int64_t) { return 1 / large; }, 1, 1);
            expect_right_with(
                "large, reset by zeros", [&](int64_t i) { return i % 3 == 2 ? R(0) : large; }, 1, 1);
            expect_right_with(
                "all zero", [&](int64_t) { return R(0); }, 1, 1);
        }
    });
}

// A state of zero times an overflowed product must not give NaN; a NaN or Inf in the loop must appear.
TEST_P(Folr, NonFiniteValuesRunOnAsInTheLoop) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN(), inf = std::numeric_limits<Real<T>>::infinity();
        struct Bad {
            const char *what;
            bool in_s;
            Real<T> value;
            bool from_zero;
        };
        for (int64_t n : {37, 1500, 20000})
            for (const Bad &bad : {Bad{"NaN in t", false, nan, false},
                                   {"Inf in t", false, inf, false},
                                   {"NaN in s", true, nan, false},
                                   {"Inf in s", true, inf, false},
                                   {"NaN in s, the state zero", true, nan, true},
                                   {"Inf in s, the state zero", true, inf, true}}) {
                SCOPED_TRACE(testing::Message() << bad.what << ", n " << n);
                Recurrence<T> good = make_recurrence<T>({n, 1, 5, GetParam().direction});
                const int64_t victim = 2, row = n / 3;
                if (bad.from_zero) {
                    std::fill(&good.t[victim * n], &good.t[victim * n] + n, T(0));
                    good.w0[victim] = T(0);
                }
                Recurrence<T> p = good;
                (bad.in_s ? p.s : p.t)[victim * n + row] = T(bad.value);
                const std::vector<T> w = evaluate(p, placing(n, 5)), expected = evaluate(good, placing(n, 5));
                for (int64_t j = 0; j < 5; ++j)
                    for (int64_t i = 0; i < n; ++i) {
                        const bool is_after = GetParam().direction == XBATCH_FORWARD ? i >= row : i <= row;
                        if (j != victim)
                            ASSERT_EQ(std::memcmp(&w[j * n + i], &expected[j * n + i], sizeof(T)), 0)
                                << "sequence " << j << " was changed at " << i;
                        else
                            ASSERT_EQ(is_finite(w[j * n + i]), !is_after) << "at " << i << ", bad from " << row;
                    }
            }
    });
}

TEST_P(Folr, LayoutsAgree) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {9, 300, 4096}) {
            const Recurrence<T> p = make_recurrence<T>({n, 3, 6, GetParam().direction}, 0.5);
            const std::vector<T> here = evaluate(p, placing(n, 6, 1));
            for (xbatchLayout_t layout : all_layouts) {
                const std::vector<T> there = evaluate(p, folr_placing(layout, n, 6, 4));
                for (size_t k = 0; k < here.size(); ++k)
                    ASSERT_LE(modulus(Wide<T>(here[k]) - Wide<T>(there[k])), 64 * unit_roundoff<T>)
                        << layout_name(layout) << " at " << k;
            }
        }
    });
}

TEST_P(Folr, RunsAreBitwiseEqual) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {65, 2048, 300007}) {
            const int64_t batch = n > 10000 ? 1 : 50;
            const Recurrence<T> p = make_recurrence<T>({n, 1, batch, GetParam().direction});
            const std::vector<T> first = evaluate(p, placing(n, batch));
            for (int k = 0; k < 3; ++k) EXPECT_TRUE(same_bits(evaluate(p, placing(n, batch)), first)) << "n " << n;
        }
    });
}

TEST_P(Folr, TwoHandlesOnTwoThreads) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Recurrence<T> p[2] = {make_recurrence<T>({500, 1, 20, GetParam().direction}),
                                    make_recurrence<T>({40003, 1, 1, GetParam().direction})};
        const FolrPlacing at[2] = {placing(500, 20), placing(40003, 1)};
        const std::vector<T> alone[2] = {evaluate(p[0], at[0]), evaluate(p[1], at[1])};
        std::vector<std::vector<T>> together[2];
        std::thread threads[2];
        for (int k = 0; k < 2; ++k)
            threads[k] = std::thread([&, k] {
                Handle handle(GetParam().backend);
                for (int run = 0; run < 5; ++run)
                    together[k].push_back(xbatch_test::evaluate(handle, GetParam().backend, p[k], at[k]));
            });
        for (std::thread &thread : threads) thread.join();
        for (int k = 0; k < 2; ++k)
            for (const std::vector<T> &w : together[k]) EXPECT_TRUE(same_bits(w, alone[k])) << "thread " << k;
    });
}

TEST_P(Folr, NothingToDo) {
    const Case &c = GetParam();
    for (const auto &[n, nrhs, batch] : {std::array<int64_t, 3>{0, 2, 3}, {4, 0, 3}, {4, 2, 0}, {0, 0, 0}}) {
        const int64_t ld = std::max<int64_t>({n, batch, 1});
        size_t bytes = 1;
        EXPECT_EQ(xfolrPscheme_bufferSize(handle_, c.type, c.layout, c.direction, n, nrhs, batch, &bytes),
                  XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(bytes, 0u);
        EXPECT_EQ(xfolrPscheme(handle_, c.type, c.layout, c.direction, n, nrhs, batch, nullptr, 1, ld, nullptr, 1, ld,
                               nullptr, nullptr, ld, nullptr, 0),
                  XBATCH_STATUS_SUCCESS)
            << handle_.message();
    }
}

TEST_P(Folr, ShapesFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {1, 2, 17, 64, 129, 513, 1000, 2049, 4097, 8193})
            for (int64_t batch : {1, 2, 31, 32, 33, 129})
                for (int64_t nrhs : {1, 3}) {
                    const RecurrenceShape shape{
                        n, nrhs, batch, GetParam().direction, all_operands[k % 4], all_operands[k / 4 % 4], k % 3 != 0};
                    expect_right(make_recurrence<T>(shape, 0.99, k), placing(n, batch, k));
                    ++k;
                }
        expect_right(make_recurrence<T>({3, 1, 65537, GetParam().direction}), placing(3, 65537, 1));
        for (int64_t n : {(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 1 << 24})
            expect_right(make_recurrence<T>({n, 1, 1, GetParam().direction}, 1), placing(n, 1, n));
    });
}

TEST_P(FolrGraph, CapturedAndReplayed) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {64, 1000, 30011, 1 << 20}) {
            const int64_t batch = n > 10000 ? 1 : 40;
            const Recurrence<T> p = make_recurrence<T>({n, 1, batch, GetParam().direction});
            const std::vector<T> expected = evaluate(p, placing(n, batch));
            FolrCall<T> call(handle_, GetParam().backend, p, placing(n, batch));
            xbatchStatus_t status = XBATCH_STATUS_INTERNAL_ERROR;
            capture_and_replay(
                handle_, [&] { status = call.run(); }, 2, [&] { call.restore(); });
            ASSERT_EQ(status, XBATCH_STATUS_SUCCESS) << handle_.message();
            EXPECT_TRUE(same_bits(call.answer(), expected)) << "n " << n;
        }
    });
}

// A batch of long sequences, each shared by several blocks of a GPU: in some the influence of earlier elements decays
// soon, in others late, never, or only in places.
enum class Decay { random, fast, slow, never, alternating, resets, impulses, steps, grows, overflows, count };

template <class T>
T factor_of(Decay decay, int64_t i, Random &random) {
    using R = Real<T>;
    const T turn(random.bits() % 2 ? R(1) : R(-1));
    switch (decay) {
        case Decay::random: return random.unit<T>() * R(0.9);
        case Decay::fast: return T(R(0.5));
        case Decay::slow: return T(R(0.999));
        case Decay::never: return T(1 - std::numeric_limits<R>::epsilon());
        case Decay::alternating: return turn * R(0.9);
        case Decay::resets: return T(R(i % 100 == 7 ? 0 : 1));
        case Decay::impulses: return T(R(0.9));
        case Decay::steps: return T(std::exp2(-R(std::numeric_limits<R>::digits + 40) / (sizeof(T) == 16 ? 256 : 512)));
        case Decay::grows: return turn * R(i % 4096 < 2048 ? 1.01 : 0.9);
        default: return turn * std::ldexp(R(1), (i % 4 < 2 ? 1 : -1) * std::numeric_limits<R>::max_exponent * 2 / 3);
    }
}
template <class T>
T term_of(Decay decay, int64_t i, Random &random) {
    using R = Real<T>;
    const T t = random.unit<T>();
    if (decay == Decay::overflows) return T(R(0));
    if (decay == Decay::impulses) return t * R(i % 20011 == 5 ? 1 : 0);
    // A cut within the small terms omits too much: the large ones before have not decayed that far.
    if (decay == Decay::steps) return t * std::ldexp(R(1), i / 1000 % 2 ? -50 : 50);
    return t;
}
template <class T>
Recurrence<T> decaying(int64_t n, xbatchDirection_t direction) {
    Recurrence<T> p = make_recurrence<T>({n, 1, int64_t(Decay::count), direction});
    Random random(11);
    for (int64_t j = 0; j < p.batch; ++j)
        for (int64_t step = 0; step < n; ++step) {
            const int64_t i = direction == XBATCH_FORWARD ? step : n - 1 - step;
            p.s[j * n + i] = factor_of<T>(Decay(j), step, random);
            p.t[j * n + i] = term_of<T>(Decay(j), step, random);
        }
    p.w0[int64_t(Decay::overflows)] = T(0);
    return p;
}
constexpr int64_t long_enough = 400009;  // for cuts: 26 blocks of a GPU share each of the 10 sequences

TEST_P(FolrDecay, RightAndTheSameInEveryRun) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Recurrence<T> p = decaying<T>(long_enough, GetParam().direction);
        FolrPlacing at = placing(p.n, p.batch, 1);
        const std::vector<T> w = evaluate(p, at);
        EXPECT_LE(folr_error(p, w), folr_bound(p.n));
        at.in_place = true;
        EXPECT_TRUE(same_bits(evaluate(p, at), w)) << "in place";
        EXPECT_TRUE(same_bits(evaluate(p, at), w)) << "a second run";
    });
}

TEST_P(FolrDecay, NonFiniteValuesRunOnInTheirOwnSequence) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Recurrence<T> good = decaying<T>(long_enough, GetParam().direction);
        const std::vector<T> expected = evaluate(good, placing(good.n, good.batch));
        const Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN(), inf = std::numeric_limits<Real<T>>::infinity();
        const int64_t n = good.n, row = n / 3;
        struct Bad {
            bool in_s;
            Real<T> value;
            Decay victim;
        };
        for (const auto &[in_s, value, victim] : {Bad{false, nan, Decay::fast},
                                                  {false, inf, Decay::steps},
                                                  {true, nan, Decay::never},
                                                  {true, inf, Decay::random}}) {
            SCOPED_TRACE(testing::Message() << "in s " << in_s << ", " << value << ", sequence " << int(victim));
            Recurrence<T> p = good;
            (in_s ? p.s : p.t)[int64_t(victim) * n + row] = T(value);
            const std::vector<T> w = evaluate(p, placing(n, p.batch));
            for (int64_t j = 0; j < p.batch; ++j)
                for (int64_t i = 0; i < n; ++i) {
                    const bool is_after = p.direction == XBATCH_FORWARD ? i >= row : i <= row;
                    if (Decay(j) != victim)
                        ASSERT_EQ(std::memcmp(&w[j * n + i], &expected[j * n + i], sizeof(T)), 0)
                            << "sequence " << j << " was changed at " << i;
                    else
                        ASSERT_EQ(is_finite(w[j * n + i]), !is_after) << "at " << i << ", bad from " << row;
                }
        }
    });
}

TEST_P(FolrDecay, CapturedAndReplayed) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Recurrence<T> p = decaying<T>(long_enough, GetParam().direction);
        FolrPlacing at = placing(p.n, p.batch);
        at.in_place = true;
        const std::vector<T> expected = evaluate(p, at);
        FolrCall<T> call(handle_, GetParam().backend, p, at);
        xbatchStatus_t status = XBATCH_STATUS_INTERNAL_ERROR;
        capture_and_replay(
            handle_, [&] { status = call.run(); }, 2, [&] { call.restore(); });
        ASSERT_EQ(status, XBATCH_STATUS_SUCCESS) << handle_.message();
        EXPECT_TRUE(same_bits(call.answer(), expected));
    });
}

INSTANTIATE_TEST_SUITE_P(Host, Folr, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, Folr, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, FolrGraph, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, FolrDecay, testing::ValuesIn(flat_cases_of(XBATCH_BACKEND_CUDA)), name_of);

}  // namespace
}  // namespace xbatch_test
