// workspace.hpp: one plan both sizes and partitions a workspace, so that the two cannot disagree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace xbatch {

// The value of sizes that overflow, and of all sums and products with them: no memory is that large.
constexpr int64_t uncountable = INT64_MAX;

inline int64_t counted_sum(int64_t a, int64_t b) {
    int64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? uncountable : result;
}
inline int64_t counted_product(int64_t a) { return a; }
template <class... Factors>
int64_t counted_product(int64_t a, int64_t b, Factors... factors) {
    int64_t result = 0;
    return counted_product(__builtin_mul_overflow(a, b, &result) ? uncountable : result, factors...);
}
// The next multiple of 64, so that no two threads share a cache line
inline int64_t whole_lines(int64_t count) { return counted_sum(count, 63) / 64 * 64; }

// Partitions a buffer, which may be NULL: take() returns the next array, bytes() the size of all so far, at most
// `uncountable`.
class Carver {
public:
    explicit Carver(void *buffer) : buffer_(static_cast<char *>(buffer)) {}

    // The number of elements is the product of the counts.
    template <class T, class... Counts>
    T *take(Counts... counts) {
        used_ = (used_ + alignment - 1) / alignment * alignment;
        T *piece = buffer_ ? reinterpret_cast<T *>(buffer_ + used_) : nullptr;
        used_ += size_t(counted_product(int64_t(sizeof(T)), int64_t(counts)...));
        used_ = std::min(used_, size_t(uncountable));
        return piece;
    }
    // The same, from the beginning of a cache line on
    template <class T, class... Counts>
    T *take_lines(Counts... counts) {
        char *const piece = take<char>(counted_sum(counted_product(int64_t(sizeof(T)), int64_t(counts)...), line - 1));
        return reinterpret_cast<T *>((reinterpret_cast<uintptr_t>(piece) + line - 1) / line * line);
    }
    size_t bytes() const { return used_; }

private:
    static constexpr size_t alignment = 16, line = 64;
    char *buffer_;
    size_t used_ = 0;
};

}  // namespace xbatch
