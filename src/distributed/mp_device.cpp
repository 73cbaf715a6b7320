// mp_device.cpp: the order of phases and exchanges of distributed solves on CUDA devices.
// SPDX-License-Identifier: BSD-3-Clause
#include "mp_device.hpp"

#include <sched.h>

#include <chrono>
#include <cstring>

#include "core/cuda.hpp"
#include "core/device.hpp"
#include "mp_call.hpp"

namespace xbatch::distributed {

bool is_captured(const Context &context) {
    cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream_of(context), &state) == cudaSuccess && state != cudaStreamCaptureStatusNone;
}

xbatchStatus_t to_host(Context &context, void *host, const void *device, int64_t bytes) {
    const cudaStream_t stream = stream_of(context);
    XBATCH_CUDA(context, cudaMemcpyAsync(host, device, size_t(bytes), cudaMemcpyDeviceToHost, stream));
    XBATCH_CUDA(context, cudaStreamSynchronize(stream));
    return XBATCH_STATUS_SUCCESS;
}
xbatchStatus_t to_device(Context &context, void *device, const void *from, int64_t bytes) {
    const cudaStream_t stream = stream_of(context);
    XBATCH_CUDA(context, cudaMemcpyAsync(device, from, size_t(bytes), cudaMemcpyDefault, stream));
    return XBATCH_STATUS_SUCCESS;
}

namespace {

// Copies of messages in host memory, which the layer moves
xbatchStatus_t send(Context &context, Messages &m, const char *device) {
    return to_host(context, m.sent.get(), device, m.sent_bytes());
}
xbatchStatus_t receive(Context &context, const Messages &m, char *device) {
    return to_device(context, device, m.received.get(), m.received_bytes());
}

template <class Arrays>
xbatchStatus_t solve_by_copies(Context &context, Call &call, const char *name, MpPlan &plan, Routine routine,
                               DevicePhases<Arrays> &phases, const Arrays &a, void *workspace) {
    Communicator &comm = *plan.comm;
    DeviceShare &device = *plan.device;
    xbatchStatus_t status = call.status();
    if (status == XBATCH_STATUS_SUCCESS) status = phases.condense(context, plan, a, workspace, {}, true);
    if (status == XBATCH_STATUS_SUCCESS) status = send(context, plan.forward, device.sent);
    Heard heard = comm.exchange({routine, false}, plan.number, status, plan.forward);
    if (heard.is_dead || heard.rank >= 0) return failure(context, name, comm, heard, status);
    const bool was_broken = heard.is_broken;
    if (!was_broken) {
        status = receive(context, plan.forward, device.received);
        if (status == XBATCH_STATUS_SUCCESS) status = phases.close(context, plan, a, workspace, {});
        if (status == XBATCH_STATUS_SUCCESS && !plan.is_gathered) status = send(context, plan.back, device.returning);
    }
    if (!plan.is_gathered) {
        heard = comm.exchange({routine, true}, plan.number, was_broken ? XBATCH_STATUS_COMM_FAILED : status, plan.back);
        heard.is_broken = heard.is_broken || was_broken;
    }
    if (!heard.is_good()) return failure(context, name, comm, heard, status);
    if (status == XBATCH_STATUS_SUCCESS && !plan.is_gathered) status = receive(context, plan.back, device.returned);
    if (status == XBATCH_STATUS_SUCCESS) status = phases.substitute(context, plan, a, workspace, {}, true);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    return cuda_status(context, cudaStreamSynchronize(stream_of(context)), "cudaStreamSynchronize");
}

uint64_t word_of(const Header &header) {
    uint64_t word = 0;
    std::memcpy(&word, &header, sizeof header);
    return word;
}
Header with_status(Header header, xbatchStatus_t status) {
    header.status = uint8_t(status), header.not_status = uint8_t(~uint8_t(status));
    return header;
}

// NULL is the default stream to CUDA, but host memory to a layer.
void *stream_for_layer(const Context &context) { return context.stream ? context.stream : cudaStreamLegacy; }

template <class Arrays>
xbatchStatus_t solve_in_stream(Context &context, Call &call, const char *name, MpPlan &plan, Routine routine,
                               DevicePhases<Arrays> &phases, const Arrays &a, void *workspace) {
    Communicator &comm = *plan.comm;
    DeviceShare &device = *plan.device;
    const Header forward = comm.next_header({routine, false}, plan.number, XBATCH_STATUS_SUCCESS);
    const Header back =
        plan.is_gathered ? Header{} : comm.next_header({routine, true}, plan.number, XBATCH_STATUS_SUCCESS);
    const uint64_t broken = word_of(with_status(back, XBATCH_STATUS_COMM_FAILED));
    xbatchStatus_t status = call.status();
    const auto note = [&](xbatchStatus_t now) { status = status == XBATCH_STATUS_SUCCESS ? now : status; };
    if (status == XBATCH_STATUS_SUCCESS) note(phases.condense(context, plan, a, workspace, {word_of(forward)}, true));
    if (status != XBATCH_STATUS_SUCCESS)
        phases.condense(context, plan, a, workspace, {word_of(with_status(forward, status))}, false);
    void *const stream = stream_for_layer(context);
    if (!comm.exchange_in_stream(stream, plan.forward, device.sent, device.received)) return dead(context, name, comm);
    note(phases.close(context, plan, a, workspace, {word_of(back), word_of(forward), broken}));
    if (!plan.is_gathered && !comm.exchange_in_stream(stream, plan.back, device.returning, device.returned))
        return dead(context, name, comm);
    if (status == XBATCH_STATUS_SUCCESS)
        note(phases.substitute(context, plan, a, workspace, {0, word_of(plan.is_gathered ? forward : back)}, true));
    return status;
}

template <class Arrays>
xbatchStatus_t solve(Context &context, Call &call, const char *name, MpPlan &plan, Routine routine,
                     DevicePhases<Arrays> &phases, const Arrays &a, void *workspace) {
    const DeviceScope scope(context);
    call.supported(0, "plan", plan.comm->is_in_stream() || !is_captured(context),
                   "must be used outside of stream capture, since its communication layer moves host memory");
    return plan.comm->is_in_stream() ? solve_in_stream(context, call, name, plan, routine, phases, a, workspace)
                                     : solve_by_copies(context, call, name, plan, routine, phases, a, workspace);
}

}  // namespace

