// streamed_kernels.cuh: systems that are adjacent in memory. Threads load the coefficients in the order of their steps,
// some steps ahead; what the substitution needs stays in shared memory, so each array is accessed once.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "condensed_block.cuh"

namespace xbatch::hines {

// Which systems of a tile are a thread's. If rows are packed, those of a unit of 16 bytes; otherwise its elements are
// `lanes` systems apart, so that threads access adjacent elements.
struct TileColumns {
    int lanes, across;
    bool is_packed;
    __device__ int system(int lane, int i) const { return is_packed ? lane * across + i : lane + i * lanes; }
};

// The places of tiles, found two tiles ahead by one warp
template <class T>
class TilePlaces {
public:
    using Block = CondensedBlock<T>;
    static constexpr int arrays = Block::arrays;

    __device__ TilePlaces(const Block &block, char *memory)
        : block_(block), places_(reinterpret_cast<TilePlace *>(memory)) {
        if (threadIdx.x < 32) find(0), find(1);
        __syncthreads();
    }
    __device__ const TilePlace &at(int tile) const { return places_[tile % StreamedShape<T>::places]; }
    // Lanes 2a and 2a + 1 have the first and the last system of array a.
    __device__ void find(int tile) const {
        const int64_t k = block_.range.first + tile * block_.range.stride;
        if (k >= block_.range.end) return;
        const int lane = int(threadIdx.x) % 32, a = lane / 2 % arrays;
        const int count = int(min(int64_t(block_.systems), block_.range.end - k));
        const int64_t own = block_.origin(a, k + lane % 2 * (count - 1)), step = block_.step(a);
        const int64_t across = __shfl_down_sync(~0u, own, 1) - own;
        const bool is_free = block_.is_shared(a) || lane % 2 == 1;
        const bool is_in_line = across == count - 1 && step <= UINT32_MAX;
        const bool is_packed = (reinterpret_cast<uintptr_t>(block_.p.data(a) + own) | uintptr_t(step)) % 16 == 0;
        const bool in_line = __all_sync(~0u, is_free || is_in_line);
        const bool packed = __all_sync(~0u, is_free || is_packed) && in_line && count == block_.systems;
        TilePlace &to = places_[tile % StreamedShape<T>::places];
        if (lane < 2 * arrays && lane % 2 == 0) to.origin[a] = own;
        if (lane == 0) to.count = count, to.is_packed = packed, to.is_in_line = in_line;
    }

private:
    const Block &block_;
    TilePlace *places_;
};

// Where the unknowns of a thread are stored
template <class T>
class TileTargets {
public:
    using Block = CondensedBlock<T>;
    using Pack = typename CondensedColumns<T, StreamedShape<T>::across>::Pack;

    __device__ TileTargets(const Block &block, const TilePlaces<T> &places, int lane, int lanes)
        : block_(block), places_(places), lane_(lane), lanes_(lanes), step_(unsigned(block.step(Block::b_array))) {}

    __device__ void find(int tile) {
        const TilePlace &place = places_.at(tile);
        is_packed_ = place.is_packed, is_in_line_ = place.is_in_line, count_ = place.count;
        k_ = block_.range.first + tile * block_.range.stride;
        const int across = is_packed_ ? lane_ * StreamedShape<T>::across : lane_;
        to_ = reinterpret_cast<char *>(block_.p.b + place.origin[Block::b_array] + across);
    }
    __device__ void store(uint32_t node, const Pack &x) const {
        char *const to = to_ + uint64_t(node) * step_;
        if (is_packed_)
            __stcs(reinterpret_cast<float4 *>(to), *reinterpret_cast<const float4 *>(&x));
        else if (is_in_line_)
            Pack::for_each([&](int i) {
                if (lane_ + i * lanes_ < count_) store_once(reinterpret_cast<T *>(to) + i * lanes_, x.of[i]);
            });
        else
            store_any(block_, k_ + lane_, lanes_, node, x);
    }

private:
    static __device__ __noinline__ void store_any(const Block &block, int64_t k, int lanes, uint32_t node, Pack x) {
#pragma unroll
        for (int i = 0; i < Pack::count; ++i, k += lanes)
            if (k < block.range.end)
                store_once(block.p.b + block.origin(Block::b_array, k) + int64_t(node) * block.p.b_at.step(block.tree),
                           x.of[i]);
    }

