// sizes.cpp: tridiagonal systems at the sizes that programs have: any n, batch, alignment and number of right-hand
// sides, few systems, and any matrix; peers as for the other families.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "tridiagonal.hpp"

namespace bench {
namespace {

using namespace gtsv_routines;
using Sizes = std::vector<int64_t>;

constexpr const char *family = "sizes";
constexpr auto S = XBATCH_R_32F, D = XBATCH_R_64F, C = XBATCH_C_32F, Z = XBATCH_C_64F;
constexpr auto flat = XBATCH_LAYOUT_FLAT, interleaved = XBATCH_LAYOUT_INTERLEAVED,
               block = XBATCH_LAYOUT_BLOCK_INTERLEAVED;
constexpr auto layouts = {flat, interleaved, block};

// Of each backend: the n of all variations in double, of most and of few of them, of one matrix for many right-hand
// sides, and of few systems; the numbers of these systems.
struct Lists {
    Sizes all, most, few, columns, short_calls, batches;
    int64_t part;  // of the session's array size that a case takes
};

const Lists cuda_lists = {{10,  16,  20,  33,  60,  65,   72,   75,   90,   100,  129,  137,  150,
                           200, 257, 300, 513, 600, 1000, 1025, 1500, 2049, 4096, 5000, 17000},
                          {10, 20, 60, 72, 100, 137, 200, 257, 513, 1000, 2049, 4096},
                          {33, 137, 300, 1000},
                          {33, 64, 137, 300, 1000},
                          {10, 60, 137, 500, 2048},
                          {1, 10, 100, 1000, 10000},
                          1};
const Lists host_lists = {{10, 33, 60, 137, 300, 1000, 2049, 17000},
                          {20, 137, 1000},
                          {137},
                          {33, 137, 1000},
                          {10, 137, 500},
                          {1, 10, 100, 1000},
                          4};

class Cases {
public:
    explicit Cases(Session &session) : session_(session), lists_(session.on_cuda() ? cuda_lists : host_lists) {}

    void run() {
        for (const GtsvRoutine &routine : {pivoted, pscheme}) one_matrix_each(routine);
        for (const auto layout : layouts) {
            for (const int64_t n : lists_.most) measure_gtsv(shape(pivoted, D, layout, n), Entries::random);
            for (const int64_t n : lists_.few) measure_gtsv(shape(pivoted, S, layout, n), Entries::random);
            for (const int64_t n : lists_.most) measure(session_, shape(periodic, D, layout, n));
            for (const int64_t n : lists_.most) measure(session_, factored(Job::ptsv, layout, n, 1, batch(D, n)));
        }
        for (const int64_t n : lists_.columns) eliminated_once(n);
        measure(session_, VBatchShape{1, 300, 1, family});
        recurrences();
        for (const GtsvRoutine &routine : {pivoted, pscheme}) few_systems(routine);
        // Last, because no peer is known to be made for tens of millions of systems.
        for (const GtsvRoutine &routine : {pivoted, pscheme})
            for (const auto layout : layouts)
                for (const int64_t n : {8, 4, 1}) measure(session_, shape(routine, D, layout, n));
    }

private:
    // A number of systems that fills the array size; even, and a multiple of each block's width.
    int64_t batch(xbatchDataType_t type, int64_t n, int64_t nrhs = 1) const {
        constexpr int64_t together = 64;
        const int64_t fit = session_.elements(type) / lists_.part / (n * nrhs);
        return std::max(fit / together, int64_t(1)) * together;
    }

    GtsvShape shape(const GtsvRoutine &routine, xbatchDataType_t type, xbatchLayout_t layout, int64_t n) const {
        GtsvShape s = {routine, type, layout, n, 1, batch(type, n)};
        s.family = family;
        return s;
    }

    static FactoredShape factored(Job job, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t systems) {
        return {job, layout, n, nrhs, systems, false, XBATCH_OP_N, family};
    }

    void measure_gtsv(GtsvShape s, Entries entries) {
        s.entries = entries;
        measure(session_, s);
    }

    // Any n, batch and alignment in double, fewer in the other types.
    void one_matrix_each(const GtsvRoutine &routine) {
        for (const auto layout : layouts) {
            for (const int64_t n : lists_.all) measure(session_, shape(routine, D, layout, n));
            for (const int64_t n : lists_.most) measure(session_, shape(routine, S, layout, n));
            for (const auto type : {C, Z})
                for (const int64_t n : lists_.few) measure(session_, shape(routine, type, layout, n));
            unaligned(routine, D, layout, lists_.most);
            unaligned(routine, S, layout, lists_.few);
        }
    }

    // An odd batch, or leading dimension where systems do not lie across it; arrays that begin at an odd element.
    void unaligned(const GtsvRoutine &routine, xbatchDataType_t type, xbatchLayout_t layout, const Sizes &ns) {
        for (const int64_t n : ns) {
            GtsvShape s = shape(routine, type, layout, n);
            if (layout == flat)
                s.padding = 1 + n % 2;  // n + 1 or n + 2
            else
                --s.batch;
            measure(session_, s);
        }
        for (const int64_t n : lists_.few) {
            GtsvShape s = shape(routine, type, layout, n);
            s.offset = 1;
            measure(session_, s);
            s.offset = 0, s.padding = 1;
            if (layout == interleaved) measure(session_, s);
        }
    }

    // One matrix shared by all systems, one with many right-hand sides, and a matrix for each eight of them.
    void eliminated_once(int64_t n) {
        constexpr int64_t several = 8;
        const int64_t systems = batch(D, n), sets = batch(D, n, several);
        for (const auto layout : layouts) {
            all_routines(layout, n, 1, systems, true);
            all_routines(layout, n, several, sets, false);
        }
        all_routines(flat, n, systems, 1, false);
    }

    void all_routines(xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t systems, bool shared) {
        for (const GtsvRoutine &routine : {pivoted, pscheme}) {
            GtsvShape s = shape(routine, D, layout, n);
            s.nrhs = nrhs, s.batch = systems, s.shared = shared;
            measure(session_, s);
            if (routine.solve == pivoted.solve && (shared || systems == 1)) measure_gtsv(s, Entries::random);
        }
        for (const Job job : {Job::ptsv, Job::gttrs, Job::pttrs}) {
            FactoredShape s = factored(job, layout, n, nrhs, systems);
            s.shared = shared;
            measure(session_, s);
        }
    }

    void recurrences() {
        constexpr int64_t levels = 137;
        const int64_t elements = session_.elements(D) / lists_.part;
        for (const bool slow : {false, true}) measure(session_, FolrShape{D, flat, elements, 1, false, slow, family});
        for (const auto layout : {flat, interleaved})
            measure(session_, FolrShape{D, layout, levels, elements / levels, false, false, family});
    }

    // Where the launch and the first bytes decide, not the bandwidth.
    void few_systems(const GtsvRoutine &routine) {
        for (const Calls calls : {Calls::in_sequence, Calls::replayed})
            for (const auto layout : {flat, interleaved})
                for (const int64_t n : lists_.short_calls)
                    for (const int64_t systems : lists_.batches) {
                        if (calls == Calls::replayed && !session_.on_cuda()) continue;
                        if (layout != flat && systems == 1) continue;
                        GtsvShape s = shape(routine, D, layout, n);
                        s.batch = systems, s.calls = calls;
                        measure(session_, s);
                    }
    }

    Session &session_;
    const Lists &lists_;
};

}  // namespace

void sizes(Session &session) { Cases(session).run(); }

}  // namespace bench
