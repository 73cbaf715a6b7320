// main.cpp: xbatch_bench, which measures every routine and its peers and writes one row for each case and peer.
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "session.hpp"

namespace {

using Family = void (*)(bench::Session &);
const std::map<std::string, Family> families = {
    {"rearrange", bench::rearrange},
    {"recurrence", bench::recurrence},
    {"tridiagonal", bench::tridiagonal},
    {"factored", bench::factored},
    {"shifted", bench::shifted},
    {"strided", bench::strided},
    {"vbatch", bench::vbatch},
    {"distributed", bench::distributed},
    {"sizes", bench::sizes},
    {"hines", bench::hines},
    {"hines_cells", bench::hines_cells},
    {"qr", bench::qr},
    {"qr_batch", bench::qr_batch},
    {"qr_sizes", bench::qr_sizes},
    {"task_graph", bench::task_graph},
    {"paper_oddeven", bench::paper_oddeven},
    {"paper_hines", bench::paper_hines},
    {"paper_qr", bench::paper_qr},
#ifdef BENCH_HAVE_CUDA
    {"paper_pscheme", bench::paper_pscheme},
#endif
};

struct Arguments {
    std::vector<std::string> families;
    std::string backend, filter, csv;
    bool without_peers = false;
    bench::Options options;
};

void describe(CLI::App &app, Arguments &a) {
    app.failure_message(CLI::FailureMessage::help);
    app.set_version_flag("--version", [] {
        int version = 0;
        xbatchGetVersion(&version);
        return "xbatch_bench (xbatch) " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
               "." + std::to_string(version % 100) + ", commit " BENCH_COMMIT;
    });
    a.options.commit = BENCH_COMMIT;
    a.options.swc = BENCH_SWC;
    app.add_option("--family", a.families, "only these families")->delimiter(',')->check(CLI::IsMember(families));
    app.add_option("--backend", a.backend, "only this backend; without it every one that works")
        ->check(CLI::IsMember({"host", "cuda"}));
    app.add_option("--filter", a.filter, "only cases whose name, as --list prints it, matches this regular expression");
    auto *csv = app.add_option("--csv", a.csv, "write the rows to this file");
    auto *list = app.add_flag("--list", a.options.list, "print the names of the cases and stop");
    app.add_flag("--quick", a.options.quick,
                 "a 64th of the data, each call once, to check that all cases run; times are not meaningful");
    app.add_flag("--no-peers", a.without_peers, "time only xbatch");
    app.add_option(
           "--swc", a.options.swc,
           "folder of real neurons: table1_cases/case1.txt …, large/*.swc, and any *.swc for hines_cells; without "
           "it, generated ones")
        ->envname("XBATCH_SWC")
        ->capture_default_str();
    app.add_option("--commit", a.options.commit, "the commit to write into the rows")->capture_default_str();
    csv->excludes(list);
}

// The number of failures on one backend.
int measure(const Arguments &a, xbatchBackend_t backend, const std::optional<bench::Machine> &machine, std::FILE *csv) {
    bench::Session session(a.options, backend, machine, csv);
    for (const auto &[name, run] : families)
        if (a.families.empty() || std::count(a.families.begin(), a.families.end(), name)) run(session);
    return session.failures();
}

int run(const Arguments &a) {
    std::FILE *csv = nullptr;
    if (!a.options.list) {
        csv = std::fopen(a.csv.c_str(), "w");
        if (!csv) {
            std::perror(a.csv.c_str());
            return 2;
        }
        bench::write_header(csv);
    }
    int failures = 0;
    for (const xbatchBackend_t backend : {XBATCH_BACKEND_HOST, XBATCH_BACKEND_CUDA}) {
        const bool cuda = backend == XBATCH_BACKEND_CUDA;
        if (!a.backend.empty() && a.backend != (cuda ? "cuda" : "host")) continue;
        std::optional<bench::Machine> machine;
        if (!a.options.list) machine = cuda ? bench::cuda_machine() : bench::host_machine();
        if (a.options.list || machine)
            failures += measure(a, backend, machine, csv);
        else if (!a.backend.empty()) {
            std::fprintf(stderr, "xbatch_bench: no CUDA device works, or this build is without CUDA\n");
            ++failures;
        }
    }
    if (csv && std::fclose(csv) != 0) {
        std::perror(a.csv.c_str());
        return 2;
    }
    if (failures) std::fprintf(stderr, "xbatch_bench: %d failures\n", failures);
    return failures ? 1 : 0;
}

}  // namespace

int main(int argc, char **argv) {
    CLI::App app("Measures xbatch and its peers on the same inputs in the same run.");
    Arguments a;
    describe(app, a);
    try {
        app.parse(argc, argv);
        if (!a.options.list && a.csv.empty()) throw CLI::RequiredError("--csv or --list");
    } catch (const CLI::ParseError &end) {  // also of --help and --version
        return app.exit(end) == 0 ? 0 : 2;
    }
    a.options.peers = !a.without_peers;
    try {
        if (!a.filter.empty()) a.options.filter.emplace(a.filter);
        return run(a);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "xbatch_bench: %s\n", failure.what());
        return 2;
    }
}
