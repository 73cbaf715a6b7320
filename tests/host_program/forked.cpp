// forked.cpp: a child of fork() can use the library, whatever its parent did before, and so can its children: every
// call ends, with the bits of one thread. A child of a process that never had threads can use threads.
//
// forked HISTORY: none, call, openmp, other, graph, or qr.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <thread>

#include "processes.hpp"

using namespace host_program;

namespace {

constexpr unsigned seconds = 60;  // time limit of a child, also for busy cores and memory checkers

int openmp_of_the_program() {
    int sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
    for (int k = 0; k < 1000; ++k) sum += k;
    return sum;
}

// The parent's actions before it forks
void do_before(const std::string &history) {
    if (history == "call") everything_on(4);
    if (history == "openmp") expect(openmp_of_the_program() == 499500, "the program's own threads");
    if (history == "other") std::thread([] { everything_on(4); }).join();
    if (history == "graph") tasks(Handle(4));
    if (history == "qr") tiled_qr(Handle(4));
}

}  // namespace

int main(int argc, char **argv) {
    const std::string history = argc > 1 ? argv[1] : "none";
    const Bits expected = everything_on(1);
    expect(count_threads() == 1, "one thread starts no other");
    do_before(history);
    const Handle inherited(4);
    const auto use = [&] {
        expect(everything(inherited) == expected, "the bits with a handle of the parent");
        expect(everything_on(3) == expected, "the bits with a handle of the child");
        expect(everything_on(16) == expected, "the bits with more threads");
    };
    expect_in_child("a child", 3 * seconds, [&] {
        use();
        if (history == "none") expect(count_threads() > 1, "the child has threads");
        expect_in_child("a child of the child", seconds, use);
        expect_in_child("another child of the child", seconds, use);
    });
    use();
    expect_in_child("a later child", seconds, use);
    return 0;
}
