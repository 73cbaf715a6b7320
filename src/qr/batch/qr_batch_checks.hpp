// qr_batch_checks.hpp: checks of arguments that batches of one size and of several have in common.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/call.hpp"
#include "core/dispatch.hpp"

namespace xbatch::qr {

inline void check_size(Call &call, int position, const char *name, int64_t value) {
    call.at_least(position, name, value, nullptr, 0);
}
// What is kept of a batch, at most eight times the matrices, can be counted.
inline void check_product(Call &call, int position, const char *name, int64_t a, int64_t b, int64_t batch,
                          xbatchDataType_t type) {
    if (!call.failed()) call.extent(position, name, a, b > 0 ? b : 1, batch > 0 ? batch : 1, 8 * element_size(type));
}
inline void check_op(Call &call, int position, xbatchDataType_t type, xbatchOperation_t op) {
    call.one_of(position, "op", op, XBATCH_OP_C);
    const bool is_complex = type == XBATCH_C_32F || type == XBATCH_C_64F;
    if (!call.failed() && is_complex)
        call.require(position, "op", op != XBATCH_OP_T, "must be N or C where matrices are complex");
}

}  // namespace xbatch::qr
