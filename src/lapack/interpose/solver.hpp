// solver.hpp: the functions of libxbatch, which the first large QR loads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

#include "xbatch/qr.h"
#include "xbatch/qr_batch.h"

namespace xbatch::lapack {

struct Solver {
    decltype(&xbatchCreate) create;
    decltype(&xbatchDestroy) destroy;
    decltype(&xbatchSetStream) set_stream;
    decltype(&xgeqrtTiled) factor;
    decltype(&xgeqrtTiled_bufferSize) factor_size;
    decltype(&xgemqrtTiled) apply;
    decltype(&xgemqrtTiled_bufferSize) apply_size;
    decltype(&xungqrtTiled) form;
    decltype(&xungqrtTiled_bufferSize) form_size;
    decltype(&xgeqrfBatch) factor_batch;
    decltype(&xgeqrfBatch_bufferSize) factor_batch_size;
    decltype(&xunmqrBatch) apply_batch;
    decltype(&xunmqrBatch_bufferSize) apply_batch_size;
    decltype(&xungqrBatch) form_batch;
    decltype(&xungqrBatch_bufferSize) form_batch_size;

    static const Solver &loaded();  // throws if there is no libxbatch

private:
    bool is_complete = true;
    Solver();
    template <class F>
    void find(void *library, const char *name, F &function);
};

struct Handle {
    const Solver &solver = Solver::loaded();
    xbatchHandle_t handle;

    explicit Handle(xbatchBackend_t backend) { require(solver.create(&handle, backend)); }
    Handle(const Handle &) = delete;
    ~Handle() { solver.destroy(handle); }

    static void require(xbatchStatus_t status) {
        if (status != XBATCH_STATUS_SUCCESS) throw std::runtime_error("libxbatch reported an error");
    }
};

}  // namespace xbatch::lapack
