// accepted.hpp: what no contract allows and is accepted still, each until the library is right; then it goes from here
// and from where it is read. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace xbatch_test {

#ifdef __SANITIZE_ADDRESS__
constexpr bool has_sanitizers = true;
#else
constexpr bool has_sanitizers = false;
#endif

// A solver says info 0, not n + 1, where all pivots are fine but the solution is not finite.
constexpr bool accepts_silent_solvers = true;
// QRs of several sizes have other bits on other numbers of threads: matrices that share a tile differ.
constexpr bool accepts_other_bits = true;
// UBSan stops the library where it looks at a negative enumerator,
constexpr bool draws_negative_enumerators = !has_sanitizers;
// and where xungqrBatch_bufferSize divides by 0: BLOCK_INTERLEAVED, k = 0.
constexpr bool draws_blocks_without_reflectors = !has_sanitizers;

}  // namespace xbatch_test
