"""The typed prototypes of the public headers, between two marker comments below a routine's x prototypes, and those for
several handles, between two markers of their own. Contracts and all other prototypes are written by hand; the
prototypes are compared with their rows.

SPDX-License-Identifier: BSD-3-Clause"""

import re
import textwrap

from model import LETTERS, TYPE_IN_WORDS, TableError
from routines import HEADERS

BEGIN = "/* The typed forms of x{}. {} */"
END = "/* End of the typed forms of x{}. */"
BLOCK = re.compile(r"\n/\* The typed forms of (x\w+)\. .*?\n/\* End of the typed forms of \1\. \*/\n", re.DOTALL)
SHARES = re.compile(r"(/\* Forms for several handles\.) .*?\n(/\* End of the forms for several handles\. \*/\n)", re.DOTALL)


def block(routine, mark):
    """All typed prototypes of a row, between the markers."""
    parts = [textwrap.fill(BEGIN.format(routine.name, mark), 120, subsequent_indent=" * ")]
    for query in routine.queries():
        for letter in LETTERS:
            parts.append(f"/** {routine.form('x', query)} for {TYPE_IN_WORDS[letter]}. */\n"
                         + routine.function(letter, query).prototype())
    return "\n\n".join(parts + [END.format(routine.name)]) + "\n"


def shares_block(routines):
    """The prototypes for several handles."""
    return "\n\n".join(f"/** {routine.form('x')} for the shares of a batch. */\n{routine.with_shares().prototype()}"
                       for routine in routines)


def check(path, text, functions):
    """Raise a TableError unless the hand-written prototypes of the header are those of the rows."""
    code = re.sub(r"^#.*(\\\n.*)*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL), flags=re.MULTILINE)
    declared = {name: result + name + arguments + ";"
                for result, name, arguments in re.findall(r"(\w[\w ]*[ *])(\w+)\s*(\([^()]*\))\s*;", code)}
    expected = {function.name: function.prototype() for function in functions}
    for name in sorted(declared.keys() | expected.keys()):
        if name not in expected:
            raise TableError(f"{path}: {name} is not in src/api/routines.py")
        if name not in declared:
            raise TableError(f"{path}: {name} of src/api/routines.py is not declared:\n{expected[name]}")
        if declared[name].split() != expected[name].split():
            raise TableError(f"{path}: {name} differs from its row in src/api/routines.py. The header has\n"
                             f"{declared[name]}\nthe row says\n{expected[name]}")


def end_of(text, name):
    """The end of a function's prototype in the text."""
    return re.search(rf"\b{name}\s*\([^()]*\)\s*;\n", text).end()


def write(root, mark):
    """{path: text} of all headers, with the blocks of their routines."""
    written = {}
    for header in HEADERS:
        path = f"include/xbatch/{header.name}"
        text = BLOCK.sub("", (root / path).read_text(encoding="utf-8"))
        text = SHARES.sub(r"\1 \n\2", text)
        check(path, text, header.plain_functions() + [x for routine in header.routines for x in routine.functions("x")])
        for routine in header.routines:
            end = max(end_of(text, x.name) for x in routine.functions("x"))
            text = text[:end] + "\n" + block(routine, mark) + text[end:]
        if header.shared_out:
            text, found = SHARES.subn(f"\\1 {mark} */\n\n{shares_block(header.shared_out)}\n\n\\2", text)
            if not found:
                raise TableError(f"{path} has no markers around the forms for several handles")
        written[path] = text
    return written
