// grid.hpp: a one-dimensional grid of processes of ScaLAPACK: its communicator, its blocks of rows, and who computes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>
#include <xbatch/distributed.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace xbatch::scalapack {

// What a process has of a context of BLACS
struct Grid {
    int context;
    MPI_Comm comm;
    int rank, size;
    xbatchHandle_t handle;
    xbatchComm_t ranks;

    [[noreturn]] void fail(const char *routine) const;
};
// The grid of a context, 1 x P or P x 1; NULL for any other one. The first call for a context is collective.
const Grid *grid_of(int context);
// A context ends, or all of them do; collective.
void forget(int context);
void forget_all();

// A descriptor of a one-dimensional array, types 501 and 502
struct Descriptor {
    int type, context, size, block, source, ld;

    explicit Descriptor(const int *d) : type(d[0]), context(d[1]), size(d[2]), block(d[3]), source(d[4]), ld(d[5]) {}
    bool is_vector() const { return type == 501 || type == 502; }
    bool is_matrix() const { return type == 502; }
};

// The rows 0 … n-1 in blocks, one for each process; this one's begin at `first`.
struct Rows {
    const Grid *grid = nullptr;
    int n = 0, block = 1;

    int cut(int rank) const { return int(std::min<int64_t>(int64_t(rank) * block, n)); }
    int first() const { return cut(grid->rank); }
    int count() const { return cut(grid->rank + 1) - first(); }
};

// An exported name: the real routine, and how many calls each library has computed
class Symbol {
public:
    explicit constexpr Symbol(const char *name) : name_(name) {}
    const char *name() const { return name_; }
    void count();

    template <class... Args>
    void forward(Args... args) {
        reinterpret_cast<void (*)(Args...)>(real())(args...);
    }

private:
    friend struct Report;
    void *real();

    const char *name_;
    std::atomic<int64_t> handled_{0};
    std::atomic<bool> is_listed_{false};
    Symbol *next_ = nullptr;
};

}  // namespace xbatch::scalapack
