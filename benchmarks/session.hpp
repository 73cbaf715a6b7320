// session.hpp: which cases run, how each is measured beside its peers, what becomes a row of the CSV file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "machine.hpp"

namespace bench {

struct Options {
    std::optional<std::regex> filter;
    bool list = false, quick = false, peers = true;
    std::string commit;
};

struct Case {
    std::string family, routine;
    xbatchDataType_t type;
    std::string layout;
    int64_t n, nrhs, batch;
    std::string variant;
    double bytes, flops;  // the fewest bytes that the job must move; operations of the plain algorithm
};

// One thing to time: ours or a peer.
struct Run {
    Action restore, call;
    std::function<double()> error;  // of what `call` left behind
};

struct Peer {
    std::string name;
    std::function<Run()> start;  // takes the peer's own memory, which lives as long as the Run
};

class Session {
public:
    // The machine is absent where cases are only listed.
    Session(const Options &options, xbatchBackend_t backend, const std::optional<Machine> &machine, std::FILE *csv);
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;
    ~Session();

    xbatchBackend_t backend() const { return backend_; }
    bool on_cuda() const { return backend_ == XBATCH_BACKEND_CUDA; }
    const Machine &machine() const { return *machine_; }
    xbatchHandle_t handle() const { return handle_; }
    int failures() const { return failures_; }

    // Elements of one array of a large case: beyond the last cache.
    int64_t elements(xbatchDataType_t type) const;

    // Runs `body`, which calls measure once, where options ask for this case; a failure is counted and told.
    void attempt(const Case &which, const Action &body);

    // Times ours and each peer and writes the rows; an error of ours above `bound`, or NaN, counts as a failure.
    void measure(const Case &which, const Run &ours, const std::vector<Peer> &peers, double bound);

    void check(xbatchStatus_t status) const;  // throws what the handle says of a failed call

private:
    void measure_copy_rate();
    double peer_time(const Peer &peer, double ms, double bound) const;  // NaN where the peer fails or is wrong
    void write(const Case &which, const std::string &peer, double ms, double peer_ms, double error);

    Options options_;
    xbatchBackend_t backend_;
    std::optional<Machine> machine_;
    std::FILE *csv_;
    xbatchHandle_t handle_ = nullptr;
    double copy_rate_ = 0;  // bytes read and written a second
    int failures_ = 0;
};

const char *layout_name(xbatchLayout_t layout);
void write_header(std::FILE *csv);
double roundoff(xbatchDataType_t type);

// The families, one file each.
void rearrange(Session &session);
void recurrence(Session &session);
void tridiagonal(Session &session);

}  // namespace bench
