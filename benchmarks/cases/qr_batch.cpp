// qr_batch.cpp: QR and least squares of many small matrices, of one size in layouts or by pointers, of several sizes,
// and on a GPU of a few large ones; peers: on the host LAPACK in a loop, on a GPU cuBLAS and cuSOLVER.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_batch.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>

#include "peers/baselines_qr_batch.hpp"
#include "peers/cusolverdx.hpp"

namespace bench {
namespace {

using Shape = QrBatchShape;

// In the machine's memory
template <class V>
Memory carried(const Machine &machine, const std::vector<V> &values) {
    Memory memory(machine, values.size() * sizeof(V));
    machine.copy(memory.get(), values.data(), values.size() * sizeof(V));
    return memory;
}
template <class F>
Memory for_each_matrix(const Machine &machine, const Shape &s, F f) {
    std::vector<decltype(f(int64_t(0)))> values;
    for (int64_t j = 0; j < (s.by_pointers ? s.batch : 0); ++j) values.push_back(f(j));
    return carried(machine, values);
}
Memory addresses(const Machine &machine, const Shape &s, const Memory &first, int64_t elements) {
    const size_t bytes = size_t(elements) * element_size(s.type);
    return for_each_matrix(machine, s, [&](int64_t j) { return static_cast<char *>(first.get()) + size_t(j) * bytes; });
}

// Matrices and right-hand sides, and the copies that calls overwrite
struct Data {
    Shape s;
    Memory a0, a, tau, b0, b;
    Memory each_a, each_tau, each_b, ms, ns;  // of calls by pointers; each matrix has the space of the largest

