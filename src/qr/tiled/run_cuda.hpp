// run_cuda.hpp: tiled QR on the GPU: persistent blocks execute the tasks in order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr.hpp"
#include "task_order.hpp"
#include "xbatch/task_graph.cuh"

namespace xbatch::qr {

// A job's workspace. The state, and all that is zero at the beginning, come first.
struct DeviceRun {
    QrJob job;
    int64_t tasks, tiles, panels;  // divisions that are made once
    TicketState *state;
    int32_t *bad;  // the first column whose norm is not finite, from 0, less 2^31 - 1: zero where there is none
    int32_t *tall_counters;
    int32_t *versions, *levels;
    int32_t blocks;          // of a panel, where tasks begin when the first block that they need is stored; else 0
    int32_t *rows, *stored;  // BlockCounters: of each block of each panel, of each tile
    size_t zero_bytes;
    int32_t *changes;
    TileTask *order;
    double *tall_slots;

    DeviceRun(Carver &carver, const QrJob &job);
};

// Queues the job. `bad` is filled in by factorisations. If *is_refused != 0 on the device, nothing is done; it may be
// NULL.
template <class T>
xbatchStatus_t run_on_device(Context &context, const DeviceRun &run, const TileOperands<T> &operands,
                             const int32_t *is_refused);

// Tall matrices of doubles have separate kernels, which hold a domain's triangle on chip, for panels of one block of at
// most 32 vectors. tall_counters: the zeroed numbers that they need; tall_slots: those for the products of a panel's
// columns. They do not apply Q from the right.
bool is_tall_form(const xbatchTiledConfig_t &config);
int64_t tall_counters(const QrJob &job);
int64_t tall_slots(const QrJob &job);
// Where columns are first read, if not where they are then stored
struct TallSource {
    const double *at;
    int64_t ld;
};
struct TallStart {
    TallSource a;      // of a factorisation; at may be NULL
    bool is_identity;  // all other columns, of which only the first rows, as many as columns, are set
};
xbatchStatus_t run_tall(Context &context, const DeviceRun &run, const TileOperands<double> &operands,
                        const int32_t *is_refused, const TallStart &start = {});

}  // namespace xbatch::qr
