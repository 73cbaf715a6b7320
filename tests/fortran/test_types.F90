! test_types.F90: the generic names in one element type, ELEMENT(REAL_KIND) = TYPE as the build defines it, in all
! layouts. Solutions are checked by their componentwise backward error |b - A x| / (|A||x| + |b|) in eps, recurrences by
! the plain loop in double precision, rearrangement element by element; unused entries and padding are NaN, and padding
! must not change.
! SPDX-License-Identifier: BSD-3-Clause
module cases
    use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
    use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int8_t, c_int32_t, &
        c_int64_t, c_loc, c_null_ptr, c_ptr, c_size_t
    use checks, only: check, check_status, elements, finish, place
    use xbatch, only: folrPscheme, gtsvBatch, gtsvOddEven, gtsvPeriodicBatch, gtsvPscheme, &
        gtsvThomas, gtsvVBatch, gttrfBatch, gttrsBatch, ptsvBatch, pttrfBatch, pttrsBatch, &
        rearrange, TYPE, XBATCH_BACKEND_HOST, XBATCH_BACKWARD, XBATCH_FORWARD, &
        XBATCH_LAYOUT_BLOCK_INTERLEAVED, XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_INTERLEAVED, &
        XBATCH_NORM_INF, XBATCH_OP_C, XBATCH_OP_N, XBATCH_OP_T, XBATCH_STATUS_SUCCESS, &
        xbatchCreate, xbatchDestroy, xbatchMgSplitBatch, xfolrPscheme, xfolrPscheme_bufferSize, &
        xgtconBatch, &
        xgtconBatch_bufferSize, xgtsvBatch, xgtsvBatchMg, xgtsvBatch_bufferSize, xgtsvOddEven, &
        xgtsvOddEven_bufferSize, xgtsvPeriodicBatch, xgtsvPeriodicBatch_bufferSize, xgtsvPscheme, &
        xgtsvPscheme_bufferSize, xgtsvThomas, xgtsvThomas_bufferSize, xgtsvVBatch, &
        xgtsvVBatch_bufferSize, xgttrfBatch, xgttrfBatch_bufferSize, xgttrsBatch, &
        xgttrsBatch_bufferSize, xptsvBatch_bufferSize, xpttrfBatch_bufferSize, &
        xpttrsBatch_bufferSize, xrearrange
    implicit none
    private
    public :: run

    integer, parameter :: k = REAL_KIND
    character(17), parameter :: layout_names(3) = &
        [character(17) :: 'flat', 'interleaved', 'block-interleaved']
    integer(c_int64_t), parameter :: n = 37, nrhs = 2, batch = 11
    integer, parameter :: pscheme = 1, thomas = 2, oddeven = 3, pivoted = 4, periodic = 5
    character(13), parameter :: solver_names(5) = &
        [character(13) :: 'Pscheme', 'Thomas', 'OddEven', 'Batch', 'PeriodicBatch']

    type(c_ptr) :: handle

