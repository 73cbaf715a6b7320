! poisson_mp.f90: Poisson's equation on the unit square by alternating directions (Peaceman and
! Rachford, 1955), with the rows of the grid distributed over MPI's ranks.
! SPDX-License-Identifier: BSD-3-Clause
!
!   -u_xx - u_yy = f, u = 0 on the boundary:  (A + B) u = f by second differences along x and y
!   (r + A) v = f + (r - B) u    x-lines: each rank's own, dgtsvBatch
!   (r + B) u = f + (r - A) v    y-lines: through all ranks, dptsvMp, since r + B is positive definite
!
! In an array (n, first:last) the x-lines are a FLAT batch and the y-lines an INTERLEAVED batch in the
! same memory. The shifts r form a geometric sequence between the smallest and the largest eigenvalue.
!
! Usage: poisson_mp [n [shifts]]      n: inner points in each direction
program poisson_mp
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int32_t, c_int64_t, c_int8_t, c_loc, &
        c_ptr, c_size_t
    use, intrinsic :: iso_fortran_env, only: error_unit
    use command_line, only: read_numbers
    use mpi_f08, only: MPI_Abort, MPI_Allreduce, MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, MPI_Finalize, &
        MPI_BXOR, MPI_Init, MPI_INTEGER8, MPI_MAX, MPI_PROC_NULL, MPI_Sendrecv, MPI_STATUS_IGNORE, &
        MPI_Wtime
    use xbatch, only: dgtsvBatch, dgtsvBatch_bufferSize, dptsvMp, xbatch_last_error_message, &
        xbatchCommCreate_mpi_f, xbatchCommDestroy, xbatchCommGetRank, xbatchCommGetSize, &
        xbatchCreate, xbatchDestroy, xbatchMpDestroyPlan, xbatchMpGetOffsets, xbatchSetThreadCount, &
        xgtsvMpCreatePlan, xptsvMp_bufferSize, XBATCH_BACKEND_HOST, XBATCH_LAYOUT_FLAT, &
        XBATCH_LAYOUT_INTERLEAVED, XBATCH_MP_DEFAULT, XBATCH_R_64F
    implicit none

    real(c_double), parameter :: pi = acos(-1.0_c_double), tolerance = 1e-11_c_double
    integer(c_int64_t), parameter :: shared = 0, one = 1
    integer, parameter :: most_cycles = 50

    type(c_ptr) :: handle, comm, plan
    integer(c_int) :: rank, ranks, before, after
    integer(c_int64_t) :: numbers(2) = [400, 8]  ! points, shifts
    integer(c_int64_t) :: n, first, last, rows, i, k
    integer(c_int64_t), allocatable :: offsets(:)
    integer(c_int32_t), allocatable :: info_x(:), info_y(:)
    integer(c_size_t) :: bytes_x, bytes_y
    integer(c_int8_t), allocatable, target :: workspace(:)
    real(c_double) :: h2, low, high, error, begin, seconds
    real(c_double), allocatable :: u(:, :), v(:, :), f(:, :)  ! u with a row of each neighbour
    real(c_double), allocatable :: side(:), d(:)
    integer :: cycle_number

    call read_numbers('poisson_mp [n [shifts]]', numbers, [20000_c_int64_t, 100_c_int64_t])
    n = numbers(1)
    h2 = 1 / real(n + 1, c_double)**2
    call MPI_Init()
    call check(xbatchCreate(handle, XBATCH_BACKEND_HOST), 'xbatchCreate')
    call check(xbatchCommCreate_mpi_f(handle, MPI_COMM_WORLD%mpi_val, comm), 'xbatchCommCreate_mpi_f')
    call check(xbatchCommGetRank(comm, rank), 'xbatchCommGetRank')
    call check(xbatchCommGetSize(comm, ranks), 'xbatchCommGetSize')
    if (ranks > 1) call check(xbatchSetThreadCount(handle, 1_c_int), 'xbatchSetThreadCount')
    call check(xgtsvMpCreatePlan(comm, XBATCH_R_64F, XBATCH_LAYOUT_INTERLEAVED, n, one, n, &
        blockStride=shared, flags=XBATCH_MP_DEFAULT, plan=plan), 'xgtsvMpCreatePlan')
    allocate (offsets(0:ranks))
    call check(xbatchMpGetOffsets(plan, offsets), 'xbatchMpGetOffsets')
    first = offsets(rank) + 1
    last = offsets(rank + 1)
    rows = last - first + 1
    call find_neighbours()

    allocate (u(n, first - 1:last + 1), source=0.0_c_double)
    allocate (v(n, first:last), f(n, first:last), info_x(rows), info_y(n), d(n))
    allocate (side(n), source=-1 / h2)
    do i = first, last
        f(:, i) = [(sin(pi * real(k, c_double) / real(n + 1, c_double)) + real(mod(i * k, 7_c_int64_t) - 3, c_double), k=1, n)]
    end do
    call check(dgtsvBatch_bufferSize(handle, XBATCH_LAYOUT_FLAT, n, one, rows, bytes_x), 'dgtsvBatch_bufferSize')
    call check(xptsvMp_bufferSize(plan, bytes_y), 'xptsvMp_bufferSize')
    allocate (workspace(max(bytes_x, bytes_y)))

    low = 4 / h2 * sin(pi / real(2 * (n + 1), c_double))**2
    high = 4 / h2 - low
    begin = MPI_Wtime()
    do cycle_number = 1, most_cycles
        do k = 1, numbers(2)
            call step(high * (low / high)**(real(2 * k - 1, c_double) / real(2 * numbers(2), c_double)))
        end do
        error = residual()
        if (error <= tolerance) exit
    end do
    seconds = MPI_Wtime() - begin
    call report()
    call check(xbatchMpDestroyPlan(plan), 'xbatchMpDestroyPlan')
    call check(xbatchCommDestroy(comm), 'xbatchCommDestroy')
    call check(xbatchDestroy(handle), 'xbatchDestroy')
    call MPI_Finalize()
    if (error > tolerance) error stop 'not converged'

