"""The tests' table of routines: all forms with the names of their arguments.

SPDX-License-Identifier: BSD-3-Clause"""

from model import FORMS, WORKSPACE, wrap
from routines import HEADERS

# In the tests a name determines which values are invalid, so each name has one meaning: arrays of sizes, which in C
# have the name of one size, and the output of a query have names of their own.
ARRAYS = {"m": "sizesM", "n": "sizesN", "k": "sizesK", "nrhs": "sizesR", "lda": "ldsA", "ldb": "ldsB", "ldc": "ldsC"}


def name_of(argument):
    if argument.type == "const int64_t *":
        return ARRAYS.get(argument.name, argument.name)
    return "bytes" if argument.is_pointer and argument.name == WORKSPACE[1].name else argument.name


def entry(routine, query):
    shape, others = (" ".join(name_of(argument) for argument in part) for part in routine.own_arguments(query))
    texts = [routine.form("", query), routine.form("s", query)[1:], shape, others]
    forms = [routine.form(letter, query) for letter in FORMS]
    return "\n".join(wrap("    add_family(", ["table"] + [f'"{text}"' for text in texts] + forms, ");"))


def function(header):
    entries = [entry(routine, query) for routine in header.routines for query in routine.queries()]
    return "\n".join([f"inline void add_{header.stem}(std::vector<Routine> &table) {{"] + entries + ["}\n"])


def write(_, mark):
    """{path: text} of the table."""
    headers = [header for header in HEADERS if header.routines]
    functions = "\n".join(function(header) for header in headers)
    calls = "\n".join(f"    add_{header.stem}(table);" for header in headers)
    return {"tests/support/fixtures/routine_table.hpp": f"""\
// routine_table.hpp: every exported routine that takes a shape, by the names of its arguments after the handle.
// {mark}
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "routine.hpp"

namespace xbatch_test {{

{functions}
inline std::vector<Routine> make_table() {{
    std::vector<Routine> table;
{calls}
    return table;
}}

}}  // namespace xbatch_test
"""}
