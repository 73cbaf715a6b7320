// baselines_qr.hpp: what a host program factors a dense matrix with today.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "machine.hpp"

namespace bench {

// LAPACK's geqrf of the library that the program is linked with, in place, its workspace of the size it asks for
class LapackGeqrf {
public:
    LapackGeqrf(xbatchDataType_t type, int64_t m, int64_t n);
    void operator()(void *a);
    size_t bytes() const { return tau_.size() + work_.size(); }

private:
    int factor(void *a, void *work, int64_t elements);

    xbatchDataType_t type_;
    int64_t m_, n_;
    std::vector<char> tau_, work_;
};

}  // namespace bench
