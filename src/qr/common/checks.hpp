// checks.hpp: checks of arguments that the calls of QR have in common.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/entry.hpp"
#include "xbatch/qr.h"

namespace xbatch::qr {

// What is computed for a batch of matrices [a x b], at most `times` their bytes, must be countable.
inline void check_product(Call &call, int position, const char *name, int64_t a, int64_t b, int64_t batch,
                          xbatchDataType_t type, int times = 8) {
    call.extent(position, name, a, b > 0 ? b : 1, batch > 0 ? batch : 1, times * element_size(type));
}
// No transpose of complex matrices: `what` is the message.
inline void check_op(Call &call, int position, xbatchDataType_t type, xbatchOperation_t op, const char *what) {
    call.one_of(position, "op", op, XBATCH_OP_C);
    if (is_complex(type)) call.require(position, "op", op != XBATCH_OP_T, what);
}
constexpr const char *complex_matrices = "must be N or C where matrices are complex";

// The leading dimension of matrices [rows x columns]
inline void check_ld(Call &call, int position, const char *name, int64_t ld, const char *rows_name, int64_t rows,
                     int64_t columns, xbatchDataType_t type) {
    call.at_least(position, name, ld, rows_name, rows);
    call.at_least(position, name, ld, nullptr, 1);
    call.extent(position, name, ld, columns > 0 ? columns : 1, 1, element_size(type));
}

// side, op, m, n and k, from `position` on, of a routine that multiplies by Q; `what` as above
struct SizeNames {
    const char *m, *n, *k, *as_m, *as_n;
};
constexpr SizeNames own_sizes{"m", "n", "k", "as m", "as n"};
constexpr SizeNames largest_sizes{"mMax", "nMax", "kMax", "as mMax", "as nMax"};

template <class Shape>
void check_multiply(Call &call, int position, const Shape &s, const SizeNames &names, const char *what) {
    call.one_of(position, "side", s.side, XBATCH_SIDE_RIGHT);
    check_op(call, position + 1, s.type, s.op, what);
    call.count(position + 2, names.m, s.m);
    call.count(position + 3, names.n, s.n);
    call.count(position + 4, names.k, s.k);
    call.at_most(position + 4, names.k, s.k, s.order(), s.is_right() ? names.as_n : names.as_m);
}
// m, n and k, from `position` on, of a routine that forms columns of Q
template <class Shape>
void check_form(Call &call, int position, const Shape &s, const SizeNames &names) {
    call.count(position, names.m, s.m);
    call.count(position + 1, names.n, s.n);
    call.at_most(position + 1, names.n, s.n, s.m, names.as_m);
    call.count(position + 2, names.k, s.k);
    call.at_most(position + 2, names.k, s.k, s.n, names.as_n);
}

}  // namespace xbatch::qr
