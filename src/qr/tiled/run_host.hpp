// run_host.hpp: runs the tasks of tiled QR by tickets on host threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <new>

#include "qr.hpp"
#include "qr/common/tiles_host.hpp"
#include "schedule.hpp"
#include "task_graph/tickets.hpp"

namespace xbatch::qr {

// Columns that are updated but are not panels; further columns are in the next OtherColumns
template <class T>
struct OtherColumns {
    View<T> at;
    int64_t count;
};

template <class T>
struct QrOperands {
    T *a;  // read only if the job applies reflectors
    int64_t lda;
    T *triangles;
    OtherColumns<T> others[2];
    bool is_adjoint;
};

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
        buffers_ = carver.take<Real<T>>(buffer_reals_, threads_);
        bad_ = carver.take<int64_t>(threads_);
    }

    // Returns the first column whose norm is not finite, from 0, or tiling.k.
    int64_t operator()(const QrOperands<T> &operands) {
        const int64_t count = job_.tiling.versions() * job_.column_tiles();
        make_schedule(job_, schedule_, counts_, ready_);
        for (int64_t k = 0; k < count; ++k) new (versions_ + k) std::atomic<int32_t>(0);
        std::fill_n(bad_, threads_, job_.tiling.k);
        const auto ready = [&](int64_t ticket) { return is_ready(schedule_.tasks[ticket]); };
        const auto run = [&](int64_t ticket, int worker) {
            const QrTask &task = schedule_.tasks[ticket];
            Real<T> *buffer = buffers_ + worker * buffer_reals_;
            if (task.column < 0)
                factor(operands, task, buffer, bad_[worker]);
            else
                update(operands, task, buffer);
            publish(task);
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
    int64_t top_of(const QrTask &task) const { return job_.tiling.version_of_top(task.step.top, task.panel); }
    int64_t column_of(const QrTask &task) const { return task.column < 0 ? task.panel : task.column; }

    bool is_ready(const QrTask &task) const {
        const int64_t column = column_of(task);
        const auto has = [&](int64_t c, int64_t which, int32_t v) {
            return version(c, which).load(std::memory_order_acquire) >= v;
        };
        const bool reads_vectors = job_.factors && task.column >= 0;
        return has(column, top_of(task), task.top_version) && has(column, task.step.tile, task.tile_version) &&
               (!reads_vectors || has(task.panel, task.step.tile, task.vector_version));
    }
    void publish(const QrTask &task) const {
        const int64_t column = column_of(task);
        version(column, top_of(task)).store(task.top_version + 1, std::memory_order_release);
        if (task.step.tile != top_of(task))
            version(column, task.step.tile).store(task.tile_version + 1, std::memory_order_release);
    }

    TileReflectors<T> reflectors(const QrOperands<T> &o, const QrTask &task) const {
        const Tiling &tiling = job_.tiling;
        const int64_t columns = tiling.columns(task.panel);
        const bool is_triangle = task.step.shape == Shape::triangle;
        return {task.step.shape,
                is_triangle ? columns : tiling.rows(task.step.tile, task.panel),
                columns,
                tiling.config.ib,
                o.a + task.panel * tiling.config.nb * o.lda + tiling.first_row(task.step.tile, task.panel),
                o.lda,
                o.triangles + tiling.triangle(task.step, task.panel)};
    }
    void factor(const QrOperands<T> &o, const QrTask &task, Real<T> *buffer, int64_t &bad) const {
        const int64_t first = task.panel * job_.tiling.config.nb;
        T *top = o.a + first * o.lda + job_.tiling.first_row(task.step.top, task.panel);
        const int64_t found = tile_kernels<T>().factor({reflectors(o, task), top, o.lda}, buffer);
        if (found >= 0) bad = std::min(bad, first + found);
    }
    void update(const QrOperands<T> &o, const QrTask &task, Real<T> *buffer) const {
        const OtherColumns<T> c = columns_at_tile(o, task.column);
        const View<T> top = c.at.from(job_.tiling.first_row(task.step.top, task.panel), 0);
        const View<T> below = c.at.from(job_.tiling.first_row(task.step.tile, task.panel), 0);
        tile_kernels<T>().update({reflectors(o, task), o.is_adjoint, top, below, c.count}, buffer);
    }
    // A column tile: a panel, or one of the other columns
    OtherColumns<T> columns_at_tile(const QrOperands<T> &o, int64_t column) const {
        const Tiling &tiling = job_.tiling;
        const int64_t nb = tiling.config.nb, panels = job_.factors ? tiling.panels() : 0;
        if (column < panels) return {{o.a + column * nb * o.lda, o.lda}, tiling.columns(column)};
        const int64_t before = tiling.column_tiles(o.others[0].count), n = column - panels;
        const OtherColumns<T> &of = o.others[n < before ? 0 : 1];
        const int64_t first = (n < before ? n : n - before) * nb;
        return {of.at.from(0, first), std::min(nb, of.count - first)};
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
