"""Interpretation of the rows of routines.py: names, arguments and C prototypes of all forms of a routine.

SPDX-License-Identifier: BSD-3-Clause"""

import re
from dataclasses import dataclass

LETTERS = "sdcz"
FORMS = "x" + LETTERS
C_TYPES = {  # of the marks T and R, by form
    "T": {"x": "void", "s": "float", "d": "double", "c": "xbatchComplexFloat_t", "z": "xbatchComplexDouble_t"},
    "R": {"x": "void", "s": "float", "d": "double", "c": "float", "z": "double"}}
TYPE_IN_WORDS = {"s": "float", "d": "double", "c": "complex float", "z": "complex double"}


class TableError(Exception):
    """The table is wrong, or a hand-written file disagrees with it."""


@dataclass(frozen=True)
class Argument:
    type: str  # in C, with the marks T and R
    name: str
    is_optional: bool = False
    is_single: bool = False  # a pointer to one value
    is_output: bool = False  # a pointer to one value that is undefined before the call

    @property
    def is_pointer(self):
        return self.type.endswith("*")


def parse_arguments(text):
    """The arguments of a list in the notation of routines.py."""
    arguments = []
    for part in " ".join(text.split()).split(", "):
        match = re.fullmatch(r"(.*[ *])(\w+)(\[1\]|\[out\])?(\??)", part)
        if not match:
            raise TableError(f"src/api/routines.py: '{part}' is no argument")
        words, name, pointee, optional = match.groups()
        arguments.append(Argument(words.strip(), name, bool(optional), pointee == "[1]", pointee == "[out]"))
    return arguments


# What each share of a batch has its own of, in a call with several handles; also leading dimensions and strides
OF_SHARES = ("batch", "batch0", "batch1", "batch2", "sets", "plan", "workspaceBytes")


def is_of_shares(argument):
    """Whether it is an array with an entry for each share in a call with several handles."""
    name = argument.name
    return argument.is_pointer or name in OF_SHARES or bool(re.match(r"(ld|stride)(?!.*Max)", name))


def of_shares(argument):
    """The argument in a call with several handles."""
    if not is_of_shares(argument):
        return argument
    words = re.sub(r"\b[TR]\b", "void", argument.type)
    if argument.is_single:  # an array of what it points to
        return Argument(words, argument.name)
    words = words + "const *" if argument.is_pointer else f"const {words} *"
    return Argument(words, "plans" if argument.name == "plan" else argument.name, argument.is_optional)


HANDLE = Argument("xbatchHandle_t", "handle")
TYPE = Argument("xbatchDataType_t", "type")
WORKSPACE = [Argument("void *", "workspace"), Argument("size_t", "workspaceBytes")]


@dataclass(frozen=True)
class Function:
    """An exported function: a form of a routine, its query, or a function without other forms (letter '')."""
    name: str
    arguments: list
    letter: str = ""
    result: str = "xbatchStatus_t "

    def prototype(self, end=";"):
        declared = []
        for argument in self.arguments:
            words = re.sub(r"\b[TR]\b", lambda match: C_TYPES[match[0]][self.letter], argument.type)
            declared.append(f"{words}{'' if argument.is_pointer else ' '}{argument.name}")
        return "\n".join(wrap(f"{self.result}{self.name}(", declared, ")" + end))


@dataclass(frozen=True)
class Routine:
    """A row; routines.py explains the fields."""
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
        stem = self.real if self.real and letter in ("s", "d") else self.name
        return letter + stem + ("_bufferSize" if query else "")

    def queries(self):
        """The values of `query` for which there is a function."""
        return (False, True) if self.query else (False,)

    def own_arguments(self, query=False):
        """The arguments after handle and type, in two lists: the shape, and the others."""
        if query:
            names = [*self.sizes.split(), "workspaceBytes"]
            others = parse_arguments(", ".join(f"size_t *{name}[out]" for name in names))
        else:
            others = parse_arguments(self.data) + (WORKSPACE if self.query else [])
        return parse_arguments(self.shape), others

    def function(self, letter, query=False):
        """A form, or its query."""
        shape, others = self.own_arguments(query)
        return Function(self.form(letter, query), [HANDLE] + [TYPE] * (letter == "x") + shape + others, letter)

    @property
    def is_batched(self):
        """Whether it solves batches, so that a batch can be shared out."""
        return any(argument.name.startswith("batch") for argument in parse_arguments(self.shape))

    def with_shares(self):
        """The form for several handles, each of which has a share of the batch."""
        shape, others = self.own_arguments()
        handles = [Argument("int", "devices"), Argument("const xbatchHandle_t *", "handles"), TYPE]
        return Function(self.form("x") + "Mg", handles + [of_shares(argument) for argument in shape + others])

    def functions(self, letters=FORMS):
        """All forms, then all their queries."""
        return [self.function(letter, query) for query in self.queries() for letter in letters]


@dataclass(frozen=True)
class Header:
    """A header of include/xbatch."""
    name: str
    group: str  # the heading of its routines in lists
    plain: str = ""  # prototypes of functions without other forms
    routines: tuple = ()
    shared_out: tuple = ()  # routines whose forms for several handles it declares

    @property
    def stem(self):
        return self.name[:-2]

    def plain_functions(self):
        found = []
        for text in " ".join(self.plain.split()).split(";")[:-1]:
            match = re.fullmatch(r" ?(.*[ *])?(\w+)\((.*)\)", text)
            if not match:
                raise TableError(f"src/api/routines.py: '{text}' is no prototype")
            found.append(Function(match[2], parse_arguments(match[3]), result=match[1] or Function.result))
        return found

    def functions(self):
        """All exported functions."""
        return (self.plain_functions() + [routine.with_shares() for routine in self.shared_out]
                + [function for routine in self.routines for function in routine.functions()])


def wrap(start, items, end, limit=120):
    """The lines of `start(item, item, …)end`, filled and aligned after the parenthesis as by clang-format with the
    file in the root."""
    lines, line, indent = [], start, " " * len(start)
    for k, item in enumerate(items):
        item += "," if k + 1 < len(items) else end
        separator = "" if line in (start, indent) else " "
        if len(line) + len(separator) + len(item) > limit:
            lines.append(line)
            line, separator = indent, ""
        line += separator + item
    return lines + [line]
