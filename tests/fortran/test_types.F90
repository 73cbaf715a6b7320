! test_types.F90: the generic names in one element type, ELEMENT(REAL_KIND) = TYPE as the build
! says, in all layouts. Solutions by their componentwise backward error |b - A x| / (|A||x| + |b|)
! in eps, recurrences against the plain loop in double precision, rearrangement element by element;
! unused entries and padding hold NaN, and padding must keep it.
! SPDX-License-Identifier: BSD-3-Clause
module cases
    use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
    use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int8_t, c_int32_t, &
        c_int64_t, c_loc, c_null_ptr, c_ptr, c_size_t
    use checks, only: check, check_status, elements, finish, place
    use xbatch, only: folrPscheme, gtsvPscheme, gtsvThomas, rearrange, TYPE, XBATCH_BACKEND_HOST, &
        XBATCH_BACKWARD, XBATCH_FORWARD, XBATCH_LAYOUT_BLOCK_INTERLEAVED, XBATCH_LAYOUT_FLAT, &
        XBATCH_LAYOUT_INTERLEAVED, XBATCH_STATUS_SUCCESS, xbatchCreate, xbatchDestroy, &
        xfolrPscheme, xfolrPscheme_bufferSize, xgtsvPscheme, xgtsvPscheme_bufferSize, &
        xgtsvThomas, xgtsvThomas_bufferSize, xrearrange
    implicit none
    private
    public :: run

    integer, parameter :: k = REAL_KIND
    character(17), parameter :: layout_names(3) = &
        [character(17) :: 'flat', 'interleaved', 'block-interleaved']
    integer(c_int64_t), parameter :: n = 37, nrhs = 2, batch = 11

    type(c_ptr) :: handle

