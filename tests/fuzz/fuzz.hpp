// fuzz.hpp: what the fuzzer makes of the input's bytes: numbers, enumerators, arrays of the extent that a call asks
// for. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <xbatch.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

// Takes choices from the input; zeros once it is used up.
class Choices {
public:
    Choices(const uint8_t *data, size_t size) : data_(data), size_(size) {}

    unsigned byte() { return at_ < size_ ? data_[at_++] : 0; }
    // Mostly 0 … 40, now and then one that no call can accept: beyond 2^61 elements nothing has 2^63 bytes.
    int64_t size() {
        constexpr int64_t edges[] = {-1, INT64_MIN, INT64_MAX, int64_t(1) << 62};
        const unsigned b = byte();
        return b < 240 ? b % 41 : edges[b % 4];
    }
    // 0 … last, or one that is out of range
    template <class E>
    E enumerator(int last) {
        const int b = int(byte());
        return static_cast<E>(b < 250 ? b % (last + 1) : last + 1);
    }
    bool rarely() { return byte() > 245; }

private:
    const uint8_t *data_;
    size_t size_, at_ = 0;
};

inline void require(bool condition) {
    if (!condition) std::abort();
}

// An array of just the extent the contract asks for: AddressSanitizer guards its ends. A call that must be refused gets
// a small one.
class Buffer {
public:
    explicit Buffer(size_t bytes, unsigned fill) : bytes_(bytes), data_(bytes) {
        for (size_t k = 0; k < bytes_; ++k) data_[k] = static_cast<unsigned char>(fill * (k + 1) >> 3);
        before_ = data_;
    }
    void *data() { return data_.data(); }
    size_t bytes() const { return bytes_; }
    bool is_untouched() const { return data_ == before_; }
    bool operator==(const Buffer &other) const { return data_ == other.data_; }

private:
    size_t bytes_;
    std::vector<unsigned char> data_, before_;
};

inline bool is_sane(int64_t x) { return x >= 0 && x <= 64; }

inline size_t extent(int layout, int64_t n, int64_t nrhs, int64_t batch, int64_t ld, size_t element) {
    if (!is_sane(n) || !is_sane(nrhs) || !is_sane(batch) || !is_sane(ld)) return 64;
    const int64_t blocks = ld > 0 ? (batch + ld - 1) / ld : 0;
    const int64_t elements[] = {batch * nrhs * ld, nrhs * n * ld, blocks * ld * nrhs * n};
    return size_t(std::max<int64_t>(ld == 0 ? n : elements[layout % 3], 0)) * element;
}

constexpr size_t element_sizes[] = {4, 8, 8, 16, 16};

struct Fuzzed {
    xbatchHandle_t handle;
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    size_t element;
};

// The statuses a routine's contract names on the host
inline void require_documented(xbatchStatus_t status) {
    require(status == XBATCH_STATUS_SUCCESS || status == XBATCH_STATUS_INVALID_VALUE ||
            status == XBATCH_STATUS_INSUFFICIENT_WORKSPACE);
}

template <class Query>
Buffer workspace_for(Choices &choices, Query query) {
    size_t bytes = 0;
    if (query(&bytes) != XBATCH_STATUS_SUCCESS || bytes > (1 << 20)) return Buffer(64, 7);
    return Buffer(choices.rarely() ? bytes / 2 : bytes, 7);
}

// A matrix of the extent that the contract asks for, a small one for a call that must be refused
inline Buffer matrix_for(Choices &choices, const Fuzzed &f, int64_t columns, int64_t ld) {
    return Buffer(is_sane(columns) && is_sane(ld) ? size_t(columns * ld) * f.element : 64, choices.byte());
}

// Those of fuzz_qr.cpp
void fuzz_qr(Choices &choices, const Fuzzed &f);
void fuzz_gels(Choices &choices, const Fuzzed &f);
void fuzz_qr_batch(Choices &choices, const Fuzzed &f);
void fuzz_qr_of_sizes(Choices &choices, const Fuzzed &f);
void fuzz_q_of_sizes(Choices &choices, const Fuzzed &f);
