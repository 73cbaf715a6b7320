! test_task_tiles.f90: tiled Cholesky from Fortran by the library's own tasks: its factor, the same bits in a second
! run, an indefinite matrix.
! SPDX-License-Identifier: BSD-3-Clause
program test_task_tiles
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr, &
        c_size_t
    use checks, only: check, check_status, finish
    use xbatch, only: XBATCH_BACKEND_HOST, XBATCH_DIAG_NON_UNIT, XBATCH_OP_C, XBATCH_OP_N, XBATCH_R_64F, &
        XBATCH_SIDE_RIGHT, XBATCH_STATUS_EXECUTION_FAILED, XBATCH_STATUS_SUCCESS, XBATCH_UPLO_LOWER, &
        xbatchCreate, xbatchDestroy, xbatchTaskGraphAddGemm, xbatchTaskGraphAddHerk, &
        xbatchTaskGraphAddPotrf, xbatchTaskGraphAddTrsm, xbatchTaskGraphCreate, &
        xbatchTaskGraphDestroy, xbatchTaskGraphFinalize, xbatchTaskGraphGetFailure, &
        xbatchTaskGraphRunTiles, xbatchTaskGraphSynchronize, xbatchTaskGraphUpload, &
        xbatchTaskGraphUpload_bufferSize
    implicit none

    integer(c_int64_t), parameter :: n = 60, nb = 16
    real(c_double), parameter :: one = 1.0_c_double
    type(c_ptr) :: handle, graph
    real(c_double), target :: a(n, n)
    real(c_double) :: original(n, n), first(n, n)
    integer(c_size_t) :: bytes
    integer(c_int64_t) :: i, j, task
    integer(c_int) :: code

    do j = 1, n
        do i = 1, n
            original(i, j) = merge(real(n, c_double), sin(real(i * j, c_double)), i == j)
        end do
    end do
    call check_status(xbatchCreate(handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS, 'create')
    call check_status(xbatchTaskGraphCreate(handle, graph), XBATCH_STATUS_SUCCESS, 'a graph')
    call build()
    call check_status(xbatchTaskGraphUpload_bufferSize(handle, graph, bytes), XBATCH_STATUS_SUCCESS, &
        'size of the image')
    call check(bytes == 0, 'the host needs no image')
    call check_status(xbatchTaskGraphUpload(handle, graph, c_null_ptr, bytes), XBATCH_STATUS_SUCCESS, &
        'upload')
    call run(XBATCH_STATUS_SUCCESS)
    call check(maxval(abs(lower(matmul(lower(a), transpose(lower(a))) - original))) < 1e-12_c_double, &
        'the factor')
    first = a
    call run(XBATCH_STATUS_SUCCESS)
    call check(.not. any(abs(lower(a) - lower(first)) > 0), 'the same bits again')
    original(n, n) = -one
    call run(XBATCH_STATUS_EXECUTION_FAILED)
    call check_status(xbatchTaskGraphGetFailure(handle, graph, task, code), XBATCH_STATUS_SUCCESS, &
        'the failure')
    call check(code == 12, 'the minor of the last tile')
    call check_status(xbatchTaskGraphDestroy(graph), XBATCH_STATUS_SUCCESS, 'destroy the graph')
    call check_status(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS, 'destroy')
    call finish()

contains

    !> The lower triangle, zeros above it
    function lower(matrix)
        real(c_double), intent(in) :: matrix(n, n)
        real(c_double) :: lower(n, n)
        integer(c_int64_t) :: column
        lower = 0
        do column = 1, n
            lower(column:, column) = matrix(column:, column)
        end do
    end function

    subroutine run(expected)
        integer(c_int), intent(in) :: expected
        a = original
        call check_status(xbatchTaskGraphRunTiles(handle, graph, c_null_ptr), expected, 'run')
        call check_status(xbatchTaskGraphSynchronize(handle, graph, c_null_ptr), XBATCH_STATUS_SUCCESS, &
            'synchronize')
    end subroutine

    !> Rows and columns of the tile that begins at row or column k
    pure function rows(k)
        integer(c_int64_t), intent(in) :: k
        integer(c_int64_t) :: rows
        rows = min(nb, n - k + 1)
    end function

    subroutine build()
        integer(c_int64_t) :: p, q, r
        integer(c_int) :: status
        do p = 1, n, nb
            status = xbatchTaskGraphAddPotrf(handle, graph, XBATCH_R_64F, XBATCH_UPLO_LOWER, rows(p), &
                c_loc(a(p, p)), n)
            call check_status(status, XBATCH_STATUS_SUCCESS, 'potrf')
            do r = p + nb, n, nb
                status = xbatchTaskGraphAddTrsm(handle, graph, XBATCH_R_64F, XBATCH_SIDE_RIGHT, &
                    XBATCH_UPLO_LOWER, XBATCH_OP_C, XBATCH_DIAG_NON_UNIT, rows(r), rows(p), one, &
                    c_loc(a(p, p)), n, c_loc(a(r, p)), n)
                call check_status(status, XBATCH_STATUS_SUCCESS, 'trsm')
            end do
            do q = p + nb, n, nb
                status = xbatchTaskGraphAddHerk(handle, graph, XBATCH_R_64F, XBATCH_UPLO_LOWER, &
                    XBATCH_OP_N, rows(q), rows(p), -one, c_loc(a(q, p)), n, one, c_loc(a(q, q)), n)
                call check_status(status, XBATCH_STATUS_SUCCESS, 'herk')
                do r = q + nb, n, nb
                    status = xbatchTaskGraphAddGemm(handle, graph, XBATCH_R_64F, XBATCH_OP_N, &
                        XBATCH_OP_C, rows(r), rows(q), rows(p), -one, c_loc(a(r, p)), n, &
                        c_loc(a(q, p)), n, one, c_loc(a(r, q)), n)
                    call check_status(status, XBATCH_STATUS_SUCCESS, 'gemm')
                end do
            end do
        end do
        call check_status(xbatchTaskGraphFinalize(handle, graph), XBATCH_STATUS_SUCCESS, 'finalize')
    end subroutine
end program
