// gttrf_mp.cpp: the C functions of distributed factorisations. Factors are a copy of the rank's rows, which a solve
// eliminates again, and on the host the coefficients of all nodes that the rank closes, which it need not send again.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "agreement.hpp"
#include "conjugate.hpp"
#include "gtsv_mp.hpp"
#include "mp_device.hpp"
#include "mp_solve.hpp"
#include "rearrange/rearrange.hpp"
#include "xbatch/distributed_factor.h"
#include "xbatch/version.h"

namespace xbatch::distributed {
namespace {

using rearrange::RearrangeProblem;
constexpr Table<RearrangeProblem> copies{
    {XBATCH_ROW(rearrange::rearrange_host), XBATCH_CUDA_ROW(rearrange::rearrange_cuda)}};
constexpr Table<ConjugateProblem> conjugations{{XBATCH_ROW(conjugate_host), XBATCH_CUDA_ROW(conjugate_cuda)}};

// What factors hold: A and the off-diagonals of A^T, whose row i has du_{i-1} and dl_{i+1}, also of the rows next to
// the share. Where systems are interleaved the latter are du and dl shifted by a row.
struct StoredShare {
    static constexpr int64_t coefficients = 8;  // of a node

    int64_t *shape;  // on the host: the hash of what they were made for
    char *nodes;     // on the host: [closed][nodes of all ranks][coefficients]
    char *dl, *d, *du, *turned_dl, *turned_du;
    bool is_flat;
    int64_t ld;  // in the plan's layout; 0: one matrix for all systems
    Placement at;
    size_t bytes;

