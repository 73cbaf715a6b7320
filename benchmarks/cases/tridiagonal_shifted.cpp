// tridiagonal_shifted.cpp: systems T + sigma_j W on the host; peers: xgtsvBatch and xgtsvPscheme with a matrix for each
// system, and the loop of pressure solvers, without pivoting.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <vector>

#include "data/residual.hpp"
#include "session.hpp"

namespace bench {
namespace {

struct Shape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, batch;
};

// T is the second difference, W the identity, and the shifts go from 0 to -4, the first of them moved to -0.01.
template <class R>
struct Data {
    std::vector<R> off, d, sigma;
    Memory dl, diagonal, du, b0, b;  // the matrices written out
    size_t bytes;

    Data(const Machine &machine, const Shape &s)
        : off(size_t(s.n), R(1)),
          d(size_t(s.n), R(-2)),
          dl(random_array(machine, s.type, s.n * s.batch, 1, 1, 1)),
          diagonal(random_array(machine, s.type, s.n * s.batch, -2, -2, 2)),
          du(random_array(machine, s.type, s.n * s.batch, 1, 1, 3)),
          b0(random_array(machine, s.type, s.n * s.batch, -1, 1, 4)),
          b(random_array(machine, s.type, s.n * s.batch, -1, 1, 4)),
          bytes(size_t(s.n * s.batch) * sizeof(R)) {
        for (int64_t j = 0; j < s.batch; ++j) {
            sigma.push_back(std::min(R(-0.01), R(-4) * R(j) / R(s.batch)));
            const Line at = line(s.layout, s.n, 1, tight(s.layout, s.n, s.batch, 1), j, 0);
            for (int64_t i = 0; i < s.n; ++i) static_cast<R *>(diagonal.get())[at.base + i * at.step] += sigma.back();
        }
    }
    Gtsv written_out(const Shape &s) const {
        const int64_t ld = tight(s.layout, s.n, s.batch, 1);
        return {s.type, s.layout, s.n, 1, s.batch, dl.get(), diagonal.get(), du.get(), ld, b.get(), ld};
    }
};

template <class R>
Run run_of(const Session &session, const Shape &s, const Data<R> &data, const Action &call, size_t workspace) {
    const Machine &machine = session.machine();
    return {[&machine, &data] { machine.copy(data.b.get(), data.b0.get(), data.bytes); }, call,
            [&machine, &data, s] { return error_of(machine, data.written_out(s), data.b0.get()); }, workspace};
}

template <class R>
Run our_run(const Session &session, const Shape &s, const Data<R> &data) {
    size_t bytes = 0;
    session.check(xgtsvShiftedBatch_bufferSize(session.handle(), s.type, s.layout, s.n, 1, s.batch, &bytes));
    const auto workspace = std::make_shared<Memory>(session.machine(), bytes);
    const auto info = std::make_shared<std::vector<int32_t>>(size_t(s.batch));
    const Action call = [&session, &data, s, bytes, workspace, info] {
        session.check(xgtsvShiftedBatch(session.handle(), s.type, s.layout, s.n, 1, s.batch, data.off.data(),
                                        data.d.data(), data.off.data(), nullptr, data.sigma.data(), XBATCH_PIN_NONE,
                                        data.b.get(), tight(s.layout, s.n, s.batch, 1), info->data(), workspace->get(),
                                        bytes));
    };
    return run_of(session, s, data, call, bytes);
}

template <class R, class Solve, class Query>
Run run_written_out(const Session &session, const Shape &s, const Data<R> &data, Solve solve, Query query) {
    size_t bytes = 0;
    session.check(query(session.handle(), s.type, s.layout, s.n, 1, s.batch, &bytes));
    const auto workspace = std::make_shared<Memory>(session.machine(), bytes);
    const auto info = std::make_shared<std::vector<int32_t>>(size_t(s.batch));
    const Gtsv p = data.written_out(s);
    const Action call = [&session, p, solve, bytes, workspace, info] {
        session.check(solve(session.handle(), p.type, p.layout, p.n, 1, p.batch, p.dl, p.d, p.du, p.ldt, p.b, p.ldb,
                            info->data(), workspace->get(), bytes));
    };
    return run_of(session, s, data, call, bytes);
}

// The Thomas algorithm in place for `lanes` systems that are side by side; `step` is the distance between rows
template <class R>
void thomas(const Data<R> &data, int64_t n, int64_t first, int64_t lanes, R *b, int64_t step, R *quotients) {
    const R *const sigma = data.sigma.data() + first;
    for (int64_t i = 0; i < n; ++i) {
        const R lower = i > 0 ? data.off[size_t(i)] : R(0), d = data.d[size_t(i)], upper = data.off[size_t(i)];
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

Case describe(const Shape &s) {
    const double rows = double(s.n) * double(s.batch), size = double(element_size(s.type));
    return {"shifted",
            "gtsvShiftedBatch",
            s.type,
            layout_name(s.layout),
            s.n,
            1,
            s.batch,
            "",
            (2 * rows + 3 * double(s.n) + double(s.batch)) * size,
            8 * rows};
}

template <class R>
void run(Session &session, const Shape &s) {
    const Data<R> data(session.machine(), s);
    const std::vector<Peer> peers = {
        {"xgtsvBatch, a matrix each",
         [&] { return run_written_out(session, s, data, xgtsvBatch, xgtsvBatch_bufferSize); }},
        {"xgtsvPscheme, a matrix each",
         [&] { return run_written_out(session, s, data, xgtsvPscheme, xgtsvPscheme_bufferSize); }},
        {"Thomas loop, shared matrix (all threads)", [&] { return thomas_run(session, s, data); }}};
    session.measure(describe(s), our_run(session, s, data), peers, solve_bound * roundoff(s.type));
}

}  // namespace

void shifted(Session &session) {
    if (session.on_cuda()) return;
    constexpr int64_t together = 64;
    for (const xbatchDataType_t type : {XBATCH_R_64F, XBATCH_R_32F})
        for (const xbatchLayout_t layout : {XBATCH_LAYOUT_INTERLEAVED, XBATCH_LAYOUT_FLAT})
            for (const int64_t n : {64, 137, 300, 512, 1024}) {
                const Shape s{type, layout, n,
                              std::max(session.elements(type) / (n * together), int64_t(1)) * together};
                session.attempt(describe(s),
                                [&] { is_double(type) ? run<double>(session, s) : run<float>(session, s); });
            }
}

}  // namespace bench
