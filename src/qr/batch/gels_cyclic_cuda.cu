// gels_cyclic_cuda.cu: launches least squares with one right-hand side of matrices that registers hold cyclically.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "core/launch.cuh"
#include "gels_kernels.cuh"
#include "shape_choice.hpp"
#include "solve_cyclic.cuh"

namespace xbatch::qr {
namespace {

// Bytes from what is loaded to what is loaded to the second-level cache
constexpr int64_t bytes_ahead = 4 << 20;

// Whether the columns of all matrices begin at multiples of 16 bytes if the first one does, and where the first does
template <class T>
bool has_chunks(const DeviceMatrices<T> &a) {
    constexpr int64_t chunk = Sixteen<T>::size;
    return a.at.column % chunk == 0 &&
           (a.each || (a.at.stride % chunk == 0 && reinterpret_cast<uintptr_t>(a.data) % 16 == 0));
}

}  // namespace

template <class T>
bool has_cyclic(const DeviceMatrices<T> &a, const DeviceMatrices<T> &b, int64_t m, int64_t n) {
    return are_flat(a) && are_flat(b) && shape_for(solve_shapes<T>, m, n) < int(solve_shapes<T>.size());
}
template <class T>
xbatchStatus_t solve_cyclic_cuda(Context &context, const ResidentArguments<T> &p) {
    const int which = shape_for(solve_shapes<T>, p.m, p.n);
    return with_shape<int(solve_shapes<T>.size())>(which, [&](auto shape) {
        constexpr CyclicShape s = solve_shapes<T>[shape].lanes;
        const int64_t size = int64_t(p.m) * p.n, unit = s.of_warp();
        const bool by_chunks = p.m % Sixteen<T>::size == 0 && has_chunks(p.a) && has_chunks(p.b);
        SolvePlaces at = solve_places<T>(s, p.m, p.n, p.a.at.column, by_chunks);
        if (!p.a.each && p.a.at.column == p.m && p.a.at.stride == size && unit * size % Sixteen<T>::size == 0 &&
            reinterpret_cast<uintptr_t>(p.a.data) % 16 == 0)
            at.ahead = bytes_ahead / (size * unit * int64_t(sizeof(T))) * unit;
        return Launch(context, (p.batch - 1) / unit + 1, 32, solve_bytes<T>(at))(solve_cyclic<T, shape>, "solve_cyclic",
                                                                                 p, at);
    });
}

XBATCH_INSTANTIATE_TYPES(has_cyclic);
XBATCH_INSTANTIATE_TYPES(solve_cyclic_cuda);

}  // namespace xbatch::qr
