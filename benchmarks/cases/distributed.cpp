// distributed.cpp: what distributed solvers cost on one rank, compared with the routine for whole systems: their share
// of the time that more ranks cannot divide. No messages are sent.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <xbatch/comm_layer.h>

#include <memory>

#include "data/residual.hpp"
#include "tridiagonal.hpp"

namespace bench {
namespace {

constexpr auto D = XBATCH_R_64F;

struct Shape {
    const char *routine;
    decltype(&xgtsvMp) solve;
    decltype(&xgtsvMp_bufferSize) workspace;
    GtsvRoutine peer;
    xbatchLayout_t layout;
    int64_t n, batch;
};

// A communicator of one rank, and a plan
class Plan {
public:
    Plan(const Session &session, const Shape &s) {
        xbatchCommLayer_t layer = {};
        layer.bytes = sizeof layer, layer.version = XBATCH_COMM_LAYER_VERSION, layer.ranks = layer.hostRanks = 1;
        layer.alltoallv = [](void *, void *, const void *, const int64_t *, const int64_t *, void *, const int64_t *,
                             const int64_t *) { return 1; };
        layer.allgatherv = [](void *, void *, const void *, int64_t, void *, const int64_t *, const int64_t *) {
            return 1;
        };
        layer.wait = [](void *, int64_t) { return 1; };
        session.check(xbatchCommCreateCustom(session.handle(), &layer, nullptr, &comm_));
        session.check(xgtsvMpCreatePlan(comm_, D, s.layout, s.n, 1, s.batch, nullptr, 0, XBATCH_MP_DEFAULT, &plan_));
    }
    Plan(const Plan &) = delete;
    Plan &operator=(const Plan &) = delete;
    ~Plan() { xbatchMpDestroyPlan(plan_), xbatchCommDestroy(comm_); }
    xbatchMpPlan_t get() const { return plan_; }

private:
    xbatchComm_t comm_ = nullptr;
    xbatchMpPlan_t plan_ = nullptr;
};

Case describe(const Shape &s) {
    const double rows = double(s.n) * double(s.batch);
    return {"distributed", s.routine, D, layout_name(s.layout), s.n, 1, s.batch, "one rank", 5 * rows * sizeof(double),
            8 * rows};
}

void run(Session &session, const Shape &s) {
    const int64_t ld = s.layout == XBATCH_LAYOUT_FLAT ? s.n : s.batch, rows = s.n * s.batch;
    const GtsvData data = gtsv_data(session.machine(), D, rows, rows);
    const Gtsv p = {D, s.layout, s.n, 1, s.batch, data.dl.get(), data.d.get(), data.du.get(), ld, data.b.get(), ld};
    const auto plan = std::make_shared<Plan>(session, s);
    size_t bytes = 0;
    session.check(s.workspace(plan->get(), &bytes));
    const auto space = std::make_shared<Memory>(session.machine(), bytes);
    const auto info = std::make_shared<Memory>(session.machine(), size_t(s.batch) * sizeof(int32_t));
    const auto call = [=, &session] {
        session.check(s.solve(plan->get(), p.dl, p.d, p.du, ld, p.b, ld, static_cast<int32_t *>(info->get()),
                              space->get(), bytes));
    };
    const Run peer = gtsv_run(session, s.peer, p, data);
    const Run ours = {peer.restore, call, peer.error, bytes};
    session.measure(describe(s), ours, {{std::string("xbatch ") + s.peer.name, [=] { return peer; }}},
                    solve_bound * roundoff(D));
}

}  // namespace

void distributed(Session &session) {
    for (const auto layout : {XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_INTERLEAVED})
        for (const int64_t n : {512, 4096, 65536}) {
            const int64_t batch = std::max<int64_t>(session.elements(D) / n / 8 * 8, 8);
            for (const Shape &s :
                 {Shape{"gtsvMp", xgtsvMp, xgtsvMp_bufferSize, gtsv_routines::pivoted, layout, n, batch},
                  Shape{"gtsvPschemeMp", xgtsvPschemeMp, xgtsvPschemeMp_bufferSize, gtsv_routines::pscheme, layout, n,
                        batch}})
                session.attempt(describe(s), [&] { run(session, s); });
        }
}

}  // namespace bench
