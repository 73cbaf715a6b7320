/* image.h: pictures in memory, and their files: PGM and PPM (P2, P3, P5, P6, up to 16 bits a sample) and,
 * if libpng was found, PNG with 8 bits a sample.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_IMAGE_H
#define EXAMPLES_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

typedef enum { IMAGE_PNM_PLAIN, IMAGE_PNM_RAW, IMAGE_PNG } ImageFormat;

typedef struct {
    int64_t width, height; /* >= 1 */
    int64_t channels;      /* 1 grey, 3 red green blue */
    int maxval;            /* 1 … 65535: the file's number for white */
    ImageFormat format;    /* of the file it was read from */
    double *samples;       /* (r*height + y)*width + x: plane after plane, line after line; 0 black, 1 white */
} Image;

/* Allocate black samples for a picture whose other members are set. */
bool image_allocate(Image *image, Error *error);

void image_free(Image *image);

/* Read a picture. On failure the text names the file and what is wrong with it, and nothing is left to free. */
bool image_read(const char *path, Image *image, Error *error);

/* Write a picture in the format of the path's extension (.pgm .ppm .pnm .png), or in its own format for any other. The
 * file appears whole or not at all: it is written under another name in the same folder and then renamed. */
bool image_write(const char *path, const Image *image, Error *error);

/* Whether image_write could write this picture there, as far as this can be checked beforehand. */
bool image_check_output(const char *path, const Image *image, Error *error);

/* Peak signal-to-noise ratio of two pictures of one shape in decibels, white being 1; infinite if they are equal. */
double image_psnr(const Image *a, const Image *b);

#endif
