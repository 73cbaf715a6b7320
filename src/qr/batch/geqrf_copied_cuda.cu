// geqrf_copied_cuda.cu: copies parts of a batch to the workspace, factors them there, and copies them back.
// SPDX-License-Identifier: BSD-3-Clause
#include "geqrf_copied.hpp"

#include <algorithm>

#include "core/chunk.cuh"
#include "core/launch.cuh"
#include "core/workspace.hpp"
#include "packed_arguments.cuh"

namespace xbatch::qr {
namespace {

// A warp copies a tile: `width` entries, in the order of columns, of as many adjacent matrices.
template <class T>
struct CopyTile {
    static constexpr int width = sizeof(T) == 16 ? 16 : 32, at_once = 32 / width, steps = width / at_once, warps = 4;
    static constexpr int pitch = width + 1;  // in shared memory, without bank conflicts in either direction
};

// Matrices [m x n] of any layout, of which `count` from `first` on have flat copies; tiles: of a matrix
template <class T>
struct MatrixCopies {
    DeviceMatrices<T> a;
    int64_t first, count;
    int m, n, tiles;
    T *flat;

    // f(entry of the tile, matrix of the tile, its address) for this lane's entries: adjacent lanes have adjacent
    // matrices
    template <class F>
    __device__ __forceinline__ void each_there(int begin, int64_t matrix, F f) const {
        using Tile = CopyTile<T>;
        const int lane = int(threadIdx.x) % 32, q = lane % Tile::width, own = lane / Tile::width, all = m * n;
        const MatrixView<T> view = a.of(first + min(matrix + q, count - 1));
        int i = (begin + own) % m;
        T *at = view.at(i, (begin + own) / m);
#pragma unroll
        for (int s = 0; s < Tile::steps; ++s) {
            const int e = own + s * Tile::at_once;
            f(s, e, q, begin + e < all && matrix + q < count, at);
            i += Tile::at_once, at += Tile::at_once * view.row;
            if (i >= m) i -= m, at += view.column - m * view.row;
        }
    }
    // The same for the copies: adjacent lanes have adjacent entries
    template <class F>
    __device__ __forceinline__ void each_copy(int begin, int64_t matrix, F f) const {
        using Tile = CopyTile<T>;
        const int lane = int(threadIdx.x) % 32, e = lane % Tile::width, own = lane / Tile::width, all = m * n;
        T *at = flat + (matrix + own) * all + begin + e;
#pragma unroll
        for (int s = 0; s < Tile::steps; ++s, at += int64_t(Tile::at_once) * all) {
            const int q = own + s * Tile::at_once;
            f(s, e, q, begin + e < all && matrix + q < count, at);
        }
    }
};
template <class T, bool TO_FLAT>
__global__ void __launch_bounds__(32 * CopyTile<T>::warps) copy_matrices(MatrixCopies<T> p) {
    using Tile = CopyTile<T>;
    __shared__ T shared[Tile::warps * Tile::width * Tile::pitch];
    const int warp = int(threadIdx.x) / 32;
    const int64_t tile = int64_t(blockIdx.x) * Tile::warps + warp, group = tile / p.tiles, matrix = group * Tile::width;
    if (matrix >= p.count) return;
    const int begin = int(tile - group * p.tiles) * Tile::width;
    T *const turned = shared + warp * Tile::width * Tile::pitch;
    T v[Tile::steps] = {};
    const auto turn = [&](int s, int e, int q, bool, const T *) { turned[e * Tile::pitch + q] = v[s]; };
    // Copies are to remain in the second-level cache.
    if constexpr (TO_FLAT) {
        p.each_there(begin, matrix,
                     [&](int s, int, int, bool wanted, const T *at) { v[s] = wanted ? load_once(at) : T(Real<T>(0)); });
        p.each_there(begin, matrix, turn);
        __syncwarp();
        p.each_copy(begin, matrix, [&](int /*s*/, int e, int q, bool wanted, T *at) {
            if (wanted) *at = turned[e * Tile::pitch + q];
        });
    } else {
        p.each_copy(begin, matrix, [&](int s, int, int, bool wanted, const T *at) { v[s] = read_if(wanted, at); });
        p.each_copy(begin, matrix, turn);
        __syncwarp();
        p.each_there(begin, matrix, [&](int /*s*/, int e, int q, bool wanted, T *at) {
            if (wanted) store_once(at, turned[e * Tile::pitch + q]);
        });
    }
}
template <class T, bool TO_FLAT>
xbatchStatus_t copy(Context &context, const DeviceMatrices<T> &a, int64_t first, int64_t count, int m, int n, T *flat) {
    using Tile = CopyTile<T>;
    const MatrixCopies<T> p{a, first, count, m, n, (m * n - 1) / Tile::width + 1, flat};
    const int64_t tiles = p.tiles * ((count - 1) / Tile::width + 1);
    return Launch(context, (tiles - 1) / Tile::warps + 1, 32 * Tile::warps)(copy_matrices<T, TO_FLAT>, "copy_matrices",
                                                                            p);
}

// The workspace: flat matrices, a multiple of those that are factored at once, and tau
template <class T>
struct CopiedPlan {
    T *a, *tau;
    int64_t most;  // matrices
    size_t bytes;

