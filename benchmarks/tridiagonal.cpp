// tridiagonal.cpp: the tridiagonal solvers beside cuSPARSE, LAPACK and OpenMP.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>

#include "baselines.hpp"
#include "session.hpp"

namespace bench {
namespace {

constexpr int64_t block_width = 32;        // systems a block of block-interleaved arrays
constexpr double bound_in_roundoffs = 30;  // LAPACK's threshold for a scaled residual

struct Routine {
    const char *name;
    decltype(&xgtsvPscheme) solve;
    decltype(&xgtsvPscheme_bufferSize) workspace;
};
constexpr Routine pscheme = {"gtsvPscheme", xgtsvPscheme, xgtsvPscheme_bufferSize};
constexpr Routine thomas = {"gtsvThomas", xgtsvThomas, xgtsvThomas_bufferSize};
constexpr Routine pivoted = {"gtsvBatch", xgtsvBatch, xgtsvBatch_bufferSize};
constexpr Routine oddeven = {"gtsvOddEven", xgtsvOddEven, xgtsvOddEven_bufferSize};

struct Shape {
    Routine routine;
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    bool shared;  // one matrix for the whole batch
};

// The arrays of a case. b0 keeps the right-hand sides that b starts from.
struct Data {
    Memory dl, d, du, b0, b;
    size_t coefficient_bytes, b_bytes;
};

Data data_for(const Machine &machine, const Shape &s) {
    const int64_t rows = s.n * s.nrhs * s.batch, coefficients = s.shared ? s.n : rows;
    const auto random = [&](int64_t count, double low, double high, uint32_t seed) {
        return random_array(machine, s.type, count, low, high, seed);
    };
    const size_t size = element_size(s.type);
    return {random(coefficients, -1, 1, 1),
            random(coefficients, 2.5, 4, 2),
            random(coefficients, -1, 1, 3),
            random(rows, -1, 1, 4),
            random(rows, -1, 1, 4),
            size_t(coefficients) * size,
            size_t(rows) * size};
}

// max |dl x + d x + du x - b|, |dl| + |d| + |du|, |x| and |b| over the rows of one system and right-hand side
struct Norms {
    long double residual = 0, matrix = 0, solution = 0, right_side = 0;
    bool finite = true;
};

// Rows begin … end-1 from pieces of the arrays, x with one more row where there is one on either side.
template <class Wide>
void add_rows(Norms &norms, const Machine &machine, const Gtsv &p, const void *b0, Line a, Line x, int64_t begin,
              int64_t end) {
    const auto piece = [&](const void *array, Line at, int64_t from, int64_t to) {
        return gathered<Wide>(machine, p.type, array, at.base + from * at.step, at.step, to - from);
    };
    const int64_t first = std::max<int64_t>(begin - 1, 0), last = std::min(end + 1, p.n);
    const auto dl = piece(p.dl, a, begin, end), d = piece(p.d, a, begin, end), du = piece(p.du, a, begin, end);
    const auto b = piece(b0, x, begin, end), solution = piece(p.b, x, first, last);
    for (int64_t i = begin; i < end; ++i) {
        const size_t k = size_t(i - begin), here = size_t(i - first);
        Wide sum = d[k] * solution[here] - b[k];
        long double row = std::abs(d[k]);
        if (i > 0) sum += dl[k] * solution[here - 1], row += std::abs(dl[k]);
        if (i + 1 < p.n) sum += du[k] * solution[here + 1], row += std::abs(du[k]);
        norms.residual = std::max(norms.residual, std::abs(sum));
        norms.matrix = std::max(norms.matrix, row);
        norms.solution = std::max(norms.solution, std::abs(solution[here]));
        norms.right_side = std::max(norms.right_side, std::abs(b[k]));
        norms.finite = norms.finite && std::isfinite(std::abs(sum));
    }
}

// Normwise backward error |Ax - b| / (|A| |x| + |b|) in infinity norms, the worst of systems spread over the batch; NaN
// where a solution is not finite.
template <class Wide>
double backward_error(const Machine &machine, const Gtsv &p, const void *b0) {
    constexpr int64_t piece = 1 << 20, rows = 1 << 15;
    const int64_t systems = std::min(p.batch, std::max<int64_t>(3, std::min<int64_t>(64, rows / p.n)));
    double worst = 0;
    for (int64_t k = 0; k < systems; ++k)
        for (const int64_t r : {int64_t(0), p.nrhs - 1}) {
            const int64_t j = systems == 1 ? 0 : k * (p.batch - 1) / (systems - 1);
            const Line a = p.ldt == 0 ? Line{0, 1} : line(p.layout, p.n, 1, p.ldt, j, 0);
            const Line x = line(p.layout, p.n, p.nrhs, p.ldb, j, r);
            Norms norms;
            for (int64_t i = 0; i < p.n; i += piece)
                add_rows<Wide>(norms, machine, p, b0, a, x, i, std::min(i + piece, p.n));
            if (!norms.finite) return NAN;
            worst = std::max(worst, double(norms.residual / (norms.matrix * norms.solution + norms.right_side)));
            if (p.nrhs == 1) break;
        }
    return worst;
}

double error_of(const Machine &machine, const Gtsv &p, const void *b0) {
    return is_complex(p.type) ? backward_error<std::complex<long double>>(machine, p, b0)
                              : backward_error<long double>(machine, p, b0);
}

Run our_run(const Session &session, const Shape &s, const Gtsv &p, const Data &data) {
    const Machine &machine = session.machine();
    size_t bytes = 0;
    session.check(s.routine.workspace(session.handle(), p.type, p.layout, p.n, p.nrhs, p.batch, &bytes));
    const auto workspace = std::make_shared<Memory>(machine, bytes);
    const auto info = std::make_shared<Memory>(machine, size_t(p.batch) * sizeof(int32_t));
    return {[&machine, &data] { machine.copy(data.b.get(), data.b0.get(), data.b_bytes); },
            [&session, &s, p, bytes, workspace, info] {
                session.check(s.routine.solve(session.handle(), p.type, p.layout, p.n, p.nrhs, p.batch, p.dl, p.d, p.du,
                                              p.ldt, p.b, p.ldb, static_cast<int32_t *>(info->get()), workspace->get(),
                                              bytes));
            },
            [&machine, &data, p] { return error_of(machine, p, data.b0.get()); }};
}

// A peer that destroys its coefficients works on copies, refreshed before each call.
Run peer_run(const Machine &machine, const Baseline<Gtsv> &peer, const Data &data) {
    struct Copies {
        Memory dl, d, du;
    };
    std::shared_ptr<Copies> copies;
    Gtsv p = peer.view;
    if (peer.overwrites_coefficients) {
        const size_t bytes = data.coefficient_bytes;
        copies.reset(new Copies{{machine, bytes}, {machine, bytes}, {machine, bytes}});
        p.dl = copies->dl.get();
        p.d = copies->d.get();
        p.du = copies->du.get();
    }
    const auto restore = [&machine, &data, copies] {
        machine.copy(data.b.get(), data.b0.get(), data.b_bytes);
        if (!copies) return;
        machine.copy(copies->dl.get(), data.dl.get(), data.coefficient_bytes);
        machine.copy(copies->d.get(), data.d.get(), data.coefficient_bytes);
        machine.copy(copies->du.get(), data.du.get(), data.coefficient_bytes);
    };
    return {restore, peer.start(p),
            [&machine, &data, view = peer.view] { return error_of(machine, view, data.b0.get()); }};
}

Case describe(const Shape &s) {
    const double rows = double(s.n) * double(s.batch), coefficient_rows = s.shared ? double(s.n) : rows;
    const double size = double(element_size(s.type)), nrhs = double(s.nrhs);
    // A complex product and sum cost four times the real ones.
    const double flops = (3 * coefficient_rows + 5 * nrhs * rows) * (is_complex(s.type) ? 4 : 1);
    std::string variant = s.shared ? "shared matrix" : "";
    if (s.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED) variant = "BS=" + std::to_string(block_width);
    return {"tridiagonal",
            s.routine.name,
            s.type,
            layout_name(s.layout),
            s.n,
            s.nrhs,
            s.batch,
            variant,
            (3 * coefficient_rows + 2 * nrhs * rows) * size,
            flops};
}

void solve(Session &session, const Shape &s) {
    const Data data = data_for(session.machine(), s);
    const int64_t ld = tight(s.layout, s.n, s.batch, block_width);
    const Gtsv p = {s.type,        s.layout,          s.n,          s.nrhs, s.batch, data.dl.get(), data.d.get(),
                    data.du.get(), s.shared ? 0 : ld, data.b.get(), ld};
    std::vector<Peer> peers;
    for (const Baseline<Gtsv> &peer : baselines(session.backend(), p))
        peers.push_back({peer.name, [&session, &data, peer] { return peer_run(session.machine(), peer, data); }});
    session.measure(describe(s), our_run(session, s, p, data), peers, bound_in_roundoffs * roundoff(s.type));
}

// Collects shapes that fill the session's array size.
class Shapes {
public:
    explicit Shapes(const Session &session) : session_(session) {}

