/** @file types.h
 * Handle, status, enums, and the conventions that every routine of xbatch keeps.
 *
 * **Batches.** A batch is `batch` independent systems of the same size n. A layout with one leading dimension `ld`
 * says where element i (row, 0-based) of system j lies; with `nrhs` right-hand sides, r counts between:
 *
 * | layout | element (i, j) | element (i, j, r) | ld is | ld >= |
 * |---|---|---|---|---|
 * | FLAT | `j*ld + i` | `(j*nrhs + r)*ld + i` | the distance between systems | n |
 * | INTERLEAVED | `i*ld + j` | `(r*n + i)*ld + j` | the distance between rows | batch |
 * | BLOCK_INTERLEAVED | `(j/ld)*ld*n + i*ld + j%ld` | `(((j/ld)*nrhs + r)*n + i)*ld + j%ld` | systems per block | 1 |
 *
 * In a block-interleaved array the last block is allocated whole; its padding is neither read for meaning nor written.
 * Input coefficients may have ld = 0: one set, `n` entries, shared by all systems of the batch.
 *
 * **Sizes** are int64_t; products beyond 2^31 work. n, nrhs or batch of 0 is a quick, successful return that touches
 * nothing. A pointer whose extent is 0 may be NULL. No two arguments may overlap unless the routine's contract says so.
 *
 * **Where data lives.** On the CUDA backend every array, info and workspace is device-accessible memory, on the host
 * backend host memory. An element is aligned as its type is; on the CUDA backend a complex one to its whole size, as
 * cudaMalloc gives it. Sizes, leading dimensions and enums are always plain host values.
 *
 * **Workspace** comes from the caller: ask `R_bufferSize` with the same shape, then pass at least as many bytes,
 * aligned to 16. A workspace of 0 bytes may be NULL. Its contents are undefined before and after.
 *
 * **info** [batch] of a solver, which may be NULL, holds one number for each system, of n unknowns:
 *
 * | info[j] | system j |
 * |---|---|
 * | 0 | is solved: every unknown of every right-hand side is finite |
 * | 1 … n | has a bad pivot in row info[j], counted from 1, as LAPACK's INFO; B then holds no solution |
 * | n + 1 | has good pivots, but an unknown of some right-hand side is not finite |
 *
 * A pivot is bad if it is zero, not finite, or so small or large that it or its reciprocal is not a normal number:
 * below 2^-1022, or 2^1022 and above, in float 2^-126 and 2^126; the larger part of a complex pivot counts. In what
 * order rows are eliminated, and whether they are scaled before, the routine says. n + 1 says that B held Inf or NaN,
 * or that the solution, or a number on the way to it, leaves the type's range; B then holds Inf or NaN. A bad pivot is
 * reported before that. No system has an influence on another. info saturates at 2^31 - 1.
 *
 * **Asynchrony.** On the CUDA backend a routine returns when its work is queued on the handle's stream; it allocates
 * nothing, synchronises nothing, and can be captured into a CUDA graph. On the host backend it returns when done.
 *
 * **Reproducibility.** Results are bitwise equal from run to run on the same device, backend, shape and thread count.
 *
 * **Threads.** One thread at a time per handle; any number of handles at once. A call on the host starts no more
 * threads than have work, and fewer where the system does not grant them: its bits are the same. A child of fork() may
 * use the host handles, plans and graphs of its parent, and make new ones. If the parent had ever had more than one
 * thread, the child has none of OpenMP's and solves batches on one thread; graphs of tasks and tiled QR start threads
 * of their own. After dlclose() the library stays loaded.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_TYPES_H
#define XBATCH_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Every status with its number and its text: the enum and xbatchGetStatusString come from this one list. */
#define XBATCH_STATUS_LIST(X)                                                                           \
    X(SUCCESS, 0, "success")                                                                            \
    X(INVALID_HANDLE, 1, "the handle is NULL or was destroyed")                                         \
    X(INVALID_VALUE, 2, "an argument has a value that its contract excludes")                           \
    X(INSUFFICIENT_WORKSPACE, 3, "the workspace is NULL, misaligned or smaller than R_bufferSize said") \
    X(NOT_SUPPORTED, 4, "this combination of arguments is not supported by this build or backend")      \
    X(NO_DEVICE, 5, "no usable CUDA device or driver")                                                  \
    X(ALLOC_FAILED, 6, "memory could not be allocated")                                                 \
    X(EXECUTION_FAILED, 7, "CUDA reported an error, the device was lost, or a task failed")             \
    X(INTERNAL_ERROR, 8, "a defect of the library")

/** What became of a call. What became of each system is told by `info`. */
typedef enum {
#define XBATCH_STATUS_ENUMERATOR(name, number, text) XBATCH_STATUS_##name = number,
    XBATCH_STATUS_LIST(XBATCH_STATUS_ENUMERATOR)
#undef XBATCH_STATUS_ENUMERATOR
        XBATCH_STATUS_FORCE_INT32 = INT32_MIN
} xbatchStatus_t;

