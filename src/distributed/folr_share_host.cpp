// folr_share_host.cpp: distributed first-order linear recurrences on the host: each chunk is one affine map.
// SPDX-License-Identifier: BSD-3-Clause
#include "folr_mp.hpp"
#include "recurrence/folr_chunks_host.hpp"
#include "share_host.hpp"

namespace xbatch::distributed {
namespace {

using namespace recurrence;

// In place of the exponent of a run with the sequence's first step: its last state is known, the sum.
constexpr int64_t is_known = INT64_MIN;

// Beyond the range of every type, also with the exponents of two factors
constexpr int64_t most_exponent = int64_t(1) << 40;

// The affine map of a run of rows from the state before its first step to the state after its last one, w = S w_before
// + sum, S = product * 2^exponent. Joined, a slot has the map from the state before both runs to the state between
// them, which later takes the place of `sum`. Right-hand sides have the same S.
template <class T>
struct MapSlot {
    T product[slot_lanes<T>], sum[slot_lanes<T>];
    int64_t exponent[slot_lanes<T>];
    int32_t first_bad[slot_lanes<T>];  // 0
    bool is_finite[slot_lanes<T>];
};

// Exponents of lanes without a system may be anything.
inline int64_t sum_of(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }

template <class T>
T mapped(const MapSlot<T> &map, int64_t lane, T w) {
    if (map.exponent[lane] == is_known) return map.sum[lane];
    return apply(map.product[lane], std::clamp(map.exponent[lane], -most_exponent, most_exponent), map.sum[lane], w);
}

template <class T>
class Recurrence : public WholeNodes<FolrArrays> {
public:
    using Element = T;
    using Arrays = FolrArrays;
    using Slot = MapSlot<T>;
    static constexpr int64_t scratch_arrays = 0;

    // S, its exponent, and a sum for each r; the state before the node
    static int64_t forward_bytes(const Arrays &, int64_t sides) { return at_sums + sides * int64_t(sizeof(T)); }
    static int64_t back_bytes(int64_t sides) { return std::max<int64_t>(sides * int64_t(sizeof(T)), least_node_bytes); }

    static void store(char *place, int64_t r, const Arrays &, const Slot &slot, int lane) {
        std::memcpy(place, &slot.product[lane], sizeof(T));
        std::memcpy(place + sizeof(T), &slot.exponent[lane], sizeof(int64_t));
        std::memcpy(place + at_sums + size_t(r) * sizeof(T), &slot.sum[lane], sizeof(T));
    }
    static void load(const char *place, int64_t r, const Arrays &, int64_t, Slot &slot, int lane) {
        std::memcpy(&slot.product[lane], place, sizeof(T));
        std::memcpy(&slot.exponent[lane], place + sizeof(T), sizeof(int64_t));
        std::memcpy(&slot.sum[lane], place + at_sums + size_t(r) * sizeof(T), sizeof(T));
    }
    static void store_ends(char *place, int64_t r, const Arrays &a, const Slot &begin, const Slot &end, int lane) {
        const Slot &before = a.is_backward ? end : begin;
        std::memcpy(place + size_t(r) * sizeof(T), &before.sum[lane], sizeof(T));
    }
    static void load_ends(const char *place, int64_t r, const Arrays &a, Slot &begin, Slot &end, int lane) {
        Slot &before = a.is_backward ? end : begin;
        std::memcpy(&before.sum[lane], place + size_t(r) * sizeof(T), sizeof(T));
    }

    // Backward recurrences step from the right run to the left one.
    static void join(int64_t lanes, const Arrays &a, Slot &begin, Slot &middle, RowNumber<T> *bad) {
        const Slot first = a.is_backward ? middle : begin, second = a.is_backward ? begin : middle;
        for_each_lane(lanes, [&](int64_t l) {
            Exponent<Real<T>> of_product;
            begin.sum[l] = mapped(second, l, first.sum[l]);
            begin.product[l] = normalised(second.product[l] * first.product[l], of_product);
            begin.exponent[l] = first.exponent[l] == is_known
                                    ? is_known
                                    : sum_of(sum_of(second.exponent[l], first.exponent[l]), of_product);
            bad[l] = 0;
        });
        middle = first;
    }
    static void resolve(int64_t lanes, const Arrays &a, const Slot &begin, Slot &middle, const Slot &end) {
        const Slot &before = a.is_backward ? end : begin;
        for_each_lane(lanes, [&](int64_t l) { middle.sum[l] = mapped(middle, l, before.sum[l]); });
    }
    // The first run needs no state.
    static void close(int64_t lanes, const Arrays &a, Slot &begin, Slot &end, RowNumber<T> *bad) {
        for (int64_t l = 0; l < lanes; ++l) (a.is_backward ? end : begin).sum[l] = T(0), bad[l] = 0;
    }
    static void spoil(Slot &, int) {}

