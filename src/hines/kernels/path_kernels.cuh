// path_kernels.cuh: Hines systems that share factored matrices, along the paths of the tree; and those factors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hines/plan/device_paths.hpp"
#include "subtree_step.cuh"

namespace xbatch::hines {

constexpr int path_threads = 256;

// The systems of one morphology. A block holds 2^log_systems of them, in shared memory: row q of system s is at
// [q*pitch + s].
template <class T>
struct PathSolve {
    PathTree tree;
    const T *r, *f, *c;  // of each row
    T *b;
    GroupPlacement b_at;
    const int64_t *members;  // system j of number k; NULL if j = k
    int64_t count, blocks;   // systems, and blocks of a right-hand side
    bool is_conjugated;
    int log_systems, pitch;

    static constexpr int factors = 3;  // elements of each row
    size_t bytes() const { return size_t(tree.n) * size_t(pitch + factors) * sizeof(T); }
};

// copy(row, global element) of each element of the block's systems, in the order of memory. The systems from `count` on
// repeat the last one.
template <class T, class Copy>
__device__ inline void for_each_element(const PathSolve<T> &p, int64_t k0, int64_t r, Copy copy) {
    const int systems = 1 << p.log_systems, t = int(threadIdx.x);
    const auto base = [&](int s) {
        const int64_t k = min(k0 + s, p.count - 1);
        return p.b_at.base(k, p.members ? p.members[k] : k, r);
    };
    const int64_t step = p.b_at.step();
    if (step == 1) {
        const int teams = min(systems, path_threads / 32), of_team = path_threads / teams;
        for (int s = t / of_team; s < systems; s += teams) {
            T *const first = p.b + base(s);
#pragma unroll 4
            for (int q = t % of_team; q < p.tree.n; q += of_team) copy(q * p.pitch + s, k0 + s, first + p.tree.node[q]);
        }
    } else {
        const int s = t & (systems - 1);
        T *const first = p.b + base(s);
#pragma unroll 8
        for (int q = t >> p.log_systems; q < p.tree.n; q += path_threads >> p.log_systems)
            copy(q * p.pitch + s, k0 + s, first + p.tree.node[q] * step);
    }
}

// Calls use(k, value, factor) for k = first … last - 1 in sequence, with the results of load(k, value, factor), several
// k at a time.
template <class T, class Load, class Use>
__device__ inline void for_each_step(int first, int last, Load load, Use use) {
    constexpr int together = 8;
    int k = first;
    for (; k + together <= last; k += together) {
        T value[together], factor[together];
#pragma unroll
        for (int m = 0; m < together; ++m) load(k + m, value[m], factor[m]);
#pragma unroll
        for (int m = 0; m < together; ++m) use(k + m, value[m], factor[m]);
    }
    for (; k < last; ++k) {
        T value, factor;
        load(k, value, factor);
        use(k, value, factor);
    }
}

// The factors of a block's morphology, and the rows of one of its systems, in shared memory
template <class T>
struct PathRows {
    const T *r, *f, *c;
    T *y;
    int pitch;
};

// y_i = b_i - sum over the children k of f_k y_k
template <class T>
__device__ inline void eliminate_path(const PathRows<T> &p, const TreePath &path, const PathJoin *joins) {
    for (int j = path.first_join; j < path.last_join; ++j) {
        const PathJoin join = joins[j];
        T &to = p.y[join.row * p.pitch];
        to = less_product(to, p.f[join.child], p.y[join.child * p.pitch]);
    }
    const T *const f = p.f + path.first;
    T *const row = p.y + path.first * p.pitch;
    T carry = *row;
    for_each_step<T>(
        1, path.length, [&](int k, T &value, T &factor) { value = row[k * p.pitch], factor = f[k - 1]; },
        [&](int k, T value, T factor) { row[k * p.pitch] = carry = less_product(value, factor, carry); });
}

// x_i = r_i y_i - c_i x_p(i)
template <class T>
__device__ inline void substitute_path(const PathRows<T> &p, const TreePath &path) {
    const int top = path.first + path.length - 1;
    const T *const r = p.r + top, *const c = p.c + top;
    T *const row = p.y + top * p.pitch;
    T carry;
    if (path.above < 0)
        *row = carry = product(*r, *row);
    else
        carry = p.y[path.above * p.pitch];
    for_each_step<T>(
        path.above < 0, path.length,
        [&](int k, T &value, T &factor) { value = product(r[-k], row[-k * p.pitch]), factor = c[-k]; },
        [&](int k, T value, T factor) { row[-k * p.pitch] = carry = less_product(value, factor, carry); });
}

// A block solves one right-hand side of its systems. Its threads are workers, each for one system; in every level the
// workers of a system take its paths in turns. Shared memory has the factors, then the systems.
template <class T>
__global__ void __launch_bounds__(path_threads) hines_paths(PathSolve<T> p) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    const int n = p.tree.n;
    T *const r = reinterpret_cast<T *>(shared_bytes), *const f = r + n, *const c = f + n, *const rows = c + n;
    for (int q = int(threadIdx.x); q < n; q += path_threads) r[q] = p.r[q], f[q] = p.f[q], c[q] = p.c[q];
    const int64_t side = blockIdx.x / p.blocks, k0 = (blockIdx.x - side * p.blocks) << p.log_systems;
    for_each_element(p, k0, side,
                     [&](int at, int64_t, const T *from) { rows[at] = p.is_conjugated ? conjugate(*from) : *from; });
    const int system = int(threadIdx.x) & ((1 << p.log_systems) - 1), worker = int(threadIdx.x) >> p.log_systems;
    const int workers = path_threads >> p.log_systems;
    const PathRows<T> own{r, f, c, rows + system, p.pitch};
    __syncthreads();
    for (int level = 0; level < p.tree.level_count; ++level) {
        for (int q = p.tree.levels[level] + worker; q < p.tree.levels[level + 1]; q += workers)
            eliminate_path(own, p.tree.paths[q], p.tree.joins);
        __syncthreads();
    }
    for (int level = p.tree.level_count; level-- > 0;) {
        for (int q = p.tree.levels[level] + worker; q < p.tree.levels[level + 1]; q += workers)
            substitute_path(own, p.tree.paths[q]);
        __syncthreads();
    }
    for_each_element(p, k0, side, [&](int at, int64_t k, T *to) {
        if (k < p.count) *to = p.is_conjugated ? conjugate(rows[at]) : rows[at];
    });
}

