/* neuron_checks.h: checks of the simulation. Where the solution is known, the error must equal that of the
 * discretisation up to rounding. For any tree, charge is conserved, the transfer resistance between two nodes is
 * symmetric, and the order of the time step is known.
 *
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_NEURON_CHECKS_H
#define EXAMPLES_NEURON_CHECKS_H

#include "cable.h"
#include "error.h"
#include "simulation.h"

typedef struct {
    const char *name;
    double value, low, high; /* low and high: bounds of the value. Relative, except for an order. */
} Check;

typedef struct {
    Check rows[8];
    int count;
} Checks;

/* A compartment in time, of `steps` steps; a sealed cable and Rall's tree in steady state. */
bool check_known_shapes(Checks *checks, xbatchHandle_t handle, xbatchLayout_t layout, const Membrane *membrane,
                        double dt, int64_t steps, Error *error);

/* In steady state as much leaks as is injected, and the voltage at b for a current into a is the one at a for the same
 * into b. */
bool check_steady_state(Checks *checks, const Simulation *steady, Error *error);

/* What was injected in `steps` steps has leaked or is still on the membrane. leaked: of each copy, pA ms. */
bool check_charge(Checks *checks, const Simulation *run, int64_t steps, const double *leaked, Error *error);

/* Four copies of the run again, with steps of dt, dt/2, dt/8 and dt/16. `done` is false if the result is meaningless:
 * the run has fewer than 8 steps within two time constants of the membrane, or steps so short that rounding dominates.
 */
bool check_time_step(Checks *checks, const Simulation *run, const Simulation *steady, const Membrane *membrane,
                     int64_t steps, bool *done, Error *error);

/* Print the table; true if all is as expected. */
bool checks_report(const Checks *checks);

#endif
