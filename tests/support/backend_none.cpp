// backend_none.cpp: in a build without CUDA no handle is a device's, so reaching any of these is a defect of the tests.
// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "backend.hpp"

namespace xbatch_test {
namespace {

[[noreturn]] void no_device() { throw std::logic_error("a device is asked for in a build without CUDA"); }

}  // namespace

void *device_allocate(size_t) { no_device(); }
void device_free(void *) {}
void to_device(void *, const void *, size_t) { no_device(); }
void to_host(void *, const void *, size_t) { no_device(); }
int device_count() { return 0; }
void use_device(int) { no_device(); }
void capture_and_replay(xbatchHandle_t, const std::function<void()> &, int, const std::function<void()> &) {
    no_device();
}

}  // namespace xbatch_test
