// calls.cpp: see calls.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "calls.hpp"

#include <memory>

#include "peers/baselines.hpp"

namespace bench {
namespace {

// By a stream that the graph records, for xbatch and the peers alike.
Action as_graph(const Session &session, const Action &call) {
#ifdef BENCH_HAVE_CUDA
    const auto use = [&session](void *stream) {
        session.check(xbatchSetStream(session.handle(), stream));
        use_stream_for_peers(stream);
    };
    call();  // what a first call loads or allocates is not recorded
    return recorded([&](void *stream) {
        try {
            use(stream);
            call();
        } catch (...) {
            use(nullptr);
            throw;
        }
        use(nullptr);
    });
#else
    (void)session;
    return call;
#endif
}

}  // namespace

Run timed_as(const Session &session, Calls calls, const std::function<Run()> &start) {
    const Run alone = start();
    if (calls == Calls::one || !session.on_cuda()) return alone;
    Run run = alone;
    alone.restore();
    const Action call = calls == Calls::replayed ? as_graph(session, alone.call) : alone.call;
    run.jobs = session.quick() ? 1 : 20;
    run.call = [call, jobs = run.jobs] {
        for (int k = 0; k < jobs; ++k) call();
    };
    run.error = [alone, call] {
        alone.restore();
        call();
        return alone.error();
    };
    return run;
}

}  // namespace bench
