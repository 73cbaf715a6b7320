// array.hpp: an array as a routine under test sees it: poisoned, guarded, on the backend's memory, every byte
// accounted. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "backend.hpp"

namespace xbatch_test {

// Elements are poison until set: all bits one, which is NaN in every floating type and -1 in an integer. A guard zone
// of poison lies before and after. After the call, intact() says whether every byte outside may_change() is what it
// was.
template <class T>
class Array {
public:
    // shift: the base address is this many elements past an aligned one.
    Array(xbatchBackend_t where, int64_t size, int64_t shift = 0)
        : size_(size), first_(guard + shift), image_(first_ + size + guard), changes_(size, false) {
        std::memset(static_cast<void *>(image_.data()), 0xff, image_.size() * sizeof(T));
        if (where == XBATCH_BACKEND_CUDA) device_ = static_cast<T *>(device_allocate(image_.size() * sizeof(T)));
    }
    ~Array() { device_free(device_); }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;

    T *data() { return (device_ ? device_ : image_.data()) + first_; }
    int64_t size() const { return size_; }
    T operator[](int64_t k) const { return image_[first_ + k]; }
    void set(int64_t k, T value) { image_[first_ + k] = value; }
    void may_change(int64_t k) { changes_[k] = true; }
    void may_change_all() { changes_.assign(size_, true); }

    // Before the call, after all set().
    void upload() {
        before_ = image_;
        if (device_) to_device(device_, image_.data(), image_.size() * sizeof(T));
    }
    // After the call.
    void download() {
        if (device_) to_host(image_.data(), device_, image_.size() * sizeof(T));
    }
    bool intact() const {
        const auto same = [&](int64_t from, int64_t count) {
            return std::memcmp(&image_[from], &before_[from], count * sizeof(T)) == 0;
        };
        if (!same(0, first_) || !same(first_ + size_, guard)) return false;
        for (int64_t k = 0; k < size_; ++k)
            if (!changes_[k] && !same(first_ + k, 1)) return false;
        return true;
    }

private:
    static constexpr int64_t guard = 64;

    int64_t size_, first_;
    std::vector<T> image_, before_;
    std::vector<bool> changes_;
    T *device_ = nullptr;
};

// A workspace of exactly so many bytes, at an address that is a multiple of 16 and of nothing more.
class Workspace {
public:
    Workspace(xbatchBackend_t where, size_t bytes) : array_(where, int64_t(bytes), 16) {
        array_.may_change_all();
        array_.upload();
    }
    void *data() { return array_.size() == 0 ? nullptr : array_.data(); }
    size_t bytes() const { return size_t(array_.size()); }
    bool intact() {
        array_.download();
        return array_.intact();
    }

private:
    Array<unsigned char> array_;
};

template <class T>
bool same_bits(const std::vector<T> &a, const std::vector<T> &b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace xbatch_test
