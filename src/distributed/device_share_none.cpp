// device_share_none.cpp: device_share.hpp and mp_device.hpp in a build without CUDA, which has no device handle.
// SPDX-License-Identifier: BSD-3-Clause
#include "gtsv_mp.hpp"
#include "mg_exchange.hpp"
#include "mp_device.hpp"

namespace xbatch::distributed {

Share device_share(const MpPlan &) { return {}; }
std::unique_ptr<DeviceShare> make_device_share(Context &, MpPlan &) { return nullptr; }
std::unique_ptr<MgExchange> make_mg_exchange(Context &, const std::vector<Context *> &) { return nullptr; }
xbatchStatus_t connect(Context &, MpPlan &) { return XBATCH_STATUS_SUCCESS; }
xbatchStatus_t wait_for_stream(Context &, Communicator &, const char *) { return XBATCH_STATUS_SUCCESS; }
xbatchStatus_t solve_on_device(Context &, Call &, const char *, MpPlan &, Routine, const GtsvArrays &, int64_t,
                               void *) {
    return XBATCH_STATUS_NOT_SUPPORTED;
}
xbatchStatus_t solve_on_device(Context &, Call &, const char *, MpPlan &, Routine, const FolrArrays &, void *) {
    return XBATCH_STATUS_NOT_SUPPORTED;
}
bool is_captured(const Context &) { return false; }
xbatchStatus_t to_host(Context &, void *, const void *, int64_t) { return XBATCH_STATUS_NOT_SUPPORTED; }
xbatchStatus_t to_device(Context &, void *, const void *, int64_t) { return XBATCH_STATUS_NOT_SUPPORTED; }

}  // namespace xbatch::distributed
