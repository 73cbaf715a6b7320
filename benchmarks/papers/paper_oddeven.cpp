// paper_oddeven.cpp: the experiments of "Parallelization of an Odd-Even Solver Using CUDA" (Lin, Chen Wu): odd-even
// reduction compared with sequential solvers and dense LU, and the crossover size of a GPU.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "data/residual.hpp"
#include "peers/dense_lu.hpp"
#include "session.hpp"

namespace bench {
namespace {

constexpr auto D = XBATCH_R_64F;
constexpr int64_t longest_on_host = 1000000, largest_dense = 10000;

// The paper's example: x_{i-1} + 4 x_i + x_{i+1} = i for i = 1 … n, x_0 = x_{n+1} = 0. Its solution is
//   x_i = i/6 - (n+1)/6 (r^(n+1-i) - r^(n+1+i)) / (1 - r^(2n+2)),   r = sqrt(3) - 2,
// since r + 1/r = -4; powers beyond 200 are below the smallest number of interest.
long double exact(int64_t i, int64_t n) {
    const long double r = std::sqrt(3.0L) - 2;
    const auto power = [r](int64_t k) { return k > 200 ? 0 : std::pow(r, static_cast<long double>(k)); };
    const long double end = (power(n + 1 - i) - power(n + 1 + i)) / (1 - power(2 * n + 2));
    return (static_cast<long double>(i) - static_cast<long double>(n + 1) * end) / 6;
}

// Largest difference of any entry from the exact solution, relative to the entry; all are positive.
double error_of(const Machine &machine, const void *x, int64_t n) {
    constexpr int64_t piece = 1 << 20;
    double worst = 0;
    for (int64_t begin = 0; begin < n; begin += piece) {
        const int64_t count = std::min(piece, n - begin);
        const auto found = gathered<long double>(machine, D, x, begin, 1, count);
#pragma omp parallel for reduction(max : worst) if (count == piece)
        for (int64_t k = 0; k < count; ++k) {
            const long double expected = exact(begin + k + 1, n);
            const double difference = double(std::abs(found[size_t(k)] - expected) / expected);
            worst = std::max(worst, std::isnan(difference) ? HUGE_VAL : difference);
        }
    }
    return worst;
}

// The example in a machine's memory, and a handle for it.
struct Place {
    Machine machine;
    xbatchHandle_t handle = nullptr;
    int64_t n;
    Memory dl, d, du, b0, b;

    Place(const Machine &on, int64_t rows, int threads)
        : machine(on),
          n(rows),
          dl(random_array(on, D, rows, 1, 1, 0)),
          d(random_array(on, D, rows, 4, 4, 0)),
          du(random_array(on, D, rows, 1, 1, 0)),
          b0(on, size_t(rows) * sizeof(double)),
          b(on, size_t(rows) * sizeof(double)) {
        Session::check(nullptr, xbatchCreate(&handle, on.backend));
        if (threads > 0) Session::check(handle, xbatchSetThreadCount(handle, threads));
        const Memory right(host_machine(), bytes());
        for (int64_t i = 0; i < n; ++i) static_cast<double *>(right.get())[i] = double(i + 1);
        machine.copy(b0.get(), right.get(), bytes());
    }
    Place(const Place &) = delete;
    Place &operator=(const Place &) = delete;
    ~Place() { xbatchDestroy(handle); }

