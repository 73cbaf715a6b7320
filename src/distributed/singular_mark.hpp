// singular_mark.hpp: what a message has in place of a node or its ends where the matrix of a system is singular.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>

namespace xbatch::distributed {

// Followed by the first bad row, from 1. NaN in every type.
constexpr uint64_t singular_mark = 0x7ff9b5c37fe5a2d7;

// In place of a row, counted from 1, where no row is bad
constexpr int64_t no_bad_row = INT64_MAX;

inline void mark(char *place, int64_t row) {
    std::memcpy(place, &singular_mark, sizeof singular_mark);
    std::memcpy(place + sizeof singular_mark, &row, sizeof row);
}
inline int64_t marked_row(const char *place) {
    int64_t row = no_bad_row;
    if (!std::memcmp(place, &singular_mark, sizeof singular_mark))
        std::memcpy(&row, place + sizeof singular_mark, sizeof row);
    return row;
}
constexpr int64_t least_node_bytes = 2 * sizeof(uint64_t);

}  // namespace xbatch::distributed
