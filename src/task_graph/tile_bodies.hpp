// tile_bodies.hpp: the library's own tasks: the layout of their arguments, and a body for each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/context.hpp"
#include "tile_algebra.hpp"
#include "xbatch/task_graph.cuh"
#include "xbatch/task_tiles.h"

namespace xbatch::task_graph::tile {

enum Operation { COPY, SET, AXPY, GEMM, HERK, TRSM, POTRF, operations };

// User task types are below. The types are grouped by element type.
constexpr int first_type = 0x40000000;
constexpr int type_of_task(xbatchDataType_t type, Operation operation) {
    return first_type + int(type) * operations + operation;
}

struct Args {
    void *a, *b, *c;
    double alpha, beta;
    int32_t lda, ldb, ldc;
    uint16_t m, n, k;
    uint8_t op_a, op_b;  // or another option of the operation
};
struct Nothing {};

template <class T>
XBATCH_HD View<T> columns_of(void *a, int32_t ld) {
    return {static_cast<T *>(a), 1, ld, false};
}
template <class T>
XBATCH_HD View<T> applied(uint8_t op, const View<T> &A) {
    return op == XBATCH_OP_N ? A : op == XBATCH_OP_T ? A.transpose() : A.adjoint();
}

// f(i, j) for all elements of an m x n tile, each by one thread
template <class F>
XBATCH_HD void each_element(const TaskContext &context, const Args &args, F f) {
    const unsigned count = unsigned(args.m) * args.n;
    for (int64_t e = context.rank(); e < count; e += context.size())
        f(int(unsigned(e) % args.m), int(unsigned(e) / args.m));
}

template <class T>
XBATCH_HD void copy(const TaskContext &context, const Args &args) {
    const View<T> A = columns_of<T>(args.a, args.lda), B = columns_of<T>(args.b, args.ldb);
    each_element(context, args, [=](int i, int j) { B.set(i, j, A.get(i, j)); });
}
template <class T>
XBATCH_HD void set(const TaskContext &context, const Args &args) {
    const View<T> A = columns_of<T>(args.a, args.lda);
    const T offdiag = T(Real<T>(args.alpha)), diag = T(Real<T>(args.beta));
    each_element(context, args, [=](int i, int j) { A.set(i, j, i == j ? diag : offdiag); });
}
template <class T>
XBATCH_HD void axpy(const TaskContext &context, const Args &args) {
    const View<T> A = columns_of<T>(args.a, args.lda), B = columns_of<T>(args.b, args.ldb);
    const T alpha = T(Real<T>(args.alpha));
    each_element(context, args, [=](int i, int j) { B.set(i, j, fma_(A.get(i, j), alpha, B.get(i, j))); });
}
template <class T>
XBATCH_HD void gemm(const TaskContext &context, const Args &args) {
    const View<T> A = applied(args.op_a, columns_of<T>(args.a, args.lda));
    const View<T> B = applied(args.op_b, columns_of<T>(args.b, args.ldb));
    multiply<T>(context, args.m, args.n, args.k, Real<T>(args.alpha), A, B, Real<T>(args.beta),
                columns_of<T>(args.c, args.ldc), Part::all);
}
// op_b: the triangle
template <class T>
XBATCH_HD void herk(const TaskContext &context, const Args &args) {
    const View<T> A = applied(args.op_a, columns_of<T>(args.a, args.lda));
    multiply<T>(context, args.n, args.n, args.k, Real<T>(args.alpha), A, A.adjoint(), Real<T>(args.beta),
                columns_of<T>(args.c, args.ldc), args.op_b == XBATCH_UPLO_LOWER ? Part::lower : Part::upper);
}
// op_b: side + 2 * triangle + 4 * diagonal. Every case is reduced to X U = B with an upper U: from the left transposed,
// a lower triangle with its columns in reverse.
template <class T>
XBATCH_HD void trsm(const TaskContext &context, const Args &args) {
    if (args.m == 0 || args.n == 0) return;
    const bool is_left = (args.op_b & 1) == XBATCH_SIDE_LEFT, is_unit = (args.op_b >> 2) == XBATCH_DIAG_UNIT;
    const bool is_upper = ((args.op_b >> 1 & 1) == XBATCH_UPLO_UPPER) != (args.op_a != XBATCH_OP_N);
    View<T> U = applied(args.op_a, columns_of<T>(args.a, args.lda)), X = columns_of<T>(args.b, args.ldb);
    const View<T> B = X;
    const Real<T> alpha = Real<T>(args.alpha);
    if (alpha != 1) each_element(context, args, [=](int i, int j) { B.set(i, j, B.get(i, j) * alpha); });
    context.sync();
    const int m = is_left ? args.n : args.m, n = is_left ? args.m : args.n;
    if (is_left) U = U.transpose(), X = X.transpose();
    if (is_upper == is_left)
        U = U.columns_reversed(n).transpose().columns_reversed(n).transpose(), X = X.columns_reversed(n);
    solve_right(context, m, n, U, is_unit, X);
}
template <class T>
XBATCH_HD void potrf(const TaskContext &context, const Args &args) {
    const View<T> A = columns_of<T>(args.a, args.lda);
    factor(context, args.n, args.op_a == XBATCH_UPLO_LOWER ? A : A.adjoint());
}

// In the form that task_graph.cuh requires
template <class T, xbatchDataType_t Type, Operation What, void (*F)(const TaskContext &, const Args &)>
struct Body {
    static constexpr int type = type_of_task(Type, What);
    static constexpr int threads = tile::threads;
    static constexpr size_t scratch = tile::scratch<T>;
    using Args = tile::Args;
    XBATCH_HD void operator()(const TaskContext &context, const Args &args, Nothing) const { F(context, args); }
};

// Passes all bodies of one element type to Use<bodies…>
template <template <class...> class Use, class T, xbatchDataType_t Type>
using WithBodies = Use<Body<T, Type, COPY, copy<T>>, Body<T, Type, SET, set<T>>, Body<T, Type, AXPY, axpy<T>>,
                       Body<T, Type, GEMM, gemm<T>>, Body<T, Type, HERK, herk<T>>, Body<T, Type, TRSM, trsm<T>>,
                       Body<T, Type, POTRF, potrf<T>>>;

// tiles_cuda.cu: launches the kernel that runs the device copy of a graph of one element type.
xbatchStatus_t launch_tiles(Context &context, xbatchDataType_t type, void *image, int64_t tasks, int64_t edges);

}  // namespace xbatch::task_graph::tile
