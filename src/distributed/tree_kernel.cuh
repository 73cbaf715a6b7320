// tree_kernel.cuh: the joins of distributed systems on CUDA: of a rank's leaves to the nodes that it sends, and of the
// nodes of all ranks by the rank that closes a system; and back, from the unknowns at the ends of nodes to those at the
// ends of leaves. One kernel does all of these, so that the bits of a join do not depend on where it is made.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "communicator.hpp"
#include "core/dependent_launch.cuh"
#include "core/info.cuh"
#include "singular_mark.hpp"
#include "tridiagonal/pivoted/interface.cuh"

namespace xbatch::distributed {

using tridiagonal::InterfaceEquations;
using tridiagonal::Known;
using tridiagonal::Middle;

struct TreeJoin {
    int32_t begin, middle;
};
// Joins are in rounds, each of which needs only those before it. In device memory.
struct Tree {
    int32_t slots, rounds;
    const TreeJoin *joins;
    const int32_t *round;  // [rounds + 1] their first joins
    const int64_t *row;    // [slots] the first row of each, of whole systems
};
// Where nodes or their ends are in messages. Systems are in parts, of which number q begins with system part[q] and at
// byte part_at[q] of the buffer; the place of its system s is (s - part[q])*step bytes behind that. In device memory.
struct TreePlace {
    int64_t at, step;
    int32_t slot;  // -1: of a rank without nodes, which learns info
};
struct TreeMessages {
    char *buffer;
    int32_t parts, places;
    const int64_t *part, *part_at;  // [parts + 1], [parts]
    const TreePlace *place;         // [places]

    // Place k of a system; elements in it are aligned to their real parts.
    __device__ char *at(int k, int64_t system) const {
        int q = 0;
        for (int step = parts / 2, count = parts; count > 1; count -= step, step = count / 2)
            if (part[q + step] <= system) q += step;
        return buffer + part_at[q] + place[k].at + (system - part[q]) * place[k].step;
    }
};
// The headers of one exchange; none where the host writes and checks them
struct TreeHeaders {
    char *buffer;
    const int64_t *at;  // [count], device memory
    int32_t count;
    uint64_t word;    // what is sent or expected
    uint64_t broken;  // what is sent in place of it after a message that was not expected
};
// What ranks said about going on, in memory of the device and of the host: 0, or of the first rank that does not go on
struct TreeVerdict {
    int32_t *device, *host;
};

enum class TreeJob { REDUCE, CLOSE, EXPAND };

template <class T>
struct TreeWork {
    static constexpr int threads = 128, values = 10;  // of a slot

    TreeJob job;
    Tree tree;
    int64_t units, batch;  // right-hand sides of systems, number r*batch + s of system s
    int32_t units_log;     // of a block
    bool is_shared;        // slots are in shared memory; otherwise in `slots`, and a block has one unit
    bool is_periodic;
    bool triggers;  // dependents, where the next kernel is one of the same call and not the layer's
    int64_t n;
    // The tree is that of `groups` trees of the same form, whose slots follow one another from first_slot on.
    int32_t groups, first_slot, all_slots;
    T *slots;      // [units][all_slots][values] REDUCE, EXPAND: of leaves; CLOSE: of nodes, unless is_shared
    int32_t *bad;  // [units][all_slots] as info; not EXPAND
    TreeMessages in, out;
    int32_t *info;  // EXPAND: [batch], may be NULL
    TreeHeaders heard, own;
    TreeVerdict verdict;

    int pitch() const { return is_shared ? (1 << units_log) | 1 : 1; }
    size_t shared_bytes() const {
        return is_shared ? size_t(tree.slots) * size_t(pitch()) * (values * sizeof(T) + sizeof(int32_t)) : 0;
    }
};

// The block's units, each of which is one group of those of TreeWork, and their slots: value v of slot k of unit u is
// at (k*values + v)*pitch + u.
template <class T>
struct TreeBlock {
    static constexpr int values = TreeWork<T>::values, threads = TreeWork<T>::threads;
    using R = Real<T>;

