// test_core.cpp: the handle: creation on each backend and why it fails, destruction, stream, threads, status texts,
// version, properties, and error messages.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>
#include <type_traits>

#include "core/device_reason.hpp"
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
    EXPECT_EQ(count, 10);
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
    EXPECT_EQ(XBATCH_PROPERTY_SUMMARY, 0);
    EXPECT_EQ(XBATCH_PROPERTY_CUDA, 4);
    EXPECT_EQ(XBATCH_PROPERTY_INSTRUCTION_SET, 7);
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
    expect_int32<xbatchStatus_t>(), expect_int32<xbatchBackend_t>(), expect_int32<xbatchProperty_t>();
    expect_int32<xbatchDataType_t>();
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

std::string property(xbatchProperty_t which) {
    const char *text = xbatchGetProperty(which);
    return text ? text : "(NULL)";
}

TEST(Core, Properties) {
    EXPECT_EQ(property(XBATCH_PROPERTY_VERSION), XBATCH_TEST_PROJECT_VERSION);
    EXPECT_EQ(property(XBATCH_PROPERTY_BUILD_TYPE), XBATCH_TEST_BUILD_TYPE);
    EXPECT_EQ(property(XBATCH_PROPERTY_OPENMP).find_first_not_of("0123456789."), std::string::npos);
    EXPECT_EQ(property(XBATCH_PROPERTY_CUDA).empty(), !XBATCH_TEST_HAVE_CUDA);
    EXPECT_EQ(property(XBATCH_PROPERTY_CUDA_ARCHITECTURES).empty(), !XBATCH_TEST_HAVE_CUDA);
    const std::string commit = property(XBATCH_PROPERTY_COMMIT);
    EXPECT_TRUE(commit == "unknown" || commit.find_first_not_of("0123456789abcdef") >= 12) << commit;
    for (const int unknown : {-1, 8, INT32_MIN, INT32_MAX})
        EXPECT_EQ(xbatchGetProperty(static_cast<xbatchProperty_t>(unknown)), nullptr);
}

TEST(Core, SummaryHasAllProperties) {
    const std::string summary = property(XBATCH_PROPERTY_SUMMARY);
    for (int which = XBATCH_PROPERTY_VERSION; which <= XBATCH_PROPERTY_INSTRUCTION_SET; ++which)
        EXPECT_NE(summary.find(property(static_cast<xbatchProperty_t>(which))), std::string::npos)
            << which << " is not in " << summary;
    EXPECT_EQ(summary.find("without CUDA") == std::string::npos, bool(XBATCH_TEST_HAVE_CUDA));
}