    StoredShare(const MpPlan &plan, int64_t sets, void *buffer) {
        const int64_t rows = plan.share.rows, e = element_size(plan.type), together = std::max<int64_t>(16 / e, 1);
        is_flat = plan.layout == XBATCH_LAYOUT_FLAT || sets == 1;
        const int64_t across = is_flat ? std::max<int64_t>(rows, 1) : (sets + together - 1) / together * together;
        ld = sets == 1 ? 0 : across;
        at = {is_flat ? XBATCH_LAYOUT_FLAT : XBATCH_LAYOUT_INTERLEAVED, rows, 1, across, is_flat ? 1 : across, 0};
        // Whole memory lines each
        Carver carver(buffer);
        const auto take = [&](int64_t count) { return carver.take<char>(whole_lines(count), e); };
        const int64_t elements = counted_product(across, is_flat ? sets : rows), row = is_flat ? 0 : across;
        shape = carver.take<int64_t>(whole_lines(1));
        nodes =
            take(counted_product(plan.device ? 0 : plan.closed(), int64_t(plan.partition.nodes.size()), coefficients));
        dl = take(elements + row), d = take(elements), turned_dl = take(elements + row);
        du = is_flat ? take(elements) : turned_dl + (buffer ? row * e : 0);
        turned_du = is_flat ? take(elements) : dl + (buffer ? row * e : 0);
        bytes = carver.bytes();
    }
};

int64_t hash_of_shape(const MpPlan &plan, int64_t sets) {
    const Partition &p = plan.partition;
    const int64_t values[] = {plan.type,
                              plan.layout,
                              plan.n,
                              plan.nrhs,
                              plan.batch,
                              sets,
                              plan.rank(),
                              plan.is_gathered,
                              hash_of(p.offsets.data(), int64_t(p.offsets.size())),
                              int64_t(p.nodes.size()),
                              XBATCH_VERSION};
    return hash_of(values, std::size(values));
}

// Copies `rows` rows of all matrices.
xbatchStatus_t copy_rows(Context &context, const MpPlan &plan, int64_t sets, int64_t rows, const void *from,
                         const Placement &from_at, int64_t from_row, void *to, const Placement &to_at, int64_t to_row) {
    if (rows <= 0) return XBATCH_STATUS_SUCCESS;
    const int64_t e = element_size(plan.type);
    if (plan.device && sets == 1 && from_at.step == 1 && to_at.step == 1)
        return to_device(context, static_cast<char *>(to) + to_row * e, static_cast<const char *>(from) + from_row * e,
                         rows * e);
    RearrangeProblem copy{rows, sets, from_at, to_at, from, to};
    copy.from.origin += from_row * from_at.step, copy.to.origin += to_row * to_at.step;
    return copies.run(context, plan.type, copy, nullptr);
}

// One row of all matrices, contiguous
constexpr Placement row_alone{XBATCH_LAYOUT_FLAT, 1, 1, 1, 1, 0};

// Sends dl of the first row to the rank before, and du of the last row to the rank after. Those received are those of
// the rows next to the share. The status that all ranks return unless it is SUCCESS
xbatchStatus_t exchange_edges(Context &context, Call &call, const char *name, MpPlan &plan, int64_t sets,
                              const GtsvArrays &a, void *workspace) {
    Messages &m = plan.edges;
    xbatchStatus_t status = call.status();
    const auto send = [&](int q, const void *from, int64_t row) {
        if (q < 0 || status != XBATCH_STATUS_SUCCESS) return;
        char *const to = m.sent.get() + m.send_at[size_t(q)] + header_bytes;
        void *const staged = plan.device ? workspace : to;
        status = copy_rows(context, plan, sets, 1, from, placement_of(plan, 1, a.ldt, 0), row, staged, row_alone, 0);
        if (status == XBATCH_STATUS_SUCCESS && plan.device)
            status = to_host(context, to, staged, sets * element_size(plan.type));
    };
    send(plan.rank_before, a.dl, 0), send(plan.rank_after, a.du, plan.share.rows - 1);
    const Heard heard = plan.comm->exchange({Routine::edges, false}, plan.number, status, m);
    return heard.is_good() ? XBATCH_STATUS_SUCCESS : failure(context, name, *plan.comm, heard, status);
}

xbatchStatus_t store(Context &context, MpPlan &plan, int64_t sets, const GtsvArrays &a, const StoredShare &to,
                     void *workspace) {
    const int64_t rows = plan.share.rows;
    const Placement from = placement_of(plan, 1, a.ldt, 0);
    const Messages &m = plan.edges;
    xbatchStatus_t status = XBATCH_STATUS_SUCCESS;
    const auto copy = [&](int64_t count, const void *array, int64_t row, char *stored, int64_t stored_row) {
        if (status == XBATCH_STATUS_SUCCESS)
            status = copy_rows(context, plan, sets, count, array, from, row, stored, to.at, stored_row);
    };
    const auto receive = [&](int q, char *stored, int64_t row) {
        if (q < 0 || status != XBATCH_STATUS_SUCCESS) return;
        const char *const received = m.received.get() + m.recv_at[size_t(q)] + header_bytes;
        if (plan.device) status = to_device(context, workspace, received, sets * element_size(plan.type));
        if (status == XBATCH_STATUS_SUCCESS)
            status =
                copy_rows(context, plan, sets, 1, plan.device ? workspace : received, row_alone, 0, stored, to.at, row);
    };
    copy(rows, a.dl, 0, to.dl, 0), copy(rows, a.d, 0, to.d, 0), copy(rows, a.du, 0, to.du, 0);
    if (to.is_flat) copy(rows - 1, a.du, 0, to.turned_dl, 1), copy(rows - 1, a.dl, 1, to.turned_du, 0);
    receive(plan.rank_before, to.turned_dl, 0), receive(plan.rank_after, to.turned_du, rows - 1);
    return status;
}

// B becomes its complex conjugate.
xbatchStatus_t conjugate_sides(Context &context, const MpPlan &plan, const GtsvArrays &a) {
    for (int64_t r = 0; r < plan.nrhs && plan.share.rows > 0; ++r) {
        const Placement at = placement_of(plan, plan.nrhs, a.ldb, r);
        const xbatchStatus_t status =
            conjugations.run(context, plan.type, {plan.share.rows, plan.batch, at, a.B}, nullptr);
        if (status != XBATCH_STATUS_SUCCESS) return status;
    }
    return XBATCH_STATUS_SUCCESS;
}

xbatchStatus_t gttrf_mp(xbatchMpPlan_t handle, const char *name, int type, int64_t sets, GtsvArrays a, void *factors,
                        void *workspace, size_t bytes) {
    return with_typed_plan(handle, name, type, [&](MpPlan &plan, Context &context, Call &call) {
        const DeviceScope scope(context);
        call.one_or(1, "sets", sets, "batch", plan.batch);
        check_array(call, 5, "ldt", plan, 1, a.ldt, true);
        if (plan.batch > 1)
            call.require(5, "ldt", (a.ldt == 0) == (sets == 1), "must be 0 where sets = 1, and only there");
        if (plan.is_empty()) return call.status();
        if (plan.share.rows > 0) {
            call.not_null(2, "dl", a.dl);
            call.not_null(3, "d", a.d);
            call.not_null(4, "du", a.du);
        }
        call.not_null(6, "factors", factors);
        call.aligned(6, "factors", factors, 16);
        call.workspace(8, workspace, bytes, gtsv_workspace(context, plan));
        if (plan.device) call.supported(0, "plan", !is_captured(context), "must be used outside of stream capture");
        xbatchStatus_t status = exchange_edges(context, call, name, plan, sets, a, workspace);
        if (status != XBATCH_STATUS_SUCCESS) return status;
        const StoredShare stored(plan, sets, factors);
        // Right-hand sides do not matter, but are read.
        a.factors = Factors::made, a.nodes = stored.nodes, a.B = const_cast<void *>(a.d), a.ldb = a.ldt;
        status = run_gtsv(context, call, name, plan, Routine::factor, a, 1, workspace);
        if (status != XBATCH_STATUS_SUCCESS) return status;
        if (!plan.device) *stored.shape = hash_of_shape(plan, sets);
        return store(context, plan, sets, a, stored, workspace);
    });
}

xbatchStatus_t gttrs_mp(xbatchMpPlan_t handle, const char *name, int type, xbatchOperation_t op, int64_t sets,
                        const void *factors, void *B, int64_t ldb, void *workspace, size_t bytes) {
    return with_typed_plan(handle, name, type, [&](MpPlan &plan, Context &context, Call &call) {
        call.one_of(1, "op", op, XBATCH_OP_C);
        call.one_or(2, "sets", sets, "batch", plan.batch);
        check_array(call, 5, "ldb", plan, plan.nrhs, ldb, false);
        if (plan.is_empty()) return call.status();
        call.not_null(3, "factors", factors);
        call.aligned(3, "factors", factors, 16);
        if (plan.share.rows > 0) call.not_null(4, "B", B);
        GtsvArrays a{nullptr, nullptr, nullptr, 0, B, ldb, nullptr};
        const bool is_turned = op == XBATCH_OP_T || op == XBATCH_OP_C;
        a.factors = is_turned ? Factors::none : Factors::used;  // the nodes of A^T are not stored
        if (!call.failed()) {
            const StoredShare stored(plan, sets, const_cast<void *>(factors));
            if (!plan.device) call.made_by(3, "factors", "xgttrfMp", *stored.shape == hash_of_shape(plan, sets));
            a.dl = is_turned ? stored.turned_dl : stored.dl, a.du = is_turned ? stored.turned_du : stored.du;
            a.d = stored.d, a.ldt = stored.ld, a.nodes = stored.nodes;
        }
        call.workspace(6, workspace, bytes, gtsv_workspace(context, plan));
        const Routine routine = is_turned ? Routine::transposed : Routine::factored;
        if (op != XBATCH_OP_C || !is_complex(plan.type) || call.failed())
            return run_gtsv(context, call, name, plan, routine, a, plan.nrhs, workspace);
        // A^H x = b if A^T applied to the conjugate of x is that of b. B is as before where it has not been solved.
        xbatchStatus_t status = conjugate_sides(context, plan, a);
        const xbatchStatus_t solved = run_gtsv(context, call, name, plan, routine, a, plan.nrhs, workspace);
        if (status == XBATCH_STATUS_SUCCESS) status = conjugate_sides(context, plan, a);
        return solved == XBATCH_STATUS_SUCCESS ? status : solved;
    });
}

}  // namespace
}  // namespace xbatch::distributed

