/* denoise.c: the program around diffusion.h: options, progress, report. It reads a noisy picture and writes it
 * smoothed, with its edges preserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <xbatch.h>

#include "diffusion.h"
#include "image.h"
#include "options.h"

const char usage[] =
    "Usage: denoise [options] INPUT OUTPUT\n"
    "Smooths the picture INPUT without blurring its edges and writes it to OUTPUT.\n"
    "Reads PGM, PPM (P2 P3 P5 P6, to 16 bits) and, where built with libpng, PNG (8 bits). Writes the format of "
    "OUTPUT's\n"
    "extension, or INPUT's own for an extension that it does not know.\n"
    "\n"
    "  --steps N            time steps (10)\n"
    "  --tau T              length of a step in pixels^2: more smooths more (3)\n"
    "  --lambda L           contrast: an edge stays sharp where the picture changes by more than this a pixel, as a\n"
    "                       fraction of white (0.03)\n"
    "  --sigma S            smoothing, in pixels, of the picture in which edges are looked for; more noise needs more\n"
    "                       (0.6)\n"
    "  --backend B          auto, host or cuda (auto: a CUDA device where one works, else the host)\n"
    "  --threads N          threads on the host (all cores)\n"
    "  --reference PICTURE  the picture without noise: report how near INPUT and OUTPUT are to it\n"
    "  --help, --version    this text; the version of xbatch\n";

typedef struct {
    const char *input, *output, *reference;
    int64_t steps;
    DiffusionParameters parameters;
    xbatchBackend_t backend;
    int64_t threads; /* 0: all cores */
} Options;

static Options parse_options(int argc, char **argv) {
    static const struct option known[] = {
        {"steps", required_argument, NULL, 's'},     {"tau", required_argument, NULL, 't'},
        {"lambda", required_argument, NULL, 'l'},    {"sigma", required_argument, NULL, 'g'},
        {"backend", required_argument, NULL, 'b'},   {"threads", required_argument, NULL, 'n'},
        {"reference", required_argument, NULL, 'r'}, {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},         {NULL, 0, NULL, 0}};
    Options options = {.steps = 10, .parameters = {.tau = 3, .lambda = 0.03, .sigma = 0.6}};
    for (int key; (key = next_option(argc, argv, known)) != -1;) {
        switch (key) {
            case 's': options.steps = integer_value(1); break;
            case 't': options.parameters.tau = real_value(false); break;
            case 'l': options.parameters.lambda = real_value(false); break;
            case 'g': options.parameters.sigma = real_value(true); break;
            case 'b': options.backend = backend_value(); break;
            case 'n': options.threads = integer_value(1); break;
            case 'r': options.reference = optarg; break;
        }
    }
    if (argc - optind != 2) refuse("an INPUT and an OUTPUT are needed, %d given", argc - optind);
    options.input = argv[optind];
    options.output = argv[optind + 1];
    return options;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One line that is rewritten at a terminal, a line every tenth of the way elsewhere. */
static void show_progress(int64_t step, int64_t steps, double elapsed) {
    const bool terminal = isatty(STDERR_FILENO);
    if (terminal || step == steps || step * 10 / steps != (step - 1) * 10 / steps)
        fprintf(stderr, "%sstep %lld of %lld, %.1f s%s", terminal ? "\r" : "", (long long)step, (long long)steps,
                elapsed, terminal && step < steps ? "" : "\n");
}

static void report(const Diffusion *s, const LapackCheck *check, double elapsed) {
    printf("solves          %.4f s of %.4f s", s->solve_seconds, elapsed);
    if (s->backend == XBATCH_BACKEND_CUDA) printf(", copies to and from the device %.4f s", s->copy_seconds);
    printf("\nlines           %lld solved, %.3g lines/s\n", (long long)s->lines_solved,
           (double)s->lines_solved / s->solve_seconds);
    printf("unknowns        %lld solved, %.3g rows/s\n", (long long)s->unknowns_solved,
           (double)s->unknowns_solved / s->solve_seconds);
    printf("backward error  %.2e at worst in %lld sampled lines; LAPACK's dgtsv %.2e; solutions differ by %.2e\n",
           check->backward_error, (long long)check->lines, check->lapack_backward_error, check->difference);
}

static bool read_reference(const char *path, const Image *image, Image *reference, Error *error) {
    if (!image_read(path, reference, error)) return false;
    if (reference->width == image->width && reference->height == image->height &&
        reference->channels == image->channels)
        return true;
    image_free(reference);
    return fail(error, "%s: not of the same size and number of channels as the input", path);
}

static bool smooth(const Options *options, xbatchHandle_t handle, Image *image, Error *error) {
    Diffusion diffusion;
    LapackCheck check = {0};
    if (!diffusion_create(&diffusion, handle, &options->parameters, image, error)) return false;
    int threads = 0;
    xbatchGetThreadCount(handle, &threads);
    printf("picture         %lld x %lld pixels, %lld channel%s\n", (long long)image->width, (long long)image->height,
           (long long)image->channels, image->channels > 1 ? "s" : "");
    if (diffusion.backend == XBATCH_BACKEND_CUDA)
        printf("backend         cuda\n");
    else
        printf("backend         host, %d thread%s\n", threads, threads > 1 ? "s" : "");
    fflush(stdout);
    const double start = seconds();
    bool good = true;
    for (int64_t step = 1; good && step <= options->steps; ++step) {
        good = diffusion_step(&diffusion, &check, error);
        if (good) show_progress(step, options->steps, seconds() - start);
    }
    if (good) report(&diffusion, &check, seconds() - start);
    diffusion_destroy(&diffusion);
    return good;
}

/* Read, smooth, write. */
static bool denoise(const Options *options, xbatchHandle_t handle, Error *error) {
    Image image, reference = {.samples = NULL};
    if (!image_read(options->input, &image, error)) return false;
    double psnr_before = 0;
    bool good = image_check_output(options->output, &image, error);
    if (good && options->reference) {
        good = read_reference(options->reference, &image, &reference, error);
        if (good) psnr_before = image_psnr(&image, &reference);
    }
    good = good && smooth(options, handle, &image, error) && image_write(options->output, &image, error);
    if (good && options->reference)
        printf("PSNR            %.2f dB before, %.2f dB after\n", psnr_before, image_psnr(&image, &reference));
    if (good) printf("written         %s\n", options->output);
    image_free(&image);
    image_free(&reference);
    return good;
}

int main(int argc, char **argv) {
    const Options options = parse_options(argc, argv);
    Error error;
    xbatchHandle_t handle;
    const xbatchStatus_t status = xbatchCreate(&handle, options.backend);
    if (status != XBATCH_STATUS_SUCCESS) {
        fprintf(stderr, "denoise: no handle: %s\n", xbatchGetStatusString(status));
        return 1;
    }
    if (options.threads > 0) {
        xbatchSetThreadCount(handle, (int)options.threads);
        omp_set_num_threads((int)options.threads);
    }
    const bool good = denoise(&options, handle, &error);
    if (!good) fprintf(stderr, "denoise: %s\n", error.text);
    xbatchDestroy(handle);
    return good ? 0 : 1;
}
