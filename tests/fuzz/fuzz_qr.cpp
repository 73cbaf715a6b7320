// fuzz_qr.cpp: the arguments of QR and least squares, tiled and batched.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

namespace {

// A configuration for small matrices, but here and there anything
xbatchTiledConfig_t tiled_config(Choices &choices) {
    const int64_t nb = 1 + choices.byte() % 9;
    xbatchTiledConfig_t config = {nb * (1 + choices.byte() % 3), nb, 1 + choices.byte() % nb, 1 + choices.byte() % 4,
                                  choices.enumerator<xbatchTree_t>(1)};
    if (choices.rarely()) config.mb = choices.size();
    if (choices.rarely()) config.nb = choices.size();
    if (choices.rarely()) config.ib = choices.size();
    if (choices.rarely()) config.domain = choices.size();
    return config;
}

template <class Query>
Buffer tiled_workspace(Choices &choices, Query query) {
    size_t bytes = 0;
    if (query(&bytes) != XBATCH_STATUS_SUCCESS || bytes > (1 << 24)) return Buffer(64, 7);
    return Buffer(choices.rarely() ? bytes / 2 : bytes, 7);
}

// Q of factors that are there, or of a shape that they are not of
void fuzz_q(Choices &choices, const Fuzzed &f, const xbatchTiledConfig_t *config, int64_t m, int64_t k, Buffer &a,
            int64_t lda, Buffer &t) {
    const auto side = choices.enumerator<xbatchSide_t>(1);
    const auto op = choices.enumerator<xbatchOperation_t>(2);
    const int64_t other = choices.size(), ldc = choices.size(), reflectors = choices.rarely() ? choices.size() : k;
    const bool is_right = side == XBATCH_SIDE_RIGHT;
    const int64_t rows = is_right ? other : m, columns = is_right ? m : other;
    Buffer c = matrix_for(choices, f, std::max(columns, other), ldc);
    Buffer info(4, 1),
        workspace = tiled_workspace(choices, [&](size_t *bytes) {
            return xgemqrtTiled_bufferSize(f.handle, f.type, side, op, rows, columns, reflectors, config, bytes);
        });
    xbatchStatus_t status = xgemqrtTiled(
        f.handle, f.type, side, op, rows, columns, reflectors, config, choices.rarely() ? nullptr : a.data(), lda,
        choices.rarely() ? nullptr : t.data(), choices.rarely() ? nullptr : c.data(), ldc,
        choices.rarely() ? nullptr : static_cast<int32_t *>(info.data()), workspace.data(), workspace.bytes());
    require_documented(status);
    require(status == XBATCH_STATUS_SUCCESS || (c.is_untouched() && info.is_untouched()));
    Buffer q = matrix_for(choices, f, other, ldc),
           more = tiled_workspace(choices, [&](size_t *bytes) {
               return xungqrtTiled_bufferSize(f.handle, f.type, m, other, reflectors, config, bytes);
           });
    status = xungqrtTiled(f.handle, f.type, m, other, reflectors, config, a.data(), lda, t.data(), q.data(), ldc,
                          nullptr, more.data(), more.bytes());
    require_documented(status);
    require(status == XBATCH_STATUS_SUCCESS || q.is_untouched());
}

}  // namespace

void fuzz_qr(Choices &choices, const Fuzzed &f) {
    const xbatchTiledConfig_t given = tiled_config(choices), *config = choices.rarely() ? nullptr : &given;
    const int64_t m = f.n, n = f.batch, lda = choices.rarely() ? choices.size() : std::max<int64_t>(m, 1);
    Buffer a = matrix_for(choices, f, n, lda);
    size_t t_bytes = 0;
    Buffer info(4, 1), workspace = tiled_workspace(choices, [&](size_t *bytes) {
                           return xgeqrtTiled_bufferSize(f.handle, f.type, m, n, config, &t_bytes, bytes);
                       });
    Buffer t(t_bytes > (1 << 24) ? 64 : t_bytes + 64, 5);
    const xbatchStatus_t status = xgeqrtTiled(f.handle, f.type, m, n, config, choices.rarely() ? nullptr : a.data(),
                                              lda, choices.rarely() ? nullptr : t.data(),
                                              static_cast<int32_t *>(info.data()), workspace.data(), workspace.bytes());
    require_documented(status);
    require(status == XBATCH_STATUS_SUCCESS || (a.is_untouched() && t.is_untouched() && info.is_untouched()));
    const bool is_there = status == XBATCH_STATUS_SUCCESS && m > 0 && n > 0;
    if (is_there) fuzz_q(choices, f, config, m, std::min(m, n), a, lda, t);
}

