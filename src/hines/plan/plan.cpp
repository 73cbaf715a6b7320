// plan.cpp: analyses the trees of a batch before any solve, and computes the layout of each system.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "core/dispatch.hpp"
#include "hines/hines_call.hpp"
#include "tree.hpp"

namespace xbatch::hines {
namespace {

constexpr int64_t most_nodes = 16777215;  // of one morphology

int64_t whole_blocks(int64_t systems, int64_t ld) {
    return systems == 0 ? 0 : counted_product((systems - 1) / ld + 1, ld);
}

// Elements of the systems of a group for one right-hand side
int64_t group_extent(xbatchLayout_t layout, int64_t n, int64_t systems, int64_t ld) {
    if (systems == 0) return 0;
    switch (layout) {
        case XBATCH_LAYOUT_FLAT: return counted_product(systems, ld);
        case XBATCH_LAYOUT_INTERLEAVED: return counted_product(n, ld);
        default: return counted_product(n, whole_blocks(systems, ld));
    }
}

// The leading dimension of a group's own part: a mixed batch is packed, except inside its blocks.
int64_t group_ld(const HinesPlan &plan, xbatchLayout_t layout, int64_t n, int64_t systems, int64_t ld) {
    if (!plan.is_mixed || layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED) return ld;
    return layout == XBATCH_LAYOUT_FLAT ? n : systems;
}

struct PlanArguments {
    int64_t morphologies;
    const int64_t *offsets;
    const int32_t *parent;
    int indexBase;
    xbatchHinesFlags_t flags;
    int64_t batch;
    const int32_t *morph;
};

xbatchStatus_t refuse_node(Context &context, const char *where, const TreeFault &fault, int base) {
    if (fault.node < 0) return fail(context, XBATCH_STATUS_INVALID_VALUE, "%s: %s", where, fault.what);
    return fail(context, XBATCH_STATUS_INVALID_VALUE, "%s: node %lld, counted from %d: %s", where,
                (long long)(fault.node + base), base, fault.what);
}

// Reads the trees up to the first bad one
xbatchStatus_t read_trees(Context &context, const PlanArguments &a, HinesPlan &plan) {
    char where[96];
    for (int64_t m = 0; m < a.morphologies; ++m) {
        int64_t n = 0;
        if (__builtin_sub_overflow(a.offsets[m + 1], a.offsets[m], &n) || n < 1)
            return fail(context, XBATCH_STATUS_INVALID_VALUE,
                        "xhinesCreatePlan: argument 2, offsets: morphology %lld is from %lld to %lld, must have at "
                        "least 1 node",
                        (long long)m, (long long)a.offsets[m], (long long)a.offsets[m + 1]);
        if (n > most_nodes)
            return fail(context, XBATCH_STATUS_NOT_SUPPORTED,
                        "xhinesCreatePlan: argument 2, offsets: morphology %lld has %lld nodes, at most %lld are "
                        "supported",
                        (long long)m, (long long)n, (long long)most_nodes);
        plan.trees.push_back({std::vector<int32_t>(size_t(n)), a.offsets[m] - a.offsets[0]});
        const bool is_forest = a.flags & XBATCH_HINES_FOREST;
        const TreeFault fault =
            read_tree({n, a.parent + a.offsets[m], a.indexBase, is_forest}, plan.trees.back().parent.data());
        if (!fault.what) {
            plan.trees.back().prepare_for_host();
            continue;
        }
        snprintf(where, sizeof where, "xhinesCreatePlan: argument 3, parent: morphology %lld", (long long)m);
        return refuse_node(context, where, fault, a.indexBase);
    }
    return XBATCH_STATUS_SUCCESS;
}

// Reads which system has which tree
xbatchStatus_t read_morph(Context &context, const PlanArguments &a, HinesPlan &plan) {
    for (int64_t j = 0; j < a.batch; ++j)
        if (a.morph[j] < 0 || a.morph[j] >= a.morphologies)
            return fail(context, XBATCH_STATUS_INVALID_VALUE,
                        "xhinesCreatePlan: argument 7, morph: system %lld has morphology %d, must be one of 0 … %lld",
                        (long long)j, a.morph[j], (long long)(a.morphologies - 1));
    plan.is_mixed = true;
    plan.morph.assign(a.morph, a.morph + a.batch);
    plan.members.resize(size_t(a.batch));
    plan.first_node.resize(size_t(a.batch));
    plan.first_member.assign(size_t(a.morphologies) + 1, 0);
    for (const int32_t m : plan.morph) ++plan.first_member[size_t(m) + 1];
    for (size_t m = 0; m < size_t(a.morphologies); ++m) plan.first_member[m + 1] += plan.first_member[m];
    std::vector<int64_t> next(plan.first_member.begin(), plan.first_member.end() - 1);
    int64_t nodes = 0;
    for (int64_t j = 0; j < a.batch; ++j) {
        const size_t m = size_t(a.morph[j]);
        plan.members[size_t(next[m]++)] = j;
        plan.first_node[size_t(j)] = nodes;
        nodes += plan.trees[m].n();
    }
    return XBATCH_STATUS_SUCCESS;
}

void check_plan_arguments(Call &call, const PlanArguments &a, const void *plan) {
    call.at_least(1, "morphologies", a.morphologies, nullptr, 1);
    call.at_most(1, "morphologies", a.morphologies, a.morph ? INT32_MAX : 1,
                 a.morph ? "as morph counts them" : "where morph = NULL");
    call.not_null(2, "offsets", a.offsets);
    call.not_null(3, "parent", a.parent);
    call.one_of(4, "indexBase", a.indexBase, 1);
    call.one_of(5, "flags", a.flags, XBATCH_HINES_FOREST);
    if (a.morph) {
        call.at_least(6, "batch", a.batch, nullptr, 0);
        call.extent(6, "batch", a.batch, most_nodes, 1, 1);
    }
    call.not_null(8, "plan", plan);
    if (!call.failed()) call.at_least(2, "offsets[0]", a.offsets[0], nullptr, 0);
}

xbatchStatus_t create_plan(Context &context, const PlanArguments &a, xbatchHinesPlan_t *result) {
    auto plan = std::make_unique<HinesPlan>();
    plan->backend = context.backend;
    plan->device = context.device;
    xbatchStatus_t status = read_trees(context, a, *plan);
    if (status == XBATCH_STATUS_SUCCESS && a.morph) status = read_morph(context, a, *plan);
#ifdef XBATCH_HAVE_CUDA
    if (status == XBATCH_STATUS_SUCCESS && context.backend == XBATCH_BACKEND_CUDA) {
        const DeviceScope scope(context);
        status = make_device_plan(context, *plan);
        if (status == XBATCH_STATUS_SUCCESS) status = make_device_paths(context, *plan);
    }
#endif
    if (status != XBATCH_STATUS_SUCCESS) return status;
    log_line(LOG_CALLS, "xhinesCreatePlan: morphologies = %lld, nodes = %lld, batch = %lld", (long long)a.morphologies,
             (long long)(a.offsets[a.morphologies] - a.offsets[0]), (long long)plan->morph.size());
    *result = live_plans.add(std::move(plan));
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace

void Tree::prepare_for_host() {
    last_child.assign(parent.size(), -1), slot.assign(parent.size(), 0);
    for (size_t i = 0; i < parent.size(); ++i)
        if (parent[i] >= 0) last_child[size_t(parent[i])] = int32_t(i);
    std::vector<int32_t> unused;
    for (size_t i = parent.size(); i-- > 0;) {
        if (parent[i] >= 0 && last_child[size_t(parent[i])] == int32_t(i)) {
            if (unused.empty()) unused.push_back(int32_t(slots++));
            slot[size_t(parent[i])] = unused.back();
            unused.pop_back();
        }
        if (last_child[i] >= 0) unused.push_back(slot[i]);
    }
}

std::vector<GroupPlacement> hines_placement(const HinesPlan &plan, xbatchLayout_t layout, int64_t nrhs, int64_t batch,
                                            int64_t ld) {
    std::vector<GroupPlacement> groups;
    groups.reserve(size_t(plan.groups()));
    int64_t origin = 0;
    for (int64_t m = 0; m < plan.groups(); ++m) {
        const int64_t n = plan.trees[size_t(m)].n(), systems = plan.group(m, batch).count;
        if (ld == 0) {
            groups.push_back({{XBATCH_LAYOUT_FLAT, n, 1, 0, 1, plan.trees[size_t(m)].first}, nullptr, 1});
            continue;
        }
        const int64_t own = group_ld(plan, layout, n, systems, ld);
        const bool is_listed = plan.is_mixed && layout == XBATCH_LAYOUT_FLAT;
        GroupPlacement group{placement(layout, n, nrhs, systems, own), is_listed ? plan.first_node.data() : nullptr,
                             nrhs};
        group.at.origin += origin;
        groups.push_back(group);
        origin += nrhs * group_extent(layout, n, systems, own);
    }
    return groups;
}

int64_t hines_extent(const HinesPlan &plan, xbatchLayout_t layout, int64_t nrhs, int64_t batch, int64_t ld) {
    int64_t extent = 0;
    for (int64_t m = 0; m < plan.groups(); ++m) {
        const int64_t n = plan.trees[size_t(m)].n(), systems = plan.group(m, batch).count;
        const int64_t own = group_ld(plan, layout, n, systems, ld);
        extent = counted_sum(extent, ld == 0 ? n : group_extent(layout, n, systems, own));
    }
    return counted_product(extent, nrhs);
}

}  // namespace xbatch::hines

using namespace xbatch;
using namespace xbatch::hines;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xhinesOrder(xbatchHandle_t handle, int64_t n, const int32_t *parent, int indexBase,
                           xbatchHinesFlags_t flags, int32_t *order, int32_t *ordered) {
    return guarded(handle, {"xhinesOrder", 0}, [&](Context &context, Call &call) {
        call.at_least(1, "n", n, nullptr, 0);
        call.at_most(1, "n", n, INT32_MAX, "as parent counts nodes");
        call.one_of(3, "indexBase", indexBase, 1);
        call.one_of(4, "flags", flags, XBATCH_HINES_FOREST | XBATCH_HINES_LARGEST_LAST);
        if (call.failed() || n == 0) return call.status();
        call.not_null(2, "parent", parent);
        call.not_null(5, "order", order);
        if (call.failed()) return call.status();
        const bool is_forest = flags & XBATCH_HINES_FOREST;
        const TreeFault fault =
            order_tree({n, parent, indexBase, is_forest}, flags & XBATCH_HINES_LARGEST_LAST, order, ordered);
        if (!fault.what) return XBATCH_STATUS_SUCCESS;
        return refuse_node(context, "xhinesOrder: argument 2, parent", fault, indexBase);
    });
}

xbatchStatus_t xhinesCreatePlan(xbatchHandle_t handle, int64_t morphologies, const int64_t *offsets,
                                const int32_t *parent, int indexBase, xbatchHinesFlags_t flags, int64_t batch,
                                const int32_t *morph, xbatchHinesPlan_t *plan) {
    if (plan) *plan = nullptr;
    return guarded(handle, {"xhinesCreatePlan", 0}, [&](Context &context, Call &call) {
        const PlanArguments arguments{morphologies, offsets, parent, indexBase, flags, batch, morph};
        check_plan_arguments(call, arguments, plan);
        if (call.failed()) return call.status();
        return create_plan(context, arguments, plan);
    });
}

xbatchStatus_t xhinesDestroyPlan(xbatchHinesPlan_t plan) {
    if (!plan) return XBATCH_STATUS_SUCCESS;
    return live_plans.remove(plan) ? XBATCH_STATUS_SUCCESS : XBATCH_STATUS_INVALID_VALUE;
}

xbatchStatus_t xhinesSetAlgorithm(xbatchHandle_t handle, xbatchHinesPlan_t plan, xbatchHinesAlgorithm_t algorithm) {
    return guarded(handle, {"xhinesSetAlgorithm", 0}, [&](Context &context, Call &call) {
        HinesPlan *const live = check_plan(call, context, 1, plan);
        call.one_of(2, "algorithm", algorithm, XBATCH_HINES_FROM_TIPS);
        if (!call.failed()) live->algorithm = algorithm;
        return call.status();
    });
}

xbatchStatus_t xhinesGetPlacement(xbatchHandle_t handle, xbatchHinesPlan_t plan, xbatchLayout_t layout, int64_t nrhs,
                                  int64_t batch, int64_t ld, int64_t *first, int64_t *step, int64_t *extent) {
    return guarded(handle, {"xhinesGetPlacement", 0}, [&](Context &context, Call &call) {
        HinesPlan *const live = check_plan(call, context, 1, plan);
        call.one_of(2, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.at_least(3, "nrhs", nrhs, nullptr, 1);
        if (call.failed()) return call.status();
        check_batch(call, 4, *live, batch);
        check_leading_dimension(call, 5, "ld", *live, layout, nrhs, batch, ld, false, element_size(XBATCH_R_32F));
        if (call.failed()) return call.status();
        const std::vector<GroupPlacement> groups = hines_placement(*live, layout, nrhs, batch, ld);
        for (int64_t m = 0; m < live->groups(); ++m) {
            const Group group = live->group(m, batch);
            for (int64_t k = 0; k < group.count; ++k) {
                const int64_t j = group.system(k);
                if (first) first[j] = groups[size_t(m)].base(k, j, 0);
                if (step) step[j] = groups[size_t(m)].step();
            }
        }
        if (extent) *extent = hines_extent(*live, layout, nrhs, batch, ld);
        return XBATCH_STATUS_SUCCESS;
    });
}

}  // extern "C"
#pragma GCC visibility pop
