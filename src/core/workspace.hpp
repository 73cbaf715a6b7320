// workspace.hpp: one plan sizes a workspace and carves it, so that the two cannot disagree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace xbatch {

// Walks a buffer that may be NULL: take() hands out the next piece, bytes() tells how much all pieces need.
class Carver {
public:
    explicit Carver(void *buffer) : buffer_(static_cast<char *>(buffer)) {}

    template <class T>
    T *take(int64_t count) {
        used_ = (used_ + alignment - 1) / alignment * alignment;
        T *piece = buffer_ ? reinterpret_cast<T *>(buffer_ + used_) : nullptr;
        used_ += size_t(count) * sizeof(T);
        return piece;
    }
    size_t bytes() const { return used_; }

private:
    static constexpr size_t alignment = 16;
    char *buffer_;
    size_t used_ = 0;
};

}  // namespace xbatch