    const TreeWork<T> &w;
    int64_t unit0;
    int there, pitch;
    T *slots;
    int32_t *bad;

    __device__ TreeBlock(const TreeWork<T> &work, unsigned char *shared) : w(work) {
        unit0 = int64_t(blockIdx.x) << w.units_log;
        there = int(max(int64_t(0), min(w.units * w.groups - unit0, int64_t(1) << w.units_log)));
        pitch = w.is_shared ? (1 << w.units_log) | 1 : 1;
        slots = w.is_shared ? reinterpret_cast<T *>(shared) : w.slots + number_of(0, 0) * values;
        bad =
            w.is_shared ? reinterpret_cast<int32_t *>(slots + w.tree.slots * values * pitch) : w.bad + number_of(0, 0);
    }

    __device__ T *slot(int k, int unit) const { return slots + k * values * pitch + unit; }
    __device__ int32_t &bad_of(int k, int unit) const { return bad[k * pitch + unit]; }
    __device__ int64_t system_of(int unit) const { return (unit0 + unit) % w.batch; }
    __device__ int64_t side_of(int unit) const { return (unit0 + unit) / w.batch; }

    __device__ InterfaceEquations<T> equations(int k, int unit) const {
        const T *const at = slot(k, unit);
        const auto v = [&](int number) { return at[number * pitch]; };
        return {{v(0), v(1), v(2), v(3), v(8)}, {v(4), v(5), v(6), v(7), v(9)}};
    }
    __device__ void put(int k, int unit, const InterfaceEquations<T> &e) const {
        put(k, unit, {e.a.l0, e.a.l1, e.a.p, e.a.q, e.b.l0, e.b.l1, e.b.p, e.b.q, e.a.g, e.b.g});
    }
    __device__ void put(int k, int unit, const Middle<T> &m) const {
        put(k, unit, {m.e0, m.e1, m.q, m.f0, m.f1, m.k0, m.k1, m.g, m.h, T(m.from_right ? 1 : 0)});
    }
    __device__ Middle<T> middle(int k, int unit) const {
        const T *const at = slot(k, unit);
        const auto v = [&](int number) { return at[number * pitch]; };
        return {v(0), v(1), v(2), v(3), v(4), v(5), v(6), v(7), v(8), tridiagonal::weight(v(9)) > 0, true};
    }
    __device__ void put(int k, int unit, const Known<T> &x) const {
        T *const at = slot(k, unit);
        at[0] = x.left0, at[pitch] = x.left1, at[2 * pitch] = x.right0, at[3 * pitch] = x.right1;
    }
    __device__ Known<T> known(int k, int unit) const {
        const T *const at = slot(k, unit);
        return {at[0], at[pitch], at[2 * pitch], at[3 * pitch]};
    }

