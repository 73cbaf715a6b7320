// test_log.cpp: the effect of XBATCH_LOG_LEVEL and XBATCH_LOG_FILE. Both are read once per process, so every case is a
// child process that sets them before its first call.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "support/fixtures/backend.hpp"

namespace xbatch_test {
namespace {

std::string text_of(const std::string &path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

// Starts a good and a bad call at a log level, standard error redirected to a file. Returns the process number.
pid_t run_child(const char *level, const char *log_file, const std::string &standard_error) {
    const pid_t child = fork();
    if (child == 0) {
        if (level) setenv("XBATCH_LOG_LEVEL", level, 1);
        if (log_file) setenv("XBATCH_LOG_FILE", log_file, 1);
        if (!std::freopen(standard_error.c_str(), "w", stderr)) _exit(2);
        xbatchHandle_t handle = nullptr;
        double x[2] = {1, 2}, y[2] = {0, 0};
        bool is_right = xbatchCreate(&handle, XBATCH_BACKEND_HOST) == XBATCH_STATUS_SUCCESS;
        is_right &=
            drearrange(handle, 2, 1, XBATCH_LAYOUT_FLAT, x, 2, XBATCH_LAYOUT_FLAT, y, 2) == XBATCH_STATUS_SUCCESS;
        is_right &= xbatchSetThreadCount(handle, -7) == XBATCH_STATUS_INVALID_VALUE;
        is_right &= xbatchCreate(&handle, static_cast<xbatchBackend_t>(9)) == XBATCH_STATUS_INVALID_VALUE;
        _exit(is_right ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return child;
}

class Log : public testing::Test {
protected:
    Log() : stem_(testing::TempDir() + "xbatch_log_" + std::to_string(getpid())), error_(stem_ + ".err") {}
    ~Log() override { std::remove(error_.c_str()); }

    std::string stem_, error_;
};

TEST_F(Log, IsSilentByDefault) {
    run_child(nullptr, nullptr, error_);
    EXPECT_EQ(text_of(error_), "");
    run_child("0", nullptr, error_);
    EXPECT_EQ(text_of(error_), "");
}

TEST_F(Log, LevelOneSaysErrors) {
    run_child("1", nullptr, error_);
    EXPECT_EQ(text_of(error_),
              "xbatch: xbatchSetThreadCount: argument 1, threads = -7, must be at least 0\n"
              "xbatch: xbatchCreate: argument 2, backend = 9, must be one of 0 … 2\n");
}

TEST_F(Log, LevelTwoSaysCallsToo) {
    run_child("2", nullptr, error_);
    const std::string text = text_of(error_);
    EXPECT_TRUE(has(text, "xbatch: xbatchCreate: host backend\n")) << text;
    EXPECT_TRUE(has(text, "xbatch: drearrange: n = 2, batch = 1, srcLayout = 0, ldsrc = 2, dstLayout = 0, lddst = 2\n"))
        << text;
    EXPECT_TRUE(has(text, "threads = -7")) << text;
}

TEST_F(Log, GoesToAFileNamedByTheProcess) {
    const pid_t child = run_child("1", (stem_ + ".%i.log").c_str(), error_);
    const std::string path = stem_ + "." + std::to_string(child) + ".log";
    EXPECT_TRUE(has(text_of(path), "threads = -7"));
    EXPECT_EQ(text_of(error_), "");
    std::remove(path.c_str());
}

TEST_F(Log, FallsBackToStandardError) {
    run_child("1", "/no/such/folder/log", error_);
    EXPECT_TRUE(has(text_of(error_), "threads = -7"));
}

}  // namespace
}  // namespace xbatch_test
