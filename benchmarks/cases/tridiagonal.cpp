// tridiagonal.cpp: the tridiagonal solvers; peers: cuSPARSE, LAPACK and OpenMP.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>

#include "data/gtsv_data.hpp"
#include "data/residual.hpp"

namespace bench {
namespace {

struct Routine {
    const char *name;
    decltype(&xgtsvPscheme) solve;
    decltype(&xgtsvPscheme_bufferSize) workspace;
};
constexpr Routine pscheme = {"gtsvPscheme", xgtsvPscheme, xgtsvPscheme_bufferSize};
constexpr Routine thomas = {"gtsvThomas", xgtsvThomas, xgtsvThomas_bufferSize};
constexpr Routine pivoted = {"gtsvBatch", xgtsvBatch, xgtsvBatch_bufferSize};
constexpr Routine oddeven = {"gtsvOddEven", xgtsvOddEven, xgtsvOddEven_bufferSize};
constexpr Routine periodic = {"gtsvPeriodicBatch", xgtsvPeriodicBatch, xgtsvPeriodicBatch_bufferSize};

struct Shape {
    Routine routine;
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    int64_t width = 32;   // systems a block of block-interleaved arrays
    bool shared = false;  // one matrix for the whole batch
    bool slow = false;    // slowly decaying influence, see gtsv_data

