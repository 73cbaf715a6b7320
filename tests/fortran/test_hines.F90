! test_hines.F90: Hines systems in one element type, ELEMENT(REAL_KIND) = TYPE as the build defines it, nodes counted
! from 1: a tree in any numbering is ordered and made a plan, two trees a mixed batch. Solutions in all layouts and
! operations are checked by their componentwise backward error in eps; elements of no node are NaN.
! SPDX-License-Identifier: BSD-3-Clause
module cases
    use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
    use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_float, c_int, c_int8_t, &
        c_int32_t, c_int64_t, c_loc, c_null_ptr, c_ptr, c_size_t
    use checks, only: check, check_status, finish
    use xbatch, only: hinesBatch, hinesFactorBatch, hinesSolveBatch, TYPE, XBATCH_BACKEND_HOST, &
        XBATCH_HINES_AUTO, XBATCH_HINES_FOREST, XBATCH_HINES_TREE, xbatch_last_error_message, &
        XBATCH_LAYOUT_BLOCK_INTERLEAVED, XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_INTERLEAVED, &
        XBATCH_OP_C, XBATCH_OP_N, XBATCH_OP_T, XBATCH_STATUS_INVALID_VALUE, &
        XBATCH_STATUS_SUCCESS, xbatchCreate, xbatchDestroy, xhinesBatch, xhinesBatch_bufferSize, &
        xhinesBatchMg, xhinesCreatePlan, xhinesDestroyPlan, xhinesFactorBatch, &
        xhinesFactorBatch_bufferSize, xhinesGetPlacement, xhinesOrder, xhinesSetAlgorithm, &
        xhinesSolveBatch, xhinesSolveBatch_bufferSize
    implicit none
    private
    public :: run

    integer, parameter :: k = REAL_KIND
    integer(c_int64_t), parameter :: nrhs = 2, batch = 5, one = 1, ld = 8
    integer(c_int), parameter :: layouts(3) = [XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_INTERLEAVED, &
        XBATCH_LAYOUT_BLOCK_INTERLEAVED]
    character(17), parameter :: layout_names(3) = &
        [character(17) :: 'flat', 'interleaved', 'block-interleaved']
    ! 5 is the root, parent of 1 and 3; 3 is the parent of 2 and 4, 4 of 6
    integer(c_int32_t), parameter :: tree(6) = [5, 3, 5, 3, 0, 4]
    integer(c_int32_t), parameter :: numbering(6) = [5, 1, 3, 2, 4, 6]
    integer(c_int32_t), parameter :: numbered(6) = [0, 1, 1, 3, 3, 5]
    integer(c_int32_t), parameter :: morph(batch) = [1, 0, 0, 1, 0]

    type(c_ptr), target :: handle