    const Block &block_;
    const TilePlaces<T> &places_;
    int lane_, lanes_;
    unsigned step_;
    char *to_ = nullptr;
    int64_t k_ = 0;
    int count_ = 0;
    bool is_packed_ = false, is_in_line_ = false;
};

// Rows in shared memory, and the coefficients on their way to it: a thread copies its own, `depth` steps ahead of their
// use, also those of the next tile.
template <class T, bool IS_KEPT = true>
class StreamedStore : public CondensedColumns<T, StreamedShape<T>::across> {
public:
    using Shape = StreamedShape<T, IS_KEPT>;
    using Columns = CondensedColumns<T, Shape::across>;
    using Pack = typename Columns::Pack;
    using Sum = typename Columns::Sum;
    using Block = CondensedBlock<T>;

    __device__ StreamedStore(const Block &block, Shape shape, const TilePlaces<T> &places, int worker, int lane)
        : Columns{block.memory + shape.u(block.condensed) + lane * 16,
                  block.memory + shape.l(block.condensed) + lane * 16,
                  block.memory + shape.d(block.condensed) + lane * 16,
                  block.memory + shape.b(block.condensed) + lane * 16, unsigned(shape.row_bytes())},
          block_(block),
          places_(places),
          lane_(lane),
          lanes_(shape.lanes()),
          workers_(block.condensed.workers),
          count_(block.condensed.steps),
          slot_bytes_(int(blockDim.x) * arrays * 16),
          e_(block.memory + shape.e(block.condensed) + lane * 16),
          ring_(block.memory + shape.ring(block.condensed) + threadIdx.x / 32 * (32 * arrays * 16) +
                threadIdx.x % 32 * 16),
          ring_address_(shared_address(ring_)),
          is_conjugated_(block.p.is_conjugated),
          is_symmetric_(block.p.u == block.p.l),
          has_shared_(block.is_shared(0)),
          has_shared_d_(block.is_shared(2)),
          tiles_(int((block.range.end - block.range.first + block.range.stride - 1) / block.range.stride)),
          steps_(block.steps() + worker),
          next_(steps_),
          is_used_(worker < workers_),
          targets_(block, places, lane, shape.lanes()) {
        if (is_used_) {
            start_ = block.condensed.starts[worker];
            end_ = worker + 1 < workers_ ? block.condensed.starts[worker + 1]
                                         : CondensedStart{block.condensed.nodes, block.condensed.paths};
        }
        for (int a = 0; a < arrays; ++a) step_of_[a] = unsigned(block.step(a));
        find_sources();
        for (int i = 0; i < Shape::depth; ++i) fetch();
    }

    __device__ void begin() { row_ = start_.row, path_ = start_.path; }
    template <class Operands>
    __device__ Operands operands(CondensedStep) {
        asm volatile("cp.async.wait_group %0;" ::"n"(Shape::depth - 1) : "memory");
        const char *const from = ring_ + slot_;
        const auto value = [&](int a) { return *reinterpret_cast<const Pack *>(from + a * array_bytes); };
        Operands o{value(0), value(is_symmetric_ ? 0 : 1), value(2), value(3)};
        if (is_complex && is_conjugated_)
            Pack::for_each([&](int i) {
                o.u.of[i] = conjugate(o.u.of[i]), o.l.of[i] = conjugate(o.l.of[i]), o.d.of[i] = conjugate(o.d.of[i]);
            });
        fetch();
        return o;
    }
    __device__ uint32_t row(CondensedStep step, uint32_t port) {
        return step.is(CondensedStep::is_port) ? port : uint32_t(row_++);
    }
    using Columns::keep;
    __device__ void keep(uint32_t, const Pack &e) { this->at(e_, uint32_t(path_++)) = e; }
    __device__ Sum sum(CondensedStep step, uint32_t) const { return {&this->d(step.target), &this->b(step.target)}; }
    __device__ Sum take_sum(uint32_t row) const { return {&this->d(row), &this->b(row)}; }

