// log.cpp: formats the last-error text and writes the log.
// SPDX-License-Identifier: BSD-3-Clause
#include "log.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace xbatch {
namespace {

struct Log {
    int level = 0;
    std::FILE *file = stderr;

    Log() {
        if (const char *text = std::getenv("XBATCH_LOG_LEVEL")) level = std::atoi(text);
        const char *path = std::getenv("XBATCH_LOG_FILE");
        if (level <= 0 || !path || !*path) return;
        std::string name(path);
        if (const auto at = name.find("%i"); at != std::string::npos) name.replace(at, 2, std::to_string(getpid()));
        if (std::FILE *opened = std::fopen(name.c_str(), "a")) file = opened;
    }
};

const Log &the_log() {
    static const Log log;
    return log;
}

void write_line(LogLevel level, const char *text) {
    if (!is_logged(level)) return;
    std::fprintf(the_log().file, "xbatch: %s\n", text);
    std::fflush(the_log().file);
}

}  // namespace

bool is_logged(LogLevel level) { return the_log().level >= level; }

void log_line(LogLevel level, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_line(level, text);
}

void log_call(const char *routine, const NamedNumber *numbers, int count) {
    if (!is_logged(LOG_CALLS)) return;
    char text[1024];
    size_t length = size_t(std::snprintf(text, sizeof text, "%s", routine));
    for (int i = 0; i < count && length < sizeof text; ++i) {
        const auto has_name = [&](const NamedNumber &earlier) { return earlier.name == numbers[i].name; };
        if (std::any_of(numbers, numbers + i, has_name)) continue;
        length += size_t(std::snprintf(text + length, sizeof text - length, "%s %s = %lld", i ? "," : ":",
                                       numbers[i].name, (long long)numbers[i].value));
    }
    write_line(LOG_CALLS, text);
}

xbatchStatus_t fail(Context &context, xbatchStatus_t status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(context.message, sizeof context.message, format, arguments);
    va_end(arguments);
    write_line(LOG_ERRORS, context.message);
    return status;
}

}  // namespace xbatch
