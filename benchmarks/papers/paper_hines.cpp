// paper_hines.cpp: the experiments of "cuHinesBatch: Solving Multiple Hines systems on GPUs" (ICCS 2017): its six
// neurons by one core, by all, by its kernels in each layout, by several devices, and by xbatch.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>

#include "data/hines_data.hpp"

namespace bench {
namespace {

constexpr auto D = XBATCH_R_64F;
constexpr int64_t width = 32, most_on_host = 25600;

using Trees = std::vector<Morphology>;

// Table 1: size, branches and depth of a tree are in the row.
Case describe(const Morphology &tree, int64_t batch, xbatchLayout_t layout, const std::string &more = "") {
    const double nodes = double(tree.n()) * double(batch);
    return {"paper_hines",
            "hinesBatch",
            D,
            layout_name(layout),
            tree.n(),
            1,
            batch,
            tree.name + " B=" + std::to_string(tree.branches()) + " D=" + std::to_string(tree.depth()) + more,
            5 * nodes * sizeof(double),
            8 * nodes};
}

Hines problem(const Trees &alone, int64_t batch, xbatchLayout_t layout, int64_t systems_of_block = width) {
    return {D, layout, &alone, Couplings::general, batch, systems_of_block};
}

// The same systems on the host, for its loops.
struct OnHost {
    Machine machine = host_machine();
    Hines p;
    HinesData data;
    OnHost(const Trees &alone, int64_t batch)
        : p(problem(alone, batch, XBATCH_LAYOUT_FLAT)), data(hines_data(machine, p)) {}
};

std::vector<Peer> loops_on_host(const Trees &alone, int64_t batch) {
    const auto host = std::make_shared<OnHost>(alone, batch);
    std::vector<Peer> peers = hines_peers(host->machine, host->p, host->data);
    for (Peer &peer : peers)
        peer.start = [host, start = peer.start] {
            Run run = start();
            run.waited = true;
            run.restore = [host, restore = run.restore] { restore(); };  // the run refers to it
            return run;
        };
    return peers;
}

#ifdef BENCH_HAVE_CUDA

// A part of the batch on one of several devices.
struct Share {
    Machine machine;
    int device;
    Hines p;
    xbatchHandle_t handle = nullptr;
    std::unique_ptr<HinesData> data;
    std::unique_ptr<HinesCall> with;