TEST(Core, PropertiesInAForkedChild) {
    const pid_t child = fork();
    if (child == 0) _exit(std::strlen(xbatchGetProperty(XBATCH_PROPERTY_SUMMARY)) > 20 ? 0 : 1);
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(Core, WhyADeviceCannotBeUsed) {
    EXPECT_EQ(xbatch::not_built_text(), "this library was built without CUDA");
    EXPECT_EQ(xbatch::driver_text(0, 13000), "no NVIDIA driver was found: libcuda.so.1 could not be loaded");
    EXPECT_EQ(xbatch::driver_text(12040, 13010),
              "the NVIDIA driver supports CUDA 12.4, older than this library's CUDA 13.1");
    EXPECT_EQ(xbatch::no_device_text(nullptr), "no CUDA device is visible (CUDA_VISIBLE_DEVICES is not set)");
    EXPECT_EQ(xbatch::no_device_text(""), "no CUDA device is visible (CUDA_VISIBLE_DEVICES = \"\")");
    EXPECT_EQ(xbatch::no_device_text("7"), "no CUDA device is visible (CUDA_VISIBLE_DEVICES = \"7\")");
    EXPECT_EQ(xbatch::no_code_text(0, 7, 5, "sm_80 sm_90"),
              "device 0 (compute capability 7.5) has no code in this library (built for sm_80 sm_90)");
    EXPECT_EQ(xbatch::failure_text("cudaFree", "out of memory", "cudaErrorMemoryAllocation"),
              "cudaFree failed: out of memory (cudaErrorMemoryAllocation)");
}

TEST(Core, Creation) {
    EXPECT_EQ(xbatchCreate(nullptr, XBATCH_BACKEND_HOST), XBATCH_STATUS_INVALID_VALUE);
    xbatchHandle_t handle = reinterpret_cast<xbatchHandle_t>(&handle);
    for (const int wrong : {3, -1, INT32_MIN, INT32_MAX})
        EXPECT_EQ(xbatchCreate(&handle, static_cast<xbatchBackend_t>(wrong)), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(handle, nullptr);
    EXPECT_STREQ(xbatchGetLastErrorMessage(nullptr),
                 "xbatchCreate: argument 2, backend = 2147483647, must be one of 0 … 2");
    EXPECT_EQ(xbatchCreate(nullptr, XBATCH_BACKEND_HOST), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_STREQ(xbatchGetLastErrorMessage(nullptr), "xbatchCreate: argument 1, handle = NULL, must not be NULL");
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
    const std::string why = xbatchGetLastErrorMessage(nullptr);
    ASSERT_EQ(xbatchCreate(&automatic, XBATCH_BACKEND_AUTO), XBATCH_STATUS_SUCCESS);
    xbatchBackend_t backend = XBATCH_BACKEND_AUTO;
    EXPECT_EQ(xbatchGetBackend(automatic, &backend), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(backend, has_device ? XBATCH_BACKEND_CUDA : XBATCH_BACKEND_HOST);
    if (!has_device) {  // the same reason, in a call that succeeds
        const std::string reason = why.substr(std::strlen("xbatchCreate: "));
        EXPECT_EQ(why, "xbatchCreate: " + reason);
        EXPECT_EQ(xbatchGetLastErrorMessage(nullptr), "xbatchCreate: host backend, because " + reason);
        EXPECT_EQ(reason == xbatch::not_built_text(), !XBATCH_TEST_HAVE_CUDA);
        EXPECT_STREQ(xbatchGetLastErrorMessage(automatic), "");
    }
    EXPECT_EQ(xbatchDestroy(automatic), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(xbatchDestroy(forced), XBATCH_STATUS_SUCCESS);
}

// Each thread has its own text; a success leaves none.
TEST(Core, TextsOfCreationAreOfTheirThread) {
    xbatchHandle_t handle = nullptr;
    EXPECT_EQ(xbatchCreate(nullptr, XBATCH_BACKEND_HOST), XBATCH_STATUS_INVALID_VALUE);
    const std::string mine = xbatchGetLastErrorMessage(nullptr);
    std::string others;
    std::thread([&] { others = xbatchGetLastErrorMessage(nullptr); }).join();
    EXPECT_EQ(others, "the handle is NULL or was destroyed");
    EXPECT_EQ(xbatchGetLastErrorMessage(nullptr), mine);
    ASSERT_EQ(xbatchCreate(&handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS);
    EXPECT_STREQ(xbatchGetLastErrorMessage(nullptr), "the handle is NULL or was destroyed");
    EXPECT_EQ(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS);
}

TEST(Core, NoHandle) {
    xbatchHandle_t handle = nullptr;
    ASSERT_EQ(xbatchCreate(&handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS);
    ASSERT_EQ(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS);
    EXPECT_STREQ(xbatchGetLastErrorMessage(handle), "the handle is NULL or was destroyed");
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

// A call on the default stream fails while another stream is captured. It alone reports that error.
TEST(CoreCuda, ErrorsAreReportedOnce) {
    Handle handle(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(handle);
    const DeviceArray from(10), to(10);
    const auto copy = [&] {
        return srearrange(handle, 5, 2, XBATCH_LAYOUT_FLAT, from.data, 5, XBATCH_LAYOUT_INTERLEAVED, to.data, 2);
    };
    EXPECT_EQ(copy(), XBATCH_STATUS_SUCCESS) << handle.message();
    during_capture([&] { EXPECT_EQ(copy(), XBATCH_STATUS_EXECUTION_FAILED) << handle.message(); });
    EXPECT_NE(std::string(handle.message()).find("Capture"), std::string::npos) << handle.message();
    EXPECT_EQ(copy(), XBATCH_STATUS_SUCCESS) << handle.message();
}

INSTANTIATE_TEST_SUITE_P(Host, CoreOn, testing::Values(XBATCH_BACKEND_HOST));
INSTANTIATE_TEST_SUITE_P(Cuda, CoreOn, testing::Values(XBATCH_BACKEND_CUDA));

}  // namespace
}  // namespace xbatch_test
