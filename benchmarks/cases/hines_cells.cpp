// hines_cells.cpp: Hines systems of all cells of a folder, many and few of each, also odd numbers; peers: the paper's
// kernel, and one that solves the branches of a cell in parallel.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>

#include "data/hines_data.hpp"

namespace bench {
namespace {

constexpr auto flat = XBATCH_LAYOUT_FLAT, interleaved = XBATCH_LAYOUT_INTERLEAVED;
constexpr int64_t large = 3000;  // nodes of a cell of which there are fewer copies

Case describe(const Hines &p) {
    const double nodes = double(p.nodes());
    return {"hines_cells",
            "hinesBatch",
            p.type,
            layout_name(p.layout),
            p.tree(0).n(),
            1,
            p.batch,
            p.tree(0).name,
            5 * nodes * sizeof(double),
            8 * nodes};
}

void solve(Session &session, Hines p) {
    const HinesData data = hines_data(session.machine(), p);
    std::vector<Peer> peers = hines_peers(session.machine(), p, data);
    if (session.on_cuda())
        peers.push_back(
            {"XBATCH_HINES_FROM_TIPS", [&] { return hines_run(session, p, data, XBATCH_HINES_FROM_TIPS); }});
    session.measure(describe(p), hines_run(session, p, data, XBATCH_HINES_AUTO), peers, hines_bound * roundoff(p.type));
}

}  // namespace

void hines_cells(Session &session) {
    constexpr int64_t part = 64;
    const std::vector<int64_t> of_small =
        session.on_cuda() ? std::vector<int64_t>{257, 20001, 100000, 100003} : std::vector<int64_t>{2561};
    for (const Morphology &cell : all_cells(session.swc())) {
        const std::vector<Morphology> alone = {cell};
        const std::vector<int64_t> of_large =
            session.on_cuda() ? std::vector<int64_t>{1000, 1001} : std::vector<int64_t>{101};
        for (const int64_t batch : cell.n() > large ? of_large : of_small)
            for (const auto layout : {flat, interleaved}) {
                const int64_t own = session.quick() ? std::max<int64_t>(batch / part, 1) : batch;
                const Hines p = {XBATCH_R_64F, layout, &alone, Couplings::general, own, 1};
                session.attempt(describe(p), [&] { solve(session, p); });
            }
    }
}

}  // namespace bench