    __device__ void find_targets(int tile) { targets_.find(tile); }
    __device__ void end() {
        row_ = end_.row, path_ = end_.path;
        least_row_ = start_.row < end_.row ? start_.row : 0;  // without rows of its own: a port's
    }
    __device__ uint32_t row_back(CondensedStep) { return uint32_t(--row_); }
    __device__ uint32_t row_ahead(CondensedStep, CondensedStep) const {
        return uint32_t(row_ > start_.row ? row_ - 1 : least_row_);
    }
    __device__ Pack e_back(uint32_t) { return this->at(e_, uint32_t(--path_)); }
    __device__ void unknown(uint32_t node, const Pack &x) const { targets_.store(node, x); }

protected:
    static constexpr int arrays = Block::arrays, b_array = Block::b_array;
    static constexpr int array_bytes = 32 * 16;  // of a warp, in a slot
    static constexpr bool is_complex = !std::is_same_v<T, Real<T>>;

    // Begins the next tile of the copies, if there is one.
    __device__ void find_sources() {
        next_ = steps_, left_ = count_;
        if (from_tile_ == tiles_) is_used_ = false;
        if (!is_used_) return;
        const TilePlace &place = places_.at(from_tile_);
        const bool is_full = place.is_in_line && place.count == lanes_ * Shape::across;
        const bool has_all = is_full && !has_shared_ && !has_shared_d_ && !is_symmetric_;
        is_plain_ = has_all && place.is_packed, is_unaligned_ = has_all && !place.is_packed;
        for (int a = 0; a < arrays; ++a) {
            const int across = is_shared(a) ? 0 : place.is_packed ? lane_ * Shape::across : lane_;
            from_[a] = reinterpret_cast<const char *>(block_.p.data(a) + place.origin[a] + across);
        }
        ++from_tile_;
    }
    // Starts the copies of the next step.
    __device__ void fetch() {
        const uint32_t word = is_used_ ? next_->node_and_flags : CondensedStep::idle_word;
        const CondensedStep step{word, 0};
        const unsigned to = ring_address_ + unsigned(slot_);
        if (!step.is(CondensedStep::is_idle)) {
            if (is_plain_ && !step.is(CondensedStep::is_root))
#pragma unroll
                for (int a = 0; a < arrays; ++a)
                    copy_async<float4, 1, 0>(true, to + unsigned(a * array_bytes),
                                             reinterpret_cast<const float4 *>(source(a, step.node())));
            else if (is_unaligned_ && !step.is(CondensedStep::is_root))
#pragma unroll
                for (int a = 0; a < arrays; ++a)
                    copy_elements(source(a, step.node()), to + unsigned(a * array_bytes), lanes_ * int(sizeof(T)));
            else
                copy(step, to);
        }
        next_ += workers_;
        if (--left_ == 0) find_sources();
        asm volatile("cp.async.commit_group;" ::: "memory");
        slot_ = slot_ == (Shape::depth - 1) * slot_bytes_ ? 0 : slot_ + slot_bytes_;
    }
    __device__ const char *source(int a, uint32_t node) const {
        uint64_t address;
        asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(address) : "r"(node), "r"(step_of_[a]), "l"(from_[a]));
        return reinterpret_cast<const char *>(address);
    }
    // The same, if not all rows consist of aligned units, if arrays are shared or symmetric, or for a root
    __device__ void copy(CondensedStep step, unsigned to) const {
        const TilePlace &place = places_.at(place_of_copies());
        const uint32_t node = step.node();
#pragma unroll
        for (int a = 0; a < arrays; ++a) {
            const unsigned own = to + unsigned(a * array_bytes);
            if (a == 1 && is_symmetric_) continue;
            if (a < 2 && step.is(CondensedStep::is_root))
                *reinterpret_cast<Pack *>(ring_ + slot_ + a * array_bytes) = Pack{};
            else if (is_shared(a))
                copy_elements(source(a, node), own, 0);
            else if (place.is_packed)
                copy_async<float4, 1, 0>(true, own, reinterpret_cast<const float4 *>(source(a, node)));
            else if (place.is_in_line)
                copy_row(source(a, node), own, lanes_ * int(sizeof(T)), lane_, lanes_, place.count);
            else
                copy_any(block_, a, block_.range.first + place_of_copies() * block_.range.stride + lane_, lanes_, node,
                         own);
        }
    }
    __device__ bool is_shared(int a) const { return a < 2 ? has_shared_ : a == 2 && has_shared_d_; }
    __device__ int place_of_copies() const { return from_tile_ - 1; }
    // Elements `across` bytes apart
    static __device__ void copy_elements(const char *from, unsigned to, int across) {
        Pack::for_each([&](int i) {
            copy_async<T, 1, 0>(true, to + i * unsigned(sizeof(T)), reinterpret_cast<const T *>(from + i * across));
        });
    }
    // The same, of systems `lanes` apart, of which there are `count`
    static __device__ void copy_row(const char *from, unsigned to, int across, int system, int lanes, int count) {
        Pack::for_each([&](int i) {
            copy_async<T, 1, 0>(system + i * lanes < count, to + i * unsigned(sizeof(T)),
                                reinterpret_cast<const T *>(from + i * across));
        });
    }
    static __device__ __noinline__ void copy_any(const Block &block, int a, int64_t k, int lanes, uint32_t node,
                                                 unsigned to) {
#pragma unroll 1
        for (int i = 0; i < Shape::across; ++i, to += unsigned(sizeof(T))) {
            const T *const from = block.p.data(a) + block.origin(a, k + i * lanes);
            copy_async<T, 1, 0>(true, to, from + int64_t(node) * block.p.place(a).step(block.tree));
        }
    }

