// share_host.cpp: the phases of a distributed solve on the host, by the chunks and the tree of the partition method
// with pivoting.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <array>
#include <cstring>
#include <optional>

#include "core/dispatch.hpp"
#include "mp_plan.hpp"
#include "tridiagonal/pivoted/interface_chunks_host.hpp"

namespace xbatch::distributed {
namespace {

using namespace tridiagonal;

// In place of a node or its ends: a system whose matrix is singular, with the first bad row. NaN in every type.
constexpr uint64_t singular_mark = 0x7ff9b5c37fe5a2d7;

void mark(char *place, int64_t row) {
    std::memcpy(place, &singular_mark, sizeof singular_mark);
    std::memcpy(place + sizeof singular_mark, &row, sizeof row);
}
int64_t marked_row(const char *place) {
    int64_t row = 0;
    if (!std::memcmp(place, &singular_mark, sizeof singular_mark))
        std::memcpy(&row, place + sizeof singular_mark, sizeof row);
    return row;
}

// A node's message: the coefficients of both equations, then their right-hand sides for each r
template <class T>
void store_equations(char *place, int64_t r, const InterfaceEquations<T> &e) {
    const T coefficients[] = {e.a.l0, e.a.l1, e.a.r0, e.a.r1, e.b.l0, e.b.l1, e.b.r0, e.b.r1}, sides[] = {e.a.g, e.b.g};
    if (r == 0) std::memcpy(place, coefficients, sizeof coefficients);
    std::memcpy(place + sizeof coefficients + size_t(r) * sizeof sides, sides, sizeof sides);
}
template <class T>
InterfaceEquations<T> load_equations(const char *place, int64_t r) {
    T c[8], g[2];
    std::memcpy(c, place, sizeof c);
    std::memcpy(g, place + sizeof c + size_t(r) * sizeof g, sizeof g);
    return {{c[0], c[1], c[2], c[3], g[0]}, {c[4], c[5], c[6], c[7], g[1]}};
}

// The unknowns at a node's ends, which are in its slot and the next one
template <class T>
void store_ends(char *place, int64_t r, const Slot<T> *slots) {
    const T ends[] = {slots[0].x_m, slots[0].x_m1, slots[1].x_m, slots[1].x_m1};
    std::memcpy(place + size_t(r) * sizeof ends, ends, sizeof ends);
}
template <class T>
void load_ends(const char *place, int64_t r, Slot<T> &begin, Slot<T> &end) {
    T x[4];
    std::memcpy(x, place + size_t(r) * sizeof x, sizeof x);
    begin.x_m = x[0], begin.x_m1 = x[1], end.x_m = x[2], end.x_m1 = x[3];
}

// The smaller of two rows, of which 0 means none
int64_t first_of(int64_t a, int64_t b) { return a && b ? std::min(a, b) : a + b; }

// One compiled function joins the nodes of all ranks, and one resolves them, so that the bits of a join do not depend
// on where it is made. bad[k] is the first bad row, from 1, of the rows joined in slot k, 0 for none: of rows whose
// join is not meaningful the smaller one. It is NULL except for the first right-hand side.
template <class T>
__attribute__((noinline)) void join_all(const std::vector<Join> &joins, Slot<T> *slots, int64_t *bad) {
    for (const Join &j : joins) {
        const int bad_pivot = join(slots[j.begin].equations, slots[j.middle]);
        if (!bad) continue;
        const int64_t earlier = first_of(bad[j.begin], bad[j.middle]);
        bad[j.begin] = earlier || !bad_pivot ? earlier : j.row + bad_pivot - 1;
    }
}
template <class T>
__attribute__((noinline)) void resolve_all(const std::vector<Join> &joins, Slot<T> *slots) {
    for (auto j = joins.rbegin(); j != joins.rend(); ++j) resolve(slots[j->begin], slots[j->middle], slots[j->end]);
}

template <class T>
Share make_share(const Context &context, const MpPlan &plan) {
    const Partition &p = plan.partition;
    const int rank = plan.rank();
    Share share;
    share.first_row = p.offsets[rank], share.rows = p.rows(rank);
    share.begins = share.rows > 0 && share.first_row == 0, share.ends = share.rows > 0 && p.offsets[rank + 1] == p.n;
    const int64_t first_leaf = p.rank_leaf[rank];
    int64_t slots = 0;
    for (int64_t k = first_leaf; k < p.rank_leaf[rank + 1]; ++k) {
        const int64_t rows = p.leaf_row[k + 1] - p.leaf_row[k];
        const Cut cut = cut_rows<T>(context, rows, std::max(plan.batch, plan.nrhs), Boundary::open);
        share.leaves.push_back({p.leaf_row[k] - share.first_row, rows, slots, cut});
        slots += cut.chunks;
    }
    const auto slot_of = [&](int64_t k) {
        const size_t leaf = size_t(k - first_leaf);
        return leaf < share.leaves.size() ? share.leaves[leaf].first_slot : slots;
    };
    const auto join_chunks_of = [&](int64_t begin, int64_t end) {
        if (end - begin > 1) return false;
        const Leaf &leaf = share.leaves[size_t(begin - first_leaf)];
        append_joins(
            share.joins, 0, leaf.cut.chunks, [](int64_t k, int64_t l) { return l - k == 1; },
            [&](int64_t k) { return leaf.first_slot + k; },
            [&](int64_t k) { return share.first_row + leaf.row + k * leaf.cut.chunk_rows; });
        return true;
    };
    for (int64_t q = p.rank_node[rank]; q < p.rank_node[rank + 1]; ++q) {
        share.node_slot.push_back(slot_of(p.nodes[q].first));
        append_joins(share.joins, p.nodes[q].first, p.nodes[q].end, join_chunks_of, slot_of,
                     [&](int64_t k) { return p.leaf_row[k]; });
    }
    share.node_slot.push_back(slots);
    return share;
}

// An array of this rank: the systems with right-hand side r, whose rows are those of the share
Placement placement_of(const MpPlan &plan, int64_t nrhs, int64_t ld, int64_t r) {
    const int64_t rows = plan.share.rows;
    if (plan.block_stride > 0 && ld > 0) {
        const BatchStrides batch{{ld, (plan.batch - 1) / ld + 1}, {1, plan.block_stride * nrhs, 0}};
        return {strided_layout, rows, 1, ld, ld, r * plan.block_stride, batch};
    }
    Placement at =
        ld == 0 ? coefficients(plan.layout, rows, plan.batch, 0) : placement(plan.layout, rows, nrhs, plan.batch, ld);
    at.origin += r * at.side_step();
    return at;
}

// The lane groups of leaves with the same cut: a chunk of adjacent systems where these are adjacent in memory,
// otherwise chunks of a few systems, whose rows are then in the cache.
template <class T>
class LaneGroups {
public:
    LaneGroups(const Cut &cut, const MpPlan &plan, const Placement &b_at)
        : batch_(plan.batch),
          is_adjacent_(plan.layout != XBATCH_LAYOUT_FLAT && 2 * batch_ >= gathered_lanes<T>),
          cut_{cut.chunk_rows, cut.chunks, cut.last_rows, systems_at_once(cut)},
          systems_(b_at, batch_, std::min(widest_group<T>(cut, plan.layout, batch_), lanes_for<T>(b_at))),
          adjacent_(cut_, systems_, 0),
          mixed_tiles_(MixedTiles<T>(cut_, batch_, 0).count()) {}
    LaneGroups(const LaneGroups &) = delete;
    LaneGroups &operator=(const LaneGroups &) = delete;

