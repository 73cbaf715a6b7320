// factor_packed.cuh: batched QR of matrices of which shared memory holds the vectors only: panels are loaded
// from global memory to registers, factored, and stored.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "packed_arguments.cuh"
#include "qr_packed_tuning.hpp"
#include "resident_panel.cuh"
#include "resident_scaled.cuh"

namespace xbatch::qr {

// As ResidentKind, a matrix a group. Vectors of a panel are in shared memory from the chunk of its first head on.
template <class T, int SHAPE>
struct PackedKind {
    static constexpr PackedShape shape = std::get<SHAPE>(packed_shapes<T>);
    static constexpr int R = shape.rows, D = shape.down, A = 32 / D, C = shape.each, B = A * C;
    static constexpr int warps = shape.warps;
    static constexpr int chunk = Sixteen<T>::size, chunks = R / chunk, height = shape.height();
    static constexpr bool is_packed = true, may_vary = false, is_by_mma = shape.by_mma, is_long = shape.is_long();
    static constexpr int lanes = 32, of_warp = 1, stages = shape.stages();
    static constexpr int head_bytes = packed_head_bytes<T>(shape);
    static_assert(R % chunk == 0 && 32 % D == 0 && (!is_by_mma || (D == 4 && C == 1)));

    template <int P>
    static constexpr __host__ __device__ int ld() {
        return shape.ld(P, chunk);
    }
    template <int P>
    static constexpr __host__ __device__ int begin() {
        return shape.begin(P, chunk);
    }
    // Of column j of panel P; rows count from the matrix's first one
    template <int P>
    static constexpr __host__ __device__ int offset(int j) {
        constexpr int begin = shape.begin(P, chunk) - shape.first_row(P, chunk);
        return begin + j * ld<P>();
    }
};

// A block's shared memory: tau, barriers of the panels, the first column whose norm is not finite, and the vectors
template <class T, class K>
class PackedMemory {
public:
    __device__ PackedMemory(const PackedArguments<T> &p, unsigned char *memory) : p_(p), memory_(memory) {}

    __device__ bool is_varying() const { return false; }
    __device__ MatrixSize size(int) const { return {p_.m, p_.n, 0}; }
    __device__ int columns(int) const { return p_.n; }
    __device__ int steps(int) const { return min(sizeof(T) > sizeof(Real<T>) ? p_.m : p_.m - 1, p_.n); }
    __device__ T *taus(int) const { return reinterpret_cast<T *>(memory_); }
    __device__ BlockBarriers panels(int) const { return BlockBarriers(memory_ + tau_bytes); }
    __device__ int &wrong() const { return *reinterpret_cast<int *>(memory_ + tau_bytes + K::stages * 8); }
    __device__ T *matrix(int) const { return reinterpret_cast<T *>(memory_ + K::head_bytes); }

private:
    static constexpr int tau_bytes = K::stages * K::B * int(sizeof(T));

    const PackedArguments<T> &p_;
    unsigned char *memory_;
};

// Panels whose norms need scaling are loaded and factored again. A panel is stored when other warps may use it.
template <class T, class K>
class PackedPanel : public ResidentPanel<T, K, PackedMemory<T, K>> {
    using Memory = PackedMemory<T, K>;
    using Base = ResidentPanel<T, K, Memory>;

public:
    __device__ PackedPanel(const Memory &memory, const MatrixView<T> &a) : Base(memory), matrix_(a) {}

