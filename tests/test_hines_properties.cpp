// test_hines_properties.cpp: properties of the Hines solvers that need no reference.
//
// The same bits for every layout, leading dimension, batch size and position, in a mixed batch and alone, for
// operations that give the same matrix, in two runs, in graph replays, for any number of host threads, and divided
// among several handles. A zero or non-finite pivot sets info and changes no other system. Solutions are linear in the
// right-hand side.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>

#include "support/fixtures/hines_cases.hpp"

namespace xbatch_test {
namespace {

class HinesProperties : public HinesOn {
protected:
    // Small and large systems, chains and branched trees
    template <class T>
    static std::vector<HinesSystems<T>> all_systems(int64_t batch) {
        return {make_hines<T>(random_tree(401, 0.2), 2, batch), make_hines<T>(chain(300), 1, batch),
                make_hines<T>(shuffled(random_tree(2500, 0.05)), 1, 3), make_hines<T>(comb(3300, 99), 2, 3)};
    }
    template <class T>
    void expect_same(const HinesAnswer<T> &answer, const HinesAnswer<T> &expected) {
        ASSERT_EQ(answer.x.size(), expected.x.size());
        for (size_t j = 0; j < answer.x.size(); ++j)
            EXPECT_TRUE(same_bits(answer.x[j], expected.x[j])) << "system " << j;
    }
};
using HinesThreads = HinesProperties;
using HinesOnGraphs = HinesProperties;
class HinesMg : public HinesProperties {
protected:
    template <class T>
    void expect_shares_solved(int devices);
};

// Those systems alone
template <class T>
HinesSystems<T> chosen(const HinesSystems<T> &s, const std::vector<int64_t> &systems) {
    HinesSystems<T> some = s;
    some.morph.clear(), some.a.clear(), some.b.clear();
    for (int64_t j : systems) {
        some.morph.push_back(s.morph[size_t(j)]);
        some.a.push_back(s.a[size_t(j)]), some.b.push_back(s.b[size_t(j)]);
    }
    return some;
}
template <class T>
HinesAnswer<T> chosen(const HinesAnswer<T> &answer, const std::vector<int64_t> &systems) {
    HinesAnswer<T> some;
    for (int64_t j : systems) some.x.push_back(answer.x[size_t(j)]), some.info.push_back(answer.info[size_t(j)]);
    return some;
}

TEST_P(HinesProperties, LayoutsBatchesAndPlacesChangeNoBit) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const HinesSystems<T> &s : all_systems<T>(37)) {
            const HinesAnswer<T> expected = solve(s, hines_placing(XBATCH_LAYOUT_FLAT, s));
            expect_same(solve(s, placing(s)), expected);  // a second run, if the layout is FLAT
            for (int64_t count : {1, 2, 15, 16, 17, 31, 32, 33, 37}) {
                if (count > s.batch()) continue;
                std::vector<int64_t> reversed;
                for (int64_t j = 0; j < count; ++j) reversed.push_back(s.batch() - 1 - j);
                const HinesSystems<T> some = chosen(s, reversed);
                expect_same(solve(some, placing(some, count)), chosen(expected, reversed));
            }
        }
    });
}

TEST_P(HinesProperties, AMixedBatchChangesNoBit) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<int32_t> morph;
        for (int32_t j = 0; j < 50; ++j) morph.push_back(j * 7 % 3);
        const auto s = make_mixed_hines<T>({random_tree(200, 0.2), chain(45), star(30)}, morph, 2);
        const HinesAnswer<T> mixed = solve(s, placing(s));
        for (int32_t m = 0; m < 3; ++m) {
            std::vector<int64_t> systems;
            for (int64_t j = 0; j < s.batch(); ++j)
                if (morph[size_t(j)] == m) systems.push_back(j);
            HinesSystems<T> alone = chosen(s, systems);
            alone.trees = {s.trees[size_t(m)]}, alone.is_mixed = false;
            alone.morph.assign(systems.size(), 0);
            expect_same(solve(alone, placing(alone, m)), chosen(mixed, systems));
        }
    });
}

