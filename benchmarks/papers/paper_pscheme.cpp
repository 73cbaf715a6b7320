// paper_pscheme.cpp: the experiments of FUTURE COMPUTING 2012: the P-scheme's phases over blocks and threads, with and
// without the rearrangement, compared with parallel cyclic reduction.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "paper_pscheme.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "session.hpp"

namespace bench {
namespace {

constexpr double bound_in_roundoffs = 64;                    // as for recurrences, whose errors decay
constexpr double first = 1, scale = 0.9375, offset = 0.125;  // w grows from 1 to 2; all exact in float as well

struct Data {
    Memory a, b, a2, b2, before, w, flat;
    size_t bytes;  // of one array
};

Data data_for(const Machine &machine, xbatchDataType_t type, int64_t n) {
    const size_t bytes = size_t(n) * element_size(type);
    const auto array = [&] { return Memory(machine, bytes); };
    return {array(), array(), array(), array(), array(), array(), array(), bytes};
}

// The largest difference from the sequential loop in extended precision, relative; all w are positive.
double error_of(const Machine &machine, xbatchDataType_t type, int64_t n, const void *w) {
    const auto found = gathered<long double>(machine, type, w, 0, 1, n);
    long double expected = first, worst = 0;
    for (int64_t i = 0; i < n; ++i) {
        if (i > 0) expected = scale * expected + offset;
        const long double difference = std::abs(found[size_t(i)] - expected) / expected;
        if (!(difference <= worst)) worst = difference;
    }
    return double(worst);
}

Case describe(const char *routine, xbatchDataType_t type, int64_t n, const std::string &variant) {
    return {"paper_pscheme", routine, type, "flat", n, 1, 1, variant, double(n) * double(element_size(type)),
            2 * double(n)};
}

std::string name_of(const PaperRecurrence &p) {
    return "G=" + std::to_string(p.blocks) + " T=" + std::to_string(p.threads) + (p.rearranged ? " rearranged" : "");
}

void rearrange_result(const Session &session, const PaperRecurrence &p, const Data &data) {
    session.check(xrearrange(session.handle(), p.type, p.part(), p.parts(), XBATCH_LAYOUT_INTERLEAVED, p.w, p.parts(),
                             XBATCH_LAYOUT_FLAT, data.flat.get(), p.part()));
}

// All phases, and each alone; with the rearrangement the phases leave w rearranged, as in the paper; a call that is
// timed separately restores its order.
void phases(Session &session, const PaperRecurrence &p, const Data &data, bool each) {
    const auto all = [&] { pre_computation(p), propagation(p), determination(p); };
    overwrite(session.machine(), data.w, data.bytes);
    all();
    if (p.rearranged) rearrange_result(session, p, data);
    const double error = error_of(session.machine(), p.type, p.n, p.rearranged ? data.flat.get() : p.w);
    const auto row = [&](const char *phase, const Action &call) {
        session.measure(describe("folrPaper", p.type, p.n, name_of(p) + phase), {[] {}, call, [=] { return error; }},
                        {}, bound_in_roundoffs * roundoff(p.type));
    };
    row("", all);
    if (!each) return;
    row(" pre-computation", [&] { pre_computation(p); });
    row(" propagation", [&] { propagation(p); });
    row(" determination", [&] { determination(p); });
    if (p.rearranged) row(" rearrangement", [&] { rearrange_result(session, p, data); });
}

void sweep(Session &session, xbatchDataType_t type, int64_t n) {
    const bool each = is_double(type);
    for (const int64_t blocks : {4, 8, 16, 32})
        for (const int64_t threads : {16, 32, 64, 128, 256, 512})
            for (const bool rearranged : {false, true}) {
                PaperRecurrence p{type, n, blocks, threads, rearranged, first, scale, offset, {}, {}, {}, {}};
                session.attempt(describe("folrPaper", type, n, name_of(p)), [&] {
                    const Data data = data_for(session.machine(), type, n);
                    p.a = data.a.get(), p.b = data.b.get(), p.before = data.before.get(), p.w = data.w.get();
                    phases(session, p, data, each);
                });
            }
}

// The library's single launch on the same recurrence.
Run our_run(const Session &session, xbatchDataType_t type, int64_t n, const Data &data,
            const std::shared_ptr<Memory> &constants) {
    const Machine &machine = session.machine();
    size_t bytes = 0;
    session.check(xfolrPscheme_bufferSize(session.handle(), type, XBATCH_LAYOUT_FLAT, XBATCH_FORWARD, n, 1, 1, &bytes));
    const auto space = std::make_shared<Memory>(machine, bytes);
    const auto call = [=, &session, &data] {
        char *const at = static_cast<char *>(constants->get());
        const size_t size = element_size(type);
        session.check(xfolrPscheme(session.handle(), type, XBATCH_LAYOUT_FLAT, XBATCH_FORWARD, n, 1, 1, at, 0, 1,
                                   at + size, 0, 1, at + 2 * size, data.w.get(), n, space->get(), bytes));
    };
    return {[] {}, call, [=, &machine, &data] { return error_of(machine, type, n, data.w.get()); }, bytes};
}

// scale, offset and the w_{-1} that gives w_0 = first
template <class T>
Memory constants_for(const Machine &machine) {
    const T values[3] = {T(scale), T(offset), T((first - offset) / scale)};
    Memory memory(machine, sizeof values);
    machine.copy(memory.get(), values, sizeof values);
    return memory;
}

template <class T>
Run plain_loop(const Machine &machine, xbatchDataType_t type, int64_t n, const Data &data) {
    const auto w = std::make_shared<std::vector<T>>(size_t(n));
    const auto call = [=] {
        (*w)[0] = T(first);
        for (size_t i = 1; i < size_t(n); ++i) (*w)[i] = T(scale) * (*w)[i - 1] + T(offset);
    };
    const auto error = [=, &machine, &data] {
        machine.copy(data.w.get(), w->data(), data.bytes);
        return error_of(machine, type, n, data.w.get());
    };
    return {[] {}, call, error, 0, true};
}

void measure_peers(Session &session, xbatchDataType_t type, int64_t n) {
    const Machine &machine = session.machine();
    session.attempt(describe("folrPscheme", type, n, "constants"), [&] {
        const Data data = data_for(machine, type, n);
        const auto constants =
            std::make_shared<Memory>(is_double(type) ? constants_for<double>(machine) : constants_for<float>(machine));
        const auto doubling = [&]() -> Run {
            PaperRecurrence p{type, n, 1, 1, false, first, scale, offset, {}, {}, {}, {}};
            p.a = data.a.get(), p.b = data.b.get(), p.w = data.w.get();
            overwrite(machine, data.w, data.bytes);
            return {[] {}, [&data, p] { doubling_sweeps(p, data.a2.get(), data.b2.get()); },
                    [&machine, type, n, &data] { return error_of(machine, type, n, data.w.get()); }, 4 * data.bytes};
        };
        const auto loop = [&] {
            return is_double(type) ? plain_loop<double>(machine, type, n, data)
                                   : plain_loop<float>(machine, type, n, data);
        };
        session.measure(describe("folrPscheme", type, n, "constants"), our_run(session, type, n, data, constants),
                        {{"PCR sweeps", doubling}, {"plain loop on the host", loop}},
                        bound_in_roundoffs * roundoff(type));
    });
}

}  // namespace

void paper_pscheme(Session &session) {
    if (!session.on_cuda()) return;                       // about blocks and threads
    for (const auto type : {XBATCH_R_64F, XBATCH_R_32F})  // the paper does not say which
        for (const int64_t n : {int64_t(1) << 18, int64_t(1) << 20}) {
            sweep(session, type, n);
            measure_peers(session, type, n);
        }
}

}  // namespace bench
