// tridiagonal_strided.cpp: the lines along x, y and z of an array with halos, by strides; peers: the same routine on an
// array without halos, and one call for each plane.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "data/residual.hpp"
#include "session.hpp"

namespace bench {
namespace {

constexpr int64_t halo = 3;  // points on each side
constexpr int directions = 3;

struct Method {
    const char *name, *strided_name;
    decltype(&xgtsvBatch) solve;
    decltype(&xgtsvBatch_bufferSize) query;
    decltype(&xgtsvStridedBatch) solve_strided;
    decltype(&xgtsvStridedBatch_bufferSize) query_strided;
};
constexpr Method methods[] = {{"xgtsvBatch", "gtsvStridedBatch", xgtsvBatch, xgtsvBatch_bufferSize, xgtsvStridedBatch,
                               xgtsvStridedBatch_bufferSize},
                              {"xgtsvPscheme", "gtsvStridedPscheme", xgtsvPscheme, xgtsvPscheme_bufferSize,
                               xgtsvStridedPscheme, xgtsvStridedPscheme_bufferSize}};

// Points of a box, and the direction of the lines
struct Shape {
    xbatchDataType_t type;
    std::array<int64_t, 3> points;
    int direction;

    int64_t n() const { return points[size_t(direction)]; }
    std::array<int, 2> others() const { return {direction == 0 ? 1 : 0, direction == 2 ? 1 : 2}; }
    int64_t batch(int k) const { return points[size_t(others()[size_t(k)])]; }
    int64_t systems() const { return batch(0) * batch(1); }
    // Between adjacent points along dimension d, with halos
    int64_t stride(int d) const {
        int64_t s = 1;
        for (int k = 0; k < d; ++k) s *= points[size_t(k)] + 2 * halo;
        return s;
    }
    int64_t elements() const { return stride(directions); }
    int64_t first() const { return halo * (stride(0) + stride(1) + stride(2)); }
    xbatchStrides_t strides() const { return {stride(direction), {stride(others()[0]), stride(others()[1]), 0}}; }
    xbatchLayout_t layout() const {
        constexpr xbatchLayout_t layouts[] = {XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_BLOCK_INTERLEAVED,
                                              XBATCH_LAYOUT_INTERLEAVED};
        return layouts[direction];
    }
    int64_t tight_ld() const { return direction == 0 ? n() : direction == 1 ? batch(0) : systems(); }
};

// All points have coefficients, those of the halo too.
struct Data {
    Memory dl, d, du, b0, b;
    size_t bytes;

    Data(const Machine &machine, const Shape &s)
        : dl(random_array(machine, s.type, s.elements(), -1, 0, 1)),
          d(random_array(machine, s.type, s.elements(), 4, 5, 2)),
          du(random_array(machine, s.type, s.elements(), -1, 0, 3)),
          b0(random_array(machine, s.type, s.elements(), -1, 1, 4)),
          b(random_array(machine, s.type, s.elements(), -1, 1, 4)),
          bytes(size_t(s.elements()) * element_size(s.type)) {}

    Action restored(const Machine &machine) const {
        return [&machine, this] { machine.copy(b.get(), b0.get(), bytes); };
    }
    // The systems at `at` with distances `row` between rows
    Gtsv line(const Shape &s, int64_t at, int64_t row) const {
        const auto moved = [&](const Memory &array) { return advanced(array.get(), at, s.type); };
        const xbatchLayout_t layout = row == 1 ? XBATCH_LAYOUT_FLAT : XBATCH_LAYOUT_INTERLEAVED;
        const int64_t ld = row == 1 ? s.n() : row;
        return {s.type, layout, s.n(), 1, 1, moved(dl), moved(d), moved(du), ld, moved(b), ld};
    }
    // Of some lines
    double error(const Machine &machine, const Shape &s) const {
        double worst = 0;
        const xbatchStrides_t strides = s.strides();
        for (const int64_t j0 : {int64_t(0), s.batch(0) / 2, s.batch(0) - 1})
            for (const int64_t j1 : {int64_t(0), s.batch(1) / 3, s.batch(1) - 1}) {
                const int64_t at = s.first() + j0 * strides.batch[0] + j1 * strides.batch[1];
                const double error = error_of(machine, line(s, at, strides.row), advanced(b0.get(), at, s.type));
                worst = error <= worst ? worst : error;
            }
        return worst;
    }
};

struct Buffers {
    size_t bytes;
    Memory workspace, info;

