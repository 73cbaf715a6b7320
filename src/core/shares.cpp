// shares.cpp: the order of a call for several handles: all checks, then the work of devices, then that of the host.
// SPDX-License-Identifier: BSD-3-Clause
#include "shares.hpp"

#include <unordered_set>

namespace xbatch {

std::string share_name(const char *name, int k) { return std::string(name) + ": share " + std::to_string(k); }

xbatchStatus_t check_handles(Context &first, const char *name, int devices, const xbatchHandle_t *handles) {
    std::unordered_set<xbatchHandle_t> seen;
    for (int k = 0; k < devices; ++k) {
        if (!live_contexts.find(handles[k]))
            return fail(first, XBATCH_STATUS_INVALID_HANDLE, "%s: its handle is NULL or was destroyed",
                        share_name(name, k).c_str());
        if (!seen.insert(handles[k]).second)
            return fail(first, XBATCH_STATUS_INVALID_VALUE, "%s: its handle is that of another share",
                        share_name(name, k).c_str());
    }
    return XBATCH_STATUS_SUCCESS;
}

xbatchStatus_t run_shares(Context &first, const char *name, int devices, const xbatchHandle_t *handles,
                          ShareRunner *run, const void *arguments) {
    xbatchStatus_t status = check_handles(first, name, devices, handles);
    const auto run_share = [&](int k, bool is_check) {
        const std::string share = share_name(name, k);
        status = run(arguments, k, {share.c_str(), 1, is_check});
        if (status == XBATCH_STATUS_SUCCESS) return;
        std::string message = live_contexts.find(handles[k])->message;
        if (message.rfind(share, 0) != 0) message = share + ": " + message;
        fail(first, status, "%s", message.c_str());
    };
    for (int k = 0; k < devices && status == XBATCH_STATUS_SUCCESS; ++k) run_share(k, true);
    for (const xbatchBackend_t backend : {XBATCH_BACKEND_CUDA, XBATCH_BACKEND_HOST})
        for (int k = 0; k < devices && status == XBATCH_STATUS_SUCCESS; ++k)
            if (live_contexts.find(handles[k])->backend == backend) run_share(k, false);
    return status;
}

}  // namespace xbatch
