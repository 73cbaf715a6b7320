// device_tables.hpp: the tables of a rank's joins and messages, gathered on the host and copied to the device at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <map>

#include "mp_plan.hpp"
#include "tree_kernel.cuh"

namespace xbatch::distributed {

// Arrays that become one block of device memory; take() returns offsets until then.
class TableWriter {
public:
    template <class Entry>
    size_t take(const std::vector<Entry> &entries) {
        const size_t at = (bytes_.size() + 15) / 16 * 16, size = entries.size() * sizeof(Entry);
        bytes_.resize(at + size);
        if (size > 0) std::memcpy(bytes_.data() + at, entries.data(), size);
        return at;
    }
    const std::vector<char> &bytes() const { return bytes_; }

private:
    std::vector<char> bytes_;
};

// The rounds of joins: each join is one round after the later one of its operands.
struct Rounds {
    std::vector<TreeJoin> joins;
    std::vector<int32_t> round = {0};

    Rounds(const std::vector<Join> &all, int64_t slots) {
        std::vector<int> height(size_t(slots), 0);
        std::map<int, std::vector<TreeJoin>> by_height;
        for (const Join &j : all) {
            int &own = height[size_t(j.begin)];
            own = std::max(own, height[size_t(j.middle)]) + 1;
            by_height[own].push_back({int32_t(j.begin), int32_t(j.middle)});
        }
        for (const auto &[h, of_round] : by_height) {
            joins.insert(joins.end(), of_round.begin(), of_round.end());
            round.push_back(int32_t(joins.size()));
        }
    }
};

}  // namespace xbatch::distributed
