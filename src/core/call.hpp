// call.hpp: one public call: handle, pending errors, argument checks in the contract's words, profiler range, log line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <new>

#include "context.hpp"
#include "device.hpp"
#include "layout.hpp"
#include "log.hpp"
#include "workspace.hpp"

namespace xbatch {

// The public name of the called routine, and how many arguments it has before those of the typed routine.
struct Caller {
    const char *name;
    int extra;              // 1 in an x routine, whose first argument is the type
    bool is_check = false;  // of the arguments: the routine does not run
};

// The first wrong argument determines the status; later checks of the call do nothing. Each check of a number records
// it, and log() writes all of them in the order of their first checks.
class Call {
public:
    Call(Context &context, Caller caller) : context_(context), caller_(caller) {}

    xbatchStatus_t status() const { return status_; }
    bool failed() const { return status_ != XBATCH_STATUS_SUCCESS; }

    // Positions are those in the typed routine, from 1 after the handle.
    void type(xbatchDataType_t value) {
        if (caller_.extra == 1) record("type", value);
        if (!failed() && (value < XBATCH_R_32F || value > XBATCH_C_64F))
            refuse("%s: argument 1, type = %d, is no xbatchDataType_t", caller_.name, int(value));
    }
    void one_of(int position, const char *name, int64_t value, int last) {
        record(name, value);
        if (!failed() && (value < 0 || value > last))
            refuse("%s: argument %d, %s = %lld, must be one of 0 … %d", caller_.name, position + caller_.extra, name,
                   (long long)value, last);
    }
    void at_least(int position, const char *name, int64_t value, const char *bound_name, int64_t bound) {
        record(name, value);
        if (failed() || value >= bound) return;
        if (bound_name)
            refuse("%s: argument %d, %s = %lld, must be at least %s = %lld", caller_.name, position + caller_.extra,
                   name, (long long)value, bound_name, (long long)bound);
        else
            refuse("%s: argument %d, %s = %lld, must be at least %lld", caller_.name, position + caller_.extra, name,
                   (long long)value, (long long)bound);
    }
    void count(int position, const char *name, int64_t value) { at_least(position, name, value, nullptr, 0); }
    void at_most(int position, const char *name, int64_t value, int64_t bound, const char *where) {
        if (!failed() && value > bound)
            refuse("%s: argument %d, %s = %lld, must be at most %lld %s", caller_.name, position + caller_.extra, name,
                   (long long)value, (long long)bound, where);
    }
    void one_or(int position, const char *name, int64_t value, const char *other_name, int64_t other) {
        record(name, value);
        if (!failed() && value != 1 && value != other)
            refuse("%s: argument %d, %s = %lld, must be 1 or %s = %lld", caller_.name, position + caller_.extra, name,
                   (long long)value, other_name, (long long)other);
    }
    // An argument must equal that of the earlier routine that wrote the stored data.
    void same_as(int position, const char *name, int64_t value, const char *whose, int64_t expected) {
        if (!failed() && value != expected)
            refuse("%s: argument %d, %s = %lld, must be as in %s, %lld", caller_.name, position + caller_.extra, name,
                   (long long)value, whose, (long long)expected);
    }
    void aligned(int position, const char *name, const void *pointer, size_t alignment) {
        if (!failed() && reinterpret_cast<uintptr_t>(pointer) % alignment != 0)
            refuse("%s: argument %d, %s = %p, must be aligned to %zu", caller_.name, position + caller_.extra, name,
                   pointer, alignment);
    }
    void made_by(int position, const char *name, const char *maker, bool is_true) {
        if (!failed() && !is_true)
            refuse("%s: argument %d, %s, must be those that %s wrote for this type and backend", caller_.name,
                   position + caller_.extra, name, maker);
    }
    // Any other condition on an argument; `what` begins with "must".
    void require(int position, const char *name, bool is_true, const char *what) {
        if (!failed() && !is_true)
            refuse("%s: argument %d, %s, %s", caller_.name, position + caller_.extra, name, what);
    }
    // A limit of the backend, where the contract allows the argument
    void supported(int position, const char *name, bool is_true, const char *what) {
        if (!failed() && !is_true)
            status_ = fail(context_, XBATCH_STATUS_NOT_SUPPORTED, "%s: argument %d, %s, %s", caller_.name,
                           position + caller_.extra, name, what);
    }
    // The routine as a whole
    void on_backend(bool is_there) {
        if (!failed() && !is_there)
            status_ = fail(context_, XBATCH_STATUS_NOT_SUPPORTED, "%s: the %s backend does not have this routine",
                           caller_.name, context_.backend == XBATCH_BACKEND_CUDA ? "CUDA" : "host");
    }
    void not_null(int position, const char *name, const void *pointer) {
        if (!failed() && !pointer)
            refuse("%s: argument %d, %s = NULL, must not be NULL", caller_.name, position + caller_.extra, name);
    }
    // A leading dimension of the layout; where zero_shares, 0 is allowed too.
    void leading_dimension(int position, const char *name, xbatchLayout_t layout, int64_t ld, int64_t n, int64_t batch,
                           bool zero_shares) {
        record(name, ld);
        if (zero_shares && ld == 0) return;
        switch (layout) {
            case XBATCH_LAYOUT_FLAT: return at_least(position, name, ld, "n", n);
            case XBATCH_LAYOUT_INTERLEAVED: return at_least(position, name, ld, "batch", batch);
            default: return at_least(position, name, ld, nullptr, 1);
        }
    }
    // The bytes of an array must be countable: no product of sizes may wrap.
    void extent(int position, const char *name, int64_t a, int64_t b, int64_t c, int64_t element_size) {
        int64_t bytes = 0;
        if (failed() || !(__builtin_mul_overflow(a, b, &bytes) || __builtin_mul_overflow(bytes, c, &bytes) ||
                          __builtin_mul_overflow(bytes, element_size, &bytes)))
            return;
        refuse("%s: argument %d, %s: its extent of %lld * %lld * %lld elements is beyond 2^63 bytes", caller_.name,
               position + caller_.extra, name, (long long)a, (long long)b, (long long)c);
    }
    // The extent of a batched array in its layout; sizes and ld have been checked.
    void batched_extent(int position, const char *name, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                        int64_t ld, int64_t element_size) {
        if (failed() || n == 0 || nrhs == 0 || batch == 0) return;
        switch (layout) {
            case XBATCH_LAYOUT_FLAT: return extent(position, name, ld, nrhs, batch, element_size);
            case XBATCH_LAYOUT_INTERLEAVED: return extent(position, name, ld, nrhs, n, element_size);
            default: {
                int64_t padded = 0;
                if (__builtin_mul_overflow((batch - 1) / ld + 1, ld, &padded)) padded = INT64_MAX;
                return extent(position, name, padded, nrhs, n, element_size);
            }
        }
    }
    // The leading dimension of an array in its layout, and its extent; where zero_shares, 0 is allowed too.
    void array(int position, const char *name, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
               int64_t ld, int64_t element_size, bool zero_shares = false) {
        leading_dimension(position, name, layout, ld, n, batch, zero_shares);
        if (ld != 0) batched_extent(position, name, layout, n, nrhs, batch, ld, element_size);
    }
    // n, nrhs and batch from `position` on; the bytes of their elements must be countable.
    void systems(int position, int64_t n, int64_t nrhs, int64_t batch, int64_t element_size) {
        count(position, "n", n);
        count(position + 1, "nrhs", nrhs);
        count(position + 2, "batch", batch);
        extent(position, "n", n, nrhs, batch, element_size);
    }
    void countable(int position, const char *name, size_t bytes) {
        if (!failed() && bytes >= size_t(uncountable))
            refuse("%s: argument %d, %s: the sizes need 2^63 bytes or more, which no memory has", caller_.name,
                   position + caller_.extra, name);
    }
    // The end of a size query
    xbatchStatus_t answer(int position, const char *name, size_t *out, size_t bytes) {
        countable(position, name, bytes);
        if (!failed()) *out = bytes;
        return status_;
    }
    // The end of a query of two sizes: of stored data, and of the workspace, which is the next argument
    xbatchStatus_t answer(int position, const char *name, size_t *out, size_t bytes, size_t *workspaceBytes,
                          size_t workspace) {
        countable(position, name, bytes);
        if (answer(position + 1, "workspaceBytes", workspaceBytes, workspace) == XBATCH_STATUS_SUCCESS) *out = bytes;
        return status_;
    }
    // A number to be logged that no check has recorded
    void record(const char *name, int64_t value) {
        if (recorded_ < most_numbers) numbers_[recorded_++] = {name, value};
    }
    void log() const { log_call(caller_.name, numbers_, recorded_); }

