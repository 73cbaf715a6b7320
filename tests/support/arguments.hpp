// arguments.hpp: every exported routine that takes a shape, described by the names of its arguments, and a good call of
// each. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arguments_qr.hpp"
#include "factor.hpp"

namespace xbatch_test {

inline std::vector<Routine> make_table() {
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
    arguments = {"layout", "op",  "plan", "nrhs",      "batch",         "u", "l", "ldul", "d", "ldd",
                 "B",      "ldb", "info", "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(hinesBatch));
    arguments = {"layout", "op", "plan", "nrhs", "batch", "bytes"};
    add_family(table, XBATCH_FAMILY(hinesBatch_bufferSize));
    add_qr(table);
    add_qr_batch(table);
    add_qr_vbatch(table);
    return table;
}

inline const std::vector<Routine> &table() {
    static const std::vector<Routine> routines = make_table();
    return routines;
}

inline const Routine &routine_named(const std::string &name) {
    return *std::find_if(table().begin(), table().end(), [&](const Routine &routine) { return routine.name == name; });
}

// The x form of a typed routine
inline const Routine &x_form_of(const Routine &typed) {
    std::string name = "x" + typed.name.substr(1);
    if (name.compare(1, 3, "orm") == 0 || name.compare(1, 3, "org") == 0) name.replace(1, 2, "un");
    return routine_named(name);
}

// A good call of one routine: n = 4, of dense matrices m and k too, nrhs = 2, batch = 3, one increment of each kind,
// guarded arrays for all pointers.
class GoodCall {
public:
    GoodCall(const Routine &routine, xbatchHandle_t handle, xbatchBackend_t backend, xbatchLayout_t layout,
             xbatchDataType_t type = XBATCH_C_64F)
        : routine_(routine), handle_(handle), backend_(backend) {
        for (const std::string &name : routine.arguments) set(name, 0);
        set("maxn", 4), set("nrhs", 2), set("batch", 3), set("sets", 3);
        set("op", XBATCH_OP_C), set("norm", XBATCH_NORM_INF);
        set("layout", layout), set("srcLayout", layout), set("dstLayout", layout);
        set("type", type), set("direction", XBATCH_BACKWARD), set("incs", 1), set("inct", 1);
        for (const char *ld : {"ldsrc", "lddst", "lds", "ldt", "ldul", "ldd", "ldw", "ldb"}) set(ld, least_ld(layout));
        for (const char *pointer : {"src", "dst",  "s",      "t",    "w0",    "w",       "u", "l", "dl", "d", "du", "e",
                                    "B",   "info", "logdet", "sign", "rcond", "factors", "A", "C", "Q",  "T", "tau"})
            give_memory(pointer);
        if (routine.is_dense()) describe_dense(type);
        if (routine.is_matrix_batch()) describe_matrix_batch(layout);
        if (routine.is_of_sizes()) describe_sizes();
        if (routine.has("factors") && !routine.has("d")) write_factors(layout, type);
        if (routine.has("offsets")) {  // of three systems of four rows each, one after the other
            offsets_ = std::make_unique<Array<int64_t>>(backend_, 4);
            for (int64_t j = 0; j < 4; ++j) offsets_->set(j, 4 * j);
            offsets_->upload();
            set("offsets", reinterpret_cast<int64_t>(offsets_->data()));
            set("ldb", 12);
        }
        set("n", 4);
        set("bytes", reinterpret_cast<int64_t>(&bytes_));
        set("factorBytes", reinterpret_cast<int64_t>(&factor_bytes_));
        set("tBytes", reinterpret_cast<int64_t>(&factor_bytes_));
        set("workspaceBytes", int64_t(workspace_bytes()));
        if (workspace_bytes() > 0) give_memory("workspace", int64_t(workspace_bytes() / sizeof(double)) + 1);
    }
    ~GoodCall() { EXPECT_EQ(xhinesDestroyPlan(plan_), XBATCH_STATUS_SUCCESS); }
    GoodCall(const GoodCall &) = delete;
    GoodCall &operator=(const GoodCall &) = delete;

    static int64_t least_ld(int64_t layout) {
        return layout == XBATCH_LAYOUT_FLAT ? 4 : layout == XBATCH_LAYOUT_INTERLEAVED ? 3 : 1;
    }
    // Of a batch of matrices of four columns, or of right-hand sides
    static int64_t least_stride(int64_t layout, const std::string &name) {
        return layout != XBATCH_LAYOUT_FLAT ? least_ld(layout) : name == "strideB" ? 8 : 16;
    }
    int64_t get(const std::string &name) const { return values_[routine_.position(name) - 1]; }
    void set(const std::string &name, int64_t value) {
        values_.resize(routine_.arguments.size());
        if (routine_.has(name)) values_[routine_.position(name) - 1] = value;
        if (name == "n" && value > 0 && routine_.has("plan")) make_plan(value);  // which holds the size
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
    // All memory the call was given, after it, but the workspace, whose contents are undefined
    std::vector<double> memory() {
        std::vector<double> all;
        for (auto &array : memory_) {
            if (workspace_bytes() > 0 && array == memory_.back()) break;  // given last
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

    // Of one tree, whose nodes go in pairs
    void make_plan(int64_t n) {
        EXPECT_EQ(xhinesDestroyPlan(plan_), XBATCH_STATUS_SUCCESS);
        std::vector<int32_t> parent;
        for (int64_t i = 0; i < n; ++i) parent.push_back(int32_t((i - 1) / 2));
        const int64_t offsets[] = {0, n};
        EXPECT_EQ(xhinesCreatePlan(handle_, 1, offsets, parent.data(), 0, XBATCH_HINES_TREE, 0, nullptr, &plan_),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        set("plan", reinterpret_cast<int64_t>(plan_));
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

    void describe_matrix_batch(xbatchLayout_t layout) {
        for (const char *size : {"m", "k", "lda", "ldb", "ldc"}) set(size, 4);
        for (const char *stride : {"strideA", "strideB", "strideC"}) set(stride, least_stride(layout, stride));
        set("side", XBATCH_SIDE_RIGHT), set("ldtau", least_ld(layout));
    }

    // All matrices have the largest size; the arrays that were given are to hold them.
    void describe_sizes() {
        for (const char *size : {"mMax", "nMax", "kMax", "ldaMax", "ldbMax", "ldcMax"}) set(size, 4);
        set("nrhsMax", 2), set("side", XBATCH_SIDE_RIGHT);
        for (const char *name : {"A", "B", "C", "tau"}) {
            if (!routine_.has(name)) continue;
            addresses_.push_back(std::make_unique<Array<int64_t>>(backend_, 3));
            for (int64_t j = 0; j < 3; ++j) addresses_.back()->set(j, get(name) + j * 64 * int64_t(sizeof(double)));
            addresses_.back()->upload();
            set(name, reinterpret_cast<int64_t>(addresses_.back()->data()));
        }
    }

    void describe_dense(xbatchDataType_t type) {
        for (const char *size : {"m", "k", "lda", "ldb", "ldc", "ldq"}) set(size, 4);
        set("side", XBATCH_SIDE_RIGHT);
        set("config", reinterpret_cast<int64_t>(&config_));
        if (!routine_.has("C") && !routine_.has("Q")) return;
        const size_t letter = std::string("sdcz").find(routine_.name[0]);  // of what T is to hold
        if (letter != std::string::npos) type = xbatchDataType_t(letter);
        size_t bytes = 0, t_bytes = 0;
        EXPECT_EQ(xgeqrtTiled_bufferSize(handle_, type, 4, 4, &config_, &t_bytes, &bytes), XBATCH_STATUS_SUCCESS);
        Workspace workspace(backend_, bytes);
        void *a = reinterpret_cast<void *>(get("A")), *t = reinterpret_cast<void *>(get("T"));
        EXPECT_EQ(xgeqrtTiled(handle_, type, 4, 4, &config_, a, 4, t, nullptr, workspace.data(), bytes),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        for (auto &array : memory_) array->download(), array->upload();
    }

    const Routine &routine_;
    xbatchHandle_t handle_;
    xbatchBackend_t backend_;
    Values values_;
    std::vector<std::unique_ptr<Array<double>>> memory_;
    std::unique_ptr<Array<int64_t>> offsets_;
    std::vector<std::unique_ptr<Array<int64_t>>> addresses_;
    xbatchHinesPlan_t plan_ = nullptr;
    xbatchTiledConfig_t config_ = {2, 2, 1, 1, XBATCH_TREE_FLAT};
    size_t bytes_ = untouched_bytes, factor_bytes_ = untouched_bytes;
};

}  // namespace xbatch_test
