// dispatch.hpp: the table of a routine's implementations, [backend][type]; an empty entry means NOT_SUPPORTED.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>

#include "context.hpp"
#include "device.hpp"
#include "log.hpp"
#include "scalar.hpp"

namespace xbatch {

// A backend's function that solves a problem, and the one that sizes its workspace, from the problem's shape alone
template <class Problem>
using Runner = xbatchStatus_t(Context &context, const Problem &problem, void *workspace);
template <class Problem>
using Sizer = size_t(const Context &context, const Problem &problem);

template <class Problem>
struct Implementation {
    Runner<Problem> *run;
    Sizer<Problem> *workspace;
};

template <class Problem>
struct Table {
    Implementation<Problem> of[2][4];  // host, CUDA; s, d, c, z

    const Implementation<Problem> &at(const Context &context, xbatchDataType_t type) const {
        return of[context.backend == XBATCH_BACKEND_CUDA][type];
    }
    size_t workspace(const Context &context, xbatchDataType_t type, const Problem &problem) const {
        const auto size = at(context, type).workspace;
        return size ? size(context, problem) : 0;
    }
    xbatchStatus_t run(Context &context, xbatchDataType_t type, const Problem &problem, void *workspace) const {
        const auto implementation = at(context, type).run;
        if (!implementation)
            return fail(context, XBATCH_STATUS_NOT_SUPPORTED, "this backend does not have this routine");
        if (context.backend == XBATCH_BACKEND_HOST) return implementation(context, problem, workspace);
        const DeviceScope scope(context);
        return implementation(context, problem, workspace);
    }
};

// The enumerator of an element type
template <class T>
constexpr xbatchDataType_t type_of = std::is_same_v<T, float>            ? XBATCH_R_32F
                                     : std::is_same_v<T, double>         ? XBATCH_R_64F
                                     : std::is_same_v<T, Complex<float>> ? XBATCH_C_32F
                                                                         : XBATCH_C_64F;

// 0 for a value that is no element type: checks continue after it has been refused.
inline int64_t element_size(xbatchDataType_t type) {
    constexpr int64_t sizes[] = {sizeof(float), sizeof(double), sizeof(Complex<float>), sizeof(Complex<double>)};
    return size_t(type) < 4 ? sizes[type] : 0;
}
inline bool is_complex(xbatchDataType_t type) { return type == XBATCH_C_32F || type == XBATCH_C_64F; }

}  // namespace xbatch

// Declares f<T> and f_workspace<T> of one backend.
#define XBATCH_DECLARE_BACKEND(f, Problem) \
    template <class T>                     \
    ::xbatch::Runner<Problem> f;           \
    template <class T>                     \
    ::xbatch::Sizer<Problem> f##_workspace

// Instantiates a function template for the four types; for a backend, both of its functions.
#ifdef XBATCH_TYPE  // a source of one type
#define XBATCH_INSTANTIATE_TYPES(f) template decltype(f<XBATCH_TYPE>) f<XBATCH_TYPE>
#else
#define XBATCH_INSTANTIATE_TYPES(f)                                             \
    template decltype(f<float>) f<float>;                                       \
    template decltype(f<double>) f<double>;                                     \
    template decltype(f<::xbatch::Complex<float>>) f<::xbatch::Complex<float>>; \
    template decltype(f<::xbatch::Complex<double>>) f<::xbatch::Complex<double>>
#endif
#define XBATCH_INSTANTIATE_BACKEND(f) \
    XBATCH_INSTANTIATE_TYPES(f);      \
    XBATCH_INSTANTIATE_TYPES(f##_workspace)

// One backend's row of a table: f<T> runs, f_workspace<T> sizes.
#define XBATCH_ROW(f)                                                                 \
    {                                                                                 \
        {f<float>, f##_workspace<float>}, {f<double>, f##_workspace<double>},         \
            {f<::xbatch::Complex<float>>, f##_workspace<::xbatch::Complex<float>>}, { \
            f<::xbatch::Complex<double>>, f##_workspace<::xbatch::Complex<double>>    \
        }                                                                             \
    }
#ifdef XBATCH_HAVE_CUDA
#define XBATCH_CUDA_ROW(f) XBATCH_ROW(f)
#else
#define XBATCH_CUDA_ROW(f) \
    {                      \
        {}, {}, {}, {}     \
    }
#endif
