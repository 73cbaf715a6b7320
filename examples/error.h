/* error.h: how the example programs pass an error's text to main.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_ERROR_H
#define EXAMPLES_ERROR_H

#include <stdbool.h>

typedef struct {
    char text[512];
} Error;

/* Set the text as printf would and return false, so that a function can end with `return fail(error, …)`. */
bool fail(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
