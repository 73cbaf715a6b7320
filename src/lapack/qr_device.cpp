// qr_device.cpp: a call's way over the GPU: in, solved, out. SPDX-License-Identifier: BSD-3-Clause
#include "qr_device.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>

#include "core/dispatch.hpp"
#include "core/workspace.hpp"
#include "solver.hpp"
#include "staging.hpp"

namespace xbatch::lapack {
namespace {

// The process's way to its GPU, kept until it ends; one call at a time.
struct Device {
    std::mutex busy;
    Handle handle{XBATCH_BACKEND_CUDA};
    Staging staging;
    cudaStream_t stream;
    cudaMemPool_t pool;

    // NULL where there is no GPU
    static Device *opened();

private:
    // Device memory that is kept between calls
    static constexpr uint64_t kept_bytes = 256 << 20;

    Device() {
        require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        handle.require(handle.solver.set_stream(handle.handle, stream));
        cudaMemPoolProps properties = {};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location = {cudaMemLocationTypeDevice, 0};
        require(cudaMemPoolCreate(&pool, &properties));
        uint64_t kept = kept_bytes;
        require(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
    }
    static Device *open();
};

// All of CUDA is done by threads of our own, on the first device: which one is current in the program's stays as it is.
template <class Work>
auto apart(Work work) {
    return std::async(std::launch::async, work).get();
}

Device *Device::open() {
    try {
        return apart([] { return new Device; });
    } catch (const std::exception &) {
        return nullptr;
    }
}

Device *Device::opened() {
    static std::atomic<pid_t> opener{0};
    const pid_t own = getpid();
    pid_t before = 0;
    if (!opener.compare_exchange_strong(before, own) && before != own) return nullptr;
    static Device *const device = open();
    return device;
}

template <class T>
struct Matrix {
    int64_t rows, columns, ld;  // on the GPU columns begin at multiples of 128 bytes
    T *data = nullptr;

