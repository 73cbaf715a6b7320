// draws.hpp: the random calls of all routines, and what they share. Each fills in a call of a routine for the call's
// type, using its random numbers.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call.hpp"

namespace xbatch_test {

enum class Algorithm;  // of tridiagonal.hpp

struct FuzzShape {
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
};
FuzzShape draw_shape(Call &call, bool has_nrhs = true);
// A leading dimension of an array in this layout, and its minimum
struct DrawnLd {
    int64_t ld, least;
};
DrawnLd draw_ld(Dice &dice, xbatchLayout_t layout, int64_t n, int64_t batch);
// A size beyond all memory; the message must name one of these arguments
void add_huge(Call &call, std::initializer_list<const char *> names);

void draw_rearrange(Call &call);
void draw_recurrence(Call &call);
void draw_gtsv(Call &call, Algorithm algorithm);
void draw_gtsv_shifted(Call &call, bool is_periodic);
void draw_gtsv_strided(Call &call, int which);  // of strided_entries()
void draw_gtsv_vbatch(Call &call);

void draw_gttrf(Call &call);
void draw_gttrs(Call &call);
void draw_gtcon(Call &call);
void draw_ptsv(Call &call);
void draw_pttrf(Call &call);
void draw_pttrs(Call &call);

void draw_hines_order(Call &call);
void draw_hines_plan(Call &call);
void draw_hines_placement(Call &call);
void draw_hines(Call &call);
void draw_hines_factor(Call &call);
void draw_hines_solve(Call &call);

void draw_tiled_defaults(Call &call);
void draw_geqrt(Call &call);
void draw_gemqrt(Call &call);
void draw_ungqrt(Call &call);
void draw_gels_tiled(Call &call);

void draw_geqrf(Call &call);
void draw_unmqr(Call &call);
void draw_ungqr(Call &call);
void draw_gels_batch(Call &call);
void draw_qless(Call &call);
void draw_geqrf_each(Call &call);
void draw_unmqr_each(Call &call);
void draw_ungqr_each(Call &call);
void draw_gels_each(Call &call);

// Task graphs are built by many calls: this function makes all of them, and describes any error.
std::string fuzz_task_graph(xbatchHandle_t handle, Dice &dice);
std::string fuzz_task_tiles(xbatchHandle_t handle, Dice &dice);
// Distributed systems are solved by a call on each rank.
std::string fuzz_distributed(xbatchHandle_t handle, Dice &dice);
std::string fuzz_tall(xbatchHandle_t handle, Dice &dice);

}  // namespace xbatch_test
