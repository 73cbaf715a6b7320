// tall_q.cpp: the C functions for Q of tall matrices whose rows are distributed: it is stored as the reflectors of all
// leaves and joins, and applied along the same tree.
//
// Q = diag(Q of leaves) times the Qs of joins, each of which acts on the rows of two triangles. Q C goes from the root
// to the leaves, and every rank has the joins of the root: it needs no message. Q^H B goes from the leaves to the root.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tall_tree.hpp"
#include "xbatch/distributed_qr.h"

namespace xbatch::distributed {
namespace {

// What the factors begin with, to recognise those of another matrix
struct Mark {
    static constexpr int64_t text = 0x7168657161746c6c;
    int64_t is_mark, type, m, n, cuts, rank;

    bool operator==(const Mark &o) const {
        return is_mark == o.is_mark && type == o.type && m == o.m && n == o.n && cuts == o.cuts && rank == o.rank;
    }
};
Mark mark_of(const TallShape &shape, const TallShare &share, int rank) {
    const std::vector<int64_t> &cuts = share.partition.offsets;
    return {Mark::text, shape.type, shape.m, shape.n, hash_of(cuts.data(), int64_t(cuts.size())), rank};
}

// The factors on a rank: what xgeqrtTiled stores next to the leaves, which are in A, and for the joins with their
// matrices. The sizes in bytes depend on the shape only.
struct Factors {
    struct Piece {
        char *matrix = nullptr;  // of a join: [columns][rows of both triangles]
        char *tiled = nullptr;
    };
    Mark *mark;
    std::vector<Piece> leaves, joins, top_joins;
    size_t bytes, scratch_bytes = 0;  // and the workspace of xgeqrtTiled

    Factors(xbatchHandle_t handle, const TallShape &shape, const TallShare &share, const void *buffer) {
        Carver carver(const_cast<void *>(buffer));
        const auto take = [&](int64_t rows, bool is_join) {
            const TiledBytes of_rows = tiled_bytes(handle, shape.type, rows, shape.n);
            scratch_bytes = std::max(scratch_bytes, of_rows.workspace);
            Piece piece;
            if (is_join) piece.matrix = carver.take<char>(rows, shape.n, element_size(shape.type));
            piece.tiled = carver.take<char>(of_rows.factors);
            return piece;
        };
        mark = carver.take<Mark>(1);
        for (int64_t k = 0; k < share.leaves; ++k) leaves.push_back(take(share.rows_of(k), false));
        for (const TallJoin &join : share.joins) joins.push_back(take(join.rows(), true));
        for (const TallJoin &join : share.top_joins) top_joins.push_back(take(join.rows(), true));
        bytes = carver.bytes();
    }
};

// Factors A in place.
struct FactorProblem : TallShape {
    void *A;
    int64_t lda;
    void *factors;
    void *R;
    int64_t ldr;
    int32_t *info;
};
struct FactorWork {
    char *slots, *scratch;
    int64_t *bad;
    size_t scratch_bytes, bytes;

