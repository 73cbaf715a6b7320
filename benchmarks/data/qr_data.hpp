// qr_data.hpp: a dense matrix to factor, its tiled QR, and the error of a result.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "session.hpp"

namespace bench {

struct QrShape {
    int64_t m, n;
    xbatchDataType_t type = XBATCH_R_64F;

    int64_t reflectors() const { return std::min(m, n); }
    size_t bytes() const { return size_t(m * n) * element_size(type); }
    std::string name() const { return std::to_string(m) + " x " + std::to_string(n); }
    double flops() const;  // of a factorisation
};

// A random matrix, and the copy that is factored
struct QrMatrix {
    Machine machine;
    QrShape shape;
    Memory original, work;

    QrMatrix(const Machine &on, const QrShape &s);
    void restore() const { machine.copy(work.get(), original.get(), shape.bytes()); }
    // Q preserves the norms of columns: the largest relative difference between those of A and of R
    double error_of_norms() const;
    // Q^H A is R: the largest difference in columns spread over both, relative to the column's norm
    double error_of_product(const Memory &product) const;
    // Q R is A: as above, of entries in rows spread over Q [m x min(m, n)]
    double error_of_factors(const Memory &q) const;
};

// A handle, T and workspace for matrices of a shape. threads: of the host, 0 means all
class TiledQr {
public:
    TiledQr(const Machine &machine, const QrShape &shape, int threads, const xbatchTiledConfig_t *config);

    void factor(const QrMatrix &a) const;
    // c := Q^H c, c of the shape of A; and the first columns of Q
    void apply(const QrMatrix &a, const Memory &c) const;
    void form(const QrMatrix &a, const Memory &q) const;
    size_t bytes() const { return t_bytes_ + bytes_; }

private:
    const xbatchTiledConfig_t *config() const { return config_ ? &*config_ : nullptr; }

    QrShape shape_;
    std::optional<xbatchTiledConfig_t> config_;
    std::shared_ptr<xbatchContext> handle_;
    size_t t_bytes_ = 0, bytes_ = 0;
    std::unique_ptr<Memory> t_, workspace_;
};

// xgeqrtTiled, the matrix restored before each call
Run tiled_run(const std::shared_ptr<const QrMatrix> &a, int threads, const xbatchTiledConfig_t *config);
// The same by one of baselines_qr.hpp
template <class Baseline>
Run peer_run(const std::shared_ptr<const QrMatrix> &a, const std::shared_ptr<Baseline> &work) {
    return {[=] { a->restore(); }, [=] { (*work)(a->work.get()); }, [=] { return a->error_of_norms(); }, work->bytes()};
}

}  // namespace bench
