"""The Fortran modules: xbatch_c, the interfaces of all functions, from its template fortran/xbatch_c.f90.in; and xbatch,
which adds the generic names.

In the template the line `@generated@` is replaced by the note that the module is generated, `@interfaces@` by the
interfaces.

SPDX-License-Identifier: BSD-3-Clause"""

import re

from model import LETTERS, TableError
from routines import HEADERS

LIMIT = 100  # columns
ADDRESS = "type(c_ptr), value, intent(in)"
KIND_C, KIND_Z = "complex(c_float_complex)", "complex(c_double_complex)"
REALS = {"s": "real(c_float)", "d": "real(c_double)", "c": "real(c_float)", "z": "real(c_double)"}
KINDS = {
    "T": {**REALS, "c": KIND_C, "z": KIND_Z}, "R": REALS,
    "int": "integer(c_int)", "int32_t": "integer(c_int32_t)", "int64_t": "integer(c_int64_t)",
    "size_t": "integer(c_size_t)", "double": "real(c_double)", "char": "character(kind=c_char)",
    "float": "real(c_float)", "xbatchComplexFloat_t": KIND_C, "xbatchComplexDouble_t": KIND_Z,
    "xbatchHandle_t": "type(c_ptr)", "xbatchComm_t": "type(c_ptr)", "xbatchMpPlan_t": "type(c_ptr)",
    "xbatchMgPlan_t": "type(c_ptr)",
    "xbatchHinesPlan_t": "type(c_ptr)", "xbatchTaskGraph_t": "type(c_ptr)",
    "xbatchTaskBody_t": "type(c_funptr)", "xbatchTiledConfig_t": "type(xbatchTiledConfig_t)",
    "xbatchStrides_t": "type(xbatchStrides_t)"}
ON_HOST = ("size_t", "xbatchTiledConfig_t", "xbatchStrides_t")  # what the x form does not take by address
ENUMERATOR = KINDS["int"]


def attributes(argument, letter):
    """Type and attributes of an argument. In the x form arrays are addresses, because they may be in device memory."""
    base, *stars = argument.type.replace("const", "").replace("*", " * ").split()
    kind = KINDS.get(base, ENUMERATOR)
    if not stars:
        return f"{kind}, value, intent(in)"
    if len(stars) == 1 and base in ("void", "xbatchCommLayer_t") or letter == "x" and base not in ON_HOST:
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


def is_array(argument, letter):
    """Whether the argument is an array in this form, not an address."""
    is_address = attributes(argument, letter) == ADDRESS
    return argument.is_pointer and not (is_address or argument.is_single or argument.is_output)


def declarations(function):
    """{(type and attributes, mark T or R of an array): names}, in the order of the arguments."""
    found = {}
    for argument in function.arguments:
        text, has_elements = attributes(argument, function.letter), is_array(argument, function.letter)
        kind = re.search(r"\b[TR]\b", argument.type) if has_elements else None
        found.setdefault((text, kind and kind[0]), []).append(argument.name + ("(*)" if has_elements else ""))
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
    others = header.plain_functions() + [routine.with_shares() for routine in header.shared_out]
    parts = [interface(function) for function in others]
    for routine in header.routines:
        forms = "\n".join(interface(function) for function in routine.functions())
        parts.append(f"        ! {routine.name}: {routine.summary}\n{forms}")
    return f"    ! {header.name}: {header.group}\n    interface\n" + "\n".join(parts) + "    end interface\n"


def generic_name(routine):
    forms = ", ".join(f"{routine.name}_{letter}" for letter in LETTERS)
    return (f"    private :: {forms}\n    interface {routine.name}\n        procedure :: {forms}\n"
            "    end interface\n")


def specific(routine, letter):
    """The function of a generic name for one type. It passes its arrays of any rank as pointers of rank 1, of which the
    C function only takes the address; a pointer to nothing stands for an absent argument."""
    function = routine.function(letter)
    declared, pointers, lines = {}, {}, []
    for argument in function.arguments:
        text, name = attributes(argument, letter), argument.name
        if is_array(argument, letter):
            pointers.setdefault(text.split(", intent")[0] + ", pointer, contiguous", []).append(f"{name}_1(:)")
            associate = f"call c_f_pointer(c_loc({name}), {name}_1, [1])"
            if argument.is_optional:
                lines.append(f"nullify({name}_1)")
                associate = f"if (present({name})) {associate}"
            lines.append(associate)
            declared.setdefault(text + ", target, contiguous", []).append(f"{name}(..)")
        else:
            declared.setdefault(text, []).append(name)
    names = [argument.name for argument in function.arguments]
    passed = [argument.name + "_1" * is_array(argument, letter) for argument in function.arguments]
    head = wrap(" " * 4, listed(f"function {routine.name}_{letter}(", names, ")") + ["result(status)"])
    for text, group in {**declared, ENUMERATOR: ["status"], **pointers}.items():
        head += wrap(" " * 8, listed(f"{text} :: ", group))
    call = wrap(" " * 8, listed(f"status = {routine.form(letter)}(", passed, ")"))
    return "\n".join(head + [" " * 8 + line for line in lines] + call + ["    end function\n"])


def generic_module(mark):
    """The module with the generic names."""
    routines = [routine for header in HEADERS for routine in header.routines if routine.generic]
    names = "\n".join(generic_name(routine) for routine in routines)
    forms = "\n".join(specific(routine, letter) for routine in routines for letter in LETTERS)
    kinds = sorted(set(re.findall(r"\((c_\w+)\)", names + forms)) | {"c_f_pointer", "c_loc"})
    uses = "\n".join(wrap("    ", listed("use, intrinsic :: iso_c_binding, only: ", kinds))
                     + ["    use xbatch_c", "    implicit none", "    public"]
                     + wrap("    ", listed("private :: ", kinds)))
    return f"""! xbatch.f90: the module `xbatch`: all of `xbatch_c`, and generic names that select a routine by its arrays' type.
! {mark}
! SPDX-License-Identifier: BSD-3-Clause
!
! gtsvBatch stands for sgtsvBatch, dgtsvBatch, cgtsvBatch and zgtsvBatch, and so on. Arrays are host arrays of any rank,
! or the first element of a section, as in `u(1, 1)`; the compiler copies a section that is not contiguous before and
! after the call. There is no generic name where no argument has the type (gtconBatch), nor for arrays of pointers
! (geqrfVBatch, ...).
module xbatch
{uses}

{names}
contains

{forms}end module
"""


def write(root, mark):
    """{path: text} of the modules."""
    template = "fortran/xbatch_c.f90.in"
    text = (root / template).read_text(encoding="utf-8")
    for place, lines in {"generated": f"! {mark}\n",
                         "interfaces": "\n".join(interfaces(header) for header in HEADERS)}.items():
        if text.count(f"@{place}@\n") != 1:
            raise TableError(f"{template}: there must be one line @{place}@")
        text = text.replace(f"@{place}@\n", lines)
    return {"fortran/xbatch_c.f90": text, "fortran/xbatch.f90": generic_module(mark)}
