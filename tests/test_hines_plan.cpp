// test_hines_plan.cpp: trees of Hines systems: which are accepted, how they are renumbered, and the layout of a batch.
//
// Every invalid tree is refused with its morphology and node in the message, and nothing is written. xhinesOrder gives
// a depth-first permutation with children in their old order, which is checked by its definition. xhinesGetPlacement
// agrees with the tables of the headers, written a second time in support/fixtures/hines.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>

#include "support/fixtures/hines.hpp"

namespace xbatch_test {
namespace {

class HinesPlanOn : public testing::TestWithParam<xbatchBackend_t> {
protected:
    HinesPlanOn() : handle_(GetParam()) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    void expect_in_message(const std::string &words) {
        EXPECT_NE(std::string(handle_.message()).find(words), std::string::npos)
            << "\"" << words << "\" is not in: " << handle_.message();
    }

    Handle handle_;
};
using HinesOrderOn = HinesPlanOn;
using HinesPlacementOn = HinesPlanOn;

// The arguments of xhinesCreatePlan: a chain, a binary tree and a star, for seven systems
struct PlanArguments {
    explicit PlanArguments(int counted_from) : base(counted_from) {
        for (const Parents &tree : {chain(4), binary(7), star(5)}) {
            for (int32_t p : tree) parent.push_back(p + base);
            offsets.push_back(offsets.back() + int64_t(tree.size()));
        }
    }
    int32_t &at(int64_t m, int64_t node) { return parent[size_t(offsets[size_t(m)] + node)]; }

    int64_t morphologies = 3, batch = 7;
    std::vector<int64_t> offsets = {2};
    std::vector<int32_t> parent = {99, 99}, morph = {0, 1, 2, 2, 1, 0, 1};
    int base;
    xbatchHinesFlags_t flags = XBATCH_HINES_TREE;
    bool with_offsets = true, with_parent = true, with_morph = true;

