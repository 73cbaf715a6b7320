// solve_side.cuh: whether the norm of a right-hand side is near the ends of the range.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/householder.cuh"

namespace xbatch::qr {

// Of some entries of a right-hand side, those of a lane
template <class T>
class SideRange {
public:
    __device__ __forceinline__ void add(T x) {
        constexpr int range = sizeof(Real<T>) == 8 ? 800 : 60;  // of exponents
        const unsigned size = leading_bits(fabs(x));
        has_large_ |= size > leading_bits(power_of_two<Real<T>>(range));
        has_usual_ |= size >= leading_bits(power_of_two<Real<T>>(-range));
        has_any_ |= !(x == T(0));
    }
    // Whether some entry is too large or not finite, or all of them are too small; mask: the lanes of the matrix, of
    // which all lanes of the warp have one
    __device__ __forceinline__ bool needs_scaling(unsigned mask) const {
        const bool all_usual = (__ballot_sync(~0u, has_usual_) & mask) != 0,
                   any = (__ballot_sync(~0u, has_any_) & mask) != 0;
        return has_large_ | (any & !all_usual);
    }

private:
    bool has_large_ = false, has_usual_ = false, has_any_ = false;
};

}  // namespace xbatch::qr
