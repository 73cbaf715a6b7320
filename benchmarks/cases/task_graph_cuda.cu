// task_graph_cuda.cu: the cost of a task on a GPU: graphs of empty tasks, compared with the same graphs as CUDA
// graphs of kernels; and tiled Cholesky by the library's own tasks, compared with cuSOLVER.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <xbatch/task_graph.cuh>

#include <cmath>
#include <memory>

#include "peers/cuda_check.hpp"
#include "peers/cusolver.hpp"
#include "session.hpp"

namespace bench {
namespace {

struct Empty {
    static constexpr int type = 0;
    using Args = int64_t;
    BENCH_HD void operator()(const xbatch::TaskContext &, const int64_t &, int) const {}
};
__global__ void empty_kernel() {}

// The predecessors of each task
struct Shape {
    const char *name;
    std::function<std::vector<int64_t>(int64_t)> before;
};
std::vector<Shape> shapes(int64_t side) {
    const auto random = [](int64_t t) {
        std::vector<int64_t> before;
        for (uint32_t k = 0; k < 3; ++k) {
            const int64_t b = t - 1 - int64_t(random_number(uint64_t(t), k) * 2000);
            if (b >= 0 && std::find(before.begin(), before.end(), b) == before.end()) before.push_back(b);
        }
        return before;
    };
    const auto wavefront = [=](int64_t t) {
        std::vector<int64_t> before;
        if (t >= side) before.push_back(t - side);
        if (t % side > 0) before.push_back(t - 1);
        return before;
    };
    return {{"a chain", [](int64_t t) { return t > 0 ? std::vector<int64_t>{t - 1} : std::vector<int64_t>{}; }},
            {"a wavefront", wavefront},
            {"three random ones before each", random},
            {"tasks that do not wait", [](int64_t) { return std::vector<int64_t>{}; }}};
}

// A graph of the library in device memory
class DeviceGraph {
public:
    explicit DeviceGraph(xbatchHandle_t handle) : handle_(handle) { check(xbatchTaskGraphCreate(handle, &graph_)); }
    ~DeviceGraph() { xbatchTaskGraphDestroy(graph_); }
    DeviceGraph(const DeviceGraph &) = delete;
    DeviceGraph &operator=(const DeviceGraph &) = delete;

    operator xbatchTaskGraph_t() const { return graph_; }
    void *image() const { return image_->get(); }
    void check(xbatchStatus_t status) const { Session::check(handle_, status); }
    void upload(const Machine &machine) {
        size_t bytes = 0;
        check(xbatchTaskGraphFinalize(handle_, graph_));
        check(xbatchTaskGraphUpload_bufferSize(handle_, graph_, &bytes));
        image_ = std::make_unique<Memory>(machine, bytes);
        check(xbatchTaskGraphUpload(handle_, graph_, image(), bytes));
    }
    double error() const {
        return xbatchTaskGraphSynchronize(handle_, graph_, image()) == XBATCH_STATUS_SUCCESS ? 0 : 1;
    }

private:
    xbatchHandle_t handle_;
    xbatchTaskGraph_t graph_ = nullptr;
    std::unique_ptr<Memory> image_;
};

Run empty_tasks(const Session &session, const Shape &shape, int64_t tasks) {
    const xbatchHandle_t handle = session.handle();
    const auto graph = std::make_shared<DeviceGraph>(handle);
    for (int64_t t = 0; t < tasks; ++t) {
        graph->check(xbatchTaskGraphAddTask(handle, *graph, 0, &t, sizeof t, 1, nullptr));
        for (const int64_t b : shape.before(t)) graph->check(xbatchTaskGraphAddDependency(handle, *graph, b, t));
    }
    graph->upload(session.machine());
    return {[] {}, [=] { graph->check(xbatch::run_tasks<Empty>(handle, *graph, graph->image(), 0)); },
            [=] { return graph->error(); }};
}

Run empty_kernels(const Shape &shape, int64_t tasks) {
    cudaGraph_t graph;
    BENCH_CUDA(cudaGraphCreate(&graph, 0));
    std::vector<cudaGraphNode_t> nodes(static_cast<size_t>(tasks));
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void *>(empty_kernel);
    kernel.gridDim = dim3(1), kernel.blockDim = dim3(32);
    for (int64_t t = 0; t < tasks; ++t) {
        std::vector<cudaGraphNode_t> before;
        for (const int64_t b : shape.before(t)) before.push_back(nodes[size_t(b)]);
        BENCH_CUDA(cudaGraphAddKernelNode(&nodes[size_t(t)], graph, before.data(), before.size(), &kernel));
    }
    cudaGraphExec_t made;
    BENCH_CUDA(cudaGraphInstantiate(&made, graph, 0));
    BENCH_CUDA(cudaGraphDestroy(graph));
    const std::shared_ptr<CUgraphExec_st> executable(made, cudaGraphExecDestroy);
    return {[] {}, [=] { BENCH_CUDA(cudaGraphLaunch(executable.get(), nullptr)); },
            [] { return cudaDeviceSynchronize() == cudaSuccess ? 0.0 : 1.0; }};
}

__global__ void set_diagonal(double *a, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) a[i * n + i] = double(n);
}

// A positive definite matrix, and the copy that is factored
struct Positive {
    const Machine &machine;
    int64_t n;
    Memory original, factor;

