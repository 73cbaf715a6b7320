// task_graph.hpp: graphs of tasks for tests: a program of tasks that read and write data, what must wait for what by
// the definition, and a checker that sees every access in the wrong order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "backend.hpp"
#include "random.hpp"

namespace xbatch_test {

// A graph of the library
class Graph {
public:
    explicit Graph(xbatchHandle_t handle) : handle_(handle) {
        EXPECT_EQ(xbatchTaskGraphCreate(handle, &graph_), XBATCH_STATUS_SUCCESS) << message();
    }
    ~Graph() { EXPECT_EQ(xbatchTaskGraphDestroy(graph_), XBATCH_STATUS_SUCCESS); }
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;
    operator xbatchTaskGraph_t() const { return graph_; }

    int64_t add(int type, double cost = 1, const void *args = nullptr, size_t bytes = 0) {
        int64_t task = -1;
        EXPECT_EQ(xbatchTaskGraphAddTask(handle_, graph_, type, args, bytes, cost, &task), XBATCH_STATUS_SUCCESS)
            << message();
        return task;
    }
    void depend(int64_t before, int64_t after) {
        EXPECT_EQ(xbatchTaskGraphAddDependency(handle_, graph_, before, after), XBATCH_STATUS_SUCCESS) << message();
    }
    void access(int64_t task, int64_t resource, xbatchTaskAccess_t access) {
        EXPECT_EQ(xbatchTaskGraphAddAccess(handle_, graph_, task, resource, access), XBATCH_STATUS_SUCCESS)
            << message();
    }
    void finalize() { EXPECT_EQ(xbatchTaskGraphFinalize(handle_, graph_), XBATCH_STATUS_SUCCESS) << message(); }
    // Every type, up to 15, by one body
    xbatchStatus_t run(xbatchTaskBody_t body, void *user, int threads = 1) {
        const std::vector<xbatchTaskBody_t> bodies(16, body);
        EXPECT_EQ(xbatchSetThreadCount(handle_, threads), XBATCH_STATUS_SUCCESS);
        return xbatchTaskGraphRun(handle_, graph_, bodies.data(), int(bodies.size()), user);
    }
    const char *message() const { return xbatchGetLastErrorMessage(handle_); }

private:
    xbatchHandle_t handle_;
    xbatchTaskGraph_t graph_ = nullptr;
};

struct Use {
    int64_t resource;
    bool writes;
};

// Tasks in program order, and what each uses
struct Program {
    std::vector<std::vector<Use>> uses;
    std::vector<int> types;
    std::vector<double> costs;

    int64_t size() const { return int64_t(uses.size()); }
    void add(int type, std::vector<Use> used, double cost = 1) {
        types.push_back(type), uses.push_back(std::move(used)), costs.push_back(cost);
    }
    // The definition: two tasks conflict if one of them writes what the other uses.
    bool conflict(int64_t a, int64_t b) const {
        for (const Use &x : uses[size_t(a)])
            for (const Use &y : uses[size_t(b)])
                if (x.resource == y.resource && (x.writes || y.writes)) return true;
        return false;
    }
};

inline Program random_program(Random &random, int64_t tasks, int64_t resources) {
    Program program;
    for (int64_t t = 0; t < tasks; ++t) {
        std::vector<Use> used;
        for (uint64_t k = random.bits() % 4; k-- > 0;)
            used.push_back({int64_t(random.bits() % uint64_t(resources)), random.bits() % 3 == 0});
        program.add(int(random.bits() % 4), used, double(random.bits() % 8));
    }
    return program;
}

// Tiled QR with a flat tree, as the library's own: R and V of a diagonal tile are different data.
enum TileTask { GEQRT = 0, UNMQR = 1, TSQRT = 2, TSMQR = 3 };
inline Program qr_program(int64_t p, int64_t q) {
    Program program;
    const auto tile = [&](int64_t i, int64_t j) { return i * q + j; };
    const auto lower = [&](int64_t k) { return p * q + k; };
    for (int64_t k = 0; k < std::min(p, q); ++k) {
        program.add(GEQRT, {{tile(k, k), true}, {lower(k), true}});
        for (int64_t j = k + 1; j < q; ++j) program.add(UNMQR, {{lower(k), false}, {tile(k, j), true}});
        for (int64_t i = k + 1; i < p; ++i) {
            program.add(TSQRT, {{tile(k, k), true}, {tile(i, k), true}});
            for (int64_t j = k + 1; j < q; ++j)
                program.add(TSMQR, {{tile(i, k), false}, {tile(k, j), true}, {tile(i, j), true}});
        }
    }
    return program;
}

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// What must wait for what, less what follows from the rest: the transitive reduction of all conflicts.
inline Pairs needed_pairs(const Program &program) {
    const int64_t n = program.size();
    std::vector<std::vector<bool>> is_before(size_t(n), std::vector<bool>(size_t(n), false));  // [b][a]
    Pairs needed;
    for (int64_t b = 0; b < n; ++b)
        for (int64_t a = b - 1; a >= 0; --a) {
            if (is_before[size_t(b)][size_t(a)] || !program.conflict(a, b)) continue;
            needed.push_back({a, b});
            is_before[size_t(b)][size_t(a)] = true;
            for (int64_t c = 0; c < a; ++c)
                if (is_before[size_t(a)][size_t(c)]) is_before[size_t(b)][size_t(c)] = true;
        }
    return needed;
}

// Runs of a program whose every access is checked by version stamps: how often a datum has been written, and read
// since.
class StampChecker {
public:
    StampChecker(const Program &program, int64_t resources, uint64_t delays)
        : program_(program), expected_(size_t(program.size())), stamps_(size_t(resources)), delays_(delays) {
        std::vector<Stamp> now(static_cast<size_t>(resources));
        for (int64_t t = 0; t < program.size(); ++t) {
            for (const auto &[resource, writes] : merged(t)) {
                Stamp &stamp = now[size_t(resource)];
                expected_[size_t(t)].push_back({resource, writes, stamp});
                if (writes)
                    ++stamp.version, stamp.reads = 0;
                else
                    ++stamp.reads;
            }
        }
    }
    // A task's argument block holds its number.
    static int body(const void *args, void *user, int) {
        return static_cast<StampChecker *>(user)->check(*static_cast<const int64_t *>(args));
    }
    void begin() {
        for (auto &stamp : stamps_) stamp.version = 0, stamp.reads = 0;
        wrong_ = 0, tasks_run_ = 0;
    }
    int64_t wrong() const { return wrong_; }
    int64_t tasks_run() const { return tasks_run_; }

private:
    struct Stamp {
        int64_t version = 0, reads = 0;
    };
    struct AtomicStamp {
        std::atomic<int64_t> version{0}, reads{0};
    };
    struct Expected {
        int64_t resource;
        bool writes;
        Stamp stamp;
    };

