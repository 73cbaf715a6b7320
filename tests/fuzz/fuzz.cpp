// fuzz.cpp: random calls of every routine on the host backend; checks everything that their contracts promise.
//
// Call k of seed s depends on s and k alone. A child process makes the calls, so that a crash or a hang is reported
// with the call that caused it; the next child continues after it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

#include "routines.hpp"
#include "verdict.hpp"

namespace xbatch_test {
namespace {

constexpr const char *usage =
    R"(usage: fuzz [--seed S] [--calls N] [--call K] [--routine NAME] [--seconds N] [--verbose]

Random calls of the library's routines on the host, judged by their contracts.

  --seed S        of the calls; default 1
  --calls N       calls 0 ... N-1; default 1000
  --call K        call K alone, printed in full
  --routine NAME  only calls of routines whose name contains NAME
  --seconds N     stop after this time; default: never
  --verbose       a line for each call
)";
constexpr int64_t most_failures = 20, seconds_of_a_call = 120;

struct Options {
    uint64_t seed = 1;
    int64_t first = 0, calls = 1000, seconds = 0;
    std::string routine;
    bool is_verbose = false;
};

// The child's state, in memory shared with the parent
struct Shared {
    int64_t call, done, failures;
    Tally tally;
    char text[400];
};

double seconds_now() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

// The routine and the numbers of a call, as text
std::string described(const Call &call) {
    std::string text;
    for (const std::string &name : call.routine.arguments) {
        const auto found = call.numbers.find(name);
        if (found != call.numbers.end() && name != "plan") text += " " + name + " " + std::to_string(found->second);
    }
    return text;
}

void report(const Options &options, const Shared &shared, const std::string &complaint) {
    std::printf("fuzz --seed %llu --call %lld: %s: %s\n", static_cast<unsigned long long>(options.seed),
                static_cast<long long>(shared.call), shared.text, complaint.c_str());
    std::fflush(stdout);
}
void describe_to(Shared &shared, const std::string &text) {
    std::snprintf(shared.text, sizeof shared.text, "%s", text.c_str());
}

std::string make_call(xbatchHandle_t handle, const Fuzzed &fuzzed, Dice &dice, Shared &shared) {
    xbatchSetThreadCount(handle, 1);
    describe_to(shared, fuzzed.name);
    if (!fuzzed.routine) return fuzzed.build(handle, dice);
    const size_t letter = std::string("sdcz").find(fuzzed.name[0]);
    const auto drawn_type = dice.choose<xbatchDataType_t>(3);
    const auto type = letter == std::string::npos ? drawn_type : xbatchDataType_t(letter);
    const Routine *const query = query_of(fuzzed);
    const bool is_query = query && dice.one_in(16);
    Call call(is_query ? *query : *fuzzed.routine, handle, type, dice.seed());
    fuzzed.draw(call);
    if (is_query) call.out<size_t>("bytes", side_by_side(1, 0));
    describe_to(shared, call.routine.name + described(call));
    return verdict_of(call, shared.tally);
}

// Makes calls from `first` on, in the child
int run_calls(const Options &options, int64_t first, Shared &shared, double deadline) {
    xbatchHandle_t handle = nullptr;
    if (xbatchCreate(&handle, XBATCH_BACKEND_HOST) != XBATCH_STATUS_SUCCESS) return 1;
    for (int64_t k = first; k < options.first + options.calls && shared.failures < most_failures; ++k) {
        if (deadline > 0 && seconds_now() > deadline) break;
        Dice dice(options.seed * 0x9e3779b97f4a7c15 + uint64_t(k));
        const Fuzzed &fuzzed = dice.of(fuzzed_routines());
        shared.call = k;
        if (fuzzed.name.find(options.routine) == std::string::npos) continue;
        alarm(unsigned(seconds_of_a_call));
        const double start = seconds_now();
        const std::string complaint = make_call(handle, fuzzed, dice, shared);
        ++shared.done;
        if (!complaint.empty()) ++shared.failures, report(options, shared, complaint);
        if (options.is_verbose && complaint.empty())
            std::printf("%lld: %s: right, %.1f ms\n", static_cast<long long>(k), shared.text,
                        (seconds_now() - start) * 1e3);
    }
    xbatchDestroy(handle);
    return 0;
}

std::string end_of(int status) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "the call does not end";
    if (WIFSIGNALED(status)) return std::string("the call ends the process: ") + strsignal(WTERMSIG(status));
    return "the call ends the process with exit status " + std::to_string(WEXITSTATUS(status));
}

int fuzz(const Options &options) {
    void *const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    Shared &shared = *new (memory) Shared{};
    const double start = seconds_now(), deadline = options.seconds > 0 ? start + double(options.seconds) : 0;
    for (int64_t next = options.first; shared.failures < most_failures; next = shared.call + 1) {
        std::fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            const int result = run_calls(options, next, shared, deadline);
            std::fflush(stdout);
            _exit(result);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child) return 1;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
        ++shared.failures;
        report(options, shared, end_of(status));
    }
    const Tally &t = shared.tally;
    std::printf(
        "%lld calls in %.1f s: %lld valid, %lld refused, %lld with a system spoilt, %lld on several threads; "
        "%lld failures\n",
        static_cast<long long>(shared.done), seconds_now() - start, static_cast<long long>(t.valid),
        static_cast<long long>(t.refused), static_cast<long long>(t.poisoned), static_cast<long long>(t.threaded),
        static_cast<long long>(shared.failures));
    return shared.failures > 0 || shared.done == 0;
}

// False for an invalid option
bool read_options(int argc, char **argv, Options &options) {
    for (int k = 1; k < argc; ++k) {
        const std::string name = argv[k];
        if (name == "--verbose") {
            options.is_verbose = true;
            continue;
        }
        if (k + 1 == argc) return false;
        const std::string value = argv[++k];
        const int64_t number = std::strtoll(value.c_str(), nullptr, 10);
        if (name == "--seed")
            options.seed = std::strtoull(value.c_str(), nullptr, 10);
        else if (name == "--calls")
            options.calls = number;
        else if (name == "--call")
            options.first = number, options.calls = 1, options.is_verbose = true;
        else if (name == "--routine")
            options.routine = value;
        else if (name == "--seconds")
            options.seconds = number;
        else
            return false;
    }
    return true;
}

}  // namespace
}  // namespace xbatch_test

int main(int argc, char **argv) {
    xbatch_test::Options options;
    if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(xbatch_test::usage, stdout), 0;
    if (!xbatch_test::read_options(argc, argv, options)) return std::fputs(xbatch_test::usage, stderr), 2;
    return xbatch_test::fuzz(options);
}
