// share_host.hpp: the phases of a distributed solve on the host, for any method that reduces chunks to a few equations
// and joins them.
//
// A method M<T> has a Slot: the equations of a chunk of L systems in SIMD lanes, which a join turns into those of the
// unknowns between two chunks. Slot k of a system is that of chunk k; the slot after the last chunk takes the ends.
//
//     Element, Arrays, Slot                              types; Slot has first_bad[L], is_finite[L]
//     scratch_arrays                                     numbers of a thread for each element of a lane group
//     forward_bytes(arrays, sides), back_bytes(sides)    of a node's message, and of its answer, at least 16
//     store(place, r, arrays, slot, lane)                a node's equations of right-hand side r in its message
//     load(place, r, arrays, node, slot, lane)           the same; `node` counts those that this rank closes
//     note_bad(place, arrays, row)                       the first bad row of a node's message
//     bad_row(place, arrays, node)                       the same, or no_bad_row
//     has_unknowns(arrays)                               whether the call computes them: else only info
//     store_ends, load_ends(place, r, arrays, begin, end, lane)  the unknowns at its ends
//     join(lanes, arrays, begin, middle, bad)            `begin` becomes both; bad[l]: 0, or the first bad row relative
//     to
//                                                        the row before `middle`, from 1
//     resolve(lanes, arrays, begin, middle, end)         the unknowns of `middle` from those at both ends
//     close(lanes, arrays, begin, end, bad)              the ends of the whole system; bad[l]: 0, 1 for its first row,
//     2
//                                                        for its last one
//     spoil(slot, lane)                                  NaN in place of the unknowns
//     M(plan, arrays)                                    then, for a lane group of chunks:
//     b_at(r)                                            where its right-hand sides are
//     reduce(chosen, r, slots, scratch, of_array)        rows to equations
//     determine(chosen, r, slots, scratch, of_array)     ends to unknowns
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <omp.h>

#include "core/dispatch.hpp"
#include "phases_host.hpp"
#include "share_lanes_host.hpp"

namespace xbatch::distributed {

// Methods whose messages have all that a node needs, and whose calls all compute unknowns
template <class Arrays>
struct WholeNodes {
    static void note_bad(char *place, const Arrays &, int64_t row) { mark(place, row); }
    static int64_t bad_row(const char *place, const Arrays &, int64_t) { return marked_row(place); }
    static bool has_unknowns(const Arrays &) { return true; }
};

// One compiled function joins the nodes of all ranks, and one resolves them, so that the bits of a join do not depend
// on where it is made. bad[k][l] is the first bad row, from 1, of the rows joined in slot k of lane l: of rows whose
// join is not meaningful the smaller one.
template <class M>
XBATCH_SIMD_CLONES __attribute__((noinline)) void join_all(const std::vector<Join> &joins, typename M::Slot *slots,
                                                           int64_t *bad, const typename M::Arrays &arrays,
                                                           int64_t lanes) {
    for (const Join &j : joins) {
        alignas(64) RowNumber<typename M::Element> step[slot_lanes<typename M::Element>];
        M::join(lanes, arrays, slots[j.begin], slots[j.middle], step);
        int64_t *const left = bad + j.begin * lanes, *const right = bad + j.middle * lanes;
        for (int64_t l = 0; l < lanes; ++l) {
            const int64_t earlier = std::min(left[l], right[l]), own = step[l] ? j.row + step[l] - 1 : no_bad_row;
            left[l] = earlier < no_bad_row ? earlier : own;
        }
    }
}
template <class M>
XBATCH_SIMD_CLONES __attribute__((noinline)) void resolve_all(const std::vector<Join> &joins, typename M::Slot *slots,
                                                              const typename M::Arrays &arrays, int64_t lanes) {
    for (auto j = joins.rbegin(); j != joins.rend(); ++j)
        M::resolve(lanes, arrays, slots[j->begin], slots[j->middle], slots[j->end]);
}

template <class M>
XBATCH_SIMD_CLONES __attribute__((noinline)) void close_all(typename M::Slot &begin, typename M::Slot &end,
                                                            const typename M::Arrays &arrays,
                                                            RowNumber<typename M::Element> *bad, int64_t lanes) {
    M::close(lanes, arrays, begin, end, bad);
}

// Which lanes of a slot systems and right-hand sides have. Where a slot has room for more than all systems, it has
// several right-hand sides of them.
template <class T>
struct SlotLanes {
    int64_t systems, sides;