    __device__ __forceinline__ void factor(int &wrong) {
        const int panels = (this->columns_ - 1) / K::B + 1;
#pragma unroll 1
        for (int p = int(threadIdx.x) / 32; p < panels; p += K::warps) {
            this->is_scaled_ = false;
            bool is_applied = false;
#pragma unroll 1
            while (true) {
                this->each_column(p, [&](int c, T(&a)[K::R]) { move<false>(min(c, this->n_ - 1), a); });
                this->needs_scaling_ = false;
                if (!is_applied) this->template apply_panels<0>(p);
                if (K::is_long && p > 0 && this->is_last(p) && !is_applied) {  // it overwrites the first one's vectors
                    is_applied = true;
                    store(p);
                }
                this->template eliminate_panel<0>(p);
                this->each_column(
                    p, [&](int c, T(&a)[K::R]) { this->needs_scaling_ |= c < this->n_ && is_nonfinite(a[K::R - 1]); });
                if (this->is_scaled_ || !__any_sync(~0u, this->needs_scaling_) || p * K::B >= this->steps_) break;
                this->is_scaled_ = true;
            }
            if (this->is_scaled_ && this->wrong_ > 0 && this->lane_ == 0) atomicMin(&wrong, this->wrong_);
            this->finish(p);
            store(p);
        }
    }

private:
    __device__ __forceinline__ void store(int p) {
        this->each_column(p, [&](int c, T(&a)[K::R]) {
            if (c < this->n_) move<true>(c, a);
        });
    }
    // Loads this lane's rows of a column, or STORES them. Loads in one branch: merged ones would wait for each other.
    template <bool STORES>
    __device__ __forceinline__ void move(int c, T (&a)[K::R]) {
        if (matrix_.by_sixteen && this->m_ % K::chunk == 0)
            move_units<STORES, K::chunk>(c, a);
        else
            move_units<STORES, 1>(c, a);
    }
    // In units of U elements
    template <bool STORES, int U>
    __device__ __forceinline__ void move_units(int c, T (&a)[K::R]) {
        using Unit = std::conditional_t<U == 1, T, Sixteen<T>>;
        int64_t row = matrix_.row;
        T *at = matrix_.data + c * matrix_.column + this->part_ * K::chunk * row;
        int left = this->m_ - this->part_ * K::chunk;
        asm volatile("" : "+l"(at), "+l"(row), "+r"(left));  // hidden: addresses are not to be held in registers
        const int64_t further = K::D * K::chunk * row;
#pragma unroll
        for (int u = 0; u < K::chunks; ++u, at += further, left -= K::D * K::chunk)
#pragma unroll
            for (int e = 0; e < K::chunk; e += U) {
                Unit &own = *reinterpret_cast<Unit *>(&a[u * K::chunk + e]);
                Unit *const element = reinterpret_cast<Unit *>(at + e * row);
                if constexpr (!STORES) own = read_if(e < left, element);
                if (STORES && e < left) *element = own;
            }
    }

    const MatrixView<T> &matrix_;
};

template <class T, int SHAPE>
__global__ void __launch_bounds__(32 * PackedKind<T, SHAPE>::warps, PackedKind<T, SHAPE>::shape.blocks)
    factor_packed(const __grid_constant__ PackedArguments<T> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    using K = PackedKind<T, SHAPE>;
    using Panel = PackedPanel<T, K>;
    const PackedMemory<T, K> memory(p, shared);
    const MatrixView<T> a = p.a.of(blockIdx.x);
    const int k = min(p.m, p.n), steps = memory.steps(0);
    Panel::begin(memory);
    if (threadIdx.x == 0) memory.wrong() = INT_MAX;
    if (threadIdx.x == 0 && steps < k) memory.taus(0)[k - 1] = T(Real<T>(0));
    __syncthreads();
    Panel(memory, a).factor(memory.wrong());
    __syncthreads();
    const MatrixView<T> tau = p.tau.of(blockIdx.x);
    for (int i = int(threadIdx.x); i < k; i += int(blockDim.x)) *tau.at(i, 0) = memory.taus(0)[i];
    if (p.info && threadIdx.x == 0) {
        const int wrong = memory.wrong();
        const bool is_last = wrong == INT_MAX && steps < k && is_nonfinite(*a.at(k - 1, k - 1));
        p.info[blockIdx.x] = is_last ? k : wrong == INT_MAX ? 0 : wrong;
    }
}

}  // namespace xbatch::qr
