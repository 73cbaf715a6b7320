// condensed_worker.cuh: a worker condenses its subtrees of the first level to their ports, and substitutes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "condensed_shape.hpp"
#include "subtree_step.cuh"
#include "warp_step.cuh"

namespace xbatch::hines {

// Elements of a row, of the systems that a thread has
template <class T, int N>
struct alignas(N * sizeof(T)) Elements {
    static constexpr int count = N;
    T of[N];

    template <class F>
    static __device__ void for_each(F f) {
#pragma unroll
        for (int i = 0; i < N; ++i) f(i);
    }
};

// A thread's columns of the rows in shared memory. u and l of a port replace those of its node; c overwrites d, and g,
// then x, overwrite b.
template <class T, int N>
struct CondensedColumns {
    using Element = T;
    using Pack = Elements<T, N>;
    // Where contributions are added up: those to d and b, with the sign of d and b
    struct Sum {
        Pack *d, *b;
    };
    char *u_, *l_, *d_, *b_;
    unsigned step;

    __device__ Pack &at(char *rows, uint32_t row) const { return *reinterpret_cast<Pack *>(rows + row * step); }
    __device__ Pack &u(uint32_t row) const { return at(u_, row); }
    __device__ Pack &l(uint32_t row) const { return at(l_, row); }
    __device__ Pack &d(uint32_t row) const { return at(d_, row); }
    __device__ Pack &b(uint32_t row) const { return at(b_, row); }
    __device__ void keep(uint32_t row, const Pack &c, const Pack &g) const { d(row) = c, b(row) = g; }
};

// What the two kernels have in common. A Store has a thread's columns, and knows where coefficients come from, where
// rows are, and where sums and e are stored:
//     begin(), operands(step)       forwards: u, l, d, b of the step; u and l of a root are 0
//     row(step, port)               forwards: the node's row
//     keep(row, c, g), keep(row, e) forwards
//     sum(), take_sum(row)          where contributions are added up
//     end(), row_back(step), e_back(row), unknown(node, x)   backwards
//     row_ahead(step, next)         a row to read c and g from for the next step; any row of the worker if it has none
template <class Store>
class CondensedWorker {
public:
    using T = typename Store::Element;
    using Pack = typename Store::Pack;

    __device__ CondensedWorker(const DeviceCondensed &condensed, const DeviceSubtrees &tables,
                               const CondensedStep *steps, int worker, Store &store)
        : nodes_(condensed.nodes),
          workers_(condensed.workers),
          count_(condensed.steps),
          first_other_(worker < workers_ ? tables.worker_slots[worker] : 0),
          last_other_(worker < workers_ ? tables.worker_slots[worker + 1] : 0),
          ends_(tables.ends),
          steps_(steps + worker),
          worker_(worker),
          store_(store) {}

    // When the children of node v are eliminated, their contributions have been added to d and b:
    //     c = l / d,  g = b / d,  and the parent's  d -= u c,  b -= u g.
    // Above the port q each row also has an entry f in column q, and row q an entry h in column v:
    //     e = f / d,  d_q -= h e,  b_q -= h g,  then for the parent f = -u e, h = -h c.
    // Reports the number of nodes with bad pivots by bad(i, node).
    template <class Report>
    __device__ void condense(Report bad) {
        int32_t other = first_other_;
        const bool is_used = worker_ < workers_;
        const CondensedStep *next = steps_;
        CondensedStep ahead = is_used ? *next : CondensedStep{CondensedStep::idle_word, 0};
        store_.begin();
#pragma unroll 1
        for (int k = 0; k < count_; ++k) {
            const CondensedStep step = ahead;
            next += workers_;
            if (is_used && k + 1 < count_) ahead = *next;
            Operands o = store_.template operands<Operands>(step);
            if (!step.is(CondensedStep::is_idle)) {
                const bool is_port = step.is(CondensedStep::is_port);
                if (is_port) port_row_ = port_of(other);
                const uint32_t row = store_.row(step, port_row_);
                prepare(step, row, o);
                if (is_port)
                    open(row, o);
                else
                    eliminate(step, row, o, bad);
                if (step.is(CondensedStep::adds)) add(step, row);
                if (step.is(CondensedStep::ends)) ++other;
            }
        }
    }

