// residual.cpp: see residual.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "residual.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace bench {
namespace {

// max |op(A) x - b|, |dl| + |d| + |du|, |x| and |b| over rows of one system and right-hand side
struct Norms {
    long double residual = 0, matrix = 0, solution = 0, right_side = 0;
    bool finite = true;
};

void merge(Norms &all, const Norms &part) {
    all.residual = std::max(all.residual, part.residual);
    all.matrix = std::max(all.matrix, part.matrix);
    all.solution = std::max(all.solution, part.solution);
    all.right_side = std::max(all.right_side, part.right_side);
    all.finite = all.finite && part.finite;
}

// Rows of one system's arrays, including adjacent ones: entry i is at [i - first].
template <class Wide>
struct Rows {
    int64_t first;
    std::vector<Wide> dl, d, du, x, b;

    Rows(const Machine &machine, const Gtsv &p, const void *b0, Line a, Line at, int64_t begin, int64_t end)
        : first(std::max<int64_t>(begin - 1, 0)) {
        const int64_t last = std::min(end + 1, p.n);
        const auto piece = [&](const void *array, Line where) {
            return gathered<Wide>(machine, p.type, array, where.base + first * where.step, where.step, last - first);
        };
        dl = piece(p.dl, a), d = piece(p.d, a), du = piece(p.du, a);
        x = piece(p.b, at), b = piece(b0, at);
    }
};

template <class Wide>
Norms norms_of_rows(const Machine &machine, const Gtsv &p, const void *b0, Line a, Line at, int64_t begin,
                    int64_t end) {
    const Rows<Wide> rows(machine, p, b0, a, at, begin, end);
    const bool transposed = p.op != XBATCH_OP_N;
    // The unknown at the other end, which is a neighbour where the system is periodic.
    const auto far = [&](int64_t i) { return gathered<Wide>(machine, p.type, p.b, at.base + i * at.step, 1, 1)[0]; };
    Norms norms;
    for (int64_t i = begin; i < end; ++i) {
        const size_t k = size_t(i - rows.first);
        Wide sum = rows.d[k] * rows.x[k] - rows.b[k];
        long double row = std::abs(rows.d[k]);
        const auto add = [&](Wide entry, Wide unknown) { sum += entry * unknown, row += std::abs(entry); };
        if (i > 0)
            add(transposed ? rows.du[k - 1] : rows.dl[k], rows.x[k - 1]);
        else if (p.periodic)
            add(rows.dl[k], far(p.n - 1));
        if (i + 1 < p.n)
            add(transposed ? rows.dl[k + 1] : rows.du[k], rows.x[k + 1]);
        else if (p.periodic)
            add(rows.du[k], far(0));
        merge(norms, {std::abs(sum), row, std::abs(rows.x[k]), std::abs(rows.b[k]), std::isfinite(std::abs(sum))});
    }
    return norms;
}

// The k-th of `samples` numbers spread over 0 … count - 1
int64_t spread(int64_t k, int64_t samples, int64_t count) { return samples == 1 ? 0 : k * (count - 1) / (samples - 1); }

template <class Wide>
double backward_error(const Machine &machine, const Gtsv &p, const void *b0) {
    constexpr int64_t piece = 1 << 16, rows = 1 << 15;
    const int64_t systems = std::min(p.batch, std::max<int64_t>(3, std::min<int64_t>(64, rows / p.n)));
    const int64_t rights = std::min(p.nrhs, std::max<int64_t>(2, std::min<int64_t>(64, rows / (p.n * systems))));
    const int64_t pieces = (p.n + piece - 1) / piece;
    double worst = 0;
    for (int64_t k = 0; k < systems; ++k)
        for (int64_t q = 0; q < rights; ++q) {
            const int64_t j = spread(k, systems, p.batch), r = spread(q, rights, p.nrhs);
            const Line a = p.ldt == 0 ? Line{0, 1} : line(p.layout, p.n, 1, p.ldt, j, 0);
            const Line at = line(p.layout, p.n, p.nrhs, p.ldb, j, r);
            Norms norms;
#pragma omp parallel for if (pieces > 1)
            for (int64_t i = 0; i < pieces; ++i) {
                const Norms part =
                    norms_of_rows<Wide>(machine, p, b0, a, at, i * piece, std::min((i + 1) * piece, p.n));
#pragma omp critical
                merge(norms, part);
            }
            if (!norms.finite) return NAN;
            worst = std::max(worst, double(norms.residual / (norms.matrix * norms.solution + norms.right_side)));
        }
    return worst;
}

}  // namespace

double error_of(const Machine &machine, const Gtsv &p, const void *b0) {
    return is_complex(p.type) ? backward_error<std::complex<long double>>(machine, p, b0)
                              : backward_error<long double>(machine, p, b0);
}

}  // namespace bench