    std::map<int64_t, bool> merged(int64_t t) const {
        std::map<int64_t, bool> uses;
        for (const Use &use : program_.uses[size_t(t)]) uses[use.resource] |= use.writes;
        return uses;
    }
    bool is_right(const Expected &e) const {
        const AtomicStamp &now = stamps_[size_t(e.resource)];
        return now.version == e.stamp.version && (!e.writes || now.reads == e.stamp.reads);
    }
    int check(int64_t t) {
        ++tasks_run_;
        for (const Expected &e : expected_[size_t(t)]) wrong_ += !is_right(e);
        if (delays_ > 0) {  // some tasks take long, some wait for nothing
            const uint64_t microseconds = Random(delays_ + uint64_t(t)).bits() % 4 * 20;
            const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
            while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
        }
        for (const Expected &e : expected_[size_t(t)]) {
            wrong_ += !is_right(e);
            AtomicStamp &stamp = stamps_[size_t(e.resource)];
            if (e.writes)
                stamp.reads = 0, ++stamp.version;
            else
                ++stamp.reads;
        }
        return 0;
    }

    const Program &program_;
    std::vector<std::vector<Expected>> expected_;
    std::vector<AtomicStamp> stamps_;
    uint64_t delays_;
    std::atomic<int64_t> wrong_{0}, tasks_run_{0};
};

// The program's tasks, with their numbers as arguments
inline void add_tasks(Graph &graph, const Program &program, const std::vector<double> &costs) {
    for (int64_t t = 0; t < program.size(); ++t)
        EXPECT_EQ(graph.add(program.types[size_t(t)], costs[size_t(t)], &t, sizeof t), t);
}

// Dependencies inferred by the library; accesses are told from the last task to the first.
inline std::unique_ptr<Graph> inferred(xbatchHandle_t handle, const Program &program,
                                       const std::vector<double> &costs) {
    auto graph = std::make_unique<Graph>(handle);
    add_tasks(*graph, program, costs);
    for (int64_t t = program.size(); t-- > 0;)
        for (const Use &use : program.uses[size_t(t)])
            graph->access(t, use.resource, use.writes ? XBATCH_TASK_WRITE : XBATCH_TASK_READ);
    graph->finalize();
    return graph;
}

// Dependencies told, but for one
inline std::unique_ptr<Graph> told(xbatchHandle_t handle, const Program &program, const Pairs &pairs, size_t without,
                                   const std::vector<double> &costs) {
    auto graph = std::make_unique<Graph>(handle);
    add_tasks(*graph, program, costs);
    for (size_t k = 0; k < pairs.size(); ++k)
        if (k != without) graph->depend(pairs[k].first, pairs[k].second);
    graph->finalize();
    return graph;
}

}  // namespace xbatch_test