    int64_t groups() const { return (batch_ - 1) / cut_.group + 1; }                   // of systems
    int64_t tiles() const { return is_adjacent_ ? adjacent_.count() : mixed_tiles_; }  // of a group of systems
    // May choose no chunk
    Chosen<T> choose(int64_t group, int64_t tile) const {
        if (is_adjacent_) return adjacent_.choose(tile);
        const MixedTiles<T> tiles(cut_, batch_, group * cut_.group);
        Chosen<T> chosen;
        chosen.count = 0;
        if (tile < tiles.count()) chosen = tiles.choose(tile);
        for (int l = 0; l < chosen.count; ++l) chosen.system[l] += tiles.first();
        return chosen;
    }

private:
    int64_t systems_at_once(const Cut &cut) const {
        constexpr int64_t lanes = gathered_lanes<T>, at_once = 16;
        return is_adjacent_ ? batch_ : std::min(std::max(lanes * at_once / cut.chunks, int64_t(1)), batch_);
    }

    int64_t batch_;
    bool is_adjacent_;
    Cut cut_;
    Tiles<T> systems_;
    NeighbourTiles<T> adjacent_;
    int64_t mixed_tiles_;
};

// The workspace of a solve
template <class T>
struct Work {
    int64_t threads;
    Slot<T> *slots;  // [batch][nrhs][slots + 1]
    Slot<T> *top;    // [threads][nodes of all ranks + 1]
    int64_t *bad;    // [threads][the larger number of slots + 1]
    T *scratch;
    int64_t bad_of_thread, scratch_of_array, scratch_of_thread;
    size_t bytes;

