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

int64_t hash_of(const int64_t *values, int64_t count);

// The status that all ranks return: that of the first rank that has another one than SUCCESS, or INVALID_VALUE where
// values differ. Throws std::bad_alloc.
xbatchStatus_t agree(Context &context, const char *function, Communicator &comm, Routine routine, xbatchStatus_t own,
                     const Shared &shared);

// offsets may be NULL.
void check_offsets(Call &call, int position, const char *rows, int64_t n, const int64_t *offsets, int ranks);
void check_cut(Call &call, int position, WrongCut wrong);

}  // namespace xbatch::distributed
