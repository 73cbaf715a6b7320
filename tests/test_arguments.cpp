// test_arguments.cpp: makes every argument of every exported routine invalid in turn. The status must be the right one,
// the message must begin with the routine, the argument's position and its name, and nothing may be written.
//
// A table describes each routine by the names of its arguments; the name determines which values are invalid. The table
// must contain every symbol of src/cmake/xbatch.map.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "support/fixtures/arguments.hpp"

namespace xbatch_test {
namespace {

// The functions that take no shape; test_core.cpp tests their arguments.
const std::set<std::string> tested_in_test_core = {
    "xbatchCreate",          "xbatchDestroy",   "xbatchGetBackend",     "xbatchGetLastErrorMessage",
    "xbatchGetStatusString", "xbatchGetStream", "xbatchGetThreadCount", "xbatchGetProperty",
    "xbatchGetVersion",      "xbatchSetStream", "xbatchSetThreadCount"};

// The routines for plans
const std::set<std::string> tested_in_test_hines = {"xhinesOrder", "xhinesCreatePlan", "xhinesDestroyPlan",
                                                    "xhinesSetAlgorithm", "xhinesGetPlacement"};

// With the forms for several handles, which are in a table of their own
const std::set<std::string> tested_in_test_batch_mg = {"xbatchMgSplitBatch"};

const std::set<std::string> tested_in_test_communicator = {
    "xbatchCommCreate",      "xbatchCommCreateCustom", "xbatchCommDestroy",     "xbatchCommAbort",
    "xbatchCommSynchronize", "xbatchCommGetRank",      "xbatchCommGetSize",     "xbatchCommSetTimeout",
    "xbatchCommGetCounts",   "xbatchCommSplitBatch",   "xbatchCommSplitWeights"};

// Also in test_communicator.cpp and test_distributed_{factor,hines,methods,tall}.cpp; the second ones have a
// name for each type, with x or its letter before them.
const std::set<std::string> tested_in_test_distributed = {
    "xgtsvMpCreatePlan",         "xbatchMpDestroyPlan",    "xbatchMpGetOffsets",  "xgtsvMp_bufferSize",
    "xgtsvPschemeMp_bufferSize", "xptsvMp_bufferSize",     "xfolrMp_bufferSize",  "xgelsTsMp_bufferSize",
    "xgelsTsMpGetOffsets",       "xgttrfMp_bufferSize",    "xgttrsMp_bufferSize", "xgeqrtTsMp_bufferSize",
    "xgemqrtTsMp_bufferSize",    "xungqrtTsMp_bufferSize", "xhinesMpCreatePlan",  "xhinesMp_bufferSize"};
const std::set<std::string> of_all_types_in_test_distributed = {
    "gtsvMp",  "gtsvPeriodicMp", "gtsvPschemeMp", "ptsvMp",     "folrMp",     "gelsTsMp",
    "gttrfMp", "gttrsMp",        "geqrtTsMp",     "gemqrtTsMp", "ungqrtTsMp", "hinesMp"};

const std::set<std::string> tested_in_test_distributed_mg = {
    "xgtsvMgCreatePlan", "xbatchMgDestroyPlan", "xbatchMgGetOffsets", "xgtsvMg_bufferSize",
    "xgtsvMg",           "xgtsvPeriodicMg"};

const std::set<std::string> tested_in_test_qr = {"xgeqrtTiled_defaults"};
const std::set<std::string> tested_in_test_task_graph = {
    "xbatchTaskGraphCreate",        "xbatchTaskGraphDestroy",   "xbatchTaskGraphAddTask",
    "xbatchTaskGraphAddDependency", "xbatchTaskGraphAddAccess", "xbatchTaskGraphFinalize",
    "xbatchTaskGraphGetStatistics", "xbatchTaskGraphRun",       "xbatchTaskGraphGetFailure",
    "xbatchTaskGraphSetTrace",      "xbatchTaskGraphWriteTrace"};

// and in test_task_bodies.cu and test_task_tiles.cpp
const std::set<std::string> tested_with_images = {
    "xbatchTaskGraphUpload",      "xbatchTaskGraphUpload_bufferSize", "xbatchTaskGraphPrepare",
    "xbatchTaskGraphSynchronize", "xbatchTaskGraphAddCopy",           "xbatchTaskGraphAddSet",
    "xbatchTaskGraphAddAxpy",     "xbatchTaskGraphAddGemm",           "xbatchTaskGraphAddHerk",
    "xbatchTaskGraphAddTrsm",     "xbatchTaskGraphAddPotrf",          "xbatchTaskGraphRunTiles"};

TEST(Arguments, TheTableHoldsEveryExportedRoutine) {
    static const char *const symbols[] = {
#include "exported_symbols.inc"
    };
    std::set<std::string> exported(std::begin(symbols), std::end(symbols)), described = tested_in_test_core;
    described.insert(tested_in_test_hines.begin(), tested_in_test_hines.end());
    described.insert(tested_in_test_communicator.begin(), tested_in_test_communicator.end());
    described.insert(tested_in_test_distributed.begin(), tested_in_test_distributed.end());
    for (const std::string &name : of_all_types_in_test_distributed)
        for (const char type : {'x', 's', 'd', 'c', 'z'}) described.insert(type + name);
    described.insert(tested_in_test_distributed_mg.begin(), tested_in_test_distributed_mg.end());
    described.insert(tested_in_test_qr.begin(), tested_in_test_qr.end());
    described.insert(tested_in_test_task_graph.begin(), tested_in_test_task_graph.end());
    described.insert(tested_with_images.begin(), tested_with_images.end());
    described.insert(tested_in_test_batch_mg.begin(), tested_in_test_batch_mg.end());
    for (const Routine &routine : table()) described.insert(routine.name);
    for (const RoutineOfShares &routine : make_table_of_shares()) described.insert(routine.name + "Mg");
    EXPECT_EQ(exported, described);
}

class ArgumentsOn : public testing::TestWithParam<xbatchBackend_t> {
protected:
    ArgumentsOn() : handle_(GetParam()) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    // f(routine, layout) for every routine and layout
    template <class F>
    void for_each(F f) {
        for (const Routine &routine : table())
            for (xbatchLayout_t layout : all_layouts) {
                if ((routine.is_dense() || routine.is_of_sizes()) && layout != XBATCH_LAYOUT_FLAT) continue;
                SCOPED_TRACE(testing::Message() << routine.name << ", " << layout_name(layout));
                f(routine, layout);
            }
    }
    // The call with `changes` must be refused, name `blamed`, and write nothing.
    void expect_refused(const Routine &routine, xbatchLayout_t layout, const std::map<std::string, int64_t> &changes,
                        const std::string &blamed, xbatchStatus_t expected = XBATCH_STATUS_INVALID_VALUE) {
        GoodCall call(routine, handle_, GetParam(), layout);
        for (const auto &[name, value] : changes) call.set(name, value);
        SCOPED_TRACE(testing::Message() << blamed << " = " << changes.begin()->second);
        EXPECT_EQ(call.run(), expected);
        const std::string name = blamed == "bytes" ? "workspaceBytes" : blamed;
        const std::string words = routine.name + ": argument " + std::to_string(routine.position(blamed)) + ", " + name;
        EXPECT_EQ(std::string(handle_.message()).substr(0, words.size()), words) << "in: " << handle_.message();
        EXPECT_TRUE(call.wrote_nothing());
    }
    void expect_refused(const Routine &routine, xbatchLayout_t layout, const std::string &name,
                        std::initializer_list<int64_t> values) {
        for (int64_t value : values)
            if (routine.has(name)) expect_refused(routine, layout, {{name, value}}, name);
    }

