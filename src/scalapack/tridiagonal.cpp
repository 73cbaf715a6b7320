// tridiagonal.cpp: ScaLAPACK's tridiagonal routines by xgtsvMp and xptsvMp.
//
// A factorisation leaves the matrix as it is, and finds whether it is singular. Its AF has a mark, and the entries of
// the rows next to the process' own that the transposed matrix needs. Each solve eliminates again. Calls that are
// not supported, or wrong, are forwarded; the processes of a grid agree on that, because the real routines are
// collective as well.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <complex>
#include <cstddef>

#include "grid.hpp"

namespace xbatch::scalapack {
namespace {

template <class T>
struct Traits;
template <>
struct Traits<float> {
    using Real = float;
    static constexpr xbatchDataType_t type = XBATCH_R_32F;
};
template <>
struct Traits<double> {
    using Real = double;
    static constexpr xbatchDataType_t type = XBATCH_R_64F;
};
template <>
struct Traits<std::complex<float>> {
    using Real = float;
    static constexpr xbatchDataType_t type = XBATCH_C_32F;
};
template <>
struct Traits<std::complex<double>> {
    using Real = double;
    static constexpr xbatchDataType_t type = XBATCH_C_64F;
};
template <class T>
constexpr bool is_complex = !std::is_same_v<T, typename Traits<T>::Real>;

template <class T>
T conjugate(T x) {
    if constexpr (is_complex<T>)
        return std::conj(x);
    else
        return x;
}
bool is(const char *given, char wanted) { return (*given & ~0x20) == wanted; }

// The first elements of AF
constexpr float mark_of_lu = 1234567, mark_of_ldl = 7654321;  // exact in float
enum { mark_at, before_at, behind_at, least_af };

// What a call says about its rows; `is_supported` until a check fails.
struct Call {
    const char *routine;
    Rows rows;
    int nrhs = 0, ldb = 1;
    bool is_supported = true;

    Call(Symbol &symbol, int n, const int *ja, const int *desca) : routine(symbol.name()) {
        const Descriptor a(desca);
        require(n >= 0 && *ja == 1 && a.is_vector() && a.source == 0 && n <= a.size);
        rows = {a.is_vector() ? grid_of(a.context) : nullptr, n, a.block};
        if (!rows.grid) return;
        const int least_block = n > a.block ? 2 : 1;
        require(a.block >= least_block && n <= int64_t(rows.grid->size) * a.block);
    }
    void with_right_hand_sides(int given, const int *ib, const int *desca, const int *descb) {
        const Descriptor a(desca), b(descb);
        nrhs = given, ldb = b.ld;
        require(nrhs >= 0 && *ib == 1 && b.is_matrix() && b.context == a.context && b.source == 0 &&
                b.block == a.block && rows.n <= b.size);
        if (is_supported && rows.grid) require(ldb >= std::max(rows.count(), 1));
    }
    void require(bool is_true) { is_supported = is_supported && is_true; }
    // Whether this library computes the call; collective
    bool is_ours() {
        if (!rows.grid) return false;
        int all = is_supported;
        MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, rows.grid->comm);
        return all;
    }
    bool is_empty() const { return rows.n == 0; }
    int processes() const { return rows.grid ? rows.grid->size : 0; }
};

enum class Method { pivoted, positive };
// The matrix of the rows: dl, d, du, or of a positive definite one d and what is below it
template <class T>
struct Matrix {
    Method method;
    const T *dl;
    const void *d;
    const T *du;
};

// The number of the process, from 1, that has the bad pivot; 0 if there is none
template <class T>
int solve(const Call &call, const Matrix<T> &a, int nrhs, T *b, int ldb) {
    const Grid &grid = *call.rows.grid;
    const auto check = [&](xbatchStatus_t status) {
        if (status != XBATCH_STATUS_SUCCESS) grid.fail(call.routine);
    };
    std::vector<int64_t> offsets;
    for (int p = 0; p <= grid.size; ++p) offsets.push_back(p < grid.size ? call.rows.cut(p) : call.rows.n);
    xbatchMpPlan_t plan = nullptr;
    // Right-hand sides are systems that share a matrix, so that SIMD lanes solve them.
    check(xgtsvMpCreatePlan(grid.ranks, Traits<T>::type, XBATCH_LAYOUT_FLAT, call.rows.n, 1, nrhs, offsets.data(), 0,
                            XBATCH_MP_ANY_CUT, &plan));
    size_t bytes = 0;
    check((a.method == Method::pivoted ? xgtsvMp_bufferSize : xptsvMp_bufferSize)(plan, &bytes));
    std::vector<std::max_align_t> workspace(bytes / sizeof(std::max_align_t) + 1);
    std::vector<int32_t> info(size_t(nrhs), 0);
    check(a.method == Method::pivoted ? xgtsvMp(plan, a.dl, a.d, a.du, 0, b, ldb, info.data(), workspace.data(), bytes)
                                      : xptsvMp(plan, a.d, a.dl, 0, b, ldb, info.data(), workspace.data(), bytes));
    check(xbatchMpDestroyPlan(plan));
    return 0 < info[0] && info[0] <= call.rows.n ? (info[0] - 1) / call.rows.block + 1 : 0;
}

// Whether there is a solution at all
template <class T>
int test_factors(const Call &call, const Matrix<T> &a) {
    std::vector<T> zero(size_t(std::max(call.rows.count(), 1)));
    return solve(call, a, 1, zero.data(), int(zero.size()));
}

// du of the row before this process' rows, and dl of the row behind them
template <class T>
void exchange_edges(const Rows &rows, const T *dl, const T *du, T *af) {
    T own[2] = {};
    if (rows.count() > 0) own[0] = dl[0], own[1] = du[rows.count() - 1];
    std::vector<T> all(size_t(2 * rows.grid->size));
    MPI_Allgather(own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, rows.grid->comm);
    const size_t me = size_t(rows.grid->rank);
    af[before_at] = me > 0 ? all[2 * me - 1] : T(0);
    af[behind_at] = me + 1 < size_t(rows.grid->size) ? all[2 * me + 2] : T(0);
}

template <class T>
struct Transposed {
    std::vector<T> dl, d, du;

