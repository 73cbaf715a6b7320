// arguments_qr.hpp: the routines of dense QR and least squares by the names of their arguments.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "routine.hpp"

namespace xbatch_test {

inline void add_qr(std::vector<Routine> &table) {
    std::vector<std::string> arguments = {"m", "n", "config", "A", "lda", "T", "info", "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(geqrtTiled));
    arguments = {"m", "n", "config", "tBytes", "bytes"};
    add_family(table, XBATCH_FAMILY(geqrtTiled_bufferSize));
    arguments = {"side", "op", "m", "n",   "k",    "config",    "A",
                 "lda",  "T",  "C", "ldc", "info", "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(gemqrtTiled));
    arguments = {"side", "op", "m", "n", "k", "config", "bytes"};
    add_family(table, XBATCH_FAMILY(gemqrtTiled_bufferSize));
    arguments = {"m", "n", "k", "config", "A", "lda", "T", "Q", "ldq", "info", "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(ungqrtTiled));
    arguments = {"m", "n", "k", "config", "bytes"};
    add_family(table, XBATCH_FAMILY(ungqrtTiled_bufferSize));
    arguments = {"op", "m", "n", "nrhs", "config", "A", "lda", "B", "ldb", "info", "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(gelsTiled));
    arguments = {"op", "m", "n", "nrhs", "config", "bytes"};
    add_family(table, XBATCH_FAMILY(gelsTiled_bufferSize));
}

inline void add_qr_batch(std::vector<Routine> &table) {
    std::vector<std::string> arguments = {"layout",  "m",   "n",     "batch", "A",         "lda",
                                          "strideA", "tau", "ldtau", "info",  "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(geqrfBatch));
    arguments = {"layout", "m", "n", "batch", "bytes"};
    add_family(table, XBATCH_FAMILY(geqrfBatch_bufferSize));
    arguments = {"layout", "op",  "m",       "n",    "nrhs",      "batch",         "A", "lda", "strideA",
                 "B",      "ldb", "strideB", "info", "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(gelsBatch));
    arguments = {"layout", "op", "m", "n", "nrhs", "batch", "bytes"};
    add_family(table, XBATCH_FAMILY(gelsBatch_bufferSize));
    const auto add = [&](const std::string &stem, auto x, auto s, auto d, auto c, auto z) {
        add_lapack_family(table, stem, arguments, x, s, d, c, z);
    };
    arguments = {"layout", "side",  "op", "m",   "n",       "k",         "batch",         "A", "lda", "strideA",
                 "tau",    "ldtau", "C",  "ldc", "strideC", "workspace", "workspaceBytes"};
    add("unmqrBatch", xunmqrBatch, sormqrBatch, dormqrBatch, cunmqrBatch, zunmqrBatch);
    arguments = {"layout", "side", "op", "m", "n", "k", "batch", "bytes"};
    add("unmqrBatch_bufferSize", xunmqrBatch_bufferSize, sormqrBatch_bufferSize, dormqrBatch_bufferSize,
        cunmqrBatch_bufferSize, zunmqrBatch_bufferSize);
    arguments = {"layout", "m",       "n",   "k",     "batch",     "A",
                 "lda",    "strideA", "tau", "ldtau", "workspace", "workspaceBytes"};
    add("ungqrBatch", xungqrBatch, sorgqrBatch, dorgqrBatch, cungqrBatch, zungqrBatch);
    arguments = {"layout", "m", "n", "k", "batch", "bytes"};
    add("ungqrBatch_bufferSize", xungqrBatch_bufferSize, sorgqrBatch_bufferSize, dorgqrBatch_bufferSize,
        cungqrBatch_bufferSize, zungqrBatch_bufferSize);
}

// With names of their own for the arrays of sizes and leading dimensions, which may all be NULL
inline void add_qr_vbatch(std::vector<Routine> &table) {
    std::vector<std::string> arguments = {"mMax",   "nMax", "batch", "sizesM", "sizesN",    "A",
                                          "ldaMax", "ldsA", "tau",   "info",   "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(geqrfVBatch));
    arguments = {"mMax", "nMax", "batch", "bytes"};
    add_family(table, XBATCH_FAMILY(geqrfVBatch_bufferSize));
    arguments = {"op",     "mMax", "nMax", "nrhsMax", "batch", "sizesM", "sizesN",    "sizesR",        "A",
                 "ldaMax", "ldsA", "B",    "ldbMax",  "ldsB",  "info",   "workspace", "workspaceBytes"};
    add_family(table, XBATCH_FAMILY(gelsVBatch));
    arguments = {"op", "mMax", "nMax", "nrhsMax", "batch", "bytes"};
    add_family(table, XBATCH_FAMILY(gelsVBatch_bufferSize));
    const auto add = [&](const std::string &stem, auto x, auto s, auto d, auto c, auto z) {
        add_lapack_family(table, stem, arguments, x, s, d, c, z);
    };
    arguments = {"side",   "op",   "mMax", "nMax", "kMax",   "batch", "sizesM", "sizesN",    "sizesK",        "A",
                 "ldaMax", "ldsA", "tau",  "C",    "ldcMax", "ldsC",  "info",   "workspace", "workspaceBytes"};
    add("unmqrVBatch", xunmqrVBatch, sormqrVBatch, dormqrVBatch, cunmqrVBatch, zunmqrVBatch);
    arguments = {"side", "op", "mMax", "nMax", "kMax", "batch", "bytes"};
    add("unmqrVBatch_bufferSize", xunmqrVBatch_bufferSize, sormqrVBatch_bufferSize, dormqrVBatch_bufferSize,
        cunmqrVBatch_bufferSize, zunmqrVBatch_bufferSize);
    arguments = {"mMax", "nMax",   "kMax", "batch", "sizesM", "sizesN",    "sizesK",
                 "A",    "ldaMax", "ldsA", "tau",   "info",   "workspace", "workspaceBytes"};
    add("ungqrVBatch", xungqrVBatch, sorgqrVBatch, dorgqrVBatch, cungqrVBatch, zungqrVBatch);
    arguments = {"mMax", "nMax", "kMax", "batch", "bytes"};
    add("ungqrVBatch_bufferSize", xungqrVBatch_bufferSize, sorgqrVBatch_bufferSize, dorgqrVBatch_bufferSize,
        cungqrVBatch_bufferSize, zungqrVBatch_bufferSize);
}

}  // namespace xbatch_test
