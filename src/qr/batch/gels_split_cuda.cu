// gels_split_cuda.cu: launches least squares with one right-hand side of tall matrices of doubles whose rows a few
// warps share.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "core/launch.cuh"
#include "gels_kernels.cuh"
#include "shape_choice.hpp"
#include "solve_split.cuh"

namespace xbatch::qr {
namespace {

// Shared memory of a block: while it factors [A b], and afterwards
size_t solve_bytes(int m, int n) {
    const int after = 8 * split_ld(m, 0) + m + n * (n + 1) / 2;
    return std::max(split_bytes(m, n + 1), sizeof(SplitMemory) + size_t(after) * sizeof(double));
}

}  // namespace

bool has_split(const Context &context, const DeviceMatrices<double> &a, int64_t m, int64_t n) {
    return are_flat(a) && shape_for(split_shapes, m, n) < int(split_shapes.size()) &&
           solve_bytes(int(m), int(n)) <= size_t(context.shared_per_block);
}
xbatchStatus_t solve_split_cuda(Context &context, const ResidentArguments<double> &p) {
    const SplitSolveArguments split{p.a, p.b, p.m, p.n, p.info};
    return with_shape<int(split_shapes.size())>(shape_for(split_shapes, p.m, p.n), [&](auto shape) {
        return Launch(context, p.batch, 32 * split_warps, solve_bytes(p.m, p.n))(solve_split<shape>, "solve_split",
                                                                                 split);
    });
}

}  // namespace xbatch::qr