    Data(const Machine &machine, const Shape &shape)
        : s(shape),
          a0(random_array(machine, s.type, s.m * s.n * s.batch, -1, 1, 1)),
          a(machine, a_bytes()),
          tau(machine, size_t(s.k() * s.batch) * element_size(s.type)),
          b0(random_array(machine, s.type, s.m * std::max<int64_t>(s.nrhs, 1) * s.batch, -1, 1, 2)),
          b(machine, b_bytes()),
          each_a(addresses(machine, s, a, s.m * s.n)),
          each_tau(addresses(machine, s, tau, s.k())),
          each_b(addresses(machine, s, b, s.m * s.nrhs)),
          ms(for_each_matrix(machine, s, [&](int64_t j) { return s.own_m(j); })),
          ns(for_each_matrix(machine, s, [&](int64_t j) { return s.own_n(j); })) {}
    size_t a_bytes() const { return size_t(s.m * s.n * s.batch) * element_size(s.type); }
    size_t b_bytes() const { return size_t(s.m * std::max<int64_t>(s.nrhs, 1) * s.batch) * element_size(s.type); }
    bool is_flat() const { return s.layout == XBATCH_LAYOUT_FLAT; }
    int64_t stride(int64_t columns) const { return is_flat() ? s.m * columns : s.batch; }
    void restore(const Machine &machine) const {
        machine.copy(a.get(), a0.get(), a_bytes());
        machine.copy(b.get(), b0.get(), b_bytes());
    }
    double error(const Machine &machine) const {
        return is_complex(s.type) ? worst<std::complex<long double>>(machine) : worst<long double>(machine);
    }

private:
    // Of a sample of matrices: Q preserves norms, so the columns of R have those of A; or A^H (B - A X) = 0; or Q is
    // orthogonal.
    template <class Wide>
    double worst(const Machine &machine) const {
        constexpr int64_t most = 16;
        double found = 0;
        for (int64_t t = 0; t < std::min(most, s.batch); ++t) {
            const int64_t j = t * (s.batch - 1) / std::max<int64_t>(std::min(most, s.batch) - 1, 1);
            const double e = s.nrhs > 0  ? normal<Wide>(machine, j)
                             : s.forms_q ? orthogonal<Wide>(machine, j)
                                         : norms<Wide>(machine, j);
            found = e <= found ? found : e;
        }
        return found;
    }
    template <class Wide>
    std::vector<Wide> matrix(const Machine &machine, const Memory &memory, int64_t columns, int64_t j) const {
        const int64_t step = is_flat() ? 1 : s.batch;
        return gathered<Wide>(machine, s.type, memory.get(), is_flat() ? j * s.m * columns : j, step, s.m * columns);
    }
    template <class Wide>
    double norms(const Machine &machine, int64_t j) const {
        const auto before = matrix<Wide>(machine, a0, s.n, j), after = matrix<Wide>(machine, a, s.n, j);
        const int64_t m = s.own_m(j), n = s.own_n(j);
        double found = 0;
        for (int64_t c = 0; c < n; ++c) {
            long double x = 0, y = 0;
            for (int64_t i = 0; i < m; ++i) x += std::norm(before[size_t(c * s.m + i)]);
            for (int64_t i = 0; i < std::min(c + 1, m); ++i) y += std::norm(after[size_t(c * s.m + i)]);
            const double e = double(std::fabs(std::sqrt(x) - std::sqrt(y)) / std::sqrt(x));
            found = e <= found ? found : e;
        }
        return found;
    }
    template <class Wide>
    static Wide product(const Wide *x, const Wide *y, int64_t m) {
        Wide sum(0);
        for (int64_t i = 0; i < m; ++i) {
            if constexpr (std::is_same_v<Wide, long double>)
                sum += x[i] * y[i];
            else
                sum += std::conj(x[i]) * y[i];
        }
        return sum;
    }
    // Adjacent columns of Q are orthonormal, and its first ones contain the first ones of A.
    template <class Wide>
    double orthogonal(const Machine &machine, int64_t j) const {
        const auto before = matrix<Wide>(machine, a0, s.n, j), q = matrix<Wide>(machine, a, s.n, j);
        double found = 0;
        const auto differs = [&](long double x, long double y) {
            const double e = double(std::fabs(x - y));
            found = e <= found ? found : e;
        };
        for (int64_t c = 0; c < s.n; ++c) {
            const Wide *const own = &q[size_t(c * s.m)];
            differs(std::abs(product(own, own, s.m)), 1);
            if (c + 1 < s.n) differs(std::abs(product(own, own + s.m, s.m)), 0);
        }
        for (int64_t c = 0; c < std::min<int64_t>(s.n, 8); ++c) {
            const Wide *const x = &before[size_t(c * s.m)];
            long double norm = 0;
            for (int64_t r = 0; r <= c; ++r) norm += std::norm(product(&q[size_t(r * s.m)], x, s.m));
            differs(std::sqrt(norm / std::abs(product(x, x, s.m))), 1);
        }
        return found;
    }
    template <class Wide>
    double normal(const Machine &machine, int64_t j) const {
        const auto g = matrix<Wide>(machine, a0, s.n, j), right = matrix<Wide>(machine, b0, s.nrhs, j),
                   x = matrix<Wide>(machine, b, s.nrhs, j);
        double found = 0;
        for (int64_t r = 0; r < s.nrhs; ++r) {
            std::vector<Wide> rest(right.begin() + r * s.m, right.begin() + (r + 1) * s.m);
            long double size = 0;
            for (int64_t c = 0; c < s.n; ++c)
                for (int64_t i = 0; i < s.m; ++i) rest[size_t(i)] -= g[size_t(c * s.m + i)] * x[size_t(r * s.m + c)];
            for (int64_t c = 0; c < s.n; ++c) size = std::max(size, (long double)std::abs(x[size_t(r * s.m + c)]));
            for (int64_t c = 0; c < s.n; ++c) {
                const Wide sum = product(&g[size_t(c * s.m)], rest.data(), s.m);
                const double e = double(std::abs(sum) / (size * (long double)(s.m * s.n)));
                found = e <= found ? found : e;
            }
        }
        return found;
    }
};

Case describe(const Shape &s) {
    double elements = 0, factors = 0;  // of a matrix, on average
    const int64_t samples = s.least == 0 ? 1 : s.batch;
    for (int64_t j = 0; j < samples; ++j) {
        const double m = double(s.own_m(j)), n = double(s.own_n(j)), k = std::min(m, n);
        elements += m * n / double(samples);
        factors += 4 * (m * n * k - (m + n) * k * k / 2 + k * k * k / 3) / double(samples);
    }
    const double m = double(s.m), k = double(s.k()), nrhs = double(s.nrhs), batch = double(s.batch);
    const double solve = nrhs * (4 * m * k - k * k), q = s.forms_q ? 2 * k * k * (m - k / 3) : 0;
    const std::string least = s.least == 0 ? "" : std::to_string(s.least) + "...";
    return {s.family,
            std::string(s.nrhs > 0  ? "gels"
                        : s.forms_q ? "ungqr"
                                    : "geqrf") +
                (s.by_pointers ? "VBatch" : "Batch"),
            s.type,
            s.by_pointers ? "pointers" : layout_name(s.layout),
            s.n,
            std::max<int64_t>(s.nrhs, 1),
            s.batch,
            least + std::to_string(s.m) + " x " + least + std::to_string(s.n) + (s.forms_q ? " after geqrf" : ""),
            (s.nrhs > 0 ? elements + 2 * m * nrhs : 2 * elements) * batch * double(element_size(s.type)),
            (factors + solve + q) * batch * (is_complex(s.type) ? 4 : 1)};
}

Run run_of(const Session &session, const std::shared_ptr<Data> &d, size_t bytes,
           const std::function<void(void *workspace)> &call) {
    const Machine &machine = session.machine();
    const auto space = std::make_shared<Memory>(machine, bytes);
    return {[=, &machine] { d->restore(machine); }, [=] { call(space->get()); },
            [=, &machine] { return d->error(machine); }, bytes};
}

Run ours_by_pointers(const Session &session, const std::shared_ptr<Data> &d) {
    const Shape s = d->s;
    const xbatchHandle_t h = session.handle();
    size_t bytes = 0;
    if (s.nrhs > 0)
        session.check(xgelsVBatch_bufferSize(h, s.type, XBATCH_OP_N, s.m, s.n, s.nrhs, s.batch, &bytes));
    else
        session.check(xgeqrfVBatch_bufferSize(h, s.type, s.m, s.n, s.batch, &bytes));
    return run_of(session, d, bytes, [=, &session](void *space) {
        const bool vary = s.least > 0;
        const auto *m = vary ? static_cast<const int64_t *>(d->ms.get()) : nullptr;
        const auto *n = vary ? static_cast<const int64_t *>(d->ns.get()) : nullptr;
        const auto a = static_cast<void *const *>(d->each_a.get()), b = static_cast<void *const *>(d->each_b.get());
        const auto tau = static_cast<void *const *>(d->each_tau.get());
        if (s.nrhs > 0)
            session.check(xgelsVBatch(h, s.type, XBATCH_OP_N, s.m, s.n, s.nrhs, s.batch, m, n, nullptr, a, s.m, nullptr,
                                      b, s.m, nullptr, nullptr, space, bytes));
        else
            session.check(
                xgeqrfVBatch(h, s.type, s.m, s.n, s.batch, m, n, a, s.m, nullptr, tau, nullptr, space, bytes));
    });
}

Run ours(const Session &session, const std::shared_ptr<Data> &d) {
    if (d->s.by_pointers) return ours_by_pointers(session, d);
    const Shape s = d->s;
    const xbatchHandle_t h = session.handle();
    size_t bytes = 0;
    if (s.nrhs > 0)
        session.check(xgelsBatch_bufferSize(h, s.type, s.layout, XBATCH_OP_N, s.m, s.n, s.nrhs, s.batch, &bytes));
    else
        session.check(xgeqrfBatch_bufferSize(h, s.type, s.layout, s.m, s.n, s.batch, &bytes));
    if (s.forms_q) {
        size_t more = 0;
        session.check(xungqrBatch_bufferSize(h, s.type, s.layout, s.m, s.n, s.n, s.batch, &more));
        bytes = std::max(bytes, more);
    }
    return run_of(session, d, bytes, [=, &session](void *space) {
        if (s.nrhs > 0)
            session.check(xgelsBatch(h, s.type, s.layout, XBATCH_OP_N, s.m, s.n, s.nrhs, s.batch, d->a.get(), s.m,
                                     d->stride(s.n), d->b.get(), s.m, d->stride(s.nrhs), nullptr, space, bytes));
        else
            session.check(xgeqrfBatch(h, s.type, s.layout, s.m, s.n, s.batch, d->a.get(), s.m, d->stride(s.n),
                                      d->tau.get(), d->is_flat() ? s.k() : s.batch, nullptr, space, bytes));
        if (s.forms_q)
            session.check(xungqrBatch(h, s.type, s.layout, s.m, s.n, s.n, s.batch, d->a.get(), s.m, d->stride(s.n),
                                      d->tau.get(), d->is_flat() ? s.k() : s.batch, space, bytes));
    });
}

#ifdef BENCH_HAVE_CUDA
// Least squares by our factors, our product with Q^H and cuBLAS's triangular systems
Run in_three_calls(const Session &session, const std::shared_ptr<Data> &d) {
    const Shape s = d->s;
    const xbatchHandle_t h = session.handle();
    constexpr auto flat = XBATCH_LAYOUT_FLAT;
    constexpr auto left = XBATCH_SIDE_LEFT;
    const auto op = is_complex(s.type) ? XBATCH_OP_C : XBATCH_OP_T;
    size_t bytes = 0, more = 0;
    session.check(xgeqrfBatch_bufferSize(h, s.type, flat, s.m, s.n, s.batch, &bytes));
    session.check(xunmqrBatch_bufferSize(h, s.type, flat, left, op, s.m, s.nrhs, s.n, s.batch, &more));
    bytes = std::max(bytes, more);
    const auto triangles =
        std::make_shared<CublasTriangles>(session.machine(), s.type, s.m, s.n, s.nrhs, s.batch, d->a.get(), d->b.get());
    return run_of(session, d, bytes, [=, &session](void *space) {
        session.check(xgeqrfBatch(h, s.type, flat, s.m, s.n, s.batch, d->a.get(), s.m, s.m * s.n, d->tau.get(), s.n,
                                  nullptr, space, bytes));
        session.check(xunmqrBatch(h, s.type, flat, left, op, s.m, s.nrhs, s.n, s.batch, d->a.get(), s.m, s.m * s.n,
                                  d->tau.get(), s.n, d->b.get(), s.m, s.m * s.nrhs, space, bytes));
        (*triangles)();
    });
}

// A peer that works on the arrays of `d`: `make` returns what is called.
template <class Make>
Peer peer_on(const Session &session, const std::shared_ptr<Data> &d, const std::string &name, Make make) {
    const Machine &machine = session.machine();
    return {name, [=, &machine]() -> Run {
                const auto theirs = make(machine, *d);
                return {[=, &machine] { d->restore(machine); }, [=] { (*theirs)(); },
                        [=, &machine] { return d->s.least > 0 ? 0 : d->error(machine); }};
            }};
}

std::vector<Peer> device_peers(const Session &session, const std::shared_ptr<Data> &d) {
    const Shape s = d->s;
    std::vector<Peer> peers;
    constexpr int64_t most_rows = 512;  // more would take cuBLAS seconds
    constexpr int64_t most = 1000;      // more would take a loop seconds
    if (s.forms_q) {
        if (s.batch <= most)
            peers.push_back(
                peer_on(session, d, "cuSOLVER geqrf and orgqr, as torch calls them", [](const Machine &at, auto &x) {
                    return std::make_shared<TorchQr>(at, x.s.type, x.s.m, x.s.n, x.s.batch, x.a.get(), x.tau.get());
                }));
        return peers;
    }
    if (s.m <= most_rows)
        peers.push_back(peer_on(session, d,
                                std::string("cuBLAS ") + (s.nrhs > 0 ? "gelsBatched" : "geqrfBatched") +
                                    (s.least > 0 ? " of the largest" : ""),
                                [](const Machine &at, auto &x) {
                                    return std::make_shared<CublasQr>(at, x.s.type, x.s.m, x.s.n, x.s.nrhs, x.s.batch,
                                                                      x.a.get(), x.tau.get(), x.b.get());
                                }));
    if (!s.by_pointers && CusolverdxQr::exists(s.type, s.m, s.n, s.nrhs, s.batch))
        peers.push_back(peer_on(session, d, "cuSolverDx", [](const Machine &at, auto &x) {
            return std::make_shared<CusolverdxQr>(at, x.s.type, x.s.m, x.s.n, x.s.nrhs, x.s.batch, x.a.get(),
                                                  x.tau.get(), x.b.get(), [&] { x.restore(at); });
        }));
    if (s.nrhs > 0 && !s.by_pointers)
        peers.push_back({"geqrf, unmqr, cuBLAS trsmBatched", [=, &session] { return in_three_calls(session, d); }});
    for (const int streams : {1, 16})
        if (s.nrhs == 0 && s.least == 0 && s.batch <= most)
            peers.push_back(peer_on(session, d, streams == 1 ? "cuSOLVER geqrf loop" : "cuSOLVER geqrf on 16 streams",
                                    [=](const Machine &at, auto &x) {
                                        return std::make_shared<CusolverLoop>(at, x.s.type, x.s.m, x.s.n, x.s.batch,
                                                                              x.a.get(), x.tau.get(), streams);
                                    }));
    return peers;
}
#endif

// The peers support only flat matrices.
std::vector<Peer> peers_of(const Session &session, const std::shared_ptr<Data> &d) {
    if (!d->is_flat()) return {};
    const Machine &machine = session.machine();
#ifdef BENCH_HAVE_CUDA
    if (session.on_cuda()) return device_peers(session, d);
#endif
    const auto loop = [=, &machine](int threads) -> Run {
        const auto lapack = std::make_shared<LapackQrLoop>(d->s.type, d->s.m, d->s.n, d->s.nrhs, threads);
        const bool vary = d->s.least > 0;
        const auto call = [=] {
            (*lapack)(d->s.batch, d->a.get(), d->tau.get(), d->b.get(),
                      vary ? static_cast<const int64_t *>(d->ms.get()) : nullptr,
                      vary ? static_cast<const int64_t *>(d->ns.get()) : nullptr);
        };
        return {[=, &machine] { d->restore(machine); }, call, [=, &machine] { return d->error(machine); }};
    };
    return {{"LAPACK loop (1 thread)", [=] { return loop(1); }},
            {"LAPACK loop (all threads)", [=] { return loop(omp_get_max_threads()); }}};
}

std::vector<Shape> shapes_of(bool on_cuda) {
    constexpr auto D = XBATCH_R_64F;
    constexpr auto flat = XBATCH_LAYOUT_FLAT, interleaved = XBATCH_LAYOUT_INTERLEAVED;
    std::vector<Shape> shapes;
    for (const auto layout : {flat, interleaved}) {
        for (int64_t n : {8, 16, 32, 64, 128}) shapes.push_back({n, n, 0, D, layout});
        shapes.push_back({256, 32, 0, D, layout});
        shapes.push_back({512, 16, 0, D, layout});
        for (int64_t n : {8, 16, 31}) shapes.push_back({n, n, 1, D, layout});
        shapes.push_back({64, 16, 1, D, layout});
        shapes.push_back({128, 30, 2, D, layout});
    }
    for (const auto type : {XBATCH_R_32F, XBATCH_C_32F, XBATCH_C_64F})
        for (int64_t n : {8, 16, 32, 64}) shapes.push_back({n, n, 0, type});
    for (int64_t batch : {10, 1000, 100000}) shapes.push_back({16, 16, 0, D, flat, batch});
    for (int64_t n : {8, 32, 128}) shapes.push_back({n, n, 0, D, flat, 0, true});
    shapes.push_back({16, 16, 1, D, flat, 0, true});
    for (int64_t n : {16, 32, 128}) shapes.push_back({n, n, 0, D, flat, 0, true, n / 16});
    if (!on_cuda) return shapes;
    for (int64_t n : {512, 1000, 2048, 4096, 8192}) shapes.push_back({n, n, 0, D, flat, 1});
    shapes.push_back({1000000, 64, 0, D, flat, 1});
    shapes.push_back({262144, 256, 0, D, flat, 1});
    shapes.push_back({20000, 128, 0, D, flat, 100});
    for (const auto type : {XBATCH_R_32F, XBATCH_C_32F, XBATCH_C_64F}) shapes.push_back({4096, 4096, 0, type, flat, 1});
    return shapes;
}

}  // namespace

void measure(Session &session, QrBatchShape s) {
    if (s.batch == 0) s.batch = std::max<int64_t>(session.elements(s.type) / (s.m * s.n), 1);
    session.attempt(describe(s), [&] {
        const auto data = std::make_shared<Data>(session.machine(), s);
        session.measure(describe(s), ours(session, data), peers_of(session, data), 10 * double(s.m) * roundoff(s.type));
    });
}

void qr_batch(Session &session) {
    for (const Shape &s : shapes_of(session.on_cuda())) measure(session, s);
}

}  // namespace bench
