// baselines_cuda.cu: cuSPARSE, CUB, cuBLAS and simple kernels: what a CUDA program uses without xbatch.
// SPDX-License-Identifier: BSD-3-Clause
#include <cublas_v2.h>
#include <cusparse.h>
#include <thrust/complex.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cub/device/device_scan.cuh>
#include <memory>
#include <stdexcept>

#include "baselines.hpp"
#include "cuda_check.hpp"

namespace bench {
namespace {

void check(cusparseStatus_t status) {
    if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}
void check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}

// Workspace that lives as long as the call that uses it, from the pool that all other memory comes from.
std::shared_ptr<void> workspace(size_t bytes) {
    void *data = nullptr;
    BENCH_CUDA(cudaMallocAsync(&data, bytes ? bytes : 1, nullptr));
    return std::shared_ptr<void>(data, [](void *p) { cudaFreeAsync(p, nullptr); });
}

cusparseHandle_t cusparse() {
    static const cusparseHandle_t handle = [] {
        cusparseHandle_t made;
        check(cusparseCreate(&made));
        return made;
    }();
    return handle;
}

cublasHandle_t cublas() {
    static const cublasHandle_t handle = [] {
        cublasHandle_t made;
        check(cublasCreate(&made));
        return made;
    }();
    return handle;
}

// The vendors' names for one element type; Scan is the type that CUB's operator computes with.
template <xbatchDataType_t type>
struct Vendor;

#define BENCH_VENDOR(TYPE, ELEMENT, SCAN, LETTER)                                                      \
    template <>                                                                                        \
    struct Vendor<TYPE> {                                                                              \
        using Element = ELEMENT;                                                                       \
        using Scan = SCAN;                                                                             \
        static constexpr auto batch = cusparse##LETTER##gtsv2StridedBatch;                             \
        static constexpr auto batch_size = cusparse##LETTER##gtsv2StridedBatch_bufferSizeExt;          \
        static constexpr auto interleaved = cusparse##LETTER##gtsvInterleavedBatch;                    \
        static constexpr auto interleaved_size = cusparse##LETTER##gtsvInterleavedBatch_bufferSizeExt; \
        static constexpr auto pivoted = cusparse##LETTER##gtsv2;                                       \
        static constexpr auto pivoted_size = cusparse##LETTER##gtsv2_bufferSizeExt;                    \
        static constexpr auto unpivoted = cusparse##LETTER##gtsv2_nopivot;                             \
        static constexpr auto unpivoted_size = cusparse##LETTER##gtsv2_nopivot_bufferSizeExt;          \
        static constexpr auto transpose = cublas##LETTER##geam;                                        \
    }
BENCH_VENDOR(XBATCH_R_32F, float, float, S);
BENCH_VENDOR(XBATCH_R_64F, double, double, D);
BENCH_VENDOR(XBATCH_C_32F, cuComplex, thrust::complex<float>, C);
BENCH_VENDOR(XBATCH_C_64F, cuDoubleComplex, thrust::complex<double>, Z);
#undef BENCH_VENDOR

// A baseline from a function object that takes a Vendor and the problem and returns the call.
template <class Problem, class Start>
Baseline<Problem> baseline(std::string name, const Problem &view, bool overwrites, Start start) {
    const auto typed = [start](const Problem &p) -> Call {
        switch (p.type) {
            case XBATCH_R_32F: return start(Vendor<XBATCH_R_32F>(), p);
            case XBATCH_R_64F: return start(Vendor<XBATCH_R_64F>(), p);
            case XBATCH_C_32F: return start(Vendor<XBATCH_C_32F>(), p);
            default: return start(Vendor<XBATCH_C_64F>(), p);
        }
    };
    return {std::move(name), view, overwrites, typed};
}

template <class V>
struct Typed {  // a problem's arrays with their type
    typename V::Element *dl, *d, *du, *b;
    explicit Typed(const Gtsv &p)
        : dl(static_cast<typename V::Element *>(p.dl)),
          d(static_cast<typename V::Element *>(p.d)),
          du(static_cast<typename V::Element *>(p.du)),
          b(static_cast<typename V::Element *>(p.b)) {}
};

const auto strided_batch = [](auto vendor, const Gtsv &p) -> Call {
    using V = decltype(vendor);
    const Typed<V> a(p);
    const int n = int(p.n), batch = int(p.batch);
    size_t bytes = 0;
    check(V::batch_size(cusparse(), n, a.dl, a.d, a.du, a.b, batch, n, &bytes));
    return {
        [=, space = workspace(bytes)] { check(V::batch(cusparse(), n, a.dl, a.d, a.du, a.b, batch, n, space.get())); },
        bytes};
};

Baseline<Gtsv> interleaved_batch(const Gtsv &view, int algorithm) {
    const auto start = [algorithm](auto vendor, const Gtsv &p) -> Call {
        using V = decltype(vendor);
        const Typed<V> a(p);
        const int n = int(p.n), batch = int(p.batch);
        size_t bytes = 0;
        check(V::interleaved_size(cusparse(), algorithm, n, a.dl, a.d, a.du, a.b, batch, &bytes));
        return {[=, space = workspace(bytes)] {
                    check(V::interleaved(cusparse(), algorithm, n, a.dl, a.d, a.du, a.b, batch, space.get()));
                },
                bytes};
    };
    return baseline("cuSPARSE gtsvInterleavedBatch algo " + std::to_string(algorithm), view, true, start);
}

const auto one_matrix_unpivoted = [](auto vendor, const Gtsv &p) -> Call {
    using V = decltype(vendor);
    const Typed<V> a(p);
    const int n = int(p.n), nrhs = int(p.nrhs);
    size_t bytes = 0;
    check(V::unpivoted_size(cusparse(), n, nrhs, a.dl, a.d, a.du, a.b, n, &bytes));
    return {[=, space = workspace(bytes)] {
                check(V::unpivoted(cusparse(), n, nrhs, a.dl, a.d, a.du, a.b, n, space.get()));
            },
            bytes};
};

const auto one_matrix_pivoted = [](auto vendor, const Gtsv &p) -> Call {
    using V = decltype(vendor);
    const Typed<V> a(p);
    const int n = int(p.n), nrhs = int(p.nrhs);
    size_t bytes = 0;
    check(V::pivoted_size(cusparse(), n, nrhs, a.dl, a.d, a.du, a.b, n, &bytes));
    return {
        [=, space = workspace(bytes)] { check(V::pivoted(cusparse(), n, nrhs, a.dl, a.d, a.du, a.b, n, space.get())); },
        bytes};
};

cudaStream_t current_stream = nullptr;  // of the kernels of this file that solve tridiagonal systems

// Parallel cyclic reduction over global memory: a launch a sweep, a thread a row. In the sweep of stride s row i has
// the neighbours i-s and i+s, eliminates them by their own equations, and is coupled to i-2s and i+2s.
template <class T>
struct Rows {
    T *dl, *d, *du, *b;
};
template <class T>
__global__ void pcr_sweep(Rows<const T> from, Rows<T> to, int64_t n, int64_t s) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    const auto lower = [&](int64_t k) { return k >= s ? from.dl[k] : T(0); };
    const auto upper = [&](int64_t k) { return k + s < n ? from.du[k] : T(0); };
    T dl = T(0), d = from.d[i], du = T(0), b = from.b[i];
    if (i >= s) {
        const T factor = lower(i) / from.d[i - s];
        dl = -factor * lower(i - s), d -= factor * upper(i - s), b -= factor * from.b[i - s];
    }
    if (i + s < n) {
        const T factor = upper(i) / from.d[i + s];
        du = -factor * upper(i + s), d -= factor * lower(i + s), b -= factor * from.b[i + s];
    }
    to.dl[i] = dl, to.d[i] = d, to.du[i] = du;
    to.b[i] = 2 * s < n ? b : b / d;
}