    // act(number, unit) for `count` things of each unit
    template <class Act>
    __device__ void each(int count, Act act) const {
        for (int e = threadIdx.x; e < count << w.units_log; e += threads) {
            const int unit = e & (1 << w.units_log) - 1;
            if (unit < there) act(e >> w.units_log, unit);
        }
        __syncthreads();
    }
    // Copies the slots from global to shared memory, and back the first `count` values of each.
    template <class Act>
    __device__ void each_value(int count, Act act) const {
        const unsigned of_unit = unsigned(w.tree.slots * count);
        for (unsigned e = threadIdx.x; e < unsigned(there) * of_unit; e += threads) {
            const unsigned unit = e / of_unit, k = (e - unit * of_unit) / unsigned(count);
            act(int(unit), int(k), int(e - unit * of_unit - k * unsigned(count)));
        }
        __syncthreads();
    }
    // Among all slots, and among those of a system
    __device__ int64_t number_of(int unit, int k) const {
        const int64_t u = unit0 + unit, whole = w.groups == 1 ? u : u / w.groups;
        return whole * w.all_slots + w.first_slot + (u - whole * w.groups) * w.tree.slots + k;
    }
    __device__ int64_t first_row(int unit, int k) const { return w.tree.row[number_of(unit, k) % w.all_slots]; }
    __device__ void load_slots() const {
        if (!w.is_shared) return;
        each_value(values, [&](int unit, int k, int v) {
            slot(k, unit)[v * pitch] = w.slots[number_of(unit, k) * values + v];
        });
        if (w.job == TreeJob::REDUCE)
            each_value(1, [&](int unit, int k, int) { bad_of(k, unit) = w.bad[number_of(unit, k)]; });
    }
    __device__ void store_slots(int count) const {
        if (!w.is_shared) return;
        each_value(count, [&](int unit, int k, int v) {
            w.slots[number_of(unit, k) * values + v] = slot(k, unit)[v * pitch];
        });
        if (w.job == TreeJob::REDUCE && w.groups > 1)
            each_value(1, [&](int unit, int k, int) { w.bad[number_of(unit, k)] = bad_of(k, unit); });
    }