// Matrices that are shared, one for each morphology. Without morph the only one has its nodes `step` apart.
template <class T>
struct PathFactor {
    const PathTree *trees;
    const T *u, *l, *d;
    int64_t ul_step, d_step;
    T *r, *f, *c;
    int32_t *info;  // [morphologies], may be NULL
};

// One thread factors a path: r_i = 1 / d'_i, f_i = u_i r_i, c_i = l_i r_i, d'_p -= u_i c_i. r holds the pivots before.
template <class T>
__device__ inline int factor_path(const PathFactor<T> &p, const PathTree &tree, const TreePath &path) {
    T *const r = p.r + tree.first, *const f = p.f + tree.first, *const c = p.c + tree.first;
    const auto u = [&](int row) { return p.u[(tree.first + tree.node[row]) * p.ul_step]; };
    int bad = 0;
    for (int j = path.first_join; j < path.last_join; ++j) {
        const PathJoin join = tree.joins[j];
        r[join.row] = less_product(r[join.row], u(join.child), c[join.child]);
    }
    T pivot = r[path.first];
    for (int k = 0; k < path.length; ++k) {
        const int row = path.first + k, node = tree.node[row];
        if (!has_reciprocal(pivot)) bad = max(bad, node + 1);
        const T inverse = reciprocal(pivot);
        r[row] = inverse;
        if (k + 1 == path.length && path.above < 0) break;
        const T upper = u(row);
        f[row] = product(upper, inverse);
        c[row] = product(p.l[(tree.first + node) * p.ul_step], inverse);
        if (k + 1 < path.length) pivot = less_product(r[row + 1], upper, c[row]);
    }
    return bad;
}

// A block factors the matrix of a morphology.
template <class T>
__global__ void __launch_bounds__(path_threads) hines_factor_paths(PathFactor<T> p) {
    __shared__ int worst;
    const PathTree &tree = p.trees[blockIdx.x];
    if (threadIdx.x == 0) worst = 0;
    for (int row = int(threadIdx.x); row < tree.n; row += path_threads)
        p.r[tree.first + row] = p.d[(tree.first + tree.node[row]) * p.d_step];
    __syncthreads();
    for (int level = 0; level < tree.level_count; ++level) {
        for (int q = tree.levels[level] + int(threadIdx.x); q < tree.levels[level + 1]; q += path_threads) {
            const int bad = factor_path(p, tree, tree.paths[q]);
            if (bad > 0) atomicMax(&worst, bad);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0 && p.info) p.info[blockIdx.x] = worst;
}

// Coefficients of the systems of one morphology, from the caller's arrays to stored ones, an array for each blockIdx.y
template <class T>
struct PathCopy {
    const T *from[3];
    T *to[3];
    GroupPlacement from_at[3], to_at;
    const int64_t *members;
    int64_t n, count;
};

template <class T>
__global__ void __launch_bounds__(path_threads) hines_store(PathCopy<T> p) {
    const int a = int(blockIdx.y);
    const bool nodes_first = p.to_at.step() == 1;
    const int64_t t = int64_t(blockIdx.x) * path_threads + threadIdx.x;
    const int64_t i = nodes_first ? t % p.n : t / p.count, k = nodes_first ? t / p.n : t % p.count;
    if (t >= p.n * p.count) return;
    const int64_t j = p.members ? p.members[k] : k;
    p.to[a][p.to_at.base(k, j, 0) + i * p.to_at.step()] =
        p.from[a][p.from_at[a].base(k, j, 0) + i * p.from_at[a].step()];
}

}  // namespace xbatch::hines
