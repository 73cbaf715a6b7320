/* output.h: files that appear whole or not at all: written under another name in the same folder, then renamed.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_OUTPUT_H
#define EXAMPLES_OUTPUT_H

#include <stdio.h>

#include "error.h"

typedef struct {
    const char *path;
    char *temporary;
    FILE *file;
} Output;

/* False if the path exists and is not a regular file, or the folder cannot be written to. */
bool output_check(const char *path, Error *error);

/* The path must live as long as the output does. */
bool output_open(Output *output, const char *path, Error *error);

/* Write what is left and move the file to its place; or, if `keep` is false, remove it and return false. */
bool output_close(Output *output, bool keep, Error *error);

#endif
