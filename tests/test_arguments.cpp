// test_arguments.cpp: every argument of every exported routine made invalid in turn. The status is the right one, the
// message begins with the routine, the argument's position and its name, and nothing is written.
//
// A table describes each routine by the names of its arguments; a name says which values are wrong. The table must hold
// every symbol of src/cmake/xbatch.map.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/factor.hpp"

namespace xbatch_test {
namespace {

using Values = std::vector<int64_t>;  // a call's arguments after the handle: numbers, enumerators, addresses

struct Routine {
    std::string name;
    std::vector<std::string> arguments;
    std::function<xbatchStatus_t(xbatchHandle_t, const Values &)> call;

    bool has(const std::string &argument) const { return position(argument) <= arguments.size(); }
    size_t position(const std::string &argument) const {  // from 1
        return size_t(std::find(arguments.begin(), arguments.end(), argument) - arguments.begin()) + 1;
    }
};

template <class A>
A as_argument(int64_t value) {
    if constexpr (std::is_pointer_v<A>)
        return reinterpret_cast<A>(value);
    else
        return static_cast<A>(value);
}

template <class... A, size_t... I>
xbatchStatus_t call_with(xbatchStatus_t (*function)(xbatchHandle_t, A...), xbatchHandle_t handle, const Values &values,
                         std::index_sequence<I...>) {
    return function(handle, as_argument<A>(values[I])...);
}

template <class... A>
Routine describe(const std::string &name, const std::vector<std::string> &arguments,
                 xbatchStatus_t (*function)(xbatchHandle_t, A...)) {
    EXPECT_EQ(sizeof...(A), arguments.size()) << name;
    return {name, arguments, [function](xbatchHandle_t handle, const Values &values) {
                return call_with(function, handle, values, std::index_sequence_for<A...>());
            }};
}

template <class X, class S, class D, class C, class Z>
void add_family(std::vector<Routine> &table, const std::string &stem, std::vector<std::string> arguments, X x, S s, D d,
                C c, Z z) {
    table.push_back(describe("s" + stem, arguments, s));
    table.push_back(describe("d" + stem, arguments, d));
    table.push_back(describe("c" + stem, arguments, c));
    table.push_back(describe("z" + stem, arguments, z));
    arguments.insert(arguments.begin(), "type");
    table.push_back(describe("x" + stem, arguments, x));
}

#define XBATCH_FAMILY(stem) #stem, arguments, x##stem, s##stem, d##stem, c##stem, z##stem

std::vector<Routine> make_table() {
    std::vector<Routine> table;
    std::vector<std::string> arguments = {"n", "batch", "srcLayout", "src", "ldsrc", "dstLayout", "dst", "lddst"};
    add_family(table, XBATCH_FAMILY(rearrange));
    arguments = {"layout", "direction", "n",   "nrhs", "batch", "s",   "incs",      "lds",
                 "t",      "inct",      "ldt", "w0",   "w",     "ldw", "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(folrPscheme));
    arguments = {"layout", "direction", "n", "nrhs", "batch", "bytes"};
    add_family(table, XBATCH_FAMILY(folrPscheme_bufferSize));
    arguments = {"layout", "n",    "nrhs",      "batch",         "dl", "d", "du", "ldt", "B",
                 "ldb",    "info", "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(gtsvPscheme));
    add_family(table, XBATCH_FAMILY(gtsvThomas));
    add_family(table, XBATCH_FAMILY(gtsvOddEven));
    add_family(table, XBATCH_FAMILY(gtsvBatch));
    add_family(table, XBATCH_FAMILY(gtsvPeriodicBatch));
    arguments = {"layout", "n", "nrhs", "batch", "bytes"};
    add_family(table, XBATCH_FAMILY(gtsvPscheme_bufferSize));
    add_family(table, XBATCH_FAMILY(gtsvThomas_bufferSize));
    add_family(table, XBATCH_FAMILY(gtsvOddEven_bufferSize));
    add_family(table, XBATCH_FAMILY(gtsvBatch_bufferSize));
    add_family(table, XBATCH_FAMILY(gtsvPeriodicBatch_bufferSize));
    arguments = {"nrhs", "batch", "maxn", "offsets", "dl",        "d",
                 "du",   "B",     "ldb",  "info",    "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(gtsvVBatch));
    arguments = {"nrhs", "batch", "maxn", "bytes"};
    add_family(table, XBATCH_FAMILY(gtsvVBatch_bufferSize));
    arguments = {"layout", "n",         "batch",         "dl", "d", "du", "ldt", "factors", "logdet", "sign",
                 "info",   "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(gttrfBatch));
    arguments = {"layout", "n", "batch", "d", "e", "ldt", "factors", "logdet", "info", "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(pttrfBatch));
    arguments = {"layout", "n", "batch", "factorBytes", "bytes"};
    add_family(table, XBATCH_FAMILY(gttrfBatch_bufferSize));
    add_family(table, XBATCH_FAMILY(pttrfBatch_bufferSize));
    arguments = {"layout", "op", "n", "nrhs", "batch", "sets", "factors", "B", "ldb", "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(gttrsBatch));
    arguments = {"layout", "op", "n", "nrhs", "batch", "sets", "bytes"};
    add_family(table, XBATCH_FAMILY(gttrsBatch_bufferSize));
    arguments = {"layout", "norm", "n", "batch", "factors", "rcond", "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(gtconBatch));
    arguments = {"layout", "norm", "n", "batch", "bytes"};
    add_family(table, XBATCH_FAMILY(gtconBatch_bufferSize));
    arguments = {"layout", "n", "nrhs", "batch", "d", "e", "ldt", "B", "ldb", "info", "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(ptsvBatch));
    arguments = {"layout", "n", "nrhs", "batch", "bytes"};
    add_family(table, XBATCH_FAMILY(ptsvBatch_bufferSize));
    arguments = {"layout", "n", "nrhs", "batch", "sets", "factors", "B", "ldb", "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(pttrsBatch));
    arguments = {"layout", "n", "nrhs", "batch", "sets", "bytes"};
    add_family(table, XBATCH_FAMILY(pttrsBatch_bufferSize));
    return table;
}

const std::vector<Routine> &table() {
    static const std::vector<Routine> routines = make_table();
    return routines;
}

const Routine &routine_named(const std::string &name) {
    return *std::find_if(table().begin(), table().end(), [&](const Routine &routine) { return routine.name == name; });
}

// The functions that take no shape; test_core.cpp gives each its wrong arguments.
const std::set<std::string> tested_in_test_core = {
    "xbatchCreate",    "xbatchDestroy",        "xbatchGetBackend", "xbatchGetLastErrorMessage", "xbatchGetStatusString",
    "xbatchGetStream", "xbatchGetThreadCount", "xbatchGetVersion", "xbatchSetStream",           "xbatchSetThreadCount"};

TEST(Arguments, TheTableHoldsEveryExportedRoutine) {
    static const char *const symbols[] = {
#include "exported_symbols.inc"
    };
    std::set<std::string> exported(std::begin(symbols), std::end(symbols)), described = tested_in_test_core;
    for (const Routine &routine : table()) described.insert(routine.name);
    EXPECT_EQ(exported, described);
}

// A good call of one routine: n = 4, nrhs = 2, batch = 3, one increment of each kind, guarded arrays for all pointers.
class GoodCall {
public:
    GoodCall(const Routine &routine, xbatchHandle_t handle, xbatchBackend_t backend, xbatchLayout_t layout,
             xbatchDataType_t type = XBATCH_C_64F)
        : routine_(routine), handle_(handle), backend_(backend) {
        for (const std::string &name : routine.arguments) set(name, 0);
        set("n", 4), set("maxn", 4), set("nrhs", 2), set("batch", 3), set("sets", 3);
        set("op", XBATCH_OP_C), set("norm", XBATCH_NORM_INF);
        set("layout", layout), set("srcLayout", layout), set("dstLayout", layout);
        set("type", type), set("direction", XBATCH_BACKWARD), set("incs", 1), set("inct", 1);
        for (const char *ld : {"ldsrc", "lddst", "lds", "ldt", "ldw", "ldb"}) set(ld, least_ld(layout));
        for (const char *pointer : {"src", "dst", "s", "t", "w0", "w", "dl", "d", "du", "e", "B", "info", "logdet",
                                    "sign", "rcond", "factors"})
            give_memory(pointer);
        if (routine.has("factors") && !routine.has("d")) write_factors(layout, type);
        if (routine.has("offsets")) {  // of three systems of four rows each, one after the other
            offsets_ = std::make_unique<Array<int64_t>>(backend_, 4);
            for (int64_t j = 0; j < 4; ++j) offsets_->set(j, 4 * j);
            offsets_->upload();
            set("offsets", reinterpret_cast<int64_t>(offsets_->data()));
            set("ldb", 12);
        }
        set("bytes", reinterpret_cast<int64_t>(&bytes_));
        set("factorBytes", reinterpret_cast<int64_t>(&factor_bytes_));
        set("workspaceBytes", int64_t(workspace_bytes()));
        if (workspace_bytes() > 0) give_memory("workspace", int64_t(workspace_bytes() / sizeof(double)) + 1);
    }

    static int64_t least_ld(int64_t layout) {
        return layout == XBATCH_LAYOUT_FLAT ? 4 : layout == XBATCH_LAYOUT_INTERLEAVED ? 3 : 1;
    }
    int64_t get(const std::string &name) const { return values_[routine_.position(name) - 1]; }
    void set(const std::string &name, int64_t value) {
        values_.resize(routine_.arguments.size());
        if (routine_.has(name)) values_[routine_.position(name) - 1] = value;
    }
    size_t workspace_bytes() const {
        if (!routine_.has("workspace")) return 0;
        size_t bytes = 0;
        const int64_t layout = routine_.has("layout") ? get("layout") : 0;
        GoodCall query(routine_named(routine_.name + "_bufferSize"), handle_, backend_, xbatchLayout_t(layout));
        for (const std::string &name : query.routine_.arguments)
            if (routine_.has(name)) query.set(name, get(name));
        query.set("bytes", reinterpret_cast<int64_t>(&bytes));
        EXPECT_EQ(query.run(), XBATCH_STATUS_SUCCESS) << query.routine_.name;
        return bytes;
    }
    size_t bytes() const { return bytes_; }
    size_t factor_bytes() const { return factor_bytes_; }
    xbatchStatus_t run() { return routine_.call(handle_, values_); }
    // All memory the call was given, after it
    std::vector<double> memory() {
        std::vector<double> all;
        for (auto &array : memory_) {
            array->download();
            for (int64_t k = 0; k < array->size(); ++k) all.push_back((*array)[k]);
        }
        return all;
    }
    bool wrote_nothing() {
        for (auto &array : memory_) {
            array->download();
            if (!array->intact()) return false;
        }
        return bytes_ == untouched_bytes && factor_bytes_ == untouched_bytes;
    }

private:
    static constexpr size_t untouched_bytes = 0x5a5a5a5a;

    void give_memory(const std::string &name, int64_t size = 1 << 10) {
        if (!routine_.has(name)) return;
        memory_.push_back(std::make_unique<Array<double>>(backend_, size));
        // a third of an integer has no zero bytes, so that a zero written over it shows
        for (int64_t k = 0; k < size; ++k) memory_.back()->set(k, double(100 * memory_.size() + k % 37) / 3);
        memory_.back()->upload();
        set(name, reinterpret_cast<int64_t>(memory_.back()->data()));
    }

    // Into the memory given last: factors of any matrices of the shape
    void write_factors(xbatchLayout_t layout, xbatchDataType_t type) {
        const size_t letter = std::string("sdcz").find(routine_.name[0]);
        if (letter != std::string::npos) type = xbatchDataType_t(letter);
        Array<double> matrices(backend_, 64);
        for (int64_t k = 0; k < 64; ++k) matrices.set(k, 1);
        matrices.upload();
        void *a = matrices.data(), *factors = memory_.back()->data();
        const int64_t ld = least_ld(layout);
        const xbatchStatus_t status =
            routine_.name[1] == 'p'
                ? xpttrfBatch(handle_, type, layout, 4, 3, a, a, ld, factors, nullptr, nullptr, nullptr, 0)
                : xgttrfBatch(handle_, type, layout, 4, 3, a, a, a, ld, factors, nullptr, nullptr, nullptr, nullptr, 0);
        EXPECT_EQ(status, XBATCH_STATUS_SUCCESS) << xbatchGetLastErrorMessage(handle_);
        memory_.back()->download();
        memory_.back()->upload();
    }

    const Routine &routine_;
    xbatchHandle_t handle_;
    xbatchBackend_t backend_;
    Values values_;
    std::vector<std::unique_ptr<Array<double>>> memory_;
    std::unique_ptr<Array<int64_t>> offsets_;
    size_t bytes_ = untouched_bytes, factor_bytes_ = untouched_bytes;
};

class ArgumentsOn : public testing::TestWithParam<xbatchBackend_t> {
protected:
    ArgumentsOn() : handle_(GetParam()) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    // f(routine, layout) for all of them
    template <class F>
    void for_each(F f) {
        for (const Routine &routine : table())
            for (xbatchLayout_t layout : all_layouts) {
                SCOPED_TRACE(testing::Message() << routine.name << ", " << layout_name(layout));
                f(routine, layout);
            }
    }
    // The call with `changes` is refused, `blamed` named, nothing written.
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
            const Routine &x = routine_named("x" + typed.name.substr(1));
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
        expect_refused(routine, layout, "type", {4, 77});
        for (const char *name : {"layout", "srcLayout", "dstLayout"}) expect_refused(routine, layout, name, {3, 1000});
        expect_refused(routine, layout, "direction", {2, 99});
        expect_refused(routine, layout, "op", {3, 99});
        expect_refused(routine, layout, "norm", {2, 99});
        for (const char *name : {"incs", "inct"}) expect_refused(routine, layout, name, {-1, 2, INT64_MAX, INT64_MIN});
    });
}

TEST_P(ArgumentsOn, NegativeSizes) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        for (const char *name : {"n", "nrhs", "batch", "maxn"}) expect_refused(routine, layout, name, {-1, INT64_MIN});
        expect_refused(routine, layout, "sets", {-1, 0, 2, 4, INT64_MIN});  // neither 1 nor the batch
    });
}

TEST_P(ArgumentsOn, SmallLeadingDimensions) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        const int64_t least = GoodCall::least_ld(layout);
        for (const char *name : {"ldsrc", "lddst", "lds", "ldt", "ldw", "ldb"}) {
            const bool zero_shares = std::string(name) == "lds" || std::string(name) == "ldt";
            expect_refused(routine, layout, name, {-1, INT64_MIN});
            if (routine.has("offsets")) continue;  // whose extent may be on the device
            if (!zero_shares) expect_refused(routine, layout, name, {0});
            if (least > 1) expect_refused(routine, layout, name, {1, least - 1});
        }
        // one matrix that lies side by side: not several
        if (routine.has("factors") && routine.has("ldt")) expect_refused(routine, layout, {{"ldt", 0}}, "batch");
        // of constants: any distance from 0
        if (routine.has("incs")) {
            expect_refused(routine, layout, {{"lds", -1}, {"incs", 0}}, "lds");
            expect_refused(routine, layout, {{"ldt", -1}, {"inct", 0}}, "ldt");
        }
    });
}

TEST_P(ArgumentsOn, NullPointers) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        for (const char *name : {"src", "dst", "s", "t", "w", "offsets", "dl", "d", "du", "e", "B", "rcond", "factors",
                                 "factorBytes", "bytes"})
            expect_refused(routine, layout, name, {0});
        for (const char *name : {"w0", "info", "logdet", "sign"}) {  // these may be NULL
            if (!routine.has(name)) continue;
            GoodCall call(routine, handle_, GetParam(), layout);
            call.set(name, 0);
            EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS) << handle_.message();
        }
    });
}

