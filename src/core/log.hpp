// log.hpp: the last-error text of a handle, and the log that XBATCH_LOG_LEVEL and XBATCH_LOG_FILE control.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "context.hpp"

namespace xbatch {

enum LogLevel { LOG_ERRORS = 1, LOG_CALLS = 2 };

bool is_logged(LogLevel level);

// One line, formatted as by printf
__attribute__((format(printf, 2, 3))) void log_line(LogLevel level, const char *format, ...);

// One line of LOG_CALLS, "routine: name = value, name = value, …", each name once.
struct NamedNumber {
    const char *name;
    int64_t value;
};
void log_call(const char *routine, const NamedNumber *numbers, int count);

// Stores the text in the handle, logs it and returns the status.
__attribute__((format(printf, 3, 4))) xbatchStatus_t fail(Context &context, xbatchStatus_t status, const char *format,
                                                          ...);

}  // namespace xbatch