    bool is_periodic() const { return routine.solve == periodic.solve; }
};

Case describe(const Shape &s) {
    const double rows = double(s.n) * double(s.batch), coefficient_rows = s.shared ? double(s.n) : rows;
    const double size = double(element_size(s.type)), nrhs = double(s.nrhs);
    // A complex product and sum cost four times the real ones.
    const double flops = (3 * coefficient_rows + 5 * nrhs * rows) * (is_complex(s.type) ? 4 : 1);
    std::string variant = s.shared ? "shared matrix" : s.slow ? "slow decay" : "";
    if (s.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED) variant = "BS=" + std::to_string(s.width);
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

Run our_run(const Session &session, const Shape &s, const Gtsv &p, const GtsvData &data) {
    const Machine &machine = session.machine();
    size_t bytes = 0;
    session.check(s.routine.workspace(session.handle(), p.type, p.layout, p.n, p.nrhs, p.batch, &bytes));
    const auto workspace = std::make_shared<Memory>(machine, bytes);
    const auto info = std::make_shared<Memory>(machine, size_t(p.batch) * sizeof(int32_t));
    const auto call = [&session, &s, p, bytes, workspace, info] {
        session.check(s.routine.solve(session.handle(), p.type, p.layout, p.n, p.nrhs, p.batch, p.dl, p.d, p.du, p.ldt,
                                      p.b, p.ldb, static_cast<int32_t *>(info->get()), workspace->get(), bytes));
    };
    return {restored(machine, data), call, [&machine, &data, p] { return error_of(machine, p, data.b0.get()); }, bytes};
}

void solve(Session &session, const Shape &s) {
    // Peers with only one right-hand side read a matrix for each.
    const int64_t rows = s.n * s.nrhs * s.batch;
    const GtsvData data = gtsv_data(session.machine(), s.type, s.shared ? s.n : rows, rows, s.slow);
    const int64_t ld = tight(s.layout, s.n, s.batch, s.width);
    Gtsv p = {s.type,        s.layout,          s.n,          s.nrhs, s.batch, data.dl.get(), data.d.get(),
              data.du.get(), s.shared ? 0 : ld, data.b.get(), ld};
    p.periodic = s.is_periodic();
    std::vector<Peer> peers;
    if (!p.periodic && !s.slow) peers = gtsv_peers(session, p, data);
    session.measure(describe(s), our_run(session, s, p, data), peers, solve_bound * roundoff(s.type));
}

constexpr auto D = XBATCH_R_64F;
constexpr auto flat = XBATCH_LAYOUT_FLAT, interleaved = XBATCH_LAYOUT_INTERLEAVED,
               block = XBATCH_LAYOUT_BLOCK_INTERLEAVED;
using Sizes = std::initializer_list<int64_t>;

// Collects shapes that fill the session's array size.
class Shapes {
public:
    explicit Shapes(const Session &session) : session_(session) {}

    Shape batch(Routine routine, xbatchDataType_t type, xbatchLayout_t layout, int64_t n, int64_t nrhs = 1) const {
        constexpr int64_t together = 64;  // a multiple of every block width
        const int64_t fit = session_.elements(type) / (n * nrhs);
        return {routine, type, layout, n, nrhs, std::max(fit / together, int64_t(1)) * together};
    }
    void batches(Routine routine, xbatchLayout_t layout, Sizes ns) {
        for (const int64_t n : ns) all.push_back(batch(routine, D, layout, n));
    }
    void blocks(Routine routine, Sizes widths, Sizes ns) {
        for (const int64_t width : widths)
            for (const int64_t n : ns) {
                all.push_back(batch(routine, D, block, n));
                all.back().width = width;
            }
    }
    void single(Routine routine, Sizes ns, int64_t nrhs = 1) {
        for (const int64_t n : ns)
            if (n * nrhs <= session_.elements(D)) all.push_back({routine, D, flat, n, nrhs, 1});
    }
    void slow(Routine routine, Sizes ns) {
        for (const int64_t n : ns)
            if (n <= session_.elements(D)) {
                all.push_back({routine, D, flat, n, 1, 1});
                all.back().slow = true;
            }
    }
    void other_types(Routine routine, Sizes ns) {
        for (const auto type : {XBATCH_R_32F, XBATCH_C_32F, XBATCH_C_64F})
            for (const auto layout : {flat, interleaved})
                for (const int64_t n : ns) all.push_back(batch(routine, type, layout, n));
    }
    // Four and sixteen right-hand sides, and one matrix for all systems.
    void several_right_sides(Routine routine, Sizes ns) {
        for (const auto layout : {flat, interleaved})
            for (const int64_t n : ns) {
                all.push_back(batch(routine, D, layout, n, 4));
                all.push_back(batch(routine, D, layout, n, 16));
                all.push_back(batch(routine, D, layout, n));
                all.back().shared = true;
            }
    }
    std::vector<Shape> all;

private:
    const Session &session_;
};

std::vector<Shape> cuda_shapes(const Session &session) {
    constexpr int64_t giant = int64_t(1) << 26, paper_small = 1 << 18, paper_large = 1 << 20;
    Shapes shapes(session);
    for (const Routine &routine : {pscheme, oddeven}) {
        shapes.batches(routine, flat, {64, 100, 128, 256, 512, 1000, 1023, 1024, 2048, 4096, 8192, 16384});
        shapes.batches(routine, interleaved, {32, 64, 128, 256, 512, 1024, 4096});
        shapes.blocks(routine, {32}, {32, 64, 128, 256, 512, 1024, 4096});
        shapes.single(routine, {1000, 10000, 100000, paper_small, 1000000, paper_large, 10000000, giant});
        shapes.slow(routine, {paper_large, giant});
    }
    shapes.batches(thomas, flat, {64, 512});
    shapes.batches(thomas, interleaved, {32, 128, 512, 4096});
    shapes.blocks(thomas, {32}, {128, 512});
    shapes.batches(pivoted, flat, {32, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096, 8192, 16384});
    shapes.batches(pivoted, interleaved, {32, 64, 128, 256, 512, 1024, 4096});
    shapes.blocks(pivoted, {32}, {64, 128, 256, 1024});
    shapes.single(pivoted, {1000, 10000, 100000, 1000000, 10000000, giant});
    shapes.slow(pivoted, {giant});
    for (const Routine &routine : {pscheme, oddeven, pivoted}) shapes.blocks(routine, {16, 64}, {128, 512});
    shapes.batches(periodic, flat, {64, 128, 512, 2048, 8192});
    shapes.batches(periodic, interleaved, {32, 128, 512});
    shapes.blocks(periodic, {32}, {128});
    shapes.single(periodic, {1000000, giant});
    shapes.other_types(pivoted, {128});
    shapes.other_types(pscheme, {64, 256, 1024});
    for (const Routine &routine : {pscheme, pivoted}) {
        shapes.several_right_sides(routine, {128, 512});
        shapes.single(routine, {1000000}, 16);
    }
    return shapes.all;
}

std::vector<Shape> host_shapes(const Session &session) {
    constexpr int64_t giant = int64_t(1) << 24;
    Shapes shapes(session);
    shapes.batches(pscheme, flat, {64, 100, 256, 512, 1024, 4096});
    shapes.batches(pscheme, interleaved, {32, 128, 256, 512, 4096});
    shapes.blocks(pscheme, {32}, {128, 512});
    shapes.single(pscheme, {1000, 10000, 100000, 1000000, giant});
    shapes.batches(thomas, flat, {512});
    shapes.batches(thomas, interleaved, {32, 128, 512});
    shapes.batches(pivoted, flat, {64, 512, 4096});
    shapes.batches(pivoted, interleaved, {32, 128, 512});
    shapes.single(pivoted, {10000, 1000000, giant});
    shapes.batches(oddeven, flat, {512});
    shapes.batches(oddeven, interleaved, {32, 128, 512});
    shapes.single(oddeven, {1000, 10000, 100000, 1000000, giant});
    shapes.batches(periodic, flat, {512});
    shapes.batches(periodic, interleaved, {128});
    shapes.single(periodic, {1000000});
    shapes.other_types(pscheme, {256});
    for (const Routine &routine : {pscheme, pivoted}) shapes.several_right_sides(routine, {256});
    return shapes.all;
}

}  // namespace

void tridiagonal(Session &session) {
    for (const Shape &s : session.on_cuda() ? cuda_shapes(session) : host_shapes(session))
        session.attempt(describe(s), [&] { solve(session, s); });
}

}  // namespace bench
