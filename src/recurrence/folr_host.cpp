// folr_host.cpp: recurrences on the host.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/scalar.hpp"
#include "recurrence.hpp"

namespace xbatch {

template <class T>
xbatchStatus_t folr_host(Context &, const FolrProblem &p, void *) {
    const T *s = static_cast<const T *>(p.s), *t = static_cast<const T *>(p.t), *w0 = static_cast<const T *>(p.w0);
    T *w = static_cast<T *>(p.w);
    for (int64_t j = 0; j < p.batch; ++j)
        for (int64_t r = 0; r < p.nrhs; ++r) {
            T state = w0 ? w0[j * p.nrhs + r] : T(0);
            for (int64_t i = 0; i < p.n; ++i)
                w[p.w_at.offset(i, j, r)] = state = fma_(s[p.s_at.offset(i, j, 0)], state, t[p.t_at.offset(i, j, r)]);
        }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t folr_host_workspace(const Context &, const FolrProblem &) {
    return 0;
}

template xbatchStatus_t folr_host<float>(Context &, const FolrProblem &, void *);
template xbatchStatus_t folr_host<double>(Context &, const FolrProblem &, void *);
template xbatchStatus_t folr_host<Complex<float>>(Context &, const FolrProblem &, void *);
template xbatchStatus_t folr_host<Complex<double>>(Context &, const FolrProblem &, void *);
template size_t folr_host_workspace<float>(const Context &, const FolrProblem &);
template size_t folr_host_workspace<double>(const Context &, const FolrProblem &);
template size_t folr_host_workspace<Complex<float>>(const Context &, const FolrProblem &);
template size_t folr_host_workspace<Complex<double>>(const Context &, const FolrProblem &);

}  // namespace xbatch