contains

    subroutine run()
        integer(c_int), parameter :: layouts(3) = [XBATCH_LAYOUT_FLAT, &
            XBATCH_LAYOUT_INTERLEAVED, XBATCH_LAYOUT_BLOCK_INTERLEAVED]
        integer :: from, to
        call check_status(xbatchCreate(handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS, 'new')
        do from = 1, 3
            call test_solve(layouts(from), leading_dimension(layouts(from)), thomas=.false.)
            call test_solve(layouts(from), leading_dimension(layouts(from)), thomas=.true.)
            call test_solve(layouts(from), 0_c_int64_t, thomas=.false.)
            call test_solve(layouts(from), 0_c_int64_t, thomas=.true.)
            call test_recurrence(layouts(from), backward=.false.)
            call test_recurrence(layouts(from), backward=.true.)
            do to = 1, 3
                call test_rearrange(layouts(from), layouts(to))
            end do
        end do
        call check_status(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS, 'destroy')
        call finish()
    end subroutine

    !> Padded where the layout allows it; of 11 systems, blocks of 4 leave the last one ragged.
    integer(c_int64_t) function leading_dimension(layout) result(ld)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), parameter :: choice(3) = [n + 3, batch + 2, 4_c_int64_t]
        ld = choice(layout + 1)
    end function

    subroutine test_solve(layout, ldt, thomas)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: ldt  ! 0: one set of coefficients for all systems
        logical, intent(in) :: thomas
        ELEMENT(k), allocatable, target :: dl(:), d(:), du(:), b(:), x(:), again(:)
        integer(c_int32_t), target :: info(batch)
        integer(c_int8_t), allocatable, target :: workspace(:)
        integer(c_size_t) :: bytes
        integer(c_int64_t) :: ldb, sets
        integer(c_int) :: status
        character(:), allocatable :: what

        what = trim(merge('Thomas ', 'Pscheme', thomas)) // ', ' // layout_names(layout + 1)
        if (ldt == 0) what = what // ', shared coefficients'
        ldb = leading_dimension(layout)
        sets = merge(1_c_int64_t, batch, ldt == 0)
        allocate(dl(coefficient_count(layout, ldt)), source=poison())
        d = dl
        du = dl
        allocate(b(elements(layout, n, nrhs, batch, ldb)), source=poison())
        call set_matrices(layout, ldt, sets, dl, d, du)
        call set_random(layout, nrhs, ldb, b)

        if (thomas) then
            status = xgtsvThomas_bufferSize(handle, TYPE, layout, n, nrhs, batch, bytes)
        else
            status = xgtsvPscheme_bufferSize(handle, TYPE, layout, n, nrhs, batch, bytes)
        end if
        call check_status(status, XBATCH_STATUS_SUCCESS, what // ', buffer size')
        allocate(workspace(max(bytes, 1_c_size_t)))

        x = b
        info = -1
        call check_status(solve(x, info), XBATCH_STATUS_SUCCESS, what)
        call check(all(info == 0), what // ', info')
        call check(backward_error(layout, ldt, dl, d, du, ldb, b, x) < 30, what // ', residual')
        call check(same_padding(layout, nrhs, ldb, b, x), what // ', padding kept')

        again = b
        call check_status(solve(again), XBATCH_STATUS_SUCCESS, what // ', without info')
        call check(same(again, x), what // ', the same without info')

        again = b
        info = -1
        call check_status(solve_by_address(), XBATCH_STATUS_SUCCESS, what // ', by address')
        call check(same(again, x) .and. all(info == 0), what // ', the same by address')

        if (ldt == 0) return
        d(coefficient(layout, ldt, 0_c_int64_t, 5_c_int64_t)) = 0  ! with du the whole first row
        du(coefficient(layout, ldt, 0_c_int64_t, 5_c_int64_t)) = 0
        again = b
        call check_status(solve(again, info), XBATCH_STATUS_SUCCESS, what // ', one singular')
        call check(info(6) > 0 .and. count(info /= 0) == 1, what // ', info of the singular one')

    contains

        integer(c_int) function solve(right_hand_sides, info) result(status)
            ELEMENT(k), intent(inout) :: right_hand_sides(:)
            integer(c_int32_t), intent(inout), optional :: info(batch)
            if (thomas) then
                status = gtsvThomas(handle, layout, n, nrhs, batch, dl, d, du, ldt, &
                    right_hand_sides, ldb, info, c_loc(workspace), bytes)
            else
                status = gtsvPscheme(handle, layout, n, nrhs, batch, dl, d, du, ldt, &
                    right_hand_sides, ldb, info, c_loc(workspace), bytes)
            end if
        end function

        integer(c_int) function solve_by_address() result(status)
            if (thomas) then
                status = xgtsvThomas(handle, TYPE, layout, n, nrhs, batch, c_loc(dl), c_loc(d), &
                    c_loc(du), ldt, c_loc(again), ldb, c_loc(info), c_loc(workspace), bytes)
            else
                status = xgtsvPscheme(handle, TYPE, layout, n, nrhs, batch, c_loc(dl), c_loc(d), &
                    c_loc(du), ldt, c_loc(again), ldb, c_loc(info), c_loc(workspace), bytes)
            end if
        end function
    end subroutine

    !> Diagonally dominant by rows; dl(0, j) and du(n-1, j) stay poisoned.
    subroutine set_matrices(layout, ldt, sets, dl, d, du)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: ldt, sets
        ELEMENT(k), intent(inout) :: dl(:), d(:), du(:)
        integer(c_int64_t) :: i, j, at
        do j = 0, sets - 1
            do i = 0, n - 1
                at = coefficient(layout, ldt, i, j)
                if (i > 0) dl(at) = random()
                if (i < n - 1) du(at) = random()
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
    real(k) function backward_error(layout, ldt, dl, d, du, ldb, b, x) result(worst)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: ldt, ldb
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
                    if (i > 0) then
                        call subtract(dl(at), x(place(layout, n, nrhs, ldb, i-1, j, r)))
                    end if
                    if (i < n - 1) then
                        call subtract(du(at), x(place(layout, n, nrhs, ldb, i+1, j, r)))
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

        !> |w - loop| <= 8 eps n times the loop over absolute values, wider than recurrence.h says.
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

    !> Whether all that is not an element of the batch is the same in both.
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

    !> In the unit disc around 0.
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