    void workspace(int position, const void *pointer, size_t bytes, size_t needed) {
        countable(position, "workspace", needed);
        if (failed() || needed == 0) return;
        if (!pointer || bytes < needed || reinterpret_cast<uintptr_t>(pointer) % 16 != 0)
            status_ = fail(context_, XBATCH_STATUS_INSUFFICIENT_WORKSPACE,
                           "%s: argument %d, workspace = %p of %zu bytes, must be aligned to 16 and hold %zu",
                           caller_.name, position + caller_.extra, pointer, bytes, needed);
    }

private:
    template <class... Values>
    void refuse(const char *format, Values... values) {
        status_ = fail(context_, XBATCH_STATUS_INVALID_VALUE, format, values...);
    }

    static constexpr int most_numbers = 40;  // a check of one number against two bounds records it twice

    Context &context_;
    Caller caller_;
    xbatchStatus_t status_ = XBATCH_STATUS_SUCCESS;
    int recorded_ = 0;
    NamedNumber numbers_[most_numbers];
};

// Runs the body of a public routine: body(Context &, Call &) -> xbatchStatus_t. No exception crosses the C interface.
template <class Body>
xbatchStatus_t guarded(xbatchHandle_t handle, Caller caller, Body body) noexcept {
    Context *const found = live_contexts.find(handle);
    if (!found) return XBATCH_STATUS_INVALID_HANDLE;
    Context &context = *found;
    try {
        if (context.backend == XBATCH_BACKEND_CUDA) {
            const xbatchStatus_t pending = pending_device_error(context);
            if (pending != XBATCH_STATUS_SUCCESS) return pending;
        }
        const ProfilerRange range(caller.name);
        Call call(context, caller);
        return body(context, call);
    } catch (const std::bad_alloc &) {
        return fail(context, XBATCH_STATUS_ALLOC_FAILED, "%s: no host memory", caller.name);
    } catch (const std::exception &error) {
        return fail(context, XBATCH_STATUS_INTERNAL_ERROR, "%s: %s", caller.name, error.what());
    }
}

}  // namespace xbatch
