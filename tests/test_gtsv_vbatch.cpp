// test_gtsv_vbatch.cpp: tridiagonal systems of different lengths, with pivoting.
//
// Each system by its residual, as test_gtsv_batch.cpp judges it: ||Ax - b|| / (||A|| ||x|| + ||b||) is at most 32 eps.
// A system whose offsets are wrong, that is singular or holds NaN shows in info, and every byte that is not the
// solution of another system stays as it was. Numbers of threads change no bit. SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "support/tridiagonal.hpp"

namespace xbatch_test {
namespace {

struct Case {
    xbatchDataType_t type;
    xbatchBackend_t backend;
};

// Systems of different lengths, each made as a batch of one, and the arrays of a call that holds all of them
template <class T>
class VBatchCall {
public:
    VBatchCall(xbatchHandle_t handle, xbatchBackend_t backend, std::vector<Systems<T>> systems, int64_t padding)
        : handle_(handle),
          systems_(std::move(systems)),
          nrhs_(systems_[0].nrhs),
          batch_(int64_t(systems_.size())),
          rows_(total()),
          ldb_(rows_ + padding),
          offsets_(backend, batch_ + 1),
          dl_(backend, rows_, padding % 2),
          d_(backend, rows_, padding % 2),
          du_(backend, rows_, padding % 2),
          b_(backend, nrhs_ * ldb_, padding % 2),
          info_(backend, batch_),
          workspace_(backend, workspace_bytes()) {
        int64_t at = 0;
        for (int64_t j = 0; j < batch_; ++j) {
            const Systems<T> &s = systems_[j];
            offsets_.set(j, at);
            for (int64_t i = 0; i < s.n; ++i) {
                if (i > 0) dl_.set(at + i, s.dl[i]);
                d_.set(at + i, s.d[i]);
                if (i + 1 < s.n) du_.set(at + i, s.du[i]);
                for (int64_t r = 0; r < nrhs_; ++r) b_.set(r * ldb_ + at + i, s.b[s.entry(0, r, i)]);
            }
            at += s.n;
        }
        offsets_.set(batch_, at);
        info_.may_change_all();
    }

    int64_t offset(int64_t j) const { return offsets_[j]; }
    void set_offset(int64_t j, int64_t value) { offsets_.set(j, value); }
    void may_write(int64_t j) {
        for (int64_t k = 0; k < nrhs_ * systems_[j].n; ++k)
            b_.may_change(k / systems_[j].n * ldb_ + offsets_[j] + k % systems_[j].n);
    }
    void run(bool with_info = true) {
        for (Array<T> *array : {&dl_, &d_, &du_, &b_}) array->upload();
        offsets_.upload(), info_.upload();
        EXPECT_EQ(xgtsvVBatch(handle_, Traits<T>::type, nrhs_, batch_, longest(), offsets_.data(), dl_.data(),
                              d_.data(), du_.data(), b_.data(), ldb_, with_info ? info_.data() : nullptr,
                              workspace_.data(), workspace_.bytes()),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
        for (Array<T> *array : {&dl_, &d_, &du_, &b_}) {
            array->download();
            EXPECT_TRUE(array->intact());
        }
        offsets_.download(), info_.download();
        EXPECT_TRUE(offsets_.intact() && info_.intact() && workspace_.intact());
    }
    int32_t info(int64_t j) const { return info_[j]; }
    std::vector<T> solution(int64_t j) const {
        const Systems<T> &s = systems_[j];
        std::vector<T> x(s.b.size());
        for (int64_t r = 0; r < nrhs_; ++r)
            for (int64_t i = 0; i < s.n; ++i) x[s.entry(0, r, i)] = b_[r * ldb_ + starts(j) + i];
        return x;
    }

private:
    int64_t starts(int64_t j) const {
        int64_t at = 0;
        for (int64_t k = 0; k < j; ++k) at += systems_[k].n;
        return at;
    }
    int64_t total() const { return starts(batch_); }
    int64_t longest() const {
        int64_t n = 0;
        for (const Systems<T> &s : systems_) n = std::max(n, s.n);
        return n;
    }
    size_t workspace_bytes() const {
        size_t bytes = 0;
        EXPECT_EQ(xgtsvVBatch_bufferSize(handle_, Traits<T>::type, nrhs_, batch_, longest(), &bytes),
                  XBATCH_STATUS_SUCCESS);
        return bytes;
    }

    xbatchHandle_t handle_;
    std::vector<Systems<T>> systems_;
    int64_t nrhs_, batch_, rows_, ldb_;
    Array<int64_t> offsets_;
    Array<T> dl_, d_, du_, b_;
    Array<int32_t> info_;
    Workspace workspace_;
};

class GtsvVBatch : public testing::TestWithParam<Case> {
protected:
    GtsvVBatch() : handle_(GetParam().backend) {}
    void SetUp() override {
        XBATCH_NEEDS(handle_);
        if (GetParam().backend == XBATCH_BACKEND_CUDA && !cuda_has_vbatch)
            GTEST_SKIP() << "the CUDA backend does not have this routine";
    }
    // System j has lengths[j] rows and is of family j of a cycle.
    template <class T>
    static std::vector<Systems<T>> make(const std::vector<int64_t> &lengths, int64_t nrhs) {
        constexpr Family of[] = {1, 14, 16, 20, 26, 28};
        std::vector<Systems<T>> systems;
        for (size_t j = 0; j < lengths.size(); ++j)
            systems.push_back(make_systems<T>(lengths[j], nrhs, 1, {of[j % 6]}, false, j));
        return systems;
    }