    Work(const Context &context, const MpPlan &plan, void *workspace) {
        const Share &share = plan.share;
        const int64_t all_nodes = int64_t(plan.partition.nodes.size());
        const int64_t most = std::max(counted_product(share.slots(), plan.batch), plan.closed());
        threads = std::clamp<int64_t>(most, 1, thread_count(context));
        scratch_of_array = 0;
        for (const Leaf &leaf : share.leaves) {
            const int64_t rows = std::max(leaf.cut.chunk_rows, leaf.cut.last_rows);
            const int64_t elements = rows * widest_group<T>(leaf.cut, plan.layout, plan.batch);
            scratch_of_array = std::max(scratch_of_array, whole_lines(elements));
        }
        scratch_of_thread = 3 * scratch_of_array;
        bad_of_thread = whole_lines(std::max(share.slots(), all_nodes) + 1);
        Carver carver(workspace);
        slots = carver.take<Slot<T>>(plan.batch, plan.nrhs, share.slots() + 1);
        top = carver.take<Slot<T>>(threads, all_nodes + 1);
        bad = carver.take<int64_t>(threads, bad_of_thread);
        scratch = carver.take<T>(threads, scratch_of_thread);
        bytes = carver.bytes();
    }
};

// One solve. The calling threads share the work of each function, which ends with a barrier.
template <class T>
class Solve {
public:
    Solve(const Context &context, MpPlan &plan, const Arrays &arrays, void *workspace)
        : plan_(plan), share_(plan.share), a_(arrays), work_(context, plan, workspace) {}

    int threads() const { return team_size(work_.threads, share_.rows, plan_.batch); }
    // For closing alone
    int closing_threads() const {
        return team_size(work_.threads, 16 * int64_t(plan_.partition.nodes.size()), plan_.closed());
    }
    // Lane groups are those of two lengths of leaves at most.
    void divide() {
        const Placement b_at = placement_of(plan_, plan_.nrhs, a_.ldb, 0);
        for (const Leaf &leaf : share_.leaves) {
            std::optional<LaneGroups<T>> &groups = groups_[size_t(leaf.rows - share_.leaves[0].rows + 1)];
            if (!groups) groups.emplace(leaf.cut, plan_, b_at);
            most_groups_ = std::max(most_groups_, groups->groups());
            most_tiles_ = std::max(most_tiles_, groups->tiles());
        }
    }

    void reduce_chunks() const {
        for_each_group([&](const Leaf &leaf, const Chosen<T> &chosen, int64_t r, Slot<T> *const *slots) {
            const ChunkTile<T> tile = tile_of(leaf, chosen, r);
            if (chosen.rows == 1)
                reduce_row(tile, slots);
            else
                reduce(tile, static_cast<const T *>(a_.B), slots);
        });
    }

