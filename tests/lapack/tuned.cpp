// tuned.cpp: a library that the interposer takes for a tuned BLAS.
// SPDX-License-Identifier: BSD-3-Clause
extern "C" const char *openblas_get_config() { return "none, for a test"; }
