// qr.cpp: tiled QR of one dense matrix: factorisation, products with Q, forming Q, least squares; peers: on the
// host LAPACK and one thread, on a GPU cuSOLVER.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory>

#include "data/qr_data.hpp"
#include "peers/baselines_qr.hpp"

namespace bench {
namespace {

using Shared = std::shared_ptr<const QrMatrix>;

Case describe(const char *routine, const QrShape &s, double elements, double flops) {
    return {"qr", routine, s.type, "dense", s.n, 1, 1, s.name(), elements * double(element_size(s.type)), flops};
}
double entries(const QrShape &s) { return double(s.m) * double(s.n); }
double bound_of(const QrShape &s) { return double(s.m) * roundoff(s.type); }

// ---- the factorisation ---------------------------------------------------------------------------------------------

std::vector<Peer> peers_of([[maybe_unused]] const Session &session, const Shared &a) {
    const QrShape s = a->shape;
#ifdef BENCH_HAVE_CUDA
    if (session.on_cuda())
        return {{"cuSOLVER geqrf",
                 [=] { return peer_run(a, std::make_shared<CusolverGeqrf>(a->machine, s.type, s.m, s.n)); }}};
#endif
    return {{"LAPACK geqrf", [=] { return peer_run(a, std::make_shared<LapackGeqrf>(s.type, s.m, s.n)); }},
            {"one thread", [=] { return tiled_run(a, 1, nullptr); }}};
}

std::vector<QrShape> shapes_of(const Session &session) {
    std::vector<QrShape> shapes;
    for (int64_t n : {512, 1024, 2048, 4096}) shapes.push_back({n, n});
    for (const auto type : {XBATCH_R_32F, XBATCH_C_32F, XBATCH_C_64F}) shapes.push_back({2048, 2048, type});
    if (session.on_cuda()) {
        for (int64_t n : {8192, 16384}) shapes.push_back({n, n});
        for (int64_t n : {16, 32, 64}) shapes.push_back({1000000, n});
        shapes.push_back({524288, 128});
        shapes.push_back({262144, 256});
    } else {
        shapes.push_back({100000, 64});
        shapes.push_back({20000, 256});
    }
    shapes.push_back({512, 4096});
    return shapes;
}

// ---- its Q, compared with the factorisation ------------------------------------------------------------------------

void measure_q(Session &session, const QrShape &s) {
    const double m = double(s.m), n = double(s.n), k = double(s.reflectors()), triangle = m * k;
    const Case applied = describe("gemqrtTiled", s, triangle + 2 * m * n, 4 * m * n * k - 2 * n * k * k);
    const Case formed = describe("ungqrtTiled", s, 2 * triangle, 2 * m * k * k - k * k * k * 2 / 3);
    const auto prepare = [&] {
        const auto a = std::make_shared<const QrMatrix>(session.machine(), s);
        const auto qr = std::make_shared<const TiledQr>(a->machine, s, 0, nullptr);
        a->restore();
        qr->factor(*a);
        return std::make_pair(a, qr);
    };
    const auto factorisation = [](const Shared &a) {
        return std::vector<Peer>{{"the factorisation", [a] { return tiled_run(a, 0, nullptr); }}};
    };
    session.attempt(applied, [&] {
        const auto [a, qr] = prepare();
        const auto c = std::make_shared<const Memory>(a->machine, s.bytes());
        const Run run = {[a = a, c] { a->machine.copy(c->get(), a->original.get(), a->shape.bytes()); },
                         [a = a, qr = qr, c] { qr->apply(*a, *c); }, [a = a, c] { return a->error_of_product(*c); },
                         qr->bytes()};
        session.measure(applied, run, factorisation(a), bound_of(s));
    });
    session.attempt(formed, [&] {
        const auto [a, qr] = prepare();
        const auto q = std::make_shared<const Memory>(a->machine, s.bytes());
        const Run run = {[] {}, [a = a, qr = qr, q] { qr->form(*a, *q); },
                         [a = a, q] { return a->error_of_factors(*q); }, qr->bytes()};
        session.measure(formed, run, factorisation(a), bound_of(s));
    });
}

// ---- least squares, one right-hand side ----------------------------------------------------------------------------

struct LeastSquares {
    QrMatrix a;
    Memory b0, b;

