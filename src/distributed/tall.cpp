// tall.cpp: the C functions of tall matrices whose rows are distributed: QR and least squares by a tree of triangles.
//
// Right-hand sides are columns after those of A: R of (A B) holds R of A, Q^H B to its right, and below that a triangle
// whose columns have the norms of the residuals. So Q is not needed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "agreement.hpp"
#include "core/dispatch.hpp"
#include "xbatch/distributed_qr.h"
#include "xbatch/qr.h"
#include "xbatch/version.h"

#include <cstring>

namespace xbatch::distributed {
namespace {

struct TallProblem {
    xbatchDataType_t type;
    int64_t m, n, nrhs;
    const int64_t *offsets;
    int flags;
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

    int64_t columns() const { return n + nrhs; }
    bool is_empty() const { return columns() == 0 || m == 0; }
};

// This rank's leaves, each factored by itself, and the joins of triangles: of its own, then of all ranks' nodes
struct TallShare {
    Partition partition;
    int64_t first_leaf, leaves, most_rows;
    std::vector<int64_t> node_slot;
    std::vector<Join> joins;

    int64_t rows_of(int64_t leaf) const {
        return partition.leaf_row[size_t(first_leaf + leaf + 1)] - partition.leaf_row[size_t(first_leaf + leaf)];
    }
};

// A leaf has at least four times as many rows as columns, so that factoring leaves takes longer than joining them.
WrongCut make_tall_share(TallShare &share, const TallProblem &p, const Communicator &comm) {
    const int64_t least_rows = std::max<int64_t>(4 * p.columns(), 16);
    Partition &of = share.partition;
    const WrongCut wrong = make_partition(of, p.m, comm.ranks(), p.offsets, p.flags & XBATCH_MP_ANY_CUT, least_rows);
    if (wrong.rank >= 0 || p.is_empty()) return wrong;
    const int rank = comm.rank();
    share.first_leaf = of.rank_leaf[size_t(rank)];
    share.leaves = of.rank_leaf[size_t(rank) + 1] - share.first_leaf;
    share.most_rows = 2 * p.columns();
    for (int64_t k = 0; k < share.leaves; ++k) share.most_rows = std::max(share.most_rows, share.rows_of(k));
    const auto slot_of = [&](int64_t leaf) { return leaf - share.first_leaf; };
    for (int64_t q = of.rank_node[size_t(rank)]; q < of.rank_node[size_t(rank) + 1]; ++q) {
        share.node_slot.push_back(slot_of(of.nodes[size_t(q)].first));
        append_joins(
            share.joins, of.nodes[size_t(q)].first, of.nodes[size_t(q)].end,
            [](int64_t begin, int64_t end) { return end - begin == 1; }, slot_of, [](int64_t leaf) { return leaf; });
    }
    return {};
}

int64_t triangle_bytes(const TallProblem &p) {
    const int64_t c = p.columns();
    return counted_sum(sizeof(int64_t), counted_product(c * (c + 1) / 2, element_size(p.type)));
}

struct TallWork {
    char *matrix;  // [most_rows][columns]
    char *T, *scratch;
    char *slots;   // [own leaves, or nodes of all ranks][columns][columns]
    int64_t *bad;  // [the same] first column that is not finite, from 1, or 0
    size_t T_bytes = 0, scratch_bytes = 0, bytes;

    TallWork(xbatchHandle_t handle, const TallProblem &p, const TallShare &share, void *workspace) {
        const int64_t c = p.columns(), e = element_size(p.type);
        const int64_t slot_count = std::max(share.leaves, int64_t(share.partition.nodes.size()));
        const auto reserve = [&](int64_t rows) {
            size_t of_T = 0, of_scratch = 0;
            xgeqrtTiled_bufferSize(handle, p.type, rows, c, nullptr, &of_T, &of_scratch);
            T_bytes = std::max(T_bytes, of_T), scratch_bytes = std::max(scratch_bytes, of_scratch);
        };
        reserve(2 * c);
        for (int64_t k = 0; k < share.leaves; ++k) reserve(share.rows_of(k));
        Carver carver(workspace);
        matrix = carver.take<char>(share.most_rows, c, e);
        T = carver.take<char>(T_bytes), scratch = carver.take<char>(scratch_bytes);
        slots = carver.take<char>(slot_count, c, c, e);
        bad = carver.take<int64_t>(slot_count);
        bytes = carver.bytes();
    }
};

// Columns of the given numbers of rows are copied; what is below is 0.
template <class T>
class Tall {
public:
    Tall(xbatchHandle_t handle, const TallProblem &p, const TallShare &share, void *workspace)
        : handle_(handle), p_(p), share_(share), work_(handle, p, share, workspace), c_(p.columns()) {}