    Matrix(int64_t rows, int64_t columns)
        : rows(rows), columns(columns), ld((rows * int64_t(sizeof(T)) + 127) / 128 * 128 / int64_t(sizeof(T))) {}
    void take_from(Carver &carver) { data = carver.take<T>(ld * columns); }
    Staged with(const T *host, int64_t host_ld) const {
        constexpr int64_t size = sizeof(T);
        return {reinterpret_cast<char *>(const_cast<T *>(host)),
                rows * size,
                host_ld * size,
                columns,
                ld * size,
                reinterpret_cast<char *>(data)};
    }
};

// One call on the GPU and what it needs there: plan(carver) takes it.
class Call {
public:
    template <class Plan>
    Call(Device &device, Plan plan) : device_(device) {
        Carver sizes(nullptr);
        plan(sizes);
        require(cudaMallocFromPoolAsync(&data_, sizes.bytes(), device.pool, device.stream));
        Carver pieces(data_);
        plan(pieces);
        wait();
    }
    Call(const Call &) = delete;
    ~Call() {
        cudaFreeAsync(data_, device_.stream);
        cudaStreamSynchronize(device_.stream);
    }
    void wait() const { require(cudaStreamSynchronize(device_.stream)); }

private:
    Device &device_;
    void *data_ = nullptr;
};

// run(device) by a thread of our own, when no other call is on the GPU
template <class Run>
void on_device(Run run) {
    Device *const device = Device::opened();
    if (!device) throw std::runtime_error("no GPU");
    apart([&] {
        const std::lock_guard<std::mutex> lock(device->busy);
        run(*device);
    });
}

constexpr auto flat = XBATCH_LAYOUT_FLAT;

}  // namespace

bool has_device() { return Device::opened() != nullptr; }

template <class T>
void geqrf_device(int64_t m, int64_t n, T *a, int64_t lda, T *tau) {
    on_device([=](Device &device) {
        const Handle &h = device.handle;
        Matrix<T> matrix(m, n), factors(std::min(m, n), 1);
        int32_t *info;
        char *work;
        size_t bytes;
        h.require(h.solver.factor_batch_size(h.handle, type_of<T>, flat, m, n, 1, &bytes));
        const Call call(device, [&](Carver &carver) {
            matrix.take_from(carver), factors.take_from(carver);
            info = carver.take<int32_t>(1), work = carver.take<char>(int64_t(bytes));
        });
        device.staging.upload(matrix.with(a, lda));
        h.require(h.solver.factor_batch(h.handle, type_of<T>, flat, m, n, 1, matrix.data, matrix.ld, matrix.ld * n,
                                        factors.data, factors.ld, info, work, bytes));
        int32_t bad_column;
        require(cudaMemcpyAsync(&bad_column, info, sizeof bad_column, cudaMemcpyDeviceToHost, device.stream));
        call.wait();
        if (bad_column != 0) throw std::domain_error("a norm is not finite");
        device.staging.download(matrix.with(a, lda));
        device.staging.download(factors.with(tau, factors.rows));
    });
}

template <class T>
void unmqr_device(bool is_right, bool is_adjoint, int64_t m, int64_t n, int64_t k, const T *a, int64_t lda,
                  const T *tau, T *c, int64_t ldc) {
    on_device([=](Device &device) {
        const Handle &h = device.handle;
        const auto side = is_right ? XBATCH_SIDE_RIGHT : XBATCH_SIDE_LEFT;
        const auto op = is_adjoint ? XBATCH_OP_C : XBATCH_OP_N;
        Matrix<T> vectors(is_right ? n : m, k), factors(k, 1), matrix(m, n);
        char *work;
        size_t bytes;
        h.require(h.solver.apply_batch_size(h.handle, type_of<T>, flat, side, op, m, n, k, 1, &bytes));
        const Call call(device, [&](Carver &carver) {
            vectors.take_from(carver), factors.take_from(carver), matrix.take_from(carver);
            work = carver.take<char>(int64_t(bytes));
        });
        device.staging.upload(vectors.with(a, lda));
        device.staging.upload(factors.with(tau, k));
        device.staging.upload(matrix.with(c, ldc));
        h.require(h.solver.apply_batch(h.handle, type_of<T>, flat, side, op, m, n, k, 1, vectors.data, vectors.ld,
                                       vectors.ld * k, factors.data, factors.ld, matrix.data, matrix.ld, matrix.ld * n,
                                       work, bytes));
        call.wait();
        device.staging.download(matrix.with(c, ldc));
    });
}

template <class T>
void ungqr_device(int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau) {
    on_device([=](Device &device) {
        const Handle &h = device.handle;
        Matrix<T> columns(m, n), factors(k, 1);
        char *work;
        size_t bytes;
        h.require(h.solver.form_batch_size(h.handle, type_of<T>, flat, m, n, k, 1, &bytes));
        const Call call(device, [&](Carver &carver) {
            columns.take_from(carver), factors.take_from(carver);
            work = carver.take<char>(int64_t(bytes));
        });
        Matrix<T> vectors(m, k);
        vectors.data = columns.data;
        device.staging.upload(vectors.with(a, lda));
        device.staging.upload(factors.with(tau, k));
        h.require(h.solver.form_batch(h.handle, type_of<T>, flat, m, n, k, 1, columns.data, columns.ld, columns.ld * n,
                                      factors.data, factors.ld, work, bytes));
        call.wait();
        device.staging.download(columns.with(a, lda));
    });
}

#define XBATCH_INSTANTIATE(T)                                                                                          \
    template void geqrf_device<T>(int64_t, int64_t, T *, int64_t, T *);                                                \
    template void unmqr_device<T>(bool, bool, int64_t, int64_t, int64_t, const T *, int64_t, const T *, T *, int64_t); \
    template void ungqr_device<T>(int64_t, int64_t, int64_t, T *, int64_t, const T *);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)

}  // namespace xbatch::lapack
