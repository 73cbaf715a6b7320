// spd_tree.cuh: runs of rows joined in a binary tree, and the unknowns between them.
//
// On the way up adjacent runs of rows are joined in pairs, from the rows of a thread to the whole system, outside which
// all unknowns are 0. On the way down the unknowns adjacent to every run follow, from the same numbers: if a run were
// solved by another order of elimination than it was joined by, the two results would differ by rounding errors times
// the norm of its inverse, and the rows at its ends would not be satisfied.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridiagonal/nopivot/pscheme_kernels.cuh"

namespace xbatch::tridiagonal {

// The interface equations of a run of rows: its first unknown x_f (f) and its last x_l (l) in terms of the unknowns
// before and behind the run. For dominant rows no entry of before and behind exceeds 1: chaining runs can underflow,
// but not overflow.
template <class T, class D = T>
struct EndEquations {
    EndEquation<T, D> f, l;
};

// Joins two adjacent runs: eliminates the pair between them, x_l of the left and x_f of the right. `between` is x_l of
// the left in terms of the unknowns outside both. Returns false where the pivot is bad.
template <class Pivot = AnyPivot, class T, class D>
__device__ inline bool chain(const EndEquations<T, D> &left, const EndEquations<T, D> &right, EndEquations<T, D> &both,
                             EndEquation<T, D> &between) {
    const auto pivot = Pivot::part(fnma(left.l.behind, right.f.before, T(1))), inverse = fast_reciprocal(pivot);
    between = {fnma(left.l.behind, right.f.value, left.l.value) * inverse, left.l.before * inverse,
               -(left.l.behind * right.f.behind * inverse)};
    const EndEquation<T, D> joint = {fnma(right.f.before, between.value, right.f.value),
                                     -(right.f.before * between.before),
                                     fnma(right.f.before, between.behind, right.f.behind)};
    both = {{fnma(left.f.behind, joint.value, left.f.value), fnma(left.f.behind, joint.before, left.f.before),
             -(left.f.behind * joint.behind)},
            {fnma(right.l.before, between.value, right.l.value), -(right.l.before * between.before),
             fnma(right.l.before, between.behind, right.l.behind)}};
    return Pivot::is_good(pivot);
}

// The equations of a thread's chunk from its edges: z in x_f is replaced by its own equation.
template <class T, class D>
__device__ inline EndEquations<T, D> end_equations(const Edges<T, D> &e) {
    return {{fnma(e.fc, e.ld, e.fd), fnma(e.fc, e.la, e.fa), -(e.fc * e.lc)}, {e.ld, e.la, e.lc}};
}

// The unknowns adjacent to a run
template <class D>
struct Outside {
    D before, behind;
};
template <class T, class D>
__device__ inline D value_at(const EndEquation<T, D> &end, const Outside<D> &outside) {
    return fnma(end.behind, outside.behind, fnma(end.before, outside.before, end.value));
}
// What the threads of a block have of the tree, in shared memory: the equations of the right runs of all joins, f their
// first unknowns and, after the join, l the last unknowns of the left runs; or the unknowns adjacent to a run. Value v
// of thread t is at [v * blockDim.x + t].
template <class T, class D = T>
struct RunNodes {
    static constexpr int sides = int(sizeof(D) / sizeof(T)), of_end = sides + 2, values = 2 * of_end;
    T *nodes;

    __device__ T *at(int t, int value) const { return nodes + value * int(blockDim.x) + t; }
    __device__ void put(int t, int end, const EndEquation<T, D> &e) const {
        put_value(at(t, end * of_end + 2), blockDim.x, e.value);
        *at(t, end * of_end) = e.before, *at(t, end * of_end + 1) = e.behind;
    }
    __device__ EndEquation<T, D> get(int t, int end) const {
        return {get_value<D>(at(t, end * of_end + 2), blockDim.x), *at(t, end * of_end), *at(t, end * of_end + 1)};
    }
    __device__ void put_outside(int t, const Outside<D> &outside) const {
        put_value(at(t, 2), blockDim.x, outside.before), put_value(at(t, of_end + 2), blockDim.x, outside.behind);
    }
    __device__ Outside<D> outside(int t) const {
        return {get_value<D>(at(t, 2), blockDim.x), get_value<D>(at(t, of_end + 2), blockDim.x)};
    }
};

// Joins the runs of a system's `runs` threads, run k from thread k; the result is in thread 0. Returns false where a
// pivot is bad.
template <class Pivot, class T, class D>
__device__ inline bool join_runs(EndEquations<T, D> &mine, ThreadChunk chunk, int runs, bool in_warp,
                                 RunNodes<T, D> nodes) {
    bool is_fine = true;
    for (int s = 1; s < runs; s *= 2) {
        if (chunk.is_used && chunk.k % (2 * s) == s)
            nodes.put(threadIdx.x, 0, mine.f), nodes.put(threadIdx.x, 1, mine.l);
        sync_chunks(in_warp);
        if (!chunk.is_used || chunk.k % (2 * s) != 0 || chunk.k + s >= runs) continue;
        const int there = int(threadIdx.x) + s * chunk.stride;
        const EndEquations<T, D> left = mine, right = {nodes.get(there, 0), nodes.get(there, 1)};
        EndEquation<T, D> between;
        is_fine = chain<Pivot>(left, right, mine, between) && is_fine;
        nodes.put(there, 1, between);
    }
    return is_fine;
}

// The way down: from the unknowns adjacent to the whole, in thread 0, to those adjacent to the run of each thread.
template <class T, class D>
__device__ inline void split_runs(Outside<D> &outside, ThreadChunk chunk, int runs, bool in_warp,
                                  RunNodes<T, D> nodes) {
    int s = 1;
    while (2 * s < runs) s *= 2;
    for (; s > 0; s /= 2) {
        if (chunk.is_used && chunk.k % (2 * s) == 0 && chunk.k + s < runs) {
            const int there = int(threadIdx.x) + s * chunk.stride;
            const Outside<D> of_right{value_at(nodes.get(there, 1), outside), outside.behind};
            outside.behind = value_at(nodes.get(there, 0), of_right);
            nodes.put_outside(there, of_right);
        }
        sync_chunks(in_warp);
        if (chunk.is_used && chunk.k % (2 * s) == s) outside = nodes.outside(threadIdx.x);
    }
}

// The unknowns of a chunk after precompute, from those adjacent to it; x replaces d.
template <class T, int R>
__device__ inline void determine(RowChunk<T, R> &v, const Outside<T> &outside) {
    determine(v, outside.before, value_at(EndEquation<T>{v.d[R - 1], v.a[R - 1], v.c[R - 1]}, outside));
}

}  // namespace xbatch::tridiagonal
