// tridiagonal.hpp: cases of tridiagonal systems and recurrences, for the families that measure them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "calls.hpp"
#include "data/gtsv_data.hpp"
#include "peers/baselines_factored.hpp"

namespace bench {

struct GtsvRoutine {
    const char *name;
    decltype(&xgtsvPscheme) solve;
    decltype(&xgtsvPscheme_bufferSize) workspace;
};
namespace gtsv_routines {
inline constexpr GtsvRoutine pscheme = {"gtsvPscheme", xgtsvPscheme, xgtsvPscheme_bufferSize};
inline constexpr GtsvRoutine thomas = {"gtsvThomas", xgtsvThomas, xgtsvThomas_bufferSize};
inline constexpr GtsvRoutine pivoted = {"gtsvBatch", xgtsvBatch, xgtsvBatch_bufferSize};
inline constexpr GtsvRoutine oddeven = {"gtsvOddEven", xgtsvOddEven, xgtsvOddEven_bufferSize};
inline constexpr GtsvRoutine periodic = {"gtsvPeriodicBatch", xgtsvPeriodicBatch, xgtsvPeriodicBatch_bufferSize};
}  // namespace gtsv_routines

struct GtsvShape {
    GtsvRoutine routine;
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    int64_t width = 32;   // systems a block of block-interleaved arrays
    bool shared = false;  // one matrix for the whole batch
    Entries entries = Entries::dominant;
    int64_t padding = 0;  // the leading dimension, less the tightest
    int64_t offset = 0;   // elements before the first one of each array
    Calls calls = Calls::one;
    const char *family = "tridiagonal";
};

struct FactoredShape {
    Job job;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    bool shared = false;  // one matrix for the whole batch
    xbatchOperation_t op = XBATCH_OP_N;
    const char *family = "factored";

    int64_t sets() const { return shared ? 1 : batch; }
    bool positive() const { return job == Job::ptsv || job == Job::pttrf || job == Job::pttrs; }
    bool solves() const { return job == Job::gttrs || job == Job::pttrs || job == Job::ptsv; }
};

struct VBatchShape {
    int64_t least, most;  // lengths are uniform between
    int64_t nrhs;
    const char *family = "vbatch";
};

struct FolrShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, batch;
    bool constant;      // one s a sequence
    bool slow = false;  // s of 0.999 … 1, whose products decay over ten thousands of elements
    const char *family = "recurrence";
};

// Times xbatch and its peers, if the session's options select the case.
void measure(Session &session, const GtsvShape &shape);
void measure(Session &session, const FactoredShape &shape);
void measure(Session &session, const VBatchShape &shape);
void measure(Session &session, const FolrShape &shape);

// A solution of p by one routine; its arrays begin `offset` elements after those of `data`.
Run gtsv_run(const Session &session, const GtsvRoutine &routine, const Gtsv &p, const GtsvData &data,
             int64_t offset = 0);

}  // namespace bench
