// tridiagonal_vbatch.cpp: tridiagonal systems of different lengths; peers: LAPACK in a loop, and cuSPARSE on one long
// system.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <algorithm>
#include <memory>

#include "data/residual.hpp"
#include "peers/baselines.hpp"
#include "tridiagonal.hpp"

namespace bench {
namespace {

constexpr auto D = XBATCH_R_64F;

using Mix = VBatchShape;

// Random lengths until all rows are used; the coefficients that lead out of a system are zero, so that a peer may
// solve all of them as one system.
struct Data {
    std::vector<int64_t> offsets;
    Memory on_machine, dl, d, du, b0, b;
    size_t bytes;  // of B
    int64_t rows() const { return offsets.back(); }
    int64_t batch() const { return int64_t(offsets.size()) - 1; }
};

std::vector<int64_t> draw(const Mix &mix, int64_t rows) {
    constexpr uint32_t seed = 5;
    std::vector<int64_t> offsets = {0};
    for (uint64_t j = 0; offsets.back() + mix.most <= rows || j == 0; ++j)
        offsets.push_back(offsets.back() + mix.least +
                          int64_t(random_number(j, seed) * double(mix.most - mix.least + 1)));
    return offsets;
}

Memory carried(const Machine &machine, const void *from, size_t bytes) {
    Memory memory(machine, bytes);
    machine.copy(memory.get(), from, bytes);
    return memory;
}

// Coefficients below or above the diagonal, without those of each system's first or last row.
Memory couplings(const Machine &machine, const std::vector<int64_t> &offsets, bool below, uint32_t seed) {
    const Machine host = host_machine();
    const Memory values = random_array(host, D, offsets.back(), -1, 1, seed);
    double *const data = static_cast<double *>(values.get());
    for (size_t j = 0; j + 1 < offsets.size(); ++j) data[below ? offsets[j] : offsets[j + 1] - 1] = 0;
    return carried(machine, data, size_t(offsets.back()) * sizeof(double));
}

Data data_for(const Session &session, const Mix &mix) {
    const Machine &machine = session.machine();
    std::vector<int64_t> offsets = draw(mix, session.elements(D) / mix.nrhs);
    const int64_t rows = offsets.back(), all = rows * mix.nrhs;
    Memory on_machine = carried(machine, offsets.data(), offsets.size() * sizeof(int64_t));
    Memory dl = couplings(machine, offsets, true, 1), du = couplings(machine, offsets, false, 3);
    return {std::move(offsets),
            std::move(on_machine),
            std::move(dl),
            random_array(machine, D, rows, 2.5, 4, 2),
            std::move(du),
            random_array(machine, D, all, -1, 1, 4),
            random_array(machine, D, all, -1, 1, 4),
            size_t(all) * sizeof(double)};
}

// The whole batch as one system, whose dl and du are zero where a system ends.
Gtsv joined(const Data &data, const Mix &mix) {
    const int64_t n = data.rows();
    return {D, XBATCH_LAYOUT_FLAT, n, mix.nrhs, 1, data.dl.get(), data.d.get(), data.du.get(), n, data.b.get(), n};
}

// System j alone.
Gtsv part(const Data &data, const Mix &mix, int64_t j) {
    const int64_t first = data.offsets[size_t(j)];
    Gtsv p = joined(data, mix);
    p.n = data.offsets[size_t(j) + 1] - first;
    p.dl = advanced(p.dl, first, D), p.d = advanced(p.d, first, D), p.du = advanced(p.du, first, D);
    p.b = advanced(p.b, first, D);
    return p;
}

double error_of(const Machine &machine, const Data &data, const Mix &mix) {
    constexpr int64_t most = 64;
    const int64_t systems = std::min(most, data.batch());
    double worst = 0;
    for (int64_t k = 0; k < systems; ++k) {
        const int64_t j = systems == 1 ? 0 : k * (data.batch() - 1) / (systems - 1);
        const Gtsv p = part(data, mix, j);
        worst = std::max(worst, error_of(machine, p, advanced(data.b0.get(), data.offsets[size_t(j)], D)));
    }
    return worst;
}

// Three coefficients, and each right-hand side read and written; the offsets.
Case describe(const Session &session, const Mix &mix) {
    const std::vector<int64_t> offsets = draw(mix, session.elements(D) / mix.nrhs);
    const double rows = double(offsets.back()), nrhs = double(mix.nrhs);
    return {mix.family,
            "gtsvVBatch",
            D,
            "flat",
            mix.most,
            mix.nrhs,
            int64_t(offsets.size()) - 1,
            "n=" + std::to_string(mix.least) + "..." + std::to_string(mix.most),
            ((3 + 2 * nrhs) * rows + double(offsets.size())) * sizeof(double),
            (3 + 5 * nrhs) * rows};
}

Run our_run(const Session &session, const Data &data, const Mix &mix) {
    const Machine &machine = session.machine();
    size_t bytes = 0;
    session.check(xgtsvVBatch_bufferSize(session.handle(), D, mix.nrhs, data.batch(), mix.most, &bytes));
    const auto space = std::make_shared<Memory>(machine, bytes);
    const auto info = std::make_shared<Memory>(machine, size_t(data.batch()) * sizeof(int32_t));
    const auto call = [=, &session, &data] {
        session.check(xgtsvVBatch(session.handle(), D, mix.nrhs, data.batch(), mix.most,
                                  static_cast<const int64_t *>(data.on_machine.get()), data.dl.get(), data.d.get(),
                                  data.du.get(), data.b.get(), data.rows(), static_cast<int32_t *>(info->get()),
                                  space->get(), bytes));
    };
    const auto restore = [&machine, &data] { machine.copy(data.b.get(), data.b0.get(), data.bytes); };
    return {restore, call, [&machine, &data, mix] { return error_of(machine, data, mix); }, bytes};
}

// LAPACK on copies of the coefficients, which it overwrites.
Run lapack_run(const Data &data, const Mix &mix, int threads) {
    const Machine host = host_machine();
    const size_t bytes = size_t(data.rows()) * sizeof(double);
    const auto dl = std::make_shared<Memory>(host, bytes), d = std::make_shared<Memory>(host, bytes),
               du = std::make_shared<Memory>(host, bytes);
    Gtsv copies = joined(data, mix);
    copies.dl = dl->get(), copies.d = d->get(), copies.du = du->get();
    const auto restore = [=, &data] {
        host.copy(dl->get(), data.dl.get(), bytes);
        host.copy(d->get(), data.d.get(), bytes);
        host.copy(du->get(), data.du.get(), bytes);
        host.copy(data.b.get(), data.b0.get(), data.bytes);
    };
    return {restore, [=, &data] { lapack_loop(data.offsets, copies, threads); },
            [=, &data] { return error_of(host, data, mix); }};
}

// On the host a loop over the systems; on CUDA cuSPARSE's pivoting solver, on all of them as one.
std::vector<Peer> peers_for(const Session &session, const Data &data, const Mix &mix) {
    if (!session.on_cuda())
        return {
            {"LAPACK gtsv loop (1 thread)", [=, &data] { return lapack_run(data, mix, 1); }},
            {"LAPACK gtsv loop (all threads)", [=, &data] { return lapack_run(data, mix, omp_get_max_threads()); }}};
    const Machine &machine = session.machine();
    const auto start = [=, &machine, &data](const Baseline<Gtsv> &peer) -> Run {
        const Call call = peer.start(peer.view);
        return {[&machine, &data] { machine.copy(data.b.get(), data.b0.get(), data.bytes); }, call.run,
                [=, &machine, &data] { return error_of(machine, data, mix); }, call.workspace};
    };
    std::vector<Peer> peers;
    for (const Baseline<Gtsv> &peer : baselines(session.backend(), joined(data, mix)))
        if (peer.name == "cuSPARSE gtsv2") peers.push_back({peer.name + " of all as one", [=] { return start(peer); }});
    return peers;
}

void run(Session &session, const Mix &mix) {
    const Data data = data_for(session, mix);
    session.measure(describe(session, mix), our_run(session, data, mix), peers_for(session, data, mix),
                    solve_bound * roundoff(D));
}

}  // namespace

void measure(Session &session, const VBatchShape &mix) {
    session.attempt(describe(session, mix), [&] { run(session, mix); });
}

void vbatch(Session &session) {
    for (const Mix &mix :
         {Mix{1, 20, 1}, Mix{1, 100, 1}, Mix{32, 512, 1}, Mix{1, 2048, 1}, Mix{500, 2000, 1}, Mix{32, 512, 4}})
        measure(session, mix);
}

}  // namespace bench
