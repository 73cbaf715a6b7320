// hines_data.cpp: see hines_data.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "hines_data.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>

#include "peers/baselines_hines.hpp"

namespace bench {
namespace {

int64_t whole_blocks(int64_t systems, int64_t width) { return (systems + width - 1) / width * width; }

// The largest |b - A x| / (|A| max|x| + |b|) of one system's rows.
template <class Wide>
double backward_error(const Machine &machine, const Hines &p, const void *b0, int64_t j) {
    const std::vector<int32_t> &parent = p.tree(j).parent;
    const auto values = [&](const void *array, Line at) {
        return gathered<Wide>(machine, p.type, array, at.base, at.step, int64_t(parent.size()));
    };
    const std::vector<Wide> u = values(p.u, p.coupling_elements(j)), l = values(p.l, p.coupling_elements(j));
    const std::vector<Wide> d = values(p.d, p.diagonal_elements(j)), x = values(p.b, p.elements(j));
    std::vector<Wide> residual = values(b0, p.elements(j));
    std::vector<long double> size(parent.size());
    long double largest = 0;
    for (const Wide &one : x) largest = std::max(largest, (long double)(std::abs(one)));
    const auto add = [&](size_t row, Wide entry, size_t column) {
        residual[row] -= entry * x[column];
        size[row] += std::abs(entry) * largest;
    };
    for (size_t i = 0; i < parent.size(); ++i) size[i] = std::abs(residual[i]);
    for (size_t i = 0; i < parent.size(); ++i) {
        add(i, d[i], i);
        if (parent[i] < 0) continue;
        add(i, l[i], size_t(parent[i]));
        add(size_t(parent[i]), u[i], i);
    }
    double worst = 0;
    for (size_t i = 0; i < parent.size(); ++i) {
        const double error = double(std::abs(residual[i]) / size[i]);
        if (!(error <= worst)) worst = error;  // NaN is preserved
    }
    return worst;
}

std::shared_ptr<xbatchHinesPlan> plan_for(xbatchHandle_t handle, const Hines &p, xbatchHinesAlgorithm_t algorithm) {
    std::vector<int64_t> offsets = {0};
    std::vector<int32_t> parent, morph;
    for (const Morphology &tree : *p.trees) {
        parent.insert(parent.end(), tree.parent.begin(), tree.parent.end());
        offsets.push_back(int64_t(parent.size()));
    }
    const bool is_mixed = p.trees->size() > 1;
    for (int64_t j = 0; is_mixed && j < p.batch; ++j) morph.push_back(int32_t(size_t(j) % p.trees->size()));
    xbatchHinesPlan_t plan = nullptr;
    Session::check(handle, xhinesCreatePlan(handle, int64_t(p.trees->size()), offsets.data(), parent.data(), 0,
                                            XBATCH_HINES_TREE, p.batch, is_mixed ? morph.data() : nullptr, &plan));
    std::shared_ptr<xbatchHinesPlan> owned(plan, xhinesDestroyPlan);
    Session::check(handle, xhinesSetAlgorithm(handle, plan, algorithm));
    return owned;
}

// A peer that overwrites d works on a copy, restored before each call.
Run peer_run(const Machine &machine, const Baseline<Hines> &peer, const HinesData &data) {
    const auto d = std::make_shared<Memory>(machine, data.bytes);
    Hines p = peer.view;
    p.d = d->get();
    const Call call = peer.start(p);
    const auto restore = [&machine, &data, d, call] {
        machine.copy(data.b.get(), data.b0.get(), data.bytes);
        machine.copy(d->get(), data.d.get(), data.bytes);
        if (call.prepare) call.prepare();
    };
    const auto error = [&machine, &data, view = peer.view, call] {
        if (call.finish) call.finish();
        return error_of(machine, view, data.b0.get());
    };
    return {restore, call.run, error, call.workspace};
}

}  // namespace

int64_t Hines::first_node(size_t m) const {
    int64_t nodes = 0;
    for (size_t before = 0; before < m; ++before) nodes += (*trees)[before].n();
    return nodes;
}

int64_t Hines::systems(size_t m) const {
    const int64_t turns = int64_t(trees->size());
    return (batch - int64_t(m) + turns - 1) / turns;
}

int64_t Hines::nodes() const {
    int64_t nodes = 0;
    for (size_t m = 0; m < trees->size(); ++m) nodes += (*trees)[m].n() * systems(m);
    return nodes;
}

int64_t Hines::coefficients() const {
    switch (couplings) {
        case Couplings::general: return 3 * nodes();
        case Couplings::symmetric: return 2 * nodes();
        case Couplings::one_matrix: return 3 * first_node(trees->size());
        default: return nodes() + 2 * first_node(trees->size());
    }
}

// The formulas of <xbatch/hines.h>, independent of the library's code.
Line Hines::elements(int64_t j) const {
    const int64_t turns = int64_t(trees->size()), k = j / turns;
    const size_t mine = size_t(j % turns);
    const int64_t n = (*trees)[mine].n();
    if (layout == XBATCH_LAYOUT_FLAT) return {k * first_node(trees->size()) + first_node(mine), 1};
    const int64_t block = layout == XBATCH_LAYOUT_INTERLEAVED ? 1 : width;
    int64_t before = 0;
    for (size_t m = 0; m < mine; ++m) before += (*trees)[m].n() * whole_blocks(systems(m), block);
    if (layout == XBATCH_LAYOUT_INTERLEAVED) return {before + k, systems(mine)};
    return {before + k / width * width * n + k % width, width};
}

Line Hines::coupling_elements(int64_t j) const {
    return shares_couplings() ? Line{first_node(size_t(j) % trees->size()), 1} : elements(j);
}
Line Hines::diagonal_elements(int64_t j) const {
    return couplings == Couplings::one_matrix ? coupling_elements(j) : elements(j);
}

HinesData hines_data(const Machine &machine, Hines &p) {
    std::vector<int32_t> parent;
    int64_t elements = 0, children = 0;
    for (size_t m = 0; m < p.trees->size(); ++m) {
        const Morphology &tree = (*p.trees)[m];
        parent.insert(parent.end(), tree.parent.begin(), tree.parent.end());
        elements += tree.n() * whole_blocks(p.systems(m), p.width);
        children = std::max(children, tree.most_children());
    }
    const int64_t couplings = p.shares_couplings() ? int64_t(parent.size()) : elements;
    const double neighbours = double(children + 1);
    Memory tables(machine, parent.size() * sizeof(int32_t));
    machine.copy(tables.get(), parent.data(), parent.size() * sizeof(int32_t));
    HinesData data = {std::move(tables),
                      random_array(machine, p.type, couplings, -1, 1, 1),
                      random_array(machine, p.type, p.couplings == Couplings::symmetric ? 0 : couplings, -1, 1, 2),
                      random_array(machine, p.type, elements, neighbours + 0.5, neighbours + 1.5, 3),
                      random_array(machine, p.type, elements, -1, 1, 4),
                      random_array(machine, p.type, elements, -1, 1, 4),
                      size_t(elements) * element_size(p.type)};
    p.parent = static_cast<const int32_t *>(data.parent.get());
    p.u = data.u.get(), p.l = p.couplings == Couplings::symmetric ? p.u : data.l.get();
    p.d = data.d.get(), p.b = data.b.get();
    return data;
}

double error_of(const Machine &machine, const Hines &p, const void *b0) {
    constexpr int64_t enough = 1 << 15, most = 64;
    const int64_t nodes = p.first_node(p.trees->size()) / int64_t(p.trees->size());
    const int64_t systems = std::min(p.batch, std::max<int64_t>(3, std::min(most, enough / nodes)));
    double worst = 0;
    for (int64_t k = 0; k < systems; ++k) {
        const int64_t j = systems == 1 ? 0 : k * (p.batch - 1) / (systems - 1);
        const double error = is_complex(p.type) ? backward_error<std::complex<long double>>(machine, p, b0, j)
                                                : backward_error<long double>(machine, p, b0, j);
        if (!(error <= worst)) worst = error;
        if (std::isnan(worst)) break;
    }
    return worst;
}

HinesCall hines_call(xbatchHandle_t handle, const Machine &machine, const Hines &p, xbatchHinesAlgorithm_t algorithm) {
    std::shared_ptr<xbatchHinesPlan> plan = plan_for(handle, p, algorithm);
    size_t bytes = 0;
    Session::check(handle,
                   xhinesBatch_bufferSize(handle, p.type, p.layout, XBATCH_OP_N, plan.get(), 1, p.batch, &bytes));
    const int64_t ld = p.trees->size() > 1 ? p.width : tight(p.layout, p.tree(0).n(), p.batch, p.width);
    return {std::move(plan),
            bytes,
            {machine, bytes},
            {machine, size_t(p.batch) * sizeof(int32_t)},
            p.shares_couplings() ? 0 : ld,
            p.couplings == Couplings::one_matrix ? 0 : ld,
            ld};
}

Run hines_run(const Session &session, const Hines &p, const HinesData &data, xbatchHinesAlgorithm_t algorithm) {
    const Machine &machine = session.machine();
    const auto with = std::make_shared<const HinesCall>(hines_call(session.handle(), machine, p, algorithm));
    const auto call = [=, &session] {
        session.check(xhinesBatch(session.handle(), p.type, p.layout, XBATCH_OP_N, with->plan.get(), 1, p.batch, p.u,
                                  p.l, with->ldul, p.d, with->ldd, p.b, with->ld,
                                  static_cast<int32_t *>(with->info.get()), with->workspace.get(), with->bytes));
    };
    const auto restore = [&machine, &data] { machine.copy(data.b.get(), data.b0.get(), data.bytes); };
    return {restore, call, [&machine, &data, p] { return error_of(machine, p, data.b0.get()); }, with->bytes};
}

Run hines_factored_run(const Session &session, const Hines &p, const HinesData &data) {
    const Machine &machine = session.machine();
    const xbatchHandle_t handle = session.handle();
    const auto with = std::make_shared<const HinesCall>(hines_call(handle, machine, p, XBATCH_HINES_AUTO));
    const int64_t sets = p.couplings == Couplings::one_matrix ? int64_t(p.trees->size()) : p.batch;
    size_t factor_bytes = 0, bytes = 0;
    session.check(
        xhinesFactorBatch_bufferSize(handle, p.type, p.layout, with->plan.get(), sets, &factor_bytes, &bytes));
    const auto factors = std::make_shared<Memory>(machine, factor_bytes);
    const Memory space(machine, bytes);
    session.check(xhinesFactorBatch(handle, p.type, p.layout, with->plan.get(), sets, p.u, p.l, with->ldul, p.d,
                                    with->ldd, factors->get(), static_cast<int32_t *>(with->info.get()), space.get(),
                                    bytes));
    session.check(
        xhinesSolveBatch_bufferSize(handle, p.type, p.layout, XBATCH_OP_N, with->plan.get(), 1, p.batch, sets, &bytes));
    const auto workspace = std::make_shared<Memory>(machine, bytes);
    const auto call = [=, &session] {
        session.check(xhinesSolveBatch(handle, p.type, p.layout, XBATCH_OP_N, with->plan.get(), 1, p.batch, sets,
                                       factors->get(), p.b, with->ld, workspace->get(), bytes));
    };
    const auto restore = [&machine, &data] { machine.copy(data.b.get(), data.b0.get(), data.bytes); };
    return {restore, call, [&machine, &data, p] { return error_of(machine, p, data.b0.get()); }, bytes};
}

std::vector<Peer> hines_peers(const Machine &machine, const Hines &p, const HinesData &data) {
    std::vector<Peer> peers;
    for (const Baseline<Hines> &peer : baselines(machine.backend, p))
        peers.push_back({peer.name, [&machine, &data, peer] { return peer_run(machine, peer, data); }});
    return peers;
}

}  // namespace bench
