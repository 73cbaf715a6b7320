// test_task_tiles.cpp: the library's own tasks on tiles, on every backend. Each operation with all its options compared
// with the definition in wider arithmetic; elements that must not be accessed are NaN and unchanged; tiled Cholesky,
// checked by |A - L L^H|; failures; every argument made invalid in turn.
//
// For products, |X - reference| <= 30 eps k |op(A)| |op(B)| element by element, in the moduli of the definition; for
// triangular systems the same for the residual op(A) X - alpha B.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support/fixtures/array.hpp"
#include "support/fixtures/task_graph.hpp"
#include "support/generators/random.hpp"

namespace xbatch_test {
namespace {

template <class T>
Wide<T> wide(T value) {
    return Wide<T>(value);
}
template <class T>
Wide<T> conjugated(Wide<T> value) {
    if constexpr (is_complex<T>)
        return std::conj(value);
    else
        return value;
}

// Whether an element is in a triangle
bool is_in(xbatchUplo_t uplo, int64_t i, int64_t j) { return uplo == XBATCH_UPLO_LOWER ? i >= j : i <= j; }

// A tile in a backend's memory, surrounded by NaN and NaN where not set
template <class T>
class Tile {
public:
    Tile(xbatchBackend_t where, int64_t rows, int64_t columns)
        : rows_(rows),
          columns_(columns),
          ld_(rows + 3),
          array_(where, ld_ * columns + 1),
          initial_(size_t(rows * columns)) {}

    T *data() { return array_.data(); }
    int64_t ld() const { return ld_; }
    int64_t rows() const { return rows_; }
    int64_t columns() const { return columns_; }
    void set(int64_t i, int64_t j, T value) { array_.set(j * ld_ + i, value), initial_[size_t(j * rows_ + i)] = value; }
    void fill(Random &random) {
        for (int64_t j = 0; j < columns_; ++j)
            for (int64_t i = 0; i < rows_; ++i) set(i, j, random.unit<T>());
    }
    void may_change(int64_t i, int64_t j) { array_.may_change(j * ld_ + i); }
    void may_change_all() {
        for (int64_t j = 0; j < columns_; ++j)
            for (int64_t i = 0; i < rows_; ++i) may_change(i, j);
    }
    void upload() { array_.upload(); }
    void download() { array_.download(); }
    bool intact() const { return array_.intact(); }
    Wide<T> initial(int64_t i, int64_t j) const { return wide(initial_[size_t(j * rows_ + i)]); }
    Wide<T> result(int64_t i, int64_t j) const { return wide(array_[j * ld_ + i]); }
    // The elements of one triangle
    std::vector<Wide<T>> results(xbatchUplo_t uplo) const {
        std::vector<Wide<T>> all;
        for (int64_t j = 0; j < columns_; ++j)
            for (int64_t i = 0; i < rows_; ++i)
                if (is_in(uplo, i, j)) all.push_back(result(i, j));
        return all;
    }
    // Restores the content before a run
    void reset(xbatchUplo_t uplo) {
        for (int64_t j = 0; j < columns_; ++j)
            for (int64_t i = 0; i < rows_; ++i)
                if (is_in(uplo, i, j)) array_.set(j * ld_ + i, initial_[size_t(j * rows_ + i)]);
    }
    Wide<T> applied(xbatchOperation_t op, int64_t i, int64_t j) const {
        return op == XBATCH_OP_N ? initial(i, j) : op == XBATCH_OP_T ? initial(j, i) : conjugated<T>(initial(j, i));
    }

private:
    int64_t rows_, columns_, ld_;
    Array<T> array_;
    std::vector<T> initial_;
};

// A final graph on a backend, and its runs
class TileRun {
public:
    TileRun(xbatchHandle_t handle, Graph &graph) : handle_(handle), graph_(graph) {
        graph.finalize();
        size_t bytes = 0;
        EXPECT_EQ(xbatchTaskGraphUpload_bufferSize(handle, graph, &bytes), XBATCH_STATUS_SUCCESS);
        if (bytes > 0) image_ = device_allocate(bytes);
        EXPECT_EQ(xbatchTaskGraphUpload(handle, graph, image_, bytes), XBATCH_STATUS_SUCCESS) << graph.message();
    }
    ~TileRun() {
        if (image_) device_free(image_);
    }
    TileRun(const TileRun &) = delete;
    TileRun &operator=(const TileRun &) = delete;
    xbatchStatus_t run() {
        const xbatchStatus_t status = xbatchTaskGraphRunTiles(handle_, graph_, image_);
        return status == XBATCH_STATUS_SUCCESS ? xbatchTaskGraphSynchronize(handle_, graph_, image_) : status;
    }
    void *image() const { return image_; }

private:
    xbatchHandle_t handle_;
    Graph &graph_;
    void *image_ = nullptr;
};

class TaskTiles : public testing::TestWithParam<std::tuple<xbatchBackend_t, xbatchDataType_t>> {
protected:
    TaskTiles() : handle_(backend()) {}
    static xbatchBackend_t backend() { return std::get<0>(GetParam()); }
    static xbatchDataType_t type() { return std::get<1>(GetParam()); }

