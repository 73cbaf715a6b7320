! solve.f90: a program of a user: three systems, solved on the host, checked.
! SPDX-License-Identifier: BSD-3-Clause
program solve
    use, intrinsic :: iso_c_binding, only: c_double, c_int64_t, c_int8_t, c_loc, c_ptr, c_size_t
    use xbatch, only: dgtsvThomas_bufferSize, gtsvThomas, xbatch_last_error_message, xbatchCreate, &
        xbatchDestroy, XBATCH_BACKEND_HOST, XBATCH_LAYOUT_FLAT, XBATCH_STATUS_SUCCESS
    implicit none
    integer(c_int64_t), parameter :: n = 4, nrhs = 1, batch = 3, shared = 0
    real(c_double) :: off(n), diagonal(n), b(n * batch)
    integer(c_int8_t), allocatable, target :: workspace(:)
    integer(c_size_t) :: bytes
    type(c_ptr) :: handle

    ! x_i = 1 solves rows -1 4 -1, whose right-hand side is 2 inside and 3 at both ends.
    off = -1
    diagonal = 4
    b = [3, 2, 2, 3, 3, 2, 2, 3, 3, 2, 2, 3]
    if (xbatchCreate(handle, XBATCH_BACKEND_HOST) /= XBATCH_STATUS_SUCCESS) error stop
    if (dgtsvThomas_bufferSize(handle, XBATCH_LAYOUT_FLAT, n, nrhs, batch, bytes) &
        /= XBATCH_STATUS_SUCCESS) error stop
    allocate(workspace(max(bytes, 1_c_size_t)))
    if (gtsvThomas(handle, XBATCH_LAYOUT_FLAT, n, nrhs, batch, off, diagonal, off, shared, b, n, &
        workspace=c_loc(workspace), workspaceBytes=bytes) /= XBATCH_STATUS_SUCCESS) then
        print '(a)', xbatch_last_error_message(handle)
        error stop
    end if
    if (xbatchDestroy(handle) /= XBATCH_STATUS_SUCCESS) error stop
    if (.not. all(abs(b - 1) < 1e-14_c_double)) error stop 'wrong'
    print '(a)', 'solved'
end program
