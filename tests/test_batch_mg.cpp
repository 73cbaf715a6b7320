// test_batch_mg.cpp: batches whose systems are distributed over several handles of one process.
//
// Every batch routine, of every type and layout: each share must have the bits of the routine alone. Where an argument
// of one share is wrong, the message must name the share and the argument, and nothing may be written.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "support/fixtures/arguments.hpp"
#include "support/fixtures/gtsv_cases.hpp"

namespace xbatch_test {
namespace {

const std::vector<RoutineOfShares> &table_of_shares() {
    static const std::vector<RoutineOfShares> routines = make_table_of_shares();
    return routines;
}

bool may_be_null(const Routine &routine, const std::string &name) {
    static const std::set<std::string> optional = {"info",   "w0",     "logdet", "sign", "sizesM", "sizesN",
                                                   "sizesK", "sizesR", "ldsA",   "ldsB", "ldsC"};
    return optional.count(name) || (name == "w" && routine.has("sigma"));
}
bool are_strides(const std::string &name) { return name.rfind("strides", 0) == 0; }
bool is_number(const std::string &name) {
    return name.rfind("batch", 0) == 0 || name.rfind("ld", 0) == 0 || name.rfind("stride", 0) == 0 || name == "sets";
}

constexpr int shares = 3;

// A good call of three shares, each on a handle of its own
class GoodShares {
public:
    GoodShares(const RoutineOfShares &routine, xbatchBackend_t backend, xbatchLayout_t layout, xbatchDataType_t type)
        : routine_(routine), backend_(backend), single_(routine_named(routine.name)) {
        for (int k = 0; k < shares; ++k) {
            use(k);
            owners_.push_back(std::make_unique<Handle>(backend));
            handles_.push_back(*owners_.back());
            calls_.push_back(std::make_unique<GoodCall>(single_, handles_.back(), backend, layout, type));
        }
        if (!single_.has("factors") || single_.has("d"))  // which are of three systems
            for (const char *size : {"batch", "batch0"}) of(1).set(size, 2);
        use(0);
    }
    GoodCall &of(int k) { return *calls_[size_t(k)]; }
    std::vector<xbatchHandle_t> &handles() { return handles_; }
    std::string message() const { return owners_[0]->message(); }
    void forget_array(const std::string &name) { missing_ = name; }

    xbatchStatus_t run(int devices = shares) {
        Values values;
        std::map<std::string, Values> arrays;
        std::map<std::string, std::vector<xbatchStrides_t>> strides;
        for (size_t q = 0; q < routine_.arguments.size(); ++q) {
            const std::string &name = routine_.arguments[q];
            for (int k = 0; k < shares; ++k) {
                const int64_t value = of(k).get(name);
                if (are_strides(name))
                    strides[name].push_back(*reinterpret_cast<const xbatchStrides_t *>(value));
                else
                    arrays[name].push_back(value);
            }
            const void *const array = strides.count(name) ? static_cast<const void *>(strides[name].data())
                                                          : static_cast<const void *>(arrays[name].data());
            values.push_back(!routine_.is_array[q] ? arrays[name][0]
                             : name == missing_    ? 0
                                                   : reinterpret_cast<int64_t>(array));
        }
        return routine_.call(devices, handles_.empty() ? nullptr : handles_.data(), values);
    }
    // The call was refused: `where` follows the routine's name in the message.
    void expect_message(const std::string &where, const std::string &blamed) {
        const std::string words = routine_.name + where + std::to_string(single_.position(blamed)) + ", " + blamed;
        EXPECT_EQ(message().substr(0, words.size()), words) << "in: " << message();
        EXPECT_TRUE(wrote_nothing());
    }
    std::vector<double> memory(int k) {
        use(k);
        std::vector<double> all = of(k).memory();
        use(0);
        return all;
    }
    bool wrote_nothing() {
        bool is_intact = true;
        for (int k = 0; k < shares; ++k) use(k), is_intact = of(k).wrote_nothing() && is_intact;
        use(0);
        return is_intact;
    }
    void run_alone() {
        for (int k = 0; k < shares; ++k) EXPECT_EQ(of(k).run(), XBATCH_STATUS_SUCCESS) << owners_[size_t(k)]->message();
    }

private:
    void use(int k) const {
        if (backend_ == XBATCH_BACKEND_CUDA) use_device(k % device_count());
    }