    Handle handle_;
};

TEST_P(ArgumentsOn, TheGoodCallsAreGood) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        GoodCall call(routine, handle_, GetParam(), layout);
        EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS) << handle_.message();
        EXPECT_FALSE(call.wrote_nothing()) << "else the sweep could not see a write";
    });
}

TEST_P(ArgumentsOn, TypedRoutinesDoWhatTheirXFormsDo) {
    for (xbatchDataType_t type : all_types)
        for_each([&](const Routine &typed, xbatchLayout_t layout) {
            if (typed.name[0] != letter(type)) return;
            const Routine &x = x_form_of(typed);
            GoodCall one(typed, handle_, GetParam(), layout, type), other(x, handle_, GetParam(), layout, type);
            EXPECT_EQ(one.run(), XBATCH_STATUS_SUCCESS) << handle_.message();
            EXPECT_EQ(other.run(), XBATCH_STATUS_SUCCESS) << handle_.message();
            EXPECT_TRUE(same_bits(one.memory(), other.memory()));
            EXPECT_EQ(one.bytes(), other.bytes());
            EXPECT_EQ(one.factor_bytes(), other.factor_bytes());
        });
}

TEST_P(ArgumentsOn, NoHandle) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        GoodCall call(routine, handle_, GetParam(), layout);
        Values values(routine.arguments.size());
        for (size_t k = 0; k < values.size(); ++k) values[k] = call.get(routine.arguments[k]);
        EXPECT_EQ(routine.call(nullptr, values), XBATCH_STATUS_INVALID_HANDLE);
        EXPECT_TRUE(call.wrote_nothing());
    });
}

