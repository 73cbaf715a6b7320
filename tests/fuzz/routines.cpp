// routines.cpp: the table of fuzzed routines.
// SPDX-License-Identifier: BSD-3-Clause
#include "routines.hpp"

#include "draws.hpp"
#include "support/fixtures/arguments.hpp"

namespace xbatch_test {
namespace {

struct DrawnFamily {
    const char *stem;
    void (*draw)(Call &);
};
template <Algorithm algorithm>
void draw_by(Call &call) {
    draw_gtsv(call, algorithm);
}
template <bool is_periodic>
void draw_shifted_by(Call &call) {
    draw_gtsv_shifted(call, is_periodic);
}
template <int which>
void draw_strided_by(Call &call) {
    draw_gtsv_strided(call, which);
}
const DrawnFamily families_of_types[] = {
    {"rearrange", draw_rearrange},
    {"folrPscheme", draw_recurrence},
    {"gtsvPscheme", draw_by<Algorithm::Pscheme>},
    {"gtsvThomas", draw_by<Algorithm::Thomas>},
    {"gtsvOddEven", draw_by<Algorithm::OddEven>},
    {"gtsvBatch", draw_by<Algorithm::Batch>},
    {"gtsvPeriodicBatch", draw_by<Algorithm::PeriodicBatch>},
    {"gtsvShiftedBatch", draw_shifted_by<false>},
    {"gtsvShiftedPeriodicBatch", draw_shifted_by<true>},
    {"gtsvStridedBatch", draw_strided_by<0>},
    {"gtsvStridedPscheme", draw_strided_by<1>},
    {"gtsvStridedPeriodicBatch", draw_strided_by<2>},
    {"gtsvVBatch", draw_gtsv_vbatch},
    {"gttrfBatch", draw_gttrf},
    {"gttrsBatch", draw_gttrs},
    {"gtconBatch", draw_gtcon},
    {"ptsvBatch", draw_ptsv},
    {"pttrfBatch", draw_pttrf},
    {"pttrsBatch", draw_pttrs},
    {"hinesBatch", draw_hines},
    {"hinesFactorBatch", draw_hines_factor},
    {"hinesSolveBatch", draw_hines_solve},
    {"geqrtTiled", draw_geqrt},
    {"gemqrtTiled", draw_gemqrt},
    {"ungqrtTiled", draw_ungqrt},
    {"gelsTiled", draw_gels_tiled},
    {"geqrfBatch", draw_geqrf},
    {"unmqrBatch", draw_unmqr},
    {"ungqrBatch", draw_ungqr},
    {"gelsBatch", draw_gels_batch},
    {"geqrfQlessBatch", draw_qless},
    {"geqrfVBatch", draw_geqrf_each},
    {"unmqrVBatch", draw_unmqr_each},
    {"ungqrVBatch", draw_ungqr_each},
    {"gelsVBatch", draw_gels_each},
};

// Routines without an entry in the table of arguments
struct Plain {
    Routine routine;
    void (*draw)(Call &);
};
const std::vector<Plain> &routines_of_no_type() {
    static const std::vector<Plain> all = {
        {describe("xhinesOrder", {"n", "parent", "indexBase", "flags", "order", "ordered"}, xhinesOrder),
         draw_hines_order},
        {describe("xhinesCreatePlan",
                  {"morphologies", "offsets", "parent", "indexBase", "flags", "batch", "morph", "plan"},
                  xhinesCreatePlan),
         draw_hines_plan},
        {describe("xhinesGetPlacement", {"plan", "layout", "nrhs", "batch", "ld", "first", "step", "extent"},
                  xhinesGetPlacement),
         draw_hines_placement},
        {describe("xgeqrtTiled_defaults", {"type", "m", "n", "config"}, xgeqrtTiled_defaults), draw_tiled_defaults},
    };
    return all;
}

std::vector<Fuzzed> make_routines() {
    std::vector<Fuzzed> all;
    for (const DrawnFamily &family : families_of_types)
        for (const Routine &routine : table())
            if (x_form_of(routine).name.substr(1) == family.stem)
                all.push_back({routine.name, &routine, family.draw, nullptr});
    for (const Plain &plain : routines_of_no_type())
        for (int k = 0; k < 3; ++k) all.push_back({plain.routine.name, &plain.routine, plain.draw, nullptr});
    for (int k = 0; k < 4; ++k) {
        all.push_back({"xbatchTaskGraph", nullptr, nullptr, fuzz_task_graph});
        all.push_back({"xbatchTaskGraphTiles", nullptr, nullptr, fuzz_task_tiles});
        all.push_back({"xgtsvMp", nullptr, nullptr, fuzz_distributed});
        all.push_back({"xgeqrtTsMp", nullptr, nullptr, fuzz_tall});
    }
    return all;
}

}  // namespace

const std::vector<Fuzzed> &fuzzed_routines() {
    static const std::vector<Fuzzed> all = make_routines();
    return all;
}

const Routine *query_of(const Fuzzed &fuzzed) {
    const auto is_query = [&](const Routine &routine) { return routine.name == fuzzed.name + "_bufferSize"; };
    const auto found = std::find_if(table().begin(), table().end(), is_query);
    return found == table().end() ? nullptr : &*found;
}

}  // namespace xbatch_test
