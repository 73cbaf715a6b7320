// schedule.cpp: the schedule of schedule.hpp, by simulated earliest start times.
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule.hpp"

#include <algorithm>

namespace xbatch::qr {
namespace {

// Times of the tasks in units of nb^3/3: operations, counted twice for panels, which are slower than matrix products
double cost(const Tiling &tiling, const PanelStep &step, bool is_update) {
    const double tall = double(tiling.config.mb) / double(tiling.config.nb);
    switch (step.shape) {
        case Shape::trapezoid: return is_update ? 6 * tall : 8 * tall;
        case Shape::full: return 12 * tall;
        default: return is_update ? 6 : 4;
    }
}

class Scheduler {
public:
    Scheduler(const QrJob &job, QrTask *tasks, int32_t *versions, double *ready)
        : job_(job), tasks_(tasks), versions_(versions), ready_(ready) {}

    int64_t run() {
        const int64_t panels = job_.tiling.panels();
        for (int64_t n = 0; n < panels; ++n) {
            const int64_t panel = job_.is_forward ? n : panels - 1 - n;
            job_.tiling.each_step(panel, job_.is_forward, [&](const PanelStep &step) { take(panel, step); });
        }
        return count_;
    }

private:
    int64_t at(int64_t column, int64_t version) const { return column * job_.tiling.versions() + version; }

    void take(int64_t panel, const PanelStep &step) {
        double vectors_ready = 0;
        int32_t vector_version = 0;
        if (job_.factors) {
            vectors_ready = add({step, int32_t(panel), -1, 0, 0, 0, 0, 0}, panel, 0);
            vector_version = versions_[at(panel, step.tile)];
        }
        for (int64_t column = job_.first_column(panel); column < job_.column_tiles(); ++column)
            add({step, int32_t(panel), int32_t(column), 0, 0, vector_version, 0, 0}, column, vectors_ready);
    }
    // Returns the end time of the task.
    double add(QrTask task, int64_t column, double earliest) {
        const int64_t top = at(column, job_.tiling.version_of_top(task.step.top, task.panel));
        const int64_t tile = at(column, task.step.tile);
        task.top_version = versions_[top], task.tile_version = versions_[tile];
        task.number = int32_t(count_);
        task.start = std::max({earliest, ready_[top], ready_[tile]});
        const double end = task.start + cost(job_.tiling, task.step, task.column >= 0);
        ++versions_[top], ready_[top] = end;
        if (tile != top) ++versions_[tile], ready_[tile] = end;
        tasks_[count_++] = task;
        return end;
    }

    const QrJob &job_;
    QrTask *tasks_;
    int32_t *versions_;
    double *ready_;
    int64_t count_ = 0;
};

}  // namespace

Tiling tiling_of(int64_t m, int64_t k, const xbatchTiledConfig_t &config) {
    Tiling tiling{m, k, config};
    xbatchTiledConfig_t &c = tiling.config;
    c.nb = std::clamp<int64_t>(c.nb, 1, std::max<int64_t>(k, 1));
    c.mb = std::clamp<int64_t>(c.mb, 1, std::max<int64_t>(m, 1));
    c.ib = std::min(c.ib, c.nb);
    c.domain = std::min(c.domain, std::max<int64_t>(tiling.tiles(), 1));
    return tiling;
}

int64_t QrJob::tasks() const {
    int64_t count = 0;
    for (int64_t panel = 0; panel < tiling.panels(); ++panel)
        count += tiling.steps(panel) * (std::max<int64_t>(column_tiles() - first_column(panel), 0) + (factors ? 1 : 0));
    return count;
}

QrSchedule QrSchedule::carve(Carver &carver, const QrJob &job) {
    const int64_t count = job.tasks();
    return {carver.take<QrTask>(count), count};
}

void make_schedule(const QrJob &job, const QrSchedule &schedule, int32_t *versions, double *ready) {
    const int64_t count = job.tiling.versions() * job.column_tiles();
    std::fill_n(versions, count, 0);
    std::fill_n(ready, count, 0.0);
    Scheduler(job, schedule.tasks, versions, ready).run();
    std::sort(schedule.tasks, schedule.tasks + schedule.count, [](const QrTask &a, const QrTask &b) {
        return a.start != b.start ? a.start < b.start : a.number < b.number;
    });
}

}  // namespace xbatch::qr