TEST_P(ArgumentsOn, MisalignedFactors) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        if (!routine.has("factors")) return;
        const int64_t good = GoodCall(routine, handle_, GetParam(), layout).get("factors");
        expect_refused(routine, layout, "factors", {good + 8, good + 1});
    });
}

TEST_P(ArgumentsOn, NothingToDoNeedsNoPointers) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        for (const char *empty : {"n", "nrhs", "batch", "maxn"}) {
            if (!routine.has(empty)) continue;
            GoodCall call(routine, handle_, GetParam(), layout);
            call.set(empty, 0);
            if (std::string(empty) == "batch") call.set("sets", 0);
            for (const char *name : {"src", "dst", "s", "t", "w0", "w", "offsets", "dl", "d", "du", "e", "B", "info",
                                     "logdet", "sign", "rcond", "factors", "workspace"})
                call.set(name, 0);
            call.set("workspaceBytes", 0);
            size_t bytes = 99, factor_bytes = 99;
            call.set("bytes", reinterpret_cast<int64_t>(&bytes));
            call.set("factorBytes", reinterpret_cast<int64_t>(&factor_bytes));
            EXPECT_EQ(call.run(), XBATCH_STATUS_SUCCESS) << empty << ": " << handle_.message();
            EXPECT_EQ(bytes, routine.has("bytes") ? 0u : 99u);
            EXPECT_EQ(factor_bytes, routine.has("factorBytes") ? 0u : 99u);
            EXPECT_TRUE(call.wrote_nothing()) << empty;
        }
    });
}