void fuzz_gels(Choices &choices, const Fuzzed &f) {
    const xbatchTiledConfig_t given = tiled_config(choices), *config = choices.rarely() ? nullptr : &given;
    const auto op = choices.enumerator<xbatchOperation_t>(2);
    const int64_t m = f.n, n = f.batch, lda = choices.rarely() ? choices.size() : std::max<int64_t>(m, 1);
    const int64_t ldb = choices.rarely() ? choices.size() : std::max<int64_t>({m, n, 1});
    Buffer a = matrix_for(choices, f, n, lda), b = matrix_for(choices, f, f.nrhs, ldb);
    Buffer info(4, 1), workspace = tiled_workspace(choices, [&](size_t *bytes) {
                           return xgelsTiled_bufferSize(f.handle, f.type, op, m, n, f.nrhs, config, bytes);
                       });
    const xbatchStatus_t status =
        xgelsTiled(f.handle, f.type, op, m, n, f.nrhs, config, choices.rarely() ? nullptr : a.data(), lda,
                   choices.rarely() ? nullptr : b.data(), ldb, static_cast<int32_t *>(info.data()), workspace.data(),
                   workspace.bytes());
    require_documented(status);
    require(m >= n || a.is_untouched());
    require(status == XBATCH_STATUS_SUCCESS || (a.is_untouched() && b.is_untouched() && info.is_untouched()));
}

namespace {

// A batch of matrices of one size as its layout asks for it
Buffer batch_for(Choices &choices, const Fuzzed &f, int64_t columns, int64_t ld, int64_t stride) {
    if (!is_sane(columns) || !is_sane(ld) || !is_sane(f.batch) || stride < 0 || stride > 4096) return Buffer(64, 3);
    const int64_t blocks = stride > 0 ? (f.batch + stride - 1) / stride : 0;
    const int64_t elements[] = {f.batch * stride, ld * columns * stride, blocks * stride * ld * columns};
    return Buffer(size_t(elements[f.layout % 3]) * f.element, choices.byte());
}
int64_t stride_for(Choices &choices, const Fuzzed &f, int64_t columns, int64_t ld) {
    if (choices.rarely()) return choices.size();
    if (f.layout == XBATCH_LAYOUT_FLAT && is_sane(ld) && is_sane(columns)) return ld * columns;
    return f.layout == XBATCH_LAYOUT_INTERLEAVED ? std::max<int64_t>(f.batch, 0) : 1 + choices.byte() % 9;
}
int64_t ld_for(Choices &choices, int64_t rows) {
    return choices.rarely() ? choices.size() : std::max<int64_t>(rows, 1);
}

}  // namespace

void fuzz_qr_batch(Choices &choices, const Fuzzed &f) {
    const unsigned routine = choices.byte() % 4;  // geqrf, unmqr, ungqr, gels
    const auto side = choices.enumerator<xbatchSide_t>(1);
    const auto op = choices.enumerator<xbatchOperation_t>(2);
    const int64_t m = f.n, n = choices.size(), k = routine == 0 ? std::min(m, n) : choices.size();
    const int64_t of_v = routine == 1 ? k : n, order = routine == 1 && side == XBATCH_SIDE_RIGHT ? n : m;
    const int64_t other = routine == 3 ? f.nrhs : n, lda = ld_for(choices, order);
    const int64_t ldc = ld_for(choices, routine == 3 ? std::max(m, n) : m);
    const int64_t stride = stride_for(choices, f, of_v, lda), stride_c = stride_for(choices, f, other, ldc);
    const int64_t ldtau = f.layout == XBATCH_LAYOUT_FLAT ? ld_for(choices, k) : stride_for(choices, f, 1, 1);
    Buffer a = batch_for(choices, f, of_v, lda, stride), c = batch_for(choices, f, other, ldc, stride_c);
    Buffer tau(extent(f.layout, k, 1, f.batch, ldtau, f.element), choices.byte());
    Buffer info(is_sane(f.batch) ? size_t(f.batch) * 4 : 64, 1);
    Buffer workspace = tiled_workspace(choices, [&](size_t *bytes) {
        switch (routine) {
            case 0: return xgeqrfBatch_bufferSize(f.handle, f.type, f.layout, m, n, f.batch, bytes);
            case 1: return xunmqrBatch_bufferSize(f.handle, f.type, f.layout, side, op, m, n, k, f.batch, bytes);
            case 2: return xungqrBatch_bufferSize(f.handle, f.type, f.layout, m, n, k, f.batch, bytes);
            default: return xgelsBatch_bufferSize(f.handle, f.type, f.layout, op, m, n, f.nrhs, f.batch, bytes);
        }
    });
    void *const pa = choices.rarely() ? nullptr : a.data(), *const pc = choices.rarely() ? nullptr : c.data();
    void *const pt = choices.rarely() ? nullptr : tau.data(), *const w = workspace.data();
    int32_t *const pi = choices.rarely() ? nullptr : static_cast<int32_t *>(info.data());
    const size_t bytes = workspace.bytes();
    const xbatchStatus_t status =
        routine == 0 ? xgeqrfBatch(f.handle, f.type, f.layout, m, n, f.batch, pa, lda, stride, pt, ldtau, pi, w, bytes)
        : routine == 1 ? xunmqrBatch(f.handle, f.type, f.layout, side, op, m, n, k, f.batch, pa, lda, stride, pt, ldtau,
                                     pc, ldc, stride_c, w, bytes)
        : routine == 2 ? xungqrBatch(f.handle, f.type, f.layout, m, n, k, f.batch, pa, lda, stride, pt, ldtau, w, bytes)
                       : xgelsBatch(f.handle, f.type, f.layout, op, m, n, f.nrhs, f.batch, pa, lda, stride, pc, ldc,
                                    stride_c, pi, w, bytes);
    require_documented(status);
    require(routine == 0 || routine == 2 || a.is_untouched());
    require(routine == 0 || tau.is_untouched());
    require(status == XBATCH_STATUS_SUCCESS ||
            (a.is_untouched() && c.is_untouched() && tau.is_untouched() && info.is_untouched()));
}