TEST_P(ArgumentsOn, WrongEnumerators) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        for (const char *name : {"type", "layout", "srcLayout", "dstLayout", "direction", "op", "norm", "side"})
            expect_refused(routine, layout, name, {-1, 99, INT32_MIN, INT32_MAX});
        expect_refused(routine, layout, "type", {4});
        for (const char *name : {"layout", "srcLayout", "dstLayout", "op"}) expect_refused(routine, layout, name, {3});
        for (const char *name : {"direction", "norm", "side", "pin"}) expect_refused(routine, layout, name, {2});
        expect_refused(routine, layout, "pin", {-1, 99, INT32_MIN, INT32_MAX});
        for (const char *name : {"incs", "inct"}) expect_refused(routine, layout, name, {-1, 2, INT64_MAX, INT64_MIN});
    });
}

TEST_P(ArgumentsOn, NegativeSizes) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        for (const char *name :
             {"n", "nrhs", "batch", "maxn", "m", "k", "mMax", "nMax", "kMax", "nrhsMax", "batch0", "batch1", "batch2"})
            expect_refused(routine, layout, name, {-1, INT64_MIN});
        for (const char *name : {"k", "kMax"}) expect_refused(routine, layout, name, {5, INT64_MAX});  // of four rows
        expect_refused(routine, layout, "sets", {-1, 0, 2, 4, INT64_MIN});  // neither 1 nor the batch
    });
}

TEST_P(ArgumentsOn, SmallLeadingDimensions) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        const int64_t least = GoodCall::least_ld(layout);
        for (const std::string name : {"ldsrc", "lddst", "lds", "ldt", "ldul", "ldd", "ldw", "ldb", "lda", "ldc", "ldq",
                                       "ldr", "ldtau", "ldaMax", "ldbMax", "ldcMax"}) {
            const bool zero_shares = name == "lds" || name == "ldt" || name == "ldul" || name == "ldd";
            expect_refused(routine, layout, name, {-1, INT64_MIN});
            if (routine.has("offsets")) continue;  // the extent may be on the device
            if (!zero_shares) expect_refused(routine, layout, name, {0});
            if (least > 1) expect_refused(routine, layout, name, {1, least - 1});
        }
        for (const char *stride : {"strideA", "strideB", "strideC", "strideR"})
            expect_refused(routine, layout, stride, {-1, 0, INT64_MIN, GoodCall::least_stride(layout, stride) - 1});
        // a single contiguous matrix, not several
        if (routine.has("factors") && routine.has("ldt")) expect_refused(routine, layout, {{"ldt", 0}}, "batch");
        // distances of constants: any except 0
        if (routine.has("incs")) {
            expect_refused(routine, layout, {{"lds", -1}, {"incs", 0}}, "lds");
            expect_refused(routine, layout, {{"ldt", -1}, {"inct", 0}}, "ldt");
        }
    });
}

TEST_P(ArgumentsOn, NullPointers) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        for (const char *name : {"src", "dst", "s", "t", "offsets", "plan",    "u",           "l",     "dl",
                                 "d",   "du",  "e", "B", "rcond",   "factors", "factorBytes", "bytes", "A",
                                 "C",   "Q",   "R", "T", "tBytes",  "tau",     "sigma"})
            expect_refused(routine, layout, name, {0});
        for (const char *name : {"stridesT", "stridesB"}) expect_refused(routine, layout, name, {0});
        if (routine.has("w") && !routine.has("sigma")) expect_refused(routine, layout, "w", {0});
        for (const char *name : {"w0", "w", "info", "logdet", "sign"}) {  // these may be NULL, of w only a factor
            if (!routine.has(name) || (std::string(name) == "w" && !routine.has("sigma"))) continue;
            GoodCall call(routine, handle_, GetParam(), layout);
            call.set(name, 0);
            EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS) << handle_.message();
        }
    });
}

