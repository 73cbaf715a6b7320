// tuned.cpp: a library that looks like a tuned BLAS.
// SPDX-License-Identifier: BSD-3-Clause
extern "C" const char *openblas_get_config() { return "none, for a test"; }
