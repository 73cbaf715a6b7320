// task_view.hpp: which versions and which parts of the matrices a task of tiled QR reads and writes, on host and GPU.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/tile_view.hpp"
#include "schedule.hpp"

namespace xbatch::qr {

// The matrices of a job
template <class T>
struct TileOperands {
    T *a;  // only read where the job applies reflectors
    int64_t lda;
    T *triangles;
    View<T> others;  // columns that are updated but are no panels
    int64_t other_columns;
    bool is_adjoint;
};

// A QrTask for the threads that run it; top is a place among Tiling::versions. Or a chain of updates of `length` tiles
// from `tile` on by the same panel, all with these versions but that of top, which each increments.
struct alignas(16) TileTask {
    int16_t shape, length;
    int32_t top, tile, panel;
    int32_t column, top_version, tile_version, vector_version;

    static TileTask of(const QrTask &t, const Tiling &tiling) {
        const auto top = int32_t(tiling.version_of_top(t.step.top, t.panel));
        return {int16_t(t.step.shape), 1, top, t.step.tile, t.panel, t.column, t.top_version, t.tile_version,
                t.vector_version};
    }
    XBATCH_HD int32_t changed_column() const { return column < 0 ? panel : column; }

    // A chain's n-th tile alone
    XBATCH_HD TileTask part(int32_t n) const {
        TileTask task = *this;
        task.length = 1, task.tile += n, task.top_version += n;
        return task;
    }

    // load(column, place) reads a version; all are read at once. Of a chain: whether its first tile is.
    template <class Load>
    XBATCH_HD bool is_ready(Load load) const {
        const int32_t own = changed_column(), of_top = load(own, top), of_tile = load(own, tile);
        const int32_t of_vectors = load(vector_version > 0 ? panel : own, tile);
        return of_vectors >= vector_version && of_top >= top_version && of_tile >= tile_version;
    }
    // store(column, place, version), when the task is done
    template <class Store>
    XBATCH_HD void publish(Store store) const {
        const int32_t own = changed_column();
        const int32_t last = tile + length - 1;  // the others of a chain are published before
        store(own, top, top_version + length);
        if (last != top) store(own, last, tile_version + 1);
    }
};

// The operands of a job's tasks
template <class T>
struct TaskView {
    const QrJob &job;
    int64_t tiles, panels;  // of job.tiling: divisions that are made once
    const TileOperands<T> &o;

    XBATCH_HD int64_t row(const TileTask &t) const { return job.tiling.first_row(t.tile, t.panel); }
    XBATCH_HD int64_t top_row(const TileTask &t) const {
        return t.top < tiles ? job.tiling.first_row(t.top, t.panel) : t.panel * job.tiling.config.nb;
    }
    XBATCH_HD T *panel(const TileTask &t, int64_t row) const {
        return o.a + t.panel * job.tiling.config.nb * o.lda + row;
    }
    // Reflectors: TileReflectors or DeviceReflectors
    template <class Reflectors>
    XBATCH_HD Reflectors reflectors(const TileTask &t) const {
        using Int = decltype(Reflectors::rows);
        const Tiling &tiling = job.tiling;
        const Shape shape = Shape(t.shape);
        const Int columns = Int(tiling.columns(t.panel));
        const int64_t second = t.panel + (shape == Shape::triangle ? panels : 0);  // Tiling::triangles
        return {shape,
                shape == Shape::triangle ? columns : Int(tiling.rows(t.tile, t.panel)),
                columns,
                Int(tiling.config.ib),
                panel(t, row(t)),
                o.lda,
                o.triangles + (second * tiles + t.tile) * tiling.triangle_elements()};
    }
    // A column tile, a panel or one of the others, and its number of columns
    template <class Int>
    XBATCH_HD View<T> column_tile(int64_t column, Int &columns) const {
        const int64_t nb = job.tiling.config.nb, own = job.factors ? panels : 0;
        if (column < own) {
            columns = Int(job.tiling.columns(column));
            return {o.a + column * nb * o.lda, o.lda, false};
        }
        const int64_t first = (column - own) * nb;
        columns = Int(std::min(nb, o.other_columns - first));
        return o.others.from(0, first);
    }
};

}  // namespace xbatch::qr
