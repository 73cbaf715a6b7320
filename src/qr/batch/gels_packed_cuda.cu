// gels_packed_cuda.cu: launches least squares with one right-hand side of matrices whose panels go through registers.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/dispatch.hpp"
#include "core/launch.cuh"
#include "gels_kernels.cuh"
#include "shape_choice.hpp"
#include "solve_packed.cuh"

namespace xbatch::qr {
namespace {

// Matrices for which shared memory is faster
constexpr bool is_for_memory(int64_t m, int64_t n) { return m > 48 && m <= 56 && n > 24; }
// Whether it keeps the vectors of more than one panel, which b needs too
constexpr bool is_for_sides(PackedShape s) { return s.stages() > 1; }
// The first of the shapes that hold the reflectors of m x n matrices, of one warp if there is one, or their number
template <class T>
int shape_of(int64_t m, int64_t n) {
    const auto first = [&](int warps) {
        const auto holds = [&](PackedShape s) { return is_for_sides(s) && s.warps <= warps && s.holds(m, n, true); };
        return int(std::find_if(packed_shapes<T>.begin(), packed_shapes<T>.end(), holds) - packed_shapes<T>.begin());
    };
    const int by_one = first(1);
    return by_one < int(packed_shapes<T>.size()) ? by_one : first(most_warps);
}
// Elements of shared memory for vectors: not those of a last panel that has the place of the first one's, or only b.
template <class T>
int vector_elements(PackedShape s, int64_t n) {
    const int panels = s.panels(n + 1),
              held = n % s.columns() == 0 || (s.is_long() && panels > 1) ? panels - 1 : panels;
    return s.begin(held, Sixteen<T>::size);
}
template <class T>
size_t solve_bytes(PackedShape s, int64_t m, int64_t n) {
    return size_t(packed_head_bytes<T>(s)) + size_t(vector_elements<T>(s, n) + m + n * (n + 1) / 2) * sizeof(T);
}

}  // namespace

template <class T>
bool has_packed(const Context &context, const DeviceMatrices<T> &a, const DeviceMatrices<T> &b, int64_t m, int64_t n) {
    const int which = shape_of<T>(m, n);
    return sizeof(T) == sizeof(Real<T>) && !is_for_memory(m, n) && are_flat(a) && are_flat(b) &&
           which < int(packed_shapes<T>.size()) && m > least_packed_rows(packed_shapes<T>[size_t(which)]) &&
           solve_bytes<T>(packed_shapes<T>[size_t(which)], m, n) <= size_t(context.shared_per_block);
}
template <class T>
xbatchStatus_t solve_packed_cuda(Context &context, const ResidentArguments<T> &p) {
    constexpr int shapes = sizeof(T) == sizeof(Real<T>) ? int(packed_shapes<T>.size()) : 0;
    return with_shape<shapes>(shape_of<T>(p.m, p.n), [&](auto shape) {
        constexpr PackedShape s = packed_shapes<T>[shape];
        if constexpr (is_for_sides(s)) {
            const PackedSolveArguments<T> packed{p.a, p.b, p.m, p.n, p.info, vector_elements<T>(s, p.n)};
            return Launch(context, p.batch, 32 * s.warps, solve_bytes<T>(s, p.m, p.n))(solve_packed<T, shape>,
                                                                                       "solve_packed", packed);
        }
        return XBATCH_STATUS_INTERNAL_ERROR;
    });
}

XBATCH_INSTANTIATE_TYPES(has_packed);
XBATCH_INSTANTIATE_TYPES(solve_packed_cuda);

}  // namespace xbatch::qr