    const RoutineOfShares &routine_;
    xbatchBackend_t backend_;
    const Routine &single_;
    std::vector<std::unique_ptr<Handle>> owners_;
    std::vector<xbatchHandle_t> handles_;
    std::vector<std::unique_ptr<GoodCall>> calls_;
    std::string missing_;
};

class BatchMg : public testing::TestWithParam<xbatchBackend_t> {
protected:
    void SetUp() override {
        const Handle handle(GetParam());
        XBATCH_NEEDS(handle);
    }
    // f(routine, layout) for every routine and layout
    template <class F>
    void for_each(F f) {
        for (const RoutineOfShares &routine : table_of_shares())
            for (const xbatchLayout_t layout : all_layouts) {
                if (routine_named(routine.name).is_of_sizes() && layout != XBATCH_LAYOUT_FLAT) continue;
                SCOPED_TRACE(testing::Message() << routine.name << "Mg, " << layout_name(layout));
                f(routine, layout);
            }
    }
};

TEST_P(BatchMg, SharesHaveTheBitsOfTheRoutineAlone) {
    for (const xbatchDataType_t type : all_types)
        for_each([&](const RoutineOfShares &routine, xbatchLayout_t layout) {
            GoodShares together(routine, GetParam(), layout, type), alone(routine, GetParam(), layout, type);
            EXPECT_EQ(together.run(), XBATCH_STATUS_SUCCESS) << together.message();
            EXPECT_FALSE(together.wrote_nothing());
            alone.run_alone();
            for (int k = 0; k < shares; ++k)
                EXPECT_TRUE(same_bits(together.memory(k), alone.memory(k))) << "share " << k;
        });
}

// The last share is wrong, so that all others could have run.
TEST_P(BatchMg, AWrongShareIsNamedAndNothingWritten) {
    for_each([&](const RoutineOfShares &routine, xbatchLayout_t layout) {
        const Routine &single = routine_named(routine.name);
        for (size_t q = 0; q < routine.arguments.size(); ++q) {
            const std::string &name = routine.arguments[q];
            if (!routine.is_array[q] || may_be_null(single, name) || are_strides(name)) continue;
            GoodShares wrong(routine, GetParam(), layout, XBATCH_R_64F);
            const bool is_of_workspace = name.rfind("workspace", 0) == 0;
            if (is_of_workspace && wrong.of(2).get("workspaceBytes") == 0) continue;
            wrong.of(2).set(name, is_number(name) ? -1 : 0);
            if (name == "workspaceBytes") wrong.of(2).set(name, 0);
            EXPECT_EQ(wrong.run(),
                      is_of_workspace ? XBATCH_STATUS_INSUFFICIENT_WORKSPACE : XBATCH_STATUS_INVALID_VALUE);
            const std::string blamed = is_of_workspace ? "workspace" : name;
            wrong.expect_message("Mg: share 2: argument ", blamed);
        }
    });
}

// An array of entries is NULL: what may be NULL is absent in all shares, all else is refused.
TEST_P(BatchMg, MissingArrays) {
    for_each([&](const RoutineOfShares &routine, xbatchLayout_t layout) {
        const Routine &single = routine_named(routine.name);
        for (size_t q = 0; q < routine.arguments.size() && layout == XBATCH_LAYOUT_FLAT; ++q) {
            const std::string &name = routine.arguments[q];
            if (!routine.is_array[q]) continue;
            GoodShares given(routine, GetParam(), layout, XBATCH_R_64F);
            given.forget_array(name);
            if (may_be_null(single, name)) {
                EXPECT_EQ(given.run(), XBATCH_STATUS_SUCCESS) << given.message();
            } else {
                EXPECT_EQ(given.run(), XBATCH_STATUS_INVALID_VALUE);
                // B may be NULL without right-hand sides, which a share knows
                const bool is_of_share = routine.name == "xgeqrfQlessBatch" && name == "B";
                given.expect_message(is_of_share ? "Mg: share 0: argument " : "Mg: argument ", name);
            }
        }
    });
}

TEST_P(BatchMg, WrongHandles) {
    for_each([&](const RoutineOfShares &routine, xbatchLayout_t layout) {
        GoodShares wrong(routine, GetParam(), layout, XBATCH_R_64F);
        const xbatchHandle_t good = wrong.handles()[2];
        wrong.handles()[2] = wrong.handles()[1];
        EXPECT_EQ(wrong.run(), XBATCH_STATUS_INVALID_VALUE);
        EXPECT_EQ(wrong.message(), routine.name + "Mg: share 2: its handle is that of another share");
        wrong.handles()[2] = nullptr;
        EXPECT_EQ(wrong.run(), XBATCH_STATUS_INVALID_HANDLE);
        EXPECT_EQ(wrong.message(), routine.name + "Mg: share 2: its handle is NULL or was destroyed");
        wrong.handles()[2] = good;
        EXPECT_EQ(wrong.run(0), XBATCH_STATUS_INVALID_VALUE);
        wrong.handles().clear();
        EXPECT_EQ(wrong.run(), XBATCH_STATUS_INVALID_HANDLE);
        EXPECT_TRUE(wrong.wrote_nothing());
    });
}

INSTANTIATE_TEST_SUITE_P(Host, BatchMg, testing::Values(XBATCH_BACKEND_HOST));
INSTANTIATE_TEST_SUITE_P(Cuda, BatchMg, testing::Values(XBATCH_BACKEND_CUDA));

TEST(BatchMgSplit, Evenly) {
    const auto split = [](int devices, int64_t block, int64_t batch) {
        std::vector<int64_t> offsets(size_t(devices) + 1, -1);
        EXPECT_EQ(xbatchMgSplitBatch(devices, block, batch, offsets.data()), XBATCH_STATUS_SUCCESS);
        return offsets;
    };
    using Offsets = std::vector<int64_t>;
    EXPECT_EQ(split(3, 1, 10), (Offsets{0, 3, 6, 10}));
    EXPECT_EQ(split(3, 4, 10), (Offsets{0, 4, 8, 10}));
    EXPECT_EQ(split(3, 100, 10), (Offsets{0, 0, 0, 10}));
    EXPECT_EQ(split(1, 1, 0), (Offsets{0, 0}));
    EXPECT_EQ(split(2, 3, INT64_MAX), (Offsets{0, 4611686018427387903, INT64_MAX}));
    int64_t offsets[3] = {-1, -1, -1};
    EXPECT_EQ(xbatchMgSplitBatch(0, 1, 10, offsets), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(xbatchMgSplitBatch(2, 0, 10, offsets), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(xbatchMgSplitBatch(2, 1, -1, offsets), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(xbatchMgSplitBatch(2, 1, 10, nullptr), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(offsets[0], -1);
}

// One array, of which each share has its systems: the rule of batch_mg.h for where it begins
TEST(BatchMgSplit, SharesOfOneArray) {
    const Handle first(XBATCH_BACKEND_HOST), second(XBATCH_BACKEND_HOST);
    const xbatchHandle_t handles[] = {first, second};
    for (const xbatchLayout_t layout : all_layouts) {
        const Systems<double> s = make_systems<double>(50, 2, 21, {6, 1, 18});
        const int64_t ld = leading_dimension(layout, s.n, s.batch, 1);
        std::vector<double> dl(size_t(extent(layout, s.n, 1, s.batch, ld))),
            d = dl, du = dl, b(size_t(extent(layout, s.n, s.nrhs, s.batch, ld)));
        const auto each_element = [&](auto f) {
            for (int64_t j = 0; j < s.batch; ++j)
                for (int64_t i = 0; i < s.n; ++i) f(i, j);
        };
        each_element([&](int64_t i, int64_t j) {
            const auto to = size_t(element(layout, s.n, int64_t(1), ld, i, j, int64_t(0))), from = size_t(s.row(j, i));
            dl[to] = s.dl[from], d[to] = s.d[from], du[to] = s.du[from];
            for (int64_t r = 0; r < s.nrhs; ++r)
                b[size_t(element(layout, s.n, s.nrhs, ld, i, j, r))] = s.b[size_t(s.entry(j, r, i))];
        });
        const bool is_block = layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED;
        int64_t offsets[3], batch[2];
        ASSERT_EQ(xbatchMgSplitBatch(2, is_block ? ld : 1, s.batch, offsets), XBATCH_STATUS_SUCCESS);
        const void *dls[2], *ds[2], *dus[2];
        void *bs[2], *workspaces[2];
        std::vector<double> workspace[2];
        size_t bytes[2];
        for (int k = 0; k < 2; ++k) {
            const int64_t at = offsets[k] * (is_block ? s.n : layout == XBATCH_LAYOUT_FLAT ? ld : 1);
            batch[k] = offsets[k + 1] - offsets[k];
            dls[k] = &dl[size_t(at)], ds[k] = &d[size_t(at)], dus[k] = &du[size_t(at)];
            bs[k] = &b[size_t(layout == XBATCH_LAYOUT_INTERLEAVED ? at : at * s.nrhs)];
            ASSERT_EQ(dgtsvBatch_bufferSize(handles[k], layout, s.n, s.nrhs, batch[k], &bytes[k]),
                      XBATCH_STATUS_SUCCESS);
            workspace[k].resize(bytes[k] / sizeof(double) + 2), workspaces[k] = workspace[k].data();
        }
        const int64_t lds[] = {ld, ld};
        EXPECT_EQ(xgtsvBatchMg(2, handles, XBATCH_R_64F, layout, s.n, s.nrhs, batch, dls, ds, dus, lds, bs, lds,
                               nullptr, workspaces, bytes),
                  XBATCH_STATUS_SUCCESS)
            << first.message();
        std::vector<double> x(s.b.size());
        each_element([&](int64_t i, int64_t j) {
            for (int64_t r = 0; r < s.nrhs; ++r)
                x[size_t(s.entry(j, r, i))] = b[size_t(element(layout, s.n, s.nrhs, ld, i, j, r))];
        });
        EXPECT_LE(errors_of(s, x).backward, 32) << layout_name(layout);
    }
}

}  // namespace
}  // namespace xbatch_test
