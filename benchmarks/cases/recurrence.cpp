// recurrence.cpp: xfolrPscheme; peers: CUB's scan, one thread a sequence, and plain loops.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>

#include "peers/baselines.hpp"
#include "tridiagonal.hpp"

namespace bench {
namespace {

constexpr double bound_in_roundoffs = 64;  // sequences contract, so that errors of distant elements have decayed

using Shape = FolrShape;

// |w - w_exact| over the same recurrence with absolute values, the worst of elements begin … end-1 of sequence j; NaN
// where w is not finite. The influence of elements more than `memory` before has decayed.
template <class Wide>
double error_of_piece(const Machine &machine, const Folr &p, int64_t memory, int64_t j, int64_t begin, int64_t end) {
    const Line at = line(p.layout, p.n, 1, p.ld, j, 0);
    const int64_t first = std::max<int64_t>(begin - memory, 0), count = end - first;
    const auto piece = [&](const void *array) {
        return gathered<Wide>(machine, p.type, array, at.base + first * at.step, at.step, count);
    };
    const auto s = p.incs ? piece(p.s) : gathered<Wide>(machine, p.type, p.s, j, 1, 1), t = piece(p.t), w = piece(p.w);
    Wide exact = 0;
    long double magnitude = 0;
    double worst = 0;
    for (size_t i = 0; i < size_t(count); ++i) {
        const Wide factor = p.incs ? s[i] : s[0];
        exact = factor * exact + t[i];
        magnitude = std::abs(factor) * magnitude + std::abs(t[i]);
        if (int64_t(i) < begin - first) continue;
        if (!std::isfinite(std::abs(w[i]))) return NAN;
        worst = std::max(worst, double(std::abs(w[i] - exact) / magnitude));
    }
    return worst;
}

// The worst in sequences spread over the batch.
template <class Wide>
double forward_error(const Machine &machine, const Folr &p, int64_t memory) {
    constexpr int64_t piece = 1 << 16, elements = 1 << 15;
    const int64_t sequences = std::min(p.batch, std::max<int64_t>(3, std::min<int64_t>(64, elements / p.n)));
    const int64_t pieces = (p.n + piece - 1) / piece;
    double worst = 0;
    for (int64_t k = 0; k < sequences; ++k) {
        const int64_t j = sequences == 1 ? 0 : k * (p.batch - 1) / (sequences - 1);
#pragma omp parallel for if (pieces > 1)
        for (int64_t q = 0; q < pieces; ++q) {
            const double error = error_of_piece<Wide>(machine, p, memory, j, q * piece, std::min((q + 1) * piece, p.n));
#pragma omp critical
            worst = error <= worst ? worst : error;  // NaN is preserved
        }
    }
    return worst;
}

double error_of(const Machine &machine, const Folr &p, bool slow) {
    const int64_t memory = slow ? 1 << 17 : 1 << 12;
    return is_complex(p.type) ? forward_error<std::complex<long double>>(machine, p, memory)
                              : forward_error<long double>(machine, p, memory);
}

Case describe(const Shape &s) {
    const double elements = double(s.n) * double(s.batch), arrays = s.constant ? 2 : 3;
    return {s.family,
            "folrPscheme",
            s.type,
            layout_name(s.layout),
            s.n,
            1,
            s.batch,
            s.constant ? "constant s"
            : s.slow   ? "slow decay"
                       : "",
            arrays * elements * double(element_size(s.type)),
            elements * (is_complex(s.type) ? 8 : 2)};
}

Run our_run(const Session &session, const Folr &p, bool slow) {
    size_t bytes = 0;
    session.check(xfolrPscheme_bufferSize(session.handle(), p.type, p.layout, XBATCH_FORWARD, p.n, 1, p.batch, &bytes));
    const auto workspace = std::make_shared<Memory>(session.machine(), bytes);
    const auto call = [&session, p, bytes, workspace] {
        session.check(xfolrPscheme(session.handle(), p.type, p.layout, XBATCH_FORWARD, p.n, 1, p.batch, p.s, p.incs,
                                   p.incs ? p.ld : 1, p.t, 1, p.ld, nullptr, p.w, p.ld, workspace->get(), bytes));
    };
    return {[] {}, call, [&session, p, slow] { return error_of(session.machine(), p, slow); }, bytes};
}

void run(Session &session, const Shape &shape) {
    const Machine &machine = session.machine();
    const int64_t elements = shape.n * shape.batch;
    const double largest = shape.slow ? 1 : is_complex(shape.type) ? 0.6 : 0.9;  // |s| < 1
    const double least = shape.slow ? 0.999 : -largest;
    const Memory s = random_array(machine, shape.type, shape.constant ? shape.batch : elements, least, largest, 1);
    const Memory t = random_array(machine, shape.type, elements, -1, 1, 2);
    const Memory w = random_array(machine, shape.type, elements, -1, 1, 3);
    const Folr p = {shape.type,
                    shape.layout,
                    shape.n,
                    shape.batch,
                    tight(shape.layout, shape.n, shape.batch, 1),
                    shape.constant ? 0 : 1,
                    s.get(),
                    t.get(),
                    w.get()};
    std::vector<Peer> peers;
    for (const Baseline<Folr> &peer : baselines(session.backend(), p))
        peers.push_back({peer.name, [&machine, &w, &shape, elements, peer]() -> Run {
                             overwrite(machine, w, size_t(elements) * element_size(peer.view.type));
                             const Call call = peer.start(peer.view);
                             const auto error = [&machine, peer, slow = shape.slow] {
                                 return error_of(machine, peer.view, slow);
                             };
                             return {[] {}, call.run, error, call.workspace};
                         }});
    session.measure(describe(shape), our_run(session, p, shape.slow), peers, bound_in_roundoffs * roundoff(shape.type));
}

std::vector<Shape> shapes(const Session &session) {
    constexpr auto flat = XBATCH_LAYOUT_FLAT, interleaved = XBATCH_LAYOUT_INTERLEAVED;
    const int64_t all = session.elements(XBATCH_R_64F);
    std::vector<Shape> list;
    for (const int64_t n : {int64_t(1) << 18, int64_t(1) << 20, int64_t(1) << 24, int64_t(1) << 26})
        if (n <= all) list.push_back({XBATCH_R_64F, flat, n, 1, false});
    for (const auto layout : {flat, interleaved})
        for (const int64_t n : {128, 1000, 1024, 4096}) list.push_back({XBATCH_R_64F, layout, n, all / n, false});
    list.push_back({XBATCH_R_64F, flat, all, 1, true});
    for (const auto layout : {flat, interleaved}) list.push_back({XBATCH_R_64F, layout, 1024, all / 1024, true});
    for (const auto type : {XBATCH_R_32F, XBATCH_C_32F, XBATCH_C_64F})
        list.push_back({type, flat, session.elements(type), 1, false});
    return list;
}

}  // namespace

void measure(Session &session, const FolrShape &s) {
    session.attempt(describe(s), [&] { run(session, s); });
}

void recurrence(Session &session) {
    for (const Shape &s : shapes(session)) measure(session, s);
}

}  // namespace bench
