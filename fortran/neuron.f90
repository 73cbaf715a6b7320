! neuron.f90: voltage along a branched dendrite, for a batch of currents into its trunk, as a neuron
! simulator in Fortran would call xbatch: parents counted from 1, each copy a column of an array.
! SPDX-License-Identifier: BSD-3-Clause
!
! The cable equation on the nodes i of a tree, each connected to its parent by conductance g_i:
!
!   C_i dV_i/dt = -G_i V_i + sum over the neighbours k of g (V_k - V_i) + I_i
!
! V in mV from rest, C in pF, G and g in nS, I in pA, t in ms. Each step of implicit Euler solves a
! Hines system. Its matrix is symmetric, u = l = -g, and the same for all copies.
!
! The dendrite is Rall's (1962): a binary tree in which radii to the power 3/2 add up at every
! branching. For a current into its trunk it is equivalent to one unbranched cylinder. So in steady
! state V is known for the equation and for its discretisation, whose error the result must have.
!
! Usage: neuron [orders [segments [copies]]]      branches from trunk to tip, nodes per branch
program neuron
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int32_t, c_int64_t, c_int8_t, c_loc, &
        c_null_ptr, c_ptr, c_size_t
    use, intrinsic :: iso_fortran_env, only: error_unit
    use command_line, only: read_numbers
    use xbatch, only: dhinesBatch, dhinesBatch_bufferSize, xbatch_last_error_message, &
        xbatch_status_string, xbatchCreate, xbatchDestroy, xhinesCreatePlan, xhinesDestroyPlan, &
        XBATCH_BACKEND_HOST, XBATCH_HINES_TREE, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, &
        XBATCH_STATUS_SUCCESS
    implicit none

    real(c_double), parameter :: pi = acos(-1.0_c_double)
    real(c_double), parameter :: resistivity = 100  ! Ohm cm
    real(c_double), parameter :: capacitance = 1  ! uF/cm^2
    real(c_double), parameter :: leak = 5e-5_c_double  ! S/cm^2
    real(c_double), parameter :: trunk_radius = 2  ! um
    real(c_double), parameter :: length = 1  ! from the trunk to a tip, in length constants
    real(c_double), parameter :: dt = 5  ! ms
    integer, parameter :: steps = 200  ! 50 time constants of the membrane
    integer(c_int64_t), parameter :: shared = 0, one = 1

    type(c_ptr) :: handle = c_null_ptr, plan
    integer(c_int64_t) :: numbers(3) = [5, 10, 100]
    integer(c_int64_t) :: orders, segments, copies, n, j
    integer :: step
    integer(c_int32_t), allocatable :: parent(:), info(:)
    real(c_double), allocatable :: part(:)  ! distance from the trunk, relative to a tip's
    real(c_double), allocatable :: c(:), off(:), diagonal(:), v(:, :)
    real(c_double) :: error, node_error, rounding
    integer(c_size_t) :: bytes
    integer(c_int8_t), allocatable, target :: workspace(:)

    call read_numbers('neuron [orders [segments [copies]]]', numbers, &
        [12_c_int64_t, 1000_c_int64_t, 1000000_c_int64_t])
    orders = numbers(1)
    segments = numbers(2)
    copies = numbers(3)
    n = 1 + (2**orders - 1) * segments
    allocate(parent(n), part(n), c(n), off(n), diagonal(n), v(n, copies), info(copies))
    call set_tree()

    ! HOST, not AUTO: with AUTO on a machine with a GPU, arrays would have to be device memory.
    call check(xbatchCreate(handle, XBATCH_BACKEND_HOST), 'xbatchCreate')
    call check(xhinesCreatePlan(handle, one, [0_c_int64_t, n], parent, 1, XBATCH_HINES_TREE, &
        copies, plan=plan), 'xhinesCreatePlan')
    call check(dhinesBatch_bufferSize(handle, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, plan, one, copies, &
        bytes), 'dhinesBatch_bufferSize')
    allocate(workspace(max(bytes, 1_c_size_t)))

    v = 0
    do step = 1, steps
        do j = 1, copies
            v(:, j) = c / dt * v(:, j)
            v(1, j) = v(1, j) + current(j)
        end do
        call check(dhinesBatch(handle, XBATCH_LAYOUT_FLAT, XBATCH_OP_N, plan, one, copies, off, &
            off, shared, diagonal, shared, v, n, info, c_loc(workspace), &
            size(workspace, kind=c_size_t)), 'dhinesBatch')
    end do

    call compare()
    call check(xhinesDestroyPlan(plan), 'xhinesDestroyPlan')
    call check(xbatchDestroy(handle), 'xbatchDestroy')
    deallocate(parent, part, c, off, diagonal, v, info, workspace)
    if (.not. abs(error - node_error) <= rounding) then
        write (error_unit, '(a)') 'neuron: the error is not that of the nodes'
        stop 1, quiet=.true.
    end if

