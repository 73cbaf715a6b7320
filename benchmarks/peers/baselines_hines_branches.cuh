// baselines_hines_branches.cuh: a fine-grained kernel in the manner of the simulators' permutations of cells: a block
// solves some cells, a thread an unbranched section, the sections of a level in parallel, level by level.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>

#include "baselines_hines.hpp"
#include "cuda_check.hpp"

namespace bench {

// The sections of a tree by level: those of a level are adjacent, the longest first. Node k of section s is in row
// first_row of its level + k * (sections of the level) + (s - first section of the level): those of a level are
// interleaved, and padded to the longest.
struct Section {
    int length, parent;  // parent: the section above, whose last node is the parent of the first
    int first_row, step;
    int first_child, children;  // into `children`
};
struct SectionLevel {
    int first, sections;
};

struct Sections {
    std::vector<Section> sections;
    std::vector<SectionLevel> levels;
    std::vector<int> children, row;  // row: of each node
    int rows = 0, widest = 0;

    explicit Sections(const std::vector<int32_t> &parent) : row(parent.size()) {
        const std::vector<std::vector<int>> nodes = by_level(parent);
        std::vector<int> at(parent.size());  // section of a node
        for (size_t s = 0; s < nodes.size(); ++s)
            for (const int v : nodes[s]) at[size_t(v)] = int(s);
        for (SectionLevel &level : levels) {
            const int longest = int(nodes[size_t(level.first)].size());
            for (int s = level.first; s < level.first + level.sections; ++s) {
                const int above = parent[size_t(nodes[size_t(s)][0])];
                sections.push_back({int(nodes[size_t(s)].size()), above < 0 ? -1 : at[size_t(above)],
                                    rows + s - level.first, level.sections, 0, 0});
                for (size_t k = 0; k < nodes[size_t(s)].size(); ++k)
                    row[size_t(nodes[size_t(s)][k])] = rows + int(k) * level.sections + s - level.first;
            }
            rows += longest * level.sections, widest = std::max(widest, level.sections);
        }
        for (size_t s = 0; s < sections.size(); ++s) {
            sections[s].first_child = int(children.size());
            for (size_t c = s + 1; c < sections.size(); ++c)
                if (sections[c].parent == int(s)) children.push_back(int(c));
            sections[s].children = int(children.size()) - sections[s].first_child;
        }
    }

private:
    // The nodes of each section, by level
    std::vector<std::vector<int>> by_level(const std::vector<int32_t> &parent) {
        std::vector<int> children_of(parent.size()), level(parent.size()), section(parent.size());
        for (const int32_t p : parent)
            if (p >= 0) ++children_of[size_t(p)];
        std::vector<std::vector<int>> nodes;
        std::vector<int> levels_of;
        for (size_t v = 0; v < parent.size(); ++v) {
            const int32_t p = parent[v];
            if (p < 0 || children_of[size_t(p)] != 1) {
                level[v] = p < 0 ? 0 : level[size_t(p)] + 1, section[v] = int(nodes.size());
                nodes.emplace_back(), levels_of.push_back(level[v]);
            } else {
                level[v] = level[size_t(p)], section[v] = section[size_t(p)];
            }
            nodes[size_t(section[v])].push_back(int(v));
        }
        std::vector<int> order(nodes.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            const size_t x = size_t(a), y = size_t(b);
            return levels_of[x] != levels_of[y] ? levels_of[x] < levels_of[y] : nodes[x].size() > nodes[y].size();
        });
        std::vector<std::vector<int>> sorted;
        for (const int s : order) {
            if (size_t(levels_of[size_t(s)]) == levels.size()) levels.push_back({int(sorted.size()), 0});
            ++levels.back().sections;
            sorted.push_back(nodes[size_t(s)]);
        }
        return sorted;
    }
};

constexpr int branch_threads = 128;

// Row r of cell c of a block of `cells` is element r * cells + c of the block's part; so all threads of a level access
// adjacent elements.
template <class T>
struct BranchArrays {
    const Section *sections;
    const SectionLevel *levels;
    const int *children, *row;
    int level_count, rows, cells;
    int64_t n, batch;
    T *u, *l, *d, *b;

    __host__ __device__ int64_t at(int64_t j, int r) const {
        return j / cells * rows * cells + int64_t(r) * cells + j % cells;
    }
};

