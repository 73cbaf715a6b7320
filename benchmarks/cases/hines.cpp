// hines.cpp: Hines systems of the cuHinesBatch paper's neurons, of larger trees and of mixed ones; peers: the paper's
// kernels.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>

#include "data/hines_data.hpp"

namespace bench {
namespace {

constexpr auto D = XBATCH_R_64F;
constexpr auto flat = XBATCH_LAYOUT_FLAT, interleaved = XBATCH_LAYOUT_INTERLEAVED,
               block = XBATCH_LAYOUT_BLOCK_INTERLEAVED;
constexpr auto layouts = {flat, interleaved, block};
constexpr int64_t width = 32;

using Trees = std::shared_ptr<const std::vector<Morphology>>;

struct Shape {
    Trees trees;
    int64_t batch;
    xbatchLayout_t layout;
    Couplings couplings = Couplings::general;
    xbatchDataType_t type = D;
    bool waited = false;  // timed by the host's clock until the result is available
    bool has_peers = true;
    bool factored = false;  // by xhinesFactorBatch before; the peer solves anew

    Hines problem() const { return {type, layout, trees.get(), couplings, batch, width}; }
};

Trees alone(const Morphology &tree) { return std::make_shared<const std::vector<Morphology>>(1, tree); }

Case describe(const Shape &s) {
    const Hines p = s.problem();
    std::string variant = s.trees->front().name;
    if (s.trees->size() > 1) variant = is_grown(s.trees->front()) ? "the six in turn, grown" : "the six in turn";
    constexpr const char *names[] = {"", " symmetric", " shared", " one matrix"};
    variant += names[int(s.couplings)];
    if (s.factored && s.couplings == Couplings::general) variant += " a matrix each";
    if (s.waited) variant += " waited";
    if (s.layout == block) variant += " BS=" + std::to_string(width);
    const double nodes = double(p.nodes()), flops = 8 * nodes * (is_complex(s.type) ? 4 : 1);
    return {"hines",
            s.factored ? "hinesSolveBatch" : "hinesBatch",
            s.type,
            layout_name(s.layout),
            p.nodes() / s.batch,
            1,
            s.batch,
            variant,
            (double(p.coefficients()) + 2 * nodes) * double(element_size(s.type)),
            flops};
}

void solve(Session &session, const Shape &s) {
    Hines p = s.problem();
    const HinesData data = hines_data(session.machine(), p);
    Run ours = s.factored ? hines_factored_run(session, p, data) : hines_run(session, p, data, XBATCH_HINES_AUTO);
    ours.waited = s.waited;
    std::vector<Peer> peers;
    if (s.factored) peers.push_back({"solving anew", [&] { return hines_run(session, p, data, XBATCH_HINES_AUTO); }});
    if (s.has_peers && !s.factored) peers = hines_peers(session.machine(), p, data);
    if (s.has_peers && !s.factored && session.on_cuda())
        peers.push_back({"XBATCH_HINES_THREAD", [&] { return hines_run(session, p, data, XBATCH_HINES_THREAD); }});
    for (Peer &peer : peers)
        peer.start = [start = peer.start, waited = s.waited] {
            Run run = start();
            run.waited = waited;
            return run;
        };
    session.measure(describe(s), ours, peers, hines_bound * roundoff(s.type));
}

// Factored once: a matrix for all systems, and one for each
void add_factored(const std::vector<Morphology> &cases, int64_t batch, std::vector<Shape> &shapes) {
    for (const auto layout : layouts) {
        for (const Morphology &tree : cases)
            shapes.push_back({alone(tree), batch, layout, Couplings::one_matrix, D, false, true, true});
        shapes.push_back({alone(cases[3]), batch, layout, Couplings::general, D, false, true, true});
    }
}

std::vector<Shape> cuda_shapes(const std::vector<Morphology> &cases, const std::vector<Morphology> &large,
                               const Trees &million) {
    constexpr int64_t few = 256, many = 25600, most = 256000, copies = 1000;
    std::vector<Shape> shapes;
    for (const Morphology &tree : cases) {
        const Trees trees = alone(tree);
        for (const int64_t batch : {few, int64_t(2560), many, most})
            for (const auto layout : layouts) shapes.push_back({trees, batch, layout});
        for (const auto layout : layouts) shapes.push_back({trees, few, layout, Couplings::general, D, true});
        for (const auto layout : layouts) shapes.push_back({trees, most, layout, Couplings::shared});
    }
    const Trees medium = alone(cases[3]);
    for (const auto layout : layouts) {
        shapes.push_back({medium, most, layout, Couplings::symmetric});
        for (const auto type : {XBATCH_R_32F, XBATCH_C_32F, XBATCH_C_64F})
            shapes.push_back({medium, most, layout, Couplings::general, type});
        for (const int64_t batch : {many, most})
            shapes.push_back({std::make_shared<const std::vector<Morphology>>(cases), batch, layout});
        // Thousands of dependent steps in one thread
        for (const Morphology &tree : large)
            shapes.push_back({alone(tree), copies, layout, Couplings::general, D, false, layout == interleaved});
    }
    shapes.push_back({million, 1, flat, Couplings::general, D, false, false});
    add_factored(cases, most, shapes);
    return shapes;
}

std::vector<Shape> host_shapes(const std::vector<Morphology> &cases, const std::vector<Morphology> &large,
                               const Trees &million) {
    constexpr int64_t many = 25600;
    std::vector<Shape> shapes;
    for (const Morphology &tree : cases)
        for (const auto layout : layouts) shapes.push_back({alone(tree), many, layout});
    const Trees medium = alone(cases[3]);
    shapes.push_back({medium, many, flat, Couplings::shared});
    shapes.push_back({medium, many, interleaved, Couplings::symmetric});
    for (const auto type : {XBATCH_R_32F, XBATCH_C_32F, XBATCH_C_64F})
        shapes.push_back({medium, many, interleaved, Couplings::general, type});
    for (const auto layout : layouts)
        shapes.push_back({std::make_shared<const std::vector<Morphology>>(cases), many, layout});
    shapes.push_back({alone(large.back()), 100, flat});
    shapes.push_back({million, 1, flat});
    add_factored(cases, many, shapes);
    return shapes;
}

}  // namespace

void hines(Session &session) {
    constexpr int64_t part = 64;  // of the data, if the run only checks that all cases run
    const Measures million = {1000000, 16000, 32000};
    const std::vector<Morphology> cases = table1_cases(session.swc()), large = large_trees(session.swc());
    const Trees one = alone(grown("one", session.quick() ? Measures{million.n / part, 250, 500} : million));
    for (Shape s : session.on_cuda() ? cuda_shapes(cases, large, one) : host_shapes(cases, large, one)) {
        if (session.quick()) s.batch = std::max<int64_t>(s.batch / part, 1);
        session.attempt(describe(s), [&] { solve(session, s); });
    }
}

}  // namespace bench
