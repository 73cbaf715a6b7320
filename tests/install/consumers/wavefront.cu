// wavefront.cu: the length of the longest common subsequence of two texts by tasks with a user's body: a tile waits for
// the one above it and the one before it. The same body runs on a GPU if there is one, else on threads.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <xbatch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include <xbatch/task_graph.cuh>

struct Texts {
    const char *a, *b;  // [n]
    int *length;        // [(n + 1) * (n + 1)], zeros in the first row and column
    int n;
};

struct Tile {
    static constexpr int type = 0, threads = 32, side = 32;
    struct Args {
        int i, j;
    };
    __host__ __device__ void operator()(const xbatch::TaskContext &context, const Args &args, const Texts &t) const {
        for (int d = 0; d < 2 * side - 1; ++d) {  // the cells of a diagonal wait for those before it
            for (int r = context.rank(); r < side; r += context.size()) {
                const int i = args.i * side + r, j = args.j * side + d - r;
                if (d - r < 0 || d - r >= side || i >= t.n || j >= t.n) continue;
                int *cell = t.length + (i + 1) * (t.n + 1) + j + 1;
                const int above = cell[-t.n - 1], before = cell[-1];
                *cell = t.a[i] == t.b[j] ? cell[-t.n - 2] + 1 : above > before ? above : before;
            }
            context.sync();
        }
    }
};

static void check(bool good, const char *what) {
    if (good) return;
    std::fprintf(stderr, "%s\n", what);
    std::exit(1);
}

int main() {
    constexpr int n = 500, tiles = (n + Tile::side - 1) / Tile::side;
    xbatchHandle_t handle;
    xbatchTaskGraph_t graph;
    xbatchBackend_t backend;
    check(xbatchCreate(&handle, XBATCH_BACKEND_AUTO) == XBATCH_STATUS_SUCCESS, "handle");
    xbatchGetBackend(handle, &backend);
    check(xbatchTaskGraphCreate(handle, &graph) == XBATCH_STATUS_SUCCESS, "graph");
    for (int i = 0; i < tiles; ++i)
        for (int j = 0; j < tiles; ++j) {
            const Tile::Args args = {i, j};
            xbatchTaskGraphAddTask(handle, graph, Tile::type, &args, sizeof args, 1, nullptr);
            if (i > 0) xbatchTaskGraphAddDependency(handle, graph, (i - 1) * tiles + j, i * tiles + j);
            if (j > 0) xbatchTaskGraphAddDependency(handle, graph, i * tiles + j - 1, i * tiles + j);
        }
    check(xbatchTaskGraphFinalize(handle, graph) == XBATCH_STATUS_SUCCESS, "finalize");

    std::string a(n, ' '), b(n, ' ');
    for (int k = 0; k < n; ++k) a[k] = "ACGT"[k * k % 7 % 4], b[k] = "ACGT"[k * 5 % 11 % 4];
    const size_t cells = size_t(n + 1) * (n + 1);
    std::vector<int> length(cells, 0);

    // The graph's device copy and the texts, in memory of the backend
    const bool on_gpu = backend == XBATCH_BACKEND_CUDA;
    const auto there = [=](void *here, size_t bytes) {
        void *copy = here;
        if (on_gpu)
            check(cudaMalloc(&copy, bytes) == cudaSuccess &&
                      cudaMemcpy(copy, here, bytes, cudaMemcpyHostToDevice) == cudaSuccess,
                  "memory");
        return copy;
    };
    size_t bytes = 0;
    xbatchTaskGraphUpload_bufferSize(handle, graph, &bytes);
    std::vector<char> room(bytes);
    void *image = there(room.data(), bytes);
    const Texts texts{static_cast<char *>(there(&a[0], n)), static_cast<char *>(there(&b[0], n)),
                      static_cast<int *>(there(length.data(), cells * sizeof(int))), n};
    check(xbatchTaskGraphUpload(handle, graph, image, bytes) == XBATCH_STATUS_SUCCESS, "upload");
    check(xbatch::run_tasks<Tile>(handle, graph, image, texts) == XBATCH_STATUS_SUCCESS, "run");
    check(xbatchTaskGraphSynchronize(handle, graph, image) == XBATCH_STATUS_SUCCESS, xbatchGetLastErrorMessage(handle));
    if (on_gpu)
        check(cudaMemcpy(length.data(), texts.length, cells * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess,
              "the way back");

    std::vector<int> expected(cells, 0);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int *cell = expected.data() + (i + 1) * (n + 1) + j + 1;
            *cell = a[i] == b[j] ? cell[-n - 2] + 1 : std::max(cell[-n - 1], cell[-1]);
        }
    check(expected == length, "the tiles found another length than the loops");
    xbatchTaskGraphDestroy(graph);
    xbatchDestroy(handle);
    return 0;
}
