// test_cxx.cpp: the C++ interface: every function for every type, handles, errors, sizes by name, results that are
// known.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "cxx/every_routine.hpp"

namespace {

struct Float2 {  // as cuComplex
    float x, y;
};
struct Double2 {  // as cuDoubleComplex
    double x, y;
};

TEST(Cxx, EveryRoutineOfEveryType) {
    use_every_routine<float>(), use_every_routine<double>();
    use_every_routine<std::complex<float>>(), use_every_routine<std::complex<double>>();
    use_every_routine<Float2>(), use_every_routine<Double2>();
    EXPECT_EQ(xbatch::Scalar<float>::type, XBATCH_R_32F);
    EXPECT_EQ(xbatch::Scalar<double>::type, XBATCH_R_64F);
    EXPECT_EQ(xbatch::Scalar<std::complex<float>>::type, XBATCH_C_32F);
    EXPECT_EQ(xbatch::Scalar<std::complex<double>>::type, XBATCH_C_64F);
    EXPECT_EQ(xbatch::Scalar<Float2>::type, XBATCH_C_32F);
    EXPECT_EQ(xbatch::Scalar<Double2>::type, XBATCH_C_64F);
}

static_assert(!std::is_copy_constructible<xbatch::Handle>::value && !std::is_copy_assignable<xbatch::Handle>::value);
static_assert(std::is_nothrow_move_constructible<xbatch::Handle>::value);
// Sizes cannot be given by position.
static_assert(!std::is_aggregate<xbatch::Sizes>::value);
static_assert(!std::is_constructible<xbatch::Sizes, int, int, int>::value);

TEST(CxxHandle, MovesAndFrees) {
    xbatchHandle_t freed = nullptr;
    {
        xbatch::Handle first(XBATCH_BACKEND_HOST);
        freed = first;
        xbatch::Handle second(std::move(first));
        EXPECT_EQ(static_cast<xbatchHandle_t>(second), freed);
        EXPECT_EQ(static_cast<xbatchHandle_t>(first), nullptr);
        EXPECT_THROW(first.backend(), xbatch::Error);
        first = std::move(second);
        EXPECT_EQ(first.backend(), XBATCH_BACKEND_HOST);
    }
    int threads = 0;
    EXPECT_EQ(xbatchGetThreadCount(freed, &threads), XBATCH_STATUS_INVALID_HANDLE);
}

TEST(CxxHandle, Settings) {
    xbatch::Handle handle(XBATCH_BACKEND_HOST);
    int some = 0;
    handle.set_stream(&some);
    EXPECT_EQ(handle.stream(), &some);
    handle.set_thread_count(3);
    EXPECT_EQ(handle.thread_count(), 3);
}

template <class Body>
void expect_error(xbatchStatus_t status, const char *text, Body body) {
    try {
        body();
        FAIL() << "no exception; expected: " << text;
    } catch (const xbatch::Error &error) {
        EXPECT_EQ(error.status(), status);
        EXPECT_STREQ(error.what(), text);
    }
}

TEST(CxxError, HasTheTextOfTheLibrary) {
    xbatch::Handle handle(XBATCH_BACKEND_HOST);
    double a[5] = {}, b[5] = {};
    const auto sizes = xbatch::Sizes().n(5).batch(1);
    expect_error(XBATCH_STATUS_INVALID_VALUE, "xgtsvBatch: argument 9, ldt = 3, must be at least n = 5",
                 [&] { xbatch::gtsvBatch(handle, XBATCH_LAYOUT_FLAT, sizes, a, a, a, 3, b, 5); });
    expect_error(XBATCH_STATUS_INVALID_VALUE, "xgtsvBatch_bufferSize: argument 5, batch = -1, must be at least 0",
                 [&] { xbatch::gtsvBatch(handle, XBATCH_LAYOUT_FLAT, xbatch::Sizes().n(5), a, a, a, 5, b, 5); });
    expect_error(XBATCH_STATUS_INVALID_VALUE, "xbatchCreate: argument 2, backend = 9, must be one of 0 … 2",
                 [] { xbatch::Handle wrong(static_cast<xbatchBackend_t>(9)); });
    expect_error(XBATCH_STATUS_INVALID_HANDLE, "the handle is NULL or was destroyed", [&] {
        const xbatch::Handle moved(std::move(handle));
        xbatch::gtsvBatch(handle, XBATCH_LAYOUT_FLAT, sizes, a, a, a, 5, b, 5);
    });
}

constexpr int64_t n = 5, nrhs = 2, batch = 3;

// -x_{i-1} + 4 x_i - x_{i+1} for x_i = 1
template <class Element>
std::vector<Element> right_hand_sides() {
    std::vector<Element> b(n * nrhs * batch, Element(2));
    for (size_t k = 0; k < b.size(); k += n) b[k] = b[k + n - 1] = Element(3);
    return b;
}

template <class Element>
void expect_ones(const std::vector<Element> &x) {
    for (const Element &value : x) EXPECT_LE(std::abs(value - Element(1)), 1e-6);
}

template <class Element>
class CxxOf : public testing::Test {
protected:
    xbatch::Handle handle_{XBATCH_BACKEND_HOST};
    const std::vector<Element> off_ = std::vector<Element>(n, Element(-1)),
                               diagonal_ = std::vector<Element>(n, Element(4));
    const xbatch::Sizes sizes_ = xbatch::Sizes().batch(batch).nrhs(nrhs).n(n);
};
using Elements = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CxxOf, Elements);