    FactorWork(const TallShape &shape, const TallShare &share, const Factors &factors, void *workspace) {
        Carver carver(workspace);
        slots = carver.take<char>(share.slots(), shape.n, shape.n, element_size(shape.type));
        bad = carver.take<int64_t>(share.slots());
        scratch_bytes = factors.scratch_bytes;
        scratch = carver.take<char>(scratch_bytes);
        bytes = carver.bytes();
    }
};

template <class T>
xbatchStatus_t join_all(const TallTree<T> &tree, const std::vector<TallJoin> &joins,
                        const std::vector<Factors::Piece> &pieces) {
    for (size_t k = 0; k < joins.size(); ++k) {
        T *const matrix = reinterpret_cast<T *>(pieces[k].matrix);
        if (const xbatchStatus_t status = tree.join(joins[k], matrix, pieces[k].tiled)) return status;
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
xbatchStatus_t factor(Context &context, const char *name, Communicator &comm, const FactorProblem &p,
                      const TallShare &share, void *workspace) {
    const Factors factors(comm.handle, p, share, p.factors);
    const FactorWork work(p, share, factors, workspace);
    const TallTree<T> tree(comm.handle, p.n, reinterpret_cast<T *>(work.slots), work.bad, work.scratch,
                           work.scratch_bytes);
    Messages messages;
    lay_out_nodes(messages, share, comm.rank(), TallTree<T>::node_bytes(p.n));
    *factors.mark = mark_of(p, share, comm.rank());
    xbatchStatus_t own = XBATCH_STATUS_SUCCESS;
    for (int64_t k = 0; k < share.leaves && own == XBATCH_STATUS_SUCCESS; ++k)
        own = tree.factor(share.rows_of(k), static_cast<T *>(p.A) + share.row_of(k), p.lda,
                          factors.leaves[size_t(k)].tiled, k);
    if (own == XBATCH_STATUS_SUCCESS) own = join_all(tree, share.joins, factors.joins);
    tree.store_nodes(share, messages.sent.get() + header_bytes);
    const Heard heard = comm.exchange({Routine::tall_factor, true}, 0, own, messages);
    if (!heard.is_good()) return failure(context, name, comm, heard, own);
    tree.load_nodes(share, messages);
    const xbatchStatus_t status = join_all(tree, share.top_joins, factors.top_joins);
    for (int64_t j = 0; j < p.n && p.R; ++j)
        std::copy_n(tree.triangle(0) + j * p.n, p.n, static_cast<T *>(p.R) + j * p.ldr);
    if (p.info) *p.info = int32_t(tree.bad(0));
    return status;
}

// Q C or Q^H B
struct ApplyProblem : TallShape {
    xbatchOperation_t op;
    int64_t k;
    const void *A;
    int64_t lda;
    const void *factors;
    void *B;  // [k][rows of the share]: written, or with Q^H read
    int64_t ldb;
    void *C;  // [k][n]: read, NULL for the identity, or with Q^H written
    int64_t ldc;

    bool is_adjoint() const { return op != XBATCH_OP_N; }
    bool is_nothing() const { return n == 0 || k == 0 || m == 0; }
};
struct ApplyWork {
    char *leaves, *nodes;  // [own leaves], [nodes of all ranks][k][n]
    char *stacked;         // [k][rows of two triangles, or with Q^H of a leaf]
    char *scratch;
    size_t scratch_bytes = 0, bytes;

    ApplyWork(xbatchHandle_t handle, const ApplyProblem &p, const TallShare &share, void *workspace) {
        const auto reserve = [&](int64_t rows) {
            size_t needed = 0;
            xgemqrtTiled_bufferSize(handle, p.type, XBATCH_SIDE_LEFT, p.op, rows, p.k, std::min(rows, p.n), nullptr,
                                    &needed);
            scratch_bytes = std::max(scratch_bytes, needed);
        };
        for (int64_t k = 0; k < share.leaves; ++k) reserve(share.rows_of(k));
        for (const std::vector<TallJoin> *joins : {&share.joins, &share.top_joins})
            for (const TallJoin &join : *joins) reserve(join.rows());
        Carver carver(workspace);
        leaves = carver.take<char>(share.leaves, p.k, p.n, element_size(p.type));
        nodes = carver.take<char>(int64_t(share.partition.nodes.size()), p.k, p.n, element_size(p.type));
        stacked = carver.take<char>(p.is_adjoint() ? share.most_rows : 2 * p.n, p.k, element_size(p.type));
        scratch = carver.take<char>(scratch_bytes);
        bytes = carver.bytes();
    }
};

template <class T>
class Applier {
public:
    Applier(const Communicator &comm, const ApplyProblem &p, const TallShare &share, void *workspace)
        : handle_(comm.handle),
          rank_(comm.rank()),
          p_(p),
          share_(share),
          factors_(handle_, p, share, p.factors),
          work_(handle_, p, share, workspace) {}

    // Q C, from the root
    xbatchStatus_t descend() const {
        for (int64_t j = 0; j < p_.k; ++j)
            for (int64_t i = 0; i < p_.n; ++i)
                node(0)[j * p_.n + i] = p_.C ? static_cast<const T *>(p_.C)[j * p_.ldc + i] : T(i == j);
        if (const xbatchStatus_t status = split_all(share_.top_joins, factors_.top_joins, node(0))) return status;
        const int64_t first = share_.partition.rank_node[size_t(rank_)];
        for (size_t q = 0; q < share_.node_slot.size(); ++q)
            std::copy_n(node(first + int64_t(q)), p_.k * p_.n, leaf(share_.node_slot[q]));
        if (const xbatchStatus_t status = split_all(share_.joins, factors_.joins, leaf(0))) return status;
        for (int64_t k = 0; k < share_.leaves; ++k) {
            const int64_t rows = share_.rows_of(k), top = std::min(rows, p_.n);
            T *const b = static_cast<T *>(p_.B) + share_.row_of(k);
            for (int64_t j = 0; j < p_.k; ++j) {
                std::copy_n(leaf(k) + j * p_.n, top, b + j * p_.ldb);
                std::fill_n(b + j * p_.ldb + top, rows - top, T(0));
            }
            if (const xbatchStatus_t status = apply_leaf(k, b, p_.ldb)) return status;
        }
        return XBATCH_STATUS_SUCCESS;
    }
    // Q^H B, to the nodes, and from there to the root
    xbatchStatus_t ascend() const {
        for (int64_t k = 0; k < share_.leaves; ++k) {
            const int64_t rows = share_.rows_of(k), top = std::min(rows, p_.n);
            const T *const b = static_cast<const T *>(p_.B) + share_.row_of(k);
            for (int64_t j = 0; j < p_.k; ++j) std::copy_n(b + j * p_.ldb, rows, stacked() + j * rows);
            if (const xbatchStatus_t status = apply_leaf(k, stacked(), rows)) return status;
            for (int64_t j = 0; j < p_.k; ++j) std::copy_n(stacked() + j * rows, top, leaf(k) + j * p_.n);
        }
        return merge_all(share_.joins, factors_.joins, leaf(0));
    }
    xbatchStatus_t finish() const {
        const xbatchStatus_t status = merge_all(share_.top_joins, factors_.top_joins, node(0));
        for (int64_t j = 0; j < p_.k; ++j) std::copy_n(node(0) + j * p_.n, p_.n, static_cast<T *>(p_.C) + j * p_.ldc);
        return status;
    }
    // All n rows of a slot, also where its node has fewer
    int64_t slot_bytes() const { return counted_product(p_.n, p_.k, int64_t(sizeof(T))); }
    void store_nodes(char *message) const {
        for (const int64_t from : share_.node_slot) {
            std::memcpy(message, leaf(from), size_t(slot_bytes()));
            message += slot_bytes();
        }
    }
    void load_nodes(const Messages &messages) const {
        const Partition &of = share_.partition;
        for (int q = 0; q < of.ranks(); ++q)
            std::memcpy(node(of.rank_node[size_t(q)]),
                        messages.received.get() + messages.recv_at[size_t(q)] + header_bytes,
                        size_t(of.nodes_of(q) * slot_bytes()));
    }

private:
    T *leaf(int64_t k) const { return reinterpret_cast<T *>(work_.leaves) + k * p_.k * p_.n; }
    T *node(int64_t q) const { return reinterpret_cast<T *>(work_.nodes) + q * p_.k * p_.n; }
    T *stacked() const { return reinterpret_cast<T *>(work_.stacked); }

    xbatchStatus_t apply(int64_t rows, const void *matrix, int64_t ld, const char *tiled, T *c, int64_t ldc) const {
        return xgemqrtTiled(handle_, p_.type, XBATCH_SIDE_LEFT, p_.op, rows, p_.k, std::min(rows, p_.n), nullptr,
                            matrix, ld, tiled, c, ldc, nullptr, work_.scratch, work_.scratch_bytes);
    }
    xbatchStatus_t apply_leaf(int64_t k, T *c, int64_t ldc) const {
        return apply(share_.rows_of(k), static_cast<const T *>(p_.A) + share_.row_of(k), p_.lda,
                     factors_.leaves[size_t(k)].tiled, c, ldc);
    }
    xbatchStatus_t apply_join(const TallJoin &join, const Factors::Piece &piece) const {
        return apply(join.rows(), piece.matrix, join.rows(), piece.tiled, stacked(), join.rows());
    }
    // The rows of both triangles from those of their join, the last join first. slots [k][n] each.
    xbatchStatus_t split_all(const std::vector<TallJoin> &joins, const std::vector<Factors::Piece> &pieces,
                             T *slots) const {
        for (size_t q = joins.size(); q-- > 0;) {
            const TallJoin &join = joins[q];
            T *const above = slots + join.begin * p_.k * p_.n, *const below = slots + join.middle * p_.k * p_.n;
            const int64_t rows = join.rows(), top = std::min(rows, p_.n);
            for (int64_t j = 0; j < p_.k; ++j) {
                std::copy_n(above + j * p_.n, top, stacked() + j * rows);
                std::fill_n(stacked() + j * rows + top, rows - top, T(0));
            }
            if (const xbatchStatus_t status = apply_join(join, pieces[q])) return status;
            for (int64_t j = 0; j < p_.k; ++j) {
                std::copy_n(stacked() + j * rows, join.above, above + j * p_.n);
                std::copy_n(stacked() + j * rows + join.above, join.below, below + j * p_.n);
            }
        }
        return XBATCH_STATUS_SUCCESS;
    }
    xbatchStatus_t merge_all(const std::vector<TallJoin> &joins, const std::vector<Factors::Piece> &pieces,
                             T *slots) const {
        for (size_t q = 0; q < joins.size(); ++q) {
            const TallJoin &join = joins[q];
            T *const above = slots + join.begin * p_.k * p_.n, *const below = slots + join.middle * p_.k * p_.n;
            const int64_t rows = join.rows(), top = std::min(rows, p_.n);
            for (int64_t j = 0; j < p_.k; ++j) {
                std::copy_n(above + j * p_.n, join.above, stacked() + j * rows);
                std::copy_n(below + j * p_.n, join.below, stacked() + j * rows + join.above);
            }
            if (const xbatchStatus_t status = apply_join(join, pieces[q])) return status;
            for (int64_t j = 0; j < p_.k; ++j) std::copy_n(stacked() + j * rows, top, above + j * p_.n);
        }
        return XBATCH_STATUS_SUCCESS;
    }
    xbatchHandle_t handle_;
    int rank_;
    const ApplyProblem &p_;
    const TallShare &share_;
    Factors factors_;
    ApplyWork work_;
};

template <class T>
xbatchStatus_t apply(Context &context, const char *name, Communicator &comm, const ApplyProblem &p,
                     const TallShare &share, void *workspace) {
    const Applier<T> applier(comm, p, share, workspace);
    if (!p.is_adjoint()) return applier.descend();
    Messages messages;
    lay_out_nodes(messages, share, comm.rank(), applier.slot_bytes());
    const xbatchStatus_t own = applier.ascend();
    applier.store_nodes(messages.sent.get() + header_bytes);
    const Heard heard = comm.exchange({Routine::tall_apply, true}, 0, own, messages);
    if (!heard.is_good()) return failure(context, name, comm, heard, own);
    applier.load_nodes(messages);
    return applier.finish();
}

// Checks the shape and divides the rows, as every function here does.
TallShare checked_share(Call &call, const Context &context, const TallShape &shape, const TallPositions &at,
                        const Communicator &comm) {
    TallShare share;
    check_tall(call, context, shape, at, comm.ranks());
    if (!call.failed()) check_cut(call, at.offsets, make_tall_share(share, shape, comm));
    return share;
}

constexpr TallPositions of_factors{1, 2, 0, 3, 4}, of_product{2, 3, 0, 5, 6};

xbatchStatus_t geqrt_ts(xbatchComm_t handle, Caller caller, const FactorProblem &p, void *workspace, size_t bytes) {
    Communicator *const comm = live_communicators.find(handle);
    if (!comm) return XBATCH_STATUS_INVALID_HANDLE;
    return guarded(comm->handle, caller, [&](Context &context, Call &call) {
        if (comm->is_dead) return dead(context, caller.name, *comm);
        const TallShare share = checked_share(call, context, p, of_factors, *comm);
        if (!call.failed())
            check_rows(call, 5, "A", p.A, "lda", p.lda, share.partition.rows(comm->rank()), p.n, p.type);
        call.at_least(9, "ldr", p.ldr, "n", p.R ? p.n : 0);
        if (!call.failed() && !p.is_empty()) {
            const Factors factors(comm->handle, p, share, nullptr);
            call.not_null(7, "factors", p.factors);
            call.aligned(7, "factors", p.factors, 16);
            call.workspace(11, workspace, bytes, FactorWork(p, share, factors, nullptr).bytes);
        }
        const xbatchStatus_t status =
            agree_on_tall(context, caller.name, *comm, Routine::tall_factor, call.status(), p, share, "", 0);
        if (status != XBATCH_STATUS_SUCCESS) return status;
        if (p.is_empty() && p.info) *p.info = 0;
        if (p.is_empty()) return XBATCH_STATUS_SUCCESS;
        call.log();
        static constexpr decltype(&factor<double>) all[] = {factor<float>, factor<double>, factor<Complex<float>>,
                                                            factor<Complex<double>>};
        return all[p.type](context, caller.name, *comm, p, share, workspace);
    });
}

void check_factors(Call &call, int position, const ApplyProblem &p, const TallShare &share, int rank) {
    call.not_null(position, "factors", p.factors);
    call.aligned(position, "factors", p.factors, 16);
    if (!call.failed())
        call.made_by(position, "factors", "xgeqrtTsMp",
                     *static_cast<const Mark *>(p.factors) == mark_of(p, share, rank));
}

// Positions of factors, B, C and the workspace; C is absent where Q is formed.
struct ApplyPositions {
    TallPositions shape;
    int A, factors, B, C, workspace;
};
constexpr ApplyPositions to_form{of_factors, 5, 7, 8, 0, 10}, to_apply{of_product, 7, 9, 10, 12, 14};

void check_op(Call &call, xbatchDataType_t type, xbatchOperation_t op) {
    call.one_of(1, "op", op, XBATCH_OP_C);
    call.require(1, "op", op != XBATCH_OP_T || !is_complex(type), "must be N or C where A is complex");
}

void check_product(Call &call, const ApplyProblem &p, const ApplyPositions &at, int64_t rows) {
    check_rows(call, at.A, "A", p.A, "lda", p.lda, rows, p.n, p.type);
    check_rows(call, at.B, at.C ? "B" : "Q", p.B, at.C ? "ldb" : "ldq", p.ldb, rows, p.k, p.type);
    if (at.C == 0) return;
    call.at_least(at.C + 1, "ldc", p.ldc, "n", p.n);
    call.extent(at.C + 1, "ldc", p.ldc, p.k, 1, element_size(p.type));
    if (!p.is_nothing()) call.not_null(at.C, "C", p.C);
}

xbatchStatus_t apply_ts(xbatchComm_t handle, Caller caller, const ApplyProblem &p, const ApplyPositions &at,
                        void *workspace, size_t bytes) {
    Communicator *const comm = live_communicators.find(handle);
    if (!comm) return XBATCH_STATUS_INVALID_HANDLE;
    return guarded(comm->handle, caller, [&](Context &context, Call &call) {
        if (comm->is_dead) return dead(context, caller.name, *comm);
        if (at.C) check_op(call, p.type, p.op);
        const TallShare share = checked_share(call, context, p, at.shape, *comm);
        if (at.C) call.count(4, "k", p.k);
        if (!call.failed()) check_product(call, p, at, share.partition.rows(comm->rank()));
        if (!call.failed() && !p.is_nothing()) {
            call.workspace(at.workspace, workspace, bytes, ApplyWork(comm->handle, p, share, nullptr).bytes);
            check_factors(call, at.factors, p, share, comm->rank());
        }
        const xbatchStatus_t status = p.is_adjoint() ? agree_on_tall(context, caller.name, *comm, Routine::tall_apply,
                                                                     call.status(), p, share, "k", p.k)
                                                     : call.status();
        if (status != XBATCH_STATUS_SUCCESS || p.is_nothing()) return status;
        call.log();
        static constexpr decltype(&apply<double>) all[] = {apply<float>, apply<double>, apply<Complex<float>>,
                                                           apply<Complex<double>>};
        return all[p.type](context, caller.name, *comm, p, share, workspace);
    });
}

xbatchStatus_t apply_ts_size(xbatchComm_t handle, const char *name, const ApplyProblem &p, const ApplyPositions &at,
                             int position, size_t *workspaceBytes) {
    return with_communicator(handle, name, [&](Communicator &c, Context &context, Call &call) {
        if (at.C) check_op(call, p.type, p.op);
        const TallShare share = checked_share(call, context, p, at.shape, c);
        if (at.C) call.count(4, "k", p.k);
        call.not_null(position, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        return call.answer(position, "workspaceBytes", workspaceBytes,
                           p.is_nothing() ? 0 : ApplyWork(c.handle, p, share, nullptr).bytes);
    });
}

}  // namespace
}  // namespace xbatch::distributed

using namespace xbatch;
using namespace xbatch::distributed;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xgeqrtTsMp_bufferSize(xbatchComm_t comm, xbatchDataType_t type, int64_t m, int64_t n,
                                     const int64_t *offsets, int flags, size_t *factorBytes, size_t *workspaceBytes) {
    return with_communicator(comm, "xgeqrtTsMp_bufferSize", [&](Communicator &c, Context &context, Call &call) {
        const TallShape p{type, m, n, 0, offsets, flags};
        const TallShare share = checked_share(call, context, p, of_factors, c);
        call.not_null(5, "factorBytes", factorBytes);
        call.not_null(6, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        if (p.is_empty()) return call.answer(5, "factorBytes", factorBytes, 0, workspaceBytes, 0);
        const Factors factors(c.handle, p, share, nullptr);
        return call.answer(5, "factorBytes", factorBytes, factors.bytes, workspaceBytes,
                           FactorWork(p, share, factors, nullptr).bytes);
    });
}

xbatchStatus_t xgemqrtTsMp_bufferSize(xbatchComm_t comm, xbatchDataType_t type, xbatchOperation_t op, int64_t m,
                                      int64_t n, int64_t k, const int64_t *offsets, int flags, size_t *workspaceBytes) {
    const ApplyProblem p{{type, m, n, 0, offsets, flags}, op, k, nullptr, 0, nullptr, nullptr, 0, nullptr, 0};
    return apply_ts_size(comm, "xgemqrtTsMp_bufferSize", p, to_apply, 7, workspaceBytes);
}

xbatchStatus_t xungqrtTsMp_bufferSize(xbatchComm_t comm, xbatchDataType_t type, int64_t m, int64_t n,
                                      const int64_t *offsets, int flags, size_t *workspaceBytes) {
    const ApplyProblem p{{type, m, n, 0, offsets, flags}, XBATCH_OP_N, n, nullptr, 0, nullptr, nullptr, 0, nullptr, 0};
    return apply_ts_size(comm, "xungqrtTsMp_bufferSize", p, to_form, 5, workspaceBytes);
}

// The forms of one type; the x forms have one argument more.
#define XBATCH_Q_OF_TALL(letter, extra, T, TYPE_ARGUMENT, type)                                                       \
    xbatchStatus_t letter##geqrtTsMp(xbatchComm_t comm, TYPE_ARGUMENT int64_t m, int64_t n, const int64_t *offsets,   \
                                     int flags, T *A, int64_t lda, void *factors, T *R, int64_t ldr, int32_t *info,   \
                                     void *workspace, size_t workspaceBytes) {                                        \
        return geqrt_ts(comm, {#letter "geqrtTsMp", extra},                                                           \
                        {{type, m, n, 0, offsets, flags}, A, lda, factors, R, ldr, info}, workspace, workspaceBytes); \
    }                                                                                                                 \
    xbatchStatus_t letter##gemqrtTsMp(xbatchComm_t comm, TYPE_ARGUMENT xbatchOperation_t op, int64_t m, int64_t n,    \
                                      int64_t k, const int64_t *offsets, int flags, const T *A, int64_t lda,          \
                                      const void *factors, T *B, int64_t ldb, T *C, int64_t ldc, void *workspace,     \
                                      size_t workspaceBytes) {                                                        \
        return apply_ts(comm, {#letter "gemqrtTsMp", extra},                                                          \
                        {{type, m, n, 0, offsets, flags}, op, k, A, lda, factors, B, ldb, C, ldc}, to_apply,          \
                        workspace, workspaceBytes);                                                                   \
    }                                                                                                                 \
    xbatchStatus_t letter##ungqrtTsMp(xbatchComm_t comm, TYPE_ARGUMENT int64_t m, int64_t n, const int64_t *offsets,  \
                                      int flags, const T *A, int64_t lda, const void *factors, T *Q, int64_t ldq,     \
                                      void *workspace, size_t workspaceBytes) {                                       \
        return apply_ts(comm, {#letter "ungqrtTsMp", extra},                                                          \
                        {{type, m, n, 0, offsets, flags}, XBATCH_OP_N, n, A, lda, factors, Q, ldq, nullptr, 0},       \
                        to_form, workspace, workspaceBytes);                                                          \
    }
#define XBATCH_NO_ARGUMENT
#define XBATCH_TYPE_ARGUMENT xbatchDataType_t type,

XBATCH_Q_OF_TALL(x, 1, void, XBATCH_TYPE_ARGUMENT, type)
XBATCH_Q_OF_TALL(s, 0, float, XBATCH_NO_ARGUMENT, XBATCH_R_32F)
XBATCH_Q_OF_TALL(d, 0, double, XBATCH_NO_ARGUMENT, XBATCH_R_64F)
XBATCH_Q_OF_TALL(c, 0, xbatchComplexFloat_t, XBATCH_NO_ARGUMENT, XBATCH_C_32F)
XBATCH_Q_OF_TALL(z, 0, xbatchComplexDouble_t, XBATCH_NO_ARGUMENT, XBATCH_C_64F)

}  // extern "C"
#pragma GCC visibility pop
