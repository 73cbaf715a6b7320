/* make_picture.c: draws the test picture, which has all that a denoiser may damage: smooth gradients, sharp edges of
 * every direction, corners, thin lines, fine texture. With noise it is picture.ppm, which the project ships; without
 * noise it is the reference for denoised ones. Same bytes on every machine: only arithmetic that IEEE rounds correctly.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>

#include "image.h"
#include "options.h"

#define SUBSAMPLES 4 /* each way in a pixel, for clean edges */

const char usage[] =
    "Usage: make_picture [options] OUTPUT\n"
    "Draws the test picture in colour.\n"
    "\n"
    "  --size WxH         pixels (288x224)\n"
    "  --noise S          standard deviation of the Gaussian noise as a fraction of white (0.1)\n"
    "  --help, --version  this text; the version of xbatch\n";

typedef struct {
    double red, green, blue;
} Color;

static Color mix(Color a, Color b, double weight) {
    return (Color){a.red + weight * (b.red - a.red), a.green + weight * (b.green - a.green),
                   a.blue + weight * (b.blue - a.blue)};
}

static double square(double x) { return x * x; }

/* Whether (x, y) is inside the triangle with a horizontal base at y = 1 … and its top at (top_x, top_y). */
static bool in_mountain(double x, double y, double top_x, double top_y, double slope) {
    return y > top_y + slope * fabs(x - top_x);
}

static Color ball(double x, double y) {
    /* Lambert shading by a light from above left. */
    const double z = sqrt(1 - x * x - y * y), light = 0.25 + 0.75 * fmax(0, -0.5 * x - 0.6 * y + 0.62 * z);
    return (Color){0.85 * light, 0.25 * light, 0.2 * light};
}

static bool on_wall_pattern(double x, double y) {
    const bool window = x > 0.045 && x < 0.105 && y > 0.06 && y < 0.13;
    const bool cross = fabs(x - 0.075) < 0.005 || fabs(y - 0.095) < 0.005;
    return window && !cross;
}

static Color house(double x, double y) {
    const Color wall = {0.86, 0.8, 0.66}, glass = {0.2, 0.28, 0.4}, door = {0.42, 0.22, 0.12};
    if (x > 0.15 && x < 0.205 && y > 0.09) return door;
    return on_wall_pattern(x, y) ? glass : wall;
}

/* The scene; y from 0 at the top to 1, x from 0 at the left to width/height. */
static Color scene(double x, double y) {
    const Color high_sky = {0.25, 0.45, 0.75}, low_sky = {0.85, 0.85, 0.8};
    const Color far_hill = {0.45, 0.5, 0.58}, near_hill = {0.3, 0.36, 0.4}, snow = {0.95, 0.96, 0.98};
    const Color near_grass = {0.2, 0.42, 0.16}, far_grass = {0.5, 0.62, 0.3}, roof = {0.55, 0.16, 0.12};
    const Color sun = {1, 0.93, 0.6}, white = {0.95, 0.95, 0.95}, black = {0.08, 0.08, 0.08};

    const double from_ball = square((x - 0.95) / 0.12) + square((y - 0.8) / 0.12);
    if (from_ball < 1) return ball((x - 0.95) / 0.12, (y - 0.8) / 0.12);
    if (x > 0.14 && x < 0.38 && y > 0.62 && y < 0.84) return house(x - 0.14, y - 0.62);
    if (y < 0.62 && in_mountain(x, y, 0.26, 0.48, 0.9)) return roof;
    if (x > 0.5 && x < 0.74 && y > 0.72 && y < 0.9) /* a board of squares, 0.03 each */
        return ((int)((x - 0.5) / 0.03) + (int)((y - 0.72) / 0.03)) % 2 ? white : black;
    if (fabs(x - 0.46) < 0.006 && y > 0.3 && y < 0.86) return black; /* a pole and its wires */
    if (fabs(y - 0.34 - 0.04 * (x - 0.46)) < 0.003 || fabs(y - 0.38 - 0.04 * (x - 0.46)) < 0.003) return black;
    if (y > 0.66) return mix(far_grass, near_grass, (y - 0.66) / 0.34);
    if (in_mountain(x, y, 0.72, 0.22, 0.95)) return in_mountain(x, y, 0.72, 0.33, 0.2) ? near_hill : snow;
    if (in_mountain(x, y, 1.12, 0.36, 0.6)) return far_hill;
    if (square(x - 0.2) + square(y - 0.19) < square(0.085)) return sun;
    return mix(high_sky, low_sky, y / 0.66);
}

static Color pixel(double x, double y, double size) {
    Color sum = {0, 0, 0};
    for (int i = 0; i < SUBSAMPLES; ++i)
        for (int j = 0; j < SUBSAMPLES; ++j) {
            const Color c = scene(x + (j + 0.5) / SUBSAMPLES * size, y + (i + 0.5) / SUBSAMPLES * size);
            sum = (Color){sum.red + c.red, sum.green + c.green, sum.blue + c.blue};
        }
    const double count = SUBSAMPLES * SUBSAMPLES;
    return (Color){sum.red / count, sum.green / count, sum.blue / count};
}

/* Nearly Gaussian: the sum of twelve uniform numbers has variance 1. Knuth's MMIX generator. */
static double noise(uint64_t *state) {
    double sum = -6;
    for (int k = 0; k < 12; ++k) {
        *state = 6364136223846793005u * *state + 1442695040888963407u;
        sum += (double)(*state >> 40) / (1 << 24);
    }
    return sum;
}

static void draw(Image *image, double deviation) {
    const int64_t plane = image->width * image->height;
    const double size = 1 / (double)image->height;
    uint64_t state = 1;
    for (int64_t k = 0; k < plane; ++k) {
        const Color c = pixel((double)(k % image->width) * size, (double)(k / image->width) * size, size);
        const double samples[3] = {c.red, c.green, c.blue};
        for (int64_t r = 0; r < 3; ++r) image->samples[r * plane + k] = samples[r] + deviation * noise(&state);
    }
}

static void parse_options(int argc, char **argv, Image *image, double *deviation) {
    static const struct option known[] = {{"size", required_argument, NULL, 's'},
                                          {"noise", required_argument, NULL, 'n'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'v'},
                                          {NULL, 0, NULL, 0}};
    for (int key; (key = next_option(argc, argv, known)) != -1;) {
        char rest;
        long long width, height;
        if (key == 'n') {
            *deviation = real_value(true);
        } else {
            if (sscanf(optarg, "%6lldx%6lld%c", &width, &height, &rest) != 2 || width < 1 || height < 1)
                refuse("--size: '%s' is not like 288x224", optarg);
            image->width = width;
            image->height = height;
        }
    }
    if (argc - optind != 1) refuse("one OUTPUT is needed, %d given", argc - optind);
}

int main(int argc, char **argv) {
    Image image = {.width = 288, .height = 224, .channels = 3, .maxval = 255, .format = IMAGE_PNM_RAW};
    double deviation = 0.1;
    Error error;
    parse_options(argc, argv, &image, &deviation);
    bool good = image_allocate(&image, &error);
    if (good) {
        draw(&image, deviation);
        good = image_write(argv[optind], &image, &error);
    }
    image_free(&image);
    if (!good) fprintf(stderr, "make_picture: %s\n", error.text);
    return good ? 0 : 1;
}