    Share(const Machine &like, int k, const Hines &part, xbatchHinesAlgorithm_t algorithm)
        : machine(like), device(k), p(part) {
        use_device(device);
        Session::check(nullptr, xbatchCreate(&handle, machine.backend));
        data.reset(new HinesData(hines_data(machine, p)));
        with.reset(new HinesCall(hines_call(handle, machine, p, algorithm)));
    }
    Share(const Share &) = delete;
    Share &operator=(const Share &) = delete;
    ~Share() {
        use_device(device);
        wait_for_device();
        with.reset(), data.reset();
        xbatchDestroy(handle);
        use_device(0);
    }
};
using Shares = std::vector<std::unique_ptr<Share>>;

// Queued by one call; the host waits for every device.
void solve_shares(const Shares &shares) {
    std::vector<xbatchHandle_t> handles;
    std::vector<xbatchHinesPlan_t> plans;
    std::vector<int64_t> batch, ld;
    std::vector<const void *> u, l, d;
    std::vector<void *> b, workspace;
    std::vector<int32_t *> info;
    std::vector<size_t> bytes;
    for (const auto &share : shares) {
        handles.push_back(share->handle), plans.push_back(share->with->plan.get());
        batch.push_back(share->p.batch), ld.push_back(share->with->ld);
        u.push_back(share->p.u), l.push_back(share->p.l), d.push_back(share->p.d), b.push_back(share->p.b);
        info.push_back(static_cast<int32_t *>(share->with->info.get()));
        workspace.push_back(share->with->workspace.get()), bytes.push_back(share->with->bytes);
    }
    Session::check(handles[0],
                   xhinesBatchMg(int(shares.size()), handles.data(), D, shares[0]->p.layout, XBATCH_OP_N, plans.data(),
                                 1, batch.data(), u.data(), l.data(), ld.data(), d.data(), ld.data(), b.data(),
                                 ld.data(), info.data(), workspace.data(), bytes.data()));
    for (const auto &share : shares) use_device(share->device), wait_for_device();
    use_device(0);
}

Run run_on_devices(const Machine &machine, int devices, const Hines &p, xbatchHinesAlgorithm_t algorithm) {
    const auto shares = std::make_shared<Shares>();
    for (int k = 0; k < devices; ++k) {
        Hines part = p;
        part.batch = p.batch * (k + 1) / devices - p.batch * k / devices;
        shares->push_back(std::make_unique<Share>(machine, k, part, algorithm));
    }
    use_device(0);
    const auto restore = [shares] {
        for (const auto &share : *shares) {
            use_device(share->device);
            share->machine.copy(share->data->b.get(), share->data->b0.get(), share->data->bytes);
            wait_for_device();
        }
        use_device(0);
    };
    const auto error = [shares] {
        double worst = 0;
        for (const auto &share : *shares) {
            use_device(share->device);
            const double its = error_of(share->machine, share->p, share->data->b0.get());
            if (!(its <= worst)) worst = its;
        }
        use_device(0);
        return worst;
    };
    return {restore, [shares] { solve_shares(*shares); }, error, (*shares)[0]->with->bytes, true};
}

void add_several_devices(std::vector<Peer> &peers, const Machine &machine, const Hines &p) {
    for (int devices = 2; devices <= device_count(); devices *= 2)
        for (const auto algorithm : {XBATCH_HINES_THREAD, XBATCH_HINES_AUTO}) {
            const char *const name = algorithm == XBATCH_HINES_AUTO ? "xhinesBatchMg" : "Full-Interleaved";
            peers.push_back({std::string(name) + " on " + std::to_string(devices) + " GPUs",
                             [=, &machine] { return run_on_devices(machine, devices, p, algorithm); }});
        }
}

#endif

// The paper's kernels: this library's versions, and the published ones on the device.
std::vector<Peer> kernels(const Session &session, const Hines &p, const HinesData &data) {
    Hines flat = p;
    flat.layout = XBATCH_LAYOUT_FLAT;
    const auto ours = [&session, &data](const Hines &view, xbatchHinesAlgorithm_t algorithm) {
        return [=, &session, &data] { return hines_run(session, view, data, algorithm); };
    };
    std::vector<Peer> peers = {{"Flat", ours(flat, XBATCH_HINES_THREAD)},
                               {"Full-Interleaved", ours(p, XBATCH_HINES_THREAD)},
                               {"xhinesBatch flat", ours(flat, XBATCH_HINES_AUTO)}};
    for (Peer &peer : hines_peers(session.machine(), p, data)) {
        peer.name = "Full-Interleaved, d overwritten";
        peers.push_back(peer);
    }
#ifdef BENCH_HAVE_CUDA
    add_several_devices(peers, session.machine(), p);
#endif
    return peers;
}

// Figures 3 and 5: numbers of neurons. The time of host loops is proportional to them, so the largest
// number is omitted there.
void over_neurons(Session &session, const Trees &alone, int64_t batch) {
    const Case which = describe(alone[0], batch, XBATCH_LAYOUT_INTERLEAVED);
    session.attempt(which, [&] {
        Hines p = problem(alone, batch, XBATCH_LAYOUT_INTERLEAVED);
        const HinesData data = hines_data(session.machine(), p);
        std::vector<Peer> peers;
        if (batch <= most_on_host) peers = loops_on_host(alone, batch);
        if (session.on_cuda())
            for (Peer &peer : kernels(session, p, data)) peers.push_back(peer);
        session.measure(which, hines_run(session, p, data, XBATCH_HINES_AUTO), peers, hines_bound * roundoff(D));
    });
}

// Figure 4: systems a block, without and with the right-hand sides in shared memory.
void over_blocks(Session &session, const Trees &alone, int64_t batch) {
    constexpr int64_t widest_shared = 64;
    for (const int64_t systems : {8, 16, 32, 64, 128, 256, 512}) {
        const Case which = describe(alone[0], batch, XBATCH_LAYOUT_BLOCK_INTERLEAVED, " BS=" + std::to_string(systems));
        session.attempt(which, [&] {
            Hines p = problem(alone, batch, XBATCH_LAYOUT_BLOCK_INTERLEAVED, systems);
            const HinesData data = hines_data(session.machine(), p);
            const auto run = [&](xbatchHinesAlgorithm_t algorithm) {
                return [&, algorithm] { return hines_run(session, p, data, algorithm); };
            };
            std::vector<Peer> peers = {{"Block-Interleaved", run(XBATCH_HINES_THREAD)}};
            if (systems <= widest_shared) peers.push_back({"Block-Shared", run(XBATCH_HINES_THREAD_SHARED)});
            session.measure(which, run(XBATCH_HINES_AUTO)(), peers, hines_bound * roundoff(D));
        });
    }
}

}  // namespace

void paper_hines(Session &session) {
    constexpr int64_t part = 64;
    for (const Morphology &tree : table1_cases(session.swc())) {
        const Trees alone = {tree};
        for (const int64_t batch : {256, 2560, 25600, 256000})
            if (batch <= most_on_host || session.on_cuda())
                over_neurons(session, alone, session.quick() ? batch / part : batch);
        if (session.on_cuda() && tree.name.rfind("medium-high", 0) == 0)
            over_blocks(session, alone, session.quick() ? 256000 / part : 256000);
    }
}

}  // namespace bench
