// test_distributed_hines.cpp: Hines systems on one tree whose nodes are distributed over simulated ranks.
//
// The componentwise backward error of dominant matrices is small wherever trees are cut; on chunks the bits do not
// depend on the number of ranks and threads. A bad system affects no other, and all ranks report the same bad pivot.
// Wrong arguments of one rank, ranks that differ and faults of the layer end in the same status on all. Messages have
// the bytes of the contract, and few of them: a tree numbered by xhinesOrder with the largest subtrees last is cut
// where at most log2(n) nodes have children on both sides.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "distributed/tree_share.hpp"
#include "support/fixtures/distributed.hpp"
#include "support/fixtures/hines_cases.hpp"

namespace xbatch_test {
namespace {

template <class T>
struct TreeAnswer {
    std::vector<std::vector<T>> x;           // [system], as HinesSystems::b
    std::vector<std::vector<int32_t>> info;  // of each rank
    std::vector<xbatchStatus_t> status;
    std::vector<int64_t> messages, bytes;  // of each rank, of the solve
    std::vector<int64_t> offsets;
};

struct TreeRun {
    xbatchLayout_t layout;
    xbatchOperation_t op = XBATCH_OP_N;
    int64_t k = 0;  // which combination of leading dimensions
    int base = 0;
};

bool is_forest(const Parents &tree) { return std::count(tree.begin(), tree.end(), -1) > 1; }

xbatchMpPlan_t tree_plan(xbatchComm_t comm, xbatchDataType_t type, const Parents &tree, int64_t nrhs, int64_t batch,
                         const TreeRun &run, const std::vector<int64_t> &offsets, int flags,
                         xbatchStatus_t expected = XBATCH_STATUS_SUCCESS) {
    std::vector<int32_t> parent;
    for (const int32_t p : tree) parent.push_back(p < 0 ? -1 : p + run.base);
    xbatchMpPlan_t plan = nullptr;
    EXPECT_EQ(xhinesMpCreatePlan(comm, type, run.layout, int64_t(tree.size()), parent.data(), run.base,
                                 is_forest(tree) ? XBATCH_HINES_FOREST : XBATCH_HINES_TREE, nrhs, batch,
                                 offsets.empty() ? nullptr : offsets.data(), flags, &plan),
              expected);
    EXPECT_EQ(plan == nullptr, expected != XBATCH_STATUS_SUCCESS);
    return plan;
}

// One rank's arrays
template <class T>
class TreeCall {
public:
    TreeCall(xbatchMpPlan_t plan, const HinesSystems<T> &s, const TreeRun &run, int64_t first, int64_t rows)
        : plan_(plan),
          s_(s),
          run_(run),
          first_(first),
          rows_(rows),
          ldul_(s.shares_ul ? 0 : leading_dimension(run.layout, rows, s.batch(), run.k)),
          ldd_(s.shares_d ? 0 : leading_dimension(run.layout, rows, s.batch(), run.k + 1)),
          ldb_(leading_dimension(run.layout, rows, s.batch(), run.k + 2)),
          u_(host, extent_of(1, ldul_)),
          l_(host, extent_of(1, ldul_)),
          d_(host, extent_of(1, ldd_)),
          b_(host, extent_of(s.nrhs, ldb_)),
          info_(host, run.k % 4 == 3 ? 0 : s.batch()),
          workspace_(host, workspace_bytes()) {
        for (int64_t j = 0; j < s.batch(); ++j)
            for (int64_t i = 0; i < rows; ++i) {
                const size_t node = size_t(first + i);
                d_.set(at(ldd_, 1, i, j, 0), s.a[size_t(j)].d[node]);
                if (!is_root(s.tree(j), int64_t(node))) {
                    u_.set(at(ldul_, 1, i, j, 0), s.a[size_t(j)].u[node]);
                    l_.set(at(ldul_, 1, i, j, 0), s.a[size_t(j)].l[node]);
                }
                for (int64_t r = 0; r < s.nrhs; ++r) {
                    const int64_t to = at(ldb_, s.nrhs, i, j, r);
                    b_.set(to, s.b[size_t(j)][size_t(r * s.n(j)) + node]), b_.may_change(to);
                }
            }
        info_.may_change_all();
        u_.upload(), l_.upload(), d_.upload(), b_.upload(), info_.upload();
    }
    int64_t ldb() const { return ldb_; }
    xbatchStatus_t run() { return run(run_.op, ldb_); }
    xbatchStatus_t run(xbatchOperation_t op, int64_t ldb) {
        return xhinesMp(plan_, op, u_.data(), s_.is_symmetric ? u_.data() : l_.data(), ldul_, d_.data(), ldd_,
                        b_.data(), ldb, info_.size() > 0 ? info_.data() : nullptr, workspace_.data(),
                        workspace_.bytes());
    }
    void answer(TreeAnswer<T> &answer, int rank) {
        EXPECT_TRUE(u_.intact() && l_.intact() && d_.intact()) << "coefficients or their surroundings were written";
        EXPECT_TRUE(b_.intact()) << "padding or surroundings of B were written";
        EXPECT_TRUE(info_.intact() && workspace_.intact()) << "surroundings of info or workspace were written";
        for (int64_t j = 0; j < s_.batch(); ++j) {
            answer.info[size_t(rank)].push_back(info_.size() > 0 ? info_[j] : 0);
            for (int64_t r = 0; r < s_.nrhs; ++r)
                for (int64_t i = 0; i < rows_; ++i)
                    answer.x[size_t(j)][size_t(r * s_.n(j) + first_ + i)] = b_[at(ldb_, s_.nrhs, i, j, r)];
        }
    }

private:
    static constexpr xbatchBackend_t host = XBATCH_BACKEND_HOST;