    void batches(Routine routine, xbatchDataType_t type, xbatchLayout_t layout, std::initializer_list<int64_t> ns,
                 int64_t nrhs = 1, bool shared = false) {
        for (const int64_t n : ns) {
            const int64_t fit = session_.elements(type) / (n * nrhs);
            all.push_back({routine, type, layout, n, nrhs, fit / block_width * block_width, shared});
        }
    }
    void single(Routine routine, std::initializer_list<int64_t> ns) {
        for (const int64_t n : ns)
            if (n <= session_.elements(XBATCH_R_64F))
                all.push_back({routine, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, n, 1, 1, false});
    }
    std::vector<Shape> all;

private:
    const Session &session_;
};

constexpr auto D = XBATCH_R_64F;
constexpr auto flat = XBATCH_LAYOUT_FLAT, interleaved = XBATCH_LAYOUT_INTERLEAVED,
               block = XBATCH_LAYOUT_BLOCK_INTERLEAVED;

void other_types(Routine routine, Shapes &shapes, std::initializer_list<int64_t> ns) {
    for (const auto type : {XBATCH_R_32F, XBATCH_C_32F, XBATCH_C_64F})
        for (const auto layout : {flat, interleaved}) shapes.batches(routine, type, layout, ns);
}

void several_right_sides(Shapes &shapes, std::initializer_list<int64_t> ns) {
    for (const auto layout : {flat, interleaved}) {
        shapes.batches(pscheme, D, layout, ns, 4);
        shapes.batches(pscheme, D, layout, ns, 1, true);
    }
}

std::vector<Shape> cuda_shapes(const Session &session) {
    Shapes shapes(session);
    shapes.batches(pscheme, D, flat, {64, 100, 128, 256, 512, 1000, 1023, 1024, 2048, 4096, 8192});
    shapes.batches(pscheme, D, interleaved, {32, 64, 128, 256, 512, 1024, 4096});
    shapes.batches(pscheme, D, block, {32, 64, 128, 256, 512, 1024, 4096});
    shapes.single(pscheme, {1000, 10000, 100000, 1000000, 10000000, int64_t(1) << 26});
    shapes.batches(thomas, D, flat, {64, 512});
    shapes.batches(thomas, D, interleaved, {32, 128, 512, 4096});
    shapes.batches(thomas, D, block, {128, 512});
    shapes.batches(pivoted, D, flat, {32, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096, 8192, 16384});
    shapes.batches(pivoted, D, interleaved, {32, 64, 128, 256, 512, 1024, 4096});
    shapes.batches(pivoted, D, block, {64, 128, 256, 1024});
    shapes.single(pivoted, {1000, 10000, 100000, 1000000, 10000000, int64_t(1) << 26});
    other_types(pivoted, shapes, {128});
    shapes.batches(oddeven, D, flat, {64, 512, 2048, 8192});
    shapes.batches(oddeven, D, interleaved, {32, 128, 512, 4096});
    shapes.single(oddeven, {1000, 10000, 100000, 1000000, 10000000, int64_t(1) << 26});
    other_types(pscheme, shapes, {64, 256, 1024});
    several_right_sides(shapes, {128, 512});
    return shapes.all;
}

std::vector<Shape> host_shapes(const Session &session) {
    Shapes shapes(session);
    shapes.batches(pscheme, D, flat, {64, 100, 256, 512, 1024, 4096});
    shapes.batches(pscheme, D, interleaved, {32, 128, 256, 512, 4096});
    shapes.batches(pscheme, D, block, {128, 512});
    shapes.single(pscheme, {1000, 10000, 100000, 1000000, int64_t(1) << 24});
    shapes.batches(thomas, D, flat, {512});
    shapes.batches(thomas, D, interleaved, {32, 128, 512});
    shapes.batches(pivoted, D, flat, {64, 512, 4096});
    shapes.batches(pivoted, D, interleaved, {32, 128, 512});
    shapes.single(pivoted, {10000, 1000000, int64_t(1) << 24});
    shapes.batches(oddeven, D, flat, {512});
    shapes.batches(oddeven, D, interleaved, {32, 128, 512});
    shapes.single(oddeven, {1000, 10000, 100000, 1000000, int64_t(1) << 24});
    other_types(pscheme, shapes, {256});
    several_right_sides(shapes, {256});
    return shapes.all;
}

}  // namespace

void tridiagonal(Session &session) {
    for (const Shape &s : session.on_cuda() ? cuda_shapes(session) : host_shapes(session))
        session.attempt(describe(s), [&] { solve(session, s); });
}

}  // namespace bench
