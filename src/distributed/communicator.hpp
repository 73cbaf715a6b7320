// communicator.hpp: one communicator, and an exchange of messages that agree on what is exchanged and whether to go on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "core/registry.hpp"
#include "core/workspace.hpp"
#include "xbatch/comm_layer.h"

namespace xbatch::distributed {

// What an exchange belongs to; ranks whose messages are of another kind have called another function.
enum class Routine : uint8_t {
    plan,
    open,
    periodic,
    pscheme,
    positive,
    forward,
    backward,
    tall,
    factor,
    factored,
    transposed,
    edges,
    tall_factor,
    tall_apply,
    tree_plan,
    tree,  // and the next two by op
    tree_transposed,
    tree_adjoint
};
struct Kind {
    Routine routine;
    bool is_back;  // the second exchange of a solve
    uint8_t number() const { return uint8_t(2 * int(routine) + is_back + 1); }
};

// The first bytes of every message. Any changed byte is detected.
struct Header {
    static constexpr uint8_t valid = 0xb5;
    uint8_t mark, kind, status, not_status;
    uint32_t sequence;
};
constexpr int64_t header_bytes = sizeof(Header);
static_assert(header_bytes == 8, "elements that follow are aligned");

// Messages to and from each rank in one buffer each; a rank's gathered message is one for all others.
struct Messages {
    bool is_gathered = false;
    std::vector<int64_t> send_bytes, send_at;  // [ranks], gathered: [1]
    std::vector<int64_t> recv_bytes, recv_at;  // [ranks]
    std::unique_ptr<char[]> sent, received;

    // Message q has bytes_of(q) bytes after its header, rounded up so that the header of the next one is aligned.
    template <class BytesSent, class BytesReceived>
    void lay_out(int ranks, bool gathered, BytesSent bytes_sent, BytesReceived bytes_received) {
        is_gathered = gathered;
        sent_bytes_ = lay_out(send_bytes, send_at, gathered ? 1 : ranks, bytes_sent);
        received_bytes_ = lay_out(recv_bytes, recv_at, ranks, bytes_received);
    }
    int64_t sent_bytes() const { return sent_bytes_; }
    int64_t received_bytes() const { return received_bytes_; }
    // For the messages laid out, and all shorter ones. Throws std::bad_alloc.
    void allocate() {
        sent.reset(new char[size_t(sent_bytes_)]());
        received.reset(new char[size_t(received_bytes_)]());
    }

private:
    template <class BytesOf>
    static int64_t lay_out(std::vector<int64_t> &bytes, std::vector<int64_t> &at, int count, BytesOf bytes_of) {
        int64_t total = 0;
        bytes.clear(), at.clear();
        for (int q = 0; q < count; ++q) {
            at.push_back(total);
            bytes.push_back(counted_sum(2 * header_bytes - 1, bytes_of(q)) / header_bytes * header_bytes);
            total = counted_sum(total, bytes.back());
        }
        return total;
    }

    int64_t sent_bytes_ = 0, received_bytes_ = 0;
};

// What all ranks said
struct Heard {
    bool is_dead = false;                           // the layer failed; no more can be exchanged
    bool is_broken = false;                         // a message is not the expected one
    int rank = -1;                                  // the first one that refuses to go on …
    xbatchStatus_t status = XBATCH_STATUS_SUCCESS;  // … and why
    bool is_good() const { return !is_dead && !is_broken && rank < 0; }
};

struct Communicator {
    xbatchHandle_t handle = nullptr;
    xbatchCommLayer_t layer = {};
    void *context = nullptr;
    int64_t timeout = 0;  // milliseconds
    bool is_dead = false;
    uint32_t exchanges = 0, plans = 0;  // so far
    int64_t messages = 0, bytes = 0;    // sent to other ranks
    char why[160] = "it has failed";    // once it is dead
    // What ranks said in exchanges in a stream: 0, or (rank + 1) << 8 | status. In host memory that the device writes.
    std::shared_ptr<int32_t> verdict;

    ~Communicator();
    bool is_in_stream() const { return ranks() == 1 || (layer.flags & XBATCH_COMM_LAYER_DEVICE) != 0; }
    int rank() const { return layer.rank; }
    int ranks() const { return layer.ranks; }

    // Exchanges messages of a plan, with the caller's status in each of them. Where no rank may ever answer it returns
    // after the time-out. Buffers of an exchange that is not complete are never freed.
    Heard exchange(Kind kind, uint32_t plan, xbatchStatus_t status, Messages &messages);
    // The header of the next exchange, which all ranks begin in the same order
    Header next_header(Kind kind, uint32_t plan, xbatchStatus_t status);
    // Enqueues the exchange of messages in device memory, whose headers the caller's kernels write and check. False if
    // the layer fails.
    bool exchange_in_stream(void *stream, const Messages &layout, const void *sent, void *received);
    // Further calls return COMM_FAILED.
    __attribute__((format(printf, 2, 3))) void kill(const char *format, ...);

private:
    bool transfer(Messages &messages);
    void count(const Messages &messages);
};

inline Registry<Communicator, xbatchComm_t> live_communicators;

// A layer of this name, from its library; a text in case of failure. Throws std::bad_alloc.
xbatchStatus_t open_layer(const char *name, const void *native, xbatchCommLayer_t &layer, void *&context, char *message,
                          size_t message_bytes);

}  // namespace xbatch::distributed
