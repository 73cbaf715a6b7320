// qr_batch.cpp: many small QRs and least squares, on the host beside LAPACK in a loop, on a GPU beside
// cuBLAS.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>

#include "baselines_qr_batch.hpp"
#include "session.hpp"

namespace bench {
namespace {

struct Shape {
    int64_t m, n, nrhs = 0;  // nrhs: of least squares; 0 for factors
    xbatchDataType_t type = XBATCH_R_64F;
    xbatchLayout_t layout = XBATCH_LAYOUT_FLAT;
    int64_t batch = 0;  // as many as fill memory

    int64_t k() const { return std::min(m, n); }
};

// Matrices, right-hand sides, and where they are worked on
struct Data {
    Shape s;
    Memory a0, a, tau, b0, b;

    Data(const Machine &machine, const Shape &shape)
        : s(shape),
          a0(random_array(machine, s.type, s.m * s.n * s.batch, -1, 1, 1)),
          a(machine, a_bytes()),
          tau(machine, size_t(s.k() * s.batch) * element_size(s.type)),
          b0(random_array(machine, s.type, s.m * std::max<int64_t>(s.nrhs, 1) * s.batch, -1, 1, 2)),
          b(machine, b_bytes()) {}
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
    // Of some matrices: Q leaves norms as they are, those of the columns of A in R; or A^H (B - A X) = 0.
    template <class Wide>
    double worst(const Machine &machine) const {
        constexpr int64_t most = 16;
        double found = 0;
        for (int64_t t = 0; t < std::min(most, s.batch); ++t) {
            const int64_t j = t * (s.batch - 1) / std::max<int64_t>(std::min(most, s.batch) - 1, 1);
            const double e = s.nrhs > 0 ? normal<Wide>(machine, j) : norms<Wide>(machine, j);
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
        double found = 0;
        for (int64_t c = 0; c < s.n; ++c) {
            long double x = 0, y = 0;
            for (int64_t i = 0; i < s.m; ++i) x += std::norm(before[size_t(c * s.m + i)]);
            for (int64_t i = 0; i < std::min(c + 1, s.m); ++i) y += std::norm(after[size_t(c * s.m + i)]);
            const double e = double(std::fabs(std::sqrt(x) - std::sqrt(y)) / std::sqrt(x));
            found = e <= found ? found : e;
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
                Wide sum(0);
                for (int64_t i = 0; i < s.m; ++i) {
                    if constexpr (std::is_same_v<Wide, long double>)
                        sum += g[size_t(c * s.m + i)] * rest[size_t(i)];
                    else
                        sum += std::conj(g[size_t(c * s.m + i)]) * rest[size_t(i)];
                }
                const double e = double(std::abs(sum) / (size * (long double)(s.m * s.n)));
                found = e <= found ? found : e;
            }
        }
        return found;
    }
};

Case describe(const Shape &s) {
    const double m = double(s.m), n = double(s.n), k = double(s.k()), nrhs = double(s.nrhs), batch = double(s.batch);
    const double factors = 4 * (m * n * k - (m + n) * k * k / 2 + k * k * k / 3);
    const double solve = nrhs * (4 * m * k - k * k);
    return {"qr_batch",
            s.nrhs > 0 ? "gelsBatch" : "geqrfBatch",
            s.type,
            layout_name(s.layout),
            s.n,
            std::max<int64_t>(s.nrhs, 1),
            s.batch,
            std::to_string(s.m) + " x " + std::to_string(s.n),
            (s.nrhs > 0 ? m * n + 2 * m * nrhs : 2 * m * n) * batch * double(element_size(s.type)),
            (factors + solve) * batch * (is_complex(s.type) ? 4 : 1)};
}

Run ours(const Session &session, const std::shared_ptr<Data> &d) {
    const Shape s = d->s;
    const Machine &machine = session.machine();
    const xbatchHandle_t h = session.handle();
    size_t bytes = 0;
    if (s.nrhs > 0)
        session.check(xgelsBatch_bufferSize(h, s.type, s.layout, XBATCH_OP_N, s.m, s.n, s.nrhs, s.batch, &bytes));
    else
        session.check(xgeqrfBatch_bufferSize(h, s.type, s.layout, s.m, s.n, s.batch, &bytes));
    const auto space = std::make_shared<Memory>(machine, bytes);
    const auto call = [=, &session] {
        if (s.nrhs > 0)
            session.check(xgelsBatch(h, s.type, s.layout, XBATCH_OP_N, s.m, s.n, s.nrhs, s.batch, d->a.get(), s.m,
                                     d->stride(s.n), d->b.get(), s.m, d->stride(s.nrhs), nullptr, space->get(), bytes));
        else
            session.check(xgeqrfBatch(h, s.type, s.layout, s.m, s.n, s.batch, d->a.get(), s.m, d->stride(s.n),
                                      d->tau.get(), d->is_flat() ? s.k() : s.batch, nullptr, space->get(), bytes));
    };
    return {[=, &machine] { d->restore(machine); }, call, [=, &machine] { return d->error(machine); }, bytes};
}

// The peers take flat matrices.
std::vector<Peer> peers_of(const Session &session, const std::shared_ptr<Data> &d) {
    if (!d->is_flat()) return {};
    const Machine &machine = session.machine();
#ifdef BENCH_HAVE_CUDA
    if (session.on_cuda())
        return {{d->s.nrhs > 0 ? "cuBLAS gelsBatched" : "cuBLAS geqrfBatched", [=, &machine]() -> Run {
                     const Shape s = d->s;
                     const auto cublas = std::make_shared<CublasQr>(machine, s.type, s.m, s.n, s.nrhs, s.batch,
                                                                    d->a.get(), d->tau.get(), d->b.get());
                     return {[=, &machine] { d->restore(machine); }, [=] { (*cublas)(); },
                             [=, &machine] { return d->error(machine); }};
                 }}};
#endif
    const auto loop = [=, &machine](int threads) -> Run {
        const auto lapack = std::make_shared<LapackQrLoop>(d->s.type, d->s.m, d->s.n, d->s.nrhs, threads);
        const auto call = [=] { (*lapack)(d->s.batch, d->a.get(), d->tau.get(), d->b.get()); };
        return {[=, &machine] { d->restore(machine); }, call, [=, &machine] { return d->error(machine); }};
    };
    return {{"LAPACK loop (1 thread)", [=] { return loop(1); }},
            {"LAPACK loop (all threads)", [=] { return loop(omp_get_max_threads()); }}};
}

std::vector<Shape> shapes_of() {
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
    return shapes;
}

}  // namespace

void qr_batch(Session &session) {
    for (Shape s : shapes_of()) {
        if (s.batch == 0) s.batch = std::max<int64_t>(session.elements(s.type) / (s.m * s.n), 1);
        session.attempt(describe(s), [&] {
            const auto data = std::make_shared<Data>(session.machine(), s);
            session.measure(describe(s), ours(session, data), peers_of(session, data),
                            10 * double(s.m) * roundoff(s.type));
        });
    }
}

}  // namespace bench
