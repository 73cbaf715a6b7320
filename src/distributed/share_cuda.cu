// share_cuda.cu: a rank's part of a distributed solve on a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/launch.cuh"
#include "device_share.hpp"
#include "device_tables.hpp"
#include "folr_mp.hpp"
#include "gtsv_mp.hpp"
#include "tridiagonal/pivoted/gtsv_leaves.cuh"

namespace xbatch::distributed {
namespace {

using tridiagonal::GtsvProblem;
using tridiagonal::LeafWork;

template <class T>
class ShareOf : public DeviceShare {
    using Work = TreeWork<T>;

public:
    ShareOf(const Context &context, const MpPlan &plan)
        : device_(context), tables_(plan, !fits(plan.share.slots())), plan_(plan) {
        const auto &leaf_row = plan.partition.leaf_row;
        for (size_t k = 1; k < leaf_row.size(); ++k) longest_ = std::max(longest_, leaf_row[k] - leaf_row[k - 1]);
        for (int64_t k = 0; k < plan.share.slots(); ++k)
            is_wide_ = is_wide_ && uint64_t(plan.share.slot_row[size_t(k)]) * sizeof(T) % 16 == 0;
    }
    ~ShareOf() override {
        const DeviceScope scope(device_);
        // Messages of an exchange that is not complete may still be written.
        if (!live_communicators.find(plan_.comm_handle) || !plan_.comm->is_dead || !plan_.comm->is_in_stream())
            cudaFree(memory_);
    }

