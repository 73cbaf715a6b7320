// tridiagonal_shifted.cpp: systems T + sigma_j W; peers: xgtsvBatch and xgtsvPscheme with a matrix for each system, and
// what pressure solvers run, without pivoting: on the host a loop, on CUDA a thread a column.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <vector>

#include "data/residual.hpp"
#include "peers/baselines.hpp"
#include "session.hpp"

namespace bench {
namespace {

struct Shape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, batch;
    bool is_dominant = true;

    int64_t ld() const { return tight(layout, n, batch, 32); }
};

// T, and the shifts; W is the identity. Dominant: the second difference, and shifts from 0 to -4, the first of them
// moved to -0.01. Otherwise: random numbers.
template <class R>
struct Shared {
    std::vector<R> dl, d, du, sigma;

    explicit Shared(const Shape &s) {
        const auto random = [](int64_t k, uint32_t seed) { return R(2 * random_number(uint64_t(k), seed) - 1); };
        for (int64_t i = 0; i < s.n; ++i) {
            dl.push_back(s.is_dominant ? R(1) : random(i, 5));
            d.push_back(s.is_dominant ? R(-2) : random(i, 6));
            du.push_back(s.is_dominant ? R(1) : random(i, 7));
        }
        for (int64_t j = 0; j < s.batch; ++j)
            sigma.push_back(s.is_dominant ? std::min(R(-0.01), R(-4) * R(j) / R(s.batch)) : random(j, 8));
    }
};

template <class R>
Memory copied(const Machine &machine, const std::vector<R> &from) {
    Memory memory(machine, from.size() * sizeof(R));
    machine.copy(memory.get(), from.data(), from.size() * sizeof(R));
    return memory;
}

template <class R>
struct Data {
    Shared<R> t;
    Memory dl, d, du, sigma;       // on the machine
    Memory all_dl, all_d, all_du;  // the matrices written out
    Memory b0, b;
    size_t bytes;

    Data(const Machine &machine, const Shape &s)
        : t(s),
          dl(copied(machine, t.dl)),
          d(copied(machine, t.d)),
          du(copied(machine, t.du)),
          sigma(copied(machine, t.sigma)),
          all_dl(written_out(machine, s, t.dl, false)),
          all_d(written_out(machine, s, t.d, true)),
          all_du(written_out(machine, s, t.du, false)),
          b0(random_array(machine, s.type, elements(s), -1, 1, 4)),
          b(random_array(machine, s.type, elements(s), -1, 1, 4)),
          bytes(size_t(elements(s)) * sizeof(R)) {}