TEST_P(HinesProperties, OperationsThatMeanTheSameMatrixGiveTheSameBits) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const HinesSystems<T> &s : all_systems<T>(5))
            for (xbatchOperation_t op : operations) {
                HinesSystems<T> other = s;
                for (HinesMatrix<T> &a : other.a) a = applied(a, op);
                expect_same(solve(other, placing(s, 1, op)), solve(s, placing(s)));
            }
    });
}

TEST_P(HinesProperties, SharedCoefficientsAreCopiesOfThem) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        auto s = make_hines<T>(random_tree(300, 0.2), 2, 20, {Entries::columns}, {true, true});
        const HinesAnswer<T> shared = solve(s, placing(s));
        s.shares_ul = false;
        expect_same(solve(s, placing(s)), shared);
        s.shares_d = false;
        expect_same(solve(s, placing(s)), shared);
    });
}

TEST_P(HinesProperties, LinearInTheRightHandSide) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        auto s = make_hines<T>(random_tree(400, 0.2), 4, 3);
        const int64_t n = s.n(0);
        for (std::vector<T> &b : s.b)
            for (int64_t i = 0; i < n; ++i) b[2 * n + i] = b[i] + b[n + i], b[3 * n + i] = b[n + i] * Real<T>(-8);
        const HinesAnswer<T> answer = solve(s, placing(s));
        for (const std::vector<T> &x : answer.x) {
            std::vector<T> sum(x.begin(), x.begin() + n), scaled(x.begin() + n, x.begin() + 2 * n);
            for (int64_t i = 0; i < n; ++i) sum[i] += x[n + i], scaled[i] *= Real<T>(-8);
            EXPECT_LE(distance(&x[2 * n], sum.data(), n), 100);
            EXPECT_TRUE(same_bits(std::vector<T>(x.begin() + 3 * n, x.end()), scaled));
        }
    });
}

TEST_P(HinesProperties, RowScalingByPowersOfTwoChangesNoBit) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const HinesSystems<T> &s : all_systems<T>(5)) {
            HinesSystems<T> scaled = s;
            Random random(7);
            for (int64_t j = 0; j < s.batch(); ++j) {
                std::vector<Real<T>> power(static_cast<size_t>(s.n(j)));
                for (Real<T> &p : power) p = std::ldexp(Real<T>(1), int(random.bits() % 41) - 20);
                HinesMatrix<T> &a = scaled.a[size_t(j)];
                for (size_t i = 0; i < power.size(); ++i) {
                    a.d[i] *= power[i], a.l[i] *= power[i];
                    if (!is_root(s.tree(j), int64_t(i))) a.u[i] *= power[size_t(s.tree(j)[i])];
                    for (int64_t r = 0; r < s.nrhs; ++r) scaled.b[size_t(j)][size_t(r * s.n(j)) + i] *= power[i];
                }
            }
            expect_same(solve(scaled, placing(scaled)), solve(s, placing(s)));
        }
    });
}

// A change of one system, and the node that info must report; none if the pivots are unchanged.
struct Flaw {
    const char *name;
    int64_t node;
    bool is_exact;  // on every backend; otherwise with elimination from the tips
};

class HinesIsolation : public HinesProperties {
protected:
    // The victim's info is set; all others are unaffected.
    template <class T>
    void expect_isolated(const HinesSystems<T> &good, const Flaw &flaw,
                         const std::function<void(HinesMatrix<T> &)> &spoil) {
        const int64_t victim = good.batch() / 2;
        SCOPED_TRACE(testing::Message() << flaw.name << ", system " << victim << " of " << good.batch());
        HinesSystems<T> bad = good;
        spoil(bad.a[size_t(victim)]);
        const HinesAnswer<T> expected = solve(good, placing(good)), answer = solve(bad, placing(bad));
        for (int64_t j = 0; j < good.batch(); ++j) {
            if (j == victim) continue;
            EXPECT_EQ(answer.info[j], 0) << "system " << j;
            EXPECT_TRUE(same_bits(answer.x[j], expected.x[j])) << "system " << j << " was changed";
        }
        if (flaw.is_exact || is_from_the_tips()) {
            EXPECT_EQ(answer.info[victim], flaw.node + 1);
        } else {
            EXPECT_GE(answer.info[victim], 1);
            EXPECT_LE(answer.info[victim], good.n(victim));
        }
    }
};