    explicit SlotLanes(const MpPlan &plan)
        : systems(std::clamp<int64_t>(plan.batch, 1, slot_lanes<T>)), sides(slot_lanes<T> / systems) {}
    int lane(int64_t j, int64_t r) const { return int(r % sides * systems + j % systems); }
};

// The workspace of a solve
template <class M>
struct Work {
    using T = typename M::Element;
    using Slot = typename M::Slot;
    int64_t threads;
    Slot *slots;   // [groups of systems][groups of right-hand sides][slots + 1]
    Slot *top;     // [threads][nodes of all ranks + 1]
    int64_t *bad;  // [threads][2][the larger number of slots + 1][slot_lanes]
    T *scratch;
    int64_t bad_of_side, scratch_of_array, scratch_of_thread;
    size_t bytes;

    Work(const Context &context, const MpPlan &plan, void *workspace) {
        constexpr int64_t lanes = slot_lanes<T>;
        const Share &share = plan.share;
        const int64_t all_nodes = int64_t(plan.partition.nodes.size());
        const int64_t most = std::max(counted_product(share.slots(), plan.batch), plan.closed());
        threads = std::clamp<int64_t>(most, 1, thread_count(context));
        scratch_of_array = whole_lines(share.most_rows() * most_lanes<T>(plan));
        scratch_of_thread = M::scratch_arrays * scratch_of_array;
        bad_of_side = whole_lines((std::max(share.slots(), all_nodes) + 1) * lanes);
        Carver carver(workspace);
        const SlotLanes<T> of(plan);
        slots = carver.take<Slot>((plan.batch - 1) / of.systems + 1, (plan.nrhs - 1) / of.sides + 1, share.slots() + 1);
        top = carver.take<Slot>(threads, all_nodes + 1);
        bad = carver.take<int64_t>(threads, 2, bad_of_side);
        scratch = carver.take<T>(threads, scratch_of_thread);
        bytes = carver.bytes();
    }
};

// One solve. The calling threads share the work of each function, which ends with a barrier.
template <class M>
class Solve {
    using T = typename M::Element;
    using Slot = typename M::Slot;
    static constexpr int64_t lanes = slot_lanes<T>;

public:
    using Arrays = typename M::Arrays;
    using Work = distributed::Work<M>;
    static int64_t forward_bytes(const Arrays &arrays, int64_t sides) { return M::forward_bytes(arrays, sides); }
    static int64_t back_bytes(int64_t sides) { return M::back_bytes(sides); }

    Solve(const Context &context, MpPlan &plan, const Arrays &arrays, void *workspace)
        : plan_(plan),
          share_(plan.share),
          a_(arrays),
          method_(plan, arrays),
          work_(context, plan, workspace),
          of_(plan),
          groups_(plan, method_.b_at(0)) {}

    int threads() const { return team_size(work_.threads, share_.rows, plan_.batch); }
    // For closing alone
    int closing_threads() const {
        return team_size(work_.threads, 16 * int64_t(plan_.partition.nodes.size()), plan_.closed());
    }
    void condense() const {
        reduce_chunks();
        store_nodes();
    }
    void substitute() const {
        report_singular(plan_, a_.info);
        if (!M::has_unknowns(a_)) return;
        resolve_chunks();
        determine_chunks();
        report_not_finite();
    }
    void reduce_chunks() const {
        T *const scratch = work_.scratch + omp_get_thread_num() * work_.scratch_of_thread;
        for_each_group([&](const Chosen<T> &chosen, int64_t r, const LaneSlots<Slot, T> &slots) {
            method_.reduce(chosen, r, slots, scratch, work_.scratch_of_array);
        });
    }

