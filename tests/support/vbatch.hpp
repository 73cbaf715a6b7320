// vbatch.hpp: one call of xgtsvVBatch with everything around its arrays watched.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "tridiagonal.hpp"

namespace xbatch_test {

// How the arrays of one call lie
struct Room {
    int64_t padding = 0;             // of the leading dimension of B
    int64_t before = 0;              // the first offset
    std::array<int64_t, 4> shift{};  // of the base addresses of dl, d, du, B, in elements
    int64_t beyond = 0;              // maxn - rows of the longest system
};

// Systems of different lengths, each made as a batch of one, and the arrays of a call that holds all of them
template <class T>
class VBatchCall {
public:
    VBatchCall(xbatchHandle_t handle, xbatchBackend_t backend, std::vector<Systems<T>> systems, Room room = {})
        : handle_(handle),
          systems_(std::move(systems)),
          room_(room),
          nrhs_(systems_[0].nrhs),
          batch_(int64_t(systems_.size())),
          rows_(room.before + total()),
          ldb_(rows_ + room.padding),
          offsets_(backend, batch_ + 1),
          dl_(backend, rows_, room.shift[0]),
          d_(backend, rows_, room.shift[1]),
          du_(backend, rows_, room.shift[2]),
          b_(backend, nrhs_ * ldb_, room.shift[3]),
          info_(backend, batch_),
          workspace_(backend, workspace_bytes()) {
        int64_t at = room.before;
        for (int64_t j = 0; j < batch_; ++j) starts_.push_back(at), at += systems_[size_t(j)].n;
        at = room.before;
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

    void set_offset(int64_t j, int64_t value) { offsets_.set(j, value); }
    void may_write(int64_t j) {
        for (int64_t k = 0; k < nrhs_ * systems_[j].n; ++k)
            b_.may_change(k / systems_[j].n * ldb_ + starts_[j] + k % systems_[j].n);
    }
    void may_write_all() {
        for (int64_t j = 0; j < batch_; ++j) may_write(j);
    }
    void upload() {
        for (Array<T> *array : {&dl_, &d_, &du_, &b_}) array->upload();
        offsets_.upload(), info_.upload();
    }
    void call(bool with_info = true) {
        EXPECT_EQ(xgtsvVBatch(handle_, Traits<T>::type, nrhs_, batch_, maxn(), offsets_.data(), dl_.data(), d_.data(),
                              du_.data(), b_.data(), ldb_, with_info ? info_.data() : nullptr, workspace_.data(),
                              workspace_.bytes()),
                  XBATCH_STATUS_SUCCESS)
            << xbatchGetLastErrorMessage(handle_);
    }
    void download() {
        for (Array<T> *array : {&dl_, &d_, &du_, &b_}) {
            array->download();
            EXPECT_TRUE(array->intact());
        }
        offsets_.download(), info_.download();
        EXPECT_TRUE(offsets_.intact() && info_.intact() && workspace_.intact());
    }
    void run(bool with_info = true) { upload(), call(with_info), download(); }
    int32_t info(int64_t j) const { return info_[j]; }
    std::vector<T> solution(int64_t j) const {
        const Systems<T> &s = systems_[j];
        std::vector<T> x(s.b.size());
        for (int64_t r = 0; r < nrhs_; ++r)
            for (int64_t i = 0; i < s.n; ++i) x[s.entry(0, r, i)] = b_[r * ldb_ + starts_[j] + i];
        return x;
    }
    // Solved, every one of them
    void expect_solved(bool with_info = true) const {
        for (int64_t j = 0; j < batch_; ++j) {
            const Systems<T> &s = systems_[size_t(j)];
            EXPECT_EQ(info(j), with_info ? 0 : -1) << "system " << j << ", n " << s.n;
            if (s.n == 0) continue;
            const Errors errors = errors_of(s, solution(j));
            EXPECT_LE(errors.backward, 32) << "system " << j << ", n " << s.n;
            EXPECT_LT(errors.ratio, 30) << "system " << j << ", n " << s.n;
        }
    }

private:
    int64_t total() const {
        int64_t rows = 0;
        for (const Systems<T> &s : systems_) rows += s.n;
        return rows;
    }
    int64_t maxn() const {
        int64_t n = 0;
        for (const Systems<T> &s : systems_) n = std::max(n, s.n);
        return n + room_.beyond;
    }
    size_t workspace_bytes() const {
        size_t bytes = 0;
        EXPECT_EQ(xgtsvVBatch_bufferSize(handle_, Traits<T>::type, nrhs_, batch_, maxn(), &bytes),
                  XBATCH_STATUS_SUCCESS);
        return bytes;
    }

    xbatchHandle_t handle_;
    std::vector<Systems<T>> systems_;
    std::vector<int64_t> starts_;
    Room room_;
    int64_t nrhs_, batch_, rows_, ldb_;
    Array<int64_t> offsets_;
    Array<T> dl_, d_, du_, b_;
    Array<int32_t> info_;
    Workspace workspace_;
};

}  // namespace xbatch_test
