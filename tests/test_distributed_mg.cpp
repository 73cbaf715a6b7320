// test_distributed_mg.cpp: systems whose rows are distributed over several handles of one process.
//
// Solutions on chunks must have the bits of one rank, and be backward stable for any cuts. Wrong arguments of one share
// must leave all shares as they were.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/fixtures/distributed.hpp"
#include "support/fixtures/gtsv_cases.hpp"
#include "support/residuals/info.hpp"

namespace xbatch_test {
namespace {

// Handles of all devices in turn, each with a stream of its own
class Devices {
public:
    Devices(xbatchBackend_t backend, int count) {
        for (int k = 0; k < count; ++k) {
            if (backend == XBATCH_BACKEND_CUDA) use_device(k % device_count());
            owners_.push_back(std::make_unique<Handle>(backend));
            handles_.push_back(*owners_.back());
            if (backend != XBATCH_BACKEND_CUDA) continue;
            streams_.push_back(std::make_unique<DeviceStream>());
            EXPECT_EQ(xbatchSetStream(handles_.back(), streams_.back()->stream), XBATCH_STATUS_SUCCESS);
        }
        if (backend == XBATCH_BACKEND_CUDA) use_device(0);
    }
    int count() const { return int(handles_.size()); }
    const xbatchHandle_t *data() const { return handles_.data(); }
    const char *message() const { return xbatchGetLastErrorMessage(handles_[0]); }

private:
    std::vector<std::unique_ptr<DeviceStream>> streams_;
    std::vector<std::unique_ptr<Handle>> owners_;
    std::vector<xbatchHandle_t> handles_;
};

// The arrays of all shares, and the call
template <class T>
class MgCall {
public:
    MgCall(xbatchBackend_t backend, xbatchMgPlan_t plan, const Systems<T> &s, xbatchLayout_t layout,
           std::vector<int64_t> offsets)
        : backend_(backend), plan_(plan), s_(s), layout_(layout), offsets_(std::move(offsets)) {
        const size_t devices = offsets_.size() - 1;
        bytes_.resize(devices);
        EXPECT_EQ(xgtsvMg_bufferSize(plan, bytes_.data()), XBATCH_STATUS_SUCCESS);
        for (size_t k = 0; k < devices; ++k) add_share(k);
    }

    xbatchStatus_t run(bool is_periodic) {
        return (is_periodic ? xgtsvPeriodicMg : xgtsvMg)(plan_, dl.data(), d.data(), du.data(), ldt.data(), b.data(),
                                                         ldb.data(), info.data(), workspace.data(), bytes_.data());
    }
    void upload() {
        for (auto &array : arrays_) array->upload();
        for (auto &array : infos_) array->upload();
    }
    // As Systems::b, and the agreed info
    std::vector<T> solution(std::vector<int32_t> &agreed) {
        std::vector<T> x(s_.b.size());
        agreed.assign(size_t(s_.batch), 0);
        for (size_t k = 0; k + 1 < offsets_.size(); ++k) {
            const int64_t rows = offsets_[k + 1] - offsets_[k];
            for (size_t q = 4 * k; q < 4 * k + 4; ++q) {
                use(k);
                arrays_[q]->download();
                EXPECT_TRUE(arrays_[q]->intact()) << "share " << k << ", array " << q % 4;
            }
            infos_[k]->download();
            EXPECT_TRUE(workspaces_[k]->intact());
            for (int64_t j = 0; j < s_.batch; ++j) {
                const int32_t own = (*infos_[k])[j];
                if (own != 0 && (agreed[size_t(j)] == 0 || own < agreed[size_t(j)])) agreed[size_t(j)] = own;
                for (int64_t r = 0; r < s_.nrhs; ++r)
                    for (int64_t i = 0; i < rows; ++i)
                        x[size_t(s_.entry(j, r, offsets_[k] + i))] = (*arrays_[4 * k + 3])[place(k, s_.nrhs, i, j, r)];
            }
        }
        return x;
    }
    bool wrote_nothing() {
        for (size_t k = 0; k + 1 < offsets_.size(); ++k)
            for (int64_t j = 0; j < s_.batch; ++j) {
                use(k), infos_[k]->download(), arrays_[4 * k + 3]->download();
                if ((*infos_[k])[j] != -1) return false;
                for (int64_t i = 0; i < offsets_[k + 1] - offsets_[k]; ++i) {
                    const T now = (*arrays_[4 * k + 3])[place(k, s_.nrhs, i, j, 0)];
                    if (std::memcmp(&now, &s_.b[size_t(s_.entry(j, 0, offsets_[k] + i))], sizeof now) != 0)
                        return false;
                }
            }
        return true;
    }

