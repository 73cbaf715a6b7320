// stored_factors_host.hpp: the layout of the factors of Hines systems on the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/workspace.hpp"
#include "hines/hines_rows_host.hpp"
#include "hines_factor.hpp"

namespace xbatch::hines {

// The factors r_i = 1 / d'_i, f_i = u_i r_i and c_i = l_i r_i of a system's nodes. If systems share matrices, these are
// the nodes of all morphologies. Otherwise the systems of a morphology are cut into panels, which are in sequence; in a
// panel the lanes of a row are adjacent, and whole SIMD vectors. Where panels begin depends on the shape alone, so that
// factors and bits are the same for every number of threads.
template <class T>
struct StoredFactors {
    HinesFactorHeader *header;
    T *r, *f, *c;
    size_t bytes;

    StoredFactors(const HinesPlan &plan, xbatchLayout_t layout, int64_t sets, void *buffer)
        : plan_(plan), layout_(layout), sets_(sets) {
        int64_t elements = 0;
        for (int64_t m = 0; m < plan.groups(); ++m) {
            first_.push_back(elements);
            const int64_t lanes = is_shared(plan, sets) ? 1 : whole_simd_lanes<T>(plan.group(m, sets).count);
            elements = counted_sum(elements, counted_product(lanes, plan.trees[size_t(m)].n()));
        }
        Carver carver(buffer);
        header = carver.take<HinesFactorHeader>(1);
        for (T **array : {&r, &f, &c}) *array = carver.take<T>(elements);
        bytes = carver.bytes();
    }

    // Lanes of all panels of group m but the last; of `systems` systems
    int64_t width(int64_t m, int64_t systems) const {
        constexpr int64_t panel_bytes = 1 << 20;  // of the right-hand sides: fits the second-level cache
        constexpr int64_t enough_panels = 32;     // enough for the threads of most machines
        const int64_t n = plan_.trees[size_t(m)].n();
        const int64_t widest = layout_ == XBATCH_LAYOUT_FLAT ? 2 * gathered_lanes<T> : max_lanes<T>;
        const int64_t cached = whole_simd_lanes<T>(panel_bytes / int64_t(sizeof(T)) / n);
        const int64_t shared_out = whole_simd_lanes<T>((systems + enough_panels - 1) / enough_panels);
        return std::max(std::min({widest, cached, shared_out}), simd_lanes<T>);
    }
    // Row 0 of the first lane of group m's panel that begins at system k
    int64_t offset(int64_t m, int64_t k) const { return first_[size_t(m)] + k * plan_.trees[size_t(m)].n(); }

private:
    const HinesPlan &plan_;
    xbatchLayout_t layout_;
    int64_t sets_;
    std::vector<int64_t> first_;
};

// The panels of all groups in sequence, with `systems` systems in group m
template <class T>
class HinesPanels {
public:
    struct Panel {
        int64_t group, first;  // its first system
        int systems, lanes;
    };

    HinesPanels(const HinesPlan &plan, const StoredFactors<T> &factors, int64_t batch) : plan_(plan), batch_(batch) {
        first_ = {0};
        for (int64_t m = 0; m < plan.groups(); ++m) {
            const int64_t systems = plan.group(m, batch).count;
            width_.push_back(factors.width(m, systems));
            first_.push_back(first_.back() + (systems + width_.back() - 1) / width_.back());
        }
    }
    int64_t count() const { return first_.back(); }
    Panel panel(int64_t number) const {
        const size_t m = size_t(std::upper_bound(first_.begin(), first_.end(), number) - first_.begin() - 1);
        const int64_t k = (number - first_[m]) * width_[m], all = plan_.group(int64_t(m), batch_).count;
        const int systems = int(std::min(width_[m], all - k));
        return {int64_t(m), k, systems, int(whole_simd_lanes<T>(systems))};
    }
    // Of a panel, the largest
    int64_t elements() const {
        int64_t most = 0;
        for (int64_t m = 0; m < plan_.groups(); ++m)
            most = std::max(most, counted_product(width_[size_t(m)], plan_.trees[size_t(m)].n()));
        return most;
    }

private:
    const HinesPlan &plan_;
    int64_t batch_;
    std::vector<int64_t> width_, first_;
};

}  // namespace xbatch::hines