    xbatchStatus_t factor_leaves() {
        for (int64_t k = 0; k < share_.leaves; ++k) {
            const Partition &of = share_.partition;
            const int64_t rows = share_.rows_of(k);
            const int64_t first = of.leaf_row[size_t(share_.first_leaf + k)] - of.leaf_row[size_t(share_.first_leaf)];
            for (int64_t j = 0; j < c_; ++j) {
                const T *const from = j < p_.n ? static_cast<const T *>(p_.A) + j * p_.lda
                                               : static_cast<const T *>(p_.B) + (j - p_.n) * p_.ldb;
                std::copy_n(from + first, rows, matrix() + j * rows);
            }
            if (const xbatchStatus_t status = factor(rows, k)) return status;
        }
        return join_all(share_.joins);
    }
    void store_nodes(char *message) const {
        for (const int64_t slot : share_.node_slot) {
            std::memcpy(message, work_.bad + slot, sizeof(int64_t));
            message += sizeof(int64_t);
            for (int64_t j = 0; j < c_; ++j, message += j * int64_t(sizeof(T)))
                std::memcpy(message, triangle(slot) + j * c_, size_t(j + 1) * sizeof(T));
        }
    }
    void load_nodes(const Messages &messages) {
        const Partition &of = share_.partition;
        for (int q = 0; q < of.ranks(); ++q) {
            const char *message = messages.received.get() + messages.recv_at[size_t(q)] + header_bytes;
            for (int64_t slot = of.rank_node[size_t(q)]; slot < of.rank_node[size_t(q) + 1]; ++slot) {
                std::memcpy(work_.bad + slot, message, sizeof(int64_t));
                message += sizeof(int64_t);
                std::fill_n(triangle(slot), c_ * c_, T(0));
                for (int64_t j = 0; j < c_; ++j, message += j * int64_t(sizeof(T)))
                    std::memcpy(triangle(slot) + j * c_, message, size_t(j + 1) * sizeof(T));
            }
        }
    }
    xbatchStatus_t finish() {
        if (const xbatchStatus_t status = join_all(share_.partition.joins)) return status;
        const T *const r = triangle(0);
        int64_t bad = work_.bad[0];
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
    T *triangle(int64_t slot) const { return reinterpret_cast<T *>(work_.slots) + slot * c_ * c_; }

    // R of the matrix with these rows; rows of 0 where it has fewer than columns
    xbatchStatus_t factor(int64_t rows, int64_t slot) {
        int32_t info = 0;
        const xbatchStatus_t status = xgeqrtTiled(handle_, p_.type, rows, c_, nullptr, matrix(), rows, work_.T, &info,
                                                  work_.scratch, work_.scratch_bytes);
        work_.bad[slot] = info;
        for (int64_t j = 0; j < c_; ++j)
            for (int64_t i = 0; i < c_; ++i)
                triangle(slot)[j * c_ + i] = i <= j && i < rows ? matrix()[j * rows + i] : T(0);
        return status;
    }
    xbatchStatus_t join_all(const std::vector<Join> &joins) {
        for (const Join &join : joins) {
            const int64_t before = work_.bad[join.begin], behind = work_.bad[join.middle];
            for (int64_t j = 0; j < c_; ++j) {
                std::copy_n(triangle(join.begin) + j * c_, c_, matrix() + 2 * j * c_);
                std::copy_n(triangle(join.middle) + j * c_, c_, matrix() + (2 * j + 1) * c_);
            }
            if (const xbatchStatus_t status = factor(2 * c_, join.begin)) return status;
            for (const int64_t other : {before, behind})
                if (other && (!work_.bad[join.begin] || other < work_.bad[join.begin])) work_.bad[join.begin] = other;
        }
        return XBATCH_STATUS_SUCCESS;
    }
    // Whether all unknowns are finite
    bool solve(int64_t k, int64_t bad) const {
        const T *const r = triangle(0), *const g = r + (p_.n + k) * c_;
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
        const T *const column = triangle(0) + (p_.n + k) * c_;
        R largest = 0, sum = 0;
        for (int64_t i = p_.n; i <= p_.n + k; ++i) largest = std::max(largest, R(magnitude(column[i])));
        for (int64_t i = p_.n; i <= p_.n + k && largest > 0; ++i) {
            const T scaled = column[i] * (R(1) / largest);
            sum += inner(scaled, scaled);
        }
        return work_.bad[0] ? std::numeric_limits<R>::quiet_NaN() : largest * std::sqrt(sum);
    }

    xbatchHandle_t handle_;
    const TallProblem &p_;
    const TallShare &share_;
    TallWork work_;
    int64_t c_;
};

template <class T>
xbatchStatus_t run(Context &context, const char *name, Communicator &comm, const TallProblem &p, const TallShare &share,
                   void *workspace) {
    Tall<T> tall(comm.handle, p, share, workspace);
    Messages messages;
    const auto bytes_of = [&](int q) { return counted_product(share.partition.nodes_of(q), triangle_bytes(p)); };
    messages.lay_out(
        comm.ranks(), true, [&](int) { return bytes_of(comm.rank()); }, bytes_of);
    messages.allocate();
    const xbatchStatus_t own = tall.factor_leaves();
    tall.store_nodes(messages.sent.get() + header_bytes);
    const Heard heard = comm.exchange({Routine::tall, true}, 0, own, messages);
    if (!heard.is_good()) return failure(context, name, comm, heard, own);
    tall.load_nodes(messages);
    return tall.finish();
}

void check(Call &call, const Context &context, const TallProblem &p, int ranks) {
    const int64_t size = element_size(p.type);
    call.type(p.type);
    call.count(2, "n", p.n);
    call.at_least(1, "m", p.m, "n", p.n);
    call.count(3, "nrhs", p.nrhs);
    call.extent(1, "m", p.m, counted_sum(p.n, p.nrhs), 2, size);
    check_offsets(call, 4, "m", p.m, p.offsets, ranks);
    call.require(5, "flags", p.flags == XBATCH_MP_DEFAULT || p.flags == XBATCH_MP_ANY_CUT,
                 "must be XBATCH_MP_DEFAULT or XBATCH_MP_ANY_CUT");
    call.on_backend(context.backend == XBATCH_BACKEND_HOST);
}

void check_arrays(Call &call, const TallProblem &p, int64_t rows) {
    const int64_t size = element_size(p.type);
    call.at_least(7, "lda", p.lda, "the rows of the share", std::max<int64_t>(rows, 1));
    call.extent(7, "lda", p.lda, p.n, 1, size);
    call.at_least(9, "ldb", p.ldb, "the rows of the share", p.nrhs > 0 ? std::max<int64_t>(rows, 1) : 0);
    call.extent(9, "ldb", p.ldb, p.nrhs, 1, size);
    call.at_least(11, "ldr", p.ldr, "n", p.R ? p.n : 0);
    call.at_least(13, "ldx", p.ldx, "n", p.X ? p.n : 0);
    if (rows > 0 && p.n > 0) call.not_null(6, "A", p.A);
    if (rows > 0 && p.nrhs > 0) call.not_null(8, "B", p.B);
}

constexpr const char *names[] = {"type", "m", "n", "nrhs", "offsets", "flags", "the version of the library"};

xbatchStatus_t tall_mp(xbatchComm_t handle, const char *name, int extra, TallProblem p, void *workspace, size_t bytes) {
    Communicator *const comm = live_communicators.find(handle);
    if (!comm) return XBATCH_STATUS_INVALID_HANDLE;
    return guarded(comm->handle, {name, extra}, [&](Context &context, Call &call) {
        if (comm->is_dead) return dead(context, name, *comm);
        TallShare share;
        check(call, context, p, comm->ranks());
        if (!call.failed()) check_cut(call, 4, make_tall_share(share, p, *comm));
        if (!call.failed()) check_arrays(call, p, share.partition.rows(comm->rank()));
        if (!call.failed() && !p.is_empty())
            call.workspace(16, workspace, bytes, TallWork(comm->handle, p, share, nullptr).bytes);
        const std::vector<int64_t> &cuts = share.partition.offsets;
        Shared shared{
            {}, {p.type, p.m, p.n, p.nrhs, hash_of(cuts.data(), int64_t(cuts.size())), p.flags, XBATCH_VERSION}, 7};
        std::copy_n(names, 7, shared.names);
        const xbatchStatus_t status = agree(context, name, *comm, Routine::tall, call.status(), shared);
        if (status != XBATCH_STATUS_SUCCESS) return status;
        if (p.is_empty() && p.info) *p.info = 0;
        if (p.is_empty()) return XBATCH_STATUS_SUCCESS;
        call.log();
        static constexpr decltype(&run<double>) all[] = {run<float>, run<double>, run<Complex<float>>,
                                                         run<Complex<double>>};
        return all[p.type](context, name, *comm, p, share, workspace);
    });
}

TallProblem shape_of(xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs, const int64_t *offsets, int flags) {
    TallProblem p = {};
    p.type = type, p.m = m, p.n = n, p.nrhs = nrhs, p.offsets = offsets, p.flags = flags;
    return p;
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
        const TallProblem p = shape_of(type, m, n, nrhs, offsets, flags);
        TallShare share;
        check(call, context, p, c.ranks());
        call.not_null(6, "workspaceBytes", workspaceBytes);
        if (!call.failed()) check_cut(call, 4, make_tall_share(share, p, c));
        if (call.failed()) return call.status();
        return call.answer(6, "workspaceBytes", workspaceBytes,
                           p.is_empty() ? 0 : TallWork(c.handle, p, share, nullptr).bytes);
    });
}

xbatchStatus_t xgelsTsMpGetOffsets(xbatchComm_t comm, int64_t m, int64_t n, int64_t nrhs, int64_t *offsets) {
    return with_communicator(comm, "xgelsTsMpGetOffsets", [&](Communicator &c, Context &context, Call &call) {
        const TallProblem p = shape_of(XBATCH_R_32F, m, n, nrhs, nullptr, XBATCH_MP_DEFAULT);
        TallShare share;
        check(call, context, p, c.ranks());
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
                       {type, m, n, nrhs, offsets, flags, A, lda, B, ldb, factor, ldr, X, ldx, norms, info},       \
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
                   {type, m, n, nrhs, offsets, flags, A, lda, B, ldb, R, ldr, X, ldx, norms, info}, workspace,
                   workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