    // Joins the chunks of each node and stores the node in its message.
    void store_nodes() const {
        int64_t *const bad = work_.bad + omp_get_thread_num() * work_.bad_of_thread;
#pragma omp for schedule(static)
        for (int64_t j = 0; j < plan_.batch; ++j) {
            char *const place = plan_.sent(j);
            for (int64_t r = 0; r < plan_.nrhs; ++r) {
                Slot<T> *const slots = slots_of(j, r);
                if (r == 0) find_bad_rows(slots, bad);
                join_all(share_.joins, slots, r == 0 ? bad : nullptr);
                for (int64_t k = 0; k < share_.nodes(); ++k)
                    store_equations(place + k * plan_.forward_bytes(), r, slots[share_.node_slot[k]].equations);
            }
            for (int64_t k = 0; k < share_.nodes(); ++k)
                if (const int64_t row = bad[share_.node_slot[k]]) mark(place + k * plan_.forward_bytes(), row);
        }
    }

    // Joins the nodes of all ranks, solves for the ends of the system, and stores those of each node in their message.
    void close_systems() const {
        const int64_t nodes = int64_t(plan_.partition.nodes.size());
        Slot<T> *const slots = work_.top + omp_get_thread_num() * (nodes + 1);
        int64_t *const bad = work_.bad + omp_get_thread_num() * work_.bad_of_thread;
#pragma omp for schedule(static)
        for (int64_t s = 0; s < plan_.closed(); ++s) {
            const int64_t j = plan_.first_closed() + s;
            int64_t row = 0;
            for (int64_t r = 0; r < plan_.nrhs; ++r) {
                load_nodes(j, r, slots, bad);
                join_all(plan_.partition.joins, slots, r == 0 ? bad : nullptr);
                const int bad_pivot = tridiagonal::close(slots[0], slots[nodes]);
                if (r == 0) row = bad[0] || !bad_pivot ? bad[0] : bad_pivot == 1 ? 1 : plan_.n;
                resolve_all(plan_.partition.joins, slots);
                return_ends(j, r, slots, row);
            }
        }
    }

    // Computes the ends of all chunks, and info of singular systems.
    void resolve_chunks() const {
#pragma omp for schedule(static)
        for (int64_t j = 0; j < plan_.batch; ++j) {
            const char *const place = plan_.returned(j);
            const int64_t row = marked_row(place);
            if (a_.info) a_.info[j] = int32_t(std::min<int64_t>(row, INT32_MAX));
            for (int64_t r = 0; r < plan_.nrhs && share_.nodes() > 0; ++r) {
                Slot<T> *const slots = slots_of(j, r);
                for (int64_t k = 0; k < share_.nodes(); ++k)
                    load_ends(place + k * plan_.back_bytes(), r, slots[share_.node_slot[k]],
                              slots[share_.node_slot[k + 1]]);
                resolve_all(share_.joins, slots);
                const T none(std::numeric_limits<Real<T>>::quiet_NaN());
                for (int64_t k = 0; row > 0 && k <= share_.slots(); ++k) slots[k].x_m = slots[k].x_m1 = none;
            }
        }
    }

    void determine_chunks() const {
        T *const scratch = work_.scratch + omp_get_thread_num() * work_.scratch_of_thread;
        const PivotRows<T> pivots{scratch + work_.scratch_of_array, scratch + 2 * work_.scratch_of_array};
        for_each_group([&](const Leaf &leaf, const Chosen<T> &chosen, int64_t r, Slot<T> *const *slots) {
            KnownEnds<T> ends;
            for (int l = 0; l < chosen.count; ++l) {
                const Slot<T> *const s = slots[l];
                ends.before[l] = s[0].x_m, ends.first[l] = s[0].x_m1, ends.last[l] = s[1].x_m,
                ends.after[l] = s[1].x_m1;
            }
            const ChunkTile<T> tile = tile_of(leaf, chosen, r);
            if (chosen.rows == 1)
                determine_row(tile, ends, slots);
            else
                determine(tile, static_cast<T *>(a_.B), ends, pivots, scratch, slots);
        });
    }

