// verdict.hpp: all checks of one random call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call.hpp"

namespace xbatch_test {

struct Tally {
    int64_t valid = 0, refused = 0, poisoned = 0, threaded = 0, seen_wrong = 0;
};

// "" if the call fulfils its contract, otherwise the error
std::string verdict_of(Call &call, Tally &tally);

}  // namespace xbatch_test
