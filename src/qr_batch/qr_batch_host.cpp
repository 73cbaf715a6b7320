// qr_batch_host.cpp: batched QR on the host: small matrices a vector of them at a time, larger ones each by blocks of
// reflectors; threads over the batch.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_batch.hpp"

#include <omp.h>

#include "core/workspace.hpp"
#include "lanes_host.hpp"
#include "whole_host.hpp"

namespace xbatch {
namespace {

constexpr int64_t most_tile_bytes = 512 * 1024;  // what a core's second cache holds besides much else

// Elements of a matrix, and columns beside it, that a tile of neighbours keeps at once
template <class T>
bool fits_tile(int64_t rows, int64_t columns) {
    return rows * columns <= most_tile_bytes / (tile_lanes<T> * int64_t(sizeof(T)));
}

// Where T lies of systems j … j+count-1 in memory, and a stage between it and the tile's parts
template <class T>
class TilePort {
public:
    static constexpr int L = tile_lanes<T>;

    TilePort(const MatrixPlacement &at, int64_t j, int64_t batch, T *stage)
        : count_(int(std::min<int64_t>(L, batch - j))), column_(at.column), stage_(stage) {
        lanes_.count = count_, lanes_.step = at.row;
        for (int l = 0; l < count_; ++l) base_[l] = at.base(j + l);
    }
    // Columns first … first+columns-1 of memory, to those from `to` on; lanes without a matrix get that of the first.
    void load(const T *data, int64_t first, int64_t columns, bool conjugates, const LaneTile<T> &t, int64_t to) {
        for (int64_t c = 0; c < columns; ++c) {
            place(first + c);
            gather(data, lanes_, 0, t.rows, 0, Rows<T>{stage_, L});
            Real<T> *x = t.element(0, to + c);
            for (int64_t i = 0; i < t.rows; ++i, x += tile_reals<T>) {
                const T *from = stage_ + i * L;
                for (int l = 0; l < L; ++l) put(x, l, from[l < count_ ? l : 0], conjugates);
            }
        }
    }
    void store(const LaneTile<T> &t, int64_t from, int64_t columns, bool conjugates, T *data, int64_t first) {
        for (int64_t c = 0; c < columns; ++c) {
            const Real<T> *x = t.element(0, from + c);
            for (int64_t i = 0; i < t.rows; ++i, x += tile_reals<T>)
                for (int l = 0; l < L; ++l) stage_[i * L + l] = get(x, l, conjugates);
            place(first + c);
            scatter(Rows<const T>{stage_, L}, data, lanes_, 0, t.rows);
        }
    }

private:
    void place(int64_t column) {
        for (int l = 0; l < count_; ++l) lanes_.at[l] = base_[l] + column * column_;
    }
    static void put(Real<T> *x, int l, T value, bool conjugates) {
        if constexpr (parts_of<T> == 2)
            x[l] = value.re, x[L + l] = conjugates ? -value.im : value.im;
        else
            x[l] = value;
    }
    static T get(const Real<T> *x, int l, bool conjugates) {
        if constexpr (parts_of<T> == 2)
            return T(x[l], conjugates ? -x[L + l] : x[L + l]);
        else
            return x[l];
    }

