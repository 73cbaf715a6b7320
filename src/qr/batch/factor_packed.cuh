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
// Shape::value: the shape
template <class T, class Shape>
struct PanelKind {
    static constexpr PackedShape shape = Shape::value;
    static constexpr int R = shape.rows, D = shape.down, A = 32 / D, C = shape.each, B = A * C;
    static constexpr int warps = shape.warps;
    static constexpr int chunk = Sixteen<T>::size, chunks = R / chunk, height = shape.height();
    static constexpr bool is_packed = true, may_vary = false, is_by_mma = shape.by_mma, is_long = shape.is_long();
    static constexpr bool ends_at_first = is_long;
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

template <class T, int SHAPE>
struct ShapeOfPacked {
    static constexpr PackedShape value = std::get<SHAPE>(packed_shapes<T>);
};
template <class T, int SHAPE>
using PackedKind = PanelKind<T, ShapeOfPacked<T, SHAPE>>;

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

// Loads this lane's rows of a column in global memory, or STORES them, in units of U elements.
template <bool STORES, int U, class K, class T>
__device__ __forceinline__ void move_packed_column(T *column, int64_t row, int part, int m, T (&a)[K::R]) {
    using Unit = std::conditional_t<U == 1, T, Sixteen<T>>;
    T *at = column + part * K::chunk * row;
    int left = m - part * K::chunk;
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

// A matrix's columns in global memory. A panel that ends at the first one is stored before it is factored.
template <class T, class K>
class PackedColumns {
public:
    static constexpr bool is_exchanged = false;

    __device__ explicit PackedColumns(const MatrixView<T> &a) : matrix_(a) {}

    static __device__ int warp() { return int(threadIdx.x) / 32; }
    __device__ void begin() const {}
    __device__ void end(int, int) const {}
    // Loads this lane's rows of column c of n, or STORES them. Loads in one branch: merged ones would wait for each
    // other.
    template <bool STORES>
    __device__ __forceinline__ void move(int c, int part, int m, int n, T (&a)[K::R]) const {
        if (STORES && c >= n) return;
        if (matrix_.by_sixteen && m % K::chunk == 0)
            move_units<STORES, K::chunk>(min(c, n - 1), part, m, a);
        else
            move_units<STORES, 1>(min(c, n - 1), part, m, a);
    }

private:
    template <bool STORES, int U>
    __device__ __forceinline__ void move_units(int c, int part, int m, T (&a)[K::R]) const {
        move_packed_column<STORES, U, K>(matrix_.data + c * matrix_.column, matrix_.row, part, m, a);
    }

    const MatrixView<T> &matrix_;
};

// Panels whose norms need scaling are loaded and factored again. A panel is stored when other warps may use it.
template <class T, class K>
class PackedPanel : public ResidentPanel<T, K, PackedMemory<T, K>> {
    using Memory = PackedMemory<T, K>;
    using Base = ResidentPanel<T, K, Memory>;

public:
    __device__ explicit PackedPanel(const Memory &memory) : Base(memory) {}

    template <class Columns>
    __device__ __forceinline__ void factor(Columns &columns, int &wrong) {
        const int panels = (this->columns_ - 1) / K::B + 1;
#pragma unroll 1
        for (int p = columns.warp(); p < panels; p += K::warps) {
            this->is_scaled_ = false;
            if constexpr (Columns::is_exchanged) {
                if (p < K::warps) columns.begin(p, this->a_);
            } else {
                columns.begin();
            }
            bool is_applied = false;
#pragma unroll 1
            while (true) {
                if (!Columns::is_exchanged || this->is_scaled_) move<false>(columns, p);
                this->needs_scaling_ = false;
                if (!is_applied) this->template apply_panels<0>(p);
                if (overwrites_first(p) && !is_applied) {
                    if constexpr (!Columns::is_exchanged) is_applied = true, move<true>(columns, p);
                    __syncwarp();
                }
                this->template eliminate_panel<0>(p);
                this->each_column(
                    p, [&](int c, T(&a)[K::R]) { this->needs_scaling_ |= c < this->n_ && is_nonfinite(a[K::R - 1]); });
                if (this->is_scaled_ || !__any_sync(~0u, this->needs_scaling_) || p * K::B >= this->steps_) break;
                this->is_scaled_ = true;
                if (Columns::is_exchanged && overwrites_first(p)) restore_first(columns);
            }
            if (this->is_scaled_ && this->wrong_ > 0 && this->lane_ == 0) atomicMin(&wrong, this->wrong_);
            this->finish(p);
            if constexpr (Columns::is_exchanged) {
                columns.exchange(p, panels, this->a_);
            } else {
                move<true>(columns, p);
                columns.end(p, panels);
            }
        }
    }

private:
    __device__ bool overwrites_first(int p) const { return K::ends_at_first && p > 0 && this->is_last(p); }
    // From the first panel, which is stored
    template <class Columns>
    __device__ __forceinline__ void restore_first(Columns &columns) {
        move<false>(columns, 0);
        __syncwarp();  // its place is no longer read
        this->template store_vectors<0>(min(K::B, this->steps_));
        __syncwarp();
    }
    template <bool STORES, class Columns>
    __device__ __forceinline__ void move(Columns &columns, int p) {
        this->each_column(
            p, [&](int c, T(&a)[K::R]) { columns.template move<STORES>(c, this->part_, this->m_, this->n_, a); });
    }
};

// Stores tau and info of matrix j, when the matrix is in global memory.
template <class T, class K>
__device__ __forceinline__ void finish_packed(const PackedArguments<T> &p, const PackedMemory<T, K> &memory, int64_t j,
                                              int own, int threads) {
    const int k = min(p.m, p.n);
    const MatrixView<T> tau = p.tau.of(j);
    for (int i = own; i < k; i += threads) *tau.at(i, 0) = memory.taus(0)[i];
    if (p.info && own == 0) {
        const int wrong = memory.wrong();
        const bool is_last = wrong == INT_MAX && memory.steps(0) < k && is_nonfinite(*p.a.of(j).at(k - 1, k - 1));
        p.info[j] = is_last ? k : wrong == INT_MAX ? 0 : wrong;
    }
}

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
    PackedColumns<T, K> columns(a);
    Panel(memory).factor(columns, memory.wrong());
    __syncthreads();
    finish_packed<T, K>(p, memory, blockIdx.x, int(threadIdx.x), int(blockDim.x));
}

}  // namespace xbatch::qr
