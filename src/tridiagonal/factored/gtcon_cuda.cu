// gtcon_cuda.cu: condition estimates on CUDA: solves with all matrices alternate with steps of the estimator.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/launch.cuh"
#include "gtcon_kernels.cuh"
#include "stored_matrices.hpp"

namespace xbatch::tridiagonal {
namespace {

int floor_log2(int64_t x) {
    int log = 0;
    while (x >>= 1) ++log;
    return log;
}

template <class T>
ConditionVectors<T> carve_vectors(Carver &carver, const GtconProblem &p) {
    constexpr int64_t least_rows = 1 << 12, enough_blocks = 1 << 10, most_pieces = 256;
    const StoredMatrices<T> stored(p.layout, p.n, p.batch, const_cast<void *>(p.factors));  // read only
    const bool flat = stored.at.layout == XBATCH_LAYOUT_FLAT;
    ConditionVectors<T> v{};
    v.at = stored.at, v.n = p.n, v.batch = p.batch;
    // FLAT: at least two rows per thread; otherwise a memory line of systems
    v.systems_log = flat ? std::max(0, v.threads_log - floor_log2(p.n)) : std::min(5, floor_log2(p.batch));
    const int64_t groups = ((p.batch - 1) >> v.systems_log) + 1;
    v.pieces = std::max<int64_t>(1, std::min({p.n / least_rows, enough_blocks / groups, most_pieces}));
    v.x = carver.take<T>(stored.elements);
    v.estimates = carver.take<Estimate<Real<T>>>(p.batch);
    v.sizes = carver.take<Real<T>>(p.batch * v.pieces);
    v.places = carver.take<int64_t>(p.batch * v.pieces);
    v.norms = stored.norms[p.norm];
    v.rcond = static_cast<Real<T> *>(p.rcond);
    return v;
}

// A solve in place, whose right-hand sides are the vectors
template <class T>
GttrsProblem solve_for(const GtconProblem &p, const ConditionVectors<T> &v, xbatchOperation_t op) {
    return {p.layout, op, p.n, 1, p.batch, p.batch, p.factors, v.x, v.at};
}

template <class T>
class Estimator {
public:
    Estimator(Context &context, const GtconProblem &p, void *workspace) : context_(context), p_(p), carver_(workspace) {
        v_ = carve_vectors<T>(carver_, p);
        solver_ = carver_.take<char>(0);
        groups_ = ((p.batch - 1) >> v_.systems_log) + 1;
    }

    xbatchStatus_t run() {
        sweep(gtcon_fill<T, Start::EVEN>), solve(false), sweep(gtcon_sum<T>), decide(gtcon_step<T, Step::FIRST>);
        for (int turn = 1; turn < estimate_turns; ++turn) {
            solve(true), sweep(gtcon_largest<T>), decide(gtcon_step<T, Step::TURN>);
            sweep(gtcon_fill<T, Start::UNIT>), solve(false), sweep(gtcon_sum<T>), decide(gtcon_step<T, Step::RAISE>);
        }
        sweep(gtcon_fill<T, Start::GUARD>), solve(false), sweep(gtcon_sum<T>), decide(gtcon_step<T, Step::LAST>);
        return status_;
    }

private:
    using Kernel = void (*)(ConditionVectors<T>);
    static constexpr int threads = ConditionVectors<T>::threads;

    // With A or, if `turned`, A^H; the infinity norm of A is the one-norm of A^H.
    void solve(bool turned) {
        const bool adjoint = turned != (p_.norm == XBATCH_NORM_INF);
        if (status_ == XBATCH_STATUS_SUCCESS)
            status_ = gttrs_cuda<T>(context_, solve_for(p_, v_, adjoint ? XBATCH_OP_C : XBATCH_OP_N), solver_);
    }
    void sweep(Kernel kernel) { launch(kernel, groups_ * v_.pieces); }
    void decide(Kernel kernel) { launch(kernel, (p_.batch - 1) / threads + 1); }
    void launch(Kernel kernel, int64_t blocks) {
        if (status_ != XBATCH_STATUS_SUCCESS) return;
        status_ = Launch(context_, blocks, threads)(kernel, "gtcon", v_);
    }

    Context &context_;
    const GtconProblem &p_;
    Carver carver_;
    ConditionVectors<T> v_;
    void *solver_;
    int64_t groups_;
    xbatchStatus_t status_ = XBATCH_STATUS_SUCCESS;
};

}  // namespace

template <class T>
xbatchStatus_t gtcon_cuda(Context &context, const GtconProblem &p, void *workspace) {
    return Estimator<T>(context, p, workspace).run();
}

template <class T>
size_t gtcon_cuda_workspace(const Context &context, const GtconProblem &p) {
    Carver carver(nullptr);
    const ConditionVectors<T> v = carve_vectors<T>(carver, p);
    carver.take<char>(int64_t(gttrs_cuda_workspace<T>(context, solve_for(p, v, XBATCH_OP_N))));
    return carver.bytes();
}

XBATCH_INSTANTIATE_BACKEND(gtcon_cuda);

}  // namespace xbatch::tridiagonal
