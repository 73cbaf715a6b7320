// tickets.hpp: how threads share work whose parts depend on each other: tickets, in an order in which each part comes
// after those it depends on.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace xbatch::task_graph {

struct TicketFailure {
    int64_t ticket;  // the first failed one, or the number of tickets
    int code;        // what its run returned; 0 if none failed
};

// Spin-wait hint: to the processor first, then to the operating system.
class Patience {
public:
    void wait() {
        ++waits_;
        if (waits_ < spins) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        } else if (waits_ < yields) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
    }

private:
    static constexpr int spins = 200, yields = 2000;
    int waits_ = 0;
};

// Each thread takes the next ticket, waits until it is ready and runs it. The smallest unfinished ticket depends on
// finished ones only, and a thread has taken it: so a run always ends, on any number of threads. After a failure no
// later ticket begins, but earlier ones continue: so the reported failure is the first in the order.
//
// ready(ticket) -> bool must acquire what run(ticket, worker) -> int, 0 or an error code, has released at its end.
template <class Ready, class Run>
class Tickets {
public:
    Tickets(int64_t count, const Ready &ready, const Run &run)
        : count_(count), ready_(ready), run_(run), limit_(count) {}

    TicketFailure on(int threads) {
        std::vector<std::thread> team;
        const int64_t size = threads < count_ ? threads : count_;
        team.reserve(size_t(size));
        try {
            for (int worker = 1; worker < size; ++worker) team.emplace_back([this, worker] { work(worker); });
        } catch (const std::exception &) {  // no thread, or no memory for one: continue with fewer
        }
        work(0);
        for (std::thread &member : team) member.join();
        return {limit_.load(std::memory_order_relaxed), code_};
    }

private:
    void work(int worker) {
        for (;;) {
            const int64_t ticket = next_.fetch_add(1, std::memory_order_relaxed);
            if (ticket >= count_ || !await(ticket)) return;
            const int code = run_(ticket, worker);
            if (code != 0) fail(ticket, code);
        }
    }
    bool await(int64_t ticket) const {
        Patience patience;
        for (;;) {
            if (limit_.load(std::memory_order_relaxed) < ticket) return false;
            if (ready_(ticket)) return true;
            patience.wait();
        }
    }
    void fail(int64_t ticket, int code) {
        const std::lock_guard<std::mutex> lock(failing_);
        if (ticket >= limit_.load(std::memory_order_relaxed)) return;
        limit_.store(ticket, std::memory_order_relaxed);
        code_ = code;
    }

    const int64_t count_;
    const Ready &ready_;
    const Run &run_;
    alignas(64) std::atomic<int64_t> next_{0};
    alignas(64) std::atomic<int64_t> limit_;  // tickets after it do not begin
    std::mutex failing_;
    int code_ = 0;
};

template <class Ready, class Run>
TicketFailure run_tickets(int threads, int64_t count, const Ready &ready, const Run &run) {
    return Tickets<Ready, Run>(count, ready, run).on(threads);
}

}  // namespace xbatch::task_graph
