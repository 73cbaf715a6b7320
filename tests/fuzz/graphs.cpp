// graphs.cpp: task graphs built by a mix of valid and invalid calls. A refused call adds nothing, so the graph must
// still run.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "draws.hpp"
#include "guarded.hpp"

namespace xbatch_test {
namespace {

// Stores the first error.
class Complaint {
public:
    void require(bool condition, const std::string &what) {
        if (!condition && text_.empty()) text_ = what;
    }
    // The status must be one that the contracts name for the host
    void require_documented(xbatchStatus_t status, const std::string &what) {
        require(status == XBATCH_STATUS_SUCCESS || status == XBATCH_STATUS_INVALID_VALUE,
                what + " says: " + xbatchGetStatusString(status));
    }
    const std::string &text() const { return text_; }

private:
    std::string text_;
};

// Mostly a valid size
int64_t any_size(Dice &dice) {
    static const std::vector<int64_t> edges = {-1, INT64_MIN, INT64_MAX, int64_t(1) << 62};
    return dice.one_in(16) ? dice.of(edges) : dice.below(41);
}
template <class E>
E any_enumerator(Dice &dice, int64_t last) {
    return static_cast<E>(dice.one_in(40) ? last + 1 : dice.below(last + 1));
}

// Tasks that count their runs, and fail if their argument says so
struct Runs {
    std::atomic<int64_t> tasks{0};
};
int counting_body(const void *args, void *user, int) {
    ++static_cast<Runs *>(user)->tasks;
    return *static_cast<const unsigned char *>(args) > 250;
}

int64_t add_tasks(xbatchHandle_t handle, xbatchTaskGraph_t graph, Dice &dice, Complaint &complaint) {
    int64_t tasks = 0;
    for (int64_t k = dice.one_in(30) ? dice.below(2000) : dice.below(24); k-- > 0;) {
        const auto args = static_cast<unsigned char>(dice.below(k % 64 == 0 ? 256 : 250));
        const int type = dice.one_in(40) ? -1 : int(dice.below(4));
        const bool is_too_long = dice.one_in(40);
        const xbatchStatus_t status =
            xbatchTaskGraphAddTask(handle, graph, type, &args, is_too_long ? 65 : 1, double(dice.below(256)), nullptr);
        complaint.require_documented(status, "AddTask");
        complaint.require((status == XBATCH_STATUS_SUCCESS) == (type >= 0 && !is_too_long),
                          "AddTask takes what is wrong");
        tasks += status == XBATCH_STATUS_SUCCESS;
        complaint.require_documented(
            xbatchTaskGraphAddDependency(handle, graph, dice.below(tasks + 2) - 1, dice.below(tasks + 2) - 1),
            "AddDependency");
        complaint.require_documented(
            xbatchTaskGraphAddAccess(handle, graph, dice.below(tasks + 2) - 1, dice.below(9) - 1,
                                     any_enumerator<xbatchTaskAccess_t>(dice, 1)),
            "AddAccess");
    }
    return tasks;
}

// Matrices with exactly the elements that a task may access
struct Matrix {
    Guarded memory;
    std::vector<unsigned char> before;

