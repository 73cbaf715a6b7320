// test_core.cpp: the handle: creation on each backend, destruction, stream, threads, status texts, version, and error
// messages.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <type_traits>

#include "support/fixtures/backend.hpp"

namespace xbatch_test {
namespace {

TEST(Core, StatusStrings) {
    int count = 0;
#define XBATCH_EXPECT_TEXT(name, number, text)                             \
    EXPECT_STREQ(xbatchGetStatusString(XBATCH_STATUS_##name), text);       \
    EXPECT_EQ(int(XBATCH_STATUS_##name), number) << "a number of the ABI"; \
    ++count;
    XBATCH_STATUS_LIST(XBATCH_EXPECT_TEXT)
#undef XBATCH_EXPECT_TEXT
    EXPECT_EQ(count, 9);
    EXPECT_STREQ(xbatchGetStatusString(xbatchStatus_t(count)), "unknown status");
    EXPECT_STREQ(xbatchGetStatusString(XBATCH_STATUS_FORCE_INT32), "unknown status");
}

// Programs that were compiled long ago contain these numbers.
TEST(Core, EnumeratorsKeepTheirNumbers) {
    EXPECT_EQ(XBATCH_BACKEND_AUTO, 0);
    EXPECT_EQ(XBATCH_BACKEND_HOST, 1);
    EXPECT_EQ(XBATCH_BACKEND_CUDA, 2);
    EXPECT_EQ(XBATCH_R_32F, 0);
    EXPECT_EQ(XBATCH_R_64F, 1);
    EXPECT_EQ(XBATCH_C_32F, 2);
    EXPECT_EQ(XBATCH_C_64F, 3);
    EXPECT_EQ(XBATCH_LAYOUT_FLAT, 0);
    EXPECT_EQ(XBATCH_LAYOUT_INTERLEAVED, 1);
    EXPECT_EQ(XBATCH_LAYOUT_BLOCK_INTERLEAVED, 2);
    EXPECT_EQ(XBATCH_FORWARD, 0);
    EXPECT_EQ(XBATCH_BACKWARD, 1);
}

// Any int from a caller in C or Fortran must be a value of the C++ type: refused, not undefined behaviour.
template <class Enum>
void expect_int32() {
    EXPECT_EQ(sizeof(Enum), 4u);
    EXPECT_LT(int64_t(static_cast<Enum>(-1)), 0);
    EXPECT_TRUE((std::is_same_v<std::underlying_type_t<Enum>, int>));
}
TEST(Core, EnumsAreInt32) {
    expect_int32<xbatchStatus_t>(), expect_int32<xbatchBackend_t>(), expect_int32<xbatchDataType_t>();
    expect_int32<xbatchLayout_t>(), expect_int32<xbatchDirection_t>(), expect_int32<xbatchOperation_t>();
    expect_int32<xbatchNorm_t>(), expect_int32<xbatchSide_t>(), expect_int32<xbatchTree_t>();
    expect_int32<xbatchHinesFlags_t>(), expect_int32<xbatchHinesAlgorithm_t>();
    expect_int32<xbatchTaskAccess_t>(), expect_int32<xbatchUplo_t>(), expect_int32<xbatchDiag_t>();
}

TEST(Core, Version) {
    int version = 0;
    EXPECT_EQ(xbatchGetVersion(&version), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(version, XBATCH_VERSION);
    EXPECT_EQ(version, 10000 * XBATCH_VERSION_MAJOR + 100 * XBATCH_VERSION_MINOR + XBATCH_VERSION_PATCH);
    EXPECT_EQ(std::to_string(XBATCH_VERSION_MAJOR) + "." + std::to_string(XBATCH_VERSION_MINOR) + "." +
                  std::to_string(XBATCH_VERSION_PATCH),
              XBATCH_TEST_PROJECT_VERSION);
    EXPECT_EQ(xbatchGetVersion(nullptr), XBATCH_STATUS_INVALID_VALUE);
}

TEST(Core, Creation) {
    EXPECT_EQ(xbatchCreate(nullptr, XBATCH_BACKEND_HOST), XBATCH_STATUS_INVALID_VALUE);
    xbatchHandle_t handle = reinterpret_cast<xbatchHandle_t>(&handle);
    for (const int wrong : {3, -1, INT32_MIN, INT32_MAX})
        EXPECT_EQ(xbatchCreate(&handle, static_cast<xbatchBackend_t>(wrong)), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(handle, nullptr);
    EXPECT_EQ(xbatchDestroy(nullptr), XBATCH_STATUS_SUCCESS);

    xbatchBackend_t backend = XBATCH_BACKEND_AUTO;
    ASSERT_EQ(xbatchCreate(&handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(xbatchGetBackend(handle, &backend), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(backend, XBATCH_BACKEND_HOST);
    EXPECT_STREQ(xbatchGetLastErrorMessage(handle), "");
    EXPECT_EQ(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS);
}

// AUTO selects the device exactly if forcing it succeeds; otherwise forcing it returns the reason and NULL.
TEST(Core, AutoTakesTheDeviceWhereOneWorks) {
    xbatchHandle_t forced = reinterpret_cast<xbatchHandle_t>(&forced), automatic = nullptr;
    const xbatchStatus_t status = xbatchCreate(&forced, XBATCH_BACKEND_CUDA);
    const bool has_device = status == XBATCH_STATUS_SUCCESS;
    if (!has_device) {
        EXPECT_EQ(status, XBATCH_TEST_HAVE_CUDA ? XBATCH_STATUS_NO_DEVICE : XBATCH_STATUS_NOT_SUPPORTED);
        EXPECT_EQ(forced, nullptr);
    }
    ASSERT_EQ(xbatchCreate(&automatic, XBATCH_BACKEND_AUTO), XBATCH_STATUS_SUCCESS);
    xbatchBackend_t backend = XBATCH_BACKEND_AUTO;
    EXPECT_EQ(xbatchGetBackend(automatic, &backend), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(backend, has_device ? XBATCH_BACKEND_CUDA : XBATCH_BACKEND_HOST);
    EXPECT_EQ(xbatchDestroy(automatic), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(xbatchDestroy(forced), XBATCH_STATUS_SUCCESS);
}

TEST(Core, NoHandle) {
    xbatchBackend_t backend = XBATCH_BACKEND_AUTO;
    void *stream = nullptr;
    int threads = 0;
    EXPECT_EQ(xbatchGetBackend(nullptr, &backend), XBATCH_STATUS_INVALID_HANDLE);
    EXPECT_EQ(xbatchSetStream(nullptr, nullptr), XBATCH_STATUS_INVALID_HANDLE);
    EXPECT_EQ(xbatchGetStream(nullptr, &stream), XBATCH_STATUS_INVALID_HANDLE);
    EXPECT_EQ(xbatchSetThreadCount(nullptr, 1), XBATCH_STATUS_INVALID_HANDLE);
    EXPECT_EQ(xbatchGetThreadCount(nullptr, &threads), XBATCH_STATUS_INVALID_HANDLE);
    EXPECT_STREQ(xbatchGetLastErrorMessage(nullptr), "the handle is NULL or was destroyed");
}

TEST(Core, DestroyedHandle) {
    xbatchHandle_t handle = nullptr;
    ASSERT_EQ(xbatchCreate(&handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS);
    ASSERT_EQ(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS);
    int threads = 0;
    EXPECT_EQ(xbatchGetThreadCount(handle, &threads), XBATCH_STATUS_INVALID_HANDLE);
    EXPECT_EQ(xbatchDestroy(handle), XBATCH_STATUS_INVALID_HANDLE);
}

class CoreOn : public testing::TestWithParam<xbatchBackend_t> {
protected:
    CoreOn() : handle_(GetParam()) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    Handle handle_;
};

TEST_P(CoreOn, Stream) {
    void *stream = &handle_;
    EXPECT_EQ(xbatchGetStream(handle_, &stream), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(stream, nullptr) << "a new handle uses the default stream";
    int some = 0;
    EXPECT_EQ(xbatchSetStream(handle_, &some), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(xbatchGetStream(handle_, &stream), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(stream, &some);
    EXPECT_EQ(xbatchGetStream(handle_, nullptr), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_NE(std::string(handle_.message()).find("xbatchGetStream: argument 1, cudaStream = NULL"), std::string::npos);
}

TEST_P(CoreOn, ThreadCount) {
    int standard = 0, threads = 0;
    EXPECT_EQ(xbatchGetThreadCount(handle_, &standard), XBATCH_STATUS_SUCCESS);
    EXPECT_GE(standard, 1);
    EXPECT_EQ(xbatchSetThreadCount(handle_, standard + 3), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(xbatchGetThreadCount(handle_, &threads), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(threads, standard + 3);
    EXPECT_EQ(xbatchSetThreadCount(handle_, -1), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_STREQ(handle_.message(), "xbatchSetThreadCount: argument 1, threads = -1, must be at least 0");
    EXPECT_EQ(xbatchGetThreadCount(handle_, &threads), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(threads, standard + 3) << "changed by a refused call";
    EXPECT_EQ(xbatchSetThreadCount(handle_, 0), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(xbatchGetThreadCount(handle_, &threads), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(threads, standard);
    EXPECT_EQ(xbatchGetThreadCount(handle_, nullptr), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(xbatchGetBackend(handle_, nullptr), XBATCH_STATUS_INVALID_VALUE);
}

// The texts are part of the contract.
TEST_P(CoreOn, WordsOfAnError) {
    double a[5] = {}, b[5] = {};
    std::complex<float> c[5] = {};
    size_t bytes = 0;
    EXPECT_EQ(dgtsvPscheme(handle_, XBATCH_LAYOUT_FLAT, 5, 1, 1, a, a, a, 3, b, 5, nullptr, nullptr, 0),
              XBATCH_STATUS_INVALID_VALUE);
    EXPECT_STREQ(handle_.message(), "dgtsvPscheme: argument 8, ldt = 3, must be at least n = 5");
    EXPECT_EQ(
        xgtsvThomas(handle_, XBATCH_R_64F, XBATCH_LAYOUT_INTERLEAVED, 5, 1, 4, a, a, a, 4, b, 3, nullptr, nullptr, 0),
        XBATCH_STATUS_INVALID_VALUE);
    EXPECT_STREQ(handle_.message(), "xgtsvThomas: argument 11, ldb = 3, must be at least batch = 4");
    EXPECT_EQ(cfolrPscheme(handle_, XBATCH_LAYOUT_FLAT, XBATCH_FORWARD, 5, -2, 1, c, 1, 5, c, 1, 5, nullptr, c, 5,
                           nullptr, 0),
              XBATCH_STATUS_INVALID_VALUE);
    EXPECT_STREQ(handle_.message(), "cfolrPscheme: argument 4, nrhs = -2, must be at least 0");
    EXPECT_EQ(drearrange(handle_, 5, 1, XBATCH_LAYOUT_FLAT, a, 5, XBATCH_LAYOUT_FLAT, nullptr, 5),
              XBATCH_STATUS_INVALID_VALUE);
    EXPECT_STREQ(handle_.message(), "drearrange: argument 7, dst = NULL, must not be NULL");
    EXPECT_EQ(zgtsvPscheme_bufferSize(handle_, XBATCH_LAYOUT_BLOCK_INTERLEAVED, 5, 1, 1, nullptr),
              XBATCH_STATUS_INVALID_VALUE);
    EXPECT_STREQ(handle_.message(), "zgtsvPscheme_bufferSize: argument 5, workspaceBytes = NULL, must not be NULL");
    EXPECT_EQ(zgtsvPscheme_bufferSize(handle_, XBATCH_LAYOUT_BLOCK_INTERLEAVED, 5, 1, 1, &bytes),
              XBATCH_STATUS_SUCCESS);
    EXPECT_STREQ(handle_.message(), "zgtsvPscheme_bufferSize: argument 5, workspaceBytes = NULL, must not be NULL")
        << "the text lives until the next failed call";
}

TEST_P(CoreOn, HandlesDoNotShareTheirErrors) {
    Handle other(GetParam());
    EXPECT_EQ(xbatchSetThreadCount(handle_, -1), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_STREQ(other.message(), "");
}

INSTANTIATE_TEST_SUITE_P(Host, CoreOn, testing::Values(XBATCH_BACKEND_HOST));
INSTANTIATE_TEST_SUITE_P(Cuda, CoreOn, testing::Values(XBATCH_BACKEND_CUDA));

}  // namespace
}  // namespace xbatch_test