    int64_t at(int64_t ld, int64_t nrhs, int64_t i, int64_t j, int64_t r) const {
        return ld == 0 ? i : element(run_.layout, rows_, nrhs, ld, i, j, r);
    }
    int64_t extent_of(int64_t nrhs, int64_t ld) const {
        return ld == 0 ? rows_ : rows_ == 0 ? 0 : extent(run_.layout, rows_, nrhs, s_.batch(), ld);
    }
    size_t workspace_bytes() const {
        size_t bytes = 0;
        EXPECT_EQ(xhinesMp_bufferSize(plan_, &bytes), XBATCH_STATUS_SUCCESS);
        return bytes;
    }

    xbatchMpPlan_t plan_;
    const HinesSystems<T> &s_;
    TreeRun run_;
    int64_t first_, rows_, ldul_, ldd_, ldb_;
    Array<T> u_, l_, d_, b_;
    Array<int32_t> info_;
    Workspace workspace_;
};

// act(rank, call) in place of a mere run on every rank
template <class T, class Act>
TreeAnswer<T> solve_tree(World &world, const HinesSystems<T> &s, const TreeRun &run, const Division &division,
                         Act act) {
    const size_t ranks = size_t(world.ranks());
    TreeAnswer<T> answer{{}, std::vector<std::vector<int32_t>>(ranks), std::vector<xbatchStatus_t>(ranks), {}, {}, {}};
    answer.messages.resize(ranks), answer.bytes.resize(ranks), answer.offsets.resize(ranks + 1);
    for (const std::vector<T> &b : s.b) answer.x.emplace_back(b.size());
    const auto on_rank = [&](int rank, xbatchComm_t comm, xbatchHandle_t) {
        const xbatchMpPlan_t plan =
            tree_plan(comm, Traits<T>::type, s.trees[0], s.nrhs, s.batch(), run, division.offsets, division.flags);
        std::vector<int64_t> offsets(ranks + 1);
        EXPECT_EQ(xbatchMpGetOffsets(plan, offsets.data()), XBATCH_STATUS_SUCCESS);
        const int64_t first = offsets[size_t(rank)];
        TreeCall<T> call(plan, s, run, first, offsets[size_t(rank) + 1] - first);
        int64_t messages[2], bytes[2];
        xbatchCommGetCounts(comm, &messages[0], &bytes[0]);
        answer.status[size_t(rank)] = act(rank, call);
        xbatchCommGetCounts(comm, &messages[1], &bytes[1]);
        answer.messages[size_t(rank)] = messages[1] - messages[0], answer.bytes[size_t(rank)] = bytes[1] - bytes[0];
        call.answer(answer, rank);
        if (rank == 0) answer.offsets = offsets;
        EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
    };
    on_ranks(world, on_rank, division.threads);
    return answer;
}

template <class T>
TreeAnswer<T> solve_tree(const HinesSystems<T> &s, const TreeRun &run, const Division &division) {
    World world(division.ranks);
    const auto act = [](int, TreeCall<T> &call) { return call.run(); };
    TreeAnswer<T> answer = solve_tree(world, s, run, division, act);
    for (const xbatchStatus_t status : answer.status) EXPECT_EQ(status, XBATCH_STATUS_SUCCESS);
    return answer;
}

// Even shares, uneven ones on the chunks of seven even ones, and cuts anywhere, with empty shares
std::vector<Division> tree_divisions(const Parents &tree, int64_t seed) {
    std::vector<int64_t> sevenths(8);
    World world(7);
    on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t) {
        const xbatchMpPlan_t plan = tree_plan(comm, XBATCH_R_64F, tree, 1, 1, {XBATCH_LAYOUT_FLAT}, {}, 0);
        if (rank == 0) xbatchMpGetOffsets(plan, sevenths.data());
        xbatchMpDestroyPlan(plan);
    });
    const int64_t n = int64_t(tree.size());
    std::vector<Division> all;
    for (const int ranks : {1, 2, 3, 4, 7}) {
        all.push_back({ranks, (ranks + seed) % 2 ? XBATCH_MP_ALLTOALL : XBATCH_MP_ALLGATHER});
        if (ranks == 3) all.push_back({3, 0, {0, sevenths[2], sevenths[2], n}});
        if (ranks == 4) all.push_back({4, 0, {0, 0, sevenths[1], sevenths[6], n}});
        all.push_back({ranks, XBATCH_MP_ANY_CUT, random_cuts(n, ranks, true, uint64_t(seed + ranks))});
    }
    return all;
}

