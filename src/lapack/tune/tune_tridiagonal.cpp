// tune_tridiagonal.cpp: LAPACK's time divided by the interposer's for the tridiagonal routines, real and complex.
// SPDX-License-Identifier: BSD-3-Clause
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "tune.hpp"

namespace tune {
namespace {

using Complex = std::complex<double>;
template <class T>
constexpr bool is_real = std::is_same_v<T, double>;

// One system, diagonally dominant or not, and all arrays of the routines; `more` is IWORK of real routines and RWORK of
// complex ones.
template <class T>
struct Problem {
    int n, one = 1, info = 0;
    size_t length = 1;
    std::vector<T> dl, d, du, b;
    std::vector<T> l, p, u, u2, x, work;
    std::vector<double> on, pivots, f, rcond, more;
    std::vector<int> ipiv;
    double norm = 1;

    Problem(int size, bool dominant)
        : n(size),
          dl(n, T(-1)),
          d(n, T(dominant ? 3 : 2)),
          du(n, T(-1)),
          b(n),
          u2(n),
          x(n),
          work(3 * n),
          on(n, dominant ? 3 : 2),
          f(3),
          rcond(1),
          more(n),
          ipiv(n) {
        for (int i = 0; i < n; ++i) b[i] = T(i % 11 - 5);
        restore();
    }
    void restore() { l = dl, p = d, u = du, x = b, pivots = on; }
};

template <class T>
struct Case {
    const char *name;
    bool factored, positive;  // whether it needs factors, and of which kind
    void (*run)(Problem<T> &, void *);
};

template <class T>
void factor(Problem<T> &a, void *f) {
    call(f, &a.n, a.l.data(), a.p.data(), a.u.data(), a.u2.data(), a.ipiv.data(), &a.info);
}
template <class T>
void factor_positive(Problem<T> &a, void *f) {
    call(f, &a.n, a.pivots.data(), a.l.data(), &a.info);
}

template <class T>
const std::vector<Case<T>> cases = {
    {"gtsv", false, false,
     [](Problem<T> &a, void *f) {
         call(f, &a.n, &a.one, a.l.data(), a.p.data(), a.u.data(), a.x.data(), &a.n, &a.info);
     }},
    {"gttrf", false, false, factor<T>},
    {"gttrs", true, false,
     [](Problem<T> &a, void *f) {
         call(f, "N", &a.n, &a.one, a.l.data(), a.p.data(), a.u.data(), a.u2.data(), a.ipiv.data(), a.x.data(), &a.n,
              &a.info, a.length);
     }},
    {"gtcon", true, false,
     [](Problem<T> &a, void *f) {
         if constexpr (is_real<T>)
             call(f, "1", &a.n, a.l.data(), a.p.data(), a.u.data(), a.u2.data(), a.ipiv.data(), &a.norm, a.rcond.data(),
                  a.work.data(), a.more.data(), &a.info, a.length);
         else
             call(f, "1", &a.n, a.l.data(), a.p.data(), a.u.data(), a.u2.data(), a.ipiv.data(), &a.norm, a.rcond.data(),
                  a.work.data(), &a.info, a.length);
     }},
    {"gtrfs", true, false,
     [](Problem<T> &a, void *f) {
         call(f, "N", &a.n, &a.one, a.dl.data(), a.d.data(), a.du.data(), a.l.data(), a.p.data(), a.u.data(),
              a.u2.data(), a.ipiv.data(), a.b.data(), &a.n, a.x.data(), &a.n, &a.f[0], &a.f[1], a.work.data(),
              a.more.data(), &a.info, a.length);
     }},
    {"gtsvx", false, false,
     [](Problem<T> &a, void *f) {
         call(f, "N", "N", &a.n, &a.one, a.dl.data(), a.d.data(), a.du.data(), a.l.data(), a.p.data(), a.u.data(),
              a.u2.data(), a.ipiv.data(), a.b.data(), &a.n, a.x.data(), &a.n, a.rcond.data(), &a.f[0], &a.f[1],
              a.work.data(), a.more.data(), &a.info, a.length, a.length);
     }},
    {"ptsv", false, true,
     [](Problem<T> &a, void *f) { call(f, &a.n, &a.one, a.pivots.data(), a.l.data(), a.x.data(), &a.n, &a.info); }},
    {"pttrf", false, true, factor_positive<T>},
    {"pttrs", true, true,
     [](Problem<T> &a, void *f) {
         if constexpr (is_real<T>)
             call(f, &a.n, &a.one, a.pivots.data(), a.l.data(), a.x.data(), &a.n, &a.info);
         else
             call(f, "L", &a.n, &a.one, a.pivots.data(), a.l.data(), a.x.data(), &a.n, &a.info, a.length);
     }},
    {"ptcon", true, true,
     [](Problem<T> &a, void *f) {
         call(f, &a.n, a.pivots.data(), a.l.data(), &a.norm, a.rcond.data(), a.more.data(), &a.info);
     }},
    {"ptrfs", true, true,
     [](Problem<T> &a, void *f) {
         if constexpr (is_real<T>)
             call(f, &a.n, &a.one, a.on.data(), a.dl.data(), a.pivots.data(), a.l.data(), a.b.data(), &a.n, a.x.data(),
                  &a.n, &a.f[0], &a.f[1], a.work.data(), &a.info);
         else
             call(f, "L", &a.n, &a.one, a.on.data(), a.dl.data(), a.pivots.data(), a.l.data(), a.b.data(), &a.n,
                  a.x.data(), &a.n, &a.f[0], &a.f[1], a.work.data(), a.more.data(), &a.info, a.length);
     }},
    {"ptsvx", false, true,
     [](Problem<T> &a, void *f) {
         if constexpr (is_real<T>)
             call(f, "N", &a.n, &a.one, a.on.data(), a.dl.data(), a.pivots.data(), a.l.data(), a.b.data(), &a.n,
                  a.x.data(), &a.n, a.rcond.data(), &a.f[0], &a.f[1], a.work.data(), &a.info, a.length);
         else
             call(f, "N", &a.n, &a.one, a.on.data(), a.dl.data(), a.pivots.data(), a.l.data(), a.b.data(), &a.n,
                  a.x.data(), &a.n, a.rcond.data(), &a.f[0], &a.f[1], a.work.data(), a.more.data(), &a.info, a.length);
     }},
};

constexpr int sizes[] = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 16384, 65536, 131072, 524288};

constexpr double no_slower = 0.95;  // within noise

// LAPACK's time divided by the interposer's
template <class T>
double advantage(const Case<T> &c, void *ours, void *theirs, void *factors, int n, bool dominant) {
    Problem<T> a(n, dominant);
    const auto prepare = [&] {
        a.restore();
        if (c.factored) c.positive ? factor_positive(a, factors) : factor(a, factors);
    };
    constexpr int rounds = 8;
    const int repeats = std::clamp(1000000 / n / rounds, 2, 250);
    double mine = 1e300, real = 1e300;
    const auto time_of = [&](void *f) {
        const auto run = [&] { c.run(a, f); };
        return microseconds(prepare, run, repeats);
    };
    for (int round = 0; round < rounds; ++round) {
        mine = std::min(mine, time_of(ours));
        real = std::min(real, time_of(theirs));
    }
    return real / mine;
}

// Prints a row for each kind of matrix; returns the size from which on no call is slower, or 0.
template <class T>
int time_routine(char letter, const Case<T> &c, void *here, void *real) {
    const std::string name = letter + std::string(c.name) + "_";
    void *const factors = symbol(real, letter + std::string(c.positive ? "pttrf_" : "gttrf_"));
    std::string rows[2];
    int smallest = 0;
    for (const int n : sizes) {
        double least = 1e300;
        for (const bool dominant : {false, true}) {
            double gain = 0;  // measures again if the machine was busy
            for (int attempt = 0; attempt < 3 && gain < no_slower; ++attempt)
                gain = std::max(gain, advantage(c, symbol(here, name), symbol(real, name), factors, n, dominant));
            char text[16];
            std::snprintf(text, sizeof text, "%7.2f", gain);
            rows[dominant] += text;
            least = std::min(least, gain);
        }
        if (least < no_slower)
            smallest = 0;
        else if (smallest == 0)
            smallest = n;
    }
    std::printf("#%s  %c%s, diagonally dominant\n#%s  not dominant\n", rows[1].c_str(), letter, c.name,
                rows[0].c_str());
    return smallest;
}

constexpr int large_sizes[] = {16384, 65536, 131072, 262144, 1048576, 4194304};

}  // namespace