    void report_not_finite() const {
        if (!a_.info) return;
        const auto is_solved = [&](int64_t j) {
            for (int64_t r = 0; r < plan_.nrhs; ++r)
                for (int64_t k = 0; k < share_.slots(); ++k)
                    if (!slots_of(j, r)[k].is_finite) return false;
            return true;
        };
#pragma omp for schedule(static)
        for (int64_t j = 0; j < plan_.batch; ++j)
            if (a_.info[j] == 0 && !is_solved(j)) a_.info[j] = int32_t(std::min<int64_t>(plan_.n + 1, INT32_MAX));
    }

private:
    Slot<T> *slots_of(int64_t j, int64_t r) const { return work_.slots + (j * plan_.nrhs + r) * (share_.slots() + 1); }
    const LaneGroups<T> &groups_of(const Leaf &leaf) const {
        return *groups_[size_t(leaf.rows - share_.leaves[0].rows + 1)];
    }

    // act(leaf, chosen, r, slots of the lanes) for each lane group: all leaves of a group of systems before the next
    // one
    template <class Act>
    void for_each_group(Act act) const {
        const int64_t leaves = int64_t(share_.leaves.size());
#pragma omp for schedule(static)
        for (int64_t u = 0; u < plan_.nrhs * most_groups_ * leaves * most_tiles_; ++u) {
            const int64_t tile = u % most_tiles_, group = u / most_tiles_ / leaves % most_groups_;
            const int64_t r = u / most_tiles_ / leaves / most_groups_;
            const Leaf &leaf = share_.leaves[size_t(u / most_tiles_ % leaves)];
            const LaneGroups<T> &groups = groups_of(leaf);
            if (group >= groups.groups() || tile >= groups.tiles()) continue;
            const Chosen<T> chosen = groups.choose(group, tile);
            if (chosen.count == 0) continue;
            Slot<T> *slots[max_lanes<T>];
            for (int l = 0; l < chosen.count; ++l)
                slots[l] = slots_of(chosen.system[l], r) + leaf.first_slot + chosen.chunk[l];
            act(leaf, chosen, r, slots);
        }
    }

    ChunkTile<T> tile_of(const Leaf &leaf, const Chosen<T> &chosen, int64_t r) const {
        ChunkTile<T> tile;
        tile.rows = chosen.rows;
        tile.dl = static_cast<const T *>(a_.dl), tile.d = static_cast<const T *>(a_.d);
        tile.du = static_cast<const T *>(a_.du);
        const auto lanes_in = [&](Placement at) {
            at.origin += leaf.row * at.step;
            return chunk_lanes(chosen, leaf.cut, 0, at, 0);
        };
        tile.a_lanes = lanes_in(placement_of(plan_, 1, a_.ldt, 0));
        tile.b_lanes = lanes_in(placement_of(plan_, plan_.nrhs, a_.ldb, r));
        const bool begins = share_.begins && leaf.row == 0, ends = share_.ends && leaf.row + leaf.rows == share_.rows;
        for (int l = 0; l < chosen.count; ++l) {
            tile.begins[l] = !a_.is_periodic && begins && chosen.chunk[l] == 0;
            tile.ends[l] = !a_.is_periodic && ends && chosen.chunk[l] == leaf.cut.chunks - 1;
        }
        return tile;
    }

    // A chunk of one row: its own equation, and x_L = x_R
    void reduce_row(const ChunkTile<T> &tile, Slot<T> *const *slots) const {
        for (int l = 0; l < tile.a_lanes.count; ++l) {
            const int64_t at = tile.a_lanes.at[l];
            T dl = tile.begins[l] ? T(0) : tile.dl[at], d = tile.d[at], du = tile.ends[l] ? T(0) : tile.du[at];
            T b = static_cast<const T *>(a_.B)[tile.b_lanes.at[l]];
            equilibrate(dl, d, du, b);
            slots[l]->equations = {{dl, d, T(0), du, b}, {T(0), T(1), T(-1), T(0), T(0)}};
            slots[l]->first_bad = 0;
        }
    }
    void determine_row(const ChunkTile<T> &tile, const KnownEnds<T> &ends, Slot<T> *const *slots) const {
        for (int l = 0; l < tile.a_lanes.count; ++l) {
            static_cast<T *>(a_.B)[tile.b_lanes.at[l]] = ends.first[l];
            slots[l]->is_finite = is_finite(ends.first[l]);
        }
    }

