/* swc.h: neurons in SWC files: one sample a line, `id type x y z radius parent`, lengths in um.
 *
 * Read are files with samples in any order, any ids from 0 on, several trees, comments (# first on a line, or after its
 * seven columns), blank lines, and lines that end as on Windows.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_SWC_H
#define EXAMPLES_SWC_H

#include <stdint.h>
#include <stdio.h>

#include "error.h"

#define SWC_SOMA 1 /* the type of a sample of the cell's body; all others are neurites */

typedef struct {
    int64_t id;     /* as in the file */
    int64_t type;   /* SWC_SOMA, 2 axon, 3 and 4 dendrites, others by the author of the file */
    double x, y, z; /* um */
    double radius;  /* um, > 0; 0 for a soma of unknown size */
    int64_t parent; /* the parent's index in samples, -1 at a root */
    int64_t line;   /* of the file, counted from 1 */
} SwcSample;

typedef struct {
    SwcSample *samples;
    int64_t count;
} Swc;

/* Samples closer than this (um) are one point: files repeat points, to change the radius or the type. */
#define SWC_SAME_POINT 1e-3

/* um */
double swc_distance(const SwcSample *a, const SwcSample *b);

/* Read a file; no sample is its own ancestor, and every parent exists. Each bad line is written to `log` as
 * `path:line: reason`, up to 20 of them; the error has their number. */
bool swc_read(const char *path, FILE *log, Swc *swc, Error *error);

void swc_free(Swc *swc);

#endif
