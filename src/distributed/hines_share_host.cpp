// hines_share_host.cpp: distributed Hines systems on the host: which chunks a thread takes, and their messages.
//
// A message has for each entry of the tree d, u, l and b of its port: what elimination within the chunks leaves of
// them; of a sum u = l = 0. The answer has the unknown of that port.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <cstring>

#include "core/dispatch.hpp"
#include "hines_chunk_host.hpp"
#include "hines_mp.hpp"
#include "phases_host.hpp"

namespace xbatch::distributed {
namespace {

constexpr int chunks_at_once = 4;        // of single systems
constexpr int64_t most_sides = 8;        // at once
constexpr int64_t tile_bytes = 1 << 19;  // of c and g, which are used twice

// The systems of a lane group. They do not depend on the share, so neither does how a bit is computed.
template <class T>
class TreeGroups {
public:
    TreeGroups(const MpPlan &plan, const Placement &b_at)
        : batch_(plan.batch), is_single_(are_few(plan)), tiles_(b_at, batch_, widest(plan, lanes_for<T>(b_at))) {}

    int64_t count() const { return is_single_ ? batch_ : tiles_.count(); }
    int64_t begin(int64_t group) const { return is_single_ ? group : tiles_.begin(group); }
    int systems(int64_t group) const { return is_single_ ? 1 : tiles_.lanes(group); }
    // Surplus ones repeat the last system
    int lanes(int64_t group) const { return is_single_ ? 1 : int(whole_simd_lanes<T>(systems(group))); }
    bool is_single() const { return is_single_; }
    static int64_t widest(const MpPlan &plan, int64_t most) {
        if (are_few(plan)) return 1;
        const int64_t row = (1 + std::min(plan.nrhs, most_sides)) * int64_t(sizeof(T));
        const int64_t fitting = tile_bytes / row / plan.tree->most_rows / simd_lanes<T> * simd_lanes<T>;
        return std::min(std::clamp(fitting, simd_lanes<T>, most), whole_simd_lanes<T>(plan.batch));
    }

private:
    static bool are_few(const MpPlan &plan) { return plan.batch < simd_lanes<T> / 2; }

    int64_t batch_;
    bool is_single_;
    Tiles<T> tiles_;
};

template <class T>
struct TreeWork {
    int64_t threads, lanes, sides, at_once;
    int64_t *bad;  // [chunks][batch]: the last bad row, from 1; later whether an unknown is not finite
    T *scratch;    // [threads][at_once][of_tile]
    T *reduced;    // [threads][of_reduced]: d, u, l and b of all entries
    int64_t of_rows, of_tile, of_reduced;
    size_t bytes;

    TreeWork(const Context &context, const MpPlan &plan, void *workspace) {
        const TreeShare &tree = *plan.tree;
        lanes = TreeGroups<T>::widest(plan, plan.layout == XBATCH_LAYOUT_FLAT ? gathered_lanes<T> : max_lanes<T>);
        sides = std::min(plan.nrhs, most_sides), at_once = lanes == 1 ? chunks_at_once : 1;
        of_rows = tree.most_rows * lanes;
        of_tile = whole_lines((3 + sides) * of_rows + (2 * tree.most_ports + 3) * lanes);
        of_reduced = whole_lines((3 + plan.nrhs) * int64_t(tree.entries.size()));
        const int64_t chunks = int64_t(tree.chunks.size());
        threads =
            std::clamp<int64_t>(std::max(counted_product(chunks, plan.batch), plan.closed()), 1, thread_count(context));
        Carver carver(workspace);
        bad = carver.take<int64_t>(chunks, plan.batch);
        scratch = carver.take<T>(threads, at_once, of_tile);
        reduced = carver.take<T>(threads, of_reduced);
        bytes = carver.bytes();
    }
};

// One solve. The calling threads share the work of each function, which ends with a barrier.
template <class T>
class TreeSolve {
public:
    using Arrays = HinesArrays;
    using Work = TreeWork<T>;
    static int64_t forward_bytes(const Arrays &, int64_t sides) { return (3 + sides) * int64_t(sizeof(T)); }
    static int64_t back_bytes(int64_t sides) { return std::max<int64_t>(sides * int64_t(sizeof(T)), least_node_bytes); }

    TreeSolve(const Context &context, MpPlan &plan, const HinesArrays &arrays, void *workspace)
        : plan_(plan),
          tree_(*plan.tree),
          a_(arrays),
          work_(context, plan, workspace),
          groups_(plan, placement_of(plan, plan.nrhs, arrays.ldb, 0)),
          at_once_(groups_.is_single() ? chunks_at_once : 1) {}

    int threads() const { return team_size(work_.threads, plan_.share.rows, plan_.batch); }
    int closing_threads() const { return team_size(work_.threads, 4 * int64_t(tree_.entries.size()), plan_.closed()); }

