/** @file version.h
 * The version of these headers. xbatchGetVersion returns that of the library.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_VERSION_H
#define XBATCH_VERSION_H

#define XBATCH_VERSION_MAJOR 0 /**< changes when a program must be changed */
#define XBATCH_VERSION_MINOR 1 /**< changes when routines are added */
#define XBATCH_VERSION_PATCH 0 /**< changes otherwise */

/** One number that grows with the version: 10000 MAJOR + 100 MINOR + PATCH. */
#define XBATCH_VERSION (10000 * XBATCH_VERSION_MAJOR + 100 * XBATCH_VERSION_MINOR + XBATCH_VERSION_PATCH)

#endif
