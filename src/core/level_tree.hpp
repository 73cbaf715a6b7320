// level_tree.hpp: the levels of a reduction tree over many items, and the memory of each level's equations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "workspace.hpp"

namespace xbatch {

// level(items) divides the items of a level among groups and returns the number of groups, which are the items of the
// next level. The last level has a single group.
template <class F>
void each_level(int64_t items, F level) {
    for (int64_t groups = 0; groups != 1; items = groups) groups = level(items);
}

// Members of Level: count items in `groups` groups of at most most_a_group, in each of `units` trees; `equations`, with
// `values` numbers per item; `above`, the equations of the next level.
template <class Level>
struct LevelTree {
    static constexpr int most = 9;  // 2^63 items, a hundred a group
    Level level[most]{};
    int count = 0;

    void carve(Carver &carver, int64_t units, int64_t items) {
        using Value = std::remove_pointer_t<decltype(Level::equations)>;
        const auto take = [&](int64_t here) { return carver.take<Value>(units * here * Level::values); };
        Value *equations = take(items);
        each_level(items, [&](int64_t here) {
            Level &next = level[count++];
            next.count = here, next.groups = (here - 1) / Level::most_a_group + 1, next.units = units;
            next.equations = equations;
            if (next.groups > 1) next.above = equations = take(next.groups);
            return next.groups;
        });
    }
};

}  // namespace xbatch