    const Block &block_;
    const TilePlaces<T> &places_;
    int lane_, lanes_, workers_, count_, slot_bytes_;
    char *e_, *ring_;
    unsigned ring_address_;
    bool is_conjugated_, is_symmetric_, has_shared_, has_shared_d_;
    CondensedStart start_{}, end_{};
    int row_ = 0, path_ = 0, least_row_ = 0;
    // Of the copies
    int tiles_, from_tile_ = 0, left_ = 0, slot_ = 0;
    const CondensedStep *steps_, *next_;
    bool is_used_, is_plain_ = false, is_unaligned_ = false;
    const char *from_[arrays];
    unsigned step_of_[arrays];
    TileTargets<T> targets_;
};

template <class T>
__global__ void __launch_bounds__(384)
    hines_streamed(const __grid_constant__ HinesCall<T> p, int64_t first_range, int systems) {
    extern __shared__ uint4 shared_memory[];
    char *const memory = reinterpret_cast<char *>(shared_memory);
    const StreamedShape<T> shape{systems};
    const HinesBlock<T> own(p, first_range, systems);
    const DeviceTree &tree = p.plan.trees[own.range.tree];
    const CondensedBlock<T> block{p, own.range, tree, tree.streamed, systems, own.r, memory};
    const int worker = int(threadIdx.x) / shape.lanes(), lane = int(threadIdx.x) % shape.lanes();
    block.begin();
    const TilePlaces<T> places(block, memory + shape.tiles(tree.streamed));
    StreamedStore<T> store(block, shape, places, worker, lane);
    const DeviceSubtrees tables = block.tables();
    CondensedWorker<StreamedStore<T>> solver(tree.streamed, tables, block.steps(), worker, store);
    const int column = int(threadIdx.x) % systems, at = column * int(sizeof(T));
    const UpperLevels<TreeRows<T, unsigned>> upper(
        tree.streamed, tables, systems,
        {memory + shape.u(tree.streamed) + at, memory + shape.l(tree.streamed) + at,
         memory + shape.d(tree.streamed) + at, memory + shape.b(tree.streamed) + at, store.step});
    int64_t k = own.range.first;
    for (int tile = 0; k < own.range.end; ++tile, k += own.range.stride) {
        int *const reports = block.reports(tile % 2 == 1);
        store.find_targets(tile);
        block.solve(
            solver, upper, reports, lane * shape.across, column,
            [&](int row) { return tree.streamed.nodes_of_ports[row]; }, [&] { places.find(tile + 2); });
        const TileColumns columns{shape.lanes(), shape.across, places.at(tile).is_packed};
        __syncthreads();
        block.put_reports(reports, [&](int c) { return k + columns.system(c / shape.across, c % shape.across); });
    }
}

}  // namespace xbatch::hines
