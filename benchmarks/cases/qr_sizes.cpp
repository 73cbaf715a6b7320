// qr_sizes.cpp: QR and least squares of many matrices at the sizes that programs have: between the powers of two, tall,
// of middle size in batches of tens and hundreds, and with Q formed; peers as for the family qr_batch.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <initializer_list>

#include "qr_batch.hpp"

namespace bench {
namespace {

constexpr auto S = XBATCH_R_32F, D = XBATCH_R_64F, C = XBATCH_C_32F, Z = XBATCH_C_64F;
constexpr auto flat = XBATCH_LAYOUT_FLAT, interleaved = XBATCH_LAYOUT_INTERLEAVED;

struct Size {
    int64_t m, n, batch = 0;  // 0: as many as fill memory
};
using Sizes = std::vector<Size>;

// Of each backend: small sizes of all variations in double and single precision, and of least squares, few of them for
// the other types and layouts, and middle sizes.
struct Lists {
    Sizes small, gels, few, middle;
    int64_t part;  // of the session's array size that a case takes
};

const Lists cuda_lists = {
    {{8, 8},     {12, 12},   {16, 16}, {17, 17}, {20, 20}, {24, 24},  {28, 28},   {32, 32},   {33, 33},
     {40, 40},   {48, 48},   {56, 56}, {64, 64}, {65, 65}, {80, 80},  {100, 100}, {104, 104}, {105, 105},
     {112, 112}, {128, 128}, {24, 8},  {40, 10}, {64, 16}, {100, 20}, {200, 10},  {300, 50}},
    {{8, 8}, {12, 12}, {16, 16}, {17, 17}, {20, 20}, {24, 24}, {32, 32}, {48, 48}, {24, 8}, {64, 16}, {100, 20}},
    {{12, 12}, {17, 17}, {33, 33}, {65, 65}, {100, 100}, {64, 16}},
    {{176, 176, 40},
     {352, 352, 40},
     {512, 512, 640},
     {1024, 1024, 60},
     {2048, 2048, 8},
     {512, 128, 640},
     {1024, 256, 100},
     {2048, 512, 40}},
    1};
const Lists host_lists = {{{8, 8}, {17, 17}, {24, 24}, {33, 33}, {65, 65}, {100, 100}, {64, 16}, {100, 20}},
                          {{8, 8}, {17, 17}, {33, 33}, {64, 16}},
                          {{17, 17}, {33, 33}},
                          {},
                          4};

class Cases {
public:
    explicit Cases(Session &session) : session_(session), lists_(session.on_cuda() ? cuda_lists : host_lists) {}

    void run() {
        for (const auto type : {D, S}) {
            for (const Size &size : lists_.small) measure(session_, shape(size, type));
            for (const Size &size : lists_.gels) measure(session_, shape(size, type, 1));
            for (const Size &size : lists_.middle) measure(session_, shape(size, type));
            for (const Size &size : lists_.middle) forms_q(shape(size, type));
        }
        for (const auto type : {C, Z})
            for (const Size &size : lists_.few) measure(session_, shape(size, type));
        for (const Size &size : lists_.few)
            for (const int64_t nrhs : {0, 1}) {
                QrBatchShape s = shape(size, D, nrhs);
                s.layout = interleaved;
                measure(session_, s);
            }
    }

private:
    // As many matrices as fill the array size; a multiple of the numbers that a block of a peer takes
    QrBatchShape shape(const Size &size, xbatchDataType_t type, int64_t nrhs = 0) const {
        constexpr int64_t together = 32;
        const int64_t fit = session_.elements(type) / lists_.part / (size.m * size.n);
        QrBatchShape s = {size.m, size.n, nrhs, type, flat, std::max(fit / together, int64_t(1)) * together};
        if (size.batch > 0) s.batch = session_.quick() ? 1 + size.batch / 64 : size.batch;
        s.family = "qr_sizes";
        return s;
    }
    void forms_q(QrBatchShape s) {
        s.forms_q = true;
        measure(session_, s);
    }

    Session &session_;
    const Lists &lists_;
};

}  // namespace

void qr_sizes(Session &session) { Cases(session).run(); }

}  // namespace bench
