! solve_mp.f90: a distributed system, and QR of a tall matrix, in Fortran, with the communicators of mpi_f08.
! SPDX-License-Identifier: BSD-3-Clause
program solve_mp
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int32_t, c_int64_t, c_int8_t, c_loc, c_ptr, c_size_t
    use mpi_f08, only: MPI_Allreduce, MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, MPI_Finalize, MPI_Init, MPI_SUM
    use xbatch, only: dgeqrtTsMp, dgtsvMp, dungqrtTsMp, xbatch_last_error_message, xbatchCommCreate_mpi_f, xbatchCommDestroy, &
        xbatchCommGetRank, &
        xbatchCommGetSize, xbatchCommSetTimeout, xbatchCreate, xbatchDestroy, xbatchMpDestroyPlan, xbatchMpGetOffsets, &
        xgelsTsMpGetOffsets, xgeqrtTsMp_bufferSize, xgtsvMp_bufferSize, xgtsvMpCreatePlan, xungqrtTsMp_bufferSize, &
        XBATCH_BACKEND_HOST, XBATCH_LAYOUT_FLAT, XBATCH_MP_DEFAULT, XBATCH_R_64F
    implicit none
    integer(c_int64_t), parameter :: n = 1000, batch = 3
    type(c_ptr) :: handle, comm, plan
    integer(c_int) :: rank, ranks
    integer(c_int64_t) :: rows
    integer(c_int64_t), allocatable, target :: offsets(:)
    integer(c_int32_t) :: info(batch)
    integer(c_size_t) :: bytes
    integer(c_int8_t), allocatable, target :: workspace(:)
    real(c_double), allocatable :: dl(:, :), d(:, :), du(:, :), b(:, :)

    call MPI_Init()
    call check(xbatchCreate(handle, XBATCH_BACKEND_HOST), 'xbatchCreate')
    call check(xbatchCommCreate_mpi_f(handle, MPI_COMM_WORLD%mpi_val, comm), 'xbatchCommCreate_mpi_f')
    call check(xbatchCommSetTimeout(comm, 60000_c_int64_t), 'xbatchCommSetTimeout')
    call check(xbatchCommGetRank(comm, rank), 'xbatchCommGetRank')
    call check(xbatchCommGetSize(comm, ranks), 'xbatchCommGetSize')
    call check(xgtsvMpCreatePlan(comm, XBATCH_R_64F, XBATCH_LAYOUT_FLAT, n, 1_c_int64_t, batch, &
        blockStride=0_c_int64_t, flags=XBATCH_MP_DEFAULT, plan=plan), 'xgtsvMpCreatePlan')
    allocate (offsets(0:ranks))
    call check(xbatchMpGetOffsets(plan, offsets), 'xbatchMpGetOffsets')
    rows = offsets(rank + 1) - offsets(rank)
    allocate (dl(rows, batch), d(rows, batch), du(rows, batch), b(rows, batch))
    dl = -1
    d = 2.5_c_double
    du = -1
    b = 0.5_c_double  ! the solution is 1 except near both ends
    call check(xgtsvMp_bufferSize(plan, bytes), 'xgtsvMp_bufferSize')
    allocate (workspace(bytes))
    call check(dgtsvMp(plan, dl, d, du, rows, b, rows, info, c_loc(workspace), bytes), 'dgtsvMp')
    if (any(info /= 0) .or. any(b < 0.499_c_double) .or. any(b > 1 + 1e-12_c_double)) error stop 'wrong solution'
    if (maxval(abs(b - 1)) > 1e-12_c_double .and. rank > 0 .and. rank < ranks - 1) error stop 'wrong rows'
    call check(xbatchMpDestroyPlan(plan), 'xbatchMpDestroyPlan')
    call factor_tall()
    call check(xbatchCommDestroy(comm), 'xbatchCommDestroy')
    call check(xbatchDestroy(handle), 'xbatchDestroy')
    call MPI_Finalize()

contains

    !> Columns 1 and the number of the row: Q^T Q = I, and the columns of Q R are those.
    subroutine factor_tall()
        integer(c_int64_t), parameter :: columns = 2
        integer(c_int64_t) :: i, first, m
        integer(c_size_t) :: factor_bytes
        integer(c_int8_t), allocatable, target :: factors(:), work(:)
        real(c_double) :: r(columns, columns), product(columns, columns), total(columns, columns)
        real(c_double), allocatable :: a(:, :), given(:, :), q(:, :)
        integer(c_int32_t) :: bad

        call check(xgelsTsMpGetOffsets(comm, n, columns, 0_c_int64_t, offsets), 'xgelsTsMpGetOffsets')
        first = offsets(rank)
        m = offsets(rank + 1) - first
        a = reshape([(1.0_c_double, i=1, m), (real(first + i, c_double), i=1, m)], [m, columns])
        given = a
        allocate (q(m, columns))
        call check(xgeqrtTsMp_bufferSize(comm, XBATCH_R_64F, n, columns, flags=XBATCH_MP_DEFAULT, &
            factorBytes=factor_bytes, workspaceBytes=bytes), 'xgeqrtTsMp_bufferSize')
        allocate (factors(factor_bytes), work(bytes))
        call check(dgeqrtTsMp(comm, n, columns, flags=XBATCH_MP_DEFAULT, A=a, lda=m, factors=c_loc(factors), R=r, &
            ldr=columns, info=bad, workspace=c_loc(work), workspaceBytes=bytes), 'dgeqrtTsMp')
        call check(xungqrtTsMp_bufferSize(comm, XBATCH_R_64F, n, columns, flags=XBATCH_MP_DEFAULT, &
            workspaceBytes=bytes), 'xungqrtTsMp_bufferSize')
        deallocate (work)
        allocate (work(bytes))
        call check(dungqrtTsMp(comm, n, columns, flags=XBATCH_MP_DEFAULT, A=a, lda=m, factors=c_loc(factors), Q=q, &
            ldq=m, workspace=c_loc(work), workspaceBytes=bytes), 'dungqrtTsMp')
        product = matmul(transpose(q), q)
        call MPI_Allreduce(product, total, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
        total(1, 1) = total(1, 1) - 1
        total(2, 2) = total(2, 2) - 1
        if (bad /= 0 .or. maxval(abs(total)) > 1e-13_c_double) error stop 'Q is not orthonormal'
        if (maxval(abs(matmul(q, r) - given)) > 1e-10_c_double) error stop 'Q R is another matrix'
    end subroutine

    subroutine check(status, what)
        integer(c_int), intent(in) :: status
        character(*), intent(in) :: what
        if (status == 0) return
        print '(4a)', what, ': ', xbatch_last_error_message(handle)
        error stop 1
    end subroutine
end program
