/** @file types.h
 * Handle, status, enums, and the conventions of every xbatch routine.
 *
 * **Batches.** A batch is `batch` independent systems of the same size n. The layout and one leading dimension `ld`
 * define the index of element i (row, 0-based) of system j. With `nrhs` right-hand sides, r (0-based) numbers them:
 *
 * | layout | element (i, j) | element (i, j, r) | ld is | ld >= |
 * |---|---|---|---|---|
 * | FLAT | `j*ld + i` | `(j*nrhs + r)*ld + i` | the distance between systems | n |
 * | INTERLEAVED | `i*ld + j` | `(r*n + i)*ld + j` | the distance between rows | batch |
 * | BLOCK_INTERLEAVED | `(j/ld)*ld*n + i*ld + j%ld` | `(((j/ld)*nrhs + r)*n + i)*ld + j%ld` | systems per block | 1 |
 *
 * The last block of a block-interleaved array is allocated in full. Padding is never written; its values do not affect
 * results. Input coefficients may have ld = 0: all systems share one set of `n` entries.
 *
 * **Arguments.** Sizes are int64_t; products beyond 2^31 are supported. If n, nrhs or batch is 0, the call succeeds and
 * accesses no array. Arrays without elements may be NULL. Arguments marked `in` are never written; a refused call
 * writes nothing. No two arguments may overlap unless the routine's contract allows it. Units: any consistent ones.
 *
 * **Memory.** On the CUDA backend all arrays, info and workspace are device-accessible memory; on the host backend they
 * are host memory. An element has the alignment of its type. On the CUDA backend a complex element is aligned to its
 * full size, as cudaMalloc provides. Sizes, leading dimensions and enums are always passed by value from the host.
 *
 * **Workspace** comes from the caller. Query `R_bufferSize` with the same shape, then pass at least that number of
 * bytes, aligned to 16. A workspace of 0 bytes may be NULL. Its contents are undefined before and after the call.
 *
 * **info** [batch] of a solver, which may be NULL, holds one value for each system of n unknowns:
 *
 * | info[j] | system j |
 * |---|---|
 * | 0 | solved: every unknown of every right-hand side is finite |
 * | 1 … n | bad pivot in row info[j], counted from 1, as LAPACK's INFO; B then holds no solution |
 * | n + 1 | good pivots, but an unknown of some right-hand side is not finite |
 *
 * A pivot is bad if it is zero, not finite, or so small or large that it or its reciprocal is not a normal number:
 * below 2^-1022, or 2^1022 and above; in float 2^-126 and 2^126. Of a complex pivot the larger part decides. Each
 * routine states its elimination order and any scaling of rows. n + 1 means that B held Inf or NaN, or that the
 * solution or an intermediate value exceeds the type's range; B then holds Inf or NaN. A bad pivot takes precedence
 * over n + 1. No system affects another. info saturates at 2^31 - 1.
 *
 * **Asynchrony.** On the CUDA backend a routine returns when its work is queued on the handle's stream. It does not
 * allocate or synchronise, and can be captured into a CUDA graph. On the host backend it returns when its work is done.
 *
 * **Reproducibility.** Results are bitwise equal from run to run on the same device, backend, shape and thread count.
 *
 * **Threads.** Only one thread at a time may use a handle; different handles may be used concurrently. A host call
 * starts no more threads than there is work for, and fewer if the system refuses them; the results have the same bits.
 * A child of fork() may use the host handles, plans and graphs of its parent, and create new ones. If the parent ever
 * had more than one thread, OpenMP has no threads in the child: batches are solved on one thread, while task graphs and
 * tiled QR start threads of their own. After dlclose() the library stays loaded.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_TYPES_H
#define XBATCH_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Number and text of every status: the enum and xbatchGetStatusString are generated from this list. */
#define XBATCH_STATUS_LIST(X)                                                                           \
    X(SUCCESS, 0, "success")                                                                            \
    X(INVALID_HANDLE, 1, "the handle is NULL or was destroyed")                                         \
    X(INVALID_VALUE, 2, "an argument has a value that its contract excludes")                           \
    X(INSUFFICIENT_WORKSPACE, 3, "the workspace is NULL, misaligned or smaller than R_bufferSize said") \
    X(NOT_SUPPORTED, 4, "this combination of arguments is not supported by this build or backend")      \
    X(NO_DEVICE, 5, "no usable CUDA device or driver")                                                  \
    X(ALLOC_FAILED, 6, "memory could not be allocated")                                                 \
    X(EXECUTION_FAILED, 7, "CUDA reported an error, the device was lost, or a task failed")             \
    X(INTERNAL_ERROR, 8, "a defect of the library")                                                     \
    X(COMM_FAILED, 9, "ranks could not communicate, or did not answer in time")