    Recurrence(const MpPlan &plan, const Arrays &arrays) : plan_(plan), a_(arrays) {}

    Placement b_at(int64_t r) const { return placement_of(plan_, plan_.nrhs, a_.ldw, r); }
    void reduce(const Chosen<T> &chosen, int64_t r, const LaneSlots<Slot, T> &to, T *, int64_t) const {
        Pairs<T> pairs;
        condense(tile_of(chosen, r), pairs);
        for (int l = 0; l < chosen.count; ++l) {
            Slot &slot = *to.slot[l];
            const int lane = to.lane[l];
            slot.product[lane] = pairs.product[l], slot.exponent[lane] = pairs.exponent[l];
            slot.sum[lane] = pairs.sum[l], slot.first_bad[lane] = 0;
            if (!begins(chosen, l)) continue;
            slot.sum[lane] = mapped(slot, lane, first_state(chosen.system[l], r));
            slot.exponent[lane] = is_known;
        }
    }
    void determine(const Chosen<T> &chosen, int64_t r, const LaneSlots<Slot, T> &of, T *, int64_t) const {
        T state[max_lanes<T>];
        for (int l = 0; l < chosen.count; ++l)
            state[l] = begins(chosen, l) ? first_state(chosen.system[l], r)
                                         : of.slot[l][a_.is_backward ? 1 : 0].sum[of.lane[l]];
        evaluate(tile_of(chosen, r), state);
    }

private:
    static constexpr int64_t at_sums = int64_t(sizeof(T) + sizeof(int64_t));

    // Whether the sequence's first step is in the lane's chunk
    bool begins(const Chosen<T> &chosen, int l) const {
        const Share &share = plan_.share;
        return a_.is_backward ? share.ends && chosen.slot[l] + 1 == share.slots() : share.begins && chosen.slot[l] == 0;
    }
    T first_state(int64_t j, int64_t r) const {
        return a_.w0 ? static_cast<const T *>(a_.w0)[j * plan_.nrhs + r] : T(0);
    }
    Placement operand(int64_t nrhs, int64_t increment, int64_t ld, int64_t r) const {
        if (increment == 0) return {XBATCH_LAYOUT_FLAT, plan_.share.rows, nrhs, ld, 0, r * ld};
        return placement_of(plan_, nrhs, ld, r);
    }
    Lanes<T> lanes_of_steps(const Chosen<T> &chosen, const Placement &at) const {
        Lanes<T> lanes = lanes_of(plan_.share, chosen, at);
        if (!a_.is_backward) return lanes;
        for (int l = 0; l < lanes.count; ++l) lanes.at[l] += (chosen.rows - 1) * lanes.step;
        lanes.step = -lanes.step;
        return lanes;
    }
    FolrTile<T> tile_of(const Chosen<T> &chosen, int64_t r) const {
        FolrTile<T> tile;
        tile.rows = chosen.rows;
        tile.s = static_cast<const T *>(a_.s), tile.t = static_cast<const T *>(a_.t), tile.w = static_cast<T *>(a_.w);
        tile.s_lanes = lanes_of_steps(chosen, operand(1, a_.incs, a_.lds, 0));
        tile.t_lanes = lanes_of_steps(chosen, operand(plan_.nrhs, a_.inct, a_.ldt, r));
        tile.w_lanes = lanes_of_steps(chosen, b_at(r));
        return tile;
    }

    const MpPlan &plan_;
    const Arrays &a_;
};

template <class T>
using RecurrenceSolve = Solve<Recurrence<T>>;

}  // namespace

const PhasesOf<FolrArrays> &host_folr_phases(xbatchDataType_t type) { return phases_of<RecurrenceSolve>(type); }

}  // namespace xbatch::distributed
