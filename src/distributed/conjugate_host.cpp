// conjugate_host.cpp: the complex conjugate of an array, on the host.
// SPDX-License-Identifier: BSD-3-Clause
#include "conjugate.hpp"
#include "core/lanes_host.hpp"

namespace xbatch::distributed {

template <class T>
xbatchStatus_t conjugate_host(Context &context, const ConjugateProblem &p, void *) {
    T *const array = static_cast<T *>(p.array);
    const bool by_rows = p.at.layout == XBATCH_LAYOUT_FLAT;
    const int64_t outer = by_rows ? p.batch : p.n, inner = by_rows ? p.n : p.batch;
#pragma omp parallel for schedule(static) num_threads(team_size(thread_count(context), p.n, p.batch))
    for (int64_t k = 0; k < outer; ++k)
        for (int64_t l = 0; l < inner; ++l) {
            T &x = array[p.at.offset(by_rows ? l : k, by_rows ? k : l, 0)];
            x = conjugate(x);
        }
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t conjugate_host_workspace(const Context &, const ConjugateProblem &) {
    return 0;
}

XBATCH_INSTANTIATE_BACKEND(conjugate_host);

}  // namespace xbatch::distributed
