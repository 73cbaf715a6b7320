/* simulation.h: copies of one cable in time, each with a current into one of its nodes from time 0 on.
 *
 * Implicit Euler: with V the voltages at t and W those at t + dt,
 *
 *     (C_i/dt + G_i + sum of g_ik) W_i - sum of g_ik W_k = C_i/dt V_i + I_i,
 *
 * a Hines system for each copy, all with the same matrix. It is symmetric, so u and l are one array, and one for all
 * copies (ldul = ldd = 0). dt = INFINITY leaves out the capacitances: one step leads to the steady state.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_SIMULATION_H
#define EXAMPLES_SIMULATION_H

#include <xbatch.h>

#include "cable.h"
#include "device_memory.h"
#include "error.h"

typedef struct {
    int64_t node;
    double current; /* pA */
} Stimulus;

typedef struct {
    xbatchHandle_t handle;
    xbatchBackend_t backend;
    xbatchLayout_t layout;
    const Cable *cable;
    const Stimulus *stimuli; /* one a copy */
    int64_t copies;
    double dt; /* ms */
    xbatchHinesPlan_t plan;
    DeviceArray off;      /* -g, nS: u and l */
    DeviceArray diagonal; /* nS */
    DeviceArray voltage;  /* mV; in a step the right-hand sides, pA */
    DeviceArray info, workspace;
    double solve_seconds; /* in the library */
    double copy_seconds;  /* between host and device */
} Simulation;

/* All voltages 0. Layout: flat or interleaved. Cable and stimuli must live as long as the simulation does. On failure
 * nothing is left to destroy. */
bool simulation_create(Simulation *simulation, xbatchHandle_t handle, const Cable *cable, xbatchLayout_t layout,
                       const Stimulus *stimuli, int64_t copies, double dt, Error *error);

void simulation_destroy(Simulation *simulation);

/* From t to t + dt. */
bool simulation_step(Simulation *simulation, Error *error);

/* The voltage of a node in mV. */
double simulation_voltage(const Simulation *simulation, int64_t node, int64_t copy);

/* sums[copy] = the sum over the nodes of weights[node] times voltage. */
void simulation_sum(const Simulation *simulation, const double *weights, double *sums);

#endif