contains

    subroutine run()
        integer(c_int), parameter :: layouts(3) = [XBATCH_LAYOUT_FLAT, &
            XBATCH_LAYOUT_INTERLEAVED, XBATCH_LAYOUT_BLOCK_INTERLEAVED]
        integer :: from, to, solver
        call check_status(xbatchCreate(handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS, 'new')
        do from = 1, 3
            do solver = pscheme, periodic
                call test_solve(layouts(from), leading_dimension(layouts(from)), solver)
                call test_solve(layouts(from), 0_c_int64_t, solver)
            end do
            call test_factors(layouts(from), leading_dimension(layouts(from)))
            call test_factors(layouts(from), 0_c_int64_t)
            call test_positive(layouts(from), leading_dimension(layouts(from)))
            call test_positive(layouts(from), 0_c_int64_t)
            call test_recurrence(layouts(from), backward=.false.)
            call test_recurrence(layouts(from), backward=.true.)
            call test_shares(layouts(from))
            do to = 1, 3
                call test_rearrange(layouts(from), layouts(to))
            end do
        end do
        call test_lengths()
        call check_status(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS, 'destroy')
        call finish()
    end subroutine

    !> Padded where the layout allows it; 11 systems do not fill their blocks of 4.
    integer(c_int64_t) function leading_dimension(layout) result(ld)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), parameter :: choice(3) = [n + 3, batch + 2, 4_c_int64_t]
        ld = choice(layout + 1)
    end function

    subroutine test_solve(layout, ldt, solver)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: ldt  ! 0: one set of coefficients for all systems
        integer, intent(in) :: solver
        ELEMENT(k), allocatable, target :: dl(:), d(:), du(:), b(:), x(:), again(:)
        integer(c_int32_t), target :: info(batch)
        integer(c_int8_t), allocatable, target :: workspace(:)
        integer(c_size_t) :: bytes
        integer(c_int64_t) :: ldb, sets
        integer(c_int) :: status
        character(:), allocatable :: what

        what = trim(solver_names(solver)) // ', ' // layout_names(layout + 1)
        if (ldt == 0) what = what // ', shared coefficients'
        ldb = leading_dimension(layout)
        sets = merge(1_c_int64_t, batch, ldt == 0)
        allocate(dl(coefficient_count(layout, ldt)), source=poison())
        d = dl
        du = dl
        allocate(b(elements(layout, n, nrhs, batch, ldb)), source=poison())
        call set_matrices(layout, ldt, sets, solver == periodic, dl, d, du)
        call set_random(layout, nrhs, ldb, b)

        select case (solver)
        case (pscheme)
            status = xgtsvPscheme_bufferSize(handle, TYPE, layout, n, nrhs, batch, bytes)
        case (thomas)
            status = xgtsvThomas_bufferSize(handle, TYPE, layout, n, nrhs, batch, bytes)
        case (oddeven)
            status = xgtsvOddEven_bufferSize(handle, TYPE, layout, n, nrhs, batch, bytes)
        case (pivoted)
            status = xgtsvBatch_bufferSize(handle, TYPE, layout, n, nrhs, batch, bytes)
        case default  ! periodic
            status = xgtsvPeriodicBatch_bufferSize(handle, TYPE, layout, n, nrhs, batch, bytes)
        end select
        call check_status(status, XBATCH_STATUS_SUCCESS, what // ', buffer size')
        allocate(workspace(max(bytes, 1_c_size_t)))

        x = b
        info = -1
        call check_status(solve(x, info), XBATCH_STATUS_SUCCESS, what)
        call check(all(info == 0), what // ', info')
        call check(backward_error(layout, ldt, solver == periodic, dl, d, du, ldb, b, x) < 30, &
            what // ', residual')
        call check(same_padding(layout, nrhs, ldb, b, x), what // ', padding kept')

        again = b
        call check_status(solve(again), XBATCH_STATUS_SUCCESS, what // ', without info')
        call check(same(again, x), what // ', the same without info')

        again = b
        info = -1
        call check_status(solve_by_address(), XBATCH_STATUS_SUCCESS, what // ', by address')
        call check(same(again, x) .and. all(info == 0), what // ', the same by address')

        if (ldt == 0) return
        d(coefficient(layout, ldt, 0_c_int64_t, 5_c_int64_t)) = 0  ! with du and dl the whole first row
        du(coefficient(layout, ldt, 0_c_int64_t, 5_c_int64_t)) = 0
        if (solver == periodic) dl(coefficient(layout, ldt, 0_c_int64_t, 5_c_int64_t)) = 0
        again = b
        call check_status(solve(again, info), XBATCH_STATUS_SUCCESS, what // ', one singular')
        call check(info(6) > 0 .and. count(info /= 0) == 1, what // ', info of the singular one')

    contains

        integer(c_int) function solve(right_hand_sides, info) result(status)
            ELEMENT(k), intent(inout) :: right_hand_sides(:)
            integer(c_int32_t), intent(inout), optional :: info(batch)
            select case (solver)
            case (pscheme)
                status = gtsvPscheme(handle, layout, n, nrhs, batch, dl, d, du, ldt, &
                    right_hand_sides, ldb, info, c_loc(workspace), bytes)
            case (thomas)
                status = gtsvThomas(handle, layout, n, nrhs, batch, dl, d, du, ldt, &
                    right_hand_sides, ldb, info, c_loc(workspace), bytes)
            case (oddeven)
                status = gtsvOddEven(handle, layout, n, nrhs, batch, dl, d, du, ldt, &
                    right_hand_sides, ldb, info, c_loc(workspace), bytes)
            case (pivoted)
                status = gtsvBatch(handle, layout, n, nrhs, batch, dl, d, du, ldt, &
                    right_hand_sides, ldb, info, c_loc(workspace), bytes)
            case default  ! periodic
                status = gtsvPeriodicBatch(handle, layout, n, nrhs, batch, dl, d, du, ldt, &
                    right_hand_sides, ldb, info, c_loc(workspace), bytes)
            end select
        end function

        integer(c_int) function solve_by_address() result(status)
            select case (solver)
            case (pscheme)
                status = xgtsvPscheme(handle, TYPE, layout, n, nrhs, batch, c_loc(dl), &
                    c_loc(d), c_loc(du), ldt, c_loc(again), ldb, c_loc(info), c_loc(workspace), &
                    bytes)
            case (thomas)
                status = xgtsvThomas(handle, TYPE, layout, n, nrhs, batch, c_loc(dl), &
                    c_loc(d), c_loc(du), ldt, c_loc(again), ldb, c_loc(info), c_loc(workspace), &
                    bytes)
            case (oddeven)
                status = xgtsvOddEven(handle, TYPE, layout, n, nrhs, batch, c_loc(dl), &
                    c_loc(d), c_loc(du), ldt, c_loc(again), ldb, c_loc(info), c_loc(workspace), &
                    bytes)
            case (pivoted)
                status = xgtsvBatch(handle, TYPE, layout, n, nrhs, batch, c_loc(dl), &
                    c_loc(d), c_loc(du), ldt, c_loc(again), ldb, c_loc(info), c_loc(workspace), &
                    bytes)
            case default  ! periodic
                status = xgtsvPeriodicBatch(handle, TYPE, layout, n, nrhs, batch, c_loc(dl), &
                    c_loc(d), c_loc(du), ldt, c_loc(again), ldb, c_loc(info), c_loc(workspace), &
                    bytes)
            end select
        end function
    end subroutine

    !> LU factors: solves with A, A^T and A^H, determinant, condition.
    subroutine test_factors(layout, ldt)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: ldt  ! 0: one matrix for all systems
        integer(c_int), parameter :: operations(3) = [XBATCH_OP_N, XBATCH_OP_T, XBATCH_OP_C]
        ELEMENT(k), allocatable, target :: dl(:), d(:), du(:), b(:), x(:)
        ELEMENT(k), allocatable :: low(:), on(:), up(:)
        ELEMENT(k), target :: sign(batch)
        real(k), target :: logdet(batch), rcond(batch)
        integer(c_int32_t), target :: info(batch)
        integer(c_int8_t), allocatable, target :: factors(:), again(:), workspace(:)
        integer(c_size_t) :: factor_bytes, bytes
        integer(c_int64_t) :: ldb, sets
        integer :: step
        character(:), allocatable :: what

        what = 'factors, ' // layout_names(layout + 1)
        if (ldt == 0) what = what // ', shared'
        ldb = leading_dimension(layout)
        sets = merge(1_c_int64_t, batch, ldt == 0)
        allocate(dl(coefficient_count(layout, ldt)), source=poison())
        d = dl
        du = dl
        allocate(b(elements(layout, n, nrhs, batch, ldb)), source=poison())
        call set_matrices(layout, ldt, sets, .false., dl, d, du)
        call set_random(layout, nrhs, ldb, b)

        call check_status(xgttrfBatch_bufferSize(handle, TYPE, layout, n, sets, factor_bytes, &
            bytes), XBATCH_STATUS_SUCCESS, what // ', buffer sizes')
        allocate(factors(factor_bytes), workspace(max(bytes, 1_c_size_t)))
        factors = 0  ! gaps between the internal arrays remain 0
        again = factors
        info = -1
        call check_status(gttrfBatch(handle, layout, n, sets, dl, d, du, ldt, c_loc(factors), &
            logdet, sign, info, c_loc(workspace), bytes), XBATCH_STATUS_SUCCESS, what)
        call check(all(info(1:sets) == 0), what // ', info')
        call check(all(logdet(1:sets) > 0 .and. logdet(1:sets) < 2 * n), what // ', logdet')
        call check(all(abs(abs(sign(1:sets)) - 1) < 1e-5), what // ', sign')
        call check_status(gttrfBatch(handle, layout, n, sets, dl, d, du, ldt, c_loc(again), &
            workspace=c_loc(workspace), workspaceBytes=bytes), XBATCH_STATUS_SUCCESS, what)
        call check(all(factors == again), what // ', the same without results')
        call check_status(xgttrfBatch(handle, TYPE, layout, n, sets, c_loc(dl), c_loc(d), &
            c_loc(du), ldt, c_loc(again), c_loc(logdet), c_loc(sign), c_loc(info), &
            c_loc(workspace), bytes), XBATCH_STATUS_SUCCESS, what // ', by address')
        call check(all(factors == again), what // ', the same by address')

        do step = 1, 3
            call check_status(xgttrsBatch_bufferSize(handle, TYPE, layout, operations(step), n, &
                nrhs, batch, sets, bytes), XBATCH_STATUS_SUCCESS, what // ', buffer size')
            deallocate(workspace)
            allocate(workspace(max(bytes, 1_c_size_t)))
            x = b
            call check_status(gttrsBatch(handle, layout, operations(step), n, nrhs, batch, sets, &
                c_loc(factors), x, ldb, c_loc(workspace), bytes), XBATCH_STATUS_SUCCESS, what)
            call apply(operations(step))
            call check(backward_error(layout, ldt, .false., low, on, up, ldb, b, x) < 30, &
                what // ', residual')
            call check(same_padding(layout, nrhs, ldb, b, x), what // ', padding kept')
        end do

        call check_status(xgtconBatch_bufferSize(handle, TYPE, layout, XBATCH_NORM_INF, n, sets, &
            bytes), XBATCH_STATUS_SUCCESS, what // ', condition, buffer size')
        deallocate(workspace)
        allocate(workspace(max(bytes, 1_c_size_t)))
        call check_status(xgtconBatch(handle, TYPE, layout, XBATCH_NORM_INF, n, sets, &
            c_loc(factors), c_loc(rcond), c_loc(workspace), bytes), XBATCH_STATUS_SUCCESS, what)
        call check(all(rcond(1:sets) > 0.05 .and. rcond(1:sets) <= 1), what // ', condition')

    contains

        !> The coefficients of op(A)
        subroutine apply(op)
            integer(c_int), intent(in) :: op
            integer(c_int64_t) :: i, j, here, next
            low = dl
            on = d
            up = du
            if (op == XBATCH_OP_N) return
            do j = 0, sets - 1
                do i = 0, n - 1
                    here = coefficient(layout, ldt, i, j)
                    if (op == XBATCH_OP_C) on(here) = conjugate(d(here))
                    if (i == n - 1) cycle
                    next = coefficient(layout, ldt, i + 1, j)
                    up(here) = dl(next)
                    low(next) = du(here)
                    if (op == XBATCH_OP_C) up(here) = conjugate(dl(next))
                    if (op == XBATCH_OP_C) low(next) = conjugate(du(here))
                end do
            end do
        end subroutine
    end subroutine

    !> Positive definite systems, in one call and by factors.
    subroutine test_positive(layout, ldt)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: ldt  ! 0: one matrix for all systems
        ELEMENT(k), allocatable :: dl(:), d(:), du(:), e(:), b(:), x(:), y(:)
        real(k), allocatable :: diagonal(:)
        real(k) :: logdet(batch)
        integer(c_int32_t) :: info(batch)
        integer(c_int8_t), allocatable, target :: factors(:), workspace(:)
        integer(c_size_t) :: factor_bytes, bytes(3)
        integer(c_int64_t) :: ldb, sets, i, j, here, next
        character(:), allocatable :: what

        what = 'positive definite, ' // layout_names(layout + 1)
        if (ldt == 0) what = what // ', shared'
        ldb = leading_dimension(layout)
        sets = merge(1_c_int64_t, batch, ldt == 0)
        allocate(dl(coefficient_count(layout, ldt)), source=poison())
        d = dl
        du = dl
        e = dl
        allocate(b(elements(layout, n, nrhs, batch, ldb)), source=poison())
        call set_matrices(layout, ldt, sets, .false., dl, d, du)
        call set_random(layout, nrhs, ldb, b)
        do j = 0, sets - 1
            do i = 0, n - 1
                here = coefficient(layout, ldt, i, j)
                d(here) = real(d(here), k)
                if (i == n - 1) cycle
                next = coefficient(layout, ldt, i + 1, j)
                e(here) = dl(next)
                du(here) = conjugate(dl(next))
            end do
        end do
        diagonal = real(d, k)

        call check_status(xptsvBatch_bufferSize(handle, TYPE, layout, n, nrhs, batch, bytes(1)), &
            XBATCH_STATUS_SUCCESS, what // ', buffer size')
        call check_status(xpttrfBatch_bufferSize(handle, TYPE, layout, n, sets, factor_bytes, &
            bytes(2)), XBATCH_STATUS_SUCCESS, what // ', factors, buffer sizes')
        call check_status(xpttrsBatch_bufferSize(handle, TYPE, layout, n, nrhs, batch, sets, &
            bytes(3)), XBATCH_STATUS_SUCCESS, what // ', solve, buffer size')
        allocate(factors(factor_bytes), workspace(max(maxval(bytes), 1_c_size_t)))

        x = b
        info = -1
        call check_status(ptsvBatch(handle, layout, n, nrhs, batch, diagonal, e, ldt, x, ldb, &
            info, c_loc(workspace), bytes(1)), XBATCH_STATUS_SUCCESS, what)
        call check(all(info == 0), what // ', info')
        call check(backward_error(layout, ldt, .false., dl, d, du, ldb, b, x) < 30, &
            what // ', residual')
        call check(same_padding(layout, nrhs, ldb, b, x), what // ', padding kept')

        y = b
        info = -1
        call check_status(pttrfBatch(handle, layout, n, sets, diagonal, e, ldt, c_loc(factors), &
            logdet, info, c_loc(workspace), bytes(2)), XBATCH_STATUS_SUCCESS, what // ', factors')
        call check(all(info(1:sets) == 0), what // ', factors, info')
        call check(all(logdet(1:sets) > 0 .and. logdet(1:sets) < 2 * n), what // ', logdet')
        call check_status(pttrsBatch(handle, layout, n, nrhs, batch, sets, c_loc(factors), y, &
            ldb, c_loc(workspace), bytes(3)), XBATCH_STATUS_SUCCESS, what // ', by factors')
        call check(backward_error(layout, ldt, .false., dl, d, du, ldb, b, y) < 30, &
            what // ', by factors, residual')
    end subroutine

    !> Systems of 0, 1, ... rows: off-diagonals 1, diagonal 4, solution 1.
    subroutine test_lengths()
        integer(c_int64_t), parameter :: one = 1
        ELEMENT(k), allocatable, target :: dl(:), d(:), du(:), b(:), again(:)
        integer(c_int64_t), target :: offsets(batch + 1)
        integer(c_int32_t), target :: info(batch)
        integer(c_int8_t), allocatable, target :: workspace(:)
        integer(c_size_t) :: bytes
        integer(c_int64_t) :: rows, first, last
        integer(c_int) :: status
        integer :: j

        offsets = [((j - one) * (j - 2) / 2, j = 1, int(batch) + 1)]
        rows = offsets(batch + 1)
        allocate(dl(rows), d(rows), du(rows), b(rows))
        dl = 1
        d = 4
        du = 1
        b = 6
        do j = 2, int(batch)
            first = offsets(j) + 1
            last = offsets(j + 1)
            b(first) = b(first) - 1
            b(last) = b(last) - 1
            dl(first) = poison()
            du(last) = poison()
        end do
        again = b
        status = xgtsvVBatch_bufferSize(handle, TYPE, one, batch, batch, bytes)
        call check_status(status, XBATCH_STATUS_SUCCESS, 'VBatch, buffer size')
        allocate(workspace(max(bytes, 1_c_size_t)))
        info = -1
        status = gtsvVBatch(handle, one, batch, batch, offsets, dl, d, du, b, rows, info, &
            c_loc(workspace), bytes)
        call check_status(status, XBATCH_STATUS_SUCCESS, 'VBatch')
        call check(all(info == 0), 'VBatch, info')
        call check(all(abs(b - 1) < 30 * epsilon(1.0_k)), 'VBatch, solution')
        status = xgtsvVBatch(handle, TYPE, one, batch, batch, c_loc(offsets), c_loc(dl), c_loc(d), &
            c_loc(du), c_loc(again), rows, c_loc(info), c_loc(workspace), bytes)
        call check_status(status, XBATCH_STATUS_SUCCESS, 'VBatch, by address')
        call check(same(again, b), 'VBatch, the same by address')
    end subroutine

    !> Diagonally dominant by rows; dl(0, j) and du(n-1, j) are NaN unless they are corners.
    subroutine set_matrices(layout, ldt, sets, corners, dl, d, du)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: ldt, sets
        logical, intent(in) :: corners
        ELEMENT(k), intent(inout) :: dl(:), d(:), du(:)
        integer(c_int64_t) :: i, j, at
        do j = 0, sets - 1
            do i = 0, n - 1
                at = coefficient(layout, ldt, i, j)
                if (i > 0 .or. corners) dl(at) = random()
                if (i < n - 1 .or. corners) du(at) = random()
                d(at) = 4 + random()
            end do
        end do
    end subroutine

    subroutine set_random(layout, columns, ld, a)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: columns, ld
        ELEMENT(k), intent(inout) :: a(:)
        integer(c_int64_t) :: i, j, r
        do j = 0, batch - 1
            do r = 0, columns - 1
                do i = 0, n - 1
                    a(place(layout, n, columns, ld, i, j, r)) = random()
                end do
            end do
        end do
    end subroutine

    integer(c_int64_t) function coefficient_count(layout, ldt) result(length)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: ldt
        length = n
        if (ldt > 0) length = elements(layout, n, 1_c_int64_t, batch, ldt)
    end function

    integer(c_int64_t) function coefficient(layout, ldt, i, j) result(at)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: ldt, i, j
        at = i + 1
        if (ldt > 0) at = place(layout, n, 1_c_int64_t, ldt, i, j, 0_c_int64_t)
    end function

    !> max |b - A x| / (|A||x| + |b|) over all rows in units of eps.
    real(k) function backward_error(layout, ldt, corners, dl, d, du, ldb, b, x) result(worst)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: ldt, ldb
        logical, intent(in) :: corners
        ELEMENT(k), intent(in) :: dl(:), d(:), du(:), b(:), x(:)
        integer(c_int64_t) :: i, j, r, at, row
        complex(c_double) :: residual
        real(c_double) :: scale, ratio
        worst = 0
        do j = 0, batch - 1
            do r = 0, nrhs - 1
                do i = 0, n - 1
                    at = coefficient(layout, ldt, i, j)
                    row = place(layout, n, nrhs, ldb, i, j, r)
                    residual = wide(b(row))
                    scale = abs(residual)
                    call subtract(d(at), x(row))
                    if (i > 0 .or. corners) then
                        call subtract(dl(at), x(place(layout, n, nrhs, ldb, mod(i+n-1, n), j, r)))
                    end if
                    if (i < n - 1 .or. corners) then
                        call subtract(du(at), x(place(layout, n, nrhs, ldb, mod(i+1, n), j, r)))
                    end if
                    ratio = abs(residual) / (scale * epsilon(worst))
                    if (.not. ratio < huge(worst)) ratio = huge(worst)  ! NaN too
                    worst = max(worst, real(ratio, k))
                end do
            end do
        end do

    contains

        subroutine subtract(factor, value)
            ELEMENT(k), intent(in) :: factor, value
            residual = residual - wide(factor) * wide(value)
            scale = scale + abs(wide(factor) * wide(value))
        end subroutine
    end function

    !> Two shares on two handles, each with all of the systems but the last three of the second one.
    subroutine test_shares(layout)
        integer(c_int), intent(in) :: layout
        ELEMENT(k), allocatable, target :: dl(:), d(:), du(:), b(:), x(:, :)
        integer(c_int8_t), allocatable, target :: workspace(:, :)
        integer(c_int32_t), target :: info(batch, 2)
        type(c_ptr) :: handles(2)
        integer(c_size_t) :: bytes
        integer(c_int64_t) :: ld, offsets(3), systems(2)
        integer :: share

        call check_status(xbatchMgSplitBatch(2, 4_c_int64_t, batch, offsets), &
            XBATCH_STATUS_SUCCESS, 'shares of a batch')
        call check(all(offsets == [0_c_int64_t, 4_c_int64_t, batch]), 'shares of a batch in blocks')
        ld = leading_dimension(layout)
        allocate(dl(coefficient_count(layout, ld)), source=poison())
        d = dl
        du = dl
        allocate(b(elements(layout, n, nrhs, batch, ld)), source=poison())
        call set_matrices(layout, ld, batch, .false., dl, d, du)
        call set_random(layout, nrhs, ld, b)
        allocate(x(size(b), 3))
        systems = [batch, batch - 3]
        handles(1) = handle
        call check_status(xbatchCreate(handles(2), XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS, 'new')
        x(:, 1) = b
        x(:, 2) = b
        info = -1
        call check_status(xgtsvBatch_bufferSize(handle, TYPE, layout, n, nrhs, batch, bytes), &
            XBATCH_STATUS_SUCCESS, 'two shares, buffer size')
        bytes = (bytes + 15) / 16 * 16
        allocate(workspace(bytes, 2))
        call check_status(xgtsvBatchMg(2, handles, TYPE, layout, n, nrhs, systems, &
            [c_loc(dl), c_loc(dl)], [c_loc(d), c_loc(d)], [c_loc(du), c_loc(du)], [ld, ld], &
            [c_loc(x(:, 1)), c_loc(x(:, 2))], [ld, ld], [c_loc(info(:, 1)), c_loc(info(:, 2))], &
            [c_loc(workspace(:, 1)), c_loc(workspace(:, 2))], [bytes, bytes]), XBATCH_STATUS_SUCCESS, &
            'two shares')
        call check(all(info(:, 1) == 0) .and. all(info(:batch - 3, 2) == 0) .and. &
            all(info(batch - 2:, 2) == -1), 'info of two shares')
        do share = 1, 2
            x(:, 3) = b
            call check_status(gtsvBatch(handle, layout, n, nrhs, systems(share), dl, d, du, ld, &
                x(:, 3), ld, workspace=c_loc(workspace), workspaceBytes=bytes), &
                XBATCH_STATUS_SUCCESS, 'one share')
            call check(same(x(:, share), x(:, 3)), 'a share has the bits of one call')
        end do
        call check_status(xbatchDestroy(handles(2)), XBATCH_STATUS_SUCCESS, 'destroy')
    end subroutine

    subroutine test_recurrence(layout, backward)
        integer(c_int), intent(in) :: layout
        logical, intent(in) :: backward
        ELEMENT(k), allocatable, target :: s(:), t(:), w(:), poisoned(:)
        ELEMENT(k) :: w0(batch * nrhs), constant(1)
        integer(c_int8_t), allocatable, target :: workspace(:)
        integer(c_size_t) :: bytes
        integer(c_int64_t) :: ld, j
        integer(c_int) :: direction, status
        character(:), allocatable :: what

        direction = merge(XBATCH_BACKWARD, XBATCH_FORWARD, backward)
        what = 'recurrence ' // trim(merge('backward', 'forward ', backward)) &
            // ', ' // layout_names(layout + 1)
        ld = leading_dimension(layout)
        allocate(s(elements(layout, n, 1_c_int64_t, batch, ld)), source=poison())
        allocate(t(elements(layout, n, nrhs, batch, ld)), source=poison())
        poisoned = t
        call set_random(layout, 1_c_int64_t, ld, s)
        call set_random(layout, nrhs, ld, t)
        do j = 1, batch * nrhs
            w0(j) = random()
        end do
        status = xfolrPscheme_bufferSize(handle, TYPE, layout, direction, n, nrhs, batch, bytes)
        call check_status(status, XBATCH_STATUS_SUCCESS, what // ', buffer size')
        allocate(workspace(max(bytes, 1_c_size_t)))

        w = poisoned
        status = folrPscheme(handle, layout, direction, n, nrhs, batch, s, 1_c_int64_t, ld, &
            t, 1_c_int64_t, ld, w0, w, ld, c_loc(workspace), bytes)
        call check_status(status, XBATCH_STATUS_SUCCESS, what)
        call check(loop_agrees(s, 1_c_int64_t, w0), what // ', as the loop')
        call check(same_padding(layout, nrhs, ld, poisoned, w), what // ', padding kept')

        w = poisoned
        constant = random()
        status = folrPscheme(handle, layout, direction, n, nrhs, batch, constant, &
            0_c_int64_t, 0_c_int64_t, t, 1_c_int64_t, ld, w=w, ldw=ld, workspace=c_loc(workspace), &
            workspaceBytes=bytes)
        call check_status(status, XBATCH_STATUS_SUCCESS, what // ', constant s, no w0')
        call check(loop_agrees(constant, 0_c_int64_t), what // ', constant s, no w0, as the loop')

        w = t
        status = xfolrPscheme(handle, TYPE, layout, direction, n, nrhs, batch, c_loc(s), &
            1_c_int64_t, ld, c_loc(w), 1_c_int64_t, ld, c_null_ptr, c_loc(w), ld, &
            c_loc(workspace), bytes)
        call check_status(status, XBATCH_STATUS_SUCCESS, what // ', in place')
        call check(loop_agrees(s, 1_c_int64_t), what // ', in place, as the loop')

    contains

        !> |w - loop| <= 8 eps n times the loop over absolute values, a wider bound than that of recurrence.h.
        logical function loop_agrees(factors, incs, before) result(agrees)
            ELEMENT(k), intent(in) :: factors(:)
            integer(c_int64_t), intent(in) :: incs
            ELEMENT(k), intent(in), optional :: before(:)
            complex(c_double) :: expected, factor, term
            real(c_double) :: bound
            integer(c_int64_t) :: i, step, row, j, r
            agrees = .true.
            do j = 0, batch - 1
                do r = 0, nrhs - 1
                    expected = 0
                    if (present(before)) expected = wide(before(1 + j * nrhs + r))
                    bound = abs(expected)
                    do step = 0, n - 1
                        i = merge(n - 1 - step, step, backward)
                        row = place(layout, n, nrhs, ld, i, j, r)
                        factor = wide(factors(1))
                        if (incs == 1) factor = wide(factors(coefficient(layout, ld, i, j)))
                        term = wide(t(row))
                        expected = factor * expected + term
                        bound = abs(factor) * bound + abs(term)
                        agrees = agrees .and. &
                            abs(wide(w(row)) - expected) <= 8 * n * epsilon(1.0_k) * bound
                    end do
                end do
            end do
        end function
    end subroutine

    subroutine test_rearrange(from, to)
        integer(c_int), intent(in) :: from, to
        ELEMENT(k), allocatable, target :: source(:), moved(:), poisoned(:), back(:)
        integer(c_int64_t) :: ldsrc, lddst, i, j
        integer(c_int) :: status
        logical :: right
        character(:), allocatable :: what

        what = 'rearrange ' // trim(layout_names(from + 1)) // ' to ' // layout_names(to + 1)
        ldsrc = leading_dimension(from)
        lddst = leading_dimension(to) + 1
        allocate(source(elements(from, n, 1_c_int64_t, batch, ldsrc)), source=poison())
        allocate(moved(elements(to, n, 1_c_int64_t, batch, lddst)), source=poison())
        back = source
        poisoned = moved
        call set_random(from, 1_c_int64_t, ldsrc, source)
        status = rearrange(handle, n, batch, from, source, ldsrc, to, moved, lddst)
        call check_status(status, XBATCH_STATUS_SUCCESS, what)
        right = .true.
        do j = 0, batch - 1
            do i = 0, n - 1
                right = right .and. &
                    same([moved(coefficient(to, lddst, i, j))], &
                    [source(coefficient(from, ldsrc, i, j))])
            end do
        end do
        call check(right, what // ', every element in its place')
        call check(same_padding(to, 1_c_int64_t, lddst, poisoned, moved), what // ', padding kept')
        status = xrearrange(handle, TYPE, n, batch, to, c_loc(moved), lddst, from, &
            c_loc(back), ldsrc)
        call check_status(status, XBATCH_STATUS_SUCCESS, what // ' and back')
        call check(same(back, source), what // ' and back, bit by bit')
    end subroutine

    !> Bit by bit, so that NaN equals itself.
    logical function same(a, b)
        ELEMENT(k), intent(in) :: a(:), b(:)
        same = size(a) == size(b)
        if (same) same = all(transfer(a, [0_c_int8_t]) == transfer(b, [0_c_int8_t]))
    end function

    !> Whether all that is not an element of the batch is equal in both.
    logical function same_padding(layout, columns, ld, before, after)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: columns, ld
        ELEMENT(k), intent(in) :: before(:), after(:)
        ELEMENT(k) :: restored(size(after))
        integer(c_int64_t) :: i, j, r, at
        restored = after
        do j = 0, batch - 1
            do r = 0, columns - 1
                do i = 0, n - 1
                    at = place(layout, n, columns, ld, i, j, r)
                    restored(at) = before(at)
                end do
            end do
        end do
        same_padding = same(restored, before)
    end function

    complex(c_double) function wide(element)
        ELEMENT(k), intent(in) :: element
        wide = cmplx(element, kind=c_double)
    end function

    ELEMENT(k) function conjugate(element)
        ELEMENT(k), intent(in) :: element
#ifdef COMPLEX_ELEMENT
        conjugate = conjg(element)
#else
        conjugate = element
#endif
    end function

    !> A random number in the unit disc around 0.
    function random() result(element)
        ELEMENT(k) :: element
        real(k) :: part(2)
        call random_number(part)
        element = element_of(2 * part - 1)
    end function

    function poison() result(element)
        ELEMENT(k) :: element
        element = element_of([ieee_value(0.0_k, ieee_quiet_nan), ieee_value(0.0_k, ieee_quiet_nan)])
    end function

    function element_of(part) result(element)
        real(k), intent(in) :: part(2)
        ELEMENT(k) :: element
#ifdef COMPLEX_ELEMENT
        element = cmplx(part(1), part(2), k) / sqrt(2.0_k)
#else
        element = part(1)
#endif
    end function
end module

program test_types
    use cases, only: run
    implicit none
    call run()
end program
