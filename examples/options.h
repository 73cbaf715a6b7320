/* options.h: values of command-line options, read the same way by all example programs.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_OPTIONS_H
#define EXAMPLES_OPTIONS_H

#include <xbatch.h>

#include "error.h"

/* A whole number from low to 1000000. */
bool parse_integer(const char *name, const char *text, int64_t low, int64_t *value, Error *error);

/* A number above 0, or from 0 on, and at most 1e6. */
bool parse_real(const char *name, const char *text, bool zero_allowed, double *value, Error *error);

/* One of `count` words; its place among them. */
bool parse_word(const char *name, const char *text, int count, const char *const *words, int *place, Error *error);

/* auto, host or cuda. */
bool parse_backend(const char *text, xbatchBackend_t *backend, Error *error);

#endif
