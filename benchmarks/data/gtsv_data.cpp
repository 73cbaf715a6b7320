// gtsv_data.cpp: see gtsv_data.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "gtsv_data.hpp"

#include <memory>

#include "peers/baselines.hpp"
#include "residual.hpp"

namespace bench {
namespace {

// A peer that overwrites its coefficients works on copies, restored before each call.
Run peer_run(const Machine &machine, const Baseline<Gtsv> &peer, const GtsvData &data) {
    struct Copies {
        Memory dl, d, du;
    };
    std::shared_ptr<Copies> copies;
    Gtsv p = peer.view;
    if (peer.overwrites_coefficients) {
        const size_t bytes = data.coefficient_bytes;
        copies.reset(new Copies{{machine, bytes}, {machine, bytes}, {machine, bytes}});
        p.dl = copies->dl.get();
        p.d = copies->d.get();
        p.du = copies->du.get();
    }
    const auto restore = [&machine, &data, copies] {
        machine.copy(data.b.get(), data.b0.get(), data.b_bytes);
        if (!copies) return;
        machine.copy(copies->dl.get(), data.dl.get(), data.coefficient_bytes);
        machine.copy(copies->d.get(), data.d.get(), data.coefficient_bytes);
        machine.copy(copies->du.get(), data.du.get(), data.coefficient_bytes);
    };
    const Call call = peer.start(p);
    return {restore, call.run, [&machine, &data, view = peer.view] { return error_of(machine, view, data.b0.get()); },
            call.workspace};
}

}  // namespace

GtsvData gtsv_data(const Machine &machine, xbatchDataType_t type, int64_t coefficients, int64_t rows, Entries entries) {
    const auto random = [&](int64_t count, double low, double high, uint32_t seed) {
        return random_array(machine, type, count, low, high, seed);
    };
    const bool slow = entries == Entries::slow_decay;
    const double side = slow ? -1 : 1, high = slow ? 2 + 1e-6 : entries == Entries::random ? 1 : 4;
    const double low = slow ? high : entries == Entries::random ? -1 : 2.5;
    const size_t size = element_size(type);
    return {random(coefficients, -1, side, 1),
            random(coefficients, low, high, 2),
            random(coefficients, -1, side, 3),
            random(rows, -1, 1, 4),
            random(rows, -1, 1, 4),
            size_t(coefficients) * size,
            size_t(rows) * size};
}

Action restored(const Machine &machine, const GtsvData &data) {
    return [&machine, &data] { machine.copy(data.b.get(), data.b0.get(), data.b_bytes); };
}

std::vector<Peer> gtsv_peers(const Session &session, const Gtsv &p, const GtsvData &data) {
    std::vector<Peer> peers;
    for (const Baseline<Gtsv> &peer : baselines(session.backend(), p))
        peers.push_back({peer.name, [&session, &data, peer] { return peer_run(session.machine(), peer, data); }});
    return peers;
}

}  // namespace bench
