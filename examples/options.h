/* options.h: the command line of the example programs, around getopt_long. --help and --version are answered here and
 * end the program. So does whatever is wrong: with the reason and the usage on standard error, and exit status 2.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_OPTIONS_H
#define EXAMPLES_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <xbatch.h>

/* Each program defines its own: the text of --help. */
extern const char usage[];

/* The next option of the command line, as getopt_long returns it, or -1 after the last. `known` has --help as 'h' and
 * --version as 'v'. */
int next_option(int argc, char **argv, const struct option *known);

/* The value of that option: a whole number from low to 1000000. */
int64_t integer_value(int64_t low);

/* A number above 0, or from 0 on, and at most 1e6. */
double real_value(bool zero_allowed);

/* One of `count` words; its place among them. */
int word_value(int count, const char *const *words);

/* auto, host or cuda. */
xbatchBackend_t backend_value(void);

/* End the program: the reason, as printf would print it, is what the user must change. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
