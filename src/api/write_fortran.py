"""The Fortran module, from its template fortran/xbatch.f90.in: the generic names, and the interfaces of all functions.

In the template the line `@generated@` is replaced by the note that the module is generated, `@generic@` by the generic
names, `@interfaces@` by the interfaces.

SPDX-License-Identifier: BSD-3-Clause"""

import re

from model import LETTERS, TableError
from routines import HEADERS

LIMIT = 100  # columns
ADDRESS = "type(c_ptr), value, intent(in)"
REALS = {"s": "real(c_float)", "d": "real(c_double)", "c": "real(c_float)", "z": "real(c_double)"}
KINDS = {
    "T": {**REALS, "c": "complex(c_float_complex)", "z": "complex(c_double_complex)"}, "R": REALS,
    "int": "integer(c_int)", "int32_t": "integer(c_int32_t)", "int64_t": "integer(c_int64_t)",
    "size_t": "integer(c_size_t)", "double": "real(c_double)", "char": "character(kind=c_char)",
    "xbatchHandle_t": "type(c_ptr)", "xbatchHinesPlan_t": "type(c_ptr)", "xbatchTaskGraph_t": "type(c_ptr)",
    "xbatchTaskBody_t": "type(c_funptr)", "xbatchTiledConfig_t": "type(xbatchTiledConfig_t)"}
ENUMERATOR = KINDS["int"]


def attributes(argument, letter):
    """Type and attributes of an argument. In the x form arrays are addresses, because they may be in device memory."""
    base, *stars = argument.type.replace("const", "").replace("*", " * ").split()
    kind = KINDS.get(base, ENUMERATOR)
    if not stars:
        return f"{kind}, value, intent(in)"
    if len(stars) == 1 and base == "void" or letter == "x" and base not in ("size_t", "xbatchTiledConfig_t"):
        return ADDRESS
    if len(stars) > 1:  # addresses of arrays
        kind = "type(c_ptr)"
    elif base in ("T", "R"):
        kind = kind[letter]
    pointee = argument.type[:-1].rstrip()
    is_input = pointee.endswith("const") or pointee.startswith("const") and "*" not in pointee
    intent = "out" if argument.is_output else "in" if is_input else "inout"
    return f"{kind}, intent({intent}){', optional' if argument.is_optional else ''}"


def wrap(indent, words):
    """The words in one line, or in several joined by &."""
    lines, line = [], indent + words[0]
    for k, word in enumerate(words[1:], 2):
        if len(line) + 1 + len(word) + (2 if k < len(words) else 0) > LIMIT:
            lines.append(line + " &")
            line = indent + "    " + word
        else:
            line += " " + word
    return lines + [line]


def listed(head, names, end=""):
    """The words of `head name, name, …end`."""
    words = [name + "," for name in names[:-1]] + [names[-1] + end]
    return [head + words[0]] + words[1:]


def declarations(function):
    """{(type and attributes, mark T or R of an array): names}, in the order of the arguments."""
    found = {}
    for argument in function.arguments:
        text = attributes(argument, function.letter)
        is_array = text != ADDRESS and argument.is_pointer and not argument.is_single and not argument.is_output
        kind = re.search(r"\b[TR]\b", argument.type) if is_array else None
        found.setdefault((text, kind and kind[0]), []).append(argument.name + ("(*)" if is_array else ""))
    return found


def interface(function):
    declared = declarations(function)
    result = ENUMERATOR if function.result.startswith("xbatchStatus_t") else "type(c_ptr)"
    names = [argument.name for argument in function.arguments]
    head = listed(f"{result} function {function.name}(", names, ")") + [f"bind(c, name='{function.name}')"]
    used = set(re.findall(r"\((?:kind=)?(c_\w+|xbatch\w+)\)", " ".join([result] + [text for text, _ in declared])))
    lines = wrap(" " * 8, head) + wrap(" " * 12, listed("import :: ", sorted(used))) + [" " * 12 + "implicit none"]
    for (text, _), names in declared.items():
        lines += wrap(" " * 12, listed(f"{text} :: ", names))
    return "\n".join(lines + [" " * 8 + "end function\n"])


def interfaces(header):
    parts = [interface(function) for function in header.plain_functions()]
    for routine in header.routines:
        forms = "\n".join(interface(function) for function in routine.functions())
        parts.append(f"        ! {routine.name}: {routine.summary}\n{forms}")
    return f"    ! {header.name}: {header.group}\n    interface\n" + "\n".join(parts) + "    end interface\n"


def generic_name(routine):
    forms = ", ".join(routine.form(letter) for letter in LETTERS)
    return f"    interface {routine.name}\n        procedure :: {forms}\n    end interface\n"


def write(root, mark):
    """{path: text} of the module."""
    generic = [generic_name(routine) for header in HEADERS for routine in header.routines if routine.generic]
    text = (root / "fortran/xbatch.f90.in").read_text(encoding="utf-8")
    for place, lines in {"generated": f"! {mark}\n", "generic": "\n".join(generic),
                         "interfaces": "\n".join(interfaces(header) for header in HEADERS)}.items():
        if text.count(f"@{place}@\n") != 1:
            raise TableError(f"fortran/xbatch.f90.in: there must be one line @{place}@")
        text = text.replace(f"@{place}@\n", lines)
    return {"fortran/xbatch.f90": text}