    Handle handle_;
};

const std::vector<int64_t> lengths = {0, 1, 2, 3, 17, 64, 0, 513, 5000, 1, 33, 100, 7, 1000, 0};

TEST_P(GtsvVBatch, Lengths) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t nrhs : {1, 3}) {
            const std::vector<Systems<T>> systems = make<T>(lengths, nrhs);
            for (int64_t padding : {0, 5}) {
                VBatchCall<T> call(handle_, GetParam().backend, systems, padding);
                for (size_t j = 0; j < systems.size(); ++j) call.may_write(int64_t(j));
                call.run(padding == 0);
                for (size_t j = 0; j < systems.size(); ++j) {
                    EXPECT_EQ(call.info(int64_t(j)), padding == 0 ? 0 : -1);
                    if (systems[j].n == 0) continue;
                    const Errors errors = errors_of(systems[j], call.solution(int64_t(j)));
                    EXPECT_LE(errors.backward, 32) << "n " << systems[j].n;
                    EXPECT_LT(errors.ratio, 30) << "n " << systems[j].n;
                }
            }
        }
    });
}

// The last offset is wrong in turn: the systems on both sides of it are refused as they must, all others are solved.
TEST_P(GtsvVBatch, WrongOffsets) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<Systems<T>> systems = make<T>({40, 50, 60, 70, 80}, 2);
        for (int64_t wrong : {int64_t(-1), INT64_MIN, int64_t(2000), INT64_MAX}) {
            VBatchCall<T> call(handle_, GetParam().backend, systems, 1);
            for (int64_t j : {0, 1, 4}) call.may_write(j);
            call.set_offset(3, wrong);  // where system 2 ends and system 3 begins
            call.run();
            for (int64_t j = 0; j < 5; ++j) {
                EXPECT_EQ(call.info(j), j == 2 || j == 3 ? -1 : 0) << "system " << j << ", offset " << wrong;
                if (j == 2 || j == 3) continue;
                EXPECT_LE(errors_of(systems[j], call.solution(j)).backward, 32);
            }
        }
    });
}

TEST_P(GtsvVBatch, Isolation) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<Systems<T>> good = make<T>(lengths, 2);
        std::vector<Systems<T>> bad = good;
        for (int64_t i = 0; i < bad[5].n; ++i) bad[5].d[i] = T(std::numeric_limits<Real<T>>::quiet_NaN());
        bad[7].dl[100] = bad[7].d[100] = bad[7].du[100] = T(0);
        bad[9].d[0] = T(0);
        VBatchCall<T> first(handle_, GetParam().backend, good, 2), second(handle_, GetParam().backend, bad, 2);
        for (int64_t j = 0; j < int64_t(good.size()); ++j) first.may_write(j), second.may_write(j);
        first.run(), second.run();
        for (int64_t j = 0; j < int64_t(good.size()); ++j) {
            const bool is_bad = j == 5 || j == 7 || j == 9;
            EXPECT_EQ(second.info(j) > 0, is_bad) << "system " << j;
            if (!is_bad) {
                EXPECT_TRUE(same_bits(first.solution(j), second.solution(j))) << "system " << j;
            }
        }
    });
}

TEST_P(GtsvVBatch, AnyNumberOfThreadsGivesTheSameBits) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<int64_t> many;
        for (int64_t j = 0; j < 500; ++j) many.push_back(j * 37 % 101);
        const std::vector<Systems<T>> systems = make<T>(many, 1);
        std::vector<std::vector<T>> expected;
        for (int threads : {1, 2, 5}) {
            ASSERT_EQ(xbatchSetThreadCount(handle_, threads), XBATCH_STATUS_SUCCESS);
            VBatchCall<T> call(handle_, GetParam().backend, systems, 0);
            for (int64_t j = 0; j < 500; ++j) call.may_write(j);
            call.run();
            for (int64_t j = 0; j < 500; ++j) {
                if (threads == 1) expected.push_back(call.solution(j));
                EXPECT_TRUE(same_bits(call.solution(j), expected[size_t(j)])) << "system " << j;
            }
        }
    });
}

std::vector<Case> cases_of(xbatchBackend_t backend) {
    std::vector<Case> cases;
    for (xbatchDataType_t type : all_types) cases.push_back({type, backend});
    return cases;
}
std::string name_of(const testing::TestParamInfo<Case> &info) { return std::string(1, letter(info.param.type)); }

INSTANTIATE_TEST_SUITE_P(Host, GtsvVBatch, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, GtsvVBatch, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);

}  // namespace
}  // namespace xbatch_test
