/* neuron_checks.c: see neuron_checks.h.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "neuron_checks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

static void add(Checks *checks, const char *name, double value, double low, double high) {
    checks->rows[checks->count++] = (Check){name, value, low, high};
}

/* Known shapes, with 1 pA into the soma, or into one end of the cable. */

static const Stimulus unit_stimulus = {.node = 0, .current = 1};

typedef struct {
    Swc swc;
    Cable cable;
    Simulation simulation;
} Shape;

static void stop(Shape *shape) {
    simulation_destroy(&shape->simulation);
    cable_destroy(&shape->cable);
    swc_free(&shape->swc);
}

static bool start(Shape *shape, xbatchHandle_t handle, xbatchLayout_t layout, const RallTree *tree,
                  const Membrane *membrane, double dt, Error *error) {
    memset(shape, 0, sizeof *shape);
    const bool good =
        shape_draw(tree, membrane, &shape->swc, error) &&
        cable_create(&shape->cable, handle, &shape->swc, membrane, error) &&
        simulation_create(&shape->simulation, handle, &shape->cable, layout, &unit_stimulus, 1, dt, error);
    if (!good) stop(shape);
    return good;
}

/* A soma alone. After m steps implicit Euler has (1 + dt/tau)^-m in place of exp(-m dt/tau). */
static bool check_compartment(Checks *checks, xbatchHandle_t handle, xbatchLayout_t layout, const Membrane *membrane,
                              double dt, int64_t steps, Error *error) {
    const RallTree soma = {.soma = 9, .dendrites = 0, .orders = 1, .segments = 1, .length = 1};
    const double final = shape_voltage(&soma, membrane, 0, true), tau = membrane_time_constant(membrane);
    Shape shape;
    if (!start(&shape, handle, layout, &soma, membrane, dt, error)) return false;
    double worst = 0, expected = 0;
    bool good = true;
    for (int64_t m = 1; good && m <= steps; ++m) {
        const double left = exp(-(double)m * dt / tau), left_by_steps = exp(-(double)m * log1p(dt / tau));
        good = simulation_step(&shape.simulation, error);
        worst = fmax(worst, fabs(simulation_voltage(&shape.simulation, 0, 0) / final - (1 - left)));
        expected = fmax(expected, fabs(left_by_steps - left));
    }
    stop(&shape);
    const double limit = DBL_EPSILON * (double)(16 + 4 * steps);
    add(checks, "compartment: V(t) against the exponential", worst, expected - limit, expected + limit);
    return good;
}

/* All nodes; each is one step of the same length, in length constants, away from its parent. */
static bool check_tree(Checks *checks, const char *name, xbatchHandle_t handle, xbatchLayout_t layout,
                       const Membrane *membrane, const RallTree *tree, Error *error) {
    Shape shape;
    if (!start(&shape, handle, layout, tree, membrane, INFINITY, error)) return false;
    const Cable *cable = &shape.cable;
    const double step = 1 / (double)(tree->orders * tree->segments), a = tree->length * step;
    double *part = malloc((size_t)cable->nodes * sizeof *part), worst = 0, expected = 0; /* of the way to the tip */
    const bool good = (part || fail(error, "no memory for the checks")) && simulation_step(&shape.simulation, error);
    for (int64_t i = 0; good && i < cable->nodes; ++i) {
        part[i] = cable->parent[i] < 0 ? 0 : part[cable->parent[i]] + step;
        const double exact = shape_voltage(tree, membrane, part[i], true);
        const double stepped = shape_voltage(tree, membrane, part[i], false);
        worst = fmax(worst, fabs(simulation_voltage(&shape.simulation, i, 0) - exact) / exact);
        expected = fmax(expected, fabs(stepped - exact) / exact);
    }
    free(part);
    stop(&shape);
    /* The diagonal, rounded, is 2/a^2 times the leak; places of samples are rounded to about 1e-13 of a step. */
    const double limit = 32 * DBL_EPSILON / (a * a);
    add(checks, name, worst, expected - limit, expected + limit);
    return good;
}

bool check_known_shapes(Checks *checks, xbatchHandle_t handle, xbatchLayout_t layout, const Membrane *membrane,
                        double dt, int64_t steps, Error *error) {
    const RallTree sealed = {.soma = 0, .dendrites = 1, .orders = 1, .segments = 100, .length = 1.5};
    const RallTree neuron = shape_default_neuron();
    return check_compartment(checks, handle, layout, membrane, dt, steps, error) &&
           check_tree(checks, "sealed cable: V(x) against cosh", handle, layout, membrane, &sealed, error) &&
           check_tree(checks, "Rall's tree against its one cylinder", handle, layout, membrane, &neuron, error);
}

/* Any tree. */

/* What rounding may do to a sum of currents, as a part of the injected one: a few eps of the terms of each equation
 * (the backward error of a solve), and of each sum. */
static bool rounding(const Simulation *s, double *part, Error *error) {
    const Cable *cable = s->cable;
    const double *diagonal = s->diagonal.host;
    double *weights = malloc((size_t)cable->nodes * sizeof *weights);
    double *sums = malloc((size_t)s->copies * sizeof *sums);
    const bool good = (weights && sums) || fail(error, "no memory for the checks");
    if (good) {
        for (int64_t i = 0; i < cable->nodes; ++i) /* of the absolute values in column i */
            weights[i] = 2 * diagonal[i] - cable->leak[i] - cable->capacitance[i] / s->dt;
        simulation_sum(s, weights, sums);
    }
    *part = 0;
    for (int64_t j = 0; good && j < s->copies; ++j) *part = fmax(*part, fabs(sums[j] / s->stimuli[j].current));
    *part = DBL_EPSILON * (4 * *part + (double)cable->nodes);
    free(weights);
    free(sums);
    return good;
}