    LeastSquares(const Machine &machine, const QrShape &s)
        : a(machine, s), b0(random_array(machine, s.type, s.m, -1, 1, 2)), b(machine, bytes()) {}
    size_t bytes() const { return size_t(a.shape.m) * element_size(a.shape.type); }
    void restore() const {
        a.restore();
        a.machine.copy(b.get(), b0.get(), bytes());
    }
    // The largest cosine between the residual and a column of A; x is stored before b.
    double error() const {
        const auto column = [&](int64_t j) {
            return gathered<long double>(a.machine, a.shape.type, a.original.get(), j * a.shape.m, 1, a.shape.m);
        };
        const auto dot = [](const std::vector<long double> &x, const std::vector<long double> &y) {
            long double sum = 0;
            for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
            return sum;
        };
        const auto x = gathered<long double>(a.machine, a.shape.type, b.get(), 0, 1, a.shape.n);
        auto residual = gathered<long double>(a.machine, a.shape.type, b0.get(), 0, 1, a.shape.m);
        for (int64_t j = 0; j < a.shape.n; ++j) {
            const auto c = column(j);
            for (size_t i = 0; i < c.size(); ++i) residual[i] -= c[i] * x[size_t(j)];
        }
        double worst = 0;
        for (int64_t j = 0; j < a.shape.n; ++j) {
            const auto c = column(j);
            const double cosine = double(std::fabs(dot(c, residual)) / std::sqrt(dot(c, c) * dot(residual, residual)));
            worst = cosine <= worst ? worst : std::isnan(cosine) ? HUGE_VAL : cosine;
        }
        return worst;
    }
};

Run solved(const std::shared_ptr<const LeastSquares> &p, xbatchHandle_t handle) {
    const QrShape s = p->a.shape;
    size_t bytes = 0;
    Session::check(handle, xgelsTiled_bufferSize(handle, s.type, XBATCH_OP_N, s.m, s.n, 1, nullptr, &bytes));
    const auto workspace = std::make_shared<const Memory>(p->a.machine, bytes);
    return {[=] { p->restore(); },
            [=] {
                Session::check(handle, xgelsTiled(handle, s.type, XBATCH_OP_N, s.m, s.n, 1, nullptr, p->a.work.get(),
                                                  s.m, p->b.get(), s.m, nullptr, workspace->get(), bytes));
            },
            [=] { return p->error(); }, bytes};
}

void measure_gels(Session &session, const QrShape &s) {
    const Case which = describe("gelsTiled", s, entries(s) + double(s.m), s.flops() + 4 * entries(s));
    session.attempt(which, [&] {
        const auto p = std::make_shared<const LeastSquares>(session.machine(), s);
        const auto peer = [&](const char *name, auto make) {
            return Peer{name, [=] {
                            const auto work = make();
                            return Run{[=] { p->restore(); }, [=] { (*work)(p->a.work.get(), p->b.get()); },
                                       [=] { return p->error(); }, work->bytes()};
                        }};
        };
        std::vector<Peer> peers;
#ifdef BENCH_HAVE_CUDA
        if (session.on_cuda())
            peers.push_back(
                peer("cuSOLVER DDgels", [=] { return std::make_shared<CusolverGels>(p->a.machine, s.m, s.n); }));
#endif
        if (!session.on_cuda())
            peers.push_back(peer("LAPACK gels", [=] { return std::make_shared<LapackGels>(s.m, s.n); }));
        session.measure(which, solved(p, session.handle()), peers, bound_of(s));
    });
}

}  // namespace

void qr(Session &session) {
    constexpr int64_t part = 8;  // of rows and columns, if the run only checks that all cases run
    const auto sized = [&](QrShape s) {
        if (session.quick()) s.m /= part, s.n /= part;
        return s;
    };
    for (const QrShape &shape : shapes_of(session)) {
        const QrShape s = sized(shape);
        const Case which = describe("geqrtTiled", s, 2 * entries(s), s.flops());
        session.attempt(which, [&] {
            const auto a = std::make_shared<const QrMatrix>(session.machine(), s);
            session.measure(which, tiled_run(a, 0, nullptr), peers_of(session, a), bound_of(s));
        });
    }
    const int64_t largest = session.on_cuda() ? 8192 : 2048;
    for (const int64_t n : {largest / 2, largest}) measure_q(session, sized({n, n}));
    measure_q(session, sized({64 * largest, 64}));
    for (const QrShape &s : {QrShape{largest, largest / 4}, QrShape{64 * largest, 64}}) measure_gels(session, sized(s));
}

}  // namespace bench