class TreeMp : public testing::TestWithParam<HinesCase> {};

TEST_P(TreeMp, AllCuts) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        TreeRun run{GetParam().layout};
        const std::vector<NamedTree> trees = {{"one node", chain(1)},
                                              {"chain", chain(129)},
                                              {"star", star(100)},
                                              {"comb", comb(333, 3)},
                                              {"random", random_tree(401, 0.2)},
                                              {"forest", with_roots(random_tree(300, 0.3), 5)},
                                              {"by levels", shuffled(binary(129))}};
        for (const NamedTree &tree : trees) {
            const int64_t batch = run.k % 3 == 0 ? 2 : run.k % 3 == 1 ? 19 : 8;
            const Entries entries = run.k % 4 == 2 ? Entries::symmetric : dominant_entries[run.k % 4];
            const HinesSystems<T> s = make_hines<T>(tree.parents, 1 + run.k % 2 * 8, batch, {entries},
                                                    {run.k % 3 == 1, run.k % 2 == 1}, uint64_t(run.k));
            run.op = operations[run.k % 3], run.base = int(run.k % 2);
            std::optional<TreeAnswer<T>> first;
            for (Division division : tree_divisions(tree.parents, run.k)) {
                SCOPED_TRACE(testing::Message() << tree.name << ", ranks " << division.ranks << ", flags "
                                                << division.flags << ", op " << run.op);
                division.threads = 1 + division.ranks % 2;
                const TreeAnswer<T> answer = solve_tree(s, run, division);
                for (int64_t j = 0; j < batch; ++j)
                    EXPECT_LE(hines_error(s, j, answer.x[size_t(j)], run.op), 200) << "system " << j;
                for (const std::vector<int32_t> &info : answer.info)
                    EXPECT_EQ(info, std::vector<int32_t>(size_t(batch), 0));
                if (division.flags & XBATCH_MP_ANY_CUT) continue;
                if (!first) first = answer;
                for (int64_t j = 0; j < batch; ++j)
                    EXPECT_TRUE(same_values(first->x[size_t(j)], answer.x[size_t(j)]))
                        << "bits depend on the number of ranks";
            }
            ++run.k;
        }
    });
}