TEST_P(ArgumentsOn, MisalignedFactors) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        for (const std::string name : {"factors", "T"}) {
            if (!routine.has(name)) continue;
            const int64_t good = GoodCall(routine, handle_, GetParam(), layout).get(name);
            expect_refused(routine, layout, name, {good + 8, good + 1});
        }
    });
}

TEST_P(ArgumentsOn, NothingToDoNeedsNoPointers) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        for (const char *empty :
             {"n", "nrhs", "batch", "maxn", "m", "mMax", "nMax", "nrhsMax", "batch0", "batch1", "batch2"}) {
            if (!routine.has(empty)) continue;
            if (routine.name.find("Qless") != std::string::npos && std::string(empty) == "nrhs") continue;  // R alone
            GoodCall call(routine, handle_, GetParam(), layout);
            call.set(empty, 0);
            for (const char *k : {"k", "kMax"}) call.set(k, 0);              // at most either size
            if (routine.has("k") && !routine.has("side")) call.set("n", 0);  // at most m
            if (routine.has("kMax") && !routine.has("side")) call.set("nMax", 0);
            if (std::string(empty) == "batch") call.set("sets", 0);
            for (const char *name : {"src",     "dst",       "s",  "t", "w0", "w",    "offsets", "u",    "l",
                                     "dl",      "d",         "du", "e", "B",  "info", "logdet",  "sign", "rcond",
                                     "factors", "workspace", "A",  "C", "Q",  "R",    "T",       "tau",  "sigma"})
                call.set(name, 0);
            call.set("workspaceBytes", 0);
            size_t bytes = 99, factor_bytes = 99;
            call.set("bytes", reinterpret_cast<int64_t>(&bytes));
            call.set("factorBytes", reinterpret_cast<int64_t>(&factor_bytes));
            call.set("tBytes", reinterpret_cast<int64_t>(&factor_bytes));
            EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS) << empty << ": " << handle_.message();
            EXPECT_EQ(bytes, routine.has("bytes") ? 0u : 99u);
            EXPECT_EQ(factor_bytes, routine.has("factorBytes") || routine.has("tBytes") ? 0u : 99u);
            EXPECT_TRUE(call.wrote_nothing()) << empty;
        }
    });
}

// A refusal comes before the quick return.
TEST_P(ArgumentsOn, EmptyShapesAreCheckedAsWell) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        for (const char *ld : {"ldw", "ldb", "lddst"})
            if (routine.has(ld)) expect_refused(routine, layout, {{ld, -1}, {"n", 0}, {"maxn", 0}, {"k", 0}}, ld);
        if (routine.has("batch"))
            expect_refused(routine, layout, {{"batch", -1}, {"n", 0}, {"maxn", 0}, {"k", 0}}, "batch");
        if (routine.has("batch2")) expect_refused(routine, layout, {{"batch2", -1}, {"n", 0}}, "batch2");
    });
}

// No stride may be negative, and in B none so small that elements coincide. Those of one system are not used.
TEST_P(ArgumentsOn, Strides) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        if (!routine.has("stridesT")) return;
        const xbatchStrides_t good = GoodCall(routine, handle_, GetParam(), layout).strides_for(4);
        const auto with = [&](int k, int64_t value) {  // batch[k], or the rows'
            xbatchStrides_t strides = good;
            (k < 0 ? strides.row : strides.batch[k]) = value;
            return strides;
        };
        const int64_t smaller[] = {good.row - 1, good.batch[0] - 1, good.batch[1] - 1};
        for (int k = -1; k < 3; ++k) {
            for (int64_t value : {int64_t(-1), INT64_MIN}) {
                const xbatchStrides_t bad = with(k, value);
                for (const char *name : {"stridesT", "stridesB"})
                    expect_refused(routine, layout, {{name, reinterpret_cast<int64_t>(&bad)}}, name);
                expect_refused(routine, layout, {{"stridesT", reinterpret_cast<int64_t>(&bad)}, {"n", 0}}, "stridesT");
            }
            for (int64_t value : {int64_t(0), k < 2 ? smaller[k + 1] : 0, INT64_MAX}) {
                const xbatchStrides_t other = with(k, value);
                const auto address = reinterpret_cast<int64_t>(&other);
                if (k < 2) {
                    expect_refused(routine, layout, {{"stridesB", address}}, "stridesB");
                } else {
                    GoodCall call(routine, handle_, GetParam(), layout);
                    call.set("stridesB", address);
                    EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS) << handle_.message();
                }
                if (value == INT64_MAX && k < 2) expect_refused(routine, layout, {{"stridesT", address}}, "stridesT");
            }
        }
    });
}

