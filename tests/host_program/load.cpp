// load.cpp: a child of fork() loads the library, after its parent has used the OpenMP runtime.
//
// load LIBRARY child
//
// SPDX-License-Identifier: BSD-3-Clause
#include "loading.hpp"
#include "processes.hpp"

using namespace host_program;

int main(int, char **argv) {
    int sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
    for (int k = 0; k < 1000; ++k) sum += k;
    expect(sum == 499500, "the program's own threads");
    expect_in_child("a child that loads the library", 60, [&] { use(argv[1], 4); });
    return 0;
}