void time_rows(const char *file) {
    void *const library = open(file);
    for (const int n : large_sizes) {
        Problem<double> a(n, true);
        for (const Case<double> &c : cases<double>) {
            const auto prepare = [&] {
                a.restore();
                if (c.factored)
                    c.positive ? factor_positive(a, symbol(library, "dpttrf_")) : factor(a, symbol(library, "dgttrf_"));
            };
            void *const function = symbol(library, std::string("d") + c.name + "_");
            const auto run = [&] { c.run(a, function); };
            print_time(c.name, n, microseconds(prepare, run, n < 1 << 20 ? 20 : 5));
        }
    }
}

void compare_rows(const char *real_file) {
    const Ways ways("rows", {std::begin(large_sizes), std::end(large_sizes)}, real_file);
    if (!ways.on_device) return;
    std::printf("# ms, double, one right-hand side, diagonally dominant; n:\n");
    ways.print_sizes();
    for (const Case<double> &c : cases<double>) {
        ways.print(c.name);
        print_setting((c.name + std::string("_cuda")).c_str(), ways.smallest_on_device(c.name));
    }
}

void time_tridiagonal(void *here, void *real) {
    std::printf("# LAPACK's time over the interposer's, one right-hand side; n:\n#");
    for (const int n : sizes) std::printf("%7d", n);
    std::printf("\n");
    for (size_t i = 0; i < cases<double>.size(); ++i) {
        const int d = time_routine('d', cases<double>[i], here, real),
                  z = time_routine('z', cases<Complex>[i], here, real);
        print_setting(cases<double>[i].name, d == 0 || z == 0 ? 0 : std::max(d, z));
    }
}

}  // namespace tune
