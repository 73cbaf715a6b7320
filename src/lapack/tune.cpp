// tune.cpp: the program xbatch_lapack_tune: from which size on this machine each routine is computed sooner by the
// interposer than by LAPACK, printed as settings for a shell.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

template <class... Args>
void call(void *function, Args... args) {
    reinterpret_cast<void (*)(Args...)>(function)(args...);
}

double microseconds(const std::function<void()> &prepare, const std::function<void()> &run, int repeats) {
    double best = 1e300;
    for (int i = 0; i < repeats; ++i) {
        prepare();
        const auto begin = std::chrono::steady_clock::now();
        run();
        best =
            std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

// One system whose couplings decay, or do not, and everything that the routines read and write
struct Problem {
    int n, one = 1, info = 0;
    size_t length = 1;
    std::vector<double> dl, d, du, b;
    std::vector<double> l, p, u, u2, x, f, rcond, work;
    std::vector<int> ipiv, iwork;
    double norm = 1;

    Problem(int size, bool decays)
        : n(size),
          dl(n, -1),
          d(n, decays ? 3 : 2),
          du(n, -1),
          b(n),
          u2(n),
          x(n),
          f(3),
          rcond(1),
          work(3 * n),
          ipiv(n),
          iwork(n) {
        for (int i = 0; i < n; ++i) b[i] = i % 11 - 5;
        restore();
    }
    void restore() { l = dl, p = d, u = du, x = b; }
};

struct Case {
    const char *name;
    bool factored, positive;  // what must have been done before
    std::function<void(Problem &, void *)> run;
};

const std::vector<Case> cases = {
    {"gtsv", false, false,
     [](auto &a, void *f) { call(f, &a.n, &a.one, a.l.data(), a.p.data(), a.u.data(), a.x.data(), &a.n, &a.info); }},
    {"gttrf", false, false,
     [](auto &a, void *f) { call(f, &a.n, a.l.data(), a.p.data(), a.u.data(), a.u2.data(), a.ipiv.data(), &a.info); }},
    {"gttrs", true, false,
     [](auto &a, void *f) {
         call(f, "N", &a.n, &a.one, a.l.data(), a.p.data(), a.u.data(), a.u2.data(), a.ipiv.data(), a.x.data(), &a.n,
              &a.info, a.length);
     }},
    {"gtcon", true, false,
     [](auto &a, void *f) {
         call(f, "1", &a.n, a.l.data(), a.p.data(), a.u.data(), a.u2.data(), a.ipiv.data(), &a.norm, a.rcond.data(),
              a.work.data(), a.iwork.data(), &a.info, a.length);
     }},
    {"gtrfs", true, false,
     [](auto &a, void *f) {
         call(f, "N", &a.n, &a.one, a.dl.data(), a.d.data(), a.du.data(), a.l.data(), a.p.data(), a.u.data(),
              a.u2.data(), a.ipiv.data(), a.b.data(), &a.n, a.x.data(), &a.n, &a.f[0], &a.f[1], a.work.data(),
              a.iwork.data(), &a.info, a.length);
     }},
    {"gtsvx", false, false,
     [](auto &a, void *f) {
         call(f, "N", "N", &a.n, &a.one, a.dl.data(), a.d.data(), a.du.data(), a.l.data(), a.p.data(), a.u.data(),
              a.u2.data(), a.ipiv.data(), a.b.data(), &a.n, a.x.data(), &a.n, a.rcond.data(), &a.f[0], &a.f[1],
              a.work.data(), a.iwork.data(), &a.info, a.length, a.length);
     }},
    {"ptsv", false, true,
     [](auto &a, void *f) { call(f, &a.n, &a.one, a.p.data(), a.l.data(), a.x.data(), &a.n, &a.info); }},
    {"pttrf", false, true, [](auto &a, void *f) { call(f, &a.n, a.p.data(), a.l.data(), &a.info); }},
    {"pttrs", true, true,
     [](auto &a, void *f) { call(f, &a.n, &a.one, a.p.data(), a.l.data(), a.x.data(), &a.n, &a.info); }},
    {"ptcon", true, true,
     [](auto &a, void *f) { call(f, &a.n, a.p.data(), a.l.data(), &a.norm, a.rcond.data(), a.work.data(), &a.info); }},
    {"ptrfs", true, true,
     [](auto &a, void *f) {
         call(f, &a.n, &a.one, a.d.data(), a.dl.data(), a.p.data(), a.l.data(), a.b.data(), &a.n, a.x.data(), &a.n,
              &a.f[0], &a.f[1], a.work.data(), &a.info);
     }},
    {"ptsvx", false, true,
     [](auto &a, void *f) {
         call(f, "N", &a.n, &a.one, a.d.data(), a.dl.data(), a.p.data(), a.l.data(), a.b.data(), &a.n, a.x.data(), &a.n,
              a.rcond.data(), &a.f[0], &a.f[1], a.work.data(), &a.info, a.length);
     }},
};

constexpr int sizes[] = {8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384, 40000, 65536, 131072, 524288};

void *symbol(void *library, const std::string &name) {
    void *const found = dlsym(library, name.c_str());
    if (!found) {
        std::fprintf(stderr, "no %s: %s\n", name.c_str(), dlerror());
        std::exit(1);
    }
    return found;
}

// LAPACK's time over ours
double advantage(const Case &c, void *ours, void *theirs, void *factor, int n, bool decays) {
    Problem a(n, decays);
    const auto prepare = [&] {
        a.restore();
        if (!c.factored) return;
        if (c.positive)
            call(factor, &a.n, a.p.data(), a.l.data(), &a.info);
        else
            call(factor, &a.n, a.l.data(), a.p.data(), a.u.data(), a.u2.data(), a.ipiv.data(), &a.info);
    };
    constexpr int rounds = 8;
    const int repeats = std::clamp(2000000 / n / rounds, 2, 250);
    double mine = 1e300, real = 1e300;
    for (int round = 0; round < rounds; ++round) {
        mine = std::min(mine, microseconds(
                                  prepare, [&] { c.run(a, ours); }, repeats));
        real = std::min(real, microseconds(
                                  prepare, [&] { c.run(a, theirs); }, repeats));
    }
    return real / mine;
}

void report_forwarding(void *ours, void *theirs) {
    const int zero = 0, one = 1;
    int info;
    double a = 0, times[2];
    void *const functions[] = {ours, theirs};
    for (int k = 0; k < 2; ++k)
        times[k] = microseconds([] {},
                                [&] {
                                    for (int i = 0; i < 1000; ++i)
                                        call(functions[k], &zero, &zero, &a, &one, &a, &a, &one, &info);
                                },
                                100);
    std::printf("# a forwarded call costs %.0f ns more\n", times[0] - times[1]);  // us of 1000 calls are ns of one
}

}  // namespace

int main() {
    setenv("XBATCH_LAPACK_ALL", "0", 1);
    const char *const path = std::getenv("XBATCH_LAPACK_FALLBACK");
    void *const here = dlopen(XBATCH_LAPACK_FILE, RTLD_NOW | RTLD_LOCAL);
    void *const real = dlopen(path && *path ? path : "liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!here || !real) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    std::printf("# LAPACK's time over ours, double, one right-hand side; n:\n#");
    for (const int n : sizes) std::printf("%7d", n);
    std::printf("\n");
    for (const Case &c : cases) {
        const std::string name = std::string("d") + c.name + "_";
        void *const factor = symbol(real, c.positive ? "dpttrf_" : "dgttrf_");
        std::string rows[2];
        int smallest = 0;  // from which on no call is slower, but for noise
        for (const int n : sizes) {
            double least = 1e300;
            for (const bool decays : {false, true}) {
                const double gain = advantage(c, symbol(here, name), symbol(real, name), factor, n, decays);
                char text[16];
                std::snprintf(text, sizeof text, "%7.2f", gain);
                rows[decays] += text;
                least = std::min(least, gain);
            }
            if (least < 0.95)
                smallest = 0;
            else if (smallest == 0)
                smallest = n;
        }
        std::string upper = c.name;
        for (char &letter : upper) letter = char(letter & ~0x20);
        std::printf("#%s  couplings decay\n#%s  they do not\nexport XBATCH_LAPACK_%s=", rows[1].c_str(),
                    rows[0].c_str(), upper.c_str());
        std::printf(smallest == 0 ? "never\n" : "%d\n", smallest);
        std::fflush(stdout);
    }
    report_forwarding(symbol(here, "dgeqrf_"), symbol(real, "dgeqrf_"));
    return 0;
}
