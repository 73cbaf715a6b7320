/* shapes.h: neurons that the program generates, and their known voltages.
 *
 * Rall's tree: a soma with dendrites that branch in two repeatedly. If at every branching the radii to the power
 * 3/2 add up, and all tips are equally far from the soma in length constants, the input conductance of the tree is that
 * of one unbranched cylinder (W. Rall, Annals of the New York Academy of Sciences 96, 1962). With one dendrite, no
 * branching and no soma it is a cable with sealed ends.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_SHAPES_H
#define EXAMPLES_SHAPES_H

#include "cable.h"
#include "error.h"
#include "swc.h"

typedef struct {
    double soma;       /* radius, um; 0: none */
    int64_t dendrites; /* on the soma */
    int64_t orders;    /* branches in sequence from the soma to a tip */
    int64_t segments;  /* of one branch */
    double length;     /* from the soma to each tip, in length constants */
} RallTree;

/* The neuron that is simulated if no file is given. */
RallTree shape_default_neuron(void);

bool shape_draw(const RallTree *tree, const Membrane *membrane, Swc *swc, Error *error);

/* Steady voltages under 1 pA into the soma, in mV: there, and at a part 0 <= x <= 1 of the way to any tip. `exact`: of
 * the cable equation; otherwise of its discretisation by nodes. */
double shape_voltage(const RallTree *tree, const Membrane *membrane, double x, bool exact);

#endif
