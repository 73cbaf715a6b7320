// qr.cpp: tiled QR of one dense matrix: on the host beside LAPACK's geqrf and one thread, on a GPU beside cuSOLVER's.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>

#include "baselines_qr.hpp"
#include "session.hpp"

namespace bench {
namespace {

struct Shape {
    int64_t m, n;
    xbatchDataType_t type = XBATCH_R_64F;
};

// A matrix, and where it is factored
struct Matrices {
    Shape shape;
    Memory original, work;

    Matrices(const Machine &machine, const Shape &s)
        : shape(s), original(random_array(machine, s.type, s.m * s.n, -1, 1, 1)), work(machine, bytes()) {}
    size_t bytes() const { return size_t(shape.m * shape.n) * element_size(shape.type); }
    void restore(const Machine &machine) const { machine.copy(work.get(), original.get(), bytes()); }
    // Q leaves the norms of columns as they are: the largest relative difference between those of A and of R
    double error(const Machine &machine) const {
        double worst = 0;
        const auto norm = [&](const Memory &memory, int64_t column, int64_t rows) {
            return is_complex(shape.type) ? norm_of<std::complex<long double>>(machine, memory, column, rows)
                                          : norm_of<long double>(machine, memory, column, rows);
        };
        for (int64_t j = 0; j < shape.n; ++j) {
            const long double expected = norm(original, j, shape.m), found = norm(work, j, std::min(j + 1, shape.m));
            const double difference = double(std::fabs(found - expected) / expected);
            worst = difference <= worst ? worst : difference;
        }
        return worst;
    }

private:
    template <class Wide>
    long double norm_of(const Machine &machine, const Memory &memory, int64_t column, int64_t rows) const {
        long double sum = 0;
        for (const Wide &x : gathered<Wide>(machine, shape.type, memory.get(), column * shape.m, 1, rows))
            sum += std::norm(x);
        return std::sqrt(sum);
    }
};

Case describe(const Shape &s) {
    const double m = double(s.m), n = double(s.n), k = std::min(m, n);
    const double flops = 4 * (m * n * k - (m + n) * k * k / 2 + k * k * k / 3) * (is_complex(s.type) ? 4 : 1);
    return {"qr",
            "geqrtTiled",
            s.type,
            "dense",
            s.n,
            1,
            1,
            std::to_string(s.m) + " x " + std::to_string(s.n),
            2 * m * n * double(element_size(s.type)),
            flops};
}

// threads: of the host
Run tiled(const Session &session, const std::shared_ptr<Matrices> &a, int threads) {
    const Shape s = a->shape;
    const auto handle = std::shared_ptr<xbatchContext>(
        [&] {
            xbatchHandle_t made = nullptr;
            Session::check(nullptr, xbatchCreate(&made, session.backend()));
            return made;
        }(),
        xbatchDestroy);
    if (!session.on_cuda()) session.check(handle.get(), xbatchSetThreadCount(handle.get(), threads));
    size_t t_bytes = 0, bytes = 0;
    session.check(handle.get(), xgeqrtTiled_bufferSize(handle.get(), s.type, s.m, s.n, nullptr, &t_bytes, &bytes));
    const auto t = std::make_shared<Memory>(session.machine(), t_bytes);
    const auto workspace = std::make_shared<Memory>(session.machine(), bytes);
    const auto call = [=] {
        Session::check(handle.get(), xgeqrtTiled(handle.get(), s.type, s.m, s.n, nullptr, a->work.get(), s.m, t->get(),
                                                 nullptr, workspace->get(), bytes));
    };
    const Machine &machine = session.machine();
    return {[=, &machine] { a->restore(machine); }, call, [=, &machine] { return a->error(machine); }, t_bytes + bytes};
}

template <class Peer>
Run peer(const Session &session, const std::shared_ptr<Matrices> &a, const std::shared_ptr<Peer> &work) {
    const Machine &machine = session.machine();
    return {[=, &machine] { a->restore(machine); }, [=] { (*work)(a->work.get()); },
            [=, &machine] { return a->error(machine); }, work->bytes()};
}

std::vector<Peer> peers_of(const Session &session, const std::shared_ptr<Matrices> &a) {
    const Shape s = a->shape;
#ifdef BENCH_HAVE_CUDA
    if (session.on_cuda())
        return {{"cuSOLVER geqrf", [=, &session] {
                     return peer(session, a, std::make_shared<CusolverGeqrf>(session.machine(), s.type, s.m, s.n));
                 }}};
#endif
    return {
        {"LAPACK geqrf", [=, &session] { return peer(session, a, std::make_shared<LapackGeqrf>(s.type, s.m, s.n)); }},
        {"one thread", [=, &session] { return tiled(session, a, 1); }}};
}

std::vector<Shape> shapes_of(const Session &session) {
    std::vector<Shape> shapes;
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

}  // namespace

void qr(Session &session) {
    constexpr int64_t part = 8;  // of rows and columns, where it is only to be seen that all runs
    for (Shape s : shapes_of(session)) {
        if (session.quick()) s.m /= part, s.n /= part;
        session.attempt(describe(s), [&] {
            const auto a = std::make_shared<Matrices>(session.machine(), s);
            session.measure(describe(s), tiled(session, a, 0), peers_of(session, a), double(s.m) * roundoff(s.type));
        });
    }
}

}  // namespace bench