template <class T>
__global__ void __launch_bounds__(branch_threads) solve_branches(BranchArrays<T> a) {
    const int64_t first = blockIdx.x * int64_t(a.rows) * a.cells;
    T *const u = a.u + first, *const l = a.l + first, *const d = a.d + first, *const b = a.b + first;
    const auto for_level = [&](int n, auto f) {
        const SectionLevel level = a.levels[n];
        for (int i = int(threadIdx.x); i < level.sections * a.cells; i += branch_threads)
            f(a.sections[level.first + i / a.cells], i % a.cells);
        __syncthreads();
    };
    for (int n = a.level_count; n-- > 0;)
        for_level(n, [&](const Section &s, int cell) {
            const int step = s.step * a.cells;
            int at = s.first_row * a.cells + cell + (s.length - 1) * step;
            T own_d = d[at], own_b = b[at];
            for (int c = s.first_child; c < s.first_child + s.children; ++c) {
                const int child = a.sections[a.children[c]].first_row * a.cells + cell;
                const T factor = u[child] / d[child];
                own_d -= factor * l[child], own_b -= factor * b[child];
            }
            for (int k = s.length - 1; k > 0; --k, at -= step) {
                d[at] = own_d, b[at] = own_b;
                const T factor = u[at] / own_d;
                own_d = d[at - step] - factor * l[at], own_b = b[at - step] - factor * own_b;
            }
            d[at] = own_d, b[at] = own_b;
        });
    for (int n = 0; n < a.level_count; ++n)
        for_level(n, [&](const Section &s, int cell) {
            const int step = s.step * a.cells;
            int at = s.first_row * a.cells + cell;
            T x(0);
            if (s.parent >= 0) {
                const Section &above = a.sections[s.parent];
                x = b[(above.first_row + (above.length - 1) * above.step) * a.cells + cell];
            }
            for (int k = 0; k < s.length; ++k, at += step)
                x = (k == 0 && s.parent < 0 ? b[at] : b[at] - l[at] * x) / d[at], b[at] = x;
        });
}

// Copies the problem's arrays to those of the kernel, or its results back. A thread is one node of one system.
template <class T>
__global__ void move_branches(BranchArrays<T> a, xbatchLayout_t layout, int64_t ld, const T *u, const T *l, const T *d,
                              T *b, bool is_back) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i >= a.n * a.batch) return;
    const int64_t j = layout == XBATCH_LAYOUT_FLAT ? i / a.n : i % a.batch;
    const int64_t v = layout == XBATCH_LAYOUT_FLAT ? i % a.n : i / a.batch;
    const Line own = line(layout, a.n, 1, ld, j, 0);
    const int64_t from = own.base + v * own.step, to = a.at(j, a.row[v]);
    if (is_back)
        b[from] = a.b[to];
    else
        a.u[to] = u[from], a.l[to] = l[from], a.d[to] = d[from], a.b[to] = b[from];
}

template <class T>
Call branches_call(const Hines &p) {
    const Machine machine = *cuda_machine();
    const Sections tree(p.tree(0).parent);
    const auto memory = std::make_shared<std::vector<Memory>>();
    const auto table = [&](const auto &items) {
        const size_t bytes = items.size() * sizeof(items[0]);
        memory->emplace_back(machine, bytes);
        machine.copy(memory->back().get(), items.data(), bytes);
        return static_cast<decltype(items.data())>(memory->back().get());
    };
    const int cells = std::max(1, branch_threads / tree.widest);
    const int64_t blocks = (p.batch + cells - 1) / cells, elements = blocks * cells * tree.rows;
    const auto array = [&] {
        memory->emplace_back(machine, size_t(elements) * sizeof(T));
        BENCH_CUDA(cudaMemset(memory->back().get(), 0, size_t(elements) * sizeof(T)));
        return static_cast<T *>(memory->back().get());
    };
    BranchArrays<T> a{table(tree.sections),
                      table(tree.levels),
                      table(tree.children),
                      table(tree.row),
                      int(tree.levels.size()),
                      tree.rows,
                      cells,
                      p.tree(0).n(),
                      p.batch,
                      array(),
                      array(),
                      array(),
                      array()};
    const auto move = [=, view = p](bool is_back) {
        const int64_t count = a.n * a.batch, ld = tight(view.layout, a.n, a.batch, view.width);
        move_branches<T><<<unsigned((count + 255) / 256), 256>>>(
            a, view.layout, ld, static_cast<const T *>(view.u), static_cast<const T *>(view.l),
            static_cast<const T *>(view.d), static_cast<T *>(view.b), is_back);
        BENCH_CUDA(cudaGetLastError());
    };
    const auto run = [=] {
        (void)memory;
        solve_branches<T><<<unsigned(blocks), branch_threads>>>(a);
        BENCH_CUDA(cudaGetLastError());
    };
    return {run, 4 * size_t(elements) * sizeof(T), [=] { move(false); }, [=] { move(true); }};
}

}  // namespace bench
