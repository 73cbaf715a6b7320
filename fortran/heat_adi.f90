! heat_adi.f90: the heat equation on the unit square by alternating directions (Peaceman and
! Rachford, 1955), as a legacy code would call xbatch: host arrays with a frame of boundary values,
! solved in place.
! SPDX-License-Identifier: BSD-3-Clause
!
! u_t = u_xx + u_yy, u given on the boundary. One step of length dt with the second differences
! d2x and d2y:
!
!   (1 - dt/2 d2x) v = (1 + dt/2 d2y) u       a tridiagonal system along every x-line
!   (1 - dt/2 d2y) u = (1 + dt/2 d2x) v       a tridiagonal system along every y-line
!
! In an array (0:nx+1, 0:ny+1) the x-lines are a FLAT batch and the y-lines an INTERLEAVED batch in
! the same memory. Both begin at element (1, 1) with leading dimension nx+2: nothing is transposed.
!
! The exact solution is 1 + x + 2y + exp(-2 pi^2 t) sin(pi x) sin(pi y). The differences preserve
! its linear part and damp its sine by a known factor per step. So the error of the scheme is known,
! and the program checks its result to the last digits.
!
! Usage: heat_adi [nx [ny [steps]]]      nx, ny: inner points in x and y
program heat_adi
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_int8_t, c_loc, c_ptr, &
        c_size_t
    use, intrinsic :: iso_fortran_env, only: error_unit
    use command_line, only: read_numbers
    use xbatch, only: dgtsvPscheme, dgtsvPscheme_bufferSize, xbatch_last_error_message, &
        xbatch_status_string, xbatchCreate, xbatchDestroy, xbatchGetBackend, &
        XBATCH_BACKEND_CUDA, XBATCH_BACKEND_HOST, XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_INTERLEAVED, &
        XBATCH_STATUS_SUCCESS
    implicit none

    real(c_double), parameter :: pi = acos(-1.0_c_double), end_time = 0.05_c_double
    integer(c_int64_t), parameter :: shared = 0, one = 1

    type(c_ptr) :: handle
    integer(c_int) :: backend
    integer(c_int64_t) :: numbers(3) = [255, 0, 100]  ! ny: as nx
    integer(c_int64_t) :: nx, ny, steps, step, start, clock_rate, solve_ticks = 0
    real(c_double) :: dt, rx, ry, seconds, error, scheme_error, rounding
    real(c_double), allocatable :: u(:, :), v(:, :)
    ! One matrix for all x-lines, one for all y-lines; both are symmetric: off is dl and du.
    real(c_double), allocatable :: off_x(:), diagonal_x(:), off_y(:), diagonal_y(:)
    integer(c_int8_t), allocatable, target :: workspace(:)

    call read_numbers('heat_adi [nx [ny [steps]]]', numbers, spread(1000000_c_int64_t, 1, 3))
    nx = numbers(1)
    ny = merge(numbers(2), nx, numbers(2) > 0)
    steps = numbers(3)
    dt = end_time / real(steps, c_double)
    rx = dt / 2 * real(nx + 1, c_double)**2
    ry = dt / 2 * real(ny + 1, c_double)**2

    ! HOST, not AUTO: with AUTO on a machine with a GPU, arrays would have to be device memory.
    call check(xbatchCreate(handle, XBATCH_BACKEND_HOST), 'xbatchCreate')
    call check(xbatchGetBackend(handle, backend), 'xbatchGetBackend')

    allocate(u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1))
    allocate(off_x(nx), source=-rx)
    allocate(off_y(ny), source=-ry)
    allocate(diagonal_x(nx), source=1 + 2 * rx)
    allocate(diagonal_y(ny), source=1 + 2 * ry)
    allocate(workspace(max(workspace_bytes(XBATCH_LAYOUT_FLAT, nx, ny), &
        workspace_bytes(XBATCH_LAYOUT_INTERLEAVED, ny, nx), 1_c_size_t)))
    call set_exact(u, 0.0_c_double)
    v = u  ! sets the frame of v: the boundary does not change in time

    call system_clock(start, clock_rate)
    do step = 1, steps
        call add_differences_y(u, v)
        call solve(XBATCH_LAYOUT_FLAT, nx, ny, off_x, diagonal_x, v)
        call add_differences_x(v, u)
        call solve(XBATCH_LAYOUT_INTERLEAVED, ny, nx, off_y, diagonal_y, u)
    end do
    seconds = seconds_of(ticks() - start)

    call set_exact(v, end_time)
    error = maxval(abs(u - v))
    scheme_error = highest_sine(nx) * highest_sine(ny) &
        * abs((damping(nx, rx) * damping(ny, ry))**steps - exp(-2 * pi**2 * end_time))
    call report()
    call check(xbatchDestroy(handle), 'xbatchDestroy')
    deallocate(u, v, off_x, off_y, diagonal_x, diagonal_y, workspace)
    ! Rounding: no mode is amplified, and each step adds a few eps of its terms r * u, u <= 5.
    rounding = 16 * epsilon(error) * (1 + rx + ry) * real(steps, c_double)
    if (.not. abs(error - scheme_error) <= rounding) then
        write (error_unit, '(a)') 'heat_adi: the error is not that of the scheme'
        stop 1, quiet=.true.
    end if

