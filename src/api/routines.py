"""All names exported by the libraries, one row per routine; generate.py generates every other list from these rows.

A routine `name` stands for x<name>, which takes the type as an argument, for its four typed forms s, d, c, z<name>, and
for the workspace queries x<name>_bufferSize and s, d, c, z<name>_bufferSize.

Arguments are written as in C, with these additional marks:

    T         an element: float, double, complex float or complex double; void in the x form
    R         a real number of the same precision; void in the x form
    name?     may be NULL; optional in Fortran
    name[1]   points to one value; a pointer without a mark means an array
    name[out] points to one value that is undefined before the call

`shape` holds the arguments of the query. They are also the first arguments of the routine after the handle (and the
type, in the x form). `data` holds its other arguments, before `void *workspace, size_t workspaceBytes`.

Functions without other forms are `plain` prototypes; they return an xbatchStatus_t if no type is given.

The other fields of a row:

    summary what it computes, in one line
    sizes   outputs of the query before workspaceBytes
    query   False if the routine needs no workspace: then it has no query and no workspace arguments
    real    the name of the forms for float and double, if LAPACK has another (un, or)
    generic False if Fortran cannot select the form by the types of the arguments
    calls   the C++ function that the C entries call, and its leading arguments

SPDX-License-Identifier: BSD-3-Clause"""

import re

from model import C_TYPES, Header, Routine

# The version of the exported symbols
VERSION = "XBATCH_0.1"

# Shapes and data that several routines share
SYSTEMS = "xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch"
GTSV = "const T *dl, const T *d, const T *du, int64_t ldt, T *B, int64_t ldb, int32_t *info?"
STRIDED = """int64_t n, int64_t batch0, int64_t batch1, int64_t batch2,
             const xbatchStrides_t *stridesT[1], const xbatchStrides_t *stridesB[1]"""
STRIDED_GTSV = "const T *dl, const T *d, const T *du, T *B, int32_t *info?"
SHIFTED = """const T *dl, const T *d, const T *du, const T *w?, const T *sigma, xbatchPin_t pin,
             T *B, int64_t ldb, int32_t *info?"""


def distributed(name, data, has_query=True):
    """The prototypes of all forms of a routine on a plan, which has the shape and the type."""
    def typed(letter):
        arguments = re.sub(r"\b[TR]\b", lambda mark: C_TYPES[mark[0]][letter], data)
        return f"{letter}{name}(xbatchMpPlan_t plan, {arguments}, void *workspace, size_t workspaceBytes);"

    query = f"x{name}_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes[out]);"
    return "".join(map(typed, C_TYPES["T"])) + (query if has_query else "")


TALL = "int64_t m, int64_t n, const int64_t *offsets?, int flags"
TALL_GELS = "int64_t m, int64_t n, int64_t nrhs, const int64_t *offsets?, int flags"
TALL_Q = "xbatchOperation_t op, int64_t m, int64_t n, int64_t k, const int64_t *offsets?, int flags"


def tall(name, shape, data, sizes="size_t *workspaceBytes[out]"):
    """The prototypes of all forms of a routine on a communicator, and of its query. S is a real number."""
    forms = []
    for letter, kind in C_TYPES["T"].items():
        arguments = re.sub(r"\bT \*", f"{kind} *", data).replace("S *", f"{C_TYPES['R'][letter]} *")
        type_argument = "xbatchDataType_t type, " if letter == "x" else ""
        forms.append(f"{letter}{name}(xbatchComm_t comm, {type_argument}{shape}, {arguments}, void *workspace, "
                     "size_t workspaceBytes);")
    return "".join(forms) + f"x{name}_bufferSize(xbatchComm_t comm, xbatchDataType_t type, {shape}, {sizes});"