    // Adds tasks by add(graph), runs them on these tiles, and checks that nothing else changed.
    template <class T>
    void run(const std::function<xbatchStatus_t(Graph &)> &add, const std::vector<Tile<T> *> &tiles) {
        Graph graph(handle_);
        EXPECT_EQ(add(graph), XBATCH_STATUS_SUCCESS) << graph.message();
        for (Tile<T> *tile : tiles) tile->upload();
        TileRun work(handle_, graph);
        EXPECT_EQ(work.run(), XBATCH_STATUS_SUCCESS) << graph.message();
        for (Tile<T> *tile : tiles) {
            tile->download();
            EXPECT_TRUE(tile->intact());
        }
    }

    Handle handle_;
};
using TaskTilesCase = std::tuple<xbatchBackend_t, xbatchDataType_t>;
std::string name_of(const testing::TestParamInfo<TaskTilesCase> &info) {
    return std::string(1, letter(std::get<1>(info.param)));
}
INSTANTIATE_TEST_SUITE_P(Host, TaskTiles,
                         testing::Combine(testing::Values(XBATCH_BACKEND_HOST), testing::ValuesIn(all_types)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, TaskTiles,
                         testing::Combine(testing::Values(XBATCH_BACKEND_CUDA), testing::ValuesIn(all_types)), name_of);

constexpr int64_t sizes[] = {0, 1, 15, 16, 17, 64, 70, 131};
constexpr double limit = 30;

// Whether a value is within `limit` rounding errors of k terms with sum of moduli `size`
template <class T>
void expect_near(Wide<T> value, Wide<T> expected, int64_t k, long double size, const char *what) {
    const long double bound = limit * unit_roundoff<T> * (double(k) + 2) * size;
    EXPECT_TRUE(modulus(value - expected) <= bound) << what << ": off by " << double(modulus(value - expected));
}

TEST_P(TaskTiles, CopySetAxpy) {
    XBATCH_NEEDS(handle_);
    with_type(type(), [&](auto zero) {
        using T = decltype(zero);
        Random random(1);
        for (int64_t m : sizes)
            for (int64_t n : {int64_t(0), int64_t(7), m}) {
                Tile<T> A(backend(), m, n), B(backend(), m, n), C(backend(), m, n);
                A.fill(random), C.fill(random);
                B.may_change_all(), C.may_change_all();
                run<T>(
                    [&](Graph &graph) {
                        xbatchTaskGraphAddSet(handle_, graph, type(), m, n, 7, 9, B.data(), B.ld(), nullptr);
                        xbatchTaskGraphAddCopy(handle_, graph, type(), m, n, A.data(), A.ld(), B.data(), B.ld(),
                                               nullptr);
                        xbatchTaskGraphAddAxpy(handle_, graph, type(), m, n, 0.5, B.data(), B.ld(), C.data(), C.ld(),
                                               nullptr);
                        return xbatchTaskGraphAddSet(handle_, graph, type(), m, n, -2, 3, B.data(), B.ld(), nullptr);
                    },
                    {&A, &B, &C});
                for (int64_t j = 0; j < n; ++j)
                    for (int64_t i = 0; i < m; ++i) {
                        EXPECT_EQ(B.result(i, j), Wide<T>(i == j ? 3 : -2));
                        expect_near<T>(C.result(i, j), C.initial(i, j) + A.initial(i, j) * Wide<T>(0.5L), 1, 2, "axpy");
                    }
            }
    });
}

constexpr xbatchOperation_t all_operations[] = {XBATCH_OP_N, XBATCH_OP_T, XBATCH_OP_C};

template <class T>
Tile<T> operand(xbatchBackend_t where, xbatchOperation_t op, int64_t rows, int64_t columns) {
    return op == XBATCH_OP_N ? Tile<T>(where, rows, columns) : Tile<T>(where, columns, rows);
}

TEST_P(TaskTiles, Gemm) {
    XBATCH_NEEDS(handle_);
    with_type(type(), [&](auto zero) {
        using T = decltype(zero);
        Random random(2);
        int count = 0;
        for (int64_t m : sizes)
            for (int64_t n : {int64_t(1), int64_t(40), m})
                for (int64_t k : {int64_t(0), int64_t(3), int64_t(33)}) {
                    const xbatchOperation_t op_a = all_operations[count % 3], op_b = all_operations[count / 3 % 3];
                    const double beta = count % 4 == 0 ? 0 : -1, alpha = count % 5 == 0 ? 1 : 0.75;
                    ++count;
                    auto A = operand<T>(backend(), op_a, m, k), B = operand<T>(backend(), op_b, k, n);
                    Tile<T> C(backend(), m, n);
                    A.fill(random), B.fill(random);
                    if (beta != 0) C.fill(random);  // otherwise it is NaN
                    C.may_change_all();
                    run<T>(
                        [&](Graph &graph) {
                            return xbatchTaskGraphAddGemm(handle_, graph, type(), op_a, op_b, m, n, k, alpha, A.data(),
                                                          A.ld(), B.data(), B.ld(), beta, C.data(), C.ld(), nullptr);
                        },
                        {&A, &B, &C});
                    for (int64_t j = 0; j < n; ++j)
                        for (int64_t i = 0; i < m; ++i) {
                            Wide<T> sum = beta == 0 ? Wide<T>(0) : C.initial(i, j) * Wide<T>(beta);
                            long double size = modulus(sum);
                            for (int64_t p = 0; p < k; ++p) {
                                const Wide<T> term = Wide<T>(alpha) * A.applied(op_a, i, p) * B.applied(op_b, p, j);
                                sum += term, size += modulus(term);
                            }
                            expect_near<T>(C.result(i, j), sum, k, size, "gemm");
                        }
                }
    });
}

TEST_P(TaskTiles, Herk) {
    XBATCH_NEEDS(handle_);
    with_type(type(), [&](auto zero) {
        using T = decltype(zero);
        Random random(3);
        for (int64_t n : sizes)
            for (int64_t k : {int64_t(0), int64_t(20)})
                for (xbatchUplo_t uplo : {XBATCH_UPLO_LOWER, XBATCH_UPLO_UPPER})
                    for (xbatchOperation_t op : {XBATCH_OP_N, XBATCH_OP_C}) {
                        auto A = operand<T>(backend(), op, n, k);
                        Tile<T> C(backend(), n, n);
                        A.fill(random);
                        for (int64_t j = 0; j < n; ++j)
                            for (int64_t i = 0; i < n; ++i)
                                if (is_in(uplo, i, j)) C.set(i, j, random.unit<T>()), C.may_change(i, j);
                        run<T>(
                            [&](Graph &graph) {
                                return xbatchTaskGraphAddHerk(handle_, graph, type(), uplo, op, n, k, -1, A.data(),
                                                              A.ld(), 2, C.data(), C.ld(), nullptr);
                            },
                            {&A, &C});
                        for (int64_t j = 0; j < n; ++j)
                            for (int64_t i = 0; i < n; ++i) {
                                if (!is_in(uplo, i, j)) continue;
                                Wide<T> sum = C.initial(i, j) * Wide<T>(2);
                                for (int64_t p = 0; p < k; ++p)
                                    sum -= A.applied(op, i, p) * conjugated<T>(A.applied(op, j, p));
                                if (i == j) sum = Wide<T>(std::real(sum));
                                expect_near<T>(C.result(i, j), sum, k, 2 + (long double)(k), "herk");
                            }
                    }
    });
}

struct TrsmCase {
    xbatchSide_t side;
    xbatchUplo_t uplo;
    xbatchOperation_t op;
    xbatchDiag_t diag;
};

template <class T>
void fill_triangle(Tile<T> &A, const TrsmCase &c, Random &random) {
    for (int64_t j = 0; j < A.columns(); ++j)
        for (int64_t i = 0; i < A.rows(); ++i)
            if (is_in(c.uplo, i, j) && !(i == j && c.diag == XBATCH_DIAG_UNIT))
                A.set(i, j, i == j ? scalar<T>(2, 0.5) : random.unit<T>() * T(Real<T>(1.0 / double(A.rows()))));
}

// The element of op(A) as the operation reads it, with its other triangle and its diagonal
template <class T>
Wide<T> triangle(const Tile<T> &A, const TrsmCase &c, int64_t i, int64_t j) {
    if (i == j && c.diag == XBATCH_DIAG_UNIT) return Wide<T>(1);
    const bool is_stored = c.op == XBATCH_OP_N ? is_in(c.uplo, i, j) : is_in(c.uplo, j, i);
    return is_stored ? A.applied(c.op, i, j) : Wide<T>(0);
}

template <class T>
void expect_solved(const Tile<T> &A, const Tile<T> &B, const TrsmCase &c, long double alpha) {
    const bool is_left = c.side == XBATCH_SIDE_LEFT;
    for (int64_t j = 0; j < B.columns(); ++j)
        for (int64_t i = 0; i < B.rows(); ++i) {
            Wide<T> sum = 0;
            long double size = modulus(B.initial(i, j));
            for (int64_t p = 0; p < A.rows(); ++p) {
                const Wide<T> term =
                    is_left ? triangle(A, c, i, p) * B.result(p, j) : B.result(i, p) * triangle(A, c, p, j);
                sum += term, size += modulus(term);
            }
            expect_near<T>(sum, B.initial(i, j) * Wide<T>(alpha), A.rows(), size, "trsm");
        }
}

TEST_P(TaskTiles, Trsm) {
    XBATCH_NEEDS(handle_);
    with_type(type(), [&](auto zero) {
        using T = decltype(zero);
        Random random(4);
        for (int64_t order : sizes)
            for (int which = 0; which < 24; ++which) {
                const TrsmCase c = {static_cast<xbatchSide_t>(which & 1), static_cast<xbatchUplo_t>(which >> 1 & 1),
                                    all_operations[which % 3], static_cast<xbatchDiag_t>(which >> 2 & 1)};
                const int64_t other = which % 5 * 9;
                const double alpha = which % 4 == 0 ? 1 : -0.5;
                const int64_t m = c.side == XBATCH_SIDE_LEFT ? order : other, n = order + other - m;
                Tile<T> A(backend(), order, order), B(backend(), m, n);
                fill_triangle(A, c, random);
                B.fill(random), B.may_change_all();
                run<T>(
                    [&](Graph &graph) {
                        return xbatchTaskGraphAddTrsm(handle_, graph, type(), c.side, c.uplo, c.op, c.diag, m, n, alpha,
                                                      A.data(), A.ld(), B.data(), B.ld(), nullptr);
                    },
                    {&A, &B});
                expect_solved(A, B, c, alpha);
            }
    });
}

// Hermitian, entries below 1 and a dominant diagonal; only the used triangle is set
template <class T>
void fill_positive(Tile<T> &A, xbatchUplo_t uplo, Random &random) {
    for (int64_t j = 0; j < A.columns(); ++j)
        for (int64_t i = 0; i < A.rows(); ++i)
            if (is_in(uplo, i, j)) {
                A.set(i, j, i == j ? scalar<T>(double(A.rows() + 1)) : random.unit<T>());
                A.may_change(i, j);
            }
}

// |A - L L^H| of one triangle, element by element
template <class T>
void expect_factored(const Tile<T> &A, xbatchUplo_t uplo) {
    const int64_t n = A.rows();
    const auto L = [&](int64_t i, int64_t j) {
        return uplo == XBATCH_UPLO_LOWER ? A.result(i, j) : conjugated<T>(A.result(j, i));
    };
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) {
            Wide<T> sum = 0;
            for (int64_t p = 0; p <= j; ++p) sum += L(i, p) * conjugated<T>(L(j, p));
            const Wide<T> entry = uplo == XBATCH_UPLO_LOWER ? A.initial(i, j) : conjugated<T>(A.initial(j, i));
            expect_near<T>(sum, entry, n, (long double)(n + 1), "factor");
        }
}

TEST_P(TaskTiles, Potrf) {
    XBATCH_NEEDS(handle_);
    with_type(type(), [&](auto zero) {
        using T = decltype(zero);
        Random random(5);
        for (int64_t n : sizes)
            for (xbatchUplo_t uplo : {XBATCH_UPLO_LOWER, XBATCH_UPLO_UPPER}) {
                Tile<T> A(backend(), n, n);
                fill_positive(A, uplo, random);
                run<T>(
                    [&](Graph &graph) {
                        return xbatchTaskGraphAddPotrf(handle_, graph, type(), uplo, n, A.data(), A.ld(), nullptr);
                    },
                    {&A});
                expect_factored(A, uplo);
            }
    });
}

// Tiled Cholesky in serial program order
template <class T>
void add_cholesky(xbatchHandle_t handle, Graph &graph, Tile<T> &A, int64_t nb) {
    const int64_t n = A.rows();
    const auto rows = [&](int64_t i) { return std::min(nb, n - i * nb); };
    const auto at = [&](int64_t i, int64_t j) { return A.data() + j * nb * A.ld() + i * nb; };
    constexpr auto type = Traits<T>::type;
    const auto check = [&](xbatchStatus_t status) { EXPECT_EQ(status, XBATCH_STATUS_SUCCESS) << graph.message(); };
    for (int64_t k = 0; k * nb < n; ++k) {
        check(xbatchTaskGraphAddPotrf(handle, graph, type, XBATCH_UPLO_LOWER, rows(k), at(k, k), A.ld(), nullptr));
        for (int64_t i = k + 1; i * nb < n; ++i)
            check(xbatchTaskGraphAddTrsm(handle, graph, type, XBATCH_SIDE_RIGHT, XBATCH_UPLO_LOWER, XBATCH_OP_C,
                                         XBATCH_DIAG_NON_UNIT, rows(i), rows(k), 1, at(k, k), A.ld(), at(i, k), A.ld(),
                                         nullptr));
        for (int64_t j = k + 1; j * nb < n; ++j) {
            check(xbatchTaskGraphAddHerk(handle, graph, type, XBATCH_UPLO_LOWER, XBATCH_OP_N, rows(j), rows(k), -1,
                                         at(j, k), A.ld(), 1, at(j, j), A.ld(), nullptr));
            for (int64_t i = j + 1; i * nb < n; ++i)
                check(xbatchTaskGraphAddGemm(handle, graph, type, XBATCH_OP_N, XBATCH_OP_C, rows(i), rows(j), rows(k),
                                             -1, at(i, k), A.ld(), at(j, k), A.ld(), 1, at(i, j), A.ld(), nullptr));
        }
    }
}

TEST_P(TaskTiles, CholeskyByTiles) {
    XBATCH_NEEDS(handle_);
    with_type(type(), [&](auto zero) {
        using T = decltype(zero);
        Random random(6);
        for (int64_t n : {1, 50, 200})
            for (int64_t nb : {16, 33, 64}) {
                Tile<T> A(backend(), n, n);
                fill_positive(A, XBATCH_UPLO_LOWER, random);
                A.upload();
                Graph graph(handle_);
                add_cholesky(handle_, graph, A, nb);
                TileRun work(handle_, graph);
                EXPECT_EQ(work.run(), XBATCH_STATUS_SUCCESS) << graph.message();
                A.download();
                EXPECT_TRUE(A.intact());
                expect_factored(A, XBATCH_UPLO_LOWER);
                const std::vector<Wide<T>> factor = A.results(XBATCH_UPLO_LOWER);
                A.reset(XBATCH_UPLO_LOWER), A.upload();
                EXPECT_EQ(work.run(), XBATCH_STATUS_SUCCESS) << graph.message();
                A.download();
                EXPECT_EQ(A.results(XBATCH_UPLO_LOWER), factor) << "the same bits again";
            }
    });
}

// The number of the failing minor, in every block of columns; and the task that failed
TEST_P(TaskTiles, NotPositive) {
    XBATCH_NEEDS(handle_);
    with_type(type(), [&](auto zero) {
        using T = decltype(zero);
        Random random(7);
        for (int bad : {0, 15, 16, 40}) {
            Tile<T> A(backend(), 41, 41);
            fill_positive(A, XBATCH_UPLO_LOWER, random);
            A.set(bad, bad, scalar<T>(bad == 15 ? std::nan("") : -1.0));
            A.upload();
            Graph graph(handle_);
            int64_t task = -1, failed = -1;
            int code = 0;
            EXPECT_EQ(xbatchTaskGraphAddPotrf(handle_, graph, type(), XBATCH_UPLO_LOWER, 41, A.data(), A.ld(), &task),
                      XBATCH_STATUS_SUCCESS);
            TileRun work(handle_, graph);
            EXPECT_EQ(work.run(), XBATCH_STATUS_EXECUTION_FAILED);
            EXPECT_EQ(xbatchTaskGraphGetFailure(handle_, graph, &failed, &code), XBATCH_STATUS_SUCCESS);
            EXPECT_EQ(failed, task);
            EXPECT_EQ(code, bad + 1);
        }
    });
}

// A call with one invalid argument, which must be reported
struct Wrong {
    const char *words;
    std::function<xbatchStatus_t(xbatchHandle_t, xbatchTaskGraph_t)> call;
};

// The call with these arguments after handle and graph
template <class Function, class... Arguments>
Wrong wrong(const char *words, Function *function, Arguments... arguments) {
    return {words, [=](xbatchHandle_t h, xbatchTaskGraph_t g) { return function(h, g, arguments..., nullptr); }};
}
// A value of an enumeration that has no name for it
template <class Enumerator>
Enumerator none(int number, Enumerator) {
    return static_cast<Enumerator>(number);
}

constexpr auto D = XBATCH_R_64F;
constexpr auto N = XBATCH_OP_N;
constexpr auto LO = XBATCH_UPLO_LOWER;
constexpr auto LEFT = XBATCH_SIDE_LEFT;
constexpr auto UNIT = XBATCH_DIAG_UNIT;
constexpr int64_t far = 1 << 20, beyond = int64_t(1) << 31;
double a[4], b[4], c[4];

std::vector<Wrong> wrong_elementwise(int number) {
    return {wrong("Copy: argument 2, type", xbatchTaskGraphAddCopy, none(number, D), 2, 2, a, 2, b, 2),
            wrong("Copy: argument 3, m", xbatchTaskGraphAddCopy, D, -1, 2, a, 2, b, 2),
            wrong("Copy: argument 4, n", xbatchTaskGraphAddCopy, D, 2, far, a, 2, b, 2),
            wrong("Copy: argument 5, A", xbatchTaskGraphAddCopy, D, 2, 2, nullptr, 2, b, 2),
            wrong("Copy: argument 6, lda", xbatchTaskGraphAddCopy, D, 2, 2, a, 1, b, 2),
            wrong("Copy: argument 7, B", xbatchTaskGraphAddCopy, D, 2, 2, a, 2, nullptr, 2),
            wrong("Copy: argument 7, B", xbatchTaskGraphAddCopy, D, 2, 2, a, 2, a, 2),
            wrong("Copy: argument 8, ldb", xbatchTaskGraphAddCopy, D, 2, 2, a, 2, b, beyond),
            wrong("Set: argument 2, type", xbatchTaskGraphAddSet, none(number, D), 2, 2, 0, 1, a, 2),
            wrong("Set: argument 3, m", xbatchTaskGraphAddSet, D, -1, 2, 0, 1, a, 2),
            wrong("Set: argument 4, n", xbatchTaskGraphAddSet, D, 2, -1, 0, 1, a, 2),
            wrong("Set: argument 7, A", xbatchTaskGraphAddSet, D, 2, 2, 0, 1, nullptr, 2),
            wrong("Set: argument 8, lda", xbatchTaskGraphAddSet, D, 2, 2, 0, 1, a, 0),
            wrong("Axpy: argument 2, type", xbatchTaskGraphAddAxpy, none(number, D), 2, 2, 1, a, 2, b, 2),
            wrong("Axpy: argument 3, m", xbatchTaskGraphAddAxpy, D, far, 2, 1, a, 2, b, 2),
            wrong("Axpy: argument 4, n", xbatchTaskGraphAddAxpy, D, 2, -1, 1, a, 2, b, 2),
            wrong("Axpy: argument 6, A", xbatchTaskGraphAddAxpy, D, 2, 2, 1, nullptr, 2, b, 2),
            wrong("Axpy: argument 7, lda", xbatchTaskGraphAddAxpy, D, 2, 2, 1, a, 1, b, 2),
            wrong("Axpy: argument 8, B", xbatchTaskGraphAddAxpy, D, 2, 2, 1, a, 2, nullptr, 2),
            wrong("Axpy: argument 9, ldb", xbatchTaskGraphAddAxpy, D, 2, 2, 1, a, 2, b, 1)};
}

std::vector<Wrong> wrong_products(int number) {
    return {
        wrong("Gemm: argument 2, type", xbatchTaskGraphAddGemm, none(number, D), N, N, 2, 2, 2, 1, a, 2, b, 2, 1, c, 2),
        wrong("Gemm: argument 3, opA", xbatchTaskGraphAddGemm, D, none(number, N), N, 2, 2, 2, 1, a, 2, b, 2, 1, c, 2),
        wrong("Gemm: argument 4, opB", xbatchTaskGraphAddGemm, D, N, none(number, N), 2, 2, 2, 1, a, 2, b, 2, 1, c, 2),
        wrong("Gemm: argument 5, m", xbatchTaskGraphAddGemm, D, N, N, -1, 2, 2, 1, a, 2, b, 2, 1, c, 2),
        wrong("Gemm: argument 6, n", xbatchTaskGraphAddGemm, D, N, N, 2, -1, 2, 1, a, 2, b, 2, 1, c, 2),
        wrong("Gemm: argument 7, k", xbatchTaskGraphAddGemm, D, N, N, 2, 2, far, 1, a, 2, b, 2, 1, c, 2),
        wrong("Gemm: argument 9, A", xbatchTaskGraphAddGemm, D, N, N, 2, 2, 2, 1, nullptr, 2, b, 2, 1, c, 2),
        wrong("Gemm: argument 10, lda", xbatchTaskGraphAddGemm, D, N, N, 2, 2, 1, 1, a, 1, b, 1, 1, c, 2),
        wrong("Gemm: argument 11, B", xbatchTaskGraphAddGemm, D, N, N, 2, 2, 2, 1, a, 2, nullptr, 2, 1, c, 2),
        wrong("Gemm: argument 12, ldb", xbatchTaskGraphAddGemm, D, N, N, 1, 1, 2, 1, a, 1, b, 1, 1, c, 1),
        wrong("Gemm: argument 14, C", xbatchTaskGraphAddGemm, D, N, N, 2, 2, 2, 1, a, 2, b, 2, 1, b, 2),
        wrong("Gemm: argument 14, C", xbatchTaskGraphAddGemm, D, N, N, 2, 2, 2, 1, a, 2, b, 2, 1, nullptr, 2),
        wrong("Gemm: argument 15, ldc", xbatchTaskGraphAddGemm, D, N, N, 2, 2, 2, 1, a, 2, b, 2, 1, c, 1),
        wrong("Herk: argument 2, type", xbatchTaskGraphAddHerk, none(number, D), LO, N, 2, 2, 1, a, 2, 1, c, 2),
        wrong("Herk: argument 3, uplo", xbatchTaskGraphAddHerk, D, none(number, LO), N, 2, 2, 1, a, 2, 1, c, 2),
        wrong("Herk: argument 4, op", xbatchTaskGraphAddHerk, D, LO, none(number, N), 2, 2, 1, a, 2, 1, c, 2),
        wrong("Herk: argument 4, op", xbatchTaskGraphAddHerk, XBATCH_C_64F, LO, XBATCH_OP_T, 1, 1, 1, a, 2, 1, c, 2),
        wrong("Herk: argument 5, n", xbatchTaskGraphAddHerk, D, LO, N, -1, 2, 1, a, 2, 1, c, 2),
        wrong("Herk: argument 6, k", xbatchTaskGraphAddHerk, D, LO, N, 2, -1, 1, a, 2, 1, c, 2),
        wrong("Herk: argument 8, A", xbatchTaskGraphAddHerk, D, LO, N, 2, 2, 1, nullptr, 2, 1, c, 2),
        wrong("Herk: argument 9, lda", xbatchTaskGraphAddHerk, D, LO, XBATCH_OP_C, 1, 2, 1, a, 1, 1, c, 2),
        wrong("Herk: argument 11, C", xbatchTaskGraphAddHerk, D, LO, N, 2, 2, 1, a, 2, 1, a, 2),
        wrong("Herk: argument 12, ldc", xbatchTaskGraphAddHerk, D, LO, N, 2, 2, 1, a, 2, 1, c, 1)};
}

std::vector<Wrong> wrong_triangular(int number) {
    return {
        wrong("Trsm: argument 2, type", xbatchTaskGraphAddTrsm, none(number, D), LEFT, LO, N, UNIT, 2, 2, 1, a, 2, b,
              2),
        wrong("Trsm: argument 3, side", xbatchTaskGraphAddTrsm, D, none(number, LEFT), LO, N, UNIT, 2, 2, 1, a, 2, b,
              2),
        wrong("Trsm: argument 4, uplo", xbatchTaskGraphAddTrsm, D, LEFT, none(number, LO), N, UNIT, 2, 2, 1, a, 2, b,
              2),
        wrong("Trsm: argument 5, op", xbatchTaskGraphAddTrsm, D, LEFT, LO, none(number, N), UNIT, 2, 2, 1, a, 2, b, 2),
        wrong("Trsm: argument 6, diag", xbatchTaskGraphAddTrsm, D, LEFT, LO, N, none(number, UNIT), 2, 2, 1, a, 2, b,
              2),
        wrong("Trsm: argument 7, m", xbatchTaskGraphAddTrsm, D, LEFT, LO, N, UNIT, -1, 2, 1, a, 2, b, 2),
        wrong("Trsm: argument 8, n", xbatchTaskGraphAddTrsm, D, LEFT, LO, N, UNIT, 2, -1, 1, a, 2, b, 2),
        wrong("Trsm: argument 10, A", xbatchTaskGraphAddTrsm, D, LEFT, LO, N, UNIT, 2, 2, 1, nullptr, 2, b, 2),
        wrong("Trsm: argument 11, lda", xbatchTaskGraphAddTrsm, D, XBATCH_SIDE_RIGHT, LO, N, UNIT, 1, 2, 1, a, 1, b, 2),
        wrong("Trsm: argument 12, B", xbatchTaskGraphAddTrsm, D, LEFT, LO, N, UNIT, 2, 2, 1, a, 2, a, 2),
        wrong("Trsm: argument 13, ldb", xbatchTaskGraphAddTrsm, D, LEFT, LO, N, UNIT, 2, 2, 1, a, 2, b, 1),
        wrong("Potrf: argument 2, type", xbatchTaskGraphAddPotrf, none(number, D), LO, 2, a, 2),
        wrong("Potrf: argument 3, uplo", xbatchTaskGraphAddPotrf, D, none(number, LO), 2, a, 2),
        wrong("Potrf: argument 4, n", xbatchTaskGraphAddPotrf, D, LO, -1, a, 2),
        wrong("Potrf: argument 5, A", xbatchTaskGraphAddPotrf, D, LO, 2, nullptr, 2),
        wrong("Potrf: argument 6, lda", xbatchTaskGraphAddPotrf, D, LO, 2, a, 1)};
}

std::vector<Wrong> wrong_calls(int number) {
    std::vector<Wrong> all = wrong_elementwise(number);
    for (const auto &more : {wrong_products(number), wrong_triangular(number)})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

TEST(TaskTilesArguments, EachMadeInvalid) {
    Handle handle(XBATCH_BACKEND_HOST);
    Graph graph(handle), final(handle);
    final.finalize();
    for (const int number : {-1, INT32_MIN})
        for (const Wrong &wrong : wrong_calls(number))
            EXPECT_EQ(wrong.call(handle, graph), XBATCH_STATUS_INVALID_VALUE) << wrong.words << " for " << number;
    for (const Wrong &wrong : wrong_calls(99)) {
        const std::string words = std::string("xbatchTaskGraphAdd") + wrong.words;
        EXPECT_EQ(wrong.call(handle, graph), XBATCH_STATUS_INVALID_VALUE) << words;
        EXPECT_EQ(std::string(handle.message()).substr(0, words.size()), words) << "in: " << handle.message();
        EXPECT_EQ(wrong.call(nullptr, graph), XBATCH_STATUS_INVALID_HANDLE);
        for (xbatchTaskGraph_t none :
             {static_cast<xbatchTaskGraph_t>(nullptr), static_cast<xbatchTaskGraph_t>(final)}) {
            EXPECT_EQ(wrong.call(handle, none), XBATCH_STATUS_INVALID_VALUE);
            EXPECT_NE(std::string(handle.message()).find("argument 1, graph"), std::string::npos) << handle.message();
        }
    }
    graph.finalize();
    int64_t tasks = -1;
    EXPECT_EQ(xbatchTaskGraphGetStatistics(handle, graph, &tasks, nullptr, nullptr, nullptr, nullptr, nullptr),
              XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(tasks, 0) << "what was refused";
}

// A graph is run by RunTiles if all its tasks are the library's, of one element type.
TEST(TaskTilesArguments, GraphsOfOtherTasks) {
    Handle handle(XBATCH_BACKEND_HOST);
    Graph users(handle), mixed(handle);
    float s[1] = {};
    double d[1] = {};
    users.add(0);
    EXPECT_EQ(xbatchTaskGraphAddSet(handle, mixed, XBATCH_R_32F, 1, 1, 0, 1, s, 1, nullptr), XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(xbatchTaskGraphAddSet(handle, mixed, XBATCH_R_64F, 1, 1, 0, 1, d, 1, nullptr), XBATCH_STATUS_SUCCESS);
    for (Graph *graph : {&users, &mixed}) {
        graph->finalize();
        EXPECT_EQ(xbatchTaskGraphRunTiles(handle, *graph, nullptr), XBATCH_STATUS_INVALID_VALUE);
    }
    EXPECT_EQ(xbatchTaskGraphRunTiles(nullptr, users, nullptr), XBATCH_STATUS_INVALID_HANDLE);
    const xbatchTaskBody_t bodies[] = {nullptr};
    EXPECT_EQ(xbatchTaskGraphRun(handle, mixed, bodies, 1, nullptr), XBATCH_STATUS_INVALID_VALUE);
}

}  // namespace
}  // namespace xbatch_test
