// matrix_kernels_host.hpp: the kernels of batched QR on the host for one matrix in a thread's buffer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/columns_host.hpp"

namespace xbatch::qr {

// k reflectors of vectors with `rows` rows; memory: matrix_buffer_reals
template <class T>
struct MatrixReflectors {
    int64_t rows, k;
    T *tau;
    Real<T> *memory;
};

template <class T>
struct MatrixKernels {
    // Columns 0 … k-1 of a become vectors and R; the reflectors are applied to the other columns, up to `columns`.
    // Returns the first column, from 0, whose norm is not finite, or k.
    int64_t (*factor)(const MatrixReflectors<T> &, const Columns<Real<T>> &a, int64_t columns);
    // Applies Q of the vectors in v to c, or Q^H.
    void (*apply)(const MatrixReflectors<T> &, const Columns<Real<T>> &v, bool is_adjoint, const Columns<Real<T>> &c,
                  int64_t columns);
};

// The kernels for the best instruction set of this machine
template <class T>
const MatrixKernels<T> &matrix_kernels();

template <class T>
int64_t matrix_buffer_reals(int64_t rows);

}  // namespace xbatch::qr