HEADERS = [
    Header("types.h", group="Handles", plain="""
        xbatchCreate(xbatchHandle_t *handle[out], xbatchBackend_t backend);
        xbatchDestroy(xbatchHandle_t handle);
        xbatchGetBackend(xbatchHandle_t handle, xbatchBackend_t *backend[out]);
        xbatchSetStream(xbatchHandle_t handle, void *cudaStream);
        xbatchGetStream(xbatchHandle_t handle, void **cudaStream[out]);
        xbatchSetThreadCount(xbatchHandle_t handle, int threads);
        xbatchGetThreadCount(xbatchHandle_t handle, int *threads[out]);
        const char *xbatchGetLastErrorMessage(xbatchHandle_t handle);
        const char *xbatchGetStatusString(xbatchStatus_t status);
        xbatchGetVersion(int *version[out]);
        const char *xbatchGetProperty(xbatchProperty_t property);"""),

    Header("rearrange.h", group="Layouts", routines=[
        Routine("rearrange",
                summary="converts a batch from one layout to another",
                shape="int64_t n, int64_t batch",
                data="""xbatchLayout_t srcLayout, const T *src, int64_t ldsrc,
                        xbatchLayout_t dstLayout, T *dst, int64_t lddst""",
                query=False,
                calls="rearrange::rearrange"),
    ]),

    Header("recurrence.h", group="Recurrences", routines=[
        Routine("folrPscheme",
                summary="first-order linear recurrences, forward or backward, by the P-scheme",
                shape="""xbatchLayout_t layout, xbatchDirection_t direction,
                         int64_t n, int64_t nrhs, int64_t batch""",
                data="""const T *s, int64_t incs, int64_t lds, const T *t, int64_t inct, int64_t ldt,
                        const T *w0?, T *w, int64_t ldw""",
                calls="recurrence::folr"),
    ]),

    Header("tridiagonal.h", group="Tridiagonal systems", routines=[
        Routine("gtsvPscheme",
                summary="tridiagonal systems without pivoting, by the P-scheme",
                shape=SYSTEMS, data=GTSV, calls="tridiagonal::gtsv(GtsvMethod::pscheme)"),
        Routine("gtsvThomas",
                summary="tridiagonal systems without pivoting, by sequential elimination",
                shape=SYSTEMS, data=GTSV, calls="tridiagonal::gtsv(GtsvMethod::thomas)"),
        Routine("gtsvOddEven",
                summary="tridiagonal systems without pivoting, by odd-even (cyclic) reduction",
                shape=SYSTEMS, data=GTSV, calls="tridiagonal::gtsv(GtsvMethod::oddeven)"),
        Routine("gtsvBatch",
                summary="tridiagonal systems by Gaussian elimination with pivoting",
                shape=SYSTEMS, data=GTSV, calls="tridiagonal::gtsv(GtsvMethod::pivoted)"),
        Routine("gtsvPeriodicBatch",
                summary="periodic tridiagonal systems by Gaussian elimination with pivoting",
                shape=SYSTEMS, data=GTSV, calls="tridiagonal::gtsv(GtsvMethod::periodic)"),
    ]),

    Header("tridiagonal_shifted.h", group="Tridiagonal systems that differ by a shift", routines=[
        Routine("gtsvShiftedBatch",
                summary="tridiagonal systems T + sigma_j W, T and W shared, by Gaussian elimination with pivoting",
                shape=SYSTEMS, data=SHIFTED, calls="tridiagonal::gtsv_shifted(GtsvMethod::shifted)"),
        Routine("gtsvShiftedPeriodicBatch",
                summary="periodic systems T + sigma_j W, T and W shared, by Gaussian elimination with pivoting",
                shape=SYSTEMS, data=SHIFTED, calls="tridiagonal::gtsv_shifted(GtsvMethod::shifted_periodic)"),
    ]),

    Header("tridiagonal_strided.h", group="Tridiagonal systems in any direction of an array", routines=[
        Routine("gtsvStridedBatch",
                summary="tridiagonal systems at any strides, by Gaussian elimination with pivoting",
                shape=STRIDED, data=STRIDED_GTSV, calls="tridiagonal::gtsv_strided(GtsvMethod::pivoted)"),
        Routine("gtsvStridedPscheme",
                summary="tridiagonal systems at any strides, without pivoting, by the P-scheme",
                shape=STRIDED, data=STRIDED_GTSV, calls="tridiagonal::gtsv_strided(GtsvMethod::pscheme)"),
        Routine("gtsvStridedPeriodicBatch",
                summary="periodic tridiagonal systems at any strides, by Gaussian elimination with pivoting",
                shape=STRIDED, data=STRIDED_GTSV, calls="tridiagonal::gtsv_strided(GtsvMethod::periodic)"),
    ]),

    Header("tridiagonal_factor.h", group="Tridiagonal matrices factored once", routines=[
        Routine("gttrfBatch",
                summary="LU factors of tridiagonal matrices, with pivoting, and their determinants",
                shape="xbatchLayout_t layout, int64_t n, int64_t batch",
                data="""const T *dl, const T *d, const T *du, int64_t ldt,
                        void *factors, R *logdet?, T *sign?, int32_t *info?""",
                sizes="factorBytes",
                calls="tridiagonal::gttrf"),
        Routine("gttrsBatch",
                summary="solutions with the factors of gttrfBatch, for A, A^T or A^H",
                shape="""xbatchLayout_t layout, xbatchOperation_t op,
                         int64_t n, int64_t nrhs, int64_t batch, int64_t sets""",
                data="const void *factors, T *B, int64_t ldb",
                calls="tridiagonal::gttrs"),
        Routine("gtconBatch",
                summary="reciprocal condition numbers of the matrices factored by gttrfBatch",
                shape="xbatchLayout_t layout, xbatchNorm_t norm, int64_t n, int64_t batch",
                data="const void *factors, R *rcond",
                generic=False,  # none of its arguments has type T
                calls="tridiagonal::gtcon"),
    ]),

    Header("tridiagonal_spd.h", group="Positive definite tridiagonal systems", routines=[
        Routine("ptsvBatch",
                summary="positive definite tridiagonal systems by L D L^H",
                shape=SYSTEMS,
                data="const R *d, const T *e, int64_t ldt, T *B, int64_t ldb, int32_t *info?",
                calls="tridiagonal::ptsv"),
        Routine("pttrfBatch",
                summary="factors L D L^H of positive definite tridiagonal matrices, and determinants",
                shape="xbatchLayout_t layout, int64_t n, int64_t batch",
                data="const R *d, const T *e, int64_t ldt, void *factors, R *logdet?, int32_t *info?",
                sizes="factorBytes",
                calls="tridiagonal::pttrf"),
        Routine("pttrsBatch",
                summary="solutions with the factors of pttrfBatch",
                shape="xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, int64_t sets",
                data="const void *factors, T *B, int64_t ldb",
                calls="tridiagonal::pttrs"),
    ]),

    Header("tridiagonal_vbatch.h", group="Tridiagonal systems of different lengths", routines=[
        Routine("gtsvVBatch",
                summary="tridiagonal systems of different lengths by Gaussian elimination with pivoting",
                shape="int64_t nrhs, int64_t batch, int64_t maxn",
                data="""const int64_t *offsets, const T *dl, const T *d, const T *du,
                        T *B, int64_t ldb, int32_t *info?""",
                calls="tridiagonal::gtsv_vbatch"),
    ]),

    Header("distributed.h", group="Systems distributed over ranks", plain="""
        xbatchCommCreate(xbatchHandle_t handle, const char *layer?, const void *native?, xbatchComm_t *comm[out]);
        xbatchCommCreateCustom(xbatchHandle_t handle, const xbatchCommLayer_t *layer, void *context?,
                               xbatchComm_t *comm[out]);
        xbatchCommDestroy(xbatchComm_t comm);
        xbatchCommAbort(xbatchComm_t comm);
        xbatchCommSynchronize(xbatchComm_t comm);
        xbatchCommGetRank(xbatchComm_t comm, int *rank[out]);
        xbatchCommGetSize(xbatchComm_t comm, int *size[out]);
        xbatchCommSetTimeout(xbatchComm_t comm, int64_t milliseconds);
        xbatchCommGetCounts(xbatchComm_t comm, int64_t *messages[out]?, int64_t *bytes[out]?);
        xbatchCommSplitBatch(xbatchComm_t comm, int64_t batch, int64_t *offsets);
        xbatchCommSplitWeights(xbatchComm_t comm, int64_t count, const int64_t *weights?, int64_t *offsets);
        xgtsvMpCreatePlan(xbatchComm_t comm, xbatchDataType_t type, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                          int64_t batch, const int64_t *offsets?, int64_t blockStride, int flags,
                          xbatchMpPlan_t *plan[out]);
        xbatchMpDestroyPlan(xbatchMpPlan_t plan);
        xbatchMpGetOffsets(xbatchMpPlan_t plan, int64_t *offsets);
        """ + distributed("gtsvMp", GTSV) + distributed("gtsvPeriodicMp", GTSV, has_query=False)
           + distributed("gtsvPschemeMp", GTSV)
           + distributed("ptsvMp", "const R *d, const T *e, int64_t ldt, T *B, int64_t ldb, int32_t *info?")
           + distributed("folrMp", """xbatchDirection_t direction, const T *s, int64_t incs, int64_t lds, const T *t,
                                      int64_t inct, int64_t ldt, const T *w0?, T *w, int64_t ldw""")),

    Header("distributed_factor.h", group="Factors of systems distributed over ranks",
           plain=distributed("gttrfMp", """int64_t sets, const T *dl, const T *d, const T *du, int64_t ldt, void *factors,
                                           int32_t *info?""", has_query=False)
           + "xgttrfMp_bufferSize(xbatchMpPlan_t plan, int64_t sets, size_t *factorBytes[out], "
             "size_t *workspaceBytes[out]);"
           + distributed("gttrsMp", """xbatchOperation_t op, int64_t sets, const void *factors, T *B,
                                       int64_t ldb""")),

    Header("distributed_qr.h", group="Tall matrices distributed over ranks",
           plain=tall("gelsTsMp", TALL_GELS, """const T *A, int64_t lda, const T *B?, int64_t ldb, T *R?, int64_t ldr,
                                               T *X?, int64_t ldx, S *norms?, int32_t *info[1]?""")
           + "xgelsTsMpGetOffsets(xbatchComm_t comm, int64_t m, int64_t n, int64_t nrhs, int64_t *offsets);"
           + tall("geqrtTsMp", TALL, "T *A, int64_t lda, void *factors, T *R?, int64_t ldr, int32_t *info[1]?",
                  "size_t *factorBytes[out], size_t *workspaceBytes[out]")
           + tall("gemqrtTsMp", TALL_Q,
                  "const T *A, int64_t lda, const void *factors, T *B, int64_t ldb, T *C, int64_t ldc")
           + tall("ungqrtTsMp", TALL, "const T *A, int64_t lda, const void *factors, T *Q, int64_t ldq")),
    Header("distributed_hines.h", group="Hines systems distributed over ranks", plain="""
        xhinesMpCreatePlan(xbatchComm_t comm, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                           const int32_t *parent, int indexBase, xbatchHinesFlags_t treeFlags, int64_t nrhs,
                           int64_t batch, const int64_t *offsets?, int flags, xbatchMpPlan_t *plan[out]);
        """ + distributed("hinesMp", """xbatchOperation_t op, const T *u, const T *l, int64_t ldul, const T *d,
                                        int64_t ldd, T *B, int64_t ldb, int32_t *info?""")),

    Header("distributed_mg.h", group="Systems distributed over the devices of one process", plain="""
        xgtsvMgCreatePlan(int devices, const xbatchHandle_t *handles, xbatchDataType_t type, xbatchLayout_t layout,
                          int64_t n, int64_t nrhs, int64_t batch, const int64_t *offsets?, const int64_t *blockStride?,
                          int flags, xbatchMgPlan_t *plan[out]);
        xbatchMgDestroyPlan(xbatchMgPlan_t plan);
        xbatchMgGetOffsets(xbatchMgPlan_t plan, int64_t *offsets);
        xgtsvMg_bufferSize(xbatchMgPlan_t plan, size_t *workspaceBytes);
        xgtsvMg(xbatchMgPlan_t plan, const void *const *dl, const void *const *d, const void *const *du,
                const int64_t *ldt, void *const *B, const int64_t *ldb, int32_t *const *info?, void *const *workspace,
                const size_t *workspaceBytes);
        xgtsvPeriodicMg(xbatchMgPlan_t plan, const void *const *dl, const void *const *d, const void *const *du,
                        const int64_t *ldt, void *const *B, const int64_t *ldb, int32_t *const *info?,
                        void *const *workspace, const size_t *workspaceBytes);"""),

    Header("hines.h", group="Tree-structured systems", plain="""
        xhinesOrder(xbatchHandle_t handle, int64_t n, const int32_t *parent, int indexBase, xbatchHinesFlags_t flags,
                    int32_t *order, int32_t *ordered?);
        xhinesCreatePlan(xbatchHandle_t handle, int64_t morphologies, const int64_t *offsets, const int32_t *parent,
                         int indexBase, xbatchHinesFlags_t flags, int64_t batch, const int32_t *morph?,
                         xbatchHinesPlan_t *plan[out]);
        xhinesDestroyPlan(xbatchHinesPlan_t plan);
        xhinesSetAlgorithm(xbatchHandle_t handle, xbatchHinesPlan_t plan, xbatchHinesAlgorithm_t algorithm);
        xhinesGetPlacement(xbatchHandle_t handle, xbatchHinesPlan_t plan, xbatchLayout_t layout, int64_t nrhs,
                           int64_t batch, int64_t ld, int64_t *first?, int64_t *step?, int64_t *extent[1]?);""",
           routines=[
        Routine("hinesBatch",
                summary="Hines systems: tree-structured matrices, as of branched neurons",
                shape="""xbatchLayout_t layout, xbatchOperation_t op, xbatchHinesPlan_t plan,
                         int64_t nrhs, int64_t batch""",
                data="const T *u, const T *l, int64_t ldul, const T *d, int64_t ldd, T *B, int64_t ldb, int32_t *info?",
                calls="hines::hines"),
    ]),

    Header("hines_factor.h", group="Tree-structured matrices factored once", routines=[
        Routine("hinesFactorBatch",
                summary="factors of tree-structured matrices, for any number of solves",
                shape="xbatchLayout_t layout, xbatchHinesPlan_t plan, int64_t batch",
                data="""const T *u, const T *l, int64_t ldul, const T *d, int64_t ldd,
                        void *factors, int32_t *info?""",
                sizes="factorBytes",
                calls="hines::hines_factor"),
        Routine("hinesSolveBatch",
                summary="solutions with the factors of hinesFactorBatch, for A, A^T or A^H",
                shape="""xbatchLayout_t layout, xbatchOperation_t op, xbatchHinesPlan_t plan,
                         int64_t nrhs, int64_t batch, int64_t sets""",
                data="const void *factors, T *B, int64_t ldb",
                calls="hines::hines_solve"),
    ]),

    Header("task_graph.h", group="Task graphs", plain="""
        xbatchTaskGraphCreate(xbatchHandle_t handle, xbatchTaskGraph_t *graph[out]);
        xbatchTaskGraphDestroy(xbatchTaskGraph_t graph);
        xbatchTaskGraphAddTask(xbatchHandle_t handle, xbatchTaskGraph_t graph, int type, const void *args,
                               size_t argBytes, double cost, int64_t *task[out]?);
        xbatchTaskGraphAddDependency(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t before, int64_t after);
        xbatchTaskGraphAddAccess(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t task, int64_t resource,
                                 xbatchTaskAccess_t access);
        xbatchTaskGraphFinalize(xbatchHandle_t handle, xbatchTaskGraph_t graph);
        xbatchTaskGraphGetStatistics(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t *tasks[out]?, int64_t *edges[out]?,
                                     int64_t *levels[out]?, int64_t *width[out]?, double *totalCost[out]?, double *criticalPath[out]?);
        xbatchTaskGraphRun(xbatchHandle_t handle, xbatchTaskGraph_t graph, const xbatchTaskBody_t *bodies, int types,
                           void *user);
        xbatchTaskGraphGetFailure(xbatchHandle_t handle, xbatchTaskGraph_t graph, int64_t *task[out]?, int *code[out]?);
        xbatchTaskGraphSetTrace(xbatchHandle_t handle, xbatchTaskGraph_t graph, int enabled);
        xbatchTaskGraphWriteTrace(xbatchHandle_t handle, xbatchTaskGraph_t graph, const char *path,
                                  const char *const *names?, int types);
        xbatchTaskGraphUpload_bufferSize(xbatchHandle_t handle, xbatchTaskGraph_t graph, size_t *imageBytes[out]);
        xbatchTaskGraphUpload(xbatchHandle_t handle, xbatchTaskGraph_t graph, void *image, size_t imageBytes);
        xbatchTaskGraphPrepare(xbatchHandle_t handle, xbatchTaskGraph_t graph, void *image, const int *types,
                               int count);
        xbatchTaskGraphSynchronize(xbatchHandle_t handle, xbatchTaskGraph_t graph, const void *image);"""),

    Header("task_tiles.h", group="Task graphs of tile operations", plain="""
        xbatchTaskGraphAddCopy(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type, int64_t m,
                               int64_t n, const void *A, int64_t lda, void *B, int64_t ldb, int64_t *task[out]?);
        xbatchTaskGraphAddSet(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type, int64_t m,
                              int64_t n, double offdiag, double diag, void *A, int64_t lda, int64_t *task[out]?);
        xbatchTaskGraphAddAxpy(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type, int64_t m,
                               int64_t n, double alpha, const void *A, int64_t lda, void *B, int64_t ldb,
                               int64_t *task[out]?);
        xbatchTaskGraphAddGemm(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type,
                               xbatchOperation_t opA, xbatchOperation_t opB, int64_t m, int64_t n, int64_t k,
                               double alpha, const void *A, int64_t lda, const void *B, int64_t ldb, double beta,
                               void *C, int64_t ldc, int64_t *task[out]?);
        xbatchTaskGraphAddHerk(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type,
                               xbatchUplo_t uplo, xbatchOperation_t op, int64_t n, int64_t k, double alpha,
                               const void *A, int64_t lda, double beta, void *C, int64_t ldc, int64_t *task[out]?);
        xbatchTaskGraphAddTrsm(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type,
                               xbatchSide_t side, xbatchUplo_t uplo, xbatchOperation_t op, xbatchDiag_t diag,
                               int64_t m, int64_t n, double alpha, const void *A, int64_t lda, void *B, int64_t ldb,
                               int64_t *task[out]?);
        xbatchTaskGraphAddPotrf(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type,
                                xbatchUplo_t uplo, int64_t n, void *A, int64_t lda, int64_t *task[out]?);
        xbatchTaskGraphRunTiles(xbatchHandle_t handle, xbatchTaskGraph_t graph, void *image);"""),

    Header("qr.h", group="QR of one dense matrix", plain="""
        xgeqrtTiled_defaults(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n,
                             xbatchTiledConfig_t *config[out]);""", routines=[
        Routine("geqrtTiled",
                summary="QR factors of a dense matrix, by tasks on tiles",
                shape="int64_t m, int64_t n, const xbatchTiledConfig_t *config[1]?",
                data="T *A, int64_t lda, void *T, int32_t *info[1]?",
                sizes="tBytes",
                calls="qr::geqrt"),
        Routine("gemqrtTiled",
                summary="products with the Q of geqrtTiled: op(Q) C or C op(Q)",
                shape="""xbatchSide_t side, xbatchOperation_t op, int64_t m, int64_t n, int64_t k,
                         const xbatchTiledConfig_t *config[1]?""",
                data="const T *A, int64_t lda, const void *T, T *C, int64_t ldc, int32_t *info[1]?",
                calls="qr::gemqrt"),
        Routine("ungqrtTiled",
                summary="the first columns of the Q of geqrtTiled",
                shape="int64_t m, int64_t n, int64_t k, const xbatchTiledConfig_t *config[1]?",
                data="const T *A, int64_t lda, const void *T, T *Q, int64_t ldq, int32_t *info[1]?",
                calls="qr::ungqrt"),
        Routine("gelsTiled",
                summary="least squares and least norm solutions of a dense system",
                shape="""xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                         const xbatchTiledConfig_t *config[1]?""",
                data="T *A, int64_t lda, T *B, int64_t ldb, int32_t *info[1]?",
                calls="qr::gels"),
    ]),

    Header("qr_batch.h", group="QR of many small matrices", routines=[
        Routine("geqrfBatch",
                summary="QR factors of many small matrices, as LAPACK's geqrf",
                shape="xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch",
                data="T *A, int64_t lda, int64_t strideA, T *tau, int64_t ldtau, int32_t *info?",
                calls="qr::geqrf_batch"),
        Routine("unmqrBatch", real="ormqrBatch",
                summary="products with the Q of geqrfBatch, from either side",
                shape="""xbatchLayout_t layout, xbatchSide_t side, xbatchOperation_t op,
                         int64_t m, int64_t n, int64_t k, int64_t batch""",
                data="""const T *A, int64_t lda, int64_t strideA, const T *tau, int64_t ldtau,
                        T *C, int64_t ldc, int64_t strideC""",
                calls="qr::unmqr_batch"),
        Routine("ungqrBatch", real="orgqrBatch",
                summary="the first columns of the Q of geqrfBatch, in place",
                shape="xbatchLayout_t layout, int64_t m, int64_t n, int64_t k, int64_t batch",
                data="T *A, int64_t lda, int64_t strideA, const T *tau, int64_t ldtau",
                calls="qr::ungqr_batch"),
        Routine("gelsBatch",
                summary="least squares and least norm solutions of many small systems",
                shape="""xbatchLayout_t layout, xbatchOperation_t op,
                         int64_t m, int64_t n, int64_t nrhs, int64_t batch""",
                data="""const T *A, int64_t lda, int64_t strideA, T *B, int64_t ldb, int64_t strideB,
                        int32_t *info?""",
                calls="qr::gels_batch"),
        Routine("geqrfQlessBatch",
                summary="R and Q^H B of many small matrices, without Q",
                shape="xbatchLayout_t layout, int64_t m, int64_t n, int64_t nrhs, int64_t batch",
                data="""const T *A, int64_t lda, int64_t strideA, T *R, int64_t ldr, int64_t strideR,
                        T *B?, int64_t ldb, int64_t strideB, int32_t *info?""",
                calls="qr::qless_batch"),
    ]),

    # Matrices by arrays of pointers: in Fortran the arguments have one type in all forms
    Header("qr_vbatch.h", group="QR of many small matrices of different sizes", routines=[
        Routine("geqrfVBatch",
                summary="QR factors of small matrices of different sizes",
                shape="int64_t mMax, int64_t nMax, int64_t batch",
                data="""const int64_t *m?, const int64_t *n?, T *const *A, int64_t ldaMax, const int64_t *lda?,
                        T *const *tau, int32_t *info?""",
                generic=False,
                calls="qr::geqrf_vbatch"),
        Routine("unmqrVBatch", real="ormqrVBatch",
                summary="products with the Q of geqrfVBatch, from either side",
                shape="""xbatchSide_t side, xbatchOperation_t op,
                         int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch""",
                data="""const int64_t *m?, const int64_t *n?, const int64_t *k?,
                        const T *const *A, int64_t ldaMax, const int64_t *lda?, const T *const *tau,
                        T *const *C, int64_t ldcMax, const int64_t *ldc?, int32_t *info?""",
                generic=False,
                calls="qr::unmqr_vbatch"),
        Routine("ungqrVBatch", real="orgqrVBatch",
                summary="the first columns of the Q of geqrfVBatch, in place",
                shape="int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch",
                data="""const int64_t *m?, const int64_t *n?, const int64_t *k?,
                        T *const *A, int64_t ldaMax, const int64_t *lda?, const T *const *tau, int32_t *info?""",
                generic=False,
                calls="qr::ungqr_vbatch"),
        Routine("gelsVBatch",
                summary="least squares and least norm solutions of small systems of different sizes",
                shape="xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax, int64_t batch",
                data="""const int64_t *m?, const int64_t *n?, const int64_t *nrhs?,
                        const T *const *A, int64_t ldaMax, const int64_t *lda?,
                        T *const *B, int64_t ldbMax, const int64_t *ldb?, int32_t *info?""",
                generic=False,
                calls="qr::gels_vbatch"),
    ]),
]

HEADERS.append(Header("batch_mg.h", group="Batches on several handles",
                      plain="xbatchMgSplitBatch(int devices, int64_t block, int64_t batch, int64_t *offsets);",
                      shared_out=tuple(routine for header in HEADERS for routine in header.routines
                                       if routine.is_batched)))

# The LAPACK routines of the interposer, each for s, d, c and z, and each as name_ and name_64_. The two routines of the
# second list are called or… for float and double.
LAPACK = "gels gemqr geqr geqrf gtcon gtrfs gtsv gtsvx gttrf gttrs ptcon ptrfs ptsv ptsvx pttrf pttrs"
LAPACK_UNITARY = "ungqr unmqr"

# The ScaLAPACK routines of libxbatch_scalapack, each for s, d, c and z, after p; and the functions of BLACS that end
# grids.
SCALAPACK = "dtsv dttrf dttrs ptsv pttrf pttrs"
BLACS = "Cblacs_exit Cblacs_gridexit blacs_exit_ blacs_gridexit_"