    // From the tops to the tips. Calls lost(i) if an unknown is not finite.
    template <class Report>
    __device__ void substitute(Report lost) {
        if (worker_ >= workers_) return;
        const CondensedStep *next = steps_ + (count_ - 1) * workers_;
        int32_t other = last_other_ + 1;
        Pack x{}, at_port{};
        store_.end();
        CondensedStep ahead = *next;
        Pack c = store_.d(store_.row_ahead(ahead, ahead)), g = store_.b(store_.row_ahead(ahead, ahead));
#pragma unroll 1
        for (int k = count_; k > 0; --k) {
            const CondensedStep step = ahead;
            if (step.is(CondensedStep::is_idle)) break;  // only others come before it
            next -= workers_;
            if (k > 1) ahead = *next;
            if (step.is(CondensedStep::ends)) at_port = enter(--other);
            const bool is_port = step.is(CondensedStep::is_port), on_path = step.is(CondensedStep::on_path);
            const Pack own_c = c, own_g = g;
            const uint32_t row = is_port ? 0 : store_.row_back(step);
            const uint32_t row_ahead = store_.row_ahead(step, ahead);
            Pack above = x, e{};
            if (!is_port && !step.is(CondensedStep::to_next)) above = store_.b(step.target);
            if (on_path) e = store_.e_back(row);
            c = store_.d(row_ahead), g = store_.b(row_ahead);
            if (is_port) {
                x = at_port;
            } else {
                bool is_lost = false;
                Pack::for_each([&](int i) {
                    x.of[i] = less_product(own_g.of[i], own_c.of[i], above.of[i]);
                    if (on_path) x.of[i] = less_product(x.of[i], e.of[i], at_port.of[i]);
                    is_lost |= !is_finite(x.of[i]);
                });
                store_.b(row) = x;
                if (is_lost) Pack::for_each([&](int i) { lost(i, is_finite(x.of[i])); });
            }
            store_.unknown(step.node(), x);
        }
    }

private:
    struct Operands {
        Pack u, l, d, b;
    };

    // Subtracts what has been eliminated.
    __device__ void prepare(CondensedStep step, uint32_t row, Operands &o) {
        if (step.is(CondensedStep::has_sum)) {
            const auto sum = store_.take_sum(row);
            const Pack sum_d = *sum.d, sum_b = *sum.b;
            Pack::for_each([&](int i) { o.d.of[i] = o.d.of[i] + sum_d.of[i], o.b.of[i] = o.b.of[i] + sum_b.of[i]; });
        }
        if (step.is(CondensedStep::is_carried))
            Pack::for_each(
                [&](int i) { o.d.of[i] = o.d.of[i] - part_d_.of[i], o.b.of[i] = o.b.of[i] - part_b_.of[i]; });
    }
    template <class Report>
    __device__ void eliminate(CondensedStep step, uint32_t row, const Operands &o, Report bad) {
        Pack c, g, inverse, ui;
        bool is_bad = false;
        Pack::for_each([&](int i) {
            inverse.of[i] = fast_reciprocal(o.d.of[i]), ui.of[i] = product(o.u.of[i], inverse.of[i]);
            c.of[i] = product(o.l.of[i], inverse.of[i]), g.of[i] = product(o.b.of[i], inverse.of[i]);
            part_d_.of[i] = product(ui.of[i], o.l.of[i]), part_b_.of[i] = product(ui.of[i], o.b.of[i]);
            is_bad |= !is_regular(o.d.of[i]);
        });
        store_.keep(row, c, g);
        if (step.is(CondensedStep::on_path)) extend(row, inverse, ui, c, g);
        if (is_bad) Pack::for_each([&](int i) { bad(i, is_regular(o.d.of[i]) ? 0 : int(step.node()) + 1); });
    }
    // The same for the column of the port, whose row has f in u, and h in l
    __device__ void extend(uint32_t row, const Pack &inverse, const Pack &ui, const Pack &c, const Pack &g) {
        Pack e, f = store_.u(port_row_), h = store_.l(port_row_), d = store_.d(port_row_), b = store_.b(port_row_);
        Pack::for_each([&](int i) {
            e.of[i] = product(f.of[i], inverse.of[i]);
            d.of[i] = less_product(d.of[i], h.of[i], e.of[i]), b.of[i] = less_product(b.of[i], h.of[i], g.of[i]);
            f.of[i] = -product(ui.of[i], f.of[i]), h.of[i] = -product(h.of[i], c.of[i]);  // equal, if A is symmetric
        });
        store_.keep(row, e);
        store_.u(port_row_) = f, store_.l(port_row_) = h, store_.d(port_row_) = d, store_.b(port_row_) = b;
    }
    // Adds the node's contribution to others for its parent.
    __device__ void add(CondensedStep step, uint32_t row) {
        const auto sum = store_.sum(step, row);
        Pack d{}, b{};
        if (!step.is(CondensedStep::is_first)) d = *sum.d, b = *sum.b;
        Pack::for_each([&](int i) { d.of[i] = d.of[i] - part_d_.of[i], b.of[i] = b.of[i] - part_b_.of[i]; });
        *sum.d = d, *sum.b = b;
    }

