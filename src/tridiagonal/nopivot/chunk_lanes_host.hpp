// chunk_lanes_host.hpp: how the host cuts long systems into chunks, and which chunks form a lane group.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/lanes_host.hpp"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

// Chunks of a system: all have chunk_rows rows, except the last with last_rows.
struct Cut {
    int64_t chunk_rows, chunks, last_rows;
    int64_t group;  // largest number of systems whose chunks are in the workspace at a time
};

// The chunks of one lane group; systems are counted within their group of systems
template <class T>
struct Chosen {
    int count;
    int64_t rows;
    int64_t system[max_lanes<T>], chunk[max_lanes<T>];
};

// Lane groups of a group of systems whose elements are adjacent: chunk k of adjacent systems …
template <class T>
class NeighbourTiles {
public:
    NeighbourTiles(const Cut &cut, const Tiles<T> &systems, int64_t begin)
        : cut_(cut), tiles_(systems), begin_(begin), end_(begin) {
        for (; end_ < tiles_.count() && last_of(end_) - first() <= cut.group; ++end_)
            systems_ = std::max(systems_, last_of(end_) - first());
    }

    int64_t end() const { return end_; }  // the lane group that the next group of systems begins with
    int64_t first() const { return tiles_.begin(begin_); }
    int64_t systems() const { return systems_; }
    int64_t count() const { return cut_.chunks * (end_ - begin_); }
    Chosen<T> choose(int64_t tile) const {
        const int64_t t = begin_ + tile % (end_ - begin_), chunk = tile / (end_ - begin_);
        Chosen<T> chosen;
        chosen.count = tiles_.lanes(t), chosen.rows = chunk + 1 < cut_.chunks ? cut_.chunk_rows : cut_.last_rows;
        for (int l = 0; l < chosen.count; ++l)
            chosen.system[l] = tiles_.begin(t) - first() + l, chosen.chunk[l] = chunk;
        return chosen;
    }

private:
    int64_t last_of(int64_t t) const { return tiles_.lanes(t) ? tiles_.begin(t) + tiles_.lanes(t) : first(); }

    const Cut &cut_;
    const Tiles<T> &tiles_;
    int64_t begin_, end_, systems_ = 0;
};

// … and otherwise chunks of any systems, a chunk per lane; the last chunks, of other lengths, form groups of their own.
template <class T>
class MixedTiles {
public:
    MixedTiles(const Cut &cut, int64_t batch, int64_t first)
        : cut_(cut),
          first_(first),
          systems_(std::min(cut.group, batch - first)),
          full_lanes_((cut.chunks - 1) * systems_),
          full_tiles_(tiles_of(full_lanes_)) {}

    int64_t end() const { return first_ + systems_; }  // the system that the next group of systems begins with
    int64_t first() const { return first_; }
    int64_t systems() const { return systems_; }
    int64_t count() const { return full_tiles_ + tiles_of(systems_); }
    Chosen<T> choose(int64_t tile) const {
        const bool is_last = tile >= full_tiles_;
        const int64_t begin = (is_last ? tile - full_tiles_ : tile) * lanes, end = is_last ? systems_ : full_lanes_;
        const int64_t own = std::min(end - begin, lanes);
        Chosen<T> chosen;
        chosen.count = int(whole_simd_lanes<T>(own)), chosen.rows = is_last ? cut_.last_rows : cut_.chunk_rows;
        // Whole vectors, by copies of the last lane: else bits would depend on which lanes fall into a loop's remainder
        for (int64_t l = 0; l < chosen.count; ++l) {
            const int64_t q = begin + std::min(l, own - 1);
            chosen.system[l] = q % systems_;
            chosen.chunk[l] = is_last ? cut_.chunks - 1 : q / systems_;
        }
        return chosen;
    }

private:
    static constexpr int64_t lanes = gathered_lanes<T>;
    static int64_t tiles_of(int64_t count) { return (count + lanes - 1) / lanes; }

    const Cut &cut_;
    int64_t first_, systems_, full_lanes_, full_tiles_;
};

// The lanes of the chunks of a lane group in an array; `first` is the first system of their group.
template <class T>
Lanes<T> chunk_lanes(const Chosen<T> &chosen, const Cut &cut, int64_t first, const Placement &at, int64_t r) {
    Lanes<T> lanes;
    lanes.count = chosen.count, lanes.step = at.step;
    for (int l = 0; l < chosen.count; ++l)
        lanes.at[l] = at.base(first + chosen.system[l], r) + chosen.chunk[l] * cut.chunk_rows * at.step;
    return lanes;
}

// Whether adjacent systems fill lane groups. By their placement: blocks of one system are placed as flat ones.
template <class T>
bool are_side_by_side(const GtsvProblem &p) {
    const Placement &at = p.b_at;
    const int64_t adjacent = at.layout == XBATCH_LAYOUT_FLAT          ? 1
                             : at.layout == XBATCH_LAYOUT_INTERLEAVED ? p.batch
                                                                      : at.ld;
    return 2 * std::min(p.batch, adjacent) >= gathered_lanes<T>;
}

// Upper bound for the number of lane groups of a group of systems, by the shape alone: workspace queries do not know
// whether systems are side by side. Groups of adjacent systems have at least half of their maximal width.
template <class T>
int64_t most_tiles(const GtsvProblem &p, const Cut &cut, int64_t widest) {
    const int64_t mixed = cut.chunks * cut.group / gathered_lanes<T> + 2;
    if (p.layout == XBATCH_LAYOUT_FLAT) return mixed;
    const int64_t width = (p.layout == XBATCH_LAYOUT_INTERLEAVED ? widest : gathered_lanes<T>) / 2;
    return std::max(mixed, cut.chunks * ((cut.group + width - 1) / width));
}

// solve(tiles) for each group of systems in sequence
template <class T, class Solve>
void for_each_group(const GtsvProblem &p, const Cut &cut, int64_t widest, Solve solve) {
    if (are_side_by_side<T>(p)) {
        const Tiles<T> systems(p.b_at, p.batch, std::min(widest, lanes_for<T>(p.b_at)));
        for (int64_t t = 0; t < systems.count();) {
            const NeighbourTiles<T> tiles(cut, systems, t);
            solve(tiles);
            t = tiles.end();
        }
    } else {
        for (int64_t j = 0; j < p.batch;) {
            const MixedTiles<T> tiles(cut, p.batch, j);
            solve(tiles);
            j = tiles.end();
        }
    }
}

}  // namespace xbatch::tridiagonal
