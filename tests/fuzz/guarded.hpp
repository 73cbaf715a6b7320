// guarded.hpp: memory of a call: exactly the bytes it may access, between two inaccessible pages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace xbatch_test {

// The position of an array between its guard pages. OffTheStart is an address with no more than the required alignment.
enum class Flush { ToTheStart, OffTheStart, ToTheEnd };

// All bits are one until set, so that numbers are NaN, inside and around the array.
class Guarded {
public:
    Guarded(size_t bytes, size_t align, Flush flush) : bytes_(bytes) {
        const size_t page = size_t(sysconf(_SC_PAGESIZE)), off = flush == Flush::OffTheStart ? align : 0;
        usable_ = (off + bytes + page - 1) / page * page;
        mapped_ = usable_ + 2 * page;
        void *const map = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED) std::abort();
        map_ = static_cast<unsigned char *>(map);
        first_ = map_ + page;
        if (usable_ > 0 && mprotect(first_, usable_, PROT_READ | PROT_WRITE) != 0) std::abort();
        data_ = flush == Flush::ToTheEnd ? first_ + (usable_ - bytes) / align * align : first_ + off;
        forget();
    }
    ~Guarded() { munmap(map_, mapped_); }
    Guarded(const Guarded &) = delete;
    Guarded &operator=(const Guarded &) = delete;

    unsigned char *data() { return data_; }
    size_t bytes() const { return bytes_; }
    void forget() { std::memset(first_, 0xff, usable_); }
    // All accessible bytes, also those around the array
    std::vector<unsigned char> image() const { return {first_, first_ + usable_}; }
    void restore(const std::vector<unsigned char> &image) { std::memcpy(first_, image.data(), image.size()); }
    size_t offset() const { return size_t(data_ - first_); }  // of the array in the image

private:
    size_t bytes_, usable_ = 0, mapped_ = 0;
    unsigned char *map_ = nullptr, *first_ = nullptr, *data_ = nullptr;
};

}  // namespace xbatch_test
