/* output.c: see output.h.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_check(const char *path, Error *error) {
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return fail(error, "%s: is there already and is not a regular file", path);
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const bool writable = folder && access(folder, W_OK | X_OK) == 0;
    const int reason = errno;
    free(folder);
    return writable || fail(error, "%s: its folder cannot be written to: %s", path, strerror(reason));
}

bool output_open(Output *output, const char *path, Error *error) {
    *output = (Output){path, malloc(strlen(path) + 8), NULL};
    if (!output->temporary) return fail(error, "%s: no memory to write it", path);
    sprintf(output->temporary, "%s.XXXXXX", path);
    const int descriptor = mkstemp(output->temporary);
    if (descriptor >= 0) {
        const mode_t mask = umask(0);
        umask(mask);
        if (fchmod(descriptor, 0666 & ~mask) == 0) output->file = fdopen(descriptor, "w");
    }
    if (output->file) return true;
    const int reason = errno;
    if (descriptor >= 0) {
        close(descriptor);
        unlink(output->temporary);
    }
    free(output->temporary);
    return fail(error, "%s: cannot be written: %s", path, strerror(reason));
}

bool output_close(Output *output, bool keep, Error *error) {
    int reason = errno; /* of a write that failed just now */
    bool good = !ferror(output->file);
    if (fclose(output->file) != 0) {
        good = false;
        reason = errno;
    }
    if (good && keep && rename(output->temporary, output->path) != 0) {
        good = false;
        reason = errno;
    }
    if (!good || !keep) unlink(output->temporary);
    free(output->temporary);
    if (!keep) return false;
    return good || fail(error, "%s: cannot be written: %s", output->path, strerror(reason));
}
