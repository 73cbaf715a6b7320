// rearrange_host.cpp: the rearrangement on the host.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/scalar.hpp"
#include "rearrange.hpp"

namespace xbatch {

template <class T>
xbatchStatus_t rearrange_host(Context &, const RearrangeProblem &p, void *) {
    const T *src = static_cast<const T *>(p.src);
    T *dst = static_cast<T *>(p.dst);
    for (int64_t j = 0; j < p.batch; ++j)
        for (int64_t i = 0; i < p.n; ++i) dst[p.to.offset(i, j, 0)] = src[p.from.offset(i, j, 0)];
    return XBATCH_STATUS_SUCCESS;
}

template xbatchStatus_t rearrange_host<float>(Context &, const RearrangeProblem &, void *);
template xbatchStatus_t rearrange_host<double>(Context &, const RearrangeProblem &, void *);
template xbatchStatus_t rearrange_host<Complex<float>>(Context &, const RearrangeProblem &, void *);
template xbatchStatus_t rearrange_host<Complex<double>>(Context &, const RearrangeProblem &, void *);

}  // namespace xbatch