// Products of sizes are checked, never wrapped.
TEST_P(ArgumentsOn, Overflow) {
    const int64_t large = int64_t(1) << 40, larger = int64_t(1) << 62;
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        if (routine.has("src")) {
            for (const char *ld : {"ldsrc", "lddst"}) expect_refused(routine, layout, {{ld, larger}}, ld);
            expect_refused(routine, layout, {{"n", large}, {"batch", large}, {"ldsrc", large}, {"lddst", large}},
                           "ldsrc");
        } else if (routine.is_of_sizes()) {
            expect_refused(routine, layout, {{"mMax", large}, {"nMax", large}}, "mMax");
            expect_refused(routine, layout, {{"mMax", large}, {"batch", large}}, "mMax");
            for (const char *name : {"kMax", "nrhsMax"})
                if (routine.has(name))
                    expect_refused(routine, layout, {{"mMax", large}, {"nMax", 1}, {name, large}}, name);
            for (const char *ld : {"ldaMax", "ldbMax", "ldcMax"})
                if (routine.has(ld)) expect_refused(routine, layout, {{ld, larger}}, ld);
        } else if (routine.is_dense() || routine.is_matrix_batch()) {
            expect_refused(routine, layout, {{"m", large}, {"n", large}}, "m");
            if (routine.has("batch")) expect_refused(routine, layout, {{"m", large}, {"batch", large}}, "m");
            for (const char *name : {"k", "nrhs"})
                if (routine.has(name)) expect_refused(routine, layout, {{"m", large}, {"n", 1}, {name, large}}, name);
            for (const char *ld :
                 {"lda", "ldb", "ldc", "ldq", "ldr", "ldtau", "strideA", "strideB", "strideC", "strideR"})
                if (routine.has(ld)) expect_refused(routine, layout, {{ld, larger}}, ld);
        } else if (routine.has("stridesT")) {
            for (const char *batch : {"batch0", "batch1", "batch2"})
                expect_refused(routine, layout, {{"n", large}, {batch, large}}, "n");
            expect_refused(routine, layout, {{"batch0", large}, {"batch1", large}, {"n", 1}}, "n");
        } else {
            const std::string n = routine.has("plan") ? "batch" : routine.has("maxn") ? "maxn" : "n";
            if (routine.has("plan"))
                expect_refused(routine, layout, {{n, INT64_MAX}}, n);
            else
                expect_refused(routine, layout, {{n, large}, {"batch", large}}, n);
            if (routine.has("nrhs")) {
                if (!routine.has("plan")) expect_refused(routine, layout, {{n, large}, {"nrhs", large}}, n);
                expect_refused(routine, layout, {{"nrhs", large}, {"batch", large}}, n);
            }
            for (const char *ld : {"lds", "ldt", "ldul", "ldd", "ldw", "ldb"})
                if (routine.has(ld)) expect_refused(routine, layout, {{ld, larger}}, ld);
        }
    });
}

// Sizes are correct, or refused if they exceed the address space; they never wrap.
TEST(SizeQueries, NeverWrap) {
    Handle handle(XBATCH_BACKEND_HOST);
    for (const int threads : {1, 7, INT32_MAX})
        for (const Routine &routine : table()) {
            if (!routine.has("bytes")) continue;
            const bool is_dense = routine.is_dense() || routine.is_matrix_batch() || routine.is_of_sizes();
            const char *const large = routine.has("plan")   ? "batch"
                                      : is_dense            ? "m"
                                      : routine.has("maxn") ? "maxn"
                                                            : "n";
            ASSERT_EQ(xbatchSetThreadCount(handle, threads), XBATCH_STATUS_SUCCESS);
            for (const xbatchLayout_t layout : all_layouts) {
                GoodCall call(routine, handle, XBATCH_BACKEND_HOST, layout);
                size_t before = 0;
                for (int power = 24; power < 63; ++power)
                    for (const int64_t size : {(int64_t(1) << power) - 1, int64_t(1) << power}) {
                        SCOPED_TRACE(testing::Message() << routine.name << ", " << layout_name(layout) << ", " << large
                                                        << " = " << size << ", threads " << threads);
                        call.set(large, size), call.set("mMax", size), call.set("sets", 3);
                        if (routine.has("plan")) call.set("sets", size);
                        const xbatchStatus_t status = call.run();
                        if (status != XBATCH_STATUS_SUCCESS) {
                            EXPECT_EQ(status, XBATCH_STATUS_INVALID_VALUE);
                            continue;
                        }
                        EXPECT_LT(call.bytes(), size_t(1) << 63);
                        EXPECT_GE(call.bytes(), before / 2);
                        before = call.bytes();
                    }
            }
        }
}