/** The result of a call. `info` holds the result of each system. */
typedef enum {
#define XBATCH_STATUS_ENUMERATOR(name, number, text) XBATCH_STATUS_##name = number,
    XBATCH_STATUS_LIST(XBATCH_STATUS_ENUMERATOR)
#undef XBATCH_STATUS_ENUMERATOR
        XBATCH_STATUS_FORCE_INT32 = INT32_MIN
} xbatchStatus_t;

/** The processor that a handle uses. */
typedef enum {
    XBATCH_BACKEND_AUTO = 0, /**< a CUDA device where one works, the host otherwise */
    XBATCH_BACKEND_HOST = 1, /**< the cores of this machine */
    XBATCH_BACKEND_CUDA = 2, /**< the CUDA device that is current when the handle is created */
    XBATCH_BACKEND_FORCE_INT32 = INT32_MIN
} xbatchBackend_t;

/** Element type of the `x` routines: the letters of LAPACK. */
typedef enum {
    XBATCH_R_32F = 0, /**< s: float */
    XBATCH_R_64F = 1, /**< d: double */
    XBATCH_C_32F = 2, /**< c: complex float, real part first */
    XBATCH_C_64F = 3, /**< z: complex double, real part first */
    XBATCH_DATA_TYPE_FORCE_INT32 = INT32_MIN
} xbatchDataType_t;

/** Storage order of a batch, defined by the table at the top of this file. */
typedef enum {
    XBATCH_LAYOUT_FLAT = 0,              /**< each system is contiguous */
    XBATCH_LAYOUT_INTERLEAVED = 1,       /**< row i of all systems is contiguous */
    XBATCH_LAYOUT_BLOCK_INTERLEAVED = 2, /**< interleaved in blocks of ld systems */
    XBATCH_LAYOUT_FORCE_INT32 = INT32_MIN
} xbatchLayout_t;

/** Direction of a recurrence. */
typedef enum {
    XBATCH_FORWARD = 0,  /**< i = 0 … n-1 */
    XBATCH_BACKWARD = 1, /**< i = n-1 … 0 */
    XBATCH_DIRECTION_FORCE_INT32 = INT32_MIN
} xbatchDirection_t;

/** Operation applied to a matrix: op(A). */
typedef enum {
    XBATCH_OP_N = 0, /**< A */
    XBATCH_OP_T = 1, /**< the transpose of A */
    XBATCH_OP_C = 2, /**< the conjugate transpose of A; of a real matrix the transpose */
    XBATCH_OPERATION_FORCE_INT32 = INT32_MIN
} xbatchOperation_t;

/** A norm of a matrix. */
typedef enum {
    XBATCH_NORM_ONE = 0, /**< the largest column sum of moduli */
    XBATCH_NORM_INF = 1, /**< the largest row sum of moduli */
    XBATCH_NORM_FORCE_INT32 = INT32_MIN
} xbatchNorm_t;

/* Complex elements: two reals, real part first, as C's _Complex, C++'s std::complex, Fortran's complex and cuComplex.
 * Define XBATCH_COMPLEX_FLOAT and XBATCH_COMPLEX_DOUBLE before the first include to have your own types in the
 * prototypes. */
#ifdef XBATCH_COMPLEX_FLOAT
typedef XBATCH_COMPLEX_FLOAT xbatchComplexFloat_t;
#else
/** Complex float. */
typedef struct {
    float re; /**< real part */
    float im; /**< imaginary part */
} xbatchComplexFloat_t;
#endif
#ifdef XBATCH_COMPLEX_DOUBLE
typedef XBATCH_COMPLEX_DOUBLE xbatchComplexDouble_t;
#else
/** Complex double. */
typedef struct {
    double re; /**< real part */
    double im; /**< imaginary part */
} xbatchComplexDouble_t;
#endif

/** Opaque: backend, stream, thread count and the last error text. */
typedef struct xbatchContext *xbatchHandle_t;

/** Create a handle. @param[out] handle set on success, NULL otherwise
 * @param backend AUTO, HOST or CUDA. @return SUCCESS; INVALID_VALUE for a NULL `handle` or an unknown backend;
 * NO_DEVICE if CUDA is requested and no device works; NOT_SUPPORTED if it was not built; ALLOC_FAILED. After a failure,
 * and after AUTO chose the host, xbatchGetLastErrorMessage(NULL) says what is missing: the build, the driver, the
 * device or code for its architecture. */
