// pscheme_launch.cuh: picks the P-scheme's kernel for systems that fit a block and launches it, for whatever problem.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "block_launch.cuh"
#include "nopivot_tuning.hpp"
#include "pscheme_kernels.cuh"

namespace xbatch::tridiagonal {

template <class T, int R, bool FLAT, int THREADS, class Problem>
xbatchStatus_t launch_block(Context &context, const Problem &p, const BlockChoice &choice) {
    return launch_gtsv_block(context, p, choice, FLAT, pscheme_block<T, R, FLAT, THREADS, Problem>,
                             block_kernel_bytes<T, R, FLAT>(choice.threads), "pscheme_block");
}

template <class T, int R, bool FLAT, class Problem>
xbatchStatus_t launch_block(Context &context, const Problem &p, const BlockChoice &choice) {
    if (choice.threads <= 128) return launch_block<T, R, FLAT, 128>(context, p, choice);
    if (choice.threads <= 256) return launch_block<T, R, FLAT, 256>(context, p, choice);
    if constexpr (R * sizeof(T) <= 64)
        return launch_block<T, R, FLAT, 512>(context, p, choice);
    else
        return fail(context, XBATCH_STATUS_INTERNAL_ERROR, "no block of %d threads", choice.threads);
}

template <class T, bool FLAT, class Problem>
xbatchStatus_t launch_block(Context &context, const Problem &p, const BlockChoice &choice) {
    constexpr int most = PschemeTuning<T>::most_rows;
    switch (choice.rows) {
        case 4: return launch_block<T, 4, FLAT>(context, p, choice);
        case 8: return launch_block<T, 8, FLAT>(context, p, choice);
    }
    if constexpr (most == 16) {
        if (choice.rows == 16) return launch_block<T, 16, FLAT>(context, p, choice);
        if constexpr (FLAT) switch (choice.rows) {
                case 9: return launch_block<T, 9, true, 128>(context, p, choice);
                case 11: return launch_block<T, 11, true, 128>(context, p, choice);
                case 13: return launch_block<T, 13, true, 128>(context, p, choice);
                case 15: return launch_block<T, 15, true, 128>(context, p, choice);
            }
    }
    return fail(context, XBATCH_STATUS_INTERNAL_ERROR, "no kernel with %d rows a thread", choice.rows);
}

template <class T, class Problem>
BlockChoice choose(const Problem &p, bool flat) {
    return flat ? choose_flat<T>(p.n) : choose_lanes<T>(p.n, p.batch);
}

}  // namespace xbatch::tridiagonal