    Transposed(const Rows &rows, const T *below, const T *on, const T *above, const T *af, bool is_conjugated) {
        const auto entry = [&](T x) { return is_conjugated ? conjugate(x) : x; };
        const int count = rows.count();
        for (int i = 0; i < count; ++i) {
            dl.push_back(entry(i > 0 ? above[i - 1] : af[before_at]));
            d.push_back(entry(on[i]));
            du.push_back(entry(i + 1 < count ? below[i + 1] : af[behind_at]));
        }
    }
};

// e below the diagonal
template <class T>
std::vector<T> lower(const Rows &rows, bool is_upper, const T *e) {
    std::vector<T> below(e, e + rows.count());
    if (is_upper)
        for (T &x : below) x = conjugate(x);
    return below;
}

// The right-hand sides of a matrix that is singular remain.
template <class T>
int solve_or_restore(const Call &call, const Matrix<T> &a, T *b) {
    std::vector<T> before;
    for (int r = 0; r < call.nrhs; ++r)
        before.insert(before.end(), b + int64_t(r) * call.ldb, b + int64_t(r) * call.ldb + call.rows.count());
    const int bad = solve(call, a, call.nrhs, b, call.ldb);
    for (int r = 0; r < call.nrhs && bad; ++r)
        std::copy_n(before.begin() + int64_t(r) * call.rows.count(), call.rows.count(), b + int64_t(r) * call.ldb);
    return bad;
}

template <class T>
bool has_mark(const T *af, float mark) {
    return std::real(af[mark_at]) == typename Traits<T>::Real(mark);
}

int work_of_solve(const Call &call) { return 10 * call.processes() + 4 * call.nrhs; }

template <class T>
void dttrf(Symbol &symbol, const int *n, T *dl, T *d, T *du, const int *ja, const int *desca, T *af, const int *laf,
           T *work, const int *lwork, int *info) {
    Call call(symbol, *n, ja, desca);
    call.require(*laf >= 2 * (call.rows.block + 2) && *lwork >= 8 * call.processes());
    if (!call.is_ours()) return symbol.forward(n, dl, d, du, ja, desca, af, laf, work, lwork, info);
    symbol.count();
    work[0] = typename Traits<T>::Real(8 * call.processes());
    *info = call.is_empty() ? 0 : test_factors<T>(call, {Method::pivoted, dl, d, du});
    af[mark_at] = mark_of_lu;
    if (!call.is_empty()) exchange_edges(call.rows, dl, du, af);
}

template <class T>
void dttrs(Symbol &symbol, const char *trans, const int *n, const int *nrhs, T *dl, T *d, T *du, const int *ja,
           const int *desca, T *b, const int *ib, const int *descb, T *af, const int *laf, T *work, const int *lwork,
           int *info) {
    Call call(symbol, *n, ja, desca);
    call.with_right_hand_sides(*nrhs, ib, desca, descb);
    call.require(is(trans, 'N') || is(trans, 'C') || (is(trans, 'T') && !is_complex<T>));
    call.require(*laf >= 2 * (call.rows.block + 2) && *lwork >= work_of_solve(call) && has_mark(af, mark_of_lu));
    if (!call.is_ours())
        return symbol.forward(trans, n, nrhs, dl, d, du, ja, desca, b, ib, descb, af, laf, work, lwork, info,
                              size_t(1));
    symbol.count();
    work[0] = typename Traits<T>::Real(work_of_solve(call)), *info = 0;
    if (call.is_empty() || call.nrhs == 0) return;
    if (is(trans, 'N')) {
        solve<T>(call, {Method::pivoted, dl, d, du}, call.nrhs, b, call.ldb);
    } else {
        const Transposed<T> a(call.rows, dl, d, du, af, is(trans, 'C'));
        solve<T>(call, {Method::pivoted, a.dl.data(), a.d.data(), a.du.data()}, call.nrhs, b, call.ldb);
    }
}

template <class T>
void dtsv(Symbol &symbol, const int *n, const int *nrhs, T *dl, T *d, T *du, const int *ja, const int *desca, T *b,
          const int *ib, const int *descb, T *work, const int *lwork, int *info) {
    Call call(symbol, *n, ja, desca);
    call.with_right_hand_sides(*nrhs, ib, desca, descb);
    const int least = work_of_solve(call) + 12 * call.processes() + 3 * call.rows.block;
    call.require(*lwork >= least);
    if (!call.is_ours()) return symbol.forward(n, nrhs, dl, d, du, ja, desca, b, ib, descb, work, lwork, info);
    symbol.count();
    work[0] = typename Traits<T>::Real(least);
    *info = call.is_empty() || call.nrhs == 0 ? 0 : solve_or_restore<T>(call, {Method::pivoted, dl, d, du}, b);
}

template <class T>
void pttrf(Symbol &symbol, const int *n, typename Traits<T>::Real *d, T *e, const int *ja, const int *desca, T *af,
           const int *laf, T *work, const int *lwork, int *info) {
    Call call(symbol, *n, ja, desca);
    call.require(*laf >= call.rows.block + 2 && *laf >= least_af && *lwork >= 8 * call.processes());
    if (!call.is_ours()) return symbol.forward(n, d, e, ja, desca, af, laf, work, lwork, info);
    symbol.count();
    work[0] = typename Traits<T>::Real(8 * call.processes());
    *info = call.is_empty() ? 0 : test_factors<T>(call, {Method::positive, e, d, nullptr});
    af[mark_at] = mark_of_ldl;
}

template <class T>
void solve_positive(Symbol &symbol, const char *uplo, Call &call, const void *d, const T *e, T *b, int *info) {
    symbol.count();
    *info = 0;
    if (call.is_empty() || call.nrhs == 0) return;
    const std::vector<T> below = lower(call.rows, is(uplo, 'U'), e);
    *info = solve_or_restore<T>(call, {Method::positive, below.data(), d, nullptr}, b);
}

// uplo: of complex matrices only
template <class T, class... Uplo>
void pttrs(Symbol &symbol, const char *triangle, const int *n, const int *nrhs, typename Traits<T>::Real *d, T *e,
           const int *ja, const int *desca, T *b, const int *ib, const int *descb, T *af, const int *laf, T *work,
           const int *lwork, int *info, Uplo... uplo) {
    Call call(symbol, *n, ja, desca);
    call.with_right_hand_sides(*nrhs, ib, desca, descb);
    call.require(is(triangle, 'U') || is(triangle, 'L'));
    call.require(*laf >= call.rows.block + 2 && *lwork >= work_of_solve(call) && has_mark(af, mark_of_ldl));
    if (!call.is_ours()) {
        if constexpr (is_complex<T>)
            return symbol.forward(uplo..., n, nrhs, d, e, ja, desca, b, ib, descb, af, laf, work, lwork, info,
                                  size_t(1));
        else
            return symbol.forward(n, nrhs, d, e, ja, desca, b, ib, descb, af, laf, work, lwork, info);
    }
    work[0] = typename Traits<T>::Real(work_of_solve(call));
    solve_positive(symbol, triangle, call, d, e, b, info);
}

template <class T, class... Uplo>
void ptsv(Symbol &symbol, const char *triangle, const int *n, const int *nrhs, typename Traits<T>::Real *d, T *e,
          const int *ja, const int *desca, T *b, const int *ib, const int *descb, T *work, const int *lwork, int *info,
          Uplo... uplo) {
    Call call(symbol, *n, ja, desca);
    call.with_right_hand_sides(*nrhs, ib, desca, descb);
    const int least = work_of_solve(call) + 12 * call.processes() + 3 * call.rows.block;
    call.require((is(triangle, 'U') || is(triangle, 'L')) && *lwork >= least);
    if (!call.is_ours()) {
        if constexpr (is_complex<T>)
            return symbol.forward(uplo..., n, nrhs, d, e, ja, desca, b, ib, descb, work, lwork, info, size_t(1));
        else
            return symbol.forward(n, nrhs, d, e, ja, desca, b, ib, descb, work, lwork, info);
    }
    work[0] = typename Traits<T>::Real(least);
    solve_positive(symbol, triangle, call, d, e, b, info);
}

}  // namespace
}  // namespace xbatch::scalapack

