// rearrange.cpp: xrearrange; peers: cuBLAS's transposition and a plain loop.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <complex>

#include "peers/baselines.hpp"
#include "session.hpp"

namespace bench {
namespace {

constexpr int64_t block_width = 32;  // systems a block of block-interleaved arrays

struct Shape {
    xbatchDataType_t type;
    xbatchLayout_t from, to;
    int64_t n, batch;
};

// The largest difference of an element, in systems spread over the batch: only 0 is right.
template <class Wide>
double difference(const Machine &machine, const Rearrangement &p) {
    constexpr int64_t elements = 1 << 15;
    const int64_t systems = std::min(p.batch, std::max<int64_t>(3, std::min<int64_t>(64, elements / p.n)));
    double worst = 0;
    for (int64_t k = 0; k < systems; ++k) {
        const int64_t j = systems == 1 ? 0 : k * (p.batch - 1) / (systems - 1);
        const Line from = line(p.from, p.n, 1, p.ldsource, j, 0), to = line(p.to, p.n, 1, p.ldtarget, j, 0);
        const auto expected = gathered<Wide>(machine, p.type, p.source, from.base, from.step, p.n);
        const auto result = gathered<Wide>(machine, p.type, p.target, to.base, to.step, p.n);
        for (size_t i = 0; i < size_t(p.n); ++i) worst = std::max(worst, double(std::abs(result[i] - expected[i])));
    }
    return worst;
}

double error_of(const Machine &machine, const Rearrangement &p) {
    return is_complex(p.type) ? difference<std::complex<long double>>(machine, p) : difference<long double>(machine, p);
}

Case describe(const Shape &s) {
    return {"rearrange",
            "rearrange",
            s.type,
            layout_name(s.from),
            s.n,
            1,
            s.batch,
            std::string("to ") + layout_name(s.to),
            2.0 * double(s.n) * double(s.batch) * double(element_size(s.type)),
            0};
}

void run(Session &session, const Shape &s) {
    const Machine &machine = session.machine();
    const int64_t elements = s.n * s.batch;
    const Memory source = random_array(machine, s.type, elements, -1, 1, 1);
    const Memory target = random_array(machine, s.type, elements, -1, 1, 2);
    const Rearrangement p = {s.type, s.n,          s.batch,
                             s.from, source.get(), tight(s.from, s.n, s.batch, block_width),
                             s.to,   target.get(), tight(s.to, s.n, s.batch, block_width)};
    const auto call = [&session, p] {
        session.check(xrearrange(session.handle(), p.type, p.n, p.batch, p.from, p.source, p.ldsource, p.to, p.target,
                                 p.ldtarget));
    };
    std::vector<Peer> peers;
    for (const Baseline<Rearrangement> &peer : baselines(session.backend(), p))
        peers.push_back(
            {peer.name, [&machine, &target, elements, peer]() -> Run {
                 overwrite(machine, target, size_t(elements) * element_size(peer.view.type));
                 const Call call = peer.start(peer.view);
                 return {[] {}, call.run, [&machine, peer] { return error_of(machine, peer.view); }, call.workspace};
             }});
    session.measure(describe(s), {[] {}, call, [&machine, p] { return error_of(machine, p); }}, peers, 0);
}

std::vector<Shape> shapes(const Session &session) {
    constexpr auto flat = XBATCH_LAYOUT_FLAT, interleaved = XBATCH_LAYOUT_INTERLEAVED,
                   block = XBATCH_LAYOUT_BLOCK_INTERLEAVED;
    std::vector<Shape> list;
    const auto add = [&](xbatchDataType_t type, xbatchLayout_t from, xbatchLayout_t to, int64_t n) {
        list.push_back({type, from, to, n, session.elements(type) / n / block_width * block_width});
    };
    for (const int64_t n : {32, 100, 128, 512, 1024, 4096}) {
        add(XBATCH_R_64F, flat, interleaved, n);
        add(XBATCH_R_64F, interleaved, flat, n);
    }
    for (const int64_t n : {128, 1024})
        for (const auto other : {flat, interleaved}) {
            add(XBATCH_R_64F, other, block, n);
            add(XBATCH_R_64F, block, other, n);
        }
    for (const auto type : {XBATCH_R_32F, XBATCH_C_32F, XBATCH_C_64F}) add(type, flat, interleaved, 512);
    return list;
}

}  // namespace

void rearrange(Session &session) {
    for (const Shape &s : shapes(session)) session.attempt(describe(s), [&] { run(session, s); });
}

}  // namespace bench