    void find_bad_rows(const Slot<T> *slots, int64_t *bad) const {
        for (const Leaf &leaf : share_.leaves)
            for (int64_t c = 0; c < leaf.cut.chunks; ++c) {
                const int64_t before = share_.first_row + leaf.row + c * leaf.cut.chunk_rows, k = leaf.first_slot + c;
                bad[k] = slots[k].first_bad ? before + slots[k].first_bad : 0;
            }
    }

    void load_nodes(int64_t j, int64_t r, Slot<T> *slots, int64_t *bad) const {
        const Partition &p = plan_.partition;
        int64_t slot = 0;
        for (int q = 0; q < p.ranks(); ++q)
            for (int64_t k = 0; k < p.nodes_of(q); ++k, ++slot) {
                const char *const place = plan_.received(j, q, k);
                slots[slot].equations = load_equations<T>(place, r);
                bad[slot] = marked_row(place);
            }
    }
    // With allgather each rank keeps the ends of its own nodes.
    void return_ends(int64_t j, int64_t r, const Slot<T> *slots, int64_t bad_row) const {
        const Partition &p = plan_.partition;
        const int first = plan_.is_gathered ? plan_.rank() : 0, last = plan_.is_gathered ? first : p.ranks() - 1;
        for (int q = first; q <= last; ++q)
            for (int64_t k = 0; k < plan_.nodes_back(q); ++k) {
                char *const place =
                    plan_.is_gathered ? plan_.returned(j) + k * plan_.back_bytes() : plan_.returning(j, q, k);
                if (k < p.nodes_of(q))
                    store_ends(place, r, slots + p.rank_node[q] + k);
                else
                    std::memset(place, 0, size_t(plan_.back_bytes()));
                if (bad_row && r + 1 == plan_.nrhs) mark(place, bad_row);
            }
    }

    MpPlan &plan_;
    const Share &share_;
    const Arrays &a_;
    const Work<T> work_;
    std::array<std::optional<LaneGroups<T>>, 3> groups_;  // of leaves with a row less than the first one, as many, more
    int64_t most_groups_ = 1, most_tiles_ = 1;
};

template <class T>
size_t workspace(const Context &context, const MpPlan &plan) {
    return Work<T>(context, plan, nullptr).bytes;
}

template <class T>
void condense(const Context &context, MpPlan &plan, const Arrays &arrays, void *workspace) {
    Solve<T> solve(context, plan, arrays, workspace);
    solve.divide();
#pragma omp parallel num_threads(solve.threads())
    {
        solve.reduce_chunks();
        solve.store_nodes();
    }
}

template <class T>
void close_all(const Context &context, MpPlan &plan, const Arrays &arrays, void *workspace) {
    const Solve<T> solve(context, plan, arrays, workspace);
#pragma omp parallel num_threads(solve.closing_threads())
    solve.close_systems();
}

template <class T>
void substitute(const Context &context, MpPlan &plan, const Arrays &arrays, void *workspace) {
    Solve<T> solve(context, plan, arrays, workspace);
    solve.divide();
#pragma omp parallel num_threads(solve.threads())
    {
        solve.resolve_chunks();
        solve.determine_chunks();
        solve.report_not_finite();
    }
}

template <class T>
constexpr Phases phases{make_share<T>, workspace<T>, condense<T>, close_all<T>, substitute<T>};

}  // namespace

const Phases &host_phases(xbatchDataType_t type) {
    static constexpr const Phases *all[] = {&phases<float>, &phases<double>, &phases<Complex<float>>,
                                            &phases<Complex<double>>};
    return *all[type];
}

}  // namespace xbatch::distributed
