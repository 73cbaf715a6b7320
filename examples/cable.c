/* cable.c: see cable.h.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Conductances in nS of um^2 of membrane at 1 S/cm^2, and of um of length per um^2 of section at 1 Ohm cm; capacitance
 * in pF of um^2 of membrane at 1 uF/cm^2; um in a cm. */
static const double membrane_ns = 10, axial_ns = 1e5, membrane_pf = 1e-2, um_per_cm = 1e4;

double membrane_time_constant(const Membrane *membrane) {
    return membrane_pf * membrane->capacitance / (membrane_ns * membrane->leak);
}

double membrane_length_constant(const Membrane *membrane, double radius) {
    return um_per_cm * sqrt(radius / um_per_cm / (2 * membrane->resistivity * membrane->leak));
}

/* What joins a sample to its parent. */
typedef struct {
    double length, parent_radius, radius; /* um */
} Segment;

static Segment segment_of(const SwcSample *sample, const SwcSample *parent) {
    Segment segment = {swc_distance(sample, parent), parent->radius, sample->radius};
    const bool soma = sample->type == SWC_SOMA, from_soma = parent->type == SWC_SOMA;
    if (soma == from_soma) return segment;
    segment.parent_radius = segment.radius = soma ? parent->radius : sample->radius;
    segment.length = fmax(segment.length - (soma ? sample->radius : parent->radius), 0);
    return segment;
}

/* The number of each sample's node, and each node's parent, root and first sample. `order`: parents before children. */
static void number_nodes(Cable *cable, const Swc *swc, const int32_t *order, int32_t *node) {
    for (int64_t k = 0; k < swc->count; ++k) {
        const int64_t s = order[k], p = swc->samples[s].parent;
        if (p >= 0 && segment_of(&swc->samples[s], &swc->samples[p]).length <= SWC_SAME_POINT) {
            node[s] = node[p];
            continue;
        }
        const int64_t i = cable->nodes++;
        node[s] = (int32_t)i;
        cable->parent[i] = p >= 0 ? node[p] : -1;
        cable->root[i] = p >= 0 ? cable->root[node[p]] : (int32_t)i;
        cable->sample[i] = s;
        cable->trees += p < 0;
    }
}

static void add_membrane(Cable *cable, const Membrane *membrane, int64_t node, double area) {
    cable->capacitance[node] += membrane_pf * membrane->capacitance * area;
    cable->leak[node] += membrane_ns * membrane->leak * area;
    cable->area += area;
}

/* The cone between node i and its parent. The two halves of its membrane differ where it tapers. */
static void add_segment(Cable *cable, const Membrane *membrane, int64_t i, const Segment *segment) {
    const double r = segment->radius, rp = segment->parent_radius, middle = (r + rp) / 2;
    const double half_slant = hypot(segment->length, r - rp) / 2;
    cable->axial[i] = axial_ns * pi * r * rp / (membrane->resistivity * segment->length);
    cable->distance[i] = cable->distance[cable->parent[i]] + segment->length;
    cable->length += segment->length;
    add_membrane(cable, membrane, i, pi * (r + middle) * half_slant);
    add_membrane(cable, membrane, cable->parent[i], pi * (rp + middle) * half_slant);
}

/* Somas of one sample are spheres, and so are trees without segments. */
static bool add_spheres(Cable *cable, const Swc *swc, const Membrane *membrane, const int32_t *node, Error *error) {
    double *radius = calloc((size_t)cable->nodes, sizeof *radius);
    bool *long_soma = calloc((size_t)cable->nodes, sizeof *long_soma); /* joined to another node of a soma */
    bool good = (radius && long_soma) || fail(error, "no memory for the tree");
    for (int64_t s = 0; good && s < swc->count; ++s) {
        const SwcSample *sample = &swc->samples[s], *parent = sample->parent < 0 ? NULL : &swc->samples[sample->parent];
        if (!parent || sample->type != SWC_SOMA || parent->type != SWC_SOMA) continue;
        const int32_t i = node[s], p = node[sample->parent];
        if (i != p) long_soma[i] = long_soma[p] = true;
    }
    for (int64_t s = 0; good && s < swc->count; ++s) {
        const int32_t i = node[s];
        const bool lone_soma = swc->samples[s].type == SWC_SOMA && !long_soma[i];
        if (lone_soma || cable->leak[i] == 0) radius[i] = fmax(radius[i], swc->samples[s].radius);
    }
    for (int64_t i = 0; good && i < cable->nodes; ++i) {
        add_membrane(cable, membrane, i, 4 * pi * radius[i] * radius[i]);
        if (!(cable->leak[i] > 0))
            good = fail(error, "sample %lld is a tree without size", (long long)swc->samples[cable->sample[i]].id);
    }
    free(radius);
    free(long_soma);
    return good;
}

static bool assemble(Cable *cable, const Swc *swc, const Membrane *membrane, const int32_t *order, int32_t *node,
                     Error *error) {
    number_nodes(cable, swc, order, node);
    for (int64_t i = 0; i < cable->nodes; ++i) {
        if (cable->parent[i] < 0) continue;
        const SwcSample *sample = &swc->samples[cable->sample[i]];
        const Segment segment = segment_of(sample, &swc->samples[sample->parent]);
        add_segment(cable, membrane, i, &segment);
    }
    return add_spheres(cable, swc, membrane, node, error);
}

static bool allocate(Cable *cable, int64_t count) {
    const size_t n = (size_t)count;
    cable->parent = malloc(n * sizeof *cable->parent);
    cable->root = malloc(n * sizeof *cable->root);
    cable->sample = malloc(n * sizeof *cable->sample);
    cable->capacitance = calloc(n, sizeof *cable->capacitance);
    cable->leak = calloc(n, sizeof *cable->leak);
    cable->axial = calloc(n, sizeof *cable->axial);
    cable->distance = calloc(n, sizeof *cable->distance);
    return cable->parent && cable->root && cable->sample && cable->capacitance && cable->leak && cable->axial &&
           cable->distance;
}

bool cable_create(Cable *cable, xbatchHandle_t handle, const Swc *swc, const Membrane *membrane, Error *error) {
    memset(cable, 0, sizeof *cable);
    if (swc->count > INT32_MAX) return fail(error, "%lld samples are too many", (long long)swc->count);
    int32_t *parent = malloc((size_t)swc->count * sizeof *parent);
    int32_t *order = malloc((size_t)swc->count * sizeof *order);
    int32_t *node = malloc((size_t)swc->count * sizeof *node);
    bool good = (parent && order && node && allocate(cable, swc->count)) || fail(error, "no memory for the tree");
    if (good) {
        for (int64_t s = 0; s < swc->count; ++s) parent[s] = (int32_t)swc->samples[s].parent;
        const xbatchStatus_t status = xhinesOrder(handle, swc->count, parent, 0, XBATCH_HINES_FOREST, order, NULL);
        good = status == XBATCH_STATUS_SUCCESS ? assemble(cable, swc, membrane, order, node, error)
                                               : fail(error, "%s", xbatchGetLastErrorMessage(handle));
    }
    free(parent);
    free(order);
    free(node);
    if (!good) cable_destroy(cable);
    return good;
}

void cable_destroy(Cable *cable) {
    free(cable->parent);
    free(cable->root);
    free(cable->sample);
    free(cable->capacitance);
    free(cable->leak);
    free(cable->axial);
    free(cable->distance);
    memset(cable, 0, sizeof *cable);
}
