// geqrf_copied.hpp: QR of interleaved matrices by flat copies in the workspace, of a part of the batch at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr_batch.hpp"

namespace xbatch::qr {

XBATCH_DECLARE_BACKEND(geqrf_copied_cuda, GeqrfBatch);

}  // namespace xbatch::qr