contains

    !> to = from + dt/2 d2y from on the inner points, plus the boundary terms of the x-lines.
    subroutine add_differences_y(from, to)
        real(c_double), intent(in) :: from(0:nx+1, 0:ny+1)
        real(c_double), intent(inout) :: to(0:nx+1, 0:ny+1)
        integer(c_int64_t) :: i, j
        do j = 1, ny
            do i = 1, nx
                to(i, j) = from(i, j) + ry * (from(i, j-1) - 2 * from(i, j) + from(i, j+1))
            end do
            to(1, j) = to(1, j) + rx * to(0, j)
            to(nx, j) = to(nx, j) + rx * to(nx+1, j)
        end do
    end subroutine

    !> to = from + dt/2 d2x from on the inner points, plus the boundary terms of the y-lines.
    subroutine add_differences_x(from, to)
        real(c_double), intent(in) :: from(0:nx+1, 0:ny+1)
        real(c_double), intent(inout) :: to(0:nx+1, 0:ny+1)
        integer(c_int64_t) :: i, j
        do j = 1, ny
            do i = 1, nx
                to(i, j) = from(i, j) + rx * (from(i-1, j) - 2 * from(i, j) + from(i+1, j))
            end do
        end do
        to(1:nx, 1) = to(1:nx, 1) + ry * to(1:nx, 0)
        to(1:nx, ny) = to(1:nx, ny) + ry * to(1:nx, ny+1)
    end subroutine

    !> Solve all lines of one direction, in place on the inner points of w.
    subroutine solve(layout, n, batch, off, diagonal, w)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: n, batch
        real(c_double), intent(in) :: off(:), diagonal(:)
        real(c_double), intent(inout) :: w(0:nx+1, 0:ny+1)
        integer(c_int64_t) :: before
        before = ticks()
        call check(dgtsvPscheme(handle, layout, n, one, batch, off, diagonal, off, shared, &
            w(1, 1), nx + 2, workspace=c_loc(workspace), &
            workspaceBytes=size(workspace, kind=c_size_t)), 'dgtsvPscheme')
        solve_ticks = solve_ticks + ticks() - before
    end subroutine

    integer(c_size_t) function workspace_bytes(layout, n, batch) result(bytes)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: n, batch
        call check(dgtsvPscheme_bufferSize(handle, layout, n, one, batch, bytes), &
            'dgtsvPscheme_bufferSize')
    end function

    subroutine set_exact(w, time)
        real(c_double), intent(out) :: w(0:nx+1, 0:ny+1)
        real(c_double), intent(in) :: time
        real(c_double) :: x, y
        integer(c_int64_t) :: i, j
        do j = 0, ny + 1
            y = real(j, c_double) / real(ny + 1, c_double)
            do i = 0, nx + 1
                x = real(i, c_double) / real(nx + 1, c_double)
                w(i, j) = 1 + x + 2 * y + exp(-2 * pi**2 * time) * sin(pi * x) * sin(pi * y)
            end do
        end do
    end subroutine

    !> Factor of sin(pi x) in one direction of a step, with n inner points and r = dt/2 / h**2.
    real(c_double) function damping(n, r) result(factor)
        integer(c_int64_t), intent(in) :: n
        real(c_double), intent(in) :: r
        real(c_double) :: a
        a = 4 * r * sin(pi / real(2 * (n + 1), c_double))**2
        factor = (1 - a) / (1 + a)
    end function

    !> The largest sin(pi x) on the grid.
    real(c_double) function highest_sine(n) result(sine)
        integer(c_int64_t), intent(in) :: n
        sine = sin(pi * real((n + 1) / 2, c_double) / real(n + 1, c_double))
    end function

    subroutine report()
        print '(a, i0, a, i0, a, i0, a)', 'grid        ', nx, ' x ', ny, ', ', steps, ' steps'
        print '(a, a)', 'backend     ', trim(merge('CUDA', 'host', backend == XBATCH_BACKEND_CUDA))
        print '(a, i0, a, i0, a)', 'time        ', nint(1000 * seconds), ' ms, of it solving ', &
            nint(1000 * seconds_of(solve_ticks)), ' ms'
        print '(a, es8.2, a)', 'rows solved ', 2 * real(nx, c_double) * real(ny, c_double) &
            * real(steps, c_double) / seconds_of(solve_ticks), ' a second'
        print '(a, es9.3, a, es9.3)', 'error       ', error, ', that of the scheme ', scheme_error
    end subroutine

    integer(c_int64_t) function ticks()
        call system_clock(ticks)
    end function

    real(c_double) function seconds_of(count)
        integer(c_int64_t), intent(in) :: count
        seconds_of = real(max(count, one), c_double) / real(clock_rate, c_double)
    end function

    subroutine check(status, routine)
        integer(c_int), intent(in) :: status
        character(*), intent(in) :: routine
        if (status == XBATCH_STATUS_SUCCESS) return
        write (error_unit, '(4a)') 'heat_adi: ', routine, ': ', xbatch_status_string(status)
        write (error_unit, '(a)') xbatch_last_error_message(handle)
        stop 1, quiet=.true.
    end subroutine
end program