const auto pcr_sweeps = [](auto vendor, const Gtsv &p) -> Call {
    using T = typename decltype(vendor)::Scan;
    const size_t bytes = 8 * size_t(p.n) * sizeof(T);
    const auto sweep = [p, space = workspace(bytes)] {
        constexpr unsigned threads = 256;
        T *const rows = static_cast<T *>(space.get()), *const x = static_cast<T *>(p.b);
        Rows<const T> from = {static_cast<const T *>(p.dl), static_cast<const T *>(p.d), static_cast<const T *>(p.du),
                              x};
        int64_t half = 0;
        for (int64_t s = 1; s < p.n; s *= 2, half = 4 * p.n - half) {
            T *const to = rows + half;
            const Rows<T> next = {to, to + p.n, to + 2 * p.n, 2 * s < p.n ? to + 3 * p.n : x};
            pcr_sweep<<<unsigned((p.n + threads - 1) / threads), threads, 0, current_stream>>>(from, next, p.n, s);
            from = {next.dl, next.d, next.du, next.b};
        }
        BENCH_CUDA(cudaGetLastError());
    };
    return {sweep, bytes};
};

// What programs with one matrix for all columns run, interleaved: a thread a column, with coalesced accesses.
constexpr unsigned column_threads = 128;

// It eliminates again for each column and stores the quotients in an array as large as b: at least 48 bytes a row in
// double. The idea is that of the Gauss solver of CaNS for GPUs (CaNS-World/CaNS, solver_gpu_gaussel-inc.f90). `shifts`
// may be NULL.
template <class T>
__global__ void eliminate_columns(const T *__restrict__ dl, const T *__restrict__ d, const T *__restrict__ du,
                                  const T *__restrict__ shifts, T *__restrict__ b, T *__restrict__ quotients, int64_t n,
                                  int64_t columns) {
    const int64_t j = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (j >= columns) return;
    T quotient = T(0), x = T(0);
    const T shift = shifts ? shifts[j] : T(0);
    for (int64_t i = 0; i < n; ++i) {
        const int64_t at = i * columns + j;
        const T inverse = T(1) / (d[i] + shift - dl[i] * quotient);
        quotient = du[i] * inverse;
        x = (b[at] - dl[i] * x) * inverse;
        quotients[at] = quotient;
        b[at] = x;
    }
    for (int64_t i = n - 1; i-- > 0;) {
        const int64_t at = i * columns + j;
        x = b[at] - quotients[at] * x;
        b[at] = x;
    }
}

