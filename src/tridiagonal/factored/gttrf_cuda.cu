// gttrf_cuda.cu: stores the matrices of a batch for later solves, and launches the kernels for determinants and norms.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/launch.cuh"
#include "core/level_tree.hpp"
#include "gttrf_kernels.cuh"
#include "rearrange/rearrange.hpp"

namespace xbatch::tridiagonal {
namespace {

// The number of pieces of a matrix: enough to occupy the device, but at least least_rows rows each.
int64_t pieces_of(int64_t n, int64_t batch) {
    constexpr int64_t enough = int64_t(1) << 17, least_rows = 16;
    return std::max<int64_t>(1, std::min(enough / batch, n / least_rows));
}

template <class T>
SpanLevels<T> carve_levels(Carver &carver, const GttrfProblem &p) {
    SpanLevels<T> levels{};
    each_level(pieces_of(p.n, p.batch), [&](int64_t count) {
        levels.spans[levels.count] = carver.take<Span<T>>(count > 1 ? p.batch * count : 0);
        levels.counts[levels.count++] = count;
        return (count - 1) / SpanLevels<T>::group + 1;
    });
    return levels;
}

// Copies the rows of an array from row `first` on to those of `to` from row `place` on.
template <class T>
xbatchStatus_t store_array(Context &context, const GttrfProblem &p, const void *from, int64_t first, T *to,
                           int64_t place, Placement at) {
    rearrange::RearrangeProblem copy{p.n - first - place, p.batch, p.a_at, at, from, to};
    if (copy.n == 0) return XBATCH_STATUS_SUCCESS;
    copy.from.origin += first * copy.from.step, copy.to.origin += place * copy.to.step;
    const bool are_contiguous =
        copy.from.layout == at.layout && at.layout == XBATCH_LAYOUT_FLAT && (p.batch == 1 || copy.from.ld == at.ld);
    if (!are_contiguous) return rearrange::rearrange_cuda<T>(context, copy, nullptr);
    // One copy for all systems; rows that cross to the next system are not used.
    XBATCH_CUDA(context, cudaMemcpyAsync(to + copy.to.origin, static_cast<const T *>(from) + copy.from.origin,
                                         size_t(p.n * p.batch - first - place) * sizeof(T), cudaMemcpyDefault,
                                         stream_of(context)));
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
xbatchStatus_t store_matrices(Context &context, const GttrfProblem &p, const StoredMatrices<T> &stored) {
    xbatchStatus_t status = XBATCH_STATUS_SUCCESS;
    const auto copy = [&](const void *from, int64_t first, T *to, int64_t place) {
        if (status == XBATCH_STATUS_SUCCESS) status = store_array(context, p, from, first, to, place, stored.at);
    };
    copy(p.dl, 0, stored.dl, 0), copy(p.d, 0, stored.d, 0), copy(p.du, 0, stored.du, 0);
    if (!stored.turns_in_place) copy(p.du, 0, stored.turned_dl, 1), copy(p.dl, 1, stored.turned_du, 0);
    if (status != XBATCH_STATUS_SUCCESS || !stored.turns_in_place) return status;
    // Rows beyond the ends are loaded, though their values are not used.
    const size_t row = size_t(stored.at.step) * sizeof(T);
    XBATCH_CUDA(context, cudaMemsetAsync(stored.turned_dl, 0, row, stream_of(context)));
    XBATCH_CUDA(context, cudaMemsetAsync(stored.dl + stored.elements, 0, row, stream_of(context)));
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace

template <class T>
xbatchStatus_t gttrf_cuda(Context &context, const GttrfProblem &p, void *workspace) {
    const StoredMatrices<T> stored(p.layout, p.n, p.batch, p.factors);
    Carver carver(workspace);
    const SpanLevels<T> levels = carve_levels<T>(carver, p);
    const auto blocks_for = [&](int64_t spans) { return (p.batch * spans - 1) / gttrf_threads + 1; };
    XBATCH_TRY(check_blocks(context, blocks_for(levels.counts[0])));
    XBATCH_TRY(store_matrices(context, p, stored));
    const GttrfResults<T> results{
        static_cast<Real<T> *>(p.logdet), static_cast<T *>(p.sign), p.info, {stored.norms[0], stored.norms[1]}};
    const GttrfJob<T> job{stored.dl, stored.d, stored.du, stored.at, p.n, p.batch, levels, results};
    XBATCH_TRY(Launch(context, blocks_for(levels.counts[0]), gttrf_threads)(gttrf_pieces<T>, "gttrf_pieces", job));
    for (int level = 0; level < levels.count && levels.counts[0] > 1; ++level) {
        const int64_t groups = level + 1 < levels.count ? levels.counts[level + 1] : 1;
        XBATCH_TRY(Launch(context, blocks_for(groups), gttrf_threads)(gttrf_join<T>, "gttrf_join", job, level));
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t gttrf_cuda_workspace(const Context &, const GttrfProblem &p) {
    Carver carver(nullptr);
    carve_levels<T>(carver, p);
    return carver.bytes();
}

template <class T>
size_t gttrf_cuda_factors(const Context &, const GttrfProblem &p) {
    return StoredMatrices<T>(p.layout, p.n, p.batch, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(gttrf_cuda);
XBATCH_INSTANTIATE_TYPES(gttrf_cuda_factors);

}  // namespace xbatch::tridiagonal
