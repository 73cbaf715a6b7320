// solves.hpp: calls of every kind that uses threads, with results that can be compared bit by bit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <xbatch.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace host_program {

using Bits = std::vector<double>;

// Ends the process if a condition does not hold.
inline void expect(bool is_so, const char *what) {
    if (is_so) return;
    std::fprintf(stderr, "host program: not so: %s\n", what);
    std::_Exit(1);
}
inline void expect_success(xbatchHandle_t handle, xbatchStatus_t status) {
    if (status != XBATCH_STATUS_SUCCESS) std::fprintf(stderr, "%s\n", xbatchGetLastErrorMessage(handle));
    expect(status == XBATCH_STATUS_SUCCESS, "a call that succeeds");
}

class Handle {
public:
    explicit Handle(int threads) {
        expect(xbatchCreate(&handle_, XBATCH_BACKEND_HOST) == XBATCH_STATUS_SUCCESS, "a handle");
        expect(xbatchSetThreadCount(handle_, threads) == XBATCH_STATUS_SUCCESS, "a number of threads");
    }
    ~Handle() { expect(xbatchDestroy(handle_) == XBATCH_STATUS_SUCCESS, "a handle that can be destroyed"); }
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;
    operator xbatchHandle_t() const { return handle_; }

private:
    xbatchHandle_t handle_ = nullptr;
};

// Memory aligned to 16, as a workspace must be
class Workspace {
public:
    explicit Workspace(size_t bytes) : memory_(bytes / sizeof(double) + 2) {}
    void *data() { return memory_.data(); }

private:
    std::vector<long double> memory_;
};

// A diagonally dominant batch, FLAT
struct Systems {
    int64_t n, batch;
    std::vector<double> dl, d, du, b;

    Systems(int64_t rows, int64_t count) : n(rows), batch(count), dl(size_t(n * batch)), d(dl), du(dl), b(dl) {
        for (size_t k = 0; k < dl.size(); ++k)
            dl[k] = double(k % 7) / 8 - 0.5, du[k] = double(k % 5) / 8, d[k] = 3 + double(k % 3), b[k] = double(k % 11);
    }
};

using Solve = decltype(&dgtsvBatch);
using SolveSize = decltype(&dgtsvBatch_bufferSize);

inline Bits tridiagonal(xbatchHandle_t handle, Solve solve, SolveSize size, int64_t n, int64_t batch) {
    Systems s(n, batch);
    size_t bytes = 0;
    expect_success(handle, size(handle, XBATCH_LAYOUT_FLAT, n, 1, batch, &bytes));
    Workspace workspace(bytes);
    expect_success(handle, solve(handle, XBATCH_LAYOUT_FLAT, n, 1, batch, s.dl.data(), s.d.data(), s.du.data(), n,
                                 s.b.data(), n, nullptr, workspace.data(), bytes));
    return s.b;
}

inline Bits factors(xbatchHandle_t handle) {
    Systems s(300, 200);
    size_t factor_bytes = 0, bytes = 0;
    expect_success(handle, dgttrfBatch_bufferSize(handle, XBATCH_LAYOUT_FLAT, s.n, s.batch, &factor_bytes, &bytes));
    Workspace kept(factor_bytes), workspace(bytes);
    expect_success(handle, dgttrfBatch(handle, XBATCH_LAYOUT_FLAT, s.n, s.batch, s.dl.data(), s.d.data(), s.du.data(),
                                       s.n, kept.data(), nullptr, nullptr, nullptr, workspace.data(), bytes));
    expect_success(handle,
                   dgttrsBatch_bufferSize(handle, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, s.n, 1, s.batch, s.batch, &bytes));
    Workspace other(bytes);
    expect_success(handle, dgttrsBatch(handle, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, s.n, 1, s.batch, s.batch, kept.data(),
                                       s.b.data(), s.n, other.data(), bytes));
    return s.b;
}

inline Bits recurrence(xbatchHandle_t handle) {
    const Systems s(100000, 1);
    size_t bytes = 0;
    Bits w(s.b.size());
    expect_success(handle, dfolrPscheme_bufferSize(handle, XBATCH_LAYOUT_FLAT, XBATCH_FORWARD, s.n, 1, 1, &bytes));
    Workspace workspace(bytes);
    expect_success(handle, dfolrPscheme(handle, XBATCH_LAYOUT_FLAT, XBATCH_FORWARD, s.n, 1, 1, s.dl.data(), 1, s.n,
                                        s.b.data(), 1, s.n, nullptr, w.data(), s.n, workspace.data(), bytes));
    return w;
}

inline Bits rearranged(xbatchHandle_t handle) {
    const Systems s(500, 100);
    Bits to(s.b.size());
    expect_success(handle, drearrange(handle, s.n, s.batch, XBATCH_LAYOUT_FLAT, s.b.data(), s.n,
                                      XBATCH_LAYOUT_INTERLEAVED, to.data(), s.batch));
    return to;
}

