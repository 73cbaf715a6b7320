// thomas_host.cpp: tridiagonal systems on the host.
// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "core/scalar.hpp"
#include "tridiagonal.hpp"

namespace xbatch {

template <class T>
xbatchStatus_t thomas_host(Context &, const GtsvProblem &p, void *) {
    const T *dl = static_cast<const T *>(p.dl), *d = static_cast<const T *>(p.d), *du = static_cast<const T *>(p.du);
    T *b = static_cast<T *>(p.b);
    std::vector<T> c(p.n);
    for (int64_t j = 0; j < p.batch; ++j)
        for (int64_t r = 0; r < p.nrhs; ++r) {
            int32_t bad = 0;
            T before = T(0), quotient = T(0);
            for (int64_t i = 0; i < p.n; ++i) {
                const int64_t a = p.a_at.offset(i, j, 0), x = p.b_at.offset(i, j, r);
                const T l = i > 0 ? dl[a] : T(0), pivot = fnma(l, quotient, d[a]), inverse = reciprocal(pivot);
                if (!bad && (!is_finite(pivot) || !is_finite(inverse))) bad = int32_t(i + 1);
                quotient = c[i] = (i + 1 < p.n ? du[a] : T(0)) * inverse;
                b[x] = before = fnma(l, before, b[x]) * inverse;
            }
            T after = T(0);
            for (int64_t i = p.n; i-- > 0;) {
                const int64_t x = p.b_at.offset(i, j, r);
                b[x] = after = fnma(c[i], after, b[x]);
            }
            if (p.info && r == 0) p.info[j] = bad;
        }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t thomas_host_workspace(const Context &, const GtsvProblem &) {
    return 0;
}

template xbatchStatus_t thomas_host<float>(Context &, const GtsvProblem &, void *);
template xbatchStatus_t thomas_host<double>(Context &, const GtsvProblem &, void *);
template xbatchStatus_t thomas_host<Complex<float>>(Context &, const GtsvProblem &, void *);
template xbatchStatus_t thomas_host<Complex<double>>(Context &, const GtsvProblem &, void *);
template size_t thomas_host_workspace<float>(const Context &, const GtsvProblem &);
template size_t thomas_host_workspace<double>(const Context &, const GtsvProblem &);
template size_t thomas_host_workspace<Complex<float>>(const Context &, const GtsvProblem &);
template size_t thomas_host_workspace<Complex<double>>(const Context &, const GtsvProblem &);

}  // namespace xbatch
