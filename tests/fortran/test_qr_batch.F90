! test_qr_batch.F90: batched QR from Fortran, built for each type with ELEMENT, REAL_KIND and TYPE: factors, forming and
! applying Q, least squares, matrices of different sizes by their addresses, a refused argument.
! SPDX-License-Identifier: BSD-3-Clause
program test_qr_batch
    use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int32_t, c_int64_t, &
        c_int8_t, c_loc, c_null_ptr, c_ptr, c_size_t
    use checks, only: check, check_status, finish
    use xbatch, only: dgelsVBatch, gelsBatch, geqrfBatch, geqrfQlessBatch, ungqrBatch, unmqrBatch, &
        xbatch_last_error_message, &
        XBATCH_BACKEND_HOST, XBATCH_C_32F, XBATCH_C_64F, XBATCH_LAYOUT_FLAT, XBATCH_OP_C, XBATCH_OP_N, &
        XBATCH_R_32F, XBATCH_R_64F, XBATCH_SIDE_LEFT, XBATCH_STATUS_INVALID_VALUE, &
        XBATCH_STATUS_SUCCESS, xbatchCreate, xbatchDestroy, xgelsBatch_bufferSize, xgelsVBatch, &
        xgelsVBatch_bufferSize, xgeqrfBatch, &
        xgeqrfBatch_bufferSize, xgeqrfQlessBatch_bufferSize, xungqrBatch_bufferSize, xunmqrBatch_bufferSize
    implicit none

    integer, parameter :: types(4) = [XBATCH_R_32F, XBATCH_R_64F, XBATCH_C_32F, XBATCH_C_64F]
    integer(c_int), parameter :: flat = XBATCH_LAYOUT_FLAT
    integer(c_int64_t), parameter :: m = 11, n = 4, nrhs = 2, batch = 5
    real(REAL_KIND), parameter :: bound = 200 * epsilon(real(1, REAL_KIND))
    type(c_ptr) :: handle
    ELEMENT(REAL_KIND), target :: a(m * n * batch), factored(m * n * batch), q(m * n * batch), &
        b(m * nrhs * batch), tau(n * batch)
    integer(c_int8_t), allocatable, target :: workspace(:)
    integer(c_size_t) :: bytes
    integer(c_int32_t), target :: info(batch)
    integer :: j

    call check(any(types == TYPE), 'the type is one of the four')
    call check_status(xbatchCreate(handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS, 'create')
    call fill()
    call test_factors()
    call test_product()
    call test_without_q()
    call test_least_squares()
    call test_sizes()
    call check_status(xgeqrfBatch(handle, TYPE, flat, m, n, batch, c_loc(a), m - 1, m * n, c_loc(tau), n, &
        c_loc(info), c_loc(workspace), bytes), XBATCH_STATUS_INVALID_VALUE, 'lda too small')
    call check(xbatch_last_error_message(handle) == &
        'xgeqrfBatch: argument 7, lda = 10, must be at least m = 11', 'the message')
    deallocate(workspace)
    call check_status(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS, 'destroy')
    call finish()

contains

    function matrix(array, k) result(one)
        ELEMENT(REAL_KIND), intent(in) :: array(:)
        integer, intent(in) :: k
        ELEMENT(REAL_KIND) :: one(m, n)
        one = reshape(array((k - 1) * m * n + 1:k * m * n), [int(m), int(n)])
    end function

    subroutine fill()
        ELEMENT(REAL_KIND) :: one(m, n), right(m, nrhs)
        integer :: i, k
        do k = 1, int(batch)
            do j = 1, int(n)
                do i = 1, int(m)
                    one(i, j) = 1 / real(i + 2 * j + k, REAL_KIND) + merge(3, 0, i == j)
                end do
            end do
            right(:, 1) = sum(one, dim=2)  ! x = 1
            right(:, 2) = k * one(:, 3)    ! x = k at 3
            a((k - 1) * m * n + 1:k * m * n) = reshape(one, [int(m * n)])
            b((k - 1) * m * nrhs + 1:k * m * nrhs) = reshape(right, [int(m * nrhs)])
        end do
    end subroutine

    subroutine resize()
        if (allocated(workspace)) deallocate(workspace)
        allocate(workspace(bytes))
    end subroutine

    ! The conjugate
    elemental function adjoint(z) result(conjugate)
        ELEMENT(REAL_KIND), intent(in) :: z
        ELEMENT(REAL_KIND) :: conjugate
#ifdef COMPLEX_ELEMENT
        conjugate = conjg(z)
#else
        conjugate = z
#endif
    end function

    subroutine test_factors()
        ELEMENT(REAL_KIND) :: r(n, n), one(m, n), identity(n, n)
        integer :: k
        call check_status(xgeqrfBatch_bufferSize(handle, TYPE, flat, m, n, batch, bytes), XBATCH_STATUS_SUCCESS, &
            'bytes of factors')
        call resize()
        factored = a
        info = -1
        call check_status(geqrfBatch(handle, flat, m, n, batch, factored, m, m * n, tau, n, info, c_loc(workspace), &
            bytes), XBATCH_STATUS_SUCCESS, 'factor')
        call check(all(info == 0), 'info')
        q = factored
        call check_status(xungqrBatch_bufferSize(handle, TYPE, flat, m, n, n, batch, bytes), XBATCH_STATUS_SUCCESS, &
            'bytes of forming Q')
        call resize()
        call check_status(ungqrBatch(handle, flat, m, n, n, batch, q, m, m * n, tau, n, c_loc(workspace), bytes), &
            XBATCH_STATUS_SUCCESS, 'form Q')
        do k = 1, int(batch)
            one = matrix(factored, k)
            r = 0
            identity = 0
            do j = 1, int(n)
                r(:j, j) = one(:j, j)
                identity(j, j) = 1
            end do
            one = matrix(q, k)
            call check(maxval(abs(matmul(one, r) - matrix(a, k))) < bound, 'A = Q R')
            call check(maxval(abs(matmul(transpose(adjoint(one)), one) - identity)) < bound, 'Q^H Q = I')
        end do
    end subroutine

    subroutine test_product()
        ELEMENT(REAL_KIND), target :: c(m * n * batch)
        ELEMENT(REAL_KIND) :: one(m, n), other(m, n)
        integer :: k
        c = a
        call check_status(xunmqrBatch_bufferSize(handle, TYPE, flat, XBATCH_SIDE_LEFT, XBATCH_OP_C, m, n, n, batch, &
            bytes), XBATCH_STATUS_SUCCESS, 'bytes of the product')
        call resize()
        call check_status(unmqrBatch(handle, flat, XBATCH_SIDE_LEFT, XBATCH_OP_C, m, n, n, batch, factored, m, m * n, &
            tau, n, c, m, m * n, c_loc(workspace), bytes), XBATCH_STATUS_SUCCESS, 'Q^H A')
        do k = 1, int(batch)
            one = matrix(c, k)
            other = matrix(factored, k)
            do j = 1, int(n)
                call check(maxval(abs(one(:j, j) - other(:j, j))) < bound .and. all(abs(one(j + 1:, j)) < bound), &
                    'Q^H A = R')
            end do
        end do
    end subroutine

    ! Q^H A = R for B = A
    subroutine test_without_q()
        ELEMENT(REAL_KIND), target :: r(n * n * batch), c(m * n * batch)
        ELEMENT(REAL_KIND) :: one(m, n), upper(n, n)
        integer :: k
        c = a
        call check_status(xgeqrfQlessBatch_bufferSize(handle, TYPE, flat, m, n, n, batch, bytes), &
            XBATCH_STATUS_SUCCESS, 'bytes without Q')
        call resize()
        call check_status(geqrfQlessBatch(handle, flat, m, n, n, batch, a, m, m * n, r, n, n * n, c, m, m * n, info, &
            c_loc(workspace), bytes), XBATCH_STATUS_SUCCESS, 'R and Q^H A')
        do k = 1, int(batch)
            one = matrix(c, k)
            upper = reshape(r((k - 1) * n * n + 1:k * n * n), [int(n), int(n)])
            call check(maxval(abs(one(:n, :) - upper)) < bound .and. all(abs(one(n + 1:, :)) < bound), 'R is Q^H A')
        end do
    end subroutine

    subroutine test_least_squares()
        ELEMENT(REAL_KIND) :: x(m, nrhs)
        integer :: k
        call check_status(xgelsBatch_bufferSize(handle, TYPE, flat, XBATCH_OP_N, m, n, nrhs, batch, bytes), &
            XBATCH_STATUS_SUCCESS, 'bytes of least squares')
        call resize()
        call check_status(gelsBatch(handle, flat, XBATCH_OP_N, m, n, nrhs, batch, a, m, m * n, b, m, m * nrhs, info, &
            c_loc(workspace), bytes), XBATCH_STATUS_SUCCESS, 'least squares')
        do k = 1, int(batch)
            x = reshape(b((k - 1) * m * nrhs + 1:k * m * nrhs), [int(m), int(nrhs)])
            x(3, 2) = x(3, 2) - k
            call check(info(k) == 0 .and. maxval(abs(x(:n, 1) - 1)) < bound, 'the first solution')
            call check(maxval(abs(x(:n, 2))) < bound * k, 'the second solution')
        end do
    end subroutine

    ! Leading blocks of several matrices: x = 1 for each of their sizes; then for all of their columns
    subroutine test_sizes()
        integer(c_int64_t), target :: ms(batch), ns(batch), ld(batch)
        type(c_ptr), target :: matrices(batch), right(batch)
        ELEMENT(REAL_KIND), target :: x(m * batch)
        ELEMENT(REAL_KIND) :: one(m, n)
        integer :: k
        ms = [m, 7_c_int64_t, 4_c_int64_t, m + 1, 5_c_int64_t]
        ns = [n, 3_c_int64_t, 4_c_int64_t, n, 1_c_int64_t]
        ld = m
        do k = 1, int(batch)
            one = matrix(a, k)
            x((k - 1) * m + 1:k * m) = sum(one(:, :int(ns(k))), dim=2)
            matrices(k) = c_loc(a((k - 1) * m * n + 1))
            right(k) = c_loc(x((k - 1) * m + 1))
        end do
        call check_status(xgelsVBatch_bufferSize(handle, TYPE, XBATCH_OP_N, m, n, 1_c_int64_t, batch, bytes), &
            XBATCH_STATUS_SUCCESS, 'bytes of several sizes')
        call resize()
        call check_status(xgelsVBatch(handle, TYPE, XBATCH_OP_N, m, n, 1_c_int64_t, batch, c_loc(ms), c_loc(ns), &
            c_null_ptr, c_loc(matrices), m, c_loc(ld), c_loc(right), m, c_null_ptr, c_loc(info), c_loc(workspace), &
            bytes), XBATCH_STATUS_SUCCESS, 'several sizes')
        call check(all(info == [0, 0, 0, -1, 0]), 'one is too high')
        do k = 1, int(batch)
            if (info(k) /= 0) cycle
            call check(maxval(abs(x((k - 1) * m + 1:(k - 1) * m + ns(k)) - 1)) < bound, 'the solution of its size')
        end do
        if (TYPE /= XBATCH_R_64F) return
        do k = 1, int(batch)
            one = matrix(a, k)
            x((k - 1) * m + 1:k * m) = sum(one, dim=2)
        end do
        call check_status(dgelsVBatch(handle, XBATCH_OP_N, m, n, 1_c_int64_t, batch, A=matrices, ldaMax=m, B=right, &
            ldbMax=m, info=info, workspace=c_loc(workspace), workspaceBytes=bytes), XBATCH_STATUS_SUCCESS, 'one size')
        do k = 1, int(batch)
            call check(info(k) == 0 .and. maxval(abs(x((k - 1) * m + 1:(k - 1) * m + n) - 1)) < bound, &
                'the solution of all columns')
        end do
    end subroutine
end program