    void condense() const {
        reduce_chunks();
        send_bad_rows();
    }
    void substitute() const {
        report_singular(plan_, a_.info);
        solve_chunks();
        report_not_finite();
    }
    void reduce_chunks() const {
        for_tiles([&](TreeTile<T> *tiles, int count, const Unit &unit) {
            alignas(64) RowNumber<T> last_bad[chunks_at_once][max_lanes<T>] = {};
            for (int t = 0; t < count; ++t) tiles[t].last_bad = last_bad[t];
            reduce_tiles(tiles, count);
            for (int t = 0; t < count; ++t)
                for (int l = 0; l < unit.systems; ++l) {
                    store_entries(tiles[t], unit, unit.system + l, l);
                    if (unit.first_side == 0)
                        bad_of(unit.chunk + t, unit.system + l) =
                            last_bad[t][l] ? plan_.share.first_row + tiles[t].chunk->first + last_bad[t][l] : 0;
                }
        });
    }
    // The last bad row of the share, with its first entry
    void send_bad_rows() const {
#pragma omp for schedule(static)
        for (int64_t j = 0; j < plan_.batch; ++j) {
            int64_t row = 0, entries = 0;
            for (int64_t k = 0; k < chunks(); ++k)
                row = std::max(row, bad_of(k, j)), entries += tree_.chunks[size_t(k)].entries();
            if (entries == 0 && chunks() > 0) std::memset(plan_.sent(j), 0, size_t(plan_.forward_bytes));
            if (row > 0) mark(plan_.sent(j), row);
        }
    }

    // The tree of the ports, of each system that this rank closes
    void close_systems() const {
        const int64_t count = int64_t(tree_.entries.size());
        T *const d = work_.reduced + omp_get_thread_num() * work_.of_reduced, *const u = d + count,
                 *const l = u + count, *const b = l + count;
#pragma omp for schedule(static)
        for (int64_t s = 0; s < plan_.closed(); ++s) {
            const int64_t j = plan_.first_closed() + s;
            const int64_t eliminated = load_entries(j, d, u, l, b);
            const int64_t bad = solve_ports(d, u, l, b);
            return_unknowns(j, b, eliminated ? eliminated : bad);
        }
    }

    void solve_chunks() const {
        for_tiles([&](TreeTile<T> *tiles, int count, const Unit &unit) {
            for (int t = 0; t < count; ++t) load_unknowns(tiles[t], unit);
            solve_tiles(tiles, count);
            for (int t = 0; t < count; ++t) {
                const TreeChunk &chunk = *tiles[t].chunk;
                const int64_t pitch = unit.sides * unit.lanes;
                hines::conjugate_rows(a_.is_conjugated ? chunk.rows : 0, int(pitch), Rows<T>{tiles[t].g, pitch});
                for (int r = 0; r < unit.sides; ++r) {
                    Lanes<T> to = lanes_of(unit, chunk, a_.ldb, plan_.nrhs, unit.first_side + r);
                    to.count = unit.systems;
                    scatter(Rows<const T>{tiles[t].g + r * unit.lanes, pitch}, static_cast<T *>(a_.B), to, 0,
                            chunk.rows);
                }
                for (int l = 0; l < unit.systems; ++l) {
                    int64_t &is_bad = bad_of(unit.chunk + t, unit.system + l);
                    is_bad = (unit.first_side > 0 && is_bad) || !is_finite_lane(tiles[t], l);
                }
            }
        });
    }
    void report_not_finite() const {
        if (!a_.info) return;
#pragma omp for schedule(static)
        for (int64_t j = 0; j < plan_.batch; ++j)
            for (int64_t k = 0; k < chunks() && a_.info[j] == 0; ++k)
                if (bad_of(k, j)) a_.info[j] = int32_t(std::min<int64_t>(plan_.n + 1, INT32_MAX));
    }

private:
    // What a thread takes at a time: some chunks of some systems
    struct Unit {
        int64_t chunk, system, first_side;
        int systems, lanes, sides;
    };

    int64_t chunks() const { return int64_t(tree_.chunks.size()); }
    int64_t &bad_of(int64_t chunk, int64_t j) const { return work_.bad[chunk * plan_.batch + j]; }

