// property.cpp: the C function xbatchGetProperty: what the library was built from, and what it uses on this machine.
//
// The texts that depend on the build are compile definitions of this file alone (CMakeLists.txt), so that a new commit
// recompiles no other.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "instruction_set.hpp"
#include "xbatch/types.h"
#include "xbatch/version.h"

namespace {

#define XBATCH_TEXT_OF(number) #number
#define XBATCH_VERSION_TEXT(major, minor, patch) \
    XBATCH_TEXT_OF(major) "." XBATCH_TEXT_OF(minor) "." XBATCH_TEXT_OF(patch)
constexpr const char *version = XBATCH_VERSION_TEXT(XBATCH_VERSION_MAJOR, XBATCH_VERSION_MINOR, XBATCH_VERSION_PATCH);

const char *instruction_set() {
    switch (xbatch::x86_64_generation()) {
        case 4: return "x86-64-v4";
        case 3: return "x86-64-v3";
        default: return XBATCH_BUILD_PROCESSOR;
    }
}

std::string summary() {
    const std::string cuda = XBATCH_BUILD_CUDA, of = XBATCH_BUILD_CUDA_ARCHITECTURES;
    return std::string("xbatch ") + version + " (commit " + XBATCH_BUILD_COMMIT + "), " + XBATCH_BUILD_TYPE + ", " +
           (cuda.empty() ? "without CUDA" : "CUDA " + cuda + " for " + of) + ", OpenMP " + XBATCH_BUILD_OPENMP + ", " +
           instruction_set();
}

// Made when the library is loaded: a child of fork() finds it, and no call allocates.
const std::string the_summary = summary();

}  // namespace

#pragma GCC visibility push(default)
extern "C" const char *xbatchGetProperty(xbatchProperty_t property) {
    switch (property) {
        case XBATCH_PROPERTY_SUMMARY: return the_summary.c_str();
        case XBATCH_PROPERTY_VERSION: return version;
        case XBATCH_PROPERTY_COMMIT: return XBATCH_BUILD_COMMIT;
        case XBATCH_PROPERTY_BUILD_TYPE: return XBATCH_BUILD_TYPE;
        case XBATCH_PROPERTY_CUDA: return XBATCH_BUILD_CUDA;
        case XBATCH_PROPERTY_CUDA_ARCHITECTURES: return XBATCH_BUILD_CUDA_ARCHITECTURES;
        case XBATCH_PROPERTY_OPENMP: return XBATCH_BUILD_OPENMP;
        case XBATCH_PROPERTY_INSTRUCTION_SET: return instruction_set();
        default: return nullptr;
    }
}
#pragma GCC visibility pop
