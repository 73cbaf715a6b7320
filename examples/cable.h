/* cable.h: the cable equation on trees of neurites, in conductance form: for each node i,
 *
 *     C_i dV_i/dt = -G_i V_i + sum over the neighbours k of g_ik (V_k - V_i) + I_i
 *
 * with V the voltage from rest in mV, C in pF, the leak G and the axial conductances g in nS, I the injected current in
 * pA, t in ms. The units are consistent: nS mV = pA = pF mV/ms.
 *
 * From samples to nodes: each sample is a node, and neighbours are joined by a truncated cone of length L between their
 * radii r and R, all in um: g = pi r R / (Ra L), and half of its membrane belongs to either node.
 * - Samples at one point (SWC_SAME_POINT) are one node. The radius may jump there; the step itself has no membrane.
 * - A neurite begins at the surface of its parent soma sample, with its own radius: not in the middle and not as wide
 *   as the soma. The stub from there to its first sample belongs to it. NEURON's reader Import3d drops the stub, and
 *   about 1 % of the membrane with it. A neurite that ends inside the soma is a part of it.
 * - A soma of one sample is a sphere, and so is a tree of one sample: one node with all its membrane.
 * - A soma of three samples, NeuroMorpho's way to say "sphere" (the middle, and a child at the distance of the radius
 *   on either side), is taken literally: a cylinder of length and diameter 2 r, which has the area of the sphere.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_CABLE_H
#define EXAMPLES_CABLE_H

#include <xbatch.h>

#include "error.h"
#include "swc.h"

typedef struct {
    double resistivity; /* Ra of the cytoplasm, Ohm cm */
    double capacitance; /* of the membrane, uF/cm^2 */
    double leak;        /* of the membrane, S/cm^2 */
} Membrane;

/* ms: in which the voltage of isolated membrane decays by a factor of e */
double membrane_time_constant(const Membrane *membrane);

/* um: the same along an endless cylinder of this radius in um */
double membrane_length_constant(const Membrane *membrane, double radius);

/* Nodes are numbered so that each comes after its parent. */
typedef struct {
    int64_t nodes, trees;
    int32_t *parent;     /* -1 at a root */
    int32_t *root;       /* of the node's tree */
    int64_t *sample;     /* the first of the node's samples */
    double *capacitance; /* C, pF */
    double *leak;        /* G, nS */
    double *axial;       /* g to the parent, nS; 0 at a root */
    double *distance;    /* along the neurites to the root, um */
    double length;       /* of all neurites, um */
    double area;         /* of all membrane, um^2 */
} Cable;

bool cable_create(Cable *cable, xbatchHandle_t handle, const Swc *swc, const Membrane *membrane, Error *error);

void cable_destroy(Cable *cable);

#endif