contains

    subroutine run()
        type(c_ptr) :: plan, mixed
        integer :: i, j
        call check_status(xbatchCreate(handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS, 'new')
        call test_order()
        call check_status(xhinesCreatePlan(handle, one, [0_c_int64_t, 6_c_int64_t], numbered, 1, &
            XBATCH_HINES_TREE, 0_c_int64_t, plan=plan), XBATCH_STATUS_SUCCESS, 'plan')
        call check_status(xhinesCreatePlan(handle, 2_c_int64_t, [0_c_int64_t, 6_c_int64_t, &
            9_c_int64_t], [numbered, 0_c_int32_t, 1_c_int32_t, 1_c_int32_t], 1, &
            XBATCH_HINES_TREE, batch, morph, mixed), XBATCH_STATUS_SUCCESS, 'mixed plan')
        call check_status(xhinesSetAlgorithm(handle, plan, XBATCH_HINES_AUTO), &
            XBATCH_STATUS_SUCCESS, 'algorithm')
        do i = 1, 3
            call test_solve(plan, layouts(i), [(6, j = 1, int(batch))], 'one tree, ')
            call test_solve(mixed, layouts(i), merge(6, 3, morph == 0), 'two trees, ')
        end do
        call check_status(xhinesDestroyPlan(plan), XBATCH_STATUS_SUCCESS, 'end of a plan')
        call check_status(xhinesDestroyPlan(mixed), XBATCH_STATUS_SUCCESS, 'end of a mixed plan')
        call check_status(xhinesDestroyPlan(c_null_ptr), XBATCH_STATUS_SUCCESS, 'no plan')
        call check_status(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS, 'destroy')
        call finish()
    end subroutine

    subroutine test_order()
        integer(c_int32_t) :: order(6), ordered(6)
        type(c_ptr) :: plan
        order = 0
        call check_status(xhinesOrder(handle, 6_c_int64_t, tree, 1, XBATCH_HINES_TREE, order, &
            ordered), XBATCH_STATUS_SUCCESS, 'order')
        call check(all(order == numbering) .and. all(ordered == numbered), 'order and parents')
        call check_status(xhinesOrder(handle, 6_c_int64_t, tree, 1, XBATCH_HINES_FOREST, order), &
            XBATCH_STATUS_SUCCESS, 'order alone')
        call check_status(xhinesCreatePlan(handle, one, [0_c_int64_t, 6_c_int64_t], tree, 1, &
            XBATCH_HINES_TREE, 0_c_int64_t, plan=plan), XBATCH_STATUS_INVALID_VALUE, 'wrong order')
        call check(.not. c_associated(plan), 'no plan of a wrong order')
        call check(index(xbatch_last_error_message(handle), 'node 2') > 0, &
            'the message names the node: ' // xbatch_last_error_message(handle))
    end subroutine

    subroutine test_solve(plan, layout, nodes, trees)
        type(c_ptr), intent(in) :: plan
        integer(c_int), intent(in) :: layout
        integer, intent(in) :: nodes(batch)  ! of each system
        character(*), intent(in) :: trees
        integer(c_int), parameter :: ops(3) = [XBATCH_OP_N, XBATCH_OP_T, XBATCH_OP_C]
        integer(c_int64_t) :: first(batch), step(batch), extent
        ELEMENT(k), allocatable, target :: u(:), l(:), d(:), b(:), x(:), again(:)
        integer(c_int32_t), target :: info(batch)
        integer(c_int8_t), allocatable, target :: workspace(:)
        integer(c_size_t) :: bytes
        integer :: i, j, which
        integer(c_int8_t), allocatable, target :: factors(:)
        integer(c_size_t) :: factor_bytes
        character(:), allocatable :: what

        what = trees // trim(layout_names(layout + 1))
        call check_status(xhinesGetPlacement(handle, plan, layout, one, batch, ld, first, step, &
            extent), XBATCH_STATUS_SUCCESS, what // ', placement')
        allocate(u(extent), source=poison())
        l = u
        d = u
        do j = 1, int(batch)
            do i = 0, nodes(j) - 1
                if (i > 0) u(at(i, j)) = random()
                if (i > 0) l(at(i, j)) = random()
                d(at(i, j)) = 4 + random()
            end do
        end do
        call check_status(xhinesGetPlacement(handle, plan, layout, nrhs, batch, ld, &
            extent=extent), XBATCH_STATUS_SUCCESS, what // ', extent alone')
        allocate(b(extent))
        do i = 1, int(extent)
            b(i) = random()
        end do
        do which = 1, 3
            call check_status(xhinesBatch_bufferSize(handle, TYPE, layout, ops(which), plan, nrhs, &
                batch, bytes), XBATCH_STATUS_SUCCESS, what // ', buffer size')
            allocate(workspace(max(bytes, 1_c_size_t)))
            x = b
            info = -1
            call check_status(hinesBatch(handle, layout, ops(which), plan, nrhs, batch, u, l, ld, &
                d, ld, x, ld, info, c_loc(workspace), bytes), XBATCH_STATUS_SUCCESS, what)
            call check(all(info == 0), what // ', info')
            call check(backward_error(plan, layout, ops(which), nodes, first, step, u, l, d, b, &
                x) < 10, what // ', residual')
            again = b
            call check_status(hinesBatch(handle, layout, ops(which), plan, nrhs, batch, u, l, ld, &
                d, ld, again, ld, workspace=c_loc(workspace), workspaceBytes=bytes), &
                XBATCH_STATUS_SUCCESS, what // ', without info')
            call check(same(again, x), what // ', the same without info')
            again = b
            info = -1
            call check_status(xhinesBatch(handle, TYPE, layout, ops(which), plan, nrhs, batch, &
                c_loc(u), c_loc(l), ld, c_loc(d), ld, c_loc(again), ld, c_loc(info), &
                c_loc(workspace), bytes), XBATCH_STATUS_SUCCESS, what // ', by address')
            call check(same(again, x) .and. all(info == 0), what // ', the same by address')
            again = b
            call check_status(xhinesBatchMg(1, [handle], TYPE, layout, ops(which), [plan], nrhs, &
                [batch], [c_loc(u)], [c_loc(l)], [ld], [c_loc(d)], [ld], [c_loc(again)], [ld], &
                workspace=[c_loc(workspace)], workspaceBytes=[bytes]), XBATCH_STATUS_SUCCESS, &
                what // ', one share')
            call check(same(again, x), what // ', the same in shares')
            deallocate(workspace)
        end do
        call check_status(xhinesFactorBatch_bufferSize(handle, TYPE, layout, plan, batch, &
            factor_bytes, bytes), XBATCH_STATUS_SUCCESS, what // ', sizes of factors')
        allocate(factors(factor_bytes), workspace(max(bytes, 1_c_size_t)))
        info = -1
        call check_status(hinesFactorBatch(handle, layout, plan, batch, u, l, ld, d, ld, &
            c_loc(factors), info, c_loc(workspace), bytes), XBATCH_STATUS_SUCCESS, &
            what // ', factors')
        call check(all(info == 0), what // ', info of factors')
        call check_status(xhinesFactorBatch(handle, TYPE, layout, plan, batch, c_loc(u), c_loc(l), &
            ld, c_loc(d), ld, c_loc(factors), c_loc(info), c_loc(workspace), bytes), &
            XBATCH_STATUS_SUCCESS, what // ', factors by address')
        deallocate(workspace)
        do which = 1, 3
            call check_status(xhinesSolveBatch_bufferSize(handle, TYPE, layout, ops(which), plan, &
                nrhs, batch, batch, bytes), XBATCH_STATUS_SUCCESS, what // ', size of a solve')
            allocate(workspace(max(bytes, 1_c_size_t)))
            x = b
            call check_status(hinesSolveBatch(handle, layout, ops(which), plan, nrhs, batch, batch, &
                c_loc(factors), x, ld, c_loc(workspace), bytes), XBATCH_STATUS_SUCCESS, &
                what // ', solve')
            call check(backward_error(plan, layout, ops(which), nodes, first, step, u, l, d, b, &
                x) < 10, what // ', residual with factors')
            again = b
            call check_status(xhinesSolveBatch(handle, TYPE, layout, ops(which), plan, nrhs, batch, &
                batch, c_loc(factors), c_loc(again), ld, c_loc(workspace), bytes), &
                XBATCH_STATUS_SUCCESS, what // ', solve by address')
            call check(same(again, x), what // ', the same by address with factors')
            deallocate(workspace)
        end do

    contains

        !> Index of the coefficients of node i, from 0, of system j, from 1.
        integer(c_int64_t) function at(i, j)
            integer, intent(in) :: i, j
            at = 1 + first(j) + i * step(j)
        end function
    end subroutine

    !> max |b - op(A) x| / (|A||x| + |b|) over all rows in units of eps. Coefficients of node i,
    !> from 0, of system j are at 1 + first(j) + i*step(j).
    real(k) function backward_error(plan, layout, op, nodes, first, step, u, l, d, b, x) &
        result(worst)
        type(c_ptr), intent(in) :: plan
        integer(c_int), intent(in) :: layout, op
        integer, intent(in) :: nodes(batch)
        integer(c_int64_t), intent(in) :: first(batch), step(batch)
        ELEMENT(k), intent(in) :: u(:), l(:), d(:), b(:), x(:)
        integer(c_int64_t) :: begin(batch), pitch(batch), start, column
        complex(c_double) :: residual(6), upper, lower
        real(c_double) :: scale(6), ratio
        integer :: i, j, p, r
        call check_status(xhinesGetPlacement(handle, plan, layout, nrhs, batch, ld, begin, pitch), &
            XBATCH_STATUS_SUCCESS, 'placement of right-hand sides')
        worst = 0
        do j = 1, int(batch)
            column = nodes(j) * pitch(j)
            if (layout == XBATCH_LAYOUT_FLAT .and. all(nodes == nodes(1))) column = ld
            do r = 0, int(nrhs) - 1
                start = 1 + begin(j) + r * column
                do i = 0, nodes(j) - 1
                    residual(i + 1) = wide(b(start + i * pitch(j)))
                    scale(i + 1) = abs(residual(i + 1))
                    call subtract(i, coefficient(d), i)
                end do
                do i = 1, nodes(j) - 1
                    p = 0
                    if (nodes(j) == 6) p = numbered(i + 1) - 1
                    upper = coefficient(u)
                    lower = coefficient(l)
                    call subtract(p, merge(upper, lower, op == XBATCH_OP_N), i)
                    call subtract(i, merge(lower, upper, op == XBATCH_OP_N), p)
                end do
                do i = 1, nodes(j)
                    ratio = abs(residual(i)) / (scale(i) * epsilon(1.0_k))
                    if (.not. ratio < huge(1.0_k)) ratio = huge(1.0_k)  ! NaN too
                    worst = max(worst, real(ratio, k))
                end do
            end do
        end do

    contains

        complex(c_double) function coefficient(a)
            ELEMENT(k), intent(in) :: a(:)
            coefficient = wide(a(1 + first(j) + i * step(j)))
            if (op == XBATCH_OP_C) coefficient = conjg(coefficient)
        end function

        subroutine subtract(row, factor, unknown)
            integer, intent(in) :: row, unknown
            complex(c_double), intent(in) :: factor
            complex(c_double) :: term
            term = factor * wide(x(start + unknown * pitch(j)))
            residual(row + 1) = residual(row + 1) - term
            scale(row + 1) = scale(row + 1) + abs(term)
        end subroutine
    end function

    !> Bit by bit, so that NaN equals itself.
    logical function same(a, b)
        ELEMENT(k), intent(in) :: a(:), b(:)
        same = all(transfer(a, [0_c_int8_t]) == transfer(b, [0_c_int8_t]))
    end function

    complex(c_double) function wide(element)
        ELEMENT(k), intent(in) :: element
        wide = cmplx(element, kind=c_double)
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

program test_hines
    use cases, only: run
    implicit none
    call run()
end program