    int count_;
    int64_t column_, base_[L];
    T *stage_;
    Lanes<T> lanes_;
};

// tau as a matrix of one column
MatrixPlacement tau_column(const Placement &tau) { return {tau.layout, tau.step, 0, tau.ld, tau.n * tau.ld}; }

void tell(int32_t *info, int64_t j, int64_t batch, const int32_t *bad, int lanes) {
    if (info)
        for (int64_t l = 0; l < std::min<int64_t>(lanes, batch - j); ++l) info[j + l] = bad[l];
}

template <class T>
void factor_tile(const GeqrfBatch &p, int64_t j, Real<T> *reals, T *stage) {
    const int64_t k = std::min(p.m, p.n);
    const LaneTile<T> t{reals, p.m}, tau{reals + p.m * p.n * tile_reals<T>, k};
    int32_t bad[tile_lanes<T>];
    TilePort<T> port(p.a_at, j, p.batch, stage);
    port.load(static_cast<const T *>(p.a), 0, p.n, false, t, 0);
    factor_lanes(t, k, p.n, tau.at, bad);
    port.store(t, 0, p.n, false, static_cast<T *>(p.a), 0);
    TilePort<T>(tau_column(p.tau_at), j, p.batch, stage).store(tau, 0, 1, false, static_cast<T *>(p.tau), 0);
    tell(p.info, j, p.batch, bad, tile_lanes<T>);
}

template <class T>
void apply_tile(const UnmqrBatch &p, int64_t j, Real<T> *reals, T *stage) {
    const LaneTile<T> v{reals, p.rows}, c{v.element(0, p.k), p.rows}, tau{c.element(0, together), p.k};
    TilePort<T>(p.v_at, j, p.batch, stage).load(static_cast<const T *>(p.v), 0, p.k, false, v, 0);
    TilePort<T>(tau_column(p.tau_at), j, p.batch, stage).load(static_cast<const T *>(p.tau), 0, 1, false, tau, 0);
    TilePort<T> port(p.c_at, j, p.batch, stage);
    for (int64_t first = 0; first < p.columns; first += together) {
        const int64_t count = std::min(together, p.columns - first);
        if (p.forms_q) {
            std::fill_n(c.at, p.rows * count * tile_reals<T>, Real<T>(0));
            for (int64_t i = 0; i < count; ++i) std::fill_n(c.element(first + i, i), tile_lanes<T>, Real<T>(1));
        } else {
            port.load(static_cast<const T *>(p.c), first, count, p.is_turned, c, 0);
        }
        apply_lanes(v, p.k, tau.at, p.is_adjoint, c, 0, count);
        port.store(c, 0, count, p.is_turned, static_cast<T *>(p.c), first);
    }
}

template <class T>
void solve_tile(const GelsBatch &p, int64_t j, Real<T> *reals, T *stage) {
    const int64_t k = p.columns, all = k + p.nrhs;
    const LaneTile<T> t{reals, p.rows};
    Real<T> *tau = t.element(0, all);
    int32_t bad[tile_lanes<T>];
    TilePort<T> b(p.b_at, j, p.batch, stage);
    TilePort<T>(p.g_at, j, p.batch, stage).load(static_cast<const T *>(p.a), 0, k, p.is_turned, t, 0);
    b.load(static_cast<const T *>(p.b), 0, p.nrhs, false, t, k);
    factor_lanes(t, k, p.is_least_norm ? k : all, tau, bad);
    find_zeros(t, k, bad);
    for (int64_t c = k; c < all; ++c) {
        solve_lanes(t, k, p.is_least_norm, c);
        if (p.is_least_norm) std::fill_n(t.element(k, c), (p.rows - k) * tile_reals<T>, Real<T>(0));
    }
    if (p.is_least_norm) apply_lanes(t, k, tau, false, t, k, all);
    b.store(t, k, p.nrhs, false, static_cast<T *>(p.b), 0);
    tell(p.info, j, p.batch, bad, tile_lanes<T>);
}

// What each thread has for a batch: a tile, or a matrix of its own, with all that is beside it.
template <class T>
struct HostPlan {
    int64_t jobs;           // tiles, or matrices
    int64_t threads, each;  // bytes of a thread
    char *memory;
    bool by_tiles;
    int64_t rows, columns, others, k;  // others: columns beside the matrix

