// run.cpp: one run of a final graph on the host, and the format of its trace file.
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdio>
#include <string>

#include "task_graph.hpp"
#include "tickets.hpp"

namespace xbatch::task_graph {
namespace {

using Clock = std::chrono::steady_clock;

int64_t since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

// As the content of a JSON string
std::string quoted(const char *text) {
    std::string result = "\"";
    for (; *text; ++text) {
        const unsigned char c = static_cast<unsigned char>(*text);
        char escaped[8];
        if (c < 0x20)
            std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
        else
            std::snprintf(escaped, sizeof escaped, c == '"' || c == '\\' ? "\\%c" : "%c", c);
        result += escaped;
    }
    return result + "\"";
}

}  // namespace

void run_task_graph(TaskGraph &graph, const HostBodies &bodies, int threads) {
    const TaskOrder &order = *graph.order;
    const int64_t count = int64_t(order.task.size());
    for (int64_t k = 0; k < count; ++k) graph.waiting[k].store(order.waits[size_t(k)], std::memory_order_relaxed);
    if (graph.trace) graph.trace->assign(size_t(count), {-1, -1, 0});
    graph.was_traced = graph.trace != nullptr;
    const Clock::time_point start = Clock::now();
    const auto ready = [&](int64_t place) { return graph.waiting[place].load(std::memory_order_acquire) == 0; };
    const auto run = [&](int64_t place, int worker) {
        const Task &task = graph.tasks[size_t(order.task[size_t(place)])];
        const int64_t begin = graph.trace ? since(start) : 0;
        const int code = bodies.bodies[task.type - bodies.first_type](task.args, bodies.user, worker);
        if (graph.trace) (*graph.trace)[size_t(order.task[size_t(place)])] = {begin, since(start), worker};
        if (code != 0) return code;
        for (int64_t k = order.first[size_t(place)]; k < order.first[size_t(place) + 1]; ++k)
            graph.waiting[order.successors[size_t(k)]].fetch_sub(1, std::memory_order_release);
        return 0;
    };
    const TicketFailure failure = run_tickets(threads, count, ready, run);
    graph.failed_task = failure.code == 0 ? -1 : order.task[size_t(failure.ticket)];
    graph.failure_code = failure.code;
}

bool write_trace(const TaskGraph &graph, const char *path, const char *const *names, int types) {
    std::FILE *file = std::fopen(path, "w");
    if (!file) return false;
    std::fprintf(file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    const char *separator = "\n";
    for (size_t t = 0; t < graph.trace->size(); ++t) {
        const TaskTrace &trace = (*graph.trace)[t];
        if (trace.begin < 0) continue;
        const int type = graph.tasks[t].type;
        const bool is_named = names && type < types && names[type];
        const std::string name = quoted(is_named ? names[type] : type_name(type).c_str());
        std::fprintf(file,
                     "%s{\"name\":%s,\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"pid\":0,\"tid\":%d,"
                     "\"args\":{\"task\":%zu}}",
                     separator, name.c_str(), double(trace.begin) / 1e3, double(trace.end - trace.begin) / 1e3,
                     trace.worker, t);
        separator = ",\n";
    }
    std::fprintf(file, "\n]}\n");
    const bool is_written = !std::ferror(file);
    return std::fclose(file) == 0 && is_written;
}

}  // namespace xbatch::task_graph
