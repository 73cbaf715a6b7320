! test_handle.f90: the parts of the module without an element type: version, handle, texts, refused arguments, size
! queries, arrays of rank 2.
! SPDX-License-Identifier: BSD-3-Clause
program test_handle
    use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_int, c_int32_t, c_int64_t, &
        c_null_ptr, c_ptr, c_size_t
    use checks, only: check, check_status, finish
    use xbatch, only: cfolrPscheme_bufferSize, cgtsvBatch_bufferSize, cgtsvOddEven_bufferSize, &
        cgtsvPeriodicBatch_bufferSize, cgtsvPscheme_bufferSize, cgtsvThomas_bufferSize, &
        dfolrPscheme_bufferSize, dgtsvBatch_bufferSize, dgtsvOddEven_bufferSize, &
        dgtsvPeriodicBatch_bufferSize, dgtsvPscheme_bufferSize, dgtsvThomas_bufferSize, &
        drearrange, gtsvBatch, gtsvOddEven, gtsvPeriodicBatch, gtsvPscheme, gtsvThomas, &
        sfolrPscheme_bufferSize, sgtsvBatch_bufferSize, sgtsvOddEven_bufferSize, &
        sgtsvPeriodicBatch_bufferSize, sgtsvPscheme_bufferSize, sgtsvThomas_bufferSize, &
        XBATCH_BACKEND_HOST, XBATCH_C_32F, XBATCH_C_64F, XBATCH_FORWARD, &
        xbatch_last_error_message, XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_INTERLEAVED, &
        xbatch_property, XBATCH_PROPERTY_SUMMARY, XBATCH_R_32F, XBATCH_R_64F, &
        XBATCH_STATUS_INVALID_HANDLE, XBATCH_STATUS_INVALID_VALUE, &
        xbatch_status_string, XBATCH_STATUS_SUCCESS, XBATCH_VERSION, xbatchCreate, xbatchDestroy, &
        xbatchGetBackend, xbatchGetStream, xbatchGetThreadCount, xbatchGetVersion, &
        xbatchSetStream, xbatchSetThreadCount, xfolrPscheme_bufferSize, xgtsvBatch_bufferSize, &
        xgtsvOddEven_bufferSize, xgtsvPeriodicBatch_bufferSize, xgtsvPscheme_bufferSize, &
        xgtsvThomas_bufferSize, zfolrPscheme_bufferSize, zgtsvBatch_bufferSize, &
        zgtsvOddEven_bufferSize, zgtsvPeriodicBatch_bufferSize, zgtsvPscheme_bufferSize, &
        zgtsvThomas_bufferSize
    implicit none

    type(c_ptr) :: handle

    call check_status(xbatchCreate(handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS, 'create')
    call test_version()
    call test_settings()
    call test_texts()
    call test_refusals()
    call test_size_queries()
    call test_rank_2()
    call check_status(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS, 'destroy')
    call check_status(xbatchDestroy(c_null_ptr), XBATCH_STATUS_SUCCESS, 'destroy a null handle')
    call finish()

contains

    subroutine test_version()
        integer(c_int) :: version
        call check_status(xbatchGetVersion(version), XBATCH_STATUS_SUCCESS, 'version')
        call check(version == XBATCH_VERSION, 'the version of module and library')
    end subroutine

    subroutine test_settings()
        integer(c_int) :: backend, threads
        type(c_ptr) :: other, stream
        call check_status(xbatchGetBackend(handle, backend), XBATCH_STATUS_SUCCESS, 'backend')
        call check(backend == XBATCH_BACKEND_HOST, 'the backend asked for')
        call check_status(xbatchSetThreadCount(handle, 2), XBATCH_STATUS_SUCCESS, 'set threads')
        call check_status(xbatchGetThreadCount(handle, threads), XBATCH_STATUS_SUCCESS, 'threads')
        call check(threads == 2, 'the thread count set')
        call check_status(xbatchSetStream(handle, handle), XBATCH_STATUS_SUCCESS, 'set stream')
        call check_status(xbatchGetStream(handle, stream), XBATCH_STATUS_SUCCESS, 'stream')
        call check(c_associated(stream, handle), 'the stream set')
        call check_status(xbatchSetStream(handle, c_null_ptr), XBATCH_STATUS_SUCCESS, 'no stream')
        call check_status(xbatchCreate(other, 99), XBATCH_STATUS_INVALID_VALUE, 'backend 99')
        call check(.not. c_associated(other), 'no handle of an unknown backend')
        call check(index(xbatch_last_error_message(c_null_ptr), 'backend = 99') > 0, 'why no handle')
    end subroutine

    subroutine test_texts()
        call check(xbatch_status_string(XBATCH_STATUS_SUCCESS) == 'success', 'text of SUCCESS')
        call check(xbatch_status_string(99) == 'unknown status', 'text of no status')
        call check(index(xbatch_property(XBATCH_PROPERTY_SUMMARY), 'xbatch ') == 1, 'summary')
        call check(xbatch_property(99) == '', 'text of no property')
        call check(xbatch_last_error_message(handle) == '', 'no error, no message')
    end subroutine

    subroutine test_refusals()
        integer(c_int64_t), parameter :: n = 5, nrhs = 1, batch = 2
        real(c_double) :: dl(n * batch), d(n * batch), du(n * batch), b(n * batch)
        integer(c_int32_t) :: info(batch)
        dl = 1
        d = 4
        du = 1
        b = 1
        info = -1
        call check_status(gtsvPscheme(handle, XBATCH_LAYOUT_FLAT, n, nrhs, batch, dl, d, du, &
            3_c_int64_t, b, n, info, c_null_ptr, 0_c_size_t), &
            XBATCH_STATUS_INVALID_VALUE, 'ldt < n')
        call check(xbatch_last_error_message(handle) == &
            'dgtsvPscheme: argument 8, ldt = 3, must be at least n = 5', &
            'message of ldt < n: ' // xbatch_last_error_message(handle))
        call check(all(abs(b - 1) <= 0) .and. all(info == -1), 'nothing written when refused')
        call check_status(gtsvPscheme(c_null_ptr, XBATCH_LAYOUT_FLAT, n, nrhs, batch, dl, d, du, &
            n, b, n, workspace=c_null_ptr, workspaceBytes=0_c_size_t), &
            XBATCH_STATUS_INVALID_HANDLE, 'null handle, info left out by keyword')
        call check(len(xbatch_last_error_message(c_null_ptr)) > 0, 'message of a null handle')
        call check_status(gtsvThomas(handle, XBATCH_LAYOUT_FLAT, n, nrhs, 0_c_int64_t, dl, d, du, &
            n, b, n, workspace=c_null_ptr, workspaceBytes=0_c_size_t), &
            XBATCH_STATUS_SUCCESS, 'empty batch, info left out by keyword')
        call check_status(gtsvOddEven(handle, XBATCH_LAYOUT_FLAT, 0_c_int64_t, nrhs, batch, dl, d, &
            du, n, b, n, workspace=c_null_ptr, workspaceBytes=0_c_size_t), &
            XBATCH_STATUS_SUCCESS, 'empty systems, info left out by keyword')
        call check_status(gtsvBatch(handle, XBATCH_LAYOUT_FLAT, n, nrhs, 0_c_int64_t, dl, d, du, &
            n, b, n, workspace=c_null_ptr, workspaceBytes=0_c_size_t), &
            XBATCH_STATUS_SUCCESS, 'Batch, empty, info left out by keyword')
        call check_status(gtsvPeriodicBatch(handle, XBATCH_LAYOUT_FLAT, n, nrhs, 0_c_int64_t, &
            dl, d, du, n, b, n, workspace=c_null_ptr, workspaceBytes=0_c_size_t), &
            XBATCH_STATUS_SUCCESS, 'PeriodicBatch, empty, info left out by keyword')
    end subroutine

    !> The typed queries agree with those that take the type as an argument.
    subroutine test_size_queries()
        integer(c_int64_t), parameter :: n = 1000, nrhs = 3, batch = 5
        integer(c_int), parameter :: l = XBATCH_LAYOUT_FLAT, f = XBATCH_FORWARD
        integer(c_size_t) :: typed(4), by_type(4)
        integer(c_int) :: status(8), kinds(4), t
        kinds = [XBATCH_R_32F, XBATCH_R_64F, XBATCH_C_32F, XBATCH_C_64F]

        status(1) = sgtsvPscheme_bufferSize(handle, l, n, nrhs, batch, typed(1))
        status(2) = dgtsvPscheme_bufferSize(handle, l, n, nrhs, batch, typed(2))
        status(3) = cgtsvPscheme_bufferSize(handle, l, n, nrhs, batch, typed(3))
        status(4) = zgtsvPscheme_bufferSize(handle, l, n, nrhs, batch, typed(4))
        do t = 1, 4
            status(4 + t) = xgtsvPscheme_bufferSize(handle, kinds(t), l, n, nrhs, batch, by_type(t))
        end do
        call check(all(status == XBATCH_STATUS_SUCCESS), 'gtsvPscheme_bufferSize, status')
        call check(all(typed == by_type), 'gtsvPscheme_bufferSize, typed and by type')

        status(1) = sgtsvThomas_bufferSize(handle, l, n, nrhs, batch, typed(1))
        status(2) = dgtsvThomas_bufferSize(handle, l, n, nrhs, batch, typed(2))
        status(3) = cgtsvThomas_bufferSize(handle, l, n, nrhs, batch, typed(3))
        status(4) = zgtsvThomas_bufferSize(handle, l, n, nrhs, batch, typed(4))
        do t = 1, 4
            status(4 + t) = xgtsvThomas_bufferSize(handle, kinds(t), l, n, nrhs, batch, by_type(t))
        end do
        call check(all(status == XBATCH_STATUS_SUCCESS), 'gtsvThomas_bufferSize, status')
        call check(all(typed == by_type), 'gtsvThomas_bufferSize, typed and by type')

        status(1) = sgtsvOddEven_bufferSize(handle, l, n, nrhs, batch, typed(1))
        status(2) = dgtsvOddEven_bufferSize(handle, l, n, nrhs, batch, typed(2))
        status(3) = cgtsvOddEven_bufferSize(handle, l, n, nrhs, batch, typed(3))
        status(4) = zgtsvOddEven_bufferSize(handle, l, n, nrhs, batch, typed(4))
        do t = 1, 4
            status(4 + t) = xgtsvOddEven_bufferSize(handle, kinds(t), l, n, nrhs, batch, by_type(t))
        end do
        call check(all(status == XBATCH_STATUS_SUCCESS), 'gtsvOddEven_bufferSize, status')
        call check(all(typed == by_type), 'gtsvOddEven_bufferSize, typed and by type')

        status(1) = sgtsvBatch_bufferSize(handle, l, n, nrhs, batch, typed(1))
        status(2) = dgtsvBatch_bufferSize(handle, l, n, nrhs, batch, typed(2))
        status(3) = cgtsvBatch_bufferSize(handle, l, n, nrhs, batch, typed(3))
        status(4) = zgtsvBatch_bufferSize(handle, l, n, nrhs, batch, typed(4))
        do t = 1, 4
            status(4 + t) = xgtsvBatch_bufferSize(handle, kinds(t), l, n, nrhs, batch, by_type(t))
        end do
        call check(all(status == XBATCH_STATUS_SUCCESS), 'gtsvBatch_bufferSize, status')
        call check(all(typed == by_type), 'gtsvBatch_bufferSize, typed and by type')

        status(1) = sgtsvPeriodicBatch_bufferSize(handle, l, n, nrhs, batch, typed(1))
        status(2) = dgtsvPeriodicBatch_bufferSize(handle, l, n, nrhs, batch, typed(2))
        status(3) = cgtsvPeriodicBatch_bufferSize(handle, l, n, nrhs, batch, typed(3))
        status(4) = zgtsvPeriodicBatch_bufferSize(handle, l, n, nrhs, batch, typed(4))
        do t = 1, 4
            status(4 + t) = &
                xgtsvPeriodicBatch_bufferSize(handle, kinds(t), l, n, nrhs, batch, by_type(t))
        end do
        call check(all(status == XBATCH_STATUS_SUCCESS), 'gtsvPeriodicBatch_bufferSize, status')
        call check(all(typed == by_type), 'gtsvPeriodicBatch_bufferSize, typed and by type')

        status(1) = sfolrPscheme_bufferSize(handle, l, f, n, nrhs, batch, typed(1))
        status(2) = dfolrPscheme_bufferSize(handle, l, f, n, nrhs, batch, typed(2))
        status(3) = cfolrPscheme_bufferSize(handle, l, f, n, nrhs, batch, typed(3))
        status(4) = zfolrPscheme_bufferSize(handle, l, f, n, nrhs, batch, typed(4))
        do t = 1, 4
            status(4 + t) = &
                xfolrPscheme_bufferSize(handle, kinds(t), l, f, n, nrhs, batch, by_type(t))
        end do
        call check(all(status == XBATCH_STATUS_SUCCESS), 'folrPscheme_bufferSize, status')
        call check(all(typed == by_type), 'folrPscheme_bufferSize, typed and by type')
    end subroutine

    !> The typed routines accept arrays of any rank, and array elements as start.
    subroutine test_rank_2()
        integer(c_int64_t), parameter :: n = 4, batch = 3
        real(c_double) :: a(0:n+1, batch), turned(batch, n)
        integer :: i, j
        do j = 1, int(batch)
            a(:, j) = [(real(100 * j + i, c_double), i = 0, int(n) + 1)]
        end do
        call check_status(drearrange(handle, n, batch, XBATCH_LAYOUT_FLAT, a(1, 1), n + 2, &
            XBATCH_LAYOUT_INTERLEAVED, turned, batch), XBATCH_STATUS_SUCCESS, 'rank 2')
        call check(all(abs(turned - transpose(a(1:n, :))) <= 0), 'rank 2, from element (1, 1) on')
    end subroutine
end program