xbatchStatus_t connect(Context &context, MpPlan &plan) {
    Communicator &comm = *plan.comm;
    if (!plan.device || comm.ranks() == 1 || !comm.is_in_stream()) return XBATCH_STATUS_SUCCESS;
    const DeviceScope scope(context);
    const int64_t messages = comm.messages, bytes = comm.bytes;
    void *const stream = stream_for_layer(context);
    if (!comm.exchange_in_stream(stream, plan.forward, plan.device->sent, plan.device->received) ||
        (!plan.is_gathered &&
         !comm.exchange_in_stream(stream, plan.back, plan.device->returning, plan.device->returned)))
        return dead(context, "xgtsvMpCreatePlan", comm);
    comm.messages = messages, comm.bytes = bytes;
    return wait_for_stream(context, comm, "xgtsvMpCreatePlan");
}

xbatchStatus_t wait_for_stream(Context &context, Communicator &comm, const char *name) {
    const DeviceScope scope(context);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(comm.timeout);
    for (;;) {
        const cudaError_t state = cudaStreamQuery(stream_of(context));
        if (state == cudaSuccess) break;
        if (state != cudaErrorNotReady) return cuda_status(context, state, "cudaStreamQuery");
        if (comm.layer.asyncError && comm.layer.asyncError(comm.context)) comm.kill("the communication layer failed");
        if (!comm.is_dead && std::chrono::steady_clock::now() > end)
            comm.kill("other ranks did not answer within %lld ms", (long long)comm.timeout);
        if (comm.is_dead) return dead(context, name, comm);
        sched_yield();
    }
    const int32_t said = comm.verdict ? *comm.verdict : 0;
    if (said == 0) return XBATCH_STATUS_SUCCESS;
    *comm.verdict = 0;
    const xbatchStatus_t status = xbatchStatus_t(said & 0xff);
    if (status == XBATCH_STATUS_COMM_FAILED) comm.kill("ranks called different functions, or a message was damaged");
    if (comm.is_dead) return dead(context, name, comm);
    return fail(context, status, "%s: rank %d refused its arguments: %s", name, (said >> 8) - 1,
                xbatchGetStatusString(status));
}

xbatchStatus_t solve_on_device(Context &context, Call &call, const char *name, MpPlan &plan, Routine routine,
                               const GtsvArrays &arrays, int64_t sides, void *workspace) {
    const GtsvPhases &of = host_gtsv_phases(plan.type);
    // The tables of places are those of whole messages.
    plan.arrange(sides, of.forward_bytes({}, plan.nrhs), of.back_bytes(plan.nrhs));
    return solve(context, call, name, plan, routine, *plan.device, arrays, workspace);
}
xbatchStatus_t solve_on_device(Context &context, Call &call, const char *name, MpPlan &plan, Routine routine,
                               const FolrArrays &arrays, void *workspace) {
    const PhasesOf<FolrArrays> &of = host_folr_phases(plan.type);
    plan.arrange(plan.nrhs, of.forward_bytes(arrays, plan.nrhs), of.back_bytes(plan.nrhs));
    return solve(context, call, name, plan, routine, *plan.device->recurrence, arrays, workspace);
}

}  // namespace xbatch::distributed
