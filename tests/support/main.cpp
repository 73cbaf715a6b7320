// main.cpp: runs the tests. Exit status 77 where every case was skipped, so that CTest says "skipped", and 1 where the
// filter names no case at all.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    const int result = RUN_ALL_TESTS();
    const testing::UnitTest &all = *testing::UnitTest::GetInstance();
    if (!testing::GTEST_FLAG(list_tests) && all.test_to_run_count() == 0) {
        std::fprintf(stderr, "no test of that name\n");
        return 1;
    }
    if (result == 0 && all.skipped_test_count() > 0 && all.skipped_test_count() == all.test_to_run_count()) return 77;
    return result;
}