    HostPlan(const Context &context, void *workspace, int64_t batch, int64_t matrix_rows, int64_t matrix_columns,
             int64_t beside, int64_t reflectors)
        : by_tiles(fits_tile<T>(matrix_rows, matrix_columns + beside)),
          rows(matrix_rows),
          columns(matrix_columns),
          others(beside),
          k(reflectors) {
        jobs = by_tiles ? (batch + tile_lanes<T> - 1) / tile_lanes<T> : batch;
        threads = std::min<int64_t>(thread_count(context), jobs);
        Carver thread(nullptr);
        carve(thread);
        each = int64_t(thread.bytes() + 63) / 64 * 64;
        Carver carver(workspace);
        memory = carver.take<char>(each * threads);
    }
    size_t bytes() const { return size_t(each * threads); }
    Real<T> *reals(int64_t thread) const { return reinterpret_cast<Real<T> *>(memory + thread * each); }
    T *stage(int64_t thread) const {
        return reinterpret_cast<T *>(reals(thread) + (rows * (columns + others) + k) * tile_reals<T>);
    }
    WholeMatrix<T> whole(int64_t thread) const {
        Carver carver(memory + thread * each);
        return WholeMatrix<T>(carver, rows, columns, others, k);
    }

private:
    void carve(Carver &carver) const {
        if (by_tiles)
            carver.take<T>((rows * (columns + others + 1) + k) * tile_lanes<T>);  // a column of it is the stage
        else
            WholeMatrix<T>(carver, rows, columns, others, k);
    }
};

// A problem, tile by tile or matrix by matrix
template <class T, class Problem>
void run(const HostPlan<T> &plan, const Problem &p, void (*tile)(const Problem &, int64_t, Real<T> *, T *),
         void (*whole)(const Problem &, int64_t, const WholeMatrix<T> &)) {
    const bool is_long = plan.rows * (plan.columns + plan.others) * p.batch >= serial_elements;
#pragma omp parallel for schedule(dynamic) num_threads(int(plan.threads)) if (plan.threads > 1 && is_long)
    for (int64_t job = 0; job < plan.jobs; ++job) {
        const int64_t thread = omp_get_thread_num();
        if (plan.by_tiles)
            tile(p, job * tile_lanes<T>, plan.reals(thread), plan.stage(thread));
        else
            whole(p, job, plan.whole(thread));
    }
}

template <class T>
HostPlan<T> plan_for(const Context &context, const GeqrfBatch &p, void *workspace) {
    return {context, workspace, p.batch, p.m, p.n, 0, std::min(p.m, p.n)};
}
template <class T>
HostPlan<T> plan_for(const Context &context, const UnmqrBatch &p, void *workspace) {
    const bool small = fits_tile<T>(p.rows, p.k + together);
    return {context, workspace, p.batch, p.rows, p.k, small ? together : std::max(together, p.columns), p.k};
}
template <class T>
HostPlan<T> plan_for(const Context &context, const GelsBatch &p, void *workspace) {
    return {context, workspace, p.batch, p.rows, p.columns, p.nrhs, p.columns};
}

}  // namespace

template <class T>
xbatchStatus_t geqrf_batch_host(Context &context, const GeqrfBatch &p, void *workspace) {
    run<T>(plan_for<T>(context, p, workspace), p, factor_tile<T>, factor_whole<T>);
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t geqrf_batch_host_workspace(const Context &context, const GeqrfBatch &p) {
    return plan_for<T>(context, p, nullptr).bytes();
}

template <class T>
xbatchStatus_t unmqr_batch_host(Context &context, const UnmqrBatch &p, void *workspace) {
    run<T>(plan_for<T>(context, p, workspace), p, apply_tile<T>, apply_whole<T>);
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t unmqr_batch_host_workspace(const Context &context, const UnmqrBatch &p) {
    return plan_for<T>(context, p, nullptr).bytes();
}

template <class T>
xbatchStatus_t gels_batch_host(Context &context, const GelsBatch &p, void *workspace) {
    run<T>(plan_for<T>(context, p, workspace), p, solve_tile<T>, solve_whole<T>);
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t gels_batch_host_workspace(const Context &context, const GelsBatch &p) {
    return plan_for<T>(context, p, nullptr).bytes();
}

#define XBATCH_INSTANTIATE(T)                                                           \
    template xbatchStatus_t geqrf_batch_host<T>(Context &, const GeqrfBatch &, void *); \
    template size_t geqrf_batch_host_workspace<T>(const Context &, const GeqrfBatch &); \
    template xbatchStatus_t unmqr_batch_host<T>(Context &, const UnmqrBatch &, void *); \
    template size_t unmqr_batch_host_workspace<T>(const Context &, const UnmqrBatch &); \
    template xbatchStatus_t gels_batch_host<T>(Context &, const GelsBatch &, void *);   \
    template size_t gels_batch_host_workspace<T>(const Context &, const GelsBatch &);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)
#undef XBATCH_INSTANTIATE

}  // namespace xbatch
