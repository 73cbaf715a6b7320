/** @file xbatch.h
 * The C interface: solvers for large batches of small structured systems, on the host or a GPU.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_H
#define XBATCH_H

#include "xbatch/batch_mg.h"
#include "xbatch/distributed.h"
#include "xbatch/distributed_factor.h"
#include "xbatch/distributed_hines.h"
#include "xbatch/distributed_mg.h"
#include "xbatch/distributed_qr.h"
#include "xbatch/hines.h"
#include "xbatch/hines_factor.h"
#include "xbatch/qr.h"
#include "xbatch/qr_batch.h"
#include "xbatch/qr_vbatch.h"
#include "xbatch/rearrange.h"
#include "xbatch/recurrence.h"
#include "xbatch/task_graph.h"
#include "xbatch/task_tiles.h"
#include "xbatch/tridiagonal.h"
#include "xbatch/tridiagonal_factor.h"
#include "xbatch/tridiagonal_shifted.h"
#include "xbatch/tridiagonal_spd.h"
#include "xbatch/tridiagonal_strided.h"
#include "xbatch/tridiagonal_vbatch.h"
#include "xbatch/types.h"
#include "xbatch/version.h"

#endif
