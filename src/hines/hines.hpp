// hines.hpp: the plan of a batch of Hines systems, and what the C entries hand to a backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/dispatch.hpp"
#include "core/layout.hpp"
#include "xbatch/hines.h"

namespace xbatch::hines {

// One tree: node i has the parent parent[i] < i, or -1 for a root.
struct Tree {
    std::vector<int32_t> parent;
    int64_t first;  // its node 0 in coefficients that the systems of a morphology share
    // For the host: the last child of each node, -1 for tips; and where the pivots of a node with children are stored
    // during elimination, from that of its last child to its own.
    std::vector<int32_t> last_child{}, slot{};
    int64_t slots = 0;
    int64_t n() const { return int64_t(parent.size()); }
    void prepare_for_host();
};

// The systems of one morphology, numbered k = 0 … count-1.
struct Group {
    int32_t tree;
    int64_t count;
    const int64_t *members;  // system j of number k; NULL where j = k

    int64_t system(int64_t k) const { return members ? members[k] : k; }
};

struct DevicePlan;   // tables on the GPU; hines_cuda.cu
struct DevicePaths;  // the same for stored factors; device_paths.hpp

struct HinesPlan {
    xbatchBackend_t backend = XBATCH_BACKEND_HOST;
    int device = -1;
    xbatchHinesAlgorithm_t algorithm = XBATCH_HINES_AUTO;
    std::vector<Tree> trees;

    // If each system has its own morphology; otherwise all are empty, and there is one tree
    bool is_mixed = false;
    std::vector<int32_t> morph;         // [batch]
    std::vector<int64_t> members;       // [batch], systems by rising morphology
    std::vector<int64_t> first_member;  // [trees + 1], into members
    std::vector<int64_t> first_node;    // [batch], nodes of all systems before j

    std::shared_ptr<DevicePlan> tables;  // empty on the host
    std::shared_ptr<DevicePaths> paths;  // empty on the host

    int64_t groups() const { return int64_t(trees.size()); }
    Group group(int64_t m, int64_t batch) const {
        if (!is_mixed) return {0, batch, nullptr};
        return {int32_t(m), first_member[m + 1] - first_member[m], members.data() + first_member[m]};
    }
};

inline Registry<HinesPlan, xbatchHinesPlan_t> live_plans;

// Layout of a group: element i, right-hand side r of its system k, which is j in the batch, at base(k, j, r) + i*step.
struct GroupPlacement {
    Placement at;
    const int64_t *first_node;  // mixed FLAT: where systems begin; NULL elsewhere
    int64_t nrhs;

    XBATCH_HD int64_t base(int64_t k, int64_t j, int64_t r) const {
        return first_node ? nrhs * first_node[j] + r * at.n : at.base(k, r);
    }
    XBATCH_HD int64_t step() const { return at.step; }
};

// Of each group of a plan; ld = 0 is one set for each morphology.
std::vector<GroupPlacement> hines_placement(const HinesPlan &plan, xbatchLayout_t layout, int64_t nrhs, int64_t batch,
                                            int64_t ld);

// Elements of such an array, INT64_MAX if they cannot be counted
int64_t hines_extent(const HinesPlan &plan, xbatchLayout_t layout, int64_t nrhs, int64_t batch, int64_t ld);

// op(A) x = b: `upper` holds A(parent, i), `lower` A(i, parent) of op(A) already; both the same pointer if A is
// symmetric. Leading dimensions of 0: one set for each morphology.
struct HinesProblem {
    const HinesPlan *plan;
    xbatchLayout_t layout;
    int64_t nrhs, batch;
    const void *upper, *lower, *d;
    void *b;
    int64_t ldul, ldd, ldb;
    bool is_conjugated;  // every coefficient
    int32_t *info;       // [batch], may be NULL
};

XBATCH_DECLARE_BACKEND(hines_host, HinesProblem);
XBATCH_DECLARE_BACKEND(hines_cuda, HinesProblem);

// Add the device's parts to an otherwise complete plan; only with CUDA.
xbatchStatus_t make_device_plan(Context &context, HinesPlan &plan);
xbatchStatus_t make_device_paths(Context &context, HinesPlan &plan);

}  // namespace xbatch::hines
