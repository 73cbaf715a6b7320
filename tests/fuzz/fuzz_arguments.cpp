// fuzz_arguments.cpp: the argument space of the C interface on the host backend, for libFuzzer. The input's bytes
// choose a routine and each of its arguments, right and wrong mixed, with sizes that are small wherever they are
// accepted. Nothing may crash; the status must be one that the contract names; a refused call writes nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "fuzz.hpp"

namespace {

template <class Solve, class Size>
void fuzz_gtsv(Choices &choices, const Fuzzed &f, Solve solve, Size size) {
    const int64_t ldt = choices.size(), ldb = choices.size();
    const size_t coefficients = extent(f.layout, f.n, 1, f.batch, ldt, f.element);
    Buffer dl(coefficients, choices.byte()), d(coefficients, choices.byte()), du(coefficients, choices.byte());
    Buffer b(extent(f.layout, f.n, f.nrhs, f.batch, ldb, f.element), choices.byte());
    Buffer info(is_sane(f.batch) ? size_t(f.batch) * 4 : 64, 1);
    Buffer workspace = workspace_for(
        choices, [&](size_t *bytes) { return size(f.handle, f.type, f.layout, f.n, f.nrhs, f.batch, bytes); });
    const xbatchStatus_t status =
        solve(f.handle, f.type, f.layout, f.n, f.nrhs, f.batch, choices.rarely() ? nullptr : dl.data(),
              choices.rarely() ? nullptr : d.data(), choices.rarely() ? nullptr : du.data(), ldt,
              choices.rarely() ? nullptr : b.data(), ldb,
              choices.rarely() ? nullptr : static_cast<int32_t *>(info.data()), workspace.data(), workspace.bytes());
    require_documented(status);
    require(dl.is_untouched() && d.is_untouched() && du.is_untouched());
    require(status == XBATCH_STATUS_SUCCESS || (b.is_untouched() && info.is_untouched()));
}

// Offsets that rise by 0 … 7 rows a system, but here and there anything; the arrays hold all that can be accepted.
void fuzz_vbatch(Choices &choices, const Fuzzed &f) {
    const int64_t maxn = choices.size() % 8, ldb = choices.size();
    const int64_t batch = is_sane(f.batch) ? f.batch : 0;
    std::vector<int64_t> offsets(size_t(batch) + 1, 0);
    for (size_t j = 1; j < offsets.size(); ++j)
        offsets[j] = choices.rarely() ? choices.size() % (batch * 7 + 1) : offsets[j - 1] + choices.byte() % 8;
    const int64_t rows = std::max<int64_t>(*std::max_element(offsets.begin(), offsets.end()), 0);
    const size_t columns = is_sane(f.nrhs) && is_sane(ldb) ? size_t(f.nrhs) * size_t(ldb) + size_t(rows) : 64;
    Buffer dl(size_t(rows) * f.element, choices.byte()), d(size_t(rows) * f.element, choices.byte());
    Buffer du(size_t(rows) * f.element, choices.byte()), b(columns * f.element, choices.byte());
    Buffer info(is_sane(f.batch) ? size_t(f.batch) * 4 : 64, 1);
    Buffer workspace = workspace_for(
        choices, [&](size_t *bytes) { return xgtsvVBatch_bufferSize(f.handle, f.type, f.nrhs, f.batch, maxn, bytes); });
    const xbatchStatus_t status = xgtsvVBatch(
        f.handle, f.type, f.nrhs, f.batch, maxn, choices.rarely() ? nullptr : offsets.data(), dl.data(), d.data(),
        choices.rarely() ? nullptr : du.data(), b.data(), ldb,
        choices.rarely() ? nullptr : static_cast<int32_t *>(info.data()), workspace.data(), workspace.bytes());
    require_documented(status);
    require(dl.is_untouched() && d.is_untouched() && du.is_untouched());
    require(status == XBATCH_STATUS_SUCCESS || (b.is_untouched() && info.is_untouched()));
}

// Factors of whatever the input holds, or, now and then, bytes that are none
template <class Factor, class Size>
Buffer factors_for(Choices &choices, const Fuzzed &f, int64_t sets, Factor factor, Size size) {
    const int64_t ldt = choices.rarely() ? 0 : choices.size();
    const size_t coefficients = extent(f.layout, f.n, 1, sets, ldt, f.element);
    Buffer dl(coefficients, choices.byte()), d(coefficients, choices.byte()), du(coefficients, choices.byte());
    const size_t entries = is_sane(sets) ? size_t(sets) * f.element : 64;
    Buffer logdet(entries, 1), sign(entries, 1), info(is_sane(sets) ? size_t(sets) * 4 : 64, 1);
    size_t bytes = 0, none = 0;
    const xbatchStatus_t sized = size(f.handle, f.type, f.layout, f.n, sets, &bytes, &none);
    require_documented(sized);
    require(none == 0);
    Buffer factors(sized == XBATCH_STATUS_SUCCESS && bytes > 0 && bytes <= (1 << 20) ? bytes : 64, 5);
    const xbatchStatus_t status = factor(dl.data(), d.data(), du.data(), ldt, factors.data(), logdet.data(),
                                         sign.data(), static_cast<int32_t *>(info.data()));
    require_documented(status);
    require(dl.is_untouched() && d.is_untouched() && du.is_untouched());
    require(status == XBATCH_STATUS_SUCCESS || (factors.is_untouched() && info.is_untouched()));
    return factors;
}

// One matrix for all systems, one each, or any number
int64_t choose_sets(Choices &choices, int64_t batch) {
    const unsigned b = choices.byte();
    return b < 100 ? 1 : b < 200 ? batch : choices.size();
}

template <class Solve, class Size>
void fuzz_solve(Choices &choices, const Fuzzed &f, Buffer &factors, Solve solve, Size size) {
    const int64_t ldb = choices.size();
    Buffer b(extent(f.layout, f.n, f.nrhs, f.batch, ldb, f.element), choices.byte());
    Buffer workspace = workspace_for(choices, size);
    const Buffer before = factors;
    const xbatchStatus_t status = solve(choices.rarely() ? nullptr : factors.data(), b.data(), ldb, workspace);
    require_documented(status);
    require(factors == before);
    require(status == XBATCH_STATUS_SUCCESS || b.is_untouched());
}

void fuzz_lu(Choices &choices, const Fuzzed &f) {
    const int64_t sets = choose_sets(choices, f.batch);
    Buffer factors = factors_for(
        choices, f, sets,
        [&](const void *dl, const void *d, const void *du, int64_t ldt, void *out, void *logdet, void *sign,
            int32_t *info) {
            return xgttrfBatch(f.handle, f.type, f.layout, f.n, sets, dl, d, du, ldt, out, logdet, sign, info, nullptr,
                               0);
        },
        xgttrfBatch_bufferSize);
    const auto op = choices.enumerator<xbatchOperation_t>(2);
    const auto norm = choices.enumerator<xbatchNorm_t>(1);
    fuzz_solve(
        choices, f, factors,
        [&](const void *lu, void *b, int64_t ldb, Buffer &workspace) {
            return xgttrsBatch(f.handle, f.type, f.layout, op, f.n, f.nrhs, f.batch, sets, lu, b, ldb, workspace.data(),
                               workspace.bytes());
        },
        [&](size_t *bytes) {
            return xgttrsBatch_bufferSize(f.handle, f.type, f.layout, op, f.n, f.nrhs, f.batch, sets, bytes);
        });
    Buffer rcond(is_sane(sets) ? size_t(sets) * f.element : 64, 1);
    Buffer workspace = workspace_for(choices, [&](size_t *bytes) {
        return xgtconBatch_bufferSize(f.handle, f.type, f.layout, norm, f.n, sets, bytes);
    });
    const xbatchStatus_t status = xgtconBatch(f.handle, f.type, f.layout, norm, f.n, sets, factors.data(), rcond.data(),
                                              workspace.data(), workspace.bytes());
    require_documented(status);
    require(status == XBATCH_STATUS_SUCCESS || rcond.is_untouched());
}

void fuzz_ldl(Choices &choices, const Fuzzed &f) {
    const int64_t sets = choose_sets(choices, f.batch);
    Buffer factors = factors_for(
        choices, f, sets,
        [&](const void *, const void *d, const void *e, int64_t ldt, void *out, void *logdet, void *, int32_t *info) {
            return xpttrfBatch(f.handle, f.type, f.layout, f.n, sets, d, e, ldt, out, logdet, info, nullptr, 0);
        },
        xpttrfBatch_bufferSize);
    fuzz_solve(
        choices, f, factors,
        [&](const void *ldl, void *b, int64_t ldb, Buffer &workspace) {
            return xpttrsBatch(f.handle, f.type, f.layout, f.n, f.nrhs, f.batch, sets, ldl, b, ldb, workspace.data(),
                               workspace.bytes());
        },
        [&](size_t *bytes) {
            return xpttrsBatch_bufferSize(f.handle, f.type, f.layout, f.n, f.nrhs, f.batch, sets, bytes);
        });
}

void fuzz_ptsv(Choices &choices, const Fuzzed &f) {
    const int64_t ldt = choices.size(), ldb = choices.size();
    const size_t coefficients = extent(f.layout, f.n, 1, f.batch, ldt, f.element);
    Buffer d(coefficients, choices.byte()), e(coefficients, choices.byte());
    Buffer b(extent(f.layout, f.n, f.nrhs, f.batch, ldb, f.element), choices.byte());
    Buffer info(is_sane(f.batch) ? size_t(f.batch) * 4 : 64, 1);
    Buffer workspace = workspace_for(choices, [&](size_t *bytes) {
        return xptsvBatch_bufferSize(f.handle, f.type, f.layout, f.n, f.nrhs, f.batch, bytes);
    });
    const xbatchStatus_t status = xptsvBatch(
        f.handle, f.type, f.layout, f.n, f.nrhs, f.batch, choices.rarely() ? nullptr : d.data(),
        choices.rarely() ? nullptr : e.data(), ldt, choices.rarely() ? nullptr : b.data(), ldb,
        choices.rarely() ? nullptr : static_cast<int32_t *>(info.data()), workspace.data(), workspace.bytes());
    require_documented(status);
    require(d.is_untouched() && e.is_untouched());
    require(status == XBATCH_STATUS_SUCCESS || (b.is_untouched() && info.is_untouched()));
}

void fuzz_folr(Choices &choices, const Fuzzed &f) {
    const auto direction = choices.enumerator<xbatchDirection_t>(1);
    const int64_t incs = choices.byte() % 64 ? choices.byte() % 2 : choices.size(), lds = choices.size();
    const int64_t inct = choices.byte() % 64 ? choices.byte() % 2 : choices.size(), ldt = choices.size();
    const int64_t ldw = choices.size();
    const auto operand = [&](int64_t increment, int64_t nrhs, int64_t ld) {
        if (increment != 0) return extent(f.layout, f.n, nrhs, f.batch, ld, f.element);
        const bool is_small = is_sane(nrhs) && is_sane(f.batch) && is_sane(ld);
        return is_small ? size_t(nrhs * f.batch * ld + 1) * f.element : 64;
    };
    Buffer s(operand(incs, 1, lds), choices.byte()), t(operand(inct, f.nrhs, ldt), choices.byte());
    Buffer w(extent(f.layout, f.n, f.nrhs, f.batch, ldw, f.element), 3);
    Buffer w0(is_sane(f.batch) && is_sane(f.nrhs) ? size_t(f.batch * f.nrhs) * f.element : 64, choices.byte());
    Buffer workspace = workspace_for(choices, [&](size_t *bytes) {
        return xfolrPscheme_bufferSize(f.handle, f.type, f.layout, direction, f.n, f.nrhs, f.batch, bytes);
    });
    const xbatchStatus_t status = xfolrPscheme(
        f.handle, f.type, f.layout, direction, f.n, f.nrhs, f.batch, choices.rarely() ? nullptr : s.data(), incs, lds,
        choices.rarely() ? nullptr : t.data(), inct, ldt, choices.rarely() ? nullptr : w0.data(),
        choices.rarely() ? nullptr : w.data(), ldw, workspace.data(), workspace.bytes());
    require_documented(status);
    require(s.is_untouched() && t.is_untouched() && w0.is_untouched());
    require(status == XBATCH_STATUS_SUCCESS || w.is_untouched());
}

// Trees of 0 … 6 nodes, each below one before it, but here and there anything
struct Trees {
    std::vector<int64_t> offsets;
    std::vector<int32_t> parent, morph;
    int64_t morphologies, batch;
    int base;
    xbatchHinesFlags_t flags;
    bool is_mixed;

