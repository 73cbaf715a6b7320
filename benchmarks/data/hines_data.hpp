// hines_data.hpp: Hines systems to solve: places of their elements, their arrays, and the error of a solution.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "hines_trees.hpp"
#include "problems.hpp"
#include "session.hpp"

namespace bench {

// By rows, in roundoffs: ten times the distance from 1 to the next number.
constexpr double hines_bound = 20;

// The arrays of coefficients.
enum class Couplings {
    general,
    symmetric,
    shared,
    one_matrix
};  // u and l; u alone; of each morphology: u and l; u, l and d

// Systems A x = b of trees in turn: system j has morphology j % trees. Leading dimensions are the tightest.
struct Hines {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    const std::vector<Morphology> *trees;
    Couplings couplings;
    int64_t batch, width;             // systems a block of block-interleaved arrays
    const int32_t *parent = nullptr;  // of all trees, contiguous; on the machine, like all arrays
    void *u = nullptr, *l = nullptr, *d = nullptr, *b = nullptr;

    const Morphology &tree(int64_t j) const { return (*trees)[size_t(j) % trees->size()]; }
    int64_t first_node(size_t m) const;  // of tree m in `parent` and in shared u and l
    int64_t systems(size_t m) const;     // of morphology m
    int64_t nodes() const;               // of all systems
    int64_t coefficients() const;        // elements of u, l and d that must be read
    Line elements(int64_t j) const;      // of system j in b, and in u, l and d of its own
    Line coupling_elements(int64_t j) const, diagonal_elements(int64_t j) const;
    bool shares_couplings() const { return couplings == Couplings::shared || couplings == Couplings::one_matrix; }
};

// b0: the right-hand sides before the solve.
struct HinesData {
    Memory parent, u, l, d, b0, b;
    size_t bytes;  // of an array with a value for each node of each system
};

// Random systems, dominant by rows and columns; sets the pointers of `p`.
HinesData hines_data(const Machine &machine, Hines &p);

// Backward error, max |b - A x| / (|A| max|x| + |b|) over rows, of the solutions in p.b; of systems spread over the
// batch, NaN where a solution is not finite.
double error_of(const Machine &machine, const Hines &p, const void *b0);

// Handle, plan and workspace of xhinesBatch.
struct HinesCall {
    std::shared_ptr<xbatchHinesPlan> plan;
    size_t bytes;
    Memory workspace, info;
    int64_t ldul, ldd, ld;
};
HinesCall hines_call(xbatchHandle_t handle, const Machine &machine, const Hines &p, xbatchHinesAlgorithm_t algorithm);

// xhinesBatch.
Run hines_run(const Session &session, const Hines &p, const HinesData &data, xbatchHinesAlgorithm_t algorithm);

// xhinesSolveBatch, after xhinesFactorBatch, which is not timed.
Run hines_factored_run(const Session &session, const Hines &p, const HinesData &data);

// The paper's own programs for a machine: loops of the host, a kernel of the device.
std::vector<Peer> hines_peers(const Machine &machine, const Hines &p, const HinesData &data);

}  // namespace bench
