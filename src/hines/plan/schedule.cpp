// schedule.cpp: assigns a tree's nodes to the workers of a warp and to steps, the deepest first.
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace xbatch::hines {
namespace {

// A tree with its children in the order in which their contributions are subtracted
struct Family {
    const std::vector<int32_t> &parent;
    std::vector<int32_t> depth, heavy;  // of each node; its heavy child or -1
    std::vector<int32_t> begin, children;

    explicit Family(const std::vector<int32_t> &parents)
        : parent(parents), depth(parents.size()), heavy(parents.size(), -1), begin(parents.size() + 1) {
        const int32_t n = int32_t(parent.size());
        std::vector<int32_t> height(parents.size());
        for (int32_t v = 0; v < n; ++v)
            if (parent[v] >= 0) depth[v] = depth[parent[v]] + 1, ++begin[parent[v] + 1];
        for (int32_t v = 0; v < n; ++v) begin[v + 1] += begin[v];
        for (int32_t v = n - 1; v >= 0; --v) {
            const int32_t p = parent[v];
            if (p >= 0 && height[v] + 1 > height[p]) height[p] = height[v] + 1, heavy[p] = v;
        }
        children.resize(size_t(begin[n]));
        std::vector<int32_t> next(begin.begin(), begin.end() - 1);
        for (int32_t v = n - 1; v >= 0; --v)
            if (parent[v] >= 0 && heavy[parent[v]] != v) children[next[parent[v]]++] = v;
        for (int32_t v = 0; v < n; ++v)
            if (heavy[v] >= 0) children[next[v]] = heavy[v];
    }
    int32_t count() const { return int32_t(parent.size()); }
};

// Which worker eliminates each node in which step: in each step the deepest ready nodes, one for each worker.
class Assignment {
public:
    Assignment(const Family &family, int workers, int latency)
        : step(family.parent.size(), -1),
          worker(family.parent.size(), -1),
          is_carried(family.parent.size()),
          family_(family),
          latency_(latency),
          last_(workers, -1),
          waiting_for_(family.parent.size()),
          others_ready_(family.parent.size()) {
        const int32_t n = family.count();
        for (int32_t v = 0; v < n; ++v) {
            waiting_for_[v] = family.begin[v + 1] - family.begin[v];
            if (waiting_for_[v] == 0) wake(v, 0);
        }
        for (int32_t done = 0; done < n; ++steps) done += do_step();
    }
    int steps = 0;
    std::vector<int32_t> step, worker;
    std::vector<bool> is_carried;  // whether the worker has just eliminated the heavy child

private:
    void wake(int32_t v, int when) {
        if (int(awake_.size()) <= when) awake_.resize(size_t(when) + 1);
        awake_[size_t(when)].push_back(v);
    }
    // The first step in which any worker may take v, all children eliminated
    int anywhere(int32_t v) const {
        return family_.heavy[v] < 0 ? 0 : std::max(others_ready_[v], step[family_.heavy[v]] + latency_);
    }
    bool can_be_carried(int32_t v) const {
        const int32_t heavy = family_.heavy[v];
        return heavy >= 0 && step[heavy] == steps - 1;
    }

    int32_t do_step() {
        if (size_t(steps) < awake_.size())
            for (int32_t v : awake_[size_t(steps)]) ready_.push({family_.depth[v], v});
        std::vector<int32_t> taken, moved;
        std::vector<bool> is_busy(last_.size());
        while (!ready_.empty() && taken.size() + moved.size() < last_.size()) {
            const int32_t v = ready_.top().second;
            ready_.pop();
            if (can_be_carried(v)) {
                worker[v] = worker[family_.heavy[v]], is_carried[v] = true;
                is_busy[worker[v]] = true;
                taken.push_back(v);
            } else if (steps >= anywhere(v)) {
                moved.push_back(v);
            } else {
                wake(v, anywhere(v));
            }
        }
        for (int32_t v : moved) {
            worker[v] = free_worker(is_busy);
            is_busy[worker[v]] = true;
            taken.push_back(v);
        }
        for (int32_t v : taken) step[v] = steps, last_[worker[v]] = v;
        for (int32_t v : taken) finish(v);
        return int32_t(taken.size());
    }

    // The worker for which it costs least not to continue with its last node's parent
    int free_worker(const std::vector<bool> &is_busy) const {
        int best = -1;
        int64_t least = INT64_MAX;
        for (int w = 0; w < int(last_.size()); ++w) {
            if (is_busy[w]) continue;
            int64_t loss = 0;
            if (last_[w] >= 0) {
                const int32_t parent = family_.parent[last_[w]];
                if (parent >= 0 && step[parent] < 0 && family_.heavy[parent] == last_[w])
                    loss = 1 + family_.depth[last_[w]];
            }
            if (loss < least) least = loss, best = w;
        }
        return best;
    }

    void finish(int32_t v) {
        const int32_t p = family_.parent[v];
        if (p < 0) return;
        const bool is_heavy = family_.heavy[p] == v;
        if (!is_heavy) others_ready_[p] = std::max(others_ready_[p], step[v] + latency_);
        if (--waiting_for_[p] > 0) return;
        wake(p, std::max(others_ready_[p], step[family_.heavy[p]] + 1));
    }

    const Family &family_;
    int latency_;
    std::vector<int32_t> last_;  // node of each worker
    std::vector<int32_t> waiting_for_;
    std::vector<int> others_ready_;  // the first step in which the contributions of all but the heavy child can be read
    std::vector<std::vector<int32_t>> awake_;
    std::priority_queue<std::pair<int32_t, int32_t>> ready_;  // by depth
};

// The nodes by increasing step and worker
std::vector<int32_t> by_step(const Assignment &assigned) {
    std::vector<int32_t> nodes(assigned.step.size());
    std::iota(nodes.begin(), nodes.end(), 0);
    std::sort(nodes.begin(), nodes.end(), [&](int32_t a, int32_t b) {
        return assigned.step[a] != assigned.step[b] ? assigned.step[a] < assigned.step[b]
                                                    : assigned.worker[a] < assigned.worker[b];
    });
    return nodes;
}

// Rows after those of the nodes; a row is reused once it has been read
class SpareRows {
public:
    explicit SpareRows(uint32_t first) : first_(first) {}
    uint32_t take(int32_t written, int32_t read) {
        uint32_t row = first_ + count_;
        if (!in_use_.empty() && in_use_.top().first < written)
            row = in_use_.top().second, in_use_.pop();
        else
            ++count_;
        in_use_.push({read, row});
        return row;
    }
    int32_t count() const { return int32_t(count_); }

private:
    using Use = std::pair<int32_t, uint32_t>;  // step in which it is read, row
    uint32_t first_, count_ = 0;
    std::priority_queue<Use, std::vector<Use>, std::greater<Use>> in_use_;
};

}  // namespace

Schedule make_schedule(const Tree &tree, int workers, int latency, PartPlace place) {
    const Family family(tree.parent);
    const Assignment assigned(family, workers, latency);
    const int32_t n = family.count(), first_row = int32_t(HinesStep::first_row);
    Schedule schedule{place, workers, assigned.steps, place == PartPlace::apart ? first_row : n + first_row, {},
                      {},    {}};
    const std::vector<int32_t> order = by_step(assigned);
    std::vector<uint32_t> row(n), target(n);  // nowhere
    for (int32_t k = 0; k < n; ++k) row[place == PartPlace::children ? k : order[k]] = uint32_t(k + first_row);
    SpareRows spare(uint32_t(schedule.rows));
    for (const int32_t v : order) {
        const int32_t p = family.parent[v];
        if (p < 0 || (assigned.is_carried[p] && family.heavy[p] == v)) continue;
        const bool is_first = family.children[family.begin[p]] == v;
        target[v] = place == PartPlace::children || (place == PartPlace::rows && is_first)
                        ? row[p]
                        : spare.take(assigned.step[v], assigned.step[p]);
    }
    schedule.rows += spare.count();
    schedule.table.resize(size_t(assigned.steps) * size_t(workers));
    for (const int32_t v : order) {
        const int32_t *const children = family.children.data() + family.begin[v];
        const int32_t count = family.begin[v + 1] - family.begin[v] - (assigned.is_carried[v] ? 1 : 0);
        const auto part = [&](int32_t k) {
            return place == PartPlace::children ? row[children[k]] : target[children[k]];
        };
        HinesStep &step = schedule.table[size_t(assigned.step[v]) * size_t(workers) + size_t(assigned.worker[v])];
        step.node = uint32_t(v + first_row), step.row = row[v], step.target = uint16_t(target[v]);
        if (count > 0) step.first = uint16_t(part(0));
        if (count > 1) step.second = uint16_t(part(1));
        step.flags = uint16_t((assigned.is_carried[v] ? HinesStep::is_carried : 0) |
                              (family.parent[v] < 0 ? HinesStep::is_root : 0));
        if (count <= 2) continue;
        const int32_t begin = int32_t(schedule.list.size());
        for (int32_t k = 2; k < count; ++k) schedule.list.push_back(part(k));
        schedule.more.push_back({assigned.step[v], assigned.worker[v], begin, int32_t(schedule.list.size())});
    }
    return schedule;
}

}  // namespace xbatch::hines
