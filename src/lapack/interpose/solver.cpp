// solver.cpp: loads libxbatch by dlopen, so that a program without large QRs never loads it.
// SPDX-License-Identifier: BSD-3-Clause
#include "solver.hpp"

#include <dlfcn.h>

namespace xbatch::lapack {

const Solver &Solver::loaded() {
    static const Solver solver;
    if (!solver.is_complete) throw std::runtime_error("no libxbatch");
    return solver;
}

Solver::Solver() {
    void *const library = dlopen(XBATCH_FILE, RTLD_LAZY | RTLD_LOCAL);
    find(library, "xbatchCreate", create);
    find(library, "xbatchDestroy", destroy);
    find(library, "xbatchSetStream", set_stream);
    find(library, "xgeqrtTiled", factor);
    find(library, "xgeqrtTiled_bufferSize", factor_size);
    find(library, "xgemqrtTiled", apply);
    find(library, "xgemqrtTiled_bufferSize", apply_size);
    find(library, "xungqrtTiled", form);
    find(library, "xungqrtTiled_bufferSize", form_size);
    find(library, "xgeqrfBatch", factor_batch);
    find(library, "xgeqrfBatch_bufferSize", factor_batch_size);
    find(library, "xunmqrBatch", apply_batch);
    find(library, "xunmqrBatch_bufferSize", apply_batch_size);
    find(library, "xungqrBatch", form_batch);
    find(library, "xungqrBatch_bufferSize", form_batch_size);
}

template <class F>
void Solver::find(void *library, const char *name, F &function) {
    function = library ? reinterpret_cast<F>(dlsym(library, name)) : nullptr;
    is_complete &= function != nullptr;
}

}  // namespace xbatch::lapack
