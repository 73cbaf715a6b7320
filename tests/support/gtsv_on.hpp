// gtsv_on.hpp: the cases of the tridiagonal solvers' tests, algorithm by type by layout on a backend, and what the test
// bodies share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tridiagonal.hpp"

namespace xbatch_test {

struct Case {
    Algorithm algorithm;
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchBackend_t backend;
};

template <class Choose>
std::vector<Case> cases_where(xbatchBackend_t backend, Choose is_chosen) {
    std::vector<Case> cases;
    for (Algorithm algorithm : all_algorithms)
        for (xbatchDataType_t type : all_types)
            for (xbatchLayout_t layout : all_layouts)
                if (is_chosen(entry(algorithm))) cases.push_back({algorithm, type, layout, backend});
    return cases;
}
inline std::vector<Case> cases_of(xbatchBackend_t backend) {
    return cases_where(backend, [](const Entry &) { return true; });
}
inline std::vector<Case> cases_of(xbatchBackend_t backend, bool pivoted) {
    return cases_where(backend, [=](const Entry &e) { return e.is_pivoted == pivoted; });
}

inline std::string name_of(const testing::TestParamInfo<Case> &info) {
    const Case &c = info.param;
    return std::string(1, letter(c.type)) + entry(c.algorithm).name + layout_name(c.layout);
}

class GtsvOn : public testing::TestWithParam<Case> {
protected:
    GtsvOn() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    bool is_periodic() const { return entry(GetParam().algorithm).is_periodic; }
    // In place of the function of that name: with corner entries for the periodic solver
    template <class T>
    Systems<T> make_systems(int64_t n, int64_t nrhs, int64_t batch, std::vector<Family> of, bool shared = false,
                            uint64_t seed = 1) {
        if (is_periodic() && n <= 2) std::replace(of.begin(), of.end(), 7, 18);  // 7 is singular there
        return xbatch_test::make_systems<T>(n, nrhs, batch, of, shared, seed, is_periodic());
    }
    template <class T>
    Answer<T> solve(const Systems<T> &s, Placing p) {
        return xbatch_test::solve(handle_, GetParam().algorithm, s, p);
    }
    Placing placing(int64_t n, int64_t batch, int64_t k = 0) {
        return xbatch_test::placing(GetParam().layout, n, batch, k);
    }
    // Solves and judges a batch of matrices that the algorithm must solve.
    template <class T>
    void expect_solved(const Systems<T> &s, Placing p, double bound = 32) {
        SCOPED_TRACE(testing::Message() << "n " << s.n << ", nrhs " << s.nrhs << ", batch " << s.batch << ", ldt "
                                        << p.ldt << ", ldb " << p.ldb << ", shift " << p.shift);
        const Answer<T> answer = solve(s, p);
        const Errors errors = errors_of(s, answer.x);
        EXPECT_LE(errors.backward, bound);
        EXPECT_LT(errors.ratio, 30);
        EXPECT_EQ(answer.info, std::vector<int32_t>(s.batch, p.with_info ? 0 : -1));
    }

    Handle handle_;
};

template <class T>
bool same_system(const Systems<T> &s, int64_t j, const std::vector<T> &x, const std::vector<T> &y) {
    const int64_t first = s.entry(j, 0, 0);
    return std::memcmp(&x[first], &y[first], s.nrhs * s.n * sizeof(T)) == 0;
}

constexpr int64_t sizes[] = {1,  2,   3,   4,   5,   7,   8,   11,  15,  16,  17,  31,   32,   33,   63,   64,
                             65, 127, 128, 129, 255, 256, 257, 509, 511, 512, 513, 1000, 1021, 2047, 2048, 2049};
constexpr int64_t long_sizes[] = {3500, 4095, 4096, 4097, 8191, 8192, 8193};

}  // namespace xbatch_test
