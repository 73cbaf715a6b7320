// tiles.cpp: C entries of task_tiles.h: checks, then a task with its accesses; and the run of a graph of such tasks.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "device_copy.hpp"
#include "task_graph_call.hpp"
#include "tile_bodies.hpp"

namespace xbatch::task_graph::tile {
namespace {

static_assert(sizeof(Args) <= XBATCH_TASK_MAX_ARGS, "arguments must fit");

// A matrix argument: its position in the argument list, its rows and columns
struct Given {
    int position;
    const char *name, *ld_name;
    const void *data;
    int64_t rows, columns, ld;
};

// Checks one call, fills the block of arguments, and records the accesses
class Entry {
public:
    Entry(Call &call, xbatchTaskGraph_t graph, xbatchDataType_t type)
        : call_(call), graph_(check_open(call, graph)), type_(type) {
        call.one_of(2, "type", type, XBATCH_C_64F);
    }
    void size(int position, const char *name, int64_t value) {
        call_.at_least(position, name, value, nullptr, 0);
        call_.at_most(position, name, value, XBATCH_TASK_MAX_TILE, "= XBATCH_TASK_MAX_TILE");
    }
    void scalar(int position, const char *name, double value) {
        call_.require(position, name, value == value, "must be a number");
    }
    void matrix(const Given &g, bool is_written) {
        if (call_.failed()) return;
        if (g.rows > 0 && g.columns > 0) call_.not_null(g.position, g.name, g.data);
        call_.at_least(g.position + 1, g.ld_name, g.ld, "its rows", std::max<int64_t>(1, g.rows));
        call_.at_most(g.position + 1, g.ld_name, g.ld, INT32_MAX, "for a tile");
        for (int k = 0; k < matrices_ && is_written; ++k)
            call_.require(g.position, g.name, !g.data || accesses_[k].data != g.data, "must not also be an input");
        if (!call_.failed()) accesses_[matrices_++] = {g.data, is_written};
    }
    xbatchStatus_t add(Operation operation, Args args, double cost, int64_t *task) {
        if (call_.failed()) return call_.status();
        TaskGraph &graph = *graph_;
        call_.at_most(1, "tasks of graph", int64_t(graph.tasks.size()), INT32_MAX - 1, "to add one");
        if (call_.failed()) return call_.status();
        Task added{};
        added.type = type_of_task(type_, operation);
        added.cost = cost * (type_ >= XBATCH_C_32F ? 4 : 1);
        std::memcpy(added.args, &args, sizeof args);
        reserve_one_more(graph.accesses, size_t(matrices_));
        graph.tasks.push_back(added);
        const int32_t number = int32_t(graph.tasks.size()) - 1;
        for (int k = 0; k < matrices_; ++k)
            if (accesses_[k].data)
                graph.accesses.push_back(
                    {int64_t(reinterpret_cast<intptr_t>(accesses_[k].data)), number, accesses_[k].is_written});
        task_graph::set(task, int64_t(number));
        return XBATCH_STATUS_SUCCESS;
    }

private:
    struct Access {
        const void *data;
        bool is_written;
    };
    // So that nothing can fail once the task is added. Grows by doubling, as push_back does.
    static void reserve_one_more(std::vector<TaskAccess> &accesses, size_t count) {
        if (accesses.capacity() - accesses.size() < count)
            accesses.reserve(std::max(2 * accesses.capacity(), accesses.size() + count));
    }

    Call &call_;
    TaskGraph *graph_;
    xbatchDataType_t type_;
    Access accesses_[3] = {};
    int matrices_ = 0;
};

// Runs body(Entry &) -> xbatchStatus_t.
template <class F>
xbatchStatus_t tile_entry(xbatchHandle_t handle, const char *name, xbatchTaskGraph_t graph, xbatchDataType_t type,
                          F body) noexcept {
    return guarded_graph(handle, name, [&](Context &, Call &call) {
        Entry entry(call, graph, type);
        return body(call, entry);
    });
}

void *writable(const void *data) { return const_cast<void *>(data); }

template <class... Bodies>
struct Table {
    static constexpr xbatchTaskBody_t bodies[] = {bodies::on_host<Bodies, Nothing>...};
};
constexpr const xbatchTaskBody_t *host_bodies[] = {
    WithBodies<Table, float, XBATCH_R_32F>::bodies, WithBodies<Table, double, XBATCH_R_64F>::bodies,
    WithBodies<Table, Complex<float>, XBATCH_C_32F>::bodies, WithBodies<Table, Complex<double>, XBATCH_C_64F>::bodies};

// The element type of all tasks; the call fails where there is another
xbatchDataType_t element_type(Call &call, const TaskGraph &graph) {
    const std::vector<TypeInUse> &types = graph.order->types;
    if (types.empty()) return XBATCH_R_32F;
    const int type = (types[0].type - first_type) / operations;
    for (const TypeInUse &used : types) {
        call.require(1, "graph", used.type >= first_type, "must have no tasks but those of task_tiles.h");
        call.require(1, "graph", (used.type - first_type) / operations == type, "must have tasks of one element type");
    }
    return static_cast<xbatchDataType_t>(type);
}

xbatchStatus_t run(Context &context, Call &call, TaskGraph &graph, void *image) {
    const xbatchDataType_t type = element_type(call, graph);
    if (call.failed()) return call.status();
    log_line(LOG_CALLS, "xbatchTaskGraphRunTiles: tasks = %zu", graph.tasks.size());
    if (context.backend == XBATCH_BACKEND_HOST) {
        Nothing nothing;
        return run_on_host(context, "xbatchTaskGraphRunTiles", graph,
                           {host_bodies[type], type_of_task(type, COPY), &nothing});
    }
    const int64_t tasks = int64_t(graph.tasks.size());
    const xbatchStatus_t status = clear_state(context, image, tasks);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    return launch_tiles(context, type, image, tasks, int64_t(graph.order->successors.size()));
}

}  // namespace
}  // namespace xbatch::task_graph::tile

