/* shapes.c: see shapes.h. Neurites bend in three dimensions, since only lengths along them matter.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "shapes.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;
static const double trunk_radius = 1.6, um_per_cm = 1e4;

RallTree shape_default_neuron(void) {
    return (RallTree){.soma = 9, .dendrites = 5, .orders = 5, .segments = 8, .length = 0.6};
}

/* The dendrites differ a little: radius of dendrite k. */
static double radius_of(int64_t k) { return trunk_radius * (1 - 0.08 * (double)(k % 3)); }

typedef struct {
    const RallTree *tree;
    const Membrane *membrane;
    Swc *swc;
    int64_t branches; /* drawn so far */
} Pen;

static int64_t put(Pen *pen, int64_t type, double x, double y, double z, double radius, int64_t parent) {
    const int64_t k = pen->swc->count++;
    pen->swc->samples[k] = (SwcSample){k + 1, type, x, y, z, radius, parent, k + 1};
    return k;
}

/* A branch that begins at a sample, with a sample of its own radius at the same place, and its subtree. */
static void draw_branch(Pen *pen, int64_t from, double angle, double radius, int64_t order) {
    const RallTree *tree = pen->tree;
    const double step =
        tree->length / (double)(tree->orders * tree->segments) * membrane_length_constant(pen->membrane, radius);
    const SwcSample start = pen->swc->samples[from];
    const double number = (double)pen->branches++;
    double x = start.x, y = start.y, z = start.z;
    const double gap = start.type == SWC_SOMA ? start.radius : 0; /* to the surface */
    x += gap * cos(angle);
    y += gap * sin(angle);
    int64_t last = put(pen, 3, x, y, z, radius, from);
    for (int64_t k = 0; k < tree->segments; ++k) {
        angle += 0.09 * sin(0.9 * (double)k + 1.7 * number);
        const double rise = 0.4 * sin(2.3 * number);
        x += step * cos(angle) * cos(rise);
        y += step * sin(angle) * cos(rise);
        z += step * sin(rise);
        last = put(pen, 3, x, y, z, radius, last);
    }
    if (order + 1 >= tree->orders) return;
    /* The thicker daughter bends less. */
    const double share = 0.5 + 0.15 * sin(2.1 * number), spread = 1.15 / (double)(order + 1.2);
    draw_branch(pen, last, angle + spread * (1 - share), radius * pow(share, 2.0 / 3), order + 1);
    draw_branch(pen, last, angle - spread * share, radius * pow(1 - share, 2.0 / 3), order + 1);
}

bool shape_draw(const RallTree *tree, const Membrane *membrane, Swc *swc, Error *error) {
    const int64_t branches = tree->dendrites * (((int64_t)1 << tree->orders) - 1);
    const size_t samples = (size_t)(1 + branches * (tree->segments + 1));
    *swc = (Swc){malloc(samples * sizeof *swc->samples), 0};
    if (!swc->samples) return fail(error, "no memory for %zu samples", samples);
    Pen pen = {tree, membrane, swc, 0};
    const int64_t root =
        tree->soma > 0 ? put(&pen, SWC_SOMA, 0, 0, 0, tree->soma, -1) : put(&pen, 3, 0, 0, 0, radius_of(0), -1);
    for (int64_t k = 0; k < tree->dendrites; ++k)
        draw_branch(&pen, root, 2 * pi * ((double)k + 0.3) / (double)tree->dendrites, radius_of(k), 0);
    return true;
}

/* An endless cylinder has the input conductance G nS, G = pi sqrt(2 g/Ra) r^(3/2); one of length L that is sealed G
 * tanh(L), and at a part x of it the voltage is cosh(L (1 - x)) / cosh(L) of that at its start. On N nodes a step of
 * length a = L/N carries G/a and leaks G a: cosh(b) = 1 + a^2/2 takes the place of cosh(a), and the input conductance
 * is G sinh(b)/a tanh(N b). */
double shape_voltage(const RallTree *tree, const Membrane *membrane, double x, bool exact) {
    const double a = tree->length / (double)(tree->orders * tree->segments);
    const double b = exact ? a : 2 * asinh(a / 2), length = tree->length / a * b;
    double conductance = 4 * pi * pow(tree->soma / um_per_cm, 2) * membrane->leak; /* S */
    for (int64_t k = 0; k < tree->dendrites; ++k) {
        const double endless =
            pi * sqrt(2 * membrane->leak / membrane->resistivity) * pow(radius_of(k) / um_per_cm, 1.5);
        conductance += endless * (exact ? 1 : sinh(b) / a) * tanh(length);
    }
    return 1e-9 / conductance * cosh(length * (1 - x)) / cosh(length); /* pA/nS = mV */
}
