! xbatch.f90: the module `xbatch`, the whole C interface of xbatch for Fortran.
! SPDX-License-Identifier: BSD-3-Clause
!
! The contracts stand in the C headers of include/xbatch; arguments have the same names and
! order here.
!
! - A handle is a plain type(c_ptr), and so are a plan and a graph. C passes a pointer by value, and only a pointer
!   is sure to travel as one: a derived type around it would be a struct, which some platforms pass in
!   memory.
! - Sizes and leading dimensions are integer(c_int64_t), enums integer(c_int), both by value.
! - The typed routines (dgtsvPscheme, ...) take host arrays of any rank, or from an element on, as
!   in `u(1, 1)`. The generic names (gtsvPscheme, gttrfBatch, folrPscheme, rearrange, ...) choose
!   the routine by type; arrays must then have rank 1, as Fortran demands of generic names. gtcon has
!   none, for nothing in its arguments tells c from s; nor have the routines that take matrices by
!   arrays of pointers, type(c_ptr) made by c_loc (dgeqrfVBatch, ...). The x routines take addresses, from c_loc or
!   of device memory, and the type as an argument. Factors and workspace are addresses always.
! - Where C allows NULL, info, w0, logdet, sign, config, arrays of sizes and of leading dimensions, those about
!   trees and what is told about a graph of tasks are optional; what follows an absent one needs its keyword.
! - What a routine writes is intent(inout), not out: padding between systems keeps its values.
! - Fortran forbids one array for both t and w; xfolrPscheme with one address twice works in place.
module xbatch
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_double_complex, c_f_pointer, &
        c_float, c_float_complex, c_funptr, c_int, c_int32_t, c_int64_t, c_null_char, c_ptr, c_size_t
    implicit none
    public
    private :: c_char, c_double, c_double_complex, c_f_pointer, c_float, c_float_complex, &
        c_funptr, c_int, c_int32_t, c_int64_t, c_null_char, c_ptr, c_size_t, text_of

    integer(c_int), parameter :: XBATCH_VERSION_MAJOR = 0
    integer(c_int), parameter :: XBATCH_VERSION_MINOR = 1
    integer(c_int), parameter :: XBATCH_VERSION_PATCH = 0
    integer(c_int), parameter :: XBATCH_VERSION = &
        10000 * XBATCH_VERSION_MAJOR + 100 * XBATCH_VERSION_MINOR + XBATCH_VERSION_PATCH

    enum, bind(c)  ! xbatchStatus_t
        enumerator :: XBATCH_STATUS_SUCCESS = 0
        enumerator :: XBATCH_STATUS_INVALID_HANDLE = 1
        enumerator :: XBATCH_STATUS_INVALID_VALUE = 2
        enumerator :: XBATCH_STATUS_INSUFFICIENT_WORKSPACE = 3
        enumerator :: XBATCH_STATUS_NOT_SUPPORTED = 4
        enumerator :: XBATCH_STATUS_NO_DEVICE = 5
        enumerator :: XBATCH_STATUS_ALLOC_FAILED = 6
        enumerator :: XBATCH_STATUS_EXECUTION_FAILED = 7
        enumerator :: XBATCH_STATUS_INTERNAL_ERROR = 8
    end enum

    enum, bind(c)  ! xbatchBackend_t
        enumerator :: XBATCH_BACKEND_AUTO = 0
        enumerator :: XBATCH_BACKEND_HOST = 1
        enumerator :: XBATCH_BACKEND_CUDA = 2
    end enum

    enum, bind(c)  ! xbatchDataType_t
        enumerator :: XBATCH_R_32F = 0
        enumerator :: XBATCH_R_64F = 1
        enumerator :: XBATCH_C_32F = 2
        enumerator :: XBATCH_C_64F = 3
    end enum

    enum, bind(c)  ! xbatchLayout_t
        enumerator :: XBATCH_LAYOUT_FLAT = 0
        enumerator :: XBATCH_LAYOUT_INTERLEAVED = 1
        enumerator :: XBATCH_LAYOUT_BLOCK_INTERLEAVED = 2
    end enum

    enum, bind(c)  ! xbatchDirection_t
        enumerator :: XBATCH_FORWARD = 0
        enumerator :: XBATCH_BACKWARD = 1
    end enum

    enum, bind(c)  ! xbatchOperation_t
        enumerator :: XBATCH_OP_N = 0
        enumerator :: XBATCH_OP_T = 1
        enumerator :: XBATCH_OP_C = 2
    end enum

    enum, bind(c)  ! xbatchNorm_t
        enumerator :: XBATCH_NORM_ONE = 0
        enumerator :: XBATCH_NORM_INF = 1
    end enum

    enum, bind(c)  ! xbatchHinesFlags_t
        enumerator :: XBATCH_HINES_TREE = 0
        enumerator :: XBATCH_HINES_FOREST = 1
    end enum

    enum, bind(c)  ! xbatchHinesAlgorithm_t
        enumerator :: XBATCH_HINES_AUTO = 0
        enumerator :: XBATCH_HINES_THREAD = 1
        enumerator :: XBATCH_HINES_THREAD_SHARED = 2
    end enum

    enum, bind(c)  ! xbatchTree_t
        enumerator :: XBATCH_TREE_FLAT = 0
        enumerator :: XBATCH_TREE_DOMAINS = 1
    end enum

    enum, bind(c)  ! xbatchSide_t
        enumerator :: XBATCH_SIDE_LEFT = 0
        enumerator :: XBATCH_SIDE_RIGHT = 1
    end enum

    !> How tiled QR cuts a matrix.
    type, bind(c) :: xbatchTiledConfig_t
        integer(c_int64_t) :: mb, nb, ib, domain
        integer(c_int) :: tree
    end type

    enum, bind(c)  ! xbatchTaskLimits_t
        enumerator :: XBATCH_TASK_MAX_ARGS = 64
        enumerator :: XBATCH_TASK_MAX_TYPE = 1073741823
    end enum

    enum, bind(c)  ! xbatchTaskCode_t
        enumerator :: XBATCH_TASK_NO_IMAGE = 2147418113
        enumerator :: XBATCH_TASK_UNKNOWN_TYPE = 2147418114
        enumerator :: XBATCH_TASK_NEVER_READY = 2147418115
    end enum

    enum, bind(c)  ! xbatchTaskTileLimits_t
        enumerator :: XBATCH_TASK_MAX_TILE = 65535
    end enum

    enum, bind(c)  ! xbatchUplo_t
        enumerator :: XBATCH_UPLO_LOWER = 0
        enumerator :: XBATCH_UPLO_UPPER = 1
    end enum

    enum, bind(c)  ! xbatchDiag_t
        enumerator :: XBATCH_DIAG_NON_UNIT = 0
        enumerator :: XBATCH_DIAG_UNIT = 1
    end enum

    enum, bind(c)  ! xbatchTaskAccess_t
        enumerator :: XBATCH_TASK_READ = 0
        enumerator :: XBATCH_TASK_WRITE = 1
    end enum

    interface gtsvPscheme
        procedure :: sgtsvPscheme, dgtsvPscheme, cgtsvPscheme, zgtsvPscheme
    end interface

    interface gtsvThomas
        procedure :: sgtsvThomas, dgtsvThomas, cgtsvThomas, zgtsvThomas
    end interface

    interface gtsvOddEven
        procedure :: sgtsvOddEven, dgtsvOddEven, cgtsvOddEven, zgtsvOddEven
    end interface

    interface gtsvBatch
        procedure :: sgtsvBatch, dgtsvBatch, cgtsvBatch, zgtsvBatch
    end interface

    interface gtsvPeriodicBatch
        procedure :: sgtsvPeriodicBatch, dgtsvPeriodicBatch, cgtsvPeriodicBatch, zgtsvPeriodicBatch
    end interface

    interface gtsvVBatch
        procedure :: sgtsvVBatch, dgtsvVBatch, cgtsvVBatch, zgtsvVBatch
    end interface

    interface gttrfBatch
        procedure :: sgttrfBatch, dgttrfBatch, cgttrfBatch, zgttrfBatch
    end interface

    interface gttrsBatch
        procedure :: sgttrsBatch, dgttrsBatch, cgttrsBatch, zgttrsBatch
    end interface

    interface ptsvBatch
        procedure :: sptsvBatch, dptsvBatch, cptsvBatch, zptsvBatch
    end interface

    interface pttrfBatch
        procedure :: spttrfBatch, dpttrfBatch, cpttrfBatch, zpttrfBatch
    end interface

    interface pttrsBatch
        procedure :: spttrsBatch, dpttrsBatch, cpttrsBatch, zpttrsBatch
    end interface

    interface hinesBatch
        procedure :: shinesBatch, dhinesBatch, chinesBatch, zhinesBatch
    end interface

    interface geqrtTiled
        procedure :: sgeqrtTiled, dgeqrtTiled, cgeqrtTiled, zgeqrtTiled
    end interface

    interface gemqrtTiled
        procedure :: sgemqrtTiled, dgemqrtTiled, cgemqrtTiled, zgemqrtTiled
    end interface

    interface ungqrtTiled
        procedure :: sungqrtTiled, dungqrtTiled, cungqrtTiled, zungqrtTiled
    end interface

    interface gelsTiled
        procedure :: sgelsTiled, dgelsTiled, cgelsTiled, zgelsTiled
    end interface

    interface geqrfBatch
        procedure :: sgeqrfBatch, dgeqrfBatch, cgeqrfBatch, zgeqrfBatch
    end interface

    interface unmqrBatch
        procedure :: sormqrBatch, dormqrBatch, cunmqrBatch, zunmqrBatch
    end interface

    interface ungqrBatch
        procedure :: sorgqrBatch, dorgqrBatch, cungqrBatch, zungqrBatch
    end interface

    interface gelsBatch
        procedure :: sgelsBatch, dgelsBatch, cgelsBatch, zgelsBatch
    end interface

    interface folrPscheme
        procedure :: sfolrPscheme, dfolrPscheme, cfolrPscheme, zfolrPscheme
    end interface

    interface rearrange
        procedure :: srearrange, drearrange, crearrange, zrearrange
    end interface

    ! types.h
    interface
        integer(c_int) function xbatchCreate(handle, backend) bind(c, name='xbatchCreate')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), intent(out) :: handle
            integer(c_int), value, intent(in) :: backend
        end function

        integer(c_int) function xbatchDestroy(handle) bind(c, name='xbatchDestroy')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle
        end function

        integer(c_int) function xbatchGetBackend(handle, backend) bind(c, name='xbatchGetBackend')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), intent(out) :: backend
        end function

        integer(c_int) function xbatchSetStream(handle, cudaStream) bind(c, name='xbatchSetStream')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, cudaStream
        end function

        integer(c_int) function xbatchGetStream(handle, cudaStream) bind(c, name='xbatchGetStream')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle
            type(c_ptr), intent(out) :: cudaStream
        end function

        integer(c_int) function xbatchSetThreadCount(handle, threads) &
            bind(c, name='xbatchSetThreadCount')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: threads
        end function

        integer(c_int) function xbatchGetThreadCount(handle, threads) &
            bind(c, name='xbatchGetThreadCount')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), intent(out) :: threads
        end function

        ! C text; xbatch_last_error_message returns it as a Fortran character.
        type(c_ptr) function xbatchGetLastErrorMessage(handle) &
            bind(c, name='xbatchGetLastErrorMessage')
            import :: c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle
        end function

        ! C text; xbatch_status_string returns it as a Fortran character.
        type(c_ptr) function xbatchGetStatusString(status) bind(c, name='xbatchGetStatusString')
            import :: c_int, c_ptr
            implicit none
            integer(c_int), value, intent(in) :: status
        end function

        integer(c_int) function xbatchGetVersion(version) bind(c, name='xbatchGetVersion')
            import :: c_int
            implicit none
            integer(c_int), intent(out) :: version
        end function
    end interface

    ! rearrange.h
    interface
        integer(c_int) function xrearrange(handle, type, n, batch, srcLayout, src, ldsrc, &
            dstLayout, dst, lddst) bind(c, name='xrearrange')
            import :: c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, src, dst
            integer(c_int), value, intent(in) :: type, srcLayout, dstLayout
            integer(c_int64_t), value, intent(in) :: n, batch, ldsrc, lddst
        end function

        integer(c_int) function srearrange(handle, n, batch, srcLayout, src, ldsrc, dstLayout, &
            dst, lddst) bind(c, name='srearrange')
            import :: c_float, c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: srcLayout, dstLayout
            integer(c_int64_t), value, intent(in) :: n, batch, ldsrc, lddst
            real(c_float), intent(in) :: src(*)
            real(c_float), intent(inout) :: dst(*)
        end function

        integer(c_int) function drearrange(handle, n, batch, srcLayout, src, ldsrc, dstLayout, &
            dst, lddst) bind(c, name='drearrange')
            import :: c_double, c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: srcLayout, dstLayout
            integer(c_int64_t), value, intent(in) :: n, batch, ldsrc, lddst
            real(c_double), intent(in) :: src(*)
            real(c_double), intent(inout) :: dst(*)
        end function

        integer(c_int) function crearrange(handle, n, batch, srcLayout, src, ldsrc, dstLayout, &
            dst, lddst) bind(c, name='crearrange')
            import :: c_float_complex, c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: srcLayout, dstLayout
            integer(c_int64_t), value, intent(in) :: n, batch, ldsrc, lddst
            complex(c_float_complex), intent(in) :: src(*)
            complex(c_float_complex), intent(inout) :: dst(*)
        end function

        integer(c_int) function zrearrange(handle, n, batch, srcLayout, src, ldsrc, dstLayout, &
            dst, lddst) bind(c, name='zrearrange')
            import :: c_double_complex, c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: srcLayout, dstLayout
            integer(c_int64_t), value, intent(in) :: n, batch, ldsrc, lddst
            complex(c_double_complex), intent(in) :: src(*)
            complex(c_double_complex), intent(inout) :: dst(*)
        end function
    end interface

    ! recurrence.h
    interface
        integer(c_int) function xfolrPscheme(handle, type, layout, direction, n, nrhs, batch, s, &
            incs, lds, t, inct, ldt, w0, w, ldw, workspace, workspaceBytes) &
            bind(c, name='xfolrPscheme')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, s, t, w0, w, workspace
            integer(c_int), value, intent(in) :: type, layout, direction
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, incs, lds, inct, ldt, ldw
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sfolrPscheme(handle, layout, direction, n, nrhs, batch, s, incs, &
            lds, t, inct, ldt, w0, w, ldw, workspace, workspaceBytes) bind(c, name='sfolrPscheme')
            import :: c_float, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout, direction
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, incs, lds, inct, ldt, ldw
            real(c_float), intent(in) :: s(*), t(*)
            real(c_float), intent(in), optional :: w0(*)
            real(c_float), intent(inout) :: w(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dfolrPscheme(handle, layout, direction, n, nrhs, batch, s, incs, &
            lds, t, inct, ldt, w0, w, ldw, workspace, workspaceBytes) bind(c, name='dfolrPscheme')
            import :: c_double, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout, direction
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, incs, lds, inct, ldt, ldw
            real(c_double), intent(in) :: s(*), t(*)
            real(c_double), intent(in), optional :: w0(*)
            real(c_double), intent(inout) :: w(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cfolrPscheme(handle, layout, direction, n, nrhs, batch, s, incs, &
            lds, t, inct, ldt, w0, w, ldw, workspace, workspaceBytes) bind(c, name='cfolrPscheme')
            import :: c_float_complex, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout, direction
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, incs, lds, inct, ldt, ldw
            complex(c_float_complex), intent(in) :: s(*), t(*)
            complex(c_float_complex), intent(in), optional :: w0(*)
            complex(c_float_complex), intent(inout) :: w(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zfolrPscheme(handle, layout, direction, n, nrhs, batch, s, incs, &
            lds, t, inct, ldt, w0, w, ldw, workspace, workspaceBytes) bind(c, name='zfolrPscheme')
            import :: c_double_complex, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout, direction
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, incs, lds, inct, ldt, ldw
            complex(c_double_complex), intent(in) :: s(*), t(*)
            complex(c_double_complex), intent(in), optional :: w0(*)
            complex(c_double_complex), intent(inout) :: w(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xfolrPscheme_bufferSize(handle, type, layout, direction, n, nrhs, &
            batch, workspaceBytes) bind(c, name='xfolrPscheme_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout, direction
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sfolrPscheme_bufferSize(handle, layout, direction, n, nrhs, batch, &
            workspaceBytes) bind(c, name='sfolrPscheme_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, direction
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dfolrPscheme_bufferSize(handle, layout, direction, n, nrhs, batch, &
            workspaceBytes) bind(c, name='dfolrPscheme_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, direction
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cfolrPscheme_bufferSize(handle, layout, direction, n, nrhs, batch, &
            workspaceBytes) bind(c, name='cfolrPscheme_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, direction
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zfolrPscheme_bufferSize(handle, layout, direction, n, nrhs, batch, &
            workspaceBytes) bind(c, name='zfolrPscheme_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, direction
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function
    end interface

    ! tridiagonal.h
    interface
        integer(c_int) function xgtsvPscheme(handle, type, layout, n, nrhs, batch, dl, d, du, ldt, &
            B, ldb, info, workspace, workspaceBytes) bind(c, name='xgtsvPscheme')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, dl, d, du, B, info, workspace
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgtsvPscheme(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='sgtsvPscheme')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_float), intent(in) :: dl(*), d(*), du(*)
            real(c_float), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgtsvPscheme(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='dgtsvPscheme')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_double), intent(in) :: dl(*), d(*), du(*)
            real(c_double), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgtsvPscheme(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='cgtsvPscheme')
            import :: c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            complex(c_float_complex), intent(in) :: dl(*), d(*), du(*)
            complex(c_float_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgtsvPscheme(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='zgtsvPscheme')
            import :: c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            complex(c_double_complex), intent(in) :: dl(*), d(*), du(*)
            complex(c_double_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgtsvPscheme_bufferSize(handle, type, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='xgtsvPscheme_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgtsvPscheme_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='sgtsvPscheme_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgtsvPscheme_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='dgtsvPscheme_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgtsvPscheme_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='cgtsvPscheme_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgtsvPscheme_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='zgtsvPscheme_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xgtsvThomas(handle, type, layout, n, nrhs, batch, dl, d, du, ldt, &
            B, ldb, info, workspace, workspaceBytes) bind(c, name='xgtsvThomas')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, dl, d, du, B, info, workspace
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgtsvThomas(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='sgtsvThomas')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_float), intent(in) :: dl(*), d(*), du(*)
            real(c_float), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgtsvThomas(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='dgtsvThomas')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_double), intent(in) :: dl(*), d(*), du(*)
            real(c_double), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgtsvThomas(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='cgtsvThomas')
            import :: c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            complex(c_float_complex), intent(in) :: dl(*), d(*), du(*)
            complex(c_float_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgtsvThomas(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='zgtsvThomas')
            import :: c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            complex(c_double_complex), intent(in) :: dl(*), d(*), du(*)
            complex(c_double_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgtsvThomas_bufferSize(handle, type, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='xgtsvThomas_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgtsvThomas_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='sgtsvThomas_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgtsvThomas_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='dgtsvThomas_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgtsvThomas_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='cgtsvThomas_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgtsvThomas_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='zgtsvThomas_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xgtsvOddEven(handle, type, layout, n, nrhs, batch, dl, d, du, ldt, &
            B, ldb, info, workspace, workspaceBytes) bind(c, name='xgtsvOddEven')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, dl, d, du, B, info, workspace
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgtsvOddEven(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='sgtsvOddEven')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_float), intent(in) :: dl(*), d(*), du(*)
            real(c_float), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgtsvOddEven(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='dgtsvOddEven')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_double), intent(in) :: dl(*), d(*), du(*)
            real(c_double), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgtsvOddEven(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='cgtsvOddEven')
            import :: c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            complex(c_float_complex), intent(in) :: dl(*), d(*), du(*)
            complex(c_float_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgtsvOddEven(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='zgtsvOddEven')
            import :: c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            complex(c_double_complex), intent(in) :: dl(*), d(*), du(*)
            complex(c_double_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgtsvOddEven_bufferSize(handle, type, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='xgtsvOddEven_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgtsvOddEven_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='sgtsvOddEven_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgtsvOddEven_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='dgtsvOddEven_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgtsvOddEven_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='cgtsvOddEven_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgtsvOddEven_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='zgtsvOddEven_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xgtsvBatch(handle, type, layout, n, nrhs, batch, dl, d, du, ldt, &
            B, ldb, info, workspace, workspaceBytes) bind(c, name='xgtsvBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, dl, d, du, B, info, workspace
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgtsvBatch(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='sgtsvBatch')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_float), intent(in) :: dl(*), d(*), du(*)
            real(c_float), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgtsvBatch(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='dgtsvBatch')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_double), intent(in) :: dl(*), d(*), du(*)
            real(c_double), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgtsvBatch(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='cgtsvBatch')
            import :: c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            complex(c_float_complex), intent(in) :: dl(*), d(*), du(*)
            complex(c_float_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgtsvBatch(handle, layout, n, nrhs, batch, dl, d, du, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='zgtsvBatch')
            import :: c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            complex(c_double_complex), intent(in) :: dl(*), d(*), du(*)
            complex(c_double_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgtsvBatch_bufferSize(handle, type, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='xgtsvBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgtsvBatch_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='sgtsvBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgtsvBatch_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='dgtsvBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgtsvBatch_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='cgtsvBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgtsvBatch_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='zgtsvBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xgtsvPeriodicBatch(handle, type, layout, n, nrhs, batch, dl, d, &
            du, ldt, B, ldb, info, workspace, workspaceBytes) bind(c, name='xgtsvPeriodicBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, dl, d, du, B, info, workspace
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgtsvPeriodicBatch(handle, layout, n, nrhs, batch, dl, d, du, &
            ldt, B, ldb, info, workspace, workspaceBytes) bind(c, name='sgtsvPeriodicBatch')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_float), intent(in) :: dl(*), d(*), du(*)
            real(c_float), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgtsvPeriodicBatch(handle, layout, n, nrhs, batch, dl, d, du, &
            ldt, B, ldb, info, workspace, workspaceBytes) bind(c, name='dgtsvPeriodicBatch')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_double), intent(in) :: dl(*), d(*), du(*)
            real(c_double), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgtsvPeriodicBatch(handle, layout, n, nrhs, batch, dl, d, du, &
            ldt, B, ldb, info, workspace, workspaceBytes) bind(c, name='cgtsvPeriodicBatch')
            import :: c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            complex(c_float_complex), intent(in) :: dl(*), d(*), du(*)
            complex(c_float_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgtsvPeriodicBatch(handle, layout, n, nrhs, batch, dl, d, du, &
            ldt, B, ldb, info, workspace, workspaceBytes) bind(c, name='zgtsvPeriodicBatch')
            import :: c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            complex(c_double_complex), intent(in) :: dl(*), d(*), du(*)
            complex(c_double_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgtsvPeriodicBatch_bufferSize(handle, type, layout, n, &
            nrhs, batch, workspaceBytes) bind(c, name='xgtsvPeriodicBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgtsvPeriodicBatch_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='sgtsvPeriodicBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgtsvPeriodicBatch_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='dgtsvPeriodicBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgtsvPeriodicBatch_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='cgtsvPeriodicBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgtsvPeriodicBatch_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='zgtsvPeriodicBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function
    end interface

    ! tridiagonal_factor.h
    interface
        integer(c_int) function xgttrfBatch(handle, type, layout, n, batch, dl, d, du, ldt, &
            factors, logdet, sign, info, workspace, workspaceBytes) bind(c, name='xgttrfBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, dl, d, du, factors, logdet, sign, info, &
                workspace
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, batch, ldt
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgttrfBatch(handle, layout, n, batch, dl, d, du, ldt, factors, &
            logdet, sign, info, workspace, workspaceBytes) bind(c, name='sgttrfBatch')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch, ldt
            real(c_float), intent(in) :: dl(*), d(*), du(*)
            real(c_float), intent(inout), optional :: logdet(*)
            real(c_float), intent(inout), optional :: sign(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgttrfBatch(handle, layout, n, batch, dl, d, du, ldt, factors, &
            logdet, sign, info, workspace, workspaceBytes) bind(c, name='dgttrfBatch')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch, ldt
            real(c_double), intent(in) :: dl(*), d(*), du(*)
            real(c_double), intent(inout), optional :: logdet(*)
            real(c_double), intent(inout), optional :: sign(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgttrfBatch(handle, layout, n, batch, dl, d, du, ldt, factors, &
            logdet, sign, info, workspace, workspaceBytes) bind(c, name='cgttrfBatch')
            import :: c_float, c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch, ldt
            complex(c_float_complex), intent(in) :: dl(*), d(*), du(*)
            real(c_float), intent(inout), optional :: logdet(*)
            complex(c_float_complex), intent(inout), optional :: sign(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgttrfBatch(handle, layout, n, batch, dl, d, du, ldt, factors, &
            logdet, sign, info, workspace, workspaceBytes) bind(c, name='zgttrfBatch')
            import :: c_double, c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch, ldt
            complex(c_double_complex), intent(in) :: dl(*), d(*), du(*)
            real(c_double), intent(inout), optional :: logdet(*)
            complex(c_double_complex), intent(inout), optional :: sign(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgttrfBatch_bufferSize(handle, type, layout, n, batch, &
            factorBytes, workspaceBytes) bind(c, name='xgttrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: factorBytes, workspaceBytes
        end function

        integer(c_int) function sgttrfBatch_bufferSize(handle, layout, n, batch, factorBytes, &
            workspaceBytes) bind(c, name='sgttrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: factorBytes, workspaceBytes
        end function

        integer(c_int) function dgttrfBatch_bufferSize(handle, layout, n, batch, factorBytes, &
            workspaceBytes) bind(c, name='dgttrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: factorBytes, workspaceBytes
        end function

        integer(c_int) function cgttrfBatch_bufferSize(handle, layout, n, batch, factorBytes, &
            workspaceBytes) bind(c, name='cgttrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: factorBytes, workspaceBytes
        end function

        integer(c_int) function zgttrfBatch_bufferSize(handle, layout, n, batch, factorBytes, &
            workspaceBytes) bind(c, name='zgttrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: factorBytes, workspaceBytes
        end function

        integer(c_int) function xgttrsBatch(handle, type, layout, op, n, nrhs, batch, sets, &
            factors, B, ldb, workspace, workspaceBytes) bind(c, name='xgttrsBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, B, workspace
            integer(c_int), value, intent(in) :: type, layout, op
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets, ldb
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgttrsBatch(handle, layout, op, n, nrhs, batch, sets, factors, &
            B, ldb, workspace, workspaceBytes) bind(c, name='sgttrsBatch')
            import :: c_float, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets, ldb
            real(c_float), intent(inout) :: B(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgttrsBatch(handle, layout, op, n, nrhs, batch, sets, factors, &
            B, ldb, workspace, workspaceBytes) bind(c, name='dgttrsBatch')
            import :: c_double, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets, ldb
            real(c_double), intent(inout) :: B(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgttrsBatch(handle, layout, op, n, nrhs, batch, sets, factors, &
            B, ldb, workspace, workspaceBytes) bind(c, name='cgttrsBatch')
            import :: c_float_complex, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets, ldb
            complex(c_float_complex), intent(inout) :: B(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgttrsBatch(handle, layout, op, n, nrhs, batch, sets, factors, &
            B, ldb, workspace, workspaceBytes) bind(c, name='zgttrsBatch')
            import :: c_double_complex, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets, ldb
            complex(c_double_complex), intent(inout) :: B(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgttrsBatch_bufferSize(handle, type, layout, op, n, nrhs, &
            batch, sets, workspaceBytes) bind(c, name='xgttrsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout, op
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgttrsBatch_bufferSize(handle, layout, op, n, nrhs, batch, &
            sets, workspaceBytes) bind(c, name='sgttrsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgttrsBatch_bufferSize(handle, layout, op, n, nrhs, batch, &
            sets, workspaceBytes) bind(c, name='dgttrsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgttrsBatch_bufferSize(handle, layout, op, n, nrhs, batch, &
            sets, workspaceBytes) bind(c, name='cgttrsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgttrsBatch_bufferSize(handle, layout, op, n, nrhs, batch, &
            sets, workspaceBytes) bind(c, name='zgttrsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xgtconBatch(handle, type, layout, norm, n, batch, factors, &
            rcond, workspace, workspaceBytes) bind(c, name='xgtconBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, rcond, workspace
            integer(c_int), value, intent(in) :: type, layout, norm
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgtconBatch(handle, layout, norm, n, batch, factors, rcond, &
            workspace, workspaceBytes) bind(c, name='sgtconBatch')
            import :: c_float, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout, norm
            integer(c_int64_t), value, intent(in) :: n, batch
            real(c_float), intent(inout) :: rcond(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgtconBatch(handle, layout, norm, n, batch, factors, rcond, &
            workspace, workspaceBytes) bind(c, name='dgtconBatch')
            import :: c_double, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout, norm
            integer(c_int64_t), value, intent(in) :: n, batch
            real(c_double), intent(inout) :: rcond(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgtconBatch(handle, layout, norm, n, batch, factors, rcond, &
            workspace, workspaceBytes) bind(c, name='cgtconBatch')
            import :: c_float, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout, norm
            integer(c_int64_t), value, intent(in) :: n, batch
            real(c_float), intent(inout) :: rcond(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgtconBatch(handle, layout, norm, n, batch, factors, rcond, &
            workspace, workspaceBytes) bind(c, name='zgtconBatch')
            import :: c_double, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout, norm
            integer(c_int64_t), value, intent(in) :: n, batch
            real(c_double), intent(inout) :: rcond(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgtconBatch_bufferSize(handle, type, layout, norm, n, batch, &
            workspaceBytes) bind(c, name='xgtconBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout, norm
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgtconBatch_bufferSize(handle, layout, norm, n, batch, &
            workspaceBytes) bind(c, name='sgtconBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, norm
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgtconBatch_bufferSize(handle, layout, norm, n, batch, &
            workspaceBytes) bind(c, name='dgtconBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, norm
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgtconBatch_bufferSize(handle, layout, norm, n, batch, &
            workspaceBytes) bind(c, name='cgtconBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, norm
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgtconBatch_bufferSize(handle, layout, norm, n, batch, &
            workspaceBytes) bind(c, name='zgtconBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, norm
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function
    end interface

    ! tridiagonal_spd.h
    interface
        integer(c_int) function xptsvBatch(handle, type, layout, n, nrhs, batch, d, e, ldt, B, &
            ldb, info, workspace, workspaceBytes) bind(c, name='xptsvBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, d, e, B, info, workspace
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sptsvBatch(handle, layout, n, nrhs, batch, d, e, ldt, B, ldb, &
            info, workspace, workspaceBytes) bind(c, name='sptsvBatch')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_float), intent(in) :: d(*)
            real(c_float), intent(in) :: e(*)
            real(c_float), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dptsvBatch(handle, layout, n, nrhs, batch, d, e, ldt, B, ldb, &
            info, workspace, workspaceBytes) bind(c, name='dptsvBatch')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_double), intent(in) :: d(*)
            real(c_double), intent(in) :: e(*)
            real(c_double), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cptsvBatch(handle, layout, n, nrhs, batch, d, e, ldt, B, ldb, &
            info, workspace, workspaceBytes) bind(c, name='cptsvBatch')
            import :: c_float, c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_float), intent(in) :: d(*)
            complex(c_float_complex), intent(in) :: e(*)
            complex(c_float_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zptsvBatch(handle, layout, n, nrhs, batch, d, e, ldt, B, ldb, &
            info, workspace, workspaceBytes) bind(c, name='zptsvBatch')
            import :: c_double, c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, ldt, ldb
            real(c_double), intent(in) :: d(*)
            complex(c_double_complex), intent(in) :: e(*)
            complex(c_double_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xptsvBatch_bufferSize(handle, type, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='xptsvBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sptsvBatch_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='sptsvBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dptsvBatch_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='dptsvBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cptsvBatch_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='cptsvBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zptsvBatch_bufferSize(handle, layout, n, nrhs, batch, &
            workspaceBytes) bind(c, name='zptsvBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xpttrfBatch(handle, type, layout, n, batch, d, e, ldt, factors, &
            logdet, info, workspace, workspaceBytes) bind(c, name='xpttrfBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, d, e, factors, logdet, info, workspace
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, batch, ldt
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function spttrfBatch(handle, layout, n, batch, d, e, ldt, factors, &
            logdet, info, workspace, workspaceBytes) bind(c, name='spttrfBatch')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch, ldt
            real(c_float), intent(in) :: d(*)
            real(c_float), intent(in) :: e(*)
            real(c_float), intent(inout), optional :: logdet(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dpttrfBatch(handle, layout, n, batch, d, e, ldt, factors, &
            logdet, info, workspace, workspaceBytes) bind(c, name='dpttrfBatch')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch, ldt
            real(c_double), intent(in) :: d(*)
            real(c_double), intent(in) :: e(*)
            real(c_double), intent(inout), optional :: logdet(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cpttrfBatch(handle, layout, n, batch, d, e, ldt, factors, &
            logdet, info, workspace, workspaceBytes) bind(c, name='cpttrfBatch')
            import :: c_float, c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch, ldt
            real(c_float), intent(in) :: d(*)
            complex(c_float_complex), intent(in) :: e(*)
            real(c_float), intent(inout), optional :: logdet(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zpttrfBatch(handle, layout, n, batch, d, e, ldt, factors, &
            logdet, info, workspace, workspaceBytes) bind(c, name='zpttrfBatch')
            import :: c_double, c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch, ldt
            real(c_double), intent(in) :: d(*)
            complex(c_double_complex), intent(in) :: e(*)
            real(c_double), intent(inout), optional :: logdet(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xpttrfBatch_bufferSize(handle, type, layout, n, batch, &
            factorBytes, workspaceBytes) bind(c, name='xpttrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: factorBytes, workspaceBytes
        end function

        integer(c_int) function spttrfBatch_bufferSize(handle, layout, n, batch, factorBytes, &
            workspaceBytes) bind(c, name='spttrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: factorBytes, workspaceBytes
        end function

        integer(c_int) function dpttrfBatch_bufferSize(handle, layout, n, batch, factorBytes, &
            workspaceBytes) bind(c, name='dpttrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: factorBytes, workspaceBytes
        end function

        integer(c_int) function cpttrfBatch_bufferSize(handle, layout, n, batch, factorBytes, &
            workspaceBytes) bind(c, name='cpttrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: factorBytes, workspaceBytes
        end function

        integer(c_int) function zpttrfBatch_bufferSize(handle, layout, n, batch, factorBytes, &
            workspaceBytes) bind(c, name='zpttrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, batch
            integer(c_size_t), intent(out) :: factorBytes, workspaceBytes
        end function

        integer(c_int) function xpttrsBatch(handle, type, layout, n, nrhs, batch, sets, &
            factors, B, ldb, workspace, workspaceBytes) bind(c, name='xpttrsBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, B, workspace
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets, ldb
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function spttrsBatch(handle, layout, n, nrhs, batch, sets, factors, B, &
            ldb, workspace, workspaceBytes) bind(c, name='spttrsBatch')
            import :: c_float, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets, ldb
            real(c_float), intent(inout) :: B(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dpttrsBatch(handle, layout, n, nrhs, batch, sets, factors, B, &
            ldb, workspace, workspaceBytes) bind(c, name='dpttrsBatch')
            import :: c_double, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets, ldb
            real(c_double), intent(inout) :: B(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cpttrsBatch(handle, layout, n, nrhs, batch, sets, factors, B, &
            ldb, workspace, workspaceBytes) bind(c, name='cpttrsBatch')
            import :: c_float_complex, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets, ldb
            complex(c_float_complex), intent(inout) :: B(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zpttrsBatch(handle, layout, n, nrhs, batch, sets, factors, B, &
            ldb, workspace, workspaceBytes) bind(c, name='zpttrsBatch')
            import :: c_double_complex, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, factors, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets, ldb
            complex(c_double_complex), intent(inout) :: B(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xpttrsBatch_bufferSize(handle, type, layout, n, nrhs, batch, &
            sets, workspaceBytes) bind(c, name='xpttrsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function spttrsBatch_bufferSize(handle, layout, n, nrhs, batch, sets, &
            workspaceBytes) bind(c, name='spttrsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dpttrsBatch_bufferSize(handle, layout, n, nrhs, batch, sets, &
            workspaceBytes) bind(c, name='dpttrsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cpttrsBatch_bufferSize(handle, layout, n, nrhs, batch, sets, &
            workspaceBytes) bind(c, name='cpttrsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zpttrsBatch_bufferSize(handle, layout, n, nrhs, batch, sets, &
            workspaceBytes) bind(c, name='zpttrsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: n, nrhs, batch, sets
            integer(c_size_t), intent(out) :: workspaceBytes
        end function
    end interface

    ! tridiagonal_vbatch.h
    interface
        integer(c_int) function xgtsvVBatch(handle, type, nrhs, batch, maxn, offsets, dl, d, du, &
            B, ldb, info, workspace, workspaceBytes) bind(c, name='xgtsvVBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, offsets, dl, d, du, B, info, workspace
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: nrhs, batch, maxn, ldb
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgtsvVBatch(handle, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, &
            info, workspace, workspaceBytes) bind(c, name='sgtsvVBatch')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int64_t), value, intent(in) :: nrhs, batch, maxn, ldb
            integer(c_int64_t), intent(in) :: offsets(*)
            real(c_float), intent(in) :: dl(*), d(*), du(*)
            real(c_float), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgtsvVBatch(handle, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, &
            info, workspace, workspaceBytes) bind(c, name='dgtsvVBatch')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int64_t), value, intent(in) :: nrhs, batch, maxn, ldb
            integer(c_int64_t), intent(in) :: offsets(*)
            real(c_double), intent(in) :: dl(*), d(*), du(*)
            real(c_double), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgtsvVBatch(handle, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, &
            info, workspace, workspaceBytes) bind(c, name='cgtsvVBatch')
            import :: c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int64_t), value, intent(in) :: nrhs, batch, maxn, ldb
            integer(c_int64_t), intent(in) :: offsets(*)
            complex(c_float_complex), intent(in) :: dl(*), d(*), du(*)
            complex(c_float_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgtsvVBatch(handle, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, &
            info, workspace, workspaceBytes) bind(c, name='zgtsvVBatch')
            import :: c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int64_t), value, intent(in) :: nrhs, batch, maxn, ldb
            integer(c_int64_t), intent(in) :: offsets(*)
            complex(c_double_complex), intent(in) :: dl(*), d(*), du(*)
            complex(c_double_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgtsvVBatch_bufferSize(handle, type, nrhs, batch, maxn, &
            workspaceBytes) bind(c, name='xgtsvVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: nrhs, batch, maxn
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgtsvVBatch_bufferSize(handle, nrhs, batch, maxn, &
            workspaceBytes) bind(c, name='sgtsvVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: nrhs, batch, maxn
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgtsvVBatch_bufferSize(handle, nrhs, batch, maxn, &
            workspaceBytes) bind(c, name='dgtsvVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: nrhs, batch, maxn
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgtsvVBatch_bufferSize(handle, nrhs, batch, maxn, &
            workspaceBytes) bind(c, name='cgtsvVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: nrhs, batch, maxn
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgtsvVBatch_bufferSize(handle, nrhs, batch, maxn, &
            workspaceBytes) bind(c, name='zgtsvVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: nrhs, batch, maxn
            integer(c_size_t), intent(out) :: workspaceBytes
        end function
    end interface

    ! hines.h
    interface
        integer(c_int) function xhinesOrder(handle, n, parent, indexBase, flags, order, ordered) &
            bind(c, name='xhinesOrder')
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: n
            integer(c_int32_t), intent(in) :: parent(*)
            integer(c_int), value, intent(in) :: indexBase, flags
            integer(c_int32_t), intent(inout) :: order(*)
            integer(c_int32_t), intent(inout), optional :: ordered(*)
        end function

        integer(c_int) function xhinesCreatePlan(handle, morphologies, offsets, parent, indexBase, &
            flags, batch, morph, plan) bind(c, name='xhinesCreatePlan')
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: morphologies, batch
            integer(c_int64_t), intent(in) :: offsets(*)
            integer(c_int32_t), intent(in) :: parent(*)
            integer(c_int), value, intent(in) :: indexBase, flags
            integer(c_int32_t), intent(in), optional :: morph(*)
            type(c_ptr), intent(out) :: plan
        end function

        integer(c_int) function xhinesDestroyPlan(plan) bind(c, name='xhinesDestroyPlan')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: plan
        end function

        integer(c_int) function xhinesSetAlgorithm(handle, plan, algorithm) &
            bind(c, name='xhinesSetAlgorithm')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, plan
            integer(c_int), value, intent(in) :: algorithm
        end function

        integer(c_int) function xhinesGetPlacement(handle, plan, layout, nrhs, batch, ld, first, &
            step, extent) bind(c, name='xhinesGetPlacement')
            import :: c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, plan
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: nrhs, batch, ld
            integer(c_int64_t), intent(inout), optional :: first(*), step(*)
            integer(c_int64_t), intent(inout), optional :: extent
        end function

        integer(c_int) function xhinesBatch(handle, type, layout, op, plan, nrhs, batch, u, l, &
            ldul, d, ldd, B, ldb, info, workspace, workspaceBytes) bind(c, name='xhinesBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, plan, u, l, d, B, info, workspace
            integer(c_int), value, intent(in) :: type, layout, op
            integer(c_int64_t), value, intent(in) :: nrhs, batch, ldul, ldd, ldb
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function shinesBatch(handle, layout, op, plan, nrhs, batch, u, l, ldul, &
            d, ldd, B, ldb, info, workspace, workspaceBytes) bind(c, name='shinesBatch')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, plan, workspace
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: nrhs, batch, ldul, ldd, ldb
            real(c_float), intent(in) :: u(*), l(*), d(*)
            real(c_float), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dhinesBatch(handle, layout, op, plan, nrhs, batch, u, l, ldul, &
            d, ldd, B, ldb, info, workspace, workspaceBytes) bind(c, name='dhinesBatch')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, plan, workspace
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: nrhs, batch, ldul, ldd, ldb
            real(c_double), intent(in) :: u(*), l(*), d(*)
            real(c_double), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function chinesBatch(handle, layout, op, plan, nrhs, batch, u, l, ldul, &
            d, ldd, B, ldb, info, workspace, workspaceBytes) bind(c, name='chinesBatch')
            import :: c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, plan, workspace
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: nrhs, batch, ldul, ldd, ldb
            complex(c_float_complex), intent(in) :: u(*), l(*), d(*)
            complex(c_float_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zhinesBatch(handle, layout, op, plan, nrhs, batch, u, l, ldul, &
            d, ldd, B, ldb, info, workspace, workspaceBytes) bind(c, name='zhinesBatch')
            import :: c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, plan, workspace
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: nrhs, batch, ldul, ldd, ldb
            complex(c_double_complex), intent(in) :: u(*), l(*), d(*)
            complex(c_double_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xhinesBatch_bufferSize(handle, type, layout, op, plan, nrhs, &
            batch, workspaceBytes) bind(c, name='xhinesBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, plan
            integer(c_int), value, intent(in) :: type, layout, op
            integer(c_int64_t), value, intent(in) :: nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function shinesBatch_bufferSize(handle, layout, op, plan, nrhs, batch, &
            workspaceBytes) bind(c, name='shinesBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, plan
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dhinesBatch_bufferSize(handle, layout, op, plan, nrhs, batch, &
            workspaceBytes) bind(c, name='dhinesBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, plan
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function chinesBatch_bufferSize(handle, layout, op, plan, nrhs, batch, &
            workspaceBytes) bind(c, name='chinesBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, plan
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zhinesBatch_bufferSize(handle, layout, op, plan, nrhs, batch, &
            workspaceBytes) bind(c, name='zhinesBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, plan
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xhinesBatchMg(devices, handles, type, layout, op, plans, nrhs, &
            batch, u, l, ldul, d, ldd, B, ldb, info, workspace, workspaceBytes) &
            bind(c, name='xhinesBatchMg')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            integer(c_int), value, intent(in) :: devices, type, layout, op
            type(c_ptr), intent(in) :: handles(*), plans(*), u(*), l(*), d(*), B(*), workspace(*)
            integer(c_int64_t), value, intent(in) :: nrhs
            integer(c_int64_t), intent(in) :: batch(*), ldul(*), ldd(*), ldb(*)
            type(c_ptr), intent(in), optional :: info(*)
            integer(c_size_t), intent(in) :: workspaceBytes(*)
        end function
    end interface

    ! task_graph.h
    !
    ! A body is a function with bind(c): integer(c_int) of args and user, both type(c_ptr), value, and
    ! worker, integer(c_int), value. c_funloc makes its entry in bodies. path and names end with
    ! c_null_char.
    interface
        integer(c_int) function xbatchTaskGraphCreate(handle, graph) &
            bind(c, name='xbatchTaskGraphCreate')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle
            type(c_ptr), intent(out) :: graph
        end function

        integer(c_int) function xbatchTaskGraphDestroy(graph) bind(c, name='xbatchTaskGraphDestroy')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: graph
        end function

        integer(c_int) function xbatchTaskGraphAddTask(handle, graph, type, args, argBytes, cost, &
            task) bind(c, name='xbatchTaskGraphAddTask')
            import :: c_double, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph, args
            integer(c_int), value, intent(in) :: type
            integer(c_size_t), value, intent(in) :: argBytes
            real(c_double), value, intent(in) :: cost
            integer(c_int64_t), intent(out), optional :: task
        end function

        integer(c_int) function xbatchTaskGraphAddDependency(handle, graph, before, after) &
            bind(c, name='xbatchTaskGraphAddDependency')
            import :: c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph
            integer(c_int64_t), value, intent(in) :: before, after
        end function

        integer(c_int) function xbatchTaskGraphAddAccess(handle, graph, task, resource, access) &
            bind(c, name='xbatchTaskGraphAddAccess')
            import :: c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph
            integer(c_int64_t), value, intent(in) :: task, resource
            integer(c_int), value, intent(in) :: access
        end function

        integer(c_int) function xbatchTaskGraphFinalize(handle, graph) &
            bind(c, name='xbatchTaskGraphFinalize')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph
        end function

        integer(c_int) function xbatchTaskGraphGetStatistics(handle, graph, tasks, edges, levels, &
            width, totalCost, criticalPath) bind(c, name='xbatchTaskGraphGetStatistics')
            import :: c_double, c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph
            integer(c_int64_t), intent(out), optional :: tasks, edges, levels, width
            real(c_double), intent(out), optional :: totalCost, criticalPath
        end function

        integer(c_int) function xbatchTaskGraphRun(handle, graph, bodies, types, user) &
            bind(c, name='xbatchTaskGraphRun')
            import :: c_funptr, c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph, user
            type(c_funptr), intent(in) :: bodies(*)
            integer(c_int), value, intent(in) :: types
        end function

        integer(c_int) function xbatchTaskGraphGetFailure(handle, graph, task, code) &
            bind(c, name='xbatchTaskGraphGetFailure')
            import :: c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph
            integer(c_int64_t), intent(out), optional :: task
            integer(c_int), intent(out), optional :: code
        end function

        integer(c_int) function xbatchTaskGraphSetTrace(handle, graph, enabled) &
            bind(c, name='xbatchTaskGraphSetTrace')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph
            integer(c_int), value, intent(in) :: enabled
        end function

        integer(c_int) function xbatchTaskGraphWriteTrace(handle, graph, path, names, types) &
            bind(c, name='xbatchTaskGraphWriteTrace')
            import :: c_char, c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph
            character(kind=c_char), intent(in) :: path(*)
            type(c_ptr), intent(in), optional :: names(*)
            integer(c_int), value, intent(in) :: types
        end function

        integer(c_int) function xbatchTaskGraphUpload_bufferSize(handle, graph, imageBytes) &
            bind(c, name='xbatchTaskGraphUpload_bufferSize')
            import :: c_int, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph
            integer(c_size_t), intent(out) :: imageBytes
        end function

        integer(c_int) function xbatchTaskGraphUpload(handle, graph, image, imageBytes) bind(c, &
            name='xbatchTaskGraphUpload')
            import :: c_int, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph, image
            integer(c_size_t), value, intent(in) :: imageBytes
        end function

        integer(c_int) function xbatchTaskGraphPrepare(handle, graph, image, types, count) &
            bind(c, name='xbatchTaskGraphPrepare')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph, image
            integer(c_int), intent(in) :: types(*)
            integer(c_int), value, intent(in) :: count
        end function

        integer(c_int) function xbatchTaskGraphSynchronize(handle, graph, image) bind(c, &
            name='xbatchTaskGraphSynchronize')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph, image
        end function
    end interface

    ! task_tiles.h
    !
    ! A, B and C are addresses, c_loc of the first element of a tile or a device address, for a
    ! graph keeps them until it runs.
    interface
        integer(c_int) function xbatchTaskGraphAddCopy(handle, graph, type, m, n, A, lda, B, ldb, &
            task) bind(c, name='xbatchTaskGraphAddCopy')
            import :: c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph, A, B
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: m, n, lda, ldb
            integer(c_int64_t), intent(out), optional :: task
        end function

        integer(c_int) function xbatchTaskGraphAddSet(handle, graph, type, m, n, offdiag, diag, &
            A, lda, task) bind(c, name='xbatchTaskGraphAddSet')
            import :: c_double, c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph, A
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: m, n, lda
            real(c_double), value, intent(in) :: offdiag, diag
            integer(c_int64_t), intent(out), optional :: task
        end function

        integer(c_int) function xbatchTaskGraphAddAxpy(handle, graph, type, m, n, alpha, A, lda, &
            B, ldb, task) bind(c, name='xbatchTaskGraphAddAxpy')
            import :: c_double, c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph, A, B
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: m, n, lda, ldb
            real(c_double), value, intent(in) :: alpha
            integer(c_int64_t), intent(out), optional :: task
        end function

        integer(c_int) function xbatchTaskGraphAddGemm(handle, graph, type, opA, opB, m, n, k, &
            alpha, A, lda, B, ldb, beta, C, ldc, task) bind(c, name='xbatchTaskGraphAddGemm')
            import :: c_double, c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph, A, B, C
            integer(c_int), value, intent(in) :: type, opA, opB
            integer(c_int64_t), value, intent(in) :: m, n, k, lda, ldb, ldc
            real(c_double), value, intent(in) :: alpha, beta
            integer(c_int64_t), intent(out), optional :: task
        end function

        integer(c_int) function xbatchTaskGraphAddHerk(handle, graph, type, uplo, op, n, k, &
            alpha, A, lda, beta, C, ldc, task) bind(c, name='xbatchTaskGraphAddHerk')
            import :: c_double, c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph, A, C
            integer(c_int), value, intent(in) :: type, uplo, op
            integer(c_int64_t), value, intent(in) :: n, k, lda, ldc
            real(c_double), value, intent(in) :: alpha, beta
            integer(c_int64_t), intent(out), optional :: task
        end function

        integer(c_int) function xbatchTaskGraphAddTrsm(handle, graph, type, side, uplo, op, diag, &
            m, n, alpha, A, lda, B, ldb, task) bind(c, name='xbatchTaskGraphAddTrsm')
            import :: c_double, c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph, A, B
            integer(c_int), value, intent(in) :: type, side, uplo, op, diag
            integer(c_int64_t), value, intent(in) :: m, n, lda, ldb
            real(c_double), value, intent(in) :: alpha
            integer(c_int64_t), intent(out), optional :: task
        end function

        integer(c_int) function xbatchTaskGraphAddPotrf(handle, graph, type, uplo, n, A, lda, &
            task) bind(c, name='xbatchTaskGraphAddPotrf')
            import :: c_int, c_int64_t, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph, A
            integer(c_int), value, intent(in) :: type, uplo
            integer(c_int64_t), value, intent(in) :: n, lda
            integer(c_int64_t), intent(out), optional :: task
        end function

        integer(c_int) function xbatchTaskGraphRunTiles(handle, graph, image) bind(c, &
            name='xbatchTaskGraphRunTiles')
            import :: c_int, c_ptr
            implicit none
            type(c_ptr), value, intent(in) :: handle, graph, image
        end function
    end interface

    ! qr.h
    interface
        integer(c_int) function xgeqrtTiled_defaults(handle, type, m, n, config) &
            bind(c, name='xgeqrtTiled_defaults')
            import :: c_int, c_int64_t, c_ptr, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: m, n
            type(xbatchTiledConfig_t), intent(out) :: config
        end function

        integer(c_int) function xgeqrtTiled(handle, type, m, n, config, A, lda, T, info, &
            workspace, workspaceBytes) bind(c, name='xgeqrtTiled')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, A, T, info, workspace
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: m, n, lda
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgeqrtTiled(handle, m, n, config, A, lda, T, info, workspace, &
            workspaceBytes) bind(c, name='sgeqrtTiled')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, T, workspace
            integer(c_int64_t), value, intent(in) :: m, n, lda
            type(xbatchTiledConfig_t), intent(in), optional :: config
            real(c_float), intent(inout) :: A(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgeqrtTiled(handle, m, n, config, A, lda, T, info, workspace, &
            workspaceBytes) bind(c, name='dgeqrtTiled')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, T, workspace
            integer(c_int64_t), value, intent(in) :: m, n, lda
            type(xbatchTiledConfig_t), intent(in), optional :: config
            real(c_double), intent(inout) :: A(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgeqrtTiled(handle, m, n, config, A, lda, T, info, workspace, &
            workspaceBytes) bind(c, name='cgeqrtTiled')
            import :: c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, &
                xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, T, workspace
            integer(c_int64_t), value, intent(in) :: m, n, lda
            type(xbatchTiledConfig_t), intent(in), optional :: config
            complex(c_float_complex), intent(inout) :: A(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgeqrtTiled(handle, m, n, config, A, lda, T, info, workspace, &
            workspaceBytes) bind(c, name='zgeqrtTiled')
            import :: c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, &
                xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, T, workspace
            integer(c_int64_t), value, intent(in) :: m, n, lda
            type(xbatchTiledConfig_t), intent(in), optional :: config
            complex(c_double_complex), intent(inout) :: A(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgeqrtTiled_bufferSize(handle, type, m, n, config, tBytes, &
            workspaceBytes) bind(c, name='xgeqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: m, n
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: tBytes, workspaceBytes
        end function

        integer(c_int) function sgeqrtTiled_bufferSize(handle, m, n, config, tBytes, &
            workspaceBytes) bind(c, name='sgeqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: m, n
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: tBytes, workspaceBytes
        end function

        integer(c_int) function dgeqrtTiled_bufferSize(handle, m, n, config, tBytes, &
            workspaceBytes) bind(c, name='dgeqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: m, n
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: tBytes, workspaceBytes
        end function

        integer(c_int) function cgeqrtTiled_bufferSize(handle, m, n, config, tBytes, &
            workspaceBytes) bind(c, name='cgeqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: m, n
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: tBytes, workspaceBytes
        end function

        integer(c_int) function zgeqrtTiled_bufferSize(handle, m, n, config, tBytes, &
            workspaceBytes) bind(c, name='zgeqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: m, n
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: tBytes, workspaceBytes
        end function

        integer(c_int) function xgemqrtTiled(handle, type, side, op, m, n, k, config, A, lda, T, &
            C, ldc, info, workspace, workspaceBytes) bind(c, name='xgemqrtTiled')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, A, T, C, info, workspace
            integer(c_int), value, intent(in) :: type, side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, lda, ldc
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgemqrtTiled(handle, side, op, m, n, k, config, A, lda, T, C, &
            ldc, info, workspace, workspaceBytes) bind(c, name='sgemqrtTiled')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, T, workspace
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, lda, ldc
            type(xbatchTiledConfig_t), intent(in), optional :: config
            real(c_float), intent(in) :: A(*)
            real(c_float), intent(inout) :: C(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgemqrtTiled(handle, side, op, m, n, k, config, A, lda, T, C, &
            ldc, info, workspace, workspaceBytes) bind(c, name='dgemqrtTiled')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, T, workspace
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, lda, ldc
            type(xbatchTiledConfig_t), intent(in), optional :: config
            real(c_double), intent(in) :: A(*)
            real(c_double), intent(inout) :: C(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgemqrtTiled(handle, side, op, m, n, k, config, A, lda, T, C, &
            ldc, info, workspace, workspaceBytes) bind(c, name='cgemqrtTiled')
            import :: c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, &
                xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, T, workspace
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, lda, ldc
            type(xbatchTiledConfig_t), intent(in), optional :: config
            complex(c_float_complex), intent(in) :: A(*)
            complex(c_float_complex), intent(inout) :: C(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgemqrtTiled(handle, side, op, m, n, k, config, A, lda, T, C, &
            ldc, info, workspace, workspaceBytes) bind(c, name='zgemqrtTiled')
            import :: c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, &
                xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, T, workspace
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, lda, ldc
            type(xbatchTiledConfig_t), intent(in), optional :: config
            complex(c_double_complex), intent(in) :: A(*)
            complex(c_double_complex), intent(inout) :: C(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgemqrtTiled_bufferSize(handle, type, side, op, m, n, k, config, &
            workspaceBytes) bind(c, name='xgemqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, side, op
            integer(c_int64_t), value, intent(in) :: m, n, k
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgemqrtTiled_bufferSize(handle, side, op, m, n, k, config, &
            workspaceBytes) bind(c, name='sgemqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: m, n, k
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgemqrtTiled_bufferSize(handle, side, op, m, n, k, config, &
            workspaceBytes) bind(c, name='dgemqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: m, n, k
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgemqrtTiled_bufferSize(handle, side, op, m, n, k, config, &
            workspaceBytes) bind(c, name='cgemqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: m, n, k
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgemqrtTiled_bufferSize(handle, side, op, m, n, k, config, &
            workspaceBytes) bind(c, name='zgemqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: m, n, k
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xungqrtTiled(handle, type, m, n, k, config, A, lda, T, Q, ldq, &
            info, workspace, workspaceBytes) bind(c, name='xungqrtTiled')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, A, T, Q, info, workspace
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: m, n, k, lda, ldq
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sungqrtTiled(handle, m, n, k, config, A, lda, T, Q, ldq, info, &
            workspace, workspaceBytes) bind(c, name='sungqrtTiled')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, T, workspace
            integer(c_int64_t), value, intent(in) :: m, n, k, lda, ldq
            type(xbatchTiledConfig_t), intent(in), optional :: config
            real(c_float), intent(in) :: A(*)
            real(c_float), intent(inout) :: Q(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dungqrtTiled(handle, m, n, k, config, A, lda, T, Q, ldq, info, &
            workspace, workspaceBytes) bind(c, name='dungqrtTiled')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, T, workspace
            integer(c_int64_t), value, intent(in) :: m, n, k, lda, ldq
            type(xbatchTiledConfig_t), intent(in), optional :: config
            real(c_double), intent(in) :: A(*)
            real(c_double), intent(inout) :: Q(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cungqrtTiled(handle, m, n, k, config, A, lda, T, Q, ldq, info, &
            workspace, workspaceBytes) bind(c, name='cungqrtTiled')
            import :: c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, &
                xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, T, workspace
            integer(c_int64_t), value, intent(in) :: m, n, k, lda, ldq
            type(xbatchTiledConfig_t), intent(in), optional :: config
            complex(c_float_complex), intent(in) :: A(*)
            complex(c_float_complex), intent(inout) :: Q(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zungqrtTiled(handle, m, n, k, config, A, lda, T, Q, ldq, info, &
            workspace, workspaceBytes) bind(c, name='zungqrtTiled')
            import :: c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, &
                xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, T, workspace
            integer(c_int64_t), value, intent(in) :: m, n, k, lda, ldq
            type(xbatchTiledConfig_t), intent(in), optional :: config
            complex(c_double_complex), intent(in) :: A(*)
            complex(c_double_complex), intent(inout) :: Q(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xungqrtTiled_bufferSize(handle, type, m, n, k, config, &
            workspaceBytes) bind(c, name='xungqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: m, n, k
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sungqrtTiled_bufferSize(handle, m, n, k, config, &
            workspaceBytes) bind(c, name='sungqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: m, n, k
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dungqrtTiled_bufferSize(handle, m, n, k, config, &
            workspaceBytes) bind(c, name='dungqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: m, n, k
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cungqrtTiled_bufferSize(handle, m, n, k, config, &
            workspaceBytes) bind(c, name='cungqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: m, n, k
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zungqrtTiled_bufferSize(handle, m, n, k, config, &
            workspaceBytes) bind(c, name='zungqrtTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: m, n, k
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xgelsTiled(handle, type, op, m, n, nrhs, config, A, lda, B, ldb, &
            info, workspace, workspaceBytes) bind(c, name='xgelsTiled')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, A, B, info, workspace
            integer(c_int), value, intent(in) :: type, op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, lda, ldb
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgelsTiled(handle, op, m, n, nrhs, config, A, lda, B, ldb, info, &
            workspace, workspaceBytes) bind(c, name='sgelsTiled')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, lda, ldb
            type(xbatchTiledConfig_t), intent(in), optional :: config
            real(c_float), intent(inout) :: A(*), B(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgelsTiled(handle, op, m, n, nrhs, config, A, lda, B, ldb, info, &
            workspace, workspaceBytes) bind(c, name='dgelsTiled')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, lda, ldb
            type(xbatchTiledConfig_t), intent(in), optional :: config
            real(c_double), intent(inout) :: A(*), B(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgelsTiled(handle, op, m, n, nrhs, config, A, lda, B, ldb, info, &
            workspace, workspaceBytes) bind(c, name='cgelsTiled')
            import :: c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, &
                xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, lda, ldb
            type(xbatchTiledConfig_t), intent(in), optional :: config
            complex(c_float_complex), intent(inout) :: A(*), B(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgelsTiled(handle, op, m, n, nrhs, config, A, lda, B, ldb, info, &
            workspace, workspaceBytes) bind(c, name='zgelsTiled')
            import :: c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, &
                xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, lda, ldb
            type(xbatchTiledConfig_t), intent(in), optional :: config
            complex(c_double_complex), intent(inout) :: A(*), B(*)
            integer(c_int32_t), intent(inout), optional :: info
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgelsTiled_bufferSize(handle, type, op, m, n, nrhs, config, &
            workspaceBytes) bind(c, name='xgelsTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgelsTiled_bufferSize(handle, op, m, n, nrhs, config, &
            workspaceBytes) bind(c, name='sgelsTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgelsTiled_bufferSize(handle, op, m, n, nrhs, config, &
            workspaceBytes) bind(c, name='dgelsTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgelsTiled_bufferSize(handle, op, m, n, nrhs, config, &
            workspaceBytes) bind(c, name='cgelsTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgelsTiled_bufferSize(handle, op, m, n, nrhs, config, &
            workspaceBytes) bind(c, name='zgelsTiled_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t, xbatchTiledConfig_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs
            type(xbatchTiledConfig_t), intent(in), optional :: config
            integer(c_size_t), intent(out) :: workspaceBytes
        end function
    end interface

    ! qr_batch.h
    interface
        integer(c_int) function xgeqrfBatch(handle, type, layout, m, n, batch, A, lda, strideA, &
            tau, ldtau, info, workspace, workspaceBytes) bind(c, name='xgeqrfBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, A, tau, info, workspace
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: m, n, batch, lda, strideA, ldtau
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgeqrfBatch(handle, layout, m, n, batch, A, lda, strideA, tau, &
            ldtau, info, workspace, workspaceBytes) bind(c, name='sgeqrfBatch')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, batch, lda, strideA, ldtau
            real(c_float), intent(inout) :: A(*), tau(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgeqrfBatch(handle, layout, m, n, batch, A, lda, strideA, tau, &
            ldtau, info, workspace, workspaceBytes) bind(c, name='dgeqrfBatch')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, batch, lda, strideA, ldtau
            real(c_double), intent(inout) :: A(*), tau(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgeqrfBatch(handle, layout, m, n, batch, A, lda, strideA, tau, &
            ldtau, info, workspace, workspaceBytes) bind(c, name='cgeqrfBatch')
            import :: c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, batch, lda, strideA, ldtau
            complex(c_float_complex), intent(inout) :: A(*), tau(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgeqrfBatch(handle, layout, m, n, batch, A, lda, strideA, tau, &
            ldtau, info, workspace, workspaceBytes) bind(c, name='zgeqrfBatch')
            import :: c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, batch, lda, strideA, ldtau
            complex(c_double_complex), intent(inout) :: A(*), tau(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgeqrfBatch_bufferSize(handle, type, layout, m, n, batch, &
            workspaceBytes) bind(c, name='xgeqrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: m, n, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgeqrfBatch_bufferSize(handle, layout, m, n, batch, &
            workspaceBytes) bind(c, name='sgeqrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgeqrfBatch_bufferSize(handle, layout, m, n, batch, &
            workspaceBytes) bind(c, name='dgeqrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgeqrfBatch_bufferSize(handle, layout, m, n, batch, &
            workspaceBytes) bind(c, name='cgeqrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgeqrfBatch_bufferSize(handle, layout, m, n, batch, &
            workspaceBytes) bind(c, name='zgeqrfBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xunmqrBatch(handle, type, layout, side, op, m, n, k, batch, A, &
            lda, strideA, tau, ldtau, C, ldc, strideC, workspace, workspaceBytes) bind(c, &
            name='xunmqrBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, A, tau, C, workspace
            integer(c_int), value, intent(in) :: type, layout, side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, batch, lda, strideA, ldtau, ldc, &
                strideC
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sormqrBatch(handle, layout, side, op, m, n, k, batch, A, lda, &
            strideA, tau, ldtau, C, ldc, strideC, workspace, workspaceBytes) bind(c, &
            name='sormqrBatch')
            import :: c_float, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout, side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, batch, lda, strideA, ldtau, ldc, &
                strideC
            real(c_float), intent(in) :: A(*), tau(*)
            real(c_float), intent(inout) :: C(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dormqrBatch(handle, layout, side, op, m, n, k, batch, A, lda, &
            strideA, tau, ldtau, C, ldc, strideC, workspace, workspaceBytes) bind(c, &
            name='dormqrBatch')
            import :: c_double, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout, side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, batch, lda, strideA, ldtau, ldc, &
                strideC
            real(c_double), intent(in) :: A(*), tau(*)
            real(c_double), intent(inout) :: C(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cunmqrBatch(handle, layout, side, op, m, n, k, batch, A, lda, &
            strideA, tau, ldtau, C, ldc, strideC, workspace, workspaceBytes) bind(c, &
            name='cunmqrBatch')
            import :: c_float_complex, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout, side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, batch, lda, strideA, ldtau, ldc, &
                strideC
            complex(c_float_complex), intent(in) :: A(*), tau(*)
            complex(c_float_complex), intent(inout) :: C(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zunmqrBatch(handle, layout, side, op, m, n, k, batch, A, lda, &
            strideA, tau, ldtau, C, ldc, strideC, workspace, workspaceBytes) bind(c, &
            name='zunmqrBatch')
            import :: c_double_complex, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout, side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, batch, lda, strideA, ldtau, ldc, &
                strideC
            complex(c_double_complex), intent(in) :: A(*), tau(*)
            complex(c_double_complex), intent(inout) :: C(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xunmqrBatch_bufferSize(handle, type, layout, side, op, m, n, k, &
            batch, workspaceBytes) bind(c, name='xunmqrBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout, side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sormqrBatch_bufferSize(handle, layout, side, op, m, n, k, batch, &
            workspaceBytes) bind(c, name='sormqrBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dormqrBatch_bufferSize(handle, layout, side, op, m, n, k, batch, &
            workspaceBytes) bind(c, name='dormqrBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cunmqrBatch_bufferSize(handle, layout, side, op, m, n, k, batch, &
            workspaceBytes) bind(c, name='cunmqrBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zunmqrBatch_bufferSize(handle, layout, side, op, m, n, k, batch, &
            workspaceBytes) bind(c, name='zunmqrBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, side, op
            integer(c_int64_t), value, intent(in) :: m, n, k, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xungqrBatch(handle, type, layout, m, n, k, batch, A, lda, strideA, &
            tau, ldtau, workspace, workspaceBytes) bind(c, name='xungqrBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, A, tau, workspace
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: m, n, k, batch, lda, strideA, ldtau
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sorgqrBatch(handle, layout, m, n, k, batch, A, lda, strideA, tau, &
            ldtau, workspace, workspaceBytes) bind(c, name='sorgqrBatch')
            import :: c_float, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, k, batch, lda, strideA, ldtau
            real(c_float), intent(in) :: tau(*)
            real(c_float), intent(inout) :: A(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dorgqrBatch(handle, layout, m, n, k, batch, A, lda, strideA, tau, &
            ldtau, workspace, workspaceBytes) bind(c, name='dorgqrBatch')
            import :: c_double, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, k, batch, lda, strideA, ldtau
            real(c_double), intent(in) :: tau(*)
            real(c_double), intent(inout) :: A(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cungqrBatch(handle, layout, m, n, k, batch, A, lda, strideA, tau, &
            ldtau, workspace, workspaceBytes) bind(c, name='cungqrBatch')
            import :: c_float_complex, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, k, batch, lda, strideA, ldtau
            complex(c_float_complex), intent(in) :: tau(*)
            complex(c_float_complex), intent(inout) :: A(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zungqrBatch(handle, layout, m, n, k, batch, A, lda, strideA, tau, &
            ldtau, workspace, workspaceBytes) bind(c, name='zungqrBatch')
            import :: c_double_complex, c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, k, batch, lda, strideA, ldtau
            complex(c_double_complex), intent(in) :: tau(*)
            complex(c_double_complex), intent(inout) :: A(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xungqrBatch_bufferSize(handle, type, layout, m, n, k, batch, &
            workspaceBytes) bind(c, name='xungqrBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout
            integer(c_int64_t), value, intent(in) :: m, n, k, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sorgqrBatch_bufferSize(handle, layout, m, n, k, batch, &
            workspaceBytes) bind(c, name='sorgqrBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, k, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dorgqrBatch_bufferSize(handle, layout, m, n, k, batch, &
            workspaceBytes) bind(c, name='dorgqrBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, k, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cungqrBatch_bufferSize(handle, layout, m, n, k, batch, &
            workspaceBytes) bind(c, name='cungqrBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, k, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zungqrBatch_bufferSize(handle, layout, m, n, k, batch, &
            workspaceBytes) bind(c, name='zungqrBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout
            integer(c_int64_t), value, intent(in) :: m, n, k, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xgelsBatch(handle, type, layout, op, m, n, nrhs, batch, A, lda, &
            strideA, B, ldb, strideB, info, workspace, workspaceBytes) bind(c, name='xgelsBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, A, B, info, workspace
            integer(c_int), value, intent(in) :: type, layout, op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, batch, lda, strideA, ldb, strideB
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgelsBatch(handle, layout, op, m, n, nrhs, batch, A, lda, strideA, &
            B, ldb, strideB, info, workspace, workspaceBytes) bind(c, name='sgelsBatch')
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, batch, lda, strideA, ldb, strideB
            real(c_float), intent(in) :: A(*)
            real(c_float), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgelsBatch(handle, layout, op, m, n, nrhs, batch, A, lda, strideA, &
            B, ldb, strideB, info, workspace, workspaceBytes) bind(c, name='dgelsBatch')
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, batch, lda, strideA, ldb, strideB
            real(c_double), intent(in) :: A(*)
            real(c_double), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgelsBatch(handle, layout, op, m, n, nrhs, batch, A, lda, strideA, &
            B, ldb, strideB, info, workspace, workspaceBytes) bind(c, name='cgelsBatch')
            import :: c_float_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, batch, lda, strideA, ldb, strideB
            complex(c_float_complex), intent(in) :: A(*)
            complex(c_float_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgelsBatch(handle, layout, op, m, n, nrhs, batch, A, lda, strideA, &
            B, ldb, strideB, info, workspace, workspaceBytes) bind(c, name='zgelsBatch')
            import :: c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, batch, lda, strideA, ldb, strideB
            complex(c_double_complex), intent(in) :: A(*)
            complex(c_double_complex), intent(inout) :: B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgelsBatch_bufferSize(handle, type, layout, op, m, n, nrhs, batch, &
            workspaceBytes) bind(c, name='xgelsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, layout, op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgelsBatch_bufferSize(handle, layout, op, m, n, nrhs, batch, &
            workspaceBytes) bind(c, name='sgelsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgelsBatch_bufferSize(handle, layout, op, m, n, nrhs, batch, &
            workspaceBytes) bind(c, name='dgelsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgelsBatch_bufferSize(handle, layout, op, m, n, nrhs, batch, &
            workspaceBytes) bind(c, name='cgelsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgelsBatch_bufferSize(handle, layout, op, m, n, nrhs, batch, &
            workspaceBytes) bind(c, name='zgelsBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: layout, op
            integer(c_int64_t), value, intent(in) :: m, n, nrhs, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function
    end interface

    ! qr_vbatch.h
    interface
        integer(c_int) function xgeqrfVBatch(handle, type, mMax, nMax, batch, m, n, A, ldaMax, &
            lda, tau, info, workspace, workspaceBytes) bind(c, name='xgeqrfVBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, m, n, A, lda, tau, info, workspace
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: mMax, nMax, batch, ldaMax
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgeqrfVBatch(handle, mMax, nMax, batch, m, n, A, ldaMax, lda, &
            tau, info, workspace, workspaceBytes) bind(c, name='sgeqrfVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int64_t), value, intent(in) :: mMax, nMax, batch, ldaMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), lda(*)
            type(c_ptr), intent(in) :: A(*), tau(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgeqrfVBatch(handle, mMax, nMax, batch, m, n, A, ldaMax, lda, &
            tau, info, workspace, workspaceBytes) bind(c, name='dgeqrfVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int64_t), value, intent(in) :: mMax, nMax, batch, ldaMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), lda(*)
            type(c_ptr), intent(in) :: A(*), tau(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgeqrfVBatch(handle, mMax, nMax, batch, m, n, A, ldaMax, lda, &
            tau, info, workspace, workspaceBytes) bind(c, name='cgeqrfVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int64_t), value, intent(in) :: mMax, nMax, batch, ldaMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), lda(*)
            type(c_ptr), intent(in) :: A(*), tau(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgeqrfVBatch(handle, mMax, nMax, batch, m, n, A, ldaMax, lda, &
            tau, info, workspace, workspaceBytes) bind(c, name='zgeqrfVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int64_t), value, intent(in) :: mMax, nMax, batch, ldaMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), lda(*)
            type(c_ptr), intent(in) :: A(*), tau(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgeqrfVBatch_bufferSize(handle, type, mMax, nMax, batch, &
            workspaceBytes) bind(c, name='xgeqrfVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: mMax, nMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgeqrfVBatch_bufferSize(handle, mMax, nMax, batch, &
            workspaceBytes) bind(c, name='sgeqrfVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: mMax, nMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgeqrfVBatch_bufferSize(handle, mMax, nMax, batch, &
            workspaceBytes) bind(c, name='dgeqrfVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: mMax, nMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgeqrfVBatch_bufferSize(handle, mMax, nMax, batch, &
            workspaceBytes) bind(c, name='cgeqrfVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: mMax, nMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgeqrfVBatch_bufferSize(handle, mMax, nMax, batch, &
            workspaceBytes) bind(c, name='zgeqrfVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: mMax, nMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xunmqrVBatch(handle, type, side, op, mMax, nMax, kMax, batch, m, &
            n, k, A, ldaMax, lda, tau, C, ldcMax, ldc, info, workspace, workspaceBytes) bind(c, &
            name='xunmqrVBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, m, n, k, A, lda, tau, C, ldc, info, &
                workspace
            integer(c_int), value, intent(in) :: type, side, op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch, ldaMax, ldcMax
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sormqrVBatch(handle, side, op, mMax, nMax, kMax, batch, m, n, k, &
            A, ldaMax, lda, tau, C, ldcMax, ldc, info, workspace, workspaceBytes) bind(c, &
            name='sormqrVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch, ldaMax, ldcMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), k(*), lda(*), ldc(*)
            type(c_ptr), intent(in) :: A(*), tau(*), C(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dormqrVBatch(handle, side, op, mMax, nMax, kMax, batch, m, n, k, &
            A, ldaMax, lda, tau, C, ldcMax, ldc, info, workspace, workspaceBytes) bind(c, &
            name='dormqrVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch, ldaMax, ldcMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), k(*), lda(*), ldc(*)
            type(c_ptr), intent(in) :: A(*), tau(*), C(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cunmqrVBatch(handle, side, op, mMax, nMax, kMax, batch, m, n, k, &
            A, ldaMax, lda, tau, C, ldcMax, ldc, info, workspace, workspaceBytes) bind(c, &
            name='cunmqrVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch, ldaMax, ldcMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), k(*), lda(*), ldc(*)
            type(c_ptr), intent(in) :: A(*), tau(*), C(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zunmqrVBatch(handle, side, op, mMax, nMax, kMax, batch, m, n, k, &
            A, ldaMax, lda, tau, C, ldcMax, ldc, info, workspace, workspaceBytes) bind(c, &
            name='zunmqrVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch, ldaMax, ldcMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), k(*), lda(*), ldc(*)
            type(c_ptr), intent(in) :: A(*), tau(*), C(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xunmqrVBatch_bufferSize(handle, type, side, op, mMax, nMax, kMax, &
            batch, workspaceBytes) bind(c, name='xunmqrVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, side, op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sormqrVBatch_bufferSize(handle, side, op, mMax, nMax, kMax, &
            batch, workspaceBytes) bind(c, name='sormqrVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dormqrVBatch_bufferSize(handle, side, op, mMax, nMax, kMax, &
            batch, workspaceBytes) bind(c, name='dormqrVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cunmqrVBatch_bufferSize(handle, side, op, mMax, nMax, kMax, &
            batch, workspaceBytes) bind(c, name='cunmqrVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zunmqrVBatch_bufferSize(handle, side, op, mMax, nMax, kMax, &
            batch, workspaceBytes) bind(c, name='zunmqrVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: side, op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xungqrVBatch(handle, type, mMax, nMax, kMax, batch, m, n, k, A, &
            ldaMax, lda, tau, info, workspace, workspaceBytes) bind(c, name='xungqrVBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, m, n, k, A, lda, tau, info, workspace
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch, ldaMax
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sorgqrVBatch(handle, mMax, nMax, kMax, batch, m, n, k, A, ldaMax, &
            lda, tau, info, workspace, workspaceBytes) bind(c, name='sorgqrVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch, ldaMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), k(*), lda(*)
            type(c_ptr), intent(in) :: A(*), tau(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dorgqrVBatch(handle, mMax, nMax, kMax, batch, m, n, k, A, ldaMax, &
            lda, tau, info, workspace, workspaceBytes) bind(c, name='dorgqrVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch, ldaMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), k(*), lda(*)
            type(c_ptr), intent(in) :: A(*), tau(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cungqrVBatch(handle, mMax, nMax, kMax, batch, m, n, k, A, ldaMax, &
            lda, tau, info, workspace, workspaceBytes) bind(c, name='cungqrVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch, ldaMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), k(*), lda(*)
            type(c_ptr), intent(in) :: A(*), tau(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zungqrVBatch(handle, mMax, nMax, kMax, batch, m, n, k, A, ldaMax, &
            lda, tau, info, workspace, workspaceBytes) bind(c, name='zungqrVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch, ldaMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), k(*), lda(*)
            type(c_ptr), intent(in) :: A(*), tau(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xungqrVBatch_bufferSize(handle, type, mMax, nMax, kMax, batch, &
            workspaceBytes) bind(c, name='xungqrVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sorgqrVBatch_bufferSize(handle, mMax, nMax, kMax, batch, &
            workspaceBytes) bind(c, name='sorgqrVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dorgqrVBatch_bufferSize(handle, mMax, nMax, kMax, batch, &
            workspaceBytes) bind(c, name='dorgqrVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cungqrVBatch_bufferSize(handle, mMax, nMax, kMax, batch, &
            workspaceBytes) bind(c, name='cungqrVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zungqrVBatch_bufferSize(handle, mMax, nMax, kMax, batch, &
            workspaceBytes) bind(c, name='zungqrVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int64_t), value, intent(in) :: mMax, nMax, kMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function xgelsVBatch(handle, type, op, mMax, nMax, nrhsMax, batch, m, n, &
            nrhs, A, ldaMax, lda, B, ldbMax, ldb, info, workspace, workspaceBytes) bind(c, &
            name='xgelsVBatch')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, m, n, nrhs, A, lda, B, ldb, info, workspace
            integer(c_int), value, intent(in) :: type, op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, nrhsMax, batch, ldaMax, ldbMax
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function sgelsVBatch(handle, op, mMax, nMax, nrhsMax, batch, m, n, nrhs, &
            A, ldaMax, lda, B, ldbMax, ldb, info, workspace, workspaceBytes) bind(c, &
            name='sgelsVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, nrhsMax, batch, ldaMax, ldbMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), nrhs(*), lda(*), ldb(*)
            type(c_ptr), intent(in) :: A(*), B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function dgelsVBatch(handle, op, mMax, nMax, nrhsMax, batch, m, n, nrhs, &
            A, ldaMax, lda, B, ldbMax, ldb, info, workspace, workspaceBytes) bind(c, &
            name='dgelsVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, nrhsMax, batch, ldaMax, ldbMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), nrhs(*), lda(*), ldb(*)
            type(c_ptr), intent(in) :: A(*), B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function cgelsVBatch(handle, op, mMax, nMax, nrhsMax, batch, m, n, nrhs, &
            A, ldaMax, lda, B, ldbMax, ldb, info, workspace, workspaceBytes) bind(c, &
            name='cgelsVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, nrhsMax, batch, ldaMax, ldbMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), nrhs(*), lda(*), ldb(*)
            type(c_ptr), intent(in) :: A(*), B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function zgelsVBatch(handle, op, mMax, nMax, nrhsMax, batch, m, n, nrhs, &
            A, ldaMax, lda, B, ldbMax, ldb, info, workspace, workspaceBytes) bind(c, &
            name='zgelsVBatch')
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle, workspace
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, nrhsMax, batch, ldaMax, ldbMax
            integer(c_int64_t), intent(in), optional :: m(*), n(*), nrhs(*), lda(*), ldb(*)
            type(c_ptr), intent(in) :: A(*), B(*)
            integer(c_int32_t), intent(inout), optional :: info(*)
            integer(c_size_t), value, intent(in) :: workspaceBytes
        end function

        integer(c_int) function xgelsVBatch_bufferSize(handle, type, op, mMax, nMax, nrhsMax, &
            batch, workspaceBytes) bind(c, name='xgelsVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: type, op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, nrhsMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function sgelsVBatch_bufferSize(handle, op, mMax, nMax, nrhsMax, batch, &
            workspaceBytes) bind(c, name='sgelsVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, nrhsMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function dgelsVBatch_bufferSize(handle, op, mMax, nMax, nrhsMax, batch, &
            workspaceBytes) bind(c, name='dgelsVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, nrhsMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function cgelsVBatch_bufferSize(handle, op, mMax, nMax, nrhsMax, batch, &
            workspaceBytes) bind(c, name='cgelsVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, nrhsMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function

        integer(c_int) function zgelsVBatch_bufferSize(handle, op, mMax, nMax, nrhsMax, batch, &
            workspaceBytes) bind(c, name='zgelsVBatch_bufferSize')
            import :: c_int, c_int64_t, c_ptr, c_size_t
            implicit none
            type(c_ptr), value, intent(in) :: handle
            integer(c_int), value, intent(in) :: op
            integer(c_int64_t), value, intent(in) :: mMax, nMax, nrhsMax, batch
            integer(c_size_t), intent(out) :: workspaceBytes
        end function
    end interface

contains

    !> What was wrong with the last failed call on this handle; '' if none failed.
    function xbatch_last_error_message(handle) result(message)
        type(c_ptr), intent(in) :: handle
        character(:), allocatable :: message
        message = text_of(xbatchGetLastErrorMessage(handle))
    end function

    !> The text of a status.
    function xbatch_status_string(status) result(string)
        integer(c_int), intent(in) :: status
        character(:), allocatable :: string
        string = text_of(xbatchGetStatusString(status))
    end function

    function text_of(address) result(text)
        type(c_ptr), intent(in) :: address
        character(:), allocatable :: text
        character(kind=c_char), pointer :: bytes(:)
        integer :: length, i
        call c_f_pointer(address, bytes, [huge(length)])  ! the NUL at its end bounds it
        length = 0
        do while (bytes(length + 1) /= c_null_char)
            length = length + 1
        end do
        allocate(character(length) :: text)
        do i = 1, length
            text(i:i) = bytes(i)
        end do
    end function
end module
