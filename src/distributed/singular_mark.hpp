// singular_mark.hpp: what a message has in place of a node or its ends where the matrix of a system is singular.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace xbatch::distributed {

// Followed by the first bad row, from 1. NaN in every type.
constexpr uint64_t singular_mark = 0x7ff9b5c37fe5a2d7;

}  // namespace xbatch::distributed
