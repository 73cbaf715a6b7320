// paper_pscheme.hpp: the P-scheme of its paper on a GPU: a kernel for each of its three phases.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "machine.hpp"

namespace bench {

// w_0 = first, w_i = scale w_{i-1} + offset for 0 < i < n, by blocks * threads threads, each computing n / (blocks *
// threads) consecutive elements. Element i of thread p's part lies at [p*part + i], or rearranged at [i*threads in all
// + p]. `a` and `b` are the paper's auxiliary arrays, n elements each; `before` takes an element a thread.
struct PaperRecurrence {
    xbatchDataType_t type;  // float or double
    int64_t n, blocks, threads;
    bool rearranged;
    double first, scale, offset;
    void *a, *b, *before, *w;

    int64_t parts() const { return blocks * threads; }
    int64_t part() const { return n / parts(); }
};

void pre_computation(const PaperRecurrence &p);  // w_i = a_i w_before + b_i within each part
void propagation(const PaperRecurrence &p);      // `before` of all parts in sequence, by one thread
void determination(const PaperRecurrence &p);    // w from a, b and before

// The same recurrence by recursive doubling, its form of parallel cyclic reduction: a launch a sweep, pairs a and b
// also in `a2` and `b2`.
void doubling_sweeps(const PaperRecurrence &p, void *a2, void *b2);

}  // namespace bench
