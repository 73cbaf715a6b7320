// task_order.cpp: the dependencies of tasks, and the order in which tasks are taken.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <queue>

#include "task_graph.hpp"

namespace xbatch::task_graph {
namespace {

// Tasks and their successors by number, without duplicates
struct Successors {
    std::vector<int64_t> first;  // [tasks + 1]
    std::vector<int32_t> task;

    Successors(size_t tasks, const std::vector<Dependency> &dependencies) : first(tasks + 1, 0) {
        for (const Dependency &d : dependencies) ++first[size_t(d.before) + 1];
        std::partial_sum(first.begin(), first.end(), first.begin());
        std::vector<int64_t> next(first.begin(), first.end() - 1);
        task.resize(dependencies.size());
        for (const Dependency &d : dependencies) task[size_t(next[size_t(d.before)]++)] = d.after;
        remove_duplicates();
    }
    template <class F>
    void each(int32_t of, F f) const {
        for (int64_t k = first[size_t(of)]; k < first[size_t(of) + 1]; ++k) f(task[size_t(k)]);
    }
    std::vector<int32_t> count_waits() const {
        std::vector<int32_t> waits(first.size() - 1, 0);
        for (const int32_t after : task) ++waits[size_t(after)];
        return waits;
    }

private:
    void remove_duplicates() {
        int64_t kept = 0, begin = 0;
        for (size_t t = 0; t + 1 < first.size(); ++t) {
            const auto from = task.begin() + begin, to = task.begin() + first[t + 1];
            std::sort(from, to);
            const auto last = std::unique(from, to);
            begin = first[t + 1];
            kept = std::move(from, last, task.begin() + kept) - task.begin();
            first[t + 1] = kept;
        }
        task.resize(size_t(kept));
    }
};

// All tasks, each after those it depends on; tasks on or behind a cycle are missing. levels[t] is the length of the
// longest chain that ends with t.
std::vector<int32_t> any_order(const Successors &successors, std::vector<int32_t> &levels) {
    std::vector<int32_t> waits = successors.count_waits(), done;
    done.reserve(waits.size());
    levels.assign(waits.size(), 0);
    for (size_t t = 0; t < waits.size(); ++t)
        if (waits[t] == 0) done.push_back(int32_t(t));
    for (size_t k = 0; k < done.size(); ++k) {
        const int32_t t = done[k];
        successors.each(t, [&](int32_t after) {
            levels[size_t(after)] = std::max(levels[size_t(after)], levels[size_t(t)] + 1);
            if (--waits[size_t(after)] == 0) done.push_back(after);
        });
    }
    return done;
}

// Every task that is missing from the order has a missing predecessor. Following predecessors, the first task visited
// twice is on a cycle.
TaskCycle find_cycle(const Successors &successors, const std::vector<int32_t> &done) {
    const size_t tasks = successors.first.size() - 1;
    std::vector<char> is_stuck(tasks, true);
    for (const int32_t t : done) is_stuck[size_t(t)] = false;
    std::vector<int32_t> before(tasks, -1);
    for (size_t t = 0; t < tasks; ++t)
        if (is_stuck[t]) successors.each(int32_t(t), [&](int32_t after) { before[size_t(after)] = int32_t(t); });
    std::vector<char> was_seen(tasks, false);
    int32_t t = int32_t(std::find(is_stuck.begin(), is_stuck.end(), true) - is_stuck.begin());
    for (; !was_seen[size_t(t)]; t = before[size_t(t)]) was_seen[size_t(t)] = true;
    return {before[size_t(t)], t};
}

// The largest cost of a path from the beginning of each task to an end of the graph
std::vector<double> longest_paths(const std::vector<Task> &tasks, const Successors &successors,
                                  const std::vector<int32_t> &done) {
    std::vector<double> path(tasks.size());
    for (size_t k = done.size(); k-- > 0;) {
        const int32_t t = done[k];
        double behind = 0;
        successors.each(t, [&](int32_t after) { behind = std::max(behind, path[size_t(after)]); });
        path[size_t(t)] = tasks[size_t(t)].cost + behind;
    }
    return path;
}

// Always takes the ready task with the longest path; of equal ones, thus among tasks without cost, the one added first.
std::vector<int32_t> by_path(const Successors &successors, const std::vector<double> &path) {
    const auto is_later = [&](int32_t a, int32_t b) {
        return path[size_t(a)] != path[size_t(b)] ? path[size_t(a)] < path[size_t(b)] : a > b;
    };
    std::priority_queue<int32_t, std::vector<int32_t>, decltype(is_later)> ready(is_later);
    std::vector<int32_t> waits = successors.count_waits(), order;
    order.reserve(waits.size());
    for (size_t t = 0; t < waits.size(); ++t)
        if (waits[t] == 0) ready.push(int32_t(t));
    while (!ready.empty()) {
        order.push_back(ready.top());
        ready.pop();
        successors.each(order.back(), [&](int32_t after) {
            if (--waits[size_t(after)] == 0) ready.push(after);
        });
    }
    return order;
}

// From task numbers to places in the order
void renumber(const Successors &successors, TaskOrder &order) {
    const size_t tasks = order.task.size();
    std::vector<int32_t> place(tasks);
    for (size_t k = 0; k < tasks; ++k) place[size_t(order.task[k])] = int32_t(k);
    const std::vector<int32_t> waits = successors.count_waits();
    order.successors.reserve(successors.task.size());
    order.first.reserve(tasks + 1);
    order.first.push_back(0);
    for (const int32_t t : order.task) {
        order.waits.push_back(waits[size_t(t)]);
        successors.each(t, [&](int32_t after) { order.successors.push_back(place[size_t(after)]); });
        order.first.push_back(int64_t(order.successors.size()));
    }
}

std::vector<TypeInUse> types_in_use(const std::vector<Task> &tasks) {
    std::vector<TypeInUse> types(tasks.size());
    for (size_t t = 0; t < tasks.size(); ++t) types[t] = {tasks[t].type, int32_t(t)};
    std::stable_sort(types.begin(), types.end(), [](TypeInUse a, TypeInUse b) { return a.type < b.type; });
    types.erase(std::unique(types.begin(), types.end(), [](TypeInUse a, TypeInUse b) { return a.type == b.type; }),
                types.end());
    types.shrink_to_fit();
    return types;
}

}  // namespace

void infer_dependencies(std::vector<TaskAccess> accesses, std::vector<Dependency> &dependencies) {
    std::sort(accesses.begin(), accesses.end(), [](const TaskAccess &a, const TaskAccess &b) {
        if (a.resource != b.resource) return a.resource < b.resource;
        return a.task != b.task ? a.task < b.task : a.writes > b.writes;
    });
    int32_t writer = -1;
    std::vector<int32_t> readers;  // since that writer
    for (size_t k = 0; k < accesses.size(); ++k) {
        const TaskAccess &a = accesses[k];
        if (k == 0 || accesses[k - 1].resource != a.resource)
            writer = -1, readers.clear();
        else if (accesses[k - 1].task == a.task)
            continue;  // the same task again: its write comes first in the list
        if (!a.writes) {
            if (writer >= 0) dependencies.push_back({writer, a.task});
            readers.push_back(a.task);
            continue;
        }
        for (const int32_t reader : readers) dependencies.push_back({reader, a.task});
        if (readers.empty() && writer >= 0) dependencies.push_back({writer, a.task});
        writer = a.task, readers.clear();
    }
}

TaskCycle order_tasks(const std::vector<Task> &tasks, std::vector<Dependency> dependencies, TaskOrder &order) {
    const Successors successors(tasks.size(), dependencies);
    std::vector<Dependency>().swap(dependencies);
    std::vector<int32_t> levels;
    const std::vector<int32_t> done = any_order(successors, levels);
    if (done.size() < tasks.size()) return find_cycle(successors, done);
    const std::vector<double> path = longest_paths(tasks, successors, done);
    order.task = by_path(successors, path);
    renumber(successors, order);
    order.types = types_in_use(tasks);
    for (const double length : path) order.critical_path = std::max(order.critical_path, length);
    for (const Task &task : tasks) order.total_cost += task.cost;
    std::vector<int64_t> at_level;
    for (const int32_t level : levels) {
        if (size_t(level) >= at_level.size()) at_level.resize(size_t(level) + 1, 0);
        order.width = std::max(order.width, ++at_level[size_t(level)]);
    }
    order.levels = int64_t(at_level.size());
    return {};
}

}  // namespace xbatch::task_graph