// A refusal comes before the quick return.
TEST_P(ArgumentsOn, EmptyShapesAreCheckedAsWell) {
    for_each([&](const Routine &routine, xbatchLayout_t layout) {
        for (const char *ld : {"ldw", "ldb", "lddst"})
            if (routine.has(ld)) expect_refused(routine, layout, {{ld, -1}, {"n", 0}, {"maxn", 0}}, ld);
        expect_refused(routine, layout, {{"batch", -1}, {"n", 0}, {"maxn", 0}}, "batch");
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
        } else {
            const std::string n = routine.has("maxn") ? "maxn" : "n";
            expect_refused(routine, layout, {{n, large}, {"batch", large}}, n);
            if (routine.has("nrhs")) {
                expect_refused(routine, layout, {{n, large}, {"nrhs", large}}, n);
                expect_refused(routine, layout, {{"nrhs", large}, {"batch", large}}, n);
            }
            for (const char *ld : {"lds", "ldt", "ldw", "ldb"})
                if (routine.has(ld)) expect_refused(routine, layout, {{ld, larger}}, ld);
        }
    });
}

TEST_P(ArgumentsOn, Workspace) {
    int with_workspace = 0;
    for (const Routine &routine : table()) {
        if (!routine.has("workspace")) continue;
        for (xbatchLayout_t layout : all_layouts) {
            // A shape that needs one, where such a shape is found; the arrays are never touched.
            int64_t n = 4;
            const auto needed = [&] {
                GoodCall call(routine, handle_, GetParam(), layout);
                call.set("n", n), call.set("maxn", n);
                return int64_t(call.workspace_bytes());
            };
            while (n < (int64_t(1) << 24) && needed() == 0) n *= 4;
            const int64_t bytes = needed();
            if (bytes == 0) continue;
            ++with_workspace;
            SCOPED_TRACE(testing::Message() << routine.name << ", " << layout_name(layout) << ", n " << n);
            std::map<std::string, int64_t> shape = {{"n", n}, {"maxn", n}, {"workspaceBytes", bytes}};
            if (layout == XBATCH_LAYOUT_FLAT)
                for (const char *ld : {"lds", "ldt", "ldw", "ldb"}) shape[ld] = n;
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