TEST_P(HinesIsolation, ZeroAndNonFinitePivots) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const T nan = T(std::numeric_limits<Real<T>>::quiet_NaN()), inf = T(std::numeric_limits<Real<T>>::infinity());
        for (const auto &[n, batch] : {std::pair<int64_t, int64_t>{130, 40}, {130, 3}, {2500, 3}}) {
            const Parents tree = random_tree(n, n > 3000 ? 0.03 : 0.2);
            const auto s = make_hines<T>(tree, 2, batch);
            int64_t leaf = n - 1;
            for (int64_t k = 0; k < 3 || leaf > n / 2; ++k) do
                    --leaf;
                while (!is_leaf(tree, leaf));
            const int64_t last = n - 1, inner = tree[size_t(leaf)];  // the last node is a leaf
            using Matrix = HinesMatrix<T>;
            expect_isolated<T>(s, {"zero leaf", leaf, true}, [&](Matrix &a) { a.d[leaf] = T(0); });
            expect_isolated<T>(s, {"two zero leaves", last, true}, [&](Matrix &a) { a.d[leaf] = a.d[last] = T(0); });
            expect_isolated<T>(s, {"NaN at a leaf", leaf, true}, [&](Matrix &a) { a.d[leaf] = nan; });
            expect_isolated<T>(s, {"infinite leaf", leaf, true}, [&](Matrix &a) { a.d[leaf] = inf; });
            expect_isolated<T>(s, {"NaN inside", inner, false}, [&](Matrix &a) { a.d[inner] = nan; });
            expect_isolated<T>(s, {"NaN above a leaf", inner, false}, [&](Matrix &a) { a.u[leaf] = nan; });
            expect_isolated<T>(s, {"infinite coupling", inner, false}, [&](Matrix &a) { a.l[leaf] = inf; });
            expect_isolated<T>(s, {"zero row", inner, false}, [&](Matrix &a) {
                a.d[inner] = a.l[inner] = T(0);
                for (int64_t k = 0; k < n; ++k)
                    if (tree[size_t(k)] == inner) a.u[k] = T(0);
            });
            expect_isolated<T>(s, {"all zero", last, true}, [&](Matrix &a) {
                for (std::vector<T> *entries : {&a.u, &a.l, &a.d}) entries->assign(size_t(n), T(0));
            });
        }
    });
}

// A singular Laplacian: with small integers elimination from the tips is exact, up to the zero at the root.
TEST_P(HinesIsolation, SingularIntegers) {
    if (!is_from_the_tips()) GTEST_SKIP() << "pieces of a tree round";
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Parents &tree : {chain(1), chain(40), star(20), random_tree(130, 0.3)}) {
            const auto s = make_hines<T>(tree, 1, 19);
            expect_isolated<T>(s, {"sealed", 0, false}, [&](HinesMatrix<T> &a) {
                a.d.assign(tree.size(), T(0));
                for (size_t i = 0; i < tree.size(); ++i) {
                    a.u[i] = a.l[i] = T(-1);
                    if (tree[i] >= 0) a.d[i] += T(1), a.d[size_t(tree[i])] += T(1);
                }
            });
        }
    });
}

TEST_P(HinesIsolation, NaNInARightHandSideStaysThere) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const HinesSystems<T> &s : all_systems<T>(20)) {
            const int64_t n = s.n(0), victim = s.batch() / 2;
            HinesSystems<T> bad = s;
            bad.b[size_t(victim)][size_t(n / 2)] = T(std::numeric_limits<Real<T>>::quiet_NaN());
            const HinesAnswer<T> expected = solve(s, placing(s)), answer = solve(bad, placing(bad));
            std::vector<int32_t> info = expected.info;
            info[size_t(victim)] = int32_t(n + 1);
            EXPECT_EQ(answer.info, info);
            for (int64_t j = 0; j < s.batch(); ++j) {
                if (j != victim) {
                    EXPECT_TRUE(same_bits(answer.x[j], expected.x[j])) << "system " << j << " was changed";
                    continue;
                }
                EXPECT_FALSE(is_finite(answer.x[j][0])) << "the root depends on it";
                const auto others = [&](const HinesAnswer<T> &a) {
                    return std::vector<T>(a.x[j].begin() + n, a.x[j].end());
                };
                EXPECT_TRUE(same_bits(others(answer), others(expected))) << "another right-hand side was changed";
            }
        }
    });
}

