"""docs/routines.md: all functions by group, with their purpose and header.

SPDX-License-Identifier: BSD-3-Clause"""

import re

from model import TableError
from routines import HEADERS

INTRODUCTION = """# Routines

<!-- {mark} -->

All functions of the C interface. `x` stands for LAPACK's letters: `xgtsvBatch` takes the element type as an argument;
`sgtsvBatch`, `dgtsvBatch`, `cgtsvBatch` and `zgtsvBatch` take float, double, complex float and complex double. A routine
with workspace has a query `xgtsvBatch_bufferSize` in the same five forms. The Fortran module has the same names.

The contract of a function is the comment above its prototype in the header. [Choosing a solver](solvers.md) compares the
routines.
"""


def purpose(text, path, name):
    """The first sentence of the comment above a function's prototype."""
    match = re.search(rf"/\*\*((?:(?!\*/).)*)\*/\s*[\w *]*\b{name}\s*\(", text, re.DOTALL)
    if not match:
        raise TableError(f"{path}: {name} has no comment")
    words = " ".join(re.sub(r"^ \* ?", "", match[1], flags=re.MULTILINE).split())
    sentence = re.match(r"(.*?)(?:[.:;](?= )|\.$|$)", re.split(r" @| - ", words)[0])[1]
    return sentence[0].lower() + sentence[1:] if sentence[1:2].islower() else sentence


def name_of(routine):
    """The x form, and the names for float and double if they differ."""
    other = f" (real: `d{routine.real}`)" if routine.real else ""
    return f"`x{routine.name}`{other}"


def section(root, header):
    path = f"include/xbatch/{header.name}"
    text = (root / path).read_text(encoding="utf-8")
    rows = [(name_of(routine), routine.summary) for routine in header.routines]
    rows += [(f"`{function.name}`", purpose(text, path, function.name)) for function in header.plain_functions()]
    rows += [(f"`x{routine.name}Mg`", f"`x{routine.name}`, a share of the batch on each of several handles")
             for routine in header.shared_out]
    table = "".join(f"| {name} | {what} |\n" for name, what in rows)
    return f"\n## {header.group}\n\nHeader: [{header.name}](../{path})\n\n| function | purpose |\n|---|---|\n{table}"


def write(root, mark):
    """{path: text} of the page."""
    sections = sorted(HEADERS, key=lambda header: not header.routines)  # the solvers first
    return {"docs/routines.md": INTRODUCTION.format(mark=mark) + "".join(section(root, header) for header in sections)}
