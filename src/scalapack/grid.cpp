// grid.cpp: finds the functions of ScaLAPACK and BLACS at run time; makes a communicator for each grid.
// SPDX-License-Identifier: BSD-3-Clause
#include "grid.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <list>
#include <mutex>

namespace xbatch::scalapack {
namespace {

std::mutex mutex;
std::list<Grid> grids;  // in the order of their first calls

// A function of the libraries that follow in load order, or of the file that XBATCH_SCALAPACK_FALLBACK names: a program
// that opens ScaLAPACK itself may hide its names.
void *find_behind(const char *name) {
    if (void *const found = dlsym(RTLD_NEXT, name)) return found;
    const char *const file = std::getenv("XBATCH_SCALAPACK_FALLBACK");
    void *const library = file ? dlopen(file, RTLD_LAZY | RTLD_LOCAL) : nullptr;
    return library ? dlsym(library, name) : nullptr;
}

template <class... Args>
bool call_blacs(const char *name, Args... args) {
    void *const found = find_behind(name);
    const auto function = reinterpret_cast<void (*)(Args...)>(found ? found : dlsym(RTLD_DEFAULT, name));
    if (function) function(args...);
    return function;
}

// BLACS' communicator for a context, and this process' place in it
bool find(int context, Grid &grid) {
    int rows = 0, columns = 0, row = -1, column = -1, communicator = 0;
    const int of_grid = 10;
    if (!call_blacs("blacs_gridinfo_", &context, &rows, &columns, &row, &column) || row < 0) return false;
    if (rows != 1 && columns != 1) return false;
    if (!call_blacs("blacs_get_", &context, &of_grid, &communicator)) return false;
    if (MPI_Comm_dup(MPI_Comm_f2c(communicator), &grid.comm) != MPI_SUCCESS) return false;
    MPI_Comm_rank(grid.comm, &grid.rank), MPI_Comm_size(grid.comm, &grid.size);
    int is_ordered = grid.rank == row + column && grid.size == rows * columns;
    MPI_Allreduce(MPI_IN_PLACE, &is_ordered, 1, MPI_INT, MPI_MIN, grid.comm);
    if (!is_ordered) MPI_Comm_free(&grid.comm);
    return is_ordered;
}

bool destroy(Grid &grid) {
    xbatchCommDestroy(grid.ranks), xbatchDestroy(grid.handle);
    return MPI_Comm_free(&grid.comm) == MPI_SUCCESS;
}

std::atomic<Symbol *> counted{nullptr};

}  // namespace

void Grid::fail(const char *routine) const {
    std::fprintf(stderr, "xbatch_scalapack: %s: %s\n", routine, xbatchGetLastErrorMessage(handle));
    MPI_Abort(comm, 1);
    std::abort();
}

const Grid *grid_of(int context) {
    const std::lock_guard<std::mutex> lock(mutex);
    for (const Grid &known : grids)
        if (known.context == context) return &known;
    Grid grid{};
    grid.context = context;
    if (!find(context, grid)) return nullptr;
    if (xbatchCreate(&grid.handle, XBATCH_BACKEND_HOST) != XBATCH_STATUS_SUCCESS ||
        xbatchCommCreate(grid.handle, "mpi", &grid.comm, &grid.ranks) != XBATCH_STATUS_SUCCESS)
        grid.fail("a communicator");
    return &grids.emplace_back(grid);
}

void forget(int context) {
    const std::lock_guard<std::mutex> lock(mutex);
    grids.remove_if([&](Grid &grid) { return grid.context == context && destroy(grid); });
}

void forget_all() {
    const std::lock_guard<std::mutex> lock(mutex);
    grids.remove_if(destroy);
}

void *Symbol::real() {
    if (void *const found = find_behind(name_)) return found;
    std::fprintf(stderr,
                 "xbatch_scalapack: no %s but this library's own; XBATCH_SCALAPACK_FALLBACK may name a ScaLAPACK\n",
                 name_);
    std::abort();
}

void Symbol::count() {
    handled_.fetch_add(1, std::memory_order_relaxed);
    if (is_listed_.exchange(true)) return;
    next_ = counted.load();
    while (!counted.compare_exchange_weak(next_, this)) {
    }
}

// Prints the counts at exit if the environment variable XBATCH_SCALAPACK_COUNTS is set.
struct Report {
    static void write() {
        if (!std::getenv("XBATCH_SCALAPACK_COUNTS")) return;
        for (const Symbol *symbol = counted.load(); symbol; symbol = symbol->next_)
            std::fprintf(stderr, "xbatch_scalapack: %s handled %lld\n", symbol->name_,
                         (long long)symbol->handled_.load());
    }
};
__attribute__((destructor)) static void report_counts() { Report::write(); }

}  // namespace xbatch::scalapack