// A NaN in one system, zero pivots of a tip and of a port in others, and an infinite right-hand side
TEST_P(TreeMp, IsolateBadSystems) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Parents tree = chain(100);
        for (const int64_t batch : {3, 11})
            for (const int ranks : {1, 3, 4}) {
                SCOPED_TRACE(testing::Message() << "batch " << batch << ", ranks " << ranks);
                const Division division{ranks, ranks % 2 ? XBATCH_MP_ALLTOALL : XBATCH_MP_ALLGATHER};
                const TreeRun run{GetParam().layout};
                const HinesSystems<T> good = make_hines<T>(tree, 2, batch);
                HinesSystems<T> s = good;
                const TreeAnswer<T> expected = solve_tree(good, run, division);
                s.a[0].d[70] = scalar<T>(NAN);
                s.a[1].d[99] = T(0);
                if (batch > 3) s.b[8][size_t(50)] = scalar<T>(INFINITY);
                const TreeAnswer<T> answer = solve_tree(s, run, division);
                for (const std::vector<int32_t> &info : answer.info) {
                    EXPECT_EQ(info[0], 71);
                    EXPECT_EQ(info[1], 100);
                }
                for (int64_t j = 2; j < batch; ++j) {
                    int32_t worst = 0;
                    for (const std::vector<int32_t> &info : answer.info) worst = std::max(worst, info[size_t(j)]);
                    EXPECT_EQ(worst, j == 8 ? 101 : 0) << "system " << j;
                    if (j != 8) {
                        EXPECT_TRUE(same_values(expected.x[size_t(j)], answer.x[size_t(j)])) << "system " << j;
                    }
                }
            }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, TreeMp, testing::ValuesIn(hines_cases(XBATCH_BACKEND_HOST)), name_of);

// The last node of a chunk is a port here: entries of a chain's chunks are a sum and a port, except of the first and
// the last one.
TEST(TreeMpMessages, HaveTheBytesOfTheContract) {
    const Parents tree = chain(64);  // four chunks
    for (const int64_t nrhs : {1, 3}) {
        const HinesSystems<float> s = make_hines<float>(tree, nrhs, 8);
        const int64_t forward = (3 + nrhs) * 4, back = std::max<int64_t>(nrhs * 4, 16);
        const TreeAnswer<float> all = solve_tree(s, {XBATCH_LAYOUT_FLAT}, {2, XBATCH_MP_ALLTOALL}),
                                one = solve_tree(s, {XBATCH_LAYOUT_FLAT}, {2, XBATCH_MP_ALLGATHER});
        EXPECT_EQ(all.messages, (std::vector<int64_t>{2, 2}));
        EXPECT_EQ(all.bytes, std::vector<int64_t>(2, 8 + 4 * 3 * forward + 8 + 4 * 3 * back));
        EXPECT_EQ(one.messages, (std::vector<int64_t>{1, 1}));
        EXPECT_EQ(one.bytes, std::vector<int64_t>(2, 8 + 8 * 3 * forward));
    }
}