TEST_P(HinesThreads, AnyNumberGivesTheSameBits) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<int32_t> morph;
        for (int32_t j = 0; j < 200; ++j) morph.push_back(j * 7 % 3);
        std::vector<HinesSystems<T>> all = all_systems<T>(100);
        all.push_back(make_mixed_hines<T>({random_tree(100, 0.2), chain(45), star(30)}, morph, 1));
        for (const HinesSystems<T> &s : all) {
            ASSERT_EQ(xbatchSetThreadCount(handle_, 1), XBATCH_STATUS_SUCCESS);
            const HinesAnswer<T> expected = solve(s, placing(s));
            for (int threads : {2, 3, 7}) {
                ASSERT_EQ(xbatchSetThreadCount(handle_, threads), XBATCH_STATUS_SUCCESS);
                expect_same(solve(s, placing(s)), expected);
            }
        }
    });
}

// Rows that are longer than those of other batches, and do not fit a cache
TEST_P(HinesThreads, ManySystemsGiveTheSameBits) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        ASSERT_EQ(xbatchSetThreadCount(handle_, 1), XBATCH_STATUS_SUCCESS);
        const auto s = make_hines<T>(random_tree(450, 0.1), 1, 601);
        const HinesAnswer<T> expected = solve(s, hines_placing(XBATCH_LAYOUT_FLAT, s));
        for (int64_t k : {0, 3}) expect_same(solve(s, placing(s, k)), expected);  // with and without info
    });
}

TEST_P(HinesOnGraphs, ReplaysGiveTheSameBits) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<int32_t> morph;
        for (int32_t j = 0; j < 50; ++j) morph.push_back(j * 7 % 3);
        std::vector<HinesSystems<T>> all = all_systems<T>(40);
        all.push_back(make_mixed_hines<T>({random_tree(100, 0.2), chain(45), star(30)}, morph, 1));
        for (const HinesSystems<T> &s : all) {
            const auto own = plan(s);
            const HinesPlacing p = placing(s);
            const HinesAnswer<T> direct = xbatch_test::solve(handle_, *own, s, p);
            HinesCall<T> call(handle_, GetParam().backend, *own, s, p);
            capture_and_replay(
                handle_, [&] { EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS) << handle_.message(); }, 3,
                [&] { call.restore(); });
            expect_same(call.answer(), direct);
        }
    });
}

// The arrays that xhinesBatchMg takes, one entry per share
template <class T>
struct Shares {
    std::vector<xbatchHandle_t> handles;
    std::vector<xbatchHinesPlan_t> plans;
    std::vector<int64_t> batch, ldul, ldd, ldb;
    std::vector<const void *> u, l, d;
    std::vector<void *> b, workspace;
    std::vector<int32_t *> info;
    std::vector<size_t> bytes;

    void add(xbatchHandle_t handle, xbatchHinesPlan_t plan, const HinesSystems<T> &s, HinesPlacing p,
             HinesCall<T> &call) {
        handles.push_back(handle), plans.push_back(plan), batch.push_back(s.batch());
        u.push_back(call.u()), l.push_back(call.l()), d.push_back(call.d()), b.push_back(call.b());
        ldul.push_back(call.ldul()), ldd.push_back(call.ldd()), ldb.push_back(p.ldb);
        info.push_back(call.info());
        workspace.push_back(call.workspace().data()), bytes.push_back(call.workspace().bytes());
    }
    xbatchStatus_t run(const HinesCase &c, xbatchOperation_t op, int64_t nrhs, bool with_info) {
        return xhinesBatchMg(int(handles.size()), handles.data(), c.type, c.layout, op, plans.data(), nrhs,
                             batch.data(), u.data(), l.data(), ldul.data(), d.data(), ldd.data(), b.data(), ldb.data(),
                             with_info ? info.data() : nullptr, workspace.data(), bytes.data());
    }
};

