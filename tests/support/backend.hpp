// backend.hpp: the backends a test can run on: handles, their memory, streams and graphs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

#include "scalar.hpp"

namespace xbatch_test {

constexpr xbatchBackend_t all_backends[] = {XBATCH_BACKEND_HOST, XBATCH_BACKEND_CUDA};

constexpr const char *backend_name(xbatchBackend_t backend) { return backend == XBATCH_BACKEND_CUDA ? "Cuda" : "Host"; }

// A library handle for one backend. Where the backend does not answer, exists() is false and why() says the status.
class Handle {
public:
    explicit Handle(xbatchBackend_t backend) : status_(xbatchCreate(&handle_, backend)) {}
    ~Handle() { xbatchDestroy(handle_); }
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;

    operator xbatchHandle_t() const { return handle_; }
    bool exists() const { return handle_ != nullptr; }
    // This machine or this build has no such backend, which is no defect.
    bool is_absent() const { return status_ == XBATCH_STATUS_NO_DEVICE || status_ == XBATCH_STATUS_NOT_SUPPORTED; }
    const char *why() const { return xbatchGetStatusString(status_); }
    const char *message() const { return xbatchGetLastErrorMessage(handle_); }

private:
    xbatchHandle_t handle_ = nullptr;
    xbatchStatus_t status_;
};

// Device memory. A build without CUDA has no device handle, so none of these is reached there.
void *device_allocate(size_t bytes);
void device_free(void *pointer);
struct DeviceArray {
    explicit DeviceArray(int64_t count) : data(static_cast<float *>(device_allocate(size_t(count) * sizeof(float)))) {}
    ~DeviceArray() { device_free(data); }
    float *const data;
};
void to_device(void *device, const void *host, size_t bytes);
void to_host(void *host, const void *device, size_t bytes);  // waits for all work queued before

// Devices of this process; and which one all that follows on this thread is about.
int device_count();
void use_device(int device);

// Captures what `work` queues on the handle into a CUDA graph, with no error allowed, and replays it `times` times.
// `between` runs before each replay.
void capture_and_replay(xbatchHandle_t handle, const std::function<void()> &work, int times,
                        const std::function<void()> &between);

}  // namespace xbatch_test

// First line of a test that runs on the backend of `handle`.
#define XBATCH_NEEDS(handle)                                                                   \
    do {                                                                                       \
        if ((handle).is_absent()) GTEST_SKIP() << "backend not available: " << (handle).why(); \
        ASSERT_TRUE((handle).exists()) << (handle).why();                                      \
    } while (0)
