// geqrf_split_cuda.cu: launches QR of tall matrices of doubles whose rows a few warps share.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/launch.cuh"
#include "factor_split.cuh"
#include "shape_choice.hpp"

namespace xbatch::qr {
bool is_split(const Context &context, int64_t m, int64_t n) {
    return shape_for(split_shapes, m, n) < int(split_shapes.size()) &&
           split_bytes(int(m), int(n)) <= size_t(context.shared_per_block);
}
xbatchStatus_t factor_split_cuda(Context &context, const PackedArguments<double> &p, int64_t batch) {
    return with_shape<int(split_shapes.size())>(shape_for(split_shapes, p.m, p.n), [&](auto shape) {
        return Launch(context, batch, 32 * split_warps, split_bytes(p.m, p.n))(factor_split<shape>, "factor_split", p);
    });
}

}  // namespace xbatch::qr
