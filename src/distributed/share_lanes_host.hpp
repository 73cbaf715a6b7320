// share_lanes_host.hpp: which chunks of a share form a lane group, and in which lanes of slots their equations are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/lanes_host.hpp"
#include "mp_plan.hpp"

namespace xbatch::distributed {

// Slots hold as many systems as a SIMD vector.
template <class T>
constexpr int64_t slot_lanes = simd_lanes<T>;

// f(l) for all lanes of a slot, compiled alike, so that bits do not depend on the lane. `lanes` is slot_lanes, but
// unknown to the compiler.
template <class F>
inline void for_each_lane(int64_t lanes, F f) {
    for (int64_t l = 0; l < lanes; ++l) {
        f(l);
        asm volatile("" ::: "memory");  // no vectors
    }
}
// The same in vectors, for real numbers: loops over complex ones would leave the last lanes to a scalar loop.
template <class T, class F>
inline void for_slot_lanes(int64_t lanes, F f) {
    if constexpr (std::is_same_v<T, Real<T>>) {
#pragma omp simd
        for (int64_t l = 0; l < lanes; ++l) f(l);
    } else {
        for_each_lane(lanes, f);
    }
}

// `count` numbers of a lane of a slot, from `first` on
template <int first, int count, class T, class Slot>
void store_numbers(char *place, const Slot &slot, int lane) {
    T numbers[count];
    for (int k = 0; k < count; ++k) numbers[k] = slot.number[first + k][lane];
    std::memcpy(place, numbers, sizeof numbers);
}
template <int first, int count, class T, class Slot>
void load_numbers(const char *place, Slot &slot, int lane) {
    T numbers[count];
    std::memcpy(numbers, place, sizeof numbers);
    for (int k = 0; k < count; ++k) slot.number[first + k][lane] = numbers[k];
}

// The equations in a lane of a slot, as a node's message has them for right-hand side r: the slot's first numbers,
// which are the coefficients, once, and for each r the two numbers behind them.
template <int coefficients, class T, class Slot>
void store_equations(char *place, int64_t r, const Slot &slot, int lane) {
    if (r == 0) store_numbers<0, coefficients, T>(place, slot, lane);
    store_numbers<coefficients, 2, T>(place + (coefficients + 2 * size_t(r)) * sizeof(T), slot, lane);
}
template <int coefficients, class T, class Slot>
void load_equations(const char *place, int64_t r, Slot &slot, int lane) {
    load_numbers<0, coefficients, T>(place, slot, lane);
    load_numbers<coefficients, 2, T>(place + (coefficients + 2 * size_t(r)) * sizeof(T), slot, lane);
}

// The chunks of a lane group, one a lane
template <class T>
struct Chosen {
    int count = 0;
    int64_t rows;
    int64_t system[max_lanes<T>], slot[max_lanes<T>];
};

// The largest number of lanes of a group
template <class T>
int64_t most_lanes(const MpPlan &plan) {
    // a lane group's rows are read twice, so they and the pivot rows should fit in the cache
    constexpr int64_t lanes = gathered_lanes<T>, cache_elements = (int64_t(4) << 20) / int64_t(sizeof(T));
    const int64_t rows = std::max<int64_t>(plan.share.most_rows(), 1);
    const int64_t widest =
        plan.layout == XBATCH_LAYOUT_FLAT ? lanes : std::clamp<int64_t>(plan.batch, lanes, max_lanes<T>);
    return std::min(widest, std::max(cache_elements / rows / simd_lanes<T> * simd_lanes<T>, lanes));
}

// Divides the chunks of all systems into lane groups: a chunk of adjacent systems where these are adjacent in memory,
// otherwise chunks that follow each other in a system, and those of a few systems before the next ones.
template <class T>
class LaneGroups {
public:
    LaneGroups(const MpPlan &plan, const Placement &b_at)
        : share_(plan.share),
          batch_(plan.batch),
          is_adjacent_(plan.layout != XBATCH_LAYOUT_FLAT && 2 * batch_ >= gathered_lanes<T>),
          systems_(b_at, batch_, std::min(most_lanes<T>(plan), lanes_for<T>(b_at))),
          at_once_(is_adjacent_ ? batch_ : std::clamp<int64_t>(16 * lanes / (share_.slots() + 1), 1, batch_)) {
        for (const Share::Chunks &chunks : share_.chunks) of_systems_ += groups_of(chunks);
    }

    int64_t count() const { return ((batch_ - 1) / at_once_ + 1) * of_systems_; }
    // May choose no chunk
    Chosen<T> choose(int64_t group) const {
        const int64_t first = group / of_systems_ * at_once_;
        int64_t k = group % of_systems_;
        auto chunks = share_.chunks.begin();
        for (; k >= groups_of(*chunks); ++chunks) k -= groups_of(*chunks);
        return is_adjacent_ ? adjacent(*chunks, k) : mixed(*chunks, first, k);
    }

private:
    static constexpr int64_t lanes = gathered_lanes<T>;

    int64_t groups_of(const Share::Chunks &chunks) const {
        const int64_t each = int64_t(chunks.slots.size());
        return is_adjacent_ ? each * systems_.count() : (each * at_once_ + lanes - 1) / lanes;
    }
    Chosen<T> adjacent(const Share::Chunks &chunks, int64_t k) const {
        const int64_t tile = k % systems_.count();
        Chosen<T> chosen;
        chosen.count = systems_.lanes(tile), chosen.rows = chunks.rows;
        for (int l = 0; l < chosen.count; ++l)
            chosen.system[l] = systems_.begin(tile) + l, chosen.slot[l] = chunks.slots[size_t(k / systems_.count())];
        return chosen;
    }
    Chosen<T> mixed(const Share::Chunks &chunks, int64_t first, int64_t k) const {
        const int64_t each = int64_t(chunks.slots.size()), end = each * std::min(at_once_, batch_ - first);
        Chosen<T> chosen;
        chosen.rows = chunks.rows;
        const int64_t own = std::min(end - k * lanes, lanes);
        // Whole vectors, by copies of the last lane: else bits would depend on which lanes fall into a loop's remainder
        for (int64_t l = 0; l < whole_simd_lanes<T>(own); ++l, ++chosen.count) {
            const int64_t q = k * lanes + std::min(l, own - 1);
            chosen.system[l] = first + q / each, chosen.slot[l] = chunks.slots[size_t(q % each)];
        }
        return chosen;
    }

    const Share &share_;
    int64_t batch_;
    bool is_adjacent_;
    Tiles<T> systems_;
    int64_t at_once_, of_systems_ = 0;
};

// The lanes of chunks in an array
template <class T>
Lanes<T> lanes_of(const Share &share, const Chosen<T> &chosen, const Placement &at) {
    Lanes<T> lanes;
    lanes.count = chosen.count, lanes.step = at.step;
    for (int l = 0; l < chosen.count; ++l)
        lanes.at[l] = at.base(chosen.system[l], 0) + share.slot_row[size_t(chosen.slot[l])] * at.step;
    return lanes;
}

// A slot of every lane of a lane group, and the lane of it; the next slot in memory is that of the chunk after it.
template <class Slot, class T>
struct LaneSlots {
    Slot *slot[max_lanes<T>];
    int lane[max_lanes<T>];
};

}  // namespace xbatch::distributed
