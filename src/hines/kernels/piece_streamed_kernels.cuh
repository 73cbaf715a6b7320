// piece_streamed_kernels.cuh: pieces of trees of systems that are adjacent in memory. c, g and e go through global
// memory: up to 88 bytes are moved for a node in double.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "piece_systems.cuh"
#include "streamed_kernels.cuh"

namespace xbatch::hines {

// A thread stores c, g and e in global memory, one row after the other.
template <class T>
class PieceStore : public StreamedStore<T, false> {
public:
    using Base = StreamedStore<T, false>;
    using Pack = typename Base::Pack;
    using Sum = typename Base::Sum;
    using Block = typename Base::Block;

    __device__ PieceStore(const Block &block, typename Base::Shape shape, const TilePlaces<T> &places, int worker,
                          int lane, const PortSystems<T> &to, const DevicePiece &piece)
        : Base(block, shape, places, worker, lane),
          to_(to),
          sums_(uint32_t(block.condensed.ports + worker * block.condensed.pending)),
          slots_(uint32_t(shape.first_slot(block.condensed))),
          nodes_(uint32_t(block.condensed.nodes)),
          first_row_(block.condensed.first + this->start_.row - block.condensed.ports - piece.port),
          first_path_(piece.path + this->start_.path) {}

    // column: of the tile's first system among all
    __device__ void begin(int64_t column) {
        const int64_t at = (column + this->lane_ * Pack::count) * int64_t(sizeof(T)), step = bytes();
        c_ = to_.c + at + first_row_ * step, g_ = to_.g + at + first_row_ * step;
        e_to_ = to_.e + at + first_path_ * step;
        pending_ = 0;
    }
    __device__ void begin() const {}
    __device__ uint32_t row(CondensedStep, uint32_t port) const { return port; }
    __device__ void keep(uint32_t, const Pack &c, const Pack &g) {
        *reinterpret_cast<Pack *>(c_) = c, *reinterpret_cast<Pack *>(g_) = g;
        c_ += bytes(), g_ += bytes();
    }
    __device__ void keep(uint32_t, const Pack &e) { *reinterpret_cast<Pack *>(e_to_) = e, e_to_ += bytes(); }
    __device__ Sum sum(CondensedStep step, uint32_t) {
        if (step.target >= nodes_) return at_row(slots_ + step.target - nodes_);
        if (step.is(CondensedStep::is_first)) ++pending_;
        return at_row(sums_ + pending_ - 1);
    }
    __device__ Sum take_sum(uint32_t) { return at_row(sums_ + --pending_); }

private:
    __device__ Sum at_row(uint32_t row) const { return {&this->d(row), &this->b(row)}; }
    __device__ int64_t bytes() const { return to_.columns * int64_t(sizeof(T)); }

