/* neuron_plot.h: a picture of a run, drawn by gnuplot: the tree, coloured by voltage, and voltages over time.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_NEURON_PLOT_H
#define EXAMPLES_NEURON_PLOT_H

#include "error.h"
#include "simulation.h"
#include "swc.h"

#define PLOTTED_COPIES 8

/* Voltages over time of several evenly spaced copies, at the node that takes the current and at the root. */
typedef struct {
    int64_t points; /* steps, and time 0 */
    int64_t copies;
    int64_t copy[PLOTTED_COPIES];
    double *site, *root; /* mV; point m of the k-th copy at [k*points + m] */
} Traces;

bool traces_create(Traces *traces, int64_t copies, int64_t steps, Error *error);

void traces_destroy(Traces *traces);

void traces_record(Traces *traces, const Simulation *run, int64_t step);

/* Write the script PATH.gnuplot, with its data in it, and let gnuplot draw PATH, a PNG file. `drawn` is false if there
 * is no gnuplot. */
bool plot_write(const char *path, const Traces *traces, const Simulation *run, const Swc *swc, bool *drawn,
                Error *error);

#endif