/** Where a handle computes. */
typedef enum {
    XBATCH_BACKEND_AUTO = 0, /**< a CUDA device where one works, the host otherwise */
    XBATCH_BACKEND_HOST = 1, /**< this machine's cores */
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

/** Where the elements of a batch lie; the table at the top of this file. */
typedef enum {
    XBATCH_LAYOUT_FLAT = 0,              /**< system after system */
    XBATCH_LAYOUT_INTERLEAVED = 1,       /**< row after row, all systems side by side */
    XBATCH_LAYOUT_BLOCK_INTERLEAVED = 2, /**< interleaved in blocks of ld systems */
    XBATCH_LAYOUT_FORCE_INT32 = INT32_MIN
} xbatchLayout_t;

/** The way a recurrence runs. */
typedef enum {
    XBATCH_FORWARD = 0,  /**< i = 0 … n-1 */
    XBATCH_BACKWARD = 1, /**< i = n-1 … 0 */
    XBATCH_DIRECTION_FORCE_INT32 = INT32_MIN
} xbatchDirection_t;

/** What is done to a matrix before it acts: op(A). */
typedef enum {
    XBATCH_OP_N = 0, /**< A */
    XBATCH_OP_T = 1, /**< the transpose of A */
    XBATCH_OP_C = 2, /**< the conjugate transpose of A; of a real matrix the transpose */
    XBATCH_OPERATION_FORCE_INT32 = INT32_MIN
} xbatchOperation_t;

/** A norm of a matrix. */
typedef enum {
    XBATCH_NORM_ONE = 0, /**< the largest sum of moduli of a column */
    XBATCH_NORM_INF = 1, /**< the largest sum of moduli of a row */
    XBATCH_NORM_FORCE_INT32 = INT32_MIN
} xbatchNorm_t;

/* Complex elements: two reals, real part first, as C's _Complex, C++'s std::complex, Fortran's complex and cuComplex.
 * Define XBATCH_COMPLEX_FLOAT and XBATCH_COMPLEX_DOUBLE before the first include to see your own type in the
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

/** Make a handle. @param[out] handle set on success, NULL otherwise
 * @param backend AUTO, HOST or CUDA. @return SUCCESS; INVALID_VALUE for a NULL `handle` or an unknown backend;
 * NO_DEVICE where CUDA is forced and no device works; NOT_SUPPORTED where it is forced and was not built; ALLOC_FAILED.
 */
xbatchStatus_t xbatchCreate(xbatchHandle_t *handle, xbatchBackend_t backend);

/** Free a handle; NULL is allowed. Work queued on the stream is not waited for. A handle that was destroyed is refused
 * by every routine, this one too, and never given out again. @return SUCCESS; INVALID_HANDLE. */
xbatchStatus_t xbatchDestroy(xbatchHandle_t handle);

/** The backend in use: HOST or CUDA, never AUTO. */
xbatchStatus_t xbatchGetBackend(xbatchHandle_t handle, xbatchBackend_t *backend);

/** Queue all further work on this cudaStream_t; NULL is the default stream. Without effect on the host backend. */
xbatchStatus_t xbatchSetStream(xbatchHandle_t handle, void *cudaStream);

/** The stream in use. */
xbatchStatus_t xbatchGetStream(xbatchHandle_t handle, void **cudaStream);

/** Host threads to use, >= 1; 0 returns to the default, OpenMP's. Without effect on the CUDA backend.
 * More than 4096 count as 4096. Workspace sizes depend on it: set it before asking for one. */
xbatchStatus_t xbatchSetThreadCount(xbatchHandle_t handle, int threads);

/** The number of host threads in use. */
xbatchStatus_t xbatchGetThreadCount(xbatchHandle_t handle, int *threads);

/** What was wrong with the last failed call on this handle: the routine, the argument's position, its name, its value
 * and the bound, as in "dgtsvPscheme: argument 8, ldt = 3, must be at least n = 5". Positions count from 1 after the
 * handle, as LAPACK would count. The text lives until the next failed call; "" if none failed. */
const char *xbatchGetLastErrorMessage(xbatchHandle_t handle);

/** The text of a status; "unknown status" for a number that is none. */
const char *xbatchGetStatusString(xbatchStatus_t status);

/** XBATCH_VERSION of the library. */
xbatchStatus_t xbatchGetVersion(int *version);

/* Log: XBATCH_LOG_LEVEL=0 silent (default), 1 errors, 2 calls with their arguments' shape;
 * XBATCH_LOG_FILE=path, "%i" in it is the process number; standard error by default. Both are read once. */

#ifdef __cplusplus
}
#endif

#endif
