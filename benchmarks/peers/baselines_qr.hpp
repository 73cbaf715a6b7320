// baselines_qr.hpp: other libraries' QR of a dense matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
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

// LAPACK's dgels with one right-hand side, in place
class LapackGels {
public:
    LapackGels(int64_t m, int64_t n);
    void operator()(void *a, void *b);
    size_t bytes() const { return work_.size() * sizeof(double); }

private:
    int64_t m_, n_;
    std::vector<double> work_;
};

#ifdef BENCH_HAVE_CUDA
// cuSOLVER's, in place, on the default stream
class CusolverGeqrf {
public:
    CusolverGeqrf(const Machine &machine, xbatchDataType_t type, int64_t m, int64_t n);
    void operator()(void *a);
    size_t bytes() const { return bytes_; }

private:
    xbatchDataType_t type_;
    int64_t m_, n_;
    Memory tau_, info_;
    std::optional<Memory> work_;
    std::vector<char> host_work_;
    size_t bytes_ = 0;
};

// cuSOLVER's DDgels with one right-hand side: the solution is copied over the front of b
class CusolverGels {
public:
    CusolverGels(const Machine &machine, int64_t m, int64_t n);
    void operator()(void *a, void *b);
    size_t bytes() const { return bytes_; }

private:
    const Machine machine_;
    int64_t m_, n_;
    Memory x_, info_;
    std::optional<Memory> work_;
    size_t bytes_ = 0;
};
#endif

}  // namespace bench