using namespace xbatch::scalapack;

#pragma GCC visibility push(default)
extern "C" {

#define XBATCH_PDT(T, letter)                                                                                        \
    void p##letter##dttrf_(const int *n, T *dl, T *d, T *du, const int *ja, const int *desca, T *af, const int *laf, \
                           T *work, const int *lwork, int *info) {                                                   \
        static Symbol symbol("p" #letter "dttrf_");                                                                  \
        dttrf(symbol, n, dl, d, du, ja, desca, af, laf, work, lwork, info);                                          \
    }                                                                                                                \
    void p##letter##dttrs_(const char *trans, const int *n, const int *nrhs, T *dl, T *d, T *du, const int *ja,      \
                           const int *desca, T *b, const int *ib, const int *descb, T *af, const int *laf, T *work,  \
                           const int *lwork, int *info) {                                                            \
        static Symbol symbol("p" #letter "dttrs_");                                                                  \
        dttrs(symbol, trans, n, nrhs, dl, d, du, ja, desca, b, ib, descb, af, laf, work, lwork, info);               \
    }                                                                                                                \
    void p##letter##dtsv_(const int *n, const int *nrhs, T *dl, T *d, T *du, const int *ja, const int *desca, T *b,  \
                          const int *ib, const int *descb, T *work, const int *lwork, int *info) {                   \
        static Symbol symbol("p" #letter "dtsv_");                                                                   \
        dtsv(symbol, n, nrhs, dl, d, du, ja, desca, b, ib, descb, work, lwork, info);                                \
    }

XBATCH_PDT(float, s)
XBATCH_PDT(double, d)
XBATCH_PDT(std::complex<float>, c)
XBATCH_PDT(std::complex<double>, z)

// UPLO: the first argument of the solvers of complex matrices
#define XBATCH_PPT(T, R, letter, UPLO, triangle, ...)                                                                  \
    void p##letter##pttrf_(const int *n, R *d, T *e, const int *ja, const int *desca, T *af, const int *laf, T *work,  \
                           const int *lwork, int *info) {                                                              \
        static Symbol symbol("p" #letter "pttrf_");                                                                    \
        pttrf(symbol, n, d, e, ja, desca, af, laf, work, lwork, info);                                                 \
    }                                                                                                                  \
    void p##letter##pttrs_(UPLO const int *n, const int *nrhs, R *d, T *e, const int *ja, const int *desca, T *b,      \
                           const int *ib, const int *descb, T *af, const int *laf, T *work, const int *lwork,          \
                           int *info) {                                                                                \
        static Symbol symbol("p" #letter "pttrs_");                                                                    \
        pttrs<T>(symbol, triangle, n, nrhs, d, e, ja, desca, b, ib, descb, af, laf, work, lwork, info, ##__VA_ARGS__); \
    }                                                                                                                  \
    void p##letter##ptsv_(UPLO const int *n, const int *nrhs, R *d, T *e, const int *ja, const int *desca, T *b,       \
                          const int *ib, const int *descb, T *work, const int *lwork, int *info) {                     \
        static Symbol symbol("p" #letter "ptsv_");                                                                     \
        ptsv<T>(symbol, triangle, n, nrhs, d, e, ja, desca, b, ib, descb, work, lwork, info, ##__VA_ARGS__);           \
    }
#define XBATCH_UPLO const char *uplo,

XBATCH_PPT(float, float, s, , "L")
XBATCH_PPT(double, double, d, , "L")
XBATCH_PPT(std::complex<float>, float, c, XBATCH_UPLO, uplo, uplo)
XBATCH_PPT(std::complex<double>, double, z, XBATCH_UPLO, uplo, uplo)

// The ends of a grid, and of all, in Fortran and in C
void blacs_gridexit_(const int *context) {
    static Symbol symbol("blacs_gridexit_");
    forget(*context);
    symbol.forward(context);
}
void Cblacs_gridexit(int context) {
    static Symbol symbol("Cblacs_gridexit");
    forget(context);
    symbol.forward(context);
}
void blacs_exit_(const int *goes_on) {
    static Symbol symbol("blacs_exit_");
    forget_all();
    symbol.forward(goes_on);
}
void Cblacs_exit(int goes_on) {
    static Symbol symbol("Cblacs_exit");
    forget_all();
    symbol.forward(goes_on);
}

}  // extern "C"
#pragma GCC visibility pop
