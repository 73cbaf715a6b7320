// agreement.hpp: what must be the same on all ranks, which compare it before they go on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mp_call.hpp"

namespace xbatch::distributed {

struct Shared {
    static constexpr int most = 8;
    const char *names[most];
    int64_t values[most];
    int count;
};

// FNV-1a, by numbers
template <class Number>
int64_t hash_of(const Number *values, int64_t count) {
    uint64_t hash = 14695981039346656037u;
    for (int64_t k = 0; k < count; ++k) hash = (hash ^ uint64_t(values[k])) * 1099511628211u, hash ^= hash >> 29;
    return int64_t(hash);
}

// The status that all ranks return: that of the first rank that has another one than SUCCESS, or INVALID_VALUE where
// values differ. Throws std::bad_alloc.
xbatchStatus_t agree(Context &context, const char *function, Communicator &comm, Routine routine, xbatchStatus_t own,
                     const Shared &shared);

// offsets may be NULL.
void check_offsets(Call &call, int position, const char *rows, int64_t n, const int64_t *offsets, int ranks);
void check_cut(Call &call, int position, WrongCut wrong);

}  // namespace xbatch::distributed