using namespace xbatch;
using namespace xbatch::distributed;

#define XBATCH_GTTRF_MP(name, T, type)                                                                        \
    xbatchStatus_t name(xbatchMpPlan_t plan, int64_t sets, const T *dl, const T *d, const T *du, int64_t ldt, \
                        void *factors, int32_t *info, void *workspace, size_t workspaceBytes) {               \
        return gttrf_mp(plan, #name, type, sets, {dl, d, du, ldt, nullptr, 0, info}, factors, workspace,      \
                        workspaceBytes);                                                                      \
    }
#define XBATCH_GTTRS_MP(name, T, type)                                                                      \
    xbatchStatus_t name(xbatchMpPlan_t plan, xbatchOperation_t op, int64_t sets, const void *factors, T *B, \
                        int64_t ldb, void *workspace, size_t workspaceBytes) {                              \
        return gttrs_mp(plan, #name, type, op, sets, factors, B, ldb, workspace, workspaceBytes);           \
    }

#pragma GCC visibility push(default)
extern "C" {

XBATCH_GTTRF_MP(xgttrfMp, void, any_type)
XBATCH_GTTRF_MP(sgttrfMp, float, XBATCH_R_32F)
XBATCH_GTTRF_MP(dgttrfMp, double, XBATCH_R_64F)
XBATCH_GTTRF_MP(cgttrfMp, xbatchComplexFloat_t, XBATCH_C_32F)
XBATCH_GTTRF_MP(zgttrfMp, xbatchComplexDouble_t, XBATCH_C_64F)
XBATCH_GTTRS_MP(xgttrsMp, void, any_type)
XBATCH_GTTRS_MP(sgttrsMp, float, XBATCH_R_32F)
XBATCH_GTTRS_MP(dgttrsMp, double, XBATCH_R_64F)
XBATCH_GTTRS_MP(cgttrsMp, xbatchComplexFloat_t, XBATCH_C_32F)
XBATCH_GTTRS_MP(zgttrsMp, xbatchComplexDouble_t, XBATCH_C_64F)

xbatchStatus_t xgttrfMp_bufferSize(xbatchMpPlan_t plan, int64_t sets, size_t *factorBytes, size_t *workspaceBytes) {
    return with_plan(plan, {"xgttrfMp_bufferSize", 0}, [&](MpPlan &p, Context &context, Call &call) {
        check_systems(call, p, Systems::tridiagonal);
        call.one_or(1, "sets", sets, "batch", p.batch);
        call.not_null(2, "factorBytes", factorBytes);
        call.not_null(3, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        return call.answer(2, "factorBytes", factorBytes, p.is_empty() ? 0 : StoredShare(p, sets, nullptr).bytes,
                           workspaceBytes, p.is_empty() ? 0 : gtsv_workspace(context, p));
    });
}
xbatchStatus_t xgttrsMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes) {
    return query_gtsv(plan, "xgttrsMp_bufferSize", Routine::factored, workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
