// mailbox.cuh: exchange of values through global memory between blocks that work on one matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>

#include "core/scalar.hpp"

namespace xbatch::qr {

// A value in words of four bytes, each stored together with the number of the exchange: both become visible at once, so
// no fence is needed. A mailbox is free again two exchanges later: a sender of the next one has received all of this
// one.
template <class T>
struct alignas(sizeof(T) == 4 ? 8 : 16) Mailbox {
    static constexpr int words = int(sizeof(T)) / 4;
    uint64_t word[words];

    __device__ void send(T x, unsigned number) {
        unsigned bits[words];
        memcpy(bits, &x, sizeof x);
        const auto marked = [&](int w) { return uint64_t(number) << 32 | bits[w]; };
        if constexpr (words == 1)
            asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(word), "l"(marked(0)) : "memory");
        else
#pragma unroll
            for (int w = 0; w < words; w += 2)
                asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};" ::"l"(word + w), "l"(marked(w)),
                             "l"(marked(w + 1))
                             : "memory");
    }
    __device__ T receive(unsigned number) const {
        uint64_t found[words];
        const auto has_come = [&] {
            bool has = true;
#pragma unroll
            for (int w = 0; w < words; ++w) has &= unsigned(found[w] >> 32) == number;
            return has;
        };
        do {
            if constexpr (words == 1)
                asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(found[0]) : "l"(word) : "memory");
            else
#pragma unroll
                for (int w = 0; w < words; w += 2)
                    asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"
                                 : "=l"(found[w]), "=l"(found[w + 1])
                                 : "l"(word + w)
                                 : "memory");
        } while (!has_come());
        unsigned bits[words];
#pragma unroll
        for (int w = 0; w < words; ++w) bits[w] = unsigned(found[w]);
        T x;
        memcpy(&x, bits, sizeof x);
        return x;
    }
};

}  // namespace xbatch::qr
