// mg_exchange_cuda.cpp: copies between the devices of one process.
// SPDX-License-Identifier: BSD-3-Clause
#include <mutex>
#include <set>

#include "core/cuda.hpp"
#include "core/device.hpp"
#include "mg_exchange.hpp"

namespace xbatch::distributed {
namespace {

// Lets a device, the current one, access the memory of another one; without, copies go through the host. CUDA reports
// it as an error to ask again, so the pairs of this process are listed. The program may have asked, too.
void enable_access(int device, int peer) {
    static std::mutex mutex;
    static std::set<std::pair<int, int>> enabled;
    const std::lock_guard<std::mutex> locked(mutex);
    if (enabled.insert({device, peer}).second && cudaDeviceEnablePeerAccess(peer, 0) != cudaSuccess) cudaGetLastError();
}

class PeerCopies : public MgExchange {
public:
    explicit PeerCopies(const std::vector<Context *> &contexts) : contexts_(contexts), events_(contexts.size()) {}
    ~PeerCopies() override {
        for (cudaEvent_t event : events_)
            if (event) cudaEventDestroy(event);
    }

    xbatchStatus_t open(Context &first) {
        for (size_t k = 0; k < contexts_.size(); ++k) {
            const DeviceScope scope(*contexts_[k]);
            XBATCH_CUDA(first, cudaEventCreateWithFlags(&events_[k], cudaEventDisableTiming));
            for (const Context *other : contexts_) {
                int can = 0;
                if (other->device == contexts_[k]->device) continue;
                XBATCH_CUDA(first, cudaDeviceCanAccessPeer(&can, contexts_[k]->device, other->device));
                if (can) enable_access(contexts_[k]->device, other->device);
            }
        }
        return XBATCH_STATUS_SUCCESS;
    }

    xbatchStatus_t begin(Context &first) override {
        XBATCH_TRY(record(first, 0));
        for (size_t k = 1; k < contexts_.size(); ++k) XBATCH_TRY(wait(first, k, 0));
        return XBATCH_STATUS_SUCCESS;
    }
    xbatchStatus_t end(Context &first) override {
        for (size_t k = 1; k < contexts_.size(); ++k) {
            XBATCH_TRY(record(first, k));
            XBATCH_TRY(wait(first, 0, k));
        }
        return XBATCH_STATUS_SUCCESS;
    }
    // A message is overwritten in the next solve, which begins after the end of this one on all devices.
    xbatchStatus_t exchange(Context &first, const Shares &shares, bool is_back) override {
        XBATCH_TRY(end(first));
        XBATCH_TRY(begin(first));
        for (size_t to = 0; to < shares.size(); ++to) {
            const DeviceScope scope(*contexts_[to]);
            for (size_t from = 0; from < shares.size(); ++from) XBATCH_TRY(copy(first, shares, from, to, is_back));
        }
        return XBATCH_STATUS_SUCCESS;
    }

private:
    xbatchStatus_t record(Context &first, size_t k) {
        const DeviceScope scope(*contexts_[k]);
        XBATCH_CUDA(first, cudaEventRecord(events_[k], stream_of(*contexts_[k])));
        return XBATCH_STATUS_SUCCESS;
    }
    xbatchStatus_t wait(Context &first, size_t k, size_t other) {
        const DeviceScope scope(*contexts_[k]);
        XBATCH_CUDA(first, cudaStreamWaitEvent(stream_of(*contexts_[k]), events_[other], 0));
        return XBATCH_STATUS_SUCCESS;
    }
    xbatchStatus_t copy(Context &first, const Shares &shares, size_t from, size_t to, bool is_back) {
        const MpPlan &sender = *shares[from], &receiver = *shares[to];
        const Messages &sent = is_back ? sender.back : sender.forward;
        const Messages &received = is_back ? receiver.back : receiver.forward;
        const char *const source = is_back ? sender.device->returning : sender.device->sent;
        char *const target = is_back ? receiver.device->returned : receiver.device->received;
        // Not cudaMemcpyPeerAsync, which cannot be captured
        const cudaError_t error =
            cudaMemcpyAsync(target + received.recv_at[from], source + sent.send_at[sent.is_gathered ? 0 : to],
                            size_t(received.recv_bytes[from]), cudaMemcpyDeviceToDevice, stream_of(*contexts_[to]));
        return cuda_status(first, error, "cudaMemcpyAsync between devices");
    }

    std::vector<Context *> contexts_;
    std::vector<cudaEvent_t> events_;
};

}  // namespace

std::unique_ptr<MgExchange> make_mg_exchange(Context &first, const std::vector<Context *> &contexts) {
    auto made = std::make_unique<PeerCopies>(contexts);
    return made->open(first) == XBATCH_STATUS_SUCCESS ? std::move(made) : nullptr;
}

}  // namespace xbatch::distributed
