"""Every name that the libraries export, one row a routine: the only list of them. generate.py writes from it.

A routine `name` stands for x<name>, which takes the type as an argument, for its four typed forms s, d, c, z<name>, and
for the x<name>_bufferSize and s, d, c, z<name>_bufferSize that say how large its workspace must be.

Arguments are written as in C, but for these marks:

    T       an element: float, double, complex float or complex double; void in the x form
    R       a real number of the same precision; void in the x form
    name?   may be NULL; optional in Fortran
    name[1] points to one value, where a pointer otherwise means an array

`shape` is what the query takes, and the first arguments of the routine after the handle (and the type, in the x form);
`data` are the routine's other arguments, before `void *workspace, size_t workspaceBytes`.

The other fields of a row:

    summary what it computes, in a line
    sizes   outputs of the query before workspaceBytes
    query   False where the routine needs no workspace: there is no query, and no workspace among its arguments
    real    the name of the forms for float and double, where LAPACK has another (un, or)
    generic False where Fortran cannot choose the form by the types of the arguments
    calls   the C++ function that the C entries call, and what it takes before their arguments

SPDX-License-Identifier: BSD-3-Clause"""

from model import Header, Routine

# The version of the exported symbols
VERSION = "XBATCH_0.1"

# Shapes and data that several routines share
SYSTEMS = "xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch"
GTSV = "const T *dl, const T *d, const T *du, int64_t ldt, T *B, int64_t ldb, int32_t *info?"

HEADERS = [
    Header("types.h", group="Handles", plain="""
        xbatchCreate xbatchDestroy xbatchGetBackend xbatchSetStream xbatchGetStream xbatchSetThreadCount
        xbatchGetThreadCount xbatchGetLastErrorMessage xbatchGetStatusString xbatchGetVersion"""),

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
                shape=SYSTEMS, data=GTSV, calls="tridiagonal::gtsv(pscheme)"),
        Routine("gtsvThomas",
                summary="tridiagonal systems without pivoting, by sequential elimination",
                shape=SYSTEMS, data=GTSV, calls="tridiagonal::gtsv(thomas)"),
        Routine("gtsvOddEven",
                summary="tridiagonal systems without pivoting, by odd-even (cyclic) reduction",
                shape=SYSTEMS, data=GTSV, calls="tridiagonal::gtsv(oddeven)"),
        Routine("gtsvBatch",
                summary="tridiagonal systems by Gaussian elimination with pivoting",
                shape=SYSTEMS, data=GTSV, calls="tridiagonal::gtsv(pivoted)"),
        Routine("gtsvPeriodicBatch",
                summary="periodic tridiagonal systems by Gaussian elimination with pivoting",
                shape=SYSTEMS, data=GTSV, calls="tridiagonal::gtsv(periodic)"),
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
                summary="solves with the factors of gttrfBatch: A, A^T or A^H",
                shape="""xbatchLayout_t layout, xbatchOperation_t op,
                         int64_t n, int64_t nrhs, int64_t batch, int64_t sets""",
                data="const void *factors, T *B, int64_t ldb",
                calls="tridiagonal::gttrs"),
        Routine("gtconBatch",
                summary="reciprocal condition numbers of the matrices that gttrfBatch factored",
                shape="xbatchLayout_t layout, xbatchNorm_t norm, int64_t n, int64_t batch",
                data="const void *factors, R *rcond",
                generic=False,  # nothing among its arguments is of type T
                calls="tridiagonal::gtcon"),
    ]),

    Header("tridiagonal_spd.h", group="Positive definite tridiagonal systems", routines=[
        Routine("ptsvBatch",
                summary="positive definite tridiagonal systems by L D L^H",
                shape=SYSTEMS,
                data="const R *d, const T *e, int64_t ldt, T *B, int64_t ldb, int32_t *info?",
                calls="tridiagonal::ptsv"),
        Routine("pttrfBatch",
                summary="factors L D L^H of positive definite tridiagonal matrices, and their determinants",
                shape="xbatchLayout_t layout, int64_t n, int64_t batch",
                data="const R *d, const T *e, int64_t ldt, void *factors, R *logdet?, int32_t *info?",
                sizes="factorBytes",
                calls="tridiagonal::pttrf"),
        Routine("pttrsBatch",
                summary="solves with the factors of pttrfBatch",
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

    Header("hines.h", group="Systems with the structure of a tree", routines=[
        Routine("hinesBatch",
                summary="Hines systems: matrices with the structure of a tree, as on branched neurons",
                shape="""xbatchLayout_t layout, xbatchOperation_t op, xbatchHinesPlan_t plan,
                         int64_t nrhs, int64_t batch""",
                data="const T *u, const T *l, int64_t ldul, const T *d, int64_t ldd, T *B, int64_t ldb, int32_t *info?",
                calls="hines::hines"),
    ], plain="""
        xhinesOrder xhinesCreatePlan xhinesDestroyPlan xhinesSetAlgorithm xhinesGetPlacement xhinesBatchMg"""),

    Header("task_graph.h", group="Graphs of tasks", plain="""
        xbatchTaskGraphCreate xbatchTaskGraphDestroy xbatchTaskGraphAddTask xbatchTaskGraphAddDependency
        xbatchTaskGraphAddAccess xbatchTaskGraphFinalize xbatchTaskGraphGetStatistics xbatchTaskGraphRun
        xbatchTaskGraphGetFailure xbatchTaskGraphSetTrace xbatchTaskGraphWriteTrace xbatchTaskGraphUpload_bufferSize
        xbatchTaskGraphUpload xbatchTaskGraphPrepare xbatchTaskGraphSynchronize"""),

    Header("task_tiles.h", group="Graphs of operations on tiles", plain="""
        xbatchTaskGraphAddCopy xbatchTaskGraphAddSet xbatchTaskGraphAddAxpy xbatchTaskGraphAddGemm
        xbatchTaskGraphAddHerk xbatchTaskGraphAddTrsm xbatchTaskGraphAddPotrf xbatchTaskGraphRunTiles"""),

    Header("qr.h", group="QR of one dense matrix", plain="xgeqrtTiled_defaults", routines=[
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
    ]),

    # Matrices by arrays of pointers, which tell Fortran no type
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

# The LAPACK routines of the interposer, each for s, d, c and z, and each as name_ and name_64_. The two of the second
# list are called or… for float and double.
LAPACK = "gels gemqr geqr geqrf gtcon gtrfs gtsv gtsvx gttrf gttrs ptcon ptrfs ptsv ptsvx pttrf pttrs"
LAPACK_UNITARY = "ungqr unmqr"
