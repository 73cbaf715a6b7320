// stage.hpp: the arrays of a random call in guarded memory, and one run of the call with a check of all it wrote.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "call.hpp"
#include "guarded.hpp"

namespace xbatch_test {

// Bytes that replace a value of an array before the call
struct Patch {
    std::string array;
    size_t element;
    std::vector<unsigned char> bytes;
};

class Stage {
public:
    explicit Stage(Call &call);

    // Runs with a number of threads, a changed argument or element, or patches; returns errors in what was written. If
    // the call must be refused, or has nothing to do, nothing may be written.
    std::string run(int threads, const Wrong *wrong = nullptr, const std::vector<Patch> &patches = {});
    xbatchStatus_t status() const { return status_; }
    const Outcome &outcome() const { return outcome_; }
    int64_t workspace_bytes() const { return workspace_bytes_; }

private:
    struct Slot {
        const FuzzArray *array;
        std::unique_ptr<Guarded> memory;
        std::vector<unsigned char> before;
    };

    bool is_used(const FuzzArray &array) const;
    void fill(const std::vector<Patch> &patches);
    std::string ask_for_workspace();
    int64_t argument(const std::string &name, const Wrong *wrong);
    Slot *slot_of(const std::string &name);
    std::string written(const Slot &slot, bool is_still) const;
    void read();

    Call &call_;
    std::vector<Slot> slots_;
    std::unique_ptr<Guarded> workspace_;
    int64_t workspace_bytes_ = 0;
    Flush workspace_flush_;
    xbatchStatus_t status_ = XBATCH_STATUS_SUCCESS;
    Outcome outcome_;
};

}  // namespace xbatch_test
