/** @file xbatch.hpp
 * The C interface for C++17: a handle that frees itself, exceptions with the library's texts, one name for all element
 * types, sizes by name. Header only; the contracts are those of the C headers with the same names.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_HPP
#define XBATCH_HPP

#include "xbatch.h"
#include "xbatch/handle.hpp"
#include "xbatch/hines.hpp"
#include "xbatch/hines_factor.hpp"
#include "xbatch/qr.hpp"
#include "xbatch/qr_batch.hpp"
#include "xbatch/qr_vbatch.hpp"
#include "xbatch/rearrange.hpp"
#include "xbatch/recurrence.hpp"
#include "xbatch/tridiagonal.hpp"
#include "xbatch/tridiagonal_factor.hpp"
#include "xbatch/tridiagonal_shifted.hpp"
#include "xbatch/tridiagonal_spd.hpp"
#include "xbatch/tridiagonal_strided.hpp"
#include "xbatch/tridiagonal_vbatch.hpp"

#endif
