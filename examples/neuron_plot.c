/* neuron_plot.c: see neuron_plot.h. The script is saved, so that a picture can be drawn again in another style.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "neuron_plot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"

bool traces_create(Traces *traces, int64_t copies, int64_t steps, Error *error) {
    *traces = (Traces){.points = steps + 1, .copies = copies < PLOTTED_COPIES ? copies : PLOTTED_COPIES};
    const size_t count = (size_t)(traces->points * traces->copies);
    for (int64_t k = 0; k < traces->copies; ++k) traces->copy[k] = k == 0 ? 0 : k * (copies - 1) / (traces->copies - 1);
    traces->site = malloc(count * sizeof(double));
    traces->root = malloc(count * sizeof(double));
    if (traces->site && traces->root) return true;
    traces_destroy(traces);
    return fail(error, "no memory for the plot");
}

void traces_destroy(Traces *traces) {
    free(traces->site);
    free(traces->root);
    *traces = (Traces){0};
}

void traces_record(Traces *traces, const Simulation *run, int64_t step) {
    for (int64_t k = 0; k < traces->copies; ++k) {
        const int64_t copy = traces->copy[k], site = run->stimuli[copy].node;
        traces->site[k * traces->points + step] = simulation_voltage(run, site, copy);
        traces->root[k * traces->points + step] = simulation_voltage(run, run->cable->root[site], copy);
    }
}

/* The tree from in front, x to the right and y up: each node's way to its parent, the node's voltage, and the radius of
 * a soma. */
static void write_tree(FILE *file, const Simulation *run, const Swc *swc, int64_t copy) {
    const Cable *cable = run->cable;
    fputs("$tree << EOD\n", file);
    for (int64_t i = 0; i < cable->nodes; ++i) {
        const SwcSample *here = &swc->samples[cable->sample[i]];
        const SwcSample *from = here->parent < 0 ? here : &swc->samples[here->parent];
        fprintf(file, "%g %g %g %g %g %g\n", from->x, from->y, here->x - from->x, here->y - from->y,
                simulation_voltage(run, i, copy), here->type == SWC_SOMA ? here->radius : 0);
    }
    const SwcSample *site = &swc->samples[cable->sample[run->stimuli[copy].node]];
    fprintf(file, "EOD\n$site << EOD\n%g %g\nEOD\n", site->x, site->y);
}

static void write_traces(FILE *file, const Traces *traces, const Simulation *run) {
    fputs("$traces << EOD\n", file);
    for (int64_t k = 0; k < traces->copies; ++k) {
        const double distance = run->cable->distance[run->stimuli[traces->copy[k]].node];
        for (int64_t m = 0; m < traces->points; ++m)
            fprintf(file, "%g %g %g %g\n", (double)m * run->dt, traces->site[k * traces->points + m],
                    traces->root[k * traces->points + m], distance);
        fputs("\n\n", file);
    }
    fputs("EOD\n", file);
}

static void write_script(FILE *file, const char *path, const Traces *traces, const Simulation *run, const Swc *swc) {
    const int64_t shown = traces->copies / 2, copy = traces->copy[shown];
    fputs("set terminal pngcairo size 1400,640 font ',11'\nset output '", file);
    for (const char *c = path; *c; ++c) fputs(*c == '\'' ? "''" : (const char[]){*c, '\0'}, file);
    fputs("'\n", file);
    write_tree(file, run, swc, copy);
    write_traces(file, traces, run);
    fprintf(file,
            "set palette defined (0 '#30123b', 1 '#4686fb', 2 '#1ae4b6', 3 '#a2fc3c', 4 '#faba39', 5 '#e4460a')\n"
            "set multiplot\n"
            "set origin 0,0\nset size 0.5,1\nset size ratio -1\n"
            "set title '%g pA into the circled node: voltages after %g ms'\n"
            "set xlabel 'x (um)'\nset ylabel 'y (um)'\nset cblabel 'mV'\nset logscale cb 2\n"
            "plot $tree using 1:2:3:4:5 with vectors nohead linewidth 2 linecolor palette notitle, "
            "$tree using ($1+$3):($2+$4):6:5 with circles fill solid noborder linecolor palette notitle, "
            "$site with points pointtype 6 pointsize 2 linewidth 2 linecolor black notitle\n"
            "unset logscale cb\nset size noratio\nset xlabel 'time (ms)'\nset ylabel 'mV'\n"
            "set cblabel 'from the root (um)' offset 1\n"
            "set size 0.5,0.5\nset origin 0.5,0.5\nset title 'At the node that takes the current'\n"
            "plot for [k=0:%d] $traces index k using 1:2:4 with lines linewidth 2 linecolor palette notitle\n"
            "set origin 0.5,0\nset title 'At the root'\n"
            "plot for [k=0:%d] $traces index k using 1:3:4 with lines linewidth 2 linecolor palette notitle\n"
            "unset multiplot\n",
            run->stimuli[copy].current, (double)(traces->points - 1) * run->dt, (int)traces->copies - 1,
            (int)traces->copies - 1);
}

/* Give a script to gnuplot. */
static bool draw(const char *script, bool *drawn, Error *error) {
    const int input = open(script, O_RDONLY);
    if (input < 0) return fail(error, "%s: cannot be opened: %s", script, strerror(errno));
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(input, STDIN_FILENO);
        execlp("gnuplot", "gnuplot", (char *)NULL);
        _exit(errno == ENOENT ? 127 : 126);
    }
    int status = 0;
    close(input);
    if (child < 0 || waitpid(child, &status, 0) != child) return fail(error, "gnuplot: %s", strerror(errno));
    *drawn = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    const bool absent = WIFEXITED(status) && WEXITSTATUS(status) == 127;
    return *drawn || absent || fail(error, "gnuplot could not draw %s", script);
}

bool plot_write(const char *path, const Traces *traces, const Simulation *run, const Swc *swc, bool *drawn,
                Error *error) {
    static const char extension[] = ".gnuplot";
    char *script = malloc(strlen(path) + sizeof extension);
    if (!script) return fail(error, "no memory for the plot");
    sprintf(script, "%s%s", path, extension);
    Output output;
    bool good = output_open(&output, script, error);
    if (good) {
        write_script(output.file, path, traces, run, swc);
        good = output_close(&output, true, error) && draw(script, drawn, error);
    }
    free(script);
    return good;
}