    size_t bytes() const { return size_t(n) * sizeof(double); }
    void restore() const { machine.copy(b.get(), b0.get(), bytes()); }
    double error() const { return error_of(machine, b.get(), n); }
};

struct Routine {
    const char *name;
    decltype(&xgtsvPscheme) solve;
    decltype(&xgtsvPscheme_bufferSize) size;
};
constexpr Routine oddeven = {"gtsvOddEven", xgtsvOddEven, xgtsvOddEven_bufferSize};
constexpr Routine thomas = {"gtsvThomas", xgtsvThomas, xgtsvThomas_bufferSize};
constexpr Routine pivoted = {"gtsvBatch", xgtsvBatch, xgtsvBatch_bufferSize};

using Shared = std::shared_ptr<const Place>;

// A routine of the library on a machine; `waited`: see Timing.
Run run_at(const Shared &place, const Routine &routine, bool waited) {
    size_t bytes = 0;
    Session::check(place->handle, routine.size(place->handle, D, XBATCH_LAYOUT_FLAT, place->n, 1, 1, &bytes));
    const auto space = std::make_shared<Memory>(place->machine, bytes);
    const auto info = std::make_shared<Memory>(place->machine, sizeof(int32_t));
    const auto call = [=] {
        const int64_t n = place->n;
        Session::check(place->handle, routine.solve(place->handle, D, XBATCH_LAYOUT_FLAT, n, 1, 1, place->dl.get(),
                                                    place->d.get(), place->du.get(), n, place->b.get(), n,
                                                    static_cast<int32_t *>(info->get()), space->get(), bytes));
    };
    return {[=] { place->restore(); }, call, [=] { return place->error(); }, bytes, waited};
}

// The same for data on the host: four arrays are copied to the device and one back.
Run run_for_host(const Shared &place, const Shared &host, const Routine &routine) {
    const Run inside = run_at(place, routine, true);
    const auto call = [=] {
        const size_t bytes = place->bytes();
        const auto there = [&](const Memory &to, const Memory &from) {
            place->machine.copy(to.get(), from.get(), bytes);
        };
        there(place->dl, host->dl), there(place->d, host->d), there(place->du, host->du), there(place->b, host->b0);
        inside.call();
        place->machine.copy(host->b.get(), place->b.get(), bytes);
    };
    return {[] {}, call, [=] { return host->error(); }, inside.workspace, true};
}

// Writes the dense matrix of the example again before each call.
Run dense_run(const Shared &place, Call (*solver)(const Dense &)) {
    const int64_t n = place->n;
    const size_t bytes = size_t(n * n) * sizeof(double);
    const auto matrix = std::make_shared<Memory>(place->machine, bytes);
    const auto entries = std::make_shared<std::vector<double>>(size_t(n * n));
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = std::max<int64_t>(i - 1, 0); k < std::min(i + 2, n); ++k)
            (*entries)[size_t(i * n + k)] = i == k ? 4 : 1;
    const auto restore = [=] {
        place->machine.copy(matrix->get(), entries->data(), bytes);
        place->restore();
    };
    const Call call = solver({n, static_cast<double *>(matrix->get()), static_cast<double *>(place->b.get())});
    return {restore, call.run, [=] { return place->error(); }, call.workspace};
}

Run lapack_dense_run(int64_t n) {
    constexpr int64_t sample = 1000;
    constexpr double patience_ms = 30000;
    const auto host = [](int64_t rows) { return std::make_shared<const Place>(host_machine(), rows, 0); };
    if (n > sample) {
        const Run small = dense_run(host(sample), lapack_solve);
        small.restore();
        const double ms = host_ms(small.call) * std::pow(double(n) / double(sample), 3);
        if (ms > patience_ms) throw std::runtime_error("would take " + std::to_string(int(ms * 1e-3)) + " s");
    }
    Run run = dense_run(host(n), lapack_solve);
    run.waited = true;
    return run;
}

Case describe(const Routine &routine, int64_t n, const char *variant) {
    return {"paper_oddeven", routine.name, D, "flat", n, 1, 1, variant, 5.0 * double(n) * sizeof(double),
            8.0 * double(n)};
}

std::vector<Peer> paper_peers(const Session &session, int64_t n) {
    const auto on_host = [n](const Routine &routine) {
        return [n, &routine] { return run_at(std::make_shared<const Place>(host_machine(), n, 1), routine, true); };
    };
    std::vector<Peer> peers;
    if (n <= longest_on_host) {
        if (session.on_cuda()) peers.push_back({"gtsvOddEven on the host (1 thread)", on_host(oddeven)});
        peers.push_back({"gtsvThomas on the host (1 thread)", on_host(thomas)});
    }
    if (n <= largest_dense) {
        peers.push_back({"dense LU, LAPACK", [n] { return lapack_dense_run(n); }});
#ifdef BENCH_HAVE_CUDA
        if (session.on_cuda())
            peers.push_back({"dense LU, cuSOLVER", [n, &session] {
                                 return dense_run(std::make_shared<const Place>(session.machine(), n, 0),
                                                  cusolver_solve);
                             }});
#endif
    }
    return peers;
}

void paper_sizes(Session &session) {
    const bool cuda = session.on_cuda();
    for (const int64_t n : {100, 1000, 10000, 1000000, 100000000}) {
        if (n > (cuda && !session.quick() ? 100000000 : longest_on_host)) continue;
        const Case which = describe(oddeven, n, cuda ? "" : "1 thread");
        session.attempt(which, [&] {
            const auto place = std::make_shared<const Place>(session.machine(), n, cuda ? 0 : 1);
            session.measure(which, run_at(place, oddeven, false), paper_peers(session, n), solve_bound * roundoff(D));
        });
    }
}

// Times of the device and of the host at growing sizes.
struct Race {
    std::vector<double> n, device, host;
};

// Between sizes k-1 and k: the crossing of both curves, linear in the logarithms.
double crossing(const Race &race, size_t k) {
    const double before = std::log(race.device[k - 1] / race.host[k - 1]);
    const double after = std::log(race.device[k] / race.host[k]);
    return race.n[k - 1] * std::pow(race.n[k] / race.n[k - 1], before / (before - after));
}

void print_crossover(const char *what, const Race &race) {
    if (race.n.size() < 2) return;
    std::string sizes;
    bool ahead = false;
    for (size_t k = 0; k < race.n.size(); ++k) {
        if ((race.device[k] < race.host[k]) == ahead) continue;
        const std::string n = std::to_string(int64_t(k == 0 ? race.n[0] : crossing(race, k)));
        sizes += ahead ? " to " + n : (sizes.empty() ? "from n = " : ", from n = ") + n;
        ahead = !ahead;
    }
    std::printf("# crossover: %s: the device is ahead %s%s\n", what, sizes.empty() ? "nowhere" : sizes.c_str(),
                ahead ? " on" : "");
}

// One system on the device, until the result is available, compared with a host solver: for data on the device and
// for data on the host.
void race(Session &session, const Routine &routine, const Routine &rival, int threads) {
    constexpr int64_t least = 1 << 6, most = 1 << 20;
    const std::string name = std::string(rival.name) + " on the host" + (threads == 1 ? " (1 thread)" : "");
    for (const bool data_on_host : {false, true}) {
        Race figures;
        const char *const variant = data_on_host ? "waited, data on the host" : "waited";
        for (int64_t n = least; n <= most; n *= 2) {
            const Case which = describe(routine, n, variant);
            session.attempt(which, [&] {
                const auto device = std::make_shared<const Place>(session.machine(), n, 0);
                const auto host = std::make_shared<const Place>(host_machine(), n, threads);
                const Run ours = data_on_host ? run_for_host(device, host, routine) : run_at(device, routine, true);
                const auto times = session.measure(which, ours, {{name, [&] { return run_at(host, rival, true); }}},
                                                   solve_bound * roundoff(D));
                if (std::isnan(times[1])) return;
                figures.n.push_back(double(n));
                figures.device.push_back(times[0]);
                figures.host.push_back(times[1]);
            });
        }
        print_crossover((std::string(routine.name) + " against " + name + ", " + variant).c_str(), figures);
    }
}

}  // namespace

Call lapack_solve(const Dense &p) {
    const auto pivots = std::make_shared<std::vector<lapack_int>>(size_t(p.n));
    return {[=] {
        LAPACKE_dgesv_work(LAPACK_COL_MAJOR, lapack_int(p.n), 1, p.matrix, lapack_int(p.n), pivots->data(), p.x,
                           lapack_int(p.n));
    }};
}

void paper_oddeven(Session &session) {
    paper_sizes(session);
    if (!session.on_cuda()) return;
    race(session, oddeven, thomas, 1);
    race(session, pivoted, pivoted, 0);
}

}  // namespace bench