    xbatchStatus_t allocate(Context &context) {
        const DeviceScope scope(context);
        const std::vector<char> &bytes = tables_.writer.bytes();
        const bool is_alone = plan_.comm->ranks() == 1;
        const auto carve = [&](void *memory) {
            Carver carver(memory);
            tables_at_ = carver.take<char>(int64_t(bytes.size()));
            sent = carver.take<char>(plan_.forward.sent_bytes());
            received = is_alone ? sent : carver.take<char>(plan_.forward.received_bytes());
            returning = carver.take<char>(plan_.back.sent_bytes());
            returned = is_alone && !plan_.is_gathered ? returning : carver.take<char>(plan_.back.received_bytes());
            verdict = carver.take<int32_t>(1);
            return carver.bytes();
        };
        void *pinned = nullptr;
        if (plan_.comm->verdict == nullptr) {
            if (cudaHostAlloc(&pinned, sizeof(int32_t), cudaHostAllocPortable) == cudaSuccess)
                plan_.comm->verdict.reset(new (pinned) int32_t(0), [](void *memory) { cudaFreeHost(memory); });
        }
        answer_ = plan_.comm->verdict;
        if (!answer_ || cudaMalloc(&memory_, carve(nullptr)) != cudaSuccess) {
            cudaGetLastError();
            return fail(context, XBATCH_STATUS_ALLOC_FAILED, "xgtsvMpCreatePlan: no device memory for the messages");
        }
        XBATCH_CUDA(context, cudaMemset(memory_, 0, carve(memory_)));
        XBATCH_CUDA(context, cudaMemcpy(tables_at_, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
        return XBATCH_STATUS_SUCCESS;
    }

    size_t workspace(const Context &context, const MpPlan &plan) const override {
        Carver carver(nullptr);
        LeafWork<T> leaves;
        carve(context, plan, plan.nrhs, carver, leaves);
        return carver.bytes();
    }

    xbatchStatus_t condense(Context &context, const MpPlan &plan, const GtsvArrays &a, void *workspace,
                            HeaderWords words, bool goes_on) override {
        Work work = base(plan, TreeJob::REDUCE);
        if (goes_on) {
            const LeafWork<T> leaves = leaves_of(context, plan, a, workspace);
            if (plan.share.rows > 0)
                XBATCH_TRY(tridiagonal::condense_leaves<T>(context, problem(plan, a, leaves, nullptr),
                                                           side_step(plan, a), leaves));
            work.slots = leaves.slots, work.bad = leaves.bad;
        }
        if (goes_on && tables_.groups.count > 0) XBATCH_TRY(launch_groups(context, work));
        work.tree = tables_.own.at(tables_at_);
        work.out = tables_.sent.at(tables_at_, sent);
        work.own = {sent, table(tables_.send_at[0]), count(words.sent, plan.forward.send_at), words.sent, words.sent};
        return launch(context, work, goes_on ? plan.batch : 0, plan.sides, true);
    }

    xbatchStatus_t close(Context &context, const MpPlan &plan, const GtsvArrays &a, void *workspace,
                         HeaderWords words) override {
        Carver carver(workspace);
        LeafWork<T> leaves;
        const T *const scratch = carve(context, plan, plan.sides, carver, leaves);
        Work work = base(plan, TreeJob::CLOSE);
        work.is_periodic = a.is_periodic;
        work.tree = tables_.all.at(tables_at_);
        work.slots = const_cast<T *>(scratch), work.bad = top_bad_;
        work.in = tables_.received.at(tables_at_, received);
        work.out = tables_.returning.at(tables_at_, plan.is_gathered ? returned : returning);
        work.heard = {received, table(tables_.recv_at[0]), count(words.expected, plan.forward.recv_at), words.expected,
                      0};
        if (!plan.is_gathered)
            work.own = {returning, table(tables_.send_at[1]), count(words.sent, plan.back.send_at), words.sent,
                        words.broken};
        return launch(context, work, plan.closed(), plan.sides, false);
    }

    xbatchStatus_t substitute(Context &context, const MpPlan &plan, const GtsvArrays &a, void *workspace,
                              HeaderWords words, bool goes_on) override {
        Work work = base(plan, TreeJob::EXPAND);
        work.tree = tables_.own.at(tables_at_);
        work.in = tables_.returned.at(tables_at_, returned);
        work.info = a.info;
        if (!plan.is_gathered)
            work.heard = {returned, table(tables_.recv_at[1]), count(words.expected, plan.back.recv_at), words.expected,
                          0};
        if (!goes_on) return launch(context, work, 0, plan.sides, false);
        const LeafWork<T> leaves = leaves_of(context, plan, a, workspace);
        work.slots = leaves.slots;
        XBATCH_TRY(launch(context, work, plan.batch, plan.sides, false));
        if (a.factors == Factors::made) return XBATCH_STATUS_SUCCESS;
        if (tables_.groups.count > 0) XBATCH_TRY(launch_groups(context, work));
        if (plan.share.rows == 0) return XBATCH_STATUS_SUCCESS;
        return tridiagonal::solve_leaves<T>(context, problem(plan, a, leaves, a.info), side_step(plan, a), leaves);
    }

private:
    const int64_t *table(size_t at) const { return reinterpret_cast<const int64_t *>(tables_at_ + at); }
    static int32_t count(uint64_t word, const std::vector<int64_t> &at) { return word ? int32_t(at.size()) : 0; }

    // Workspace: of the leaves, and of the nodes of all ranks where these do not fit shared memory
    T *carve(const Context &context, const MpPlan &plan, int64_t sides, Carver &carver, LeafWork<T> &leaves) const {
        leaves.division = tridiagonal::divide_leaf<T>(context, std::max<int64_t>(longest_, 1), plan.batch,
                                                      plan.layout == XBATCH_LAYOUT_FLAT);
        leaves.leaves = plan.share.slots(), leaves.nrhs = sides, leaves.batch = plan.batch;
        leaves.leaf_row = tables_at_ ? table(tables_.leaf_row) : nullptr, leaves.stop = verdict;
        leaves.carve(carver);
        const int64_t nodes = int64_t(plan.partition.nodes.size());
        if (fits(nodes)) return nullptr;
        top_bad_ = carver.take<int32_t>(plan.closed(), sides, nodes);
        return carver.take<T>(plan.closed(), sides, nodes, Work::values);
    }
    LeafWork<T> leaves_of(const Context &context, const MpPlan &plan, const GtsvArrays &a, void *workspace) const {
        LeafWork<T> leaves;
        Carver carver(workspace);
        carve(context, plan, plan.sides, carver, leaves);
        const bool are_flat = placement_of(plan, 1, a.ldt, 0).layout == XBATCH_LAYOUT_FLAT &&
                              placement_of(plan, plan.sides, a.ldb, 0).layout == XBATCH_LAYOUT_FLAT;
        leaves.is_flat = plan.layout == XBATCH_LAYOUT_FLAT || (plan.batch == 1 && are_flat);
        leaves.is_wide = !leaves.is_flat || (is_wide_ && leaves.division.plan.lanes_log >= 5);
        if (leaves.is_flat)
            leaves.division = tridiagonal::divide_leaf<T>(context, std::max<int64_t>(longest_, 1), plan.batch, true);
        leaves.division.plan.is_periodic = a.is_periodic;
        return leaves;
    }

    int64_t side_step(const MpPlan &plan, const GtsvArrays &a) const {
        return placement_of(plan, plan.sides, a.ldb, 1).origin - placement_of(plan, plan.sides, a.ldb, 0).origin;
    }
    // Rows have the numbers of the whole system.
    GtsvProblem problem(const MpPlan &plan, const GtsvArrays &a, const LeafWork<T> &leaves, int32_t *info) const {
        GtsvProblem p{plan.layout,
                      plan.n,
                      1,
                      plan.batch,
                      a.dl,
                      a.d,
                      a.du,
                      a.B,
                      info,
                      placement_of(plan, 1, a.ldt, 0),
                      placement_of(plan, plan.sides, a.ldb, 0)};
        if (leaves.is_flat) p.b_at.ld *= plan.sides, p.b_at.nrhs = 1;
        p.a_at.origin -= plan.share.first_row * p.a_at.step, p.b_at.origin -= plan.share.first_row * p.b_at.step;
        return p;
    }

    static constexpr size_t most_shared = 96 * 1024;
    static bool fits(int64_t slots) {
        return slots * int64_t(Work::values * sizeof(T) + sizeof(int32_t)) <= int64_t(most_shared);
    }
    Work base(const MpPlan &plan, TreeJob job) const {
        Work work{};
        work.job = job, work.n = plan.n, work.triggers = job == TreeJob::EXPAND,
        work.verdict = {verdict, answer_.get()};
        work.units = plan.batch * plan.sides, work.batch = plan.batch;
        return work;
    }
    // The joins of all groups; there are no messages.
    xbatchStatus_t launch_groups(Context &context, Work work) const {
        work.tree = tables_.of_group.at(tables_at_), work.triggers = true;
        work.in = work.out = {}, work.heard = work.own = {}, work.info = nullptr;
        work.groups = int32_t(tables_.groups.count), work.first_slot = int32_t(tables_.groups.first);
        work.all_slots = tables_.own.slots;
        return start(context, work, true);
    }
    xbatchStatus_t launch(Context &context, Work work, int64_t batch, int64_t nrhs, bool follows) const {
        work.units = batch * nrhs, work.batch = std::max<int64_t>(batch, 1);
        work.groups = 1, work.all_slots = work.tree.slots;
        return start(context, work, follows);
    }
    // As many units a block as have room, if all multiprocessors have blocks
    xbatchStatus_t start(Context &context, Work &work, bool follows) const {
        constexpr size_t shared_at_most = 46 * 1024;
        const int64_t units = work.units * work.groups;
        work.is_shared = fits(work.tree.slots);
        const auto fits_in_block = [&](int log) {
            Work other = work;
            other.units_log = log;
            return other.shared_bytes() <= shared_at_most && (units >> log) > context.multiprocessors;
        };
        while (work.is_shared && work.units_log < 5 && fits_in_block(work.units_log + 1)) ++work.units_log;
        const int64_t blocks = std::max<int64_t>(1, ((units - 1) >> work.units_log) + 1);
        // One size where the kernel needs an attribute: other threads may launch it at the same time.
        const size_t bytes = work.shared_bytes() > shared_at_most ? most_shared : work.shared_bytes();
        Launch kernel(context, blocks, Work::threads, bytes);
        if (follows) kernel.dependent();
        return kernel(join_tree<T>, "join_tree", work);
    }

    Context device_;  // of the handle, for its number
    Tables tables_;
    const MpPlan &plan_;
    int64_t longest_ = 0;  // rows of a leaf
    bool is_wide_ = true;
    void *memory_ = nullptr;
    char *tables_at_ = nullptr;
    mutable int32_t *top_bad_ = nullptr;
    std::shared_ptr<int32_t> answer_;  // of the communicator
};

template <class T>
std::unique_ptr<DeviceShare> make(Context &context, MpPlan &plan) {
    auto made = std::make_unique<ShareOf<T>>(context, plan);
    return made->allocate(context) == XBATCH_STATUS_SUCCESS ? std::move(made) : nullptr;
}

}  // namespace

Share device_share(const MpPlan &plan) {
    const Partition &p = plan.partition;
    const int rank = plan.rank();
    Share share;
    share.first_row = p.offsets[rank], share.rows = p.rows(rank);
    share.begins = share.rows > 0 && share.first_row == 0, share.ends = share.rows > 0 && p.offsets[rank + 1] == p.n;
    const int64_t first = p.rank_leaf[rank];
    for (int64_t k = first; k <= p.rank_leaf[rank + 1]; ++k) share.slot_row.push_back(p.leaf_row[k] - p.offsets[rank]);
    for (int64_t q = p.rank_node[rank]; q < p.rank_node[rank + 1]; ++q) {
        share.node_slot.push_back(p.nodes[q].first - first);
        append_joins(
            share.joins, p.nodes[q].first, p.nodes[q].end, [](int64_t k, int64_t l) { return l - k == 1; },
            [&](int64_t k) { return k - first; }, [&](int64_t k) { return p.leaf_row[k]; });
    }
    share.node_slot.push_back(p.rank_leaf[rank + 1] - first);
    return share;
}

std::unique_ptr<DeviceShare> make_device_share(Context &context, MpPlan &plan) {
    constexpr decltype(&make<double>) all[] = {make<float>, make<double>, make<Complex<float>>, make<Complex<double>>};
    std::unique_ptr<DeviceShare> made = all[plan.type](context, plan);
    if (!made) return nullptr;
    // Recurrences have other messages, in the same buffers.
    const int64_t forward_bytes = plan.forward_bytes, back_bytes = plan.back_bytes;
    const PhasesOf<FolrArrays> &phases = host_folr_phases(plan.type);
    plan.arrange(plan.nrhs, phases.forward_bytes({}, plan.nrhs), phases.back_bytes(plan.nrhs));
    made->recurrence = make_device_recurrence(context, plan, *made);
    plan.arrange(plan.nrhs, forward_bytes, back_bytes);
    return made->recurrence ? std::move(made) : nullptr;
}

}  // namespace xbatch::distributed
