// hines_factor_host.cpp: factors of Hines systems on the host, by elimination from the tips.
// SPDX-License-Identifier: BSD-3-Clause
#include "stored_factors_host.hpp"

namespace xbatch::hines {
namespace {

// One lane of one node: its factors, and the update of the parent's pivot (operands one by one: lanes_host.hpp). Pivots
// are in the array of r.
template <class T>
inline void factor(const T &upper, const T &lower, T &r, T &f, T &c, T &parent_r, RowNumber<T> number,
                   RowNumber<T> &last_bad) {
    const T inverse = lane_reciprocal(r);
    last_bad = note_pivot(last_bad, number, r);
    r = inverse;
    f = upper * inverse;
    c = lower * inverse;
    parent_r = fnma(upper, c, parent_r);
}
template <class T>
inline void factor_root(T &r, RowNumber<T> number, RowNumber<T> &last_bad) {
    const T inverse = lane_reciprocal(r);
    last_bad = note_pivot(last_bad, number, r);
    r = inverse;
}

// Rows of r, f and c of a panel
template <class T>
struct FactorRows {
    Rows<T> r, f, c;
};

// r holds d. u and l are read from the last node to the first.
template <class T>
XBATCH_SIMD_CLONES void factor_panel(const std::vector<int32_t> &parent, int lanes, const T *u, const T *l,
                                     const Lanes<T> &ul_lanes, const FactorRows<T> &to, RowNumber<T> *last_bad) {
    std::fill_n(last_bad, lanes, RowNumber<T>(0));
    Coefficients<T> upper(u, ul_lanes), lower(l, ul_lanes);
    const int64_t block = stage_rows<T>(lanes);
    for (int64_t end = int64_t(parent.size()); end > 0;) {
        const int64_t begin = (end - 1) / block * block;
        const Rows<const T> us = upper.fetch(begin, end - begin), ls = l == u ? us : lower.fetch(begin, end - begin);
        for (int64_t i = end; i-- > begin;) {
            const int64_t p = parent[size_t(i)];
            const RowNumber<T> number = RowNumber<T>(i + 1);
            const T *u_i = us.row(i - begin), *l_i = ls.row(i - begin);
            T *r = to.r.row(i), *f = to.f.row(i), *c = to.c.row(i), *parent_r = p < 0 ? r : to.r.row(p);
            if (p < 0) {
#pragma omp simd
                for (int k = 0; k < lanes; ++k) factor_root(r[k], number, last_bad[k]);
            } else {
#pragma omp simd
                for (int k = 0; k < lanes; ++k)
                    factor(u_i[k], l_i[k], r[k], f[k], c[k], parent_r[k], number, last_bad[k]);
            }
        }
        end = begin;
    }
}

// A matrix that systems share
template <class T>
RowNumber<T> factor_single(const Tree &tree, const T *u, const T *l, int64_t ul_step, const T *d, int64_t d_step, T *r,
                           T *f, T *c) {
    RowNumber<T> last_bad = 0;
    for (int64_t i = 0; i < tree.n(); ++i) r[i] = d[i * d_step];
    for (int64_t i = tree.n(); i-- > 0;) {
        const int64_t p = tree.parent[size_t(i)];
        const RowNumber<T> number = RowNumber<T>(i + 1);
        if (p < 0)
            factor_root(r[i], number, last_bad);
        else
            factor(u[i * ul_step], l[i * ul_step], r[i], f[i], c[i], r[p], number, last_bad);
    }
    return last_bad;
}

template <class T>
void factor_shared(const Context &context, const HinesFactorProblem &p, const StoredFactors<T> &to) {
    const auto places = [&](int64_t ld) { return hines_placement(*p.plan, p.layout, 1, p.sets, ld); };
    const std::vector<GroupPlacement> ul_at = places(p.ldul), d_at = places(p.ldd);
    const T *u = static_cast<const T *>(p.u), *l = static_cast<const T *>(p.l), *d = static_cast<const T *>(p.d);
    const int64_t threads = std::min<int64_t>(thread_count(context), p.plan->groups());
#pragma omp parallel for schedule(dynamic) num_threads(team_size(threads, 1, all_nodes(*p.plan)))
    for (int64_t m = 0; m < p.plan->groups(); ++m) {
        const GroupPlacement &ul = ul_at[size_t(m)], &at = d_at[size_t(m)];
        const int64_t o = to.offset(m, 0), from = ul.base(0, 0, 0);
        const RowNumber<T> bad = factor_single(p.plan->trees[size_t(m)], u + from, l + from, ul.step(),
                                               d + at.base(0, 0, 0), at.step(), to.r + o, to.f + o, to.c + o);
        if (p.info) p.info[m] = int32_t(bad);
    }
}

template <class T>
void factor_each(const Context &context, const HinesFactorProblem &p, const StoredFactors<T> &to) {
    const auto places = [&](int64_t ld) { return hines_placement(*p.plan, p.layout, 1, p.sets, ld); };
    const std::vector<GroupPlacement> ul_at = places(p.ldul), d_at = places(p.ldd);
    const HinesPanels<T> panels(*p.plan, to, p.sets);
    const int64_t threads = std::min<int64_t>(thread_count(context), panels.count());
#pragma omp parallel for schedule(dynamic) num_threads(team_size(threads))
    for (int64_t number = 0; number < panels.count(); ++number) {
        const auto panel = panels.panel(number);
        const Group group = p.plan->group(panel.group, p.sets);
        const std::vector<int32_t> &parent = p.plan->trees[size_t(panel.group)].parent;
        const auto lanes = [&](const std::vector<GroupPlacement> &at) {
            return group_lanes<T>(at[size_t(panel.group)], group, panel.first, panel.systems, panel.lanes, 0);
        };
        const int64_t o = to.offset(panel.group, panel.first);
        const FactorRows<T> rows{{to.r + o, panel.lanes}, {to.f + o, panel.lanes}, {to.c + o, panel.lanes}};
        load_rows(static_cast<const T *>(p.d), lanes(d_at), int64_t(parent.size()), rows.r);
        alignas(64) RowNumber<T> last_bad[max_lanes<T>];
        factor_panel(parent, panel.lanes, static_cast<const T *>(p.u), static_cast<const T *>(p.l), lanes(ul_at), rows,
                     last_bad);
        for (int k = 0; p.info && k < panel.systems; ++k) p.info[group.system(panel.first + k)] = int32_t(last_bad[k]);
    }
}

}  // namespace

template <class T>
xbatchStatus_t hines_factor_host(Context &context, const HinesFactorProblem &p, void *) {
    const StoredFactors<T> to(*p.plan, p.layout, p.sets, p.factors);
    *to.header = {HinesFactorHeader::kind_of_all, int32_t(type_of<T>), int32_t(p.layout), all_nodes(*p.plan), p.sets};
    if (p.shared())
        factor_shared(context, p, to);
    else
        factor_each(context, p, to);
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t hines_factor_host_workspace(const Context &, const HinesFactorProblem &) {
    return 0;
}

template <class T>
size_t hines_factor_host_factors(const Context &, const HinesFactorProblem &p) {
    return StoredFactors<T>(*p.plan, p.layout, p.sets, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(hines_factor_host);
XBATCH_INSTANTIATE_TYPES(hines_factor_host_factors);

}  // namespace xbatch::hines