template <class T>
Call thread_a_column_of(const Gtsv &p, const void *shifts) {
    const size_t bytes = size_t(p.n * p.batch) * sizeof(T);
    return {[p, shifts, space = workspace(bytes)] {
                eliminate_columns<<<unsigned((p.batch + column_threads - 1) / column_threads), column_threads, 0,
                                    current_stream>>>(
                    static_cast<const T *>(p.dl), static_cast<const T *>(p.d), static_cast<const T *>(p.du),
                    static_cast<const T *>(shifts), static_cast<T *>(p.b), static_cast<T *>(space.get()), p.n, p.batch);
                BENCH_CUDA(cudaGetLastError());
            },
            bytes};
}
const auto thread_a_column = [](auto vendor, const Gtsv &p) -> Call {
    return thread_a_column_of<typename decltype(vendor)::Scan>(p, nullptr);
};

// The matrix is factored once, before the timed part, and each call sweeps down and up: 32 bytes a row in double. The
// idea is that of cuThomasConstantBatch (EndCar808/cuThomasConstantBatch).
template <class T>
__global__ void factor_one(const T *dl, const T *d, const T *du, T *inverses, T *quotients, int64_t n) {
    T quotient = T(0);
    for (int64_t i = 0; i < n; ++i) {
        inverses[i] = T(1) / (d[i] - dl[i] * quotient);
        quotients[i] = quotient = du[i] * inverses[i];
    }
}

