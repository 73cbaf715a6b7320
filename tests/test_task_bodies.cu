// test_task_bodies.cu: graphs run by the template of task_graph.cuh: the same bodies on the host and on a GPU, with the
// same bits as in program order, for any number of workers, repeatedly, concurrent with other kernels, captured in a
// CUDA graph; failures; device copies with every kind of error, which must end in an error status and never in a wait.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "support/fixtures/task_bodies.cuh"

namespace xbatch_test {
namespace {

class TaskBodies : public testing::TestWithParam<xbatchBackend_t> {};
INSTANTIATE_TEST_SUITE_P(Host, TaskBodies, testing::Values(XBATCH_BACKEND_HOST));
INSTANTIATE_TEST_SUITE_P(Cuda, TaskBodies, testing::Values(XBATCH_BACKEND_CUDA));

// Runs with all types of random_program and qr_program
xbatchStatus_t run_mix(xbatchHandle_t handle, const Graph &graph, const Image &image, const Mixture &mixture,
                       int workers = 0) {
    return xbatch::run_tasks<Mix<0>, Mix<1>, Mix<2>, Mix<3>>(handle, graph, image.data(), mixture, workers);
}

void expect_success(xbatchHandle_t handle, const Graph &graph, const Image &image) {
    EXPECT_EQ(xbatchTaskGraphSynchronize(handle, graph, image.data()), XBATCH_STATUS_SUCCESS)
        << xbatchGetLastErrorMessage(handle);
}

void expect_failure(xbatchHandle_t handle, const Graph &graph, int64_t task, int code) {
    int64_t failed = 77;
    int returned = 77;
    EXPECT_EQ(xbatchTaskGraphGetFailure(handle, graph, &failed, &returned), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(failed, task);
    EXPECT_EQ(returned, code);
}

// Random costs give random topological orders.
std::vector<double> random_costs(Random &random, const Program &program) {
    std::vector<double> costs;
    for (int64_t t = 0; t < program.size(); ++t) costs.push_back(double(random.bits() % 100));
    return costs;
}

TEST_P(TaskBodies, TheSameBitsForAnyNumberOfWorkers) {
    Handle handle(GetParam());
    XBATCH_NEEDS(handle);
    Random random(7);
    for (int round = 0; round < 4; ++round) {
        const bool is_qr = round == 0;
        const Program program = is_qr ? qr_program(9, 7) : random_program(random, 700, 15 << round);
        Mixing mixing(GetParam(), program, is_qr ? 9 * 7 + 7 : 15 << round);
        const auto graph = inferred(handle, program, random_costs(random, program));
        const Image image(handle, *graph);
        for (int workers : {0, 1, 2, 3, 131, 132, 264})
            for (int delays : {0, 5}) {
                EXPECT_EQ(run_mix(handle, *graph, image, mixing.begin(delays), workers), XBATCH_STATUS_SUCCESS);
                expect_success(handle, *graph, image);
                EXPECT_EQ(mixing.result(), mixing.expected()) << workers << " workers";
            }
    }
}

// Workers of a single warp, and blocks of maximal size
TEST_P(TaskBodies, SmallAndLargeWorkers) {
    Handle handle(GetParam());
    XBATCH_NEEDS(handle);
    Random random(8);
    const Program program = random_program(random, 500, 40);
    Mixing mixing(GetParam(), program, 40);
    const auto graph = inferred(handle, program, program.costs);
    const Image image(handle, *graph);
    EXPECT_EQ((xbatch::run_tasks<Mix<0, 32>, Mix<1, 32>, Mix<2, 32>, Mix<3, 32>>(handle, *graph, image.data(),
                                                                                 mixing.begin(0))),
              XBATCH_STATUS_SUCCESS);
    expect_success(handle, *graph, image);
    EXPECT_EQ(mixing.result(), mixing.expected());
    EXPECT_EQ((xbatch::run_tasks<Mix<0, 32>, Mix<1, 1024>, Mix<2, 64>, Mix<3>>(handle, *graph, image.data(),
                                                                               mixing.begin(0))),
              XBATCH_STATUS_SUCCESS);
    expect_success(handle, *graph, image);
    EXPECT_EQ(mixing.result(), mixing.expected());
}

// Adds one to a task's number after the task before it has
struct Count {
    static constexpr int type = 0;
    static constexpr int threads = 32;
    struct Args {
        int64_t own, before;  // -1: none
    };
    XBATCH_TASK_HD void operator()(const xbatch::TaskContext &context, const Args &args, int *counts) const {
        if (context.rank() != 0) return;
        if (args.before >= 0 && counts[args.before] != 1) context.fail(5);
        ++counts[args.own];
    }
};

void expect_counted(xbatchHandle_t handle, xbatchBackend_t backend, int64_t tasks, const char *shape) {
    Graph graph(handle);
    const std::string name = shape;
    for (int64_t t = 0; t < tasks; ++t) {
        const Count::Args args = {t, name == "chain" ? t - 1 : name == "star" && t > 0 ? 0 : -1};
        graph.add(0, 1, &args, sizeof args);
        if (args.before >= 0) graph.depend(args.before, t);
    }
    for (int64_t t = 0; name == "funnel" && t < tasks - 1; ++t) graph.depend(t, tasks - 1);
    graph.finalize();
    const Image image(handle, graph);
    Shared<int> counts(backend, std::vector<int>(size_t(tasks), 0));
    EXPECT_EQ(xbatch::run_tasks<Count>(handle, graph, image.data(), counts.data()), XBATCH_STATUS_SUCCESS);
    expect_success(handle, graph, image);
    EXPECT_EQ(counts.get(), std::vector<int>(size_t(tasks), 1)) << shape;
}

// A chain, independent tasks, one task before all others, one after all others
TEST_P(TaskBodies, ManyTasks) {
    Handle handle(GetParam());
    XBATCH_NEEDS(handle);
    for (int64_t tasks : {0, 1, 2, 100001})
        for (const char *shape : {"chain", "loose", "star", "funnel"}) expect_counted(handle, GetParam(), tasks, shape);
}

// The longest common subsequence of two texts by square tiles: whole numbers, so the bits must be those of the plain
// loops.
struct Align {
    static constexpr int type = 0;
    static constexpr int threads = 32;
    static constexpr int side = 32;
    struct Args {
        int i, j;
    };
    struct Texts {
        const int *a, *b;  // [n]
        int *length;       // [(n + 1) * (n + 1)]
        int n;
    };
    XBATCH_TASK_HD void operator()(const xbatch::TaskContext &context, const Args &args, const Texts &texts) const {
        const int ld = texts.n + 1;
        for (int d = 0; d < 2 * side - 1; ++d, context.sync())  // the cells of a diagonal wait for those before it
            for (int r = context.rank(); r < side; r += context.size()) {
                const int c = d - r, i = args.i * side + r, j = args.j * side + c;
                if (c < 0 || c >= side || i >= texts.n || j >= texts.n) continue;
                int *cell = texts.length + int64_t(i + 1) * ld + j + 1;
                const int above = cell[-ld], before = cell[-1];
                *cell = texts.a[i] == texts.b[j] ? cell[-ld - 1] + 1 : above > before ? above : before;
            }
    }
};

TEST_P(TaskBodies, WavefrontHasTheBitsOfTheLoops) {
    Handle handle(GetParam());
    XBATCH_NEEDS(handle);
    constexpr int n = 1000, tiles = (n + Align::side - 1) / Align::side;
    Random random(3);
    std::vector<int> a(n), b(n), expected(size_t(n + 1) * (n + 1), 0);
    for (int k = 0; k < n; ++k) a[size_t(k)] = int(random.bits() % 4), b[size_t(k)] = int(random.bits() % 4);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int *cell = expected.data() + size_t(i + 1) * (n + 1) + j + 1;
            *cell = a[size_t(i)] == b[size_t(j)] ? cell[-n - 2] + 1 : std::max(cell[-n - 1], cell[-1]);
        }
    Graph graph(handle);
    for (int i = 0; i < tiles; ++i)
        for (int j = 0; j < tiles; ++j) {
            const Align::Args args = {i, j};
            graph.add(0, 1, &args, sizeof args);
            if (i > 0) graph.depend((i - 1) * tiles + j, i * tiles + j);
            if (j > 0) graph.depend(i * tiles + j - 1, i * tiles + j);
        }
    graph.finalize();
    const Image image(handle, graph);
    const Shared<int> first(GetParam(), a), second(GetParam(), b);
    const Shared<int> length(GetParam(), std::vector<int>(expected.size(), 0));
    EXPECT_EQ(xbatch::run_tasks<Align>(handle, graph, image.data(),
                                       Align::Texts{first.data(), second.data(), length.data(), n}),
              XBATCH_STATUS_SUCCESS);
    expect_success(handle, graph, image);
    EXPECT_EQ(length.get(), expected);
}

// The failed task is reported, whichever worker ran it; the next run is not affected.
TEST_P(TaskBodies, FailingTasks) {
    Handle handle(GetParam());
    XBATCH_NEEDS(handle);
    Random random(12);
    const Program program = random_program(random, 300, 20);
    Mixing mixing(GetParam(), program, 20);
    const auto graph = inferred(handle, program, program.costs);
    const Image image(handle, *graph);
    for (int64_t fails : {0, 17, 299})
        for (int workers : {0, 1, 2, 132}) {
            xbatchStatus_t status = run_mix(handle, *graph, image, mixing.begin(0, fails), workers);
            if (GetParam() == XBATCH_BACKEND_CUDA) {
                EXPECT_EQ(status, XBATCH_STATUS_SUCCESS);
                status = xbatchTaskGraphSynchronize(handle, *graph, image.data());
            }
            EXPECT_EQ(status, XBATCH_STATUS_EXECUTION_FAILED);
            expect_failure(handle, *graph, fails, int(100 + fails));
            EXPECT_EQ(run_mix(handle, *graph, image, mixing.begin(0), workers), XBATCH_STATUS_SUCCESS);
            expect_success(handle, *graph, image);
            expect_failure(handle, *graph, -1, 0);
            EXPECT_EQ(mixing.result(), mixing.expected());
        }
}

TEST_P(TaskBodies, TypesWithoutABodyAreRefused) {
    Handle handle(GetParam());
    XBATCH_NEEDS(handle);
    Graph graph(handle);
    const Count::Args args = {0, -1};
    graph.add(0, 1, &args, sizeof args), graph.add(3, 1, &args, sizeof args);
    graph.finalize();
    const Image image(handle, graph);
    Shared<int> counts(GetParam(), {0, 0});
    EXPECT_EQ(xbatch::run_tasks<Count>(handle, graph, image.data(), counts.data()), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(counts.get()[0], 0) << "nothing has run";
    const int types[] = {0, 1, 3};
    const std::string name = "xbatchTaskGraphPrepare: argument ";
    const auto expect_refused = [&](xbatchStatus_t status, const std::string &words) {
        EXPECT_EQ(status, XBATCH_STATUS_INVALID_VALUE);
        EXPECT_EQ(std::string(handle.message()).substr(0, words.size()), words) << "in: " << handle.message();
    };
    expect_refused(xbatchTaskGraphPrepare(handle, graph, image.data(), types, 2), name + "3, types");
    expect_refused(xbatchTaskGraphPrepare(handle, graph, image.data(), types, -1), name + "4, count");
    expect_refused(xbatchTaskGraphPrepare(handle, graph, image.data(), nullptr, 1), name + "3, types");
    EXPECT_EQ(xbatchTaskGraphPrepare(handle, graph, image.data(), types, 3), XBATCH_STATUS_SUCCESS);
}

// On the host a device copy has no bytes, and may be NULL.
TEST_P(TaskBodies, WrongArgumentsOfImages) {
    Handle handle(GetParam());
    XBATCH_NEEDS(handle);
    const bool is_device = GetParam() == XBATCH_BACKEND_CUDA;
    const auto expect_refused = [&](xbatchStatus_t status, const std::string &words) {
        EXPECT_EQ(status, XBATCH_STATUS_INVALID_VALUE);
        EXPECT_EQ(std::string(handle.message()).substr(0, words.size()), words) << "in: " << handle.message();
    };
    const std::string name = "xbatchTaskGraph";
    Graph graph(handle);
    size_t bytes = 77;
    alignas(128) char memory[256];
    const auto expect_all_refused = [&](xbatchTaskGraph_t g) {
        expect_refused(xbatchTaskGraphUpload_bufferSize(handle, g, &bytes), name + "Upload_bufferSize: argument 1");
        expect_refused(xbatchTaskGraphUpload(handle, g, memory, 1 << 20), name + "Upload: argument 1, graph");
        expect_refused(xbatchTaskGraphPrepare(handle, g, memory, nullptr, 0), name + "Prepare: argument 1, graph");
        expect_refused(xbatchTaskGraphSynchronize(handle, g, memory), name + "Synchronize: argument 1, graph");
        expect_refused(xbatchTaskGraphRunTiles(handle, g, memory), name + "RunTiles: argument 1, graph");
    };
    expect_all_refused(nullptr);
    expect_all_refused(graph);
    graph.finalize();
    EXPECT_EQ(bytes, 77u);
    expect_refused(xbatchTaskGraphUpload_bufferSize(handle, graph, nullptr),
                   name + "Upload_bufferSize: argument 2, imageBytes");
    EXPECT_EQ(xbatchTaskGraphUpload_bufferSize(handle, graph, &bytes), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(bytes > 0, is_device);
    if (!is_device) return;
    for (void *wrong : {static_cast<void *>(nullptr), static_cast<void *>(memory + 64)}) {
        expect_refused(xbatchTaskGraphUpload(handle, graph, wrong, bytes), name + "Upload: argument 2, image");
        expect_refused(xbatchTaskGraphPrepare(handle, graph, wrong, nullptr, 0), name + "Prepare: argument 2, image");
        expect_refused(xbatchTaskGraphSynchronize(handle, graph, wrong), name + "Synchronize: argument 2, image");
        expect_refused(xbatchTaskGraphRunTiles(handle, graph, wrong), name + "RunTiles: argument 2, image");
    }
    expect_refused(xbatchTaskGraphUpload(handle, graph, memory, bytes - 1), name + "Upload: argument 3, imageBytes");
}

#ifdef __CUDACC__

class TaskBodiesCuda : public testing::Test {
protected:
    TaskBodiesCuda() : handle_(XBATCH_BACKEND_CUDA) {}
    Handle handle_;
};

TEST_F(TaskBodiesCuda, RunsAgainAndAgain) {
    XBATCH_NEEDS(handle_);
    Random random(21);
    const Program program = random_program(random, 200, 30);
    Mixing mixing(XBATCH_BACKEND_CUDA, program, 30);
    const auto graph = inferred(handle_, program, program.costs);
    const Image image(handle_, *graph);
    for (int again = 0; again < 1000; ++again) {
        EXPECT_EQ(run_mix(handle_, *graph, image, mixing.begin(again % 2)), XBATCH_STATUS_SUCCESS);
        if (again % 100 != 99) continue;
        expect_success(handle_, *graph, image);
        EXPECT_EQ(mixing.result(), mixing.expected());
    }
}

TEST_F(TaskBodiesCuda, CapturedAndReplayed) {
    XBATCH_NEEDS(handle_);
    Random random(22);
    const Program program = random_program(random, 200, 30);
    Mixing mixing(XBATCH_BACKEND_CUDA, program, 30);
    const auto graph = inferred(handle_, program, program.costs);
    const Image image(handle_, *graph);
    const Mixture mixture = mixing.begin(0);
    bool is_first = true;
    capture_and_replay(
        handle_, [&] { EXPECT_EQ(run_mix(handle_, *graph, image, mixture), XBATCH_STATUS_SUCCESS); }, 20,
        [&] {
            if (!is_first) EXPECT_EQ(mixing.result(), mixing.expected());
            is_first = false;
            mixing.begin(0);
        });
    EXPECT_EQ(mixing.result(), mixing.expected());
    expect_success(handle_, *graph, image);
}

class Stream {
public:
    Stream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    operator cudaStream_t() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
};

// Two runs of one graph at once, on two streams, each with its own device copy
TEST_F(TaskBodiesCuda, TwoStreams) {
    XBATCH_NEEDS(handle_);
    Handle other(XBATCH_BACKEND_CUDA);
    const Stream first, second;
    EXPECT_EQ(xbatchSetStream(handle_, first), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(xbatchSetStream(other, second), XBATCH_STATUS_SUCCESS);
    Random random(23);
    const Program program = random_program(random, 1000, 60);
    Mixing one(XBATCH_BACKEND_CUDA, program, 60), two(XBATCH_BACKEND_CUDA, program, 60);
    const auto graph = inferred(handle_, program, program.costs);
    const Image image(handle_, *graph), another(other, *graph);
    for (int again = 0; again < 20; ++again) {
        const Mixture here = one.begin(again), there = two.begin(again + 1);
        EXPECT_EQ(run_mix(handle_, *graph, image, here), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(run_mix(other, *graph, another, there), XBATCH_STATUS_SUCCESS);
        expect_success(handle_, *graph, image);
        expect_success(other, *graph, another);
        EXPECT_EQ(one.result(), one.expected());
        EXPECT_EQ(two.result(), two.expected());
    }
}

// Occupies its multiprocessor until *go is set, or for 0.3 seconds. One thread polls, and rarely: *go is in host
// memory, and launches need the same bus.
__global__ void hog(const volatile int *go) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    if (threadIdx.x == 0) do {
            __nanosleep(100000);
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        } while (*go == 0 && now - begin < 300000000);
    __syncthreads();
}

// Blocks of 1024 threads occupy all but six places. CUDA may start the run's blocks in the free places, a few at a
// time, or when the others have ended: in either case the run ends, with the same bits.
TEST_F(TaskBodiesCuda, OnABusyDevice) {
    XBATCH_NEEDS(handle_);
    const Stream own, hogs;
    EXPECT_EQ(xbatchSetStream(handle_, own), XBATCH_STATUS_SUCCESS);
    Random random(24);
    const Program program = random_program(random, 1000, 60);
    Mixing mixing(XBATCH_BACKEND_CUDA, program, 60);
    const auto graph = inferred(handle_, program, program.costs);
    const Image image(handle_, *graph);
    int device = 0, multiprocessors = 0, threads = 0;
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), cudaSuccess);
    EXPECT_EQ(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device), cudaSuccess);
    int *go = nullptr;
    EXPECT_EQ(cudaHostAlloc(reinterpret_cast<void **>(&go), sizeof *go, cudaHostAllocMapped), cudaSuccess);
    const auto occupy = [&](int blocks) {
        hog<<<unsigned(blocks), 1024, 0, hogs>>>(go);
        EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    };
    // Both kernels are loaded first, since loading may wait for the device.
    *go = 1;
    occupy(1);
    EXPECT_EQ(run_mix(handle_, *graph, image, mixing.begin(0)), XBATCH_STATUS_SUCCESS);
    expect_success(handle_, *graph, image);
    EXPECT_EQ(cudaStreamSynchronize(hogs), cudaSuccess);
    const Mixture mixture = mixing.begin(0);
    *go = 0;
    occupy(multiprocessors * (threads / 1024) - 6);
    EXPECT_EQ(run_mix(handle_, *graph, image, mixture), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(cudaStreamSynchronize(own), cudaSuccess);
    *static_cast<volatile int *>(go) = 1;
    EXPECT_EQ(cudaStreamSynchronize(hogs), cudaSuccess);
    expect_success(handle_, *graph, image);
    EXPECT_EQ(mixing.result(), mixing.expected());
    cudaFreeHost(go);
}

TEST_F(TaskBodiesCuda, Trace) {
    XBATCH_NEEDS(handle_);
    Random random(25);
    const Program program = random_program(random, 300, 30);
    Mixing mixing(XBATCH_BACKEND_CUDA, program, 30);
    const auto graph = inferred(handle_, program, program.costs);
    EXPECT_EQ(xbatchTaskGraphSetTrace(handle_, *graph, 1), XBATCH_STATUS_SUCCESS);
    const Image image(handle_, *graph);
    const std::string path = testing::TempDir() + "/xbatch_task_trace.json";
    const auto events = [&] {
        EXPECT_EQ(xbatchTaskGraphWriteTrace(handle_, *graph, path.c_str(), nullptr, 0), XBATCH_STATUS_SUCCESS);
        std::ifstream file(path);
        int lines = 0;
        for (std::string line; std::getline(file, line);) lines += line.find("\"ph\":\"X\"") != std::string::npos;
        return lines;
    };
    for (int workers : {0, 1, 7}) {
        EXPECT_EQ(run_mix(handle_, *graph, image, mixing.begin(1), workers), XBATCH_STATUS_SUCCESS);
        expect_success(handle_, *graph, image);
        EXPECT_EQ(events(), 300);
        EXPECT_EQ(run_mix(handle_, *graph, image, mixing.begin(1, 0), workers), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(xbatchTaskGraphSynchronize(handle_, *graph, image.data()), XBATCH_STATUS_EXECUTION_FAILED);
        EXPECT_LT(events(), 300) << "what the run before left";
    }
    std::remove(path.c_str());
}

// A device copy fetched to the host, to be modified and restored
struct ImageCopy {
    std::vector<unsigned char> bytes;

    explicit ImageCopy(const Image &image) : bytes(image.bytes()) { to_host(bytes.data(), image.data(), bytes.size()); }
    xbatch::TaskImage &head() { return *reinterpret_cast<xbatch::TaskImage *>(bytes.data()); }
    xbatch::TaskRecord &record(int64_t place) { return head().at<xbatch::TaskRecord>(head().records_at())[place]; }
    // Each task of a chain has one successor
    void set_successor(int64_t k, int32_t value) {
        head().at<int32_t>(head().successors_at())[k] = value, record(k).near[0] = value;
    }
};

class WrongImageCuda : public TaskBodiesCuda {
protected:
    static constexpr int64_t tasks = 200;

    // Runs a chain of tasks from a device copy that `spoil` has modified, and returns the code of the failure.
    int code_of(const std::function<void(ImageCopy &)> &spoil, int workers) {
        Graph graph(handle_);
        for (int64_t t = 0; t < tasks; ++t) {
            const Count::Args args = {t, t - 1};
            graph.add(0, 1, &args, sizeof args);
            if (t > 0) graph.depend(t - 1, t);
        }
        graph.finalize();
        const Image image(handle_, graph);
        Shared<int> counts(XBATCH_BACKEND_CUDA, std::vector<int>(size_t(tasks), 0));
        ImageCopy copy(image);
        spoil(copy);
        to_device(image.data(), copy.bytes.data(), copy.bytes.size());
        EXPECT_EQ(xbatch::run_tasks<Count>(handle_, graph, image.data(), counts.data(), workers),
                  XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(xbatchTaskGraphSynchronize(handle_, graph, image.data()), XBATCH_STATUS_EXECUTION_FAILED);
        int code = 0;
        EXPECT_EQ(xbatchTaskGraphGetFailure(handle_, graph, nullptr, &code), XBATCH_STATUS_SUCCESS);
        return code;
    }
};

TEST_F(WrongImageCuda, EndsInAnError) {
    XBATCH_NEEDS(handle_);
    for (int workers : {0, 1, 2}) {
        for (const auto &spoil : std::vector<std::function<void(ImageCopy &)>>{
                 [](ImageCopy &image) { image.head().magic = 0; }, [](ImageCopy &image) { image.head().version = 99; },
                 [](ImageCopy &image) { --image.head().tasks; },
                 [](ImageCopy &image) { image.head().edges = 1 << 30; }})
            EXPECT_EQ(code_of(spoil, workers), XBATCH_TASK_NO_IMAGE);
        for (int type : {7, -1, INT32_MIN})
            EXPECT_EQ(code_of([&](ImageCopy &image) { image.record(50).type = type; }, workers),
                      XBATCH_TASK_UNKNOWN_TYPE);
        for (const auto &spoil : std::vector<std::function<void(ImageCopy &)>>{
                 [](ImageCopy &image) { image.record(0).waits = 1; },
                 [](ImageCopy &image) { image.record(100).waits = 2; },
                 [](ImageCopy &image) { image.record(tasks - 1).waits = INT32_MAX; },
                 [](ImageCopy &image) { image.record(70).successors = 0; },
                 [](ImageCopy &image) { image.record(70).successors = -5; },
                 [](ImageCopy &image) { image.record(70).first = INT64_MAX - 3; },
                 [](ImageCopy &image) { image.record(70).first = -1; },
                 [](ImageCopy &image) { image.set_successor(60, 3); },
                 [](ImageCopy &image) { image.set_successor(60, tasks); },
                 [](ImageCopy &image) { image.set_successor(60, -7); }})
            EXPECT_EQ(code_of(spoil, workers), XBATCH_TASK_NEVER_READY);
    }
}

// Tickets in closed form: task (i, j) of a triangle waits for (i, j-1) and (i-1, j), by the versions of its rows.
struct Triangle {
    struct Task {
        int i, j;
    };
    int *done;    // [n] number of finished columns of each row
    int *values;  // [n * n], the sum of the two previous values
    int n;

    __device__ void decode(int64_t ticket, Task &task) const {
        int diagonal = 0;
        for (; ticket > diagonal; ++diagonal) ticket -= diagonal + 1;
        task = {int(ticket), diagonal - int(ticket)};
    }
    __device__ bool ready(const xbatch::TaskContext &, const Task &t) const {
        return (t.j == 0 || xbatch::load_acquire(done + t.i) >= t.j) &&
               (t.i == 0 || xbatch::load_acquire(done + t.i - 1) > t.j);
    }
    __device__ void run(const xbatch::TaskContext &context, const Task &t) const {
        const int left = t.j > 0 ? values[t.i * n + t.j - 1] : 1, above = t.i > 0 ? values[(t.i - 1) * n + t.j] : 1;
        if (context.rank() == context.size() - 1) values[t.i * n + t.j] = (left + above) % 1000003;
        if (context.rank() == 3 && t.i == n) context.fail(1);
    }
    __device__ void finish(const xbatch::TaskContext &context, const Task &t) const {
        if (context.rank() == 0) xbatch::store_release(done + t.i, t.j + 1);
    }
};

__global__ void triangle_kernel(xbatch::TicketState *state, int64_t count, Triangle tasks) {
    xbatch::run_tickets(state, count, tasks, nullptr, 0);
}

TEST_F(TaskBodiesCuda, TicketsByAFormula) {
    XBATCH_NEEDS(handle_);
    constexpr int n = 150;
    std::vector<int> expected(n * n, 0);
    for (int i = 0; i < n; ++i)
        for (int j = 0; i + j < n; ++j)
            expected[size_t(i * n + j)] =
                ((j > 0 ? expected[size_t(i * n + j - 1)] : 1) + (i > 0 ? expected[size_t(i * n + j - n)] : 1)) %
                1000003;
    for (int workers : {1, 2, 132, 500}) {
        const Shared<int> values(XBATCH_BACKEND_CUDA, std::vector<int>(n * n, 0));
        const Shared<int> done(XBATCH_BACKEND_CUDA, std::vector<int>(n, 0));
        const Shared<xbatch::TicketState> state(XBATCH_BACKEND_CUDA, std::vector<xbatch::TicketState>(1));
        triangle_kernel<<<unsigned(workers), 96>>>(state.data(), n * (n + 1) / 2, {done.data(), values.data(), n});
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(values.get(), expected) << workers << " workers";
        EXPECT_EQ(state.get()[0].failure, 0u);
    }
}

#endif

}  // namespace
}  // namespace xbatch_test
