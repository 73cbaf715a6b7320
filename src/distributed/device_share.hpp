// device_share.hpp: a rank's part of a distributed solve on a CUDA device: its tables, messages and phases.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "core/context.hpp"
#include "xbatch/comm_layer.h"

namespace xbatch::distributed {

struct MpPlan;
struct GtsvArrays;
struct FolrArrays;
struct Share;

// The headers of the messages that a phase sends, and of those that it has received; 0 where the host writes and
// checks them.
struct HeaderWords {
    uint64_t sent = 0, expected = 0;
    uint64_t broken = 0;  // is sent after a message that was not the expected one
};

// The phases of a method, the same for all types. They are enqueued on the handle's stream. A rank that does not go on
// sends headers only.
template <class Arrays>
struct DevicePhases {
    virtual ~DevicePhases() = default;
    virtual size_t workspace(const Context &context, const MpPlan &plan) const = 0;
    virtual xbatchStatus_t condense(Context &context, const MpPlan &plan, const Arrays &arrays, void *workspace,
                                    HeaderWords words, bool goes_on) = 0;
    virtual xbatchStatus_t close(Context &context, const MpPlan &plan, const Arrays &arrays, void *workspace,
                                 HeaderWords words) = 0;
    virtual xbatchStatus_t substitute(Context &context, const MpPlan &plan, const Arrays &arrays, void *workspace,
                                      HeaderWords words, bool goes_on) = 0;
};

// Those of tridiagonal systems, and of recurrences. Buffers are in device memory, laid out as those of the plan.
struct DeviceShare : DevicePhases<GtsvArrays> {
    char *sent = nullptr, *received = nullptr, *returning = nullptr, *returned = nullptr;
    int32_t *verdict = nullptr;  // of the last exchange
    std::unique_ptr<DevicePhases<FolrArrays>> recurrence;
};

// Leaves and joins of this rank
Share device_share(const MpPlan &plan);
// Its device memory; NULL, with a message in the context, if there is too little. Throws std::bad_alloc.
std::unique_ptr<DeviceShare> make_device_share(Context &context, MpPlan &plan);
// For a plan whose messages are arranged for recurrences, in the buffers of its share
std::unique_ptr<DevicePhases<FolrArrays>> make_device_recurrence(Context &context, const MpPlan &plan,
                                                                 const DeviceShare &buffers);

}  // namespace xbatch::distributed
