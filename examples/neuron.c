/* neuron.c: the program around simulation.h: options, report, output. It reads a neuron, injects current into many
 * copies of it, each at a different node, and computes their voltages.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <xbatch.h>

#include "cable.h"
#include "neuron_checks.h"
#include "neuron_plot.h"
#include "options.h"
#include "output.h"
#include "shapes.h"
#include "simulation.h"
#include "swc.h"

const char usage[] =
    "Usage: neuron [options] [FILE.swc]\n"
    "Simulates copies of a passive neuron, each with a current into a different node from time 0 on, and checks\n"
    "itself. Without a file it draws a neuron.\n"
    "\n"
    "  --copies N     copies; the first takes the current at the root, the others all over the tree (64)\n"
    "  --steps N      time steps (800)\n"
    "  --dt T         length of a step in ms (0.05)\n"
    "  --current I    into each copy, in pA (100)\n"
    "  --layout L     flat (copy after copy) or interleaved (all copies of a node side by side) (flat)\n"
    "  --backend B    auto, host or cuda (auto: a CUDA device where one works, else the host)\n"
    "  --threads N    threads on the host (all cores)\n"
    "  --csv FILE     write the voltages of each copy at all times, where its current goes in and at the root\n"
    "  --plot FILE    draw a picture, PNG, with gnuplot; its script is saved as FILE.gnuplot\n"
    "  --help         this text\n"
    "  --version      the version of xbatch\n"
    "\n"
    "The membrane has 1 uF/cm^2 and 5e-5 S/cm^2, the cytoplasm 100 Ohm cm. Voltages are from rest.\n"
    "Exit: 0 success, 1 the simulation could not run, 2 wrong options, 3 it ran and a check failed.\n";

static const Membrane membrane = {.resistivity = 100, .capacitance = 1, .leak = 5e-5};

typedef struct {
    const char *file, *csv, *plot;
    int64_t copies, steps, threads; /* threads 0: all cores */
    double dt, current;             /* ms, pA */
    xbatchLayout_t layout;
    xbatchBackend_t backend;
} Options;

static xbatchLayout_t layout_value(void) {
    static const char *const names[] = {"flat", "interleaved"};
    static const xbatchLayout_t layouts[] = {XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_INTERLEAVED};
    return layouts[word_value(2, names)];
}

static Options parse_options(int argc, char **argv) {
    static const struct option known[] = {
        {"copies", required_argument, NULL, 'c'},  {"steps", required_argument, NULL, 's'},
        {"dt", required_argument, NULL, 't'},      {"current", required_argument, NULL, 'i'},
        {"layout", required_argument, NULL, 'l'},  {"backend", required_argument, NULL, 'b'},
        {"threads", required_argument, NULL, 'n'}, {"csv", required_argument, NULL, 'o'},
        {"plot", required_argument, NULL, 'p'},    {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},       {NULL, 0, NULL, 0}};
    Options options = {.copies = 64, .steps = 800, .dt = 0.05, .current = 100};
    for (int key; (key = next_option(argc, argv, known)) != -1;) {
        switch (key) {
            case 'c': options.copies = integer_value(1); break;
            case 's': options.steps = integer_value(1); break;
            case 't': options.dt = real_value(false); break;
            case 'i': options.current = real_value(false); break;
            case 'l': options.layout = layout_value(); break;
            case 'b': options.backend = backend_value(); break;
            case 'n': options.threads = integer_value(1); break;
            case 'o': options.csv = optarg; break;
            case 'p': options.plot = optarg; break;
        }
    }
    if (argc - optind > 1) refuse("one file at most, %d given", argc - optind);
    options.file = argv[optind];
    return options;
}

/* The data and results of a run. */
typedef struct {
    const Options *options;
    xbatchHandle_t handle;
    Swc swc;
    Cable cable;
    Stimulus *stimuli;
    Simulation steady, run;
    double *leaked, *sums; /* of each copy: pA ms since time 0; scratch */
    Traces traces;
    Checks checks;
} Program;