    CopiedPlan(const Context &context, const GeqrfBatch &p, void *workspace) {
        constexpr int64_t wanted = int64_t(64) << 20;  // bytes
        const int64_t together = context.multiprocessors * packed_at_once<T>(context, p.m, p.n),
                      own = p.m * p.n * int64_t(sizeof(T));
        most = std::min(std::max(wanted / (together * own), int64_t(1)) * together, p.batch);
        Carver carver(workspace);
        a = carver.take<T>(p.m, p.n, most);
        tau = carver.take<T>(std::min(p.m, p.n), most);
        bytes = carver.bytes();
    }
};

// Of a batch, as matrices of one column
MatrixPlacement column_placement(const Placement &p) { return {p.layout, p.step, 0, p.ld, p.n * p.ld}; }

}  // namespace

template <class T>
xbatchStatus_t geqrf_copied_cuda(Context &context, const GeqrfBatch &p, void *workspace) {
    const CopiedPlan<T> plan(context, p, workspace);
    const int m = int(p.m), n = int(p.n), k = std::min(m, n);
    const DeviceMatrices<T> a = device_matrices<T>(p.a, p.a_at, false),
                            tau = device_matrices<T>(p.tau, column_placement(p.tau_at), false);
    const bool copies_tau = p.tau_at.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED;  // a part may begin within a block
    GeqrfBatch part{XBATCH_LAYOUT_FLAT, p.m, p.n, 0, plan.a, plan.tau, {}, p.tau_at, nullptr};
    for (int64_t first = 0; first < p.batch; first += plan.most) {
        part.batch = std::min(plan.most, p.batch - first);
        part.a_at = matrix_placement(XBATCH_LAYOUT_FLAT, n, part.batch, m, p.m * p.n);
        if (copies_tau)
            part.tau_at = placement(XBATCH_LAYOUT_FLAT, k, 1, part.batch, k);
        else
            part.tau = static_cast<T *>(p.tau) + p.tau_at.base(first, 0);
        part.info = p.info ? p.info + first : nullptr;
        XBATCH_TRY((copy<T, true>(context, a, first, part.batch, m, n, plan.a)));
        XBATCH_TRY(geqrf_batch_cuda<T>(context, part, nullptr));
        XBATCH_TRY((copy<T, false>(context, a, first, part.batch, m, n, plan.a)));
        if (copies_tau) XBATCH_TRY((copy<T, false>(context, tau, first, part.batch, k, 1, plan.tau)));
    }
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t geqrf_copied_cuda_workspace(const Context &context, const GeqrfBatch &p) {
    return CopiedPlan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(geqrf_copied_cuda);

}  // namespace xbatch::qr