    // act(tiles, their number, unit) for all; right-hand sides of a chunk in sequence
    template <class Act>
    void for_tiles(Act act) const {
        T *const scratch = work_.scratch + omp_get_thread_num() * work_.at_once * work_.of_tile;
        const int64_t units = (chunks() + at_once_ - 1) / at_once_;
#pragma omp for schedule(static)
        for (int64_t k = 0; k < groups_.count() * units; ++k) {
            const int64_t group = k / units, chunk = k % units * at_once_;
            Unit unit{chunk, groups_.begin(group), 0, groups_.systems(group), groups_.lanes(group), 0};
            if (unit.systems == 0) continue;
            const int count = int(std::min(at_once_, chunks() - chunk));
            for (; unit.first_side < plan_.nrhs; unit.first_side += unit.sides) {
                unit.sides = int(std::min(most_sides, plan_.nrhs - unit.first_side));
                TreeTile<T> tiles[chunks_at_once];
                for (int t = 0; t < count; ++t) tiles[t] = load(unit, chunk + t, scratch + t * work_.of_tile);
                act(tiles, count, unit);
            }
        }
    }

    // The chunk's elements of right-hand side r in an array
    Lanes<T> lanes_of(const Unit &unit, const TreeChunk &chunk, int64_t ld, int64_t nrhs, int64_t r) const {
        const Placement at = placement_of(plan_, nrhs, ld, r);
        Lanes<T> lanes;
        lanes.count = unit.lanes, lanes.step = at.step;
        for (int l = 0; l < unit.lanes; ++l)
            lanes.at[l] = at.base(unit.system + std::min(l, unit.systems - 1), 0) + chunk.first * at.step;
        return lanes;
    }
    // In place, or copied to `scratch`
    Rows<const T> coefficients(const void *data, const Unit &unit, const TreeChunk &chunk, T *scratch) const {
        const T *const from = static_cast<const T *>(data);
        const Lanes<T> lanes = lanes_of(unit, chunk, a_.ldul, 1, 0);
        if (lanes.adjacent()) return {from + lanes.at[0], lanes.step};
        hines::load_rows(from, lanes, chunk.rows, Rows<T>{scratch, unit.lanes});
        return {scratch, unit.lanes};
    }
    TreeTile<T> load(const Unit &unit, int64_t k, T *scratch) const {
        const TreeChunk &chunk = tree_.chunks[size_t(k)];
        const int64_t lanes = unit.lanes, ports = tree_.most_ports * lanes;
        TreeTile<T> tile{};
        tile.chunk = &chunk, tile.width = {unit.lanes, unit.sides};
        tile.c = scratch, tile.g = tile.c + work_.of_rows;
        T *const u = tile.g + work_.sides * work_.of_rows, *const l = u + work_.of_rows;
        tile.upper = coefficients(a_.upper, unit, chunk, u);
        tile.lower = a_.lower == a_.upper ? tile.upper : coefficients(a_.lower, unit, chunk, l);
        tile.s = l + work_.of_rows, tile.w = tile.s + ports;
        tile.inverse = tile.w + ports, tile.factor = tile.inverse + lanes;
        tile.zeros = std::fill_n(tile.factor + lanes, lanes, T(0)) - lanes;
        hines::load_rows(static_cast<const T *>(a_.d), lanes_of(unit, chunk, a_.ldd, 1, 0), chunk.rows,
                         Rows<T>{tile.c, lanes});
        const int64_t pitch = unit.sides * lanes;
        for (int r = 0; r < unit.sides; ++r)
            hines::load_rows(static_cast<const T *>(a_.B),
                             lanes_of(unit, chunk, a_.ldb, plan_.nrhs, unit.first_side + r), chunk.rows,
                             Rows<T>{tile.g + r * lanes, pitch});
        hines::conjugate_rows(a_.is_conjugated ? chunk.rows : 0, int(pitch), Rows<T>{tile.g, pitch});
        const int64_t after = chunk.sums + 1;
        std::fill_n(tile.row_of_c(chunk.rows), after * lanes, T(0));
        std::fill_n(tile.row_of_g(chunk.rows), after * pitch, T(0));
        return tile;
    }

