// destroyed.cpp: destroyed objects are refused, with any allocator: handles, plans of trees, task graphs; also when
// many threads create, use and destroy at once, and when several destroy the same.
//
// destroyed ALLOCATOR [SECONDS]: exit status 77 if the allocator is jemalloc and is not installed. An allocator that
// does not clear freed memory, and reuses it at once, reveals reads of it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "solves.hpp"

using namespace host_program;

namespace {

constexpr const char *dead_handle = "a destroyed handle is refused", *dead_plan = "a destroyed plan is refused",
                     *dead_graph = "a destroyed graph is refused";

xbatchHinesPlan_t make_plan(xbatchHandle_t handle) {
    const int32_t parent[] = {-1, 0, 1, 1};
    const int64_t offsets[] = {0, 4};
    xbatchHinesPlan_t plan = nullptr;
    expect_success(handle, xhinesCreatePlan(handle, 1, offsets, parent, 0, XBATCH_HINES_TREE, 0, nullptr, &plan));
    return plan;
}
xbatchTaskGraph_t make_graph(xbatchHandle_t handle) {
    xbatchTaskGraph_t graph = nullptr;
    expect_success(handle, xbatchTaskGraphCreate(handle, &graph));
    return graph;
}

void expect_dead(xbatchHandle_t dead) {
    int threads = 0;
    size_t bytes = 0;
    void *stream = nullptr;
    xbatchBackend_t backend = XBATCH_BACKEND_AUTO;
    xbatchTaskGraph_t graph = nullptr;
    expect(xbatchGetThreadCount(dead, &threads) == XBATCH_STATUS_INVALID_HANDLE, dead_handle);
    expect(xbatchSetThreadCount(dead, 2) == XBATCH_STATUS_INVALID_HANDLE, dead_handle);
    expect(xbatchGetStream(dead, &stream) == XBATCH_STATUS_INVALID_HANDLE, dead_handle);
    expect(xbatchSetStream(dead, nullptr) == XBATCH_STATUS_INVALID_HANDLE, dead_handle);
    expect(xbatchGetBackend(dead, &backend) == XBATCH_STATUS_INVALID_HANDLE, dead_handle);
    expect(std::strstr(xbatchGetLastErrorMessage(dead), "destroyed"), dead_handle);
    expect(dgtsvBatch_bufferSize(dead, XBATCH_LAYOUT_FLAT, 9, 1, 1, &bytes) == XBATCH_STATUS_INVALID_HANDLE,
           dead_handle);
    expect(xbatchTaskGraphCreate(dead, &graph) == XBATCH_STATUS_INVALID_HANDLE, dead_handle);
    expect(xbatchDestroy(dead) == XBATCH_STATUS_INVALID_HANDLE, dead_handle);
}
void expect_dead(xbatchHandle_t handle, xbatchHinesPlan_t dead) {
    size_t bytes = 0;
    int64_t extent = 0;
    expect(dhinesBatch_bufferSize(handle, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, dead, 1, 1, &bytes) ==
               XBATCH_STATUS_INVALID_VALUE,
           dead_plan);
    expect(std::strstr(xbatchGetLastErrorMessage(handle), "argument 3, plan, must be one"), dead_plan);
    expect(xhinesGetPlacement(handle, dead, XBATCH_LAYOUT_FLAT, 1, 1, 9, nullptr, nullptr, &extent) ==
               XBATCH_STATUS_INVALID_VALUE,
           dead_plan);
    expect(xhinesSetAlgorithm(handle, dead, XBATCH_HINES_AUTO) == XBATCH_STATUS_INVALID_VALUE, dead_plan);
    expect(xhinesDestroyPlan(dead) == XBATCH_STATUS_INVALID_VALUE, dead_plan);
}
void expect_dead(xbatchHandle_t handle, xbatchTaskGraph_t dead) {
    int64_t task = 0;
    expect(xbatchTaskGraphAddTask(handle, dead, 0, nullptr, 0, 1, &task) == XBATCH_STATUS_INVALID_VALUE, dead_graph);
    expect(std::strstr(xbatchGetLastErrorMessage(handle), "argument 1, graph"), dead_graph);
    expect(xbatchTaskGraphFinalize(handle, dead) == XBATCH_STATUS_INVALID_VALUE, dead_graph);
    expect(xbatchTaskGraphRun(handle, dead, nullptr, 0, nullptr) == XBATCH_STATUS_INVALID_VALUE, dead_graph);
    expect(xbatchTaskGraphDestroy(dead) == XBATCH_STATUS_INVALID_VALUE, dead_graph);
}

// A destroyed handle among several of one call
void expect_dead_share(xbatchHandle_t handle, xbatchHandle_t dead) {
    const xbatchHandle_t handles[] = {handle, dead};
    xbatchHinesPlan_t plans[] = {make_plan(handle), make_plan(handle)};
    const int64_t none[] = {0, 0}, ld[] = {4, 4};
    void *const nothing[] = {nullptr, nullptr};
    const size_t bytes[] = {0, 0};
    expect(xhinesBatchMg(2, handles, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, plans, 1, none, nothing, nothing,
                         ld, nothing, ld, nothing, ld, nullptr, nothing, bytes) == XBATCH_STATUS_INVALID_HANDLE,
           "a share's destroyed handle is refused");
    expect(std::strstr(xbatchGetLastErrorMessage(handle), "share 1"), "a share's destroyed handle is named");
    for (xbatchHinesPlan_t plan : plans) xhinesDestroyPlan(plan);
}

// Before and after others are created in place of the destroyed ones
void refuse_the_dead() {
    const Handle handle(1);
    xbatchHandle_t dead = nullptr;
    expect(xbatchCreate(&dead, XBATCH_BACKEND_HOST) == XBATCH_STATUS_SUCCESS, "a handle");
    const xbatchHinesPlan_t plan = make_plan(handle);
    const xbatchTaskGraph_t graph = make_graph(handle);
    expect(xbatchDestroy(dead) == XBATCH_STATUS_SUCCESS, "a live handle can be destroyed");
    expect(xhinesDestroyPlan(plan) == XBATCH_STATUS_SUCCESS, "a live plan can be destroyed");
    expect(xbatchTaskGraphDestroy(graph) == XBATCH_STATUS_SUCCESS, "a live graph can be destroyed");
    for (int others = 0; others < 200; ++others) {
        expect_dead(dead), expect_dead(handle, plan), expect_dead(handle, graph), expect_dead_share(handle, dead);
        const Handle a(1), b(1);
        expect(a != b && a != dead && b != dead, "no two handles are the same");
        const xbatchHinesPlan_t other_plan = make_plan(handle);
        const xbatchTaskGraph_t other_graph = make_graph(handle);
        expect(other_plan != plan && other_graph != graph, "what is new is not what was destroyed");
        expect_dead(dead), expect_dead(handle, plan), expect_dead(handle, graph);
        xhinesDestroyPlan(other_plan), xbatchTaskGraphDestroy(other_graph);
    }
}

// More than one segment of the table holds
void keep_many() {
    std::vector<xbatchHandle_t> handles(5000);
    for (xbatchHandle_t &handle : handles) xbatchCreate(&handle, XBATCH_BACKEND_HOST);
    for (size_t k = 0; k < handles.size(); ++k) xbatchSetThreadCount(handles[k], int(k % 100) + 1);
    for (size_t k = 0; k < handles.size(); ++k) {
        int threads = 0;
        expect(xbatchGetThreadCount(handles[k], &threads) == XBATCH_STATUS_SUCCESS && threads == int(k % 100) + 1,
               "each handle is its own");
    }
    for (const xbatchHandle_t handle : handles) expect(xbatchDestroy(handle) == XBATCH_STATUS_SUCCESS, "all are live");
    for (const xbatchHandle_t handle : handles) expect_dead(handle);
}

void refuse_what_is_none() {
    for (const uint64_t bits : {uint64_t(1), uint64_t(0xffffffff), uint64_t(1) << 32 | 0xffffffff, UINT64_MAX,
                                uint64_t(0x7fff12345678), uint64_t(3) << 32})
        expect_dead(reinterpret_cast<xbatchHandle_t>(bits));
}

// Handles, plans and graphs of many threads, not shared; and handles that all of them try to destroy
void create_and_destroy_at_once(double seconds) {
    constexpr int threads = 8;
    std::atomic<uint64_t> shared{0};
    std::atomic<int64_t> created{0}, destroyed{0};
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    const auto work = [&] {
        while (std::chrono::steady_clock::now() < end) {
            xbatchHandle_t dead = nullptr;
            {
                const Handle handle(1);
                expect(tridiagonal(handle, dgtsvBatch, dgtsvBatch_bufferSize, 8, 2).size() == 16, "a solve");
                trees(handle), tasks(handle);
                const xbatchHinesPlan_t plan = make_plan(handle);
                const xbatchTaskGraph_t graph = make_graph(handle);
                xhinesDestroyPlan(plan), xbatchTaskGraphDestroy(graph);
                expect_dead(handle, plan), expect_dead(handle, graph);
                dead = handle;
            }
            expect_dead(dead);
            xbatchHandle_t given = nullptr;
            if (xbatchCreate(&given, XBATCH_BACKEND_HOST) == XBATCH_STATUS_SUCCESS) ++created;
            shared = reinterpret_cast<uint64_t>(given);
            for (int k = 0; k < 3; ++k)
                if (const auto some = reinterpret_cast<xbatchHandle_t>(shared.load()))
                    destroyed += xbatchDestroy(some) == XBATCH_STATUS_SUCCESS;
            destroyed += xbatchDestroy(given) == XBATCH_STATUS_SUCCESS;
        }
    };
    std::vector<std::thread> team;
    for (int k = 0; k < threads; ++k) team.emplace_back(work);
    for (std::thread &member : team) member.join();
    expect(created == destroyed, "each handle is destroyed once, whoever tries");
}

}  // namespace

int main(int argc, char **argv) {
    const bool is_jemalloc = argc > 1 && std::strcmp(argv[1], "jemalloc") == 0;
    if (is_jemalloc && !dlsym(RTLD_DEFAULT, "mallctl")) {
        std::puts("no jemalloc to be had: skipped");
        return 77;
    }
    refuse_the_dead();
    refuse_what_is_none();
    keep_many();
    create_and_destroy_at_once(argc > 2 ? std::atof(argv[2]) : 1);
    return 0;
}
