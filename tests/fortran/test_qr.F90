! test_qr.F90: tiled QR from Fortran, built for each type with ELEMENT, REAL_KIND and TYPE: factors,
! forming and applying Q, least squares, a configuration, refused arguments.
! SPDX-License-Identifier: BSD-3-Clause
program test_qr
    use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int32_t, c_int64_t, &
        c_int8_t, c_loc, c_ptr, c_size_t
    use checks, only: check, check_status, finish
    use xbatch, only: gelsTiled, gemqrtTiled, geqrtTiled, ungqrtTiled, xbatch_last_error_message, &
        XBATCH_BACKEND_HOST, XBATCH_C_32F, XBATCH_C_64F, XBATCH_OP_C, XBATCH_OP_N, XBATCH_R_32F, &
        XBATCH_R_64F, XBATCH_SIDE_LEFT, XBATCH_STATUS_INVALID_VALUE, XBATCH_STATUS_SUCCESS, &
        XBATCH_TREE_DOMAINS, XBATCH_TREE_FLAT, xbatchCreate, xbatchDestroy, xbatchTiledConfig_t, &
        xgelsTiled_bufferSize, xgemqrtTiled_bufferSize, xgeqrtTiled, xgeqrtTiled_bufferSize, &
        xgeqrtTiled_defaults, xungqrtTiled_bufferSize
    implicit none

    integer, parameter :: types(4) = [XBATCH_R_32F, XBATCH_R_64F, XBATCH_C_32F, XBATCH_C_64F]
    integer(c_int64_t), parameter :: m = 23, n = 9, nrhs = 2
    real(REAL_KIND), parameter :: bound = 200 * epsilon(real(1, REAL_KIND))
    type(c_ptr) :: handle
    type(xbatchTiledConfig_t) :: config
    ELEMENT(REAL_KIND), target :: a(m, n), factored(m, n), q(m, n), b(m, nrhs), x(m, nrhs)
    integer(c_int8_t), allocatable, target :: t(:), workspace(:)
    integer(c_size_t) :: bytes, t_bytes
    integer(c_int32_t), target :: info
    integer :: k

    call check(any(types == TYPE), 'the type is one of the four')
    call check_status(xbatchCreate(handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS, 'create')
    call check_status(xgeqrtTiled_defaults(handle, TYPE, m, n, config), XBATCH_STATUS_SUCCESS, 'defaults')
    call check(config%nb >= 1 .and. modulo(config%mb, config%nb) == 0 .and. config%tree == XBATCH_TREE_FLAT, &
        'their values')
    config = xbatchTiledConfig_t(8, 4, 2, 2, XBATCH_TREE_DOMAINS)
    call fill()
    call test_factors()
    call test_product()
    call test_least_squares()
    call test_refusal()
    deallocate(t, workspace)
    call check_status(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS, 'destroy')
    call finish()

contains

    subroutine fill()
        integer :: i, j
        do j = 1, int(n)
            do i = 1, int(m)
                a(i, j) = 1 / real(i + 2 * j, REAL_KIND) + merge(3, 0, i == j)
            end do
        end do
        b(:, 1) = sum(a, dim=2)  ! x = 1
        b(:, 2) = 2 * a(:, 3)    ! x = 2 at 3
    end subroutine

    subroutine test_factors()
        ELEMENT(REAL_KIND) :: r(n, n), identity(n, n)
        integer :: j
        call check_status(xgeqrtTiled_bufferSize(handle, TYPE, m, n, config, t_bytes, bytes), &
            XBATCH_STATUS_SUCCESS, 'bytes of the factors')
        allocate(t(t_bytes), workspace(bytes))
        factored = a
        info = -1
        call check_status(geqrtTiled(handle, m, n, config, factored(:, 1), m, c_loc(t), info, c_loc(workspace), bytes), &
            XBATCH_STATUS_SUCCESS, 'factor')
        call check(info == 0, 'info')
        call check_status(xungqrtTiled_bufferSize(handle, TYPE, m, n, n, config, bytes), XBATCH_STATUS_SUCCESS, &
            'bytes of forming Q')
        call resize()
        call check_status(ungqrtTiled(handle, m, n, n, config, factored(:, 1), m, c_loc(t), q(:, 1), m, info, &
            c_loc(workspace), bytes), XBATCH_STATUS_SUCCESS, 'form Q')
        r = 0
        identity = 0
        do j = 1, int(n)
            r(:j, j) = factored(:j, j)
            identity(j, j) = 1
        end do
        call check(maxval(abs(matmul(q, r) - a)) < bound, 'A = Q R')
        call check(maxval(abs(matmul(transpose(adjoint(q)), q) - identity)) < bound, 'Q^H Q = I')
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

    subroutine resize()
        deallocate(workspace)
        allocate(workspace(bytes))
    end subroutine

    subroutine test_product()
        ELEMENT(REAL_KIND) :: c(m, n)
        c = a
        call check_status(xgemqrtTiled_bufferSize(handle, TYPE, XBATCH_SIDE_LEFT, XBATCH_OP_C, m, n, n, config, bytes), &
            XBATCH_STATUS_SUCCESS, 'bytes of the product')
        call resize()
        call check_status(gemqrtTiled(handle, XBATCH_SIDE_LEFT, XBATCH_OP_C, m, n, n, config, factored(:, 1), m, &
            c_loc(t), c(:, 1), m, workspace=c_loc(workspace), workspaceBytes=bytes), XBATCH_STATUS_SUCCESS, 'Q^H A')
        do k = 1, int(n)
            call check(maxval(abs(c(:k, k) - factored(:k, k))) < bound .and. all(abs(c(k + 1:, k)) < bound), &
                'Q^H A = R')
        end do
    end subroutine

    subroutine test_least_squares()
        call check_status(xgelsTiled_bufferSize(handle, TYPE, XBATCH_OP_N, m, n, nrhs, config, bytes), &
            XBATCH_STATUS_SUCCESS, 'bytes of least squares')
        call resize()
        x = b
        factored = a
        call check_status(gelsTiled(handle, XBATCH_OP_N, m, n, nrhs, config, factored(:, 1), m, x(:, 1), m, info, &
            c_loc(workspace), bytes), XBATCH_STATUS_SUCCESS, 'least squares')
        call check(info == 0 .and. maxval(abs(x(:n, 1) - 1)) < bound, 'the first solution')
        x(3, 2) = x(3, 2) - 2
        call check(maxval(abs(x(:n, 2))) < bound, 'the second solution')
    end subroutine

    subroutine test_refusal()
        call check_status(xgeqrtTiled(handle, TYPE, m, n, config, c_loc(a), m - 1, c_loc(t), c_loc(info), &
            c_loc(workspace), bytes), XBATCH_STATUS_INVALID_VALUE, 'lda too small')
        call check(xbatch_last_error_message(handle) == &
            'xgeqrtTiled: argument 6, lda = 22, must be at least m = 23', 'the message')
    end subroutine
end program
