"""The version scripts of the libraries: their exported symbols, in byte order.

SPDX-License-Identifier: BSD-3-Clause"""

from model import LETTERS
from routines import BLACS, HEADERS, LAPACK, LAPACK_UNITARY, SCALAPACK, VERSION


def version_script(mark, version, names):
    symbols = "".join(f"    {name};\n" for name in sorted(names))
    return f"# {mark}\n{version}{{\n  global:\n{symbols}  local:\n    *;\n}};\n"


def lapack_names():
    stems = [letter + stem for stem in LAPACK.split() for letter in LETTERS]
    for stem in LAPACK_UNITARY.split():
        stems += ["s" + stem.replace("un", "or"), "d" + stem.replace("un", "or"), "c" + stem, "z" + stem]
    return [stem + suffix for stem in stems for suffix in ("_", "_64_")]


def write(_, mark):
    """{path: text} of the version scripts."""
    names = [function.name for header in HEADERS for function in header.functions()]
    scalapack = [f"p{letter}{stem}_" for stem in SCALAPACK.split() for letter in LETTERS] + BLACS.split()
    return {"src/cmake/xbatch.map": version_script(mark, VERSION + " ", names),
            "src/cmake/xbatch_lapack.map": version_script(mark, "", lapack_names()),
            "src/cmake/xbatch_scalapack.map": version_script(mark, "", scalapack)}
