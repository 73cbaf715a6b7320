// task_bodies.cuh: bodies of tasks for host and GPU alike, one text; and graphs that are run by them on a backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "array.hpp"
#include "task_graph.hpp"
#include "xbatch/task_graph.cuh"

namespace xbatch_test {

// Memory where a backend's tasks can reach it
template <class T>
class Shared {
public:
    Shared(xbatchBackend_t backend, const std::vector<T> &values) : backend_(backend), size_(values.size()) {
        const size_t bytes = size_ * sizeof(T) + 1;
        data_ = static_cast<T *>(is_device() ? device_allocate(bytes) : std::malloc(bytes));
        set(values);
    }
    ~Shared() { is_device() ? device_free(data_) : std::free(data_); }
    Shared(const Shared &) = delete;
    Shared &operator=(const Shared &) = delete;

    T *data() const { return data_; }
    void set(const std::vector<T> &values) {
        if (values.empty()) return;
        if (is_device())
            to_device(data_, values.data(), size_ * sizeof(T));
        else
            std::memcpy(static_cast<void *>(data_), values.data(), size_ * sizeof(T));
    }
    std::vector<T> get() const {
        std::vector<T> values(size_);
        if (is_device())
            to_host(values.data(), data_, size_ * sizeof(T));
        else if (size_ > 0)
            std::memcpy(static_cast<void *>(values.data()), data_, size_ * sizeof(T));
        return values;
    }

private:
    bool is_device() const { return backend_ == XBATCH_BACKEND_CUDA; }

    xbatchBackend_t backend_;
    size_t size_;
    T *data_;
};

// The image of a graph on a backend
class Image {
public:
    Image(xbatchHandle_t handle, const Graph &graph) : handle_(handle), graph_(graph) {
        xbatchBackend_t backend;
        EXPECT_EQ(xbatchGetBackend(handle, &backend), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(xbatchTaskGraphUpload_bufferSize(handle, graph, &bytes_), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(bytes_ > 0, backend == XBATCH_BACKEND_CUDA);
        if (bytes_ > 0) data_ = device_allocate(bytes_);
        upload();
    }
    ~Image() {
        if (data_) device_free(data_);
    }
    Image(const Image &) = delete;
    Image &operator=(const Image &) = delete;

    void *data() const { return data_; }
    size_t bytes() const { return bytes_; }
    void upload() {
        EXPECT_EQ(xbatchTaskGraphUpload(handle_, graph_, data_, bytes_), XBATCH_STATUS_SUCCESS) << graph_.message();
    }

private:
    xbatchHandle_t handle_;
    const Graph &graph_;
    void *data_ = nullptr;
    size_t bytes_ = 0;
};

// A program's tasks on data that all threads of a task share: what a thread reads another thread has written, of this
// task or of one before.
struct Mixture {
    static constexpr int lanes = 64;  // numbers that each resource is

    uint64_t *data;    // [resources * lanes]
    const int *first;  // [tasks + 1] into uses
    const Use *uses;   // of each task
    int delays;        // some tasks take long where it is not 0
    int64_t fails;     // the task that fails, or -1
};

XBATCH_TASK_HD inline uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

template <int Type, int Threads = 64>
struct Mix {
    static constexpr int type = Type;
    static constexpr int threads = Threads;
    static constexpr size_t scratch = Mixture::lanes * sizeof(uint64_t);
    using Args = int64_t;

    XBATCH_TASK_HD void operator()(const xbatch::TaskContext &context, const int64_t &t, const Mixture &m) const {
        uint64_t *sums = static_cast<uint64_t *>(context.scratch());
        for (int lane = context.rank(); lane < Mixture::lanes; lane += context.size()) {
            sums[lane] = uint64_t(t) + uint64_t(lane);
            for (int k = m.first[t]; k < m.first[t + 1]; ++k)
                sums[lane] = mixed(sums[lane] + m.data[m.uses[k].resource * Mixture::lanes + lane]);
        }
        wait(context, t, m.delays);
        context.sync();
        for (int k = m.first[t]; k < m.first[t + 1]; ++k)
            for (int lane = context.rank(); m.uses[k].writes && lane < Mixture::lanes; lane += context.size())
                m.data[m.uses[k].resource * Mixture::lanes + lane] =
                    mixed(sums[(lane + 17) % Mixture::lanes] + uint64_t(m.uses[k].resource));
        if (t == m.fails && context.rank() == context.size() - 1) context.fail(int(100 + t));
    }

private:
    XBATCH_TASK_HD static void wait(const xbatch::TaskContext &context, int64_t t, int delays) {
        (void)context, (void)t, (void)delays;
#ifdef __CUDA_ARCH__
        if (delays != 0 && context.rank() == 0) __nanosleep(unsigned(mixed(uint64_t(t + delays)) % 4 * 4000));
#endif
    }
};

// A program with the data that its tasks mix, and what becomes of them in program order
class Mixing {
public:
    Mixing(xbatchBackend_t backend, const Program &program, int64_t resources)
        : initial_(size_t(resources * Mixture::lanes), 1),
          data_(backend, initial_),
          first_(backend, firsts(program)),
          uses_(backend, all_uses(program)) {
        std::vector<uint64_t> data = initial_;
        const std::vector<int> first = firsts(program);
        const std::vector<Use> uses = all_uses(program);
        unsigned code = 0;
        uint64_t scratch[Mixture::lanes];
        const xbatch::TaskContext context(scratch, sizeof scratch, 0, &code);
        for (int64_t t = 0; t < program.size(); ++t)
            Mix<0>()(context, t, {data.data(), first.data(), uses.data(), 0, -1});
        expected_ = data;
    }
    Mixture begin(int delays, int64_t fails = -1) {
        data_.set(initial_);
        return {data_.data(), first_.data(), uses_.data(), delays, fails};
    }
    std::vector<uint64_t> result() const { return data_.get(); }
    const std::vector<uint64_t> &expected() const { return expected_; }

private:
    static std::vector<int> firsts(const Program &program) {
        std::vector<int> first{0};
        for (const auto &uses : program.uses) first.push_back(first.back() + int(uses.size()));
        return first;
    }
    static std::vector<Use> all_uses(const Program &program) {
        std::vector<Use> all;
        for (const auto &uses : program.uses) all.insert(all.end(), uses.begin(), uses.end());
        return all;
    }

    std::vector<uint64_t> initial_, expected_;
    Shared<uint64_t> data_;
    Shared<int> first_;
    Shared<Use> uses_;
};

}  // namespace xbatch_test
