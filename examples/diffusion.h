/* diffusion.h: edge-preserving smoothing of a picture u by implicit nonlinear diffusion, du/dt = div(g grad u), where g
 * is near 1 in smooth regions and near 0 across edges. Every step is Weickert's additive operator splitting (AOS),
 *
 *     u <- 1/2 (I - 2 tau A_rows(u_sigma))^-1 u + 1/2 (I - 2 tau A_columns(u_sigma))^-1 u,
 *
 * two batches of tridiagonal systems, one a line of the picture: the rows are a FLAT batch and the columns an
 * INTERLEAVED batch of the same memory, so nothing is ever transposed. Stable for every tau.
 *
 * J. Weickert, B. M. ter Haar Romeny, M. A. Viergever, Efficient and reliable schemes for nonlinear diffusion
 * filtering, IEEE Transactions on Image Processing 7 (1998).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_DIFFUSION_H
#define EXAMPLES_DIFFUSION_H

#include <xbatch.h>

#include "device_memory.h"
#include "error.h"
#include "image.h"
#include "lapack_check.h"

typedef struct {
    double tau;    /* > 0: time step, pixels^2 */
    double lambda; /* > 0: contrast, change of u per pixel above which an edge is preserved (u: 0 black, 1 white) */
    double sigma;  /* >= 0: width in pixels of the smoothing u -> u_sigma so that noise is not taken for an edge */
} DiffusionParameters;

/* The matrices of one batch. */
typedef struct {
    DeviceArray dl, d, du;
} Tridiagonal;

typedef struct {
    xbatchHandle_t handle;
    xbatchBackend_t backend;
    DiffusionParameters parameters;
    Image *image;                            /* u, channels * height * width */
    double *diffusivity;                     /* g, height * width: one for all channels, so that their edges coincide */
    DeviceArray smoothed;                    /* u_sigma */
    DeviceArray by_rows, by_columns;         /* in: u; out: the two solutions */
    Tridiagonal rows, columns;               /* I - 2 tau A, at the places of the pixels: y*width + x */
    Tridiagonal smooth_rows, smooth_columns; /* one row and one column, the same for all lines */
    DeviceArray info, workspace;
    double solve_seconds;                  /* in the library */
    double copy_seconds;                   /* between host and device */
    int64_t lines_solved, unknowns_solved; /* systems times right-hand sides; those times their length */
} Diffusion;

/* Prepare to smooth the picture's samples in place. On failure nothing is left to destroy. */
bool diffusion_create(Diffusion *diffusion, xbatchHandle_t handle, const DiffusionParameters *parameters, Image *image,
                      Error *error);

void diffusion_destroy(Diffusion *diffusion);

/* One step of time tau. Some lines, spread over the picture, are solved by LAPACK too and added to the check. */
bool diffusion_step(Diffusion *diffusion, LapackCheck *check, Error *error);

#endif