    std::vector<const void *> dl, d, du;
    std::vector<void *> b, workspace;
    std::vector<int32_t *> info;
    std::vector<int64_t> ldt, ldb;

private:
    void use(size_t k) const {
        if (backend_ == XBATCH_BACKEND_CUDA) use_device(int(k) % device_count());
    }
    int64_t place(size_t k, int64_t nrhs, int64_t i, int64_t j, int64_t r) const {
        return element(layout_, offsets_[k + 1] - offsets_[k], nrhs, ld_[k], i, j, r);
    }
    void add_share(size_t k) {
        use(k);
        const int64_t first = offsets_[k], rows = offsets_[k + 1] - first;
        const int64_t ld = layout_ == XBATCH_LAYOUT_FLAT          ? std::max<int64_t>(rows, 1) + 1
                           : layout_ == XBATCH_LAYOUT_INTERLEAVED ? s_.batch + int64_t(k)
                                                                  : 3;
        ldt.push_back(ld), ldb.push_back(ld), ld_.push_back(ld);
        for (int q = 0; q < 4; ++q) {
            const int64_t nrhs = q == 3 ? s_.nrhs : 1;
            arrays_.push_back(std::make_unique<Array<T>>(backend_, extent(layout_, rows, nrhs, s_.batch, ld)));
        }
        const auto array = arrays_.end() - 4;
        for (int64_t j = 0; j < s_.batch; ++j)
            for (int64_t i = 0; i < rows; ++i) {
                const int64_t to = place(k, 1, i, j, 0), from = s_.row(s_.sets == 1 ? 0 : j, first + i);
                array[0]->set(to, s_.dl[size_t(from)]), array[1]->set(to, s_.d[size_t(from)]);
                array[2]->set(to, s_.du[size_t(from)]);
                for (int64_t r = 0; r < s_.nrhs; ++r) {
                    const int64_t in_b = place(k, s_.nrhs, i, j, r);
                    array[3]->set(in_b, s_.b[size_t(s_.entry(j, r, first + i))]);
                    array[3]->may_change(in_b);
                }
            }
        infos_.push_back(std::make_unique<Array<int32_t>>(backend_, s_.batch));
        infos_.back()->may_change_all();
        workspaces_.push_back(std::make_unique<Workspace>(backend_, bytes_[k]));
        for (int q = 0; q < 4; ++q) array[q]->upload();
        infos_.back()->upload();
        dl.push_back(array[0]->data()), d.push_back(array[1]->data()), du.push_back(array[2]->data());
        b.push_back(array[3]->data()), info.push_back(infos_.back()->data());
        workspace.push_back(workspaces_.back()->data());
    }

    xbatchBackend_t backend_;
    xbatchMgPlan_t plan_;
    const Systems<T> &s_;
    xbatchLayout_t layout_;
    std::vector<int64_t> offsets_, ld_;
    std::vector<size_t> bytes_;
    std::vector<std::unique_ptr<Array<T>>> arrays_;  // dl, d, du, b of each share
    std::vector<std::unique_ptr<Array<int32_t>>> infos_;
    std::vector<std::unique_ptr<Workspace>> workspaces_;
};

struct Plan {
    xbatchMgPlan_t plan = nullptr;
    std::vector<int64_t> offsets;

