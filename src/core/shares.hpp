// shares.hpp: one call for several handles, each of which has a share. Nothing starts before all have been checked.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "call.hpp"

namespace xbatch {

// A share in messages. Throws std::bad_alloc.
std::string share_name(const char *name, int k);

// Every share must have a live handle of its own. Throws std::bad_alloc.
xbatchStatus_t check_handles(Context &first, const char *name, int devices, const xbatchHandle_t *handles);

// Runs, or only checks, share k: the status of a routine that is called with handles[k] and the caller.
using ShareRunner = xbatchStatus_t(const void *arguments, int k, Caller caller);

// `first` is the context of handles[0], which has the message of every share. Throws std::bad_alloc.
xbatchStatus_t run_shares(Context &first, const char *name, int devices, const xbatchHandle_t *handles,
                          ShareRunner *run, const void *arguments);

// check(call) checks what is the same for all shares; share(k, caller) calls the routine for share k.
template <class Check, class Share>
xbatchStatus_t with_shares(const char *name, int devices, const xbatchHandle_t *handles, const Check &check,
                           const Share &share) noexcept {
    if (!handles) return XBATCH_STATUS_INVALID_HANDLE;
    return guarded(handles[0], {name, 1}, [&](Context &first, Call &call) {
        call.at_least(-1, "devices", devices, nullptr, 1);  // the argument before the handles
        check(call);
        if (call.failed()) return call.status();
        const auto run = [](const void *arguments, int k, Caller caller) {
            return (*static_cast<const Share *>(arguments))(k, caller);
        };
        return run_shares(first, name, devices, handles, run, &share);
    });
}

}  // namespace xbatch