    // Row of entry k of a chunk
    static int64_t row_of(const TreeChunk &chunk, int64_t k) {
        return k < chunk.sums ? chunk.rows + k : chunk.port_row[size_t(k - chunk.sums)];
    }
    void store_entries(const TreeTile<T> &tile, const Unit &unit, int64_t j, int lane) const {
        const TreeChunk &chunk = *tile.chunk;
        for (int64_t k = 0; k < chunk.entries(); ++k) {
            char *const place = plan_.sent(j) + (chunk.first_entry + k) * plan_.forward_bytes;
            const int64_t row = row_of(chunk, k), port = k - chunk.sums;
            const int64_t at = port * unit.lanes + lane;
            const T matrix[] = {tile.row_of_c(row)[lane], port < 0 ? T(0) : tile.s[at], port < 0 ? T(0) : tile.w[at]};
            if (unit.first_side == 0) std::memcpy(place, matrix, sizeof matrix);
            for (int r = 0; r < unit.sides; ++r)
                std::memcpy(place + sizeof matrix + size_t(unit.first_side + r) * sizeof(T),
                            tile.row_of_g(row) + r * unit.lanes + lane, sizeof(T));
        }
    }
    // Without unknowns, if the system has none
    void load_unknowns(const TreeTile<T> &tile, const Unit &unit) const {
        const TreeChunk &chunk = *tile.chunk;
        for (int l = 0; l < unit.lanes; ++l) {
            const char *const places = plan_.returned(unit.system + std::min(l, unit.systems - 1));
            const bool is_solved = marked_row(places) == no_bad_row;
            for (int64_t k = 0; k < chunk.entries(); ++k)
                for (int r = 0; r < unit.sides; ++r) {
                    T x(std::numeric_limits<Real<T>>::quiet_NaN());
                    const char *const place = places + (chunk.first_entry + k) * plan_.back_bytes;
                    if (is_solved) std::memcpy(&x, place + size_t(unit.first_side + r) * sizeof(T), sizeof x);
                    tile.row_of_g(row_of(chunk, k))[r * unit.lanes + l] = x;
                }
        }
    }
    static bool is_finite_lane(const TreeTile<T> &tile, int lane) {
        bool is_solved = true;
        for (int64_t k = 0; k < tile.chunk->rows * tile.width.sides; ++k)
            is_solved &= is_finite(tile.g[k * tile.width.lanes + lane]);
        return is_solved;
    }

    // Of all ranks. The last bad row that one of them has found, or 0
    int64_t load_entries(int64_t j, T *d, T *u, T *l, T *b) const {
        const Partition &p = plan_.partition;
        int64_t bad = 0, k = 0;
        for (int q = 0; q < p.ranks(); ++q)
            for (int64_t of_rank = 0; of_rank < p.nodes_of(q); ++of_rank, ++k) {
                const char *const place = plan_.received(j, q, of_rank);
                T matrix[3];
                std::memcpy(matrix, place, sizeof matrix);
                d[k] = matrix[0], u[k] = matrix[1], l[k] = matrix[2];
                std::memcpy(b + k * plan_.nrhs, place + sizeof matrix, size_t(plan_.nrhs) * sizeof(T));
                if (const int64_t row = marked_row(place); row < no_bad_row) bad = std::max(bad, row);
            }
        return bad;
    }
    // b to x. The last bad row, or 0
    int64_t solve_ports(T *d, const T *u, T *l, T *b) const {
        const int64_t sides = plan_.nrhs;
        int64_t bad = 0;
        for (int64_t k = int64_t(tree_.entries.size()); k-- > 0;) {
            const TreeEntry &entry = tree_.entries[size_t(k)];
            T *const own = b + k * sides, *const above = b + entry.above * sides;
            if (entry.is_sum) {
                d[entry.above] = d[entry.above] + d[k];
                for (int64_t r = 0; r < sides; ++r) above[r] = above[r] + own[r];
            }
            if (entry.node < 0) continue;
            if (!bad && !has_reciprocal(d[k])) bad = entry.node + 1;
            const T inverse = lane_reciprocal(d[k]);
            l[k] = l[k] * inverse;
            for (int64_t r = 0; r < sides; ++r) own[r] = own[r] * inverse;
            if (entry.above < 0) continue;
            d[entry.above] = fnma(u[k], l[k], d[entry.above]);
            for (int64_t r = 0; r < sides; ++r) above[r] = fnma(u[k], own[r], above[r]);
        }
        for (int64_t k = 0; k < int64_t(tree_.entries.size()); ++k) {
            const TreeEntry &entry = tree_.entries[size_t(k)];
            T *const own = b + k * sides;
            const T *const above = b + entry.above * sides;
            for (int64_t r = 0; r < sides && entry.above >= 0; ++r)
                own[r] = entry.is_sum ? above[r] : fnma(l[k], above[r], own[r]);
        }
        return bad;
    }
    void return_unknowns(int64_t j, const T *x, int64_t bad) const {
        const Partition &p = plan_.partition;
        plan_.for_each_returned(j, [&](int q, int64_t k, char *place) {
            std::memset(place, 0, size_t(plan_.back_bytes));
            if (k < p.nodes_of(q))
                std::memcpy(place, x + (p.rank_node[size_t(q)] + k) * plan_.nrhs, size_t(plan_.nrhs) * sizeof(T));
            if (bad) mark(place, bad);
        });
    }

    MpPlan &plan_;
    const TreeShare &tree_;
    const HinesArrays &a_;
    const TreeWork<T> work_;
    const TreeGroups<T> groups_;
    const int64_t at_once_;
};

}  // namespace

const PhasesOf<HinesArrays> &host_hines_phases(xbatchDataType_t type) { return phases_of<TreeSolve>(type); }

}  // namespace xbatch::distributed