    Matrix(Dice &dice, size_t bytes) : memory(bytes, 8, dice.choose<Flush>(2)) {
        for (size_t k = 0; k < bytes; ++k) memory.data()[k] = static_cast<unsigned char>(dice.below(64));
        before = memory.image();
    }
    bool is_untouched() const { return memory.image() == before; }
};

enum TileOperation { Copy, Set, Axpy, Gemm, Herk, Trsm, Potrf };

// Bytes of `columns` columns for a valid call; an invalid one must be refused and gets few.
size_t matrix_bytes(int64_t columns, int64_t ld, size_t element) {
    const bool is_sane = columns >= 0 && columns <= 64 && ld >= 0 && ld <= 64;
    return is_sane ? size_t(columns * ld) * element : 64;
}

}  // namespace

std::string fuzz_task_graph(xbatchHandle_t handle, Dice &dice) {
    Complaint complaint;
    xbatchTaskGraph_t graph = nullptr;
    xbatchSetThreadCount(handle, dice.one_in(2) ? 1 : int(dice.between(2, 17)));
    complaint.require(xbatchTaskGraphCreate(handle, &graph) == XBATCH_STATUS_SUCCESS, "Create fails");
    const int64_t tasks = add_tasks(handle, graph, dice, complaint);
    const xbatchStatus_t finalized = xbatchTaskGraphFinalize(handle, graph);
    complaint.require_documented(finalized, "Finalize");
    const bool lacks_body = dice.one_in(10), has_few = dice.one_in(10);
    const xbatchTaskBody_t bodies[] = {counting_body, counting_body, lacks_body ? nullptr : counting_body,
                                       counting_body};
    Runs runs;
    const xbatchStatus_t run = xbatchTaskGraphRun(handle, graph, bodies, has_few ? 2 : 4, &runs);
    if (run == XBATCH_STATUS_SUCCESS)
        complaint.require(finalized == XBATCH_STATUS_SUCCESS && runs.tasks == tasks, "not every task ran once");
    else if (run == XBATCH_STATUS_INVALID_VALUE)
        complaint.require(runs.tasks == 0, "a run that is refused ran tasks");
    else
        complaint.require(run == XBATCH_STATUS_EXECUTION_FAILED && runs.tasks <= tasks, "Run says what it must not");
    complaint.require(xbatchTaskGraphDestroy(graph) == XBATCH_STATUS_SUCCESS, "Destroy fails");
    return complaint.text();
}

std::string fuzz_task_tiles(xbatchHandle_t handle, Dice &dice) {
    Complaint complaint;
    xbatchTaskGraph_t graph = nullptr;
    complaint.require(xbatchTaskGraphCreate(handle, &graph) == XBATCH_STATUS_SUCCESS, "Create fails");
    constexpr size_t element_sizes[] = {4, 8, 8, 16, 16};
    const auto type = any_enumerator<xbatchDataType_t>(dice, 3);
    const size_t element = element_sizes[type];
    const int64_t m = any_size(dice), n = any_size(dice), k = any_size(dice);
    const int64_t lda = any_size(dice), ldb = any_size(dice), ldc = any_size(dice);
    const auto uplo = any_enumerator<xbatchUplo_t>(dice, 1);
    const auto side = any_enumerator<xbatchSide_t>(dice, 1);
    const auto diag = any_enumerator<xbatchDiag_t>(dice, 1);
    const auto op = any_enumerator<xbatchOperation_t>(dice, 2), op_b = any_enumerator<xbatchOperation_t>(dice, 2);
    const auto which = dice.choose<TileOperation>(6);
    const int64_t order = side == XBATCH_SIDE_LEFT ? m : n, inner_a = op == XBATCH_OP_N ? k : m;
    const int64_t columns = which == Gemm   ? inner_a
                            : which == Herk ? (op == XBATCH_OP_N ? k : n)
                            : which == Trsm ? order
                                            : n;
    Matrix a(dice, matrix_bytes(columns, lda, element)), c(dice, matrix_bytes(n, ldc, element));
    Matrix b(dice, matrix_bytes(which == Gemm && op_b != XBATCH_OP_N ? k : n, ldb, element));
    void *const pa = dice.one_in(40) ? nullptr : a.memory.data(), *const pb = b.memory.data(),
                *const pc = c.memory.data();
    const auto add = [&] {
        switch (which) {
            case Copy: return xbatchTaskGraphAddCopy(handle, graph, type, m, n, pa, lda, pb, ldb, nullptr);
            case Set: return xbatchTaskGraphAddSet(handle, graph, type, m, n, 1, 2, pb, ldb, nullptr);
            case Axpy: return xbatchTaskGraphAddAxpy(handle, graph, type, m, n, 2, pa, lda, pb, ldb, nullptr);
            case Gemm:
                return xbatchTaskGraphAddGemm(handle, graph, type, op, op_b, m, n, k, 1, pa, lda, pb, ldb, 2, pc, ldc,
                                              nullptr);
            case Herk:
                return xbatchTaskGraphAddHerk(handle, graph, type, uplo, op, n, k, 1, pa, lda, 2, pc, ldc, nullptr);
            case Trsm:
                return xbatchTaskGraphAddTrsm(handle, graph, type, side, uplo, op, diag, m, n, 2, pa, lda, pb, ldb,
                                              nullptr);
            default: return xbatchTaskGraphAddPotrf(handle, graph, type, uplo, n, pa, lda, nullptr);
        }
    };
    const xbatchStatus_t added = add();
    complaint.require_documented(added, "Add");
    complaint.require(xbatchTaskGraphFinalize(handle, graph) == XBATCH_STATUS_SUCCESS, "Finalize fails");
    const xbatchStatus_t run = xbatchTaskGraphRunTiles(handle, graph, nullptr);
    complaint.require(run == XBATCH_STATUS_SUCCESS || (which == Potrf && run == XBATCH_STATUS_EXECUTION_FAILED),
                      "RunTiles fails");
    complaint.require(which == Potrf || a.is_untouched(), "A was written");
    complaint.require(added == XBATCH_STATUS_SUCCESS || (a.is_untouched() && b.is_untouched() && c.is_untouched()),
                      "a task that was refused wrote");
    complaint.require(xbatchTaskGraphDestroy(graph) == XBATCH_STATUS_SUCCESS, "Destroy fails");
    return complaint.text();
}

}  // namespace xbatch_test
