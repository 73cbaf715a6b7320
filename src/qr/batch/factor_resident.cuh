// factor_resident.cuh: batched QR and least squares of matrices in shared memory, several per warp, by panels of
// columns in registers.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "resident_panel.cuh"
#include "resident_scaled.cuh"
#include "resident_solve.cuh"

namespace xbatch::qr {

// The matrices whose norms need scaling are factored again, each by a warp.
template <class T, class K>
__device__ __forceinline__ void factor_flagged(const ResidentMemory<T, K> &memory, bool solves) {
#pragma unroll 1
    for (int q = int(threadIdx.x) / 32; q < memory.count(); q += int(blockDim.x) / 32) {
        const MatrixSize s = memory.size(q);
        T *const a = memory.matrix(q);
        // Whether a norm was formed of the last diagonal entry; of a matrix of one row none is.
        const bool had_norm = s.m > 1 && memory.steps(q) == min(s.m, s.n);
        const bool is_wrong = !solves && !had_norm && is_nonfinite(a[(s.m - 1) * (K::ld + 1)]);
        __syncwarp();  // before it is overwritten
        if (memory.flag(q) == 0 && !is_wrong) continue;
        memory.reload(q);
        LeastSquaresScaling scaling{};
        if (solves) {
            scaling.a = scale(a, K::ld, s.m, s.n);
            scaling.b = scale(memory.sides(q), K::ld, memory.given(q), s.k);
        }
        const int wrong = factor_scaled(a, K::ld, s.m, memory.columns(q), min(s.m, s.n), memory.taus(q));
        if (int(threadIdx.x) % 32 == 0) memory.info(q) = wrong, memory.scaling(q) = scaling;
    }
}

// p.n: the most columns of any matrix
template <class T, int SHAPE>
__global__ void __launch_bounds__(ResidentKind<T, SHAPE>::most_threads, 1)
    factor_resident(const __grid_constant__ ResidentArguments<T> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    using K = ResidentKind<T, SHAPE>;
    using Panel = ResidentPanel<T, K>;
    const auto sync = [] { K::warps *K::shape.groups > 1 ? __syncthreads() : __syncwarp(); };
    // Hidden from the compiler, which would keep these addresses in registers that the panels need.
    const auto memory_of_block = [&] {
        unsigned block = blockIdx.x;
        asm volatile("" : "+r"(block));
        return ResidentMemory<T, K>(p, shared, block);
    };
    const auto system_of = [&](const ResidentMemory<T, K> &memory, int q) {
        return ResidentSystem<T, K>(memory.matrix(q), memory.sides(q), memory.taus(q), memory.size(q));
    };
    const int own = Panel::matrix_of_thread();
    const bool solves = p.nrhs > 0 && !p.is_qless();
    bool needs_scaling = false;
    {
        const ResidentMemory<T, K> memory = memory_of_block();
        if (memory.count() <= 0) return;
        Panel::begin(memory);
        memory.load();
        memory.wait();
        sync();
        if (solves) {  // 1 x 1: no entries below the head, so no norm to test
            needs_scaling = own < memory.count() &&
                            (memory.size(own).m == 1 || !system_of(memory, own).is_in_scale(memory.given(own)));
            sync();
        }
        needs_scaling |= Panel(memory).factor();
    }
    const ResidentMemory<T, K> memory = memory_of_block();
    if (needs_scaling) memory.flag(own) = 1;
    sync();
    factor_flagged(memory, solves);
    sync();
    if (solves && int(threadIdx.x) / 32 % K::warps == 0 && own < memory.count()) {
        const MatrixSize size = memory.size(own);
        const ResidentSystem<T, K> system = system_of(memory, own);
        const int unknowns = p.is_least_norm ? size.m : size.n, wrong = system.solve(p.is_least_norm);
        if (memory.flag(own) != 0) system.unscale(unknowns, memory.scaling(own));
        const bool is_solved = system.is_finite_to(unknowns);
        if (system.is_first()) memory.info(own) = wrong > 0 ? wrong : is_solved ? 0 : size.n + 1;
    }
    if (solves) sync();
    memory.store();
}

}  // namespace xbatch::qr
