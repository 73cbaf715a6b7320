// device_image.hpp: tables that are built on the host and copied to the GPU at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

namespace xbatch::hines {

// Contiguous tables as in device memory: each begins at a multiple of 16 bytes, and so does the end of all.
class Image {
public:
    template <class Item>
    size_t add(const std::vector<Item> &items) {
        constexpr size_t alignment = 16;
        const size_t at = bytes_.size(), size = items.size() * sizeof(Item);
        bytes_.resize(at + (size + alignment - 1) / alignment * alignment);
        if (size > 0) std::memcpy(bytes_.data() + at, items.data(), size);
        return at;
    }
    const std::vector<char> &bytes() const { return bytes_; }

private:
    std::vector<char> bytes_;
};

// Pointers that are offsets become pointers into `memory`.
template <class Item>
void move_to(const char *memory, const Item *&pointer) {
    pointer = reinterpret_cast<const Item *>(memory + reinterpret_cast<size_t>(pointer));
}

}  // namespace xbatch::hines
