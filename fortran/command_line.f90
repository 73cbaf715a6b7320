! command_line.f90: what the example programs take from their command lines: whole numbers by
! position, --help and --version.
! SPDX-License-Identifier: BSD-3-Clause
module command_line
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t
    use, intrinsic :: iso_fortran_env, only: error_unit
    use xbatch, only: xbatchGetVersion
    implicit none
    private
    public :: read_numbers

contains

    !> Replace values, the defaults, by the arguments that are there, each from 1 to its limit. The
    !> usage begins with the name of the program. What is wrong ends the program with status 2.
    subroutine read_numbers(usage, values, limits)
        character(*), intent(in) :: usage
        integer(c_int64_t), intent(inout) :: values(:)
        integer(c_int64_t), intent(in) :: limits(:)
        character(32) :: text, limit
        integer :: position, failure
        do position = 1, command_argument_count()
            call get_command_argument(position, text)
            if (text == '--help') call print_and_stop('Usage: ' // usage)
            if (text == '--version') call print_and_stop(usage(:index(usage, ' ')) // version_text())
            if (position > size(values)) call refuse(usage, 'too many arguments')
            read (text, '(i32)', iostat=failure) values(position)
            if (failure == 0 .and. values(position) >= 1 .and. values(position) <= limits(position)) cycle
            write (limit, '(i0)') limits(position)
            call refuse(usage, '"' // trim(text) // '" is not a whole number from 1 to ' // limit)
        end do
    end subroutine

    subroutine print_and_stop(text)
        character(*), intent(in) :: text
        print '(a)', trim(text)
        stop 0, quiet=.true.
    end subroutine

    subroutine refuse(usage, reason)
        character(*), intent(in) :: usage, reason
        write (error_unit, '(3a)') usage(:index(usage, ' ') - 1), ': ', trim(reason)
        write (error_unit, '(2a)') 'Usage: ', usage
        stop 2, quiet=.true.
    end subroutine

    function version_text() result(text)
        character(32) :: text
        integer(c_int) :: version, status
        status = xbatchGetVersion(version)
        if (status /= 0) version = 0
        write (text, '(a, 2(i0, a), i0)') '(xbatch) ', version / 10000, '.', &
            mod(version / 100, 100), '.', mod(version, 100)
    end function
end module