template <class T>
__global__ void sweep_columns(const T *__restrict__ dl, const T *__restrict__ inverses, const T *__restrict__ quotients,
                              T *__restrict__ b, int64_t n, int64_t columns) {
    const int64_t j = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (j >= columns) return;
    T x = T(0);
    for (int64_t i = 0; i < n; ++i) {
        const int64_t at = i * columns + j;
        x = (b[at] - dl[i] * x) * inverses[i];
        b[at] = x;
    }
    for (int64_t i = n - 1; i-- > 0;) {
        const int64_t at = i * columns + j;
        x = b[at] - quotients[i] * x;
        b[at] = x;
    }
}

const auto factored_columns = [](auto vendor, const Gtsv &p) -> Call {
    using T = typename decltype(vendor)::Scan;
    const size_t bytes = 2 * size_t(p.n) * sizeof(T);
    const auto space = workspace(bytes);
    const T *const dl = static_cast<const T *>(p.dl);
    T *const inverses = static_cast<T *>(space.get()), *const quotients = inverses + p.n;
    factor_one<<<1, 1>>>(dl, static_cast<const T *>(p.d), static_cast<const T *>(p.du), inverses, quotients, p.n);
    BENCH_CUDA(cudaGetLastError());
    return {[=] {
                sweep_columns<<<unsigned((p.batch + column_threads - 1) / column_threads), column_threads, 0,
                                current_stream>>>(dl, inverses, quotients, static_cast<T *>(p.b), p.n, p.batch);
                BENCH_CUDA(cudaGetLastError());
                (void)space;
            },
            bytes};
};

// w = s before + t as the pair (s, t): pairs compose, and CUB scans them. A sequence starts where i is a multiple
// of n, encoded by s = 0. s and t are read and w is written in place: 24 bytes an element in double.
template <class T>
struct Pair {
    T s, t;
};
template <class T>
struct Compose {
    __host__ __device__ Pair<T> operator()(const Pair<T> &first, const Pair<T> &then) const {
        return {first.s * then.s, then.s * first.t + then.t};
    }
};
template <class T>
struct ReadPair {
    const T *s, *t;
    uint32_t n;
    bool one_sequence, constant;
    __host__ __device__ Pair<T> operator()(int64_t i) const {
        const uint32_t j = one_sequence ? 0 : uint32_t(i) / n;
        const bool starts = uint32_t(i) == j * n;
        return {starts ? T(0) : s[constant ? int64_t(j) : i], t[i]};
    }
};
template <class T>
struct TakeState {
    __host__ __device__ T operator()(const Pair<T> &pair) const { return pair.t; }
};

const auto cub_scan = [](auto vendor, const Folr &p) -> Call {
    using T = typename decltype(vendor)::Scan;
    const ReadPair<T> read = {static_cast<const T *>(p.s), static_cast<const T *>(p.t), uint32_t(p.n), p.batch == 1,
                              p.incs == 0};
    const auto in = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), read);
    const auto out = thrust::make_transform_output_iterator(static_cast<T *>(p.w), TakeState<T>());
    const int64_t count = p.n * p.batch;
    size_t bytes = 0;
    BENCH_CUDA(cub::DeviceScan::InclusiveScan(nullptr, bytes, in, out, Compose<T>(), count));
    return {[=, space = workspace(bytes)]() mutable {
                BENCH_CUDA(cub::DeviceScan::InclusiveScan(space.get(), bytes, in, out, Compose<T>(), count));
            },
            bytes};
};

// Interleaved sequences need no scan: thread j computes sequence j.
template <class T>
__global__ void sequence_kernel(const T *s, bool constant, const T *t, T *w, int64_t n, int64_t batch) {
    const int64_t j = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (j >= batch) return;
    T state = T(0);
    for (int64_t i = 0; i < n; ++i) {
        state = (constant ? s[j] : s[i * batch + j]) * state + t[i * batch + j];
        w[i * batch + j] = state;
    }
}

const auto thread_a_sequence = [](auto vendor, const Folr &p) -> Call {
    using T = typename decltype(vendor)::Scan;
    return {[p] {
        constexpr unsigned threads = 128;
        sequence_kernel<<<unsigned((p.batch + threads - 1) / threads), threads>>>(
            static_cast<const T *>(p.s), p.incs == 0, static_cast<const T *>(p.t), static_cast<T *>(p.w), p.n, p.batch);
        BENCH_CUDA(cudaGetLastError());
    }};
};

