// agreement.cpp: the ranks compare their arguments.
// SPDX-License-Identifier: BSD-3-Clause
#include "agreement.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace xbatch::distributed {

xbatchStatus_t agree(Context &context, const char *function, Communicator &comm, Routine routine, xbatchStatus_t own,
                     const Shared &shared) {
    Messages messages;
    const auto bytes = [](int) { return int64_t(sizeof shared.values); };
    messages.lay_out(comm.ranks(), true, bytes, bytes);
    messages.allocate();
    std::memcpy(messages.sent.get() + header_bytes, shared.values, sizeof shared.values);
    const Heard heard = comm.exchange({routine, false}, 0, own, messages);
    if (!heard.is_good()) return failure(context, function, comm, heard, own);
    const auto value_of = [&](int p, int k) {
        int64_t value;
        const int64_t at = messages.recv_at[p] + header_bytes + k * int64_t(sizeof value);
        std::memcpy(&value, messages.received.get() + at, sizeof value);
        return value;
    };
    for (int p = 1; p < comm.ranks(); ++p)
        for (int k = 0; k < shared.count; ++k)
            if (value_of(p, k) != value_of(0, k))
                return fail(context, XBATCH_STATUS_INVALID_VALUE,
                            "%s: rank %d differs from rank 0 in %s: %lld and %lld", function, p, shared.names[k],
                            (long long)value_of(p, k), (long long)value_of(0, k));
    return XBATCH_STATUS_SUCCESS;
}

void check_offsets(Call &call, int position, const char *rows, int64_t n, const int64_t *offsets, int ranks) {
    if (!offsets || call.failed()) return;
    const std::string what = std::string("must begin with 0 and end with ") + rows;
    call.require(position, "offsets", offsets[0] == 0 && offsets[ranks] == n, what.c_str());
    call.require(position, "offsets", std::is_sorted(offsets, offsets + ranks + 1), "must be ascending");
}

void check_cut(Call &call, int position, WrongCut wrong) {
    if (wrong.rank < 0) return;
    const std::string name = "offsets[" + std::to_string(wrong.rank) + "]";
    const std::string what = "must be on a chunk, of which the nearest begins at row " + std::to_string(wrong.nearest) +
                             ", or the flags have XBATCH_MP_ANY_CUT";
    call.require(position, name.c_str(), false, what.c_str());
}

}  // namespace xbatch::distributed
