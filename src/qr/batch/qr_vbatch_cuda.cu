// qr_vbatch_cuda.cu: varying batches of QR on the GPU: the kernels for matrices of one size, each with a list of
// matrices.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_batch_launch.cuh"
#include "qr_vbatch_sort.cuh"

namespace xbatch::qr {
namespace {

template <class T>
DeviceMatrices<T> device_matrices(const MatrixArray &a, bool is_turned) {
    const MatrixPlacement at{XBATCH_LAYOUT_FLAT, 1, a.ld.largest, 0, 0};
    return qr::device_matrices<T>(nullptr, is_turned ? transposed(at) : at, is_turned,
                                  static_cast<T *const *>(a.addresses), a.ld.own);
}
template <class T>
DeviceTau<T> device_tau(const MatrixArray &tau) {
    return {nullptr, {}, static_cast<T *const *>(tau.addresses)};
}

// f(kind) for all up to the last one that a matrix can need
template <class F>
xbatchStatus_t each_kind(QrKind first, QrKind last, F f) {
    xbatchStatus_t status = XBATCH_STATUS_SUCCESS;
    for (int kind = int(first); kind <= int(last) && status == XBATCH_STATUS_SUCCESS; ++kind) status = f(QrKind(kind));
    return status;
}

template <class T>
constexpr bool is_z = sizeof(T) == 16;

}  // namespace

template <class T>
xbatchStatus_t geqrf_vbatch_cuda(Context &context, const GeqrfVBatch &p, void *workspace) {
    if (p.m.largest > most_rows) return too_many_rows<T>(context, p.m.largest);
    const int m = int(p.m.largest), n = int(p.n.largest), largest = resident_class(m, n);
    const DeviceMatrices<T> a = device_matrices<T>(p.a, false);
    const DeviceTau<T> tau = device_tau<T>(p.tau);
    if (p.is_of_one_size()) return factor_each_cuda<T>(context, {a, a, tau, m, n, p.batch, p.info, {}});
    Carver carver(workspace);
    const SortedPlan plan(carver, p.batch);
    const ListRule rule = list_rule(context, p.batch, is_z<T>, resident_classes_with<T>(context, 0), largest);
    XBATCH_TRY(sort_by_kernel(context, p, rule, plan));
    const auto sizes_in = [&](int list) {
        return DeviceSizes{p.m.own, p.n.own, nullptr, plan.which, plan.ranges + list};
    };
    for (int list = rule.first; list < std::min(rule.classes, largest + 1); ++list) {
        const int order = resident_order(list);
        XBATCH_TRY(factor_resident_cuda<T>(
            context, {a, {}, tau, std::min(m, order), std::min(n, order), 0, false, p.batch, p.info, sizes_in(list)}));
    }
    if (largest < rule.classes) return XBATCH_STATUS_SUCCESS;
    return each_kind(QrKind::rows_64, block_kind_for(m, n), [&](QrKind kind) {
        return factor_cuda<T>(context, kind, {a, a, tau, m, n, p.batch, p.info, sizes_in(list_of(kind, false, false))});
    });
}
template <class T>
size_t geqrf_vbatch_cuda_workspace(const Context &, const GeqrfVBatch &p) {
    Carver carver(nullptr);
    SortedPlan(carver, p.batch);
    return carver.bytes();
}

template <class T>
xbatchStatus_t unmqr_vbatch_cuda(Context &context, const UnmqrVBatch &p, void *workspace) {
    const Each &order = p.is_right ? p.n : p.m, &other = p.is_right ? p.m : p.n;
    if (order.largest > most_rows) return too_many_rows<T>(context, order.largest);
    Carver carver(workspace);
    const SortedPlan plan(carver, p.batch);
    XBATCH_TRY(sort_by_kernel(context, p, ListRule{}, plan));
    return each_kind(QrKind::eight, kind_for(order.largest, other.largest), [&](QrKind kind) {
        const DeviceSizes sizes{order.own, other.own, p.k.own, plan.which, plan.ranges + int(kind)};
        return apply_cuda<T>(context, kind,
                             {device_matrices<T>(p.v, false), device_matrices<T>(p.c, p.is_right), device_tau<T>(p.tau),
                              int(order.largest), int(other.largest), int(p.k.largest), p.is_transposed != p.is_right,
                              p.forms_q, p.batch, sizes});
    });
}
template <class T>
size_t unmqr_vbatch_cuda_workspace(const Context &, const UnmqrVBatch &p) {
    Carver carver(nullptr);
    SortedPlan(carver, p.batch);
    return carver.bytes();
}

namespace {

// Memory for the factors of all matrices, if no kernel holds one of the largest sizes with its right-hand sides
template <class T>
struct SolvePlan {
    SortedPlan sorted;
    ListRule rule;
    bool has_kinds;  // whether a matrix can be of none of them
    QrKind last;     // that it can need: to hold it or, if there are factors, to factor it
    bool has_factors;
    SolveFactors<T> factors;
    size_t bytes;

