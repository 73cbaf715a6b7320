"""The tests' table of routines: all forms with the names of their arguments.

SPDX-License-Identifier: BSD-3-Clause"""

from model import FORMS, WORKSPACE, is_of_shares, wrap
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


def entry_of_shares(routine):
    """Its arguments after handles and type. Those that are arrays with an entry for each share are marked by *."""
    texts = [" ".join(name_of(argument) + "*" * is_of_shares(argument) for argument in part)
             for part in routine.own_arguments()]
    words = [f'"{text}"' for text in (routine.form("x"), *texts)]
    return "\n".join(wrap("    add_shares(", ["table", *words, routine.with_shares().name], ");"))


def shares_function(header):
    entries = [entry_of_shares(routine) for routine in header.routines if routine.is_batched]
    return "\n".join([f"inline void add_shares_of_{header.stem}(std::vector<RoutineOfShares> &table) {{"] + entries
                     + ["}\n"])


def function(header):
    entries = [entry(routine, query) for routine in header.routines for query in routine.queries()]
    return "\n".join([f"inline void add_{header.stem}(std::vector<Routine> &table) {{"] + entries + ["}\n"])


def write(_, mark):
    """{path: text} of the table."""
    headers = [header for header in HEADERS if header.routines]
    functions = "\n".join(function(header) for header in headers)
    calls = "\n".join(f"    add_{header.stem}(table);" for header in headers)
    batched = [header for header in headers if any(routine.is_batched for routine in header.routines)]
    shares_functions = "\n".join(shares_function(header) for header in batched)
    shares_calls = "\n".join(f"    add_shares_of_{header.stem}(table);" for header in batched)
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

{shares_functions}
inline std::vector<RoutineOfShares> make_table_of_shares() {{
    std::vector<RoutineOfShares> table;
{shares_calls}
    return table;
}}

}}  // namespace xbatch_test
"""}
