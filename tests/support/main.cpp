// main.cpp: runs the tests. Exit status 77 where every case was skipped, so that CTest says "skipped", and 1 where the
// filter names no case at all; of several shards the first tells that, for it has a case if any of them has one.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    const int result = RUN_ALL_TESTS();
    const testing::UnitTest &all = *testing::UnitTest::GetInstance();
    const char *const shard = std::getenv("GTEST_SHARD_INDEX");
    const bool is_first_shard = !shard || std::atoi(shard) == 0;
    if (!testing::GTEST_FLAG(list_tests) && all.test_to_run_count() == 0 && is_first_shard) {
        std::fprintf(stderr, "no test of that name\n");
        return 1;
    }
    if (result == 0 && all.skipped_test_count() > 0 && all.skipped_test_count() == all.test_to_run_count()) return 77;
    return result;
}
