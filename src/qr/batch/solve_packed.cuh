// solve_packed.cuh: batched least squares with one right-hand side, by panels that go through registers.
//
// As factor_packed.cuh for [A b], but of what a panel leaves only R and Q^T b are stored, in shared memory. A warp
// solves R x = Q^T b: lane l has rows l, l + 32, … If a norm is near the ends of the range, or x is not finite, A and b
// are loaded again, scaled, and panels are factored with scaled norms.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "factor_packed.cuh"
#include "solve_triangle.cuh"

namespace xbatch::qr {

template <class T>
struct PackedSolveArguments {
    DeviceMatrices<T> a, b;
    int m, n;
    int32_t *info;
    int vectors;  // elements of shared memory for them
};

// A block's shared memory: tau, barriers of the panels, flags, vectors, Q^T b and R by columns
template <class T, class K>
class PackedSolveMemory {
public:
    // state: three words of shared memory
    __device__ PackedSolveMemory(const PackedSolveArguments<T> &p, unsigned char *memory, int *state)
        : p_(p), memory_(memory), state_(state) {}

    __device__ bool is_varying() const { return false; }
    __device__ MatrixSize size(int) const { return {p_.m, p_.n, 1}; }
    __device__ int columns(int) const { return p_.n + 1; }
    __device__ int steps(int) const { return min(p_.m - 1, p_.n); }
    __device__ T *taus(int) const { return reinterpret_cast<T *>(memory_); }
    __device__ BlockBarriers panels(int) const { return BlockBarriers(memory_ + tau_bytes); }
    // Whether the matrix has to be solved again
    __device__ int &flag() const { return *reinterpret_cast<int *>(memory_ + tau_bytes + K::stages * 8); }
    // Hidden from the compiler, which would keep these in registers that the panels need
    __device__ MatrixView<T> a() const { return flat(p_.a); }
    __device__ MatrixView<T> b() const { return flat(p_.b); }
    // Whether the matrix is scaled, and how
    __device__ int &is_scaled() const { return state_[0]; }
    __device__ LeastSquaresScaling &scaling() const { return *reinterpret_cast<LeastSquaresScaling *>(state_ + 1); }
    __device__ T *matrix(int) const { return reinterpret_cast<T *>(memory_ + K::head_bytes); }
    __device__ T *side() const { return matrix(0) + p_.vectors; }
    __device__ T *column(int c) const { return side() + p_.m + c * (c + 1) / 2; }

private:
    static constexpr int tau_bytes = K::stages * K::B * int(sizeof(T));

    // The block's own
    static __device__ MatrixView<T> flat(const DeviceMatrices<T> &all) {
        int64_t j = blockIdx.x;
        asm volatile("" : "+l"(j));
        T *const data = all.each ? all.each[j] : all.data + j * all.at.stride;
        const bool by_sixteen = all.at.column % K::chunk == 0 && reinterpret_cast<uintptr_t>(data) % 16 == 0;
        return {data, 1, all.at.column, false, by_sixteen};
    }

    const PackedSolveArguments<T> &p_;
    unsigned char *memory_;
    int *state_;
};

template <class T, class K>
class PackedSystem : public ResidentPanel<T, K, PackedSolveMemory<T, K>> {
    using Memory = PackedSolveMemory<T, K>;
    using Base = ResidentPanel<T, K, Memory>;

public:
    __device__ explicit PackedSystem(const Memory &memory) : Base(memory), memory_(memory) {}

