// run_host.hpp: runs the tasks of tiled QR by tickets on host threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <new>

#include "qr.hpp"
#include "qr/common/tiles_host.hpp"
#include "task_graph/tickets.hpp"
#include "task_view.hpp"

namespace xbatch::qr {

template <class T>
class QrRun {
public:
    QrRun(Carver &carver, const QrJob &job, int threads)
        : job_(job), schedule_(QrSchedule::carve(carver, job)), threads_(useful_threads(threads)) {
        const int64_t count = job.tiling.versions() * job.column_tiles();
        const auto &config = job.tiling.config;
        versions_ = carver.take<std::atomic<int32_t>>(count);
        counts_ = carver.take<int32_t>(count);
        ready_ = carver.take<double>(count);
        buffer_reals_ = tile_buffer_reals<T>(config.mb, config.nb, config.ib);
        buffers_ = carver.take_lines<Real<T>>(buffer_reals_, threads_);
        bad_ = carver.take<int64_t>(threads_);
    }

    // Returns the first column whose norm is not finite, from 0, or tiling.k.
    int64_t operator()(const TileOperands<T> &operands) {
        const int64_t count = job_.tiling.versions() * job_.column_tiles();
        make_schedule(job_, schedule_, counts_, ready_);
        for (int64_t k = 0; k < count; ++k) new (versions_ + k) std::atomic<int32_t>(0);
        std::fill_n(bad_, threads_, job_.tiling.k);
        const TaskView<T> view{job_, job_.tiling.tiles(), job_.tiling.panels(), operands};
        const auto task_of = [&](int64_t ticket) { return TileTask::of(schedule_.tasks[ticket], job_.tiling); };
        const auto ready = [&](int64_t ticket) {
            return task_of(ticket).is_ready(
                [&](int64_t column, int64_t which) { return version(column, which).load(std::memory_order_acquire); });
        };
        const auto run = [&](int64_t ticket, int worker) {
            const TileTask task = task_of(ticket);
            Real<T> *buffer = buffers_ + worker * buffer_reals_;
            if (task.column < 0)
                factor(view, task, buffer, bad_[worker]);
            else
                update(view, task, buffer);
            task.publish([&](int64_t column, int64_t which, int32_t value) {
                version(column, which).store(value, std::memory_order_release);
            });
            return 0;
        };
        task_graph::run_tickets(threads_, schedule_.count, ready, run);
        return *std::min_element(bad_, bad_ + threads_);
    }

private:
    // No more threads than there is work for: starting threads, and waiting for them, costs time.
    int useful_threads(int threads) const {
        constexpr double least_operations = 1e7;  // per thread, about 1 ms
        const auto &config = job_.tiling.config;
        const double operations = 4.0 * double(config.mb * config.nb * config.nb) * double(schedule_.count);
        return int(std::clamp(operations / least_operations, 1.0, double(threads)));
    }
    std::atomic<int32_t> &version(int64_t column, int64_t which) const {
        return versions_[column * job_.tiling.versions() + which];
    }
    void factor(const TaskView<T> &view, const TileTask &task, Real<T> *buffer, int64_t &bad) const {
        T *const top = view.panel(task, view.top_row(task));
        const auto tile = view.template reflectors<TileReflectors<T>>(task);
        const int64_t found = tile_kernels<T>().factor({tile, top, view.o.lda}, buffer);
        if (found >= 0) bad = std::min(bad, task.panel * job_.tiling.config.nb + found);
    }
    void update(const TaskView<T> &view, const TileTask &task, Real<T> *buffer) const {
        int64_t columns = 0;
        const View<T> c = view.column_tile(task.column, columns);
        const View<T> top = c.from(view.top_row(task), 0), below = c.from(view.row(task), 0);
        const auto tile = view.template reflectors<TileReflectors<T>>(task);
        tile_kernels<T>().update({tile, view.o.is_adjoint, top, below, columns}, buffer);
    }

    QrJob job_;
    QrSchedule schedule_;
    int threads_;
    std::atomic<int32_t> *versions_;  // Tiling::versions of each column tile
    int32_t *counts_;                 // scratch: the same in sequential order
    double *ready_;
    int64_t buffer_reals_;
    Real<T> *buffers_;
    int64_t *bad_;  // [threads]
};

}  // namespace xbatch::qr
