// main.cpp: runs the tests, and defines the kind of each case as a function of its name, so that every case has a kind.
//
//     --kind=quick|full|gpu|gpu_full   only the cases of this kind, of those that the filter leaves
//     --kinds=LIST                     runs nothing; fails unless LIST, as in quick,gpu, is just the kinds of all cases
//
// The exit status is 77 if every case was skipped, so that CTest says "skipped", and 1 if kind and filter select no
// case. Of several shards only the first reports the latter: it has a case if any shard has one.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

namespace {

constexpr const char *kinds[] = {"quick", "full", "gpu", "gpu_full"};

bool begins_with(const std::string &text, const std::string &begin) {
    return text.compare(0, begin.size(), begin) == 0;
}
bool ends_with(const std::string &text, const std::string &end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// A case needs a device if its suite is instantiated as Cuda, or has no instances and a name that ends in Cuda. It is
// full (takes long) if the name of its test ends in Full.
const char *kind_of(const testing::TestInfo &test) {
    const std::string suite = test.test_suite_name(), name = test.name();
    const bool is_gpu = begins_with(suite, "Cuda/") || ends_with(suite, "Cuda");
    const bool is_full = ends_with(name.substr(0, name.find('/')), "Full");
    return kinds[2 * is_gpu + is_full];
}

template <class F>
void for_each_case(F f) {
    const testing::UnitTest &all = *testing::UnitTest::GetInstance();
    for (int s = 0; s < all.total_test_suite_count(); ++s) {
        const testing::TestSuite &suite = *all.GetTestSuite(s);
        for (int t = 0; t < suite.total_test_count(); ++t) f(*suite.GetTestInfo(t));
    }
}

// The filter without all cases of other kinds; all cases of one test are of one kind, so one pattern excludes them
void keep_only(const std::string &kind) {
    std::set<std::string> others;
    for_each_case([&](const testing::TestInfo &test) {
        const std::string name = test.name();
        const size_t slash = name.find('/');
        if (kind == kind_of(test)) return;
        others.insert(std::string(test.test_suite_name()) + "." + name.substr(0, slash) +
                      (slash == std::string::npos ? "" : "/*"));
    });
    std::string &filter = testing::GTEST_FLAG(filter);
    filter += filter.find('-') == std::string::npos ? "-" : ":";
    for (const std::string &pattern : others) filter += pattern + ":";
}

int check_kinds(const std::string &list) {
    std::set<std::string> registered;
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) registered.insert(word);
    std::set<std::string> without = registered;
    int missing = 0;
    for_each_case([&](const testing::TestInfo &test) {
        const std::string kind = kind_of(test);
        without.erase(kind);
        if (registered.count(kind) > 0) return;
        std::fprintf(stderr, "%s.%s is of the kind %s, which is not registered\n", test.test_suite_name(), test.name(),
                     kind.c_str());
        ++missing;
    });
    for (const std::string &kind : without) std::fprintf(stderr, "no case is of the kind %s\n", kind.c_str());
    return missing > 0 || !without.empty();
}

bool is_kind(const std::string &word) {
    for (const char *kind : kinds)
        if (word == kind) return true;
    std::fprintf(stderr, "%s is no kind of tests\n", word.c_str());
    return false;
}

}  // namespace

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    for (int k = 1; k < argc; ++k) {
        const std::string argument = argv[k];
        if (begins_with(argument, "--kinds=")) return check_kinds(argument.substr(8));
        if (!begins_with(argument, "--kind=") || !is_kind(argument.substr(7))) return 2;
        keep_only(argument.substr(7));
    }
    const int result = RUN_ALL_TESTS();
    const testing::UnitTest &all = *testing::UnitTest::GetInstance();
    const char *const shard = std::getenv("GTEST_SHARD_INDEX");
    const bool is_first_shard = !shard || std::atoi(shard) == 0;
    if (!testing::GTEST_FLAG(list_tests) && all.test_to_run_count() == 0 && is_first_shard) {
        std::fprintf(stderr, "no test of that name and kind\n");
        return 1;
    }
    if (result == 0 && all.skipped_test_count() > 0 && all.skipped_test_count() == all.test_to_run_count()) return 77;
    return result;
}
