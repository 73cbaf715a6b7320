! test_task_graph.f90: a graph of tasks built and run from Fortran: prefix sums with costs that decrease against the
! order, a failing task, statistics, a trace, refused arguments.
! SPDX-License-Identifier: BSD-3-Clause
module prefix_tasks
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_int64_t, c_ptr
    implicit none
    private
    public :: add_previous, fail_always

contains

    !> x(k) = x(k) + x(k - 1), k in the task's arguments
    integer(c_int) function add_previous(args, user, worker) bind(c)
        type(c_ptr), value, intent(in) :: args, user
        integer(c_int), value, intent(in) :: worker
        integer(c_int64_t), pointer :: k, x(:)
        call c_f_pointer(args, k)
        call c_f_pointer(user, x, [k])
        x(k) = x(k) + x(k - 1)
        add_previous = merge(0, 99, worker >= 0)
    end function

    integer(c_int) function fail_always(args, user, worker) bind(c)
        type(c_ptr), value, intent(in) :: args, user
        integer(c_int), value, intent(in) :: worker
        integer(c_int64_t), pointer :: k, x(:)
        call c_f_pointer(args, k)
        call c_f_pointer(user, x, [k])
        fail_always = int(x(k) - x(k) + 5 + worker - worker, c_int)
    end function
end module

program test_task_graph
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funloc, c_funptr, c_int, c_int64_t, &
        c_loc, c_null_char, c_null_ptr, c_ptr, c_size_t
    use checks, only: check, check_status, finish
    use prefix_tasks, only: add_previous, fail_always
    use xbatch, only: XBATCH_BACKEND_HOST, xbatch_last_error_message, &
        XBATCH_STATUS_EXECUTION_FAILED, XBATCH_STATUS_INVALID_VALUE, XBATCH_STATUS_SUCCESS, &
        XBATCH_TASK_READ, XBATCH_TASK_WRITE, xbatchCreate, xbatchDestroy, xbatchSetThreadCount, &
        xbatchTaskGraphAddAccess, xbatchTaskGraphAddDependency, xbatchTaskGraphAddTask, &
        xbatchTaskGraphCreate, xbatchTaskGraphDestroy, xbatchTaskGraphFinalize, &
        xbatchTaskGraphGetFailure, xbatchTaskGraphGetStatistics, xbatchTaskGraphRun, &
        xbatchTaskGraphSetTrace, xbatchTaskGraphWriteTrace
    implicit none

    integer(c_int64_t), parameter :: n = 100
    integer(c_size_t), parameter :: argument_bytes = 8
    type(c_ptr) :: handle, graph
    integer(c_int64_t), target :: x(n)

    call check_status(xbatchCreate(handle, XBATCH_BACKEND_HOST), XBATCH_STATUS_SUCCESS, 'create')
    call check_status(xbatchTaskGraphCreate(handle, graph), XBATCH_STATUS_SUCCESS, 'a graph')
    call build()
    call test_statistics()
    call test_runs()
    call test_trace()
    call test_failure()
    call check_status(xbatchTaskGraphDestroy(graph), XBATCH_STATUS_SUCCESS, 'destroy the graph')
    call check_status(xbatchDestroy(handle), XBATCH_STATUS_SUCCESS, 'destroy')
    call finish()