    // By all warps; a scaled matrix: by one
    __device__ __forceinline__ void factor() {
        const int panels = (this->columns_ - 1) / K::B + 1;
        this->is_scaled_ = memory_.is_scaled() != 0;
        if (this->is_scaled_) this->done_ = panels;  // no other warp
#pragma unroll 1
        for (int p = int(threadIdx.x) / 32; p < panels; p += this->is_scaled_ ? 1 : K::warps) {
            const bool is_last = this->is_last(p);
            this->each_column(p, [&](int c, T(&a)[K::R]) { load(c, a); });
            if (this->is_scaled_) this->each_column(p, [&](int c, T(&a)[K::R]) { scale(c, a); });
            this->needs_scaling_ = false;
            if (is_last) check_side(p);
            this->template apply_panels<0>(p);
            if (K::is_long && p > 0 && is_last) __syncwarp();  // it overwrites the first one's vectors
            this->template eliminate_panel<0>(p);
            this->each_column(
                p, [&](int c, T(&a)[K::R]) { this->needs_scaling_ |= c < this->n_ && is_nonfinite(a[K::R - 1]); });
            if (this->needs_scaling_) memory_.flag() = 1;
            this->finish(p);
            this->each_column(p, [&](int c, T(&a)[K::R]) { store(c, a); });
        }
    }

private:
    __device__ int row_of(int i) const { return (i / K::chunk * K::D + this->part_) * K::chunk + i % K::chunk; }
    // In one branch: merged loads would wait for each other.
    __device__ __forceinline__ void load(int c, T (&a)[K::R]) const {
        const MatrixView<T> matrix = memory_.a(), b = memory_.b();
        const bool is_side = c >= this->n_ - 1, by_chunks = matrix.by_sixteen && b.by_sixteen;
        T *const column = is_side ? b.data : matrix.data + c * matrix.column;
        const int64_t row = is_side ? b.row : matrix.row;
        if (by_chunks && this->m_ % K::chunk == 0)
            move_packed_column<false, K::chunk, K>(column, row, this->part_, this->m_, a);
        else
            move_packed_column<false, 1, K>(column, row, this->part_, this->m_, a);
    }
    __device__ __forceinline__ void scale(int c, T (&a)[K::R]) const {
        const int exponent = c < this->n_ - 1 ? memory_.scaling().a : memory_.scaling().b;
#pragma unroll
        for (int i = 0; i < K::R; ++i) a[i] = times_power_of_two(a[i], exponent);
    }
    __device__ __forceinline__ void check_side(int p) {
        SideRange<T> range;
        this->each_column(p, [&](int c, T(&a)[K::R]) {
            if (c == this->n_ - 1)
#pragma unroll
                for (int i = 0; i < K::R; ++i) range.add(a[i]);
        });
        this->needs_scaling_ |= range.needs_scaling(~0u);
    }
    __device__ __forceinline__ void store(int c, const T (&a)[K::R]) const {
        if (c >= this->n_) return;
        const bool is_side = c == this->n_ - 1;
        T *const at = is_side ? memory_.side() : memory_.column(c);
        const int end = is_side ? this->m_ : c + 1;
#pragma unroll
        for (int i = 0; i < K::R; ++i)
            if (row_of(i) < end) at[row_of(i)] = a[i];
    }

    const Memory &memory_;
};

template <class T, int SHAPE>
__global__ void __launch_bounds__(32 * PackedKind<T, SHAPE>::warps, PackedKind<T, SHAPE>::shape.blocks)
    solve_packed(const __grid_constant__ PackedSolveArguments<T> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ int state[3];
    using K = PackedKind<T, SHAPE>;
    const PackedSolveMemory<T, K> memory(p, shared, state);
    PackedSystem<T, K>::begin(memory);
    if (threadIdx.x == 0) memory.flag() = memory.is_scaled() = 0;
#pragma unroll 1
    while (true) {
        __syncthreads();
        if (memory.is_scaled() == 0 || threadIdx.x < 32) PackedSystem<T, K>(memory).factor();
        __syncthreads();
        if (threadIdx.x < 32) {
            const bool is_scaled = memory.is_scaled() != 0;
            const LeastSquaresScaling scaling = is_scaled ? memory.scaling() : LeastSquaresScaling{};
            SolveTriangle<T, K::shape.most> triangle(memory.column(0), memory.side(), p.m, p.n);
            const int wrong = triangle.solve(scaling.of_solution());
            const bool is_again = !is_scaled && (wrong != 0 || memory.flag() != 0);
            if (is_again) {
                const LeastSquaresScaling found = exponents_for(memory.a(), memory.b(), p.m, p.n);
                if (threadIdx.x == 0) memory.scaling() = found, memory.is_scaled() = 1;
            } else {
                triangle.write(memory.b(), scaling.of_residual());
                if (p.info && threadIdx.x == 0) p.info[blockIdx.x] = wrong;
            }
            __syncwarp();
            if (threadIdx.x == 0) memory.flag() = is_again;
        }
        __syncthreads();
        if (memory.flag() == 0) return;
    }
}

}  // namespace xbatch::qr
