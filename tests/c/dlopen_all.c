/* dlopen_all.c: a program that knows the library only by name: dlopen with every symbol bound at once and none made
 * global, then each promised symbol looked up, and the first property read. Argument: the library.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *const symbols[] = {
#include "exported_symbols.inc"
};

int main(int argc, char **argv) {
    const size_t count = sizeof symbols / sizeof *symbols;
    const char *(*get_property)(int) = NULL, *summary;
    size_t k, missing = 0;
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fprintf(stderr, "dlopen: %s\n", argc == 2 ? dlerror() : "name the library");
        return 1;
    }
    for (k = 0; k < count; ++k)
        if (!dlsym(library, symbols[k])) {
            fprintf(stderr, "missing: %s\n", symbols[k]);
            ++missing;
        }
    *(void **)&get_property = dlsym(library, "xbatchGetProperty");
    summary = get_property ? get_property(0) : NULL;
    if (!summary || strncmp(summary, "xbatch ", 7) != 0) {
        fprintf(stderr, "no summary\n");
        return 1;
    }
    printf("%s\n%lu of %lu symbols found\n", summary, (unsigned long)(count - missing), (unsigned long)count);
    return missing != 0 || dlclose(library) != 0;
}