    const PortSystems<T> &to_;
    uint32_t sums_, slots_, nodes_, pending_ = 0;
    int64_t first_row_, first_path_;  // the worker's first rows of c and g, and of e
    char *c_ = nullptr, *g_ = nullptr, *e_to_ = nullptr;
};

template <class T>
__global__ void __launch_bounds__(384) hines_condense_streamed(const __grid_constant__ HinesCall<T> p,
                                                               const __grid_constant__ PieceRun<T> run, int systems) {
    extern __shared__ uint4 shared_memory[];
    char *const memory = reinterpret_cast<char *>(shared_memory);
    const StreamedShape<T, false> shape{systems};
    const DeviceTree &tree = p.plan.trees[run.tree];
    const DevicePiece &piece = tree.pieces.piece[run.piece()];
    const DeviceCondensed &condensed = piece.streamed;
    const HinesRange range = run.range(systems);
    const CondensedBlock<T> block{p, range, tree, condensed, systems, run.r, memory};
    const int worker = int(threadIdx.x) / shape.lanes(), lane = int(threadIdx.x) % shape.lanes();
    block.begin();
    const TilePlaces<T> places(block, memory + shape.tiles(condensed));
    PieceStore<T> store(block, shape, places, worker, lane, run.ports, piece);
    CondensedWorker<PieceStore<T>> solver(condensed, block.tables(), block.steps(), worker, store);
    const int column = int(threadIdx.x) % systems, at = column * int(sizeof(T));
    const TreeRows<T, unsigned> rows{memory + shape.u(condensed) + at, memory + shape.l(condensed) + at,
                                     memory + shape.d(condensed) + at, memory + shape.b(condensed) + at, store.step};
    int64_t k = range.first;
    for (int tile = 0; k < range.end; ++tile, k += range.stride) {
        int *const reports = block.reports(tile % 2 == 1);
        const TileColumns columns{shape.lanes(), shape.across, places.at(tile).is_packed};
        const auto system_of = [&](int c) { return k + columns.system(c / shape.across, c % shape.across); };
        store.begin(k - run.first);
        solver.condense([&](int i, int node) { atomicMax(reports + lane * shape.across + i, node); });
        __syncthreads();
        const int64_t system = run.in_window(system_of(column), range);
        if (system >= 0)
            put_ports(piece, condensed, run.ports, rows, system, systems, shape.first_slot(condensed),
                      [](int port) { return uint32_t(port); });
        if (threadIdx.x / 32 == blockDim.x / 32 - 1) places.find(tile + 2);
        put_piece_reports(block, reports, system_of);
        __syncthreads();
    }
}

// The systems of a thread while it substitutes the subtrees of its worker, from the tops to the tips
template <class T>
class PieceExpansion {
public:
    static constexpr int across = StreamedShape<T>::across;
    using Pack = Elements<T, across>;

    // pending: a row of 16 bytes for each node whose unknown other children will read, `stride` bytes apart
    __device__ PieceExpansion(const CondensedBlock<T> &block, const PieceRun<T> &run, const DevicePiece &piece,
                              int worker, int lane, char *pending, int stride)
        : from_(run.ports),
          condensed_(block.condensed),
          tables_(block.tables()),
          ports_above_(block.tree.pieces.ports_above + piece.slot),
          steps_(block.steps() + worker),
          worker_(worker),
          lane_(lane),
          stride_(stride),
          pending_(pending),
          port0_(piece.port) {
        const bool is_last = worker + 1 >= condensed_.workers;
        const CondensedStart end =
            is_last ? CondensedStart{condensed_.nodes, condensed_.paths} : condensed_.starts[worker + 1];
        row_ = condensed_.first + end.row - condensed_.ports - piece.port, path_ = piece.path + end.path;
    }

    // Of systems with these numbers in the window, or -1, and this first column. lost(i) as in CondensedWorker
    template <class Report>
    __device__ void run(const int64_t (&system)[across], int64_t column, const TileTargets<T> &targets, Report lost) {
        const int64_t step_bytes = from_.columns * int64_t(sizeof(T));
        const int64_t at = (column + lane_ * across) * int64_t(sizeof(T));
        const char *c_at = from_.c + at + row_ * step_bytes, *g_at = from_.g + at + row_ * step_bytes;
        const char *e_at = from_.e + at + path_ * step_bytes;
        const CondensedStep *next = steps_ + (condensed_.steps - 1) * condensed_.workers;
        int32_t other = tables_.worker_slots[worker_ + 1] + 1;
        char *top = pending_;
        Pack x{}, at_port{}, above_all{}, c, g, e;
        CondensedStep step = *next;
        const auto load = [&](CondensedStep of) {
            if (of.is(CondensedStep::is_idle) || of.is(CondensedStep::is_port)) return;
            c_at -= step_bytes, g_at -= step_bytes;
            c = *reinterpret_cast<const Pack *>(c_at), g = *reinterpret_cast<const Pack *>(g_at);
            if (of.is(CondensedStep::on_path)) e_at -= step_bytes, e = *reinterpret_cast<const Pack *>(e_at);
        };
        load(step);
#pragma unroll 1
        for (int k = condensed_.steps; k > 0; --k) {
            if (step.is(CondensedStep::is_idle)) break;  // only others come before it
            const CondensedStep own = step;
            const Pack own_c = c, own_g = g, own_e = e;
            next -= condensed_.workers;
            if (k > 1) step = *next, load(step);
            if (own.is(CondensedStep::ends)) enter(--other, system, at_port, above_all);
            Pack above = x;
            if (!own.is(CondensedStep::is_port) && !own.is(CondensedStep::to_next)) {
                above = above_all;
                if (own.target < uint32_t(condensed_.nodes)) {
                    above = *reinterpret_cast<const Pack *>(top - stride_);
                    if (own.is(CondensedStep::is_first)) top -= stride_;
                }
            }
            if (own.is(CondensedStep::is_port)) {
                x = at_port;
            } else {
                bool is_lost = false;
                Pack::for_each([&](int i) {
                    x.of[i] = less_product(own_g.of[i], own_c.of[i], above.of[i]);
                    if (own.is(CondensedStep::on_path)) x.of[i] = less_product(x.of[i], own_e.of[i], at_port.of[i]);
                    is_lost |= !is_finite(x.of[i]);
                });
                if (is_lost) Pack::for_each([&](int i) { lost(i, is_finite(x.of[i])); });
            }
            if (own.is(CondensedStep::has_sum)) *reinterpret_cast<Pack *>(top) = x, top += stride_;
            targets.store(own.node(), x);
        }
    }

private:
    // The unknowns of a subtree's port and above it
    __device__ void enter(int32_t other, const int64_t (&system)[across], Pack &at_port, Pack &above) const {
        const int32_t slot = other == tables_.worker_slots[worker_ + 1] ? worker_ : other;
        const int32_t port = tables_.ends[slot].port, up = ports_above_[slot];
        Pack::for_each([&](int i) {
            at_port.of[i] = port >= 0 && system[i] >= 0 ? from_.b[(port0_ + port) * from_.wide + system[i]] : T(0);
            above.of[i] = up >= 0 && system[i] >= 0 ? from_.b[up * from_.wide + system[i]] : T(0);
        });
    }