// A zero at a port, which its neighbours leave as it is
TEST(TreeMpInfo, NamesAPortLast) {
    HinesSystems<double> s = make_hines<double>(chain(64), 1, 1);
    for (const size_t i : {15, 16}) s.a[0].u[i] = s.a[0].l[i] = 0;
    s.a[0].d[15] = 0;
    for (const int ranks : {1, 2, 4})
        for (const std::vector<int32_t> &info : solve_tree(s, {XBATCH_LAYOUT_FLAT}, {ranks, 0}).info)
            EXPECT_EQ(info[0], 16);
    s.a[0].d[3] = 0, s.a[0].u[4] = 0, s.a[0].l[4] = 0;
    for (const int ranks : {1, 2, 4})
        for (const std::vector<int32_t> &info : solve_tree(s, {XBATCH_LAYOUT_FLAT}, {ranks, 0}).info)
            EXPECT_EQ(info[0], 4);
}

// As xhinesBatch, on several threads
TEST(TreeMpLarge, AsOnOneRank) {
    const HinesSystems<double> s = make_hines<double>(random_tree(30000, 0.01), 1, 1, {Entries::columns});
    Handle handle(XBATCH_BACKEND_HOST);
    const HinesAnswer<double> whole = solve(handle, *plan_of(handle, s), s, hines_placing(XBATCH_LAYOUT_FLAT, s));
    const TreeAnswer<double> two = solve_tree(s, {XBATCH_LAYOUT_FLAT}, {2, 0}),
                             seven = solve_tree(s, {XBATCH_LAYOUT_FLAT}, {7, 0, {}, false, 0, 2});
    EXPECT_TRUE(same_values(two.x[0], seven.x[0]));
    EXPECT_LE(hines_error(s, 0, two.x[0], XBATCH_OP_N), 200);
    double difference = 0, size = 0;
    for (size_t i = 0; i < whole.x[0].size(); ++i)
        difference = std::max(difference, std::fabs(whole.x[0][i] - two.x[0][i])),
        size = std::max(size, std::fabs(whole.x[0][i]));
    EXPECT_LE(difference, 1e-13 * size);
}

TEST(TreeMpArguments, AreRefusedByAllRanks) {
    const HinesSystems<double> s = make_hines<double>(random_tree(200, 0.2), 1, 3);
    World world(3);
    const TreeAnswer<double> answer = solve_tree(world, s, {XBATCH_LAYOUT_FLAT}, {3, 0}, [](int rank, auto &call) {
        const xbatchStatus_t status = call.run(XBATCH_OP_N, rank == 1 ? -1 : call.ldb());
        EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS) << "the next call works";
        return status;
    });
    EXPECT_EQ(answer.status, std::vector<xbatchStatus_t>(3, XBATCH_STATUS_INVALID_VALUE));
    World differing(3);
    on_ranks(differing, [](int rank, xbatchComm_t comm, xbatchHandle_t handle) {
        tree_plan(comm, XBATCH_R_64F, rank == 2 ? star(50) : chain(50), 1, 1, {XBATCH_LAYOUT_FLAT}, {}, 0,
                  XBATCH_STATUS_INVALID_VALUE);
        EXPECT_NE(std::string(xbatchGetLastErrorMessage(handle)).find("rank 2 differs from rank 0 in parent"),
                  std::string::npos);
        tree_plan(comm, XBATCH_R_64F, rank == 1 ? Parents{-1, -1, 7} : chain(3), 1, 1, {XBATCH_LAYOUT_FLAT}, {}, 0,
                  XBATCH_STATUS_INVALID_VALUE);
    });
}