    xbatchStatus_t create(xbatchHandle_t handle, xbatchHinesPlan_t *plan) const {
        return xhinesCreatePlan(handle, morphologies, with_offsets ? offsets.data() : nullptr,
                                with_parent ? parent.data() : nullptr, base, flags, batch,
                                with_morph ? morph.data() : nullptr, plan);
    }
};

class HinesCreatePlanOn : public HinesPlanOn {
protected:
    void expect_refused(const PlanArguments &a, const std::vector<std::string> &words,
                        xbatchStatus_t status = XBATCH_STATUS_INVALID_VALUE) {
        xbatchHinesPlan_t plan = reinterpret_cast<xbatchHinesPlan_t>(&plan);
        EXPECT_EQ(a.create(handle_, &plan), status);
        EXPECT_EQ(plan, nullptr);
        expect_in_message("xhinesCreatePlan: argument ");
        for (const std::string &part : words) expect_in_message(part);
    }
    void expect_accepted(const PlanArguments &a) {
        xbatchHinesPlan_t plan = nullptr;
        EXPECT_EQ(a.create(handle_, &plan), XBATCH_STATUS_SUCCESS) << handle_.message();
        EXPECT_NE(plan, nullptr);
        EXPECT_EQ(xhinesDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
    }
};

TEST_P(HinesCreatePlanOn, WrongParents) {
    for (int base : {0, 1})
        for (int32_t wrong : {INT32_MIN, -2, base + 7, INT32_MAX, base + 6, base + 5, -1, base - 1}) {
            SCOPED_TRACE(testing::Message() << "base " << base << ", parent " << wrong);
            PlanArguments a(base);
            a.at(1, 5) = wrong;  // out of range, greater than the node, the node itself, for a root
            const std::vector<std::string> words = {"argument 3, parent", "morphology 1",
                                                    "node " + std::to_string(5 + base)};
            expect_refused(a, words);
            a.at(1, 6) = a.at(2, 1) = wrong;  // the first one is reported
            expect_refused(a, words);
        }
}

TEST_P(HinesCreatePlanOn, Forests) {
    for (int base : {0, 1}) {
        PlanArguments a(base);
        a.flags = XBATCH_HINES_FOREST;
        for (int32_t root : {-1, base - 1, base + 5}) {
            a.at(1, 5) = root;
            expect_accepted(a);
        }
        for (int32_t wrong : {INT32_MIN, -2, base + 7, INT32_MAX, base + 6}) {
            a.at(1, 5) = wrong;
            expect_refused(a, {"argument 3, parent", "morphology 1", "node " + std::to_string(5 + base)});
        }
    }
}

TEST_P(HinesCreatePlanOn, TheParentOfNodeZeroIsNotRead) {
    for (xbatchHinesFlags_t flags : {XBATCH_HINES_TREE, XBATCH_HINES_FOREST})
        for (int32_t anything : {INT32_MIN, -7, 0, 3, 1000, INT32_MAX}) {
            PlanArguments a(1);
            a.flags = flags;
            for (int64_t m : {0, 1, 2}) a.at(m, 0) = anything;
            expect_accepted(a);
        }
}

TEST_P(HinesCreatePlanOn, WrongOffsets) {
    PlanArguments a(0);
    a.offsets = {2, 6, 6, 18};
    expect_refused(a, {"argument 2, offsets", "morphology 1"});
    a.offsets = {2, 6, 5, 18};
    expect_refused(a, {"argument 2, offsets", "morphology 1"});
    a.offsets = {2, 6, 13, INT64_MIN};
    expect_refused(a, {"argument 2, offsets", "morphology 2"});
    a.offsets = {-1, 6, 13, 18};
    expect_refused(a, {"argument 2, offsets"});
}

TEST_P(HinesCreatePlanOn, WrongMorphologiesOfSystems) {
    for (int32_t wrong : {-1, 3, INT32_MIN, INT32_MAX}) {
        PlanArguments a(0);
        a.morph[4] = wrong;
        expect_refused(a, {"argument 7, morph", "system 4"});
    }
}

TEST_P(HinesCreatePlanOn, WrongArguments) {
    const auto expect = [&](const char *words, const std::function<void(PlanArguments &)> &spoil) {
        PlanArguments a(0);
        spoil(a);
        expect_refused(a, {words});
    };
    for (int64_t wrong : {int64_t(0), int64_t(-1), INT64_MIN})
        expect("argument 1, morphologies", [&](PlanArguments &a) { a.morphologies = wrong; });
    expect("argument 1, morphologies", [](PlanArguments &a) { a.with_morph = false; });  // which of the three?
    expect("argument 2, offsets", [](PlanArguments &a) { a.with_offsets = false; });
    expect("argument 3, parent", [](PlanArguments &a) { a.with_parent = false; });
    for (int wrong : {-1, 2, INT32_MAX}) expect("argument 4, indexBase", [&](PlanArguments &a) { a.base = wrong; });
    for (int wrong : {2, 99, -1, INT32_MIN})
        expect("argument 5, flags", [&](PlanArguments &a) { a.flags = xbatchHinesFlags_t(wrong); });
    for (int64_t wrong : {int64_t(-1), INT64_MIN, INT64_MAX})
        expect("argument 6, batch", [&](PlanArguments &a) { a.batch = wrong; });
    EXPECT_EQ(PlanArguments(0).create(handle_, nullptr), XBATCH_STATUS_INVALID_VALUE);
    expect_in_message("argument 8, plan");
    xbatchHinesPlan_t plan = reinterpret_cast<xbatchHinesPlan_t>(&plan);
    EXPECT_EQ(PlanArguments(0).create(nullptr, &plan), XBATCH_STATUS_INVALID_HANDLE);
    EXPECT_EQ(plan, nullptr);
}

TEST_P(HinesCreatePlanOn, TheLargestTreeFull) {
    PlanArguments a(0);
    a.morphologies = 1, a.with_morph = false;
    a.parent = chain(1 << 24);
    a.offsets = {0, 1 << 24};
    expect_refused(a, {"argument 2, offsets", "morphology 0"}, XBATCH_STATUS_NOT_SUPPORTED);
    --a.offsets[1];
    if (GetParam() == XBATCH_BACKEND_CUDA) {  // where subtrees are numbered, too
        expect_refused(a, {"morphology 0", "subtrees"}, XBATCH_STATUS_NOT_SUPPORTED);
        a.offsets[1] = 15600000;
    }
    expect_accepted(a);
}

TEST_P(HinesPlanOn, WhatIsNoPlan) {
    EXPECT_EQ(xhinesDestroyPlan(nullptr), XBATCH_STATUS_SUCCESS);
    uint64_t zeros[256] = {};
    const auto none = reinterpret_cast<xbatchHinesPlan_t>(zeros);
    EXPECT_EQ(xhinesDestroyPlan(none), XBATCH_STATUS_INVALID_VALUE);
    for (xbatchHinesPlan_t wrong : {xbatchHinesPlan_t(nullptr), none}) {
        size_t bytes = 77;
        int64_t extent = 77;
        EXPECT_EQ(xhinesSetAlgorithm(handle_, wrong, XBATCH_HINES_AUTO), XBATCH_STATUS_INVALID_VALUE);
        expect_in_message("xhinesSetAlgorithm: argument 1, plan");
        EXPECT_EQ(dhinesBatch_bufferSize(handle_, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, wrong, 1, 1, &bytes),
                  XBATCH_STATUS_INVALID_VALUE);
        expect_in_message("dhinesBatch_bufferSize: argument 3, plan");
        EXPECT_EQ(xhinesGetPlacement(handle_, wrong, XBATCH_LAYOUT_FLAT, 1, 1, 9, nullptr, nullptr, &extent),
                  XBATCH_STATUS_INVALID_VALUE);
        expect_in_message("xhinesGetPlacement: argument 1, plan");
        EXPECT_EQ(bytes, 77u);
        EXPECT_EQ(extent, 77);
    }
}

TEST_P(HinesPlanOn, Destroyed) {
    const int64_t offsets[] = {0, 4};
    const Parents parent = chain(4);
    xbatchHinesPlan_t plan = nullptr;
    ASSERT_EQ(xhinesCreatePlan(handle_, 1, offsets, parent.data(), 0, XBATCH_HINES_TREE, 0, nullptr, &plan),
              XBATCH_STATUS_SUCCESS);
    ASSERT_EQ(xhinesDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
    size_t bytes = 0;
    EXPECT_EQ(dhinesBatch_bufferSize(handle_, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, plan, 1, 1, &bytes),
              XBATCH_STATUS_INVALID_VALUE);
    expect_in_message("dhinesBatch_bufferSize: argument 3, plan");
    EXPECT_EQ(xhinesDestroyPlan(plan), XBATCH_STATUS_INVALID_VALUE);
}

TEST_P(HinesPlanOn, OfAnotherBackend) {
    Handle other(GetParam() == XBATCH_BACKEND_HOST ? XBATCH_BACKEND_CUDA : XBATCH_BACKEND_HOST);
    XBATCH_NEEDS(other);
    const HinesPlan plan(other, {chain(4)});
    size_t bytes = 77;
    EXPECT_EQ(dhinesBatch_bufferSize(handle_, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, plan, 1, 1, &bytes),
              XBATCH_STATUS_INVALID_VALUE);
    expect_in_message("dhinesBatch_bufferSize: argument 3, plan");
    EXPECT_EQ(bytes, 77u);
}

TEST_P(HinesPlanOn, Algorithms) {
    const HinesPlan plan(handle_, {chain(4)});
    for (int wrong : {4, 99, -1, INT32_MIN}) {
        EXPECT_EQ(xhinesSetAlgorithm(handle_, plan, xbatchHinesAlgorithm_t(wrong)), XBATCH_STATUS_INVALID_VALUE);
        expect_in_message("xhinesSetAlgorithm: argument 2, algorithm");
    }
    EXPECT_EQ(xhinesSetAlgorithm(nullptr, plan, XBATCH_HINES_AUTO), XBATCH_STATUS_INVALID_HANDLE);
    for (xbatchHinesAlgorithm_t right :
         {XBATCH_HINES_THREAD, XBATCH_HINES_THREAD_SHARED, XBATCH_HINES_FROM_TIPS, XBATCH_HINES_AUTO})
        EXPECT_EQ(xhinesSetAlgorithm(handle_, plan, right), XBATCH_STATUS_SUCCESS) << handle_.message();
}

// A solve that the chosen kernel cannot do is refused and writes nothing; the host has a single algorithm.
TEST_P(HinesPlanOn, SharedMemoryIsForBlocksThatFit) {
    for (const auto &[layout, n] : {std::pair{XBATCH_LAYOUT_FLAT, 20}, std::pair{XBATCH_LAYOUT_INTERLEAVED, 20},
                                    std::pair{XBATCH_LAYOUT_BLOCK_INTERLEAVED, 20000}}) {
        const auto s = make_hines<double>(chain(n), 1, 32);
        const HinesPlan plan(handle_, s.trees);
        EXPECT_EQ(xhinesSetAlgorithm(handle_, plan, XBATCH_HINES_THREAD_SHARED), XBATCH_STATUS_SUCCESS);
        HinesCall<double> call(handle_, GetParam(), plan, s, {layout, 32, 32, 32});
        const bool is_host = GetParam() == XBATCH_BACKEND_HOST;
        EXPECT_EQ(call.run(), is_host ? XBATCH_STATUS_SUCCESS : XBATCH_STATUS_NOT_SUPPORTED) << handle_.message();
        if (is_host) continue;
        const HinesAnswer<double> answer = call.answer();
        EXPECT_EQ(answer.x, s.b);
        EXPECT_EQ(answer.info, std::vector<int32_t>(32, -1));
    }
}

TEST_P(HinesPlanOn, TheBatchIsThatOfThePlan) {
    const std::vector<int32_t> morph = {0, 0, 0};
    const HinesPlan mixed(handle_, {chain(4)}, &morph), free(handle_, {chain(4)});
    for (int64_t batch : {0, 2, 4}) {
        size_t bytes = 0;
        EXPECT_EQ(dhinesBatch_bufferSize(handle_, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, mixed, 1, batch, &bytes),
                  XBATCH_STATUS_INVALID_VALUE);
        expect_in_message("dhinesBatch_bufferSize: argument 5, batch");
        EXPECT_EQ(dhinesBatch_bufferSize(handle_, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, free, 1, batch, &bytes),
                  XBATCH_STATUS_SUCCESS);
    }
}

TEST_P(HinesPlanOn, OfNoSystems) {
    const int64_t offsets[] = {0, 4};
    const Parents parent = chain(4);
    const int32_t none = 0;
    xbatchHinesPlan_t plan = nullptr;
    ASSERT_EQ(xhinesCreatePlan(handle_, 1, offsets, parent.data(), 0, XBATCH_HINES_TREE, 0, &none, &plan),
              XBATCH_STATUS_SUCCESS)
        << handle_.message();
    for (xbatchLayout_t layout : all_layouts)
        EXPECT_EQ(dhinesBatch(handle_, layout, XBATCH_OP_N, plan, 2, 0, nullptr, nullptr, 1, nullptr, 1, nullptr, 1,
                              nullptr, nullptr, 0),
                  XBATCH_STATUS_SUCCESS)
            << handle_.message();
    EXPECT_EQ(xhinesDestroyPlan(plan), XBATCH_STATUS_SUCCESS);
}

// A tree in random numbering, with all encodings of the parents of roots
struct AnyNumbering {
    std::vector<int32_t> parent;
    AnyNumbering(const Parents &tree, int base, bool is_shuffled, uint64_t seed) : parent(tree.size()) {
        std::vector<int32_t> number(tree.size());
        std::iota(number.begin(), number.end(), 0);
        Random random(seed);
        for (size_t i = tree.size(); is_shuffled && i > 1; --i)
            std::swap(number[i - 1], number[size_t(random.bits() % i)]);
        for (size_t i = 0; i < tree.size(); ++i) {
            const int32_t me = number[i], roots[] = {-1, base - 1, me + base};
            parent[size_t(me)] = tree[i] < 0 ? roots[(i + seed) % 3] : number[size_t(tree[i])] + base;
        }
    }
};

bool is_root_of(const std::vector<int32_t> &parent, int64_t i, int base) {
    return parent[size_t(i)] == -1 || parent[size_t(i)] == base - 1 || parent[size_t(i)] == i + base;
}

// By the definition: a permutation, parents first, depth first, siblings in their old order
void expect_ordered(const std::vector<int32_t> &parent, int base, const std::vector<int32_t> &order,
                    const std::vector<int32_t> &ordered) {
    const int64_t n = int64_t(parent.size());
    std::vector<int64_t> position(size_t(n), -1), last_child(size_t(n) + 1, -1);
    for (int64_t k = 0; k < n; ++k) {
        const int64_t old = order[size_t(k)] - base;
        ASSERT_TRUE(old >= 0 && old < n && position[size_t(old)] < 0) << "no permutation at " << k;
        position[size_t(old)] = k;
    }
    std::vector<int64_t> open;  // the path from the root to the previous node
    for (int64_t k = 0; k < n; ++k) {
        const int64_t old = order[size_t(k)] - base;
        const bool is_root = is_root_of(parent, old, base);
        const int64_t up = is_root ? -1 : position[size_t(parent[size_t(old)] - base)];
        ASSERT_LT(up, k) << "a parent comes late";
        ASSERT_EQ(ordered[size_t(k)], up + base);
        while (!open.empty() && open.back() != up) open.pop_back();
        ASSERT_EQ(open.empty(), is_root) << "not depth first at " << k;
        ASSERT_LT(last_child[size_t(up + 1)], old) << "siblings are not in their order at " << k;
        last_child[size_t(up + 1)] = old;
        open.push_back(k);
    }
}

class Ordering {
public:
    Ordering(xbatchHandle_t handle, const std::vector<int32_t> &parent, int base, xbatchHinesFlags_t flags)
        : order(parent.size(), untouched), ordered(parent.size(), untouched) {
        status = xhinesOrder(handle, int64_t(parent.size()), parent.data(), base, flags, order.data(), ordered.data());
    }
    bool wrote_nothing() const {
        const std::vector<int32_t> before(order.size(), untouched);
        return order == before && ordered == before;
    }

    std::vector<int32_t> order, ordered;
    xbatchStatus_t status;

private:
    static constexpr int32_t untouched = -12345;
};

TEST_P(HinesOrderOn, IsDepthFirstWithChildrenInTheirOldOrder) {
    std::vector<NamedTree> trees = made_trees();
    trees.push_back({"forest", with_roots(random_tree(300, 0.2), 20)});
    trees.push_back({"roots alone", Parents(20, -1)});
    for (const NamedTree &tree : trees)
        for (int base : {0, 1})
            for (bool is_shuffled : {false, true}) {
                SCOPED_TRACE(testing::Message() << tree.name << ", base " << base);
                const bool is_forest = std::count(tree.parents.begin(), tree.parents.end(), -1) > 1;
                const AnyNumbering any(tree.parents, base, is_shuffled, uint64_t(base));
                const Ordering found(handle_, any.parent, base, is_forest ? XBATCH_HINES_FOREST : XBATCH_HINES_TREE);
                ASSERT_EQ(found.status, XBATCH_STATUS_SUCCESS) << handle_.message();
                expect_ordered(any.parent, base, found.order, found.ordered);
                xbatchHinesPlan_t plan = nullptr;  // accepts the new numbering
                const int64_t offsets[] = {0, int64_t(any.parent.size())};
                EXPECT_EQ(xhinesCreatePlan(handle_, 1, offsets, found.ordered.data(), base,
                                           is_forest ? XBATCH_HINES_FOREST : XBATCH_HINES_TREE, 0, nullptr, &plan),
                          XBATCH_STATUS_SUCCESS)
                    << handle_.message();
                xhinesDestroyPlan(plan);
            }
}

// Children by the number of nodes below them, then by their own numbers
TEST_P(HinesOrderOn, LargestLast) {
    for (const NamedTree &tree : made_trees())
        for (int base : {0, 1}) {
            SCOPED_TRACE(testing::Message() << tree.name << ", base " << base);
            const AnyNumbering any(tree.parents, base, true, 3);
            const Ordering found(handle_, any.parent, base, XBATCH_HINES_LARGEST_LAST);
            ASSERT_EQ(found.status, XBATCH_STATUS_SUCCESS) << handle_.message();
            const size_t n = found.order.size();
            std::vector<int64_t> below(n, 0), last(n, -1);
            for (size_t k = n; k-- > 1;) below[size_t(found.ordered[k] - base)] += below[k] + 1;
            for (size_t k = 1; k < n; ++k) {
                int64_t &sibling = last[size_t(found.ordered[k] - base)];
                EXPECT_EQ(
                    k, sibling < 0 ? size_t(found.ordered[k] - base) + 1 : size_t(sibling + below[size_t(sibling)]) + 1)
                    << "not depth first";
                if (sibling >= 0) {
                    EXPECT_LE(below[size_t(sibling)], below[k]);
                    if (below[size_t(sibling)] == below[k]) {
                        EXPECT_LT(found.order[size_t(sibling)], found.order[k]);
                    }
                }
                sibling = int64_t(k);
            }
        }
}

TEST_P(HinesOrderOn, DeepChains) {
    for (bool is_shuffled : {false, true}) {
        const AnyNumbering any(chain(1000000), 1, is_shuffled, 1);
        const Ordering found(handle_, any.parent, 1, XBATCH_HINES_TREE);
        ASSERT_EQ(found.status, XBATCH_STATUS_SUCCESS) << handle_.message();
        expect_ordered(any.parent, 1, found.order, found.ordered);
    }
}

TEST_P(HinesOrderOn, WrongTrees) {
    const auto expect_refused = [&](std::vector<int32_t> parent, xbatchHinesFlags_t flags, int node) {
        for (int base : {0, 1}) {
            std::vector<int32_t> counted = parent;
            for (int32_t &p : counted) p += p == INT32_MAX || p == INT32_MIN ? 0 : base;
            const Ordering found(handle_, counted, base, flags);
            EXPECT_EQ(found.status, XBATCH_STATUS_INVALID_VALUE);
            EXPECT_TRUE(found.wrote_nothing());
            expect_in_message("xhinesOrder: argument 2, parent");
            if (node >= 0) expect_in_message("node " + std::to_string(node + base));
        }
    };
    const xbatchHinesFlags_t tree = XBATCH_HINES_TREE, forest = XBATCH_HINES_FOREST;
    for (xbatchHinesFlags_t flags : {tree, forest}) {
        expect_refused({-1, 0, 4, 0}, flags, 2);  // no such node
        expect_refused({-1, 0, INT32_MAX, 0}, flags, 2);
        expect_refused({-1, 0, -3, 0}, flags, 2);
        expect_refused({-1, 0, INT32_MIN, 0}, flags, 2);
        expect_refused({-1, 0, 4, 2, 3, 1}, flags, 2);        // a cycle of 2, 3 and 4
        expect_refused({-1, 5, 4, 2, 3, 0, 3, 6}, flags, 2);  // with a tail
        expect_refused({1, 2, 0}, flags, -1);                 // no root
    }
    expect_refused({1, -1, 1, 3}, tree, 3);  // a second root
    expect_refused({1, -1, -1, 1}, tree, 2);
}

TEST_P(HinesOrderOn, WrongArguments) {
    const std::vector<int32_t> parent = {-1, 0, 1};
    std::vector<int32_t> order(3, 7), ordered(3, 7);
    const auto expect = [&](const char *words, xbatchStatus_t status) {
        EXPECT_EQ(status, XBATCH_STATUS_INVALID_VALUE);
        expect_in_message(words);
        EXPECT_EQ(order, std::vector<int32_t>(3, 7));
        EXPECT_EQ(ordered, std::vector<int32_t>(3, 7));
    };
    const auto call = [&](int64_t n, const int32_t *from, int base, int flags, int32_t *to) {
        return xhinesOrder(handle_, n, from, base, xbatchHinesFlags_t(flags), to, ordered.data());
    };
    for (int64_t n : {int64_t(-1), INT64_MIN, INT64_MAX})
        expect("xhinesOrder: argument 1, n", call(n, parent.data(), 0, 0, order.data()));
    expect("xhinesOrder: argument 2, parent", call(3, nullptr, 0, 0, order.data()));
    for (int base : {-1, 2})
        expect("xhinesOrder: argument 3, indexBase", call(3, parent.data(), base, 0, order.data()));
    for (int flags : {4, 99}) expect("xhinesOrder: argument 4, flags", call(3, parent.data(), 0, flags, order.data()));
    expect("xhinesOrder: argument 5, order", call(3, parent.data(), 0, 0, nullptr));
    EXPECT_EQ(xhinesOrder(nullptr, 3, parent.data(), 0, XBATCH_HINES_TREE, order.data(), nullptr),
              XBATCH_STATUS_INVALID_HANDLE);
    EXPECT_EQ(call(0, nullptr, 0, 0, nullptr), XBATCH_STATUS_SUCCESS) << handle_.message();
    EXPECT_EQ(ordered, std::vector<int32_t>(3, 7));
    EXPECT_EQ(xhinesOrder(handle_, 3, parent.data(), 0, XBATCH_HINES_TREE, order.data(), nullptr),
              XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(order, (std::vector<int32_t>{0, 1, 2}));
}

template <class T>
void expect_placed(xbatchHandle_t handle, const HinesSystems<T> &s) {
    const auto plan = plan_of(handle, s);
    for (xbatchLayout_t layout : all_layouts)
        for (int64_t nrhs : {1, 2, 7})
            for (int64_t k = 0; k < 5; ++k) {
                const int64_t n = s.is_mixed ? 1 : s.n(0),
                              ld = leading_dimension(layout, n, s.is_mixed ? 1 : s.batch(), k);
                SCOPED_TRACE(testing::Message() << layout_name(layout) << ", nrhs " << nrhs << ", ld " << ld);
                const HinesPlaces expected = hines_places(s, layout, nrhs, ld);
                std::vector<int64_t> first(size_t(s.batch()), -9), step = first;
                int64_t extent = -9;
                ASSERT_EQ(
                    xhinesGetPlacement(handle, *plan, layout, nrhs, s.batch(), ld, first.data(), step.data(), &extent),
                    XBATCH_STATUS_SUCCESS)
                    << xbatchGetLastErrorMessage(handle);
                EXPECT_EQ(first, expected.first);
                EXPECT_EQ(step, expected.step);
                EXPECT_EQ(extent, expected.extent);
                EXPECT_EQ(xhinesGetPlacement(handle, *plan, layout, nrhs, s.batch(), ld, nullptr, nullptr, nullptr),
                          XBATCH_STATUS_SUCCESS);
            }
}

TEST_P(HinesPlacementOn, IsTheTablesOfTheHeaders) {
    for (int64_t batch : {1, 16, 33}) expect_placed(handle_, make_hines<float>(random_tree(20, 0.3), 1, batch));
    for (const std::vector<int32_t> &morph :
         {std::vector<int32_t>{2, 0, 0, 1, 2, 0, 0}, {1}, {0, 1, 2}, {2, 1, 0}, std::vector<int32_t>(40, 1)})
        expect_placed(handle_, make_mixed_hines<float>({chain(20), binary(31), star(9)}, morph, 1));
}

TEST_P(HinesPlacementOn, WrongArguments) {
    const std::vector<int32_t> morph = {0, 1, 0};
    const HinesPlan mixed(handle_, {chain(4), chain(7)}, &morph), free(handle_, {chain(4)});
    struct Wrong {
        const char *words;
        int layout;
        int64_t nrhs, batch, ld;
        bool is_mixed;
    };
    for (const Wrong &w : std::vector<Wrong>{{"argument 2, layout", 3, 1, 3, 4, false},
                                             {"argument 2, layout", 99, 1, 3, 4, false},
                                             {"argument 3, nrhs", 0, 0, 3, 4, false},
                                             {"argument 3, nrhs", 0, -1, 3, 4, false},
                                             {"argument 4, batch", 0, 1, -1, 4, false},
                                             {"argument 4, batch", 0, 1, 2, 4, true},
                                             {"argument 5, ld", 0, 1, 3, 3, false},
                                             {"argument 5, ld", 1, 1, 3, 2, false},
                                             {"argument 5, ld", 2, 1, 3, 0, false},
                                             {"argument 5, ld", 0, 1, 3, 0, true},
                                             {"argument 5, ld", 2, 1, 3, -1, true}}) {
        int64_t first[] = {7, 7, 7}, step[] = {7, 7, 7}, extent = 7;
        EXPECT_EQ(xhinesGetPlacement(handle_, w.is_mixed ? mixed : free, xbatchLayout_t(w.layout), w.nrhs, w.batch,
                                     w.ld, first, step, &extent),
                  XBATCH_STATUS_INVALID_VALUE)
            << w.words;
        expect_in_message(std::string("xhinesGetPlacement: ") + w.words);
        for (int64_t value : {first[0], first[1], first[2], step[0], step[1], step[2], extent}) EXPECT_EQ(value, 7);
    }
    EXPECT_EQ(xhinesGetPlacement(nullptr, free, XBATCH_LAYOUT_FLAT, 1, 3, 4, nullptr, nullptr, nullptr),
              XBATCH_STATUS_INVALID_HANDLE);
}

INSTANTIATE_TEST_SUITE_P(Host, HinesCreatePlanOn, testing::Values(XBATCH_BACKEND_HOST));
INSTANTIATE_TEST_SUITE_P(Cuda, HinesCreatePlanOn, testing::Values(XBATCH_BACKEND_CUDA));
INSTANTIATE_TEST_SUITE_P(Host, HinesPlanOn, testing::Values(XBATCH_BACKEND_HOST));
INSTANTIATE_TEST_SUITE_P(Cuda, HinesPlanOn, testing::Values(XBATCH_BACKEND_CUDA));
INSTANTIATE_TEST_SUITE_P(Host, HinesOrderOn, testing::Values(XBATCH_BACKEND_HOST));
INSTANTIATE_TEST_SUITE_P(Cuda, HinesOrderOn, testing::Values(XBATCH_BACKEND_CUDA));
INSTANTIATE_TEST_SUITE_P(Host, HinesPlacementOn, testing::Values(XBATCH_BACKEND_HOST));
INSTANTIATE_TEST_SUITE_P(Cuda, HinesPlacementOn, testing::Values(XBATCH_BACKEND_CUDA));

}  // namespace
}  // namespace xbatch_test
