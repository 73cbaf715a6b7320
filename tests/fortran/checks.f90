! checks.f90: counts failures of the Fortran tests, and computes places of elements by the contract of types.h, written
! a second time to check the library.
! SPDX-License-Identifier: BSD-3-Clause
module checks
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t
    use, intrinsic :: iso_fortran_env, only: error_unit
    use xbatch, only: xbatch_status_string, XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_INTERLEAVED
    implicit none
    private
    public :: check, check_status, elements, finish, place

    integer :: checked = 0, failed = 0

contains

    subroutine check(passed, what)
        logical, intent(in) :: passed
        character(*), intent(in) :: what
        checked = checked + 1
        if (passed) return
        failed = failed + 1
        write (error_unit, '(2a)') 'failed: ', what
    end subroutine

    subroutine check_status(status, expected, what)
        integer(c_int), intent(in) :: status, expected
        character(*), intent(in) :: what
        call check(status == expected, what // ': status "' // xbatch_status_string(status) // '"')
    end subroutine

    !> To be called last: prints the count, and stops with an error if anything failed.
    subroutine finish()
        print '(i0, a, i0, a)', checked, ' checks, ', failed, ' failed'
        if (failed > 0 .or. checked == 0) stop 1, quiet=.true.
    end subroutine

    !> 1-based position of element (i, j, r), each counted from 0.
    pure integer(c_int64_t) function place(layout, n, nrhs, ld, i, j, r) result(at)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: n, nrhs, ld, i, j, r
        select case (layout)
        case (XBATCH_LAYOUT_FLAT)
            at = 1 + (j * nrhs + r) * ld + i
        case (XBATCH_LAYOUT_INTERLEAVED)
            at = 1 + (r * n + i) * ld + j
        case default  ! block-interleaved
            at = 1 + (((j / ld) * nrhs + r) * n + i) * ld + mod(j, ld)
        end select
    end function

    !> The number of elements of an array, including padding.
    pure integer(c_int64_t) function elements(layout, n, nrhs, batch, ld) result(count)
        integer(c_int), intent(in) :: layout
        integer(c_int64_t), intent(in) :: n, nrhs, batch, ld
        select case (layout)
        case (XBATCH_LAYOUT_FLAT)
            count = ld * nrhs * batch
        case (XBATCH_LAYOUT_INTERLEAVED)
            count = ld * n * nrhs
        case default  ! block-interleaved
            count = (batch + ld - 1) / ld * ld * n * nrhs
        end select
    end function
end module
