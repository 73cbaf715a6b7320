// test_task_graph.cpp: graphs of tasks. Every argument made invalid in turn; cycles; inferred dependencies compared
// with all conflicting pairs; order, statistics, failures, traces.
//
// The checker of support/fixtures/task_graph.hpp stamps every datum with its versions. Each necessary dependency of a
// graph is omitted once, with costs that schedule the second task first wherever that is allowed: the checker must
// detect it. With the same costs it must find no error in the complete graph.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>

#include "support/fixtures/task_graph.hpp"

namespace xbatch_test {
namespace {

class TaskGraph : public testing::Test {
protected:
    TaskGraph() : handle_(XBATCH_BACKEND_HOST) {}

    void expect_refused(xbatchStatus_t status, const std::string &words) {
        EXPECT_EQ(status, XBATCH_STATUS_INVALID_VALUE);
        EXPECT_EQ(std::string(handle_.message()).substr(0, words.size()), words) << "in: " << handle_.message();
    }

    Handle handle_;
};

int nothing(const void *, void *, int) { return 0; }

constexpr int threads_tried[] = {1, 2, 3, 8};

TEST_F(TaskGraph, WrongArguments) {
    expect_refused(xbatchTaskGraphCreate(handle_, nullptr), "xbatchTaskGraphCreate: argument 1, graph");
    Graph graph(handle_);
    const int64_t a = graph.add(0), b = graph.add(1);
    int64_t task = 77;
    const auto add = [&](xbatchTaskGraph_t g, int type, const void *args, size_t bytes, double cost) {
        return xbatchTaskGraphAddTask(handle_, g, type, args, bytes, cost, &task);
    };
    const std::string name = "xbatchTaskGraphAddTask: argument ";
    expect_refused(add(nullptr, 0, nullptr, 0, 1), name + "1, graph");
    for (int type : {-1, INT32_MIN, XBATCH_TASK_MAX_TYPE + 1})
        expect_refused(add(graph, type, nullptr, 0, 1), name + "2, type");
    expect_refused(add(graph, 0, nullptr, 1, 1), name + "3, args");
    for (size_t bytes : {size_t(65), SIZE_MAX}) expect_refused(add(graph, 0, &a, bytes, 1), name + "4, argBytes");
    for (double cost : {-1.0, double(NAN), double(INFINITY)})
        expect_refused(add(graph, 0, nullptr, 0, cost), name + "5, cost");
    EXPECT_EQ(task, 77);
    EXPECT_EQ(xbatchTaskGraphAddTask(handle_, graph, 2, nullptr, 0, 0, nullptr), XBATCH_STATUS_SUCCESS);

    const auto depend = [&](xbatchTaskGraph_t g, int64_t before, int64_t after) {
        return xbatchTaskGraphAddDependency(handle_, g, before, after);
    };
    expect_refused(depend(nullptr, a, b), "xbatchTaskGraphAddDependency: argument 1, graph");
    for (int64_t wrong : {int64_t(-1), INT64_MIN, int64_t(3), INT64_MAX}) {
        expect_refused(depend(graph, wrong, b), "xbatchTaskGraphAddDependency: argument 2, before");
        expect_refused(depend(graph, a, wrong), "xbatchTaskGraphAddDependency: argument 3, after");
        expect_refused(xbatchTaskGraphAddAccess(handle_, graph, wrong, 0, XBATCH_TASK_READ),
                       "xbatchTaskGraphAddAccess: argument 2, task");
    }
    expect_refused(depend(graph, a, a), "xbatchTaskGraphAddDependency: argument 3, after");
    expect_refused(xbatchTaskGraphAddAccess(handle_, nullptr, a, 0, XBATCH_TASK_READ),
                   "xbatchTaskGraphAddAccess: argument 1, graph");
    for (int wrong : {2, 99, -1, INT32_MIN})
        expect_refused(xbatchTaskGraphAddAccess(handle_, graph, a, 0, static_cast<xbatchTaskAccess_t>(wrong)),
                       "xbatchTaskGraphAddAccess: argument 4, access");
    expect_refused(xbatchTaskGraphFinalize(handle_, nullptr), "xbatchTaskGraphFinalize: argument 1, graph");
}

// Functions for final graphs refuse others, and the reverse; NULL for each argument.
TEST_F(TaskGraph, WrongArgumentsOfFinalGraphs) {
    const xbatchTaskBody_t bodies[] = {nothing, nullptr, nothing};
    const auto expect_all_refused = [&](xbatchTaskGraph_t g) {
        expect_refused(xbatchTaskGraphGetStatistics(handle_, g, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
                       "xbatchTaskGraphGetStatistics: argument 1, graph");
        expect_refused(xbatchTaskGraphRun(handle_, g, bodies, 3, nullptr), "xbatchTaskGraphRun: argument 1, graph");
        expect_refused(xbatchTaskGraphSetTrace(handle_, g, 1), "xbatchTaskGraphSetTrace: argument 1, graph");
        expect_refused(xbatchTaskGraphWriteTrace(handle_, g, "/dev/null", nullptr, 0),
                       "xbatchTaskGraphWriteTrace: argument 1, graph");
    };
    Graph graph(handle_);
    graph.add(0), graph.add(2);
    expect_all_refused(nullptr);
    expect_all_refused(graph);
    expect_refused(xbatchTaskGraphGetFailure(handle_, nullptr, nullptr, nullptr),
                   "xbatchTaskGraphGetFailure: argument 1, graph");
    EXPECT_EQ(xbatchTaskGraphGetFailure(handle_, graph, nullptr, nullptr), XBATCH_STATUS_SUCCESS);
    graph.finalize();
    expect_refused(xbatchTaskGraphFinalize(handle_, graph), "xbatchTaskGraphFinalize: argument 1, graph");
    expect_refused(xbatchTaskGraphAddTask(handle_, graph, 0, nullptr, 0, 1, nullptr),
                   "xbatchTaskGraphAddTask: argument 1, graph");
    expect_refused(xbatchTaskGraphAddDependency(handle_, graph, 0, 1),
                   "xbatchTaskGraphAddDependency: argument 1, graph");
    expect_refused(xbatchTaskGraphAddAccess(handle_, graph, 0, 1, XBATCH_TASK_READ),
                   "xbatchTaskGraphAddAccess: argument 1, graph");
    EXPECT_EQ(xbatchTaskGraphGetStatistics(handle_, graph, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
              XBATCH_STATUS_SUCCESS);

    expect_refused(xbatchTaskGraphRun(handle_, graph, nullptr, 3, nullptr), "xbatchTaskGraphRun: argument 2, bodies");
    expect_refused(xbatchTaskGraphRun(handle_, graph, bodies, -1, nullptr), "xbatchTaskGraphRun: argument 3, types");
    expect_refused(xbatchTaskGraphRun(handle_, graph, bodies, 2, nullptr),
                   "xbatchTaskGraphRun: argument 3, types = 2, must be more than the type of task 1, 2");
    expect_refused(xbatchTaskGraphRun(handle_, graph, bodies + 1, 3, nullptr),
                   "xbatchTaskGraphRun: argument 2, bodies[0] = NULL, must be the body of task 0");
    EXPECT_EQ(xbatchTaskGraphRun(handle_, graph, bodies, 3, nullptr), XBATCH_STATUS_SUCCESS);
    for (int wrong : {-1, 2})
        expect_refused(xbatchTaskGraphSetTrace(handle_, graph, wrong), "xbatchTaskGraphSetTrace: argument 2, enabled");
    EXPECT_EQ(xbatchTaskGraphSetTrace(handle_, graph, 1), XBATCH_STATUS_SUCCESS);
    expect_refused(xbatchTaskGraphWriteTrace(handle_, graph, "/dev/null", nullptr, 0),
                   "xbatchTaskGraphWriteTrace: argument 1, graph");  // not run since
    EXPECT_EQ(graph.run(nothing, nullptr), XBATCH_STATUS_SUCCESS);
    expect_refused(xbatchTaskGraphWriteTrace(handle_, graph, nullptr, nullptr, 0),
                   "xbatchTaskGraphWriteTrace: argument 2, path");
    expect_refused(xbatchTaskGraphWriteTrace(handle_, graph, "/no/such/folder/trace", nullptr, 0),
                   "xbatchTaskGraphWriteTrace: argument 2, path");
    expect_refused(xbatchTaskGraphWriteTrace(handle_, graph, "/dev/null", nullptr, -1),
                   "xbatchTaskGraphWriteTrace: argument 4, types");
}

TEST_F(TaskGraph, NoHandle) {
    xbatchTaskGraph_t made = reinterpret_cast<xbatchTaskGraph_t>(&made);
    EXPECT_EQ(xbatchTaskGraphCreate(nullptr, &made), XBATCH_STATUS_INVALID_HANDLE);
    EXPECT_EQ(made, nullptr);
    Graph graph(handle_);
    constexpr auto invalid = XBATCH_STATUS_INVALID_HANDLE;
    EXPECT_EQ(xbatchTaskGraphAddTask(nullptr, graph, 0, nullptr, 0, 1, nullptr), invalid);
    EXPECT_EQ(xbatchTaskGraphAddDependency(nullptr, graph, 0, 1), invalid);
    EXPECT_EQ(xbatchTaskGraphAddAccess(nullptr, graph, 0, 1, XBATCH_TASK_READ), invalid);
    EXPECT_EQ(xbatchTaskGraphFinalize(nullptr, graph), invalid);
    EXPECT_EQ(xbatchTaskGraphGetStatistics(nullptr, graph, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
              invalid);
    EXPECT_EQ(xbatchTaskGraphRun(nullptr, graph, nullptr, 0, nullptr), invalid);
    EXPECT_EQ(xbatchTaskGraphGetFailure(nullptr, graph, nullptr, nullptr), invalid);
    EXPECT_EQ(xbatchTaskGraphSetTrace(nullptr, graph, 0), invalid);
    EXPECT_EQ(xbatchTaskGraphWriteTrace(nullptr, graph, "/dev/null", nullptr, 0), invalid);
    size_t bytes = 0;
    EXPECT_EQ(xbatchTaskGraphUpload_bufferSize(nullptr, graph, &bytes), invalid);
    EXPECT_EQ(xbatchTaskGraphUpload(nullptr, graph, nullptr, 0), invalid);
    EXPECT_EQ(xbatchTaskGraphPrepare(nullptr, graph, nullptr, nullptr, 0), invalid);
    EXPECT_EQ(xbatchTaskGraphSynchronize(nullptr, graph, nullptr), invalid);
    EXPECT_EQ(xbatchTaskGraphDestroy(nullptr), XBATCH_STATUS_SUCCESS);
}

// Graphs are independent of backends: one built with a CUDA handle is the same. Only the C functions that run bodies
// need a host handle.
TEST(TaskGraphCuda, BuiltWithEitherHandle) {
    Handle device(XBATCH_BACKEND_CUDA), host(XBATCH_BACKEND_HOST);
    XBATCH_NEEDS(device);
    Graph graph(device);
    graph.add(0), graph.add(0);
    graph.depend(1, 0);
    graph.finalize();
    const xbatchTaskBody_t bodies[] = {nothing};
    EXPECT_EQ(xbatchTaskGraphRun(device, graph, bodies, 1, nullptr), XBATCH_STATUS_NOT_SUPPORTED);
    EXPECT_EQ(xbatchTaskGraphRun(host, graph, bodies, 1, nullptr), XBATCH_STATUS_SUCCESS) << host.message();
}

struct Statistics {
    int64_t tasks, edges, levels, width;
    double total, path;
};

Statistics statistics(xbatchHandle_t handle, const Graph &graph) {
    Statistics s{};
    EXPECT_EQ(xbatchTaskGraphGetStatistics(handle, graph, &s.tasks, &s.edges, &s.levels, &s.width, &s.total, &s.path),
              XBATCH_STATUS_SUCCESS);
    return s;
}

void expect_statistics(const Statistics &s, const Statistics &expected) {
    EXPECT_EQ(s.tasks, expected.tasks);
    EXPECT_EQ(s.edges, expected.edges);
    EXPECT_EQ(s.levels, expected.levels);
    EXPECT_EQ(s.width, expected.width);
    EXPECT_EQ(s.total, expected.total);
    EXPECT_EQ(s.path, expected.path);
}

TEST_F(TaskGraph, Statistics) {
    Graph empty(handle_), diamond(handle_), loose(handle_);
    empty.finalize();
    expect_statistics(statistics(handle_, empty), {0, 0, 0, 0, 0, 0});
    for (int threads : threads_tried) EXPECT_EQ(empty.run(nothing, nullptr, threads), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(xbatchTaskGraphRun(handle_, empty, nullptr, 0, nullptr), XBATCH_STATUS_SUCCESS);

    for (double cost : {1, 2, 5, 1}) diamond.add(0, cost);
    for (int twice = 0; twice < 2; ++twice)  // duplicates count once
        diamond.depend(0, 1), diamond.depend(0, 2), diamond.depend(1, 3), diamond.depend(2, 3);
    diamond.finalize();
    expect_statistics(statistics(handle_, diamond), {4, 4, 3, 2, 9, 7});

    for (int k = 0; k < 7; ++k) loose.add(k, 0.5);
    loose.finalize();
    expect_statistics(statistics(handle_, loose), {7, 0, 1, 7, 3.5, 0.5});
}

// Expected edges: read after write, write after read, write after write, none between readers; a task that reads and
// writes waits once and does not wait for itself.
TEST_F(TaskGraph, InferredEdges) {
    const auto edges = [&](const std::vector<std::pair<int64_t, xbatchTaskAccess_t>> &accesses, int64_t tasks) {
        Graph graph(handle_);
        for (int64_t t = 0; t < tasks; ++t) graph.add(0);
        for (const auto &[task, access] : accesses) graph.access(task, -5, access);
        graph.finalize();
        return statistics(handle_, graph).edges;
    };
    constexpr auto R = XBATCH_TASK_READ, W = XBATCH_TASK_WRITE;
    EXPECT_EQ(edges({{0, W}, {1, R}}, 2), 1);
    EXPECT_EQ(edges({{0, R}, {1, W}}, 2), 1);
    EXPECT_EQ(edges({{0, W}, {1, W}}, 2), 1);
    EXPECT_EQ(edges({{0, R}, {1, R}}, 2), 0);
    EXPECT_EQ(edges({{0, W}, {1, R}, {1, W}, {1, R}, {2, R}}, 3), 2);
    EXPECT_EQ(edges({{0, W}, {1, R}, {2, R}, {3, W}}, 4), 4);
    EXPECT_EQ(edges({{3, W}, {2, R}, {1, R}, {0, W}}, 4), 4) << "the order in which accesses are declared";
}

// The longest chain of conflicting pairs, by definition
int64_t longest_chain(const Program &program) {
    std::vector<int64_t> chain(size_t(program.size()), 1);
    for (int64_t b = 0; b < program.size(); ++b)
        for (int64_t a = 0; a < b; ++a)
            if (program.conflict(a, b)) chain[size_t(b)] = std::max(chain[size_t(b)], chain[size_t(a)] + 1);
    return chain.empty() ? 0 : *std::max_element(chain.begin(), chain.end());
}

// Costs by which b precedes all tasks that it does not depend on
std::vector<double> in_favour_of(int64_t b, int64_t tasks) {
    std::vector<double> costs(size_t(tasks), 1);
    costs[size_t(b)] = 1e6;
    return costs;
}

struct Checked {
    Program program;
    int64_t resources;
    bool is_qr = false;
};
std::vector<Checked> checked_programs() {
    std::vector<Checked> programs;
    for (const auto &[p, q] : {std::pair<int64_t, int64_t>{1, 1}, {3, 3}, {4, 3}, {3, 4}, {2, 2}})
        programs.push_back({qr_program(p, q), p * q + std::min(p, q), true});
    Random random(5);
    for (int k = 0; k < 8; ++k) programs.push_back({random_program(random, 30, 2 + 3 * k), 2 + 3 * k});
    return programs;
}

TEST_F(TaskGraph, InferenceIsThatOfAllConflicts) {
    for (const auto &[program, resources, is_qr] : checked_programs()) {
        EXPECT_EQ(statistics(handle_, *inferred(handle_, program, program.costs)).levels, longest_chain(program));
        for (const auto &[a, b] : needed_pairs(program)) {
            SCOPED_TRACE(testing::Message() << "tasks " << a << " and " << b);
            const auto graph = inferred(handle_, program, in_favour_of(b, program.size()));
            StampChecker checker(program, resources, 0);
            EXPECT_EQ(graph->run(StampChecker::body, &checker), XBATCH_STATUS_SUCCESS);
            EXPECT_EQ(checker.wrong(), 0);
            EXPECT_EQ(checker.tasks_run(), program.size());
        }
    }
}

// Each necessary dependency is omitted once.
TEST_F(TaskGraph, TheCheckerSeesEveryDependencyLeftOut) {
    std::set<std::pair<int, int>> kinds;  // of the edges of tiled QR
    for (const auto &[program, resources, is_qr] : checked_programs()) {
        const Pairs pairs = needed_pairs(program);
        for (size_t k = 0; k <= pairs.size(); ++k) {  // the last time none is omitted
            const auto [a, b] = k < pairs.size() ? pairs[k] : std::pair<int64_t, int64_t>{0, 0};
            SCOPED_TRACE(testing::Message() << "tasks " << a << " and " << b);
            const auto graph = explicit_graph(handle_, program, pairs, k, in_favour_of(b, program.size()));
            StampChecker checker(program, resources, 0);
            EXPECT_EQ(graph->run(StampChecker::body, &checker), XBATCH_STATUS_SUCCESS);
            EXPECT_EQ(checker.wrong() > 0, k < pairs.size());
            if (is_qr) kinds.insert({program.types[size_t(a)], program.types[size_t(b)]});
        }
    }
    // Both chains down a column, which are easily forgotten
    EXPECT_TRUE(kinds.count({TSMQR, TSMQR}));
    EXPECT_TRUE(kinds.count({TSQRT, TSQRT}));
}

// Random costs give random topological orders; random delays and threads give random schedules of each.
TEST_F(TaskGraph, SchedulesOfAllKinds) {
    Random random(11);
    for (int round = 0; round < 6; ++round)
        for (const auto &[program, resources, is_qr] :
             {Checked{qr_program(4, 3), 15}, {random_program(random, 60, 9), 9}}) {
            std::vector<double> costs;
            for (int64_t t = 0; t < program.size(); ++t) costs.push_back(double(random.bits() % 100));
            const auto graph = inferred(handle_, program, costs);
            for (int threads : threads_tried) {
                StampChecker checker(program, resources, random.bits() | 1);
                for (int again = 0; again < 2; ++again) {
                    checker.begin();
                    EXPECT_EQ(graph->run(StampChecker::body, &checker, threads), XBATCH_STATUS_SUCCESS);
                    EXPECT_EQ(checker.wrong(), 0) << threads << " threads";
                    EXPECT_EQ(checker.tasks_run(), program.size());
                }
            }
        }
}

// Plain data, so that ThreadSanitizer detects missing order: each task computes its outputs from all that it uses.
struct Mixing {
    const Program &program;
    std::vector<uint64_t> data;

    Mixing(const Program &p, int64_t resources) : program(p), data(size_t(resources), 1) {}
    void mix(int64_t t) {
        uint64_t sum = uint64_t(t) + 1;
        for (const Use &use : program.uses[size_t(t)]) sum = sum * 6364136223846793005u + data[size_t(use.resource)];
        for (const Use &use : program.uses[size_t(t)])
            if (use.writes) data[size_t(use.resource)] = Random(sum ^ uint64_t(use.resource)).bits();
    }
    static int body(const void *args, void *user, int) {
        static_cast<Mixing *>(user)->mix(*static_cast<const int64_t *>(args));
        return 0;
    }
};

TEST_F(TaskGraph, TheSameBitsHoweverManyThreads) {
    Random random(3);
    for (int round = 0; round < 10; ++round) {
        const Program program = random_program(random, 500, 20 + 20 * round);
        const int64_t resources = 20 + 20 * round;
        Mixing expected(program, resources);
        for (int64_t t = 0; t < program.size(); ++t) expected.mix(t);  // program order
        const auto graph = inferred(handle_, program, program.costs);
        for (int threads : threads_tried)
            for (int again = 0; again < 3; ++again) {
                Mixing mixing(program, resources);
                EXPECT_EQ(graph->run(Mixing::body, &mixing, threads), XBATCH_STATUS_SUCCESS);
                EXPECT_EQ(mixing.data, expected.data) << threads << " threads";
            }
    }
}

// The serial order: the longest path first, among equals the task added first, none before one it waits for.
TEST_F(TaskGraph, OrderByLongestPath) {
    const auto order = [&](const std::vector<double> &costs, const Pairs &pairs) {
        Graph graph(handle_);
        for (int64_t t = 0; t < int64_t(costs.size()); ++t) graph.add(0, costs[size_t(t)], &t, sizeof t);
        for (const auto &[a, b] : pairs) graph.depend(a, b);
        graph.finalize();
        std::vector<int64_t> seen;
        const auto body = [](const void *args, void *user, int worker) {
            static_cast<std::vector<int64_t> *>(user)->push_back(*static_cast<const int64_t *>(args));
            return worker;  // 0: the caller's thread
        };
        EXPECT_EQ(graph.run(body, &seen), XBATCH_STATUS_SUCCESS);
        return seen;
    };
    EXPECT_EQ(order({1, 3, 2, 3}, {}), (std::vector<int64_t>{1, 3, 2, 0}));
    EXPECT_EQ(order({1, 2, 9}, {{0, 2}}), (std::vector<int64_t>{0, 2, 1}));
    EXPECT_EQ(order({0, 0, 0, 0}, {{3, 0}, {2, 3}}), (std::vector<int64_t>{1, 2, 3, 0}));
}

// The arguments are copied, aligned to 16, and followed by zeros; the user's pointer is passed on.
TEST_F(TaskGraph, ArgumentsAreCopied) {
    Graph graph(handle_);
    unsigned char given[XBATCH_TASK_MAX_ARGS];
    for (size_t bytes = 0; bytes <= sizeof given; ++bytes) {
        std::memset(given, int(bytes), sizeof given);
        graph.add(0, 1, given, bytes);
    }
    std::memset(given, 99, sizeof given);
    graph.finalize();
    int seen = 0;
    const auto body = [](const void *args, void *user, int) {
        const auto *block = static_cast<const unsigned char *>(args);
        const int bytes = (*static_cast<int *>(user))++;
        bool is_right = reinterpret_cast<uintptr_t>(args) % 16 == 0;
        for (int k = 0; k < XBATCH_TASK_MAX_ARGS; ++k) is_right = is_right && block[k] == (k < bytes ? bytes : 0);
        return is_right ? 0 : 1;
    };
    EXPECT_EQ(graph.run(body, &seen), XBATCH_STATUS_SUCCESS) << handle_.message();
    EXPECT_EQ(seen, XBATCH_TASK_MAX_ARGS + 1);
}

TEST_F(TaskGraph, Cycles) {
    for (int64_t length : {2, 3, 10}) {
        Graph graph(handle_);
        for (int64_t t = 0; t < 30; ++t) graph.add(0);
        for (int64_t t = 0; t < 29; ++t) graph.depend(t, t + 1);
        graph.depend(9 + length, 10);  // 10 … 9 + length in a ring
        EXPECT_EQ(xbatchTaskGraphFinalize(handle_, graph), XBATCH_STATUS_INVALID_VALUE);
        int after = -1, before = -1, again = -1;
        EXPECT_EQ(std::sscanf(handle_.message(),
                              "xbatchTaskGraphFinalize: argument 1, graph, has a cycle: task %d waits for task %d, "
                              "which waits for task %d in turn",
                              &after, &before, &again),
                  3)
            << handle_.message();
        EXPECT_EQ(after, again);
        for (int task : {after, before}) EXPECT_TRUE(task >= 10 && task < 10 + length) << task << " is not on it";
        EXPECT_EQ(after, before == 9 + length ? 10 : before + 1) << "which waits directly";
        expect_refused(graph.run(nothing, nullptr), "xbatchTaskGraphRun: argument 1, graph");
    }
    Graph mixed(handle_);  // explicit dependency against program order, inferred one with it
    mixed.add(0), mixed.add(0);
    mixed.access(0, 1, XBATCH_TASK_WRITE), mixed.access(1, 1, XBATCH_TASK_READ), mixed.depend(1, 0);
    expect_refused(xbatchTaskGraphFinalize(handle_, mixed), "xbatchTaskGraphFinalize: argument 1, graph, has a cycle");
}

// Tasks whose number is in `failing` fail with 100 + their number.
struct Failing {
    std::set<int64_t> failing;
    std::vector<std::atomic<int>> runs;

    Failing(std::set<int64_t> f, int64_t tasks) : failing(std::move(f)), runs(size_t(tasks)) {}
    static int body(const void *args, void *user, int) {
        const int64_t t = *static_cast<const int64_t *>(args);
        auto &self = *static_cast<Failing *>(user);
        ++self.runs[size_t(t)];
        return self.failing.count(t) ? int(100 + t) : 0;
    }
};

// Whatever the schedule, the reported task is the first that fails in a serial run; all before it in the order have
// run, and none that waits for it; the next run is not affected.
TEST_F(TaskGraph, FailingTasks) {
    constexpr int64_t chains = 4, length = 25, tasks = chains * length;
    Graph graph(handle_);
    for (int64_t t = 0; t < tasks; ++t) graph.add(3, 1, &t, sizeof t);
    for (int64_t t = chains; t < tasks; ++t) graph.depend(t - chains, t);
    graph.finalize();
    const auto expect_failure = [&](int64_t task, int code) {
        int64_t failed = 77;
        int returned = 77;
        EXPECT_EQ(xbatchTaskGraphGetFailure(handle_, graph, &failed, &returned), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(failed, task);
        EXPECT_EQ(returned, code);
    };
    expect_failure(-1, 0);
    for (int threads : threads_tried)
        for (int again = 0; again < 20; ++again) {
            Failing some({41, 43, 60, 99}, tasks), none({}, tasks);
            EXPECT_EQ(graph.run(Failing::body, &some, threads), XBATCH_STATUS_EXECUTION_FAILED);
            EXPECT_STREQ(handle_.message(), "xbatchTaskGraphRun: task 41 of type 3 failed with code 141");
            expect_failure(41, 141);
            for (int64_t t = 0; t <= 41; ++t) EXPECT_EQ(some.runs[size_t(t)], 1) << t;
            for (int64_t t = 45; t < tasks; t += chains) EXPECT_EQ(some.runs[size_t(t)], 0) << t;
            EXPECT_EQ(graph.run(Failing::body, &none, threads), XBATCH_STATUS_SUCCESS);
            expect_failure(-1, 0);
            for (int64_t t = 0; t < tasks; ++t) EXPECT_EQ(none.runs[size_t(t)], 1) << t;
        }
}

TEST_F(TaskGraph, ARunWithinItself) {
    struct Inner {
        Handle handle{XBATCH_BACKEND_HOST};
        Graph graph{handle};
    } inner;
    inner.graph.add(0);
    inner.graph.finalize();
    const auto body = [](const void *, void *user, int) {
        Inner &self = *static_cast<Inner *>(user);
        const xbatchTaskBody_t bodies[] = {nothing};
        EXPECT_EQ(xbatchTaskGraphRun(self.handle, self.graph, bodies, 1, user), XBATCH_STATUS_INVALID_VALUE);
        EXPECT_EQ(xbatchTaskGraphDestroy(self.graph), XBATCH_STATUS_INVALID_VALUE);
        return 0;
    };
    EXPECT_EQ(inner.graph.run(body, &inner), XBATCH_STATUS_SUCCESS);
}

// Different graphs on different threads
TEST_F(TaskGraph, TwoGraphsOnTwoThreads) {
    std::vector<std::thread> threads;
    for (uint64_t seed : {1, 2})
        threads.emplace_back([seed] {
            Handle own(XBATCH_BACKEND_HOST);
            Random random(seed);
            const Program program = random_program(random, 300, 40);
            const auto graph = inferred(own, program, program.costs);
            Mixing expected(program, 40);
            for (int64_t t = 0; t < program.size(); ++t) expected.mix(t);
            for (int again = 0; again < 10; ++again) {
                Mixing mixing(program, 40);
                EXPECT_EQ(graph->run(Mixing::body, &mixing, 2), XBATCH_STATUS_SUCCESS);
                EXPECT_EQ(mixing.data, expected.data);
            }
        });
    for (std::thread &thread : threads) thread.join();
}

int count(const void *, void *user, int) {
    ++*static_cast<std::atomic<int64_t> *>(user);
    return 0;
}

void run_large(xbatchHandle_t handle, int64_t tasks) {
    Graph chain(handle), star(handle), loose(handle);
    for (int64_t t = 0; t < tasks; ++t) {
        chain.add(0), star.add(0), loose.add(0);
        if (t > 0) chain.depend(t, t - 1), star.depend(0, t);
    }
    for (Graph *graph : {&chain, &star, &loose}) {
        graph->finalize();
        for (int threads : {1, 2}) {
            std::atomic<int64_t> runs{0};
            EXPECT_EQ(graph->run(count, &runs, threads), XBATCH_STATUS_SUCCESS);
            EXPECT_EQ(runs, tasks);
        }
    }
    const double n = double(tasks);
    expect_statistics(statistics(handle, chain), {tasks, tasks - 1, tasks, 1, n, n});
    expect_statistics(statistics(handle, star), {tasks, tasks - 1, 2, tasks - 1, n, 2});
}

TEST_F(TaskGraph, ManyTasks) { run_large(handle_, 20000); }
TEST_F(TaskGraph, ManyTasksFull) { run_large(handle_, 1000000); }

struct Event {
    char name[64];
    double begin, duration;
    int thread;
    long task;
};

// Every event of a trace is in a line of its own.
std::vector<Event> read_trace(const std::string &path) {
    std::ifstream file(path);
    std::vector<Event> events;
    std::string line, first, last;
    while (std::getline(file, line)) {
        if (first.empty()) first = line;
        last = line;
        Event e{};
        if (std::sscanf(line.c_str(),
                        "{\"name\":\"%63[^,],\"ph\":\"X\",\"ts\":%lf,\"dur\":%lf,\"pid\":0,\"tid\":%d,\"args\":{"
                        "\"task\":%ld}}",
                        e.name, &e.begin, &e.duration, &e.thread, &e.task) == 5)
            events.push_back(e);
    }
    EXPECT_EQ(first, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    EXPECT_EQ(last, "]}");
    return events;
}

TEST_F(TaskGraph, Trace) {
    const std::string path = testing::TempDir() + "xbatch_task_graph_trace.json";
    const Program program = qr_program(3, 2);
    const auto graph = inferred(handle_, program, program.costs);
    ASSERT_EQ(xbatchTaskGraphSetTrace(handle_, *graph, 1), XBATCH_STATUS_SUCCESS);
    StampChecker checker(program, 8, 7);
    ASSERT_EQ(graph->run(StampChecker::body, &checker, 2), XBATCH_STATUS_SUCCESS);
    const char *const names[] = {"geqrt", nullptr, "a \"quoted\\\n"};
    ASSERT_EQ(xbatchTaskGraphWriteTrace(handle_, *graph, path.c_str(), names, 3), XBATCH_STATUS_SUCCESS);
    const std::vector<Event> events = read_trace(path);
    ASSERT_EQ(int64_t(events.size()), program.size());
    const std::string expected[] = {"geqrt\"", "type 1\"", "a \\\"quoted\\\\\\u000a\"", "type 3\""};
    for (size_t t = 0; t < events.size(); ++t) {
        EXPECT_EQ(events[t].task, long(t));
        EXPECT_EQ(events[t].name, expected[program.types[t]]);
        EXPECT_TRUE(events[t].thread == 0 || events[t].thread == 1);
        EXPECT_GE(events[t].begin, 0);
        EXPECT_GE(events[t].duration, 0);
    }
    for (const auto &[a, b] : needed_pairs(program))
        EXPECT_LE(events[size_t(a)].begin + events[size_t(a)].duration, events[size_t(b)].begin + 0.002) << "rounding";

    Failing second({1}, program.size());  // tasks that do not run have no event
    EXPECT_EQ(graph->run(Failing::body, &second), XBATCH_STATUS_EXECUTION_FAILED);
    ASSERT_EQ(xbatchTaskGraphWriteTrace(handle_, *graph, path.c_str(), nullptr, 0), XBATCH_STATUS_SUCCESS);
    int64_t runs = 0;
    for (const auto &count : second.runs) runs += count;
    EXPECT_EQ(int64_t(read_trace(path).size()), runs);
    EXPECT_LT(runs, program.size());
    std::remove(path.c_str());

    ASSERT_EQ(xbatchTaskGraphSetTrace(handle_, *graph, 0), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(graph->run(StampChecker::body, &checker), XBATCH_STATUS_SUCCESS);
    expect_refused(xbatchTaskGraphWriteTrace(handle_, *graph, path.c_str(), nullptr, 0),
                   "xbatchTaskGraphWriteTrace: argument 1, graph");
}

}  // namespace
}  // namespace xbatch_test