static void describe(const Program *p) {
    const Cable *cable = &p->cable;
    int threads = 0;
    xbatchGetThreadCount(p->handle, &threads);
    printf("neuron          %s\n", p->options->file ? p->options->file : "drawn by the program: Rall's tree");
    printf("samples         %lld in %lld tree%s, %lld of them one node with their parent\n", (long long)p->swc.count,
           (long long)cable->trees, cable->trees > 1 ? "s" : "", (long long)(p->swc.count - cable->nodes));
    printf("nodes           %lld: %.6g um of neurites, %.6g um^2 of membrane\n", (long long)cable->nodes, cable->length,
           cable->area);
    printf("membrane        %g Ohm cm, %g uF/cm^2, %g S/cm^2: time constant %g ms\n", membrane.resistivity,
           membrane.capacitance, membrane.leak, membrane_time_constant(&membrane));
    printf("copies          %lld, %s, %g pA each\n", (long long)p->options->copies,
           p->options->layout == XBATCH_LAYOUT_FLAT ? "flat" : "interleaved", p->options->current);
    if (p->run.backend == XBATCH_BACKEND_CUDA)
        printf("backend         cuda\n");
    else
        printf("backend         host, %d thread%s\n", threads, threads > 1 ? "s" : "");
    fflush(stdout);
}

static void report(const Program *p, double elapsed) {
    const Simulation *run = &p->run;
    const double rows = (double)run->copies * (double)run->cable->nodes * (double)p->options->steps;
    double low = INFINITY, high = 0; /* input resistance, MOhm = 1000 mV/pA */
    for (int64_t j = 0; j < p->steady.copies; ++j) {
        const Stimulus *stimulus = &p->stimuli[j];
        const double resistance = 1000 * simulation_voltage(&p->steady, stimulus->node, j) / stimulus->current;
        low = fmin(low, resistance);
        high = fmax(high, resistance);
    }
    printf("input           %.4g to %.4g MOhm where current goes in\n", low, high);
    printf("time            %lld steps of %g ms in %.3f s\n", (long long)p->options->steps, run->dt, elapsed);
    printf("solves          %.4f s, %.3g rows/s", run->solve_seconds, rows / run->solve_seconds);
    if (run->backend == XBATCH_BACKEND_CUDA) printf(", copies to and from the device %.4f s", run->copy_seconds);
    printf("\n");
}

/* The neuron, the places of the currents, the steady state, and the run at time 0. */
static bool prepare(Program *p, Error *error) {
    const Options *o = p->options;
    const RallTree neuron = shape_default_neuron();
    if (!(o->file ? swc_read(o->file, stderr, &p->swc, error) : shape_draw(&neuron, &membrane, &p->swc, error)))
        return false;
    Error reason;
    if (!cable_create(&p->cable, p->handle, &p->swc, &membrane, &reason))
        return fail(error, "%s: %.400s", o->file ? o->file : "the neuron drawn", reason.text);
    p->stimuli = malloc((size_t)o->copies * sizeof *p->stimuli);
    p->leaked = calloc((size_t)o->copies, sizeof *p->leaked);
    p->sums = calloc((size_t)o->copies, sizeof *p->sums);
    if (!p->stimuli || !p->leaked || !p->sums) return fail(error, "no memory for %lld copies", (long long)o->copies);
    for (int64_t j = 0; j < o->copies; ++j)
        p->stimuli[j] = (Stimulus){j == 0 ? 0 : j * (p->cable.nodes - 1) / (o->copies - 1), o->current};
    return simulation_create(&p->steady, p->handle, &p->cable, o->layout, p->stimuli, o->copies, INFINITY, error) &&
           simulation_step(&p->steady, error) &&
           simulation_create(&p->run, p->handle, &p->cable, o->layout, p->stimuli, o->copies, o->dt, error) &&
           (!o->plot || traces_create(&p->traces, o->copies, o->steps, error));
}

