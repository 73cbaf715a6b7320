// paper_qr.cpp: the experiments of "Task-based parallelism to compute a tiled QR decomposition": matrices
// from square to tall and skinny, tiles of several sizes; serially, by threads, and entirely on the GPU.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "data/qr_data.hpp"
#include "peers/baselines_qr.hpp"

namespace bench {
namespace {

constexpr int64_t elements = 1 << 20;  // of each matrix

std::vector<Peer> peers_of(const Session &session, const QrShape &s, const xbatchTiledConfig_t *config) {
    std::vector<Peer> peers;
    const auto on_host = [=](int threads) {
        return [=] {
            Run run = tiled_run(std::make_shared<const QrMatrix>(host_machine(), s), threads, config);
            run.waited = true;
            return run;
        };
    };
    peers.push_back({"one thread of the host", on_host(1)});
    if (session.on_cuda()) peers.push_back({"all threads of the host", on_host(0)});
    if (config) return peers;
    peers.push_back({"LAPACK geqrf", [=] {
                         const auto a = std::make_shared<const QrMatrix>(host_machine(), s);
                         Run run = peer_run(a, std::make_shared<LapackGeqrf>(s.type, s.m, s.n));
                         run.waited = true;
                         return run;
                     }});
#ifdef BENCH_HAVE_CUDA
    if (session.on_cuda())
        peers.push_back({"cuSOLVER geqrf", [=, &session] {
                             const auto a = std::make_shared<const QrMatrix>(session.machine(), s);
                             return peer_run(a, std::make_shared<CusolverGeqrf>(a->machine, s.type, s.m, s.n));
                         }});
#endif
    return peers;
}

}  // namespace

void paper_qr(Session &session) {
    for (const int64_t n : {1024, 512, 256, 64, 16})
        for (const int64_t tile : {32, 64, 128, 0}) {  // 0: the defaults
            QrShape s = {elements / n, n};
            if (session.quick()) s.m /= 8, s.n = std::max<int64_t>(s.n / 8, 1);
            const xbatchTiledConfig_t square = {tile, tile, 32, 1, XBATCH_TREE_FLAT};
            const xbatchTiledConfig_t *const config = tile > 0 ? &square : nullptr;
            const std::string variant = s.name() + (config ? ", tiles of " + std::to_string(tile) : "");
            const Case which = {"paper_qr", "geqrtTiled", s.type, "dense", s.n, 1, 1, variant, 2.0 * double(s.bytes()),
                                s.flops()};
            session.attempt(which, [&] {
                const auto a = std::make_shared<const QrMatrix>(session.machine(), s);
                session.measure(which, tiled_run(a, 0, config), peers_of(session, s, config),
                                double(s.m) * roundoff(s.type));
            });
        }
}

}  // namespace bench