namespace {

// Sizes of each matrix, most of them allowed, and the largest that the call is told
struct FuzzedSizes {
    int64_t largest;
    std::vector<int64_t> own;
    bool are_told;

    FuzzedSizes(Choices &choices, int64_t most, int64_t batch) : largest(most), are_told(choices.byte() % 4 != 0) {
        for (int64_t j = 0; j < batch; ++j)
            own.push_back(!are_told          ? largest
                          : choices.rarely() ? choices.size()
                                             : choices.byte() % (std::clamp<int64_t>(largest, 0, 40) + 1));
    }
    const int64_t *data() const { return are_told ? own.data() : nullptr; }
    bool is_right(size_t j) const { return own[j] >= 0 && own[j] <= largest; }
};

// Matrices at addresses of their own, of just the extents that are right; of those that are wrong not even that
struct FuzzedMatrices {
    std::vector<Buffer> buffers;
    std::vector<void *> addresses;

    template <class Extent>
    FuzzedMatrices(Choices &choices, const Fuzzed &f, int64_t batch, Extent extent_of) {
        const unsigned fill = choices.byte();
        for (int64_t j = 0; j < batch; ++j) buffers.emplace_back(size_t(extent_of(size_t(j))) * f.element, fill);
        for (Buffer &buffer : buffers) addresses.push_back(buffer.data());
    }
    bool are_untouched() const {
        return std::all_of(buffers.begin(), buffers.end(), [](const Buffer &b) { return b.is_untouched(); });
    }
    const void *const *constant() const { return addresses.data(); }
};

}  // namespace

// xgeqrfVBatch or xgelsVBatch
void fuzz_qr_of_sizes(Choices &choices, const Fuzzed &f) {
    const bool solves = choices.byte() % 2 != 0;
    const auto op = choices.enumerator<xbatchOperation_t>(2);
    const int64_t count = is_sane(f.batch) ? f.batch : 1;
    const FuzzedSizes m(choices, f.n, count), n(choices, choices.size(), count), nrhs(choices, f.nrhs, count);
    const int64_t largest = std::max(m.largest, n.largest);
    const FuzzedSizes lda(choices, ld_for(choices, m.largest), count), ldb(choices, ld_for(choices, largest), count);
    const auto is_sound = [&](size_t j) {
        const bool has_right = nrhs.is_right(j) && is_sane(nrhs.own[j]) && is_sane(ldb.own[j]);
        return m.is_right(j) && n.is_right(j) && is_sane(m.own[j]) && is_sane(n.own[j]) && lda.is_right(j) &&
               is_sane(lda.own[j]) && lda.own[j] >= std::max<int64_t>(m.own[j], 1) && (!solves || has_right);
    };
    const auto all = [](int64_t ld, int64_t rows, int64_t columns) {
        return rows > 0 && columns > 0 ? ld * (columns - 1) + rows : 0;
    };
    FuzzedMatrices a(choices, f, count,
                     [&](size_t j) { return is_sound(j) ? all(lda.own[j], m.own[j], n.own[j]) : 0; });
    FuzzedMatrices beside(choices, f, count, [&](size_t j) {
        if (!is_sound(j)) return int64_t(0);
        const int64_t rows = std::max(m.own[j], n.own[j]);
        if (!solves) return std::min(m.own[j], n.own[j]);
        return ldb.is_right(j) && ldb.own[j] >= rows ? all(ldb.own[j], rows, nrhs.own[j]) : 0;
    });
    Buffer info(is_sane(f.batch) ? size_t(f.batch) * 4 : 64, 1);
    Buffer workspace = tiled_workspace(choices, [&](size_t *bytes) {
        return solves ? xgelsVBatch_bufferSize(f.handle, f.type, op, m.largest, n.largest, nrhs.largest, f.batch, bytes)
                      : xgeqrfVBatch_bufferSize(f.handle, f.type, m.largest, n.largest, f.batch, bytes);
    });
    int32_t *const pi = choices.rarely() ? nullptr : static_cast<int32_t *>(info.data());
    const xbatchStatus_t status =
        solves
            ? xgelsVBatch(f.handle, f.type, op, m.largest, n.largest, nrhs.largest, f.batch, m.data(), n.data(),
                          nrhs.data(), a.constant(), lda.largest, lda.data(), beside.addresses.data(), ldb.largest,
                          ldb.data(), pi, workspace.data(), workspace.bytes())
            : xgeqrfVBatch(f.handle, f.type, m.largest, n.largest, f.batch, m.data(), n.data(), a.addresses.data(),
                           lda.largest, lda.data(), beside.addresses.data(), pi, workspace.data(), workspace.bytes());
    require_documented(status);
    require(!solves || a.are_untouched());
    require(status == XBATCH_STATUS_SUCCESS || (a.are_untouched() && beside.are_untouched() && info.is_untouched()));
}

