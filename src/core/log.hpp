// log.hpp: the last-error text of a handle, and the log that XBATCH_LOG_LEVEL and XBATCH_LOG_FILE ask for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "context.hpp"

namespace xbatch {

enum LogLevel { LOG_ERRORS = 1, LOG_CALLS = 2 };

bool is_logged(LogLevel level);

// One line, printf's way.
__attribute__((format(printf, 2, 3))) void log_line(LogLevel level, const char *format, ...);

// One line of LOG_CALLS, "routine: name = value, name = value, …".
struct NamedNumber {
    const char *name;
    int64_t value;
};
void log_call(const char *routine, const NamedNumber *numbers, int count);

// Keep the text in the handle, log it, hand the status through.
__attribute__((format(printf, 3, 4))) xbatchStatus_t fail(Context &context, xbatchStatus_t status, const char *format,
                                                          ...);

}  // namespace xbatch
