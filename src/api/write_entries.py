"""The C entries of all typed routines, one file per header, and the declarations of the functions that they call. An
entry only adds its name and its type. Those for several handles pass each share's arguments to the same functions.

SPDX-License-Identifier: BSD-3-Clause"""

import re

from model import TableError, is_of_shares, wrap
from routines import HEADERS

TYPES = {"x": "type", "s": "XBATCH_R_32F", "d": "XBATCH_R_64F", "c": "XBATCH_C_32F", "z": "XBATCH_C_64F"}
PUSH, POP = "#pragma GCC visibility push(default)", "#pragma GCC visibility pop"


def called(routine, query):
    """(namespace, function, leading arguments before the type) that the forms of a routine call."""
    match = re.fullmatch(r"(\w+)::(\w+)(?:\((\w+::\w+)\))?", routine.calls)
    if not match:
        raise TableError(f"src/api/routines.py: {routine.name} calls '{routine.calls}'")
    return match[1], match[2] + ("_buffer_size" if query else ""), match[3]


def entry(routine, letter, query):
    """The definition of a form, or of its query."""
    function = routine.function(letter, query)
    _, name, method = called(routine, query)
    own = [argument.name for argument in function.arguments if argument.name not in ("handle", "type")]
    arguments = ["handle", f'{{"{function.name}", {int(letter == "x")}}}', *[method] * bool(method), TYPES[letter], *own]
    return function.prototype(" {") + "\n" + "\n".join(wrap(f"    return {name}(", arguments, ");")) + "\n}\n"


def entry_of_shares(routine):
    """The definition of the form for several handles."""
    function = routine.with_shares()
    _, name, method = called(routine, False)
    checks, own = "", []
    shape, others = routine.own_arguments()
    for position, (one, all_) in enumerate(zip(shape + others, function.arguments[3:]), 1):
        is_array = is_of_shares(one)
        if is_array and not one.is_optional:
            checks += f'            call.not_null({position}, "{all_.name}", {all_.name});\n'
        passed = f"{'&' if one.is_single else ''}{all_.name}[share]" if is_array else one.name
        own.append(f"{all_.name} ? {passed} : nullptr" if is_array and one.is_optional else passed)
    arguments = ["handles[share]", "caller", *[method] * bool(method), "type", *own]
    call = "\n".join(wrap(f"            return {name}(", arguments, ");"))
    return f"""{function.prototype(' {')}
    return xbatch::with_shares(
        "{function.name}", devices, handles,
        [&](xbatch::Call &call) {{
{checks}        }},
        [&](int share, xbatch::Caller caller) {{
{call}
        }});
}}
"""


def declaration(routine, query):
    """The prototype of the function that the forms of a routine call."""
    _, name, method = called(routine, query)
    handle, type_, *others = routine.function("x", query).arguments
    arguments = [f"{handle.type} {handle.name}", "Caller caller"]
    if method:
        arguments.append(method.split("::")[0] + " method")
    arguments.append(f"{type_.type} {type_.name}")
    for argument in others:
        words = re.sub(r".*\bT \*const \*", "const void *", argument.type)  # an array of addresses
        words = re.sub(r"\b[TR]\b", "void", words)
        arguments.append(words + ("" if argument.is_pointer else " ") + argument.name)
    return "\n".join(wrap(f"xbatchStatus_t {name}(", arguments, ");"))


def declarations(mark):
    """The header of all functions that the entries call."""
    functions = {}  # of each namespace, without duplicates
    for routine in [routine for header in HEADERS for routine in header.routines]:
        for query in routine.queries():
            namespace, name, _ = called(routine, query)
            functions.setdefault(namespace, {})[name] = declaration(routine, query)
    text = f"""// entries.hpp: the functions that the C entries call, one per routine and one per size query, for all types.
// {mark}
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/call.hpp"
#include "tridiagonal/tridiagonal.hpp"
#include "xbatch.h"
"""
    for namespace, prototypes in functions.items():
        body = "\n".join(prototypes.values())
        text += f"\nnamespace xbatch::{namespace} {{\n\n{body}\n\n}}  // namespace xbatch::{namespace}\n"
    return text


def definitions(header, mark):
    """The entries of a header."""
    namespaces = {called(routine, False)[0] for routine in header.routines}
    using = "".join(f"using namespace xbatch::{namespace};\n" for namespace in sorted(namespaces))
    batched = [routine for routine in header.routines if routine.is_batched]
    entries = "\n".join(["".join(entry(routine, letter, query) for letter in TYPES)
                         for routine in header.routines for query in routine.queries()]
                        + [entry_of_shares(routine) for routine in batched])
    shares = '#include "core/shares.hpp"\n' if batched else ""
    return f"""// {header.stem}.cpp: the C entries of {header.name}.
// {mark}
//
// SPDX-License-Identifier: BSD-3-Clause
#include "api/entries.hpp"
{shares}
{using}
{PUSH}
extern "C" {{

{entries}
}}  // extern "C"
{POP}
"""


def write(_, mark):
    """{path: text} of the entries and of the functions that they call."""
    written = {f"src/api/entries/{header.stem}.cpp": definitions(header, mark)
               for header in HEADERS if header.routines}
    return {"src/api/entries.hpp": declarations(mark), **written}
