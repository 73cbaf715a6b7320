"""The C++ interface: one function template per routine and one per query, one header for each C header.

SPDX-License-Identifier: BSD-3-Clause"""

import re

from model import WORKSPACE, parse_arguments, wrap
from routines import HEADERS

SIZE = "int64_t"  # of the shape: these arguments are members of Sizes
CPP = {"T": "Element", "R": "Real<Element>"}


def declared(argument):
    """The argument in C++. The type of one that may be NULL is not deduced from it."""
    words = re.sub(r"\b[TR]\b", lambda mark: CPP[mark[0]], argument.type)
    if argument.is_optional:
        words = words.replace("Element ", "Same<Element> ")
    return words + ("" if argument.is_pointer else " ") + argument.name


def passed(argument):
    """The argument in the call of the x form."""
    if re.search(r"\bT \*const \*", argument.type):
        return f"reinterpret_cast<{re.sub(r'[TR]', 'void', argument.type)}>({argument.name})"
    return argument.name


def shape_of(routine):
    """(declarations, arguments passed to the x form) of the shape; sizes are one argument, at the first one's place."""
    declarations, arguments = [], []
    for argument in parse_arguments(routine.shape):
        is_size = argument.type == SIZE
        declaration = "const Sizes &sizes" if is_size else declared(argument)
        if declaration not in declarations:
            declarations.append(declaration)
        arguments.append(f"sizes.{argument.name}()" if is_size else argument.name)
    return declarations, arguments


def call(routine, query, arguments):
    start, passed = routine.form("x", query) + "(", ["handle", "Scalar<Element>::type", *arguments]
    lines = wrap("    check(handle, " + start, passed, "));")
    nested = ["    check(handle,"] + wrap("          " + start, passed, "));")
    return "\n".join(nested if 2 < len(lines) >= len(nested) else lines)  # as clang-format breaks it


def query(routine):
    """The function that returns the bytes of the workspace."""
    declarations, arguments = shape_of(routine)
    name, sizes = routine.form("", True), routine.sizes.split()
    declarations = ["const Handle &handle"] + declarations + [f"std::size_t &{size}" for size in sizes]
    outputs = [f"&{size}" for size in [*sizes, WORKSPACE[1].name]]
    head = "\n".join(wrap(f"std::size_t {name}(", declarations, ") {"))
    also = f", and the bytes of its other results in {', '.join(sizes)}" if sizes else ""
    return f"""/** The bytes of {routine.name}'s workspace{also}. */
template <class Element>
{head}
    std::size_t {WORKSPACE[1].name} = 0;
{call(routine, True, arguments + outputs)}
    return {WORKSPACE[1].name};
}}
"""


def function(routine):
    """The routine. Arguments at the end that may be absent have defaults."""
    shape, arguments = shape_of(routine)
    own = parse_arguments(routine.data)
    declarations = [declared(argument) for argument in own]
    declarations[-1] += " = nullptr" if own[-1].is_optional else ""
    arguments += [passed(argument) for argument in own]
    workspace = ""
    if routine.query:
        sizes = routine.sizes.split()
        names = ["handle", *(re.search(r"\w+$", declaration)[0] for declaration in shape), *sizes]
        unless, start = "    if (!used.data)", f"used = handle.own_workspace({routine.form('', True)}<Element>("
        lines = wrap(f"{unless} {start}", names, "));")
        lines = lines if len(lines) == 1 else [unless] + wrap(" " * 8 + start, names, "));")  # as clang-format
        workspace = "".join(f"    std::size_t {size} = 0;\n" for size in sizes)
        workspace += "    Workspace used = workspace;\n" + "\n".join(lines) + "\n"
        declarations.append("const Workspace &workspace = {}")
        arguments += ["used.data", "used.bytes"]
    head = "\n".join(wrap(f"void {routine.name}(", ["Handle &handle", *shape, *declarations], ") {"))
    return f"""/** x{routine.name}: {routine.summary}. */
template <class Element>
{head}
{workspace}{call(routine, False, arguments)}
}}
"""


def interface(header, mark):
    """The C++ header of a C header."""
    guard = f"XBATCH_{header.stem.upper()}_HPP"
    functions = []
    for routine in header.routines:
        functions += ([query(routine)] if routine.query else []) + [function(routine)]
    body = "\n".join(functions)
    return f"""/** @file {header.stem}.hpp
 * {header.name} for C++: {header.group[0].lower()}{header.group[1:]}.
 * {mark}
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef {guard}
#define {guard}

#include "handle.hpp"
#include "{header.name}"

namespace xbatch {{

{body}
}}  // namespace xbatch

#endif
"""


def instances(mark):
    """A function for the tests that needs an instance of every template, by one for each header."""
    headers = [header for header in HEADERS if header.routines]
    functions = ""
    for header in headers:
        names = [routine.form("", query) for routine in header.routines for query in routine.queries()]
        uses = "".join(f"    static_cast<void>(&xbatch::{name}<Element>);\n" for name in names)
        functions += f"template <class Element>\nvoid use_{header.stem}() {{\n{uses}}}\n\n"
    calls = "".join(f"    use_{header.stem}<Element>();\n" for header in headers)
    return f"""// every_routine.hpp: makes the compiler read every function of the C++ interface for an element type.
// {mark}
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <xbatch.hpp>

{functions}template <class Element>
void use_every_routine() {{
{calls}}}
"""


def write(_, mark):
    """{path: text} of the C++ headers and of the tests' list of their functions."""
    headers = {f"include/xbatch/{header.stem}.hpp": interface(header, mark) for header in HEADERS if header.routines}
    return {**headers, "tests/cxx/every_routine.hpp": instances(mark)}
