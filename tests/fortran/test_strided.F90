! test_strided.F90: the lines of an array with a halo along x, y and z, by the generic names in one
! element type, ELEMENT(REAL_KIND) = TYPE as the build defines it. Solutions are checked by their
! residual; the halo must not change.
! SPDX-License-Identifier: BSD-3-Clause
module cases
    use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int8_t, c_int32_t, &
        c_int64_t, c_loc, c_ptr, c_size_t
    use checks, only: check, check_status, finish
    use xbatch, only: gtsvStridedBatch, gtsvStridedPeriodicBatch, gtsvStridedPscheme, TYPE, &
        XBATCH_BACKEND_HOST, XBATCH_STATUS_SUCCESS, xbatchCreate, xbatchDestroy, &
        xbatchStrides_t, xgtsvStridedBatch, xgtsvStridedBatch_bufferSize, &
        xgtsvStridedPeriodicBatch_bufferSize, xgtsvStridedPscheme_bufferSize
    implicit none
    private
    public :: run

    integer, parameter :: kind_ = REAL_KIND
    integer(c_int64_t), parameter :: one = 1
    integer(c_int64_t), parameter :: ims = -2, ime = 24, jms = 0, jme = 9, kms = 1, kme = 8
    integer(c_int64_t), parameter :: first(3) = [1, 1, 2], last(3) = [19, 8, 7]
    integer(c_int64_t), parameter :: strides(3) = &
        [one, ime - ims + 1, (ime - ims + 1) * (jme - jms + 1)]
    character(8), parameter :: names(3) = [character(8) :: 'batch', 'pscheme', 'periodic']

    type(c_ptr) :: handle

contains

    subroutine run()
        integer :: method, direction
        call check_status(xbatchCreate(handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS, 'new')
        do method = 1, 3
            do direction = 1, 3
                call test_lines(method, direction)
            end do
        end do
        call check_status(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS, 'destroy')
        call finish()
    end subroutine

    !> Coefficients at the places of u in arrays of their own.
    subroutine test_lines(method, direction)
        integer, intent(in) :: method, direction
        ELEMENT(kind_), target, dimension(ims:ime, jms:jme, kms:kme) :: dl, d, du, b, u, again
        integer(c_int32_t), allocatable, target :: info(:, :)
        integer(c_int8_t), allocatable, target :: workspace(:)
        type(xbatchStrides_t) :: places
        integer(c_int64_t) :: n, batch(2), i, j, k
        integer(c_size_t) :: bytes
        integer(c_int) :: status
        integer :: others(2)
        logical :: is_inner(ims:ime, jms:jme, kms:kme)
        character(:), allocatable :: what

        what = trim(names(method)) // ', direction ' // achar(iachar('0') + direction)
        others = pack([1, 2, 3], [1, 2, 3] /= direction)
        n = last(direction) - first(direction) + 1
        batch = last(others) - first(others) + 1
        places = xbatchStrides_t(row=strides(direction), &
            batch=[strides(others(1)), strides(others(2)), 0_c_int64_t])
        is_inner = .false.
        is_inner(first(1):last(1), first(2):last(2), first(3):last(3)) = .true.
        do k = kms, kme
            do j = jms, jme
                do i = ims, ime
                    dl(i, j, k) = -real(mod(i + j, 3_c_int64_t), kind_)
                    du(i, j, k) = real(mod(j + 2 * k, 2_c_int64_t), kind_)
                    d(i, j, k) = 4 + real(mod(abs(i * j * k), 5_c_int64_t), kind_)
                    b(i, j, k) = real(i - 2 * j + 3 * k, kind_)
                end do
            end do
        end do
        select case (method)
        case (1)
            status = xgtsvStridedBatch_bufferSize(handle, TYPE, n, batch(1), batch(2), one, &
                places, places, bytes)
        case (2)
            status = xgtsvStridedPscheme_bufferSize(handle, TYPE, n, batch(1), batch(2), one, &
                places, places, bytes)
        case default
            status = xgtsvStridedPeriodicBatch_bufferSize(handle, TYPE, n, batch(1), batch(2), &
                one, places, places, bytes)
        end select
        call check_status(status, XBATCH_STATUS_SUCCESS, what // ', buffer size')
        allocate(workspace(max(bytes, 1_c_size_t)), info(batch(1), batch(2)))
        info = -1
        u = b
        associate (x => first(1), y => first(2), z => first(3))
            select case (method)
            case (1)
                status = gtsvStridedBatch(handle, n, batch(1), batch(2), one, places, places, &
                    dl(x, y, z), d(x, y, z), du(x, y, z), u(x, y, z), info, c_loc(workspace), bytes)
            case (2)
                status = gtsvStridedPscheme(handle, n, batch(1), batch(2), one, places, places, &
                    dl(x, y, z), d(x, y, z), du(x, y, z), u(x, y, z), info, c_loc(workspace), bytes)
            case default
                status = gtsvStridedPeriodicBatch(handle, n, batch(1), batch(2), one, places, &
                    places, dl(x, y, z), d(x, y, z), du(x, y, z), u(x, y, z), info, &
                    c_loc(workspace), bytes)
            end select
        end associate
        call check_status(status, XBATCH_STATUS_SUCCESS, what)
        call check(all(info == 0), what // ', info')
        call check(all(abs(u - b) <= 0 .or. is_inner), what // ', the halo')
        call check(residual() < 1000 * epsilon(1.0_kind_), what // ', residual')

        if (method > 1) return
        again = b
        status = xgtsvStridedBatch(handle, TYPE, n, batch(1), batch(2), one, places, places, &
            c_loc(dl(first(1), first(2), first(3))), c_loc(d(first(1), first(2), first(3))), &
            c_loc(du(first(1), first(2), first(3))), c_loc(again(first(1), first(2), first(3))), &
            c_loc(info), c_loc(workspace), bytes)
        call check_status(status, XBATCH_STATUS_SUCCESS, what // ', by address')
        call check(all(abs(u - again) <= 0), what // ', the same by address')

    contains

        !> max |b - A x|
        real(kind_) function residual()
            integer(c_int64_t) :: here(3), below(3), above(3)
            ELEMENT(kind_) :: row
            residual = 0
            do k = first(3), last(3)
                do j = first(2), last(2)
                    do i = first(1), last(1)
                        here = [i, j, k]
                        below = here
                        below(direction) = around(here(direction) - 1)
                        above = here
                        above(direction) = around(here(direction) + 1)
                        row = d(i, j, k) * u(i, j, k) - b(i, j, k)
                        if (method == 3 .or. below(direction) < here(direction)) &
                            row = row + dl(i, j, k) * u(below(1), below(2), below(3))
                        if (method == 3 .or. above(direction) > here(direction)) &
                            row = row + du(i, j, k) * u(above(1), above(2), above(3))
                        residual = max(residual, abs(row))
                    end do
                end do
            end do
        end function

        integer(c_int64_t) function around(place)
            integer(c_int64_t), intent(in) :: place
            around = first(direction) + modulo(place - first(direction), n)
        end function
    end subroutine
end module

program test_strided
    use cases, only: run
    implicit none
    call run()
end program