bool check_steady_state(Checks *checks, const Simulation *steady, Error *error) {
    double *leak = malloc((size_t)steady->copies * sizeof *leak), limit;
    const bool good = (leak || fail(error, "no memory for the checks")) && rounding(steady, &limit, error);
    if (good) {
        const Stimulus first = steady->stimuli[0];
        double unbalance = 0, asymmetry = 0, scale = 0;
        simulation_sum(steady, steady->cable->leak, leak);
        for (int64_t j = 0; j < steady->copies; ++j) {
            const Stimulus other = steady->stimuli[j];
            const double there = simulation_voltage(steady, other.node, 0) / first.current;
            const double back = simulation_voltage(steady, first.node, j) / other.current;
            unbalance = fmax(unbalance, fabs(leak[j] / other.current - 1));
            asymmetry = fmax(asymmetry, fabs(there - back));
            scale = fmax(scale, fabs(simulation_voltage(steady, other.node, j) / other.current));
        }
        add(checks, "steady state: leaks against injected current", unbalance, 0, limit);
        add(checks, "steady state: V at b from a and at a from b", asymmetry / scale, 0, limit);
    }
    free(leak);
    return good;
}

bool check_charge(Checks *checks, const Simulation *run, int64_t steps, const double *leaked, Error *error) {
    double *charge = malloc((size_t)run->copies * sizeof *charge), limit, worst = 0;
    const bool good = (charge || fail(error, "no memory for the checks")) && rounding(run, &limit, error);
    if (good) {
        simulation_sum(run, run->cable->capacitance, charge);
        for (int64_t j = 0; j < run->copies; ++j) {
            const double injected = run->stimuli[j].current * run->dt * (double)steps;
            worst = fmax(worst, fabs((charge[j] + leaked[j]) / injected - 1));
        }
        add(checks, "run: charge leaked and kept against injected", worst, 0, limit + DBL_EPSILON * (double)steps);
    }
    free(charge);
    return good;
}

/* Voltages of all nodes of a few copies after the time of `steps` steps, in steps `parts` times as short. */
static bool fine_run(const Simulation *like, const Stimulus *stimuli, int64_t copies, int64_t steps, int parts,
                     double *voltage, Error *error) {
    Simulation s;
    if (!simulation_create(&s, like->handle, like->cable, like->layout, stimuli, copies, like->dt / parts, error))
        return false;
    bool good = true;
    for (int64_t m = 0; good && m < steps * parts; ++m) good = simulation_step(&s, error);
    if (good) memcpy(voltage, s.voltage.host, s.voltage.bytes);
    simulation_destroy(&s);
    return good;
}

#define REFINED_COPIES 4
#define REFINED_STEPS 40

bool check_time_step(Checks *checks, const Simulation *run, const Simulation *steady, const Membrane *membrane,
                     int64_t steps, bool *done, Error *error) {
    const double tau = membrane_time_constant(membrane), within = 2 * tau / run->dt;
    if (steps > REFINED_STEPS) steps = REFINED_STEPS;
    if ((double)steps > within) steps = (int64_t)within;
    *done = steps >= 8 && run->dt >= 1e-6 * tau;
    if (!*done) return true;

    static const int parts[] = {1, 2, 8, 16};
    Stimulus stimuli[REFINED_COPIES];
    const int64_t copies = run->copies < REFINED_COPIES ? run->copies : REFINED_COPIES;
    const int64_t count = copies * run->cable->nodes;
    double largest = 0; /* voltage in the end */
    for (int64_t j = 0; j < copies; ++j) {
        const int64_t k = copies > 1 ? j * (run->copies - 1) / (copies - 1) : 0;
        stimuli[j] = run->stimuli[k];
        largest = fmax(largest, fabs(simulation_voltage(steady, stimuli[j].node, k)));
    }
    double *v = malloc(4 * (size_t)count * sizeof *v), coarse = 0, half = 0;
    bool good = v || fail(error, "no memory for the checks");
    for (int k = 0; good && k < 4; ++k) good = fine_run(run, stimuli, copies, steps, parts[k], v + k * count, error);
    for (int64_t e = 0; good && e < count; ++e) {
        const double limit = 2 * v[3 * count + e] - v[2 * count + e]; /* Richardson: of dt/8 and dt/16 */
        coarse = fmax(coarse, fabs(v[e] - limit));
        half = fmax(half, fabs(v[count + e] - limit));
    }
    free(v);
    if (good) {
        /* The error of a mode of decay rate r is at most 0.27/m of its final value, at r m dt = 2. */
        add(checks, "run: steps of dt against dt/16", coarse / largest, 0, 0.3 / (double)steps);
        /* At least 0.96 for any r; more than 1 if the remainder of fast modes exceeds the error of slow ones.
         */
        add(checks, "run: order of the time step", log2(coarse / half), 0.9, INFINITY);
    }
    return good;
}

bool checks_report(const Checks *checks) {
    bool good = true;
    printf("\n%-46s %9s %9s %9s\n", "check", "value", "at least", "at most");
    for (int k = 0; k < checks->count; ++k) {
        const Check *row = &checks->rows[k];
        const bool right = row->value >= row->low && row->value <= row->high;
        printf("%-46s %9.3g %9.3g %9.3g%s\n", row->name, row->value, row->low, row->high, right ? "" : "  FAILED");
        good = good && right;
    }
    return good;
}
