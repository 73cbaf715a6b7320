// front.cpp: libxbatch_scalapack in a program of ScaLAPACK, one process a block of rows.
//
// Solutions satisfy A x = b, of A, its transposed and its adjoint, also where the diagonal is 0, so that elimination
// without interchanges fails. The process of a bad pivot is INFO, and B is as before. Arguments that the real routines
// refuse are refused by them.
//
// SPDX-License-Identifier: BSD-3-Clause
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

extern "C" {
void Cblacs_pinfo(int *, int *);
void Cblacs_get(int, int, int *);
void Cblacs_gridinit(int *, const char *, int, int);
void Cblacs_gridexit(int);
void Cblacs_exit(int);
}

namespace {

int rank, ranks, faults;

void check(bool is_right, const std::string &what) {
    if (is_right) return;
    std::fprintf(stderr, "process %d of %d: %s\n", rank, ranks, what.c_str());
    ++faults;
}

template <class T>
struct Routines;

#define ROUTINES(T, R, letter)                                                                                       \
    extern "C" {                                                                                                     \
    void p##letter##dttrf_(const int *, T *, T *, T *, const int *, const int *, T *, const int *, T *, const int *, \
                           int *);                                                                                   \
    void p##letter##dttrs_(const char *, const int *, const int *, T *, T *, T *, const int *, const int *, T *,     \
                           const int *, const int *, T *, const int *, T *, const int *, int *, size_t);             \
    void p##letter##dtsv_(const int *, const int *, T *, T *, T *, const int *, const int *, T *, const int *,       \
                          const int *, T *, const int *, int *);                                                     \
    void p##letter##pttrf_(const int *, R *, T *, const int *, const int *, T *, const int *, T *, const int *,      \
                           int *);                                                                                   \
    }                                                                                                                \
    template <>                                                                                                      \
    struct Routines<T> {                                                                                             \
        using Real = R;                                                                                              \
        static constexpr auto dttrf = p##letter##dttrf_;                                                             \
        static constexpr auto dttrs = p##letter##dttrs_;                                                             \
        static constexpr auto dtsv = p##letter##dtsv_;                                                               \
        static constexpr auto pttrf = p##letter##pttrf_;                                                             \
    };
ROUTINES(float, float, s)
ROUTINES(double, double, d)
ROUTINES(std::complex<float>, float, c)
ROUTINES(std::complex<double>, double, z)

#define REAL_SOLVERS(T, letter)                                                                                        \
    extern "C" {                                                                                                       \
    void p##letter##pttrs_(const int *, const int *, T *, T *, const int *, const int *, T *, const int *,             \
                           const int *, T *, const int *, T *, const int *, int *);                                    \
    void p##letter##ptsv_(const int *, const int *, T *, T *, const int *, const int *, T *, const int *, const int *, \
                          T *, const int *, int *);                                                                    \
    }                                                                                                                  \
    template <class... A>                                                                                              \
    void pttrs(T, const char *, A... a) {                                                                              \
        p##letter##pttrs_(a...);                                                                                       \
    }                                                                                                                  \
    template <class... A>                                                                                              \
    void ptsv(T, const char *, A... a) {                                                                               \
        p##letter##ptsv_(a...);                                                                                        \
    }
REAL_SOLVERS(float, s)
REAL_SOLVERS(double, d)

#define COMPLEX_SOLVERS(T, R, letter)                                                                       \
    extern "C" {                                                                                            \
    void p##letter##pttrs_(const char *, const int *, const int *, R *, T *, const int *, const int *, T *, \
                           const int *, const int *, T *, const int *, T *, const int *, int *, size_t);    \
    void p##letter##ptsv_(const char *, const int *, const int *, R *, T *, const int *, const int *, T *,  \
                          const int *, const int *, T *, const int *, int *, size_t);                       \
    }                                                                                                       \
    template <class... A>                                                                                   \
    void pttrs(T, const char *uplo, A... a) {                                                               \
        p##letter##pttrs_(uplo, a..., size_t(1));                                                           \
    }                                                                                                       \
    template <class... A>                                                                                   \
    void ptsv(T, const char *uplo, A... a) {                                                                \
        p##letter##ptsv_(uplo, a..., size_t(1));                                                            \
    }
COMPLEX_SOLVERS(std::complex<float>, float, c)
COMPLEX_SOLVERS(std::complex<double>, double, z)

float conjugate(float x) { return x; }
double conjugate(double x) { return x; }
template <class R>
std::complex<R> conjugate(std::complex<R> x) {
    return std::conj(x);
}
template <class T>
T number(int k) {
    const auto part = [](int i) { return typename Routines<T>::Real((i * 7919 % 1000) / 500.0 - 1); };
    if constexpr (std::is_same_v<T, typename Routines<T>::Real>)
        return part(k);
    else
        return T(part(k), part(k + 333));
}

const int one = 1, nrhs = 2;

