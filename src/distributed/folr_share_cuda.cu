// folr_share_cuda.cu: a rank's part of a distributed recurrence on a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/launch.cuh"
#include "device_share.hpp"
#include "device_tables.hpp"
#include "folr_mp.hpp"
#include "map_tree.cuh"
#include "recurrence/folr_leaves.cuh"

namespace xbatch::distributed {
namespace {

using recurrence::FolrProblem;
using recurrence::LeafMaps;

template <class T>
class RecurrenceShare : public DevicePhases<FolrArrays> {
    using Work = MapWork<T>;

public:
    RecurrenceShare(const Context &context, const MpPlan &plan, const DeviceShare &buffers)
        : device_(context), tables_(plan, false), buffers_(buffers) {
        const auto &leaf_row = plan.partition.leaf_row;
        for (size_t k = 1; k < leaf_row.size(); ++k) longest_ = std::max(longest_, leaf_row[k] - leaf_row[k - 1]);
        for (size_t k = 1; k < leaf_row.size(); ++k) are_even_ = are_even_ && leaf_row[k] - leaf_row[k - 1] == longest_;
    }
    ~RecurrenceShare() override {
        const DeviceScope scope(device_);
        cudaFree(memory_);
    }
    xbatchStatus_t allocate(Context &context) {
        const DeviceScope scope(context);
        const std::vector<char> &bytes = tables_.writer.bytes();
        if (cudaMalloc(&memory_, bytes.size()) != cudaSuccess) {
            cudaGetLastError();
            return fail(context, XBATCH_STATUS_ALLOC_FAILED, "xgtsvMpCreatePlan: no device memory for the messages");
        }
        XBATCH_CUDA(context, cudaMemcpy(memory_, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
        return XBATCH_STATUS_SUCCESS;
    }

    size_t workspace(const Context &, const MpPlan &plan) const override { return Space(plan, nullptr).bytes; }

    xbatchStatus_t condense(Context &context, const MpPlan &plan, const FolrArrays &a, void *workspace,
                            HeaderWords words, bool goes_on) override {
        Work work = base(plan, a, TreeJob::REDUCE);
        work.tree = tables_.own.at(tables());
        work.out = tables_.sent.at(tables(), buffers_.sent);
        work.own = {buffers_.sent, table(tables_.send_at[0]), count(words.sent, plan.forward.send_at), words.sent,
                    words.sent};
        if (!goes_on) return launch(context, work, 0);
        work.maps = Space(plan, workspace).leaves;
        for (int64_t r = 0; r < plan.nrhs && plan.share.rows > 0; ++r)
            XBATCH_TRY(recurrence::condense_leaves<T>(context, problem(plan, a, r), leaves(plan, a, work.maps, r)));
        return launch(context, work, plan.batch * plan.nrhs);
    }
    xbatchStatus_t close(Context &context, const MpPlan &plan, const FolrArrays &a, void *workspace,
                         HeaderWords words) override {
        Work work = base(plan, a, TreeJob::CLOSE);
        work.batch = std::max<int64_t>(plan.closed(), 1);
        work.tree = tables_.all.at(tables());
        work.maps = Space(plan, workspace).nodes;
        work.in = tables_.received.at(tables(), buffers_.received);
        work.out = tables_.returning.at(tables(), plan.is_gathered ? buffers_.returned : buffers_.returning);
        work.heard = {buffers_.received, table(tables_.recv_at[0]), count(words.expected, plan.forward.recv_at),
                      words.expected, 0};
        if (!plan.is_gathered)
            work.own = {buffers_.returning, table(tables_.send_at[1]), count(words.sent, plan.back.send_at), words.sent,
                        words.broken};
        return launch(context, work, plan.closed() * plan.nrhs);
    }
    xbatchStatus_t substitute(Context &context, const MpPlan &plan, const FolrArrays &a, void *workspace,
                              HeaderWords words, bool goes_on) override {
        Work work = base(plan, a, TreeJob::EXPAND);
        work.tree = tables_.own.at(tables());
        work.in = tables_.returned.at(tables(), buffers_.returned);
        if (!plan.is_gathered)
            work.heard = {buffers_.returned, table(tables_.recv_at[1]), count(words.expected, plan.back.recv_at),
                          words.expected, 0};
        if (!goes_on) return launch(context, work, 0);
        work.maps = Space(plan, workspace).leaves;
        XBATCH_TRY(launch(context, work, plan.batch * plan.nrhs));
        for (int64_t r = 0; r < plan.nrhs && plan.share.rows > 0; ++r)
            XBATCH_TRY(recurrence::evaluate_leaves<T>(context, problem(plan, a, r), leaves(plan, a, work.maps, r)));
        return XBATCH_STATUS_SUCCESS;
    }

private:
    // Maps of the leaves, and of the nodes of all ranks
    struct Space {
        T *leaves, *nodes;
        size_t bytes;

        Space(const MpPlan &plan, void *workspace) {
            Carver carver(workspace);
            leaves = carver.take<T>(plan.batch, plan.nrhs, plan.share.slots(), Work::values);
            nodes = carver.take<T>(plan.closed(), plan.nrhs, int64_t(plan.partition.nodes.size()), Work::values);
            bytes = carver.bytes();
        }
    };

    const char *tables() const { return static_cast<const char *>(memory_); }
    const int64_t *table(size_t at) const { return reinterpret_cast<const int64_t *>(tables() + at); }
    static int32_t count(uint64_t word, const std::vector<int64_t> &at) { return word ? int32_t(at.size()) : 0; }

    Work base(const MpPlan &plan, const FolrArrays &a, TreeJob job) const {
        Work work{};
        work.job = job, work.is_backward = a.is_backward, work.batch = plan.batch;
        work.verdict = {buffers_.verdict, plan.comm->verdict.get()};
        return work;
    }
    // Of a right-hand side; backward recurrences have reversed arrays.
    static FolrProblem problem(const MpPlan &plan, const FolrArrays &a, int64_t r) {
        const int64_t rows = plan.share.rows;
        const auto operand = [&](int64_t sides, int64_t increment, int64_t ld, int64_t side) -> Placement {
            if (increment == 0) return {XBATCH_LAYOUT_FLAT, rows, sides, ld, 0, side * ld};
            return placement_of(plan, sides, ld, side);
        };
        FolrProblem p{plan.layout,
                      rows,
                      1,
                      plan.batch,
                      a.s,
                      a.t,
                      nullptr,
                      a.w,
                      operand(1, a.incs, a.lds, 0),
                      of_one_side(operand(plan.nrhs, a.inct, a.ldt, r)),
                      of_one_side(placement_of(plan, plan.nrhs, a.ldw, r))};
        if (a.is_backward)
            for (Placement *each : {&p.s_at, &p.t_at, &p.w_at}) *each = reversed(*each);
        return p;
    }
    // A right-hand side's placement, whose origin is that of the side, as one of an array with that side alone
    static Placement of_one_side(Placement at) {
        if (at.layout == XBATCH_LAYOUT_FLAT) at.ld *= at.nrhs, at.nrhs = 1;
        return at;
    }
    LeafMaps<T> leaves(const MpPlan &plan, const FolrArrays &a, T *maps, int64_t r) const {
        const FolrProblem p = problem(plan, a, r);
        const auto is_flat = [](const Placement &at) { return at.layout == XBATCH_LAYOUT_FLAT; };
        LeafMaps<T> of;
        of.leaves = plan.share.slots(), of.longest = longest_, of.are_even = are_even_;
        of.is_flat = plan.layout == XBATCH_LAYOUT_FLAT ||
                     (plan.batch == 1 && is_flat(p.s_at) && is_flat(p.t_at) && is_flat(p.w_at));
        of.is_backward = a.is_backward, of.has_start = a.is_backward ? plan.share.ends : plan.share.begins;
        of.w0 = a.w0 ? static_cast<const T *>(a.w0) + r : nullptr, of.w0_step = plan.nrhs;
        of.leaf_row = table(tables_.leaf_row), of.stop = buffers_.verdict;
        of.maps = maps + r * plan.batch * of.leaves * Work::values;
        return of;
    }
    // As many units a block as have a join for each thread in the first round
    static xbatchStatus_t launch(Context &context, Work &work, int64_t units) {
        work.units = units;
        while (work.units_log < 5 && (int64_t(work.tree.slots) << work.units_log) < Work::threads) ++work.units_log;
        const int64_t blocks = std::max<int64_t>(1, ((units - 1) >> work.units_log) + 1);
        return Launch(context, blocks, Work::threads)(join_maps<T>, "join_maps", work);
    }

    Context device_;  // of the handle, for its number
    Tables tables_;
    const DeviceShare &buffers_;
    int64_t longest_ = 1;   // rows of a leaf
    bool are_even_ = true;  // all leaves
    void *memory_ = nullptr;
};

template <class T>
std::unique_ptr<DevicePhases<FolrArrays>> make(Context &context, const MpPlan &plan, const DeviceShare &buffers) {
    auto made = std::make_unique<RecurrenceShare<T>>(context, plan, buffers);
    return made->allocate(context) == XBATCH_STATUS_SUCCESS ? std::move(made) : nullptr;
}

}  // namespace

std::unique_ptr<DevicePhases<FolrArrays>> make_device_recurrence(Context &context, const MpPlan &plan,
                                                                 const DeviceShare &buffers) {
    constexpr decltype(&make<double>) all[] = {make<float>, make<double>, make<Complex<float>>, make<Complex<double>>};
    return all[plan.type](context, plan, buffers);
}

}  // namespace xbatch::distributed