// Share k on device k % devices
template <class T>
void HinesMg::expect_shares_solved(int devices) {
    const HinesSystems<T> s[] = {
        make_hines<T>(random_tree(300, 0.2), 2, 20), make_hines<T>(chain(50), 2, 33),
        make_mixed_hines<T>({star(9), binary(31)}, {1, 0, 1, 1}, 2, {Entries::rows}, {true, true})};
    const auto on = [&](size_t k) {
        if (devices > 0) use_device(int(k) % devices);
    };
    for (bool with_info : {true, false}) {
        Shares<T> shares;
        std::vector<std::unique_ptr<Handle>> handles;
        std::vector<std::unique_ptr<HinesPlan>> plans;
        std::vector<std::unique_ptr<HinesCall<T>>> calls;
        for (size_t k = 0; k < 3; ++k) {
            on(k);
            HinesPlacing p = placing(s[k], int64_t(k), XBATCH_OP_C);
            p.with_info = with_info && k != 1;  // a share's info may be NULL, and so may all of info
            handles.push_back(std::make_unique<Handle>(GetParam().backend));
            plans.push_back(plan_of(*handles[k], s[k]));
            calls.push_back(std::make_unique<HinesCall<T>>(*handles[k], GetParam().backend, *plans[k], s[k], p));
            shares.add(*handles[k], *plans[k], s[k], p, *calls[k]);
        }
        on(0);
        ASSERT_EQ(shares.run(GetParam(), XBATCH_OP_C, 2, with_info), XBATCH_STATUS_SUCCESS) << handles[0]->message();
        for (size_t k = 0; k < 3; ++k) {
            on(k);
            const HinesAnswer<T> answer = calls[k]->answer();
            calls[k].reset(), plans[k].reset();
            on(0);
            expect_same(answer, solve(s[k], placing(s[k], 0, XBATCH_OP_C)));
            EXPECT_EQ(answer.info, std::vector<int32_t>(size_t(s[k].batch()), with_info && k != 1 ? 0 : -1));
        }
    }
}

TEST_P(HinesMg, SharesAreSolvedAsAlone) {
    with_type(GetParam().type, [&](auto zero) { expect_shares_solved<decltype(zero)>(0); });
}
TEST_P(HinesMg, SharesOnTwoDevicesAreSolvedAsAlone) {
    if (GetParam().backend == XBATCH_BACKEND_HOST || device_count() < 2) GTEST_SKIP() << "there are no two devices";
    with_type(GetParam().type, [&](auto zero) { expect_shares_solved<decltype(zero)>(2); });
}

TEST_P(HinesMg, AWrongShareIsNamedAndNothingWritten) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const auto s = make_hines<T>(random_tree(30, 0.2), 2, 20);
        Handle second(GetParam().backend), third(GetParam().backend);
        const xbatchHandle_t handles[] = {handle_, second, third};
        const auto own = plan(s);
        const HinesPlacing p = hines_placing(GetParam().layout, s);
        HinesCall<T> first(handle_, GetParam().backend, *own, s, p), middle(second, GetParam().backend, *own, s, p),
            last(third, GetParam().backend, *own, s, p);
        HinesCall<T> *calls[] = {&first, &middle, &last};
        const auto expect_refused = [&](const char *what, xbatchStatus_t status,
                                        const std::function<void(Shares<T> &)> &spoil) {
            SCOPED_TRACE(what);
            Shares<T> shares;
            for (size_t k = 0; k < 3; ++k) shares.add(handles[k], *own, s, p, *calls[k]);
            spoil(shares);
            EXPECT_EQ(shares.run(GetParam(), XBATCH_OP_N, 2, true), status);
            EXPECT_NE(std::string(handle_.message()).find("share 2"), std::string::npos) << handle_.message();
            for (HinesCall<T> *call : calls) {
                const HinesAnswer<T> answer = call->answer();
                for (int64_t j = 0; j < s.batch(); ++j) EXPECT_TRUE(same_bits(answer.x[j], s.b[j]));
                EXPECT_EQ(answer.info, std::vector<int32_t>(size_t(s.batch()), -1));
            }
        };
        const xbatchStatus_t invalid = XBATCH_STATUS_INVALID_VALUE;
        expect_refused("batch", invalid, [](auto &shares) { shares.batch[2] = -1; });
        expect_refused("ldul", invalid, [](auto &shares) { shares.ldul[2] = -1; });
        expect_refused("ldd", invalid, [](auto &shares) { shares.ldd[2] = -1; });
        expect_refused("ldb", invalid, [](auto &shares) { shares.ldb[2] = 0; });
        expect_refused("u", invalid, [](auto &shares) { shares.u[2] = nullptr; });
        expect_refused("l", invalid, [](auto &shares) { shares.l[2] = nullptr; });
        expect_refused("d", invalid, [](auto &shares) { shares.d[2] = nullptr; });
        expect_refused("B", invalid, [](auto &shares) { shares.b[2] = nullptr; });
        expect_refused("plan", invalid, [](auto &shares) { shares.plans[2] = nullptr; });
        expect_refused("the same handle", invalid, [](auto &shares) { shares.handles[2] = shares.handles[1]; });
        expect_refused("no handle", XBATCH_STATUS_INVALID_HANDLE, [](auto &shares) { shares.handles[2] = nullptr; });
        if (first.workspace().bytes() == 0) return;
        expect_refused("workspace", XBATCH_STATUS_INSUFFICIENT_WORKSPACE, [](auto &shares) { --shares.bytes[2]; });
    });
}

