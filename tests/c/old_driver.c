/* old_driver.c: a libcuda.so.1 that supports CUDA 9.0 and has no device, which the CUDA runtime in the library loads
 * where LD_LIBRARY_PATH names its folder.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
int cuInit(unsigned int flags);
int cuDriverGetVersion(int *version);

int cuInit(unsigned int flags) { return flags != 0; }

int cuDriverGetVersion(int *version) {
    *version = 9000;
    return 0;
}
