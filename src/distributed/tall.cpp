// tall.cpp: the C functions of tall matrices whose rows are distributed: QR and least squares by a tree of triangles.
//
// Right-hand sides are columns after those of A: R of (A B) holds R of A, Q^H B to its right, and below that a triangle
// whose columns have the norms of the residuals. So Q is not needed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tall_tree.hpp"
#include "xbatch/distributed_qr.h"

namespace xbatch::distributed {
namespace {

struct TallProblem : TallShape {
    const void *A;
    int64_t lda;
    const void *B;
    int64_t ldb;
    void *R;
    int64_t ldr;
    void *X;
    int64_t ldx;
    void *norms;
    int32_t *info;
};

struct TallWork {
    char *matrix;  // [columns][most_rows]
    char *factors, *scratch;
    char *slots;   // [own leaves, or nodes of all ranks][columns][columns]
    int64_t *bad;  // [the same]
    size_t scratch_bytes = 0, bytes;

    TallWork(xbatchHandle_t handle, const TallShape &shape, const TallShare &share, void *workspace) {
        const int64_t c = shape.columns(), e = element_size(shape.type);
        size_t factor_bytes = 0;
        const auto reserve = [&](int64_t rows) {
            const TiledBytes of_rows = tiled_bytes(handle, shape.type, rows, c);
            factor_bytes = std::max(factor_bytes, of_rows.factors);
            scratch_bytes = std::max(scratch_bytes, of_rows.workspace);
        };
        for (int64_t k = 0; k < share.leaves; ++k) reserve(share.rows_of(k));
        for (const std::vector<TallJoin> *joins : {&share.joins, &share.top_joins})
            for (const TallJoin &join : *joins) reserve(join.rows());
        Carver carver(workspace);
        matrix = carver.take<char>(share.most_rows, c, e);
        factors = carver.take<char>(factor_bytes), scratch = carver.take<char>(scratch_bytes);
        slots = carver.take<char>(share.slots(), c, c, e);
        bad = carver.take<int64_t>(share.slots());
        bytes = carver.bytes();
    }
};

template <class T>
class Tall {
public:
    Tall(xbatchHandle_t handle, const TallProblem &p, const TallShare &share, void *workspace)
        : p_(p),
          share_(share),
          work_(handle, p, share, workspace),
          c_(p.columns()),
          tree(handle, c_, reinterpret_cast<T *>(work_.slots), work_.bad, work_.scratch, work_.scratch_bytes) {}

