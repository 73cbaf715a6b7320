// task_graph.cpp: the cost of a task: graphs whose tasks only count themselves; peer: OpenMP's tasks.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <atomic>
#include <memory>

#include "session.hpp"

namespace bench {
namespace {

// A grid of tasks, each depending on the one above it and the one before it: 1 x n is a chain; if `is_loose`, none
// depends on another.
struct Grid {
    const char *name;
    int64_t rows, columns;
    bool is_loose = false;

    int64_t tasks() const { return rows * columns; }
};

using Counts = std::vector<unsigned char>;  // of each task's runs

int count(const void *args, void *user, int) {
    ++(*static_cast<Counts *>(user))[size_t(*static_cast<const int64_t *>(args))];
    return 0;
}

double error_of(const Counts &counts) {
    for (const unsigned char runs : counts)
        if (runs != 1) return 1;
    return 0;
}

class Graph {
public:
    Graph(xbatchHandle_t handle, const Grid &grid) : handle_(handle) {
        Session::check(handle, xbatchTaskGraphCreate(handle, &graph_));
        for (int64_t t = 0; t < grid.tasks(); ++t) {
            Session::check(handle, xbatchTaskGraphAddTask(handle, graph_, 0, &t, sizeof t, 1, nullptr));
            if (!grid.is_loose && t >= grid.columns) depend(t - grid.columns, t);
            if (!grid.is_loose && t % grid.columns > 0) depend(t - 1, t);
        }
        Session::check(handle, xbatchTaskGraphFinalize(handle, graph_));
    }
    ~Graph() { xbatchTaskGraphDestroy(graph_); }
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;
    void run(Counts &counts, int threads) const {
        const xbatchTaskBody_t bodies[] = {count};
        Session::check(handle_, xbatchSetThreadCount(handle_, threads));
        Session::check(handle_, xbatchTaskGraphRun(handle_, graph_, bodies, 1, &counts));
    }

private:
    void depend(int64_t before, int64_t after) {
        Session::check(handle_, xbatchTaskGraphAddDependency(handle_, graph_, before, after));
    }

    xbatchHandle_t handle_;
    xbatchTaskGraph_t graph_ = nullptr;
};

// OpenMP builds its graph again in each run.
void openmp_tasks(const Grid &grid, Counts &counts) {
    unsigned char *c = counts.data();
    const int64_t columns = grid.columns;
#pragma omp parallel
#pragma omp single
    for (int64_t t = 0; t < grid.tasks(); ++t) {
        const int64_t above = !grid.is_loose && t >= columns ? t - columns : t;
        const int64_t before = !grid.is_loose && t % columns > 0 ? t - 1 : t;
#pragma omp task depend(in : c[above], c[before]) depend(inout : c[t]) firstprivate(t)
        ++c[t];
    }
}

Run measured(const std::shared_ptr<Counts> &counts, const std::function<void(Counts &)> &run) {
    return {[=] { std::fill(counts->begin(), counts->end(), static_cast<unsigned char>(0)); }, [=] { run(*counts); },
            [=] { return error_of(*counts); }};
}

}  // namespace

void task_graph(Session &session) {
#ifdef BENCH_HAVE_CUDA
    if (session.on_cuda()) return task_graph_cuda(session);
#endif
    const int64_t side = session.quick() ? 32 : 512;
    for (const Grid &grid : {Grid{"a chain", 1, side * side}, Grid{"a wavefront", side, side},
                             Grid{"tasks that do not wait", side, side, true}}) {
        const Case which{"task_graph",
                         "TaskGraphRun",
                         XBATCH_R_64F,
                         "graph",
                         grid.tasks(),
                         1,
                         1,
                         grid.name,
                         64.0 * double(grid.tasks()),
                         double(grid.tasks())};
        session.attempt(which, [&] {
            const auto graph = std::make_shared<Graph>(session.handle(), grid);
            const auto counts = std::make_shared<Counts>(size_t(grid.tasks()));
            const auto on = [=](int threads) { return measured(counts, [=](Counts &c) { graph->run(c, threads); }); };
            const std::vector<Peer> peers = {
                {"one thread", [&] { return on(1); }},
                {"OpenMP tasks", [&] { return measured(counts, [=](Counts &c) { openmp_tasks(grid, c); }); }}};
            session.measure(which, on(0), peers, 0);
        });
    }
}

}  // namespace bench