    Gtsv problem(const Shape &s) const {
        return {s.type, s.layout, s.n, 1, s.batch, all_dl.get(), all_d.get(), all_du.get(), s.ld(), b.get(), s.ld()};
    }
    // T alone, for a peer that adds the shifts itself
    Gtsv shared_problem(const Shape &s) const {
        return {s.type, s.layout, s.n, 1, s.batch, dl.get(), d.get(), du.get(), 0, b.get(), s.ld()};
    }

private:
    static int64_t elements(const Shape &s) { return extent(s.layout, s.n, 1, s.batch, s.ld()); }
    Memory written_out(const Machine &machine, const Shape &s, const std::vector<R> &values, bool is_shifted) const {
        std::vector<R> all(size_t(elements(s)));
        for (int64_t j = 0; j < s.batch; ++j) {
            const Line at = line(s.layout, s.n, 1, s.ld(), j, 0);
            const R shift = is_shifted ? t.sigma[size_t(j)] : R(0);
            for (int64_t i = 0; i < s.n; ++i) all[size_t(at.base + i * at.step)] = values[size_t(i)] + shift;
        }
        return copied(machine, all);
    }
};

template <class R>
Run run_of(const Session &session, const Shape &s, const Data<R> &data, const Action &call, size_t workspace) {
    const Machine &machine = session.machine();
    return {[&machine, &data] { machine.copy(data.b.get(), data.b0.get(), data.bytes); }, call,
            [&machine, &data, s] { return error_of(machine, data.problem(s), data.b0.get()); }, workspace};
}

template <class R>
Run our_run(const Session &session, const Shape &s, const Data<R> &data) {
    size_t bytes = 0;
    session.check(xgtsvShiftedBatch_bufferSize(session.handle(), s.type, s.layout, s.n, 1, s.batch, &bytes));
    const auto workspace = std::make_shared<Memory>(session.machine(), bytes);
    const auto info = std::make_shared<Memory>(session.machine(), size_t(s.batch) * sizeof(int32_t));
    const Action call = [&session, &data, s, bytes, workspace, info] {
        session.check(xgtsvShiftedBatch(session.handle(), s.type, s.layout, s.n, 1, s.batch, data.dl.get(),
                                        data.d.get(), data.du.get(), nullptr, data.sigma.get(), XBATCH_PIN_NONE,
                                        data.b.get(), s.ld(), static_cast<int32_t *>(info->get()), workspace->get(),
                                        bytes));
    };
    return run_of(session, s, data, call, bytes);
}

template <class R, class Solve, class Query>
Run run_written_out(const Session &session, const Shape &s, const Data<R> &data, Solve solve, Query query) {
    size_t bytes = 0;
    session.check(query(session.handle(), s.type, s.layout, s.n, 1, s.batch, &bytes));
    const auto workspace = std::make_shared<Memory>(session.machine(), bytes);
    const auto info = std::make_shared<Memory>(session.machine(), size_t(s.batch) * sizeof(int32_t));
    const Gtsv p = data.problem(s);
    const Action call = [&session, p, solve, bytes, workspace, info] {
        session.check(solve(session.handle(), p.type, p.layout, p.n, 1, p.batch, p.dl, p.d, p.du, p.ldt, p.b, p.ldb,
                            static_cast<int32_t *>(info->get()), workspace->get(), bytes));
    };
    return run_of(session, s, data, call, bytes);
}

// The Thomas algorithm in place for `lanes` systems that are side by side; `step` is the distance between rows
template <class R>
void thomas(const Data<R> &data, int64_t n, int64_t first, int64_t lanes, R *b, int64_t step, R *quotients) {
    const R *const sigma = data.t.sigma.data() + first;
    for (int64_t i = 0; i < n; ++i) {
        const R lower = i > 0 ? data.t.dl[size_t(i)] : R(0), d = data.t.d[size_t(i)], upper = data.t.du[size_t(i)];
        const R *const before = quotients + std::max(i - 1, int64_t(0)) * lanes;
        const R *const y = b + std::max(i - 1, int64_t(0)) * step;
        R *const x = b + i * step, *const quotient = quotients + i * lanes;
#pragma omp simd
        for (int64_t l = 0; l < lanes; ++l) {
            const R z = R(1) / (d + sigma[l] - lower * before[l]);
            quotient[l] = upper * z;
            x[l] = (x[l] - lower * y[l]) * z;
        }
    }
    for (int64_t i = n - 1; i-- > 0;) {
        R *const x = b + i * step;
#pragma omp simd
        for (int64_t l = 0; l < lanes; ++l) x[l] -= quotients[i * lanes + l] * x[step + l];
    }
}

template <class R>
Run thomas_run(const Session &session, const Shape &s, const Data<R> &data) {
    const bool is_flat = s.layout == XBATCH_LAYOUT_FLAT;
    const int64_t lanes = is_flat ? 1 : 64;
    const Action call = [&data, s, is_flat, lanes] {
#pragma omp parallel
        {
            std::vector<R> quotients(size_t(s.n * lanes));
#pragma omp for
            for (int64_t j = 0; j < s.batch; j += lanes)
                thomas(data, s.n, j, lanes, static_cast<R *>(data.b.get()) + (is_flat ? j * s.n : j),
                       is_flat ? 1 : s.batch, quotients.data());
        }
    };
    return run_of(session, s, data, call, 0);
}

#ifdef BENCH_HAVE_CUDA
template <class R>
Run columns_run(const Session &session, const Shape &s, const Data<R> &data) {
    const Call call = shifted_columns(data.shared_problem(s), data.sigma.get());
    return run_of(session, s, data, call.run, call.workspace);
}
#endif

Case describe(const Shape &s) {
    const double rows = double(s.n) * double(s.batch), size = double(element_size(s.type));
    return {"shifted",
            "gtsvShiftedBatch",
            s.type,
            layout_name(s.layout),
            s.n,
            1,
            s.batch,
            s.is_dominant ? "" : "random",
            (2 * rows + 3 * double(s.n) + double(s.batch)) * size,
            8 * rows};
}

template <class R>
void run(Session &session, const Shape &s) {
    const Data<R> data(session.machine(), s);
    std::vector<Peer> peers = {{"xgtsvBatch, a matrix each",
                                [&] { return run_written_out(session, s, data, xgtsvBatch, xgtsvBatch_bufferSize); }}};
    if (s.is_dominant) {
        peers.push_back({"xgtsvPscheme, a matrix each",
                         [&] { return run_written_out(session, s, data, xgtsvPscheme, xgtsvPscheme_bufferSize); }});
#ifdef BENCH_HAVE_CUDA
        if (session.on_cuda() && s.layout == XBATCH_LAYOUT_INTERLEAVED)
            peers.push_back({"a thread a column, shared matrix", [&] { return columns_run(session, s, data); }});
#endif
        if (!session.on_cuda())
            peers.push_back({"Thomas loop, shared matrix (all threads)", [&] { return thomas_run(session, s, data); }});
    }
    session.measure(describe(s), our_run(session, s, data), peers, solve_bound * roundoff(s.type));
}

void attempt(Session &session, xbatchDataType_t type, xbatchLayout_t layout, int64_t n, bool is_dominant) {
    constexpr int64_t together = 64;
    const Shape s{type, layout, n, std::max(session.elements(type) / (n * together), int64_t(1)) * together,
                  is_dominant};
    session.attempt(describe(s), [&] { is_double(type) ? run<double>(session, s) : run<float>(session, s); });
}

}  // namespace

void shifted(Session &session) {
    const std::vector<int64_t> on_cuda = {20, 60, 64, 128, 137, 200, 300, 512, 1000},
                               on_host = {64, 137, 300, 512, 1024};
    for (const xbatchDataType_t type : {XBATCH_R_64F, XBATCH_R_32F})
        for (const xbatchLayout_t layout :
             {XBATCH_LAYOUT_INTERLEAVED, XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_BLOCK_INTERLEAVED})
            for (const int64_t n : session.on_cuda() ? on_cuda : on_host) {
                if (!session.on_cuda() && layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED) continue;
                attempt(session, type, layout, n, true);
                if (session.on_cuda()) attempt(session, type, layout, n, false);
            }
}

}  // namespace bench