TYPED_TEST(CxxOf, SolvesWithItsOwnWorkspace) {
    auto b = right_hand_sides<TypeParam>();
    std::vector<int32_t> info(batch, -1);
    xbatch::gtsvBatch(this->handle_, XBATCH_LAYOUT_FLAT, this->sizes_, this->off_.data(), this->diagonal_.data(),
                      this->off_.data(), 0, b.data(), n, info.data());
    expect_ones(b);
    EXPECT_EQ(info, std::vector<int32_t>(batch, 0));
}

TYPED_TEST(CxxOf, SolvesInAGivenWorkspace) {
    auto b = right_hand_sides<TypeParam>();
    const size_t bytes = xbatch::gtsvBatch_bufferSize<TypeParam>(this->handle_, XBATCH_LAYOUT_FLAT, this->sizes_);
    std::vector<std::complex<double>> memory(bytes / 16 + 1);
    xbatch::gtsvBatch(this->handle_, XBATCH_LAYOUT_FLAT, this->sizes_, this->off_.data(), this->diagonal_.data(),
                      this->off_.data(), 0, b.data(), n, nullptr, {memory.data(), bytes});
    expect_ones(b);
    EXPECT_THROW(xbatch::gtsvBatch(this->handle_, XBATCH_LAYOUT_FLAT, xbatch::Sizes().n(n).batch(1), this->off_.data(),
                                   this->diagonal_.data(), this->off_.data(), 0, b.data(), n, nullptr,
                                   {reinterpret_cast<char *>(memory.data()) + 1, 0}),
                 xbatch::Error);
}

TYPED_TEST(CxxOf, SolvesWithStoredFactors) {
    auto b = right_hand_sides<TypeParam>();
    size_t bytes = 0;
    const auto sizes = this->sizes_.sets(1);
    xbatch::gttrfBatch_bufferSize<TypeParam>(this->handle_, XBATCH_LAYOUT_FLAT, sizes.batch(1), bytes);
    std::vector<std::complex<double>> factors(bytes / 16 + 1);
    xbatch::gttrfBatch(this->handle_, XBATCH_LAYOUT_FLAT, sizes.batch(1), this->off_.data(), this->diagonal_.data(),
                       this->off_.data(), n, factors.data(), nullptr, nullptr);
    xbatch::gttrsBatch(this->handle_, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, sizes, factors.data(), b.data(), n);
    expect_ones(b);
}

// Matrices by arrays of pointers: the columns of R have the length of those of A.
TYPED_TEST(CxxOf, FactorsMatricesOfDifferentSizes) {
    TypeParam a[2] = {TypeParam(3), TypeParam(4)}, c[1] = {TypeParam(7)}, tau[2];
    TypeParam *const matrices[2] = {a, c}, *const taus[2] = {tau, tau + 1};
    const int64_t m[2] = {2, 1};
    xbatch::geqrfVBatch(this->handle_, xbatch::Sizes().mMax(2).nMax(1).batch(2), m, nullptr, matrices, 2, nullptr,
                        taus);
    EXPECT_NEAR(std::abs(a[0]), 5, 1e-5);
    EXPECT_NEAR(std::abs(c[0]), 7, 1e-5);
}

// cuComplex and the like have no arithmetic here; moved bits show that they are read as complex numbers.
TEST(CxxComplex, OfCuda) {
    xbatch::Handle handle(XBATCH_BACKEND_HOST);
    const Double2 source[4] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    Double2 moved[4] = {};
    xbatch::rearrange(handle, xbatch::Sizes().n(2).batch(2), XBATCH_LAYOUT_FLAT, source, 2, XBATCH_LAYOUT_INTERLEAVED,
                      moved, 2);
    EXPECT_EQ(moved[1].x, 5);
    EXPECT_EQ(moved[1].y, 6);
}

}  // namespace
