// phases_host.hpp: the phases of a distributed solve on the host, which threads share, from a class that solves.
//
//     Solver::Arrays, Solver::Work                       types; Work(context, plan, workspace) has `bytes`
//     forward_bytes(arrays, sides), back_bytes(sides)    as PhasesOf has them
//     Solver(context, plan, arrays, workspace)
//     threads(), closing_threads()                       of a team, in closing alone
//     condense(), close_systems(), substitute()          by all threads of one
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "core/scalar.hpp"
#include "mp_plan.hpp"
#include "singular_mark.hpp"

namespace xbatch::distributed {

// info from the marks of the answers, by all threads of a team
inline void report_singular(MpPlan &plan, int32_t *info) {
    if (!info) return;
#pragma omp for schedule(static)
    for (int64_t j = 0; j < plan.batch; ++j) {
        const int64_t row = marked_row(plan.returned(j));
        info[j] = row == no_bad_row ? 0 : int32_t(std::min<int64_t>(row, INT32_MAX));
    }
}

template <class Solver>
size_t workspace_of(const Context &context, const MpPlan &plan) {
    return typename Solver::Work(context, plan, nullptr).bytes;
}
template <class Solver>
void condense(const Context &context, MpPlan &plan, const typename Solver::Arrays &arrays, void *workspace) {
    const Solver solver(context, plan, arrays, workspace);
#pragma omp parallel num_threads(solver.threads())
    solver.condense();
}
template <class Solver>
void close_systems(const Context &context, MpPlan &plan, const typename Solver::Arrays &arrays, void *workspace) {
    const Solver solver(context, plan, arrays, workspace);
#pragma omp parallel num_threads(solver.closing_threads())
    solver.close_systems();
}
template <class Solver>
void substitute(const Context &context, MpPlan &plan, const typename Solver::Arrays &arrays, void *workspace) {
    const Solver solver(context, plan, arrays, workspace);
#pragma omp parallel num_threads(solver.threads())
    solver.substitute();
}

// The phases, in the order of types
template <template <class> class Solver>
const PhasesOf<typename Solver<double>::Arrays> &phases_of(xbatchDataType_t type) {
    using Phases = PhasesOf<typename Solver<double>::Arrays>;
    static constexpr auto phases = [](auto zero) {
        using Of = Solver<decltype(zero)>;
        return Phases{Of::forward_bytes, Of::back_bytes,    workspace_of<Of>,
                      condense<Of>,      close_systems<Of>, substitute<Of>};
    };
    static constexpr Phases all[] = {phases(float()), phases(double()), phases(Complex<float>()),
                                     phases(Complex<double>())};
    return all[type];
}

}  // namespace xbatch::distributed