    const PortSystems<T> &from_;
    const DeviceCondensed &condensed_;
    const DeviceSubtrees tables_;
    const int32_t *ports_above_;
    const CondensedStep *steps_;
    int worker_, lane_, stride_;
    char *pending_;
    int64_t port0_, row_, path_;
};

template <class T>
__global__ void __launch_bounds__(384, 2) hines_expand_streamed(const __grid_constant__ HinesCall<T> p,
                                                                const __grid_constant__ PieceRun<T> run, int systems) {
    extern __shared__ uint4 shared_memory[];
    char *const memory = reinterpret_cast<char *>(shared_memory);
    const ExpandShape<T> shape{systems};
    const DeviceTree &tree = p.plan.trees[run.tree];
    const DevicePiece &piece = tree.pieces.piece[run.piece()];
    const DeviceCondensed &condensed = piece.streamed;
    const HinesRange range = run.range(systems);
    const CondensedBlock<T> block{p, range, tree, condensed, systems, run.r, memory};
    const int lanes = systems / shape.across, worker = int(threadIdx.x) / lanes, lane = int(threadIdx.x) % lanes;
    block.begin();
    const TilePlaces<T> places(block, memory + shape.tiles(condensed));
    TileTargets<T> targets(block, places, lane, lanes);
    PieceExpansion<T> own(block, run, piece, min(worker, condensed.workers - 1), lane,
                          memory + shape.pending(condensed) + threadIdx.x * 16, int(blockDim.x) * 16);
    int64_t k = range.first;
    for (int tile = 0; k < range.end; ++tile, k += range.stride) {
        int *const reports = block.reports(tile % 2 == 1);
        const TileColumns columns{lanes, shape.across, places.at(tile).is_packed};
        const auto system_of = [&](int c) { return k + columns.system(c / shape.across, c % shape.across); };
        targets.find(tile);
        int64_t system[shape.across];
        for (int i = 0; i < shape.across; ++i) system[i] = run.in_window(k + columns.system(lane, i), range);
        if (worker < condensed.workers)
            own.run(system, k - run.first, targets, [&](int i, bool is_found) {
                if (!is_found) reports[systems + lane * shape.across + i] = 1;
            });
        if (threadIdx.x / 32 == blockDim.x / 32 - 1) places.find(tile + 2);
        __syncthreads();
        put_piece_reports(block, reports, system_of);
    }
}

}  // namespace xbatch::hines
