// symbol.cpp: finds the real library when it is first needed; reads sizes and counts calls.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbol.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace xbatch::lapack {
namespace {

const char *variable(const char *name) {
    const char *value = std::getenv(name);
    return value && *value ? value : nullptr;
}

// The library that contains an address
void *file_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

// Searched in each call that needs it until it is found, because programs may load LAPACK at any time:
// XBATCH_LAPACK_FALLBACK names the file; otherwise the next library in load order, then the system's LAPACK.
void *find_real(const char *name) {
    static const char own = 0;
    const auto symbol_in = [&](void *library) {
        void *const found = library ? dlsym(library, name) : nullptr;
        return found && file_of(found) != file_of(&own) ? found : nullptr;
    };
    if (const char *path = variable("XBATCH_LAPACK_FALLBACK")) {
        void *const library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
        if (!library) std::fprintf(stderr, "xbatch_lapack: XBATCH_LAPACK_FALLBACK: %s\n", dlerror());
        if (void *const found = symbol_in(library)) return found;
    }
    if (void *const found = symbol_in(RTLD_NEXT)) return found;
    return symbol_in(
        dlopen(std::strstr(name, "_64_") ? "libopenblas64_.so.0" : "liblapack.so.3", RTLD_LAZY | RTLD_LOCAL));
}

bool has_tuned_blas() {
    for (const char *name : {"openblas_get_config", "MKL_Get_Version", "bli_info_get_version_str", "ATL_buildinfo",
                             "flexiblas_get_version"})
        if (dlsym(RTLD_DEFAULT, name)) return true;
    return false;
}

std::atomic<Symbol *> counted{nullptr};

}  // namespace

int64_t Threshold::read() {
    const char *value = variable((std::string("XBATCH_LAPACK_") + name_).c_str());
    if (!value) value = variable((std::string("XBATCH_LAPACK_") + group_).c_str());
    int64_t smallest = has_tuned_blas() ? tuned_default_ : default_;
    if (value) {
        char *end;
        const long long number = std::strtoll(value, &end, 10);
        if (std::strcmp(value, "never") == 0)
            smallest = never;
        else if (*end == '\0' && number >= 0)
            smallest = number;
        else
            std::fprintf(stderr, "xbatch_lapack: %s: neither a size nor `never`: %s\n", name_, value);
    }
    smallest_.store(smallest, std::memory_order_relaxed);
    return smallest;
}

void *Symbol::find() {
    void *const found = find_real(name_);
    real_.store(found, std::memory_order_release);
    return found;
}

void Symbol::fail() const {
    std::fprintf(stderr, "xbatch_lapack: no %s but this library's own; XBATCH_LAPACK_FALLBACK may name a LAPACK\n",
                 name_);
    std::abort();
}

std::atomic<Symbol::Counting> Symbol::counting_{Symbol::unread};

void Symbol::count_slowly(std::atomic<int64_t> &calls) {
    if (counting_.load(std::memory_order_relaxed) == unread)
        counting_.store(variable("XBATCH_LAPACK_COUNTS") ? on : off, std::memory_order_relaxed);
    if (counting_.load(std::memory_order_relaxed) == off) return;
    calls.fetch_add(1, std::memory_order_relaxed);
    if (listed_.exchange(true, std::memory_order_relaxed)) return;
    next_ = counted.load(std::memory_order_relaxed);
    while (!counted.compare_exchange_weak(next_, this, std::memory_order_release, std::memory_order_relaxed)) {
    }
}

// Prints the counts at exit, to the file that XBATCH_LAPACK_COUNTS names, or to standard error if it is `1`.
struct Report {
    static void write() {
        const Symbol *symbol = counted.load(std::memory_order_acquire);
        if (!symbol) return;
        const char *const target = variable("XBATCH_LAPACK_COUNTS");
        if (!target) return;
        std::FILE *const file = std::strcmp(target, "1") == 0 ? stderr : std::fopen(target, "a");
        if (!file) return;
        for (; symbol; symbol = symbol->next_)
            std::fprintf(file, "xbatch_lapack: %s handled %lld on a GPU %lld forwarded %lld\n", symbol->name_,
                         (long long)(symbol->handled_.load() + symbol->on_device_.load()),
                         (long long)symbol->on_device_.load(), (long long)symbol->forwarded_.load());
        if (file != stderr) std::fclose(file);
    }
};
__attribute__((destructor)) static void report_counts() { Report::write(); }

// Weak references make the linker export these names from a program that contains LAPACK; other definitions are found
// at run time.
extern "C" {
__attribute__((weak)) void xerbla_(const char *, const int32_t *, size_t);
__attribute__((weak)) void xerbla_64_(const char *, const int64_t *, size_t);
}

namespace {

template <class Xerbla>
Xerbla *find_xerbla(Xerbla *linked, const char *name) {
    if (linked) return linked;
    void *const loaded = dlsym(RTLD_DEFAULT, name);
    return reinterpret_cast<Xerbla *>(loaded ? loaded : find_real(name));
}

void report_to(const char *name, int32_t position) {
    if (const auto xerbla = find_xerbla(xerbla_, "xerbla_")) return xerbla(name, &position, std::strlen(name));
    std::fprintf(stderr, " ** On entry to %s parameter number %d had an illegal value\n", name, int(position));
}

void report_to_64(const char *name, int64_t position) {
    if (const auto xerbla = find_xerbla(xerbla_64_, "xerbla_64_")) return xerbla(name, &position, std::strlen(name));
    report_to(name, int32_t(position));
}

}  // namespace

void WrongArgument::report() const {
    if (info) {
        *info = -position;
        report_to(name, position);
    } else {
        *info_64 = -position;
        report_to_64(name, position);
    }
}

}  // namespace xbatch::lapack