// Missing arrays, and invalid numbers of shares
TEST_P(HinesMg, WrongArguments) {
    const auto s = make_hines<double>(chain(5), 1, 3);
    const auto own = plan(s);
    const HinesPlacing p = placing(s);
    HinesCall<double> call(handle_, GetParam().backend, *own, s, p);
    Shares<double> a;
    a.add(handle_, *own, s, p, call);
    const char *const names[] = {"devices", "plans", "batch", "u",   "l",         "ldul",
                                 "d",       "ldd",   "B",     "ldb", "workspace", "workspaceBytes"};
    for (size_t wrong = 0; wrong < std::size(names); ++wrong) {
        const auto given = [&](size_t which, auto pointer) { return which == wrong ? nullptr : pointer; };
        EXPECT_EQ(xhinesBatchMg(wrong == 0 ? 0 : 1, a.handles.data(), XBATCH_R_64F, GetParam().layout, XBATCH_OP_N,
                                given(1, a.plans.data()), 1, given(2, a.batch.data()), given(3, a.u.data()),
                                given(4, a.l.data()), given(5, a.ldul.data()), given(6, a.d.data()),
                                given(7, a.ldd.data()), given(8, a.b.data()), given(9, a.ldb.data()), a.info.data(),
                                given(10, a.workspace.data()), given(11, a.bytes.data())),
                  XBATCH_STATUS_INVALID_VALUE)
            << names[wrong];
        const std::string message = handle_.message(), words = std::string(", ") + names[wrong] + " = ";
        EXPECT_EQ(message.rfind("xhinesBatchMg: argument ", 0), 0u) << message;
        EXPECT_NE(message.find(words), std::string::npos) << names[wrong] << " is not in: " << message;
        EXPECT_EQ(call.answer().x, s.b);
    }
    EXPECT_EQ(xhinesBatchMg(1, nullptr, XBATCH_R_64F, GetParam().layout, XBATCH_OP_N, a.plans.data(), 1, a.batch.data(),
                            a.u.data(), a.l.data(), a.ldul.data(), a.d.data(), a.ldd.data(), a.b.data(), a.ldb.data(),
                            a.info.data(), a.workspace.data(), a.bytes.data()),
              XBATCH_STATUS_INVALID_HANDLE);
}

// All algorithms
const std::vector<HinesCase> all_on_the_device = [] {
    std::vector<HinesCase> cases = hines_cases(XBATCH_BACKEND_CUDA), others = hines_cases(XBATCH_BACKEND_CUDA, true);
    cases.insert(cases.end(), others.begin(), others.end());
    return cases;
}();

INSTANTIATE_TEST_SUITE_P(Host, HinesProperties, testing::ValuesIn(hines_cases(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, HinesProperties, testing::ValuesIn(hines_cases(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Host, HinesIsolation, testing::ValuesIn(hines_cases(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, HinesIsolation, testing::ValuesIn(all_on_the_device), name_of);
INSTANTIATE_TEST_SUITE_P(Host, HinesThreads, testing::ValuesIn(hines_cases(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, HinesOnGraphs, testing::ValuesIn(all_on_the_device), name_of);
INSTANTIATE_TEST_SUITE_P(Host, HinesMg, testing::ValuesIn(hines_cases(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, HinesMg, testing::ValuesIn(hines_cases(XBATCH_BACKEND_CUDA)), name_of);

}  // namespace
}  // namespace xbatch_test