inline Bits trees(xbatchHandle_t handle) {
    Systems s(400, 64);
    std::vector<int32_t> parent;
    for (int32_t i = 0; i < s.n; ++i) parent.push_back(i == 0 ? -1 : (i - 1) / 2);
    const int64_t offsets[] = {0, s.n};
    xbatchHinesPlan_t plan = nullptr;
    expect_success(handle,
                   xhinesCreatePlan(handle, 1, offsets, parent.data(), 0, XBATCH_HINES_TREE, 0, nullptr, &plan));
    size_t bytes = 0;
    expect_success(handle, dhinesBatch_bufferSize(handle, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, plan, 1, s.batch, &bytes));
    Workspace workspace(bytes);
    expect_success(handle,
                   dhinesBatch(handle, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, plan, 1, s.batch, s.du.data(), s.dl.data(), s.n,
                               s.d.data(), s.n, s.b.data(), s.n, nullptr, workspace.data(), bytes));
    expect(xhinesDestroyPlan(plan) == XBATCH_STATUS_SUCCESS, "a plan that can be destroyed");
    return s.b;
}

inline Bits small_qrs(xbatchHandle_t handle) {
    constexpr int64_t m = 24, batch = 300;
    Systems s(m * m, batch);
    size_t bytes = 0;
    Bits tau(size_t(m * batch));
    expect_success(handle, dgeqrfBatch_bufferSize(handle, XBATCH_LAYOUT_FLAT, m, m, batch, &bytes));
    Workspace workspace(bytes);
    expect_success(handle, dgeqrfBatch(handle, XBATCH_LAYOUT_FLAT, m, m, batch, s.b.data(), m, m * m, tau.data(), m,
                                       nullptr, workspace.data(), bytes));
    return s.b;
}

// Large enough for several threads
inline Bits tiled_qr(xbatchHandle_t handle) {
    constexpr int64_t m = 600;
    Systems s(m, m);
    size_t t_bytes = 0, bytes = 0;
    for (int64_t i = 0; i < m; ++i) s.b[size_t(i * m + i)] += 100;
    expect_success(handle, dgeqrtTiled_bufferSize(handle, m, m, nullptr, &t_bytes, &bytes));
    Workspace t(t_bytes), workspace(bytes);
    expect_success(handle,
                   dgeqrtTiled(handle, m, m, nullptr, s.b.data(), m, t.data(), nullptr, workspace.data(), bytes));
    return s.b;
}

// Each task of a chain adds to the result of the one before it.
inline int add_one(const void *args, void *user, int) {
    static_cast<std::atomic<int> *>(user)[*static_cast<const int *>(args)] += 1;
    return 0;
}
inline Bits tasks(xbatchHandle_t handle) {
    constexpr int count = 64;
    std::atomic<int> sums[count] = {};
    xbatchTaskGraph_t graph = nullptr;
    expect_success(handle, xbatchTaskGraphCreate(handle, &graph));
    for (int k = 0; k < count; ++k) {
        int64_t task = 0;
        expect_success(handle, xbatchTaskGraphAddTask(handle, graph, 0, &k, sizeof k, 1, &task));
        expect_success(handle, xbatchTaskGraphAddAccess(handle, graph, task, k / 2, XBATCH_TASK_WRITE));
    }
    expect_success(handle, xbatchTaskGraphFinalize(handle, graph));
    const xbatchTaskBody_t body = add_one;
    expect_success(handle, xbatchTaskGraphRun(handle, graph, &body, 1, sums));
    expect(xbatchTaskGraphDestroy(graph) == XBATCH_STATUS_SUCCESS, "a graph that can be destroyed");
    return Bits(sums, sums + count);
}

// All calls in sequence
inline Bits everything(xbatchHandle_t handle) {
    Bits all;
    const auto add = [&](const Bits &some) { all.insert(all.end(), some.begin(), some.end()); };
    add(tridiagonal(handle, dgtsvBatch, dgtsvBatch_bufferSize, 20000, 40));
    add(tridiagonal(handle, dgtsvBatch, dgtsvBatch_bufferSize, 40, 2000));
    add(tridiagonal(handle, dgtsvPeriodicBatch, dgtsvPeriodicBatch_bufferSize, 20000, 3));
    add(tridiagonal(handle, dgtsvPscheme, dgtsvPscheme_bufferSize, 20000, 3));
    add(tridiagonal(handle, dgtsvThomas, dgtsvThomas_bufferSize, 500, 300));
    add(tridiagonal(handle, dgtsvOddEven, dgtsvOddEven_bufferSize, 100000, 1));
    add(tridiagonal(handle, dgtsvOddEven, dgtsvOddEven_bufferSize, 500, 300));
    for (const auto &some : {factors, recurrence, rearranged, trees, small_qrs, tiled_qr, tasks}) add(some(handle));
    return all;
}
inline Bits everything_on(int threads) {
    const Handle handle(threads);
    return everything(handle);
}

}  // namespace host_program