    // A port is not eliminated.
    __device__ void open(uint32_t row, const Operands &o) {
        store_.u(row) = o.u, store_.l(row) = o.l, store_.d(row) = o.d, store_.b(row) = o.b;
        Pack::for_each([&](int i) { part_d_.of[i] = part_b_.of[i] = T(0); });
    }
    // The slot of a worker's subtree: the last has that with the worker's number
    __device__ int32_t slot(int32_t other) const { return other == last_other_ ? worker_ : other; }
    __device__ uint32_t port_of(int32_t other) const { return uint32_t(ends_[slot(other)].port); }
    // The tops read the unknown above them from the slot's row. Returns that of the port.
    __device__ Pack enter(int32_t other) const {
        const SubtreeEnds ends = ends_[slot(other)];
        store_.b(uint32_t(nodes_ + slot(other))) = ends.above >= 0 ? store_.b(uint32_t(ends.above)) : Pack{};
        return ends.port >= 0 ? store_.b(uint32_t(ends.port)) : Pack{};
    }

    int32_t nodes_, workers_, count_, first_other_, last_other_;
    const SubtreeEnds *ends_;
    const CondensedStep *steps_;
    int worker_;
    Store &store_;
    Pack part_d_{}, part_b_{};  // the last contribution
    uint32_t port_row_ = 0;
};

// The levels above the first, by all threads of a block: each is a worker of one system, whose rows are `rows`.
template <class Rows>
class UpperLevels {
public:
    using T = typename Rows::Element;

    __device__ UpperLevels(const DeviceCondensed &condensed, const DeviceSubtrees &tables, int systems,
                           const Rows &rows)
        : tables_(tables),
          nodes_(condensed.nodes),
          slots_(condensed.slots),
          levels_(condensed.levels),
          workers_(int(blockDim.x) / systems),
          worker_(int(threadIdx.x) / systems),
          rows_(rows) {
        if (worker_ >= workers_) worker_ = INT_MAX;
    }

    // Sets the slots of these levels to 0: subtrees whose top is their port have no contribution.
    __device__ void clear() const {
        const int first = levels_ > 1 ? tables_.levels[1].first_slot : slots_;
        for_all(slots_ - first, [&](int slot) {
            const auto at = rows_.at(uint32_t(nodes_ + first + slot));
            rows_.d(at) = rows_.b(at) = T(0);
        });
    }
    // bad(row + 1) reports a bad pivot, lost() an unknown that is not finite.
    template <class Bad, class Lost>
    __device__ void solve(Bad bad, Lost lost) const {
        for (int n = 1; n < levels_; ++n) {
            const SubtreeLevel level = tables_.levels[n];
            for_all(level.joints, [&](int w) { join(tables_, tables_.joints[level.first_joint + w], rows_); });
            __syncthreads();
            for_all(level.workers, [&](int w) {
                const int found = eliminate_level(tables_, level, w, rows_, 0);
                if (found > 0) bad(found);
            });
            __syncthreads();
        }
        for (int n = levels_ - 1; n > 0; --n) {
            const SubtreeLevel level = tables_.levels[n];
            for_all(level.workers, [&](int w) {
                if (!substitute_level(tables_, level, w, rows_)) lost();
            });
            __syncthreads();
        }
    }

private:
    template <class F>
    __device__ void for_all(int count, F f) const {
#pragma unroll 1
        for (int w = worker_; w < count; w += workers_) f(w);
    }

    const DeviceSubtrees &tables_;
    int32_t nodes_, slots_, levels_;
    int workers_, worker_;
    Rows rows_;
};

}  // namespace xbatch::hines
