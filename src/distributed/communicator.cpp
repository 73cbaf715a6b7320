// communicator.cpp: exchanges and their failures.
// SPDX-License-Identifier: BSD-3-Clause
#include "communicator.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace xbatch::distributed {
namespace {

// A layer may still write into the buffers of an exchange that did not end, so they are never freed.
void abandon(Messages &messages) {
    static std::mutex mutex;
    static auto *const abandoned = new std::vector<std::unique_ptr<char[]>>;
    const std::lock_guard<std::mutex> locked(mutex);
    for (std::unique_ptr<char[]> *buffer : {&messages.sent, &messages.received})
        abandoned->push_back(std::move(*buffer));
}

}  // namespace

Communicator::~Communicator() {
    if (layer.free) layer.free(context);
}

void Communicator::kill(const char *format, ...) {
    if (is_dead) return;
    is_dead = true;
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    if (layer.abort) layer.abort(context);
}

bool Communicator::transfer(Messages &m) {
    if (ranks() == 1) {
        std::memcpy(m.received.get(), m.sent.get(), size_t(m.send_bytes[0]));
        return true;
    }
    const int started = m.is_gathered
                            ? layer.allgatherv(context, nullptr, m.sent.get(), m.send_bytes[0], m.received.get(),
                                               m.recv_bytes.data(), m.recv_at.data())
                            : layer.alltoallv(context, nullptr, m.sent.get(), m.send_bytes.data(), m.send_at.data(),
                                              m.received.get(), m.recv_bytes.data(), m.recv_at.data());
    const int ended = started ? started : layer.wait(context, timeout);
    if (!ended) return true;
    if (ended == XBATCH_COMM_TIMED_OUT && !started)
        kill("other ranks did not answer within %lld ms", (long long)timeout);
    else
        kill("the communication layer failed with code %d", ended);
    abandon(m);
    return false;
}

void Communicator::count(const Messages &m) {
    for (int p = 0; p < ranks(); ++p)
        if (p != rank()) ++messages, bytes += m.send_bytes[m.is_gathered ? 0 : p];
}

Header Communicator::next_header(Kind kind, uint32_t plan, xbatchStatus_t status) {
    // Odd, so that plans differ at every number of exchanges
    const uint32_t sequence = ++exchanges + plan * 0x9e3779b1u;
    return {Header::valid, kind.number(), uint8_t(status), uint8_t(~uint8_t(status)), sequence};
}

bool Communicator::exchange_in_stream(void *stream, const Messages &m, const void *sent, void *received) {
    if (ranks() == 1) return true;  // sent and received are the same memory
    const int failed = m.is_gathered ? layer.allgatherv(context, stream, sent, m.send_bytes[0], received,
                                                        m.recv_bytes.data(), m.recv_at.data())
                                     : layer.alltoallv(context, stream, sent, m.send_bytes.data(), m.send_at.data(),
                                                       received, m.recv_bytes.data(), m.recv_at.data());
    if (failed)
        kill("the communication layer failed with code %d", failed);
    else
        count(m);
    return !failed;
}

Heard Communicator::exchange(Kind kind, uint32_t plan, xbatchStatus_t status, Messages &m) {
    Heard heard;
    const Header header = next_header(kind, plan, status);
    for (const int64_t at : m.send_at) std::memcpy(m.sent.get() + at, &header, sizeof header);
    if (!transfer(m)) {
        heard.is_dead = true;
        return heard;
    }
    count(m);
    for (int p = 0; p < ranks(); ++p) {
        Header got;
        std::memcpy(&got, m.received.get() + m.recv_at[p], sizeof got);
        const bool is_expected = got.mark == header.mark && got.kind == header.kind &&
                                 got.sequence == header.sequence && got.not_status == uint8_t(~got.status);
        if (!is_expected)
            heard.is_broken = true;
        else if (got.status != XBATCH_STATUS_SUCCESS && heard.rank < 0)
            heard.rank = p, heard.status = xbatchStatus_t(got.status);
    }
    return heard;
}

}  // namespace xbatch::distributed
