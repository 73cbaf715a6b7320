// tridiagonal.cpp: the tridiagonal solvers; peers: cuSPARSE, LAPACK and OpenMP.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>

#include "data/residual.hpp"
#include "tridiagonal.hpp"

namespace bench {
namespace {

using Shape = GtsvShape;
using Routine = GtsvRoutine;
using namespace gtsv_routines;

bool is_periodic(const Shape &s) { return s.routine.solve == periodic.solve; }

// What distinguishes cases of one shape.
std::string variant_of(const Shape &s) {
    std::vector<std::string> words;
    if (s.shared) words.emplace_back("shared matrix");
    if (s.entries == Entries::slow_decay) words.emplace_back("slow decay");
    if (s.entries == Entries::random) words.emplace_back("random matrix");
    if (s.batch > 1 && s.batch % 2) words.emplace_back("odd batch");
    if (s.padding) words.emplace_back("odd ld");
    if (s.offset) words.emplace_back("offset");
    if (s.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED) words.push_back("BS=" + std::to_string(s.width));
    if (s.calls != Calls::one) words.emplace_back(s.calls == Calls::in_sequence ? "direct call" : "graph replay");
    std::string variant;
    for (const std::string &word : words) variant += (variant.empty() ? "" : " ") + word;
    return variant;
}

Case describe(const Shape &s) {
    const double rows = double(s.n) * double(s.batch), coefficient_rows = s.shared ? double(s.n) : rows;
    const double size = double(element_size(s.type)), nrhs = double(s.nrhs);
    // A complex product and sum cost four times the real ones.
    const double flops = (3 * coefficient_rows + 5 * nrhs * rows) * (is_complex(s.type) ? 4 : 1);
    return {s.family,
            s.routine.name,
            s.type,
            layout_name(s.layout),
            s.n,
            s.nrhs,
            s.batch,
            variant_of(s),
            (3 * coefficient_rows + 2 * nrhs * rows) * size,
            flops};
}

void solve(Session &session, const Shape &s) {
    const int64_t ld = tight(s.layout, s.n, s.batch, s.width) + s.padding;
    // Peers with only one right-hand side read a matrix for each.
    const int64_t rows = extent(s.layout, s.n, s.nrhs, s.batch, ld) + s.offset;
    const int64_t coefficients = s.shared || s.batch == 1 ? s.n + s.offset : rows;
    const GtsvData data = gtsv_data(session.machine(), s.type, coefficients, rows, s.entries);
    const auto at = [&](const Memory &array) { return advanced(array.get(), s.offset, s.type); };
    Gtsv p = {s.type,      s.layout,          s.n,        s.nrhs, s.batch, at(data.dl), at(data.d),
              at(data.du), s.shared ? 0 : ld, at(data.b), ld};
    p.periodic = is_periodic(s);
    std::vector<Peer> peers;
    const bool is_tight = s.padding == 0 && s.offset == 0;
    if (!p.periodic && s.entries != Entries::slow_decay && is_tight) peers = gtsv_peers(session, p, data);
    for (Peer &peer : peers)
        peer.start = [&session, &s, start = peer.start] { return timed_as(session, s.calls, start); };
    const auto start = [&] { return gtsv_run(session, s.routine, p, data, s.offset); };
    session.measure(describe(s), timed_as(session, s.calls, start), peers, solve_bound * roundoff(s.type));
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
                all.back().entries = Entries::slow_decay;
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

Run gtsv_run(const Session &session, const GtsvRoutine &routine, const Gtsv &p, const GtsvData &data, int64_t offset) {
    const Machine &machine = session.machine();
    size_t bytes = 0;
    session.check(routine.workspace(session.handle(), p.type, p.layout, p.n, p.nrhs, p.batch, &bytes));
    const auto workspace = std::make_shared<Memory>(machine, bytes);
    const auto info = std::make_shared<Memory>(machine, size_t(p.batch) * sizeof(int32_t));
    const auto call = [&session, routine, p, bytes, workspace, info] {
        session.check(routine.solve(session.handle(), p.type, p.layout, p.n, p.nrhs, p.batch, p.dl, p.d, p.du, p.ldt,
                                    p.b, p.ldb, static_cast<int32_t *>(info->get()), workspace->get(), bytes));
    };
    const void *const b0 = advanced(data.b0.get(), offset, p.type);
    return {restored(machine, data), call, [&machine, b0, p] { return error_of(machine, p, b0); }, bytes};
}

void measure(Session &session, const GtsvShape &s) {
    session.attempt(describe(s), [&] { solve(session, s); });
}

void tridiagonal(Session &session) {
    for (const Shape &s : session.on_cuda() ? cuda_shapes(session) : host_shapes(session)) measure(session, s);
}

}  // namespace bench