// All processes have the whole system; each passes its block.
template <class T>
struct Problem {
    using Real = typename Routines<T>::Real;
    int context, n, nb, first, rows, desca[7], descb[7], laf, lwork, ld;
    std::vector<T> dl, d, du, b;  // [n], b [nrhs][n]
    std::vector<T> af, work;

    Problem(int context_, int n_) : context(context_), n(n_), nb(std::max((n + ranks - 1) / ranks, 2)) {
        first = std::min(rank * nb, n), rows = std::min(nb, n - first), ld = nb + 1;
        laf = 12 * ranks + 3 * nb, lwork = laf + 220 * ranks + 4 * nrhs;
        const int vector[] = {501, context, n, nb, 0, 1, 0}, matrix[] = {502, context, n, nb, 0, ld, 0};
        std::copy_n(vector, 7, desca), std::copy_n(matrix, 7, descb);
        for (int i = 0; i < n; ++i) dl.push_back(number<T>(3 * i)), du.push_back(number<T>(3 * i + 1)), d.push_back(0);
        for (int i = 0; i < nrhs * n; ++i) b.push_back(number<T>(5 * i + 2));
        af.resize(size_t(laf)), work.resize(size_t(lwork));
    }
    template <class U>
    std::vector<U> own(const std::vector<U> &all) const {
        std::vector<U> block(all.begin() + first, all.begin() + first + rows);
        block.resize(size_t(nb) + 1);
        return block;
    }
    std::vector<T> own_b() const {
        std::vector<T> block(size_t(ld * nrhs), T(7));
        for (int r = 0; r < nrhs; ++r) std::copy_n(b.begin() + r * n + first, rows, block.begin() + r * ld);
        return block;
    }
    // |A x - b| for the whole system, in units of eps
    double error(const std::vector<T> &block, char op) const {
        std::vector<T> x(size_t(nrhs * n));
        for (int r = 0; r < nrhs; ++r) std::copy_n(block.begin() + r * ld, rows, x.begin() + r * n + first);
        MPI_Allreduce(MPI_IN_PLACE, x.data(), int(x.size() * sizeof(T) / sizeof(Real)),
                      sizeof(Real) == 4 ? MPI_FLOAT : MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double most = 0;
        for (int r = 0; r < nrhs; ++r)
            for (int i = 0; i < n; ++i) {
                const auto entry = [&](const T &plain, const T &turned) {
                    return op == 'N' ? plain : op == 'C' ? conjugate(turned) : turned;
                };
                const T *const at = &x[size_t(r * n + i)];
                T sum = entry(d[size_t(i)], d[size_t(i)]) * at[0] - b[size_t(r * n + i)];
                double scale = std::abs(b[size_t(r * n + i)]) + std::abs(d[size_t(i)] * at[0]);
                const auto add = [&](const T &a, const T &value) { sum += a * value, scale += std::abs(a * value); };
                if (i > 0) add(entry(dl[size_t(i)], du[size_t(i) - 1]), at[-1]);
                if (i + 1 < n) add(entry(du[size_t(i)], dl[size_t(i) + 1]), at[1]);
                if (scale > 0) most = std::max(most, double(std::abs(sum)) / scale);
                if (!(scale < std::numeric_limits<double>::infinity())) return scale;
            }
        return most / double(std::numeric_limits<Real>::epsilon());
    }
};

template <class T>
void solve_any(int context, int n, char letter) {
    Problem<T> p(context, n);
    const std::string what = std::string(1, letter) + ", " + std::to_string(n) + " rows: ";
    if (n % 2)
        for (T &x : p.d) x = T(3);
    std::vector<T> dl = p.own(p.dl), d = p.own(p.d), du = p.own(p.du);
    int info = -99;
    Routines<T>::dttrf(&n, dl.data(), d.data(), du.data(), &one, p.desca, p.af.data(), &p.laf, p.work.data(), &p.lwork,
                       &info);
    check(info == 0, what + "INFO of the factors " + std::to_string(info));
    const bool is_complex = letter == 'c' || letter == 'z';
    for (const char op : {'N', is_complex ? 'C' : 'T'}) {
        std::vector<T> b = p.own_b();
        Routines<T>::dttrs(&op, &n, &nrhs, dl.data(), d.data(), du.data(), &one, p.desca, b.data(), &one, p.descb,
                           p.af.data(), &p.laf, p.work.data(), &p.lwork, &info, 1);
        check(info == 0, what + "INFO of the solution " + std::to_string(info));
        const double error = p.error(b, op);
        check(error < 1e3, what + "error " + std::to_string(error) + " of " + op);
        for (int r = 0; r < nrhs; ++r) check(b[size_t(r * p.ld + p.ld - 1)] == T(7), what + "padding");
    }
    std::vector<T> b = p.own_b();
    Routines<T>::dtsv(&n, &nrhs, dl.data(), d.data(), du.data(), &one, p.desca, b.data(), &one, p.descb, p.work.data(),
                      &p.lwork, &info);
    check(info == 0 && p.error(b, 'N') < 1e3, what + "dtsv");

    // a row of zeros: the process that has it, and right-hand sides as they were
    const int bad = n / 2;
    p.dl[size_t(bad)] = p.d[size_t(bad)] = p.du[size_t(bad)] = 0;
    dl = p.own(p.dl), d = p.own(p.d), du = p.own(p.du), b = p.own_b();
    Routines<T>::dtsv(&n, &nrhs, dl.data(), d.data(), du.data(), &one, p.desca, b.data(), &one, p.descb, p.work.data(),
                      &p.lwork, &info);
    check(info >= 1 && info <= ranks, what + "INFO " + std::to_string(info) + " of a singular matrix");
    check(b == p.own_b(), what + "B of a singular matrix");
}

template <class T>
void solve_positive(int context, int n, char letter) {
    using Real = typename Routines<T>::Real;
    Problem<T> p(context, n);
    const std::string what = std::string(1, letter) + ", positive definite, " + std::to_string(n) + " rows: ";
    std::vector<Real> diagonal(size_t(n), Real(3.5));
    const bool is_complex = letter == 'c' || letter == 'z';
    for (const char uplo : {'U', 'L'}) {
        const std::vector<T> stored = p.du;
        Problem<T> a = p;
        for (int i = 0; i < n; ++i) {
            a.d[size_t(i)] = diagonal[size_t(i)];
            if (i + 1 < n)
                a.dl[size_t(i) + 1] = uplo == 'U' && is_complex ? conjugate(stored[size_t(i)]) : stored[size_t(i)];
            a.du[size_t(i)] = uplo == 'U' && is_complex ? stored[size_t(i)] : conjugate(stored[size_t(i)]);
        }
        std::vector<Real> d = p.own(diagonal);
        std::vector<T> e = p.own(stored), b = p.own_b();
        int info = -99;
        Routines<T>::pttrf(&n, d.data(), e.data(), &one, p.desca, p.af.data(), &p.laf, p.work.data(), &p.lwork, &info);
        check(info == 0, what + "INFO of the factors " + std::to_string(info));
        pttrs(T(), &uplo, &n, &nrhs, d.data(), e.data(), &one, p.desca, b.data(), &one, p.descb, p.af.data(), &p.laf,
              p.work.data(), &p.lwork, &info);
        check(info == 0 && a.error(b, 'N') < 1e2, what + "pttrs");
        d = p.own(diagonal), e = p.own(stored), b = p.own_b();
        ptsv(T(), &uplo, &n, &nrhs, d.data(), e.data(), &one, p.desca, b.data(), &one, p.descb, p.work.data(), &p.lwork,
             &info);
        check(info == 0 && a.error(b, 'N') < 1e2, what + "ptsv");
        std::vector<Real> negative = diagonal;
        negative[size_t(n / 2)] = -1;
        d = p.own(negative), e = p.own(stored);
        Routines<T>::pttrf(&n, d.data(), e.data(), &one, p.desca, p.af.data(), &p.laf, p.work.data(), &p.lwork, &info);
        check(info >= 1 && info <= ranks, what + "INFO " + std::to_string(info) + " where it is not");
    }
}

// What the real routine refuses or answers
void forwarded(int context) {
    Problem<double> p(context, 40);
    std::vector<double> dl = p.own(p.dl), d = p.own(p.d), du = p.own(p.du);
    int info = -99, query = -1, small = 1;
    pddttrf_(&p.n, dl.data(), d.data(), du.data(), &one, p.desca, p.af.data(), &p.laf, p.work.data(), &query, &info);
    check(p.work[0] >= 8, "size query");
    pddttrf_(&p.n, dl.data(), d.data(), du.data(), &one, p.desca, p.af.data(), &p.laf, p.work.data(), &small, &info);
    check(info == -10, "LWORK too small: INFO " + std::to_string(info));
    pddttrf_(&p.n, dl.data(), d.data(), du.data(), &one, p.desca, p.af.data(), &small, p.work.data(), &p.lwork, &info);
    check(info == -8, "LAF too small: INFO " + std::to_string(info));
}

void all(int context) {
    for (const int n : {2, 5, 40, 57, 1000}) {
        solve_any<float>(context, n, 's'), solve_any<double>(context, n, 'd');
        solve_any<std::complex<float>>(context, n, 'c'), solve_any<std::complex<double>>(context, n, 'z');
        solve_positive<float>(context, n, 's'), solve_positive<double>(context, n, 'd');
        solve_positive<std::complex<float>>(context, n, 'c'), solve_positive<std::complex<double>>(context, n, 'z');
    }
    forwarded(context);
}

}  // namespace

int main() {
    Cblacs_pinfo(&rank, &ranks);
    for (const bool is_column : {false, true}) {
        int context = 0;
        Cblacs_get(-1, 0, &context);
        Cblacs_gridinit(&context, "Row", is_column ? ranks : 1, is_column ? 1 : ranks);
        all(context);
        Cblacs_gridexit(context);
    }
    MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    Cblacs_exit(0);
    return faults != 0;
}
