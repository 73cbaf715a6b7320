! test_ranks.f90: the generic names accept arrays of any rank, array elements as start, sections that are not contiguous,
! arrays of assumed size and absent arguments, and write nothing else.
! SPDX-License-Identifier: BSD-3-Clause
program test_ranks
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int32_t, c_int64_t, c_loc, c_ptr, &
        c_size_t
    use checks, only: check, check_status, finish
    use xbatch, only: gtsvBatch, XBATCH_BACKEND_HOST, xbatch_last_error_message, &
        XBATCH_LAYOUT_BLOCK_INTERLEAVED, XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_INTERLEAVED, &
        XBATCH_STATUS_INVALID_VALUE, XBATCH_STATUS_SUCCESS, xbatchCreate, xbatchDestroy
    implicit none

    integer(c_int64_t), parameter :: n = 4, nx = 3, nz = 2, one = 1, shared = 0
    integer(c_size_t), parameter :: bytes = 65536
    real(c_double), allocatable, target :: space(:)  ! allocated memory is aligned to 16
    real(c_double) :: off(n, 1), diagonal(1, n, 1), ones(n)
    type(c_ptr) :: handle

    allocate(space(bytes / 8))
    off = -1
    diagonal = 4
    ones = [3, 2, 2, 3]  ! for rows -1 4 -1 and x = 1
    call check_status(xbatchCreate(handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS, 'create')
    call test_rank_3()
    call test_elements_of_a_section()
    call test_sections_with_gaps()
    call test_assumed_size(spread(ones, 2, int(nz)))
    call test_text()
    call check_status(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS, 'destroy')
    deallocate(space)
    call finish()

contains

    !> The systems of u(nx, n, nz) lie along its middle direction.
    subroutine test_rank_3()
        real(c_double) :: u(nx, n, nz)
        integer(c_int32_t) :: info(nx, nz)
        u = reshape(spread(spread(ones, 1, int(nx)), 3, int(nz)), shape(u))
        info = -1
        call check_status(gtsvBatch(handle, XBATCH_LAYOUT_BLOCK_INTERLEAVED, n, one, nx * nz, off, &
            diagonal, off, shared, u, nx, info, c_loc(space), bytes), XBATCH_STATUS_SUCCESS, 'rank 3')
        call check(all(abs(u - 1) < 1e-14_c_double), 'rank 3')
        call check(all(info == 0), 'info of rank 2')
    end subroutine

    subroutine test_elements_of_a_section()
        real(c_double) :: u(0:nx+1, 0:n+1)
        u = -7
        u(1:nx, 1:n) = spread(ones, 1, int(nx))
        call check_status(gtsvBatch(handle, XBATCH_LAYOUT_INTERLEAVED, n, one, nx, off, diagonal, &
            off, shared, u(1, 1), nx + 2, workspace=c_loc(space), workspaceBytes=bytes), &
            XBATCH_STATUS_SUCCESS, 'from element (1, 1) on, without info')
        call check(all(abs(u(1:nx, 1:n) - 1) < 1e-14_c_double), 'inside')
        call check(count(abs(u + 7) <= 0) == size(u) - nx * n, 'the halo')
    end subroutine

    subroutine test_sections_with_gaps()
        real(c_double) :: u(2*n, nz)
        integer(c_int32_t) :: info(2*nz)
        u = -7
        u(1::2, :) = spread(ones, 2, int(nz))
        info = -1
        call check_status(gtsvBatch(handle, XBATCH_LAYOUT_FLAT, n, one, nz, off, diagonal, off, &
            shared, u(1::2, :), n, info(::2), c_loc(space), bytes), XBATCH_STATUS_SUCCESS, 'gaps')
        call check(all(abs(u(1::2, :) - 1) < 1e-14_c_double), 'a section with gaps')
        call check(all(abs(u(2::2, :) + 7) <= 0), 'its gaps')
        call check(all(info(::2) == 0) .and. all(info(2::2) == -1), 'info with gaps')
    end subroutine

    subroutine test_assumed_size(b)
        real(c_double), intent(in) :: b(*)
        real(c_double) :: u(n, nz)
        u = reshape(b(:n * nz), shape(u))
        call solve_assumed_size(u)
        call check(all(abs(u - 1) < 1e-14_c_double), 'assumed size')
    end subroutine

    subroutine solve_assumed_size(u)
        real(c_double), intent(inout) :: u(*)
        call check_status(gtsvBatch(handle, XBATCH_LAYOUT_FLAT, n, one, nz, off, diagonal, off, &
            shared, u, n, workspace=c_loc(space), workspaceBytes=bytes), XBATCH_STATUS_SUCCESS, &
            'assumed size')
    end subroutine

    !> An error names the routine of the type, whose arguments have the same positions.
    subroutine test_text()
        real(c_double) :: u(n)
        integer(c_int) :: status
        status = gtsvBatch(handle, XBATCH_LAYOUT_FLAT, n, one, one, off, diagonal, off, shared, u, &
            n - 1, workspace=c_loc(space), workspaceBytes=bytes)
        call check_status(status, XBATCH_STATUS_INVALID_VALUE, 'ldb')
        call check(xbatch_last_error_message(handle) == &
            'dgtsvBatch: argument 10, ldb = 3, must be at least n = 4', 'text of ldb')
    end subroutine
end program