    template <class T>
    Plan(const Devices &devices, const Systems<T> &s, xbatchLayout_t layout, int flags,
         const std::vector<int64_t> &cuts = {})
        : offsets(size_t(devices.count()) + 1) {
        EXPECT_EQ(xgtsvMgCreatePlan(devices.count(), devices.data(), Traits<T>::type, layout, s.n, s.nrhs, s.batch,
                                    cuts.empty() ? nullptr : cuts.data(), nullptr, flags, &plan),
                  XBATCH_STATUS_SUCCESS)
            << devices.message();
        EXPECT_EQ(xbatchMgGetOffsets(plan, offsets.data()), XBATCH_STATUS_SUCCESS);
    }
    ~Plan() { EXPECT_EQ(xbatchMgDestroyPlan(plan), XBATCH_STATUS_SUCCESS); }
};

class DistributedMg : public testing::TestWithParam<xbatchBackend_t> {
protected:
    void SetUp() override {
        const Handle handle(GetParam());
        XBATCH_NEEDS(handle);
    }
};

// On chunks the bits of one rank, whatever the number of shares and the exchange
TEST_P(DistributedMg, HasTheBitsOfOneRank) {
    int64_t k = 0;
    for (const xbatchDataType_t type : all_types)
        for (const xbatchLayout_t layout : all_layouts)
            for (const int devices : {1, 2, 3, 5}) {
                const bool is_periodic = ++k % 2;
                const int flags = k % 3 == 0 ? XBATCH_MP_ALLGATHER : XBATCH_MP_ALLTOALL;
                with_type(type, [&](auto zero) {
                    using T = decltype(zero);
                    const int64_t n = k % 4 == 0 ? 5003 : 300;
                    const Systems<T> s = make_systems<T>(n, 1 + k % 2, 7, {6, 1, 16, 20}, false, 3, is_periodic);
                    Division one{1};
                    one.is_periodic = is_periodic, one.backend = GetParam();
                    const MpAnswer<T> expected = solve_mp(s, layout, one);
                    const Devices handles(GetParam(), devices);
                    const Plan plan(handles, s, layout, flags);
                    MgCall<T> call(GetParam(), plan.plan, s, layout, plan.offsets);
                    ASSERT_EQ(call.run(is_periodic), XBATCH_STATUS_SUCCESS) << handles.message();
                    std::vector<int32_t> info;
                    EXPECT_TRUE(same_bits(call.solution(info), expected.x)) << devices << " shares";
                    EXPECT_EQ(info, std::vector<int32_t>(7, 0));
                });
            }
}

TEST_P(DistributedMg, AnyCuts) {
    for (const std::vector<int64_t> &cuts :
         {std::vector<int64_t>{0, 0, 1, 200}, {0, 77, 199, 200}, {0, 200, 200, 200}}) {
        Systems<double> s = make_systems<double>(200, 2, 5, {6, 1, 18});
        for (int64_t i = 0; i < s.n; ++i) s.d[size_t(s.row(3, i))] = 0;  // of even order: not singular
        s.d[size_t(s.row(4, 5))] = NAN;
        const Devices handles(GetParam(), 3);
        const Plan plan(handles, s, XBATCH_LAYOUT_FLAT, XBATCH_MP_ANY_CUT, cuts);
        EXPECT_EQ(plan.offsets, cuts);
        MgCall<double> call(GetParam(), plan.plan, s, XBATCH_LAYOUT_FLAT, plan.offsets);
        ASSERT_EQ(call.run(false), XBATCH_STATUS_SUCCESS) << handles.message();
        std::vector<int32_t> info;
        const std::vector<double> x = call.solution(info);
        for (int64_t j = 0; j < 4; ++j) {
            EXPECT_EQ(info[size_t(j)], 0);
            EXPECT_LE(errors_of(s, x, j, 0).backward, 32);
        }
        EXPECT_GT(info[4], 0);
    }
}

TEST_P(DistributedMg, WrongArguments) {
    const Systems<double> s = make_systems<double>(200, 1, 5, {6});
    const Devices handles(GetParam(), 2);
    const auto create = [&](const xbatchHandle_t *of, int devices, int64_t n, xbatchMgPlan_t *plan) {
        return xgtsvMgCreatePlan(devices, of, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, n, 1, 5, nullptr, nullptr, 0, plan);
    };
    xbatchMgPlan_t plan = nullptr;
    const xbatchHandle_t same[] = {handles.data()[0], handles.data()[0]}, none[] = {handles.data()[0], nullptr};
    EXPECT_EQ(create(nullptr, 2, 200, &plan), XBATCH_STATUS_INVALID_HANDLE);
    EXPECT_EQ(create(same, 2, 200, &plan), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(create(none, 2, 200, &plan), XBATCH_STATUS_INVALID_HANDLE);
    EXPECT_EQ(create(handles.data(), 0, 200, &plan), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(create(handles.data(), 2, -1, &plan), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(create(handles.data(), 2, 200, nullptr), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(plan, nullptr);
    EXPECT_EQ(xbatchMgDestroyPlan(nullptr), XBATCH_STATUS_SUCCESS);

    const Plan good(handles, s, XBATCH_LAYOUT_FLAT, 0);
    MgCall<double> call(GetParam(), good.plan, s, XBATCH_LAYOUT_FLAT, good.offsets);
    const auto expect_refused = [&](xbatchStatus_t expected) {
        EXPECT_EQ(call.run(false), expected);
        EXPECT_NE(std::string(handles.message()).find("xgtsvMg: share 1"), std::string::npos) << handles.message();
        EXPECT_TRUE(call.wrote_nothing());
    };
    const void *const d = call.d[1];
    call.d[1] = nullptr, expect_refused(XBATCH_STATUS_INVALID_VALUE), call.d[1] = d;
    const int64_t ldb = call.ldb[1];
    call.ldb[1] = 3, expect_refused(XBATCH_STATUS_INVALID_VALUE), call.ldb[1] = ldb;
    void *const workspace = call.workspace[1];
    call.workspace[1] = nullptr, expect_refused(XBATCH_STATUS_INSUFFICIENT_WORKSPACE), call.workspace[1] = workspace;
    EXPECT_EQ(xgtsvMg_bufferSize(good.plan, nullptr), XBATCH_STATUS_INVALID_VALUE);
    EXPECT_EQ(xgtsvMg_bufferSize(nullptr, nullptr), XBATCH_STATUS_INVALID_HANDLE);
    EXPECT_EQ(call.run(false), XBATCH_STATUS_SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(Host, DistributedMg, testing::Values(XBATCH_BACKEND_HOST));
INSTANTIATE_TEST_SUITE_P(Cuda, DistributedMg, testing::Values(XBATCH_BACKEND_CUDA));

TEST(DistributedMgCuda, CapturesAllStreams) {
    const Handle probe(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(probe);
    for (const int flags : {XBATCH_MP_ALLTOALL, XBATCH_MP_ALLGATHER}) {
        const Systems<double> s = make_systems<double>(5003, 1, 3, {6, 1, 16});
        const Devices handles(XBATCH_BACKEND_CUDA, 3);
        const Plan plan(handles, s, XBATCH_LAYOUT_FLAT, flags);
        std::vector<int32_t> info;
        MgCall<double> once(XBATCH_BACKEND_CUDA, plan.plan, s, XBATCH_LAYOUT_FLAT, plan.offsets);
        ASSERT_EQ(once.run(false), XBATCH_STATUS_SUCCESS) << handles.message();
        const std::vector<double> expected = once.solution(info);
        MgCall<double> call(XBATCH_BACKEND_CUDA, plan.plan, s, XBATCH_LAYOUT_FLAT, plan.offsets);
        use_device(0);  // of the first handle, whose stream is captured
        capture_and_replay(
            handles.data()[0], [&] { EXPECT_EQ(call.run(false), XBATCH_STATUS_SUCCESS) << handles.message(); }, 3,
            [&] { call.upload(); });
        EXPECT_TRUE(same_bits(call.solution(info), expected));
    }
}

}  // namespace
}  // namespace xbatch_test
