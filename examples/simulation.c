/* simulation.c: see simulation.h. The solves run where the handle computes; the host computes right-hand sides and
 * copies them; a production program would use a GPU kernel for this.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "simulation.h"

#include <omp.h>
#include <string.h>

static int64_t place(const Simulation *s, int64_t node, int64_t copy) {
    return s->layout == XBATCH_LAYOUT_FLAT ? copy * s->cable->nodes + node : node * s->copies + copy;
}

static int64_t leading_dimension(const Simulation *s) {
    return s->layout == XBATCH_LAYOUT_FLAT ? s->cable->nodes : s->copies;
}

double simulation_voltage(const Simulation *s, int64_t node, int64_t copy) {
    return ((const double *)s->voltage.host)[place(s, node, copy)];
}

/* Copies in groups of a cache line, which share it where they are interleaved. */
void simulation_sum(const Simulation *s, const double *weights, double *sums) {
    const int64_t group = 8;
#pragma omp parallel for
    for (int64_t first = 0; first < s->copies; first += group) {
        const int64_t end = first + group < s->copies ? first + group : s->copies;
        for (int64_t j = first; j < end; ++j) sums[j] = 0;
        for (int64_t i = 0; i < s->cable->nodes; ++i)
            for (int64_t j = first; j < end; ++j) sums[j] += weights[i] * simulation_voltage(s, i, j);
    }
}

/* b = C/dt V + I, in the order of the memory. */
static void set_right_hand_sides(Simulation *s) {
    const bool flat = s->layout == XBATCH_LAYOUT_FLAT;
    const int64_t lines = flat ? s->copies : s->cable->nodes, length = flat ? s->cable->nodes : s->copies;
    const double *capacitance = s->cable->capacitance, dt = s->dt;
    double *b = s->voltage.host;
#pragma omp parallel for
    for (int64_t line = 0; line < lines; ++line)
        for (int64_t k = 0; k < length; ++k) b[line * length + k] *= capacitance[flat ? k : line] / dt;
    for (int64_t j = 0; j < s->copies; ++j) b[place(s, s->stimuli[j].node, j)] += s->stimuli[j].current;
}

static bool solve(Simulation *s, Error *error) {
    const double *off = s->off.device;
    const xbatchStatus_t status =
        dhinesBatch(s->handle, s->layout, XBATCH_OP_N, s->plan, 1, s->copies, off, off, 0, s->diagonal.device, 0,
                    s->voltage.device, leading_dimension(s), s->info.device, s->workspace.device, s->workspace.bytes);
    if (status != XBATCH_STATUS_SUCCESS)
        return fail(error, "%s (%s)", xbatchGetStatusString(status), xbatchGetLastErrorMessage(s->handle));
    return device_wait(s->backend) || fail(error, "the device failed");
}

bool simulation_step(Simulation *s, Error *error) {
    set_right_hand_sides(s);
    const double start = omp_get_wtime();
    if (!device_array_push(&s->voltage)) return fail(error, "copying to the device failed");
    const double pushed = omp_get_wtime();
    if (!solve(s, error)) return false;
    const double solved = omp_get_wtime();
    if (!device_array_pull(&s->voltage) || !device_array_pull(&s->info))
        return fail(error, "copying from the device failed");
    s->solve_seconds += solved - pushed;
    s->copy_seconds += omp_get_wtime() - solved + pushed - start;
    const int32_t *info = s->info.host;
    for (int64_t j = 0; j < s->copies; ++j)
        if (info[j] != 0) return fail(error, "copy %lld: zero pivot at node %d", (long long)j, (int)info[j]);
    return true;
}

static void set_matrix(Simulation *s) {
    const Cable *cable = s->cable;
    double *off = s->off.host, *diagonal = s->diagonal.host;
    for (int64_t i = 0; i < cable->nodes; ++i) {
        off[i] = -cable->axial[i];
        diagonal[i] = cable->capacitance[i] / s->dt + cable->leak[i] + cable->axial[i];
        if (cable->parent[i] >= 0) diagonal[cable->parent[i]] += cable->axial[i];
    }
}

static bool allocate(Simulation *s, Error *error) {
    const size_t nodes = (size_t)s->cable->nodes, copies = (size_t)s->copies;
    size_t workspace_bytes = 0;
    if (dhinesBatch_bufferSize(s->handle, s->layout, XBATCH_OP_N, s->plan, 1, s->copies, &workspace_bytes))
        return fail(error, "%s", xbatchGetLastErrorMessage(s->handle));
    return (device_array_create(&s->off, s->backend, nodes * sizeof(double)) &&
            device_array_create(&s->diagonal, s->backend, nodes * sizeof(double)) &&
            device_array_create(&s->voltage, s->backend, nodes * copies * sizeof(double)) &&
            device_array_create(&s->info, s->backend, copies * sizeof(int32_t)) &&
            device_array_create(&s->workspace, s->backend, workspace_bytes)) ||
           fail(error, "no memory for %zu copies of %zu nodes", copies, nodes);
}

bool simulation_create(Simulation *s, xbatchHandle_t handle, const Cable *cable, xbatchLayout_t layout,
                       const Stimulus *stimuli, int64_t copies, double dt, Error *error) {
    *s = (Simulation){
        .handle = handle, .layout = layout, .cable = cable, .stimuli = stimuli, .copies = copies, .dt = dt};
    const int64_t offsets[] = {0, cable->nodes};
    bool good = !xbatchGetBackend(handle, &s->backend) &&
                !xhinesCreatePlan(handle, 1, offsets, cable->parent, 0, XBATCH_HINES_FOREST, copies, NULL, &s->plan);
    if (!good) fail(error, "%s", xbatchGetLastErrorMessage(handle));
    good = good && allocate(s, error);
    if (good) {
        memset(s->voltage.host, 0, s->voltage.bytes);
        set_matrix(s);
        good = (device_array_push(&s->off) && device_array_push(&s->diagonal)) ||
               fail(error, "copying to the device failed");
    }
    if (!good) simulation_destroy(s);
    return good;
}

void simulation_destroy(Simulation *s) {
    xhinesDestroyPlan(s->plan);
    device_array_destroy(&s->off);
    device_array_destroy(&s->diagonal);
    device_array_destroy(&s->voltage);
    device_array_destroy(&s->info);
    device_array_destroy(&s->workspace);
    *s = (Simulation){0};
}
