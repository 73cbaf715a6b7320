// hines_on.hpp: the cases of the Hines tests, algorithm by type by layout on a backend, and what the test bodies share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hines.hpp"

namespace xbatch_test {

constexpr xbatchOperation_t operations[] = {XBATCH_OP_N, XBATCH_OP_T, XBATCH_OP_C};

struct HinesCase {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchBackend_t backend;
    xbatchHinesAlgorithm_t algorithm = XBATCH_HINES_AUTO;
};

inline std::vector<HinesCase> hines_cases(xbatchBackend_t backend, bool by_threads = false) {
    std::vector<HinesCase> cases;
    for (xbatchDataType_t type : all_types)
        for (xbatchLayout_t layout : all_layouts) {
            const bool can_share = layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED;
            if (!by_threads) cases.push_back({type, layout, backend});
            if (by_threads) cases.push_back({type, layout, backend, XBATCH_HINES_THREAD});
            if (by_threads && can_share) cases.push_back({type, layout, backend, XBATCH_HINES_THREAD_SHARED});
        }
    return cases;
}

inline std::string name_of(const testing::TestParamInfo<HinesCase> &info) {
    constexpr const char *names[] = {"", "Thread", "ThreadShared"};
    const HinesCase &c = info.param;
    return std::string(1, letter(c.type)) + names[c.algorithm] + layout_name(c.layout);
}

class HinesOn : public testing::TestWithParam<HinesCase> {
protected:
    HinesOn() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    // Whether a system is eliminated from the tips to the root; otherwise pieces of it side by side, with other pivots.
    bool is_from_the_tips() const {
        return GetParam().backend == XBATCH_BACKEND_HOST || GetParam().algorithm != XBATCH_HINES_AUTO;
    }
    template <class T>
    std::unique_ptr<HinesPlan> plan(const HinesSystems<T> &s, int base = 0) {
        std::unique_ptr<HinesPlan> plan = plan_of(handle_, s, base);
        EXPECT_EQ(xhinesSetAlgorithm(handle_, *plan, GetParam().algorithm), XBATCH_STATUS_SUCCESS) << handle_.message();
        return plan;
    }
    template <class T>
    HinesPlacing placing(const HinesSystems<T> &s, int64_t k = 0, xbatchOperation_t op = XBATCH_OP_N) {
        HinesPlacing p = hines_placing(GetParam().layout, s, k, op);
        if (GetParam().algorithm == XBATCH_HINES_THREAD_SHARED) p.ldb = std::min<int64_t>(p.ldb, 2);  // which fit
        return p;
    }
    template <class T>
    HinesAnswer<T> solve(const HinesSystems<T> &s, HinesPlacing p) {
        return xbatch_test::solve(handle_, *plan(s, int(p.shift % 2)), s, p);
    }
    // What the contract promises: trees too deep for the order of the sequential elimination are solved less
    // accurately.
    long double bound_of(const Parents &tree) const {
        std::vector<int32_t> depth(tree.size(), 1);
        for (size_t i = 1; i < tree.size(); ++i)
            if (tree[i] >= 0) depth[i] = depth[size_t(tree[i])] + 1;
        const bool is_deep = *std::max_element(depth.begin(), depth.end()) > 8192;
        return is_deep && !is_from_the_tips() ? 1000 : 10;
    }
    // Solves and judges a batch of dominant matrices.
    template <class T>
    void expect_solved(const HinesSystems<T> &s, HinesPlacing p, long double bound = 10) {
        SCOPED_TRACE(testing::Message() << s.trees.size() << " trees, the first of " << s.trees[0].size()
                                        << " nodes; nrhs " << s.nrhs << ", batch " << s.batch() << ", ldul " << p.ldul
                                        << ", ldd " << p.ldd << ", ldb " << p.ldb << ", shift " << p.shift << ", op "
                                        << p.op);
        const HinesAnswer<T> answer = solve(s, p);
        long double worst = 0;
        for (int64_t j = 0; j < s.batch(); ++j) worst = worse(worst, hines_error(s, j, answer.x[size_t(j)], p.op));
        EXPECT_LE(worst, bound);
        EXPECT_EQ(answer.info, std::vector<int32_t>(size_t(s.batch()), p.with_info ? 0 : -1));
    }

    Handle handle_;
};

}  // namespace xbatch_test
