// geqrf.hpp: LAPACK's QR factorisation by this project's tiled QR.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace xbatch::lapack {

// A = Q R in place, R, V and tau as LAPACK's geqrf. Throws before it writes where libxbatch or memory is missing.
template <class T>
void geqrf_tiled(int64_t m, int64_t n, T *a, int64_t lda, T *tau);

}  // namespace xbatch::lapack
