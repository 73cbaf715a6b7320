// qr_adjacent_tuning.hpp: how blocks factor adjacent interleaved matrices, whose panels they copy together
// (factor_adjacent.cuh).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "qr_packed_tuning.hpp"

namespace xbatch::qr {

constexpr int adjacent_matrices = 4;  // of a block

// `blocks` of them have registers on a multiprocessor. loads_ahead: registers have room for the next panel while one is
// factored; else it is loaded to the second-level cache.
struct AdjacentShape {
    PackedShape panels;
    bool loads_ahead;

    XBATCH_HD constexpr bool holds(int64_t m, int64_t n) const { return panels.holds(m, n, true); }
};

// Shapes in the order in which they are tried, from measurements on an H200
template <class T>
constexpr std::array<AdjacentShape, 0> adjacent_shapes = {};
template <>
inline constexpr std::array adjacent_shapes<float> = {
    AdjacentShape{{20, 4, 1, 3, 80, 2, false, true}, false}, AdjacentShape{{24, 4, 1, 2, 96, 2, false, true}, true},
    AdjacentShape{{20, 8, 1, 4, 24, 2, false, true}, false}, AdjacentShape{{28, 8, 1, 3, 24, 2, false, true}, false},
    AdjacentShape{{40, 8, 1, 2, 24, 2, false, true}, false},
};
template <>
inline constexpr std::array adjacent_shapes<double> = {
    AdjacentShape{{12, 4, 1, 4, 48, 1, true, true}, false},  AdjacentShape{{16, 4, 1, 3, 64, 1, true, true}, true},
    AdjacentShape{{20, 4, 1, 3, 40, 1, true, true}, false},  AdjacentShape{{20, 4, 2, 1, 80, 1, true, true}, true},
    AdjacentShape{{24, 4, 1, 2, 48, 1, true, true}, true},   AdjacentShape{{28, 4, 1, 2, 40, 1, true, true}, true},
    AdjacentShape{{26, 4, 2, 1, 104, 1, true, true}, false}, AdjacentShape{{28, 4, 2, 1, 112, 1, true, true}, false},
    AdjacentShape{{32, 4, 1, 2, 32, 1, true, true}, true},   AdjacentShape{{40, 4, 1, 2, 32, 1, true, true}, false},
    AdjacentShape{{52, 4, 1, 2, 32, 1, true, true}, false},  AdjacentShape{{64, 4, 1, 2, 32, 1, true, true}, false},
};
// Others are faster in shared memory.
template <class T>
constexpr bool is_size_for_adjacent(int64_t m, int64_t n) {
    return m > (sizeof(T) == 4 ? 64 : 32) && (m < 49 || m > 64 || n <= 48 || n > m);
}
// Whether the last panel has the place of the first one's vectors. Not with as many panels as warps: the first one is
// read again if the last one is factored again, and must have been stored.
XBATCH_HD constexpr bool ends_at_first(PackedShape s, int64_t m, int64_t n) {
    const int panels = s.panels(n);
    return panels == s.panels(m < n ? m : n) && panels > s.warps;
}
// Elements for the exchange of panels, of each warp of a matrix, for some registers of a lane at once; and bytes from
// the memory of an m x n matrix to the next one's
constexpr int exchange_room(int registers) { return 32 * registers; }
template <class T>
int adjacent_apart(PackedShape s, int64_t m, int64_t n, int registers) {
    const size_t room = size_t(s.warps * exchange_room(registers)) * sizeof(T);
    return int((packed_bytes<T>(s, m < n ? m : n, ends_at_first(s, m, n)) + room + 127) / 128 * 128);
}
// Registers of a lane that are exchanged at once: eight where a multiprocessor then has room for as many blocks as with
// two
template <class T>
int exchanged_registers(PackedShape s, int64_t m, int64_t n, int shared_per_block) {
    constexpr int reserved = 1024;  // bytes of each block
    const auto held = [&](int registers) {
        const int bytes = adjacent_matrices * adjacent_apart<T>(s, m, n, registers);
        return std::min(s.blocks, (shared_per_block + reserved) / (bytes + reserved));
    };
    return held(8) < held(2) ? 2 : 8;
}

}  // namespace xbatch::qr