contains

    ! The ranks with the rows before and after; ranks without rows are passed over.
    subroutine find_neighbours()
        before = rank - 1
        do while (before >= 0)
            if (offsets(before + 1) > offsets(before)) exit
            before = before - 1
        end do
        after = rank + 1
        do while (after < ranks)
            if (offsets(after + 1) > offsets(after)) exit
            after = after + 1
        end do
        if (before < 0) before = MPI_PROC_NULL
        if (after == ranks) after = MPI_PROC_NULL
    end subroutine

    subroutine exchange_halos()
        if (rows == 0) return
        call MPI_Sendrecv(u(:, first), int(n), MPI_DOUBLE_PRECISION, before, 0, u(:, last + 1), int(n), &
            MPI_DOUBLE_PRECISION, after, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call MPI_Sendrecv(u(:, last), int(n), MPI_DOUBLE_PRECISION, after, 1, u(:, first - 1), int(n), &
            MPI_DOUBLE_PRECISION, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end subroutine

    ! A a of one row, and B u of row i
    function along_x(a) result(differences)
        real(c_double), intent(in) :: a(:)
        real(c_double) :: differences(n)
        differences = 2 * a
        differences(2:) = differences(2:) - a(:n - 1)
        differences(:n - 1) = differences(:n - 1) - a(2:)
        differences = differences / h2
    end function
    function along_y(row) result(differences)
        integer(c_int64_t), intent(in) :: row
        real(c_double) :: differences(n)
        differences = (2 * u(:, row) - u(:, row - 1) - u(:, row + 1)) / h2
    end function

    subroutine step(r)
        real(c_double), intent(in) :: r
        d = 2 / h2 + r
        call exchange_halos()
        do i = first, last
            v(:, i) = f(:, i) + r * u(:, i) - along_y(i)
        end do
        call check(dgtsvBatch(handle, XBATCH_LAYOUT_FLAT, n, one, rows, side, d, side, shared, v, n, info_x, &
            c_loc(workspace), bytes_x), 'dgtsvBatch')
        do i = first, last
            u(:, i) = f(:, i) + r * v(:, i) - along_x(v(:, i))
        end do
        call check(dptsvMp(plan, d, side, shared, u(:, first:last), n, info_y, c_loc(workspace), bytes_y), 'dptsvMp')
        if (any(info_x /= 0) .or. any(info_y /= 0)) error stop 'a singular system'
    end subroutine

    ! ||f - (A + B) u|| / (||A + B|| ||u|| + ||f||), infinity norms
    function residual() result(relative)
        real(c_double) :: relative, largest(3), all(3)
        largest = 0
        call exchange_halos()
        do i = first, last
            largest(1) = max(largest(1), maxval(abs(f(:, i) - along_x(u(:, i)) - along_y(i))))
            largest(2:) = max(largest(2:), [maxval(abs(f(:, i))), maxval(abs(u(:, i)))])
        end do
        call MPI_Allreduce(largest, all, 3, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
        relative = all(1) / (8 / h2 * all(3) + all(2))
    end function

    ! Prints a number that changes with any bit of the solution, whichever rank has it.
    subroutine report()
        integer(c_int64_t) :: bits, all
        bits = 0
        do i = first, last
            do k = 1, n
                bits = ieor(bits, ishftc(transfer(u(k, i), bits), int(mod(i * n + k, 64_c_int64_t))))
            end do
        end do
        call MPI_Allreduce(bits, all, 1, MPI_INTEGER8, MPI_BXOR, MPI_COMM_WORLD)
        if (rank > 0) return
        print '(3(i0, a), es7.1, 2(a, i0), a, f0.3, a)', n, ' x ', n, ' points, ', ranks, ' ranks: residual ', error, &
            ' after ', min(cycle_number, most_cycles), ' cycles of ', numbers(2), ' shifts, ', seconds, ' s'
        print '(a, z16.16)', 'checksum ', all
    end subroutine

    subroutine check(status, what)
        integer(c_int), intent(in) :: status
        character(*), intent(in) :: what
        if (status == 0) return
        write (error_unit, '(4a)') what, ': ', xbatch_last_error_message(handle)
        call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine
end program