    Positive(const Machine &m, int64_t order)
        : machine(m),
          n(order),
          original(random_array(m, XBATCH_R_64F, order * order, -1, 1, 1)),
          factor(m, size_t(order * order) * sizeof(double)) {
        set_diagonal<<<unsigned((n + 255) / 256), 256>>>(static_cast<double *>(original.get()), n);
        BENCH_CUDA(cudaGetLastError());
    }
    double *at(int64_t row, int64_t column) const { return static_cast<double *>(factor.get()) + column * n + row; }
    void restore() const { machine.copy(factor.get(), original.get(), size_t(n * n) * sizeof(double)); }
    // The squared norms of the rows of L are the diagonal of A; checks a sample of rows.
    double error() const {
        double worst = 0;
        for (int64_t i = n - 1; i >= 0; i -= 97) {
            long double sum = 0;
            for (const long double x : gathered<long double>(machine, XBATCH_R_64F, factor.get(), i, n, i + 1))
                sum += x * x;
            const double difference = std::fabs(double(sum) / double(n) - 1);
            worst = difference <= worst ? worst : difference;
        }
        return worst;
    }
};

Run tiled_cholesky(const Session &session, const std::shared_ptr<Positive> &a, int64_t nb) {
    const xbatchHandle_t handle = session.handle();
    const auto graph = std::make_shared<DeviceGraph>(handle);
    const int64_t n = a->n;
    const auto rows = [=](int64_t i) { return std::min(nb, n - i); };
    constexpr auto D = XBATCH_R_64F;
    for (int64_t k = 0; k < n; k += nb) {
        graph->check(xbatchTaskGraphAddPotrf(handle, *graph, D, XBATCH_UPLO_LOWER, rows(k), a->at(k, k), n, nullptr));
        for (int64_t i = k + nb; i < n; i += nb)
            graph->check(xbatchTaskGraphAddTrsm(handle, *graph, D, XBATCH_SIDE_RIGHT, XBATCH_UPLO_LOWER, XBATCH_OP_C,
                                                XBATCH_DIAG_NON_UNIT, rows(i), rows(k), 1, a->at(k, k), n, a->at(i, k),
                                                n, nullptr));
        for (int64_t j = k + nb; j < n; j += nb) {
            graph->check(xbatchTaskGraphAddHerk(handle, *graph, D, XBATCH_UPLO_LOWER, XBATCH_OP_N, rows(j), rows(k), -1,
                                                a->at(j, k), n, 1, a->at(j, j), n, nullptr));
            for (int64_t i = j + nb; i < n; i += nb)
                graph->check(xbatchTaskGraphAddGemm(handle, *graph, D, XBATCH_OP_N, XBATCH_OP_C, rows(i), rows(j),
                                                    rows(k), -1, a->at(i, k), n, a->at(j, k), n, 1, a->at(i, j), n,
                                                    nullptr));
        }
    }
    graph->upload(session.machine());
    return {[=] { a->restore(); }, [=] { graph->check(xbatchTaskGraphRunTiles(handle, *graph, graph->image())); },
            [=] { return std::fmax(graph->error(), a->error()); }};
}

Run cusolver_cholesky(const Session &session, const std::shared_ptr<Positive> &a) {
    cusolverDnParams_t made_params;
    check(cusolverDnCreateParams(&made_params));
    const std::shared_ptr<cusolverDnParams> params(made_params, cusolverDnDestroyParams);
    const int64_t n = a->n;
    size_t device = 0, host = 0;
    check(cusolverDnXpotrf_bufferSize(cusolver(), made_params, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, a->at(0, 0), n,
                                      CUDA_R_64F, &device, &host));
    const auto space = std::make_shared<Memory>(session.machine(), device + 256);
    const auto info = std::make_shared<Memory>(session.machine(), sizeof(int));
    const auto host_space = std::make_shared<std::vector<char>>(host + 1);
    return {[=] { a->restore(); },
            [=] {
                check(cusolverDnXpotrf(cusolver(), params.get(), CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, a->at(0, 0), n,
                                       CUDA_R_64F, space->get(), device, host_space->data(), host,
                                       static_cast<int *>(info->get())));
            },
            [=] { return a->error(); }, device};
}

}  // namespace

void task_graph_cuda(Session &session) {
    const int64_t side = session.quick() ? 32 : 256, tasks = side * side;
    for (const Shape &shape : shapes(side)) {
        const double count = double(tasks);
        const Case which{"task_graph", "run_tasks", XBATCH_R_64F, "graph", tasks, 1, 1, shape.name, 96 * count, count};
        session.attempt(which, [&] {
            session.measure(which, empty_tasks(session, shape, tasks),
                            {{"CUDA graph of kernels", [&] { return empty_kernels(shape, tasks); }}}, 0);
        });
    }
    for (const int64_t n : session.quick() ? std::vector<int64_t>{300} : std::vector<int64_t>{1024, 2048, 4096, 8192}) {
        const double order = double(n);
        const Case which{
            "task_graph",      "TaskGraphRunTiles",      XBATCH_R_64F, "dense", n, 1, 1, "Cholesky, tiles of 128",
            8 * order * order, order * order * order / 3};
        session.attempt(which, [&] {
            const auto a = std::make_shared<Positive>(session.machine(), n);
            session.measure(which, tiled_cholesky(session, a, 128),
                            {{"cuSOLVER Xpotrf", [&] { return cusolver_cholesky(session, a); }}}, 1e-13 * order);
        });
    }
}

}  // namespace bench