    // Joins the chunks of each node and stores the node in its message.
    void store_nodes() const {
        int64_t *const bad = bad_of_thread(0);
#pragma omp for schedule(static)
        for (int64_t first = 0; first < plan_.batch; first += of_.systems) {
            for (int64_t r = 0; r < plan_.sides; r += of_.sides) {
                Slot *const slots = slots_of(first, r);
                if (r == 0) find_bad_rows(slots, bad);
                join_all<M>(share_.joins, slots, bad_of_thread(r), a_, lanes);
                for_each_lane_of(first, plan_.batch, r, [&](int64_t j, int64_t side, int lane) {
                    for (int64_t k = 0; k < share_.nodes(); ++k)
                        M::store(plan_.sent(j) + k * plan_.forward_bytes, side, a_, slots[share_.node_slot[k]], lane);
                });
            }
            for_each_lane_of(first, plan_.batch, 0, [&](int64_t j, int64_t side, int lane) {
                for (int64_t k = 0; k < share_.nodes() && side == 0; ++k)
                    if (const int64_t row = bad[share_.node_slot[k] * lanes + lane]; row < no_bad_row)
                        M::note_bad(plan_.sent(j) + k * plan_.forward_bytes, a_, row);
            });
        }
    }

    // Joins the nodes of all ranks, solves for the ends of the system, and stores those of each node in their message.
    void close_systems() const {
        const int64_t nodes = int64_t(plan_.partition.nodes.size());
        Slot *const slots = work_.top + omp_get_thread_num() * (nodes + 1);
        int64_t *const bad = bad_of_thread(0);
#pragma omp for schedule(static)
        for (int64_t s = 0; s < plan_.closed(); s += of_.systems) {
            const int64_t first = plan_.first_closed() + s, end = plan_.first_closed() + plan_.closed();
            int64_t row[lanes];
            for (int64_t r = 0; r < plan_.sides; r += of_.sides) {
                load_nodes(first, end, r, slots, bad);
                join_all<M>(plan_.partition.joins, slots, bad, a_, lanes);
                RowNumber<T> step[lanes];
                close_all<M>(slots[0], slots[nodes], a_, step, lanes);
                for (int64_t l = 0; l < lanes && r == 0; ++l)
                    row[l] = bad[l] < no_bad_row || !step[l] ? bad[l] : step[l] == 1 ? 1 : plan_.n;
                resolve_all<M>(plan_.partition.joins, slots, a_, lanes);
                for_each_lane_of(first, end, r, [&](int64_t j, int64_t side, int lane) {
                    return_ends(j, side, slots, lane, row[j - first]);
                });
            }
        }
    }

    // Computes the ends of all chunks.
    void resolve_chunks() const {
#pragma omp for schedule(static)
        for (int64_t first = 0; first < plan_.batch; first += of_.systems)
            for (int64_t r = 0; r < plan_.sides && share_.nodes() > 0; r += of_.sides) {
                Slot *const slots = slots_of(first, r);
                for_each_lane_of(first, plan_.batch, r, [&](int64_t j, int64_t side, int lane) {
                    for (int64_t k = 0; k < share_.nodes(); ++k)
                        M::load_ends(plan_.returned(j) + k * plan_.back_bytes, side, a_, slots[share_.node_slot[k]],
                                     slots[share_.node_slot[k + 1]], lane);
                });
                resolve_all<M>(share_.joins, slots, a_, lanes);
                for_each_lane_of(first, plan_.batch, r, [&](int64_t j, int64_t, int lane) {
                    const bool is_solved = marked_row(plan_.returned(j)) == no_bad_row;
                    for (int64_t k = 0; k <= share_.slots() && !is_solved; ++k) M::spoil(slots[k], lane);
                });
            }
    }

    void determine_chunks() const {
        T *const scratch = work_.scratch + omp_get_thread_num() * work_.scratch_of_thread;
        for_each_group([&](const Chosen<T> &chosen, int64_t r, const LaneSlots<Slot, T> &slots) {
            method_.determine(chosen, r, slots, scratch, work_.scratch_of_array);
        });
    }