    SolvePlan(const Context &context, const GelsVBatch &p, void *workspace)
        : SolvePlan(context, p, Carver(workspace)) {}

private:
    SolvePlan(const Context &context, const GelsVBatch &p, Carver carver) : sorted(carver, p.batch) {
        const int64_t rows = p.rows(), columns = std::min(p.m.largest, p.n.largest);
        const int classes = resident_classes_with<T>(context, p.nrhs.largest), largest = resident_class(rows, columns);
        rule = list_rule(context, p.batch, is_z<T>, classes, largest);
        has_kinds = largest >= classes;
        last = kind_that_holds(rows, columns, p.nrhs.largest, is_z<T>);
        has_factors = has_kinds && last == QrKind::none;
        if (has_factors) {
            last = block_kind_for(rows, columns);
            factors = SolveFactors<T>(carver, rows, columns, p.batch);
        }
        bytes = carver.bytes();
    }
};

// All matrices of one size and their right-hand sides, if a kernel holds one; else false
template <class T>
bool solve_one_size(Context &context, const GelsVBatch &p, xbatchStatus_t &status) {
    const int m = int(p.m.largest), n = int(p.n.largest);
    const bool is_wide = m < n;
    return p.is_of_one_size() && solve_each_cuda<T>(context,
                                                    {device_matrices<T>(p.a, is_wide),
                                                     device_matrices<T>(p.b, false),
                                                     m,
                                                     n,
                                                     int(p.nrhs.largest),
                                                     is_wide,
                                                     is_wide != p.is_transposed,
                                                     p.batch,
                                                     p.info,
                                                     {}},
                                                    status);
}

// The tall matrices of a batch, or the wide ones
template <class T>
xbatchStatus_t solve_oriented(Context &context, const GelsVBatch &p, bool is_wide, const SolvePlan<T> &plan) {
    const SortedPlan &sorted = plan.sorted;
    const DeviceMatrices<T> a = device_matrices<T>(p.a, is_wide), b = device_matrices<T>(p.b, false);
    const bool is_least_norm = is_wide != p.is_transposed;
    const Each &rows = is_wide ? p.n : p.m, &columns = is_wide ? p.m : p.n;
    const int64_t most_columns = std::min(p.m.largest, p.n.largest);
    const int end = std::min(plan.rule.classes, plan.rule.class_of(rows.largest, most_columns) + 1);
    for (int list = plan.rule.first; list < end; ++list) {
        const DeviceSizes sizes{rows.own, columns.own, p.nrhs.own, sorted.which,
                                sorted.ranges + list + (is_wide ? oriented_lists : 0)};
        const int64_t order = resident_order(list);
        XBATCH_TRY(factor_resident_cuda<T>(context, {a,
                                                     b,
                                                     {},
                                                     int(std::min(rows.largest, order)),
                                                     int(std::min(most_columns, order)),
                                                     int(p.nrhs.largest),
                                                     is_least_norm,
                                                     p.batch,
                                                     p.info,
                                                     sizes}));
    }
    if (!plan.has_kinds) return XBATCH_STATUS_SUCCESS;
    const auto arguments_for = [&](QrKind kind, bool is_factored) {
        return SolveArguments<T>{
            a,
            b,
            int(p.m.largest),
            int(p.n.largest),
            int(p.nrhs.largest),
            is_wide,
            is_least_norm,
            p.batch,
            p.info,
            {p.m.own, p.n.own, p.nrhs.own, sorted.which, sorted.ranges + list_of(kind, is_factored, is_wide)}};
    };
    const xbatchStatus_t status =
        each_kind(QrKind::rows_64, plan.has_factors ? QrKind::tall : plan.last,
                  [&](QrKind kind) { return solve_cuda<T>(context, kind, arguments_for(kind, false)); });
    if (!plan.has_factors || status != XBATCH_STATUS_SUCCESS) return status;
    return each_kind(QrKind::rows_64, plan.last, [&](QrKind kind) {
        return solve_by_factors_cuda<T>(context, kind, kind, arguments_for(kind, true), plan.factors);
    });
}

}  // namespace

template <class T>
xbatchStatus_t gels_vbatch_cuda(Context &context, const GelsVBatch &p, void *workspace) {
    if (p.rows() > most_rows) return too_many_rows<T>(context, p.rows());
    xbatchStatus_t status;
    if (solve_one_size<T>(context, p, status)) return status;
    const SolvePlan<T> plan(context, p, workspace);
    status = sort_by_kernel(context, p, plan.rule, plan.sorted);
    for (const bool is_wide : {false, true})
        if (status == XBATCH_STATUS_SUCCESS) status = solve_oriented<T>(context, p, is_wide, plan);
    return status;
}
template <class T>
size_t gels_vbatch_cuda_workspace(const Context &context, const GelsVBatch &p) {
    return SolvePlan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(geqrf_vbatch_cuda);
XBATCH_INSTANTIATE_BACKEND(unmqr_vbatch_cuda);
XBATCH_INSTANTIATE_BACKEND(gels_vbatch_cuda);

}  // namespace xbatch::qr