    Buffers(const Session &session, size_t workspace_bytes, int64_t systems)
        : bytes(workspace_bytes),
          workspace(session.machine(), workspace_bytes),
          info(session.machine(), size_t(systems) * sizeof(int32_t)) {}
    int32_t *info_at(int64_t j) const { return static_cast<int32_t *>(info.get()) + j; }
};

Run our_run(const Session &session, const Method &method, const Shape &s, const Data &data) {
    const xbatchStrides_t strides = s.strides();
    size_t bytes = 0;
    session.check(
        method.query_strided(session.handle(), s.type, s.n(), s.batch(0), s.batch(1), 1, &strides, &strides, &bytes));
    const auto buffers = std::make_shared<Buffers>(session, bytes, s.systems());
    const Gtsv p = data.line(s, s.first(), strides.row);
    const Action call = [&session, &method, s, p, strides, buffers] {
        session.check(method.solve_strided(session.handle(), s.type, s.n(), s.batch(0), s.batch(1), 1, &strides,
                                           &strides, p.dl, p.d, p.du, p.b, buffers->info_at(0),
                                           buffers->workspace.get(), buffers->bytes));
    };
    return {data.restored(session.machine()), call, [&session, &data, s] { return data.error(session.machine(), s); },
            bytes};
}

// The array without halos
Run run_without_halo(const Session &session, const Method &method, const Shape &s, const Data &data) {
    size_t bytes = 0;
    session.check(method.query(session.handle(), s.type, s.layout(), s.n(), 1, s.systems(), &bytes));
    const auto buffers = std::make_shared<Buffers>(session, bytes, s.systems());
    const int64_t ld = s.tight_ld();
    const Gtsv p = {s.type,        s.layout(), s.n(),        1, s.systems(), data.dl.get(), data.d.get(),
                    data.du.get(), ld,         data.b.get(), ld};
    const Action call = [&session, &method, p, buffers] {
        session.check(method.solve(session.handle(), p.type, p.layout, p.n, 1, p.batch, p.dl, p.d, p.du, p.ldt, p.b,
                                   p.ldb, buffers->info_at(0), buffers->workspace.get(), buffers->bytes));
    };
    return {data.restored(session.machine()), call,
            [&session, &data, p] { return error_of(session.machine(), p, data.b0.get()); }, bytes};
}

// As without strides: one call for each plane
Run run_by_planes(const Session &session, const Method &method, const Shape &s, const Data &data) {
    const xbatchStrides_t strides = s.strides();
    const xbatchLayout_t layout = s.direction == 0 ? XBATCH_LAYOUT_FLAT : XBATCH_LAYOUT_INTERLEAVED;
    size_t bytes = 0;
    session.check(method.query(session.handle(), s.type, layout, s.n(), 1, s.batch(0), &bytes));
    const auto buffers = std::make_shared<Buffers>(session, bytes, s.systems());
    const int64_t ld = s.direction == 0 ? strides.batch[0] : strides.row;
    const Action call = [&session, &method, &data, s, strides, layout, ld, buffers] {
        for (int64_t k = 0; k < s.batch(1); ++k) {
            const Gtsv p = data.line(s, s.first() + k * strides.batch[1], strides.row);
            session.check(method.solve(session.handle(), s.type, layout, s.n(), 1, s.batch(0), p.dl, p.d, p.du, ld, p.b,
                                       ld, buffers->info_at(k * s.batch(0)), buffers->workspace.get(), buffers->bytes));
        }
    };
    return {data.restored(session.machine()), call, [&session, &data, s] { return data.error(session.machine(), s); },
            bytes};
}

Case describe(const Method &method, const Shape &s) {
    constexpr const char *names[directions] = {"x", "y", "z"};
    const double rows = double(s.n()) * double(s.systems());
    return {"strided",
            method.strided_name,
            s.type,
            names[s.direction],
            s.n(),
            1,
            s.systems(),
            "halo 3",
            5 * rows * double(element_size(s.type)),
            8 * rows};
}

}  // namespace

void strided(Session &session) {
    for (const xbatchDataType_t type : {XBATCH_R_64F, XBATCH_R_32F})
        for (const Method &method : methods)
            for (const std::array<int64_t, 2> &plane : {std::array<int64_t, 2>{128, 128}, {100, 137}, {301, 60}})
                for (int direction = 0; direction < directions; ++direction) {
                    const int64_t height = std::max(session.elements(type) / (plane[0] * plane[1]), int64_t(4));
                    const Shape s{type, {plane[0], plane[1], std::min<int64_t>(height, 512)}, direction};
                    session.attempt(describe(method, s), [&] {
                        const Data data(session.machine(), s);
                        const std::vector<Peer> peers = {{std::string(method.name) + ", without halos",
                                                          [&] { return run_without_halo(session, method, s, data); }},
                                                         {std::string(method.name) + ", a call for each plane",
                                                          [&] { return run_by_planes(session, method, s, data); }}};
                        session.measure(describe(method, s), our_run(session, method, s, data), peers,
                                        solve_bound * roundoff(s.type));
                    });
                }
}

}  // namespace bench
