! test_shifted.F90: systems T + sigma_j W by the generic names in one element type, ELEMENT(REAL_KIND) = TYPE as the build
! defines it, in all layouts. Solutions are checked by their residual, pinned systems by their last unknown.
! SPDX-License-Identifier: BSD-3-Clause
module cases
    use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int8_t, c_int32_t, &
        c_int64_t, c_loc, c_ptr, c_size_t
    use checks, only: check, check_status, elements, finish, place
    use xbatch, only: gtsvShiftedBatch, gtsvShiftedPeriodicBatch, TYPE, XBATCH_BACKEND_HOST, &
        XBATCH_LAYOUT_BLOCK_INTERLEAVED, XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_INTERLEAVED, &
        XBATCH_PIN_NONE, XBATCH_PIN_ZERO_SHIFT, XBATCH_STATUS_SUCCESS, xbatchCreate, &
        xbatchDestroy, xgtsvShiftedBatch, xgtsvShiftedBatch_bufferSize, xgtsvShiftedPeriodicBatch, &
        xgtsvShiftedPeriodicBatch_bufferSize
    implicit none
    private
    public :: run

    integer, parameter :: k = REAL_KIND
    integer(c_int), parameter :: layouts(3) = [XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_INTERLEAVED, &
        XBATCH_LAYOUT_BLOCK_INTERLEAVED]
    character(17), parameter :: layout_names(3) = &
        [character(17) :: 'flat', 'interleaved', 'block-interleaved']
    integer(c_int64_t), parameter :: n = 37, nrhs = 2, batch = 11
    integer(c_int64_t), parameter :: leading(3) = [n + 3, batch + 2, 4_c_int64_t]

    type(c_ptr) :: handle

