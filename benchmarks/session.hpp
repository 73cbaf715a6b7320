// session.hpp: which cases run, how each and its peers are measured, and the rows of the CSV file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
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
    std::string swc;  // folder of real neurons; may be absent
};

struct Case {
    std::string family, routine;
    xbatchDataType_t type;
    std::string layout;
    int64_t n, nrhs, batch;
    std::string variant;
    double bytes, flops;  // the fewest bytes that the job must move; operations of the sequential algorithm
};

// One thing to time: ours or a peer.
struct Run {
    Action restore, call;
    std::function<double()> error;  // of the results of `call`
    size_t workspace = 0;           // bytes
    bool waited = false;            // how it is timed
    int jobs = 1;                   // that `call` does in sequence; the time is that of one
};

struct Peer {
    std::string name;
    std::function<Run()> start;  // takes the peer's own memory, which lives as long as the Run
};

class Session {
public:
    // There is no machine if cases are only listed.
    Session(const Options &options, xbatchBackend_t backend, const std::optional<Machine> &machine, std::FILE *csv);
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;
    ~Session();

    xbatchBackend_t backend() const { return backend_; }
    bool on_cuda() const { return backend_ == XBATCH_BACKEND_CUDA; }
    const Machine &machine() const { return *machine_; }
    xbatchHandle_t handle() const { return handle_; }
    int failures() const { return failures_; }

    bool quick() const { return options_.quick; }
    const std::string &swc() const { return options_.swc; }

    // Elements of one array of a large case: beyond the last cache.
    int64_t elements(xbatchDataType_t type) const;

    // Runs `body`, which calls measure, if options select this case. A failure is counted and reported; a routine that
    // this backend does not have is only reported.
    void attempt(const Case &which, const Action &body);

    // Times xbatch and each peer and writes the rows; an error of xbatch above `bound`, or NaN, counts as a failure.
    // Returns the times in milliseconds, xbatch first, NaN for a peer without one.
    std::vector<double> measure(const Case &which, const Run &ours, const std::vector<Peer> &peers, double bound);

    void check(xbatchStatus_t status) const { check(handle_, status); }
    static void check(xbatchHandle_t handle, xbatchStatus_t status);  // throws the handle's message if the call failed

private:
    void measure_copy_rate();
    struct Figures {
        Milliseconds ms;
        double error = NAN;
        size_t workspace = 0;
    };
    Figures figures(const Run &run) const;
    Figures peer_figures(const Peer &peer, double ms, double bound) const;  // NaN if the peer fails or is wrong
    void write(const Case &which, const Figures &ours, const std::string &peer, const Figures &theirs);

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
void factored(Session &session);
void shifted(Session &session);
void strided(Session &session);
void vbatch(Session &session);
void distributed(Session &session);
void sizes(Session &session);
void hines(Session &session);
void hines_cells(Session &session);
void qr(Session &session);
void qr_batch(Session &session);
void qr_sizes(Session &session);
void task_graph(Session &session);
void task_graph_cuda(Session &session);
void paper_pscheme(Session &session);
void paper_oddeven(Session &session);
void paper_hines(Session &session);
void paper_qr(Session &session);

}  // namespace bench
