// session.cpp: see session.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bench {
namespace {

// A peer whose error exceeds our bound by this factor was called wrongly or failed: it gets no figures.
constexpr double peer_allowance = 100;

std::string name_of(const Case &c, xbatchBackend_t backend) {
    std::string name = c.family + "/" + letter(c.type) + c.routine + "/" +
                       (backend == XBATCH_BACKEND_CUDA ? "cuda" : "host") + "/" + c.layout +
                       "/n=" + std::to_string(c.n) + "/nrhs=" + std::to_string(c.nrhs) +
                       "/batch=" + std::to_string(c.batch);
    if (!c.variant.empty()) name += "/" + c.variant;
    return name;
}

// A routine that the backend does not have.
struct NotSupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A field of a CSV file, quoted if necessary.
std::string field(const std::string &text) { return text.find(',') == std::string::npos ? text : '"' + text + '"'; }

std::string number(double value, const char *format) {
    if (std::isnan(value)) return "nan";
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

}  // namespace

const char *layout_name(xbatchLayout_t layout) {
    constexpr const char *names[] = {"flat", "interleaved", "block"};
    return names[layout];
}

double roundoff(xbatchDataType_t type) { return is_double(type) ? 0x1p-53 : 0x1p-24; }

void write_header(std::FILE *csv) {
    std::fputs(
        "family,routine,type,backend,layout,m,n,nrhs,batch,variant,peer,ms,ms_min,ms_max,peer_ms,peer_ms_min,"
        "peer_ms_max,speedup,bytes,of_copy,gflops,error,peer_error,workspace,peer_workspace,device,commit\n",
        csv);
}

Session::Session(const Options &options, xbatchBackend_t backend, const std::optional<Machine> &machine, std::FILE *csv)
    : options_(options), backend_(backend), machine_(machine), csv_(csv) {
    if (!machine_) return;
    check(xbatchCreate(&handle_, backend_));
    measure_copy_rate();
}

Session::~Session() { xbatchDestroy(handle_); }

int64_t Session::elements(xbatchDataType_t type) const {
    const int64_t full = on_cuda() ? int64_t(1) << 29 : int64_t(1) << 27;  // 512 and 128 MiB: 2^26 and 2^24 doubles
    return (options_.quick ? full / 64 : full) / int64_t(element_size(type));
}

void Session::measure_copy_rate() {
    const int64_t count = elements(XBATCH_R_64F), bytes = count * int64_t(sizeof(double));
    const Memory from = random_array(*machine_, XBATCH_R_64F, count, 0, 1, 1);
    const Memory to = random_array(*machine_, XBATCH_R_64F, count, 0, 1, 2);
    const double ms = machine_->time([] {}, [&] { machine_->copy(to.get(), from.get(), size_t(bytes)); }, {}).median;
    copy_rate_ = 2.0 * double(bytes) / (ms * 1e-3);
    std::printf("# %s: a copy of %.0f MiB reads and writes %.1f GB/s\n", machine_->name.c_str(),
                double(bytes) / (1 << 20), copy_rate_ * 1e-9);
}

void Session::check(xbatchHandle_t handle, xbatchStatus_t status) {
    if (status == XBATCH_STATUS_SUCCESS) return;
    const std::string said = handle ? xbatchGetLastErrorMessage(handle) : "";
    const std::string message = said.empty() ? xbatchGetStatusString(status) : said;
    if (status == XBATCH_STATUS_NOT_SUPPORTED) throw NotSupported(message);
    throw std::runtime_error(message);
}

void Session::attempt(const Case &which, const Action &body) {
    const std::string name = name_of(which, backend_);
    if (options_.filter && !std::regex_search(name, *options_.filter)) return;
    std::printf("%s\n", name.c_str());
    if (options_.list) return;
    const double ms = host_ms([&] {
        try {
            body();
        } catch (const NotSupported &absent) {
            std::printf("    skipped: %s\n", absent.what());
        } catch (const std::exception &failure) {
            ++failures_;
            std::printf("    FAILED: %s\n", failure.what());
        }
    });
    std::printf("    total %.2f s\n", ms * 1e-3);
    std::fflush(stdout);
}

Session::Figures Session::figures(const Run &run) const {
    const Milliseconds all = machine_->time(run.restore, run.call, {run.waited, options_.quick});
    const Milliseconds one = {all.median / run.jobs, all.least / run.jobs, all.most / run.jobs};
    return {one, run.error(), run.workspace};
}

std::vector<double> Session::measure(const Case &which, const Run &run, const std::vector<Peer> &peers, double bound) {
    const Figures ours = figures(run);
    std::printf("    %10.4f ms  %6.3f x copy bandwidth  error %.1e\n", ours.ms.median,
                which.bytes / (ours.ms.median * 1e-3) / copy_rate_, ours.error);
    if (!(ours.error <= bound)) {
        ++failures_;
        std::printf("    FAILED: the error must be at most %.1e\n", bound);
    }
    if (peers.empty() || !options_.peers) write(which, ours, "", {});
    std::vector<double> times = {ours.ms.median};
    for (const Peer &peer : peers) {
        const Figures theirs = options_.peers ? peer_figures(peer, ours.ms.median, bound) : Figures();
        if (options_.peers) write(which, ours, peer.name, theirs);
        times.push_back(theirs.ms.median);
    }
    return times;
}

Session::Figures Session::peer_figures(const Peer &peer, double ms, double bound) const {
    try {
        const Figures theirs = figures(peer.start());
        std::printf("    %10.4f ms  %6.2f times  %s, error %.1e\n", theirs.ms.median, theirs.ms.median / ms,
                    peer.name.c_str(), theirs.error);
        if (theirs.error <= peer_allowance * bound) return theirs;
        std::printf("    this peer's result is wrong: no figures\n");
    } catch (const std::exception &failure) {
        std::printf("    %s: no figures: %s\n", peer.name.c_str(), failure.what());
    }
    return {};
}

void Session::write(const Case &c, const Figures &ours, const std::string &peer, const Figures &theirs) {
    const double seconds = ours.ms.median * 1e-3;
    const auto optional = [](double value, const char *format) {
        return std::isnan(value) ? std::string() : number(value, format);
    };
    const std::string fields[] = {c.family,
                                  c.routine,
                                  std::string(1, letter(c.type)),
                                  on_cuda() ? "cuda" : "host",
                                  c.layout,
                                  std::to_string(c.n),
                                  std::to_string(c.n),
                                  std::to_string(c.nrhs),
                                  std::to_string(c.batch),
                                  c.variant,
                                  peer,
                                  number(ours.ms.median, "%.6g"),
                                  number(ours.ms.least, "%.6g"),
                                  number(ours.ms.most, "%.6g"),
                                  optional(theirs.ms.median, "%.6g"),
                                  optional(theirs.ms.least, "%.6g"),
                                  optional(theirs.ms.most, "%.6g"),
                                  optional(theirs.ms.median / ours.ms.median, "%.4g"),
                                  number(c.bytes, "%.0f"),
                                  number(c.bytes / seconds / copy_rate_, "%.4g"),
                                  number(c.flops / seconds * 1e-9, "%.4g"),
                                  number(ours.error, "%.3g"),
                                  optional(theirs.error, "%.3g"),
                                  std::to_string(ours.workspace),
                                  std::isnan(theirs.ms.median) ? std::string() : std::to_string(theirs.workspace),
                                  machine_->name,
                                  options_.commit};
    for (const std::string &text : fields) std::fprintf(csv_, "%s%s", &text == fields ? "" : ",", field(text).c_str());
    std::fputc('\n', csv_);
    std::fflush(csv_);
}

}  // namespace bench