contains

    subroutine build()
        integer(c_int64_t), target :: k
        integer(c_int64_t) :: task
        integer(c_int) :: status
        do k = 2, n
            status = xbatchTaskGraphAddTask(handle, graph, 0, c_loc(k), argument_bytes, &
                real(k, c_double), task)
            call check_status(status, XBATCH_STATUS_SUCCESS, 'add a task')
            call check(task == k - 2, 'tasks are counted from 0')
            status = xbatchTaskGraphAddAccess(handle, graph, task, k - 1, XBATCH_TASK_READ)
            call check_status(status, XBATCH_STATUS_SUCCESS, 'reads')
            status = xbatchTaskGraphAddAccess(handle, graph, task, k, XBATCH_TASK_WRITE)
            call check_status(status, XBATCH_STATUS_SUCCESS, 'writes')
        end do
        k = 1
        status = xbatchTaskGraphAddTask(handle, graph, 0, c_loc(k), 99_c_size_t, 1.0_c_double)
        call check_status(status, XBATCH_STATUS_INVALID_VALUE, 'too many arguments')
        status = xbatchTaskGraphAddDependency(handle, graph, 3_c_int64_t, 3_c_int64_t)
        call check_status(status, XBATCH_STATUS_INVALID_VALUE, 'waits for itself')
        call check(xbatch_last_error_message(handle) == 'xbatchTaskGraphAddDependency: argument 3, ' &
            // 'after, must not be the task before: no task can wait for itself', 'the message')
        status = xbatchTaskGraphAddDependency(handle, graph, 0_c_int64_t, 1_c_int64_t)
        call check_status(status, XBATCH_STATUS_SUCCESS, 'a dependency')
        call check_status(xbatchTaskGraphFinalize(handle, graph), XBATCH_STATUS_SUCCESS, 'finalize')
    end subroutine

    subroutine test_statistics()
        integer(c_int64_t) :: tasks, edges, levels, width
        real(c_double) :: path
        call check_status(xbatchTaskGraphGetStatistics(handle, graph, tasks, edges, levels, width, &
            criticalPath=path), XBATCH_STATUS_SUCCESS, 'statistics')
        call check(all([tasks, edges, levels, width] == [n - 1, n - 2, n - 1, 1_c_int64_t]), 'sizes')
        call check(nint(path) == n * (n + 1) / 2 - 1, 'the critical path')
    end subroutine

    subroutine run(expected, what)
        integer(c_int), intent(in) :: expected
        character(*), intent(in) :: what
        type(c_funptr) :: bodies(1)
        bodies(1) = c_funloc(add_previous)
        x = 1
        call check_status(xbatchTaskGraphRun(handle, graph, bodies, 1, c_loc(x)), expected, what)
    end subroutine

    subroutine test_runs()
        integer(c_int) :: threads
        integer(c_int64_t) :: k
        do threads = 1, 3
            call check_status(xbatchSetThreadCount(handle, threads), XBATCH_STATUS_SUCCESS, 'threads')
            call run(XBATCH_STATUS_SUCCESS, 'run')
            call check(all(x == [(k, k=1, n)]), 'prefix sums')
        end do
    end subroutine

    subroutine test_trace()
        character(*), parameter :: path = 'fortran_task_graph_trace.json'
        character(kind=c_char), target :: name(4) = ['a', 'd', 'd', c_null_char]
        character(80) :: line
        integer :: unit
        call check_status(xbatchTaskGraphSetTrace(handle, graph, 1), XBATCH_STATUS_SUCCESS, 'trace')
        call run(XBATCH_STATUS_SUCCESS, 'a traced run')
        call check_status(xbatchTaskGraphWriteTrace(handle, graph, path // c_null_char, &
            [c_loc(name)], 1), XBATCH_STATUS_SUCCESS, 'write the trace')
        open (newunit=unit, file=path, status='old', action='read')
        read (unit, '(a)') line
        read (unit, '(a)') line
        close (unit, status='delete')
        call check(line(:13) == '{"name":"add"', 'the first event')
        call check_status(xbatchTaskGraphWriteTrace(handle, graph, c_null_char, types=0), &
            XBATCH_STATUS_INVALID_VALUE, 'no file')
    end subroutine

    subroutine test_failure()
        type(c_funptr) :: bodies(1)
        integer(c_int64_t) :: task
        integer(c_int) :: code
        bodies(1) = c_funloc(fail_always)
        call check_status(xbatchTaskGraphRun(handle, graph, bodies, 1, c_loc(x)), &
            XBATCH_STATUS_EXECUTION_FAILED, 'a run that fails')
        call check_status(xbatchTaskGraphGetFailure(handle, graph, task, code), &
            XBATCH_STATUS_SUCCESS, 'failure')
        call check(task == 0 .and. code == 5, 'which task failed, and how')
        call check_status(xbatchTaskGraphRun(handle, graph, bodies, 0, c_null_ptr), &
            XBATCH_STATUS_INVALID_VALUE, 'no body')
    end subroutine
end program
