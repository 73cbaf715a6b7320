// calls.hpp: how short calls are timed: alone, in sequence, or as replays of a CUDA graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "session.hpp"

namespace bench {

// in_sequence: on CUDA the mean of calls without a wait between them, so that either the launches or the kernels are
// the bound; on the host, whose clock resolves one call, a call alone. replayed: the same of a CUDA graph of one call.
enum class Calls { one, in_sequence, replayed };

// The run that `start` makes, timed in this way. The error is that of a call or replay of its own, because each timed
// one starts from the result of the one before.
Run timed_as(const Session &session, Calls calls, const std::function<Run()> &start);

}  // namespace bench
