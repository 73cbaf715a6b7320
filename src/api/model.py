"""What a row of routines.py means: the names and the prototypes of a routine's forms.

SPDX-License-Identifier: BSD-3-Clause"""

import re
from dataclasses import dataclass

LETTERS = "sdcz"
FORMS = "x" + LETTERS
ELEMENT = {"x": "void", "s": "float", "d": "double", "c": "xbatchComplexFloat_t", "z": "xbatchComplexDouble_t"}
REAL = {"x": "void", "s": "float", "d": "double", "c": "float", "z": "double"}
TYPE_IN_WORDS = {"s": "float", "d": "double", "c": "complex float", "z": "complex double"}


class TableError(Exception):
    """The table, or what is written by hand beside it, is wrong."""


@dataclass(frozen=True)
class Argument:
    type: str  # in C, with T and R for what depends on the form
    name: str
    is_optional: bool = False
    is_single: bool = False  # a pointer to one value

    @property
    def is_pointer(self):
        return self.type.endswith("*")

    def in_c(self, letter):
        """Its declaration in the form of a letter."""
        type_ = re.sub(r"\bT\b", ELEMENT[letter], re.sub(r"\bR\b", REAL[letter], self.type))
        return type_ + self.name if self.is_pointer else f"{type_} {self.name}"


def parse_arguments(text):
    """The arguments of a list in the notation of routines.py."""
    arguments = []
    for part in " ".join(text.split()).split(", "):
        match = re.fullmatch(r"(.*?)(\w+)(\[1\])?(\?)?", part)
        if not match or not match[1].strip():
            raise TableError(f"not an argument: '{part}'")
        arguments.append(Argument(match[1].strip(), match[2], bool(match[4]), bool(match[3])))
    return arguments


HANDLE = Argument("xbatchHandle_t", "handle")
TYPE = Argument("xbatchDataType_t", "type")
WORKSPACE = [Argument("void *", "workspace"), Argument("size_t", "workspaceBytes")]


@dataclass(frozen=True)
class Routine:
    """A row: the fields are explained in routines.py."""
    name: str
    summary: str
    shape: str
    data: str
    sizes: str = ""
    query: bool = True
    real: str = ""
    generic: bool = True
    calls: str = ""

    def form(self, letter, query=False):
        """The exported name of a form, or of its query."""
        stem = self.real if self.real and letter in "sd" else self.name
        return letter + stem + ("_bufferSize" if query else "")

    def queries(self):
        """The values of `query` for which a routine exists."""
        return (False, True) if self.query else (False,)

    def own_arguments(self, query=False):
        """The arguments behind the handle and the type."""
        shape = parse_arguments(self.shape)
        if query:
            sizes = self.sizes.split() + ["workspaceBytes"]
            return shape + [Argument("size_t *", name, is_single=True) for name in sizes]
        return shape + parse_arguments(self.data) + (WORKSPACE if self.query else [])

    def arguments(self, letter, query=False):
        """All arguments of a form, or of its query."""
        return [HANDLE] + ([TYPE] if letter == "x" else []) + self.own_arguments(query)

    def names(self):
        """All exported names of the row."""
        return [self.form(letter, query) for query in self.queries() for letter in FORMS]


@dataclass(frozen=True)
class Header:
    """A header of include/xbatch: its routines, and the names of the functions that have one form alone."""
    name: str
    group: str  # their heading in lists of routines
    routines: tuple = ()
    plain: str = ""

    def names(self):
        """All exported names of the header."""
        return self.plain.split() + [name for routine in self.routines for name in routine.names()]


def wrap(start, items, end, limit=120):
    """Lines of `start(item, item, …)end`: as many items a line as fit, all behind the parenthesis. So does clang-format
    with the file in the root."""
    lines, line, indent = [], start, " " * len(start)
    for k, item in enumerate(items):
        item += "," if k + 1 < len(items) else end
        separator = "" if line in (start, indent) else " "
        if len(line) + len(separator) + len(item) > limit:
            lines.append(line)
            line, separator = indent, ""
        line += separator + item
    return lines + [line]


def prototype(routine, letter, query=False):
    """The prototype of a form, or of its query."""
    arguments = [argument.in_c(letter) for argument in routine.arguments(letter, query)]
    return "\n".join(wrap(f"xbatchStatus_t {routine.form(letter, query)}(", arguments, ");"))