    void report_not_finite() const {
        if (!a_.info) return;
        const auto is_solved = [&](int64_t j) {
            for (int64_t r = 0; r < plan_.sides; ++r)
                for (int64_t k = 0; k < share_.slots(); ++k)
                    if (!slots_of(j, r)[k].is_finite[of_.lane(j, r)]) return false;
            return true;
        };
#pragma omp for schedule(static)
        for (int64_t j = 0; j < plan_.batch; ++j)
            if (a_.info[j] == 0 && !is_solved(j)) a_.info[j] = int32_t(std::min<int64_t>(plan_.n + 1, INT32_MAX));
    }

private:
    // The rows that the first right-hand side notes, and those of the others, which are not needed
    int64_t *bad_of_thread(int64_t r) const {
        return work_.bad + (2 * omp_get_thread_num() + (r > 0)) * work_.bad_of_side;
    }
    Slot *slots_of(int64_t j, int64_t r) const {
        const int64_t groups_of_sides = (plan_.nrhs - 1) / of_.sides + 1;
        return work_.slots + (j / of_.systems * groups_of_sides + r / of_.sides) * (share_.slots() + 1);
    }
    // act(system, right-hand side, lane) for the lanes of a slot that begins with system `first` and right-hand side r
    template <class Act>
    void for_each_lane_of(int64_t first, int64_t end, int64_t r, Act act) const {
        for (int64_t side = r; side < std::min(r + of_.sides, plan_.sides); ++side)
            for (int64_t j = first; j < std::min(first + of_.systems, end); ++j)
                act(j, side, int((side - r) * of_.systems + j - first));
    }
    // act(chosen, r, slots of the lanes) for each lane group
    template <class Act>
    void for_each_group(Act act) const {
        const int64_t groups = groups_.count();
#pragma omp for schedule(static)
        for (int64_t u = 0; u < plan_.sides * groups; ++u) {
            const Chosen<T> chosen = groups_.choose(u % groups);
            if (chosen.count == 0) continue;
            LaneSlots<Slot, T> slots;
            for (int l = 0; l < chosen.count; ++l) {
                slots.slot[l] = slots_of(chosen.system[l], u / groups) + chosen.slot[l];
                slots.lane[l] = of_.lane(chosen.system[l], u / groups);
            }
            act(chosen, u / groups, slots);
        }
    }

    void find_bad_rows(const Slot *slots, int64_t *bad) const {
        for (int64_t k = 0; k < share_.slots(); ++k) {
            const int64_t before = share_.first_row + share_.slot_row[size_t(k)];
            for (int64_t l = 0; l < lanes; ++l)
                bad[k * lanes + l] = slots[k].first_bad[l] ? before + slots[k].first_bad[l] : no_bad_row;
        }
    }

    void load_nodes(int64_t first, int64_t end, int64_t r, Slot *slots, int64_t *bad) const {
        const Partition &p = plan_.partition;
        for (int q = 0; q < p.ranks(); ++q)
            for (int64_t k = 0; k < p.nodes_of(q); ++k) {
                const int64_t slot = p.rank_node[q] + k;
                for_each_lane_of(first, end, r, [&](int64_t j, int64_t side, int lane) {
                    const char *const place = plan_.received(j, q, k);
                    const int64_t node = (j - plan_.first_closed()) * int64_t(p.nodes.size()) + slot;
                    M::load(place, side, a_, node, slots[slot], lane);
                    bad[slot * lanes + lane] = M::bad_row(place, a_, node);
                });
            }
    }
    void return_ends(int64_t j, int64_t r, const Slot *slots, int lane, int64_t bad_row) const {
        const Partition &p = plan_.partition;
        plan_.for_each_returned(j, [&](int q, int64_t k, char *place) {
            const Slot *const s = slots + p.rank_node[q] + k;
            if (k < p.nodes_of(q))
                M::store_ends(place, r, a_, s[0], s[1], lane);
            else
                std::memset(place, 0, size_t(plan_.back_bytes));
            if (bad_row < no_bad_row && r + 1 == plan_.sides) mark(place, bad_row);
        });
    }

    MpPlan &plan_;
    const Share &share_;
    const Arrays &a_;
    const M method_;
    const Work work_;
    const SlotLanes<T> of_;
    const LaneGroups<T> groups_;
};

}  // namespace xbatch::distributed
