! halo_lines.f90: heat conduction in a box, implicitly along x, y and z in turn: three calls, each
! of which solves all lines of one direction of an array with halos in place.
! SPDX-License-Identifier: BSD-3-Clause
!
! u_t = u_xx + u_yy + u_zz, u = 0 at the faces of the box. With h the distance of points and the
! second differences d2x, d2y, d2z, one step of length dt is
!
!   (1 - dt d2x) (1 - dt d2y) (1 - dt d2z) u_new = u_old        r = dt / h^2 below
!
! The unknowns are u(its:ite, jts:jte, kts:kte) of an array u(ims:ime, jms:jme, kms:kme), as a
! program that divides its domain among processes has them. The halo around holds other values,
! which no call may touch.
!
! A product of sines is an eigenvector of each factor. So each step divides u by a known number, and
! the program checks its result to the last digits.
!
! Usage: halo_lines [nx [ny [nz [steps]]]]      nx, ny, nz: points in x, y and z
program halo_lines
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int32_t, c_int64_t, c_int8_t, &
        c_loc, c_ptr, c_size_t
    use, intrinsic :: iso_fortran_env, only: error_unit
    use command_line, only: read_numbers
    use xbatch, only: dgtsvStridedBatch_bufferSize, gtsvStridedBatch, xbatch_last_error_message, &
        xbatchCreate, xbatchDestroy, xbatchStrides_t, XBATCH_BACKEND_HOST, XBATCH_STATUS_SUCCESS
    implicit none

    real(c_double), parameter :: pi = acos(-1.0_c_double), r = 0.75_c_double
    real(c_double), parameter :: outside = -1e30_c_double
    integer(c_int64_t), parameter :: one = 1

    type(c_ptr) :: handle
    integer(c_int64_t) :: numbers(4) = [60, 50, 40, 10]
    integer(c_int64_t) :: nx, ny, nz, steps, step, i, j, k
    integer(c_int64_t) :: ims, ime, jms, jme, kms, kme, its, ite, jts, jte, kts, kte, sx, sxy
    real(c_double) :: factor, error
    real(c_double), allocatable :: u(:, :, :), exact(:, :, :)

    call read_numbers('halo_lines [nx [ny [nz [steps]]]]', numbers, spread(100000_c_int64_t, 1, 4))
    nx = numbers(1)
    ny = numbers(2)
    nz = numbers(3)
    steps = numbers(4)
    its = 1
    ite = nx
    jts = 1
    jte = ny
    kts = 1
    kte = nz
    ims = its - 3
    ime = ite + 4
    jms = jts - 3
    jme = jte + 3
    kms = kts
    kme = kte + 1
    sx = ime - ims + 1          ! from u(i, j, k) to u(i, j+1, k)
    sxy = sx * (jme - jms + 1)  ! from u(i, j, k) to u(i, j, k+1)
    allocate(u(ims:ime, jms:jme, kms:kme), exact(ims:ime, jms:jme, kms:kme))
    exact = outside
    do k = kts, kte
        do j = jts, jte
            do i = its, ite
                exact(i, j, k) = sine(i, nx) * sine(j, ny) * sine(k, nz)
            end do
        end do
    end do
    u = exact

    ! HOST, not AUTO: with AUTO on a machine with a GPU, arrays would have to be device memory.
    call check(xbatchCreate(handle, XBATCH_BACKEND_HOST), 'xbatchCreate')
    do step = 1, steps
        call solve(nx, ny, nz, xbatchStrides_t(row=1, batch=[sx, sxy, 0_c_int64_t]))
        call solve(ny, nx, nz, xbatchStrides_t(row=sx, batch=[1_c_int64_t, sxy, 0_c_int64_t]))
        call solve(nz, nx, ny, xbatchStrides_t(row=sxy, batch=[1_c_int64_t, sx, 0_c_int64_t]))
    end do
    call check(xbatchDestroy(handle), 'xbatchDestroy')

    factor = (quotient(nx) * quotient(ny) * quotient(nz))**steps
    where (exact > outside) exact = exact / factor
    error = maxval(abs(u - exact))  ! 0 in the halo, if it has kept its values
    print '(a, 3(i0, 1x), a, i0, a)', 'box of ', nx, ny, nz, 'points, ', steps, ' steps'
    print '(a, es8.1)', 'largest error: ', error
    ! Each of the three solves of a step has a relative error of a few eps.
    if (.not. error <= 30 * real(steps, c_double) * epsilon(error)) then
        write (error_unit, '(a)') 'halo_lines: the result is not that of the scheme'
        stop 1, quiet=.true.
    end if
    deallocate(u, exact)

contains

    !> All lines of one direction: n points each, batch0 * batch1 lines. One matrix for all: its
    !> strides are 1 for rows and 0 between lines, the defaults of the type.
    subroutine solve(n, batch0, batch1, strides)
        integer(c_int64_t), intent(in) :: n, batch0, batch1
        type(xbatchStrides_t), intent(in) :: strides
        type(xbatchStrides_t), parameter :: shared = xbatchStrides_t()
        real(c_double) :: off(n), diagonal(n)
        integer(c_int32_t) :: info(batch0, batch1)
        integer(c_int8_t), allocatable, target :: workspace(:)
        integer(c_size_t) :: bytes

        off = -r
        diagonal = 1 + 2 * r
        call check(dgtsvStridedBatch_bufferSize(handle, n, batch0, batch1, one, shared, strides, &
            bytes), 'dgtsvStridedBatch_bufferSize')
        allocate(workspace(max(bytes, 1_c_size_t)))
        call check(gtsvStridedBatch(handle, n, batch0, batch1, one, shared, strides, off, &
            diagonal, off, u(its, jts, kts), info, c_loc(workspace), bytes), 'gtsvStridedBatch')
        if (any(info /= 0)) error stop 'a line has no solution'
    end subroutine

    pure real(c_double) function sine(i, n)
        integer(c_int64_t), intent(in) :: i, n
        sine = sin(pi * real(i, c_double) / real(n + 1, c_double))
    end function

    !> The eigenvalue of 1 - r d2 along n points.
    pure real(c_double) function quotient(n)
        integer(c_int64_t), intent(in) :: n
        quotient = 1 + 4 * r * sin(pi / 2 / real(n + 1, c_double))**2
    end function

    subroutine check(status, what)
        integer(c_int), intent(in) :: status
        character(*), intent(in) :: what
        if (status == XBATCH_STATUS_SUCCESS) return
        write (error_unit, '(3a)') what, ': ', xbatch_last_error_message(handle)
        error stop
    end subroutine
end program