    xbatchStatus_t factor_leaves() {
        for (int64_t k = 0; k < share_.leaves; ++k) {
            const int64_t rows = share_.rows_of(k);
            for (int64_t j = 0; j < c_; ++j) {
                const T *const from = j < p_.n ? static_cast<const T *>(p_.A) + j * p_.lda
                                               : static_cast<const T *>(p_.B) + (j - p_.n) * p_.ldb;
                std::copy_n(from + share_.row_of(k), rows, matrix() + j * rows);
            }
            if (const xbatchStatus_t status = tree.factor(rows, matrix(), rows, work_.factors, k)) return status;
        }
        return join_all(share_.joins);
    }
    xbatchStatus_t finish() {
        if (const xbatchStatus_t status = join_all(share_.top_joins)) return status;
        const T *const r = tree.triangle(0);
        int64_t bad = tree.bad(0);
        for (int64_t i = 0; i < p_.n && p_.X && (!bad || i + 1 < bad); ++i)
            if (!has_reciprocal(r[i * c_ + i])) bad = i + 1;
        for (int64_t j = 0; j < p_.n && p_.R; ++j)
            for (int64_t i = 0; i < p_.n; ++i) static_cast<T *>(p_.R)[j * p_.ldr + i] = i <= j ? r[j * c_ + i] : T(0);
        bool is_solved = true;
        for (int64_t k = 0; k < p_.nrhs && p_.X; ++k) is_solved = solve(k, bad) && is_solved;
        for (int64_t k = 0; k < p_.nrhs && p_.norms; ++k) static_cast<Real<T> *>(p_.norms)[k] = norm(k);
        if (p_.info) *p_.info = int32_t(bad ? bad : is_solved ? 0 : p_.n + 1);
        return XBATCH_STATUS_SUCCESS;
    }

private:
    T *matrix() const { return reinterpret_cast<T *>(work_.matrix); }
    xbatchStatus_t join_all(const std::vector<TallJoin> &joins) {
        for (const TallJoin &join : joins)
            if (const xbatchStatus_t status = tree.join(join, matrix(), work_.factors)) return status;
        return XBATCH_STATUS_SUCCESS;
    }
    // Whether all unknowns are finite
    bool solve(int64_t k, int64_t bad) const {
        const T *const r = tree.triangle(0), *const g = r + (p_.n + k) * c_;
        T *const x = static_cast<T *>(p_.X) + k * p_.ldx;
        for (int64_t i = p_.n; i-- > 0;) {
            T sum = g[i];
            for (int64_t j = p_.n; j-- > i + 1;) sum = fnma(r[j * c_ + i], x[j], sum);
            x[i] = bad ? T(std::numeric_limits<Real<T>>::quiet_NaN()) : sum * reciprocal(r[i * c_ + i]);
        }
        return std::all_of(x, x + p_.n, [](T value) { return is_finite(value); });
    }
    Real<T> norm(int64_t k) const {
        using R = Real<T>;
        const T *const column = tree.triangle(0) + (p_.n + k) * c_;
        R largest = 0, sum = 0;
        for (int64_t i = p_.n; i <= p_.n + k; ++i) largest = std::max(largest, R(magnitude(column[i])));
        for (int64_t i = p_.n; i <= p_.n + k && largest > 0; ++i) {
            const T scaled = column[i] * (R(1) / largest);
            sum += inner(scaled, scaled);
        }
        return tree.bad(0) ? std::numeric_limits<R>::quiet_NaN() : largest * std::sqrt(sum);
    }

    const TallProblem &p_;
    const TallShare &share_;
    TallWork work_;
    int64_t c_;

public:
    TallTree<T> tree;
};

template <class T>
xbatchStatus_t run(Context &context, const char *name, Communicator &comm, const TallProblem &p, const TallShare &share,
                   void *workspace) {
    Tall<T> tall(comm.handle, p, share, workspace);
    Messages messages;
    lay_out_nodes(messages, share, comm.rank(), TallTree<T>::node_bytes(p.columns()));
    const xbatchStatus_t own = tall.factor_leaves();
    tall.tree.store_nodes(share, messages.sent.get() + header_bytes);
    const Heard heard = comm.exchange({Routine::tall, true}, 0, own, messages);
    if (!heard.is_good()) return failure(context, name, comm, heard, own);
    tall.tree.load_nodes(share, messages);
    return tall.finish();
}

constexpr TallPositions positions{1, 2, 3, 4, 5};

void check_arrays(Call &call, const TallProblem &p, int64_t rows) {
    check_rows(call, 6, "A", p.A, "lda", p.lda, rows, p.n, p.type);
    if (p.nrhs > 0) check_rows(call, 8, "B", p.B, "ldb", p.ldb, rows, p.nrhs, p.type);
    call.count(9, "ldb", p.ldb);
    call.at_least(11, "ldr", p.ldr, "n", p.R ? p.n : 0);
    call.at_least(13, "ldx", p.ldx, "n", p.X ? p.n : 0);
}

xbatchStatus_t tall_mp(xbatchComm_t handle, const char *name, int extra, TallProblem p, void *workspace, size_t bytes) {
    Communicator *const comm = live_communicators.find(handle);
    if (!comm) return XBATCH_STATUS_INVALID_HANDLE;
    return guarded(comm->handle, {name, extra}, [&](Context &context, Call &call) {
        if (comm->is_dead) return dead(context, name, *comm);
        TallShare share;
        check_tall(call, context, p, positions, comm->ranks());
        if (!call.failed()) check_cut(call, 4, make_tall_share(share, p, *comm));
        if (!call.failed()) check_arrays(call, p, share.partition.rows(comm->rank()));
        if (!call.failed() && !p.is_empty())
            call.workspace(16, workspace, bytes, TallWork(comm->handle, p, share, nullptr).bytes);
        const xbatchStatus_t status =
            agree_on_tall(context, name, *comm, Routine::tall, call.status(), p, share, "", 0);
        if (status != XBATCH_STATUS_SUCCESS) return status;
        if (p.is_empty() && p.info) *p.info = 0;
        if (p.is_empty()) return XBATCH_STATUS_SUCCESS;
        call.log();
        static constexpr decltype(&run<double>) all[] = {run<float>, run<double>, run<Complex<float>>,
                                                         run<Complex<double>>};
        return all[p.type](context, name, *comm, p, share, workspace);
    });
}

}  // namespace
}  // namespace xbatch::distributed

