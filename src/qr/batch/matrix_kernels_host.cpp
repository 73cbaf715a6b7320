// matrix_kernels_host.cpp: the kernels of matrix_kernels_host.hpp, each compiled for three generations of x86-64.
// SPDX-License-Identifier: BSD-3-Clause
#include "matrix_kernels_host.hpp"

#include "core/instruction_set.hpp"
#include "qr/common/four_columns_host.hpp"

namespace xbatch::qr {
namespace {

constexpr int64_t group_bytes =
    256 * 1024;  // of columns to which many reflectors are applied: a part of a core's cache

template <class T>
int64_t group_columns(int64_t rows) {
    return std::max<int64_t>(16, group_bytes / (std::max<int64_t>(rows, 1) * int64_t(sizeof(T))) / 4 * 4);
}

// Applies reflectors c … c+3 of r.
template <class T, class I>
inline void apply_four(FourColumns<T, I> &four, const MatrixReflectors<T> &r, const Columns<Real<T>> &v, int64_t c,
                       bool is_adjoint, const Columns<Real<T>> &to, int64_t columns) {
    const int width = four_width(c, r.k);
    four.take(v.from(0, c), four_rows(Shape::trapezoid, r.rows, c, width), width, r.tau + c);
    four.reflectors(is_adjoint).apply(nullptr, to, columns);
}

template <class T, class I>
inline int64_t factor(const MatrixReflectors<T> &r, const Columns<Real<T>> &a, int64_t columns) {
    FourColumns<T, I> four(r.memory, r.rows);
    int64_t bad = r.k;
    const int64_t group = group_columns<T>(r.rows);
    for (int64_t first = 0; first < columns; first += group) {
        const int64_t end = std::min(first + group, columns);
        for (int64_t c = 0; c < std::min(first, r.k); c += 4)
            apply_four<T, I>(four, r, a, c, true, a.from(0, first), end - first);
        for (int64_t c = first; c < std::min(end, r.k); c += 4) {
            const int width = four_width(c, r.k);
            const int found = four.factor(a.from(c, c), a.from(0, c), four_rows(Shape::trapezoid, r.rows, c, width),
                                          width, r.tau + c);
            if (found < width) bad = std::min(bad, c + found);
            four.reflectors(true).apply(nullptr, a.from(0, c + width), end - c - width);
        }
    }
    return bad;
}

template <class T, class I>
inline void apply(const MatrixReflectors<T> &r, const Columns<Real<T>> &v, bool is_adjoint, const Columns<Real<T>> &to,
                  int64_t columns) {
    FourColumns<T, I> four(r.memory, r.rows);
    const int64_t group = group_columns<T>(r.rows), last = (r.k + 3) / 4 * 4 - 4;
    for (int64_t first = 0; first < columns; first += group)
        for (int64_t c = 0; c <= last; c += 4)
            apply_four<T, I>(four, r, v, is_adjoint ? c : last - c, is_adjoint, to.from(0, first),
                             std::min(group, columns - first));
}

#ifdef XBATCH_HAS_CLONES
template <class T>
__attribute__((target("arch=x86-64-v4"), flatten)) int64_t factor_v4(const MatrixReflectors<T> &r,
                                                                     const Columns<Real<T>> &a, int64_t columns) {
    return factor<T, Isa<64, 4>>(r, a, columns);
}
template <class T>
__attribute__((target("arch=x86-64-v4"), flatten)) void apply_v4(const MatrixReflectors<T> &r,
                                                                 const Columns<Real<T>> &v, bool is_adjoint,
                                                                 const Columns<Real<T>> &to, int64_t columns) {
    apply<T, Isa<64, 4>>(r, v, is_adjoint, to, columns);
}
template <class T>
__attribute__((target("arch=x86-64-v3"), flatten)) int64_t factor_v3(const MatrixReflectors<T> &r,
                                                                     const Columns<Real<T>> &a, int64_t columns) {
    return factor<T, Isa<32, 2>>(r, a, columns);
}
template <class T>
__attribute__((target("arch=x86-64-v3"), flatten)) void apply_v3(const MatrixReflectors<T> &r,
                                                                 const Columns<Real<T>> &v, bool is_adjoint,
                                                                 const Columns<Real<T>> &to, int64_t columns) {
    apply<T, Isa<32, 2>>(r, v, is_adjoint, to, columns);
}
#endif

template <class T>
MatrixKernels<T> best_kernels() {
#ifdef XBATCH_HAS_CLONES
    const int generation = x86_64_generation();
    if (generation == 4) return {factor_v4<T>, apply_v4<T>};
    if (generation == 3) return {factor_v3<T>, apply_v3<T>};
#endif
    return {factor<T, Isa<16, 2>>, apply<T, Isa<16, 2>>};
}

}  // namespace

template <class T>
const MatrixKernels<T> &matrix_kernels() {
    static const MatrixKernels<T> kernels = best_kernels<T>();
    return kernels;
}
template <class T>
int64_t matrix_buffer_reals(int64_t rows) {
    return FourColumns<T, Isa<64, 4>>::reals(rows);
}

template const MatrixKernels<float> &matrix_kernels<float>();
template const MatrixKernels<double> &matrix_kernels<double>();
template const MatrixKernels<Complex<float>> &matrix_kernels<Complex<float>>();
template const MatrixKernels<Complex<double>> &matrix_kernels<Complex<double>>();
template int64_t matrix_buffer_reals<float>(int64_t);
template int64_t matrix_buffer_reals<double>(int64_t);
template int64_t matrix_buffer_reals<Complex<float>>(int64_t);
template int64_t matrix_buffer_reals<Complex<double>>(int64_t);

}  // namespace xbatch::qr