contains

    subroutine run()
        integer :: step
        call check_status(xbatchCreate(handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS, 'new')
        do step = 1, 3
            call test_solve(step, is_periodic=.false.)
            call test_solve(step, is_periodic=.true.)
        end do
        call check_status(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS, 'destroy')
        call finish()
    end subroutine

    !> Rows that sum to zero: system 1, whose shift is 0, is singular, and is pinned.
    subroutine test_solve(which, is_periodic)
        integer, intent(in) :: which
        logical, intent(in) :: is_periodic
        ELEMENT(k), target :: dl(n), d(n), du(n), w(n), sigma(batch)
        ELEMENT(k), allocatable, target :: b(:), x(:), again(:)
        integer(c_int32_t), target :: info(batch)
        integer(c_int8_t), allocatable, target :: workspace(:)
        integer(c_size_t) :: bytes
        integer(c_int64_t) :: j
        integer(c_int) :: status
        character(:), allocatable :: what

        what = 'shifted, ' // layout_names(which)
        if (is_periodic) what = 'periodic, ' // what
        dl = -1
        d = 2
        du = -1
        if (.not. is_periodic) d(1) = 1
        if (.not. is_periodic) d(n) = 1
        w = 0.5_k
        do j = 1, batch
            sigma(j) = real(j - 1, k)
        end do
        allocate(b(elements(layouts(which), n, nrhs, batch, leading(which))))
        b = 1

        if (is_periodic) then
            status = xgtsvShiftedPeriodicBatch_bufferSize(handle, TYPE, layouts(which), n, nrhs, &
                batch, bytes)
        else
            status = xgtsvShiftedBatch_bufferSize(handle, TYPE, layouts(which), n, nrhs, batch, &
                bytes)
        end if
        call check_status(status, XBATCH_STATUS_SUCCESS, what // ', buffer size')
        allocate(workspace(max(bytes, 1_c_size_t)))
        x = b
        info = -1
        call check_status(solve(x, XBATCH_PIN_ZERO_SHIFT), XBATCH_STATUS_SUCCESS, what)
        call check(all(info == 0), what // ', info')
        call check(residual(1.0_k) < 2000 * epsilon(1.0_k), what // ', residual')
        call check(all(abs(pinned_unknowns()) <= 0), what // ', the pinned unknowns')

        again = b
        if (is_periodic) then
            status = xgtsvShiftedPeriodicBatch(handle, TYPE, layouts(which), n, nrhs, batch, &
                c_loc(dl), c_loc(d), c_loc(du), c_loc(w), c_loc(sigma), XBATCH_PIN_ZERO_SHIFT, &
                c_loc(again), leading(which), c_loc(info), c_loc(workspace), bytes)
        else
            status = xgtsvShiftedBatch(handle, TYPE, layouts(which), n, nrhs, batch, c_loc(dl), &
                c_loc(d), c_loc(du), c_loc(w), c_loc(sigma), XBATCH_PIN_ZERO_SHIFT, c_loc(again), &
                leading(which), c_loc(info), c_loc(workspace), bytes)
        end if
        call check_status(status, XBATCH_STATUS_SUCCESS, what // ', by address')
        call check(all(abs(x - again) <= 0), what // ', the same by address')

        sigma = sigma + 1
        x = b
        if (is_periodic) then  ! without w and info
            status = gtsvShiftedPeriodicBatch(handle, layouts(which), n, nrhs, batch, dl, d, du, &
                sigma=sigma, pin=XBATCH_PIN_NONE, B=x, ldb=leading(which), &
                workspace=c_loc(workspace), workspaceBytes=bytes)
        else
            status = gtsvShiftedBatch(handle, layouts(which), n, nrhs, batch, dl, d, du, &
                sigma=sigma, pin=XBATCH_PIN_NONE, B=x, ldb=leading(which), &
                workspace=c_loc(workspace), workspaceBytes=bytes)
        end if
        call check_status(status, XBATCH_STATUS_SUCCESS, what // ', without w')
        w = 1
        call check(residual(0.0_k) < 100 * epsilon(1.0_k), what // ', residual without w')

    contains

        integer(c_int) function solve(right_hand_sides, pin) result(status)
            ELEMENT(k), intent(inout) :: right_hand_sides(:)
            integer(c_int), intent(in) :: pin
            if (is_periodic) then
                status = gtsvShiftedPeriodicBatch(handle, layouts(which), n, nrhs, batch, dl, d, &
                    du, w, sigma, pin, right_hand_sides, leading(which), info, c_loc(workspace), &
                    bytes)
            else
                status = gtsvShiftedBatch(handle, layouts(which), n, nrhs, batch, dl, d, du, w, &
                    sigma, pin, right_hand_sides, leading(which), info, c_loc(workspace), bytes)
            end if
        end function

        !> max |b - A x|; the last equation of system 1 does not count where it is pinned (1).
        real(k) function residual(is_pinned)
            real(k), intent(in) :: is_pinned
            integer(c_int64_t) :: i, j, r, before, after
            ELEMENT(k) :: row
            residual = 0
            do j = 0, batch - 1
                do r = 0, nrhs - 1
                    do i = 0, n - 1
                        before = modulo(i - 1, n)
                        after = modulo(i + 1, n)
                        row = (d(i + 1) + sigma(j + 1) * w(i + 1)) * x(at(i, j, r)) - b(at(i, j, r))
                        if (i > 0 .or. is_periodic) row = row + dl(i + 1) * x(at(before, j, r))
                        if (i < n - 1 .or. is_periodic) row = row + du(i + 1) * x(at(after, j, r))
                        if (j == 0 .and. i == n - 1) row = row * (1 - is_pinned)
                        residual = max(residual, abs(row))
                    end do
                end do
            end do
        end function

        function pinned_unknowns() result(last)
            ELEMENT(k) :: last(nrhs)
            integer(c_int64_t) :: r
            do r = 0, nrhs - 1
                last(r + 1) = x(at(n - 1, 0_c_int64_t, r))
            end do
        end function

        integer(c_int64_t) function at(i, j, r)
            integer(c_int64_t), intent(in) :: i, j, r
            at = place(layouts(which), n, nrhs, leading(which), i, j, r)
        end function
    end subroutine
end module

program test_shifted
    use cases, only: run
    implicit none
    call run()
end program