using namespace xbatch;
using namespace xbatch::distributed;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xgelsTsMp_bufferSize(xbatchComm_t comm, xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs,
                                    const int64_t *offsets, int flags, size_t *workspaceBytes) {
    return with_communicator(comm, "xgelsTsMp_bufferSize", [&](Communicator &c, Context &context, Call &call) {
        const TallShape p{type, m, n, nrhs, offsets, flags};
        TallShare share;
        check_tall(call, context, p, positions, c.ranks());
        call.not_null(6, "workspaceBytes", workspaceBytes);
        if (!call.failed()) check_cut(call, 4, make_tall_share(share, p, c));
        if (call.failed()) return call.status();
        return call.answer(6, "workspaceBytes", workspaceBytes,
                           p.is_empty() ? 0 : TallWork(c.handle, p, share, nullptr).bytes);
    });
}

xbatchStatus_t xgelsTsMpGetOffsets(xbatchComm_t comm, int64_t m, int64_t n, int64_t nrhs, int64_t *offsets) {
    return with_communicator(comm, "xgelsTsMpGetOffsets", [&](Communicator &c, Context &context, Call &call) {
        const TallShape p{XBATCH_R_32F, m, n, nrhs, nullptr, XBATCH_MP_DEFAULT};
        TallShare share;
        check_tall(call, context, p, positions, c.ranks());
        call.not_null(4, "offsets", offsets);
        if (call.failed()) return call.status();
        make_tall_share(share, p, c);
        std::copy(share.partition.offsets.begin(), share.partition.offsets.end(), offsets);
        return call.status();
    });
}

#define XBATCH_GELS_TS_MP(letter, T, R, type)                                                                      \
    xbatchStatus_t letter##gelsTsMp(xbatchComm_t comm, int64_t m, int64_t n, int64_t nrhs, const int64_t *offsets, \
                                    int flags, const T *A, int64_t lda, const T *B, int64_t ldb, T *factor,        \
                                    int64_t ldr, T *X, int64_t ldx, R *norms, int32_t *info, void *workspace,      \
                                    size_t workspaceBytes) {                                                       \
        return tall_mp(comm, #letter "gelsTsMp", 0,                                                                \
                       {{type, m, n, nrhs, offsets, flags}, A, lda, B, ldb, factor, ldr, X, ldx, norms, info},     \
                       workspace, workspaceBytes);                                                                 \
    }

XBATCH_GELS_TS_MP(s, float, float, XBATCH_R_32F)
XBATCH_GELS_TS_MP(d, double, double, XBATCH_R_64F)
XBATCH_GELS_TS_MP(c, xbatchComplexFloat_t, float, XBATCH_C_32F)
XBATCH_GELS_TS_MP(z, xbatchComplexDouble_t, double, XBATCH_C_64F)

xbatchStatus_t xgelsTsMp(xbatchComm_t comm, xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs,
                         const int64_t *offsets, int flags, const void *A, int64_t lda, const void *B, int64_t ldb,
                         void *R, int64_t ldr, void *X, int64_t ldx, void *norms, int32_t *info, void *workspace,
                         size_t workspaceBytes) {
    return tall_mp(comm, "xgelsTsMp", 1,
                   {{type, m, n, nrhs, offsets, flags}, A, lda, B, ldb, R, ldr, X, ldx, norms, info}, workspace,
                   workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