// Flat is column-major with a system a column, interleaved with a system a row.
const auto transpose = [](auto vendor, const Rearrangement &p) -> Call {
    using V = decltype(vendor);
    using T = typename V::Element;
    const auto *source = static_cast<const T *>(p.source);
    auto *target = static_cast<T *>(p.target);
    const bool to_flat = p.to == XBATCH_LAYOUT_FLAT;
    const int rows = int(to_flat ? p.n : p.batch), columns = int(to_flat ? p.batch : p.n);
    return {[=] {
        const typename V::Scan one = 1, zero = 0;
        check(V::transpose(cublas(), CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, reinterpret_cast<const T *>(&one), source,
                           columns, reinterpret_cast<const T *>(&zero), target, rows, target, rows));
    }};
};

constexpr int64_t cusparse_rows = 3;  // the fewest that cuSPARSE solves

// Peers for one matrix and all right-hand sides.
std::vector<Baseline<Gtsv>> one_matrix(const Gtsv &p) {
    // cuSPARSE solves column by column, 4 s for half a million.
    constexpr int64_t most_columns = 1 << 17, longest_pcr = 1 << 20;
    const int64_t columns = p.nrhs * p.batch;
    std::vector<Baseline<Gtsv>> all;
    Gtsv view = p;
    if (p.layout == XBATCH_LAYOUT_FLAT && columns <= most_columns && p.n >= cusparse_rows) {
        view.nrhs = columns;
        view.batch = 1;
        view.ldt = view.ldb = p.n;
        all.push_back(baseline("cuSPARSE gtsv2_nopivot", view, false, one_matrix_unpivoted));
        all.push_back(baseline("cuSPARSE gtsv2", view, false, one_matrix_pivoted));
        if (columns == 1 && p.n <= longest_pcr) all.push_back(baseline("PCR sweeps", view, false, pcr_sweeps));
    }
    if (columns == 1) return all;
    view.layout = XBATCH_LAYOUT_INTERLEAVED;
    view.nrhs = 1;
    view.batch = view.ldb = columns;
    view.ldt = 0;
    all.push_back(baseline("a thread a column", view, false, thread_a_column));
    all.push_back(baseline("a thread a column, factored before", view, false, factored_columns));
    return all;
}

}  // namespace

Call shifted_columns(const Gtsv &problem, const void *shifts) {
    return problem.type == XBATCH_R_32F ? thread_a_column_of<float>(problem, shifts)
                                        : thread_a_column_of<double>(problem, shifts);
}

void use_stream_for_peers(void *stream) {
    current_stream = static_cast<cudaStream_t>(stream);
    check(cusparseSetStream(cusparse(), current_stream));
}

std::vector<Baseline<Gtsv>> cuda_baselines(const Gtsv &p) {
    if (p.ldt == 0 || p.batch == 1) return one_matrix(p);
    if (p.n < cusparse_rows) return {};
    Gtsv view = p;
    view.batch = p.nrhs * p.batch;
    view.nrhs = 1;
    if (p.layout == XBATCH_LAYOUT_FLAT) return {baseline("cuSPARSE gtsv2StridedBatch", view, false, strided_batch)};
    view.layout = XBATCH_LAYOUT_INTERLEAVED;
    view.ldt = view.ldb = view.batch;
    return {interleaved_batch(view, 0), interleaved_batch(view, 1)};
}

std::vector<Baseline<Folr>> cuda_baselines(const Folr &p) {
    if (p.layout == XBATCH_LAYOUT_FLAT) return {baseline("CUB scan of pairs", p, false, cub_scan)};
    return {baseline("a thread a sequence", p, false, thread_a_sequence)};
}

std::vector<Baseline<Rearrangement>> cuda_baselines(const Rearrangement &p) {
    const auto block = XBATCH_LAYOUT_BLOCK_INTERLEAVED;
    if (p.from == block || p.to == block) return {};
    return {baseline("cuBLAS geam", p, false, transpose)};
}

}  // namespace bench