xbatchStatus_t xbatchCreate(xbatchHandle_t *handle, xbatchBackend_t backend);

/** Free a handle; NULL is allowed. Does not wait for work queued on the stream. Every routine, including this one,
 * refuses a destroyed handle. Its value is never used for another handle. @return SUCCESS; INVALID_HANDLE. */
xbatchStatus_t xbatchDestroy(xbatchHandle_t handle);

/** The backend in use: HOST or CUDA, never AUTO. @return SUCCESS; INVALID_HANDLE; INVALID_VALUE for a NULL pointer. */
xbatchStatus_t xbatchGetBackend(xbatchHandle_t handle, xbatchBackend_t *backend);

/** Set the cudaStream_t of further work; NULL: default stream; no effect on HOST. @return SUCCESS; INVALID_HANDLE. */
xbatchStatus_t xbatchSetStream(xbatchHandle_t handle, void *cudaStream);

/** The stream in use. @return as xbatchGetBackend. */
xbatchStatus_t xbatchGetStream(xbatchHandle_t handle, void **cudaStream);

/** Set the number of host threads, >= 1; 0 restores the default, OpenMP's. Values above 4096 count as 4096. No effect
 * on the CUDA backend. Set it before querying workspace sizes. @return SUCCESS; INVALID_HANDLE; INVALID_VALUE. */
xbatchStatus_t xbatchSetThreadCount(xbatchHandle_t handle, int threads);

/** The number of host threads in use. @return as xbatchGetBackend. */
xbatchStatus_t xbatchGetThreadCount(xbatchHandle_t handle, int *threads);

/** Description of the last failed call on this handle: the routine, the position, name and value of the argument, and
 * the bound, as in "dgtsvPscheme: argument 8, ldt = 3, must be at least n = 5". Positions count from 1 after the
 * handle, as in LAPACK. The text is valid until the next failed call; "" if none failed.
 *
 * Without a handle, xbatchGetLastErrorMessage(NULL) describes the last xbatchCreate of the calling thread, if it failed
 * or AUTO chose the host, as in "xbatchCreate: the NVIDIA driver supports CUDA 12.4, older than this library's
 * CUDA 13.0". That text is valid until the thread's next xbatchCreate. */
const char *xbatchGetLastErrorMessage(xbatchHandle_t handle);

/** The text of a status; "unknown status" for any other number. */
const char *xbatchGetStatusString(xbatchStatus_t status);

/** XBATCH_VERSION of the library. @return SUCCESS; INVALID_VALUE for a NULL pointer. */
xbatchStatus_t xbatchGetVersion(int *version);

/** What the library was built from and with, and what it uses on this machine. Later versions may add properties. */
typedef enum {
    XBATCH_PROPERTY_SUMMARY = 0,            /**< all others in one line, for `--version` and reports of defects */
    XBATCH_PROPERTY_VERSION = 1,            /**< "0.1.0" */
    XBATCH_PROPERTY_COMMIT = 2,             /**< "8ed24ff6735a" when CMake ran, with "-dirty" if files had been changed;
                                               "unknown" for sources without their repository */
    XBATCH_PROPERTY_BUILD_TYPE = 3,         /**< CMake's build type: "Release" */
    XBATCH_PROPERTY_CUDA = 4,               /**< version of the CUDA toolkit: "13.0"; "" if built without CUDA */
    XBATCH_PROPERTY_CUDA_ARCHITECTURES = 5, /**< "sm_80 sm_90 compute_90": machine code for compute capabilities 8.0 and
                                               9.0, and PTX, from which a driver compiles code for later ones; "" if
                                               built without CUDA */
    XBATCH_PROPERTY_OPENMP = 6,             /**< version of the OpenMP specification: "4.5" */
    XBATCH_PROPERTY_INSTRUCTION_SET = 7,    /**< the one, of those compiled, that host kernels use on this machine:
                                               "x86-64-v4", "x86-64-v3" or "x86-64" */
    XBATCH_PROPERTY_FORCE_INT32 = INT32_MIN
} xbatchProperty_t;

/** A property of the library as text. Needs no handle. Any thread may call it at any time, also in a child of fork()
 * and before the first handle; it never starts CUDA. @return a text that ends with NUL and is valid until the program
 * ends; NULL if this version of the library does not know the property. */
const char *xbatchGetProperty(xbatchProperty_t property);

/* Log, set by environment variables that are read once: XBATCH_LOG_LEVEL=0 silent (default), 1 errors, 2 calls with the
 * shapes of their arguments; XBATCH_LOG_FILE=path, standard error by default, "%i" in it is the process number. */

#ifdef __cplusplus
}
#endif

#endif
