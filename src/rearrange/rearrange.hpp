// rearrange.hpp: the problem that the C entries of the rearrangement pass to a backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "core/dispatch.hpp"
#include "core/layout.hpp"

namespace xbatch::rearrange {

struct RearrangeProblem {
    int64_t n, batch;
    Placement from, to;
    const void *src;
    void *dst;
};

template <class T>
Runner<RearrangeProblem> rearrange_host;
template <class T>
Runner<RearrangeProblem> rearrange_cuda;

// It never needs a workspace.
template <class T>
size_t rearrange_host_workspace(const Context &, const RearrangeProblem &) {
    return 0;
}
template <class T>
size_t rearrange_cuda_workspace(const Context &, const RearrangeProblem &) {
    return 0;
}

}  // namespace xbatch::rearrange