// xunmqrVBatch or xungqrVBatch
void fuzz_q_of_sizes(Choices &choices, const Fuzzed &f) {
    const bool forms = choices.byte() % 2 != 0;
    const auto side = choices.enumerator<xbatchSide_t>(1);
    const auto op = choices.enumerator<xbatchOperation_t>(2);
    const bool is_right = !forms && side == XBATCH_SIDE_RIGHT;
    const int64_t count = is_sane(f.batch) ? f.batch : 1;
    const FuzzedSizes m(choices, f.n, count);
    const FuzzedSizes n(choices, forms && !choices.rarely() ? std::min(f.n, choices.size()) : choices.size(), count);
    const FuzzedSizes &order = is_right ? n : m, &most = forms || is_right ? n : m;
    const FuzzedSizes k(choices, choices.rarely() ? choices.size() : std::min(most.largest, choices.size()), count);
    const FuzzedSizes lda(choices, ld_for(choices, order.largest), count),
        ldc(choices, ld_for(choices, m.largest), count);
    const auto is_sound = [&](size_t j) {
        for (const FuzzedSizes *x : {&m, &n, &k, &lda})
            if (!x->is_right(j) || !is_sane(x->own[j])) return false;
        return k.own[j] <= most.own[j] && (!forms || n.own[j] <= m.own[j]) &&
               lda.own[j] >= std::max<int64_t>(order.own[j], 1);
    };
    const auto extent = [&](size_t j, const FuzzedSizes &ld, const FuzzedSizes &rows, const FuzzedSizes &columns) {
        if (!is_sound(j) || !ld.is_right(j) || !is_sane(ld.own[j]) || ld.own[j] < rows.own[j]) return int64_t(0);
        return rows.own[j] > 0 && columns.own[j] > 0 ? ld.own[j] * (columns.own[j] - 1) + rows.own[j] : 0;
    };
    FuzzedMatrices a(choices, f, count, [&](size_t j) { return extent(j, lda, order, forms ? n : k); });
    FuzzedMatrices tau(choices, f, count, [&](size_t j) { return is_sound(j) ? k.own[j] : 0; });
    FuzzedMatrices c(choices, f, count, [&](size_t j) { return forms ? 0 : extent(j, ldc, m, n); });
    Buffer info(is_sane(f.batch) ? size_t(f.batch) * 4 : 64, 1);
    Buffer workspace = tiled_workspace(choices, [&](size_t *bytes) {
        return forms ? xungqrVBatch_bufferSize(f.handle, f.type, m.largest, n.largest, k.largest, f.batch, bytes)
                     : xunmqrVBatch_bufferSize(f.handle, f.type, side, op, m.largest, n.largest, k.largest, f.batch,
                                               bytes);
    });
    int32_t *const pi = choices.rarely() ? nullptr : static_cast<int32_t *>(info.data());
    const xbatchStatus_t status =
        forms ? xungqrVBatch(f.handle, f.type, m.largest, n.largest, k.largest, f.batch, m.data(), n.data(), k.data(),
                             a.addresses.data(), lda.largest, lda.data(), tau.constant(), pi, workspace.data(),
                             workspace.bytes())
              : xunmqrVBatch(f.handle, f.type, side, op, m.largest, n.largest, k.largest, f.batch, m.data(), n.data(),
                             k.data(), a.constant(), lda.largest, lda.data(), tau.constant(), c.addresses.data(),
                             ldc.largest, ldc.data(), pi, workspace.data(), workspace.bytes());
    require_documented(status);
    require(tau.are_untouched() && (forms || a.are_untouched()));
    require(status == XBATCH_STATUS_SUCCESS || (a.are_untouched() && c.are_untouched() && info.is_untouched()));
}