contains

    !> Branch b has the nodes (b-1)*segments + 2 to b*segments + 1, and the daughters 2b and 2b+1.
    !> Half of a segment's membrane belongs to either of its ends.
    subroutine set_tree()
        integer(c_int64_t) :: branch, node, up, s
        real(c_double) :: radius, segment, area, g
        parent(1) = 0
        part(1) = 0
        c = 0
        off = 0
        diagonal = 0
        do branch = 1, 2**orders - 1
            radius = trunk_radius / 2**(2 * real(order_of(branch), c_double) / 3)
            segment = step_length() * sqrt(1e4_c_double * radius / (2 * resistivity * leak))  ! um
            area = 2 * pi * radius * segment  ! um^2
            g = 1e5_c_double * pi * radius**2 / (resistivity * segment)  ! nS
            up = branch / 2 * segments + 1  ! the last node of the mother
            do s = 1, segments
                node = (branch - 1) * segments + s + 1
                parent(node) = int(up, c_int32_t)
                part(node) = part(up) + 1 / real(orders * segments, c_double)
                off(node) = -g
                call add_to_node(node, area / 2, g)
                call add_to_node(up, area / 2, g)
                up = node
            end do
        end do
    end subroutine

    !> Adds a membrane area in um^2, and the conductance g to a neighbour in nS.
    subroutine add_to_node(node, area, g)
        integer(c_int64_t), intent(in) :: node
        real(c_double), intent(in) :: area, g
        c(node) = c(node) + 1e-2_c_double * capacitance * area
        diagonal(node) = diagonal(node) + (1e-2_c_double * capacitance / dt + 10 * leak) * area + g
    end subroutine

    !> The number of branches between this one and the trunk.
    integer(c_int64_t) function order_of(branch) result(order)
        integer(c_int64_t), intent(in) :: branch
        order = bit_size(branch) - 1 - leadz(branch)
    end function

    !> Length of a segment, in length constants.
    pure real(c_double) function step_length()
        step_length = length / real(orders * segments, c_double)
    end function

    !> Current into trunk j, in pA.
    real(c_double) function current(j)
        integer(c_int64_t), intent(in) :: j
        current = 10 * real(j, c_double)
    end function

    !> Steady voltage in mV at a part of the way to the tip, for 1 pA. The input conductance of an
    !> infinite cylinder is G = pi sqrt(2 leak/resistivity) r**1.5, of a sealed one G tanh(length).
    !> On nodes a step a conducts G/a and leaks G a: cosh(b) = 1 + a**2/2 replaces cosh(a), and
    !> sinh(b)/a replaces 1.
    real(c_double) elemental function steady(part, exact) result(voltage)
        real(c_double), intent(in) :: part
        logical, intent(in) :: exact
        real(c_double) :: a, b, g, l
        a = step_length()
        b = merge(a, 2 * asinh(a / 2), exact)
        l = length / a * b
        g = pi * sqrt(2 * leak / resistivity) * (1e-4_c_double * trunk_radius)**1.5_c_double  ! S
        voltage = 1e-9_c_double / (g * merge(1.0_c_double, sinh(b) / a, exact) * tanh(l)) &
            * cosh(l * (1 - part)) / cosh(l)
    end function

    subroutine compare()
        integer(c_int64_t) :: shown
        error = 0
        do j = 1, copies
            error = max(error, maxval(abs(v(:, j) / (current(j) * steady(part, .true.)) - 1)))
        end do
        node_error = maxval(abs(steady(part, .false.) / steady(part, .true.) - 1))
        ! The diagonal, which is rounded, is up to 2/a**2 times the leak.
        rounding = 32 * epsilon(error) / step_length()**2
        print '(a, i0, a, i0, a)', 'tree    ', n, ' nodes in ', 2**orders - 1, ' branches'
        print '(a, i0, a, i0, a)', 'copies  ', copies, ', ', steps, ' time steps'
        do shown = 1, min(copies, 3_c_int64_t)
            print '(a, f0.1, 4(a, f8.5))', 'current ', current(shown), ' pA: trunk', v(1, shown), &
                ' mV, exact', current(shown) * steady(0.0_c_double, .true.), '; tip', &
                v(n, shown), ' mV, exact', current(shown) * steady(1.0_c_double, .true.)
        end do
        print '(a, es9.3, a, es9.3)', 'error   ', error, ', that of the nodes ', node_error
    end subroutine

    subroutine check(status, routine)
        integer(c_int), intent(in) :: status
        character(*), intent(in) :: routine
        if (status == XBATCH_STATUS_SUCCESS) return
        write (error_unit, '(4a)') 'neuron: ', routine, ': ', xbatch_status_string(status)
        write (error_unit, '(a)') xbatch_last_error_message(handle)
        stop 1, quiet=.true.
    end subroutine
end program