TEST(SizeQueries, WhatNoMemoryHasIsRefused) {
    Handle handle(XBATCH_BACKEND_HOST);
    const int64_t n = (int64_t(1) << 59) - 1;  // a double for each fits in size_t, two do not
    size_t bytes = 77;
    std::vector<double> some(2);
    for (const auto size : {dgtsvThomas_bufferSize, dgtsvOddEven_bufferSize}) {
        EXPECT_EQ(size(handle, XBATCH_LAYOUT_FLAT, n, 1, 1, &bytes), XBATCH_STATUS_INVALID_VALUE);
        EXPECT_NE(std::string(handle.message()).find("_bufferSize: argument 5, workspaceBytes: the sizes need 2^63"),
                  std::string::npos)
            << handle.message();
    }
    for (const auto solve : {dgtsvThomas, dgtsvOddEven}) {
        EXPECT_EQ(solve(handle, XBATCH_LAYOUT_FLAT, n, 1, 1, some.data(), some.data(), some.data(), n, some.data(), n,
                        nullptr, some.data(), 16),
                  XBATCH_STATUS_INVALID_VALUE);
        EXPECT_NE(std::string(handle.message()).find(": argument 12, workspace: the sizes need 2^63"),
                  std::string::npos)
            << handle.message();
    }
    EXPECT_EQ(bytes, 77u);
    EXPECT_EQ(some, std::vector<double>(2));
}

TEST_P(ArgumentsOn, Workspace) {
    int with_workspace = 0;
    for (const Routine &routine : table()) {
        if (!routine.has("workspace")) continue;
        for (xbatchLayout_t layout : all_layouts) {
            // A shape that needs a workspace, if there is one; the arrays are never accessed.
            int64_t n = 4;
            const auto needed = [&] {
                GoodCall call(routine, handle_, GetParam(), layout);
                call.set("n", n), call.set("maxn", n);
                return int64_t(call.workspace_bytes());
            };
            const int64_t most = int64_t(1) << (routine.has("plan") ? 12 : 24);
            while (!routine.is_matrix_batch() && !routine.is_of_sizes() && n < most && needed() == 0)
                n *= 4;  // with n <= m
            const int64_t bytes = needed();
            if (bytes == 0) continue;
            ++with_workspace;
            SCOPED_TRACE(testing::Message() << routine.name << ", " << layout_name(layout) << ", n " << n);
            std::map<std::string, int64_t> shape = {{"n", n}, {"maxn", n}, {"workspaceBytes", bytes}};
            if (layout == XBATCH_LAYOUT_FLAT)
                for (const char *ld : {"lds", "ldt", "ldul", "ldd", "ldw", "ldb"}) shape[ld] = n;
            if (routine.is_matrix_batch()) {  // of four rows
                for (const char *stride : {"strideA", "strideB", "strideC", "strideR"}) shape[stride] = 4 * n;
                shape["ldb"] = n, shape["ldtau"] = n;
            }
            const auto expect = [&](int64_t address, int64_t size) {
                shape["workspace"] = address, shape["workspaceBytes"] = size;
                expect_refused(routine, layout, shape, "workspace", XBATCH_STATUS_INSUFFICIENT_WORKSPACE);
            };
            Array<double> memory(GetParam(), 64);
            const int64_t aligned = (reinterpret_cast<int64_t>(memory.data()) + 15) / 16 * 16;
            expect(0, bytes);
            expect(aligned, bytes - 1);
            expect(aligned, 0);
            expect(aligned + 8, bytes);
            expect(aligned + 1, bytes);
        }
    }
    EXPECT_GT(with_workspace, 0);
}

INSTANTIATE_TEST_SUITE_P(Host, ArgumentsOn, testing::Values(XBATCH_BACKEND_HOST));
INSTANTIATE_TEST_SUITE_P(Cuda, ArgumentsOn, testing::Values(XBATCH_BACKEND_CUDA));

}  // namespace
}  // namespace xbatch_test
