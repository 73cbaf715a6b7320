// test_accuracy.cpp: a table of the accuracy of the tridiagonal solvers, for each family of test matrices.
//
// For each solver the worst backward error ||Ax - b|| / (||A|| ||x|| + ||b||) and LAPACK's ratio ||Ax - b|| / (||A||
// ||x||), both in units of eps, over sizes, batches and layouts. Errors must be at most 32 (LAPACK's grow with n if all
// rows are alike), ratios below 30. This holds with pivoting for all nonsingular matrices, without pivoting for the
// dominant ones, and by LDL^T for the positive definite.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <string>

#include "support/fixtures/positive.hpp"
#include "support/fixtures/vbatch.hpp"

namespace xbatch_test {
namespace {

struct Case {
    xbatchDataType_t type;
    xbatchBackend_t backend;
};

// Symmetric and positive definite
constexpr Family positive_definite[] = {7, 18, 22, 28, 29, 30};

// The k-th batch of a family
struct Draw {
    Family family;
    int64_t n, batch, k;

    template <class T>
    Systems<T> make(bool is_periodic = false) const {
        return make_systems<T>(n, 1, batch, {family}, false, uint64_t(k + 1), is_periodic);
    }
    Placing place() const { return placing(all_layouts[k % 3], n, batch, k); }
};

struct Column {
    const char *name;
    std::function<bool(const Draw &)> is_judged;
    std::function<Errors(const Draw &)> errors;
};

template <class T>
Errors vbatch_errors(xbatchHandle_t handle, const Draw &draw) {
    std::vector<Systems<T>> systems;
    for (int64_t j = 0; j < draw.batch; ++j)  // lengths around n
        systems.push_back(make_systems<T>(draw.n - j % 3 / 2 * 2, 1, 1, {draw.family}, false, uint64_t(j + draw.k)));
    VBatchCall<T> call(handle, backend_of(handle), systems);
    call.may_write_all();
    call.run();
    Errors worst;
    for (int64_t j = 0; j < draw.batch; ++j) worst.absorb(errors_of(systems[size_t(j)], call.solution(j)));
    return worst;
}

// The errors of LAPACK's gttrf and gttrs on the same systems, for comparison only.
template <class T>
Errors lapack_errors(const Draw &draw) {
    const Systems<T> s = draw.make<T>();
    std::vector<T> x;
    for (int64_t j = 0; j < draw.batch; ++j) {
        const std::vector<T> one = lapack_gttrs(lapack_gttrf(s, j), XBATCH_OP_N, s, j, 0);
        x.insert(x.end(), one.begin(), one.end());
    }
    return errors_of(s, x);
}

template <class T>
std::vector<Column> columns_for(xbatchHandle_t handle) {
    std::vector<Column> columns;
    const auto among = [](const auto &of) {
        return [&of](const Draw &draw) { return is_among(draw.family, std::begin(of), std::end(of)); };
    };
    const auto is_regular = [](bool is_periodic) {
        return [=](const Draw &draw) { return is_solvable<T>(draw.family, draw.n, is_periodic); };
    };
    columns.push_back({"LAPACK", is_regular(false), lapack_errors<T>});
    for (Algorithm algorithm : all_algorithms) {
        const Entry &e = entry(algorithm);
        const auto errors = [=](const Draw &draw) {
            const Systems<T> s = draw.make<T>(entry(algorithm).is_periodic);
            return errors_of(s, solve(handle, algorithm, s, draw.place()).x);
        };
        if (e.is_pivoted)
            columns.push_back({e.name, is_regular(e.is_periodic), errors});
        else
            columns.push_back({e.name, among(dominant_families), errors});
    }
    columns.push_back({"VBatch", is_regular(false), [=](const Draw &draw) { return vbatch_errors<T>(handle, draw); }});
    columns.push_back({"gttrs", is_regular(false), [=](const Draw &draw) {
                           const Systems<T> s = draw.make<T>();
                           return errors_of(s, Factored<T>(handle, s, draw.place()).solve());
                       }});
    columns.push_back({"ptsv", among(positive_definite), [=](const Draw &draw) {
                           const Systems<T> s = draw.make<T>();
                           return errors_of(s, solve_positive(handle, s, draw.place()).x);
                       }});
    return columns;
}

class Accuracy : public testing::TestWithParam<Case> {
protected:
    Accuracy() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    void table_over(const std::vector<int64_t> &sizes) {
        with_type(GetParam().type, [&](auto zero) { this->table_of<decltype(zero)>(sizes); });
    }

private:
    template <class T>
    void table_of(const std::vector<int64_t> &sizes) {
        const std::vector<Column> columns = columns_for<T>(handle_);
        std::printf("\n%s, %c: worst backward error / ratio, in eps\n\n| family |", backend_name(GetParam().backend),
                    letter(GetParam().type));
        for (const Column &column : columns) std::printf(" %s |", column.name);
        std::printf("\n|---|");
        for (size_t k = 0; k < columns.size(); ++k) std::printf("---|");
        std::printf("\n");
        for (Family family : families) {
            std::printf("| %d |", family);
            for (const Column &column : columns) {
                const bool is_ours = &column != &columns[0];
                const Errors worst = print_cell(column, family, sizes);
                if (is_ours && (!(worst.backward <= 32) || !(worst.ratio < 30)))
                    ADD_FAILURE() << column.name << ", family " << family;
            }
            std::printf("\n");
        }
    }
    static Errors print_cell(const Column &column, Family family, const std::vector<int64_t> &sizes) {
        Errors worst;
        bool is_judged = false;
        int64_t k = 0;
        for (int64_t n : sizes)
            for (int64_t batch : {2, 35}) {
                const Draw draw{family, n, n > 10000 ? 2 : batch, k++};
                if (!column.is_judged(draw)) continue;
                is_judged = true;
                worst.absorb(column.errors(draw));
            }
        if (is_judged)
            std::printf(" %.1f / %.1f |", double(worst.backward), double(worst.ratio));
        else
            std::printf(" |");
        return worst;
    }

    Handle handle_;
};

TEST_P(Accuracy, Table) { table_over({7, 64, 513, 2050}); }
TEST_P(Accuracy, TableFull) { table_over({3, 7, 8, 33, 64, 127, 256, 513, 1000, 2047, 2050, 8193, 20000, 100003}); }

std::vector<Case> cases_of(xbatchBackend_t backend) { return {{XBATCH_R_64F, backend}, {XBATCH_R_32F, backend}}; }
std::string name_of(const testing::TestParamInfo<Case> &info) { return std::string(1, letter(info.param.type)); }

INSTANTIATE_TEST_SUITE_P(Host, Accuracy, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, Accuracy, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);

}  // namespace
}  // namespace xbatch_test
