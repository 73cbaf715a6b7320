// device_reason.hpp: why a CUDA device cannot be used, in words: what CUDA answered in, the text out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace xbatch {

// A CUDA version in CUDA's form, 1000 major + 10 minor, as "13.0"
inline std::string cuda_version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

inline std::string not_built_text() { return "this library was built without CUDA"; }

// The driver is missing (driver = 0), or too old for the CUDA runtime in this library.
inline std::string driver_text(int driver, int runtime) {
    if (driver == 0) return "no NVIDIA driver was found: libcuda.so.1 could not be loaded";
    return "the NVIDIA driver supports CUDA " + cuda_version_text(driver) + ", older than this library's CUDA " +
           cuda_version_text(runtime);
}

// `visible` is the value of CUDA_VISIBLE_DEVICES, NULL where it is not set.
inline std::string no_device_text(const char *visible) {
    return std::string("no CUDA device is visible (CUDA_VISIBLE_DEVICES") +
           (visible ? std::string(" = \"") + visible + "\")" : " is not set)");
}

// The library has neither machine code nor PTX for the device's compute capability.
inline std::string no_code_text(int device, int major, int minor, const char *architectures) {
    return "device " + std::to_string(device) + " (compute capability " + std::to_string(major) + "." +
           std::to_string(minor) + ") has no code in this library (built for " + architectures + ")";
}

// Any other error: CUDA's text and name of it
inline std::string failure_text(const char *call, const char *text, const char *name) {
    return std::string(call) + " failed: " + text + " (" + name + ")";
}

}  // namespace xbatch
