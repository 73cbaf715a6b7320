// stored_matrices.hpp: the stored factors of LU on CUDA: A itself, in the layout that the pivoting solver loads
// fastest. A second elimination takes no more memory traffic than loading L and U.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/scalar.hpp"
#include "core/workspace.hpp"
#include "tridiagonal_factor.hpp"

namespace xbatch::tridiagonal {

// Five arrays of equal size: A, and the off-diagonals of A^T, whose row i has du_{i-1} and dl_{i+1}. Where a distance
// of one row preserves the alignment of copies, the latter are dl and du shifted by a row, and take no memory of their
// own.
template <class T>
struct StoredMatrices {
    Real<T> *norms[2];  // [XBATCH_NORM_…][sets]: of A, NaN for an A that cannot be solved
    T *dl, *d, *du, *turned_dl, *turned_du;
    Placement at;
    int64_t elements;  // of each array
    bool turns_in_place;
    size_t bytes;

    StoredMatrices(xbatchLayout_t layout, int64_t n, int64_t sets, void *buffer) {
        constexpr int64_t wide = 16, together = sizeof(T) < wide ? wide / int64_t(sizeof(T)) : 1;
        const bool flat = layout == XBATCH_LAYOUT_FLAT || sets == 1;
        const int64_t ld = flat ? n : (sets + together - 1) / together * together;
        at = {flat ? XBATCH_LAYOUT_FLAT : XBATCH_LAYOUT_INTERLEAVED, n, 1, ld, flat ? 1 : ld, 0};
        elements = ld * (flat ? sets : n);
        turns_in_place = at.step % together == 0;
        Carver carver(buffer);
        for (Real<T> *&norm : norms) norm = carver.take<Real<T>>(sets);
        const int64_t row = turns_in_place ? at.step : 0;
        dl = carver.take<T>(elements + row);
        d = carver.take<T>(elements);
        turned_dl = carver.take<T>(elements + row);
        du = turns_in_place ? (buffer ? turned_dl + row : nullptr) : carver.take<T>(elements);
        turned_du = turns_in_place ? (buffer ? dl + row : nullptr) : carver.take<T>(elements);
        bytes = carver.bytes();
    }
};

}  // namespace xbatch::tridiagonal
