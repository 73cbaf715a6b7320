// entry.hpp: the order in which every routine checks a call before its backend runs: shape, sizes of arrays, quick
// return, pointers, workspace.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "call.hpp"
#include "dispatch.hpp"

namespace xbatch {

// A routine describes what its size query takes by a struct Shape:
//   xbatchDataType_t type;
//   void check(Call &, const Context &) const;
//   bool is_empty() const;                   // nothing to do, so that neither pointers nor a workspace are needed
//   Problem problem(const Context &) const;  // without the arrays
// and the rest of its arguments by functions:
//   sizes(call)                    checks leading dimensions and extents,
//   data(call, context, problem)   checks pointers, and sets the arrays of the problem,
//   stored(call, context)          checks what an earlier routine has stored; most routines have none.
struct Workspace {
    int position;  // among the arguments
    void *pointer;
    size_t bytes;
};
constexpr auto no_sizes = [](Call &) {};
constexpr auto nothing_stored = [](Call &, const Context &) {};

// The problem to be run; none where an argument is wrong or there is nothing to do.
template <class Problem, class Shape, class Sizes, class Data, class Stored>
std::optional<Problem> prepare(Call &call, const Context &context, const Table<Problem> &table, const Shape &shape,
                               const Workspace &workspace, Sizes sizes, Data data, Stored stored) {
    shape.check(call, context);
    if (!call.failed()) sizes(call);
    if (call.failed() || shape.is_empty()) return std::nullopt;
    Problem problem = shape.problem(context);
    data(call, context, problem);
    call.on_backend(table.has(context, shape.type));
    if (call.failed()) return std::nullopt;
    call.workspace(workspace.position, workspace.pointer, workspace.bytes,
                   table.workspace(context, shape.type, problem));
    if (!call.failed()) stored(call, context);
    if (call.failed()) return std::nullopt;
    return problem;
}

template <class Problem, class Shape, class Sizes, class Data, class Stored = decltype(nothing_stored)>
xbatchStatus_t solve(xbatchHandle_t handle, Caller caller, const Table<Problem> &table, const Shape &shape,
                     const Workspace &workspace, Sizes sizes, Data data, Stored stored = nothing_stored) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        const auto problem = prepare(call, context, table, shape, workspace, sizes, data, stored);
        if (!problem || caller.is_check) return call.status();
        call.log();
        return table.run(context, shape.type, *problem, workspace.pointer);
    });
}

// The size query of a workspace, whose address is at `position` among the arguments
template <class Problem, class Shape>
xbatchStatus_t query(xbatchHandle_t handle, Caller caller, const Table<Problem> &table, const Shape &shape,
                     int position, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        shape.check(call, context);
        call.not_null(position, "workspaceBytes", workspaceBytes);
        if (!call.failed() && !shape.is_empty()) call.on_backend(table.has(context, shape.type));
        if (call.failed()) return call.status();
        return call.answer(position, "workspaceBytes", workspaceBytes,
                           shape.is_empty() ? 0 : table.workspace(context, shape.type, shape.problem(context)));
    });
}

// Of two sizes: of `name`, bytes_of(context, problem) that are stored between calls, and of the workspace next to it
template <class Problem, class Shape, class BytesOf>
xbatchStatus_t query(xbatchHandle_t handle, Caller caller, const Table<Problem> &table, const Shape &shape,
                     int position, const char *name, size_t *bytes, BytesOf bytes_of, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        shape.check(call, context);
        call.not_null(position, name, bytes);
        call.not_null(position + 1, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        if (shape.is_empty()) return call.answer(position, name, bytes, 0, workspaceBytes, 0);
        const Problem problem = shape.problem(context);
        return call.answer(position, name, bytes, bytes_of(context, problem), workspaceBytes,
                           table.workspace(context, shape.type, problem));
    });
}

}  // namespace xbatch