/* Enough digits to distinguish any two numbers. */
static bool write_rows(FILE *file, const Program *p, int64_t step) {
    const Cable *cable = &p->cable;
    for (int64_t j = 0; j < p->run.copies; ++j) {
        const int64_t site = p->stimuli[j].node, root = cable->root[site];
        fprintf(file, "%g,%lld,%lld,%.6g,%g,%.17g,%.17g\n", (double)step * p->run.dt, (long long)j,
                (long long)p->swc.samples[cable->sample[site]].id, cable->distance[site], p->stimuli[j].current,
                simulation_voltage(&p->run, site, j), simulation_voltage(&p->run, root, j));
    }
    return !ferror(file);
}

/* All steps; table: NULL, or the CSV file. */
static bool simulate(Program *p, FILE *table, Error *error) {
    if (table) fputs("time_ms,copy,sample,distance_um,current_pA,site_mV,root_mV\n", table);
    for (int64_t step = 0; step <= p->options->steps; ++step) {
        if (step > 0) {
            if (!simulation_step(&p->run, error)) return false;
            simulation_sum(&p->run, p->cable.leak, p->sums);
            for (int64_t j = 0; j < p->run.copies; ++j) p->leaked[j] += p->run.dt * p->sums[j];
        }
        if (table && !write_rows(table, p, step)) return true; /* output_close reports why */
        if (p->options->plot) traces_record(&p->traces, &p->run, step);
    }
    return true;
}

static bool check(Program *p, Error *error) {
    const Options *o = p->options;
    bool refined;
    if (!check_known_shapes(&p->checks, p->handle, o->layout, &membrane, o->dt, o->steps, error) ||
        !check_steady_state(&p->checks, &p->steady, error) ||
        !check_charge(&p->checks, &p->run, o->steps, p->leaked, error) ||
        !check_time_step(&p->checks, &p->run, &p->steady, &membrane, o->steps, &refined, error))
        return false;
    if (!refined)
        printf("not checked     the error of the time step: that takes 8 steps of %g to %g ms\n",
               1e-6 * membrane_time_constant(&membrane), membrane_time_constant(&membrane) / 4);
    return true;
}

static bool work(Program *p, bool *right, Error *error) {
    const Options *o = p->options;
    Output table = {0};
    if ((o->csv && !output_check(o->csv, error)) || (o->plot && !output_check(o->plot, error)) || !prepare(p, error) ||
        (o->csv && !output_open(&table, o->csv, error)))
        return false;
    describe(p);
    const double start = omp_get_wtime();
    bool good = simulate(p, table.file, error);
    if (table.file) good = output_close(&table, good, error) && good;
    if (!good) return false;
    report(p, omp_get_wtime() - start);
    if (o->csv) printf("written         %s\n", o->csv);
    if (o->plot) {
        bool drawn;
        if (!plot_write(o->plot, &p->traces, &p->run, &p->swc, &drawn, error)) return false;
        if (drawn)
            printf("written         %s\n", o->plot);
        else
            printf("written         %s.gnuplot; there is no gnuplot here to draw %s\n", o->plot, o->plot);
    }
    if (!check(p, error)) return false;
    *right = checks_report(&p->checks);
    return true;
}

int main(int argc, char **argv) {
    const Options options = parse_options(argc, argv);
    Error error;
    bool right = false;
    Program program = {.options = &options};
    const xbatchStatus_t status = xbatchCreate(&program.handle, options.backend);
    if (status != XBATCH_STATUS_SUCCESS) {
        fprintf(stderr, "neuron: no handle: %s\n", xbatchGetStatusString(status));
        return 1;
    }
    if (options.threads > 0) {
        xbatchSetThreadCount(program.handle, (int)options.threads);
        omp_set_num_threads((int)options.threads);
    }
    const bool good = work(&program, &right, &error);
    if (!good) fprintf(stderr, "neuron: %s\n", error.text);
    if (good && !right) fprintf(stderr, "neuron: a check failed\n");
    simulation_destroy(&program.run);
    simulation_destroy(&program.steady);
    traces_destroy(&program.traces);
    free(program.stimuli);
    free(program.leaked);
    free(program.sums);
    cable_destroy(&program.cable);
    swc_free(&program.swc);
    xbatchDestroy(program.handle);
    return !good ? 1 : right ? 0 : 3;
}