void expect_refused(xbatchHandle_t handle, xbatchStatus_t status, const std::string &words) {
    EXPECT_EQ(status, XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(std::string(xbatchGetLastErrorMessage(handle)).substr(0, words.size()), words);
}

// act(communicator, handle) on one rank
template <class Act>
void on_one_rank(Act act) {
    World world(1);
    on_ranks(world, [&](int, xbatchComm_t comm, xbatchHandle_t handle) { act(comm, handle); });
}

TEST(TreeMpArguments, OfPlans) {
    on_one_rank([](xbatchComm_t comm, xbatchHandle_t handle) {
        xbatchMpPlan_t plan = nullptr;
        const std::vector<int32_t> parent = {-1, 0, 1, 1}, late = {-1, 0, 3, 1};
        const int32_t *const p = parent.data();
        const auto create = [&](int type, int layout, int64_t n, const int32_t *from, int base, int tree, int64_t nrhs,
                                int64_t batch, int flags, xbatchMpPlan_t *to) {
            return xhinesMpCreatePlan(comm, xbatchDataType_t(type), xbatchLayout_t(layout), n, from, base,
                                      xbatchHinesFlags_t(tree), nrhs, batch, nullptr, flags, to);
        };
        const auto refused = [&](xbatchStatus_t status, const std::string &words) {
            expect_refused(handle, status, "xhinesMpCreatePlan: argument " + words);
        };
        refused(create(4, 0, 4, p, 0, 0, 1, 1, 0, &plan), "1, type");
        refused(create(1, 3, 4, p, 0, 0, 1, 1, 0, &plan), "2, layout");
        refused(create(1, 0, -1, p, 0, 0, 1, 1, 0, &plan), "3, n = -1");
        refused(create(1, 0, int64_t(1) << 31, p, 0, 0, 1, 1, 0, &plan), "3, n");
        refused(create(1, 0, 4, nullptr, 0, 0, 1, 1, 0, &plan), "4, parent");
        refused(create(1, 0, 4, late.data(), 0, 0, 1, 1, 0, &plan), "4, parent[2]");
        refused(create(1, 0, 4, p, 2, 0, 1, 1, 0, &plan), "5, indexBase");
        refused(create(1, 0, 4, p, 0, 2, 1, 1, 0, &plan), "6, treeFlags");
        refused(create(1, 0, 4, p, 0, 0, -1, 1, 0, &plan), "7, nrhs");
        refused(create(1, 0, 4, p, 0, 0, 1, -1, 0, &plan), "8, batch");
        refused(create(1, 0, 4, p, 0, 0, INT64_MAX, 2, 0, &plan), "7, nrhs");
        refused(create(1, 0, 4, p, 0, 0, 1, 1, 8, &plan), "10, flags");
        refused(create(1, 0, 4, p, 0, 0, 1, 1, 0, nullptr), "11, plan");
        EXPECT_EQ(create(1, 0, 0, nullptr, 0, 0, 1, 1, 0, &plan), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(dhinesMp(plan, XBATCH_OP_N, nullptr, nullptr, 1, nullptr, 1, nullptr, 1, nullptr, nullptr, 0),
                  XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
    });
}

TEST(TreeMpArguments, OfSolves) {
    on_one_rank([](xbatchComm_t comm, xbatchHandle_t handle) {
        const xbatchMpPlan_t plan = tree_plan(comm, XBATCH_R_64F, {-1, 0, 1, 1}, 1, 1, {XBATCH_LAYOUT_FLAT}, {}, 0);
        const double a[4] = {1, 1, 1, 1};
        double b[4] = {1, 2, 3, 4};
        std::vector<double> space(10000);
        size_t bytes = 0;
        EXPECT_EQ(xhinesMp_bufferSize(plan, &bytes), XBATCH_STATUS_SUCCESS);
        const auto call = [&](int op, const double *u, int64_t ldul, const double *d, int64_t ldd, double *x,
                              int64_t ldb) {
            return dhinesMp(plan, xbatchOperation_t(op), u, u, ldul, d, ldd, x, ldb, nullptr, space.data(), bytes);
        };
        const auto refused = [&](xbatchStatus_t status, const std::string &words) {
            expect_refused(handle, status, words);
        };
        refused(xhinesMp_bufferSize(plan, nullptr), "xhinesMp_bufferSize: argument 1, workspaceBytes");
        refused(call(3, a, 4, a, 4, b, 4), "dhinesMp: argument 1, op");
        refused(call(0, nullptr, 4, a, 4, b, 4), "dhinesMp: argument 2, u");
        refused(call(0, a, 3, a, 4, b, 4), "dhinesMp: argument 4, ldul");
        refused(call(0, a, 4, nullptr, 4, b, 4), "dhinesMp: argument 5, d");
        refused(call(0, a, 4, a, 3, b, 4), "dhinesMp: argument 6, ldd");
        refused(call(0, a, 4, a, 4, nullptr, 4), "dhinesMp: argument 7, B");
        refused(call(0, a, 4, a, 4, b, 3), "dhinesMp: argument 8, ldb");
        bytes -= 16;
        EXPECT_EQ(call(0, a, 4, a, 4, b, 4), XBATCH_STATUS_INSUFFICIENT_WORKSPACE);
        refused(shinesMp(plan, XBATCH_OP_N, nullptr, nullptr, 4, nullptr, 4, nullptr, 4, nullptr, nullptr, 0),
                "shinesMp: argument 0, plan");
        EXPECT_EQ(std::vector<double>(b, b + 4), (std::vector<double>{1, 2, 3, 4}));
        EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
    });
}

TEST(TreeMpArguments, PlansOfOtherSystems) {
    on_one_rank([](xbatchComm_t comm, xbatchHandle_t handle) {
        const double a[4] = {1, 1, 1, 1};
        double b[4] = {1, 2, 3, 4};
        std::vector<double> space(10000);
        size_t bytes = 0;
        const auto refused = [&](xbatchStatus_t status, const std::string &name) {
            expect_refused(handle, status, name + ": argument 0, plan");
        };
        xbatchMpPlan_t plan = tree_plan(comm, XBATCH_R_64F, {-1, 0, 1, 1}, 1, 1, {XBATCH_LAYOUT_FLAT}, {}, 0);
        refused(dgtsvMp(plan, a, a, a, 4, b, 4, nullptr, space.data(), 80000), "dgtsvMp");
        refused(xgtsvMp_bufferSize(plan, &bytes), "xgtsvMp_bufferSize");
        refused(xptsvMp_bufferSize(plan, &bytes), "xptsvMp_bufferSize");
        refused(xgttrfMp_bufferSize(plan, 1, &bytes, &bytes), "xgttrfMp_bufferSize");
        EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
        ASSERT_EQ(xgtsvMpCreatePlan(comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, 4, 1, 1, nullptr, 0, 0, &plan),
                  XBATCH_STATUS_SUCCESS);
        refused(dhinesMp(plan, XBATCH_OP_N, a, a, 4, a, 4, b, 4, nullptr, space.data(), 80000), "dhinesMp");
        refused(xhinesMp_bufferSize(plan, &bytes), "xhinesMp_bufferSize");
        EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(std::vector<double>(b, b + 4), (std::vector<double>{1, 2, 3, 4}));
    });
}

// Exchange 0 compares the plans; 1 and 2 are those of the solve.
TEST(TreeMpFaults, EndOnEveryRank) {
    const HinesSystems<double> s = make_hines<double>(random_tree(300, 0.2), 1, 4);
    for (const int64_t exchange : {1, 2})
        for (const Fault &fault : {Fault{Fault::silent, 2, exchange},
                                   {Fault::error_at_start, 0, exchange},
                                   {Fault::error_at_end, 0, exchange},
                                   {Fault::drop, 1, exchange, 0},
                                   {Fault::flip, 1, exchange, 2, 4}}) {
            SCOPED_TRACE(testing::Message() << "fault " << fault.kind << " of exchange " << exchange);
            World world(3, {fault});
            on_ranks(world, [&](int rank, xbatchComm_t comm, xbatchHandle_t) {
                const xbatchMpPlan_t plan =
                    tree_plan(comm, XBATCH_R_64F, s.trees[0], 1, 4, {XBATCH_LAYOUT_FLAT}, {}, XBATCH_MP_ALLTOALL);
                EXPECT_EQ(xbatchCommSetTimeout(comm, 60), XBATCH_STATUS_SUCCESS);
                std::vector<int64_t> offsets(4);
                xbatchMpGetOffsets(plan, offsets.data());
                const int64_t first = offsets[size_t(rank)], rows = offsets[size_t(rank) + 1] - first;
                TreeCall<double> call(plan, s, {XBATCH_LAYOUT_FLAT}, first, rows);
                xbatchStatus_t status = call.run();
                if (status == XBATCH_STATUS_SUCCESS) status = call.run();
                EXPECT_EQ(status, XBATCH_STATUS_COMM_FAILED) << "rank " << rank;
                EXPECT_EQ(xbatchMpDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
            });
        }
    // Ranks that solve with different operations
    World world(2);
    const auto differ = [](int rank, auto &call) {
        return call.run(rank == 0 ? XBATCH_OP_N : XBATCH_OP_T, call.ldb());
    };
    const TreeAnswer<double> answer = solve_tree(world, s, {XBATCH_LAYOUT_FLAT}, {2, 0}, differ);
    EXPECT_EQ(answer.status, std::vector<xbatchStatus_t>(2, XBATCH_STATUS_COMM_FAILED));
}

// Entries name the nearest port above, which precedes them; nodes of a chunk are coupled to one port below.
void expect_few_entries(const Parents &tree, bool is_ordered) {
    using namespace xbatch::distributed;
    const int64_t n = int64_t(tree.size());
    const int ranks = 5;
    for (int rank = 0; rank < ranks; ++rank) {
        TreeShare share;
        Partition partition;
        ASSERT_LT(make_tree_share(share, partition, tree, rank, ranks, nullptr, false).rank, 0);
        EXPECT_EQ(partition.leaves(), chunks_of(n));
        EXPECT_EQ(partition.nodes.size(), share.entries.size());
        for (size_t k = 0; k < share.entries.size(); ++k) {
            const TreeEntry &entry = share.entries[k];
            ASSERT_LT(entry.above, int64_t(k));
            if (entry.above >= 0) {
                EXPECT_GE(share.entries[size_t(entry.above)].node, 0) << "above is a port";
            }
        }
        for (const TreeChunk &chunk : share.chunks) {
            if (is_ordered) {
                EXPECT_LE(double(chunk.ports()), std::log2(double(n)));
                EXPECT_LE(double(chunk.sums), std::log2(double(n)));
            }
            ASSERT_EQ(int64_t(chunk.steps.size()), chunk.rows);
            for (int64_t i = 0; i < chunk.rows; ++i) {
                const TreeStep &step = chunk.steps[size_t(i)];
                EXPECT_EQ(step.is_root, tree[size_t(partition.offsets[size_t(rank)] + chunk.first + i)] < 0);
                EXPECT_EQ(step.is_root, step.parent == chunk.rows + chunk.sums);
                EXPECT_TRUE(step.parent < i || step.parent >= chunk.rows);
                EXPECT_EQ(step.ends, step.parent >= chunk.rows || chunk.steps[size_t(step.parent)].is_port);
                if (!step.ends && step.port >= 0) {
                    EXPECT_EQ(chunk.steps[size_t(step.parent)].port, step.port) << "one port below a node";
                }
            }
        }
    }
}

TEST(TreeCuts, AreWhereFewNodesHaveChildrenOnBothSides) {
    Handle handle(XBATCH_BACKEND_HOST);
    std::vector<NamedTree> trees = made_trees();
    trees.push_back({"recursive", recursive_tree(20000)});
    trees.push_back({"shuffled", shuffled(random_tree(20000, 0.3))});
    trees.push_back({"forest", with_roots(shuffled(random_tree(5000, 0.3)), 40)});
    for (const NamedTree &tree : trees) {
        SCOPED_TRACE(tree.name);
        expect_few_entries(tree.parents, false);
        Parents order(tree.parents.size()), ordered(tree.parents.size());
        ASSERT_EQ(xhinesOrder(handle, int64_t(order.size()), tree.parents.data(), 0,
                              xbatchHinesFlags_t(XBATCH_HINES_FOREST | XBATCH_HINES_LARGEST_LAST), order.data(),
                              ordered.data()),
                  XBATCH_STATUS_SUCCESS);
        expect_few_entries(ordered, true);
    }
}

}  // namespace
}  // namespace xbatch_test