std::string xbatch::task_graph::type_name(int type) {
    constexpr const char *names[] = {"copy", "set", "axpy", "gemm", "herk", "trsm", "potrf"};
    static_assert(sizeof names / sizeof *names == tile::operations, "each has a name");
    if (type < tile::first_type) return "type " + std::to_string(type);
    const int k = type - tile::first_type;
    return std::string(1, "sdcz"[k / tile::operations]) + names[k % tile::operations];
}

using namespace xbatch;
using namespace xbatch::task_graph;
using namespace xbatch::task_graph::tile;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xbatchTaskGraphAddCopy(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type, int64_t m,
                                      int64_t n, const void *A, int64_t lda, void *B, int64_t ldb, int64_t *task) {
    return tile_entry(handle, "xbatchTaskGraphAddCopy", graph, type, [&](Call &, Entry &entry) {
        entry.size(3, "m", m);
        entry.size(4, "n", n);
        entry.matrix({5, "A", "lda", A, m, n, lda}, false);
        entry.matrix({7, "B", "ldb", B, m, n, ldb}, true);
        return entry.add(
            COPY, {writable(A), B, nullptr, 0, 0, int32_t(lda), int32_t(ldb), 0, uint16_t(m), uint16_t(n), 0, 0, 0},
            double(m) * double(n), task);
    });
}

xbatchStatus_t xbatchTaskGraphAddSet(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type, int64_t m,
                                     int64_t n, double offdiag, double diag, void *A, int64_t lda, int64_t *task) {
    return tile_entry(handle, "xbatchTaskGraphAddSet", graph, type, [&](Call &, Entry &entry) {
        entry.size(3, "m", m);
        entry.size(4, "n", n);
        entry.matrix({7, "A", "lda", A, m, n, lda}, true);
        return entry.add(SET,
                         {A, nullptr, nullptr, offdiag, diag, int32_t(lda), 0, 0, uint16_t(m), uint16_t(n), 0, 0, 0},
                         double(m) * double(n), task);
    });
}

xbatchStatus_t xbatchTaskGraphAddAxpy(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type, int64_t m,
                                      int64_t n, double alpha, const void *A, int64_t lda, void *B, int64_t ldb,
                                      int64_t *task) {
    return tile_entry(handle, "xbatchTaskGraphAddAxpy", graph, type, [&](Call &, Entry &entry) {
        entry.size(3, "m", m);
        entry.size(4, "n", n);
        entry.matrix({6, "A", "lda", A, m, n, lda}, false);
        entry.matrix({8, "B", "ldb", B, m, n, ldb}, true);
        return entry.add(
            AXPY, {writable(A), B, nullptr, alpha, 0, int32_t(lda), int32_t(ldb), 0, uint16_t(m), uint16_t(n), 0, 0, 0},
            2 * double(m) * double(n), task);
    });
}