    Trees(Choices &choices, const Fuzzed &f) {
        morphologies = choices.rarely() ? choices.size() % 4 : 1 + choices.byte() % 4;
        base = choices.enumerator<int>(1), flags = choices.enumerator<xbatchHinesFlags_t>(1);
        is_mixed = morphologies != 1 || choices.byte() % 2;
        offsets = {choices.rarely() ? choices.size() % 9 : 0};
        for (int64_t m = 0; m < morphologies; ++m)
            offsets.push_back(choices.rarely() ? choices.size() % 29 : offsets.back() + 1 + choices.byte() % 6);
        parent.resize(size_t(std::max<int64_t>(*std::max_element(offsets.begin(), offsets.end()), 0)));
        for (int64_t m = 0; m < morphologies; ++m)
            for (int64_t i = std::max<int64_t>(offsets[size_t(m)], 0); i < offsets[size_t(m) + 1]; ++i) {
                const int64_t before = i - offsets[size_t(m)];
                const int32_t below = before > 0 ? int32_t(choices.byte() % before) : -1;
                parent[size_t(i)] = choices.rarely() ? int32_t(choices.size()) : below + base;
            }
        batch = f.batch;
        for (int64_t j = 0; is_sane(batch) && j < batch; ++j)
            morph.push_back(choices.rarely() ? int32_t(choices.size()) : int32_t(choices.byte() % (morphologies | 1)));
        morph.push_back(0);  // so that no batch of 0 makes it NULL
    }
};

void fuzz_order(Choices &choices, const Fuzzed &f, const Trees &trees) {
    const int64_t n = int64_t(trees.parent.size());
    Buffer order(size_t(n) * 4, 3), ordered(size_t(n) * 4, 5);
    const xbatchStatus_t status =
        xhinesOrder(f.handle, choices.rarely() ? -1 : n, trees.parent.data(), trees.base, trees.flags,
                    static_cast<int32_t *>(order.data()), static_cast<int32_t *>(ordered.data()));
    require_documented(status);
    require(status == XBATCH_STATUS_SUCCESS || (order.is_untouched() && ordered.is_untouched()));
}

void fuzz_hines_solve(Choices &choices, const Fuzzed &f, const Trees &trees, xbatchHinesPlan_t plan) {
    const auto op = choices.enumerator<xbatchOperation_t>(2);
    const int64_t ldul = choices.size(), ldd = choices.size(), ldb = choices.size();
    const auto array = [&](int64_t nrhs, int64_t ld) {
        int64_t elements = trees.offsets.back() - trees.offsets[0];
        const bool is_small = is_sane(nrhs) && is_sane(f.batch) && (trees.is_mixed || is_sane(ld));
        if (ld != 0 && (!is_small || xhinesGetPlacement(f.handle, plan, f.layout, nrhs, f.batch, ld, nullptr, nullptr,
                                                        &elements) != XBATCH_STATUS_SUCCESS))
            elements = 4;  // of a call that must be refused, or has nothing to do
        return Buffer(size_t(std::min<int64_t>(elements, 1 << 20)) * f.element, choices.byte());
    };
    Buffer u = array(1, ldul), l = array(1, ldul), d = array(1, ldd), b = array(f.nrhs, ldb);
    Buffer info(is_sane(f.batch) ? size_t(f.batch) * 4 : 64, 1);
    Buffer workspace = workspace_for(choices, [&](size_t *bytes) {
        return xhinesBatch_bufferSize(f.handle, f.type, f.layout, op, plan, f.nrhs, f.batch, bytes);
    });
    const xbatchStatus_t status = xhinesBatch(
        f.handle, f.type, f.layout, op, choices.rarely() ? nullptr : plan, f.nrhs, f.batch,
        choices.rarely() ? nullptr : u.data(), choices.byte() % 4 ? l.data() : u.data(), ldul,
        choices.rarely() ? nullptr : d.data(), ldd, choices.rarely() ? nullptr : b.data(), ldb,
        choices.rarely() ? nullptr : static_cast<int32_t *>(info.data()), workspace.data(), workspace.bytes());
    require_documented(status);
    require(u.is_untouched() && l.is_untouched() && d.is_untouched());
    require(status == XBATCH_STATUS_SUCCESS || (b.is_untouched() && info.is_untouched()));
}

void fuzz_hines(Choices &choices, const Fuzzed &f) {
    const Trees trees(choices, f);
    fuzz_order(choices, f, trees);
    xbatchHinesPlan_t plan = nullptr;
    const xbatchStatus_t status = xhinesCreatePlan(
        f.handle, trees.morphologies, choices.rarely() ? nullptr : trees.offsets.data(), trees.parent.data(),
        trees.base, trees.flags, trees.batch, trees.is_mixed ? trees.morph.data() : nullptr, &plan);
    require_documented(status);
    require((plan != nullptr) == (status == XBATCH_STATUS_SUCCESS));
    if (!plan) return;
    const auto algorithm = choices.enumerator<xbatchHinesAlgorithm_t>(2);
    require_documented(xhinesSetAlgorithm(f.handle, plan, algorithm));
    fuzz_hines_solve(choices, f, trees, plan);
    require(xhinesDestroyPlan(plan) == XBATCH_STATUS_SUCCESS);
}

// Tasks that count themselves, and fail where their argument says so
int fuzzed_body(const void *args, void *user, int) {
    ++*static_cast<std::atomic<int> *>(user);
    return *static_cast<const unsigned char *>(args) > 250;
}

void fuzz_task_graph(Choices &choices, const Fuzzed &f) {
    xbatchTaskGraph_t graph = nullptr;
    require(xbatchTaskGraphCreate(f.handle, &graph) == XBATCH_STATUS_SUCCESS);
    int64_t tasks = 0;
    for (unsigned k = choices.byte() % 24; k-- > 0;) {
        const unsigned char args = static_cast<unsigned char>(choices.byte());
        const int type = choices.rarely() ? -1 : int(choices.byte() % 4);
        const xbatchStatus_t status =
            xbatchTaskGraphAddTask(f.handle, graph, type, &args, choices.rarely() ? 65 : 1, choices.byte(), nullptr);
        require_documented(status);
        tasks += status == XBATCH_STATUS_SUCCESS;
        require_documented(
            xbatchTaskGraphAddDependency(f.handle, graph, choices.size() % (tasks + 1), choices.size() % (tasks + 1)));
        require_documented(xbatchTaskGraphAddAccess(f.handle, graph, choices.size() % (tasks + 1), choices.byte() % 5,
                                                    choices.enumerator<xbatchTaskAccess_t>(1)));
    }
    const xbatchStatus_t status = xbatchTaskGraphFinalize(f.handle, graph);
    require_documented(status);
    const xbatchTaskBody_t bodies[] = {fuzzed_body, fuzzed_body, choices.rarely() ? nullptr : fuzzed_body, fuzzed_body};
    std::atomic<int> runs{0};
    const xbatchStatus_t run = xbatchTaskGraphRun(f.handle, graph, bodies, choices.rarely() ? 2 : 4, &runs);
    require(run == XBATCH_STATUS_EXECUTION_FAILED || run == XBATCH_STATUS_SUCCESS ||
            run == XBATCH_STATUS_INVALID_VALUE);
    require(run != XBATCH_STATUS_SUCCESS || (status == XBATCH_STATUS_SUCCESS && runs == tasks));
    require(run != XBATCH_STATUS_INVALID_VALUE || runs == 0);
    require(xbatchTaskGraphDestroy(graph) == XBATCH_STATUS_SUCCESS);
}

// One task of the library's own on matrices of just the extent that the contract asks for. What is refused has not been
// added, so the graph runs; a factor that does not exist fails it.
void fuzz_tiles(Choices &choices, const Fuzzed &f) {
    xbatchTaskGraph_t graph = nullptr;
    require(xbatchTaskGraphCreate(f.handle, &graph) == XBATCH_STATUS_SUCCESS);
    const int64_t m = f.n, n = f.nrhs, k = f.batch, lda = choices.size(), ldb = choices.size(), ldc = choices.size();
    const auto uplo = choices.enumerator<xbatchUplo_t>(1);
    const auto side = choices.enumerator<xbatchSide_t>(1);
    const auto diag = choices.enumerator<xbatchDiag_t>(1);
    const auto op = choices.enumerator<xbatchOperation_t>(2), op_b = choices.enumerator<xbatchOperation_t>(2);
    const bool is_plain = op == XBATCH_OP_N, is_plain_b = op_b == XBATCH_OP_N;
    const unsigned which = choices.byte() % 7;
    const int64_t order = side == XBATCH_SIDE_LEFT ? m : n;
    const int64_t columns = which == 3 ? (is_plain ? k : m) : which == 4 ? (is_plain ? k : n) : which == 5 ? order : n;
    Buffer a = matrix_for(choices, f, columns, lda), c = matrix_for(choices, f, n, ldc);
    Buffer b = matrix_for(choices, f, which == 3 && !is_plain_b ? k : n, ldb);
    void *pa = choices.rarely() ? nullptr : a.data(), *pb = b.data(), *pc = c.data();
    const xbatchStatus_t added =
        which == 0   ? xbatchTaskGraphAddCopy(f.handle, graph, f.type, m, n, pa, lda, pb, ldb, nullptr)
        : which == 1 ? xbatchTaskGraphAddSet(f.handle, graph, f.type, m, n, 1, 2, pb, ldb, nullptr)
        : which == 2 ? xbatchTaskGraphAddAxpy(f.handle, graph, f.type, m, n, 2, pa, lda, pb, ldb, nullptr)
        : which == 3 ? xbatchTaskGraphAddGemm(f.handle, graph, f.type, op, op_b, m, n, k, 1, pa, lda, pb, ldb, 2, pc,
                                              ldc, nullptr)
        : which == 4 ? xbatchTaskGraphAddHerk(f.handle, graph, f.type, uplo, op, n, k, 1, pa, lda, 2, pc, ldc, nullptr)
        : which == 5
            ? xbatchTaskGraphAddTrsm(f.handle, graph, f.type, side, uplo, op, diag, m, n, 2, pa, lda, pb, ldb, nullptr)
            : xbatchTaskGraphAddPotrf(f.handle, graph, f.type, uplo, n, pa, lda, nullptr);
    require_documented(added);
    require(xbatchTaskGraphFinalize(f.handle, graph) == XBATCH_STATUS_SUCCESS);
    const xbatchStatus_t run = xbatchTaskGraphRunTiles(f.handle, graph, nullptr);
    require(run == XBATCH_STATUS_SUCCESS || (which == 6 && run == XBATCH_STATUS_EXECUTION_FAILED));
    require(which == 6 || a.is_untouched());
    require(added == XBATCH_STATUS_SUCCESS || (a.is_untouched() && b.is_untouched() && c.is_untouched()));
    require(xbatchTaskGraphDestroy(graph) == XBATCH_STATUS_SUCCESS);
}

void fuzz_rearrange(Choices &choices, const Fuzzed &f) {
    const auto to = choices.enumerator<xbatchLayout_t>(2);
    const int64_t ldsrc = choices.size(), lddst = choices.size();
    Buffer src(extent(f.layout, f.n, 1, f.batch, ldsrc, f.element), choices.byte());
    Buffer dst(extent(to, f.n, 1, f.batch, lddst, f.element), 3);
    const xbatchStatus_t status =
        xrearrange(f.handle, f.type, f.n, f.batch, f.layout, choices.rarely() ? nullptr : src.data(), ldsrc, to,
                   choices.rarely() ? nullptr : dst.data(), lddst);
    require_documented(status);
    require(src.is_untouched());
    require(status == XBATCH_STATUS_SUCCESS || dst.is_untouched());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static xbatchHandle_t handle = [] {
        xbatchHandle_t created = nullptr;
        require(xbatchCreate(&created, XBATCH_BACKEND_HOST) == XBATCH_STATUS_SUCCESS);
        return created;
    }();
    Choices choices(data, size);
    const unsigned routine = choices.byte() % 19;
    Fuzzed f{handle, choices.enumerator<xbatchDataType_t>(3), choices.enumerator<xbatchLayout_t>(2), 0, 0, 0, 0};
    f.n = choices.size(), f.nrhs = choices.size(), f.batch = choices.size();
    f.element = element_sizes[f.type];
    switch (routine) {
        case 0: fuzz_gtsv(choices, f, xgtsvPscheme, xgtsvPscheme_bufferSize); break;
        case 1: fuzz_gtsv(choices, f, xgtsvThomas, xgtsvThomas_bufferSize); break;
        case 2: fuzz_gtsv(choices, f, xgtsvOddEven, xgtsvOddEven_bufferSize); break;
        case 3: fuzz_gtsv(choices, f, xgtsvBatch, xgtsvBatch_bufferSize); break;
        case 4: fuzz_gtsv(choices, f, xgtsvPeriodicBatch, xgtsvPeriodicBatch_bufferSize); break;
        case 5: fuzz_vbatch(choices, f); break;
        case 6: fuzz_lu(choices, f); break;
        case 7: fuzz_ldl(choices, f); break;
        case 8: fuzz_ptsv(choices, f); break;
        case 9: fuzz_folr(choices, f); break;
        case 10: fuzz_hines(choices, f); break;
        case 11: fuzz_qr(choices, f); break;
        case 12: fuzz_gels(choices, f); break;
        case 13: fuzz_task_graph(choices, f); break;
        case 14: fuzz_tiles(choices, f); break;
        case 15: fuzz_qr_batch(choices, f); break;
        case 16: fuzz_qr_of_sizes(choices, f); break;
        case 17: fuzz_q_of_sizes(choices, f); break;
        default: fuzz_rearrange(choices, f);
    }
    return 0;
}
