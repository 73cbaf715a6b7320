// mg_exchange.hpp: how the devices of one process exchange messages: by copies in their streams.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "mp_plan.hpp"

namespace xbatch::distributed {

using Shares = std::vector<std::unique_ptr<MpPlan>>;

// What a plan of several CUDA devices has besides their shares
struct MgExchange {
    virtual ~MgExchange() = default;
    // All streams wait for the first one; the first one waits for all.
    virtual xbatchStatus_t begin(Context &first) = 0;
    virtual xbatchStatus_t end(Context &first) = 0;
    // Each message, forward or back, from the device that sends it to the one that receives it
    virtual xbatchStatus_t exchange(Context &first, const Shares &shares, bool is_back) = 0;
};

// NULL, with a message in the context, after a failure. Throws std::bad_alloc.
std::unique_ptr<MgExchange> make_mg_exchange(Context &first, const std::vector<Context *> &contexts);

}  // namespace xbatch::distributed