xbatchStatus_t xbatchTaskGraphAddGemm(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type,
                                      xbatchOperation_t opA, xbatchOperation_t opB, int64_t m, int64_t n, int64_t k,
                                      double alpha, const void *A, int64_t lda, const void *B, int64_t ldb, double beta,
                                      void *C, int64_t ldc, int64_t *task) {
    return tile_entry(handle, "xbatchTaskGraphAddGemm", graph, type, [&](Call &call, Entry &entry) {
        call.one_of(3, "opA", opA, XBATCH_OP_C);
        call.one_of(4, "opB", opB, XBATCH_OP_C);
        entry.size(5, "m", m);
        entry.size(6, "n", n);
        entry.size(7, "k", k);
        entry.matrix({9, "A", "lda", A, opA == XBATCH_OP_N ? m : k, opA == XBATCH_OP_N ? k : m, lda}, false);
        entry.matrix({11, "B", "ldb", B, opB == XBATCH_OP_N ? k : n, opB == XBATCH_OP_N ? n : k, ldb}, false);
        entry.matrix({14, "C", "ldc", C, m, n, ldc}, true);
        return entry.add(GEMM,
                         {writable(A), writable(B), C, alpha, beta, int32_t(lda), int32_t(ldb), int32_t(ldc),
                          uint16_t(m), uint16_t(n), uint16_t(k), uint8_t(opA), uint8_t(opB)},
                         2 * double(m) * double(n) * double(k), task);
    });
}

xbatchStatus_t xbatchTaskGraphAddHerk(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type,
                                      xbatchUplo_t uplo, xbatchOperation_t op, int64_t n, int64_t k, double alpha,
                                      const void *A, int64_t lda, double beta, void *C, int64_t ldc, int64_t *task) {
    return tile_entry(handle, "xbatchTaskGraphAddHerk", graph, type, [&](Call &call, Entry &entry) {
        call.one_of(3, "uplo", uplo, XBATCH_UPLO_UPPER);
        call.one_of(4, "op", op, XBATCH_OP_C);
        call.require(4, "op", type < XBATCH_C_32F || op != XBATCH_OP_T, "must be N or C of a complex matrix");
        entry.size(5, "n", n);
        entry.size(6, "k", k);
        entry.matrix({8, "A", "lda", A, op == XBATCH_OP_N ? n : k, op == XBATCH_OP_N ? k : n, lda}, false);
        entry.matrix({11, "C", "ldc", C, n, n, ldc}, true);
        return entry.add(HERK,
                         {writable(A), nullptr, C, alpha, beta, int32_t(lda), 0, int32_t(ldc), 0, uint16_t(n),
                          uint16_t(k), uint8_t(op), uint8_t(uplo)},
                         double(n) * double(n) * double(k), task);
    });
}

xbatchStatus_t xbatchTaskGraphAddTrsm(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type,
                                      xbatchSide_t side, xbatchUplo_t uplo, xbatchOperation_t op, xbatchDiag_t diag,
                                      int64_t m, int64_t n, double alpha, const void *A, int64_t lda, void *B,
                                      int64_t ldb, int64_t *task) {
    return tile_entry(handle, "xbatchTaskGraphAddTrsm", graph, type, [&](Call &call, Entry &entry) {
        call.one_of(3, "side", side, XBATCH_SIDE_RIGHT);
        call.one_of(4, "uplo", uplo, XBATCH_UPLO_UPPER);
        call.one_of(5, "op", op, XBATCH_OP_C);
        call.one_of(6, "diag", diag, XBATCH_DIAG_UNIT);
        entry.size(7, "m", m);
        entry.size(8, "n", n);
        const int64_t order = side == XBATCH_SIDE_LEFT ? m : n;
        entry.matrix({10, "A", "lda", A, order, order, lda}, false);
        entry.matrix({12, "B", "ldb", B, m, n, ldb}, true);
        return entry.add(TRSM,
                         {writable(A), B, nullptr, alpha, 0, int32_t(lda), int32_t(ldb), 0, uint16_t(m), uint16_t(n), 0,
                          uint8_t(op), uint8_t(side + 2 * uplo + 4 * diag)},
                         double(m) * double(n) * double(order), task);
    });
}

xbatchStatus_t xbatchTaskGraphAddPotrf(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type,
                                       xbatchUplo_t uplo, int64_t n, void *A, int64_t lda, int64_t *task) {
    return tile_entry(handle, "xbatchTaskGraphAddPotrf", graph, type, [&](Call &call, Entry &entry) {
        call.one_of(3, "uplo", uplo, XBATCH_UPLO_UPPER);
        entry.size(4, "n", n);
        entry.matrix({5, "A", "lda", A, n, n, lda}, true);
        return entry.add(POTRF, {A, nullptr, nullptr, 0, 0, int32_t(lda), 0, 0, 0, uint16_t(n), 0, uint8_t(uplo), 0},
                         double(n) * double(n) * double(n) / 3, task);
    });
}

xbatchStatus_t xbatchTaskGraphRunTiles(xbatchHandle_t handle, xbatchTaskGraph_t graph, void *image) {
    return guarded_graph(handle, "xbatchTaskGraphRunTiles", [&](Context &context, Call &call) {
        TaskGraph *const live = check_final(call, graph);
        check_image(call, context, image);
        return call.failed() ? call.status() : run(context, call, *live, image);
    });
}

}  // extern "C"
#pragma GCC visibility pop