    __device__ char *place(const TreeMessages &m, int k, int unit) const { return m.at(k, system_of(unit)); }
    static __device__ T load(const char *at, int64_t number) {
        const R *const from = reinterpret_cast<const R *>(at) + number * int(sizeof(T) / sizeof(R));
        if constexpr (sizeof(T) == sizeof(R))
            return *from;
        else
            return {from[0], from[1]};
    }
    static __device__ void store(char *at, int64_t number, const T &x) {
        R *const to = reinterpret_cast<R *>(at) + number * int(sizeof(T) / sizeof(R));
        if constexpr (sizeof(T) == sizeof(R))
            *to = x;
        else
            to[0] = x.re, to[1] = x.im;
    }
    static __device__ void mark(char *at, int64_t row) {
        reinterpret_cast<uint64_t *>(at)[0] = singular_mark;
        reinterpret_cast<int64_t *>(at)[1] = row;
    }
    static __device__ int64_t marked_row(const char *at) {
        return reinterpret_cast<const uint64_t *>(at)[0] == singular_mark ? reinterpret_cast<const int64_t *>(at)[1]
                                                                          : 0;
    }

private:
    __device__ void put(int k, int unit, const T (&value)[values]) const {
        T *const at = slot(k, unit);
#pragma unroll
        for (int v = 0; v < values; ++v) at[v * pitch] = value[v];
    }
};

// The nodes of all ranks
template <class T>
__device__ inline void receive_nodes(const TreeBlock<T> &b) {
    b.each(b.w.in.places, [&](int k, int unit) {
        const char *const at = b.place(b.w.in, k, unit);
        const auto v = [&](int64_t number) { return b.load(at, number); };
        const int64_t g = 8 + 2 * b.side_of(unit);
        b.put(k, unit, InterfaceEquations<T>{{v(0), v(1), v(2), v(3), v(g)}, {v(4), v(5), v(6), v(7), v(g + 1)}});
        b.bad_of(k, unit) = int32_t(b.marked_row(at));
    });
}
template <class T>
__device__ inline void send_nodes(const TreeBlock<T> &b) {
    b.each(b.w.out.places, [&](int k, int unit) {
        char *const at = b.place(b.w.out, k, unit);
        const int slot = b.w.out.place[k].slot;
        const InterfaceEquations<T> e = b.equations(slot, unit);
        const int64_t side = b.side_of(unit);
        b.store(at, 8 + 2 * side, e.a.g), b.store(at, 9 + 2 * side, e.b.g);
        if (side > 0) return;
        const T c[8] = {e.a.l0, e.a.l1, e.a.p, e.a.q, e.b.l0, e.b.l1, e.b.p, e.b.q};
#pragma unroll
        for (int v = 0; v < 8; ++v) b.store(at, v, c[v]);
        if (const int32_t row = b.bad_of(slot, unit)) b.mark(at, row);
    });
}

// Of joined slots the bad row, of joins that are not meaningful none
template <class T>
__device__ inline void join_all(const TreeBlock<T> &b) {
    const Tree &tree = b.w.tree;
    for (int round = 0; round < tree.rounds; ++round) {
        const int first = tree.round[round];
        b.each(tree.round[round + 1] - first, [&](int number, int unit) {
            const TreeJoin j = tree.joins[first + number];
            InterfaceEquations<T> left = b.equations(j.begin, unit);
            const Middle<T> middle = compose(left, b.equations(j.middle, unit));
            b.put(j.begin, unit, left), b.put(j.middle, unit, middle);
            int32_t &bad = b.bad_of(j.begin, unit);
            const int32_t other = b.bad_of(j.middle, unit);
            if (bad == 0 || (other != 0 && other < bad)) bad = other;
            if (bad == 0 && !middle.is_fine) bad = info_of(b.first_row(unit, j.middle));
        });
    }
}
template <class T>
__device__ inline void resolve_all(const TreeBlock<T> &b) {
    const Tree &tree = b.w.tree;
    for (int round = tree.rounds - 1; round >= 0; --round) {
        const int first = tree.round[round];
        b.each(tree.round[round + 1] - first, [&](int number, int unit) {
            const TreeJoin j = tree.joins[first + number];
            const Known<T> both = b.known(j.begin, unit);
            const Middle<T> middle = b.middle(j.middle, unit);
            Known<T> left = both;
            narrow(left, middle, false);
            b.put(j.begin, unit, left);
            b.put(j.middle, unit, Known<T>{left.right0, left.right1, both.right0, both.right1});
        });
    }
}

template <class T>
__device__ inline void close_systems(const TreeBlock<T> &b) {
    b.each(1, [&](int, int unit) {
        Known<T> known;
        const bool is_fine = tridiagonal::close(b.equations(0, unit), b.w.is_periodic, known);
        int32_t &bad = b.bad_of(0, unit);
        if (bad == 0 && !is_fine) bad = info_of(b.w.n - 1);
        b.put(0, unit, known);
    });
}
template <class T>
__device__ inline void send_ends(const TreeBlock<T> &b) {
    b.each(b.w.out.places, [&](int k, int unit) {
        char *const at = b.place(b.w.out, k, unit);
        const int slot = b.w.out.place[k].slot;
        const int64_t side = b.side_of(unit);
        const int32_t row = b.bad_of(0, unit);
        if (row && side == 0) return b.mark(at, row);
        const Known<T> x = slot >= 0 ? b.known(slot, unit) : Known<T>{T(0), T(0), T(0), T(0)};
        b.store(at, 4 * side, x.left0), b.store(at, 4 * side + 1, x.left1);
        b.store(at, 4 * side + 2, x.right0), b.store(at, 4 * side + 3, x.right1);
    });
}
// Also sets info of singular systems, which get NaN.
template <class T>
__device__ inline void receive_ends(const TreeBlock<T> &b) {
    const T none(std::numeric_limits<Real<T>>::quiet_NaN());
    b.each(b.w.in.places, [&](int k, int unit) {
        const char *const at = b.place(b.w.in, k, unit);
        const int slot = b.w.in.place[k].slot;
        const int64_t side = b.side_of(unit), row = b.marked_row(at);
        if (k == 0 && side == 0 && b.w.info) b.w.info[b.system_of(unit)] = int32_t(row);
        if (slot < 0) return;
        const auto v = [&](int number) { return row ? none : b.load(at, 4 * side + number); };
        b.put(slot, unit, Known<T>{v(0), v(1), v(2), v(3)});
    });
}

__device__ inline int status_of(const TreeHeaders &heard, int q) {
    const uint64_t word = *reinterpret_cast<const uint64_t *>(heard.buffer + heard.at[q]);
    if (word == heard.word) return XBATCH_STATUS_SUCCESS;
    Header got, expected;
    memcpy(&got, &word, sizeof got), memcpy(&expected, &heard.word, sizeof expected);
    const bool is_expected = got.mark == expected.mark && got.kind == expected.kind &&
                             got.sequence == expected.sequence && got.not_status == uint8_t(~got.status);
    return is_expected ? got.status : int(XBATCH_STATUS_COMM_FAILED);
}
// SUCCESS if all ranks go on. The first block notes the first rank that does not.
__device__ inline int verdict_of(const TreeHeaders &heard, const TreeVerdict &verdict) {
    int worst = XBATCH_STATUS_SUCCESS;
    for (int q = threadIdx.x; q < heard.count; q += blockDim.x) worst = max(worst, status_of(heard, q));
    const bool is_refused = __syncthreads_or(worst != XBATCH_STATUS_SUCCESS);
    const bool is_broken = __syncthreads_or(worst == XBATCH_STATUS_COMM_FAILED);
    if (is_refused && blockIdx.x == 0 && threadIdx.x == 0) {
        int q = 0;
        while (!is_broken && status_of(heard, q) == XBATCH_STATUS_SUCCESS) ++q;
        const int32_t found = (q + 1) << 8 | (is_broken ? int(XBATCH_STATUS_COMM_FAILED) : status_of(heard, q));
        *verdict.device = found, *static_cast<volatile int32_t *>(verdict.host) = found;
    }
    return is_broken ? XBATCH_STATUS_COMM_FAILED : is_refused ? XBATCH_STATUS_INVALID_VALUE : XBATCH_STATUS_SUCCESS;
}

// Reads the headers of the messages received, and writes those of the messages sent. Whether this rank goes on
template <class Work>
__device__ inline bool agrees(const Work &w) {
    const int heard = verdict_of(w.heard, w.verdict);
    const bool goes_on =
        heard == XBATCH_STATUS_SUCCESS && (w.job == TreeJob::REDUCE || *w.verdict.device == XBATCH_STATUS_SUCCESS);
    if (blockIdx.x == 0) {
        if (w.job == TreeJob::REDUCE && threadIdx.x == 0) *w.verdict.device = XBATCH_STATUS_SUCCESS;
        const uint64_t word = heard == XBATCH_STATUS_COMM_FAILED ? w.own.broken : w.own.word;
        for (int q = threadIdx.x; q < w.own.count; q += blockDim.x)
            *reinterpret_cast<uint64_t *>(w.own.buffer + w.own.at[q]) = word;
    }
    return goes_on;
}

template <class T>
__global__ void __launch_bounds__(TreeWork<T>::threads) join_tree(TreeWork<T> w) {
    constexpr int values = TreeWork<T>::values;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    if (w.triggers) trigger_dependents();
    wait_for_prerequisites();
    if (!agrees(w)) return;
    const TreeBlock<T> b(w, shared_bytes);
    if (w.job == TreeJob::CLOSE)
        receive_nodes(b);
    else if (w.tree.rounds > 0 || w.job == TreeJob::REDUCE)
        b.load_slots();
    if (w.job == TreeJob::EXPAND)
        receive_ends(b);
    else
        join_all(b);
    if (w.job == TreeJob::REDUCE) send_nodes(b);
    if (w.job == TreeJob::CLOSE) close_systems(b);
    if (w.job != TreeJob::REDUCE) resolve_all(b);
    if (w.job == TreeJob::CLOSE) send_ends(b);
    if (w.job == TreeJob::REDUCE && w.tree.rounds > 0) b.store_slots(values);
    if (w.job == TreeJob::EXPAND) b.store_slots(4);
}

}  // namespace xbatch::distributed
